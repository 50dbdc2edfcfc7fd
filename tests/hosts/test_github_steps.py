"""GitHub Actions: what steps hand to each other, and what is run in which course of events."""

import pytest

from flagguard.command import Reading, Script
from flagguard.hosts import github

from .support import env, reading, shown

PATH = ".github/workflows/ci.yml"


def job(
    steps: str,
    on: str = "push",
    runner: str = "ubuntu-latest",
    top: str = "",
    files: "dict[str, str] | None" = None,
) -> Reading:
    body = "".join(f"      {line}\n" if line else "\n" for line in steps.split("\n"))
    text = f"on: {on}\n{top}jobs:\n  j:\n    runs-on: {runner}\n    steps:\n{body}"
    return reading(github, text, PATH, files)


def last(found: Reading) -> list[tuple[tuple[str, ...], "list[str] | str", dict[str, str]]]:
    """The last step in each of its courses."""
    order = max(s.order for s in found.scripts)
    return [(s.when, shown(s), env(s)) for s in found.scripts if s.order == order]


WRITES = [
    ('echo "X=1" >> $GITHUB_ENV', {"X": "1"}),
    ('echo X=1 >>"$GITHUB_ENV"', {"X": "1"}),
    ("echo X=1 >> ${GITHUB_ENV}", {"X": "1"}),
    ("echo 'X=a=b' | tee -a $GITHUB_ENV", {"X": "a=b"}),
    ("printf 'X=%s\\n' 1 >> $GITHUB_ENV", {"X": "1"}),
    ('V=-O2; echo "X=$V -g" >> $GITHUB_ENV', {"X": "-O2 -g"}),
    ("{\n    echo X=1\n    echo Y=2\n  } >> $GITHUB_ENV", {"X": "1", "Y": "2"}),
    ("cat <<E >> $GITHUB_ENV\n  X=1\n  Y=$HOME\n  E", {"X": "1", "Y": "$HOME"}),
    ("{\n    echo 'X<<E'\n    echo a\n    echo b\n    echo E\n  } >> $GITHUB_ENV", {"X": "a\nb"}),
    ("for n in 1 2; do echo X$n=$n >> $GITHUB_ENV; done", {"X1": "1", "X2": "2"}),
    ('w() { echo "$1=$2" >> $GITHUB_ENV; }\n  w X 1', {"X": "1"}),
    ("bash -c 'echo X=1 >> $GITHUB_ENV'", {"X": "1"}),
    ("echo X=1 >> $GITHUB_ENV\n  echo X=2 >> $GITHUB_ENV", {"X": "2"}),
    ("uname -m | sed s/x/y/ >> $GITHUB_ENV", {}),
    ('echo "X=$(git describe)" >> $GITHUB_ENV', {"X": "$(git describe)"}),
    ("echo NODE_OPTIONS=1 >> $GITHUB_ENV; echo GITHUB_SHA=1 >> $GITHUB_ENV", {}),
    ("echo X=1 >> $GITHUB_OUTPUT", {}),
    ('echo "::set-env name=X::1"', {}),
    ("echo X=1", {}),
    ("# echo X=1 >> $GITHUB_ENV", {}),
    ("exit 0\n  echo X=1 >> $GITHUB_ENV", {}),
]


@pytest.mark.parametrize(("line", "expected"), WRITES)
def test_what_a_step_writes_is_there_in_the_next_one_and_not_before(line: str, expected: dict[str, str]) -> None:
    found = job(f"- run: |\n    {line.replace(chr(10), chr(10) + '  ')}\n- run: y")
    first, second = found.scripts
    assert env(first) == {}
    assert env(second) == expected


def test_a_written_value_stands_where_it_is_written() -> None:
    found = job('- run: echo "FLAGS=-march=native" >> $GITHUB_ENV\n- run: cc $FLAGS')
    (value,) = (v.value for v in found.scripts[1].env)
    (span,) = {p.route[-1] for p in value.pieces}
    assert all(p.verbatim for p in value.pieces)
    text = 'on: push\njobs:\n  j:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo "FLAGS='
    assert (span.start, span.end) == (len(text), len(text) + len("-march=native"))


