"""Reading rules and exemptions from TOML (DESIGN 5), with every error at its file, line and key.

Used for the configuration and for the shipped packs alike. It knows the words of a rule, not what a tool does: which
classes and tools there are comes in as a vocabulary.
"""

import datetime
import re
from collections.abc import Mapping, Sequence
from functools import partial

from flagguard import globs
from flagguard.command import PLATFORMS
from flagguard.naming import Vocabulary, meant, meant_platform, nearest
from flagguard.patterns import expression
from flagguard.rules import (
    AnyOf,
    Condition,
    Constraint,
    Exemption,
    Operands,
    Requirement,
    Rule,
    Severity,
    Subject,
    Where,
    constraints_of,
)
from flagguard.text import Problem, SourceText, Span
from flagguard.tomlpos import KeyPath, Positions, positions
from flagguard.values import cached_property, dataclass, field

_RULE_KEYS = ("id", "why", "command", "where", "with", "without", "operands", "require", "forbid", "never", "at-least",
              "after", "needs", "status", "severity", "fix", "sources")  # fmt: skip
_PACK_KEYS = ("without-baseline",)
_WHERE_KEYS = ("path", "host", "task", "target", "job", "step", "runner", "platform", "from")
_EXEMPT_KEYS = ("rule", "where", "with", "without", "reason", "until")
_SUBJECTS = {s.value: s for s in Subject}
_CONDITIONS = {c.value: c for c in Condition if c is not Condition.PRESENT}
_VERSION = expression(r"\d+(\.\d+)*")


@dataclass
class Sheet:
    """One TOML file while it is read: collects what is wrong."""

    source: SourceText
    base: KeyPath = ()
    pack: str | None = None
    """The pack that the file is; None: a configuration."""
    has_baseline: bool = False
    has_tools: bool = False
    lacks_rules: bool = False
    """Some could not be read, so that a name that is unknown may be one of theirs."""
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    problems: list[Problem] = field(default_factory=list)

    @cached_property
    def positions(self) -> Positions:
        return positions(self.source)

    def key_span(self, path: KeyPath) -> Span:
        return self.positions.key(self.base + path)

    def value_span(self, path: KeyPath) -> Span:
        return self.positions.value(self.base + path)

    def wrong(self, path: KeyPath, message: str) -> None:
        """A problem at a value."""
        self._tell(self.value_span(path), path, message)

    def unknown_key(self, path: KeyPath, message: str) -> None:
        """A problem at a key."""
        self._tell(self.key_span(path), path, message)

    def _tell(self, span: Span, path: KeyPath, message: str) -> None:
        line = self.source.position(span.start)[0]
        key = ".".join(str(part) for part in path if isinstance(part, str))
        self.problems.append(Problem(self.source.path, line, message, key=key or None))

    def table(self, data: object, path: KeyPath, keys: Sequence[str]) -> Mapping[str, object]:
        """The table without the keys that nobody knows; those are told."""
        if not isinstance(data, dict):
            self.wrong(path, "must be a table")
            return {}
        for key in data:
            if key not in keys:
                self.unknown_key((*path, key), f"unknown key `{key}`{meant(key, keys, 'keys here')}")
        return {key: value for key, value in data.items() if key in keys}

    def tables(self, data: object, path: KeyPath) -> list[tuple[int, object]]:
        if not isinstance(data, list):
            self.wrong(path, f"must be an array of tables, `[[{path[-1]}]]`")
            return []
        return list(enumerate(data))

    def text(self, data: object, path: KeyPath) -> str:
        """A string that is not empty; else told, and ``""``."""
        if isinstance(data, str) and data.strip():
            return data
        self.wrong(path, "is empty" if isinstance(data, str) else "must be a string in quotes")
        return ""

    def texts(self, data: object, path: KeyPath) -> tuple[str, ...]:
        """A list of strings."""
        if not isinstance(data, list):
            self.wrong(path, "must be a list of strings")
            return ()
        return tuple(t for n, value in enumerate(data) if (t := self.text(value, (*path, n))))

    def text_or_texts(self, data: object, path: KeyPath) -> tuple[str, ...]:
        if isinstance(data, list):
            if not data:
                self.wrong(path, "is empty")
            return self.texts(data, path)
        found = self.text(data, path)
        return (found,) if found else ()

    def globs(self, data: object, path: KeyPath) -> tuple[str, ...]:
        found = self.text_or_texts(data, path) if data != [] else ()
        good = []
        for number, pattern in enumerate(found):
            told = globs.fault(pattern)
            if told is not None:
                self.wrong((*path, number) if isinstance(data, list) else path, f"the glob `{pattern}` has {told}")
            else:
                good.append(pattern)
        return tuple(good)

    def truth(self, data: object, path: KeyPath) -> bool:
        if not isinstance(data, bool):
            self.wrong(path, "must be true or false")
            return False
        return data

    def choice(self, data: object, path: KeyPath, names: Sequence[str]) -> str | None:
        if isinstance(data, str) and data in names:
            return data
        near = nearest(data, names) if isinstance(data, str) else ""
        self.wrong(path, f"must be {', '.join(f'`{n}`' for n in names[:-1])} or `{names[-1]}`{near}")
        return None


