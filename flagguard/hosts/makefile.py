"""Makefiles: which files they are, and the scripts that their recipes are. The language is in `flagguard.make`."""

from collections.abc import Mapping, Sequence
from posixpath import dirname
from typing import TYPE_CHECKING

from flagguard.command import Command, Reading
from flagguard.handed import MARK
from flagguard.hosts import Entered, Setting
from flagguard.paths import inside, resolved
from flagguard.patterns import expression
from flagguard.text import Problem, SourceText, Traced
from flagguard.values import replace

if TYPE_CHECKING:
    from flagguard.make.evaluate import Called

NAME = "makefile"

_NAMES = expression(r"(?:GNU)?[Mm]akefile(?:\.[^/]*)?$|[^/]*\.(?:mk|mak|make)$|[^/]*[Mm]akefile$")
# Not make's language, or made from another file of the tree.
_NOT = expression(
    r"\.(?:py|rb|pl|PL|svg|png|html?|js|ts|json|toml|ya?ml|md|rst|txt|html|sh|orig|rej|bak|swp|cmake|lua|go|rs|diff|patch)$|~$"
)

# Every target is read for itself anyway.
_UNKNOWN_GOALS = Reading(
    problems=(
        Problem(
            MARK,
            1,
            "neither the goals of this call of make are known nor the conditions on which it is made;"
            " it is not followed, and what it runs is judged as if nobody called it",
            fatal=False,
        ),
    )
)


def claims(path: str, head: bytes) -> bool:
    if path.endswith("debian/rules"):
        return path.removesuffix("debian/rules")[-1:] in ("", "/")  # a makefile: Debian Policy 4.9
    name = path.rpartition("/")[2]
    return ("m" in name or "M" in name) and bool(_NAMES.fullmatch(name)) and not _NOT.search(name)


def read(source: SourceText, setting: Setting) -> Reading:
    """Every recipe and every ``$(shell …)`` of the makefile."""
    from flagguard.make.evaluate import evaluate_source  # make's language takes long to import

    return evaluate_source(source, setting)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``make``: the goals' recipes, with the variables of its command line and environment (manual 9.5, 6.10)."""
    from flagguard.make.evaluate import evaluate
    from flagguard.make.start import OVERRIDING

    call = called(command, setting)
    if call is None:
        return None
    path, given = call
    if given.goals is None and given.open:
        return Entered(path, ("make", path, "nobody knows what"), lambda _: _UNKNOWN_GOALS)
    key = ("make", path, *given.more, *given.values)

    evals = tuple(text.pieces for text in given.evals)
    options = (_loose(given, {}, frozenset()).options.identity, evals, given.open)
    kind = ("make", path, given.more, given.goals, given.directory, *options)

    def looser(values: Mapping[str, Traced], perhaps: frozenset[str]) -> Entered:
        loose = _loose(given, values, perhaps)
        of = (*kind, tuple((name, value.pieces) for name, value in values.items()), perhaps)
        return Entered(path, of, lambda inner: evaluate(path, inner, loose))

    values = {**given.environment, **{OVERRIDING + name: value for name, value in given.overrides.items()}}
    return Entered(path, key, lambda inner: evaluate(path, inner, given), kind=kind, values=values, looser=looser)


_DECIDING = frozenset("einqrRt")
"""The options that decide what is run, or how it ends."""


def _loose(given: "Called", values: Mapping[str, Traced], perhaps: frozenset[str]) -> "Called":
    """The call with these values of its variables."""
    from flagguard.make.start import OVERRIDING

    start = len(OVERRIDING)
    overrides = {name[start:]: value for name, value in values.items() if name.startswith(OVERRIDING)}
    environment = {name: value for name, value in values.items() if not name.startswith(OVERRIDING)}
    options = replace(given.options, overrides=overrides, switches=given.options.switches & _DECIDING, valued={})
    return replace(given, overrides=overrides, environment=environment, options=options, perhaps=perhaps)


def called(command: Command, setting: Setting) -> "tuple[str, Called] | None":
    """The first makefile that a call of make reads, and how it reads it."""
    from flagguard.make.command_line import with_flags
    from flagguard.make.evaluate import MANY, Called
    from flagguard.make.surroundings import DEEPER

    line = with_flags(command.argv[1:], command.env.get("GNUMAKEFLAGS"), command.env.get("MAKEFLAGS"))
    directory = command.directory
    for step in line.directories:
        directory = resolved(step, directory)
    if not line.runs or directory is None:
        return None
    paths = _makefiles(line.makefiles, directory, setting)
    if not paths and not line.directories and not directory and command.place.host == "shellscript":
        directory = dirname(command.span.path)  # a script may as well be started in its own folder
        paths = _makefiles(line.makefiles, directory, setting)
    if not paths:
        return None
    goals = _goals(line.goals) if line.doubt is None else None
    given = {name: value for name, value in command.env.items() if name not in ("MAKEFLAGS", "GNUMAKEFLAGS")}
    first = setting.files.read(paths[0])
    if "MAKELEVEL" in given and (first is None or "MAKELEVEL" not in first.text):
        given["MAKELEVEL"] = DEEPER
    return paths[0], Called(
        goals=goals,
        overrides=line.overrides,
        environment=given,
        directory=directory,
        options=line,
        more=paths[1:],
        evals=line.evals,
        open=MANY in command.when,
    )


def _makefiles(named: Sequence[Traced], directory: str, setting: Setting) -> tuple[str, ...]:
    """The makefiles that are read; none where they are not all in the tree."""
    if not named:
        for name in ("GNUmakefile", "makefile", "Makefile"):
            path = inside(directory, name)
            if path is not None and setting.files.read(path) is not None:
                return (path,)
        return ()
    paths = [resolved(name, directory) for name in named]
    found = tuple(path for path in paths if path is not None and setting.files.read(path) is not None)
    return found if len(found) == len(paths) else ()


def _goals(named: Sequence[Traced]) -> tuple[str, ...] | None:
    """The goals, each of those that one may be; None where nobody knows them."""
    goals: list[str] = []
    for goal in named:
        gap = goal.pieces[0].hole if len(goal.pieces) == 1 else None
        texts = (goal,) if goal.known else gap.among if gap is not None else ()
        if not texts or not all(text.known for text in texts):
            return None
        # a goal that is written out may hold blanks
        goals += [goal.text] if goal.text and goal.known else [word for text in texts for word in text.text.split()]
    return tuple(dict.fromkeys(goals))
