"""Judging: every branch of the three answers, merging, counting, exemptions, and what findings say."""

import datetime
from dataclasses import replace

import pytest
from rule_cases import Found, command, config, findings, judged, report, rule

from flagguard.command import Command
from flagguard.config import Config
from flagguard.exempting import comments
from flagguard.findings import Finding, Verdict
from flagguard.judge import conclude, judge_file
from flagguard.rules import Severity
from flagguard.text import Hole, Piece, SourceText, Span

BASELINE = '[baseline]\nlinux-x86_64 = "x86-64-v2"\nlinux-aarch64 = "generic"\nmacos-arm64 = "apple-m1"\n'
CPU = 'require = [{ flag = ["--target-cpu", "--mcpu"], at-most = "baseline" }]'


def verdicts(settings: Config, text: str, **facts: object) -> list[str]:
    return [f.verdict.value for f in findings(settings, command(text, **facts))]  # type: ignore[arg-type]


# -- require, on flags ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        # presence
        ('"--target-cpu"', "mojo build --target-cpu x86-64-v2 a.mojo", []),
        ('"--target-cpu"', "mojo build --target-cpu=x86-64-v2 a.mojo", []),
        ('"--target-cpu"', "mojo build a.mojo", ["missing"]),
        ('"--target-cpu"', "mojo build a.mojo --target-cpu", ["missing"]),
        ('"--target-cpu"', "mojo build --target-cpu '' a.mojo", ["missing"]),
        ('"--target-cpu"', "mojo build --target-cpu= a.mojo", ["missing"]),
        ('"--target-cpu"', "mojo build --target-cpu-tune x86-64-v2 a.mojo", ["missing"]),
        ('"--target-cpu"', "mojo build {--target-cpu x86-64-v2} a.mojo", ["missing"]),
        ('"--target-cpu"', "mojo build --target-cpu <$X> a.mojo", ["unresolved"]),
        ('"--target-cpu"', "mojo build --target-cpu <!X> a.mojo", ["unresolved"]),
        ('"--target-cpu"', "mojo build --target-cpu x86-64-<$X> a.mojo", []),
        ('"--target-cpu"', "mojo build <$FLAGS> a.mojo", ["unresolved"]),
        ('"--target-cpu"', "mojo build <!FLAGS> a.mojo", ["unresolved"]),
        ('"--target-cpu"', "mojo build --target-cpu x86-64-v2 <$FLAGS> a.mojo", []),
        ('"--target-cpu"', "mojo build <$DIR>/a.mojo", ["missing"]),
        ('{ flag = ["--target-cpu", "--mcpu"] }', "mojo build --mcpu x86-64-v2 a.mojo", []),
        ('{ flag = ["--target-cpu", "--mcpu"] }', "mojo build a.mojo", ["missing"]),
        # conditions
        ('{ flag = "--target-cpu", value = "x86-64*" }', "mojo build --target-cpu x86-64-v2 a.mojo", []),
        ('{ flag = "--target-cpu", value = "x86-64*" }', "mojo build --target-cpu native a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", value = "x86-64*" }', "mojo build --target-cpu x86-64<$V> a.mojo", []),
        ('{ flag = "--target-cpu", value = "x86-64*" }', "mojo build --target-cpu x86<$V> a.mojo", ["unresolved"]),
        ('{ flag = "--target-cpu", value = "x86-64*" }', "mojo build --target-cpu apple<$V> a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", one-of = ["a", "b"] }', "mojo build --target-cpu b a.mojo", []),
        ('{ flag = "--target-cpu", one-of = ["a", "b"] }', "mojo build --target-cpu c a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", one-of = ["a*"] }', "mojo build --target-cpu ab a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu x a.mojo", []),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu native a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", not = ["native", "h*"] }', "mojo build --target-cpu host a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu <$X> a.mojo", ["unresolved"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu x<$X> a.mojo", []),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu nat<$X> a.mojo", ["unresolved"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu '' a.mojo", ["missing"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build a.mojo", ["missing"]),
        ('{ flag = "--target-cpu", matches = "^x86" }', "mojo build --target-cpu x86-64 a.mojo", []),
        ('{ flag = "--target-cpu", matches = "^x86" }', "mojo build --target-cpu y86 a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", matches = "v[0-9]" }', "mojo build --target-cpu <$A>-v2 a.mojo", []),
        ('{ flag = "--target-cpu", matches = "v[0-9]$" }', "mojo build --target-cpu v2<$A> a.mojo", ["unresolved"]),
        # the last occurrence counts, and what was said is not hidden by a hole
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu x --target-cpu native a", ["wrong-value"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu native <$X> a.mojo", ["wrong-value"]),
        # any
        ('{ any = ["--mcpu", { env = "CPU", value = "x" }] }', "mojo build --mcpu x a.mojo", []),
        ('{ any = ["--mcpu", { env = "CPU", value = "x" }] }', "mojo build a.mojo", ["missing"]),
    ],
)  # fmt: skip
def test_a_required_flag(asked: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule(more=f"require = [{asked}]"), text) == expected


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ('{ flag = "-C link-arg", value = "-s" }', "rustc -C link-arg=-s -C link-arg=-x a.rs", []),
        ('{ flag = "-C link-arg", value = "-s" }', "rustc -C link-arg=-x a.rs", ["wrong-value"]),
        ('{ flag = "-C relocation-model", value = "pic" }', "rustc -Crelocation-model=pic a.rs", []),
        ('{ flag = "-C relocation-model", value = "pic" }', "rustc -Crelocation-model=static a.rs", ["wrong-value"]),
    ],
)
def test_flags_that_accumulate(asked: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule('"rustc"', f"require = [{asked}]"), text) == expected


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ('"-fPIC"', "gcc -fPIC -c a.c", []),
        ('"-fPIC"', "gcc -c a.c", ["missing"]),
        ('"-ffile-prefix-map"', "gcc -ffile-prefix-map=<$PWD>=. -c a.c", []),
        ('"-ffile-prefix-map"', "gcc -ffile-prefix-map=<$MAP> -c a.c", ["unresolved"]),
        ('{ flag = "PORTABLE=", value = "1" }', "make PORTABLE=1 all", []),
        ('{ flag = "PORTABLE=", value = "1" }', "make PORTABLE=1 PORTABLE=0 all", ["wrong-value"]),
        ('{ flag = "PORTABLE=", value = "1" }', "make all", ["missing"]),
    ],
)
def test_switches_and_settings(asked: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule('["gcc", "make"]', f"require = [{asked}]"), text) == expected


