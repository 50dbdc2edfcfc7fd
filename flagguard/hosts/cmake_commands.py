"""The commands that set variables, define targets and read other files.

Follows cmake-commands(7). A command that asks the machine leaves a value that is not known.
"""

from flagguard.hosts import cmake_run
from flagguard.hosts.cmake_conditions import version
from flagguard.hosts.cmake_flags import assigned
from flagguard.hosts.cmake_lexer import Invocation, Kind
from flagguard.hosts.cmake_references import items, listed
from flagguard.hosts.cmake_run import Flow, Function, Run
from flagguard.hosts.cmake_state import UNSET, Definition
from flagguard.paths import inside, resolved
from flagguard.text import EMPTY, Decider, Hole, Shape, SourceText, Traced, hole, join, literal

_OPTION_KEEPS = (3, 13)
"""Policy CMP0077: option() leaves a normal variable alone."""
_CACHE_KEEPS = (3, 21)
"""Policy CMP0126: set(CACHE) does."""


def _set(run: Run, invocation: Invocation) -> None:
    found = run.words(invocation.arguments)
    if not found:
        return
    name = found[0]
    if not name.known:
        run.state.loose = run.state.loose or name.several
        return
    values = found[1:]
    if name.text.startswith("ENV{") and name.text.endswith("}"):
        value = Traced(values[0].pieces) if values else EMPTY
        run.state.environment[name.text[4:-1]] = Definition(value)
        assigned(run, invocation, name, value)
        return
    at = next((i for i, word in enumerate(values) if word.text == "CACHE" and _bare(invocation, word)), None)
    if at is not None and len(values) > at + 1:
        _cache(run, invocation, name.text, listed(values[:at]), forced=values[-1].text == "FORCE", kind=values[at + 1])
        return
    above = bool(values) and values[-1].text == "PARENT_SCOPE"
    values = values[:-1] if above else values
    value = listed(values)
    definition = Definition(value) if values else UNSET
    if above:
        run.state.set_above(name.text, definition)
    else:
        run.state.set(name.text, definition)
    assigned(run, invocation, name, value)


def _bare(invocation: Invocation, word: Traced) -> bool:
    return any(a.kind is Kind.UNQUOTED and a.text == word.text for a in invocation.arguments)


def _cache(run: Run, invocation: Invocation, name: str, value: Traced, *, forced: bool, kind: Traced) -> None:
    held = run.state.cache.get(name)
    forced = forced or kind.text == "INTERNAL"
    if held is None or forced:
        run.state.cache[name] = Definition(value, outside=not forced)
    if run.policy < _CACHE_KEEPS or forced:
        run.state.scopes[-1].pop(name, None)
    if held is None or forced:
        assigned(run, invocation, literal(name), value)


def _unset(run: Run, invocation: Invocation) -> None:
    found = run.words(invocation.arguments)
    if not found or not found[0].known:
        return
    name, rest = found[0].text, [word.text for word in found[1:]]
    if name.startswith("ENV{"):
        run.state.environment.pop(name[4:-1], None)
    elif "CACHE" in rest:
        run.state.cache.pop(name, None)
    elif "PARENT_SCOPE" in rest:
        run.state.set_above(name, UNSET)
    else:
        run.state.set(name, UNSET)


def _option(run: Run, invocation: Invocation) -> None:
    found = run.words(invocation.arguments)
    if not found or not found[0].known:
        return
    name = found[0].text
    if run.state.normal(name) is not None and run.policy >= _OPTION_KEEPS:
        return
    if name not in run.state.cache:
        value = Traced(found[2].pieces) if len(found) > 2 else literal("OFF")
        run.state.cache[name] = Definition(value, outside=True)
    run.state.scopes[-1].pop(name, None)


def _dependent(run: Run, invocation: Invocation) -> None:
    """`cmake_dependent_option(X doc default depends forced)`"""
    from flagguard.hosts.cmake_conditions import Term, holds
    from flagguard.hosts.cmake_lexer import BrokenFile, invocations

    found = run.words(invocation.arguments)
    if len(found) < 5 or not found[0].known:
        return
    truth: bool | None = True
    for part in items(found[3]):
        if not part.known:
            truth = None
            break
        try:
            [wrapped] = invocations(f"if({part.text})")
            one = holds([Term(literal(a.text), a.kind is not Kind.UNQUOTED) for a in wrapped.arguments], run)
        except (ValueError, BrokenFile):
            one = None
        truth = False if one is False or truth is False else None if one is None else truth
    name = found[0].text
    if truth:
        run.state.cache.setdefault(name, Definition(Traced(found[2].pieces), outside=True))
    elif truth is False:
        run.state.set(name, Definition(Traced(found[4].pieces)))
    else:
        run.gap(name, invocation, "what it depends on is not known")


