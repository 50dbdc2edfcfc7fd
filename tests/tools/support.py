"""Commands for the tests of the tools: words as a shell has them, `{NAME}` for a hole."""

import re
import shlex
from collections.abc import Mapping

from flagguard.command import Command, Place, Word
from flagguard.text import Decider, Hole, Piece, Shape, SourceText, Span, literal
from flagguard.tools.invocation import Invocation, understand

LINUX = "linux-x86_64"


def word(text: str) -> Word:
    """`{NAME}`: a hole from outside; `{NAME!}`: one that the repository decides; `{NAME/}`: a path."""
    pieces = []
    for part in re.split(r"(\{[A-Z]+[!/]?\})", text):
        name = part.strip("{}!/")
        if re.fullmatch(r"\{[A-Z]+[!/]?\}", part):
            decider = Decider.REPOSITORY if "!" in part else Decider.OUTSIDE
            shape = Shape.PATH if part.endswith("/}") else Shape.ANY
            pieces.append(Piece(f"${name}", hole=Hole(f"${name}", "nothing sets it", decider, shape, name)))
        elif part:
            pieces.append(Piece(part))
    return Word(tuple(pieces))


def command(
    line: str, env: Mapping[str, str] | None = None, platform: str = LINUX, wrappers: tuple[str, ...] = ()
) -> Command:
    span = Span("build.sh", 0, 1)
    return Command(
        argv=tuple(word(w) for w in shlex.split(line)),
        place=Place("shell"),
        span=span,
        extent=span,
        wrappers=tuple(tuple(word(w) for w in shlex.split(wrapper)) for wrapper in wrappers),
        env={name: literal(value) for name, value in (env or {}).items()},
        platforms=(platform,),
    )


def invocation(
    line: str,
    env: Mapping[str, str] | None = None,
    tools: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
    platform: str = LINUX,
) -> Invocation:
    def read(path: str) -> SourceText | None:
        text = (files or {}).get(path)
        return None if text is None else SourceText(path, text)

    return understand(command(line, env, platform), tools or {}, read)[0]


def shown(value: Word | None) -> str | None:
    return None if value is None else value.shown
