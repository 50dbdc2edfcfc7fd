# ruff: noqa: E501  (a case is a line)
"""Taskfiles and calls of Task: the files, and the command line."""

Case = tuple["dict[str, str]", str]


def files(text: str, **more: str) -> "dict[str, str]":
    return {"Taskfile.yml": f"version: '3'\n{text}\n", **{name.replace("__", "/"): said for name, said in more.items()}}


def one(cmd: str, head: str = "", line: str = "task a") -> Case:
    """A task with one command."""
    return files(f"{head}tasks:\n  a:\n    cmds:\n      - {cmd}"), line


_V = "vars:\n  V: x y\n  W: '{{.V}} z'\n  N: 3\n  B: true\n  L: [p, q r]\n  M:\n    map: {k: one, j: two}\n"
_INC = "version: '3'\nvars:\n  V: inc\ntasks:\n  default: rec def {{.V}} {{.G}}\n  b:\n    aliases: [bb]\n    deps: [c]\n    cmds:\n      - rec b {{.V}} {{.P}}\n      - task: :root\n  c: rec c\n"

# fmt: off
CASES: "list[Case]" = [
    (files("tasks:\n  a: rec x"), "task a"),
    (files("tasks:\n  a: [rec x, rec y]"), "task a"),
    (files("tasks:\n  a:\n    cmd: rec x 'y z'"), "task a"),
    (files("tasks:\n  default: rec d\n  a: rec a"), "task"),
    (files("tasks:\n  a: rec a\n  b: rec b"), "task a b"),
    (files("tasks:\n  a:\n    aliases: [z]\n    cmds: [rec a]"), "task z"),
    (files("tasks:\n  a:\n    deps: [b, c]\n    cmds: [rec a]\n  b: rec b\n  c: rec c"), "task a"),
    (files("tasks:\n  a:\n    cmds:\n      - task: b\n        vars: {V: 1}\n      - task: b\n        vars: {V: 2}\n      - rec a\n  b: rec b {{.V}}"), "task a"),
    (files("tasks:\n  a:\n    deps:\n      - task: b\n        vars: {V: 'x y'}\n  b: rec b {{.V}} '{{.V}}'"), "task a"),
    (files("tasks:\n  a:\n    cmds:\n      - rec 1\n      - defer: rec 3\n      - rec 2"), "task a"),
    (files("tasks:\n  a:\n    cmds:\n      - defer: {task: b, vars: {V: 4}}\n      - rec 2\n  b: rec b{{.V}}"), "task a"),
    (files("tasks:\n  a:\n    cmds:\n      - cmd: rec 1\n        ignore_error: true\n      - {cmd: rec 2, silent: true}"), "task a"),
    one("rec {{.V}} {{.W}} {{.N}} {{.B}}", _V),
    one("rec {{.NO}} end", _V),
    one("rec {{.X}}", line="task a X=1"),
    one("rec {{.V}}", _V, "task a V=over"),
    one("rec {{.V}}", _V, "V=env task a"),
    one("rec {{.E}} $E", line="E='e f' task a"),
    (files("vars: {V: g}\ntasks:\n  a:\n    vars: {V: '{{.V}}-t', U: '{{.V}}'}\n    cmds: ['rec {{.V}} {{.U}}']"), "task a"),
    (files("vars: {V: g}\ntasks:\n  a:\n    vars: {V: t}\n    cmds: ['rec {{.V}}']"), "task a V=cli"),
    (files("tasks:\n  a:\n    vars: {V: '{{.V | default \"d\"}}'}\n    cmds: ['rec {{.V}}']"), "task a V=cli"),
    (files("tasks:\n  a:\n    vars: {V: '{{.V | default \"d\"}}'}\n    cmds: ['rec {{.V}}']"), "task a"),
    (files("vars:\n  V: {sh: echo out}\ntasks:\n  a: rec {{.V}}"), "task a"),
    (files("vars:\n  V: {sh: 'printf \"a\\nb\\n\"'}\ntasks:\n  a: rec {{catLines .V}}"), "task a"),
    (files("vars:\n  L: [p, q]\n  R: {ref: 'index .L 1'}\ntasks:\n  a: rec {{.R}}"), "task a"),
    (files("vars:\n  A: x\n  R: {ref: .A}\ntasks:\n  a:\n    cmds:\n      - task: b\n        vars: {V: {ref: .R}}\n  b: rec {{.V}}"), "task a"),
    one("rec {{.M.k}} {{index .M \"j\"}} {{index .L 0}} {{len .L}}", _V),
    one("'rec {{range .L}}[{{.}}] {{end}}'", _V),
    one("'rec {{range $i, $e := .L}}{{$i}}={{$e}} {{end}}'", _V),
    one("'rec {{range $k, $v := .M}}{{$k}}:{{$v}} {{end}}'", _V),
    one("'{{if eq .V \"x y\"}}rec yes{{else}}rec no{{end}}'", _V),
    one("'rec {{if .NO}}yes{{else if .B}}maybe{{else}}no{{end}}'", _V),
    one("'rec {{if and .B (eq .N 3)}}1{{end}}{{if or .NO .V}}2{{end}}{{if not .NO}}3{{end}}'", _V),
    one("'rec {{with .V}}{{.}}{{end}} {{with .NO}}a{{else}}b{{end}}'", _V),
    one("'rec {{$x := .V}}{{$x | upper}}'", _V),
    one("'rec {{- \" a\" -}}  {{/* no */}} b'", _V),
    one("'rec {{.V | upper | replace \"X\" \"O\"}} {{lower \"ABC\"}} {{title \"ab\"}}'", _V),
    one("'rec {{trim \"  a \"}} {{trimPrefix \"v\" \"v1\"}} {{trimSuffix \".c\" \"a.c\"}} {{trimAll \"$\" \"$5$\"}}'"),
    one("'rec {{splitList \":\" \"a:b:c\" | join \",\"}} {{(split \"$\" \"a$b\")._1}} {{index (splitList \":\" \"a:b\") 1}}'"),
    one("'rec {{joinPath \"a\" \"b/../c\"}} {{base \"a/b.c\"}} {{dir \"a/b\"}} {{ext \"a.c\"}}'"),
    one("'rec {{printf \"%s-%d-%v\" \"a\" 3 true}} {{printf \"%03d\" 7}} {{print \"a\" \"b\"}}'"),
    one("'rec {{quote \"a b\"}} {{squote \"c d\"}} {{shellQuote \"e f\"}} {{q \"g''h\"}}'"),
    one("'rec {{default \"d\" .NO}} {{coalesce .NO \"c\"}} {{ternary \"t\" \"f\" true}} {{empty .NO}}'"),
    one("'rec {{contains \"b\" \"abc\"}} {{hasPrefix \"a\" \"abc\"}} {{hasSuffix \"a\" \"abc\"}} {{has \"q r\" .L}}'", _V),
    one("'rec {{add 1 2}} {{sub 5 2}} {{mul 2 3}} {{div 7 2}} {{mod 7 2}} {{max 1 5}} {{add .N 1}}'", _V),
    one("'rec {{first .L}} {{last .L}} {{rest .L | len}} {{list \"a\" \"b\" | join \"+\"}} {{reverse .L | first}}'", _V),
    one("'rec {{uniq (list \"a\" \"b\" \"a\") | join \"\"}} {{sortAlpha (list \"b\" \"a\") | join \"\"}} {{without .L \"p\" | join \"\"}}'", _V),
    one("'rec {{gt 2 1}} {{le 1 1}} {{ne \"a\" \"b\"}} {{eq \"a\" \"b\" \"a\"}} {{lt 2 1}}'"),
    one("'rec {{OS}} {{ARCH}} {{exeExt}}x {{if eq OS \"linux\"}}l{{end}}'"),
    one("'rec {{joinEnv \"a\" \"b\"}} {{fromSlash \"a/b\"}} {{.FILE_PATH_SEPARATOR}}'"),
    one("'rec {{splitLines \"a\\nb\" | len}} {{cat \"a\" \"b\"}} {{trunc 2 \"abc\"}}'"),
    one("'rec {{`raw \"x\"`}} {{\"a\\tb\" | len}}'"),
    one("'rec {{.TASK}} {{.NO}}{{len .CLI_ARGS_LIST}}'", line="task a -- 1 2"),
    one("rec {{.CLI_ARGS}}", line="task a -- -x 'y z' \"it's\""),
    one("rec {{.CLI_ARGS}} end", line="task a"),
    one("rec '{{.CLI_ARGS}}'", line="task a -- x y"),
    (files("tasks:\n  a:\n    cmds: ['task: b']\n  b: rec b {{.CLI_ARGS}}"), "task b -- q"),
    (files("tasks:\n  a:\n    cmds:\n      - task: b\n  b: rec b {{.CLI_ARGS}}"), "task a -- q"),
    # environment
    (files("env: {E: g}\ntasks:\n  a: rec $E {{.E}}"), "task a"),
    (files("env: {E: g}\ntasks:\n  a:\n    env: {E: t, F: '{{.E}}2'}\n    cmds: [rec $E $F]"), "task a"),
    (files("env: {E: g}\ntasks:\n  a: rec $E"), "E=outer task a"),
    (files("env:\n  E: {sh: echo s}\ntasks:\n  a: rec $E"), "task a"),
    (files("dotenv: ['.env', 'no.env']\ntasks:\n  a: rec $E $F", **{".env": "E=1\nF='2 3'\n"}), "task a"),
    (files("tasks:\n  a:\n    dotenv: ['t.env']\n    env: {F: own}\n    cmds: [rec $E $F]", **{"t.env": "E=1\nF=2\n"}), "task a"),
    (files("vars: {S: prod}\ndotenv: ['{{.S}}.env']\ntasks:\n  a: rec $E", **{"prod.env": "E=p\n"}), "task a"),
    # loops
    (files("tasks:\n  a:\n    cmds:\n      - for: [x, 'y z', 3]\n        cmd: rec {{.ITEM}}"), "task a"),
    (files("vars: {F: 'a b c'}\ntasks:\n  a:\n    cmds:\n      - for: {var: F}\n        cmd: rec {{.ITEM}}"), "task a"),
    (files("vars: {F: 'a,b c'}\ntasks:\n  a:\n    cmds:\n      - for: {var: F, split: ',', as: G}\n        cmd: rec '{{.G}}'"), "task a"),
    (files("vars: {L: [p, q]}\ntasks:\n  a:\n    cmds:\n      - for: {var: L}\n        cmd: rec {{.ITEM}}"), "task a"),
    (files("vars: {M: {map: {a: 1, b: 2}}}\ntasks:\n  a:\n    cmds:\n      - for: {var: M}\n        cmd: rec {{.KEY}}{{.ITEM}}"), "task a"),
    (files("tasks:\n  a:\n    cmds:\n      - for: {matrix: {O: [x, y], R: ['1', '2']}}\n        cmd: rec {{.ITEM.O}}/{{.ITEM.R}}"), "task a"),
    (files("vars: {L: [x, y]}\ntasks:\n  a:\n    cmds:\n      - for: {matrix: {O: {ref: .L}, R: ['1']}}\n        cmd: rec {{.ITEM.O}}{{.ITEM.R}}"), "task a"),
    (files("tasks:\n  a:\n    cmds:\n      - for: [x, y]\n        task: b\n        vars: {V: '{{.ITEM}}'}\n  b: rec b{{.V}}"), "task a"),
    (files("tasks:\n  a:\n    deps:\n      - for: [x, y]\n        task: 'b-{{.ITEM}}'\n  b-x: rec bx\n  b-y: rec by"), "task a"),
    (files("tasks:\n  a:\n    sources: ['*.txt']\n    cmds:\n      - for: sources\n        cmd: rec {{.ITEM}}", **{"f.txt": "1"}), "task a"),
    # names, conditions, platforms
    (files("tasks:\n  'b:*': rec {{index .MATCH 0}}"), "task b:x"),
    (files("tasks:\n  'b:*:*':\n    vars: {A: '{{index .MATCH 0}}', B: '{{index .MATCH 1}}'}\n    cmds: ['rec {{.A}} {{.B}}']"), "task b:x:y"),
    (files("tasks:\n  a:\n    cmds:\n      - task: b:x\n  'b:*': rec {{index .MATCH 0}}"), "task a"),
    (files("tasks:\n  a:\n    platforms: [linux]\n    cmds: [rec l]\n  b:\n    platforms: [windows, darwin/arm64]\n    cmds: [rec w]"), "task a b"),
    (files("tasks:\n  a:\n    cmds:\n      - {cmd: rec l, platforms: [linux/amd64]}\n      - {cmd: rec w, platforms: [windows]}\n      - {cmd: rec x, platforms: [amd64]}"), "task a"),
    (files("tasks:\n  a:\n    cmds:\n      - {cmd: rec y, if: 'true'}\n      - {cmd: rec n, if: 'false'}\n      - {cmd: rec z, if: '[ \"{{.V}}\" = 1 ]'}"), "task a V=1"),
    (files("tasks:\n  a:\n    if: '[ 1 = 2 ]'\n    cmds: [rec n]\n  b: rec b"), "task a b"),
    (files("tasks:\n  a:\n    preconditions: ['rec pre']\n    status: ['rec st; false']\n    cmds: [rec a]"), "task a"),
    (files("tasks:\n  a:\n    preconditions: [{sh: 'rec pre', msg: no}]\n    cmds: [rec a]"), "task a"),
    (files("tasks:\n  a:\n    requires: {vars: [V]}\n    cmds: ['rec {{.V}}']"), "task a V=1"),
    (files("tasks:\n  a:\n    internal: true\n    cmds: [rec a]\n  b:\n    cmds:\n      - task: a"), "task b"),
    (files("tasks:\n  a:\n    dir: sub\n    cmds: [rec *.t]", sub__f="", **{"sub/g.t": ""}), "task a"),
    # shell
    one("rec \"a b\" 'c d' e\\ f $((1+2)) {g,h}"),
    one("A=1; rec $A ${A:-2} ${B:-3}"),
    one("'[[ a == a* ]] && rec yes || rec no'"),
    one("'if [ 1 = 1 ]; then rec t; fi; for i in 1 2; do rec $i; done'"),
    one("|\n          rec 1\n          rec 2 \\\n            3"),
    one(">\n          rec 1\n          2"),
    one("rec $(echo sub) $0 $#"),
    (files("set: [errexit]\ntasks:\n  a:\n    cmds:\n      - false; rec no"), "task a"),
    (files("tasks:\n  a:\n    cmds:\n      - false; rec yes"), "task a"),
    # includes
    (files("vars: {G: g}\nincludes:\n  n: inc.yml\ntasks:\n  root: rec root", **{"inc.yml": _INC}), "task n:b n"),
    (files("vars: {G: g, V: main}\nincludes:\n  n: inc.yml\ntasks:\n  root: rec root {{.V}}", **{"inc.yml": _INC}), "task root n:c"),
    (files("includes:\n  n: {taskfile: ./d/inc.yml, vars: {P: p, V: given}}\ntasks:\n  root: rec root", **{"d/inc.yml": _INC}), "task n:b"),
    (files("includes:\n  n: {taskfile: ./d, dir: d, aliases: [m]}\ntasks:\n  root: rec root", **{"d/Taskfile.yml": _INC}), "task m:bb"),
    (files("includes:\n  n: {taskfile: inc.yml, flatten: true}\ntasks:\n  root: rec root", **{"inc.yml": _INC}), "task b"),
    (files("includes:\n  n: {taskfile: inc.yml, flatten: true, excludes: [c]}\ntasks:\n  root: rec root\n  c: rec mine", **{"inc.yml": _INC}), "task b"),
    (files("includes:\n  n: {taskfile: no.yml, optional: true}\ntasks:\n  a: rec a"), "task a"),
    (files("includes:\n  n: 'inc_{{OS}}.yml'\ntasks:\n  root: rec root", **{"inc_linux.yml": _INC}), "task n:c"),
    (files("includes:\n  n: a.yml\ntasks: {}", **{"a.yml": "version: '3'\nincludes: {m: b.yml}\ntasks:\n  x:\n    cmds:\n      - task: m:y\n", "b.yml": "version: '3'\ntasks:\n  y: rec y\n"}), "task n:x n:m:y"),
    # calls
    (files("tasks:\n  a: rec a", sub__f=""), "cd sub && task a"),
    (files("tasks:\n  a: rec a"), "task -d . a && task --dir=. -s a"),
    ({"T.yml": "version: '3'\ntasks:\n  a: rec t\n"}, "task -t T.yml a"),
    ({"taskfile.dist.yaml": "version: '3'\ntasks:\n  a: rec t\n"}, "task a"),
    (files("tasks:\n  a: rec a"), "task -n a; task --list; task -p a"),
    (files("tasks:\n  a:\n    cmds: ['task b X=2 -- y']\n  b: rec {{.X}} {{.CLI_ARGS}}"), "task a"),
    (files("tasks:\n  a:\n    run: once\n    cmds: [rec once]\n  b:\n    deps: [a]\n    cmds:\n      - task: a\n      - rec b"), "task b"),
]
# fmt: on
