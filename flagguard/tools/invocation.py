"""A command understood by its tool: options, operands, and what rules may ask of them (DESIGN 4.4, 5.1).

Reads the words of a command with the grammar of the catalogue. Must not know of rules: it answers "is this a `mojo
build`", "which options are `--target-cpu`", "could one hide here".
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flagguard.command import Command, Word, word
from flagguard.paths import resolved
from flagguard.text import Decider, SourceText, Traced, literal
from flagguard.tools import effective as properties
from flagguard.tools import products
from flagguard.tools.catalogue import GENERIC, Tool, tool_named
from flagguard.tools.effective import Effective
from flagguard.tools.flags import Found, query
from flagguard.tools.grammar import Form, Item, Option, Parse, parse
from flagguard.tools.identity import Identity, Match, identify, is_hole, is_unknown, lead, named
from flagguard.tools.streams import Read, Stream, hidden, opened, streams
from flagguard.values import cached_property, dataclass, field, replace

if TYPE_CHECKING:
    from flagguard.tools.projects import Project

__all__ = ["Effective", "Invocation", "Match", "Option", "understand"]


@dataclass(frozen=True)
class Invocation:
    """A command, understood."""

    command: Command
    argv: tuple[Word, ...]
    tool: Tool | None
    program: str
    """Without folder, `.exe`, cross prefix and version suffix; for a step `uses owner/name`."""
    path: tuple[str, ...]
    """The subcommands, by their canonical names."""
    options: tuple[Option, ...]
    operands: tuple[Word, ...]
    classes: frozenset[str]
    cross: str = ""
    """The cross prefix of the program: `aarch64-linux-gnu`."""
    identities: tuple[Identity, ...] = ()
    streams: tuple[Stream, ...] = ()
    """Its words and those that reach it by another way, on the first of the command's platforms."""
    guessed: bool = False
    """The program is one hole; the tool is a guess from the hole's name."""
    read: Read | None = field(default=None, repr=False, compare=False)

    # -- what it is ---------------------------------------------------------------------------------------------------

    def is_a(self, name: str) -> Match:
        """Whether it is what a rule's `command` names: `mojo build`, `@c-compiler`, `uses actions/checkout`."""
        if name.startswith("@"):
            if name not in self.classes or (name == _PROJECT and not self.projects):
                return Match.NO
            return Match.MAYBE if self.guessed else Match.YES
        program, words = named(name)
        found = Match.NO
        for identity in self.identities:
            if not (program in identity.names or is_unknown(self.argv[0])):
                continue
            match = self._leads(identity, words)
            if is_unknown(self.argv[0]) and match is not Match.NO:
                # `$(CC) $(FLAGS)` is a C compiler, if it is anything; a name that says nothing may be any program
                fits = program in identity.names if self.guessed else bool(words)
                match = Match.MAYBE if fits else Match.NO
            if match is Match.YES:
                return match
            found = match if found is Match.NO else found
        return found

    def _leads(self, identity: Identity, words: tuple[str, ...]) -> Match:
        if not words:
            return Match.YES
        if identity.tool is None or is_unknown(self.argv[0]):
            return lead(words, [i.word for i in identity.items])
        own = self.streams[0].parse if identity.tool is self.tool else parse(identity.tool.root, identity.items)
        asked = parse(identity.tool.root, [Item(Word(literal(w).pieces)) for w in words])
        shared = len(asked.path)
        if own.path[:shared] != asked.path and own.meant[: len(asked.meant)] != asked.meant:
            first = own.operands[0].word if own.operands else None
            short = len(own.path) == shared - 1 and own.path == asked.path[: shared - 1]
            return Match.MAYBE if short and first is not None and is_hole(first) else Match.NO
        operands = [o.word for o in own.operands]
        for i, item in enumerate(asked.operands):
            if i >= len(operands):
                return Match.NO
            if is_hole(operands[i]):
                return Match.MAYBE
            if operands[i].text != item.word.text:
                return Match.NO
        met = all(any(set(o.names) & set(p.names) and _same(o, p) for p in own.options) for o in asked.options)
        return Match.YES if met else Match.NO

    # -- flags --------------------------------------------------------------------------------------------------------

    def occurrences(self, flag: str) -> tuple[Option, ...]:
        """All options that answer to the flag in any spelling, in order; what a later one takes back is left out."""
        return self.found(flag).options

    def found(self, flag: str) -> Found:
        """The occurrences of the flag, and what took an earlier one back."""
        out = Found()
        main = query(self.streams[0].parse.node, flag)
        for stream in sorted(self.streams, key=lambda s: not s.early):
            text = flag
            if main.carries and stream.carrier and stream.tool.name == main.carries:
                text = " ".join(main.carried)
            read = [query(node, text).collect(stream.parse.options, out) for node in reversed(stream.parse.nodes)]
            out = next((r for r in read if len(r.options) > len(out.options)), read[0])
        if not flag.startswith("-") and not flag.endswith("="):
            for item in self.streams[0].parse.operands:
                if item.word.text == flag:
                    at = () if item.at is None else (item.at,)
                    out = replace(out, options=(*out.options, Option((flag,), None, False, at, None, item.word)))
        return out

    def counting(self, flag: str) -> tuple[Option, ...]:
        """Those occurrences that count: all of an option that accumulates, else the one that the tool takes."""
        found = self.occurrences(flag)
        if not found or any(o.accumulates for o in found):
            return found
        first = found[-1].spec is not None and found[-1].spec.winner.value == "first"
        return (found[0],) if first else (found[-1],)

    def could_hide(self, flag: str) -> Word | None:
        """A word with a hole that may be, or hold, the flag; rather one of which the repository decides the content."""
        found = [h.word for s, h in hidden(self.streams) if any(query(n, flag).may_be(h) for n in s.parse.nodes)]
        decided = [w for w in found if any(h.decider is Decider.REPOSITORY for h in w.holes)]
        return next(iter(decided or found), None)

    @property
    def by_target(self) -> bool:
        """Whether what reaches the tool depends on what it builds for: `CARGO_TARGET_<TRIPLE>_RUSTFLAGS`."""
        if self.tool is None:
            return False
        entries = (*self.tool.environment, *self.tool.carry)
        return any("triple" in entry or entry["split"] == "cargo-config" for entry in entries)

    def on(self, platform: str) -> "Invocation":
        """As it is where the command runs on this one of its platforms."""
        if not platform or not self.by_target:
            return self
        found = self.streams_for(self.builds_for(platform))
        return replace(self, streams=found, options=tuple(o for s in found for o in s.parse.options))

    # -- effects ------------------------------------------------------------------------------------------------------

    def builds_for(self, platform: str) -> str:
        """The platform of the product (DESIGN 4.5)."""
        if self.tool is None:
            return platform
        return products.builds_for(self.streams, self.cross, _given(self.command), platform)

    def effective(self, name: str, platform: str) -> Effective:
        """The property as the tool sees it; of several languages, the one that is worst placed."""
        return properties.worst(self.effectives(name, platform))

    def effectives(self, name: str, platform: str) -> tuple[Effective, ...]:
        """The property, once for each language that has flags of its own (`-DCMAKE_C_FLAGS`, `-DCMAKE_CXX_FLAGS`)."""
        if self.tool is None:
            return (Effective(None, None, None),)
        target = self.builds_for(platform)
        reaching = self.streams_for(target)
        found = properties.find(name, self.tool, reaching, env=self.command.env, target=target, platform=platform)
        if name == "cpu" and self.tuned_project is not None:
            return tuple(replace(e, default="host") if e.value is None else e for e in found)
        return found

    @cached_property
    def tuned_project(self) -> str | None:
        """The project that it builds for the CPU of the build machine, since nothing says otherwise."""
        given = _given(self.command)
        return next((p.name for p in self.projects if not p.given(self.occurrences, given)), None)

    @cached_property
    def projects(self) -> "tuple[Project, ...]":
        """The projects that it builds of which it is known that they tune themselves (data/projects.toml)."""
        if self.tool is None or self.tool.name not in _BUILDERS or any(self.occurrences(o) for o in _NOT_CONFIGURED):
            return ()
        from flagguard.tools.projects import projects

        operands = [o.text for o in self.operands]
        return projects(self.tool.name, self.command.directory, operands, self.occurrences)

    def ways(self, name: str, value: str | None, platform: str, option: Option | None) -> tuple[str, ...]:
        """What gives the property this value (None: some value), as one writes it; options like ``option`` first."""
        if self.tool is None:
            return ()
        found = self._asked(name, platform).ways(value, option)
        written = (flag + self.joint(flag) + text if text else flag for flag, text in found)
        return tuple(dict.fromkeys(w.replace("-D ", "-D", 1) for w in written))

    def joint(self, flag: str) -> str:
        """What stands between the flag and its value, the usual way: `=`, a blank, nothing."""
        if flag.endswith("="):
            return ""
        bare = flag.split(" ", maxsplit=1)[0]
        if flag.startswith("--") and bare == flag:
            return " "
        forms = [s.form for stream in self.streams for n in stream.parse.nodes if (s := n.spellings.get(bare))]
        if bare != flag or not forms:
            return "="
        if Form.JOINED in forms[0] and (len(flag) == 2 or Form.EQUALS not in forms[0]):
            return ""
        if Form.EQUALS in forms[0]:
            return "="
        return ":" if Form.COLON in forms[0] else " "

    def refuses(self, option: Option, platform: str) -> bool:
        """Whether the tool does not take the option's value, as far as the catalogue knows: `-march=generic`."""
        if self.tool is None or option.value is None:
            return False
        return any(self._asked(name, platform).refuses(option) for name in ("cpu",) if name in self.known_properties)

    def _asked(self, name: str, platform: str) -> properties.Asked:
        assert self.tool is not None
        target = self.builds_for(platform)
        reaching = self.streams_for(target)
        return properties.Asked(name, self.tool, tuple(reaching), self.command.env, target, platform)

    def streams_for(self, target: str) -> tuple[Stream, ...]:
        """What reaches the tool when it builds for the platform: `CARGO_TARGET_<TRIPLE>_RUSTFLAGS` is for one only."""
        if self.tool is None or not (self.tool.environment or self.tool.carry):
            return self.streams
        return streams(self.tool, self.streams[0].parse, _given(self.command), target, self.read)

    @cached_property
    def known_properties(self) -> frozenset[str]:
        """The properties that the catalogue names for this tool."""
        return frozenset(k for s in self.streams for k in s.tool.effective if k != "platform")


