"""``[wrappers]`` of a configuration: what an entry may say, what is told of a wrong one, and that all heed it."""

from pathlib import Path

import pytest

from flagguard import remembering
from flagguard.checking import check
from flagguard.config import Config, load
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.sabotage import run as sabotage
from flagguard.text import SourceText

RULE = """
packs = []
[[rule]]
id = "optimised"
command = "gcc"
require = [{ flag = "-O2" }]
at-least = 0
[wrappers]
"""


def config(entries: str) -> Config:
    loaded = load(SourceText("flagguard.toml", RULE + entries))
    assert loaded.problems == ()
    return loaded.config


def tree(root: Path, script: str, **files: str) -> Tree:
    (root / "s.sh").write_text(f"#!/bin/bash\nexport A=1\n{script}\n")
    for name, text in files.items():
        (root / name.replace("_", ".")).write_text(text)
    return Tree(root)


@pytest.mark.parametrize(
    ("entries", "line", "argv", "env"),
    [
        ('"ci/run.sh" = "argv"', "./ci/run.sh gcc a.c", "gcc a.c", {"A": "1"}),
        ('"run.sh" = "argv"', '"$ROOT/ci/run.sh" gcc a.c', "gcc a.c", {"A": "1"}),
        ('"run.sh" = "argv"', "bash -x ci/run.sh gcc a.c", "gcc a.c", {"A": "1"}),
        ('"run.py" = "argv"', "python3 -u ci/run.py gcc a.c", "gcc a.c", {"A": "1"}),
        ('"run.py" = "argv"', "sudo -E uv run python ci/run.py gcc a.c", "gcc a.c", {"A": "1"}),
        ('"in-shell" = "text"', "in-shell 'cd x && gcc a.c'", "gcc a.c", {"A": "1"}),
        ('"x.py build" = "argv"', "./x.py build gcc a.c", "gcc a.c", {"A": "1"}),
        ('"x.py build" = "argv"', "./x.py test gcc a.c", "./x.py test gcc a.c", {"A": "1"}),
        ('"docker here" = "argv"', "docker here gcc a.c", "gcc a.c", {"A": "1"}),
        ('"docker here" = "argv"', "docker run IMAGE gcc a.c", "gcc a.c", {}),
        ('"podman here" = "argv"\n"podman there" = "text"', "podman there 'gcc a.c'", "gcc a.c", {"A": "1"}),
        ('w = { options = ["-j --jobs ="] }', "w -j 4 --jobs=2 gcc a.c", "gcc a.c", {"A": "1"}),
        ('w = { options = ["-q"], operands = ["IMAGE"] }', "w -q img gcc a.c", "gcc a.c", {"A": "1"}),
        ('w = { env = "clear", options = ["-e = :assign"] }', "w -e B=2 -e A gcc a.c", "gcc a.c", {"A": "1", "B": "2"}),
        ('w = { env = "clear" }', "w gcc a.c", "gcc a.c", {}),
        ('w = { separator = "required" }', "w x y -- gcc a.c", "gcc a.c", {"A": "1"}),
        ('w = { runs = "option", options = ["-c = :text"] }', "w -c 'gcc a.c' b", "gcc a.c", {"A": "1"}),
        ("w = { assignments = true }", "w B=2 gcc a.c", "gcc a.c", {"A": "1", "B": "2"}),
        ('sudo = { env = "keep" }', "sudo gcc a.c", "gcc a.c", {"A": "1"}),
    ],
)
def test_the_command_inside_is_found(entries: str, line: str, argv: str, env: dict[str, str], tmp_path: Path) -> None:
    (found,) = collect(tree(tmp_path, line), config(entries), strict=True)
    command = found.commands[-1]
    assert (" ".join(command.shown), {n: v.text for n, v in command.env.items()}) == (argv, env)


