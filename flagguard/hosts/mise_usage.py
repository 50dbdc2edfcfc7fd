"""What the arguments of a mise task are: its `usage`, and `arg()`, `option()` and `flag()` in its text.

Follows https://mise.jdx.dev/tasks/task-arguments.html and https://usage.jdx.dev/spec/. Which values a call gives is
worked out here; where they go is not known.
"""

from collections.abc import Mapping, Sequence

from flagguard.patterns import expression
from flagguard.text import Hole, Traced, hole, join, literal
from flagguard.values import dataclass

_LINE = expression(r"(?m)^[ \t]*(?:(?:#|//|::)[ \t]*(?:USAGE|\[USAGE\])[ \t]+)?(arg|flag)[ \t]+\"([^\"\n]+)\"(.*)$")
_DEFAULT = expression(r"\bdefault=(?:\"([^\"]*)\"|#\"(.*?)\"#|([^\s{]+))")
FUNCTION = expression(r"\b(arg|option|flag)\(([^()]*)\)")
_GIVEN = expression(r"(\w+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([\w.-]+))")

SIMPLE = expression(r"vars\.\w+(?:\s*~\s*(?:'[^'{}]*'|\"[^\"{}]*\"|vars\.\w+)|\s*\|\s*(?:upper|lower|trim))+")
"""Expressions of Tera that MiniJinja works out to the same."""
_OS = {"linux": "linux", "macos": "macos", "windows": "windows"}
_ARCH = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64", "i686": "x86"}


def of_platform(said: str, platform: str) -> str | None:
    """What a function of templates says of the platform (https://mise.jdx.dev/templates.html)."""
    system, _, machine = platform.partition("-")
    if not platform:
        return None
    family = "windows" if system == "windows" else "unix"
    return {"os()": _OS.get(system, system), "arch()": _ARCH.get(machine, machine), "os_family()": family}.get(said)


def worked_out(tag: Traced, names: "Mapping[str, Mapping[str, Traced]]") -> Traced | None:
    """An expression with these names; None where it cannot be worked out."""
    from flagguard.hosts.minijinja import renderings
    from flagguard.hosts.minijinja_expressions import TemplateError

    try:
        found = renderings(tag, names)
    except TemplateError:
        return None
    return found[0].text if len(found) == 1 and not found[0].when else None


@dataclass(frozen=True)
class Argument:
    """One argument of a task."""

    name: str
    options: tuple[str, ...] = ()
    """How an option is spelled; none for an operand."""
    valued: bool = True
    several: bool = False
    default: Traced | None = None


def declared(usage: Traced) -> list[Argument]:
    """The arguments that a `usage` text declares."""
    found = []
    for match in _LINE.finditer(usage.text):
        kind, said, more = match[1], match[2], match[3]
        default = _DEFAULT.search(more)
        value: Traced | None = None
        if default is not None:
            group = next(g for g in (1, 2, 3) if default[g] is not None)
            value = usage.cut(match.start(3) + default.start(group), match.start(3) + default.end(group))
        words = said.split()
        operand = next((w for w in words if w[0] in "<["), "")
        several = "…" in said or "..." in said or "var=#true" in more or "var=true" in more
        if kind == "arg":
            name = words[0].strip("<>[]….").replace("-", "_")
            found.append(Argument(name, (), True, several, value))
            continue
        spelled = tuple(w.rstrip(":") for w in words if w.startswith("-"))
        long = next((s for s in spelled if s.startswith("--")), spelled[0] if spelled else "")
        name = long.strip("-").rstrip("….").replace("-", "_")
        found.append(Argument(name, tuple(s.rstrip("….") for s in spelled), bool(operand), several, value))
    return found


def in_text(text: Traced) -> list[Argument]:
    """The arguments that a task's text asks for by functions."""
    found: dict[str, Argument] = {}
    for match in FUNCTION.finditer(text.text):
        given: dict[str, Traced] = {}
        for one in _GIVEN.finditer(text.text, match.start(2), match.end(2)):
            group = next(g for g in (2, 3, 4) if one[g] is not None)
            given[one[1]] = text.cut(*one.span(group))
        name = given.get("name", Traced()).text
        short = given.get("short", Traced()).text
        options = () if match[1] == "arg" else tuple(o for o in (f"--{name}", f"-{short}" if short else "") if o)
        several = given.get("var", Traced()).text == "true"
        default = given.get("default", literal("false") if match[1] == "flag" else None)
        found.setdefault(name, Argument(name, options, match[1] != "flag", several, default))
    return list(found.values())


def values(arguments: Sequence[Argument], words: Sequence[Traced] | None) -> dict[str, Traced]:
    """What the arguments are. ``words``: None where nobody knows the call: defaults count, others are holes."""
    if words is None:
        return {
            a.name: a.default.overridable() if a.default is not None else _unknown(a) for a in arguments if _known(a)
        }
    options = {option: a for a in arguments for option in a.options}
    waiting = [a for a in arguments if not a.options]
    found: dict[str, list[Traced]] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.text.partition("=")
        argument = options.get(name)
        if argument is not None and not argument.valued:
            found[argument.name] = [literal("true")]
        elif argument is not None:
            value = word.cut(len(name) + 1, len(word)) if equals else rest.pop(0) if rest else Traced()
            found[argument.name] = [*(found.get(argument.name, []) if argument.several else []), value]
        elif word.text == "--":
            continue
        elif waiting:
            found.setdefault(waiting[0].name, []).append(word)
            if not waiting[0].several:
                waiting.pop(0)
    given = {
        name: join([p for i, v in enumerate(vs) for p in ((literal(" "), v) if i else (v,))])
        for name, vs in found.items()
    }
    return {**{a.name: a.default for a in arguments if a.default is not None}, **given}


def _known(argument: Argument) -> bool:
    """An option that nobody gives is not set; an operand is."""
    return argument.default is not None or not argument.options


def _unknown(argument: Argument) -> Traced:
    return hole(Hole(f"{{{{usage.{argument.name}}}}}", "the caller gives it", name=f"usage_{argument.name}"))


def as_variables(found: Mapping[str, Traced]) -> dict[str, Traced]:
    return {f"usage_{name}": value for name, value in found.items()}
