"""CircleCI: the steps of a job as scripts; commands are followed where they are called.

Follows https://circleci.com/docs/configuration-reference/ ("steps", "run", "when", "commands") and
https://circleci.com/docs/env-vars/ ("$BASH_ENV": each step's bash reads it first). What an orb runs is not in the
repository, unless it is written in the configuration itself.
"""

from collections.abc import Iterator, Mapping

from flagguard.command import Dialect, Script
from flagguard.hosts import Setting
from flagguard.hosts.circleci_values import Scope, declared, judge, plain
from flagguard.hosts.pipelines import (
    Frame,
    Notes,
    TooLarge,
    is_true,
    lines,
    open_hole,
    shell_of,
    text,
    unread,
    variables,
    written,
)
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.text import EMPTY, Traced, literal
from flagguard.values import dataclass, replace

BASH_ENV = "$BASH_ENV"
_BUILT_IN = frozenset(
    "checkout setup_remote_docker save_cache restore_cache store_artifacts store_test_results persist_to_workspace "
    "attach_workspace add_ssh_keys".split()
)
_DEEPEST = 20
_MOST_STEPS = 5_000
_EXPORTED = expression(r"\bexport\s+([A-Za-z_]\w*)=")


@dataclass(frozen=True)
class Library:
    """The commands, jobs and executors of a configuration, or of an orb that stands in it."""

    table: Table
    orbs: Mapping[str, "Library | str"]
    """Orbs by the name that they have here: those in the configuration, and where the others come from."""

    def find(self, kind: str, name: str) -> "tuple[Table, Library] | str | None":
        """What has the name; the orb that it comes from, where that is not in the repository; None: nothing."""
        prefix, slash, rest = name.partition("/")
        if slash:
            orb = self.orbs.get(prefix)
            return orb.find(kind, rest) if isinstance(orb, Library) else orb
        own = self.table.get(kind)
        found = own.get(name) if isinstance(own, Table) else None
        return (found, self) if isinstance(found, Table) else None


def library(table: Table, depth: int = 0) -> Library:
    orbs: dict[str, Library | str] = {}
    node = table.get("orbs")
    for entry in node.entries if isinstance(node, Table) and depth < 5 else ():
        orbs[entry.name] = library(entry.value, depth + 1) if isinstance(entry.value, Table) else text(entry.value).text
    return Library(table, orbs)


