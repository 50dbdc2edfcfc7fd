"""The commands that cmd.exe runs itself and that change its course: `set`, `call`, `goto`, `exit` and their like.

Follows Microsoft's pages for `set`, `setlocal`, `shift`, `exit`, `goto`, `call`, `start`.
"""

import re
from abc import abstractmethod

from flagguard.shell.cmd_words import Mode, Variables, arguments, expand, late, words
from flagguard.shell.foreign import Noting, Site
from flagguard.text import Decider, Hole, Span, Traced, hole
from flagguard.values import dataclass, field

BUILTINS = frozenset("set setlocal endlocal shift exit goto call start".split())
_SET = re.compile(r'\s*(?:"([^"=]+)=(.*)"[^"]*|([^"=/\s][^=]*)=(.*))\s*', re.DOTALL)
_START_OPTION = re.compile(r"/(?!d$)[A-Za-z]+", re.IGNORECASE)
_MAX_DEPTH = 10


@dataclass
class State:
    variables: Variables
    when: tuple[str, ...] = ()
    left: str = ""
    """`exit`, or the label of a jump."""
    locals: tuple[Variables, ...] = ()
    world: tuple[str, ...] = ()
    """What was assumed of branches that are over: their commands ran for sure, in this course."""
    answers: dict[str, bool] = field(default_factory=dict)
    """Conditions that this course has decided, until a variable of theirs is set again."""

    @property
    def assumed(self) -> tuple[str, ...]:
        return (*self.world, *self.when)

    def copy(self) -> "State":
        return State(self.variables.copy(), self.when, self.left, self.locals, self.world, dict(self.answers))

    def put(self, name: str, value: Traced | None) -> None:
        """Set a variable: what was known of conditions that name it holds no longer."""
        self.variables.put(name, value)
        self.answers = {k: v for k, v in self.answers.items() if name.lower() not in k}


class Builtins:
    """Runs builtins: a method ``run_NAME`` for each."""

    mode: Mode
    noting: Noting
    labels: dict[str, int]
    depth: int
    via: tuple[Span, ...]
    """The calls of labels that lead to the present place."""
    jumps: list[tuple[str, State]]
    """Jumps that were met and do not wait for their label yet."""

    @abstractmethod
    def line(self, text: Traced, whole: Traced, state: State, op: str, called: bool = False) -> None: ...

    @abstractmethod
    def follow(self, start: int, state: State) -> None: ...

    def run_set(self, rest: Traced, whole: Traced, state: State) -> None:
        text = rest.text
        option = re.match(r"\s*/([apAP])\s*", text)
        if option is not None:
            name = re.match(r'\s*"?\s*([^\s"=+*/%&|^<>!~-]+)', text[option.end() :])
            if name is not None:
                shape = "the value of an expression" if option.group(1) in "aA" else "somebody types it"
                gap = Hole(f"%{name.group(1)}%", shape, Decider.OUTSIDE, name=name.group(1))
                state.put(name.group(1), hole(gap, rest.route))
            return
        found = _SET.fullmatch(text.rstrip("\r\n"))
        if found is None:
            return
        at = 1 if found.group(1) is not None else 3
        value = rest.cut(*found.span(at + 1))
        state.put(found.group(at).strip() if at == 1 else found.group(at), value if len(value) else None)

    def run_setlocal(self, rest: Traced, whole: Traced, state: State) -> None:
        state.locals = (*state.locals, state.variables.copy())
        said = rest.text.lower()
        if "delayedexpansion" in said:
            state.variables.delayed = "enabledelayed" in said

    def run_endlocal(self, rest: Traced, whole: Traced, state: State) -> None:
        if state.locals:
            kept = state.variables
            state.variables, state.locals = state.locals[-1].copy(), state.locals[:-1]
            state.variables.loop, state.variables.arguments = kept.loop, kept.arguments

    def run_shift(self, rest: Traced, whole: Traced, state: State) -> None:
        if state.variables.arguments is not None:
            state.variables.arguments = state.variables.arguments[1:]

    def run_exit(self, rest: Traced, whole: Traced, state: State) -> None:
        code = rest.text.lower().replace("/b", "").strip()
        if code in ("0",):
            self.noting.next_program()
        else:
            self.noting.looked()
        state.left = "exit"

    def run_goto(self, rest: Traced, whole: Traced, state: State) -> None:
        target = rest.text.strip().lstrip(":").split()[:1]
        label = target[0].lower() if target else "eof"
        if not rest.known:
            label = "?"
        if label != "eof":
            jumped = state.copy()
            self.jumps = [*self.jumps, (label, jumped)]
        state.left = "exit" if label == "eof" else f":{label}"

    def run_call(self, rest: Traced, whole: Traced, state: State) -> None:
        again = late(expand(rest, state.variables, self.mode), state.variables)
        found = re.match(r"\s*:([^\s:+,;=]+)", again.text)
        if found is None:
            self.line(again, whole, state, "", called=True)
            return
        label = found.group(1).lower()
        if label == "eof" or label not in self.labels or self.depth >= _MAX_DEPTH:
            return
        inner = state.copy()
        inner.locals = ()
        inner.variables.arguments = tuple(Traced(w.pieces) for w in arguments(again, found.end()))
        waiting, self.jumps = self.jumps, []
        self.depth += 1
        saved, route = self.via, next((p.route for p in whole.pieces if p.route), ())
        self.via = (*self.via, *route[:1])
        self.follow(self.labels[label] + 1, inner)
        self.via = saved
        self.depth -= 1
        self.jumps = waiting
        inner.variables.arguments = state.variables.arguments
        state.variables = inner.locals[0] if inner.locals else inner.variables
        state.world, state.answers = inner.world, inner.answers

    def run_start(self, rest: Traced, whole: Traced, state: State) -> None:
        """`start "title" /wait PROGRAM …`."""
        made = arguments(rest, 0)
        at = 0
        if made and rest.text.lstrip().startswith('"'):
            at = 1
        while at < len(made) and _START_OPTION.fullmatch(made[at].text):
            at += 1
        if at >= len(made):
            return
        since = len(self.noting.commands)
        wrapper = (words(whole)[0][:1] or [made[0]])[0]
        site = Site(
            tuple(made[at:]), (), state.variables.environment, (), state.assumed, wrappers=((wrapper,),), via=self.via
        )
        self.noting.note(site)
        self.noting.lose(since)
