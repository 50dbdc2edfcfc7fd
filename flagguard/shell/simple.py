"""Simple commands (POSIX.1-2024 XCU 2.9.1): expansion, functions, builtins, wrappers; what is left is noted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flagguard.command import Dialect, Word, word
from flagguard.shell import known
from flagguard.shell.builtins import BUILTINS, Builtins, Call
from flagguard.shell.peeled import Peeled
from flagguard.shell.record import Record
from flagguard.shell.state import UNSET, Flow, Var, World
from flagguard.shell.syntax import ArrayNode, Assign, ProcessSub, Redirect, Simple, WordNode
from flagguard.shell.wrapper_table import Env
from flagguard.shell.wrappers import peel
from flagguard.shell.xargs import Options, argument_lists
from flagguard.text import HOLE_MARK, Decider, Hole, Piece, Span, Traced, hole, join, literal

if TYPE_CHECKING:
    from flagguard.shell.interpret import Context, Interpreter

_SPECIAL = frozenset(": . break continue eval exec exit export readonly return set shift times trap unset".split())
"""Special builtins: in sh, assignments before them stay (XCU 2.15)."""
_TRANSPARENT = frozenset({"command", "builtin", "exec"})
"""Wrappers that are the shell itself: what they run may be a builtin."""
_WELL_KNOWN = ("activate", "cargo/env", "conda.sh", "nvm.sh", "emsdk_env.sh", "/etc/profile", "vcvars", "setvars.sh")
"""Files outside of the repository that are sourced for PATH's sake."""


@dataclass(frozen=True, slots=True)
class Redirected:
    """What redirections mean for a command."""

    given: Traced | None = None
    """Its standard input, where it is text of the script."""
    replaced: bool = False
    """Its standard input is something else than the caller's."""
    silent: bool = False
    """Its standard output goes elsewhere."""


@dataclass(frozen=True, slots=True)
class Expanded:
    words: tuple[Word, ...]
    vanished: tuple[tuple[int, Hole], ...]
    operands: tuple[Assign | None, ...]
    """For each word: the assignment that it was, if it is a declaration's."""
    substituted: bool
    """A command substitution ran, so that the status is its."""


