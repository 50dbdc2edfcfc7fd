"""The harmless edits: they change nothing that matters, and a check that is clean must stay so (DESIGN 3).

Each keeps the argv as the shell would pass it. Where a format cannot say it, the plan says why.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from flagguard.command import Dialect, Word
from flagguard.judging import Clause
from flagguard.sabotage.ground import Ground, inside
from flagguard.sabotage.manners import POSIX, manner_of, quote_around, shell_task
from flagguard.sabotage.needs import Need
from flagguard.sabotage.plan import Operator, Plan
from flagguard.sabotage.spelling import Spelled, adding
from flagguard.sabotage.surface import LINES, NO_SHELL, ONE_LINE, Style, Surface
from flagguard.text import Edit, Span
from flagguard.tools.grammar import Option
from flagguard.values import dataclass

_BARE = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
_JOINT = re.compile(r"[ \t]+\\{1,2}\r?\n[ \t]*$")


@dataclass(frozen=True)
class Harmless:
    """The harmless edits around the flag that meets one need."""

    need: Need
    ground: Ground
    baseline: Mapping[str, str]

    def plans(self) -> Iterator[Plan]:
        option = self.need.outcome.option if self.need.outcome is not None else None
        surface = self.ground.surface(self.need.command.extent.path)
        if surface is None:
            return
        said = self._flag(option) if option is not None else self._named()
        extent = self.need.command.extent
        yield from self._comments(surface, extent, said)
        if option is None:
            return
        flag = self.ground.assembled(option.word)
        if flag is not None and not inside(flag, extent):
            yield from self._elsewhere(flag, said)
        if option.carrier is not None:
            return
        argv = self.need.invocation.argv
        words = [argv[i] for i in option.words if i < len(argv)]
        spans = [self.ground.own(w, self.need.command, argv) for w in words]
        here = [s for s in spans if s is not None]
        if not words or len(here) != len(words):
            return
        for word, span in zip(words, here, strict=True):
            yield from self._requoted(surface, word, span)
        yield from self._reordered(option, here)
        yield from self._split(surface, here[0])
        yield from self._joined(surface, words)

    def _flag(self, option: Option) -> str:
        """The flag, with another value where that is a word of its own."""
        word, whole = option.word.shown, option.whole
        if whole is not None:
            return word if whole.shown in word else f"{word} {whole.shown}"
        return f"{word} native" if len(option.words) > 1 else word

    def _named(self) -> str:
        """What a comment may speak of where no flag is: what is forbidden, else what was asked for."""
        outcome = self.need.outcome
        if outcome is None:
            return ""
        if self.need.clause is Clause.FORBID:
            added = adding(self.need, outcome.constraint, self.ground, self.baseline, hit=True)
            if isinstance(added, Spelled):
                return added.text.strip()
        return outcome.name

    def _plan(self, operator: Operator, edits: Sequence[Edit], why_not: str | None = None) -> Plan:
        return Plan(operator, self.need.rule.id, tuple(edits), (), why_not)

    # -- quotes -------------------------------------------------------------------------------------------------------

    def _requoted(self, surface: Surface, word: Word, span: Span) -> Iterator[Plan]:
        written = self.ground.text(span)
        manner = manner_of(self.need.command)
        nested = manner is not POSIX and quote_around(surface.text, self.need.command.extent.start, manner)
        outer = surface.outer_quote(span.start, span.end) if manner is POSIX else nested
        bare = written[1:-1] if len(written) > 2 and written[0] == written[-1] and written[0] in "'\"" else ""
        if "\\" in written or (manner is not POSIX and set(written) & set("%!@")):
            return
        if _BARE.fullmatch(written):
            spellings = [f"{q}{written}{q}" for q in reversed(manner.quotes)]
        elif bare and _BARE.fullmatch(bare) and written[0] in manner.quotes:
            spellings = [bare, *(f"{q}{bare}{q}" for q in manner.quotes if q != written[0])]
        elif bare and written[0] == '"' and re.fullmatch(r"\$\w+|\$\{\w+\}", bare) and self._plain(word):
            spellings = [bare]
        else:
            return
        for spelling in spellings:
            if outer and outer in spelling:
                continue
            if surface.region(span.start).style in NO_SHELL:
                continue
            text = surface.encode(span, spelling)
            why = None
            if text is None:
                why = f"{surface.region(span.start).style.value} cannot say {spelling}"
            yield self._plan(Operator.REQUOTE, (Edit(span, spelling if text is None else text),), why)

    def _plain(self, word: Word) -> bool:
        """Whether field splitting and patterns leave the word alone (POSIX shell, 2.6.5 and 2.6.6)."""
        return word.known and bool(_BARE.fullmatch(word.text))

    # -- order --------------------------------------------------------------------------------------------------------

    def _reordered(self, option: Option, spans: Sequence[Span]) -> Iterator[Plan]:
        """The flag and its value to the front of the options, or just before the first operand."""
        need = self.need
        argv, main = need.invocation.argv, need.invocation.streams[0].parse
        own = [o for o in main.options if o.carrier is None and o.words]
        if need.invocation.tool is None or option not in own or not _together(self.ground, spans):
            return
        last = max(option.words)
        first_operand = next((o.at for o in main.operands if o.at is not None), None)
        if first_operand is not None and last + 1 < first_operand:
            others = [o for o in own if o.words[0] > last and max(o.words) < first_operand]
            place = first_operand
        else:
            earlier = [o for o in own if o.words[0] < option.words[0]]
            place = min((o.words[0] for o in earlier), default=-1)
            others = earlier
        if place < 0 or not others or any(_rivals(option, o) for o in others):
            return
        if self._matters(option, others):
            return
        to = self.ground.own(argv[place], need.command, argv)
        if to is None:
            return
        whole = Span(spans[0].path, spans[0].start, spans[-1].end)
        if to.start == 0 or self.ground.text(Span(to.path, to.start - 1, to.start)) not in (" ", "\t"):
            return
        taken = self.ground.without(whole)
        put = Edit(Span(to.path, to.start, to.start), self.ground.text(whole) + " ")
        if taken.span.end <= put.span.start or put.span.end <= taken.span.start:
            yield self._plan(Operator.REORDER, (taken, put))

    def _matters(self, option: Option, others: Sequence[Option]) -> bool:
        """Whether the order of the flag and one of the others may matter to the property that is asked for."""
        outcome = self.need.outcome
        if outcome is None:
            return True
        tables = [s.tool.effective.get(outcome.name, {}) for s in self.need.invocation.streams]
        told = " ".join(str(t) for t in tables)
        return any(f"'{n}'" in told or n.startswith(("-U", "-D", "-O")) for o in others for n in o.names[:1] if n)

    # -- lines --------------------------------------------------------------------------------------------------------

    def _split(self, surface: Surface, span: Span) -> Iterator[Plan]:
        """A new line before the flag."""
        style = surface.region(span.start).style
        start = span.start
        while start and surface.text[start - 1] in " \t":
            start -= 1
        manner = self.ground.manner(span.path, span.start, self.need.command.extent, manner_of(self.need.command))
        if (
            manner.nested
            or start == span.start
            or start <= surface.line_start(span.start)
            or surface.text[start - 1] == manner.mark
        ):
            return
        line = surface.line_start(span.start)
        indent = re.match(r"[ \t]*", surface.text[line:])
        assert indent is not None
        if style is Style.YAML_FOLDED or style in ONE_LINE or style is Style.STRUCTURE:
            return
        if style is Style.TOML_LITERAL_LINES and not self._is_shell(surface, span):
            return
        end = "\r\n" if surface.text[: span.start].endswith("\r\n") or "\r\n" in surface.text[:200] else "\n"
        blank = "\t" if style is Style.RECIPE else indent[0] + ("  " if style is not Style.TOML_LINES else "")
        marks = [manner.mark]
        if style is Style.TOML_LINES and self._is_shell(surface, span):
            marks.append("\\\\")
        for mark in marks:
            yield self._plan(Operator.SPLIT_LINE, (Edit(Span(span.path, start, span.start), f" {mark}{end}{blank}"),))

    def _joined(self, surface: Surface, words: Sequence[Word]) -> Iterator[Plan]:
        """A joined line of the command as one line; the one at the flag rather than another."""
        argv, extent = self.need.invocation.argv, self.need.command.extent
        for word in (*words, *argv):
            span = word.written
            if span is None or not inside(span, extent):
                continue
            manner = manner_of(self.need.command)
            if manner.nested:
                return
            joint = _JOINT if manner is POSIX else re.compile(rf"[ \t]+{re.escape(manner.mark)}\r?\n[ \t]*$")
            found = joint.search(surface.text, surface.region(span.start).start, span.start)
            if found and surface.text[surface.line_start(found.start()) :].lstrip(" \t").startswith("#"):
                return  # what is joined to a comment is one
            if found and found.start() > extent.start:
                yield self._plan(Operator.JOIN_LINE, (Edit(Span(span.path, found.start(), span.start), " "),))
                return

    def _is_shell(self, surface: Surface, span: Span) -> bool:
        region = surface.region(span.start)
        return shell_task(self.need.command.place.host, surface.text, region.start)

    # -- comments -----------------------------------------------------------------------------------------------------

    def _elsewhere(self, flag: Span, said: str) -> Iterator[Plan]:
        """Around the assignment that gives the flag."""
        surface = self.ground.surface(flag.path)
        if surface is not None:
            yield from self._comments(surface, flag, said)
            if surface.region(flag.start).style is Style.MAKE:
                yield from self._split(surface, flag)

    def _comments(self, surface: Surface, place: Span, said: str) -> Iterator[Plan]:
        """A comment that names the flag: on a line of its own above the place, and at the end of its line."""
        if not said or "\n" in said:
            return
        extent = self.need.command.extent
        script = surface.region(place.start)
        manner = self.ground.manner(place.path, place.end, extent, manner_of(self.need.command))
        at = self.ground.comment_end(place.path, place.end, extent, manner)
        tail = Edit(Span(place.path, at or 0, at or 0), self.ground.remark(place.path, at or 0, manner.tail, said))
        if at is not None and manner.tail and self.ground.is_comment((tail,), tail, manner):
            yield self._plan(Operator.COMMENT_TAIL, (tail,))
        foreign = place.path != extent.path or script != surface.region(extent.start)
        if foreign and script.style in (Style.YAML_LITERAL, Style.YAML_FOLDED, *LINES):
            return  # a line of its value would be no comment
        start = surface.logical_start(place.start)
        while start > 0 and "flagguard:" in surface.text[surface.line_start(start - 1) : start]:
            start = surface.line_start(start - 1)  # an exempting comment stays next to its command
        indent = re.match(r"[ \t]*", surface.text[start:])
        assert indent is not None
        end = "\r\n" if "\r\n" in surface.text[:200] else "\n"
        if manner is not POSIX and surface.text[: max(start - 1, 0)].removesuffix("\r").endswith(manner.mark):
            return
        inside_ = manner if start >= script.start else POSIX
        if not inside_.line:
            return
        line = Edit(
            Span(place.path, start, start),
            f"{indent[0]}{self.ground.remark(place.path, start, inside_.line, said)}{end}",
        )
        if self.ground.is_comment((line,), line, inside_):
            yield self._plan(Operator.COMMENT_LINE, (line,))


def mattering(needs: Iterable[Need], ground: Ground) -> Callable[[Plan], bool]:
    """Which harmless edits matter to another command of the same text.

    cmd knows no single quotes; words that a call puts behind a script (`npm run build -- --locked`) would be a comment.
    """
    foreign, followed = set[Span](), set[tuple[str, int]]()
    for need in needs:
        command = need.command
        if command.dialect is Dialect.CMD:
            foreign.add(command.extent)
        last = command.argv[-1]
        if (
            _is_script(ground, command.extent)
            and last.pieces
            and last.pieces[0].route
            and not inside(last.pieces[0].route[0], command.extent)
        ):
            followed.add((command.extent.path, _line(ground, command.extent)))

    def matters(plan: Plan) -> bool:
        if plan.operator is Operator.REQUOTE and "'" in plan.edits[0].text:
            return any(inside(plan.edits[0].span, extent) for extent in foreign)
        tail = plan.operator is Operator.COMMENT_TAIL
        return tail and (plan.path, _line(ground, plan.edits[0].span)) in followed

    return matters


def _is_script(ground: Ground, span: Span) -> bool:
    surface = ground.surface(span.path)
    return surface is not None and surface.region(span.start).style not in NO_SHELL


def _line(ground: Ground, span: Span) -> int:
    surface = ground.surface(span.path)
    return surface.line_start(span.start) if surface is not None else span.start


def _together(ground: Ground, spans: Sequence[Span]) -> bool:
    """Whether only blanks stand between the words."""
    return all(not ground.text(Span(a.path, a.end, b.start)).strip(" \t") for a, b in pairwise(spans))


def _rivals(one: Option, other: Option) -> bool:
    return bool(set(one.names) & set(other.names))
