"""Build scripts in Python: which calls carry flags, which run programs, on which platforms, under which assumptions."""

import pytest

from flagguard.command import Reading
from flagguard.hosts import Setting, hosts_for, python
from flagguard.hosts.python_text import BrokenFile, Parsed
from flagguard.text import Decider, SourceText

from .support import Memory

PLATFORMS = ("linux-x86_64", "linux-ppc64le", "macos-arm64", "windows-x86_64")


def read(text: str, path: str = "setup.py", assume: "dict[str, str] | None" = None) -> Reading:
    source = SourceText(path, text)
    return python.read(source, Setting(Memory({path: text}), PLATFORMS, assume or {}))


def lines(text: str, path: str = "setup.py", assume: "dict[str, str] | None" = None) -> list[str]:
    """Each call and command, with the platforms where it is not there on all, and what was assumed."""
    reading = read(text, path, assume)
    told: dict[str, list[str]] = {}
    for one in (*reading.calls, *reading.scripts):
        words = " ".join(w.shown or "''" for w in one.argv)
        if not one.argv:
            words = f"{one.dialect.value}: {one.text.shown}"  # type: ignore[union-attr]
        words = words.removeprefix("python:")
        if one.when:
            words += f" if {' and '.join(one.when)}"
        words += "".join(f" {v.name}={v.value.shown}" for v in one.env)
        words += (" opt-in" if one.opt_in else "") + (" ignored" if one.ignored else "")
        words += f" in {one.directory}" if getattr(one, "directory", "") else ""
        told.setdefault(words, []).extend(one.platforms or PLATFORMS)
    return [
        words + ("" if set(on) == set(PLATFORMS) else f" @{','.join(sorted(dict.fromkeys(on)))}")
        for words, on in told.items()
    ]


HEAD = "import os, sys, platform, shlex, subprocess, struct, sysconfig\nfrom setuptools import Extension, setup\n"


