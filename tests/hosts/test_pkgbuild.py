"""PKGBUILD and APKBUILD: what makepkg runs is recorded (pkgbuild_oracle); the rest by their manuals."""

from types import ModuleType

import pytest

from flagguard.command import Reading
from flagguard.hosts import Setting, apkbuild, pkgbuild
from flagguard.shell import evaluate
from flagguard.text import SourceText

from . import pkgbuild_oracle
from .pkgbuild_cases import CASES, HEAD
from .support import Memory

RECORDED = pkgbuild_oracle.recorded()
ALPINE = "pkgname=foo\npkgver=1.2\narch='all'\n"


def read(host: ModuleType, text: str, *platforms: str) -> Reading:
    path = f"x/{host.NAME.upper()}"
    found = host.read(SourceText(path, text), Setting(Memory({path: text}), platforms or ("linux-x86_64",)))
    assert isinstance(found, Reading)
    return found


def argvs(host: ModuleType, text: str, *platforms: str) -> list[list[str]]:
    setting = Setting(Memory({}), platforms or ("linux-x86_64",))
    scripts = read(host, text, *platforms).scripts
    return [command.shown for script in scripts for command in evaluate(script, setting).commands]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_what_runs_is_what_makepkg_runs(number: int) -> None:
    arch = "-march=x86-64 -mtune=generic"
    ran = [words[1:] for words in argvs(pkgbuild, CASES[number]) if words[0] == "rec"]
    flags = argvs(pkgbuild, f"{HEAD}package() {{ x $CFLAGS; }}\n")[0][1:]
    assert " ".join(flags).startswith(arch)
    same = [words[len(flags) :] if words[: len(flags)] == flags else words for words in ran]
    theirs = pkgbuild_oracle.CFLAGS.split()
    assert same == [w[len(theirs) :] if w[: len(theirs)] == theirs else w for w in RECORDED[number]]


@pytest.mark.skipif(not pkgbuild_oracle.found(), reason="needs makepkg, and not to be root")
def test_the_recorded_answers_are_those_of_makepkg() -> None:
    assert [pkgbuild_oracle.runs(text) for text in CASES[:4]] == RECORDED[:4]


def test_the_flags_of_each_architecture_and_the_options() -> None:
    text = "pkgname=a\narch=(x86_64 aarch64)\nbuild() { cc $CFLAGS a.c; }\npackage() { :; }\n"
    both = argvs(pkgbuild, text, "linux-x86_64", "linux-aarch64")
    assert [words[1] for words in both] == ["-march=armv8-a", "-march=x86-64"]
    assert argvs(pkgbuild, text + "options=('!buildflags')\n") == [["cc", "a.c"]]


def test_arch_decides_the_platforms() -> None:
    text = "pkgname=a\narch=({})\nbuild() {{ cc $CARCH; }}\n"
    every = ("linux-x86_64", "linux-aarch64", "macos-arm64")
    assert argvs(pkgbuild, text.format("any"), *every) == [["cc", "aarch64"], ["cc", "x86_64"]]
    assert argvs(pkgbuild, text.format("'aarch64'"), *every) == [["cc", "aarch64"]]
    assert argvs(pkgbuild, text.format("armv7h"), *every) == [["cc", "armv7h"]]


def test_where_it_stands() -> None:
    text = HEAD + "build() {\n  cc a.c\n}\npackage() { :; }\n"
    (script,) = read(pkgbuild, text).scripts
    assert (script.place.host, script.place.job, script.errexit, script.directory) == ("pkgbuild", "foo", True, None)
    (command,) = evaluate(script, Setting(Memory({}), ("linux-x86_64",))).commands
    assert text[command.span.start : command.span.end] == "cc"


def test_an_apkbuild_runs_its_functions_and_those_of_its_subpackages() -> None:
    text = ALPINE + (
        'builddir="$srcdir/x"\nsubpackages="$pkgname-dev $pkgname-tools:tools"\n'
        "prepare() {\n\tdefault_prepare\n\tsed a\n}\nbuild() {\n\t./configure --build=$CBUILD $CFLAGS\n\tmake\n}\n"
        'check() {\n\tmake check\n}\npackage() {\n\tmake DESTDIR="$pkgdir" install\n}\n'
        'tools() {\n\tmv "$subpkgdir" x\n}\n'
    )
    assert [" ".join(words) for words in argvs(apkbuild, text)] == [
        "default_prepare",
        "sed a",
        "./configure --build=x86_64-alpine-linux-musl -Os -fstack-clash-protection -Wformat "
        "-Werror=format-security -fno-plt",
        "make",
        "make check",
        "make DESTDIR=$pkgdir install",
        "mv $subpkgdir x",
    ]


def test_variables_of_one_function_of_an_apkbuild_are_not_there_in_the_next() -> None:
    assert argvs(apkbuild, ALPINE + 'build() { x=1; cc $x; }\npackage() { cc "$x"; }\n') == [["cc", "1"], ["cc", ""]]


@pytest.mark.parametrize(
    ("arch", "platforms"),
    [
        ("all", ["linux-aarch64", "linux-x86_64"]),
        ("all !aarch64", ["linux-x86_64"]),
        ("noarch", ["linux-aarch64", "linux-x86_64"]),
        ("aarch64 armv7", ["linux-aarch64"]),
        ("s390x", ["linux-s390x"]),
    ],
)
def test_arch_of_an_apkbuild(arch: str, platforms: list[str]) -> None:
    text = f'pkgname=a\narch="{arch}"\nbuild() {{ cc; }}\n'
    found = read(apkbuild, text, "linux-x86_64", "linux-aarch64").scripts
    assert sorted(p for s in found for p in s.platforms or ()) == platforms


def test_a_file_that_the_shell_cannot_read_is_told() -> None:
    (script,) = read(pkgbuild, HEAD + "build() {\n  if x\n}\n").scripts
    assert [p.line for p in evaluate(script, Setting(Memory({}), ("linux-x86_64",))).problems]
