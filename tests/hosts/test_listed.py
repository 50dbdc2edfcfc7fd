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
        ["B/J : cc -O1 -O2 -g -h 1", "B/K : cc", "B/always : cc e"],
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
        [
            "-/command web: cc 1",
            "-/ignore web: cc i",
            "branch-deploy/command web: cc 1 2",
            "branch-deploy/ignore web: cc i",
        ],
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
            "-/a : cmake --build .",
            "-/c : make V=2",
            "-/c : make install V=2",
        ],
    ),
    (
        "vscode",
        ".vscode/tasks.json",
        '{ // a comment\n\t"tasks": [\n{"label": "L", "command": "cc a && cc ${file}"},\n'
        '{"label": "M", "type": "shell", "command": "cc -c", "args": ["a b", "-O2"],'
        ' "options": {"env": {"F": "1"}}, "windows": {"command": "cl $env:F", "args": ["/O2"]}},\n'
        '{"label": "N", "type": "process", "command": "cc", "args": ["x y"]},\n{"label": "O", "type": "npm", "script": "s"},\n]}',
        [
            "-/L : cc a",
            "-/L : cc ${file}",
            "-/M : cc -c 'a b' -O2",
            "-/N : cc 'x y'",
            "-/M : cl 1 /O2",
            "-/O : npm run s",
        ],
    ),
]


