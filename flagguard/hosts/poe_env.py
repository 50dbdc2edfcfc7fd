"""The environment of poethepoet's tasks: `env`, `envfile`, `args`, and what poe sets itself.

Follows poethepoet 0.49 (https://poethepoet.natn.io/tasks/options.html, https://poethepoet.natn.io/guides/args_guide.html).
Values are templates in which only `${NAME}` is an expansion. Commands and tasks are not known here.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping

from flagguard.command import Variable
from flagguard.hosts import Setting
from flagguard.hosts.poe_call import Given
from flagguard.hosts.poe_cmd import CommandError, fill
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table, text_of
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, SourceText, Traced, hole, literal
from flagguard.values import dataclass, field, replace

POE_SETS = ("POE_ROOT", "POE_CWD", "POE_PWD", "POE_CONF_DIR", "POE_VERBOSITY", "POE_ACTIVE")
"""https://poethepoet.natn.io/env_vars.html"""

_LAZY = ("POE_GIT_DIR", "POE_GIT_ROOT")
_MACHINE = ("HOME", "PATH", "PWD", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "TERM")
_VARIABLE = expression(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)")


def is_private(name: str) -> bool:
    """Whether poe keeps a variable to itself: usable in templates, not in the environment of what it runs."""
    return name.startswith("_") and not any(c.isupper() for c in name)


Report = Callable[[Node, str, str], None]
"""Tells what is wrong with a value: the value, the message, the key."""


@dataclass(frozen=True)
class Environment:
    """What a task sees, outermost table first."""

    assume: Mapping[str, str] = field(default_factory=dict)
    variables: tuple[Variable, ...] = ()
    outside: tuple[str, ...] = POE_SETS
    unread: Hole | None = None
    """Something that may set any variable: an envfile that is not in the tree."""

    def lookup(self, name: str) -> Traced | None:
        """The variable's value; a hole where somebody outside gives it, None where nobody does."""
        for variable in reversed(self.variables):
            if variable.name == name:
                return variable.value
        if name in self.assume:
            return literal(self.assume[name])
        if name in self.outside or name in _LAZY or name in _MACHINE:
            return hole(Hole(f"${name}", "the machine or the caller sets it", name=name))
        if self.unread is not None:
            return hole(replace(self.unread, text=f"${name}", name=name))
        return None

    def with_value(self, name: str, value: Traced) -> "Environment":
        return replace(self, variables=(*self.variables, Variable(name, value)))

    def with_outside(self, name: str) -> "Environment":
        """``name`` given from outside or not at all: what was known of it is so no longer."""
        kept = tuple(v for v in self.variables if v.name != name)
        return replace(self, variables=kept, outside=(*self.outside, name))

    def without(self, name: str) -> "Environment":
        """``name`` not set."""
        kept = tuple(v for v in self.variables if v.name != name)
        return replace(self, variables=kept, outside=tuple(n for n in self.outside if n != name))

    def outside_of(self, text: str) -> tuple[str, ...]:
        """The names for ``Script.outside``: with an unread envfile, also whatever ``text`` uses and nothing sets."""
        outside = tuple(n for n in self.outside if not is_private(n))
        if self.unread is None:
            return outside
        known = {v.name for v in self.variables} | set(self.outside)
        return (*outside, *sorted(set(_VARIABLE.findall(text)) - known))


def with_tables(env: Environment, table: Table, source: SourceText, setting: Setting, report: Report) -> Environment:
    """``env`` with the `envfile` and the `env` of a task, or of the whole file, on top."""
    named = table.get("envfile")
    if named is not None:
        for node in files(named, report):
            env = _with_file(env, node, source, setting)
    values = table.get("env")
    if values is None:
        return env
    if not isinstance(values, Table):
        report(values, f"has to be a table, and is {values.named}", "env")
        return env
    for entry in values.entries:
        key, value = f"env.{entry.name}", entry.value
        default = value.get("default") if isinstance(value, Table) else None
        text = default if default is not None else value
        if not isinstance(text, Scalar) or text.kind is not Kind.STRING:
            report(value, f"has to be a string, and is {text.named}", key)
            continue
        if default is not None and _given(env, entry.name):
            continue
        try:
            filled = fill(text.text, env.lookup, braces=True)
        except CommandError as error:
            report(value, error.message, key)
            filled = hole(Hole(text.text.shown, "poe cannot read it", Decider.REPOSITORY), text.text.route)
        if default is not None:
            filled = filled.overridable()
            if entry.name in env.assume:
                filled = literal(env.assume[entry.name])
        env = env.with_value(entry.name, filled)
    return env


