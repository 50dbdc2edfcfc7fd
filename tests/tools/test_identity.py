"""What a command is, as rules name it."""

import pytest

from flagguard.command import Command, Place, Word
from flagguard.text import Hole, Piece, Span, literal
from flagguard.tools.invocation import Match, understand

from .support import command, invocation

YES, NO, MAYBE = Match.YES, Match.NO, Match.MAYBE


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("mojo build a.mojo", "mojo build", YES),
        ("mojo build a.mojo", "mojo", YES),
        ("mojo build a.mojo", "mojo run", NO),
        ("mojo a.mojo", "mojo run", YES),
        ("mojo -I x a.mojo", "mojo run", YES),
        ("/opt/bin/mojo.exe build a.mojo", "mojo build", YES),
        ("/usr/bin/aarch64-linux-gnu-gcc-12 -c a.c", "gcc", YES),
        ("{CROSS}gcc -c a.c", "gcc", YES),
        ("x86_64-w64-mingw32-g++ a.cc", "@cxx-compiler", YES),
        ("python3.11 -m pip install x", "pip install", YES),
        ("python3 -m pip install x", "python -m pip install", YES),
        ("python{V} setup.py bdist_wheel", "setup.py bdist_wheel", YES),
        ("python -u ./setup.py bdist_wheel", "setup.py bdist_wheel", YES),
        ("python setup.py bdist_wheel", "python", YES),
        ("python -c 'import pip'", "pip", NO),
        ("python3 -m build --wheel", "python -m build", YES),
        ("./build --wheel out", "build out", YES),
        ("python {OPTS} setup.py bdist_wheel", "setup.py bdist_wheel", YES),
        ("pip3 install x", "pip install", YES),
        ("uv pip install x", "uv pip install", YES),
        ("uv pip install x", "pip install", NO),
        ("npm i", "npm install", YES),
        ("npm --prefix web i", "npm install", YES),
        ("npm ci", "npm install", NO),
        ("yarn", "yarn install", YES),
        ("yarn --immutable", "yarn install", YES),
        ("yarn --version", "yarn install", NO),
        ("yarn build", "yarn install", NO),
        ("pnpm --reporter silent", "pnpm install", NO),
        ("npm run build", "npm run build", YES),
        ("cargo +nightly b --release", "cargo build", YES),
        ("cargo --locked nextest run", "cargo nextest run", YES),
        ("docker --debug buildx build .", "docker buildx build", YES),
        # of one command the manual of Docker gives all these names
        ("docker buildx build .", "docker build", YES),
        ("docker build .", "docker buildx build", YES),
        ("docker --context far image build .", "docker build", YES),
        ("docker builder build .", "docker buildx b", YES),
        ("podman image build .", "podman build", YES),
        ("docker buildx build .", "docker buildx", YES),
        ("docker build .", "docker buildx", NO),
        ("docker image pull x", "docker build", NO),
        ("docker buildx bake", "docker build", NO),
        ("cmake --build out", "cmake --build", YES),
        ("cmake -S . -B out", "cmake --build", NO),
        ("uses actions/checkout@v4", "uses actions/checkout", YES),
        ("uses PyO3/maturin-action@v1", "@rust-compiler", YES),
        ("uses actions/checkout@v4", "uses actions/cache", NO),
        ("./configure --prefix=/usr", "configure", YES),
        ("xcodebuild -downloadComponent MetalToolchain", "xcodebuild -downloadComponent MetalToolchain", YES),
        ("xcodebuild -downloadComponent Other", "xcodebuild -downloadComponent MetalToolchain", NO),
        ("iron --log x build", "iron build", YES),
        ("iron clean build", "iron build", NO),
        ("zig cc -c a.c", "zig cc", YES),
        ("zig cc -c a.c", "@c-compiler", YES),
        ("git commit -m build", "git build", NO),
        ("make -j 4 release", "make release", YES),
        ("python:Extension a.c", "@python-extension", YES),
        ("cmake:add_compile_options -O2", "@cmake-options", YES),
        # probes are in no class
        ("gcc -march=native -E -v -", "@c-compiler", NO),
        ("gcc -E a.c", "gcc", YES),
        ("clang -fsyntax-only a.c", "@c-compiler", NO),
        ("gcc -MD -c a.c", "@c-compiler", YES),
        ("gcc -dumpmachine", "@c-compiler", NO),
        ("rustc --version", "@rust-compiler", NO),
        ("cargo check", "@rust-compiler", NO),
        # holes
        ("{MOJO} build a.mojo", "mojo build", MAYBE),
        ("{TOOL} build a.mojo", "mojo build", MAYBE),
        ("{TOOL} test a.mojo", "mojo build", NO),
        ("{TOOL} -c a.c", "gcc", NO),
        ("{PYTHON} setup.py bdist_wheel", "setup.py bdist_wheel", MAYBE),
        ("{PY} setup.py bdist_wheel", "setup.py bdist_wheel", MAYBE),
        ("{PYTHON} -m pip install x", "pip install", MAYBE),
        ("{PYTHON} setup.py sdist", "setup.py bdist_wheel", NO),
        ("{CC} -c a.c", "@c-compiler", MAYBE),
        ("{CXX} -c a.c", "@c-compiler", NO),
        ("cargo {WHAT} --release", "cargo build", MAYBE),
        ("cargo {OPTS} build", "cargo build", YES),
        ("{BIN}/mojo build a.mojo", "mojo build", YES),
    ],
)
def test_is_a(line: str, name: str, expected: Match) -> None:
    assert invocation(line).is_a(name) is expected


