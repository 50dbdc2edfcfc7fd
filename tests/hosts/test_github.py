"""GitHub Actions: which shell sees which text, on which platform, with which environment."""

import pytest

from flagguard.command import Dialect, Reading, Script
from flagguard.hosts import github, github_runners
from flagguard.text import Decider, SourceText

from .support import env, problems, reading, shown

PATH = ".github/workflows/ci.yml"


def read(text: str, path: str = PATH) -> Reading:
    return reading(github, text, path)


def job(body: str, top: str = "", on: str = "ubuntu-latest") -> Reading:
    indented = "".join(f"    {line}\n" if line else "\n" for line in body.split("\n"))
    runs_on = f"    runs-on: {on}\n" if on else ""
    return read(f"on: push\n{top}jobs:\n  j:\n{runs_on}{indented}")


def one(found: Reading) -> Script:
    assert found.problems == ()
    (script,) = found.scripts
    return script


def texts(found: Reading) -> "list[list[str] | str]":
    assert found.problems == ()
    return [shown(s) for s in found.scripts]


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        (".github/workflows/ci.yml", True),
        (".github/workflows/ci.yaml", True),
        ("sub/.github/workflows/ci.yml", True),
        ("action.yml", True),
        (".github/actions/x/action.yaml", True),
        (".github/workflows/sub/ci.yml", False),
        (".github/dependabot.yml", False),
        ("reaction.yml", False),
    ],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert github.claims(path, b"") is claimed


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("run: cc -O2 # c", "cc -O2"),
        ("run: |\n      cc \\\n        -O2\n      x", "cc \\\n  -O2\nx\n"),
        ("run: >-\n      cc\n      -O2", "cc -O2"),
        ("run: 'it''s'", "it's"),
        ('run: "a\\n\\tb"', "a\n\tb"),
        ("run: cc\n      -O2", "cc -O2"),
    ],
)
def test_a_run_is_read_in_every_style(step: str, expected: str) -> None:
    assert one(job(f"steps:\n  - {step}")).text.text == expected


def test_a_block_keeps_the_place_of_each_line() -> None:
    found = job("steps:\n  - run: |\n      a\n        b\n      c")
    text = one(found).text
    at = text.text.index("c")
    source = SourceText(PATH, "on: push\njobs:\n  j:\n    runs-on: x\n    steps:\n      - run: |\n          a\n")
    assert text.cut(at, at + 1).route[0].start > len(source.text)
    assert all(p.verbatim for p in text.pieces)


@pytest.mark.parametrize(
    ("shell", "on", "expected"),
    [
        ("", "ubuntu-latest", (Dialect.BASH, True, False)),
        ("shell: bash", "ubuntu-latest", (Dialect.BASH, True, True)),
        ("shell: sh", "ubuntu-latest", (Dialect.SH, True, False)),
        ("shell: pwsh", "ubuntu-latest", (Dialect.POWERSHELL, False, False)),
        ("shell: python", "ubuntu-latest", (Dialect.UNREAD, False, False)),
        ("shell: cmd", "windows-2022", (Dialect.CMD, False, False)),
        ("shell: bash -l {0}", "ubuntu-latest", (Dialect.BASH, False, False)),
        ("shell: bash -euxo pipefail {0}", "ubuntu-latest", (Dialect.BASH, True, True)),
        ("shell: /bin/sh -e {0}", "ubuntu-latest", (Dialect.SH, True, False)),
        ("shell: nix develop -c bash -e {0}", "ubuntu-latest", (Dialect.BASH, True, False)),
        ("shell: msys2 {0}", "windows-latest", (Dialect.BASH, True, True)),
        ("shell: 'script -q -e -c \"bash -eo pipefail {0}\"'", "ubuntu-latest", (Dialect.BASH, True, True)),
        ("shell: perl {0}", "ubuntu-latest", (Dialect.UNREAD, False, False)),
        ("shell: ${{ inputs.s }}", "ubuntu-latest", (Dialect.UNREAD, False, False)),
        ("", "windows-latest", (Dialect.POWERSHELL, False, False)),
        ("shell: bash", "windows-latest", (Dialect.BASH, True, True)),
        ("", "${{ inputs.r }}", (Dialect.BASH, True, False)),
    ],
)
def test_the_shell_of_a_step(shell: str, on: str, expected: tuple[Dialect, bool, bool]) -> None:
    found = job("steps:\n  - run: x" + (f"\n    {shell}" if shell else ""), on=on)
    (script,) = found.scripts
    assert (script.dialect, script.errexit, script.pipefail) == expected
    assert [p.fatal for p in found.problems] == [False] * (expected[0] is Dialect.UNREAD)


