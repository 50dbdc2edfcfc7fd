"""The scripts of a conda recipe: where they stand, what is set for them, who reads them.

Shared by both formats of recipes; neither is known here. Follows conda-build's "Build scripts" and rattler-build's
"Build scripts": bash reads a script on Linux and macOS, cmd on Windows, and an error ends it.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from flagguard.command import Dialect, Script
from flagguard.hosts import Setting, conda_platform
from flagguard.hosts.pipelines import Frame, Shell, lines
from flagguard.hosts.shells import SHELLS
from flagguard.paths import inside
from flagguard.text import Piece, Problem, SourceText, Span, Traced
from flagguard.values import dataclass, field, replace

NAME = "conda"

BASH = Shell(Dialect.BASH, errexit=True)
CMD = Shell(Dialect.CMD)
_BY_EXTENSION = {
    ".sh": BASH,
    ".bat": CMD,
    ".cmd": CMD,
    ".ps1": Shell(Dialect.POWERSHELL),
    ".py": Shell(Dialect.UNREAD, language="python"),
    ".pl": Shell(Dialect.UNREAD, language="perl"),
    ".r": Shell(Dialect.UNREAD, language="R"),
    ".rb": Shell(Dialect.UNREAD, language="ruby"),
    ".js": Shell(Dialect.UNREAD, language="node"),
    ".nu": Shell(Dialect.UNREAD, language="nushell"),
}
_MOST_CHOICES = 4
"""Open selectors that the lines of one script are parted by; past that all its lines are read at once."""


@dataclass(frozen=True)
class Line:
    """A line of a script, and the selector that it hangs on, if that is open."""

    text: Traced
    condition: str = ""


def bodies(parts: Sequence[Line]) -> Iterator[tuple[Traced, tuple[str, ...]]]:
    """Every text that the lines may come to, and what was assumed for it."""
    open_ = list(dict.fromkeys(part.condition for part in parts if part.condition))
    if len(open_) > _MOST_CHOICES:
        yield lines(part.text for part in parts), ()
        return
    for answers in product((True, False), repeat=len(open_)):
        holds = dict(zip(open_, answers, strict=True))
        kept = [part.text for part in parts if holds.get(part.condition, True)]
        if kept:
            yield lines(kept), tuple(c if holds[c] else denied(c) for c in open_)


def denied(condition: str) -> str:
    """The opposite, as words."""
    inner = condition.removeprefix("not ")
    return inner if inner != condition and inner.isidentifier() else f"not ({condition})"


@dataclass(frozen=True)
class Here:
    """A recipe on one platform, with what was assumed for it."""

    source: SourceText
    setting: Setting
    platform: str
    used: frozenset[str]
    """The languages whose compilers it asks for."""
    tree: str | None = None
    """The folder of the repository that is its source."""
    tests: str | None = None
    """The folder whose files its tests find where they run."""
    values: Mapping[str, Traced] = field(default_factory=dict)
    """Variables of its own: the variant's, `PKG_NAME`."""
    when: tuple[str, ...] = ()
    package: str = ""
    told: dict[Problem, None] = field(default_factory=dict, compare=False)

    @property
    def folder(self) -> str:
        return posixpath.dirname(self.source.path)

    @property
    def windows(self) -> bool:
        return self.platform.startswith("windows")

    @property
    def shell(self) -> Shell:
        return CMD if self.windows else BASH

    def assuming(self, *said: str) -> "Here":
        return replace(self, when=(*self.when, *(one for one in said if one and one not in self.when)))

    def tell(self, line: int, message: str, key: str, fatal: bool = False) -> None:
        self.told[Problem(self.source.path, line, f"{key}: {message}", key=key, fatal=fatal)] = None

    def script(self, step: str, body: Traced, own: Mapping[str, Traced], shell: Shell | None = None) -> Script:
        state = "TEST" if step == "test" else "BUILD"
        given = conda_platform.environment(self.platform, state, self.used, self.folder, self.tree)
        frame = Frame(
            NAME,
            job=self.package or None,
            platforms=frozenset({self.platform}),
            values={**given, **self.values, **own},
            shell=shell or self.shell,
            when=self.when,
            directory=self.tree if step == "build" else self.tests,
            outside=tuple(n for n in conda_platform.also_set(self.used) if n not in self.values and n not in own),
        )
        return frame.script(step, _with_folders(body, given))

    def exists(self, name: str) -> SourceText | None:
        """A file beside the recipe."""
        path = inside(self.folder, name)
        return self.setting.files.read(path) if path is not None else None

    def file(self, step: str, name: str, own: Mapping[str, Traced], shell: Shell | None = None) -> Iterator[Script]:
        """A file beside the recipe, as the script that it is; nothing where there is none."""
        source = self.exists(name)
        if source is None:
            return
        said = shell or _BY_EXTENSION.get(posixpath.splitext(name)[1].lower())
        if said is None or (said.dialect is Dialect.CMD and not self.windows):
            return
        if said.language == "python":
            from flagguard.hosts import python

            if python.claims(source.path, source.text[:256].encode("utf-8", "surrogateescape")):
                return
        yield replace(self.script(step, source.traced(), own, said), file=source.path)


def shell_named(name: str) -> Shell | None:
    """The shell that `interpreter` asks for; None: the platform's."""
    word = posixpath.basename(name.split(maxsplit=1)[0]) if name.split() else ""
    if not word:
        return None
    if word.startswith("cmd"):
        return CMD
    dialect = SHELLS.get(word, Dialect.UNREAD)
    return Shell(dialect, errexit=dialect in (Dialect.BASH, Dialect.SH), language=word)


def platforms(source: SourceText, setting: Setting, batch: Iterable[str]) -> tuple[str, ...]:
    """Those to read for; Windows too where a batch file lies beside the recipe, which is for nothing else."""
    folder = posixpath.dirname(source.path)
    found = tuple(setting.platforms)
    if not any(one.startswith("windows") for one in found):
        paths = (inside(folder, name) for name in batch)
        if any(path is not None and setting.files.read(path) is not None for path in paths):
            return (*found, "windows-x86_64")
    return found


def named_files(text: str) -> list[str]:
    """The batch files that a recipe names."""
    return [word for word in text.replace('"', " ").replace("'", " ").split() if word.endswith((".bat", ".cmd"))]


def span_line(source: SourceText, text: Traced, span: Span) -> int:
    """The line that a text stands in."""
    route = text.route
    return source.position(route[0].start if route else span.start)[0]


_FOLDERS = frozenset(("SRC_DIR", "RECIPE_DIR", "PREFIX", "BUILD_PREFIX"))


def _with_folders(body: Traced, given: Mapping[str, Traced]) -> Traced:
    """`{{ SRC_DIR }}` says what the variable does (conda-build's jinja_context.py, `context_processor`)."""
    parts: list[Piece] = []
    for piece in body.pieces:
        name = piece.hole.name if piece.hole is not None and piece.hole.path is None else None
        known = given.get(name) if name in _FOLDERS else None
        parts += known.through(piece.route).pieces if known is not None else (piece,)
    return Traced(tuple(parts))
