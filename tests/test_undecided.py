"""Words that nobody can know: judged by the texts that they may be, and a finding only where the repository decides."""

import datetime
from pathlib import Path

import pytest

from flagguard.checking import check
from flagguard.config import default, load
from flagguard.discover import Tree
from flagguard.findings import Finding
from flagguard.text import SourceText

TODAY = datetime.date(2026, 1, 1)


def found(folder: Path, files: dict[str, str], config: str = "") -> list[tuple[str, str]]:
    return [(f.verdict.value, f.message) for f in findings(folder, files, config)]


def findings(folder: Path, files: dict[str, str], config: str = "") -> tuple[Finding, ...]:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    rules = load(SourceText("flagguard.toml", config), TODAY).config if config else default(TODAY)
    return check(Tree(folder), rules, strict=True).report.findings


LOCAL = "CPU_a = {}\nCPU_b = -O3\nARCH := $(shell ./guess)\nall: a.c\n\tgcc $(CPU_$(ARCH)) -c a.c\n"
BRANCHES = '@echo off\nif "%1"=="x" (set F={}) else (set F=-DB)\ngcc %F% -c a.c\n'
MANY = "".join(f'[ -n "$A{n}" ] && W{n}=x\n' for n in range(8))
SCRIPT = '#!/bin/sh\nV="-O2"\n[ -n "$N" ] && V="$V {}"\n' + MANY + 'gcc $V -c a.c -o "$W0$W1$W2$W3$W4$W5$W6$W7.o"\n'
SETUP = "import pybind11\nfrom setuptools import Extension\nExtension('a', ['a.c'], {}=[pybind11.get()])\n"
CMAKE = "cmake_minimum_required(VERSION 3.20)\nproject(a C)\nfile(READ names.txt N)\n{}\n"
CARGO = {"a.sh": 'cd "$1"\ncargo build\n'}

