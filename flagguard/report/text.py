"""Text for people: one finding on at most one screen, the counts in the last line.

After the reports of rustc and ruff: the place first, what is wrong, the lines of the file with carets under the word.
Whatever comes from a file is shown without its control characters, so that no file can command the terminal.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

from flagguard.patterns import expression
from flagguard.report.blocks import Way, blocks, shared_place, shared_via, shared_when, ways
from flagguard.report.interface import (
    Checked,
    CommandRecord,
    EditRecord,
    Excerpt,
    FindingRecord,
    Listed,
    PlaceRecord,
    Point,
    ProblemRecord,
    Proved,
    Style,
)

BAD_VERDICTS = frozenset({"missed", "wrong-reason", "false-alarm", "timeout"})

_WIDTH = 150
"""Columns of a source line that are shown."""
_ARGV = 240
"""Characters of an argv that are shown with a finding."""
_FACTS = 8
"""Conditions of a finding that are listed before the rest is counted."""
_MARKS, _ROUTE, _VIA, _LINES = 3, 5, 5, 5
"""Lines of each kind that are shown with a finding: all together less than a screen of 40 lines."""

_RED, _YELLOW, _BLUE, _BOLD, _DIM = "31;1", "33;1", "34;1", "1", "2"
_UNSAFE = expression("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""C0 and C1 controls (ECMA-48) and the marks that turn the direction of text (UAX 9)."""


def check(result: Checked, style: Style) -> Iterator[str]:
    yield from _problems(result.problems, style)
    if result.problems:
        yield ""
    shown = blocks(result.findings)
    for group in shown:
        yield from _finding(group, style)
        yield ""
    if any(ways(group) for group in shown):
        told = (
            f"{len(result.findings)} findings are shown as {len(shown)}: those that differ only in their calls are one"
        )
        yield _ink("note", _BLUE, style) + f": {told}"
    for note in result.notes:
        yield _ink("note", _BLUE, style) + f": {visible(note)}"
    yield counts(result)


def commands(result: Listed, style: Style) -> Iterator[str]:
    for problem in result.problems:
        yield _problem(problem, style)
    for one in result.commands:
        yield from command(one, style)
    places = len({(c.at, c.via) for c in result.commands})
    yield f"{_count(len(result.commands), 'command')} at {_count(places, 'place')}"


def sabotage(result: Proved, style: Style) -> Iterator[str]:
    for problem in result.problems:
        yield _problem(problem, style)
    for edit in result.edits:
        if edit.verdict in BAD_VERDICTS or (edit.verdict == "skipped" and not edit.detail):
            head = f"{edit.file}:{edit.line}: " + _ink(f"{edit.verdict}[{edit.rule}]", _RED, style)
            yield visible(f"{edit.operator}: {edit.detail}") if not edit.file else f"{head}: {visible(edit.operator)}"
            if edit.detail:
                yield f"  {visible(edit.detail)}"
            yield from (f"  | {visible(line)}" for line in edit.diff.splitlines())
            yield ""
    for verdict in ("not-applicable", "invalid", "skipped"):
        yield from _reasons([edit for edit in result.edits if edit.verdict == verdict])
    yield proof_counts(result)


def _reasons(edits: Sequence[EditRecord]) -> Iterator[str]:
    """Why edits of one verdict were not counted: each reason once, the commonest first."""
    reasons = Counter(edit.detail for edit in edits if edit.detail)
    for detail, number in reasons.most_common(_LINES):
        yield f"{number} {edits[0].verdict.replace('-', ' ')}: {visible(detail)}"
    if len(reasons) > _LINES:
        rest = sum(number for _, number in reasons.most_common()[_LINES:])
        yield f"{rest} {edits[0].verdict.replace('-', ' ')} for other reasons (`--format json` has them all)"


def counts(result: Checked) -> str:
    """The last line of `check`."""
    s = result.summary
    read = f"{_count(s.files, 'file')}, {_count(s.commands, 'command')}, {s.judged} judged"
    found = f"{_count(s.errors, 'error')}, {_count(s.warnings, 'warning')}"
    unresolved = f" ({s.unresolved} of them unresolved)" if s.unresolved else ", 0 unresolved"
    line = f"{read}: {found}{unresolved}, {s.exempt} exempt"
    fatal = sum(problem.fatal for problem in result.problems)
    return f"{line}; {_count(fatal, 'problem')}: not everything could be judged" if fatal else line


def proof_counts(result: Proved) -> str:
    """The last line of `sabotage`."""
    s = result.summary
    if not s.get("sabotages"):
        return f"{_count(int(s.get('sites', 0)), 'site')}, 0 sabotages: nothing was proved"
    tried = f"{_count(int(s.get('sites', 0)), 'site')}, {_count(int(s.get('sabotages', 0)), 'sabotage')}"
    verdicts = ("caught", "missed", "wrong_reason", "not_applicable", "invalid", "skipped")
    shown = [name for name in verdicts if name in ("caught", "missed") or s.get(name)]
    told = [f"{s.get(name, 0)} {name.replace('_', ' ')}" for name in shown]
    harmless = _count(int(s.get("harmless", 0)), "harmless edit")
    harmless += f", {_count(int(s.get('false_alarms', 0)), 'false alarm')}"
    return f"{tried}: {', '.join(told)}; {harmless}; score {s.get('score', 0):g} %"


