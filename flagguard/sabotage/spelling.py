"""How a flag is written for a tool: again with a worse value, or added where it must not be.

Reads the tool catalogue; every text here is one that the tool's manual knows.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flagguard.command import Word
from flagguard.constraints import Outcome
from flagguard.rules import Constraint, Subject
from flagguard.sabotage.ground import Ground, inside
from flagguard.sabotage.manners import POSIX, manner_of
from flagguard.sabotage.needs import Need
from flagguard.sabotage.values import hitting, refuses
from flagguard.text import Span
from flagguard.tools.catalogue import Tool, grammar
from flagguard.tools.grammar import Form, Node, Option
from flagguard.tools.platforms import split
from flagguard.tools.streams import for_command
from flagguard.values import dataclass

_PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
_USES = frozenset({"$", "%", "{", "@", "&"})
"""With what the use of a variable begins in some file."""
_LISTED = re.compile(r"""["'][ \t]*(?:,|$|[ \t]-)""")
"""The end of an item of a list of quoted words."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """A text, and where it goes."""

    at: Span
    text: str


Worse = Callable[[Outcome, Word], str | None]


def repeating(need: Need, outcome: Outcome, option: Option, worse: Worse) -> str | None:
    """The option once more with a value that does not do; None where there is none, or it needs quotes."""
    if option.value is None:
        return next(_switches(need, outcome.constraint, _refused(need, outcome.constraint)), None)
    bad = worse(outcome, option.value)
    words = [need.invocation.argv[i].text for i in option.words]
    if bad is None or not words or not words[-1].endswith(option.value.text):
        return None
    words[-1] = words[-1][: len(words[-1]) - len(option.value.text)] + bad
    return " ".join(words) if all(_PLAIN.fullmatch(w) for w in words) else None


def _refused(need: Need, constraint: Constraint) -> Callable[[str], bool]:
    return lambda text: refuses(constraint, text, need.platform, {})


def _switches(need: Need, constraint: Constraint, wanted: Callable[[str], bool]) -> Iterator[str]:
    """Switches of the tool that stand for a value of the property."""
    if constraint.subject is not Subject.EFFECTIVE:
        return
    for table in _tables(need, constraint.names[0]):
        for spelled, meant in {**table.get("last", {}), **table.get("values", {})}.items():
            if wanted(meant) and _PLAIN.fullmatch(spelled):
                yield spelled


def _tables(need: Need, name: str) -> Iterator[Mapping[str, Any]]:
    for stream in need.invocation.streams:
        if stream.carrier is None and name in stream.tool.effective:
            yield stream.tool.effective[name]


# -- adding -----------------------------------------------------------------------------------------------------------


def adding(
    need: Need, constraint: Constraint, ground: Ground, baseline: Mapping[str, str], *, hit: bool
) -> Spelled | str:
    """What to add so that the constraint is hit (or, not ``hit``, no longer met); else why that cannot be written."""
    if constraint.subject is Subject.ENV:
        value = hitting(constraint)
        if value is None:
            return "no value is known that the condition speaks of"
        return _before(need, ground, constraint.names[0], value or "x")
    if constraint.subject is Subject.FLAG:
        value = hitting(constraint)
        if value is None:
            return "no value is known that the condition speaks of"
        return _after(need, ground, spell(need.invocation.streams[0].parse.node, constraint.names[0], value))
    return _property(need, constraint, ground, baseline, hit=hit)


def _property(
    need: Need, constraint: Constraint, ground: Ground, baseline: Mapping[str, str], *, hit: bool
) -> Spelled | str:
    name = constraint.names[0]
    platform = need.invocation.builds_for(need.platform)

    def wanted(text: str) -> bool:
        return refuses(constraint, text, platform, baseline) != hit

    switch = next(_switches(need, constraint, wanted), None)
    if switch is not None:
        return _after(need, ground, switch)
    values = [v for v in ("native", hitting(constraint) or "", "99.0", "0") if v and wanted(v)]
    if not values:
        return "no value is known that the condition speaks of"
    for stream in need.invocation.streams:
        flag = _setting(stream.tool, name, platform) if stream.carrier is None else None
        if flag is not None:
            return _after(need, ground, spell(stream.parse.node, flag, values[0]))
    carried = _carried(need, name, platform, values[0])
    if carried is not None:
        decided = need.invocation.effective(name, need.platform).option
        if decided is not None and decided.words:
            return f"`{decided.word.shown}` decides, whatever the environment says"
        return _before(need, ground, *carried)
    return f"the catalogue knows no option of `{need.invocation.program}` that sets {name}"


def _setting(tool: Tool, name: str, platform: str) -> str | None:
    """The first option that sets the property for the platform's machine."""
    sets: Any = tool.effective.get(name, {}).get("sets", ())
    if isinstance(sets, dict):
        sets = sets.get(split(platform)[1], sets.get("*", ()))
    return next((str(level).split(" -")[0] for level in sets), None)


