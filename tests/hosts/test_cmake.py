# ruff: noqa: E501  (a case is a line)
"""CMake's files in a tree: which commands they come to, under which assumptions, and how calls of cmake reach them."""

from pathlib import Path

import pytest

from flagguard.command import Command
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.hosts import by_path
from flagguard.text import Problem

HEAD = "cmake_minimum_required(VERSION 3.21)\nproject(x C CXX)\n"
CONFIG = Config(baseline={"linux-x86_64": "x86-64-v2", "macos-arm64": "apple-m1", "windows-x86_64": "x86-64-v2"})


def tree(root: Path, files: "dict[str, str]") -> "tuple[list[Command], list[Problem]]":
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = collect(Tree(root), CONFIG, strict=True)
    return [c for f in found for c in f.commands], [p for f in found for p in f.problems]


def shown(commands: "list[Command]", *, asked: bool = False) -> "list[tuple[str, ...]]":
    """On Linux, what runs without being asked for, or (`asked`) the rest."""
    return [tuple(c.shown) for c in commands if c.opt_in is asked and "linux-x86_64" in c.platforms]


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        ("CMakeLists.txt", True),
        ("a/CMakeLists.txt", True),
        ("cmake/flags.cmake", True),
        ("CMakePresets.json", True),
        ("a/CMakeUserPresets.json", True),
        ("CMakeLists.txt.in", False),
        ("build/cmake_install.cmake", False),
        ("CTestTestfile.cmake", False),
        ("presets.json", False),
    ],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert any(host.NAME == "cmake" for host in by_path.claiming(path)) is claimed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add_compile_options(-O2 -g)", [("cmake:add_compile_options", "-O2", "-g")]),
        ('add_compile_options("SHELL:-arch x86_64")', [("cmake:add_compile_options", "-arch", "x86_64")]),
        ("add_link_options(LINKER:-z,now)", [("cmake:add_link_options", "-Wl,-z,now")]),
        ("add_definitions(-DA -march=native)", [("cmake:add_definitions", "-DA", "-march=native")]),
        ("target_compile_options(t PRIVATE -O2 PUBLIC -g)",
         [("cmake:target_compile_options", "t", "PRIVATE", "-O2", "PUBLIC", "-g")]),
        ("target_compile_options(t PRIVATE)", [("cmake:target_compile_options", "t", "PRIVATE")]),
        ("add_compile_options()", [("cmake:add_compile_options",)]),
        ('set(CMAKE_C_FLAGS "${CMAKE_C_FLAGS} -O2 -DX=\\"a b\\"")', [("cmake:set", "CMAKE_C_FLAGS", "-O2", "-DX=a b")]),
        ("set(CMAKE_CXX_FLAGS_RELEASE -O3)", [("cmake:set", "CMAKE_CXX_FLAGS_RELEASE", "-O3")]),
        ('string(APPEND CMAKE_C_FLAGS " -g")', [("cmake:string", "CMAKE_C_FLAGS", "-g")]),
        ('list(APPEND CMAKE_C_FLAGS "-g")', [("cmake:list", "CMAKE_C_FLAGS", "-g")]),
        ('string(REGEX REPLACE " *-march=native" "" CMAKE_C_FLAGS "${CMAKE_C_FLAGS}")', []),
        ("set(CMAKE_POSITION_INDEPENDENT_CODE ON)", [("cmake:set", "CMAKE_POSITION_INDEPENDENT_CODE=ON")]),
        ("set(CMAKE_OSX_DEPLOYMENT_TARGET 11.0 CACHE STRING d)", [("cmake:set", "CMAKE_OSX_DEPLOYMENT_TARGET=11.0")]),
        ("set(ENV{CFLAGS} -O2)", [("cmake:set", "ENV{CFLAGS}", "-O2")]),
        ('set(OTHER "-march=native")', []),
        ('set_target_properties(t PROPERTIES COMPILE_FLAGS "-O2 -g" CXX_STANDARD 17 FOLDER f)',
         [("cmake:set_target_properties", "t", "PROPERTIES", "COMPILE_FLAGS", "-O2", "-g", "CXX_STANDARD=17", "FOLDER=f")]),
        ("set_property(TARGET t PROPERTY POSITION_INDEPENDENT_CODE ON)",
         [("cmake:set_property", "TARGET", "t", "PROPERTY", "POSITION_INDEPENDENT_CODE=ON")]),
        ("set_property(TARGET t APPEND PROPERTY COMPILE_OPTIONS -a -b)",
         [("cmake:set_property", "TARGET", "t", "APPEND", "PROPERTY", "COMPILE_OPTIONS", "-a", "-b")]),
        ("add_custom_target(t COMMAND gcc -c a.c && ld a.o > log VERBATIM)", [("gcc", "-c", "a.c"), ("ld", "a.o")]),
        ("add_custom_target(t ALL gcc -c a.c DEPENDS b)", [("gcc", "-c", "a.c")]),
        ('add_custom_command(OUTPUT o COMMAND gcc "a b" "" ARGS -c COMMENT "gcc x")', [("gcc", "a b", "", "-c")]),
        ("add_custom_command(OUTPUT o COMMAND ${CMAKE_COMMAND} -E env A=1 gcc -c)", [("gcc", "-c")]),
        ("add_executable(tool t.c)\nset_target_properties(tool PROPERTIES OUTPUT_NAME ponyc)\n"
         "add_custom_target(t COMMAND tool -x COMMAND $<TARGET_FILE:tool> -y)", [("ponyc", "-x"), ("ponyc", "-y")]),
        ("find_program(MOJO mojo REQUIRED)\nadd_custom_target(t COMMAND ${MOJO} build a.mojo)", [("mojo", "build", "a.mojo")]),
        ("find_program(MOJO NAMES mojo)\nexecute_process(COMMAND ${MOJO} build a COMMAND cat)", [("mojo", "build", "a"), ("cat",)]),
        ("set(C COMMAND gcc -a COMMAND gcc -b)\nadd_custom_target(t ${C})", [("gcc", "-a"), ("gcc", "-b")]),
        ("include(ExternalProject)\nExternalProject_Add(e URL u CMAKE_ARGS -DA=1 -DB=2)", [("cmake", "-DA=1", "-DB=2")]),
        ("ExternalProject_Add(e URL u CONFIGURE_COMMAND ./configure --x BUILD_COMMAND make -j2)",
         [("./configure", "--x"), ("make", "-j2")]),
        ("check_c_compiler_flag(-march=native HAVE)", []),
        ('message("-march=native")\n# add_compile_options(-march=native)\n#[[ add_compile_options(-g) ]]', []),
        ("function(f t)\ntarget_compile_options(${t} PRIVATE ${ARGN})\nendfunction()\nf(a -O2 -g)",
         [("cmake:target_compile_options", "a", "PRIVATE", "-O2", "-g")]),
        ("if(WIN32)\nadd_compile_options(/O2)\nelse()\nadd_compile_options(-O2)\nendif()",
         [("cmake:add_compile_options", "-O2")]),
        ("option(A d ON)\nif(A)\nadd_compile_options(-a)\nelse()\nadd_compile_options(-b)\nendif()",
         [("cmake:add_compile_options", "-a")]),
        ("set(A OFF)\nif(A)\nadd_compile_options(-a)\nendif()", []),
        ("foreach(f -a -b)\nadd_compile_options(${f})\nendforeach()",
         [("cmake:add_compile_options", "-a"), ("cmake:add_compile_options", "-b")]),
        ("if(X)\nmessage(FATAL_ERROR no)\nendif()\nadd_compile_options(-a)", [("cmake:add_compile_options", "-a")]),
        ("return()\nadd_compile_options(-a)", []),
    ],
)  # fmt: skip
def test_commands_of_a_project(text: str, expected: "list[tuple[str, ...]]", tmp_path: Path) -> None:
    commands, problems = tree(tmp_path, {"CMakeLists.txt": HEAD + text + "\n"})
    assert sorted(shown(commands)) == sorted(expected)
    assert problems == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("option(A d OFF)\nif(A)\nadd_compile_options(-a)\nendif()", [("-a", ("A",))]),
        ("option(A d ON)\nif(A)\nelse()\nadd_compile_options(-a)\nendif()", [("-a", ("not (A)",))]),
        ("if(NEVER)\nadd_compile_options(-a)\nendif()", [("-a", ("NEVER",))]),
        ('set(M gcc CACHE STRING d)\nif(M STREQUAL "x")\nadd_compile_options(-m${M})\nendif()',
         [("-mx", ('M STREQUAL "x"',))]),
        ("option(A d OFF)\nset(F OFF)\nif(A)\nset(F ON)\nendif()\nif(F)\nadd_compile_options(-a)\nendif()", [("-a", ("F",))]),
    ],
)  # fmt: skip
def test_what_only_an_option_brings_is_opt_in(text: str, expected: object, tmp_path: Path) -> None:
    commands, _ = tree(tmp_path, {"CMakeLists.txt": HEAD + text + "\n"})
    assert [(c.shown[1], c.when) for c in commands if c.opt_in] == expected
    assert shown(commands) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")\nadd_compile_options(-a)\nelse()\nadd_compile_options(-b)\nendif()',
         [("-a", ('CMAKE_CXX_COMPILER_ID STREQUAL "GNU"',)), ("-b", ('not (CMAKE_CXX_COMPILER_ID STREQUAL "GNU")',))]),
        ("check_c_compiler_flag(-a HAVE)\nif(HAVE)\nadd_compile_options(-a)\nendif()", [("-a", ("HAVE",))]),
        ("if(NOT DEFINED ENV{CI})\nadd_compile_options(-a)\nendif()", [("-a", ("NOT DEFINED ENV{CI}",))]),
        ("add_compile_options($<$<CONFIG:Debug>:-g>)",
         [("-g", ("the configuration is Debug",)), ("", ("the configuration is another one",))]),
        ("set(CMAKE_BUILD_TYPE Release)\nadd_compile_options($<$<CONFIG:Debug>:-g> -x)", [("CMAKE_BUILD_TYPE=Release", ()), ("-x", ())]),
        ("add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-a;-b>)", None),
    ],
)  # fmt: skip
def test_what_nobody_decides_is_a_world_each(text: str, expected: object, tmp_path: Path) -> None:
    commands, _ = tree(tmp_path, {"CMakeLists.txt": HEAD + text + "\n"})
    here = [c for c in commands if not c.opt_in and "linux-x86_64" in c.platforms]
    if expected is None:
        assert {tuple(c.shown[1:]) for c in here} == {("-a", "-b"), ()}
    else:
        assert sorted((" ".join(c.shown[1:]), c.when) for c in here) == sorted(expected)  # type: ignore[call-overload]


