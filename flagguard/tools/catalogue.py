"""The tool catalogue, read from the TOML files next to this module.

``programs.toml`` says which file knows a program; the file is read when a command asks for it. What a file may hold:

    source   = "the manual that it follows"
    [grammar]            settings of the command line (fields of Node)
    [options]            "-o --output" = "value": spellings, then words from the table below
    [groups.NAME]        options that several subcommands share
    [commands.NAME]      aliases, use (groups), inherit, classes, options, commands, stands-for (the subcommands that it
                         is another name of), and settings of the grammar
    [effective.NAME]     which options decide a property (see effective.py)
    [[carry]]            options whose value holds another tool's words (see streams.py)
    [[environment]]      variables that hold more words for the tool (see streams.py)
    [tool.NAME]          one of the tools of the family: classes, use, options, effective, environment, carry,
                         overrides (see overrides.py), and words: a file whose options and properties it has too

An option is said by words: `switch`; `value` (as getopt has it: `-xV`, `-x V`, `--xx=V`, `--xx V`); or the forms
`joined`, `separate`, `equals`, `colon`, `long-separate` (separate for spellings with two dashes); then `optional`,
`key`, `typed`, `undefines`, `number`, `path`, `all`, `first`, `error`, `probe`, `program`, `lends` (fields of Spec),
`carries:GRAMMAR` with `comma`, `quoted` (commas, and quotes around items), `blank`, `semicolon` or `named` (the name
goes with its value), `off:VALUE` (with this value it takes itself back).
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from flagguard import tables
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK
from flagguard.tools.grammar import Form, Node, Spec, Spelling, Winner
from flagguard.tools.platforms import architecture
from flagguard.values import dataclass, field

_FORMS = {"joined": Form.JOINED, "separate": Form.SEPARATE, "equals": Form.EQUALS, "colon": Form.COLON}
_WINNERS = {"all": Winner.ALL, "first": Winner.FIRST, "error": Winner.ERROR}
_SETTINGS = (
    "clusters abbreviations interspersed terminator slashes assignments guess toolchain inputs negations "
    "default-command bare-command after-terminator switch-to"
).split()
_CROSS_WORDS = frozenset({"musl", "afl", "hardened", "llvm", "dpcpp"})
_VERSION = expression(rf"(?:-|(?<=[A-Za-z+]))(?:\d+(?:\.\d+)*|{HOLE_MARK})$")


@dataclass(frozen=True)
class Tool:
    """What is known of one program."""

    name: str
    root: Node
    classes: frozenset[str] = frozenset()
    effective: Mapping[str, Any] = field(default_factory=dict)
    environment: tuple[Mapping[str, Any], ...] = ()
    """Variables that hold more words for the tool."""
    carry: tuple[Mapping[str, Any], ...] = ()
    """Options and settings whose values hold another tool's words."""
    response: str | None = None
    """How a response file `@file` is cut into words: shell, lines."""
    overrides: str | None = None
    """A variable that edits the command line (CCC_OVERRIDE_OPTIONS)."""
    sections: Mapping[str, bool] = field(default_factory=dict)
    """Words that begin a section, and whether what follows is for the tool itself (`gnatmake -largs`)."""
    hands_over: str | None = None
    """`python`: the program runs a module or a script, which is then the tool."""
    file: str = ""
    """The file of the catalogue that says all this."""
    every_class: frozenset[str] | None = None
    """Its classes with those of its subcommands; None: another tool's come in."""


GENERIC = Node(guess=True, assignments=True)
"""The grammar of a program that the catalogue does not know (DESIGN 5.1.7)."""


def _table(name: str) -> dict[str, Any]:
    return tables.table(f"tools/{name}.toml")


@cache
def _index() -> dict[str, tuple[str, str, bool]]:
    """Program → (file, tool, whether a cross prefix may stand before it)."""
    out = {}
    for file, tools in _table("programs").items():
        for tool, entry in tools.items():
            for program in entry["names"]:
                out[program] = (file, tool, bool(entry.get("cross", False)))
    return out


def tool_files() -> tuple[str, ...]:
    """The files of the catalogue that hold tools."""
    return tuple(_table("programs"))


