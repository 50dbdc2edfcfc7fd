"""Effective properties: what several options, and the environment, make of one notion."""

import pytest

from .support import LINUX, invocation, shown

CPU = [
    # argv, value, default, features on top
    ("mojo build a.mojo", None, "host", ()),
    ("mojo build --target-cpu x86-64-v2 a.mojo", "x86-64-v2", "host", ()),
    ("mojo build --mcpu=x86-64-v2 a.mojo", "x86-64-v2", "host", ()),
    ("mojo build --mcpu x86-64-v2 --march x86-64-v3 a.mojo", "x86-64-v3", "host", ()),
    ("mojo build --march x86-64-v3 --mcpu x86-64-v2 a.mojo", "x86-64-v3", "host", ()),
    ("mojo build --target-cpu '' a.mojo", None, "host", ()),
    ("mojo build --target-cpu '' --mcpu x86-64-v3 a.mojo", "x86-64-v3", "host", ()),
    ("mojo build a.mojo --target-cpu", None, "host", ()),
    ("mojo build --mtune x86-64-v2 a.mojo", None, "host", ()),
    ("mojo build --target-cpu x86-64-v2 --target-features +avx2,-sse3 a.mojo", "x86-64-v2", "host", ("avx2",)),
    ("clang -march=x86-64 -Xclang -target-feature -Xclang +avx2 a.c", "x86-64", "generic", ("avx2",)),
    ("clang -Xclang -target-feature -Xclang -avx a.c", None, "generic", ()),
    ("mojo build --target-triple aarch64-unknown-linux-gnu a.mojo", None, "generic", ()),
    ("mojo run a.mojo --target-cpu x86-64-v2", None, "host", ()),
    ("mojo build --target-cpu x86-64-v2 a.mojo --target-cpu native", "native", "host", ()),
    ("gcc -c a.c", None, "generic", ()),
    ("gcc -march=native -march=x86-64-v2 a.c", "x86-64-v2", "generic", ()),
    ("gcc -march=x86-64-v2 -mavx2 a.c", "x86-64-v2", "generic", ("avx2",)),
    ("gcc -mavx2 -march=x86-64-v2 a.c", "x86-64-v2", "generic", ("avx2",)),
    ("gcc -mavx2 -mno-avx2 a.c", None, "generic", ()),
    ("gcc -mtune=native a.c", None, "generic", ()),
    ("gcc -mno-red-zone -m64 a.c", None, "generic", ()),
    ("clang -mcpu=native a.c", None, "generic", ()),
    ("clang --target=aarch64-linux-gnu -mcpu=native a.c", "native", "generic", ()),
    ("clang --target=aarch64-linux-gnu -mcpu=native -march=armv8-a a.c", "armv8-a", "generic", ()),
    ("aarch64-linux-gnu-gcc -mcpu=native a.c", "native", "generic", ()),
    ("powerpc64le-linux-gnu-gcc -mcpu=power9 -mtune=power10 a.c", "power9", "generic", ()),
    ("icc -xHost a.c", "native", "generic", ()),
    ("icx /QxHost a.c", "native", "generic", ()),
    ("icc -x c -xAVX a.c", "sandybridge", "generic", ()),
    ("cl /arch:AVX2 a.c", "haswell", "generic", ()),
    ("rustc -C target-cpu=native a.rs", "native", "generic", ()),
    ("rustc -C target-cpu=native -Ctarget-cpu=x86-64-v2 a.rs", "x86-64-v2", "generic", ()),
    ("rustc -C target-feature=+avx2,+fma -C target-feature=-fma a.rs", None, "generic", ("avx2",)),
    ("cargo rustc -- -C target-cpu=native", "native", "generic", ()),
    ("maturin build -- -C target-cpu=native", "native", "generic", ()),
    ("uses PyO3/maturin-action@v1 '--args=--release -- -C target-cpu=native'", "native", "generic", ()),
    ("""cargo build --config 'target."cfg(unix)".rustflags = "-Ctarget-cpu=native"'""", "native", "generic", ()),
    ("""cargo build --config 'target."cfg(windows)".rustflags = "-Ctarget-cpu=native"'""", None, "generic", ()),
    ("""cargo build --config 'build.rustflags = ["-C", "target-cpu=native"]'""", "native", "generic", ()),
    ("nvcc -arch=native a.cu", None, "generic", ()),
    ("nvcc -Xcompiler -march=native a.cu", "native", "generic", ()),
    ("zig build", None, "host", ()),
    ("zig build -Dcpu=baseline", "generic", "host", ()),
    ("zig build -Dtarget=x86_64-linux", None, "generic", ()),
    ("zig build -Dtarget=native-linux-musl", None, "host", ()),
    ("zig build-exe -mcpu=x86_64_v2 a.zig", "x86_64_v2", "host", ()),
    ("zig cc -c a.c", None, "host", ()),
    ("zig cc -target x86_64-linux-musl -c a.c", None, "generic", ()),
    ("nvfortran a.f90", None, "host", ()),
    ("nvc -tp=host a.c", "native", "host", ()),
    ("ponyc .", None, "host", ()),
    ("ponyc --cpu=x86-64 .", "x86-64", "host", ()),
    ("ispc --target=sse4-i32x4 a.ispc", "x86-64-v2", "host", ()),
    ("chpl --target-cpu=native a.chpl", "native", "host", ()),
    ("ghc -optc-march=native a.hs", "native", "generic", ()),
    ("bazel build --copt=-march=native //x", "native", "generic", ()),
    ("bazel build --host_copt=-march=native //x", None, "generic", ()),
    ("meson setup b -Dc_args=-march=native,-O2", "native", "generic", ()),
    ("swiftc -Xcc -march=native a.swift", "native", "generic", ()),
    ("cmake '-DCMAKE_C_FLAGS=-march=native -mtune=generic' .", "native", "generic", ()),
    ("cmake -DCMAKE_CXX_FLAGS:STRING=-march=native -DCMAKE_C_FLAGS=-march=x86-64-v2 .", "native", "generic", ()),
    ("cmake -DCMAKE_C_FLAGS_DEBUG=-march=native -DCMAKE_BUILD_TYPE=Release .", None, "generic", ()),
    ("cmake -DCMAKE_C_FLAGS_DEBUG=-march=native .", "native", "generic", ()),
    ("cmake -DX=-march=native .", None, "generic", ()),
    ("cmake '-DCMAKE_CXX_FLAGS=/EHsc /arch:AVX2' .", "haswell", "generic", ()),
    ("cmake '-DCMAKE_C_FLAGS=/usr/x -march=native' .", "native", "generic", ()),
    ("cmake:add_compile_options /arch:AVX2", "haswell", "generic", ()),
    ("./configure 'CFLAGS=-O2 -march=native'", "native", "generic", ()),
    ("./configure 'CC=gcc -march=native'", "native", "generic", ()),
    ("python:Extension a.c -march=x86-64-v2 -mavx2", "x86-64-v2", "generic", ("avx2",)),
    ("python:Extension a.c /arch:AVX2", "haswell", "generic", ()),
    ("cmake:add_compile_options -march=native", "native", "generic", ()),
    ("go build ./...", None, "generic", ()),
    ("make all", None, None, ()),
    ("tool --cpu=native", None, None, ()),
]