# -- require, at most -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "platform", "expected"),
    [
        ("mojo build --target-cpu x86-64-v2 a", "linux-x86_64", []),
        ("mojo build --target-cpu x86-64 a", "linux-x86_64", []),
        ("mojo build --target-cpu x86-64-v3 a", "linux-x86_64", ["wrong-value"]),
        ("mojo build --target-cpu native a", "linux-x86_64", ["wrong-value"]),
        ("mojo build --target-cpu x86-64-v22 a", "linux-x86_64", ["wrong-value"]),
        ("mojo build --target-cpu apple-m1 a", "linux-x86_64", ["wrong-value"]),
        ("mojo build --target-cpu generic a", "linux-aarch64", []),
        ("mojo build --target-cpu apple-m1 a", "macos-arm64", []),
        ("mojo build --target-cpu x86-64-<$V> a", "linux-x86_64", ["unresolved"]),
        ("mojo build --target-cpu <$CPU> a", "linux-x86_64", ["unresolved"]),
        ("mojo build --target-cpu '' a", "linux-x86_64", ["missing"]),
        ("mojo build a", "linux-x86_64", ["missing"]),
        ("mojo build --target-cpu power8 a", "linux-ppc64le", ["no-baseline"]),
        ("mojo build a", "linux-ppc64le", ["missing"]),
    ],
)
def test_at_most_the_baseline(text: str, platform: str, expected: list[str]) -> None:
    assert verdicts(rule(more=CPU, top=BASELINE), text, platforms=(platform,)) == expected


