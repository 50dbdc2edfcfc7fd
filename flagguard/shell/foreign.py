"""Commands that a shell other than POSIX's comes across: wrappers taken off, texts for other shells handed over.

PowerShell, cmd and their like hand each command with its surroundings to :class:`Noting`; what a wrapper holds for a
POSIX shell is evaluated by that shell's own evaluation. No dialect's syntax is known here.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from flagguard.command import Command, Dialect, Script, Status, Variable, Word, word
from flagguard.hosts import Setting, starts_task
from flagguard.paths import resolved
from flagguard.shell.announced import ANNOUNCING, SURE, announced
from flagguard.shell.peeled import Peeled
from flagguard.shell.wrapper_table import Env
from flagguard.shell.wrappers import peel
from flagguard.text import Hole, Piece, Problem, Route, Span, Traced, join, literal
from flagguard.values import dataclass, field, replace

_MAX_DEPTH = 12
"""How deep texts may stand in each other."""
_CMD_OPTION = re.compile(r"/[a-zA-Z](?::\w*)?", re.IGNORECASE)
_POWERSHELL = ("pwsh", "powershell", "pwsh-preview")


@dataclass(frozen=True)
class Site:
    """A command with what is around it."""

    argv: tuple[Word, ...]
    extent: Route
    env: Mapping[str, Traced] = field(default_factory=dict)
    vanished: tuple[tuple[int, Hole], ...] = ()
    when: tuple[str, ...] = ()
    opt_in: bool = False
    wrappers: tuple[tuple[Word, ...], ...] = ()
    via: tuple[Span, ...] = ()
    """The calls inside of the script that lead here."""
    text: Traced | None = None
    """For `cmd /c`: the written rest of the command line, where the dialect knows it."""


class Noting:
    """Collects the commands of one script on one platform."""

    def __init__(self, script: Script, setting: Setting, platform: str, depth: int = 0) -> None:
        self.script = script
        self.setting = setting
        self.platform = platform
        self.depth = depth
        self.commands: list[Command] = []
        self.problems: list[Problem] = []
        self.directory = script.directory
        """Where commands run now, from the root; None where that is not known."""
        self._left: list[str | None] = []
        self.ignored: set[int] = set()
        self.asked_platform = False
        """Something looked at the platform, so that the commands may differ on another one."""
        self._open: set[int] = set()
        """Commands whose exit status nobody has looked at yet."""

    def announced(self, name: str) -> str | None:
        """What a variable that comes from outside says of the platform."""
        if name in SURE and name in self.script.outside:
            return SURE[name] if name != "CI" else None
        self.asked_platform = self.asked_platform or name in ANNOUNCING
        return announced(name, self.platform)

    # -- exit status

    def next_program(self) -> None:
        """Another program runs: the status of the one before is lost, where nobody has looked at it."""
        self.ignored |= self._open
        self._open = set()

    def looked(self) -> None:
        """Somebody looks at the status of what ran last."""
        self._open = set()

    def pending(self) -> set[int]:
        """Commands whose status is still to be looked at."""
        return set(self._open)

    def resume(self, pending: set[int]) -> None:
        """Go on as if ``pending`` had run last."""
        self._open = set(pending) - self.ignored

    def lose(self, since: int) -> None:
        """Nobody can notice the failure of what was noted from ``since`` on."""
        self.ignored |= set(range(since, len(self.commands)))
        self._open -= self.ignored

    def finish(self) -> list[Command]:
        """The commands, each with its status. What runs last gives its status to the script."""
        return [
            replace(c, status=Status.IGNORED) if i in self.ignored and c.status is Status.HONOURED else c
            for i, c in enumerate(self.commands)
        ]

    # -- folders

    def move(self, name: str, words: Sequence[Traced], sure: bool) -> None:
        """`cd`, `pushd` and `popd` by all their names. ``sure``: it runs in every world."""
        if name in ("popd", "pop-location"):
            self.directory = self._left.pop() if self._left and sure else None
            return
        targets = [w for w in words if not (w.known and (w.text.lower() == "/d" or w.text[:1] == "-"))]
        if name in ("pushd", "push-location"):
            self._left.append(self.directory)
        if not targets:
            return
        path = Traced(tuple(replace(p, text=p.text.replace("\\", "/")) for p in targets[0].pieces))
        self.directory = resolved(path, self.directory) if sure and ":" not in path.text else None

    # -- commands

    def problem(self, where: Traced, message: str, fatal: bool = True) -> None:
        found = problem(self.setting, where, message, fatal)
        if found is not None and found not in self.problems:
            self.problems.append(found)

    def note(self, site: Site, checked: bool = False) -> None:
        """A command that is run. ``checked``: its surroundings see its status anyway."""
        if not site.argv:
            return
        before = len(self.commands)
        if not self._shell(site):
            plain = _plain(site.argv)
            inner = peel(plain, self.setting.wrappers)
            if inner and starts_task(plain, self.directory, self.setting):
                inner = ()
            for peeled in inner:
                own = peeled.wrapper[:1] == plain[:1]
                wrapper = (site.argv[0], *peeled.wrapper[1:]) if own else peeled.wrapper
                self._enter(replace(peeled, wrapper=wrapper), site)
            if not inner:
                self._record(site)
        if not checked:
            self._open |= set(range(before, len(self.commands)))

    def _record(self, site: Site) -> None:
        first = site.argv[0]
        own = next((p.route[0] for p in first.pieces if p.route), None)
        span = first.written or own or (site.extent[-1] if site.extent else None)
        if span is None:
            return
        if own is not None and not (first.written and own.path == span.path and span.start <= own.start <= span.end):
            span = own
        extent = site.extent[-1] if site.extent and site.extent[-1].path == span.path else span
        self.commands.append(
            Command(
                argv=site.argv,
                place=self.script.place,
                span=span,
                extent=extent,
                wrappers=site.wrappers,
                env=dict(site.env),
                via=(*self.script.via, *site.via),
                platforms=(self.platform,),
                when=(*self.script.when, *(w for w in site.when if w not in self.script.when)),
                opt_in=self.script.opt_in or site.opt_in,
                status=Status.IGNORED if self.script.ignored else Status.HONOURED,
                vanished=site.vanished,
                directory=self.directory,
                dialect=self.script.dialect,
            )
        )

    def _enter(self, peeled: Peeled, site: Site) -> None:
        wrappers = (*site.wrappers, peeled.wrapper)
        if peeled.doubt is not None:
            what = f"what {peeled.doubt.shown} means to {peeled.wrapper[0].shown} is not known"
            self.problem(Traced(peeled.doubt.pieces), f"{what}: the command may begin elsewhere", fatal=False)
        if peeled.directory is not None and not peeled.mounts:
            here, self.directory = self.directory, resolved(peeled.directory, self.directory)
            try:
                self._enter(replace(peeled, directory=None), site)
            finally:
                self.directory = here
            return
        env = {} if peeled.env is Env.CLEAR else dict(site.env)
        env.update((name, site.env[name]) for name in peeled.passes if name in site.env)
        for name in peeled.unset:
            env.pop(name, None)
        env.update((name, Traced(value.pieces)) for name, value in peeled.assignments)
        if peeled.argv:
            argv = peeled.argv
            if peeled.appended is not None:
                argv = (*argv, Word((Piece(peeled.appended.text, hole=peeled.appended),)))
            vanished = tuple((i - peeled.index, h) for i, h in site.vanished if i >= peeled.index >= 0)
            before = len(self.commands)
            self.note(replace(site, argv=argv, vanished=vanished, env=env, wrappers=wrappers), checked=True)
            if peeled.ignores_status:
                self.lose(before)
        elif peeled.script is not None and peeled.dialect is not Dialect.UNREAD:
            inner = replace(
                self._inner(peeled.dialect, peeled.script, replace(site, env=env)),
                arguments=peeled.arguments,
                knows_arguments=True,
                errexit=peeled.errexit,
                pipefail=peeled.pipefail,
            )
            self.run(inner, wrappers, site)
        else:
            self._record(site)

    # -- texts for other shells

    def _shell(self, site: Site) -> bool:
        """`cmd /c TEXT` and `pwsh -Command TEXT`, which the table of wrappers does not read."""
        name = program_name(site.argv[0])
        if name == "cmd":
            at = 1
            while at < len(site.argv) and _CMD_OPTION.fullmatch(text := site.argv[at].text):
                at += 1
                if text[:2].lower() in ("/c", "/k", "/r"):
                    rest = site.argv[at:]
                    if not rest:
                        return False
                    rest_text = site.text if site.text is not None else _command_line(rest)
                    self._text(Dialect.CMD, rest_text, replace(site, text=None), site.argv[:at])
                    return True
            return False
        return name in _POWERSHELL and self._powershell(site)

    def _powershell(self, site: Site) -> bool:
        at = 1
        while at < len(site.argv):
            option = site.argv[at].text.lower()
            at += 1
            if option[:1] not in ("-", "/"):
                rest, at = site.argv[at - 1 :], at - 1
                if program_name(site.argv[0]) == "powershell" and not rest[0].text.lower().endswith(".ps1"):
                    self._text(Dialect.POWERSHELL, _joined(rest), site, site.argv[:at])
                    return True
                return False
            name = option[1:]
            if name and "command".startswith(name) and site.argv[at:]:
                self._text(Dialect.POWERSHELL, _joined(site.argv[at:]), site, site.argv[:at])
                return True
            if name in ("file", "f", "encodedcommand", "e", "ec", "enc"):
                return False
            if name in ("executionpolicy", "ep", "ex", "exec", "workingdirectory", "wd", "wo", "outputformat",
                        "inputformat", "configurationname", "configurationfile", "custompipename", "version",
                        "settingsfile", "windowstyle", "w", "psconsolefile"):  # fmt: skip
                at += 1
        return False

    def _text(self, dialect: Dialect, text: Traced, site: Site, wrapper: tuple[Word, ...]) -> None:
        if not text.known and len(text) == 1:
            self._record(site)
            return
        self.run(self._inner(dialect, text, site), (*site.wrappers, wrapper), site)

    def _inner(self, dialect: Dialect, text: Traced, site: Site) -> Script:
        env = tuple(Variable(name, value) for name, value in site.env.items())
        return replace(
            self.script,
            dialect=dialect,
            text=text,
            env=env,
            when=(*self.script.when, *site.when),
            opt_in=self.script.opt_in or site.opt_in,
            via=(*self.script.via, *site.via),
            directory=self.directory,
            platforms=frozenset({self.platform}),
            argv=(),
            arguments=(),
        )

    def run(self, script: Script, wrappers: tuple[tuple[Word, ...], ...], site: Site) -> None:
        """A text for another shell."""
        from flagguard.shell.cmd import evaluate_cmd
        from flagguard.shell.evaluation import evaluate
        from flagguard.shell.powershell import evaluate_powershell

        if self.depth >= _MAX_DEPTH:
            self.problem(Traced(site.argv[0].pieces), "commands are nested too deeply to follow", fatal=False)
            self._record(site)
            return
        found: Sequence[Command]
        if script.dialect in (Dialect.CMD, Dialect.POWERSHELL):
            of: Callable[..., tuple[list[Command], list[Problem]]] = (
                evaluate_cmd if script.dialect is Dialect.CMD else evaluate_powershell
            )
            found, problems = of(script, self.setting, [self.platform], self.depth + 1)
        else:
            self.asked_platform = True
            evaluation = evaluate(script, replace(self.setting, platforms=(self.platform,)))
            found, problems = evaluation.commands, list(evaluation.problems)
        self.commands += [replace(c, wrappers=(*wrappers, *c.wrappers)) for c in found]
        self.problems += [p for p in problems if p not in self.problems]


MOVES = frozenset("cd chdir sl set-location pushd push-location popd pop-location".split())


def program_name(first: Word) -> str:
    """The program's name in small letters, without folder and extension."""
    name = re.split(r"[/\\]", first.text)[-1].lower()
    return re.sub(r"\.(?:exe|cmd|bat|com)$", "", name)


