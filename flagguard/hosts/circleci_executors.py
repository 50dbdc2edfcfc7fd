"""CircleCI: where a job runs: its platform, its shell, the variables of its executor.

Sources: https://circleci.com/docs/configuration-reference/ ("executors", "resource_class", "Default shell options"),
https://circleci.com/docs/resource-class-overview/ and https://circleci.com/docs/using-macos/, as of 2026-11; the
executors of the orb circleci/windows (https://github.com/CircleCI-Public/windows-orb).
"""

import re

from flagguard.command import Dialect
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import Notes, Shell, Values, assignments, own_runner, shell_of, text
from flagguard.hosts.tree import Items, Table
from flagguard.text import Traced
from flagguard.values import dataclass, field

_CLASSES: tuple[tuple[str, str], ...] = (
    (r"arm\.[\w+]+|.*\.arm\..*", "linux-aarch64"),
    (r"macos\.x86\..*", "macos-x86_64"),
    (r"macos\..*|m\d(?:pro|max)?\..*", "macos-arm64"),
    (r"windows\..*|gpu\.windows\..*|windows\.gpu\..*", "windows-x86_64"),
    (r"small|medium\+?|large|xlarge|2xlarge\+?|[\w+]+\.(?:gen2|multi)|gpu\.nvidia\..*", "linux-x86_64"),
)
_PATTERNS = tuple((re.compile(pattern), platform) for pattern, platform in _CLASSES)
_WINDOWS = Shell(Dialect.POWERSHELL)
_BASH = Shell(Dialect.BASH, errexit=True, pipefail=True)  # /bin/bash -eo pipefail
_BARE = re.compile(r"(?:.*/)?(?:alpine|busybox)(?::.*)?")
"""Images without bash: /bin/sh -eo pipefail"""


@dataclass(frozen=True)
class Executor:
    platforms: frozenset[str] | None = None
    runner: str | None = None
    shell: Shell = _BASH
    values: Values = field(default_factory=dict)
    folder: Traced | None = None


def executor_of(table: Table, notes: Notes, setting: Setting, key: str, windows: bool = False) -> Executor:
    """What the keys of an executor, or of a job, say. ``windows``: it builds on the orb's."""
    docker, machine = table.get("docker"), table.get("machine")
    own = text(table.get("resource_class"))
    values: dict[str, Traced] = {}
    image = ""
    if isinstance(docker, Items) and docker.items:
        first = notes.table(docker.items[0], f"{key}.docker")  # the others are services
        if first is not None:
            image = text(first.get("image")).shown
            values.update(assignments(first.get("environment"), notes, f"{key}.docker.environment"))
    elif isinstance(machine, Table):
        image = text(machine.get("image")).shown
        own = own or text(machine.get("resource_class"))
    values.update(assignments(table.get("environment"), notes, f"{key}.environment"))
    platforms = _platforms(table, own, image, windows, setting)
    on_windows = platforms is not None and all(p.startswith("windows-") for p in platforms)
    said = text(table.get("shell"))
    shell = shell_of(said.text.split()) if said else _WINDOWS if on_windows else _BASH
    if not said and _BARE.fullmatch(image):
        shell = Shell(Dialect.SH, errexit=True, pipefail=True)
    runner = own.shown or image or ("macos" if table.get("macos") is not None else "windows" if windows else None)
    return Executor(platforms, runner, shell, values, text(table.get("working_directory")) or None)


def _platforms(table: Table, own: Traced, image: str, windows: bool, setting: Setting) -> frozenset[str] | None:
    named = own_runner([own.text], setting.runners) if own else None
    if named is not None:
        return frozenset({named})
    if windows or image.startswith("windows-"):
        return frozenset({"windows-x86_64"})
    if own:
        if not own.known:
            return None
        return next((frozenset({platform}) for pattern, platform in _PATTERNS if pattern.fullmatch(own.text)), None)
    if table.get("macos") is not None:
        return frozenset({"macos-arm64"})
    if table.get("docker") is not None or table.get("machine") is not None:
        return frozenset({"linux-x86_64"})
    return None
