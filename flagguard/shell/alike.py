"""Scripts that differ in nothing but the names put into them: what one came to, told for the others.

A host that puts a hundred file names into one line (make's ``$@`` and ``$<``) hands out a hundred scripts of one mould.
Where no name can make a difference to what the shell does, the mould is evaluated in their stead, and the names are
put into its commands. Everywhere else each script is evaluated for itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from flagguard.command import BLANK, Alike, Command, Dialect, Script, Word, looked_up
from flagguard.hosts import Setting
from flagguard.patterns import expression
from flagguard.shell.builtins import BUILTINS
from flagguard.shell.parser import parse
from flagguard.shell.syntax import AndOr, Function, Group, Item, ListNode, Lit, Node, Simple, Subshell, WordNode
from flagguard.shell.wrapper_table import Wrappers, load
from flagguard.shell.written import WRITERS
from flagguard.text import HOLE_MARK, Piece, Span, Traced, moved, shared_route
from flagguard.values import dataclass, replace

if TYPE_CHECKING:
    from flagguard.shell.evaluation import Evaluation

_NAME = expression(rf"(?!\d+\Z)[\w./+,@%:{HOLE_MARK}-][\w./+,@%:={HOLE_MARK}-]*")
"""Names that the shell takes as they are, and no program for an option, wherever they stand behind its own name."""
_SPECIAL = expression(r"[*?\[{~]")
_INTERPRETER = expression(r"(?:python|pypy|py)[0-9.]*[tdm]?(?:\.exe)?")
_HARMLESS = frozenset({"echo", ":", "true"})
_CHANGING = frozenset({"eval", ".", "source", "exec", "alias", "unalias", "enable"}) | BUILTINS.keys() - _HARMLESS


@dataclass(frozen=True, slots=True)
class _Cast:
    """One command of a mould."""

    command: Command
    blank: tuple[int, ...]
    """The words of its argv that names are put into."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What a mould came to."""

    casts: tuple[_Cast, ...]
    evaluation: Evaluation
    single: frozenset[str]
    """The blanks that are part of a word: just one name fits in."""


@dataclass(slots=True)
class _Kept:
    """What is kept of a mould in one setting; ``held`` keeps the identities in its key."""

    held: tuple[object, ...]
    form: _Form | None = None
    tried: bool = False


def told(
    script: Script, given: Alike, setting: Setting, evaluate: Callable[[Script, Setting], Evaluation]
) -> Evaluation | None:
    """What the script comes to, from what its mould came to; None where it must be evaluated itself."""
    if script.text is not given.text or script.argv or script.via or script.files or script.layout or script.machine:
        return None
    held = (script.env, setting.files, setting.wrappers, setting.assume)
    facts = (script.dialect, script.platforms, script.errexit, script.pipefail, script.ignored, script.directory)
    key = (*map(id, held), *facts, script.when, script.opt_in, setting.platforms)
    kept = given.mould.kept.get(key)
    if not isinstance(kept, _Kept):
        given.mould.kept[key] = _Kept(held)
        return None
    if not kept.tried:
        kept.tried = True
        kept.form = _form(replace(script, text=given.mould.text, alike=None), setting, evaluate)
    form = kept.form
    if form is None or not all(_fits(words) for words in given.names.values()):
        return None
    if any(len(given.names[blank]) != 1 for blank in form.single if blank in given.names):
        return None
    commands = tuple(_command(cast, given.names, script) for cast in form.casts)
    if given.move is None:
        return replace(form.evaluation, commands=commands)
    if form.evaluation.problems:
        return None
    move = given.move
    parsed = frozenset(moved(span, move) for span in form.evaluation.parsed)
    evaluated = frozenset(moved(span, move) for span in form.evaluation.evaluated)
    commands = tuple(_moved(command, move) for command in commands)
    return replace(form.evaluation, commands=commands, parsed=parsed, evaluated=evaluated)


