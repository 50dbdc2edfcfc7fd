"""Option grammars: how a tool's command line is cut into options and operands.

A grammar is data from the catalogue; nothing here names a tool. Words may have holes: a hole never becomes an option,
it is kept as a place where one may hide. Follows the utility syntax guidelines of POSIX (XBD 12.2), getopt_long(3) and,
for options like `-fname=value`, "Option Summary" of the GCC manual.
"""

from collections.abc import Mapping, Sequence
from enum import Enum, Flag, auto

from flagguard.command import Word, word
from flagguard.text import HOLE_MARK, Shape
from flagguard.values import dataclass, field


class Form(Flag):
    """How an option takes its value."""

    SWITCH = 0
    JOINED = auto()  # -O2
    SEPARATE = auto()  # -o FILE
    EQUALS = auto()  # --out=FILE
    COLON = auto()  # /arch:AVX2


class Winner(Enum):
    """Which occurrence counts when an option is given several times."""

    LAST = "last"
    FIRST = "first"
    ERROR = "error"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Spec:
    """One option in all its spellings."""

    spellings: tuple[str, ...]
    form: Form = Form.SWITCH
    optional: bool = False
    winner: Winner = Winner.LAST
    keyed: bool = False
    """The value is KEY or KEY=VALUE (`-C target-cpu=x`, `-DNAME=x`)."""
    typed: bool = False
    """The key may carry a type, `NAME:TYPE` (CMake)."""
    off: tuple[str, ...] = ()
    """Values with which it takes itself back (`-fcf-protection=none`)."""
    undefines: bool = False
    """Takes back what the keyed option `-D` of the same key said (`-U`)."""
    carries: str | None = None
    """The grammar of the words that its value holds."""
    split: str = "word"
    """How the value is cut into words: word, blank, comma."""
    probe: bool = False
    number: bool = False
    """An optional value may stand separate when it is a number (`make -j 4`)."""
    path: bool = False
    """The joined value of a `/x` option may be a path."""
    program: bool = False
    """What follows belongs to the built program, or is operands only."""
    lends: bool = False
    """A key without a value has that of the variable of this name (`--build-arg NAME`)."""
    below: bool = False
    """What it carries counts where the tool itself is told nothing."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """One spelling of an option and the forms that this spelling takes."""

    text: str
    form: Form
    spec: Spec


@dataclass(frozen=True, eq=False)
class Node:
    """The grammar that holds at one point of a command line: of a tool, or of one of its subcommands."""

    spellings: Mapping[str, Spelling] = field(default_factory=dict)
    joined: tuple[int, ...] = ()
    """How long the spellings are that take a joined value, longest first."""
    all_keys: frozenset[str] = frozenset()
    """Keys of keyed options of which every occurrence counts (`link-arg`)."""
    commands: Mapping[str, "Node"] = field(default_factory=dict)
    name: str | None = None
    """The canonical name of the subcommand."""
    stands_for: tuple[str, ...] = ()
    """The subcommands that it is another name of: `docker image build` is `docker build`."""
    default_command: str | None = None
    bare_command: str | None = None
    """What runs where no word is an operand: `yarn --immutable` installs."""
    clusters: bool = False
    """`-anm` is `-a -n -m`."""
    abbreviations: bool = False
    """A long option may be cut short, as far as it stays the only one: `--no-verif`."""
    interspersed: bool = True
    """Options may follow operands."""
    terminator: bool = True
    """`--` ends the options."""
    after_terminator: str | None = None
    """The grammar of the words after `--`."""
    slashes: bool = False
    assignments: bool = False
    """`NAME=VALUE` operands are settings."""
    guess: bool = False
    """The tool is not known: a word after an unknown option may be its value."""
    toolchain: bool = False
    """A first operand `+NAME` chooses a toolchain."""
    inputs: bool = False
    """Options are also written without their dashes (`with:` of a step)."""
    negations: bool = True
    """A later `--no-x` takes `--x` back, as `-fno-x` does for `-fx`."""
    exclusive: tuple[frozenset[str], ...] = ()
    """Of each of these sets, the last that is given counts; names, or names with a value (`-z now`)."""
    undo: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Options that take others back beside the usual `-fno-x` (`-g0`)."""
    classes: frozenset[str] = frozenset()
    switch_to: str | None = None
    """The grammar that takes over from here (`zig cc`)."""


