"""CPU names, what compilers may emit for each, and which of two asks for more ("at most", DESIGN 5).

Names are compared by their sets of features, never by descent: a name is at most another when everything that a
compiler may emit for it is there on the other. Where gcc and LLVM differ over a name it has two sets, the least and the
most that one of them takes it for, and both must hold. So a doubt never gives an "at most".

What is known stands in ``data/cpus/``, one table an architecture, each with its sources; only the one that is asked for
is read. Nothing here knows of tools: which option carries a name, and which switches come on top, is theirs to say.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Any

from flagguard import tables
from flagguard.values import cached_property, dataclass


class Verdict(Enum):
    """Whether a CPU is at most another."""

    YES = "yes"
    NO = "no"
    UNKNOWN_NAME = "unknown-name"
    """One of the two names is in no table."""
    OTHER_ARCHITECTURE = "other-architecture"
    """One of the two names belongs to another architecture than the platform's."""


@dataclass(frozen=True, slots=True)
class Comparison:
    verdict: Verdict
    extra: tuple[str, ...] = ()
    """The features that the limit does not have, sorted; the host has none to tell."""


def features(name: str, platform: str) -> frozenset[str] | None:
    """What a compiler may emit for ``name`` on ``platform``; None for a name that is not one of its architecture."""
    table = _table_of(platform)
    cpu = table and table.read(name, platform)
    return cpu.most if cpu else None


def at_most(name: str, added: Iterable[str], limit: str, platform: str) -> Comparison:
    """Whether code for ``name``, with the feature switches ``added`` in their order, runs wherever ``limit`` does.

    A switch is written ``avx2``, ``+avx2``, ``-avx2``, ``no-avx2``, ``-mavx2``, ``-mno-avx2``, or several with commas.
    The build host is at most nothing. A switch that no table knows counts as a feature that the limit lacks.
    """
    if is_host(name):
        return Comparison(Verdict.NO)
    table = _table_of(platform)
    if table is None:
        return Comparison(Verdict.UNKNOWN_NAME)
    cpu, bound = table.read(name, platform), table.read(limit, platform)
    if cpu is None or bound is None:
        return Comparison(_stranger(name if cpu is None else limit, platform))
    for switch in added:
        for change in table.changes(switch):
            cpu = table.changed(cpu, change)
    floor = table.floor(platform)
    extra = (cpu.least - bound.least) | (cpu.most - bound.most)
    extra -= floor
    return Comparison(Verdict.NO if extra else Verdict.YES, tuple(sorted(extra)))


def is_host(name: str) -> bool:
    """Whether ``name`` means the machine that builds: ``native`` (gcc, LLVM), ``host`` (nvc), ``Host`` (Intel)."""
    return re.split(r"[+,]", name.strip().lower())[0] in _HOST


def known(name: str, platform: str) -> bool:
    """Whether ``name`` is a CPU of the architecture of ``platform``."""
    return features(name, platform) is not None


def nearest(name: str, platform: str) -> str | None:
    """The known name that looks most like ``name``, for a message."""
    table = _table_of(platform)
    if table is None:
        return None
    names = ["generic", *table.names(platform)]
    bare = _bare(name)
    for candidate in names:
        if _bare(candidate) == bare:
            return candidate
    from difflib import get_close_matches

    close = get_close_matches(name.lower(), names, 1, 0.6)
    return close[0] if close else None


_HOST = frozenset({"native", "host"})

_ARCHITECTURES = {
    # what follows the dash of a platform (command.PLATFORMS; other tools' words for the same): the table
    "x86_64": "x86",
    "amd64": "x86",
    "i686": "x86",
    "aarch64": "aarch64",
    "arm64": "aarch64",
    "armv7l": "arm",
    "ppc64le": "powerpc",
    "riscv64": "riscv",
    "s390x": "s390x",
}


@dataclass(frozen=True, slots=True)
class _Cpu:
    """What compilers take a name for: the least that all of them emit, the most that one of them does."""

    least: frozenset[str]
    most: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Change:
    """One switch: the feature as the table spells it, on or off."""

    feature: str
    on: bool


