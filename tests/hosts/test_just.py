"""justfiles as they stand: which recipes, platforms and worlds, and where their words are written."""

import subprocess
from pathlib import Path

import pytest

from flagguard.command import Dialect, Reading, Script
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.hosts import just
from flagguard.text import Decider

from .support import env, problems, reading, shown


def read(text: str, path: str = "justfile", **more: "dict[str, str]") -> Reading:
    return reading(just, text, path, **more)


def listed(found: Reading) -> "list[tuple[str | None, object]]":
    return [(s.place.task, shown(s)) for s in found.scripts]


def one(text: str, **more: "dict[str, str]") -> Script:
    found = read(text, **more)
    assert found.problems == ()
    (script,) = found.scripts
    return script


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        ("justfile", True),
        ("a/Justfile", True),
        (".justfile", True),
        ("JUSTFILE", True),
        ("ci.just", True),
        ("just/README.md", False),
        ("justfile.md", False),
        ("adjustfile", False),
    ],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert just.claims(path, b"") is claimed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  x\n  y\nb: a\n  z\n", [("a", "x"), ("a", "y"), ("b", "z")]),
        ("a p:\n  x {{p}}\n", [("a", "x {{p}}")]),
        ("a p='d':\n  x {{p}}\n", [("a", "x d")]),
        ("a *p:\n  x {{p}}\n", [("a", "x ")]),
        ("a +p:\n  x {{p}}\n", [("a", "x {{p}}")]),
        ("a: (b '1')\n  x\nb p:\n  y {{p}}\n", [("b", "y 1"), ("a", "x")]),
        ("a: (b '1')\nb p='d':\n  y {{p}}\n", [("b", "y 1"), ("b", "y d")]),
        ("a: (_b '1')\n_b p='d':\n  y {{p}}\n", [("_b", "y 1")]),
        ("a: (_b '1')\nc: _b\n_b p='d':\n  y {{p}}\n", [("_b", "y 1"), ("_b", "y d")]),
        ("a: (b '1') (b '2')\nb p: (c p)\n  y {{p}}\nc q:\n  z {{q}}\n",
         [("c", "z 1"), ("b", "y 1"), ("c", "z 2"), ("b", "y 2")]),
        ("a: (b '1') (b '1')\nb p:\n  y {{p}}\n", [("b", "y 1"), ("b", "y 1")]),
        ("x := `p q`\na:\n  y\n", [("a", "y"), (None, "p q")]),
        ("a:\n  y {{`p q`}}\n", [("a", "p q"), ("a", "y `p q`")]),
        ("a v=`p`:\n  y\n", [("a", "p"), ("a", "y")]),
        ("x := shell('p $1', 'q')\na:\n  y {{x}}\n", [("a", "y shell('p $1', 'q')"), (None, "p $1")]),
        ("alias b := a\na:\n  x\n", [("a", "x")]),
        ("a:\n  -x\n  @y\n", [("a", "x"), ("a", "y")]),
        ("a:\n  #!/bin/sh\n  x\n\n  y\n", [("a", "#!/bin/sh\nx\n\ny\n")]),
        ("x := 'a'\n", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_recipe_is_read_as_somebody_may_start_it(text: str, expected: "list[tuple[str | None, object]]") -> None:
    found = read(text, files={"justfile": text})
    assert found.problems == ()
    assert listed(found) == expected


def test_a_recipe_with_arguments_stands_under_the_one_that_hands_them_over() -> None:
    text = "a: (b '1')\nb p:\n  y {{p}}\n"
    (script,) = read(text).scripts
    assert (script.unit, [text[v.start : v.end] for v in script.via]) == ("a", ["(b '1')"])


@pytest.mark.parametrize(
    ("first", "dialect", "language", "errexit"),
    [
        ("#!/bin/sh", Dialect.SH, "", False),
        ("#!/usr/bin/env bash", Dialect.BASH, "", False),
        ("#!/usr/bin/env -S bash -euo pipefail", Dialect.BASH, "", True),
        ("#!/usr/bin/env python3", Dialect.UNREAD, "python3", False),
        ("#!/usr/bin/env -S uv run --script", Dialect.UNREAD, "uv", False),
        ("#!pwsh", Dialect.POWERSHELL, "", False),
        ("#!cmd.exe /c", Dialect.CMD, "", False),
        ("#!/usr/bin/fish", Dialect.UNREAD, "fish", False),
    ],
)
def test_the_first_line_names_the_language(first: str, dialect: Dialect, language: str, errexit: bool) -> None:
    found = read(f"a:\n  {first}\n  x\n")
    (script,) = found.scripts
    assert (script.dialect, script.language, script.errexit) == (dialect, language, errexit)
    assert len(found.problems) == (dialect is Dialect.UNREAD)
    assert not any(p.fatal for p in found.problems)


@pytest.mark.parametrize(
    ("setting", "dialect"),
    [
        ("['bash', '-uc']", Dialect.BASH),
        ("['zsh', '-c']", Dialect.BASH),
        ("['dash', '-c']", Dialect.SH),
        ("['/bin/bash', '-eu', '-o', 'pipefail', '-c']", Dialect.BASH),
        ("['pwsh', '-c']", Dialect.POWERSHELL),
        ("['cmd.exe', '/c']", Dialect.CMD),
        ("['fish', '-c']", Dialect.UNREAD),
        ("['python3', '-c']", Dialect.ARGV),
        ("['docker', 'run', 'image', 'sh', '-c']", Dialect.ARGV),
    ],
)
def test_the_setting_names_the_shell(setting: str, dialect: Dialect) -> None:
    (script,) = read(f"set shell := {setting}\na:\n  x\n").scripts
    assert script.dialect is dialect


def test_windows_may_have_a_shell_of_its_own() -> None:
    for setting in (
        "set windows-shell := ['pwsh', '-c']",
        "set windows-powershell",
        "[windows]\nset shell := ['pwsh']",
    ):
        found = read(f"{setting}\na:\n  x\n")
        dialects = {s.dialect: sorted(s.platforms or ()) for s in found.scripts}
        assert dialects[Dialect.POWERSHELL] == ["windows-x86_64"]
        assert "windows-x86_64" not in dialects[Dialect.SH]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  x {{os()}}\n", {"x linux": ["linux-aarch64", "linux-x86_64"], "x macos": ["macos-arm64"],
                                "x windows": ["windows-x86_64"]}),
        ("a:\n  x {{arch()}}\n", {"x x86_64": ["linux-x86_64", "windows-x86_64"],
                                  "x aarch64": ["linux-aarch64", "macos-arm64"]}),
        ("f := if os() == 'macos' { '-m' } else { '-o' }\na:\n  x {{f}}\n",
         {"x -o": ["linux-aarch64", "linux-x86_64", "windows-x86_64"], "x -m": ["macos-arm64"]}),
        ("[linux]\na:\n  l\n[macos]\na:\n  m\n", {"l": ["linux-aarch64", "linux-x86_64"], "m": ["macos-arm64"]}),
        ("[unix]\na:\n  u\n", {"u": ["linux-aarch64", "linux-x86_64", "macos-arm64"]}),
        ("[freebsd]\na:\n  f\n", {"f": ["freebsd-x86_64"]}),
        ("a:\n  x {{join('a', 'b')}}\n", {"x a/b": ["linux-aarch64", "linux-x86_64", "macos-arm64"],
                                          "x a\\b": ["windows-x86_64"]}),
        ("m := `uname -m`\na:\n  x {{m}}\n", {"x x86_64": ["linux-x86_64", "windows-x86_64"],
                                             "x aarch64": ["linux-aarch64"], "x arm64": ["macos-arm64"],
                                             "uname -m": None}),
        ("m := if os() == 'linux' { '1' } else { error('only linux') }\na:\n  x {{m}}\n",
         {"x 1": ["linux-aarch64", "linux-x86_64"]}),
        ("a:\n  x\n", {"x": None}),
    ],
)  # fmt: skip
def test_the_platform_decides(text: str, expected: "dict[str, list[str] | None]") -> None:
    found = read(text, files={"justfile": text})
    assert found.problems == ()
    assert {shown(s): sorted(s.platforms) if s.platforms else None for s in found.scripts} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f := if env('M', 'd') == 'r' { '-r' } else { '-d' }\na:\n  x {{f}}\n",
         {"x -d": (("M is not r",), False), "x -r": (("M is r",), True)}),
        ("f := if env('M', '') == '' { '-d' } else { '-s' }\na:\n  x {{f}}\n",
         {"x -d": (("M is not set",), False), "x -s": (("M is set",), False)}),
        ("f := if env('M') == 'r' { '-r' } else { '-d' }\na:\n  x {{f}}\n",
         {"x -d": (("M is not r",), False), "x -r": (("M is r",), False)}),
        ("a p:\n  x {{ if p == 'r' { '-r' } else { '-d' } }}\n",
         {"x -d": (("p is not r",), False), "x -r": (("p is r",), False)}),
        ("a p='d':\n  x {{p}} {{ if p == 'r' { '-r' } else { '-d' } }}\n",
         {"x d -d": (("p is not r",), False), "x r -r": (("p is r",), True)}),
        ("f := if `git branch` =~ 'main' { '-m' } else { '-d' }\na:\n  x {{f}}\n",
         {"x -d": (("`git branch` does not match main",), False), "x -m": (("`git branch` matches main",), False)}),
        ("f := if path_exists('none') == 'true' { '-m' } else { '-d' }\na:\n  x {{f}}\n",
         {"x -d": (("path_exists('none') is not true",), False), "x -m": (("path_exists('none') is true",), False)}),
        ("f := if path_exists('justfile') == 'true' { '-m' } else { '-d' }\na:\n  x {{f}}\n", {"x -m": ((), False)}),
        ("f := if 'a' == 'a' { '-a' } else { `never run` }\na:\n  x {{f}}\n", {"x -a": ((), False)}),
        ("export F := if env('M', '') == '' { '-d' } else { '-s' }\na:\n  x\n", {"x": (("M is set",), False)}),
    ],
)  # fmt: skip
def test_what_nobody_can_know_makes_worlds(text: str, expected: "dict[str, tuple[tuple[str, ...], bool]]") -> None:
    found = [s for s in read(text, files={"justfile": text}).scripts if s.place.task == "a"]
    assert {shown(s): (s.when, s.opt_in) for s in found} == expected


