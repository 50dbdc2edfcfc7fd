"""Properties of the compilers that do not stand beside the tests; those that do are in test_recorded_options.py."""

import pytest

from .support import LINUX, invocation, shown

CASES = [
    ("cl /GS- a.c", "stack-protector", "none"),
    ("cl a.c", "stack-protector", "basic"),
    ("cl /GL /GL- a.c", "lto", "off"),
    ("cl /GL a.c", "lto", "on"),
    ("cl /Zi a.c", "debug", "2"),
    ("cl /EHsc a.cpp", "exceptions", "on"),
    ("clang-cl -fsanitize=address a.c", "sanitize", "address"),
    ("icx -ipo a.c", "lto", "on"),
    ("icx -fstack-protector-strong a.c", "stack-protector", "strong"),
    ("icx -g3 a.c", "debug", "3"),
    ("icx -mtune=skylake -xHost a.c", "tune", "skylake"),
    ("nvcc -arch=native a.cu", "gpu", "native"),
    ("NVCC a.cu", "gpu", "None"),
    ("nvcc -gencode=x --gpu-architecture sm_75 a.cu", "gpu", "sm_75"),
    ("swiftc -O a.swift", "optimisation", "-O"),
    ("swiftc -O -Onone a.swift", "optimisation", "-Onone"),
    ("swiftc -sanitize=address a.swift", "sanitize", "address"),
    ("ldc2 -O3 -flto=thin a.d", "lto", "on"),
    ("ldc2 -O3 a.d", "optimisation", "-O3"),
    # measured, CMake 3.25 with gcc 12: the words that the compiler gets
    ("cmake -DCMAKE_BUILD_TYPE=Release .", "optimisation", "-O3"),
    ("cmake -DCMAKE_BUILD_TYPE:STRING=release .", "optimisation", "-O3"),
    ("cmake -DCMAKE_BUILD_TYPE=RelWithDebInfo .", "optimisation", "-O2"),
    ("cmake -DCMAKE_BUILD_TYPE=RelWithDebInfo .", "debug", "2"),
    ("cmake -DCMAKE_BUILD_TYPE=MinSizeRel .", "optimisation", "-Os"),
    ("cmake -DCMAKE_BUILD_TYPE=Debug .", "optimisation", "none"),
    ("cmake -DCMAKE_BUILD_TYPE= .", "optimisation", "none"),
    ("cmake -DCMAKE_BUILD_TYPE=Debug -DCMAKE_BUILD_TYPE=Release .", "optimisation", "-O3"),
    ("cmake -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-O0 .", "optimisation", "-O3"),
    ("cmake -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 .", "optimisation", "-O1"),
    ("cmake -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_RELEASE=-O3 .", "optimisation", "none"),
    ("cmake -DCMAKE_C_FLAGS_INIT=-O1 -DCMAKE_BUILD_TYPE=Release .", "optimisation", "-O3"),
    ("cmake -DCMAKE_C_FLAGS_INIT=-O1 -DCMAKE_C_FLAGS=-O2 .", "optimisation", "-O2"),
    ("cmake -DCMAKE_C_FLAGS_RELEASE_INIT=-O1 -DCMAKE_BUILD_TYPE=Release .", "optimisation", "-O3"),
    ("cmake -G Xcode -DCMAKE_BUILD_TYPE=Release .", "optimisation", "none"),
    ("fpc -O2 -CpCOREAVX2 a.pas", "cpu", "haswell"),
    ("fpc -O2 -OpCOREAVX2 a.pas", "cpu", "generic"),
    ("fpc -O2 -OpCOREAVX2 a.pas", "optimisation", "-O2"),
    ("fpc -Cg a.pas", "pic", "-fPIC"),
    ("b2 cxxflags=-march=haswell install", "cpu", "haswell"),
    ("b2 instruction-set=native", "cpu", "native"),
    ("bazel build --per_file_copt=//x/.*,-y@-O3,-march=native //:a", "cpu", "native"),
    ("cmake -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON .", "lto", "on"),
    ("cmake -DCMAKE_C_FLAGS=-flto .", "lto", "on"),
    ("cmake -DCMAKE_SYSROOT=/x .", "sysroot", "/x"),
    ("cmake -DCMAKE_CXX_FLAGS=-fno-exceptions .", "exceptions", "off"),
    ("meson setup b -Db_lto=true", "lto", "on"),
    ("meson setup b -Db_sanitize=address", "sanitize", "address"),
    ("cargo build", "debug", "2"),
    ("cargo build --release", "debug", "0"),
    ("rustc -C lto=thin a.rs", "lto", "on"),
    ("rustc -C lto a.rs", "lto", "on"),
    ("rustc --remap-path-prefix=a=b --remap-path-prefix c=d a.rs", "prefix-map", "a=b,c=d"),
    ("zig build-exe -flto a.zig", "lto", "on"),
    ("gcc -ffile-prefix-map=a=b -fdebug-prefix-map=c=d a.c", "prefix-map", "a=b,c=d"),
    ("gcc -fsanitize=address,undefined -fno-sanitize=address a.c", "sanitize", "undefined"),
    ("gcc -g3 -g a.c", "debug", "3"),
    ("gcc -g1 -g a.c", "debug", "2"),
    ("gcc -mcmodel=medium a.c", "code-model", "medium"),
    ("g++ a.cc", "exceptions", "on"),
    ("gcc -march=haswell a.c", "tune", "haswell"),
]


