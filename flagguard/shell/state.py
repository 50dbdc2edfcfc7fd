"""What a shell remembers while a script runs: variables, options, positional parameters, and the worlds.

A world is one course of events. Where nobody can know which course is taken, the evaluation goes on in several, each
with what it assumes (``when``).
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from flagguard.shell.syntax import Node
from flagguard.shell.table import Table
from flagguard.text import EMPTY, Decider, Hole, Piece, Shape, Span, Traced
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
_MANY_WAYS = "it is set in too many different ways"

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
                gap = Hole(f"${name}", _MANY_WAYS, Decider.REPOSITORY, Shape.ANY, name)
                value, old = Traced((Piece(gap.text, hole=gap),)), mine or theirs or UNSET
                array = next((var for var in (mine, theirs) if var is not None and var.items is not None), None)
                self.put(name, replace(old, value=value, given=True) if array is None else array.opened(value))

    def _same_place(self, other: "World") -> bool:
        """What two worlds that are one would know less of."""
        return self.directory == other.directory and self.sourced == other.sourced and self.files is other.files


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

_FEW = 3
"""Worlds that are compared one with the other."""

_SEEN = ("levels", "options", "args_known", "via", "shared", "aliases", "args", "frames", "stdin")
"""What of a world later commands can see, besides variables, functions and how it ends."""


def folded(value: Traced, fold: str) -> Traced:
    """The value in upper or lower case."""
    change = str.upper if fold == "upper" else str.lower
    return Traced(tuple(p if p.hole else replace(p, text=change(p.text), verbatim=False) for p in value.pieces))


def merge(worlds: list[World], limit: int, statuses: bool = False, alive: Alive | None = None) -> list[World]:
    """Equal worlds as one (with what all of them assume); past ``limit``, all as one with holes where they differ.

    ``statuses``: somebody will look at the exit status, so worlds that differ in it are not equal. ``alive``: whether a
    variable may still be read; without it, all are.
    """
    if len(worlds) < 2:
        return worlds
    kept: list[World] = []
    names: list[str] = []
    if len(worlds) > _FEW:
        own = {name for world in worlds for name in world.vars.own()}
        names = sorted(own if alive is None else [name for name in own if alive(name, worlds[0].on_exit)])
    groups: dict[object, list[World]] = {}
    for world in worlds:
        group = groups.setdefault(_signature(world, names), [])
        same = next((other for other in group if other.alike(world, statuses, alive)), None)
        if same is None:
            kept.append(world)
            group.append(world)
        else:
            _join(same, world)
    return kept if len(kept) <= limit else _collapse(kept, limit)


def _signature(world: World, names: Sequence[str]) -> object:
    """Equal for worlds that are alike: to compare each with each takes too long where there are many."""
    if not names:
        return None
    if world.flow is Flow.EXIT and world.on_exit is None:
        return world.flow
    found = (world.vars.get(name) for name in names)
    return world.flow, tuple([None if var is None or var.assumed else var.value.text for var in found])


def _join(one: World, other: World) -> None:
    one.blur(other)
    if one.opt_in and not other.opt_in:
        one.when, one.opt_in = other.when, False
        one.vars, one.exports, one._environ = other.vars.copy(), other.exports, other._environ
    elif one.opt_in == other.opt_in:
        one.when = tuple(w for w in one.when if w in other.when)
        _disagree(one, other)
    if one.directory != other.directory:
        # After `mkdir x && cd x` it is the folder of the course in which nothing failed.
        good = [w for w in (one, other) if w.status]
        one.directory = good[0].directory if len(good) == 1 else None
        one.before = good[0].before if len(good) == 1 else None
    one.sourced = one.sourced or other.sourced
    one.files = _either(one.files, other.files)
    if one.status is not other.status:
        one.status = one.code = None
    elif one.code != other.code:
        one.code = None


def _disagree(one: World, other: World) -> None:
    """Where two worlds assume different values of a variable, what stands for both assumes none."""
    for name in one.vars.differing(other.vars):
        mine, theirs = one.vars.get(name), other.vars.get(name)
        if mine is None or not mine.assumed or not mine.value.known:
            continue
        if theirs is None:
            one.drop(name)
        elif theirs.value.text != mine.value.text:
            gap = Hole(f"${name}", "it comes from outside", Decider.OUTSIDE, Shape.ANY, name)
            one.put(name, Var(Traced((Piece(gap.text, hole=gap),)), assumed=True))


_TOO_MANY = Traced((Piece("", hole=Hole("…", "it is written in too many different ways", Decider.REPOSITORY)),))


def _either(
    one: Mapping[str, tuple[Traced, ...]], other: Mapping[str, tuple[Traced, ...]]
) -> Mapping[str, tuple[Traced, ...]]:
    """Written files with the texts of both courses."""
    if one is other or not other:
        return one
    both = dict(one)
    for name, texts in other.items():
        mine = both.get(name, ())
        if mine is not texts:
            # compared text by text: to hash them, with all that they know of their places, takes long
            new = [t for t in texts if not any(t is m or (t.text == m.text and t == m) for m in mine)]
            whole = (*mine, *new)
            both[name] = mine if not new else whole if len(whole) <= _FEW else (*whole[: _FEW - 1], _TOO_MANY)
    return both


def _collapse(worlds: list[World], limit: int) -> list[World]:
    """One world that goes on and a few that have left, with holes where those that they stand for differ."""
    going = [w for w in worlds if w.flow is None]
    gone = [w for w in worlds if w.flow is not None]
    if len(gone) < limit:
        return [*_one(going), *gone]
    left: dict[object, list[World]] = {}
    for world in gone:
        left.setdefault((world.flow, world.levels), []).append(world)
    return [*_one(going), *[world for alike in left.values() for world in _one(alike)]]


def _one(worlds: list[World]) -> list[World]:
    if len(worlds) < 2:
        return worlds
    first = worlds[0]
    for name in sorted({name for w in worlds[1:] for name in first.vars.differing(w.vars)}):
        values = [w.vars.get(name) for w in worlds]
        some = next((v for v in values if v is not None), None)
        if some is None or all(v == values[0] for v in values):
            continue
        unknown = Hole(f"${name}", _MANY_WAYS, Decider.REPOSITORY, Shape.ANY, name)
        value = Traced((Piece(unknown.text, hole=unknown),))
        array = next((v for v in values if v is not None and v.items is not None), None)
        if array is not None:
            first.put(name, array.opened(value))
        else:
            first.put(name, Var(value, exported=some.exported))
    if any(w.args != first.args or w.args_known != first.args_known for w in worlds):
        first.args, first.args_known = (), False
    first.sourced = next((w.sourced for w in worlds if w.sourced is not None), None)
    first.when = tuple(w for w in first.when if all(w in o.when for o in worlds))
    first.opt_in = all(w.opt_in for w in worlds)
    if any(w.status is not first.status for w in worlds):
        first.status = first.code = None
    elif any(w.code != first.code for w in worlds):
        first.code = None
    for other in worlds[1:]:
        _take_in(first, other)
    return [first]


def _take_in(first: World, other: World) -> None:
    """What else two worlds differ in, so that the one stands for both."""
    first.files = _either(first.files, other.files)
    for name in first.functions.differing(other.functions):
        body = other.functions.get(name)
        if body is not None and name not in first.functions:
            first.functions[name] = body
    if first.directory != other.directory:
        first.directory = first.before = None
    if first.stdin != other.stdin:
        first.stdin = None
    if first.out != other.out and first.out is not None:
        gap = Hole("$(…)", "it is printed in too many different ways", Decider.REPOSITORY)
        first.out = (Piece(gap.text, hole=gap),)
    if other.on_exit is not None and other.on_exit != first.on_exit:
        texts = [first.on_exit, Traced((Piece("\n"),))] if first.on_exit is not None else []
        if not texts or other.on_exit.text not in texts[0].text:
            first.on_exit = Traced(tuple([p for text in (*texts, other.on_exit) for p in text.pieces]))
