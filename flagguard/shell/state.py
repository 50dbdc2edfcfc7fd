"""What a shell remembers while a script runs: variables, options, positional parameters, and the worlds.

A world is one course of events. Where nobody can know which course is taken, the evaluation goes on in several, each
with what it assumes (``when``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from flagguard.shell.syntax import Node
from flagguard.text import EMPTY, Decider, Hole, Piece, Shape, Span, Traced


class Flow(Enum):
    """Why a list of commands goes no further."""

    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"
    EXIT = "exit"


@dataclass(frozen=True, slots=True)
class Var:
    """A variable. ``items``: an array, by index or key. Not ``given``: declared, but without a value."""

    value: Traced = EMPTY
    items: Mapping[int | str, Traced] | None = None
    associative: bool = False
    exported: bool = False
    given: bool = True
    assumed: bool = False
    """Only a world's assumption gives it this value."""
    inherited: bool = False
    """It comes from outside of the script."""
    integer: bool = False
    fold: str = ""
    """``upper`` or ``lower``: what `declare -u` or `-l` makes of values."""
    reference: str | None = None

    @property
    def scalar(self) -> Traced | None:
        """What ``$V`` gives: for an array its element 0."""
        if not self.given:
            return None
        if self.items is None:
            return self.value
        return self.items.get("0" if self.associative else 0)


UNSET = Var(given=False)
"""The script itself unset it."""


@dataclass
class World:
    """One course of events; mutable, with copy-on-write tables."""

    vars: dict[str, Var] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    args: tuple[Traced, ...] = ()
    args_known: bool = False
    name: Traced = EMPTY
    options: frozenset[str] = frozenset()
    status: bool | None = True
    code: int | None = 0
    flow: Flow | None = None
    levels: int = 0
    """For break and continue: how many loops it still leaves."""
    when: tuple[str, ...] = ()
    opt_in: bool = False
    out: tuple[Piece, ...] | None = None
    """What has been printed, where somebody listens (a command substitution, a pipe)."""
    via: tuple[Span, ...] = ()
    frames: tuple[Mapping[str, Var | None], ...] = ()
    """For each function that runs: the variables that its locals hide."""
    sourced: str | None = None
    """A file that was sourced and cannot be read: what it sets is not known."""
    outside: frozenset[str] = frozenset()
    """Variables that the host's runner surely sets."""
    stdin: Traced | None = None
    """What standard input still gives, where that is known."""
    on_exit: Traced | None = None
    """The text of the trap on EXIT."""
    aliases: frozenset[str] = frozenset()
    options_at: int = 0
    """How far getopts has come inside the word that it reads."""
    _shared: bool = False

    def copy(self) -> "World":
        self._shared = True
        return replace(self)

    def _own(self) -> None:
        if self._shared:
            self.vars = dict(self.vars)
            self.functions = dict(self.functions)
            self._shared = False

    def put(self, name: str, var: Var) -> None:
        self._own()
        self.vars[name] = var

    def define(self, name: str, body: Node) -> None:
        self._own()
        self.functions[name] = body

    def forget_function(self, name: str) -> None:
        self._own()
        self.functions.pop(name, None)

    def drop(self, name: str) -> None:
        """Remove any trace of a variable (a local goes out of scope)."""
        self._own()
        self.vars.pop(name, None)

    def assume(self, what: str, opt_in: bool = False) -> None:
        if what not in self.when:
            self.when = (*self.when, what)
        self.opt_in = self.opt_in or opt_in

    def assign(self, name: str, value: Traced) -> None:
        """``name=value``, keeping the variable's attributes."""
        old = self.vars.get(name)
        if old is None:
            self.put(name, Var(value, exported="allexport" in self.options))
            return
        if old.reference:
            self.assign(old.reference, value)
            return
        if old.fold:
            value = folded(value, old.fold)
        items = None
        if old.items is not None:
            items = {**old.items, ("0" if old.associative else 0): value}
        exported = old.exported or "allexport" in self.options
        self.put(name, replace(old, value=value, items=items, given=True, assumed=False, exported=exported))

    def localise(self, name: str) -> None:
        """Remember the variable that a local of the running function hides."""
        if self.frames and name not in self.frames[-1]:
            self.frames = (*self.frames[:-1], {**self.frames[-1], name: self.vars.get(name)})

    def leave(self) -> None:
        """The end of a function: its locals go."""
        hidden = self.frames[-1]
        self.frames = self.frames[:-1]
        for name, var in hidden.items():
            if var is None:
                self.drop(name)
            else:
                self.put(name, var)

    def emit(self, text: Traced) -> None:
        if self.out is not None:
            self.out = (*self.out, *text.pieces)

    def succeed(self, status: bool | None = True) -> None:
        self.status = status
        self.code = {True: 0, False: 1, None: None}[status]

    def state(self) -> tuple[object, ...]:
        """What later commands can see: worlds with equal states are one."""
        return (
            {n: v for n, v in self.vars.items() if not v.assumed},
            {n: id(b) for n, b in self.functions.items()},
            self.args,
            self.args_known,
            self.options,
            self.flow,
            self.levels,
            self.frames,
            self.out,
            self.sourced,
            self.via,
            self.stdin,
            self.on_exit,
            self.aliases,
        )


