"""From judgements to findings: `judge_file` for one file (DESIGN 4.6, 5, 6); ``concluding`` goes over all of them.

A file that changed can be judged again alone and concluded with what the others came to. Pure: no clock, no tree; the
comments of a file are given as values.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from flagguard import wording
from flagguard.answers import Answer
from flagguard.command import Command, Place, Word
from flagguard.concluding import conclude
from flagguard.config import Config
from flagguard.constraints import Mode, Reason, deciding_word
from flagguard.exempting import Comment
from flagguard.findings import Finding, Judged, PlaceKey, Verdict
from flagguard.judging import Clause, Judgement, Read
from flagguard.naming import near
from flagguard.passed_on import notes, passed_on
from flagguard.patterns import expression
from flagguard.repeated import Judges
from flagguard.rules import Rule, Severity, Subject
from flagguard.shell.witness import agrees
from flagguard.text import Problem, Route, Span
from flagguard.tools.catalogue import basename
from flagguard.unread import Mention, mentions
from flagguard.values import dataclass, replace

__all__ = ["FileCommands", "Judged", "PlaceKey", "conclude", "judge_file", "place_key"]


class FileCommands(Protocol):
    """What one file came to."""

    @property
    def path(self) -> str: ...

    @property
    def commands(self) -> Sequence[Command]: ...

    @property
    def problems(self) -> Sequence[Problem]: ...


@dataclass(frozen=True)
class _Raw:
    """One finding in one world on one platform."""

    finding: Finding
    platform: str
    when: tuple[str, ...]


def judge_file(
    file: FileCommands,
    config: Config,
    comments: Sequence[Comment] = (),
    read: Read | None = None,
    look: Read | None = None,
) -> Judged:
    """Judge the commands of one file.

    ``comments``: the exempting comments of the files that they stand in; ``read`` opens response files; ``look`` gives
    the text around a command, for what a message says besides.
    """
    places: dict[str, set[PlaceKey]] = {}
    perhaps: dict[str, set[PlaceKey]] = {}
    judged: set[PlaceKey] = set()
    exempt: set[PlaceKey] = set()
    exemptions: set[int] = set()
    used: set[Comment] = set()
    raws: list[_Raw] = []
    judges = Judges(config, read)
    for command in file.commands:
        key = place_key(command)
        for judgement in _judgements(command, file.commands, config, judges):
            rule = judgement.rule
            if judgement.clause is Clause.EXISTS:
                judged.add(key)
                if not command.opt_in:
                    (places if judgement.sure else perhaps).setdefault(rule.id, set()).add(key)
                if judgement.exemption is not None:
                    exemptions.add(judgement.exemption)
                    exempt.add(key)
            elif judgement.exemption is None and not agrees(*command.reading):
                raws.append(_doubted(_raw(judgement, config, look)))
            elif judgement.answer is not Answer.HOLDS and judgement.exemption is None:
                covering = _covering(comments, rule, command)
                if covering:
                    used.update(covering)
                    exempt.add(key)
                else:
                    raws.append(_raw(judgement, config, look))
    unread: Sequence[Command] = getattr(file, "unread", ())
    spoken = [mention for text in unread for mention in mentions(text, config)]
    spoken += [mention for c in file.commands for mention in passed_on(c, config, judges, look)]
    for mention in spoken:
        covering = _covering(comments, mention.rule, mention.command)
        used.update(covering)
        exemptions.update(() if mention.exemption is None else (mention.exemption,))
        if mention.rule.pack is None and not covering and mention.exemption is None:
            raws += [_mentioned(mention, platform) for platform in mention.command.platforms or ("",)]
    named = frozenset(t for t in config.tools if any(_names(t, command) for command in file.commands))
    met = frozenset(w for w in config.wrappers if any(_wraps(w, command) for command in file.commands))
    return Judged(
        path=file.path,
        findings=_merged(raws, [*file.commands, *unread]),
        problems=(*file.problems, *notes(spoken, look)),
        commands=frozenset(place_key(c) for c in file.commands),
        judged=frozenset(judged),
        exempt=frozenset(exempt),
        matched={rule: frozenset(found) for rule, found in places.items()},
        perhaps={rule: frozenset(found) for rule, found in perhaps.items()},
        exemptions=frozenset(exemptions),
        tools=named,
        wrappers=met,
        comments=tuple(comments),
        comments_used=frozenset(used),
        heads=frozenset(head for command in file.commands for head in _heads(command)),
        meant=tuple(_meant(comments, used, raws, look)),
    )


def _covering(comments: Sequence[Comment], rule: Rule, command: Command) -> list[Comment]:
    """The comments that exempt the command from the rule."""
    return [c for c in comments if c.rule == rule.id and c.written is None and c.covers(command)]


def _judgements(command: Command, commands: Sequence[Command], config: Config, judges: Judges) -> Iterable[Judgement]:
    """What the rules say of a command, by itself and where it stands."""
    for judgement in judges.judgements(command):
        yield judgement
        rule = judgement.rule
        if judgement.clause is Clause.EXISTS and (rule.after or rule.needs or rule.honoured):
            from flagguard.ordering import placings  # few rules ask for it

            yield from placings(judgement, commands, config, judges.read)


def _heads(command: Command) -> Iterable[str]:
    """What a rule could name: the program, and the program with its first word."""
    for argv in (command.argv, *command.wrappers):
        if argv and argv[0].known:
            program = basename(argv[0].text)
            yield program
            if len(argv) > 1 and argv[1].known and argv[1].text.isidentifier():
                yield f"{program} {argv[1].text}"


def _meant(
    comments: Sequence[Comment], used: set[Comment], raws: Sequence[_Raw], look: Read | None
) -> Iterable[tuple[Comment, int]]:
    """Where the comments that exempt nothing should stand."""
    for comment in comments:
        if comment in used or look is None:
            continue
        same = [
            r.finding.span for r in raws if r.finding.rule == comment.rule and r.finding.span.path == comment.span.path
        ]
        below = min((span.start for span in same if span.start > comment.span.start), default=None)
        source = look(comment.span.path) if below is not None else None
        if source is not None and below is not None:
            yield comment, source.position(below)[0]


def place_key(command: Command) -> PlaceKey:
    """The place of a command, as `at-least` counts it."""
    place = command.place
    if command.root is not None:  # the job is its caller's
        return PlaceKey(command.span.path, command.span.start, place.task, place.target, None, None)
    return PlaceKey(command.span.path, command.span.start, place.task, place.target, place.job, place.step)


# -- findings of commands ---------------------------------------------------------------------------------------------


def _doubted(raw: _Raw) -> _Raw:
    """A command whose words two readers see differently is undecided, whatever the rule says of ours."""
    told = "two readers of the shell see different words in this command, so that it cannot be judged"
    finding = replace(raw.finding, verdict=Verdict.UNRESOLVED, message=told, help="write the command more plainly")
    return replace(raw, finding=finding)


def _mentioned(mention: Mention, platform: str) -> _Raw:
    """A text that is not read and speaks of what a rule names."""
    rule, command = mention.rule, mention.command
    finding = Finding(
        rule=rule.id,
        severity=Severity.WARNING if command.opt_in else rule.severity,
        verdict=Verdict.UNRESOLVED,
        message=mention.message,
        span=command.span,
        place=command.place,
        via=command.via,
        argv=command.argv,
        mark=command.span,
        why=rule.why,
        help=mention.help,
    )
    return _Raw(finding, platform, command.when)


def _raw(judgement: Judgement, config: Config, look: Read | None) -> _Raw:
    rule, command, invocation, outcome = judgement.rule, judgement.command, judgement.invocation, judgement.outcome
    tool = _tool(judgement)
    word: Word | None = None
    help: str | None = rule.fix
    if not judgement.named:
        word = next((w for w in (*invocation.argv, *command.argv) if w.holes), invocation.argv[0])
        message = wording.perhaps(word, judgement.name, program=word is invocation.argv[0])
    elif judgement.told:
        message = judgement.told
    elif outcome is None or judgement.requirement is None:
        message = f"`{tool}` must not run here"
    elif judgement.clause is Clause.FORBID:
        message = wording.hit(tool, outcome)
        help = wording.instead(rule, judgement.requirement, Mode.SELECT, outcome, config.baseline)
    else:
        message = wording.unmet(tool, outcome) + _lost_variables(judgement, look)
        help = wording.instead(rule, judgement.requirement, Mode.REQUIRE, outcome, config.baseline)
    if judgement.named and not judgement.sure:
        message += "; whether the rule speaks of this command cannot be known here"
    deciding = deciding_word(outcome) if judgement.named and outcome is not None else word
    route: Route = deciding.route if deciding is not None else ()
    own = len(invocation.argv) <= len(command.argv)  # else a wrapper with all that it runs
    first = invocation.argv[0]
    finding = Finding(
        rule=rule.id,
        severity=Severity.WARNING if command.opt_in else rule.severity,
        verdict=_verdict(judgement),
        message=message,
        span=command.span if own else first.written or (first.route[0] if first.route else command.span),
        place=command.place,
        via=command.via,
        argv=command.argv if own else invocation.argv,
        mark=_mark(deciding, judgement),
        route=route,
        origin=route[-1] if route else None,
        why=rule.why,
        help=help,
    )
    return _Raw(finding, judgement.platform, command.when)


def _verdict(judgement: Judgement) -> Verdict:
    if judgement.answer is Answer.OPEN:
        return Verdict.UNRESOLVED
    if judgement.clause in (Clause.FORBID, Clause.NEVER):
        return Verdict.FORBIDDEN
    if judgement.clause in (Clause.AFTER, Clause.NEEDS):
        return Verdict.MISSING
    if judgement.clause is Clause.STATUS:
        return Verdict.WRONG_VALUE
    reason = judgement.outcome.reason if judgement.outcome is not None else Reason.ABSENT
    if reason is Reason.NO_BASELINE:
        return Verdict.NO_BASELINE
    unsaid = (Reason.ABSENT, Reason.NO_VALUE, Reason.EMPTY, Reason.TAKEN_BACK)
    if reason is Reason.DEFAULT and judgement.outcome is not None and judgement.outcome.default == "host":
        return Verdict.MISSING
    return Verdict.MISSING if reason in unsaid else Verdict.WRONG_VALUE


def _tool(judgement: Judgement) -> str:
    """What to call the command: the rule's own words, or the program where the rule names a class."""
    if not judgement.name.startswith("@"):
        return judgement.name
    argv = judgement.invocation.argv
    program = basename(argv[0].shown)
    return f"uses {argv[1].shown.partition('@')[0]}" if program == "uses" and len(argv) > 1 else program


