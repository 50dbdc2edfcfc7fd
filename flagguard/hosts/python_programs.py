"""Calls of a build script that run programs, as scripts: a list is a ready argv, a text goes to the platform's shell.

Follows the Library Reference (`subprocess`, `os`, `asyncio`), nox ("nox.sessions.Session"), Invoke
("Context.run") and doit ("Actions").
"""

import ast
from typing import TYPE_CHECKING

from flagguard.command import Dialect, Place, Script, Variable, Word, word
from flagguard.hosts.python_expressions import evaluate, unknown
from flagguard.hosts.python_values import Items, Mapping, Named, Plain, Unknown, Value, text_of, truth
from flagguard.hosts.python_world import Stopped, World
from flagguard.paths import resolved
from flagguard.text import Decider, Piece, Span, Traced, join, literal
from flagguard.tools.streams import cut_blank

if TYPE_CHECKING:
    from flagguard.hosts.python_calls import Arguments

NAME = "python"

_LISTS = frozenset({"run", "call", "check_call", "check_output", "Popen"})
_CHECKED = frozenset({"check_call", "check_output"})
_SHELLS = frozenset({"subprocess.getoutput", "subprocess.getstatusoutput", "os.system", "os.popen",
                     "asyncio.create_subprocess_shell"})  # fmt: skip
_SPAWNED = frozenset({"self.spawn", "distutils.spawn.spawn", "setuptools.distutils.spawn.spawn", "self.compiler.spawn"})
_EXECUTED: dict[str, int] = {
    # how many arguments stand before the argv
    **dict.fromkeys(("os.execv", "os.execvp", "os.execve", "os.execvpe", "os.posix_spawn", "os.posix_spawnp"), 1),
    **dict.fromkeys(("os.spawnv", "os.spawnvp", "os.spawnve", "os.spawnvpe"), 2),
}
_SPREAD: dict[str, int] = {
    **dict.fromkeys(("os.execl", "os.execlp"), 1),
    **dict.fromkeys(("os.spawnl", "os.spawnlp"), 2),
    "asyncio.create_subprocess_exec": 0,
}
_SESSION = "nox.Session."
_CONTEXT = ("invoke.Context.", "fabric.Connection.")
_INSTALLS = {"install": ("pip", "install"), "conda_install": ("conda", "install")}


def program(world: World, name: str, given: "Arguments") -> Value | None:
    """Notes what the call runs, and gives its result; None where it runs nothing."""
    module, _, last = name.rpartition(".")
    if module == "subprocess" and last in _LISTS:
        return _subprocess(world, last, given)
    if name in _SHELLS:
        _text(world, given.get("cmd", 0), given)
    elif name in _SPAWNED:
        _argv(world, given.get("cmd", 0), given, ignored=False)
    elif name in _EXECUTED:
        _argv(
            world, given.get("args", _EXECUTED[name]), given, ignored=False, env=given.get("env", _EXECUTED[name] + 1)
        )
    elif name in _SPREAD:
        _argv(world, Items(given.values[_SPREAD[name] :]), given, ignored=False)
    elif name.startswith(_SESSION):
        return _session(world, last, given)
    elif name.startswith(_CONTEXT) or name in ("invoke.run", "fabric.api.local", "fabric.api.run"):
        return _context(world, last, given)
    else:
        return None
    return _result(world, given)


def _result(world: World, given: "Arguments") -> Value:
    return unknown(world, given.node, "the output or the status of a command")


def _checked(world: World, given: "Arguments") -> bool:
    """Whether a failed command is noticed."""
    found = given.get("check")
    if found is not None and truth(found) is not False:
        return True
    return not world.alone and ("returncode" in world.parsed.source.text or "exit(" in world.parsed.source.text)


def _subprocess(world: World, last: str, given: "Arguments") -> Value:
    ignored = last not in _CHECKED and not _checked(world, given)
    words = given.get("args", 0)
    shell = given.get("shell")
    in_shell = truth(shell) is not False if shell is not None else False
    if in_shell and isinstance(words, Items):
        words = words.items[0] if words.items else None
    if in_shell or (world.windows and isinstance(words, Traced)):
        _text(world, words, given, ignored=ignored, shell=in_shell)
    elif isinstance(words, Traced) and words.known and any(c.isspace() for c in words.text.strip()):
        world.asked = True  # the name of a program with blanks: only Windows cuts it
    else:
        _argv(world, Items([words]) if isinstance(words, Traced) else words, given, ignored=ignored)
    return _result(world, given)


def _argv(world: World, value: Value | None, given: "Arguments", *, ignored: bool, env: Value | None = None) -> None:
    if value is None:
        return
    route = world.parsed.span(given.node.func)
    if isinstance(value, Items):
        words = [_word(item, route, given) for item in value.items]
    else:
        reason = value.hole.reason if isinstance(value, Unknown) else "what it holds is not known"
        node = given.node.args[0] if given.node.args else given.node
        words = [_word(unknown(world, node, reason, several=True), route, given)]
    if words:
        _emit(world, Dialect.ARGV, given, words=words, ignored=ignored, env=env)


def _word(value: Value, route: Span, given: "Arguments") -> Word:
    text = text_of(value)
    made = text if isinstance(value, Unknown) else text.one()
    if not made.pieces:
        # an empty argument stands where it is given
        return Word((Piece("", (route,)),))
    return word(made.grounded((route,)), only_span(made))


def only_span(text: Traced) -> Span | None:
    """Where the text is written, if that is one place."""
    pieces = text.pieces
    return pieces[0].route[-1] if len(pieces) == 1 and len(pieces[0].route) == 1 else None


