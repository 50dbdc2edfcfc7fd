"""Which file or folder of the tree a text names, seen from a folder of it. Nothing is looked up."""

from posixpath import join, normpath

from flagguard.text import Traced


def resolved(name: Traced, directory: str | None) -> str | None:
    """The path from the root; None where it is not known, or leaves the tree.

    ``directory``: the folder that a relative name starts from; None: not known.
    """
    pieces = [p for p in name.pieces if p.text or p.hole is not None]
    if not pieces or any(p.hole is not None for p in pieces[1:]):
        return None
    first = pieces[0].hole
    rest = "".join(p.text for p in pieces[1:])
    if first is None:
        text = pieces[0].text + rest
        return None if directory is None or text[0] in "/~" else inside(directory, text)
    if first.path is None:
        return None
    if rest.startswith("/"):
        return inside(first.path, rest.lstrip("/"))
    return inside("", first.path + rest)


def inside(directory: str, name: str) -> str | None:
    """``name`` as it is called in ``directory``, from the root; None where it lies outside."""
    path = normpath(join(directory, name))
    if path == ".":
        return ""
    return None if path.startswith(("../", "/")) or path == ".." else path
