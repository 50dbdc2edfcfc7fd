"""What an image under construction is like: its variables, its shell, its folder, and where its files come from.

Follows "ARG", "ENV", "WORKDIR", "COPY" and "SHELL" in https://docs.docker.com/reference/dockerfile/. The order of the
instructions is not known here.
"""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from posixpath import basename, join, normpath

from flagguard.command import Dialect, Word
from flagguard.hosts import Files
from flagguard.hosts.shells import SHELLS, options, program
from flagguard.paths import Layout, inside
from flagguard.text import Decider, Hole, Shape, Traced, hole
from flagguard.values import dataclass, field

UNKNOWN_FOLDER = "/$WORKDIR"
"""The folder that an image begins in: only the base image says which."""

_MOST_COPIES = 1000

_PATHS = (
    # The images of Docker's library (docker-library/*), rustlang/rust, NVIDIA's cuda, conda-forge's miniforge
    "PATH GOPATH GOROOT CARGO_HOME RUSTUP_HOME JAVA_HOME CUDA_HOME LD_LIBRARY_PATH LIBRARY_PATH CONDA_DIR VIRTUAL_ENV "
    "GRADLE_HOME MAVEN_HOME NODE_PATH GEM_HOME BUNDLE_PATH EMSDK"
).split()
_VERSIONS = (
    "PYTHON_VERSION PYTHON_PIP_VERSION NODE_VERSION YARN_VERSION GOLANG_VERSION RUST_VERSION RUBY_VERSION JAVA_VERSION "
    "CUDA_VERSION NV_CUDA_LIB_VERSION NVARCH NV_CUDNN_VERSION PHP_VERSION PERL_VERSION SWIFT_VERSION"
).split()
BASE_SETS: Mapping[str, Shape] = {
    **dict.fromkeys(_PATHS, Shape.PATH),
    **dict.fromkeys(_VERSIONS, Shape.PATH),
}
"""Variables that well-known base images set, with values that nobody knows here."""


