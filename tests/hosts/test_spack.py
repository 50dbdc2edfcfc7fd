"""Spack's recipes: "Packaging Guide: customizing the build", "Build Systems", "Spec Syntax"."""

import pytest

from flagguard.command import Reading
from flagguard.hosts import Setting, spack
from flagguard.shell import evaluate
from flagguard.text import SourceText

from .support import Memory

PATH = "packages/foo/package.py"
LINUX = ("linux-x86_64",)


def read(text: str, *platforms: str) -> Reading:
    return spack.read(SourceText(PATH, text), Setting(Memory({PATH: text}), platforms or LINUX))


def recipe(bases: str, body: str, rest: str = "") -> str:
    inner = "".join(f"    {line}\n" if line else "\n" for line in body.split("\n"))
    return f'from spack.package import *\n\n\nclass Foo({bases}):\n    """Foo."""\n\n{inner}{rest}'


def shown(text: str, *platforms: str, step: str | None = None, env: str = "") -> list[str]:
    found = []
    reading = read(text, *platforms)
    assert [p for p in reading.problems if "questions are open" not in p.message] == []
    for script in reading.scripts:
        for command in evaluate(script, Setting(Memory({}), platforms or LINUX)).commands:
            if step is not None and command.place.step != step:
                continue
            asked = " asked for" if command.opt_in else ""
            when = f" ({'; '.join(command.when)}{asked})" if command.when else ""
            said = f" [{command.env[env].shown}]" if env and env in command.env else ""
            found.append(" ".join(command.shown) + said + when)
    for call in reading.calls:
        if step is None:
            found.append(" ".join(w.shown for w in call.argv) + (f" ({'; '.join(call.when)})" if call.when else ""))
    return found


CMAKE = "cmake -DCMAKE_INSTALL_PREFIX:STRING=prefix -DCMAKE_BUILD_TYPE:STRING=Release -DBUILD_TESTING:BOOL=OFF"
STEPS: list[tuple[str, str, str, str, list[str]]] = [
    ("configure", "AutotoolsPackage", "configure", 'def configure_args(self):\n    return ["--x", "CFLAGS=-O3"]', [
        "./configure --prefix=prefix --x CFLAGS=-O3"]),
    ("arguments of CMake", "CMakePackage", "cmake",
     'variant("mpi", default=True)\ndef cmake_args(self):\n    return [self.define("A", "b"), self.define("B", False),'
     ' self.define("C", ["x", "y"]), "-DD=1"]', [
        f"{CMAKE} -DA:STRING=b -DB:BOOL=OFF -DC:STRING=x;y -DD=1"]),
    ("a variant", "CMakePackage", "cmake",
     'variant("mpi", default=True)\ndef cmake_args(self):\n    return [self.define_from_variant("M", "mpi")]', [
        f"{CMAKE} -DM:BOOL=OFF (not (+mpi) asked for)", f"{CMAKE} -DM:BOOL=ON (+mpi)"]),
    ("an entry of the cache", "CachedCMakePackage", "cmake",
     'def initconfig_compiler_entries(self):\n    entries = super().initconfig_compiler_entries()\n'
     '    entries.append(cmake_cache_string("CMAKE_CXX_FLAGS", "-O3"))\n    return entries\n'
     'def cmake_args(self):\n    return []', [
        f"{CMAKE} -DCMAKE_CXX_FLAGS:STRING=-O3"]),
    ("meson", "MesonPackage", "meson", 'def meson_args(self):\n    args = ["-Da=b"]\n    return args', [
        "meson setup -Dprefix=prefix -Dbuildtype=release -Dstrip=false -Ddefault_library=shared -Da=b"]),
    ("targets of make", "MakefilePackage", "build", 'build_targets = ["ARCH=native", "all"]', ["make ARCH=native all"]),
    ("pip", "PythonPackage", "install", 'def config_settings(self, spec, prefix):\n    return {"a": "b"}', [
        "pip install --no-deps --no-build-isolation --prefix=prefix --config-settings=a=b"]),
    ("cargo", "CargoPackage", "build", "pass", ["cargo install --root out --path ."]),
    ("go, an attribute", "GoPackage", "build", '@property\ndef build_args(self):\n    return ["-tags", "x"]', [
        "go build -modcacherw -trimpath -tags x"]),
    ("an own phase", "MakefilePackage", "install",
     'def install(self, spec, prefix):\n    make("install", f"PREFIX={prefix}", "CC=" + spack_cc)', [
        "make install PREFIX={prefix} CC=spack_cc"]),
    ("programs", "Package", "install",
     'def install(self, spec, prefix):\n    bash = which("bash")\n    bash("./build.sh", "-v")\n'
     '    Executable("./run")("x")\n    configure("--a")\n'
     '    with working_dir("b"):\n        cmake("..", *std_cmake_args)\n'
     '    inspect.getmodule(self).make(*["-j", "2"])\n    spec["perl"].command("a.pl")', [
        "bash ./build.sh -v", "./run x", "./configure --a", "cmake ..", "make -j 2", 'spec["perl"].command a.pl']),
    ("a hook", "AutotoolsPackage", "gen", '@run_before("configure")\ndef gen(self):\n    autoreconf("-fi")', [
        "autoreconf -fi"]),
    ("what goes on above", "MakefilePackage", "build",
     'def build(self, spec, prefix):\n    make("pre")\n    super().build(spec, prefix)', ["make pre", "make"]),
]  # fmt: skip