def made(body: str) -> str:
    """A script that makes one extension with the flags `f`."""
    return f"{HEAD}{body}\nExtension('a', [], extra_compile_args=f)\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # lists and texts
        ("f = ['-O2', '-g']", ["-O2 -g"]),
        ("f = ('-O2',) + ('-g',)", ["-O2 -g"]),
        ("f = ['-O2']\nf += ['-g']", ["-O2 -g"]),
        ("f = ['-O2']\ng = f\ng.append('-g')", ["-O2 -g"]),
        ("f = ['-O2']\ng = f + ['-x']\ng.append('-g')", ["-O2"]),
        ("f = ['-O2']\nf.extend(('-g', '-s'))", ["-O2 -g -s"]),
        ("f = ['-O2']\nf.insert(0, '-g')", ["-g -O2"]),
        ("f = ['-O2', '-g']\nf.remove('-g')", ["-O2"]),
        ("f = ['-O2', '-g']\nf.pop()", ["-O2"]),
        ("f = ['-O2', '-g']\ndel f[0]", ["-g"]),
        ("f = ['-O2', '-g'][1:]", ["-g"]),
        ("f = ['-O2', '-g']\nf[0] = '-O3'", ["-O3 -g"]),
        ("a = ['-g']\nf = ['-O2', *a]", ["-O2 -g"]),
        ("f = '-O2 -g'.split()", ["-O2 -g"]),
        ("f = '-O2,-g'.split(',')", ["-O2 -g"]),
        ("f = shlex.split('-O2 \"-DA=x y\"')", ["-O2 -DA=x y"]),
        ("f = '-O2 -g'", ["-O2 -g"]),
        ("c = 'v2'\nf = [f'-march=x86-64-{c}']", ["-march=x86-64-v2"]),
        ("f = ['-march=%s' % 'v2']", ["-march=v2"]),
        ("f = ['-%s%d' % ('O', 2)]", ["-O2"]),
        ("n = 7\nv = 'a'\nf = [f'-x{n:03d}', f'{v!r}', f'{v:>3}|', '%02d' % n, '{:<3}|'.format(v), f'{1:9999999}']",
         ["-x007 'a'   a| 07 a  | {1}"]),
        ("f = \"it's a\\tb\".split() + f'-a {os.getcwd()} -b'.split()", ["it's a b -a {os.getcwd()} -b"]),
        ("f = ['-march={}'.format('v2'), '-m{x}'.format(x=3)]", ["-march=v2 -m3"]),
        ("f = ['-march=' + 'v2']", ["-march=v2"]),
        ("f = ['-O' '2']", ["-O2"]),
        ("f = ['-O' + str(2)]", ["-O2"]),
        ("f = [r'-D\\x', '-D\\x41', '-Dé']", ["-D\\x -DA -Dé"]),
        ("f = ['-L' + os.path.join('a', 'b')]", ["-La/b"]),
        ("f = [' '.join(['-a', 'b'])]", ["-a b"]),
        ("f = ['-I' + d for d in ('a', 'b')]", ["-Ia -Ib"]),
        ("f = [x for x in ('-a', '-b') if x != '-a']", ["-b"]),
        ("f = []\nfor d in ['a', 'b']:\n    f.append('-I' + d)", ["-Ia -Ib"]),
        ("f = []\nfor d in ['a', 'b']:\n    if d == 'b': break\n    f.append('-I' + d)", ["-Ia"]),
        ("f = list({'-a': 1, '-b': 2})", ["-a -b"]),
        ("d = dict(x=['-a'])\nd.update(y=['-b'])\nf = d['x'] + d.get('y', [])", ["-a -b"]),
        ("d = {**{'x': '-a'}, 'x': '-b'}\nf = [d['x']]", ["-b"]),
        ("def g(a, b='-g', *c, **d): return [a, b, *c]\nf = g('-O2', '-s', '-t')", ["-O2 -s -t"]),
        ("def g(x, *, y): return [x, y]\nf = g(y='-y', x='-x')", ["-x -y"]),
        ("f = []\ndef g():\n    f.append('-a')\ng()", ["-a"]),
        ("f = ['-a']\ndef g():\n    global f\n    f = ['-b']\ng()", ["-b"]),
        ("f = (lambda x: [x])('-a')", ["-a"]),
        ("a, *f = ['-x', '-y', '-z']", ["-y -z"]),
        ("f = sorted({'-b', '-a'})", ["-a -b"]),
        ("f = ['-j' + str(n) for n in range(2)]", ["-j0 -j1"]),
        ("i = 0\nf = []\nwhile i < 2:\n    f.append('-a')\n    i += 1", ["-a -a"]),
        ("class C:\n    F = ['-a']\nf = C.F", ["-a"]),
        ("if (f := ['-a']): pass", ["-a"]),
        # what the platform decides
        ("f = ['-m'] if sys.platform == 'darwin' else ['-l']", [
            "-l @linux-ppc64le,linux-x86_64,windows-x86_64", "-m @macos-arm64"]),
        ("f = ['-l']\nif platform.system() == 'Windows': f = ['/O2']", [
            "-l @linux-ppc64le,linux-x86_64,macos-arm64", "/O2 @windows-x86_64"]),
        ("f = [platform.machine()]", ["x86_64 @linux-x86_64", "ppc64le @linux-ppc64le", "arm64 @macos-arm64",
                                      "AMD64 @windows-x86_64"]),
        ("f = ['-w'] if os.name == 'nt' else []", [" @linux-ppc64le,linux-x86_64,macos-arm64", "-w @windows-x86_64"]),
        ("f = ['-u'] if os.uname().machine == 'ppc64le' else ['-v']", [
            "-v @linux-x86_64,macos-arm64,windows-x86_64", "-u @linux-ppc64le"]),
        ("f = ['-64'] if struct.calcsize('P') == 8 else ['-32']", ["-64"]),
        ("f = [sysconfig.get_platform()]", ["linux-x86_64 @linux-x86_64", "linux-ppc64le @linux-ppc64le",
                                            "macosx-…-arm64 @macos-arm64", "win-amd64 @windows-x86_64"]),
        ("f = ['-l'] if sys.platform.startswith('linux') else ['-o']", [
            "-l @linux-ppc64le,linux-x86_64", "-o @macos-arm64,windows-x86_64"]),
        ("f = ['-x'] if platform.machine() in ('x86_64', 'AMD64') else ['-o']", [
            "-x @linux-x86_64,windows-x86_64", "-o @linux-ppc64le,macos-arm64"]),
        ("f = {'linux': ['-l'], 'darwin': ['-d']}.get(sys.platform, ['-o'])", [
            "-l @linux-ppc64le,linux-x86_64", "-d @macos-arm64", "-o @windows-x86_64"]),
        ("f = ['-p'] if sys.platform == 'linux' and not platform.machine() == 'x86_64' else ['-o']", [
            "-o @linux-x86_64,macos-arm64,windows-x86_64", "-p @linux-ppc64le"]),
        ("match sys.platform:\n    case 'linux' | 'darwin': f = ['-a']\n    case _: f = ['-b']", [
            "-a @linux-ppc64le,linux-x86_64,macos-arm64", "-b @windows-x86_64"]),
        ("f = ['-3'] if sys.version_info >= (3, 8) else ['-2']", ["-3"]),
        # what nobody decides
        ("f = os.environ.get('F', '-O2').split()", ["-O2"]),
        ("f = ['-a'] if 'X' in os.environ else ['-b']", ["-a if 'X' in os.environ", "-b if not ('X' in os.environ)"]),
        ("f = ['-a'] if os.getenv('X') == 'y' else ['-b']", [
            "-b if not (os.getenv('X') == 'y')", "-a if os.getenv('X') == 'y' opt-in"]),
        ("f = ['-a'] if os.getenv('X', '0') == '1' else ['-b']", [
            "-b if not (os.getenv('X', '0') == '1')", "-a if os.getenv('X', '0') == '1' opt-in"]),
        ("f = ['-a']\nif os.path.exists('x'): f.append('-b')", [
            "-a -b if os.path.exists('x')", "-a if not (os.path.exists('x'))"]),
        ("f = ['-a']\ntry:\n    import x\nexcept ImportError:\n    f = ['-b']", [
            "-a if not (ImportError is raised)", "-b if ImportError is raised"]),
        ("f = ['-a']\nif os.path.exists('x'): print('-b')", ["-a"]),
        ("f = ['-a']\nif not os.path.exists('x'): raise SystemExit('no')", ["-a"]),
        ("f = ['-a']\nif os.path.exists('x'):\n    f = ['-a']", [
            "-a if os.path.exists('x')", "-a if not (os.path.exists('x'))"]),
        ("f = open('flags').read().split()", ["open('flags').read().split()"]),
        ("f = ['-a', g()]", ["-a g()"]),
        ("f = [f'-D{open(1).read()}']", ["-D{open(1).read()}"]),
        # what is never made
        ("f = ['-a']\nsys.exit(1)", []),
        ("f = ['-a']\nif False:\n    f = ['-b']", ["-a"]),
        ("f = ['-a']  # '-b'\n'''-c'''", ["-a"]),
    ],
)  # fmt: skip
def test_flags_of_an_extension(body: str, expected: list[str]) -> None:
    assert [line.removeprefix("Extension a").strip() for line in lines(made(body))] == [e.strip() for e in expected]


