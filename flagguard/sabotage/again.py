"""A check after one edit, at the cost of the script that the edit touches.

A script that says what it said before comes to what it came to before: evaluation and judging are pure, and look at
texts, not at where they stand. So only scripts that changed, or that look at an edited file, are evaluated and judged
again; the rest counts as it did. Where that is not sure (exempting comments, response files, a call that is gone), the
whole check runs.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from flagguard.checking import Check, check
from flagguard.command import Call, Command, Script, platforms_named
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import merged
from flagguard.findings import Finding
from flagguard.hosts import Setting, entered, hosts_for
from flagguard.judge import Judged, PlaceKey, conclude, judge_file, place_key
from flagguard.reaching import ALONE
from flagguard.sabotage.fingerprint import Fingerprint, fingerprint, of_command
from flagguard.sabotage.plan import moved
from flagguard.sabotage.tally import Item, counted, gathered, lessened
from flagguard.sabotage.verdicts import After
from flagguard.text import Edit, Problem, SourceText, Span, apply
from flagguard.values import dataclass, field, replace

_EXEMPTING = "flagguard:"
_T = TypeVar("_T")


@dataclass(frozen=True)
class _Commands:
    """What one script came to, in the form that a file is judged in."""

    path: str
    commands: tuple[Command, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class _Part:
    """One script of a file, evaluated and judged."""

    judged: Judged
    depends: frozenset[str]
    reaches: frozenset[Span]


@dataclass(frozen=True)
class _Turn:
    """One piece of a file's reading."""

    fingerprint: Fingerprint
    evaluate: Callable[[], tuple[_Commands, frozenset[str]]]


@dataclass
class _New:
    """What is gathered while the edited tree is judged."""

    judged: list[Judged] = field(default_factory=list)
    commands: list[_Commands] = field(default_factory=list)
    reached: set[Span] = field(default_factory=set)


@dataclass(frozen=True)
class _Sure:
    """What a command comes to that breaks no rule, wherever it stands."""

    matched: frozenset[str]
    perhaps: frozenset[str]
    exemptions: frozenset[int]
    tools: frozenset[str]
    wrappers: frozenset[str]

    def at(self, path: str, key: PlaceKey) -> Judged:
        here = frozenset({key})
        return Judged(
            path,
            matched=dict.fromkeys(self.matched, here),
            perhaps=dict.fromkeys(self.perhaps, here),
            exemptions=self.exemptions,
            tools=self.tools,
            wrappers=self.wrappers,
        )


class _UnsureError(Exception):
    """Only the whole check tells."""