# a file, its text, what runs there, and other files of the tree
PLACES: list[tuple[str, str, list[str], dict[str, str]]] = [
    # Read the Docs, CodeBuild
    (".readthedocs.yml", "build: {jobs: {build: {pdf: [cc p]}}}", ["-/pdf : cc p"], {}),
    (
        "buildspec.yml",
        "env: {variables: {F: '1'}}\nbatch: {build-graph: [{identifier: a, env: {variables: {F: '2'}}}]}\n"
        "phases: {build: {commands: [cc $F]}}\n",
        ["-/- : cc 1", "a/- : cc 2"],
        {},
    ),
    (
        "buildspec.yml",
        "batch: {build-matrix: {dynamic: {env: {variables: {F: ['1', '2']}}}}}\nphases: {build: {commands: [cc $F]}}\n",
        ["-/- : cc", "-/- : cc 1", "-/- : cc 2"],
        {},
    ),
    (
        "buildspec.yml",
        "batch: {build-list: [{identifier: a, buildspec: ci/b.yml, env: {variables: {F: '2'}}}]}\n",
        ["-/- : cc", "a/- : cc 2"],
        {"ci/b.yml": "phases: {build: {commands: ['cc $F']}}\n"},
    ),
    # Cloud Build
    (
        "cloudbuild.yaml",
        "steps:\n- {id: a, name: ubuntu, script: cc $_F, automapSubstitutions: true}\n- {id: b, name: x, script: cc $G $_F, env: ['G=$_F']}\n"
        "- {id: c, name: 'gcc:12', args: [cc, $_H]}\nsubstitutions: {_F: '1', _H: 'h$_F'}\n",
        ["-/a : cc 1", "-/b : cc 1", "-/c : cc h1"],
        {},
    ),
    # Semaphore
    (
        ".semaphore/x.yml",
        "global_job_config: {prologue: {commands_file: p.sh}, epilogue: {on_pass: {commands: [cc g $F]}}}\nblocks:\n- name: B\n  task:\n"
        "    epilogue: {always: {commands_file: e.sh}}\n    jobs: [{name: J, env_vars: [{name: F, value: '1'}], commands: [cc $P]}]\n"
        "after_pipeline: {task: {prologue: {commands: [Q=3]}, jobs: [{name: A, commands: [cc $Q]}]}}\n",
        ["B/J : cc 2", "B/always : cc e 1", "-/on_pass : cc g 1", "-/A : cc 3"],
        {".semaphore/p.sh": "export P=2\n", ".semaphore/e.sh": "cc e $F\n"},
    ),
    (
        ".semaphore/x.yml",
        "blocks: [{name: B, task: {jobs: [{name: J, matrix: [{env_var: A, values: [a, b]}, {env_var: C, values: [c]}], commands: [cc $A $C]}]}}]\n",
        ["B/J : cc a c", "B/J : cc b c"],
        {},
    ),
    # Codemagic
    (
        "codemagic.yaml",
        "workflows:\n  w:\n    inputs: {m: {default: '1'}}\n    working_directory: app\n    pre_clone_scripts: [{name: p, script: cc p}]\n"
        "    scripts: [{name: s, working_directory: sub, script: 'cc ${{ inputs.m }}'}]\n    publishing: {scripts: [cc t]}\n"
        "  v:\n    publishing: {scripts: {name: u, script: cc u}}\n",
        ["w/p app: cc p", "w/s sub: cc 1", "w/1 app: cc t", "-/v : cc u"],
        {},
    ),
    # lefthook
    (
        "lefthook.yml",
        "pre-push:\n  files: cc files\n  skip: [merge, {run: cc skip}]\n  setup: [{run: cc setup}]\n  jobs:\n  - root: r\n    env: {F: '1'}\n"
        "    group: {jobs: [{group: {jobs: [{name: j, run: cc $F, args: -x, only: [{run: cc only}]}]}}]}\n",
        [
            "pre-push/files : cc files",
            "pre-push/2 : cc skip",
            "pre-push/1 : cc setup",
            "pre-push: 1: 1/j r: cc 1 -x",
            "pre-push: 1: 1: j/1 : cc only",
        ],
        {},
    ),
    (
        "lefthook.yml",
        "source_dir: h\nskip_lfs: true\npre-push:\n  scripts: {s: {runner: bash -e, args: a b}}\n  jobs: [{script: t}]\n",
        ["pre-push/s : bash -e ./h/pre-push/s a b", "pre-push/1 : ./h/pre-push/t"],
        {},
    ),
    (
        "lefthook.yml",
        "extends: ['ci/*.yml']\npre-push: {commands: {a: {run: cc $F}}}\n",
        ["pre-push/a : cc", "pre-push/a : cc 1", "pre-push/b : cc b", "pre-push/c : cc c"],
        {
            "ci/h.yml": "extends: [c.yml]\npre-push: {commands: {b: {run: cc b}}}\n",
            "c.yml": "pre-push: {commands: {c: {run: cc c}}}\n",
            "lefthook-local.yml": "pre-push: {commands: {a: {env: {F: '1'}}, d: {run: cc d}}}\n",
        },
    ),
    # pre-commit
    (
        ".pre-commit-hooks.yaml",
        "- {id: a, language: docker_image, entry: --entrypoint cc img, args: [-x]}\n",
        ["-/a : cc -x"],
        {},
    ),
    (
        ".pre-commit-config.yaml",
        "- repo: local\n  hooks: [{id: a, language: system, entry: cc, args: [-x]}]\n",
        ["local/a : cc -x"],
        {},
    ),
    # Netlify, Render, Vercel
    (
        "netlify.toml",
        "[build]\ncommand = 'cc $F'\n[context.p.environment]\nF = '1'\n[context.q]\ncommand = 'cc q'\n[dev]\ncommand = 'cc d'\n",
        ["-/command : cc", "p/command : cc 1", "q/command : cc q", "-/command : cc d"],
        {},
    ),
    (
        "render.yaml",
        "envVarGroups: [{name: g, envVars: [{key: F, value: '1'}]}]\nservices:\n- name: s\n  initialDeployHook: cc $F $G $H\n"
        "  envVars: [{fromGroup: g}, {key: G, value: '2', previewValue: '3'}, {key: H, sync: false}]\n"
        "projects: [{name: p, environments: [{name: e, services: [{name: t, dockerCommand: cc t}]}]}]\n"
        "ungrouped: {services: [{name: u, preDeployCommand: cc u}]}\n",
        [
            "s/initialDeployHook : cc 1 2 $H",
            "s/initialDeployHook : cc 1 3 $H",
            "p: e: t/dockerCommand : cc t",
            "u/preDeployCommand : cc u",
        ],
        {},
    ),
    ("vercel.json", '{"build": {"env": {"F": "1"}}, "buildCommand": "cc $F"}', ["-/buildCommand : cc 1"], {}),
    ("vercel.json", '{"builds": [{"config": {"buildCommand": "cc b"}}]}', ["1/buildCommand : cc b"], {}),
    # the crafts
    (
        "snap/snapcraft.yaml",
        "parts:\n  a: {plugin: make, source: n, make-parameters: ['A=\"x y\"', B=$F], build-environment: [{F: '1'}]}\n"
        "  b: {plugin: meson, source: 'https://x/y.git', meson-parameters: [-Da=b c]}\n",
        [
            "-/a n: make 'A=x y' B=1",
            "-/a n: make install 'A=x y' B=1",
            "-/b None: meson setup '-Da=b c'",
            "-/b None: ninja",
            "-/b None: ninja install",
        ],
        {},
    ),
    (
        "rockcraft.yaml",
        "parts:\n  a:\n    plugin: nil\n    override-build: cc $F $G\n    build-environment:\n    - G: g\n    - on amd64: [{F: '1'}]\n"
        "    - else:\n      - to s390x: [{F: '2'}]\n      - else: [{F: '3'}]\n",
        ["a/override-build : cc 1 g", "a/override-build : cc 2 g", "a/override-build : cc 3 g"],
        {},
    ),
    (
        "snapcraft.yaml",
        "parts:\n  a: {plugin: ant, ant-properties: {x: y}}\n  b: {plugin: go, go-buildtags: [s, t]}\n",
        ["-/a : ant -Dx=y", "-/b : go install -tags=s,t ./..."],
        {},
    ),
    # an editor
    (
        ".vscode/tasks.json",
        '{"version": "0.1.0", "command": "cc", "args": ["-c"], "suppressTaskName": true, "tasks": [{"taskName": "t", "args": ["x"]}, '
        '{"taskName": "u", "suppressTaskName": false}]}',
        ["-/t : cc -c x", "-/u : cc -c"],
        {},
    ),
    (".vscode/tasks.json", '{"command": "cc", "args": ["-c"]}', ["-/1 : cc -c"], {}),
    (
        ".vscode/tasks.json",
        '{"options": {"env": {"F": "1"}}, "tasks": [{"label": "t", "type": "shell", "command": "cc", "args": ["$F", "a b", {"value": "$F",'
        ' "quoting": "strong"}, {"value": "$F x", "quoting": "weak"}, {"value": "c d", "quoting": "escape"}]}]}',
        ["-/t : cc 1 'a b' $F '1 x' 'c d'", "-/t : cc 'a b' $F ' x' 'c d'"],
        {},
    ),
    (
        "web/.vscode/tasks.json",
        '{"tasks": [{"label": "t", "type": "shell", "command": "cc ${workspaceFolder}/x", "linux": {"options": {"cwd": "${workspaceFolder}/s"}}}, '
        '{"label": "u", "type": "process", "command": "cc", "osx": {"args": ["m"]}, "windows": {"command": "cl"}}]}',
        [
            "-/t web/s: cc ${workspaceFolder}/x",
            "-/t web: cc ./x",
            "-/u web: cc",
            "-/u web: cc m",
            "-/u web: cl",
        ],
        {},
    ),
    (".vscode/tasks.json", '{"tasks": [], "linux": {"tasks": [{"label": "t", "command": "cc"}]}}', ["-/t : cc"], {}),
    (
        ".vscode/tasks.json",
        '{"tasks": [{"label": "t", "type": "cargo", "command": "build", "args": ["-r"]}]}',
        ["-/t : cargo build -r"],
        {},
    ),
]