def test_the_nearest_shell_counts() -> None:
    body = "steps:\n  - run: x\n  - run: y\n    shell: bash"
    top = "defaults: {run: {shell: pwsh}}\n"
    assert [s.dialect for s in job(body, top).scripts] == [Dialect.POWERSHELL, Dialect.BASH]
    own = "defaults: {run: {shell: sh}}\n" + body
    assert [s.dialect for s in job(own, top).scripts] == [Dialect.SH, Dialect.BASH]


def test_a_container_has_sh() -> None:
    script = one(job("container: alpine\nsteps:\n  - run: x"))
    assert (script.dialect, script.errexit, script.pipefail) == (Dialect.SH, True, False)


@pytest.mark.parametrize(
    ("on", "platforms", "runner"),
    [
        ("ubuntu-latest", {"linux-x86_64"}, "ubuntu-latest"),
        ("ubuntu-24.04-arm", {"linux-aarch64"}, "ubuntu-24.04-arm"),
        ("macos-14", {"macos-arm64"}, "macos-14"),
        ("macos-13", {"macos-x86_64"}, "macos-13"),
        ("macos-15-intel", {"macos-x86_64"}, "macos-15-intel"),
        ("macos-latest-large", {"macos-x86_64"}, "macos-latest-large"),
        ("macos-15-xlarge", {"macos-arm64"}, "macos-15-xlarge"),
        ("windows-11-arm", {"windows-arm64"}, "windows-11-arm"),
        ("[self-hosted, linux, ARM64]", {"linux-aarch64"}, "self-hosted, linux, ARM64"),
        ("[self-hosted, gpu]", None, "self-hosted, gpu"),
        ("{group: g, labels: [ubuntu-22.04]}", {"linux-x86_64"}, "ubuntu-22.04"),
        ("my-own", None, "my-own"),
        ("${{ github.ref }}", None, "${{ github.ref }}"),
        ("{group: big}", None, "big"),
        ("[self-hosted, macOS, X64]", {"macos-x86_64"}, "self-hosted, macOS, X64"),
        ("[self-hosted, Windows]", {"windows-x86_64", "windows-arm64"}, "self-hosted, Windows"),
        ("ubuntu-24.04-arm64", {"linux-aarch64"}, "ubuntu-24.04-arm64"),
        ("windows-2022-8-cores", {"windows-x86_64"}, "windows-2022-8-cores"),
        ("ubuntu-slim", {"linux-x86_64"}, "ubuntu-slim"),
        ("macos-26", {"macos-arm64"}, "macos-26"),
    ],
)
def test_the_runner_gives_the_platform(on: str, platforms: "set[str] | None", runner: str) -> None:
    script = one(job("steps:\n  - {run: x, shell: bash}", on=on))
    assert script.platforms == platforms
    assert script.place.runner == runner


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["my-own"], "linux-riscv64"),
        (["self-hosted", "BIG-arm-3"], "linux-aarch64"),
        (["ubuntu-latest"], "linux-x86_64"),
    ],
)
def test_own_labels_come_before_the_tables(labels: list[str], expected: str) -> None:
    own = {"my-own": "linux-riscv64", "big-arm-*": "linux-aarch64"}
    assert github_runners.platforms_of(labels, own) == {expected}