class Simples:
    """Evaluates simple commands for an interpreter."""

    def __init__(self, interpreter: "Interpreter") -> None:
        self.interpreter = interpreter
        self.builtins = Builtins(interpreter)
        self.listening: list[str] = []
        """The source of each substitution that listens to what is printed, outermost first."""

    # -- one command

    def run(self, node: Simple, world: World, context: "Context") -> list[World]:
        out: list[World] = []
        for trial, expanded in self.interpreter.branch(world, lambda w: self._expand(node, w)):
            if not expanded.words and not expanded.vanished:
                out += self._only_assignments(node, trial, expanded)
                continue
            for one, redirected in self.interpreter.branch(trial, lambda w: self.redirect(node.redirects, w)):
                out += self._with_redirects(node, one, expanded, redirected, context)
        return out

    def _expand(self, node: Simple, world: World) -> Expanded:
        words: list[Word] = []
        operands: list[Assign | None] = []
        vanished: list[tuple[int, Hole]] = []
        for item in node.words:
            if isinstance(item, Assign):
                words.append(Word(literal(item.name, _name_span(item)).pieces, item.route[-1] if item.route else None))
                operands.append(item)
                continue
            made, gone = self.interpreter.expander.words(item, world)
            vanished += [(i + len(words), h) for i, h in gone]
            words += made
            operands += [None] * len(made)
        substituted = "$(" in node.shown or "`" in node.shown
        return Expanded(tuple(words), tuple(vanished), tuple(operands), substituted)

    def _only_assignments(self, node: Simple, world: World, expanded: Expanded) -> list[World]:
        out = []

        def assign(trial: World) -> None:
            for assignment in node.assigns:
                self.assign(assignment, trial)
            self.redirect(node.redirects, trial)

        for trial, _ in self.interpreter.branch(world, assign):
            if not expanded.substituted:
                trial.succeed()
            out.append(trial)
        return out

    def _with_redirects(
        self, node: Simple, world: World, expanded: Expanded, redirected: Redirected, context: "Context"
    ) -> list[World]:
        heard = world.out
        if redirected.silent and heard is not None:
            world.out = ()
        stdin = world.stdin
        if redirected.replaced:
            world.stdin = redirected.given
        out = []
        for trial, prefix in self.interpreter.branch(world, lambda w: self._prefix(node, w)):
            call = Call(node, expanded.words, expanded.vanished, expanded.operands, prefix, (), context)
            for end in self.dispatch(call, trial):
                if redirected.silent and heard is not None:
                    end.out = heard
                if redirected.replaced:
                    end.stdin = stdin
                out.append(end)
        return out

    # -- assignments

    def assign(self, node: Assign, world: World, declared: Var | None = None) -> None:
        """An assignment to the shell's own variable. ``declared``: attributes that it gets on the way."""
        expander = self.interpreter.expander
        old = world.vars.get(node.name)
        if old is not None and old.reference and declared is None:
            self.assign(replace(node, name=old.reference), world)
            return
        if isinstance(node.value, ArrayNode):
            self._assign_array(node, node.value, world, declared)
            return
        value = expander.single(node.value, world, assignment=True)
        associative = (declared or old or UNSET).associative
        if node.index is not None or (old is not None and old.items is not None and not node.append and associative):
            self._assign_element(node, value, world, declared)
            return
        if (declared or old or UNSET).integer:
            number = expander.number(node.value, world)
            value = literal(str(number)) if number is not None else value
        if node.append and old is not None and old.scalar is not None:
            value = self._sum(old.scalar, value, world) if old.integer else Traced((*old.scalar.pieces, *value.pieces))
        if declared is not None:
            world.put(node.name, replace(declared, given=True))
        world.assign(node.name, value)

    def _sum(self, one: Traced, other: Traced, world: World) -> Traced:
        try:
            return literal(str(int(one.text) + int(other.text)))
        except ValueError:
            return hole(Hole(f"{one.shown}+{other.shown}", "a number that is not known"))

    def _assign_array(self, node: Assign, array: ArrayNode, world: World, declared: Var | None) -> None:
        expander = self.interpreter.expander
        old = world.vars.get(node.name)
        template = declared or old or Var()
        items: dict[int | str, Traced] = {}
        if node.append and old is not None and old.given:
            items = dict(old.items) if old.items is not None else {0: old.value}
        at = max((k for k in items if isinstance(k, int)), default=-1) + 1
        for index, value_node in array.items:
            if index is None:
                for made in expander.words(value_node, world)[0]:
                    items[str(at) if template.associative else at] = Traced(made.pieces)
                    at += 1
                continue
            key = expander.parameters.key(index, template, world)
            value = expander.single(value_node, world)
            if key is None:
                key = f"?{len(items)}"
            items[key] = value
            if isinstance(key, int):
                at = key + 1
        world.put(node.name, replace(template, items=items, given=True, assumed=False))

    def _assign_element(self, node: Assign, value: Traced, world: World, declared: Var | None) -> None:
        old = declared or world.vars.get(node.name) or Var()
        items: dict[int | str, Traced] = dict(old.items or {})
        if old.items is None and old.given and old.value:
            items[0] = old.value
        index = node.index or WordNode(())
        key = self.interpreter.expander.parameters.key(index, old, world) if node.index is not None else 0
        if key is None:
            gap = Hole(f"${node.name}", "which element is set is not known", Decider.REPOSITORY, name=node.name)
            items = {k: hole(gap) for k in items} or {0: hole(gap)}
        elif node.append and key in items:
            items[key] = Traced((*items[key].pieces, *value.pieces))
        else:
            items[key] = value
        world.put(node.name, replace(old, items=items, given=True, assumed=False))

    def _prefix(self, node: Simple, world: World) -> dict[str, Traced]:
        """Assignments before a command: they are its environment."""
        out: dict[str, Traced] = {}
        scratch = world.copy()
        for assignment in node.assigns:
            self.assign(assignment, scratch)
            value = scratch.vars[assignment.name].scalar
            if value is not None:
                out[assignment.name] = value
        return out

    # -- redirections

    def redirect(self, redirects: Sequence[Redirect], world: World) -> Redirected:
        given, replaced, silent = None, False, False
        for item in redirects:
            if item.op in ("<<", "<<-"):
                given, replaced = self.interpreter.expander.single(item.target, world), True
                continue
            target = self.interpreter.expander.single(item.target, world)
            if item.op == "<<<":
                given, replaced = target + literal("\n"), True
            elif item.op in ("<", "<>", "<&") and item.fd in ("", "0"):
                only = item.target.parts[0] if len(item.target.parts) == 1 else None
                given = self.interpreter.process(only, world) if isinstance(only, ProcessSub) else None
                replaced = True
            elif item.op in (">", ">>", ">|", "&>", "&>>", ">&") and item.fd in ("", "1"):
                silent = not (item.op == ">&" and target.text == "1")
        return Redirected(given, replaced, silent)

    # -- functions, builtins, wrappers, programs

    def external(self, call: Call, world: World) -> list[World]:
        """A command that no shell reads: no function and no builtin."""
        inner = peel(call.words)
        if not inner:
            return self._note(call, world)
        for peeled in inner:
            self._inside(peeled, call, world)
        return [world]

    def dispatch(self, call: Call, world: World) -> list[World]:
        """Run what the words name."""
        words = call.words
        if not words:
            return self._nameless(call, world)
        name = words[0].text
        inside = all(w[0].text in _TRANSPARENT for w in call.wrappers)
        lost = next((h for i, h in call.vanished if i == 0), None)
        if lost is not None:
            return self._note(replace_program(call, lost), world)
        if inside and words[0].known:
            body = world.functions.get(name)
            if body is not None and not call.wrappers:
                return self.builtins.call_function(name, body, call, world)
            if name in world.aliases and not call.wrappers and not self.interpreter.bash:
                lost = Hole(name, "an alias of the script stands for it", Decider.REPOSITORY)
                return self._note(replace_program(replace(call, words=words[1:], operands=call.operands[1:]), lost), world)
            if name in BUILTINS:
                if not self.interpreter.bash and name in _SPECIAL:
                    for variable, value in call.env.items():
                        world.assign(variable, value)
                return self.builtins.run(name, call, world)
        inner = peel(words)
        if not inner:
            return self._note(call, world)
        out: list[World] = []
        for peeled in inner:
            out = self._inside(peeled, call, world if not out else out[0])
        if len(inner) == 1 and words[0].text == "exec" and inside:
            for end in out:
                end.flow = Flow.EXIT
        if words[0].text == "find":
            self._note(call, world.copy())
        return out

    def _nameless(self, call: Call, world: World) -> list[World]:
        """Every word vanished: a program that only the outside names."""
        lost = next((h for _, h in call.vanished), None)
        if lost is not None:
            return self._note(replace_program(call, lost), world)
        world.succeed()
        return [world]

    def _inside(self, peeled: Peeled, call: Call, world: World) -> list[World]:
        wrappers = (*call.wrappers, peeled.wrapper)
        if peeled.doubt is not None:
            told = f"what {peeled.doubt.shown} means to {peeled.wrapper[0].shown} is not known: the command may begin elsewhere"
            self.interpreter.problem(Traced(peeled.doubt.pieces), told, fatal=False)
        if peeled.dialect is Dialect.UNREAD:
            told = f"the commands that {peeled.wrapper[0].shown} runs are in a language that is not read"
            self.interpreter.problem(Traced(call.words[0].pieces), told, fatal=False)
            return self._note(call, world)
        if peeled.argv and peeled.wrapper[0].text.endswith("xargs") and world.stdin is not None:
            lists = argument_lists(peeled.wrapper, world.stdin)
            if lists is not None:
                return self._each(peeled, lists, call, world)
        if peeled.argv:
            argv = tuple(_input(w, peeled.replaces) for w in peeled.argv)
            if peeled.appended is not None:
                argv = (*argv, Word((Piece(peeled.appended.text, hole=peeled.appended),)))
            vanished: tuple[tuple[int, Hole], ...] = ()
            if peeled.index >= 0:
                vanished = tuple((i - peeled.index, h) for i, h in call.vanished if i >= peeled.index)
            inner = replace(call, words=argv, vanished=vanished, operands=(), wrappers=wrappers)
            inner = replace(inner, env=self._environment(peeled, call), unset=(*call.unset, *peeled.unset))
            if peeled.env is Env.CLEAR:
                inner = replace(inner, cleared=True, passes=peeled.passes)
            if peeled.ignores_status:
                inner = replace(inner, context=replace(call.context, swallowed=True))
            return self.dispatch(inner, world)
        if peeled.script is not None:
            return self._text(peeled, peeled.script, call, world, wrappers)
        if peeled.script_file is not None and peeled.in_process:
            return self.builtins.source(peeled.script_file, peeled.arguments, call, world)
        if peeled.reads_stdin and world.stdin is not None:
            return self._text(peeled, world.stdin, call, world, wrappers)
        return self._note(call, world)

    def _each(
        self, peeled: Peeled, lists: tuple[Options, list[list[Traced]]], call: Call, world: World
    ) -> list[World]:
        """xargs on a known input: each run that it makes."""
        options, runs = lists
        out = [world]
        world.succeed()
        for items in runs[:64]:
            if options.replaces:
                argv = tuple(_filled(w, options.replaces, items[0]) for w in peeled.argv)
            else:
                argv = (*peeled.argv, *(Word(i.pieces) for i in items))
            inner = replace(call, words=argv, vanished=(), operands=(), wrappers=(*call.wrappers, peeled.wrapper))
            out = [w for one in out for w in self.dispatch(inner, one)]
        return out

    def _environment(self, peeled: Peeled, call: Call) -> dict[str, Traced]:
        env = {} if peeled.env is Env.CLEAR else dict(call.env)
        for name in peeled.passes:
            if name in call.env:
                env[name] = call.env[name]
        for name in peeled.unset:
            env.pop(name, None)
        for name, value in peeled.assignments:
            env[name] = Traced(value.pieces)
        return env

    def _text(
        self, peeled: Peeled, script: Traced, call: Call, world: World, wrappers: tuple[tuple[Word, ...], ...]
    ) -> list[World]:
        """Shell text inside a wrapper."""
        interpreter = self.interpreter
        if interpreter.depth >= 12:
            return self._note(call, world)
        if not script.known and script.text.strip() == HOLE_MARK:
            return self._note(call, world)
        interpreter.depth += 1
        try:
            if peeled.in_process:
                return interpreter.run_text(script, [world], call.context)
            inner = self._child(peeled, call, world)
            saved, self.builtins.wrapped = self.builtins.wrapped, (*self.builtins.wrapped, *wrappers)
            try:
                bash = peeled.dialect is Dialect.BASH
                context = replace(call.context, swallowed=call.context.swallowed or peeled.ignores_status)
                ends = interpreter.finish(interpreter.run_text(script, [inner], context, bash))
            finally:
                self.builtins.wrapped = saved
            out = []
            for end in ends:
                back = world.copy()
                back.status, back.code = end.status, end.code
                back.out, back.when, back.opt_in = end.out, end.when, end.opt_in
                out.append(back)
            return out
        finally:
            interpreter.depth -= 1

    def _child(self, peeled: Peeled, call: Call, world: World) -> World:
        """The world of a new shell: only what is exported reaches it."""
        seen = self.environment(replace(call, cleared=call.cleared or peeled.env is Env.CLEAR), world, peeled.passes)
        seen.update(self._environment(peeled, call))
        inner = World(when=world.when, opt_in=world.opt_in, out=world.out, via=world.via)
        inner.vars = {n: Var(v, exported=True, inherited=True) for n, v in seen.items()}
        for name, var in world.vars.items():
            if var.assumed and name not in inner.vars:
                inner.vars[name] = var
        for name in (*peeled.unset, *call.unset):
            inner.vars[name] = UNSET
        inner.args = tuple(Traced(w.pieces) for w in peeled.arguments)
        inner.args_known = True
        inner.name = Traced(peeled.name.pieces) if peeled.name is not None else literal("sh")
        options = (("errexit", peeled.errexit), ("pipefail", peeled.pipefail), ("nounset", peeled.nounset))
        inner.options = frozenset(name for name, on in options if on)
        return inner

    # -- what is noted

    def environment(self, call: Call, world: World, passes: Sequence[str] = ()) -> dict[str, Traced]:
        """What the repository puts into a command's environment."""
        out: dict[str, Traced] = {}
        for name, var in world.vars.items():
            if var.exported and var.given and not var.assumed and var.scalar is not None:
                out[name] = var.scalar
        if call.cleared:
            out = {n: v for n, v in out.items() if n in passes or n in call.passes}
        for name in call.unset:
            out.pop(name, None)
        out.update(call.env)
        return out

    def _note(self, call: Call, world: World) -> list[World]:
        """A program that is run: the place where a rule may look."""
        world.succeed(None)
        printed = self._printed(call, world.stdin)
        if world.out is not None:
            if printed is None:
                shown = self.listening[-1] if self.listening else "$(…)"
                printed = hole(known.output_hole(call.words, shown))
            else:
                world.succeed()
            world.emit(printed)
        elif printed is not None:
            world.succeed()
        first = call.words[0]
        span = _site(first, call.node)
        if span is None:
            return [world]
        extent = call.node.route[-1] if call.node.route and call.node.route[-1].path == span.path else span
        context = call.context
        noticed = context.last or ("errexit" in world.options and not context.tested) or context.tested
        wrappers = (*self.builtins.wrapped, *call.wrappers)
        self.interpreter.recorder.note(
            Record(
                argv=call.words,
                wrappers=wrappers,
                env=self.environment(call, world),
                span=span,
                extent=extent,
                via=world.via,
                vanished=call.vanished,
                when=world.when,
                opt_in=world.opt_in,
                reading=(call.node.text, call.node.spans),
                ignored=context.swallowed or not noticed,
            ),
            self.interpreter.platform,
        )
        return [world]

    def _printed(self, call: Call, stdin: Traced | None) -> Traced | None:
        if not call.words[0].known:
            return None
        name = call.words[0].text.rsplit("/", 1)[-1]
        if name in ("uname", "arch"):
            self.interpreter.asked_platform = True
        return known.output(call.words, self.interpreter.platform, stdin)


