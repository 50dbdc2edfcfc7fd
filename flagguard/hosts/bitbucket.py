"""Bitbucket Pipelines: the steps of the pipelines as scripts.

Follows https://support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference/: the commands of
a step are one shell that ends with the first failure; `after-script` is another, whose failure changes nothing. What a
pipe runs is not in the repository.
"""

from collections.abc import Iterator

from flagguard.command import Dialect, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import Frame, Notes, Shell, guarded, lines, speaking, text, texts
from flagguard.hosts.tree import Items, Node, Table
from flagguard.patterns import expression
from flagguard.text import SourceText
from flagguard.values import replace

NAME = "bitbucket"

_BASH = Shell(Dialect.BASH, errexit=True)
_POWERSHELL = Shell(Dialect.POWERSHELL)
_GIVEN = expression(r"\b(?:BITBUCKET_\w+|CI|PIPELINES_\w+)\b")
_BARE = expression(r"(?:.*/)?(?:alpine|busybox)(?::.*)?")
_DEEPEST = 6


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)

    def scripts() -> Iterator[Script]:
        for root in notes.documents(source)[:1]:
            table = notes.table(root, "the configuration")
            if table is not None:
                yield from _Pipelines(table, notes, setting).scripts()

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


class _Pipelines:
    def __init__(self, root: Table, notes: Notes, setting: Setting) -> None:
        self.root = root
        self.notes = notes
        self.setting = setting
        self.number = 0

    def scripts(self) -> Iterator[Script]:
        pipelines = self.notes.table(self.root.get("pipelines"), "pipelines")
        for entry in pipelines.entries if pipelines is not None else ():
            if isinstance(entry.value, Items):
                yield from self._pipeline(entry.value, entry.name, ())
            elif isinstance(entry.value, Table):
                for inner in entry.value.entries:
                    name = f"{entry.name}: {inner.name}"
                    yield from self._pipeline(inner.value, name, (name,))
        definitions = self.root.get("definitions")
        shared = definitions.get("pipelines") if isinstance(definitions, Table) else None
        for entry in shared.entries if isinstance(shared, Table) else ():
            yield from self._pipeline(entry.value, entry.name, ())

    def _pipeline(self, node: Node, name: str, when: tuple[str, ...]) -> Iterator[Script]:
        self.number = 0
        yield from self._parts(node, Frame(NAME, job=name).assuming(*when), 0)

    def _parts(self, node: Node, frame: Frame, depth: int) -> Iterator[Script]:
        """Steps, stages and parallel steps, one in the other."""
        for item in node.items if isinstance(node, Items) else (node,):
            for entry in item.entries if isinstance(item, Table) and depth < _DEEPEST else ():
                if entry.name == "step" and isinstance(entry.value, Table):
                    yield from self._step(entry.value, frame)
                elif entry.name in ("parallel", "stage"):
                    inner = entry.value
                    asked = text(inner.get("trigger")).text if isinstance(inner, Table) else ""
                    steps = inner.get("steps") if isinstance(inner, Table) else inner
                    if steps is not None:
                        yield from self._parts(steps, frame.assuming(f"trigger: {asked}" if asked else ""), depth + 1)

    def _step(self, step: Table, frame: Frame) -> Iterator[Script]:
        self.number += 1
        image_node = step.get("image") or self.root.get("image")
        image = text(image_node.get("name") if isinstance(image_node, Table) else image_node)
        labels = [t.text for t in texts(step.get("runs-on"))]
        runtime = step.get("runtime")
        cloud = runtime.get("cloud") if isinstance(runtime, Table) else None
        if isinstance(cloud, Table) and text(cloud.get("arch")).text == "arm":
            labels.append("linux.arm64")
        platforms = speaking([*labels, "" if labels else "linux-amd64"], self.setting)
        windows = platforms is not None and all(p.startswith("windows-") for p in platforms)
        shell = _POWERSHELL if windows else Shell(Dialect.SH, True) if _BARE.fullmatch(image.text) else _BASH
        title = text(step.get("name")).shown or str(self.number)
        asked = text(step.get("trigger")).text
        frame = replace(frame, runner=", ".join(labels) or image.shown or None, platforms=platforms, shell=shell)
        frame = frame.assuming(f"trigger: {asked}" if asked == "manual" else "")
        for number, key in enumerate(("script", "after-script")):
            commands = list(texts(step.get(key)))
            self._pipes(step.get(key))
            if commands:
                body = lines(commands)
                given = tuple(dict.fromkeys(_GIVEN.findall(body.text)))
                here = replace(frame, order=(self.number - 1, number), outside=given, ignored=number == 1)
                yield here.script(title, body)

    def _pipes(self, node: Node | None) -> None:
        for item in node.items if isinstance(node, Items) else ():
            pipe = item.get("pipe") if isinstance(item, Table) else None
            if pipe is not None:
                told = f"what the pipe {text(pipe).shown} runs is not in the repository, so it is not judged"
                self.notes.tell(item.span, told, "script")
