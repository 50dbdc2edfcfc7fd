"""The grammar: what each construct becomes, and where reading stops."""

import pytest
from running import lines, run

from flagguard.shell.parser import parse
from flagguard.shell.syntax import AndOr, Case, CFor, Cond, For, Function, Group, If, Loop, Pipeline, Redirected, Simple
from flagguard.text import SourceText


def _read(text: str, bash: bool = True) -> list[type]:
    parsed = parse(SourceText("x", text).traced(), bash)
    assert parsed.error is None, parsed.error
    return [type(item.node) for item in parsed.body.items]


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("a; b & c", [Simple, Simple, Simple]),
        ("a && b ||\n c", [AndOr]),
        ("! a | b", [Pipeline]),
        ("{ a; } > f", [Redirected]),
        ("{ a\n}", [Group]),
        ("if a; then b; elif c; then d; else e; fi", [If]),
        ("case x in a|b) c;; (d) e;& *) ;; esac", [Case]),
        ("for i in a b; do c; done", [For]),
        ("for i\ndo c; done", [For]),
        ("while a; do b; done; until a; do b; done", [Loop, Loop]),
        ("f() { a; }\nf", [Function, Simple]),
        ("f() (a)", [Function]),
        ("echo if then fi", [Simple]),
    ],
)
def test_both_dialects_read(text: str, nodes: list[type]) -> None:
    assert _read(text) == _read(text, bash=False) == nodes


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("for ((i=0; i<3; i++)); do a; done", [CFor]),
        ("[[ a == b && ( c || ! -f d ) ]]", [Cond]),
        ("select i in a; do b; done", [For]),
        ("function f { a; }", [Function]),
        ("time a", [Simple]),
    ],
)
def test_bash_alone_reads(text: str, nodes: list[type]) -> None:
    assert _read(text) == nodes


@pytest.mark.parametrize(
    ("text", "message", "before"),
    [
        ("a\nb )\nc", "unexpected ')'", 1),
        ("a\nif b; then\nc", "'fi' is missing", 1),
        ("a &&", "a command is missing after &&", 0),
        ("a; }\n", "'}' is not expected here", 0),
        ("a\nfor ((x)); do b; done", "for (( needs two semicolons", 1),
        ("a >\n", "a word is missing after >", 0),
    ],
)
def test_what_stands_before_an_error_is_read(text: str, message: str, before: int) -> None:
    parsed = parse(SourceText("x", text).traced())
    assert parsed.error is not None
    assert (parsed.error.message, len(parsed.body.items)) == (message, before)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cat <<E\n$(c a)\nE\nc b", ["c a", "cat", "c b"]),
        ("cat <<'E'\n$(c a)\nE\nc b", ["cat", "c b"]),
        ("cat <<-E\n\tc a\n\tE\nc b", ["cat", "c b"]),
        ("cat <<E\nc a\nE \nE\nc b", ["cat", "c b"]),
        ("cat <<A; cat <<B\nc 1\nA\nc 2\nB\nc b", ["cat", "cat", "c b"]),
        ("cat <<E\nc a", ["cat"]),
    ],
)
def test_here_documents_are_no_commands(text: str, shown: list[str]) -> None:
    assert lines(text) == shown


def test_operator_may_be_split_by_a_continuation() -> None:
    assert lines("c a &\\\n& c b") == ["c a", "c b"]


def test_every_simple_command_is_listed() -> None:
    text = "c $(d); f() { e; }; if g; then h; fi; exit; i"
    evaluation = run(text)
    texts = sorted(text[s.start : s.end] for s in evaluation.parsed)
    assert texts == ["c $(d)", "d", "e", "exit", "g", "h", "i"]
    assert sorted(text[s.start : s.end] for s in evaluation.unreached) == ["i"]