def _mark(deciding: object, judgement: Judgement) -> Span | None:
    """The use of the deciding word in the command: the word of argv that holds it."""
    outcome = judgement.outcome
    option = (outcome.above or outcome.by or outcome.option) if outcome is not None else None
    if judgement.named and option is not None:
        argv = judgement.invocation.argv
        for index in reversed(option.words):
            if index < len(argv) and argv[index].written is not None:
                return argv[index].written
    if isinstance(deciding, Word) and deciding.written is not None:
        return deciding.written
    route = getattr(deciding, "route", ())
    return route[0] if route else None


def _lost_variables(judgement: Judgement, look: Read | None) -> str:
    """The unset variables that may be why something is missing."""
    outcome, command = judgement.outcome, judgement.command
    if outcome is None or judgement.answer is not Answer.FAILS:
        return ""
    value = outcome.word or (outcome.option.value if outcome.option is not None else None)
    gone = [f"${piece.unset}" for piece in value.pieces if piece.unset] if value is not None else []
    if not gone and outcome.option is not None and outcome.option.words:
        before = len(command.argv) - len(judgement.invocation.argv)
        first, last = outcome.option.words[0] + before, outcome.option.words[-1] + before
        # between the option and its value, or where its value should be
        gone = [hole.text for at, hole in command.vanished if first < at <= max(last, first + 1)]
    elif outcome.reason is Reason.ABSENT:
        gone = [hole.text for _, hole in command.vanished]
    names = list(dict.fromkeys(gone))[:3]
    if not names:
        return _kept_together(judgement)
    told = f"; {wording.quoted(names, 'and')} {'is' if len(names) == 1 else 'are'} set nowhere"
    return told + (_meant_variable(names[0], command, look) if len(names) == 1 else "")


