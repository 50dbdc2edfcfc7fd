"""tox's conditions: those of `replace = "if"`, and the markers behind the values of `set_env`.

Follows https://tox.wiki/en/latest/reference/config.html ("Conditional value reference", "set_env") and PEP 508. A
condition is Python's syntax, which is parsed and never run.
"""

import ast

from flagguard.hosts.tox_ini import stripped
from flagguard.hosts.tox_source import World
from flagguard.patterns import expression
from flagguard.text import Traced, join

_MARKER = expression(
    r"\s*(sys_platform|platform_system|platform_machine|os_name)\s*(==|!=|in|not\s+in)\s*(['\"])(.*?)\3\s*"
)


class Conditions:
    """Of one environment in one world."""

    def __init__(self, name: str, factors: frozenset[str], world: World) -> None:
        self._name, self._factors, self._world = name, factors, world

    def holds(self, condition: str) -> bool | None:
        """Whether it does; None where tox would refuse it."""
        try:
            return bool(self._value(ast.parse(condition.strip(), mode="eval").body))
        except (SyntaxError, ValueError, RecursionError):
            return None

    def _value(self, node: ast.expr) -> "str | bool":
        if isinstance(node, ast.BoolOp):
            values = (bool(self._value(v)) for v in node.values)
            return all(values) if isinstance(node.op, ast.And) else any(values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self._value(node.operand)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.Name) and node.id == "env_name":
            return self._name
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            sides = (node.left, node.comparators[0])
            if any(self._open(side) for side in sides):
                return self._world.holds(ast.unparse(node))
            return (self._value(sides[0]) == self._value(sides[1])) is isinstance(node.ops[0], ast.Eq)
        space, key = _looked_up(node)
        if space == "factor":
            return key in self._factors
        if space == "env":
            if self._open(node):
                return self._world.holds(ast.unparse(node))
            known = self._world.env.get(key)
            return known.text if known is not None else self._world.assume[key]
        raise ValueError(ast.unparse(node))

    def _open(self, node: ast.expr) -> bool:
        """Whether it asks for a variable of which nobody knows anything."""
        space, key = _looked_up(node)
        if space != "env":
            return False
        return key not in self._world.assume and (key not in self._world.env or not self._world.env[key].known)


def _looked_up(node: ast.expr) -> tuple[str, str]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id, node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
        return node.value.id, str(node.slice.value)
    return "", ""


def marked(value: Traced) -> tuple[Traced, str]:
    """A value of `set_env`, and the condition behind its semicolon."""
    raw = value.text
    for respecting in (True, False):
        quote = ""
        for i, char in enumerate(raw):
            free = i == 0 or raw[i - 1] != "\\"
            if respecting and char in "'\"" and free:
                quote = "" if char == quote else quote or char
            elif char == ";" and not quote and free:
                return stripped(value.cut(0, i)), raw[i + 1 :].strip()
        if not quote:
            break
    if "\\;" not in raw:
        return value, ""
    parts, at = [], 0
    while (found := raw.find("\\;", at)) >= 0:
        parts.append(value.cut(at, found))
        at = found + 1
    return join([*parts, value.cut(at, len(raw))]), ""


def fits(marker: str, world: World) -> bool | None:
    """Whether a condition holds on the platform; None where that is not known."""
    found = _MARKER.fullmatch(marker)
    if found is None:
        return None
    machine = world.platform.partition("-")[2]
    known = {
        "sys_platform": world.system,
        "platform_system": {"darwin": "Darwin", "win32": "Windows"}.get(world.system, world.system.capitalize()),
        "platform_machine": "AMD64" if world.windows and machine == "x86_64" else machine,
        "os_name": "nt" if world.windows else "posix",
    }[found[1]]
    if found[2] in ("==", "!="):
        return (known == found[4]) is (found[2] == "==")
    return (known in found[4]) is (found[2] == "in")
