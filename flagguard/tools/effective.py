"""Effective properties: what several options together make of one notion (DESIGN 4.5).

The catalogue's `[effective.NAME]` tables say which options decide a property and in which order of precedence; this
module knows the ways in which options may decide, not the options:

    default, macos, x86_64, cross, targeted   when nothing decides; on macOS; for an architecture; for another
                architecture than the machine's; when a target is named
    sets        options whose value is the property: a list of levels, of which the first that occurs counts, in a level
                the last option; or such a list for each architecture, `*` for the others
    values      switches that stand for a value of `sets`
    last        switches that stand for a value, the last of all counts
    when-on     options that stand for a value when theirs says yes (`-DGGML_NATIVE=ON`); no other counts then
    raising     those of them that never lower it
    levels      `-O` levels that imply a value when no switch of `last` is given (`in-order`: where they stand among
                the switches); `*`: the level is the property
    triples     target triples in which a version of macOS may stand: that is the value, before all of `sets`
    items       options whose values, cut at commas, make a list: each adds to it or removes from it (`all`: everything)
    define      a macro, as the last -D or -U leaves it, with optimisation above 0
    environment variables that hold the value when no option does
    aliases     other words for a value; `prefixed`: beginnings of a value that are dropped
    takes       for an architecture and an option: globs of the values that the tool takes, `!` before those it refuses
    plain       for an architecture: how its `generic` is written; `underscores`, `by-alias`: how all are
    empty       what an empty value means
    features, switches   options that add to a CPU: with a list as value; as `-mNAME`, for each architecture
    feature-names   what a tool calls a feature, in small letters, and its usual name
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from flagguard import globs
from flagguard.command import Word, word
from flagguard.text import HOLE_MARK, Piece, Traced
from flagguard.tools.catalogue import Tool
from flagguard.tools.grammar import Option
from flagguard.tools.platforms import split
from flagguard.tools.products import platform_options
from flagguard.tools.streams import Stream, cut_at
from flagguard.values import dataclass, replace
from flagguard.variants import could_hold

_MAIN_LANE = ""
_ON = frozenset({"ON", "1", "TRUE", "YES", "Y"})
_LEVELS = frozenset({"-O", "--optimize", "/O", "/O1", "/O2", "/Ox", "/Od"})
"""The options of optimisation levels; flags that are for gcc or for cl have those of both (calls.toml)."""
_NOT_OPTIMISED = frozenset({"-O0", "0", "none", "-Od", "/Od"})


@dataclass(frozen=True)
class Effective:
    """One property of one invocation."""

    value: Word | None
    """The deciding value as a word, holes included; None: nothing said."""
    option: Option | None
    """The deciding option; None: the environment, or the tool's default."""
    default: str | None
    """What the tool does when nothing decides: `host`, `generic`, `none`, `off`; None: it has no such property."""
    added: tuple[Option, ...] = ()
    """For `cpu`: options that add features on top."""
    missing: Word | None = None
    """A word whose hole could change it."""
    features: tuple[str, ...] = ()
    """For `cpu`: the features that `added` adds and nothing takes back, as the tool names them (`avx2`)."""
    changes: tuple[str, ...] = ()
    """For `cpu`: all feature switches without holes, in order and signed: `+avx2`, `-avx`."""
    variable: str | None = None
    """The variable of the environment that decides."""
    refused: bool = False
    """The tool does not take the value: it ends with an error."""


def respelled(value: Traced, text: str) -> Word:
    """Another text at the same place."""
    return Word((Piece(text, value.route),)) if text else Word()


def worst(found: Sequence[Effective]) -> Effective:
    """Of several languages, the one that a rule is most likely to refuse."""

    def rank(e: Effective) -> int:
        if e.value is not None and e.value.text == "native":
            return 0
        if e.value is not None and not e.value.known:
            return 1
        if e.value is None and e.default == "host":
            return 2
        return 3 if e.value is not None else 4

    return min(found, key=rank)


