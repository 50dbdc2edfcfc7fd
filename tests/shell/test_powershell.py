"""PowerShell: about_Parsing, about_Quoting_Rules, about_Variables and the rest, on what build scripts do."""

import pytest
from dialects import Files, evaluated, shown, words

from flagguard.command import Dialect, Status
from flagguard.hosts import Setting
from flagguard.shell.powershell import evaluate_powershell, read_script
from flagguard.text import SourceText

WORDS = [
    ("a b 'c d' \"e f\"", "a b c␣d e␣f"),
    ('a \'it\'\'s\' "say ""x"""', 'a it\'s say␣"x"'),
    ("a `\n  b `\n  c", "a b c"),
    ("a b`\nc", "a b c"),
    ('a x` y "1`"2"', 'a x␣y 1"2'),
    ('$v = \'x y\'; a $v "$v" "<$v>" pre$v ${v}z', "a x␣y x␣y <x␣y> prex␣y x␣yz"),
    ("$v = 'q'; a --k=$v", "a --k=q"),
    ("$v = 'q'; a -k=$v", "a -k=$v"),  # PowerShell issue 14587: a parameter is not expanded
    ("$v = 'q'; a -k:$v", "a -k:q"),
    ('$v = \'q\'; a "-k=$v" -k"=$v"', "a -k=q -k=q"),
    ("a -DV=1.2 -Dx.y", "a -DV=1 .2 -Dx .y"),  # PowerShell issue 6291
    ("a '-DV=1.2' --v=1.2 x.y", "a -DV=1.2 --v=1.2 x.y"),
    ("a x,y 'x','y' x, y", "a x,y x,y x, y"),
    ("$l = 'x','y'; a $l \"$l\"", "a x y x␣y"),
    ("$l = @('x'; 'y'); a @l @args2 z", "a x y z"),
    ("$l = @(\n 'x'\n 'y z'\n); $l += 'w'; a @l", "a x y␣z w"),
    ("$o = @{ FilePath = 'a'; ArgumentList = '-c', 'x y'; Wait = $true }; Start-Process @o", "a -c x y"),
    ("$o = @{\n FilePath = 'a'\n ArgumentList = @('-c')\n}\nStart-Process @o -NoNewWindow", "a -c"),
    (
        "function F($src, $level = 'n', [switch]$g) { a $src $level $g }\n"
        "$o = @{ level = 'v2'; g = $true }; F x @o; $o = @{ g = $false }; F y @o; F -src z -level (1)",
        "a x v2 True ; a y n False ; a z 1 False",
    ),
    ("a # c\na#b", "a ; a#b"),
    ("a <# b\nc #> d", "a d"),
    ('a (1) "$(b c)"', "b c ; a 1 $(b␣c)"),
    ('a --% %X% $y "b c" | d', "a %X% $y b␣c ; d"),
    ("a @'\nx \"y\"\n'@", 'a x␣"y"'),
    ('$v = 1; a @"\n<$v>\n"@', "a <1>"),
    ("a 2>&1 > out *> all b", "a b"),
    ("& 'C:\\x y\\gcc.exe' -c; & \"g++\" b; . ./s.ps1", "C:\\x␣y\\gcc.exe -c ; g++ b ; ./s.ps1"),
    ("$e = 'gcc'; & $e x; & ($e + '-12') y", "gcc x ; gcc-12 y"),
    ('a $null $nope "$nope" z', "a ∅ z"),
    ("'a' + 'b'\n7z x f.7z", "7z x f.7z"),
    ("a `“b c`” “d e”", "a “b c” d␣e"),
    ('a {b} "{0}" stash@{0}', "a {b} {0} stash@ {0}"),
]


@pytest.mark.parametrize(("text", "expected"), WORDS)
def test_words_are_what_powershell_passes(text: str, expected: str) -> None:
    found, problems = evaluated(text, Dialect.POWERSHELL)
    assert not problems
    assert [c for c in shown(found) if c != ["b"]] == words(expected)


