"""Generator expressions: what they come to, and in which builds.

Follows cmake-generator-expressions(7). What only the build decides (its configuration, the language of a source, the
compiler) makes several answers, each with what it assumes; where there are too many, the expression is a hole.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from flagguard.hosts.cmake_conditions import compared, constant, translated
from flagguard.hosts.cmake_references import items, listed
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Piece, Route, Shape, Traced, join, literal
from flagguard.values import dataclass, field

MOST = 16
"""How many answers one text may have."""
_DEEPEST = 60

Key = tuple[str, str]
World = Mapping[Key, str | None]
"""What each question is answered by; None: by none of the texts that are asked for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a text comes to, under these assumptions."""

    text: Traced
    when: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Build:
    """What is known of the build."""

    system: str
    """`Linux`, `Darwin`, `Windows`"""
    configuration: str | None = None
    """CMAKE_BUILD_TYPE, where it is known."""
    targets: Callable[[str], Traced | None] = field(default=lambda name: None)
    """The name of the program that a target is."""


_STOPS = {"": expression(r"\$<"), ":": expression(r"\$<|:"), ",": expression(r"\$<|,")}
_EDGES = expression(r"\$<|>")


class _Asked(Exception):
    """A question that the world does not answer."""

    def __init__(self, key: Key, options: Sequence[str | None]) -> None:
        super().__init__(key)
        self.key, self.options = key, options


def answers(text: Traced, build: Build) -> list[Answer]:
    """All that the text may come to."""
    if "$<" not in text.text:
        return [Answer(text)]
    done: list[tuple[Traced, tuple[str, ...]]] = []
    waiting: list[dict[Key, str | None]] = [{}]
    while waiting:
        world = waiting.pop(0)
        try:
            done.append((_Evaluation(text, build, world).all(), _told(world)))
        except _Asked as asked:
            if len(done) + len(waiting) + len(asked.options) > MOST:
                return [Answer(_Evaluation(text, build, None).all())]
            waiting = [{**world, asked.key: option} for option in asked.options] + waiting
        except RecursionError:
            return [Answer(_gap(text, text.text, text.route))]
    by_text: dict[Traced, tuple[str, ...]] = {}
    for found, when in done:
        by_text.setdefault(found, when)
    if len(by_text) == 1:
        return [Answer(done[0][0])]
    return [Answer(found, when) for found, when in by_text.items()]


_NAMES = {"CONFIG": "the configuration", "LANGUAGE": "the language", "LINK_LANGUAGE": "the linked language"}


def _told(world: World) -> tuple[str, ...]:
    out = []
    for (kind, of), answer in world.items():
        if kind == "TRUTH":
            out.append(of if answer else f"not {of}")
            continue
        name = _NAMES.get(kind) or f"the {of} compiler".replace("  ", " ")
        out.append(f"{name} is {answer}" if answer is not None else f"{name} is another one")
    return tuple(out)


def _gap(text: Traced, written: str, route: Route) -> Traced:
    among = Hole(written, "it hangs on the build", Decider.REPOSITORY, several=True)
    return Traced((Piece(written, route or text.route, hole=among),))


class _Evaluation:
    """One text in one world; without a world every expression that asks is a hole."""

    def __init__(self, text: Traced, build: Build, world: World | None, top: str = "") -> None:
        self.text, self.said, self.build, self.world = text, text.text, build, world
        self.top = top or self.said
        """The text that it is a part of."""
        self.depth = 0

    def all(self) -> Traced:
        parts, _ = self._until(0, "")
        return join(parts)

    def _until(self, at: int, stops: str) -> tuple[list[Traced], int]:
        """The parts up to one of the characters, evaluated."""
        parts: list[Traced] = []
        start = at
        while (found := _STOPS[stops].search(self.said, at)) is not None:
            at = found.start()
            if found[0] != "$<":
                break
            parts.append(self.text.cut(start, at))
            value, at = self._expression(at)
            parts.append(value)
            start = at
        else:
            at = len(self.said)
        parts.append(self.text.cut(start, at))
        return parts, at

    def _expression(self, at: int) -> tuple[Traced, int]:
        end = self._end(at)
        if end is None or self.depth > _DEEPEST:
            return self.text.cut(at, at + 2), at + 2
        self.depth += 1
        try:
            return self._inner(at + 2, end - 1), end
        except _Asked:
            if self.world is not None:
                raise
            return _gap(self.text, self.text.cut(at, end).shown, self.text.cut(at, end).route), end
        finally:
            self.depth -= 1

    def _end(self, at: int) -> int | None:
        """Behind the `>` that closes the `$<` at this place."""
        depth = 0
        for found in _EDGES.finditer(self.said, at):
            depth += 1 if found[0] == "$<" else -1
            if not depth:
                return found.end()
        return None

    def _inner(self, start: int, end: int) -> Traced:
        inner = _Evaluation(self.text.cut(start, end), self.build, self.world, self.top)
        inner.depth = self.depth
        parts, colon = inner._until(0, ":")
        name = join(parts)
        if colon >= len(inner.said):
            return self._constant(name.text, start, end)
        if not name.known:
            name = literal("1" if self._truth(name) else "0")
        if name.text in ("0", "1"):
            return inner._rest(colon + 1) if name.text == "1" else EMPTY
        if name.text in _WHOLE:
            return _WHOLE[name.text](self, inner._rest(colon + 1))
        arguments: list[Traced] = []
        at = colon
        while at < len(inner.said):
            parts, at = inner._until(at + 1, ",")
            arguments.append(join(parts))
        return self._call(name.text, arguments, self.text.cut(start - 2, end + 1))

    def _rest(self, at: int) -> Traced:
        return join(self._until(at, "")[0])

    def _constant(self, name: str, start: int, end: int) -> Traced:
        plain = {"ANGLE-R": ">", "COMMA": ",", "SEMICOLON": ";", "QUOTE": '"', "PLATFORM_ID": self.build.system}
        if name in plain:
            return literal(plain[name])
        whole = self.text.cut(start - 2, end + 1)
        if name == "CONFIG" and self.build.configuration:
            return literal(self.build.configuration)
        if name in ("CONFIG", "COMMAND_CONFIG", "OUTPUT_CONFIG"):
            return _gap(self.text, "$<CONFIG>", whole.route)
        return _gap(self.text, whole.shown, whole.route)

    # -- questions

    def _ask(self, kind: str, of: str, wanted: Sequence[str], fold: bool = False) -> bool:
        """Whether the answer is one of the wanted texts."""
        key = (kind, of)
        if self.world is None or key not in self.world:
            raise _Asked(key, self._options(kind, wanted))
        answer = self.world[key]
        if answer is None:
            return False
        return any(w.upper() == answer.upper() if fold else w == answer for w in wanted)

    def _options(self, kind: str, wanted: Sequence[str]) -> list[str | None]:
        """All that the text asks for, and none of it."""
        patterns = {
            "CONFIG": r"\$<CONFIG:([^<>]*)>",
            "LANGUAGE": r"\$<COMPILE_LANG(?:UAGE|_AND_ID):([^<>]*)>",
            "LINK_LANGUAGE": r"\$<LINK_LANG(?:UAGE|_AND_ID):([^<>]*)>",
            "ID": r"_COMPILER_ID:([^<>]*)>|_AND_ID:\w+,([^<>]*)>",
        }
        found = [w for groups in re.findall(patterns[kind], self.top) for w in "".join(groups).split(",")]
        if kind == "LANGUAGE":
            found = [w for w in found if w in _LANGUAGES]
        if kind == "CONFIG":
            found = [w.capitalize() if w.isupper() or w.islower() else w for w in found]
            wanted = [w.capitalize() if w.isupper() or w.islower() else w for w in wanted]
        return [*dict.fromkeys([*wanted, *found]), None]

    def _truth(self, text: Traced) -> bool:
        """A condition of which the text is not known."""
        key = ("TRUTH", text.shown)
        if self.world is None or key not in self.world:
            raise _Asked(key, ["1", None])
        return bool(self.world[key])

    def _boolean(self, text: Traced) -> bool:
        if not text.known:
            return self._truth(text)
        return constant(text.text) is not False

    def _call(self, name: str, arguments: list[Traced], whole: Traced) -> Traced:
        texts = [a.text for a in arguments]
        question = self._question(name, texts)
        if question is not None:
            return literal("1" if question else "0")
        found = _FUNCTIONS.get(name)
        if found is not None and all(a.known or name in _LENIENT for a in arguments):
            value = found(self, arguments)
            if value is not None:
                return value
        if name.startswith("TARGET_FILE") or name in ("TARGET_LINKER_FILE", "TARGET_OBJECTS", "TARGET_SONAME_FILE"):
            return self._target(name, arguments, whole)
        shape = Shape.PATH if name.endswith(("_DIR", "_FILE")) else Shape.ANY
        gap = Hole(whole.shown, "it hangs on the build", Decider.REPOSITORY, shape)
        return Traced((Piece(gap.text, whole.route, hole=gap),))

    def _question(self, name: str, texts: list[str]) -> bool | None:
        if name == "CONFIG":
            if self.build.configuration is not None:
                return any(t.upper() == self.build.configuration.upper() for t in texts)
            return self._ask("CONFIG", "", texts, fold=True)
        if name == "COMPILE_LANGUAGE":
            return self._ask("LANGUAGE", "", texts)
        if name == "LINK_LANGUAGE":
            return self._ask("LINK_LANGUAGE", "", texts)
        if name in ("COMPILE_LANG_AND_ID", "LINK_LANG_AND_ID"):
            kind = "LANGUAGE" if name.startswith("COMPILE") else "LINK_LANGUAGE"
            return self._ask(kind, "", texts[:1]) and self._ask("ID", texts[0], texts[1:])
        if name.endswith("_COMPILER_ID"):
            return self._ask("ID", name.removesuffix("_COMPILER_ID"), texts)
        if name == "PLATFORM_ID":
            return self.build.system in texts
        return None

    def _target(self, name: str, arguments: list[Traced], whole: Traced) -> Traced:
        """The file of a target, by its name: what stands before it is the build's business."""
        if not arguments or not arguments[0].known or name.endswith("_DIR"):
            gap = Hole(whole.shown, "it hangs on the build", Decider.REPOSITORY, Shape.PATH)
            return Traced((Piece(gap.text, whole.route, hole=gap),))
        named = self.build.targets(arguments[0].text)
        text = named.text if named is not None and named.known else arguments[0].text.rpartition("::")[2]
        return Traced((Piece(text, whole.route or arguments[0].route),))