def test_a_value_that_differs_between_ways_is_a_choice(tmp_path: Path) -> None:
    text = (
        "if(CMAKE_C_COMPILER_ID MATCHES Clang)\nset(F -a)\nelse()\nset(F -b)\nendif()\nadd_compile_options(-x ${F})\n"
    )
    commands, _ = tree(tmp_path, {"CMakeLists.txt": HEAD + text})
    [command] = commands
    [hole] = [hole for word in command.argv for hole in word.holes]
    assert [one.text for one in hole.among] == ["-a", "-b"]


NATIVE = HEAD + "option(NATIVE d ON)\nif(NATIVE)\nadd_compile_options(-march=native)\nendif()\n"


@pytest.mark.parametrize(
    ("call", "native"),
    [
        ("cmake -S . -B build", True),
        ("cmake .", True),
        ("mkdir build && cd build && cmake ..", True),
        ("cmake -B build -DNATIVE=OFF", False),
        ("cmake -B build -D NATIVE:BOOL=off", False),
        ("cmake -B build -DNATIVE=OFF -DNATIVE=ON", True),
        ("cmake -B build -DNATIVE=OFF -UNATIVE", True),
        ("cmake -B build --toolchain t.cmake", False),
        ("cmake -B build -DCMAKE_TOOLCHAIN_FILE=t.cmake", False),
        ("cmake -C t.cmake -B build", False),
        ("cmake --preset portable", False),
        ("cmake --preset portable -DNATIVE=ON", True),
        ("cmake --build build", True),
    ],
)
def test_a_call_decides_the_options(call: str, native: bool, tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": NATIVE,
        "ci.sh": f"#!/bin/sh\n{call}\n",
        "t.cmake": "set(NATIVE OFF CACHE BOOL d)\n",
        "CMakePresets.json": '{"version": 3, "configurePresets": [{"name": "portable", "cacheVariables": {"NATIVE": false}}]}',
    }
    commands, problems = tree(tmp_path, files)
    found = [c for c in commands if c.shown[0] == "cmake:add_compile_options" and not c.opt_in]
    assert bool(found) is native
    assert problems == []
    if "--build" not in call:
        assert all(len(c.via) == 1 and c.via[0].path == "ci.sh" for c in found)