@dataclass(frozen=True)
class _Said:
    """One option's word on a property."""

    level: int
    value: Word
    option: Option
    order: int


@dataclass(frozen=True)
class Asked:
    """A property of an invocation, in one language lane."""

    name: str
    tool: Tool
    streams: tuple[Stream, ...]
    env: Mapping[str, Traced]
    target: str
    platform: str

    @property
    def machine(self) -> str:
        return split(self.target)[1]

    def answer(self) -> Effective:
        own = self.tool.effective.get(self.name)
        if own is None:
            own = next((s.tool.effective[self.name] for s in self.streams if self.name in s.tool.effective), None)
        if own is None:
            return Effective(None, None, None)
        default = self._default(own)
        if any("define" in s.tool.effective.get(self.name, {}) for s in self.streams):
            return self._macro(default)
        if any("items" in s.tool.effective.get(self.name, {}) for s in self.streams):
            return self._items(default)
        decided = self._decided("empty" in own)
        added, features, changes = _added(self.name, self.streams, self.machine)
        missing = _hider(self.name, self.streams, decided)
        missing = missing or next((o.value for o in added if o.value is not None and not o.value.known), None)
        if decided is None:
            for variable in _for_machine(own.get("environment", ()), self.machine):
                if (said := self.env.get(variable)) is not None and (said.text or not said.known):  # empty is unset
                    given = word(said)
                    value = _canonical(own, given)
                    refused = (
                        given.known and bool(given.text) and not _takes(own, (variable,), given.text, self.machine)
                    )
                    return Effective(value, None, default, added, missing, features, changes, variable, refused)
            return Effective(None, None, default, added, missing, features, changes)
        if not decided.value.text and "empty" in own:
            return Effective(None, decided.option, own["empty"], added, missing, features, changes)
        refused = self.refuses(decided.option)
        return Effective(decided.value, decided.option, default, added, missing, features, changes, refused=refused)

    def refuses(self, option: Option) -> bool:
        """Whether the tool does not take the value of the option."""
        value = option.value
        if value is None or not value.known or not value.text:
            return False
        return any(
            not _takes(s.tool.effective.get(self.name, {}), option.names, value.text, self.machine)
            for s in self.streams
            if option in s.parse.options
        )

    def ways(self, value: str | None, option: Option | None) -> Iterator[tuple[str, str]]:
        """Options (or variables) and values that set the property to it (None: some); those like ``option`` first."""
        holding = [s for s in self.streams if option is not None and option in s.parse.options]
        own = (holding[0].tool if holding else self.tool).effective.get(self.name, {})
        levels = [_spelled(level) for level in _for_machine(own.get("sets", ()), self.machine)]
        used = [level for level in levels if option is not None and set(level) & set(option.names)]
        for level in [*used, *(level for level in levels if level not in used)]:
            name = next((n for n in level if option is not None and n in option.names), level[0])
            if value is None:
                yield name, "…"
                continue
            for written in _writings(own, value, self.machine):
                if _takes(own, (name,), written, self.machine):
                    yield name, written
                    break
        for spelled, meant in (*own.get("values", {}).items(), *own.get("last", {}).items()):
            if value in (None, meant):
                yield spelled, ""
        if value is not None and "define" in own:
            yield f"-D{own['define']}=", value
        if own.get("levels") == "*":
            yield (value or "-O"), "" if value is not None else "…"
        if value is None:
            return
        for variable in _for_machine(own.get("environment", ()), self.machine) if not levels else ():
            yield from ((f"{variable}=", written) for written in _writings(own, value, self.machine)[:1])

    def _decided(self, empty_is_nothing: bool) -> "_Said | None":
        """The first level that occurs, in it the last option; then what an `-O` level implies."""

        def weight(said: _Said) -> tuple[bool, int, int]:
            return (bool(said.value) or not empty_is_nothing, -said.level, said.order)

        said = list(_all_said(self.name, self.streams, self.machine))
        implied = _implied(self.name, self.streams)
        if implied is not None and (not said or self.tool.effective.get(self.name, {}).get("in-order")):
            said.append(implied)
        return max(said, key=weight, default=None)

    def _default(self, own: Mapping[str, Any]) -> str | None:
        targets = [text for _, text in platform_options(self.streams)]
        if "targeted" in own and targets and not targets[-1].startswith("native"):
            return str(own["targeted"])
        if "cross" in own and self.machine != split(self.platform)[1]:
            return str(own["cross"])
        found = own.get(split(self.target)[0], own.get(self.machine, own.get("default")))
        return None if found is None else str(found)

    def _items(self, default: str | None) -> Effective:
        """What is left of a list, in the order in which it was added."""
        left: dict[str, tuple[Word, Option]] = {}
        for stream in self.streams:
            means = stream.tool.effective.get(self.name, {}).get("items", {})
            for option in stream.parse.options:
                meant = next((means[n] for n in option.names if n in means), None)
                for item in cut_at(option.value, ",") if meant and option.value is not None else ():
                    if meant == "add":
                        left.setdefault(item.text, (item, option))
                    elif item.text == "all":
                        left.clear()
                    else:
                        left.pop(item.text, None)
        missing = _hider(self.name, self.streams, None)
        if not left:
            return Effective(None, None, default, (), missing)
        pieces = [piece for item, _ in left.values() for piece in (Piece(","), *item.pieces)][1:]
        return Effective(Word(tuple(pieces)), [option for _, option in left.values()][-1], default, (), missing)

    def _macro(self, default: str | None) -> Effective:
        """A macro that the C library looks at, if the code is optimised (feature_test_macros(7), _FORTIFY_SOURCE)."""
        said = _last_definition(self.name, self.streams)
        missing = _hider(self.name, self.streams, said)
        optimised = replace(self, name="optimisation").answer()
        level = optimised.value.text if optimised.value is not None else optimised.default
        if said is None or not said.value:
            return Effective(None, said.option if said else None, default, (), missing)
        if level is None or level in _NOT_OPTIMISED:
            return Effective(None, optimised.option, default, (), missing or optimised.missing)
        if HOLE_MARK in level:
            return Effective(optimised.value, optimised.option, default, (), missing)
        return Effective(said.value, said.option, default, (), missing)


