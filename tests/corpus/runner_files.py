# ruff: noqa: E501  (a list of words is a line)
"""Generated files of task runners in data formats: what a maker gives is the files of a tree and a command line."""

import json
import random
import shutil

VALUES = [
    "1",
    "x y",
    "",
    "-O2",
    "a=b",
    "it's",
    'q"q',
    "*",
    "é",
    "a\\b",
    "$V_A",
    "${V_B}",
    " pad ",
    "#c",
    "x;y",
    "%s",
    "{a}",
]
"""Values that quoting, splitting and templates may get wrong."""
Case = tuple[dict[str, str], str]
"""Files, command line."""


class Making:
    """The dice of one file, and the commands that it has so far."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.count = 0

    def one(self, *among: str) -> str:
        return self.rng.choice(among)

    def chance(self, part: float) -> bool:
        return self.rng.random() < part

    def rec(self, *words: str, most: int = 4) -> str:
        """A command with a number of its own and some of these words."""
        self.count += 1
        return " ".join(["rec", f"n{self.count}", *(self.rng.choice(words) for _ in range(self.rng.randint(1, most)))])

    def env(self, *values: str) -> dict[str, str]:
        names = [name for name in ("V_A", "V_B", "V_C") if self.chance(0.4)]
        return {name: self.one(*(values or VALUES)) for name in names}


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


SHELL = [
    "plain",
    "'a b'",
    '"c d"',
    "$V_A",
    '"$V_B"',
    "${V_C:-def}",
    '"${V_A:+set}"',
    "\\$V_A",
    "a\\ b",
    "'$V_A'",
    '"it\'s"',
    "-Dx=$V_B",
    "${V_OUT}",
    "''",
    '"\\\\"',
]
SAFE = ["1", "x y", "", "-O2", "a=b", "it's", "é", "-Dq=1", "x  y", "v2"]


def poe(m: Making) -> Case:
    cmd = [
        *SHELL,
        "${V_A:-x y}",
        '"${V_B:-x y}"',
        "${V_C:+on off}",
        "$V_A$V_B",
        "$arg",
        "${arg}",
        '"$arg"',
        "#x",
        "a#b",
        "${arg:-none}",
    ]

    def task(depth: int = 0) -> dict[str, object]:
        kind = m.one("cmd", "cmd", "cmd", "shell", "sequence", "parallel", "ref") if depth < 2 else "cmd"
        made: dict[str, object]
        if kind in ("sequence", "parallel"):
            made = {kind: [task(depth + 1) if m.chance(0.7) else "z" for _ in range(m.rng.randint(1, 3))]}
        elif kind == "ref":
            made = {"ref": m.one("z", "z 'p q'", "z $V_A")}
        else:
            words = cmd if kind == "cmd" else [w for w in cmd if w != "#x"]
            made = {
                kind: m.rec(*words)
                + (m.one("", "\n" + m.rec(*words), " && " + m.rec(*words)) if kind == "shell" else "")
            }
        if m.chance(0.4):
            made["env"] = {n: {"default": v} if m.chance(0.3) else v for n, v in m.env().items()}
        if depth == 0 and m.chance(0.4) and kind != "ref":
            made["args"] = [{"name": "arg", "default": m.one(*VALUES), "positional": m.chance(0.5)}]
        if depth == 0 and m.chance(0.3):
            made["deps"] = ["z"]
        if m.chance(0.15):
            made["uses"] = {"V_U": "out"}
        return made

    tasks = {"a": task(), "z": {"cmd": m.rec(*SHELL)}, "out": {"cmd": "echo u"}}
    arguments = tasks["a"].get("args")
    word = m.one("'p q'", "v", "''") if arguments and m.chance(0.5) else ""
    said = "" if not word else f" {word}" if arguments[0]["positional"] else f" --arg {word}"  # type: ignore[index]
    text = f"[tool.poe]\nenv = {toml(m.env())}\n[tool.poe.tasks]\n" + "".join(
        f"{k} = {toml(v)}\n" for k, v in tasks.items()
    )
    return {"pyproject.toml": text}, f"poe -q a{said}"


def npm(m: Making) -> Case:
    words = [*SHELL, "$npm_package_name", "$npm_package_version", '"$npm_lifecycle_event"', "$npm_package_config_k"]
    scripts = {
        "a": m.rec(*words)
        + m.one("", " && " + m.rec(*words), "; " + m.rec(*words), " && npm run b", " && npm run b -- 'u v' -w")
    }
    scripts["b"] = f"V_A={m.one('1', chr(34) + 'x y' + chr(34), '$V_OUT')} " + m.rec(*words)
    for name in ("prea", "posta", "preb"):
        if m.chance(0.3):
            scripts[name] = m.rec(*words)
    told = {"name": "pk", "version": "1.2.3", "config": {"k": m.one("8", "x y")}, "scripts": scripts}
    line = m.one("", "V_A='e f' ") + "npm run a" + m.one("", " -- -x 'p q'", " y z", " -- '$HOME' 'it'\"'\"'s'")
    return {"package.json": json.dumps(told, indent=2, ensure_ascii=False)}, line


def pnpm(m: Making) -> Case:
    files, line = npm(m)
    told = files["package.json"].replace("npm run b", m.one("pnpm run b", "pnpm b"))
    return {"package.json": told}, line.replace("npm run a", m.one("pnpm run a", "pnpm a", "pnpm -s run a"))


def yarn(m: Making) -> Case:
    files, line = npm(m)
    told = files["package.json"].replace("npm run b", m.one("yarn run b", "yarn b"))
    return {"package.json": told}, line.replace("npm run a", m.one("yarn run a", "yarn a", "yarn -s run a"))


def taskfile(m: Making) -> Case:
    words = [*SHELL, "{{.V}}", "{{.W}}", "'{{.V}}'", "{{.NO}}", '{{.V | default "d"}}', '{{.NO | default "d"}}', "{{upper .V}}", "{{.V | quote}}", "{{.TASK}}",
             "{{.P}}", "{{.CLI_ARGS}}", '{{if eq .P "p"}}yes{{else}}no{{end}}', "{{range .L}}-{{.}} {{end}}", "{{len .L}}", "{{.V_OUT}}", '{{.L | join ","}}']  # fmt: skip
    safe = ["1", "x y", "", "-O2", "a=b", "v2", "{{.U}}-w"]

    def cmds(depth: int) -> list[object]:
        made: list[object] = []
        for _ in range(m.rng.randint(1, 3)):
            kind = m.one("text", "text", "map", "task", "for") if depth else m.one("text", "map")
            if kind == "task":
                made.append({"task": m.one("b", "c"), "vars": {"P": m.one("p", "q r", "{{.V}}")}})
            elif kind == "for":
                made.append(
                    {
                        "for": m.rng.choice([["i", "j k"], {"var": "L"}]),
                        "cmd": m.rec("{{.ITEM}}", "'{{.ITEM}}'", *words),
                    }
                )
            else:
                text = m.rec(*words)
                made.append(text if kind == "text" else {"cmd": text, "silent": True})
        return made

    told: dict[str, object] = {
        "version": "3",
        "silent": True,
        "vars": {"U": m.one("u", "u v"), "V": m.one(*safe[:-1]), "W": m.one(*safe), "L": ["l", "m n"]},
    }
    told["env"] = m.env(*SAFE, "{{.V}}", "$V_OUT")
    tasks: dict[str, dict[str, object]] = {
        "a": {"cmds": cmds(1)},
        "b": {"cmds": cmds(0)},
        "c": {"cmds": cmds(0), "requires": {"vars": ["P"]}},
    }
    for name, task in tasks.items():
        if m.chance(0.4):
            task["vars"] = {"V": m.one(*safe, '{{.V | default "o"}}')} | (
                {"P": '{{.P | default "dp"}}'} if name == "b" else {}
            )
        if m.chance(0.4):
            task["env"] = m.env(*SAFE, "{{.V}}", "$V_OUT", "$V_A")
        if name == "a" and m.chance(0.4):
            task["deps"] = [{"task": "b", "vars": {"P": "p"}}]
        if m.chance(0.2):
            task["dotenv"] = ["e.env"]
    told["tasks"] = tasks
    line = f"{shutil.which('go-task') or 'task'} -o interleaved a" + m.one("", " V=cli", " V='c d' P=p", " -- x 'y z'")
    line = line.replace(str(shutil.which("go-task")), "go-task")
    return {"Taskfile.yml": json.dumps(told, indent=1, ensure_ascii=False), "e.env": 'V_F=file\nV_C="f g"\n'}, line


def tox(m: Making) -> Case:
    words = ["plain", "'a b'", '"c d"', "{env:V_A:none}", "{env:V_OUT:d e}", "{posargs}", "{posargs:d e}", "{[k]w}", "{envname}", "a\\ b", "'{posargs:x}'", "$V_A", "\\#c", "it\\'s", "{/}", "-D{env:V_B:}", "''", "-x=\"p q\"",
             "{env_name}", "{env:V_NO:{env:V_OUT}}", "{posargs:{[k]w}}", "{[k]x}", "{env:V_A:{posargs:zz}}", "-I{/}usr", "{env:V_C:}", "{[testenv:x]own}", "a{:}b", "{[k]m}", "\\{posargs\\}", "{posargs}x"]  # fmt: skip
    factors = ["a", "!a", "x", "fast", "x-fast", "a,x", "!fast", "slow"]

    def commands() -> str:
        lines = [
            f"    {m.one('', '', '- ', *(f'{f}: ' for f in factors))}{m.rec(*words)}{m.one('', '', ' ' + chr(92) + chr(10) + '      more')}\n"
            for _ in range(m.rng.randint(1, 3))
        ]
        return "".join(lines)

    def setenv() -> str:
        values = [
            "1",
            "x y",
            "{env:V_OUT}",
            "a=b",
            "{envname}",
            "'q'",
            "{[k]w}",
            "{env:V_NO:dd}",
            "{posargs}",
            "$V_OUT",
            "{[k]x}",
        ]
        lines = [f"    {m.one('', '', *(f'{f}: ' for f in factors))}{n} = {v}\n" for n, v in m.env(*values).items()]
        lines += ["    file|e.env\n"] if m.chance(0.15) else []
        return "set_env =\n" + "".join(lines)

    text = f"[tox]\nskip_install = true\nenv_list = a, x, x-{{fast,slow}}\n[k]\nw = {m.one('w', 'w v')}\nx = {m.one('{[k]w}-x', 'xx')}\nm =\n    one\n    two\n"
    text += f"[testenv]\nskip_install = true\nallowlist_externals = rec\npass_env = {m.one('V_OUT', 'V_*', 'v_out')}\n"
    text += setenv() + "commands =\n" + commands()
    text += m.one("", "", "change_dir = sub\n", "change_dir = {tox_root}{/}sub\n", "ignore_errors = true\n")
    for key in ("commands_pre", "commands_post"):
        if m.chance(0.25):
            text += f"{key} =\n{commands()}"
    text += f"[testenv:x]\nown = {m.one('own', 'o w')}\n"
    if m.chance(0.5):
        text += f"[testenv:{m.one('a', 'x-fast')}]\n" + m.one("", "base = testenv:x\n")
        text += setenv().replace("=\n", "=\n    {[testenv]set_env}\n", 1) if m.chance(0.5) else ""
        text += "commands =\n" + m.one("", "    {[testenv]commands}\n") + commands() if m.chance(0.6) else ""
    line = m.one("-e a", "-e a", "-e x", "-e x-fast", "-e x-slow,a", "run -e a", "-qe x")
    return {"tox.ini": text, "e.env": "V_F=file\n# V_G=1\nV_H = 'h i'\n", "sub/x": ""}, f"tox -q {line}" + m.one("", " -- p 'q r'", " -- ''", " -- -k 'a or b'")  # fmt: skip


def toxtoml(m: Making) -> Case:
    def word() -> object:
        return m.rng.choice([
            "plain", "a b", "$V_A", "", "it's", "{env:V_A:none}", "{env_name}", "-D{env:V_OUT}", "{/}", "{posargs}", "x{posargs:d}",
            {"replace": "posargs", "extend": True}, {"replace": "posargs", "default": ["d", "e f"], "extend": True},
            {"replace": "env", "name": "V_OUT"}, {"replace": "env", "name": "V_NO", "default": "no ne"}, {"replace": "ref", "of": ["k", "w"]},
            {"replace": "ref", "of": ["k", "l"], "extend": True}, "{[k]w}",
        ])  # fmt: skip

    def commands() -> list[object]:
        made: list[object] = []
        for _ in range(m.rng.randint(1, 3)):
            m.count += 1
            made.append(["rec", f"n{m.count}", *(word() for _ in range(m.rng.randint(1, 4)))])
        return made + (
            [{"replace": "ref", "of": ["env_run_base", "commands"], "extend": True}] if m.chance(0.0) else []
        )

    env = {
        n: m.rng.choice([v, v, {"replace": "env", "name": "V_OUT"}, "{env:V_OUT}-x"])
        for n, v in m.env("1", "x y", "a=b").items()
    }
    text = f"env_list = ['a', 'x']\n[k]\nw = {toml(m.one('w', 'w v'))}\nl = ['l', 'm n']\n[env_run_base]\nskip_install = true\npackage = 'skip'\nallowlist_externals = ['rec']\npass_env = ['V_OUT']\nset_env = {toml(env)}\ncommands = {toml(commands())}\n"
    for key in ("commands_pre", "commands_post"):
        text += f"{key} = {toml(commands())}\n" if m.chance(0.2) else ""
    if m.chance(0.5):
        text += f"[env.a]\nset_env = {toml(m.env('k', 'o p') | {'V_C': 'own'})}\n" + (f"commands = {toml(commands())}\n" if m.chance(0.6) else "")  # fmt: skip
    return {"tox.toml": text}, f"tox -q -e {m.one('a', 'a', 'x')}" + m.one("", " -- p 'q r'", " -- ''")


def hatch(m: Making) -> Case:
    words = [*SHELL, "{args}", "{args:d e}", "{env:V_A:none}", "{env:V_OUT}", "{env_name}", "{matrix:no:md}", "{env:V_NO:{env:V_OUT}}", "{args:{env_name}}", "{/}", "{env:HOME:}", "-O{matrix:no:2}"]  # fmt: skip
    scripts: dict[str, object] = {
        "b": m.rec(*words),
        "c": [m.rec(*words), m.one("b", "b q 'r s'", "- b", m.rec(*words), "- " + m.rec(*words))],
    }
    scripts["a"] = m.rng.choice(
        [m.rec(*words), [m.rec(*words), m.one("b", "c", "b -x", "c y")], "b 'u v'", "c {args:o}"]
    )
    text = '[project]\nname = "pk"\nversion = "1"\n[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
    text += '[tool.hatch.envs.default]\ntype = "virtual"\nskip-install = true\n'
    text += f"env-vars = {toml(m.env(*SAFE, '{env:V_OUT:z}'))}\n[tool.hatch.envs.default.scripts]\n"
    text += "".join(f"{k} = {toml(v)}\n" for k, v in scripts.items())
    call = m.one("run a", "run a", "run default:a", "run c", "-e default run b")
    if m.chance(0.5):
        text += f"[tool.hatch.envs.o]\n{m.one('', 'template = ' + toml('default') + chr(10))}env-vars = {toml(m.env(*SAFE))}\n[tool.hatch.envs.o.scripts]\nown = {toml([m.rec(*words), 'b own'])}\n"
        call = m.one("run o:own", "run o:a", call, "-e o run own")
    if m.chance(0.4):
        text += '[tool.hatch.envs.default.overrides]\nplatform.linux.env-vars = ["V_L=lin"]\nplatform.windows.env-vars = "V_L=win"\nenv.V_OUT.env-vars = [{key = "V_M", value = "m", if = ["from out"]}]\n'
    if m.chance(0.3):
        text += f'[tool.hatch.envs.t]\nenv-vars = {toml(m.env("{matrix:ver}", "1"))}\n[[tool.hatch.envs.t.matrix]]\nver = ["1", "2"]\n[tool.hatch.envs.t.scripts]\nt = {toml(m.rec("{matrix:ver}", "-m{matrix:ver:x}", "{env_name}", *words))}\n'
        call = m.one(call, "run t:t", "run +ver=2 t:t", "run t.1:t")
    return {"pyproject.toml": text}, f"hatch -q {call}" + m.one("", " p 'q r'", " -- -x")


def pdm(m: Making) -> Case:
    words = ["plain", "'a b'", '"c d"', "$V_A", "${V_A}", "${V_C:-def}", "'${V_B}'", "a\\ b", "${V_OUT}", "''", "{args}", "{args:d e}", "-D${V_B}", "*.toml", "\\$V_A", "it\\'s"]  # fmt: skip
    tasks: dict[str, dict[str, object]] = {}
    for name in "abc":
        kind = m.one("cmd", "cmd", "shell", "list") if name != "a" else m.one("cmd", "shell", "composite", "composite")
        if kind == "composite":
            tasks[name] = {
                "composite": [
                    m.one("b", "c", "b -x 'y z'", "c {args:o}", "b {args}", m.rec(*words))
                    for _ in range(m.rng.randint(1, 3))
                ]
            }
        elif kind == "list":
            tasks[name] = {"cmd": [w if w[:1] not in "'\"" else w[1:-1] for w in m.rec(*words).split(" ")]}
        else:
            tasks[name] = {kind: m.rec(*(words if kind == "cmd" else [*SHELL, "{args:n}"]))}
        if m.chance(0.4):
            tasks[name]["env"] = m.env(*SAFE, "${V_OUT}", "${V_A}")
        if m.chance(0.2):
            tasks[name]["env_file"] = m.rng.choice(["e.env", {"override": "e.env"}])
        if m.chance(0.15):
            tasks[name]["working_dir"] = "sub"
    if m.chance(0.2):
        tasks["pre_a"] = {"cmd": m.rec(*words)}
    if m.chance(0.2):
        tasks["post_a"] = {"cmd": m.rec(*words)}
    text = '[project]\nname = "pk"\nversion = "1"\nrequires-python = ">=3.8"\n[tool.pdm]\ndistribution = false\n[tool.pdm.scripts]\n'
    shared = m.one(f"_.env = {toml(m.env(*SAFE))}\n", '_ = {env_file = "e.env"}\n', "")
    text += shared + "".join(f"{k} = {toml(v)}\n" for k, v in tasks.items())
    return {"pyproject.toml": text, "e.env": "V_F=file\nV_A='f g'\n", "sub/x": ""}, m.one(
        "pdm run a", "pdm run a", "pdm a", "pdm run c"
    ) + m.one("", " p 'q r'", " -x", " ''")


def taskipy(m: Making) -> Case:
    words = [*SHELL, "{v}", "'{v}'", "-D{v}", "{r}"]
    tasks: dict[str, object] = {}
    for name in ("a", "pre_a", "post_a"):
        if name == "a" or m.chance(0.3):
            text = m.rec(*words) + m.one("", " && " + m.rec(*words), " && task b", "; " + m.rec(*words), " | cat")
            tasks[name] = {"cmd": text, "use_vars": True, **({"cwd": "sub"} if m.chance(0.2) else {}), **({"help": "h"} if m.chance(0.2) else {})} if m.chance(0.7) else text  # fmt: skip
    tasks["b"] = m.rec(*SHELL)
    settings = "use_vars = true\n" if m.chance(0.2) else ""
    v, r = toml(m.one("1", "x y", "-O2")), m.one('"r"', '{var = "{v}-r", recursive = true}')
    text = f"[tool.taskipy.settings]\n{settings}[tool.taskipy.variables]\nv = {v}\nr = {r}\n[tool.taskipy.tasks]\n"
    return {"pyproject.toml": text + "".join(f"{k} = {toml(v)}\n" for k, v in tasks.items()), "sub/x": ""}, m.one(
        "task a", "task a", "task b"
    ) + m.one("", " p 'q r'", " -x '$HOME'")


def mise(m: Making) -> Case:
    words = [*SHELL, "{{v}}", "{{env.V_M}}", "'{{env.V_OUT}}'", "{{os()}}", "{{arch()}}", "{{os_family()}}", "{{v | upper}}", "{{v | replace(from=' ', to='-')}}",
             "{% if v == '1' %}yes{% else %}no{% endif %}", "{{v | default(value='d')}}", "{{get_env(name='V_NO', default='e f')}}", "$V_M", "{{v ~ '-x'}}"]  # fmt: skip
    v = m.one("1", "x y", "-O2")

    def task(name: str) -> str:
        deps = (
            f"{m.one('depends', 'depends', 'depends_post')} = {toml([m.one('b', 'c', 'c p')])}\n"
            if name == "a" and m.chance(0.4)
            else ""
        )
        runs: object = m.rec(*words) if m.chance(0.6) else [m.rec(*words), m.rec(*words)]
        usage, own = "", ""
        if name == "a" and m.chance(0.4):
            usage = m.one(
                'usage = \'arg "[name]" default="dn"\'\n',
                "usage = 'flag \"-f --fast\"'\n",
                'usage = \'flag "-l --level <level>" default="2"\'\n',
            )
            own = " $usage_name" if "name" in usage else " ${usage_fast:-off}" if "fast" in usage else " -O$usage_level"
            runs = runs + own if isinstance(runs, str) else runs
        extra = m.one("", "", "", 'dir = "sub"\n', 'shell = "bash -c"\n', "quiet = true\n", "hide = true\n")
        return f"[tasks.{name}]\n{deps}{usage}{extra}run = {toml(runs)}\nenv = {toml(m.env(*SAFE, '{{v}}', '{{env.V_M}}'))}\n"

    files = {"e.env": "V_F=file\nV_G='g h'\n", "sub/x": ""}
    head = (
        "[settings]\nexperimental = true\n[env]\n"
        + m.one("", '_.file = "e.env"\n', '_.file = ["e.env"]\n')
        + f"V_M = {toml(m.one(*SAFE, '{{vars.v}}x'))}\n[vars]\nv = {toml(v)}\n"
    )
    head = head.replace("{{vars.v}}", "{{vars.v}}")
    text = head + "".join(map(task, "abc"))
    text = text.replace("{{v", "{{vars.v").replace("if v ==", "if vars.v ==").replace("{{vars.vars.v", "{{vars.v")
    if m.chance(0.3):
        files["mise-tasks/f"] = (
            f'#!/usr/bin/env bash\n#MISE description="d"\n#MISE env={{V_T="t"}}\n{m.rec(*SHELL)} "$1"\n'
        )
    said = ""
    if "usage = " in text and m.chance(0.6):
        said = " nm" if "[name]" in text else " --fast" if "--fast" in text else " --level 3"
    call = (
        m.one("a" + said, "a" + said, "b", "b p 'q r'", "c -x")
        if "mise-tasks/f" not in files
        else m.one("f", "f 'x y'", "b")
    )
    return {"mise.toml": text, **files}, f"mise run -q {call}"
