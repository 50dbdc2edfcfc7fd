"""What a step hands to the steps behind it: `$GITHUB_ENV`, `$GITHUB_OUTPUT`, `$GITHUB_PATH`, and `::set-output`.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands ("Environment files"); the
files' format is that of the runner (https://github.com/actions/runner, FileCommandManager.cs). The step's script is
followed, not searched: what it writes is what its commands print.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from flagguard.command import Dialect, Script, Variable
from flagguard.hosts import Setting, github_shell
from flagguard.hosts.github_runners import runner_arch, runner_os
from flagguard.hosts.tree import Table, text_of
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Piece, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, replace

ENV, OUTPUT, PATH, STDOUT = "$GITHUB_ENV", "$GITHUB_OUTPUT", "$GITHUB_PATH", "/dev/stdout"
_FILES = (ENV, OUTPUT, PATH)
_SPEAKS = expression(r"GITHUB_(?:ENV|OUTPUT|PATH)\b|::(?:set-output|set-env|add-path)\b", re.IGNORECASE)
_COMMAND = expression(r"::(set-output|set-env|add-path)\s*([^:]*(?::(?!:)[^:]*)*)::", re.IGNORECASE)
_NAME = expression(r"name\s*=\s*([^,\s]+)", re.IGNORECASE)
_REFUSED = expression(r"(?i)NODE_OPTIONS|GITHUB_\w+|RUNNER_\w+")
"""Variables that a step cannot set."""
_FILE = expression(r"[\w.][\w./-]*\.(?:sh|bash|zsh|ps1|bat|cmd|py|pl|rb|js|mjs|ts)\b")

_OTHER = expression(r"\b(?:python[\d.]*|node|perl|ruby|php|deno|bun|Rscript)\b")
"""Programs that may write the files themselves, from a text in their language."""

Pairs = tuple[tuple[str, Traced], ...]


@dataclass(frozen=True)
class Written:
    """What one course of a step writes."""

    env: Pairs = ()
    outputs: Pairs = ()
    paths: tuple[Traced, ...] = ()
    open: bool = False
    """It may set other variables as well, that nobody can name here."""

    def __bool__(self) -> bool:
        return bool(self.env or self.outputs or self.paths or self.open)


NOTHING = Written()


def speaks(text: str) -> bool:
    """Whether a script may write for others, by its text."""
    return ("GITHUB_" in text or "::" in text or "github_" in text) and _SPEAKS.search(text) is not None


def may_write(text: str) -> bool:
    """Whether a script, or one that it names, may write for others."""
    return speaks(text) or ("." in text and _FILE.search(text) is not None)


def writings(script: Script, setting: Setting, unsafe: bool) -> tuple[tuple[Written, ...], bool]:
    """What the step's script writes, in each of its courses, and whether it is the same on all platforms.

    ``unsafe``: `::set-env` is allowed still.
    """
    text = script.text.text
    if speaks(text):
        found, everywhere = _followed(script, setting, unsafe)
        if found is None or (not any(found) and _OTHER.search(text)):
            found = (_named(text),)
        return found, everywhere
    for name in dict.fromkeys(_FILE.findall(text)) if "." in text else ():
        source = _called(name, script, setting)
        if source is not None and speaks(source):
            return (_named(source, "a script of the repository writes it"),), True
    return (), True


_OWN = expression(r"(?:\.|actions/(?!github-script\b)).*")
"""Actions of the repository, and GitHub's own, which set no variables but those that can be named."""


_STARTS = expression(
    r"\.(?:sh|py|ps1|bat|cmd|[cm]?js|ts|rb|pl)\b|(?:^|[\s;&|(])(?:\.{0,2}/|(?:make|just|task|np[mx]|yarn|pnpm|bun|poe"
    r"|tox|nox|invoke|mise|uv|python\d?|node|(?:ba)?sh|source|eval|\.)\s)"
)
"""What starts programs, or parts of the repository, that may write for others as well."""