def find(
    name: str, tool: Tool, streams: Sequence[Stream], *, env: Mapping[str, Traced], target: str, platform: str
) -> tuple[Effective, ...]:
    """The property, once for each language lane; `target` is the product's platform, `platform` the machine's."""
    streams = sorted(streams, key=lambda s: not s.early)
    lanes = sorted({s.lane for s in streams} - {_MAIN_LANE}) or [_MAIN_LANE]
    return tuple(
        Asked(name, tool, tuple(s for s in streams if s.lane in (_MAIN_LANE, lane)), env, target, platform).answer()
        for lane in lanes
    )


# -- values that the tool takes ---------------------------------------------------------------------------------------


def _takes(own: Mapping[str, Any], names: Sequence[str], value: str, machine: str) -> bool:
    listed = own.get("takes", {}).get(machine, {})
    for name in names:
        patterns = str(listed.get(name, "")).split()
        wanted = [p for p in patterns if not p.startswith("!")]
        head = value.split("+", maxsplit=1)[0]
        if any(globs.matches(p[1:], head) for p in patterns if p.startswith("!")):
            return False
        if wanted and not any(globs.matches(p, head) for p in wanted):
            return False
    return True


def _writings(own: Mapping[str, Any], value: str, machine: str) -> list[str]:
    """How a value may be written, the best first."""
    if own.get("by-alias"):
        return [word for word, meant in own["aliases"].items() if meant == value]
    plain = own.get("plain", {})
    if own.get("underscores"):
        value = value.replace("-", "_")
    return [value] if value != "generic" else [value, *([plain[machine]] if machine in plain else [])]


