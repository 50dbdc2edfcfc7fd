"""AppVeyor: the phases of a build as scripts.

Follows https://www.appveyor.com/docs/appveyor-yml/ and https://www.appveyor.com/docs/build-configuration/: a command
goes to cmd.exe on Windows and to bash elsewhere, unless `ps:`, `pwsh:`, `cmd:` or `sh:` says otherwise; what `set`
gives a variable is there for the commands behind it. Each image, environment, platform and configuration is a job.
"""

from collections.abc import Iterator, Mapping
from itertools import product

from flagguard.command import Dialect, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import Frame, Notes, Shell, guarded, lines, text, texts
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import SourceText, Traced, literal
from flagguard.values import replace

NAME = "appveyor"

_PHASES = (
    "init install before_build build_script after_build before_test test_script after_test before_package "
    "before_deploy deploy_script after_deploy on_success on_failure on_finish"
).split()
_SHELLS: Mapping[str, Shell] = {
    "cmd": Shell(Dialect.CMD),
    "ps": Shell(Dialect.POWERSHELL),
    "pwsh": Shell(Dialect.POWERSHELL),
    "sh": Shell(Dialect.BASH, errexit=True),
}
_SETS = expression(r"(?i)@?set\s+\"?[a-z_]\w*=.*|\$env:[a-z_]\w*\s*=.*|export\s+[a-z_]\w*=.*", 0)
_LATE = frozenset(("on_success", "on_failure", "on_finish"))
_MOST_JOBS = 200
_GIVEN = expression(r"\bAPPVEYOR_\w+|\bCI\b")


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)

    def scripts() -> Iterator[Script]:
        for root in notes.documents(source)[:1]:
            parts = root.items if isinstance(root, Items) else (root,)
            for part in parts:
                table = notes.table(part, "the configuration")
                if table is not None:
                    yield from _jobs(table, notes)

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


def _jobs(root: Table, notes: Notes) -> Iterator[Script]:
    environment = root.get("environment")
    shared, rows = _environment(environment)
    axes = [texts(root.get(key)) or [literal("")] for key in ("image", "platform", "configuration")]
    for number, (image, platform, configuration) in enumerate(product(*axes)):
        for other, row in enumerate(rows):
            if number * len(rows) + other >= _MOST_JOBS:
                notes.tell(root.span, f"more than {_MOST_JOBS} jobs; the others are not judged", fatal=True)
                return
            values = {**shared, **row}
            here = row.get("APPVEYOR_BUILD_WORKER_IMAGE") or image
            values.update({n: v for n, v in (("PLATFORM", platform), ("CONFIGURATION", configuration)) if v})
            held = {"image": here.text, "platform": platform.text, "configuration": configuration.text}
            job = _special(root, {**{k: v.text for k, v in row.items()}, **held})
            label = ", ".join(v.shown for v in (*row.values(), platform, configuration) if v)
            yield from _job(job, here, values, label, number * len(rows) + other, notes)


def _environment(node: Node | None) -> tuple[dict[str, Traced], list[Mapping[str, Traced]]]:
    """What every job has, and the rows of which each is one."""
    shared: dict[str, Traced] = {}
    rows: list[Mapping[str, Traced]] = []
    for entry in node.entries if isinstance(node, Table) else ():
        if entry.name == "matrix" and isinstance(entry.value, Items):
            rows = [_plain(item) for item in entry.value.items if isinstance(item, Table)]
        elif entry.name == "global" and isinstance(entry.value, Table):
            shared.update(_plain(entry.value))
        elif isinstance(entry.value, Scalar):
            shared[entry.name] = text(entry.value)
    return shared, rows or [{}]


def _plain(table: Table) -> dict[str, Traced]:
    return {e.name: text(e.value) for e in table.entries if isinstance(e.value, Scalar)}


def _special(root: Table, held: Mapping[str, str]) -> Table:
    """The configuration with what `for` says of this job."""
    entries = {e.name: e for e in root.entries}
    special = root.get("for")
    for one in special.items if isinstance(special, Items) else ():
        matrix = one.get("matrix") if isinstance(one, Table) else None
        only = matrix.get("only") if isinstance(matrix, Table) else None
        wanted = [item for item in only.items if isinstance(item, Table)] if isinstance(only, Items) else []
        fits = any(all(held.get(e.name) == text(e.value).text for e in item.entries) for item in wanted)
        if isinstance(one, Table) and fits:
            entries.update((e.name, e) for e in one.entries if e.name != "matrix")
    return Table(root.span, tuple(entries.values()))


def _job(
    job: Table, image: Traced, values: Mapping[str, Traced], label: str, number: int, notes: Notes
) -> Iterator[Script]:
    said = image.text.lower()
    system = "linux" if "ubuntu" in said else "macos" if "macos" in said else "windows"
    usual = _SHELLS["cmd" if system == "windows" else "sh"]
    frame = Frame(
        NAME,
        job=f"build ({label})" if label else "build",
        runner=image.shown or None,
        platforms=frozenset({f"{system}-x86_64"}),
        values=values,
    )
    kept: dict[Dialect, list[Traced]] = {}
    for rank, phase in enumerate(_PHASES):
        for part, (shell, commands) in enumerate(_runs(job.get(phase), usual, notes, phase)):
            body = lines([*kept.get(shell.dialect, ()), *commands])
            given = tuple(dict.fromkeys(n for n in _GIVEN.findall(body.text) if n not in values))
            here = replace(frame, order=(number, rank, part), ignored=phase in _LATE, outside=given)
            yield here.script(phase, body, shell)
            kept.setdefault(shell.dialect, []).extend(c for c in commands if _SETS.fullmatch(c.text.strip()))
    build = job.get("build")
    if isinstance(build, Table) and job.get("build_script") is None:
        project = text(build.get("project"))
        words = [literal("msbuild ")] + ([project] if project else [])
        here = replace(frame, order=(number, _PHASES.index("build_script")))
        if project:
            yield here.script("build", Traced(tuple(p for w in words for p in w.pieces)), usual)


def _runs(node: Node | None, usual: Shell, notes: Notes, key: str) -> Iterator[tuple[Shell, list[Traced]]]:
    """Commands that go to one shell after another."""
    last: tuple[Shell, list[Traced]] | None = None
    for item in node.items if isinstance(node, Items) else (node,) if node is not None else ():
        found: list[tuple[Shell, Traced]] = []
        if isinstance(item, Table):
            for entry in item.entries:
                if entry.name in _SHELLS:
                    found.append((_SHELLS[entry.name], text(entry.value)))
                else:
                    notes.tell(item.span, f"`{entry.name}:` is no shell that AppVeyor knows", key, fatal=False)
        elif isinstance(item, Scalar) and item.kind is not Kind.BOOLEAN:
            found.append((usual, text(item)))
        for shell, command in found:
            if not command:
                continue
            if last is None or last[0] != shell:
                if last is not None:
                    yield last
                last = (shell, [])
            last[1].append(command)
    if last is not None:
        yield last