def visible(text: str) -> str:
    """The text with control characters written out."""
    return _UNSAFE.sub(_escape, text).replace("\t", "    ")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return "\\n" if code == 10 else f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def _heads(group: Sequence[FindingRecord], style: Style) -> Iterator[str]:
    """A line for each thing that is said, with the rules that say it."""
    said: dict[tuple[str, bool, str], list[str]] = {}
    for finding in group:
        rules = said.setdefault((finding.severity, finding.verdict == "unresolved", finding.message), [])
        rules += [finding.rule] if finding.rule not in rules else []
    spot = _spot(group[0].at)
    for number, ((severity, unresolved, message), rules) in enumerate(said.items()):
        named = f"{severity}[{', '.join(rules)}{', unresolved' if unresolved else ''}]"
        head = _ink(named, _RED if severity == "error" else _YELLOW, style)
        start = f"{_ink(spot, _BOLD, style)}: " if number == 0 else " " * (columns(spot) + 2)
        yield f"{start}{head}: {_ink(visible(message), _BOLD, style)}"


def _together(texts: Sequence[str]) -> list[str]:
    """The different texts, each line once; which rule says which stands in the lines above."""
    return list(dict.fromkeys(line for text in texts for line in visible_lines(text)))[:_LINES]


def _finding(group: Sequence[FindingRecord], style: Style) -> Iterator[str]:
    finding = group[0]
    colour = _RED if any(one.severity == "error" for one in group) else _YELLOW
    heads = list(_heads(group, style))
    yield from heads[:_LINES]
    if len(heads) > _LINES:
        yield f"  … and {len(heads) - _LINES} more"
    yield from _excerpts(finding.marks[-_MARKS:], finding.at.file, colour, style)
    place = _place(shared_place(group))
    if place:
        yield row("place", [place], style)
    platforms = sorted({platform for one in group for platform in one.platforms})
    if platforms:
        yield row("platforms", [", ".join(platforms)], style)
    when = shared_when(group)
    if when:
        yield row("when", [visible(" and ".join(_few(when)))], style)
    via = shared_via(group)
    if via:
        yield row("called", _way(via), style)
    differing = [_differing(way) for way in ways(group)]
    if differing:
        more = [f"and {len(differing) - _VIA} more"] if len(differing) > _VIA else []
        yield row("called" if not via and finding.via else "runs", [*differing[:_VIA], *more], style)
    if finding.route:
        yield row("from", [_step(step, style, colour) for step in finding.route[-_ROUTE:]], style)
    if finding.line:
        others = len({one.argv for one in group}) - 1
        more = [f"and {_count(others, 'other argv')}"] if others else []
        yield row("argv", [_short(visible(finding.line)), *more], style)
    why = _together([one.why for one in group])
    if why:
        yield row("why", why, style)
    help = _together([_for_platform(one, group) for one in group])
    if help:
        yield row("help", help, style)


def _for_platform(finding: FindingRecord, group: Sequence[FindingRecord]) -> str:
    """The help, with the platform where it is another one elsewhere in the block."""
    others = {one.help for one in group if one.rule == finding.rule and one.platforms != finding.platforms}
    if not others - {finding.help} or len(finding.platforms) != 1 or "\n" in finding.help or not finding.help:
        return finding.help
    return f"{finding.help} on {finding.platforms[0]}"


def visible_lines(text: str) -> list[str]:
    return [visible(line) for line in text.splitlines()]


def command(command: CommandRecord, style: Style) -> Iterator[str]:
    notes = [_place(command.place)] if _place(command.place) else []
    notes += [", ".join(command.platforms)] if command.platforms else []
    yield f"{_ink(_spot(command.at), _BOLD, style)}: {visible(' | '.join(notes))}"
    yield f"    {visible(command.line)}"
    if command.env:
        yield row("env", [visible(" ".join(f"{k}={v}" for k, v in command.env.items()))], style)
    if command.wrappers:
        yield row("through", [visible(" ".join(words)) for words in command.wrappers], style)
    if command.when:
        asked = " (only where somebody asks for it)" if command.opt_in else ""
        yield row("when", [visible(" and ".join(command.when)) + asked], style)
    if command.via:
        yield row("called", _way(command.via), style)
    if command.status != "honoured":
        yield row("status", [command.status], style)
    for index, steps in command.origins:
        word = visible(command.argv[index])
        yield row("from", [f"{_short(word, 40)}: {_step(steps[-1], style, _BOLD)}"], style)
    for hole in command.holes:
        yield row("open", [f"{visible(hole.text)}: {visible(hole.reason)}"], style)


def _few(when: Sequence[str]) -> Sequence[str]:
    return when if len(when) <= _FACTS else [*when[:_FACTS], f"{len(when) - _FACTS} more"]