@dataclass(frozen=True, slots=True)
class ProgramName:
    """A program's word, taken apart."""

    bare: str
    """Without folder, `.exe`, cross prefix and version suffix."""
    cross: str = ""
    """`aarch64-linux-gnu`"""
    candidates: frozenset[str] = frozenset()
    """All that it may be called by a rule."""


def basename(text: str) -> str:
    base = re.split(r"[/\\]", text)[-1]
    return base[:-4] if base.lower().endswith(".exe") else base


@cache
def program_name(text: str) -> ProgramName:
    """Take a program's word apart; a hole in it may be a folder, a cross prefix or a version."""
    base = basename(text)
    plain = _VERSION.sub("", base) or base
    index = _index()
    small = (base.lower(),) if text.lower().endswith(".exe") else ()  # Windows knows no difference: `CL.exe`
    for name in (base, plain, *small):
        if name in index:
            return ProgramName(name, "", frozenset({base, plain, name}))
    for name in (base, plain):
        prefix, bare = _without_cross(name)
        if bare:
            return ProgramName(bare, prefix, frozenset({base, plain, bare}))
    # `base64` is a name, `tool-1.2` a name with a version
    return ProgramName(plain if re.search(r"[-.][\d.]+$", base) else base, "", frozenset({base, plain}))


def _without_cross(name: str) -> tuple[str, str]:
    index = _index()
    if name.startswith(HOLE_MARK) and name.lstrip(HOLE_MARK + "-") in index:
        return HOLE_MARK, name.lstrip(HOLE_MARK + "-")
    at = name.find("-")
    while at >= 0:
        prefix, bare = name[:at], name[at + 1 :]
        first = prefix.split("-")[0]
        if bare in index and index[bare][2] and (architecture(first) or first in _CROSS_WORDS or HOLE_MARK in first):
            return prefix, bare
        at = name.find("-", at + 1)
    return "", ""


def tool_for(bare: str) -> Tool | None:
    """The tool that goes by this bare name."""
    entry = _index().get(bare)
    return _tool(entry[0], entry[1]) if entry else None


def tool_named(file: str, tool: str) -> Tool:
    return _tool(file, tool)


@cache
def grammar(name: str) -> Tool:
    """The tool whose options a carrier holds: `c`, `ld`, `rustc`."""
    file, _, tool = name.partition("/")
    return _tool(file, tool or next(iter(_table("programs").get(file) or _table(file)["tool"])))


@cache
def _tool(file: str, name: str) -> Tool:
    table = _table(file)
    own = table.get("tool", {}).get(name, {})
    lent = _table(own["words"]) if "words" in own else {}
    options = dict(lent.get("options", {})) | table.get("options", {})
    for group in own.get("use", ()):
        options |= table["groups"][group]
    options |= own.get("options", {})
    settings = lent.get("grammar", {}) | table.get("grammar", {}) | own.get("grammar", {})
    commands = table.get("commands", {}) | own.get("commands", {})
    root = _node(_Scope(options, settings, commands), table.get("groups", {}))
    effective = _merged(lent.get("effective", {}), _merged(table.get("effective", {}), own.get("effective", {})))
    if "keeps" in own:
        effective = {name: effective[name] for name in own["keeps"].split()}
    return Tool(
        name,
        root,
        frozenset(own.get("classes", table.get("classes", ()))),
        effective,
        tuple(own.get("environment", table.get("environment", ()))),
        tuple(own.get("carry", table.get("carry", ()))),
        own.get("response", table.get("response")),
        own.get("overrides"),
        own.get("sections", {}),
        own.get("hands-over", table.get("hands-over")),
        file,
        _classes([{"classes": table.get("classes", ())} | own, settings, commands]),
    )


def _classes(said: Any) -> frozenset[str] | None:
    """All classes that a part of the catalogue names, at any depth."""
    found: set[str] = set()
    waiting = [said]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            if "switch-to" in part:
                return None
            found.update(part.get("classes", ()))
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return frozenset(found)


