"""What a run may keep for the next one, in a folder of the user's: values by name, each under a key.

A value comes back only under the key that it was kept under, so whoever keeps one puts all that it depends on into its
key; a run without a cache finds the same. Nothing here is ever in the way: where the folder cannot be made, or the file
is not ours, or is damaged, there is simply nothing. A folder counts only where it belongs to the user and nobody else
may enter it. Values are what ``marshal`` writes: text, bytes, numbers, tuples, lists, dictionaries, sets.

`FLAGGUARD_CACHE=off` turns it off, another value is the folder. Follows the XDG Base Directory Specification, Apple's
"File System Programming Guide" (Library/Caches) and Microsoft's KNOWNFOLDERID (LocalAppData). Knows nothing of what is
kept.
"""

import marshal
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from zlib import crc32

from flagguard import __version__

OFF = ("off", "0", "no")
_HEAD = f"flagguard cache 1 {sys.implementation.cache_tag} {marshal.version}\n".encode()
_MOST = 64
"""Files of one kind that are kept."""


def load(name: str, key: bytes) -> object:
    """What was kept under that name and key; None where there is nothing."""
    folder = _folder()
    data = _read(os.path.join(folder, name)) if folder is not None else None
    if data is None or not data.startswith(_HEAD):
        return None
    at = len(_HEAD)
    check, size = int.from_bytes(data[at : at + 4], "little"), int.from_bytes(data[at + 4 : at + 8], "little")
    body = memoryview(data)[at + 8 :]
    if crc32(body) != check or body[:size] != key:
        return None
    try:
        return marshal.loads(body[size:])
    except (EOFError, ValueError, TypeError, MemoryError, RecursionError):
        return None


def save(name: str, key: bytes, value: Any) -> None:
    """Keep a value, in place of what had that name; where that fails, nothing is kept."""
    folder = _folder(make=True)
    if folder is None:
        return
    try:
        body = key + marshal.dumps(value)
    except ValueError:
        return  # something that marshal does not know
    head = _HEAD + crc32(body).to_bytes(4, "little") + len(key).to_bytes(4, "little")
    scratch = os.path.join(folder, f"{name}.{os.getpid()}.new")
    try:
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with open(descriptor, "wb") as file:
            file.write(head + body)
        os.replace(scratch, os.path.join(folder, name))
    except OSError:
        _remove(scratch)


def prune(prefix: str) -> None:
    """Of the files whose names begin so, keep those that were written last."""
    folder = _folder()
    try:
        found = [entry for entry in os.scandir(folder) if entry.name.startswith(prefix)] if folder else []
        found.sort(key=lambda entry: entry.stat().st_mtime, reverse=True)
    except OSError:
        return
    for entry in found[_MOST:]:
        _remove(entry.path)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.remove(path)


def _folder(make: bool = False) -> str | None:
    folder = _place()
    if folder is None:
        return None
    folder = os.path.join(folder, __version__)
    try:
        if make and not os.path.isdir(folder):
            os.makedirs(os.path.dirname(folder), 0o700, exist_ok=True)
            os.mkdir(folder, 0o700)
        return folder if _ours(os.lstat(folder), stat.S_ISDIR) else None
    except OSError:
        return None


def _place() -> str | None:
    said = os.environ.get("FLAGGUARD_CACHE", "")
    if said:
        return None if said.lower() in OFF else os.path.abspath(said)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # "all paths must be absolute; a relative one is ignored"
            base = os.path.expanduser("~/.cache")
    return os.path.join(base, "flagguard") if os.path.isabs(base) else None


def _ours(found: os.stat_result, kind: Callable[[int], bool]) -> bool:
    """Whether it is of that kind, belongs to the user, and nobody else may write (a folder: may enter) it."""
    if not kind(found.st_mode):
        return False
    if sys.platform == "win32":
        return True  # the folder stands in the user's profile; there are no such permissions
    shut = 0o077 if kind is stat.S_ISDIR else 0o022
    return found.st_uid == os.geteuid() and not found.st_mode & shut


def _read(path: str) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            return file.read() if _ours(os.fstat(descriptor), stat.S_ISREG) else None
    except OSError:
        return None
