"""What .bazelrc, binding.gyp, meson.build, GoReleaser's configuration and cgo directives come to."""

from collections.abc import Mapping

import pytest

from flagguard.command import Call, platforms_named
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.text import SourceText
from flagguard.tools.invocation import understand

from .ci_support import argvs, read, told

BOTH = Config(baseline={"linux-x86_64": "x86-64-v2", "macos-arm64": "apple-m1"})


def calls(host: str, files: Mapping[str, str]) -> list[str]:
    """Each call: what is in its environment, and its words."""
    return [shown(call) for call in read(host, files).calls]


def shown(call: Call) -> str:
    return " ".join([*(f"{v.name}={v.value.shown}" for v in call.env), *(w.shown for w in call.argv)])


def judged(folder: "Tree", platform: str) -> list[tuple[str, str | None]]:
    """The commands of a tree on a platform, each with the CPU that it builds for."""
    out = []
    for file in collect(folder, BOTH, strict=True):
        for command in file.commands:
            if platform in command.platforms:
                value = understand(command, {}, folder.read)[0].effective("cpu", platform).value
                out.append((command.argv[0].text, None if value is None else value.shown))
    return out


GYP = [
    ('{"cflags": ["-O3", "-march=x"]}', ["gyp:cflags -O3 -march=x"]),
    ("{\n 'targets': [ # one\n  {'target_name': 'a', 'cflags_cc': ['-a'],},\n ],\n}", ["gyp:cflags_cc -a"]),
    ("{'cflags': ['-a -b'], 'cflags!': ['-c'], 'cflags+': ['-d']}", ["gyp:cflags -a -b", "gyp:cflags -d"]),
    ("{'conditions': [['OS==\"mac\"', {'cflags': ['-m']}, {'cflags': ['-l']}]]}", ["gyp:cflags -l"]),
    ("{'conditions': [['OS!=\"linux\"', {'cflags': ['-m']}, {'cflags': ['-l']}]]}", ["gyp:cflags -l"]),
    ("{'conditions': [['target_arch==\"x64\" and OS==\"linux\"', {'cflags': ['-l']}]]}", ["gyp:cflags -l"]),
    ("{'conditions': [['target_arch==\"arm64\"', {'cflags': ['-l']}]]}", []),
    ("{'conditions': [['x==1', {'cflags': ['-a']}, {'cflags': ['-b']}]]}", ["gyp:cflags -a", "gyp:cflags -b"]),
    ("{'xcode_settings': {'OTHER_CFLAGS': ['-a']}}", ["gyp:OTHER_CFLAGS -a"]),
    ("{'cflags': ['<!@(pkg-config x)', '-a']}", ["gyp:cflags <!@(pkg-config x) -a"]),
    ("{'cflags': ['-a' '-b', '\\x2dc']}", ["gyp:cflags -a-b -c"]),
]


@pytest.mark.parametrize(("text", "wanted"), GYP)
def test_a_gyp_file(text: str, wanted: list[str]) -> None:
    assert calls("gyp", {"binding.gyp": text}) == wanted


@pytest.mark.parametrize("text", ["{", "[" * 5000, "{'a': }", "", "\0"])
def test_a_gyp_file_that_is_none_is_told(text: str) -> None:
    assert len(told("gyp", {"binding.gyp": text})) == 1