def test_assumed_variables_are_decided() -> None:
    body = made("f = ['-a']\nm = os.environ.get('M')\nif m: f = m.split(',')")
    assert lines(body) == [
        "Extension a m.split(',') if m",
        "Extension a -a if not (m)",
    ]
    assert lines(body, assume={"M": ""}) == ["Extension a -a"]
    assert lines(body, assume={"M": "-x,-y"}) == ["Extension a -x -y"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("setup(name='x', zip_safe=False, options=['-a'])", ["setup name=x zip_safe=False -a"]),
        ("Extension('a', ['a.c'], define_macros=[('V', '1'), ('W', None)])", ["Extension a a.c -DV=1 -DW"]),
        ("e = Extension('a', [])\ne.extra_compile_args = ['-O2']", ["Extension a -O2"]),
        ("e = Extension('a', [])\ne.extra_compile_args.append('-O2')", ["Extension a -O2"]),
        ("kw = dict(extra_compile_args=['-O2'])\nExtension('a', [], **kw)", ["Extension a -O2"]),
        ("Extension('a', [], extra_compile_args={'cxx': ['-O2'], 'nvcc': ['-g']})", ["Extension a -O2 -g"]),
        ("[Extension(n, [], extra_compile_args=['-O2']) for n in ('a', 'b')]", ["Extension a -O2", "Extension b -O2"]),
        ("class C(Extension):\n    def __init__(self, n): super().__init__(n, [], extra_compile_args=['-x'])\nC('a')",
         ["Extension a -x"]),
        ("class B(build_ext):\n    def build_extensions(self):\n        for e in self.extensions:\n"
         "            e.extra_compile_args = ['-O2']\nfrom setuptools.command.build_ext import build_ext\n", []),
        ("t.create_target_machine(opt=3, reloc='pic')", ["create_target_machine opt=3 reloc=pic"]),
        ("def f():\n    t.create_target_machine(reloc='pic')", ["create_target_machine reloc=pic"]),
        ("def f(r):\n    t.create_target_machine(reloc=r)\nf('static')", ["create_target_machine reloc=static"]),
        ("from flags import FLAGS\nExtension('a', [], extra_compile_args=FLAGS)", ["Extension a {flags.FLAGS}"]),
        ("import flags\nExtension('a', [], extra_compile_args=['-O2', flags.X])", ["Extension a -O2 {flags.X}"]),
        ("Extension('a', [], **unknown())", ["Extension a unknown()"]),
        ("Extension('a', [], extra_compile_args=unknown())", ["Extension a unknown()"]),
        ("Extension('a', [], extra_compile_args=['-O2', *unknown()])", ["Extension a -O2 *unknown()"]),
        ("Extension('a', [], extra_compile_args=['-O2'] + unknown())", ["Extension a -O2 unknown()"]),
        ("import llvmlite.binding as l\nt = l.Target.from_default_triple()\n"
         "t.create_target_machine(reloc='static' if t.name.startswith('x86') else 'pic')",
         ["create_target_machine reloc=static @linux-x86_64,windows-x86_64",
          "create_target_machine reloc=pic @linux-ppc64le,macos-arm64"]),
        ("RustExtension('a', rustc_flags=['-Ctarget-cpu=native'])", ["RustExtension a -Ctarget-cpu=native"]),
        ("compiler.has_flag('-march=native')\nparser.add_argument('--x', choices=['-a'])", []),
        ("os.environ['CFLAGS'] = '-O3'\nExtension('a', [])", ["Extension a CFLAGS=-O3"]),
    ],
)  # fmt: skip
def test_calls_that_carry_flags(text: str, expected: list[str]) -> None:
    assert lines(HEAD + text) == expected


