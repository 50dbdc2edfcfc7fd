"""Edits of CI systems' files, of Jenkinsfiles, of compose, bake and devcontainer files: each is caught."""

from pathlib import Path

import pytest

from flagguard.sabotage import Outcome
from flagguard.sabotage.plan import Operator

from .support import prove

RULES = """
packs = []
[[rule]]
id      = "pinned"
command = "mojo build"
require = [{ flag = "--target-cpu", one-of = ["x86-64-v2"] }]
at-least = 0
[[rule]]
id      = "rust"
command = "cargo build"
require = [{ flag = "-C target-cpu", value = "x86-64-v2" }]
at-least = 0
[[rule]]
id      = "argument"
command = "docker build"
require = [{ flag = "--build-arg CPU", value = "x86-64-v2" }]
at-least = 0
"""
FILES: list[tuple[str, str, list[str]]] = [
    (
        ".gitlab-ci.yml",
        "variables:\n  CPU: x86-64-v2\n.b:\n  script:\n    - mojo build --target-cpu $CPU a.mojo\nj:\n  extends: .b\n",
        ["-    - mojo build --target-cpu $CPU a.mojo", "+    - mojo build a.mojo"],
    ),
    (
        ".gitlab-ci.yml",
        "variables:\n  RUSTFLAGS: -C target-cpu=x86-64-v2\n  X: y\nj: {script: [cargo build]}\n",
        ["-  RUSTFLAGS: -C target-cpu=x86-64-v2"],
    ),
    (
        ".gitlab-ci.yml",
        "j:\n  parallel:\n    matrix:\n      - CPU: [x86-64-v2]\n  script: mojo build --target-cpu $CPU a.mojo\n",
        ["-      - CPU: [x86-64-v2]", "+      - CPU: [native]"],
    ),
    (
        ".circleci/config.yml",
        "commands:\n  b:\n    parameters: {cpu: {default: x86-64-v2}}\n    steps:\n"
        "      - run: mojo build --target-cpu << parameters.cpu >> a.mojo\njobs: {build: {steps: [b]}}\n",
        ["+    parameters: {cpu: {default: native}}"],
    ),
    (
        ".circleci/config.yml",
        "jobs:\n  j:\n    parameters: {cpu: {}}\n"
        "    steps: [run: mojo build --target-cpu << parameters.cpu >> a.mojo]\n"
        "workflows:\n  w:\n    jobs:\n      - j: {matrix: {parameters: {cpu: [x86-64-v2]}}}\n",
        ["+      - j: {matrix: {parameters: {cpu: [native]}}}"],
    ),
    (
        "azure-pipelines.yml",
        "variables:\n  cpu: x86-64-v2\nsteps:\n- bash: |\n    mojo build \\\n      --target-cpu $(cpu) \\\n"
        "      a.mojo\n",
        ["-      --target-cpu $(cpu) \\"],
    ),
    (
        "azure-pipelines.yml",
        "steps:\n- bash: cargo build\n  env:\n    RUSTFLAGS: -C target-cpu=x86-64-v2\n",
        ["-  env:", "-    RUSTFLAGS: -C target-cpu=x86-64-v2"],
    ),
    (
        ".buildkite/p.yml",
        "env:\n  CPU: x86-64-v2\nsteps:\n  - command: mojo build --target-cpu $CPU a.mojo\n",
        ["-  CPU: x86-64-v2"],
    ),
    (".travis.yml", "env: CPU=x86-64-v2\nscript: mojo build --target-cpu $CPU a.mojo\n", ["+env: CPU=native"]),
    (
        ".cirrus.yml",
        "task:\n  env:\n    CPU: x86-64-v2\n  script: mojo build --target-cpu $CPU a.mojo\n",
        ["-    CPU: x86-64-v2"],
    ),
    (
        ".woodpecker.yml",
        "matrix:\n  CPU: [x86-64-v2]\nsteps: {a: {commands: ['mojo build --target-cpu ${CPU} a.mojo']}}\n",
        ["+  CPU: [native]"],
    ),
    (
        "bitbucket-pipelines.yml",
        "pipelines:\n  default:\n    - step:\n        script:\n          - mojo build --target-cpu x86-64-v2 a.mojo\n",
        ["+          - mojo build a.mojo"],
    ),
    (
        "appveyor.yml",
        "image: Ubuntu\nenvironment:\n  CPU: x86-64-v2\nbuild_script:\n  - mojo build --target-cpu $CPU a.mojo\n",
        ["+  CPU: native"],
    ),
    (
        "Jenkinsfile",
        "node {\n  sh 'mojo build --target-cpu x86-64-v2 a.mojo'\n"
        '  sh """\n    mojo build --target-cpu x86-64-v2 \\\\\n      b.mojo\n  """\n}\n',
        ["-  sh 'mojo build --target-cpu x86-64-v2 a.mojo'", "+  sh 'mojo build a.mojo'"],
    ),
    (
        "compose.yml",
        "services:\n  a:\n    build:\n      context: .\n      args:\n        CPU: x86-64-v2\n"
        '    command: ["mojo", "build", "--target-cpu", "x86-64-v2", "a.mojo"]\n',
        ['+    command: ["mojo", "build", "a.mojo"]'],
    ),
    ("docker-bake.hcl", 'target "a" {\n  args = {\n    CPU = "x86-64-v2"\n  }\n}\n', ['+    CPU = "native"']),
    (
        ".devcontainer/devcontainer.json",
        '{\n  // c\n  "postCreateCommand": "mojo build --target-cpu x86-64-v2 a.mojo"\n}\n',
        ['+  "postCreateCommand": "mojo build a.mojo"'],
    ),
]


