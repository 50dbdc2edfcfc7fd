"""cmd.exe: Microsoft's pages for cmd, set, if, for, call, goto, on what build scripts do."""

import pytest
from dialects import evaluated, shown, words

from flagguard.command import Dialect, Status

CASES = [
    ('a b "c d" e"f g"h', "a b c␣d ef␣gh"),
    ("a ^\n  b ^& c^d", "a b & cd"),
    ('a "x^y" "x & y"', "a x^y x␣&␣y"),
    (r'a "q\"r" "s\\" t\u', 'a q"r s\\ t\\u'),
    ("@a & b && c || d | e", "a ; b ; c ; d ; e"),
    ('set X=v w\na %X% "%X%" <%Y%>', "a v w v␣w"),
    ('set "X=v" ignored\na [%X%]', "a [v]"),
    ("set X=gcc -O2\n%X% a.c", "gcc -O2 a.c"),
    ("set X=abc\na %X:b=Z% %X:~1% %X:~0,2% %X:~-1%", "a aZc bc ab c"),
    ("set x=1\nset X=\na %x%", "a"),
    ("a 100%% %%X", "a 100% %X"),
    ("a %X", "a X"),
    ("rem a\n:: b\n@rem c\nREM d & e\nf", "f"),
    ("echo a & echo. & echo( & title x", ""),
    ("a > out 2>&1 < in b 2> nul", "a b"),
    ("(a\nb c\n) > out\nd", "a ; b c ; d"),
    ("set X=1\nif 1==1 (\nset X=2\na %X%\n)\na %X%", "a 1 ; a 2"),  # a block is expanded when it is read
    ("setlocal enabledelayedexpansion\nset X=1\n(\nset X=2\na !X! %X%\n)", "a 2 1"),
    ("set X=1\na !X!", "a !X!"),
    ("setlocal\nset X=1\nendlocal\na [%X%]", "a []"),
    ('set C=Release\nif "%C%"=="Release" (a r) else (a d)', "a r"),
    ("set C=Release\nif /i not %C%==release (\n a d\n) else (\n a r\n)", "a r"),
    ("if exist f a & b", "a ; b"),
    ("if not defined X (a) else if x==x (b) else (c)", "a ; b"),
    ('for %%f in (x y "z w") do a %%f %%~f.o', "a x x.o ; a y y.o ; a z␣w z w.o"),
    ("for %%f in (*.c) do a %%f", "a %f"),
    ("for /l %%n in (1,2,5) do a %%n", "a 1 ; a 3 ; a 5"),
    ("for /f \"tokens=1,2\" %%i in ('a b') do c %%i-%%j", "a b ; c %i-%j"),
    ('for /f "tokens=1,2" %%i in ("x y z") do c %%i-%%j', "c x-y"),
    ('for /f "tokens=1-2,4* delims=,;" %%a in ("p,q;;r,s,t u,v") do c %%a %%b %%c [%%d]', "c p q s [t u,v]"),
    ("for /f \"usebackq tokens=2\" %%i in ('x y') do c %%i", "c y"),
    ('for /f %%i in ("x y") do c %%i', "c x"),
    ('for /f "skip=1" %%i in ("x y") do c %%i', "c %i"),
    ('set V=a=b\nfor /f "tokens=2 delims==" %%i in ("%V%") do c %%i', "c b"),
    ("call :s d\\e.f.c\nexit /b\n:s\na %~n1 %~x1 %~nx1 %~n1.obj", "a e.f .c e.f.c e.f.obj"),
    ("for %%f in (x/y.c z) do a %%~nf.o %%~xf.", "a y.o .c. ; a z.o ."),
    ('call :s\nexit /b\n:s\nif "%1"=="" (a none) else (a some)', "a none"),
    ("for %%d in (x\n  y) do (\n a %%d\n)", "a x ; a y"),
    ("call :s 1 2\nexit /b\n:s\na %2 %1 %*\nexit /b 0", "a 2 1 1 2"),
    ("call x.bat 1\na", "x.bat 1 ; a"),
    ("x.bat 1\na", "x.bat 1"),  # without call nothing comes back
    ("npm ci\nnpm run build", "npm ci"),
    ("goto e\na\n:e\nb", "b"),
    ("if exist x goto e\na\n:e\nb", "a ; b"),
    ("exit /b 0\na", ""),
    ("goto :eof\na", ""),
    ("a\n:unused\nb", "a ; b"),
    ("exit\n:unused\nb", ""),
    ('start "t" /wait a b', "a b"),
    ("uv run mojo build", "mojo build"),
    ("C:\\x\\uv.exe run mojo build", "mojo build"),
    ('cmd /c "set X=1 && a %%X%% && b"', "a %X% ; b"),  # a line is expanded before any of it runs
    ('powershell -Command "a b; c"', "a b ; c"),
    ("call a %%X%%", "a"),
    ("set A=1\nset B=A\ncall a %%%B%%%", "a 1"),
    ("a\r\nb ^\r\nc\r\n", "a ; b c"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_batch_files_come_to_their_commands(text: str, expected: str) -> None:
    found, problems = evaluated(text, Dialect.CMD)
    assert not problems
    assert shown(found) == words(expected)


STATUS = [
    ("a\nb", "a"),
    ("a || exit /b 1\nb", ""),
    ("a\nif errorlevel 1 exit /b 1\nb", ""),
    ("a\nif %ERRORLEVEL% neq 0 exit /b 1\nb", ""),
    ("a & b", "a"),
    ("a && b", ""),
    ("a | b", "a"),
    ("a\nexit /b 0", "a"),
    ("a\nexit /b %errorlevel%", ""),
]


@pytest.mark.parametrize(("text", "ignored"), STATUS)
def test_whose_failure_nobody_sees(text: str, ignored: str) -> None:
    found, _ = evaluated(text, Dialect.CMD)
    assert [c.argv[0].text for c in found if c.status is Status.IGNORED] == ignored.split()


def test_a_program_that_vanished_is_a_hole_and_a_lost_word_is_told() -> None:
    (command,), _ = evaluated("%CC% -c %NO% x", Dialect.CMD)
    assert command.shown == ["%CC%", "-c", "x"]
    assert command.argv[0].whole_hole is not None
    assert [(at, hole.text) for at, hole in command.vanished] == [(2, "%NO%")]


def test_the_environment_reaches_the_command() -> None:
    (command,), _ = evaluated("set CFLAGS=-O2\na", Dialect.CMD)
    assert {name: value.text for name, value in command.env.items()} == {"CFLAGS": "-O2"}


def test_a_value_points_at_its_assignment() -> None:
    (command,), _ = evaluated("set C=v2\na --cpu %C%", Dialect.CMD)
    assert [(s.start, s.end) for s in command.argv[2].route] == [(17, 20), (6, 8)]


BROKEN = ["(a", "if x (a", "for %%f in (a do b", "if 1 a", "if exist x (a", "(" * 5000, "if a==a " * 5000]


@pytest.mark.parametrize("text", BROKEN)
def test_what_cannot_be_read_is_one_problem(text: str) -> None:
    found, problems = evaluated("ok\n" + text, Dialect.CMD)
    assert shown(found) == [["ok"]]
    assert [p.line for p in problems] == [2]


def test_what_runs_for_ever_ends() -> None:
    assert evaluated(":a\nx\ngoto a", Dialect.CMD)[0]
    assert evaluated(":a\nx\ncall :a\ncall :a", Dialect.CMD)[0]
    assert len(evaluated('set X=cmd /c "%%X%%"\n%X%', Dialect.CMD)[0]) < 20


def test_where_commands_run() -> None:
    found, _ = evaluated("cd /d a\nx\npushd b\\c\nx\npopd\nx\ncd %~dp0\nx", Dialect.CMD)
    assert [c.directory for c in found] == ["a", "a/b/c", "a", None]
