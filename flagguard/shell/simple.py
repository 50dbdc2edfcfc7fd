"""Simple commands (POSIX.1-2024 XCU 2.9.1): expansion and redirections, then what the words name."""

from collections.abc import Sequence

from flagguard.command import Dialect, Word
from flagguard.shell.aliases import aliased, run_aliased
from flagguard.shell.assign import Assigner
from flagguard.shell.builtins import BUILTINS
from flagguard.shell.functions import call_function, may_name_functions
from flagguard.shell.inside import enter, run_written
from flagguard.shell.machine import Call, Context, Machine
from flagguard.shell.noting import note, with_lost_program
from flagguard.shell.peeled import Peeled
from flagguard.shell.state import Flow, Var, World
from flagguard.shell.syntax import Assign, Lit, Param, ProcessSub, Redirect, Simple, WordNode
from flagguard.shell.wrappers import peel
from flagguard.shell.written import file_name, prints_text, write, written
from flagguard.text import Hole, Span, Traced, literal
from flagguard.values import dataclass, replace

_SPECIAL = frozenset(": . break continue eval exec exit export readonly return set shift times trap unset".split())
"""Special builtins: in sh, assignments before them stay (XCU 2.15)."""
_SEES_PREFIX = frozenset({"eval", ".", "source", "read", "unset"})
"""Builtins that look at variables by themselves."""
_TRANSPARENT = frozenset({"command", "builtin", "exec"})
"""Wrappers that are the shell itself: what they run may be a builtin."""


@dataclass(frozen=True, slots=True)
class Redirected:
    """What redirections mean for a command."""

    given: Traced | None = None
    """Its standard input, where it is text of the script."""
    replaced: bool = False
    """Its standard input is something else than the caller's."""
    silent: bool = False
    """Its standard output goes elsewhere."""
    file: str | None = None
    """A file that it goes to,"""
    appends: bool = False
    """at its end."""


@dataclass(frozen=True, slots=True)
class Expanded:
    words: tuple[Word, ...]
    vanished: tuple[tuple[int, Hole], ...]
    operands: tuple[Assign | None, ...]
    """For each word: the assignment that it was, if it is a declaration's."""
    substituted: bool
    """A command substitution ran, so that the status is its."""


_UNTOUCHED = Redirected()


