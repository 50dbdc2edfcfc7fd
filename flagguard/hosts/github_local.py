"""The actions of the repository that steps call: their files, each read once.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax.
"""

from flagguard.hosts import Setting, yaml_text
from flagguard.hosts.github_written import Written
from flagguard.hosts.tree import Document, Table
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.reaching import Part
from flagguard.text import SourceText
from flagguard.values import dataclass


@dataclass(frozen=True)
class Action:
    source: SourceText
    root: Table
    runs: Table


_MERGE = "`<<`: GitHub takes anchors and aliases, but no merge keys, and refuses the file"
"""https://docs.github.com/en/actions/reference/workflows-and-actions/reusing-workflow-configurations ("YAML anchors and
aliases"), and https://github.com/actions/runner/issues/1182 on merge keys."""
_CALLED = expression(r"uses:\s*[\"']?(\./[^\s\"'#]*)")


class Actions:
    """The files that one workflow, or one action, calls."""

    def __init__(self, base: str) -> None:
        self.base = base
        """Where the repository of the workflow begins in the tree, with a `/` behind it; mostly nothing."""
        self._documents: dict[str, Document] = {}
        self.parts: dict[tuple[str, Part], None] = {}
        """Which part of the calling file calls which part of which file."""
        self.memo: dict[object, dict[frozenset[str] | None, tuple[Written, ...]]] = {}
        """What scripts write that are met again, by their platforms; None: on all."""

    def document(self, source: SourceText) -> Document:
        found = self._documents.get(source.path)
        if found is None:
            found = self._documents[source.path] = yaml_text.read(source, merges=_MERGE)
        return found

    def find(self, name: str, setting: Setting) -> Action | None:
        """The action in a folder of the repository; None where there is none that can be read."""
        folder = inside("", name)
        for file in ("action.yml", "action.yaml") if folder is not None else ():
            source = setting.files.read(self.base + (f"{folder}/{file}" if folder else file))
            if source is not None:
                return self.read(source)
        return None

    def read(self, source: SourceText) -> Action | None:
        root = self.document(source).root
        runs = root.get("runs") if isinstance(root, Table) else None
        return Action(source, root, runs) if isinstance(root, Table) and isinstance(runs, Table) else None

    def speak_of(self, word: str, text: str, setting: Setting) -> bool:
        """Whether an action that ``text`` calls, or one that this calls, has ``word`` in it."""
        waiting, seen = _CALLED.findall(text), set[str]()
        while waiting:
            name = waiting.pop()
            found = self.find(name, setting) if name not in seen else None
            seen.add(name)
            if found is not None:
                if word in found.source.text:
                    return True
                waiting += _CALLED.findall(found.source.text)
        return False

    def followed(self, unit: str, path: str, part: str) -> None:
        self.parts[unit, (path, part)] = None
