"""rpm's macro processor: what the text of a spec file comes to.

Follows rpm-macros(7) (Expansion, Conditional expansion, Parametric macros, Built-in macros, Expression expansion). What
is not known here is a hole; where a macro's being defined hangs on the distribution, the caller is asked. Sections and
`%if` are the caller's.
"""

from collections.abc import Callable, Iterator, Mapping

from flagguard import tables
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Route, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, field

_NAME = expression(r"[A-Za-z_]\w*")
_CALL = expression(r"([!?]*)(\w+|-\w\*?|\*\*?|#)")
_DEFINE = expression(r"(define|global)[ \t]+(\w+)(\([^)\n]*\))?[ \t]*")
_UNDEFINE = expression(r"undefine[ \t]+(\w+)[ \t]*")
_BLANKS = expression(r"[ \t]+")
_WORD = expression(r"\S+")
_DEEPEST = 40
_MOST = 5_000
"""Expansions that one line may come to."""
_LINES = frozenset(
    "if elif else endif ifarch ifnarch ifos ifnos elifarch elifos include package description prep conf build install "
    "check clean pre post preun postun pretrans posttrans preuntrans postuntrans trigger triggerin triggerun "
    "triggerprein triggerpostun verifyscript filetriggerin filetriggerun filetriggerpostun transfiletriggerin "
    "transfiletriggerun transfiletriggerpostun changelog files sourcelist patchlist generate_buildrequires "
    "attr doc dir config verify ghost license readme docdir exclude defattr lang dev caps artifact missingok "
    "setup autosetup patch autopatch dump".split()
)
"""What rpm's reader of spec files knows, and no macro."""
_QUIET = frozenset("echo warn error dnl verbose trace load nil".split())


class TooMuch(Exception):
    """More expansions than are followed."""


@dataclass(frozen=True)
class Macro:
    body: Traced
    options: str | None = None
    """Of a parametric macro: the letters of its options, as getopt(3) takes them."""


def known(platform: str) -> Mapping[str, Macro]:
    """The macros of the table, on a platform."""
    found: dict[str, Macro] = {}
    table = tables.table("hosts/data/rpm_macros.toml")
    for name, group in table.items():
        for macro, text in (group.get(platform) or {} if name == "architecture" else group).items():
            found[macro] = Macro(literal(text.strip("\n")).overridable())
    return found


