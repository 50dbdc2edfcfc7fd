"""The command line: words in, exit status out; each command is a module of `commands`.

Only what a run needs is imported, so `flagguard --version` costs little more than starting Python. Exit status: 0
clean, 1 findings, 2 could not judge. Whatever happens, nobody sees a traceback who has not asked for one with
FLAGGUARD_TRACEBACK=1.
"""

import gc
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, NoReturn, cast

from flagguard import __version__

if TYPE_CHECKING:
    import argparse

_FORMATS = ("text", "json", "github", "sarif", "gitlab", "junit")

INTERRUPTED = 130
BROKEN_PIPE = 141
"""128 and the signal's number, as a shell reports it (SIGINT, SIGPIPE)."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        # values hold each other in no circles, so looking for those often takes a fifth of the time for nothing
        gc.set_threshold(20_000, 50, 100)
    if sys.stdout is None:
        _tell("flagguard: the standard output is closed")
        return 2
    for stream in (sys.stdout, sys.stderr):
        # UTF-8 whatever the locale says; what is no character is escaped
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        status = _version() if words in (["--version"], ["-V"]) else _run(words)
        return _flushed(status)
    except BrokenPipeError:
        _let_go()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    except _OutputError as error:
        _let_go()
        _tell(f"flagguard: the output cannot be written: {error}")
        return 2
    except Exception as error:
        if os.environ.get("FLAGGUARD_TRACEBACK"):
            raise
        told = f"{type(error).__name__}: {error}".splitlines()[0]
        _tell(f"flagguard: internal error: {told} (FLAGGUARD_TRACEBACK=1 shows where)")
        return 2


class _OutputError(Exception):
    """Nobody can be told what was found: the disk is full, or the like."""


def _tell(line: str) -> None:
    """On the standard error; where that is full or closed, the exit status says it alone."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(line, file=sys.stderr, flush=True)


def _version() -> int:
    _write([f"flagguard {__version__}"])
    return 0


def _flushed(status: int) -> int:
    """Flush while a broken pipe, or a full disk, can still be told."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _OutputError(error.strerror or str(error)) from error
    return status


def _let_go() -> None:
    """Nobody reads any more: Python must not complain when it closes the stream (signal, "Note on SIGPIPE")."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass


def _run(words: list[str]) -> int:
    from importlib import import_module

    from flagguard.commands import RefusalError

    options = _plain(words) or _parser().parse_args(words)
    try:
        os.getcwd()
    except OSError as error:
        _tell(f"flagguard {options.command}: the working directory cannot be read: {error.strerror or error}")
        return 2
    try:
        status = import_module(f"flagguard.commands.{options.module}").run(options, _write)
    except RefusalError as refusal:
        _tell(f"flagguard {options.command}: {refusal}")
        return 2
    return int(status)


def _write(lines: Iterable[str]) -> None:
    try:
        for line in lines:
            sys.stdout.write(line + "\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _OutputError(error.strerror or str(error)) from error


def _plain(words: list[str]) -> "argparse.Namespace | None":
    """What the parser says of `check` with nothing but paths: hooks ask for no more, and the parser costs 10 ms."""
    if words[:1] != ["check"] or any(word.startswith("-") for word in words):
        return None
    plain = {"command": "check", "module": "check", "config": None, "format": "text", "cache": True}
    return cast("argparse.Namespace", SimpleNamespace(**plain, jobs=None, log=None, platform=None, paths=words[1:]))


def _count(text: str) -> int:
    """At least one; anything else is told by the parser."""
    import argparse

    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def _parser() -> "argparse.ArgumentParser":
    import argparse

    class Parser(argparse.ArgumentParser):
        """One that says what is wrong in one line."""

        def error(self, message: str) -> NoReturn:
            _tell(f"{self.prog}: {message} (see `{self.prog} --help`)")
            raise SystemExit(2)

    parser = Parser(
        prog="flagguard",
        description="Proves that the build commands a repository runs pass the flags that its owners decided on.",
        epilog="Exit status: 0 clean, 1 findings, 2 could not judge.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", "-V", action="version", version=f"flagguard {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)

    def command(
        name: str, help: str, *, formats: Sequence[str] = (), paths: bool = False, logs: bool = False
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        sub.set_defaults(module=name)
        sub.add_argument("--config", metavar="FILE", help="the configuration, instead of the one that is found upwards")
        if formats:
            sub.add_argument("--format", choices=formats, default="text", help="default: text")
        if paths:
            sub.add_argument("paths", nargs="*", metavar="PATH", help="only what stands in these files and folders")
        if logs:
            told = "a build log or compile_commands.json to read instead of the tree; - is the standard input"
            sub.add_argument("--log", action="append", metavar="FILE", help=told)
            sub.add_argument("--platform", metavar="NAME", help="where the log's build ran, such as linux-aarch64")
        return sub

    check = command("check", "judge every build command against the rules", formats=_FORMATS, paths=True, logs=True)
    check.add_argument("--no-cache", dest="cache", action="store_false", help="judge every file anew, and keep nothing")
    check.add_argument("--jobs", "-j", type=_count, metavar="N", help="processes at most; default: one a processor")
    listed = command("commands", "list the commands that are found", formats=("text", "json"), paths=True, logs=True)
    told = "only what this entry point reaches, such as release.yml, release.yml:publish, Makefile:dist"
    listed.add_argument("--from", dest="entries", action="append", metavar="ENTRY", help=told)
    listed.add_argument("--unreached", action="store_true", help="only what no pipeline and no `where.from` reaches")
    prove = command("sabotage", "prove that check fails when a flag goes missing", formats=_FORMATS, paths=True)
    told = "prove this command of the shell instead of check, on throw-away copies of the tree; 0 is its clean status"
    prove.add_argument("--guard", metavar="CMD", help=told)
    prove.add_argument("--timeout", type=_count, default=60, metavar="S", help="seconds that the guard may take (60)")
    init = command("init", "look at the repository and propose a configuration")
    init.add_argument("--dry-run", action="store_true", help="print the configuration, and write nothing")
    init.add_argument("--update", action="store_true", help="add what is missing to the configuration that is there")
    init.add_argument("--force", action="store_true", help="write the configuration anew")
    init.add_argument("--pyproject", action="store_true", help="write [tool.flagguard] into pyproject.toml")
    init.add_argument("--exempt", action="store_true", help="write an exemption for each error that there is today")
    command("rules", "list the rules in force")
    told = "the commands of a line: where each word comes from, what they come to, what the rules say"
    command("why", told).add_argument("spot", metavar="FILE:LINE", help="a place that `commands` or `check` names")
    command("explain", "explain one rule").add_argument("rule", metavar="RULE", help="the rule's id")
    return parser


if __name__ == "__main__":
    sys.exit(main())