class _Table:
    """One file of ``data/cpus``."""

    def __init__(self, data: Mapping[str, Any], architecture: str) -> None:
        self.architecture = architecture
        self._data = data
        self._implies: Mapping[str, str] = data.get("implies", {})
        self._also: Mapping[str, str] = data.get("also", {})
        """What some compilers turn on besides."""
        self._alone = frozenset(data.get("alone", {}).get("words", "").split())
        """Features that some compilers turn off alone, without those that need them."""
        self._spellings: Mapping[str, str] = data.get("spellings", {})
        self._harmless = frozenset(data["harmless"]["words"].split())
        self._harmless_starts = tuple(data["harmless"]["starts"].split())
        self._cpus: dict[tuple[str, str], _Cpu] = {}

    # -- names --

    def names(self, platform: str) -> Iterator[str]:
        """The names of the platform, its own first."""
        for section in self._sections(platform):
            yield from section

    def read(self, name: str, platform: str) -> _Cpu | None:
        """``name``, with what is written on it: ``armv8.2-a+sve+nofp16``, ``x86_64_v3-avx2``, ``v8.1,lse``."""
        head, *modifiers = re.split(r"[+,]", name)
        cpu = self._base(head, platform)
        if cpu is None and (parted := self._parted(head, platform)):
            head, dropped = parted
            cpu, modifiers = self._base(head, platform), [*dropped, *modifiers]
        if cpu is None:
            return None
        conditional = self._data.get("conditional", {})
        for modifier in modifiers:
            for change in self.changes(modifier):
                if not self._is_feature(change.feature):
                    return None
                cpu = self.changed(cpu, change)
            rule = conditional.get(modifier)
            if rule and (start := self._base(rule["from"], platform)) and start.least <= cpu.least:
                cpu = _Cpu(cpu.least, cpu.most | _words(rule["words"])[1])
        return cpu

    def floor(self, platform: str) -> frozenset[str]:
        """What every machine of the platform has."""
        name = self._data.get("floor", {}).get(platform)
        cpu = self._base(name, platform) if name else None
        return cpu.least if cpu else frozenset()

    def _sections(self, platform: str) -> Iterator[Mapping[str, str]]:
        if platform.startswith("windows-") and "windows" in self._data:
            yield self._data["windows"]
        yield self._data["names"]
        if platform.endswith("-i686"):
            yield self._data["only-i686"]

    def _base(self, name: str, platform: str) -> _Cpu | None:
        if name == "generic":
            default = self._data["generic"]
            return self.read(default.get(platform, default["*"]), platform)
        if self.architecture == "riscv" and name.startswith("rv64"):
            return self._isa_string(name)
        for spelling in (name, name.replace("_", "-")):
            for section in self._sections(platform):
                if spelling in section:
                    return self._resolve(spelling, section[spelling], platform)
        return None

    def _resolve(self, name: str, text: str, platform: str) -> _Cpu:
        key = (text, platform)
        if key not in self._cpus:
            parent, _, words = text.partition("+")
            least, more = _words(words)
            if parent := parent.strip():
                up = self._parent(parent, platform)
                least, more = least | up.least, more | up.most
            self._cpus[key] = _Cpu(least, least | more)
        return self._cpus[key]

    def _parent(self, name: str, platform: str) -> _Cpu:
        if self.architecture == "riscv" and name.startswith("rv64"):
            return self._isa_string(name)
        # a 64-bit name may build on one that only 32-bit programs may use
        for section in (*self._sections(platform), self._data.get("only-i686", {})):
            if name in section:
                return self._resolve(name, section[name], platform)
        raise KeyError(name)

    def _parted(self, name: str, platform: str) -> tuple[str, list[str]] | None:
        """zig's ``x86_64_v3-avx2``: a name and the features that are taken away."""
        parts = name.split("-")
        for i in range(len(parts) - 1, 0, -1):
            if self._base("-".join(parts[:i]), platform) and all(self._is_feature(p) for p in parts[i:]):
                return "-".join(parts[:i]), [f"-{p}" for p in parts[i:]]
        return None

    def _isa_string(self, name: str) -> _Cpu:
        """``rv64imac_zba1p0``: single letters, then long names, with or without versions and underscores."""
        found: set[str] = set()
        letters, *long = name[4:].lower().split("_")
        if start := re.search(r"(?<=.)(?:z[a-z]|s[a-z]{2}|x[a-z]{2})", letters):
            letters, long = letters[: start.start()], [letters[start.start() :], *long]
        found.update(re.sub(r"\d+(?:p\d+)?", "", letters))
        found.update(re.sub(r"\d+p\d+$", "", word) for word in long if word)
        closed = frozenset(f for feature in found for f in self._closed(feature)) - self._harmless - {"g"}
        return _Cpu(closed, closed)

    # -- features --

    def changes(self, switch: str) -> Iterator[_Change]:
        """What a switch, or a list of them with commas, turns on and off; nothing for those that add no instruction."""
        for part in switch.split(","):
            written = part.strip()
            if not written:
                continue
            word, on = self._signed(written)
            if self._neutral(word):
                continue
            for feature in self._spelled(word):
                yield _Change(feature, on)

    def changed(self, cpu: _Cpu, change: _Change) -> _Cpu:
        """``cpu`` with a feature and all that it needs, or without it and all that need it."""
        if change.on:
            return _Cpu(cpu.least | self._closed(change.feature), cpu.most | self._closed(change.feature, self._also))
        needing = {f for f in cpu.most if change.feature in self._closed(f, self._also)}
        gone = {f for f in cpu.most if change.feature in self._closed(f)}
        return _Cpu(cpu.least - needing, cpu.most - ({change.feature} if change.feature in self._alone else gone))

    def _signed(self, written: str) -> tuple[str, bool]:
        """The word of a switch, and whether it turns on: ``-x`` turns off, ``-mx`` (gcc) on."""
        bare = written.lstrip("+-")
        if written.startswith("+") or self._is_feature(bare):
            return bare, not written.startswith("-")
        for prefix in ("-mno-", "no-", "no"):
            if written.startswith(prefix) and self._means(word := written.removeprefix(prefix)):
                return word, False
        if written.startswith("-m"):
            return written.removeprefix("-m"), True
        return bare, not written.startswith("-")

    def _means(self, word: str) -> bool:
        return self._is_feature(word) or self._neutral(word)

    def _neutral(self, word: str) -> bool:
        return word in self._harmless or word.startswith(self._harmless_starts)

    def _is_feature(self, word: str) -> bool:
        return any(
            w in self._known or w in self._spellings for w in (word, word.replace("_", "-"), word.replace("_", ""))
        )

    def _spelled(self, word: str) -> tuple[str, ...]:
        for spelling in _spellings(word):
            if spelling in self._spellings:
                return tuple(self._spellings[spelling].split())
            if spelling in self._known:
                return (spelling,)
        return (word,)

    def _closed(self, feature: str, also: Mapping[str, str] = MappingProxyType({})) -> frozenset[str]:
        """A feature and all that it needs."""
        found, todo = {feature}, [feature]
        while todo:
            last = todo.pop()
            for needed in (*self._implies.get(last, "").split(), *also.get(last, "").split()):
                if needed not in found:
                    found.add(needed)
                    todo.append(needed)
        return frozenset(found)

    @cached_property
    def _known(self) -> frozenset[str]:
        found: set[str] = {*self._implies, *self._data.get("left-out", {})}
        for text in self._implies.values():
            found.update(text.split())
        for section in ("names", "windows", "only-i686"):
            for text in self._data.get(section, {}).values():
                found |= set().union(*_words(text.partition("+")[2]))
        return frozenset(found)


def _spellings(word: str) -> tuple[str, ...]:
    return word, word.replace("_", "-"), word.replace("_", "")


def _words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The features that all compilers take a name for, and those (written ``?x``) that not all do."""
    words = text.split()
    return frozenset(w for w in words if w[0] != "?"), frozenset(w[1:] for w in words if w[0] == "?")


@cache
def _table(architecture: str) -> _Table:
    return _Table(tables.table(f"data/cpus/{architecture}.toml"), architecture)


def _table_of(platform: str) -> _Table | None:
    architecture = _ARCHITECTURES.get(platform.rpartition("-")[2])
    return _table(architecture) if architecture else None


def _stranger(name: str, platform: str) -> Verdict:
    """Why a name is none of the platform's."""
    own = _ARCHITECTURES[platform.rpartition("-")[2]]
    for word, architecture in _ARCHITECTURES.items():
        other = f"linux-{word}"
        if (architecture != own or not platform.endswith(word)) and _table(architecture).read(name, other):
            return Verdict.OTHER_ARCHITECTURE
    return Verdict.UNKNOWN_NAME


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
