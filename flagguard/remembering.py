"""The whole way from a tree to its report, with what earlier runs of the same tree came to.

Of each file is kept what it was judged as, under the content of all that was looked at for it: the file, every file
that was opened or looked for, the list of the files where that was looked at, the commands of it that other files run;
and, for all files together, the configuration, the version and its own files, and Python. A file that no format claims
is kept with its first bytes, by which that was decided. Where one of these differs the file is read and judged again,
so the outcome is the one of `checking`; over an unchanged tree none of the stages up to there is imported.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from flagguard import __version__, packs, stored
from flagguard import cache as store
from flagguard.concluding import report
from flagguard.config import Config
from flagguard.discover import Tree, excluded
from flagguard.findings import Judged, Report
from flagguard.reaching import Part, left_out
from flagguard.text import Span
from flagguard.values import dataclass

if TYPE_CHECKING:
    from flagguard.engine import FileCommands

_PREFIX = "tree-"
_HELD = 5_000
"""Commands that are held until it is known which of them others run; about 6 kB each."""
_MUCH = 300
"""From how many commands on it is worth while to ask first what is known of who runs them."""
_MANY = 12
"""From how many files on it is worth while to start processes."""
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


_Share = tuple[tuple[tuple[int, int], ...], tuple[str, ...]]
"""Of one file, what others run: the places of commands, and the names of parts."""
_NOTHING: _Share = ((), ())


@dataclass(frozen=True)
class Outcome:
    """The files that hold commands, by their paths, and what the rules say of them."""

    paths: tuple[str, ...]
    report: Report


def check(
    tree: Tree,
    config: Config,
    *,
    asked: Callable[[str], bool] | None = None,
    kept: bool = True,
    strict: bool = False,
    jobs: int = 1,
) -> Outcome:
    """Judge the tree; ``asked`` as in `concluding`. The tree may have no overlay.

    Not ``kept``: nothing is remembered and nothing is kept. ``strict`` lets exceptions through. One file after the
    other is judged and let go, so that the memory that this takes does not grow with the number of commands; up to
    ``jobs`` processes share many files.
    """
    run = _Run(tree, config, strict, jobs)
    if kept:
        run.recall()
    run.judge_the_rest()
    if kept:
        run.keep()
    judged = run.judged
    return Outcome(tuple(judged), report(tuple(judged.values()), config, asked))


@dataclass(frozen=True, slots=True)
class _Entry:
    """One file: the state of everything that was looked at, and what came of it."""

    states: tuple[tuple[str, bytes], ...]
    lists: bytes | None
    """The state of the list of files, where it was looked at."""
    share: _Share
    """What others run of the file: it was left out."""
    reaches: tuple[tuple[str, int, int], ...]
    calls: tuple[tuple[str, Part], ...]
    judged: Any
    """None: the file holds no commands of its own."""
    unclaimed: bool = False
    """No format claims it, by its path and its first bytes: these are its state."""


class _Run:
    def __init__(self, tree: Tree, config: Config, strict: bool, jobs: int) -> None:
        self.tree = tree
        self.jobs = jobs
        self.strict = strict
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
        self._unkept: set[str] = set()
        self._found: dict[str, FileCommands] = {}
        self._room = _HELD

    # -- what was kept ------------------------------------------------------------------------------------------------

    def recall(self) -> None:
        kept = store.load(self._name, self._key)
        if not isinstance(kept, dict):
            return
        for path in self.paths:
            entry = _entry(kept.get(path))
            with suppress(ValueError, TypeError):  # something else was kept
                if entry is not None and self._holds(path, entry):
                    if entry.judged is not None:
                        self._judged[path] = stored.unpacked(entry.judged)
                    self._good[path] = entry
        self._dirty = len(kept) != len(self._good)

    def _holds(self, path: str, entry: _Entry) -> bool:
        if entry.unclaimed:
            return entry.states == ((path, self._first(path)),)
        if entry.lists is not None and entry.lists != self._list():
            return False
        states = dict(entry.states)
        return path in states and all(self._state(other) == state for other, state in states.items())

    # -- what is judged now -------------------------------------------------------------------------------------------

    def judge_the_rest(self) -> None:
        rest = [path for path in self.paths if path not in self._good]
        if self.jobs > 1 and len(rest) >= _MANY:
            self._share_out(rest)
        for path in [path for path in rest if path not in self._good]:
            self._judge(path, None)
        for path, share in self._changed_shares():  # who is run by whom is known only now
            self._judge(path, share)

    def _changed_shares(self) -> list[tuple[str, _Share]]:
        shares = self._shares()
        found = [(path, entry.share, shares.get(path, _NOTHING)) for path, entry in self._good.items()]
        return [(path, new) for path, old, new in found if new != old]

    def _share_out(self, paths: list[str]) -> None:
        """Let several processes judge the files; what is missing afterwards is left to this one."""
        from flagguard import checking, forking, shell  # noqa: F401  (imported once, not in each process)
        from flagguard.hosts import hosts_for

        paths = [path for path in paths if hosts_for(path, self.tree.head(path) or b"")]
        if len(paths) < _MANY:
            return
        size = {path: len(source.text) if (source := self.tree.read(path)) else 0 for path in paths}
        with forking.Workers(min(self.jobs, len(paths)), self._answer) as workers:
            largest_first = sorted(paths, key=lambda path: -size[path])
            of = {}
            for answer, worker in workers.answers((path, None) for path in largest_first):
                of[self._take(answer)] = worker
            if any(path not in self._good for path in paths):
                return
            changed = [(path, share) for path, share in self._changed_shares() if path in of]
            for answer, _ in workers.answers(changed, lambda question: of[question[0]]):
                self._take(answer)

    def _answer(self, question: tuple[str, _Share | None]) -> tuple[str, Any]:
        path, share = question
        self._judge(path, share)
        return path, None if path in self._unkept else _plain(self._good[path])

    def _take(self, answer: tuple[str, Any]) -> str:
        path, plain = answer
        entry = _entry(plain)
        if entry is not None:
            self._good[path] = entry
            if entry.judged is not None:
                self._judged[path] = stored.unpacked(entry.judged)
        else:
            self._good.pop(path, None)
        return path

    def _judge(self, path: str, share: _Share | None) -> None:
        """Judge one file; ``share`` is what others run of it, None where that is not known yet."""
        from flagguard.checking import judged_file
        from flagguard.engine import commands_of, without
        from flagguard.hosts import hosts_for

        self._dirty = True
        found = self._found.pop(path, None) or commands_of(path, self.tree, self.config, self.strict)
        if found is None:
            head = self.tree.head(path)
            unclaimed = head is not None and not hosts_for(path, head)
            state = self._first(path) if unclaimed else self._state(path)
            self._good[path] = _Entry(((path, state),), None, _NOTHING, (), (), None, unclaimed)
            return
        looked = {path, *found.depends, *(command.span.path for command in found.commands)}
        reaches = tuple(sorted((span.path, span.start, span.end) for span in found.reaches))
        calls = tuple(sorted(found.calls))
        if share is None:
            self._hold(path, found)
            # callers often come first (`.github/…`), and what they run need not be judged and then judged again
            share = self._shares().get(path, _NOTHING) if len(found.commands) > _MUCH else _NOTHING
        if share != _NOTHING:
            places, parts = share
            found = without(found, frozenset(Span(path, *place) for place in places), frozenset(parts))
        judged, opened = judged_file(found, self.tree, self.config, self.strict)
        looked |= opened
        self._judged[path] = judged
        self._good[path] = _Entry(
            tuple((other, self._state(other)) for other in sorted(looked)),
            self._list() if found.lists else None,
            share,
            reaches,
            calls,
            self._packed(path, judged),
        )

    def _hold(self, path: str, found: "FileCommands") -> None:
        """Others may turn out to run some of it; but not so many that memory grows with the tree."""
        if self._room > 0:
            self._room -= len(found.commands)
            self._found[path] = found

    def _packed(self, path: str, judged: Judged) -> Any:
        """What may be kept; nothing of what a defect of ours stood in the way of: the next run tries again."""
        with suppress(ValueError):
            if not any(problem.message.startswith("internal error") for problem in judged.problems):
                return stored.packed(judged)
        self._unkept.add(path)
        return None

    def _shares(self) -> dict[str, _Share]:
        found = left_out(
            (path, [Span(*place) for place in entry.reaches], entry.calls) for path, entry in self._good.items()
        )
        return {
            path: (tuple(sorted((span.start, span.end) for span in spans)), tuple(sorted(parts)))
            for path, (spans, parts) in found.items()
        }

    @property
    def judged(self) -> dict[str, Judged]:
        """By path, in their order."""
        return {path: self._judged[path] for path in self.paths if path in self._judged}

    def keep(self) -> None:
        if self._dirty:
            kept = {path: _plain(entry) for path, entry in self._good.items() if path not in self._unkept}
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
        """The bytes by which a format claims a file."""
        head = self.tree.head(path)
        return b"refused" if head is None else _digest(head)

    def _list(self) -> bytes:
        if self._listing is None:
            self._listing = _digest(*(path.encode("utf-8", "surrogateescape") for path in self.tree.paths()))
        return self._listing


def _key(config: Config) -> bytes:
    """All that the judgement of a file depends on besides the files of the tree."""
    facts = [__version__, sys.version, config.path or "", *_stamps(_PACKAGE), *_stamps(str(packs.folder()))]
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
            facts.append(f"{folder} {os.stat(folder).st_mtime_ns}")  # another version of a parser was installed
    if config.source is not None:
        facts.append(config.source.text)
    else:
        facts += [repr(part) for part in (config.rules, config.exemptions, config.baseline, config.assume)]
        facts += [repr(config.exclude), repr(config.tools), repr(config.wrappers), repr(config.runners)]
    return _digest(*(fact.encode("utf-8", "surrogateescape") for fact in facts))


def _stamps(folder: str) -> list[str]:
    """Size and time of each file of ours, so that a changed checkout is another version."""
    found = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    found += _stamps(entry.path)
            else:
                status = entry.stat()
                found.append(f"{entry.path} {status.st_size} {status.st_mtime_ns}")
    return found


def _digest(*parts: bytes) -> bytes:
    state = blake2b(digest_size=16)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


def _plain(entry: _Entry) -> tuple[Any, ...]:
    return entry.states, entry.lists, entry.share, entry.reaches, entry.calls, entry.judged, entry.unclaimed


def _entry(plain: object) -> _Entry | None:
    return _Entry(*plain) if isinstance(plain, tuple) and len(plain) == len(_Entry.__match_args__) else None
