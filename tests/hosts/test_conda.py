"""conda recipes: what conda-build and rattler-build make of them is recorded (conda_oracle)."""

from collections.abc import Mapping

import pytest

from flagguard.command import Script
from flagguard.hosts import Setting, conda
from flagguard.hosts.conda_selectors import decided, split
from flagguard.hosts.conda_text import gaps
from flagguard.hosts.minijinja_expressions import Expression
from flagguard.hosts.minijinja_values import text_of
from flagguard.shell import evaluate
from flagguard.text import SourceText

from .conda_cases import EXPRESSIONS, METAS, RECIPES, SUBDIRS
from .conda_oracle import recorded
from .support import Memory

RECORDED = recorded()
PLATFORMS = tuple(SUBDIRS)


def scripts(files: Mapping[str, str], *platforms: str) -> list[Script]:
    path = next(iter(files))
    return list(conda.read(SourceText(path, files[path]), Setting(Memory(files), platforms or PLATFORMS)).scripts)


def lines(text: str, path: str, platform: str, step: str = "build") -> list[str]:
    """The script, as lines; of several the first."""
    found = [s for s in scripts({path: text}, platform) if s.place.step == step]
    return found[0].text.shown.rstrip("\n").split("\n") if found else []


def commands(files: Mapping[str, str], *platforms: str) -> list[str]:
    """`PLATFORMS ARGV` of each command, and `when`."""
    setting = Setting(Memory(files), platforms or ("linux-x86_64",))
    found = []
    for script in scripts(files, *setting.platforms):
        for command in evaluate(script, setting).commands:
            said = f" ({'; '.join(command.when)})" if command.when else ""
            found.append(f"{','.join(command.platforms)}: {' '.join(command.shown)}{said}")
    return found


def _said(recorded: list[str]) -> list[str]:
    return [line for text in recorded for line in text.rstrip("\n").split("\n")]


@pytest.mark.parametrize("number", range(len(METAS)))
def test_a_script_of_meta_yaml_is_what_conda_build_makes_of_it(number: int) -> None:
    found = {p: lines(METAS[number], "meta.yaml", p) for p in PLATFORMS}
    assert found == {p: _said(said) for p, said in RECORDED["metas"][number].items()}


@pytest.mark.parametrize("number", range(len(RECIPES)))
def test_a_script_of_recipe_yaml_is_what_rattler_build_makes_of_it(number: int) -> None:
    found = {p: lines(RECIPES[number], "recipe.yaml", p) for p in PLATFORMS}
    assert found == {p: _said(said) for p, said in RECORDED["recipes"][number].items()}


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)))
def test_an_expression_is_what_rattler_build_makes_of_it(number: int) -> None:
    head = RECIPES[0].replace("make all", "make ${{ " + EXPRESSIONS[number] + " }}")
    found = {p: lines(head.replace("script: make", "script: >-\n    make"), "recipe.yaml", p) for p in PLATFORMS}
    assert found == {p: [f"make {said}"] for p, said in RECORDED["expressions"][number].items()}


