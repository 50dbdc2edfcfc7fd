"""Calls: commands that start another part of the tree, evaluated with what each call passes (DESIGN 4.3).

A makefile's target, a task or a script is judged where its commands stand, once for each call and with that call's
values. What a command starts, and what it passes, is the format's business (`hosts`); here are the edges and their
bounds. The same part with the same values is evaluated once, however many call it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator

from flagguard.command import Command, Place, Reading, Status
from flagguard.handed import MARK, Handed
from flagguard.hosts import PROJECT, Entered, Files, Setting, configures, entered
from flagguard.reaching import Part
from flagguard.text import Problem, SourceText, Span
from flagguard.values import dataclass, field, replace

MAX_DEPTH = 24
"""How many calls may follow each other,"""
MAX_AGAIN = 4
"""how often a file may come up among them,"""
MAX_COMMANDS = 20_000
"""and how many commands may come of one call."""
MAX_OF_PROJECTS = 3_000
"""How many commands may come of the calls of one part that configure projects: each comes to hundreds."""
_TOO_MANY = "too many commands come of the calls to follow them all"
MAX_WAYS = 40
"""In how many different ways one part may call the same file."""


class Recorder:
    """The tree as a reader sees it; remembers what was asked."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.asked: set[str] = set()
        self.listed = False

    def paths(self) -> Iterable[str]:
        self.listed = True
        return self._files.paths()

    def read(self, path: str) -> SourceText | None:
        self.asked.add(path)
        return self._files.read(path)


@dataclass(frozen=True)
class Came:
    """What a part of the tree came to under a call, calls of calls included."""

    commands: tuple[Command, ...] = ()
    problems: tuple[Problem, ...] = ()
    parts: frozenset[Part] = frozenset()
    """The parts that surely run."""
    elsewhere: frozenset[Span] = frozenset()
    """Where commands stand that are reached without a call: in included makefiles, in scripts that are sourced."""
    asked: frozenset[str] = frozenset()
    """Every file that was looked at or looked for."""
    listed: bool = False


Run = Callable[[Reading, str, Setting, Recorder], tuple[list[Command], list[Problem]]]
"""The commands of the scripts that a file came to, and what is wrong with them."""


class Memo:
    """What calls came to, by what they start and with which values.

    ``below``: the memo of the tree that this one is an overlay of; it counts for what the overlay changes nothing of.
    """

    def __init__(self, below: "Memo | None" = None, changed: Collection[str] = (), list_changed: bool = False) -> None:
        self._below = below
        self._changed = changed
        self._list_changed = list_changed
        self._came: dict[object, Came] = {}

    def get(self, key: object) -> Came | None:
        came = self._came.get(key)
        if came is not None or self._below is None:
            return came
        came = self._below.get(key)
        stale = came is None or (self._list_changed and came.listed) or not came.asked.isdisjoint(self._changed)
        return None if stale else came

    def keep(self, key: object, came: Came) -> None:
        self._came[key] = came


