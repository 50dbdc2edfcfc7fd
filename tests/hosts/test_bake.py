"""Bake files: https://docs.docker.com/build/bake/reference/, HCL as https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md"""

import pytest

from flagguard.hosts.hcl_text import encode
from flagguard.text import SourceText, Span

from .ci_support import argvs, read, told

MAIN = "docker-bake.hcl"

CASES: list[tuple[str, str, list[str]]] = [
    ("a target", 'target "a" { context = "x" }', ["docker build x"]),
    (
        "all of it",
        'target "a" {\n  context = "x"\n  dockerfile = "D"\n  target = "t"\n'
        '  args = { C = "v2", D = 1 }\n  platforms = ["linux/amd64"]\n}\n',
        ["docker build --build-arg C=v2 --build-arg D=1 --file x/D --target t --platform linux/amd64 x"],
    ),
    (
        "a default",
        'variable "C" { default = "v2" }\ntarget "a" { args = { C = C, D = "x-${C}" } }',
        ["docker build --build-arg C=v2 --build-arg D=x-v2 ."],
    ),
    ("a variable without one", 'variable "C" {}\ntarget "a" { args = { C = C } }', ["docker build --build-arg C=C ."]),
    (
        "a variable of a variable",
        'variable "A" { default = "1" }\nvariable "B" { default = "${A}2" }\ntarget "a" { args = { B = B } }',
        ["docker build --build-arg B=12 ."],
    ),
    (
        "a variable in itself",
        'variable "A" { default = A }\ntarget "a" { args = { A = "${A}" } }',
        ["docker build --build-arg A=${A} ."],
    ),
    (
        "inheritance",
        'target "_b" { args = { A = "a", B = "b" } }\ntarget "a" {\n  inherits = ["_b"]\n  args = { B = "c" }\n}',
        ["docker build --build-arg A=a --build-arg B=c ."],
    ),
    (
        "of several, the last wins",
        'target "_a" { args = { A = "a" } }\ntarget "_b" { args = { A = "b" } }\n'
        'target "t" { inherits = ["_a", "_b"] }',
        ["docker build --build-arg A=b ."],
    ),
    (
        "what is inherited and in a group runs",
        'group "default" { targets = ["a", "b"] }\ntarget "a" { context = "a" }\ntarget "b" { inherits = ["a"] }',
        ["docker build a", "docker build a"],
    ),
    (
        "a matrix",
        'target "a" {\n  name = "a-${c}"\n  matrix = { c = ["x", "y"] }\n  args = { C = c }\n}',
        ["docker build --build-arg C=x .", "docker build --build-arg C=y ."],
    ),
    (
        "a matrix of tables",
        'target "a" {\n  matrix = { i = [{ c = "x" }, { c = "y" }] }\n  args = { C = i.c }\n}',
        ["docker build --build-arg C=x .", "docker build --build-arg C=y ."],
    ),
    (
        "a condition",
        'variable "D" { default = "1" }\ntarget "a" { args = { C = D == "1" ? "yes" : "no" } }',
        ["docker build --build-arg C=yes ."],
    ),
    (
        "functions",
        'target "a" { args = { C = upper("ab"), D = join(",", ["x", "y"]) } }',
        ["docker build --build-arg C=AB --build-arg D=x,y ."],
    ),
    (
        "functions of texts, lists and tables",
        'target "a" { args = merge({ A = replace("a.b", ".", "-"), B = format("v%s%%", 2) },'
        ' { C = join("+", flatten([["x"], split("/", "y/z")])), D = contains(["p"], "p") ? length([1, 2]) : "n" }) }',
        ["docker build --build-arg A=a-b --build-arg B=v2% --build-arg C=x+y+z --build-arg D=2 ."],
    ),
    (
        "a function of the file",
        'function "v" {\n  params = [n, m]\n  result = "v${n}-${upper(m)}"\n}\n'
        'target "a" {\n  matrix = { i = [{ c = v(1, "x") }, { c = v(2, "y") }] }\n  args = { C = i.c }\n}',
        ["docker build --build-arg C=v1-X .", "docker build --build-arg C=v2-Y ."],
    ),
    (
        "a function that calls itself",
        'function "f" {\n  params = [n]\n  result = "${f(n)}${f(n)}"\n}\ntarget "a" { args = { C = f("x") } }',
        ["docker build --build-arg C=${f(n)}${f(n)} ."],
    ),
    (
        "a function that is not known",
        'target "a" { args = { C = timestamp() } }',
        ["docker build --build-arg C=timestamp() ."],
    ),
    (
        "another target's value",
        'target "b" { context = "x" }\ntarget "a" { context = target.b.context }',
        ["docker build x", "docker build x"],
    ),
    (
        "comments and heredocs",
        '# c\n// d\n/* e */\ntarget "a" {\n  args = {\n    C = <<EOT\nx\nEOT\n  }\n}',
        ["docker build --build-arg C=x\n ."],
    ),
    ("escapes", 'target "a" { args = { C = "a\\"b$${c}" } }', ['docker build --build-arg C=a"b${c} .']),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("bake", {MAIN: text}) == expected


def test_json() -> None:
    text = '{"variable": {"V": {"default": "2"}}, "target": {"a": {"context": "x", "args": {"C": "v${V}"}}}}'
    assert argvs("bake", {"docker-bake.json": text}) == ["docker build --build-arg C=v2 x"]


def test_an_override_goes_over_it() -> None:
    files = {
        MAIN: 'target "a" { args = { C = "a" }\n context = "x" }',
        "docker-bake.override.hcl": 'target "a" { args = { C = "b" } }',
    }
    assert argvs("bake", files) == ["docker build --build-arg C=b x"]
    turned = dict(reversed(files.items()))
    assert argvs("bake", turned) == []


def test_the_place() -> None:
    text = 'target "a" {\n  args = {\n    C = "v2"\n  }\n}\n'
    (script,) = read("bake", {MAIN: text}).scripts
    assert (script.place.job, script.place.step) == ("a", "build")
    assert [text.count("\n", 0, w.route[-1].start) + 1 for w in script.argv] == [1, 1, 3, 3, 1]


WRONG: list[tuple[str, list[tuple[int, bool]]]] = [
    ('target "a" {\n', [(2, True)]),
    ('target "a" {\n  context = "x\n}', [(2, True)]),
    ("target a b = c {\n}", [(1, True)]),
    ('target "a" {\n  args = {\n', [(3, True)]),
    ('target "a" { dockerfile-inline = "FROM x" }', [(1, False)]),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_is_told_with_its_line(text: str, expected: list[tuple[int, bool]]) -> None:
    assert told("bake", {MAIN: text}) == expected


def test_a_target_that_inherits_itself_ends() -> None:
    assert argvs("bake", {MAIN: 'group "g" { targets = ["a"] }\ntarget "a" { inherits = ["a"] }'}) == ["docker build ."]


def test_deep_brackets_are_no_crash() -> None:
    assert argvs("bake", {MAIN: 'target "a" { args = { C = ' + "(" * 3000 + "1" + ")" * 3000 + " } }"}) == [
        "docker build ."
    ]


def test_what_is_written_into_a_string_is_read_again() -> None:
    source = SourceText(MAIN, 'target "a" { args = { C = "OLD" } }')
    at = source.text.index("OLD")
    put = encode(source, Span(MAIN, at, at + 3), 'a"b\\c${d}\n')
    assert put is not None
    (script,) = read("bake", {MAIN: source.text[:at] + put + source.text[at + 3 :]}).scripts
    assert script.argv[3].text == 'C=a"b\\c${d}\n'
