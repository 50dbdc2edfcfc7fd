"""A spec file as rpm reads it in one world: its lines with macros expanded and conditions decided, by sections.

Follows rpm-spec(5) (Preamble, Conditionals, Build scriptlets, Runtime scriptlets) and rpm's "Conditional builds". What
hangs on the distribution or on who builds is asked of the world, and remembered there.
"""

from collections.abc import Callable, Iterator, Mapping
from posixpath import dirname

from flagguard.hosts import rpm_expressions
from flagguard.hosts.rpm_macros import Expander, Macro, closing, definition_end, sources
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Shape, SourceText, Traced, hole, join, literal
from flagguard.values import dataclass, field

BUILDS = ("prep", "generate_buildrequires", "conf", "build", "install", "check", "clean")
"""Build scriptlets,"""
_RUNS = (
    "pre post preun postun pretrans posttrans preuntrans postuntrans verifyscript triggerprein triggerin triggerun "
    "triggerpostun trigger filetriggerin filetriggerun filetriggerpostun transfiletriggerin transfiletriggerun "
    "transfiletriggerpostun"
).split()
"""and those that run where the package is installed."""
_OTHERS = "package description files changelog sourcelist patchlist".split()
_SECTION = expression(rf"(?i)%({'|'.join(sorted((*BUILDS, *_RUNS, *_OTHERS), key=len, reverse=True))})(?![\w])([^\n]*)")
_CONDITION = expression(r"[ \t]*%(if|elif|ifarch|ifnarch|elifarch|ifos|ifnos|elifos|else|endif)\b[ \t]*")
_INCLUDE = expression(r"[ \t]*%include[ \t]+")
_TAG = expression(
    r"(?i)[ \t]*(name|version|release|epoch|url|source\d*|patch\d*|exclusivearch|excludearch)[ \t]*:[ \t]*"
)
_BCOND = expression(r"[ \t]*%bcond(?:_(with|without))?[ \t]+(\w+)[ \t]*([^\n]*)")
_OPENS = expression(r"%[{(\[]")
DISTRIBUTIONS = (
    *("fedora", "rhel", "suse_version", "centos", "mageia", "mdkversion", "openEuler", "amzn", "eln"),
    *("is_opensuse", "sle_version", "mdvver", "el7", "el8", "el9", "el10"),
)
"""Macros by which spec files tell distributions apart: the builder's has some of them, and nobody here knows which."""
_TOGETHER = (frozenset({"suse_version", "is_opensuse", "sle_version"}), frozenset({"mdkversion", "mageia", "mdvver"}),
             frozenset({"rhel", "centos", "eln", "el7", "el8", "el9", "el10"}))  # fmt: skip
_MOST_INCLUDES = 20


@dataclass
class World:
    """What is assumed, in the order in which it was asked."""

    forced: tuple[bool, ...] = ()
    answers: dict[str, bool] = field(default_factory=dict)
    usual: dict[str, bool] = field(default_factory=dict)
    """Of what the builder chooses by an option: what holds without one."""
    asked: int = 0
    """How often."""

    def ask(self, question: str, first: bool = True, usual: bool | None = None) -> bool:
        self.asked += 1
        known = self.answers.get(question)
        if known is None:
            number = len(self.answers)
            known = self.forced[number] if number < len(self.forced) else first
            self.answers[question] = known
            if usual is not None:
                self.usual[question] = usual
        return known

    @property
    def when(self) -> tuple[str, ...]:
        found = []
        for question, answer in self.answers.items():
            if question in self.usual:
                if answer is not self.usual[question]:
                    found.append(f"--{'with' if answer else 'without'} {question.removeprefix('--with ')}")
            else:
                found.append(question if answer else f"not ({question})")
        return tuple(found)

    @property
    def opt_in(self) -> bool:
        return any(self.answers[question] is not usual for question, usual in self.usual.items())


@dataclass(frozen=True)
class Section:
    name: str
    arguments: Traced
    body: Traced


@dataclass(frozen=True)
class _Arm:
    """An arm of a condition: whether it is read, whether one before it was, whether that hangs on the world."""

    read: bool
    before: bool
    doubtful: bool


