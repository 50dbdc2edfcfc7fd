"""From a tree to its commands: which reader reads each file, on which platforms, and what came of it.

The only stage that knows all the others up to the commands; it knows nothing of tools, rules or reports. What a file
came to is kept in the tree's memo together with the files that were looked at on the way, so that an overlay
re-evaluates the changed file and those that depend on it, and nothing else.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from flagguard.calls import Calls, Memo, Recorder, as_called
from flagguard.command import Call, Command, Dialect, Reading, Script, Status, Word, platforms_named
from flagguard.config import Config
from flagguard.discover import Tree, excluded
from flagguard.hosts import Host, Setting, folded, hosts_for
from flagguard.reaching import ALONE, Part, left_out
from flagguard.renaming import among
from flagguard.text import Problem, SourceText, Span, literal
from flagguard.values import dataclass, field, replace
from flagguard.ways import alike

if TYPE_CHECKING:
    from flagguard.shell import Evaluation

_T = TypeVar("_T")


@dataclass(frozen=True)
class FileCommands:
    """What one file of the tree came to."""

    path: str
    hosts: tuple[str, ...]
    """The formats that it was read as."""
    commands: tuple[Command, ...] = ()
    problems: tuple[Problem, ...] = ()
    depends: frozenset[str] = frozenset()
    """Every file that was looked at or looked for."""
    lists: bool = False
    """The list of the tree's files was looked at."""
    reaches: frozenset[Span] = frozenset()
    """Where commands of other files stand that run without a call: in an included makefile, in a sourced script."""
    calls: frozenset[tuple[str, Part]] = frozenset()
    """Which of its parts calls which parts of the tree."""
    unread: tuple[Command, ...] = ()
    """Texts in languages that are not read: the text as the one word, the language as the wrapper."""
    less: "dict[object, FileCommands]" = field(default_factory=dict, compare=False)
    """Without what others run of it, as far as that was asked for."""


@dataclass(frozen=True)
class _Base:
    """The files of a tree without an overlay, and who depends on whom."""

    files: Mapping[str, FileCommands]
    dependents: Mapping[str, frozenset[str]]
    listers: frozenset[str]


@dataclass
class _Gathering:
    """What comes together while one file is evaluated."""

    path: str
    strict: bool
    evaluated: "Callable[[Script, Setting, Recorder], Evaluation]"
    commands: list[Command] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unread: list[Command] = field(default_factory=list)
    follows: list[tuple[str, Part]] = field(default_factory=list)

    def guard(self, line: int, stage: Callable[[], _T]) -> _T | None:
        """The stage's result; a defect of ours becomes a problem at that line instead of ending the run."""
        try:
            return stage()
        except Exception as error:
            if self.strict:
                raise
            told = f"internal error while reading {self.path}: {type(error).__name__}: {error}"
            self.problems.append(Problem(self.path, line, told.splitlines()[0]))
            return None


def collect(tree: Tree, config: Config, *, strict: bool = False) -> tuple[FileCommands, ...]:
    """The commands of every file that a host reads, in the order of the paths.

    ``strict`` lets a reader's exceptions through, for tests.
    """
    known = (tuple(sorted(config.assume.items())), repr(config.wrappers), tuple(sorted(config.runners.items())))
    key = (collect, config.exclude, tuple(config.baseline), known, config.entries, strict)
    base = tree.memo.get(key)
    if not isinstance(base, _Base):
        files = {path: found for path in tree.base.paths() if (found := commands_of(path, tree.base, config, strict))}
        base = tree.memo[key] = _Base(files, _dependents(files), frozenset(p for p, f in files.items() if f.lists))
    if not tree.changed:
        return _once(base.files.values())
    return _once(_overlaid(base, tree, config, strict))


def _once(files: Iterable[FileCommands]) -> tuple[FileCommands, ...]:
    """Each command where somebody runs it: what others reach is not listed a second time as if run alone."""
    files = tuple(files)
    shares = left_out((found.path, found.reaches, found.calls) for found in files)
    return tuple(without(found, *shares[found.path]) if found.path in shares else found for found in files)