# a file of which something is of another kind than its format has there, and the key of the problem
BROKEN: list[tuple[str, str, str]] = [
    (".readthedocs.yaml", "build: {commands: {one: cc}}", "build.commands"),
    (".readthedocs.yaml", "build: {commands: [{run: cc}]}", "build.commands"),
    (".readthedocs.yaml", "build: {jobs: {pre_build: 5}}", "build.jobs.pre_build"),
    ("buildspec.yml", "phases: [{build: {commands: [cc]}}]", "phases"),
    ("buildspec.yml", "phases: {build: [{commands: [cc]}]}", "phases.build"),
    ("buildspec.yml", "env: {variables: {F: {a: b}}}\nphases: {}", "env.variables.F"),
    ("cloudbuild.yaml", "steps: {a: {name: x, script: cc}}", "steps"),
    ("cloudbuild.yaml", "steps: [{name: x, args: [[a], {b: c}]}]", "steps[1].args"),
    (".semaphore/s.yml", "blocks: [{task: [{jobs: [{commands: [cc]}]}]}]", "blocks[1].task"),
    ("codemagic.yaml", "workflows: {a: {scripts: {b: {script: cc}}}}", "workflows.a.scripts"),
    ("lefthook.yml", "pre-push: [{run: cc}]", "pre-push"),
    ("lefthook.yml", "pre-push: {jobs: [{group: {jobs: {run: cc}}}]}", "pre-push.jobs[1].group.jobs"),
    (".pre-commit-config.yaml", "repos: [{repo: local, hooks: {id: a, entry: cc}}]", "repos[1].hooks"),
    ("netlify.toml", "[[build]]\ncommand = 'cc'\n", "build"),
    ("netlify.toml", "[build]\ncommand = 1\n", "build.command"),
    ("render.yaml", "services: {web: {buildCommand: cc}}", "services"),
    ("vercel.json", '{"buildCommand": {"run": "cc"}}', "buildCommand"),
    ("snapcraft.yaml", "parts: [{override-build: cc}]", "parts"),
    ("snapcraft.yaml", "parts: {a: {plugin: cmake, cmake-parameters: {A: b}}}", "parts.a.cmake-parameters"),
    (".vscode/tasks.json", '{"tasks": {"a": {"command": "cc"}}}', "tasks"),
    (".vscode/tasks.json", '{"tasks": [{"command": {"run": "cc"}}]}', "tasks[1].command"),
    (".vscode/tasks.json", '{"tasks": [{"command": "cc", "args": {"a": "b"}}]}', "tasks[1].args"),
]

