"""SARIF, GitLab's code quality and JUnit: the exact shape."""

import json
import xml.etree.ElementTree as ET
from types import ModuleType

import pytest

from flagguard import __version__
from flagguard.findings import Summary
from flagguard.report import FORMATS, gitlab, junit, report, sarif
from flagguard.report.interface import (
    PLAIN,
    Checked,
    EditRecord,
    Excerpt,
    FindingRecord,
    Listed,
    PlaceRecord,
    Point,
    ProblemRecord,
    Proved,
    Style,
)
from flagguard.report.sentences import digest, fingerprint, numbered, sentence
from flagguard.values import replace

FINDING = FindingRecord(
    "pack/a-rule",
    "error",
    "missing",
    "`gcc` has no <`-c`> & more",
    Point("sub dir/a.sh", 3, 4),
    PlaceRecord("shellscript"),
    via=(Point("Makefile", 7, 2),),
    platforms=("linux-x86_64",),
    when=("$X is set",),
    argv=("gcc", "a.c"),
    origin=Point("b.mk", 2, 5),
    help="write `-c`\nor `-S`",
    why="it links",
    line="gcc a.c",
    marks=(Excerpt(Point("sub dir/a.sh", 3, 4), "   gcc a.c", 3),),
)
WARNING = FindingRecord("w", "warning", "unresolved", "m", Point("a", 1, 1), PlaceRecord("github"))
PROBLEMS = (ProblemRecord(".", 1, "nothing to read"), ProblemRecord("p.yml", 9, "told", fatal=False))
RESULT = Checked(Summary(errors=1, warnings=1), (FINDING, WARNING), PROBLEMS)
STYLE = Style(prefix="top/")
SENTENCE = "`gcc` has no <`-c`> & more on linux-x86_64, when $X is set. Help: write `-c`; or `-S`"
EDITS = (
    EditRecord("sabotage", "drop-flag", "r", "a.sh", 3, "missed", "still clean", "-a\n+b\n"),
    EditRecord("sabotage", "drop-flag", "r", "a.sh", 4, "caught"),
    EditRecord("harmless", "requote", "r", "a.sh", 5, "false-alarm"),
    EditRecord("sabotage", "drop-value", "r", "a.sh", 6, "skipped", "why"),
)
COUNTS = {"sites": 1, "sabotages": 2, "caught": 1, "missed": 1, "harmless": 1, "false_alarms": 1, "score": 50.0}
PROVED = Proved(COUNTS, EDITS)


def shown(module: ModuleType, result: Checked | Proved, style: Style = STYLE) -> str:
    lines = module.check(result, style) if isinstance(result, Checked) else module.sabotage(result, style)
    return "\n".join(lines)


def test_sarif() -> None:
    log = json.loads(shown(sarif, RESULT))
    (run,) = log["runs"]
    assert (log["$schema"], log["version"]) == ("https://json.schemastore.org/sarif-2.1.0.json", "2.1.0")
    assert run["tool"]["driver"] == {
        "name": "flagguard",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [
            {
                "id": "pack/a-rule",
                "name": "PackARule",
                "shortDescription": {"text": "it links"},
                "help": {"text": "`flagguard explain pack/a-rule` tells why, the sources, and how to exempt."},
                "defaultConfiguration": {"level": "error"},
            },
            {
                "id": "w",
                "name": "W",
                "help": {"text": "`flagguard explain w` tells why, the sources, and how to exempt."},
                "defaultConfiguration": {"level": "warning"},
            },
        ],
    }
    place = {"physicalLocation": {"artifactLocation": {"uri": "top/p.yml", "uriBaseId": "SRCROOT"}}}
    place["physicalLocation"]["region"] = {"startLine": 9, "startColumn": 1}  # type: ignore[dict-item]
    assert run["invocations"] == [
        {
            "executionSuccessful": False,
            "toolExecutionNotifications": [
                {"level": "error", "message": {"text": "nothing to read"}},
                {"level": "note", "message": {"text": "told"}, "locations": [place]},
            ],
        }
    ]
    first, second = run["results"]
    assert first["partialFingerprints"] == {"flagguard/v1": fingerprint(FINDING)}
    del first["partialFingerprints"]
    assert first == {
        "ruleId": "pack/a-rule",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": SENTENCE},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "top/sub%20dir/a.sh", "uriBaseId": "SRCROOT"},
                    "region": {"startLine": 3, "startColumn": 4, "endColumn": 7},
                }
            }
        ],
        "properties": {
            "verdict": "missing",
            "platforms": ["linux-x86_64"],
            "when": ["$X is set"],
            "argv": ["gcc", "a.c"],
        },
        "relatedLocations": [
            {
                "id": 0,
                "message": {"text": "decided here"},
                "physicalLocation": {
                    "artifactLocation": {"uri": "top/b.mk", "uriBaseId": "SRCROOT"},
                    "region": {"startLine": 2, "startColumn": 5},
                },
            },
            {
                "id": 1,
                "message": {"text": "called here"},
                "physicalLocation": {
                    "artifactLocation": {"uri": "top/Makefile", "uriBaseId": "SRCROOT"},
                    "region": {"startLine": 7, "startColumn": 2},
                },
            },
        ],
    }
    assert (second["ruleIndex"], second["level"], "relatedLocations" in second) == (1, "warning", False)


