"""One command against the rules (DESIGN 4.6, 5, 5.1): which rules speak of it, and what each of their clauses comes to.

Sees invocations only; pure. ``judge`` makes findings of the judgements, sabotage takes the met requirements from here.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from flagguard import globs
from flagguard.answers import Answer, all_of
from flagguard.command import Command, Word
from flagguard.config import Config
from flagguard.constraints import Mode, Outcome, evaluate
from flagguard.rules import Condition, Exemption, Operands, Requirement, Rule, Subject, Where, constraints_of
from flagguard.text import Piece, Shape, SourceText
from flagguard.tools.invocation import Invocation, Match, understand

Read = Callable[[str], SourceText | None]
"""Opens a file of the tree, for response files (DESIGN 5.1, 10)."""


class Clause(Enum):
    """Which part of a rule is judged."""

    EXISTS = "exists"
    """The command itself: that the rule matches it."""
    REQUIRE = "require"
    FORBID = "forbid"
    NEVER = "never"


@dataclass(frozen=True)
class Judgement:
    """One clause of one rule at one invocation on one platform."""

    rule: Rule
    clause: Clause
    command: Command
    invocation: Invocation
    name: str
    """The entry of the rule's ``command`` that matched."""
    platform: str
    answer: Answer
    """HOLDS: the rule is content."""
    sure: bool
    """The rule surely speaks of this command."""
    requirement: Requirement | None = None
    outcome: Outcome | None = None
    exemption: int | None = None
    """The number of the ``[[exempt]]`` that covers it."""


@dataclass(frozen=True)
class _Matched:
    rule: Rule
    name: str
    invocation: Invocation
    program: Answer


def judgements(command: Command, config: Config, read: Read | None = None) -> Iterator[Judgement]:
    """Everything that the rules say of the command; for each rule at least one EXISTS."""
    rules = [rule for rule in config.rules if placed(rule.where, command)]
    if not rules:
        return
    platforms = command.platforms or ("",)
    for matched in _matches(command, rules, config, read):
        kept = [p for p in platforms if _on(matched.rule.where, p)]
        if not kept:
            continue
        if _same_everywhere(matched.rule) and not any(_depends(e, matched.rule) for e in config.exemptions):
            first = list(_judge(matched, command, kept[0], config))
            for platform in kept:
                yield from (replace(j, platform=platform) for j in first)
        else:
            for platform in kept:
                yield from _judge(matched, command, platform, config)


def placed(where: Where, command: Command) -> bool:
    """Whether the facts of the command's place match; the platform is asked for apart."""
    for fact, patterns in where.globs.items():
        if fact == "platform":
            continue
        value = command.span.path if fact == "path" else getattr(command.place, fact)
        if value is None or not any(globs.matches(p, value, path=fact == "path") for p in patterns):
            return False
    return True


def _on(where: Where, platform: str) -> bool:
    patterns = where.globs.get("platform")
    return patterns is None or any(globs.matches(p, platform) for p in patterns)


def _matches(command: Command, rules: Sequence[Rule], config: Config, read: Read | None) -> Iterator[_Matched]:
    invocations = understand(command, config.tools, read)
    lost = _with_program(command)
    for rule in rules:
        surely = False
        for invocation in invocations:
            found = _named(rule.command, invocation)
            if found is not None:
                surely = surely or found[1] is Answer.HOLDS
                yield _Matched(rule, found[0], invocation, found[1])
        if lost is not None and not surely:
            # `$MOJO build` without a value for MOJO: nobody in the repository says which program this is
            names = tuple(name for name in rule.command if " " in name)
            for invocation in understand(lost, config.tools, read)[:1] if names else ():
                found = _named(names, invocation)
                if found is not None:
                    yield _Matched(rule, found[0], invocation, Answer.OPEN)


def _named(names: Sequence[str], invocation: Invocation) -> tuple[str, Answer] | None:
    perhaps = None
    for name in names:
        match = invocation.is_a(name)
        if match is Match.YES:
            return name, Answer.HOLDS
        if match is Match.MAYBE and perhaps is None:
            perhaps = name
    return None if perhaps is None else (perhaps, Answer.OPEN)


