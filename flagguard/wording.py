"""What a finding says: what is wrong, what it rests on, what to write instead. Text only; nothing is decided here."""

from collections.abc import Mapping, Sequence

from flagguard.answers import Answer
from flagguard.command import PLATFORMS, Word
from flagguard.constraints import Excess, Mode, Outcome, Reason, feature
from flagguard.rules import Condition, Constraint, Requirement, Rule, Subject, constraints_of
from flagguard.text import Traced
from flagguard.tools.catalogue import basename
from flagguard.tools.grammar import Option

_PLAIN = {
    "cpu": "CPU",
    "pic": "kind of position-independent code",
    "fast-math": "fast-math setting",
    "optimisation": "optimisation level",
    "fortify": "level of _FORTIFY_SOURCE",
}
"""Effective properties in a sentence."""
_SHOWN = 8
"""Features or names that are listed before the rest is counted."""


def quoted(names: Sequence[str], last: str = "or") -> str:
    """```a`, `b` or `c```."""
    marked = [f"`{name}`" for name in names]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} {last} {marked[-1]}"


def unmet(tool: str, outcome: Outcome) -> str:
    """A requirement that is not met, or that cannot be decided."""
    asked, name = outcome.constraint, outcome.name
    if outcome.reason is Reason.HIDDEN:
        return hidden(outcome)
    if outcome.reason is Reason.ABSENT:
        return _absent(tool, asked)
    if outcome.reason is Reason.TAKEN_BACK:
        return _taken_back(outcome)
    if outcome.reason is Reason.REFUSED:
        given = f"{outcome.variable}={outcome.word.shown}" if outcome.option is None and outcome.word else said(outcome)
        return f"`{tool}` does not take `{given}`"
    if outcome.reason is Reason.NO_BASELINE:
        return f"`{tool}` builds for {outcome.platform}, and `[baseline]` names no CPU for that platform"
    if outcome.reason is Reason.DEFAULT:
        return _default(tool, outcome)
    if outcome.reason is Reason.NO_VALUE:
        return f"`{name}` has no value"
    if outcome.reason is Reason.EMPTY:
        return _empty(tool, outcome)
    value = outcome.word.shown if outcome.word is not None else ""
    if outcome.answer is Answer.OPEN:
        return f"{_subject(outcome)} is `{value}`, and what that is cannot be known here{_reason(outcome.word)}"
    return f"{_subject(outcome)} is `{value}`, {_against(outcome)}"


def hit(tool: str, outcome: Outcome) -> str:
    """Something forbidden that is there, or may be."""
    if outcome.reason is Reason.HIDDEN:
        return hidden(outcome)
    if outcome.answer is Answer.OPEN:
        value = outcome.word.shown if outcome.word is not None else ""
        return f"{_subject(outcome)} is `{value}`, and what that is cannot be known here{_reason(outcome.word)}"
    subject = outcome.constraint.subject
    if outcome.reason is Reason.DEFAULT:
        return _default(tool, outcome)
    if outcome.reason is Reason.EMPTY and outcome.default is not None:
        return _empty(tool, outcome)
    if subject is Subject.EFFECTIVE:
        return f"`{tool}` {_property(outcome)}{_said_by(outcome)}"
    if subject is Subject.ENV:
        value = outcome.word.shown if outcome.word is not None else ""
        return f"`{tool}` runs with `{outcome.name}={value}` in its environment"
    return f"`{tool}` has `{said(outcome)}`"


def hidden(outcome: Outcome) -> str:
    """A word that may hold what is asked for."""
    word = outcome.word
    shown = word.shown if word is not None else ""
    names = outcome.constraint.names
    what = f"the {_plain(names[0])}" if outcome.constraint.subject is Subject.EFFECTIVE else quoted(names)
    verb = "decide" if outcome.constraint.subject is Subject.EFFECTIVE else "hold"
    return f"`{shown}` may {verb} {what}, or not{_reason(word)}"


def perhaps(word: Traced, name: str, *, program: bool) -> str:
    """A word that nobody knows, and that may make the command the rule's."""
    if program and not name.startswith("@"):
        return f"`{word.shown}` may be `{name.split(maxsplit=1)[0]}`, or not{_reason(word)}"
    verb = "be one of" if name.startswith("@") else "make this"
    return f"`{word.shown}` may {verb} `{name}`, or not{_reason(word)}"