def _kept_together(judgement: Judgement) -> str:
    """The argument in which what is missing stands, with a blank before or behind it."""
    outcome = judgement.outcome
    if outcome is None or outcome.reason is not Reason.ABSENT:
        return ""
    if outcome.constraint.subject is Subject.ENV:
        return next((told for words in judgement.command.wrappers if (told := wording.holds_back(words))), "")
    flags = outcome.constraint.names if outcome.constraint.subject is Subject.FLAG else ()
    for word in judgement.invocation.argv[1:]:
        parts = word.text.split()
        if len(parts) > 1 and any(part.partition("=")[0] in flags for part in parts):
            return f"; `{word.shown}` is one argument"
    return ""


_ASSIGNED = expression(r"(?<![\w$])([A-Za-z_]\w*)\s*(?:[:?+!]{0,3}=|:\s)")
"""What may be a variable that a file sets: `X=`, `X :=`, `X: ` of a mapping."""


def _meant_variable(shown: str, command: Command, look: Read | None) -> str:
    """The variable of the same file that looks most like one that nothing sets."""
    source = look(command.span.path) if look is not None else None
    names = {*command.env, *(_ASSIGNED.findall(source.text) if source is not None else ())}
    bare = shown.strip('${}()"')
    found = near(bare, names - {bare})
    return f"; did you mean `{shown.replace(bare, found)}`?" if found else ""


