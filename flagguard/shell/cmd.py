"""Batch files and command lines of cmd.exe evaluated to the commands that they run.

Follows Microsoft's pages for `cmd`, `call`, `goto`, `if`, `for`, `set`, `setlocal`, `exit`. Each course of events: a
jump forward is joined at its label, a subroutine runs where it is called, what is reached by neither does not run.
"""

import re

from flagguard.command import Command, Script
from flagguard.hosts import Setting
from flagguard.shell.cmd_builtins import BUILTINS, Builtins, State
from flagguard.shell.cmd_reader import For, Group, If, Node, Reader, Sequence, Simple
from flagguard.shell.cmd_tokens import tokens
from flagguard.shell.cmd_words import Mode, Variables, expand, late, with_vanished, words
from flagguard.shell.courses import Course, follow_all, same
from flagguard.shell.foreign import MOVES, Noting, Site, problem, program_name
from flagguard.shell.syntax import ShellSyntaxError
from flagguard.text import EMPTY, Decider, Hole, Problem, Route, Shape, Span, Traced, hole, literal
from flagguard.values import dataclass, field, replace

_SILENT = frozenset(
    "echo rem title cls pause color prompt break verify ver vol date time assoc ftype path dir type".split()
)
_BATCH = frozenset("npm npx yarn pnpm mvn gradle gradlew".split())
"""Programs that are batch files on Windows: without `call` they do not come back."""
_NAME = re.compile(r'[\s@,;=]*("[^"]*"|[^\s,;="(/<>|&]+)')
_LABEL = re.compile(r"[ \t]*:([^\s:+,;=&|<>()^]+)")
_CMD_LINE = re.compile(r'(?is)\s*@?"?[^\s"]*cmd(?:\.exe)?"?((?:\s+/[a-z](?::\w+)?)*?)\s*/[ckr]\s*(.*)')
_MAX_STEPS = 20_000
_MOST_TEXTS = 8
"""Of how many texts a variable may be one."""
_MAX_TURNS = 64


class _TooMuch(Exception):
    """The script costs more than the bound."""


@dataclass
class _Course:
    """A run through the lines: where it is, and the jumps that wait for their label."""

    at: int
    waiting: dict[str, list[State]] = field(default_factory=dict)
    anywhere: list[State] = field(default_factory=list)


def evaluate_cmd(
    script: Script, setting: Setting, platforms: list[str], depth: int = 0
) -> tuple[list[Command], list[Problem]]:
    """The commands of a batch file, or of a text for `cmd /c` (``depth`` above 0). Nothing is run."""
    out: list[Command] = []
    problems: list[Problem] = []
    for platform in platforms:
        notings: list[Noting] = []

        def run(course: Course, platform: str = platform, notings: list[Noting] = notings) -> list[Command]:
            evaluation = _Evaluation(script, setting, platform, depth, course)
            notings.append(evaluation.noting)
            return evaluation.run()

        found = follow_all(run, len(script.text.text))
        problems += [p for p in dict.fromkeys(p for n in notings for p in n.problems) if p not in problems]
        if not any(n.asked_platform for n in notings):
            return [replace(c, platforms=tuple(sorted(platforms))) for c in found], problems
        out += found
    return out, problems


