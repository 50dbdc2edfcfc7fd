"""PowerShell scripts evaluated to the native commands that they run (about_Parsing, about_Functions, about_If).

Each course of events is followed, up to a bound; beyond it branches that differ leave holes; what stands in a branch
says `when`. Cmdlets are noted like
other commands: whether a name is a program or a cmdlet is known by its form only.
"""

import re

from flagguard.command import Command, Script, Word
from flagguard.hosts import Setting
from flagguard.shell.courses import Course, follow_all
from flagguard.shell.foreign import Noting, problem
from flagguard.shell.powershell_commands import Commands, Given
from flagguard.shell.powershell_reader import Reader
from flagguard.shell.powershell_syntax import (
    Array,
    Assign,
    Block,
    Branch,
    Chain,
    Compute,
    Define,
    Expr,
    Hash,
    Invoke,
    Leave,
    Loop,
    Other,
    Params,
    ScriptBlock,
    Statement,
    Switch,
    Try,
    Unary,
    Variable,
)
from flagguard.shell.powershell_values import Body, Several, State, Value, differing, is_array, joined
from flagguard.shell.syntax import ShellSyntaxError
from flagguard.text import EMPTY, Decider, Hole, Problem, Span, Traced, hole, literal
from flagguard.values import replace

_MAX_TURNS = 64
_MAX_STEPS = 15_000
_ENDS = ("break", "continue", "return", "exit", "throw")
"""Words that end a course, those that end the least of it first."""
_STATUS = re.compile(r"\$(?:global:)?LASTEXITCODE\b|\$\?", re.IGNORECASE)


class _TooMuch(Exception):
    """The script costs more than the bound."""


def evaluate_powershell(
    script: Script, setting: Setting, platforms: list[str], depth: int = 0
) -> tuple[list[Command], list[Problem]]:
    """The commands of a PowerShell script on each platform. Nothing is run."""
    body, problems = read_script(script.text, setting, nested=depth > 0)
    if body is None:
        return [], problems
    out: list[Command] = []
    for platform in platforms:
        notings: list[Noting] = []

        def run(course: Course, platform: str = platform, notings: list[Noting] = notings) -> list[Command]:
            evaluation = _Evaluation(script, setting, platform, depth, course)
            notings.append(evaluation.noting)
            return evaluation.run(body)

        found = follow_all(run, len(script.text.text))
        problems += [p for p in dict.fromkeys(p for n in notings for p in n.problems) if p not in problems]
        if not any(n.asked_platform for n in notings):
            return [replace(c, platforms=tuple(sorted(platforms))) for c in found], problems
        out += found
    return out, problems


def read_script(
    text: Traced, setting: Setting, nested: bool = True
) -> tuple[tuple[Statement, ...] | None, list[Problem]]:
    """The statements of a script, or why it cannot be read: PowerShell runs nothing of it then."""
    try:
        return Reader(text).statements(), []
    except ShellSyntaxError as error:
        rest = text.cut(error.offset, len(text)) or text
        told = f"PowerShell cannot be read here: {error.message}; the script is not judged"
    except RecursionError:
        rest, told = text, "the script is nested too deeply to be read; it is not judged"
    sure = text.known and not any(p.unset for p in text.pieces)
    found = problem(setting, rest, told)
    return None, [replace(found, fatal=not nested or sure)] if found is not None else []