def read_rules(sheet: Sheet, data: object) -> list[tuple[int, Rule]]:
    """The rules of ``[[rule]]`` with their numbers; one without id or command is told and left out."""
    found = (_rule(sheet, item, ("rule", n)) for n, item in sheet.tables(data, ("rule",)))
    return [(n, rule) for n, rule in enumerate(found) if rule is not None]


def _rule(sheet: Sheet, data: object, path: KeyPath) -> Rule | None:
    before = len(sheet.problems)
    table = sheet.table(data, path, (*_RULE_KEYS, *(_PACK_KEYS if sheet.pack else ())))
    lists = _lists(sheet, table, path, ("with", "without", "require", "forbid"))
    ident = ""
    command: tuple[str, ...] = ()
    for key in ("id", "command"):
        if key not in table and isinstance(data, dict):
            sheet.unknown_key(path, f"has no `{key}`")
    if "id" in table and (ident := sheet.text(table["id"], (*path, "id"))) and re.search(r"\s", ident):
        sheet.wrong((*path, "id"), "has a blank in it")
    if "command" in table:
        command = _commands(sheet, table["command"], (*path, "command"))
    where = _where(sheet, table.get("where", {}), (*path, "where"))
    never = "never" in table and sheet.truth(table["never"], (*path, "never"))
    at_least = _at_least(sheet, table, path, 0 if sheet.pack else 1)
    after = _commands(sheet, table["after"], (*path, "after")) if "after" in table else ()
    needs = sheet.globs(table["needs"], (*path, "needs")) if "needs" in table else ()
    honoured = "status" in table
    if honoured and table["status"] != "honoured":
        sheet.wrong((*path, "status"), "must be `honoured`, the only one there is")
    operands = sheet.choice(table.get("operands", "free"), (*path, "operands"), [o.value for o in Operands])
    severity = sheet.choice(table.get("severity", "error"), (*path, "severity"), [s.value for s in Severity])
    if len(sheet.problems) == before:
        _powerless(sheet, path, command, lists, never, at_least, bool(after or needs or honoured))
    if not ident or not command:
        return None
    return Rule(
        id=ident,
        why=sheet.text(table["why"], (*path, "why")).strip() if "why" in table else "",
        command=command,
        where=where,
        with_=lists["with"],
        without=lists["without"],
        operands=Operands(operands or "free"),
        require=lists["require"],
        forbid=lists["forbid"],
        never=never,
        at_least=at_least,
        after=after,
        needs=needs,
        honoured=honoured,
        severity=Severity(severity or "error"),
        fix=sheet.text(table["fix"], (*path, "fix")).strip() if "fix" in table else None,
        sources=sheet.texts(table["sources"], (*path, "sources")) if "sources" in table else (),
        pack=sheet.pack,
        locate=partial(sheet.value_span, (*path, "id")),
        without_baseline="without-baseline" in table
        and sheet.truth(table["without-baseline"], (*path, "without-baseline")),
    )


