"""From judgements to findings: merging, counting, exemptions."""

import datetime
from dataclasses import replace

import pytest
from rule_cases import BASELINE, CPU, Found, command, config, findings, judged, report, rule

from flagguard.command import Command, Place, Word
from flagguard.config import load
from flagguard.exempting import comments
from flagguard.findings import Finding, Verdict
from flagguard.judge import conclude, judge_file
from flagguard.rules import Severity
from flagguard.text import Decider, Hole, Piece, SourceText, Span, literal


def build(text: str = "mojo build a.mojo", **facts: object) -> Command:
    return command(text, **facts)  # type: ignore[arg-type]


NO_CPU = rule(more='require = ["--target-cpu"]')


# -- merging ----------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("cargo build", ["linux-aarch64"]),
        ("cargo build --target x86_64-unknown-linux-gnu", []),
        ("cargo build --target aarch64-unknown-linux-gnu", ["linux-aarch64", "linux-x86_64"]),
    ],
)
def test_flags_that_are_for_one_target_only(text: str, missing: list[str]) -> None:
    env = {"CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS": "-C relocation-model=pic"}
    pic = rule('"cargo build"', 'require = [{ flag = "-C relocation-model", value = "pic" }]')
    found = findings(pic, build(text, env=env, platforms=("linux-aarch64", "linux-x86_64")))
    assert [p for f in found for p in f.platforms] == missing


def test_what_two_calls_come_to_alike_is_one_finding() -> None:
    calls = [(Span("Makefile", 1, 2),), (Span("Makefile", 7, 8),)]
    assert [f.via for f in findings(NO_CPU, build(via=calls[0]), build(via=calls[1]))] == calls[:1]


def test_two_calls_that_come_to_other_words_are_two_findings() -> None:
    calls = [(Span("Makefile", 1, 2),), (Span("Makefile", 7, 8),)]
    texts = ["mojo build a.mojo", "mojo build -O3 a.mojo"]
    worlds = [
        build(text, via=via, when=when) for text, via in zip(texts, calls, strict=True) for when in (("a",), ("b",))
    ]
    found = findings(NO_CPU, build("mojo build --target-cpu x a.mojo"), *worlds)
    assert [(f.via, [w.text for w in f.argv], f.when) for f in found] == [
        (via, text.split(), ()) for text, via in zip(texts, calls, strict=True)
    ]


@pytest.mark.parametrize(("calls", "expected"), [(12, 12), (13, 1)])
def test_very_many_calls_are_one_finding(calls: int, expected: int) -> None:
    made = [build(f"mojo build -O{n} a.mojo", via=(Span("Makefile", n, n + 1),)) for n in range(calls)]
    found = findings(NO_CPU, build("mojo build --target-cpu x a.mojo"), *made)
    assert [f.message for f in found] == ["`mojo build` has no `--target-cpu`"] * expected


def test_what_is_open_for_several_calls_is_one_finding_that_names_no_job() -> None:
    calls = [(Span("Makefile", n, n + 1),) for n in range(2)]
    made = [
        replace(build(f"mojo build -O{n} <$FLAGS> a.mojo", via=via), place=Place("makefile", target="all", job=f"j{n}"))
        for n, via in enumerate(calls)
    ]
    (found,) = findings(NO_CPU, *made)
    assert (found.verdict.value, found.via, found.place) == ("unresolved", calls[0], Place("makefile", target="all"))


def test_what_is_open_for_one_call_only_when_something_holds_is_said_so() -> None:
    calls = [(Span("Makefile", n, n + 1),) for n in range(2)]
    places = [Place("makefile", job=job) for job in ("a", "b")]
    one = replace(build("mojo build <$FLAGS> a.mojo", via=calls[0]), place=places[0])
    fine = replace(build("mojo build --target-cpu x a.mojo", via=calls[1], when=("no",)), place=places[1])
    other = replace(build("mojo build <$FLAGS> -O3 a.mojo", via=calls[1], when=("yes",)), place=places[1])
    assert [f.when for f in findings(NO_CPU, one, other)] == [()]
    assert [f.when for f in findings(NO_CPU, other, fine, replace(other, via=(*calls, *calls)))] == [("yes",)]


def test_a_call_that_passes_the_flag_does_not_excuse_one_that_does_not() -> None:
    calls = [(Span("Makefile", 1, 2),), (Span("Makefile", 7, 8),)]
    found = findings(NO_CPU, build("mojo build --target-cpu x a.mojo", via=calls[0]), build(via=calls[1]))
    assert [(f.via, f.verdict.value) for f in found] == [(calls[1], "missing")]


def test_two_items_that_one_list_lacks_are_both_said() -> None:
    settings = rule(more='require = [{ env = "A", contains = "x" }, { env = "A", contains = "y" }]')
    (found,) = findings(settings, build("mojo build a.mojo"))
    assert found.help == "set `A` to a list with `x`\nset `A` to a list with `y`"