def test_a_program_of_the_repository_with_the_grammar_of_a_tool() -> None:
    tools = {"x.py build": "cmake"}
    built = invocation("./x.py build -DPORTABLE=ON", tools=tools)
    assert built.is_a("cmake") is built.is_a("x.py build") is YES
    assert [o.words for o in built.occurrences("-DPORTABLE")] == [(2,)]
    assert invocation("./x.py test -DPORTABLE=ON", tools=tools).is_a("cmake") is NO
    assert invocation("python3 x.py build -DPORTABLE=ON", tools=tools).is_a("cmake") is YES


def test_wrappers_are_invocations_of_their_own() -> None:
    found = understand(command("mojo build --locked a.mojo", wrappers=("sudo -E", "uv run --frozen")), {})
    assert [i.program for i in found] == ["mojo", "sudo", "uv"]
    assert [w.text for w in found[1].argv] == "sudo -E uv run --frozen mojo build --locked a.mojo".split()
    uv = found[2]
    assert uv.is_a("uv run") is YES
    assert uv.occurrences("--frozen")
    assert not uv.occurrences("--locked")


def test_program_and_cross_prefix() -> None:
    gcc = invocation("aarch64-linux-gnu-gcc-12 -c a.c")
    assert (gcc.program, gcc.cross) == ("gcc", "aarch64-linux-gnu")
    assert invocation("clang-format -i a.c").program == "clang-format"
    assert invocation("my-make all").program == "my-make"


@pytest.mark.parametrize(
    ("variable", "rule", "expected"),
    [
        ("CC", "mojo build", Match.NO),
        ("CXX", "mojo build", Match.NO),
        ("TOOL", "mojo build", Match.MAYBE),
        ("CC", "@c-compiler", Match.MAYBE),
        ("MOJO", "mojo build", Match.MAYBE),
    ],
)
def test_a_program_that_is_a_hole_is_no_other_tool_than_its_name_says(
    variable: str, rule: str, expected: Match
) -> None:
    gap = Hole(f"${variable}", "nothing sets it", name=variable)
    argv = (Word((Piece(gap.text, hole=gap),)), Word(literal("build").pieces), Word(literal("x.c").pieces))
    span = Span("Makefile", 0, 1)
    unknown = Command(argv, Place("makefile"), span, span, platforms=("linux-x86_64",))
    assert understand(unknown, {})[0].is_a(rule) is expected
