"""Simple commands (POSIX.1-2024 XCU 2.9.1): expansion and redirections, then what the words name."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from flagguard.command import Dialect, Word
from flagguard.hosts import starts_task
from flagguard.paths import resolved
from flagguard.shell.aliases import aliased, run_aliased
from flagguard.shell.assign import Assigner
from flagguard.shell.builtins import BUILTINS
from flagguard.shell.descriptors import Copied, Descriptors, after, chosen, copied
from flagguard.shell.functions import call_function, may_name_functions
from flagguard.shell.inputs import fed
from flagguard.shell.inside import enter, run_written, tell_unknown
from flagguard.shell.machine import Call, Context, Machine
from flagguard.shell.noting import note, with_lost_program
from flagguard.shell.peeled import Peeled
from flagguard.shell.prepared import Expanded, Prepared, prepare
from flagguard.shell.state import Flow, Var, World
from flagguard.shell.state import unknown as not_known
from flagguard.shell.syntax import Assign, Param, ProcessSub, Redirect, Simple, WordNode
from flagguard.shell.wrappers import peel
from flagguard.shell.written import file_name, is_known, tree_file, unknown, write, written
from flagguard.text import EMPTY, Decider, Hole, Traced, hole, literal
from flagguard.values import dataclass, field, replace

T = TypeVar("T")

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
    fails: bool = False
    """One of them surely cannot be made: the command is not run, its status is set."""
    doubtful: bool = False
    """One of them may not be possible."""
    descriptors: Descriptors = field(default_factory=dict)
    """What is open for the command."""


_OPENING = frozenset({"<", ">", ">>", ">|", "&>", "&>>", "<>"})
_CLOBBERING = frozenset({">", "&>"})

_UNTOUCHED = Redirected()
_NOTHING: Mapping[str, Traced] = {}
_MANY_WORDS = 32
_MOST_PEELED = 4096


class Simples:
    """Evaluates simple commands on a machine."""

    def __init__(self, machine: Machine, assigner: Assigner) -> None:
        self.machine = machine
        self.assigner = assigner
        self._prepared: dict[int, Prepared] = {}
        self._folders: dict[str, bool] = {}
        self._inside: dict[int, tuple[tuple[Word, ...], tuple[Peeled, ...]]] = {}
        """What wrappers run, by the identity of their words, which are held."""

    def know(self, other: "Simples") -> None:
        """What another evaluation of the same syntax has made of it."""
        self._prepared, self._folders, self._inside = other._prepared, other._folders, other._inside

    def run(self, node: Simple, world: World, context: Context) -> list[World]:
        ready = self._prepared.get(id(node))
        if ready is None:
            ready = self._prepared[id(node)] = prepare(node)
            if node.route:
                self.machine.reached.add(node.route[-1])
        if world.aliases:
            text = aliased(self.machine, node, world)
            if text is not None:
                return run_aliased(self.machine, text, node, world, context)
        if ready.words and not node.redirects and not node.assigns:
            return self.dispatch(Call(node, ready.words, (), ready.operands, _NOTHING, (), context), world)
        out: list[World] = []
        for trial, expanded in self._branch(ready.forks, world, lambda w: self._expand(ready, w)):
            if trial.flow is not None:
                out.append(trial)
            elif not expanded.words and not expanded.vanished:
                out += self._only_assignments(ready, trial, expanded)
            elif not node.redirects:
                out += self._with_redirects(ready, trial, expanded, _UNTOUCHED, context)
            else:
                forks = ready.redirects_fork or "noclobber" in trial.options
                meanings = self._branch(forks, trial, lambda w: self.redirect(node.redirects, w))
                for one, redirected in meanings:
                    if one.flow is not None:
                        out.append(one)
                    elif redirected.fails:
                        out.append(self._refused(expanded, one))
                    else:
                        out += self._with_redirects(ready, one, expanded, redirected, context)
        return out

    def _refused(self, expanded: Expanded, world: World) -> World:
        """After a redirection that cannot be made: in sh a special builtin ends the shell (XCU 2.8.1)."""
        first = expanded.words[0].text if expanded.words else ""
        if not self.machine.bash and first in _SPECIAL and first not in world.functions:
            world.fail(bash=False)
        return world

    def _branch(self, forks: bool, world: World, compute: Callable[[World], T]) -> list[tuple[World, T]]:
        """As the machine does, without a copy of the world where nothing is chosen."""
        return self.machine.branch(world, compute) if forks else [(world, compute(world))]

    def _expand(self, ready: Prepared, world: World) -> Expanded:
        """The words; the same as before where all that they depend on is the same."""
        key = ready.kept.key(world, self.machine.bash)
        if key is None:
            return self._made(ready, world)
        known = ready.kept.get(key)
        if known is None:
            known = self._made(ready, world)
            ready.kept.keep(key, known, world)
        return known

    def _made(self, ready: Prepared, world: World) -> Expanded:
        words: list[Word] = []
        operands: list[Assign | None] = []
        vanished: list[tuple[int, Hole]] = []
        before = self.machine.substituted
        for item, fixed in zip(ready.node.words, ready.fixed, strict=True):
            if fixed is not None:
                words.append(fixed)
                operands.append(item if isinstance(item, Assign) else None)
                continue
            assert isinstance(item, WordNode)
            made, gone = self.machine.expander.words(item, world)
            if gone:
                vanished += [(i + len(words), h) for i, h in gone]
            words += made
            operands += [None] * len(made)
        if len(words) > _MANY_WORDS:
            self.machine.weigh(5 * len(words))
        substituted = self.machine.substituted != before
        if substituted and not words and world.flow is None:
            world.status, world.code = self.machine.answered
        return Expanded(tuple(words), tuple(vanished), tuple(operands), substituted)

    def _only_assignments(self, ready: Prepared, world: World, expanded: Expanded) -> list[World]:
        node = ready.node

        def assign(trial: World) -> bool:
            before = self.machine.substituted
            for assignment in node.assigns:
                if trial.flow is None:
                    self.assigner.assign(assignment, trial)
            redirected = self.redirect(node.redirects, trial) if node.redirects else _UNTOUCHED
            if redirected.fails:
                return True
            substituted = self.machine.substituted != before
            if substituted and trial.flow is None:
                trial.status, trial.code = self.machine.answered
            if redirected.doubtful and trial.flow is None:
                self._doubt(node, trial)
            return substituted or redirected.doubtful

        out = []
        forks = ready.assigns_fork or ready.redirects_fork or (bool(node.redirects) and "noclobber" in world.options)
        for trial, decided in self._branch(forks, world, assign):
            if not expanded.substituted and not decided and trial.flow is None:
                trial.succeed()
            out.append(trial)
        return out

    def _doubt(self, node: Simple, world: World) -> None:
        """After assignments whose redirections may fail: sh has not made them then."""
        world.succeed(None)
        if not self.machine.bash:
            for assignment in node.assigns:
                world.assign(assignment.name, not_known(assignment.name, "a redirection beside it may fail"))

    def _with_redirects(
        self, ready: Prepared, world: World, expanded: Expanded, redirected: Redirected, context: Context
    ) -> list[World]:
        node = ready.node
        heard = world.out
        # what another command adds to a file whose text is known makes it less known
        kept = redirected.file if ready.prints or is_known(self.machine, redirected.file, world) else None
        if redirected.silent and (heard is not None or kept is not None):
            world.out = ()
        stdin, descriptors = world.stdin, world.descriptors
        if redirected.replaced:
            world.stdin = redirected.given
        lasting = [w.text for w in expanded.words] == ["exec"]
        if node.redirects:
            world.descriptors = redirected.descriptors
        out = []
        prefixes: list[tuple[World, Mapping[str, Traced]]] = [(world, _NOTHING)]
        if node.assigns:
            prefixes = self._branch(ready.assigns_fork, world, lambda w: self.assigner.environment(node, w))
        for trial, prefix in prefixes:
            if trial.flow is not None:
                out.append(trial)
                continue
            call = Call(node, expanded.words, expanded.vanished, expanded.operands, prefix, (), context)
            for end in self.dispatch(call, trial):
                if kept is not None:
                    self.keep(end, kept, redirected.appends)
                if redirected.silent:
                    end.out = heard
                if redirected.replaced:
                    end.stdin = stdin
                if node.redirects and not lasting:
                    end.descriptors = descriptors
                if redirected.doubtful and end.status:
                    end.succeed(None)
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
        file, appends, doubtful = None, False, False
        descriptors = world.descriptors
        for item in redirects:
            if item.op in ("<<", "<<-"):
                given, replaced = self.machine.expander.single(item.target, world), True
                continue
            target = self.machine.expander.single(item.target, world)
            if world.flow is not None or self._cannot(item, target, world) or self._refuses(item, target, world):
                return Redirected(fails=True)
            if self._has_none(item, target, world, descriptors):
                return Redirected(fails=True)
            descriptors = after(item, target, descriptors)
            if item.fd.startswith("{") and not (item.op in (">&", "<&") and target.text == "-"):
                world.assign(item.fd[1:-1], chosen(item))
            doubtful = doubtful or self._may_fail(item, target, world)
            if item.op == "<<<":
                given, replaced = target + literal("\n"), True
            elif item.op in ("<", "<>", "<&") and item.fd in ("", "0"):
                only = item.target.parts[0] if len(item.target.parts) == 1 else None
                given = self.machine.process(only, world) if isinstance(only, ProcessSub) else None
                if target.text == "/dev/null":
                    given = EMPTY
                elif given is None and item.op == "<":
                    given = self._file(target, world)
                replaced = True
            elif item.op in (">", ">>", ">|", "&>", "&>>", ">&") and item.fd in ("", "1"):
                silent = not (item.op == ">&" and target.text == "1")
                file = file_name(target, world) if item.op != ">&" else None
                appends = ">>" in item.op
        return Redirected(given, replaced, silent, file, appends, doubtful=doubtful, descriptors=descriptors)

    def _has_none(self, item: Redirect, target: Traced, world: World, table: Descriptors) -> bool:
        """Whether a redirection copies a descriptor that is not open, in the world that is chosen."""

        def is_open(number: str) -> bool:
            there, gone = f"descriptor {number} is open", f"descriptor {number} is not open"
            return not self.machine.choose(world, [(there, False), (gone, False)])

        found = copied(item, target, table, self.machine.bash, is_open)
        if found is Copied.ENDS:
            world.fail(bash=False)
        elif found is Copied.FAILS:
            world.status, world.code = False, 1 if self.machine.bash else 2
        return found is not Copied.DONE

    def _cannot(self, item: Redirect, target: Traced, world: World) -> bool:
        """Whether a redirection surely fails: to a folder of the tree, to no name, in bash to several."""
        if item.op in ("<<<", "<&", ">&") or not target.known or any(p.unset for p in target.pieces):
            return False
        text = target.text
        fails = not text
        if self.machine.bash and any(isinstance(p, Param) and not p.quoted for p in item.target.parts):
            fails = fails or len(self.machine.expander.words(item.target, world)[0]) > 1
        if ">" in item.op and text and not fails:
            path = resolved(target, world.directory)
            fails = path is not None and (path == "" or self.machine.setting.files.read(path) is None)
            fails = fails and (not path or self._is_folder(path or ""))
        if fails:
            world.status, world.code = False, 1 if self.machine.bash else 2
        return fails

    def _refuses(self, item: Redirect, target: Traced, world: World) -> bool:
        """Whether noclobber keeps a file, which the tree has or the script has written, in the world that is chosen."""
        if item.op not in _CLOBBERING or "noclobber" not in world.options:
            return False
        path = resolved(target, world.directory) if target.known else None
        if path is None or (path not in world.files and self.machine.setting.files.read(path) is None):
            return False
        gone, there = f"{target.text} is removed before", f"{target.text} is there"
        if not self.machine.choose(world, [(gone, False), (there, False)]):
            return False
        world.status, world.code = False, 1 if self.machine.bash else 2
        return True

    def _may_fail(self, item: Redirect, target: Traced, world: World) -> bool:
        """Whether a redirection may fail: from a file that may not be there, into a folder that may not, or, under
        noclobber, to a file that is there."""
        if item.op in _CLOBBERING and "noclobber" in world.options and not target.text.startswith("/dev/"):
            return True
        if not target.known or target.text.startswith(("/dev/", "/tmp/")) or item.op not in _OPENING:
            return False
        path = resolved(target, world.directory)
        files = self.machine.setting.files
        if ">" not in item.op:
            return path is None or (path not in world.files and files.read(path) is None)
        folder = path.rpartition("/")[0] if path is not None else "."
        return bool(folder) and not self._is_folder(folder)

    def _is_folder(self, path: str) -> bool:
        """Whether it is a folder of the tree."""
        known = self._folders.get(path)
        if known is None:
            paths = self.machine.setting.files.paths()
            known = self._folders[path] = any(p.startswith(f"{path}/") for p in paths)
        return known

    def _file(self, file: Traced, world: World) -> Traced | None:
        """What a file of the tree, or one that the script has written, gives to who reads it."""
        texts = written(world, file)
        if len(texts) == 1:
            return texts[0]
        path = None if texts else tree_file(self.machine, file, world)
        gap = Hole(file.shown, "the contents of a file", Decider.REPOSITORY, file=path)
        return hole(gap) if path is not None else None

    # -- functions, builtins, wrappers, programs

    def dispatch(self, call: Call, world: World) -> list[World]:
        """Run what the words name."""
        words = call.words
        if not words:
            return self._nameless(call, world)
        name = words[0].text
        if not call.wrappers and may_name_functions(words[0], call.node):
            self.machine.open_calls.append((words[0], world.copy()))
        inside = not call.wrappers or all(w[0].text in _TRANSPARENT for w in call.wrappers)
        lost = next((h for i, h in call.vanished if i == 0), None) if call.vanished else None
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
            builtin = BUILTINS.get(name)
            if builtin is not None:
                return builtin(self.machine, call, world)
        texts = written(world, words[0]) if world.files and "/" in words[0].shown else ()
        if texts:
            bash = any("bash" in t.text.partition("\n")[0] for t in texts)
            own = Peeled((words[0],), arguments=words[1:], dialect=Dialect.BASH if bash else Dialect.SH)
            return run_written(self.machine, own, texts, call, world)
        gap = unknown(words[0], world) if "/" in words[0].shown else None
        if gap is not None:
            tell_unknown(self.machine, call, gap)
        inner = self._peeled(words, world)
        if not inner or starts_task(words, world.directory, self.machine.setting):
            return note(self.machine, call, world)
        refused: list[World] = []
        if words[0].text == "exec" and not self.machine.bash and words[1].text.startswith("-"):
            refused.append(world.copy())
            refused[0].assume("`exec` of this sh has no options")
            refused[0].fail(bash=False)
            world.assume("`exec` of this sh has options")
        out: list[World] = []
        for peeled in inner:
            out = enter(self.machine, peeled, call, world if not out else out[0])
        if len(inner) == 1 and words[0].text == "exec" and inside:
            for end in out:
                end.flow, end.on_exit = Flow.EXIT, None
        if words[0].text == "find":
            note(self.machine, call, world.copy())
        return out + refused

    def _peeled(self, words: tuple[Word, ...], world: World) -> tuple[Peeled, ...]:
        known = self._inside.get(id(words))
        if known is not None:
            return known[1]
        given = fed(self.machine, words, world)
        inner = peel(given, self.machine.setting.wrappers)
        if given is words:
            if len(self._inside) >= _MOST_PEELED:
                self._inside.clear()
            self._inside[id(words)] = words, inner
        return inner

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