@dataclass
class Image:
    """One stage on its way."""

    env: dict[str, Traced] = field(default_factory=dict)
    """What a RUN sees: ENV and ARG, in the order in which they were said; a later one wins."""
    kept: dict[str, Traced] = field(default_factory=dict)
    """What the finished image keeps of it: ENV."""
    chosen: dict[str, str] = field(default_factory=dict)
    """The values given for arguments that have a default."""
    shell: tuple[Word, ...] = ()
    folder: str | None = UNKNOWN_FOLDER
    copies: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    written: dict[str, Traced] = field(default_factory=dict)
    """The files that here-documents have made, by path."""
    entrypoint: tuple[Word, ...] | Traced | None = None
    """A list of words, or a line for the shell."""
    command: tuple[Word, ...] | Traced | None = None
    triggers: list[object] = field(default_factory=list)
    windows: bool = False
    empty: bool = False
    """It begins with nothing (`FROM scratch`), so that nobody else has set a variable."""
    platform: str | None = None
    """The platform that it runs on, where that is not the one that is built for."""
    crosses: bool = False
    """That platform is the build machine's, and what is built is for another one."""

    def child(self) -> "Image":
        """What a stage begins with whose base is this one."""
        return Image(
            dict(self.env),
            dict(self.kept),
            dict(self.chosen),
            self.shell,
            self.folder,
            list(self.copies),
            dict(self.written),
            self.entrypoint,
            self.command,
            [],
            self.windows,
            self.empty,
            self.platform,
            self.crosses,
        )

    def lookup(self, name: str) -> Traced | None:
        """What the builder puts in place of a variable."""
        found = self.env.get(name)
        if found is None and name in BASE_SETS and not self.empty:
            return hole(Hole(f"${name}", "the base image sets it", Decider.OUTSIDE, BASE_SETS[name], name))
        return found

    @property
    def outside(self) -> tuple[str, ...]:
        """The variables that the base image may have set."""
        return () if self.empty else tuple(name for name in BASE_SETS if name not in self.env)

    @property
    def layout(self) -> Layout:
        return Layout(tuple(self.copies))

    # -- folders and files --------------------------------------------------------------------------------------------

    def path(self, text: Traced) -> str | None:
        """A path in the image, seen from its folder; None where it is not known."""
        if not text.known or self.windows:
            return None
        if text.text.startswith("/"):
            return normpath(text.text)
        return normpath(join(self.folder, text.text)) if self.folder is not None else None

    def copy(self, sources: Sequence[Traced], target: Traced, contexts: Sequence[str], files: Files) -> None:
        """COPY from the build's context, whose folder is one of ``contexts``."""
        there = self.path(target)
        if there is None:
            return
        for source in sources:
            if not source.known or "://" in source.text or source.text.startswith("git@"):
                continue
            name = normpath("/" + source.text).lstrip("/")
            if set(name) & set("*?["):
                self._matching(name, there, contexts, files)
                continue
            found = tuple(dict.fromkeys(p for c in contexts if (p := inside(c, name or ".")) is not None))
            self._add(name, there, found)

    def _add(self, name: str, there: str, found: tuple[str, ...]) -> None:
        if found:
            if name:  # a file goes into a folder by its name; the contents of a folder stand right below
                self.copies.append((join(there, basename(name)), found))
            self.copies.append((there, found))

    def _matching(self, pattern: str, there: str, contexts: Sequence[str], files: Files) -> None:
        depth = pattern.count("/")
        for context in contexts:
            start = f"{context}/" if context else ""
            names = {
                "/".join(path[len(start) :].split("/")[: depth + 1]) for path in files.paths() if path.startswith(start)
            }
            for name in sorted(n for n in names if n.count("/") == depth and fnmatchcase(n, pattern)):
                self._add(name, there, (start + name,))

    def copy_from(self, other: "Image", sources: Sequence[Traced], target: Traced) -> None:
        """COPY from another stage."""
        there = self.path(target)
        if len(self.copies) + len(other.copies) > _MOST_COPIES:
            return
        for source in sources if there is not None else ():
            path = normpath("/" + source.text.lstrip("/")) if source.known else None
            if path is None:
                continue
            for begin, found in other.copies:
                if begin == path or begin.startswith(path.rstrip("/") + "/"):
                    rest = begin[len(path) :].lstrip("/")
                    self.copies += [(normpath(join(base, rest)), found) for base in _targets(path, there)]
                elif path.startswith(begin.rstrip("/") + "/"):
                    deeper = path[len(begin) :].lstrip("/")
                    moved = tuple(p for f in found if (p := inside(f, deeper)) is not None)
                    self.copies += [(base, moved) for base in _targets(path, there)]
            for begin, text in list(other.written.items()):
                if begin == path or begin.startswith(path.rstrip("/") + "/"):
                    rest = begin[len(path) :].lstrip("/")
                    for base in _targets(path, there):
                        self.written[normpath(join(base, rest))] = text

    def write(self, name: str, target: Traced, text: Traced) -> None:
        """A file made from a here-document."""
        there = self.path(target)
        if there is not None:
            into = target.text.endswith("/") or there == self.folder
            self.written[join(there, name) if into else there] = text


def _targets(path: str, there: str | None) -> Iterable[str]:
    """Where a copied file or folder may come to stand."""
    assert there is not None
    return (there,) if path == "/" else (join(there, basename(path)), there)


# -- shells -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shell:
    """How the shell form is read."""

    dialect: Dialect
    errexit: bool = False
    pipefail: bool = False
    language: str = ""
    """What an unread shell is called."""


def shell_of(image: Image) -> Shell | None:
    """The shell of the shell form; None where it is a wrapper around one, or has no option that takes a text."""
    words = [word.text for word in image.shell]
    if not words:
        return Shell(Dialect.CMD if image.windows else Dialect.SH)
    name = program(words[0]).lower()
    if name == "cmd":
        return Shell(Dialect.CMD)
    if name in SHELLS and SHELLS[name] is Dialect.UNREAD:
        return Shell(Dialect.UNREAD, language=name)
    if name in ("pwsh", "powershell"):
        return Shell(Dialect.POWERSHELL)
    if name in SHELLS and words[-1].startswith("-") and words[-1].endswith("c"):
        return Shell(SHELLS[name], *options(words[1:]))
    return None