@pytest.mark.parametrize(("line", "value", "default", "features"), CPU)
def test_cpu(line: str, value: str | None, default: str | None, features: tuple[str, ...]) -> None:
    found = invocation(line).effective("cpu", LINUX)
    assert (shown(found.value), found.default, found.features) == (value, default, features)


@pytest.mark.parametrize(
    ("line", "env", "value", "carrier"),
    [
        ("cargo build", {"RUSTFLAGS": "-Ctarget-cpu=native"}, "native", "RUSTFLAGS"),
        ("cargo build", {"CARGO_ENCODED_RUSTFLAGS": "-C\x1ftarget-cpu=native"}, "native", "CARGO_ENCODED_RUSTFLAGS"),
        ("cargo build", {"CARGO_BUILD_RUSTFLAGS": "-Ctarget-cpu=x"}, "x", "CARGO_BUILD_RUSTFLAGS"),
        ("cargo build", {"RUSTFLAGS": "", "CARGO_BUILD_RUSTFLAGS": "-Ctarget-cpu=x"}, None, None),
        ("cargo build", {"RUSTFLAGS": "-Ctarget-cpu=a", "CARGO_BUILD_RUSTFLAGS": "-Ctarget-cpu=b"}, "a", "RUSTFLAGS"),
        ("cargo build --config 'build.rustflags=\"-Ctarget-cpu=native\"'", {"RUSTFLAGS": ""}, None, None),
        ("cargo rustc -- -C target-cpu=a", {"RUSTFLAGS": "-C target-cpu=b"}, "b", "RUSTFLAGS"),
        ("cmake .", {"CFLAGS": "-march=native"}, "native", "CFLAGS"),
        ("cmake -DCMAKE_C_FLAGS=-O2 .", {"CFLAGS": "-march=native"}, None, None),
        ("./configure", {"CFLAGS": "-O2 -march=native"}, "native", "CFLAGS"),
        ("./configure CFLAGS=-O2", {"CFLAGS": "-march=native"}, None, None),
        ("./configure CXXFLAGS=-O2", {"CFLAGS": "-march=native"}, "native", "CFLAGS"),
        ("gcc -c a.c", {"CFLAGS": "-march=native"}, None, None),
        ("make", {"CFLAGS": "-march=native"}, None, None),
    ],
)
def test_cpu_from_the_environment(line: str, env: dict[str, str], value: str | None, carrier: str | None) -> None:
    found = invocation(line, env).effective("cpu", LINUX)
    assert shown(found.value) == value
    assert (found.option.carrier if found.option else None) == carrier


