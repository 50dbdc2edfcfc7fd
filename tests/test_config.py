"""Reading the configuration: what it means, and each error at its file, line and key."""

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import config

from flagguard.config import Config, default, find, load, speaks
from flagguard.rules import AnyOf, Condition, Constraint, Operands, Severity, Subject
from flagguard.text import SourceText

DESIGN = """
packs   = ["cpu-baseline"]
exclude = ["third_party/**"]

[baseline]
linux-x86_64  = "x86-64-v2"
linux-aarch64 = "generic"
macos-arm64   = "apple-m1"

[assume]
CONFIG = "release"

[tools]
"x.py build" = "cmake"

[[rule]]
id       = "ship-is-pinned"
why      = "mojo build compiles for the host CPU when it is not told otherwise"
command  = "mojo build"
where    = { task = ["build-*"], path = "pyproject.toml" }
require  = [{ flag = ["--target-cpu", "--mcpu"], at-most = "baseline" }]
at-least = 2
severity = "error"

[[rule]]
id      = "no-host-tuning"
command = ["@c-compiler", "@cxx-compiler", "@rust-compiler"]
forbid  = [{ effective = "cpu", value = "native" }]

[[rule]]
id      = "go-level"
command = "go build"
require = [{ env = "GOAMD64", one-of = ["v1", "v2"] }]

[[rule]]
id      = "shared-objects-are-pic"
command = "@c-compiler"
with    = ["-shared"]
without = [{ any = ["-c", "-S"] }]
where   = { platform = "linux-ppc64le" }
require = [{ effective = "pic", value = "-fPIC" }]

[[rule]]
id       = "images-use-npm-ci"
command  = "npm  install"
where    = { path = "**/Dockerfile*" }
operands = "none"
never    = true
at-least = 0
severity = "warning"

[[exempt]]
rule   = "ship-is-pinned"
where  = { task = "build-native" }
reason = "benchmarks are tuned to the host on purpose"
until  = 2027-06-30
"""


def problems(text: str, path: str = "flagguard.toml") -> list[tuple[int, str | None, str]]:
    return [(p.line, p.key, p.message) for p in load(SourceText(path, text)).problems]


def test_the_example_of_the_design() -> None:
    read = config(DESIGN)
    assert (read.packs, read.exclude, read.assume) == (("cpu-baseline",), ("third_party/**",), {"CONFIG": "release"})
    assert read.baseline == {"linux-x86_64": "x86-64-v2", "linux-aarch64": "generic", "macos-arm64": "apple-m1"}
    assert read.tools == {"x.py build": "cmake"}
    own = {rule.id: rule for rule in read.rules if rule.pack is None}
    ship = own["ship-is-pinned"]
    assert ship.require == (Constraint(Subject.FLAG, ("--target-cpu", "--mcpu"), Condition.AT_MOST, ("baseline",)),)
    assert (ship.where.globs, ship.at_least) == ({"task": ("build-*",), "path": ("pyproject.toml",)}, 2)
    assert own["no-host-tuning"].at_least == 1
    assert own["go-level"].require == (Constraint(Subject.ENV, ("GOAMD64",), Condition.ONE_OF, ("v1", "v2")),)
    pic = own["shared-objects-are-pic"]
    flags = tuple(Constraint(Subject.FLAG, (f,)) for f in ("-c", "-S"))
    assert (pic.with_, pic.without) == ((Constraint(Subject.FLAG, ("-shared",)),), (AnyOf(flags),))
    npm = own["images-use-npm-ci"]
    assert (npm.command, npm.operands, npm.never, npm.severity) == (
        ("npm install",),
        Operands.NONE,
        True,
        Severity.WARNING,
    )
    (exempt,) = read.exemptions
    assert (exempt.rule, exempt.until) == ("ship-is-pinned", datetime.date(2027, 6, 30))
    assert read.position(ship.span) == ("flagguard.toml", 17)


