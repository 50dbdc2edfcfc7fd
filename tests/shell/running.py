"""Scripts evaluated for the tests: the commands as one line each."""

from collections.abc import Iterable, Mapping

from flagguard.command import Command, Dialect, Place, Script, word
from flagguard.hosts import Setting
from flagguard.shell import Evaluation, evaluate
from flagguard.text import SourceText, literal


class Files:
    """A tree of files in memory."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def paths(self) -> Iterable[str]:
        return self._files

    def read(self, path: str) -> SourceText | None:
        return SourceText(path, self._files[path]) if path in self._files else None


def run(
    text: str,
    *,
    bash: bool = True,
    arguments: tuple[str, ...] | None = None,
    platforms: tuple[str, ...] = ("linux-x86_64",),
    files: Mapping[str, str] | None = None,
    errexit: bool = False,
) -> Evaluation:
    """What a script comes to; ``arguments``: its positional parameters, where they are known."""
    script = Script(
        Place("shellscript"),
        Dialect.BASH if bash else Dialect.SH,
        SourceText("x.sh", text).traced(),
        arguments=tuple(word(literal(a)) for a in arguments or ()),
        knows_arguments=arguments is not None,
        errexit=errexit,
    )
    return evaluate(script, Setting(Files({"x.sh": text, **(files or {})}), platforms))


def said(command: Command) -> str:
    """The argv with each word in angle brackets where it is empty or holds a blank."""
    return " ".join(w if w and not any(c in w for c in " \t\n") else f"<{w}>" for w in command.shown)


def lines(text: str, **facts: object) -> list[str]:
    """The commands of a script."""
    return [said(c) for c in run(text, **facts).commands]  # type: ignore[arg-type]
