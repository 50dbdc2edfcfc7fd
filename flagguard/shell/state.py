"""What a shell remembers while a script runs: variables, options, positional parameters, and the worlds.

A world is one course of events. Where nobody can know which course is taken, the evaluation goes on in several, each
with what it assumes (``when``).
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache

from flagguard.shell.descriptors import Descriptors
from flagguard.shell.syntax import Node
from flagguard.shell.table import Table
from flagguard.text import EMPTY, Decider, Hole, Piece, Shape, Span, Traced, hole
from flagguard.values import dataclass, field, replace

Alive = Callable[[str, Traced | None], bool]
"""Whether what is still to be run may read the variable; the text of the trap that is to run as well."""


class Flow(Enum):
    """Why a list of commands goes no further."""

    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"
    EXIT = "exit"
    DISCARD = "discard"
    """An error in an expansion: bash drops what it has read of the text, up to the end of the line."""


@dataclass(frozen=True, slots=True)
class Var:
    """A variable. ``items``: an array, by index or key. Not ``given``: declared, but without a value."""

    value: Traced = EMPTY
    items: Mapping[int | str, Traced] | None = None
    associative: bool = False
    open: bool = False
    """An array of which nobody knows how many elements it has."""
    exported: bool = False
    given: bool = True
    assumed: bool = False
    """Only a world's assumption gives it this value."""
    inherited: bool = False
    """It comes from outside of the script."""
    integer: bool = False
    readonly: bool = False
    fold: str = ""
    """``upper`` or ``lower``: what `declare -u` or `-l` makes of values."""
    reference: str | None = None
    """The variable that it stands for (`declare -n`); empty where that is still to be said."""

    @property
    def scalar(self) -> Traced | None:
        """What ``$V`` gives: for an array its element 0."""
        if not self.given:
            return None
        if self.items is None:
            return self.value
        return self.items.get("0" if self.associative else 0)

    def opened(self, value: Traced) -> "Var":
        """The array as one of which nothing is known; ``value``: the hole that stands for its elements."""
        items: Mapping[int | str, Traced] = {"0" if self.associative else 0: value}
        return replace(self, value=value, items=items, open=True, given=True, assumed=False)


FAILED = "the exit status of a command that failed"
"""The reason of the hole that is a status of which only this is known: it is not 0."""


@dataclass(frozen=True, slots=True)
class Alias:
    """What a name stands for, and where it was said: it counts from the next line on (XCU 2.3.1)."""

    value: Traced
    place: Span | None


_MOST_ASSUMED = 200
"""Assumptions that a world tells: nobody reads more of them."""
MANY_WAYS = "it is set in too many different ways"

UNSET = Var(given=False)
"""The script itself unset it."""