_PROJECT = "@tuned-project"
_BUILDERS = frozenset({"make", "cmake", "configure", "pip", "uv"})
"""The tools for which `data/projects.toml` knows projects."""
_NOT_CONFIGURED = ("--build", "--install", "--open", "-E", "-P")
"""With these cmake configures nothing (cmake(1), Synopsis)."""


def _own_sections(items: Sequence[Item], sections: Mapping[str, bool]) -> list[Item]:
    """The words less those that are handed to other programs."""
    kept, own = [], True
    for item in items:
        if item.word.text in sections:
            own = sections[item.word.text]
        elif own:
            kept.append(item)
    return kept


def _given(command: Command) -> Mapping[str, Traced]:
    """What reaches the program besides its words: what files set, and over that the environment."""
    return {**command.configured, **command.env} if command.configured else command.env


def _thrown_away(option: Option) -> bool:
    """Whether nothing is kept of what is built: a compiler is asked whether it takes a flag."""
    return "-o" in option.names and option.value is not None and option.value.text in ("/dev/null", "NUL")


def _lent(main: Parse, env: Mapping[str, Traced]) -> Parse:
    """Options that name a variable of the environment have its value: `--build-arg NAME`."""

    def lent(option: Option) -> Option:
        if option.spec is None or not option.spec.lends or option.value is not None or option.key is None:
            return option
        return replace(option, value=word(env[option.key])) if option.key in env else option

    options = tuple(map(lent, main.options))
    return main if options == main.options else replace(main, options=options)


