"""package.json: what the scripts run, as they stand and as npm, pnpm, Yarn, Bun and npm-run-all call them."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from flagguard.command import Command, Dialect, Reading, Word
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.hosts import hosts_for, npm

from . import npm_oracle
from .npm_cases import CASES, package
from .support import problems, reading, shown

RECORDED = npm_oracle.recorded()


def called(folder: Path, files: "dict[str, str]", line: str) -> list[Command]:
    """What the line's calls come to."""
    for name, text in {**files, "go.sh": f"{line}\n"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = collect(Tree(folder), Config(), strict=True)
    return [c for f in found if f.path == "go.sh" for c in f.commands if c.via and not c.opt_in]


def is_said(words: "Sequence[Word]", said: list[str]) -> bool:
    """Whether the words are these, where holes may be anything."""
    pattern = "\x1f".join("".join(".*" if p.hole else re.escape(p.text) for p in w.pieces) for w in words)
    return re.fullmatch(pattern, "\x1f".join(said), re.DOTALL) is not None


def test_there_is_an_answer_of_npm_for_every_case() -> None:
    assert {npm_oracle.key(*case) for case in CASES} == RECORDED.keys()
    assert len(CASES) >= 60


@pytest.mark.parametrize(("files", "line"), CASES)
def test_a_call_comes_to_the_words_that_npm_passes(tmp_path: Path, files: "dict[str, str]", line: str) -> None:
    theirs = RECORDED[npm_oracle.key(files, line)]
    found = [c for c in called(tmp_path, files, line) if c.argv[0].text == "rec"]
    by_words = {tuple(c.shown[1:]): c for c in found}
    maybe = list(by_words.values())
    open_ends = any("||" in text for text in files.values())
    sure = [c for c in by_words.values() if not c.when and not open_ends]
    for run in theirs:
        assert any(is_said(c.argv[1:], run) for c in maybe), (run, [c.shown for c in found])
    for command in sure:
        assert any(is_said(command.argv[1:], run) for run in theirs), command.shown


@pytest.mark.skipif(npm_oracle.NPM is None, reason="npm is not installed")
@pytest.mark.parametrize("case", CASES[::24])
def test_the_recorded_answers_are_those_of_npm(case: "tuple[dict[str, str], str]") -> None:
    assert npm_oracle.runs(*case) == RECORDED[npm_oracle.key(*case)]


# -- other managers ---------------------------------------------------------------------------------------------------

SCRIPTS = {"prebuild": "rec pre", "build": "rec b", "build:a": "rec ba", "build:a:c": "rec bac", "build:d": "rec bd"}
MEMBERS = {
    "a/package.json": json.dumps({"name": "@s/a", "scripts": {"build": "rec a"}}),
    "b/package.json": json.dumps({"name": "b", "scripts": {"build": "rec bb"}}),
}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pnpm build", ["pre", "b"]),
        ("pnpm run build --x y", ["pre", "b --x y"]),
        ("pnpm run build -- y", ["pre", "b -- y"]),
        ("pnpm -C . build", ["pre", "b"]),
        ("pnpm -r build", ["a", "bb"]),
        ("pnpm -r run build -q", ["a -q", "bb -q"]),
        ("pnpm --filter @s/a build", ["a"]),
        ("pnpm --filter=./b run build", ["bb"]),
        ("pnpm -F b build", ["bb"]),
        ("pnpm add build", []),
        ("yarn build --x", ["pre", "b --x"]),
        ("yarn run build", ["pre", "b"]),
        ("yarn run build -- -y", ["pre", "b -y"]),
        ("yarn workspace b build z", ["bb z"]),
        ("yarn workspaces run build", ["a", "bb"]),
        ("yarn workspaces foreach -A run build", ["a", "bb"]),
        ("yarn --cwd b build", ["bb"]),
        ("yarn remove build", []),
        ("bun run build x", ["pre", "b x"]),
        ("bun run --bun build", ["pre", "b"]),
        ("bun build x", []),
        ("run-s build:a build:d", ["ba", "bd"]),
        ("run-s build:*", ["ba", "bd"]),
        ("run-p 'build:**'", ["ba", "bac", "bd"]),
        ("npm-run-all -s build:a --parallel build:d", ["ba", "bd"]),
        ("npm-run-all 'build:a -- -x {1} {@}' -- 1 2", ["ba -x 1 1 2"]),
        ("npx run-s build:a", ["ba"]),
        ("concurrently npm:build:a 'npm:build:d -q' 'rec z'", ["ba", "bd -q"]),
        ("concurrently 'npm:build:*'", ["ba", "bd"]),
        ("npm run build:a --workspaces=false", ["ba"]),
        ("cross-env A=1 npm run build:a", ["ba"]),
        ("npm exec -- npm run build:a", ["ba"]),
    ],
)
def test_other_runners_start_scripts_too(tmp_path: Path, line: str, expected: list[str]) -> None:
    files = {**package(SCRIPTS, workspaces=["a", "b"]), **MEMBERS}
    found = {" ".join(c.shown[1:]) for c in called(tmp_path, files, line) if c.argv[0].text == "rec"}
    assert sorted(found) == sorted(expected)


