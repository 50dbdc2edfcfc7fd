"""The order of CPU names: who is at most whom, on which platform, and why not; the tables against archspec."""

import itertools
import time

import archspec.cpu
import pytest

from flagguard import cpu
from flagguard.cpu import Comparison, Verdict

X86 = "linux-x86_64"
ARM = "linux-aarch64"
MAC = "macos-arm64"
WINDOWS = "windows-x86_64"
POWER = "linux-ppc64le"
RISCV = "linux-riscv64"
Z = "linux-s390x"
I686 = "linux-i686"
ARMV7 = "linux-armv7l"

AT_MOST = [
    # (platform, name, switches, limit)
    (X86, "x86-64-v2", "", "x86-64-v2"),
    (X86, "x86-64", "", "x86-64-v2"),
    (X86, "generic", "", "x86-64-v2"),
    (X86, "generic", "", "x86-64"),
    (X86, "x86-64", "", "generic"),
    (X86, "x86_64_v2", "", "x86-64-v2"),
    (X86, "nehalem", "", "x86-64-v2"),  # archspec by ancestry says no
    (X86, "x86-64-v2", "", "nehalem"),
    (X86, "corei7", "", "nehalem"),
    (X86, "core2", "", "x86-64-v2"),
    (X86, "x86-64-v3", "", "haswell"),
    (X86, "haswell", "", "core-avx2"),
    (X86, "haswell", "", "znver1"),  # no descent at all
    (X86, "x86-64-v4", "", "znver4"),
    (X86, "zen3", "", "znver3"),
    (X86, "raptorlake", "", "alderlake"),
    (X86, "westmere", "", "sandybridge"),
    (X86, "SSE4.2", "", "x86-64-v2"),
    (X86, "CORE-AVX2", "", "haswell"),
    (X86, "v2", "", "x86-64-v2"),
    (X86, "px", "", "x86-64"),
    (X86, "baseline", "", "x86-64"),
    (X86, "x86_64+sse4_2+popcnt", "", "x86-64-v2"),
    (X86, "x86_64_v3-avx2-bmi-bmi2-f16c-fma-lzcnt-movbe-xsave-avx", "", "x86-64-v2"),
    (X86, "x86-64-v2", "avx2 -avx", "x86-64-v2+xsave"),
    (X86, "x86-64", "-msse4.2 -mpopcnt", "x86-64-v2"),
    (X86, "x86-64", "+sse4_2,+popcnt,+cmpxchg16b", "x86-64-v2"),
    (X86, "x86-64-v2", "-mno-avx2", "x86-64-v2"),
    (X86, "x86-64-v2", "+crt-static", "x86-64-v2"),
    (X86, "x86-64-v2", "-mabm", "x86-64-v3"),
    (X86, "x86-64-v2", "-mhle", "x86-64-v2"),  # older CPUs ignore its prefixes
    (X86, "x86-64-v2", "-no-such-feature", "x86-64-v2"),
    (X86, "skylake", "-mno-adx -mno-aes -mno-clflushopt -mno-prfchw -mno-rdseed -mno-xsavec -mno-xsaves", "haswell"),
    ("macos-x86_64", "penryn", "", "x86-64-v2"),
    ("freebsd-x86_64", "x86-64", "", "generic"),
    (WINDOWS, "AVX2", "", "x86-64-v3"),
    (WINDOWS, "AVX", "", "sandybridge"),
    (WINDOWS, "AVX", "", "x86-64-v3"),
    (WINDOWS, "AVX512", "", "x86-64-v4"),
    (WINDOWS, "CORE-AVX512", "", "skylake-avx512"),
    (WINDOWS, "SSE4.2", "", "x86-64-v2"),
    (I686, "generic", "", "pentium4"),
    (I686, "pentium3", "", "x86-64"),
    (I686, "i686", "", "generic"),
    (ARM, "generic", "", "cortex-a53"),
    (ARM, "armv8-a", "", "generic"),
    (ARM, "armv8-a+simd", "", "generic"),
    (ARM, "cortex-a72", "", "cortex-a53"),
    (ARM, "armv8-a+crc", "", "cortex-a53"),
    (ARM, "armv8.2-a", "", "neoverse-n1"),
    (ARM, "neoverse-n1", "+sve", "neoverse-v1"),
    (ARM, "armv8.2-a+sve+nosve+nofp16", "", "armv8.2-a"),
    (ARM, "armv8-a+crypto", "", "armv8-a+aes+sha2"),
    (ARM, "v8.1,lse", "", "armv8.1-a"),
    (ARM, "neoverse-n2", "", "neoverse-v2"),
    (ARM, "generic", "+outline-atomics", "generic"),
    (ARM, "thunderx2", "", "thunderx2t99"),
    (MAC, "generic", "", "apple-m1"),
    (MAC, "armv8-a", "", "apple-m1"),
    (MAC, "apple-m1", "", "generic"),
    (MAC, "apple-a14", "", "apple-m1"),
    (MAC, "m1", "", "apple-m2"),
    (MAC, "armv8-a+crc+crypto", "", "apple-m1"),
    (MAC, "apple-m1", "", "armv8-a"),  # there is no Mac without it
    (POWER, "generic", "", "power8"),
    (POWER, "pwr8", "", "power8"),
    (POWER, "power8", "", "power9"),
    (POWER, "power9", "", "power10"),
    (POWER, "power8", "-mvsx", "power8"),
    (RISCV, "generic", "", "rv64gc"),
    (RISCV, "rv64imafdc_zicsr_zifencei", "", "rv64gc"),
    (RISCV, "rv64i2p1_m2p0_a2p1", "", "rv64gc"),
    (RISCV, "rv64gc_zba_zbb", "", "rva22u64"),
    (RISCV, "rv64gcv", "", "rva23u64"),
    (Z, "z13", "", "arch11"),
    (Z, "z10", "", "z13"),
    (Z, "generic", "", "z13"),
    (ARMV7, "armv7-a", "", "generic"),
    (ARMV7, "cortex-a9", "", "cortex-a9"),
    (ARMV7, "7", "", "generic"),
]