def test_an_assumed_value_decides() -> None:
    script = one("f := env('M', 'd')\na:\n  x {{f}}\n", assume={"M": "r"})
    assert (shown(script), script.when) == ("x r", ())


def test_the_default_of_a_parameter_may_be_replaced_but_not_by_a_dependency() -> None:
    found = read("a: b\nb p='d':\n  y {{p}}\n")
    assert [p.overridable for s in found.scripts for p in s.text.pieces if p.text == "d"] == [True]
    found = read("a: (b)\nb p='d' q='e':\n  y {{p}}\nc: (b 'x')\n")
    assert {p.text: p.overridable for s in found.scripts for p in s.text.pieces} == {"y ": False, "d": True, "x": False}


@pytest.mark.parametrize(
    ("text", "word", "written"),
    [
        ('f := "--a=\\"1\\" b"\na:\n  x {{f}}\n', '"', ['{{f}}', '\\"']),
        ("f := '''\n    --a\n    --b\n  '''\na:\n  x '{{f}}'\n", "--b\n", ["{{f}}", "--b\n"]),
        ("f := 'p' + \"q\\tr\"\na:\n  x {{f}}\n", "\t", ["{{f}}", "\\t"]),
        ("a:\n  x {{ 'lit' }}\n", "lit", ["lit"]),
        ("a p='dflt':\n  x {{p}}\n", "dflt", ["{{p}}", "dflt"]),
        ("a: (b 'given')\nb p:\n  x {{p}}\n", "given", ["given"]),
        ("v := 'val'\na: (b v)\nb p:\n  x {{p}}\n", "val", ["v", "val"]),
        ("a:\n  x {{{{ y\n", "{{", ["{{{{"]),
        ("a:\n  x {{ uppercase('lit') }}\n", "LIT", ["lit"]),
        ("a:\n  x {{ trim(' lit ') }}\n", "lit", ["lit"]),
        ("v := f'1{{ 'lit' }}2'\na:\n  x {{v}}\n", "lit", ["{{v}}", "lit"]),
        ("a:\n  x {{ HEX }}\n", "0123456789abcdef", ["HEX"]),
    ],
)  # fmt: skip
def test_every_piece_points_at_its_source(text: str, word: str, written: list[str]) -> None:
    source = text.replace("{{f}}", "{{f}}")
    found = [p for s in read(source).scripts for p in s.text.pieces if p.text == word]
    assert found, [p.text for s in read(source).scripts for p in s.text.pieces]
    places = [source[span.start : span.end] for span in found[0].route]
    assert places == [w.strip("{}") if w.startswith("{{") and len(w) < 7 and w != "{{{{" else w for w in written]


