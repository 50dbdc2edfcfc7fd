"""What SCons and waf know in one run of their scripts: environments that hold flags, builders that use them, commands.

Follows the SCons User Guide ("Construction Environments", "Command", "SConscript") and its manual page ("Construction
Variables"): a target is built with what its environment holds in the end; and the Waf Book ("Configuration sets",
"C and C++ projects", "Rule-based task generators"). What another script exports, and what a check on the machine finds,
is not known.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from flagguard.hosts.python_programs import run_text
from flagguard.hosts.python_statements import start
from flagguard.hosts.python_values import (
    Bound,
    Function,
    Items,
    Made,
    Mapping,
    Named,
    Plain,
    Unknown,
    Value,
    gap,
    text_of,
)
from flagguard.hosts.python_world import Stopped, World
from flagguard.patterns import expression
from flagguard.text import Decider, Span, Traced, join, literal
from flagguard.tools.streams import cut_blank
from flagguard.values import dataclass, field

if TYPE_CHECKING:
    from flagguard.hosts.python_calls import Arguments

SCONS = frozenset("SConstruct SConscript SCsub".split())
WAF = "wscript"
_SHARED = frozenset("SharedLibrary SharedObject LoadableModule shlib cshlib cxxshlib".split())
_BUILDERS = frozenset(
    "Program ProgramAllAtOnce Library StaticLibrary SharedLibrary LoadableModule Object StaticObject "
    "SharedObject".split()
)
_LINKED = frozenset("Program ProgramAllAtOnce SharedLibrary LoadableModule".split())
_GENERATORS = frozenset("program shlib stlib objects".split())
_APPENDS = {"Append": 1, "AppendUnique": 1, "Prepend": -1, "PrependUnique": -1}
_SETS = frozenset({"append_value", "append_unique", "prepend_value"})
_FLAGS = frozenset("CCFLAGS CFLAGS CXXFLAGS CPPFLAGS LINKFLAGS SHLINKFLAGS ASFLAGS FORTRANFLAGS".split())
"""Variables that are empty lists of words in the beginning,"""
_DEFINES = ("CPPDEFINES", "DEFINES")
_CUT = "words"
"""and the kind of such a list."""
_METHODS = frozenset((*_SETS, "derive", "detach", "get_flat", "store", "load", "get", "keys", "update"))
_OF_C, _OF_CXX = (".c", ".m", ".s", ".S"), (".cc", ".cpp", ".cxx", ".C", ".c++", ".mm")
_VARIABLE = expression(r"\$(?:(\$)|\{([A-Za-z_]\w*)[^{}]*\}|([A-Za-z_]\w*))")
_MOST = 20
"""Variables inside of each other."""


@dataclass(eq=False)
class Environment(Mapping):
    """Construction variables; in waf a configuration set."""

    base: Unknown | None = None
    """What else its flags may be, where another script makes it."""
    parent: "Environment | None" = None
    """What it is a copy of."""


@dataclass
class Built:
    """A target, and the environment that it is built in."""

    made: Made
    environment: Environment
    given: dict[str, Value] = field(default_factory=dict)


class _FlagWorld(World):
    """What both have in common."""

    built: list[Built]
    environments: list[Environment]

    def acts(self, name: str) -> bool:
        """Whether an attribute of an environment is a method, and no variable."""
        return True

    def part(self, value: Value, name: str, span: Span) -> Value | None:
        if not isinstance(value, Environment) or (name[:1] != "[" and self.acts(name)):
            return None
        name = name.strip("[]'\"")
        return value.entries.setdefault(name, self.fresh(value)) if name.isidentifier() else None

    @staticmethod
    def fresh(environment: Environment) -> Items:
        return Items([environment.base] if environment.base is not None else [], _CUT)

    def store_on(self, holder: Value, name: str, value: Value) -> bool:
        if isinstance(holder, Environment):
            holder.entries[name] = value
        return isinstance(holder, Environment)

    def add(self, environment: Environment, name: str, value: Value, place: int) -> None:
        old = environment.entries.get(name)
        if isinstance(old, Traced) and isinstance(value, Traced):
            environment.entries[name] = old + value if place > 0 else value + old
            return
        before = _items(old if old is not None else self.fresh(environment))
        # what is added to a list of the script's own stays one item, blanks and all
        new = [value] if isinstance(old, Items) and isinstance(value, Traced) and old.kind != _CUT else _items(value)
        kind = _CUT if old is None or (isinstance(old, Items) and old.kind == _CUT) else "list"
        environment.entries[name] = Items([*before, *new] if place > 0 else [*new, *before], kind)

    def make(
        self, name: str, environment: Environment, given: "Arguments", operands: Sequence[Value], keep: dict[str, Value]
    ) -> Value:
        """Notes a target: its flags are worked out in the end."""
        made = Made(name, self.parsed.span(given.node.func), list(operands), {}, self.task)
        if given.rest is not None:
            made.arguments.append(given.rest)
        self.made.append(made)
        self.built.append(Built(made, environment, keep))
        return made

    def run(self, action: Value, given: "Arguments", names: dict[str, Traced], environment: Environment) -> None:
        """The commands of an action."""
        for one in action.items if isinstance(action, Items) else [action]:
            if isinstance(one, Made) and one.name == "Action" and one.arguments:
                self.run(one.arguments[0], given, names, environment)
            elif isinstance(one, Items):
                self.run(join_words(one), given, names, environment)
            elif isinstance(one, (Traced, Unknown)):
                text = self.spelled(text_of(one), environment, names)
                run_text(self, text.cut(1, len(text)) if text.text.startswith("@") else text, given)

    def spelled(self, text: Traced, environment: Environment, names: dict[str, Traced], depth: int = 0) -> Traced:
        """A text with its `$NAME`s worked out; blanks stand between the items of a list."""
        parts: list[Traced] = []
        at = 0
        for found in _VARIABLE.finditer(text.text):
            if not text.cut(found.start(), found.end()).known:
                continue
            parts.append(text.cut(at, found.start()))
            parts.append(self._variable(found[2] or found[3], text.cut(*found.span()), environment, names, depth)
                         if not found[1] else text.cut(found.start() + 1, found.end()))  # fmt: skip
            at = found.end()
        return join([*parts, text.cut(at, len(text))]) if parts else text

    def _variable(
        self, name: str, written: Traced, environment: Environment, names: dict[str, Traced], depth: int
    ) -> Traced:
        if name in names:
            return names[name].through(written.route)
        value = environment.entries.get(name)
        if value is None and name in _FLAGS:
            value = self.fresh(environment)
        if value is None or depth > _MOST:
            span = written.route[0] if written.route else None
            several = value is None and environment.base is not None
            return text_of(gap(written.text, "nothing that is read sets it", span, Decider.REPOSITORY, several=several))
        words = [self.spelled(text_of(item), environment, names, depth + 1) for item in _items(value)]
        return join([part for word in words for part in (literal(" "), word)][1:]).through(written.route)

    def leave(self) -> None:
        """Notes environments that nothing here is built in: other scripts may build with their flags."""
        used: set[int] = set()
        for built in self.built:
            of: Environment | None = built.environment
            while of is not None:
                used.add(id(of))
                of = of.parent
        for environment in self.environments:
            entries = environment.entries.items()
            flags = {k: v for k, v in entries if isinstance(k, str) and (k.endswith("FLAGS") or k in _DEFINES)}
            texts = [text for value in flags.values() for item in _items(value) for text in [text_of(item)]]
            span = next((piece.route[0] for text in texts for piece in text.pieces if piece.route), None)
            if span is not None and id(environment) not in used:
                words: list[Value] = []
                for key, value in flags.items():
                    words += _defines(value) if key in _DEFINES else self.words(environment, value).items
                self.made.append(Made("Environment", span, [Items(words)], {}, None))

    def words(self, environment: Environment, value: Value) -> Items:
        """The words of flags, variables in them worked out."""
        out: list[Value] = []
        for item in _items(value):
            if isinstance(item, Traced) and "$" in item.text:
                out += cut_blank(self.spelled(item, environment, {}))
            else:
                out.append(item)
        return Items(out)


def _items(value: Value) -> list[Value]:
    """A list, or the words of a text."""
    match value:
        case Items():
            return [
                word
                for item in value.items
                for word in (_items(item) if isinstance(item, Items) and item.kind != "tuple" else [item])
            ]
        case Traced():
            return list(cut_blank(value))
        case Mapping():
            return [Items([literal(str(k)), v], "tuple") for k, v in value.entries.items()]
        case Plain(value=None):
            return []
        case Unknown():
            return [gap(value.hole.text, value.hole.reason, value.span, value.hole.decider, several=True)]
    return [value]


def join_words(value: Value) -> Traced:
    words = [text_of(item) for item in _items(value)]
    return join([part for word in words for part in (literal(" "), word)][1:])


def _defines(value: Value) -> Iterator[Value]:
    """`CPPDEFINES`, as options."""
    items = value.items if isinstance(value, Items) and value.kind != "tuple" else _items(value)
    if isinstance(value, Items) and value.kind == "tuple":
        items = [value]
    for item in items:
        if isinstance(item, Items) and item.items:
            parts = [literal("="), text_of(item.items[1])] if len(item.items) > 1 else []
            parts = [] if len(item.items) > 1 and item.items[1] == Plain(None) else parts
            yield join([literal("-D"), text_of(item.items[0]), *parts])
        else:
            yield join([literal("-D"), text_of(item)]) if isinstance(item, Traced) else item


def _language(sources: Sequence[Value]) -> tuple[str, ...]:
    """The variables that are for the language of the sources alone."""
    texts = [text_of(one).text for source in sources for one in _items(source)]
    c = any(text.endswith(_OF_C) for text in texts)
    cxx = any(text.endswith(_OF_CXX) for text in texts)
    return (("C",) if c or not cxx else ()) + (("CXX",) if cxx or not c else ())


class SconsWorld(_FlagWorld):
    """One run of a script of SCons."""

    def begin(self) -> None:
        self.built = []
        self.default = Environment()
        self.environments = [self.default]

    def foreign(self, function: Named, given: "Arguments") -> Value | None:
        name = function.name.removeprefix("builtins.").removeprefix("SCons.Script.")
        if name.rpartition(".")[2] in ("Environment", "Base") and "." not in name.removesuffix("Base"):
            made = Environment()
            self._set(made, given.keywords, 0)
            self.environments.append(made)
            return made
        if name == "DefaultEnvironment":
            self._set(self.default, given.keywords, 0)
            return self.default
        if name == "Import":
            for one in given.values:
                for part in _items(one):
                    if isinstance(part, Traced) and part.known:
                        span = self.parsed.span(given.node)
                        base = gap(part.text, "another script exports it", span, Decider.OUTSIDE, several=True)
                        is_env = "env" in part.text.lower()
                        self.scope.names[part.text] = Environment(base=base) if is_env else base
            return Plain(None)
        if name == "Split" and given.values:
            return Items(_items(given.values[0]))
        if name in ("Action", "Configure"):
            own = {"env": value} if (value := given.get("env", 0)) is not None and name == "Configure" else {}
            return Made(name, self.parsed.span(given.node.func), list(given.values), own)
        return self._called(self.default, name, given) if "." not in name else None

    def called_on(self, receiver: Value, name: str, given: "Arguments") -> Value | None:
        if isinstance(receiver, Environment):
            return self._called(receiver, name, given)
        if isinstance(receiver, Made) and receiver.name == "Configure":
            return receiver.keywords.get("env") if name == "Finish" else None
        if name in _BUILDERS and isinstance(receiver, (Unknown, Bound)):
            span = self.parsed.span(given.node.func)
            base = gap(
                self.parsed.written(given.node.func), "what its environment holds is not known", span, several=True
            )
            return self._called(Environment(base=base), name, given)
        return None

    def _set(self, environment: Environment, keywords: dict[str, Value], place: int) -> None:
        for key, value in keywords.items():
            if place:
                self.add(environment, key, value, place)
            else:
                environment.entries[key] = Items(list(value.items), value.kind) if isinstance(value, Items) else value

    def _called(self, environment: Environment, name: str, given: "Arguments") -> Value | None:
        if name in _BUILDERS:
            return self.make(name, environment, given, given.values, dict(given.keywords))
        if name in _APPENDS:
            self._set(environment, given.keywords, _APPENDS[name])
        elif name == "Configure":
            return Made(name, self.parsed.span(given.node.func), [], {"env": environment})
        elif name == "Split" and given.values:
            return Items(_items(given.values[0]))
        elif name in ("Replace", "SetDefault"):
            new = given.keywords.items()
            self._set(environment, {k: v for k, v in new if name == "Replace" or k not in environment.entries}, 0)
        elif name in ("Clone", "Copy"):
            made = Environment(base=environment.base, parent=environment)
            self._set(made, {str(k): v for k, v in environment.entries.items()}, 0)
            self._set(made, given.keywords, 0)
            self.environments.append(made)
            return made
        elif name in ("MergeFlags", "ParseConfig"):
            flags: Value = given.get("args", 0) if name == "MergeFlags" else None
            if isinstance(flags, Mapping):
                self._set(environment, {str(k): v for k, v in flags.entries.items()}, 1)
            else:
                known = Items(_items(flags)) if isinstance(flags, (Traced, Items)) else None
                written = self.parsed.written(given.node)
                more = gap(written, "a program says it", self.parsed.span(given.node), several=True)
                self.add(environment, "CCFLAGS", known if known is not None else more, 1)
            if name == "ParseConfig" and given.values:
                run_text(self, text_of(given.values[0]), given)
        elif name == "Command":
            action = given.get("action", 2)
            names = {}
            for variable, at in (("TARGET", 0), ("SOURCE", 1)):
                listed = given.get(variable.lower(), at)
                names[variable] = text_of(_items(listed)[0]) if listed is not None and _items(listed) else Traced()
                names[f"{variable}S"] = join_words(listed)
            self.run(action, given, names, environment)
        elif name == "Execute":
            self.run(given.get("action", 0), given, {}, environment)
        elif name in ("AddPostAction", "AddPreAction"):
            self.run(given.get("action", 1), given, {"TARGET": join_words(given.get("target", 0))}, environment)
        elif name == "Alias":
            self.run(given.get("action", 2), given, {}, environment)
        else:
            return None
        return Plain(None)

    def settle(self) -> None:
        self.leave()
        for built in self.built:
            environment = Environment(dict(built.environment.entries), base=built.environment.base)
            environment.entries.update(built.given)
            entries = environment.entries
            shared = "SH" if built.made.name in _SHARED else ""
            names = [
                "CCFLAGS",
                *(f"{language}FLAGS" for language in _language(built.made.arguments[1:] or built.made.arguments)),
            ]
            names = [f"{shared}{name}" if f"{shared}{name}" in entries else name for name in names]
            names += ["CPPFLAGS"]
            found: list[Value] = [] if environment.base is None else [environment.base]
            found += _defines(entries["CPPDEFINES"]) if "CPPDEFINES" in entries else []
            for name in names:
                found += self.words(environment, entries.get(name, Items())).items
            if built.made.name in _LINKED:
                name = f"{shared}LINKFLAGS" if f"{shared}LINKFLAGS" in entries else "LINKFLAGS"
                found += self.words(environment, entries.get(name, Items())).items
            built.made.arguments.append(Items(found))


class WafWorld(_FlagWorld):
    """One run of a script of waf: its `options`, `configure` and `build`, which share one configuration set."""

    def begin(self) -> None:
        self.built = []
        self.set = Environment()
        self.environments = [self.set]
        if not any(f.name == "configure" for f in self.functions) and "def configure" not in self.parsed.source.text:
            self.set.base = gap("env", "another script configures it", None, Decider.OUTSIDE, several=True)

    def enter(self) -> None:
        order = ("options", "configure", "build")
        named = {f.name: f for f in self.functions if f.scope is self.module and isinstance(f.node, ast.FunctionDef)}
        for function in [named[name] for name in order if name in named]:
            self._function(function)
        for name, function in named.items():
            if name not in order and id(function.node) not in self.called and len(function.node.args.args) == 1:
                self._function(function)

    def acts(self, name: str) -> bool:
        return name in _METHODS

    def _function(self, function: Function) -> None:
        self.task = function.name
        with suppress(Stopped):
            start(self, function, [Named("waf.Context")])
        self.task = None

    def attribute(self, name: str) -> Value | None:
        return self.set if name == "waf.Context.env" else super().attribute(name)

    def foreign(self, function: Named, given: "Arguments") -> Value | None:
        name = function.name.removeprefix("waf.Context").removeprefix(".")
        if not function.name.startswith("waf.Context"):
            return None
        if name in _GENERATORS or (name == "" and ("features" in given.keywords or "rule" not in given.keywords)):
            features = text_of(given.keywords.get("features", Traced())).text.split()
            kinds = [f.removeprefix("c").removeprefix("xx") for f in features]
            made = next((kind for kind in kinds if kind in _GENERATORS), "objects")
            kept = {k: v for k, v in given.keywords.items() if k not in ("source", "target", "features")}
            sources = [given.keywords["source"]] if "source" in given.keywords else []
            return self.make(name or made, self.set, given, [*given.values, *sources], kept)
        if name == "" and "rule" in given.keywords:
            names = {
                short: join_words(given.keywords.get(long, Items()))
                for short, long in (("SRC", "source"), ("TGT", "target"))
            }
            self.run(given.keywords["rule"], given, names, self.set)
            return Plain(None)
        if name in ("exec_command", "cmd_and_log"):
            self.run(given.get("cmd", 0), given, {}, self.set)
            return Plain(None)
        if name in ("setenv", "load", "recurse") or name.startswith(("check", "find_")):
            return gap(self.parsed.written(given.node), "the machine decides it", self.parsed.span(given.node))
        return None

    def called_on(self, receiver: Value, name: str, given: "Arguments") -> Value | None:
        if not isinstance(receiver, Environment) or name not in (*_SETS, "derive", "detach"):
            return None
        if name in ("derive", "detach"):
            return Environment(dict(receiver.entries), base=receiver.base)
        key, value = given.get("var", 0), given.get("val", 1)
        if isinstance(key, Traced) and key.known and value is not None:
            self.add(receiver, key.text, value, -1 if name == "prepend_value" else 1)
        return Plain(None)

    def settle(self) -> None:
        self.leave()
        for built in self.built:
            entries = built.environment.entries
            found: list[Value] = [] if self.set.base is None else [self.set.base]
            found += [one for key in ("DEFINES",) if key in entries for one in _defines(entries[key])]
            found += _defines(built.given["defines"]) if "defines" in built.given else []
            used = [text_of(u).text for key in ("use", "uselib") for u in _items(built.given.get(key, Plain(None)))]
            names = [f"{language}FLAGS" for language in _language(built.made.arguments)]
            names += ["LINKFLAGS"] if built.made.name not in ("objects", "stlib") else []
            for name in names:
                for key in (name, *(f"{name}_{lib}" for lib in used)):
                    found += self.words(self.set, entries.get(key, Items())).items
                found += self.words(self.set, built.given.get(name.lower(), Items())).items
            built.made.arguments.append(Items(found))


def world_of(path: str) -> "Callable[..., World]":
    """The kind of run that a script is."""
    name = path.rpartition("/")[2]
    return SconsWorld if name in SCONS else WafWorld if name == WAF else World
