"""The edits that are made, each on a small tree, and what comes of them."""

from pathlib import Path

import pytest

from flagguard.sabotage import Kind, Outcome
from tests.sabotage.support import MOJO, changed, edits, prove, verdicts

SCRIPT = """#!/bin/sh
case "$(uname)-$(uname -m)" in
  Darwin-arm64)  cpu=apple-m1 ;;
  Linux-aarch64) cpu=generic ;;
  Linux-x86_64)  cpu=x86-64-v2 ;;
  *) exit 1 ;;
esac
mojo build --target-cpu "$cpu" \\
  -I src a.mojo -o a || exit 1
"""


def test_every_sabotage_of_a_shell_script(tmp_path: Path) -> None:
    proof = prove(tmp_path, MOJO, {"build.sh": SCRIPT})
    before = ('-mojo build --target-cpu "$cpu" \\', "-  -I src a.mojo -o a || exit 1")
    assert edits(proof) == {
        "drop-assignment": [
            ("-  Darwin-arm64)  cpu=apple-m1 ;;", "+  Darwin-arm64)  true ;;"),
            ("-  Linux-aarch64) cpu=generic ;;", "+  Linux-aarch64) true ;;"),
            ("-  Linux-x86_64)  cpu=x86-64-v2 ;;", "+  Linux-x86_64)  true ;;"),
        ],
        "spoil-arm": [
            ("-  Darwin-arm64)  cpu=apple-m1 ;;", "+  Darwin-arm64)  cpu=native ;;"),
            ("-  Linux-aarch64) cpu=generic ;;", "+  Linux-aarch64) cpu=native ;;"),
            ("-  Linux-x86_64)  cpu=x86-64-v2 ;;", "+  Linux-x86_64)  cpu=native ;;"),
        ],
        "move-flag-into-echo": [(before[0], '+echo --target-cpu "$cpu"; mojo build \\')],
        "drop-flag": [(before[0], "+mojo build \\")],
        "move-flag-into-comment": [
            (before[0], before[1], "+mojo build \\", '+  -I src a.mojo -o a || exit 1  # --target-cpu "$cpu"')
        ],
        "drop-value": [(before[0], '+mojo build --target-cpu "" \\')],
        "set-value-native": [(before[0], "+mojo build --target-cpu native \\")],
        "add-comment-line": [("+# --target-cpu native",)],
        "add-comment-at-end": [(before[1], "+  -I src a.mojo -o a || exit 1  # --target-cpu native")],
        "reorder-flags": [(*before, "+mojo build \\", '+  -I src --target-cpu "$cpu" a.mojo -o a || exit 1')],
        "split-line": [(before[0], "+mojo build \\", '+  --target-cpu "$cpu" \\')],
        "join-line": [(*before, '+mojo build --target-cpu "$cpu" -I src a.mojo -o a || exit 1')],
        "requote": [
            (before[0], '+mojo build "--target-cpu" "$cpu" \\'),
            (before[0], "+mojo build '--target-cpu' \"$cpu\" \\"),
            (before[0], "+mojo build --target-cpu $cpu \\"),
        ],
    }
    assert {result.outcome for result in proof.results} == {Outcome.CAUGHT, Outcome.STAYED_CLEAN}
    assert (proof.status, proof.score, proof.sites) == (0, 100.0, 1)


PIC = """packs = []
[[rule]]
id      = "pic"
command = "@c-compiler"
require = [{ flag = "-fPIC" }]
"""
LEVEL = """packs = []
[[rule]]
id      = "level"
command = "go build"
require = [{ env = "GOAMD64", one-of = ["v1", "v2"] }]
"""
LIST = """packs = []
[[rule]]
id      = "list"
command = "tool"
require = [{ flag = "--arch", contains = "7.5" }]
"""
OFF = """packs = []
[[rule]]
id      = "off"
command = "cmake"
require = [{ flag = "-DNATIVE", value = "OFF" }]
"""
CPU = """packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id      = "cpu"
command = "@c-compiler"
require = [{ effective = "cpu", at-most = "baseline" }]
"""
NONE = """packs = []
[[rule]]
id      = "none"
command = ["@c-compiler", "@rust-compiler"]
forbid  = [{ effective = "cpu", value = "native" }]
"""