@pytest.mark.parametrize(("call", "asked"), [("cmake -B out", 0), ("cmake -B out $MORE", 1)])
def test_what_a_call_does_not_ask_for_is_none_of_its_commands(call: str, asked: int, tmp_path: Path) -> None:
    text = HEAD + "option(A d OFF)\nif(A)\nadd_compile_options(-a)\nendif()\n"
    commands, _ = tree(tmp_path, {"CMakeLists.txt": text, "ci.sh": f"#!/bin/sh\nMORE=$1\n{call}\n"})
    assert sum(c.opt_in and bool(c.via) for c in commands) == asked
    assert sum(c.opt_in and not c.via for c in commands) == 1


PRESETS = """{
  "version": 6,
  "configurePresets": [
    {"name": "base", "hidden": true, "cacheVariables": {"A": "1", "B": {"type": "STRING", "value": "x ${presetName}"}}},
    {"name": "one", "inherits": "base", "environment": {"CFLAGS": "-O2 $penv{MORE}"}, "cacheVariables": {"A": null, "C": true}},
    {"name": "two", "inherits": ["one", "base"], "condition": {"type": "equals", "lhs": "${hostSystemName}", "rhs": "Darwin"}},
    {"name": "three", "inherits": "base", "toolchainFile": "${sourceDir}/t.cmake", "binaryDir": "out"},
    {"name": "four", "inherits": "three", "binaryDir": "in"}
  ],
  "workflowPresets": [{"name": "w", "steps": [{"type": "configure", "name": "one"}, {"type": "build", "name": "b"}]}]
}
"""