@pytest.mark.parametrize(("bases", "step", "body", "expected"), [c[1:] for c in STEPS], ids=[c[0] for c in STEPS])
def test_what_a_phase_runs(bases: str, step: str, body: str, expected: list[str]) -> None:
    assert sorted(shown(recipe(bases, body), step=step)) == sorted(expected)


def test_a_text_for_the_shell_is_read() -> None:
    text = recipe("Package", 'def install(self, spec, prefix):\n    os.system("cc -O2 a.c")').replace(
        "from spack", "import os\nfrom spack", 1
    )
    assert shown(text) == ["cc -O2 a.c"]


_SLOW = 'spec.variants["mode"].value == "slow"'
CONDITIONS: list[tuple[str, list[str]]] = [
    ('"+x" in self.spec', ["make a (+x asked for)", "make b (not (+x))"]),
    ('"~x" in self.spec', ["make a (not (+x))", "make b (+x asked for)"]),
    ('self.spec.satisfies("+y")', ["make a (+y)", "make b (not (+y) asked for)"]),
    ('spec.satisfies("@2:")', ["make a (@2:)", "make b (not (@2:))"]),
    ('spec.satisfies("platform=linux")', ["make a"]),
    ('spec.satisfies("platform=darwin")', ["make b"]),
    ('spec.satisfies("target=aarch64:")', ["make b"]),
    ('spec.target.family == "x86_64"', ["make a"]),
    ('spec.satisfies("mode=fast")', ["make a (mode=fast)", "make b (not (mode=fast) asked for)"]),
    ('spec.variants["mode"].value == "slow"', [f"make a ({_SLOW} asked for)", f"make b (not ({_SLOW}))"]),
    ("sys.platform == 'darwin'", ["make b"]),
]


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS, ids=[c[0] for c in CONDITIONS])
def test_conditions(condition: str, expected: list[str]) -> None:
    body = (
        'variant("x", default=False)\nvariant("y", default=True)\n'
        'variant("mode", default="fast", values=("fast", "slow"))\n'
        f'def install(self, spec, prefix):\n    if {condition}:\n        make("a")\n    else:\n        make("b")'
    )
    found = shown("import sys\n" + recipe("Package", body), step="install")
    assert sorted(found) == sorted(expected)


def test_methods_of_one_name_are_chosen_by_when() -> None:
    body = (
        'def install(self, spec, prefix):\n    make("new")\n'
        '@when("@:1")\ndef install(self, spec, prefix):\n    make("old")\n'
        '@when("platform=darwin")\ndef install(self, spec, prefix):\n    make("mac")'
    )
    assert sorted(shown(recipe("Package", body))) == ["make new", "make old (@:1)"]
    assert "make mac" in shown(recipe("Package", body), "macos-arm64")


def test_the_environment() -> None:
    body = (
        'def setup_build_environment(self, env):\n    env.set("GOAMD64", "v1")\n    env.append_flags("CFLAGS", "-O3")\n'
        '    env.append_flags("CFLAGS", "-march=x86-64-v3")\n    env.prepend_path("PATH", "x")\n'
        'def install(self, spec, prefix):\n    make()\n    env["CFLAGS"] = "-g"\n    make("b")'
    )
    text = recipe("Package", body)
    assert shown(text, env="CFLAGS") == ["make [-O3 -march=x86-64-v3]", "make b [-g]"]
    assert shown(text, env="GOAMD64") == ["make [v1]", "make b [v1]"]


