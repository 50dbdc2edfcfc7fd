"""Makefiles: which files they are, and the scripts that their recipes are. The language is in `flagguard.make`."""

from collections.abc import Sequence
from posixpath import dirname

from flagguard.command import Command, Reading
from flagguard.hosts import Entered, Setting
from flagguard.paths import inside, resolved
from flagguard.patterns import expression
from flagguard.text import SourceText, Traced

NAME = "makefile"

_NAMES = expression(r"(?:GNU)?[Mm]akefile(?:\.[^/]*)?$|[^/]*\.(?:mk|mak|make)$|[^/]*[Mm]akefile$")
# Not make's language, or made from another file of the tree.
_NOT = expression(
    r"\.(?:py|rb|pl|PL|svg|png|html?|js|ts|json|toml|ya?ml|md|rst|txt|html|sh|orig|rej|bak|swp|cmake|lua|go|rs|diff|patch)$|~$"
)


def claims(path: str, head: bytes) -> bool:
    name = path.rpartition("/")[2]
    return ("m" in name or "M" in name) and bool(_NAMES.fullmatch(name)) and not _NOT.search(name)


def read(source: SourceText, setting: Setting) -> Reading:
    """Every recipe and every ``$(shell …)`` of the makefile."""
    from flagguard.make.evaluate import evaluate_source  # make's language takes long to import

    return evaluate_source(source, setting)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``make``: the goals' recipes, with the variables of its command line and environment (manual 9.5, 6.10)."""
    from flagguard.make.command_line import with_flags
    from flagguard.make.evaluate import Called, evaluate

    line = with_flags(command.argv[1:], command.env.get("MAKEFLAGS"))
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
    certain = line.doubt is None and all(goal.known for goal in line.goals)
    called = Called(
        goals=tuple(goal.text for goal in line.goals) if certain else None,
        overrides=line.overrides,
        environment={name: value for name, value in command.env.items() if name != "MAKEFLAGS"},
        directory=directory,
        environment_wins=line.environment_wins,
        ignores=line.ignores,
        more=paths[1:],
        evals=line.evals,
    )
    key = ("make", *paths, *called.values)
    return Entered(paths[0], key, lambda inner: evaluate(paths[0], inner, called))


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
