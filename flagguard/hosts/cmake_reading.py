"""From a file of CMake's language to the calls and commands that it comes to, on each platform."""

from collections.abc import Iterable

from flagguard.command import Call, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.cmake_call import Called
from flagguard.hosts.cmake_lexer import Block, BrokenFile, Invocation, Node, nodes
from flagguard.hosts.cmake_run import ASKED, Run, folder_named, in_tree
from flagguard.hosts.cmake_state import Definition, environment_of
from flagguard.reaching import Part
from flagguard.text import Problem, SourceText
from flagguard.values import replace


def read(source: SourceText, setting: Setting) -> Reading:
    """The file as if nobody called it: options have their defaults."""
    return _reading(source, setting, None)


def evaluate(path: str, setting: Setting, called: Called) -> Reading:
    """The project as a command configures it."""
    source = setting.files.read(path)
    return _reading(source, setting, called) if source is not None else Reading()


def _reading(source: SourceText, setting: Setting, called: Called | None) -> Reading:
    calls: list[Call] = []
    scripts: list[Script] = []
    problems: dict[Problem, None] = {}
    parts: dict[Part, None] = {}
    left = list(setting.platforms or ("linux-x86_64",))
    while left:
        run = _run(source, setting, called, left[0])
        notes = run.notes
        if run.whole:
            parts.update(dict.fromkeys(run.parts))
        # what options bring is the project's, not that of its folders read alone; a call knows its options
        elif called is None:
            parts.update(dict.fromkeys(part for part in run.parts if part[1]))
        # a file that asks nothing of the platform says the same on all
        here = frozenset(left[:1] if notes.asked_platform else left)
        left = left[1:] if notes.asked_platform else []
        calls += [replace(call, platforms=here) for call in dict.fromkeys(notes.calls)]
        told: dict[object, Script] = {}
        for script in notes.scripts:  # a loop comes to the same again and again
            texts = tuple(word.shown for word in script.argv)
            told.setdefault((script.argv[0].written, texts, script.when, script.directory), script)
        scripts += [replace(script, platforms=here) for script in told.values()]
        problems.update(dict.fromkeys(notes.problems))
    if called is None:
        parts.update({(path, ASKED): None for path, unit in parts if not unit and path != source.path})
    return Reading(tuple(scripts), tuple(calls), tuple(problems), follows=tuple(("", part) for part in parts))


def _run(source: SourceText, setting: Setting, called: Called | None, platform: str) -> Run:
    top = source.path.rpartition("/")[2] == "CMakeLists.txt"
    found = nodes(source)
    whole = called is not None or (top and not isinstance(found, BrokenFile) and any(_commands(found, "project")))
    run = Run(setting.files, platform, setting.assume, whole=whole)
    if called is not None:
        run.closed = not called.unsure
        configured(run, called)
    elif source.path.rpartition("/")[2] == "portfile.cmake":
        from flagguard.hosts.cmake_vcpkg import begin

        begin(run)
    if whole:
        folder = source.path.rpartition("/")[0]
        for name in ("CMAKE_SOURCE_DIR", "CMAKE_HOME_DIRECTORY"):
            run.state.set(name, Definition(folder_named(name, folder)))
    if top:
        run.directory(source)
    else:
        run.file(source)
    run.uncalled(source)
    return run


def configured(run: Run, called: Called) -> None:
    """The values of the command line, and the files that are read before the project."""
    run.state.environment = environment_of(called.environment)
    for name, value in called.definitions:
        if value is not None:
            run.state.cache[name] = Definition(value)
    for file in called.scripts:
        script = in_tree(run, file)
        if script is not None:
            run.file(script)
    run.folder = called.path.rpartition("/")[0]
    if called.toolchain is not None:
        source = in_tree(run, called.toolchain)
        if source is not None:
            run.file(source)


def _commands(body: Iterable[Node], name: str) -> Iterable[Invocation]:
    for node in body:
        if isinstance(node, Invocation):
            if node.name == name:
                yield node
        elif isinstance(node, Block) and node.kind not in ("function", "macro"):
            yield from _commands(node.body, name)
            for _, other in node.others:
                yield from _commands(other, name)
