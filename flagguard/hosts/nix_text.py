"""As much of Nix's syntax as its texts need: which attributes are written out, and of what their values are made.

Follows the Nix manual, "String literals", "Attribute sets", "Operators", and the Nixpkgs library's `optional`,
`optionals`, `optionalString`, `cmakeBool`, `mesonOption` and their kin. What an attribute means is not known here.
"""

from collections.abc import Iterator

from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, SourceText, Span, Traced, hole, join, literal
from flagguard.values import dataclass

_SKIPPED = expression(r"\s+|#[^\n]*|/\*.*?\*/", 16)  # re.DOTALL
_BINDING = expression(r"((?:[A-Za-z_][\w'-]*\.)*)([A-Za-z_][\w'-]*)\s*=(?!=)")
_TOKEN = expression(r"[A-Za-z_][\w'.-]*|\+\+|&&|\|\||==|!=|->|//|[^\s\w]|\d[\w.]*")
_OPTIONAL = expression(r"(?:lib\.|stdenv\.lib\.|strings\.|lists\.)*(optional|optionals|optionalString)$")
_WRITTEN = expression(
    r"(?:lib\.|strings\.)*(cmakeBool|cmakeFeature|mesonBool|mesonEnable|mesonOption|enableFeature|withFeature|"
    r"enableFeatureAs|withFeatureAs)$"
)
_FACT = expression(r"(?:stdenv\.|pkgs\.|hostPlatform\.|targetPlatform\.|buildPlatform\.|stdenvNoCC\.)+(is\w+)$")
_SHARED = frozenset({"isUnix", "is64bit", "isLittleEndian"})
_END = frozenset({";", ")", "]", "}", "", ","})


class Unclosed(Exception):
    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(frozen=True)
class Term:
    """A text of a value, and the condition that it hangs on, where that is open."""

    text: Traced
    condition: str = ""


@dataclass(frozen=True)
class Binding:
    """`NAME = VALUE;`"""

    name: str
    key: Span
    source: SourceText
    start: int

    def terms(self, platform: str) -> list[Term]:
        """What the value is made of on a platform."""
        return _Value(self.source, self.start, platform).whole()

    @property
    def splits(self) -> bool:
        """Whether it is a text, which the shell parts into words; the items of a list are words."""
        at = _skip(self.source.text, self.start)
        return self.source.text[at : at + 1] == '"' or self.source.text.startswith("''", at)


