"""Rye: `[tool.rye.scripts]` of `pyproject.toml`, and `rye run NAME` that runs it.

Follows https://rye.astral.sh/guide/pyproject/#toolryescripts. There is no shell: a string is cut into words as a shell
cuts it, and nothing is expanded. A `chain` runs several, each a script or a program. Python (`call`) holds no commands.
"""

from collections.abc import Mapping, Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting
from flagguard.hosts.task_tables import (
    ToolTasks,
    above,
    called_key,
    front,
    inner,
    is_string,
    pieces,
    plain,
    shell_words,
    texts,
    toml,
)
from flagguard.hosts.tree import Items, Node, Table, text_of
from flagguard.text import SourceText, Span, Traced

NAME = "rye"
_KEY = "tool.rye.scripts"
_VALUED = ("--pyproject", "--venv")
_STOPS = ("-h", "--help", "-l", "--list", "--version")


def read(source: SourceText, setting: Setting) -> Reading:
    reader = _Reader(source, setting)
    for name in reader.tasks:
        reader.run(name, (), (), whole=False)
    return reader.reading()


def starts(words: Sequence[Word], directory: str | None, setting: Setting) -> bool:
    """Whether `rye run` starts a script of the project, and no program."""
    return _meant(words[1:], directory, setting) is not None


def enter(command: Command, setting: Setting) -> Entered | None:
    """``rye run NAME …``: the script."""
    found = _meant(command.argv[1:], command.directory, setting)
    if found is None:
        return None
    source, name, given = found
    env, directory = dict(command.env), command.directory

    def reading(setting: Setting) -> Reading:
        reader = _Reader(source, setting, env)
        reader.here = directory
        reader.run(name, given, (), whole=True)
        return reader.reading()

    return Entered(source.path, called_key(env, NAME, source.path, name, pieces(given), directory), reading)


def _meant(
    words: Sequence[Word], directory: str | None, setting: Setting
) -> tuple[SourceText, str, tuple[Traced, ...]] | None:
    if directory is None or not words or words[0].text not in ("run", "r"):
        return None
    said = front(words[1:], _VALUED, _STOPS)
    if said is None or not said[1] or not said[1][0].known or any(name == "--pyproject" for name, _ in said[0]):
        return None
    source = above(directory, ("pyproject.toml",), setting, lambda s: True)
    name = said[1][0].text
    if source is None or NAME not in source.text or inner(toml(source).root, "tool", NAME, "scripts", name) is None:
        return None
    return source, name, plain(said[1][1:])


class _Reader(ToolTasks):
    def __init__(self, source: SourceText, setting: Setting, env: Mapping[str, Traced] | None = None) -> None:
        super().__init__(NAME, source, setting, env)
        self.tasks = dict(self.entries(inner(self.root, "scripts"), _KEY))
        self.here: str | None = self.folder
        """Where Rye is started, and so where the script runs."""

    def run(self, name: str, words: tuple[Traced, ...], via: tuple[Span, ...], whole: bool) -> None:
        """A script; ``whole``: with the scripts of its chain, which else are read by themselves."""
        node, key = self.tasks[name], f"{_KEY}.{name}"
        table = node if isinstance(node, Table) else Table(node.span)
        if table.get("call") is not None or not self.entering(name):
            return
        chain = table.get("chain")
        content = table.get("cmd") if isinstance(node, Table) else node
        if isinstance(chain, Items):
            for item in chain.items:
                said = self._words(item, f"{key}.chain")
                if said and said[0].text in self.tasks:
                    if whole:
                        self.run(said[0].text, plain(said[1:]), (*via, item.span), whole=True)
                    elif said[1:]:
                        self.run(said[0].text, plain(said[1:]), (item.span,), whole=True)
                else:
                    self.add_words(self.script(name, via=via, directory=self.here), said)
        elif content is None:
            self.tell(node, "a script has one of cmd, chain, call", key)
        else:
            env = {**self.given, **self.variables(table.get("env"), f"{key}.env")}
            file = text_of(table.get("env-file"))
            if file.text:
                env = {**env, **self.from_file(file, self.folder, env)}
            said = self._words(content, f"{key}.cmd" if table is node else key)
            script = self.script(name, env=env, via=via, directory=self.here)
            self.add_words(script, [*said, *(Word(w.pieces) for w in words)] if said else [])
        self.left()

    def _words(self, node: Node, key: str) -> list[Word]:
        if isinstance(node, Items):
            return [Word(text.pieces, text.route[-1] if text.route else None) for text in texts(node)]
        if not is_string(node):
            self.wrong(node, "a string or a list", key)
            return []
        try:
            return shell_words(text_of(node))
        except ValueError as error:
            self.tell(node, f"Rye cannot cut this into words: {error}", key)
            return []
