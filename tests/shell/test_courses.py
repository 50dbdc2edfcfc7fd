"""Branches of cmd.exe and PowerShell that set variables differently: each course with its own values, up to a bound."""

import pytest
from dialects import evaluated

from flagguard.command import Dialect
from flagguard.shell.courses import Course, follow_all

CMD = [
    (  # several words
        'if "%1"=="x" (set "F=-a -b") else (set F=-c)\ntool %F%',
        {"tool -a -b": ('`if "%1"=="x"`',), "tool -c": ('not `if "%1"=="x"`',)},
    ),
    ("if exist x set F=-a\ntool %F%", {"tool -a": ("`if exist x`",), "tool": ("not `if exist x`",)}),
    ("if exist x (set F=1) else (set F=1)\ntool %F%", {"tool 1": ()}),
    ("if exist x goto e\nset F=-a\n:e\ntool %F%", {"tool": ("`if exist x`",), "tool -a": ()}),
    (  # the same question has the same answer
        "if defined D (set A=-a) else (set A=-b)\nif defined D (set B=-c) else (set B=-d)\ntool %A% %B%",
        {"tool -a -c": ("`if defined D`",), "tool -b -d": ("not `if defined D`",)},
    ),
    (
        "if defined D (set A=1)\nset D=x\nif defined D (tool %A%) else (other)",
        {"tool 1": ("`if defined D`",), "tool": ("not `if defined D`",)},
    ),
    ("if exist x (call :s -a) else (call :s -b)\ntool %F%\ngoto :eof\n:s\nset F=%1\n", {
        "tool -a": ("`if exist x`",), "tool -b": ("not `if exist x`",)}),
    ("for %%f in (*.c) do set F=%%f\ntool %F%", {"tool %F%": ()}),  # how often it runs is not known
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CMD)
def test_batch_files(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    commands, problems = evaluated(text, Dialect.CMD)
    assert not problems
    assert {" ".join(c.shown): c.when for c in commands} == expected
    assert len(commands) == len(expected)


POWERSHELL = [
    (
        "if ($c) { $f = '-a', '-b' } else { $f = '-c' }\ntool $f",
        {"tool -a -b": ("`if ($c)`",), "tool -c": ("no condition before `else` is true",)},
    ),
    ("$f = @('-a')\nif ($c) { $f += '-b' }\ntool @f", {"tool -a -b": ("`if ($c)`",), "tool -a": ("not `if ($c)`",)}),
    ("$f = if ($c) { '-a' } else { '-b' }\ntool $f", {"tool -a": ("`if ($c)`",), "tool -b": ("not `if ($c)`",)}),
    (
        "switch ($c) { 'x' { $f = '-a' } default { $f = '-b' } }\ntool $f",
        {"tool -a": ("($c) is 'x'",), "tool -b": ("($c) is default",)},
    ),
    ("if ($c) { $f = 1 } else { throw 'no' }\ntool $f", {"tool 1": ()}),
    (  # the same question has the same answer, until its variable is set again
        "if ($c) { $a = 1 } else { $a = 2 }\nif ($c) { $b = 3 } else { $b = 4 }\ntool $a $b",
        {"tool 1 3": ("`if ($c)`",), "tool 2 4": ("no condition before `else` is true",)},
    ),
    ("function f([string]$p, [string[]]$x) { tool $p @x }\nf a '-b', '-c'", {"tool a -b -c": ()}),
    ("function f([string[]]$x, $p) { tool $p @x }\nf -x '-b', '-c' a", {"tool a -b -c": ()}),
    ("function f($p) { if ($c) { $env:X = 1 }; tool $p }\nf a", {"tool a": ()}),
]


@pytest.mark.parametrize(("text", "expected"), POWERSHELL)
def test_powershell(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    commands, problems = evaluated(text, Dialect.POWERSHELL)
    assert not problems
    found = {" ".join(c.shown): c.when for c in commands}
    if "$env:X" not in text:
        assert found == expected
    assert set(found) == set(expected)


@pytest.mark.parametrize(
    ("removed", "left"),
    [("Remove-Item Env:X", None), ("rm env:\\x", None), ("Remove-Item Env:X*", None), ("Remove-Item Env:Y", "1")],
)
def test_a_variable_of_the_environment_is_removed(removed: str, left: str | None) -> None:
    commands, _ = evaluated(f"$env:X = '1'\n{removed}\ntool", Dialect.POWERSHELL)
    (tool,) = [c for c in commands if c.shown == ["tool"]]
    assert (tool.env["X"].text if "X" in tool.env else None) == left


@pytest.mark.parametrize("dialect", [Dialect.CMD, Dialect.POWERSHELL])
def test_past_the_bound_what_differs_is_not_known(dialect: Dialect) -> None:
    one = "if exist {0} (set V{0}=1) else (set V{0}=2)\n"
    if dialect is Dialect.POWERSHELL:
        one = "if ($c{0}) {{ $v{0} = 1 }} else {{ $v{0} = 2 }}\n"
    names = "abcdef"
    use = " ".join(f"%V{n}%" if dialect is Dialect.CMD else f"$v{n}" for n in names)
    commands, _ = evaluated("".join(one.format(n) for n in names) + f"tool {use}", dialect)
    assert len(commands) == 8
    assert {tuple(c.shown[4:]) for c in commands} == {tuple(use.split()[3:])}


def test_every_course_is_followed_once() -> None:
    seen = []

    def run(course: Course) -> list[object]:
        first = course.choose(2)
        seen.append((first, course.choose(3) if first else None))
        return []

    assert follow_all(run) == []  # type: ignore[arg-type]
    assert sorted(seen, key=str) == [(0, None), (1, 0), (1, 1), (1, 2)]


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("$f = @()\n$f += '-a'\n$f += '-b'\ntool @f", "tool -a -b"),
        ("$f = @('-a')\n$f += '-b', '-c'\ntool $f", "tool -a -b -c"),
        ("$f = @('-a')\n$g = $f\n$g += '-b'\ntool $g", "tool -a -b"),
        ("$f = '-a'\n$f += 'b'\ntool $f", "tool -ab"),
    ],
)
def test_an_array_of_one_element_grows_by_elements(text: str, argv: str) -> None:
    commands, _ = evaluated(text, Dialect.POWERSHELL)
    assert [" ".join(c.shown) for c in commands] == [argv]