class Reader:
    """Finds the attributes of a file."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.unread: list[int] = []

    def bindings(self) -> Iterator[Binding]:
        raw, at = self.source.text, 0
        while at < len(raw):
            at = _skip(raw, at)
            try:
                if raw[at : at + 1] == '"' or raw.startswith("''", at):
                    at = string_end(raw, at)
                    continue
            except (Unclosed, RecursionError) as error:
                self.unread.append(getattr(error, "at", at))
                return
            found = _BINDING.match(raw, at)
            if found is not None:
                yield Binding(found[2], Span(self.source.path, *found.span(2)), self.source, found.end())
                at = found.end()
                continue
            token = _TOKEN.match(raw, at)
            at = token.end() if token is not None else at + 1


def _skip(raw: str, at: int) -> int:
    while (found := _SKIPPED.match(raw, at)) is not None:
        at = found.end()
    return at


def string_end(raw: str, at: int) -> int:
    """Where the text that begins at ``at`` ends."""
    double = raw[at] == '"'
    start, at = at, at + (1 if double else 2)
    while at < len(raw):
        if raw.startswith("$$", at):
            at += 2
        elif raw.startswith("${", at):
            at = _braces_end(raw, at + 1)
        elif double:
            if raw[at] == '"':
                return at + 1
            at += 2 if raw[at] == "\\" else 1
        elif raw.startswith("''", at):
            if raw.startswith(("'''", "''$"), at):
                at += 3
            elif raw.startswith("''\\", at):
                at += 4
            else:
                return at + 2
        else:
            at += 1
    raise Unclosed(start)


def _braces_end(raw: str, at: int) -> int:
    start, level = at, 0
    while at < len(raw):
        if raw[at] == '"' or raw.startswith("''", at):
            at = string_end(raw, at)
            continue
        level += (raw[at] in "{[(") - (raw[at] in "}])")
        at += 1
        if not level:
            return at
    raise Unclosed(start)


class _Value:
    """One value, from its first character on."""

    def __init__(self, source: SourceText, start: int, platform: str) -> None:
        self.source = source
        self.raw = source.text
        self.at = start
        self.platform = platform

    def whole(self) -> list[Term]:
        try:
            return self._sum()
        except (Unclosed, RecursionError):
            return [Term(self._gap(self.at, min(self.at + 40, len(self.raw))))]

    def _peek(self) -> str:
        self.at = _skip(self.raw, self.at)
        if self.raw.startswith("''", self.at) or self.raw[self.at : self.at + 1] == '"':
            return '"'
        found = _TOKEN.match(self.raw, self.at)
        return found[0] if found is not None else ""

    def _next(self) -> str:
        token = self._peek()
        self.at += len(token)
        return token

    def _sum(self) -> list[Term]:
        found = self._term()
        while self._peek() in ("+", "++"):
            self._next()
            found += self._term()
        if self._peek() not in _END and self._peek() not in ("then", "else", "in"):
            start = self.at
            self._to_end()
            found.append(Term(self._gap(start, self.at)))
        return found

    def _term(self) -> list[Term]:
        """A text, a list, `optional… CONDITION VALUE`, `if`, or what is not read."""
        start_token = self._peek()
        start = self.at
        if start_token == '"':
            return [Term(self._string())]
        if start_token == "[":
            return self._list()
        if start_token == "(":
            self._next()
            found = self._sum()
            if self._peek() == ")":
                self._next()
            return found
        if start_token == "if":
            return self._if()
        if _OPTIONAL.match(start_token):
            self._next()
            condition = self._operand()
            return self._under(condition, self._term())
        made = _WRITTEN.match(start_token)
        if made is not None:
            self._next()
            return [Term(self._feature(made[1], start))]
        while self._peek() not in _END and self._peek() not in ("+", "++", "then", "else"):
            if self._peek() == '"':
                self.at = string_end(self.raw, self.at)
            elif self._peek() in ("(", "[", "{"):
                self.at = _braces_end(self.raw, self.at)
            else:
                self._next()
        if self.raw[start : self.at].strip() in ("null", "false", ""):
            return []
        return [Term(self._gap(start, self.at))]

    def _to_end(self) -> None:
        while self._peek() not in _END:
            if self._peek() == '"':
                self.at = string_end(self.raw, self.at)
            elif self._peek() in ("(", "[", "{"):
                self.at = _braces_end(self.raw, self.at)
            else:
                self._next()

    def _if(self) -> list[Term]:
        self._next()
        start = self.at
        while self._peek() not in ("then", ""):
            self.at = _braces_end(self.raw, self.at) if self._peek() in ("(", "[", "{") else self.at + len(self._peek())
        condition = " ".join(self.raw[start : self.at].split())
        self._next()
        yes = self._sum()
        no: list[Term] = []
        if self._peek() == "else":
            self._next()
            no = self._sum()
        holds = self._holds(condition)
        if holds is None:
            return [*self._with(yes, condition), *self._with(no, f"not ({condition})")]
        return yes if holds else no

    def _under(self, condition: str, terms: list[Term]) -> list[Term]:
        holds = self._holds(condition)
        return self._with(terms, condition) if holds is None else terms if holds else []

    @staticmethod
    def _with(terms: list[Term], condition: str) -> list[Term]:
        return [Term(t.text, f"{condition} && {t.condition}" if t.condition else condition) for t in terms]

    def _operand(self) -> str:
        start = self.at = _skip(self.raw, self.at)
        if self._peek() == "!":
            self._next()
        if self._peek() == "(":
            self.at = _braces_end(self.raw, self.at)
        else:
            self._next()
        return " ".join(self.raw[start : self.at].split())

    def _holds(self, said: str) -> bool | None:
        said = said.strip()
        if said.startswith("(") and _braces_end(said, 0) == len(said):
            return self._holds(said[1:-1])
        for sign, ends in (("||", True), ("&&", False)):
            if sign in said and "(" not in said:
                answers = [self._holds(part) for part in said.split(sign)]
                return ends if ends in answers else None if None in answers else not ends
        if said.startswith("!"):
            inner = self._holds(said[1:])
            return None if inner is None else not inner
        if said in ("true", "false"):
            return said == "true"
        fact = _FACT.match(said)
        system, _, arch = self.platform.partition("-")
        known = {
            "isLinux": system == "linux",
            "isDarwin": system == "macos",
            "isWindows": False,
            "isFreeBSD": False,
            "isx86_64": arch == "x86_64",
            "isx86": arch in ("x86_64", "i686"),
            "isx86_32": arch == "i686",
            "isi686": arch == "i686",
            "isAarch64": arch in ("aarch64", "arm64"),
            "isAarch32": arch == "armv7l",
            "isRiscV64": arch == "riscv64",
            "isPower64": arch == "ppc64le",
            **dict.fromkeys(_SHARED, arch not in ("i686", "armv7l") or None),
        }
        return known.get(fact[1]) if fact is not None else None

    def _list(self) -> list[Term]:
        self._next()
        found: list[Term] = []
        while self._peek() not in ("]", ""):
            start = self.at
            token = self._peek()
            if token == '"':
                found.append(Term(self._string()))
            elif token == "(":
                found += self._term()
            elif token in ("[", "{"):
                self.at = _braces_end(self.raw, self.at)
            else:
                self._next()
                found.append(Term(self._gap(start, self.at)))
        self._next()
        return found

    def _feature(self, name: str, start: int) -> Traced:
        """`lib.cmakeBool "NAME" VALUE` and its kin."""
        first = self._argument()
        other = self._argument()
        switches = {"true": ("TRUE", "true", "enabled", True), "false": ("FALSE", "false", "disabled", False)}
        span = Span(self.source.path, start, self.at)
        if name in ("cmakeFeature", "mesonOption") and isinstance(other, Traced) and isinstance(first, Traced):
            return join([literal("-D", span), first, literal(":STRING=" if name == "cmakeFeature" else "="), other])
        if name in ("cmakeBool", "mesonBool", "mesonEnable") and isinstance(first, Traced) and other in switches:
            index = ("cmakeBool", "mesonBool", "mesonEnable").index(name)
            sign = ":BOOL=" if name == "cmakeBool" else "="
            return join([literal("-D", span), first, literal(f"{sign}{switches[str(other)][index]}", span)])
        if name in ("enableFeature", "withFeature") and first in switches and isinstance(other, Traced):
            verb = ("--enable-" if first == "true" else "--disable-") if name == "enableFeature" else (
                "--with-" if first == "true" else "--without-")  # fmt: skip
            return literal(verb, span) + other
        if isinstance(first, Traced) and name in ("cmakeBool", "mesonBool", "mesonEnable"):
            return join([literal("-D", span), first, literal(":BOOL=" if name == "cmakeBool" else "="),
                         self._gap(start, self.at)])  # fmt: skip
        return self._gap(start, self.at)

    def _argument(self) -> "Traced | str":
        token = self._peek()
        if token == '"':
            return self._string()
        if token in ("(", "[", "{"):
            start = self.at
            self.at = _braces_end(self.raw, self.at)
            return self.raw[start : self.at]
        return self._next()

    def _gap(self, start: int, end: int) -> Traced:
        said = self.raw[start:end].strip()
        span = Span(self.source.path, start, start + len(said)) if said else Span(self.source.path, start, end)
        return hole(Hole(said[:80], "Nix works it out", Decider.REPOSITORY, several=True), (span,))

    def _string(self) -> Traced:
        start = self.at
        end = self.at = string_end(self.raw, start)
        double = self.raw[start] == '"'
        begin, stop = (start + 1, end - 1) if double else (start + 2, end - 2)
        return self._said(begin, stop, double)

    def _said(self, begin: int, stop: int, double: bool) -> Traced:
        parts: list[Traced] = []
        at = begin
        indent = 0 if double else _indentation(self.raw[begin:stop])
        if not double:
            newline = self.raw.find("\n", begin, stop)
            if newline >= 0 and not self.raw[begin:newline].strip():
                begin = at = newline + 1
        fresh = not double
        while at < stop:
            if fresh:
                cut = min(len(self.raw[at:stop]) - len(self.raw[at:stop].lstrip(" ")), indent)
                parts.append(self.source.traced(begin, at))
                begin = at = at + cut
                fresh = False
                continue
            escaped = _escaped(self.raw, at, double)
            if escaped is None and self.raw.startswith("${", at):
                close = _braces_end(self.raw, at + 1)
                parts += [self.source.traced(begin, at), self._put(at, close)]
                at = begin = close
            elif escaped is not None:
                size, text = escaped
                parts += [self.source.traced(begin, at), literal(text, Span(self.source.path, at, at + size))]
                at = begin = at + size
            else:
                fresh = not double and self.raw[at] == "\n"
                at += 1
        return join([*parts, self.source.traced(begin, stop)]) if stop > begin or parts else EMPTY

    def _put(self, start: int, end: int) -> Traced:
        said = self.raw[start:end]
        return hole(
            Hole(said, "Nix works it out", Decider.OUTSIDE, name=said[2:-1]), (Span(self.source.path, start, end),)
        )


def _indentation(body: str) -> int:
    """The blanks that all lines begin with (String literals: indented strings)."""
    lines = [line for line in body.split("\n") if line.strip()]
    return min((len(line) - len(line.lstrip(" ")) for line in lines), default=0)


def _escaped(raw: str, at: int, double: bool) -> tuple[int, str] | None:
    if double:
        if raw[at] == "\\" and at + 1 < len(raw):
            return 2, {"n": "\n", "t": "\t", "r": "\r"}.get(raw[at + 1], raw[at + 1])
        return (2, "$$") if raw.startswith("$$", at) else None
    if raw.startswith("$$", at):
        return 2, "$$"  # `$${` puts nothing in
    if raw.startswith("'''", at):
        return 3, "''"
    if raw.startswith("''$", at):
        return 3, "$"
    if raw.startswith("''\\", at):
        return 4, {"n": "\n", "t": "\t", "r": "\r"}.get(raw[at + 3 : at + 4], raw[at + 3 : at + 4])
    return None