@pytest.mark.parametrize(
    ("call", "brought"),
    [
        ("cmake --preset one", ["-DC=TRUE", "-DB:STRING=x one"]),
        ("cmake --preset=one -DA=2", ["-DC=TRUE", "-DB:STRING=x one"]),
        ("cmake --workflow --preset w", ["-DC=TRUE", "-DB:STRING=x one"]),
        ("cmake --preset two", []),
        ("cmake --preset three", ["-Bout", "--toolchain=${sourceDir}/t.cmake", "-DA=1", "-DB:STRING=x three"]),
        ("cmake --preset four", ["-Bin", "--toolchain=${sourceDir}/t.cmake", "-DA=1", "-DB:STRING=x four"]),
        ("cmake --preset none", []),
        ("cmake --build --preset one", []),
    ],
)
def test_presets_add_words_and_environment(call: str, brought: "list[str]", tmp_path: Path) -> None:
    commands, _ = tree(tmp_path, {"CMakePresets.json": PRESETS, "ci.sh": f"#!/bin/sh\nMORE=-g {call}\n"})
    [command] = [c for c in commands if c.shown[0] == "cmake" and "linux-x86_64" in c.platforms]
    assert [w.shown for w in command.brought] == brought
    assert not any(word.startswith("-DB") for word in command.shown)
    if "-DC=TRUE" in brought:
        assert command.env["CFLAGS"].text == "-O2 -g"