ADD = "add_project_arguments"
MESON = [
    (f"{ADD}('-a', '-b', language: 'c')", [f"meson:{ADD} -a -b"]),
    (f"{ADD}(['-a', ['-b']], language: ['c', 'cpp'])", [f"meson:{ADD} -a -b"]),
    (f"x = ['-a']\nx += '-b'  # more\n{ADD}(x, language: 'c')", [f"meson:{ADD} -a -b"]),
    (f"x = ['-a'] + ['-b']\n{ADD}(\n  x,\n  language: 'c',\n)", [f"meson:{ADD} -a -b"]),
    ("executable('n', 'a.c', c_args: ['-a'], cpp_args: '-b', install: true)", ["meson:executable -a -b"]),
    ("project('p', 'c', default_options: ['c_args=-a', 'x=2'])", ["meson:project c_args=-a x=2"]),
    (f"if host_machine.system() == 'darwin'\n  {ADD}('-m')\nelse\n  {ADD}('-l')\nendif", [f"meson:{ADD} -l"]),
    (f"if host_machine.cpu_family() == 'x86_64'\n  {ADD}('-x')\nelif c\n  {ADD}('-y')\nendif", [f"meson:{ADD} -x"]),
    (f"if host_machine.cpu_family() in ['x86', 'aarch64']\n  {ADD}('-x')\nendif", []),
    (f"if x\n  {ADD}('-a')\nelse\n  {ADD}('-b')\nendif", [f"meson:{ADD} -a", f"meson:{ADD} -b"]),
    (f"if x\n if host_machine.system() == 'windows'\n  {ADD}('-a')\n endif\n {ADD}('-b')\nendif", [f"meson:{ADD} -b"]),
    (f"cc = meson.get_compiler('c')\n{ADD}(cc.get_supported_arguments(['-a']), language: 'c')", [f"meson:{ADD} -a"]),
    (f"{ADD}(get_option('extra'), language: 'c')", [f"meson:{ADD} get_option('extra')"]),
    (f"x = '''-a'''\nmessage('-march=native')\n# {ADD}('-z')\n{ADD}(x)", [f"meson:{ADD} -a"]),
    ("test('a', exe, args: ['-march=native'])\ncc.has_argument('-march=native')", []),
    (f"p = 'b'\n{ADD}('-a' + p, ['-c'] + ['-d'])", [f"meson:{ADD} -ab -c -d"]),
    (f"{ADD}('-a' + p + 'c', ['-d'])", [f"meson:{ADD} -apc -d"]),
    (f"foreach p : ['x', 'y']\n  {ADD}('-a' + p + 'c')\nendforeach", [f"meson:{ADD} -apc"]),
    (f"{ADD}(x == 'y' ? ['-a'] : ['-b'])", [f"meson:{ADD} -a -b"]),
    (f"{ADD}('-D@0@'.format(x), '-e')", [f"meson:{ADD} -Dx -e"]),
    (f"foreach f : ['-a', '-b']\n  {ADD}('-c')\nendforeach", [f"meson:{ADD} -c"]),
]  # fmt: skip


@pytest.mark.parametrize("name", ["meson.options", "meson_options.txt"])
@pytest.mark.parametrize("path", ["meson.build", "sub/meson.build"])
def test_meson_options_have_their_defaults(name: str, path: str) -> None:
    options = (
        "option('a', type: 'string', value: '-x')\noption('b', type: 'combo', choices: ['-y', '-z'])\noption('c')\n"
    )
    text = f"{ADD}('-m' + get_option('a'), get_option('b'), get_option('c'), '-@0@-@1@'.format(get_option('a'), 'k'))"
    wanted = [f"meson:{ADD} -m-x -y get_option('c') --x-k"]
    assert calls("meson", {path: text, "meson.build": text, name: options}) == wanted


@pytest.mark.parametrize(("text", "wanted"), MESON)
def test_a_meson_file(text: str, wanted: list[str]) -> None:
    assert calls("meson", {"meson.build": text}) == wanted


@pytest.mark.parametrize(
    "text", ["(", "x = ", "if", "endif\nelse", "'", "[[[[", "add_project_arguments(", "executable(')"]
)
def test_a_broken_meson_file_does_no_harm(text: str) -> None:
    calls("meson", {"meson.build": text})