class Reader:
    """Reads the file once."""

    def __init__(
        self,
        source: SourceText,
        macros: Mapping[str, Macro],
        architectures: frozenset[str],
        world: World,
        ran: Callable[[str, Traced], None],
        opened: Callable[[str], SourceText | None],
        tell: Callable[[Traced, str], None],
    ) -> None:
        self.world = world
        self.fits = True
        """Whether the package is for this architecture."""
        self.arrived: set[int] = set()
        """The offsets of the arms of conditions that were read,"""
        self.doubtful: set[int] = set()
        """and of those that hang on what the world assumes."""
        self._folder = dirname(source.path)
        self.source = source
        self._architectures = architectures
        self._opened = opened
        self._tell = tell
        self._included = 0
        self._section = ""
        self.expander = Expander(dict(macros), self._defined, ran)
        for name, shown in (("buildroot", "$RPM_BUILD_ROOT"), ("_builddir", "$RPM_BUILD_DIR")):
            gap = Hole(shown, "rpmbuild makes it", Decider.OUTSIDE, Shape.PATH)
            self.expander.macros.setdefault(name, Macro(hole(gap)))
        gap = Hole("$RPM_SOURCE_DIR", "where the sources are", Decider.OUTSIDE, Shape.PATH, path=self._folder)
        self.expander.macros.setdefault("_sourcedir", Macro(hole(gap)))
        for name, shown, shape in (
            ("_smp_build_ncpus", "%{_smp_build_ncpus}", Shape.NUMBER),
            ("dist", "%{dist}", Shape.PATH),
        ):
            self.expander.macros.setdefault(
                name, Macro(hole(Hole(shown, "the builder's system decides it", shape=shape)))
            )

    def sections(self) -> Iterator[Section]:
        name, arguments, lines = "", EMPTY, list[Traced]()
        for line in self._lines(self.source, 0):
            found = _SECTION.match(line.text)
            if found is None:
                if not name:
                    self._preamble(line)
                lines.append(line)
                continue
            yield Section(name, arguments, join(lines))
            name, arguments, lines = found[1].lower(), line.cut(*found.span(2)), []
            self._section = name
        yield Section(name, arguments, join(lines))

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _lines(self, source: SourceText, depth: int) -> Iterator[Traced]:
        """The lines that count, expanded; each with its end."""
        raw, at = source.text, 0
        open_: list[_Arm] = []
        while at < len(raw):
            end = _logical(raw, at)
            line = source.traced(at, end)
            here = at
            at = end
            found = _CONDITION.match(raw, here, end)
            reading = all(arm.read for arm in open_)
            if found is not None:
                self._decide(found[1], line.cut(found.end() - here, len(line)), open_, here)
                continue
            if not reading:
                continue
            include = _INCLUDE.match(raw, here, end)
            if include is not None:
                yield from self._include(line.cut(include.end() - here, len(line)), depth)
                continue
            if self._conditional_build(line):
                continue
            if raw[here] == "#" and not self._section:
                continue  # a comment of the preamble; macros in it are expanded all the same, to nothing that matters
            yield from _split(self.expander.expand(line))

    def _decide(self, word: str, written: Traced, open_: "list[_Arm]", at: int) -> None:
        if word.startswith("e"):
            if not open_:
                self._tell(written, f"%{word} without %if")
                return
            last = open_.pop()
            if word == "endif":
                return
        else:
            last = _Arm(False, False, False)
        outer = all(arm.read for arm in open_)
        asked = self.world.asked
        holds = outer and not last.before and (word == "else" or self._holds(word.removeprefix("el"), written))
        doubtful = last.doubtful or self.world.asked > asked
        open_.append(_Arm(holds, last.before or holds or not outer, doubtful))
        if doubtful:
            self.doubtful.add(at)
        if holds:
            self.arrived.add(at)

    def _holds(self, word: str, written: Traced) -> bool:
        text = written.cut(0, len(written.text.rstrip()))
        said = " ".join(text.shown.split())
        expanded = self.expander.expand(text)
        if word in ("ifos", "ifnos"):
            return ("linux" in expanded.text.split()) is (word == "ifos")
        if word in ("ifarch", "ifnarch"):
            names = {name.strip(",") for name in expanded.text.split()}
            if self._architectures & names:
                return word == "ifarch"
            if expanded.known and "%" not in expanded.text:
                return word == "ifnarch"
            return self.world.ask(f"%{word} {said}")
        found = rpm_expressions.holds(expanded)
        return found if found is not None else self.world.ask(said)

    def _defined(self, name: str) -> bool | None:
        if name.startswith("with_"):
            return None
        if name not in DISTRIBUTIONS:
            return None
        mine = next((group for group in _TOGETHER if name in group), frozenset({name}))
        for other in DISTRIBUTIONS:
            if other not in mine and self.world.answers.get(f"{other} is defined"):
                return False
        return self.world.ask(
            f"{name} is defined", first=name == "fedora" or "fedora is defined" not in self.world.answers
        )

    def _conditional_build(self, line: Traced) -> bool:
        """`%bcond_with NAME`, `%bcond_without NAME`, `%bcond NAME DEFAULT`."""
        found = _BCOND.match(line.text)
        if found is None:
            return False
        if found[1]:
            usual: bool | None = found[1] == "without"
        else:
            usual = rpm_expressions.holds(self.expander.expand(line.cut(*found.span(3))))
        name = found[2]
        answer = self.world.ask(f"--with {name}", True if usual is None else usual, usual)
        if answer:
            self.expander.macros[f"with_{name}"] = Macro(literal("1"))
        return True

    def _include(self, written: Traced, depth: int) -> Iterator[Traced]:
        name = self.expander.expand(written.cut(0, len(written.text.rstrip())))
        gap = name.pieces[0].hole if len(name.pieces) == 1 else None
        path = gap.path if gap is not None else inside(self._folder, name.text) if name.known else None
        source = self._opened(path) if path is not None else None
        self._included += 1
        if source is None or depth > 4 or self._included > _MOST_INCLUDES:
            self._tell(written, f"%include {written.shown.strip()} is not followed: what it holds is not judged")
            return
        yield from self._lines(source, depth + 1)

    def _preamble(self, line: Traced) -> None:
        """What the tags of the package define."""
        found = _TAG.match(line.text)
        if found is None:
            return
        tag = found[1].lower()
        value = line.cut(found.end(), len(line.text.rstrip()))
        macros = self.expander.macros
        if tag in ("name", "version", "release", "epoch", "url"):
            macros[tag] = macros[tag.upper()] = Macro(value)
        elif tag.startswith(("source", "patch")):
            kind = tag.rstrip("0123456789").upper()
            number = tag[len(kind) :]
            if not number:
                taken = [int(n[len(kind) :]) for n in macros if n.startswith(kind) and n[len(kind) :].isdigit()]
                number = str(max(taken, default=-1) + 1)
            macros[f"{kind}{int(number)}"] = Macro(sources(self._folder, value))
            if not number.strip("0"):
                macros[kind] = macros[f"{kind}{int(number)}"]
        elif value.known:
            names = set(value.text.replace(",", " ").split())
            if tag == "exclusivearch" and not any("%" in name for name in names):
                self.fits = self.fits and bool((self._architectures | {"noarch"}) & names)
            elif tag == "excludearch":
                self.fits = self.fits and not self._architectures & names


