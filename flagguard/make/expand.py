"""Expansion: unexpanded text to text, every piece with its way back.

Holds the state of one run: variables, the platform asked, the assumptions made and those that are open. The functions
are in ``functions/``, what a condition means in ``conditions.py``. Manual: "How to Use Variables".
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from flagguard.command import BLANKS
from flagguard.make import choices, functions
from flagguard.make.folder import Folder
from flagguard.make.holes import through, unknown, variable_hole
from flagguard.make.lines import words
from flagguard.make.memory import KEPT, Memory, Recording, Snapshots, memory, same_reads
from flagguard.make.search import SearchResults
from flagguard.make.syntax import Makefile, RuleLine
from flagguard.make.template import Call, Reference, Template, Unclosed, parse
from flagguard.make.variables import Definition, Flavor, Origin, Variables
from flagguard.make.worlds import Assumption, Beyond, World
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Piece, Route, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, field, replace

if TYPE_CHECKING:
    from flagguard.make.emitted import Emitted
    from flagguard.make.moulds import Cast

# Manual: "Automatic Variables".
AUTOMATIC = frozenset("@<^+?|*%") | {one + part for one in "@*<%^+?" for part in "DF"}
_SETTABLE = expression(r"[^\s:#=,]+")
DEPTH = 100
"""How deep references and calls may nest before they count as endless."""

# Variables that every environment has; nobody knows their values here. environ(7), POSIX "Environment Variables".
_SURELY_SET: dict[str, Shape] = {
    "HOME": Shape.PATH, "PATH": Shape.ANY, "PWD": Shape.PATH, "USER": Shape.ANY, "LOGNAME": Shape.ANY,
    "HOSTNAME": Shape.ANY, "TMPDIR": Shape.PATH,
}  # fmt: skip


def _may_be_set(name: str) -> bool:
    """Whether a makefile may well set a variable that make has by itself: nobody sets MAKE."""
    return name.isidentifier() and name.isupper() and not name.startswith("MAKE")


class Stop(Exception):
    """make would stop here: ``$(error …)``, an unclosed reference, text that is no makefile."""

    def __init__(self, message: str, route: Route, fatal: bool) -> None:
        super().__init__(message)
        self.message, self.route, self.fatal = message, route, fatal
        """``fatal``: the makefile is wrong; otherwise it says itself that it does not go on."""


@dataclass(frozen=True, slots=True)
class Told:
    """A problem, where ``route`` ends."""

    route: Route
    message: str
    fatal: bool


@dataclass(slots=True)
class Shared:
    """What the runs of one file share: everything that hangs on text alone."""

    memories: dict[tuple[int, str, Beyond | None], list[Memory]] = field(default_factory=dict)
    """By text and target; or, with 0 for the text, by variable."""
    snapshots: Snapshots = field(default_factory=Snapshots)
    runs: int = 0
    lines: dict[object, tuple[Traced, list[Traced]]] = field(default_factory=dict)
    """Recipe lines, ready to be expanded."""
    split: dict[int, tuple[RuleLine, Traced, Traced | None]] = field(default_factory=dict)
    """Rule lines, cut at their colon."""
    unset: dict[str, Traced] = field(default_factory=dict)
    words: dict[int, tuple[Traced, list[Traced]]] = field(default_factory=dict)
    searches: SearchResults = field(default_factory=dict)
    """What the searches for implicit rules found, by the rules and files that they were among."""

    blanks: dict[str, Traced] = field(default_factory=dict)
    """References that make something of an automatic variable, by what stands for each in a mould."""
    _blank_of: dict[int, str] = field(default_factory=dict)
    emitted: "dict[tuple[object, ...], list[Emitted]]" = field(default_factory=dict)
    first: dict[str, Traced] = field(default_factory=dict)
    """Of the recipe lines that say the same, the one that was expanded first."""
    unfit: dict[int, Traced] = field(default_factory=dict)
    """Recipe lines that no mould can be made of."""
    casts: "dict[int, tuple[Traced, tuple[Cast, ...] | None]]" = field(default_factory=dict)
    """Expanded recipe lines, cut."""
    templates: dict[int, tuple[Traced, Template]] = field(default_factory=dict)
    texts: dict[tuple[Piece, ...], Makefile] = field(default_factory=dict)
    """``$(eval)``'d and included text, read."""

    def template(self, text: Traced) -> Template:
        known = self.templates.get(id(text))
        if known is None or known[0] is not text:
            known = (text, parse(text))
            self.templates[id(text)] = known
        return known[1]

    def blank(self, written: Traced) -> str | None:
        """The character that stands for a reference in a mould; None where there are no more."""
        known = self._blank_of.get(id(written))
        if known is None and len(self.blanks) < len(BLANKS) - len(AUTOMATIC):
            known = self._blank_of[id(written)] = chr(BLANKS[len(AUTOMATIC) + len(self.blanks)])
            self.blanks[known] = written
        return known

    def words_of(self, text: Traced) -> list[Traced]:
        """The words of a text that will come again."""
        known = self.words.get(id(text))
        if known is None or known[0] is not text:
            known = self.words[id(text)] = (text, words(text))
        return known[1]