def _moved(command: Command, move: tuple[Span, Span]) -> Command:
    return replace(
        command,
        argv=tuple([_word_moved(word, move) for word in command.argv]),
        span=moved(command.span, move),
        extent=moved(command.extent, move),
        wrappers=tuple(tuple(_word_moved(word, move) for word in wrapper) for wrapper in command.wrappers),
        env={name: value.moved(move) for name, value in command.env.items()} if command.env else command.env,
    )


def _word_moved(word: Word, move: tuple[Span, Span]) -> Word:
    written = moved(word.written, move) if word.written is not None else None
    return Word(word.moved(move).pieces, written)


def _fits(words: Sequence[Traced]) -> bool:
    return all(_is_name(word.text) and all(map(_is_plain, word.pieces)) for word in words)


def _is_plain(piece: Piece) -> bool:
    return bool(piece.text) if piece.hole is None else not piece.hole.among


@lru_cache(maxsize=10_000)
def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


# -- what a mould comes to


def _form(mould: Script, setting: Setting, evaluate: Callable[[Script, Setting], Evaluation]) -> _Form | None:
    """None where a name could make a difference."""
    parsed = parse(mould.text, mould.dialect is Dialect.BASH)
    found: list[Simple] = []
    if parsed.error is not None or not _simples(parsed.body, found) or any(map(_may_hold_blanks, mould.text.pieces)):
        return None
    single: set[str] = set()
    table = setting.wrappers or load()
    if _blanks(mould.text.text) != sum(_indifferent(s, len(parsed.commands) == 1, table, single) for s in found):
        return None
    evaluation = evaluate(mould, setting)
    if any(p.fatal or _blanks(p.message) for p in evaluation.problems) or evaluation.unread_from is not None:
        return None
    if evaluation.texts or evaluation.depends:
        return None
    casts = []
    for command in evaluation.commands:
        aside = [w for wrapper in command.wrappers for w in wrapper]
        if _blanks("".join(t.text for t in (*command.argv[:1], *aside, *command.env.values()))):
            return None
        blank = tuple(i for i, w in enumerate(command.argv) if _blanks(w.text))
        if any(len(p.text) > 1 for i in blank for p in command.argv[i].pieces if _blanks(p.text)):
            return None
        casts.append(_Cast(command, blank))
    return _Form(tuple(casts), evaluation, frozenset(single))


def _may_hold_blanks(piece: Piece) -> bool:
    among = piece.hole.among if piece.hole is not None else ()
    return any(_blanks(inner.text) or _may_hold_blanks(inner) for one in among for inner in one.pieces)


def _blanks(text: str) -> int:
    return 0 if text.isascii() else len(BLANK.findall(text))


def _simples(node: Node | Item, found: list[Simple]) -> bool:
    """Gather the simple commands that just run one after the other; False where there are functions."""
    match node:
        case Simple():
            found.append(node)
        case ListNode(items):
            return all(_simples(item, found) for item in items)
        case Item(inner):
            return _simples(inner, found)
        case AndOr(first, rest):
            return _simples(first, found) and all(_simples(one, found) for _, one in rest)
        case Group(body) | Subshell(body):
            return _simples(body, found)
        case Function():
            return False
    return True


def _indifferent(node: Simple, alone: bool, table: Wrappers, single: set[str]) -> int:
    """How many blanks stand in the command where the names make no difference to the shell."""
    if not _blanks(node.text):
        return 0
    first = node.words[0] if node.words else None
    if not isinstance(first, WordNode) or not _plain_program(first, alone, table):
        return 0
    targets = [redirect.target for redirect in node.redirects] if alone else []
    count = 0
    for word in (*node.words[1:], *targets):
        parts = word.parts if isinstance(word, WordNode) else ()
        literals = [part for part in parts if isinstance(part, Lit)]
        text = "".join(part.value.text for part in literals)
        found = _blanks(text)
        if not found:
            continue
        if len(literals) < len(parts) or any(not p.quoted and _SPECIAL.search(p.value.text) for p in literals):
            return 0
        count += found
        if word in targets or len(text) > 1 or any(part.quoted for part in literals):
            single.update(BLANK.findall(text))
    return count