def without(found: FileCommands, spans: Collection[Span], parts: Collection[str]) -> FileCommands:
    """The file less what others run of it: the commands at ``spans``, and ``parts``, with all that they call."""
    if not spans and not parts:
        return found
    key = (frozenset(spans), frozenset(parts))
    known = found.less.get(key)
    if known is None:
        kept = tuple(c for c in found.commands if not among(c.unit, parts) and (c.root or c.span) not in spans)
        known = found if len(kept) == len(found.commands) else replace(found, commands=kept, less={})
        found.less[key] = known
    return known


def _dependents(files: Mapping[str, FileCommands]) -> dict[str, frozenset[str]]:
    turned: dict[str, set[str]] = {}
    for path, found in files.items():
        for other in found.depends:
            turned.setdefault(other, set()).add(path)
    return {path: frozenset(users) for path, users in turned.items()}


def _overlaid(base: _Base, tree: Tree, config: Config, strict: bool) -> Iterator[FileCommands]:
    affected = set(tree.changed)
    for path in tree.changed:
        affected |= base.dependents.get(path, frozenset())
    if len(tree.paths()) != len(tree.base.paths()):
        affected |= base.listers
    again = {path: commands_of(path, tree, config, strict) for path in affected}
    paths = base.files if affected <= base.files.keys() else sorted(base.files.keys() | affected)
    for path in paths:
        found = again[path] if path in affected else base.files[path]
        if found is not None:
            yield found


def commands_of(path: str, tree: Tree, config: Config, strict: bool) -> FileCommands | None:
    """The commands of one file, as if no other reached them; None where no host claims it."""
    if config.exclude and excluded(path, config.exclude):
        return None
    head = tree.head(path)
    hosts = hosts_for(path, head or b"")
    if not hosts and head is not None:
        return None
    source = tree.read(path)
    if source is None:
        trouble = tree.trouble(path)
        if trouble is None:
            return None
        return FileCommands(path, tuple(h.NAME for h in hosts), problems=(Problem(path, 1, trouble),))
    linked = tree.links_to(path)
    if linked is not None and hosts_for(linked, tree.head(linked) or b"") and not excluded(linked, config.exclude):
        return None
    return _evaluated(source, hosts, tree, config, strict)


def _evaluated(source: SourceText, hosts: list[Host], tree: Tree, config: Config, strict: bool) -> FileCommands:
    files = Recorder(tree)
    files.asked.add(source.path)
    platforms = tuple(config.baseline) or platforms_named(source)
    setting = Setting(files, platforms, config.assume, config.wrapper_table, config.runners)
    gathering = _Gathering(source.path, strict, _evaluator(source.path, tree, config))
    started: set[tuple[str, Part]] = set()
    for host in hosts:
        reading = gathering.guard(1, lambda host=host: host.read(source, setting))  # type: ignore[misc]
        if reading is not None:
            files.asked.update(reading.depends)
            _scripts(reading, source, setting, gathering, files)
            gathering.commands += [_command(call, setting) for call in reading.calls]
            gathering.follows += reading.follows
            started |= {(f"{ALONE}{first}", (source.path, part)) for first, part in reading.started}
            started |= {(ALONE, (source.path, names)) for names in reading.named}
    # what a reader follows itself it names: parts, not places
    followed = {part[0] for _, part in gathering.follows}
    elsewhere = {c.span for c in gathering.commands if c.span.path not in followed | {source.path}}
    calls = _followed(gathering, files, tree, config, strict, elsewhere) | set(gathering.follows) | started
    calls |= gathering.guard(1, lambda: _fold(gathering, setting, files)) or set()
    if config.entries:
        gathering.guard(1, lambda: _entered(gathering, [host.NAME for host in hosts], files, tree, config))
    return FileCommands(
        source.path,
        tuple(host.NAME for host in hosts),
        merged(gathering.commands),
        tuple(dict.fromkeys(sorted(gathering.problems))),
        frozenset(files.asked),
        files.listed,
        frozenset(elsewhere),
        frozenset(calls),
        tuple(gathering.unread),
    )