# -- environment ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"GOAMD64": "v1"}, []),
        ({"GOAMD64": "v3"}, ["wrong-value"]),
        ({"GOAMD64": ""}, ["missing"]),
        ({"GOARM": "7"}, ["missing"]),
    ],
)
def test_a_variable_of_the_environment(env: dict[str, str], expected: list[str]) -> None:
    settings = rule('"go build"', 'require = [{ env = "GOAMD64", one-of = ["v1", "v2"] }]')
    assert verdicts(settings, "go build ./...", env=env) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("7.5;9.0", []), ("7.5 9.0", []), ("9.0,7.5", []), ("7.5;9.0a", ["wrong-value"]), ("17.5;9.0", ["wrong-value"])],
)
def test_contains_compares_whole_items(value: str, expected: list[str]) -> None:
    settings = rule('"setup.py bdist_wheel"', 'require = [{ env = "A", contains = "9.0" }, { env = "A", contains = "7.5" }]')
    assert verdicts(settings, "setup.py bdist_wheel", env={"A": value}) == expected


# -- forbid and never -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ('"-ffast-math"', "gcc -ffast-math -c a.c", ["forbidden"]),
        ('"-ffast-math"', "gcc -c a.c", []),
        ('"-ffast-math"', "gcc <$CFLAGS> -c a.c", []),
        ('"-ffast-math"', "gcc <!CFLAGS> -c a.c", ["unresolved"]),
        ('{ flag = "-march", value = "native" }', "gcc -march=native -c a.c", ["forbidden"]),
        ('{ flag = "-march", value = "native" }', "gcc -march=x86-64 -c a.c", []),
        ('{ flag = "-march", value = "native" }', "gcc -march=native -march=x86-64 -c a.c", []),
        ('{ flag = "-march", value = "native" }', "gcc -march=<$CPU> -c a.c", []),
        ('{ flag = "-march", value = "native" }', "gcc -march=<!CPU> -c a.c", ["unresolved"]),
        ('{ flag = "-march", value = "native" }', "gcc -march=x86-64<!V> -c a.c", []),
        ('{ effective = "cpu", value = "native" }', "gcc -march=native -c a.c", ["forbidden"]),
        ('{ effective = "cpu", value = "native" }', "gcc -c a.c", []),
        ('{ effective = "cpu", value = "native" }', "gcc -march=native -E a.c", ["forbidden"]),
        ('{ effective = "cpu", value = "native" }', "gcc -mtune=native -c a.c", []),
        ('{ effective = "cpu", value = "native" }', "mojo build a.mojo", ["forbidden"]),
        ('{ effective = "cpu", value = "native" }', "mojo build --target-cpu '' a.mojo", ["forbidden"]),
        ('{ effective = "cpu", value = "native" }', "mojo build --target-cpu x86-64 a.mojo", []),
        ('{ any = ["-ffast-math", "-Ofast"] }', "gcc -Ofast -c a.c", ["forbidden"]),
    ],
)
def test_what_is_forbidden(asked: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule('["gcc", "mojo build"]', f"forbid = [{asked}]"), text) == expected


def test_never_is_a_finding_on_the_command_itself() -> None:
    settings = rule('"npm install"', 'operands = "none"\nnever = true')
    assert verdicts(settings, "npm install") == ["forbidden"]
    assert verdicts(settings, "npm install left-pad") == []
    assert verdicts(settings, "npm install <$WHAT>") == ["unresolved"]
    assert verdicts(settings, "npm ci") == []


