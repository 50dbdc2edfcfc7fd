"""Positions of keys and values in TOML."""

import tomllib

import pytest

from flagguard.text import SourceText
from flagguard.tomlpos import KeyPath, positions

TEXT = '''# é: two bytes, one character
packs = ["a", "b"]
[baseline]
linux.x = "v2"
"q \\u006b" = 1
[[rule]]
id = "x"
where = { task = ["a", 'b'], path = "p" }
require = [ { flag = ["--a",
  "--b"] }, "s", # c
]
[rule.sub]
z = 1
[[rule]]
id = """y
"""
[[rule.part]]
n = 1
[[rule.part]]
n = 2
[a.b]
c = true
'''


@pytest.mark.parametrize(
    ("path", "line", "value"),
    [
        (("packs",), 2, '["a", "b"]'),
        (("packs", 1), 2, '"b"'),
        (("baseline", "linux", "x"), 4, '"v2"'),
        (("baseline", "q k"), 5, "1"),
        (("rule", 0, "id"), 7, '"x"'),
        (("rule", 0, "where", "task", 1), 8, "'b'"),
        (("rule", 0, "where", "path"), 8, '"p"'),
        (("rule", 0, "require", 0, "flag", 1), 10, '"--b"'),
        (("rule", 0, "require", 1), 10, '"s"'),
        (("rule", 0, "sub", "z"), 13, "1"),
        (("rule", 1, "part", 1, "n"), 20, "2"),
        (("a", "b", "c"), 22, "true"),
    ],
)
def test_values(path: KeyPath, line: int, value: str) -> None:
    source = SourceText("f.toml", TEXT)
    span = positions(source).value(path)
    assert (source.position(span.start)[0], TEXT[span.start : span.end]) == (line, value)


def test_every_value_has_a_position() -> None:
    found = positions(SourceText("f.toml", TEXT)).entries

    def walk(data: object, path: KeyPath) -> None:
        assert path == () or path in found
        items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
        for key, value in items:
            walk(value, (*path, key))

    walk(tomllib.loads(TEXT), ())


def test_keys_and_what_is_not_there() -> None:
    source = SourceText("f.toml", TEXT)
    found = positions(source)
    key = found.key(("rule", 0, "where"))
    assert TEXT[key.start : key.end] == "where"
    missing = found.key(("rule", 1, "command"))
    assert source.position(missing.start)[0] == 14
    nowhere = found.key(("nothing",))
    assert (nowhere.start, nowhere.end) == (0, 0)