@dataclass
class Expander:
    """One run's state and its expansion."""

    folder: Folder
    platform: str
    shared: Shared
    variables: Variables = field(default_factory=Variables)
    assumed: dict[str, Assumption] = field(default_factory=dict)
    alternatives: list[World] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    commands: list[Traced] = field(default_factory=list)
    """The commands inside ``$(shell …)``, in the order in which they are met."""
    asked_platform: bool = False
    touched: set[str] = field(default_factory=set)
    """Names whose value somebody outside could give, since it was last emptied."""
    trial: bool = False
    """Only looking: no ``$(eval)``, nothing recorded."""
    unread: str | None = None
    """A makefile that is included and not in the tree: it may set anything."""
    evaluate: Callable[[Traced], None] = lambda _text: None
    """Run text as makefile statements, for ``$(eval)``."""
    beyond: Beyond | None = None
    """In the world that stands for all that there is no room to try."""
    met_capped: bool = False
    """Whether a condition that only that world follows was met since this was last set to False."""
    settled: bool = False
    """All makefiles are read: global variables do not change any more."""
    recording: Recording | None = None
    number: int = 0
    """Of this run."""
    valid: dict[str, Memory] = field(default_factory=dict)
    """Values of global variables that are known to hold in this run."""
    written: set[str] = field(default_factory=set)
    """Files that ``$(file …)`` writes."""
    goes_on: bool = False
    """``$(error …)`` does not stop."""
    moulding: bool = False
    """Automatic variables are blanks now;"""
    looked: bool = False
    """something has looked into one."""
    _expanding: list[str] = field(default_factory=list)
    _depth: int = 0

    def expand(self, text: Traced) -> Traced:
        if "$" not in text.text:
            return text
        return self.fill(self.shared.template(text))

    def fill(self, template: Template) -> Traced:
        """The text of a template."""
        if len(template) == 1 and isinstance(template[0], Traced):
            return template[0]
        pieces: list[Piece] = []
        for part in template:
            if isinstance(part, Traced):
                pieces.extend(part.pieces)
            elif self.moulding and not (self._depth or self.trial) and (blank := self._blank(part)) is not None:
                pieces.append(blank)
            elif isinstance(part, Reference):
                route = part.route
                value = self.reference(part)
                pieces += [
                    Piece(p.text, route + p.route, p.verbatim, p.hole, p.overridable, p.unset) for p in value.pieces
                ]
            elif isinstance(part, Call):
                pieces.extend(through(self.call(part), part.route).pieces)
            elif isinstance(part, Unclosed):
                raise Stop("unterminated variable reference", part.route, fatal=True)
        return Traced(tuple(pieces))

    def _blank(self, part: Reference | Call | Unclosed) -> Piece | None:
        """What stands for a part that makes something of an automatic variable; None for any other part."""
        if isinstance(part, Unclosed) or (isinstance(part, Reference) and part.plain is not None):
            return None
        saved, trial = self.looked, self.trial
        self.looked, self.trial = False, True
        try:
            self.call(part) if isinstance(part, Call) else self.reference(part)
        except Stop:
            pass  # it stops there or it does not: for each target by itself
        finally:
            looks = self.looked
            self.looked, self.trial = saved, trial
        blank = self.shared.blank(part.written) if looks else None
        self.looked = saved or (looks and blank is None)
        self.chain("@")  # what is made with a blank is not remembered for other uses
        return Piece(blank, part.route) if blank is not None else None

    def call(self, call: Call) -> Traced:
        self._depth += 1
        try:
            if self._depth > DEPTH:
                return unknown(call.written, "references nest too deeply")
            return functions.TABLE[call.function](self, call)
        finally:
            self._depth -= 1

    def reference(self, reference: Reference) -> Traced:
        if reference.plain is not None:
            return self.value(reference.plain)
        name = self._within(lambda: self.fill(reference.name))
        text = name.text
        colon = text.find(":")
        equals = text.find("=", colon + 1) if colon > 0 else -1
        if equals >= 0:
            if HOLE_MARK in text[:colon]:
                return unknown(reference.written, "the name of the variable is not known", name)
            value = self._within(lambda: self.value(text[:colon]))
            if not value.text:
                return EMPTY
            pattern, replacement = name.cut(colon + 1, equals), name.cut(equals + 1, len(text))
            return functions.substitution_reference(self, reference.written, pattern, replacement, value)
        if HOLE_MARK in text:
            among = self._named_like(text)
            one = unknown(reference.written, "the name of the variable is not known", decider=Decider.REPOSITORY)
            return Traced(tuple(replace(p, hole=replace(p.hole, among=among)) if p.hole else p for p in one.pieces))
        return self.value(text)

    def _named_like(self, text: str) -> tuple[Traced, ...]:
        """The values of the variables that a name with holes may be; none where there are many, or any may be."""
        begins, *_, ends = text.split(HOLE_MARK)
        if not begins and not ends:
            return ()
        fitting = sorted(n for n in self.variables.globals if n.startswith(begins) and n.endswith(ends))
        return () if len(fitting) > choices.MOST else (EMPTY, *dict.fromkeys(map(self.value, fitting)))

    def _within(self, work: Callable[[], Traced]) -> Traced:
        """What is looked into here is no plain text any more."""
        self._depth += 1
        try:
            return work()
        finally:
            self._depth -= 1

    def value(self, name: str) -> Traced:
        """The expanded value of the variable; empty where there is none."""
        chain = self.chain(name)
        if not chain:
            return self.undefined(name)
        if len(chain) == 1:
            one = chain[0]
            remember = self.settled and one.recursive and not self.trial and "$" in one.value.text
            if remember and self.variables.globals.get(name) is one:
                return self._global_value(name, one)
            return self.definition_value(name, one)
        parts = [v for v in (self.definition_value(name, d) for d in chain) if v.text]
        pieces: list[Piece] = []
        for part in parts:
            if pieces:
                pieces.append(Piece(" "))
            pieces.extend(part.pieces)
        return Traced(tuple(pieces))

    def chain(self, name: str) -> list[Definition]:
        """The variable's definitions, outermost first."""
        chain = self.variables.chain(name)
        if self.moulding and self._depth and name in AUTOMATIC:
            self.looked = True
        if self.recording is not None and not self.trial:
            self.recording.reads.setdefault(name, chain)
        return chain

    def find(self, name: str) -> Definition | None:
        """The variable's innermost definition."""
        self.chain(name)
        return self.variables.find(name)

    def assumption(self, key: str) -> Assumption | None:
        """What this world assumes of ``key``."""
        found = self.assumed.get(key)
        if self.recording is not None:
            self.recording.assumed.setdefault(key, found)
        return found

    def settle(self) -> None:
        """All makefiles are read."""
        self.settled = True
        self.shared.snapshots.taken[self.number] = dict(self.variables.globals)

    def remembered(self, text: Traced, target: str = "") -> Traced:
        """:meth:`expand`, or what it came to in another world where everything that it reads is the same."""
        if "$" not in text.text or self.trial:
            return self.expand(text)
        template = self.shared.template(text)  # kept there, so that no other text can get its id
        key = (id(text), target)
        old = self._memory(key)
        if old is not None:
            self.replay(old)
            return old.value
        value, kept = self.recorded(lambda: self.fill(template))
        self._keep(key, kept)
        return value

    def _memory(self, key: tuple[int, str]) -> Memory | None:
        """What holds now of what is kept."""
        for beyond in (self.beyond, None) if self.beyond is not None else (None,):
            for old in self.shared.memories.get((*key, beyond), ()):
                if self.still(old):
                    return old
        return None

    def _keep(self, key: tuple[int, str], kept: Memory | None) -> None:
        if kept is not None:
            memories = self.shared.memories.setdefault((*key, self.beyond), [])
            if len(memories) < KEPT:
                memories.append(kept)

    def recorded(self, work: Callable[[], Traced], own: frozenset[str] = frozenset()) -> tuple[Traced, Memory | None]:
        """What the work comes to, and a memory of it; None where it must happen each time.

        ``own``: variables that the work sets itself.
        """
        outer, touched = self.recording, self.touched
        recording = self.recording = Recording()
        self.touched = set()
        met, self.met_capped = self.met_capped, False
        try:
            value = work()
        finally:
            recording.met_capped = self.met_capped
            self.met_capped = met or self.met_capped
            recording.touched |= self.touched
            self.recording = outer
            self.touched = touched | recording.touched
            if outer is not None:
                outer.add(recording)
        if recording.spoiled or self.looked:
            return value, None
        for name in own:
            recording.reads.pop(name, None)
        return value, memory(recording, value, self)

    def still(self, old: Memory) -> bool:
        """Whether everything that was read then is the same now."""
        if old.unread != self.unread or (old.asked_platform and old.platform != self.platform):
            return False
        if old.beyond is not None:
            if old.beyond != self.beyond:
                return False
        elif self.beyond is not None and any(map(self.beyond.met, old.alternatives)):
            return False
        if not same_reads(old, self.number, self.settled, self.variables, self.shared.snapshots):
            return False
        return all(self.assumed.get(key) == assumption for key, assumption in old.assumed.items())

    def replay(self, old: Memory) -> None:
        """What happened then, besides its value."""
        if self.moulding and self._depth and not AUTOMATIC.isdisjoint(old.framed):
            self.looked = True
        self.touched |= old.touched
        self.met_capped = self.met_capped or old.met_capped
        self.alternatives.extend(old.alternatives)
        self.commands.extend(old.commands)
        self.asked_platform = self.asked_platform or old.asked_platform
        if self.recording is not None:
            self.recording.add(old)

    def _global_value(self, name: str, definition: Definition) -> Traced:
        """The value of a global recursive variable, after reading."""
        known = self.valid.get(name)
        if known is None:
            known = self._memory((0, name))
            if known is None:
                value, kept = self.recorded(lambda: self.definition_value(name, self.chain(name)[0]))
                if kept is not None and not kept.framed:
                    self.valid[name] = kept
                    self._keep((0, name), kept)
                return value
            self.valid[name] = known
        if all(known.names.isdisjoint(frame) for frame in self.variables.frames):
            self.replay(known)
            return known.value
        return self.definition_value(name, definition)

    def definition_value(self, name: str, definition: Definition) -> Traced:
        if definition.conditional:
            self.touched.add(name)
        if self.unread is not None and definition.origin is Origin.DEFAULT and _may_be_set(name):
            return hole(self._maybe_set(name))
        if definition.flavor is Flavor.SIMPLE or not ("$" in definition.value.text or definition.chosen):
            return definition.value
        if name in self._expanding or len(self._expanding) > DEPTH:
            if name in self._expanding:
                self.tell(definition.value.route, f"the variable {name} refers to itself")
            return unknown(literal(f"$({name})"), "the variable refers to itself", decider=Decider.REPOSITORY)
        self._expanding.append(name)
        try:
            value = self.fill(self.shared.template(definition.value))
            value = choices.expanded(value, definition.value, self.remembered) if definition.chosen else value
        finally:
            self._expanding.pop()
        return value.overridable() if definition.conditional else value

    def undefined(self, name: str) -> Traced:
        if name == "OS":
            self.ask_platform()
            return literal("Windows_NT") if self.platform.startswith("windows") else EMPTY
        if name == ".VARIABLES":
            known = literal(" ".join(self.variables.globals))
            return join((known, literal(" "), hole(Hole("$(.VARIABLES)", "the names in the environment"))))
        if name in _SURELY_SET:
            return hole(Hole(f"$({name})", "the environment sets it", shape=_SURELY_SET[name], name=name))
        if self.may_be_set(name):
            return hole(self._maybe_set(name))
        self.touched.add(name)
        return self._unset(name) if self.settled else EMPTY

    def may_be_set(self, name: str) -> bool:
        """Whether a makefile that is not read sets this variable, which nothing else sets, or does not."""
        return self.unread is not None and name not in _SURELY_SET and _SETTABLE.fullmatch(name) is not None

    def _unset(self, name: str) -> Traced:
        """Nothing, and that it is the value of a variable that nobody sets."""
        known = self.shared.unset.get(name)
        if known is None:
            known = self.shared.unset[name] = Traced((Piece("", unset=name),))
        return known

    def _maybe_set(self, name: str) -> Hole:
        reason = f"{self.unread} is included, is not in the repository and may set it"
        return Hole(f"$({name})", reason, Decider.OUTSIDE, name=name)

    def tell(self, route: Route, message: str, fatal: bool = True) -> None:
        """Record a problem where ``route`` ends."""
        if not self.trial:
            self.told.append(Told(route, message, fatal))
            self.spoil()

    def spoil(self) -> None:
        """What is being expanded has an effect and may not be remembered."""
        if self.recording is not None:
            self.recording.spoiled = True

    def ask_platform(self) -> None:
        self.asked_platform = True
        if self.recording is not None:
            self.recording.asked_platform = True

    def note_command(self, command: Traced) -> None:
        """A command inside ``$(shell …)``."""
        if not self.trial and command.text.strip():
            self.commands.append(command)
            if self.recording is not None:
                self.recording.commands.append(command)

    def assume_open(self, *alternative: Assumption) -> None:
        """A condition is open: under ``alternative`` it comes out the other way."""
        if self.beyond is not None and self.beyond.met(alternative):
            self.met_capped = True
        if not self.trial:
            self.alternatives.append(alternative)
            if self.recording is not None:
                self.recording.alternatives.append(alternative)

    @contextmanager
    def supposing(self, name: str) -> Iterator[None]:
        """Look at what would come out if somebody outside set ``name``."""
        saved, trial = self.variables.globals.get(name), self.trial
        self.variables.globals[name] = Definition(hole(variable_hole(name)), Flavor.SIMPLE, Origin.ENVIRONMENT)
        self.trial = True
        try:
            yield
        finally:
            self.trial = trial
            if saved is None:
                del self.variables.globals[name]
            else:
                self.variables.globals[name] = saved
