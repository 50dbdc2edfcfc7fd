"""Reading the configuration: what it means, and each error at its file, line and key."""

import datetime
from pathlib import Path

import pytest
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
    assert (npm.command, npm.operands, npm.never, npm.severity) == (("npm install",), Operands.NONE, True, Severity.WARNING)
    (exempt,) = read.exemptions
    assert (exempt.rule, exempt.until) == ("ship-is-pinned", datetime.date(2027, 6, 30))
    assert read.position(ship.span) == ("flagguard.toml", 17)


RULE = '[[rule]]\nid = "a"\ncommand = "mojo build"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # keys that nobody knows, at each level
        ('exclud = ["x"]', (1, "exclud", "unknown key `exclud`; did you mean `exclude`?")),
        (RULE + 'requires = ["-x"]', (4, "rule.requires", "unknown key `requires`; did you mean `require`?")),
        (RULE + 'where = { tsk = "x" }', (4, "rule.where.tsk", "unknown key `tsk`; did you mean `task`?")),
        (RULE + 'require = [{ flg = "-x" }]', (4, "rule.require.flg", "unknown key `flg`; did you mean `flag`?")),
        (RULE + 'require = [{ flag = "-x", vlue = "y" }]', (4, "rule.require.vlue", "unknown key `vlue`; did you mean `value`?")),
        (RULE + '[[exempt]]\nrule = "a"\nreson = "x"\nreason = "y"', (6, "exempt.reson", "unknown key `reson`; did you mean `reason`?")),
        # what a later version reads
        (RULE + 'after = "x"', (4, "rule.after", "not supported yet")),
        (RULE + 'needs = ["x"]', (4, "rule.needs", "not supported yet")),
        (RULE + 'status = "honoured"', (4, "rule.status", "not supported yet")),
        (RULE + 'where = { from = "Makefile:dist" }', (4, "rule.where.from", "not supported yet")),
        # types
        ("packs = 3", (1, "packs", "must be a list of strings")),
        ("packs = [3]", (1, "packs", "must be a string in quotes")),
        ("rule = 3", (1, "rule", "must be an array of tables, `[[rule]]`")),
        ("baseline = 3", (1, "baseline", "must be a table")),
        ("[assume]\nX = 1", (2, "assume.X", "must be a string in quotes")),
        (RULE + "at-least = -1", (4, "rule.at-least", "must be a whole number, 0 or more")),
        (RULE + "at-least = true", (4, "rule.at-least", "must be a whole number, 0 or more")),
        (RULE + 'never = "yes"', (4, "rule.never", "must be true or false")),
        (RULE + 'severity = "warn"', (4, "rule.severity", "must be one of `error`, `warning`; did you mean `warning`?")),
        (RULE + 'operands = "no"', (4, "rule.operands", "must be one of `free`, `none`, `some`; did you mean `none`?")),
        (RULE + 'require = "-x"', (4, "rule.require", "must be a list of flags and constraints, in `[ ]`")),
        (RULE + "require = [3]", (4, "rule.require", 'must be a flag or a table such as `{ flag = "--x", value = "y" }`')),
        (RULE + 'require = [{ flag = "-x", value = 2 }]', (4, "rule.require.value", "must be a string in quotes")),
        (RULE + 'where = "x"', (4, "rule.where", "must be a table")),
        # rules
        ('[[rule]]\ncommand = "x"', (1, "rule", "has no `id`")),
        ('[[rule]]\nid = "x"', (1, "rule", "has no `command`")),
        ('[[rule]]\nid = "a b"\ncommand = "x"', (2, "rule.id", "has a blank in it")),
        (RULE + RULE, (5, "rule.id", "the rule id `a` is used twice")),
        ('packs = ["mojo"]\n[[rule]]\nid = "mojo/names-a-cpu"\ncommand = "x"', (3, "rule.id", "the rule id `mojo/names-a-cpu` is used twice")),
        (RULE + "at-least = 0", (1, "rule", "cannot fail: it has no `require`, `forbid` or `never`, and `at-least` is 0")),
        (RULE.replace("mojo build", "@c-compilr"), (3, "rule.command", "unknown class `@c-compilr`; did you mean `@c-compiler`?")),
        (RULE + 'require = [{ flag = "-x", env = "Y" }]', (4, "rule.require", "more than one subject: a constraint has one of `flag`, `env` and `effective`")),
        (RULE + 'require = [{ value = "y" }]', (4, "rule.require", "no subject: a constraint has one of `flag`, `env` and `effective`")),
        (RULE + 'require = [{ flag = "-x", value = "a", not = "b" }]', (4, "rule.require", "more than one condition (`value`, `not`): write one constraint for each")),
        (RULE + 'require = [{ any = [] }]', (4, "rule.require.any", "must be a list of constraints, in `[ ]`")),
        (RULE + 'require = [{ any = ["-x"], flag = "-y" }]', (4, "rule.require.flag", "unknown key `flag`")),
        (RULE + 'require = [{ effective = "cpus" }]', (4, "rule.require.effective", "there is no effective property `cpus`; did you mean `cpu`?")),
        (RULE + 'require = [{ flag = "-x", matches = "(" }]', (4, "rule.require.matches", "`(` is no regular expression: missing ), unterminated subpattern at position 0")),
        (RULE + 'require = [{ flag = "-x", value = "[a" }]', (4, "rule.require.value", "the glob `[a` has a `[` without its `]` (a `[` itself is written `[[]`)")),
        (RULE + 'require = [{ flag = "-x", one-of = [] }]', (4, "rule.require.one-of", "is empty")),
        (RULE + 'require = ["--x=y"]', (4, "rule.require", 'a flag has its value apart: `{ flag = "--x", value = "y" }`')),
        (RULE + 'require = ["--x="]', (4, "rule.require", "write the flag without its `=`: `--x`")),
        (RULE + 'require = [{ flag = "-x", at-most = "baseline" }]', (4, "rule.require.at-most", 'compares with "baseline", and there is no `[baseline]`')),
        (RULE + 'require = [{ flag = "-x", at-most = "skylak" }]', (4, "rule.require.at-most", "`skylak` is no CPU, no version and not `baseline`; did you mean `skylake`?")),
        (RULE + 'where = { task = "[a" }', (4, "rule.where.task", "the glob `[a` has a `[` without its `]` (a `[` itself is written `[[]`)")),
        # packs, baselines, tools
        ('packs = ["cpu-basline"]', (1, "packs", "there is no pack `cpu-basline`; did you mean `cpu-baseline`?")),
        ('[baseline]\nlinux-x86-64 = "x86-64"', (2, "baseline.linux-x86-64", "unknown platform `linux-x86-64`; did you mean `linux-x86_64`?")),
        ('[baseline]\nlinux-x86_64 = "x86-64-v22"', (2, "baseline.linux-x86_64", "`x86-64-v22` is no CPU of linux-x86_64; the nearest name is `x86-64-v2`")),
        ('[baseline]\nlinux-x86_64 = "apple-m1"', (2, "baseline.linux-x86_64", None)),
        ('[baseline]\nlinux-x86_64 = "native"', (2, "baseline.linux-x86_64", "`native` is the build machine's own CPU, not a baseline")),
        ('[tools]\n"x.py" = "cmak"', (2, "tools.x.py", "there is no tool `cmak` in the catalogue")),
        ('exclude = ["[a"]', (1, "exclude", None)),
        # exemptions
        (RULE + '[[exempt]]\nreason = "x"', (4, "exempt", "has no `rule`")),
        (RULE + '[[exempt]]\nrule = "a"', (4, "exempt", "has no `reason`")),
        (RULE + '[[exempt]]\nrule = "a"\nreason = " "', (6, "exempt.reason", "is empty")),
        (RULE + '[[exempt]]\nrule = "aa"\nreason = "x"', (5, "exempt.rule", "there is no rule `aa`; did you mean `a`?")),
        (RULE + '[[exempt]]\nrule = "a"\nreason = "x"\nuntil = "2027-01-01"', (7, "exempt.until", "must be a date without quotes, such as 2027-06-30")),
        (RULE + '[[exempt]]\nrule = "a"\nreason = "x"\nuntil = 2027-01-01T00:00:00Z', (7, "exempt.until", "must be a date without quotes, such as 2027-06-30")),
        # no TOML
        ("packs = [", (1, None, None)),
        ("\n\npacks = nope", (3, None, "not valid TOML: Invalid value")),
        ("x = " + "[" * 3000, (1, None, "nested too deeply")),
        ("\n# \udcff", (2, None, "not UTF-8")),
    ],
)  # fmt: skip
def test_errors(text: str, expected: tuple[int, str | None, str | None]) -> None:
    (line, key, message) = next(iter(problems(text)))
    assert len(problems(text)) == 1
    assert (line, key, message if expected[2] is not None else None) == expected


def test_all_errors_are_told_in_their_order() -> None:
    text = 'exclud = []\npacks = ["x"]\n' + RULE + 'severity = "x"\nafter = "y"\n'
    assert [line for line, _, _ in problems(text)] == [1, 2, 6, 7]


def test_packs_and_the_baseline() -> None:
    ids = lambda read: [rule.id for rule in read.rules]
    base = '[baseline]\nlinux-x86_64 = "x86-64"\n'
    assert ids(default()) == ["cpu-baseline/not-native"]
    assert ids(load(SourceText("flagguard.toml", "")).config) == ["cpu-baseline/not-native"]
    assert ids(load(SourceText("flagguard.toml", base)).config) == ["cpu-baseline/at-most"]
    assert ids(load(SourceText("flagguard.toml", "packs = []\n" + base)).config) == []


def test_pyproject() -> None:
    text = '[project]\nname = "x"\n[tool.other]\npacks = 3\n[tool.flagguard]\npacks = []\nexclud = []\n[[tool.flagguard.rule]]\nid = "a"\n'
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
