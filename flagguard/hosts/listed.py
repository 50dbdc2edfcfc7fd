"""Formats that say what runs and no more: their commands stand at known ways of keys, which are data.

``data/listed.toml`` has a table for each format, with its manual. A way is written `phases.*.commands` or
`steps[].script`: `*` is each key of a table, `[]` each item of a list. What is found along one way belongs together:
the variables, the folder and the commands before are those of the same keys and items.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from flagguard import tables
from flagguard.command import Reading, Script
from flagguard.hosts import Setting, image_builds
from flagguard.hosts.compose import split
from flagguard.hosts.pipelines import (
    Frame,
    Notes,
    Shell,
    fill,
    guarded,
    is_true,
    lines,
    outside,
    shell_of,
    speaking,
    text,
    texts,
)
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.paths import inside
from flagguard.text import EMPTY, SourceText, Traced, join, literal
from flagguard.values import cached_property, dataclass, replace

_STEP = re.compile(r"([^.\[\]]+)|(\[\])")
_NAMING = ("id", "name", "label", "title", "repo")
_COMMANDS = frozenset("command commands run script".split())
"""Keys that say no more than that something runs."""
_PAIR = re.compile(r"\A(\w+)=", re.ASCII)


@dataclass(frozen=True, slots=True)
class Passed:
    """A value on the way, and what it is called there."""

    step: str
    node: Node
    name: str = ""
    """The key of a table, or what the item of a list calls itself, else its number."""


@cache
def _steps(way: str) -> tuple[str, ...]:
    return tuple(found[0] for found in _STEP.finditer(way))


def _follow(passed: tuple[Passed, ...], steps: Sequence[str]) -> Iterator[tuple[Passed, ...]]:
    """Each value at the end of the steps, with those that lead there."""
    node = passed[-1].node
    if not steps:
        yield passed
    elif steps[0] == "[]":
        for number, item in enumerate(node.items if isinstance(node, Items) else (), 1):
            yield from _follow((*passed, Passed("[]", item, _called(item) or str(number))), steps[1:])
    elif isinstance(node, Table):
        for entry in node.entries if steps[0] == "*" else (e for e in node.entries if e.name == steps[0]):
            name = entry.name if steps[0] == "*" else ""
            yield from _follow((*passed, Passed(steps[0], entry.value, name)), steps[1:])


def _called(item: Node) -> str:
    said = (text(item.get(key)) for key in _NAMING) if isinstance(item, Table) else ()
    return next((one.shown for one in said if one), "")


def _beside(passed: Sequence[Passed], way: str) -> Iterator[Node]:
    """What another way leads to, as far as the two are the same by the same keys and items."""
    steps = _steps(way)
    shared = 0
    for one, step in zip(passed[1:], steps, strict=False):
        if one.step != step:
            break
        shared += 1
    yield from (found[-1].node for found in _follow((passed[shared],), steps[shared:]))


def read(source: SourceText, setting: Setting, name: str) -> Reading:
    """What the file runs; ``name`` is the format's."""
    notes = Notes(setting)
    known = tables.table("hosts/data/listed.toml")[name]

    def scripts() -> Iterator[Script]:
        for root in _documents(source, notes):
            for number, rule in enumerate(known["runs"]):
                yield from _Runs(name, {**known, **rule}, number, source, root, notes).scripts()

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


def _documents(source: SourceText, notes: Notes) -> Sequence[Node]:
    if not source.path.endswith(".toml"):
        from flagguard.hosts import jsonc_text

        return notes.documents(jsonc_text.plain(source) if source.path.endswith(".json") else source, lists=True)[:1]
    from flagguard.hosts.task_tables import toml

    notes.keep(source)
    found = toml(source)
    notes.problems.update(dict.fromkeys(found.problems))
    return [found.root] if found.root is not None else []