@pytest.mark.parametrize(
    ("text", "hole", "reason", "decider"),
    [
        ("a:\n  x {{env('V')}}\n", "env('V')", "it is set outside of the repository", Decider.OUTSIDE),
        ("a:\n  x {{num_cpus()}}\n", "num_cpus()", "only just can know it", Decider.OUTSIDE),
        ("a:\n  x {{`git describe`}}\n", "`git describe`", "the output of git", Decider.OUTSIDE),
        ("a:\n  x {{`./v.sh`}}\n", "`./v.sh`", "the output of v.sh", Decider.REPOSITORY),
        ("a p:\n  x {{p}}\n", "{{p}}", "it is an argument of the recipe", Decider.OUTSIDE),
        ("a:\n  x {{justfile_directory()}}\n", "justfile_directory()", "where the repository is checked out",
         Decider.OUTSIDE),
        ("a:\n  x {{uppercase(env('V'))}}\n", "uppercase(env('V'))",
         "just computes it from something that is not known", Decider.OUTSIDE),
    ],
)  # fmt: skip
def test_what_is_not_known_is_a_hole_with_its_reason(text: str, hole: str, reason: str, decider: Decider) -> None:
    found = [s for s in read(text, files={"justfile": text}).scripts if shown(s).startswith("x")]
    (gap,) = found[0].text.holes
    assert (gap.text, gap.reason, gap.decider) == (hole, reason, decider)


