"""What a configuration of tox says: its environments, and the values of their sections and of those that they inherit.

Follows https://tox.wiki/en/latest/reference/config.html for INI and TOML. Substitutions are not known here.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice, product
from typing import Protocol

from flagguard.hosts.tox_ini import NEWEST, OLDEST, Section, conditions, factor_groups, names, settled
from flagguard.hosts.tree import Items, Node, Scalar, Table, text_of
from flagguard.text import EMPTY, Traced
from flagguard.values import dataclass, field

_ISA = {"aarch64": "arm64"}
_KNOWN_ISA = frozenset("arm64 loongarch64 ppc ppc64 ppc64le riscv64 s390x sparc64 x86 x86_64".split())


@dataclass
class World:
    """A platform, what the caller has set, and what is assumed of what nobody knows."""

    platform: str
    forced: tuple[bool, ...]
    assume: Mapping[str, str]
    env: Mapping[str, Traced]
    taken: list[bool] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    _known: dict[str, bool] = field(default_factory=dict)

    @property
    def system(self) -> str:
        system = self.platform.partition("-")[0]
        return {"macos": "darwin", "windows": "win32"}.get(system, system)

    @property
    def windows(self) -> bool:
        return self.platform.startswith("windows")

    def holds(self, said: str) -> bool:
        if said not in self._known:
            chosen = self.forced[len(self.taken)] if len(self.taken) < len(self.forced) else False
            self.taken.append(chosen)
            self.assumed.append(said if chosen else f"not ({said})")
            self._known[said] = chosen
        return self._known[said]

    def factors(self, name: str) -> frozenset[str]:
        """The factors of an environment: those of its name, the system, the machine."""
        own = set(name.split("-"))
        with suppress(ValueError):
            own = {factor for group in factor_groups(name) for factor, _ in group}
        machine = self.platform.partition("-")[2]
        machine = _ISA.get(machine, machine)
        return frozenset(own | {self.system} | (set() if own & _KNOWN_ISA else {machine}))


class Asking(Protocol):
    """The environment that asks for a value."""

    name: str
    factors: frozenset[str]


class Settings(Protocol):
    """A configuration of tox."""

    def listed(self) -> list[str]:
        """The environments that run when nobody names one."""
        ...

    def environments(self) -> list[str]:
        """All environments that the file speaks of."""
        ...

    def knows(self, name: str) -> bool: ...

    def value(self, environment: Asking, key: str) -> "Node | Traced | None":
        """What an environment's sections say first for the key."""
        ...

    def section(self, environment: Asking, name: str, key: str) -> "Node | Traced | None": ...

    def core(self, key: str) -> "Node | Traced | None": ...


class Ini:
    """Of INI."""

    def __init__(self, sections: Mapping[str, Section], core: str) -> None:
        self.sections = sections
        self.main = core
        self._of: dict[str, str] = {}
        for section in sections:
            if section.startswith("testenv:"):
                for name in names(section.removeprefix("testenv:")):
                    self._of.setdefault(name, section)

    def core(self, key: str) -> Traced | None:
        section = self.sections.get(self.main)
        found = section.values.get(key) if section is not None else None
        return None if found is None else settled(found, frozenset())

    def listed(self) -> list[str]:
        said = self.core("env_list") or self.core("envlist")
        return names(said.text) if said is not None else []

    def environments(self) -> list[str]:
        found = dict.fromkeys((*self.listed(), *self._of))
        factors = {factor for name in found for factor in name.split("-")}
        for section, held in self.sections.items():
            if section in ("testenv", self.main) or section.startswith("testenv:"):
                found.update(dict.fromkeys(n for n in conditions(held.values) if n and set(n.split("-")) - factors))
        hidden = (".pkg", ".tox", "")
        listed = [name for name in found if name not in hidden and not set(name) & set("*?")]
        systems = {"linux", "darwin", "win32", "cygwin"}
        named = [name for name in listed if set(name.split("-")) - systems - _KNOWN_ISA]
        if "testenv" in self.sections and not self.listed():
            named = ["py", *(name for name in named if name != "py")]
        return named

    def knows(self, name: str) -> bool:
        return name in self.environments() or "testenv" in self.sections

    def value(self, environment: Asking, key: str) -> Traced | None:
        for section in self._chain(environment):
            raw = section.values.get(key)
            found = settled(raw, environment.factors) if raw is not None else None
            if found is not None:
                return found
        return None

    def _chain(self, environment: Asking) -> Iterator[Section]:
        own = self.sections.get(self._of.get(environment.name, f"testenv:{environment.name}"))
        bases = ["testenv"]
        if own is not None:
            yield own
            if "base" in own.values:
                said = own.values["base"].text
                bases = [b.strip() for b in said.replace("\n", ",").split(",") if b.strip()]
        for base in bases:
            for name in (base, f"testenv:{base}"):
                found = self.sections.get(self._of.get(base, name) if name != base else name)
                if found is not None:
                    yield found

    def section(self, environment: Asking, name: str, key: str) -> Traced | None:
        found = self.sections.get(name)
        if found is None and name.startswith("testenv:"):
            found = self.sections.get(self._of.get(name.removeprefix("testenv:"), ""))
        raw = found.values.get(key) if found is not None else None
        if raw is None:
            return None
        value = settled(raw, environment.factors)
        return EMPTY if value is None else value