@pytest.mark.parametrize(("path", "text", "expected"), FILES)
def test_every_edit_is_caught(tmp_path: Path, path: str, text: str, expected: list[str]) -> None:
    proof = prove(tmp_path, RULES, {path: text})
    good = ("caught", "stayed-clean", "not-applicable")
    bad = [(r.operator.value, r.outcome.value, r.detail) for r in proof.results if r.outcome.value not in good]
    assert [b for b in bad if b[1] != "skipped" or not b[2]] == []
    caught = [r.diff.splitlines() for r in proof.results if r.outcome.value == "caught"]
    assert any(set(expected) <= set(diff) for diff in caught), caught


INPUT = """
packs = []
[[rule]]
id      = "platforms"
command = "uses docker/build-push-action"
require = [{ flag = "platforms" }]
"""
CALLED = (
    "on:\n  workflow_call:\n    inputs:\n{}jobs:\n  i:\n    runs-on: ubuntu-latest\n    steps:\n"
    "      - uses: docker/build-push-action@v6\n        with: {{platforms: '${{{{ inputs.p }}}}'}}\n"
)
CALLS = "on: push\njobs:\n  a:\n    uses: ./.github/workflows/image.yml\n"


@pytest.mark.parametrize(
    ("declared", "gone"),
    [
        ("      p: {type: string, default: linux/amd64}\n", ["+      p: {type: string}"]),
        ("      p:\n        type: string\n        default: linux/amd64\n", ["-        default: linux/amd64"]),
        ("      p:\n        default: linux/amd64\n", ["-        default: linux/amd64"]),
    ],
)
def test_the_default_of_an_input_is_taken_away(tmp_path: Path, declared: str, gone: list[str]) -> None:
    files = {".github/workflows/image.yml": CALLED.format(declared), ".github/workflows/release.yml": CALLS}
    proof = prove(tmp_path, INPUT, files)
    taken = [r for r in proof.results if r.operator is Operator.DROP_ASSIGNMENT and r.outcome is Outcome.CAUGHT]
    assert any(all(line in r.diff.splitlines() for line in gone) for r in taken)
    assert proof.status == 0