class Again:
    """The clean tree, and checks of it with edits."""

    def __init__(self, tree: Tree, config: Config, clean: Check, strict: bool = False) -> None:
        self._tree = tree
        self._config = config
        self._strict = strict
        self._files = {found.path: found for found in clean.files}
        self._users: dict[str, set[str]] = {}
        for found in clean.files:
            for other in found.depends:
                self._users.setdefault(other, set()).add(found.path)
        self._reached = frozenset[Span]().union(*(f.reaches for f in clean.files if f.reaches))
        calls = [(f.path, part[0]) for f in clean.files for name, part in f.calls if not name.startswith(ALONE)]
        self._linked = {path for pair in calls for path in pair}
        self._linked.update(f.path for f in clean.files if any(c.root is not None for c in f.commands))
        """Files that call, or are called: what they come to is the whole check's business."""
        self._opened: set[str] = set()
        self._sure: dict[Fingerprint, _Sure] = {}
        self._parts: dict[str, dict[Fingerprint, list[_Part]]] = {}
        self._whole: dict[str, list[Item]] = {}
        self._total: Counter[Item] = Counter()
        self._all_of_it: dict[tuple[str, object], frozenset[object]] = {}
        self._rest: tuple[frozenset[str], Judged] | None = None
        self._counted = frozenset(rule.id for rule in config.rules if rule.at_least)
        self._problems = Counter((p.path, p.message) for p in clean.report.problems)
        self._findings = Counter(_said(f) for f in clean.report.findings)

    def after(self, edits: tuple[Edit, ...]) -> After:
        """What the check says after the edits that it did not say before."""
        tree, edited = self._edited(edits)
        if self._config.entries:  # which entry reaches a command shows only in the whole
            return self._all(tree, edited)
        try:
            return self._some(tree, edits, edited)
        except _UnsureError:
            return self._all(tree, edited)

    def whole(self, edits: tuple[Edit, ...]) -> After:
        """The same by the whole check."""
        return self._all(*self._edited(edits))

    def _edited(self, edits: tuple[Edit, ...]) -> tuple[Tree, dict[str, SourceText]]:
        tree = self._tree
        edited: dict[str, SourceText] = {}
        for path in sorted({edit.span.path for edit in edits}):
            source = tree.read(path)
            assert source is not None
            text = apply(source.text, [e for e in edits if e.span.path == path])
            tree = tree.with_text(path, text)
            edited[path] = SourceText(path, text)
        return tree, edited

    def _all(self, tree: Tree, edited: Mapping[str, SourceText]) -> After:
        found = check(tree, self._config, strict=self._strict)
        commands = (c for file in found.files for c in file.commands)
        return self._difference(found.report.findings, found.report.problems, commands, edited, tree)

    def _difference(
        self,
        findings: Iterable[Finding],
        problems: Iterable[Problem],
        commands: Iterable[Command],
        edited: Mapping[str, SourceText],
        tree: Tree,
    ) -> After:
        standing: dict[str, list[Command]] = {}
        for command in commands:
            standing.setdefault(command.span.path, []).append(command)
        return After(
            tuple(f for f in findings if f.fails or _said(f) not in self._findings),
            tuple(p for p in problems if (p.path, p.message) not in self._problems),
            standing,
            edited,
            tree.read,
        )

    # -- only what changed --------------------------------------------------------------------------------------------

    def _some(self, tree: Tree, edits: tuple[Edit, ...], edited: Mapping[str, SourceText]) -> After:
        changed = frozenset(edited)
        affected = frozenset(changed.union(*(self._users.get(path, ()) for path in changed)))
        for path in affected:
            if _EXEMPTING in self._text(self._tree, path) or _EXEMPTING in self._text(tree, path):
                raise _UnsureError
        if not affected.isdisjoint(self._linked):
            raise _UnsureError
        new = _New()
        before: set[Span] = set()
        for path in sorted(affected):
            if path in self._files:
                self._file(path, tree, changed, edits, new)
                before |= self._files[path].reaches
        if changed & self._opened:
            raise _UnsureError
        if not {s for s in (_shifted(span, edits) for span in before) if s is not None} <= new.reached:
            raise _UnsureError
        elsewhere = self._reached - before
        for found in new.commands:
            kept = tuple(
                c
                for c in found.commands
                if c.span.path != found.path or (c.span not in new.reached and c.span not in elsewhere)
            )
            new.judged.append(self._judge(replace(found, commands=kept), tree))
        report = conclude([self._others(affected), *new.judged], self._config)
        commands = (c for found in new.commands for c in found.commands)
        return self._difference(report.findings, report.problems, commands, edited, tree)

    def _text(self, tree: Tree, path: str) -> str:
        source = tree.read(path)
        return source.text if source is not None else ""

    def _file(self, path: str, tree: Tree, changed: frozenset[str], edits: tuple[Edit, ...], new: _New) -> None:
        """The file in the edited tree: the parts that stay, and the commands of those that do not."""
        parts = self._parts_of(path)
        left = {fingerprint: list(found) for fingerprint, found in parts.items()}
        problems, turns = self._read(path, tree)
        commands: list[Command] = []
        for turn in turns:
            found = left.get(turn.fingerprint)
            if found and found[-1].depends.isdisjoint(changed):
                part = found.pop()
                new.judged.append(_kept(part.judged, edits, self._counted))
                new.reached.update(s for s in (_shifted(span, edits) for span in part.reaches) if s is not None)
            else:
                came, _ = turn.evaluate()
                commands += came.commands
                problems += came.problems
        together = merged(commands)
        new.reached.update(c.span for c in together if c.span.path != path)
        new.commands.append(_Commands(path, together, tuple(problems)))

    def _read(self, path: str, tree: Tree) -> tuple[list[Problem], list[_Turn]]:
        source = tree.read(path)
        if source is None:
            raise _UnsureError
        platforms = tuple(self._config.baseline) or platforms_named(source)
        config = self._config
        setting = Setting(tree, platforms, config.assume, config.wrapper_table, config.runners)
        problems: list[Problem] = []
        turns: list[_Turn] = []
        for host in hosts_for(path, tree.head(path) or b""):
            reading = self._guarded(lambda h=host: h.read(source, setting))  # type: ignore[misc]
            problems += reading.problems
            for script in reading.scripts:
                turns.append(_Turn(fingerprint(script, platforms), self._script(script, setting, path)))
            for call in reading.calls:
                turns.append(_Turn(fingerprint(call, platforms), self._call(call, setting, path)))
        return problems, turns

    def _guarded(self, stage: Callable[[], _T]) -> _T:
        try:
            return stage()
        except Exception as error:
            if self._strict:
                raise
            raise _UnsureError from error

    def _script(self, script: Script, setting: Setting, path: str) -> Callable[[], tuple[_Commands, frozenset[str]]]:
        def evaluated() -> tuple[_Commands, frozenset[str]]:
            from flagguard.shell import evaluate

            allowed = setting.platforms if script.platforms is None else tuple(sorted(script.platforms))
            came = self._guarded(lambda: evaluate(script, replace(setting, platforms=allowed)))
            if any(entered(command, setting) is not None for command in came.commands):
                raise _UnsureError
            return _Commands(path, came.commands, came.problems), frozenset(came.depends)

        return evaluated

    def _call(self, call: Call, setting: Setting, path: str) -> Callable[[], tuple[_Commands, frozenset[str]]]:
        platforms = setting.platforms if call.platforms is None else tuple(sorted(call.platforms))
        command = Command(
            call.argv,
            call.place,
            call.span,
            call.span,
            env={variable.name: variable.value for variable in call.env},
            platforms=platforms,
            when=call.when,
        )
        return lambda: (_Commands(path, (command,)), frozenset())

    # -- what was there before ----------------------------------------------------------------------------------------

    def _parts_of(self, path: str) -> dict[Fingerprint, list[_Part]]:
        if path not in self._parts:
            parts: dict[Fingerprint, list[_Part]] = {}
            for turn in self._read(path, self._tree)[1]:
                came, depends = turn.evaluate()
                kept = tuple(c for c in merged(came.commands) if c.span.path != path or c.span not in self._reached)
                judged = self._judge(replace(came, commands=kept), self._tree)
                reaches = frozenset(c.span for c in came.commands if c.span.path != path)
                parts.setdefault(turn.fingerprint, []).append(_Part(judged, depends, reaches))
            self._parts[path] = parts
        return self._parts[path]

    def _judge(self, found: _Commands, tree: Tree) -> Judged:
        """Each command by itself; one that says what another said before is known."""
        came = [self._command(command, found.path, tree) for command in found.commands]
        return Judged(
            found.path,
            findings=tuple(f for one in came for f in one.findings),
            problems=found.problems,
            matched=_union(one.matched for one in came),
            perhaps=_union(one.perhaps for one in came),
            exemptions=frozenset[int]().union(*(one.exemptions for one in came)),
            tools=frozenset[str]().union(*(one.tools for one in came)),
            wrappers=frozenset[str]().union(*(one.wrappers for one in came)),
        )

    def _command(self, command: Command, path: str, tree: Tree) -> Judged:
        said = of_command(command)
        known = self._sure.get(said)
        if known is not None:
            return known.at(path, place_key(command))
        opened: set[str] = set()

        def read(name: str) -> SourceText | None:
            opened.add(name)
            return tree.read(name)

        judged = self._guarded(lambda: judge_file(_Commands(path, (command,)), self._config, (), read))
        self._opened |= opened
        if not judged.findings and not opened:
            counted = self._counted
            self._sure[said] = _Sure(
                frozenset(judged.matched) & counted,
                frozenset(judged.perhaps) & counted,
                judged.exemptions,
                judged.tools,
                judged.wrappers,
            )
        return judged

    def _others(self, affected: frozenset[str]) -> Judged:
        """What all the other files come to, as one; kept for the next edit of the same file."""
        if self._rest is None or self._rest[0] != affected:
            if not self._whole:
                self._whole = {path: list(counted(self._counts(path))) for path in self._files}
                self._total = Counter(item for items in self._whole.values() for item in items)
                self._all_of_it = gathered(self._total)
            gone = Counter(item for path in affected for item in self._whole.get(path, ()))
            self._rest = affected, lessened(self._all_of_it, {i for i, n in gone.items() if self._total[i] == n})
        return self._rest[1]

    def _counts(self, path: str) -> Judged:
        from flagguard.exempting import comments

        found = self._files[path]
        paths = sorted({path, *(command.span.path for command in found.commands)})
        spoken = [c for p in paths if (source := self._tree.read(p)) is not None for c in comments(source)]
        judged = judge_file(found, self._config, tuple(spoken), self._tree.read)
        return _kept(judged, (), self._counted)


