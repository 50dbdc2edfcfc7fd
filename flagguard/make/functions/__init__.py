"""make's functions: one table from the name to what it does with its unexpanded arguments.

``text`` and ``names`` are pure functions on expanded text; ``control`` needs the run. Manual: "Functions for
Transforming Text".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from flagguard.make.functions import control, names, text
from flagguard.make.functions.text import find_percent
from flagguard.make.template import Call
from flagguard.text import EMPTY, Traced, join, literal

if TYPE_CHECKING:
    from flagguard.make.expand import Expander

Function = Callable[["Expander", Call], Traced]


def _expanded(run: Expander, call: Call, number: int) -> list[Traced]:
    """The arguments, expanded; missing ones empty."""
    found = [run.expand(a) for a in call.arguments]
    return found + [EMPTY] * (number - len(found))


def _one(function: Callable[[Traced, Traced], Traced]) -> Function:
    return lambda run, call: function(call.written, _expanded(run, call, 1)[0])


def _two(function: Callable[[Traced, Traced, Traced], Traced]) -> Function:
    return lambda run, call: function(call.written, *_expanded(run, call, 2)[:2])


def _three(function: Callable[[Traced, Traced, Traced, Traced], Traced]) -> Function:
    return lambda run, call: function(call.written, *_expanded(run, call, 3)[:3])


def _names(part: Callable[[Traced], Traced | None]) -> Function:
    keep_empty = part is not names.suffix
    return lambda run, call: names.each(call.written, _expanded(run, call, 1)[0], part, keep_empty)


def _absolute(run: Expander, call: Call) -> Traced:
    return names.each(call.written, _expanded(run, call, 1)[0], lambda word: names.absolute(word, run.folder))


def substitution_reference(
    _run: Expander, written: Traced, pattern: Traced, replacement: Traced, value: Traced
) -> Traced:
    """``$(VAR:a=b)``: without a percent sign, of suffixes."""
    if find_percent(pattern.text) < 0:
        percent = literal("%")
        pattern, replacement = join((percent, pattern)), join((percent, replacement))
    return text.patsubst(written, pattern, replacement, value)


TABLE: dict[str, Function] = {
    "subst": _three(text.subst),
    "patsubst": _three(text.patsubst),
    "strip": _one(lambda _written, value: text.strip_words(value)),
    "findstring": _two(text.findstring),
    "filter": _two(lambda written, patterns, value: text.filter_words(written, patterns, value, True)),
    "filter-out": _two(lambda written, patterns, value: text.filter_words(written, patterns, value, False)),
    "sort": _one(text.sort),
    "word": _two(text.word),
    "wordlist": _three(text.word_list),
    "words": _one(text.count),
    "firstword": _one(text.first_word),
    "lastword": _one(text.last_word),
    "addprefix": _two(lambda written, affix, value: text.add_affix(written, affix, value, True)),
    "addsuffix": _two(lambda written, affix, value: text.add_affix(written, affix, value, False)),
    "join": _two(text.join_words),
    "dir": _names(names.folder_part),
    "notdir": _names(names.name_part),
    "suffix": _names(names.suffix),
    "basename": _names(names.base),
    "abspath": _absolute,
    "realpath": _absolute,
    "wildcard": lambda run, call: names.wildcard(call.written, _expanded(run, call, 1)[0], run.folder),
    "if": control.choose,
    "or": control.either,
    "and": control.both,
    "intcmp": control.intcmp,
    "foreach": control.foreach,
    "let": control.let,
    "call": control.user_call,
    "eval": control.evaluate,
    "value": control.value,
    "origin": control.origin,
    "flavor": control.flavor,
    "info": control.message,
    "warning": control.message,
    "error": control.error,
    "shell": control.shell,
    "file": control.file,
    "guile": control.guile,
}