HANDLERS: list[tuple[str, str, list[str]]] = [
    ("to the wrapper", 'flags.append("-O3")\n    return (flags, None, None)', [
        "spack:cflags -O3", "./configure --prefix=prefix []"]),
    ("to the environment", 'return (None, ["-O3"], None)', ["./configure --prefix=prefix [-O3]"]),
    ("to the build system", 'return (None, None, ["-O3", "-g"])', ["./configure --prefix=prefix CFLAGS=-O3 -g []"]),
    ("by a ready handler", 'return self.env_flags(name, ["-O3"])', ["./configure --prefix=prefix [-O3]"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), [c[1:] for c in HANDLERS], ids=[c[0] for c in HANDLERS])
def test_flag_handler(body: str, expected: list[str]) -> None:
    other = 'if name != "cflags":\n        return (flags, None, None)'
    handler = f"def flag_handler(self, name, flags):\n    {other}\n    {body}"
    reading = read(recipe("AutotoolsPackage", handler))
    found = [" ".join(w.shown for w in call.argv) for call in reading.calls]
    for script in reading.scripts:
        if script.place.step == "configure":
            env = {v.name: v.value.shown for v in script.env}
            found.append(" ".join(w.shown for w in script.argv) + f" [{env.get('CFLAGS', '')}]")
    assert found == expected or sorted(found) == sorted(expected)


def test_a_builder_runs_the_phases_of_its_system() -> None:
    text = recipe(
        "AutotoolsPackage, CMakePackage",
        "pass",
        '\n\nclass CMakeBuilder(cmake.CMakeBuilder):\n    def cmake_args(self):\n        return ["-DA=1"]\n',
    )
    assert shown(text, step="cmake") == [f"{CMAKE} -DA=1"]
    assert shown(text, step="configure") == ["./configure --prefix=prefix"]


def test_what_a_method_works_out_is_a_hole() -> None:
    [script] = [
        s
        for s in read(recipe("CMakePackage", "def cmake_args(self):\n    return elsewhere(self)")).scripts
        if s.place.step == "cmake"
    ]
    assert script.argv[-1].whole_hole is not None
    assert script.argv[-1].whole_hole.several


@pytest.mark.parametrize("text", ["class Foo(", "x = 'a\n", "class Foo(Package):\n  def install(self):\n pass"])
def test_a_broken_file_is_told(text: str) -> None:
    [problem] = read(text).problems
    assert "not Python 3" in problem.message


def test_arguments_that_are_an_attribute() -> None:
    for said in ('lambda self: ["-m"]', '["-m"]', "helper"):
        text = recipe("AutotoolsPackage", f"configure_args = {said}").replace(
            "class Foo", 'def helper(self):\n    return ["-m"]\n\n\nclass Foo'
        )
        assert shown(text, step="configure") == ["./configure --prefix=prefix -m"], said


def test_arguments_that_are_not_known_are_a_hole() -> None:
    (script,) = [s for s in read(recipe("AutotoolsPackage", "configure_args = made()")).scripts if len(s.argv) > 2]
    assert script.argv[2].holes[0].several


def test_a_cache_without_arguments() -> None:
    body = 'def initconfig_package_entries(self):\n    return [cmake_cache_string("A", "-m")]'
    assert shown(recipe("CachedCMakePackage", body), step="cmake") == [f"{CMAKE} -DA:STRING=-m"]
    assert shown(recipe("CachedCMakePackage", body), step="build") == ["cmake --build ."]


def test_what_each_call_of_a_program_has() -> None:
    body = (
        'def install(self, spec, prefix):\n    make.add_default_arg("-m")\n    make("-n")\n'
        '    x = Executable("x")\n    x.add_default_arg("-o", "-p")\n    x.add_default_env("F", "1")\n    x("-q")\n'
        '    y = which("y")\n    y()'
    )
    assert shown(recipe("Package", body), env="F") == ["make -m -n", "x -o -p -q [1]", "y"]
