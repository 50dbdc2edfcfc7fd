"""Texts that set variables nobody can name: an environment that is loaded while the script runs.

`eval "$(cat .env)"`, `export $(…)`, `read "$name"`, `. FILE` of a file that is not read. From there on a variable that
the script itself has not set is a hole (POSIX.1-2024 XCU 2.15, ``dot``, ``eval``, ``export``).
"""

from flagguard.patterns import expression
from flagguard.shell.outside import ALWAYS_SET
from flagguard.shell.state import World, unknown
from flagguard.text import HOLE_MARK, Decider, Hole, Traced
from flagguard.values import replace

WELL_KNOWN: dict[str, str] = {
    # program: a word that its call must hold as well ("": any call). What it prints sets no build flags.
    **dict.fromkeys(
        "ssh-agent gpg-agent keychain dbus-launch dircolors lesspipe lesspipe.sh resize locale".split(), ""
    ),
    **dict.fromkeys(
        "conda mamba micromamba pixi magic opam brew pyenv rbenv nodenv goenv jenv fnm nvm asdf".split(), ""
    ),
    **dict.fromkeys("starship zoxide thefuck fzf register-python-argcomplete activate-global".split(), ""),
    **dict.fromkeys("minikube docker-machine docker podman-machine luarocks".split(), ""),
    "direnv": "hook",
    "mise": "activate",
}
"""Programs whose output is evaluated for the sake of PATH and the like (their manuals, "shell setup")."""

_PROGRAM = expression(r"[\w.+-]+")
_OF_FILES = frozenset(
    {"the contents of a file"}
    | {f"the output of {name}" for name in "cat grep egrep sed awk head tail envsubst cut xargs tr sort".split()}
)
"""Reasons of holes that hold lines of a file."""
_OPEN = expression(
    rf"(?:^|[;&|\n({{])[ \t]*(?:(?:export|readonly|declare|typeset|local|set|then|do|else)[ \t]+(?:-\w+[ \t]+)*)?"
    rf"\w*{HOLE_MARK}"
)
"""A hole where a command, or the name of an assignment, begins."""


def load(world: World, what: str, why: str = "") -> None:
    """From here on ``what`` may have set any variable; ``why``: why that is not known."""
    world.descriptors = None
    if world.sourced is None:
        world.sourced = f"{what} may set it{why}"


def load_text(world: World, text: Traced, shown: str) -> None:
    """After a text with holes that the shell has read anew."""
    if text.known or not _OPEN.search(text.text):
        return
    if all(harmless(gap, text) for gap in text.holes):
        return
    what = f"`{' '.join(shown.split())}`"
    load(world, what)
    if text.text.strip() == HOLE_MARK and text.holes[0].reason in _OF_FILES:
        _overwrite(world, what)


def of_file(word: Traced) -> bool:
    """Whether a word is nothing but the lines of a file."""
    return word.text == HOLE_MARK and word.holes[0].reason in _OF_FILES


def load_name(world: World, word: Traced, shown: str, given: bool = False) -> bool:
    """After a builtin that sets the variable ``word`` (perhaps with ``=value``); whether its name is not known.

    ``given``: the value comes from elsewhere than ``word``.
    """
    name, _, _ = word.text.partition("=")
    if HOLE_MARK not in name:
        return False
    if given or not all(harmless(gap, word) for gap in word.holes):
        load(world, f"`{' '.join(shown.split())}`")
    return True


_ASSIGNMENTS = expression(r"(?:\s*(?:#[^\n]*|(?:export[ \t]+)?[A-Za-z_]\w*=[^\n]*)?\n)*")


def is_environment(text: str) -> bool:
    """Whether a text does nothing but set variables: one that is written anew for each machine (`.env`)."""
    return _ASSIGNMENTS.fullmatch(text if text.endswith("\n") else text + "\n") is not None


def harmless(gap: Hole, text: Traced) -> bool:
    """Whether nothing in the repository comes in by this hole: all of the text is the caller's, or well known."""
    if gap.decider is Decider.OUTSIDE:
        return text.text.strip() == HOLE_MARK * len(text.holes) and gap.reason not in _OF_FILES
    words = _PROGRAM.findall(gap.text)
    return any(name in WELL_KNOWN and (WELL_KNOWN[name] or name) in words for name in words[:3])


def _overwrite(world: World, what: str) -> None:
    """What the script has set may be set anew."""
    reason = f"{what} may set it"
    for name, var in list(world.vars.items()):
        if not var.given or var.assumed or name in ALWAYS_SET or name == "IFS":
            continue
        gap = unknown(name, reason)
        if var.value is not gap or var.items is not None:
            world.put(name, replace(var, value=gap, items=None))
