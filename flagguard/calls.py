"""Calls: commands that start another part of the tree, evaluated with what each call passes (DESIGN 4.3).

A makefile's target, a task or a script is judged where its commands stand, once for each call and with that call's
values. What a command starts, and what it passes, is the format's business (`hosts`); here are the edges and their
bounds. The same part with the same values is evaluated once, however many call it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from flagguard import relevance
from flagguard.command import Command, Place, Reading, Status
from flagguard.handed import MARK, Handed, marked
from flagguard.hosts import PROJECT, Entered, Files, Setting, configures, entered
from flagguard.loosening import Loosened
from flagguard.reaching import Part
from flagguard.text import EMPTY, Problem, SourceText, Span
from flagguard.values import cached_property, dataclass, field, replace
from flagguard.ways import few

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
"""In how many different ways one file of the tree may come to call another,"""
MIN_WAYS = 3
"""in how many at least, however long the other is,"""
MAX_TEXT = 200_000
"""and how many characters of it may be read for them. What is called in more ways is read once for all the others."""


class Recorder:
    """The tree as a reader sees it; remembers what was asked."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.asked: set[str] = set()
        self.listed = False
        self.log: list[str] | None = None
        """Where the questions are told as well, even those asked before."""

    def paths(self) -> Iterable[str]:
        self.listed = True
        return self._files.paths()

    def read(self, path: str) -> SourceText | None:
        self.asked.add(path)
        if self.log is not None:
            self.log.append(path)
        return self._files.read(path)