def test_a_build_step_changes_the_extensions() -> None:
    text = (
        "from setuptools.command.build_ext import build_ext\n"
        "class B(build_ext):\n"
        "    O = {'msvc': ['/O2'], 'unix': ['-O2']}\n"
        "    def build_extensions(self):\n"
        "        for e in self.extensions:\n"
        "            e.extra_compile_args = self.O[self.compiler.compiler_type]\n"
        "        build_ext.build_extensions(self)\n"
        "Extension('a', [])\n"
    )
    assert lines(HEAD + text) == [
        "Extension a -O2 @linux-ppc64le,linux-x86_64,macos-arm64",
        "Extension a /O2 @windows-x86_64",
    ]


POSIX = " @linux-ppc64le,linux-x86_64,macos-arm64"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("subprocess.check_call(['cc', '-O2'])", ["cc -O2"]),
        ("subprocess.run(['cc', '-O2'])", ["cc -O2 ignored"]),
        ("subprocess.run(['cc', '-O2'], check=True)", ["cc -O2"]),
        ("subprocess.run(['cc', '-O2'], check=False)", ["cc -O2 ignored"]),
        ("sys.exit(subprocess.call(['cc']))", ["cc"]),
        ("subprocess.check_call(['cc'], env={**os.environ, 'A': 'b'}, cwd='x')", ["cc A=b in x"]),
        ("subprocess.check_call(['cc'], env=dict(os.environ, A='b'))", ["cc A=b"]),
        ("os.environ['A'] = 'b'\nsubprocess.check_call(['cc'])", ["cc A=b"]),
        ("subprocess.check_call('cc -O2 && x', shell=True)", [
            f"sh: cc -O2 && x{POSIX}", "cmd: cc -O2 && x @windows-x86_64"]),
        ("os.system('cc -O2')", [f"sh: cc -O2 ignored{POSIX}", "cmd: cc -O2 ignored @windows-x86_64"]),
        ("os.execvp('cc', ['cc', '-O2'])", ["cc -O2"]),
        ("os.execlp('cc', 'cc', '-O2')", ["cc -O2"]),
        ("from subprocess import check_call as c\nc(['cc'])", ["cc"]),
        ("import subprocess as sp\nsp.check_output(['cc']).decode()", ["cc"]),
        ("subprocess.check_call([sys.executable, '-m', 'pip', 'install', 'x'])", ["python -m pip install x"]),
        ("try:\n    subprocess.check_call(['cc'])\nexcept subprocess.CalledProcessError:\n    pass", ["cc ignored"]),
        ("try:\n    subprocess.check_call(['cc'])\nexcept Exception:\n    raise", ["cc"]),
        ("def never():\n    subprocess.check_call(['cc'])\nsubprocess.check_call(['ls'])", ["ls"]),
        ("def never():\n    subprocess.check_call(['cc'])\nif __name__ == '__main__':\n    pass", []),
        ("def others(n):\n    subprocess.check_call(['cc', n])\ndef run(c):\n    subprocess.check_call(c)", ["cc n"]),
        ("def main():\n    subprocess.check_call(['cc'])\nif __name__ == '__main__':\n    main()", ["cc"]),
        ("if __name__ != '__main__':\n    subprocess.check_call(['cc'])", []),
        ("subprocess.check_call(['cc', ''])", ["cc ''"]),
        ("subprocess.check_call(['cc'] + sys.argv[1:])", ["cc sys.argv[1:]"]),
        ("def run(*a): subprocess.check_call(a)\nrun('cc', '-a')\nrun('cc', '-b')", ["cc -a", "cc -b"]),
        ("def f(n):\n    f(n)\nf(1)", []),
    ],
)  # fmt: skip
def test_programs_that_are_run(text: str, expected: list[str]) -> None:
    assert lines(HEAD + text) == expected