def said(outcome: Outcome) -> str:
    """The option as a manual writes it, with its value."""
    option = outcome.option
    if option is None:
        return outcome.name
    of_flag = outcome.constraint.subject is Subject.FLAG
    if of_flag and outcome.name not in option.names:
        return outcome.name  # the rule names the flag with its value: `-O2`, `-Wl,-z,now`
    if option.value is None:
        return outcome.name if of_flag else option.word.shown
    if option.key is None and len(option.words) < 2 and _joined(option):
        return option.word.shown  # as the tool takes it: `-xHost`
    return spelled(outcome.name if of_flag else option_name(option), option.value.shown)


def option_name(option: Option) -> str:
    """The option's usual name, with its key: `-march`, `-C target-cpu`."""
    return option.names[0] if option.key is None else f"{option.names[0]} {option.key}"


def spelled(flag: str, value: str, joint: str = "=") -> str:
    """A flag with its value, the usual way."""
    if flag.endswith("="):
        return flag + value
    if joint != "=":
        return flag + joint + value
    return f"{flag} {value}" if flag.startswith("--") and " " not in flag else f"{flag}={value}"


def _joined(option: Option) -> bool:
    text, value = option.word.text, option.value.text if option.value is not None else ""
    return text in (name + value for name in option.names) or text.endswith(f":{value}")


def given(option: Option) -> str:
    """An option as the command gives it."""
    text = option.word.shown
    if option.value is None or text.endswith(option.value.shown):
        return text
    return f"{text} {option.value.shown}"


def _taken_back(outcome: Outcome) -> str:
    assert outcome.by is not None
    if outcome.by is outcome.option:
        return f"`{given(outcome.by)}` turns `{outcome.name}` off"
    earlier = given(outcome.option) if outcome.option is not None else outcome.name
    return f"`{given(outcome.by)}` later takes `{earlier}` back"


def _empty(tool: str, outcome: Outcome) -> str:
    if outcome.option is None or outcome.constraint.subject is not Subject.EFFECTIVE:
        return f"the value of {_subject(outcome)} is empty"
    if outcome.name == "fortify":  # `-U_FORTIFY_SOURCE`, `-O0`
        return f"`{outcome.option.word.shown}` leaves the {_plain(outcome.name)} at `{outcome.default}`"
    told = f"the value of `{option_name(outcome.option)}` is empty"
    return f"{told}, and `{tool}` then builds for the build machine" if outcome.default == "host" else told


def _absent(tool: str, asked: Constraint) -> str:
    if asked.subject is Subject.ENV:
        return f"`{tool}` runs without {quoted(asked.names)} in its environment"
    if asked.subject is Subject.EFFECTIVE:
        return f"nothing tells `{tool}` its {_plain(asked.names[0])}"
    return f"`{tool}` has no {quoted(asked.names)}"


def _default(tool: str, outcome: Outcome) -> str:
    if outcome.name == "cpu" and outcome.default == "host":
        return f"`{tool}` is not told a CPU, and then builds for the one of the build machine"
    if outcome.default == "host":
        return f"`{tool}` is not told a {_plain(outcome.name)}, and then takes the build machine's"
    told = f"nothing tells `{tool}` its {_plain(outcome.name)}, and the default is `{outcome.default}`"
    return f"{told}, {_against(outcome)}" if outcome.excess is not None or outcome.constraint.operand else told


def _property(outcome: Outcome) -> str:
    value = outcome.word.shown if outcome.word is not None else ""
    if outcome.name == "cpu":
        if "native" in outcome.constraint.operand:
            return "builds for the build machine's own CPU"
        return f"builds for the CPU `{value}`"
    return f"has the {_plain(outcome.name)} `{value}`"


def _said_by(outcome: Outcome) -> str:
    if outcome.option is None:
        return f": `{outcome.variable}={outcome.word.shown}`" if outcome.variable and outcome.word is not None else ""
    return f": `{said(outcome)}`{_carried(outcome.option)}"


def _carried(option: Option) -> str:
    if option.carrier is None:
        return ""
    return " after `--`" if option.carrier == "--" else f" in {option.carrier}"


def _subject(outcome: Outcome) -> str:
    if outcome.constraint.subject is not Subject.EFFECTIVE:
        return f"`{outcome.name}`"
    return f"the {_plain(outcome.name)}"


def _plain(name: str) -> str:
    """The name of a property in a sentence."""
    return _PLAIN.get(name, name.replace("-", " "))