def test_the_environment_of_three_levels() -> None:
    body = "env: {B: j, C: '${{ env.A }}-j'}\nsteps:\n  - run: x\n    env: {C: s, D: 1.10, E: true, F: null}"
    script = one(job(body, "env: {A: w, B: w}\n"))
    assert env(script) == {"A": "w", "B": "j", "C": "s", "D": "1.1", "E": "true", "F": ""}
    assert {"GITHUB_SHA", "CI", "PATH"} <= set(script.outside)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ${{ env.A }} b", "a v2 b"),
        ("${{ 'it''s' }} ${{ 3 }} ${{ true }}", "it's 3 true"),
        ("${{ runner.os }}-${{ runner.arch }}", "Linux-X64"),
        ("${{ env.A == 'V2' && 'yes' || 'no' }}", "yes"),
        ("${{ format('{0}-{1}{{', env.A, 'x') }}", "v2-x{"),
        ("${{ contains(env.A, '2') }} ${{ startsWith('abc', 'AB') }} ${{ endsWith('abc', 'x') }}", "true true false"),
        ("${{ join(fromJSON('[\"a\",\"b\"]'), '+') }}", "a+b"),
        ('${{ fromJSON(\'{"k": ["x"]}\').k[0] }}', "x"),
        ("${{ inputs.cpu }}", "v3"),
        ("${{ github.event.inputs.cpu }}", "v3"),
        ("${{ inputs.other }}", "${{ inputs.other }}"),
        ("${{ inputs.undeclared || 'x' }}", "x"),
        ("${{ github.sha }}", "${{ github.sha }}"),
        ("${{ nonsense( }}", "${{ nonsense( }}"),
        ("${{ !false }}${{ 1 < 2 }}${{ (null || 'z') }}", "truetruez"),
        ("$${{ env.A }}", "$v2"),
    ],
)
def test_an_expression_is_replaced_or_a_hole(text: str, expected: str) -> None:
    top = "env: {A: v2}\n"
    body = "steps:\n  - run: |\n      " + text
    source = read(f"on: {{workflow_dispatch: {{inputs: {{cpu: {{default: v3}}, other: {{}}}}}}}}\n{top}jobs:\n  j:\n"
                  "    runs-on: ubuntu-latest\n" + "".join(f"    {line}\n" for line in body.split("\n")))  # fmt: skip
    script = one(source)
    assert script.text.shown.rstrip("\n") == expected
    assert bool(script.text.holes) == ("${{" in expected)


def test_a_hole_says_who_decides() -> None:
    body = "steps:\n  - run: a ${{ vars.x }} ${{ matrix.y }} ${{ github.workspace }}"
    holes = one(job(body)).text.holes
    assert [h.decider for h in holes] == [Decider.OUTSIDE, Decider.REPOSITORY, Decider.OUTSIDE]
    assert [h.name for h in holes] == ["vars.x", "matrix.y", "github.workspace"]
    assert holes[2].path == ""


def test_a_default_of_an_input_can_be_overridden() -> None:
    text = (
        "inputs: {cpu: {default: v2}}\n"
        "runs:\n  using: composite\n  steps:\n    - run: x ${{ inputs.cpu }}\n      shell: sh\n"
    )
    script = one(read(text, "action.yml"))
    assert [p.overridable for p in script.text.pieces if p.text == "v2"] == [True]
    assert [s.path for s in script.text.pieces[1].route] == ["action.yml", "action.yml"]


MATRIX = """strategy:
  matrix:
    os: [ubuntu-latest, macos-14]
    cpu: [v2, native]
    exclude: [{os: macos-14, cpu: native}]
    include:
      - {os: macos-14, extra: -g}
      - {os: ubuntu-22.04, cpu: old}
runs-on: ${{ matrix.os }}
steps:
  - run: cc -march=${{ matrix.cpu }} ${{ matrix.extra }}
  - run: same
"""


