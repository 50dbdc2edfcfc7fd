"""What real GNU make would run, and what flagguard says it would, for makefiles that the tests write."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from flagguard.command import Command, Place, Word
from flagguard.hosts import Setting
from flagguard.hosts.makefile import called
from flagguard.make.evaluate import evaluate_once
from flagguard.text import HOLE_MARK, SourceText, Span, Traced, literal
from flagguard.values import replace

HERE = "linux-x86_64"
NOWHERE = Span("call.sh", 0, 0)


class Folder:
    """The files of a test."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = {path: SourceText(path, text) for path, text in files.items()}

    def paths(self) -> list[str]:
        return list(self.files)

    def read(self, path: str) -> SourceText | None:
        return self.files.get(path)


def real(
    folder: Path,
    files: Mapping[str, str],
    goals: Sequence[str] = (),
    overrides: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
) -> list[str]:
    """The lines that `make --dry-run` prints: every recipe line after make's expansion.

    Without the `rm` of intermediate files, which is no recipe.
    """
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    given = [f"{name}={value}" for name, value in (overrides or {}).items()]
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", *options, *goals, *given],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert done.returncode == 0, done.stderr
    return [line for line in lines(done.stdout) if not line.startswith(("rm ", "make: "))]


def lines(text: str) -> list[str]:
    return [
        re.sub(r"\s+", " ", line).strip()
        for line in re.sub(r"(?<!\\)((?:\\\\)*)\\\n", r"\1 ", text).splitlines()
        if line.strip()
    ]


def ours(
    files: Mapping[str, str],
    goals: Sequence[str] | None = (),
    overrides: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
) -> list[Traced]:
    """The texts for the shell in the world where nothing else is set outside; `$(shell …)` commands left out."""
    setting = Setting(Folder(files), (HERE,))
    given = [f"{name}={value}" for name, value in (overrides or {}).items()]
    words = [Word(literal(text).pieces) for text in ("make", *options, *(goals or ()), *given)]
    env = {name: literal(value) for name, value in (environment or {}).items()}
    command = Command(tuple(words), Place("shellscript"), NOWHERE, NOWHERE, env=env)
    call = called(command, setting)
    assert call is not None
    path, how = call
    source = setting.files.read(path)
    assert source is not None
    reading = evaluate_once(source, setting, how if goals is not None else replace(how, goals=None))
    assert not reading.problems, reading.problems
    whole = "".join(files.values())
    return [s.text for s in reading.scripts if not (s.ignored and _inner(s.text, whole))]


def _inner(text: Traced, whole: str) -> bool:
    written = text.text.replace("$", "$$")
    return f"(shell {written})" in whole or f"!= {written}" in whole


def agree(texts: Sequence[Traced], expected: Sequence[str]) -> bool:
    """Whether the texts are the lines, in order, for some content of the texts' holes."""
    return len(texts) == len(expected) and all(map(fits, texts, expected))


def fits(traced: Traced, line: str) -> bool:
    plain = " ".join(lines(traced.text))
    return re.fullmatch(".*".join(map(re.escape, plain.split(HOLE_MARK))), line, re.S) is not None
