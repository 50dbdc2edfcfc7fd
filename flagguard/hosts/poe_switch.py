"""What the control of a poe switch says on each platform.

Follows https://poethepoet.natn.io/tasks/task_types/switch.html. Nothing is run: what is not in the table is open.
"""

from flagguard.command import PLATFORMS
from flagguard.hosts.tree import Entry, Node, Table, text_of


def control(node: Node, kinds: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """How to speak of a switch's control, and what it says on each platform, where that is known."""
    entry: Entry | None = None
    if isinstance(node, Table):
        entry = next((e for e in node.entries if e.name in kinds), None)
    text = text_of(entry.value if entry else node).shown.strip()
    kind = "expr" if entry is not None and entry.name == "expr" else "cmd"
    return text, {p: found for p in PLATFORMS if (found := _answer(kind, text, p)) is not None}


def _answer(kind: str, text: str, platform: str) -> str | None:
    """What a control says: Python's sys.platform and its kin (Library Reference, `sys`, `platform`), or uname(1)."""
    system, machine, _ = PLATFORMS[platform]
    windows = platform.startswith("windows-")
    if kind == "expr":
        known = {
            "sys.platform": "win32" if windows else system.lower().replace("freebsd", "freebsd14"),
            "platform.system()": "Windows" if windows else system,
            "platform.machine()": {"x86_64": "AMD64", "aarch64": "ARM64"}[machine] if windows else machine,
            "os.name": "nt" if windows else "posix",
        }
    else:
        known = {"uname": system, "uname -s": system, "uname -m": machine, "uname -sm": f"{system} {machine}"}
        known |= {"uname -s -m": f"{system} {machine}", "arch": machine}
    return known.get(text)
