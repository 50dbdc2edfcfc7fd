"""Homebrew's formulae: https://docs.brew.sh/Formula-Cookbook"""

import pytest

from flagguard.command import Reading
from flagguard.hosts import Setting, homebrew
from flagguard.shell import evaluate
from flagguard.text import SourceText

from .support import Memory

PATH = "Formula/foo.rb"


def read(text: str, *platforms: str) -> Reading:
    return homebrew.read(SourceText(PATH, text), Setting(Memory({PATH: text}), platforms or ("macos-arm64",)))


def formula(body: str, rest: str = "") -> str:
    inner = "".join(f"    {line}\n" for line in body.split("\n"))
    head = 'class Foo < Formula\n  desc "It\'s a foo"\n  url "https://x/y.tar.gz"\n'
    return f"{head}{rest}  def install\n{inner}  end\nend\n"


def commands(text: str, *platforms: str, env: str = "") -> list[str]:
    found = []
    for script in read(text, *platforms).scripts:
        for command in evaluate(script, Setting(Memory({}), platforms or ("macos-arm64",))).commands:
            when = f" ({'; '.join(command.when)})" if command.when else ""
            said = f" [{command.env[env].shown}]" if env and env in command.env else ""
            found.append(" ".join(command.shown) + said + when)
    return found


PREFIX = "-DCMAKE_INSTALL_PREFIX=#{prefix}"
RUNS: list[tuple[str, str, list[str]]] = [
    ("words", 'system "make", "-C", \'src\', "CFLAGS=-O3 -g"', ["make -C src CFLAGS=-O3 -g"]),
    ("parentheses", 'system("make", "install")', ["make install"]),
    ("a shell's text", 'system "make A=1 && cc -o x y.c"', ["make A=1", "cc -o x y.c"]),
    ("over several lines", 'system "make",\n       "a", # not this "b"\n       "c"', ["make a c"]),
    ("a list", 'args = %W[\n  --prefix=#{prefix}\n  --x\n]\nargs << "-y"\nargs += ["z", \'w\']\nsystem "./c", *args', [
        "./c --prefix=#{prefix} --x -y z w"]),
    ("standard arguments", 'system "cmake", "-S", ".", "-B", "b", *std_cmake_args, "-DX=1"', [
        f"cmake -S . -B b {PREFIX} -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release -DCMAKE_FIND_FRAMEWORK=LAST "
        "-DCMAKE_VERBOSE_MAKEFILE=ON -Wno-dev -DBUILD_TESTING=OFF -DX=1"]),
    ("lists that are joined", 'args = ["-a"] + std_meson_args + %w[-b]\nsystem "meson", *args', [
        "meson -a --prefix=#{prefix} --libdir=#{prefix}/lib --buildtype=release --wrap-mode=nofallback -b"]),
    ("flags of the linker", 'ldflags = "-s -w"\nsystem "go", "build", *std_go_args(ldflags:)', [
        "go build -trimpath -o=#{prefix}/bin -ldflags=-s -w"]),
    ("what is put in", 'v = "2"\nsystem "cc", "-DV=#{v}", "-I#{include}", version.to_s', [
        "cc -DV=2 -I#{include} version.to_s"]),
    ("a list that is not known", 'system "cc", *Dir["*.c"], "-O2"', ['cc *Dir["*.c"] -O2']),
    ("quotes in what is put in", 'system "cc", "-L#{Formula["x"].lib}"', ['cc -L#{Formula["x"].lib}']),
    ("the compiler", "system ENV.cc, \"a.c\"", ["clang a.c"]),
    ("a condition", 'if build.head?\n  system "a"\nelse\n  system "b"\nend\nsystem "c" unless build.bottle?', [
        "a (build.head?)", "b (not (build.head?))", "c (not (build.bottle?))"]),
    ("a heredoc is no code", 'x = <<~EOS\n  system "no"\nEOS\nsystem "yes"', ["yes"]),
    ("a method that ends with a question", 'x = OS.mac?\nsystem "yes"', ["yes"]),
    ("a comment", '# system "no"\nsystem "yes" # system "no"', ["yes"]),
    ("output", 'x = Utils.safe_popen_read("git", "describe")\nsystem "y"', ["git describe", "y"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), [c[1:] for c in RUNS], ids=[c[0] for c in RUNS])
def test_what_runs(body: str, expected: list[str]) -> None:
    assert commands(formula(body)) == expected


def test_the_platform_decides() -> None:
    body = (
        'on_macos do\n  system "m"\nend\non_linux do\n  system "l"\nend\n'
        'if OS.mac? && Hardware::CPU.arm?\n  system "ma"\nelsif OS.linux?\n  system "ln"\nelse\n  system "o"\nend\n'
        'system "i" if Hardware::CPU.intel?'
    )
    assert commands(formula(body), "macos-arm64") == ["m", "ma"]
    assert commands(formula(body), "linux-x86_64") == ["l", "ln", "i"]
    assert commands(formula(body), "macos-x86_64") == ["m", "o", "i"]


ENVIRONMENTS = [
    ('ENV["CFLAGS"] = "-O2"', "-O2"),
    ('ENV["CFLAGS"] = "-O2"\nENV.append "CFLAGS", "-march=native"', "-O2 -march=native"),
    ('ENV.append_to_cflags "-a"\nENV.prepend "CFLAGS", "-b"', "-b -a"),
    ('ENV["CFLAGS"] = "-O2" if OS.linux?', None),
    ('ENV["CFLAGS"] = "-O2"\nENV.delete("CFLAGS")', None),
    ('ENV["CFLAGS"] += " -x"', " -x"),
]


@pytest.mark.parametrize(("body", "expected"), ENVIRONMENTS)
def test_the_environment(body: str, expected: str | None) -> None:
    said = "" if expected is None else f" [{expected}]"
    assert commands(formula(f'{body}\nsystem "make"'), env="CFLAGS") == [f"make{said}"]


def test_the_environment_of_one_method_is_not_that_of_the_next() -> None:
    rest = '  test do\n    ENV["CFLAGS"] = "-x"\n    system bin/"foo", "--v"\n  end\n'
    found = commands(formula('system "make"', rest), env="CFLAGS")
    assert found == ['bin/"foo" --v [-x]', "make"]


def test_the_place_and_where_words_come_from() -> None:
    text = formula('a = %w[-O2 -march=native]\nsystem "cc", *a')
    (script,) = read(text).scripts
    assert (script.place.host, script.place.job, script.place.step) == ("homebrew", "foo", "install")
    (command,) = evaluate(script, Setting(Memory({}), ("macos-arm64",))).commands
    assert text[command.span.start : command.span.end] == "cc"
    assert [text[s.start : s.end] for s in command.argv[2].pieces[0].route] == ["a", "-march=native"]


def test_what_is_not_read_is_told() -> None:
    found = read(formula('system "cc", "unfinished\nsystem'))
    assert [p.line for p in found.problems] == [5]
    assert [p.line for p in read(formula("ENV = x")).problems] == [5]
