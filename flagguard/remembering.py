"""The whole way from a tree to its report, with what earlier runs of the same tree came to.

Of each file is kept what it was judged as, under the content of all that was looked at for it: the file, every file
that was opened or looked for, the list of the files where that was looked at, the commands of it that other files run;
and, for all files together, the configuration, the version and its own files, and Python. A file that no format claims
is kept with its first bytes, by which that was decided. Where one of these differs the file is read and judged again; so
the outcome is the one of `checking`, and over an unchanged tree none of the stages up to the judgement is imported.
"""

import os
import sys
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any

from flagguard import __version__, packs, stored
from flagguard import cache as store
from flagguard.concluding import report
from flagguard.config import Config
from flagguard.discover import Tree, excluded
from flagguard.findings import Judged, Report
from flagguard.text import Span
from flagguard.values import dataclass

_PREFIX = "tree-"
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


@dataclass(frozen=True)
class Outcome:
    """The files that hold commands, by their paths, and what the rules say of them."""

    paths: tuple[str, ...]
    report: Report


def check(tree: Tree, config: Config, *, asked: Callable[[str], bool] | None = None) -> Outcome:
    """Judge the tree; ``asked`` as in `concluding`. The tree may have no overlay."""
    run = _Run(tree, config)
    run.recall()
    run.judge_the_rest()
    run.keep()
    judged = run.judged
    return Outcome(tuple(judged), report(tuple(judged.values()), config, asked))


@dataclass(frozen=True, slots=True)
class _Entry:
    """One file: the state of everything that was looked at, and what came of it."""

    states: tuple[tuple[str, bytes], ...]
    lists: bytes | None
    """The state of the list of files, where it was looked at."""
    reached: tuple[tuple[int, int], ...]
    """Which commands of the file others run: they were left out."""
    reaches: tuple[tuple[str, int, int], ...]
    judged: Any
    """None: no format claims the file."""


class _Run:
    def __init__(self, tree: Tree, config: Config) -> None:
        self.tree = tree
        self.config = config
        self.paths = [path for path in tree.paths() if not excluded(path, config.exclude)]
        self._states: dict[str, bytes] = {}
        self._listing: bytes | None = None
        self._name = _PREFIX + _digest(os.path.abspath(tree.root).encode("utf-8", "surrogateescape")).hex()
        self._key = _key(config)
        self._kept: dict[str, _Entry] = {}
        self._good: dict[str, _Entry] = {}
        self._judged: dict[str, Judged] = {}
        self._dirty = False

    # -- what was kept ------------------------------------------------------------------------------------------------

    def recall(self) -> None:
        kept = store.load(self._name, self._key)
        if isinstance(kept, dict):
            for path in self.paths:
                entry = _entry(kept.get(path))
                if entry is not None and self._holds(path, entry):
                    self._good[path] = entry
            self._dirty = len(kept) != len(self._good)
        self._still_reached()
        for path, entry in tuple(self._good.items()):
            if entry.judged is not None:
                try:
                    self._judged[path] = stored.unpacked(entry.judged)
                except ValueError:
                    del self._good[path]

    def _holds(self, path: str, entry: _Entry) -> bool:
        if entry.judged is None:
            return len(entry.states) == 1 and entry.states[0] == (path, self._first(path))
        if entry.lists is not None and entry.lists != self._list():
            return False
        return all(self._state(other) == state for other, state in entry.states)

    def _still_reached(self) -> None:
        """Leave out what was judged less commands that nobody else runs any more, or with some that somebody runs."""
        if any(entry.reaches or entry.reached for entry in self._good.values()):
            reached = self._reached()
            for path, entry in tuple(self._good.items()):
                if entry.reached != reached.get(path, ()):
                    del self._good[path]

    # -- what is judged now -------------------------------------------------------------------------------------------

    def judge_the_rest(self) -> None:
        rest = [path for path in self.paths if path not in self._good]
        if not rest:
            return
        self._dirty = True
        for path in rest:
            self._judge(path, ())
        # who is run by whom is known only now
        reached = self._reached()
        again = [path for path, entry in self._good.items() if entry.reached != reached.get(path, ())]
        for path in again:
            self._judge(path, reached.get(path, ()))

    def _judge(self, path: str, reached: tuple[tuple[int, int], ...]) -> None:
        from flagguard.checking import judged_file
        from flagguard.engine import commands_of, without

        found = commands_of(path, self.tree, self.config, strict=False)
        if found is None:
            self._good[path] = _Entry(((path, self._first(path)),), None, (), (), None)
            return
        if reached:
            found = without(found, frozenset(Span(path, *place) for place in reached))
        judged, opened = judged_file(found, self.tree, self.config, strict=False)
        looked = {path, *found.depends, *opened, *(command.span.path for command in found.commands)}
        self._judged[path] = judged
        self._good[path] = _Entry(
            tuple((other, self._state(other)) for other in sorted(looked)),
            self._list() if found.lists else None,
            reached,
            tuple(sorted((span.path, span.start, span.end) for span in found.reaches)),
            stored.packed(judged),
        )

    def _reached(self) -> dict[str, tuple[tuple[int, int], ...]]:
        places: dict[str, set[tuple[int, int]]] = {}
        for entry in self._good.values():
            for path, start, end in entry.reaches:
                places.setdefault(path, set()).add((start, end))
        return {path: tuple(sorted(found)) for path, found in places.items()}

    @property
    def judged(self) -> dict[str, Judged]:
        """By path, in their order."""
        return {path: self._judged[path] for path in self.paths if path in self._judged}

    def keep(self) -> None:
        if self._dirty:
            kept = {path: _plain(entry) for path, entry in self._good.items() if not _failed(self._judged.get(path))}
            store.save(self._name, self._key, kept)
            store.prune(_PREFIX)

    # -- states -------------------------------------------------------------------------------------------------------

    def _state(self, path: str) -> bytes:
        """What a reader may see of a file: its text, why there is none, and where it leads as a link."""
        state = self._states.get(path)
        if state is None:
            source = self.tree.read(path)
            if source is not None:
                state = _digest(b"text", source.text.encode("utf-8", "surrogateescape"))
            else:
                state = _digest(b"none", repr(self.tree.trouble(path)).encode("utf-8", "surrogateescape"))
            link = self.tree.links_to(path)
            if link is not None:
                state = _digest(state, link.encode("utf-8", "surrogateescape"), self._first(link))
            self._states[path] = state
        return state

    def _first(self, path: str) -> bytes:
        """The bytes by which a format claims a file; what is a link, or cannot be opened, is not kept by them."""
        head = self.tree.head(path)
        link = self.tree.links_to(path)
        return _digest(b"refused" if head is None else b"head", head or b"", repr(link).encode("utf-8", "replace"))

    def _list(self) -> bytes:
        if self._listing is None:
            self._listing = _digest(*(path.encode("utf-8", "surrogateescape") for path in self.tree.paths()))
        return self._listing