BAZEL = [
    ('cc_library(name="a", copts=["-a", "-b"])', ["bazel:cc_library -a -b"]),
    ('X = ["-a"]\ncc_binary(name="b", copts=X + ["-b"], linkopts=["-l"])', ["bazel:cc_binary -a -b -l"]),
    ('cc_test(copts=select({"//x:linux": ["-l"], "@platforms//os:macos": ["-m"], "//conditions:default": []}))',
     ["bazel:cc_test -l"]),
    ('cc_test(copts=["-a"] + select({":opt": ["-o"], ":linux_aarch64": ["-m"]}))', ["bazel:cc_test -a -o"]),
    ('def f(**kw):\n    native.cc_library(copts=["-a"], **kw)\n', ["bazel:cc_library -a"]),
    ('cc_library(name="a", copts=COPTS, srcs=["-x"])\ngenrule(cmd="copts")', ["bazel:cc_library COPTS"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), BAZEL)
def test_a_build_file_of_bazel(text: str, wanted: list[str]) -> None:
    assert calls("bazel", {"BUILD.bazel": text}) == wanted


def test_lists_of_bazel_are_loaded_from_other_files() -> None:
    files = {
        "sub/BUILD": 'load("//tools:f.bzl", "A", B = "C")\nload(":g.bzl", "D")\ncc_library(copts=A + B + D)',
        "tools/f.bzl": 'A = ["-a"]\nC = ["-c"]',
    }
    assert calls("bazel", files) == ["bazel:cc_library -a -c D"]


@pytest.mark.parametrize("text", ["cc_library(copts=[", "\0 copts", "copts = " + "(" * 3000])
def test_a_build_file_that_is_none_is_told(text: str) -> None:
    assert [fatal for _, fatal in told("bazel", {"BUILD": text})] == [False]


RELEASER = [
    (
        "builds:\n  - flags: [-trimpath]\n    goos: [linux]\n    goarch: [amd64]\n",
        ["GOARCH=amd64 goreleaser:build build -trimpath ."],
    ),
    (
        "env: [A=1]\nbuilds:\n  - main: ./cmd\n    env: [CGO_CFLAGS=-O2]\n    ldflags:\n      - -s\n      - -w\n"
        "    goos: [linux]\n    goarch: [amd64]\n    goamd64: [v1, v3]\n",
        [
            f"A=1 CGO_CFLAGS=-O2 GOARCH=amd64 GOAMD64={level} goreleaser:build build -ldflags=-s -w ./cmd"
            for level in ("v1", "v3")
        ],
    ),
    ("builds:\n  - goos: [windows]\n", []),
    ("builds:\n  - skip: true\n", []),
    ("builds:\n  - builder: bun\n", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), RELEASER)
def test_a_goreleaser_file(text: str, wanted: list[str]) -> None:
    assert calls("goreleaser", {".goreleaser.yml": text}) == wanted


def test_goreleaser_builds_with_other_tools() -> None:
    text = "builds:\n  - builder: rust\n    env: [RUSTFLAGS=-g]\n  - builder: zig\n    flags: [-Dcpu=native]\n"
    text += "  - {builder: rust, tool: cross, command: build, flags: [-v]}\n  - builder: prebuilt\n"
    assert calls("goreleaser", {".goreleaser.yml": text}) == [
        "RUSTFLAGS=-g cargo zigbuild --release",
        "zig build -Dcpu=native",
        "cross build -v",
    ]


def test_hooks_run() -> None:
    text = (
        "before:\n  hooks:\n    - go generate ./...\n    - cmd: make x\n      dir: sub\n"
        "builds:\n  - hooks:\n      pre: ./a.sh\n      post:\n        - upx x\n"
    )
    assert argvs("goreleaser", {".goreleaser.yaml": text}) == ["go generate ./...", "make x", "./a.sh", "upx x"]


RC = [
    ("build --copt=-a\n# build --copt=-z\ntest --x=1  # no\n", ["bazelrc:build --copt=-a", "bazelrc:test --x=1"]),
    ("build:opt --copt='-a b' \\\n  --copt=-c\n", ["bazelrc:build --copt=-a b --copt=-c"]),
    ("import %workspace%/x.rc\nstartup --host_jvm_args=-a\n", []),
    ("build:macos --copt=-m\nbuild:linux --copt=-l\n", ["bazelrc:build --copt=-l"]),
]


@pytest.mark.parametrize(("text", "wanted"), RC)
def test_a_bazelrc(text: str, wanted: list[str]) -> None:
    assert calls("bazelrc", {".bazelrc": text}) == wanted


N = "--copt=-march=native"
FOLDED = [
    # files, script, what the command's CPU is on Linux
    ({".bazelrc": f"build {N}\n"}, "bazel build //...", "native"),
    ({".bazelrc": f"build {N}\n"}, "bazel test //...", "native"),
    ({".bazelrc": f"build {N}\n"}, "bazel coverage //...", "native"),
    ({".bazelrc": f"build {N}\n"}, "bazel build --copt=-march=x86-64 //...", "x86-64"),
    ({".bazelrc": f"build {N}\n"}, "bazel --noworkspace_rc build //...", None),
    ({".bazelrc": f"test {N}\n"}, "bazel build //...", None),
    ({".bazelrc": f"common {N}\n"}, "bazel build //...", "native"),
    ({".bazelrc": f"build:opt {N}\n"}, "bazel build //...", None),
    ({".bazelrc": f"build:opt {N}\n"}, "bazel build --config=opt //...", "native"),
    ({".bazelrc": f"build:opt {N}\n"}, "bazel build --config opt //...", "native"),
    ({".bazelrc": f"build:a --config=b\nbuild:b {N}\n"}, "bazel build --config=a //...", "native"),
    ({".bazelrc": f"build:a --config=a\nbuild:a {N}\n"}, "bazel build --config=a //...", "native"),
    ({".bazelrc": f"build --enable_platform_specific_config\nbuild:linux {N}\n"}, "bazel build x", "native"),
    ({".bazelrc": f"build --enable_platform_specific_config\nbuild:macos {N}\n"}, "bazel build x", None),
    ({".bazelrc": "import %workspace%/x.rc\n", "x.rc": f"build {N}\n"}, "bazel build x", "native"),
    ({".bazelrc": "try-import %workspace%/none\n"}, "bazel build x", None),
    ({"a.go": '// #cgo CFLAGS: -march=native\nimport "C"\n'}, "go build", "native"),
    ({"a.go": '/*\n#cgo CFLAGS: -O2\n#cgo linux CXXFLAGS: -march=native\n*/\nimport "C"\n'}, "go build", "native"),
    ({"a.go": "// #cgo !linux CFLAGS: -march=native\n"}, "go build", None),
    ({"a.go": "// #cgo linux,arm64 darwin CFLAGS: -march=native\n"}, "go build", None),
    ({"a_windows.go": "// #cgo CFLAGS: -march=native\n"}, "go build", None),
    ({"a.go": "// #cgo CFLAGS: -march=native\n"}, "CGO_ENABLED=0 go build", None),
    ({"a.go": "// #cgo CFLAGS: -march=native\n"}, "GOOS=linux GOARCH=arm64 go build", "native"),
    ({"a.go": "// #cgo arm64 CFLAGS: -march=native\n"}, "GOARCH=arm64 go build", "native"),
    ({"a.go": "// #cgo CFLAGS: -march=native\n"}, "go mod tidy", None),
]


@pytest.mark.parametrize(("files", "script", "wanted"), FOLDED)
def test_what_files_add_to_a_command(files: dict[str, str], script: str, wanted: str | None, tmp_path: object) -> None:
    folder = tmp_path
    for name, text in {**files, "s.sh": f"#!/bin/sh\n{script}\n"}.items():
        (folder / name).write_text(text)  # type: ignore[operator]
    program = script.split("go", maxsplit=1)[0] and "bazel" if "bazel" in script else "go"
    found = [cpu for name, cpu in judged(Tree(folder), "linux-x86_64") if name == program]  # type: ignore[arg-type]
    assert found == [wanted]


def test_a_gyp_file_names_its_systems_in_its_own_words() -> None:
    text = """{'targets': [{'conditions': [['OS=="mac"', {}], ["OS == 'win'", {}], ['OS!="linux"', {}]]}]}"""
    assert platforms_named(SourceText("binding.gyp", text)) == ("linux-x86_64", "macos-arm64", "windows-x86_64")
