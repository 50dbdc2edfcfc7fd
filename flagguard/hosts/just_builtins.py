"""just's functions that ask for more than their arguments, and backticks: commands whose output is a value.

Follows "Functions" and "Command Evaluation Using Backticks" in just's README. No command is run: what one prints is
what the shell's evaluation knows of it, else a hole. The commands themselves are scripts, like lines.
"""

from collections.abc import Callable, Sequence

from flagguard.command import PLATFORMS, Dialect, Script
from flagguard.hosts import Setting
from flagguard.hosts.just_conditions import undecided
from flagguard.hosts.just_evaluator import Evaluator, Frame, Stop, Value, together
from flagguard.hosts.just_functions import affixed, compute, joined, quoted
from flagguard.hosts.just_surroundings import Surroundings, folder_hole
from flagguard.hosts.just_syntax import Backtick, Call, Node
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Shape, Span, Traced, hole, join, literal
from flagguard.values import replace

_ARCHITECTURES = {
    # https://doc.rust-lang.org/std/env/consts/constant.ARCH.html
    "x86_64": "x86_64",
    "aarch64": "aarch64",
    "arm64": "aarch64",
    "amd64": "x86_64",
    "ppc64le": "powerpc64",
    "riscv64": "riscv64",
    "s390x": "s390x",
    "armv7l": "arm",
    "i686": "x86",
}
_MACHINE = {
    # function: what its result looks like; the machine, the user or the moment decides it
    "num_cpus": Shape.NUMBER,
    "just_pid": Shape.NUMBER,
    "just_version": Shape.PATH,
    "uuid": Shape.PATH,
    "datetime": Shape.ANY,
    "datetime_utc": Shape.ANY,
    "choose": Shape.ANY,
    "style": Shape.ANY,
    **{
        f"{name}_directory": Shape.PATH
        for name in "cache config config_local data data_local executable home runtime".split()
    },
    "invocation_directory_native": Shape.PATH,
}
_REPOSITORY = {"blake3": Shape.PATH, "blake3_file": Shape.PATH, "sha256_file": Shape.PATH}
_ON_PLATFORM = expression(r"uname|arch|OSTYPE|HOSTTYPE|MACHTYPE|dumpmachine|RUNNER_OS")
"""A program that is given what a command prints."""


