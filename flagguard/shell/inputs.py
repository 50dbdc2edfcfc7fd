"""Inputs that GNU parallel reads from standard input and from files of the tree, put where `:::` would have them.

What parallel makes of its inputs is in ``parallel``; here they are found (parallel(1), "INPUT SOURCES").
"""

from flagguard.command import Word
from flagguard.shell.machine import Machine
from flagguard.shell.parallel import MOST_INPUTS, SOURCES
from flagguard.shell.state import World
from flagguard.shell.written import contents, tree_file, written
from flagguard.text import HOLE_MARK, Shape, Traced, literal

_PROGRAMS = ("parallel", "env_parallel")
_FILES = {"::::": ":::", "::::+": ":::+"}
_OTHERWISE = frozenset({"-0", "--null", "-d", "--delimiter", "--pipe", "--pipepart", "--recstart", "--recend"})


def fed(machine: Machine, words: tuple[Word, ...], world: World) -> tuple[Word, ...]:
    """The words of a call of parallel with the inputs that it reads; as they are where those are not known."""
    if not words[0].text.endswith("parallel") or words[0].text.rsplit("/", 1)[-1] not in _PROGRAMS:
        return words
    texts = [w.text for w in words]
    if not _OTHERWISE.isdisjoint(t.partition("=")[0] for t in texts):
        return words
    first = next((i for i, text in enumerate(texts) if text in SOURCES), len(words))
    own, sources = list(words[:first]), list(words[first:])
    given: list[Word] = []
    at = next((i for i, t in enumerate(texts[:first]) if t.partition("=")[0] in ("-a", "--arg-file", "--argfile")), 0)
    if at:
        file = words[at].cut(texts[at].find("=") + 1, len(words[at])) if "=" in texts[at] else None
        size = 1 if file is not None else 2
        if file is None and at + 1 < first:
            file = words[at + 1]
        lines = _lines(machine, file, world) if file is not None else None
        if lines is None:
            return words
        del own[at : at + size]
        given += [_word(":::"), *lines]
    elif not sources:
        lines = _cut(machine, world.stdin)
        return (*words, _word(":::"), *lines) if lines is not None else words
    out: list[Word] = []
    from_files = False
    for item in sources:
        if item.text in SOURCES:
            from_files = item.text in _FILES
            out.append(_word(_FILES.get(item.text, item.text)))
        elif from_files:
            lines = _lines(machine, item, world)
            if lines is None:
                return words
            out += lines
        else:
            out.append(item)
    return (*own, *given, *out)


def _word(text: str) -> Word:
    return Word(literal(text).pieces)


def _lines(machine: Machine, file: Traced, world: World) -> list[Word] | None:
    if file.text in ("-", "/dev/stdin"):
        return _cut(machine, world.stdin)
    texts = written(world, file)
    if len(texts) == 1:
        return _cut(machine, texts[0])
    path = None if texts else tree_file(machine, file, world)
    source = machine.setting.files.read(path) if path is not None else None
    return _cut(machine, source.traced()) if source is not None else None


def _cut(machine: Machine, text: Traced | None) -> list[Word] | None:
    """The lines of a text that is known; None for any other, and for too many."""
    whole = (contents(machine, text) or text) if text is not None else None
    if whole is None or whole.text.count("\n") > MOST_INPUTS or whole.text.strip() == HOLE_MARK:
        return None
    if any(gap.shape is Shape.ANY for gap in whole.holes):
        return None
    lines: list[Word] = []
    at = 0
    for line in whole.text.split("\n"):
        if line:
            lines.append(Word(whole.cut(at, at + len(line)).pieces))
        at += len(line) + 1
    return lines