def _compared(word: str) -> "Callable[[_Evaluation, list[Traced]], Traced | None]":
    def found(_: _Evaluation, arguments: list[Traced]) -> Traced | None:
        if len(arguments) != 2:
            return None
        return literal("1" if compared(word, arguments[0].text, arguments[1].text) else "0")

    return found


def _and(run: _Evaluation, arguments: list[Traced]) -> Traced:
    return literal("0" if any(a.text == "0" for a in arguments) or not all(map(run._boolean, arguments)) else "1")


def _or(run: _Evaluation, arguments: list[Traced]) -> Traced:
    return literal("1" if any(a.text == "1" for a in arguments) or any(map(run._boolean, arguments)) else "0")


def _if(run: _Evaluation, arguments: list[Traced]) -> Traced | None:
    if len(arguments) != 3:
        return None
    return arguments[1] if run._boolean(arguments[0]) else arguments[2]


def _filter(run: _Evaluation, arguments: list[Traced]) -> Traced | None:
    del run
    pattern = translated(arguments[2].text) if len(arguments) == 3 else None
    if pattern is None:
        return None
    wanted = arguments[1].text == "INCLUDE"
    return listed([item for item in items(arguments[0]) if bool(pattern.search(item.text)) == wanted])


def _in_list(run: _Evaluation, arguments: list[Traced]) -> Traced | None:
    del run
    if len(arguments) != 2:
        return None
    return literal("1" if any(i.text == arguments[0].text for i in items(arguments[1])) else "0")