class Builtins:
    """Of one evaluation."""

    def __init__(self, evaluator: Evaluator, surroundings: Surroundings, setting: Setting) -> None:
        self.evaluator = evaluator
        self.surroundings = surroundings
        self.setting = setting
        self.top: list[Script] = []
        """Commands of module variables,"""
        self.inner: list[Script] = []
        """and of the recipe that is being evaluated."""
        self.unit = ""
        self.via: tuple[Span, ...] = ()
        evaluator.functions = self

    # -- functions

    def call(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        name = node.name
        if name.endswith("_dir"):
            name = name.removesuffix("_dir") + "_directory"
        elif name.endswith("_dir_native"):
            name = name.removesuffix("_dir_native") + "_directory_native"
        if name in ("env", "env_var", "env_var_or_default") and arguments:
            return self._env(node, arguments, frame)
        own = _OWN.get(name)
        if own is not None and len(arguments) >= _LEAST.get(name, 0):
            return own(self, node, arguments, frame)
        written = self._written(node)
        shape = _MACHINE.get(name) or _REPOSITORY.get(name)
        if shape is not None:
            decider = Decider.REPOSITORY if name in _REPOSITORY else Decider.OUTSIDE
            return (hole(Hole(written.text, "only just can know it", decider, shape), (node.span,)),)
        texts = [together(a) for a in arguments]
        found = compute(name, texts, written) if texts else None
        if found is not None:
            return (found,)
        self.evaluator.report(node.span, f"just has no function `{node.name}` for {len(arguments)} arguments")
        return (hole(Hole(written.text, "the function is not known", Decider.REPOSITORY), (node.span,)),)

    def _written(self, node: Node) -> Traced:
        source = self.setting.files.read(node.span.path)
        return source.traced(node.span.start, node.span.end) if source is not None else literal("…")

    def _shown(self, node: Node) -> str:
        return self._written(node).text

    def _env(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        default = arguments[1] if len(arguments) > 1 else None
        keys = [k for k in arguments[0] if k.known]
        if len(keys) != len(arguments[0]) or not keys:
            return (hole(Hole(self._shown(node), "the name of the variable is not known"), (node.span,)),)
        text = together(default) if default is not None else None
        for key in keys[:-1]:
            if key.text in self.surroundings.dotenv(frame.module)[0] or key.text in self.evaluator.environment:
                keys = [key]
        found = self.surroundings.from_environment(frame, keys[-1].text, text, node, self._shown(node))
        return default if default == () and found is text else (found,)

    def _os(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        self.evaluator.notes.asked_system = True
        return (literal(self.evaluator.platform.partition("-")[0]),)

    def _os_family(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return (literal("windows" if self.evaluator.on_windows else "unix"),)

    def _arch(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        self.evaluator.notes.asked_machine = True
        machine = PLATFORMS[self.evaluator.platform][1]
        return (literal(_ARCHITECTURES.get(machine, machine)),)

    def _path(self, path: str | None, node: Call) -> Value:
        return (folder_hole(self._shown(node), path, node.span),)

    def _root(self, frame: Frame) -> str:
        module = frame.module
        while module.parent is not None:
            module = module.parent
        return module.source.path

    def _justfile(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return self._path(self._root(frame), node)

    def _justfile_directory(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return self._path(self._root(frame).rpartition("/")[0], node)

    def _module_file(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return self._path(frame.module.source.path, node)

    def _module_directory(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return self._path(frame.module.directory, node)

    def _source_file(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return self._path(node.span.path, node)

    def _source_directory(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return self._path(node.span.path.rpartition("/")[0], node)

    def _invocation_directory(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return self._path(self.surroundings.called.directory, node)

    def _absolute(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        base = self.surroundings.base(frame.module)
        return tuple(folder_hole(self._shown(node), resolved(text, base), node.span) for text in arguments[0])

    def _module_path(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return (literal("::".join(frame.module.names)),)

    def _recipe_name(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        if frame.recipe is None:
            raise Stop(node.span, "`recipe_name()` can only be used within a recipe")
        return (literal(frame.recipe.name),)

    def _program(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        """`which`, `require`: the folder of a program is not known, its name is."""
        name = together(arguments[0]) if arguments else literal("just")
        if "/" in name.text:
            return (name,)
        shown = name.shown
        if node.name == "which" and undecided(self.evaluator, f"{shown} is not installed", f"{shown} is installed"):
            return () if frame.module.on("lists") else (EMPTY,)
        folder = Hole(f"{self._shown(node)}/..", "where the program is installed", Decider.OUTSIDE, Shape.PATH)
        return (join((hole(folder, (node.span,)), literal("/"), name)),)

    def _is_dependency(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return self._boolean(frame.dependency, frame)

    def _boolean(self, holds: bool, frame: Frame) -> Value:
        if frame.module.on("lists"):
            return (literal("true"),) if holds else ()
        return (literal("true" if holds else "false"),)

    def _path_exists(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        path = resolved(together(arguments[0]), self.surroundings.base(frame.module))
        if path is not None and self._file(path) is not None:
            return self._boolean(True, frame)
        gap = Hole(self._shown(node), "what is there when just runs is not known", Decider.OUTSIDE)
        return (hole(gap, (node.span,)),)

    def _semver(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return (hole(Hole(self._shown(node), "versions are not compared"), (node.span,)),)

    def _file(self, path: str) -> Traced | None:
        self.surroundings.looked_at.append(path)
        source = self.setting.files.read(path)
        return source.traced() if source is not None else None

    def _read(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        path = resolved(together(arguments[0]), self.surroundings.base(frame.module))
        found = self._file(path) if path is not None else None
        if found is not None:
            return (found.through((node.span,)),)
        return (hole(Hole(self._shown(node), "the file is not in the repository", Decider.REPOSITORY), (node.span,)),)

    def _error(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        raise Stop(node.span, together(arguments[0]).shown if arguments else "")

    def _quote(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return tuple(map(quoted, arguments[0]))

    def _join(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return (joined(list(map(together, arguments)), self.evaluator.on_windows),)

    def _affix(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        before = node.name == "prepend"
        affix = together(arguments[0])
        if frame.module.on("lists"):
            return tuple(join((affix, text) if before else (text, affix)) for text in arguments[1])
        found = affixed(affix, together(arguments[1]), before)
        if found is not None:
            return (found,)
        return (hole(Hole(self._shown(node), "the words are not known"), (node.span,)),)

    # -- functions on lists

    def _join_list(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        between = together(arguments[1]) if len(arguments) > 1 else literal(" ")
        items = arguments[0]
        return (join(part for i, t in enumerate(items) for part in ((between, t) if i else (t,))),)

    def _split(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        text = together(arguments[0])
        if not text.known:
            return (hole(Hole(self._shown(node), "what is split is not known"), (node.span,)),)
        if len(arguments) == 1:
            found: list[Traced] = []
            at = 0
            for word in text.text.split():
                at = text.text.index(word, at)
                found.append(text.cut(at, at + len(word)))
                at += len(word)
            return tuple(found)
        between = together(arguments[1]).text
        if not between:
            return tuple(text.cut(i, i + 1) for i in range(len(text)))
        out, at = [], 0
        for part in text.text.split(between):
            out.append(text.cut(at, at + len(part)))
            at += len(part) + len(between)
        return tuple(out)

    def _len(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return (literal(str(len(arguments[0]))),)

    def _bool(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        value = arguments[0]
        if not all(text.known for text in value):
            return (hole(Hole(self._shown(node), "the value is not known"), (node.span,)),)
        said = together(value).text if value else ""
        if said not in ("", "0", "false", "1", "true") or len(value) > 1:
            raise Stop(node.span, f"`{said}` is neither true nor false")
        return self._boolean(said in ("1", "true"), frame)

    def _no_jobs(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        return ()

    def _show(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        shown = [join((literal('"'), t, literal('"'))) for t in arguments[0]]
        if len(shown) == 1:
            return (shown[0],)
        return (join((literal("["), *(p for i, t in enumerate(shown) for p in ((literal(", "), t) if i else (t,))),
                      literal("]"))),)  # fmt: skip

    # -- commands

    def backtick(self, node: Backtick, frame: Frame) -> Traced:
        return self._output(node.command, node, frame, (), None)

    def _shell(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value:
        texts = list(map(together, arguments))
        return (self._output(texts[0], node, frame, texts[1:], texts[0]),)

    def _output(
        self, command: Traced, node: Node, frame: Frame, arguments: Sequence[Traced], name: Traced | None
    ) -> Traced:
        """What a command prints; the command becomes a script."""
        script = self.surroundings.script(
            command,
            frame,
            unit=self.unit if frame.recipe is not None else "",
            via=self.via if frame.recipe is not None else (),
            directory=self.surroundings.base(frame.module),
            arguments=arguments,
            name=name,
        )
        (self.inner if frame.recipe is not None else self.top).append(script)
        printed = self._printed(script) if script.dialect in (Dialect.SH, Dialect.BASH) else None
        only = printed.pieces[0].hole if printed is not None and len(printed.pieces) == 1 else None
        shown = self._shown(node)
        if printed is None:
            return hole(Hole(shown, "the output of a command", Decider.REPOSITORY), (node.span,))
        if only is not None:
            return hole(replace(only, text=shown), (node.span,))
        return printed

    def _printed(self, script: Script) -> Traced | None:
        """What the shell's evaluation knows of the output; None where that is not one text."""
        from flagguard.shell.outputs import outputs  # the shell takes long to import

        if _ON_PLATFORM.search(script.text.text):
            self.evaluator.notes.asked_system = self.evaluator.notes.asked_machine = True
        texts, found = outputs(script, replace(self.setting, platforms=(self.evaluator.platform,)))
        self.surroundings.looked_at.extend(found.depends)
        if not texts:
            return None
        if len(texts) == 1:
            return texts[0]
        among = texts if all(text.known for text in texts) else ()
        return hole(Hole(script.text.shown, "the output of a command", Decider.REPOSITORY, among=among))


_OWN: dict[str, Callable[[Builtins, Call, Sequence[Value], Frame], Value]] = {
    "absolute_path": Builtins._absolute,
    "append": Builtins._affix,
    "arch": Builtins._arch,
    "bool": Builtins._bool,
    "canonicalize": Builtins._absolute,
    "error": Builtins._error,
    "invocation_directory": Builtins._invocation_directory,
    "is_dependency": Builtins._is_dependency,
    "join": Builtins._join,
    "join_list": Builtins._join_list,
    "just_executable": Builtins._program,
    "justfile": Builtins._justfile,
    "justfile_directory": Builtins._justfile_directory,
    "len": Builtins._len,
    "module_directory": Builtins._module_directory,
    "module_file": Builtins._module_file,
    "module_path": Builtins._module_path,
    "num_jobs": Builtins._no_jobs,
    "os": Builtins._os,
    "os_family": Builtins._os_family,
    "path_exists": Builtins._path_exists,
    "prepend": Builtins._affix,
    "quote": Builtins._quote,
    "read": Builtins._read,
    "recipe_name": Builtins._recipe_name,
    "require": Builtins._program,
    "semver_matches": Builtins._semver,
    "shell": Builtins._shell,
    "show": Builtins._show,
    "source_directory": Builtins._source_directory,
    "source_file": Builtins._source_file,
    "split": Builtins._split,
    "which": Builtins._program,
}
_LEAST = dict.fromkeys("absolute_path bool canonicalize len path_exists quote read require shell show".split(), 1)
_LEAST |= {"append": 2, "join": 2, "prepend": 2, "join_list": 1, "split": 1, "which": 1}
