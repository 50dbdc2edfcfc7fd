"""The machine format: its field names are a contract (DESIGN 6)."""

import json
from dataclasses import replace

from flagguard.findings import Summary
from flagguard.report import json as report
from flagguard.report.interface import (
    PLAIN,
    Checked,
    CommandRecord,
    EditRecord,
    FindingRecord,
    HoleRecord,
    Listed,
    PlaceRecord,
    Point,
    ProblemRecord,
    Proved,
)

NOWHERE = {"host": None, "task": None, "target": None, "job": None, "step": None, "runner": None}
FINDING = FindingRecord(
    "r", "error", "missing", "m", Point("a", 1, 2), PlaceRecord("github", job="j", step="s", runner="macos-15")
)


def parsed(lines: object) -> dict[str, object]:
    value = json.loads("\n".join(lines))  # type: ignore[call-overload]
    assert isinstance(value, dict)
    return value


def test_check() -> None:
    full = replace(
        FINDING,
        via=(Point("b", 3, 4),),
        platforms=("linux-x86_64",),
        when=("w",),
        argv=("cc", "-O2"),
        origin=Point("c", 5, 6),
        help="h",
    )
    result = Checked(Summary(1, 2, 3, 4, 5, 6, 7), (FINDING, full), (ProblemRecord("p", 9, "broken", fatal=False),))
    place = NOWHERE | {"host": "github", "job": "j", "step": "s", "runner": "macos-15"}
    common = {"rule": "r", "severity": "error", "verdict": "missing", "message": "m", "file": "a", "line": 1}
    common |= {"column": 2, "place": place}
    assert parsed(report.check(result, PLAIN)) == {
        "schema": 1,
        "summary": {
            "files": 1,
            "commands": 2,
            "judged": 3,
            "errors": 4,
            "warnings": 5,
            "unresolved": 6,
            "exempt": 7,
        },
        "findings": [
            common | {"via": [], "platforms": [], "when": [], "argv": [], "origin": None, "help": ""},
            common
            | {
                "via": [{"file": "b", "line": 3}],
                "platforms": ["linux-x86_64"],
                "when": ["w"],
                "argv": ["cc", "-O2"],
                "origin": {"file": "c", "line": 5, "column": 6},
                "help": "h",
            },
        ],
        "problems": [{"file": "p", "line": 9, "message": "broken"}],
    }


def test_commands() -> None:
    command = CommandRecord(
        Point("a", 1, 2),
        PlaceRecord("poe", task="t"),
        (Point("b", 3, 4),),
        ("linux-x86_64",),
        ("w",),
        (("uv", "run"),),
        ("mojo", "build", "$X"),
        (HoleRecord(2, "$X", "r"),),
        {"A": "1"},
        "honoured",
        "mojo build $X",
    )
    assert parsed(report.commands(Listed((command,)), PLAIN)) == {
        "schema": 1,
        "commands": [
            {
                "file": "a",
                "line": 1,
                "column": 2,
                "place": NOWHERE | {"host": "poe", "task": "t"},
                "via": [{"file": "b", "line": 3}],
                "platforms": ["linux-x86_64"],
                "when": ["w"],
                "wrappers": [["uv", "run"]],
                "program": "mojo",
                "argv": ["mojo", "build", "$X"],
                "holes": [{"index": 2, "text": "$X", "reason": "r"}],
                "env": {"A": "1"},
                "status": "honoured",
            }
        ],
        "problems": [],
    }


def test_sabotage() -> None:
    edit = EditRecord("sabotage", "drop-flag", "r", "a", 3, "caught", "d", "-x\n")
    summary: dict[str, int | float] = {"sites": 1, "score": 100.0}
    assert parsed(report.sabotage(Proved(summary, (edit,)), PLAIN)) == {
        "schema": 1,
        "summary": {"sites": 1, "score": 100.0},
        "edits": [
            {
                "kind": "sabotage",
                "operator": "drop-flag",
                "rule": "r",
                "file": "a",
                "line": 3,
                "verdict": "caught",
                "detail": "d",
                "diff": "-x\n",
            }
        ],
        "problems": [],
    }
