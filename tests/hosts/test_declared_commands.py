"""Commands in files that else declare flags: GoReleaser's signs and publishers, GYP's actions, Meson's targets."""

import pytest

from .ci_support import argvs, commands

RELEASER = [
    (
        "universal_binaries:\n  - hooks:\n      pre: lipo x\n      post:\n        - cmd: strip {{ .Path }}\n",
        ["lipo x", "strip {{ .Path }}"],
    ),
    ("signs:\n  - cmd: cosign\n    args: [sign-blob, '${artifact}']\n", ["cosign sign-blob ${artifact}"]),
    ("signs:\n  - artifacts: all\n", ["gpg --output $signature --detach-sig $artifact"]),
    ("sboms:\n  - documents: [x]\n", ["syft $artifact --output spdx-json=$document --enrich all"]),
    ("publishers:\n  - name: p\n    cmd: up --v {{ .Version }}\n", ["up --v {{ .Version }}"]),
    (
        "dockers:\n  - use: buildx\n    dockerfile: D\n    image_templates: ['a:{{ .Tag }}']\n"
        "    build_flag_templates: [--platform=linux/amd64]\n",
        ["docker buildx build . -t a:{{ .Tag }} -f D --platform=linux/amd64"],
    ),
    ("signs: x\npublishers: [y]\ndockers: {}\n", []),
]


@pytest.mark.parametrize(("text", "expected"), RELEASER)
def test_goreleaser(text: str, expected: list[str]) -> None:
    assert argvs("goreleaser", {".goreleaser.yml": text}) == expected


def test_goreleaser_gives_its_environment() -> None:
    text = "env: [A=1]\npublishers:\n  - cmd: up\n    env: [B=2]\n"
    [command] = commands("goreleaser", {".goreleaser.yml": text})
    assert {name: value.text for name, value in command.env.items()} == {"A": "1", "B": "2"}


GYP = [
    ("'actions': [{'action_name': 'g', 'action': ['python', 'g.py', '<(X)/y', '-O2']}]", ["python g.py <(X)/y -O2"]),
    (
        "'rules': [{'rule_name': 'r', 'action': ['cc', '<@(flags)', '<(RULE_INPUT_PATH)']}]",
        ["cc <@(flags) <(RULE_INPUT_PATH)"],
    ),
    ("'conditions': [['OS==\"linux\"', {'postbuilds': [{'action': ['strip', '-S']}]}]]", ["strip -S"]),
    ("'conditions': [['OS==\"win\"', {'actions': [{'action': ['x']}]}]]", []),
    ("'actions': [{'action': []}]", []),
]


@pytest.mark.parametrize(("text", "expected"), GYP)
def test_actions_of_gyp(text: str, expected: list[str]) -> None:
    file = f"{{'targets': [{{'target_name': 't', {text}}}]}}"
    assert argvs("gyp", {"binding.gyp": file}) == expected


MESON = [
    ("py = find_program('python3')\ncustom_target('g', output: 'a.c', command: [py, files('g.py'), '@OUTPUT@'])\n",
     ["python3 g.py @OUTPUT@"]),
    ("run_target('m', command: ['make', '-s'])\n", ["make -s"]),
    ("r = run_command('git', ['describe', '--x'], check: true).stdout()\n", ["git describe --x"]),
    ("e = executable('e', 'a.c')\ntest('t', e, args: ['-v'], env: ['A=b'])\n", ["e -v"]),
    ("g = generator(find_program('x'), output: 'y', arguments: ['--a', '@INPUT@'])\n", ["x --a @INPUT@"]),
    ("meson.add_install_script('sh', 'x.sh')\n", ["sh x.sh"]),
    ("if host_machine.system() == 'windows'\n  run_target('m', command: 'x')\nendif\n", []),
    ("custom_target('g', output: 'a.c')\n", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), MESON)
def test_what_meson_runs(text: str, expected: list[str]) -> None:
    assert argvs("meson", {"meson.build": text}) == expected


def test_the_arguments_of_an_executable_are_still_read() -> None:
    from importlib import import_module

    from flagguard.hosts import Setting
    from flagguard.text import SourceText

    from .support import Memory

    text = "e = executable('e', 'a.c', c_args: ['-O2'])\ntest('t', e)\n"
    setting = Setting(Memory({}), ("linux-x86_64",))
    reading = import_module("flagguard.hosts.meson").read(SourceText("meson.build", text), setting)
    assert [[w.text for w in call.argv] for call in reading.calls] == [["meson:executable", "-O2"]]
    assert [text.count("\n", 0, script.argv[0].route[0].start) + 1 for script in reading.scripts] == [2]


MISE = [
    ("[prepare.gen]\nauto = true\nrun = \"make gen && cc x.c\"\n", ["make gen", "cc x.c"]),
    ("[deps.gen]\nrun = \"make\"\ndir = \"sub\"\n", ["make"]),
    ("[prepare.npm]\nauto = true\n", []),
    ("[[watch_files]]\npatterns = [\"*\"]\nrun = \"make -s\"\n", ["make -s"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), MISE)
def test_what_mise_runs_besides_tasks(text: str, expected: list[str]) -> None:
    assert argvs("mise", {"mise.toml": text}) == expected


def test_what_cargo_make_runs_before_tasks() -> None:
    text = "env_scripts = ['''\necho a\ncc -O3 x.c\n''']\n[env]\nA = 'b'\n[tasks.t]\ncommand = 'true'\n"
    first, *_ = commands("cargo_make", {"Makefile.toml": text})
    assert first.shown == ["cc", "-O3", "x.c"]
    assert first.env["A"].text == "b"