# what a format allows besides, and nobody has to be told of
ALLOWED: list[tuple[str, str]] = [
    (
        "lefthook.yml",
        "min_version: 1.0\ncolors: {red: 1}\nnew_setting: true\npre-push: {skip: true, commands: {a: {run: cc, skip: merge}}}",
    ),
    (
        "buildspec.yml",
        "run-as: root\nphases: {install: {runtime-versions: {java: 11}, on-failure: ABORT, commands: cc}}",
    ),
    (
        "snapcraft.yaml",
        "platforms: {amd64: }\nparts: {a: {plugin: dump, stage-packages: [on amd64: [x], else: [y]], organize: {a: b}}}",
    ),
    (
        "codemagic.yaml",
        "workflows: {a: {environment: {groups: [g], vars: {N: 1}}, scripts: [cc, {name: n, script: cc}]}}",
    ),
    (".pre-commit-config.yaml", "repos: [{repo: x, hooks: [{id: entry, args: [--n, 4]}]}]"),
    ("vercel.json", '{"buildCommand": null, "installCommand": "", "functions": {"a": {"memory": 1}}}'),
    (
        ".vscode/tasks.json",
        '{"inputs": [{"id": "x"}], "tasks": [{"label": "a", "dependsOn": ["b"]}, {"label": "b", "command": "cc"}]}',
    ),
]


def ran(name: str, path: str, text: str, others: dict[str, str] | None = None) -> list[str]:
    setting = Setting(Memory({**(others or {}), path: text}), PLATFORMS)
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


@pytest.mark.parametrize(("path", "text", "expected", "others"), PLACES, ids=[p[0] for p in PLACES])
def test_every_documented_place(path: str, text: str, expected: list[str], others: dict[str, str]) -> None:
    (host,) = by_path.claiming(path)
    assert sorted(ran(host.NAME, path, text, others)) == sorted(expected)


@pytest.mark.parametrize(("path", "text", "key"), BROKEN, ids=[f"{b[0]}-{b[2]}" for b in BROKEN])
def test_a_value_of_another_kind_is_told(path: str, text: str, key: str) -> None:
    (host,) = by_path.claiming(path)
    found = listed.read(SourceText(path, text), Setting(Memory({path: text}), PLATFORMS), host.NAME)
    assert [p.key for p in found.problems if p.fatal] == [key]


@pytest.mark.parametrize(("path", "text"), ALLOWED, ids=[a[0] for a in ALLOWED])
def test_what_a_format_allows_is_no_problem(path: str, text: str) -> None:
    (host,) = by_path.claiming(path)
    found = listed.read(SourceText(path, text), Setting(Memory({path: text}), PLATFORMS), host.NAME)
    assert not found.problems


def test_what_is_not_read_is_told() -> None:
    for path, text in (
        ("snapcraft.yaml", "parts: {a: {plugin: own}}"),
        ("netlify.toml", "[[plugins]]\npackage = './p'\n"),
        (".vscode/tasks.json", '{"tasks": [{"label": "a", "type": "own"}]}'),
        (".semaphore/s.yml", "blocks: [{task: {jobs: [{commands_file: none}]}}]"),
    ):
        (host,) = by_path.claiming(path)
        found = listed.read(SourceText(path, text), Setting(Memory({path: text}), PLATFORMS), host.NAME)
        assert [p.fatal for p in found.problems] == [False], path


def test_a_file_that_is_read_by_itself_is_not_read_twice() -> None:
    others = {"lefthook-local.yml": "pre-push: {commands: {a: {run: cc a}}}\n"}
    assert ran("lefthook", "lefthook.yml", "pre-push: {commands: {b: {run: cc b}}}\n", others) == ["pre-push/b : cc b"]


def test_architectures_have_platforms() -> None:
    text = "parts: {a: {override-build: cc, build-environment: [on amd64: [{F: '1'}], to arm64: [{F: '2'}]]}}\n"
    setting = Setting(Memory({}), ("linux-x86_64", "linux-aarch64", "macos-arm64"))
    found = listed.read(SourceText("snapcraft.yaml", text), setting, "craft").scripts
    assert [(s.platforms, s.env[0].value.text) for s in found] == [
        (frozenset({"linux-x86_64"}), "1"),
        (frozenset({"linux-aarch64"}), "2"),
    ]


def test_too_many_rows_are_no_value() -> None:
    rows = ", ".join(f"{{env_var: A{n}, values: [a, b, c, d]}}" for n in range(4))
    text = f"blocks: [{{task: {{jobs: [{{matrix: [{rows}], commands: [cc]}}]}}}}]"
    (script,) = listed.read(SourceText(".semaphore/s.yml", text), Setting(Memory({}), PLATFORMS), "semaphore").scripts
    assert all(piece.hole is not None for variable in script.env for piece in variable.value.pieces)


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