def test_a_written_value_takes_the_place_of_the_jobs_and_a_steps_own_that_of_it() -> None:
    found = job(
        "- run: echo X=new >> $GITHUB_ENV\n- run: a ${{ env.X }}\n- run: b\n  env: {X: own}", top="env: {X: old}\n"
    )
    assert [env(s)["X"] for s in found.scripts] == ["old", "new", "own"]
    assert shown(found.scripts[1]) == "a new"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('"X=1" >> $env:GITHUB_ENV', {"X": "1"}),
        ("'X=1' | Out-File -FilePath $env:GITHUB_ENV -Encoding utf8 -Append", {"X": "1"}),
        ('echo "X=1" >> $env:GITHUB_ENV', {"X": "1"}),
        ('$v = "2"\n  "X=$v" >> $env:GITHUB_ENV', {"X": "2"}),
        ("Write-Output 'X=1' | Add-Content $env:GITHUB_ENV", {"X": "1"}),
        ("Add-Content -Path $env:GITHUB_ENV -Value 'X=1'", {"X": "1"}),
        ("echo 'X=1'", {}),
    ],
)
def test_what_powershell_writes(lines: str, expected: dict[str, str]) -> None:
    found = job(f"- run: |\n    {lines.replace(chr(10), chr(10) + '  ')}\n- run: y", runner="windows-latest")
    assert env(found.scripts[1]) == expected


def test_a_text_that_is_not_followed_gives_its_names_all_the_same() -> None:
    found = job("- run: |\n    echo X=1>>%GITHUB_ENV%\n  shell: cmd\n- run: y", runner="windows-latest")
    assert env(found.scripts[1]) == {"X": "$X"}


def test_what_a_script_of_the_repository_writes_is_known_by_name() -> None:
    files = {"ci/env.sh": "echo CFLAGS=-O2 >> $GITHUB_ENV\n"}
    found = job("- run: ./ci/env.sh\n- run: y", files=files)
    assert env(found.scripts[1]) == {"CFLAGS": "$CFLAGS"}


def test_a_write_under_a_condition_is_two_courses() -> None:
    found = job("- if: github.ref == 'x'\n  run: echo CFLAGS=-O3 >> $GITHUB_ENV\n- run: y")
    assert last(found) == [
        (("if: github.ref == 'x'",), "y", {"CFLAGS": "-O3"}),
        (("if: !(github.ref == 'x')",), "y", {}),
    ]


def test_courses_that_exclude_each_other_do_not_meet() -> None:
    found = job(
        "- if: github.ref == 'x'\n  run: echo CFLAGS=-O3 >> $GITHUB_ENV\n"
        "- if: ${{ !(github.ref == 'x') }}\n  run: echo CFLAGS=-O0 >> $GITHUB_ENV\n- run: y"
    )
    assert [value for _, _, value in last(found)] == [{"CFLAGS": "-O3"}, {"CFLAGS": "-O0"}]


def test_the_courses_of_a_script_are_those_of_what_it_writes() -> None:
    found = job("- run: |\n    if [ -f x ]; then echo CFLAGS=-O3 >> $GITHUB_ENV; fi\n- run: y")
    assert sorted(value.get("CFLAGS", "") for _, _, value in last(found)) == ["", "-O3"]
    assert all(when for when, _, _ in last(found))


def test_a_variable_that_nobody_looks_at_makes_no_courses() -> None:
    found = job("- if: github.ref == 'x'\n  run: echo VERSION=1 >> $GITHUB_ENV\n- run: y\n- run: z $VERSION")
    second = [s for s in found.scripts if s.order == (1,)]
    assert [env(s) for s in second] == [{"VERSION": "$VERSION"}]
    assert [value for _, _, value in last(found)] == [{"VERSION": "1"}, {}]


OUTPUTS = [
    ("echo o=1 >> $GITHUB_OUTPUT", "1"),
    ('echo "::set-output name=o::1"', "1"),
    ("{ echo 'o<<E'; echo 1; echo E; } >> $GITHUB_OUTPUT", "1"),
    ("echo p=1 >> $GITHUB_OUTPUT", "${{ steps.s.outputs.o }}"),
    ("./x", "${{ steps.s.outputs.o }}"),
]