@pytest.mark.parametrize(
    ("rules", "files", "operator", "lines"),
    [
        (PIC, {"Makefile": "CFLAGS = -O2 -fPIC\nall:\n\tcc $(CFLAGS) -c x.c\n"}, "drop-flag",
         ("-CFLAGS = -O2 -fPIC", "+CFLAGS = -O2")),
        (PIC, {"Makefile": "CFLAGS = -O2 -fPIC\nall:\n\tcc $(CFLAGS) -c x.c\n"}, "drop-assignment",
         ("-CFLAGS = -O2 -fPIC",)),
        (PIC, {"Makefile": "CFLAGS = -O2 -fPIC\nall:\n\tcc $(CFLAGS) -c x.c\n"}, "move-flag-into-comment",
         ("-CFLAGS = -O2 -fPIC", "+CFLAGS = -O2  # -fPIC")),
        (PIC, {"a.sh": "f='-O2 -fPIC'\ncc $f -c x.c\n"}, "drop-flag", ("-f='-O2 -fPIC'", "+f='-O2'")),
        (PIC, {"a.sh": "sh -c 'cc -fPIC -c x.c'\n"}, "drop-flag",
         ("-sh -c 'cc -fPIC -c x.c'", "+sh -c 'cc -c x.c'")),
        (LEVEL, {"a.sh": "GOAMD64=v2 go build .\n"}, "drop-assignment",
         ("-GOAMD64=v2 go build .", "+go build .")),
        (LEVEL, {"a.sh": "export GOAMD64=v2\ngo build .\n"}, "drop-assignment", ("-export GOAMD64=v2", "+true")),
        (LEVEL, {"a.sh": "export GOAMD64=v2\ngo build .\n"}, "set-value-native",
         ("-export GOAMD64=v2", "+export GOAMD64=native")),
        (LIST, {"a.sh": "tool --arch='7.0;7.5;8.0'\n"}, "set-value-worse",
         ("-tool --arch='7.0;7.5;8.0'", "+tool --arch='7.0;8.0'")),
        (OFF, {"a.sh": "cmake -DNATIVE=OFF .\n"}, "repeat-flag-worse",
         ("-cmake -DNATIVE=OFF .", "+cmake -DNATIVE=OFF -DNATIVE=native .")),
        (OFF, {"a.sh": "cmake -DNATIVE=OFF .\n"}, "drop-value", ("-cmake -DNATIVE=OFF .", "+cmake -DNATIVE= .")),
        (NONE, {"a.sh": "cc -O2 -c x.c\n"}, "add-forbidden-flag",
         ("-cc -O2 -c x.c", "+cc -O2 -c -march=native x.c")),
        (NONE, {"a.sh": "sudo cargo build\n"}, "add-forbidden-flag",
         ("-sudo cargo build", "+sudo env RUSTFLAGS=-Ctarget-cpu=native cargo build")),
    ],
)  # fmt: skip
def test_a_sabotage_and_its_lines(
    tmp_path: Path, rules: str, files: dict[str, str], operator: str, lines: tuple[str, ...]
) -> None:
    proof = prove(tmp_path, rules, files)
    assert lines in edits(proof)[operator]
    assert {(k, v) for k, v in verdicts(proof) if k == operator} == {(operator, "caught")}
    assert proof.status == 0


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("jobs:\n  a:\n    runs-on: ubuntu-latest\n    env:\n      GOAMD64: v2\n    steps:\n      - run: go build .\n",
         ("-    env:", "-      GOAMD64: v2")),
        ("jobs:\n  a:\n    runs-on: ubuntu-latest\n    env: { GOAMD64: v2, A: b }\n"
         "    steps:\n      - run: go build .\n",
         ("-    env: { GOAMD64: v2, A: b }", "+    env: { A: b }")),
        ("jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n          GOAMD64=v2 go build .\n",
         ("-          GOAMD64=v2 go build .", "+          go build .")),
    ],
)  # fmt: skip
def test_an_entry_of_the_environment_of_a_workflow(tmp_path: Path, text: str, lines: tuple[str, ...]) -> None:
    proof = prove(tmp_path, LEVEL, {".github/workflows/w.yml": text})
    assert edits(proof)["drop-assignment"] == [lines]
    assert proof.status == 0
    assert proof.count(Outcome.CAUGHT) == proof.sabotages


