# ruff: noqa: E501  (a case is a line)
"""Files and calls of task runners: the runner, the files, and the command line."""

import json

Case = tuple[str, "dict[str, str]", str]

PROGRAMS = {
    "hatch": "hatch",
    "pdm": "pdm",
    "taskipy": "task",
    "mise": "mise",
    "wireit": "wireit",
    "turbo": "turbo",
    "nx": "nx",
    "lerna": "lerna",
    "moon": "moon",
}
"""The program that each runner is."""

_PROJECT = '[project]\nname = "pk"\nversion = "1"\nrequires-python = ">=3.8"\n'


def pdm(scripts: str, *lines: str, **files: str) -> "list[Case]":
    text = _PROJECT + "[tool.pdm]\ndistribution = false\n[tool.pdm.scripts]\n" + scripts
    more = {name.replace("__", "."): value for name, value in files.items()}
    return [("pdm", {"pyproject.toml": text, **more}, line) for line in lines]


def hatch(text: str, *lines: str, **files: str) -> "list[Case]":
    head = _PROJECT + '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
    head += '[tool.hatch.envs.default]\ntype = "virtual"\nskip-install = true\n'
    text = text.removeprefix("[tool.hatch.envs.default]\n")
    more = {name.replace("__", "."): value for name, value in files.items()}
    return [("hatch", {"pyproject.toml": head + text, **more}, line) for line in lines]


def taskipy(text: str, *lines: str) -> "list[Case]":
    return [("taskipy", {"pyproject.toml": text, "sub/f": ""}, line) for line in lines]


def mise(text: str, *lines: str, **files: str) -> "list[Case]":
    return [("mise", {"mise.toml": text, **files}, line) for line in lines]


def node(tool: str, scripts: "dict[str, str]", more: "dict[str, object]", *lines: str, **files: str) -> "list[Case]":
    """Calls in a package with these scripts (`scripts_NAME` too), and what its package.json says besides."""
    own = {name.removeprefix("scripts_"): text for name, text in files.items() if name.startswith("scripts_")}
    root = json.dumps({"name": "root", "private": True, "version": "1.0.0", "scripts": {**scripts, **own}, **more})
    kept = {name: text for name, text in files.items() if not name.startswith("scripts")}
    return [(tool, {"package.json": root, **kept}, line) for line in lines]


_PACKAGES = {
    "packages/p/package.json": '{"name": "p", "version": "1.0.0", "scripts": {"build": "rec p", "gen": "rec gen", "pregen": "rec before"}}',
    "packages/q/package.json": '{"name": "q", "version": "1.0.0", "scripts": {"build": "rec q", "lint": "rec l"}, "dependencies": {"p": "1.0.0"}}',
}
_NX = json.dumps(
    {
        "name": "p",
        "root": "p",
        "targets": {
            "a": {
                "executor": "nx:run-commands",
                "options": {"command": "rec a 'x y' $V_N", "env": {"V_N": "n"}, "cwd": "sub"},
            },
            "b": {"executor": "nx:run-commands", "options": {"command": "rec b"}},
            "c": {
                "executor": "nx:run-commands",
                "options": {"command": "rec c", "args": "-q"},
                "configurations": {"prod": {"command": "rec prod", "args": ["-O2", "-g"]}},
            },
            "d": {
                "executor": "nx:run-commands",
                "options": {"commands": ["rec one", {"command": "rec two"}], "parallel": False},
                "dependsOn": ["b", {"target": "a"}],
            },
            "e": {"command": "rec e {projectRoot} {projectName}"},
            "f": {
                "executor": "nx:run-commands",
                "options": {"commands": [{"command": "rec f", "forwardAllArgs": False}], "cwd": "{projectRoot}"},
            },
            "g": {"executor": "nx:run-commands", "options": {"command": "rec g {args.out}", "forwardAllArgs": False}},
        },
    }
)
_MOON = """
tasks:
  a:
    command: rec a 'x y' $V_A
    env: {V_A: '1', V_B: '${V_A}2'}
    options: {cache: false}
  b:
    command: [rec, b, 'p q']
    args: [-x, $projectRoot]
    deps: ['a', '~:c']
    options: {cache: false}
  c:
    script: rec c1 && rec c2 $project
    options: {runFromWorkspaceRoot: true, cache: false}
  d:
    command: rec d
    args: '--opt=2 -g'
    options: {shell: false, envFile: .env, cache: false}
  f:
    extends: d
    command: rec short
    env: {V_G: g}
"""