def bad(folder: Path, rules: str, files: dict[str, str]) -> list[tuple[str, str, str]]:
    proof = prove(folder, rules, files)
    assert any(r.outcome is Outcome.CAUGHT for r in proof.results)
    return [(r.operator.value, r.outcome.value, r.diff or r.detail) for r in proof.results if r.fails]


LOCKED = 'packs = []\n[[rule]]\nid = "locked"\ncommand = "cargo install"\nrequire = ["--locked"]\n'


def test_the_inputs_of_an_action_are_no_shell(tmp_path: Path) -> None:
    step = "      - uses: baptiste0928/cargo-install@v3\n        with: {crate: just, args: --locked}\n"
    text = f"on: push\njobs:\n  j:\n    runs-on: ubuntu-latest\n    steps:\n{step}"
    assert bad(tmp_path, LOCKED, {".github/workflows/a.yml": text}) == []


def test_an_item_of_a_list_is_emptied(tmp_path: Path) -> None:
    steps = "parameters: {args: [--locked, just]}\nsteps:\n  - bash: cargo install ${{ join(' ', parameters.args) }}\n"
    assert bad(tmp_path, LOCKED, {"azure-pipelines.yml": steps}) == []


def test_what_stands_behind_a_value_in_front_of_a_command_stays_apart(tmp_path: Path) -> None:
    text = "steps:\n  - bash: RUSTFLAGS=-Ctarget-cpu=x86-64-v2 cargo build\n"
    assert bad(tmp_path, RULES, {"azure-pipelines.yml": text}) == []


PASSED = [
    # an assignment that only hands on, also by way of a makefile and of a file of bake
    ({"a.sh": "X=-O2\nY=$X\ncc $Y -c a.c\n"}, "-Y=$X"),
    ({"Makefile": "X = -O2\nY ?= $(X)\na:\n\tcc $(Y) -c a.c\n"}, "-Y ?= $(X)"),
    ({"a.sh": "X=-O2\nexport Y=$X\nsh -c 'cc $Y -c a.c'\n"}, "-export Y=$X"),
]


@pytest.mark.parametrize(("files", "gone"), PASSED)
def test_what_only_hands_on_is_taken_away(tmp_path: Path, files: dict[str, str], gone: str) -> None:
    rules = 'packs = []\n[[rule]]\nid = "opt"\ncommand = "@c-compiler"\nrequire = ["-O2"]\n'
    proof = prove(tmp_path, rules, files)
    dropped = [r for r in proof.results if r.operator is Operator.DROP_ASSIGNMENT]
    assert [r.outcome for r in dropped if gone in r.diff.splitlines()] == [Outcome.CAUGHT]
    assert proof.status == 0


def test_what_a_handing_on_assignment_has_besides_is_left_alone(tmp_path: Path) -> None:
    # without -O2 the rule would ask for nothing
    rules = 'packs = []\n[[rule]]\nid = "f"\ncommand = "@c-compiler"\nwith = ["-O2"]\nrequire = ["-DF"]\n'
    assert bad(tmp_path, rules, {"a.sh": 'X=-DF\nY="-O2 $X"\ncc $Y -c a.c\n'}) == []


def test_an_edit_that_changes_nothing_is_found_out(tmp_path: Path) -> None:
    level = 'packs = []\n[[rule]]\nid = "go"\ncommand = "go build"\nrequire = [{ env = "GOAMD64", one-of = ["v2"] }]\n'
    files = {
        "azure-pipelines.yml": "variables: {GOAMD64: v2}\njobs:\n  - template: ci/job.yml\n",
        "ci/job.yml": "parameters: {level: v2}\njobs:\n  - job: a\n    steps:\n      - script: go build\n"
        "        env: {GOAMD64: '${{ parameters.level }}'}\n",
    }
    assert bad(tmp_path, level, files) == []