# -- effective --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gcc -march=x86-64-v2 -c a.c", []),
        ("gcc -c a.c", []),
        ("gcc -march=x86-64-v3 -c a.c", ["wrong-value"]),
        ("gcc -march=native -c a.c", ["wrong-value"]),
        ("gcc -march=x86-64-v2 -mavx2 -c a.c", ["wrong-value"]),
        ("gcc -mavx2 -march=x86-64-v2 -c a.c", ["wrong-value"]),
        ("gcc -mavx2 -c a.c", ["wrong-value"]),
        ("gcc -march=x86-64-v2 <$CFLAGS> -c a.c", []),
        ("gcc -march=x86-64-v2 <!CFLAGS> -c a.c", ["unresolved"]),
        ("gcc <$CFLAGS> -c a.c", []),
        ("gcc <!CFLAGS> -c a.c", ["unresolved"]),
        ("gcc -march=<$CPU> -c a.c", ["unresolved"]),
        ("mojo build a.mojo", ["missing"]),
        ("mojo build <$FLAGS> a.mojo", ["unresolved"]),
        ("mojo build --target-cpu x86-64-v2 a.mojo", []),
        ("mojo build --target-cpu x86-64-v2 --target-features +avx2 a.mojo", ["wrong-value"]),
        ("mojo build --target-cpu '' a.mojo", ["missing"]),
    ],
)
def test_the_effective_cpu_is_at_most_the_baseline(text: str, expected: list[str]) -> None:
    settings = rule('["@c-compiler", "mojo build"]', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE)
    assert verdicts(settings, text) == expected


# -- which commands a rule speaks of ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "facts", "matches"),
    [
        ('{ task = "dist-*" }', {"task": "dist-lib"}, True),
        ('{ task = "dist-*" }', {"task": "samples"}, False),
        ('{ task = "dist-*" }', {}, False),
        ('{ task = ["a", "b"], job = "c" }', {"task": "b", "job": "c"}, True),
        ('{ task = ["a", "b"], job = "c" }', {"task": "b", "job": "d"}, False),
        ('{ path = "scripts/*.sh" }', {"path": "scripts/build.sh"}, True),
        ('{ path = "*.sh" }', {"path": "scripts/build.sh"}, False),
        ('{ path = "**/*.sh" }', {"path": "scripts/build.sh"}, True),
        ('{ path = "**/*.sh" }', {"path": "build.sh"}, True),
        ('{ host = "shell" }', {}, True),
        ('{ runner = "macos-*" }', {"runner": "macos-14"}, True),
        ('{ runner = "macos-*" }', {"runner": "ubuntu-24.04"}, False),
        ('{ platform = "linux-*" }', {"platforms": ("macos-arm64",)}, False),
        ('{ platform = "linux-*" }', {"platforms": ("macos-arm64", "linux-x86_64")}, True),
    ],
)
def test_where(where: str, facts: dict[str, object], matches: bool) -> None:
    settings = rule(more=f'where = {where}\nrequire = ["--x"]')
    assert bool(verdicts(settings, "mojo build a.mojo", **facts)) is matches


def test_a_platform_in_where_leaves_the_others_alone() -> None:
    settings = rule(more='where = { platform = "linux-*" }\nrequire = ["--x"]')
    found = findings(settings, command("mojo build a", platforms=("linux-x86_64", "macos-arm64")))
    assert [f.platforms for f in found] == [("linux-x86_64",)]


