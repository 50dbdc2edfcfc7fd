"""vcpkg's portfile.cmake: https://learn.microsoft.com/vcpkg/maintainers/functions/"""

import pytest

from flagguard.command import Reading
from flagguard.hosts import Setting, cmake
from flagguard.text import SourceText

from .support import Memory, shown

PORT = "ports/foo/portfile.cmake"


def read(text: str, *platforms: str, path: str = PORT) -> Reading:
    return cmake.read(SourceText(path, text), Setting(Memory({path: text}), platforms or ("linux-x86_64",)))


def commands(text: str, *platforms: str) -> list[str]:
    return [" ".join(words) for script in read(text, *platforms).scripts if isinstance(words := shown(script), list)]


FROM = "vcpkg_from_github(OUT_SOURCE_PATH SRC REPO a/b)\n"
RUNS = [
    (
        FROM + "set(X -DA=1 -DB=2)\nvcpkg_cmake_configure(SOURCE_PATH ${SRC} OPTIONS ${X} -DC=3)",
        ["cmake -G Ninja ${SRC} -DA=1 -DB=2 -DC=3"],
    ),
    (
        "vcpkg_configure_cmake(SOURCE_PATH s PREFER_NINJA OPTIONS -DA=1 OPTIONS_RELEASE -DR=1 OPTIONS_DEBUG -DD=1)",
        ["cmake -G Ninja s -DA=1 -DR=1", "cmake -G Ninja s -DA=1 -DD=1"],
    ),
    (
        "vcpkg_check_features(OUT_FEATURE_OPTIONS F FEATURES x X)\nvcpkg_cmake_configure(SOURCE_PATH s OPTIONS ${F})",
        ["cmake -G Ninja s ${F}"],
    ),
    ("vcpkg_configure_meson(SOURCE_PATH s OPTIONS -Da=b)", ["meson setup -Da=b s"]),
    ("vcpkg_configure_make(SOURCE_PATH s AUTOCONFIG OPTIONS --x)", ["s/configure --x"]),
    ("vcpkg_make_configure(SOURCE_PATH s OPTIONS --x)\nvcpkg_make_install()", ["s/configure --x", "make install"]),
    ("vcpkg_execute_required_process(COMMAND make -j4 CFLAGS=-O3 WORKING_DIRECTORY x)", ["make -j4 CFLAGS=-O3"]),
    ("vcpkg_cmake_install()", ["cmake --build . --target install"]),
]


@pytest.mark.parametrize(("text", "expected"), RUNS)
def test_what_runs(text: str, expected: list[str]) -> None:
    assert commands(text) == expected


def test_the_platform_decides() -> None:
    text = (
        'if(VCPKG_TARGET_IS_WINDOWS)\nset(O -DW=1)\nelseif(VCPKG_TARGET_ARCHITECTURE STREQUAL "arm64")\n'
        "set(O -DARM=1)\nendif()\nvcpkg_cmake_configure(SOURCE_PATH s OPTIONS ${O})"
    )
    assert commands(text, "windows-x86_64") == ["cmake -G Ninja s -DW=1"]
    assert commands(text, "linux-aarch64") == ["cmake -G Ninja s -DARM=1"]
    assert commands(text, "linux-x86_64") == ["cmake -G Ninja s ${O}"]  # a triplet may set it


def test_what_vcpkg_decides_is_a_hole() -> None:
    text = (
        'if(VCPKG_LIBRARY_LINKAGE STREQUAL "static")\nset(O -DS=1)\nendif()\nvcpkg_cmake_configure(OPTIONS ${O} -DA=1)'
    )
    assert commands(text) == ["cmake -G Ninja ${O} -DA=1"]


def test_the_flags_of_a_triplet() -> None:
    found = read('set(VCPKG_CXX_FLAGS "-march=native -g")', path="triplets/x64-linux.cmake").calls
    assert [[w.text for w in call.argv] for call in found] == [["cmake:set", "VCPKG_CXX_FLAGS", "-march=native", "-g"]]


def test_where_it_stands() -> None:
    text = "vcpkg_cmake_configure(\n  SOURCE_PATH s\n  OPTIONS -DA=1)"
    (script,) = read(text).scripts
    assert [text[w.pieces[0].route[0].start :][:5] for w in script.argv[:1]] == ["vcpkg"]
    assert [text[w.pieces[0].route[0].start :][:4] for w in script.argv[-1:]] == ["-DA="]