def is_foreign(step: Table) -> bool:
    """Whether a step may set variables that nobody can name here."""
    uses, run = step.get("uses"), step.get("run")
    if uses is not None:
        return _OWN.fullmatch(text_of(uses).text) is None
    return run is not None and _STARTS.search(text_of(run).text) is not None


_MAKES = expression(r"\bmake\b(?:[^\n;&|]*?\s(?:-C|--directory=?)\s*([\w./-]+))?")
_RUNNER = expression(r"\b(?:RUNNER_OS|RUNNER_ARCH|CI|GITHUB_ACTIONS)\b")


@lru_cache(maxsize=256)
def _asked(text: str) -> frozenset[str]:
    """The variables of `_RUNNER` that a file names; the same file is looked through once."""
    return frozenset(_RUNNER.findall(text))


def announced(script: Script, setting: Setting) -> tuple[Variable, ...]:
    """What the runner says of itself, as far as a file asks for it that the step's text names: a script, a makefile."""
    text = script.text.text
    names = dict.fromkeys(_FILE.findall(text)) if "." in text else {}
    for made in _MAKES.finditer(text) if "make" in text else ():
        folder = f"{made[1]}/" if made[1] else ""
        names.update(dict.fromkeys(f"{folder}{name}" for name in ("Makefile", "makefile", "GNUmakefile")))
    asked = frozenset[str]().union(*(_asked(_called(name, script, setting) or "") for name in names))
    if not asked:
        return ()
    platform = next(iter(script.platforms)) if script.platforms is not None and len(script.platforms) == 1 else ""
    of_platform = {"RUNNER_OS": runner_os(platform), "RUNNER_ARCH": runner_arch(platform)}
    said = {"CI": "true", "GITHUB_ACTIONS": "true", **of_platform}
    return tuple(Variable(n, literal(v)) for n, v in said.items() if v is not None and n in asked)


def _called(name: str, script: Script, setting: Setting) -> str | None:
    for path in (name, f"{script.directory}/{name}" if script.directory else name):
        source = setting.files.read(path.removeprefix("./"))
        if source is not None:
            return source.text
    return None


def _named(text: str, reason: str = "an earlier step writes it") -> Written:
    """The variables that a text seems to write, by name."""
    names = github_shell.exported(text)
    pairs = tuple((n, hole(Hole(f"${n}", reason, Decider.REPOSITORY, name=n))) for n in names if not refused(n))
    return Written(env=pairs, open="GITHUB_ENV" in text and not names)


def refused(name: str) -> bool:
    return _REFUSED.fullmatch(name) is not None


# -- the script, followed ---------------------------------------------------------------------------------------------


def _followed(script: Script, setting: Setting, unsafe: bool) -> tuple[tuple[Written, ...] | None, bool]:
    from flagguard.shell import evaluate  # few steps write for others

    if script.dialect is Dialect.POWERSHELL:
        return _powershell(script, setting, unsafe), False
    if script.dialect not in (Dialect.BASH, Dialect.SH):
        return None, True
    files = _FILES if "::" not in script.text.text else (*_FILES, STDOUT)
    watched = replace(script, files=(*script.files, *((name, EMPTY) for name in files)), platforms=script.platforms)
    evaluation = evaluate(watched, setting)
    texts = evaluation.written
    return tuple(_combined(texts, unsafe)) if texts else None, evaluation.everywhere


_MOST = 4


def _combined(texts: Mapping[str, tuple[Traced, ...]], unsafe: bool) -> Iterator[Written]:
    """One course for each text that a file may have; what several files hold is told apart no further."""
    counts = {name: texts.get(name, (EMPTY,)) for name in (*_FILES, STDOUT)}
    courses = max(len(found) for found in counts.values())
    if courses > _MOST or sum(len(found) > 1 for found in counts.values()) > 1:
        yield _either(counts, unsafe)
        return
    for i in range(courses):
        yield _course({name: found[min(i, len(found) - 1)] for name, found in counts.items()}, unsafe)


