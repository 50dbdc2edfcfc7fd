"""Formats that say what runs and no more: their commands stand at known ways of keys, which are data.

``data/listed.toml`` has a table for each format, with its manual; :mod:`listed_ways` says how a way is written,
:mod:`listed_variants` what a file comes to where parts of it count for some builds only. What is found along one way
belongs together: the variables, the folder and the commands before are those of the same keys and items.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from flagguard import tables
from flagguard.command import Reading, Script
from flagguard.hosts import Setting, image_builds
from flagguard.hosts.compose import split
from flagguard.hosts.listed_variants import Variant, variants
from flagguard.hosts.listed_ways import FORMATS, WORD, Passed, beside, check, follow, start, steps
from flagguard.hosts.pipelines import (
    MOST_SCRIPTS,
    Frame,
    Notes,
    Shell,
    TooLarge,
    fill,
    guarded,
    is_true,
    lines,
    open_hole,
    outside,
    rows_of,
    shell_of,
    speaking,
    text,
    texts,
)
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.paths import inside
from flagguard.text import EMPTY, SourceText, Traced, join, literal
from flagguard.values import cached_property, replace

_COMMANDS = frozenset("command commands commands_file run script line".split())
"""Keys that say no more than that something runs."""
_PAIR = re.compile(r"\A(\w+)=", re.ASCII)
_NAMES = ("key", "name", "env_var")
_VALUES = ("value", "values", "previewValue")
"""What a variable is called in a list of them, and its values."""
_MOST_ROWS = 60

Choices = dict[str, list[Traced]]
"""Variables, and each value that they have: the rows of a matrix."""


def read(source: SourceText, setting: Setting, name: str) -> Reading:
    """What the file runs; ``name`` is the format's."""
    notes = Notes(setting)
    known = tables.table(FORMATS)[name]
    others: dict[str, Sequence[Node]] = {}

    def other(path: str) -> Sequence[Node]:
        where = posixpath.normpath(path)
        if where not in others:
            found = setting.files.read(where) if where != source.path else None
            others[where] = _documents(found, notes) if found is not None else ()
        return others[where]

    def scripts() -> Iterator[tuple[Script, Variant]]:
        for root in _documents(source, notes):
            for variant in variants(name, known, root, source.path, notes, other):
                own = replace(variant, root=_apart(known, variant.root))
                check(name, own.root, notes)
                for number, rule in enumerate(known["runs"]):
                    runs = _Runs(name, {**known, **rule}, number, source, own, root, notes)
                    yield from ((script, variant) for script in runs.scripts())
                    others.update(dict.fromkeys(runs.read, ()))

    found = guarded(notes, source.path, lambda: _once(scripts()))
    return Reading(found, problems=notes.all(), depends=tuple(others))


def _once(scripts: Iterator[tuple[Script, Variant]]) -> Iterator[Script]:
    """Each script once; what is the same on several platforms is one, and what is read elsewhere none."""
    found: dict[Script, tuple[Script, frozenset[str] | None, Variant]] = {}
    for script, variant in islice(scripts, MOST_SCRIPTS):
        key = replace(script, platforms=None, order=())
        first, platforms, of = found.setdefault(key, (script, script.platforms, variant))
        both = platforms | script.platforms if platforms is not None and script.platforms is not None else None
        found[key] = (first, both, of)
    for first, platforms, of in found.values():
        if not of.elsewhere:
            job = ": ".join(one for one in (of.name, first.place.job) if one) or None
            yield replace(first, platforms=platforms, place=replace(first.place, job=job))
    if next(scripts, None) is not None:
        raise TooLarge(f"it comes to more than {MOST_SCRIPTS} scripts")


def _apart(known: Mapping[str, Any], root: Node) -> Node:
    """The file without the keys that are settings where others are names."""
    if not isinstance(root, Table) or "settings" not in known:
        return root
    return Table(root.span, tuple(e for e in root.entries if e.name not in known["settings"]))


def _documents(source: SourceText, notes: Notes) -> Sequence[Node]:
    if not source.path.endswith(".toml"):
        from flagguard.hosts import jsonc_text

        json = source.path.endswith((".json", ".jsonc"))
        return notes.documents(jsonc_text.plain(source) if json else source, lists=True)[:1]
    from flagguard.hosts.task_tables import toml

    notes.keep(source)
    found = toml(source)
    notes.problems.update(dict.fromkeys(found.problems))
    return [found.root] if found.root is not None and notes.fits(found.root) else []