@dataclass
class Expander:
    """The macros as they are at one place of a file."""

    macros: dict[str, Macro]
    defined: Callable[[str], bool | None]
    """Whether a macro that is not there is defined all the same; None: it is not known, and nobody asks."""
    ran: Callable[[str, Traced], None]
    """Told of text in another language that the macro processor runs: `sh`, `lua`."""
    arguments: list[Mapping[str, Traced]] = field(default_factory=list)
    scopes: list[dict[str, Macro | None]] = field(default_factory=list)
    """What each running parametric macro has defined, as it was before: `%define` is local there."""
    keeps: bool = False
    """What is not known stays as it is written: the body of `%global`."""
    depth: int = 0
    count: int = 0

    def expand(self, text: Traced) -> Traced:
        """The text with its macros expanded; definitions in it take effect."""
        if "%" not in text.text:
            return text
        self.count = self.count + 1 if self.depth else 0
        self.depth += 1
        if self.depth > _DEEPEST or self.count > _MOST:
            self.depth -= 1
            if self.count > _MOST:
                raise TooMuch
            return _gap(text, "macros that expand to themselves")
        try:
            return join(self._parts(text))
        finally:
            self.depth -= 1

    def _parts(self, text: Traced) -> Iterator[Traced]:
        raw, at = text.text, 0
        while True:
            mark = raw.find("%", at)
            if mark < 0 or mark + 1 >= len(raw):
                yield text.cut(at, len(raw))
                return
            yield text.cut(at, mark)
            put, at = self._macro(text, mark)
            yield put

    def _macro(self, text: Traced, mark: int) -> tuple[Traced, int]:
        """What stands for the macro at a percent sign, and where the text goes on."""
        raw, at = text.text, mark + 1
        first = raw[at]
        if first == "%":
            return text.cut(at, at + 1), at + 1
        if first in "{([":
            end = closing(raw, at)
            if end is None:
                return _gap(text.cut(mark, len(raw)), "its bracket is not closed"), len(raw)
            inner = text.cut(at + 1, end)
            written = text.cut(mark, end + 1)
            if first == "(":
                self.ran("sh", self.expand(inner))
                return _gap(written, "the output of a command", Decider.REPOSITORY), end + 1
            if first == "[":
                from flagguard.hosts.rpm_expressions import chosen

                found = chosen(inner, self.expand)
                return (_gap(written, "what its expression comes to is not known") if found is None else found), end + 1
            return self._braced(inner, written), end + 1
        for pattern in (_DEFINE, _UNDEFINE):
            defining = pattern.match(raw, at)
            if defining is not None:
                return EMPTY, self._definition(text, defining.start(), pattern)
        call = _CALL.match(raw, at)
        if call is None or (call[1] and not _NAME.fullmatch(call[2])):
            return text.cut(mark, at), at
        return self._named(text, mark, call[1], call[2], call.end())

    def _named(self, text: Traced, mark: int, marks: str, name: str, end: int) -> tuple[Traced, int]:
        """`%name`, `%?name`, and `%name` with the rest of its line where it takes arguments."""
        raw = text.text
        written = text.cut(mark, end)
        own = self._argument(name)
        if own is not None:
            return own.through(written.route), end
        if not _NAME.fullmatch(name) or (name in _LINES and name not in self.macros):
            return written, end
        macro = self.macros.get(name)
        if marks:
            return self._asked(marks, name, None, written), end
        if macro is None:
            if name in _QUIET:
                stop = raw.find("\n", end)
                return EMPTY, len(raw) if stop < 0 else stop
            return (written if len(name) < 3 else self._unknown(name, written)), end
        if macro.options is None:
            return self._put(macro, written.route, None), end
        stop = _line_end(raw, end)
        return self._put(macro, written.route, text.cut(end, stop)), stop

    def _braced(self, inner: Traced, written: Traced) -> Traced:
        """`%{…}`: a name with its marks, its argument, or its text."""
        raw = inner.text
        call = _CALL.match(raw)
        if call is None:
            return _gap(written, "it is no macro that is known")
        marks, name, end = call[1], call[2], call.end()
        own = self._argument(name)
        if own is not None or name.startswith("-") or (name.isdigit() and self.arguments):
            there = own is not None
            if "?" not in marks and ":" not in raw:
                return (own or EMPTY).through(written.route)
            if "!" in marks:
                there = not there
            more = inner.cut(end + 1, len(raw)) if raw[end : end + 1] == ":" else own or EMPTY
            return self.expand(more).through(written.route) if there else EMPTY
        if "?" in marks or "!" in marks:
            more_text = inner.cut(end + 1, len(raw)) if raw[end : end + 1] == ":" else None
            return self._asked(marks, name, more_text, written)
        macro = self.macros.get(name)
        rest = inner.cut(end, len(raw))
        if macro is not None:
            if macro.options is None:
                return self._put(macro, written.route, None)
            whole = rest.text[:1] == ":"
            return self._put(macro, written.route, rest.cut(1, len(rest)) if whole else rest, whole)
        if name in ("define", "global", "undefine"):
            pattern = _UNDEFINE if name == "undefine" else _DEFINE
            self._definition(inner, 0, pattern)
            return EMPTY
        return self._built_in(name, rest, written)

    # -- what a macro comes to -----------------------------------------------------------------------------------------

    def _put(self, macro: Macro, route: Route, given: Traced | None, whole: bool = False) -> Traced:
        """``given``: the arguments of a parametric macro; ``whole``: as one."""
        body = macro.body.through(route) if macro.body.route else macro.body.grounded(route)
        if given is None or macro.options is None:
            return self.expand(body)
        self.arguments.append(_arguments(macro.options, self.expand(given), whole))
        self.scopes.append({})
        try:
            return self.expand(body)
        finally:
            self.arguments.pop()
            for name, before in self.scopes.pop().items():
                if before is None:
                    self.macros.pop(name, None)
                else:
                    self.macros[name] = before

    def _argument(self, name: str) -> Traced | None:
        return self.arguments[-1].get(name) if self.arguments else None

    def _asked(self, marks: str, name: str, more: Traced | None, written: Traced) -> Traced:
        """`%{?name}`, `%{?name:text}`, `%{!?name:text}`."""
        there = name in self.macros or bool(self.defined(name))
        if marks.count("!") % 2:
            return self.expand(more) if more is not None and not there else EMPTY
        if not there:
            return EMPTY
        if more is not None:
            return self.expand(more)
        macro = self.macros.get(name)
        return self._put(macro, written.route, EMPTY) if macro is not None else self._unknown(name, written)

    def _unknown(self, name: str, written: Traced) -> Traced:
        if self.keeps:
            return written
        told = f"the macro {name} is not known here"
        return hole(Hole(written.shown, told, Decider.OUTSIDE, name=name, several=True), written.route)

    def _built_in(self, name: str, rest: Traced, written: Traced) -> Traced:
        """Built-in macros (rpm-macros(7)) and those of Fedora's that take a name."""
        given = rest.cut(1, len(rest)) if rest.text[:1] in (":", " ") else rest
        said = given.text.strip()
        if name == "lua":
            self.ran("lua", given)
            return _gap(written, "what its Lua prints is not known", Decider.REPOSITORY)
        if name in ("expand", "quote"):
            once = self.expand(given)
            return self.expand(once) if name == "expand" else once
        if name in ("defined", "undefined"):
            there = said in self.macros or bool(self.defined(said))
            return literal("1" if there is (name == "defined") else "0").grounded(written.route)
        if name in ("with", "without"):
            there = f"with_{said}" in self.macros or bool(self.defined(f"with_{said}"))
            return literal("1" if there is (name == "with") else "0").grounded(written.route)
        if name in ("S", "P"):
            return self.expand(literal(f"%{{{'SOURCE' if name == 'S' else 'PATCH'}{said}}}").grounded(written.route))
        if name == "shrink":
            return _shrunk(self.expand(given))
        if name in ("basename", "dirname", "suffix"):
            return _part(name, self.expand(given), written)
        if name in ("u2p", "getconfdir"):
            return self.expand(given)
        if name in _QUIET:
            return EMPTY
        if name == "expr":
            return _gap(written, "what its expression comes to is not known")
        return self._unknown(name, written)

    def _definition(self, text: Traced, at: int, pattern: object) -> int:
        """`define NAME BODY` at ``at``; where it ends."""
        raw = text.text
        if pattern is _UNDEFINE:
            undone = _UNDEFINE.match(raw, at)
            assert undone is not None
            self.macros.pop(undone[1], None)
            return undone.end()
        found = _DEFINE.match(raw, at)
        if found is None:
            return len(raw)
        start, stop = found.end(), definition_end(raw, found.end())
        body = text.cut(start, stop)
        if raw[start : start + 1] == "{" and closing(raw, start) == stop - 1:
            body = text.cut(start + 1, stop - 1)
        body = _unfolded(body)
        if found[1] == "global":
            before, self.keeps = self.keeps, True
            body = self.expand(body)
            self.keeps = before
        elif self.scopes:
            self.scopes[-1].setdefault(found[2], self.macros.get(found[2]))
        self.macros[found[2]] = Macro(body, found[3][1:-1] if found[3] else None)
        return stop