NOX = "import nox\n@nox.session\ndef t(session):\n    "
INVOKE = "from invoke import task\n@task\ndef t(c, cpu='v2'):\n    "


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("noxfile.py", NOX + "session.run('cc', '-O2', env={'A': 'b'})", ["cc -O2 A=b"]),
        ("noxfile.py", NOX + "session.install('-r', 'x')", ["pip install -r x"]),
        ("noxfile.py", NOX + "session.run('cc', *session.posargs)", ["cc *session.posargs"]),
        ("noxfile.py", NOX + "session.run('cc', *(session.posargs or ['-a']))", ["cc -a"]),
        ("noxfile.py", NOX + "session.run('cc', success_codes=[0, 1])", ["cc ignored"]),
        ("noxfile.py", NOX + "session.env['A'] = 'b'\n    session.run('cc')", ["cc A=b"]),
        ("noxfile.py", NOX + "session.chdir('x')\n    session.run('cc')", ["cc in x"]),
        ("noxfile.py", NOX + "with session.chdir('x'):\n        session.run('cc')\n    session.run('d')", [
            "cc in x", "d"]),
        ("noxfile.py", "import nox\n@nox.session\n@nox.parametrize('c', ['a', 'b'])\ndef t(session, c):\n"
         "    session.run('cc', c)", ["cc a", "cc b"]),
        ("noxfile.py", "import nox\ndef t(session):\n    session.run('cc')", []),
        ("tasks.py", INVOKE + "c.run('cc -m' + cpu)", [f"bash: cc -mv2{POSIX}", "cmd: cc -mv2 @windows-x86_64"]),
        ("tasks.py", INVOKE + "c.run('cc', warn=True)", [
            f"bash: cc ignored{POSIX}", "cmd: cc ignored @windows-x86_64"]),
        ("tasks.py", INVOKE + "with c.cd('x'):\n        c.run('cc')", [
            f"bash: cc in x{POSIX}", "cmd: cc in x @windows-x86_64"]),
        ("dodo.py", "def task_a():\n    return {'actions': [['cc', '-O2']]}", ["cc -O2"]),
        ("dodo.py", "def task_a():\n    for n in 'ab':\n        yield {'name': n, 'actions': [['cc', n]]}", [
            "cc a", "cc b"]),
    ],
)  # fmt: skip
def test_sessions_and_tasks(path: str, text: str, expected: list[str]) -> None:
    assert lines(text, path) == expected
    assert all(s.place.task in ("t", "a") for s in read(text, path).scripts)


def test_the_default_of_a_task_can_be_replaced() -> None:
    script = read(INVOKE + "c.run('cc -m' + cpu)", "tasks.py").scripts[0]
    assert [p.overridable for p in script.text.pieces] == [False, True]