def _with_program(command: Command) -> Command | None:
    """The command with the unset variable that stood where its program should."""
    if not command.vanished or command.vanished[0][0] != 0:
        return None
    hole = command.vanished[0][1]
    program = Word((Piece(hole.text, hole=hole),))
    return replace(command, argv=(program, *command.argv), vanished=())


def _judge(matched: _Matched, command: Command, platform: str, config: Config) -> Iterator[Judgement]:
    rule, invocation = matched.rule, matched.invocation
    selected = all_of((matched.program, _selected(matched, platform, config)))
    if selected is Answer.FAILS:
        return
    base = Judgement(
        rule, Clause.EXISTS, command, invocation, matched.name, platform, Answer.HOLDS, selected is Answer.HOLDS
    )
    exemption = _exemption(rule, command, invocation, platform, config)
    if exemption is not None:
        base = replace(base, exemption=exemption)
    yield base
    if rule.never:
        yield replace(base, clause=Clause.NEVER, answer=Answer.FAILS if base.sure else Answer.OPEN)
    for requirement in rule.require:
        outcome = evaluate(requirement, invocation, platform, Mode.REQUIRE, config.baseline)
        answer = outcome.answer
        if matched.program is Answer.OPEN or (answer is Answer.FAILS and not base.sure):
            answer = Answer.OPEN
        yield replace(base, clause=Clause.REQUIRE, answer=answer, requirement=requirement, outcome=outcome)
    for requirement in rule.forbid:
        outcome = evaluate(requirement, invocation, platform, Mode.SELECT, config.baseline)
        answer = outcome.answer.negated()
        if answer is Answer.FAILS and not base.sure:
            answer = Answer.OPEN
        yield replace(base, clause=Clause.FORBID, answer=answer, requirement=requirement, outcome=outcome)


def _selected(matched: _Matched, platform: str, config: Config) -> Answer:
    """`with`, `without` and `operands`."""
    rule, invocation = matched.rule, matched.invocation
    answers = [_carries(rule.with_, rule.without, invocation, platform, config)]
    if rule.operands is not Operands.FREE:
        some = _has_operands(matched)
        answers.append(some if rule.operands is Operands.SOME else some.negated())
    return all_of(answers)


def _carries(
    with_: Sequence[Requirement], without: Sequence[Requirement], invocation: Invocation, platform: str, config: Config
) -> Answer:
    """All of the one list and none of the other."""
    if not with_ and not without:
        return Answer.HOLDS
    asked = lambda r: evaluate(r, invocation, platform, Mode.SELECT, config.baseline).answer
    return all_of([*map(asked, with_), *(asked(r).negated() for r in without)])


def _has_operands(matched: _Matched) -> Answer:
    """A word that is one hole may be an option, so it is no sure operand; the rule's own leading words are none."""
    operands = list(matched.invocation.operands)
    for name in matched.name.split()[1 + len(matched.invocation.path) :]:
        if operands and operands[0].text == name:
            del operands[0]
    if not operands:
        return Answer.FAILS
    if any(w.whole_hole is None or w.whole_hole.shape is not Shape.ANY for w in operands):
        return Answer.HOLDS
    return Answer.OPEN


def _exemption(rule: Rule, command: Command, invocation: Invocation, platform: str, config: Config) -> int | None:
    for number, exempt in enumerate(config.exemptions):
        if exempt.rule == rule.id and placed(exempt.where, command) and _on(exempt.where, platform):
            carries = _carries(exempt.with_, exempt.without, invocation, platform, config)
            if carries is Answer.HOLDS:
                return number
    return None


def _same_everywhere(rule: Rule) -> bool:
    """Whether the platform makes no difference to the rule."""
    return not any(_platform_matters(r) for r in (*rule.with_, *rule.without, *rule.require, *rule.forbid))


def _depends(exempt: Exemption, rule: Rule) -> bool:
    if exempt.rule != rule.id:
        return False
    return "platform" in exempt.where.globs or any(_platform_matters(r) for r in (*exempt.with_, *exempt.without))


def _platform_matters(requirement: Requirement) -> bool:
    asked = constraints_of(requirement)
    return any(c.subject is Subject.EFFECTIVE or c.condition is Condition.AT_MOST for c in asked)