def _powerless(
    sheet: Sheet,
    path: KeyPath,
    command: Sequence[str],
    lists: Mapping[str, tuple[Requirement, ...]],
    never: bool,
    at_least: int,
    placed: bool,
) -> None:
    """Tell a rule, or a part of one, that provably cannot fail, or that contradicts itself."""
    if not (never or at_least or placed or lists["require"] or lists["forbid"]):
        keys = "`require`, `forbid`, `never`, `after`, `needs` or `status`"
        sheet.unknown_key(path, f"cannot fail: it has no {keys}, and `at-least` is 0")
    for key in ("require", "forbid"):
        if never and lists[key]:
            sheet.unknown_key((*path, "never"), f"contradicts `{key}`: with `never` the command must not run at all")
    if set(lists["with"]) & set(lists["without"]):
        sheet.unknown_key((*path, "without"), "selects no command: `with` asks for the same")
    for number, asked in enumerate(lists["forbid"]):
        if asked in lists["without"]:
            sheet.wrong((*path, "forbid", number), "cannot fail: `without` leaves out every command that has it")
        if all(c.condition is Condition.NOT and "*" in c.operand for c in constraints_of(asked)):
            sheet.wrong((*path, "forbid", number), "cannot fail: no value is another one than `*`")
        lost = [c for c in constraints_of(asked) if c.subject is Subject.EFFECTIVE]
        if lost and len(lost) == len(constraints_of(asked)):
            has = (sheet.vocabulary.may_have(name, c.names[0]) for name in command for c in lost)
            if not any(has) and not sheet.has_tools:
                named = " or ".join(f"`{name}`" for name in command)
                told = f"cannot fail: the catalogue knows no `{lost[0].names[0]}` of {named}"
                sheet.wrong((*path, "forbid", number), told)
    for number, asked in enumerate(lists["require"]):
        if asked in lists["forbid"]:
            sheet.wrong((*path, "require", number), "contradicts `forbid`, which has the same")
        every = [c for c in constraints_of(asked) if _holds_always(c)]
        if every:
            sheet.wrong((*path, "require", number), "cannot fail: every value matches, and the tool has a default")


def _holds_always(asked: Constraint) -> bool:
    if asked.subject is not Subject.EFFECTIVE or asked.condition is not Condition.VALUE:
        return False
    return set(asked.operand[0]) == {"*"}