def test_each_row_of_a_matrix_is_a_script() -> None:
    found = job(MATRIX, on="")
    rows = [(s.place.job, s.place.runner, s.platforms, shown(s)) for s in found.scripts if "cc" in s.text.text]
    linux, mac = {"linux-x86_64"}, {"macos-arm64"}
    assert rows == [
        ("j (ubuntu-latest, v2)", "ubuntu-latest", linux, "cc -march=v2 "),
        ("j (ubuntu-latest, native)", "ubuntu-latest", linux, "cc -march=native "),
        ("j (macos-14, v2, -g)", "macos-14", mac, "cc -march=v2 -g"),
        ("j (ubuntu-22.04, old)", "ubuntu-22.04", linux, "cc -march=old "),
    ]
    same = [s.place.job for s in found.scripts if s.text.text == "same"]
    assert same == [job for job, *_ in rows]


def test_rows_that_change_nothing_are_one_script() -> None:
    body = "strategy: {matrix: {a: [1, 2]}}\nsteps:\n  - run: x\n  - uses: o/n@v1"
    found = job(body)
    assert [s.place.job for s in found.scripts] == ["j"]
    assert [c.place.job for c in found.calls] == ["j"]


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ("{include: [{c: a}, {c: b}]}", ["x a", "x b"]),
        ("{c: [a], include: [{c: b}]}", ["x a", "x b"]),
        ("{c: [{k: a}]}", ["x Object"]),
        ("{c: '${{ fromJSON(needs.n.outputs.m) }}'}", ["x ${{ matrix.c }}"]),
        ("'${{ fromJSON(needs.n.outputs.m) }}'", ["x ${{ matrix.c }}"]),
        ("{c: '${{ fromJSON(''[\"a\",\"b\"]'') }}'}", ["x a", "x b"]),
        ("{c: [a], include: '${{ fromJSON(needs.n.outputs.m) }}'}", ["x a", "x ${{ matrix.c }}"]),
        ("{d: [a]}", ["x "]),
        ("{c: ['${{ github.ref }}', b]}", ["x ${{ matrix.c }}", "x b"]),
        ("{c: [1.10, true]}", ["x 1.1", "x true"]),
        ("{c: [a, b, a]}", ["x a", "x a", "x b"]),
        ("{c: [" + ",".join(map(str, range(300))) + "]}", ["x ${{ matrix.c }}"]),
    ],
)
def test_what_a_matrix_gives(matrix: str, expected: list[str]) -> None:
    assert texts(job(f"strategy: {{matrix: {matrix}}}\nsteps:\n  - run: x ${{{{ matrix.c }}}}")) == expected


def test_a_computed_strategy_is_one_row_of_unknown_values() -> None:
    found = job("strategy: '${{ fromJson(needs.n.outputs.s) }}'\nsteps:\n  - run: x ${{ matrix.c }}")
    assert not found.problems
    assert [s.text.pieces[-1].hole.reason for s in found.scripts] == ["the workflow computes its matrix"]


def test_a_strategy_that_is_a_text_is_a_problem() -> None:
    assert [p.key for p in job("strategy: fast\nsteps:\n  - run: x").problems] == ["jobs.j.strategy"]


def test_a_matrix_value_points_at_its_row() -> None:
    text = one(job("strategy: {matrix: {c: [v2]}}\nsteps:\n  - run: x ${{ matrix.c }}")).text
    use, value = text.pieces[-1].route
    assert value.start < use.start