_Callee = tuple[str, bool]
"""A file that is called, and whether it is read for all callers alike."""


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
    ways: "tuple[tuple[_Callee, object], ...]" = ()
    """What was called on the way, and with which values, in that order,"""
    plain: bool = True
    """whether all of it is in formats that name the variables that they ask for,"""
    cut: bool = False
    """and whether some of it was called in too many ways."""

    @cached_property
    def marked(self) -> tuple[int, ...]:
        """Which of the commands have places of the caller."""
        return marked(self.commands)


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
    _ways: dict[_Callee, set[object]] = field(default_factory=dict)
    """The values with which each file has been called,"""
    _events: list[tuple[_Callee, object]] = field(default_factory=list)
    """and the calls, one after the other."""
    _cut: dict[object, Came] = field(default_factory=dict)
    """What came of calls when others had left no room for what they call."""
    _loosened: Loosened = field(default_factory=Loosened)
    """What is passed to files that are called in too many ways,"""
    _following: list[tuple[Sequence[Command], set[str]]] = field(default_factory=list)
    """the commands that are being followed, those of a call last, and for which such files they were looked through."""
    _asked: dict[str, frozenset[str]] = field(default_factory=dict)
    """The files that each file has come to read when it was called."""

    def follow(self, commands: Iterable[Command], files: Recorder) -> Iterator[tuple[Command, Came]]:
        """What each command that is a call comes to. ``files`` remembers all that was looked at."""
        commands = tuple(commands)
        self._following.append((commands, set()))
        try:
            yield from self._follow(commands, files)
        finally:
            self._following.pop()

    def _follow(self, commands: Sequence[Command], files: Recorder) -> Iterator[tuple[Command, Came]]:
        room = MAX_OF_PROJECTS
        seen: set[object] = set()
        for command in commands:
            project = configures(command)
            if project and room <= 0:
                yield command, Came(problems=(_told(command, _TOO_MANY, files),))
                continue
            came = self._called(command, files)
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

    def _called(self, command: Command, files: Recorder) -> Came | None:
        setting = replace(self.setting, files=files, platforms=command.platforms)
        found = entered(command, setting)
        if found is None or self.excluded(found.path):
            return None
        lean = found.key[0] in relevance.KINDS
        while True:
            asked = self._asked.get(found.path, frozenset((found.path,)))
            names = self._unnamed(command, asked) if lean else frozenset()
            came = self._without(names if lean else None, command, setting, files)
            if came is None or not names:
                return came
            if not came.plain:
                lean = False
            elif came.asked <= asked:
                return came
            else:
                self._asked[found.path] = asked | came.asked

    def _unnamed(self, command: Command, asked: frozenset[str]) -> frozenset[str]:
        """The variables of the call that none of the files names."""
        if not command.env:
            return frozenset()
        texts = [source.text for source in map(self.files.read, sorted(asked)) if source is not None]
        return relevance.unnamed(command.env, command.argv, texts, relevance.of_calls())

    def _gather(self, path: str, files: Recorder) -> None:
        """Note all that those commands which are being followed pass to the file, which is called in too many ways."""
        commands, gathered = self._following[-1]
        if path in gathered:
            return
        gathered.add(path)
        asked = self._asked.get(path, frozenset((path,)))
        for command in commands:
            setting = replace(self.setting, files=files, platforms=command.platforms)
            found = entered(command, setting)
            if found is None or found.path != path or found.looser is None:
                continue
            names = self._unnamed(command, asked) if found.key[0] in relevance.KINDS else frozenset()
            kept = {name: value for name, value in command.env.items() if name not in names}
            found = entered(replace(command, env=kept), setting)
            if found is not None and found.path == path:
                self._loosened.add(found)

    def _without(
        self, names: frozenset[str] | None, command: Command, setting: Setting, files: Recorder
    ) -> Came | None:
        """What the call comes to, where the variables do not matter to it; None: in a format where all may."""
        kept = {name: value for name, value in command.env.items() if name not in (names or ())}
        # marked in any case: calls that differ in what is left out are the same call
        handed = Handed(command if names is None else replace(command, env={**kept, MARK: EMPTY}))
        found = entered(handed.command, setting)
        if found is None:
            return None
        key = (found.key, found.platforms or command.platforms)
        full = self._full((found.path, False), key)
        if full and found.looser is not None:
            slow = self._room((found.path, False)) == MIN_WAYS
            if not slow:
                self._gather(found.path, files)
            self._loosened.add(found, open=slow)
            found = self._loosened.looser(found)
            key = (found.key, found.platforms or command.platforms)
        callee = (found.path, full)
        if full and self._full(callee, key):
            told = f"{found.path} is called in more than {MAX_WAYS} different ways; what this call does is not judged"
            return Came(problems=(replace(_told(command, told, files), message=told, fatal=True),), cut=True)
        came = self._known(key)
        if came is None:
            if any(key == other for other, _ in self._stack):
                return None  # the same with the same values is being evaluated already
            if len(self._stack) >= MAX_DEPTH or sum(path == found.path for _, path in self._stack) >= MAX_AGAIN:
                return Came(problems=(_told(command, "calls follow each other too deeply", files),))
        self._count(callee, key)
        if came is None:
            came = self._fresh(found, command, key)
        else:
            for way in came.ways:
                self._count(*way)
        back = _back(came, handed, files)
        if names is not None:
            back = replace(back, commands=relevance.put_back(back.commands, command.env, names, {}))
        return replace(back, cut=True) if full else back

    def _full(self, callee: _Callee, key: object) -> bool:
        """Whether the file has been called in as many ways as there is room for."""
        known = self._ways.get(callee, ())
        return key not in known and len(known) >= self._room(callee)

    def _room(self, callee: _Callee) -> int:
        path, alike = callee
        source = None if alike else self.files.read(path)
        most = MAX_TEXT // max(len(source.text), 1) if source is not None else MAX_WAYS
        return max(min(most, MAX_WAYS), MIN_WAYS)

    def _count(self, callee: _Callee, key: object) -> None:
        self._ways.setdefault(callee, set()).add(key)
        self._events.append((callee, key))

    def _known(self, key: object) -> Came | None:
        """What the same call came to before, unless there is no more room for what it calls."""
        came = self._cut.get(key)
        if came is not None:
            return came
        came = self.memo.get(key)
        if came is None:
            return None
        new: dict[_Callee, set[object]] = {}
        for callee, way in came.ways:
            known, more = self._ways.get(callee, ()), new.setdefault(callee, set())
            if way not in known and way not in more:
                if len(known) + len(more) >= self._room(callee):
                    return None
                more.add(way)
        return came

    def _fresh(self, found: Entered, command: Command, key: object) -> Came:
        self._stack.append((key, found.path))
        begun = len(self._events)
        try:
            came = self._evaluated(found, command)
        finally:
            self._stack.pop()
        if came.cut:
            self._cut[key] = came
        else:
            came = replace(came, ways=tuple(dict.fromkeys(self._events[begun:])))
            self.memo.keep(key, came)
        return came

    def _evaluated(self, found: Entered, command: Command) -> Came:
        files = Recorder(self.files)
        files.asked.add(found.path)
        setting = replace(self.setting, files=files, platforms=found.platforms or command.platforms)
        reading = found.read(setting)
        files.asked.update(reading.depends)
        direct, problems = self.run(reading, found.path, setting, files)
        commands = list(direct)
        plain, cut = found.key[0] in relevance.KINDS, False
        parts = {(found.path, script.unit) for script in reading.scripts if not script.opt_in}
        parts |= {(found.path, call.unit) for call in reading.calls if not call.opt_in}
        parts.update(part for _, part in reading.follows)
        parts.update((found.path, first) for first, _ in reading.started)
        parts.update((found.path, names) for names in reading.named)
        # A word that the caller hands over stands in the caller's file, which nobody looks at here.
        read = files.asked - {found.path}
        elsewhere = {one.span for one in direct if one.span.path in read and not one.opt_in}
        for caller, came in self.follow(direct, files):
            problems += came.problems
            plain, cut = plain and came.plain, cut or came.cut
            if len(commands) + len(came.commands) > MAX_COMMANDS:
                problems.append(_told(caller, _TOO_MANY, files))
                continue
            commands += [as_called(one, caller) for one in came.commands]
            if not caller.opt_in:
                parts |= came.parts
                elsewhere |= came.elsewhere
        return Came(
            tuple(few(commands)),
            tuple(dict.fromkeys(problems)),
            frozenset(parts),
            frozenset(elsewhere),
            frozenset(files.asked - {MARK}),
            files.listed,
            plain=plain,
            cut=cut,
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
    commands = list(came.commands)
    for index in came.marked:
        commands[index] = handed.command_of(commands[index])
    return replace(came, commands=tuple(commands), problems=problems)


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