def test_a_variable_for_one_target_is_for_that_target() -> None:
    env = {"CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS": "-Ctarget-cpu=native"}
    build = invocation("cargo build", env)
    assert build.effective("cpu", LINUX).value is None
    assert shown(build.effective("cpu", "linux-aarch64").value) == "native"
    cross = invocation("cargo build --target aarch64-unknown-linux-gnu", env)
    assert shown(cross.effective("cpu", LINUX).value) == "native"


def test_the_level_of_another_architecture_does_not_count() -> None:
    env = {"GOAMD64": "v3", "GOARCH": "arm64"}
    assert invocation("go build ./...", env).effective("cpu", LINUX).value is None


def test_cgo_compiles_c() -> None:
    found = invocation("go build ./...", {"CGO_CFLAGS": "-O2 -march=native"}).effective("cpu", LINUX)
    assert shown(found.value) == "native"


def test_an_optimisation_that_nobody_knows_leaves_fortify_open() -> None:
    found = invocation("gcc -O{LEVEL} -D_FORTIFY_SOURCE=2 a.c").effective("fortify", LINUX)
    assert found.value is not None
    assert not found.value.known
    assert shown(invocation("gcc {OPT} -D_FORTIFY_SOURCE=2 a.c").effective("fortify", LINUX).missing) == "$OPT"


def test_levels_of_go_are_cpus() -> None:
    found = invocation("go build ./...", {"GOAMD64": "v3"}).effective("cpu", LINUX)
    assert (shown(found.value), found.variable, found.option) == ("x86-64-v3", "GOAMD64", None)


def test_an_empty_variable_of_the_environment_is_none() -> None:
    found = invocation("go build ./...", {"GOAMD64": ""}).effective("cpu", LINUX)
    assert (found.value, found.variable, found.default) == (None, None, "generic")


