"""Bazel's configuration files: the options that a `.bazelrc` gives to commands, and those that no command reaches.

Follows https://bazel.build/run/bazelrc: one command and its options on a line, `command:config` for a group that
`--config` names, `import` and `try-import`, and what each command inherits.
"""

from collections.abc import Iterator, Sequence

from flagguard.command import Call, Command, Place, Reading, Word, word
from flagguard.hosts import Files, Folded, Setting
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.reaching import Part
from flagguard.text import Piece, Problem, SourceText, Span, Traced, join
from flagguard.tools.streams import cut_blank
from flagguard.values import dataclass, replace

NAME = "bazelrc"

_LINE = expression(r"(?:[^\n\\]|\\\r?\n|\\.)+")
_BUILDS = "test run clean mobile-install info print_action config cquery aquery fetch"
_BELOW: dict[str, tuple[str, ...]] = {
    # what a command takes besides its own lines ("Option inheritance"), from the most general to the most special
    "build": (),
    **dict.fromkeys(_BUILDS.split(), ("build",)),
    "coverage": ("build", "test"),
}
_SYSTEMS = {"linux": "linux", "macos": "macos", "windows": "windows", "freebsd": "freebsd"}
_DEEPEST = 20
_MOST_FILES = 100
_MOST_GROUPS = 1_000
"""Groups that the options of one command may come to: Bazel refuses those that name each other."""


@dataclass(frozen=True)
class Line:
    """One line of a file."""

    command: str
    config: str
    words: tuple[Word, ...]
    span: Span
    """Where the command is written."""

    @property
    def part(self) -> Part:
        return self.span.path, self.unit

    @property
    def unit(self) -> str:
        return f"{self.command}:{self.config}" if self.config else self.command

    def on(self, platform: str) -> bool:
        """`build:linux` is for Linux, where `--enable_platform_specific_config` is given."""
        return self.config not in _SYSTEMS or platform.startswith(_SYSTEMS[self.config])


def read(source: SourceText, setting: Setting) -> Reading:
    """Each line that gives options to a command, as the command `bazelrc:COMMAND`."""
    problems: list[Problem] = []
    calls = []
    for line in lines(source, setting.files, problems, set(), follow=False):
        if line.words and line.command != "startup":
            program = Word((Piece(f"bazelrc:{line.command}", (line.span,)),), line.span)
            platforms = frozenset(p for p in setting.platforms if line.on(p))
            if platforms:
                place = Place(NAME, target=line.unit)
                calls.append(Call((program, *line.words), place, line.span, platforms=platforms, unit=line.unit))
    return Reading(calls=tuple(calls), problems=tuple(problems))


def lines(source: SourceText, files: Files, problems: list[Problem], seen: set[str], *, follow: bool) -> Iterator[Line]:
    """The lines of a file, and of those that it imports, each once (``seen``)."""
    seen.add(source.path)
    text = source.text
    for found in _LINE.finditer(text):
        whole = source.traced(found.start(), found.end())
        words = cut_blank(_uncommented(_joined(whole)))
        if not words:
            continue
        first = words[0].text
        if first in ("import", "try-import"):
            if not follow:
                continue
            named = words[1].text.removeprefix("%workspace%/") if len(words) > 1 else ""
            path = inside("", named)
            other = files.read(path) if path is not None else None
            if other is not None and len(seen) < _MOST_FILES:
                if other.path not in seen:
                    yield from lines(other, files, problems, seen, follow=True)
            elif first == "import":
                line = source.position(found.start())[0]
                problems.append(Problem(source.path, line, f"imports `{named}`, which is not read", fatal=False))
            continue
        start = found.start() + len(found[0]) - len(found[0].lstrip())
        command, _, config = first.partition(":")
        yield Line(command, config, tuple(words[1:]), Span(source.path, start, start + len(first)))


def _joined(text: Traced) -> Traced:
    """Without backslashes at the ends of lines."""
    parts, at = [], 0
    for found in _CONTINUED.finditer(text.text):
        parts.append(text.cut(at, found.start()))
        at = found.end()
    return join([*parts, text.cut(at, len(text))])


_CONTINUED = expression(r"\\\r?\n")
_COMMENT = expression(r"(?:^|(?<=\s))#.*")


def _uncommented(text: Traced) -> Traced:
    found = _COMMENT.search(text.text)
    return text.cut(0, found.start()) if found else text


# -- what a command finds ---------------------------------------------------------------------------------------------


def fold(command: Command, setting: Setting) -> Folded | None:
    """The command with the options of `.bazelrc`, on each of its platforms."""
    files = setting.files
    texts = [w.text for w in command.argv[1:]]
    if "--ignore_all_rc_files" in texts or "--noworkspace_rc" in texts:
        return None
    paths = [".bazelrc", *(t.partition("=")[2] for t in texts if t.startswith("--bazelrc="))]
    problems: list[Problem] = []
    seen: set[str] = set()
    found = [
        line
        for path in paths
        if (source := files.read(path)) is not None
        for line in lines(source, files, problems, seen, follow=True)
    ]
    name = next((t for t in texts if not t.startswith("-")), "")
    if not found or not name:
        return None
    configs = [c for i, t in enumerate(texts) if (c := _config(t, texts[i + 1 : i + 2])) is not None]
    parts: dict[Part, None] = {}
    commands = []
    for platform in command.platforms or setting.platforms:
        chosen = _Chosen(found, ("always", "common", *_BELOW.get(name, ()), name), platform)
        words = chosen.words(configs)
        if chosen.cut:
            told = "its `--config` lead to each other, or to too many; not all of their options are judged"
            problems.append(Problem(paths[0], 1, told))
        parts.update(dict.fromkeys(chosen.parts))
        commands.append(replace(command, brought=(*command.brought, *words), platforms=(platform,)))
    return Folded(tuple(commands), tuple(parts), tuple(problems))


def _config(text: str, following: Sequence[str]) -> str | None:
    if text == "--config":
        return following[0] if following else None
    return text.removeprefix("--config=") if text.startswith("--config=") else None


class _Chosen:
    """The words that reach one command on one platform."""

    def __init__(self, found: Sequence[Line], names: Sequence[str], platform: str) -> None:
        self.found = [line for name in names for line in found if line.command == name]
        self.platform = platform
        self.parts: list[Part] = []
        self.groups = 0
        self.cut = False
        """Whether it was given up."""

    def words(self, configs: Sequence[str]) -> list[Word]:
        out = self._group("", 0)
        if any(w.text == "--enable_platform_specific_config" for w in out):
            system = next((c for c, s in _SYSTEMS.items() if self.platform.startswith(s)), "")
            out += self._group(system, 0) if system else []
        for config in configs:
            out += self._group(config, 0)
        return out

    def _group(self, config: str, depth: int) -> list[Word]:
        out: list[Word] = []
        self.groups += 1
        self.cut = self.cut or depth > _DEEPEST or self.groups > _MOST_GROUPS
        for line in () if self.cut else self.found:
            if line.config != config:
                continue
            self.parts.append(line.part)
            texts = [w.text for w in line.words]
            for i, w in enumerate(line.words):
                out.append(word(w))
                inner = _config(w.text, texts[i + 1 : i + 2])
                if inner:
                    out += self._group(inner, depth + 1)
        return out
