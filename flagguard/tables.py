"""The data files of the package, read: TOML once, afterwards from the cache.

To parse its own tables took a sixth of the time of one `flagguard check` on one file (measured, `tests/bench/`). A kept
table counts as long as its file has the same size and was written at the same time. Knows nothing of what a table says.
"""

import os
from functools import cache
from typing import Any
from zlib import crc32

from flagguard import cache as store

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


@cache
def table(name: str) -> dict[str, Any]:
    """A table of the package by its path in it, such as ``tools/rust.toml``; nobody may change what comes back."""
    return table_at(os.path.join(_PACKAGE, *name.split("/")))


def texts(folder: str) -> list[str]:
    """The text of each table in a folder of the package, by their names."""
    place = os.path.join(_PACKAGE, folder)
    found = []
    for name in sorted(os.listdir(place)):
        if name.endswith(".toml"):
            with open(os.path.join(place, name), encoding="utf-8") as file:
                found.append(file.read())
    return found


def table_at(path: str) -> dict[str, Any]:
    """The table in that file, which belongs to the package."""
    status = os.stat(path)
    where = path.encode("utf-8", "surrogateescape")
    key = b"%b\n%d\n%d" % (where, status.st_size, status.st_mtime_ns)
    name = f"table-{crc32(where):08x}-{os.path.basename(path)}"
    kept = store.load(name, key)
    if isinstance(kept, dict):
        return kept
    import tomllib  # only where the cache has nothing: it takes as long as some tables

    with open(path, "rb") as file:
        made = tomllib.load(file)
    store.save(name, key, made)
    return made
