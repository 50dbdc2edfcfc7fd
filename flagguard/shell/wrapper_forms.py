"""Wrappers with a command line of their own kind: shells, find, GNU parallel."""

import re
from collections.abc import Sequence

from flagguard.command import Word, word
from flagguard.patterns import expression
from flagguard.shell.peeled import Peeled
from flagguard.shell.wrapper_table import Effect, Entry
from flagguard.text import Hole, Shape, Traced, hole, join, literal
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


# GNU parallel: parallel(1).

_PLACEHOLDERS = expression(r"\{(?:[#%]|[1-9]?\d?(?://?|\.|/\.)?)\}", re.ASCII)
"""``{}``, and what makes something else of an input: ``{.}``, ``{/}``, ``{//}``, ``{/.}``, ``{#}``, ``{2}``."""


def with_inputs(text: Traced, item: Hole, known: Traced | None = None) -> Traced:
    """``text`` with the input in its places: ``known`` for ``{}`` where it is given, holes like ``item`` otherwise."""
    parts: list[Traced] = []
    at = 0
    for match in _PLACEHOLDERS.finditer(text.text):
        parts.append(text.cut(at, match.start()))
        if match.group() == "{}" and known is not None:
            parts.append(known)
        else:
            parts.append(hole(replace(item, text=match.group()), text.cut(match.start(), match.end()).route))
        at = match.end()
    return join([*parts, text.cut(at, len(text))]) if parts else text


_SOURCES = (":::", ":::+", "::::", "::::+")
_MOST_ITEMS = 64


def peel_parallel(argv: Sequence[Word], start: int, quoted: bool, doubt: Word | None) -> tuple[Peeled, ...]:
    """The text that parallel builds from its words and its inputs; once for each input where the words name them."""
    first = next((i for i in range(start, len(argv)) if argv[i].text in _SOURCES), len(argv))
    command, inputs = tuple(argv[start:first]), tuple(argv[first + 1 :])
    named = first < len(argv) and argv[first].text == ":::" and not any(w.text in _SOURCES for w in inputs)
    wrapper = tuple(argv[:start])
    if not command:
        return tuple(Peeled(wrapper, script=text, doubt=doubt) for text in inputs) if named else ()
    if quoted:
        inner = tuple(word(with_inputs(w, _INPUT), w.written) for w in command)
        return (Peeled(wrapper, inner, start, appended=_INPUT if inner == command else None, doubt=doubt),)
    items: Sequence[Word | None] = inputs if named and len(inputs) <= _MOST_ITEMS else (None,)
    return tuple(Peeled(wrapper, script=_filled(command_text(command), item), doubt=doubt) for item in items)


_INPUT = Hole("{}", "an input of parallel")


def _filled(text: Traced, item: Traced | None) -> Traced:
    """``text`` with the input in its places, or behind it where it has none."""
    known = _quoted(item) if item is not None and "'" not in item.text else None
    filled = with_inputs(text, _INPUT, known)
    return filled if filled is not text else join([text, BLANK, known if known is not None else hole(_INPUT)])


_NEEDS_NO_QUOTES = expression(r"[\w@%+=:,./-]+", re.ASCII)


def _quoted(item: Traced) -> Traced:
    """The input as parallel writes it into the text: quoted where a shell would read it otherwise."""
    return item if _NEEDS_NO_QUOTES.fullmatch(item.text) else join([literal("'"), item, literal("'")])