class Toml:
    """Of TOML."""

    def __init__(self, root: Table) -> None:
        self.root = root
        self._made: dict[str, str] = {}
        made = root.get("env_base")
        for entry in made.entries if isinstance(made, Table) else ():
            factors = entry.value.get("factors") if isinstance(entry.value, Table) else None
            groups = list(factors.items) if isinstance(factors, Items) else []
            flat = bool(groups) and isinstance(groups[0], Scalar)
            rows = product(text_of(n).text for n in groups) if flat else product(*map(_group, groups))
            for row in islice(rows, 400) if groups else ():
                self._made["-".join((entry.name, *row))] = entry.name

    def core(self, key: str) -> Node | None:
        return self.root.get(key)

    def listed(self) -> list[str]:
        node = self.root.get("env_list")
        found: list[str] = []
        for item in node.items if isinstance(node, Items) else ():
            if isinstance(item, Table) and isinstance(groups := item.get("product"), Items):
                left_out = item.get("exclude")
                without = {text_of(n).text for n in left_out.items} if isinstance(left_out, Items) else set()
                made = ("-".join(row) for row in product(*map(_group, groups.items)))
                found += [name for name in made if name not in without][:400]
            else:
                found += _group(item) if isinstance(item, Table) else [text_of(item).text]
        return [name for name in dict.fromkeys(found) if name]

    def environments(self) -> list[str]:
        table = self.root.get("env")
        own = [entry.name for entry in table.entries] if isinstance(table, Table) else []
        found = [name for name in dict.fromkeys((*self.listed(), *own, *self._made)) if not name.startswith(".")]
        if self.root.get("env_run_base") is not None and not self.listed():
            found = ["py", *(name for name in found if name != "py")]
        return found

    def knows(self, name: str) -> bool:
        return name in self.environments() or self.root.get("env_run_base") is not None

    def _table(self, *path: str) -> Table | None:
        node: Node | None = self.root
        for name in path:
            node = node.get(name) if isinstance(node, Table) else None
        return node if isinstance(node, Table) else None

    def value(self, environment: Asking, key: str) -> Node | None:
        own = self._table("env", environment.name)
        bases = ["env_run_base"]
        if own is not None:
            if own.get(key) is not None:
                return own.get(key)
            if isinstance(said := own.get("base"), Items):
                bases = [text_of(n).text for n in said.items]
        if environment.name in self._made:
            bases = [f"env_base.{self._made[environment.name]}", "env_run_base"]
        for base in bases:
            name = base.removeprefix("tool.tox.")
            paths = (
                [("env_base", name.removeprefix("env_base."))]
                if name.startswith("env_base.")
                else [(name,), ("env", base)]
            )
            for path in paths:
                table = self._table(*path)
                if table is not None and table.get(key) is not None:
                    return table.get(key)
        return None

    def section(self, environment: Asking, name: str, key: str) -> Node | None:
        table = self._table(*(part for part in name.removeprefix("tool.tox").split(".") if part))
        return table.get(key) if table is not None else None


def _group(node: Node) -> list[str]:
    if isinstance(node, Items):
        return [text_of(n).text for n in node.items]
    if not isinstance(node, Table):
        return [text_of(node).text]
    prefix = text_of(node.get("prefix")).text
    if not prefix:
        inner = node.get("values") or (node.entries[0].value if len(node.entries) == 1 else None)
        return _group(inner) if inner is not None else []
    ends = [n.value if isinstance(n := node.get(key), Scalar) and isinstance(n.value, int) else None
            for key in ("start", "stop")]  # fmt: skip
    start = OLDEST if ends[0] is None else ends[0]
    stop = NEWEST if ends[1] is None else ends[1]
    return [f"{prefix}{number}" for number in range(start, min(stop, start + 100) + 1)]