@pytest.mark.parametrize(
    ("selector", "text", "expected"),
    [
        ('with = ["-shared"]', "gcc -shared a.o", ["missing"]),
        ('with = ["-shared"]', "gcc a.o", []),
        ('with = ["-shared", "-s"]', "gcc -shared a.o", []),
        ('with = ["-shared"]', "gcc <$LDFLAGS> a.o", []),
        ('with = ["-shared"]', "gcc <!LDFLAGS> a.o", ["unresolved"]),
        ('without = ["-c", "-S"]', "gcc -c a.c", []),
        ('without = ["-c", "-S"]', "gcc a.o", ["missing"]),
        ('with = [{ flag = "-x", value = "c" }]', "gcc -x c a", ["missing"]),
        ('with = [{ flag = "-x", value = "c" }]', "gcc -x c++ a", []),
        ('operands = "some"', "gcc a.o", ["missing"]),
        ('operands = "none"', "gcc a.o", []),
        ('operands = "none"', "gcc -v", ["missing"]),
    ],
)
def test_with_without_and_operands(selector: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule('"gcc"', f'{selector}\nrequire = ["-Wl,-z,now"]'), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<$MOJO> build a.mojo", ["unresolved"]),
        ("<$MOJO> build --target-cpu x a.mojo", ["unresolved"]),
        ("<$MOJO> format a.mojo", []),
        ("<$DIR>/mojo build a.mojo", ["missing"]),
        ("/opt/mojo build a.mojo", ["missing"]),
        ("mojox build a.mojo", []),
    ],
)
def test_a_program_that_nobody_knows(text: str, expected: list[str]) -> None:
    assert verdicts(rule(more='require = ["--target-cpu"]'), text) == expected


def test_an_unset_variable_in_the_programs_place_is_undecided() -> None:
    lost = command("build a.mojo", vanished=((0, Hole("$MOJO", "nothing in the repository sets it", name="MOJO")),))
    found = findings(rule(more='require = ["--target-cpu"]'), lost)
    assert [(f.verdict, f.message) for f in found] == [
        (Verdict.UNRESOLVED, "`$MOJO` may be `mojo`, or not: nothing in the repository sets it")
    ]
    assert [w.text for w in found[0].argv] == ["build", "a.mojo"]


# -- merging ------------------------------------------------------------------------------------------------------------


def build(text: str = "mojo build a.mojo", **facts: object) -> Command:
    return command(text, **facts)  # type: ignore[arg-type]


NO_CPU = rule(more='require = ["--target-cpu"]')


def test_worlds_and_platforms_that_say_the_same_are_one_finding() -> None:
    both = ("linux-x86_64", "macos-arm64")
    found = findings(
        NO_CPU,
        build("mojo build a.mojo -o a.so", when=("$A is set",), platforms=both[:1]),
        build("mojo build a.mojo -o a.dylib", when=("$A is not set",), platforms=both[:1]),
        build("mojo build a.mojo -o a.dylib", platforms=both[1:]),
    )
    assert [(f.platforms, f.when, f.message) for f in found] == [(both, (), "`mojo build` has no `--target-cpu`")]


def test_a_finding_of_one_world_says_what_was_assumed() -> None:
    found = findings(
        NO_CPU, build(when=("$A is not set",)), build("mojo build --target-cpu x a.mojo", when=("$A is set",))
    )
    assert [f.when for f in found] == [("$A is not set",)]


def test_several_worlds_say_what_they_share() -> None:
    found = findings(
        NO_CPU,
        build(when=("x", "a")),
        build(when=("x", "b")),
        build("mojo build --target-cpu x a.mojo", when=("x", "c")),
    )
    assert [f.when for f in found] == [("x", "a or b")]


def test_a_finding_on_some_platforms_names_them() -> None:
    found = findings(
        NO_CPU,
        build(platforms=("linux-x86_64",)),
        build("mojo build --target-cpu x a.mojo", platforms=("macos-arm64",)),
    )
    assert [f.message for f in found] == ["`mojo build` has no `--target-cpu` on linux-x86_64"]


def test_calls_from_two_places_are_two_findings() -> None:
    calls = [(Span("Makefile", 1, 2),), (Span("Makefile", 7, 8),)]
    assert [f.via for f in findings(NO_CPU, build(via=calls[0]), build(via=calls[1]))] == calls


def test_what_only_an_opt_in_world_does_is_a_warning() -> None:
    only = findings(NO_CPU, build(opt_in=True, when=("MODE=debug",)))
    assert [f.severity for f in only] == [Severity.WARNING]
    also = findings(NO_CPU, build(opt_in=True, when=("MODE=debug",)), build(when=("else",)))
    assert [f.severity for f in also] == [Severity.ERROR]


