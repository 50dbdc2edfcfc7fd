"""Nix expressions: the Nix manual, "String literals"; the Nixpkgs manual, "The Standard Environment"."""

import pytest

from flagguard.command import Reading
from flagguard.hosts import Setting, nix
from flagguard.shell import evaluate
from flagguard.text import SourceText

from .support import Memory

PATH = "default.nix"


def read(text: str, *platforms: str) -> Reading:
    return nix.read(SourceText(PATH, text), Setting(Memory({PATH: text}), platforms or ("linux-x86_64",)))


def package(body: str) -> str:
    return f'{{ lib, stdenv }}:\nstdenv.mkDerivation {{\n  pname = "foo";\n  # cmakeFlags = [ "-DNO" ];\n{body}\n}}\n'


def commands(text: str, *platforms: str, env: str = "") -> list[str]:
    found = []
    for script in read(text, *platforms).scripts:
        for command in evaluate(script, Setting(Memory({}), platforms or ("linux-x86_64",))).commands:
            when = f" ({'; '.join(command.when)})" if command.when else ""
            said = f" [{command.env[env].shown}]" if env in command.env else ""
            found.append(" ".join(command.shown) + said + when)
    return found


RUNS: list[tuple[str, str, list[str]]] = [
    ("a phase", "buildPhase = ''\n  runHook preBuild\n  make CFLAGS=-O3 -j$NIX_BUILD_CORES\n'';", [
        "runHook preBuild", "make CFLAGS=-O3 -j$NIX_BUILD_CORES"]),
    ("a phase in quotes", 'buildPhase = "make \\"a b\\"";', ["make a b"]),
    ("what is put in", "installPhase = ''\n  cp ${src}/x $out ''${HOME} '''' $${x}\n'';".replace("'''' ", ""), [
        "cp ${src}/x $out ${HOME} $${x}"]),
    ("lists of flags", 'cmakeFlags = [ "-DA=1" "-DB=x y" ];\nmakeFlags = [ "CC=gcc" ] ++ [ "D=1" ];', [
        "cmake -DA=1 -DB=x y", "make CC=gcc D=1"]),
    ("a text of flags", 'configureFlags = "--a --b";', ["./configure --a --b"]),
    ("what is not written out", "cmakeFlags = [ foo (f x) ] ++ more;", ["cmake foo f x more"]),
    ("features", 'cmakeFlags = [ (lib.cmakeBool "X" true) (lib.cmakeFeature "Y" "z") ];\n'
     'mesonFlags = [ (lib.mesonEnable "t" false) (lib.mesonBool "b" true) (lib.mesonOption "o" "p") ];\n'
     'configureFlags = [ (lib.enableFeature true "e") (lib.withFeature false "w") ];', [
        "cmake -DX:BOOL=TRUE -DY:STRING=z", "meson setup -Dt=disabled -Db=true -Do=p",
        "./configure --enable-e --without-w"]),
    ("an open condition", 'makeFlags = [ "a" ] ++ lib.optional cuda "b";', [
        "make a b (cuda)", "make a (not (cuda))"]),
    ("an open condition of a text", "buildPhase = ''\n  make a\n'' + lib.optionalString (x == 1) ''\n  make b\n'';", [
        "make a ((x == 1))", "make b ((x == 1))", "make a (not ((x == 1)))"]),
    ("if", 'makeFlags = if stdenv.isLinux then [ "l" ] else [ "o" ];\nbuildFlags = if x then "a" else "b";', [
        "make l", "make a (x)", "make b (not (x))"]),
    ("in a set", "env = { CFLAGS = \"-O2\"; };\nbuildPhase = ''make'';", ["make"]),
    ("hooks and commands", "preConfigure = ''sed x'';\nbuildCommand = ''cc y'';\nshellHook = ''z'';", [
        "sed x", "cc y", "z"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), [c[1:] for c in RUNS], ids=[c[0] for c in RUNS])
def test_what_runs(body: str, expected: list[str]) -> None:
    assert commands(package(body)) == expected


def test_the_platform_decides() -> None:
    text = package(
        'cmakeFlags = [ "-DA" ] ++ lib.optionals stdenv.hostPlatform.isDarwin [ "-DM" ]\n'
        '  ++ lib.optional (stdenv.hostPlatform.isx86_64 && stdenv.isLinux) "-DX"\n'
        '  ++ lib.optional (!stdenv.hostPlatform.isAarch64) "-DN";'
    )
    assert commands(text) == ["cmake -DA -DX -DN"]
    assert commands(text, "macos-arm64") == ["cmake -DA -DM"]
    assert commands(text, "linux-aarch64") == ["cmake -DA"]


def test_variables_and_flags_of_the_wrapped_compilers() -> None:
    text = package('env.NIX_CFLAGS_COMPILE = "-march=native -O3";\nCGO_ENABLED = "0";\nbuildPhase = "make";')
    assert commands(text, env="NIX_CFLAGS_COMPILE") == ["make [-march=native -O3]"]
    assert commands(text, env="CGO_ENABLED") == ["make [0]"]
    (call,) = read(text).calls
    assert [w.text for w in call.argv] == ["nix:NIX_CFLAGS_COMPILE", "-march=native", "-O3"]
    assert text[call.span.start : call.span.end] == "NIX_CFLAGS_COMPILE"


def test_the_place_and_where_words_come_from() -> None:
    text = package("buildPhase = ''\n    make CFLAGS=-O3 \\\n      all\n  '';")
    (script,) = read(text).scripts
    assert (script.place.host, script.place.job, script.place.step) == ("nix", "foo", "buildPhase")
    assert script.text.text.startswith("make CFLAGS=-O3 \\\n  all")
    (command,) = evaluate(script, Setting(Memory({}), ("linux-x86_64",))).commands
    assert text[command.span.start : command.span.end] == "make"
    assert command.argv[2].text == "all"


def test_what_is_not_closed_is_told() -> None:
    found = read("{\n  makeFlags = [ \"a\" ];\n  buildPhase = ''\n  make\n}\n")
    assert [(p.line, p.fatal) for p in found.problems] == [(3, True)]
    assert [[w.text for w in s.argv] for s in found.scripts if s.argv] == [["make", "a"]]