@dataclass
class Calls:
    """Follows calls on one tree."""

    files: Files
    setting: Setting
    """Whose files and platforms do not count."""
    excluded: Callable[[str], bool]
    run: Run
    memo: Memo
    _stack: list[tuple[object, str]] = field(default_factory=list)

    def follow(self, commands: Iterable[Command], files: Recorder) -> Iterator[tuple[Command, Came]]:
        """What each command that is a call comes to. ``files`` remembers all that was looked at."""
        ways: dict[str, set[object]] = {}
        room = MAX_OF_PROJECTS
        seen: set[object] = set()
        for command in commands:
            project = configures(command)
            if project and room <= 0:
                yield command, Came(problems=(_told(command, _TOO_MANY, files),))
                continue
            came = self._called(command, files, ways)
            if came is not None:
                came = _new(came, command, seen)
                size = sum(one.place.host == PROJECT for one in came.commands)
                if size > max(room, 0):
                    own = tuple(one for one in came.commands if one.place.host != PROJECT)
                    told = _told(command, _TOO_MANY, files)
                    came = replace(came, commands=own, problems=(*came.problems, told))
                room -= size
                files.asked |= came.asked
                files.listed = files.listed or came.listed
                yield command, came

    def _called(self, command: Command, files: Recorder, ways: dict[str, set[object]]) -> Came | None:
        setting = replace(self.setting, files=files, platforms=command.platforms)
        if entered(command, setting) is None:
            return None
        handed = Handed(command)
        found = entered(handed.command, setting)
        if found is None or self.excluded(found.path):
            return None
        key = (found.key, found.platforms or command.platforms)
        known = ways.setdefault(found.path, set())
        if len(known) >= MAX_WAYS and key not in known:
            told = f"{found.path} is called in more than {MAX_WAYS} different ways; what this call does is not judged"
            return Came(problems=(replace(_told(command, told, files), message=told, fatal=True),))
        known.add(key)
        came = self.memo.get(key)
        if came is not None:
            return _back(came, handed, files)
        if any(key == other for other, _ in self._stack):
            return None  # the same with the same values is being evaluated already
        if len(self._stack) >= MAX_DEPTH or sum(path == found.path for _, path in self._stack) >= MAX_AGAIN:
            return Came(problems=(_told(command, "calls follow each other too deeply", files),))
        self._stack.append((key, found.path))
        try:
            came = self._evaluated(found, command)
        finally:
            self._stack.pop()
        self.memo.keep(key, came)
        return _back(came, handed, files)

    def _evaluated(self, found: Entered, command: Command) -> Came:
        files = Recorder(self.files)
        files.asked.add(found.path)
        setting = replace(self.setting, files=files, platforms=found.platforms or command.platforms)
        reading = found.read(setting)
        files.asked.update(reading.depends)
        direct, problems = self.run(reading, found.path, setting, files)
        commands = list(direct)
        parts = {(found.path, script.unit) for script in reading.scripts if not script.opt_in}
        parts |= {(found.path, call.unit) for call in reading.calls if not call.opt_in}
        parts.update(part for _, part in reading.follows)
        # A word that the caller hands over stands in the caller's file, which nobody looks at here.
        read = files.asked - {found.path}
        elsewhere = {one.span for one in direct if one.span.path in read and not one.opt_in}
        for caller, came in self.follow(direct, files):
            problems += came.problems
            if len(commands) + len(came.commands) > MAX_COMMANDS:
                problems.append(_told(caller, _TOO_MANY, files))
                continue
            commands += [as_called(one, caller) for one in came.commands]
            if not caller.opt_in:
                parts |= came.parts
                elsewhere |= came.elsewhere
        return Came(
            tuple(commands),
            tuple(dict.fromkeys(problems)),
            frozenset(parts),
            frozenset(elsewhere),
            frozenset(files.asked - {MARK}),
            files.listed,
        )


def _new(came: Came, caller: Command, seen: set[object]) -> Came:
    """Less what another call of the same part has come to: projects are much the same however they are configured."""
    if not any(one.place.host == PROJECT for one in came.commands):
        return came
    of = (caller.place, caller.unit, caller.opt_in, caller.status)
    kept = []
    for one in came.commands:
        if one.place.host == PROJECT:
            texts = tuple([word.text for word in one.argv])
            key = (one.span, texts, one.when, one.opt_in, one.platforms, one.directory, of)
            if key in seen:
                continue
            seen.add(key)
        kept.append(one)
    return replace(came, commands=tuple(kept))


def _back(came: Came, handed: Handed, files: Files) -> Came:
    """What a call came to, with the caller's places."""
    problems = came.problems
    if any(problem.path == MARK for problem in problems):
        span = handed.command.span
        source = files.read(span.path)
        line = source.position(span.start)[0] if source is not None else 1
        problems = tuple(replace(p, path=span.path, line=line) if p.path == MARK else p for p in problems)
    return replace(came, commands=tuple(map(handed.command_of, came.commands)), problems=problems)


def as_called(command: Command, caller: Command) -> Command:
    """The command with what its caller brings: the way to it, its worlds, its job."""
    here, there = caller.place, command.place
    place = Place(
        there.host,
        there.task or here.task,
        there.target or here.target,
        there.job or here.job,
        there.step or here.step,
        there.runner or here.runner,
    )
    when = caller.when
    if command.when:
        when = (*when, *(w for w in command.when if w not in when)) if when else command.when
    return replace(
        command,
        place=place,
        via=(*caller.via, caller.span, *command.via),
        when=when,
        opt_in=caller.opt_in or command.opt_in,
        status=Status.IGNORED if caller.status is Status.IGNORED else command.status,
        order=caller.order or command.order,
        needs=caller.needs or command.needs,
    )


def _told(command: Command, what: str, files: Files) -> Problem:
    source = files.read(command.span.path)
    line = source.position(command.span.start)[0] if source is not None else 1
    said = f"{what}; what {command.argv[0].shown} runs here is judged as if nobody called it"
    return Problem(command.span.path, line, said, fatal=False)
