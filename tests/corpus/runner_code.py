# ruff: noqa: E501, UP031  (a list of words is a line)
"""Generated files of task runners with languages of their own: just, nox and Invoke."""

from runner_files import SHELL, VALUES, Case, Making

JUST = [
    "{{v}}", "'{{w}}'", "{{v + w}}", "{{p}}", "{{quote(w)}}", "{{uppercase(v)}}", "{{ if v == 'x' { 'yes' } else { 'no' } }}",
    "{{replace(w, ' ', '-')}}", "{{{{", "$V_E", '"$V_E"', "{{os()}}", "{{os_family()}}", "{{arch()}}-x", "{{env('V_OUT')}}",
    "{{env('V_NO', 'd e')}}", '"{{env_var_or_default("V_NO", "f")}}"', "{{v / 'sub'}}", "{{trim(' a ')}}", "{{kebabcase('aB c')}}",
    "{{capitalize(v)}}", "{{file_name('a/b.c')}}", "{{without_extension('b.c')}}", "{{prepend('-I', 'a b')}}", "{{append('.o', 'a b')}}",
    "{{ if os() == 'linux' { '-lrt' } else { '' } }}", "{{ if v =~ '^x' { 'm' } else if w != '' { 'n' } else { 'o' } }}",
    "{{replace_regex(w, '[a-z]$', 'Z')}}", "{{s}}", "'{{t}}'", "{{join('a', 'b c')}}",
    "{{parent_directory('a/b')}}", "{{extension('x.tar')}}", "{{is_dependency()}}", "{{trim_end_match('a.b', '.b')}}", "{{encode_uri_component('a b')}}",
]  # fmt: skip
SET = ["$V_OUT", '"$V_E"', "'$V_A'", "a\\ b", '"it\'s"', "''", "-Dx=$V_E", '"${V_NO:+set}"', "${V_NO:-d}", "plain", "'a b'"]  # fmt: skip
"""Words for the shell, without those that `sh -u` refuses."""


