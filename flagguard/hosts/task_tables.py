"""What the readers of task tables share: tables of a file, the file that a call means, tasks that run other tasks.

The formats' own words are not known here. A task is read alone (nobody is known to call it) or as a call runs it, with
what it waits for. The part of a file that a task is has the format's name before the task's: one file may hold tasks of
several runners.
"""

import posixpath
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from flagguard.command import PLATFORMS, Dialect, Place, Reading, Script, Variable, Word
from flagguard.hosts import Setting
from flagguard.hosts.just_dotenv import variables as dotenv
from flagguard.hosts.tox_words import quoted, split
from flagguard.hosts.tree import Document, Items, Kind, Node, Scalar, Table, text_of
from flagguard.paths import resolved
from flagguard.text import Decider, Hole, Problem, SourceText, Span, Traced, hole, join, literal, too_long
from flagguard.values import replace

if TYPE_CHECKING:
    from re import Pattern

WINDOWS = frozenset(p for p in PLATFORMS if p.startswith("windows"))
SYSTEMS = {"linux": "linux-", "macos": "macos-", "windows": "windows-"}
_MOST_DEEP = 30
_MOST = 5_000
"""Scripts of one file,"""
_MOST_RUNS = 20_000
"""runs of tasks in it,"""
_MOST_OF_VALUE = 200_000
"""and characters of one value, that are followed."""


# -- files ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def toml(source: SourceText) -> Document:
    """A TOML file as a tree; of a pyproject.toml several formats ask for it."""
    from flagguard.hosts import toml_text

    return toml_text.read(source)


def inner(root: Node | None, *names: str) -> Node | None:
    """What stands at the end of a way of keys."""
    for name in names:
        root = root.get(name) if isinstance(root, Table) else None
    return root


def above(
    directory: str, names: Sequence[str], setting: Setting, says: Callable[[SourceText], bool]
) -> SourceText | None:
    """The first of the files that there is in the folder or the nearest one above, and that says something."""
    while True:
        for name in names:
            source = setting.files.read(posixpath.join(directory, name))
            if source is not None and says(source):
                return source
        if not directory:
            return None
        directory = posixpath.dirname(directory)


# -- values -----------------------------------------------------------------------------------------------------------


def texts(node: Node | None) -> list[Traced]:
    """The strings of a list, or the one string."""
    found = node.items if isinstance(node, Items) else (node,) if node is not None else ()
    return [text_of(one) for one in found if is_string(one)]