VALUES = [
    ("$env:F = '-O2'; a $env:F ${env:F} $Env:f", "a -O2 -O2 -O2"),
    ("$env:F += ';x'; a \"$env:F\"", "a base;x"),
    ("a ('{0}-{1}' -f 'x', 'y')", "a x-y"),
    ("$l = 'a','b'; a ($l -join ',')", "a a,b"),
    ("$v = if ($IsWindows) { 'w' } else { 'l' }; a $v", "a w"),
    ("if ($IsLinux) { a l } elseif ($IsWindows) { a w } else { a x }", "a w"),
    ("$c = 'Release'; if ($c -eq 'release') { a r } else { a d }", "a r"),
    ("switch ('b') { 'a' { x } 'b' { y } default { z } }", "y"),
    ("foreach ($t in 'x', 'y') { a $t }", "a x ; a y"),
    ("1..3 | ForEach-Object { a $_ }", "a 1 ; a 2 ; a 3"),
    ("'x','y' | % { a \"<$_>\" }", "a <x> ; a <y>"),
    (
        "function F($cpu, [string]$out = 'o') { a --cpu $cpu $out }\nF v2\nF -out p -cpu v3",
        "a --cpu v2 o ; a --cpu v3 p",
    ),
    ("function F { param([switch]$Fast, $x)\n if ($Fast) { a $x } else { b $x } }\nF -Fast 1; F 2", "a 1 ; b 2"),
    ("function F { a @args }\nF x y", "a x y"),
    ("$sb = { a x }; & $sb", "a x"),
    ("function E { param($c) & $c }\nE { a x }", "a x"),
    ("exit 0\na", ""),
    ("if ($x) { return }\na", "a"),
    ("function F { if ($q) { return 1 }\n throw 'x' }\nF\na", "a"),
    ("try { a } catch { b } finally { c }", "a ; b ; c"),
    ('$x = a b\nc "$x"', "a b ; c $x"),
    ("$h = @{ k = (a b)\n j = 'x' }", "a b"),
    ("$o.M('x', $(a b)).N[(c d)]", "a b ; c d"),
    ("a | b |\n c\n| d", "a ; b ; c ; d"),
    ("Set-Item env:X y; a $env:X", "a y"),
    ("iex 'a b; c'", "a b ; c"),
    ("$c = 'a'; Invoke-Expression \"$c --x\"", "a --x"),
    ("Start-Process a -ArgumentList 'b c', \"d\" -Wait", "a b c d"),
    ("Write-Host gcc -march=native", ""),
    ("class C { [void] M([int]$x) { a $x } }", "a $x"),
    ("enum E { A = 1\n B }\nusing namespace System.IO\na", "a"),
    ("do { a } while ($true)", "a"),
    ("for ($i = 0; $i -lt 3; $i++) { a }", "a"),
    ("trap { b }\na", "a ; b"),
    ("[Net.S]::P = [Net.T]::X -bor 1\n[void](a b)", "a b"),
    ("$r = $x ? 'y' : 'z'; $y ??= 'w'; a $y", "a w"),
    ("param($T = 'v2')\na $T", "a v2"),
    (":l foreach ($i in 'p') { a; continue l }", "a"),
    ("data D { 'x' }\nmake data; process x", "make data ; process x"),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_scripts_come_to_their_commands(text: str, expected: str) -> None:
    found, problems = evaluated(text, Dialect.POWERSHELL, F="base")
    assert not problems
    if "$env:F = " in text:
        assert found[0].env["F"].text == "-O2"
    assert shown(found) == words(expected)


WRAPPERS = [
    ("uv run mojo build a", "mojo build a", "uv run"),
    ("bash -c 'cd x && mojo build a'", "mojo build a", "bash -c"),
    ('cmd /c "set X=1 && mojo build %X%"', "mojo build %X%", "cmd /c"),
    ("pwsh -NoProfile -Command 'mojo build a'", "mojo build a", "pwsh -NoProfile -Command"),
    ("Start-Process mojo build", "mojo build", "Start-Process"),
    ("& 'C:\\u\\uv.exe' run mojo build", "mojo build", "C:\\u\\uv.exe run"),
]


@pytest.mark.parametrize(("text", "expected", "wrapper"), WRAPPERS)
def test_wrappers_are_taken_off(text: str, expected: str, wrapper: str) -> None:
    (command,), problems = evaluated(text, Dialect.POWERSHELL)
    assert not problems
    assert command.shown == words(expected)[0]
    assert [w.shown for each in command.wrappers for w in each] == wrapper.split()


STATUS = [
    ("a\nb", "a"),
    ("a\nif ($LASTEXITCODE -ne 0) { exit 1 }\nb", ""),
    ("a || exit 1\nb", ""),
    ("a || echo x\nb", "a"),
    ("a\nexit $LASTEXITCODE", ""),
    ("a\nif (-not $?) { throw 'x' }\nb", ""),
    ("a && b\nc", "a b"),
    ("a &\nb", "a"),
    ("$PSNativeCommandUseErrorActionPreference = $true\na\nb", ""),
    ("a\nWrite-Host x\nRemove-Item y", ""),
    ("if ($x) { a } else { b }", ""),
]


@pytest.mark.parametrize(("text", "ignored"), STATUS)
def test_whose_failure_nobody_sees(text: str, ignored: str) -> None:
    found, _ = evaluated(text, Dialect.POWERSHELL)
    assert [c.argv[0].text for c in found if c.status is Status.IGNORED] == ignored.split()


def test_what_stands_in_branches_says_when() -> None:
    found, _ = evaluated("if ($x) { a } else { b }\na2 || b2", Dialect.POWERSHELL)
    assert [c.when for c in found] == [("`if ($x)`",), ("no condition before `else` is true",), (), ("`a2` fails",)]


def test_a_function_that_nobody_calls_is_opt_in() -> None:
    found, _ = evaluated("function F { a }\nb", Dialect.POWERSHELL)
    assert [(c.shown, c.opt_in) for c in found] == [(["b"], False), (["a"], True)]


def test_an_unset_variable_leaves_no_word_and_is_told() -> None:
    (command,), _ = evaluated("a --x $nope y", Dialect.POWERSHELL)
    assert command.shown == ["a", "--x", "y"]
    assert [(at, hole.text) for at, hole in command.vanished] == [(2, "$nope")]


def test_a_value_points_at_its_assignment() -> None:
    (command,), _ = evaluated("$c = 'v2'\na --cpu $c", Dialect.POWERSHELL)
    route = command.argv[2].route
    assert [(s.start, s.end) for s in route] == [(18, 20), (6, 8)]


BROKEN = ["a 'b", 'a "b', "if ($x) { a", "a (b", "@'\nx", "<# x", "a | ", "if { a }", "$x = )"]


@pytest.mark.parametrize("text", BROKEN)
def test_what_cannot_be_read_is_one_problem_and_nothing_runs(text: str) -> None:
    found, problems = evaluated("ok\n" + text, Dialect.POWERSHELL)
    assert not found
    (problem,) = problems
    assert problem.fatal
    assert problem.line >= 1


BOMBS = [
    "(" * 20_000,
    "{" * 20_000,
    "$(" * 20_000,
    "[" * 20_000,
    "@{a=" * 20_000,
    "!" * 50_000,
    '"$(' * 5_000,
    "a " * 20_000,
]


@pytest.mark.parametrize("text", BOMBS)
def test_bombs_end(text: str) -> None:
    source = SourceText("f", text)
    body, problems = read_script(source.traced(), Setting(Files(source), ()))
    assert (body is None) == bool(problems)


def test_recursion_and_many_calls_end() -> None:
    text = "function A { B; B; B }\nfunction B { A; A; A; make x }\nA"
    found, _ = evaluated(text, Dialect.POWERSHELL)
    assert ["make", "x"] in shown(found)


def test_platforms_are_asked_for_where_they_matter() -> None:
    source = SourceText("f", "if ($IsLinux) { a } else { b }")
    from flagguard.command import Place, Script

    script = Script(Place("t"), Dialect.POWERSHELL, source.traced())
    found, _ = evaluate_powershell(script, Setting(Files(source), ()), ["linux-x86_64", "windows-x86_64"])
    assert [(c.shown, c.platforms) for c in found] == [(["a"], ("linux-x86_64",)), (["b"], ("windows-x86_64",))]


def test_a_function_says_from_where_it_is_called() -> None:
    found, _ = evaluated("function F($x) { a $x }\nF 1\nF 2", Dialect.POWERSHELL)
    assert [(c.shown, [s.start for s in c.via]) for c in found] == [(["a", "1"], [24]), (["a", "2"], [28])]


def test_where_commands_run() -> None:
    text = "cd a\nx\npushd b\\c\nx\npopd\nx\nif ($q) { cd y }\nx\ncd $PSScriptRoot\nx"
    found, _ = evaluated(text, Dialect.POWERSHELL)
    assert [c.directory for c in found] == ["a", "a/b/c", "a", None, None]