@pytest.mark.parametrize(("line", "expected"), OUTPUTS)
def test_an_output_is_known_to_later_steps(line: str, expected: str) -> None:
    found = job(f"- id: s\n  run: |\n    {line}\n- run: y ${{{{ steps.s.outputs.o }}}}")
    assert shown(found.scripts[1]) == f"y {expected}"


def test_an_output_of_a_job_is_known_to_those_that_need_it_also_as_a_matrix() -> None:
    text = """on: push
jobs:
  b:
    needs: a
    runs-on: ubuntu-latest
    strategy: {matrix: {cpu: "${{ fromJSON(needs.a.outputs.m) }}"}}
    steps:
      - run: cc -march=${{ matrix.cpu }}
  a:
    runs-on: ubuntu-latest
    outputs: {m: "${{ steps.s.outputs.m }}"}
    steps:
      - id: s
        run: echo 'm=["v2", "native"]' >> $GITHUB_OUTPUT
"""
    found = reading(github, text, PATH)
    assert [shown(s) for s in found.scripts if "cc" in s.text.text] == ["cc -march=v2", "cc -march=native"]
    assert [s.needs for s in found.scripts if "cc" in s.text.text] == [("a",), ("a",)]


INPUTS = "{native: {type: boolean}, level: {type: choice, options: [v2, v3]}, name: {default: x}}"
DISPATCH = f"{{workflow_dispatch: {{inputs: {INPUTS}}}}}"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("${{ inputs.name }}", {(): "x"}),
        ("${{ inputs.native && '-a' || '-b' }}", {("inputs.native is false",): "-b", ("inputs.native is true",): "-a"}),
        ("${{ inputs.level }}", {("inputs.level is v2",): "v2", ("inputs.level is v3",): "v3"}),
        ("${{ github.event.inputs.level }}", {("inputs.level is v2",): "v2", ("inputs.level is v3",): "v3"}),
        ("${{ inputs.level && 'same' }}", {(): "same"}),
    ],
)
def test_inputs_that_one_can_choose_make_courses(line: str, expected: dict[tuple[str, ...], str]) -> None:
    found = job(f"- run: x {line}", on=DISPATCH)
    assert {s.when: shown(s) for s in found.scripts} == {when: f"x {said}" for when, said in expected.items()}


def test_an_input_has_its_default_only_where_its_event_starts_the_workflow() -> None:
    found = job(
        "- run: cc ${{ inputs.name || 'native' }}", on="{push: {}, workflow_dispatch: {inputs: {name: {default: v2}}}}"
    )
    assert {s.when: shown(s) for s in found.scripts} == {
        ("on: push",): "cc native",
        ("on: workflow_dispatch",): "cc v2",
    }


@pytest.mark.parametrize(
    ("on", "condition", "expected"),
    [
        ("push", "github.event_name == 'push'", [()]),
        ("push", "github.event_name == 'schedule'", []),
        ("[push, pull_request]", "github.event_name == 'push'", [("if: github.event_name == 'push'",)]),
        ("[push, pull_request]", "github.event_name != 'schedule'", [()]),
        ("push", "always()", [()]),
        ("push", "failure()", [("if: failure()",)]),
        ("push", "false", []),
        (DISPATCH, "inputs.native", [("if: inputs.native",)]),
        ("workflow_call", "github.event_name == 'push'", [("if: github.event_name == 'push'",)]),
    ],
)
def test_a_condition_on_what_starts_the_workflow(on: str, condition: str, expected: list[tuple[str, ...]]) -> None:
    found = job(f"- run: x\n  if: {condition}", on=on)
    assert [s.when for s in found.scripts] == expected
    assert not any(s.opt_in for s in found.scripts)


def test_what_a_default_switches_off_has_to_be_asked_for() -> None:
    found = job("- run: x\n  if: inputs.name == 'debug'", on=DISPATCH)
    assert [(s.opt_in, s.when) for s in found.scripts] == [(True, ("if: inputs.name == 'debug'",))]


def test_a_job_that_needs_one_that_is_never_run_is_not_run_either() -> None:
    text = """on: push
jobs:
  a: {if: false, runs-on: x, steps: [{run: a}]}
  b: {needs: a, runs-on: x, steps: [{run: b}]}
  c: {needs: [b], if: always(), runs-on: x, steps: [{run: c}]}
"""
    assert [shown(s) for s in reading(github, text, PATH).scripts] == ["c"]


