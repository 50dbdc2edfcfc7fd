"""Expansions (POSIX.1-2024 XCU 2.6; bash manual 3.5): from a word of the source to the fields that it becomes.

Order: braces, tilde, parameters, command substitution and arithmetic, field splitting, pathnames, quote removal (which
the reader has done). What a command substitution prints is the evaluation's business.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from flagguard.command import Word
from flagguard.shell.arithmetic import Unknown, Wrong, assigned
from flagguard.shell.arithmetic import evaluate as arithmetic
from flagguard.shell.braces import expand_braces
from flagguard.shell.kept import Kept
from flagguard.shell.outside import ALWAYS_SET
from flagguard.shell.parameters import Got, Parameters
from flagguard.shell.pattern import Pattern, atoms, glob_end
from flagguard.shell.state import Var, World
from flagguard.shell.substitutions import Substitutions
from flagguard.shell.syntax import ArithmeticSub, CommandSub, Lit, Param, Part, WordNode
from flagguard.text import (
    EMPTY,
    Decider,
    Hole,
    Piece,
    Shape,
    Traced,
    compact,
    hole,
    join,
    literal,
)
from flagguard.values import dataclass, field, replace

_FILES = "the files that match the pattern (a glob)"

_ONE_NUMBER = frozenset(f"the output of {name}" for name in ("nproc", "getconf", "expr"))

_EXPANDS = re.compile(r"[*?{~]|\[.*\]|\[:", re.DOTALL)
"""A bracket that nothing closes is a bracket."""
_GLOB = re.compile(r"[*?\[]")
_HEAVY = 32
"""From so many pieces on a text counts among what an evaluation costs."""
Fragment = tuple[Piece, bool]
"""A piece of a field, and whether it is quoted."""


@dataclass
class _Fields:
    """Fields as they grow."""

    done: list[list[Fragment]] = field(default_factory=list)
    current: list[Fragment] | None = None
    vanished: list[tuple[int, Hole]] = field(default_factory=list)

    def add(self, piece: Piece, quoted: bool) -> None:
        if self.current is None:
            self.current = []
        self.current.append((piece, quoted))

    def cut(self) -> None:
        if self.current is not None:
            self.done.append(self.current)
            self.current = None


class Expander:
    """Expands words in a world. It may change the world (``${V:=x}``, ``$((i++))``) and may fork it."""

    def __init__(self, substitutions: Substitutions) -> None:
        self.substitutions = substitutions
        self.parameters = Parameters(self, substitutions)
        self._words: dict[int, Kept[tuple[list[Word], list[tuple[int, Hole]]]]] = {}
        self._texts: dict[int, Kept[Traced]] = {}
        """By the identity of nodes, which are held."""
        self._patterns: dict[int, tuple[WordNode, Pattern]] = {}
        """Those that are the same in every world; the nodes are held, so that nothing else has their identity."""

    def know(self, other: "Expander") -> None:
        """What another evaluation of the same syntax has made of it."""
        self._words, self._texts, self._patterns = other._words, other._texts, other._patterns
        self.parameters.know(other.parameters)

    # -- the three kinds of expansion

    def words(self, node: WordNode, world: World) -> tuple[list[Word], list[tuple[int, Hole]]]:
        """The arguments that a word becomes; and unset variables that left none (with the index among them)."""
        simple = fixed_word(node)
        if simple is not None:
            return [simple], []
        kept = self._words.get(id(node))
        if kept is None:
            kept = self._words[id(node)] = Kept([node])
        key = kept.key(world, self.substitutions.bash)
        if key is None:
            return self._split(node, world)
        known = kept.get(key)
        if known is None:
            known = self._split(node, world)
            kept.keep(key, known, world)
        return list(known[0]), known[1]

    def _split(self, node: WordNode, world: World) -> tuple[list[Word], list[tuple[int, Hole]]]:
        parts = node.parts
        choices = expand_braces(parts) if self.substitutions.bash and "{" in node.shown else [parts]
        if choices is None:
            gap = Hole(node.shown, "more words than are followed", Decider.REPOSITORY, several=True)
            return [Word((Piece(gap.text, node.route, hole=gap),), node.written)], []
        if len(parts) > _HEAVY:
            self.substitutions.weigh(3 * len(parts))
        out: list[Word] = []
        vanished: list[tuple[int, Hole]] = []
        for choice in choices:
            fields = _Fields()
            self._fill(fields, choice, world, split=True)
            fields.cut()
            vanished.extend((i + len(out), h) for i, h in fields.vanished)
            for f in fields.done:
                if len(f) > _HEAVY:
                    self.substitutions.weigh(len(f))
                out.append(self._finish(f, node, world))
        return out, vanished

    def single(self, node: WordNode, world: World, assignment: bool = False) -> Traced:
        """The one string that a word becomes where nothing splits (an assignment, a redirection, ``case``)."""
        if len(node.parts) == 1 and isinstance(node.parts[0], Lit):
            part = node.parts[0]
            if part.quoted or "~" not in part.value.text:
                return part.value
        kept = self._texts.get(id(node))
        if kept is None:
            kept = self._texts[id(node)] = Kept([node])
        key = kept.key(world, self.substitutions.bash)
        known = kept.get(key) if key is not None else None
        if known is None:
            known = self._text(node, world, assignment)
            if key is not None:
                kept.keep(key, known, world)
        return known

    def _text(self, node: WordNode, world: World, assignment: bool) -> Traced:
        if len(node.parts) > _HEAVY:
            self.substitutions.weigh(3 * len(node.parts))
        fields = _Fields()
        self._fill(fields, node.parts, world, split=False, assignment=assignment)
        fields.cut()
        pieces = [p for i, f in enumerate(fields.done) for p in (([Piece(" ")] if i else []) + [p for p, _ in f])]
        if len(pieces) > _HEAVY:
            self.substitutions.weigh(len(pieces))
        return Traced(compact(pieces))

    def pattern(self, node: WordNode, world: World, extended: bool = True) -> Pattern:
        """A pattern: what is quoted in it, or comes from a quoted expansion, stands for itself. Not ``extended``: a
        parenthesis does so too, unless `extglob` is set."""
        known = self._patterns.get(id(node))
        found = known[1] if known is not None else atoms(self.runs(node, world))
        if known is None and all([isinstance(p, Lit) and (p.quoted or "~" not in p.value.text) for p in node.parts]):  # noqa: C419
            self._patterns[id(node)] = node, found
        if extended or not found.grouped or "extglob" in world.options:
            return found
        return Pattern([(c, quoted or c == "(") for c, quoted in found])

    def runs(self, node: WordNode, world: World) -> list[tuple[Traced, bool]]:
        """The text that a word becomes where nothing splits, and which of it is quoted."""
        return [(Traced((piece,)), quoted) for piece, quoted in self._fragments(node, world)]

    def regex(self, node: WordNode, world: World) -> str | None:
        """The extended regular expression of ``=~``; None where it has holes."""
        out = []
        for piece, quoted in self._fragments(node, world):
            if piece.hole is not None:
                return None
            out.append(re.escape(piece.text) if quoted else piece.text)
        return "".join(out)

    def _fragments(self, node: WordNode, world: World) -> list[Fragment]:
        fields = _Fields()
        self._fill(fields, node.parts, world, split=False)
        fields.cut()
        return [fragment for f in fields.done for fragment in f]

    # -- filling fields

    def _fill(
        self,
        fields: _Fields,
        parts: Sequence[Part],
        world: World,
        split: bool,
        assignment: bool = False,
        default: bool = False,
    ) -> None:
        """``default``: the word of `${V:-word}`, whose unquoted text is split too (XCU 2.6.5)."""
        for i, part in enumerate(parts):
            if isinstance(part, Lit):
                value = part.value
                if not part.quoted and "~" in value.text:
                    last = i == len(parts) - 1
                    value = self._tilde(value, world, first=i == 0, last=last, assignment=assignment)
                if default and not part.quoted:
                    self._value(fields, value, False, split, world)
                    continue
                if not value.pieces:
                    fields.add(Piece(""), part.quoted)
                for piece in value.pieces if part.quoted else map(_split_choice, value.pieces):
                    fields.add(piece, part.quoted or piece.hole is not None)
            elif isinstance(part, Param):
                self._param(fields, part, world, split)
            elif isinstance(part, CommandSub):
                value = self.substitutions.substitute(part, world)
                self._value(fields, value, part.quoted, split, world)
            elif isinstance(part, ArithmeticSub):
                self._value(fields, self._arithmetic(part, world), part.quoted, split, world)
            else:
                self.substitutions.process(part, world)
                gap = Hole(part.shown, "the name of a pipe", Decider.OUTSIDE, Shape.PATH)
                fields.add(Piece(gap.text, part.route, hole=gap), True)

    def _tilde(self, value: Traced, world: World, first: bool, last: bool, assignment: bool) -> Traced:
        text = value.text
        starts = [0] if first and text.startswith("~") else []
        equals = re.match(r"[A-Za-z_]\w*=~", text)
        if first and equals is not None and self.substitutions.bash:
            starts.append(equals.end() - 1)
            assignment = True
        if assignment:
            starts += [m.start() + 1 for m in re.finditer(":~", text)]
        out, at = [], 0
        for start in starts:
            end = start + 1
            while end < len(text) and text[end] not in ("/:" if assignment else "/"):
                end += 1
            if end == len(text) and not last:
                continue
            prefix = text[start:end]
            name = {"~": "HOME", "~+": "PWD", "~-": "OLDPWD"}.get(prefix)
            if prefix in ("~+", "~-") and not self.substitutions.bash:
                continue
            home = Hole(prefix, "a home directory", Decider.OUTSIDE, Shape.PATH, name)
            known = self.parameters.lookup(name, world).value if name is not None else None
            value_of = known if known is not None and known.known else hole(home, value.cut(start, end).route)
            out += [value.cut(at, start), value_of]
            at = end
        return join([*out, value.cut(at, len(text))])

    def _param(self, fields: _Fields, part: Param, world: World, split: bool) -> None:
        got = self.parameters.get(part, world)
        if got.many is not None:
            self._many(fields, part, got, world, split)
            return
        value = got.value
        if value is None:
            marker = Piece("", part.route, unset=got.unset)
            if part.quoted:
                fields.add(marker if got.unset else Piece(""), True)
            elif got.unset is not None:
                if fields.current is not None or not split:
                    fields.add(marker, True)
                else:
                    index = len(fields.done)
                    fields.vanished.append((index, _vanished(part, got.unset)))
            return
        if got.fields is not None and split and not part.quoted:
            # The argument of `${V:-x}` keeps its own quoting.
            self._fill(fields, got.fields, world, split, default=True)
            return
        self._value(fields, value, part.quoted, split, world)

    def _many(self, fields: _Fields, part: Param, got: Got, world: World, split: bool) -> None:
        many = got.many or []
        if (part.quoted and got.star) or not split:
            joins = got.star or not self.substitutions.bash
            separator = literal(self._separators(world)[:1]) if joins else literal(" ")
            joined = join([t for i, item in enumerate(many) for t in ((separator, item) if i else (item,))]).one()
            if joined.pieces or (part.quoted and got.star):
                self._value(fields, joined, True, split, world)
            return
        first = self._separators(world)[:1]
        if not part.quoted and first not in ("", " ", "\t", "\n") and self.substitutions.bash:
            # bash joins them, and splits that
            joined = join([t for i, m in enumerate(many) for t in ((literal(first), m) if i else (m,))])
            self._value(fields, joined, False, split, world)
            return
        for i, item in enumerate(many):
            if i:
                fields.cut()
            self._value(fields, item, part.quoted, split, world)

    def _value(self, fields: _Fields, value: Traced, quoted: bool, split: bool, world: World) -> None:
        if quoted or not split:
            if not value.pieces:
                if quoted:
                    fields.add(Piece(""), True)
                return
            for piece in value.pieces:
                fields.add(piece, quoted)
            return
        splitter, blank = _splitter(self._separators(world))
        for piece in value.pieces:
            if piece.hole is not None or splitter is None:
                fields.add(_split_hole(piece, piece.hole) if piece.hole is not None and splitter else piece, False)
                continue
            at = 0
            for found in splitter.finditer(piece.text):
                if found.start() > at:
                    fields.add(piece.cut(at, found.start()), False)
                if fields.current is None and found.group().strip(blank or "\0"):
                    fields.add(Piece(""), True)
                fields.cut()
                at = found.end()
            if at < len(piece.text):
                fields.add(piece.cut(at, len(piece.text)), False)
            elif piece.unset is not None and fields.current is not None:
                fields.add(piece, True)

    def _separators(self, world: World) -> str:
        var = world.vars.get("IFS")
        if var is None or var.scalar is None:
            return " \t\n"
        return var.scalar.text if var.scalar.known else " \t\n"

    def _arithmetic(self, part: ArithmeticSub, world: World) -> Traced:
        value = self.number(part.expression, world)
        if value is None:
            return hole(Hole(part.shown, "a number that is not known", Decider.OUTSIDE, Shape.NUMBER), part.route)
        return Traced((Piece(str(value), part.route),))

    def number(self, node: WordNode, world: World) -> int | None:
        """The value of an arithmetic expression; None where it is not known."""
        text = self.single(node, world)
        if world.flow is not None:
            return None
        bash = self.substitutions.bash

        def get(name: str) -> str | None:
            base, _, index = name.partition("[")
            value = self.parameters.lookup(base, world).value
            if value is None and not index and bash and "nounset" in world.options:
                if base not in world.vars:
                    return None
                world.fail(bash, leaves=True)
                raise Unknown
            if index:
                var = world.vars.get(base)
                zero: Mapping[int | str, Traced] = {0: value or EMPTY}
                items = var.items if var is not None and var.items is not None else zero
                value = items.get(index[:-1] if var is not None and var.associative else int(index[:-1]))
            if value is None:
                return ""
            return value.text if value.known else None

        def put(name: str, number: int) -> None:
            text = Traced((Piece(str(number), node.route),))
            base, _, index = name.partition("[")
            if index and not world.fixed(base):
                base = world.target(base)
                var = world.vars.get(base) or Var()
                world.put(base, replace(var, items={**(var.items or {}), int(index[:-1]): text}, given=True))
            elif index or not world.assign(name, text):
                raise Wrong

        value = None
        if text.known:
            try:
                value = arithmetic(text.text.replace('"', ""), get, put, bash)
            except Wrong:
                world.fail(bash)
                return None
        if value is None:
            forget_assigned(node, world)
        return value

    # -- pathnames

    def _finish(self, fragments: list[Fragment], node: WordNode, world: World) -> Word:
        if self.substitutions.bash and "(" in node.shown and "noglob" not in world.options:
            fragments = _extended(fragments, node)
        pieces = [p for p, _ in fragments]
        for piece, quoted in fragments:
            if not quoted and piece.hole is None and _GLOB.search(piece.text):
                break
        else:
            return Word(compact(pieces), node.written)
        if not world.options.isdisjoint(("nullglob", "nocaseglob")):
            gap = Hole(node.shown, _FILES, Decider.REPOSITORY, Shape.PATH, several=True)
            return Word((Piece(gap.text, node.route, hole=gap),), node.written)
        text = "".join([p.text for p in pieces if p.hole is None])
        if not text.startswith("-") and "noglob" not in world.options:
            pieces = _globs(fragments, node)
        return Word(compact(pieces), node.written)


def forget_assigned(expression: WordNode, world: World) -> None:
    """What an expression of unknown value may assign to is not known from here on."""
    for name in assigned(expression.shown):
        gap = hole(Hole(f"${name}", "a number that is not known", Decider.OUTSIDE, Shape.NUMBER, name))
        var = world.vars.get(world.target(name))
        if var is not None and var.items is not None and not var.readonly:
            world.put(world.target(name), var.opened(gap))
        else:
            world.assign(name, gap)


def fixed_word(node: WordNode) -> Word | None:
    """The one word that the node is in every world: text in which nothing expands."""
    if len(node.parts) != 1 or not isinstance(part := node.parts[0], Lit):
        return None
    if not part.quoted and _EXPANDS.search(part.value.text):
        return None
    return Word(_split_choices(part), node.written)


@lru_cache(maxsize=64)
def _splitter(separators: str) -> tuple["re.Pattern[str] | None", str]:
    """The expression of what parts fields, and the blanks among the separators."""
    blank = "".join([c for c in separators if c in " \t\n"])
    other = "".join([c for c in separators if c not in " \t\n"])
    if not blank and not other:
        return None, ""
    b = f"[{re.escape(blank)}]" if blank else "(?!)"
    if not other:
        return re.compile(f"{b}+"), blank
    return re.compile(f"{b}*[{re.escape(other)}]{b}*|{b}+"), blank


def _extended(fragments: list[Fragment], node: WordNode) -> list[Fragment]:
    """The fragments with each extended pattern, `+(a|b)`, as a hole: which files match is not known."""
    out: list[Fragment] = []
    depth = 0
    for piece, quoted in fragments:
        plain = not quoted and piece.hole is None
        if depth:
            depth += (piece.text.count("(") - piece.text.count(")")) if plain else 0
            continue
        if not plain or not re.search(r"[?*+@!]\($", piece.text):
            out.append((piece, quoted))
            continue
        depth = 1
        if len(piece.text) > 2:
            out.append((piece.cut(0, len(piece.text) - 2), quoted))
        gap = Hole(node.shown, _FILES, Decider.REPOSITORY, Shape.PATH, several=True)
        out.append((Piece(gap.text, node.route, hole=gap), False))
    return out


def _globs(fragments: list[Fragment], node: WordNode) -> list[Piece]:
    """The pieces with each run of pattern characters as a hole: which files match is not known."""
    pattern = atoms([(Traced((piece,)), quoted or piece.hole is not None) for piece, quoted in fragments])
    holes, at, inside = list[tuple[int, int]](), 0, False
    while at < len(pattern):
        end = glob_end(pattern, at)
        if end is None and inside and pattern[at : at + 2] == (("/", False), ("/", False)):
            end = at + 1  # of several slashes one is left
        inside = end is not None or (inside and pattern[at] != ("/", False))
        if end is None:
            at += 1
            continue
        if holes and holes[-1][1] == at:
            holes[-1] = (holes[-1][0], end)
        else:
            holes.append((at, end))
        at = end
    word, out, at = Traced(tuple(p for p, _ in fragments)), list[Piece](), 0
    for start, end in holes:
        out += word.cut(at, start).pieces
        found = word.cut(start, end)
        gap = Hole(found.shown, _FILES, Decider.REPOSITORY, Shape.PATH, several=True)
        out.append(Piece(gap.text, found.route or node.route, hole=gap))
        at = end
    return [*out, *word.cut(at, len(pattern)).pieces]


def _split_hole(piece: Piece, gap: Hole) -> Piece:
    """A hole that the shell splits: but for a number, and a path of the machine, it may be any number of words."""
    one = gap.shape is Shape.NUMBER and (not gap.reason.startswith("the output of") or gap.reason in _ONE_NUMBER)
    if gap.several or one or (gap.shape is Shape.PATH and gap.name in ALWAYS_SET):
        return piece
    return replace(piece, hole=replace(gap, several=True))


def _split_choices(part: Lit) -> tuple[Piece, ...]:
    pieces = part.value.pieces
    if part.quoted or not any([p.hole is not None and p.hole.among for p in pieces]):  # noqa: C419
        return pieces
    return tuple(map(_split_choice, pieces))


def _split_choice(piece: Piece) -> Piece:
    """A text that the host puts in, one of several, is split like what is written."""
    if piece.hole is None or not piece.hole.among:
        return piece
    return replace(piece, hole=replace(piece.hole, several=True))


def _vanished(part: Param, name: str) -> Hole:
    return Hole(part.shown, "nothing in the repository sets it", Decider.OUTSIDE, Shape.ANY, name)