@pytest.mark.parametrize(
    ("word", "said"),
    [("-march=native", "-march=native"), ("-DÉ", "-DÉ"), ("-g", "-g")],
)
def test_words_point_at_their_literals(word: str, said: str) -> None:
    text = "# é\n" + made("é = 'ü'; f = ['é-x', '-DÉ', *[\"-march=native\"]]\nif 1:\n    f += [\n        '-g',\n    ]")
    (call,) = read(text).calls
    found = next(w for w in call.argv if w.text == word)
    span = found.route[-1]
    assert text[span.start : span.end] == said
    assert text[call.span.start : call.span.end] == "Extension"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import subprocess\nprint 'x'\n", 2),
        ("import subprocess\nf(\n", 2),
        ("import subprocess\nx = '\x00'\n", 1),
        ("import subprocess\n\tif x:\n", 2),
    ],
)
def test_what_is_not_python_is_told_with_its_line(text: str, line: int) -> None:
    reading = read(text)
    assert [(p.line, p.fatal) for p in reading.problems] == [(line, True)]
    assert not reading.calls
    assert not reading.scripts


def test_text_that_is_nested_deeply_is_no_crash() -> None:
    read("import subprocess\nx = " + "(" * 5000 + ")" * 5000)
    read("import subprocess\nx = " + "-" * 3000 + "1")
    read("import subprocess\nx = " + "+".join(["'a'"] * 3000))


def test_many_open_questions_are_told_and_each_answer_is_judged() -> None:
    body = "f = ['-a']\n" + "".join(f"if os.path.exists('{i}'): f.append('-{i}')\n" for i in range(9))
    reading = read(made(body))
    said = {w.text for c in reading.calls for w in c.argv}
    assert {f"-{i}" for i in range(9)} <= said
    assert [p.fatal for p in reading.problems] == [False]
    together = [c for c in reading.calls if not c.when]
    assert len(together) == 1


@pytest.mark.parametrize(
    ("path", "head", "claimed"),
    [
        ("setup.py", b"", True),
        ("sub/noxfile.py", b"", True),
        ("tools/build.py", b"", True),
        ("a/b/codegen.py", b"import llvmlite.binding", True),
        ("a/b/codegen.py", b"import json", False),
        ("a/tests/test_x.py", b"import subprocess", False),
        ("setup.cfg", b"", False),
    ],
)
def test_which_files_are_read(path: str, head: bytes, claimed: bool) -> None:
    assert ("python" in [host.NAME for host in hosts_for(path, head)]) is claimed


def test_bom_crlf_and_form_feed_keep_places() -> None:
    text = "\ufeffimport setuptools\r\n\x0cx = 1\r\nsetuptools.Extension('é', [], extra_link_args=['-ü', '-s'])\r\n"
    (call,) = read(text).calls
    assert [text[w.route[-1].start : w.route[-1].end] for w in call.argv[1:]] == ["é", "-ü", "-s"]


def test_bytes_that_are_no_text_are_no_crash() -> None:
    Parsed(SourceText("x.py", "x = '\udcff'\n"))
    with pytest.raises(BrokenFile):
        Parsed(SourceText("x.py", "x = ("))


@pytest.mark.parametrize(
    "flags",
    [
        "FLAGS",
        "['-O2', FLAGS]",
        "[*FLAGS]",
        "['-O2'] + FLAGS",
        "f()",
        "f().split()",
        "[f()]",
        "open('x').read().split()",
    ],
)
def test_flags_that_are_not_read_leave_a_hole_that_may_hold_them(flags: str) -> None:
    (call,) = read(
        f"from flags import FLAGS, f\nimport setuptools\nsetuptools.Extension('a', [], extra_compile_args={flags})"
    ).calls
    assert call.argv[-1].whole_hole is not None
    assert call.argv[-1].whole_hole.decider is Decider.REPOSITORY


def test_what_does_not_depend_on_open_questions_is_told_once() -> None:
    body = "f = ['-a']\n" + "".join(f"if os.path.exists('{i}'): f.append('-{i}')\n" for i in range(9))
    calls = read(made(body) + "Extension('b', [])\n").calls
    assert [c.when for c in calls if c.argv[1].text == "b"] == [()]


def test_hooks_of_a_build_are_called() -> None:
    text = (
        "import subprocess\nfrom hatchling.builders.hooks.plugin.interface import BuildHookInterface\n"
        "from conan import ConanFile\n"
        "class Hook(BuildHookInterface):\n    def initialize(self, version, build_data):\n"
        "        subprocess.check_call(['cc', '-O2'])\n"
        "class Recipe(ConanFile):\n    def build(self):\n        subprocess.check_call(['cc', '-O3'])\n"
    )
    assert lines(text) == ["cc -O2", "cc -O3"]