def _same(asked: Option, own: Option) -> bool:
    return asked.value is None or (own.value is not None and own.value.text == asked.value.text)


# -- understanding ----------------------------------------------------------------------------------------------------


def understand(command: Command, tools: Mapping[str, str], read: Read | None = None) -> tuple[Invocation, ...]:
    """The command as an invocation of its program, then one of each wrapper, outermost first.

    `tools` gives programs of the repository the grammar of a tool; `read` opens files of the tree, by their path from
    the root.
    """
    given = tuple(tools.items())
    read = _from_folder(command, read)
    out = [_invocation(command, command.argv, None, given, read)] if command.argv else []
    inside: list[Word] = []
    for i, own in enumerate(command.wrappers):
        inside = [w for later in command.wrappers[i + 1 :] for w in later] + list(command.argv)
        if own:
            out.append(_invocation(command, (*own, *inside), len(own), given, read))
    return tuple(out)


def _from_folder(command: Command, read: Read | None) -> Read | None:
    """Opens response files as the command does: from its folder."""
    if read is None or (command.directory == "" and command.layout is None):
        return read

    def opened(name: str) -> SourceText | None:
        path = resolved(literal(name), command.directory) if name else None
        if path is None:
            return None
        paths = [path] if command.layout is None else command.layout.in_tree(path)
        return next((source for one in paths if (source := read(one)) is not None), None)

    return opened