GO_CPU = CPU.replace("@c-compiler", "go build")


def test_a_variable_that_an_outer_one_says_again_is_not_missed(tmp_path: Path) -> None:
    proof = prove(tmp_path, GO_CPU, {"a.sh": "export GOAMD64=v2\nGOAMD64=v1 go build .\n"})
    assert proof.status == 0
    details = {r.detail for r in proof.results if r.outcome is Outcome.NOT_APPLICABLE}
    assert "`v2` says the same at a.sh:1" in details


def test_a_level_that_the_tool_spells_otherwise_is_made_worse(tmp_path: Path) -> None:
    proof = prove(tmp_path, GO_CPU, {"a.sh": "export GOAMD64=v2\ngo build .\n"})
    assert ("-export GOAMD64=v2", "+export GOAMD64=native") in edits(proof)["set-value-native"]
    assert proof.count(Outcome.CAUGHT)


def test_a_level_in_a_row_of_a_matrix_is_made_worse(tmp_path: Path) -> None:
    rows = "environment:\n  matrix:\n    - GOAMD64: v2\n    - GOAMD64: v1\n"
    text = f"image: Ubuntu2204\n{rows}build_script:\n  - sh: go build .\n"
    proof = prove(tmp_path, GO_CPU, {"appveyor.yml": text})
    assert proof.status == 0
    assert ("-    - GOAMD64: v2", "+    - GOAMD64: native") in edits(proof)["set-value-native"]


def test_an_item_of_a_matrix_that_loses_its_value_stays_a_row(tmp_path: Path) -> None:
    text = "matrix: {L: [v1, v2]}\nsteps: {a: {environment: {GOAMD64: '${L}'}, commands: [go build .]}}\n"
    proof = prove(tmp_path, LEVEL, {".woodpecker.yml": text})
    assert proof.status == 0
    changed = 'matrix: {L: [v1, ""]}'
    assert any(f"+{changed}" in lines for lines in edits(proof)["drop-value"])


def test_poe_tasks_in_every_form_of_a_string(tmp_path: Path) -> None:
    text = '''[tool.poe.tasks]
a = "mojo build --target-cpu generic a.mojo"
b = { cmd = 'mojo build --target-cpu generic b.mojo' }
[tool.poe.tasks.c]
shell = """
mojo build --target-cpu generic \\
  c.mojo
"""
[tool.poe.tasks.d]
shell = """
mojo build --target-cpu "generic" \\\\
  d.mojo
"""
'''
    proof = prove(tmp_path, MOJO, {"pyproject.toml": text})
    assert proof.status == 0, [(r.operator, r.line, r.outcome, r.detail) for r in proof.results if r.fails]
    dropped = [changed(r)[-1] for r in proof.results if r.operator.value == "drop-flag"]
    assert dropped == [
        '+a = "mojo build a.mojo"',
        "+b = { cmd = 'mojo build b.mojo' }",
        "+mojo build \\",
        "+mojo build \\\\",
    ]
    skipped = {(r.line, r.detail) for r in proof.results if r.outcome is Outcome.SKIPPED}
    assert skipped == {
        (3, "a TOML string in ' cannot say '--target-cpu'"),
        (3, "a TOML string in ' cannot say 'generic'"),
    }