ABOVE = [
    # (platform, name, switches, limit, what is too much)
    (X86, "x86-64-v3", "", "x86-64-v2", "avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"),
    (X86, "x86-64-v2", "avx2", "x86-64-v2", "avx avx2 xsave"),
    (X86, "x86-64-v2", "-mavx2", "x86-64-v2", "avx avx2 xsave"),
    (X86, "x86-64-v2", "-avx2 +avx2", "x86-64-v2", "avx avx2 xsave"),
    (X86, "x86-64-v2", "+avx,-avx2", "x86-64-v2", "avx xsave"),
    (X86, "x86-64-v2", "+bmi1", "x86-64-v2", "bmi"),
    (X86, "x86-64", "-mcrc32", "x86-64", "crc32"),
    (X86, "westmere", "", "x86-64-v2", "pclmul"),
    (X86, "nehalem", "-maes", "sandybridge", "aes"),  # some of that kind lack it, whatever archspec says
    (X86, "k8", "", "x86-64", "3dnow 3dnowa prfchw"),
    (X86, "silvermont", "", "nehalem", "movbe pclmul prfchw rdrnd"),
    (X86, "v3", "", "generic", None),
    (X86, "AVX", "", "x86-64-v2", "avx pclmul xsave xsaveopt"),
    (X86, "x86-64-v2", "+no-such-feature", "x86-64-v4", "no-such-feature"),
    (X86, "x86-64-v2", "-mno-such-feature", "x86-64-v2", "no-such-feature"),
    (X86, "x86-64-v2", "-msgx", "x86-64-v2", "sgx"),
    (X86, "x86-64-v3", "+avx512f", "x86-64-v3", "avx512f"),
    (X86, "x86_64_v2+avx", "", "x86-64-v2", "avx xsave"),
    (X86, "knl", "", "skylake-avx512", "avx512er avx512pf prefetchwt1"),
    (WINDOWS, "AVX2", "", "x86-64-v2", "avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"),
    (WINDOWS, "AVX512", "", "x86-64-v3", "avx512bw avx512cd avx512dq avx512f avx512vl"),
    (I686, "pentium4", "", "generic", "fxsr mmx sse sse2"),
    (I686, "generic", "-msse2", "i586", "cmov sse2"),
    (ARM, "armv8.2-a+sve", "", "generic", "crc dpb fp16 lse rdma sve"),
    (ARM, "armv8-a+crc", "", "generic", "crc"),
    (ARM, "generic", "+lse", "generic", "lse"),
    (ARM, "generic", "+neon,+sve2", "neoverse-v1", "sve2"),
    (ARM, "armv8-a+aes", "", "cortex-a53", "aes"),  # an option of the core: gcc does not count on it
    (ARM, "apple-m1", "", "armv8-a", None),
    (ARM, "v9.0", "", "v8.5", "fp16 sve sve2"),
    (ARM, "neoverse-v1", "-msve-vector-bits=512", "neoverse-v1", "sve-vector-bits=512"),
    (MAC, "apple-m2", "", "apple-m1", "bf16 i8mm"),
    (MAC, "apple-m4", "", "apple-m3", None),
    (MAC, "armv8.4-a+crypto", "", "apple-m1", "sm4"),  # clang's reading of +crypto
    (MAC, "generic", "+sve", "apple-m1", "sve"),
    (POWER, "power9", "", "power8", "float128-hardware isa-v3.0 power9-altivec power9-vector"),
    (POWER, "power8", "-mhtm", "power8", "htm"),
    (POWER, "power10", "", "power9", None),
    (RISCV, "rv64gc_zba", "", "rv64gc", "zba"),
    (RISCV, "rv64gcv", "", "generic", None),
    (Z, "z14", "", "z13", None),
    (ARMV7, "generic", "+neon", "generic", "neon vfpv3"),
]