_NO = frozenset(("false", "f", "no", "0"))
_TRUTH = _NO | {"true", "t", "yes", "1"}


@dataclass(frozen=True)
class Option:
    """One option as it occurs."""

    names: tuple[str, ...]
    """Every canonical name that it answers to, as manuals write them."""
    value: Word | None
    missing: bool
    """It takes a value and has none."""
    words: tuple[int, ...]
    """Indexes into ``Invocation.argv``; ``()`` when it comes from the environment."""
    carrier: str | None
    """None: the command line; else what carried it: ``RUSTFLAGS``, ``-Xcompiler``."""
    word: Word
    """The word that spells it."""
    accumulates: bool = False
    key: str | None = None
    spec: Spec | None = None
    whole: Word | None = None
    """The value of a keyed option with its key."""

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def turned_off(self) -> bool:
        """Whether its value says that it is not wanted: `-fcf-protection=none`, `--enable-x=no`."""
        if self.value is None or not self.value.known:
            return False
        if self.value.text == "no" and self.name.startswith(("--enable-", "--with-")):
            return True
        if self.spec is None:
            return False
        # measured: npm and docker take `--x=false` of a switch for its absence; who refuses it builds nothing
        no = self.spec.form is Form.SWITCH and not self.spec.keyed and self.value.text.lower() in _NO
        return no or self.value.text in self.spec.off


@dataclass(frozen=True, slots=True)
class Item:
    """A word to be read, and where it stands: an index into argv, or None for the environment."""

    word: Word
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Hider:
    """A word that may be an option, as far as ``prefix`` says."""

    prefix: str
    word: Word
    order: int
    """After how many options it stands."""


@dataclass(frozen=True)
class Parse:
    """A command line, read."""

    options: tuple[Option, ...]
    operands: tuple[Item, ...]
    hiders: tuple[Hider, ...]
    path: tuple[str, ...]
    """The subcommands, by their canonical names."""
    nodes: tuple[Node, ...]
    """The grammars that held, from the tool's own to that of the last subcommand."""
    rest: tuple[Item, ...] = ()
    """The words after the end of the options."""

    @property
    def node(self) -> Node:
        return self.nodes[-1]

    @property
    def meant(self) -> tuple[str, ...]:
        """The subcommands, by the shortest way to them."""
        for deep in range(len(self.path), 0, -1):
            if self.nodes[deep].stands_for:
                return (*self.nodes[deep].stands_for, *self.path[deep:])
        return self.path


def option_like(text: str, node: Node) -> bool:
    return (text.startswith("-") and text != "-") or (node.slashes and text.startswith("/") and len(text) > 1)


def path_like(w: Word) -> bool:
    """Whether a word that begins with a hole is a file name rather than an option."""
    holes = w.holes
    if all(h.shape is not Shape.ANY for h in holes):
        return True
    known = w.text.replace(HOLE_MARK, "")
    return "/" in known or "." in known or "\\" in known


def number_like(w: Word) -> bool:
    return w.text[:1].isdigit() or w.text == HOLE_MARK