def _course(texts: Mapping[str, Traced], unsafe: bool) -> Written:
    env, open_ = pairs(texts[ENV])
    outputs, _ = pairs(texts[OUTPUT])
    paths = [line for line in _lines(texts[PATH]) if line]
    for name, key, value in _commands(texts[STDOUT]):
        if name == "set-output":
            outputs = (*outputs, (key, value))
        elif unsafe and name == "set-env":
            env = (*env, (key, value))
        elif unsafe:
            paths.append(value)
    kept = tuple((n, v) for n, v in env if not refused(n))
    return Written((*kept, *_searched(paths)), outputs, tuple(paths), open_)


def _searched(paths: Sequence[Traced]) -> Iterator[tuple[str, Traced]]:
    """PATH as later steps see it: the last folder that was added comes first."""
    if paths:
        before = hole(Hole("$PATH", "the machine's own", Decider.OUTSIDE, Shape.PATH, "PATH"))
        parts = [part for path in reversed(paths) for part in (path, literal(":"))]
        yield "PATH", join([*parts, before])


def _either(texts: Mapping[str, tuple[Traced, ...]], unsafe: bool) -> Written:
    """Several courses as one: what they do not agree on is not known."""
    found = [
        _course({**{n: t[0] for n, t in texts.items()}, name: one}, unsafe) for name in texts for one in texts[name]
    ]
    return Written(_agreed([f.env for f in found]), _agreed([f.outputs for f in found]),
                   tuple(dict.fromkeys(p for f in found for p in f.paths)), any(f.open for f in found))  # fmt: skip


def _agreed(several: list[Pairs]) -> Pairs:
    out: list[tuple[str, Traced]] = []
    for name in dict.fromkeys(n for pairs in several for n, _ in pairs):
        values = [dict(pairs).get(name) for pairs in several]
        first = values[0]
        if first is None or any(v != first for v in values):
            first = hole(Hole(f"${name}", "it is written in too many different ways", Decider.REPOSITORY, name=name))
        out.append((name, first))
    return tuple(out)


# -- the files' format ------------------------------------------------------------------------------------------------

_END = expression(r"\r\n|\r|\n")


def _lines(text: Traced) -> Iterator[Traced]:
    at = 0
    for found in _END.finditer(text.text):
        yield text.cut(at, found.start())
        at = found.end()
    if at < len(text):
        yield text.cut(at, len(text))


def pairs(text: Traced) -> tuple[Pairs, bool]:
    """`NAME=VALUE` and `NAME<<DELIMITER`, and whether something else may stand there as well."""
    out: list[tuple[str, Traced]] = []
    open_ = False
    lines = list(_lines(text))
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        raw = line.text
        if not raw:
            continue
        equals, here = raw.find("="), raw.find("<<")
        if equals >= 0 and (here < 0 or equals < here):
            name, value = raw[:equals], line.cut(equals + 1, len(line))
        elif here > 0 and raw[here + 2 :]:
            name, until = raw[:here], raw[here + 2 :]
            size = next((n for n, other in enumerate(lines[at:]) if _same(other, line, until)), None)
            if size is None:
                gap = Hole(f"${name}", "its delimiter does not come", Decider.REPOSITORY, name=name)
                return (*out, (name, hole(gap))), True
            value = _between(lines[at : at + size])
            at += size + 1
        else:
            open_ = open_ or HOLE_MARK in raw
            continue
        if HOLE_MARK in name or not name:
            open_ = True
            continue
        out.append((name, value))
    return tuple(out), open_


def _same(line: Traced, head: Traced, until: str) -> bool:
    """Whether a line is the delimiter; a delimiter that nobody knows is told by how it is written."""
    if line.text != until:
        return False
    return HOLE_MARK not in until or [h.text for h in line.holes] == [h.text for h in head.holes][-len(line.holes) :]


def _between(lines: list[Traced]) -> Traced:
    parts: list[Traced] = []
    for i, line in enumerate(lines):
        parts += [literal("\n"), line] if i else [line]
    return join(parts)