def _carried(need: Need, name: str, platform: str, value: str) -> tuple[str, str] | None:
    """The property set through a variable that holds words for another tool: the one that counts, or `RUSTFLAGS`."""
    tool, env = need.invocation.tool, need.command.env
    entries = [
        e
        for e in (tool.environment if tool is not None else ())
        if re.fullmatch(r"\w+", str(e.get("name", "")))
        and e.get("split") != "implied"
        and for_command(e, need.invocation.streams[0].parse)
    ]
    entries.sort(key=lambda e: (e["name"] not in env, e.get("split") == "unit", e.get("rank", 0)))
    for entry in entries:
        other = grammar(str(entry["grammar"]))
        flag = _setting(other, name, platform)
        if flag is not None:
            return entry["name"], spell(other.root, flag, value).replace(" ", "")
    return None


def spell(node: Node, flag: str, value: str) -> str:
    """The flag with the value, as the tool takes it; ``value`` "" stands for any."""
    if " " in flag:
        return f"{flag}={value}" if value else flag
    if flag.endswith("=") and not flag.startswith("-"):
        return f"{flag}{value or 'x'}"
    found = node.spellings.get(flag)
    if found is None:
        keyed = flag.startswith("-D") and len(flag) > 2
        return f"{flag}={value or ('x' if keyed else '')}" if value or keyed else flag
    form = found.form
    if form is Form.SWITCH or (not value and found.spec.optional):
        return flag
    if Form.EQUALS in form:
        return f"{flag}={value or 'x'}"
    if Form.SEPARATE in form:
        return f"{flag} {value or 'x'}"
    return f"{flag}:{value or 'x'}" if Form.COLON in form else f"{flag}{value or 'x'}"


def declared(need: Need) -> bool:
    """Whether it is a step or a declaration, whose flags are entries of the file (DESIGN 4.5)."""
    first = need.command.argv[0]
    # what an action runs stands where the action is named, and says something else there
    written = [(len(piece.route), piece.verbatim) for piece in first.pieces]
    stands_for = need.command.place.host == "github" and written == [(1, False)]
    return stands_for or first.text == "uses" or re.fullmatch(r"[a-z-]+:[\w-]+", first.text) is not None


def _before(need: Need, ground: Ground, name: str, value: str) -> Spelled | str:
    """A variable of the environment that counts for the command."""
    span = need.command.span
    if span.start == span.end or not inside(span, need.command.extent) or _implicit(need, ground):
        return "the command is not written in the file"
    if need.invocation.argv is not need.command.argv:
        return "the rule speaks of a wrapper"
    if declared(need):
        return "it is no command line: its variables stand elsewhere"
    manner = manner_of(need.command)
    if manner.nested:
        return "it is a word of another command, where no variable can be set"
    at = ground.opening(span.path, span.start if manner is POSIX else need.command.extent.start)
    return Spelled(Span(span.path, at, at), manner.variable.format(name, value))


def _after(need: Need, ground: Ground, text: str) -> Spelled | str:
    """Where one more option counts: after the others, before what belongs to the built program."""
    if declared(need):
        return "it is no command line: its flags stand elsewhere"
    argv, extent = need.invocation.argv, need.command.extent
    main = need.invocation.streams[0].parse
    taken = [i for option in main.options if option.carrier is None for i in option.words]
    last = max(taken, default=-1)
    if _implicit(need, ground):
        return "the command is not written in the file"
    if last < 0:
        first = next((o.at for o in main.operands if o.at is not None), None)
        last = first - 1 if first is not None and first > 0 else len(argv) - 1
    at = _end(argv[last], extent) if 0 <= last < len(argv) else None
    if at is None:
        return "the command is not written in the file"
    listed = _LISTED.match(ground.text(Span(extent.path, at - 1, at + 80))) if manner_of(need.command).listed else None
    if listed is not None:
        return Spelled(Span(extent.path, at, at), "".join(f', "{word}"' for word in text.split()))
    return Spelled(Span(extent.path, at, at), f" {text}")


def _implicit(need: Need, ground: Ground) -> bool:
    """Whether the file only says what is built, not how: a rule of make without a recipe."""
    first = need.invocation.argv[0]
    own = [p for p in first.pieces if p.route]
    return not any(p.verbatim or ground.text(p.route[0])[:1] in _USES for p in own)


def _end(word: Word, extent: Span) -> int | None:
    """Where the word ends in the command, as it is written there."""
    if word.written is not None and inside(word.written, extent):
        return word.written.end
    spans = [p.route[0] for p in word.pieces if p.route and inside(p.route[0], extent)]
    return max((s.end for s in spans), default=None)