def _text(
    world: World,
    value: Value | None,
    given: "Arguments",
    *,
    ignored: bool | None = None,
    shell: bool = True,
    bash: bool = False,
    env: Value | None = None,
) -> None:
    if value is None:
        return
    ignored = not _checked(world, given) if ignored is None else ignored
    text = text_of(value).one().grounded((world.parsed.span(given.node.func),))
    world.asked = True
    if world.windows and not shell:
        _emit(world, Dialect.ARGV, given, words=[word(w) for w in cut_blank(text)], ignored=ignored)
        return
    dialect = Dialect.CMD if world.windows else Dialect.BASH if bash else Dialect.SH
    _emit(world, dialect, given, text=text, ignored=ignored, env=env)


def run_text(world: World, text: Traced, given: "Arguments") -> None:
    """A text that a build tool gives to the shell, and whose failure it notices."""
    _text(world, text, given, ignored=False)


def _emit(
    world: World,
    dialect: Dialect,
    given: "Arguments",
    *,
    text: Traced | None = None,
    words: list[Word] | None = None,
    ignored: bool = False,
    env: Value | None = None,
) -> None:
    directory = given.get("cwd")
    folder = world.folder if directory is None or isinstance(directory, Plain) else _folder(world, directory)
    script = Script(
        Place(NAME, task=world.task),
        dialect,
        text=text or Traced(),
        argv=tuple(words or ()),
        env=variables(world, env if env is not None else given.get("env")),
        platforms=frozenset({world.platform}),
        ignored=ignored or world.caught > 0,
        directory=folder,
        knows_arguments=True,
        unit=world.task or "",
    )
    world.found.scripts.append((script, world.decisions))


def _folder(world: World, value: Value) -> str | None:
    return resolved(text_of(value), world.folder)


def variables(world: World, value: Value | None) -> tuple[Variable, ...]:
    """The environment: what the script itself sets, then what is given to the command."""
    entries = dict(world.environ.entries)
    if world.session is not None:
        entries |= world.session.entries
    if isinstance(value, Mapping):
        entries = {**(entries if value.environ or world.session is not None else {}), **value.entries}
    return tuple(
        Variable(name, text_of(v).one())
        for name, v in entries.items()
        if isinstance(name, str) and not (isinstance(v, Unknown) and v.variable == name)
        and not (isinstance(v, Plain) and v.value is None)
    )  # fmt: skip


def folder_of(world: World, node: ast.expr) -> tuple[str | None] | None:
    """The folder that `with session.chdir(…)` or `with c.cd(…)` goes to; None where it is none of these."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    function = evaluate(world, node.func)
    if isinstance(function, Named) and function.name.endswith(("Session.chdir", "Context.cd", "contextlib.chdir")):
        return (_folder(world, evaluate(world, node.args[0])),)
    return None


# -- nox --------------------------------------------------------------------------------------------------------------


def _session(world: World, last: str, given: "Arguments") -> Value | None:
    if last in ("run", "run_always", "run_install"):
        codes = given.get("success_codes")
        values = (
            given.values[0].items if len(given.values) == 1 and isinstance(given.values[0], Items) else given.values
        )
        _argv(world, Items(list(values)), given, ignored=codes is not None)
        return _result(world, given)
    if last in _INSTALLS:
        span = world.parsed.span(given.node.func)
        start = [Traced((Piece(part, (span,)),)) for part in _INSTALLS[last]]
        _argv(world, Items([*start, *given.values]), given, ignored=False)
        return Plain(None)
    if last in ("chdir", "cd"):
        world.folder = _folder(world, given.values[0]) if given.values else None
        return Plain(None)
    if last == "notify" and given.values and isinstance(given.values[0], Traced):
        world.notified.add(given.values[0].text)
    if last in ("skip", "error"):
        raise Stopped
    if last in ("notify", "create_tmp"):
        return unknown(world, given.node, "it is made when the session runs")
    return None


# -- Invoke -----------------------------------------------------------------------------------------------------------


def _context(world: World, last: str, given: "Arguments") -> Value | None:
    value = given.get("command", 0)
    if last not in ("run", "sudo", "local"):
        if last == "prefix" and value is not None:
            world.prefixes.append(text_of(value))
        return unknown(world, given.node, "it is not computed here") if last in ("cd", "prefix") else None
    warn = given.get("warn")
    if last == "sudo" and value is not None:
        span = world.parsed.span(given.node.func)
        value = Traced((Piece("sudo ", (span,)),)) + text_of(value)
    if value is not None and world.prefixes:
        value = join([part for one in world.prefixes for part in (one, literal(" && "))] + [text_of(value)])
    env, alone = given.get("env"), given.get("replace_env")
    if isinstance(env, Mapping) and (alone is None or truth(alone) is False):
        env = Mapping({**world.environ.entries, **env.entries}, env.rest, environ=True)
    _text(world, value, given, ignored=warn is not None and truth(warn) is not False, bash=True, env=env)
    return _result(world, given)


# -- doit -------------------------------------------------------------------------------------------------------------


def actions(world: World, value: Value, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """The commands of what a `task_*` function gives back."""
    from flagguard.hosts.python_calls import Arguments

    for task in value.items if isinstance(value, Items) else [value]:
        found = task.entries.get("actions") if isinstance(task, Mapping) else None
        given = Arguments(
            ast.copy_location(ast.Call(ast.copy_location(ast.Name(node.name), node), [], []), node), [], {}
        )
        for action in found.items if isinstance(found, Items) else ():
            if isinstance(action, Traced):
                _text(world, action, given, ignored=False)
            elif isinstance(action, Items):
                _argv(world, action, given, ignored=False)


OUTSIDE = Decider.OUTSIDE
__all__ = ["NAME", "OUTSIDE", "actions", "folder_of", "literal", "only_span", "program", "variables"]
