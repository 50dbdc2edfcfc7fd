"""The commands that run programs: `add_custom_command`, `add_custom_target`, `execute_process`, `ExternalProject_Add`.

No shell reads their words, but for the operators that CMake's generators hand to one (`cmOutputConverter`). Follows
cmake-commands(7) and cmake-modules(7), "ExternalProject".
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from flagguard.command import Dialect, Script, Word
from flagguard.hosts.cmake_flags import build
from flagguard.hosts.cmake_genex import answers
from flagguard.hosts.cmake_lexer import Argument, Invocation, Kind
from flagguard.hosts.cmake_references import items, listed
from flagguard.hosts.cmake_run import Run
from flagguard.paths import resolved
from flagguard.text import Piece, Span, Traced

_CUSTOM = frozenset(
    "COMMAND ARGS DEPENDS OUTPUT BYPRODUCTS MAIN_DEPENDENCY IMPLICIT_DEPENDS WORKING_DIRECTORY COMMENT DEPFILE "
    "JOB_POOL JOB_SERVER_AWARE VERBATIM APPEND USES_TERMINAL CODEGEN COMMAND_EXPAND_LISTS DEPENDS_EXPLICIT_ONLY "
    "PRE_BUILD PRE_LINK POST_BUILD TARGET SOURCES SOURCE".split()
)
_PROCESS = frozenset(
    "COMMAND WORKING_DIRECTORY TIMEOUT RESULT_VARIABLE RESULTS_VARIABLE OUTPUT_VARIABLE ERROR_VARIABLE INPUT_FILE "
    "OUTPUT_FILE ERROR_FILE OUTPUT_QUIET ERROR_QUIET COMMAND_ECHO OUTPUT_STRIP_TRAILING_WHITESPACE "
    "ERROR_STRIP_TRAILING_WHITESPACE ENCODING ECHO_OUTPUT_VARIABLE ECHO_ERROR_VARIABLE COMMAND_ERROR_IS_FATAL".split()
)
_STEPS = ("CONFIGURE_COMMAND", "BUILD_COMMAND", "INSTALL_COMMAND", "TEST_COMMAND", "PATCH_COMMAND", "UPDATE_COMMAND",
          "DOWNLOAD_COMMAND")  # fmt: skip
_LISTS = ("CMAKE_ARGS", "CMAKE_CACHE_ARGS", "CMAKE_CACHE_DEFAULT_ARGS")
_EXTERNAL = frozenset(
    "PREFIX TMP_DIR STAMP_DIR LOG_DIR DOWNLOAD_DIR SOURCE_DIR BINARY_DIR INSTALL_DIR URL URL_HASH URL_MD5 "
    "DOWNLOAD_NAME DOWNLOAD_EXTRACT_TIMESTAMP DOWNLOAD_NO_EXTRACT DOWNLOAD_NO_PROGRESS TIMEOUT HTTP_USERNAME "
    "GIT_REPOSITORY GIT_TAG GIT_REMOTE_NAME GIT_SUBMODULES GIT_SUBMODULES_RECURSE GIT_SHALLOW GIT_PROGRESS GIT_CONFIG "
    "SVN_REPOSITORY SVN_REVISION HG_REPOSITORY HG_TAG UPDATE_DISCONNECTED SOURCE_SUBDIR CMAKE_COMMAND CMAKE_GENERATOR "
    "CMAKE_GENERATOR_PLATFORM CMAKE_GENERATOR_TOOLSET BUILD_IN_SOURCE BUILD_ALWAYS BUILD_BYPRODUCTS COMMAND "
    "INSTALL_BYPRODUCTS TEST_BEFORE_INSTALL TEST_AFTER_INSTALL TEST_EXCLUDE_FROM_MAIN LOG_DOWNLOAD LOG_UPDATE "
    "LOG_PATCH LOG_CONFIGURE LOG_BUILD LOG_INSTALL LOG_TEST LOG_MERGED_STDOUTERR LOG_OUTPUT_ON_FAILURE "
    "USES_TERMINAL_DOWNLOAD USES_TERMINAL_UPDATE USES_TERMINAL_CONFIGURE "
    "USES_TERMINAL_BUILD USES_TERMINAL_INSTALL USES_TERMINAL_TEST DEPENDS "
    "EXCLUDE_FROM_ALL STEP_TARGETS INDEPENDENT_STEP_TARGETS LIST_SEPARATOR COMMENT ALWAYS DEPENDEES DEPENDERS "
    "WORKING_DIRECTORY BYPRODUCTS USES_TERMINAL LOG".split()
) | {*_STEPS, *_LISTS}  # fmt: skip
_ENDS = frozenset({"&&", "||", "|", ";"})
_INTO = frozenset({">", ">>", "<", "2>", "1>", "<<", "&>"})
_ALONE = frozenset({"2>&1", "1>&2"})


class Section(list[Argument]):
    """A keyword's arguments."""

    def __init__(self, keyword: str, at: Argument) -> None:
        super().__init__()
        self.keyword, self.at = keyword, at


