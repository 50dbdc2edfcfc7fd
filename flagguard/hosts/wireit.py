"""Wireit: the scripts of a package.json that are `wireit`, and what its `wireit` table says of them.

Follows https://github.com/google/wireit#readme ("Setup", "Dependencies", "Passing arguments", "Environment
variables"). A command goes to the system's shell, with the words of the call behind it as they are.
"""

import posixpath
from collections.abc import Mapping

from flagguard.command import Command, Reading
from flagguard.hosts import Entered, Setting
from flagguard.hosts.npm_call import Line
from flagguard.hosts.npm_packages import FILE, meant, table
from flagguard.hosts.task_tables import Tasks, called_key, inner, is_string, is_true, pieces, plain
from flagguard.hosts.tree import Items, Table, text_of
from flagguard.paths import inside
from flagguard.text import SourceText, Span, Traced, join, literal

NAME = "wireit"
_SCRIPTS = "scripts"


def enter(command: Command, setting: Setting) -> Entered | None:
    """The command `wireit` in a script of a package.json: what the script of that name is in its `wireit` table."""
    name, directory = command.place.task, command.directory
    if name is None or directory is None:
        return None
    source = setting.files.read(posixpath.join(directory, FILE))
    if source is None or inner(table(source), NAME, name) is None:
        return None
    env, words = dict(command.env), plain(command.argv[1:])
    found = source

    def reading(setting: Setting) -> Reading:
        reader = _Reader(found, setting, env)
        reader.run(found, name, words, ())
        return reader.reading()

    return Entered(source.path, called_key(env, NAME, source.path, name, pieces(words)), reading)


class _Reader(Tasks):
    def __init__(self, source: SourceText, setting: Setting, env: Mapping[str, Traced]) -> None:
        super().__init__(NAME, source, setting, env)
        self._ran: set[object] = set()

    def run(self, source: SourceText, name: str, words: tuple[Traced, ...], via: tuple[Span, ...]) -> None:
        """A script with those that it depends on."""
        if (source.path, name) in self._ran or not self.entering((source.path, name)):
            return
        self._ran.add((source.path, name))
        self.looked_at.append(source.path)
        top, key = table(source), f"{NAME}.{name}"
        folder = posixpath.dirname(source.path)
        node = inner(top, NAME, name)
        if node is None:
            plain_script = text_of(inner(top, _SCRIPTS, name))
            self.add_text(self.script(name, directory=folder, via=via), plain_script)
        elif not isinstance(node, Table):
            self.wrong(node, "a table", key)
        else:
            depends = node.get("dependencies")
            for item in depends.items if isinstance(depends, Items) else ():
                said = text_of(item.get("script") if isinstance(item, Table) else item)
                for other, script in self._meant(source, said.text):
                    self.run(other, script, (), (*via, item.span))
            content = node.get("command")
            if content is not None and not is_string(content):
                self.wrong(content, "a string", f"{key}.command")
            text = text_of(content)
            if words:  # not quoted: what holds blanks comes to several words
                text = join([text, *(part for word in words for part in (literal(" "), word))])
            self.add_text(self.script(name, self._environment(node, key), directory=folder, via=via), text)
        self.left()

    def _environment(self, node: Table, key: str) -> dict[str, Traced]:
        env = dict(self.given)
        for name, value in self.entries(node.get("env"), f"{key}.env"):
            if isinstance(value, Table):
                default = value.get("default")
                if is_true(value.get("external")) and name not in env and default is not None:
                    env[name] = text_of(default).overridable()
            elif is_string(value):
                env[name] = text_of(value)
            else:
                self.wrong(value, "a string, or a table", f"{key}.env.{name}")
        return env

    def _meant(self, source: SourceText, said: str) -> "list[tuple[SourceText, str]]":
        """The scripts that a dependency names: of the same package, of another, of all in the workspace."""
        folder = posixpath.dirname(source.path)
        if said.startswith("$WORKSPACES:"):
            members = meant(Line("npm", all_members=True), folder, self.setting)
            return [(member, said.partition(":")[2]) for member in members]
        if not said.startswith("."):
            return [(source, said)] if said else []
        where, _, script = said.partition(":")
        there = inside(folder, where)
        path = posixpath.join(there, FILE) if there is not None else None
        other = self.setting.files.read(path) if path is not None else None
        return [(other, script)] if other is not None and script else []