HEAD = "package:\n  name: foo\n  version: 1\n"
FILES: list[tuple[str, dict[str, str], list[str]]] = [
    ("build.sh", {"r/meta.yaml": HEAD, "r/build.sh": "make -C a"}, ["linux-x86_64: make -C a"]),
    (
        "the compiler and the flags",
        {
            "r/meta.yaml": f"{HEAD}requirements:\n  build:\n    - {{{{ compiler('c') }}}}\n",
            "r/build.sh": "$CC $CFLAGS a.c",
        },
        ["linux-x86_64: x86_64-conda-linux-gnu-cc $CFLAGS a.c"],
    ),
    (
        "known facts",
        {"r/meta.yaml": HEAD, "r/build.sh": 'make P=$target_platform N=$PKG_NAME "L=$SHLIB_EXT" -j$CPU_COUNT $PREFIX'},
        ["linux-x86_64: make P=linux-64 N=foo L=.so -j$CPU_COUNT $PREFIX"],
    ),
    (
        "script_env",
        {"r/meta.yaml": f"{HEAD}build:\n  script_env:\n    - A=-O2\n    - B\n  script: make $A $B $C\n"},
        ["linux-x86_64: make -O2 $B"],
    ),
    (
        "tests",
        {"r/meta.yaml": f"{HEAD}test:\n  commands:\n    - foo --v  # [linux]\n    - bar  # [win]\n"},
        ["linux-x86_64: foo --v"],
    ),
    (
        "outputs with their files",
        {
            "r/meta.yaml": HEAD + "outputs:\n  - name: a\n    script: a.sh  # [unix]\n    script: a.bat  # [win]\n"
            "    test: {commands: [a --x]}\n  - name: b\n    build: {script: make b}\n",
            "r/a.sh": "make $PKG_NAME",
            "r/build.sh": "make all",
        },
        ["linux-x86_64: make all", "linux-x86_64: make a", "linux-x86_64: a --x", "linux-x86_64: make b"],
    ),
    (
        "an open selector is followed both ways",
        {"r/meta.yaml": f"{HEAD}build:\n  script:\n    - make a\n    - make b  # [cuda]\n"},
        ["linux-x86_64: make a (cuda)", "linux-x86_64: make b (cuda)", "linux-x86_64: make a (not (cuda))"],
    ),
    (
        "a variant of one value decides, several do not",
        {
            "r/meta.yaml": HEAD + "build:\n  script: make {{ one }} L={{ level }}  # [one == 'x' and level > 1]\n",
            "r/conda_build_config.yaml": "one: [x]  # [linux]\none: [y]  # [win]\nlevel: [2, 3]\n",
        },
        ["linux-x86_64: make x L=$level"],
    ),
    (
        "skipped on an open condition",
        {"r/meta.yaml": f"{HEAD}build:\n  skip: true  # [not cuda]\n  script: make\n"},
        ["linux-x86_64: make (cuda)"],
    ),
    (
        "a template that cannot be followed loses nothing",
        {"r/meta.yaml": HEAD + "{% import 'x' as y %}\nbuild:\n  script:\n    - make {{ y.z }}\n    - make b\n"},
        ["linux-x86_64: make {{ y.z }}", "linux-x86_64: make b"],
    ),
    (
        "a function is a hole",
        {"r/meta.yaml": f"{HEAD}build:\n  script: make {{{{ pin(foo, max_pin='x') }}}} b\n"},
        ["linux-x86_64: make {{ pin(foo, max_pin='x') }} b"],
    ),
    (
        "python is known",
        {"r/meta.yaml": f"{HEAD}build:\n  script: '{{{{ PYTHON }}}} -m pip install . -vv'\n"},
        ["linux-x86_64: pip install . -vv"],
    ),
    (
        "rattler-build: a file without its extension, an environment, tests",
        {
            "r/recipe.yaml": HEAD + "build:\n  script:\n    file: b\n    env: {A: '${{ 1 + 1 }}'}\n"
            "tests:\n  - script: [foo]\n  - python: {imports: [x]}\n",
            "r/b.sh": "make $A",
        },
        ["linux-x86_64: make 2", "linux-x86_64: foo"],
    ),
    (
        "rattler-build: outputs, a staging cache, conditions",
        {
            "r/recipe.yaml": "recipe: {name: all}\nbuild: {script: make all}\ncache: {build: {script: make cache}}\n"
            "outputs:\n  - if: linux\n    then:\n      package: {name: a}\n      build: {script: make a}\n"
            "  - if: cuda\n    then:\n      package: {name: b}\n      build: {script: make b}\n"
        },
        ["linux-x86_64: make cache", "linux-x86_64: make all", "linux-x86_64: make a", "linux-x86_64: make b (cuda)"],
    ),
    ("rattler-build: skipped", {"r/recipe.yaml": f"{HEAD}build: {{skip: [win, linux], script: make}}\n"}, []),
    (
        "rattler-build: perhaps skipped",
        {"r/recipe.yaml": f"{HEAD}build: {{skip: cuda == '12', script: make}}\n"},
        ["linux-x86_64: make (not (cuda == '12'))"],
    ),
    ("another tool's meta.yaml", {"r/meta.yaml": "name: x\nbuild: {script: make}\n"}, []),
]


@pytest.mark.parametrize(("files", "expected"), [c[1:] for c in FILES], ids=[c[0] for c in FILES])
def test_what_runs(files: dict[str, str], expected: list[str]) -> None:
    assert commands(files) == expected


