"""Trees with configurations of cargo, and a script that builds there; flags are told apart by `--cfg NAME`."""

from collections.abc import Mapping

GNU = "x86_64-unknown-linux-gnu"
MUSL = "x86_64-unknown-linux-musl"
ARM = "aarch64-unknown-linux-gnu"
TOP, SUB, DEEP = ".cargo/config.toml", "sub/.cargo/config.toml", "sub/deep/.cargo/config.toml"
BUILD = "cargo build\n"


def flags(*names: str) -> str:
    return "[" + ", ".join(f'"--cfg", "{name}"' for name in names) + "]"


def build(*names: str) -> str:
    return f"[build]\nrustflags = {flags(*names)}\n"


def target(key: str, *names: str) -> str:
    return f"[target.{key}]\nrustflags = {flags(*names)}\n"


def cfg(text: str) -> dict[str, str]:
    return {TOP: build("below") + target(f"'cfg({text})'", "met")}


PACKAGE = {"sub/Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\n', "sub/src/main.rs": "fn main() {}\n"}
Case = tuple[Mapping[str, str], str]
CASES: dict[str, Case] = {
    "a list": ({TOP: build("a", "b")}, BUILD),
    "a text": ({TOP: "[build]\nrustflags = '--cfg a   --cfg b'\n"}, BUILD),
    "no configuration": ({}, BUILD),
    "a file without an ending": ({".cargo/config": build("a")}, BUILD),
    "both files": ({".cargo/config": build("old"), TOP: build("new")}, BUILD),
    "dotted keys": ({TOP: f"build.rustflags = {flags('a')}\n"}, BUILD),
    "an inline table": ({TOP: f"target.{GNU} = {{ rustflags = {flags('a')} }}\n"}, BUILD),
    "deeper lists are joined": ({TOP: build("top"), SUB: build("sub")}, "cd sub\n" + BUILD),
    "three deep": ({TOP: build("top"), SUB: build("sub"), DEEP: build("deep")}, "cd sub/deep\n" + BUILD),
    "not from below": ({TOP: build("top"), SUB: build("sub")}, BUILD),
    "deeper texts replace": (
        {TOP: "build.rustflags = '--cfg top'\n", SUB: "build.rustflags = '--cfg sub'\n"},
        "cd sub\n" + BUILD,
    ),
    "the folder of the manifest does not count": (
        {**PACKAGE, SUB: build("sub"), TOP: build("top")},
        "cargo build --manifest-path sub/Cargo.toml\n",
    ),
    "a target hides build": ({TOP: build("b") + target(GNU, "t")}, BUILD),
    "an empty target does not": ({TOP: build("b") + f"[target.{GNU}]\nrustflags = []\n"}, BUILD),
    "another target does not": ({TOP: build("b") + target(ARM, "t")}, BUILD),
    "musl is not gnu": ({TOP: build("b") + target(MUSL, "t")}, BUILD),
    "musl when asked for": (
        {TOP: build("b") + target(MUSL, "m") + target(GNU, "g")},
        f"cargo build --target {MUSL}\n",
    ),
    "a target joins cfg, in the order of the keys": (
        {TOP: target("'cfg(unix)'", "u") + target("'cfg(all())'", "a") + target(GNU, "t")},
        BUILD,
    ),
    "target in two files": ({TOP: target(GNU, "top"), SUB: target(GNU, "sub")}, "cd sub\n" + BUILD),
    "target and build in two files": ({TOP: target(GNU, "top"), SUB: build("sub")}, "cd sub\n" + BUILD),
    "RUSTFLAGS hides all": ({TOP: build("b") + target(GNU, "t")}, "RUSTFLAGS='--cfg e' " + BUILD),
    "an empty RUSTFLAGS too": ({TOP: build("b")}, "RUSTFLAGS= " + BUILD),
    "an encoded one first": ({TOP: build("b")}, "CARGO_ENCODED_RUSTFLAGS='--cfg=x' RUSTFLAGS='--cfg e' " + BUILD),
    "exported": ({TOP: build("b")}, "export RUSTFLAGS='--cfg e'\n" + BUILD),
    "a variable of the target is joined": (
        {TOP: target(GNU, "t")},
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS='--cfg e' " + BUILD,
    ),
    "a variable of the target hides build": (
        {TOP: build("b")},
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS='--cfg e' " + BUILD,
    ),
    "an empty one does not": ({TOP: build("b")}, "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS= " + BUILD),
    "a variable before cfg": (
        {TOP: target("'cfg(unix)'", "u") + target(GNU, "t")},
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS='--cfg e' " + BUILD,
    ),
    "a variable of another target": (
        {TOP: build("b")},
        "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS='--cfg e' " + BUILD,
    ),
    "CARGO_BUILD_RUSTFLAGS is joined": ({TOP: build("b")}, "CARGO_BUILD_RUSTFLAGS='--cfg e' " + BUILD),
    "also to a text": ({TOP: "build.rustflags = '--cfg b'\n"}, "CARGO_BUILD_RUSTFLAGS='--cfg e' " + BUILD),
    "and hidden by a target": ({TOP: target(GNU, "t")}, "CARGO_BUILD_RUSTFLAGS='--cfg e' " + BUILD),
    "the table env": ({TOP: "[env]\nRUSTFLAGS = '--cfg e'\nCARGO_BUILD_RUSTFLAGS = '--cfg f'\n"}, BUILD),
    "a setting of the command line": (
        {TOP: build("b")},
        f"cargo build --config 'build.rustflags={flags('c')}'\n",
    ),
    "after the variable": (
        {TOP: build("b")},
        f"CARGO_BUILD_RUSTFLAGS='--cfg e' cargo build --config 'build.rustflags={flags('c')}'\n",
    ),
    "a target of the command line": (
        {TOP: build("b") + target(GNU, "t")},
        f"cargo build --config 'target.{GNU}.rustflags={flags('c')}'\n",
    ),
    "before the subcommand": ({TOP: build("b")}, f"cargo --config 'build.rustflags={flags('c')}' build\n"),
    "a file of the command line": (
        {TOP: build("b"), "ci/more.toml": build("f")},
        "cargo build --config ci/more.toml\n",
    ),
    "a file, seen from a folder": (
        {TOP: build("b"), "sub/more.toml": build("f")},
        "cd sub && cargo build --config more.toml\n",
    ),
    "include": ({TOP: "include = ['x.toml']\n" + build("b"), ".cargo/x.toml": build("i")}, BUILD),
    "includes in order": (
        {
            TOP: "include = ['x.toml', { path = 'none.toml', optional = true }, { path = 'y.toml' }]\n" + build("b"),
            ".cargo/x.toml": build("x"),
            ".cargo/y.toml": build("y"),
        },
        BUILD,
    ),
    "an include of an include": (
        {
            TOP: "include = ['../x.toml']\n",
            "x.toml": "include = ['sub/y.toml']\n" + build("x"),
            "sub/y.toml": build("y"),
        },
        BUILD,
    ),
    "build.target": ({TOP: f"[build]\ntarget = '{ARM}'\n" + target(ARM, "arm") + target(GNU, "gnu")}, BUILD),
    "an option before build.target": (
        {TOP: f"[build]\ntarget = '{ARM}'\n" + target(ARM, "arm") + target(GNU, "gnu")},
        f"cargo build --target {GNU}\n",
    ),
    "a variable before build.target": (
        {TOP: f"[build]\ntarget = '{ARM}'\n" + target(ARM, "arm") + target(GNU, "gnu")},
        f"CARGO_BUILD_TARGET={GNU} " + BUILD,
    ),
    "two targets": (
        {TOP: f"[build]\ntarget = ['{ARM}', '{GNU}']\n" + target(ARM, "arm") + target(GNU, "gnu")},
        "cargo build --keep-going\n",
    ),
    "two targets of the command line": (
        {TOP: target(ARM, "arm") + target(GNU, "gnu")},
        f"cargo build --keep-going --target {ARM} --target={GNU}\n",
    ),
    "an alias": ({TOP: "[alias]\nship = ['build', '--config', 'build.rustflags=\"--cfg s\"']\n"}, "cargo ship\n"),
    "an alias as a text": (
        {TOP: build("b") + "[alias]\nship = 'build --release'\n"},
        "cargo ship\n",
    ),
    "an alias of an alias": (
        {TOP: f"[alias]\nship = 'cross'\ncross = 'build --target {ARM}'\n" + target(ARM, "arm") + target(GNU, "gnu")},
        "cargo ship\n",
    ),
    "an alias for a short name": (
        {TOP: f"[alias]\nb = 'build --target {ARM}'\n" + target(ARM, "arm") + target(GNU, "gnu")},
        "cargo b\n",
    ),
    "no alias for a command": (
        {TOP: f"[alias]\nbuild = 'build --target {ARM}'\n" + target(ARM, "arm") + target(GNU, "gnu")},
        BUILD,
    ),
    "rustc's own words come first": ({TOP: build("b")}, "cargo rustc -- --cfg own\n"),
    "run": ({TOP: build("b")}, "cargo run -- --cfg program\n"),
    "test": ({TOP: build("b")}, "cargo test --no-run\n"),
    "bench": ({TOP: build("b")}, "cargo bench --no-run\n"),
    "install of a folder": ({**PACKAGE, TOP: build("top"), SUB: build("sub")}, "cargo install --path sub\n"),
    "install of this folder": ({TOP: build("top")}, "cargo install --path .\n"),
    "a release": ({TOP: build("b")}, "cargo build --release --locked || cargo build --release\n"),
    "cfg(unix)": (cfg("unix"), BUILD),
    "cfg(windows)": (cfg("windows"), BUILD),
    "cfg(true)": (cfg("true"), BUILD),
    "cfg(false)": (cfg("false"), BUILD),
    "cfg all": (cfg('all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")'), BUILD),
    "cfg any": (cfg('any(target_os = "macos", target_family = "unix")'), BUILD),
    "cfg not": (cfg('not(target_env = "musl")'), BUILD),
    "cfg not of all": (cfg('not(all(unix, target_arch = "aarch64"))'), BUILD),
    "cfg of another machine": (cfg('target_arch = "aarch64"'), f"cargo build --target {ARM}\n"),
    "cfg vendor": (cfg('target_vendor = "unknown"'), BUILD),
    "cfg width": (cfg('all(target_pointer_width = "64", target_endian = "little")'), BUILD),
    "cfg feature": (cfg('feature = "std"'), BUILD),
    "cfg not feature": (cfg('not(feature = "std")'), BUILD),
    "cfg sse2": (cfg('target_feature = "sse2"'), BUILD),
    "cfg debug_assertions": (cfg("debug_assertions"), "cargo build --release\n"),
    "cfg panic": (cfg('panic = "unwind"'), BUILD),
    "cfg without blanks": (cfg('all(unix,not(target_os="macos"))'), BUILD),
}  # fmt: skip
