"""SCons and waf: what targets are built with, and what their scripts run. The answers are those of SCons 4.9 (`-n`)."""

from collections.abc import Sequence

import pytest

from flagguard.hosts import python

from .support import problems, reading, shown

FLAGS = [
    # the script; its target's words, behind the sources
    ("env = Environment(CCFLAGS=['-O2'])\nenv.Program('p', 'p.c')", ["-O2"]),
    ("env = Environment(CCFLAGS=['-O2'])\nenv.Append(CCFLAGS='-g -Wall')\nenv.Object('p.c')", ["-O2", "-g -Wall"]),
    ("env = Environment()\nenv.Append(CCFLAGS='-g -Wall')\nenv.Object('p.c')", ["-g", "-Wall"]),
    ("env = Environment(CCFLAGS='-O2')\nenv.Append(CCFLAGS=' -g')\nenv.Object('p.c')", ["-O2", "-g"]),
    ("env = Environment(CCFLAGS=['-b'])\nenv.Prepend(CCFLAGS=['-a'])\nenv.Object('p.c')", ["-a", "-b"]),
    ("env = Environment()\nenv.Object('p.c')\nenv['CFLAGS'] += ['-late']", ["-late"]),
    ("env = Environment()\nenv['CXXFLAGS'] = ['-cxx']\nenv['CFLAGS'] = '-c1 -c2'\nenv.Object('p.c')", ["-c1", "-c2"]),
    ("env = Environment(CXXFLAGS=['-cxx'], CFLAGS=['-c'])\nenv.Object('p.cc')", ["-cxx"]),
    ("env = Environment(CCFLAGS=['-O2'])\nenv.Object('p.c', CCFLAGS=['-g'])", ["-g"]),
    ("env = Environment(CFLAGS='-late')\nenv.Object('p.c', CCFLAGS='-own $CFLAGS')", ["-own", "-late", "-late"]),
    ("env = Environment(CCFLAGS=['-O2'])\ne = env.Clone(CFLAGS='-x')\ne.Replace(CCFLAGS=['-O0'])\ne.Object('p.c')",
     ["-O0", "-x"]),
    ("env = Environment(CPPDEFINES=['A', ('B', '2')])\nenv.Append(CPPDEFINES={'C': 3})\nenv.Object('p.c')",
     ["-DA", "-DB=2", "-DC=3"]),
    ("env = Environment()\nenv.MergeFlags('-O3 -march=native')\nenv.Object('p.c')", ["-O3", "-march=native"]),
    ("env = Environment(LINKFLAGS=['-s'], CCFLAGS=['-O2'])\nenv.StaticLibrary('p', Split('p.c q.c'))", ["-O2"]),
    ("env = Environment(LINKFLAGS=['-s'], CCFLAGS=['-O2'])\nenv.SharedLibrary('p', ['p.c'])", ["-O2", "-s"]),
    ("env = Environment(SHCCFLAGS=['-fPIC'], CCFLAGS=['-O2'])\nenv.SharedLibrary('p', ['p.c'])", ["-fPIC"]),
    ("conf = Configure(Environment(CCFLAGS=['-O2']))\nconf.env.Append(CFLAGS='-c')\nenv = conf.Finish()\n"
     "env.Object('p.c')", ["-O2", "-c"]),
    ("env = Environment(CCFLAGS=['-O2'])\nconf = env.Configure(config_h='c.h')\nenv = conf.Finish()\nenv.Object('p.c')",
     ["-O2"]),
    ("for n in ('p', 'q')[:1]:\n    Environment(CFLAGS='-c').Program(target=n, source=[n + '.c'])", ["-c"]),
    ("DefaultEnvironment(CCFLAGS='-d')\nObject('p.c')", ["-d"]),
]  # fmt: skip


def calls(text: str, path: str = "SConstruct") -> list[list[str]]:
    found = reading(python, text, path)
    assert problems(found) == []
    return [[word.shown for word in call.argv] for call in found.calls]


@pytest.mark.parametrize(("text", "expected"), FLAGS)
def test_a_target_is_built_with_what_its_environment_holds_in_the_end(text: str, expected: Sequence[str]) -> None:
    (call,) = calls(text)
    assert [word for word in call[1:] if word[:1] == "-"] == expected


