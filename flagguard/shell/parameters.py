"""Parameter expansion (POSIX.1-2024 XCU 2.6.2; bash manual 3.5.3): ``$V``, ``${V…}``, arrays, special parameters."""

import re
from collections.abc import Mapping, Sequence
from posixpath import dirname
from typing import Protocol

from flagguard.paths import resolved
from flagguard.shell.known import os_type
from flagguard.shell.outside import ALWAYS_SET
from flagguard.shell.pattern import Atom, Match, match, regex, without_prefix, without_suffix
from flagguard.shell.state import FAILED, Var, World, folded
from flagguard.shell.syntax import CommandSub, Lit, Param, Part, ProcessSub, WordNode
from flagguard.text import EMPTY, Decider, Hole, Piece, Route, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, replace


class Substitutions(Protocol):
    """What the expansions need of the evaluation."""

    platform: str
    bash: bool
    asked_platform: bool
    """Whether anything depended on the platform."""

    def substitute(self, node: CommandSub, world: World) -> Traced:
        """What the substitution prints, without its last newlines."""
        ...

    def process(self, node: ProcessSub, world: World) -> Traced | None:
        """What the commands of a process substitution print, where that is known."""
        ...

    def choose(self, world: World, options: Sequence[tuple[str | None, bool]]) -> int:
        """Fork: one course for each option (what it assumes, whether it is opt-in)."""
        ...


class Words(Protocol):
    """What the operators of a parameter need of the expansion of their own words."""

    def single(self, node: WordNode, world: World, assignment: bool = False) -> Traced: ...

    def pattern(self, node: WordNode, world: World) -> tuple[Atom, ...]: ...

    def number(self, node: WordNode, world: World) -> int | None: ...

    def runs(self, node: WordNode, world: World) -> Sequence[tuple[Traced, bool]]: ...


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


