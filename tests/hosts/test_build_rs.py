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


M = 'flag("-m")'
# a script, other files of the tree, and what runs
ELSEWHERE: list[tuple[str, str, dict[str, str], list[str]]] = [
    ("a name of one's own", f'use cc::Build as B; fn main() {{ B::new().{M}.compile("a"); }}', {}, [f"{CC} -m"]),
    ("of a list", 'use std::process::{self, Command as C}; fn main() { C::new("x").arg("-m").status(); }', {}, ["x -m"]),
    ("the default", f'fn  main() {{ cc::Build::default().{M}.compile("a"); }}', {}, [f"{CC} -m"]),
    ("a module", f'mod m {{ pub fn go() {{ cc::Build::new().{M}.compile("a"); }} }} fn main() {{ m::go(); }}', {}, [f"{CC} -m"]),
    ("a method", f'impl X {{ fn go(&self) {{ cc::Build::new().{M}.compile("a"); }} }} fn main() {{ X.go(); }}', {}, [f"{CC} -m"]),
    ("a type's function", f'impl X {{ fn go() {{ cc::Build::new().{M}.compile("a"); }} }} fn main() {{ X::go(); }}', {}, [f"{CC} -m"]),
    ("a function as a value", f'fn t() {{ cc::Build::new().{M}.compile("a"); }} fn main() {{ run(t); }}', {}, [f"{CC} -m"]),
    ("a field", f'fn main() {{ let mut s = S {{ b: cc::Build::new() }}; s.b.{M}; s.b.compile("a"); }}', {}, [f"{CC} -m"]),
    ("a tuple", f'fn main() {{ let (mut b, x) = (cc::Build::new(), 1); b.{M}.compile("a"); }}', {}, [f"{CC} -m"]),
    ("a closure at once", f'fn main() {{ (|| {{ cc::Build::new().{M}.compile("a"); }})(); }}', {}, [f"{CC} -m"]),
    ("in an assertion", 'fn main() { assert!(Command::new("x").arg("-m").status().unwrap().success()); }', {}, ["x -m"]),
    ("a list that grows", 'fn main() { let mut a = vec!["-c"]; a.insert(0, "-m"); Command::new("x").args(&a).status(); }', {}, ["x -c -m"]),
    ("a text that grows", 'fn main() { let mut f = String::from("-"); f.push_str("m"); f += "n"; cc::Build::new().flag(&(f + "o")).compile("a"); }', {}, [f"{CC} -mno"]),
    ("an own environment", 'fn main() { std::env::set_var("CFLAGS", "-m -n"); cc::Build::new().compile("a"); }', {}, [f"CFLAGS=-m -n {CC} -m -n"]),
    ("several variables", 'fn main() { Command::new("x").envs([("A", "b")]).status(); }', {}, ["A=b x"]),
    ("the compiler of cc", f'fn main() {{ let t = cc::Build::new().{M}.get_compiler(); t.to_command().arg("-n").status(); }}', {}, ["cc -m -n", f"{CC} -m"]),
    ("words of a macro", 'fn main() { cmd!(sh, "x -m").run(); cmd!("y", "-n o").run(); }', {}, ["x -m", "y -n o"]),
    ("a long chain", "fn main() { cc::Build::new()" + '.flag("-m")' * 300 + '.compile("a"); }', {}, [f"{CC}" + " -m" * 300]),
    ("a file", "mod m; fn main() { m::go(); }", {"m.rs": "pub mod n; pub fn go() { n::go(); }", "m/n.rs": f'pub fn go() {{ cc::Build::new().{M}.compile("a"); }}'}, [f"{CC} -m"]),
    ("a file that is named", '#[path = "x/y.rs"] mod m; fn main() { m::go(); }', {"x/y.rs": f'pub fn go() {{ cc::Build::new().{M}.compile("a"); }}'}, [f"{CC} -m"]),
    ("a file that is put in", 'fn main() { include!("x.rs"); }', {"x.rs": f'{{ cc::Build::new().{M}.compile("a"); }}'}, [f"{CC} -m"]),
    ("a file that puts itself in", 'fn main() { include!("x.rs"); }', {"x.rs": 'include!("x.rs");'}, []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "files", "expected"), [e[1:] for e in ELSEWHERE], ids=[e[0] for e in ELSEWHERE])
def test_wherever_it_stands(text: str, files: dict[str, str], expected: list[str]) -> None:
    setting = Setting(Memory({"build.rs": text, **files}), (LINUX,))
    found = build_rs.read(SourceText("build.rs", text), setting)
    assert found.problems == ()
    ran_there = [(one.env, one.argv) for one in found.calls] + [(one.env, one.argv) for one in found.scripts]
    out = [" ".join([*(f"{v.name}={v.value.shown}" for v in env), *(w.shown for w in argv)]) for env, argv in ran_there]
    assert sorted(out) == sorted(expected)
    assert set(files) <= set(found.depends)


@pytest.mark.parametrize("text", ['run(|b| { b.flag("-m"); });', 'other().arg("-m").status();', "get().flags(x());"])
def test_a_flag_for_what_is_not_known_is_kept(text: str) -> None:
    found = build_rs.read(SourceText("build.rs", f"fn main() {{ {text} }}"), Setting(Memory({}), (LINUX,)))
    (argv,) = [one.argv for one in found.calls] + [one.argv for one in found.scripts]
    assert any(hole.several for word in argv for hole in word.holes)


def test_any_of_several_functions_of_a_name_may_be_meant() -> None:
    text = "".join(f'impl {n} {{ fn go(&self, b: &mut B) {{ b.flag("-{n}"); }} }}\n' for n in "XY")
    text += 'fn main() { let mut b = cc::Build::new(); x.go(&mut b); b.compile("a"); }\n'
    (call,) = build_rs.read(SourceText("build.rs", text), Setting(Memory({}), (LINUX,))).calls
    assert [[hole.among[0].text for hole in word.holes] for word in call.argv[1:]] == [["-X"], ["-Y"]]


def test_a_macro_of_the_script_is_told() -> None:
    text = 'macro_rules! add { ($b:expr) => { $b.flag("-m"); } }\nfn main() { add!(b); }\n'
    (problem,) = build_rs.read(SourceText("build.rs", text), Setting(Memory({}), (LINUX,))).problems
    assert (problem.line, problem.fatal) == (2, True)


def test_a_manifest_names_another_script() -> None:
    files = {
        "c/Cargo.toml": '[package]\nbuild = "tools/mk.rs"\n',
        "c/tools/mk.rs": 'fn main() { Command::new("x").status(); }',
        "d/Cargo.toml": '[package]\nbuild = "build.rs"\n',
        "d/build.rs": 'fn main() { Command::new("y").status(); }',
    }
    setting = Setting(Memory(files), (LINUX,))
    named, usual = (build_rs.read(SourceText(p, files[p]), setting) for p in ("c/Cargo.toml", "d/Cargo.toml"))
    assert [(s.argv[0].text, s.directory) for s in named.scripts] == [("x", "c")]
    assert named.depends == ("c/tools/mk.rs",)
    assert usual.scripts == ()


def test_a_text_that_doubles_is_a_hole() -> None:
    text = 'fn main() { let mut s = String::from("-m");' + "s = s.clone() + &s;" * 60
    text += 'cc::Build::new().flag(&s).compile("a"); }'
    (call,) = build_rs.read(SourceText("build.rs", text), Setting(Memory({}), (LINUX,))).calls
    assert call.argv[1].holes


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
        ("a/Cargo.toml", True),
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