def test_a_hole_is_kept_in_the_value() -> None:
    found = invocation("mojo build --target-cpu {CPU} a.mojo").effective("cpu", LINUX)
    assert found.value is not None
    assert [h.name for h in found.value.holes] == ["CPU"]


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("mojo build {X} a.mojo", "$X"),
        ("mojo build {X} --target-cpu x a.mojo", None),
        ("mojo build --target-cpu x {X} a.mojo", "$X"),
        ("gcc -m{X} a.c", "-m$X"),
        ("gcc -f{X} a.c", None),
        ("gcc a.c", None),
        ("rustc -C target-feature={X} a.rs", "$X"),
    ],
)
def test_words_that_could_change_it(line: str, missing: str | None) -> None:
    assert shown(invocation(line).effective("cpu", LINUX).missing) == missing


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("gcc -fPIC -c a.c", "pic", "-fPIC"),
        ("gcc -c a.c", "pic", "none"),
        ("gcc -fPIC -fPIE a.c", "pic", "-fPIE"),
        ("gcc -fPIC -fno-pic a.c", "pic", "none"),
        ("rustc a.rs", "pic", "-fPIC"),
        ("rustc -C relocation-model=static a.rs", "pic", "none"),
        ("gcc -Ofast a.c", "fast-math", "on"),
        ("gcc -Ofast -fno-fast-math a.c", "fast-math", "off"),
        ("gcc -fno-fast-math -Ofast a.c", "fast-math", "off"),
        ("clang -fno-fast-math -Ofast a.c", "fast-math", "on"),
        ("clang -Ofast -fno-fast-math a.c", "fast-math", "off"),
        ("gcc -Ofast -O2 a.c", "fast-math", "off"),
        ("gcc -ffast-math -O2 a.c", "fast-math", "on"),
        ("clang -ffp-model=aggressive a.c", "fast-math", "on"),
        ("clang++ -ffp-model=fast a.cc", "fast-math", "on"),
        ("clang -ffast-math -ffp-model=precise a.c", "fast-math", "off"),
        ("clang -ffp-model=strict -ffast-math a.c", "fast-math", "on"),
        ("zig cc -ffp-model=fast a.c", "fast-math", "on"),
        ("icc a.c", "fast-math", "on"),
        ("icc -fp-model precise a.c", "fast-math", "off"),
        ("cl /fp:fast a.c", "fast-math", "on"),
        ("nvcc --use_fast_math a.cu", "fast-math", "on"),
        ("gcc -O2 -O a.c", "optimisation", "-O"),
        ("gcc a.c", "optimisation", "-O0"),
        ("cl /O2 a.c", "optimisation", "/O2"),
        ("rustc -C opt-level=3 a.rs", "optimisation", "3"),
        ("cargo build --release", "optimisation", "3"),
        ("zig build -Doptimize=ReleaseFast", "optimisation", "ReleaseFast"),
        ("gcc -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 a.c", "fortify", "2"),
        ("gcc -O2 -D_FORTIFY_SOURCE=2 -U_FORTIFY_SOURCE a.c", "fortify", "0"),
        ("gcc -O2 -Wp,-D_FORTIFY_SOURCE=2 -U_FORTIFY_SOURCE a.c", "fortify", "2"),
        ("gcc -O2 -D _FORTIFY_SOURCE a.c", "fortify", "1"),
        ("gcc -D_FORTIFY_SOURCE=2 -O0 a.c", "fortify", "0"),
        ("gcc -D_FORTIFY_SOURCE=2 a.c", "fortify", "0"),
        ("gcc -Og -D_FORTIFY_SOURCE=3 a.c", "fortify", "3"),
        ("cmake '-DCMAKE_C_FLAGS=-O2 -D_FORTIFY_SOURCE=2' .", "fortify", "2"),
        ("cmake -DCMAKE_OSX_DEPLOYMENT_TARGET:STRING=12.0 .", "deployment-target", "12.0"),
        ("cmake .", "deployment-target", "host"),
        ("clang -mmacosx-version-min=10.13 a.c", "deployment-target", "10.13"),
        # measured with clang 14 -###: the version in the triple wins, one of Darwin does not count
        ("clang -target arm64-apple-macos11 a.c", "deployment-target", "11"),
        ("clang --target=arm64-apple-macosx11.3 -mmacosx-version-min=12 a.c", "deployment-target", "11.3"),
        ("clang -target arm64-apple-macos -mmacosx-version-min=12 a.c", "deployment-target", "12"),
        ("clang -target x86_64-apple-darwin21 a.c", "deployment-target", "host"),
        ("swiftc -target x86_64-apple-macosx10.15 a.swift", "deployment-target", "10.15"),
    ],
)
def test_other_properties(line: str, name: str, expected: str) -> None:
    found = invocation(line).effective(name, LINUX)
    assert (shown(found.value) or found.default) == expected