def just(m: Making) -> Case:
    words = JUST + SET
    body = [w for w in words if w != "{{p}}"]
    files: dict[str, str] = {}
    settings = ""
    if m.chance(0.2):
        settings += "set shell := ['bash', '-euc']\n"
    if m.chance(0.2):
        settings += "set export\n"
        words, body = [*words, '"$v"', "$w"], [*body, '"$v"', "$w"]
    if m.chance(0.2):
        settings += "set positional-arguments\n"
        words = [*words, '"$1"', '"$@"', "$#"]
    if m.chance(0.2):
        settings += "set dotenv-load\n"
        files[".env"] = "V_F=file\nV_G='g h'\n# V_H=1\n"
        words = [*words, '"$V_F"', "{{env('V_G', 'none')}}"]
    if m.chance(0.1):
        settings += "set unstable\nset lists\n"
        words, body = [*words, "{{ 'a' && 'b' }}", "{{ '' || v }}"], [*body, "{{ 'a' && 'b' }}"]
    if m.chance(0.1):
        settings += "set ignore-comments\n"
    if m.chance(0.1):
        settings += "set quiet := true\n"
    v = m.one("'x'", '"a b"', "'x' + 'y'", "if os_family() == 'unix' { 'u' } else { 'win' }", "env('V_OUT')", "'-O2'")
    text = f"{settings}v := {v}\nw := v + ' t'\ns := {m.one(chr(39) * 3 + chr(10) + '  one' + chr(10) + chr(39) * 3, 'trim_start(w)', chr(34) + 'q' + chr(92) + 't' + chr(34))}\nt := lowercase(w) / {m.one('v', chr(39) + 'o' + chr(39))}\nexport V_E := {m.one('v', 'w', chr(39) + 'e' + chr(39))}\n"

    def lines(own: list[str]) -> str:
        if m.chance(0.15):
            own = [w for w in own if "$#" not in w]
            return f'    #!/usr/bin/env bash\n    set -eu\n    x={m.one("1", chr(39) + "k l" + chr(39))}\n    {m.rec(*own)} "$x"\n    {m.rec(*own)}\n'
        return "".join(line(own) for _ in range(m.rng.randint(1, 2)))

    def line(own: list[str]) -> str:
        kind = m.one("plain", "plain", "plain", "continued", "comment", "line-if")
        if kind == "continued":
            return f"    {m.rec(*own)} \\\n      more {m.one(*own)}\n    @{m.rec(*own)}\n"
        if kind == "comment":
            return f"    # {m.rec(*own)}\n    -{m.rec(*own)}\n    {m.rec(*own)} # tail\n"
        if kind == "line-if":
            return f"    if true; then {m.rec(*own)}; else rec never; fi\n"
        return f"    {m.one('@', '-', '', '@-')}{m.rec(*own)}\n"

    head = m.one(
        "",
        "",
        "",
        "[private]\n",
        "[unix]\n",
        "[linux]\n",
        "[no-cd]\n",
        "[group('g')]\n",
        "[doc('d')]\n",
        "[linux, macos]\n",
    )
    parameters, dollar = m.rng.choice([("p=w", ""), ("p='d e'", ""), ("p", ""), ("$p='d'", '"$p"'), ("p=(v + '!')", ""), ("*p", ""), ("+p='d'", ""), ("q='1' p='2'", "{{q}}")])  # fmt: skip
    words = [*words, dollar] if dollar else words
    depends = m.one("", "b", "(c v)", "(c w) && b", "b (c 'lit')", "b && (c 'p q')")
    text += f"alias al := b\n{head}a {parameters}: {depends}\n{lines(words)}"
    text += f"{m.one('', '[windows]' + chr(10) + 'b:' + chr(10) + '    rec windows' + chr(10) + '[unix]' + chr(10))}b:\n{lines(body)}"
    c = f"c p:\n{lines([w for w in words if w not in (dollar, '$p')])}"
    if m.chance(0.3):
        files["c.just"] = c
        text = f"import 'c.just'\n{text}"
    else:
        text += c
    if m.chance(0.25):
        files["sub/mod.just"] = f"y := 'mod'\nr z='d':\n    {m.rec('{{y}}', '{{z}}', *SET[:3])}\n"
        text += "mod sub\nd: sub::r\n"
    calls = ["a 'q r'", "a 'q r'", "al", "b", "v=cli a k", "--set v 'c d' a k"] + (["a k l"] if parameters[0] in "*+q" else []) + (["sub::r 'm n'", "d", "sub r"] if "sub/mod.just" in files else [])  # fmt: skip
    return {"justfile": text, **files}, f"just {m.one(*calls)}"


PYTHON = [
    "'plain'", "'a b'", "f'-D{v}'", "v", "*l", "'$V_A'", "f'{v}-{l[0]}'", "w", "'%s!' % v", "'-x={}'.format(w)", "v + '+'", "''", "*(['-g'] if v else ['-s'])",
    "*[f'-I{i}' for i in l]", "' '.join(l)", "d['k']", "f'{n}'", "os.environ.get('V_OUT')", "os.environ.get('V_NO', 'dflt')", "('-O2' if n > 2 else '-O0')",
    "str(n)", "f'{v!r}'", "f'{n:03d}'", "g(v)", "*g2(l)", "w.upper()", "w.replace(' ', '_')", "w.split()[-1]", "'a' 'b'", "l[-1]", "f\"{d['k']}\"",
    "os.path.join('a', 'b')", "sys.platform", "*sorted({'b', 'a'})", "w[:1] or 'e'", "'%s-%d' % (v, n)", "f'{v:>4}'", "w.split()[0]", "*w.split()", "f'{w}'.split()[0]", "{'a': '1'}.get('b', 'two')",
]  # fmt: skip
HEAD = "import os\nimport sys\nfrom pathlib import Path\n"