class Parameters:
    """Looks parameters up in a world and applies their operators."""

    def __init__(self, expander: Words, substitutions: Substitutions) -> None:
        self.expander = expander
        self.substitutions = substitutions

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
        if name in ALWAYS_SET or name in world.outside:
            shape = ALWAYS_SET.get(name, Shape.ANY)
            path = _path(name, world)
            what = Hole(shown, "it is set outside of the repository", Decider.OUTSIDE, shape, name, path)
            return Got(hole(what, route))
        if world.sourced is not None:
            return Got(hole(Hole(shown, world.sourced, Decider.REPOSITORY, Shape.ANY, name), route))
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
                if world.args_known:
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
        return None

    def _number(self, shown: str, reason: str, route: Route) -> Got:
        return Got(hole(Hole(shown, reason, Decider.OUTSIDE, Shape.NUMBER), route))

    # -- expansions

    def get(self, part: Param, world: World) -> Got:
        """What ``part`` expands to."""
        var = world.vars.get(part.name)
        if var is not None and var.reference and part.op != "prefix":
            target = world.target(part.name)
            if part.indirect and part.index is None:
                return Got(literal(target).through(part.route))
            return self.get(replace(part, name=target), world) if target else _NOTHING
        if not part.op and not part.index and not part.length and not part.indirect and part.name not in "@*":
            got = self.lookup(part.name, world, part.shown, part.route)
            if got.value is None:
                return self._needed(part, got, world)
            return Got(self._seen(part, got.value))
        if part.op == "prefix":
            names = sorted(n for n in world.vars if n.startswith(part.name) and world.vars[n].given)
            star = part.shown.endswith("*}")
            return Got(many=[literal(n).through(part.route) for n in names], star=star)
        several = self._several(part, world)
        if several is not None:
            return self._of_several(part, several, world)
        got = self._base(part, world)
        if not part.indirect and part.op.lstrip(":") not in ("-", "=", "?", "+"):
            got = self._needed(part, got, world)
        if part.length:
            return self._length(part, got.value)
        if part.op:
            return self._operator(part, got, world)
        return Got(self._seen(part, got.value)) if got.value is not None else got

    def _needed(self, part: Param, got: Got, world: World) -> Got:
        """With ``set -u``, the script goes on only where an outside variable that it expands is set."""
        if got.value is None and got.unset is not None and "nounset" in world.options and part.name.isidentifier():
            return Got(self._demanded(part.name, part.shown, part.route, world))
        return got

    def _seen(self, part: Param, value: Traced) -> Traced:
        """The value seen from this use; an argument of a call is seen where the call writes it."""
        if part.name.isdigit() or part.name in "@*":
            return value
        if all(p.hole is not None and p.route == part.route for p in value.pieces):
            return value
        return value.through(part.route)

    def _base(self, part: Param, world: World) -> Got:
        name = part.name
        if part.indirect:
            pointer = self.lookup(name, world).value
            if pointer is None:
                return _NOTHING
            found = re.fullmatch(r"([A-Za-z_]\w*|[0-9]+|[@*])", pointer.text) if pointer.known else None
            if found is None:
                return Got(self._gap(part, "which variable it names is not known"))
            name = found.group(1)
        if part.index is not None:
            return self._element(part, world)
        return self.lookup(name, world, part.shown, part.route)

    def _element(self, part: Param, world: World) -> Got:
        assert part.index is not None
        var = world.vars.get(part.name)
        if var is None or not var.given:
            return self.lookup(part.name, world, part.shown, part.route)
        if var.items is None:
            number = self.expander.number(part.index, world)
            return Got(var.value) if number == 0 else _NOTHING
        key = self.key(part.index, var, world)
        if key is None:
            return Got(self._gap(part, "which element is not known", Decider.REPOSITORY))
        if var.open and not _sure(var, key):
            return Got(self._gap(part, "which element is not known", Decider.REPOSITORY))
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

    def _gap(self, part: Param, reason: str, decider: Decider = Decider.OUTSIDE, shape: Shape = Shape.ANY) -> Traced:
        return hole(Hole(part.shown, reason, decider, shape, part.name), part.route)

    def _length(self, part: Param, value: Traced | None) -> Got:
        if value is None:
            return Got(literal("0").through(part.route))
        if not value.known:
            return Got(self._gap(part, "the length of a value that is not known", shape=Shape.NUMBER))
        return Got(literal(str(len(value.text))).through(part.route))

    # -- $@ and arrays

    def _several(self, part: Param, world: World) -> list[tuple[int | str, Traced]] | None:
        """The elements, where the expansion is over several; None where it is over one."""
        if part.name in ("@", "*"):
            if world.args_known:
                return list(enumerate(world.args, 1))
            return [(1, self._gap(part, "the script's arguments"))]
        index = part.index.literal if part.index is not None else None
        if index not in ("@", "*"):
            return None
        var = world.vars.get(part.name)
        if var is None or not var.given:
            got = self.lookup(part.name, world, part.shown, part.route)
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
            return Got(self._gap(part, "how many elements there are is not known", Decider.REPOSITORY, shape))
        if part.length:
            if part.name in ("@", "*") and not world.args_known:
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
        elif op and op not in ("?", ":?"):
            values = [self._changed(part, v, world) for v in values]
        return Got(many=[self._seen(part, v) for v in values], star=star)

    def _slice(self, part: Param, items: list[tuple[int | str, Traced]], world: World) -> list[Traced]:
        start = self.expander.number(part.argument, world) if part.argument else 0
        length = self.expander.number(part.second, world) if part.second else None
        if start is None or (part.second and length is None):
            return [self._gap(part, "which elements is not known", Decider.REPOSITORY)]
        if part.name in ("@", "*") and start == 0:
            items = [(0, world.name), *items]
        if start < 0:
            last = max((k for k, _ in items if isinstance(k, int)), default=len(items) - 1)
            start += last + 1
            if start < 0:
                return []
        chosen = [v for k, v in items if not isinstance(k, int) or k >= start]
        return chosen[:length] if length is not None and length >= 0 else chosen

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
            return Got(self._gap(part, "this transformation is not evaluated", Decider.REPOSITORY))
        if got.value is None:
            return got if op not in (":",) else Got(unset=got.unset)
        return Got(self._changed(part, self._seen(part, got.value), world))

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
            return Got(self._demanded(part.name, part.shown, part.route, world))
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
        if part.index is None:
            world.assign(part.name, value)
        elif key is not None:
            zero: Mapping[int | str, Traced] = {0: var.value} if var.given else {}
            items = {**(zero if var.items is None else var.items), key: value}
            world.put(part.name, replace(var, items=items, given=True, assumed=False))

    def _changed(self, part: Param, value: Traced, world: World) -> Traced:
        """The value after ``#``, ``%``, ``/``, ``:``, ``^`` or ``,``."""
        op = part.op
        if op == ":":
            return self._substring(part, value, world)
        if op == "@":
            return self._transformed(part, value)
        if op in ("^^", ",,", "^", ","):
            return self._cased(part, value, world)
        assert part.argument is not None
        pattern = self.expander.pattern(part.argument, world)
        if op in ("/", "//"):
            return self._replaced(part, value, pattern, world)
        change = without_prefix if op[0] == "#" else without_suffix
        out = change(pattern, value, len(op) == 2)
        if out is not None:
            return out
        gap = self._changed_gap(part, value)
        path = resolved(value, None) if op == "%" and part.shown.endswith("%/*}") else None
        return hole(replace(gap.holes[0], path=dirname(path)), part.route) if path else gap

    def _changed_gap(self, part: Param, value: Traced) -> Traced:
        shapes = {h.shape for h in value.holes}
        decided = any(h.decider is Decider.REPOSITORY for h in value.holes)
        shape = Shape.PATH if shapes <= {Shape.PATH, Shape.NUMBER} else Shape.ANY
        decider = Decider.REPOSITORY if decided else Decider.OUTSIDE
        return self._gap(part, "a part of a value that is not known", decider, shape)

    def _substring(self, part: Param, value: Traced, world: World) -> Traced:
        start = self.expander.number(part.argument, world) if part.argument else 0
        length = self.expander.number(part.second, world) if part.second else None
        if start is None or (part.second and length is None) or not value.known:
            return self._changed_gap(part, value)
        size = len(value)
        if start < 0:
            start += size
            if start < 0:
                return EMPTY
        end = size if length is None else (start + length if length >= 0 else size + length)
        return value.cut(start, min(end, size))

    def _transformed(self, part: Param, value: Traced) -> Traced:
        letter = part.argument.literal if part.argument else None
        if letter in ("U", "L"):
            return folded(value, "upper" if letter == "U" else "lower")
        if letter == "u":
            return join((folded(value.cut(0, 1), "upper"), value.cut(1, len(value))))
        if letter == "Q" and value.known and value.text.isprintable():
            quoted = "'" + value.text.replace("'", "'\\''") + "'"
            return Traced((Piece(quoted, part.route),))
        return self._gap(part, "this transformation is not evaluated", Decider.REPOSITORY)

    def _cased(self, part: Param, value: Traced, world: World) -> Traced:
        fold = "upper" if part.op[0] == "^" else "lower"
        size = len(value) if len(part.op) == 2 else min(1, len(value))
        if part.argument is None or not part.argument.parts:
            return join((folded(value.cut(0, size), fold), value.cut(size, len(value))))
        pattern = self.expander.pattern(part.argument, world)
        letters = [value.cut(i, i + 1) for i in range(size)]
        changed = [folded(c, fold) if match(pattern, c) is Match.YES else c for c in letters]
        return join((*changed, value.cut(size, len(value))))

    def _replaced(self, part: Param, value: Traced, pattern: Sequence[Atom], world: World) -> Traced:
        runs = self.expander.runs(part.second, world) if part.second is not None else ()
        if not value.known or any(c == "\ue000" for c, _ in pattern):
            return self._changed_gap(part, value) if not value.known else self._gap(part, "a pattern that is not known")
        anchor = pattern[0][0] if pattern and part.op == "/" and pattern[0] in (("#", False), ("%", False)) else ""
        body = tuple(pattern[1:] if anchor else pattern)
        if not body and not anchor:
            return value
        expression = regex(body)
        if anchor == "#":
            expression = r"\A(?:" + expression + ")"
        elif anchor == "%":
            expression = "(?:" + expression + r")\Z"
        out, at = [], 0
        for found in re.compile(expression, re.DOTALL).finditer(value.text):
            if not found.group() and not anchor:
                continue
            out += [value.cut(at, found.start()), *_replacement(runs, value.cut(found.start(), found.end()))]
            at = found.end()
            if part.op == "/":
                break
        return join([*out, value.cut(at, len(value))])


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
        case "GITHUB_WORKSPACE":
            return ""
    return None


def _replacement(runs: Sequence[tuple[Traced, bool]], matched: Traced) -> list[Traced]:
    """The text that takes the place of ``matched``: an unquoted ``&`` in it is ``matched`` (bash 5.2)."""
    out: list[Traced] = []
    for text, quoted in runs:
        at = 0
        while not quoted and (found := text.text.find("&", at)) >= 0:
            out += [text.cut(at, found), matched]
            at = found + 1
        out.append(text.cut(at, len(text)))
    return out