def _reason(word: Traced | None) -> str:
    return f": {word.holes[0].reason}" if word is not None and word.holes else ""


def _against(outcome: Outcome) -> str:
    """Why a known value is not what the condition asks."""
    condition, operand = outcome.constraint.condition, outcome.constraint.operand
    if condition is Condition.AT_MOST:
        return _above(outcome)
    if condition is Condition.CONTAINS:
        return f"which has no item {quoted(operand)}"
    if condition is Condition.MATCHES:
        return f"which does not match `{operand[0]}`"
    if condition is Condition.NOT:
        return "which the rule refuses"
    return f"not {quoted(operand)}"


def _above(outcome: Outcome) -> str:
    limit = f"`{outcome.limit}`"
    if outcome.constraint.operand == ("baseline",):
        limit = f"the baseline {limit} of {outcome.platform}"
    if outcome.excess is Excess.HOST:
        return "the build machine's own, which no limit bounds"
    if outcome.excess is Excess.UNKNOWN_NAME:
        near = f"; the nearest name is `{outcome.extra[0]}`" if outcome.extra else ""
        return f"which is no CPU that is known{near}"
    if outcome.excess is Excess.OTHER_ARCHITECTURE:
        return f"which is no CPU of {outcome.platform}"
    if outcome.excess is Excess.LIMIT:
        return f"and its limit {limit} is no CPU of {outcome.platform}"
    if outcome.excess is Excess.NO_VERSION:
        return "which is no version"
    more = f": it needs {_some(outcome.extra)} besides" if outcome.extra else ""
    added = [feature(option) for option in outcome.added if option in (*outcome.beyond, outcome.above)]
    with_added = f" with {quoted(added, 'and')}" if added else ""
    return f"which{with_added} is above {limit}{more}"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


# -- what to write instead --------------------------------------------------------------------------------------------


def instead(
    rule: Rule, requirement: Requirement, mode: Mode, outcome: Outcome, baseline: Mapping[str, str]
) -> str | None:
    """What to write instead; the rule's own fix where nothing more precise can be said."""
    if outcome.reason is Reason.NO_BASELINE and outcome.platform not in PLATFORMS:
        return f"exempt it with a reason, or leave it out by `where`: `[baseline]` cannot name {outcome.platform}"
    if outcome.reason is Reason.NO_BASELINE:
        return f'add `{outcome.platform} = "…"` to `[baseline]`, the oldest CPU that this platform must support'
    if outcome.excess is Excess.LIMIT:
        return "give the rule a `where` with the platforms that its limit is for"
    if mode is Mode.SELECT:
        return rule.fix or _taken_away(outcome)
    if outcome.reason is Reason.TAKEN_BACK and outcome.by is not None:
        return rule.fix or f"take `{given(outcome.by)}` away"
    level = outcome.option if outcome.name == "fortify" and outcome.reason is Reason.EMPTY else None
    if level is not None and not (level.spec is not None and level.spec.undefines):
        return f"take `{level.word.shown}` away"  # the macro itself is there
    if outcome.reason is Reason.HIDDEN and outcome.constraint.subject is Subject.EFFECTIVE:
        way = f"write {quoted(outcome.ways[:1])} after it" if outcome.ways else "write it where it can be read"
        return f"{way}, or exempt the command with a reason"
    choices = constraints_of(requirement)
    free = all(c.condition in (Condition.PRESENT, Condition.NOT) for c in choices)
    if rule.fix is not None and free and outcome.reason in (Reason.ABSENT, Reason.DEFAULT, Reason.VALUE):
        return rule.fix  # it says which value, too
    told = [text for c in choices if (text := _written(c, outcome, baseline))]
    if not told and rule.fix is None:
        told = [text for c in choices if (text := _described(c, outcome))]
    return " or ".join(dict.fromkeys(told)) if told else rule.fix


def _taken_away(outcome: Outcome) -> str | None:
    if outcome.answer is Answer.OPEN:
        return "write the words where they can be read, or exempt the command with a reason"
    if outcome.reason is Reason.DEFAULT or outcome.option is None:
        return None
    return f"take `{said(outcome)}`{_carried(outcome.option)} away"


