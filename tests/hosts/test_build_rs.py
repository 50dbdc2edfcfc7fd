"""Cargo's build scripts: The Cargo Book, "Build Scripts"; docs.rs of cc, cmake and autotools."""

# ruff: noqa: E501  (scripts that are one line each)

import pytest

from flagguard.hosts import Setting, build_rs, by_path
from flagguard.text import SourceText, Traced

from .support import Memory

LINUX, ARM, MAC, WINDOWS = "linux-x86_64", "linux-aarch64", "macos-arm64", "windows-x86_64"
SHORT = {LINUX: "linux", ARM: "arm", MAC: "mac", WINDOWS: "windows"}


def ran(text: str, assume: dict[str, str] | None = None, whole: bool = False) -> list[str]:
    """What runs, with the variables before it, the platforms where those are not all, and the conditions."""
    text = text if whole else f"fn main() {{\n{text}\n}}\n"
    setting = Setting(Memory({"build.rs": text}), tuple(SHORT), assume or {})
    found = build_rs.read(SourceText("build.rs", text), setting)
    assert found.problems == ()
    out = []
    for one in (*found.calls, *found.scripts):
        words = [f"{v.name}={v.value.shown}" for v in one.env] + [w.shown for w in one.argv]
        platforms = " ".join(SHORT[p] for p in tuple(SHORT) if p in (one.platforms or ()))
        when = f" [{' and '.join(one.when)}]" if one.when else ""
        out.append(f"{' '.join(words)}{'' if len(one.platforms or ()) == 4 else f' @{platforms}'}{when}")
    return sorted(out)