# -- what options say -------------------------------------------------------------------------------------------------


def _all_said(name: str, streams: Sequence[Stream], machine: str) -> Iterator[_Said]:
    order = 0
    for stream in streams:
        down = _BELOW if stream.below else 0
        own = stream.tool.effective.get(name, {})
        groups = [frozenset(_spelled(level)) for level in _for_machine(own.get("sets", ()), machine)]
        values, last, whole = own.get("values", {}), own.get("last", {}), own.get("levels") == "*"
        raising, highest, switched = own.get("raising", "").split(), "", own.get("when-on", {})
        turned: dict[str, tuple[Option, int]] = {}
        for option in stream.parse.options:
            order += 1
            names = set(option.names)
            for level, group in enumerate(groups):
                if names & group and not (option.missing and option.value is None):
                    yield _Said(level + down, _canonical(own, option.value or Word()), option, order)
            if option.value is not None and not names.isdisjoint(own.get("triples", ())):
                version = _version_of(option.value)
                if version is not None:
                    yield _Said(down - 1, version, option, order)
            for spelled in names & switched.keys():
                turned[spelled] = (option, order)
            for spelled, meant in (*values.items(), *last.items()):
                if spelled in names and not (highest > meant and spelled in raising):
                    highest = meant if raising else highest
                    yield _Said(down, _switch_value(option, meant), option, order)
            if whole and _is_level(option):
                yield _Said(down, option.word, option, order)
        for spelled, (option, at) in turned.items():  # each as it is left
            if option.value is not None and option.value.text.upper() in _ON:
                yield _Said(-1, respelled(option.value, switched[spelled]), option, at)


_BELOW = 100
"""Levels between what a tool says itself and what it hands on below that."""


def _version_of(triple: Word) -> Word | None:
    """The version of macOS that a target triple says: `arm64-apple-macos11.0`. That of Darwin decides nothing."""
    found = re.search(r"(?:osx|macosx|macos)\.?(\d+(?:\.\d+)*)$", triple.text)
    return word(triple.cut(found.start(1), found.end(1))) if found is not None else None


def _for_machine(listed: Any, machine: str) -> list[str]:
    """A list, or that of the architecture."""
    if isinstance(listed, dict):
        listed = listed.get(machine, listed.get("*", ()))
    return [str(item) for item in listed]


def _spelled(level: str) -> list[str]:
    """The options of one level: `-march -mcpu`, `-C target-cpu`."""
    return re.split(r" (?=[-/])", level)


def _switch_value(option: Option, meant: str) -> Word:
    return option.word if option.word.text == meant else respelled(option.word, meant)


def _is_level(option: Option) -> bool:
    return option.spec is not None and option.spec.spellings[0] in _LEVELS


def _implied(name: str, streams: Sequence[Stream]) -> _Said | None:
    """What the last `-O` level implies."""
    found: _Said | None = None
    order = 0
    for stream in streams:
        levels = stream.tool.effective.get(name, {}).get("levels", {})
        for option in stream.parse.options:
            order += 1
            if isinstance(levels, dict) and levels and _is_level(option):
                level = option.value.text if option.value is not None else ""
                found = _Said(0, respelled(option.word, levels[level]), option, order) if level in levels else None
    return found


def _canonical(own: Mapping[str, Any], value: Word) -> Word:
    aliases = own.get("aliases", {})
    text = value.text
    for prefix in own.get("prefixed", ()):
        if text.lower().startswith(prefix):
            value = word(value.cut(len(prefix), len(text)))
            text = value.text
    found = aliases.get(text, aliases.get(text.lower()))
    return value if found is None else respelled(value, found)