ACTION = """inputs: {cpu: {default: v2}, tune: {}}
outputs: {o: {value: "${{ steps.z.outputs.q }}"}}
runs:
  using: composite
  steps:
    - run: cc -march=${{ inputs.cpu }} ${{ inputs.tune }} $GITHUB_ACTION_PATH ${{ github.action_path }}/x
      shell: bash
    - id: z
      run: |
        echo FLAGS=-g >> $GITHUB_ENV
        echo q=1 >> $GITHUB_OUTPUT
      shell: bash
    - if: inputs.cpu == 'v2'
      run: only v2
      shell: sh
"""


def test_a_composite_action_is_followed_with_what_the_call_gives() -> None:
    found = job(
        "- uses: ./act\n  id: c\n  with: {cpu: v4}\n  env: {E: 1}\n- run: y ${{ steps.c.outputs.o }}",
        files={"act/action.yml": ACTION},
    )
    first, second, after = found.scripts
    assert shown(first) == "cc -march=v4  $GITHUB_ACTION_PATH ${{ github.action_path }}/x"
    assert [h.path for h in first.text.holes] == ["act"]
    assert env(first)["E"] == "1"
    assert [v.path for v in first.via] == [PATH]
    assert (first.order, second.order, after.order) == ((0, 0), (0, 1), (1,))
    assert shown(after) == "y 1"
    assert env(after) == {"FLAGS": "-g"}
    assert found.follows == (("", ("act/action.yml", "runs")),)
    assert [c.argv[1].text for c in found.calls] == ["./act"]


def test_a_composite_action_by_itself_is_read_with_its_defaults() -> None:
    found = reading(github, ACTION, "act/action.yml")
    assert shown(found.scripts[0]).startswith("cc -march=v2 ")
    assert {s.unit for s in found.scripts} == {"runs"}


def test_an_action_that_calls_itself_ends() -> None:
    files = {"a/action.yml": "runs: {using: composite, steps: [{uses: ./a}, {run: x, shell: sh}]}\n"}
    found = job("- uses: ./a", files=files)
    assert 1 <= len(found.scripts) <= 12
    assert any("too deeply" in p.message for p in found.problems)


REUSED = """on:
  workflow_call:
    inputs: {cpu: {type: string, default: v2}, fast: {type: boolean}}
    outputs: {o: {value: "${{ jobs.inner.outputs.p }}"}}
jobs:
  inner:
    runs-on: macos-14
    outputs: {p: "${{ steps.s.outputs.q }}"}
    steps:
      - id: s
        run: echo q=1 >> $GITHUB_OUTPUT
      - run: cc -march=${{ inputs.cpu }} ${{ inputs.fast && '-O3' || '-O1' }}
"""


def test_a_workflow_that_a_job_calls_is_followed_with_what_it_gives_for_each_row() -> None:
    text = """on: push
jobs:
  c:
    strategy: {matrix: {cpu: [v2, v3]}}
    uses: ./.github/workflows/r.yml
    with: {cpu: "${{ matrix.cpu }}", fast: true}
  d:
    needs: c
    runs-on: ubuntu-latest
    steps: [{run: "x ${{ needs.c.outputs.o }}"}]
"""
    found = reading(github, text, PATH, {".github/workflows/r.yml": REUSED})
    said = [(s.place.job, shown(s), s.platforms) for s in found.scripts if "cc" in s.text.text]
    mac = frozenset({"macos-arm64"})
    assert said == [("c (v2) / inner", "cc -march=v2 -O3", mac), ("c (v3) / inner", "cc -march=v3 -O3", mac)]
    assert [shown(s) for s in found.scripts if s.place.job == "d"] == ["x 1"]
    assert found.follows == (("", (".github/workflows/r.yml", "workflow_call")),)


def test_a_workflow_that_is_only_called_is_a_part() -> None:
    assert {s.unit for s in reading(github, REUSED, ".github/workflows/r.yml").scripts} == {"workflow_call"}
    started = REUSED.replace("on:\n", "on:\n  push:\n")
    assert {s.unit for s in reading(github, started, ".github/workflows/r.yml").scripts} == {""}


