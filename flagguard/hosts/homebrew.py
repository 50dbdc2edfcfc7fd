"""Homebrew's formulae: what `system` and its kin run in them.

Follows Homebrew's "Formula Cookbook" (system, ENV, on_macos and its kin) and the API documentation of Formula
(`std_cmake_args` and its kin). Ruby itself is not followed: texts, lists and variables that are written out are read,
what is put into a text is a hole, a condition on the system or the processor decides, any other is followed both ways.
A call that is none of these is told.
"""

from collections.abc import Iterator
from posixpath import basename

from flagguard.command import Dialect, Reading, Script, Word
from flagguard.hosts import Setting, image_builds, ruby_text
from flagguard.hosts.packaging import merged
from flagguard.hosts.pipelines import Frame, Notes, Shell, guarded, open_hole, outside
from flagguard.hosts.ruby_text import Unreadable
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Shape, SourceText, Span, Traced, hole, join, literal, too_long
from flagguard.values import dataclass, field

NAME = "homebrew"

_CALL = expression(
    r"^(?:[\w@]+\s*=\s*)?(?:assert(?:_\w+)?[ (].*?)?\b"
    r"(system|quiet_system|safe_system|shell_output|pipe_output|Utils\.(?:safe_)?popen_read)\b(?![?!=])\s*"
)
_ASSIGN = expression(r"^(\w+)\s*(\|\|=|\+=|<<|=)\s*(?![=~])")
_PUSH = expression(r"^(\w+)\.(?:push|append|concat|unshift)\s*\(?\s*")
_ENV = expression(r"^ENV\[[\"'](\w+)[\"']\]\s*(\|\|=|\+=|=)\s*(?![=~])")
_ENV_CALL = expression(
    r"^ENV\.(append_to_cflags|append_path|prepend_path|append|prepend|delete|remove_from_cflags|remove|O\w|\w+)\b\s*\(?\s*"
)
_MODIFIER = expression(r"\s(if|unless)\s+((?:[^\"']|\"[^\"]*\"|'[^']*')*)$")
_OPENS = expression(
    r"^(?:\w+\s*(?:\|\|)?=\s*)?(if|unless|case|while|until|begin|for)\b|^(class|module|def)\b|\bdo(?:\s*\|[^|]*\|)?$"
)
_ON = expression(r"^on_(macos|linux|arm|intel|\w+)\b.*\bdo$")
_METHOD = expression(r"^def\s+(\w+)|^(test)\s+do$")
_NAME = expression(r"[a-z_]\w*")
_MOST_ITEMS = 2_000
_PATHS = expression(
    r"^(?:prefix|bin|sbin|lib|libexec|include|share|pkgshare|man\d?|doc|etc|var|buildpath|testpath|opt_\w+|HOMEBREW_\w+"
    r"|Formula\[|Language::|Dir\[|MacOS\.sdk_path|rpath|tmpdir|pkgetc|shell_\w+|buildpath|which\()"
)
_STANDARD = {
    # docs.brew.sh/rubydoc/Formula: std_cmake_args, std_configure_args, std_meson_args, std_cargo_args, std_go_args
    "std_cmake_args": "-DCMAKE_INSTALL_PREFIX=@ -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release "
    "-DCMAKE_FIND_FRAMEWORK=LAST -DCMAKE_VERBOSE_MAKEFILE=ON -Wno-dev -DBUILD_TESTING=OFF",
    "std_configure_args": "--disable-debug --disable-dependency-tracking --prefix=@ --libdir=@/lib",
    "std_meson_args": "--prefix=@ --libdir=@/lib --buildtype=release --wrap-mode=nofallback",
    "std_cargo_args": "--locked --root=@ --path=.",
    "std_go_args": "-trimpath -o=@/bin",
    "std_zig_args": "--prefix @ --release=fast",
}
_QUOTES = ('"', "'")
_SYSTEMS = {
    "OS.mac?": "macos", "OS.linux?": "linux", "Hardware::CPU.arm?": "arm", "Hardware::CPU.intel?": "intel",
    "Hardware::CPU.arm64?": "arm", "Hardware::CPU.is_64_bit?": "64",
}  # fmt: skip


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)
    notes.keep(source)
    platforms = [p for p in setting.platforms if p.startswith(("macos-", "linux-"))] or ["macos-arm64"]

    def scripts() -> Iterator[Script]:
        for platform in platforms:
            yield from _Formula(source, platform, notes).scripts()

    return Reading(guarded(notes, source.path, lambda: merged(scripts())), problems=notes.all())


@dataclass(frozen=True)
class _Block:
    reads: bool = True
    when: str = ""
    method: str = ""
    done: bool = False
    """An arm before this one surely was read."""