def replace_program(call: Call, lost: Hole) -> Call:
    """The call with a program that only the outside names put back as a hole."""
    route = _route_of(call.node, lost)
    program = Word((Piece(lost.text, route, hole=lost),), route[-1] if route else None)
    vanished = tuple((i + 1, h) for i, h in call.vanished if h is not lost)
    return replace(call, words=(program, *call.words), vanished=vanished, operands=(None, *call.operands))


def _route_of(node: Simple, lost: Hole) -> tuple[Span, ...]:
    for item in node.words:
        if isinstance(item, WordNode) and lost.text in item.shown:
            return item.route
    return node.route


def _input(item: Word, replaces: str | None) -> Word:
    """A word of `xargs -I{}` or `find -exec` with the input's place as a hole."""
    if not replaces or replaces not in item.text:
        return item
    out: list[Piece] = []
    at, text = 0, item.text
    while True:
        found = text.find(replaces, at)
        if found < 0:
            out.extend(item.cut(at, len(text)).pieces)
            return word(Traced(tuple(out)), item.written)
        out.extend(item.cut(at, found).pieces)
        gap = Hole(replaces, "an item of the input", Decider.OUTSIDE)
        out.append(Piece(replaces, item.cut(found, found + len(replaces)).route, hole=gap))
        at = found + len(replaces)


def _filled(item: Word, replaces: str, value: Traced) -> Word:
    """A word of `xargs -I` with the input put in."""
    parts, at, text = [], 0, item.text
    while (found := text.find(replaces, at)) >= 0:
        parts += [item.cut(at, found), value]
        at = found + len(replaces)
    return word(join([*parts, item.cut(at, len(text))]), item.written) if parts else item


def _site(first: Word, node: Simple) -> Span | None:
    """Where the program stands: its written word, or, for an argument handed on, the word at the call."""
    own = next((p.route[0] for p in first.pieces if p.route), None)
    written = first.written
    if own is None:
        return written or (node.route[-1] if node.route else None)
    if written is not None and written.path == own.path and written.start <= own.start <= written.end:
        return written
    return own


def _name_span(node: Assign) -> Span | None:
    return node.route[-1].cut(0, len(node.name)) if node.route else None


def well_known(path: str) -> bool:
    """Whether a sourced file is one of those that set PATH and their own variables only."""
    return any(path.endswith(end) or end in path for end in _WELL_KNOWN)