class Simples:
    """Evaluates simple commands on a machine."""

    def __init__(self, machine: Machine, assigner: Assigner) -> None:
        self.machine = machine
        self.assigner = assigner

    def run(self, node: Simple, world: World, context: Context) -> list[World]:
        if world.aliases:
            text = aliased(self.machine, node, world)
            if text is not None:
                return run_aliased(self.machine, text, node, world, context)
        out: list[World] = []
        for trial, expanded in self._expansions(node, world):
            if not expanded.words and not expanded.vanished:
                out += self._only_assignments(node, trial, expanded)
            elif not node.redirects:
                out += self._with_redirects(node, trial, expanded, _UNTOUCHED, context)
            else:
                for one, redirected in self.machine.branch(trial, lambda w: self.redirect(node.redirects, w)):
                    out += self._with_redirects(node, one, expanded, redirected, context)
        return out

    def _expansions(self, node: Simple, world: World) -> list[tuple[World, Expanded]]:
        """The words in every world that their expansion makes; most words can make no choice, and need no copy."""
        if all(_chooses_nothing(item) for item in node.words):
            return [(world, self._expand(node, world))]
        return self.machine.branch(world, lambda w: self._expand(node, w))

    def _expand(self, node: Simple, world: World) -> Expanded:
        words: list[Word] = []
        operands: list[Assign | None] = []
        vanished: list[tuple[int, Hole]] = []
        for item in node.words:
            if isinstance(item, Assign):
                words.append(Word(literal(item.name, _name_span(item)).pieces, item.route[-1] if item.route else None))
                operands.append(item)
                continue
            made, gone = self.machine.expander.words(item, world)
            vanished += [(i + len(words), h) for i, h in gone]
            words += made
            operands += [None] * len(made)
        substituted = "$(" in node.shown or "`" in node.shown
        return Expanded(tuple(words), tuple(vanished), tuple(operands), substituted)

    def _only_assignments(self, node: Simple, world: World, expanded: Expanded) -> list[World]:
        out = []

        def assign(trial: World) -> None:
            for assignment in node.assigns:
                self.assigner.assign(assignment, trial)
            self.redirect(node.redirects, trial)

        for trial, _ in self.machine.branch(world, assign):
            if not expanded.substituted:
                trial.succeed()
            out.append(trial)
        return out

    def _with_redirects(
        self, node: Simple, world: World, expanded: Expanded, redirected: Redirected, context: Context
    ) -> list[World]:
        heard = world.out
        kept = redirected.file if prints_text(node) else None
        if redirected.silent and (heard is not None or kept is not None):
            world.out = ()
        stdin = world.stdin
        if redirected.replaced:
            world.stdin = redirected.given
        out = []
        prefixes: list[tuple[World, dict[str, Traced]]] = [(world, {})]
        if node.assigns:
            prefixes = self.machine.branch(world, lambda w: self.assigner.environment(node, w))
        for trial, prefix in prefixes:
            call = Call(node, expanded.words, expanded.vanished, expanded.operands, prefix, (), context)
            for end in self.dispatch(call, trial):
                if kept is not None:
                    self.keep(end, kept, redirected.appends)
                if redirected.silent:
                    end.out = heard
                if redirected.replaced:
                    end.stdin = stdin
                out.append(end)
        return out

    def keep(self, world: World, name: str, appends: bool) -> None:
        """What has been printed goes to a file."""
        old = world.files.get(name, ()) if appends else ()
        if appends and not old:
            source = self.machine.setting.files.read(name)
            old = (source.traced(),) if source is not None else ()
        write(world, name, Traced(world.out or ()), old)

    # -- redirections

    def redirect(self, redirects: Sequence[Redirect], world: World) -> Redirected:
        given, replaced, silent = None, False, False
        file, appends = None, False
        for item in redirects:
            if item.op in ("<<", "<<-"):
                given, replaced = self.machine.expander.single(item.target, world), True
                continue
            target = self.machine.expander.single(item.target, world)
            if item.op == "<<<":
                given, replaced = target + literal("\n"), True
            elif item.op in ("<", "<>", "<&") and item.fd in ("", "0"):
                only = item.target.parts[0] if len(item.target.parts) == 1 else None
                given = self.machine.process(only, world) if isinstance(only, ProcessSub) else None
                replaced = True
            elif item.op in (">", ">>", ">|", "&>", "&>>", ">&") and item.fd in ("", "1"):
                silent = not (item.op == ">&" and target.text == "1")
                file = file_name(target, world) if item.op != ">&" else None
                appends = ">>" in item.op
        return Redirected(given, replaced, silent, file, appends)

    # -- functions, builtins, wrappers, programs

    def dispatch(self, call: Call, world: World) -> list[World]:
        """Run what the words name."""
        words = call.words
        if not words:
            return self._nameless(call, world)
        name = words[0].text
        if not call.wrappers and may_name_functions(words[0], call.node):
            self.machine.open_calls.append((words[0], world.copy()))
        inside = all(w[0].text in _TRANSPARENT for w in call.wrappers)
        lost = next((h for i, h in call.vanished if i == 0), None)
        if lost is not None:
            return note(self.machine, with_lost_program(call, lost), world)
        if inside and words[0].known:
            body = world.functions.get(name)
            if body is not None and not call.wrappers:
                return call_function(self.machine, name, body, call, world)
            if name == "exec" and len(words) == 1:
                # Only redirections, of the shell itself.
                world.succeed()
                return [world]
            if not self.machine.bash and name in _SPECIAL:
                for variable, value in call.env.items():
                    world.assign(variable, value)
            elif call.env and name in _SEES_PREFIX:
                return self._with_prefix(call, world)
            if name in BUILTINS:
                return BUILTINS[name](self.machine, call, world)
        texts = written(world, words[0]) if "/" in words[0].shown else ()
        if texts:
            bash = any("bash" in t.text.partition("\n")[0] for t in texts)
            own = Peeled((words[0],), arguments=words[1:], dialect=Dialect.BASH if bash else Dialect.SH)
            return run_written(self.machine, own, texts, call, world)
        inner = peel(words)
        if not inner:
            return note(self.machine, call, world)
        out: list[World] = []
        for peeled in inner:
            out = enter(self.machine, peeled, call, world if not out else out[0])
        if len(inner) == 1 and words[0].text == "exec" and inside:
            for end in out:
                end.flow = Flow.EXIT
        if words[0].text == "find":
            note(self.machine, call, world.copy())
        return out

    def _with_prefix(self, call: Call, world: World) -> list[World]:
        """A builtin that sees the assignments before it as variables; they end with it."""
        before = {name: world.vars.get(name) for name in call.env}
        for name, value in call.env.items():
            world.put(name, Var(value, exported=True))
        ends = self.dispatch(replace(call, env={}), world)
        for end in ends:
            for name, var in before.items():
                if var is None:
                    end.drop(name)
                else:
                    end.put(name, var)
        return ends

    def _nameless(self, call: Call, world: World) -> list[World]:
        """Every word vanished: a program that only the outside names."""
        lost = next((h for _, h in call.vanished), None)
        if lost is not None:
            return note(self.machine, with_lost_program(call, lost), world)
        world.succeed()
        return [world]


def _name_span(node: Assign) -> Span | None:
    return node.route[-1].cut(0, len(node.name)) if node.route else None


def _chooses_nothing(item: WordNode | Assign) -> bool:
    """Whether the expansion of a word neither changes nor forks the world."""
    if isinstance(item, Assign):
        return True
    return all(isinstance(p, Lit) or (isinstance(p, Param) and p.op == "" and p.index is None) for p in item.parts)