COMMANDS = [
    ("Command('x.o', ['y', 'z'], 'cc -O2 $SOURCE ${SOURCES} -o $TARGET $$H')", ["cc -O2 y y z -o x.o $H"]),
    (
        "e = Environment(CCFLAGS=['-O2', '-g'])\ne.Command('x', 'y', ['cc $CCFLAGS $SOURCE', '@rm y'])",
        ["cc -O2 -g y", "rm y"],
    ),
    ("Environment().Command('x', 'y', Action('cc $UNKNOWN', 'says'))", ["cc $UNKNOWN"]),
    ("Execute('cc x.c')", ["cc x.c"]),
    ("e = Environment()\np = e.Program('p', 'p.c')\nAddPostAction(p, 'strip p')", ["strip p"]),
    ("def build(target, source, env):\n    pass\nCommand('x', 'y', build)", []),
]


@pytest.mark.parametrize(("text", "expected"), COMMANDS)
def test_actions_are_commands(text: str, expected: Sequence[str]) -> None:
    found = reading(python, text, "SConstruct")
    texts = [shown(script) for script in found.scripts if script.platforms and "linux-x86_64" in script.platforms]
    assert texts == expected


def test_what_another_script_exports_is_not_known() -> None:
    (call,) = reading(python, "Import('env')\nenv.Program('p', ['p.c'], CFLAGS='-own')", "src/SConscript").calls
    assert [word.shown for word in call.argv][1:3] == ["p", "p.c"]
    assert any(hole.several for word in call.argv for hole in word.holes)


WAF = """
def options(opt):
    opt.load("compiler_c")
def configure(conf):
    conf.env.append_value("CFLAGS", ["-O2"])
    conf.env.CXXFLAGS = ["-O3"]
    conf.env.CXXFLAGS += ["-std=c++17"]
    conf.env.prepend_value("CFLAGS", "-first")
    conf.env.CFLAGS_SSL = ["-pthread"]
    conf.check_cc(cflags="-march=native", mandatory=False)
def build(bld):
    bld.program(source="a.c", target="a", cflags=["-g"], defines=["A=1"])
    bld(features="cxx cxxshlib", source="b.cc", target="b", use="SSL")
    bld.stlib(source="c.c", target="c", use=["SSL"])
    bld(rule="cc -c ${SRC} -o ${TGT} ${CFLAGS}", source="r.c", target="r.o")
"""


def test_targets_of_waf_have_what_the_configuration_says() -> None:
    found = reading(python, WAF, "wscript")
    linux = [call for call in found.calls if call.platforms is None or "linux-x86_64" in call.platforms]
    assert [[word.shown for word in call.argv] for call in linux] == [
        ["python:program", "a.c", "-DA=1", "-first", "-O2", "-g"],
        ["python:shlib", "b.cc", "-O3", "-std=c++17"],
        ["python:stlib", "c.c", "-first", "-O2", "-pthread"],
    ]
    assert shown(found.scripts[0]) == "cc -c r.c -o r.o -first -O2"


def test_a_script_that_others_configure_has_unknown_flags() -> None:
    (call,) = reading(python, "def build(bld):\n    bld.program(source='a.c', target='a')", "src/wscript").calls
    assert any(hole.several for word in call.argv for hole in word.holes)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("SConstruct", "env = Environment()\nenv['CFLAGS'] += ['-O3']\nSConscript('src/SConscript', exports='env')"),
        ("SConstruct", "env = Environment()\nother = env.Clone(CFLAGS='-O3')\nenv.Object('p.c')"),
        ("wscript", "def configure(conf):\n    conf.env.CFLAGS = ['-O3']\ndef build(bld):\n    bld.recurse('src')"),
    ],
)
def test_flags_that_other_scripts_may_build_with_are_declared(path: str, text: str) -> None:
    assert ["python:Environment", "-O3"] in calls(text, path)


def test_a_target_of_an_unknown_environment_is_shown() -> None:
    (call,) = reading(python, "env = helper()\nenv.Program('p', 'p.c')", "SConstruct").calls
    assert [word.shown for word in call.argv][:3] == ["python:Program", "p", "p.c"]
    assert any(hole.several for word in call.argv for hole in word.holes)