HARMLESS: dict[str, dict[str, str]] = {
    "a computed name of make": {"Makefile": LOCAL.format("-march=x86-64-v2 -msse4.2")},
    "branches of a batch file": {"a.bat": BRANCHES.format("-DA")},
    "many ways of a script": {"a.sh": SCRIPT.format("-DY")},
    "a folder of headers": {"setup.py": SETUP.format("include_dirs")},
    "a compiler that is asked": {"Makefile": "OK := $(shell gcc -march=native -x c - -o /dev/null)\nall:\n"},
    "a target's name": {"CMakeLists.txt": CMAKE.format("target_compile_options(x_${N} PRIVATE -O2)")},
    "a file that is sourced from elsewhere": {"a.sh": ". /opt/x/env.sh\ngcc $MORE -c a.c\n"},
    "a target whose name hangs on a condition": {
        "CMakeLists.txt": CMAKE.format(
            "if(EXISTS /x)\nset(T a)\nelse()\nset(T ${N})\nendif()\ntarget_compile_options(${T} PRIVATE -O2)"
        )
    },
    "a file that is found": {"a.sh": "gcc -c $(find . -name '*.c' | sort | head -n 1)\n"},
    "options before a program": {"a.sh": 'for f in $X; do opt="$opt $f"; done\n$opt make $(cat x)\n'},
    "a subcommand of some program": {"a.sh": 'export CC="$(cat x)"\n"$1" build\n'},
    "some program with some option": {"a.sh": 'X="$(cat x)"\n"$1" install $X\n'},
    "flags of cargo that speak of something else": {
        **CARGO,
        ".cargo/config.toml": "[build]\nrustflags = ['--cfg', 'x']\n",
    },
    "a build that is only run": {"Makefile": "all:\n\tcmake --build llama.cpp\n\tcmake -E touch llama.cpp\n"},
    "another flag of -m": {
        "Makefile": "ifdef X\nF = -mfpu=neon\nelse\nF = -mabi=sysv\nendif\nall:\n\tgcc $(F) -c a.c\n"
    },
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_known_of_a_word_is_enough(name: str, tmp_path: Path) -> None:
    assert found(tmp_path, HARMLESS[name]) == []


TUNED: dict[str, tuple[dict[str, str], str]] = {
    "a computed name of make": ({"Makefile": LOCAL.format("-march=native")}, "forbidden"),
    "branches of a batch file": ({"a.bat": BRANCHES.format("-march=native")}, "forbidden"),
    "one way of many of a script": ({"a.sh": SCRIPT.format("-march=native")}, "forbidden"),
    "flags in a list that is not read": ({"setup.py": SETUP.format("extra_compile_args")}, "unresolved"),
    "a compiler that compiles": ({"Makefile": "OK := $(shell gcc -march=native a.c -o a)\nall:\n"}, "forbidden"),
    "options that are not read": (
        {"CMakeLists.txt": CMAKE.format("target_compile_options(x PRIVATE ${N})")},
        "unresolved",
    ),
    "a file of the repository that is not read": ({"a.sh": '. "./$1.sh"\ngcc $MORE -c a.c\n'}, "unresolved"),
    "the compiler with some option": ({"a.sh": 'X="$(cat x)"\n$CC -c $X a.c\n'}, "unresolved"),
    "flags of cargo": ({**CARGO, ".cargo/config.toml": "[build]\nrustflags = '-Ctarget-cpu=native'\n"}, "forbidden"),
    "a project that is configured": ({"Makefile": "all:\n\tcmake -S llama.cpp -B build\n"}, "forbidden"),
    "an extension": (
        {"setup.py": "from setuptools import Extension as E\nE('a', ['a.c'], extra_compile_args=['-march=native'])\n"},
        "forbidden",
    ),
}


@pytest.mark.parametrize("name", TUNED)
def test_what_the_repository_may_decide_is_told(name: str, tmp_path: Path) -> None:
    files, verdict = TUNED[name]
    assert verdict in {v for v, _ in found(tmp_path, files)}


PACKS = 'packs = ["locked-installs", "hooks-not-bypassed", "mojo", "go-release"]\n'
ANYTHING = 'for x in $(cat l); do c="$c $x"; done\n$c $(cat x)\n'


@pytest.mark.parametrize(("items", "verdict"), [("*.c", "missing"), ("*.c x", "unresolved")])
def test_an_item_of_a_pattern_is_a_file(items: str, verdict: str, tmp_path: Path) -> None:
    text = f"@echo off\nfor %%f in ({items}) do gcc -c %%f\n"
    assert [v for v, _ in found(tmp_path, {"a.bat": text}, REQUIRES)] == [verdict]


def test_a_program_that_is_looked_up_is_no_other(tmp_path: Path) -> None:
    assert found(tmp_path, {"a.sh": 'P=$(which python)\n"$P" -m pip install x\n'}, PACKS) == []
    messages = found(tmp_path, {"a.sh": 'P=$(which cargo)\n"$P" install x\n'}, PACKS)
    assert messages == [("missing", "`cargo install` has no `--locked` or `--frozen`")]


def test_packs_say_nothing_of_what_may_be_any_command(tmp_path: Path) -> None:
    assert found(tmp_path, {"a.sh": ANYTHING}, PACKS) == []
    assert "unresolved" in {v for v, _ in found(tmp_path, {"a.sh": ANYTHING + "$c build $(cat x)\n"}, PACKS)}
    own = 'packs = []\n[[rule]]\nid = "r"\nwhy = "w"\ncommand = "mojo build"\nrequire = ["--target-cpu"]\n'
    assert "unresolved" in {v for v, _ in found(tmp_path, {"a.sh": ANYTHING}, own)}


REQUIRES = """packs = []
[[rule]]
id      = "r"
why     = "w"
command = "gcc"
require = ["-fPIC"]
"""


def test_one_of_the_texts_is_not_enough_for_what_is_required(tmp_path: Path) -> None:
    files = {"Makefile": LOCAL.format("-fPIC"), "a.bat": BRANCHES.format("-fPIC")}
    assert sorted(f.span.path for f in findings(tmp_path, files, REQUIRES)) == ["Makefile", "a.bat"]


def test_features_alone_say_something_of_the_cpu(tmp_path: Path) -> None:
    config = 'packs = ["cpu-baseline"]\n[baseline]\nlinux-x86_64 = "x86-64-v2"\n'
    files = {"CMakeLists.txt": CMAKE.format("add_compile_options(-mavx2)\nadd_compile_options(-msse4.2 -Wall)")}
    (one,) = findings(tmp_path, files, config)
    assert (one.rule, one.verdict.value) == ("cpu-baseline/handed-on", "wrong-value")


def test_the_conditions_of_a_finding_are_bounded(tmp_path: Path) -> None:
    arms = "".join(f'  {n}) [ -z "$B" ] || X=1; F=-march=native ;;\n' for n in range(9))
    (one,) = findings(tmp_path, {"a.sh": f'case "$A" in\n{arms}  *) F=-O2 ;;\nesac\ngcc $F -c a.c\n'})[:1]
    assert len(" ".join(one.when)) < 700
