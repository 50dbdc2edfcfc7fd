"""The commands of PowerShell's pipelines: words, splatting, functions, cmdlets that run other commands.

Follows about_Parsing, about_Splatting, about_Functions, about_Pipeline_Chain_Operators, and the cmdlets' own pages.
"""

import re
from abc import abstractmethod
from collections.abc import Sequence
from fnmatch import fnmatchcase

from flagguard.command import Word
from flagguard.hosts import Setting
from flagguard.shell.foreign import MOVES, Site
from flagguard.shell.powershell_definitions import SWITCH
from flagguard.shell.powershell_syntax import (
    Arg,
    Array,
    Chain,
    Compute,
    Expr,
    Invoke,
    ScriptBlock,
    Statement,
    Text,
    Unary,
    Variable,
)
from flagguard.shell.powershell_values import Body, State, Table, Value, Values, joined, words_of
from flagguard.text import Decider, Hole, Piece, Span, Traced, hole, join, literal

_PRINTERS = frozenset(
    "write-host write-output echo write write-verbose write-warning write-error write-debug write-information".split()
)
_HEARD = frozenset("write-output echo write".split())
_CMDLET = re.compile(
    r"(?:add|clear|close|compare|complete|compress|confirm|connect|convert|convertfrom|convertto|copy|debug|disable|disconnect"
    r"|enable|enter|exit|expand|export|find|foreach|format|get|group|import|initialize|install|invoke|join|limit|measure|merge"
    r"|mount|move|new|open|out|pop|publish|push|read|receive|register|remove|rename|repair|reset|resize|resolve|restart"
    r"|restore|resume|revoke|save|search|select|send|set|show|sort|split|start|stop|submit|suspend|switch|sync|tee|test"
    r"|trace|unblock|undo|uninstall|unlock|unregister|update|use|wait|watch|where|write)-[a-z]\w*"
)
"""Approved verbs for PowerShell commands: such a name is a cmdlet or a function and leaves `$LASTEXITCODE` alone."""
_REMOVERS = ("remove-item", "ri", "rm", "del", "erase", "rd", "rmdir", "clear-item", "cli")
_EACH = ("foreach-object", "%", "foreach")
_LEAVES = ("exit", "throw", "return")
_START = {
    **dict.fromkeys(("-filepath",), "file"),
    **dict.fromkeys(("-argumentlist", "-args"), "arguments"),
    **dict.fromkeys(
        ("-workingdirectory", "-verb", "-windowstyle", "-credential", "-environment", "-redirectstandardoutput",
         "-redirectstandarderror", "-redirectstandardinput", "-erroraction", "-ea"),
        "value",
    ),
}  # fmt: skip
"""https://learn.microsoft.com/powershell/module/microsoft.powershell.management/start-process"""
Given = Word | tuple[Word, ...]
"""An argument of a function: a word, or the elements of an array."""
_MAX_CALLS = 8
_MAX_TURNS = 64
_QUOTED = re.compile(r'"[^"]*"|[^\s"]+')


