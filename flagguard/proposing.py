"""What a repository's commands suggest for a configuration: platforms, baselines, packs, exemptions, a rule.

Pure: from the commands that were found and what the shipped rules say of them to a proposal. Writing it as TOML is
``proposal_text``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from flagguard import cpu
from flagguard.command import Command
from flagguard.config import DEFAULT_PACKS
from flagguard.engine import FileCommands
from flagguard.findings import Finding
from flagguard.patterns import expression
from flagguard.tools.invocation import Invocation, understand
from flagguard.values import dataclass

OLDEST = {
    # the ABI's own minimum, where the platform has a name for it: psABI x86-64, Arm ARM, Apple's first such machine
    "linux-x86_64": "x86-64",
    "linux-aarch64": "armv8-a",
    "linux-ppc64le": "power8",
    "linux-riscv64": "rv64gc",
    "linux-s390x": "z13",
    "linux-armv7l": "generic",
    "linux-i686": "i686",
    "macos-arm64": "apple-m1",
    "macos-x86_64": "x86-64",
    "windows-x86_64": "x86-64",
    "windows-arm64": "armv8-a",
    "freebsd-x86_64": "x86-64",
}
_BUNDLED = ("third_party", "thirdparty", "3rdparty", "vendor", "vendored", "external", "extern", "deps", "contrib")
"""Folders that often hold other projects' files."""
_RELEASE = expression(r"\.github/workflows/([^/]*(?:release|publish|wheels|deploy)[^/]*\.ya?ml)")
_FACTS = ("task", "target", "job")
_GLOB = "*?[]{}!\\"


@dataclass(frozen=True)
class Bound:
    """The baseline of one platform, and why."""

    platform: str
    cpu: str
    why: str


@dataclass(frozen=True)
class Exempted:
    """Findings of one rule in one place, which an exemption would cover."""

    rule: str
    where: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Survey:
    """What the repository holds."""

    hosts: tuple[tuple[str, int], ...]
    """The formats with the numbers of their files,"""
    tools: tuple[tuple[str, int], ...]
    """the compilers and build tools with the numbers of their commands,"""
    bounds: tuple[Bound, ...]
    bundled: tuple[str, ...]
    """and folders that may hold other projects' files."""
    shipped: str | None = None
    """A command that is worth a rule of the repository's own: the most frequent that builds something,"""
    flag: str | None = None
    """the flag that names its CPU,"""
    entry: str | None = None
    """and a workflow that releases."""


def survey(files: Sequence[FileCommands]) -> Survey:
    """Look at the commands."""
    hosts = Counter(host for found in files for host in {command.place.host for command in found.commands})
    tools: Counter[str] = Counter()
    named: dict[str, Counter[str]] = {}
    flags: dict[str, str] = {}
    seen: set[object] = set()
    everywhere: Counter[str] = Counter()
    for command in (command for found in files for command in found.commands):
        if command.opt_in:
            continue
        everywhere.update(command.platforms)
        invocation = _compiler(command)
        if invocation is None:
            continue
        name = " ".join((invocation.program, *invocation.path))
        tools[name] += (name, command.span) not in seen
        seen.add((name, command.span))
        for platform in command.platforms:
            target = invocation.builds_for(platform)
            cpu_named = _pinned(invocation, platform, target)
            counted = named.setdefault(target, Counter())
            counted[cpu_named] += (cpu_named, target, command.span) not in seen
            seen.add((cpu_named, target, command.span))
        if name not in flags and command.platforms:
            way = next(iter(invocation.ways("cpu", None, command.platforms[0], None)), "")
            flags[name] = way.rstrip("… =")
    platforms = named or {platform: Counter[str]() for platform in everywhere}
    bounds = tuple(_bound(p, platforms[p]) for p in OLDEST if p in platforms)
    common = _most_common(tools)
    shipped = common[0][0] if common else None
    entry = next((e.group(1) for found in files if (e := _RELEASE.fullmatch(found.path))), None)
    flag = flags.get(shipped or "") or None
    return Survey(_most_common(hosts), common, bounds, tuple(_bundled(files)), shipped, flag, entry)


def _most_common(counted: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def _compiler(command: Command) -> Invocation | None:
    """The command as one of a compiler, if it is that."""
    found = understand(command, {})[:1]
    return next((i for i in found if any(c.endswith("-compiler") for c in i.classes)), None)


def _pinned(invocation: Invocation, platform: str, target: str) -> str:
    """The CPU that the command names; empty where it names none, or none that can be a baseline."""
    value = invocation.effective("cpu", platform).value
    if value is None or not value.known or cpu.is_host(value.text) or not cpu.known(value.text, target):
        return ""
    return value.text


def _bound(platform: str, pinned: Mapping[str, int]) -> Bound:
    """The CPU that most commands name; where none does, the oldest that there is."""
    named = _most_common(Counter({name: count for name, count in pinned.items() if name and name != "generic"}))
    if not named:
        return Bound(platform, OLDEST[platform], "the oldest: no command names another CPU")
    name, count = named[0]
    others = ", ".join(f"{other} ({number})" for other, number in named[1:4])
    said = f"named by {count} command{'s' if count > 1 else ''}"
    return Bound(platform, name, f"{said}; others name {others}" if others else said)


def _bundled(files: Iterable[FileCommands]) -> Iterable[str]:
    found = set()
    for one in files:
        parts = one.path.split("/")[:-1]
        for depth, part in enumerate(parts):
            if part.lower() in _BUNDLED and not parts[0].startswith("."):
                found.add("/".join(parts[: depth + 1]))
                break
    return sorted(found)


def wanted_packs(matched: Mapping[str, int], packs_of: Mapping[str, str]) -> tuple[str, ...]:
    """The packs of which some rule meets a command, and the one that holds without a configuration."""
    met = {packs_of[rule] for rule, count in matched.items() if count and rule in packs_of}
    return tuple(sorted(met | set(DEFAULT_PACKS)))


def exempted(findings: Iterable[Finding]) -> tuple[Exempted, ...]:
    """An exemption for each rule and place of which there is an error."""
    found: dict[Exempted, None] = {}
    for finding in findings:
        if not finding.fails or finding.place is None:
            continue
        where = [("path", finding.span.path)]
        for fact in _FACTS:
            value = getattr(finding.place, fact)
            if value is not None:
                where.append((fact, value))
        plain = tuple((key, value) for key, value in where if not any(c in _GLOB for c in value))
        if plain:
            found[Exempted(finding.rule, plain)] = None
    return tuple(found)
