"""meson.build: the compiler arguments of projects and targets, as commands `meson:FUNCTION`, and what targets run.

Follows https://mesonbuild.com/Syntax.html and the reference manual (`add_project_arguments`, `project`, build
targets). Lists of texts are followed through variables; of conditions those on the host machine's system and CPU are
decided, all others are followed both ways.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from flagguard.command import Call, Dialect, Place, Reading, Script, Word, word
from flagguard.hosts import Setting
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, Problem, Shape, SourceText, Span, Traced, hole, join, literal
from flagguard.tools.platforms import architecture, split
from flagguard.values import dataclass

NAME = "meson"

_TOKEN = expression(
    r"(?P<blank>[ \t\r]+|\\\r?\n|\#[^\n]*)|(?P<line>\n)|(?P<text>f?'''(?:.|\n)*?'''|f?'(?:\\.|[^'\\\n])*')"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<number>\d\w*)|(?P<sign>\+=|==|!=|<=|>=|.)"
)
_ARGUMENTS = frozenset(
    {"add_project_arguments", "add_global_arguments", "add_project_link_arguments", "add_global_link_arguments"}
)
_TARGETS = frozenset(
    "executable library shared_library static_library shared_module both_libraries build_target declare_dependency "
    "jar project dependency subproject".split()
)
_KEYWORDS = {
    **dict.fromkeys("c_args cpp_args objc_args objcpp_args fortran_args cuda_args compile_args".split(), "words"),
    **dict.fromkeys(("link_args",), "words"),
    **dict.fromkeys(("default_options", "override_options"), "options"),
}
_CHECKED = frozenset({"get_supported_arguments", "first_supported_argument", "get_supported_link_arguments"})
_RUNNING = {
    # what stands before the words of the command, and the keyword that holds them
    "custom_target": (1, "command"),
    "run_target": (1, "command"),
    "run_command": (0, ""),
    "test": (1, "args"),
    "benchmark": (1, "args"),
    "generator": (0, "arguments"),
}
_SCRIPTS = frozenset({"add_install_script", "add_postconf_script", "add_dist_script"})
_MADE = frozenset("executable build_target custom_target files configure_file vcs_tag".split())
_WORDS = frozenset("true false and or not in foreach endforeach break continue".split())
_OPTION_FILES = ("meson.options", "meson_options.txt")
_MOST = 400_000
"""Characters of a file that are read."""
_DEEPEST = 100
_LONGEST = 100_000


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int


class TooDeepError(Exception):
    """Brackets in brackets in brackets; where."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


Values = tuple[Traced, ...]
_RUNS = "\0runs"
"""The unit of a call that is a command, as the reader hands it on."""


def read(source: SourceText, setting: Setting) -> Reading:
    """The calls that carry arguments, on each platform for which they are reached."""
    found: dict[tuple[int, str, tuple[str, ...]], Call] = {}
    scripts: dict[tuple[int, str, tuple[str, ...]], Script] = {}
    problems: dict[Problem, None] = {}
    above = _above(source.path)
    declared = _option_file([*above, source.path], setting)
    builds = (*above, source.path)
    beside = [f"{path.removesuffix('meson.build')}{name}" for path in builds for name in _OPTION_FILES]
    for platform in setting.platforms:
        reader = _Reader(source, platform)
        if declared is not None:
            with suppress(TooDeepError):
                for _ in _Reader(declared, platform, options=reader.options).calls():
                    pass
        for path in above:  # `subdir()` hands the variables on
            other = setting.files.read(path)
            if other is not None:
                outer = _Reader(other, platform, reader.names, reader.options)
                with suppress(TooDeepError):  # told where that file is read itself
                    for _ in outer.calls():
                        pass
        for call in _told(reader, problems):
            if call.unit == _RUNS:
                same = (call.span.start, call.place.step or "", tuple(w.text for w in call.argv))
                ran = scripts.get(same)
                on = frozenset({platform}) | ((ran.platforms or frozenset()) if ran else frozenset())
                scripts[same] = Script(
                    call.place, Dialect.ARGV, argv=call.argv, platforms=on, directory=None, unit=call.place.target or ""
                )
                continue
            key = (call.span.start, call.argv[0].text, tuple(w.text for w in call.argv[1:]))
            before = found.get(key)
            platforms = frozenset({platform}) | ((before.platforms or frozenset()) if before else frozenset())
            found[key] = Call(call.argv, call.place, call.span, platforms=platforms)
    calls = tuple(sorted(found.values(), key=lambda c: c.span))
    commands = tuple(scripts[key] for key in sorted(scripts))
    return Reading(commands, calls=calls, problems=tuple(problems), depends=(*above, *beside))


