"""Wrappers with a command line of their own kind: shells, find, Python's `-m`, cmd."""

import re
from collections.abc import Sequence

from flagguard.command import Dialect, Word, word
from flagguard.patterns import expression
from flagguard.shell.peeled import Peeled
from flagguard.shell.wrapper_table import Effect, Entry
from flagguard.text import Hole, Shape, Traced, join, literal
from flagguard.values import replace

BLANK = literal(" ")

_OPTIONS_NAME = expression(r"(?:ARGS|OPTS|OPTIONS|FLAGS)$", re.IGNORECASE)


def named_options(text: Traced) -> bool:
    """Whether the word is the value of a variable whose name says that it holds options (``$DOCKER_OPTS``)."""
    only = text.pieces[0].hole if len(text.pieces) == 1 else None
    return only is not None and only.name is not None and _OPTIONS_NAME.search(only.name) is not None


def command_text(words: Sequence[Traced]) -> Traced:
    """Words joined by one blank, as eval and ssh do."""
    parts: list[Traced] = []
    for each in words:
        parts += [BLANK, each] if parts else [each]
    return join(parts)


# A shell's command line: POSIX.1-2024, "sh"; bash manual, "Invoking Bash"; dash(1).


def peel_shell(argv: Sequence[Word], start: int, entry: Entry) -> tuple[Peeled, ...]:
    """What a shell with the options from ``start`` on reads: the text of ``-c``, a file, standard input."""
    settings = {"e": False, "u": False, "pipefail": False}
    text, stdin, doubt = False, False, None
    at = start
    while at < len(argv):
        option = argv[at].text
        if option in ("-", "--"):
            at += 1
            break
        if not named_options(argv[at]) and (len(option) < 2 or option[0] not in "-+"):
            break
        at += 1
        if named_options(argv[at - 1]):
            doubt = doubt or argv[at - 1]
            continue
        known = entry.options.get(option) or entry.options.get(option.split("=")[0])
        if known is not None:
            if Effect.NOTHING in known.effects:
                return ()
            at += known.values if "=" not in option else 0
            continue
        if option.startswith("--") or not argv[at - 1].known:
            doubt = doubt or argv[at - 1]
            continue
        on = option[0] == "-"
        for letter in option[1:]:
            if letter in "oO":
                name = argv[at].text if at < len(argv) else ""
                name = {"errexit": "e", "nounset": "u"}.get(name, name)
                if letter == "o" and name in settings:
                    settings[name] = on
                if letter == "o" and name == "noexec" and on:
                    return ()
                at += 1
            elif letter == "n" and on:
                return ()
            elif letter in settings:
                settings[letter] = on
            elif letter == "c":
                text = on
            elif letter == "s":
                stdin = on
    rest = tuple(argv[at:])
    wrapper = tuple(argv[: len(argv) - len(rest)])
    found = Peeled(
        wrapper,
        dialect=entry.dialect,
        errexit=settings["e"],
        nounset=settings["u"],
        pipefail=settings["pipefail"],
        doubt=doubt,
    )
    if text:
        if not rest:
            return ()
        return (replace(found, script=rest[0], name=rest[1] if rest[1:] else None, arguments=rest[2:]),)
    if stdin or not rest:
        return (replace(found, reads_stdin=True, arguments=rest),)
    return (replace(found, script_file=rest[0], arguments=rest[1:]),)


# find: GNU findutils manual, "Run Commands"; POSIX.1-2024, "find".

_EXECUTES = ("-exec", "-execdir", "-ok", "-okdir")


def peel_python(argv: Sequence[Word]) -> tuple[Peeled, ...]:
    """`python -m MODULE` runs the module as a program (https://docs.python.org/3/using/cmdline.html)."""
    at = 1
    while at < len(argv):
        text = argv[at].text
        if text in ("-W", "-X", "--check-hash-based-pycs"):
            at += 2
        elif text == "-m" and at + 1 < len(argv):
            return (Peeled(tuple(argv[: at + 1]), tuple(argv[at + 1 :]), at + 1),)
        elif text.startswith("-m") and len(text) > 2:
            module = word(argv[at].cut(2, len(argv[at])), argv[at].written)
            return (Peeled(tuple(argv[:at]), (module, *argv[at + 1 :])),)
        elif re.fullmatch("-[bBdEiIOPqRsStuvx]+|-[WX].+", text):
            at += 1
        else:
            return ()
    return ()


def python_script(argv: Sequence[Word]) -> int:
    """The index of the file that the interpreter runs; 0 where it runs none."""
    at = 1
    while at < len(argv) and argv[at].text[:1] == "-":
        if argv[at].text in ("-", "-c", "-m"):
            return 0
        at += 2 if argv[at].text in ("-W", "-X", "--check-hash-based-pycs") else 1
    return at if at < len(argv) else 0


def peel_find(argv: Sequence[Word], entry: Entry) -> tuple[Peeled, ...]:
    """Each ``-exec`` of an expression."""
    found: list[Peeled] = []
    own: list[Word] = [argv[0]]
    at = 1
    while at < len(argv):
        text = argv[at].text
        own.append(argv[at])
        at += 1
        if text not in _EXECUTES:
            taken = entry.options[text].values if text in entry.options else 0
            own += argv[at : at + taken]
            at += taken
            continue
        end = at
        while end < len(argv) and argv[end].text != ";":
            if argv[end].text == "+" and argv[end - 1].text == "{}":
                break
            end += 1
        many = end < len(argv) and argv[end].text == "+"
        inner = tuple(argv[at : end - 1 if many else end])
        if inner:
            files = Hole("{}", "the files that find finds", shape=Shape.PATH)
            found.append(
                Peeled(
                    tuple(own),
                    inner,
                    at,
                    appended=files if many else None,
                    replaces=None if many else "{}",
                    ignores_status=not many,
                )
            )
        at = end + 1
    return tuple(found)


# cmd.exe: https://learn.microsoft.com/windows-server/administration/windows-commands/cmd; in MSYS `//c` is `/c`.


def peel_cmd(argv: Sequence[Word]) -> tuple[Peeled, ...]:
    """The words behind `/c`, as one command line."""
    for at in range(1, len(argv)):
        text = argv[at].text.lower()
        if not text.startswith("/"):
            break
        if text.lstrip("/") in ("c", "k", "r") and argv[at + 1 :]:
            return (Peeled(tuple(argv[: at + 1]), script=command_text(argv[at + 1 :]), dialect=Dialect.CMD),)
    return ()
