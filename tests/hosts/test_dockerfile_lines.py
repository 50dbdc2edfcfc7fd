"""The lines of Dockerfiles: what the builder (buildkit) makes of them, and where everything stands."""

import pytest

from flagguard.hosts.dockerfile_lines import LineError, Lines, items, json_words, pairs, read_lines, words
from flagguard.text import SourceText, literal


def lines(text: str) -> Lines:
    return read_lines(SourceText("Dockerfile", text))


def shown(text: str) -> list[tuple[str, list[str], str]]:
    return [(i.keyword, [f.text for f in i.flags], i.rest.text) for i in lines(text).instructions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RUN a b", [("RUN", [], "a b")]),
        ("run a", [("RUN", [], "a")]),
        ("  RUN\t a  \n", [("RUN", [], "a")]),
        ("\ufeffRUN a", [("RUN", [], "a")]),
        ("RUN a\r\nRUN b\r\n", [("RUN", [], "a"), ("RUN", [], "b")]),
        ("RUN a \\\n  b", [("RUN", [], "a   b")]),
        ("RUN a \\\r\n  b\r\n", [("RUN", [], "a   b")]),
        ("RUN a \\  \n b", [("RUN", [], "a  b")]),
        ("RUN a\\\nb", [("RUN", [], "ab")]),
        ("RUN a \\\n# comment\n b", [("RUN", [], "a  b")]),
        ("RUN a \\\n  # comment \\\n b", [("RUN", [], "a  b")]),
        ("RUN a \\\n\n\n b", [("RUN", [], "a  b")]),
        ("RUN a \\\n", [("RUN", [], "a")]),
        ("RUN a \\", [("RUN", [], "a")]),
        ("RUN a \\\n# only", [("RUN", [], "a")]),
        ("RUN a \\\\\nRUN b", [("RUN", [], "a \\\\"), ("RUN", [], "b")]),
        ("RUN a # no comment", [("RUN", [], "a # no comment")]),
        ("# comment\nRUN a", [("RUN", [], "a")]),
        ("   # comment\n\nRUN a", [("RUN", [], "a")]),
        ("RUN \\\n a", [("RUN", [], "a")]),
        ("\\\nRUN a", [("RUN", [], "a")]),
        ("# escape=`\nRUN a `\n b", [("RUN", [], "a  b")]),
        ("# escape=`\nRUN a \\\nRUN b", [("RUN", [], "a \\"), ("RUN", [], "b")]),
        ("#ESCAPE = `\nRUN a `\n b", [("RUN", [], "a  b")]),
        ("# syntax=docker/dockerfile:1\n# escape=`\nRUN a `\n b", [("RUN", [], "a  b")]),
        ("# a comment first\n# escape=`\nRUN a `\nUSER b", [("RUN", [], "a `"), ("USER", [], "b")]),
        ("# unknown=x\n# escape=`\nRUN a `\nUSER b", [("RUN", [], "a `"), ("USER", [], "b")]),
        ("\n# escape=`\nRUN a `\nUSER b", [("RUN", [], "a `"), ("USER", [], "b")]),
        ("# check=skip=all\nRUN a", [("RUN", [], "a")]),
        ("RUN --mount=type=ssh --network=none a --b", [("RUN", ["--mount=type=ssh", "--network=none"], "a --b")]),
        ('RUN --mount="type=cache,target=/x y" a', [("RUN", ["--mount=type=cache,target=/x y"], "a")]),
        ("RUN --mount=a\\ b c", [("RUN", ["--mount=a b"], "c")]),
        ("RUN -- --a b", [("RUN", [], "--a b")]),
        ("RUN - a", [("RUN", [], "- a")]),
        ("RUN --security=insecure \\\n  a", [("RUN", ["--security=insecure"], "a")]),
        ("FROM --platform=linux/arm64 x AS y", [("FROM", ["--platform=linux/arm64"], "x AS y")]),
        ("CMD", [("CMD", [], "")]),
    ],
)  # fmt: skip
def test_lines_are_joined_as_the_builder_joins_them(text: str, expected: object) -> None:
    found = lines(text)
    assert shown(text) == expected
    assert found.problems == ()


