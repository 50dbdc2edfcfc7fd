"""Parameter expansion (POSIX.1-2024 XCU 2.6.2; bash manual 3.5.3): ``$V``, ``${V…}``, arrays, special parameters."""

import re
from collections.abc import Mapping

from flagguard.shell.announced import ANNOUNCING, SURE, announced
from flagguard.shell.known import os_type
from flagguard.shell.operators import Operators, Words, attributes, gap
from flagguard.shell.outside import ALWAYS_SET, CHECKOUTS, OF_BASH
from flagguard.shell.state import FAILED, Var, World
from flagguard.shell.substitutions import Substitutions
from flagguard.shell.syntax import BAD, Lit, Param, Part, WordNode
from flagguard.text import EMPTY, Decider, Hole, Piece, Route, Shape, Traced, hole, literal
from flagguard.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Got:
    """What a parameter expansion gives: one value, several (``$@``, an array), or none."""

    value: Traced | None = None
    many: list[Traced] | None = None
    star: bool = False
    unset: str | None = None
    """There is no value because nobody in the repository sets this variable."""
    fields: tuple[Part, ...] | None = None
    """The value is this word's, whose own quotes count (the ``x`` of ``${V:-x}``)."""


_NOTHING = Got()
_MOST_USES = 20_000


class Parameters:
    """Looks parameters up in a world and applies their operators."""

    def __init__(self, expander: Words, substitutions: Substitutions) -> None:
        self.expander = expander
        self.substitutions = substitutions
        self.operators = Operators(expander, substitutions)
        self._uses: dict[tuple[int, int], tuple[Param, tuple[Piece, ...], Traced]] = {}
        """Values seen from uses, by the identity of a use and of the value's pieces, which are held."""

    def know(self, other: "Parameters") -> None:
        """What another evaluation of the same syntax has made of it."""
        self._uses = other._uses

    # -- values

    def lookup(self, name: str, world: World, shown: str = "", route: Route = ()) -> Got:
        """The value of a variable or of a special or positional parameter."""
        shown = shown or f"${name}"
        if name.isdigit():
            return self._positional(int(name), world, shown, route)
        var = world.vars.get(name)
        if var is not None:
            if var.reference:
                target = world.target(name)
                return self.lookup(target, world, shown, route) if target else _NOTHING
            value = var.scalar
            return Got(value) if value is not None else _NOTHING
        special = self._special(name, world, shown, route)
        if special is not None:
            return special
        if name in SURE and name in world.outside:
            return Got(literal(SURE[name]).through(route))
        if name in ANNOUNCING and (name in world.outside or name == "OS"):
            self.substitutions.asked_platform = True
            said = announced(name, self.substitutions.platform)
            if said is not None:
                return Got(literal(said).through(route))
        if name in ALWAYS_SET or name in world.outside:
            path = _path(name, world)
            shape = ALWAYS_SET.get(name, Shape.ANY if path is None else Shape.PATH)
            what = Hole(shown, "it is set outside of the repository", Decider.OUTSIDE, shape, name, path)
            return Got(hole(what, route))
        if world.sourced is not None:
            # a file with such a name is none of the repository's
            decider = Decider.OUTSIDE if world.sourced.startswith(("/", "~", "$HOME", "${HOME")) else Decider.REPOSITORY
            return Got(hole(Hole(shown, world.sourced, decider, Shape.ANY, name), route))
        if "nounset" in world.options and name.isidentifier() and shown[:2] != "${":
            return Got(self._demanded(name, shown, route, world))
        return Got(unset=name)

    def _demanded(self, name: str, shown: str, route: Route, world: World) -> Traced:
        """A variable without which the script goes no further: whoever calls it has set it."""
        world.assume(f"${name} is set")
        return hole(Hole(shown, "whoever calls the script sets it", Decider.OUTSIDE, Shape.ANY, name), route)

    def _positional(self, number: int, world: World, shown: str, route: Route) -> Got:
        if number == 0:
            if world.name:
                return Got(world.name)
            what = Hole(shown, "the name of the script", Decider.OUTSIDE, Shape.PATH, path=world.file)
            return Got(hole(what, route))
        if world.args_known:
            open_ = next((a for a in world.args[:number] if a.several), None)
            if open_ is not None:
                reason = f"how many arguments {open_.shown} is, is not known"
                return Got(hole(Hole(shown, reason, open_.holes[0].decider, Shape.ANY, str(number)), route))
            return Got(world.args[number - 1]) if number <= len(world.args) else _NOTHING
        return Got(hole(Hole(shown, "an argument of the script", Decider.OUTSIDE, Shape.ANY, str(number)), route))

    def _special(self, name: str, world: World, shown: str, route: Route) -> Got | None:
        match name:
            case "?":
                if world.code is not None:
                    return Got(Traced((Piece(str(world.code), route),)))
                if world.status is False:
                    return self._number(shown, FAILED, route)
                return self._number(shown, "the exit status of a command", route)
            case "#":
                if world.args_known and not any(a.several for a in world.args):
                    return Got(Traced((Piece(str(len(world.args)), route),)))
                return self._number(shown, "the number of the script's arguments", route)
            case "$" | "!":
                return self._number(shown, "the number of a process", route)
            case "IFS":
                return Got(Traced((Piece(" \t\n", route),)))
            case "-" | "_":
                return Got(hole(Hole(shown, "set by the shell", Decider.OUTSIDE), route))
            case "OSTYPE" if self.substitutions.bash:
                self.substitutions.asked_platform = True
                return Got(os_type(self.substitutions.platform).through(route))
            case "HOSTTYPE" if self.substitutions.bash:
                self.substitutions.asked_platform = True
                return Got(literal(self.substitutions.platform.split("-")[1]).through(route))
            case "BASH_SOURCE" if self.substitutions.bash and world.name:
                return Got(world.name)
            case "OPTIND":
                return Got(literal("1").through(route))
            case _ if name in OF_BASH and self.substitutions.bash:
                return Got(hole(Hole(shown, "set by the shell", Decider.OUTSIDE, OF_BASH[name]), route))
        return None

    def _number(self, shown: str, reason: str, route: Route) -> Got:
        return Got(hole(Hole(shown, reason, Decider.OUTSIDE, Shape.NUMBER), route))

    # -- expansions

    def get(self, part: Param, world: World) -> Got:
        """What ``part`` expands to."""
        if part.op == BAD:
            told = f"{part.shown} is a bad substitution: the shell goes no further here"
            of_zsh = part.shown.startswith("${(")  # zshexpn(1), Parameter Expansion Flags; often behind a test for zsh
            self.substitutions.problem(Traced((Piece("", part.route),)), told, fatal=not of_zsh)
            return Got(gap(part, "a bad substitution", Decider.REPOSITORY))
        var = world.vars.get(part.name)
        if var is not None and var.reference and part.op != "prefix":
            target = world.target(part.name)
            if part.indirect and part.index is None:
                return Got(literal(target).through(part.route))
            pointed = _pointed(part, target)
            return self.get(pointed, world) if pointed is not None else _NOTHING
        if not part.op and not part.index and not part.length and not part.indirect and part.name not in "@*":
            got = self.lookup(part.name, world, part.shown, part.route)
            if got.value is None:
                return self._needed(part, got, world)
            return Got(self._seen(part, got.value))
        if part.op == "prefix":
            names = sorted(n for n in world.vars if n.startswith(part.name) and world.vars[n].given)
            star = part.shown.endswith("*}")
            return Got(many=[literal(n).through(part.route) for n in names], star=star)
        if part.indirect and (part.index is None or part.index.literal not in ("@", "*")):
            return self._indirect(part, world)
        several = self._several(part, world)
        if several is not None:
            return self._of_several(part, several, world)
        got = self._base(part, world)
        if part.op.lstrip(":") not in ("-", "=", "?", "+"):
            got = self._needed(part, got, world)
        if part.length:
            return self._length(part, got.value)
        if part.op:
            return self._operator(part, got, world)
        return Got(self._seen(part, got.value)) if got.value is not None else got

    def _needed(self, part: Param, got: Got, world: World) -> Got:
        """With ``set -u``, the script goes on only where an outside variable that it expands is set."""
        if got.value is None and "nounset" in world.options:
            if got.unset is not None and part.name.isidentifier():
                return Got(self._demanded(part.name, part.shown, part.route, world))
            world.fail(self.substitutions.bash, leaves=True)
        return got

    def _indirect(self, part: Param, world: World) -> Got:
        """``${!V}``: what the variable that V names expands to (bash manual 3.5.3)."""
        own = replace(part, op="", argument=None, second=None, indirect=False, quoted=True)
        got = self.get(own, world)
        values = got.many if got.many is not None else [got.value] if got.value is not None else []
        if not values and part.name in ("@", "*"):
            return _NOTHING
        if not values and got.unset is not None:
            return Got(self._demanded(part.name, part.shown, part.route, world))
        if not all(v.known for v in values):
            return Got(gap(part, "which variable it names is not known"))
        if not values and part.name.isdigit():
            return _NOTHING
        pointed = _pointed(part, values[0].text) if len(values) == 1 else None
        if pointed is None:
            world.fail(self.substitutions.bash)
            return _NOTHING
        return self.get(pointed, world)

    def _seen(self, part: Param, value: Traced) -> Traced:
        """The value seen from this use; an argument of a call is seen where the call writes it."""
        if part.name.isdigit() or part.name in "@*":
            return value
        key = id(part), id(value.pieces)
        known = self._uses.get(key)
        if known is not None:
            return known[2]
        for piece in value.pieces:
            if piece.hole is None or piece.route != part.route:
                seen = value.through(part.route)
                break
        else:
            seen = value
        if len(self._uses) >= _MOST_USES:
            self._uses.clear()
        self._uses[key] = part, value.pieces, seen
        return seen

    def _base(self, part: Param, world: World) -> Got:
        if part.index is not None:
            return self._element(part, world)
        return self.lookup(part.name, world, part.shown, part.route)

    def _element(self, part: Param, world: World) -> Got:
        assert part.index is not None
        var = world.vars.get(part.name)
        if var is None or not var.given:
            return self.lookup(part.name, world, part.shown, part.route)
        if var.items is None:
            number = self.expander.number(part.index, world)
            return Got(var.value) if number == 0 else _NOTHING
        if not var.associative and "'" in part.index.shown:
            world.fail(self.substitutions.bash)
            return _NOTHING
        key = self.key(part.index, var, world)
        if key is None:
            return Got(gap(part, "which element is not known", Decider.REPOSITORY))
        if var.open and not _sure(var, key):
            return Got(gap(part, "which element is not known", Decider.REPOSITORY))
        value = var.items.get(key)
        return Got(value) if value is not None else _NOTHING

    def key(self, index: WordNode, var: Var, world: World) -> int | str | None:
        """An array's index or key; None where it is not known."""
        if var.associative:
            text = self.expander.single(index, world)
            return text.text if text.known else None
        number = self.expander.number(index, world)
        if number is not None and number < 0 and var.items:
            number += max((k for k in var.items if isinstance(k, int)), default=-1) + 1
        return number

    def _length(self, part: Param, value: Traced | None) -> Got:
        if value is None:
            return Got(literal("0").through(part.route))
        if not value.known:
            return Got(gap(part, "the length of a value that is not known", shape=Shape.NUMBER))
        return Got(literal(str(len(value.text))).through(part.route))

    # -- $@ and arrays

    def _several(self, part: Param, world: World) -> list[tuple[int | str, Traced]] | None:
        """The elements, where the expansion is over several; None where it is over one."""
        if part.name in ("@", "*"):
            if world.args_known:
                return list(enumerate(world.args, 1))
            return [(1, _many(gap(part, "the script's arguments")))]
        index = part.index.literal if part.index is not None else None
        if index not in ("@", "*"):
            return None
        var = world.vars.get(part.name)
        if var is None or not var.given:
            got = self.lookup(part.name, world, part.shown, part.route)
            if got.value is not None and part.name in OF_BASH:
                return [(0, _many(got.value))]
            return [(0, got.value)] if got.value is not None else []
        if var.items is None:
            return [(0, var.value)]
        if var.associative:
            return list(var.items.items())
        return sorted(var.items.items(), key=lambda item: int(item[0]))

    def _of_several(self, part: Param, items: list[tuple[int | str, Traced]], world: World) -> Got:
        star = part.name == "*" or (part.index is not None and part.index.literal == "*")
        values = [v for _, v in items]
        var = world.vars.get(part.name)
        if var is not None and var.open and (part.length or part.indirect or part.op == ":"):
            shape = Shape.NUMBER if part.length else Shape.ANY
            several = gap(part, "how many elements there are is not known", Decider.REPOSITORY, shape)
            return Got(several) if part.length else Got(many=[_many(several)], star=star)
        if var is not None and var.open:
            values = [v if v.known else _many(v) for v in values]
        if part.length:
            if "nounset" in world.options and part.name not in ("@", "*") and (var is None or not var.given):
                got = self._needed(replace(part, index=None), self.lookup(part.name, world, part.shown), world)
                if got.value is not None:
                    return got
            if any(v.several for v in values) and part.name not in ("@", "*"):
                return self._number(part.shown, "how many elements there are is not known", part.route)
            if part.name in ("@", "*") and (not world.args_known or any(v.several for v in values)):
                return self._number(part.shown, "the number of the script's arguments", part.route)
            return Got(literal(str(len(values))).through(part.route))
        if part.indirect:
            return Got(many=[literal(str(k)).through(part.route) for k, _ in items], star=star)
        op = part.op
        if op in ("-", ":-", "=", ":="):
            if not values:
                return self._word_value(part, world)
        elif op in ("+", ":+"):
            return self._word_value(part, world) if values else _NOTHING
        elif op == ":":
            values = self._slice(part, items, world)
        elif op == "@" and part.argument is not None and part.argument.literal in ("A", "K", "k", "a", "P", "E"):
            return Got(gap(part, "this transformation is not evaluated", Decider.REPOSITORY))
        elif op in ("?", ":?"):
            if not values:
                world.fail(self.substitutions.bash, leaves=True)
        elif op:
            values = [self.operators.changed(part, v, world) for v in values]
        return Got(many=[self._seen(part, v) for v in values], star=star)

    def _slice(self, part: Param, items: list[tuple[int | str, Traced]], world: World) -> list[Traced]:
        start = self.expander.number(part.argument, world) if part.argument else 0
        length = self.expander.number(part.second, world) if part.second else None
        first = next((i for i, (_, v) in enumerate(items) if v.several), None)
        behind = start is not None and first is not None and (start < 0 or start > first + 1)
        if start is None or (part.second and length is None) or behind:
            return [_many(gap(part, "which elements is not known", Decider.REPOSITORY))]
        if part.name in ("@", "*") and start < 0:
            start = start + len(items) + 1 if start >= -len(items) - 1 else len(items) + 1
        if part.name in ("@", "*") and start == 0:
            items = [(0, world.name or self._positional(0, world, "$0", part.route).value or EMPTY), *items]
        if start < 0:
            last = max((k for k, _ in items if isinstance(k, int)), default=len(items) - 1)
            start += last + 1
            if start < 0:
                return []
        if length is not None and length < 0:
            world.fail(self.substitutions.bash)
            return []
        chosen = [v for k, v in items if not isinstance(k, int) or k >= start]
        if length is None:
            return chosen
        cut = next((i for i, v in enumerate(chosen[:length]) if v.several), None)
        if cut is None:
            return chosen[:length]
        return [*chosen[:cut], _many(gap(part, "which elements is not known", Decider.REPOSITORY))]

    # -- operators

    def _word_value(self, part: Param, world: World, overridable: bool = False) -> Got:
        if part.argument is None:
            return Got(EMPTY)
        value = self.expander.single(part.argument, world)
        if overridable:
            return Got(self._seen(part, value).overridable())
        return Got(value, fields=part.argument.parts)

    def _default(self, part: Param, world: World, outside: str) -> Got:
        """The word of ``${V:-word}`` for a variable that somebody outside may set."""
        default = self._word_value(part, world)
        parts = default.fields or ()
        quoted = any(isinstance(p, Lit) and p.quoted for p in parts)
        if default.value is not None and not default.value.pieces and not quoted:
            return Got(unset=outside)
        if default.value is not None and part.quoted:
            return Got(self._seen(part, default.value).overridable())
        if all(isinstance(p, Lit) for p in parts):
            seen = (Lit(self._seen(part, p.value).overridable(), p.quoted) for p in parts if isinstance(p, Lit))
            value = default.value if default.value is not None else EMPTY
            return Got(self._seen(part, value).overridable(), fields=tuple(seen))
        if default.value is not None and len(parts) == 1 and len(default.value.text.split()) <= 1:
            return Got(self._seen(part, default.value).overridable())
        return default

    def _operator(self, part: Param, got: Got, world: World) -> Got:
        op = part.op
        if op[-1] in "-=?+" and op.lstrip(":") in ("-", "=", "?", "+"):
            return self._conditional(part, got, world)
        if op == "@" and part.argument is not None and part.argument.literal in ("a", "A"):
            return self._declared(part, got, world)
        if got.value is None:
            return got if op not in (":",) else Got(unset=got.unset)
        return Got(self.operators.changed(part, self._seen(part, got.value), world))

    def _declared(self, part: Param, got: Got, world: World) -> Got:
        """``${V@a}`` and ``${V@A}``: the attributes of a variable, and the command that makes it anew."""
        var = world.vars.get(part.name)
        if got.unset is not None:
            return got
        if part.index is not None or (var is not None and (var.assumed or var.inherited)):
            return Got(gap(part, "this transformation is not evaluated", Decider.REPOSITORY))
        letters = attributes(var) if var is not None else ""
        if part.argument is not None and part.argument.literal == "a":
            return Got(literal(letters).through(part.route)) if var is not None else _NOTHING
        if got.value is None:
            return _NOTHING if not letters else Got(gap(part, "this transformation is not evaluated"))
        value = self.operators.quoted(part, got.value)
        if var is None or var.items is not None or not value.known:
            return Got(gap(part, "this transformation is not evaluated", Decider.REPOSITORY))
        before = f"declare -{letters} " if letters else ""
        return Got((literal(f"{before}{part.name}=") + value).through(part.route))

    def _conditional(self, part: Param, got: Got, world: World) -> Got:
        op, value = part.op, got.value
        colon = op.startswith(":")
        outside = got.unset
        if value is not None and part.name.isdigit() and not world.args_known and part.name != "0":
            # Nobody passes an argument that is known here: as with a variable that nobody sets, the default counts.
            value, outside = None, part.name
        empty = value is not None and colon and not value.text
        given = value is not None and not empty
        kind = op[-1]
        if kind == "+":
            if given:
                return self._word_value(part, world)
            if outside is not None and not empty:
                taken = self.substitutions.choose(
                    world, ((f"${outside} is not set", False), (f"${outside} is set", False))
                )
                return self._word_value(part, world) if taken else _NOTHING
            return _NOTHING
        if given:
            assert value is not None
            return Got(self._seen(part, value))
        if kind == "?":
            if outside is not None or (value is not None and any(p.unset for p in value.pieces)):
                return Got(self._demanded(part.name, part.shown, part.route, world))
            world.fail(self.substitutions.bash, leaves=True)
            return _NOTHING
        if kind == "=" and not part.name.isdigit():
            default = self._word_value(part, world, overridable=True)
            if default.value is not None and part.name.isidentifier():
                self._give(part, default.value, world)
            return Got(default.value)
        if outside is None:
            return self._word_value(part, world)
        return self._default(part, world, outside)

    def _give(self, part: Param, value: Traced, world: World) -> None:
        var = world.vars.get(part.name) or Var(given=False)
        key = self.key(part.index, var, world) if part.index is not None else None
        if world.flow is not None:
            return
        if world.fixed(part.name):
            world.fail(self.substitutions.bash)
        elif part.index is None:
            world.assign(part.name, value)
        elif key is not None:
            zero: Mapping[int | str, Traced] = {0: var.value} if var.given else {}
            items = {**(zero if var.items is None else var.items), key: value}
            world.put(part.name, replace(var, items=items, given=True, assumed=False))