_MOST_CALLS = 12
"""In how many different argv one finding is told; of more it is one finding."""


def _merged(raws: Sequence[_Raw], commands: Iterable[Command]) -> tuple[Finding, ...]:
    """The same finding in several worlds, on several platforms and by calls that come to the same words is one.

    What is not known is one thing to mend, whatever else the calls come to.
    """
    if not raws:
        return ()
    worlds: dict[tuple[object, ...], dict[str, set[tuple[str, ...]]]] = {}
    for command in commands:
        site = worlds.setdefault(_site(command.span, command.place, command.via), {})
        for platform in command.platforms or ("",):
            site.setdefault(platform, set()).add(command.when)
    calls: dict[tuple[tuple[object, bool], object], list[_Raw]] = {}
    for raw in raws:
        f = raw.finding
        # what was said at the same word by one call is one finding, whatever else differs in the argv
        open_there = f.verdict is Verdict.UNRESOLVED and bool(f.via)
        place = replace(f.place, job=None, step=None) if open_there and f.place is not None else f.place
        said = (f.rule, f.verdict, f.message, _site(f.span, place, ()), f.origin)
        calls.setdefault(((said, open_there), f.via), []).append(raw)
    found: dict[object, dict[object, list[_Raw]]] = {}
    for (alike, _), of_call in calls.items():
        heard = () if alike[1] else of_call
        words = frozenset(tuple(word.shown for word in raw.finding.argv) for raw in heard)
        found.setdefault(alike, {}).setdefault(words, []).extend(of_call)
    groups = (
        list(by_words.values())
        if len(by_words) <= _MOST_CALLS
        else [[raw for part in by_words.values() for raw in part]]
        for by_words in found.values()
    )
    return tuple(_one(group, worlds) for part in groups for group in part)


def _site(span: Span, place: Place | None, via: tuple[Span, ...]) -> tuple[object, ...]:
    where = replace(place, runner=None) if place is not None else None
    return span, where, via


