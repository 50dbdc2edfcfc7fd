"""Readings of CI systems' files, as lists of what runs: one line a command."""

from collections.abc import Mapping
from importlib import import_module

from flagguard.command import Command, Reading
from flagguard.hosts import Setting
from flagguard.shell import evaluate
from flagguard.text import SourceText

from .support import Memory

PLATFORMS = ("linux-x86_64",)


def read(host: str, files: Mapping[str, str], assume: Mapping[str, str] | None = None, **more: object) -> Reading:
    """The reading of the first of the files."""
    path = next(iter(files))
    setting = Setting(Memory(files), PLATFORMS, assume or {}, **more)  # type: ignore[arg-type]
    found = import_module(f"flagguard.hosts.{host}").read(SourceText(path, files[path]), setting)
    assert isinstance(found, Reading)
    return found


def commands(host: str, files: Mapping[str, str], assume: Mapping[str, str] | None = None) -> list[Command]:
    found = read(host, files, assume)
    setting = Setting(Memory(files), PLATFORMS, assume or {})
    return [command for script in found.scripts for command in evaluate(script, setting).commands]


def argvs(host: str, files: Mapping[str, str], assume: Mapping[str, str] | None = None) -> list[str]:
    """The commands, each with a `?` before it where somebody has to ask for it."""
    found = commands(host, files, assume)
    return [("? " if c.opt_in else "") + " ".join(c.shown) for c in found]


def told(host: str, files: Mapping[str, str]) -> list[tuple[int, bool]]:
    """The problems: their lines, and whether each is fatal."""
    return [(p.line, p.fatal) for p in read(host, files).problems]


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)
"""Aliases that come to 9 to the power of 12 values."""