def runs(step: str) -> list[tuple[str, "list[str] | str"]]:
    """What a `uses:` runs besides itself: its dialect and its words or its text."""
    return [(s.dialect.value, shown(s)) for s in job(f"- {step}").scripts]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            "uses: docker/build-push-action@v6\n  with:\n    file: d/Dockerfile\n    platforms: linux/amd64,linux/arm64"
            "\n    build-args: |\n      CPU=v2\n      X=a b\n    push: true",
            [("argv", "docker|buildx|build|--file|d/Dockerfile|--platform|linux/amd64,linux/arm64|--build-arg|CPU=v2"
              "|--build-arg|X=a b|--push|.")],
        ),
        ("uses: docker/build-push-action@v6", [("argv", "docker buildx build .")]),
        ("uses: PyO3/maturin-action@v1\n  with: {command: build, args: --release --out 'a b', target: x}",
         [("argv", "maturin|build|--target|x|--release|--out|a b")]),
        ("uses: actions-rs/cargo@v1\n  with: {command: build, args: --locked, use-cross: true}",
         [("argv", "cross build --locked")]),
        ("uses: actions-rs/cargo@v1\n  with: {command: build, toolchain: nightly}", [("argv", "cargo +nightly build")]),
        ("uses: pypa/cibuildwheel@v3\n  with: {output-dir: w}", [("argv", "cibuildwheel --output-dir w")]),
        ("uses: goreleaser/goreleaser-action@v6\n  with: {args: release}", [("argv", "goreleaser release")]),
        ("uses: nick-fields/retry@v3\n  with: {command: make native, shell: pwsh}", [("powershell", "make native")]),
        ("uses: nick-fields/retry@v3\n  with: {command: make native}", [("bash", "make native")]),
        ("uses: reactivecircus/android-emulator-runner@v2\n  with: {script: \"a\\nb\"}", [("sh", "a"), ("sh", "b")]),
        ("uses: docker://alpine:3\n  with: {args: cc -O2, entrypoint: sh}",
         [("argv", "docker run --entrypoint sh alpine:3 cc -O2")]),
        ("uses: lukka/run-cmake@v10\n  with: {configurePreset: a, buildPreset: b}",
         [("argv", "cmake --preset a"), ("argv", "cmake --build --preset b")]),
        ("uses: somebody/else@v1\n  with: {run: x}", []),
    ],
)  # fmt: skip
def test_what_a_well_known_action_runs(step: str, expected: list[tuple[str, str]]) -> None:
    assert runs(step) == [(d, _words(s) if d == "argv" else s) for d, s in expected]


def _words(said: str) -> list[str]:
    return said.split("|") if "|" in said else said.split()


def test_another_machine_has_its_platform_and_not_the_environment() -> None:
    given = "arch: ppc64le\n    run: make\n    env: |\n      B: 2"
    found = job(f"- uses: uraimo/run-on-arch-action@v2\n  env: {{A: 1}}\n  with:\n    {given}")
    (script,) = found.scripts
    assert script.platforms == {"linux-ppc64le"}
    assert env(script) == {"B": "2"}


def test_a_docker_action_of_the_repository_is_built_and_run() -> None:
    action = (
        "inputs: {cpu: {}}\nruns:\n  using: docker\n  image: Dockerfile\n  args: [cc, '-march=${{ inputs.cpu }}']\n"
    )
    found = job("- uses: ./d\n  with: {cpu: v2}", files={"d/action.yml": action})
    assert [shown(s) for s in found.scripts] == [
        ["docker", "build", "--file", "d/Dockerfile", "d"],
        ["docker", "run", "local-action", "cc", "-march=v2"],
    ]


def test_the_container_of_a_docker_action_has_the_step_s_environment_and_its_own() -> None:
    action = (
        "inputs: {cpu: {default: v3}}\nruns:\n  using: docker\n  image: docker://x\n"
        "  env: {CPU: '${{ inputs.cpu }}', B: 2}\n  args: [cc]\n"
    )
    found = job("- uses: ./d\n  env: {A: 1, B: 1}\n- uses: docker://y\n  env: {A: 1}", files={"d/action.yml": action})
    assert [" ".join(shown(s)) for s in found.scripts] == [
        "docker run --env A --env CPU=v3 --env B=2 x cc",
        "docker run --env A y",
    ]