def test_where_only_some_platforms_are_meant_a_reason_stays_at_the_end() -> None:
    some = build("mojo build <$FLAGS> a.mojo", platforms=("linux-x86_64",))
    fine = build("mojo build --target-cpu x a.mojo", platforms=("macos-arm64",))
    (found,) = findings(NO_CPU, some, fine)
    assert found.message.startswith("on linux-x86_64, `$FLAGS` may hold `--target-cpu`")
    (plain,) = findings(NO_CPU, build(platforms=("linux-x86_64",)), fine)
    assert plain.message == "`mojo build` has no `--target-cpu` on linux-x86_64"


def test_what_only_an_opt_in_world_does_is_a_warning() -> None:
    only = findings(NO_CPU, build(opt_in=True, when=("MODE=debug",)))
    assert [f.severity for f in only] == [Severity.WARNING]
    also = findings(NO_CPU, build(opt_in=True, when=("MODE=debug",)), build(when=("else",)))
    assert [f.severity for f in also] == [Severity.ERROR]


# -- at-least ---------------------------------------------------------------------------------------------------------


def test_places_are_counted_not_worlds() -> None:
    settings = rule(more='at-least = 2\nrequire = ["--target-cpu"]')
    fine = "mojo build --target-cpu x a.mojo"
    one = report(settings, build(fine, when=("a",)), build(fine, when=("b",), platforms=("macos-arm64",)))
    assert [(f.verdict, f.message) for f in one.findings] == [
        (Verdict.TOO_FEW, "only 1 command is `mojo build`, and at least 2 must be")
    ]
    assert report(settings, build(fine), build(fine, at=50)).findings == ()
    assert [f.verdict for f in report(settings, build(fine), build(fine, at=50, opt_in=True)).findings] == [
        Verdict.TOO_FEW
    ]


def test_a_rule_that_matches_nothing_fails_at_its_line() -> None:
    settings = rule(more='at-least = 1\nwhere = { task = "dist" }')
    (found,) = report(settings, build(task="other")).findings
    told = "no command is `mojo build` with task `dist`: the rule guards nothing"
    assert found.message == f"{told}; the command is there, but not in such a place"
    assert settings.position(found.span) == ("flagguard.toml", 4)
    assert report(settings, build(task="other")).status == 1
    assert report(settings, build(task="dist")).status == 0


def test_a_platform_that_nothing_is_read_for_is_told() -> None:
    more = 'at-least = 1\nwhere = { platform = "linux-ppc64le" }'
    (found,) = report(rule(more=more, top=BASELINE), build()).findings
    assert found.message == (
        "no command is `mojo build` with platform `linux-ppc64le`: "
        "`[baseline]` names no such platform, so nothing is read for it"
    )


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


def test_what_a_declared_program_passes_on_is_judged_at_its_calls() -> None:
    asked = '[[rule]]\nid = "r"\ncommand = "mojo build"\nrequire = ["--target-cpu"]\nat-least = 0\n'
    settings = config('[tools]\n"x.py build" = "mojo build"\n' + asked)
    hole = Hole("*sys.argv[2:]", "the arguments of the script", several=True)
    rest = Word((Piece(hole.text, (Span("x.py", 5, 9),), hole=hole),))
    inner = command("mojo build", path="x.py")
    inner = replace(inner, argv=(*inner.argv, rest))
    call = command("./x.py build --target-cpu x86-64-v2", path="build.sh")
    assert report(settings, inner, call).findings == ()
    assert [f.verdict.value for f in report(config(asked), inner).findings] == ["unresolved"]
    decided = replace(inner, argv=(*inner.argv[:-1], replace_decider(rest)))
    assert [f.verdict.value for f in report(settings, decided, call).findings] == ["unresolved"]


def replace_decider(word: Word) -> Word:
    """The same word, of which the repository decides the content."""
    (piece,) = word.pieces
    assert piece.hole is not None
    return Word((replace(piece, hole=replace(piece.hole, decider=Decider.REPOSITORY)),))


# -- exemptions -------------------------------------------------------------------------------------------------------

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


def test_the_nearest_command_is_told() -> None:
    (found,) = report(rule('"mojo biuld"', "at-least = 1"), build("mojo build a.mojo")).findings
    assert found.message.endswith("the rule guards nothing; the nearest command here is `mojo build`")
    (found,) = report(rule('"nothing like it"', "at-least = 1"), build("mojo build a.mojo")).findings
    assert found.message.endswith("the rule guards nothing")


def test_an_exemption_that_matches_nothing_tells_where_it_could() -> None:
    text = (
        '[[rule]]\nid = "r"\ncommand = "mojo build"\n[[exempt]]\nrule = "r"\nwhere = { task = "x-*" }\nreason = "y"\n'
    )
    (problem,) = report(config(text), build(task="dist")).problems
    assert problem.message == (
        "matches nothing: no command that the rule `r` speaks of stands there with task `x-*`; "
        "there are some in `build.sh (task dist)`"
    )


