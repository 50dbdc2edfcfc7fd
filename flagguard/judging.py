"""One command against the rules (DESIGN 4.6, 5, 5.1): which rules speak of it, and what each of their clauses comes to.

Sees invocations only; pure. ``judge`` makes findings of the judgements, sabotage takes the met requirements from here.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from enum import Enum
from functools import lru_cache

from flagguard import globs
from flagguard.answers import Answer, all_of
from flagguard.command import Command, Word
from flagguard.config import Config
from flagguard.constraints import Mode, Outcome, evaluate
from flagguard.rules import Condition, Exemption, Operands, Requirement, Rule, Subject, Where, constraints_of
from flagguard.text import Decider, Shape, SourceText
from flagguard.tools.catalogue import Tool
from flagguard.tools.identity import Identity, Match, identify, is_hole, is_unknown, named
from flagguard.tools.invocation import Invocation, understand
from flagguard.values import dataclass, replace
from flagguard.variants import variants

Read = Callable[[str], SourceText | None]
"""Opens a file of the tree, for response files (DESIGN 5.1, 10)."""


class Clause(Enum):
    """Which part of a rule is judged."""

    EXISTS = "exists"
    """The command itself: that the rule matches it."""
    REQUIRE = "require"
    FORBID = "forbid"
    NEVER = "never"
    AFTER = "after"
    NEEDS = "needs"
    STATUS = "status"


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
    named: bool
    """The command is surely the one that the rule names; whether it is selected is another question."""
    requirement: Requirement | None = None
    outcome: Outcome | None = None
    exemption: int | None = None
    """The number of the ``[[exempt]]`` that covers it."""
    told: str = ""
    """What is wrong with the command's place, if that is what is judged."""


@dataclass(frozen=True)
class _Matched:
    rule: Rule
    name: str
    invocation: Invocation
    program: Answer


def judgements(
    command: Command, config: Config, read: Read | None = None, heeded: Collection[str] | None = None
) -> Iterator[Judgement]:
    """Everything that the rules say of the command; for each rule at least one EXISTS.

    ``heeded``: the variables of its environment that make a difference, if not all do.
    """
    rules = [rule for rule in config.rules if placed(rule.where, command)]
    if rules and not hands_on(command, config):
        for variant in variants(command, heeded):
            yield from _judgements(variant, rules, config, read)


def _judgements(command: Command, rules: Sequence[Rule], config: Config, read: Read | None) -> Iterator[Judgement]:
    if not _may_concern(rules, command, config):
        return
    platforms = command.platforms or ("",)
    for matched in _matches(command, rules, config, read):
        kept = [p for p in platforms if _on(matched.rule.where, matched.invocation, p)]
        if not kept:
            continue
        alike = _same_everywhere(matched.rule) and not (len(kept) > 1 and matched.invocation.by_target)
        if alike and not any(_depends(e, matched.rule) for e in config.exemptions):
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
        if fact == "from":
            if not any(entry in command.entries for entry in patterns):
                return False
            continue
        value = command.span.path if fact == "path" else getattr(command.place, fact)
        if value is None or not any(globs.matches(p, value, path=fact == "path") for p in patterns):
            return False
    return True


def hands_on(command: Command, config: Config) -> bool:
    """Whether it passes the arguments of a program of ``[tools]`` on: the calls of that are judged (DESIGN 5.1, 1)."""
    name = command.span.path.rpartition("/")[2]
    declared = any(tool.split()[0].rpartition("/")[2] == name for tool in config.tools)
    return declared and any(h.several and h.decider is Decider.OUTSIDE for word in command.argv for h in word.holes)


def _may_concern(rules: Sequence[Rule], command: Command, config: Config) -> bool:
    """Whether a rule could name the command, by its program alone; reading all of its words costs more."""
    programs, classes = _programs(tuple(name for rule in rules for name in rule.command))
    given = tuple(config.tools.items())
    for argv in (command.argv, *command.wrappers):
        if argv and (is_hole(argv[0]) or _is_named(identify(argv, given)[0], programs, classes)):
            return True
    return False


def _is_named(identities: Sequence[Identity], programs: frozenset[str], classes: frozenset[str]) -> bool:
    return any(_has_class(i.tool, classes) or not programs.isdisjoint(i.names) for i in identities)


def _has_class(tool: Tool | None, classes: frozenset[str]) -> bool:
    """Whether it may be of one of the classes, with some subcommand."""
    if tool is None or not classes:
        return False
    return tool.every_class is None or not classes.isdisjoint(tool.every_class)


