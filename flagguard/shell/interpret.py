"""Evaluation: walking the syntax in every world that is possible (POSIX.1-2024 XCU 2.9–2.15; bash manual 3.2, 3.7).

Lists, pipelines, subshells and substitutions are here; ``branches`` and ``loops`` have the compound commands,
``simple`` and ``builtins`` the simple ones. Nothing is executed: a command that is met is noted, and its exit status
is unknown unless it is a builtin's that is known.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from flagguard.command import Dialect, Script, Word
from flagguard.hosts import Setting
from flagguard.shell.assign import Assigner
from flagguard.shell.branches import by_status, follow_case, follow_if, shown
from flagguard.shell.conditions import Outcome, conditional, told
from flagguard.shell.expand import Expander
from flagguard.shell.loops import follow_c_for, follow_for, follow_while, forget_assigned
from flagguard.shell.machine import Call, Context
from flagguard.shell.parser import Parsed, parse
from flagguard.shell.record import Record, Recorder
from flagguard.shell.simple import Simples
from flagguard.shell.state import Flow, Var, World, merge
from flagguard.shell.syntax import (
    AndOr,
    Arithmetic,
    Assign,
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
from flagguard.shell.written import prints_text
from flagguard.text import EMPTY, Decider, Hole, Problem, Span, Traced, compact, hole
from flagguard.values import replace

T = TypeVar("T")

MAX_WORLDS = 32
MAX_TURNS = 64
MAX_STEPS = 20_000
"""Commands evaluated in one script, and as many more as it has, up to twice: what an adversarial script may cost."""
_TIRED = 10_000
"""After so many commands a function that has been followed is not followed again."""
_LONG = ((7_000, 1, 2), (4_000, 2, 4), (2_500, 4, 16), (1_500, 8, 32), (800, 16, 64))
"""After so many commands only so many worlds go on side by side, and loops are followed for so many turns: a long
script costs what it is long."""


class Fork(Exception):
    """An expansion cannot go on without a choice between so many options."""

    def __init__(self, options: int) -> None:
        super().__init__()
        self.options = options


class TooMuch(Exception):
    """The script costs more than the bound."""


class Interpreter:
    """Evaluates one script on one platform; what the parts of the evaluation see as their ``Machine``."""

    def __init__(self, script: Script, platform: str, setting: Setting, size: int = 0) -> None:
        """``size``: how many simple commands the script has."""
        self.script = script
        self.platform = platform
        self.setting = setting
        self.bash = script.dialect is Dialect.BASH
        self.recorder = Recorder()
        self.problems: list[Problem] = []
        self.depends: set[str] = set()
        self.asked_platform = False
        self.expander = Expander(self)
        self.assigner = Assigner(self.expander)
        self.simples = Simples(self, self.assigner)
        self.depth = 0
        self.called: set[str] = set()
        self.open_calls: list[tuple[Word, World]] = []
        self.wrapped: tuple[tuple[Word, ...], ...] = ()
        self.listening: list[str] = []
        self.alternatives = 0
        self.parsed: set[Span] = set()
        """Where the simple commands of nested texts and sourced files stand."""
        self.reached: set[Span] = set()
        """Where those stand that were evaluated."""
        self._steps = 0
        self._most_steps = MAX_STEPS + min(size, MAX_STEPS)
        self._plan: list[int] | None = None
        self._next = 0

    @property
    def limit(self) -> int:
        if self._steps <= _LONG[-1][0]:
            return MAX_WORLDS
        return next(worlds for steps, worlds, _ in _LONG if self._steps > steps)

    @property
    def turns(self) -> int:
        return next((turns for steps, _, turns in _LONG if self._steps > steps), MAX_TURNS)

    @property
    def tired(self) -> bool:
        return self._steps > _TIRED

    def dispatch(self, call: Call, world: World) -> list[World]:
        return self.simples.dispatch(call, world)

    def assign(self, node: Assign, world: World, declared: Var | None = None) -> None:
        self.assigner.assign(node, world, declared)

    # -- forks inside expansions

    def choose(self, world: World, options: Sequence[tuple[str | None, bool]]) -> int:
        if self._plan is None:
            return 0
        if self._next >= len(self._plan):
            raise Fork(len(options))
        # The same expansion may find fewer options when it is made again: a bound on the worlds has been reached.
        taken = min(self._plan[self._next], len(options) - 1)
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
                if len(out) + len(plans) < self.limit:
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
        self.listening.append(node.shown)
        try:
            ends = self.finish(self.run_list(node.body, [inner], Context(tested=self.bash)))
        finally:
            self.listening.pop()
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
        self.listening.append(node.shown)
        ends = self.finish(self.run_list(node.body, [inner], Context(swallowed=True)))
        self.listening.pop()
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
        self._steps += 1
        if self._steps > self._most_steps:
            raise TooMuch
        match node:
            case Simple():
                if node.route:
                    self.reached.add(node.route[-1])
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
                return follow_if(self, node, world, context)
            case Case():
                return follow_case(self, node, world, context)
            case For():
                return follow_for(self, node, world, context)
            case CFor():
                return follow_c_for(self, node, world, context)
            case Loop():
                return follow_while(self, node, world, context)
            case Function(name, body):
                world.functions[name] = body
                world.succeed()
                return [world]
            case Cond(test, text, _):
                tried = self.branch(world, lambda w: told(conditional(test, w, self.expander, text), w.when, text))
                return _statuses([outcome for _, found in tried for outcome in found])
            case Arithmetic(expression, _):
                out = []
                for trial, value in self.branch(world, lambda w: self.expander.number(expression, w)):
                    trial.succeed(None if value is None else value != 0)
                    if value is None:
                        forget_assigned(expression, trial)
                    out.append(trial)
                return out
            case Redirected(inner, redirects):
                return self._redirected(inner, redirects, world, context)

    def run_list(self, node: ListNode, worlds: list[World], context: Context) -> list[World]:
        """The commands of a list in turn. Worlds whose flow has left the list are carried along."""
        gone: list[World] = []
        size = len(node.items)
        around = context.last or context.closing
        for i, item in enumerate(node.items):
            if not worlds:
                break
            inner = context if i == size - 1 or not around else replace(context, last=False, closing=False)
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
            worlds = merge([w for w in after if w.flow is None], self.limit, looked_at)
        return worlds + merge(gone, self.limit, statuses=True)

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
        names = shown(node.first)
        mark_last = len(self.recorder.journal)
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
            after = [w for one in merge(go, self.limit) for w in self.run(following, one, inner)]
            if last:
                for one in after:
                    _exit_on_failure(one, context)
            if op == "||":
                self.settle(self.recorder.journal[mark:here], after, context)
            names = shown(following)
            worlds = merge(stay + after, self.limit, statuses=True)
            if not last:
                mark_last = len(self.recorder.journal)
        if not alternative and not self._sees_and_lists(world, context):
            for record in self.recorder.journal[mark:mark_last]:
                record.ignored = True
        return worlds

    def _sees_and_lists(self, world: World, context: Context) -> bool:
        """Whether somebody notices that a command before `&&` fails: errexit alone does not (XCU set -e)."""
        return context.last or context.tested or (context.closing and "errexit" in world.options)

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
            self.listening.append(f"$({shown(command)})")
            ends = self.finish(self.run(command, inner_world, Context(swallowed=not checked, tested=context.tested)))
            self.listening.pop()
            texts = [Traced(compact(w.out or ())) for w in ends]
            heard = texts[0] if texts and all(t.pieces == texts[0].pieces for t in texts) else None
            statuses |= {w.status for w in ends}
        last = self.subshell(world)
        last.stdin = heard
        ends = self.finish(self.run(node.commands[-1], last, context))
        out = []
        for end in merge(ends, self.limit, statuses=True):
            status = end.status
            if checked and status is not False and statuses - {True}:
                status = False if statuses == {False} else None
            if node.negated and status is not None:
                status = not status
            back = world.after(end)
            if status is not end.status:
                back.succeed(status)
            out.append(back)
        return merge(out, self.limit, statuses=True)

    def _subshell(self, body: ListNode, world: World, context: Context) -> list[World]:
        ends = self.finish(self.run_list(body, [self.subshell(world)], replace(context, closing=True)))
        return merge([world.after(end) for end in ends], self.limit, statuses=True)

    def _redirected(self, inner: Node, redirects: Sequence[Redirect], world: World, context: Context) -> list[World]:
        out = []
        for trial, redirected in self.branch(world, lambda w: self.simples.redirect(redirects, w)):
            heard, stdin = trial.out, trial.stdin
            if redirected.replaced:
                trial.stdin = redirected.given
            kept = redirected.file if prints_text(inner) else None
            if redirected.silent:
                trial.out = () if heard is not None or kept is not None else None
            for end in self.run(inner, trial, context):
                if kept is not None:
                    self.simples.keep(end, kept, redirected.appends)
                if redirected.silent:
                    end.out = heard
                if redirected.replaced:
                    end.stdin = stdin
                out.append(end)
        return out

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
        self.parsed.update(c.route[-1] for c in parsed.commands if c.route)
        if parsed.error is not None:
            # With a hole in it the text may well be right: then it is only not known what it runs.
            where = source.cut(parsed.error.offset, len(source)) or source
            known = source.known and not any(p.unset for p in source.pieces)
            self.problem(where, parsed.error.message, fatal=known)
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
