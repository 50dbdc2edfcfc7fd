"""What a recipe's line has around it: its shell, its environment, its folder, and the script that it becomes.

Follows "Configuring the Shell", "Environment Variables", "Dotenv Settings" and "Working Directory" in just's README.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence

from flagguard.command import Dialect, Place, Script, Variable, Word
from flagguard.hosts import Setting
from flagguard.hosts.just_call import Called
from flagguard.hosts.just_dotenv import variables
from flagguard.hosts.just_evaluator import Evaluator, Frame, Notes, Stop, Value, together
from flagguard.hosts.just_modules import Module
from flagguard.hosts.just_syntax import Node, Recipe
from flagguard.hosts.shells import READ_AS_BASH, SHELLS, options, program
from flagguard.make.worlds import World, merged
from flagguard.paths import inside, resolved
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Decider, Hole, Piece, Span, Traced, hole, literal
from flagguard.values import replace

NAME = "just"

_DEFAULT = ("sh", "-cu")
_POWERSHELL = ("powershell.exe", "-NoLogo", "-Command")
_USED = expression(r"\$\{?([A-Za-z_]\w*)")
_FEW = 2
"""How many open conditions of exported variables make worlds of every recipe."""
_DOTENV = ("dotenv-load", "dotenv-override", "dotenv-required")


class Surroundings:
    """Of one evaluation."""

    def __init__(self, evaluator: Evaluator, setting: Setting, called: Called, looked_at: list[str]) -> None:
        self.evaluator = evaluator
        self.setting = setting
        self.called = called
        self.looked_at = looked_at
        self._dotenv: dict[tuple[str, ...], tuple[dict[str, Traced], Hole | None]] = {}
        self._shells: dict[tuple[str, ...], tuple[Traced, ...]] = {}
        self.elsewhere: Callable[[World], Evaluator] = lambda world: evaluator
        """The evaluation of another world."""
        self.scripts: list[Script] = []
        """Commands that print environment files."""

    # -- settings

    def said(self, module: Module, setting: str) -> Traced | None:
        """A setting's value as a text."""
        found = module.settings.get(setting)
        if found is None or isinstance(found.value, bool):
            return None
        return self.evaluator.text(found.value, Frame(module))

    def said_words(self, module: Module, setting: str) -> tuple[Traced, ...] | None:
        found = module.settings.get(setting)
        if found is None or isinstance(found.value, bool):
            return None
        return self.evaluator.value(found.value, Frame(module)) or None

    def shell(self, module: Module) -> tuple[Traced, ...]:
        """The words of the shell that lines and backticks go to."""
        known = self._shells.get(module.names)
        if known is None:
            known = self._shells[module.names] = self._shell(module)
        return known

    def _shell(self, module: Module) -> tuple[Traced, ...]:
        line = self.called.options
        if line.shell is not None or line.shell_arguments is not None:
            given = line.shell_arguments
            return (line.shell or literal(_DEFAULT[0]), *(given if given is not None else (literal(_DEFAULT[1]),)))
        for_windows = "windows-shell" in module.settings or "windows-powershell" in module.settings
        if for_windows and self.evaluator.on_windows:
            found = self.said_words(module, "windows-shell")
            if found is not None:
                return found
            if module.on("windows-powershell"):
                return tuple(map(literal, _POWERSHELL))
        return self.said_words(module, "shell") or tuple(map(literal, _DEFAULT))

    # -- the folder

    def base(self, module: Module) -> str | None:
        """The folder of a module's backticks, and of its recipes unless they say otherwise."""
        here: str | None = module.directory
        if module.parent is None and self.called.options.working_directory is not None:
            here = self.called.folder
        said = self.said(module, "working-directory")
        return here if said is None else resolved(said, here) if here is not None else None

    def directory(self, recipe: Recipe, frame: Frame) -> str | None:
        moved = recipe.attribute("working-directory")
        base = self.base(frame.module)
        if moved is not None and moved.arguments:
            return resolved(self.evaluator.text(moved.arguments[0], frame), base)
        if recipe.attribute("no-cd") is not None or frame.module.on("no-cd"):
            return self.called.directory
        return base

    # -- the environment

    def dotenv(self, module: Module) -> tuple[Mapping[str, Traced], Hole | None]:
        """The variables of the module's environment files; a hole that says which file is not in the tree."""
        known = self._dotenv.get(module.names)
        if known is None:
            above: Mapping[str, Traced] = {}
            unread: Hole | None = None
            if module.parent is not None:
                above, unread = self.dotenv(module.parent)
            own, missing = self._own_dotenv(module)
            known = self._dotenv[module.names] = ({**above, **own}, missing or unread)
        return known

    def _own_dotenv(self, module: Module) -> tuple[dict[str, Traced], Hole | None]:
        line = self.called.options
        if line.no_dotenv:
            return {}, None
        commands = line.dotenv_commands if module.parent is None and line.dotenv_commands else None
        commands = commands or self.said_words(module, "dotenv-command")
        if commands is not None:
            unread = Hole("", "a command of `set dotenv-command` may set it", Decider.REPOSITORY)
            self._dotenv[module.names] = {}, unread  # what the command itself finds
            for text in commands:
                script = self.script(text, Frame(module), unit="", via=(), directory=module.directory)
                self.scripts.append(script)
            return {}, unread
        filename, path = self.said(module, "dotenv-filename"), self.said(module, "dotenv-path")
        if module.parent is None:
            filename, path = line.dotenv_filename or filename, line.dotenv_path or path
        if filename is None and path is None and not any(module.on(name) for name in _DOTENV):
            return {}, None
        here: str | None = module.directory
        if module.parent is None and line.working_directory is not None:
            here = self.called.folder
        found: dict[str, Traced] = {}
        for candidate in self._candidates(filename, path, here):
            self.looked_at.append(candidate)
            source = self.setting.files.read(candidate)
            if source is not None:
                outside = self.evaluator.environment
                overrides = module.on("dotenv-override")
                for name, value in variables(source, outside):
                    if overrides or name not in outside:
                        found[name] = value
                return found, None
        shown = (path or filename or literal(".env")).shown
        return {}, Hole("", f"{shown} may set it, which is not in the repository", Decider.OUTSIDE)

    def _candidates(self, filename: Traced | None, path: Traced | None, here: str | None) -> Iterator[str]:
        if path is not None:
            found = resolved(path, here)
            if found is not None:
                yield found
        name = filename.text if filename is not None and filename.known else ".env"
        if here is None or (filename is not None and not filename.known):
            return
        while True:
            at = inside(here, name)
            if at is not None:
                yield at
            if not here:
                return
            here = posixpath.dirname(here)

    def environment(self, frame: Frame) -> tuple[Variable, ...]:
        """What a line of the frame's recipe, or a backtick, finds in its environment."""
        if frame.environment is not None:
            return frame.environment
        env = dict(self.evaluator.environment)
        env.update(self.dotenv(frame.module)[0])
        chain: list[Module] = []
        module: Module | None = frame.module if frame.recipe is not None else frame.module.parent
        while module is not None:
            chain.insert(0, module)
            module = module.parent
        for name in frame.module.unexports:
            env.pop(name, None)
        env.update(self._exported(chain, frame))
        env.update(frame.exports)
        return tuple(Variable(name, value) for name, value in env.items())

    def _exported(self, chain: Sequence[Module], frame: Frame) -> Iterator[tuple[str, Traced]]:
        """The variables that modules export. Few open conditions make worlds; of more, a value is one of several."""
        found: list[tuple[Module, str, Value, Notes]] = []
        outer = self.evaluator.notes
        for module in chain:
            for name, (assignment, _) in module.assignments.items():
                if assignment.export or module.on("export") or frame.module.on("export"):
                    self.evaluator.notes = notes = Notes()
                    try:
                        value = self.evaluator.variable(module, name)
                    finally:
                        self.evaluator.notes = outer
                        outer.asked_system = outer.asked_system or notes.asked_system
                        outer.asked_machine = outer.asked_machine or notes.asked_machine
                    if value:
                        found.append((module, name, value, notes))
        alternatives = {world: None for *_, notes in found for world in notes.alternatives}
        if len(alternatives) <= _FEW:
            outer.alternatives.update(alternatives)
        for module, name, value, notes in found:
            text = together(value)
            if len(alternatives) > _FEW and notes.alternatives:
                text = self._one_of(module, name, text, notes)
            yield name, text

    def _one_of(self, module: Module, name: str, text: Traced, notes: Notes) -> Traced:
        """A value that hangs on open conditions, as one of those that it may be."""
        texts = {text.shown: text}
        for alternative in notes.alternatives:
            world = merged(self.evaluator.world, alternative)
            if world is None or any(a.opt_in for a in alternative):
                continue
            try:
                value = self.elsewhere(world).variable(module, name)
            except Stop:
                continue
            other = together(value or ())
            texts.setdefault(other.shown, other)
        if len(texts) == 1:
            return text
        among = tuple(texts.values()) if all(t.known for t in texts.values()) else ()
        reason = "it hangs on more open conditions than are followed"
        return hole(Hole(f"${name}", reason, Decider.OUTSIDE, among=among), text.route)

    # -- scripts

    def script(
        self,
        text: Traced,
        frame: Frame,
        *,
        unit: str,
        via: tuple[Span, ...],
        directory: str | None,
        arguments: Sequence[Traced] | None = (),
        name: Traced | None = None,
        ignored: bool = False,
    ) -> Script:
        """A line, or a backtick's command, for the module's shell. ``arguments``: None where nobody knows them."""
        words = self.shell(frame.module)
        while program(words[0].text) == "env" and len(words) > 1:
            words = words[1:]
        shell = program(words[0].text).lower()
        dialect = Dialect.CMD if shell == "cmd" else SHELLS.get(shell)
        if HOLE_MARK in shell:
            dialect = Dialect.SH
        errexit, pipefail = options([w.text for w in words[1:]])
        positional = tuple(Word(a.pieces) for a in arguments or ())
        argv: tuple[Word, ...] = ()
        if dialect is None:  # a wrapper, or a language: the shell's part knows which
            dialect = Dialect.ARGV
            named = (Word(name.pieces),) if name is not None else ()
            argv = (*(Word(w.pieces) for w in words), Word(text.pieces), *named, *positional)
        if shell in READ_AS_BASH or dialect is Dialect.UNREAD:
            told = "is read as bash" if shell in READ_AS_BASH else "is not read, so its commands are not judged"
            where = frame.module.settings.get("shell")
            if where is not None:
                self.evaluator.report(where.span, f"{shell} {told}", fatal=False)
        return Script(
            Place(NAME, task=frame.module.path(frame.recipe.name) if frame.recipe is not None else None),
            dialect,
            Traced() if dialect is Dialect.ARGV else text,
            argv,
            self.environment(frame),
            positional,
            arguments is not None,
            errexit=errexit,
            pipefail=pipefail,
            ignored=ignored,
            via=via,
            directory=directory,
            outside=self.unset(frame, text),
            unit=unit,
            name=Word(name.pieces) if name is not None else None,
            language=shell if dialect is Dialect.UNREAD else "",
        )

    def unset(self, frame: Frame, text: Traced) -> tuple[str, ...]:
        """What an environment file that is not in the tree may set, of what the text uses."""
        if self.dotenv(frame.module)[1] is None:
            return ()
        return tuple(sorted(set(_USED.findall(text.text)) - {v.name for v in self.environment(frame)}))

    def from_environment(self, frame: Frame, name: str, default: Traced | None, node: Node, shown: str) -> Traced:
        """`env(…)`: a variable of an environment file, or of just's own environment."""
        found, unread = self.dotenv(frame.module)
        if name in found:
            return found[name].through((node.span,))
        if name not in self.evaluator.environment and unread is not None and default is None:
            return hole(replace(unread, text=shown, name=name), (node.span,))
        return self.evaluator.environment_value(name, default, shown, node.span)


def folder_hole(shown: str, path: str | None, span: Span) -> Traced:
    """A folder or file of the tree, as the absolute path that just says."""
    gap = Hole(shown, "where the repository is checked out", Decider.OUTSIDE, path=path)
    return Traced((Piece(shown, (span,), hole=gap),))
