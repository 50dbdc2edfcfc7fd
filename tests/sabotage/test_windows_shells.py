"""Edits of texts for PowerShell and cmd.exe: each is written as that shell reads it."""

from pathlib import Path

import pytest

from .support import edits, prove, verdicts

RULES = """
packs = []
[baseline]
windows-x86_64 = "x86-64-v2"
[[rule]]
id      = "locked"
command = "cargo build"
require = ["--locked"]
forbid  = [{ env = "CARGO_X" }]
"""
HEAD = "on: push\njobs:\n  j:\n    runs-on: windows-latest\n    steps:\n"
CMD = "      - shell: cmd\n        run: "
PWSH = "      - run: "
BLOCK = "|\n          {}\n"

EDITS: list[tuple[str, str, str, tuple[str, ...]]] = [
    # a comment behind the command, and one on a line of its own
    (CMD, "cargo build --locked", "move-flag-into-comment", ("+          cargo build & rem --locked",)),
    (CMD, "cargo build --locked", "add-comment-at-end", ("+          cargo build --locked & rem --locked",)),
    (CMD, "cargo build --locked", "add-comment-line", ("+          rem --locked",)),
    (PWSH, "cargo build --locked", "move-flag-into-comment", ("+          cargo build  # --locked",)),
    (PWSH, "cargo build --locked", "add-comment-line", ("+          # --locked",)),
    # a command before
    (CMD, "cargo build --locked", "move-flag-into-echo", ("+          echo --locked & cargo build",)),
    (PWSH, "& cargo build --locked", "move-flag-into-echo", ("+          echo --locked; & cargo build",)),
    # a variable of the environment
    (CMD, "cargo build --locked", "add-forbidden-flag", ("+          set CARGO_X=x& cargo build --locked",)),
    (PWSH, "& cargo build --locked", "add-forbidden-flag", ("+          $env:CARGO_X='x'; & cargo build --locked",)),
    # quotes
    (CMD, "cargo build --locked", "requote", ('+          cargo build "--locked"',)),
    (CMD, 'cargo build "--locked"', "requote", ("+          cargo build --locked",)),
    (PWSH, 'cargo build "--locked"', "requote", ("+          cargo build '--locked'",)),
    # lines that are joined
    (CMD, "cargo build --locked", "split-line", ("+          cargo build ^", "+            --locked")),
    (CMD, "cargo build ^\n            --locked", "join-line", ("+          cargo build --locked",)),
    (PWSH, "cargo build --locked", "split-line", ("+          cargo build `", "+            --locked")),
    (PWSH, "cargo build `\n            --locked", "join-line", ("+          cargo build --locked",)),
    # assignments
    (CMD, 'set "F=--locked"\n          cargo build %F%', "drop-assignment", ('-          set "F=--locked"',)),
    (PWSH, '$f = "--locked"\n          cargo build $f', "drop-assignment", ('-          $f = "--locked"',)),
    (PWSH, '$f = "--locked"\n          cargo build $f', "drop-flag", ('+          $f = ""',)),
]


@pytest.mark.parametrize(("head", "script", "operator", "lines"), EDITS)
def test_an_edit_is_written_as_its_shell_reads_it(
    tmp_path: Path, head: str, script: str, operator: str, lines: tuple[str, ...]
) -> None:
    proof = prove(tmp_path, RULES, {".github/workflows/w.yml": HEAD + head + BLOCK.format(script)})
    made = edits(proof)[operator]
    assert any(set(lines) <= set(one) for one in made), made
    assert {outcome for _, outcome in verdicts(proof)} == {"caught", "stayed-clean"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("b.bat", "@echo off\r\nset F=--locked\r\ncargo build %F% x\r\nif exist a cargo build --locked\r\n"),
        ("b.cmd", "if exist a (\n  cargo build --locked\n) else (\n  cargo build ^\n    --locked x\n)\n"),
        ("p.ps1", '$f = "--locked"\ncargo build $f\nif ($x) { cargo build --locked }\ncargo build `\n  --locked x\n'),
        ("p.ps1", '$f = @("--locked", "-v")\ncargo build @f\n'),
    ],
)
def test_scripts_of_windows_are_edited_in_their_own_way(tmp_path: Path, name: str, text: str) -> None:
    found = verdicts(prove(tmp_path, RULES, {name: text}))
    assert {outcome for _, outcome in found} == {"caught", "stayed-clean"}
    assert {"drop-flag", "move-flag-into-comment", "add-comment-at-end"} <= {operator for operator, _ in found}


@pytest.mark.parametrize("command", ['cmd /c "cargo build --locked -v"', "cmd /c cargo build --locked -v"])
def test_a_command_that_is_a_word_of_another_gets_no_lines_of_its_own(tmp_path: Path, command: str) -> None:
    proof = prove(tmp_path, RULES, {"p.ps1": command + "\n"})
    assert {"caught", "skipped"} <= {outcome for _, outcome in verdicts(proof)} <= {"caught", "skipped", "stayed-clean"}
    assert not {"split-line", "move-flag-into-comment", "add-comment-at-end"} & edits(proof).keys()


def test_the_echo_goes_inside_the_quotes_of_the_outer_command(tmp_path: Path) -> None:
    made = edits(prove(tmp_path, RULES, {"p.ps1": 'cmd /c "cargo build --locked -v"\n'}))
    assert ('-cmd /c "cargo build --locked -v"', '+cmd /c "echo --locked & cargo build -v"') in made[
        "move-flag-into-echo"
    ]