@dataclass
class World:
    """One course of events; mutable."""

    vars: Table[Var] = field(default_factory=Table)
    functions: Table[Node] = field(default_factory=Table)
    args: tuple[Traced, ...] = ()
    args_known: bool = False
    reset_args: bool = False
    """`set` has given the file that is being sourced, or the function, new arguments."""
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
    """Why a variable that the script has not set is not known: a text that is not read may have set it."""
    outside: frozenset[str] = frozenset()
    """Variables that the host's runner surely sets."""
    stdin: Traced | None = None
    """What standard input still gives, where that is known."""
    on_exit: Traced | None = None
    """The text of the trap on EXIT."""
    shared: frozenset[str] = frozenset()
    """Functions that `export -f` hands to every bash that is started."""
    files: Mapping[str, tuple[Traced, ...]] = field(default_factory=dict)
    """The texts of files that the script has written: see ``written``."""
    aliases: Mapping[str, Alias] = field(default_factory=dict)
    options_at: int = 0
    """How far getopts has come inside the word that it reads."""
    exports: tuple[str, ...] = ()
    """The names of exported variables, in the order in which they came to be."""
    directory: str | None = ""
    """The working directory, relative to the tree's root; None where it is not known."""
    folders: tuple[str | None, ...] = ()
    """What `pushd` has put away; the last is the newest."""
    before: str | None = None
    """Where `cd -` goes."""
    file: str | None = None
    """The file of the tree that ``$0`` names,"""
    source: str | None = None
    """and the one that ``$BASH_SOURCE`` names."""
    descriptors: Descriptors = field(default_factory=dict)
    _environ: Mapping[str, Traced] | None = None

    def copy(self) -> "World":
        out = World.__new__(World)
        out.__dict__.update(self.__dict__)
        out.vars, out.functions = self.vars.copy(), self.functions.copy()
        return out

    def put(self, name: str, var: Var) -> None:
        old = self.vars.get(name)
        self.vars[name] = var
        was = old is not None and old.exported
        if was or var.exported:
            self._environ = None
            if var.exported is not was:
                self.exports = (*self.exports, name) if var.exported else _without(self.exports, name)

    def drop(self, name: str) -> None:
        """Remove any trace of a variable (a local goes out of scope)."""
        old = self.vars.get(name)
        self.vars.drop(name)
        if old is not None and old.exported:
            self._environ, self.exports = None, _without(self.exports, name)

    @property
    def environ(self) -> Mapping[str, Traced]:
        """What the repository puts into the environment of every command; nobody changes it."""
        if self._environ is None:
            out: dict[str, Traced] = {}
            for name in self.exports:
                var = self.vars.get(name)
                if var is not None and var.given and not var.assumed and (value := var.scalar) is not None:
                    out[name] = value
            self._environ = out
        return self._environ

    def assume(self, what: str, opt_in: bool = False) -> None:
        if what not in self.when and len(self.when) < _MOST_ASSUMED:
            self.when = (*self.when, what)
        self.opt_in = self.opt_in or opt_in

    def target(self, name: str) -> str:
        """The variable that ``name`` stands for, through `declare -n`; "" where the references run in a circle."""
        passed = {name}
        while (var := self.vars.get(name)) is not None and var.reference:
            name = var.reference
            if name in passed:
                return ""
            passed.add(name)
        return name

    def assign(self, name: str, value: Traced) -> bool:
        """``name=value``, keeping the variable's attributes; False where it is readonly."""
        name = self.target(name)
        if not name:
            return True
        old = self.vars.get(name)
        if old is None:
            self.put(name, Var(value, exported="allexport" in self.options))
            return True
        if old.readonly:
            return False
        if old.reference is not None:
            self.refer(name, value)
            return True
        if old.fold:
            value = folded(value, old.fold)
        exported = old.exported or "allexport" in self.options
        if old.items is None and not (old.integer or old.fold or old.associative or old.open):
            if old.value is value and old.given and not old.assumed and exported is old.exported:
                return True
            self.put(name, Var(value, exported=exported, inherited=old.inherited))
            return True
        items = None
        if old.items is not None:
            items = {**old.items, ("0" if old.associative else 0): value}
        self.put(name, replace(old, value=value, items=items, given=True, assumed=False, exported=exported))
        return True

    def refer(self, name: str, target: Traced) -> None:
        """Make a variable of `declare -n` stand for another."""
        self.put(name, Var(reference=target.text if target.known else None, given=target.known))

    def fixed(self, name: str) -> bool:
        """Whether a variable is readonly."""
        var = self.vars.get(self.target(name))
        return var is not None and var.readonly

    def fail(self, bash: bool, leaves: bool = False) -> None:
        """An error of an expansion or an assignment (XCU 2.8.1): sh ends, and bash where it ``leaves``; for others
        bash goes on behind the line."""
        if self.flow is None:
            self.flow = Flow.EXIT if leaves or not bash else Flow.DISCARD
            self.status, self.code = False, 1 if bash else 2

    def recover(self) -> bool:
        """What bash does with a wrong expression of its own in `((`, `[[` and `let`: the command fails, no more."""
        if self.flow is not Flow.DISCARD:
            return False
        self.flow = None
        self.succeed(False)
        return True

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

    def after(self, end: "World") -> "World":
        """This shell after a subshell that ended as ``end``: only status, output and assumptions stay."""
        back = self.copy()
        back.status, back.code = end.status, end.code
        back.out, back.when, back.opt_in = end.out, end.when, end.opt_in
        back.files = end.files
        return back

    def alike(self, other: "World", statuses: bool, alive: Alive | None = None) -> bool:
        """Whether later commands see no difference (``statuses``: not even in the exit status). ``alive`` says which
        variables they may read at all."""
        if statuses and self.status is not other.status:
            return False
        if self.flow is not other.flow or self.out != other.out or self.on_exit != other.on_exit:
            return False
        if self.flow is Flow.EXIT and self.on_exit is None:
            return True
        mine, theirs = self.__dict__, other.__dict__
        for fact in _SEEN:
            if mine[fact] is not theirs[fact] and mine[fact] != theirs[fact]:
                return False
        return not self.functions.differing(other.functions) and self._same_variables(other, alive)

    def _same_variables(self, other: "World", alive: Alive | None) -> bool:
        if alive is not None and (self.flow is Flow.DISCARD or self.aliases or not self._same_place(other)):
            alive = None
        for name in self.vars.differing(other.vars):
            mine, theirs = self.vars.get(name), other.vars.get(name)
            mine = None if mine is None or mine.assumed else mine
            theirs = None if theirs is None or theirs.assumed else theirs
            if mine != theirs and (alive is None or not _same_kind(mine, theirs) or alive(name, self.on_exit)):
                return False
        return True

    def blur(self, other: "World") -> None:
        """Where two worlds that are one differ in variables that nothing reads any more, they have no value."""
        for name in self.vars.differing(other.vars):
            mine, theirs = self.vars.get(name), other.vars.get(name)
            if (mine is None or not mine.assumed) and (theirs is None or not theirs.assumed) and mine != theirs:
                value, old = unknown(name, MANY_WAYS), mine or theirs or UNSET
                if old.value is value and old.items is None and old.given and mine is not None:
                    continue
                array = next((var for var in (mine, theirs) if var is not None and var.items is not None), None)
                self.put(name, replace(old, value=value, given=True) if array is None else array.opened(value))

    def _same_place(self, other: "World") -> bool:
        """What two worlds that are one would know less of."""
        return self.directory == other.directory and self.sourced == other.sourced and self.files is other.files


@lru_cache(maxsize=4096)  # the same one is known again without looking into it
def unknown(name: str, reason: str) -> Traced:
    """The hole that stands for a variable which the script sets in ways that are not followed."""
    return hole(Hole(f"${name}", reason, Decider.REPOSITORY, Shape.ANY, name))


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple([n for n in names if n != name])


_DEFAULT = Var()


def _same_kind(one: Var | None, other: Var | None) -> bool:
    """Whether the next assignment to a variable does the same to both."""
    mine, theirs = one or _DEFAULT, other or _DEFAULT
    return not (mine.exported or theirs.exported) and all(
        [getattr(mine, fact) == getattr(theirs, fact) for fact in _ATTRIBUTES]  # noqa: C419
    )


_ATTRIBUTES = ("readonly", "integer", "fold", "inherited", "associative", "reference")

_SEEN = ("levels", "options", "args_known", "via", "shared", "aliases", "args", "frames", "stdin")
"""What of a world later commands can see, besides variables, functions and how it ends."""


def folded(value: Traced, fold: str) -> Traced:
    """The value in upper or lower case."""
    change = str.upper if fold == "upper" else str.lower
    return Traced(tuple(p if p.hole else replace(p, text=change(p.text), verbatim=False) for p in value.pieces))