# -- files ------------------------------------------------------------------------------------------------------------


def _include(run: Run, invocation: Invocation) -> Flow | None:
    found = run.words(invocation.arguments)
    if not found:
        return None
    name = found[0]
    for at, word in enumerate(found):
        if word.text == "RESULT_VARIABLE" and len(found) > at + 1:
            run.gap(found[at + 1].text, invocation, "whether the file is there")
    source = cmake_run.in_tree(run, name)
    if source is None and name.known and "/" not in name.text and not name.text.endswith(".cmake"):
        return _module(run, f"{name.text}.cmake")
    if source is None:
        if not name.text.startswith(("CMake", "Check", "GNUInstallDirs", "FetchContent", "ExternalProject", "CTest")):
            run.state.loose = True
        return None
    return run.file(source)


def _module(run: Run, file: str) -> Flow | None:
    """A module of the tree; one of CMake's own sets nothing that matters here."""
    source = _on_path(run, file)
    return run.file(source) if source is not None else None


def _on_path(run: Run, file: str) -> SourceText | None:
    value = run.lookup("CMAKE_MODULE_PATH")[0]
    for folder in items(value) if value is not None else ():
        path = resolved(folder, run.folder)
        inner = inside(path, file) if path is not None else None
        source = run.files.read(inner) if inner is not None else None
        if source is not None:
            return source
    return None


def _subdirectory(run: Run, invocation: Invocation) -> Flow | None:
    found = run.words(invocation.arguments) if run.whole else []
    if not found:
        return None  # a part of a project is read by itself, and so are its folders
    path = resolved(found[0], run.folder)
    inner = inside(path, "CMakeLists.txt") if path is not None else None
    source = run.files.read(inner) if inner is not None else None
    return run.directory(source) if source is not None else None


def _package(run: Run, invocation: Invocation) -> None:
    """What a package's module sets is not known."""
    found = run.words(invocation.arguments)
    if found and found[0].known:
        run.state.perhaps.add(f"{found[0].text.upper()}_")
        run.state.perhaps.add(f"{found[0].text.upper().replace('-', '_')}_")


def _prefixed(run: Run, invocation: Invocation) -> None:
    """`pkg_check_modules(PREFIX …)`, `FetchContent_Declare(name …)`"""
    _package(run, invocation)


def _unread(run: Run, invocation: Invocation) -> None:
    del invocation
    run.state.loose = True


# -- flow -------------------------------------------------------------------------------------------------------------


def _return(run: Run, invocation: Invocation) -> Flow:
    del run, invocation
    return Flow.RETURN


def _break(run: Run, invocation: Invocation) -> Flow:
    del run, invocation
    return Flow.BREAK


def _continue(run: Run, invocation: Invocation) -> Flow:
    del run, invocation
    return Flow.CONTINUE


def _message(run: Run, invocation: Invocation) -> Flow | None:
    del run
    mode = invocation.arguments[0].text if invocation.arguments else ""
    return Flow.STOP if mode == "FATAL_ERROR" else None


def _language(run: Run, invocation: Invocation) -> Flow | None:
    """`cmake_language(CALL command …)`"""
    found = run.words(invocation.arguments)
    if len(found) < 2 or found[0].text != "CALL" or not found[1].known:
        run.state.loose = run.state.loose or (bool(found) and found[0].text == "EVAL")
        return None
    name = found[1].text.lower()
    function = run.functions.get(name)
    rest = Invocation(name, invocation.arguments[2:], invocation.start, invocation.end)
    if isinstance(function, Function):
        return run.call(function, rest, found[2:])
    return run.command(name, rest)


def _required(run: Run, invocation: Invocation) -> None:
    """Which policies hold: `cmake_minimum_required(VERSION 3.5...3.28)`."""
    found = run.words(invocation.arguments)
    for at, word in enumerate(found):
        if word.text == "VERSION" and len(found) > at + 1 and found[at + 1].known:
            run.policy = version(found[at + 1].text.rpartition("...")[2] or found[at + 1].text)


def _project(run: Run, invocation: Invocation) -> None:
    found = run.words(invocation.arguments)
    if found and found[0].known:
        run.state.set("PROJECT_NAME", Definition(Traced(found[0].pieces)))
        if len(run.reading) == 1:
            run.state.cache["CMAKE_PROJECT_NAME"] = Definition(Traced(found[0].pieces))
        for name in ("PROJECT_SOURCE_DIR", f"{found[0].text}_SOURCE_DIR"):
            if run.folder is not None:
                run.state.set(name, Definition(cmake_run.folder_named(name, run.folder)))
    for at, word in enumerate(found):
        if word.text == "VERSION" and len(found) > at + 1:
            run.state.set("PROJECT_VERSION", Definition(Traced(found[at + 1].pieces)))


