"""PowerShell scripts evaluated to the native commands that they run (about_Parsing, about_Variables, about_Operators).

One course of events, with holes where branches differ; what stands in a branch says `when`. Cmdlets are noted like other
commands: whether a name is a program or a cmdlet is not known here.
"""

import re
from dataclasses import dataclass, field

from flagguard.command import Command, Script, Status, Word
from flagguard.hosts import Setting
from flagguard.shell.powershell_reader import (
    Assign,
    Block,
    Branch,
    Chain,
    Define,
    Group,
    Leave,
    Other,
    PsWord,
    Reader,
    Repeat,
    Run,
    Statement,
    Text,
    Variable,
)
from flagguard.shell.syntax import ShellSyntaxError
from flagguard.text import EMPTY, Decider, Hole, Piece, Problem, Shape, Traced, hole, literal

Value = list[Traced]
"""What a variable holds: one string, or the elements of an array."""

_OS = {"iswindows": "windows-", "islinux": "linux-", "ismacos": "macos-"}
_SURE = {
    "home": Shape.PATH,
    "pwd": Shape.PATH,
    "psscriptroot": Shape.PATH,
    "pscommandpath": Shape.PATH,
    "pshome": Shape.PATH,
    "lastexitcode": Shape.NUMBER,
    "args": Shape.ANY,
    "_": Shape.ANY,
    "input": Shape.ANY,
    "matches": Shape.ANY,
    "psversiontable": Shape.ANY,
    "error": Shape.ANY,
    "host": Shape.ANY,
}
_PRINTERS = frozenset({"write-host", "write-output", "echo", "write-verbose", "write-warning", "write-error", "write-debug"})
_MAX_CALLS = 8
_MAX_TURNS = 64


@dataclass
class _State:
    variables: dict[str, Value] = field(default_factory=dict)
    environment: dict[str, Traced] = field(default_factory=dict)
    functions: dict[str, tuple[Statement, ...]] = field(default_factory=dict)
    when: tuple[str, ...] = ()
    left: bool = False

    def copy(self) -> "_State":
        return _State(dict(self.variables), dict(self.environment), dict(self.functions), self.when, self.left)


def evaluate_powershell(script: Script, setting: Setting, platforms: list[str]) -> tuple[list[Command], list[Problem]]:
    """The commands of a PowerShell script on each platform. Nothing is run."""
    reader = Reader(script.text)
    problems: list[Problem] = []
    try:
        body = reader.statements()
    except ShellSyntaxError as error:
        rest = script.text.cut(error.offset, len(script.text)) or script.text
        route = rest.route or script.text.route
        source = setting.files.read(route[-1].path) if route else None
        if route and source is not None:
            line = source.position(route[-1].start)[0]
            told = f"PowerShell cannot be read here: {error.message}; the script is not judged"
            problems.append(Problem(route[-1].path, line, told))
        return [], problems
    out: list[Command] = []
    for platform in platforms:
        out += _Evaluation(script, setting, platform).run(body)
    return out, problems


