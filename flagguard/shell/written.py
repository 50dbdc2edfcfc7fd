"""Files that the script itself writes from text that is known, and runs later: `cat > r.sh <<E`, `echo … | tee r.sh`.

A file's name is its path from the root, or, where that is not known, how its name is written (`$(mktemp)/r.sh`). One
file may have several texts, of the courses that write it.
"""

from collections.abc import Sequence

from flagguard.command import Word
from flagguard.paths import resolved
from flagguard.shell.machine import Machine
from flagguard.shell.state import World
from flagguard.shell.syntax import Group, Node, Redirected, Simple, WordNode
from flagguard.text import HOLE_MARK, Hole, Traced, join

_WRITERS = frozenset({"echo", "printf", "cat"})
"""Commands whose output is worth keeping: what others print is not known."""
_MOST_PIECES = 500


def file_name(target: Traced, world: World) -> str | None:
    """What a file is called here; None for none that can be run."""
    path = resolved(target, world.directory)
    only = target.pieces[0].hole if len(target.pieces) == 1 else None
    shown = f"${only.name}" if only is not None and only.name else target.shown  # `${F}` is `$F`
    name = path if path is not None else shown.removeprefix("./")
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
    return texts if all(_followed(t) for t in texts) else ()


def _followed(text: Traced) -> bool:
    only = text.text.strip()
    return bool(only) and (only != HOLE_MARK or text.holes[0].file is not None)


def is_known(machine: Machine, name: str | None, world: World) -> bool:
    """Whether a file that is written over has a text: of the tree, or of the script."""
    if name is None or name in world.files:
        return name is not None
    if machine.setting.files.read(name) is None:
        return False
    machine.depends.add(name)
    return True


def unknown(file: Traced, world: World) -> Hole | None:
    """What a file that the script has written holds, where nothing of it is known."""
    name = file_name(file, world) if world.files else None
    texts = world.files.get(name, ()) if name is not None else ()
    lost = next((t for t in texts if t.text.strip() == HOLE_MARK and not _followed(t)), None)
    return lost.holes[0] if lost is not None else None


def tree_file(machine: Machine, file: Traced, world: World) -> str | None:
    """The path of a file of the tree, as it stands there: none that the script itself writes."""
    path = resolved(file, world.directory) if file else None
    if not path or path in world.files:
        return None
    machine.depends.add(path)
    return path if machine.setting.files.read(path) is not None else None


def contents(machine: Machine, text: Traced) -> Traced | None:
    """The text with those of the tree's files in their places; None where there are none, or one cannot be read."""
    if not any(gap.file is not None for gap in text.holes):
        return None
    parts: list[Traced] = []
    for piece in text.pieces:
        path = piece.hole.file if piece.hole is not None else None
        source = machine.setting.files.read(path) if path is not None else None
        parts.append(source.traced() if source is not None else Traced((piece,)))
    return join(parts)


def writes(machine: Machine, words: Sequence[Word], world: World) -> None:
    """Programs that write files from text that is known: tee(1), cp(1) and its kin, dd(1)."""
    name = words[0].text.rsplit("/", 1)[-1]
    operands = [w for w in words[1:] if not (len(w.text) > 1 and w.text.startswith("-"))]
    match name:
        case "tee" | "sponge":
            append = any(w.text in ("-a", "--append") for w in words[1:])
            for item in operands:
                _copy(world, world.stdin, item, append)
        case "cp" | "mv" | "install" | "ln" if len(operands) == 2:
            for text in _texts(machine, operands[0], world)[:1]:
                _copy(world, text, operands[1])
        case "dd":
            given = {w.text.partition("=")[0]: w.cut(w.text.find("=") + 1, len(w)) for w in operands}
            found = _texts(machine, given["if"], world)[:1] if "if" in given else (world.stdin,)
            if "of" in given and found:
                _copy(world, found[0], given["of"])
        case _:
            pass


WRITERS = frozenset({"tee", "sponge", "cp", "mv", "install", "ln", "dd"})


def _texts(machine: Machine, file: Traced, world: World) -> tuple[Traced, ...]:
    """The texts of a file that the script has written, or of one of the tree."""
    if file.text in ("/dev/stdin", "-"):
        return (world.stdin,) if world.stdin is not None else ()
    path = tree_file(machine, file, world)
    source = machine.setting.files.read(path) if path is not None else None
    return written(world, file) or ((source.traced(),) if source is not None else ())


def _copy(world: World, text: Traced | None, to: Traced, append: bool = False) -> None:
    name = file_name(to, world)
    if name is not None and text is not None and not to.text.endswith("/"):
        write(world, name, text, world.files.get(name, ()) if append else ())
