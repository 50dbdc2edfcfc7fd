"""Formats that only list commands (``flagguard/hosts/data/listed.toml``, where their manuals are named)."""

# ruff: noqa: E501  (files that are one line each)

import pytest

from flagguard import tables
from flagguard.hosts import Setting, by_path, listed
from flagguard.shell import evaluate
from flagguard.text import SourceText

from .ci_support import BOMB
from .support import PLATFORMS, Memory

FORMATS = sorted(tables.table("hosts/data/listed.toml"))

# a format, a file, its text, and what runs there: job/step, folder, argv
CASES: list[tuple[str, str, str, list[str]]] = [
    (
        "readthedocs",
        ".readthedocs.yaml",
        "build:\n  jobs:\n    post_install: [make a, make b]\n    build: {html: [make c]}\n"
        "  commands: [X=1, make $X.]\n",
        ["-/commands : make .", "-/post_install : make a", "-/post_install : make b", "-/html : make c"],
    ),
    (
        "codebuild",
        "ci/buildspec-arm.yml",
        "env: {shell: bash, variables: {F: -O2}}\nphases:\n  install: {commands: [export G=x]}\n"
        "  build: {commands: ['cc $F $G'], finally: [cc end]}\n",
        ["-/- : cc -O2 x", "-/- : cc end"],
    ),
    (
        "cloudbuild",
        "cloudbuild.yaml",
        "steps:\n- name: gcr.io/cloud-builders/docker\n  args: [build, --build-arg, 'F=$_F', .]\n"
        "- {id: two, name: gcc, entrypoint: bash, dir: sub, env: [X=9], args: ['-c', 'cc ${_F} $$X $PROJECT_ID']}\n"
        "- {id: three, name: gcc, script: 'cc $X $Y'}\n- {id: four, name: gcr.io/own/image, args: [x]}\n"
        "substitutions: {_F: -O2}\noptions: {env: [Y=1]}\n",
        [
            "-/gcr.io/cloud-builders/docker : docker build --build-arg F=-O2 .",
            "-/two sub: cc -O2 9 $PROJECT_ID",
            "-/three : cc 1",
        ],
    ),
    (
        "semaphore",
        ".semaphore/semaphore.yml",
        "agent: {machine: {os_image: macos-xcode15}}\nglobal_job_config: {prologue: {commands: [P=-O1]}}\nblocks:\n"
        "- name: B\n  task:\n    env_vars: [{name: F, value: -g}]\n    prologue: {commands: [Q=-O2]}\n"
        "    jobs:\n    - {name: J, env_vars: [{name: G, value: -h}], matrix: [{env_var: M, values: [1]}],"
        " commands: ['cc $P $Q $F $G $M']}\n    - {name: K, commands: ['cc $G']}\n"
        "    epilogue: {always: {commands: [cc e]}}\n",
        ["B/J : cc -O1 -O2 -g -h $M", "B/K : cc", "B/always : cc e"],
    ),
    (
        "codemagic",
        "codemagic.yaml",
        "workflows:\n  w:\n    environment: {vars: {F: -O2}}\n    working_directory: app\n"
        "    scripts: [cc a, {name: n, script: 'cc $F'}]\n",
        ["w/n app: cc -O2", "w/1 app: cc a"],
    ),
    (
        "lefthook",
        "lefthook.yml",
        "pre-commit:\n  commands:\n    a: {run: 'cc {staged_files}', root: sub}\n"
        "  jobs:\n  - {name: j, run: cc j, env: {X: y}}\n  - {root: r, group: {jobs: [{run: cc g}]}}\n",
        ["pre-commit/a sub: cc {staged_files}", "pre-commit/j : cc j", "pre-commit: 2/1 r: cc g"],
    ),
    (
        "lefthook",
        "lefthook.yaml",
        "templates: {wrap: docker run -e X=1}\npre-push:\n  jobs: [{name: j, run: '{wrap} gcc cc -O2 {own}'}]\n",
        ["pre-push/j : cc -O2 {own}"],
    ),
    ("lefthook", "lefthook.toml", "[pre-push.commands.a]\nrun = 'cc $X'\nenv = { X = '1' }\n", ["pre-push/a : cc 1"]),
    (
        "pre_commit",
        ".pre-commit-config.yaml",
        "repos:\n- {repo: https://example.org, hooks: [{id: x, entry: cc given}, {id: y, args: [no]}]}\n- repo: local\n  hooks:\n"
        "  - {id: a, language: system, entry: bash -c 'cc a && cc b', args: [z]}\n"
        "  - {id: b, language: script, entry: cc, args: [-O2, 'x y']}\n  - {id: c, language: pygrep, entry: cc no}\n",
        ["https://example.org/x : cc given", "local/a : cc a", "local/a : cc b", "local/b : cc -O2 'x y'"],
    ),
    ("pre_commit", ".pre-commit-hooks.yaml", "- {id: h, language: system, entry: cc h}\n", ["-/h : cc h"]),
    (
        "netlify",
        "netlify.toml",
        "[build]\ncommand = 'cc $F'\nignore = 'cc i'\nbase = 'web'\n[build.environment]\nF = '1'\n[context.branch-deploy]\n"
        "command = 'cc $F $G'\nenvironment = { G = '2' }\n",
        ["-/command web: cc 1", "-/ignore web: cc i", "-/branch-deploy web: cc 1 2"],
    ),
    (
        "render",
        "render.yaml",
        "services: [{name: s, rootDir: r, envVars: [{key: F, value: -O2}], buildCommand: cc $F}]\n",
        ["s/buildCommand r: cc -O2"],
    ),
    (
        "vercel",
        "web/vercel.json",
        '{"ignoreCommand": "cc i", "buildCommand": "npm ci && cc a", "devCommand": "cc d"}',
        [
            "-/ignoreCommand web: cc i",
            "-/buildCommand web: npm ci",
            "-/buildCommand web: cc a",
            "-/devCommand web: cc d",
        ],
    ),
    (
        "craft",
        "snap/snapcraft.yaml",
        "parts:\n  a: {plugin: cmake, cmake-parameters: [-DX=1], build-environment: [{F: -O2}]}\n"
        "  b: {plugin: make, make-parameters: [V=1], override-build: 'cc $F', build-environment: [{F: -O2}]}\n"
        "  c: {plugin: make, make-parameters: [V=2], override-build: 'craftctl default', overlay-script: cc o}\n",
        [
            "c/overlay-script : cc o",
            "b/override-build : cc -O2",
            "c/override-build : craftctl default",
            "-/a : cmake . -DX=1",
            "-/c : make V=2",
        ],
    ),
    (
        "vscode",
        ".vscode/tasks.json",
        '{ // a comment\n\t"tasks": [\n{"label": "L", "command": "cc a && cc ${file}"},\n'
        '{"label": "M", "type": "shell", "command": "cc -c", "args": ["a b", "-O2"],'
        ' "options": {"env": {"F": "1"}}, "windows": {"command": "cl $env:F", "args": ["/O2"]}},\n'
        '{"label": "N", "type": "process", "command": "cc", "args": ["x y"]},\n{"label": "O", "type": "npm"},\n]}',
        ["-/L : cc a", "-/L : cc ${file}", "-/M : cc -c 'a b' -O2", "-/N : cc 'x y'", "-/M : cl 1 /O2"],
    ),
]