def test_folders_of_the_tree_are_known() -> None:
    text = "a:\n  x {{justfile_directory()}}/b {{justfile()}} {{source_dir()}} {{absolute_path('c')}}\n"
    (script,) = read(text, "sub/justfile", files={"sub/justfile": text}).scripts
    assert [h.path for h in script.text.holes] == ["sub", "sub/justfile", "sub", "sub/c"]


@pytest.mark.parametrize(
    ("text", "directory"),
    [
        ("a:\n  x\n", "s"),
        ("set working-directory := 'w'\na:\n  x\n", "s/w"),
        ("[working-directory: 'w']\na:\n  x\n", "s/w"),
        ("[working-directory('../w')]\na:\n  x\n", "w"),
        ("[no-cd]\na:\n  x\n", None),
        ("set no-cd\na:\n  x\n", None),
        ("set no-cd\n[working-directory: 'w']\na:\n  x\n", "s/w"),
        ("[working-directory: '/w']\na:\n  x\n", None),
    ],
)
def test_where_a_recipe_runs(text: str, directory: "str | None") -> None:
    (script,) = read(text, "s/justfile").scripts
    assert script.directory == directory


def test_the_environment_in_the_order_of_the_manual() -> None:
    files = {".env": "A=file\nB=file\nD=file\n"}
    text = "set dotenv-load\nexport B := 'top'\nexport C := 'top'\nunexport D\na $C='param' E='no':\n  x\n"
    (script,) = read(text, files=files).scripts
    assert env(script) == {"A": "file", "B": "top", "C": "param"}


def test_an_environment_file_that_is_not_there_may_set_what_a_line_uses() -> None:
    (script,) = read("set dotenv-load\na:\n  x $FLAGS\n").scripts
    assert script.outside == ("FLAGS",)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a:\n  x\n y\n", 3, "indentation"),
        ("x := 'a\n", 1, "not closed"),
        ("a:\n  x {{ 'b' \n", 2, "not closed"),
        ("x := (\n'a'\n", 1, "not closed"),
        ('x := "\\q"\n', 1, "no escape"),
        ("a\n  x\n", 1, "`:` has to stand here"),
        ("a:\n  x {{ b + }}\n", 2, "cannot stand here"),
        ("a:\n\n  x\n", 3, "cannot stand here"),
        ("a:\n  x {{y}}\n", 2, "`y` is not defined"),
        ("a: b\n  x\n", 1, "no recipe `b`"),
        ("a:\n  x\na:\n  y\n", 3, "defined twice"),
        ("a: (b 'x' 'y')\n  x\nb p:\n  y\n", 1, "does not take 2 arguments"),
        ("a:\n  x\n    y\n", 3, "more indentation"),
        ("a: b\nb: a\n  x\n", 1, "depends on itself"),
        ("x := y\ny := x\na:\n  z {{x}}\n", 1, "in terms of itself"),
        ("a:\n  x {{nosuch()}}\n", 2, "no function `nosuch`"),
        ("x := error('why')\na:\n  y {{x}}\n", 1, "stops here: why"),
    ],
)
def test_what_just_refuses_is_told_with_its_line(text: str, line: int, said: str) -> None:
    found = read(text, files={"justfile": text})
    assert [(p.line, said in p.message) for p in found.problems][:1] == [(line, True)], found.problems


def test_a_file_for_others_to_import_may_use_what_they_define() -> None:
    found = read("a: b\n  x {{y}}\n", "tasks.just")
    assert found.problems == ()
    assert listed(found) == [("a", "x y")]


def test_what_is_outside_of_the_tree_is_told_and_does_not_fail() -> None:
    found = read("import '../x.just'\nimport? 'y.just'\nmod m\na:\n  z\n")
    assert [(p.line, p.fatal) for p in found.problems] == [(1, False), (3, False)]
    assert listed(found) == [("a", "z")]