def test_pnpm_names_its_members_in_a_file_of_its_own(tmp_path: Path) -> None:
    files = {**package({"x": "y"}), **MEMBERS, "pnpm-workspace.yaml": "packages:\n  - '*'\n  - '!b'\n"}
    assert [c.shown for c in called(tmp_path, files, "pnpm -r build")] == [["rec", "a"]]


def test_the_new_yarn_runs_nothing_before_a_script(tmp_path: Path) -> None:
    files = package(SCRIPTS, packageManager="yarn@4.1.0")
    assert [c.shown for c in called(tmp_path, files, "yarn build")] == [["rec", "b"]]


def test_the_environment_of_a_call_goes_with_it(tmp_path: Path) -> None:
    (command,) = called(tmp_path, package({"a": "cross-env B=2 rec $CFLAGS"}), "CFLAGS=-O2 npm run a")
    assert command.shown == ["rec", "-O2"]
    assert {n: v.shown for n, v in command.env.items()} == {"CFLAGS": "-O2", "B": "2"}


def test_scripts_that_call_each_other_end(tmp_path: Path) -> None:
    found = called(tmp_path, package({"a": "npm run b && rec 1", "b": "npm run a && rec 2"}), "npm run a")
    assert {tuple(c.shown) for c in found} >= {("rec", "1"), ("rec", "2")}


# -- as they stand ----------------------------------------------------------------------------------------------------


def read(text: str, **more: "dict[str, str]") -> Reading:
    return reading(npm, text, "package.json", **more)


@pytest.mark.parametrize(
    ("more", "files", "dialects"),
    [
        ("", {}, [Dialect.SH, Dialect.CMD]),
        ('"packageManager": "yarn@4.0.0", ', {}, [Dialect.SH]),
        ('"packageManager": "yarn@1.22.0", ', {}, [Dialect.SH, Dialect.CMD]),
        ('"packageManager": "bun@1.1.0", ', {}, [Dialect.SH]),
        ("", {".npmrc": "script-shell=/bin/bash\n"}, [Dialect.BASH]),
        ("", {".npmrc": "script-shell = pwsh\n"}, [Dialect.POWERSHELL]),
        ('"packageManager": "pnpm@9.0.0", ', {".npmrc": "shell-emulator=true\n"}, [Dialect.SH]),
    ],
)
def test_who_reads_the_scripts(more: str, files: "dict[str, str]", dialects: "list[Dialect]") -> None:
    found = read("{" + more + '"scripts": {"a": "x"}}', files=files)
    assert [s.dialect for s in found.scripts] == dialects


def test_on_windows_it_is_cmd() -> None:
    sh, cmd = read('{"scripts": {"a": "x $A %A%"}}').scripts
    assert sh.platforms == frozenset({"linux-x86_64", "linux-aarch64", "macos-arm64"})
    assert cmd.platforms == frozenset({"windows-x86_64"})


def test_words_stand_where_they_are_written(tmp_path: Path) -> None:
    text = '{"scripts": {"a": "rec \\"q r\\" \\u0041 x"}}'
    (tmp_path / "package.json").write_text(text)
    (command,) = (c for f in collect(Tree(tmp_path), Config()) for c in f.commands)
    spans = [w.pieces[0].route[-1] for w in command.argv]
    assert command.shown == ["rec", "q r", "A", "x"]
    assert [text[s.start : s.end] for s in spans] == ["rec", "q r", "\\u0041", "x"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"scripts": {"a": "x",}}', [(1, None)]),
        ('{\n"scripts": {"a": "x"\n', [(3, None)]),
        ('{"scripts": 1}', [(1, "scripts")]),
        ('{"scripts": {\n"a": 1}}', [(2, "scripts.a")]),
        ('{"name": 1, "scripts": {}}', []),
        ('["scripts", "scripts"]', []),
        ('{"name": "no scripts"', []),
    ],
)
def test_what_is_wrong_is_told_once_with_its_line(text: str, expected: "list[tuple[int, str | None]]") -> None:
    assert problems(read(text)) == expected


def test_every_script_is_read() -> None:
    found = read(json.dumps({"scripts": {"prea": "x", "a": "y z", "b": " "}}, indent="\t"))
    assert [(s.place.task, shown(s)) for s in found.scripts if s.dialect is Dialect.SH] == [("prea", "x"), ("a", "y z")]


@pytest.mark.parametrize(
    ("path", "claimed"), [("package.json", True), ("a/package.json", True), ("package-lock.json", False)]
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert ("npm" in [h.NAME for h in hosts_for(path, b"")]) is claimed