def _plain(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words with a program's name that the table of wrappers can find: no backslashes, no `.cmd`."""
    text = argv[0].text
    start = text.rfind("\\") + 1
    found = re.search(r"\.(?:exe|cmd|bat)$", text, re.IGNORECASE)
    end = found.start() if found is not None else len(text)
    if start == 0 and end == len(text):
        return argv
    return (word(argv[0].cut(start, end), argv[0].written), *argv[1:])


def _joined(words: Sequence[Word]) -> Traced:
    parts: list[Traced] = []
    for i, each in enumerate(words):
        parts += [literal(" "), Traced(each.pieces)] if i else [Traced(each.pieces)]
    return join(parts)


def _command_line(words: Sequence[Word]) -> Traced:
    """Words as one line for `cmd /c`: those with blanks in quotes, where there are several."""
    if len(words) == 1:
        return Traced(words[0].pieces)
    parts: list[Traced] = []
    for i, each in enumerate(words):
        quote = [literal('"')] if " " in each.text and '"' not in each.text else []
        parts += [*([literal(" ")] if i else []), *quote, Traced(each.pieces), *quote]
    return join(parts)


def problem(setting: Setting, where: Traced, message: str, fatal: bool = True) -> Problem | None:
    """A problem at the place of a text; None where no file says it."""
    route = where.route
    span: Span | None = route[-1] if route else next((p.route[-1] for p in where.pieces if p.route), None)
    source = setting.files.read(span.path) if span is not None else None
    if span is None or source is None:
        return None
    return Problem(span.path, source.position(span.start)[0], message, fatal=fatal)