def test_other_files_are_remembered() -> None:
    files = {"b.just": "b:\n  y\n", "justfile": ""}
    found = read("import 'b.just'\nmod c\na:\n  x\n", files=files)
    assert {"b.just", "c.just", "c/mod.just"} <= set(found.depends)
    assert problems(found) == [(2, None)]


# -- calls between files ----------------------------------------------------------------------------------------------

STEPS = "on: push\njobs:\n  b:\n    runs-on: ubuntu-latest\n    steps:\n"


def found_in(folder: Path, files: "dict[str, str]") -> list[str]:
    """Each command as `FILE:LINE argv < CALL`."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    tree = Tree(folder)

    def at(path: str, start: int) -> str:
        source = tree.read(path)
        assert source is not None
        return f"{path}:{source.position(start)[0]}"

    config = Config(baseline={"linux-x86_64": "x86-64-v2"})
    return [
        " < ".join((f"{at(c.span.path, c.span.start)} {' '.join(c.shown)}", *(at(v.path, v.start) for v in c.via)))
        for one in collect(tree, config, strict=True)
        for c in one.commands
    ]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"justfile": "a:\n  just b x\nb p:\n  cc {{p}}\n"}, ["justfile:2 just b x", "justfile:4 cc x < justfile:2"]),
        ({"justfile": "_exec cmd:\n  @bash -c \"{{cmd}}\"\na:\n  just _exec \"cc -O2 \\\n  x\"\n"},
         ["justfile:4 cc -O2 x < justfile:4", "justfile:4 just _exec cc -O2 x"]),
        ({"justfile": "a: (_run 'cc -O2')\n_run cmd:\n  {{cmd}}\n"}, ["justfile:1 cc -O2 < justfile:1"]),
        ({"justfile": "v := 'native'\nbuild:\n  cc {{v}}\n",
          ".github/workflows/w.yml": STEPS + "      - run: just v=generic build\n"},
         [".github/workflows/w.yml:6 just v=generic build",
          "justfile:3 cc generic < .github/workflows/w.yml:6"]),
        ({"justfile": "build: dep\n  cc 1\ndep:\n  cc 2\nother:\n  cc 3\n", "b.sh": "just build\n"},
         ["b.sh:1 just build", "justfile:2 cc 1 < b.sh:1", "justfile:4 cc 2 < b.sh:1", "justfile:6 cc 3"]),
        ({"justfile": "a:\n  {{just_executable()}} b\nb:\n  cc 1\n"},
         ["justfile:2 just_executable()/../just b", "justfile:4 cc 1 < justfile:2"]),
        ({"justfile": "mod m\na:\n  just m b\n", "m.just": "b:\n  cc {{module_path()}}\n"},
         ["justfile:3 just m b", "m.just:2 cc m < justfile:3"]),
        ({"sub/justfile": "b:\n  cc 1\n", "x.sh": "(cd sub && just b)\njust sub/b\njust -f sub/justfile b\n"},
         ["sub/justfile:2 cc 1 < x.sh:1", "x.sh:1 just b", "sub/justfile:2 cc 1 < x.sh:2", "x.sh:2 just sub/b",
          "sub/justfile:2 cc 1 < x.sh:3", "x.sh:3 just -f sub/justfile b"]),
        ({"sub/justfile": "set fallback\nb:\n  cc 1\n", "justfile": "c:\n  cc 2\n", "x.sh": "cd sub && just c\n"},
         ["justfile:2 cc 2 < x.sh:1", "sub/justfile:3 cc 1", "x.sh:1 just c"]),
        ({"justfile": "import 'i.just'\na: b\n", "i.just": "b:\n  cc 1\n"}, ["i.just:2 cc 1"]),
        ({"justfile": "a:\n  make x\n", "Makefile": "x:\n\tcc 1\n"},
         ["Makefile:2 cc 1 < justfile:2", "justfile:2 make x"]),
        ({"justfile": "a:\n  just a\n"}, ["justfile:2 just a", "justfile:2 just a < justfile:2"]),
    ],
)  # fmt: skip
def test_calls_of_recipes_are_followed(tmp_path: Path, files: "dict[str, str]", expected: list[str]) -> None:
    assert sorted(found_in(tmp_path, files)) == sorted(expected)


def test_just_itself_is_never_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise AssertionError("a program was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    text = "x := `touch f`\na:\n  y {{x}}\n"
    assert listed(read(text, files={"justfile": text})) == [("a", "y `touch f`"), (None, "touch f")]


def test_a_text_that_is_no_justfile_gives_no_exception() -> None:
    for text in ("\x00", "\ue000:\n  \ue000\n", "{{", "a: {{", "x := `", "[", "mod", "set", "\\"):
        read(text)