def _merged(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    return {key: (a.get(key, {}) | b.get(key, {})) for key in a.keys() | b.keys()}


@dataclass(frozen=True)
class _Scope:
    """What holds at one point of a command line, as the file says it."""

    options: Mapping[str, str]
    settings: Mapping[str, Any]
    commands: Mapping[str, Any]
    name: str | None = None
    classes: frozenset[str] = frozenset()

    def command(self, name: str, groups: Mapping[str, Mapping[str, str]]) -> "_Scope":
        own = self.commands[name]
        options = dict(self.options) if own.get("inherit", True) else {}
        for group in own.get("use", ()):
            options |= groups[group]
        options |= own.get("options", {})
        settings = {k: v for k, v in self.settings.items() if k not in ("default-command", "bare-command")}
        settings.pop("stands-for", None)
        settings |= {k: own[k] for k in (*_SETTINGS, "stands-for", "all-keys", "exclusive", "undo") if k in own}
        return _Scope(options, settings, own.get("commands", {}), name, frozenset(own.get("classes", self.classes)))


class _Commands(Mapping[str, Node]):
    """The subcommands by all their names; the grammar of one is made when a command line has it."""

    def __init__(self, scope: _Scope, groups: Mapping[str, Mapping[str, str]]) -> None:
        self._scope, self._groups = scope, groups
        self._names = {name: c for c, own in scope.commands.items() for name in (c, *own.get("aliases", ()))}
        self._made: dict[str, Node] = {}

    def __getitem__(self, name: str) -> Node:
        command = self._names[name]
        if command not in self._made:
            self._made[command] = _node(self._scope.command(command, self._groups), self._groups)
        return self._made[command]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _node(scope: _Scope, groups: Mapping[str, Mapping[str, str]]) -> Node:
    spellings: dict[str, Spelling] = {}
    for spelled, said in scope.options.items():
        spec, forms = option_spec(spelled, said)
        for text, form in forms.items():
            spellings[text] = Spelling(text, form, spec)
    lengths = {len(s.text) for s in spellings.values() if Form.JOINED in s.form}
    settings = scope.settings
    return Node(
        spellings=spellings,
        joined=tuple(sorted(lengths, reverse=True)),
        all_keys=frozenset(settings.get("all-keys", ())),
        commands=_Commands(scope, groups),
        name=scope.name,
        stands_for=tuple(settings.get("stands-for", "").split()),
        exclusive=tuple(frozenset(g.split() if isinstance(g, str) else g) for g in settings.get("exclusive", ())),
        undo={name: frozenset(taken.split()) for name, taken in settings.get("undo", {}).items()},
        classes=scope.classes,
        **{k.replace("-", "_"): settings[k] for k in _SETTINGS if k in settings},
    )


@cache
def option_spec(spelled: str, said: str) -> tuple[Spec, dict[str, Form]]:
    """An option from its words in the catalogue, and the forms that each of its spellings takes."""
    spellings = tuple(spelled.split())
    words = said.split()
    unknown = [w for w in words if w not in _WORDS and not w.startswith(("carries:", "off:"))]
    if unknown:
        raise ValueError(f"{spelled}: unknown word {unknown[0]!r}")
    form = Form.SWITCH
    for w in words:
        form |= _FORMS.get(w, Form.SWITCH)
    winner = next((_WINNERS[w] for w in words if w in _WINNERS), Winner.LAST)
    carries = next((w.partition(":")[2] for w in words if w.startswith("carries:")), None)
    split = next((w for w in words if w in _SPLITS), "word")
    getopt = "value" in words
    spec = Spec(
        spellings=spellings,
        form=form or (Form.SEPARATE if getopt else Form.SWITCH),
        optional="optional" in words,
        winner=winner,
        keyed="key" in words,
        typed="typed" in words,
        off=tuple(w.partition(":")[2] for w in words if w.startswith("off:")),
        undefines="undefines" in words,
        carries=carries,
        split=split,
        probe="probe" in words,
        number="number" in words,
        path="path" in words,
        program="program" in words,
        lends="lends" in words,
        below="below" in words,
    )
    forms = {}
    for text in spellings:
        if not getopt:
            forms[text] = form | Form.SEPARATE if "long-separate" in words and text.startswith("--") else form
        elif spec.optional:
            forms[text] = Form.EQUALS if text.startswith("--") else Form.JOINED
        elif text.startswith("--"):
            forms[text] = Form.EQUALS | Form.SEPARATE
        else:
            forms[text] = Form.JOINED | Form.SEPARATE
    return spec, forms


_SPLITS = frozenset({"comma", "quoted", "blank", "semicolon", "named", "per-file"})
_WORDS = {
    *_FORMS,
    *_WINNERS,
    *"switch value long-separate optional key typed undefines probe number path program lends below".split(),
    *_SPLITS,
}