def _invocation(
    command: Command,
    argv: tuple[Word, ...],
    own: int | None,
    tools: tuple[tuple[str, str], ...],
    read: Read | None,
) -> Invocation:
    """`own`: how many of the words are a wrapper's; the others are its operands, whatever they look like."""
    mine = argv if own is None else argv[:own]
    identities, program, cross, guessed = identify(mine, tools)
    last = identities[-1]
    tool = last.tool
    given = tuple(Item(w) for w in command.brought) if own is None else ()
    items = opened((*given, *last.items), tool.response if tool else None, read)
    if tool is not None and tool.overrides is not None and tool.overrides in command.env:
        from flagguard.tools.overrides import edited

        items = edited(items, command.env[tool.overrides])
    if tool is not None and tool.sections:
        items = _own_sections(items, tool.sections)
    main = parse(tool.root if tool else GENERIC, items)
    path = main.path
    if tool is not None and main.node.switch_to is not None:
        file, _, name = main.node.switch_to.partition("/")
        tool = tool_named(file, name)
        main = parse(tool.root, opened(main.rest, tool.response, read))
        path = (*path, *main.path)
    main = _lent(main, command.env)
    platform = command.platforms[0] if command.platforms else "linux-x86_64"
    all_streams = (
        streams(tool, main, _given(command), platform, read) if tool else (Stream(Tool(program, GENERIC), main),)
    )
    classes = (tool.classes if tool else frozenset()) | main.node.classes
    if any((o.spec is not None and o.spec.probe) or _thrown_away(o) for o in main.options):
        classes = frozenset()
    outside = () if own is None else argv[own:]
    return Invocation(
        command=command,
        argv=argv,
        tool=tool,
        program=program,
        path=path,
        options=tuple(o for s in all_streams for o in s.parse.options),
        operands=(*(i.word for i in main.operands), *outside),
        classes=classes,
        cross=cross,
        identities=tuple(identities),
        streams=all_streams,
        guessed=guessed,
        read=read,
    )
