"""Evaluation: walking the syntax in every world that is possible (POSIX.1-2024 XCU 2.9–2.15; bash manual 3.2, 3.7).

Control flow is here; simple commands are in ``simple``, builtins in ``builtins``. Nothing is executed: a command that
is met is noted, and its exit status is unknown unless it is a builtin's that is known.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from flagguard.command import Dialect, Script
from flagguard.hosts import Setting
from flagguard.shell.conditions import Outcome, conditional, equals
from flagguard.shell.arithmetic import assigned
from flagguard.shell.expand import Expander
from flagguard.shell.parser import Parsed, parse
from flagguard.shell.record import Record, Recorder
from flagguard.shell.simple import Simples
from flagguard.shell.state import Flow, Var, World, merge
from flagguard.shell.syntax import (
    After,
    AndOr,
    Arithmetic,
    Case,
    CFor,
    CommandSub,
    Cond,
    For,
    Function,
    Group,
    If,
    ListNode,
    Loop,
    Node,
    Pipeline,
    ProcessSub,
    Redirect,
    Redirected,
    Simple,
    Subshell,
    WordNode,
)
from flagguard.text import EMPTY, Decider, Hole, Problem, Traced, compact, hole

T = TypeVar("T")

MAX_WORLDS = 32
MAX_TURNS = 64
"""Iterations of a loop whose course is known; past it, what the loop sets is a hole."""
MAX_CALLS = 12
"""How deep functions, sourced files and `sh -c` may go into each other."""
MAX_STEPS = 200_000
"""Commands evaluated in one script; a bound on what an adversarial script may cost."""


class Fork(Exception):
    """An expansion cannot go on without a choice between so many options."""

    def __init__(self, options: int) -> None:
        super().__init__()
        self.options = options


class TooMuch(Exception):
    """The script costs more than the bound."""


@dataclass(frozen=True, slots=True)
class Context:
    """How a command stands in its surroundings."""

    tested: bool = False
    """Its failure is looked at (`if`, the left of `||`): errexit does not see it."""
    last: bool = True
    """Its exit status is that of the whole script."""
    swallowed: bool = False
    """Nothing can notice its failure (before a pipe, in the background)."""


class Interpreter:
    """Evaluates one script on one platform."""

    def __init__(self, script: Script, platform: str, setting: Setting) -> None:
        self.script = script
        self.platform = platform
        self.setting = setting
        self.bash = script.dialect is Dialect.BASH
        self.recorder = Recorder()
        self.problems: list[Problem] = []
        self.depends: set[str] = set()
        self.asked_platform = False
        self.expander = Expander(self)
        self.simples = Simples(self)
        self.depth = 0
        self.steps = 0
        self.called: set[str] = set()
        self.alternatives = 0
        """How many lists with ``||`` are being evaluated."""
        self._plan: list[int] | None = None
        self._next = 0

    # -- forks inside expansions

    def choose(self, world: World, options: Sequence[tuple[str | None, bool]]) -> int:
        if self._plan is None:
            return 0
        if self._next >= len(self._plan):
            raise Fork(len(options))
        taken = self._plan[self._next]
        self._next += 1
        what, opt_in = options[taken]
        if what is not None:
            world.assume(what, opt_in)
        return taken

    def branch(self, world: World, compute: Callable[[World], T]) -> list[tuple[World, T]]:
        """``compute`` in every world that its choices make; it is run again for each."""
        out: list[tuple[World, T]] = []
        plans: list[list[int]] = [[]]
        outer = self._plan, self._next
        while plans:
            plan = plans.pop()
            trial = world.copy()
            self._plan, self._next = plan, 0
            try:
                out.append((trial, compute(trial)))
            except Fork as fork:
                if len(out) + len(plans) < MAX_WORLDS:
                    plans.extend([*plan, i] for i in reversed(range(fork.options)))
                else:
                    plans.append([*plan, 0])
            finally:
                self._plan, self._next = outer
        return out

    # -- substitutions

    def substitute(self, node: CommandSub, world: World) -> Traced:
        before = world.when
        file = _read_file(node)
        if file is not None:
            self.expander.single(file, world)
            world.succeed(None)
            return hole(Hole(node.shown, "the contents of a file", Decider.REPOSITORY), node.route)
        inner = self.subshell(world)
        inner.out = ()
        self.simples.listening.append(node.shown)
        try:
            ends = self.finish(self.run_list(node.body, [inner], Context(tested=True, last=True)))
        finally:
            self.simples.listening.pop()
        if not ends:
            return EMPTY
        results: list[tuple[Traced, World]] = []
        for end in ends:
            text = _without_newlines(Traced(compact(end.out or ())))
            if not any(text.pieces == other.pieces for other, _ in results):
                results.append((text, end))
        # Files, commands and the like decide how it ends: worlds of the caller are only made where the text differs.
        taken = 0
        if len(results) > 1:
            options = []
            for _, end in results:
                added = [w for w in end.when if w not in before]
                options.append((" and ".join(added) or None, end.opt_in and not world.opt_in))
            taken = self.choose(world, options)
        text, end = results[taken]
        world.status, world.code = end.status, end.code
        return text.through(node.route) if not _is_own(text, node) else text

    def process(self, node: ProcessSub, world: World) -> Traced | None:
        inner = self.subshell(world)
        inner.out = ()
        self.simples.listening.append(node.shown)
        ends = self.finish(self.run_list(node.body, [inner], Context(swallowed=True)))
        self.simples.listening.pop()
        texts = [Traced(compact(w.out or ())) for w in ends]
        return texts[0] if texts and all(t.pieces == texts[0].pieces for t in texts) else None

    def subshell(self, world: World) -> World:
        """The world as a subshell begins with it."""
        inner = world.copy()
        inner.frames = (*inner.frames, {})
        inner.on_exit = None
        return inner

    def finish(self, ends: list[World]) -> list[World]:
        """The end of a shell: its EXIT trap runs."""
        out: list[World] = []
        for end in ends:
            if end.on_exit is None:
                out.append(end)
                continue
            status, code, text = end.status, end.code, end.on_exit
            end.flow, end.on_exit = None, None
            for after in self.run_text(text, [end], Context(swallowed=True)):
                after.status, after.code = status, code
                out.append(after)
        return out

    # -- lists

    def run(self, node: Node, world: World, context: Context) -> list[World]:
        """The worlds after ``node``."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooMuch
        match node:
            case Simple():
                return self.simples.run(node, world, context)
            case AndOr():
                return self._and_or(node, world, context)
            case Pipeline():
                return self._pipeline(node, world, context)
            case ListNode():
                return self.run_list(node, [world], context)
            case Group(body):
                return self.run_list(body, [world], context)
            case Subshell(body):
                return self._subshell(body, world, context)
            case If():
                return self._if(node, world, context)
            case Case():
                return self._case(node, world, context)
            case For():
                return self._for(node, world, context)
            case CFor():
                return self._c_for(node, world, context)
            case Loop():
                return self._loop(node, world, context)
            case Function(name, body):
                world.define(name, body)
                world.succeed()
                return [world]
            case Cond(test, shown, _):
                outcomes = [
                    outcome
                    for trial, found in self.branch(
                        world, lambda w: conditional(test, w, self.expander, shown)
                    )
                    for outcome in found
                ]
                return _statuses(outcomes)
            case Arithmetic(expression, shown):
                out = []
                for trial, value in self.branch(world, lambda w: self.expander.number(expression, w)):
                    trial.succeed(None if value is None else value != 0)
                    if value is None:
                        self._forget_assigned(expression, trial)
                    out.append(trial)
                return out
            case Redirected(inner, redirects):
                return self._redirected(inner, redirects, world, context)

    def _forget_assigned(self, expression: WordNode, world: World) -> None:
        for name in assigned(expression.shown):
            gap = Hole(f"${name}", "a number that is not known", Decider.OUTSIDE, name=name)
            world.assign(name, hole(gap))

    def run_list(self, node: ListNode, worlds: list[World], context: Context) -> list[World]:
        """The commands of a list in turn. Worlds whose flow has left the list are carried along."""
        gone: list[World] = []
        size = len(node.items)
        for i, item in enumerate(node.items):
            if not worlds:
                break
            inner = replace(context, last=context.last and i == size - 1)
            after: list[World] = []
            for world in worlds:
                if item.background:
                    self._background(item.node, world)
                    after.append(world)
                else:
                    after.extend(self.run(item.node, world, inner))
            if not isinstance(item.node, AndOr) and not (isinstance(item.node, Pipeline) and item.node.negated):
                for world in after:
                    _exit_on_failure(world, context)
            gone.extend(w for w in after if w.flow is not None)
            looked_at = i == size - 1 and (context.tested or context.last)
            worlds = merge([w for w in after if w.flow is None], MAX_WORLDS, looked_at)
        return worlds + merge(gone, MAX_WORLDS, statuses=True)

    def _background(self, node: Node, world: World) -> None:
        inner = self.subshell(world)
        inner.out = None
        self.finish(self.run(node, inner, Context(swallowed=True, last=False)))
        world.succeed()

    def settle(self, noted: Sequence[Record], failures: Sequence[World], context: Context) -> None:
        """Decide whether the failure of the commands noted is noticed: by what the worlds come to where they fail."""
        for world in failures:
            noticed = world.flow in (Flow.EXIT, Flow.RETURN) and world.status is not True
            noticed = noticed or (world.status is not True and (context.last or "errexit" in world.options))
            if not noticed:
                for record in noted:
                    record.ignored = True
                return

    def _and_or(self, node: AndOr, world: World, context: Context) -> list[World]:
        tested = replace(context, tested=True)
        mark = len(self.recorder.journal)
        alternative = any(op == "||" for op, _ in node.rest)
        self.alternatives += alternative
        worlds = self.run(node.first, world, tested)
        self.alternatives -= alternative
        names = self._shown(node.first)
        for i, (op, following) in enumerate(node.rest):
            last = i == len(node.rest) - 1
            inner = replace(context, last=context.last and last) if last else replace(tested, last=False)
            stay: list[World] = []
            go: list[World] = []
            for one in worlds:
                if one.flow is not None:
                    stay.append(one)
                    continue
                for split, truth in by_status(one, names):
                    (go if truth is (op == "&&") else stay).append(split)
            here = len(self.recorder.journal)
            after = [w for one in merge(go, MAX_WORLDS) for w in self.run(following, one, inner)]
            if last:
                for one in after:
                    _exit_on_failure(one, context)
            if op == "||":
                self.settle(self.recorder.journal[mark:here], after, context)
            names = self._shown(following)
            worlds = merge(stay + after, MAX_WORLDS, statuses=True)
        return worlds

    def _shown(self, node: Node) -> str:
        match node:
            case Simple():
                return " ".join(node.shown.split())
            case Redirected(inner, _):
                return self._shown(inner)
            case Cond(_, shown, _) | Arithmetic(_, shown):
                return shown
            case Pipeline(commands, negated):
                text = " | ".join(self._shown(c) for c in commands)
                return f"! {text}" if negated else text
        return "the command before"

    def _pipeline(self, node: Pipeline, world: World, context: Context) -> list[World]:
        if not node.commands:
            world.succeed(False)
            return [world]
        if len(node.commands) == 1:
            inner = replace(context, tested=True) if node.negated else context
            mark = len(self.recorder.journal)
            worlds = self.run(node.commands[0], world, inner)
            if node.negated:
                if not context.tested:
                    for record in self.recorder.journal[mark:]:
                        record.ignored = True
                for one in worlds:
                    if one.flow is None:
                        one.succeed(None if one.status is None else not one.status)
            return worlds
        heard = world.stdin
        checked = "pipefail" in world.options
        statuses: set[bool | None] = set()
        for command in node.commands[:-1]:
            inner_world = self.subshell(world)
            inner_world.out, inner_world.stdin = (), heard
            self.simples.listening.append(f"$({self._shown(command)})")
            ends = self.finish(self.run(command, inner_world, Context(swallowed=not checked, tested=context.tested)))
            self.simples.listening.pop()
            texts = [Traced(compact(w.out or ())) for w in ends]
            heard = texts[0] if texts and all(t.pieces == texts[0].pieces for t in texts) else None
            statuses |= {w.status for w in ends}
        last = self.subshell(world)
        last.stdin = heard
        ends = self.finish(self.run(node.commands[-1], last, context))
        out = []
        for end in merge(ends, MAX_WORLDS, statuses=True):
            status = end.status
            if checked and status is not False and statuses - {True}:
                status = False if statuses == {False} else None
            if node.negated and status is not None:
                status = not status
            back = self._back(world, end)
            if status is not end.status:
                back.succeed(status)
            out.append(back)
        return merge(out, MAX_WORLDS, statuses=True)

    def _back(self, world: World, end: World) -> World:
        """The shell after a subshell that ended as ``end``: only the status, the output and the assumptions stay."""
        back = world.copy()
        back.status, back.code = end.status, end.code
        back.out = end.out
        back.when = end.when
        back.opt_in = end.opt_in
        return back

    def _subshell(self, body: ListNode, world: World, context: Context) -> list[World]:
        ends = self.finish(self.run_list(body, [self.subshell(world)], context))
        return merge([self._back(world, end) for end in ends], MAX_WORLDS, statuses=True)

    def _redirected(self, inner: Node, redirects: Sequence[Redirect], world: World, context: Context) -> list[World]:
        out = []
        for trial, redirected in self.branch(world, lambda w: self.simples.redirect(redirects, w)):
            heard, stdin = trial.out, trial.stdin
            if redirected.replaced:
                trial.stdin = redirected.given
            if redirected.silent:
                trial.out = None if trial.out is None else ()
            for end in self.run(inner, trial, context):
                if redirected.silent:
                    end.out = heard
                if redirected.replaced:
                    end.stdin = stdin
                out.append(end)
        return out

    # -- branches

    def _if(self, node: If, world: World, context: Context) -> list[World]:
        out: list[World] = []
        waiting = [world]
        for i, (test, body) in enumerate(node.arms):
            mark = len(self.recorder.journal)
            tested = self.conditions(test, waiting, context)
            noted = self.recorder.journal[mark:]
            yes = [w for w, truth in tested if truth]
            waiting = merge([w for w, truth in tested if not truth and w.flow is None], MAX_WORLDS)
            out += [w for w, truth in tested if not truth and w.flow is not None]
            ends = self.run_list(body, merge(yes, MAX_WORLDS), context)
            out += ends
            # A command that `if` tests is noticed when its failing leads out of the script.
            if _is_negated(test):
                self.settle(noted, ends, context)
            elif i == len(node.arms) - 1:
                waiting = self._else(node, waiting, context)
                self.settle(noted, waiting, context)
                return out + waiting
            else:
                self.settle(noted, [w.copy() for w in waiting], context)
        return out + self._else(node, waiting, context)

    def _else(self, node: If, waiting: list[World], context: Context) -> list[World]:
        if node.orelse is not None:
            return self.run_list(node.orelse, waiting, context)
        for one in waiting:
            one.succeed()
        return waiting

    def conditions(self, test: ListNode, worlds: list[World], context: Context, told: bool = True) -> list[Outcome]:
        """The outcomes of a list that is a condition; ``told``: what it assumes is worth saying."""
        ends = self.run_list(test, worlds, replace(context, tested=True, last=False))
        names = self._shown(test.items[-1].node) if test.items else "the condition"
        out: list[Outcome] = []
        for end in ends:
            if end.flow is not None:
                out.append((end, False))
            else:
                out += by_status(end, names, told, _is_negated(test))
        return out

    def _case(self, node: Case, world: World, context: Context) -> list[World]:
        out: list[World] = []
        for trial, text in self.branch(world, lambda w: self.expander.single(node.word, w)):
            out += self._arms(node, 0, text, trial, context)
        return out

    def _arms(self, node: Case, start: int, text: Traced, world: World, context: Context) -> list[World]:
        waiting = [world]
        out: list[World] = []
        for i in range(start, len(node.arms)):
            arm = node.arms[i]
            taken: list[World] = []
            for pattern_node in arm.patterns:
                following: list[World] = []
                for one in waiting:
                    pattern = self.expander.pattern(pattern_node, one)
                    shown = f"{node.word.shown} is {pattern_node.shown}"
                    for end, truth in equals(text, pattern, False, one, shown):
                        (taken if truth else following).append(end)
                waiting = following
            if taken:
                out += self._arm(node, i, text, merge(taken, MAX_WORLDS), context)
            if not waiting:
                return out
        for one in waiting:
            one.succeed()
        return out + waiting

    def _arm(self, node: Case, i: int, text: Traced, worlds: list[World], context: Context) -> list[World]:
        ends = self.run_list(node.arms[i].body, worlds, context)
        after = node.arms[i].after
        if after is After.STOP or i + 1 >= len(node.arms):
            return ends
        out = [w for w in ends if w.flow is not None]
        going = [w for w in ends if w.flow is None]
        if after is After.FALL:
            return out + self._arm(node, i + 1, text, going, context)
        return out + [w for one in going for w in self._arms(node, i + 1, text, one, context)]

    # -- loops

    def _for(self, node: For, world: World, context: Context) -> list[World]:
        def words(trial: World) -> list[Traced]:
            if node.words is None:
                if trial.args_known:
                    return list(trial.args)
                return [hole(Hole("$@", "the script's arguments", Decider.OUTSIDE))]
            return [w for n in node.words for w in self.expander.words(n, trial)[0]]

        out: list[World] = []
        for trial, values in self.branch(world, words):
            if node.select and values:
                gap = Hole(f"${node.name}", "what the user selects", Decider.OUTSIDE, name=node.name)
                values = [hole(gap)]
            if len(values) > MAX_TURNS:
                gap = Hole(f"${node.name}", f"one of {len(values)} words", Decider.REPOSITORY, name=node.name)
                values = [hole(gap)]
            out += self._turns(node, values, trial, context)
        return out

    def _turns(self, node: For, values: list[Traced], world: World, context: Context) -> list[World]:
        worlds, out = [world], list[World]()
        if not values:
            world.succeed()
        inner = replace(context, last=False)
        for value in values:
            text = Traced(value.pieces)
            for one in worlds:
                one.put(node.name, Var(text, exported=one.vars.get(node.name, Var()).exported))
            worlds, left = self._turn(node.body, worlds, inner)
            out += left
            if not worlds:
                break
        return out + worlds

    def _turn(self, body: ListNode, worlds: list[World], context: Context) -> tuple[list[World], list[World]]:
        """One iteration: the worlds that go on with the loop, and those that have left it."""
        going: list[World] = []
        left: list[World] = []
        for end in self.run_list(body, worlds, context):
            if end.flow is Flow.CONTINUE:
                end.levels -= 1
                if end.levels <= 0:
                    end.flow = None
                    going.append(end)
                else:
                    left.append(end)
            elif end.flow is Flow.BREAK:
                end.levels -= 1
                if end.levels <= 0:
                    end.flow = None
                left.append(end)
            elif end.flow is not None:
                left.append(end)
            else:
                going.append(end)
        return merge(going, MAX_WORLDS), merge(left, MAX_WORLDS)

    def _c_for(self, node: CFor, world: World, context: Context) -> list[World]:
        self.expander.number(node.start, world)

        def test(one: World) -> list[Outcome]:
            value = self.expander.number(node.test, one) if node.test.shown.strip() else 1
            if value is None:
                return by_status(one, node.test.shown)
            return [(one, value != 0)]

        def step(one: World) -> None:
            if self.expander.number(node.step, one) is None:
                self._forget_assigned(node.step, one)

        return self._while(test, node.body, world, context, step)

    def _loop(self, node: Loop, world: World, context: Context) -> list[World]:
        def test(one: World) -> list[Outcome]:
            found = self.conditions(node.test, [one], context, told=False)
            return [(w, truth is not node.until) for w, truth in found]

        return self._while(test, node.body, world, context)

    def _while(
        self,
        test: Callable[[World], list[Outcome]],
        body: ListNode,
        world: World,
        context: Context,
        step: Callable[[World], None] = lambda one: None,
    ) -> list[World]:
        inner = replace(context, last=False)
        worlds, out = [world], list[World]()
        open_turns = 0
        for turn in range(MAX_TURNS + 1):
            before = [dict(w.vars) for w in worlds]
            tested = [outcome for one in worlds for outcome in test(one)]
            out += [w for w, truth in tested if not truth]
            for one, truth in tested:
                if not truth and one.flow is None:
                    one.succeed()
            yes = [w for w, truth in tested if truth]
            if not yes:
                break
            if len(yes) < len(tested) or turn >= MAX_TURNS:
                open_turns += 1
            worlds, left = self._turn(body, merge(yes, MAX_WORLDS), inner)
            out += left
            for one in worlds:
                step(one)
            if not worlds:
                break
            if open_turns >= 2:
                # Nobody knows how often it runs: what it changes is not known from here on.
                out += self._any_turn(body, worlds, before, inner)
                break
            if turn >= MAX_TURNS - 1:
                open_turns = 1
        return merge(out, MAX_WORLDS)

    def _any_turn(
        self, body: ListNode, worlds: list[World], before: list[dict[str, Var]], context: Context
    ) -> list[World]:
        for one in worlds:
            for name, var in list(one.vars.items()):
                if any(b.get(name) != var for b in before):
                    gap = Hole(f"${name}", "a loop changes it", Decider.REPOSITORY, name=name)
                    one.put(name, replace(var, value=hole(gap), items=None))
        going, left = self._turn(body, worlds, context)
        return going + left

    # -- nested texts

    def run_text(self, source: Traced, worlds: list[World], context: Context, bash: bool | None = None) -> list[World]:
        """The commands of a text that the shell reads anew (`eval`, `sh -c`)."""
        parsed = self.read(source, self.bash if bash is None else bash)
        outer = self.bash
        if bash is not None:
            self.bash = bash
        try:
            return self.run_list(parsed.body, worlds, context)
        finally:
            self.bash = outer

    def read(self, source: Traced, bash: bool) -> Parsed:
        parsed = parse(source, bash)
        if parsed.error is not None:
            self.problem(source.cut(parsed.error.offset, len(source)) or source, parsed.error.message)
        return parsed

    def problem(self, where: Traced, message: str, fatal: bool = True) -> None:
        route = where.route or self.script.text.route
        if not route:
            return
        span = route[-1]
        source = self.setting.files.read(span.path)
        line = source.position(span.start)[0] if source is not None else 1
        found = Problem(span.path, line, message, fatal=fatal)
        if found not in self.problems:
            self.problems.append(found)


