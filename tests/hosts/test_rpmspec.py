"""RPM spec files: macros and conditions are judged by rpmspec itself (rpm_oracle, recorded)."""

import shutil

import pytest

from flagguard.command import Reading
from flagguard.hosts import Setting, rpmspec
from flagguard.hosts.rpm_expressions import holds
from flagguard.shell import evaluate
from flagguard.text import SourceText

from . import rpm_oracle
from .rpm_cases import CASES, HEAD
from .support import Memory, env

RECORDED = rpm_oracle.recorded()
PATH = "pkg/foo.spec"


def read(
    text: str, *platforms: str, files: dict[str, str] | None = None, assume: dict[str, str] | None = None
) -> Reading:
    memory = Memory({PATH: text, **(files or {})})
    return rpmspec.read(SourceText(PATH, text), Setting(memory, platforms or ("linux-x86_64",), assume or {}))


def commands(text: str, *platforms: str, **assume: str) -> list[str]:
    """`STEP: ARGV (WHEN)` of each command, with a `?` before what one has to ask for."""
    found = []
    for script in read(text, *platforms, assume=assume).scripts:
        for command in evaluate(script, Setting(Memory({PATH: text}), platforms or ("linux-x86_64",))).commands:
            when = f" ({'; '.join(command.when)})" if command.when else ""
            mark = "? " if command.opt_in else ""
            found.append(f"{mark}{script.place.step}: {' '.join(command.shown)}{when}")
    return found


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_macros_and_conditions_come_to_what_rpmspec_makes_of_them(number: int) -> None:
    found = read(rpm_oracle.spec(*CASES[number]))
    (build,) = [s.text.shown for s in found.scripts if s.place.step == "%build" and not s.opt_in]
    assert _lines(build) == _lines(RECORDED[number])
    assert not found.problems


@pytest.mark.skipif(shutil.which("rpmspec") is None, reason="needs rpmspec")
def test_the_recorded_answers_are_those_of_rpmspec() -> None:
    assert [rpm_oracle.parsed(rpm_oracle.spec(*case)) for case in CASES] == RECORDED


def of(build: str, preamble: str = "") -> str:
    return f"{HEAD}{preamble}%description\nmake no\n%build\n{build}\n%files\nmake no\n%changelog\n- make no\n"


CFLAGS = "-O2 -flto=auto -ffat-lto-objects -fexceptions -g"
RUNS: list[tuple[str, str, list[str]]] = [
    ("known programs", of("%make_build CFLAGS=-O3\n%{__rm} -f x"), [
        "%build: make -O -j$RPM_BUILD_NCPUS V=1 VERBOSE=1 CFLAGS=-O3", "%build: rm -f x"]),
    ("paths", of("x %{_bindir} %_libdir %{_mandir}/man1 %{buildroot}%{_sysconfdir}"), [
        "%build: x /usr/bin /usr/lib64 /usr/share/man/man1 $RPM_BUILD_ROOT/etc"]),
    ("a source beside the spec file", of("x %{SOURCE1} %{S:0} %{P:7}"), [
        "%build: x %{_sourcedir}/b.conf %{_sourcedir}/foo-1.2.tar.gz %{_sourcedir}/p.patch"]),
    ("an unknown macro is a hole", of("%gobuild -o x\nmake %{gomodulesmode}"), [
        "%build: %gobuild -o x", "%build: make %{gomodulesmode}"]),
    ("the distribution decides", of("%if 0%{?fedora} >= 40\nx new\n%else\nx old\n%endif"), [
        "%build: x new (fedora is defined; 0%{?fedora} >= 40)",
        "%build: x old"]),
    ("one distribution at a time", of("%if 0%{?rhel}\nx r\n%endif\n%if 0%{?suse_version}\nx s\n%endif\n"), [
        "%build: x r (rhel is defined)", "%build: x s (not (rhel is defined); suse_version is defined)"]),
    ("what the builder may ask for", of("%if %{with lto}\nx lto\n%endif\nx all", "%bcond_with lto\n"), [
        "%build: x all", "? %build: x lto (--with lto)", "? %build: x all (--with lto)"]),
    ("a command whose output is put in", of("x %{n}", "%global n %(getconf LONG_BIT)\n"), [
        "%build: x %(getconf LONG_BIT)", "%( ): getconf LONG_BIT"]),
    ("scriptlets", f"{HEAD}%description\n%post -n libx -p /sbin/ldconfig\n%preun\nx rm $1\n%postun -p /bin/sh\nx y\n", [
        "%post: /sbin/ldconfig", "%preun: x rm $1", "%postun: x y"]),
    ("the flags of the distribution", of("cc $CFLAGS a.c\ncc %{optflags} b.c"), []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in RUNS[:-1]], ids=[c[0] for c in RUNS[:-1]])
