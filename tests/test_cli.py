"""The command line: words in, exit status out, and no traceback ever."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from flagguard import __version__, cli
from flagguard.commands import RefusalError
from flagguard.commands.project import style

Fake = Callable[[Callable[..., object]], None]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Put a function in the place of `flagguard check`."""

    def put(run: Callable[..., object]) -> None:
        module = ModuleType("flagguard.commands.check")
        module.run = run  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "flagguard.commands.check", module)

    return put


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_version(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([word]) == 0
    assert capsys.readouterr().out == f"flagguard {__version__}\n"


def test_version_imports_next_to_nothing() -> None:
    code = "import sys; from flagguard import cli; cli.main(['--version']); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=_path())
    heavy = {"argparse", "json", "tomllib", "dataclasses", "bashlex", "tree_sitter", "archspec", "subprocess"}
    assert heavy & set(ran.stdout.splitlines()[-1].split()) == set()


def _path() -> dict[str, str]:
    return {"PYTHONPATH": str(Path(cli.__file__).parents[1])}


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["chekc"],
        ["check", "--formt", "json"],
        ["check", "--format", "xml"],
        ["check", "--form", "json"],
        ["commands", "--format", "github"],
        ["explain"],
        ["rules", "extra"],
        ["check", "--config"],
    ],
)
def test_wrong_usage_is_one_line_and_status_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("flagguard")
    assert "--help" in err
    assert err.count("\n") == 1


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    out = capsys.readouterr().out
    assert [name for name in ("check", "commands", "sabotage", "rules", "explain") if f"    {name} " not in out] == []


@pytest.mark.parametrize("status", [0, 1, 2])
def test_the_status_is_the_command_s(fake: Fake, status: int) -> None:
    fake(lambda options, write: status)
    assert cli.main(["check"]) == status


def test_a_refusal_is_one_line(fake: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    def run(options: object, write: object) -> int:
        raise RefusalError("no such thing")

    fake(run)
    assert cli.main(["check"]) == 2
    assert capsys.readouterr().err == "flagguard check: no such thing\n"


def test_a_defect_is_one_line_unless_a_traceback_is_asked_for(
    fake: Fake, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(options: object, write: object) -> int:
        raise KeyError("two\nlines")

    fake(run)
    monkeypatch.delenv("FLAGGUARD_TRACEBACK", raising=False)
    assert cli.main(["check"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("flagguard: internal error: KeyError: ")
    assert err.count("\n") == 1
    monkeypatch.setenv("FLAGGUARD_TRACEBACK", "1")
    with pytest.raises(KeyError):
        cli.main(["check"])


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), 130), (BrokenPipeError(), 141)])
def test_signals_end_it_quietly(
    error: BaseException, status: int, fake: Fake, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(options: object, write: object) -> int:
        raise error

    fake(run)
    monkeypatch.setattr(cli, "_let_go", lambda: None)
    assert cli.main(["check"]) == status
    assert capfd.readouterr() == ("", "")


def test_nobody_reads_the_output(tmp_path: Path) -> None:
    """`flagguard --help | true`: no message, whatever was still to be written."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as stream:
        ran = subprocess.run(
            [sys.executable, "-m", "flagguard", "--version"],
            cwd=tmp_path,
            stdout=stream,
            stderr=subprocess.PIPE,
            check=False,
            env=os.environ | _path(),
        )
    assert (ran.returncode, ran.stderr) == (141, b"")


def test_output_is_utf8_whatever_the_locale_and_surrogates_are_escaped(tmp_path: Path) -> None:
    code = "import sys, flagguard.cli as c; c.main(['--version']); c._write(['\\xe9 \\udce9'])"
    env = os.environ | _path() | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=env)
    assert ran.stdout.decode("utf-8").splitlines()[1] == "é \\udce9"
    assert json.loads(f'"{ran.stdout.decode().splitlines()[1]}"') == "é \udce9"


@pytest.mark.parametrize(
    ("terminal", "env", "colour"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "xterm"}, False),
    ],
)
def test_colour_only_on_a_terminal(
    terminal: bool, env: dict[str, str], colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert style().colour is colour


def test_every_command_has_its_module() -> None:
    for name in ("check", "commands", "sabotage", "rules", "explain"):
        assert callable(importlib.import_module(f"flagguard.commands.{name}").run)


@pytest.mark.parametrize("words", [["check"], ["check", "a"], ["check", "a", "b/c"]])
def test_plain_words_are_read_without_the_parser_as_the_parser_reads_them(words: list[str]) -> None:
    plain = cli._plain(words)
    assert plain is not None
    assert vars(plain) == vars(cli._parser().parse_args(words))


@pytest.mark.parametrize("words", [[], ["rules"], ["check", "--no-cache"], ["check", "a", "-h"], ["check", "--", "a"]])
def test_other_words_are_the_parser_s(words: list[str]) -> None:
    assert cli._plain(words) is None
