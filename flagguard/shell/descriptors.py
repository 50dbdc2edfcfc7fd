"""Which file descriptors are open: a redirection to one that is closed fails, and the command behind it does not run
(POSIX.1-2024 XCU 2.7.5, 2.7.6; bash manual 3.6.8).
"""

from collections.abc import Callable, Mapping
from enum import Enum

from flagguard.shell.syntax import Redirect
from flagguard.text import Decider, Hole, Shape, Traced, hole

Descriptors = Mapping[str, bool] | None
"""Those that the script has opened (true) or closed, by number; of others whoever starts it decides. None: nobody
knows of any."""

_STANDARD = frozenset({"0", "1", "2"})
_COPIES = frozenset({">&", "<&"})


class Copied(Enum):
    """What `>&N` and `<&N` come to."""

    DONE = "done"
    FAILS = "fails"
    """The command is not run."""
    ENDS = "ends"
    """So is nothing else: dash takes the word for a mistake of the script's."""


def may_choose(item: Redirect) -> bool:
    """Whether nobody may know if the redirection can be made: it names a descriptor that is none of the first three."""
    return item.op in _COPIES and item.target.literal not in (*_STANDARD, "-")


def copied(item: Redirect, target: Traced, table: Descriptors, bash: bool, is_open: Callable[[str], bool]) -> Copied:
    """Whether a redirection finds what it copies. ``is_open`` chooses where nobody can know it."""
    text = target.text
    if item.op not in _COPIES or not target.known or text == "-":
        return Copied.DONE
    source = text.removesuffix("-") if bash else text
    if not (source.isascii() and source.isdigit()) or (not bash and len(source) > 1):
        if not bash:
            return Copied.ENDS if any(not p.unset for p in target.pieces) else Copied.DONE
        return Copied.DONE if item.op == ">&" and item.fd in ("", "1") else Copied.FAILS
    if table is None or source == _number(item):
        return Copied.DONE
    known = table.get(source, True if source in _STANDARD else None)
    return Copied.DONE if (is_open(source) if known is None else known) else Copied.FAILS


def after(item: Redirect, target: Traced, table: Descriptors) -> Descriptors:
    """The descriptors with the redirection made."""
    if table is None or item.fd.startswith("{"):
        return table
    number = _number(item)
    changed: dict[str, bool] = {}
    if item.op in _COPIES and target.text == "-":
        changed[number] = False
    elif number not in _STANDARD or table.get(number) is False:
        changed[number] = True
    if item.op in _COPIES and len(target.text) > 1 and target.text.endswith("-"):
        changed[target.text[:-1]] = False
    return {**table, **changed} if changed else table


def _number(item: Redirect) -> str:
    return item.fd or ("0" if item.op.startswith("<") else "1")


def common(one: Descriptors, other: Descriptors) -> Descriptors:
    """What is known of two courses that are one."""
    if one is None or other is None or one == other:
        return one if one == other else None
    return {number: there for number, there in one.items() if other.get(number) is there}


def chosen(item: Redirect) -> Traced:
    """The value that `{NAME}>FILE` gives to the variable."""
    name = item.fd.strip("{}")
    return hole(Hole(f"${name}", "a file descriptor that the shell chooses", Decider.OUTSIDE, Shape.NUMBER, name))
