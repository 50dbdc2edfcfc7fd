"""YAML with places: every scalar says what PyYAML says, every piece is where it says it is."""

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table
from flagguard.hosts.yaml_text import encode, read, read_json
from flagguard.text import SourceText, Span, Traced


def plain(node: Node | None) -> Any:
    if isinstance(node, Table):
        return {e.name: plain(e.value) for e in node.entries}
    if isinstance(node, Items):
        return [plain(n) for n in node.items]
    if isinstance(node, Scalar):
        return node.text.text if node.kind is Kind.STRING else node.value
    return None


def tree(text: str) -> Any:
    document = read(SourceText("x.yml", text))
    assert document.problems == ()
    return document.root


class Loader(yaml.SafeLoader):
    """PyYAML with strings only: the schemas of YAML 1.1 and 1.2 differ, and are not what is compared."""


Loader.yaml_implicit_resolvers = {}


def theirs(text: str) -> Any:
    return yaml.load(text, Loader)


def strings(node: Node | None) -> Any:
    if isinstance(node, Table):
        return {e.name: strings(e.value) for e in node.entries}
    if isinstance(node, Items):
        return [strings(n) for n in node.items]
    return node.text.text if isinstance(node, Scalar) else None


def check_pieces(traced: Traced, text: str) -> None:
    last = 0
    for piece in traced.pieces:
        (span,) = piece.route
        assert last <= span.start < span.end <= len(text)
        last = span.end
        if piece.verbatim:
            assert text[span.start : span.end] == piece.text


SCALARS = [
    "k: plain words # c\n",
    "k: one\n  two\n\n  three # c\n",
    "k:\n  on the next line\n",
    "k: it's #no\n",
    "k: 'it''s'\n",
    "k: 'a\n  b\n\n\n  c '\n",
    'k: "a\\n\\"\\x41\\u00e9\\U0001F600\\\\ \\/"\n',
    'k: "a \\\n    b\n    c\n\n    d"\n',
    'k: " a\n  b "\n',
    "k: |\n  a\n   b\n\n  c\n",
    "k: |-\n  a\n  b\n\n",
    "k: |+\n  a\n\n\n",
    "k: |\n\n\n  a\n",
    "k: |2\n    a\n   b\n",
    "k: |2-\n    a\n   b\n",
    "k: |-2\n    a\n   b\n",
    "k: | # c\n  a # not a comment\n # c\nl: x\n",
    "k: |\nl: x\n",
    "k: >\n  a\n  b\n\n  c\n    d\n  e\n",
    "k: >-\n  a\n  b\n\n\n  c\n",
    "k: >+\n  a\n\n\n",
    "k: >\n\n  a\n   b\n\n   c\n\n  d\n",
    "k: >\n  a\n  \tb\n  c\n",
    "- |\n a\n- >\n b\n c\n",
    "k:\n- |\n  a\n- run: |\n    b\n   # c\n",
    "k: |\r\n  a\r\n  b\r\n\r\nl: x\r\n",
    "k: >\r\n  a\r\n  b\r\n",
    "k: 'a\r\n  b'\r\n",
    "k: |\n  a",
    "k: >-\n  a\n  b",
    "|\n a\n b\n",
    "ü: |\n  é\n  ü\n",
    "k: |\n  a\n   \n  b\n",
    "k: |\n  a\n \n",
]


@pytest.mark.parametrize("text", SCALARS)
def test_a_scalar_says_what_pyyaml_says(text: str) -> None:
    assert strings(tree(text)) == theirs(text)
    stack: list[Node] = [tree(text)]
    while stack:
        node = stack.pop()
        if isinstance(node, Scalar):
            check_pieces(node.text, text)
        else:
            stack += node.items if isinstance(node, Items) else [e.value for e in node.entries]


_WORDS = st.lists(
    st.sampled_from(["a", "b c", " ", "  ", "\n", "\n  ", "\n    ", "\n\n", "#", " #", "é", "\\", "'", ":", "-", "\t"]),
    max_size=10,
).map("".join)


@given(
    st.sampled_from(["|", ">", "|-", ">-", "|+", ">+", "|2", ">1-", "|1+"]),
    _WORDS,
    st.sampled_from(["k: ", "- ", "x:\n  k: ", "- k: ", ""]),
    st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=500, deadline=None)
def test_a_block_scalar_says_what_pyyaml_says(head: str, body: str, before: str, end: str) -> None:
    pad = "     " if before else " "
    text = f"{before}{head}\n{pad}" + body.replace("\n", f"\n{pad}") + "\n"
    text = text.replace("\n", end)
    agree(text)