def _exit_on_failure(world: World, context: Context) -> None:
    """errexit (XCU set -e)."""
    if world.status is False and world.flow is None and "errexit" in world.options and not context.tested:
        world.flow = Flow.EXIT


def by_status(world: World, shown: str, told: bool = False, negated: bool = False) -> list[Outcome]:
    """The world by its exit status; unknown: both. That a command succeeds is no assumption worth telling, unless
    ``told``: then it is a condition's. ``negated``: the command stands behind ``!``."""
    if world.status is not None:
        return [(world, world.status)]
    yes, no = world.copy(), world.copy()
    yes.succeed(True)
    no.succeed(False)
    if negated:
        yes.assume(f"`{shown.removeprefix('! ')}` fails")
        return [(yes, True), (no, False)]
    if told:
        yes.assume(f"`{shown}` succeeds")
    no.assume(f"`{shown}` fails")
    return [(yes, True), (no, False)]


def _is_negated(test: ListNode) -> bool:
    last = test.items[-1].node if test.items else None
    return isinstance(last, Pipeline) and last.negated


def _read_file(node: CommandSub) -> WordNode | None:
    """The file of ``$(<file)``."""
    only = node.body.items[0].node if len(node.body.items) == 1 else None
    if isinstance(only, Simple) and not only.words and not only.assigns and len(only.redirects) == 1:
        redirect = only.redirects[0]
        return redirect.target if redirect.op == "<" and not redirect.fd else None
    return None


def _statuses(outcomes: list[Outcome]) -> list[World]:
    for world, truth in outcomes:
        world.succeed(truth)
    return [w for w, _ in outcomes]


def _without_newlines(text: Traced) -> Traced:
    end = len(text)
    value = text.text
    while end and value[end - 1] == "\n":
        end -= 1
    return text if end == len(text) else text.cut(0, end)


def _is_own(text: Traced, node: CommandSub) -> bool:
    return bool(text.pieces) and all(p.route == node.route for p in text.pieces)