def _one(group: Sequence[_Raw], worlds: dict[tuple[object, ...], dict[str, set[tuple[str, ...]]]]) -> Finding:
    # what is found without asking for it needs no opt-in world beside it
    group = [raw for raw in group if raw.finding.severity is Severity.ERROR] or group
    first = min(group, key=lambda raw: len(raw.when)).finding
    site = worlds.get(_site(first.span, first.place, first.via), {})
    here: dict[str, set[tuple[str, ...]]] = {}
    by_call: dict[tuple[object, ...], dict[str, set[tuple[str, ...]]]] = {}
    for raw in group:
        call = _site(raw.finding.span, raw.finding.place, raw.finding.via)
        for found in (here, by_call.setdefault(call, {})):
            found.setdefault(raw.platform, set()).add(raw.when)
    everywhere = all(
        worlds.get(call, {}).get(platform, set()) <= whens
        for call, found in by_call.items()
        for platform, whens in found.items()
    )
    platforms = tuple(sorted(p for p in here if p))
    others = any(p and p not in here for p in site) and not any(p in first.message for p in platforms)
    place = _common([raw.finding.place for raw in group if raw.finding.place is not None])
    strict = any(raw.finding.severity is Severity.ERROR for raw in group)
    return replace(
        first,
        message=_only_on(platforms, first.message) if others and platforms else first.message,
        severity=Severity.ERROR if strict else Severity.WARNING,
        platforms=platforms,
        place=place,
        when=_assumed((found for whens in here.values() for found in whens), everywhere),
        help=_together(group),
    )


def _common(places: Sequence[Place]) -> Place | None:
    """The place without the facts in which the calls differ."""
    found = [{getattr(one, fact) for one in places} for fact in ("job", "step", "runner")]
    job, step, runner = (values.pop() if len(values) == 1 else None for values in found)
    return replace(places[0], job=job, step=step, runner=runner) if places else None


def _listed(platforms: Sequence[str]) -> str:
    return platforms[0] if len(platforms) == 1 else f"{', '.join(platforms[:-1])} and {platforms[-1]}"


def _only_on(platforms: Sequence[str], message: str) -> str:
    """What is so on these platforms alone; the end of a sentence that gives a reason is no place to say it."""
    where = f"on {_listed(platforms)}"
    return f"{where}, {message}" if ": " in message else f"{message} {where}"


def _together(group: Sequence[_Raw]) -> str | None:
    """What to write, where it depends on the platform for each of them."""
    helps: dict[str, list[str]] = {}
    for raw in group:
        if raw.finding.help is not None and raw.platform not in helps.setdefault(raw.finding.help, []):
            helps[raw.finding.help].append(raw.platform)
    if len({frozenset(platforms) for platforms in helps.values()}) < 2:
        return "\n".join(helps) or None
    return "\n".join(f"{text} on {_listed(sorted(platforms))}" for text, platforms in helps.items())


def _assumed(worlds: Iterable[tuple[str, ...]], everywhere: bool) -> tuple[str, ...]:
    """What the worlds have in common, then that in which they differ, unless these are all that there are."""
    found = sorted(set(worlds))
    common = tuple(fact for fact in found[0] if all(fact in world for world in found))
    if everywhere:
        return common
    rest = [[fact for fact in world if fact not in common] for world in found]
    if len(found) == 1 or not all(rest):
        return common
    if len(rest) <= _WAYS:
        return (*common, " or ".join(map(_joined, rest)))
    shortest = sorted(rest, key=len)[:_WAYS]
    return (*common, f"any of {len(rest)} conditions: {' or '.join(map(_joined, shortest))} or …")


_WAYS = 3
"""Conditions of one finding that are told in full: nobody reads more of them,"""
_FACTS = 4
"""and what each is made of."""


def _joined(facts: Sequence[str]) -> str:
    more = f" and {len(facts) - _FACTS} more" if len(facts) > _FACTS else ""
    return " and ".join(facts[:_FACTS]) + more


def _names(tool: str, command: Command) -> bool:
    """Whether the command, or a wrapper of it, begins with the words of an entry of ``[tools]``."""
    words = tool.split()
    for argv in (command.argv, *command.wrappers):
        texts = [w.text for w in argv[: len(words)]]
        if texts and [basename(texts[0]), *texts[1:]] == [basename(words[0]), *words[1:]]:
            return True
    return False


def _wraps(wrapper: str, command: Command) -> bool:
    """Whether the command is started by an entry of ``[wrappers]``, or by an interpreter that runs it."""
    program, *words = wrapper.split()
    for argv in (command.argv, *command.wrappers):
        texts = [w.text for w in argv]
        for at, text in enumerate(texts):
            if basename(text) == basename(program) and set(words) <= set(texts[at + 1 :]):
                return True
    return False