def _logical(raw: str, start: int) -> int:
    """Where the line at ``start`` ends: rpm reads on while a definition or a bracket is open."""
    end = raw.find("\n", start)
    end = len(raw) if end < 0 else end
    head = raw[start:end].lstrip()
    if head.startswith(("%define", "%global")):
        at = raw.index("%", start) + len("%define")
        rest = raw[at:]
        body = at + len(rest) - len(rest.lstrip(" \t"))
        while body < len(raw) and not raw[body].isspace() and raw[body] != "(":
            body += 1
        if raw[body : body + 1] == "(":
            body = raw.find(")", body) + 1 or body + 1
        while raw[body : body + 1] in (" ", "\t"):
            body += 1
        end = max(end, definition_end(raw, body))
    else:
        at = start
        while (found := _OPENS.search(raw, at, end)) is not None:
            if raw[found.start() - 1 : found.start()] == "%":  # an escaped one
                at = found.end()
                continue
            close = closing(raw, found.end() - 1)
            if close is None:
                break
            if close > end:
                end = raw.find("\n", close)
                end = len(raw) if end < 0 else end
            at = close + 1
    return min(end + 1, len(raw))


def _split(text: Traced) -> Iterator[Traced]:
    raw, at = text.text, 0
    while at < len(raw):
        end = raw.find("\n", at)
        end = len(raw) if end < 0 else end + 1
        yield text.cut(at, end)
        at = end