# -- at-least -----------------------------------------------------------------------------------------------------------


def test_places_are_counted_not_worlds() -> None:
    settings = rule(more='at-least = 2\nrequire = ["--target-cpu"]')
    fine = "mojo build --target-cpu x a.mojo"
    one = report(settings, build(fine, when=("a",)), build(fine, when=("b",), platforms=("macos-arm64",)))
    assert [(f.verdict, f.message) for f in one.findings] == [
        (Verdict.TOO_FEW, "only 1 command is `mojo build`, and at least 2 must be")
    ]
    assert report(settings, build(fine), build(fine, at=50)).findings == ()
    assert [f.verdict for f in report(settings, build(fine), build(fine, at=50, opt_in=True)).findings] == [Verdict.TOO_FEW]


def test_a_rule_that_matches_nothing_fails_at_its_line() -> None:
    settings = rule(more='at-least = 1\nwhere = { task = "dist" }')
    (found,) = report(settings, build(task="other")).findings
    assert found.message == "no command is `mojo build` with task `dist`: the rule guards nothing"
    assert settings.position(found.span) == ("flagguard.toml", 4)
    assert report(settings, build(task="other")).status == 1
    assert report(settings, build(task="dist")).status == 0


def test_a_command_that_may_match_leaves_the_count_open() -> None:
    settings = rule(more="at-least = 1")
    (found,) = report(settings, build("<$MOJO> build a.mojo")).findings
    assert (found.verdict, found.message) == (
        Verdict.UNRESOLVED,
        "no command is `mojo build`: the rule guards nothing; 1 more may be one",
    )


def test_a_part_of_the_tree_says_nothing_of_what_is_missing() -> None:
    settings = rule(more="at-least = 1")
    assert conclude([judged(settings)], settings, complete=False).findings == ()


# -- exemptions -----------------------------------------------------------------------------------------------------------

EXEMPT = """
[[rule]]
id = "r"
command = "mojo build"
require = ["--target-cpu"]

[[exempt]]
rule = "r"
where = { task = "bench" }
reason = "on purpose"
"""


def test_an_exemption_covers_its_commands_which_still_count() -> None:
    outcome = report(config(EXEMPT), build(task="bench"))
    assert (outcome.findings, outcome.status, outcome.summary.exempt) == ((), 0, 1)
    assert [f.verdict for f in report(config(EXEMPT), build(task="bench"), build(task="x", at=40)).findings] == [
        Verdict.MISSING
    ]


def test_an_exemption_that_matches_nothing_is_an_error_of_the_configuration() -> None:
    outcome = report(config(EXEMPT), build("mojo build --target-cpu x a", task="x"))
    assert [(p.path, p.line, p.key) for p in outcome.problems] == [("flagguard.toml", 9, "exempt")]
    assert outcome.status == 2


def test_an_exemption_asks_for_all_of_with_and_none_of_without() -> None:
    settings = config(EXEMPT + 'with = ["-O0", "--x"]\nwithout = ["--y"]\n')
    covered = lambda text: not findings(settings, build(text, task="bench"))
    assert covered("mojo build -O0 --x a")
    assert not covered("mojo build -O0 a")
    assert not covered("mojo build -O0 --x --y a")


def test_an_exemption_past_its_date_is_a_finding() -> None:
    settings = config(EXEMPT + "until = 2027-06-30\n")
    on = lambda day: report(replace(settings, today=day), build(task="bench")).findings
    assert on(datetime.date(2027, 6, 30)) == ()
    (found,) = on(datetime.date(2027, 7, 1))
    assert (found.verdict, found.message) == (Verdict.EXEMPT_EXPIRED, "the exemption from `r` ended on 2027-06-30")