def _told(reader: "_Reader", problems: dict[Problem, None]) -> Iterator[Call]:
    """The calls, and from where on there may be more."""
    source = reader.source
    stopped = _MOST if len(source.text) > _MOST else None
    try:
        yield from reader.calls()
    except TooDeepError as error:
        stopped = error.at
    if stopped is not None:
        why = "too long" if stopped == _MOST else "nested too deeply"
        problems[Problem(source.path, source.position(stopped)[0], f"{why} to be read from here on")] = None


def _above(path: str) -> list[str]:
    """The files of the folders above, the outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join((*parts[:n], "meson.build")) for n in range(len(parts))]


def _option_file(builds: Sequence[str], setting: Setting) -> SourceText | None:
    """The file of options beside the outermost `meson.build` (Build options: "meson.options")."""
    root = next((path for path in builds if setting.files.read(path) is not None), builds[-1])
    found = (setting.files.read(f"{root.removesuffix('meson.build')}{name}") for name in _OPTION_FILES)
    return next((source for source in found if source is not None), None)


def tokens(text: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(text[:_MOST]):
        kind = found.lastgroup or "sign"
        if kind != "blank":
            yield Token(kind, found[0], found.start())


class _Reader:
    """Reads the statements in order."""

    def __init__(
        self,
        source: SourceText,
        platform: str,
        names: dict[str, Values] | None = None,
        options: dict[str, Values] | None = None,
    ) -> None:
        self.source = source
        self.options: dict[str, Values] = {} if options is None else options
        """What the project's options are when nobody chooses."""
        self.tokens = [*tokens(source.text), Token("line", "\n", len(source.text))]
        self.at = 0
        self.names: dict[str, Values] = {} if names is None else names
        self.system, self.machine = split(platform)
        self.scalars: set[str] = set()
        """The names that stand for one text, and not for a list."""
        self.scalar = False
        """Whether the last operand was a text."""
        self.skipping: list[bool | None] = []
        """For each open `if`: whether an arm has been taken for certain (None: every arm may be)."""
        self.dead: list[bool] = []
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[min(self.at, len(self.tokens) - 1)]

    def calls(self) -> Iterator[Call]:
        while self.at < len(self.tokens):
            token = self.token
            if token.kind == "name" and token.text in ("if", "elif", "else", "endif"):
                self._branch(token.text)
            elif token.kind == "line":
                self.at += 1
            elif any(self.dead):
                self._to_line()
            elif token.kind == "name":
                yield from self._statement()
            else:
                self.at += 1

    def _branch(self, word_: str) -> None:
        self.at += 1
        if word_ == "if":
            holds = self._condition()
            self.skipping.append(holds is True)
            self.dead.append(holds is False)
        elif word_ == "elif" and self.dead:
            holds = self._condition()
            self.dead[-1] = holds is False or bool(self.skipping[-1])
            self.skipping[-1] = self.skipping[-1] or holds is True
        elif word_ == "else" and self.dead:
            self.dead[-1] = bool(self.skipping[-1])
        elif word_ == "endif" and self.dead:
            self.dead.pop()
            self.skipping.pop()

    def _condition(self) -> bool | None:
        """`host_machine.system() == 'linux'` and its like; None for all else."""
        start = self.at
        self._to_line()
        text = "".join(t.text for t in self.tokens[start : self.at])
        answers = [self._asked(part) for part in re.split(r"(?<=['\])])and(?=\w)", text.strip())]
        return False if False in answers else None if None in answers else True

    def _asked(self, text: str) -> bool | None:
        found = re.fullmatch(r"(?:host|target)_machine\.(system|cpu_family|cpu)\(\)(==|!=|in)(\[?'[^]]*'\]?),?", text)
        if found is None:
            return None
        listed = re.findall(r"'([^']*)'", found[3])
        if found[1] == "system":
            own = {"macos": "darwin"}.get(self.system, self.system)
            inside = own in listed
        else:
            inside = any(architecture(name) == self.machine for name in listed)
        return inside == (found[2] != "!=")

    def _to_line(self) -> None:
        """To the end of the statement: brackets may hold line ends."""
        depth = 0
        while self.at < len(self.tokens) and not (self.token.kind == "line" and depth <= 0):
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.token.text, 0)
            self.at += 1
            if self.at >= len(self.tokens):
                return

    def _statement(self) -> Iterator[Call]:
        name = self.token
        following = self.tokens[self.at + 1 : self.at + 2]
        if following and following[0].text in ("=", "+="):
            self.at += 2
            values, calls = self._value(in_brackets=False)
            before = self.names.get(name.text, ()) if following[0].text == "+=" else ()
            values = (*before, *values)
            if len(values) + sum(len(value.text) for value in values) > _LONGEST:
                told = Hole(name.text, "the value is too long to follow", Decider.REPOSITORY, several=True)
                values = (hole(told, (self._span(name),)),)
            self.names[name.text] = values
            if self.scalar and len(values) == 1 and following[0].text == "=":
                self.scalars.add(name.text)
            else:
                self.scalars.discard(name.text)
            yield from calls
        else:
            _, calls = self._value(in_brackets=False)
            yield from calls
            if self.token is name:
                self.at += 1

    def _value(self, *, in_brackets: bool) -> tuple[Values, list[Call]]:
        """An expression: the texts in it, and the calls that it makes. Ends at a line end, a comma, a bracket."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise TooDeepError(self.token.start)
        found = self._operands(in_brackets=in_brackets)
        self.depth -= 1
        return found

    def _operands(self, *, in_brackets: bool) -> tuple[Values, list[Call]]:
        out: list[Traced] = []
        calls: list[Call] = []
        adding, joined = False, False
        while self.at < len(self.tokens):
            token = self.token
            if token.kind == "line" and not in_brackets:
                break
            if token.text in (",", ")", "]", "}", ":"):
                break
            self.at += 1
            if token.text == "?":
                out.clear()  # `CONDITION ? A : B`: what stood before was the question
                adding = False
                continue
            if token.text == "+":
                adding = True
                continue
            before = len(out)
            scalar = token.kind == "text" or token.text in self.scalars
            if token.kind == "text":
                out.append(self._method(token))
            elif token.text in ("[", "(", "{"):
                close = {"[": "]", "(": ")", "{": "}"}[token.text]
                for _, values, inner in self._items(close):
                    out += values
                    calls += inner
            elif token.kind == "name":
                values, inner = self._name(token)
                out += values
                calls += inner
                scalar = scalar or (token.text == "get_option" and len(values) == 1)
            if adding and joined and before and token.kind == "name":
                # only a text can be added to a text, so a name that holds several is one of them, and not known which
                scalar, out[before:] = True, out[before:] if len(out) == before + 1 else [self._one_of(token)]
            if adding and scalar and self.scalar and len(out) == before + 1 and before:
                out[-2:] = [join(out[-2:])]
            self.scalar = scalar
            joined = token.kind == "text" or token.text in self.scalars or (adding and joined and scalar)
            adding = False
        return tuple(out), calls

    def _one_of(self, token: Token) -> Traced:
        reason = "which of its texts it is is not followed"
        return hole(Hole(token.text, reason, Decider.REPOSITORY), (self._span(token),))

    def _method(self, token: Token) -> Traced:
        """A text, or what a method makes of it: `'-D@0@'.format(x)`."""
        if self.token.text != ".":
            return self._text(token)
        if [t.text for t in self.tokens[self.at + 1 : self.at + 3]] == ["format", "("]:
            self.at += 3
            return self._formatted(token, [values for _, values, _ in self._items(")")])
        while self.token.text == ".":
            self.at += 2
            if self.token.text == "(":
                self.at += 1
                for _ in self._items(")"):
                    pass
        span = self._span(token)
        reason = "what is made of the text is not followed"
        return hole(Hole(self.source.text[span.start : span.end], reason, Decider.OUTSIDE), (span,))

    def _formatted(self, token: Token, given: Sequence[Values]) -> Traced:
        """`'-D@0@'.format(x)`: `@N@` is the argument of that number."""
        text, parts, at = self._text(token), [], 0
        for found in re.finditer(r"@(\d+)@", text.text):
            number = int(found[1])
            parts.append(text.cut(at, found.start()))
            at = found.end()
            if number < len(given) and len(given[number]) == 1:
                parts.append(given[number][0])
            else:
                reason = "what is put in there is not followed"
                parts.append(hole(Hole(found[0], reason, Decider.REPOSITORY), (self._span(token),)))
        return join([*parts, text.cut(at, len(text))])

    def _items(self, close: str) -> Iterator[tuple[str, Values, list[Call]]]:
        """`a, b, name: c` up to the closing bracket."""
        while self.at < len(self.tokens):
            if self.token.text == close:
                self.at += 1
                return
            if self.token.text in (",", ":") or self.token.kind == "line" or self.token.text in (")", "]", "}"):
                self.at += 1
                continue
            key = ""
            ahead = self.tokens[self.at + 1 : self.at + 2]
            if self.token.kind == "name" and ahead and ahead[0].text == ":":
                key = self.token.text
                self.at += 2
            values, calls = self._value(in_brackets=True)
            yield key, values, calls

    def _name(self, token: Token) -> tuple[Values, list[Call]]:
        """A variable, a function's call, a method's call."""
        if self.token.text == ".":
            self.at += 1
            method = self.token.text
            self.at += 1
            if self.token.text != "(":
                return (), []
            self.at += 1
            given = list(self._items(")"))
            calls = [c for _, _, inner in given for c in inner]
            values = [v for _, vs, _ in given for v in vs]
            if method in _SCRIPTS and values:
                calls.append(self._command(method, None, values, values[0].route[0] if values[0].route else None))
            return (tuple(values) if method in _CHECKED else ()), calls
        if self.token.text == "(":
            self.at += 1
            return self._call(token, list(self._items(")")))
        if token.text in self.names:
            return self.names[token.text], []
        if token.text in _WORDS:
            return (), []
        reason = "nothing that is read gives it a value"
        return (hole(Hole(token.text, reason, Decider.OUTSIDE, several=True), (self._span(token),)),), []

    def _call(self, token: Token, given: Sequence[tuple[str, Values, list[Call]]]) -> tuple[Values, list[Call]]:
        calls = [c for _, _, inner in given for c in inner]
        span = Span(self.source.path, token.start, token.start + len(token.text))
        words: list[Word] = []
        positional = [v for key, values, _ in given if not key for v in values]
        target = None
        if token.text in _ARGUMENTS:
            words = [word(v) for v in positional]
        elif token.text in _TARGETS:
            target = positional[0].text if positional and positional[0].known else None
            for key, values, _ in given:
                kind = _KEYWORDS.get(key)
                words += [word(v) for v in values] if kind else []
        elif token.text == "find_program" and positional:
            return (positional[0].through((span,)),), calls
        if token.text in _RUNNING:
            before, keyword = _RUNNING[token.text]
            given_to = [v for key, values, _ in given if key == keyword and keyword for v in values]
            argv = [*positional[before:], *given_to] if keyword != "command" else given_to
            name = positional[0].text if before and positional and positional[0].known else None
            if argv:
                calls.append(self._command(token.text, name, argv, span))
        if token.text == "get_option":
            name = positional[0].text if positional else ""
            if self.options.get(name):
                return tuple(v.through((span,)) for v in self.options[name]), calls
            reason = "the option is the caller's to choose"
            return (hole(Hole(f"get_option('{name}')", reason, Decider.OUTSIDE), (span,)),), calls
        if token.text == "option" and positional:
            said = {key: values for key, values, _ in given if key}
            chosen = said.get("value", said.get("choices", ())[:1])
            self.options[positional[0].text] = tuple(v.overridable() for v in chosen)
        if words:
            program = Word((Piece(f"meson:{token.text}", (span,)),), span)
            calls.append(Call((program, *words), Place(NAME, target=target), span))
        if token.text in _MADE:
            told = Hole(positional[0].text if positional else token.text, "what is built", shape=Shape.PATH)
            return (hole(told, (span,)),), calls
        return (), calls

    def _command(self, step: str, target: str | None, argv: Sequence[Traced], span: Span | None) -> Call:
        """A command, for the reader's caller to make a script of."""
        at = span or Span(self.source.path, 0, 0)
        # a program that a variable holds stands where it is used
        elsewhere = bool(argv[0].route) and argv[0].route[0].start < at.start
        argv = [argv[0].through((at,)), *argv[1:]] if elsewhere else argv
        words = tuple(word(v.grounded((at,))) for v in argv)
        return Call(words, Place(NAME, target=target, step=step), at, unit=_RUNS)

    def _text(self, token: Token) -> Traced:
        quotes = 3 if token.text.endswith("'''") and len(token.text) >= 6 else 1
        start = token.start + token.text.index("'") + quotes
        end = token.start + len(token.text) - quotes
        if token.text.startswith("f") and re.search(r"@\w+@", token.text):
            shown = self.source.text[start:end]
            return hole(Hole(shown, "what is put in there is not followed", Decider.REPOSITORY), (self._span(token),))
        if "\\" in token.text and quotes == 1:
            plain = re.sub(r"\\(['\\])", r"\1", self.source.text[start:end])
            return literal(plain, self._span(token))
        return self.source.traced(start, end)

    def _span(self, token: Token) -> Span:
        return Span(self.source.path, token.start, token.start + len(token.text))