def _plain_program(first: WordNode, alone: bool, table: Wrappers) -> bool:
    """Whether the word names a program that the shell just starts; or it is a hole that no shell and no wrapper is."""
    program = first.literal
    if program is None:
        pieces = [p for part in first.parts if isinstance(part, Lit) for p in part.value.pieces]
        if any(p.hole is not None and (p.hole.among or p.hole.name in ("SHELL", "BASH")) for p in pieces):
            return False
        text = Traced(tuple(pieces))
        return all(isinstance(p, Lit) for p in first.parts) and not _blanks(text.text) and looked_up(text) is None
    name = program.rpartition("/")[2].removesuffix(".exe")
    if _blanks(program) or program in _CHANGING or (name in WRITERS and not alone):
        return False
    return table.find(name) is None and not _INTERPRETER.fullmatch(name)


# -- a command with its names


def _command(cast: _Cast, names: Mapping[str, Sequence[Traced]], script: Script) -> Command:
    command = cast.command
    if not cast.blank:
        return command if command.place == script.place else replace(command, place=script.place)
    argv: list[Word] = []
    there: list[int] = []
    at = 0
    for index in cast.blank:
        there += range(len(argv), len(argv) + index - at + 1)
        argv += command.argv[at:index]
        argv += _words(command.argv[index], names)
        at = index + 1
    vanished = command.vanished
    if vanished:
        there += range(len(argv), len(argv) + len(command.argv) - at + 1)
        vanished = tuple((there[i], gap) for i, gap in vanished)
    argv += command.argv[at:]
    reading = _reading(*command.reading, names)
    return replace(command, argv=tuple(argv), place=script.place, vanished=vanished, reading=reading)


def _words(word: Word, names: Mapping[str, Sequence[Traced]]) -> list[Word]:
    if len(word.pieces) == 1:
        return [_word(_put(word.pieces[0], name), word) for name in names[word.pieces[0].text]]
    pieces: list[Piece] = []
    for piece in word.pieces:
        pieces += _put(piece, names[piece.text][0]) if piece.text in names else (piece,)
    return [_word(tuple(pieces), word)]


def _word(pieces: tuple[Piece, ...], word: Word) -> Word:
    routes = [p.route for p in word.pieces if p.route]
    if len(routes) == 1 and routes[0][-1] == word.written:
        # all that the files say of the word is the name
        route = shared_route(pieces)
        return Word(pieces, route[-1] if route else None)
    return Word(pieces, word.written)


def _put(blank: Piece, name: Traced) -> tuple[Piece, ...]:
    route = blank.route
    open_to_all = blank.overridable
    return tuple(
        [Piece(p.text, route + p.route, p.verbatim, p.hole, p.overridable or open_to_all) for p in name.pieces]
    )


def _reading(
    text: str, spans: tuple[tuple[int, int], ...], names: Mapping[str, Sequence[Traced]]
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The source of the command, and where its words stand in it."""
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    at = shift = done = 0
    blanks = [match.start() for match in BLANK.finditer(text)]
    for index in sorted({bisect_right(spans, (blank, len(text))) - 1 for blank in blanks}):
        start, end = spans[index]
        places += [(a + shift, b + shift) for a, b in spans[done:index]]
        word = text[start:end]
        filled = [name.text for name in names[word]] if word in names else [_filled(word, names)]
        begun = start + shift
        for one in filled:
            places.append((begun, begun + len(one)))
            begun += len(one) + 1
        parts += (text[at:start], " ".join(filled))
        shift += len(parts[-1]) - len(word)
        at, done = end, index + 1
    places += [(a + shift, b + shift) for a, b in spans[done:]]
    return "".join((*parts, text[at:])), tuple(places)


def _filled(word: str, names: Mapping[str, Sequence[Traced]]) -> str:
    return "".join([names[c][0].text if c in names else c for c in word])