def _scripts(reading: Reading, source: SourceText, setting: Setting, gathering: _Gathering, files: Recorder) -> None:
    """The commands of a reading's scripts."""
    gathering.problems += reading.problems
    for script in reading.scripts:
        here = replace(setting, platforms=_platforms(script, setting))
        if script.dialect is Dialect.UNREAD:
            text = _unread(script, here.platforms)
            gathering.unread += [text] if text is not None else []
        evaluation = gathering.guard(_line(script, source), lambda s=script, h=here: gathering.evaluated(s, h, files))  # type: ignore[misc]
        if evaluation is not None:
            facts = (script.unit, script.order, script.needs)
            gathering.commands += (_with(c, *facts) for c in evaluation.commands) if any(facts) else evaluation.commands
            gathering.problems += evaluation.problems
            gathering.unread += evaluation.texts
            files.asked.update(evaluation.depends)


def _fold(gathering: _Gathering, setting: Setting, files: Recorder) -> set[tuple[str, Part]]:
    """Adds to the commands what other files add to them; gives what those parts are."""
    commands: list[Command] = []
    pairs: set[tuple[str, Part]] = set()
    for command in gathering.commands:
        found = folded(command, replace(setting, files=files, platforms=command.platforms))
        commands += (command,) if found is None else found.commands
        if found is not None:
            gathering.problems += found.problems
        if found is not None and not command.opt_in:
            pairs.update((command.unit, part) for part in found.parts)
    gathering.commands = commands
    return pairs


def _entered(gathering: _Gathering, hosts: list[str], files: Recorder, tree: Tree, config: Config) -> None:
    """Says of each command which entry points of the configuration reach it."""
    from flagguard.entries import Read, marked

    plain = replace(config, rules=(), exemptions=())

    def look(path: str, tree: Tree) -> Read | None:
        found = commands_of(path, tree, plain, gathering.strict)
        return Read(found.hosts, found.commands, found.depends | {path}) if found is not None else None

    commands, asked = marked(gathering.commands, gathering.path, hosts, config.entries, tree, look)
    gathering.commands = list(commands)
    files.asked |= asked
    files.listed = True


def _with(command: Command, unit: str, order: tuple[int, ...], needs: tuple[str, ...]) -> Command:
    return replace(command, unit=unit, order=order, needs=needs)


def _followed(
    gathering: _Gathering, files: Recorder, tree: Tree, config: Config, strict: bool, elsewhere: set[Span]
) -> set[tuple[str, Part]]:
    """The calls: adds what they come to, and where that stands; gives who calls which parts."""

    def run(reading: Reading, path: str, setting: Setting, files: Recorder) -> tuple[list[Command], list[Problem]]:
        inner = _Gathering(path, strict, gathering.evaluated)
        here = [s for s in reading.scripts if s.platforms is None or s.platforms & set(setting.platforms)]
        cut = [s if s.platforms is None else replace(s, platforms=s.platforms & set(setting.platforms)) for s in here]
        source = tree.read(path) or SourceText(path, "")
        _scripts(replace(reading, scripts=tuple(cut)), source, setting, inner, files)
        allowed = set(setting.platforms)
        calls = [c if c.platforms is None else replace(c, platforms=c.platforms & allowed) for c in reading.calls]
        inner.commands += [_command(c, setting) for c in calls if c.platforms is None or c.platforms]
        return inner.commands, inner.problems

    pairs: set[tuple[str, Part]] = set()
    follower = Calls(
        tree,
        Setting(tree, (), config.assume, config.wrapper_table),
        lambda path: bool(config.exclude) and excluded(path, config.exclude),
        run,
        _memo(tree, config, strict),
    )
    direct = tuple(gathering.commands)
    for caller, came in gathering.guard(1, lambda: tuple(follower.follow(direct, files))) or ():
        called = (as_called(one, caller) for one in came.commands)
        gathering.commands += [replace(one, unit=caller.unit, root=caller.span) for one in called]
        gathering.problems += came.problems
        if not caller.opt_in:
            elsewhere |= came.elsewhere
            pairs.update((caller.unit, part) for part in came.parts)
    return pairs