def test_an_exemption_speaks_of_several_rules() -> None:
    rules = "".join(f'[[rule]]\nid = "{n}"\ncommand = "mojo build"\nrequire = ["--x"]\n' for n in ("p/a", "p/b", "c"))
    exempt = '[[exempt]]\nrule = {}\nreason = "y"\n'
    assert [f.rule for f in report(config(rules + exempt.format('"p/*"')), build()).findings] == ["c"]
    assert [f.rule for f in report(config(rules + exempt.format('["c", "p/a"]')), build()).findings] == ["p/b"]


def test_what_follows_from_a_broken_configuration_is_not_told() -> None:
    text = 'packs = []\n[baseline]\nlinux-amd64 = "x86-64"\n' + '[[rule]]\nid = "r"\ncommand = "mojo build"\n' + CPU
    loaded = load(SourceText("flagguard.toml", text))
    assert [p.message for p in loaded.problems] == ["unknown platform `linux-amd64`; did you mean `linux-x86_64`?"]
    command = build("mojo build --target-cpu x86-64 a.mojo")
    source = SourceText("build.sh", "# flagguard: exempt gone - it is good\nmojo build\n")
    told = judge_file(Found(commands=(command,)), loaded.config, comments(source))
    assert conclude([told], loaded.config).findings == ()


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("# flagguard: ignore r - why", "`# flagguard: ignore` exempts nothing: the word is `# flagguard: exempt`"),
        ("# flagguard exempt r - why", "`# flagguard exempt` exempts nothing: the word is `# flagguard: exempt`"),
        (
            "# flagguard: exempt r - why\n",
            "the comment exempts nothing: it must stand on the line of the command (3) or the one above",
        ),
    ],
)
def test_comments_that_exempt_nothing(written: str, told: str) -> None:
    source = SourceText("build.sh", f"{written}\nmojo build a.mojo\n")
    at = source.text.index("mojo")
    settings = rule(more='require = ["--x"]')
    one = judge_file(Found(commands=(build(at=at),)), settings, comments(source), look=lambda _: source)
    messages = [f.message for f in conclude([one], settings).findings]
    assert messages == [told, "`mojo build` has no `--x`"]


def test_the_help_for_a_comment_names_the_rule_that_was_meant() -> None:
    source = SourceText("build.sh", "# flagguard: exempt rr - why\nmojo build a.mojo\n")
    settings = rule(more='require = ["--x"]')
    one = judge_file(Found(commands=(build(at=source.text.index("mojo")),)), settings, comments(source))
    told = next(f for f in conclude([one], settings).findings if "no rule" in f.message)
    assert told.message == "there is no rule `rr`; did you mean `r`?"
    assert (told.help or "").startswith("write `# flagguard: exempt r - why`")


def test_a_flag_inside_of_one_argument_is_told() -> None:
    plain = build("mojo build X a.mojo")
    kept = replace(plain, argv=(*plain.argv[:2], Word(literal("-I . --target-cpu=v2").pieces), plain.argv[3]))
    settings = rule(more='require = ["--target-cpu"]')
    told = "`mojo build` has no `--target-cpu`"
    assert [f.message for f in findings(settings, kept)] == [f"{told}; `-I . --target-cpu=v2` is one argument"]
    assert [f.message for f in findings(settings, plain)] == [told]


@pytest.mark.parametrize(
    ("wrapper", "told"),
    [
        ("docker run --rm golang", "; `docker run` hands on only the variables that `-e` names"),
        ("/usr/bin/podman exec c", "; `podman exec` hands on only the variables that `-e` names"),
        ("sudo -u x", "; `sudo` hands on only the variables that `--preserve-env` names"),
        ("sudo -E", ""),
        ("sudo --preserve-env=A", ""),
        ("env -i PATH=x", "; `env -i` hands no variable on"),
        ("env A=b", ""),
        ("nice -n 5", ""),
    ],
)
def test_what_keeps_the_environment_back_is_told(wrapper: str, told: str) -> None:
    settings = rule('"go build"', 'require = [{ env = "CGO_ENABLED", value = "0" }]')
    inside = replace(build("go build"), wrappers=(build(wrapper).argv,))
    assert [f.message for f in findings(settings, inside)] == [
        f"`go build` runs without `CGO_ENABLED` in its environment{told}"
    ]


def test_a_misspelt_variable_is_told() -> None:
    source = SourceText("build.sh", "TCPU=x86-64-v2\nmojo build --target-cpu $TCPUU\n")
    command = replace(
        build("mojo build --target-cpu"), vanished=((3, Hole("$TCPUU", "nothing sets it", Decider.OUTSIDE)),)
    )
    one = judge_file(Found(commands=(command,)), rule(more='require = ["--target-cpu"]'), (), look=lambda _: source)
    assert [f.message for f in one.findings] == [
        "`--target-cpu` has no value; `$TCPUU` is set nowhere; did you mean `$TCPU`?"
    ]
