"""What a command is called: its bare program, the tool that this is, and the words that lead (DESIGN 5.1, 7).

`python -m X` is X, `python setup.py` is `setup.py`, and `[tools]` says which programs of a repository hand their words
to a tool.
"""

from collections.abc import Sequence
from enum import Enum
from functools import cache

from flagguard.command import Word, looked_up
from flagguard.text import HOLE_MARK, literal
from flagguard.tools.catalogue import Tool, program_name, tool_for
from flagguard.tools.grammar import Item, parse
from flagguard.values import dataclass


class Match(Enum):
    """Whether a command is what a rule names."""

    YES = "yes"
    NO = "no"
    MAYBE = "maybe"
    """A hole stands where the name would."""


@dataclass(frozen=True)
class Identity:
    """One name that the command goes by, and the words after it."""

    program: str
    """The bare name."""
    names: frozenset[str]
    """All that a rule may call it."""
    items: tuple[Item, ...]
    tool: Tool | None = None


def is_hole(w: Word) -> bool:
    """Whether nothing of the word is known."""
    return w.text == HOLE_MARK


def is_unknown(program: Word) -> bool:
    """Whether nothing is known of which program it is; `$(which python)` says it."""
    return is_hole(program) and looked_up(program) is None


@cache
def named(name: str) -> tuple[str, tuple[str, ...]]:
    """A rule's command: the bare program and the words after it; `python -m X` is X."""
    words = [Word(literal(w).pieces) for w in name.split()]
    identities, *_ = identify(words, ())
    last = identities[-1]
    return last.program, tuple(i.word.text for i in last.items)


def lead(asked: Sequence[str], words: Sequence[Word]) -> Match:
    """Whether words that the catalogue does not know begin as asked, options left out."""
    states, maybe = {0}, False
    texts = [w.text for w in words]
    for name in asked:
        following: set[int] = set()
        if name not in texts and HOLE_MARK not in texts:
            return Match.NO
        for start in states:
            open_ends = {start}
            for at in range(start, len(texts)):
                if at not in open_ends:
                    continue
                text = texts[at]
                if text == name:
                    following.add(at + 1)
                elif text == HOLE_MARK:
                    following.add(at + 1)
                    maybe = True
                if text.startswith(("-", HOLE_MARK)):
                    open_ends |= {at + 1, at + 2}
        states = following
        if not states:
            return Match.NO
    exact = _leads_exactly(asked, words)
    return Match.YES if exact or not maybe else Match.MAYBE


def _leads_exactly(asked: Sequence[str], words: Sequence[Word]) -> bool:
    plain = [w.text for w in words if not w.text.startswith("-")]
    return plain[: len(asked)] == list(asked)


_HOLE_NAMES = {"CC": "gcc", "CXX": "g++", "CPP": "gcc", "FC": "gfortran", "LD": "ld", "AR": "ar"}
"""GNU make manual, 10.3 Variables Used by Implicit Rules."""
_NO_PROGRAMS = frozenset({"opt", "v", "V"})
"""Variables that hold options, or nothing, rather than the program of their name."""


def identify(argv: Sequence[Word], tools: tuple[tuple[str, str], ...]) -> tuple[list[Identity], str, str, bool]:
    """The names that a command goes by, the tool's last; then its bare name, its cross prefix, and whether the tool is
    a guess.
    """
    items = tuple(Item(w, i) for i, w in enumerate(argv) if i > 0)
    text = argv[0].text
    if is_hole(argv[0]) and looked_up(argv[0]) is None:
        hole = argv[0].holes[0]
        variable = "" if hole.name in _NO_PROGRAMS else hole.name or ""
        bare = _HOLE_NAMES.get(variable, variable.lower())
        tool = tool_for(bare)
        out = [Identity(bare, frozenset({bare}), items, tool)]
        if tool is None or tool.hands_over:  # `$PYTHON setup.py`, `$PYTHON -m pip`
            out += _handed(tool_for("python"), items)
        last = out[-1]
        return out, last.program if last.tool else hole.text, "", last.tool is not None
    if text == "uses" and items:
        bare = "uses " + items[0].word.text.partition("@")[0].lower()
        tool = tool_for(bare) or tool_for("uses")
        return [Identity(bare, frozenset({bare}), items[1:], tool)], bare, "", False
    name = program_name(looked_up(argv[0]) or text)
    bare = name.bare
    tool = tool_for(bare) or tool_for(bare.partition(":")[0] + ":") or tool_for(f"python -m {text}")
    out = [Identity(bare, name.candidates, items, tool)]
    out += _handed(tool, items)
    bare = out[-1].program
    for given, meant in tools:
        for identity in list(out):
            taken = _given(given, identity)
            if taken is not None:
                program, *words = meant.split()
                tool = tool_for(program_name(program).bare)
                items = (*(Item(Word(literal(w).pieces)) for w in words), *taken)
                bare = program_name(program).bare
                out.append(Identity(bare, frozenset({bare}), items, tool))
                return out, bare, "", False
    return out, bare, name.cross, False


def _handed(tool: Tool | None, items: tuple[Item, ...]) -> list[Identity]:
    """What a program that runs others runs."""
    out: list[Identity] = []
    while tool is not None and tool.hands_over:
        handed = _handed_over(tool, items)
        if handed is None:
            break
        program, items, module = handed
        name = program_name(program)
        tool = (tool_for(f"python -m {name.bare}") if module else None) or tool_for(name.bare)
        out.append(Identity(name.bare, name.candidates, items, tool))
    return out


def _given(given: str, identity: Identity) -> tuple[Item, ...] | None:
    """The words after those that `[tools]` names."""
    program, *words = given.split()
    if program_name(program).bare not in identity.names:
        return None
    if [i.word.text for i in identity.items[: len(words)]] != words:
        return None
    return identity.items[len(words) :]


def _handed_over(tool: Tool, items: tuple[Item, ...]) -> tuple[str, tuple[Item, ...], bool] | None:
    """`python [options] -m X …` and `python [options] X.py …`: the program, its words, whether it is a module."""
    read = parse(tool.root, items)
    last = read.options[-1] if read.options else None
    if last is not None and last.spec is not None and last.spec.program:
        if "-m" not in last.names or last.value is None:
            return None
        following = [i for i, item in enumerate(items) if item.at is not None and item.at > max(last.words)]
        return last.value.text, items[following[0] :] if following else (), True
    for script in read.operands[:2]:
        if script.word.text.endswith(".py") or script.word.text.rpartition("/")[2] == "waf":
            return script.word.text, items[items.index(script) + 1 :], False
        if not is_hole(script.word):
            break
    return None
