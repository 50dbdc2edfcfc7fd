"""checking: the whole way from a tree to its report, and the overlay's short way."""

from pathlib import Path

import pytest

from flagguard import checking, judge
from flagguard.checking import check
from flagguard.config import Config, load
from flagguard.discover import Tree
from flagguard.engine import FileCommands
from flagguard.findings import Report
from flagguard.judge import Judged
from flagguard.text import SourceText

CONFIGURATION = """
packs = []

[[rule]]
id       = "pinned"
command  = "mojo build"
require  = [{ flag = "--target-cpu", value = "x86-64-v2" }]
at-least = 2

[[exempt]]
rule   = "pinned"
where  = { path = "b/*" }
reason = "not shipped"
"""
GOOD = "mojo build --target-cpu x86-64-v2 x.mojo\n"
BAD = "mojo build --target-cpu native x.mojo\n"


@pytest.fixture
def config() -> Config:
    loaded = load(SourceText("flagguard.toml", CONFIGURATION))
    assert loaded.problems == ()
    return loaded.config


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    for name, text in {"a/x.sh": BAD, "a/y.sh": GOOD, "b/z.sh": BAD, "c/n.sh": "true\n"}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return Tree(tmp_path)


def found(report: Report) -> list[tuple[str, str]]:
    return [(finding.span.path, finding.verdict.value) for finding in report.findings]


def test_a_tree(tree: Tree, config: Config) -> None:
    result = check(tree, config, strict=True)
    assert [f.path for f in result.files] == ["a/x.sh", "a/y.sh", "b/z.sh", "c/n.sh"]
    assert found(result.report) == [("a/x.sh", "wrong-value")]
    summary = result.report.summary
    assert (summary.files, summary.commands, summary.judged, summary.errors, summary.exempt) == (4, 3, 3, 1, 1)


@pytest.mark.parametrize(
    ("asked", "findings", "counts"),
    [("a/x.sh", [("a/x.sh", "wrong-value")], (1, 1, 1, 0)), ("a/y.sh", [], (1, 1, 0, 0)), ("b/z.sh", [], (1, 1, 0, 1))],
)
def test_part_of_a_tree_is_judged_as_in_the_whole(
    asked: str, findings: list[tuple[str, str]], counts: tuple[int, ...], tree: Tree, config: Config
) -> None:
    """Neither too few commands nor an exemption without any is told of a part that is not meant to hold them."""
    report = check(tree, config, asked=lambda path: path == asked).report
    assert found(report) == findings
    assert report.problems == ()
    summary = report.summary
    assert (summary.files, summary.judged, summary.errors, summary.exempt) == counts


def test_an_overlay_is_judged_like_a_fresh_tree(tree: Tree, config: Config, tmp_path: Path) -> None:
    check(tree, config)
    edited = check(tree.with_text("a/y.sh", BAD).with_text("a/x.sh", "true\n"), config).report
    assert found(edited) == [("a/y.sh", "wrong-value")]
    (tmp_path / "a/y.sh").write_text(BAD)
    (tmp_path / "a/x.sh").write_text("true\n")
    assert check(Tree(tmp_path), config).report == edited
    assert found(check(tree, config).report) == [("a/x.sh", "wrong-value")]


def test_only_what_an_edit_touches_is_judged_again(tree: Tree, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def spy(file: FileCommands, *rest: object) -> Judged:
        judged.append(file.path)
        return judge.judge_file(file, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(checking, "judge_file", spy)
    check(tree, config)
    judged.clear()
    check(tree, config)
    assert judged == []
    check(tree.with_text("a/y.sh", BAD), config)
    assert judged == ["a/y.sh"]


def test_a_defect_in_judging_is_a_problem_and_the_rest_is_judged(
    tree: Tree, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(file: FileCommands, *rest: object) -> Judged:
        if file.path == "a/y.sh":
            raise ValueError("no")
        return judge.judge_file(file, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(checking, "judge_file", broken)
    report = check(tree, config).report
    assert [p.message for p in report.problems] == ["internal error while judging a/y.sh: ValueError: no"]
    assert report.status == 2
    assert ("a/x.sh", "wrong-value") in found(report)
    with pytest.raises(ValueError, match="no"):
        check(Tree(tree.root), config, strict=True)


def test_a_response_file_is_opened_for_the_judgement_and_an_edit_of_it_counts(tmp_path: Path) -> None:
    (tmp_path / "build.sh").write_text("gcc @flags -c x.c\n")
    (tmp_path / "flags").write_text("-O2 -fPIC\n")
    text = "packs = []\n[[rule]]\nid = 'pic'\ncommand = 'gcc'\nrequire = ['-fPIC']\n"
    config = load(SourceText("flagguard.toml", text)).config
    tree = Tree(tmp_path)
    assert found(check(tree, config, strict=True).report) == []
    assert found(check(tree.with_text("flags", "-O2\n"), config, strict=True).report) == [("build.sh", "missing")]
    assert found(check(tree, config, strict=True).report) == []