TARGETS = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.21)
if(APPLE AND NOT PLAIN)
  set(CMAKE_OSX_DEPLOYMENT_TARGET "11.0" CACHE STRING "")
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
  set(CMAKE_OSX_DEPLOYMENT_TARGET "99.0")
endif()
project(x C)
set(CMAKE_OSX_DEPLOYMENT_TARGET "98.0")
""",
    "old.cmake": 'set(CMAKE_OSX_DEPLOYMENT_TARGET "10.15" CACHE STRING "")\n',
    "CMakePresets.json": """{"version": 6, "configurePresets": [{"name": "old", "toolchainFile": "old.cmake"}],
      "workflowPresets": [{"name": "w", "steps": [{"type": "configure", "name": "old"}]}]}""",
}


@pytest.mark.parametrize(
    ("call", "target"),
    [
        ("cmake -B b", "11.0"),
        ("cmake -B b -DPLAIN=ON", None),
        ("cmake -B b -DPLAIN=ON --toolchain old.cmake", "10.15"),
        ("cmake -B b -DPLAIN=ON -DCMAKE_TOOLCHAIN_FILE=old.cmake", "10.15"),
        ("cmake --preset old", "10.15"),
        ("cmake --workflow --preset w", "10.15"),
        ("cmake -S nowhere -B b --toolchain ../old.cmake", "10.15"),
        ("cmake -B b -DCMAKE_OSX_DEPLOYMENT_TARGET=12.0", None),
        ("cmake --build b", None),
    ],
)
def test_what_the_files_set_before_the_project_is_brought_on_macos(
    call: str, target: "str | None", tmp_path: Path
) -> None:
    commands, _ = tree(tmp_path, {**TARGETS, "ci.sh": f"#!/bin/sh\n{call}\n"})
    said = {
        platform: [w.text.rpartition("=")[2] for w in c.brought if "DEPLOYMENT_TARGET" in w.text]
        for c in commands
        if c.span.path == "ci.sh"
        for platform in c.platforms
    }
    assert said == {"linux-x86_64": [], "windows-x86_64": [], "macos-arm64": [target] if target else []}


FLAGS = {
    "CMakeLists.txt": HEAD,
    "t.cmake": """if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "arm64")
  set(CMAKE_C_FLAGS_INIT "-O1")