RULE = '[[rule]]\nid = "a"\ncommand = "mojo build"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # keys that nobody knows, at each level
        ('exclud = ["x"]', (1, "exclud", "unknown key `exclud`; did you mean `exclude`?")),
        (
            RULE + '[[exempt]]\nrule = "a"\nreson = "x"\nreason = "y"',
            (6, "exempt.reson", "unknown key `reson`; did you mean `reason`?"),
        ),
        # what a later version reads
        # types
        ("packs = 3", (1, "packs", "must be a list of strings")),
        ("packs = [3]", (1, "packs", "must be a string in quotes")),
        ("rule = 3", (1, "rule", "must be an array of tables, `[[rule]]`")),
        ("baseline = 3", (1, "baseline", "must be a table")),
        ("[assume]\nX = 1", (2, "assume.X", "must be a string in quotes")),
        # packs, baselines, tools
        ('packs = ["cpu-basline"]', (1, "packs", "there is no pack `cpu-basline`; did you mean `cpu-baseline`?")),
        (
            '[baseline]\nlinux-x86-64 = "x86-64"',
            (2, "baseline.linux-x86-64", "unknown platform `linux-x86-64`; did you mean `linux-x86_64`?"),
        ),
        (
            '[baseline]\nlinux-x86_64 = "x86-64-v22"',
            (2, "baseline.linux-x86_64", "`x86-64-v22` is no CPU of linux-x86_64; the nearest name is `x86-64-v2`"),
        ),
        (
            '[baseline]\ndarwin-arm64 = "apple-m1"',
            (2, "baseline.darwin-arm64", "unknown platform `darwin-arm64`; did you mean `macos-arm64`?"),
        ),
        ('[baseline]\nplan9-mips = "x"', (2, "baseline.plan9-mips", None)),
        # what follows from a name that is wrong is not told besides
        ('packs = ["mjo"]\n[[exempt]]\nrule = "mojo/names-a-cpu"\nreason = "x"', (1, "packs", None)),
        ('[[rule]]\nid = "a"\n[[exempt]]\nrule = "a"\nreason = "x"', (1, "rule", "has no `command`")),
        ('[baseline]\nlinux-x86_64 = "apple-m1"', (2, "baseline.linux-x86_64", None)),
        (
            '[baseline]\nlinux-x86_64 = "native"',
            (2, "baseline.linux-x86_64", "`native` is the build machine's own CPU, not a baseline"),
        ),
        ('[tools]\n"x.py" = "cmak"', (2, "tools.x.py", "there is no tool `cmak` in the catalogue")),
        ('exclude = ["[a"]', (1, "exclude", None)),
        # exemptions
        (RULE + '[[exempt]]\nreason = "x"', (4, "exempt", "has no `rule`")),
        (RULE + '[[exempt]]\nrule = "a"', (4, "exempt", "has no `reason`")),
        (RULE + '[[exempt]]\nrule = "a"\nreason = " "', (6, "exempt.reason", "is empty")),
        (
            RULE + '[[exempt]]\nrule = "aa"\nreason = "x"',
            (5, "exempt.rule", "there is no rule `aa`; did you mean `a`?"),
        ),
        (
            RULE + '[[exempt]]\nrule = "a"\nreason = "x"\nuntil = "2027-01-01"',
            (7, "exempt.until", "must be a date without quotes, such as 2027-06-30"),
        ),
        (
            RULE + '[[exempt]]\nrule = "a"\nreason = "x"\nuntil = 2027-01-01T00:00:00Z',
            (7, "exempt.until", "must be a date without quotes, such as 2027-06-30"),
        ),
        # no TOML
        ("packs = [", (1, None, "not valid TOML: Invalid value at the end of the file")),
        ("\n\npacks = nope", (3, None, "not valid TOML: Invalid value at column 9 in `packs = nope`")),
        ("x = " + "[" * 3000, (1, None, "nested too deeply")),
        ("\n# \udcff", (2, None, "not UTF-8")),
    ],
)
def test_errors(text: str, expected: tuple[int, str | None, str | None]) -> None:
    (line, key, message) = next(iter(problems(text)))
    assert len(problems(text)) == 1
    assert (line, key, message if expected[2] is not None else None) == expected


def test_all_errors_are_told_in_their_order() -> None:
    text = 'exclud = []\npacks = ["x"]\n' + RULE + 'severity = "x"\nafter = 1\n'
    assert [line for line, _, _ in problems(text)] == [1, 2, 6, 7]


def test_packs_and_the_baseline() -> None:
    ids = lambda read: [rule.id for rule in read.rules]
    base = '[baseline]\nlinux-x86_64 = "x86-64"\n'
    tuned = "cpu-baseline/tuned-projects"
    assert ids(default()) == ["cpu-baseline/not-native", tuned]
    assert ids(load(SourceText("flagguard.toml", "")).config) == ["cpu-baseline/not-native", tuned]
    assert ids(load(SourceText("flagguard.toml", base)).config) == [
        tuned,
        "cpu-baseline/at-most",
        "cpu-baseline/handed-on",
    ]
    assert ids(load(SourceText("flagguard.toml", "packs = []\n" + base)).config) == []


