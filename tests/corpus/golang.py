"""The string literals of a Go table ``var NAME = []T{ {in, want}, … }`` (The Go Programming Language Specification,
"String literals" and "Composite literals"). Knows nothing of what the strings mean."""

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<raw>`[^`]*`)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<rune>'(?:[^'\\\n]|\\.)+')
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)

_SIMPLE = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, "'": 39, '"': 34}
_ESCAPE = re.compile(rb"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))")


def unquote(literal: str) -> bytes:
    """The bytes of one string literal."""
    if literal.startswith("`"):
        return literal[1:-1].replace("\r", "").encode()

    def value(found: re.Match[bytes]) -> bytes:
        simple, byte, short, long, octal = found.groups()
        if simple:
            return bytes([_SIMPLE[simple.decode()]])
        if short or long:
            return chr(int(short or long, 16)).encode()
        return bytes([int(byte, 16) if byte else int(octal, 8)])

    return _ESCAPE.sub(value, literal[1:-1].encode())


def tokens(source: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each token."""
    for found in _TOKEN.finditer(source):
        if found.lastgroup != "blank":
            yield str(found.lastgroup), found[0]


def table(source: str, name: str) -> list[tuple[bytes, ...]]:
    """The rows of one table whose every field is a constant string; rows with anything else are left out."""
    start = re.search(rf"(?m)^var {name} = \[\]\w+\{{", source)
    if start is None:
        raise ValueError(f"no table {name}")
    rows: list[tuple[bytes, ...]] = []
    fields: list[bytes] = []
    constant, text, depth = True, b"", 0
    for kind, token in tokens(source[start.end() :]):
        if kind in ("raw", "string"):
            text += unquote(token)
        elif token == "{":
            depth += 1
            fields, constant, text = [], True, b""
        elif token == "}" and depth == 0:
            break
        elif token == "}":
            depth -= 1
            if constant and text is not None:
                rows.append((*fields, text))
        elif token == "," and depth:
            fields.append(text)
            text = b""
        elif depth and token != "+":
            constant = False
    return rows