def comment_findings(text: str, start: int) -> list[Finding]:
    source = SourceText("build.sh", text)
    settings = rule(more='require = ["--target-cpu"]')
    one = judge_file(Found(commands=(build(at=start),)), settings, comments(source))
    return list(conclude([one], settings).findings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@mojo build a.mojo  # flagguard: exempt r - on purpose\n", []),
        ("# flagguard: exempt r - on purpose\n@mojo build a.mojo\n", []),
        ("# flagguard: exempt r - on purpose\n# flagguard: exempt r: twice\n@mojo build a.mojo\n", []),
        ("# flagguard: exempt r\n@mojo build a.mojo\n", ["exempt-without-reason"]),
        ("# flagguard: exempt\n@mojo build a.mojo\n", ["exempt-without-reason", "missing"]),
        ("# flagguard: exempt other - why\n@mojo build a.mojo\n", ["exempt-unused", "missing"]),
        ("# flagguard: exempt r - why\n\n@mojo build a.mojo\n", ["exempt-unused", "missing"]),
        ("x # flagguard: exempt r - why\n@mojo build a.mojo\n", ["exempt-unused", "missing"]),
        ("echo '# flagguard: exempt r - why'\n@mojo build a.mojo\n", ["missing"]),
        ('@mojo build a.mojo "# flagguard: exempt r - why"\n', ["missing"]),
        ("@mojo build a.mojo # no flagguard: exempt r - why\n", ["missing"]),
    ],
)
def test_exempting_comments(text: str, expected: list[str]) -> None:
    assert [f.verdict.value for f in comment_findings(text.replace("@", ""), text.index("@"))] == expected


# -- what findings say --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "text", "facts", "message", "help"),
    [
        (
            rule(more=CPU, top=BASELINE),
            "mojo build a.mojo",
            {},
            "`mojo build` has no `--target-cpu` or `--mcpu`",
            "write `--target-cpu x86-64-v2` (or older)",
        ),
        (
            rule(more=CPU, top=BASELINE),
            "mojo build --mcpu native a.mojo",
            {},
            "`--mcpu` is `native`, the build machine's own, which no limit bounds",
            "write `--mcpu x86-64-v2` (or older)",
        ),
        (
            rule(more=CPU, top=BASELINE),
            "mojo build --mcpu x86-64-v33 a.mojo",
            {},
            "`--mcpu` is `x86-64-v33`, a name that is no known CPU of linux-x86_64; the nearest name is `x86-64-v3`",
            "write `--mcpu x86-64-v2` (or older)",
        ),
        (
            rule(more=CPU, top=BASELINE),
            "mojo build --mcpu power8 a.mojo",
            {"platforms": ("linux-ppc64le",)},
            "`mojo build` builds for linux-ppc64le, and `[baseline]` names no CPU for that platform",
            'add `linux-ppc64le = "…"` to `[baseline]`, the oldest CPU that this platform must support',
        ),
        (
            rule(more=CPU, top=BASELINE),
            "mojo build --mcpu '' a.mojo",
            {},
            "the value of `--mcpu` is empty",
            "write `--mcpu x86-64-v2` (or older)",
        ),
        (
            rule(more='require = [{ flag = "--target-cpu", not = "native" }]'),
            "mojo build --target-cpu native a.mojo",
            {},
            "`--target-cpu` is `native`, which the rule refuses",
            "give `--target-cpu` a value other than `native`",
        ),
        (
            rule(more='require = ["--target-cpu"]'),
            "mojo build <$FLAGS> a.mojo",
            {},
            "`$FLAGS` may hold `--target-cpu`, or not: nobody here says it",
            "add `--target-cpu`",
        ),
        (
            rule('"cmake"', 'require = [{ flag = "-DGGML_NATIVE", value = "OFF" }]'),
            "cmake -DGGML_NATIVE=ON .",
            {},
            "`-DGGML_NATIVE` is `ON`, not `OFF`",
            "write `-DGGML_NATIVE=OFF`",
        ),
        (
            rule('"go build"', 'require = [{ env = "GOAMD64", one-of = ["v1", "v2"] }]'),
            "go build",
            {},
            "`go build` runs without `GOAMD64` in its environment",
            "set `GOAMD64=v1` (or `v2`)",
        ),
        (
            rule('"@c-compiler"', 'forbid = [{ effective = "cpu", value = "native" }]'),
            "gcc -march=native -c a.c",
            {},
            "`gcc` builds for the build machine's own CPU: `-march=native`",
            "take `-march=native` away",
        ),
        (
            rule(more='forbid = [{ effective = "cpu", value = "native" }]'),
            "mojo build a.mojo",
            {},
            "`mojo build` is not told a CPU, and then builds for the one of the build machine",
            None,
        ),
        (
            rule('"gcc"', 'forbid = ["-ffast-math"]'),
            "gcc -ffast-math a.c",
            {},
            "`gcc` has `-ffast-math`",
            "take `-ffast-math` away",
        ),
        (rule('"npm install"', "never = true"), "npm install", {}, "`npm install` must not run here", None),
    ],
)  # fmt: skip
def test_messages(settings: Config, text: str, facts: dict[str, object], message: str, help: str | None) -> None:
    (found,) = findings(settings, build(text, **facts))
    assert (found.message, found.help, found.why) == (message, help, "because")