# -- what only the machine knows --------------------------------------------------------------------------------------


def _probe(run: Run, invocation: Invocation) -> None:
    """`check_c_compiler_flag(-march=native HAVE)`: the last word is the variable."""
    found = run.words(invocation.arguments)
    if found and found[-1].known and found[-1].text not in run.state.cache:
        run.gap(found[-1].text, invocation, "whether the compiler takes it")


def _probe_second(run: Run, invocation: Invocation) -> None:
    """`check_include_file(header HAVE …)`"""
    found = run.words(invocation.arguments)
    if len(found) > 1 and found[1].known and found[1].text not in run.state.cache:
        run.gap(found[1].text, invocation, "whether the machine has it")


def _first(run: Run, invocation: Invocation) -> None:
    """Commands whose first words are the variables that they set."""
    found = run.words(invocation.arguments)
    for word in found[: 2 if invocation.name == "try_run" else 1]:
        if word.known and word.text not in run.state.cache:
            shape = Shape.PATH if invocation.name in ("find_path", "find_library", "find_file") else Shape.ANY
            run.gap(word.text, invocation, "the machine decides it", shape)


def _program(run: Run, invocation: Invocation) -> None:
    """`find_program(VAR names…)`: a program of one of these names."""
    found = run.words(invocation.arguments)
    if not found or not found[0].known or run.lookup(found[0].text)[0] is not None:
        return
    names: list[Traced] = []
    taking = True
    for at, word in enumerate(found[1:]):
        if word.text in ("NAMES", "NAMES_PER_DIR"):
            taking = True
        elif word.text.isupper() and word.text.replace("_", "").isalpha() and len(word.text) > 3:
            taking = False
        elif taking and (at == 0 or names or found[1].text == "NAMES"):
            names.append(Traced(word.pieces))
    names = [name for name in names if name.known and name.text]
    if not names:
        _first(run, invocation)
        return
    reason = "which of the programs is there"
    one = Hole(f"${{{found[0].text}}}", reason, Decider.OUTSIDE, Shape.PATH, found[0].text, among=tuple(names))
    value = names[0] if len(names) == 1 else hole(one, names[0].route)
    run.state.cache[found[0].text] = Definition(value, outside=True)


def _file(run: Run, invocation: Invocation) -> None:
    found = run.words(invocation.arguments)
    if not found:
        return
    kind = found[0].text
    at = {"READ": 2, "STRINGS": 2, "GLOB": 1, "GLOB_RECURSE": 1, "RELATIVE_PATH": 1, "SIZE": 2, "REAL_PATH": 2,
          "TO_CMAKE_PATH": 2, "TO_NATIVE_PATH": 2, "TIMESTAMP": 2, "READ_SYMLINK": 2}.get(kind)  # fmt: skip
    if at is not None and len(found) > at and found[at].known:
        paths = kind not in ("READ", "STRINGS", "SIZE", "TIMESTAMP")
        run.gap(found[at].text, invocation, "what is in the files", Shape.PATH if paths else Shape.ANY)


def _component(run: Run, invocation: Invocation) -> None:
    """`get_filename_component(VAR name mode)`"""
    found = run.words(invocation.arguments)
    if len(found) < 3 or not found[0].known:
        return
    name, mode = Traced(found[1].pieces), found[2].text
    value: Traced | None = None
    if name.known and mode in ("NAME", "NAME_WE", "DIRECTORY", "PATH", "EXT"):
        slash = name.text.rfind("/")
        if mode in ("DIRECTORY", "PATH"):
            value = name.cut(0, max(slash, 0))
        else:
            base = name.cut(slash + 1, len(name))
            dot = base.text.find(".")
            dot = len(base) if dot < 0 else dot
            value = base if mode == "NAME" else base.cut(0, dot) if mode == "NAME_WE" else base.cut(dot, len(base))
    elif mode in ("ABSOLUTE", "REALPATH", "DIRECTORY", "PATH"):
        path = resolved(name, run.folder)
        if path is not None:
            path = path.rpartition("/")[0] if mode in ("DIRECTORY", "PATH") else path
            value = cmake_run.folder_named(found[0].text, path)
    if value is None:
        run.gap(found[0].text, invocation, "a part of a path that is not known", Shape.PATH)
    else:
        run.state.set(found[0].text, Definition(value))