@pytest.mark.parametrize(
    ("condition", "on", "count", "when"),
    [
        ("runner.os == 'Linux'", "ubuntu-latest", 1, ()),
        ("runner.os == 'Windows'", "ubuntu-latest", 0, ()),
        ("${{ runner.os != 'Linux' }}", "ubuntu-latest", 0, ()),
        ("false", "ubuntu-latest", 0, ()),
        ("always()", "ubuntu-latest", 1, ()),
        ("${{ !cancelled() }}", "ubuntu-latest", 1, ()),
        ("github.ref == 'x'", "ubuntu-latest", 1, ("if: github.ref == 'x'",)),
        ("github.ref == 'x' && runner.os == 'Windows'", "ubuntu-latest", 0, ()),
        ("github.ref == 'x' || runner.os == 'Linux'", "ubuntu-latest", 1, ()),
        ("!(github.ref == 'x' && false)", "ubuntu-latest", 1, ()),
        ("failure()", "ubuntu-latest", 1, ("if: failure()",)),
    ],
)
def test_a_condition_is_decided_where_it_can_be(condition: str, on: str, count: int, when: tuple[str, ...]) -> None:
    found = job(f'steps:\n  - run: x\n    if: "{condition}"', on=on)
    assert [s.when for s in found.scripts] == [when] * count
    assert found.problems == ()


def test_a_condition_narrows_an_unknown_runner() -> None:
    script = one(job("steps:\n  - run: x\n    if: runner.os == 'Linux'", on="my-own"))
    assert script.platforms == {"linux-x86_64", "linux-aarch64"}


def test_the_runners_facts_split_an_unknown_runner() -> None:
    found = job("steps:\n  - {run: 'x ${{ runner.os }}', shell: bash}", on="my-own")
    assert {(s.text.text, s.platforms) for s in found.scripts} == {
        ("x Linux", frozenset({"linux-x86_64", "linux-aarch64"})),
        ("x macOS", frozenset({"macos-arm64"})),
        ("x Windows", frozenset({"windows-x86_64"})),
    }


@pytest.mark.parametrize(
    ("extra", "ignored"),
    [
        ("continue-on-error: true", True),
        ("continue-on-error: false", False),
        ("continue-on-error: ${{ matrix.x == 'a' }}", True),
        ("continue-on-error: ${{ inputs.x }}", False),
    ],
)
def test_a_swallowed_exit_status_is_told(extra: str, ignored: bool) -> None:
    body = f"strategy: {{matrix: {{x: [a]}}}}\nsteps:\n  - run: x\n    {extra}"
    assert one(job(body)).ignored is ignored
    assert one(job(f"{extra}\nstrategy: {{matrix: {{x: [a]}}}}\nsteps:\n  - run: x")).ignored is ignored


def test_a_uses_is_a_call() -> None:
    inputs = "    with:\n      fetch-depth: 0\n      ref: a${{ vars.r }}"
    body = f"env: {{A: x}}\nsteps:\n  - uses: actions/checkout@v4 # c\n{inputs}"
    found = job(body)
    assert found.scripts == ()
    (call,) = found.calls
    assert [w.shown for w in call.argv] == ["uses", "actions/checkout@v4", "--fetch-depth=0", "--ref=a${{ vars.r }}"]
    assert [v.name for v in call.env] == ["A"]
    assert call.platforms == {"linux-x86_64"}
    assert call.argv[0].written is not None


def test_a_called_workflow_is_a_call() -> None:
    found = read("on: push\njobs:\n  j:\n    uses: ./.github/workflows/x.yml\n    with: {a: b}\n")
    assert [[w.shown for w in c.argv] for c in found.calls] == [["uses", "./.github/workflows/x.yml", "--a=b"]]
    assert [(p.line, p.fatal) for p in found.problems] == [(4, False)]


def test_a_composite_action_is_read() -> None:
    text = "runs:\n  using: composite\n  steps:\n    - run: x\n      shell: bash\n    - uses: o/n@v1\n    - run: y\n"
    found = read(text, "sub/action.yml")
    assert [(shown(s), s.pipefail, s.platforms) for s in found.scripts] == [("x", True, None), ("y", False, None)]
    assert len(found.calls) == 1
    assert [(p.line, p.fatal) for p in found.problems] == [(7, False)]


