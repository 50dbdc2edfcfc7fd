"""TOML with places: the text is tomllib's, every piece is where it says it is."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flagguard.hosts.toml_text import encode, read
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.text import SourceText, Span, Traced


def plain(node: Node) -> Any:
    if isinstance(node, Table):
        return {e.name: plain(e.value) for e in node.entries}
    if isinstance(node, Items):
        return [plain(n) for n in node.items]
    return node.text.text if isinstance(node.value, str) else node.value


def tree(text: str) -> Table:
    document = read(SourceText("x.toml", text))
    assert document.problems == ()
    assert isinstance(document.root, Table)
    return document.root


def value(text: str) -> Traced:
    node = tree(text).get("k")
    assert isinstance(node, Scalar)
    return node.text


def check_pieces(traced: Traced, text: str) -> None:
    last = 0
    for piece in traced.pieces:
        (span,) = piece.route
        assert last <= span.start <= span.end <= len(text)
        last = span.end
        if piece.verbatim:
            assert text[span.start : span.end] == piece.text
        else:
            assert len(piece.text) == 1
            assert text[span.start] == "\\"


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ('k = "plain"', [("plain", "plain")]),
        ("k = 'it \\n'", [("it \\n", "it \\n")]),
        ('k = "a\\tb"', [("a", "a"), ("\t", "\\t"), ("b", "b")]),
        ('k = "\\u00e9\\U0001F600"', [("é", "\\u00e9"), ("😀", "\\U0001F600")]),
        ('k = """\nv2\\\n  -I a"""', [("v2", "v2"), ("-I a", "-I a")]),
        ('k = """\na \\\\\n  b"""', [("a ", "a "), ("\\", "\\\\"), ("\n  b", "\n  b")]),
        ("k = '''\nv2\\\n  -I a'''", [("v2\\\n  -I a", "v2\\\n  -I a")]),
        ('k = """\r\na\r\nb"""', [("a", "a"), ("\nb", "\nb")]),
        ("k = '''a\r\nb'''", [("a", "a"), ("\nb", "\nb")]),
        ('k = """a\\  \r\n \r\n  b"""', [("a", "a"), ("b", "b")]),
        ('k = """a"" """"', [('a"" "', 'a"" "')]),
        ('# é\nk = "ü\\"x"', [("ü", "ü"), ('"', '\\"'), ("x", "x")]),
        ('k = ""', []),
    ],
)
def test_each_piece_of_a_string_knows_its_source(text: str, pieces: list[tuple[str, str]]) -> None:
    traced = value(text)
    assert [(p.text, text[p.route[0].start : p.route[0].end]) for p in traced.pieces] == pieces
    check_pieces(traced, text)


_PARTS = [*"ab \t\n'\"\\$#=[]{}é😀", "\r\n", "\\n", "\\\\", '\\"', "\\u00e9", "\\\n  ", "\\ \r\n"]
_BODY = st.lists(st.sampled_from(_PARTS), max_size=12).map("".join)
_BEFORE = st.sampled_from(["", "\ufeff", "# ü\n", "[t]\nu = 'é'\n[s]\n"])


@given(st.sampled_from(['"', "'", '"""', "'''"]), _BODY, _BEFORE)
@settings(max_examples=400, deadline=None)
def test_the_text_is_always_what_tomllib_says(quotes: str, body: str, before: str) -> None:
    text = f"{before}k = {quotes}{body}{quotes} # end\n"
    document = read(SourceText("x.toml", text))
    try:
        values = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        assert document.root is None
        assert len(document.problems) == 1
        return
    assert document.root is not None
    assert plain(document.root) == values
    table: Any = document.root
    node = table.get("k") or table.get("s").get("k")
    check_pieces(node.text, text)


@pytest.mark.parametrize(
    "text",
    [
        'a.b."c d" = 1\na.b.e = "x"\n[x.y]\nz = true\n[[t]]\nq = 1\n[[t]]\nq = [1, 2.5, ["a"]]\n',
        '[t.u]\nv = {w.x = "y", z = {}}\n',
        "[a]\r\nk = 'v' # c\r\n\r\n[b.c]\r\nl = [ # c\r\n 'x', # d\r\n 'y',\r\n]\r\n",
        "d = 2020-01-01\nn = 0x1f\ni = inf\n",
        "[b.c.d]\nk = 1\n[b]\nx = 1\n[b.c]\nl = 2\n",
        '"" = 1\n\'a.b\' = 2\n"\\u00e9" = 3\n',
    ],
)
def test_the_tree_is_what_tomllib_says(text: str) -> None:
    expected = tomllib.loads(text)
    if "d" in expected:
        expected["d"] = None
    assert plain(tree(text)) == expected


def test_every_element_and_key_has_its_place() -> None:
    text = "k = [\n  'one', # c\n  {a = 'two'},\n]\n[t.u]\nv = 1\n"
    source = SourceText("x.toml", text)
    root = tree(text)
    items = root.get("k")
    assert isinstance(items, Items)
    one, table = items.items
    assert isinstance(table, Table)
    assert [source.position(n.span.start)[0] for n in (one, table)] == [2, 3]
    inner = root.get("t")
    assert isinstance(inner, Table)
    assert source.position(inner.by_name["u"].key.start) == (5, 4)


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("a = 1\nb = = 2\n", 2, "b"),
        ("a = 1\na = 2\n", 2, "a"),
        ('a = """\nx\n', 2, None),
        ("[t]\n[t]\n", 2, "t"),
        ("a = [1,\n", 1, "a"),
        ("a = 'x\udcff'\n", 1, None),
        ("a = " + "[" * 5000, 1, None),
    ],
)
def test_broken_toml_is_one_problem_with_its_line(text: str, line: int, key: str | None) -> None:
    document = read(SourceText("x.toml", text))
    assert document.root is None
    (problem,) = document.problems
    assert problem.line == line
    if key is not None:
        assert problem.key == key


@given(
    st.sampled_from(['"', "'", '"""', "'''"]),
    st.sampled_from(["", "x", '"', "'", "\\\\"]),
    st.text(st.sampled_from(list("ab \n\r\t'\"\\\x01é")), max_size=8),
    st.sampled_from(["", "y", "z'", 'w"']),
)
@settings(max_examples=300, deadline=None)
def test_what_is_written_into_a_string_is_read_back(quotes: str, left: str, new: str, right: str) -> None:
    text = f"k = {quotes}{left}OLD{right}{quotes}\n"
    try:
        before = tomllib.loads(text)["k"]
    except tomllib.TOMLDecodeError:
        return
    at = text.index("OLD")
    written = encode(SourceText("x.toml", text), Span("x.toml", at, at + 3), new)
    if written is None:
        assert quotes[0] == "'"
        return
    assert tomllib.loads(text[:at] + written + text[at + 3 :])["k"] == before.replace("OLD", new)


def test_outside_a_string_nothing_can_be_written() -> None:
    source = SourceText("x.toml", "key = 'v' # c\n")
    assert encode(source, Span("x.toml", 0, 3), "x") is None
    assert encode(source, Span("x.toml", 6, 9), "x") is None
    assert encode(source, Span("x.toml", 7, 8), "x") == "x"