CC = "rust:cc::Build"
CASES: list[tuple[str, str, list[str]]] = [
    ("a chain", 'cc::Build::new().file("a.c").flag("-O2").compile("a");', [f"{CC} -O2 a.c"]),
    (
        "a variable",
        'let mut b = cc::Build::new(); b.flag("-a"); b.flag("-b").file("a.c"); b.compile("a");',
        [f"{CC} -a -b a.c"],
    ),
    ("an imported name", 'let mut b = Build::new(); b.flag("-a").compile("a");', [f"{CC} -a"]),
    ("lists", 'cc::Build::new().flags(["-a", "-b"]).flags(&vec!["-c"]).compile("a");', [f"{CC} -a -b -c"]),
    (
        "methods",
        'cc::Build::new().define("A", "1").define("B", None).define("C", Some("2")).include("i").opt_level(3)'
        '.std("c11").pic(true).debug(false).static_flag(true).flag_if_supported("-f").warnings(false).compile("a");',
        [f"{CC} -DA=1 -DB -DC=2 -Ii -O3 -std=c11 -fPIC -static -f"],
    ),
    ("the environment", 'cc::Build::new().env("A", "b").flag("-a").compile("a");', [f"A=b {CC} -a"]),
    ("what is never compiled is told all the same", 'let mut b = cc::Build::new(); b.flag("-a");', [f"{CC} -a"]),
    ("nothing to say", 'cc::Build::new().compile("a");', []),
    ("a raw string", 'cc::Build::new().flag(r#"-a"#).compile("a");', [f"{CC} -a"]),
    ("escapes", r'cc::Build::new().flag("-\x61\u{62}\"").compile("a");', [f'{CC} -ab"']),
    (
        "a loop",
        'let mut b = cc::Build::new(); for f in ["-a", "-b"].iter() { b.flag(f); } b.compile("a");',
        [f"{CC} -a -b"],
    ),
    (
        "a loop over what is not known",
        'let mut b = cc::Build::new(); for f in files() { b.file(f); } b.flag("-a"); b.compile("a");',
        [f"{CC} -a f"],
    ),
    (
        "a list that grows",
        'let mut l = vec!["-a"]; l.push("-b"); l.extend(["-c"]); cc::Build::new().flags(&l).compile("a");',
        [f"{CC} -a -b -c"],
    ),
    (
        "format",
        'let v = "x"; cc::Build::new().flag(&format!("-m{}={v}{0}{{}}", "a")).flag(format!("-{n}", n = "b")).compile("a");',
        [f"{CC} -ma=xa{{}} -b"],
    ),
    ("concat", 'cc::Build::new().flag(concat!("-a", "b")).compile("a");', [f"{CC} -ab"]),
    (
        "cfg!",
        'let mut b = cc::Build::new(); b.flag("-a"); if cfg!(target_os = "linux") { b.flag("-l"); } else { b.flag("-o"); }'
        ' b.compile("a");',
        [f"{CC} -a -l @linux arm", f"{CC} -a -o @mac windows"],
    ),
    (
        "an attribute",
        'let mut b = cc::Build::new(); #[cfg(windows)] b.flag("/W4"); #[cfg(not(windows))] b.flag("-w"); b.compile("a");',
        [f"{CC} -w @linux arm mac", f"{CC} /W4 @windows"],
    ),
    (
        "the target that Cargo says",
        'let arch = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap(); let mut b = cc::Build::new(); b.flag("-a");'
        ' if arch == "x86_64" && !(arch != "x86_64") { b.flag("-x"); } b.compile("a");',
        [f"{CC} -a -x @linux windows", f"{CC} -a @arm mac"],
    ),
    (
        "the triple",
        'let t = env::var("TARGET").unwrap(); let mut b = cc::Build::new(); b.flag("-a");'
        ' if t.contains("windows") || t.ends_with("darwin") { b.flag("-n"); } b.compile("a");',
        [f"{CC} -a -n @mac windows", f"{CC} -a @linux arm"],
    ),
    (
        "match",
        'let mut b = cc::Build::new(); match env::var("CARGO_CFG_TARGET_OS").unwrap().as_str() {'
        ' "linux" | "android" => { b.flag("-l"); } "macos" => { b.flag("-m"); } _ => { b.flag("-o"); } } b.compile("a");',
        [f"{CC} -l @linux arm", f"{CC} -m @mac", f"{CC} -o @windows"],
    ),
    (
        "a value of a match",
        'let f = match env::var("CARGO_CFG_TARGET_ARCH").unwrap().as_ref() { "x86_64" => "-x", _ => "-o" };'
        ' cc::Build::new().flag(f).compile("a");',
        [f"{CC} -o @arm mac", f"{CC} -x @linux windows"],
    ),
    (
        "a condition that nobody knows",
        'let mut b = cc::Build::new(); b.flag("-a"); if cfg!(feature = "n") { b.flag("-n"); } b.compile("a");',
        [f'{CC} -a -n [cfg!(feature = "n")]', f'{CC} -a [not (cfg!(feature = "n"))]'],
    ),
    (
        "one that changes nothing",
        'let mut b = cc::Build::new(); if x() { b.flag("-n"); } b.flag("-a"); b.compile("a");'
        ' cc::Build::new().flag("-c").compile("c");',
        [f"{CC} -a [not (x())]", f"{CC} -c", f"{CC} -n -a [x()]"],
    ),
    (
        "one that decides nothing",
        'let mut b = cc::Build::new(); if x() { y(); } b.flag("-a").compile("a");',
        [f"{CC} -a"],
    ),
    (
        "a variable that it hangs on",
        'let mut f = "-a"; if x() { f = g(); } cc::Build::new().flag(f).compile("a");',
        [f"{CC} f"],
    ),
    (
        "more conditions than are followed",
        "let mut b = cc::Build::new();"
        + "".join(f' if x{n}() {{ b.flag("-{n}"); }}' for n in range(4))
        + ' b.flag("-a"); if y() { b.flag("-y"); } if z() { b.flag("-z"); } b.compile("a");',
        [
            f"{CC} "
            + "".join(f"-{n} " for n in range(4) if ways >> n & 1)
            + "-a -y -z ["
            + " and ".join(f"x{n}()" if ways >> n & 1 else f"not (x{n}())" for n in range(4))
            + "]"
            for ways in range(16)
        ],
    ),
    (
        "if let",
        'let mut b = cc::Build::new(); b.flag("-a"); if let Ok(x) = env::var("X") { b.flag(&x); } b.compile("a");',
        [f'{CC} -a [not (let Ok(x) = env::var("X"))]', f'{CC} -a env::var("X") [let Ok(x) = env::var("X")]'],
    ),
    ("a default", 'cc::Build::new().flag(env::var("X").unwrap_or("-d".into())).compile("a");', [f"{CC} -d"]),
    (
        "one of several",
        'let f = ["-a", "-b"].iter().find(|f| ok(f)).unwrap(); cc::Build::new().flag(f).compile("a");',
        [f'{CC} ["-a", "-b"].iter().find(|f| ok(f))'],
    ),
    (
        "the way out",
        'if cfg!(windows) { return; } cc::Build::new().flag("-a").compile("a"); std::process::exit(0);'
        ' cc::Build::new().flag("-b").compile("b");',
        [f"{CC} -a @linux arm mac"],
    ),
    (
        "a command",
        'Command::new("make").arg("-C").args(["x", "Y=1"]).env("A", "b").current_dir("d").status().unwrap();',
        ["A=b make -C x Y=1"],
    ),
    ("a command that is not run", 'let c = Command::new("make").arg("x");', []),
    (
        "cmake",
        'cmake::Config::new("lib").define("A", "ON").cflag("-a").cflag("-b").cxxflag("-c").profile("Release").build();',
        ["cmake lib -DA=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-a -b -DCMAKE_CXX_FLAGS=-c"],
    ),
    ("cmake at once", 'cmake::build("lib");', ["cmake lib"]),
    (
        "autotools",
        'autotools::Config::new("lib").enable("x", None).with("y", Some("z")).disable("w", None).cflag("-a").build();',
        ["CFLAGS=-a lib/configure --enable-x --with-y=z --disable-w"],
    ),
    (
        "what Cargo reads",
        'println!("cargo:rustc-link-arg=-Wl,{}", "-s"); println!("cargo::rustc-link-arg-bins=-a");'
        ' println!("cargo:rustc-link-lib=x"); println!("cargo:rustc-flags=-l a -L b"); eprintln!("cargo:rustc-link-arg=n");',
        ["rust:rustc-flags -l a -L b", "rust:rustc-link-arg -Wl,-s", "rust:rustc-link-arg-bins -a"],
    ),
    ("text and comments", '// cc::Build::new().flag("-a").compile("a");\nlet s = "cc::Build::new().flag(1)";', []),
    ("an assumed value", 'cc::Build::new().flag(env::var("GIVEN").unwrap()).compile("a");', [f"{CC} -given"]),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert ran(text, {"GIVEN": "-given"}) == sorted(expected)


def test_functions_of_the_file_are_followed() -> None:
    text = (
        'const F: &str = "-f";\nfn set(b: &mut cc::Build, cpu: &str) { if cpu == "x86_64" { b.flag("-x"); } b.flag(F); }\n'
        'fn level() -> &\'static str { if unknown() { return "-q"; } "-O2" }\nfn no() { cc::Build::new().flag("-no").compile("n"); }\n'
        'fn main() { let mut b = cc::Build::new(); set(&mut b, "x86_64"); b.flag("-a").compile("a"); }\n'
    )
    assert ran(text, whole=True) == [f"{CC} -x -f -a"]


def test_a_function_that_calls_itself_ends() -> None:
    assert ran("fn f() { f(); cc::Build::new(); }\nfn main() { f(); }\n", whole=True) == []


def test_one_that_goes_on_for_too_long_is_told() -> None:
    text = "fn f() { loop { f(); f(); Command::new(x()); } }\nfn main() { f(); }\n"
    (problem,) = build_rs.read(SourceText("build.rs", text), Setting(Memory({}), (LINUX,))).problems
    assert problem.fatal


def test_a_word_that_may_be_there_says_which_and_where() -> None:
    flags = "".join(f' if x{n}() {{ b.flag("-{n}"); }}' for n in range(5))
    text = f'fn main() {{ let mut b = cc::Build::new();{flags} b.compile("a"); }}'
    (word,) = {c.argv[-1] for c in build_rs.read(SourceText("build.rs", text), Setting(Memory({}), (LINUX,))).calls}
    hole = word.whole_hole
    assert hole is not None
    assert (hole.among[0].text, hole.several, hole.reason) == ("-4", True, "it is there only where x4()")


def test_places() -> None:
    text = 'fn main() {\n  let é = 1;\n  cc::Build::new().flag("-a").flag(&format!("-b{}", "c")).compile("name");\n}\n'
    source = SourceText("sub/build.rs", text)
    (call,) = build_rs.read(source, Setting(Memory({}), (LINUX,))).calls
    assert (call.place.host, call.place.target) == ("build_rs", "name")

    def written(word: Traced) -> list[str]:
        return [text[at.start : at.end] for piece in word.pieces for at in piece.route[-1:]]

    assert [written(w) for w in call.argv] == [["cc::Build::new"], ["-a"], ["-b", "c"]]


def test_the_folder_is_that_of_the_package() -> None:
    text = 'fn main() { Command::new("make").status(); Command::new("make").current_dir("in").status(); }'
    found = build_rs.read(SourceText("sub/build.rs", text), Setting(Memory({}), (LINUX,))).scripts
    assert [script.directory for script in found] == ["sub", "sub/in"]


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        ("build.rs", True),
        ("a/b/build.rs", True),
        ("build/main.rs", True),
        ("src/main.rs", False),
        ("rebuild.rs", False),
    ],
)
def test_claims(path: str, claimed: bool) -> None:
    assert [host.NAME for host in by_path.claiming(path)] == (["build_rs"] if claimed else [])


@pytest.mark.parametrize(
    "text",
    ["fn main( {", "\0", "fn main() { \udc80 }", "fn main() {" + "(" * 3000 + ")" * 3000 + "}", "fn main() { if x"],
)
def test_what_cannot_be_read_is_told(text: str) -> None:
    found = build_rs.read(SourceText("build.rs", text), Setting(Memory({}), (LINUX,)))
    assert len(found.problems) == 1
    assert not found.calls