STRANGERS = [
    (X86, "apple-m1", "x86-64", Verdict.OTHER_ARCHITECTURE),
    (X86, "armv8-a", "x86-64", Verdict.OTHER_ARCHITECTURE),
    (X86, "power8", "x86-64", Verdict.OTHER_ARCHITECTURE),
    (X86, "pentium3", "x86-64", Verdict.OTHER_ARCHITECTURE),
    (X86, "rv64gc", "x86-64", Verdict.OTHER_ARCHITECTURE),
    (MAC, "x86-64-v2", "apple-m1", Verdict.OTHER_ARCHITECTURE),
    (ARM, "haswell", "generic", Verdict.OTHER_ARCHITECTURE),
    (ARM, "generic", "haswell", Verdict.OTHER_ARCHITECTURE),
    (X86, "haswel", "x86-64", Verdict.UNKNOWN_NAME),
    (X86, "Haswell", "x86-64", Verdict.UNKNOWN_NAME),
    (X86, "", "x86-64", Verdict.UNKNOWN_NAME),
    (X86, "+avx2", "x86-64", Verdict.UNKNOWN_NAME),
    (X86, "x86-64+nonsense", "x86-64-v4", Verdict.UNKNOWN_NAME),
    (X86, "generic", "baselne", Verdict.UNKNOWN_NAME),
    (ARM, "armv8-a+nonsense", "apple-m4", Verdict.UNKNOWN_NAME),
    ("linux-loongarch64", "generic", "generic", Verdict.UNKNOWN_NAME),
    ("", "generic", "generic", Verdict.UNKNOWN_NAME),
]

PLATFORMS = (X86, WINDOWS, I686, ARM, MAC, ARMV7, POWER, RISCV, Z)


@pytest.mark.parametrize(("platform", "name", "switches", "limit"), AT_MOST)
def test_at_most(platform: str, name: str, switches: str, limit: str) -> None:
    assert cpu.at_most(name, switches.split(), limit, platform) == Comparison(Verdict.YES)


@pytest.mark.parametrize(("platform", "name", "switches", "limit", "extra"), ABOVE)
def test_above_tells_what_is_too_much(platform: str, name: str, switches: str, limit: str, extra: str | None) -> None:
    found = cpu.at_most(name, switches.split(), limit, platform)
    assert found.verdict is Verdict.NO
    assert found.extra
    if extra is not None:
        assert " ".join(found.extra) == extra


@pytest.mark.parametrize(("platform", "name", "limit", "verdict"), STRANGERS)
def test_names_that_are_none_of_the_platform(platform: str, name: str, limit: str, verdict: Verdict) -> None:
    assert cpu.at_most(name, (), limit, platform) == Comparison(verdict)


@pytest.mark.parametrize("name", ["native", "host", "Host", "HOST", "native+crypto", " native "])
def test_the_host_is_at_most_nothing(name: str) -> None:
    assert cpu.is_host(name)
    assert not cpu.known(name, X86)
    assert cpu.at_most(name, (), "znver5", X86).verdict is Verdict.NO


@pytest.mark.parametrize("name", ["generic", "", "x86-64", "nativ", "hosted", "no-native"])
def test_other_names_are_not_the_host(name: str) -> None:
    assert not cpu.is_host(name)