def test_in_other_shells_too(tmp_path: Path) -> None:
    (tmp_path / "b.ps1").write_text("ci/run.ps1 -Quiet gcc a.c\n")
    (tmp_path / "b.cmd").write_text("call ci\\with-tools.cmd gcc b.c\r\n")
    settings = config('"run.ps1" = { options = ["-Quiet"] }\n"with-tools" = "argv"')
    found = collect(Tree(tmp_path), settings, strict=True)
    assert [" ".join(c.shown) for file in found for c in file.commands] == ["gcc b.c", "gcc a.c"]


@pytest.mark.parametrize(
    ("entries", "key", "told"),
    [
        ('w = "agv"', "w", "must be `argv`, `text` or `option`; did you mean `argv`?"),
        ("w = 3", "w", "must be a string in quotes or a table"),
        ('" " = "argv"', " ", "names no program"),
        ('w = { opts = ["-x"] }', "w.opts", "unknown key `opts`; did you mean `options`?"),
        ('w = { env = "clean" }', "w.env", "must be `keep` or `clear`; did you mean `clear`?"),
        ('w = { separator = "always" }', "w.separator", "must be `options`, `command` or `required`"),
        ('w = { options = ["-e = :asign"] }', "w.options", "unknown `:asign`; did you mean `:assign`?"),
        ('w = { options = ["-e :assign"] }', "w.options", "`-e` takes no value: write `=` for one"),
        ('w = { options = ["e ="] }', "w.options", "`e` is no option's name, no `=` (takes a value)"),
        ('w = { options = [":text"] }', "w.options", "names no option"),
        ('w = { options = "-e" }', "w.options", "must be a list of strings"),
        ("w = { operands = [1] }", "w.operands", "must be a string in quotes"),
        ('w = { assignments = "yes" }', "w.assignments", "must be true or false"),
        ('w = "option"', "w", "runs nothing: no option of it is `:text`"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_key(entries: str, key: str, told: str) -> None:
    problem = load(SourceText("flagguard.toml", RULE + entries)).problems[0]
    assert (problem.line, problem.key) == (RULE.count("\n") + 1, f"wrappers.{key}")
    assert problem.message.startswith(told)


def test_an_array_is_no_table() -> None:
    (problem,) = load(SourceText("flagguard.toml", "wrappers = []")).problems
    assert (problem.line, problem.key, problem.message) == (1, "wrappers", "must be a table")


def test_one_that_starts_no_command_is_an_error(tmp_path: Path) -> None:
    settings = config('"ci/run.sh" = "argv"\n"x.py go" = "argv"')
    problems = check(tree(tmp_path, "bash ci/run.sh gcc -O2 a.c; x.py gone gcc -O2"), settings).report.problems
    assert [(p.line, p.key, p.message) for p in problems] == [
        (RULE.count("\n") + 2, "wrappers.x.py go", "no command is run by `x.py go`")
    ]


def test_check_judges_what_is_inside_and_sabotage_reaches_it(tmp_path: Path) -> None:
    settings = config('w = { operands = ["IMAGE"] }')
    assert len(check(tree(tmp_path, "w img gcc a.c"), settings).report.findings) == 1
    clean = tree(tmp_path, "w img gcc -O2 a.c")
    assert check(clean, settings).report.findings == ()
    result = sabotage(clean, settings)
    assert result.score == 100.0
    assert result.tried > 0


def test_another_entry_is_another_judgement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGGUARD_CACHE", str(tmp_path / "kept"))
    (tmp_path / "tree").mkdir()
    script = tree(tmp_path / "tree", "w img gcc a.c")
    counts = []
    for entries in ("w = { operands = ['IMAGE'] }", 'w = "argv"', "w = { operands = ['IMAGE'] }"):
        counts.append(len(remembering.check(Tree(script.root), config(entries)).report.findings))
        counts.append(len(check(script, config(entries)).report.findings))
    assert counts == [1, 1, 0, 0, 1, 1]