@dataclass
class _Formula:
    """A formula on one platform, read line by line."""

    source: SourceText
    platform: str
    notes: Notes
    blocks: list[_Block] = field(default_factory=list)
    lists: dict[str, list[Traced]] = field(default_factory=dict)
    texts: dict[str, Traced] = field(default_factory=dict)
    env: dict[str, Traced] = field(default_factory=dict)

    def scripts(self) -> Iterator[Script]:
        for line in ruby_text.statements(self.source):
            raw = line.text
            text = line.cut(len(raw) - len(raw.lstrip()), len(raw.rstrip()))
            if text.text:
                yield from self._line(text)

    def _line(self, text: Traced) -> Iterator[Script]:
        raw = text.text
        if raw == "end" or raw.startswith(("end.", "end ", "end)")):
            if self.blocks:
                closed = self.blocks.pop()
                if closed.method:
                    self.lists, self.texts, self.env = {}, {}, {}
            return
        if raw.startswith(("else", "elsif", "when")) and self.blocks:
            self._arm(raw)
            return
        opens = _OPENS.search(raw)
        if opens is not None and not raw.endswith(" end"):
            self.blocks.append(self._block(raw, opens[1]))
            return
        if not all(block.reads for block in self.blocks):
            return
        yield from self._statement(text)

    # -- blocks --------------------------------------------------------------------------------------------------------

    def _block(self, raw: str, word: str | None) -> _Block:
        method = _METHOD.match(raw)
        if method is not None:
            return _Block(method=method[1] or method[2])
        on = _ON.match(raw)
        if on is not None and on[1] in ("macos", "linux", "arm", "intel"):
            return _Block(self._is(on[1]))
        if on is not None:  # on_sonoma and its kin: a macOS of some version
            return _Block(self._is("macos"), on[0].split()[0])
        if word in ("if", "unless"):
            said = raw[raw.index(word) + len(word) :].strip().removesuffix(" then")
            return self._deciding(said, word == "unless")
        return _Block()

    def _deciding(self, said: str, denied: bool) -> _Block:
        holds = self._holds(said)
        if holds is None:
            return _Block(True, f"not ({said})" if denied else said)
        return _Block(holds is not denied)

    def _arm(self, raw: str) -> None:
        last = self.blocks.pop()
        done = last.done or (last.reads and not last.when)
        if raw.startswith("elsif"):
            found = self._deciding(raw[len("elsif") :].strip(), False)
            self.blocks.append(_Block(found.reads and not done, found.when, last.method, done))
        elif raw.startswith("else"):
            self.blocks.append(_Block(not done, f"not ({last.when})" if last.when else "", last.method, done))
        else:
            self.blocks.append(_Block(True, raw, last.method))

    def _holds(self, said: str) -> bool | None:
        """Whether a condition holds here; None where it hangs on something else."""
        if " && " in said:
            answers = [self._holds(part) for part in said.split(" && ")]
            return False if False in answers else None if None in answers else True
        if " || " in said:
            answers = [self._holds(part) for part in said.split(" || ")]
            return True if True in answers else None if None in answers else False
        said = said.strip()
        if said.startswith("!"):
            inner = self._holds(said[1:])
            return None if inner is None else not inner
        name = _SYSTEMS.get(said)
        return self._is(name) if name is not None else None

    def _is(self, name: str) -> bool:
        system, _, arch = self.platform.partition("-")
        return {"arm": arch in ("arm64", "aarch64"), "intel": arch == "x86_64", "64": arch != "i686"}.get(
            name, name == system
        )

    # -- statements ----------------------------------------------------------------------------------------------------

    def _statement(self, text: Traced) -> Iterator[Script]:
        when: list[str] = [block.when for block in self.blocks if block.when]
        modifier = _MODIFIER.search(text.text)
        if modifier is not None:
            block = self._deciding(modifier[2].strip(), modifier[1] == "unless")
            if not block.reads:
                return
            when += [block.when] if block.when else []
            text = text.cut(0, modifier.start())
        raw = text.text
        call = _CALL.search(raw)
        try:
            if call is not None:
                yield from self._call(call[1], text.cut(call.end(), len(raw)), text, when)
            elif raw.startswith("ENV"):
                self._environment(text, bool(when))
            else:
                self._assignment(text, bool(when))
        except (Unreadable, RecursionError):
            if call is not None or raw.startswith("ENV"):
                self._tell(text, f"`{raw[:60]}` is not read")

    def _tell(self, text: Traced, told: str) -> None:
        at = text.route[0] if text.route else Span(self.source.path, 0, 0)
        self.notes.tell(at, told)

    def _call(self, name: str, given: Traced, whole: Traced, when: list[str]) -> Iterator[Script]:
        raw = given.text
        if raw.startswith("("):
            end = ruby_text.end_of_braces(raw, 0)
            given = given.cut(1, end - 1)
        arguments = ruby_text.parts(given)
        if not arguments:
            raise Unreadable
        method = next((block.method for block in reversed(self.blocks) if block.method), "")
        frame = Frame(
            NAME,
            job=basename(self.source.path).removesuffix(".rb"),
            platforms=frozenset({self.platform}),
            values=self.env,
            shell=Shell(Dialect.SH),
            when=tuple(dict.fromkeys(when)),
            directory=None,
        )
        first = arguments[0]
        if name in ("shell_output", "pipe_output") or (len(arguments) == 1 and not first.text.startswith("*")):
            yield frame.script(method or None, self._text(first))
            return
        words: list[Traced] = []
        for argument in arguments:
            if argument.text.startswith("*"):
                words += self._list(argument.cut(1, len(argument)))
            elif not _keyword(argument.text) and argument.text[:1] not in "{:":
                words.append(self._text(argument))
        route = (Span(self.source.path, whole.route[0].start, whole.route[0].end),) if whole.route else ()
        placed = [Word(word.grounded(route).pieces) for word in words]
        yield image_builds.argv(placed, frame, method or None)

    def _environment(self, text: Traced, perhaps: bool) -> None:
        raw = text.text
        assigned = _ENV.match(raw)
        if assigned is not None:
            value = self._text(text.cut(assigned.end(), len(raw)))
            self._set(assigned[1], value, perhaps, add=assigned[2] == "+=")
            return
        call = _ENV_CALL.match(raw)
        if call is None:
            raise Unreadable
        name = call[1]
        given = text.cut(call.end(), len(raw) - (1 if raw.endswith(")") and "(" in call[0] else 0))
        arguments = ruby_text.parts(given)
        if name in ("append_to_cflags",) and arguments:
            for flags in ("CFLAGS", "CXXFLAGS"):
                self._set(flags, self._text(arguments[0]), perhaps, add=True)
        elif name in ("append", "prepend", "append_path", "prepend_path") and len(arguments) > 1:
            variable = self._text(arguments[0])
            if variable.known:
                between = " " if name in ("append", "prepend") else ":"
                self._set(variable.text, self._text(arguments[1]), perhaps, True, between, "prepend" in name)
        elif name == "delete" and arguments and self._text(arguments[0]).known:
            self.env.pop(self._text(arguments[0]).text, None)

    def _set(
        self, name: str, value: Traced, perhaps: bool, add: bool = False, between: str = " ", before: bool = False
    ) -> None:
        old = self.env.get(name, EMPTY)
        if perhaps and not add:
            value = value if not old else open_hole(f"${name}", "it has several values", name)
        elif add and old:
            pair = (value, old) if before else (old, value)
            value = join([pair[0], literal(between), pair[1]])
        self.env[name] = value

    def _assignment(self, text: Traced, perhaps: bool) -> None:
        raw = text.text
        found = _ASSIGN.match(raw) or _PUSH.match(raw)
        if found is None:
            return
        name, sign = found[1], found[2] if found.lastindex and found.lastindex > 1 else "push"
        given = text.cut(found.end(), len(raw) - (1 if sign == "push" and raw.endswith(")") else 0))
        value = given.text
        try:
            if sign == "=" and value[:1] in _QUOTES:
                self.texts[name] = self._text(given)
                return
            if sign in ("<<", "+=") and name in self.texts:
                more = open_hole(raw[:60], "it is added under a condition") if perhaps else self._text(given)
                self.texts[name] = join([self.texts[name], more])
                return
            if sign == "<<" or (sign == "push" and value[:1] in _QUOTES):
                added = [self._text(part) for part in ruby_text.parts(given)]
            else:
                added = self._list(given)
        except Unreadable:
            added = [hole(Hole(raw[:60], "what is assigned is not read", Decider.REPOSITORY, several=True), text.route)]
        old = [] if sign == "=" and not (perhaps and name in self.lists) else self.lists.get(name, [])
        if len(old) + len(added) > _MOST_ITEMS:
            told = "the list is too long to follow"
            old, added = [], [hole(Hole(raw[:60], told, Decider.REPOSITORY, several=True), text.route)]
        self.lists[name] = [*old, *added]
        self.texts.pop(name, None)

    # -- values --------------------------------------------------------------------------------------------------------

    def _text(self, value: Traced) -> Traced:
        raw = value.text
        if raw[:1] in _QUOTES and ruby_text.end_of_string(raw, 0) == len(raw):
            return ruby_text.string(value, self._inner)
        if raw[:1] in _QUOTES:
            end = ruby_text.end_of_string(raw, 0)
            rest = raw[end:].strip()
            if rest[:1] in _QUOTES or rest[:1] == "\\":  # strings that stand beside each other are one
                start = end + len(raw[end:]) - len(raw[end:].lstrip("\\ \n\t"))
                return join([ruby_text.string(value.cut(0, end), self._inner), self._text(value.cut(start, len(raw)))])
        if raw in self.texts:
            return self.texts[raw].through(value.route)
        if raw == "ENV.cc":
            return literal("clang" if self._is("macos") else "gcc").grounded(value.route)
        if raw == "ENV.cxx":
            return literal("clang++" if self._is("macos") else "g++").grounded(value.route)
        if not raw:
            raise Unreadable
        shape = Shape.PATH if _PATHS.match(raw) else Shape.ANY
        return outside(raw, raw, "Ruby works it out", shape).through(value.route)

    def _inner(self, written: Traced) -> Traced:
        said = written.cut(2, len(written) - 1)
        raw = said.text.strip()
        if raw in self.texts:
            if too_long(self.texts[raw]):
                return open_hole(written.shown, "the value is too long to follow").through(written.route)
            return self.texts[raw].through(written.route)
        shape = Shape.PATH if _PATHS.match(raw) else Shape.ANY
        decider = Decider.REPOSITORY if _NAME.fullmatch(raw) and raw in self.lists else Decider.OUTSIDE
        return hole(Hole(written.shown, "Ruby works it out", decider, shape, raw), written.route)

    def _list(self, value: Traced) -> list[Traced]:
        """The items of a list; those of lists that are joined by `+` too."""
        raw = value.text.strip()
        value = value.cut(value.text.find(raw), value.text.find(raw) + len(raw))
        if raw.startswith("(") and ruby_text.end_of_braces(raw, 0) == len(raw):
            return self._list(value.cut(1, len(raw) - 1))
        named = _NAME.match(raw)
        standard = named[0] if named is not None else ""
        if standard in _STANDARD:
            return self._standard(standard, value)
        if raw.startswith(("%w", "%W")):
            end = ruby_text.end_of_string(raw, 0)
            found = ruby_text.words(value.cut(0, end), self._inner)
        elif raw.startswith("["):
            end = ruby_text.end_of_braces(raw, 0)
            found = []
            for part in ruby_text.parts(value.cut(1, end - 1)):
                found += self._list(part.cut(1, len(part))) if part.text.startswith("*") else [self._text(part)]
        else:
            name = raw.partition("+")[0].strip()
            end = len(raw.partition("+")[0])
            if name not in self.lists:
                told = "Ruby works it out"
                return [hole(Hole(f"*{raw}", told, Decider.REPOSITORY, several=True), value.route)]
            found = [item.through(value.cut(0, len(name)).route) for item in self.lists[name]]
        rest = raw[end:].lstrip()
        if rest.startswith("+"):
            start = raw.index("+", end) + 1
            return [*found, *self._list(value.cut(start, len(raw)))]
        return found

    def _standard(self, name: str, value: Traced) -> list[Traced]:
        words = []
        for said in _STANDARD[name].split():
            before, at, after = said.partition("@")
            gap = outside("prefix", "#{prefix}", "where Homebrew installs it", Shape.PATH) if at else EMPTY
            words.append(join([literal(before), gap, literal(after)]).grounded(value.route))
        raw = value.text
        end = 0
        if "(" in raw:
            end = ruby_text.end_of_braces(raw, raw.index("("))
            for part in ruby_text.parts(value.cut(raw.index("(") + 1, end - 1)):
                key, colon, _ = part.text.partition(":")
                if colon and key in ("ldflags", "tags", "gcflags"):
                    words.append(literal(f"-{key}=").grounded(part.route) + self._given(key, part))
        if "+" in raw[end:]:
            words += self._list(value.cut(raw.index("+", end) + 1, len(raw)))
        return words

    def _given(self, key: str, part: Traced) -> Traced:
        """The value of `ldflags: VALUE`, or of the variable of that name in `ldflags:`; a list as one text."""
        raw = part.text[len(key) + 1 :]
        item = part.cut(len(part) - len(raw.lstrip()), len(part))
        name = item.text or key
        if name in self.lists:
            return join([one for word in self.lists[name] for one in (literal(" "), word)][1:])
        return self._text(item if item else part.cut(0, len(key)))


def _keyword(raw: str) -> bool:
    """`chdir: x`, an option of the call."""
    name = raw.partition(":")[0]
    return name.isidentifier() and raw[len(name) : len(name) + 2] == ": "
