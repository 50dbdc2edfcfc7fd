"""Arithmetic: values as bash computes them, and unknown where an operand is."""

import pytest

from flagguard.shell.arithmetic import Wrong, assigned, evaluate


def _value(text: str, **given: str | None) -> tuple[int | None, dict[str, int | None]]:
    put: dict[str, int | None] = {}

    def get(name: str) -> str | None:
        return str(put[name]) if name in put else given.get(name, "")

    return evaluate(text, get, put.__setitem__), put


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("2**3**2", 512),
        ("7/2", 3),
        ("-7/2", -3),
        ("-7%3", -1),
        ("1<<4|1", 17),
        ("1&&0||1", 1),
        ("!0", 1),
        ("~0", -1),
        ("1?2:3", 2),
        ("0?1/0:3", 3),
        ("0x10+010+2#101", 29),
        ("9223372036854775807+1", -9223372036854775808),
        ("1,2", 2),
        ("", 0),
        ("2**64", 0),
        ("36#zZ+62#Z+64#_", 1419),
        ("(" * 500 + "1" + ")" * 500, None),
    ],
)
def test_value(text: str, value: int | None) -> None:
    assert _value(text)[0] == value


@pytest.mark.parametrize("text", ["1/0", "1%0", "1+", "1 2", "2**-1", "08", "2#3", "(1", "1?2", "1.5", "1=2"])
def test_refused(text: str) -> None:
    with pytest.raises(Wrong):
        _value(text)


@pytest.mark.parametrize("text", ["a['x'", "A[", "'1'", "$x"])
def test_what_is_not_read_is_unknown_and_not_wrong(text: str) -> None:
    assert _value(text)[0] is None


@pytest.mark.parametrize(
    ("text", "value", "put"),
    [
        ("x=5", 5, {"x": 5}),
        ("x+=2", 3, {"x": 3}),
        ("x++ + x", 3, {"x": 2}),
        ("--x", 0, {"x": 0}),
        ("0 && (x=9)", 0, {}),
        ("y*2", 6, {}),
        ("x = y = 4", 4, {"x": 4, "y": 4}),
    ],
)
def test_variables(text: str, value: int, put: dict[str, int]) -> None:
    assert _value(text, x="1", y="1+2") == (value, put)


def test_unknown_variable_makes_it_unknown() -> None:
    assert _value("x+1", x=None)[0] is None
    assert _value("0 && x", x=None)[0] == 0


def test_names_that_may_be_assigned() -> None:
    assert assigned("a=1, b+=2, c++, --d, e==1, f[i]=2") == ["a", "b", "c", "f", "d"]