class Steps:
    """The steps of one job, one after another."""

    def __init__(self, notes: Notes, setting: Setting, root: str, key: str) -> None:
        self.notes = notes
        self.setting = setting
        self.root = root
        """The folder that the repository is in."""
        self.key = key
        self.exported: Traced = EMPTY
        """What stands in the file of `$BASH_ENV`."""
        self._count = 0

    def run(
        self, node: Node | None, frame: Frame, scope: Scope, own: Library, depth: int = 0, first: int = 0
    ) -> Iterator[Script]:
        """The scripts of a list of steps, of which the job has run ``first`` already."""
        if depth > _DEEPEST:
            raise TooLarge("commands call each other too deeply")
        steps = node.items if isinstance(node, Items) else ()
        if node is not None and not isinstance(node, Items):
            self.notes.wrong(node, "a list", f"{self.key}.steps")
        for number, written_step in enumerate(steps, first):
            self._count += 1
            if self._count > _MOST_STEPS:
                raise TooLarge(f"a job comes to more than {_MOST_STEPS} steps")
            here = replace(frame, order=(*frame.order, number))
            step = scope.into(written_step) if isinstance(written_step, Scalar) else written_step
            if isinstance(step, Items):
                yield from self.run(step, here, scope, own, depth + 1)
            elif isinstance(step, Scalar):
                yield from self._named(step.text, step, None, here, scope, own, depth)
            elif len(step.entries) == 1:
                entry = step.entries[0]
                yield from self._step(entry.name, entry.value, step, here, scope, own, depth)
            else:
                self.notes.tell(step.span, "a step is a name, or one key with its value", f"{self.key}.steps", True)

    def _step(
        self, name: str, value: Node, step: Node, frame: Frame, scope: Scope, own: Library, depth: int
    ) -> Iterator[Script]:
        match name:
            case "run" | "deploy":
                yield from self._run(scope.into(value), frame)
            case "when" | "unless":
                yield from self._conditional(name, value, frame, scope, own, depth)
            case "steps":
                yield from self.run(scope.into(value), frame, scope, own, depth + 1)
            case _:
                at = step.entries[0].key if isinstance(step, Table) else step.span
                yield from self._named(Traced(literal(name, at).pieces), step, value, frame, scope, own, depth)

    def _conditional(
        self, name: str, value: Node, frame: Frame, scope: Scope, own: Library, depth: int
    ) -> Iterator[Script]:
        table = self.notes.table(value, f"{self.key}.{name}")
        condition = table.get("condition") if table is not None else None
        if table is None or condition is None:
            return
        verdict = judge(condition, scope)
        held = verdict.held if name == "when" or verdict.held is None else not verdict.held
        if held is False and not verdict.asked:
            return
        said = f"{name}: {' '.join(self._written(condition).split())}"[:200]
        inner = frame if held else replace(frame.assuming(said), opt_in=frame.opt_in or held is False)
        yield from self.run(table.get("steps"), inner, scope, own, depth + 1)

    def _written(self, node: Node) -> str:
        source = self.notes.source(node.span.path)
        return source.text[node.span.start : node.span.end] if source is not None else "…"

    # -- commands

    def _named(
        self, name: Traced, step: Node, given: Node | None, frame: Frame, scope: Scope, own: Library, depth: int
    ) -> Iterator[Script]:
        if name.text in _BUILT_IN and own.find("commands", name.text) is None:
            return
        found = own.find("commands", name.text)
        if not isinstance(found, tuple):
            told = (
                f"what the orb {found} runs is not in the repository, so it is not judged"
                if found
                else "there is no command of this name, so what it runs is not known"
            )
            self.notes.tell(step.span, told, name.shown, fatal=False)
            return
        table, home = found
        inner = arguments(table, given, scope)
        frame = replace(frame, via=(*frame.via, step.span))
        yield from self.run(table.get("steps"), frame, inner, home, depth + 1)

    # -- run

    def _run(self, value: Node, frame: Frame) -> Iterator[Script]:
        table = value if isinstance(value, Table) else None
        body = text(table.get("command")) if table is not None else text(value)
        if not body:
            self.notes.tell(value.span, "a `run` is a text, or has a `command`; this has none", f"{self.key}.run", True)
            return
        shell, folder, said = frame.shell, EMPTY, EMPTY
        if table is not None:
            frame = frame.with_values(variables(table.get("environment"), self.notes, f"{self.key}.run.environment"))
            frame = replace(frame, ignored=frame.ignored or is_true(table.get("background")))
            if text(table.get("when")).text == "on_fail":
                frame = frame.assuming("when: on_fail")
            shell = shell_of(text(table.get("shell")).text.split()) if text(table.get("shell")) else shell
            folder, said = text(table.get("working_directory")), text(table.get("name"))
        frame = replace(frame, directory=_folder(folder, self.root))
        name = said.shown or ".".join(str(number + 1) for number in frame.order)
        script = frame.script(name, plain(body), shell)
        reads = self.exported and shell.dialect is Dialect.BASH
        full = replace(script, text=lines((self.exported, script.text))) if reads else script
        self._note(full)
        yield unread(self.notes, full, f"{self.key}.run")

    def _note(self, script: Script) -> None:
        """What the step writes for those behind it."""
        if "BASH_ENV" not in script.text.text:
            return
        found = written(script, self.setting, BASH_ENV)
        held = found.get(BASH_ENV, ()) if found is not None else ()
        if len(held) == 1 and (held[0].text or not _EXPORTED.search(script.text.text)):
            if held[0].text:
                self.exported = lines((self.exported, held[0]))
            return
        said = " ".join(line for line in script.text.text.splitlines() if "BASH_ENV" in line or "export" in line)
        for name in dict.fromkeys(_EXPORTED.findall(said)):
            value = open_hole(f"${name}", "an earlier step writes it", name)
            self.exported = lines((self.exported, literal(f"export {name}=") + value))


def arguments(table: Table, given: Node | None, scope: Scope) -> Scope:
    """What a command, a job or an executor sees that is called with some parameters."""
    parameters = declared(table.get("parameters"))
    if isinstance(given, Table):
        parameters.update((e.name, scope.into(e.value)) for e in given.entries)
    return Scope(parameters, scope.pipeline)


def _folder(folder: Traced, root: str) -> str | None:
    """A step's folder, from the root of the repository."""
    if not folder:
        return ""
    if not folder.known:
        return None
    for begin in (root, "~/project", "/root/project", "/home/circleci/project"):
        if begin and (folder.text == begin or folder.text.startswith(begin.rstrip("/") + "/")):
            return inside("", folder.text[len(begin) :].lstrip("/") or ".")
    return None if folder.text[:1] in ("~", "/", "$") else inside("", folder.text)