def test_features_are_named_as_gcc_switches() -> None:
    found = cpu.features("x86_64_v3", X86)
    assert found is not None
    assert {"avx2", "bmi", "bmi2", "popcnt", "sse4.1", "sse4.2", "lzcnt", "sahf", "cx16"} <= found
    assert not {f for f in found if "_" in f}
    assert cpu.features("apple-m1", X86) is None


@pytest.mark.parametrize(
    ("name", "platform", "expected"),
    [
        ("x86-64v2", X86, "x86-64-v2"),
        ("X86-64-V3", X86, "x86-64-v3"),
        ("hasswell", X86, "haswell"),
        ("apple_m1", MAC, "apple-m1"),
        ("Generic", ARM, "generic"),
        ("armv82-a", ARM, "armv8.2-a"),
        ("power 9", POWER, "power9"),
        ("qqqq", X86, None),
        ("x", "plan9-mips", None),
    ],
)
def test_nearest(name: str, platform: str, expected: str | None) -> None:
    assert cpu.nearest(name, platform) == expected


@pytest.mark.parametrize("platform", PLATFORMS)
def test_at_most_is_an_order_on_every_name(platform: str) -> None:
    names = sorted({"generic", *cpu._table_of(platform).names(platform)})  # type: ignore[union-attr]
    below = {
        name: {limit for limit in names if cpu.at_most(name, (), limit, platform).verdict is Verdict.YES}
        for name in names
    }
    assert all(cpu.known(name, platform) for name in names)
    assert all(name in below[name] for name in names)
    for name in names:
        for limit in below[name]:
            assert below[limit] <= below[name], (name, limit)


@pytest.mark.parametrize(("platform", "levels"), [(X86, 4), (WINDOWS, 4)])
def test_the_levels_are_strictly_ordered(platform: str, levels: int) -> None:
    names = ["x86-64", *(f"x86-64-v{i}" for i in range(2, levels + 1))]
    for (i, lower), (j, upper) in itertools.product(enumerate(names), repeat=2):
        assert (cpu.at_most(lower, (), upper, platform).verdict is Verdict.YES) == (i <= j)


def test_one_more_feature_is_never_at_most_the_same_name() -> None:
    for name in ("x86-64", "x86-64-v2", "haswell", "znver1", "core2"):
        own = cpu.features(name, X86) or frozenset()
        for feature in sorted((cpu.features("sapphirerapids", X86) or frozenset()) - own):
            assert feature in cpu.at_most(name, [f"-m{feature}"], name, X86).extra


# -- archspec --------------------------------------------------------------------------------------

FAMILIES = {"x86_64": X86, "x86": I686, "aarch64": ARM, "ppc64le": POWER, "riscv64": RISCV, "arm": ARMV7}


@pytest.mark.parametrize("name", [n for n, t in archspec.cpu.TARGETS.items() if str(t.family) in FAMILIES])
def test_the_table_says_what_archspec_says(name: str) -> None:
    target = archspec.cpu.TARGETS[name]
    platform = FAMILIES[str(target.family)]
    assert cpu.known(name, platform), "archspec has a name that data/cpus lacks"
    table = cpu._table_of(platform)
    assert table is not None
    here = table.read(name, platform)
    assert here is not None
    theirs = {
        change.feature
        for feature in target.features
        if feature not in table._data.get("left-out", {})
        for change in table.changes(feature)
    }
    assert " ".join(sorted(theirs - here.least)) == table._data.get("archspec", {}).get(name, "")


def test_archspec_by_ancestry_is_not_the_order() -> None:
    targets = archspec.cpu.TARGETS
    assert not targets["nehalem"] <= targets["x86_64_v2"]
    assert cpu.at_most("nehalem", (), "x86-64-v2", X86).verdict is Verdict.YES


# -- the files -------------------------------------------------------------------------------------


def test_reading_a_table_takes_less_than_ten_milliseconds() -> None:
    def load() -> float:
        cpu._table.cache_clear()
        start = time.perf_counter()
        assert cpu.known("x86-64-v3", X86)
        return time.perf_counter() - start

    assert min(load() for _ in range(5)) < 0.010


@pytest.mark.parametrize("architecture", sorted(set(cpu._ARCHITECTURES.values())))
def test_what_a_table_leaves_out_is_in_no_name(architecture: str) -> None:
    table = cpu._table(architecture)
    word = next(w for w, a in cpu._ARCHITECTURES.items() if a == architecture)
    out = {*table._data.get("left-out", {}), *table._harmless}
    for name in table.names(f"linux-{word}"):
        assert not (cpu.features(name, f"linux-{word}") or frozenset()) & out, name