def _added(
    name: str, streams: Sequence[Stream], machine: str
) -> tuple[tuple[Option, ...], tuple[str, ...], tuple[str, ...]]:
    """Options that add features, the features that stay on, and every change."""
    on: dict[str, Option] = {}
    changes: list[str] = []
    for stream in streams:
        own = stream.tool.effective.get(name, {})
        switches = frozenset(own.get("switches", {}).get(machine, "").split())
        lists, names = frozenset(own.get("features", ())), own.get("feature-names", {})
        for option in stream.parse.options:
            for feature in _signed(option, switches, lists, names):
                if HOLE_MARK not in feature:
                    if option.name.startswith("-m"):  # measured: `-mavx -mno-avx` is as if there were no `-mavx`
                        changes = [c for c in changes if c[1:] != feature[1:]]
                    changes.append(feature)
                if HOLE_MARK in feature:
                    # whatever its sign, it may end in `,+another`
                    on[feature] = option
                elif feature.startswith("-"):
                    on.pop(feature[1:], None)
                else:
                    on[feature[1:]] = option
    return tuple({id(o): o for o in on.values()}.values()), tuple(on), tuple(changes)


def _signed(option: Option, switches: frozenset[str], lists: frozenset[str], names: Mapping[str, str]) -> Iterator[str]:
    name = option.name
    if name.startswith("-m"):
        if name[2:] in switches:
            yield "+" + name[2:]
        elif name[2:5] == "no-" and name[5:] in switches:
            yield "-" + name[5:]
    if lists & set(option.names) and option.value is not None:
        for item in option.value.text.split(","):
            feature = names.get(item.strip().lower(), item.strip())
            if feature:
                yield feature if feature[0] in "+-" else "+" + feature


def _hider(name: str, streams: Sequence[Stream], decided: _Said | None) -> Word | None:
    """A word after the deciding option that may hold another."""
    order = 0
    for stream in streams:
        own = stream.tool.effective.get(name)
        if own is not None and stream.parse.hiders:
            forms = _all_forms(own)
            for hider in stream.parse.hiders:
                late = decided is None or order + hider.order >= decided.order
                begins = not hider.prefix or any(f.startswith(hider.prefix) for f in forms)
                if late and begins and could_hold(hider.word, forms):
                    return hider.word
        order += len(stream.parse.options)
    return None


_FORMS: dict[int, tuple[Mapping[str, Any], frozenset[str]]] = {}
"""By the identity of a table of the catalogue, which is kept with them."""


def _all_forms(own: Mapping[str, Any]) -> frozenset[str]:
    """How a word would begin that decides the property."""
    known = _FORMS.get(id(own))
    if known is None:
        known = _FORMS[id(own)] = (own, frozenset(_forms(own)))
    return known[1]


def _forms(own: Mapping[str, Any]) -> Iterator[str]:
    sets: Any = own.get("sets", ())
    tables: Iterable[Any] = sets.values() if isinstance(sets, dict) else [sets]
    for levels in tables:
        for level in levels:
            for spelled in _spelled(str(level)):
                yield spelled
                yield spelled.replace(" ", "")
    yield from own.get("values", ())
    yield from own.get("last", ())
    yield from own.get("features", ())
    yield from own.get("items", ())
    yield from (spelled.replace(" ", "") for spelled in own.get("when-on", ()))
    if "define" in own:
        yield from (f"-D{own['define']}", f"-U{own['define']}", "-O")
    if "levels" in own:
        yield "-O"
    for names in own.get("switches", {}).values():
        for name in names.split():
            yield "-m" + name
            yield "-mno-" + name


def _last_definition(name: str, streams: Sequence[Stream]) -> _Said | None:
    """The last -D or -U of the macro; an empty value after -U."""
    found, order = None, 0
    for stream in streams:
        macro = stream.tool.effective.get(name, {}).get("define")
        for option in stream.parse.options:
            order += 1
            if macro is None or option.key != macro or option.spec is None:
                continue
            value = Word() if option.spec.undefines else option.value or respelled(option.word, "1")
            found = _Said(0, value, option, order)
    return found
