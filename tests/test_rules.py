"""Reading rules: each error at its line and key."""

import pytest

from flagguard.config import load
from flagguard.text import SourceText


def problems(text: str, path: str = "flagguard.toml") -> list[tuple[int, str | None, str]]:
    return [(p.line, p.key, p.message) for p in load(SourceText(path, text)).problems]


RULE = '[[rule]]\nid = "a"\ncommand = "mojo build"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RULE + 'requires = ["-x"]', (4, "rule.requires", "unknown key `requires`; did you mean `require`?")),
        (RULE + 'where = { tsk = "x" }', (4, "rule.where.tsk", "unknown key `tsk`; did you mean `task`?")),
        (RULE + 'require = [{ flg = "-x" }]', (4, "rule.require.flg", "unknown key `flg`; did you mean `flag`?")),
        (
            RULE + 'require = [{ flag = "-x", vlue = "y" }]',
            (4, "rule.require.vlue", "unknown key `vlue`; did you mean `value`?"),
        ),
        (RULE + 'level = "x"', (4, "rule.level", "unknown key `level`; did you mean `severity`?")),
        (RULE + 'where = { file = "x" }', (4, "rule.where.file", "unknown key `file`; did you mean `path`?")),
        (
            RULE + 'where = { zzz = "x" }',
            (
                4,
                "rule.where.zzz",
                "unknown key `zzz`; the keys here are `path`, `host`, `task`, `target`, `job`, `step`, `runner`, "
                "`platform`, `from`",
            ),
        ),
        (
            RULE + 'where = { host = "makefiles" }',
            (4, "rule.where.host", "no host is `makefiles`; did you mean `makefile`?"),
        ),
        (RULE + 'where = { host = "zzz" }', (4, "rule.where.host", None)),
        (RULE + "where = { task = [] }", (4, "rule.where.task", "is empty: no command stands there")),
        (
            RULE + 'where = { platform = "darwin-arm64" }',
            (4, "rule.where.platform", "no platform is `darwin-arm64`; did you mean `macos-arm64`?"),
        ),
        # what cannot fail, and what contradicts itself
        (RULE + 'never = true\nrequire = ["-x"]', (4, "rule.never", None)),
        (RULE + 'never = true\nforbid = ["-x"]', (4, "rule.never", None)),
        (RULE + 'with = ["-x"]\nwithout = ["-x"]', (5, "rule.without", "selects no command: `with` asks for the same")),
        (
            RULE + 'without = ["-x"]\nforbid = ["-x"]',
            (5, "rule.forbid", "cannot fail: `without` leaves out every command that has it"),
        ),
        (RULE + 'require = ["-x"]\nforbid = ["-x"]', (4, "rule.require", "contradicts `forbid`, which has the same")),
        (RULE + 'require = [{ flag = "-x", not = [] }]', (4, "rule.require.not", "is empty")),
        (
            RULE + 'forbid = [{ flag = "-x", not = "*" }]',
            (4, "rule.forbid", "cannot fail: no value is another one than `*`"),
        ),
        (
            RULE + 'require = [{ effective = "cpu", value = "*" }]',
            (4, "rule.require", "cannot fail: every value matches, and the tool has a default"),
        ),
        (
            RULE.replace("mojo build", "npm install") + 'forbid = [{ effective = "cpu", value = "native" }]',
            (4, "rule.forbid", "cannot fail: the catalogue knows no `cpu` of `npm install`"),
        ),
        (
            RULE + 'require = [{ env = "RUSTFLAGS", at-most = "x86-64" }]',
            (
                4,
                "rule.require",
                '`RUSTFLAGS` holds flags, and not a CPU: write `{ effective = "cpu", at-most = "x86-64" }`',
            ),
        ),
        (RULE + "after = 1", (4, "rule.after", "must be a string in quotes")),
        (
            RULE + 'needs = ["[x"]',
            (4, "rule.needs", "the glob `[x` has a `[` without its `]` (a `[` itself is written `[[]`)"),
        ),
        (RULE + 'status = "kept"', (4, "rule.status", "must be `honoured`, the only one there is")),
        (RULE + 'where = { from = "" }', (4, "rule.where.from", "is empty")),
        (
            RULE + 'where = { platform = "linux-ppc64" }',
            (4, "rule.where.platform", "no platform is `linux-ppc64`; did you mean `linux-ppc64le`?"),
        ),
        (RULE + "at-least = -1", (4, "rule.at-least", "must be a whole number, 0 or more")),
        (RULE + "at-least = true", (4, "rule.at-least", "must be a whole number, 0 or more")),
        (RULE + 'never = "yes"', (4, "rule.never", "must be true or false")),
        (
            RULE + 'severity = "warn"',
            (4, "rule.severity", "must be `error` or `warning`; did you mean `warning`?"),
        ),
        (RULE + 'operands = "no"', (4, "rule.operands", "must be `free`, `none` or `some`; did you mean `none`?")),
        (RULE + 'require = "-x"', (4, "rule.require", "must be a list of flags and constraints, in `[ ]`")),
        (
            RULE + "require = [3]",
            (4, "rule.require", 'must be a flag or a table such as `{ flag = "--x", value = "y" }`'),
        ),
        (RULE + 'require = [{ flag = "-x", value = 2 }]', (4, "rule.require.value", "must be a string in quotes")),
        (RULE + 'where = "x"', (4, "rule.where", "must be a table")),
        # rules
        ('[[rule]]\ncommand = "x"', (1, "rule", "has no `id`")),
        ('[[rule]]\nid = "x"', (1, "rule", "has no `command`")),
        ('[[rule]]\nid = "a b"\ncommand = "x"', (2, "rule.id", "has a blank in it")),
        (RULE + RULE, (5, "rule.id", "the rule id `a` is used twice")),
        (
            'packs = ["mojo"]\n[[rule]]\nid = "mojo/names-a-cpu"\ncommand = "x"',
            (3, "rule.id", "the rule id `mojo/names-a-cpu` is used twice"),
        ),
        (
            RULE + "at-least = 0",
            (
                1,
                "rule",
                "cannot fail: it has no `require`, `forbid`, `never`, `after`, `needs` or `status`, "
                "and `at-least` is 0",
            ),
        ),
        (
            RULE.replace("mojo build", "@c-compilr"),
            (3, "rule.command", "unknown class `@c-compilr`; did you mean `@c-compiler`?"),
        ),
        (
            RULE + 'require = [{ flag = "-x", env = "Y" }]',
            (4, "rule.require", "more than one subject: a constraint has one of `flag`, `env` and `effective`"),
        ),
        (
            RULE + 'require = [{ value = "y" }]',
            (4, "rule.require", "no subject: a constraint has one of `flag`, `env` and `effective`"),
        ),
        (
            RULE + 'require = [{ flag = "-x", value = "a", not = "b" }]',
            (4, "rule.require", "more than one condition (`value`, `not`): write one constraint for each"),
        ),
        (RULE + "require = [{ any = [] }]", (4, "rule.require.any", "must be a list of constraints, in `[ ]`")),
        (
            RULE + 'require = [{ any = ["-x"], flag = "-y" }]',
            (4, "rule.require.flag", "unknown key `flag`; the keys here are `any`"),
        ),
        (
            RULE.replace("mojo build", "@cc"),
            (
                3,
                "rule.command",
                "unknown class `@cc`; the classes are `@build-file`, `@build-tool`, `@c-compiler`, `@cmake-options`, "
                "`@cuda-compiler`, `@cxx-compiler`, `@fortran-compiler`, `@go-compiler`, `@mojo-compiler`, "
                "`@other-compiler`, `@python-extension`, `@rust-compiler`, `@swift-compiler`, `@tuned-project`, "
                "`@zig-compiler`",
            ),
        ),
        (
            RULE + 'require = [{ effective = "cpus" }]',
            (4, "rule.require.effective", "there is no effective property `cpus`; did you mean `cpu`?"),
        ),
        (
            RULE + 'forbid = [{ effective = "fast-math", value = "true" }]',
            (4, "rule.forbid.value", "`fast-math` is never `true`: it is `on` or `off`"),
        ),
        (
            RULE + 'require = [{ effective = "stack-protector", one-of = ["strong", "best"] }]',
            (
                4,
                "rule.require.one-of",
                "`stack-protector` is never `best`: it is `none`, `explicit`, `basic`, `strong` or `all`",
            ),
        ),
        (
            RULE + 'require = [{ flag = "-x", matches = "(" }]',
            (
                4,
                "rule.require.matches",
                "`(` is no regular expression: missing ), unterminated subpattern at position 0",
            ),
        ),
        (
            RULE + 'require = [{ flag = "-x", value = "[a" }]',
            (4, "rule.require.value", "the glob `[a` has a `[` without its `]` (a `[` itself is written `[[]`)"),
        ),
        (RULE + 'require = [{ flag = "-x", one-of = [] }]', (4, "rule.require.one-of", "is empty")),
        (
            RULE + 'require = ["--x=y"]',
            (4, "rule.require", 'a flag has its value apart: `{ flag = "--x", value = "y" }`'),
        ),
        (RULE + 'require = ["--x="]', (4, "rule.require", "write the flag without its `=`: `--x`")),
        (
            RULE + 'require = [{ flag = "-x", at-most = "baseline" }]',
            (4, "rule.require.at-most", 'compares with "baseline", and there is no `[baseline]`'),
        ),
        (
            RULE + 'require = [{ flag = "-x", at-most = "skylak" }]',
            (4, "rule.require.at-most", "`skylak` is no CPU, no version and not `baseline`; did you mean `skylake`?"),
        ),
        (
            RULE + 'where = { task = "[a" }',
            (4, "rule.where.task", "the glob `[a` has a `[` without its `]` (a `[` itself is written `[[]`)"),
        ),
    ],
)
def test_errors(text: str, expected: tuple[int, str | None, str | None]) -> None:
    (line, key, message) = next(iter(problems(text)))
    assert len(problems(text)) == 1
    assert (line, key, message if expected[2] is not None else None) == expected


@pytest.mark.parametrize(
    "more",
    [
        'with = ["-shared"]\nrequire = ["-shared"]',
        'require = [{ effective = "cpu", value = "x86*" }]',
        'forbid = [{ effective = "cpu", value = "native" }]',
        'require = [{ env = "GOAMD64", at-most = "v2" }]',
        'require = [{ env = "LEVEL", at-most = "x86-64" }]',
        "require = []",
    ],
)
def test_rules_that_can_fail_are_read(more: str) -> None:
    assert [p for p in problems(RULE + more) if "cannot fail" in p[2] or "holds flags" in p[2]] == []
