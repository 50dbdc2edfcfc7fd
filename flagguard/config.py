"""The configuration (DESIGN 5): flagguard.toml, or [tool.flagguard] in pyproject.toml, as values.

Reading is pure: text in, a Config and the problems out. What the rules ask is read in ``rulefile``; nothing here looks
at build files.
"""

import datetime
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flagguard import packs
from flagguard.command import PLATFORMS
from flagguard.naming import meant, meant_platform
from flagguard.rulefile import Sheet, read_exemptions, read_rules
from flagguard.rules import Condition, Exemption, Locate, Rule, constraints_of
from flagguard.text import Problem, SourceText, Span
from flagguard.values import cached_property, dataclass, field

if TYPE_CHECKING:
    from flagguard.shell.wrapper_table import Wrappers

NAME = "flagguard.toml"
PYPROJECT = "pyproject.toml"
DEFAULT_PACKS = ("cpu-baseline",)
_KEYS = ("packs", "exclude", "baseline", "assume", "tools", "wrappers", "runners", "rule", "exempt")


@dataclass(frozen=True)
class Config:
    path: str | None = None
    """The file it came from, relative to the root."""
    packs: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    baseline: Mapping[str, str] = field(default_factory=dict)
    assume: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    wrappers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By the words that the command begins with, in the form of the shipped table."""
    runners: Mapping[str, str] = field(default_factory=dict)
    """The platforms of own runners, by their labels, or by globs on these."""
    rules: tuple[Rule, ...] = ()
    """The configuration's own and those of its packs."""
    exemptions: tuple[Exemption, ...] = ()
    today: datetime.date = datetime.date.min
    """For ``until``: given by the command line, so that judging has no clock."""
    source: SourceText | None = None
    """The text of ``path``, for the places that findings and problems point at."""
    whole: bool = True
    """Nothing is wrong with it; else what is missed may be what could not be read."""
    tool_places: Mapping[str, Locate] = field(default_factory=dict, compare=False)
    """Where each entry of ``tools`` stands,"""
    wrapper_places: Mapping[str, Locate] = field(default_factory=dict, compare=False)
    """and of ``wrappers``."""

    @cached_property
    def wrapper_table(self) -> "Wrappers | None":
        """The table of wrappers with those of the configuration; None where that adds none."""
        if not self.wrappers:
            return None
        from flagguard.wrapperfile import with_own  # reads the shipped table

        return with_own(self.wrappers)

    @cached_property
    def programs(self) -> frozenset[str]:
        """The programs that rules name."""
        from flagguard.tools.catalogue import basename  # to read a configuration needs no catalogue

        asked = (name for rule in self.rules for name in rule.command if not name.startswith("@"))
        return frozenset(basename(name.split()[0]) for name in asked)

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The entry points that rules and exemptions speak of."""
        wheres = [*(rule.where for rule in self.rules), *(exempt.where for exempt in self.exemptions)]
        return tuple(sorted({entry for where in wheres for entry in where.globs.get("from", ())}))

    def position(self, span: Span | None) -> tuple[str, int]:
        """File and line of a place in the configuration or in a pack."""
        if span is not None and self.source is not None and span.path == self.source.path:
            return span.path, self.source.position(span.start)[0]
        return (span.path if span is not None else self.path or NAME), 1


@dataclass(frozen=True)
class Loaded:
    """A configuration as far as it could be read, and all that is wrong with it."""

    config: Config
    problems: tuple[Problem, ...] = ()


def find(start: Path) -> Path | None:
    """The nearest configuration file, from the folder ``start`` upwards; ``flagguard.toml`` comes first."""
    for folder in (start, *start.parents):
        named = folder / NAME
        if named.exists() or named.is_symlink():
            # also where it cannot be read: to pass it over would judge by other rules than the owners'
            return named
        other = folder / PYPROJECT
        if other.is_file() and speaks(_text(other)):
            return other
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""  # one that may not be read speaks of nothing


def speaks(pyproject: str) -> bool:
    """Whether the text of a ``pyproject.toml`` has a ``[tool.flagguard]``; broken TOML that names one counts."""
    if "flagguard" not in pyproject:
        return False
    try:
        return "flagguard" in tomllib.loads(pyproject).get("tool", {})
    except (tomllib.TOMLDecodeError, RecursionError, AttributeError):
        return re.search(r"(?m)^\s*\[+\s*tool\s*\.\s*flagguard\b", pyproject) is not None


def default(today: datetime.date = datetime.date.min) -> Config:
    """What holds without a configuration: the pack ``cpu-baseline``, as far as it needs no baseline."""
    return Config(packs=DEFAULT_PACKS, rules=_active(_pack_rules(DEFAULT_PACKS)[0], {}), today=today)


def load(source: SourceText, today: datetime.date = datetime.date.min) -> Loaded:
    """The configuration that ``source`` holds; of what is wrong all is told, and the rest is there all the same."""
    try:
        source.text.encode("utf-8")
        data: object = tomllib.loads(source.text)
    except UnicodeEncodeError as error:
        line = source.position(error.start)[0]
        return _unread(source, today, line, "not UTF-8")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return _unread(source, today, *_toml_error(error, source))
    base: tuple[str, ...] = ()
    if source.path.rsplit("/", 1)[-1] == PYPROJECT:
        base = ("tool", "flagguard")
        for name in base:
            data = data.get(name, {}) if isinstance(data, dict) else {}
    sheet = Sheet(source, base)
    return Loaded(_read(sheet, data, today), tuple(sorted(sheet.problems, key=lambda p: (p.path, p.line))))


def _unread(source: SourceText, today: datetime.date, line: int, told: str) -> Loaded:
    return Loaded(
        Config(path=source.path, source=source, today=today, whole=False), (Problem(source.path, line, told),)
    )


def _read(sheet: Sheet, data: object, today: datetime.date) -> Config:
    table = sheet.table(data, (), _KEYS)
    baseline = _baseline(sheet, table.get("baseline", {}))
    names = tuple(sheet.texts(table["packs"], ("packs",))) if "packs" in table else DEFAULT_PACKS
    for number, name in enumerate(names):
        if name not in packs.names():
            sheet.wrong(("packs", number), f"there is no pack `{name}`{meant(name, packs.names(), 'packs')}")
            sheet.lacks_rules = True
    shipped, problems = _pack_rules(tuple(n for n in dict.fromkeys(names) if n in packs.names()))
    sheet.problems.extend(problems)
    sheet.has_baseline = "baseline" in table
    sheet.has_tools = "tools" in table
    own = read_rules(sheet, table.get("rule", []))
    sheet.lacks_rules = sheet.lacks_rules or len(own) < _size(table.get("rule", []))
    taken = {rule.id for rule in shipped}
    for number, rule in own:
        if rule.id in taken:
            sheet.wrong(("rule", number, "id"), f"the rule id `{rule.id}` is used twice")
        taken.add(rule.id)
    exempt = read_exemptions(sheet, table.get("exempt", []), tuple(taken))
    tools = _tools(sheet, table.get("tools", {}))
    wrappers = _wrappers(sheet, table["wrappers"]) if "wrappers" in table else {}
    exclude = sheet.globs(table.get("exclude", []), ("exclude",))
    return Config(
        path=sheet.source.path,
        packs=names,
        exclude=exclude,
        baseline=baseline,
        assume=_texts_by_name(sheet, table.get("assume", {}), "assume"),
        tools=tools,
        wrappers=wrappers,
        runners=_runners(sheet, table.get("runners", {})),
        rules=(*_active(shipped, baseline), *(rule for _, rule in own)),
        exemptions=exempt,
        today=today,
        source=sheet.source,
        tool_places={name: partial(sheet.key_span, ("tools", name)) for name in tools},
        wrapper_places={name: partial(sheet.key_span, ("wrappers", name)) for name in wrappers},
        whole=not sheet.problems,
    )


def _size(data: object) -> int:
    return len(data) if isinstance(data, list) else 0


def _active(rules: Iterable[Rule], baseline: Mapping[str, str]) -> tuple[Rule, ...]:
    """The rules of packs that apply: with a ``[baseline]`` or without one."""
    return tuple(r for r in rules if (not r.without_baseline if baseline else not _needs_baseline(r)))


def _needs_baseline(rule: Rule) -> bool:
    asked = [c for r in (*rule.require, *rule.forbid) for c in constraints_of(r)]
    return any(c.condition is Condition.AT_MOST and c.operand == ("baseline",) for c in asked)


def _pack_rules(names: Iterable[str]) -> tuple[tuple[Rule, ...], list[Problem]]:
    rules: list[Rule] = []
    problems: list[Problem] = []
    for name in names:
        pack = packs.load(name)
        rules.extend(pack.rules)
        problems.extend(pack.problems)
    return tuple(rules), problems


def _baseline(sheet: Sheet, data: object) -> dict[str, str]:
    found = _texts_by_name(sheet, data, "baseline")
    good: dict[str, str] = {}
    for platform, name in found.items():
        if platform not in PLATFORMS:
            sheet.unknown_key(("baseline", platform), f"unknown platform `{platform}`{meant_platform(platform)}")
        elif told := _no_cpu(name, platform):
            sheet.wrong(("baseline", platform), told)
        else:
            good[platform] = name
    return good


def _no_cpu(name: str, platform: str) -> str | None:
    from flagguard import cpu  # reads the tables of CPUs, only where a baseline is given

    if cpu.is_host(name):
        return f"`{name}` is the build machine's own CPU, not a baseline"
    if cpu.known(name, platform):
        return None
    near = cpu.nearest(name, platform)
    return f"`{name}` is no CPU of {platform}" + (f"; the nearest name is `{near}`" if near else "")


def _tools(sheet: Sheet, data: object) -> dict[str, str]:
    found = _texts_by_name(sheet, data, "tools")
    for name, tool in found.items():
        if not name.split():
            sheet.unknown_key(("tools", name), "names no program")
        if not sheet.vocabulary.is_tool(tool):
            sheet.wrong(("tools", name), f"there is no tool `{tool}` in the catalogue")
    return found


def _runners(sheet: Sheet, data: object) -> dict[str, str]:
    found = _texts_by_name(sheet, data, "runners")
    for label, platform in found.items():
        if not label.strip():
            sheet.unknown_key(("runners", label), "names no label")
        if platform not in PLATFORMS:
            sheet.wrong(("runners", label), f"unknown platform `{platform}`{meant_platform(platform)}")
    return {label: platform for label, platform in found.items() if label.strip() and platform in PLATFORMS}


def _wrappers(sheet: Sheet, data: object) -> dict[str, dict[str, Any]]:
    from flagguard.wrapperfile import read_wrappers  # knows the words of the table of wrappers

    return read_wrappers(sheet, data)


def _texts_by_name(sheet: Sheet, data: object, key: str) -> dict[str, str]:
    out: dict[str, str] = {}
    if not isinstance(data, dict):
        sheet.wrong((key,), "must be a table")
        return out
    for name, value in data.items():
        if isinstance(value, str):
            out[name] = value
        else:
            sheet.wrong((key, name), "must be a string in quotes")
    return out


def _toml_error(error: Exception, source: SourceText) -> tuple[int, str]:
    if isinstance(error, RecursionError):
        return 1, "nested too deeply"
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", str(error))
    told = f"not valid TOML: {str(error)[: found.start()] if found else error}"
    if found is None:
        return 1, told
    if found[1] is None:
        return source.position(len(source.text))[0], f"{told} at the end of the file"
    text = source.line(int(found[1])).strip()
    shown = f" in `{text if len(text) <= 80 else text[:79] + '…'}`" if text else ""
    return int(found[1]), f"{told} at column {found[2]}{shown}"