def _given(env: Environment, name: str) -> bool:
    return any(v.name == name for v in env.variables)


def files(node: Node, report: Report) -> Iterator[Scalar]:
    """The files that `envfile` names, in any of its forms."""
    if isinstance(node, Scalar) and node.kind is Kind.STRING:
        yield node
    elif isinstance(node, Items):
        for item in node.items:
            yield from files(item, report)
    elif isinstance(node, Table):
        for name in ("expected", "optional"):
            found = node.get(name)
            if found is not None:
                yield from files(found, report)
    else:
        report(node, f"has to name files, and is {node.named}", "envfile")


def envfile_path(node: Scalar, env: Environment, source: SourceText) -> str | None:
    """The path, from the root of the tree, of an envfile; None where it is not known, or lies outside."""
    try:
        name = fill(node.text, env.lookup, braces=True)
    except CommandError:
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), name.text))
    return path if name.known and not path.startswith(("../", "/")) else None


_LINE = expression(
    r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*"
    r"""(?:'([^'\n]*)'|"([^"\n\\$`]*)"|([^\s'"$`\\#]*(?:[ \t]+[^\s'"$`\\#]+)*)|(.*?))[ \t]*(?:[ \t]\#.*)?$"""
)


def _with_file(env: Environment, node: Scalar, source: SourceText, setting: Setting) -> Environment:
    path = envfile_path(node, env, source)
    found = setting.files.read(path) if path else None
    if found is None:
        reason = f"{node.text.shown} may set it, which is not in the repository"
        return replace(env, unread=Hole("", reason, Decider.OUTSIDE))
    at = 0
    for line in found.text.split("\n"):
        matched = _LINE.match(line.rstrip("\r"))
        if matched is not None:
            group = next((g for g in (2, 3, 4) if matched[g] is not None), 5)
            start, end = at + matched.start(group), at + matched.end(group)
            value = found.traced(start, end)
            if group == 5:
                value = hole(Hole(matched[5], f"{path} says it in a way that is not read", Decider.REPOSITORY))
            env = env.with_value(matched[1], value)
        at += len(line) + 1
    return env


def with_arguments(env: Environment, table: Table, report: Report, given: Given | None) -> Environment:
    """``env`` with the task's `args`, which poe hands on as variables. Without ``given`` nobody knows the call."""
    args = table.get("args")
    if args is None:
        return env
    named: list[tuple[str, Node]] = []
    if isinstance(args, Table):
        named += [(e.name, e.value) for e in args.entries]
    elif isinstance(args, Items):
        for item in args.items:
            written = item.get("name") if isinstance(item, Table) else item
            if isinstance(written, Scalar) and written.kind is Kind.STRING:
                named.append((written.text.text, item))
            else:
                report(item, f"has to be a name or a table with a `name`, and is {item.named}", "args")
    else:
        report(args, f"has to be a list or a table, and is {args.named}", "args")
        return env
    for name, node in named:
        options = node if isinstance(node, Table) else Table(node.span)
        variable = name.replace("-", "_")
        called = given is not None and not given.unsure
        if given is not None and name in given.values:
            env = env.with_value(variable, given.values[name])
            continue
        try:
            value = _default(options, env, flipped=given is not None and name in given.switches)
        except CommandError as error:
            report(node, error.message, f"args.{name}")
            value = None
        if value is None and called and text_of(options.get("type")).text == "boolean":
            env = env.with_value(variable, EMPTY)  # poe takes it away: the caller's own does not count
        elif value is None:
            env = env.without(variable) if called else env.with_outside(variable)
        else:
            env = env.with_value(variable, value if called else value.overridable())
    return env


def _default(options: Table, env: Environment, flipped: bool = False) -> Traced | None:
    """What an argument is when the caller does not give it; None: not set."""
    default, kind = options.get("default"), options.get("type")
    if isinstance(kind, Scalar) and kind.text.text == "boolean":
        on = isinstance(default, Scalar) and (
            default.value is True or (isinstance(default.value, str) and default.value.lower() in ("true", "t", "1"))
        )
        on = on is not flipped
        said = options.get("true_string" if on else "false_string")
        if isinstance(said, Scalar):
            return said.text or EMPTY
        return literal("True") if on else None
    if not isinstance(default, Scalar) or default.kind is Kind.NULL:
        return None
    return fill(default.text, env.lookup) if default.kind is Kind.STRING else default.text