def test_features_above_the_baseline_are_named() -> None:
    settings = rule('"@c-compiler"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE)
    (found,) = findings(settings, build("gcc -march=x86-64-v2 -mavx2 -c a.c"))
    start = "the CPU is `x86-64-v2`, which with `-mavx2` is above the baseline `x86-64-v2` of linux-x86_64: it needs "
    assert found.message.startswith(start)
    assert "avx2" in found.message[len(start) :]


def test_an_unset_variable_is_named() -> None:
    hole = Hole("$cpu", "nothing in the repository sets it", name="cpu")
    unquoted = build("mojo build --target-cpu -I src a.mojo", vanished=((3, hole),))
    settings = rule(more='require = [{ flag = "--target-cpu", value = "x*" }]')
    (found,) = findings(settings, unquoted)
    assert found.message.endswith("; `$cpu` is set nowhere")
    quoted = build("mojo build --target-cpu '' a.mojo")
    empty = replace(quoted.argv[3], pieces=(Piece("", (Span("build.sh", 24, 28),), unset="cpu"),))
    (found,) = findings(settings, replace(quoted, argv=(*quoted.argv[:3], empty, *quoted.argv[4:])))
    assert found.message == "the value of `--target-cpu` is empty; `$cpu` is set nowhere"


def test_a_finding_points_at_the_word_and_at_where_it_was_decided() -> None:
    written = Span("build.sh", 24, 30)
    assigned = Span("env.sh", 4, 10)
    base = build("mojo build --target-cpu {$cpu} a.mojo")
    value = replace(base.argv[3], pieces=(Piece("native", (Span("build.sh", 25, 29), assigned), verbatim=True),), written=written)
    (found,) = findings(
        rule(more='require = [{ flag = "--target-cpu", not = "native" }]'),
        replace(base, argv=(*base.argv[:3], value, *base.argv[4:])),
    )
    assert (found.mark, found.origin, found.route) == (written, assigned, (Span("build.sh", 25, 29), assigned))
    (missing,) = findings(NO_CPU, build())
    assert (missing.mark, missing.origin) == (None, None)


def test_counts() -> None:
    fine = "mojo build --target-cpu x a.mojo"
    outcome = report(
        NO_CPU, build(), build(fine, at=40), build("<$MOJO> build a", at=80), build("ls", at=120), build("ls", at=120)
    )
    s = outcome.summary
    assert (s.files, s.commands, s.judged, s.errors, s.warnings, s.unresolved, s.exempt) == (1, 4, 3, 2, 0, 1, 0)


def test_tools_that_match_no_command_are_an_error() -> None:
    settings = config('[tools]\n"x.py build" = "cmake"\n')
    assert [(p.line, p.key) for p in report(settings, build()).problems] == [(3, "tools.x.py build")]
    assert report(settings, build("./x.py build -DA=1")).problems == ()
