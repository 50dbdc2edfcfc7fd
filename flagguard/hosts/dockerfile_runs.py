"""The commands of a Dockerfile's instructions as scripts: RUN, CMD, ENTRYPOINT, HEALTHCHECK, in both forms.

Follows "Shell and exec form", "RUN" and "Understand how CMD and ENTRYPOINT interact" in
https://docs.docker.com/reference/dockerfile/. In which order instructions come is not known here.
"""

from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname

from flagguard.command import Dialect, Place, Script, Variable, Word
from flagguard.hosts import Setting
from flagguard.hosts.dockerfile_image import Image, Shell, shell_of
from flagguard.hosts.dockerfile_lines import Instruction, LineError, heredoc, json_words, strip
from flagguard.hosts.dockerfile_stages import Stage, Structure, mounts
from flagguard.hosts.dockerfile_words import expand
from flagguard.hosts.dockerignore import left_out
from flagguard.hosts.shells import SHELLS, options
from flagguard.paths import IN_CONTAINER
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, Problem, SourceText, Traced, hole, join, literal
from flagguard.values import dataclass, field, replace

NAME = "dockerfile"

_PROXIES = frozenset(f"{kind}_proxy" for kind in ("http", "https", "ftp", "no", "all"))
"""Arguments that need no ARG ("Predefined ARGs")."""
_QUOTED = expression(r'\\*"')


@dataclass(frozen=True)
class Called:
    """How the image is built by a command of the tree."""

    args: Mapping[str, Traced] = field(default_factory=dict)
    target: str | None = None
    context: str | None = None
    """The folder of the tree that is the build's context; None where it is not known."""
    builders: tuple[str, ...] = ()
    """The platforms of the machine that builds."""