class _Evaluation(Commands):
    def __init__(self, script: Script, setting: Setting, platform: str, depth: int, course: Course) -> None:
        self.script = script
        self.course = course
        self.platform = platform
        self.source = script.text
        self.setting = setting
        self.noting = Noting(script, setting, platform, depth)
        self.depth = 0
        self.called: set[int] = set()
        self.defined: dict[int, Body] = {}
        self.active: list[str] = []
        self.via: tuple[Span, ...] = ()
        self.steps = 0

    def run(self, body: tuple[Statement, ...]) -> list[Command]:
        state = State()
        for name, text in self.setting.assume.items():
            state.environment[name] = literal(text)
        for variable in self.script.env:
            state.environment[variable.name] = variable.value
        if self.script.knows_arguments:
            state.variables["args"] = [Traced(w.pieces) for w in self.script.arguments]
        try:
            self.statements(body, state)
            self._uncalled(state)
        except _TooMuch:
            told = "the script has too many courses to follow; the rest of it is not judged"
            self.noting.problem(self.script.text, told)
        except RecursionError:
            self.noting.problem(self.script.text, "the script is nested too deeply to follow; it is not judged")
        return self.noting.finish()

    def _uncalled(self, state: State) -> None:
        """Functions and blocks that the script only defines: evaluated as if somebody called them."""
        self.noting.looked()
        while waiting := [body for key, body in self.defined.items() if key not in self.called]:
            for body in waiting:
                inner = state.copy()
                inner.left, inner.opt_in = "", True
                inner.when = (*state.when, body.name)
                self.call(body, None, inner)
                self.called.add(id(body.body))
                self.noting.looked()

    # -- statements

    def statements(self, body: tuple[Statement, ...], state: State) -> None:
        for statement in body:
            if state.left:
                return
            self.statement(statement, state)

    def statement(self, statement: Statement, state: State) -> None:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise _TooMuch
        match statement:
            case Chain():
                self.chain(statement, state)
            case Assign():
                self.assign(statement, state)
            case Branch():
                self.branch(statement, state)
            case Loop():
                self.loop(statement, state)
            case Switch():
                self.switch(statement, state)
            case Try():
                self.attempt(statement, state)
            case Define(name, params, body, what):
                kept = f"{what} ({len(state.functions)})" if what else name.lower()
                made = Body(self.source, params, body, what or f"{name} is called")
                state.functions[kept] = made
                self.defined[id(body)] = made
            case Params(params):
                if not self.depth:
                    given: list[Given] = [Word(v.pieces) for v in state.variables.get("args", [])]
                    self.bind(params, given, state, outer=True)
            case Block(body):
                self.statements(body, state)
            case Leave():
                self.leave(statement, state)

    def leave(self, statement: Leave, state: State) -> None:
        if statement.value is not None:
            self.output((statement.value,), state)
        if statement.word in ("exit", "throw"):
            if statement.word == "throw" or _STATUS.search(self.shown(statement.start, statement.end)):
                self.noting.looked()
            else:
                self.noting.next_program()
        state.left = statement.word

    def branch(self, statement: Branch, state: State) -> None:
        ends: list[State] = []
        open_before: list[str] = []
        open_shown: list[str] = []
        before = self.noting.pending()
        after: set[int] = set()
        sure = False
        for condition, (start, end), body in statement.arms:
            if condition and _STATUS.search(self.shown(start, end)):
                self.noting.looked()
                before = set()
            truth = self.truth(condition, state) if condition else True
            key = self.shown(start, end).lower()
            if truth is None and not _runs(condition):
                truth = state.answers.get(key)
            before |= self.noting.pending() if condition else set()
            if truth is False:
                continue
            arm = state.copy()
            if truth is None or ends:
                what = f"`if {self.shown(start, end)}`" if condition else "no condition before `else` is true"
                arm.when = (*arm.when, what)
            arm.answers.update(dict.fromkeys(open_before, False))
            if truth is None:
                arm.answers[key] = True
                open_before.append(key)
                open_shown.append(self.shown(start, end))
            self.noting.resume(before)
            self.statements(body, arm)
            after |= self.noting.pending()
            ends.append(arm)
            if truth is True:
                sure = True
                break
        self.noting.resume(after if sure else after | before)
        if not sure:
            ends.append(state.copy())
            ends[-1].when = (*state.when, *(f"not `if {shown}`" for shown in open_shown))
            ends[-1].answers.update(dict.fromkeys(open_before, False))
        self.join(state, ends)

    def loop(self, statement: Loop, state: State) -> None:
        shown = self.shown(statement.start, statement.end)
        values = self.output(statement.items, state) if statement.name is not None else None
        self.statements(statement.before, state)
        plain = values is not None and all(v.known and not any(p.overridable for p in v.pieces) for v in values)
        if statement.name is not None and values is not None and plain and len(values) <= _MAX_TURNS:
            for value in values:
                state.variables[statement.name] = [value]
                self.statements(statement.body, state)
                if state.left == "break":
                    break
                if state.left == "continue":
                    state.left = ""
            if state.left == "break" or state.escaped & {"break", "continue"}:
                state.left = ""
            return
        arm = state.copy()
        self.forget(statement.body, arm)
        if statement.name is not None:
            arm.variables[statement.name] = [hole(Hole(f"${statement.name}", f"an item of `{shown}`"))]
        elif not statement.once:
            arm.when = (*arm.when, f"`{shown}`")
        self.statements(statement.body, arm)
        self.noting.next_program()
        arm.left = "" if arm.left in ("break", "continue") else arm.left
        self.join(state, [arm] if statement.once else [arm, state.copy()], fork=False)

    def forget(self, body: tuple[Statement, ...], state: State) -> None:
        """What a loop's body assigns is not known when it runs again."""
        for statement in body:
            if isinstance(statement, Assign) and isinstance(statement.target, Variable) and statement.op != "=":
                name = statement.target.name
                if statement.target.environment:
                    state.environment[name] = _open(f"$env:{name}", name)
                else:
                    state.variables[name] = [_open(f"${name}", name)]

    def switch(self, statement: Switch, state: State) -> None:
        subject = self.output(statement.subject, state)
        known = subject[0] if subject is not None and len(subject) == 1 and subject[0].known else None
        if known is not None and any(p.overridable or p.unset for p in known.pieces):
            known = None
        plain = not set(statement.options) - {"-exact", "-casesensitive"}
        shown = self.shown(*statement.where)
        ends: list[State] = []
        sure = False
        before, after = self.noting.pending(), set[int]()
        for pattern, (start, end), body in statement.cases:
            fits: bool | None = None
            if pattern is None:
                fits = not sure if known is not None and plain else None
            else:
                made = self.value(pattern, state)
                if isinstance(pattern, ScriptBlock):
                    self.output(pattern.body, state.copy())
                elif known is not None and plain and len(made) == 1 and made[0].known:
                    fits = made[0].text.lower() == known.text.lower()
            if fits is False:
                continue
            arm = state.copy()
            if fits is None:
                arm.when = (*arm.when, f"{shown} is {self.shown(start, end)}")
            arm.variables["_"] = subject if subject is not None else [_open("$_", "_")]
            self.noting.resume(before)
            self.statements(body, arm)
            after |= self.noting.pending()
            arm.left = "" if arm.left in ("break", "continue") else arm.left
            ends.append(arm)
            sure = sure or fits is True
        sure = sure or any(pattern is None for pattern, _, _ in statement.cases)
        self.noting.resume(after | (set() if sure else before))
        if not sure:
            ends.append(state.copy())
            ends[-1].when = (*state.when, f"{shown} is none of its cases")
        self.join(state, ends)

    def attempt(self, statement: Try, state: State) -> None:
        ends = [state.copy()]
        self.statements(statement.body, ends[0])
        for body in statement.catches:
            arm = state.copy()
            arm.when = (*arm.when, "the block before fails")
            self.statements(body, arm)
            ends.append(arm)
        self.join(state, ends)
        left, state.left = state.left, ""
        self.statements(statement.after, state)
        state.left = state.left or left

    def join(self, state: State, ends: list[State], fork: bool = True) -> None:
        """The state after branches: where they do not agree, one of them, or what differs is not known."""
        state.escaped |= frozenset(e.left for e in ends if e.left).union(*(e.escaped for e in ends))
        going = [e for e in ends if not e.left]
        if not going:
            state.left = next((word for word in _ENDS if any(e.left == word for e in ends)), "")
            return
        differ = differing(going)
        choice = self.course.choose(len(going)) if fork and any(differ) else None
        for end in going:
            state.functions.update(end.functions)
            state.blocks.update(end.blocks)
        if choice is not None:
            end = going[choice]
            extra = tuple(w for w in end.when if w not in state.when)
            self.course.assumed |= set(extra)
            state.variables, state.environment, state.answers = end.variables, end.environment, end.answers
            state.world = (*end.world, *(w for w in extra if w not in end.world))
            return
        state.variables, state.environment = dict(going[0].variables), dict(going[0].environment)
        state.variables.update((name, [_open(f"${name}", name)]) for name in differ[0])
        state.environment.update((name, _open(f"$env:{name}", name)) for name in differ[1])
        state.answers = {k: v for k, v in going[0].answers.items() if all(e.answers.get(k) is v for e in going)}

    # -- assignments

    def assign(self, statement: Assign, state: State) -> None:
        block = _block_of(statement.value)
        if isinstance(block, Hash):
            self.store(statement.target, statement.op, self.value(block, state), state)
            return
        if block is not None and isinstance(statement.target, Variable):
            name = statement.target.name
            state.blocks[name] = Body(self.source, block.params, block.body, f"${name} is called")
            self.defined[id(block.body)] = state.blocks[name]
            state.variables[statement.target.name] = self.value(block, state)
            return
        found = self.output((statement.value,), state) if statement.value is not None else []
        if found is None:
            name = getattr(statement.target, "name", "")
            shown = self.shown(statement.target.start, statement.target.end) if name else "a value"  # type: ignore[union-attr]
            gap = Hole(shown, "the output of a command", Decider.OUTSIDE, name=name or None)
            found = [hole(gap, self.route(statement.start, statement.end))]
        self.store(statement.target, statement.op, Several(found) if is_array(statement.value, state) else found, state)

    def store(self, target: Expr, op: str, values: Value, state: State) -> None:
        state.forget_answers(getattr(target, "name", "") or " ")
        match target:
            case Unary("[]", operand):
                self.store(operand, op, values, state)
            case Array(items):
                for i, item in enumerate(items):
                    rest = values[i:] if i == len(items) - 1 else values[i : i + 1]
                    known = len(values) > 1 or all(v.known for v in values)
                    self.store(item, op, rest if known else [_open("a value", "")], state)
            case Variable(name, environment) if environment:
                if op == "+=":
                    values = [state.environment.get(name, EMPTY), joined(values)]
                    state.environment[name] = values[0] + values[1]
                elif not values:
                    state.environment.pop(name, None)
                else:
                    state.environment[name] = joined(values)
            case Variable(name):
                state.variables[name] = self._changed(op, state.variables.get(name), values, name)
                state.blocks.pop(name, None)
            case Other(inner) if inner and isinstance(inner[0], Variable) and inner[0].name in state.variables:
                state.variables[inner[0].name] = self.unread(target)

    def _changed(self, op: str, old: Value | None, values: Value, name: str) -> Value:
        if op == "=":
            return values
        if op == "??=":
            return old or values
        if op != "+=":
            return [_open(f"${name}", name)]
        if old is None:
            return values
        if isinstance(old, Several) or len(old) != 1 or len(values) > 1:
            return Several([*old, *values])
        if not values:
            return old
        if old[0].known and values[0].known and old[0].text.isdigit() and values[0].text.isdigit():
            return [_open(f"${name}", name)]
        return [old[0] + values[0]]

    # -- what statements print

    def output(self, body: tuple[Statement, ...], state: State) -> Value | None:
        out: Value = []
        sure = True
        for statement in body:
            if state.left:
                break
            found = self._printed(statement, state)
            if found is None:
                sure = False
            else:
                out += found
        return out if sure else None

    def _printed(self, statement: Statement, state: State) -> Value | None:
        match statement:
            case Chain(items) if len(items) == 1 and isinstance(items[0][1], Compute):
                return self.value(items[0][1].value, state)
            case Chain(items) if len(items) == 1 and isinstance(items[0][1], Invoke):
                return self.heard(items[0][1], state)
            case Assign(Variable(name, False), "="):
                self.assign(statement, state)
                return state.variables.get(name)
            case Branch(arms) if (taken := self._taken(arms, state)) is not None:
                return self.output(taken, state)
            case Branch(arms) if not any(_runs(condition) or _runs(body) for condition, _, body in arms):
                return self._one_arm(arms, state)
            case Leave("return", value) if value is not None:
                found = self.output((value,), state)
                state.left = "return"
                return found
            case Block(body):
                return self.output(body, state)
            case Params() | Define():
                self.statement(statement, state)
                return []
        self.statement(statement, state)
        return None

    def _one_arm(
        self, arms: tuple[tuple[tuple[Statement, ...], tuple[int, int], tuple[Statement, ...]], ...], state: State
    ) -> Value | None:
        """What a branch prints that nobody can decide: one of its arms in each course; None past their bound."""
        ways: list[tuple[tuple[Statement, ...], tuple[str, ...]]] = []
        denied: tuple[str, ...] = ()
        for condition, (start, end), body in arms:
            truth = self.truth(condition, state.copy()) if condition else True
            shown = self.shown(start, end)
            truth = state.answers.get(shown.lower()) if truth is None else truth
            if truth is not False:
                ways.append((body, (*denied, f"`if {shown}`") if truth is None else denied))
            denied = (*denied, f"not `if {shown}`") if truth is None else denied
            if truth is True:
                break
        else:
            ways.append(((), denied))
        choice = self.course.choose(len(ways))
        if choice is None:
            return None
        body, assumed = ways[choice]
        self.course.assumed |= set(assumed)
        state.world = (*state.world, *(said for said in assumed if said not in state.world))
        for said in assumed:
            key = said.removeprefix("not ").removeprefix("`if ").removesuffix("`").lower()
            state.answers[key] = not said.startswith("not ")
        return self.output(body, state)

    def _taken(
        self, arms: tuple[tuple[tuple[Statement, ...], tuple[int, int], tuple[Statement, ...]], ...], state: State
    ) -> tuple[Statement, ...] | None:
        for condition, _, body in arms:
            truth = self.truth(condition, state.copy()) if condition and not _runs(condition) else not condition or None
            if truth is None:
                return None
            if truth:
                return body
        return ()


def _runs(condition: tuple[Statement, ...]) -> bool:
    """Whether statements do more than compute a value: their commands would be noted twice."""
    return any(not isinstance(s, Chain) or any(isinstance(i, Invoke) for _, i in s.items) for s in condition)


def _block_of(value: Statement | None) -> ScriptBlock | Hash | None:
    if isinstance(value, Chain) and len(value.items) == 1 and isinstance(value.items[0][1], Compute):
        found = value.items[0][1].value
        return found if isinstance(found, ScriptBlock | Hash) else None
    return None


def _open(shown: str, name: str) -> Traced:
    return hole(Hole(shown, "it is set differently in several branches", Decider.REPOSITORY, name=name or None))
