"""What is written into a file is read back from it."""

import json
import tomllib

import pytest

from flagguard.hosts.writing import encode
from flagguard.text import SourceText, Span


def write(path: str, text: str, new: str) -> str | None:
    at = text.index("OLD")
    return encode(SourceText(path, text), Span(path, at, at + 3), new)


@pytest.mark.parametrize(
    ("path", "text", "new", "written"),
    [
        ("pyproject.toml", 'k = "OLD"', 'a "b" \\', 'a \\"b\\" \\\\'),
        ("pyproject.toml", "k = 'OLD'", "it's", None),
        ("x.yml", "k: 'OLD'", "it's", "it''s"),
        ("x.yaml", "k: OLD x", "a #", None),
        ("x.json", '{\n\t"k": "OLD"\n}', 'a "b"\n\t\x01', 'a \\"b\\"\\n\\t\\u0001'),
        ("x.sh", "OLD", 'a "b" \\\n', 'a "b" \\\n'),
        ("Makefile", "a:\n\tOLD", "x", "x"),
    ],
)
def test_each_format_has_its_own_escapes(path: str, text: str, new: str, written: str | None) -> None:
    assert write(path, text, new) == written


def test_json_and_toml_say_what_was_meant() -> None:
    new = 'a "b"\n\t\x01 \\ é'
    text = '{\n\t"k": "OLD"\n}'
    assert json.loads(text.replace("OLD", write("x.json", text, new) or ""))["k"] == new
    text = 'k = "OLD"'
    assert tomllib.loads(text.replace("OLD", write("x.toml", text, new) or ""))["k"] == new