def test_what_runs(text: str, expected: list[str]) -> None:
    found = commands(text)
    assert found[: len(expected)] == expected
    assert not any("make no" in line for line in found)


def test_the_flags_of_the_distribution_are_known() -> None:
    found = commands(RUNS[-1][1])
    assert [line.startswith(f"%build: cc {CFLAGS}") for line in found] == [True, True]
    assert [" -march=x86-64 " in line for line in found] == [True, True]
    arm = commands(RUNS[-1][1], "linux-aarch64")
    assert [" -march=" in line for line in arm] == [False, False]


def test_configure_cmake_and_meson_are_what_the_distribution_makes_of_them() -> None:
    found = commands(of("%configure --enable-x\n%cmake -DY=1\n%meson -Dz=true\n"))
    assert [line.split()[1] for line in found] == ["./configure", "/usr/bin/cmake", "/usr/bin/meson"]
    assert [line.split()[-1] for line in found] == ["--enable-x", "-DY=1", "-Dz=true"]
    assert all("prefix" in line.lower() for line in found)


def test_the_architecture_decides() -> None:
    text = of("%ifarch x86_64\nx -march=x86-64-v3\n%endif\n%ifarch aarch64\nx arm\n%endif\n")
    assert commands(text) == ["%build: x -march=x86-64-v3"]
    assert commands(text, "linux-aarch64") == ["%build: x arm"]
    only = "ExclusiveArch: aarch64\n"
    assert commands(of("x a", only)) == []
    assert commands(of("x a", only), "linux-aarch64") == ["%build: x a"]
    assert commands(of("x a", "ExcludeArch: x86_64 s390x\n")) == []


def test_the_configuration_gives_macros_values() -> None:
    assert commands(of("x %{?level} %{level}"), level="3") == ["%build: x 3 3"]
    assert commands(of("x %{?level}.")) == ["%build: x ."]


def test_the_place_and_where_words_come_from() -> None:
    text = of("make CFLAGS=%{f}", "%global f -march=native\n")
    script = read(text).scripts[0]
    assert (script.place.host, script.place.job, script.place.step) == ("rpmspec", "foo", "%build")
    assert (script.errexit, script.directory) == (True, None)
    assert env(script)["RPM_PACKAGE_VERSION"] == "1.2"
    (command,) = evaluate(script, Setting(Memory({}), ("linux-x86_64",))).commands
    assert text[command.span.start : command.span.end] == "make"
    assert [text[s.start : s.end] for s in command.argv[1].pieces[-1].route] == ["%{f}", "-march=native"]


def test_an_included_file_is_read_and_one_that_is_not_there_is_told() -> None:
    text = of("%{m}\nx", "%include %{SOURCE1}\n%include none.inc\n")
    found = read(text, files={"pkg/b.conf": "%global m make included\n"})
    assert found.scripts[0].text.text.startswith("make included\n")
    assert [(p.line, p.fatal) for p in found.problems] == [(10, True)]


def test_lua_is_told_as_a_language_that_is_not_read() -> None:
    found = read(of("x", "%{lua:print('-O2')}\n"))
    assert [(s.language, s.text.text) for s in found.scripts if s.language] == [("lua", "print('-O2')")]


def test_conditions_that_are_too_many_are_told() -> None:
    text = of("".join(f"%if %{{a{n}x}}\n%if %{{b{n}x}}\nx {n}\n%endif\n%endif\n" for n in range(40)))
    found = read(text)
    told = {p.line for p in found.problems if p.fatal}
    seen = {line for s in found.scripts for line in s.text.text.split("\n")}
    assert told or all(f"x {n}" in seen for n in range(40))


def test_conditions_that_close_nothing_are_told() -> None:
    assert [p.line for p in read(of("x\n%endif\n%else")).problems] == [13, 14]


def test_macros_that_expand_to_themselves_end() -> None:
    found = read(of("x %aaa", "%define aaa %bbb\n%define bbb %aaa %aaa\n"))
    assert found.scripts or found.problems


def test_other_files_of_that_name_are_left_alone() -> None:
    text = "# -*- mode: python -*-\na = Analysis(['x.py'])\npyz = PYZ(a.pure)\n"
    assert read(text) == Reading()


EXPRESSIONS = [("1", True), ("0", False), ("!1", False), ("(1 || 0) && 1", True), ('"a" < "b"', True), ("", None),
               ("1 +", None), ("3 / 0", None), ("1 ? 0 : 1", False), ("-1 < 0", True), ("%x", None)]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS)
def test_an_expression_holds(text: str, expected: bool | None) -> None:
    assert holds(SourceText("f", text).traced()) is expected