def test_windows_has_its_batch_file_and_cmd() -> None:
    files = {"r/meta.yaml": HEAD, "r/build.sh": "make u", "r/bld.bat": "nmake %target_platform% %CPU_COUNT%\n"}
    assert commands(files, "linux-x86_64", "windows-x86_64") == [
        "linux-x86_64: make u",
        "windows-x86_64: nmake win-64 %CPU_COUNT%",
    ]
    assert commands(files) == ["linux-x86_64: make u", "windows-x86_64: nmake win-64 %CPU_COUNT%"]


def test_the_place_and_where_words_come_from() -> None:
    text = "{% set f = '-O2' %}\n" + HEAD + "build:\n  script:\n    - make CFLAGS={{ f }}\n"
    source = SourceText("r/meta.yaml", text)
    (script,) = scripts({"r/meta.yaml": text}, "linux-x86_64")
    assert (script.place.job, script.place.step, script.errexit, script.directory) == ("foo", "build", True, None)
    (command,) = evaluate(script, Setting(Memory({}), ("linux-x86_64",))).commands
    assert source.position(command.span.start) == (7, 7)
    assert [text[s.start : s.end] for s in command.argv[1].pieces[-1].route] == ["f", "-O2"]


def test_the_source_of_the_repository_is_where_it_runs() -> None:
    text = HEAD + "source:\n  path: ..\nbuild:\n  script: make\n"
    assert [s.directory for s in scripts({"r/meta.yaml": text}, "linux-x86_64")] == [""]


def test_a_folder_in_a_template_is_the_one_that_the_variable_names() -> None:
    text = HEAD + "source:\n  path: ..\nbuild:\n  script: make -C {{ SRC_DIR }} all\n"
    (script,) = scripts({"r/meta.yaml": text}, "linux-x86_64")
    (folder,) = script.text.holes
    assert (folder.name, folder.path) == ("SRC_DIR", "")


def test_what_cannot_be_read_is_told_with_its_line() -> None:
    def told(name: str, text: str) -> list[tuple[int, bool]]:
        source = SourceText(name, text)
        return [(p.line, p.fatal) for p in conda.read(source, Setting(Memory({}), ("linux-x86_64",))).problems]

    assert told("meta.yaml", HEAD + "build:\n  script: {a: b}\n") == [(5, True)]
    assert told("meta.yaml", HEAD + "build: [\n") == [(4, True)]
    assert told("meta.yaml", HEAD + "outputs:\n  - name: a\n    script: none.sh\n") == [(6, False)]
    assert told("meta.yaml", HEAD + "{% if x %}\n") == [(4, False)]
    assert told("recipe.yaml", HEAD + "build:\n  script:\n    file: none.sh\n") == [(6, False)]
    assert told("recipe.yaml", HEAD + "build: [\n") == [(4, True)]


SELECTORS = [
    ("linux", True),
    ("not linux", False),
    ("linux and unknown", None),
    ("win and unknown", False),
    ("linux or unknown", True),
    ("level > 1", None),
    ("level > 0", True),
    ("level >= 1 and not (win or level == 7)", True),
    ("os.environ.get('X')", None),
    ("word == 'a'", True),
    ("word > 1", None),
    ("(", None),
]


@pytest.mark.parametrize(("selector", "expected"), SELECTORS)
def test_a_selector_is_decided_where_every_value_says_so(selector: str, expected: bool | None) -> None:
    assert decided(selector, {"linux": (True,), "win": (False,), "level": (1, 2), "word": ("a",)}) is expected


def test_brackets_that_are_no_selector() -> None:
    assert split("script: [a, b]", {"linux": (True,)}) == ("script: [a, b]", "")
    assert split("# [linux]", {"linux": (True,)}) == ("# [linux]", "")
    assert split("- a [linux]", {"linux": (True,)}) == ("- a", "linux")


def test_a_name_with_a_default_has_it_and_says_that_it_may_be_another() -> None:
    written = SourceText("f", "a | default('x')").traced()
    found = text_of(Expression(written, gaps(written.text), len(written)).value(0))
    assert found.text == "x"
    assert found.pieces[0].overridable