def _evaluator(path: str, tree: Tree, config: Config) -> "Callable[[Script, Setting, Recorder], Evaluation]":
    """How scripts are evaluated: in a tree without an overlay no two times where they say the same."""
    if tree.changed:
        from flagguard.shell import evaluate

        return lambda script, setting, files: evaluate(script, setting)
    from flagguard.sharing import Scripts

    key = (_evaluator, tuple(sorted(config.assume.items())), repr(config.wrappers))
    scripts = tree.memo.setdefault(key, Scripts())
    assert isinstance(scripts, Scripts)
    return scripts.of(path).evaluated


def _memo(tree: Tree, config: Config, strict: bool) -> Memo:
    """What calls came to before, in this tree or in the one that it is an overlay of."""
    key = (_memo, config.exclude, tuple(sorted(config.assume.items())), repr(config.wrappers), strict)
    base = tree.memo.setdefault(key, Memo())
    assert isinstance(base, Memo)
    if not tree.changed:
        return base
    over = tree.memo.get((*key, "overlay"))
    if not isinstance(over, tuple) or over[0] is not tree:
        memo = Memo(base, tree.changed, len(tree.paths()) != len(tree.base.paths()))
        over = tree.memo[(*key, "overlay")] = (tree, memo)
    found: Memo = over[1]
    return found


def _platforms(place: Script | Call, setting: Setting) -> tuple[str, ...]:
    """A known runner counts before the configuration's platforms and those that the file names."""
    return setting.platforms if place.platforms is None else tuple(sorted(place.platforms))


def _line(script: Script, source: SourceText) -> int:
    pieces = script.text.pieces or tuple(piece for word in script.argv for piece in word.pieces)
    spans = (span for piece in pieces for span in piece.route if span.path == source.path)
    first = next(spans, None)
    return source.position(first.start)[0] if first is not None else 1


def _unread(script: Script, platforms: tuple[str, ...]) -> Command | None:
    """The text of an unread script as a command; None where no file says it."""
    span = next((p.route[0] for p in script.text.pieces if p.route), None)
    if span is None:
        return None
    return Command(
        argv=(Word(script.text.pieces),),
        place=script.place,
        span=span,
        extent=span,
        wrappers=((Word(literal(script.language or "a language").pieces),),),
        via=script.via,
        platforms=platforms,
        when=script.when,
        opt_in=script.opt_in,
    )


def _command(call: Call, setting: Setting) -> Command:
    return Command(
        call.argv,
        call.place,
        call.span,
        call.span,
        env={variable.name: variable.value for variable in call.env},
        via=call.via,
        platforms=_platforms(call, setting),
        when=call.when,
        opt_in=call.opt_in,
        status=Status.IGNORED if call.ignored else Status.HONOURED,
        unit=call.unit,
        order=call.order,
        needs=call.needs,
    )


def merged(commands: Iterable[Command]) -> tuple[Command, ...]:
    """One command for each site and way it runs, with all the platforms that it runs so on; by place in the file."""
    commands = tuple(commands)
    groups = alike(commands, _way, ("opt_in", "status"))
    found = [_on(commands[group[0]], {p for at in group for p in commands[at].platforms}) for group in groups]
    return tuple(sorted(found, key=_order))


def _way(command: Command) -> tuple[object, ...]:
    return command.span, command.via, command.unit, command.place, command.when


def _on(command: Command, platforms: set[str]) -> Command:
    ordered = tuple(sorted(platforms))
    return command if ordered == command.platforms else replace(command, platforms=ordered)


def _order(command: Command) -> tuple[object, ...]:
    """By place, then by whatever tells two ways of running it apart."""
    # what a `uses:` runs stands where it stands, and comes after it
    inner = command.argv[0].text != "uses"
    return (command.span, inner, command.via, command.platforms, command.when, command.shown, command.status.value)
