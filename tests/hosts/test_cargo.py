"""Cargo's configuration, against cargo itself."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from flagguard.command import Command
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.tools.invocation import understand

from .cargo_cases import ARM, BUILD, CASES, GNU, MUSL, SUB, TOP, build, target
from .cargo_oracle import handed

RECORDED: dict[str, list[list[str]]] = json.loads(Path(__file__).with_name("cargo_recorded.json").read_text())
LINUX = Config(baseline={"linux-x86_64": "x86-64-v2"})


def commands(folder: Path, files: Mapping[str, str], config: Config = LINUX) -> tuple[Tree, list[Command]]:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    tree = Tree(folder)
    return tree, [c for found in collect(tree, config, strict=True) for c in found.commands]


def reaching(tree: Tree, command: Command) -> list[str]:
    """The names of `--cfg` that reach rustc."""
    invocation = understand(command, {}, tree.read)[0]
    streams = invocation.streams_for(invocation.builds_for(command.platforms[0]))
    return [o.value.text for s in streams[1:] for o in s.parse.options if "--cfg" in o.names and o.value is not None]


@pytest.mark.parametrize("name", CASES)
def test_the_flags_are_those_that_cargo_hands_over(name: str, tmp_path: Path) -> None:
    files, script = CASES[name]
    tree, found = commands(tmp_path, {**files, "build.sh": script})
    flags = {tuple(reaching(tree, c)) for c in found if c.argv[0].text == "cargo"}
    assert [list(f) for f in sorted(flags)] == RECORDED[name]


@pytest.mark.skipif(not shutil.which("cargo") or not shutil.which("rustc"), reason="cargo is not installed")
@pytest.mark.parametrize("name", list(CASES)[::9])
def test_cargo_says_what_is_recorded(name: str) -> None:
    assert [list(found) for found in handed(*CASES[name])] == RECORDED[name]


NATIVE = '[build]\nrustflags = ["-C", "target-cpu=native"]\n'
STEP = "on: push\njobs:\n  j:\n    runs-on: ubuntu-latest\n    steps:\n"
IMAGE = "FROM rust:1.85\nWORKDIR /src\n"
UNREACHED: dict[str, tuple[Mapping[str, str], list[str]]] = {
    "nobody runs cargo": ({TOP: NATIVE}, ["cargo:rustflags -C target-cpu=native"]),
    "a build reaches it": ({TOP: NATIVE, "a.sh": BUILD}, []),
    "from a folder below": ({TOP: NATIVE, "sub/x": "", "a.sh": "cd sub\n" + BUILD}, []),
    "a build beside it does not": (
        {SUB: NATIVE, "a.sh": BUILD},
        ["cargo:rustflags -C target-cpu=native"],
    ),
    "nor what says nothing of the product": (
        {TOP: NATIVE, "a.sh": "cargo fmt\ncargo check\n"},
        ["cargo:rustflags -C target-cpu=native"],
    ),
    "nor one whose flags hide it": (
        {TOP: NATIVE, "a.sh": "RUSTFLAGS= cargo build\n"},
        ["cargo:rustflags -C target-cpu=native"],
    ),
    "nor one for another target": (
        {TOP: target(MUSL, "musl") + target(GNU, "gnu"), "a.sh": BUILD},
        ["cargo:rustflags --cfg musl"],
    ),
    "nor one that installs from elsewhere": (
        {TOP: NATIVE, "a.sh": "cargo install just\n"},
        ["cargo:rustflags -C target-cpu=native"],
    ),
    "nor one for a platform that nobody asked for": ({TOP: target(ARM, "arm") + target("wasm32-wasip1", "w")}, []),
    "maturin": ({TOP: NATIVE, "a.sh": "maturin build\n"}, []),
    "cross": ({TOP: NATIVE, "a.sh": f"cross build --target {ARM}\n"}, []),
    "an action": ({TOP: NATIVE, ".github/workflows/a.yml": STEP + "      - uses: PyO3/maturin-action@v1\n"}, []),
    "an image": ({TOP: NATIVE, "Dockerfile": IMAGE + "COPY . .\nRUN cargo build\n"}, []),
    "an image that gets the file alone": (
        {TOP: NATIVE, "Dockerfile": IMAGE + "COPY .cargo/config.toml /src/.cargo/config.toml\nRUN cargo build\n"},
        [],
    ),
    "an image that gets it as its own": (
        {"docker/.cargo/config.toml": NATIVE,
         "Dockerfile": IMAGE + "COPY docker/.cargo/config.toml /usr/local/cargo/config.toml\nRUN cargo build\n"},
        [],
    ),
    "an image that gets other folders": (
        {TOP: NATIVE, "Dockerfile": IMAGE + "COPY src src\nRUN cargo build\n"},
        ["cargo:rustflags -C target-cpu=native"],
    ),
    "an include": (
        {TOP: "include = ['x.toml']\n", ".cargo/x.toml": build("x")},
        ["cargo:rustflags --cfg x"],
    ),
    "a text": ({TOP: "build.rustflags = '-C target-cpu=native -g'\n"}, ["cargo:rustflags -C target-cpu=native -g"]),
    "no flags": ({TOP: "[build]\njobs = 4\nrustflags = []\n"}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREACHED)
def test_flags_that_no_command_reaches_are_a_command(name: str, tmp_path: Path) -> None:
    files, expected = UNREACHED[name]
    _, found = commands(tmp_path, files)
    assert [" ".join(c.shown) for c in found if c.argv[0].text == "cargo:rustflags"] == expected


REACHED: dict[str, tuple[Mapping[str, str], str, str | None]] = {
    "an image": ({TOP: NATIVE, "Dockerfile": IMAGE + "COPY . .\nRUN cargo build\n"}, "cargo", TOP),
    "an image from a folder": ({TOP: NATIVE, "x/Dockerfile": IMAGE + "COPY . .\nRUN cargo build\n"}, "cargo", TOP),
    "the home of an image": (
        {"d/config.toml": NATIVE, "Dockerfile": IMAGE + "COPY d/config.toml /usr/local/cargo/\nRUN cargo build\n"},
        "cargo",
        "d/config.toml",
    ),
    "CARGO_HOME": ({"home/config.toml": NATIVE, "a.sh": "CARGO_HOME=home cargo build\n"}, "cargo", "home/config.toml"),
    "maturin": ({TOP: NATIVE, "a.sh": "maturin build --release\n"}, "maturin", TOP),
    "an action": (
        {TOP: NATIVE, ".github/workflows/a.yml": STEP + "      - uses: PyO3/maturin-action@v1\n"},
        "uses",
        TOP,
    ),
    "an action in a folder": (
        {SUB: NATIVE, ".github/workflows/a.yml": STEP + "      - uses: PyO3/maturin-action@v1\n"
         "        with:\n          working-directory: sub\n"},
        "uses",
        SUB,
    ),
    "zigbuild": ({TOP: NATIVE, "a.sh": f"cargo zigbuild --target {GNU}.2.17\n"}, "cargo", TOP),
    "a toolchain": ({TOP: NATIVE, "a.sh": "cargo +nightly build\n"}, "cargo", TOP),
    "nextest": ({TOP: NATIVE, "a.sh": "cargo nextest run\n"}, "cargo", TOP),
    "another tree": ({TOP: NATIVE, "a.sh": "cd /tmp/x\ncargo build\n"}, "cargo", None),
}  # fmt: skip


@pytest.mark.parametrize("name", REACHED)
def test_the_deciding_word_stands_in_the_configuration(name: str, tmp_path: Path) -> None:
    files, program, path = REACHED[name]
    tree, found = commands(tmp_path, files)
    (command,) = [c for c in found if c.argv[0].text == program]
    value = understand(command, {}, tree.read)[0].effective("cpu", "linux-x86_64").value
    assert (value.text if value else None, value.route[-1].path if value else None) == (
        "native" if path else None,
        path,
    )


def tuned(key: str) -> str:
    return f"[target.{key}]\nrustflags = ['-C', 'target-cpu=a64fx']\n"


OPEN = {
    "an include that is not there": ({TOP: "include = ['../../x.toml']\n"}, BUILD),
    "a target that is not known": ({TOP: tuned(ARM)}, 'cargo build --target "$1"\n'),
    "a question that hangs on other flags": ({TOP: tuned("'cfg(target_feature = \"avx2\")'")}, BUILD),
    "a folder that is not known": ({TOP: NATIVE}, 'cd "$1"\ncargo build\n'),
}


@pytest.mark.parametrize("name", OPEN)
def test_what_is_not_known_is_a_hole(name: str, tmp_path: Path) -> None:
    files, script = OPEN[name]
    tree, found = commands(tmp_path, {**files, "build.sh": script})
    (command,) = [c for c in found if c.argv[0].text == "cargo"]
    assert understand(command, {}, tree.read)[0].could_hide("-C target-cpu") is not None


def test_what_may_reach_a_command_is_judged_by_what_it_says(tmp_path: Path) -> None:
    tree, found = commands(tmp_path, {TOP: target(ARM, "arm"), "build.sh": 'cargo build --target "$1"\n'})
    (command,) = [c for c in found if c.argv[0].text == "cargo"]
    assert understand(command, {}, tree.read)[0].could_hide("-C target-cpu") is None


@pytest.mark.parametrize(
    "text",
    ["[build", "build = 3\n", "[build]\nrustflags = 3\n", "target = []\n", "include = 3\n", "[alias]\nb = [1, 'b']\n",
     "include = ['config.toml']\n[alias]\nx = 'x'\n", "[target]\n'cfg(' = { rustflags = ['-g'] }\n",
     "[target.'cfg(all(not(a,b), x = ))']\nrustflags = ['-g']\n", "[target.'']\nrustflags = ['', '-g']\n"],
)  # fmt: skip
def test_nothing_that_a_file_says_ends_the_run(text: str, tmp_path: Path) -> None:
    _, found = commands(tmp_path, {TOP: text, "a.sh": BUILD + "cargo x\n"})
    assert [c.argv[0].text for c in found if c.argv[0].text == "cargo"] == ["cargo"] * 2
