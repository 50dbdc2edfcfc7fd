"""GitHub Actions' expressions against their documentation: `github_expressions.txt`.

It has one `EXPRESSION  =>  RESULT` a line. A result is JSON, `NaN`, `Infinity`, `?` (nobody can know) or `!` (GitHub
refuses it); `<>` in a text is a hole. Those of the operators come from a second reading of the runner's own rules.
"""

import json
import math
from pathlib import Path

import pytest

from flagguard.command import Variable
from flagguard.hosts.github_context import Around, Record
from flagguard.hosts.github_expressions import evaluate, holds, render
from flagguard.hosts.github_inputs import Needed
from flagguard.hosts.github_matrix import Row
from flagguard.hosts.github_syntax import only
from flagguard.hosts.github_values import Unknown, Value, constant, string
from flagguard.hosts.github_worlds import courses
from flagguard.hosts.github_written import Written
from flagguard.hosts.tree import Entry, Items, Kind, Scalar, Table
from flagguard.text import Span, literal

TABLE = [
    tuple(line.rsplit("  =>  ", 1))
    for line in Path(__file__).with_name("github_expressions.txt").read_text().splitlines()
    if "  =>  " in line and not line.startswith("# ")
]
SPAN = Span("ci.yml", 0, 0)
ROW = {
    "os": constant("ubuntu-24.04"),
    "python": Scalar(SPAN, literal("3.10"), Kind.NUMBER, 3.1),
    "nested": Table(SPAN, (Entry("flag", SPAN, constant("-g")),)),
}
PLACE = Around(
    file="ci.yml",
    events=("push",),
    variables=(Variable("LEVEL", literal("v2")), Variable("LEVEL", literal("v3"))),
    row=Row(ROW),
    platform="linux-x86_64",
    hosted=True,
    job="build",
    name="Release",
    needs={"plan": Needed({"tag": constant("v1")})},
    records=(Record("s", "", (({}, Written(outputs=(("dir", literal("out")),))),)),),
    assume={"KNOWN": "assumed"},
)
REFUSED = "an expression that is not read"


def plain(value: Value) -> object:
    if isinstance(value, Unknown):
        return "!" if value.reason == REFUSED else "?"
    if isinstance(value, Items):
        return [plain(item) for item in value.items]
    if isinstance(value, Table):
        return {e.name: plain(e.value) for e in value.entries}
    if value.kind is Kind.STRING:
        return ("text", value.text.text.replace("\ue000", "<>"))
    return value.value


def same(found: object, expected: object) -> bool:
    if isinstance(expected, str):
        return found == ("text", expected)
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, dict):
        return isinstance(found, dict) and found.keys() == expected.keys() and all(
            same(found[k], expected[k]) for k in expected)  # fmt: skip
    if isinstance(expected, float) and math.isnan(expected):
        return isinstance(found, float) and math.isnan(found)
    return type(found) in (type(expected), float, int)[: 3 if isinstance(expected, int | float) else 1] and (
        found == expected and isinstance(found, bool) == isinstance(expected, bool)
    )


def test_the_table_is_large_enough() -> None:
    assert len(TABLE) >= 400
    assert len({expression for expression, _ in TABLE}) == len(TABLE)