class _Runs:
    """What one way of a format leads to."""

    def __init__(
        self, host: str, rule: Mapping[str, Any], number: int, source: SourceText, root: Node, notes: Notes
    ) -> None:
        self.host = host
        self.rule = rule
        self.number = number
        self.folder = source.path.rpartition("/")[0] if rule.get("beside") else ""
        self.root = root
        self.notes = notes

    def scripts(self) -> Iterator[Script]:
        together: list[Traced] = []
        first: tuple[Passed, ...] | None = None
        for count, passed in enumerate(_follow((Passed("", self.root),), _steps(self.rule["at"]))):
            if not self._meant(passed):
                continue
            frame = replace(self._frame(passed), order=(count, self.number))
            job, step = self._names(passed)
            frame = replace(frame, job=job)
            if "argv" in self.rule:
                yield from self._argv(passed, frame, step)
                continue
            commands = [self._said(one) for one in texts(passed[-1].node)]
            if self.rule.get("joined"):
                together += commands
                first = first or passed
            elif self.rule.get("each"):
                for one in commands:
                    yield frame.script(step, one, self._shell(passed, one))
            elif commands:
                body = lines([*self._before(passed), *commands])
                if "quoted" in self.rule:
                    body = join([body, *self._quoted(passed)])
                yield frame.script(step, body, self._shell(passed, body))
        if first is not None and together:
            yield self._frame(first).script(None, lines(together), self._shell(first, EMPTY))

    def _quoted(self, passed: Sequence[Passed]) -> Iterator[Traced]:
        for node in _beside(passed, self.rule["quoted"]):
            for one in texts(node):
                said = self._said(one)
                mark = "" if re.fullmatch(r"[\w./:=+,@%-]+", said.text) else "'"
                yield join([literal(f" {mark}"), said, literal(mark)])

    def _before(self, passed: Sequence[Passed]) -> list[Traced]:
        nodes = (node for way in self.rule.get("before", ()) for node in _beside(passed, way))
        return [self._said(one) for node in nodes for one in texts(node)]

    def _meant(self, passed: Sequence[Passed]) -> bool:
        def says(way: str, pattern: str) -> bool:
            return any(re.fullmatch(pattern, text(node).text, re.DOTALL) for node in _beside(passed, way))

        wanted, others = self.rule.get("only", {}), self.rule.get("unless", {})
        return all(says(*one) for one in wanted.items()) and not any(says(*one) for one in others.items())

    def _names(self, passed: Sequence[Passed]) -> tuple[str | None, str | None]:
        """The job and the step: what the last key says where it says anything, else the last name on the way."""
        names = [one.name for one in passed if one.name]
        own = passed[-1].step if not passed[-1].name else ""
        step = names.pop() if names and own in (*_COMMANDS, "") else own
        return ": ".join(names) or None, step or None

    # -- values

    @cached_property
    def _holes(self) -> "re.Pattern[str] | None":
        return re.compile(self.rule["holes"]) if "holes" in self.rule else None

    @cached_property
    def _given(self) -> Mapping[str, Traced]:
        found: dict[str, Traced] = {}
        for way in self.rule.get("substitutions", ()):
            for node in _beside((Passed("", self.root),), way):
                found |= _pairs(node)
        return found

    def _said(self, whole: Traced) -> Traced:
        """A text with what the format itself replaces."""
        if self._holes is None:
            return whole

        def put(found: "re.Match[str]", written: Traced) -> Traced | None:
            if found[0] == "$$":
                return written.cut(1, 2)
            name = next((group for group in found.groups() if group), found[0])
            value = self._given.get(name)
            if value is not None:
                return value.overridable()
            return outside(name, written.text, self.rule.get("reason", "it is put in when the file is read"))

        return fill(whole, self._holes, put)

    def _frame(self, passed: Sequence[Passed]) -> Frame:
        values: dict[str, Traced] = {}
        given: list[str] = []
        for way in self.rule.get("environment", ()):
            for node in _beside(passed, way):
                values |= {name: self._said(value) for name, value in _pairs(node).items()}
        for way in self.rule.get("outside", ()):
            given += [t.text for node in _beside(passed, way) for t in texts(node)]
        labels = [t.text for way in self.rule.get("runner", ()) for node in _beside(passed, way) for t in texts(node)]
        platforms = speaking(labels, self.notes.setting, self.rule.get("system"))
        if "machine" in self.rule and not labels:
            platforms = frozenset({self.rule["machine"]})
        directory: str | None = self.folder
        for way in self.rule.get("folder", ()):
            for node in _beside(passed, way):
                said = self._said(text(node))
                directory = inside(directory or "", said.text) if said.known and directory is not None else None
        return Frame(
            self.host,
            runner=", ".join(labels) or None,
            platforms=platforms,
            values=values,
            outside=tuple(dict.fromkeys(given)),
            ignored=any(is_true(n) for way in self.rule.get("ignored", ()) for n in _beside(passed, way)),
            directory=directory,
        )

    def _shell(self, passed: Sequence[Passed], body: Traced) -> Shell:
        named = [t.text for way in self.rule.get("shell-at", ()) for n in _beside(passed, way) for t in texts(n)]
        begin = re.match(r"#!\s*(\S.*)", body.text)
        if begin is not None:
            named = begin[1].split()
        return shell_of(named or self.rule.get("shell", "sh").split())

    # -- words

    def _argv(self, passed: Sequence[Passed], frame: Frame, step: str | None) -> Iterator[Script]:
        """Words, each said by the table or by the item; of a list of them the first that there is."""
        item = passed[-1].node
        words: list[Traced] = []
        for written in self.rule["argv"]:
            choices = [written] if isinstance(written, str) else written
            found = next((some for some in (self._words(item, one) for one in choices) if some), [])
            if not found and not words:
                told = self.rule.get("nameless")
                if told is not None:
                    self.notes.tell(item.span, told, step)
                return
            words += found
        yield image_builds.argv(words, frame, step)

    def _words(self, item: Node, written: str) -> list[Traced]:
        key, mark, how = written.removeprefix("@").partition(":")
        if not written.startswith("@"):
            return [literal(written, item.span)]
        found = [self._said(one) for one in texts(item.get(key) if isinstance(item, Table) else None)]
        if how == "split":
            return [word for one in found for word in split(one)]
        named = re.fullmatch(how, found[0].text) if mark and found else None
        if mark:
            return [found[0].cut(*named.span(1))] if named is not None and found[0].known else []
        return found


def _pairs(node: Node) -> dict[str, Traced]:
    """Variables: a table, a list of tables with `name` and `value`, of tables of one, of `NAME=value`."""
    found: dict[str, Traced] = {}
    if isinstance(node, Table):
        return {e.name: text(e.value) for e in node.entries if isinstance(e.value, Scalar)}
    for item in node.items if isinstance(node, Items) else ():
        if isinstance(item, Table):
            name = next((text(item.get(key)) for key in ("name", "key") if item.get(key) is not None), None)
            found |= {name.text: text(item.get("value"))} if name is not None else _pairs(item)
        else:
            whole = text(item)
            pair = _PAIR.match(whole.text)
            if pair is not None:
                found[pair[1]] = whole.cut(pair.end(), len(whole.text))
    return found