def _many(value: Traced) -> Traced:
    """The value as any number of words."""
    marked = (replace(p, hole=replace(p.hole, several=True)) if p.hole is not None else p for p in value.pieces)
    return Traced(tuple(marked))


_TARGET = re.compile(r"([A-Za-z_]\w*)(?:\[([^]]+)\])?|[0-9]+|[@*#?$!-]")


def _pointed(part: Param, target: str) -> Param | None:
    """The expansion of what a reference names; None for no name."""
    found = _TARGET.fullmatch(target)
    if found is None:
        return None
    if found.group(2) is None:
        return replace(part, name=found.group(1) or target, indirect=False)
    index = WordNode((Lit(literal(found.group(2)), quoted=False),), (), found.group(2))
    return replace(part, name=found.group(1), index=index, indirect=False)


def _sure(var: Var, key: int | str) -> bool:
    """Whether an element of an open array stands before all that may be several."""
    items = var.items or {}
    if var.associative:
        return key in items and items[key].known
    return all(isinstance(key, int) and i in items and items[i].known for i in range(int(key) + 1)) and int(key) >= 0


def _path(name: str, world: World) -> str | None:
    """The file or folder of the tree that a variable of the outside names."""
    match name:
        case "PWD":
            return world.directory
        case "BASH_SOURCE":
            return world.source
    return "" if name in CHECKOUTS else None
