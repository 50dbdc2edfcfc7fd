"""The command line: words in, exit status out; each command is a module of `commands`.

Only what a run needs is imported, so `flagguard --version` costs little more than starting Python. Exit status: 0
clean, 1 findings, 2 could not judge. Whatever happens, nobody sees a traceback who has not asked for one with
FLAGGUARD_TRACEBACK=1.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn

from flagguard import __version__

if TYPE_CHECKING:
    import argparse

INTERRUPTED = 130
BROKEN_PIPE = 141
"""128 and the signal's number, as a shell reports it (SIGINT, SIGPIPE)."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        # UTF-8 whatever the locale says; what is no character is escaped
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        if words in (["--version"], ["-V"]):
            print(f"flagguard {__version__}")
            return _flushed(0)
        return _flushed(_run(words))
    except BrokenPipeError:
        _let_go()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    except Exception as error:
        if os.environ.get("FLAGGUARD_TRACEBACK"):
            raise
        told = f"{type(error).__name__}: {error}".splitlines()[0]
        print(f"flagguard: internal error: {told} (FLAGGUARD_TRACEBACK=1 shows where)", file=sys.stderr)
        return 2


def _flushed(status: int) -> int:
    """Flush while a broken pipe can still be met quietly."""
    sys.stdout.flush()
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

    options = _parser().parse_args(words)
    try:
        status = import_module(f"flagguard.commands.{options.module}").run(options, _write)
    except RefusalError as refusal:
        print(f"flagguard {options.command}: {refusal}", file=sys.stderr)
        return 2
    return int(status)


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")


def _parser() -> "argparse.ArgumentParser":
    import argparse

    class Parser(argparse.ArgumentParser):
        """One that says what is wrong in one line."""

        def error(self, message: str) -> NoReturn:
            print(f"{self.prog}: {message} (see `{self.prog} --help`)", file=sys.stderr)
            raise SystemExit(2)

    parser = Parser(
        prog="flagguard",
        description="Proves that the build commands a repository runs pass the flags that its owners decided on.",
        epilog="Exit status: 0 clean, 1 findings, 2 could not judge.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", "-V", action="version", version=f"flagguard {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)

    def command(name: str, help: str, *, formats: Sequence[str] = (), paths: bool = False) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        sub.set_defaults(module=name)
        sub.add_argument("--config", metavar="FILE", help="the configuration, instead of the one that is found upwards")
        if formats:
            sub.add_argument("--format", choices=formats, default="text", help="default: text")
        if paths:
            sub.add_argument("paths", nargs="*", metavar="PATH", help="only what stands in these files and folders")
        return sub

    command("check", "judge every build command against the rules", formats=("text", "json", "github"), paths=True)
    command("commands", "list the commands that are found", formats=("text", "json"), paths=True)
    command("sabotage", "prove that check fails when a flag goes missing", formats=("text", "json"), paths=True)
    command("rules", "list the rules in force")
    command("explain", "explain one rule").add_argument("rule", metavar="RULE", help="the rule's id")
    return parser


if __name__ == "__main__":
    sys.exit(main())