def moon(*lines: str) -> "list[Case]":
    files = {
        ".moon/workspace.yml": "projects: {p: p}\ntelemetry: false\n",
        ".moon/tasks/all.yml": "tasks:\n  e:\n    command: rec e\n    options: {cache: false}\n",
        "p/moon.yml": _MOON,
        "p/.env": "V_F=file\n",
    }
    return [("moon", files, line) for line in lines]


CASES: "list[Case]" = [
    # -- pdm
    *pdm(
        "a = \"rec x 'y z' $V_A ${V_A} *.toml\"", "pdm run a", "V_A='1 2' pdm run a q 'r s'", "pdm a -x", "pdm run -s a"
    ),
    *pdm('a = ["rec", "x y", "${V_A}"]', "pdm run a z", "V_A=1 pdm run a"),
    *pdm('a = { cmd = "rec {args:d e} end" }', "pdm run a", 'pdm run a 1 "it\'s"'),
    *pdm('a = { cmd = ["rec", "-{args}", "{args:p q}"] }', "pdm run a", "pdm run a 1 2"),
    *pdm('a = { shell = "rec $V_A \\"$V_A\\" && rec {args:n}" }', "pdm run a", "V_A='1 2' pdm run a '3 4'"),
    *pdm('a = { shell = "rec 1; rec 2" }', "pdm run a 'x y'"),
    *pdm('a = { shell = "rec 1 || rec 2" }', "pdm run a"),
    *pdm(
        'a = { cmd = "rec a", env = { V_A = "1", V_B = "${V_A}2", V_C = "${V_N:-d}" } }',
        "pdm run a",
        "V_A=9 V_N=7 pdm run a",
    ),
    *pdm('_.env = { V_A = "1" }\na = "rec a ${V_A}"\nb = { cmd = "rec b", env.V_A = "2" }', "pdm run a", "pdm run b"),
    *pdm(
        'a = { cmd = "rec ${V_F}", env_file = ".env" }',
        "pdm run a",
        "V_F=own pdm run a",
        __env="V_F=file\nexport V_G='x y'\n",
    ),
    *pdm('a = { cmd = "rec ${V_F}", env_file.override = ".env" }', "V_F=own pdm run a", __env="V_F=file\n"),
    *pdm(
        'a = { composite = ["b", "c 1", "rec own"] }\nb = "rec b"\nc = { shell = "rec c" }',
        "pdm run a",
        "pdm run a -- x",
    ),
    *pdm(
        'a = { composite = ["b {args:d}", "c"], env = { V_A = "out" } }\nb = { cmd = "rec b", env.V_A = "in" }\nc = "rec c"',
        "pdm run a",
        "pdm run a x y",
    ),
    *pdm(
        'pre_a = "rec pre"\na = "rec a"\npost_a = { shell = "rec post" }',
        "pdm run a x",
        "pdm run -k pre_a a",
        "pdm run -k :post a",
        "pdm run -k :all a",
    ),
    *pdm('a = { composite = ["b", "c"], keep_going = true }\nb = { shell = "rec b; false" }\nc = "rec c"', "pdm run a"),
    *pdm(
        'a = { cmd = "rec a", working_dir = "sub" }', "pdm run a", "mkdir -p sub; cd sub && pdm run a", **{"sub/f": ""}
    ),
    *pdm('a = "rec a"', "mkdir -p sub; cd sub && pdm run a", "pdm run -p . a", "pdm run rec own"),
    *pdm('a = "rec a\\\\ b \\"c\\\\\\"d\\" \'e\'\'f\'"', "pdm run a"),
    # -- hatch
    *hatch(
        '[tool.hatch.envs.default.scripts]\na = "rec {args:d} end"\nb = ["a -- 1", "rec {env_name}"]\n',
        "hatch run a -- -x y",
        "hatch run a p -- -q -- r",
        "hatch run b",
    ),
    *hatch(
        '[tool.hatch.envs.default.scripts]\na = "rec x $V_A"\nb = ["rec 1", "rec 2 {args}"]\nc = "rec {args:d e} f"',
        "hatch run a",
        "V_A='1 2' hatch run a y",
        "hatch run b y 'z w'",
        "hatch run c",
        'hatch run c "it\'s"',
        "hatch run rec own 'p q'",
    ),
    *hatch(
        '[tool.hatch.envs.default.scripts]\na = ["b -q", "- c", "rec end"]\nb = "rec b {args:n}"\nc = ["rec c; false", "rec d"]',
        "hatch run a",
        "hatch run a x",
    ),
    *hatch(
        '[tool.hatch.envs.default]\nenv-vars = { V_A = "1", V_B = "{env:V_X:no} {root:parent:real}" }\n[tool.hatch.envs.default.scripts]\na = "rec {env:V_A} {env:V_N:dd}"'.replace(
            " {root:parent:real}", ""
        ),
        "hatch run a",
        "V_X=x V_N=n hatch run a",
    ),
    *hatch(
        '[tool.hatch.envs.default.scripts]\na = "rec {{x}} {env_name} {env_type} {verbosity} {verbosity:flag:-1} {/}{;}"\nz = "rec {root}{/}f"',
        "hatch run a",
        "hatch run z",
    ),
    *hatch(
        '[tool.hatch.envs.t]\nenv-vars = { V_T = "t" }\n[tool.hatch.envs.t.scripts]\na = "rec t-a"\n[tool.hatch.envs.default.scripts]\na = "rec a"\nb = "rec b"',
        "hatch run t:a",
        "hatch run t:b",
        "hatch run a",
        "hatch -e t run a",
        "hatch run t:rec own",
        "HATCH_ENV=t hatch run a",
    ),
    *hatch(
        '[tool.hatch.envs.u]\ntemplate = "t"\nenv-vars = { V_U = "u" }\n[tool.hatch.envs.t]\nenv-vars = { V_T = "t" }\n[tool.hatch.envs.t.scripts]\na = "rec t"',
        "hatch run u:a",
    ),
    *hatch(
        '[[tool.hatch.envs.t.matrix]]\nv = ["1", "2"]\nw = ["x"]\n[[tool.hatch.envs.t.matrix]]\nv = ["3"]\n[tool.hatch.envs.t.scripts]\na = "rec {matrix:v} {matrix:w:none} {env_name}"',
        "hatch run t:a",
        "hatch run t.1-x:a",
        "hatch run +v=2,3 t:a",
        "hatch run -- -v=1 t:a",
        "hatch env run -e t -x v=1 a",
    ),
    *hatch(
        '[[tool.hatch.envs.t.matrix]]\nv = ["1", "2"]\n[tool.hatch.envs.t.overrides]\nmatrix.v.env-vars = [{ key = "V_M", value = "yes", if = ["2"] }, "V_K"]\nname."^1$".env-vars = "V_N=n"\n[tool.hatch.envs.t.scripts]\na = "rec {matrix:v}"',
        "hatch run t:a",
    ),
    *hatch(
        '[tool.hatch.envs.default.overrides]\nplatform.linux.env-vars = ["V_P=l"]\nplatform.windows.env-vars = ["V_P=w"]\nplatform.linux.scripts = ["a=rec linux"]\n[tool.hatch.envs.default.scripts]\na = "rec other"',
        "hatch run a",
    ),
    *hatch(
        '[tool.hatch.envs.default.overrides]\nenv.V_X.set-env-vars = ["V_Y=1", "V_Z"]\n[tool.hatch.envs.default.scripts]\na = "rec a"',
        "hatch run a",
        "V_X=x hatch run a",
    ),
    *hatch(
        '[tool.hatch.envs.default]\npre-install-commands = ["rec pre", "a"]\npost-install-commands = ["rec post {env_name}"]\n[tool.hatch.envs.default.scripts]\na = "rec a"'.replace(
            "skip-install = true\n", ""
        ),
        "hatch run a",
    ),
    *hatch(
        '[tool.hatch.envs.default.scripts]\na = "cd sub && rec a"\nb = "rec b"',
        "hatch run a",
        "cd sub && hatch run b",
        **{"sub/f": ""},
    ),
    *hatch(
        "",
        "hatch run a",
        hatch__toml='[envs.default]\nskip-install = true\nenv-vars = { V_A = "h" }\n[envs.default.scripts]\na = "rec hatch"\n',
    ),
    *hatch('[tool.hatch.scripts]\na = "rec sys"', "hatch run system:a", "hatch run :a x"),
    *hatch(
        '[tool.hatch.envs.default]\nenv-include = ["V_A", "PATH", "HOME"]\n[tool.hatch.envs.default.scripts]\na = "rec a"',
        "V_A=1 V_B=2 hatch run a",
    ),
    *hatch(
        '[tool.hatch.envs.default]\nenv-exclude = ["V_B*"]\n[tool.hatch.envs.default.scripts]\na = "rec a"',
        "V_A=1 V_B=2 V_BB=3 hatch run a",
    ),
    # -- taskipy
    *taskipy(
        '[tool.taskipy.tasks]\na = "rec x \'y z\' $V_A"\nb = { cmd = "rec 1 && rec 2", help = "h" }',
        "task a",
        "V_A='1 2' task a q 'r s'",
        "task b x",
        "cd sub && task a",
    ),
    *taskipy('[tool.taskipy.tasks]\npre_a = "rec pre"\na = "rec a"\npost_a = "rec post"', "task a x", "task pre_a"),
    *taskipy(
        '[tool.taskipy.settings]\nuse_vars = true\ncwd = "sub"\nrunner = "env V_R=1"\n[tool.taskipy.variables]\np = "-O2"\nq = { var = "{p} -g", recursive = true }\nr = "{p}"\n[tool.taskipy.tasks]\na = "rec {p} {q} {r} {{z}}"\nb = { cmd = "rec {p}", use_vars = false }',
        "task a",
        "task b",
    ),
    *taskipy(
        '[tool.taskipy.variables]\np = "-O2"\n[tool.taskipy.tasks]\na = { cmd = "rec {p}", use_vars = true }\nb = "rec {p}"\nc = { cmd = "rec c", cwd = "sub" }',
        "task a",
        "task b",
        "task c",
        "cd sub && task a",
    ),
    # -- mise
    *mise(
        "[vars]\nv = 'x y'\n[tasks.a]\nrun = \"rec '{{vars.v | upper}}' '{{vars.v ~ '-z'}}' {{os_family()}} {% if vars.v == 'x y' %}yes{% else %}no{% endif %}\"\n",
        "mise run a",
    ),
    *mise(
        '[tasks]\na = "rec x \'y z\' $V_A"\nb = ["rec 1", "rec 2"]',
        "mise run a",
        "V_A='1 2' mise run a q 'r s'",
        "mise run b x 'y z'",
        "mise run b -- -x",
        "mise a q",
        "mise r a ::: b z",
        "mise x -- rec own 'p q'",
        "mise tasks run a -f",
    ),
    *mise(
        '[tasks.a]\nrun = "rec a; rec b"\ndepends = ["b", "c 1 2"]\n[tasks.b]\nrun = "rec dep"\nenv = { V_B = "1" }\n[tasks.c]\nrun = "rec c"\ndepends_post = "d"\n[tasks.d]\nrun = "rec d"',
        "mise run a x",
        "mise run c",
    ),
    *mise(
        '[env]\nV_A = "1"\nV_B = "{{env.V_A}}2"\n[tasks.a]\nrun = "rec $V_A"\nenv = { V_A = "task", V_C = "{{ vars.v }}-{{config_root}}" }\n[vars]\nv = "var"',
        "mise run a",
        "V_A=own mise run a",
    ),
    *mise(
        '[env]\n_.file = ".env"\nV_Z = false\n[tasks.a]\nrun = "rec a"\ndir = "sub"',
        "V_Z=1 mise run a",
        "cd sub && mise run a",
        **{"sub/f": "", ".env": "V_F=file\n"},
    ),
    *mise(
        "[tasks.a]\nrun = \"rec {{arg(name='f', default='df')}} {{option(name='o', default='do')}} {{flag(name='g')}}\"",
        "mise run a",
        "mise run a 1",
        "mise run a 1 --o 2 --g",
    ),
    *mise(
        '[tasks.a]\nusage = \'\'\'\narg "<file>" default="f.c"\nflag "-l --level <level>" default="2"\nflag "-d --debug"\n\'\'\'\nrun = \'rec ${usage_file?} -O$usage_level "${usage_debug:-}" {{usage.level}}\'',
        "mise run a",
        "mise run a x.c",
        "mise run a --level 3 -d y.c",
        "mise run a -l=0",
    ),
    *mise(
        '[tasks.a]\nrun = \'\'\'\n#!/usr/bin/env bash\nv=(1 2)\nrec "${v[@]}" "$@"\n\'\'\'\n[tasks.b]\nrun = "rec ${v[@]:-x}"\nshell = "bash -c"',
        "mise run a q",
        "mise run b q",
    ),
    *mise(
        '[tasks.a]\nrun = [{ task = "b" }, "rec own", { tasks = ["b", "c"] }]\n[tasks.b]\nrun = "rec b"\nalias = "bb"\n[tasks.c]\nrun = "rec c"',
        "mise run a x",
        "mise run bb",
    ),
    *mise(
        '[tasks."l:a"]\nrun = "rec a"\n[tasks."l:b"]\nrun = "rec b"\n[tasks.l]\ndepends = ["l:*"]',
        "mise run l",
        "mise run 'l:*'",
        "mise run l:a",
    ),
    *mise(
        '[tasks.a]\nrun = "false; rec no"\n[tasks.b]\nrun = "rec {{os()}} {{arch()}} {{ cwd }}"\n[tasks.c]\nrun = "rec {{ get_env(name=\'V_Q\', default=\'q\') }} {% if true %}t{% else %}e{% endif %}"',
        "mise run a",
        "mise run b",
        "mise run c",
    ),
    *mise('[tasks.a]\nfile = "s.sh"\n', "mise run a x", **{"s.sh": '#!/bin/sh\nrec file "$@"\n'}),
    *mise(
        '[env]\nV_A = "1"\n',
        "mise run t x",
        "mise run g:h y",
        **{
            "mise-tasks/t": '#!/usr/bin/env bash\n#MISE description="d"\n#MISE depends=["g:h"]\n#MISE env={V_M = "m"}\nrec t "$@"\n',
            "mise-tasks/g/h": '#!/bin/sh\n#MISE dir="sub"\nrec h "$@"\n',
            "sub/f": "",
        },
    ),
    *mise(
        '[tasks.a]\nrun = "rec a"\nrun_windows = "rec win"\n[tasks.b]\ndepends = [{ task = "a", args = ["-x"], env = { V_D = "d" } }]\nrun = "rec b"',
        "mise run a",
        "mise run b",
    ),
    # -- wireit
    *node(
        "wireit",
        {"a": "wireit", "plain": "rec plain"},
        {
            "wireit": {
                "a": {
                    "command": "rec a $V_A",
                    "dependencies": ["b", "./packages/p:c", {"script": "plain"}],
                    "env": {"V_A": "1", "V_B": {"external": True, "default": "d"}},
                },
                "b": {"command": "rec b"},
            }
        },
        "npm run a",
        "npm run a -- 'x y'",
        "V_B=own npm run a",
        scripts_b="wireit",
        **{
            "packages/p/package.json": '{"name": "p", "scripts": {"c": "wireit", "d": "wireit"}, "wireit": {"c": {"command": "rec c", "dependencies": ["d"]}, "d": {"command": "rec d"}}}'
        },
    ),
    *node(
        "wireit", {"a": "wireit", "b": "rec b"}, {"wireit": {"a": {"dependencies": ["b"]}}}, "npm run a", "npm run b"
    ),
    # -- turbo
    *node(
        "turbo",
        {},
        {"workspaces": ["packages/*"], "packageManager": "npm@10.0.0"},
        "turbo run build",
        "turbo run build -- 'x y'",
        "turbo build --filter=q",
        "V_A=1 V_B=2 turbo run build --filter p",
        "turbo run //#root",
        "npx turbo run lint",
        **_PACKAGES,
        **{
            "turbo.json": '{"tasks": {"build": {"dependsOn": ["^build", "gen"], "env": ["V_A"]}, "gen": {}, "lint": {}, "//#root": {}}}'
        },
    ),
    # -- lerna
    *node(
        "lerna",
        {},
        {"workspaces": ["packages/*"]},
        "lerna run build",
        "lerna run build --scope p -- -x",
        "lerna run gen --stream",
        **_PACKAGES,
        **{"lerna.json": '{"version": "1.0.0", "packages": ["packages/*"]}'},
    ),
    # -- nx
    *node(
        "nx",
        {},
        {},
        "nx run p:a",
        "nx a p",
        "nx run p:b",
        "nx run p:b --x=1 --y 'z w'",
        "nx run p:c:prod",
        "nx run p:c -c prod",
        "nx run p:c",
        "nx run p:d",
        "nx run-many -t e",
        "nx run p:f",
        "nx run p:g --out=zz",
        "nx e p q",
        "nx run-many -t e -p p",
        **{
            "nx.json": '{"targetDefaults": {"e": {"options": {"env": {"V_E": "def"}}}}}',
            "p/project.json": _NX,
            "sub/f": "",
        },
    ),
    *node(
        "nx",
        {},
        {"workspaces": ["packages/*"]},
        "nx run p:gen",
        "nx build q",
        "nx run p:build",
        **_PACKAGES,
        **{"nx.json": '{"targetDefaults": {"build": {"dependsOn": ["^build", "gen"]}}}'},
    ),
    # -- moon
    *moon(
        "moon run p:a",
        "moon run p:a -- 'x y'",
        "moon run p:b",
        "moon run p:c",
        "moon run p:d",
        "moon run :e",
        "moon run p:f",
    ),
]