def _once(run: _Evaluation, arguments: list[Traced]) -> Traced:
    del run
    seen: dict[str, Traced] = {}
    for item in items(arguments[0]):
        seen.setdefault(item.text, item)
    return listed(list(seen.values()))


_FUNCTIONS: dict[str, Callable[[_Evaluation, list[Traced]], Traced | None]] = {
    "BOOL": lambda run, a: literal("1" if a and run._boolean(a[0]) else "0"),
    "NOT": lambda run, a: literal("0" if a and run._boolean(a[0]) else "1"),
    "AND": _and,
    "OR": _or,
    "IF": _if,
    "STREQUAL": _compared("STREQUAL"),
    "EQUAL": _compared("EQUAL"),
    "VERSION_LESS": _compared("VERSION_LESS"),
    "VERSION_GREATER": _compared("VERSION_GREATER"),
    "VERSION_EQUAL": _compared("VERSION_EQUAL"),
    "VERSION_LESS_EQUAL": _compared("VERSION_LESS_EQUAL"),
    "VERSION_GREATER_EQUAL": _compared("VERSION_GREATER_EQUAL"),
    "IN_LIST": _in_list,
    "FILTER": _filter,
    "REMOVE_DUPLICATES": _once,
    "LOWER_CASE": lambda _, a: Traced(tuple(Piece(p.text.lower(), p.route) for p in a[0].pieces)) if a else None,
    "UPPER_CASE": lambda _, a: Traced(tuple(Piece(p.text.upper(), p.route) for p in a[0].pieces)) if a else None,
    "JOIN": lambda _, a: join(_glued(list(items(a[0])), a[1])) if len(a) == 2 else None,
    "SHELL_PATH": lambda _, a: a[0] if a else None,
    "MAKE_C_IDENTIFIER": lambda _, a: literal(re.sub(r"\W", "_", a[0].text)) if a else None,
}
_LENIENT = frozenset({"BOOL", "NOT", "AND", "OR", "IF", "SHELL_PATH", "JOIN"})
"""Functions that take what is not known."""


def _glued(parts: list[Traced], glue: Traced) -> list[Traced]:
    return [part for i, item in enumerate(parts) for part in ((glue, item) if i else (item,))]


_WHOLE: dict[str, Callable[[_Evaluation, Traced], Traced]] = {
    "BUILD_INTERFACE": lambda _, text: text,
    "BUILD_LOCAL_INTERFACE": lambda _, text: text,
    "INSTALL_INTERFACE": lambda _, text: EMPTY,
    "LINK_ONLY": lambda _, text: text,
    "COMPILE_ONLY": lambda _, text: text,
    "GENEX_EVAL": lambda _, text: text,
    "HOST_LINK": lambda _, text: text,
    "DEVICE_LINK": lambda _, text: EMPTY,
    "COMMAND_CONFIG": lambda _, text: text,
    "OUTPUT_CONFIG": lambda _, text: text,
}
"""Expressions that take all behind their colon, commas included."""
_LANGUAGES = frozenset("C CXX CUDA OBJC OBJCXX Fortran ASM ASM_NASM ASM_MASM HIP ISPC Swift CSharp".split())