def is_string(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.kind is Kind.STRING


def is_true(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.value is True


def plain(words: Sequence[Word]) -> tuple[Traced, ...]:
    return tuple(Traced(w.pieces) for w in words)


def behind(text: Traced, words: Sequence[Traced]) -> Traced:
    """A shell text with the words of a call behind it, quoted as shlex.join quotes them."""
    return join([text, literal(" "), quoted(list(words))]) if words else text


def shell_words(text: Traced) -> list[Word]:
    """The words of a line, as Python's shlex cuts it. Raises ValueError where that would."""
    shlex.split(text.text)
    return split(text, windows=False)


def filled(text: Traced, pattern: "Pattern[str]", value: "Callable[[Traced], Traced | None]") -> Traced:
    """The text with what the pattern finds replaced; None leaves a place as it is."""
    parts: list[Traced] = []
    at = size = 0
    for found in pattern.finditer(text.text):
        said = value(text.cut(found.start(), found.end()))
        if said is not None:
            parts += [text.cut(at, found.start()), said]
            at = found.end()
            size += len(said.text) + len(said.pieces)
            if size > _MOST_OF_VALUE:
                break
    whole = join([*parts, text.cut(at, len(text))]) if parts else text
    return unknown(text, "the value is too long to follow", decider=Decider.REPOSITORY) if too_long(whole) else whole


def unknown(written: Traced, reason: str, name: str | None = None, decider: Decider = Decider.OUTSIDE) -> Traced:
    """A hole where something is written that nobody can know here."""
    return hole(Hole(written.shown, reason, decider, name=name), written.route)


def on_system(name: str) -> frozenset[str]:
    """The platforms of a system, by any of its usual names."""
    usual = {"darwin": "macos", "mac": "macos", "osx": "macos", "win32": "windows", "win": "windows"}
    name = name.lower()
    begins = SYSTEMS.get(usual.get(name, name), f"{name}-")
    return frozenset(p for p in PLATFORMS if p.startswith(begins))


# -- readers ----------------------------------------------------------------------------------------------------------


class Tasks:
    """Reads one file of tasks: collects scripts, and tells what is wrong where."""

    def __init__(
        self, host: str, source: SourceText, setting: Setting, env: Mapping[str, Traced] | None = None
    ) -> None:
        self.host = host
        self.source = source
        self.setting = setting
        self.given = dict(env or {})
        """The environment of the caller, as far as the repository gives it."""
        self.folder = posixpath.dirname(source.path)
        self.found: list[Script] = []
        self.told: dict[Problem, None] = {}
        self.looked_at: list[str] = []
        self._running: list[object] = []
        self._entered = 0

    def reading(self) -> Reading:
        kept = tuple(dict.fromkeys(self.found)) if len(self.found) < 200 else tuple(self.found)
        problems = tuple(sorted(self.told))
        return Reading(kept, problems=problems, depends=tuple(dict.fromkeys(self.looked_at)))

    def tell(self, node: Node | Span | Traced, message: str, key: str, fatal: bool = True) -> None:
        if isinstance(node, Traced):
            node = node.route[-1] if node.route else Span(self.source.path, 0, 0)
        span = node if isinstance(node, Span) else node.span
        source = self.source if span.path == self.source.path else self.setting.files.read(span.path)
        line = source.position(span.start)[0] if source is not None else 1
        self.told.setdefault(Problem(span.path, line, f"{key}: {message}", key=key, fatal=fatal))

    def wrong(self, node: Node, wanted: str, key: str) -> None:
        """A value of another kind than the format has there."""
        self.tell(node, f"has to be {wanted}, and is {node.named}", key)

    def entering(self, what: object) -> bool:
        """Whether one may go on into it: not where it is being run already. To be followed by `left`."""
        if what in self._running:
            return False
        self._entered += 1
        if len(self._running) >= _MOST_DEEP or len(self.found) >= _MOST or self._entered > _MOST_RUNS:
            told = "tasks run each other too deeply, or too often; some of what they run is not judged"
            self.told.setdefault(Problem(self.source.path, 1, told))
            return False
        self._running.append(what)
        return True

    def left(self) -> None:
        self._running.pop()

    def entries(self, node: Node | None, key: str) -> Iterable[tuple[str, Node]]:
        """The entries of a table that may be missing."""
        if isinstance(node, Table):
            return [(e.name, e.value) for e in node.entries]
        if node is not None:
            self.wrong(node, "a table", key)
        return ()

    def variables(self, node: Node | None, key: str) -> dict[str, Traced]:
        """A table of environment variables."""
        found: dict[str, Traced] = {}
        for name, value in self.entries(node, key):
            if isinstance(value, Scalar) and value.kind is not Kind.NULL:
                found[name] = value.text
            else:
                self.wrong(value, "a string", f"{key}.{name}")
        return found

    def from_file(self, name: Traced, directory: str | None, known: Mapping[str, Traced]) -> dict[str, Traced]:
        """The variables of an environment file of the tree."""
        path = resolved(name, directory)
        if path is None:
            return {}
        self.looked_at.append(path)
        source = self.setting.files.read(path)
        return dict(dotenv(source, known)) if source is not None else {}

    # -- scripts

    def script(
        self,
        task: str,
        env: Mapping[str, Traced] | None = None,
        *,
        directory: str | None = "",
        via: tuple[Span, ...] = (),
        when: tuple[str, ...] = (),
        ignored: bool = False,
        platforms: frozenset[str] | None = None,
    ) -> Script:
        """A script of a task. ``env``: where it is not the caller's environment."""
        held = self.given if env is None else env
        return Script(
            Place(self.host, task=task),
            Dialect.SH,
            env=tuple(Variable(n, v) for n, v in held.items()),
            directory=directory,
            via=via,
            when=when,
            ignored=ignored,
            platforms=platforms,
            unit=f"{self.host}:{task}",
        )

    def add(self, script: Script) -> None:
        if script.platforms is None or script.platforms:
            self.found.append(script)

    def add_words(self, script: Script, words: Sequence[Word]) -> None:
        """A command that its runner starts without a shell."""
        if words:
            self.add(replace(script, dialect=Dialect.ARGV, argv=tuple(words), text=Traced()))

    def add_text(self, script: Script, text: Traced, windows: Dialect | None = Dialect.CMD) -> None:
        """A text that the system's shell reads: `sh -c`, and on Windows another one (None: `sh` too)."""
        if not text.text.strip():
            return
        ready = replace(script, text=text)
        if windows is None:
            self.add(ready)
            return
        allowed = frozenset(self.setting.platforms) if script.platforms is None else script.platforms
        if not allowed & WINDOWS:
            self.add(ready)
            return
        self.add(replace(ready, platforms=allowed - WINDOWS))
        self.add(replace(ready, dialect=windows, platforms=allowed & WINDOWS))


class ToolTasks(Tasks):
    """Those of a table `[tool.HOST]` of a pyproject.toml."""

    def __init__(
        self, host: str, source: SourceText, setting: Setting, env: Mapping[str, Traced] | None = None
    ) -> None:
        super().__init__(host, source, setting, env)
        document = toml(source)
        self.told.update(dict.fromkeys(document.problems))
        self.root = inner(document.root, "tool", host)


class TasksByPlatform(Tasks):
    """Where each platform is read for itself: what is the same on several comes to one script."""

    def __init__(
        self, host: str, source: SourceText, setting: Setting, env: Mapping[str, Traced] | None = None
    ) -> None:
        super().__init__(host, source, setting, env)
        self._merged: dict[object, list[Script]] = {}

    def put(self, script: Script) -> None:
        """A script for one platform."""
        alike = self._merged.setdefault((script.unit, script.via, script.text.text, script.dialect), [])
        for index, other in enumerate(alike):
            if replace(other, platforms=None) == replace(script, platforms=None):
                both = (other.platforms or frozenset()) | (script.platforms or frozenset())
                alike[index] = replace(other, platforms=both)
                return
        alike.append(script)

    def reading(self) -> Reading:
        asked = frozenset(self.setting.platforms)
        for alike in self._merged.values():
            self.found += [replace(s, platforms=None if s.platforms == asked else s.platforms) for s in alike]
        return super().reading()


def called_key(env: Mapping[str, Traced], *more: object) -> tuple[object, ...]:
    """What makes two calls of the same part equal."""
    return (*more, tuple((n, v.pieces) for n, v in sorted(env.items())))


def pieces(words: Iterable[Traced]) -> tuple[object, ...]:
    return tuple(w.pieces for w in words)


def front(
    words: Sequence[Word], valued: Iterable[str], stops: Iterable[str] = ()
) -> tuple[list[tuple[str, Traced]], tuple[Word, ...]] | None:
    """The options in front of a command line with their values, and the words behind them.

    None where one of ``stops`` says that nothing is run.
    """
    takes, ends = frozenset(valued), frozenset(stops)
    found: list[tuple[str, Traced]] = []
    at = 0
    while at < len(words) and words[at].text.startswith("-") and words[at].text != "--":
        word = words[at]
        name, equals, _ = word.text.partition("=")
        at += 1
        if name in ends:
            return None
        value: Traced = word.cut(len(name) + 1, len(word))
        if not equals and name in takes:
            value = words[at] if at < len(words) else Traced()
            at += 1
        found.append((name, value))
    return found, tuple(words[at:])


def options_and_names(
    words: Sequence[Word], valued: Iterable[str], stops: Iterable[str] = ()
) -> tuple[list[tuple[str, Traced]], list[Word]] | None:
    """The options, wherever they stand, with their values, and the words between them; None as for `front`."""
    takes, ends = frozenset(valued), frozenset(stops)
    options: list[tuple[str, Traced]] = []
    names: list[Word] = []
    rest: Sequence[Word] = words
    while rest:
        said = front(rest, takes, ends)
        if said is None:
            return None
        options += said[0]
        names += said[1][:1]
        rest = said[1][1:]
    return options, names