class Runs:
    """One build: one platform, one build machine, one set of arguments."""

    def __init__(
        self,
        source: SourceText,
        setting: Setting,
        whole: Structure,
        escape: str,
        platform: str,
        builder: str,
        called: Called | None,
    ) -> None:
        self.source = source
        self.setting = setting
        self.whole = whole
        self.escape = escape
        self.platform = platform
        self.builder = builder
        self.called = called or Called()
        self.alone = called is None
        self.contexts = _contexts(source.path) if self.called.context is None else (self.called.context,)
        self.left_out = left_out(source.path, self.contexts, setting.files)
        self.problems: list[Problem] = []
        self.images: dict[int, Image] = {}
        self.globals: dict[str, Traced] = {}
        """The arguments of the global scope."""
        self.chosen: dict[str, str] = {}
        """Those of them that the call gives another value than their default."""

    def problem(self, instruction: Instruction, message: str, fatal: bool = True) -> None:
        line = self.source.position(instruction.key.start)[0]
        self.problems.append(Problem(self.source.path, line, message, fatal=fatal))

    # -- what runs ----------------------------------------------------------------------------------------------------

    def run(self, instruction: Instruction, stage: Stage, image: Image) -> Iterator[Script]:
        """RUN."""
        inside = image
        for mount in mounts(instruction):
            inside = self._mounted(mount, inside, stage)
        rest = instruction.rest
        listed = json_words(rest)
        if listed is None and rest.text.startswith(('["', "['")):
            self.problem(instruction, "RUN: this is no list in JSON, so the shell reads it as it stands", fatal=False)
        docs = instruction.heredocs
        if listed is not None:
            yield from self._scripts(stage, inside, "RUN", listed)
        elif not rest.text:
            raise LineError("it needs a command")
        elif docs and heredoc(rest) is not None:
            text = docs[0].content
            first = text.text.split("\n", 1)[0]
            shebang = first if first.startswith("#!") and not image.windows else None
            yield from self._scripts(stage, inside, "RUN", text, shebang)
        else:
            for doc in docs:
                rest = join((rest, literal("\n"), doc.text, literal(doc.name)))
            yield from self._scripts(stage, inside, "RUN", rest)

    def _mounted(self, mount: Mapping[str, Traced], image: Image, stage: Stage) -> Image:
        """The image with a `--mount=type=bind` in it."""
        if mount.get("type", literal("bind")).text != "bind":
            return image
        target = next((mount[key] for key in ("target", "dst", "destination") if key in mount), None)
        if target is None:
            return image
        source = next((mount[key] for key in ("source", "src") if key in mount), literal("."))
        source, target = (expand(part, image.lookup, self.escape) for part in (source, target))
        inside = image.child()
        taken = expand(mount["from"], image.lookup, self.escape).text if "from" in mount else ""
        other = self.whole.find(taken, stage.number) if taken else None
        if other is not None:
            inside.copy_from(self.images[other.number], [source], target)
        elif not taken:
            inside.copy([source], target, self.contexts, self.setting.files)
        return inside

    def _scripts(
        self, stage: Stage, image: Image, step: str, what: Sequence[Word] | Traced, first: str | None = None
    ) -> Iterator[Script]:
        """Words, or a text for the shell; ``first``: the `#!` line of a text that is a file of its own."""
        script = self._placed(stage, image, step, what)
        if not isinstance(what, Traced):
            if what:
                yield replace(script, argv=tuple(what))
            return
        shell = shell_of(image) if first is None else _by_first_line(first)
        if shell is None:
            yield replace(script, argv=(*image.shell, Word(what.pieces)))
            return
        if shell.dialect is Dialect.POWERSHELL and image.windows:
            what = _argument_of(what)
        if shell.dialect is Dialect.UNREAD:
            route = what.route
            line = self.source.position(route[-1].start)[0] if route else 1
            said = f"{shell.language or 'its shell'} is not read, so its commands are not judged"
            self.problems.append(Problem(self.source.path, line, said, fatal=False))
        yield replace(
            script,
            dialect=shell.dialect,
            text=what,
            errexit=shell.errexit,
            pipefail=shell.pipefail,
            language=shell.language,
        )

    def _placed(self, stage: Stage, image: Image, step: str, what: Sequence[Word] | Traced) -> Script:
        """What is the same for every form."""
        variables = {**self._proxies(), **image.env} if step == "RUN" else image.kept
        return Script(
            Place(NAME, target=stage.named, step=step),
            Dialect.ARGV,
            env=tuple(Variable(name, value) for name, value in self._shown(variables, what).items()),
            directory=None if image.folder is None else IN_CONTAINER + image.folder,
            outside=image.outside,
            knows_arguments=True,
            unit=self._unit(stage, image),
            layout=replace(image.layout, left_out=self.left_out),
            files=tuple((IN_CONTAINER + name, text) for name, text in sorted(image.written.items())),
            platforms=self._runs_on(image),
            machine=self.builder if image.crosses and self.builder != self.platform else None,
        )

    def _shown(self, variables: Mapping[str, Traced], what: Sequence[Word] | Traced) -> dict[str, Traced]:
        """The environment. What names the build machine counts where the text asks for it; else it is left open, so
        that a command is there once and not once for each machine."""
        out = dict(variables)
        said = what.text if isinstance(what, Traced) else " ".join(word.text for word in what)
        for name in ("BUILDPLATFORM", "BUILDARCH", "BUILDOS", "BUILDVARIANT"):
            if name in out and name not in said:
                out[name] = hole(Hole(f"${name}", "the platform of the build machine", Decider.OUTSIDE, name=name))
        return out

    def _proxies(self) -> dict[str, Traced]:
        return {name: value for name, value in self.called.args.items() if name.lower() in _PROXIES}

    def _runs_on(self, image: Image) -> frozenset[str] | None:
        """The platform that a stage is fixed to; None where it is the build's."""
        if image.platform is None or image.crosses or image.platform == self.platform:
            return None
        return frozenset({image.platform})

    def _unit(self, stage: Stage, image: Image) -> str:
        """What those call who build this stage with these values; other values are another part."""
        chosen = " ".join(f"{name}={value}" for name, value in sorted(image.chosen.items()))
        return f"stage {stage.number} {chosen}".rstrip()

    def start(self, stage: Stage, image: Image) -> Iterator[Script]:
        """What a container runs when it starts."""
        first, then = image.entrypoint, image.command
        step = "CMD" if first is None else "ENTRYPOINT"
        what: Sequence[Word] | Traced | None = first if first is not None else then
        if first is not None and not isinstance(first, Traced) and then is not None:
            what = (*first, *(then if not isinstance(then, Traced) else self._shell_words(image, then)))
        if not what or (first is None and not isinstance(what, Traced) and what[0].text.startswith("-")):
            return  # options alone are for the base image's ENTRYPOINT
        yield from self._scripts(stage, image, step, what)

    def _shell_words(self, image: Image, text: Traced) -> tuple[Word, ...]:
        shell = image.shell or tuple(Word((Piece(part),)) for part in ("/bin/sh", "-c"))
        return (*shell, Word(text.pieces))

    def health(self, instruction: Instruction, stage: Stage, image: Image) -> Iterator[Script]:
        """HEALTHCHECK."""
        kind, _, _ = instruction.rest.text.partition(" ")
        rest = strip(instruction.rest.cut(len(kind), len(instruction.rest.text)))
        if kind.upper() == "NONE":
            return
        if kind.upper() != "CMD" or not rest.text:
            raise LineError("it takes NONE, or CMD and a command")
        yield from self._scripts(stage, image, "HEALTHCHECK", form(rest))


def _by_first_line(line: str) -> Shell:
    from flagguard.hosts.shellscript import interpreter

    name, given = interpreter(line)
    errexit, pipefail = options(given)
    return Shell(SHELLS.get(name, Dialect.UNREAD), errexit, pipefail, name)


def _argument_of(text: Traced) -> Traced:
    """What powershell.exe makes of the line: `\\"` is a quote, and a bare one only groups.

    Follows "Parsing C command-line arguments" in Microsoft's documentation of C; a line goes to Windows as it is.
    """
    parts, at = [], 0
    for found in _QUOTED.finditer(text.text):
        slashes = len(found[0]) - 1
        parts.append(text.cut(at, found.start() + slashes // 2))
        if slashes % 2:
            parts.append(text.cut(found.end() - 1, found.end()))
        at = found.end()
    return join([*parts, text.cut(at, len(text.text))]) if parts else text


def form(rest: Traced) -> tuple[Word, ...] | Traced:
    """The words of the exec form, or the line of the shell form."""
    listed = json_words(rest)
    return rest if listed is None else tuple(listed)


def _contexts(path: str) -> tuple[str, ...]:
    """The folders that may be the build's context: the Dockerfile's own, the root, and those between."""
    folders, at = [], dirname(path)
    while at:
        folders.append(at)
        at = dirname(at)
    return tuple(dict.fromkeys((*folders[:1], "", *folders[1:])))
