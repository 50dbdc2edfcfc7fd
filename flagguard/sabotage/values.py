"""Values that a constraint refuses, and whether it does: sabotage's own reading of a condition.

Written apart from the judge on purpose: what proves a judge must not be computed by it. Knows literal text only.
"""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from flagguard.rules import Condition, Constraint

_VERSION = re.compile(r"\d+(?:\.\d+)*")
_ITEM = re.compile(r"[\s,;]+")
_OPPOSITES = {
    "ON": "OFF",
    "OFF": "ON",
    "on": "off",
    "off": "on",
    "1": "0",
    "0": "1",
    "yes": "no",
    "no": "yes",
    "true": "false",
    "false": "true",
    "pic": "static",
    "release": "debug",
}
_LAST_RESORT = ("none", "other", "0", "wrong")


def refuses(
    constraint: Constraint, text: str, platform: str, baseline: Mapping[str, str], added: tuple[str, ...] = ()
) -> bool:
    """Whether the value ``text`` does not do; ``added``: features on top of a CPU."""
    condition, operand = constraint.condition, constraint.operand
    if not text.strip():
        return True
    if condition is Condition.VALUE:
        return not any(fnmatchcase(text, o) for o in operand)
    if condition is Condition.ONE_OF:
        return text not in operand
    if condition is Condition.NOT:
        return any(fnmatchcase(text, o) for o in operand)
    if condition is Condition.MATCHES:
        return re.search(operand[0], text) is None
    if condition is Condition.CONTAINS:
        return not set(operand) <= set(_ITEM.split(text))
    if condition is Condition.AT_MOST:
        return _above(text, operand[0], platform, baseline, added)
    return False


def _above(text: str, limit: str, platform: str, baseline: Mapping[str, str], added: tuple[str, ...]) -> bool:
    from flagguard import cpu

    if limit == "baseline":
        if platform not in baseline:
            return True
        limit = baseline[platform]
    if _VERSION.fullmatch(limit):
        if not _VERSION.fullmatch(text):
            return True
        return [int(p) for p in text.split(".")] > [int(p) for p in limit.split(".")]
    return cpu.is_host(text) or cpu.at_most(text, added, limit, platform).verdict is not cpu.Verdict.YES


def worse(
    constraint: Constraint, text: str, platform: str, baseline: Mapping[str, str], *, inside: bool = False
) -> str | None:
    """A value in place of ``text`` that the constraint refuses; None where it takes any.

    ``inside``: it is a part of a longer value, and keeps its form.
    """
    if constraint.condition is Condition.PRESENT:
        return None
    tried = (v for v in _candidates(constraint, text) if not inside or _form(v) == _form(text))
    return next((v for v in tried if refuses(constraint, v, platform, baseline)), None)


def _form(text: str) -> bool:
    return _VERSION.fullmatch(text) is not None


def _candidates(constraint: Constraint, text: str) -> Iterator[str]:
    """Values to try, without a character that a shell or a format would mind, but for those that ``text`` has."""
    if constraint.condition is not Condition.CONTAINS:
        yield "native"
    for found in re.finditer(r"[^\s,;]+", text):  # the list without one of its items
        rest = text[: found.start()].rstrip(" ,;") + text[found.end() :] if found.start() else text[found.end() :]
        if rest.strip(" ,;"):
            yield rest.lstrip(" ,;")
    if text in _OPPOSITES:
        yield _OPPOSITES[text]
    if constraint.condition is Condition.NOT:
        yield from (re.sub(r"[*?\[\]]", "", o) for o in constraint.operand)
    if _VERSION.fullmatch(text):
        yield str(int(text.split(".", maxsplit=1)[0]) + 90) + ".0"
        yield str(int(text.split(".", maxsplit=1)[0]) + 1)
    yield from _LAST_RESORT


def hitting(constraint: Constraint) -> str | None:
    """A value that a forbidden constraint speaks of; "" where any does."""
    condition, operand = constraint.condition, constraint.operand
    if condition is Condition.PRESENT:
        return ""
    tries = [re.sub(r"[*?\[\]]", "", o) or "x" for o in operand]
    if condition is Condition.MATCHES:
        tries = [re.sub(r"[\\^$()?*+|]", "", o) for o in re.split(r"\|", operand[0])] + ["native", *_LAST_RESORT]
    if condition is Condition.NOT:
        tries = ["native", *_LAST_RESORT]
    if condition is Condition.CONTAINS:
        tries = [";".join(operand)]
    return next((t for t in tries if t and not refuses(constraint, t, "", {})), None)