@pytest.mark.parametrize(
    ("line", "env", "platform", "wanted"),
    [
        ("cmake .", {"CMAKE_BUILD_TYPE": "Release"}, LINUX, ["-O3"]),
        ("cmake -DCMAKE_BUILD_TYPE=Debug .", {"CMAKE_BUILD_TYPE": "Release"}, LINUX, ["none"]),
        ("cmake -DCMAKE_BUILD_TYPE=Debug .", {"CFLAGS": "-O2"}, LINUX, ["-O2"]),
        ("cmake -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 .", {"CFLAGS": "-g"}, LINUX, ["-O3", "-O1"]),
        ("cmake -G Ninja -DCMAKE_BUILD_TYPE=Release .", {}, "windows-x86_64", ["/O2"]),
        ("cmake -DCMAKE_BUILD_TYPE=Release .", {}, "windows-x86_64", ["none"]),
    ],
)
def test_what_a_build_type_implies(line: str, env: dict[str, str], platform: str, wanted: list[str]) -> None:
    found = invocation(line, env, platform=platform).effectives("optimisation", platform)
    assert [str(shown(one.value) or one.default) for one in found] == wanted


def test_a_build_type_that_is_not_known_hides_its_level_alone() -> None:
    found = invocation("cmake -DCMAKE_BUILD_TYPE={X} .")
    assert shown(found.effective("optimisation", LINUX).value) == "-O$X"
    assert found.effective("cpu", LINUX).missing is None


@pytest.mark.parametrize(("line", "name", "wanted"), CASES)
def test_properties(line: str, name: str, wanted: str) -> None:
    found = invocation(line).effective(name, LINUX)
    assert str(shown(found.value) or found.default) == wanted


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("gcc $X a.c", "lto"),
        ("gcc {X} a.c", "sanitize"),
        ("gcc -fsanitize=a {X} a.c", "sanitize"),
        ("gcc {X} a.c", "debug"),
    ],
)
def test_a_hole_may_hold_them(line: str, name: str) -> None:
    assert (invocation(line).effective(name, LINUX).missing is not None) == ("{X}" in line)


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("gcc -march=haswell -mno-avx2 a.c", ("-avx2",)),
        ("gcc -mavx2 -mno-avx -mfma a.c", ("+avx2", "-avx", "+fma")),
        ("rustc -C target-feature=+avx2,-fma a.rs", ("+avx2", "-fma")),
    ],
)
def test_features_that_are_taken_away_count_in_their_order(line: str, changes: tuple[str, ...]) -> None:
    assert invocation(line).effective("cpu", LINUX).changes == changes