def _gap(written: Traced, reason: str, decider: Decider = Decider.OUTSIDE) -> Traced:
    return hole(Hole(written.shown, reason, decider, several=True), written.route)


_PAIRS = {"{": "}", "(": ")", "[": "]"}


def closing(raw: str, start: int) -> int | None:
    """Where the bracket at ``start`` is closed."""
    opens, closes, level = raw[start], _PAIRS[raw[start]], 0
    at = start
    while at < len(raw):
        if raw[at] == "\\":
            at += 1
        elif raw[at] == opens:
            level += 1
        elif raw[at] == closes:
            level -= 1
            if not level:
                return at
        at += 1
    return None


def definition_end(raw: str, start: int) -> int:
    """Where the body of a definition ends: at the end of a line that goes on nowhere, brackets closed."""
    at = start
    if raw[start : start + 1] == "{":
        end = closing(raw, start)
        if end is not None:
            return end + 1
    while at < len(raw):
        if raw[at] == "\\" and at + 1 < len(raw):
            at += 2
        elif raw[at] == "%" and raw[at + 1 : at + 2] in _PAIRS:
            end = closing(raw, at + 1)
            at = len(raw) if end is None else end + 1
        elif raw[at] == "\n":
            return at
        else:
            at += 1
    return len(raw)