def _parse_arguments(run: Run, invocation: Invocation) -> None:
    """`cmake_parse_arguments(prefix options one-values multi-values args…)` and its `PARSE_ARGV` form."""
    found = run.words(invocation.arguments)
    rest: list[Traced]
    if found and found[0].text == "PARSE_ARGV":
        head = found[2:6]
        argv = run.lookup("ARGV")[0] or EMPTY
        start = int(found[1].text) if len(found) > 1 and found[1].text.isdecimal() else 0
        rest = list(items(argv))[start:]
    else:
        head = found[:4]
        rest = [Traced(word.pieces) for word in found[4:]]
    if len(head) < 4 or not all(word.known for word in head):
        run.state.loose = True
        return
    prefix = head[0].text
    options, ones, many = ([item.text for item in items(word) if item.text] for word in head[1:])
    values: dict[str, list[Traced]] = {}
    given: set[str] = set()
    current = ""
    unsure = False
    for word in rest:
        text = word.text if word.known else ""
        if text and text in options:
            given.add(text)
            current = ""
        elif text and (text in ones or text in many):
            current = text
            values[current] = []
        elif current:
            values[current].append(word)
            current = "" if current in ones else current
        else:
            values.setdefault("UNPARSED_ARGUMENTS", []).append(word)
        unsure = unsure or (not current and not word.known and word.several)
    for name in options:
        if unsure and name not in given:
            run.gap(f"{prefix}_{name}", invocation, "which arguments there are is not known")
        else:
            run.state.set(f"{prefix}_{name}", Definition(literal("TRUE" if name in given else "FALSE")))
    for name in (*ones, *many, "UNPARSED_ARGUMENTS"):
        if name in values:
            run.state.set(f"{prefix}_{name}", Definition(listed(values[name])))
        elif unsure:
            run.gap(f"{prefix}_{name}", invocation, "which arguments there are is not known")
        else:
            run.state.set(f"{prefix}_{name}", UNSET)


def _separate(run: Run, invocation: Invocation) -> None:
    """`separate_arguments(VAR mode text)`: a text as a list."""
    from flagguard.tools.streams import cut_blank

    found = run.words(invocation.arguments)
    if not found or not found[0].known:
        return
    value = join(found[2:]) if len(found) > 2 else run.lookup(found[0].text)[0]
    if value is not None and len(found) > 3 and found[2].text == "PROGRAM":
        run.gap(found[0].text, invocation, "the words of a command")
    elif value is not None:
        run.state.set(found[0].text, Definition(listed([Traced(w.pieces) for w in cut_blank(value)])))


def _property_read(run: Run, invocation: Invocation) -> None:
    found = run.words(invocation.arguments)
    if found and found[0].known:
        run.gap(found[0].text, invocation, "what the property holds")


def _nothing(run: Run, invocation: Invocation) -> None:
    del run, invocation


_CHECKS = "check_{0}_compiler_flag check_{0}_source_compiles check_{0}_source_runs"
COMMANDS = {
    "set": _set, "unset": _unset, "option": _option, "cmake_dependent_option": _dependent, "include": _include,
    "add_subdirectory": _subdirectory, "subdirs": _subdirectory, "find_package": _package,
    "pkg_check_modules": _prefixed, "pkg_search_module": _prefixed, "fetchcontent_declare": _prefixed,
    "fetchcontent_getproperties": _prefixed, "fetchcontent_makeavailable": _prefixed, "cpmaddpackage": _prefixed,
    "fetchcontent_populate": _prefixed, "find_dependency": _package, "load_cache": _unread,
    "return": _return, "break": _break, "continue": _continue, "message": _message, "cmake_language": _language,
    "cmake_minimum_required": _required, "project": _project, "find_program": _program, "file": _file,
    "get_filename_component": _component, "cmake_parse_arguments": _parse_arguments,
    "separate_arguments": _separate, "configure_file": _nothing,
    **{name.format(language): _probe
       for language in ("c", "cxx", "cuda", "fortran", "objc", "objcxx", "hip") for name in _CHECKS.split()},
    **dict.fromkeys("check_linker_flag check_compiler_flag check_source_compiles check_source_runs".split(), _probe),
    **dict.fromkeys("check_ipo_supported check_pie_supported enable_language enable_testing install export "
                    "cmake_policy mark_as_advanced include_directories link_directories target_include_directories "
                    "target_link_libraries target_sources link_libraries source_group add_dependencies "
                    "include_guard add_test set_tests_properties define_property target_precompile_headers "
                    "include_external_msproject variable_watch site_name target_link_directories "
                    "cmake_print_variables feature_summary add_feature_info".split(), _nothing),
    **dict.fromkeys("check_include_file check_include_file_cxx check_symbol_exists check_cxx_symbol_exists "
                    "check_type_size".split(), _probe_second),
    **dict.fromkeys("check_include_files check_function_exists check_library_exists check_struct_has_member "
                    "check_prototype_definition test_big_endian check_language".split(), _probe),
    **dict.fromkeys("find_library find_path find_file try_compile try_run".split(), _first),
    **dict.fromkeys("get_target_property get_property get_directory_property get_source_file_property "
                    "get_cmake_property get_test_property build_name aux_source_directory".split(), _property_read),
}  # fmt: skip