def test_pyproject() -> None:
    text = '[project]\nname = "x"\n[tool.other]\npacks = 3\n[tool.flagguard]\npacks = []\nexclud = []\n'
    text += '[[tool.flagguard.rule]]\nid = "a"\n'
    assert problems(text, "sub/pyproject.toml") == [
        (7, "exclud", "unknown key `exclud`; did you mean `exclude`?"),
        (8, "rule", "has no `command`"),
    ]
    assert speaks(text)
    assert not speaks('[project]\nname = "flagguard"\n')
    assert speaks("[tool.flagguard]\npacks = [\n")


def test_it_is_looked_for_upwards(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find(inner) in (None, find(tmp_path.parent))
    (tmp_path / "pyproject.toml").write_text("[tool.flagguard]\n")
    assert find(inner) == tmp_path / "pyproject.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\n")
    assert find(inner) == tmp_path / "pyproject.toml"
    (tmp_path / "a" / "flagguard.toml").write_text("")
    assert find(inner) == tmp_path / "a" / "flagguard.toml"


@pytest.mark.parametrize("text", ["", "\n", "[tool]\n", "packs = []\r\nexclude = []\r\n"])
def test_harmless_texts(text: str) -> None:
    read = load(SourceText("pyproject.toml" if "tool" in text else "flagguard.toml", text))
    assert read.problems == ()
    assert isinstance(read.config, Config)


_VALUES = st.sampled_from(
    [
        "3",
        "-1",
        "true",
        "1.5",
        '""',
        '"x"',
        '"-x"',
        '"["',
        '"baseline"',
        "2027-01-01",
        "[]",
        "{}",
        '["a", 3]',
        "[[]]",
        "[{}]",
    ]
)
_NAMES = ("flag", "env", "effective", "value", "one-of", "not", "matches", "contains", "at-most", "any", "nope")
_CONSTRAINT = st.dictionaries(st.sampled_from(_NAMES), _VALUES, max_size=3).map(
    lambda d: "{ " + ", ".join(f"{k} = {v}" for k, v in d.items()) + " }"
)
_RULE = st.dictionaries(
    st.sampled_from(
        ("id", "why", "command", "where", "with", "require", "forbid", "operands", "never", "at-least", "severity")
    ),
    st.one_of(_VALUES, _CONSTRAINT, _CONSTRAINT.map(lambda c: f"[{c}]")),
)
_TOP = st.dictionaries(
    st.sampled_from(("packs", "exclude", "baseline", "assume", "tools", "wrappers", "rule", "exempt")), _VALUES
)


@given(_TOP, st.lists(_RULE, max_size=2), _RULE)
def test_nothing_in_a_configuration_ends_in_an_exception(
    top: dict[str, str], rules: list[dict[str, str]], exempt: dict[str, str]
) -> None:
    top = {k: v for k, v in top.items() if not (k == "rule" and rules) and not (k == "exempt" and exempt)}
    text = "".join(f"{k} = {v}\n" for k, v in top.items())
    text += "".join("[[rule]]\n" + "".join(f"{k} = {v}\n" for k, v in rule.items()) for rule in rules)
    text += "[[exempt]]\n" + "".join(f"{k} = {v}\n" for k, v in exempt.items()) if exempt else ""
    read = load(SourceText("flagguard.toml", text))
    lines = text.count("\n") + 1
    assert all(p.path == "flagguard.toml" and 1 <= p.line <= lines and p.message for p in read.problems)
    assert load(SourceText("flagguard.toml", text)) == read


@given(st.text(max_size=60))
def test_any_text_is_read_or_told(text: str) -> None:
    load(SourceText("flagguard.toml", text))
    load(SourceText("pyproject.toml", "[tool.flagguard]\n" + text))


def test_the_platforms_of_own_runners() -> None:
    good = load(SourceText("flagguard.toml", '[runners]\n"big-arm-*" = "linux-aarch64"\n'))
    assert (dict(good.config.runners), good.problems) == ({"big-arm-*": "linux-aarch64"}, ())
    bad = load(SourceText("flagguard.toml", '[runners]\na = "linux-arm"\nb = 1\n'))
    assert sorted((p.line, p.key or "") for p in bad.problems) == [(2, "runners.a"), (3, "runners.b")]
