"""Evaluation: walking the syntax in every world that is possible (POSIX.1-2024 XCU 2.9–2.15; bash manual 3.2, 3.7).

Lists, pipelines, subshells and substitutions are here; ``branches`` and ``loops`` have the compound commands,
``simple`` and ``builtins`` the simple ones. Nothing is executed: a command that is met is noted, and its exit status
is unknown unless it is a builtin's that is known.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from flagguard.command import Dialect, Script, Word
from flagguard.hosts import Setting
from flagguard.shell.assign import Assigner
from flagguard.shell.branches import by_status, ended, follow_case, follow_if, shown
from flagguard.shell.choices import Choices
from flagguard.shell.conditions import Outcome, conditional, told
from flagguard.shell.expand import Expander
from flagguard.shell.liveness import Liveness
from flagguard.shell.loops import follow_c_for, follow_for, follow_while
from flagguard.shell.machine import Call, Context
from flagguard.shell.merging import merge
from flagguard.shell.parser import Parsed, parse
from flagguard.shell.pipelines import follow_pipeline
from flagguard.shell.record import Record, Recorder
from flagguard.shell.simple import Simples
from flagguard.shell.state import Flow, Var, World
from flagguard.shell.substitutions import is_own, read_file, without_newlines
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
    Redirected,
    Simple,
    Subshell,
)
from flagguard.shell.written import is_known, prints_text, tree_file, write
from flagguard.text import EMPTY, Decider, Hole, Problem, Route, Span, Traced, compact, hole
from flagguard.values import replace

MAX_WORLDS = 32
MAX_TURNS = 64
MAX_STEPS = 20_000
"""Commands evaluated in one script, and as many more as it has, up to twice: what an adversarial script may cost."""
MAX_PIECES = 600_000
"""Pieces of long texts that are put together."""
_TEXT, _DEEP, _GRAIN = 16, 8, 64
"""What a nested text weighs: itself, twice as much for each text or function around it, and its characters."""
_TIRED = 10_000
"""After so many commands a function that has been followed is not followed again."""
_LONG = ((3_500, 1, 2), (2_000, 2, 4), (1_250, 4, 16), (800, 8, 32), (400, 16, 64))
"""After so many commands only so many worlds go on side by side, and loops are followed for so many turns: a long
script costs what it is long."""
_SHORT = _LONG[-1][0]
_MOST_HEARD = 4096
_PARTED = frozenset({AndOr, Pipeline, If, Case, For, CFor, Loop})
"""Commands of which some part may be run after another."""


class TooMuch(Exception):
    """The script costs more than the bound."""


class Interpreter(Choices):
    """Evaluates one script on one platform; what the parts of the evaluation see as their ``Machine``."""

    def __init__(self, script: Script, platform: str, setting: Setting, size: int = 0) -> None:
        """``size``: how many simple commands the script has."""
        super().__init__()
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
        self.course = Liveness(self.called)
        self.sets: dict[int, tuple[Node, tuple[str, ...]]] = {}
        self.open_calls: list[tuple[Word, World]] = []
        self.wrapped: tuple[tuple[Word, ...], ...] = ()
        self.listening: list[str] = []
        self.substituted = 0
        self.answered: tuple[bool | None, int | None] = (None, None)

        self.alternatives = 0
        self.parsed: set[Span] = set()
        """Where the simple commands of nested texts and sourced files stand."""
        self.reached: set[Span] = set()
        """Where those stand that were evaluated."""
        self._steps = self._pieces = 0
        self._most_steps = MAX_STEPS + min(size, MAX_STEPS)
        self._runs = self._runners()
        self._heard: dict[tuple[int, ...], tuple[CommandSub, Traced, Traced]] = {}
        """What substitutions have printed, seen from them, by the identity of both, which are held."""
        self._read: dict[tuple[str, bool, Route], list[tuple[Traced, Parsed]]] = {}

    @property
    def limit(self) -> int:
        return MAX_WORLDS if self._steps <= _SHORT else self._bounds()[1]

    @property
    def turns(self) -> int:
        return MAX_TURNS if self._steps <= _SHORT else self._bounds()[2]

    def _bounds(self) -> tuple[int, int, int]:
        for bounds in _LONG:
            if self._steps > bounds[0]:
                return bounds
        return 0, MAX_WORLDS, MAX_TURNS

    @property
    def tired(self) -> bool:
        return self._steps > _TIRED

    def know(self, other: "Interpreter") -> None:
        """What the evaluation on another platform has read of texts, and made of words: they say the same here."""
        self._read = other._read
        self.course.know(other.course)
        self.simples.know(other.simples)
        self.expander.know(other.expander)

    def end(self) -> None:
        """Let go of what holds each other in a circle, so that all of it goes at once."""
        self._runs = {}
        del self.expander.parameters, self.simples, self.assigner, self.expander

    def weigh(self, pieces: int) -> None:
        self._pieces += pieces
        if self._pieces > MAX_PIECES:
            raise TooMuch

    def merged(self, worlds: list[World], statuses: bool = False) -> list[World]:
        return merge(worlds, self.limit, statuses, self.course.alive)

    def dispatch(self, call: Call, world: World) -> list[World]:
        return self.simples.dispatch(call, world)

    def assign(self, node: Assign, world: World, declared: Var | None = None) -> None:
        self.assigner.assign(node, world, declared)

    # -- substitutions

    def substitute(self, node: CommandSub, world: World) -> Traced:
        if world.flow is not None:
            return EMPTY
        self.substituted += 1
        before = world.when
        file = read_file(node)
        if file is not None:
            name = tree_file(self, self.expander.single(file, world), world)
            world.succeed(None)
            return hole(Hole(node.shown, "the contents of a file", Decider.REPOSITORY, file=name), node.route)
        results = self.once(lambda: self._prints(node, world))
        if not results:
            return EMPTY
        # Files, commands and the like decide how it ends: worlds of the caller are only made where the text differs.
        taken = 0
        if len(results) > 1:
            options = []
            for _, end in results:
                added = [w for w in end.when if w not in before]
                options.append((" and ".join(added) or None, end.opt_in and not world.opt_in))
            taken = self.choose(world, options)
        text, end = results[taken]
        self.answered = end.status, end.code
        if self.bash:
            world.status, world.code = self.answered
        key = id(node), *map(id, text.pieces)
        known = self._heard.get(key)
        if known is None:
            if len(self._heard) >= _MOST_HEARD:
                self._heard.clear()
            seen = text if is_own(text, node) else text.through(node.route)
            known = self._heard[key] = node, text, seen
        return known[2]

    def _prints(self, node: CommandSub, world: World) -> list[tuple[Traced, World]]:
        """What a substitution prints, each text with a world that it ends in."""
        inner = self.subshell(world)
        inner.out = ()
        self.listening.append(node.shown)
        try:
            ends = self.finish(self.run_list(node.body, [inner], Context(tested=self.bash)))
        finally:
            self.listening.pop()
        results: list[tuple[Traced, World]] = []
        for end in ends:
            text = without_newlines(Traced(compact(end.out or ())))
            if "\0" in text.text:
                text = Traced(tuple(p if p.hole else replace(p, text=p.text.replace("\0", "")) for p in text.pieces))
            if not any(text.pieces == other.pieces for other, _ in results):
                results.append((text, end))
        return results

    def process(self, node: ProcessSub, world: World) -> Traced | None:
        inner = self.subshell(world)
        inner.out = ()
        self.listening.append(node.shown)
        ends = self.finish(self.run_list(node.body, [inner], Context(swallowed=True)))
        self.listening.pop()
        texts = [Traced(compact(w.out or ())) for w in ends]
        text = texts[0] if texts and all(t.pieces == texts[0].pieces for t in texts) else None
        if text is not None and node.shown.startswith("<"):
            write(world, node.shown, text)
        return text

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
        kind = node.__class__
        if kind not in _PARTED:
            return self._runs[kind](node, world, context)
        self.course.enter(node)
        try:
            return self._runs[kind](node, world, context)
        finally:
            self.course.leave()

    def _runners(self) -> dict[type, Callable[[Any, World, Context], list[World]]]:
        return {
            Simple: self.simples.run,
            AndOr: self._and_or,
            Pipeline: partial(follow_pipeline, self),
            ListNode: lambda node, world, context: self.run_list(node, [world], context),
            Group: lambda node, world, context: self.run_list(node.body, [world], context),
            Subshell: self._subshell,
            If: partial(follow_if, self),
            Case: partial(follow_case, self),
            For: partial(follow_for, self),
            CFor: partial(follow_c_for, self),
            Loop: partial(follow_while, self),
            Function: self._define,
            Cond: self._test,
            Arithmetic: self._calculate,
            Redirected: self._redirected,
        }

    def _define(self, node: Function, world: World, context: Context) -> list[World]:
        world.functions[node.name] = node.body
        world.succeed()
        return [world]

    def _test(self, node: Cond, world: World, context: Context) -> list[World]:
        def outcomes(trial: World) -> list[Outcome]:
            before = trial.when
            return told(conditional(node.test, trial, self.expander, node.shown), before, node.shown)

        return _statuses([outcome for _, found in self.branch(world, outcomes) for outcome in found])

    def _calculate(self, node: Arithmetic, world: World, context: Context) -> list[World]:
        out = []
        for trial, value in self.branch(world, lambda w: self.expander.number(node.expression, w)):
            if not trial.recover() and trial.flow is None:
                trial.succeed(None if value is None else value != 0)
            out.append(trial)
        return out

    def run_list(self, node: ListNode, worlds: list[World], context: Context) -> list[World]:
        """The commands of a list in turn. Worlds whose flow has left the list are carried along."""
        place = self.course.enter(node)
        try:
            return self._items(node, worlds, context, place)
        finally:
            self.course.leave()

    def _items(self, node: ListNode, worlds: list[World], context: Context, place: list[int]) -> list[World]:
        gone: list[World] = []
        last = len(node.items) - 1
        inner = context
        if last > 0 and (context.last or context.closing):
            inner = Context(context.tested, False, context.swallowed, False, context.loops)
        discarded = False
        for i, item in enumerate(node.items):
            if not worlds and not (item.closes and discarded):
                continue
            if i == last:
                inner = context
            self.course.advance(place, i)
            after: list[World] = []
            for world in worlds:
                if item.background:
                    self._background(item.node, world)
                    after.append(world)
                else:
                    after.extend(self.run(item.node, world, inner))
            if not context.tested:
                for world in after:
                    if world.status is False and world.flow is None and "errexit" in world.options and not item.tests:
                        world.flow = Flow.EXIT
            if len(after) == 1 and after[0].flow is None and not gone:
                worlds = after
                continue
            going: list[World] = []
            for world in after:
                (going if world.flow is None else gone).append(world)
                discarded = discarded or world.flow is Flow.DISCARD
            looked_at = i == last and (context.tested or context.last)
            if item.closes and discarded:
                # bash reads the next line
                going += [w for w in gone if w.flow is Flow.DISCARD]
                gone = [w for w in gone if w.flow is not Flow.DISCARD]
                for world in going:
                    world.flow = None
                discarded = False
            worlds = self.merged(going, looked_at)
        return worlds + self.merged(gone, statuses=True) if gone else worlds

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
        before = [world.when]
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
            after = [w for one in ended(self, go, before, node, i) for w in self.run(following, one, inner)]
            if last:
                for one in after:
                    _exit_on_failure(one, context)
            if op == "||":
                self.settle(self.recorder.journal[mark:here], after, context)
            names = shown(following)
            worlds = ended(self, stay + after, before, node, i + 1, statuses=True)
            if not last:
                mark_last = len(self.recorder.journal)
        if not alternative and not self._sees_and_lists(world, context):
            for record in self.recorder.journal[mark:mark_last]:
                record.ignored = True
        return worlds

    def _sees_and_lists(self, world: World, context: Context) -> bool:
        """Whether somebody notices that a command before `&&` fails: errexit alone does not (XCU set -e)."""
        return context.last or context.tested or (context.closing and "errexit" in world.options)

    def _subshell(self, node: Subshell, world: World, context: Context) -> list[World]:
        ends = self.finish(self.run_list(node.body, [self.subshell(world)], replace(context, closing=True)))
        return self.merged([world.after(end) for end in ends], statuses=True)

    def _redirected(self, node: Redirected, world: World, context: Context) -> list[World]:
        inner, redirects = node.inner, node.redirects
        out = []
        for trial, redirected in self.branch(world, lambda w: self.simples.redirect(redirects, w)):
            if trial.flow is not None or redirected.fails:
                out.append(trial)
                continue
            heard, stdin, descriptors = trial.out, trial.stdin, trial.descriptors
            if redirected.replaced:
                trial.stdin = redirected.given
            trial.descriptors = redirected.descriptors
            kept = redirected.file if prints_text(inner) or is_known(self, redirected.file, trial) else None
            if redirected.silent:
                trial.out = () if heard is not None or kept is not None else None
            for end in self.run(inner, trial, context):
                if kept is not None:
                    self.simples.keep(end, kept, redirected.appends)
                if redirected.silent:
                    end.out = heard
                if redirected.replaced:
                    end.stdin = stdin
                end.descriptors = descriptors
                if redirected.doubtful and end.status:
                    end.succeed(None)
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
        written = source.pieces[0].route[-1:] if source.pieces else ()
        earlier = self._read.setdefault((source.text, bash, written), [])
        parsed = next((parsed for other, parsed in earlier if other.pieces == source.pieces), None)
        if parsed is None:
            # texts that have texts run, each two more, come to as many as there are grains on a chessboard
            self.weigh((_TEXT << min(self.depth, _DEEP)) + len(source.text) // _GRAIN)
            parsed = parse(source, bash)
            earlier.append((source, parsed))
        self.course.add(parsed.body)
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


def _statuses(outcomes: list[Outcome]) -> list[World]:
    for world, truth in outcomes:
        if not world.recover() and world.flow is None:
            world.succeed(truth)
    return [w for w, _ in outcomes]
