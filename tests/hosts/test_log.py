"""Build logs: what stands around a command, which lines are commands, and what a log hides."""

import pytest

from flagguard.command import Dialect
from flagguard.hosts import log
from flagguard.hosts.log_lines import lines
from flagguard.text import SourceText

GCC = "gcc -O2 -c a.c"


def words(text: str, path: str = "build.log") -> list[object]:
    found, _ = log.scripts(SourceText(path, text), lambda w: log.is_tool(w) or w.endswith("/sh"))
    return [[w.text for w in s.argv] if s.dialect is Dialect.ARGV else s.text.text for s in found]


@pytest.mark.parametrize(
    "line",
    [
        GCC,
        f"\t{GCC}\r",
        f"2024-03-01T10:00:00.1234567Z {GCC}",
        f"\ufeff2024-03-01T10:00:00.1234567Z {GCC}",
        f"build\tCompile\t2024-03-01T10:00:00.1234567Z {GCC}",
        f"2024-03-01T10:00:00.123456Z 01O {GCC}",
        f"[2024-03-01T10:00:00.123Z] + {GCC}",
        f"[12:34:56] {GCC}",
        f"12:34:56.789 {GCC}",
        f"#12 0.123 {GCC}",
        f"#8 [builder 3/4] RUN {GCC}",
        f"#8 [3/4] RUN --mount=type=cache,target=/x {GCC}",
        f"Step 3/9 : RUN {GCC}",
        f"[1/20] {GCC}",
        f"[1,024 / 2,048] {GCC}",
        f"[ 50%] {GCC}",
        f"+ {GCC}",
        f"\x1b[32;1m$ {GCC}\x1b[0;m",
        f"##[command]{GCC}",
        f"[command]{GCC}",
        f"libtool: compile:  {GCC}",
        f"\x1b_bk;t=1700000000000\x07{GCC}",
        f'[zlib 1.2.3] running: cd "/x" && {GCC}',
        f"section_start:1700000000:build\r\x1b[0K{GCC}",
        f"  10%\r  99%\r{GCC}",
        f"     Running `{GCC}`",
        "12:00:00 runner ['gcc', '-O2', '-c', 'a.c']",
        "gcc -O2 \\\n   -c a.c",
        "#9 1.5 gcc -O2 \\\n#9 1.6 -c a.c",
    ],
)
def test_what_stands_around_a_command(line: str) -> None:
    (found,) = words(f"make: Entering directory '/x'\n{line}\nmake: Leaving directory '/x'\n")
    assert (found if isinstance(found, list) else found.split()) == GCC.split()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "line",
    [
        "checking for gcc... gcc",
        "configure:1234: gcc -c conftest.c >&5",
        "The C compiler identification is GNU 12.2.0 (/usr/bin/gcc -v)",
        "a.c:12:3: warning: passing 'gcc' argument [-Wall]",
        "collect2: error: ld returned 1 exit status",
        "##[group]Run gcc -O2 a.c",
        "-- Check for working C compiler: /usr/bin/cc - skipped",
        "Setting up gcc (4:12.2.0-3) ...",
    ],
)
def test_prose_is_no_command(line: str) -> None:
    found = [w for w in words(line) if isinstance(w, list)]
    assert found == []


@pytest.mark.parametrize(
    ("line", "argv"),
    [
        (
            r'  C:\Program Files\VC\bin\CL.exe /c /O2 /DV="\"a b\"" "C:\x y\a.cpp"',
            [r"C:\Program Files\VC\bin\CL.exe", "/c", "/O2", '/DV="a b"', r"C:\x y\a.cpp"],
        ),
        (r'1>  "C:\VC\cl.exe" /c a.cpp', [r"C:\VC\cl.exe", "/c", "a.cpp"]),
        (r"cl /Iinc\sub /c a.c", ["cl", r"/Iinc\sub", "/c", "a.c"]),
    ],
)
def test_command_lines_of_windows(line: str, argv: list[str]) -> None:
    assert words(line) == [argv]


def test_tracking_logs_of_msbuild_name_their_tool() -> None:
    text = "\ufeff^C:\\S\\MAIN.CPP\r\n/c /O2 /arch:AVX2 C:\\S\\MAIN.CPP\r\n"
    assert words(text, "x/CL.command.1.tlog") == [["cl", "/c", "/O2", "/arch:AVX2", "C:\\S\\MAIN.CPP"]]


def test_the_script_of_a_step_is_one_text() -> None:
    text = (
        "2024-03-01T10:00:00.1Z ##[group]Run if true; then\n"
        "2024-03-01T10:00:00.2Z \x1b[36;1mif true; then\x1b[0m\n"
        "2024-03-01T10:00:00.3Z \x1b[36;1m  gcc -O2 -c a.c\x1b[0m\n"
        "2024-03-01T10:00:00.4Z \x1b[36;1mfi\x1b[0m\n"
        "2024-03-01T10:00:00.5Z shell: /usr/bin/bash -e {0}\n"
        "2024-03-01T10:00:00.6Z ##[endgroup]\n"
    )
    assert words(text) == ["if true; then\ngcc -O2 -c a.c\nfi"]


def test_what_libtool_runs_stands_after_what_it_gets() -> None:
    both = "/bin/sh ../libtool --tag=CC --mode=compile gcc -c a.c\nlibtool: compile:  gcc -c a.c -fPIC\n"
    assert words(both) == [["gcc", "-c", "a.c", "-fPIC"]]
    assert len(words(both.splitlines()[0])) == 1


def test_variables_of_a_log_are_not_known() -> None:
    (script,) = log.scripts(SourceText("l", "for f in a; do gcc -c $f.c $CFLAGS; done"), log.is_tool)[0]
    assert script.outside == ("f", "CFLAGS")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("  CC      foo.o", "foo.o"),
        ("  CC [M]  drivers/x.o", "drivers/x.o"),
        ("  CXXLD    libx.la", "libx.la"),
        ("[ 50%] Building C object CMakeFiles/x.dir/d.c.o", "CMakeFiles/x.dir/d.c.o"),
        ("2024-03-01T10:00:00.1Z [1/9] Compiling C++ object a.p/b.cc.o", "a.p/b.cc.o"),
        ("[9/9] Linking target app", "app"),
        ("[100%] Linking CXX executable b", "b"),
        ("compiling src/x.c ...", "src/x.c"),
        ("CC foo.o", "foo.o"),
        ("[100%] Linking C static library liba.a", ""),
        ("[100%] Built target a", ""),
        ("[CC] src/x.c", "src/x.c"),
        ("  C++ x.o", "x.o"),
        ("CXXLD libx.la", "libx.la"),
        ("▸ Compiling x.m", "x.m"),
        ("[ 3/20] c: a.c -> build/a.c.1.o", "build/a.c.1.o"),
        ("   Compiling serde v1.0.2 (/x/serde)", "serde"),
        ("Compiling catalog de.po", ""),
        ("Compiling setup.py", ""),
        ("Building wheel for x", ""),
    ],
)
def test_lines_that_hide_a_command(line: str, name: str) -> None:
    assert [one.hides for one in lines(SourceText("l", line))] == [name]


def test_columns_survive_marks_and_colours() -> None:
    text = "#1 0.1 \x1b[1mgcc\x1b[0m -O2 a.c\n"
    (script,) = log.scripts(SourceText("l", text), log.is_tool)[0]
    span = script.argv[0].route[-1]
    assert text[span.start : span.end] == "gcc"
