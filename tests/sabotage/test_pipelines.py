"""Edits of CI systems' files, of Jenkinsfiles, of compose, bake and devcontainer files: each is caught."""

from pathlib import Path

import pytest

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
