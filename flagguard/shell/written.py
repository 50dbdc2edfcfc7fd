"""Files that the script itself writes from text that is known, and runs later: `cat > r.sh <<E`, `echo … | tee r.sh`.

A file's name is its path from the root, or, where that is not known, how its name is written (`$(mktemp)/r.sh`). One
file may have several texts, of the courses that write it.
"""

from collections.abc import Mapping, Sequence

from flagguard.command import Word
from flagguard.paths import resolved
from flagguard.shell.state import World
from flagguard.shell.syntax import Group, Node, Redirected, Simple, WordNode
from flagguard.text import HOLE_MARK, Traced, join

_WRITERS = frozenset({"echo", "printf", "cat"})
"""Commands whose output is worth keeping: what others print is not known."""
_MOST_PIECES = 500

Files = Mapping[str, tuple[Traced, ...]]


def file_name(target: Traced, world: World) -> str | None:
    """What a file is called here; None for none that can be run."""
    path = resolved(target, world.directory)
    name = path if path is not None else target.shown.removeprefix("./")
    return None if not name or name.startswith(("/dev/", "&", "-")) else name


def prints_text(node: Node) -> bool:
    """Whether a command only prints text, as far as its syntax tells."""
    match node:
        case Simple(_, words):
            first = words[0] if words else None
            return isinstance(first, WordNode) and first.literal in _WRITERS
        case Group(body):
            return all(prints_text(item.node) and not item.background for item in body.items)
        case Redirected(inner, _):
            return prints_text(inner)
    return False


def write(world: World, name: str, text: Traced, old: Sequence[Traced] = ()) -> None:
    """A file is written. ``old``: what it is appended to."""
    texts = tuple(join((one, text)) for one in old) if old else (Traced(text.pieces),)
    files = {n: t for n, t in world.files.items() if n != name}
    if all(len(t.pieces) <= _MOST_PIECES for t in texts):
        files[name] = texts
    world.files = files


def written(world: World, file: Traced) -> tuple[Traced, ...]:
    """The texts that a file may hold, if the script has written it and they are known well enough to be followed."""
    name = file_name(file, world) if world.files else None
    texts = world.files.get(name, ()) if name is not None else ()
    return () if any(t.text.strip() in ("", HOLE_MARK) for t in texts) else texts


def tee(words: Sequence[Word], world: World) -> None:
    """tee(1): standard input into each of the files."""
    if world.stdin is None:
        return
    append = any(w.text in ("-a", "--append") for w in words[1:])
    for item in words[1:]:
        name = None if item.text.startswith("-") else file_name(item, world)
        if name is not None:
            write(world, name, world.stdin, world.files.get(name, ()) if append else ())