class _Evaluation:
    def __init__(self, script: Script, setting: Setting, platform: str) -> None:
        self.script = script
        self.platform = platform
        self.commands: list[Command] = []
        self.depth = 0
        self.state = _State()
        for name, text in setting.assume.items():
            self.state.environment[name] = literal(text)
        for variable in script.env:
            self.state.environment[variable.name] = variable.value

    def run(self, body: tuple[Statement, ...]) -> list[Command]:
        self.statements(body, self.state)
        return self.commands

    def statements(self, body: tuple[Statement, ...], state: _State) -> None:
        for statement in body:
            if state.left:
                return
            self.statement(statement, state)

    def statement(self, statement: Statement, state: _State) -> None:
        match statement:
            case Chain(runs):
                for i, (op, run) in enumerate(runs):
                    here = state
                    if op == "||":
                        here = state.copy()
                        here.when = (*state.when, f"`{runs[i - 1][1].shown}` fails")
                    self.command(run, here)
            case Assign():
                self.assign(statement, state)
            case Branch():
                self.branch(statement, state)
            case Repeat():
                self.repeat(statement, state)
            case Block(bodies):
                for what, inner in bodies:
                    if what is None:
                        self.statements(inner, state)
                    else:
                        self.alternative(inner, state, what)
            case Define(name, inner):
                state.functions[name.lower()] = inner
            case Leave(word):
                state.left = word in ("exit", "return", "throw")

    # -- control

    def branch(self, statement: Branch, state: _State) -> None:
        ends: list[_State] = []
        going = state
        open_ = False
        for condition, shown, body in statement.arms:
            truth = self.truth(condition, going) if condition else True
            if truth is False:
                continue
            arm = going.copy()
            if truth is None or open_:
                arm.when = (*arm.when, f"`if {shown}`" if condition else "no condition before `else` is true")
            self.statements(body, arm)
            ends.append(arm)
            if truth is True:
                self.join(state, ends, bare=False)
                return
            open_ = True
        self.join(state, ends, bare=True)

    def alternative(self, body: tuple[Statement, ...], state: _State, what: str) -> None:
        arm = state.copy()
        arm.when = (*arm.when, what)
        self.statements(body, arm)
        self.join(state, [arm], bare=True)

    def join(self, state: _State, ends: list[_State], bare: bool) -> None:
        """The state after branches: what they do not agree on is not known. ``bare``: it may be that none was taken."""
        going = [e for e in ends if not e.left]
        if bare:
            going.append(state.copy())
        if not going:
            state.left = True
            return
        first = going[0]
        for name in {n for e in going for n in e.variables}:
            values = [e.variables.get(name) for e in going]
            if any(v != values[0] for v in values):
                state.variables[name] = [_open(f"${name}", name)]
            elif values[0] is not None:
                state.variables[name] = values[0]
        for name in {n for e in going for n in e.environment}:
            found = [e.environment.get(name) for e in going]
            if any(v != found[0] for v in found):
                state.environment[name] = _open(f"$env:{name}", name)
            elif found[0] is not None:
                state.environment[name] = found[0]
        state.functions.update(first.functions)

    def repeat(self, statement: Repeat, state: _State) -> None:
        values = self.values(statement.items, state)
        if statement.name is None or any(not v.known for v in values) or len(values) > _MAX_TURNS or not values:
            arm = state.copy()
            if statement.name is not None:
                arm.variables[statement.name.lower()] = [_open(f"${statement.name}", statement.name)]
            self.statements(statement.body, arm)
            self.join(state, [arm], bare=True)
            return
        for value in values:
            state.variables[statement.name.lower()] = [value]
            self.statements(statement.body, state)

    def truth(self, words: tuple[PsWord, ...], state: _State) -> bool | None:
        """The truth of a condition, where it is a plain one."""
        parts = [w.shown.lower() for w in words]
        if parts and parts[0] in ("-not", "!"):
            inner = self.truth(words[1:], state)
            return None if inner is None else not inner
        if len(words) == 1 and parts[0].startswith("!"):
            system = _OS.get(parts[0][1:].lstrip("$"))
            return None if system is None else not self.platform.startswith(system)
        if len(words) == 1 and parts[0].lstrip("$") in _OS:
            return self.platform.startswith(_OS[parts[0].lstrip("$")])
        if len(words) == 1 and parts[0] in ("$true", "$false"):
            return parts[0] == "$true"
        if len(words) == 3 and parts[1] in ("-eq", "-ne", "-ieq", "-ceq", "-like"):
            left, right = self.expand(words[0], state), self.expand(words[2], state)
            if len(left) == len(right) == 1 and left[0].known and right[0].known:
                if any(p.unset for p in (*left[0].pieces, *right[0].pieces)):
                    return None
                same = left[0].text.lower() == right[0].text.lower()
                if parts[1] == "-like":
                    pattern = re.escape(right[0].text.lower()).replace(r"\*", ".*").replace(r"\?", ".")
                    same = re.fullmatch(pattern, left[0].text.lower()) is not None
                return not same if parts[1] == "-ne" else same
        return None

    # -- values

    def assign(self, statement: Assign, state: _State) -> None:
        target = statement.variable
        if statement.run is not None:
            self.command(statement.run, state)
            gap = Hole(target.shown, f"the output of {statement.run.words[0].shown}", Decider.OUTSIDE, name=target.name)
            values = [hole(gap, statement.run.route)]
        elif any(re.fullmatch("[-+*/%]|-[a-z]+", w.shown) for w in statement.words):
            values = [hole(Hole(target.shown, "the value of an expression", Decider.REPOSITORY, name=target.name))]
        else:
            values = self.values(statement.words, state)
        if target.environment:
            value = _joined(values)
            if statement.op == "+=":
                value = state.environment.get(target.name, EMPTY) + value
            state.environment[target.name] = value
            return
        old = state.variables.get(target.name, [])
        if statement.op == "+=":
            listed = len(old) != 1 or len(values) > 1 or any(w.comma for w in statement.words)
            values = [*old, *values] if listed else [old[0] + values[0]] if values else old
        state.variables[target.name] = values

    def values(self, words: tuple[PsWord, ...], state: _State) -> Value:
        return [value for word in words for value in self.expand(word, state)]

    def expand(self, word: PsWord, state: _State) -> Value:
        """The arguments that a word becomes: an array gives each of its elements, `$null` none."""
        parts = word.parts
        if len(parts) == 1 and not getattr(parts[0], "quoted", False):
            only = parts[0]
            if isinstance(only, Variable):
                return self.variable(only, state)
            if isinstance(only, Group):
                return self.group(only, state)
        out = EMPTY
        for part in parts:
            match part:
                case Text(value, _):
                    out += value
                case Variable():
                    found = self.variable(part, state)
                    out += _joined(found) if found else Traced((Piece("", part.route, unset=part.name),))
                case Group():
                    out += _joined(self.group(part, state))
                case Other(shown, route, body):
                    self.statements(body, state.copy())
                    out += hole(Hole(shown, "an expression that is not evaluated", Decider.REPOSITORY), route)
        return [out]

    def variable(self, part: Variable, state: _State) -> Value:
        if part.environment:
            value = state.environment.get(part.name)
            if value is not None:
                return [value.through(part.route)]
            if part.name in self.script.outside or part.name.upper() in ("PATH", "TEMP", "TMP", "USERPROFILE", "APPDATA"):
                gap = Hole(part.shown, "it is set outside of the repository", Decider.OUTSIDE, name=part.name)
                return [hole(gap, part.route)]
            return []
        if part.name in ("true", "false"):
            return [literal(part.name.capitalize()).through(part.route)]
        if part.name in _OS:
            return [literal(str(self.platform.startswith(_OS[part.name]))).through(part.route)]
        if part.name in _SURE and part.name not in state.variables:
            gap = Hole(part.shown, "PowerShell sets it", Decider.OUTSIDE, _SURE[part.name], part.name)
            return [hole(gap, part.route)]
        return [v.through(part.route) for v in state.variables.get(part.name, [])]

    def group(self, part: Group, state: _State) -> Value:
        if part.items:
            plain = [w for w in part.items if not re.fullmatch("-[a-zA-Z]+", w.shown)]
            if len(plain) == len(part.items):
                return [v.through(part.route) if part.quoted else v for v in self.values(part.items, state)]
            return [hole(Hole(part.shown, "the value of an expression", Decider.REPOSITORY), part.route)]
        self.statements(part.body, state.copy())
        printed = self.printed(part, state)
        if printed is not None:
            return printed
        return [hole(Hole(part.shown, "the output of a command", Decider.OUTSIDE), part.route)]

    def printed(self, part: Group, state: _State) -> Value | None:
        only = part.body[0] if len(part.body) == 1 else None
        if isinstance(only, Chain) and len(only.runs) == 1:
            words = only.runs[0][1].words
            if words and words[0].shown.lower() in _PRINTERS:
                return self.values(words[1:], state)
        return [] if not part.body else None

    # -- commands

    def command(self, run: Run, state: _State) -> None:
        first = run.words[0]
        only = first.parts[0]
        if isinstance(only, Other) and only.body:
            self.statements(only.body, state)
            return
        if not run.called and (not isinstance(only, Text) or only.quoted or first.shown[:1].isdigit()):
            self.values(run.words, state)
            return
        argv: list[Word] = []
        vanished: list[tuple[int, Hole]] = []
        for word in run.words:
            made = self.expand(word, state)
            written = word.route[-1] if word.route else None
            if not made and isinstance(word.parts[0], Variable):
                variable = word.parts[0]
                lost = Hole(variable.shown, "nothing in the repository sets it", Decider.OUTSIDE, name=variable.name)
                if not argv:
                    argv.append(Word((Piece(lost.text, variable.route, hole=lost),), written))
                else:
                    vanished.append((len(argv), lost))
            argv += [Word(v.pieces, written) for v in made]
        if not argv:
            return
        name = argv[0].text.lower()
        if name in _PRINTERS:
            return
        if name in state.functions and self.depth < _MAX_CALLS:
            self.call(state.functions[name], argv[1:], state)
            return
        self.note(run, argv, vanished, state)

    def call(self, body: tuple[Statement, ...], arguments: list[Word], state: _State) -> None:
        inner = state.copy()
        inner.variables["args"] = [Traced(w.pieces) for w in arguments]
        self.depth += 1
        self.statements(body, inner)
        self.depth -= 1
        state.environment = inner.environment

    def note(self, run: Run, argv: list[Word], vanished: list[tuple[int, Hole]], state: _State) -> None:
        own = next((p.route[0] for p in argv[0].pieces if p.route), None)
        span = argv[0].written or own
        if span is None:
            return
        self.commands.append(
            Command(
                argv=tuple(argv),
                place=self.script.place,
                span=span,
                extent=run.route[-1] if run.route else span,
                env=dict(state.environment),
                via=self.script.via,
                platforms=(self.platform,),
                when=(*self.script.when, *state.when),
                opt_in=self.script.opt_in,
                status=Status.IGNORED if self.script.ignored else Status.HONOURED,
                vanished=tuple(vanished),
            )
        )


def _joined(values: Value) -> Traced:
    """An array inside a string: its elements with blanks between them ($OFS)."""
    out = EMPTY
    for i, value in enumerate(values):
        out = out + literal(" ") + value if i else value
    return out


def _open(shown: str, name: str) -> Traced:
    return hole(Hole(shown, "it is set differently in several branches", Decider.REPOSITORY, name=name))