def _values(m: Making, *values: str) -> str:
    v = m.one(*(values or (*VALUES[:6], "it's", "{a}")))
    text = f"v = {v!r}\nw = f'{{v}} w'\nl = [v, 'z']\nn = {m.one('3', '1 + 1')}\nd = {{'k': v, 'm': 'mm'}}\n"
    text += "def g(x, end='.'):\n    return '+' + x + end\ndef g2(items):\n    out = []\n    for item in items:\n        if item:\n            out.append('-i' + item)\n    return out\n"
    return (
        text
        + ("l += ['y']\n" if m.chance(0.3) else "")
        + ("if sys.platform == 'linux':\n    l.append('-lin')\nelse:\n    l.append('-oth')\n" if m.chance(0.3) else "")
    )


def nox(m: Making) -> Case:
    def run(own: "list[str]") -> str:
        m.count += 1
        said = ", ".join(["'rec'", f"'n{m.count}'", *(m.one(*PYTHON, *own, *own) for _ in range(m.rng.randint(1, 4)))])
        more = m.one(
            "",
            ", env={%r: v}" % "V_A",
            ", env={%r: w, %r: %r}" % ("V_A", "V_B", "x y"),
            ", env={'V_A': 'k', **e}",
            ", silent=True",
            ", success_codes=[0, 1]",
        )
        call = f"session.run({said}, external=True{more})\n"
        kind = m.one("plain", "plain", "plain", "if", "for", "with", "chdir", "always")
        if kind == "if":
            return (
                f"    if {m.one('v', 'n > 1', 'session.posargs', chr(39) + 'x' + chr(39) + ' in v')}:\n        {call}"
            )
        if kind == "for":
            return f"    for one in l:\n        {call.replace(', external', ', one, external', 1)}"
        if kind == "with":
            return f"    with session.chdir('sub'):\n        {call}"
        return f"    {call.replace('session.run(', 'session.run_always(', 1) if kind == 'always' else call}"

    posargs = ["*session.posargs", "*(session.posargs or ['d', 'e f'])", "' '.join(session.posargs)"]
    text = f"import nox\n{HEAD}{_values(m)}e = {{'V_C': 'ee'}}\n"
    if m.chance(0.4):
        text += f"nox.options.sessions = {m.one(repr(['a']), repr(['a', 'b']))}\n"
    decorator, arguments, own = m.rng.choice([
        ("", "", []),
        ("@nox.parametrize('p', ['1', 'p q'])\n", ", p", ["p", "f'-p{p}'"]),
        ("@nox.parametrize('p,q', [('1', '2'), ('3', '4 5')])\n", ", p, q", ["p", "q"]),
        ("@nox.parametrize('p', [nox.param('1', id='one')])\n", ", p", ["p"]),
    ])  # fmt: skip
    name = m.one("", ", name='a-b'")
    text += f"@nox.session(venv_backend='none'{name}{m.one('', ', tags=[%r]' % 't')})\n{decorator}def a(session{arguments}):\n"
    text += m.one(
        "",
        "    session.env['V_C'] = w\n",
        "    session.env.update({'V_C': v, 'V_D': 'dd'})\n",
        "    os.environ['V_P'] = 'p'\n",
    )
    text += "    args = list(session.posargs)\n    args += ['-q']\n" if m.chance(0.3) else "    args = ['-r', *l]\n"
    text += "".join(run([*posargs, "*args", *own]) for _ in range(m.rng.randint(1, 3)))
    text += "    session.notify('c')\n" if m.chance(0.2) else ""
    text += f"@nox.session(venv_backend='none', python=False{m.one('', ', default=False')})\ndef b(session):\n{run(posargs)}{run(posargs)}"
    text += f"@nox.session(venv_backend='none', default=False)\ndef c(session):\n{run(posargs)}"
    called = "a-b" if name else "a"
    line = m.one(f"-s {called}", f"-s {called}", f"--session {called} b", f"-e {called}", "-s b", "")
    return {"noxfile.py": text.replace(repr(["a"]), repr([called])).replace(repr(["a", "b"]), repr([called, "b"])), "sub/x": ""}, f"nox {line}" + m.one("", " -- p 'q r'", " -- ''")  # fmt: skip