def folded(value: Traced, fold: str) -> Traced:
    """The value in upper or lower case."""
    change = str.upper if fold == "upper" else str.lower
    return Traced(tuple(p if p.hole else replace(p, text=change(p.text), verbatim=False) for p in value.pieces))


def merge(worlds: list[World], limit: int, statuses: bool = False) -> list[World]:
    """Equal worlds as one (with what all of them assume); past ``limit``, all as one with holes where they differ.

    ``statuses``: somebody will look at the exit status, so worlds that differ in it are not equal.
    """
    if len(worlds) < 2:
        return worlds
    kept: list[tuple[tuple[object, ...], World]] = []
    for world in worlds:
        state = world.state()
        if statuses:
            state = (*state, world.status)
        for other_state, other in kept:
            if other_state == state:
                _join(other, world)
                break
        else:
            kept.append((state, world))
    out = [w for _, w in kept]
    if len(out) <= limit:
        return out
    return _collapse(out)


def _join(one: World, other: World) -> None:
    if one.opt_in and not other.opt_in:
        one.when, one.opt_in = other.when, False
        one.vars = other.vars
        one._shared = other._shared = True
    elif one.opt_in == other.opt_in:
        one.when = tuple(w for w in one.when if w in other.when)
    if one.status is not other.status:
        one.status = one.code = None
    elif one.code != other.code:
        one.code = None


def _collapse(worlds: list[World]) -> list[World]:
    going = [w for w in worlds if w.flow is None] or worlds
    first = going[0]
    names = {n for w in going for n in w.vars}
    merged = {}
    for name in names:
        values = [w.vars.get(name) for w in going]
        if all(v == values[0] for v in values):
            if values[0] is not None:
                merged[name] = values[0]
        else:
            some = next(v for v in values if v is not None)
            unknown = Hole(f"${name}", "it is set in too many different ways", Decider.REPOSITORY, Shape.ANY, name)
            merged[name] = Var(Traced((Piece(unknown.text, hole=unknown),)), exported=some.exported)
    first.vars = merged
    first._shared = False
    first.when = tuple(w for w in first.when if all(w in o.when for o in going))
    first.opt_in = all(w.opt_in for w in going)
    if any(w.status is not first.status for w in going):
        first.status = first.code = None
    return [first, *[w for w in worlds if w.flow is not None and w is not first][:1]]


_PATHS = (
    "HOME PWD OLDPWD TMPDIR_ SHELL BASH BASH_SOURCE PATH GITHUB_WORKSPACE GITHUB_ENV GITHUB_OUTPUT GITHUB_PATH "
    "GITHUB_STEP_SUMMARY RUNNER_TEMP RUNNER_TOOL_CACHE GITHUB_ACTION_PATH GITHUB_EVENT_PATH POE_ROOT POE_PWD POE_CONF_DIR "
    "CONDA_PREFIX PREFIX_ SRC_DIR_ CI_PROJECT_DIR"
).split()
_NUMBERS = "RANDOM SECONDS LINENO UID EUID PPID BASHPID EPOCHSECONDS COLUMNS LINES SHLVL GITHUB_RUN_ID GITHUB_RUN_NUMBER".split()
_WORDS = "USER LOGNAME HOSTNAME TERM LANG BASH_VERSION IFS_ EPOCHREALTIME".split()

ALWAYS_SET: dict[str, Shape] = {
    **dict.fromkeys(_PATHS, Shape.PATH),
    **dict.fromkeys(_NUMBERS, Shape.NUMBER),
    **dict.fromkeys(_WORDS, Shape.PATH),
}
"""Variables that every machine (or the named runner) sets, with a value nobody knows here, and what it looks like."""