def _line_end(raw: str, start: int) -> int:
    """Where the arguments of a parametric macro end."""
    at = start
    while at < len(raw) and raw[at] != "\n":
        at += 2 if raw[at] == "\\" and raw[at + 1 : at + 2] == "\n" else 1
    return min(at, len(raw))


def _unfolded(body: Traced) -> Traced:
    """The body without the backslashes before its line ends, and without blanks behind it."""
    parts, at, raw = [], 0, body.text
    while (found := raw.find("\\\n", at)) >= 0:
        parts.append(body.cut(at, found))
        at = found + 1
    whole = join([*parts, body.cut(at, len(raw))])
    return whole.cut(0, len(whole.text.rstrip()))


def _arguments(letters: str, given: Traced, whole: bool) -> dict[str, Traced]:
    """The automatic macros of a call: `%1`, `%*`, `%#`, `%{-x}`, `%{-x*}`."""
    if whole:
        return {"**": given, "*": given, "#": literal("1"), "1": given}
    words = [given.cut(*found.span()) for found in _WORD.finditer(given.text.replace("\\\n", "  "))]
    found: dict[str, Traced] = {"**": _trimmed(given)}
    valued = {letters[i - 1] for i, letter in enumerate(letters) if letter == ":" and i}
    if letters in ("", "-"):
        rest = words
    else:
        rest = []
        while words:
            word = words.pop(0)
            if word.text == "--":
                rest += words
                break
            if word.text[:1] != "-" or len(word.text) < 2:
                rest.append(word)
                continue
            letter = word.text[1]
            value = word.cut(2, len(word)) if len(word.text) > 2 else EMPTY
            if letter in valued and not value and words:
                value = words.pop(0)
            found[f"-{letter}"] = join([word.cut(0, 2), literal(" "), value]) if value else word
            found[f"-{letter}*"] = value
    joined = [part for word in rest for part in (literal(" "), word)]
    found["*"] = join(joined[1:])
    found["#"] = literal(str(len(rest)))
    found |= {str(number): word for number, word in enumerate(rest, 1)}
    return found


def _trimmed(text: Traced) -> Traced:
    raw = text.text
    return text.cut(len(raw) - len(raw.lstrip()), len(raw.rstrip()))


def _shrunk(text: Traced) -> Traced:
    trimmed = _trimmed(text)
    parts: list[Traced] = []
    at = 0
    for found in _BLANKS.finditer(trimmed.text):
        parts += [trimmed.cut(at, found.start()), trimmed.cut(found.start(), found.start() + 1)]
        at = found.end()
    return join([*parts, trimmed.cut(at, len(trimmed))])


def _part(name: str, text: Traced, written: Traced) -> Traced:
    raw = text.text
    slash = raw.rfind("/")
    if name == "basename":
        return text.cut(slash + 1, len(raw))
    if name == "dirname":
        return text.cut(0, slash) if slash >= 0 else _gap(written, "it has no folder")
    return text.cut(raw.rfind(".") + 1, len(raw)) if "." in raw else EMPTY


def sources(folder: str, value: Traced) -> Traced:
    """`%{SOURCE1}`: where the file lies while it is built. Beside the spec file in most repositories."""
    name = value.cut(value.text.rfind("/") + 1, len(value))
    path = f"{folder}/{name.text}".lstrip("/") if name.known and name.text else None
    where = Hole("%{_sourcedir}", "where the sources are", Decider.OUTSIDE, Shape.PATH, path=folder)
    if path is not None:
        whole = Hole(f"%{{_sourcedir}}/{name.text}", "where the sources are", Decider.OUTSIDE, Shape.PATH, path=path)
        return hole(whole, name.route)
    return hole(where) + literal("/") + name
