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
