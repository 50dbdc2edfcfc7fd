"""The values of one environment of tox, with their substitutions made.

Follows https://tox.wiki/en/latest/reference/config.html ("Substitutions", "set_env", "commands"). What is done with the
values is not known here.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from flagguard.command import Word, word
from flagguard.hosts.pipelines import unset
from flagguard.hosts.poe_cmd import written_at
from flagguard.hosts.tox_conditions import Conditions, fits, marked
from flagguard.hosts.tox_ini import split_lines, stripped
from flagguard.hosts.tox_replace import arguments_joined, replaced, replaced_lines
from flagguard.hosts.tox_source import Settings, World
from flagguard.hosts.tox_words import quoted, split
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table, text_of
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Piece, Shape, SourceText, Traced, hole, join, literal
from flagguard.values import dataclass

_REFERENCE = expression(r"(?:\[(.+)\])?([-\w]+)(?::(?s:.*))?\Z")
_MOST_TEXT, _MOST_PIECES = 20_000, 1_000
_MACHINE = frozenset("HOME PATH USER LOGNAME PWD TMPDIR TEMP TMP SHELL LANG".split())


@dataclass(frozen=True, slots=True)
class Unsure:
    """Something to be told."""

    text: Traced
    message: str
    fatal: bool = False


class Environment:
    """One environment in one world."""

    def __init__(
        self,
        settings: Settings,
        name: str,
        folder: str,
        world: World,
        given: "Sequence[Traced] | None",
        read: Callable[[str], SourceText | None],
    ) -> None:
        self.settings = settings
        self.name = name
        self.folder = folder
        self.world = world
        self.given = given
        self.read = read
        self.factors = world.factors(name)
        self.unsure: list[Unsure] = []
        self._set: dict[str, Traced] | None = None
        self._setting: set[str] = set()
        self._inside: list[tuple[str, str]] = []
        self._sections: dict[object, Traced] = {}
        self._raw: dict[str, Traced] = {}

    # -- values

    def _value(self, *keys: str) -> "Node | Traced | None":
        return next((v for key in keys if (v := self.settings.value(self, key)) is not None), None)

    def text(self, *keys: str) -> Traced:
        return self._text(self._value(*keys))

    def _text(self, value: "Node | Traced | None") -> Traced:
        if value is None:
            return EMPTY
        if isinstance(value, Traced):
            return stripped(self.replaced(value))
        found = self._unrolled(value)
        if isinstance(found, Traced):
            return found
        if isinstance(found, list):
            return join([part for item in found for part in (literal("\n"), _shown(item))][1:])
        return literal(str(found)) if isinstance(found, bool | int) else EMPTY

    def names(self, *keys: str) -> list[str]:
        """A list of names, one a line or with commas between them."""
        said = self.text(*keys).text
        return [name.strip() for name in re.split("[\n,]", said) if name.strip()]

    def commands(self, key: str) -> list[list[Word]]:
        value = self._value(key)
        if value is None:
            return []
        if isinstance(value, Traced):
            passed = None
            if self.given is not None:
                passed = join([part for one in self.given for part in (literal(" "), one)][1:])
            lines = split_lines(self._followed(value, replaced_lines(value, self._lookup, passed)))
            return [words for line in lines if stripped(line).text and (words := self._split(stripped(line)))]
        found = self._unrolled(value)
        if not isinstance(found, list):
            self._refuse(value, f"{key} has to be a list of lists")
            return []
        commands = []
        for item in found:
            if isinstance(item, list) and all(isinstance(w, Traced) for w in item):
                commands.append([word(w, written_at(w)) for w in item])
            elif item != []:
                self._refuse(value, f"{key} has to be a list of lists")
        return commands

    def _split(self, line: Traced) -> list[Word]:
        words = split(line, self.world.windows)
        if words and words[0].text.startswith("-") and words[0].text != "-":
            first = words[0]
            rest = first.cut(1, len(first))
            words = [word(first.cut(0, 1)), word(rest, written_at(rest)), *words[1:]]
        return words

    def _refuse(self, node: Node, message: str) -> None:
        self.unsure.append(Unsure(Traced((Piece("", (node.span,)),)), message, fatal=True))

    def installs(self) -> Iterator[list[Word]]:
        """What puts packages into the environment: the command as configured, or tox's own with the packages."""
        value = self._value("install_command")
        if isinstance(value, Traced):
            yield from (words for words in [self._split(stripped(self.replaced(value)))] if words)
            return
        if value is not None:
            found = self._unrolled(value)
            if isinstance(found, list) and all(isinstance(w, Traced) for w in found):
                yield [word(w, written_at(w)) for w in found]
            return
        deps = self._value("deps")
        if deps is None:
            return
        text = self._text(deps)
        words: list[Word] = []
        for line in map(stripped, split_lines(text)):
            if line.text.startswith("-"):
                words += split(line, self.world.windows)
            elif line.text:
                words.append(word(line, written_at(line)))
        if words:
            route = text.route
            requires = self.settings.core("requires")
            said = requires if isinstance(requires, Traced) else EMPTY
            uses_uv = "tox-uv" in said.text or (
                isinstance(requires, Items) and any("tox-uv" in text_of(n).text for n in requires.items)
            )
            program = ("uv pip install" if uses_uv else "python -I -m pip install").split()
            yield [*(Word((Piece(part, route),)) for part in program), *words]

    # -- the environment

    def set_env(self) -> dict[str, Traced]:
        if self._set is None:
            self._set = {}
            self._raw = self._declared(self._value("set_env", "setenv"))
            for name in list(self._raw):
                self._variable(name)
        return self._set

    def _variable(self, name: str) -> Traced | None:
        """A variable of `set_env`; None where it is not there, or is being worked out."""
        if self._set is None:
            self.set_env()
        assert self._set is not None
        if name in self._set or name not in self._raw or name in self._setting:
            return self._set.get(name)
        self._setting.add(name)
        self._set[name] = self.replaced(self._raw[name])
        self._setting.discard(name)
        return self._set[name]

    def _declared(self, value: "Node | Traced | None") -> dict[str, Traced]:
        found: dict[str, Traced] = {}
        if isinstance(value, Traced):
            for line in split_lines(value):
                self._line(line, found)
        elif isinstance(value, Table | Items):
            for table in value.items if isinstance(value, Items) else (value,):
                self._table(table, found)
        elif value is not None:
            self._refuse(value, "set_env has to be a table")
        return found

    def _line(self, line: Traced, found: dict[str, Traced], again: bool = True) -> None:
        text = line.text
        if not text.strip():
            return
        if text.startswith("file|"):
            self._from_file(line.cut(5, len(line)), found)
            return
        key, equals, _ = text.partition("=")
        if equals and "{" not in key:
            value, marker = marked(stripped(line.cut(len(key) + 1, len(line))))
            self._put(key.strip(), value, marker, found)
        elif again and "{" in text:
            for inner in split_lines(self.replaced(line)):
                name = inner.text.partition("=")[0].strip()
                if name not in found:
                    self._line(inner, found, again=False)
        else:
            self.unsure.append(Unsure(line, f"set_env takes NAME=VALUE, and not {line.shown}", fatal=True))

    def _put(self, name: str, value: Traced, marker: str, found: dict[str, Traced]) -> None:
        here = fits(marker, self.world) if marker else True
        if here is None:
            value = hole(Hole(value.shown, f"set only where {marker}", Decider.REPOSITORY, name=name), value.route)
        if here is not False:
            found[name] = value

    def _table(self, node: Node, found: dict[str, Traced]) -> None:
        if not isinstance(node, Table):
            return
        if text_of(node.get("replace")).text == "ref":
            there = self._referred(node)
            found.update((name, _shown(said)) for name, said in (there.items() if isinstance(there, dict) else ()))
            return
        for entry in node.entries:
            # a text is replaced when somebody asks for it
            value: Any = entry.value.text if isinstance(entry.value, Scalar) else self._unrolled(entry.value)
            if entry.name == "file" and isinstance(value, Traced):
                self._from_file(value, found)
            elif isinstance(value, dict):
                marker = value.get("marker")
                if isinstance(value.get("value"), Traced):
                    self._put(entry.name, value["value"], marker.text if isinstance(marker, Traced) else "", found)
            else:
                found[entry.name] = _shown(value)

    def _from_file(self, name: Traced, found: dict[str, Traced]) -> None:
        written = self.replaced(stripped(name))
        path = inside(self.folder, written.text) if written.known else None
        if path is None and len(written.holes) == 1 and written.holes[0].path is not None:
            rest = "".join(p.text for p in written.pieces if p.hole is None)
            path = inside(written.holes[0].path, rest.lstrip("/"))
        source = self.read(path) if path is not None else None
        if source is None:
            told = f"{written.shown} is not in the repository, so what it sets is not known"
            self.unsure.append(Unsure(name, told))
            return
        for line in map(stripped, split_lines(source.traced())):
            key, equals, _ = line.text.partition("=")
            if equals and not line.text.startswith("#"):
                found[key.strip()] = stripped(line.cut(len(key) + 1, len(line)))

    # -- substitutions

    def replaced(self, text: Traced, depth: int = 0) -> Traced:
        return self._followed(text, replaced(text, self._lookup, depth))

    def _followed(self, text: Traced, found: Traced) -> Traced:
        if len(found.pieces) <= _MOST_PIECES and len(found) <= _MOST_TEXT:
            return found
        self.unsure.append(Unsure(text, "it comes to more than is followed", fatal=True))
        return hole(Hole(text.shown[:80], "too much to be followed", Decider.REPOSITORY), text.route)

    def _lookup(self, first: str, rest: Sequence[Traced], written: Traced, depth: int) -> Traced | None:
        route = written.route
        if first == "/":
            return literal("\\" if self.world.windows else "/").grounded(route)
        if not first and len(rest) == 1 and not rest[0].text:
            return literal(";" if self.world.windows else ":").grounded(route)
        if first == "env":
            return self._from_env(rest, written)
        if first == "posargs":
            if self.given is None:
                return self.replaced(arguments_joined(rest), depth + 1).overridable()
            return quoted(list(self.given)).through(route) if self.given else EMPTY
        if first == "tty":
            other = arguments_joined(rest[1:])
            return (
                other
                if rest and rest[0].text == other.text
                else hole(Hole(written.shown, "whether it is a terminal"), route)
            )
        if first == "glob":
            return hole(Hole(written.shown, "the files that match it", Decider.REPOSITORY, Shape.PATH), route)
        if first == "factor":
            return arguments_joined(rest[1:])
        parts = [part for argument in rest for part in (literal(":"), argument)]
        return self._reference(join([literal(first), *parts]), written, depth)

    def _from_env(self, rest: Sequence[Traced], written: Traced) -> Traced | None:
        name = rest[0].text if rest else ""
        if not name or not rest[0].known:
            return None
        own = self._variable(name)
        if own is not None:
            return own.through(written.route)
        if name in self.world.env:
            return self.world.env[name].through(written.route)
        if name in self.world.assume:
            return literal(self.world.assume[name]).grounded(written.route)
        if len(rest) > 1:
            return arguments_joined(rest[1:]).overridable()
        if name in _MACHINE:
            shape = Shape.ANY if name in ("USER", "LOGNAME", "LANG") else Shape.PATH
            return hole(Hole(written.shown, "the machine sets it", shape=shape, name=name), written.route)
        return unset(name)

    def _reference(self, whole: Traced, written: Traced, depth: int) -> Traced | None:
        found = _REFERENCE.match(whole.text)
        if found is None:
            return None
        section, key = found[1], found[2]
        value = self._of_section(section, key, depth) if section is not None else self._own(key)
        if value is not None:
            return value.through(written.route)
        end = found.end(2)
        return whole.cut(end + 1, len(whole)) if end < len(whole) else None

    def _of_section(self, section: str, key: str, depth: int) -> Traced | None:
        if (section, key) in self._inside:
            return None
        value = self.settings.section(self, section, key)
        if value is None:
            return self._own(key) if section.rpartition(":")[2] in (self.name, "testenv", "tox") else None
        known = (section, key, frozenset(self._setting))
        if known not in self._sections:
            self._inside.append((section, key))
            try:
                found = self.replaced(value, depth + 1) if isinstance(value, Traced) else self._text(value)
            finally:
                self._inside.pop()
            self._sections[known] = found
        return self._sections[known]

    def _own(self, key: str) -> Traced | None:
        """What tox itself knows of an environment."""
        root = hole(Hole("{tox_root}", "where the tree is", shape=Shape.PATH, path=self.folder))
        said = self.settings.core("work_dir") or self.settings.core("toxworkdir")
        work = (
            join([root, literal("/.tox")])
            if said is None
            else hole(Hole("{work_dir}", "where tox works", shape=Shape.PATH))
        )
        own = join([work, literal(f"/{self.name}")])
        programs = join([own, literal("/Scripts" if self.world.windows else "/bin")])
        known = {
            **dict.fromkeys(("toxinidir", "tox_root", "package_root", "setupdir"), root),
            **dict.fromkeys(("toxworkdir", "work_dir"), work),
            **dict.fromkeys(("env_name", "envname"), literal(self.name)),
            **dict.fromkeys(("env_dir", "envdir"), own),
            **dict.fromkeys(("env_tmp_dir", "envtmpdir"), join([own, literal("/tmp")])),
            **dict.fromkeys(("env_log_dir", "envlogdir"), join([own, literal("/log")])),
            **dict.fromkeys(("env_bin_dir", "envbindir"), programs),
            **dict.fromkeys(("env_python", "envpython"), join([programs, literal("/python")])),
            "temp_dir": join([work, literal("/.tmp")]),
        }  # fmt: skip
        if key in known:
            return known[key]
        if key in ("env_site_packages_dir", "envsitepackagesdir", "base_python", "basepython", "config_file_path"):
            return hole(Hole(f"{{{key}}}", "the machine decides it", shape=Shape.PATH))
        if key in ("change_dir", "changedir"):
            moved = self.text("change_dir", "changedir")
            absolute = moved.text.startswith("/") or (moved.pieces and moved.pieces[0].hole is not None)
            return root if not moved else moved if absolute else join([root, literal("/"), moved])
        if key in ("commands", "deps", "extras", "description", "platform", "commands_pre", "commands_post"):
            if ("", key) in self._inside or self._value(key) is None:
                return None
            self._inside.append(("", key))
            try:
                return self.text(key)
            finally:
                self._inside.pop()
        return None

    # -- TOML

    def _unrolled(self, node: Node) -> Any:
        """A value of TOML with its substitutions made: texts, lists and tables of them."""
        if isinstance(node, Scalar):
            if node.kind is Kind.STRING:
                return self.replaced(node.text)
            return node.value if isinstance(node.value, bool | int) else node.text
        if isinstance(node, Items):
            out: list[Any] = []
            for item in node.items:
                got = self._unrolled(item)
                extends = isinstance(item, Table) and item.get("replace") is not None and _true(item.get("extend"))
                if not extends:
                    out.append(got)
                elif isinstance(got, list):
                    out += got
                elif isinstance(got, Traced) and got.text:
                    out.append(got)
            return out
        kind = text_of(node.get("replace")).text
        if not kind:
            return {entry.name: self._unrolled(entry.value) for entry in node.entries}
        value = self._replacement(kind, node)
        marker = text_of(node.get("marker"))
        return {"value": value, "marker": marker} if marker.text else value

    def _replacement(self, kind: str, node: Table) -> Any:
        default = node.get("default")
        if kind == "posargs":
            if self.given is not None:
                return [value.through((node.span,)) for value in self.given]
            found = self._unrolled(default) if default is not None else []
            return (
                [w.overridable() if isinstance(w, Traced) else w for w in found] if isinstance(found, list) else found
            )
        if kind == "env":
            said = [text_of(node.get("name")), *([self._text(default)] if default is not None else [])]
            return self._from_env(said, Traced((Piece("", (node.span,)),))) or EMPTY
        if kind == "if":
            condition = text_of(node.get("condition")).text
            holds = Conditions(self.name, self.factors, self.world).holds(condition)
            if holds is None:
                self._refuse(node, f"tox cannot read this condition: {condition}")
            if holds:
                then = node.get("then")
                return self._unrolled(then) if then is not None else EMPTY
            other = node.get("else")
            return self._unrolled(other) if other is not None else EMPTY
        if kind == "ref":
            return self._referred(node)
        if kind == "glob":
            shown = f"{{glob:{text_of(node.get('pattern')).text}}}"
            found = hole(
                Hole(shown, "the files that match it", Decider.REPOSITORY, Shape.PATH, several=True), (node.span,)
            )
            return [found] if _true(node.get("extend")) else found
        return EMPTY

    def _referred(self, node: Table) -> Any:
        of, key = node.get("of"), text_of(node.get("key")).text
        path = [text_of(n).text for n in of.items] if isinstance(of, Items) else []
        name = text_of(node.get("env")).text
        if name and key:
            path = ["env", name, key]
            if self.settings.section(self, f"env.{name}", key) is None:
                path = ["env_run_base", key]
        if path[:2] == ["tool", "tox"]:
            path = path[2:]
        here = (".".join(path[:-1]), path[-1] if path else "")
        found = self.settings.section(self, *here) if path and here not in self._inside else None
        if found is None or isinstance(found, Traced):
            return EMPTY
        self._inside.append(here)
        try:
            return self._unrolled(found)
        finally:
            self._inside.pop()


def _true(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.value is True


def _shown(value: Any) -> Traced:
    if isinstance(value, Traced):
        return value
    if isinstance(value, list):
        return quoted([_shown(v) for v in value])
    return literal(str(value)) if isinstance(value, bool | int) else EMPTY