def _place(place: PlaceRecord) -> str:
    named = ("task", "target", "job", "step", "runner")
    facts = [(name, getattr(place, name)) for name in named]
    return visible(", ".join(f"{name} {value}" for name, value in facts if value is not None))


def _way(via: Sequence[Point]) -> list[str]:
    if len(via) > _VIA:
        return [*(f"at {visible(p.file)}:{p.line}" for p in via[: _VIA - 2]), "…", f"at {_spot(via[-1])}"]
    return [f"at {visible(p.file)}:{p.line}" for p in via]


def _differing(way: Way) -> str:
    """One of several ways to the command, in a line."""
    calls = [f"{point.file}:{point.line}" for point in way.via]
    if len(calls) > 3:
        calls = [*calls[:2], "…", calls[-1]]
    facts = [_place(way.place)] if _place(way.place) else []
    facts += [f"on {', '.join(way.platforms)}"] if way.platforms else []
    facts += [f"when {' and '.join(way.when)}"] if way.when else []
    told = "; ".join(facts)
    if not calls:
        return _short(visible(told or "always"), _WIDTH)
    where = f"at {', '.join(calls)}"
    return _short(visible(f"{where} ({told})" if told else where), _WIDTH)


def _step(step: Excerpt, style: Style, colour: str) -> str:
    """The place, and its line with the meant part in colour."""
    start, text = step.at.column - 1, step.text
    before, meant, after = text[:start].lstrip(), text[start : start + step.width], text[start + step.width :].rstrip()
    if len(before) + len(meant) + len(after) > 100:
        before = "…" + before[-30:] if len(before) > 30 else before
        meant, after = _short(meant, 40), _short(after, 30)
    return f"{_spot(step.at)}: {visible(before)}{_ink(visible(meant), colour, style)}{visible(after)}"


def row(name: str, lines: Sequence[str], style: Style) -> str:
    """A named row; further lines stand below the first."""
    label = _ink(f"{name + ':':<10}", _BLUE, style)
    return f"  {label} " + ("\n" + " " * 13).join(lines)


def _excerpts(marks: Sequence[Excerpt], file: str, colour: str, style: Style) -> Iterator[str]:
    size = max((len(str(mark.at.line)) for mark in marks), default=0)
    before: Excerpt | None = None
    for mark in marks:
        if mark.at.file != file and (before is None or before.at.file != mark.at.file):
            yield f"  {' ' * size} {_ink('::', _BLUE, style)} {visible(mark.at.file)}"
        elif before is not None and mark.at.line > before.at.line + 1:
            yield f"  {_ink('…', _BLUE, style)}"
        shown, pad, width = _window(mark)
        yield f"  {_ink(f'{mark.at.line:>{size}} |', _BLUE, style)} {shown}".rstrip()
        if width:
            yield f"  {_ink(' ' * size + ' |', _BLUE, style)} {' ' * pad}{_ink('^' * width, colour, style)}"
        before = mark


def _window(mark: Excerpt) -> tuple[str, int, int]:
    """The part of the line that is shown, the columns before the carets, and how many carets."""
    start = mark.at.column - 1
    before, meant, after = mark.text[:start], mark.text[start : start + mark.width], mark.text[start + mark.width :]
    before, meant, after = visible(before), visible(meant), visible(after)
    if len(before) + len(meant) + len(after) > _WIDTH:
        if len(before) > _WIDTH // 2:
            before = "…" + before[-(_WIDTH // 2) :]
        meant = _short(meant, _WIDTH)
        after = _short(after, max(_WIDTH - len(before) - len(meant), 1))
    return before + meant + after, columns(before), max(columns(meant), 1) if mark.width else 0


def columns(text: str) -> int:
    """Columns of a terminal that the text takes (UAX 11: wide characters take two, combining ones none)."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _problems(problems: Sequence[ProblemRecord], style: Style) -> Iterator[str]:
    """Each problem; notes of one line that differ behind their first clause are one."""
    alike: dict[object, list[ProblemRecord]] = {}
    for problem in problems:
        said = problem.message if problem.fatal else problem.message.partition(";")[0]
        alike.setdefault((problem.file, problem.line, problem.fatal, said), []).append(problem)
    for group in alike.values():
        more = f" (and {len(group) - 1} more like it)" if len(group) > 1 else ""
        yield _problem(group[0], style) + more


def _problem(problem: ProblemRecord, style: Style) -> str:
    word = _ink("problem", _RED, style) if problem.fatal else _ink("note", _BLUE, style)
    told = visible(problem.message) if problem.fatal else _short(visible(problem.message), _ARGV)
    if problem.file == ".":  # of the tree as a whole
        return f"{word}: {told}"
    return f"{_ink(visible(f'{problem.file}:{problem.line}'), _BOLD, style)}: {word}: {told}"


def _spot(at: Point) -> str:
    return visible(f"{at.file}:{at.line}:{at.column}")


def _short(text: str, limit: int = _ARGV) -> str:
    """The text, or its beginning and its end where it is too long."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return f"{text[: limit - tail - 3]} … {text[-tail:]}" if limit > 40 else text[: limit - 1] + "…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _ink(text: str, code: str, style: Style) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if style.colour and text else text