def test_another_word_that_says_the_same(tmp_path: Path) -> None:
    proof = prove(tmp_path, PIC, {"Makefile": "CFLAGS = -O2 -fPIC\nall:\n\tcc $(CFLAGS) -fPIC -c x.c\n"})
    last = [r for r in proof.results if r.operator.value == "drop-flag"]
    assert sorted((r.line, r.outcome.value, r.detail) for r in last) == [
        (1, "caught", "`cc` has no `-fPIC`"),  # both at once
        (3, "not-applicable", "`-fPIC` says the same at Makefile:1"),
    ]
    assert proof.status == 0


def test_a_flag_that_accumulates_is_taken_away_as_a_whole(tmp_path: Path) -> None:
    maps = "M = -ffile-prefix-map=$(SDK)=s \\\n\t-ffile-prefix-map=$(CURDIR)=.\nall:\n\tcc -O2 $(M) -c x.c\n"
    rule = PIC.replace("-fPIC", "-ffile-prefix-map")
    proof = prove(tmp_path, rule, {"Makefile": "SDK = /s\n" + maps})
    caught = [r for r in proof.results if r.outcome is Outcome.CAUGHT and r.operator.value == "drop-flag"]
    assert [(r.line, changed(r)) for r in caught] == [
        (2, ("-M = -ffile-prefix-map=$(SDK)=s \\", "-\t-ffile-prefix-map=$(CURDIR)=.", "+M = \\", "+\t"))
    ]
    assert proof.status == 0


def test_a_tool_that_does_it_anyway(tmp_path: Path) -> None:
    proof = prove(tmp_path, CPU, {"a.sh": "cc -march=x86-64 -c a.c\n"})
    came = {(r.operator.value, r.outcome.value) for r in proof.results if r.kind is Kind.SABOTAGE}
    assert ("drop-flag", "not-applicable") in came
    assert ("set-value-native", "caught") in came
    assert proof.status == 0


RULE = """packs = []
[[rule]]
id       = "exists"
command  = "mojo build"
at-least = 2
"""


def test_a_rule_that_only_asks_for_its_command(tmp_path: Path) -> None:
    proof = prove(tmp_path, RULE, {"a.sh": "mojo build a.mojo\nmojo build b.mojo || exit 1\nmojo build c.mojo\n"})
    assert [(r.operator.value, r.outcome.value) for r in proof.results] == [
        ("drop-command", "caught"),
        ("move-command-into-echo", "caught"),
    ]
    gone = ("-mojo build a.mojo", "-mojo build b.mojo || exit 1")
    assert [changed(r) for r in proof.results] == [
        (*gone, "+true", "+true || exit 1"),
        (*gone, "+echo mojo build a.mojo", "+echo mojo build b.mojo || exit 1"),
    ]


def test_what_is_exempt_is_left_alone(tmp_path: Path) -> None:
    text = "# flagguard: exempt pinned - tuned on purpose\nmojo build a.mojo\nmojo build --target-cpu generic b.mojo\n"
    proof = prove(tmp_path, MOJO, {"a.sh": text})
    assert proof.status == 0
    assert {r.line for r in proof.results} == {3}


def test_an_edit_that_serves_several_commands_is_made_once(tmp_path: Path) -> None:
    text = "CFLAGS = -fPIC\nall:\n\tcc $(CFLAGS) -c x.c\n\tcc $(CFLAGS) -c y.c\n"
    proof = prove(tmp_path, PIC, {"Makefile": text})
    assert len(edits(proof)["drop-assignment"]) == 1
    assert proof.sites == 2
    assert proof.status == 0


