"""What the tests of PowerShell, cmd and deno_task_shell share: a text evaluated, and its commands as plain values."""

from collections.abc import Iterable

from flagguard.command import Command, Dialect, Place, Script, Variable, Word
from flagguard.hosts import Setting
from flagguard.shell import evaluate
from flagguard.text import Problem, SourceText, literal


class Files:
    """A tree of one file."""

    def __init__(self, source: SourceText) -> None:
        self.source = source

    def paths(self) -> Iterable[str]:
        return (self.source.path,)

    def read(self, path: str) -> SourceText | None:
        return self.source if path == self.source.path else None


def evaluated(
    text: str,
    dialect: Dialect,
    platform: str = "windows-x86_64",
    arguments: tuple[str, ...] | None = None,
    **env: str,
) -> tuple[tuple[Command, ...], tuple[Problem, ...]]:
    source = SourceText("f", text)
    script = Script(
        Place("t"),
        dialect,
        source.traced(),
        env=tuple(Variable(name, literal(value)) for name, value in env.items()),
        arguments=tuple(Word(literal(a).pieces) for a in arguments or ()),
        knows_arguments=arguments is not None,
    )
    found = evaluate(script, Setting(Files(source), (platform,)))
    return found.commands, found.problems


def shown(commands: Iterable[Command]) -> list[list[str]]:
    return [command.shown for command in commands]


def words(text: str) -> list[list[str]]:
    """``a b | c`` as two argument vectors: how the tables below write what is expected (``_`` is an empty word)."""
    return [[w.replace("␣", " ").replace("∅", "") for w in each.split()] for each in text.split(" ; ") if each]