def test_what_an_action_sets_reaches_later_steps() -> None:
    found = job("- uses: actions-rust-lang/setup-rust-toolchain@v1\n- run: cargo build")
    assert env(found.scripts[0]) == {"RUSTFLAGS": "-D warnings"}
    empty = job('- uses: actions-rust-lang/setup-rust-toolchain@v1\n  with: {rustflags: ""}\n- run: cargo build')
    assert env(empty.scripts[0]) == {}


def test_an_empty_value_of_env_keeps_its_place() -> None:
    found = job('- run: a\n  env:\n    ONE: ""\n    TWO: ${{ null }}\n    SIX:\n    OK: x')
    text = found.scripts[0].text.pieces[0].route[0].path
    values = {v.name: v.value for v in found.scripts[0].env}
    assert {name: value.text for name, value in values.items()} == {"ONE": "", "TWO": "", "SIX": "", "OK": "x"}
    assert all(value.route[-1].path == text for value in values.values())


def test_anchors_stand_for_what_they_name_and_a_bomb_is_bounded() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x]"]
    lines += [f"{n}: &{n} [{', '.join([f'*{m}'] * 8)}]" for m, n in zip("abcdefg", "bcdefgh", strict=True)]
    steps = "    strategy: {matrix: {m: *h}}\n    steps:\n      - run: y ${{ matrix.m }}\n"
    text = "\n".join(lines) + "\non: push\njobs:\n  j:\n    runs-on: x\n" + steps
    found = reading(github, text, PATH)
    assert [shown(s) for s in found.scripts] == ["y ${{ matrix.m }}"]
    assert found.scripts[0].text.holes[0].reason == "the matrix has more than 20000 values"


def test_the_numbers_of_steps_count_through_actions() -> None:
    found = job("- run: a\n- uses: ./act\n- run: b", files={"act/action.yml": ACTION})
    orders = [s.order for s in found.scripts]
    assert orders == sorted(orders)
    assert isinstance(found.scripts[0], Script)


BESIDE = [
    ("- {run: A, background: true, id: a}\n- run: y", None),
    ("- {run: A, background: true, id: a}\n- wait: a\n- run: y", "1"),
    ("- {run: A, background: true, id: a}\n- wait: b\n- run: y", None),
    ("- {run: A, background: true, id: a}\n- {run: x, background: true, id: b}\n- wait: [b, a]\n- run: y", "1"),
    ("- {run: A, background: true}\n- name: all\n  wait-all:\n- run: y", "1"),
    ("- {run: A, background: true, id: a}\n- cancel: a\n- run: y", None),
    ("- {run: A, background: true, id: a}\n- uses: ./act\n- run: y", None),
    ("- parallel:\n    - run: x\n    - run: A\n- run: y", "1"),
    ("- {run: A, background: false}\n- run: y", "1"),
]


@pytest.mark.parametrize(("steps", "expected"), BESIDE)
def test_what_a_background_step_writes_is_there_once_it_is_waited_for(steps: str, expected: "str | None") -> None:
    action = {"act/action.yml": "runs:\n  using: composite\n  steps:\n    - {run: echo, shell: bash}\n"}
    found = job(steps.replace("run: A", "run: 'echo X=1 >> $GITHUB_ENV'"), files=action)
    assert found.problems == ()
    (own,) = [s for s in found.scripts if s.text.text == "y"]
    assert env(own).get("X") == expected


def test_steps_of_a_parallel_group_do_not_see_what_the_others_write() -> None:
    found = job("- parallel:\n    - run: echo X=1 >> $GITHUB_ENV\n    - {run: y, name: other}\n    - run: z")
    assert [(s.text.text[:4], s.place.step, env(s)) for s in found.scripts] == [
        ("echo", "1.1", {}),
        ("y", "other", {}),
        ("z", "1.3", {}),
    ]


def test_outputs_of_a_background_step_reach_the_outputs_of_its_job() -> None:
    text = (
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    outputs: {X: '${{ steps.s.outputs.X }}'}\n    steps:\n"
        "      - {id: s, background: true, run: 'echo X=-O2 >> $GITHUB_OUTPUT'}\n"
        "  b:\n    needs: a\n    runs-on: ubuntu-latest\n    steps:\n      - run: cc ${{ needs.a.outputs.X }}\n"
    )
    assert reading(github, text, PATH).scripts[-1].text.text == "cc -O2"


