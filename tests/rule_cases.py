"""Commands and configurations for the tests of rules, without a host or a shell.

A command is written as words: `<$X>` is a hole that somebody outside decides, `<!X>` one that the repository decides,
`<#X>` a number from outside, `''` an empty argument, `{a b}` one word with a blank in it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from flagguard.command import Command, Place, Word
from flagguard.config import Config, load
from flagguard.findings import Finding, Report
from flagguard.judge import Judged, conclude, judge_file
from flagguard.text import Decider, Hole, Piece, Problem, Shape, SourceText, Span, Traced, literal

_WORD = re.compile(r"\{[^}]*\}|\S+")
_HOLE = re.compile(r"<([$!#])([^>]*)>")


def word(text: str, path: str, at: int) -> Word:
    written = Span(path, at, at + len(text))
    if text == "''":
        return Word((), written)
    if text.startswith("{"):
        text, at = text[1:-1], at + 1
    pieces = []
    last = 0
    for found in _HOLE.finditer(text):
        pieces += literal(text[last : found.start()], Span(path, at + last, at + found.start())).pieces
        kind, name = found[1], found[2]
        decider = Decider.REPOSITORY if kind == "!" else Decider.OUTSIDE
        shape = Shape.NUMBER if kind == "#" else Shape.ANY
        spot = Span(path, at + found.start(), at + found.end())
        reason = "nobody here says it" if decider is Decider.OUTSIDE else "the output of a command"
        pieces.append(Piece(f"${name}", (spot,), hole=Hole(f"${name}", reason, decider, shape, name)))
        last = found.end()
    pieces += literal(text[last:], Span(path, at + last, at + len(text))).pieces
    return Word(tuple(pieces), written)


def command(
    text: str, *, path: str = "build.sh", at: int = 0, env: Mapping[str, str | Word] | None = None, **facts: object
) -> Command:
    """`facts`: fields of Command, or of Place."""
    argv = tuple(word(m.group(), path, at + m.start()) for m in _WORD.finditer(text))
    places = {k: facts.pop(k) for k in ("host", "task", "target", "job", "step", "runner") if k in facts}
    place = Place(**{"host": "shell", **places})  # type: ignore[arg-type]
    values: dict[str, Traced] = {k: v if isinstance(v, Traced) else literal(v) for k, v in (env or {}).items()}
    base = Command(
        argv=argv,
        place=place,
        span=argv[0].written or Span(path, at, at),
        extent=Span(path, at, at + len(text)),
        env=values,
        platforms=("linux-x86_64",),
    )
    return replace(base, **facts)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Found:
    path: str = "build.sh"
    commands: tuple[Command, ...] = ()
    problems: tuple[Problem, ...] = ()


def config(text: str) -> Config:
    """A configuration without packs; it must be without errors."""
    loaded = load(SourceText("flagguard.toml", text if "packs" in text else "packs = []\n" + text))
    assert loaded.problems == ()
    return loaded.config


def rule(command: str = '"mojo build"', more: str = "", top: str = "") -> Config:
    """One rule, `at-least = 0` unless it says otherwise."""
    least = "" if "at-least" in more else "at-least = 0\n"
    return config(f'{top}\n[[rule]]\nid = "r"\nwhy = "because"\ncommand = {command}\n{least}{more}\n')


def judged(settings: Config, *commands: Command) -> Judged:
    return judge_file(Found(commands=commands), settings)


def findings(settings: Config, *commands: Command) -> list[Finding]:
    return list(judged(settings, *commands).findings)


def report(settings: Config, *commands: Command) -> Report:
    return conclude([judged(settings, *commands)], settings)


def verdicts(settings: Config, text: str, **facts: object) -> list[str]:
    """The verdicts of the findings on one command."""
    return [f.verdict.value for f in findings(settings, command(text, **facts))]  # type: ignore[arg-type]


BASELINE = '[baseline]\nlinux-x86_64 = "x86-64-v2"\nlinux-aarch64 = "generic"\nmacos-arm64 = "apple-m1"\n'
CPU = 'require = [{ flag = ["--target-cpu", "--mcpu"], at-most = "baseline" }]'