def _said(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.message, finding.span.path


def _shifted(span: Span, edits: tuple[Edit, ...]) -> Span | None:
    start, last = moved(span.start, span.path, edits), moved(max(span.end - 1, span.start), span.path, edits)
    return None if start is None or last is None else Span(span.path, start, last + (span.end > span.start))


def _kept(judged: Judged, edits: tuple[Edit, ...], counted: frozenset[str]) -> Judged:
    """What still counts of a part that did not change, where it stands now."""
    return Judged(
        judged.path,
        matched={rule: frozenset(_placed(keys, edits)) for rule, keys in judged.matched.items() if rule in counted},
        perhaps={rule: frozenset(_placed(keys, edits)) for rule, keys in judged.perhaps.items() if rule in counted},
        exemptions=judged.exemptions,
        tools=judged.tools,
        wrappers=judged.wrappers,
    )


def _placed(keys: Iterable[PlaceKey], edits: tuple[Edit, ...]) -> Iterator[PlaceKey]:
    for key in keys:
        start = moved(key.start, key.path, edits)
        if start is not None:
            yield key if start == key.start else replace(key, start=start)


def _union(tables: Iterable[Mapping[str, frozenset[PlaceKey]]]) -> dict[str, frozenset[PlaceKey]]:
    out: dict[str, set[PlaceKey]] = {}
    for table in tables:
        for rule, keys in table.items():
            out.setdefault(rule, set()).update(keys)
    return {rule: frozenset(keys) for rule, keys in out.items()}
