"""Functions that decide, repeat, call, assign and ask. Manual: "Functions for Conditionals" to "The shell Function"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flagguard.make import answers, choices, conditions
from flagguard.make.functions.text import number
from flagguard.make.holes import many, unknown
from flagguard.make.lines import spaced, strip, words
from flagguard.make.template import FUNCTIONS, Call
from flagguard.make.variables import ORIGIN_WORDS, Definition, Frame, Origin
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Shape, Traced, hole, literal
from flagguard.values import replace

if TYPE_CHECKING:
    from flagguard.make.expand import Expander


def choose(run: Expander, call: Call) -> Traced:
    """``if``."""
    arguments = call.arguments
    if len(arguments) < 2:
        return EMPTY
    met, run.met_capped = run.met_capped, False
    held = conditions.holds(run, strip(arguments[0]))
    capped, run.met_capped = run.met_capped, met
    if capped:
        among = tuple(dict.fromkeys(run.expand(text) for text in (*arguments[1:3], EMPTY)[:2]))
        return hole(Hole(call.written.shown, choices.TOO_MANY, Decider.REPOSITORY, among=among))
    if held:
        return run.expand(arguments[1])
    return run.expand(arguments[2]) if len(arguments) > 2 else EMPTY


def either(run: Expander, call: Call) -> Traced:
    """``or``."""
    return _first(run, call, True) or EMPTY


def _first(run: Expander, call: Call, wanted: bool) -> Traced | None:
    """The first argument that holds, or does not; one that may is not known."""
    for argument in map(strip, call.arguments):
        met, run.met_capped = run.met_capped, False
        held = conditions.holds(run, argument)
        capped, run.met_capped = run.met_capped, met
        if capped:
            return unknown(call.written, choices.TOO_MANY, decider=Decider.REPOSITORY)
        if held is wanted:
            return run.expand(argument)
    return None


def both(run: Expander, call: Call) -> Traced:
    """``and``."""
    failed = _first(run, call, False)
    return run.expand(strip(call.arguments[-1])) if failed is None else failed


def intcmp(run: Expander, call: Call) -> Traced:
    """Since 4.4."""
    left, right = (strip(run.expand(a)) for a in (*call.arguments[:2], EMPTY)[:2])
    a, b = number(left), number(right)
    if a is None or b is None:
        return unknown(call.written, "a number that is not known", left, right)
    arms = call.arguments[2:]
    if not arms:
        return left if a == b else EMPTY
    index = 0 if a < b else 1 if a == b else 2
    if index >= len(arms):
        index = 1 if len(arms) == 2 and index == 2 else -1
    return run.expand(arms[index]) if index >= 0 else EMPTY


def foreach(run: Expander, call: Call) -> Traced:
    if len(call.arguments) < 3:
        return EMPTY
    name = strip(run.expand(call.arguments[0])).text
    out = []
    for word in words(run.expand(call.arguments[1])):
        if many(word):
            out.append(unknown(call.written, "the words to repeat for are not known", word))
            continue
        with run.variables.within({name: Definition(word, origin=Origin.AUTOMATIC)}):
            out.append(run.expand(call.arguments[2]))
    return spaced_all(out)


def spaced_all(parts: list[Traced]) -> Traced:
    """Joined by one space, empty ones too, as ``foreach`` does."""
    return spaced(parts)


def let(run: Expander, call: Call) -> Traced:
    """Since 4.4."""
    if len(call.arguments) < 3:
        return EMPTY
    names = [w.text for w in words(run.expand(call.arguments[0]))]
    values = words(run.expand(call.arguments[1]))
    if any(many(v) for v in values):
        return unknown(call.written, "the words to name are not known")
    frame: dict[str, Definition] = {}
    for index, name in enumerate(names):
        last = index == len(names) - 1
        value = spaced(values[index:]) if last else values[index] if index < len(values) else EMPTY
        frame[name] = Definition(value, origin=Origin.AUTOMATIC)
    with run.variables.within(frame):
        return run.expand(call.arguments[2])


def user_call(run: Expander, call: Call) -> Traced:
    """``call``: the variable's text with ``$1`` … set."""
    name = strip(run.expand(call.arguments[0]))
    arguments = [run.expand(a) for a in call.arguments[1:]]
    if HOLE_MARK in name.text:
        return unknown(call.written, "the name of what is called is not known", name, decider=Decider.REPOSITORY)
    if name.text in FUNCTIONS:
        return _builtin(run, name.text, call, arguments)
    chain = run.chain(name.text)
    if not chain:
        return run.undefined(name.text)
    frame: dict[str, Definition] = {"0": Definition(name, origin=Origin.AUTOMATIC)}
    for index, argument in enumerate(arguments, 1):
        frame[str(index)] = Definition(argument, origin=Origin.AUTOMATIC)
    # Arguments of an outer call that this one does not give are empty here, not the outer ones.
    for index in range(len(arguments) + 1, 10):
        frame[str(index)] = Definition(EMPTY, origin=Origin.AUTOMATIC)
    with run.variables.within(frame):
        return spaced([run.expand(d.value) if d.recursive else d.value for d in chain])


