"""Words and what was peeled off them, in a form that is short to write in a table."""

import shlex

from flagguard.command import Dialect, Word, word
from flagguard.shell.peeled import Peeled
from flagguard.shell.wrapper_table import Env
from flagguard.text import Hole, hole, join, literal


def words(line: str) -> tuple[Word, ...]:
    """The words of a line; ``@NAME@`` inside one is a hole."""
    return tuple(one_word(text) for text in shlex.split(line))


def one_word(text: str) -> Word:
    parts = text.split("@@")
    holes = [
        hole(Hole(f"${name}", "nothing sets it", name=name)) if i % 2 else literal(name) for i, name in enumerate(parts)
    ]
    return word(join(holes))


def shown(some: tuple[Word, ...]) -> str:
    return " ".join(w.shown for w in some)


def facts(peeled: Peeled) -> dict[str, object]:
    """What is not as usual, in a form that is short to write."""
    out: dict[str, object] = {"wrapper": shown(peeled.wrapper)}
    if peeled.argv:
        out["argv"] = shown(peeled.argv)
    if peeled.script is not None:
        out["script"] = peeled.script.shown
    for name in ("script_file", "name", "doubt"):
        value = getattr(peeled, name)
        if value is not None:
            out[name] = value.shown
    if peeled.arguments:
        out["arguments"] = shown(peeled.arguments)
    if peeled.assignments:
        out["assignments"] = {name: value.shown for name, value in peeled.assignments}
    for name in ("unset", "passes"):
        if getattr(peeled, name):
            out[name] = " ".join(getattr(peeled, name))
    for name in ("reads_stdin", "errexit", "pipefail", "nounset", "in_process", "ignores_status", "replaces"):
        if getattr(peeled, name):
            out[name] = getattr(peeled, name)
    if peeled.env is Env.CLEAR:
        out["env"] = "clear"
    if peeled.appended is not None:
        out["appended"] = peeled.appended.reason
    if peeled.dialect is not Dialect.SH:
        out["dialect"] = peeled.dialect.value
    return out