def sections(arguments: Sequence[Argument], keywords: Iterable[str]) -> list[Section]:
    """The arguments by the keyword that they stand behind; the first section is what stands before all."""
    found: list[Section] = []
    for argument in arguments:
        if argument.kind is Kind.UNQUOTED and argument.text in keywords:
            found.append(Section(argument.text, argument))
        else:
            if not found:
                found.append(Section("", argument))
            found[-1].append(argument)
    return found


def _one(run: Run, found: Sequence[Section], keyword: str) -> Traced | None:
    for section in found:
        if section.keyword == keyword and section:
            return run.text(section[0])
    return None


def _folder(run: Run, value: Traced | None) -> str | None:
    return resolved(value, run.folder) if value is not None else None


def _custom(run: Run, invocation: Invocation) -> None:
    """`add_custom_command` and `add_custom_target`"""
    found = _spread(run, invocation, _CUSTOM)
    named = run.words(found[0]) if found and not found[0].keyword else []
    target = named[0].text if named and named[0].known else None
    for keyword in ("TARGET", "OUTPUT") if target is None else ():
        value = _one(run, found, keyword)
        target = value.text if value is not None and value.known else target
    expand = any(section.keyword == "COMMAND_EXPAND_LISTS" for section in found)
    folder = _folder(run, _one(run, found, "WORKING_DIRECTORY"))
    commands: list[list[Argument]] = []
    if named and found[0].keyword == "" and len(found[0]) > 1 and invocation.name == "add_custom_target":
        commands.append([a for a in found[0][1:] if a.text not in ("ALL", "EXCLUDE_FROM_ALL")])
    for section in found:
        if section.keyword == "COMMAND":
            commands.append(list(section))
        elif section.keyword == "ARGS" and commands:
            commands[-1] += section
    for arguments in commands:
        _command(run, arguments, invocation, target=target, folder=folder, expand=expand)


def _spread(run: Run, invocation: Invocation, keywords: Iterable[str]) -> list[Section]:
    """The sections; where a variable holds keywords, what it holds counts as written there."""
    arguments: list[Argument] = []
    for argument in invocation.arguments:
        if argument.kind is Kind.UNQUOTED and argument.text.startswith("${") and argument.text.endswith("}"):
            held = run.words((argument,))
            if any(word.text in ("COMMAND", *_LISTS) for word in held):
                arguments += [Argument(Kind.UNQUOTED, word.text, argument.start, argument.end, argument.first,
                                       argument.last) if word.text in ("COMMAND", *_LISTS) else
                              _Given(Kind.QUOTED, "", argument.start, argument.end, argument.first, argument.last, word)
                              for word in held]  # fmt: skip
                continue
        arguments.append(argument)
    return sections(arguments, keywords)


class _Given(Argument):
    """A word that a variable has brought."""

    __slots__ = ("word",)

    def __init__(self, kind: Kind, text: str, start: int, end: int, first: int, last: int, word: Word) -> None:
        super().__init__(kind, text, start, end, first, last)
        object.__setattr__(self, "word", word)


def _words(run: Run, arguments: Sequence[Argument]) -> list[Word]:
    out: list[Word] = []
    for argument in arguments:
        out += [argument.word] if isinstance(argument, _Given) else run.words((argument,))  # type: ignore[attr-defined]
    return out


def _command(
    run: Run, arguments: Sequence[Argument], invocation: Invocation, *, target: str | None, folder: str | None,
    expand: bool,
) -> None:  # fmt: skip
    words = _words(run, arguments)
    if not words:
        return
    first = words[0]
    program = run.targets.get(first.text) if first.known else None
    if program is not None:
        words[0] = Word(tuple(Piece(p.text, first.route) for p in program.pieces), first.written)
    if not any("$<" in word.text for word in words):
        _run(run, words, invocation, target, folder)
        return
    if any("PLATFORM_ID" in word.text for word in words):
        run.notes.asked_platform = True
    together = listed([_guarded(word) for word in words])
    for answer in answers(together, build(run)):
        parts = [Traced(tuple(_bare(p) for p in part.pieces)) for part in _split(answer.text)]
        if expand:
            parts = [item for part in parts for item in items(part) if item.text]
        made = [_written(part, words) for part in parts]
        run.assuming(answer.when, lambda m=made: _run(run, m, invocation, target, folder))  # type: ignore[misc]


_SEPARATOR = "\ue003"