def test_deployment_target_from_the_environment() -> None:
    env = {"MACOSX_DEPLOYMENT_TARGET": "11.0"}
    assert shown(invocation("cmake .", env).effective("deployment-target", "macos-arm64").value) == "11.0"
    given = invocation("cmake -DCMAKE_OSX_DEPLOYMENT_TARGET=12.0 .", env)
    assert shown(given.effective("deployment-target", "macos-arm64").value) == "12.0"


def test_position_independence_is_the_default_on_macos() -> None:
    assert invocation("clang -c a.c").effective("pic", "macos-arm64").default == "-fPIC"


@pytest.mark.parametrize(
    ("line", "env", "platform", "expected"),
    [
        ("gcc a.c", {}, "linux-x86_64", "linux-x86_64"),
        ("aarch64-linux-gnu-gcc-12 a.c", {}, "linux-x86_64", "linux-aarch64"),
        ("x86_64-w64-mingw32-gcc a.c", {}, "linux-x86_64", "windows-x86_64"),
        ("clang --target=aarch64-linux-gnu a.c", {}, "linux-x86_64", "linux-aarch64"),
        ("clang -target arm64-apple-macos11 a.c", {}, "macos-x86_64", "macos-arm64"),
        ("clang -arch x86_64 a.c", {}, "macos-arm64", "macos-x86_64"),
        ("gcc -m32 a.c", {}, "linux-x86_64", "linux-i686"),
        ("cargo build --target x86_64-pc-windows-msvc", {}, "linux-x86_64", "windows-x86_64"),
        ("cargo build", {"CARGO_BUILD_TARGET": "aarch64-apple-darwin"}, "linux-x86_64", "macos-arm64"),
        ("go build", {"GOOS": "darwin", "GOARCH": "arm64"}, "linux-x86_64", "macos-arm64"),
        ("go build", {"GOARCH": "ppc64le"}, "linux-x86_64", "linux-ppc64le"),
        ("zig build -Dtarget=aarch64-linux-musl", {}, "macos-arm64", "linux-aarch64"),
        ("docker build --platform linux/arm64/v8 .", {}, "linux-x86_64", "linux-aarch64"),
        ("docker build .", {"DOCKER_DEFAULT_PLATFORM": "linux/amd64"}, "macos-arm64", "linux-x86_64"),
        ("mojo build --target-triple aarch64-unknown-linux-gnu a.mojo", {}, "linux-x86_64", "linux-aarch64"),
        ("cmake -DCMAKE_OSX_ARCHITECTURES=x86_64 .", {}, "macos-arm64", "macos-x86_64"),
        ("cmake -A ARM64 .", {}, "windows-x86_64", "windows-arm64"),
        ("./configure --host=powerpc64le-linux-gnu", {}, "linux-x86_64", "linux-ppc64le"),
        ("cargo build --target {T}", {}, "linux-x86_64", "linux-x86_64"),
        ("make", {"GOARCH": "arm64"}, "linux-x86_64", "linux-x86_64"),
    ],
)
def test_builds_for(line: str, env: dict[str, str], platform: str, expected: str) -> None:
    assert invocation(line, env).builds_for(platform) == expected
