"""A tree of files in memory, and readings shown short."""

from collections.abc import Iterable, Mapping
from types import ModuleType

from flagguard.command import Reading, Script
from flagguard.hosts import Setting
from flagguard.text import SourceText


class Memory:
    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def paths(self) -> Iterable[str]:
        return self.files

    def read(self, path: str) -> SourceText | None:
        return SourceText(path, self.files[path]) if path in self.files else None


PLATFORMS = ("linux-x86_64", "linux-aarch64", "macos-arm64", "windows-x86_64")


def reading(
    host: ModuleType,
    text: str,
    path: str,
    files: Mapping[str, str] | None = None,
    assume: Mapping[str, str] | None = None,
) -> Reading:
    source = SourceText(path, text)
    found = host.read(source, Setting(Memory({path: text, **(files or {})}), PLATFORMS, assume or {}))
    assert isinstance(found, Reading)
    return found


def shown(script: Script) -> "list[str] | str":
    return [w.shown for w in script.argv] if script.argv else script.text.shown


def env(script: Script) -> dict[str, str]:
    return {v.name: v.value.shown for v in script.env}


def problems(found: Reading) -> list[tuple[int, str | None]]:
    return [(p.line, p.key) for p in found.problems]