class _Evaluation(Builtins):
    def __init__(self, script: Script, setting: Setting, platform: str, depth: int, course: Course) -> None:
        self.script = script
        self.course = course
        self.setting = setting
        self.mode = Mode.BATCH if depth == 0 else Mode.LINE
        self.noting = Noting(script, setting, platform, depth)
        self.lines = _lines(script.text)
        self.labels: dict[str, int] = {}
        for i, line in enumerate(self.lines):
            found = _LABEL.match(line.text)
            if found is not None:
                self.labels.setdefault(found.group(1).lower(), i)
        self.steps = 0
        self.depth = 0
        self.jumps: list[tuple[str, State]] = []
        self.via: tuple[Span, ...] = ()

    def run(self) -> list[Command]:
        variables = Variables(
            outside=frozenset(self.script.outside), script=self._file(), announced=self.noting.announced
        )
        for name, text in self.setting.assume.items():
            variables.put(name, literal(text))
        for variable in self.script.env:
            variables.put(variable.name, variable.value)
        if self.script.knows_arguments and self.mode is Mode.BATCH:
            variables.arguments = tuple(Traced(w.pieces) for w in self.script.arguments)
        try:
            self.follow(0, State(variables))
        except _TooMuch:
            told = "the script has too many courses to follow; the rest of it is not judged"
            self.noting.problem(self.script.text, told)
        except RecursionError:
            self.noting.problem(self.script.text, "the script is nested too deeply to follow; it is not judged")
        return self.noting.finish()

    def _file(self) -> str | None:
        """The batch file that this is."""
        route = self.script.text.route
        return route[0].path if self.script.place.host == "windows" and route else None

    # -- lines

    def follow(self, start: int, state: State) -> None:
        """Run the lines from ``start`` to the end, or to where the course leaves."""
        course = _Course(start)
        while course.at < len(self.lines):
            line = self.lines[course.at]
            course.at += 1
            label = _LABEL.match(line.text)
            if label is not None:
                self._arrive(label.group(1).lower(), state, course)
                continue
            if state.left and not course.waiting and not course.anywhere:
                return
            if state.left or not line.text.strip():
                continue
            node = self._read(line, state, course)
            if node is None:
                continue
            self.node(node, state)
            self._leave(state, course)

    def _read(self, line: Traced, state: State, course: _Course) -> Node | None:
        def more() -> Traced | None:
            if course.at >= len(self.lines):
                return None
            course.at += 1
            return expand(self.lines[course.at - 1], state.variables, self.mode)

        reader = Reader(expand(line, state.variables, self.mode), more)
        try:
            node = reader.command()
            if reader.text[reader.at :].strip():
                raise reader.fail(f"unexpected {reader.text[reader.at :].strip()[0]!r}")
            return node
        except ShellSyntaxError as error:
            message = error.message
        except RecursionError:
            message = "it is nested too deeply"
        told = f"cmd cannot read this: {message}; what follows in the script is not judged"
        found = problem(self.setting, line, told)
        if found is not None and found not in self.noting.problems:
            self.noting.problems.append(found)
        state.left = "exit"
        course.at = len(self.lines)
        return None

    def _arrive(self, label: str, state: State, course: _Course) -> None:
        """A label: jumps to it join the course."""
        came = [*course.waiting.pop(label, []), *(s.copy() for s in course.anywhere)]
        if not came:
            return
        for other in came:
            other.left = ""
        if not state.left:
            came.append(state.copy())
        self._joined(state, came)
        state.left = ""

    def _leave(self, state: State, course: _Course) -> None:
        """Jumps that were met go to wait for their labels."""
        for target, jumped in self.jumps:
            if target == "?":
                course.anywhere.append(jumped)
            elif self.labels.get(target, -1) >= course.at:
                course.waiting.setdefault(target, []).append(jumped)
        self.jumps = []

    def _joined(self, state: State, ends: list[State], fork: bool = True) -> None:
        """The state after several courses: where they do not agree, one of them, or what differs is not known."""
        first = ends[0]
        merged = first.variables.copy()
        when = tuple(w for w in first.when if all(w in e.when for e in ends))
        differ: dict[str, str] = {}
        for key in {k for e in ends for k in e.variables.values}:
            found = [e.variables.values.get(key) for e in ends]
            if not all(same(f and f[1], found[0] and found[0][1]) for f in found[1:]):
                differ[key] = next(f[0] for f in found if f is not None)
        choice = self.course.choose(len(ends)) if differ and fork else None
        if choice is not None:
            end = ends[choice]
            extra = tuple(w for w in end.when if w not in when)
            self.course.assumed |= set(extra)
            state.variables, state.locals, state.when = end.variables, end.locals, when
            state.world, state.answers = (*end.world, *(w for w in extra if w not in end.world)), end.answers
            return
        for key, name in differ.items():
            there = [e.variables.values.get(key) for e in ends]
            among = tuple(dict.fromkeys(EMPTY if value is None else value[1] for value in there))
            known = len(among) <= _MOST_TEXTS and not any(gap.among for text in among for gap in text.holes)
            why = "it is set differently in several branches"
            one = Hole(f"%{name}%", why, Decider.REPOSITORY, name=name, among=among if known else (), several=known)
            merged.values[key] = (name, hole(one))
        state.variables, state.locals, state.when = merged, first.locals, when
        state.answers = {k: v for k, v in first.answers.items() if all(e.answers.get(k) is v for e in ends)}

    # -- commands

    def node(self, node: Node, state: State, op: str = "") -> None:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise _TooMuch
        match node:
            case Simple():
                self.simple(node, state, op)
            case Sequence():
                self.sequence(node, state)
            case Group(body):
                for each in body:
                    if state.left:
                        return
                    self.node(each, state)
            case If():
                self.branch(node, state)
            case For():
                self.loop(node, state)

    def sequence(self, node: Sequence, state: State) -> None:
        since = len(self.noting.commands)
        shown = ""
        here = state
        for op, item in node.items:
            if state.left:
                return
            if op == "||":
                here = state.copy()
                here.when = (*state.when, f"`{shown}` fails")
                if _leaves(item):
                    self.noting.looked()
                else:
                    self.noting.lose(since)
                since = len(self.noting.commands)
            elif op == "|":
                self.noting.lose(since)
                since = len(self.noting.commands)
            elif op == "&":
                here = state
                since = len(self.noting.commands)
            shown = item.whole.shown.strip() if isinstance(item, Simple) else "the command before"
            self.node(item, here, op)
            if here is not state:
                here.left, state.variables = "", here.variables if not here.left else state.variables

    def branch(self, node: If, state: State) -> None:
        status = node.test == "errorlevel" or "errorlevel" in f"{node.left.shown}{node.right.shown}".lower()
        if status:
            self.noting.looked()
        truth = self.truth(node, state.variables)
        truth = truth if truth is None or not node.negated else not truth
        key = node.shown.lower()
        if truth is None:
            truth = state.answers.get(key)
        before = self.noting.pending()
        after: set[int] = set()
        ends: list[State] = []
        for taken, body in ((True, node.then), (False, node.orelse)):
            if truth is not None and truth is not taken:
                continue
            arm = state.copy()
            if truth is None:
                arm.when = (*arm.when, f"`{node.shown}`" if taken else f"not `{node.shown}`")
                arm.answers[key] = taken
            self.noting.resume(before)
            if body is not None:
                self.node(body, arm)
            after |= self.noting.pending()
            if not arm.left:
                ends.append(arm)
        self.noting.resume(after)
        if not ends:
            state.left = "exit"
            return
        when = state.when
        self._joined(state, ends)
        state.when = when

    def truth(self, node: If, variables: Variables) -> bool | None:
        left, right = late(node.left, variables), late(node.right, variables)
        if node.test == "defined":
            found = variables.values.get(right.text.upper())
            if found is None or not found[1].known or any(p.overridable for p in found[1].pieces):
                return None
            return True
        if node.test not in ("==", "equ", "neq") or not (left.known and right.known):
            return None
        # an argument that the caller does not give is known to be none
        if any((p.unset or "%")[0] != "%" or p.overridable for p in (*left.pieces, *right.pieces)):
            return None
        one, other = left.text, right.text
        same = one.lower() == other.lower() if node.folded else one == other
        return not same if node.test == "neq" else same

    def loop(self, node: For, state: State) -> None:
        values = self.items(node, state)
        if node.body is None:
            return
        if values is not None:
            for value in values:
                inner = state.copy()
                inner.variables.loop[node.name] = value
                self.node(node.body, inner)
                inner.variables.loop = state.variables.loop
                state.variables, state.left = inner.variables, inner.left
                if state.left:
                    return
            return
        inner = state.copy()
        parts = self.parts(node, state)
        if parts is not None:
            for i, part in enumerate(parts):
                inner.variables.loop[chr(ord(node.name) + i)] = part
            self.node(node.body, inner)
            inner.variables.loop = state.variables.loop
            state.variables, state.left = inner.variables, inner.left
            return
        count = 26 if node.kind == "f" else 1
        patterns = node.items.text.split() if node.kind in ("", "d", "r") else ()
        shape = Shape.PATH if patterns and all("*" in p or "?" in p for p in patterns) else Shape.ANY
        for i in range(count):
            name = chr(ord(node.name) + i)
            if i and not name.isalpha():
                break
            gap = Hole(f"%{name}", f"an item of `{node.shown}`", shape=shape)
            inner.variables.loop[name] = hole(gap)
        self.node(node.body, inner)
        self.noting.next_program()
        inner.variables.loop = state.variables.loop
        ends = [state.copy()] if inner.left else [state.copy(), inner]
        when = state.when
        self._joined(state, ends, fork=False)
        state.when = when

    def items(self, node: For, state: State) -> list[Traced] | None:
        """The values that a loop goes through; None where they are not known."""
        items = late(node.items, state.variables)
        text = items.text.strip()
        if node.kind == "f":
            mark = "`" if "usebackq" in node.options.lower() else "'"
            if text[:1] == mark and text[-1:] == mark and len(text) > 1:
                start = items.text.index(mark)
                line = items.cut(start + 1, items.text.rindex(mark))
                self.nested(line, state)
            return None
        if node.kind == "l":
            numbers = [int(n) for n in re.findall(r"-?\d+", text)] if items.known else []
            if len(numbers) != 3 or not numbers[1]:
                return None
            made = range(numbers[0], numbers[2] + (1 if numbers[1] > 0 else -1), numbers[1])
            return [literal(str(n)) for n in made] if len(made) <= _MAX_TURNS else None
        found = [items.cut(*m.span()) for m in re.finditer(r'"[^"]*"|[^\s,;="]+', items.text)]
        if node.kind or len(found) > _MAX_TURNS or any(not f.known or re.search(r"[*?]", f.text) for f in found):
            return None
        return found

    def parts(self, node: For, state: State) -> list[Traced] | None:
        """What the variables of a `for /f` over one text are; None where it goes over something else."""
        items = late(node.items, state.variables)
        mark = "'" if "usebackq" in node.options.lower() else '"'
        start, end = items.text.find(mark), items.text.rfind(mark)
        if node.kind != "f" or items.text.strip()[:1] != mark or start == end:
            return None
        found = tokens(items.cut(start + 1, end), node.options)
        return found if found is None or any(found) else None

    def nested(self, line: Traced, state: State) -> None:
        """A command line whose output is read."""
        reader = Reader(line, lambda: None)
        try:
            node = reader.command()
        except ShellSyntaxError as error:
            self.noting.problem(line, f"cmd cannot read this: {error.message}; it is not judged")
            return
        if node is not None:
            since = len(self.noting.commands)
            self.node(node, state.copy())
            self.noting.lose(since)

    # -- one command

    def simple(self, node: Simple, state: State, op: str) -> None:
        text = late(node.text, state.variables)
        self.line(text, node.whole, state, op)

    def line(self, text: Traced, whole: Traced, state: State, op: str, called: bool = False) -> None:
        found = _NAME.match(text.text)
        if found is None or _vanished_first(text):
            self.program(text, whole, state, op, called)
            return
        name = found.group(1).strip('"').lower()
        plain = name.split(".")[0].split(":")[0] if name.startswith(("echo.", "echo:")) else name
        rest = text.cut(found.end(), len(text))
        if plain in _SILENT or plain.startswith("echo("):
            return
        if plain in MOVES:
            self.noting.move(plain, words(text)[0][1:], not state.when)
            return
        builtin = getattr(self, f"run_{plain}", None) if plain in BUILTINS else None
        if builtin is not None:
            builtin(rest, whole, state)
            return
        self.program(text, whole, state, op, called)

    def program(self, text: Traced, whole: Traced, state: State, op: str, called: bool) -> None:
        argv, lost = with_vanished(text, words(text)[0])
        if not argv:
            return
        if op not in ("&&", "|"):
            self.noting.next_program()
        route: Route = ()
        spans = [p.route[0] for p in whole.pieces if p.route]
        if spans and all(s.path == spans[0].path for s in spans):
            route = (Span(spans[0].path, min(s.start for s in spans), max(s.end for s in spans)),)
        inner = _CMD_LINE.fullmatch(text.text) if program_name(argv[0]) == "cmd" else None
        given = text.cut(*inner.span(2)) if inner is not None else None
        if given is not None and given.text[:1] == '"' and given.text.rstrip()[-1:] == '"' and len(given) > 1:
            given = given.cut(1, len(given.text.rstrip()) - 1)
        site = Site(tuple(argv), route, state.variables.environment, lost, state.assumed, via=self.via, text=given)
        self.noting.note(site)
        own = program_name(argv[0])
        batch = argv[0].text.lower().endswith((".bat", ".cmd")) or own in _BATCH
        if batch and not called and self.mode is Mode.BATCH and op != "|":
            self.noting.looked()
            state.left = "exit"


def _vanished_first(text: Traced) -> bool:
    """Whether a variable that is set nowhere stands where the program's name should be."""
    before = next((p for p in text.pieces if p.unset is not None or p.hole is not None or p.text.strip(" \t@")), None)
    if before is None or before.unset is None:
        return False
    at = text.pieces.index(before)
    after = text.pieces[at + 1].text[:1] if at + 1 < len(text.pieces) else ""
    return after.strip() == "" and (at + 1 >= len(text.pieces) or text.pieces[at + 1].hole is None)


def _leaves(node: Node) -> bool:
    """Whether a command ends the script, so that the failure before it is seen."""
    match node:
        case Simple(text, _):
            return re.match(r"[\s@]*(?:exit|goto)\b", text.text, re.IGNORECASE) is not None
        case Group(body):
            return any(_leaves(each) for each in body)
        case Sequence(items):
            return any(_leaves(each) for _, each in items)
    return False


def _lines(text: Traced) -> list[Traced]:
    """The physical lines, each with its end."""
    out, at = [], 0
    raw = text.text
    while at < len(raw):
        end = raw.find("\n", at)
        end = len(raw) if end < 0 else end + 1
        out.append(text.cut(at, end))
        at = end
    return out