def invoke(m: Making) -> Case:
    words = [w for w in SHELL if "${" not in w] + [
        "{v}",
        "'{w}'",
        "-D{v}",
        "{n}",
        "{d['k']}",
        "{' '.join(l)}",
        "{g(v)}",
        "{n:02d}",
        "'{w.upper()}'",
    ]

    def run(own: "list[str]") -> str:
        text = m.rec(*words, *own)
        quoted = 'f"""' + text.replace("\\", "\\\\") + ' """'
        call = f"c.run({quoted}{m.one('', ', env={%r: v}' % 'V_A', ', hide=True', ', warn=True', ', env=e', ', pty=False', ', echo=True')})\n"
        kind = m.one("plain", "plain", "plain", "if", "for", "cd", "prefix", "two", "join")
        if kind == "if":
            return f"    if {m.one('v', 'n > 1', 'not l')}:\n        {call}"
        if kind == "for":
            return f"    for one in l:\n        {call.replace('c.run(f' + chr(34) * 3 + 'rec n' + str(m.count), 'c.run(f' + chr(34) * 3 + 'rec n' + str(m.count) + ' {one}', 1)}"
        if kind == "cd":
            return f"    with c.cd('sub'):\n        {call}"
        if kind == "prefix":
            return f"    with c.prefix('export V_C={m.one('1', 'k')}'):\n        {call}"
        if kind == "two":
            return f"    cmd = {quoted}\n    c.run(cmd + ' && ' + {m.rec('x', 'y z')!r})\n"
        if kind == "join":
            m.count += 1
            return f"    c.run(' '.join(['rec', 'n{m.count}', *l, {m.one('w', 'v', repr('-q'))}]))\n"
        return f"    {call}"

    v = m.one("1", "-O2", "x y", "x")
    text = f"from invoke import task, call, Collection\n{HEAD}{_values(m, '1', '-O2', 'x y')}v = {v!r}\nl = [v, 'z']\nw = v + ' w'\ne = {{'V_B': 'ee'}}\n"
    parameters, own, said = m.rng.choice([
        ("", [], [""]),
        (", p='d e'", ["'{p}'"], ["", " --p q", " --p='k l'", " -p=x"]),
        (", p", ["'{p}'"], [" q", " --p q", " 'k l'"]),
        (", fast=False", ["{'-O3' if fast else '-O0'}"], ["", " --fast", " -f"]),
        (", level=2, some_name='s'", ["-O{level}", "{some_name}"], ["", " --level 3", " --some-name t", " -l 1"]),
        (", slow=True", ["{'-O3' if slow else '-O0'}"], ["", " --no-slow"]),
    ])  # fmt: skip
    pre = m.one("", "", "(b)", "(pre=[b])", "(post=[b])", "(pre=[call(z, x='cc')])", "(name='a')", "(aliases=['al'])", "(default=True)")  # fmt: skip
    text += f"@task\ndef b(c):\n{run([])}@task\ndef z(c, x='dx'):\n    c.run(f'{m.rec('-x', most=1)} {{x}}')\n"
    text += f"@task{pre}\ndef a(c{parameters}):\n" + "".join(run(own) for _ in range(m.rng.randint(1, 3)))
    text += "    b(c)\n" if m.chance(0.2) else ""
    text += (
        f"@task(pre=[a])\ndef two_words(c):\n{run([])}"
        if not parameters.startswith(", p,") and parameters != ", p"
        else ""
    )
    calls = [f"a{m.one(*said)}" for _ in range(4)] + ["b a" + m.one(*said)]
    calls += ["two-words"] if "two_words" in text else []
    calls += ["al" + said[0]] if "aliases" in pre else []
    return {"tasks.py": text, "sub/x": ""}, m.one("invoke ", "inv ") + m.one(*calls)
