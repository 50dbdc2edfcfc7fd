"""The whole way from a tree to its report: collect, judge each file, conclude.

What a file was judged as is kept in the tree's memo, so an overlay judges again only the files that it touches. Nothing
here knows of a command line or a format.
"""

from collections.abc import Callable, Iterator

from flagguard.concluding import report
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import FileCommands, collect
from flagguard.exempting import Comment, comments
from flagguard.findings import Judged, Report
from flagguard.judge import judge_file
from flagguard.text import Problem, SourceText
from flagguard.values import dataclass


@dataclass(frozen=True)
class Check:
    """The files with their commands, and what the rules say of them."""

    files: tuple[FileCommands, ...]
    report: Report


@dataclass(frozen=True)
class _Kept:
    """Files by the identity of their commands; what is named is kept alive, so that an identity stays theirs."""

    config: Config
    files: dict[int, tuple[FileCommands, Judged, frozenset[str]]]
    """With the files that were opened for the judgement: response files."""


def check(tree: Tree, config: Config, *, asked: Callable[[str], bool] | None = None, strict: bool = False) -> Check:
    """Judge the tree.

    With ``asked``, only what stands in such files is reported and counted. All is judged even so: whether a rule meets
    enough commands and whether an exemption meets one shows only in the whole tree. ``strict`` lets exceptions through.
    """
    files = collect(tree, config, strict=strict)
    kept = tree.memo.setdefault((check, id(config)), _Kept(config, {}))
    assert isinstance(kept, _Kept)
    judged = [_judged(found, tree, kept, strict) for found in files]
    return Check(files, report(judged, config, asked))


def _judged(found: FileCommands, tree: Tree, kept: _Kept, strict: bool) -> Judged:
    known = kept.files.get(id(found))
    if known is not None and known[0] is found and known[2].isdisjoint(tree.changed):
        return known[1]
    judged, opened = judged_file(found, tree, kept.config, strict)
    if not tree.changed:
        kept.files[id(found)] = (found, judged, opened)
    return judged


def judged_file(found: FileCommands, tree: Tree, config: Config, strict: bool) -> tuple[Judged, frozenset[str]]:
    """What the rules say of the file, and the files that were opened for it besides."""
    opened: set[str] = set()

    def read(path: str) -> SourceText | None:
        opened.add(path)
        return tree.read(path)

    try:
        judged = judge_file(found, config, tuple(_comments(found, tree)), read, tree.read)
    except Exception as error:
        if strict:
            raise
        told = f"internal error while judging {found.path}: {type(error).__name__}: {error}".splitlines()[0]
        judged = Judged(found.path, problems=(*found.problems, Problem(found.path, 1, told)))
    return judged, frozenset(opened)


def _comments(found: FileCommands, tree: Tree) -> Iterator[Comment]:
    """The exempting comments of the file, and of each other file that its commands stand in."""
    for path in sorted({found.path, *(command.span.path for command in found.commands)}):
        source = tree.read(path)
        if source is not None:
            yield from comments(source)