class Reader:
    """Reads one command line; a new one for each."""

    def __init__(self, node: Node, items: Sequence[Item], carrier: str | None) -> None:
        self.nodes = [node]
        self.items = items
        self.carrier = carrier
        self.at = 0
        self.options: list[Option] = []
        self.hiders: list[Hider] = []
        self.operands: list[Item] = []
        self.path: list[str] = []
        self.rest: tuple[Item, ...] = ()
        self.stopped = False
        """The rest are operands of something else (`cmake -E …`)."""

    @property
    def node(self) -> Node:
        return self.nodes[-1]

    def read(self) -> Parse:
        while self.at < len(self.items):
            item = self.items[self.at]
            self.at += 1
            text = item.word.text
            if text == "--" and self.node.terminator:
                self.rest = tuple(self.items[self.at :])
                break
            if self.stopped:
                self.operands.append(item)
                continue
            if self._hides(item):
                self.operands.append(item)
                self._end_at_operand()
                continue
            if option_like(text, self.node) and self._option(item):
                continue
            if self._command(item) or self._assignment(item):
                continue
            self.operands.append(item)
            self._end_at_operand()
        if not (self.operands or self.rest or any(o.spec is not None and o.spec.probe for o in self.options)):
            self._default_command(self.node.bare_command)
        operands = self.operands if self.node.after_terminator else [*self.operands, *self.rest]
        return Parse(
            tuple(self.options), tuple(operands), tuple(self.hiders), tuple(self.path), tuple(self.nodes), self.rest
        )

    def _end_at_operand(self) -> None:
        """What follows the first operand may belong to the program that is run; so may what follows a hole."""
        self._default_command(self.node.default_command)
        if not self.node.interspersed:
            self.rest = tuple(self.items[self.at :])
            self.at = len(self.items)

    def _default_command(self, name: str | None) -> None:
        if name is not None and not self.path:
            self.nodes.append(self.node.commands[name])
            self.path.append(name)

    def _hides(self, item: Item) -> bool:
        """Note the word where a hole leaves open what it is; True when it can be nothing else."""
        text = item.word.text
        if HOLE_MARK not in text:
            return False
        if text.startswith(HOLE_MARK):
            if not path_like(item.word):
                self._hider("", item.word)
            return True
        return False

    def _hider(self, prefix: str, w: Word) -> None:
        self.hiders.append(Hider(prefix, w, len(self.options)))

    def _command(self, item: Item) -> bool:
        text = item.word.text
        if self.node.toolchain and text.startswith("+") and not self.path:
            self._add(Option(("+",), word(item.word.cut(1, len(text))), False, places(item), self.carrier, item.word))
            return True
        if any(not i.word.text.startswith(HOLE_MARK) for i in self.operands):
            return False
        found = self.node.commands.get(text)
        if found is None:
            return False
        self.nodes.append(found)
        self.path.append(found.name or text)
        if found.switch_to is not None:
            self.rest = tuple(self.items[self.at :])
            self.at = len(self.items)
        return True

    def _assignment(self, item: Item) -> bool:
        if not self.node.assignments:
            return False
        text = item.word.text
        at = text.find("=")
        name = text[:at].rstrip(":+?!")
        if at <= 0 or not name.replace("_", "a").replace("-", "a").replace(".", "a").isalnum() or HOLE_MARK in name:
            if at < 0 and HOLE_MARK in text:
                self._hider(text.split(HOLE_MARK)[0], item.word)
            return False
        value = word(item.word.cut(at + 1, len(text)))
        self._add(Option((f"{name}=",), value, False, places(item), self.carrier, item.word))
        return True

    # -- options ------------------------------------------------------------------------------------------------------

    def _option(self, item: Item) -> bool:
        text = item.word.text
        exact = self._find(text)
        if exact is not None:
            self._whole(item, exact)
            return True
        found = self._assigned(item) or self._joined(item)
        if not found and self.node.clusters and not text.startswith("--") and len(text) > 2:
            found = self._cluster(item)
        if found:
            return True
        if HOLE_MARK in text:
            at = text.index(HOLE_MARK)
            equals = text.find("=")
            if equals < 0 or at < equals:
                self._hider(text[:at], item.word)
                return True
        if self.node.slashes and text.startswith("/"):
            return False
        return self._unknown(item)

    def _find(self, text: str) -> Spelling | None:
        found = self.node.spellings.get(text)
        if found is None and self.node.slashes and text.startswith("-"):
            found = self.node.spellings.get("/" + text[1:])
        if found is None and self.node.abbreviations and text.startswith("--") and len(text) > 2:
            longer = [s for name, s in self.node.spellings.items() if name.startswith(text)]
            if longer and all(s.spec is longer[0].spec for s in longer):
                found = longer[0]
        return found

    def _whole(self, item: Item, spelling: Spelling) -> None:
        """The word is just the option's name."""
        form = spelling.form
        if spelling.spec.number and self.at < len(self.items) and number_like(self.items[self.at].word):
            value = self.items[self.at]
            self.at += 1
            self._add_spec(item, spelling.spec, value.word, places(item, value), missing=False)
        elif form is Form.SWITCH or spelling.spec.optional:
            self._add_spec(item, spelling.spec, None, places(item), missing=False)
        elif Form.SEPARATE in form and self.at < len(self.items):
            value = self.items[self.at]
            self.at += 1
            self._add_spec(item, spelling.spec, value.word, places(item, value), missing=False)
        else:
            self._add_spec(item, spelling.spec, None, places(item), missing=True)

    def _assigned(self, item: Item) -> bool:
        """`name=value` and `name:value`."""
        text = item.word.text
        for mark, form in (("=", Form.EQUALS), (":", Form.COLON)):
            at = text.find(mark)
            if at <= 0:
                continue
            spelling = self._find(text[:at])
            said = text.startswith("--") and mark == "=" and text[at + 1 :].lower() in _TRUTH
            if spelling is not None and (form in spelling.form or (said and spelling.form is Form.SWITCH)):
                value = word(item.word.cut(at + 1, len(text)))
                self._add_spec(item, spelling.spec, value, places(item), missing=False)
                return True
        return False

    def _joined(self, item: Item) -> bool:
        text = item.word.text
        for size in self.node.joined:
            spelling = self._find(text[:size]) if size < len(text) else None
            if spelling is None or Form.JOINED not in spelling.form:
                continue
            if text.startswith("/") and "/" in text[size:] and not spelling.spec.path:
                continue
            value = word(item.word.cut(size, len(text)))
            self._add_spec(item, spelling.spec, value, places(item), missing=False)
            return True
        return False

    def _cluster(self, item: Item) -> bool:
        text = item.word.text
        letters = []
        for i, letter in enumerate(text[1:], 1):
            spelling = self.node.spellings.get("-" + letter)
            if spelling is None:
                return False
            letters.append((i, spelling))
            if spelling.form is not Form.SWITCH:
                break
        for i, spelling in letters:
            if spelling.form is Form.SWITCH:
                self._add_spec(item, spelling.spec, None, places(item), missing=False)
            elif i + 1 < len(text):
                rest = word(item.word.cut(i + 1, len(text)))
                self._add_spec(item, spelling.spec, rest, places(item), missing=False)
            else:
                self._whole(item, spelling)
        return True

    def _unknown(self, item: Item) -> bool:
        """An option that the catalogue does not list."""
        text = item.word.text
        at = text.find("=")
        if self.node.guess and text.startswith("-D") and len(text) > 2:
            spec = Spec(("-D",), Form.JOINED, keyed=True)
            self._add_spec(item, spec, word(item.word.cut(2, len(text))), places(item), missing=False)
            return True
        if at > 0 and (text.startswith("--") or not self.node.clusters):
            names = self._unknown_names(text[:at])
            self._add(
                Option(names, word(item.word.cut(at + 1, len(text))), False, places(item), self.carrier, item.word)
            )
            return True
        value = None
        taken = places(item)
        if self.node.guess and self.at < len(self.items):
            following = self.items[self.at]
            if not following.word.text.startswith("-"):
                self.at += 1
                value = following.word
                taken = places(item, following)
                if following.word.text.startswith(HOLE_MARK) and not path_like(following.word):
                    self._hider("", following.word)
        self._add(Option(self._unknown_names(text), value, False, taken, self.carrier, item.word))
        return True

    def _unknown_names(self, text: str) -> tuple[str, ...]:
        return (text, text[2:]) if self.node.inputs and text.startswith("--") else (text,)

    def _add_spec(self, item: Item, spec: Spec, value: Word | None, taken: tuple[int, ...], *, missing: bool) -> None:
        names, key, whole = spec.spellings, None, None
        accumulates = spec.winner is Winner.ALL
        if spec.keyed and value is not None:
            text = value.text
            at = text.find("=")
            key = text if at < 0 else text[:at]
            if HOLE_MARK in key:
                head = key.split(HOLE_MARK)[0]
                for spelled in spec.spellings:
                    self._hider(spelled + head, item.word if value is None else value)
            bare = key.split(":")[0] if spec.typed else key
            names = (*names, *(n for s in spec.spellings for n in keyed_names(s, bare)))
            key = bare
            accumulates = bare in self.node.all_keys
            whole = value
            value = None if at < 0 else word(value.cut(at + 1, len(text)))
        self._add(Option(names, value, missing, taken, self.carrier, item.word, accumulates, key, spec, whole))

    def _add(self, option: Option) -> None:
        self.options.append(option)
        if option.spec is not None and option.spec.program:
            self.stopped = True


def keyed_names(spelling: str, key: str) -> tuple[str, ...]:
    """`-C target-cpu` and `-Ctarget-cpu`; a long option has the first only."""
    if spelling.startswith("--"):
        return (f"{spelling} {key}",)
    return (f"{spelling}{key}", f"{spelling} {key}")


def places(*items: Item) -> tuple[int, ...]:
    return tuple(dict.fromkeys(i.at for i in items if i.at is not None))


def parse(node: Node, items: Sequence[Item], carrier: str | None = None) -> Parse:
    """The options and operands of the words."""
    return Reader(node, items, carrier).read()
