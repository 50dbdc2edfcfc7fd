"""A second opinion on where the words of a command begin and end: bashlex, a port of bash's own lexer (DESIGN 4.1).

Only its spans are taken, never its values. Where it reads other words than ours, the command counts as undecided.
"""

import importlib
import importlib.util
import re
import sys
from functools import lru_cache
from types import ModuleType

from flagguard.patterns import expression

Spans = tuple[tuple[int, int], ...]

_PLAIN = expression(
    r"""(?:\\\n|[ \t]|[^\s'"\\$`|&;()<>#*?\[\]{}~!\ue000]++|'[^'\ue000]*+'"""
    r"""|"(?:[^"\\$`\ue000]|\$\{\w++\}|\$\w++)*+"|\$\w++|\$\{\w++\})*+"""
)
"""Text in which nothing but blanks can part two words: no second opinion is needed."""


@lru_cache(maxsize=4096)
def agrees(text: str, spans: Spans) -> bool:
    """Whether bashlex finds the same words; also true where it cannot read the text at all."""
    if _PLAIN.fullmatch(text) and "\r" not in text:
        return True
    # bashlex knows neither arithmetic nor `<(…)`
    if any(known in text for known in ("<<", "((", "<(", ">(")) or re.search(r"[A-Za-z_]\w*\+?=\(", text):
        return True
    found = _spans(text)
    return found is None or found == spans


def _spans(text: str) -> Spans | None:
    tokenizer = _tokenizer()
    try:
        tokens = list(tokenizer.tokenizer(text, parserstate=_state()))
    except Exception:
        # bashlex raises what it likes on text that it does not know (`$[ ]`, extended patterns): then it has no opinion
        return None
    kinds = tokenizer.tokentype
    words = (kinds.WORD, kinds.ASSIGNMENT_WORD)
    out, after_operator = [], False
    for token in tokens:
        text = str(token.value or "")
        if token.ttype in words or (after_operator and text):
            out.append((token.lexpos, token.endlexpos))
        elif text[:1].isalpha():
            return None
        after_operator = text[:1] in ("<", ">") or text == "&>"
    return tuple(out)


def _state() -> object:
    return importlib.import_module("bashlex.state").parserstate()


@lru_cache(maxsize=1)
def _tokenizer() -> ModuleType:
    """bashlex's lexer alone: the package's own import builds the tables of its grammar, for 0.2 s that nobody needs."""
    if "bashlex" not in sys.modules:
        spec = importlib.util.find_spec("bashlex")
        if spec is not None:
            sys.modules["bashlex"] = importlib.util.module_from_spec(spec)
    return importlib.import_module("bashlex.tokenizer")