def _at_least(sheet: Sheet, table: Mapping[str, object], path: KeyPath, default: int) -> int:
    value = table.get("at-least", default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        sheet.wrong((*path, "at-least"), "must be a whole number, 0 or more")
        return default
    return value


def _commands(sheet: Sheet, data: object, path: KeyPath) -> tuple[str, ...]:
    found = sheet.text_or_texts(data, path)
    for number, name in enumerate(found):
        at = (*path, number) if isinstance(data, list) else path
        if name.startswith("@") and name not in sheet.vocabulary.classes:
            sheet.wrong(at, f"unknown class `{name}`{meant(name, sorted(sheet.vocabulary.classes), 'classes')}")
    return tuple(" ".join(name.split()) for name in found)


def _where(sheet: Sheet, data: object, path: KeyPath) -> Where:
    table = sheet.table(data, path, _WHERE_KEYS)
    found = {key: sheet.globs(value, (*path, key)) for key, value in table.items()}
    for key, value in table.items():
        if value == []:
            sheet.wrong((*path, key), "is empty: no command stands there")
    for pattern in found.get("platform", ()):
        if not any(globs.matches(pattern, platform) for platform in PLATFORMS):
            sheet.wrong((*path, "platform"), f"no platform is `{pattern}`{meant_platform(pattern)}")
    for pattern in found.get("host", ()):
        if not any(globs.matches(pattern, host) for host in sheet.vocabulary.hosts):
            sheet.wrong((*path, "host"), f"no host is `{pattern}`{meant(pattern, sheet.vocabulary.hosts, 'hosts')}")
    return Where(found)


def _lists(
    sheet: Sheet,
    table: Mapping[str, object],
    path: KeyPath,
    keys: Sequence[str],
) -> dict[str, tuple[Requirement, ...]]:
    out: dict[str, tuple[Requirement, ...]] = dict.fromkeys(keys, ())
    for key in keys:
        value = table.get(key, [])
        if not isinstance(value, list):
            sheet.wrong((*path, key), "must be a list of flags and constraints, in `[ ]`")
            continue
        read = (_requirement(sheet, v, (*path, key, n)) for n, v in enumerate(value))
        out[key] = tuple(r for r in read if r is not None)
    return out


def _requirement(sheet: Sheet, data: object, path: KeyPath) -> Requirement | None:
    if not isinstance(data, dict) or "any" not in data:
        return _constraint(sheet, data, path)
    table = sheet.table(data, path, ("any",))
    inner = table["any"]
    if not isinstance(inner, list) or not inner:
        sheet.wrong((*path, "any"), "must be a list of constraints, in `[ ]`")
        return None
    read = (_constraint(sheet, v, (*path, "any", n)) for n, v in enumerate(inner))
    found = tuple(c for c in read if c is not None)
    return AnyOf(found) if found else None


def _constraint(sheet: Sheet, data: object, path: KeyPath) -> Constraint | None:
    if isinstance(data, str):
        return Constraint(Subject.FLAG, (data,)) if _flag(sheet, data, path) else None
    if not isinstance(data, dict):
        sheet.wrong(path, 'must be a flag or a table such as `{ flag = "--x", value = "y" }`')
        return None
    table = sheet.table(data, path, (*_SUBJECTS, *_CONDITIONS))
    subjects = [key for key in table if key in _SUBJECTS]
    conditions = [key for key in table if key in _CONDITIONS]
    if not subjects and len(table) < len(data):
        return None  # its subject is a key that nobody knows, and is told
    if len(subjects) != 1:
        told = "more than one subject" if subjects else "no subject"
        sheet.wrong(path, f"{told}: a constraint has one of `flag`, `env` and `effective`")
        return None
    if len(conditions) > 1:
        listed = ", ".join(f"`{c}`" for c in conditions)
        sheet.wrong(path, f"more than one condition ({listed}): write one constraint for each")
        return None
    subject = _SUBJECTS[subjects[0]]
    names = _names(sheet, table[subjects[0]], (*path, subjects[0]), subject)
    if not conditions:
        return Constraint(subject, names) if names else None
    condition = _CONDITIONS[conditions[0]]
    operand = _operand(sheet, table[conditions[0]], (*path, conditions[0]), condition)
    if subject is Subject.ENV and condition is Condition.AT_MOST and operand and not _VERSION.fullmatch(operand[0]):
        for name in names:
            if sheet.vocabulary.holds_flags(name):
                told = f'`{name}` holds flags, and not a CPU: write `{{ effective = "cpu", at-most = "{operand[0]}" }}`'
                sheet.wrong(path, told)
                return None
    if subject is Subject.EFFECTIVE and condition in (Condition.VALUE, Condition.ONE_OF, Condition.NOT) and names:
        wrong = [no for said in operand or () if (no := sheet.vocabulary.no_value(names[0], said))]
        if wrong:
            sheet.wrong((*path, conditions[0]), wrong[0])
            return None
    return Constraint(subject, names, condition, operand) if names and operand is not None else None


def _names(sheet: Sheet, data: object, path: KeyPath, subject: Subject) -> tuple[str, ...]:
    if subject is Subject.EFFECTIVE:
        name = sheet.text(data, path)
        if name and name not in sheet.vocabulary.effective:
            listed = meant(name, sorted(sheet.vocabulary.effective), "properties")
            sheet.wrong(path, f"there is no effective property `{name}`{listed}")
            return ()
        return (name,) if name else ()
    found = sheet.text_or_texts(data, path)
    if subject is Subject.ENV:
        return found
    places = [(*path, n) if isinstance(data, list) else path for n in range(len(found))]
    return tuple(" ".join(f.split()) for f, at in zip(found, places, strict=True) if _flag(sheet, f, at))


def _flag(sheet: Sheet, flag: str, path: KeyPath) -> bool:
    if not sheet.text(flag, path):
        return False
    name, equals, value = flag.partition("=")
    if equals and value:
        sheet.wrong(path, f'a flag has its value apart: `{{ flag = "{name}", value = "{value}" }}`')
        return False
    if equals and flag.startswith("-"):
        sheet.wrong(path, f"write the flag without its `=`: `{name}`")
        return False
    return True


def _operand(sheet: Sheet, data: object, path: KeyPath, condition: Condition) -> tuple[str, ...] | None:
    before = len(sheet.problems)
    operand: tuple[str, ...] = ()
    if condition is Condition.ONE_OF:
        operand = sheet.texts(data, path)
        if data == []:
            sheet.wrong(path, "is empty")
    elif condition is Condition.NOT:
        operand = sheet.globs(data, path)
        if data == []:
            sheet.wrong(path, "is empty")
    elif condition is Condition.VALUE and data == "":
        operand = ("",)
    elif found := sheet.text(data, path):
        operand = (found,)
        told = _bad_operand(condition, found, sheet.has_baseline)
        if told:
            sheet.wrong(path, told)
    return operand if len(sheet.problems) == before else None


def _bad_operand(condition: Condition, operand: str, has_baseline: bool) -> str | None:
    if condition is Condition.VALUE:
        told = globs.fault(operand)
        return f"the glob `{operand}` has {told}" if told else None
    if condition is Condition.MATCHES:
        try:
            re.compile(operand)
        except (re.error, RecursionError, OverflowError) as error:
            return f"`{operand}` is no regular expression: {error}"
    if condition is Condition.AT_MOST:
        if operand == "baseline":
            return None if has_baseline else 'compares with "baseline", and there is no `[baseline]`'
        if not _VERSION.fullmatch(operand):
            return _no_cpu_anywhere(operand)
    return None


def _no_cpu_anywhere(name: str) -> str | None:
    from flagguard import cpu  # reads the tables of CPUs, only where one is named

    if any(cpu.known(name, platform) for platform in PLATFORMS):
        return None
    near = [n for p in PLATFORMS if (n := cpu.nearest(name, p))]
    return f"`{name}` is no CPU, no version and not `baseline`{nearest(name, ('baseline', *near))}"


def read_exemptions(sheet: Sheet, data: object, rules: Sequence[str]) -> tuple[Exemption, ...]:
    """The exemptions of ``[[exempt]]``; one without a rule that exists or without a reason is told and left out."""
    read = (_exemption(sheet, v, ("exempt", n), rules) for n, v in sheet.tables(data, ("exempt",)))
    return tuple(e for e in read if e is not None)


def _exemption(sheet: Sheet, data: object, path: KeyPath, rules: Sequence[str]) -> Exemption | None:
    before = len(sheet.problems)
    table = sheet.table(data, path, _EXEMPT_KEYS)
    for key in ("rule", "reason"):
        if key not in table and isinstance(data, dict):
            sheet.unknown_key(path, f"has no `{key}`")
    names = sheet.text_or_texts(table["rule"], (*path, "rule")) if "rule" in table else ()
    covered = _covered(sheet, names, (*path, "rule"), rules)
    reason = sheet.text(table["reason"], (*path, "reason")) if "reason" in table else ""
    until = table.get("until")
    if until is not None and (not isinstance(until, datetime.date) or isinstance(until, datetime.datetime)):
        sheet.wrong((*path, "until"), "must be a date without quotes, such as 2027-06-30")
        until = None
    where = _where(sheet, table.get("where", {}), (*path, "where"))
    lists = _lists(sheet, table, path, ("with", "without"))
    if len(sheet.problems) > before:
        return None
    return Exemption(
        rule=", ".join(names),
        rules=covered,
        where=where,
        reason=reason,
        until=until if isinstance(until, datetime.date) else None,
        with_=lists["with"],
        without=lists["without"],
        locate=partial(sheet.value_span, (*path, "rule")),
    )


def _covered(sheet: Sheet, names: Sequence[str], path: KeyPath, rules: Sequence[str]) -> tuple[str, ...]:
    """The rules that an exemption speaks of, by their ids or by globs on them."""
    found: list[str] = []
    for name in names:
        told = globs.fault(name)
        matching = [] if told else [rule for rule in rules if rule == name or globs.matches(name, rule)]
        found += matching
        if told is not None:
            sheet.wrong(path, f"the glob `{name}` has {told}")
        elif not matching and not sheet.lacks_rules:
            sheet.wrong(path, f"there is no rule `{name}`{nearest(name, rules)}")
    return tuple(dict.fromkeys(found))