def test_a_step_that_is_cancelled_or_waited_for_with_continue_on_error_fails_unheard() -> None:
    steps = (
        "- {run: a, background: true, id: a}\n- {run: b, background: true, id: b}\n- {run: c, background: true}\n"
        "- cancel: a\n- {wait: b, continue-on-error: true}"
    )
    assert [s.ignored for s in job(steps).scripts] == [True, True, False]


def test_an_action_cannot_have_background_steps() -> None:
    action = "runs:\n  using: composite\n  steps:\n    - {run: x, shell: bash, background: true}\n"
    assert [p.message for p in reading(github, action, "action.yml").problems] == [
        "runs.steps[0]: steps of an action cannot run beside others, so GitHub refuses it"
    ]


NODE = {"node/action.yml": "runs: {using: node20, main: x.js}\n", "act/action.yml": ACTION}
UNSET = [
    ("", "x "),
    ("- uses: actions/checkout@v4\n- uses: actions/setup-python@v5\n", "x "),
    ("- uses: ./act\n", "x "),
    ("- {run: 'echo M=1 >> $GITHUB_ENV', if: runner.os == 'Windows'}\n", "x "),
    ("- uses: some/body@v1\n", "x ${{ env.M }}"),
    ("- {uses: some/body@v1, if: false}\n", "x ${{ env.M }}"),
    ("- uses: actions/github-script@v7\n", "x ${{ env.M }}"),
    ("- uses: ./node\n", "x ${{ env.M }}"),
    ("- uses: docker://x\n", "x ${{ env.M }}"),
    ("- run: echo a; cargo build\n", "x "),
    ("- run: ci/build.sh\n", "x ${{ env.M }}"),
    ("- run: a && make all\n", "x ${{ env.M }}"),
    ("- run: echo \"$N=1\" >> $GITHUB_ENV\n  env: {N: '${{ github.actor }}'}\n", "x ${{ env.M }}"),
]


@pytest.mark.parametrize(("before", "expected"), UNSET)
def test_a_variable_that_nobody_sets_is_empty_where_nobody_else_can(before: str, expected: str) -> None:
    found = job(f"{before}- run: x ${{{{ env.M }}}}", files=NODE)
    assert found.scripts[-1].text.shown == expected


def test_no_step_is_left_out_for_a_variable_that_nobody_seems_to_set() -> None:
    found = job("- {run: a, if: env.M == '1'}\n- {run: b, if: env.M != '1'}")
    assert [(s.text.text, s.when) for s in found.scripts] == [
        ("a", ("if: env.M == '1'",)),
        ("b", ("if: env.M != '1'",)),
    ]


def test_what_github_s_own_actions_set_is_not_known() -> None:
    (script,) = job("- {run: a, env: {F: '${{ env.pythonLocation }}'}}").scripts
    assert env(script)["F"] == "${{ env.pythonLocation }}"


def test_the_runner_s_variables_say_what_the_workflow_says() -> None:
    found = job('- run: "[ $GITHUB_EVENT_NAME = push ] && cc $GITHUB_JOB"', on="[push, release]")
    assert [(env(s), s.when) for s in found.scripts] == [
        ({"GITHUB_EVENT_NAME": "push", "GITHUB_JOB": "j"}, ("on: push",)),
        ({"GITHUB_EVENT_NAME": "release", "GITHUB_JOB": "j"}, ("on: release",)),
    ]


def test_a_file_that_a_step_names_learns_what_the_runner_says_of_itself() -> None:
    files = {"b.sh": "[ $RUNNER_OS = Linux ] || exit\n", "c.sh": "cc CIRCLE\n", "sub/Makefile": "ifdef CI\nendif\n"}
    found = job("- run: ./b.sh\n- run: ./c.sh\n- run: make -j2 -C sub all\n- run: make all", files=files)
    assert [env(s) for s in found.scripts] == [{"RUNNER_OS": "Linux"}, {}, {"CI": "true"}, {}]