def _commands(text: Traced) -> Iterator[tuple[str, str, Traced]]:
    """The workflow commands among what a step prints."""
    for line in _lines(text):
        found = _COMMAND.search(line.text)
        if found is None or line.text[: found.start()].strip():
            continue
        named = _NAME.search(found[2])
        name = named[1] if named is not None else ""
        if name or found[1].lower() == "add-path":
            yield found[1].lower(), name, line.cut(found.end(), len(line))


# -- PowerShell -------------------------------------------------------------------------------------------------------

_PRINTED = expression(
    r"^[ \t]*(?:(?:echo|write-output|write)\b(?=[ \t(])|(?=[\"']|@[\"']\r?\n))", re.MULTILINE | re.IGNORECASE
)
"""What prints at the beginning of a statement: a cmdlet, or a bare string."""
_HERE = expression(r"@([\"'])\r?\n.*?^\1@", re.MULTILINE | re.DOTALL)
_SINK = expression(
    r"(?:>>?|\|[ \t]*(?:Out-File|Add-Content|Set-Content|Tee-Object|tee|ac)\b)[^\n|>]*?"
    r"\$\{?env:(GITHUB_(?:ENV|OUTPUT|PATH))\b",
    re.IGNORECASE,
)
_TARGET = expression(r"\$\{?env:(GITHUB_(?:ENV|OUTPUT|PATH))\}?", re.IGNORECASE)
_ADDS = frozenset({"add-content", "ac", "set-content", "sc", "out-file"})
_OPTIONS = frozenset("-path -literalpath -filepath -encoding -stream -width -filter -include -exclude".split())
_WRITER = "github-writes "
"""Stands for the cmdlet in the text that is followed, with the file behind it."""


def _powershell(script: Script, setting: Setting, unsafe: bool) -> tuple[Written, ...] | None:
    """Strings that are redirected, or piped to a cmdlet that writes; a bare string prints itself."""
    from flagguard.shell import evaluate

    texts: dict[str, list[Traced]] = {name: [] for name in (*_FILES, STDOUT)}
    sure = True
    for command in evaluate(replace(script, text=_marked(script.text)), setting).commands:
        name = command.argv[0].text
        said, target = [Traced(w.pieces) for w in command.argv[1:]], None
        if name.startswith(_WRITER):
            target = name.removeprefix(_WRITER)
        elif name.lower() in _ADDS:
            said, file = _added(said)
            target = f"${file.upper()}" if file is not None else None
        if target is not None and said:
            sure = sure and command.when == script.when
            texts[target] += [*said, literal("\n")]
    whole = _course({name: join(found) for name, found in texts.items()}, unsafe)
    return (whole,) if sure else (whole, NOTHING)


def _marked(text: Traced) -> Traced:
    """The text with a writer of its own in place of what prints."""
    raw, parts, at = text.text, [], 0
    for found in _PRINTED.finditer(raw):
        here = _HERE.match(raw, found.end())
        start = here.end() if here is not None else found.end()
        end = raw.find("\n", start)
        sink = _SINK.search(raw, start, end if end >= 0 else len(raw))
        target = f"${sink[1].upper()}" if sink is not None else STDOUT
        route = text.cut(found.end(), found.end() + 1).route
        parts += [text.cut(at, found.start()), Traced((Piece(f"& '{_WRITER}{target}' ", route),))]
        at = found.end()
    return join([*parts, text.cut(at, len(text))])


def _added(words: list[Traced]) -> tuple[list[Traced], str | None]:
    """`Add-Content -Path $env:GITHUB_ENV -Value X`: what is added, and to which file."""
    target, said, skip = None, [], False
    for word in words:
        file = _TARGET.fullmatch(word.shown.strip("\"'"))
        if file is not None:
            target, skip = file[1], False
        elif word.text.lower() in _OPTIONS:
            skip = True
        elif word.text.startswith("-"):
            skip = False
        elif not skip:
            said.append(word)
        else:
            skip = False
    return said, target