@pytest.mark.parametrize(("expression", "expected"), TABLE)
def test_what_an_expression_comes_to(expression: str, expected: str) -> None:
    found = plain(evaluate(literal(expression), PLACE))
    if expected in ("?", "!"):
        assert found == expected
    else:
        assert same(found, json.loads(expected)), found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ${{ env.LEVEL }} b", "a v3 b"),
        ("${{ 1.50 }}|${{ 1e15 }}|${{ 0.00001 }}|${{ 123456789012345678 }}", "1.5|1E+15|1E-05|1.23456789012346E+17"),
        ("${{ true }}${{ null }}${{ NaN }}${{ Infinity }}", "trueNaNInfinity"),
        ("${{ fromJSON('[1]') }} ${{ matrix.nested }}", "Array Object"),
        ("${{ '}}' }}${{ 'it''s' }}", "}}it's"),
        ("$${{ env.LEVEL }}$", "$v3$"),
        ("${{ github.sha }}-${{ format('{0}', github.ref) }}", "${{ github.sha }}-${{ github.ref }}"),
        ("${{ env.LEVEL", "${{ env.LEVEL"),
        ("${{ }}", "${{ }}"),
    ],
)
def test_a_text_with_expressions(text: str, expected: str) -> None:
    assert render(literal(text), PLACE).shown == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("github.sha && 'a' || 'b'", {("if: github.sha",): "a", ("if: !(github.sha)",): "b"}),
        ("github.ref == 'x' && '-g'", {("if: github.ref == 'x'",): "-g", ("if: !(github.ref == 'x')",): "false"}),
        ("secrets.T && 'a'", {("if: secrets.T",): "a", ("if: !(secrets.T)",): ""}),
        ("env.LEVEL && 'a' || github.sha", {(): "a"}),
    ],
)
def test_what_an_unknown_condition_chooses_between_is_looked_at_apart(
    text: str, expected: dict[tuple[str, ...], str]
) -> None:
    def shown(course):  # type: ignore[no-untyped-def]
        around = Around(events=("push",), variables=PLACE.variables, course=course)
        return render(literal("${{ " + text + " }}"), around).shown

    found = courses({}, shown)
    assert {tuple(c.label for c in plan.values()): said for plan, said in found} == expected


def test_a_literal_knows_where_it_stands() -> None:
    said = "x ${{ env.LEVEL && '-O2' }}"
    text = literal(said, Span("ci.yml", 100, 100 + len(said)))
    (piece,) = (p for p in render(text, PLACE).pieces if p.text == "-O2")
    at = 100 + said.index("-O2")
    assert piece.verbatim
    assert piece.route[-1] == Span("ci.yml", at, at + 3)


def test_an_item_of_a_literal_list_knows_where_it_stands() -> None:
    said = 'fromJSON(\'["v2", "v3"]\')[1]'
    found = evaluate(literal(said, Span("ci.yml", 0, len(said))), PLACE)
    assert isinstance(found, Scalar)
    assert found.text.text == "v3"
    assert found.text.pieces[0].route == (Span("ci.yml", said.index("v3"), said.index("v3") + 2),)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("always()", True),
        ("${{ always() }}", True),
        ("failure()", None),
        ("cancelled()", None),
        ("!cancelled()", True),
        ("!failure()", True),
        ("success() || failure()", True),
        ("failure() && matrix.os == 'x'", False),
        ("always() && github.sha", None),
        ("needs.plan.result == 'success'", True),
        ("needs.plan.result != 'success'", None),
        ("always() && contains(needs.*.result, 'failure')", None),
        ("job.status == 'failure'", None),
        ("steps.s.outcome == 'failure'", None),
        ("${{ false }}", False),
        ("${{ false }} text", None),
        ("github.event_name == 'push'", True),
        ("github.event_name != 'push'", False),
        ("github.event_name == 'push' && startsWith(github.ref, 'refs/tags/')", None),
    ],
)
def test_whether_a_condition_holds(condition: str, expected: "bool | None") -> None:
    assert holds(literal(condition), PLACE) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" ${{ a.b }} ", " a.b "),
        ("${{ 'x }} y' }}", " 'x }} y' "),
        ("${{ a.b }}-unknown-${{ a.c }}", None),
        ("${{ a.b }}${{ a.c }}", None),
        ("x ${{ a.b }}", None),
    ],
)
def test_a_text_that_is_one_expression(text: str, expected: "str | None") -> None:
    found = only(text)
    assert (text[slice(*found)] if found else None) == expected


@pytest.mark.parametrize("size", [200, 2000, 20000])
def test_an_enormous_expression_is_bounded(size: int) -> None:
    for text in ("(" * size + "1" + ")" * size, "!" * size + "1", " || ".join(["1"] * size), "[" * size, "'" * size):
        evaluate(literal(text), PLACE)
    assert isinstance(evaluate(literal("(" * 20000 + "1" + ")" * 20000), PLACE), Unknown)
    assert string(literal("x")).text.text == "x"
