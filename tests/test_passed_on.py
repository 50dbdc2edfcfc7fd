"""passed_on: a program that nobody knows may run the command that it is given."""

from pathlib import Path

import pytest

from flagguard.checking import check
from flagguard.config import load
from flagguard.discover import Tree
from flagguard.findings import Report, Verdict
from flagguard.text import SourceText

OWN = """packs = []
[[rule]]
id = "pinned"
why = "w"
command = ["@c-compiler", "cargo build"]
at-least = 0
forbid = [{ effective = "cpu", value = "native" }]
"""


def told(tmp_path: Path, script: str, rules: str = OWN, **files: str) -> Report:
    for name, text in {"b_sh": script, **files}.items():
        (tmp_path / name.replace("_", ".")).write_text(text)
    loaded = load(SourceText("flagguard.toml", rules))
    assert loaded.problems == ()
    return check(Tree(tmp_path), loaded.config, strict=True).report


@pytest.mark.parametrize(
    "line",
    ["mycache gcc -march=native -c a.c", "./in-docker.sh -q gcc -c a.c", "again 3 cargo build", "x.py -- cc -c a.c"],
)
def test_a_rule_of_the_configuration_is_undecided_there(tmp_path: Path, line: str) -> None:
    (finding,) = told(tmp_path, line + "\n").findings
    program = line.split(maxsplit=1)[0]
    assert finding.verdict is Verdict.UNRESOLVED
    assert finding.message.startswith(f"`{program}` is not known; it may run `")
    assert f'"{program.removeprefix("./")}" = "argv"' in (finding.help or "")


@pytest.mark.parametrize(
    "line",
    [
        "apt-get install gcc -y",
        "which gcc -a",
        "man gcc -k",
        "alien gcc",
        "alien a.c gcc -c",
        'alien "$1" gcc -c a.c',
        "ccache gcc -c a.c",
    ],
)
def test_what_surely_runs_nothing_or_is_known(tmp_path: Path, line: str) -> None:
    assert told(tmp_path, line + "\n").findings == ()


def test_a_script_of_the_tree_is_known(tmp_path: Path) -> None:
    report = told(tmp_path, "./in.sh gcc -c a.c\n", in_sh="#!/bin/sh\necho no\n")
    assert report.findings == ()


def test_a_pack_says_so_in_a_note(tmp_path: Path) -> None:
    report = told(tmp_path, "mycache gcc -march=native -c a.c\n", 'packs = ["cpu-baseline"]\n')
    assert report.findings == ()
    (problem,) = report.problems
    assert (problem.path, problem.line, problem.fatal) == ("b.sh", 1, False)
    assert problem.message.startswith("`mycache` is not known; it may run `gcc -march=native -c a.c`")


@pytest.mark.parametrize("exempting", ["comment", "entry", "wrapper"])
def test_it_can_be_exempted_or_named(tmp_path: Path, exempting: str) -> None:
    rules = OWN
    script = "mycache gcc -c a.c\n"
    if exempting == "comment":
        script = "# flagguard: exempt pinned - it only prints\n" + script
    elif exempting == "entry":
        rules += '[[exempt]]\nrule = "pinned"\nwhere = { path = "b.sh" }\nreason = "it only prints"\n'
    else:
        rules += '[wrappers]\n"mycache" = "argv"\n'
    report = told(tmp_path, script, rules)
    assert (report.findings, report.problems) == ((), ())