def ran(name: str, path: str, text: str) -> list[str]:
    setting = Setting(Memory({path: text}), PLATFORMS)
    found = listed.read(SourceText(path, text), setting, name)
    out = []
    for script in found.scripts:
        for command in evaluate(script, setting).commands:
            words = (f"'{w.shown}'" if " " in w.shown else w.shown for w in command.argv)
            place = command.place
            out.append(f"{place.job or '-'}/{place.step or '-'} {command.directory}: {' '.join(words)}")
    return list(dict.fromkeys(out))


@pytest.mark.parametrize(("name", "path", "text", "expected"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_what_runs(name: str, path: str, text: str, expected: list[str]) -> None:
    assert sorted(ran(name, path, text)) == sorted(expected)
    claiming = by_path.claiming(path)
    assert [host.NAME for host in claiming] == [name]
    reading = claiming[0].read(SourceText(path, text), Setting(Memory({path: text}), PLATFORMS))
    assert reading == listed.read(SourceText(path, text), Setting(Memory({path: text}), PLATFORMS), name)


def test_each_format_has_a_case_a_reader_and_a_source() -> None:
    assert {case[0] for case in CASES} == set(FORMATS)
    for name in FORMATS:
        assert tables.table("hosts/data/listed.toml")[name]["source"].startswith("https://")


def test_commands_of_one_shell_see_what_stands_before() -> None:
    text = "phases: {build: {commands: [export A=1, 'cc $A']}}\n"
    setting = Setting(Memory({"buildspec.yml": text}), PLATFORMS)
    (script,) = listed.read(SourceText("buildspec.yml", text), setting, "codebuild").scripts
    assert script.errexit
    assert script.platforms == frozenset({"linux-x86_64"})


def test_an_image_that_says_nothing_of_its_program_is_told() -> None:
    text = "steps:\n- {id: a, name: gcr.io/own/image, args: [x]}\n"
    found = listed.read(SourceText("cloudbuild.yaml", text), Setting(Memory({}), PLATFORMS), "cloudbuild")
    assert [(p.line, p.key, p.fatal) for p in found.problems] == [(2, "a", False)]


def test_a_substitution_may_be_replaced_by_who_starts_the_build() -> None:
    text = "steps: [{name: x, entrypoint: cc, args: ['$_F']}]\nsubstitutions: {_F: -O2}\n"
    (script,) = listed.read(SourceText("cloudbuild.yaml", text), Setting(Memory({}), PLATFORMS), "cloudbuild").scripts
    assert [piece.overridable for piece in script.argv[1].pieces] == [True]


def test_a_failure_that_changes_nothing() -> None:
    text = "steps: [{name: x, entrypoint: cc, allowFailure: true}, {name: y, entrypoint: cc}]\n"
    found = listed.read(SourceText("cloudbuild.yaml", text), Setting(Memory({}), PLATFORMS), "cloudbuild").scripts
    assert [script.ignored for script in found] == [True, False]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("text", ["a: [", BOMB, "", "x\n", "- 1\n", "steps: 1\nbuild: 2\nparts: [3]\n", "\udc80: 1"])
def test_bad_input_is_told_or_nothing(name: str, text: str) -> None:
    path = next(case[1] for case in CASES if case[0] == name)
    found = listed.read(SourceText(path, text), Setting(Memory({}), PLATFORMS), name)
    assert not found.scripts
    assert bool(found.problems) or text in ("", "x\n", "- 1\n", "steps: 1\nbuild: 2\nparts: [3]\n")