@pytest.mark.parametrize(
    ("text", "docs"),
    [
        ("RUN <<EOF\na\nb\nEOF\nRUN c", [("EOF", "a\nb\n", True)]),
        ("RUN <<'EOF'\n$a\nEOF\n", [("EOF", "$a\n", False)]),
        ('RUN <<"E O"\n$a\nE O\n', [("E O", "$a\n", False)]),
        ("RUN <<-EOF\n\ta\n\t\tb\n\tEOF\n", [("EOF", "a\nb\n", True)]),
        ("RUN <<EOF\n\ta\nEOF\n", [("EOF", "\ta\n", True)]),
        ("RUN cat <<A <<B\n1\nA\n2\nB\n", [("A", "1\n", True), ("B", "2\n", True)]),
        ("RUN 3<<EOF a\nx\nEOF\n", [("EOF", "x\n", True)]),
        ("COPY <<a.txt <<b.txt /d/\n1\na.txt\n2\nb.txt\n", [("a.txt", "1\n", True), ("b.txt", "2\n", True)]),
        ("RUN <<EOF\nRUN x\n# y\nEOF\n", [("EOF", "RUN x\n# y\n", True)]),
        ("RUN <<EOF\r\na\r\nEOF\r\n", [("EOF", "a\r\n", True)]),
        ("RUN echo $((1<<2))", []),
        ("RUN cat <<<word", []),
        ('RUN ["cat", "<<EOF"]', []),
        ("ENV A=<<EOF", []),
        ("RUN echo '<<EOF'", []),
        ("RUN <<EOF\nEOF\n", [("EOF", "", True)]),
        ("ONBUILD RUN <<EOF\na\nEOF\n", [("EOF", "a\n", True)]),
    ],
)
def test_here_documents_are_read_to_their_end(text: str, docs: object) -> None:
    instruction = lines(text).instructions[0]
    bearer = instruction.inner or instruction
    assert [(d.name, d.content.text, d.expands) for d in bearer.heredocs] == docs


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("FROM a\nRUNN x\nRUN y", 2, "RUNN is no instruction"),
        ("FROM a\nRUN <<EOF\nx\n", 2, "EOF has no end"),
        ("ONBUILD ONBUILD RUN x", 1, "ONBUILD"),
        ("ONBUILD FROM x", 1, "FROM cannot stand behind ONBUILD"),
        ("# escape=x\nFROM a", 1, "escape"),
        ("# escape=`\n# escape=`\nFROM a", 2, "twice"),
        ("# nothing\n", 1, "no instructions"),
        ("", 1, "no instructions"),
    ],
)
def test_what_the_builder_refuses_is_told_once(text: str, line: int, said: str) -> None:
    (problem,) = lines(text).problems
    assert (problem.line, problem.fatal) == (line, True)
    assert said in problem.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=b", [("A", "b")]),
        ("A=b C=d", [("A", "b"), ("C", "d")]),
        ("A=\"b c\" D='e f'", [("A", '"b c"'), ("D", "'e f'")]),
        ("A=b\\ c", [("A", "b\\ c")]),
        ('A="b \\" c" D=1', [("A", '"b \\" c"'), ("D", "1")]),
        ("A b c=d", [("A", "b c=d")]),
        ("A   b  c", [("A", "b  c")]),
        ("A=", [("A", "")]),
        ('A=b"c d"e', [("A", 'b"c d"e')]),
        ("A=b=c", [("A", "b=c")]),
    ],
)
def test_both_forms_of_env(text: str, expected: object) -> None:
    assert [(n.text, v.text) for n, v in pairs(literal(text), "\\")] == expected


@pytest.mark.parametrize("text", ["A", "A=b C", "=b"])
def test_an_env_that_is_none(text: str) -> None:
    with pytest.raises(LineError):
        pairs(literal(text), "\\")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('["a", "b c"]', ["a", "b c"]),
        ('[ "a" ,"b" ]', ["a", "b"]),
        ('["a\\tb", "\\u00e9", "\\ud83d\\ude00", "c:\\\\d"]', ["a\tb", "é", "😀", "c:\\d"]),
        ("[]", []),
        ('["a",]', None),
        ("['a']", None),
        ('["a"] && b', None),
        ('["a"', None),
        ("[ -f x ]", None),
        ("a", None),
    ],
)
def test_a_list_in_json_or_a_line_for_the_shell(text: str, expected: object) -> None:
    found = json_words(literal(text))
    assert (None if found is None else [w.text for w in found]) == expected


@pytest.mark.parametrize("text", ["[1]", '["a", ["b"]]', "[null]", '[{"a": 1}]'])
def test_a_list_that_holds_something_else_is_refused(text: str) -> None:
    with pytest.raises(LineError):
        json_words(literal(text))


def test_words_of_arg_and_words_of_copy() -> None:
    assert [w.text for w in words(literal("A B=c D='e f'"), "\\")] == ["A", "B=c", "D='e f'"]
    assert [w.text for w in items(literal('a\t"b c"  d'))] == ["a", '"b', 'c"', "d"]


def test_every_word_knows_its_place_through_continued_lines_and_comments() -> None:
    text = "FROM a\nRUN gcc \\\n  # why\n\n  -O2 x.c\n"
    rest = lines(text).instructions[1].rest
    at = rest.text.index("-O2")
    (span,) = rest.cut(at, at + 3).pieces[0].route
    assert SourceText("Dockerfile", text).position(span.start) == (5, 3)


def test_a_string_of_a_list_knows_its_place_without_its_quotes() -> None:
    text = 'RUN ["gcc", "-O2"]'
    found = json_words(lines(text).instructions[0].rest)
    assert found is not None
    assert [text[w.written.start : w.written.end] for w in found if w.written] == ["gcc", "-O2"]
