"""What an assignment makes of a variable.

Manual: "Setting Variables", "Appending More Text to Variables", "The `override` Directive".
"""

from flagguard.make.choices import defaulted
from flagguard.make.expand import Expander
from flagguard.make.functions.control import shell_output
from flagguard.make.syntax import Assignment, Modifier
from flagguard.make.variables import Definition, Flavor, Origin
from flagguard.text import Traced, join, literal


def defined(
    run: Expander, name: str, statement: Assignment, origin: Origin, old: Definition | None, append: bool
) -> Definition | None:
    """What the assignment makes of the variable; None where it changes nothing."""
    private = Modifier.PRIVATE in statement.modifiers
    value = statement.value
    match statement.operator:
        case "=":
            return Definition(value, Flavor.RECURSIVE, origin, private=private)
        case ":=" | "::=":
            return Definition(run.remembered(value), Flavor.SIMPLE, origin, private=private)
        case ":::=":
            return Definition(_escaped(run.expand(value)), Flavor.RECURSIVE, origin, private=private)
        case "?=":
            given = run.variables.find(name)
            if given is None and name in run.variables.exported_empty:
                return None
            if given is not None:
                return defaulted(name, given, _by_default(value, origin, private)) if given.perhaps else None
            return _by_default(value, origin, private)
        case "!=":
            command = run.expand(value)
            output = shell_output(run, command, join((literal("$(shell "), value, literal(")"))))
            return Definition(output.through(value.route), Flavor.RECURSIVE, origin, private=private)
    return _appended(run, name, value, origin, old, append, private)


def _by_default(value: Traced, origin: Origin, private: bool) -> Definition:
    return Definition(value.overridable(), Flavor.RECURSIVE, origin, private=private, conditional=True)


def _appended(
    run: Expander, name: str, value: Traced, origin: Origin, old: Definition | None, append: bool, private: bool
) -> Definition | None:
    if old is None:
        if not append and _may_be_set(run, name):
            old = Definition(run.undefined(name), Flavor.SIMPLE, Origin.ENVIRONMENT)
            joined = join((old.value, literal(" "), value))
            return Definition(joined, Flavor.RECURSIVE, origin, private=private)
        return Definition(value, Flavor.RECURSIVE, origin, appends=append, private=private)
    if old.origin > origin:
        return None
    if old.origin is Origin.DEFAULT and run.unread is not None and name.isupper():
        old = Definition(run.value(name), Flavor.RECURSIVE, origin)
    more = value if old.recursive else run.expand(value)
    if not more.text:
        return None
    joined = join((old.value, literal(" "), more)) if old.value.text else more
    return Definition(joined, old.flavor, origin, old.appends and append, private, old.conditional, chosen=old.chosen)


def _may_be_set(run: Expander, name: str) -> bool:
    return run.unread is not None and not name.startswith(".")


def _escaped(value: Traced) -> Traced:
    """``:::=``: dollars doubled, so that a later expansion gives the same."""
    if "$" not in value.text:
        return value
    parts, at = [], 0
    for index, character in enumerate(value.text):
        if character == "$":
            parts += [value.cut(at, index + 1), literal("$")]
            at = index + 1
    return join((*parts, value.cut(at, len(value))))