@pytest.mark.parametrize("text", ["runs: {using: node20, main: x.js}\n", "a: b\n", "- a\n", ""])
def test_other_actions_hold_no_commands(text: str) -> None:
    assert read(text, "action.yml") == Reading()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on: push\njobs:\n  j:\n    steps:\n      - run: [a]\n", [(5, "jobs.j.steps[0].run")]),
        ("on: push\njobs:\n  j:\n    steps:\n      - name: a\n", [(5, "jobs.j.steps[0]")]),
        ("on: push\njobs:\n  j:\n    steps: x\n", [(4, "jobs.j.steps")]),
        ("on: push\njobs:\n  j: x\n", [(3, "jobs.j")]),
        ("on: push\njobs: [a]\n", [(2, "jobs")]),
        ("on: push\n", [(1, "jobs")]),
        ("on: push\nenv: [a]\njobs: {}\n", [(2, "env")]),
        ("on: push\njobs:\n  j:\n    env:\n      A: [b]\n    steps: []\n", [(5, "jobs.j.env.A")]),
        ("on: push\njobs:\n  j:\n    steps:\n      - a\n", [(5, "jobs.j.steps[0]")]),
        ("jobs:\n  j:\n    steps:\n      - uses: x\n        with: y\n", [(5, "jobs.j.steps[0].with")]),
        (
            "jobs:\n  j:\n    strategy: {matrix: {a: [1, 2]}}\n    steps:\n      - run: {}\n",
            [(5, "jobs.j.steps[0].run")],
        ),
        ("jobs:\n  j:\n   steps:\n  - x\n", [(4, None)]),
        ("jobs:\n  j: {}\n  j: {}\n", [(2, "jobs.j.steps"), (3, "j")]),
    ],
)
def test_what_is_wrong_is_told_with_line_and_key(text: str, expected: "list[tuple[int, str | None]]") -> None:
    assert problems(read(text)) == expected


def test_what_is_nested_too_deeply_is_told() -> None:
    for depth in (100, 300, 2000):
        matrix = "{a: " + "[" * depth + "1" + "]" * depth + "}"
        found = job(f"strategy: {{matrix: {matrix}}}\nsteps:\n  - run: x")
        assert len(found.scripts) + len(found.problems) == 1


def test_a_wrong_step_does_not_hide_the_others() -> None:
    found = read(
        "jobs:\n  j:\n    steps:\n      - run: [a]\n      - run: b\n  k: x\n  l:\n    steps:\n      - run: c\n"
    )
    assert [shown(s) for s in found.scripts] == ["b", "c"]
    assert len(found.problems) == 2


def test_an_alias_is_what_it_stands_for() -> None:
    first = "jobs:\n  j:\n    env: &e {A: x}\n    steps:\n      - &s\n        run: a ${{ env.A }}\n"
    text = first + "  k:\n    env: *e\n    steps: [*s]\n"
    assert [(s.place.job, shown(s)) for s in read(text).scripts] == [("j", "a x"), ("k", "a x")]


def test_anchors_are_followed_and_merge_keys_are_refused_as_github_refuses_them() -> None:
    top = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    env: &e {X: y}\n    steps: &s [{run: cc $X}]\n"
    plain = read(top + "  b:\n    runs-on: ubuntu-latest\n    env: *e\n    steps: *s\n")
    assert plain.problems == ()
    assert [env(script) for script in plain.scripts] == [{"X": "y"}] * 2
    merged = read(top + "  b:\n    runs-on: ubuntu-latest\n    env:\n      <<: *e\n      Z: z\n    steps: *s\n")
    assert [(p.line, p.key, p.fatal) for p in merged.problems] == [(10, "<<", True)]
    assert env(merged.scripts[-1]) == {"X": "y", "Z": "z"}