@lru_cache(maxsize=256)
def _programs(names: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The programs that the names begin with, and the classes among the names."""
    plain = frozenset(named(name)[0] for name in names if not name.startswith("@"))
    return plain, frozenset(name for name in names if name.startswith("@"))


def _on(where: Where, invocation: Invocation, platform: str) -> bool:
    """Whether it builds for a platform that ``where`` names: the product's counts (DESIGN 4.5)."""
    patterns = where.globs.get("platform")
    if patterns is None:
        return True
    built = invocation.builds_for(platform)
    return any(globs.matches(p, built) for p in patterns)


def _matches(command: Command, rules: Sequence[Rule], config: Config, read: Read | None) -> Iterator[_Matched]:
    invocations = understand(command, config.tools, read)
    inner = _without_program(command)
    behind = understand(inner, config.tools, read)[:1] if inner is not None else ()
    for rule in rules:
        for invocation in invocations:
            found = _named(rule.command, invocation)
            if found is not None and not (rule.at_least == 0 and _may_be_anything(found[0], invocation)):
                yield _Matched(rule, found[0], invocation, found[1])
        for invocation in behind:
            found = _named(rule.command, invocation)
            if found is not None:
                yield _Matched(rule, found[0], invocation, all_of((found[1], _passes_on(command.argv[0]))))


def _may_be_anything(name: str, invocation: Invocation) -> bool:
    """`$A $B`: nothing in it says that it is a `git commit`; a pack does not speak of it."""
    words = named(name)[1]
    if invocation.guessed or not words or not is_hole(invocation.argv[0]):
        return False
    return not any(word.text in words for word in invocation.argv[1:])


def matching(command: Command, names: Sequence[str], config: Config, read: Read | None = None) -> Answer:
    """Whether the command is one that ``names`` speak of."""
    programs, classes = _programs(tuple(names))
    if not any(
        _is_named(identify(argv, ())[0], programs, classes) for argv in (command.argv, *command.wrappers) if argv
    ):
        return Answer.FAILS
    found = [_named(names, invocation) for invocation in understand(command, config.tools, read)]
    answers = [one[1] for one in found if one is not None]
    return Answer.HOLDS if Answer.HOLDS in answers else answers[0] if answers else Answer.FAILS


def _named(names: Sequence[str], invocation: Invocation) -> tuple[str, Answer] | None:
    perhaps = None
    for name in names:
        match = invocation.is_a(name)
        if match is Match.YES:
            return name, Answer.HOLDS
        if match is Match.MAYBE and perhaps is None:
            perhaps = name
    return None if perhaps is None else (perhaps, Answer.OPEN)


def _without_program(command: Command) -> Command | None:
    """`$SUDO gcc …`: the command that runs when the unknown program is empty, or a wrapper."""
    if len(command.argv) < 2 or not is_unknown(command.argv[0]) or command.argv[1].text.startswith("-"):
        return None
    if command.argv[1].text in _SUBCOMMANDS:
        return None
    return replace(command, argv=command.argv[1:])


_SUBCOMMANDS = frozenset({"build"})
"""Tools that no program is called by, but a subcommand of many: `$TOOL build` is no `python -m build`."""


def _passes_on(program: Word) -> Answer:
    """A variable that nothing sets expands to nothing, as in the shell; another hole may be any program."""
    hole = program.holes[0]
    return Answer.HOLDS if hole.decider is Decider.OUTSIDE and hole.name is not None else Answer.OPEN


def _judge(matched: _Matched, command: Command, platform: str, config: Config) -> Iterator[Judgement]:
    rule, invocation = matched.rule, matched.invocation
    selected = all_of((matched.program, _selected(matched, platform, config)))
    if selected is Answer.FAILS:
        return
    base = Judgement(
        rule=rule,
        clause=Clause.EXISTS,
        command=command,
        invocation=invocation,
        name=matched.name,
        platform=platform,
        answer=Answer.HOLDS,
        sure=selected is Answer.HOLDS,
        named=matched.program is Answer.HOLDS,
        exemption=_exemption(rule, command, invocation, platform, config),
    )
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
        elif answer is Answer.OPEN and _says_nothing(matched):
            answer = Answer.HOLDS
        yield replace(base, clause=Clause.FORBID, answer=answer, requirement=requirement, outcome=outcome)


def _says_nothing(matched: _Matched) -> bool:
    """`$1 build $FLAGS`: some program of a class, with some option, is what any line may be; a `$CC` says more."""
    return matched.program is Answer.OPEN and matched.name.startswith("@") and not matched.invocation.guessed


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

    def answer(requirement: Requirement) -> Answer:
        return evaluate(requirement, invocation, platform, Mode.SELECT, config.baseline).answer

    return all_of([*map(answer, with_), *(answer(r).negated() for r in without)])


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
        if exempt.of(rule.id) and placed(exempt.where, command) and _on(exempt.where, invocation, platform):
            carries = _carries(exempt.with_, exempt.without, invocation, platform, config)
            if carries is Answer.HOLDS:
                return number
    return None


def _same_everywhere(rule: Rule) -> bool:
    """Whether the platform makes no difference to the rule."""
    return not any(_platform_matters(r) for r in (*rule.with_, *rule.without, *rule.require, *rule.forbid))


def _depends(exempt: Exemption, rule: Rule) -> bool:
    if not exempt.of(rule.id):
        return False
    return "platform" in exempt.where.globs or any(_platform_matters(r) for r in (*exempt.with_, *exempt.without))


def _platform_matters(requirement: Requirement) -> bool:
    asked = constraints_of(requirement)
    return any(c.subject is Subject.EFFECTIVE or c.condition is Condition.AT_MOST for c in asked)