class Commands(Values):
    """Runs the elements of pipelines."""

    setting: Setting
    depth: int
    called: set[int]
    """The bodies that somebody calls, by identity."""
    via: tuple[Span, ...]
    """The calls of functions that lead to the present place."""
    active: list[str]
    """The functions that are running, outermost first."""

    @abstractmethod
    def statements(self, body: tuple[Statement, ...], state: State) -> None: ...

    # -- pipelines

    def chain(self, statement: Chain, state: State) -> None:
        piped: Value | None = None
        since = first = len(self.noting.commands)
        shown = ""
        here = state
        for op, item in statement.items:
            if op == "||":
                here = state.copy()
                here.when = (*state.when, f"`{shown}` fails")
                if not self._leaves(item):
                    self.noting.lose(since)
                since = len(self.noting.commands)
            elif op == "&&":
                since = len(self.noting.commands)
            shown = self.shown(item.start, item.end)
            if isinstance(item, Compute):
                piped = self.value(item.value, here)
                if not (isinstance(item.value, Variable) and len(statement.items) > 1):
                    self.run_blocks(item.value, here)
                continue
            piped = self.command(item, here, piped if op == "|" else None, op)
        if statement.background:
            self.noting.lose(first)

    def run_blocks(self, value: Expr, state: State) -> None:
        if isinstance(value, ScriptBlock):
            self.statements(value.body, state.copy())

    def _leaves(self, item: Invoke | Compute) -> bool:
        return isinstance(item, Invoke) and self.shown(item.words[0].start, item.words[0].end).lower() in _LEAVES

    def heard(self, item: Invoke, state: State) -> Value | None:
        """A command whose output is a value."""
        first = item.words[0].value
        name = first.value.text.lower() if isinstance(first, Text) and not item.called else ""
        if name in _HEARD:
            return [v for arg in item.words[1:] for v in self._elements(arg, state)]
        if name == "join-path" and len(item.words) == 3:
            folder, file = (self.value(a.value, state) for a in item.words[1:])
            return [joined(folder) + literal("/") + joined(file)]
        if name in state.functions and self.depth < _MAX_CALLS:
            return self._called(name, state.functions[name], item, state)
        self.command(item, state, None, "")
        return None

    def _called(self, name: str, body: Body, item: Invoke, state: State) -> Value | None:
        arguments: list[Given] = []
        for arg in item.words[1:]:
            if (named := self._splatted(arg, state)) is not None:
                arguments += [given for key, words in named for given in (key, tuple(words))[: 1 + bool(words)]]
            elif isinstance(arg.value, Array):  # one argument for a function, elements for a program
                arguments.append(tuple(words_of(self._elements(arg, state), self.route(arg.start, arg.end))))
            else:
                arguments += self.words(arg, state)[0]
        if self.active.count(name) > 1:
            return None
        self.active.append(name)
        saved, route = self.via, self.route(item.words[0].start, item.words[0].end)
        self.via = (*self.via, *route[:1])
        try:
            return self.call(body, arguments, state, item)
        finally:
            self.via = saved
            self.active.pop()

    # -- words

    def words(self, arg: Arg, state: State) -> tuple[list[Word], list[Hole]]:
        """The arguments that a word becomes: an array gives each of its elements, `$null` none."""
        route = self.route(arg.start, arg.end)
        written = route[-1] if route else None
        if isinstance(arg.value, Array):
            return [Word(v.pieces, written) for v in self._listed(arg.value, state)], []
        made = self.value(arg.value, state)
        if not made and isinstance(arg.value, Variable) and not (arg.value.splat or arg.value.name == "null"):
            shown = self.shown(arg.start, arg.end)
            return [], [Hole(shown, "nothing in the repository sets it", Decider.OUTSIDE, name=arg.value.name)]
        return [Word(v.pieces, written) for v in made], []

    def _listed(self, value: Array, state: State) -> Value:
        """`a,b` for a program: one word as it is written, split where blanks stand between the elements."""
        out: list[list[Traced]] = [[]]
        for i, item in enumerate(value.items):
            made = self.value(item, state)
            if i:
                between = self.source.cut(value.spans[i - 1][1], value.spans[i][0])
                comma = between.text.find(",")
                out[-1].append(between.cut(comma, comma + 1))
                if between.text[comma + 1 :]:
                    out.append([])
            for j, each in enumerate(made):
                if j:
                    out[-1].append(literal(","))
                out[-1].append(each)
        return [join(parts) for parts in out if parts]

    def _elements(self, arg: Arg, state: State) -> Value:
        return self.value(arg.value, state)

    # -- commands

    def command(self, run: Invoke, state: State, piped: Value | None, op: str) -> Value | None:
        """Run one command; what it prints, where that is known."""
        first = run.words[0]
        if isinstance(first.value, ScriptBlock):
            self.call(self._body(first.value), [w for a in run.words[1:] for w in self.words(a, state)[0]], state)
            return None
        if run.called and isinstance(first.value, Variable) and first.value.name in state.blocks:
            name = first.value.name
            self.call(state.blocks[name], [w for a in run.words[1:] for w in self.words(a, state)[0]], state)
            return None
        name = first.value.value.text.lower() if isinstance(first.value, Text) else ""
        if name in _LEAVES and not run.called:
            for arg in run.words[1:]:
                self.value(arg.value, state)
            self.noting.looked()
            state.left = name
            return None
        if name in _PRINTERS:
            found = [v for arg in run.words[1:] for v in self._elements(arg, state)]
            return found if name in _HEARD else None
        if name in state.functions and self.depth < _MAX_CALLS:
            return self._called(name, state.functions[name], run, state)
        if name in _EACH:
            self._each(run, state, piped)
            return None
        if name in ("invoke-expression", "iex") and self._expression(run, state):
            return None
        if name in ("start-process", "saps") and self._start(run, state):
            return None
        if name in ("set-item", "new-item", "si", "ni") and self._set_item(run, state):
            return None
        if name in _REMOVERS and self._removed(run, state):
            return None
        if name in ("set-variable", "sv", "new-variable", "nv"):
            self._set_variable(run, state)
        self._native(run, state, name, op)
        return None

    def _native(self, run: Invoke, state: State, name: str, op: str) -> None:
        argv: list[Word] = []
        vanished: list[tuple[int, Hole]] = []
        blocks: list[ScriptBlock] = []
        for arg in run.words:
            made, lost = self.words(arg, state)
            if isinstance(arg.value, ScriptBlock):
                blocks.append(arg.value)
            if lost and not argv:
                route = self.route(arg.start, arg.end)
                made = [Word((Piece(lost[0].text, route, hole=lost[0]),), route[-1] if route else None)]
            elif lost:
                vanished.append((len(argv), lost[0]))
            if arg.glued and argv and made:
                argv[-1] = Word((*argv[-1].pieces, *made[0].pieces), argv[-1].written)
                made = made[1:]
            argv += made
        cmdlet = _CMDLET.fullmatch(name) is not None and not run.called
        native = "psnativecommanduseerroractionpreference" in state.variables and any(
            v.text.lower() == "true" for v in state.variables["psnativecommanduseerroractionpreference"]
        )
        if not cmdlet and name not in MOVES and op not in ("&&", "|"):
            self.noting.next_program()
        route = self.route(run.start, run.end)
        site = Site(
            tuple(argv), route, dict(state.environment), tuple(vanished), state.assumed, state.opt_in, via=self.via
        )
        if name in MOVES:
            self.noting.move(name, argv[1:], not state.when)
            return
        self.noting.note(site, checked=cmdlet or native)
        for block in blocks:
            inner = state.copy()
            inner.variables["_"] = [_item()]
            self.call(self._body(block), [], inner)

    def _body(self, block: ScriptBlock) -> Body:
        return Body(self.source, block.params, block.body)

    def _each(self, run: Invoke, state: State, piped: Value | None) -> None:
        """`ForEach-Object`: its block for each item that is known, else once with a hole."""
        blocks = [a.value for a in run.words[1:] if isinstance(a.value, ScriptBlock)]
        known = piped is not None and all(v.known for v in piped) and len(piped) <= _MAX_TURNS
        for block in blocks:
            for item in piped if piped is not None and known else [_item()]:
                inner = state.copy()
                inner.variables["_"] = inner.variables["psitem"] = [item]
                self.statements(block.body, inner)
                state.environment.update(inner.environment)
                state.world = inner.world

    def _expression(self, run: Invoke, state: State) -> bool:
        """`Invoke-Expression`: its text is read as a script of its own, in the same scope."""
        given = [a for a in run.words[1:] if not self._is(a, "-command")]
        if len(given) != 1 or self.depth >= _MAX_CALLS:
            return False
        text = joined(self.value(given[0].value, state))
        if not text.known and text.text.strip() == text.text and len(text) == 1:
            return False
        from flagguard.shell.powershell import read_script

        body, problems = read_script(text, self.setting)
        if body is None:
            if text.known:
                self.noting.problems += [p for p in problems if p not in self.noting.problems]
            return False
        saved, self.source = self.source, text
        self.depth += 1
        try:
            self.statements(body, state)
        finally:
            self.source = saved
            self.depth -= 1
        return True

    def _splatted(self, arg: Arg, state: State) -> list[tuple[Word, list[Word]]] | None:
        """The named arguments that `@table` stands for (about_Splatting); a switch has no value, or is left out."""
        table = state.variables.get(arg.value.name) if isinstance(arg.value, Variable) and arg.value.splat else None
        if not isinstance(table, Table):
            return None
        route = self.route(arg.start, arg.end)
        out = []
        for key, values in table.entries:
            said = values[0].text if len(values) == 1 else ""
            if said != "False":
                name = Word(literal(f"-{key}").pieces, route[-1] if route else None)
                out.append((name, [] if said == "True" else words_of(values, route)))
        return out

    def _is(self, arg: Arg, name: str) -> bool:
        return isinstance(arg.value, Text) and arg.value.value.text.lower() == name

    def _start(self, run: Invoke, state: State) -> bool:
        """`Start-Process`: the program, with arguments that are joined by blanks and split by the program itself."""
        program: list[Word] = []
        arguments: list[Word] = []
        waiting = ""
        wait = False
        parts: list[tuple[str, list[Word]]] = []
        for arg in run.words[1:]:
            if (named := self._splatted(arg, state)) is not None:
                parts += [part for key, words in named for part in ((key.text, []), ("", words))[: 1 + bool(words)]]
                continue
            text = arg.value.value.text if isinstance(arg.value, Text) and not arg.value.quoted else ""
            route = self.route(arg.start, arg.end)
            parts.append((text, words_of(self.value(arg.value, state), route)))
        for text, made in parts:
            if text.startswith("-") and not waiting:
                waiting = _START.get(text.lower().rstrip(":"), "")
                wait = wait or text.lower() == "-wait"
                continue
            if waiting == "file" or (not waiting and not program):
                program = made[:1]
            elif waiting == "arguments" or not waiting:
                arguments += [part for word in made for part in _arguments(word)]
            waiting = ""
        if not program:
            return False
        route = self.route(run.start, run.end)
        before = len(self.noting.commands)
        wrapper = (Word(self.value(run.words[0].value, state)[0].pieces, self.route(*_span(run.words[0]))[-1]),)
        site = Site(
            (*program, *arguments),
            route,
            dict(state.environment),
            (),
            state.assumed,
            state.opt_in,
            (wrapper,),
            self.via,
        )
        self.noting.note(site, checked=True)
        self.noting.lose(before)
        return True

    def _set_item(self, run: Invoke, state: State) -> bool:
        """`Set-Item env:NAME VALUE`."""
        given = [v for a in run.words[1:] for v in self.value(a.value, state)]
        plain = [v for v in given if v.text.lower() not in ("-path", "-value", "-literalpath", "-force", "-name")]
        if len(plain) < 2 or not plain[0].known or not plain[0].text.lower().startswith("env:"):
            return False
        state.environment[plain[0].text[4:].lstrip("/\\")] = plain[1]
        return True

    def _removed(self, run: Invoke, state: State) -> bool:
        """`Remove-Item Env:NAME`: of the environment."""
        given = [v.text for a in run.words[1:] for v in self.value(a.value, state) if v.known]
        names = [text[4:].lstrip("/\\").lower() for text in given if text.lower().startswith("env:")]
        for name in [n for n in state.environment if any(fnmatchcase(n.lower(), pattern) for pattern in names)]:
            del state.environment[name]
        return bool(names)

    def _set_variable(self, run: Invoke, state: State) -> None:
        given = [v for a in run.words[1:] for v in self.value(a.value, state)]
        plain = [v for v in given if not v.text.lower().startswith("-")]
        if plain and plain[0].known:
            state.variables[plain[0].text.lower()] = plain[1:2]

    # -- functions

    def call(
        self, body: Body, arguments: "list[Given] | None", state: State, run: Invoke | None = None
    ) -> Value | None:
        """A function or a block with its arguments; None: nobody knows them. What it prints, where that is known."""
        if self.depth >= _MAX_CALLS:
            return None
        self.called.add(id(body.body))
        inner = state.copy()
        inner.escaped = frozenset()
        if arguments is not None:
            inner.variables["args"] = _values(arguments)
        saved, self.source = self.source, body.source
        self.depth += 1
        try:
            self.bind(body.params, arguments, inner, outer=False)
            if run is not None:
                self._block_arguments(body, run, saved, inner)
            found = self.output(body.body, inner)
        finally:
            self.source = saved
            self.depth -= 1
        state.environment, state.world = inner.environment, inner.world
        state.functions.update((n, b) for n, b in inner.functions.items() if n not in state.functions)
        if inner.left in ("exit", "throw") and not inner.escaped & {"return", "break", "continue"}:
            state.left = inner.left
        return found

    def _block_arguments(self, body: Body, run: Invoke, source: Traced, state: State) -> None:
        """Blocks given to a function: its parameter runs them."""
        blocks = [a.value for a in run.words[1:] if isinstance(a.value, ScriptBlock)]
        for block in blocks:
            kept = Body(source, block.params, block.body)
            for name, _ in body.params:
                state.blocks[name] = kept
            used = any(f"${name}" in body.source.text.lower() for name, _ in body.params)
            if not used or not body.params:
                state.blocks["args"] = kept

    def bind(
        self, params: tuple[tuple[str, Expr | None], ...], arguments: "list[Given] | None", state: State, outer: bool
    ) -> None:
        """Give parameters their values. ``outer``: those of the script, which its caller may give."""
        given: dict[str, Value] = {}
        rest: list[Given] = []
        names = [name for name, _ in params]
        switches = {name for name, default in params if isinstance(default, Unary) and default.op == SWITCH}
        words = list(arguments or ())
        while words:
            word = words.pop(0)
            if isinstance(word, tuple):
                rest.append(word)
                continue
            found = re.match(r"-([a-z_]\w*)(?::|$)", word.text, re.IGNORECASE)
            joined = found.end() if found is not None and found.group().endswith(":") else 0  # `-Name:value`
            fits = [n for n in names if n.startswith(found.group(1).lower())] if found is not None else []
            name = fits[0] if len(fits) == 1 else next((n for n in fits if found and n == found.group(1).lower()), "")
            if not name:
                rest.append(word)
            elif name in switches and not joined:
                given[name] = [literal("True")]
            elif joined and joined < len(word):
                given[name] = [word.cut(joined, len(word))]
            elif words:
                given[name] = _values([words.pop(0)])
        free = [n for n in names if n not in given and n not in switches]
        for i, name in enumerate(free):
            if rest:
                taken = rest if i == len(free) - 1 else rest[:1]
                given[name] = _values(taken)
                rest = rest[len(taken) :]
        if arguments is not None and not outer:
            state.variables["args"] = _values(rest)
        for name, default in params:
            if name in given:
                state.variables[name] = given[name]
            elif name in switches:
                off = literal("False")
                state.variables[name] = [off.overridable() if arguments is None or outer else off]
            elif default is not None:
                value = self.value(default, state)
                state.variables[name] = [v.overridable() for v in value] if arguments is None or outer else value
            elif arguments is None or (outer and not self.script.knows_arguments):
                gap = Hole(f"${name}", "it is a parameter that the caller gives", Decider.OUTSIDE, name=name)
                state.variables[name] = [hole(gap)]
            else:
                state.variables[name] = []


def _values(given: "Sequence[Given]") -> Value:
    return [Traced(word.pieces) for one in given for word in (one if isinstance(one, tuple) else (one,))]


def _arguments(word: Word) -> list[Word]:
    """An element of -ArgumentList, as the program splits the line."""
    if not word.known or not re.search(r"\s", word.text):
        return [word]
    out = []
    for found in _QUOTED.finditer(word.text):
        start, end = found.span()
        quoted = found.group()[0] == '"' and end - start > 1
        out.append(Word(word.cut(start + quoted, end - quoted).pieces, word.written))
    return out


def _span(arg: Arg) -> tuple[int, int]:
    return arg.start, arg.end


def _item() -> Traced:
    return hole(Hole("$_", "an item of the pipeline", Decider.OUTSIDE, name="_"))
