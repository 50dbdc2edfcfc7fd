"""Images that a file declares (compose, bake, devcontainers): each as the `docker build` that is run for it.

Follows https://docs.docker.com/reference/compose-file/build/ and https://docs.docker.com/build/bake/reference/: what
the declaration says are the flags of the command, each with the place where it is declared.
"""

from collections.abc import Mapping, Sequence

from flagguard.command import Dialect, Script, Word
from flagguard.hosts.pipelines import Frame
from flagguard.text import Piece, Span, Traced, join, literal
from flagguard.values import dataclass, field, replace


@dataclass(frozen=True)
class Build:
    """One image."""

    at: Span
    """Where it is declared."""
    context: Traced | None = None
    dockerfile: Traced | None = None
    target: Traced | None = None
    args: Mapping[str, tuple[Span, Traced | None]] = field(default_factory=dict)
    """Where each is written, and its value; None: that of the environment."""
    platforms: Sequence[Traced] = ()
    others: Sequence[tuple[str, Traced]] = ()
    """Other options by their names."""


def script(build: Build, frame: Frame, step: str | None) -> Script:
    """The command that builds the image."""
    words = [_placed("docker", build.at), _placed("build", build.at)]
    for name, (at, value) in build.args.items():
        words.append(_placed("--build-arg", at))
        parts = (literal(name, at) if value is None else literal(f"{name}=", at), value or Traced())
        words.append(Word(join(parts).pieces))
    for option, value in (("--file", build.dockerfile), ("--target", build.target)):
        if value:
            words += _option(option, value)
    if build.platforms:
        listed = [literal(",")] * (2 * len(build.platforms) - 1)
        listed[::2] = build.platforms
        words += _option("--platform", join(listed))
    for option, value in build.others:
        words += _option(option, value)
    words.append(Word((build.context or literal(".", build.at)).pieces))
    made = frame.script(step, Traced())
    return replace(made, dialect=Dialect.ARGV, argv=tuple(words), errexit=False, pipefail=False)


def _option(name: str, value: Traced) -> list[Word]:
    route = value.route
    return [Word(literal(name, route[-1]).pieces if route else (Piece(name),)), Word(value.pieces)]


def _placed(text: str, at: Span) -> Word:
    return Word(literal(text, at).pieces, at)


def argv(words: Sequence[Traced], frame: Frame, step: str | None) -> Script:
    """Words that are run without a shell."""
    made = frame.script(step, Traced())
    listed = tuple(Word(w.pieces, w.route[-1] if len(w.pieces) == 1 and w.route else None) for w in words)
    return replace(made, dialect=Dialect.ARGV, argv=listed, errexit=False, pipefail=False)