def test_the_order_is_that_of_the_files_and_two_runs_say_the_same(tmp_path: Path) -> None:
    files = {"b.sh": "mojo build --mcpu generic b.mojo\n", "a.sh": SCRIPT}
    one, other = prove(tmp_path, MOJO, files), prove(tmp_path, MOJO, files)
    assert one.results == other.results
    assert [(r.path, r.line) for r in one.results] == sorted((r.path, r.line) for r in one.results)


def test_nothing_is_written(tmp_path: Path) -> None:
    prove(tmp_path, MOJO, {"a.sh": SCRIPT})
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.sh", SCRIPT)]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (
            {"a.sh": "ls\nmojo build a.mojo\n"},
            "check is not clean, so nothing can be proved; the first that it says: a.sh:2: ",
        ),
        ({"a.sh": "mojo build --mcpu generic a.mojo\nif\n"}, "check is not clean"),
        ({"a.sh": "ls\n"}, "check is not clean"),
    ],
)
def test_a_check_that_is_not_clean_proves_nothing(tmp_path: Path, files: dict[str, str], told: str) -> None:
    proof = prove(tmp_path, MOJO, files)
    assert (proof.status, proof.results) == (2, ())
    assert proof.refusal is not None
    assert proof.refusal.startswith(told)


def test_zero_sabotages_are_no_success(tmp_path: Path) -> None:
    proof = prove(tmp_path, MOJO.replace("require", "at-least = 0\nrequire"), {"a.sh": "ls\n"})
    assert proof.status == 2
    assert proof.refusal is not None
    assert "nothing to prove" in proof.refusal


def test_what_somebody_has_to_ask_for_is_caught_by_its_warning(tmp_path: Path) -> None:
    builds = ["  mojo build --mcpu generic a.mojo", "  mojo build --mcpu generic b.mojo"]
    text = "\n".join(['if [ "$MODE" = fast ]; then', builds[0], "else", builds[1], "fi", ""])
    proof = prove(tmp_path, MOJO, {"a.sh": text})
    dropped = [(r.line, r.outcome) for r in proof.results if r.operator.value == "drop-flag"]
    assert dropped == [(2, Outcome.CAUGHT), (4, Outcome.CAUGHT)]


def test_a_rule_that_warns_is_caught_by_its_warning(tmp_path: Path) -> None:
    rules = MOJO.replace('id      = "pinned"', 'id = "pinned"\nseverity = "warning"')
    proof = prove(tmp_path, rules, {"a.sh": "mojo build --mcpu generic a.mojo\n"})
    assert {r.outcome for r in proof.results if r.kind is Kind.SABOTAGE} == {Outcome.CAUGHT}
    assert proof.status == 0


def matrix(rows: str, run: str) -> dict[str, str]:
    head = "jobs:\n  b:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n"
    return {".github/workflows/w.yml": f"{head}{rows}\n    steps:\n      - run: {run}\n"}


def test_each_row_of_a_matrix(tmp_path: Path) -> None:
    rows = "        include:\n          - flags: --target-cpu x86-64\n          - flags: --mcpu x86-64-v2"
    proof = prove(tmp_path, MOJO, matrix(rows, "mojo build ${{ matrix.flags }} a.mojo"))
    assert proof.status == 0
    assert edits(proof)["drop-flag"] == [
        ("-          - flags: --target-cpu x86-64", "+          - flags:"),
        ("-          - flags: --mcpu x86-64-v2", "+          - flags:"),
    ]


def test_each_value_of_a_matrix(tmp_path: Path) -> None:
    files = matrix("        cpu: [x86-64, x86-64-v2]", "mojo build --target-cpu ${{ matrix.cpu }} a.mojo")
    proof = prove(tmp_path, MOJO, files)
    assert proof.status == 0
    assert edits(proof)["spoil-assignment"] == [
        ("-        cpu: [x86-64, x86-64-v2]", "+        cpu: [native, x86-64-v2]"),
        ("-        cpu: [x86-64, x86-64-v2]", "+        cpu: [x86-64, native]"),
    ]


