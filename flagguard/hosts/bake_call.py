"""The command lines that build the targets of bake files, and what they hand to them.

Follows https://docs.docker.com/reference/cli/docker/buildx/bake/ and https://docs.docker.com/build/bake/overrides/: a
variable of the environment goes over a variable's default, `--set` over what targets say.
"""

from collections.abc import Iterator, Sequence

from flagguard.command import Command, Reading, Script, Word
from flagguard.hosts import Entered, Setting
from flagguard.hosts.bake import NAME, Bake, BakeFile, Given, Override
from flagguard.hosts.pipelines import Notes, guarded
from flagguard.paths import inside, resolved
from flagguard.text import SourceText, Traced

_VALUED = frozenset(
    "-f --file --set --metadata-file --progress --provenance --sbom --allow --builder --call --list --var".split()
)
_NO_BUILD = frozenset("--print --check --call --list --list-targets --list-variables -h --help".split())
_DEFAULTS = ("docker-bake.json", "docker-bake.hcl", "docker-bake.override.json", "docker-bake.override.hcl")
"""What is looked for where no file is named; compose files come before them, and are not read here."""


def enter(command: Command, setting: Setting) -> Entered | None:
    words = _behind(command.argv)
    if words is None or command.directory is None:
        return None
    folder = command.directory
    files, given = _read(words)
    if files is None or any("://" in t.text or not t.known for t in given.targets):
        return None
    named = [resolved(file, folder) for file in files]
    paths = [path for path in named if path is not None and path.endswith((".hcl", ".json"))]
    if not files:
        paths = [path for name in _DEFAULTS if (path := inside(folder, name)) is not None]
    sources = [found for path in paths if (found := setting.files.read(path)) is not None]
    if not sources or (files and len(sources) < len(files)):
        return None  # a compose file among them, or one that is not there
    given = Given(given.targets, given.overrides, {n: Traced(v.pieces) for n, v in command.env.items()})
    texts = tuple((name, value.pieces) for name, value in sorted(given.environment.items()))
    sets = tuple((o.pattern, o.key, o.name, o.value.pieces) for o in given.overrides)
    key = (NAME, tuple(s.path for s in sources), tuple(t.text for t in given.targets), sets, texts, folder)
    return Entered(sources[0].path, key, lambda inner: _reading(sources, given, folder, inner))


def _reading(sources: Sequence[SourceText], given: Given, folder: str, setting: Setting) -> Reading:
    notes = Notes(setting)
    for source in sources:
        notes.keep(source)

    def scripts() -> Iterator[Script]:
        files = [found for source in sources if (found := BakeFile.of(source, notes)) is not None]
        if files:
            yield from Bake(files, notes, setting, folder, given).called()

    path = sources[0].path
    return Reading(guarded(notes, path, scripts), problems=notes.all(), depends=tuple(s.path for s in sources[1:]))


def _behind(argv: Sequence[Word]) -> Sequence[Word] | None:
    """The words behind `docker buildx bake`, `docker bake`, `buildx bake`."""
    names = [word.text for word in argv[1:3]]
    if names[:2] == ["buildx", "bake"]:
        return argv[3:]
    return argv[2:] if names[:1] == ["bake"] else None


def _read(words: Sequence[Word]) -> tuple[list[Traced] | None, Given]:
    """The files that are named (None: nothing is built), the targets, and what goes over them."""
    files: list[Traced] = []
    targets: list[Traced] = []
    overrides: list[Override] = []
    at = 0
    while at < len(words):
        word: Traced = words[at]
        at += 1
        if not word.text.startswith("-"):
            targets.append(Traced(word.pieces))
            continue
        name, equals, _ = word.text.partition("=")
        if name in _NO_BUILD:
            return None, Given()
        value: Traced | None = word.cut(len(name) + 1, len(word)) if equals else None
        if value is None and name in _VALUED:
            value = words[at] if at < len(words) else None
            at += 1
        if value is not None and name in ("-f", "--file"):
            files.append(Traced(value.pieces))
        elif value is not None and name == "--set":
            overrides += _override(value)
    return files, Given(tuple(targets), tuple(overrides))


def _override(value: Traced) -> Iterator[Override]:
    """`TARGET.KEY[.NAME]=VALUE`."""
    left, equals, _ = value.text.partition("=")
    # a pattern that the shell finds no file for stays as it is
    parts = value.cut(0, len(left)).shown.split(".", 2)
    if equals and len(parts) > 1:
        said = Traced(value.cut(len(left) + 1, len(value)).pieces)
        yield Override(parts[0], parts[1], parts[2] if len(parts) > 2 else "", said)