@given(st.sampled_from(["", "'", '"']), _WORDS, st.sampled_from(["k: ", "- ", "k: [", "- k: "]))
@settings(max_examples=500, deadline=None)
def test_a_flow_scalar_says_what_pyyaml_says(quote: str, body: str, before: str) -> None:
    agree(f"{before}{quote}" + body.replace("\n", "\n      ") + quote + ("]" if "[" in before else "") + "\n")


def agree(text: str) -> None:
    """The same tree as PyYAML's, or at least one of the two refuses the file."""
    document = read(SourceText("x.yml", text))
    try:
        expected = theirs(text)
    except yaml.YAMLError:
        return
    if document.problems or expected is None:
        return
    mine = strings(document.root)
    assert (mine if mine is not None else "") == expected or (isinstance(expected, dict) and None in expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 1.5\nc: true\nd: null\ne:\nf: ~\ng: 0x10\nh: on\ni: 'true'\nj: 012\nk: !!str 12\n",
         {"a": 1, "b": 1.5, "c": True, "d": None, "e": None, "f": None, "g": 16, "h": "on", "i": "true", "j": 12,
          "k": "12"}),
        ("a: &x {k: v}\nb: *x\nc: [*x, 1]\n", {"a": {"k": "v"}, "b": {"k": "v"}, "c": [{"k": "v"}, 1]}),
        ("a: &x {k: v, l: w}\nb:\n  <<: *x\n  k: own\n", {"a": {"k": "v", "l": "w"}, "b": {"k": "own", "l": "w"}}),
        ("a: &x {k: 1}\nb: &y {k: 2, l: 3}\nc:\n  <<: [*x, *y]\n",
         {"a": {"k": 1}, "b": {"k": 2, "l": 3}, "c": {"k": 1, "l": 3}}),
        ("? a\n: b\n? c\n", {"a": "b", "c": None}),
        ("{a: 1, b, 'c': [x: y, z]}\n", {"a": 1, "b": None, "c": [{"x": "y"}, "z"]}),
        ("- \n- a\n-\n  - b\n", [None, "a", ["b"]]),
        ("on: { push: { tags: ['v*'] } }\n", {"on": {"push": {"tags": ["v*"]}}}),
        ("---\na: 1\n...\n", {"a": 1}),
        ("# only a comment\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_tree_follows_the_core_schema(text: str, expected: Any) -> None:
    assert plain(tree(text)) == expected


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "“a” is already defined in line 1"),
        ("a:\n  b: 1\n\tc: 2\n", 3, "a tab indents the line"),
        ("a: 1\n---\nb: 2\n", 2, "a second document"),
        ("a: [1, 2\nb: 3\n", 1, "not YAML"),
        ("a: 1\nb: *x\n", 2, "the alias *x has no anchor"),
        ('a: "\\q"\n', 1, "not YAML"),
        ("a: 'x\udcff'\n", 1, "not UTF-8"),
        ("a: b\n  c: d\n", 2, "not YAML"),
        ("<<: 3\n", 1, "<< takes a mapping"),
    ],
)
def test_what_is_wrong_is_a_problem_with_its_line(text: str, line: int, message: str) -> None:
    problems = read(SourceText("x.yml", text)).problems
    assert [(p.line, message in p.message) for p in problems] == [(line, True)]


def test_json_is_read_with_places() -> None:
    text = '{\n\t"a": ["x\\ty", "\\ud83d\\ude00", 1, true, null]\n}\n'
    document = read_json(SourceText("x.json", text))
    assert plain(document.root) == {"a": ["x\ty", "😀", 1, True, None]}
    (problem,) = read_json(SourceText("x.json", '{"a": 1,\n}')).problems
    assert problem.line in (1, 2)


@pytest.mark.parametrize(
    ("text", "new", "written"),
    [
        ("k: a OLD b\n", "x", "x"),
        ("k: a OLD b\n", "x: y", None),
        ("k: a OLD b\n", "x #", None),
        ("k: [a OLD]\n", "x,y", None),
        ("k: 'a OLD'\n", "it's", "it''s"),
        ('k: "a OLD"\n', 'a"\\\n', 'a\\"\\\\\\n'),
        ("k: |\n  a OLD\n  b\n", "x\ny", "x\n  y"),
        ("k: >\n  a OLD\n  b\n", "x\ny", None),
        ("# OLD\nk: v\n", "x", None),
    ],
)
def test_what_is_written_into_a_scalar_is_read_back(text: str, new: str, written: str | None) -> None:
    at = text.index("OLD")
    assert encode(SourceText("x.yml", text), Span("x.yml", at, at + 3), new) == written
    if written is not None:
        before, after = theirs(text)["k"], theirs(text[:at] + written + text[at + 3 :])["k"]
        assert after == before.replace("OLD", new)