class _Runs:
    """What one way of a format leads to."""

    def __init__(
        self,
        host: str,
        rule: Mapping[str, Any],
        number: int,
        source: SourceText,
        variant: Variant,
        whole: Node,
        notes: Notes,
    ) -> None:
        self.host = host
        self.rule = rule
        self.number = number
        self.source = source
        self.variant = variant
        self.whole = whole
        """The file with its settings."""
        self.notes = notes
        self._known: dict[str, Traced] | None = None
        self._grouped: tuple[tuple[int, ...], Mapping[str, Node | None]] = ((), {})
        self.read: list[str] = []
        """Other files of the tree that are read, or looked for."""
        self.folder = posixpath.dirname(source.path) if rule.get("beside") else ""
        if rule.get("within") and posixpath.basename(self.folder) == rule["within"]:
            self.folder = posixpath.dirname(self.folder)

    def scripts(self) -> Iterator[Script]:
        together: list[Traced] = []
        first: tuple[Passed, ...] | None = None
        for count, passed in enumerate(follow(start(self.variant.root), steps(self.rule["at"]))):
            if not self._meant(passed):
                continue
            if "told" in self.rule:
                self.notes.tell(passed[-1].node.span, self.rule["told"], text(passed[-1].node).shown or None)
            elif self.rule.get("joined"):
                together += self._commands(passed)
                first = first or passed
            else:
                for frame in self._frames(passed):
                    yield from self._of(passed, replace(frame, order=(count, self.number)))
        if first is not None and together:
            for frame in self._frames(first):
                yield frame.script(None, lines(together), self._shell(first, EMPTY, frame))

    def _of(self, passed: tuple[Passed, ...], frame: Frame) -> Iterator[Script]:
        job, step = self._names(passed)
        frame = replace(frame, job=job)
        if "by" in self.rule:
            yield from self._by_kind(passed, frame, step)
        elif "argv" in self.rule:
            words = self._argv(passed, self.rule["argv"], step)
            if words:
                yield image_builds.argv(words, frame, step)
        elif self.rule.get("each"):
            for one in self._commands(passed):
                yield frame.script(step, one, self._shell(passed, one, frame))
        else:
            commands = self._commands(passed)
            if commands:
                first = [one for way in self.rule.get("before", ()) for one in beside(passed, way)]
                before = [line for one in first for line in self._commands(one)]
                behind = [one for way in self.rule.get("behind", ()) for one in beside(passed, way)]
                words = [word for one in behind for word in self._commands(one)]
                body = lines([*before, *commands])
                body = join([body, *(part for word in words for part in (literal(" "), word))])
                yield frame.script(step, body, self._shell(passed, body, frame))

    def _commands(self, passed: tuple[Passed, ...]) -> list[Traced]:
        """The texts at the end of a way, or the lines of the file that it names."""
        found = texts(passed[-1].node)
        if passed[-1].key in self.rule.get("files", ()):
            return [body for name in found for body in self._lines_of(passed[-1].node, name)]
        return found if self.rule.get("bare") else [self._said(one, passed) for one in found]

    def _lines_of(self, node: Node, name: Traced) -> list[Traced]:
        written = name.text
        folder = "" if written.startswith("/") else posixpath.dirname(self.source.path)
        path = inside(folder, written.lstrip("/")) if name.known else None
        if path is not None:
            self.read.append(path)
        source = self.notes.source(path) if path is not None else None
        if source is None:
            self.notes.tell(node.span, f"{written} is not in the repository, so what it runs is not judged")
            return []
        return [source.traced()]

    def _meant(self, passed: tuple[Passed, ...]) -> bool:
        if re.fullmatch(self.rule.get("of", ".*"), self.variant.name) is None:
            return False

        def says(way: str, pattern: str) -> bool:
            found = (text(one[-1].node).text for one in beside(passed, way))
            return any(re.fullmatch(pattern, said, re.DOTALL) for said in found)

        wanted, others = self.rule.get("only", {}), self.rule.get("unless", {})
        return all(says(*one) for one in wanted.items()) and not any(says(*one) for one in others.items())

    def _names(self, passed: Sequence[Passed]) -> tuple[str | None, str | None]:
        """The job and the step: what the last key says where it says anything, else the last name on the way."""
        names = [one.name for one in passed if one.name]
        own = passed[-1].key if not passed[-1].name else ""
        step = names.pop() if names and own in (*_COMMANDS, "") else own
        return ": ".join(names) or None, step or None

    # -- values

    @cached_property
    def _holes(self) -> "re.Pattern[str] | None":
        return re.compile(self.rule["holes"]) if "holes" in self.rule else None

    def _given(self, passed: tuple[Passed, ...]) -> Mapping[str, Traced]:
        """What the format puts in: a table of it, or one value, called after the last name on its way."""
        ways = self.rule.get("substitutions", ())
        same_for_all = not any(mark in way for way in ways for mark in "*[")
        if same_for_all and self._known is not None:
            return self._known
        self._known = found = {}
        for way in ways:
            for one in beside((Passed("", self.whole), *passed[1:]), way):
                if isinstance(one[-1].node, Scalar):
                    found[next((p.name for p in reversed(one) if p.name), "")] = text(one[-1].node)
                else:
                    found |= {name: values[-1] for name, values in self._pairs(one, raw=True).items()}
        return found

    def _said(self, whole: Traced, passed: tuple[Passed, ...], home: bool = False, depth: int = 0) -> Traced:
        """A text with what the format itself replaces. ``home``: it is seen from the folder that the format names."""
        if self._holes is None or depth > 5:
            return whole
        given = self._given(passed)

        def put(found: "re.Match[str]", written: Traced) -> Traced | None:
            if found[0] == "$$":
                return written.cut(1, 2)
            name = next((group for group in found.groups() if group), found[0])
            if name in self.rule.get("home", ()) and (home or self._directory(passed) == self.folder):
                return literal(".")
            value = given.get(name)
            if value is not None:
                return self._said(value, passed, home, depth + 1).overridable()
            return outside(name, written.text, self.rule.get("reason", "it is put in when the file is read"))

        return fill(whole, self._holes, put)

    def _frames(self, passed: tuple[Passed, ...]) -> Iterator[Frame]:
        """The facts of the place, for each row of what its variables may be."""
        choices: Choices = {}
        for way in self.rule.get("environment", ()):
            of_way: Choices = {}
            for one in beside(passed, way):
                for name, values in self._pairs(one).items():
                    of_way.setdefault(name, []).extend(values)
            choices |= of_way
        frame = self._frame(passed)
        rows = rows_of(list(choices.items()), _MOST_ROWS)
        if rows is None:
            told = f"it has more than {_MOST_ROWS} values"
            rows = iter([{n: v[0] if len(v) == 1 else open_hole(n, told, n) for n, v in choices.items()}])
        yield from (frame.with_values(row) for row in rows)

    def _pairs(self, passed: tuple[Passed, ...], raw: bool = False) -> Choices:
        """Variables: a table, a list of tables with a name and a value, of tables of one, of `NAME=value`.

        ``raw``: as they are written.
        """
        node = passed[-1].node
        found: Choices = {}
        if isinstance(node, Table):
            entries = [
                (e.name, texts(e.value) if isinstance(e.value, Items) else [text(e.value)]) for e in node.entries
            ]
            return {name: values if raw else [self._said(v, passed) for v in values] for name, values in entries}
        for item in node.items if isinstance(node, Items) else ():
            if isinstance(item, Table):
                found |= self._pair(item, passed)
            elif _PAIR.match(text(item).text) is not None:
                name = text(item).text.partition("=")[0]
                found[name] = [self._said(text(item).cut(len(name) + 1, len(text(item))), passed)]
        return found

    def _pair(self, item: Table, passed: tuple[Passed, ...]) -> Choices:
        group = text(item.get("fromGroup")).text
        if group and "groups" in self.rule:
            inner = self._groups(passed).get(group)
            return self._pairs((*passed[:-1], Passed("", inner))) if inner is not None else {}
        name = next((text(item.get(key)).text for key in _NAMES if item.get(key) is not None), None)
        if name is None:
            return self._pairs((*passed, Passed("[]", item)))
        said = [node for node in map(item.get, _VALUES) if node is not None]
        if not said:
            return {name: [outside(name, f"${name}", self.rule.get("elsewhere", "its value is not in the repository"))]}
        values = [value for node in said for value in (texts(node) if isinstance(node, Items) else [text(node)])]
        return {name: [self._said(value, passed) for value in values]}

    def _groups(self, passed: tuple[Passed, ...]) -> Mapping[str, Node | None]:
        """The groups of variables that count for a place, by their names; the innermost of a name."""
        key = tuple(id(one.node) for one in passed)
        if self._grouped[0] != key:
            tables_ = (one[-1].node for way in self.rule["groups"] for one in beside(passed, way))
            named = {text(one.get("name")).text: one.get("envVars") for one in tables_ if isinstance(one, Table)}
            self._grouped = (key, named)
        return self._grouped[1]

    def _frame(self, passed: tuple[Passed, ...]) -> Frame:
        given = [t.text for w in self.rule.get("outside", ()) for one in beside(passed, w) for t in texts(one[-1].node)]
        said = ([t.text for one in beside(passed, w) for t in texts(one[-1].node)] for w in self.rule.get("runner", ()))
        labels: list[str] = next((one for one in reversed(list(said)) if one), [])
        platforms = speaking(labels, self.notes.setting, self.rule.get("system"))
        if "machine" in self.rule and not labels:
            platforms = frozenset({self.rule["machine"]})
        return Frame(
            self.host,
            runner=", ".join(labels) or None,
            platforms=self.variant.platforms or platforms,
            outside=tuple(dict.fromkeys(given)),
            ignored=any(is_true(one[-1].node) for w in self.rule.get("ignored", ()) for one in beside(passed, w)),
            directory=self._directory(passed),
        )

    def _directory(self, passed: tuple[Passed, ...]) -> str | None:
        directory: str | None = self.folder
        for way in self.rule.get("folder", ()):
            for one in beside(passed, way):
                said = self._said(text(one[-1].node), passed, home=True)
                elsewhere = re.fullmatch(self.rule.get("elsewhere-folder", "(?!)"), said.text) is not None
                known = said.known and directory is not None and not elsewhere
                base = self.folder if "folder-from-root" in self.rule else directory
                directory = inside(base or "", said.text) if known else None
        return directory

    def _shell(self, passed: tuple[Passed, ...], body: Traced, frame: Frame) -> Shell:
        named = [
            t.text for w in self.rule.get("shell-at", ()) for one in beside(passed, w) for t in texts(one[-1].node)
        ]
        begin = re.match(r"#!\s*(\S.*)", body.text)
        if begin is not None:
            named = begin[1].split()
        usual = self.rule.get("shell", "sh")
        if frame.platforms and all(platform.startswith("windows") for platform in frame.platforms):
            usual = self.rule.get("shell-windows", usual)
        return shell_of(named or usual.split())

    # -- words

    def _by_kind(self, passed: tuple[Passed, ...], frame: Frame, step: str | None) -> Iterator[Script]:
        """What is run for the kind that the item says it is of."""
        item = passed[-1].node
        kind = text(item.get(self.rule["by"])) if isinstance(item, Table) else EMPTY
        known = self.rule["commands"].get(kind.text)
        if known is None and kind:
            self.notes.tell(item.span, self.rule["unknown"].format(kind.shown), step)
        for number, written in enumerate(known or ()):
            words = self._argv(passed, written, step)
            one = replace(frame, order=(*frame.order, number))
            if words and "shell-words" in self.rule:
                parts = [part for word in words for part in (literal(" "), word)]
                body = join(parts[1:])
                yield one.script(step, body, self._shell(passed, body, frame))
            elif words:
                yield image_builds.argv(words, one, step)

    def _argv(self, passed: tuple[Passed, ...], written: Sequence[Any], step: str | None) -> list[Traced]:
        """Words, each said by the table or by the item; of a list of them the first that there is."""
        words: list[Traced] = []
        for one in written:
            choices = [one] if isinstance(one, str) else one
            found = next((some for some in (self._words(passed, choice) for choice in choices) if some), [])
            if not found and not words and "anyway" not in self.rule:
                told = self.rule.get("nameless")
                if told is not None:
                    self.notes.tell(passed[-1].node.span, told, step)
                return []
            words += found
        return words

    def _words(self, passed: tuple[Passed, ...], written: str) -> list[Traced]:
        item = passed[-1].node
        parts = WORD.fullmatch(written)
        if parts is None:
            return [self._filled(passed, written)]
        node = next((one[-1].node for one in follow((Passed("", item),), steps(parts[2]))), None)
        found = [self._said(one, passed) for one in _listed(node)]
        if parts["how"] == "split":
            return [word for one in found for word in split(one)]
        if parts["how"] is not None:
            named = re.fullmatch(parts["how"], found[0].text) if found else None
            return [found[0].cut(*named.span(1))] if named is not None and found[0].known else []
        if not found and parts["default"] is not None:
            found = [literal(parts["default"], item.span)]
        if parts["mark"] == "," and found:
            found = [join([part for one in found for part in (literal(","), one)][1:])]
        elif parts["mark"] == "'":
            found = [join([literal("'"), one, literal("'")]) for one in found]
        return [join([literal(parts[1], item.span), one]) for one in found] if parts[1] else found

    def _filled(self, passed: tuple[Passed, ...], written: str) -> Traced:
        """A word: `{WAY=DEFAULT}` is what the file says, `{.KEY}` what the item says, `{1}` the first name."""
        names = [one.name for one in passed if one.name]
        item = passed[-1].node
        out: list[Traced] = []
        at = 0
        for found in re.finditer(r"\{([\w.-]+)(?:=([^}]*))?\}", written):
            out.append(literal(written[at : found.start()], item.span))
            way, at = found[1], found.end()
            if way.isdigit():
                out.append(literal(names[int(way) - 1] if int(way) <= len(names) else "", item.span))
                continue
            begin = (Passed("", item),) if way.startswith(".") else start(self.whole)
            said = next((text(one[-1].node) for one in follow(begin, steps(way.lstrip(".")))), EMPTY)
            out.append(said or literal(found[2] or "", item.span))
        return join([*out, literal(written[at:], item.span)])


def _listed(node: Node | None) -> list[Traced]:
    """A text, a list of them, or a table of names and values."""
    if isinstance(node, Table):
        return [join([literal(f"{entry.name}="), text(entry.value)]) for entry in node.entries]
    return texts(node)
