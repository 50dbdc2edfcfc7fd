"""One run of CMake's language on one platform: conditions, loops, functions, included files.

Where nobody in the repository decides a condition, each way is run once from the same state, and what differs
afterwards is a choice; so a run is linear in the text. What only whoever configures can bring about (`-DX=ON`) is run
too, as opt-in, and leaves nothing behind. Follows cmake-language(7) and cmake-commands(7), "Scripting Commands". What
the commands do is in `cmake_commands`, `cmake_flags` and `cmake_programs`.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from importlib import import_module

from flagguard.command import Call, Place, Script, Word
from flagguard.hosts import Files
from flagguard.hosts.cmake_conditions import Term, Truth, holds, translated
from flagguard.hosts.cmake_lexer import Argument, Block, BrokenFile, Invocation, Kind, Node, nodes
from flagguard.hosts.cmake_platform import Platform
from flagguard.hosts.cmake_references import expanded, words
from flagguard.hosts.cmake_state import UNSET, Definition, State
from flagguard.paths import resolved
from flagguard.reaching import Part
from flagguard.text import EMPTY, Decider, Hole, Piece, Problem, Shape, SourceText, Span, Traced, hole, literal
from flagguard.values import dataclass, field

NAME = "cmake"
MAX_STEPS = 30_000
"""Commands that one run may come to."""
MAX_DEPTH = 40
"""Functions and files in each other."""


ASKED = "what an option brings"
"""The part of a file that runs only if whoever configures asks for it; no call of the tree does."""


class Flow(Enum):
    NEXT = "next"
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"
    STOP = "stop"
    """CMake ends with an error: nothing is built."""


class Way(Enum):
    """Whether the other outcome of a condition can come about."""

    FIXED = "fixed"
    OPEN = "open"
    OPT_IN = "opt-in"
    """Whoever configures must ask for it."""


@dataclass(frozen=True)
class Function:
    """A function or a macro of the tree."""

    block: Block
    source: SourceText
    parameters: tuple[str, ...]


@dataclass
class Notes:
    """What a run came to."""

    calls: list[Call] = field(default_factory=list)
    scripts: list[Script] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    asked_platform: bool = False


Command = Callable[["Run", Invocation], "Flow | None"]
_PARTS = ("cmake_commands", "cmake_lists", "cmake_flags", "cmake_programs", "cmake_vcpkg")


def _table() -> Mapping[str, Command]:
    table: dict[str, Command] = {}
    for part in _PARTS:
        table |= import_module(f"flagguard.hosts.{part}").COMMANDS
    return table


class Run:
    """Everything that one run knows."""

    def __init__(self, files: Files, platform: str, assume: Mapping[str, str], *, whole: bool) -> None:
        self.files = files
        self.platform = Platform(platform)
        self.assume = assume
        self.whole = whole
        """A project is configured from its top: a variable that nobody has set is unset."""
        self.closed = False
        """The command line is known: an option that it does not set has its default."""
        self.state = State()
        self.notes = Notes()
        self.functions: dict[str, Function] = {}
        self.called: set[str] = set()
        self.targets: dict[str, Traced | None] = {}
        """Programs that are built, by the names of their targets."""
        self.source = SourceText("", "")
        self.folder: str | None = ""
        """CMAKE_CURRENT_SOURCE_DIR"""
        self.when: tuple[str, ...] = ()
        self.opt_in = False
        self.part = ""
        self.visited: dict[str, None] = {}
        self.steps = 0
        self.depth = 0
        self.policy: tuple[int, ...] = (99,)
        """The version whose policies hold."""
        self.reading: list[str] = []
        self._loosened = False
        self._touched: set[Way] = set()
        self.assumed: dict[str, bool] = {}
        self._commands = _table()

    # -- variables

    def refer(self, kind: str, name: Traced, written: str, span: Span) -> Traced:
        """What a reference comes to."""
        if not name.known:
            reason = "which variable it names is not known"
            return hole(Hole(written, reason, Decider.REPOSITORY), (span,))
        value, outside = self.lookup(f"{kind}{{{name.text}}}" if kind else name.text)
        if value is None:
            if self.whole and not self._may_be_set(name.text):
                self._touched.add(Way.OPEN if kind == "ENV" else Way.OPT_IN)
                if self._loosened:
                    return hole(Hole(written, "whoever configures may set it", name=name.text), (span,))
                return Traced((Piece("", (span,), unset=name.text),))
            return hole(Hole(written, "nothing in the files that are read sets it", name=name.text), (span,))
        value = value.through((span,))
        return value.overridable() if outside else value

    def lookup(self, name: str) -> tuple[Traced | None, bool]:
        """The value of a variable, of `ENV{X}` or of `CACHE{X}`; and whether whoever configures may change it."""
        if name.startswith(("ENV{", "CACHE{")) and name.endswith("}"):
            kind, _, inner = name[:-1].partition("{")
            found = (self.state.environment if kind == "ENV" else self.state.cache).get(inner)
        else:
            found = self.state.get(name)
        if found is not None and found.text is not None:
            return self._default(name, found.text, found.outside)
        if "{" in name:
            return None, False
        if name in self.assume:
            return literal(self.assume[name]), False
        if self.platform.asked(name):
            self.notes.asked_platform = True
        value, outside = self.platform.value(name)
        return (None, False) if value is None else self._default(name, value, outside)

    def _default(self, name: str, value: Traced, outside: bool) -> tuple[Traced, bool]:
        if outside:
            self._touched.add(Way.OPT_IN)
            if self._loosened:
                return hole(Hole(f"${{{name}}}", "whoever configures may set it", name=name)), True
        return value, outside

    def unset(self, name: str) -> Traced:
        """What a variable is that no file sets."""
        value = self.platform.value(name)[0]
        if value is None and (not self.whole or self._may_be_set(name)):
            return hole(Hole(f"${{{name}}}", "nothing in the files that are read sets it", name=name))
        return value if value is not None else Traced()

    def _may_be_set(self, name: str) -> bool:
        """Whether something that is not read may have set a variable that nothing else sets."""
        upper = name.upper()
        return self.state.loose or any(upper.startswith(prefix) for prefix in self.state.perhaps)

    def gap(self, name: str, invocation: Invocation, reason: str, shape: Shape = Shape.ANY) -> None:
        """The variable has a value that is not known."""
        span = Span(self.source.path, invocation.start, invocation.end)
        unknown = Hole(f"${{{name}}}", reason, Decider.REPOSITORY, shape, name=name)
        self.state.set(name, Definition(hole(unknown, (span,))))

    # -- arguments

    def words(self, arguments: Sequence[Argument]) -> list[Word]:
        return words(arguments, self.source, self)

    def text(self, argument: Argument) -> Traced:
        return expanded(argument, self.source, self)

    # -- conditions

    def variable(self, name: str, counts: bool = True) -> Traced | None:
        value, _ = self.lookup(name)
        if value is not None or not counts:
            return value
        if self.platform.asked(name):
            return None
        if not self.whole or self._may_be_set(name):
            return hole(Hole(f"${{{name}}}", "nothing in the files that are read sets it", name=name))
        self._touched.add(Way.OPEN if name.startswith("ENV{") else Way.OPT_IN)
        return hole(Hole(f"${{{name}}}", "whoever configures may set it", name=name)) if self._loosened else None

    def defined(self, name: str) -> Truth:
        held = self.state.get(name) if "{" not in name else None
        if held is not None or name in self.assume:
            return True
        value = self.variable(name)
        return value is not None if value is None or value.known else None

    def exists(self, path: Traced, folder: bool) -> Truth:
        found = resolved(path, self.folder)
        if found is None:
            return None
        if self.files.read(found) is not None:
            return not folder
        return None

    def matched(self, text: Traced, pattern: str) -> None:
        compiled = translated(pattern)
        found = compiled.search(text.text) if compiled is not None else None
        for number in range(min(found.re.groups, 9) + 1) if found is not None else ():
            assert found is not None
            part = text.cut(*found.span(number)) if found.start(number) >= 0 else EMPTY
            self.state.set(f"CMAKE_MATCH_{number}", Definition(part))

    def has(self, kind: str, name: str) -> Truth:
        if kind == "COMMAND":
            return True if name.lower() in self.functions or name.lower() in self._commands else None
        if kind == "TARGET":
            return True if name in self.targets else None
        return True if kind == "POLICY" else None

    def decide(self, invocation: Invocation) -> tuple[Truth, Way]:
        """Whether the condition holds, and whether the other way can come about."""
        found, way = self._decided(invocation)
        written = self.written(invocation)
        if way is not Way.FIXED and written in self.assumed:
            return self.assumed[written], Way.FIXED
        return found, Way.FIXED if self.closed and way is Way.OPT_IN else way

    def _decided(self, invocation: Invocation) -> tuple[Truth, Way]:
        self._touched = set()
        found = self._holds(invocation)
        if found is None:
            return None, Way.OPEN
        ways = self._touched
        if not ways:
            return found, Way.FIXED
        self._loosened = True
        try:
            other = self._holds(invocation)
        finally:
            self._loosened = False
        if other is found:
            return found, Way.FIXED
        return found, Way.OPEN if Way.OPEN in ways else Way.OPT_IN

    def _holds(self, invocation: Invocation) -> Truth:
        terms = []
        for argument in invocation.arguments:
            if argument.kind is Kind.UNQUOTED:
                terms += [Term(Traced(word.one().pieces)) for word in self.words((argument,))]
            else:
                terms.append(Term(self.text(argument), True))
        try:
            return holds(terms, self)
        except (ValueError, RecursionError):
            return None

    def written(self, invocation: Invocation) -> str:
        first, last = invocation.arguments[:1], invocation.arguments[-1:]
        text = self.source.text[first[0].first : last[0].last] if first else ""
        return " ".join(text.split())

    # -- running

    def file(self, source: SourceText) -> Flow:
        """All commands of the file, in the scope that there is."""
        found = nodes(source)
        if isinstance(found, BrokenFile):
            line = source.position(found.at)[0]
            self.notes.problems.append(Problem(source.path, line, f"not CMake's language: {found.message}"))
            return Flow.NEXT
        if source.path in self.reading or len(self.reading) > MAX_DEPTH:
            return Flow.NEXT
        before = self.source, self.when
        self.source = source
        self.reading.append(source.path)
        self.visited[source.path] = None
        folder = source.path.rpartition("/")[0]
        listed = {name: self.state.normal(name) for name in ("CMAKE_CURRENT_LIST_DIR", "CMAKE_CURRENT_LIST_FILE")}
        self.state.set("CMAKE_CURRENT_LIST_DIR", Definition(folder_named("CMAKE_CURRENT_LIST_DIR", folder)))
        self.state.set("CMAKE_CURRENT_LIST_FILE", Definition(folder_named("CMAKE_CURRENT_LIST_FILE", source.path)))
        try:
            flow = self.body(found)
        finally:
            self.source, self.when = before
            self.reading.pop()
            for name, old in listed.items():
                self.state.set(name, old or UNSET)
        return flow if flow is Flow.STOP else Flow.NEXT

    def directory(self, source: SourceText) -> Flow:
        """A `CMakeLists.txt` in a scope of its own: `add_subdirectory`."""
        folder, self.folder = self.folder, source.path.rpartition("/")[0]
        self.state.scopes.append({})
        self.state.set("CMAKE_CURRENT_SOURCE_DIR", Definition(folder_named("CMAKE_CURRENT_SOURCE_DIR", self.folder)))
        policy = self.policy
        try:
            return self.file(source)
        finally:
            self.state.scopes.pop()
            self.folder, self.policy = folder, policy

    def body(self, body: Sequence[Node]) -> Flow:
        for node in body:
            flow = self._node(node)
            if flow is not Flow.NEXT:
                return flow
        return Flow.NEXT

    def _node(self, node: Node) -> Flow:
        self.steps += 1
        if self.steps > MAX_STEPS:
            if self.steps == MAX_STEPS + 1:
                line = self.source.position((node if isinstance(node, Invocation) else node.head).start)[0]
                told = f"more than {MAX_STEPS} commands come of it; from here on nothing is judged"
                self.notes.problems.append(Problem(self.source.path, line, told))
            return Flow.STOP
        if isinstance(node, Invocation):
            return self._command(node)
        match node.kind:
            case "if":
                from flagguard.hosts.cmake_branches import branch

                return branch(self, node)
            case "function" | "macro":
                return self._define(node)
            case "foreach" | "while":
                from flagguard.hosts.cmake_loops import loop

                return loop(self, node)
            case _:
                self.state.scopes.append({})
                try:
                    return self.body(node.body)
                finally:
                    self.state.scopes.pop()

    def command(self, name: str, invocation: Invocation) -> Flow | None:
        """One of CMake's own commands."""
        found = self._commands.get(name)
        return found(self, invocation) if found is not None else None

    def _command(self, invocation: Invocation) -> Flow:
        function = self.functions.get(invocation.name)
        if function is not None:
            return self.call(function, invocation, self.words(invocation.arguments))
        command = self._commands.get(invocation.name)
        if command is not None:
            return command(self, invocation) or Flow.NEXT
        # A command of a module that is not read: the variables that it is given by name may be set by it.
        for argument in invocation.arguments:
            if argument.kind is Kind.UNQUOTED and argument.text.isidentifier():
                held = self.state.get(argument.text)
                if held is not None or not argument.text.isupper():
                    self.gap(argument.text, invocation, f"{invocation.name}() is not read and may set it")
        return Flow.NEXT

    # -- functions

    def _define(self, block: Block) -> Flow:
        found = self.words(block.head.arguments)
        if found and found[0].known:
            parameters = tuple(word.text for word in found[1:])
            self.functions[found[0].text.lower()] = Function(block, self.source, parameters)
        return Flow.NEXT

    def call(self, function: Function, invocation: Invocation, given: Sequence[Word]) -> Flow:
        """The body with these arguments."""
        from flagguard.hosts.cmake_loops import bound

        self.called.add(invocation.name)
        if self.depth >= MAX_DEPTH:
            return Flow.NEXT
        names = bound(function.parameters, given)
        macro = function.block.kind == "macro"
        source, when = self.source, self.when
        kept = {name: self.state.scopes[-1].get(name) for name in names} if macro else {}
        if macro:
            self.state.scopes[-1].update(names)
        else:
            self.state.scopes.append(names)
        self.source = function.source
        self.depth += 1
        try:
            flow = self.body(function.block.body)
        finally:
            self.depth -= 1
            self.source = source
            self.when = when
            if not macro:
                self.state.scopes.pop()
            for name, old in kept.items():
                if old is None:
                    self.state.scopes[-1].pop(name, None)
                else:
                    self.state.scopes[-1][name] = old
        if macro:
            return flow
        return flow if flow is Flow.STOP else Flow.NEXT

    def uncalled(self, of: SourceText) -> None:
        """Functions of the file that nobody calls here, so that what they hold is not lost."""
        for name, function in list(self.functions.items()):
            if name in self.called or function.source.path != of.path:
                continue
            gaps = {
                parameter: Definition(hole(Hole(f"${{{parameter}}}", "an argument of the function", name=parameter)))
                for parameter in (*function.parameters, "ARGN", "ARGV")
            }
            whole, self.whole = self.whole, False
            source, self.source = self.source, function.source
            self.state.scopes.append(gaps)
            self.part = of_function(name)
            try:
                self.body(function.block.body)
            finally:
                self.state.scopes.pop()
                self.whole, self.source, self.part = whole, source, ""

    # -- what comes of it

    @property
    def unit(self) -> str:
        """The part of its file that runs."""
        return ASKED if self.opt_in and not self.part else self.part

    @property
    def parts(self) -> "tuple[Part, ...]":
        """The parts of files that this run has come through."""
        functions = [
            (self.functions[name].source.path, of_function(name)) for name in self.called if name in self.functions
        ]
        return (*((path, "") for path in self.visited), *sorted(functions))

    def place(self, target: str | None = None) -> Place:
        return Place(NAME, target=target)

    def emit(self, name: str, found: Sequence[Word], invocation: Invocation, target: str | None = None) -> None:
        """A command of CMake's own that carries flags."""
        span = Span(self.source.path, invocation.start, invocation.start + len(invocation.name))
        program = Word((Piece(f"cmake:{name}", (span,)),), span)
        when = tuple(dict.fromkeys(self.when))
        call = Call((program, *found), self.place(target), span, when=when, opt_in=self.opt_in, unit=self.unit)
        self.notes.calls.append(call)

    def assuming(self, more: Sequence[str], emit: Callable[[], None]) -> None:
        """Emit under further assumptions."""
        before, self.when = self.when, (*self.when, *more)
        try:
            emit()
        finally:
            self.when = before


def of_function(name: str) -> str:
    """The part of a file that a function is."""
    return f"{name}()"


def folder_named(name: str, path: str) -> Traced:
    """A variable that holds a path of the tree."""
    return hole(Hole(f"${{{name}}}", "where the tree is", Decider.OUTSIDE, Shape.PATH, name, path))


def in_tree(run: Run, name: Traced) -> SourceText | None:
    """The file that a text names, seen from the folder that is configured."""
    path = resolved(name, run.folder)
    return run.files.read(path) if path is not None else None