NOT_NATIVE = """packs = []
[[rule]]
id      = "named"
command = "mojo build"
require = [{ flag = "--target-cpu", not = "native" }]
"""


@pytest.mark.parametrize(
    ("files", "detail"),
    [
        ({"a.sh": 'cpu=generic\ncpu=x86-64\nmojo build --target-cpu "$cpu" a.mojo\n'},
         "`generic` says the same at a.sh:1"),
        ({"a.sh": "cpu=x86-64\nmojo build --target-cpu $cpu a.mojo\n"},
         "`--target-cpu` takes the next word, `a.mojo`, for its value"),
    ],
)  # fmt: skip
def test_an_assignment_that_changes_nothing(tmp_path: Path, files: dict[str, str], detail: str) -> None:
    proof = prove(tmp_path, NOT_NATIVE, files)
    dropped = [(r.outcome, r.detail) for r in proof.results if r.operator.value == "drop-assignment"]
    assert dropped == [(Outcome.NOT_APPLICABLE, detail)]
    assert proof.status == 0


def test_a_step_is_no_command_line(tmp_path: Path) -> None:
    text = "jobs:\n  b:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: PyO3/maturin-action@v1\n"
    proof = prove(
        tmp_path, NONE.replace('"@c-compiler"', '"uses PyO3/maturin-action"'), {".github/workflows/w.yml": text}
    )
    assert {r.outcome for r in proof.results if r.kind is Kind.SABOTAGE} == {Outcome.SKIPPED}
    assert all(r.detail for r in proof.results if r.outcome is Outcome.SKIPPED)
    assert proof.status == 2


ENV = "jobs:\n  b:\n    runs-on: ubuntu-latest\n    env:\n      F: {}\n    steps:\n      - run: cc $F -c a.c\n"


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ("-O2 -fPIC", [("-      F: -O2 -fPIC", "+      F: -O2  # -fPIC")]),
        ('"-O2 -fPIC"', [('-      F: "-O2 -fPIC"', '+      F: "-O2"  # -fPIC')]),
        ("'-O2 -fPIC'  # why", [("-      F: '-O2 -fPIC'  # why", "+      F: '-O2'  # why  # -fPIC")]),
        (">-\n        -O2\n        -fPIC", []),
    ],
)
def test_a_comment_in_a_string_that_is_no_script_is_none(
    tmp_path: Path, value: str, lines: list[tuple[str, ...]]
) -> None:
    proof = prove(tmp_path, PIC, {".github/workflows/w.yml": ENV.format(value)})
    assert edits(proof).get("move-flag-into-comment", []) == lines
    assert proof.status == 0, [(r.operator, r.diff) for r in proof.results if r.fails]


def test_harmless_edits_of_an_assignment(tmp_path: Path) -> None:
    proof = prove(tmp_path, PIC, {"Makefile": "F = -O2 -fPIC\nall:\n\tcc $(F) -c a.c\n"})
    found = edits(proof)
    assert found["split-line"] == [("-F = -O2 -fPIC", "+F = -O2 \\", "+  -fPIC")]
    assert ("-F = -O2 -fPIC", "+F = -O2 -fPIC  # -fPIC") in found["add-comment-at-end"]
    assert found["add-comment-line"] == [("+# -fPIC",), ("+\t# -fPIC",)]
    assert proof.status == 0


def test_a_rule_with_never_says_why_it_is_skipped(tmp_path: Path) -> None:
    rules = OFF + "[[rule]]\nid = 'ci'\ncommand = 'npm install'\nnever = true\nat-least = 0\n"
    proof = prove(tmp_path, rules, {"a.sh": "cmake -DNATIVE=OFF .\n"})
    skipped = [(r.rule, r.path, r.line, bool(r.detail)) for r in proof.results if r.outcome is Outcome.SKIPPED]
    assert skipped == [("ci", "flagguard.toml", 7, True)]
    assert proof.status == 0