else()
  set(CMAKE_C_FLAGS_INIT "-march=x86-64-v3")
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O1" CACHE STRING "")
set(CMAKE_C_COMPILER gcc)
""",
    "CMakePresets.json": """{"version": 6, "configurePresets": [{"name": "t", "toolchainFile": "t.cmake"}]}""",
}
CXX = "-DCMAKE_CXX_FLAGS_RELEASE=-O1"


@pytest.mark.parametrize(
    ("call", "linux", "macos"),
    [
        ("cmake -B b", [], []),
        (
            "cmake -B b --toolchain t.cmake",
            [CXX, "-DCMAKE_C_FLAGS_INIT=-march=x86-64-v3"],
            [CXX, "-DCMAKE_C_FLAGS_INIT=-O1"],
        ),
        ("cmake -B b --toolchain t.cmake -DCMAKE_C_FLAGS_INIT=-g -DCMAKE_CXX_FLAGS_RELEASE=-O2", [], []),
        ("CMAKE_TOOLCHAIN_FILE=t.cmake cmake -B b -DCMAKE_C_FLAGS_INIT=-g", [CXX], [CXX]),
        ("cmake --preset t -DCMAKE_C_FLAGS_INIT=-g", [CXX], [CXX]),
        ("cmake -B b --toolchain none.cmake", [], []),
        ("cmake --build b --toolchain t.cmake", [], []),
    ],
)
def test_the_flags_of_a_toolchain_file_are_brought(
    call: str, linux: "list[str]", macos: "list[str]", tmp_path: Path
) -> None:
    commands, _ = tree(tmp_path, {**FLAGS, "ci.sh": f"#!/bin/sh\n{call}\n"})
    said = {
        platform: [w.text for w in c.brought if "_FLAGS" in w.text]
        for c in commands
        if c.span.path == "ci.sh"
        for platform in c.platforms
    }
    assert (said["linux-x86_64"], said["macos-arm64"]) == (linux, macos)


def test_a_preset_whose_name_is_not_known_may_bring_anything(tmp_path: Path) -> None:
    files = {"CMakePresets.json": PRESETS, "ci.sh": "#!/bin/sh\ncmake --preset mac-$1\ncmake --build --preset $1\n"}
    brought = {c.shown[1]: c.brought for c in tree(tmp_path, files)[0] if c.span.path == "ci.sh"}
    assert [w.several for w in brought["--preset"]] == [True]
    assert brought["--build"] == ()


def test_a_preset_that_nobody_calls_is_a_command_itself(tmp_path: Path) -> None:
    commands, _ = tree(tmp_path, {"CMakePresets.json": PRESETS, "ci.sh": "#!/bin/sh\ncmake --preset one\n"})
    own = {c.shown[0]: c for c in commands if c.shown[0].startswith("cmake-preset:")}
    assert set(own) == {"cmake-preset:two", "cmake-preset:three", "cmake-preset:four"}
    assert own["cmake-preset:two"].platforms == ("macos-arm64",)


def test_what_a_folder_comes_to_is_listed_once(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": HEAD + "set(F -O2)\nadd_subdirectory(a)\ninclude(m.cmake)\nadd_mine(t)\n",
        "a/CMakeLists.txt": "add_compile_options(${F})\n",
        "m.cmake": "function(add_mine t)\ntarget_compile_options(${t} PRIVATE -g)\nendfunction()\n",
    }
    commands, _ = tree(tmp_path, files)
    assert shown(commands) == [
        ("cmake:add_compile_options", "-O2"),
        ("cmake:target_compile_options", "t", "PRIVATE", "-g"),
    ]
    assert [c.span.path for c in commands] == ["a/CMakeLists.txt", "m.cmake"]


def test_a_function_that_nobody_calls_is_not_lost(tmp_path: Path) -> None:
    text = "function(f t)\ntarget_compile_options(${t} PRIVATE -march=native)\nendfunction()\n"
    commands, _ = tree(tmp_path, {"m.cmake": text})
    assert shown(commands) == [("cmake:target_compile_options", "${t}", "PRIVATE", "-march=native")]


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [("CMakeLists.txt", HEAD + 'message("x\n', 3), ("CMakePresets.json", '{"version": 3,\n  oops }\n', 2)],
)
def test_a_broken_file_is_one_message(path: str, text: str, line: int, tmp_path: Path) -> None:
    commands, problems = tree(tmp_path, {path: text})
    assert commands == []
    assert [(p.path, p.line) for p in problems] == [(path, line)]


@pytest.mark.parametrize(
    "text",
    [
        'cmake_dependent_option(D d ON "A[[" OFF)',
        "foreach(a b IN ZIP_LISTS L)\nendforeach()\nset(L x)\nforeach(a b IN ZIP_LISTS L)\nendforeach()",
        'if("a" MATCHES "[a--z]")\nendif()',
        "if(" + "(" * 2000 + ")" * 2000 + ")\nendif()",
        "add_compile_options(" + "$<1:" * 500 + "x" + ">" * 500 + ")",
        "add_compile_options(" + "${" * 500 + "x" + "}" * 500 + ")",
        "function(f n)\nif(n)\nf(1)\nendif()\nendfunction()\nf(1)",
    ],
)
def test_odd_files_are_read_to_their_end(text: str, tmp_path: Path) -> None:
    commands, problems = tree(tmp_path, {"CMakeLists.txt": HEAD + text + "\nadd_definitions(-DEND)\n"})
    assert ("cmake:add_definitions", "-DEND") in shown(commands)
    assert problems == []


def test_what_grows_without_end_ends(tmp_path: Path) -> None:
    text = "function(f)\nf()\nf()\nendfunction()\nf()\nwhile(1)\nset(A a${A})\nendwhile()\ninclude(CMakeLists.txt)\n"
    commands, problems = tree(tmp_path, {"CMakeLists.txt": HEAD + text})
    assert commands == []
    assert len(problems) <= 1