def _written(asked: Constraint, outcome: Outcome, baseline: Mapping[str, str]) -> str | None:
    values = _values(asked, outcome, baseline)
    if values is None:
        return None
    older = " (or older)" if asked.condition is Condition.AT_MOST else ""
    if not values and outcome.reason in (Reason.EMPTY, Reason.NO_VALUE) and outcome.name in asked.names:
        return f"give `{outcome.name}` a value"
    listed = asked.condition is Condition.CONTAINS and asked.subject is not Subject.EFFECTIVE
    if listed and outcome.word and outcome.name in asked.names:
        return f"add {quoted(values)} to {_subject(outcome)}"
    if asked.subject is Subject.ENV:
        named = asked.names[0]
        if listed:
            return f"set `{named}` to a list with {quoted(values, 'and')}"
        return (
            f"set `{named}={values[0]}`" + (f" (or {quoted(values[1:])})" if values[1:] else "")
            if values
            else f"set `{named}`"
        )
    if asked.subject is Subject.EFFECTIVE:
        return _effectively(asked, values, older, outcome)
    flag = outcome.name if outcome.name in asked.names else asked.names[0]
    if not values:
        return f"add `{flag}`"
    rest = values[1:] if outcome.joint else [spelled(flag, value, "") for value in values[1:]]
    others = f" (or {quoted(rest)})" if rest else ""
    return f"write `{spelled(flag, values[0], outcome.joint)}`{others}{older}"


def _effectively(asked: Constraint, values: tuple[str, ...], older: str, outcome: Outcome) -> str | None:
    """What gives the property the value."""
    excess = outcome.excess is Excess.ABOVE and outcome.beyond
    if outcome.ways and not excess:
        free = asked.condition is Condition.PRESENT or outcome.reason is Reason.REFUSED
        undone = outcome.option is not None and outcome.option.value is None and not free
        instead = f" in place of `{said(outcome)}`" if undone and said(outcome) not in outcome.ways else ""
        return f"write {quoted(outcome.ways[: 3 if free else 1])}{older}{instead}"
    if not values:
        return None
    named = f"name {'the CPU ' if asked.names[0] == 'cpu' else ''}`{values[0]}`{older}"
    return f"{named}, and nothing above it" if older else None


def _described(asked: Constraint, outcome: Outcome) -> str | None:
    """For a condition that names no value."""
    if asked.subject is Subject.EFFECTIVE or not asked.operand:
        return None
    refused = asked.condition is Condition.NOT
    wanted = f"other than {quoted(asked.operand)}" if refused else f"that matches `{asked.operand[0]}`"
    if outcome.reason is Reason.ABSENT:
        return f"{'set' if asked.subject is Subject.ENV else 'add'} `{asked.names[0]}` with a value {wanted}"
    return f"give `{outcome.name if outcome.name in asked.names else asked.names[0]}` a value {wanted}"


def _values(asked: Constraint, outcome: Outcome, baseline: Mapping[str, str]) -> tuple[str, ...] | None:
    """Values that would do, best first; () where none is asked for, None where none can be named."""
    if asked.condition is Condition.PRESENT:
        return ()
    if asked.condition in (Condition.VALUE, Condition.ONE_OF, Condition.CONTAINS):
        named = tuple(o for o in asked.operand if not set(o) & set("*?["))
        return named or None
    if asked.condition is Condition.AT_MOST:
        limit = asked.operand[0]
        if limit == "baseline":
            limit = baseline.get(outcome.platform, "")
        return (limit,) if limit else None
    return None


_HANDS_ON = {
    # docker-run(1), podman-run(1), nerdctl's reference: --env; sudo(8): the policy resets the environment
    **dict.fromkeys(("docker", "podman", "nerdctl"), "-e"),
    "sudo": "--preserve-env",
}
"""Programs that hand no variable on, and the option that does."""


def holds_back(wrapper: Sequence[Word]) -> str:
    """How a wrapper keeps a variable from the command."""
    if not wrapper:
        return ""
    name, words = basename(wrapper[0].shown), [word.shown for word in wrapper[1:]]
    if name == "env" and any(word in ("-i", "-", "--ignore-environment") for word in words):
        return "; `env -i` hands no variable on"
    if name not in _HANDS_ON or (name == "sudo" and any(word.startswith(("-E", "--preserve-env")) for word in words)):
        return ""
    called = " ".join([name, *(word for word in words[:1] if not word.startswith("-"))] if name != "sudo" else [name])
    return f"; `{called}` hands on only the variables that `{_HANDS_ON[name]}` names"