def _builtin(run: Expander, name: str, call: Call, arguments: list[Traced]) -> Traced:
    from flagguard.make.functions import TABLE

    frame: Frame = {f"-argument-{i}-": Definition(a, origin=Origin.AUTOMATIC) for i, a in enumerate(arguments)}
    limit = FUNCTIONS[name]
    if limit and len(arguments) > limit:
        arguments = [*arguments[: limit - 1], _rejoined(arguments[limit - 1 :])]
    with run.variables.within(frame):
        quoted = tuple(literal(f"$(-argument-{i}-)") for i in range(len(arguments)))
        return TABLE[name](run, Call(call.written, call.route, name, quoted))


def _rejoined(parts: list[Traced]) -> Traced:
    pieces = list(parts[0].pieces)
    for part in parts[1:]:
        pieces.extend((*literal(",").pieces, *part.pieces))
    return Traced(tuple(pieces))


def evaluate(run: Expander, call: Call) -> Traced:
    """``eval``."""
    text = run.expand(call.arguments[0])
    if not run.trial:
        run.spoil()
        run.evaluate(text)
    return EMPTY


def value(run: Expander, call: Call) -> Traced:
    name = strip(run.expand(call.arguments[0]))
    if HOLE_MARK in name.text:
        return unknown(call.written, "the name of the variable is not known", name, decider=Decider.REPOSITORY)
    definition = run.find(name.text)
    return definition.value if definition is not None else run.undefined(name.text)


def origin(run: Expander, call: Call) -> Traced:
    name = strip(run.expand(call.arguments[0]))
    if HOLE_MARK in name.text:
        return unknown(call.written, "the name of the variable is not known", name)
    definition = run.find(name.text)
    if definition is None:
        surely_set = bool(run.undefined(name.text).holes) and run.unread is None
        return literal("environment" if surely_set else "undefined")
    if definition.perhaps:
        return unknown(call.written, "whether the variable is given is not known", name)
    return literal(ORIGIN_WORDS[definition.origin])


def flavor(run: Expander, call: Call) -> Traced:
    name = strip(run.expand(call.arguments[0]))
    definition = run.find(name.text)
    if definition is None:
        return literal("undefined")
    return literal("recursive" if definition.recursive else "simple")


def message(run: Expander, call: Call) -> Traced:
    """``info`` and ``warning``: their argument is expanded, for what happens on the way."""
    run.expand(call.arguments[0])
    return EMPTY


def error(run: Expander, call: Call) -> Traced:
    from flagguard.make.expand import Stop

    text = run.expand(call.arguments[0])
    if run.trial or run.goes_on:
        return EMPTY
    raise Stop(text.shown, call.route, fatal=False)


_PRINTERS = [[name] for name in "cat head tail sed awk grep sort tr cut source .".split()]
"""Programs that print what a file holds (POSIX, Utilities)."""


def shell(run: Expander, call: Call) -> Traced:
    command = run.expand(call.arguments[0])
    return shell_output(run, command, call.written)


def shell_output(run: Expander, command: Traced, written: Traced) -> Traced:
    """What is known of the output of ``command``; the command is noted, it is one like others."""
    run.note_command(command)
    known, on_platform = answers.answer(command, run.platform)
    if on_platform:
        run.ask_platform()
    if known is not None and known.holes != (answers.CURDIR,):
        return known
    path = answers.path_named(command, run.folder.path)
    if path is not None:
        where = answers.CURDIR if known is not None else Hole(written.shown, answers.CURDIR.reason, shape=Shape.PATH)
        return hole(replace(where, path=path))
    named = run.folder
    reads_tree = any(
        word.text.startswith(("./", "../"))
        or (word.known and "=" not in word.text and named.read(word.text) is not None)
        for word in words(command)[:20]
        if word.text[0] not in "-|<>&;'\"$("
    )
    holes = command.holes
    prints_a_file = command.text.split(maxsplit=1)[:1] in _PRINTERS  # one that is not there is made by the build
    repository = reads_tree or prints_a_file or any(h.decider is Decider.REPOSITORY for h in holes)
    decider = Decider.REPOSITORY if repository else Decider.OUTSIDE
    return hole(Hole(written.shown, "the output of a command", decider))


def file(run: Expander, call: Call) -> Traced:
    """``file``: writing gives nothing; reading gives the file of the tree."""
    operation = strip(run.expand(call.arguments[0]))
    if len(call.arguments) > 1:
        run.expand(call.arguments[1])
    if not operation.text.startswith("<"):
        run.written.add(operation.text.lstrip("> \t"))
        run.spoil()
        return EMPTY
    name = operation.text[1:].strip()
    source = run.folder.read(name) if operation.known and name not in run.written else None
    if source is None:
        return unknown(call.written, "the content of a file that is not in the repository")
    return source.traced(0, len(source.text) - source.text.endswith("\n"))


def guile(run: Expander, call: Call) -> Traced:
    run.tell(call.route, "a Guile program: not read, what it defines is not known", fatal=False)
    return unknown(call.written, "the output of a Guile program", decider=Decider.REPOSITORY)