def _guarded(word: Word) -> Traced:
    """Semicolons of an argument are not those between arguments."""
    if ";" not in word.text:
        return word
    return Traced(tuple(p if p.hole else Piece(p.text.replace(";", _SEPARATOR), p.route, p.verbatim)
                        for p in word.pieces))  # fmt: skip


def _bare(piece: Piece) -> Piece:
    return piece if piece.hole or _SEPARATOR not in piece.text else Piece(piece.text.replace(_SEPARATOR, ";"),
                                                                        piece.route, piece.verbatim)  # fmt: skip


def _split(text: Traced) -> list[Traced]:
    edges = [-1, *(i for i, char in enumerate(text.text) if char == ";"), len(text.text)]
    return [text.cut(a + 1, b) for a, b in pairwise(edges)]


def _written(part: Traced, words: Sequence[Word]) -> Word:
    """The word with its place, where it is one of those that are written."""
    for word in words:
        if word.pieces == part.pieces:
            return word
    spans = {w.written for w in words if w.written and part.route and _within(part.route[0], w.written)}
    return Word(part.pieces, spans.pop() if len(spans) == 1 else None)


def _within(inner: Span, outer: Span) -> bool:
    return inner.path == outer.path and outer.start <= inner.start and inner.end <= outer.end


def _run(run: Run, words: Sequence[Word], invocation: Invocation, target: str | None, folder: str | None) -> None:
    """The commands between a shell's operators."""
    current: list[Word] = []
    skip = False
    for word in [*words, None]:
        if word is None or word.text in _ENDS:
            if current:
                _script(run, current, invocation, target, folder)
            current = []
        elif skip or word.text in _INTO or word.text in _ALONE:
            skip = word.text in _INTO and not skip
        else:
            current.append(word)


def _script(run: Run, words: Sequence[Word], invocation: Invocation, target: str | None, folder: str | None) -> None:
    span = Span(run.source.path, invocation.start, invocation.start + len(invocation.name))
    first = words[0]
    if first.written is None:
        # the command stands where the program's word does
        words = [Word(first.grounded((span,)).pieces, first.route[0] if first.route else span), *words[1:]]
    script = Script(
        run.place(target),
        Dialect.ARGV,
        argv=tuple(words),
        platforms=None,
        when=tuple(dict.fromkeys(run.when)),
        opt_in=run.opt_in,
        unit=run.unit,
        directory=folder,
        knows_arguments=True,
    )
    run.notes.scripts.append(script)


def _process(run: Run, invocation: Invocation) -> None:
    found = _spread(run, invocation, _PROCESS)
    folder = _folder(run, _one(run, found, "WORKING_DIRECTORY"))
    if not any(section.keyword == "WORKING_DIRECTORY" for section in found):
        folder = run.folder
    for section in found:
        if section.keyword == "COMMAND":
            words = _words(run, section)
            if words:
                _script(run, words, invocation, None, folder)
        elif section.keyword.endswith("_VARIABLE"):
            for word in run.words(section[:1]):
                if word.known:
                    run.gap(word.text, invocation, "the output of a command")


def _external(run: Run, invocation: Invocation) -> None:
    """`ExternalProject_Add`: what configures, builds and installs it; CMake, where nothing else is said."""
    found = _spread(run, invocation, _EXTERNAL)
    named = run.words(found[0][:1]) if found and not found[0].keyword else []
    target = named[0].text if named and named[0].known else None
    folder = _folder(run, _one(run, found, "SOURCE_DIR"))
    configures = invocation.name != "externalproject_add_step"
    for section in found:
        configures = configures and section.keyword != "CONFIGURE_COMMAND"
        if section.keyword in _STEPS or section.keyword == "COMMAND":
            _command(run, section, invocation, target=target, folder=folder, expand=False)
    given = [(section, _words(run, section)) for section in found if section.keyword in _LISTS]
    if not configures or not (given or any(s.keyword in ("URL", "GIT_REPOSITORY", "SOURCE_DIR") for s in found)):
        return
    span = Span(run.source.path, invocation.start, invocation.start + len(invocation.name))
    flags: list[Word] = []
    for _, words in given:
        flags += words
    program = Word((Piece("cmake", (span,)),), span)
    for answer in answers(listed([_guarded(word) for word in flags]), build(run)) if flags else [None]:
        made = list(flags)
        if answer is not None and any("$<" in word.text for word in flags):
            made = [_written(Traced(tuple(_bare(p) for p in part.pieces)), flags) for part in _split(answer.text)]
        when = answer.when if answer is not None else ()
        run.assuming(when, lambda m=made: _script(run, [program, *m], invocation, target, None))  # type: ignore[misc]


COMMANDS = {
    "add_custom_command": _custom,
    "add_custom_target": _custom,
    "execute_process": _process,
    "exec_program": _process,
    "externalproject_add": _external,
    "externalproject_add_step": _external,
}