def test_sarif_of_a_clean_run() -> None:
    (run,) = json.loads(shown(sarif, Checked(Summary())))["runs"]
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_sarif_of_sabotage_tells_what_was_missed() -> None:
    (run,) = json.loads(shown(sarif, PROVED))["runs"]
    assert [(r["ruleId"], r["message"]["text"], r["properties"]["verdict"]) for r in run["results"]] == [
        ("r", "missed: drop-flag: still clean", "missed"),
        ("r", "false-alarm: requote", "false-alarm"),
    ]


def test_gitlab() -> None:
    assert json.loads(shown(gitlab, RESULT)) == [
        {
            "description": "nothing to read",
            "check_name": "flagguard",
            "fingerprint": digest("problem", ".", "nothing to read"),
            "severity": "blocker",
            "location": {"path": ".", "lines": {"begin": 1}},
        },
        {
            "description": SENTENCE,
            "check_name": "pack/a-rule",
            "fingerprint": fingerprint(FINDING),
            "severity": "major",
            "location": {"path": "top/sub dir/a.sh", "lines": {"begin": 3}},
        },
        {
            "description": "m",
            "check_name": "w",
            "fingerprint": fingerprint(WARNING),
            "severity": "minor",
            "location": {"path": "top/a", "lines": {"begin": 1}},
        },
    ]
    assert shown(gitlab, Checked(Summary())) == "[]"
    assert [e["location"]["lines"]["begin"] for e in json.loads(shown(gitlab, PROVED))] == [3, 5]


def test_junit() -> None:
    root = ET.fromstring(shown(junit, RESULT))
    (suite,) = root
    counts = {"tests": "3", "failures": "1", "errors": "1", "skipped": "0", "time": "0"}
    assert (root.tag, root.attrib) == ("testsuites", counts)
    assert (suite.tag, suite.attrib) == ("testsuite", {"name": "flagguard check", **counts})
    broken, failed, warned, out = suite
    assert (broken.attrib["name"], broken[0].tag, broken[0].attrib) == (
        "could not judge",
        "error",
        {"message": "nothing to read"},
    )
    assert failed.attrib == {
        "classname": "flagguard check",
        "name": "pack/a-rule top/sub dir/a.sh:3:4",
        "file": "top/sub dir/a.sh",
        "line": "3",
        "time": "0",
    }
    assert (failed[0].tag, failed[0].attrib["message"]) == ("failure", SENTENCE)
    assert failed[0].text == "top/sub dir/a.sh:3:4\nargv: gcc a.c\nwrite `-c`\nor `-S`"
    assert [(child.tag, (child.text or "").splitlines()[0]) for child in warned] == [("system-out", "warning: m")]
    assert (out.tag, "1 error, 1 warning" in (out.text or "")) == ("system-out", True)


def test_junit_of_a_clean_run_has_a_test() -> None:
    (suite,) = ET.fromstring(shown(junit, Checked(Summary())))
    assert (suite.attrib["tests"], suite[0].attrib["name"], suite[0][0].tag) == ("1", "nothing was found", "system-out")


def test_junit_of_sabotage_has_a_test_for_each_edit_that_counts() -> None:
    (suite,) = ET.fromstring(shown(junit, PROVED))
    cases = [(c.attrib["line"], [child.tag for child in c]) for c in suite if c.tag == "testcase"]
    assert cases == [("3", ["failure"]), ("4", []), ("5", ["failure"])]


def test_junit_holds_what_xml_may_hold() -> None:
    odd = replace(FINDING, message="a\x1b\udc80\x00\n'\"", line="\x07")
    assert ET.fromstring(shown(junit, Checked(Summary(), (odd,))))[0][0][0].attrib["message"].startswith("a���\n'\" on")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_shows_everything(name: str) -> None:
    module = report(name)
    assert list(module.check(RESULT, PLAIN))
    assert list(module.commands(Listed((), PROBLEMS), PLAIN))
    assert list(module.sabotage(PROVED, PLAIN))


def test_a_fingerprint_survives_lines_above_and_tells_findings_apart() -> None:
    lower = replace(FINDING, at=Point(FINDING.at.file, 9, 9), marks=(), via=(Point("Makefile", 70, 2),))
    assert fingerprint(lower) == fingerprint(FINDING)
    others = [replace(FINDING, argv=("gcc",)), replace(FINDING, rule="x"), replace(FINDING, platforms=())]
    others.append(replace(FINDING, place=PlaceRecord("shellscript", job="j")))
    assert len({fingerprint(one) for one in (FINDING, *others)}) == 5
    marks = [mark for _, mark in numbered([FINDING, lower, WARNING])]
    assert marks == [fingerprint(FINDING), fingerprint(FINDING) + "-2", fingerprint(WARNING)]


def test_a_sentence_repeats_no_platform() -> None:
    said = replace(FINDING, message="no CPU of linux-x86_64", when=(), help="")
    assert sentence(said) == "no CPU of linux-x86_64"
