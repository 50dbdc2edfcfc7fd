"""What commands print, where that is known without running them: uname(1) and its kin by platform.

Everything else prints a hole. Its reason names the command, and the table says who decides what it prints.
"""

import re
from collections.abc import Sequence
from posixpath import dirname

from flagguard.command import PLATFORMS, Word
from flagguard.dpkg import ARCHITECTURES
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Piece, Shape, Traced, join, literal

_OUTSIDE: dict[str, Shape] = {
    # program: what its output looks like. The machine, the user or a service decides it, not the repository.
    **dict.fromkeys(
        "mktemp pwd realpath readlink dirname which tempfile cygpath brew xcode-select rustup-which".split(), Shape.PATH
    ),
    **dict.fromkeys("nproc date wc id stat sysctl getconf expr seq od cksum df du".split(), Shape.NUMBER),
    **dict.fromkeys("basename hostname whoami logname tty sha256sum sha1sum md5sum".split(), Shape.PATH),
    **dict.fromkeys(
        "git hg svn uname arch curl wget gh ps lscpu pkg-config pkgconf xcrun sw_vers lsb_release rpm dpkg "
        "dpkg-architecture dpkg-query pacman apt-cache pip docker podman kubectl aws gcloud ssh hostnamectl locale "
        "env printenv command type ulimit tput stty rustc gcc cc clang g++ c++ clang++ ld java node npm go cmake mojo "
        "ls find ldd ldconfig file openssl gpg nvidia-smi vcgencmd".split(),
        Shape.ANY,
    ),
}
_ENDINGS = ("-config", "-config-version")
_SELECTS = {"head": 0, "tail": 0, "sort": 0, "uniq": 0, "tac": 0, "cut": 0, "grep": 1, "egrep": 1, "fgrep": 1, "tr": 2}
"""Filters that print parts of their input (POSIX, Utilities), and how many operands they have that are no files."""
_WITH_VALUE = expression("-[bcdefkmnst]|-[a-zA-Z]+[nkf]")
"""Their options that take the next word."""
_MORE_THAN_NAMES = expression("-(?:printf|fprintf|exec|execdir|ok|okdir|ls)")
"""What makes find(1) print more than names."""
_LISTS_NAMES = expression("-[1AadrtuvSUX]+")
"""Options of ls(1) with which it prints names alone."""


def output_hole(argv: Sequence[Word], shown: str, stdin: Traced | None = None) -> Hole:
    """The hole that stands for what a command prints; ``shown`` is how the source writes it."""
    name = argv[0].text.rsplit("/", 1)[-1] if argv else ""
    shape = _OUTSIDE.get(name)
    decider = Decider.OUTSIDE if shape is not None or name.endswith(_ENDINGS) else Decider.REPOSITORY
    if (name == "date" and not any("%s" in w.text for w in argv)) or _prints_names(name, argv[1:]):
        shape = Shape.PATH
    elif name in _SELECTS and stdin is not None and _reads_input(name, argv[1:]):
        shape, decider = _of_input(stdin)
    return Hole(shown, f"the output of {name or 'a command'}", decider, shape or Shape.ANY)


def _prints_names(name: str, operands: Sequence[Word]) -> bool:
    """Whether it prints names of files, whichever they are."""
    if name == "find":
        return not any(_MORE_THAN_NAMES.fullmatch(w.text) for w in operands)
    return name == "ls" and all(_LISTS_NAMES.fullmatch(w.text) for w in operands if w.text.startswith("-"))


def _reads_input(name: str, operands: Sequence[Word]) -> bool:
    """Whether a filter names no file that it reads instead."""
    left, value = 0, False
    for word in operands:
        if not value and not word.text.startswith("-"):
            left += 1
        value = not value and _WITH_VALUE.fullmatch(word.text) is not None
    return left <= _SELECTS[name]


def _of_input(stdin: Traced) -> tuple[Shape, Decider]:
    """What parts of the input are: like that, where nothing but holes is in it."""
    holes = stdin.holes
    if not holes or stdin.text.replace(HOLE_MARK, "").strip():
        return Shape.ANY, Decider.REPOSITORY
    names = all(h.shape is not Shape.ANY for h in holes)
    outside = all(h.decider is Decider.OUTSIDE for h in holes)
    return Shape.PATH if names else Shape.ANY, Decider.OUTSIDE if outside else Decider.REPOSITORY


def output(argv: Sequence[Word], platform: str, stdin: Traced | None) -> Traced | None:
    """What a command prints, if that is known; with its last newline."""
    if not argv or not argv[0].known:
        return None
    name = argv[0].text.rsplit("/", 1)[-1]
    operands = argv[1:]
    match name:
        case "uname":
            return _uname([w.text for w in operands], platform)
        case "arch":
            return _line(literal(PLATFORMS[platform][1])) if not operands else None
        case "dpkg" | "apk" | "getconf":
            return _architecture([name, *(w.text for w in operands)], platform)
        case "true" | "false" | ":":
            return EMPTY
        case "cat":
            return stdin if not operands or [w.text for w in operands] == ["-"] else None
        case "tee":
            return stdin
        case "basename":
            return _basename(operands)
        case "dirname":
            return _dirname(operands)
    return None


def output_path(argv: Sequence[Word], directory: str | None) -> str | None:
    """The file or folder of the tree that a command's output names."""
    match [w.text for w in argv]:
        case ["git", "rev-parse", "--show-toplevel"]:
            return ""
        case ["dirname", _] | ["dirname", "--", _]:
            path = resolved(argv[-1], directory)
            return dirname(path) if path else None
        case ["realpath" | "readlink", *_, _]:
            return resolved(argv[-1], directory)
    return None


def _line(text: Traced) -> Traced:
    return text + literal("\n")


_OF_ALPINE = {"armv7l": "armv7", "i686": "x86"}
"""What apk calls machines that uname calls otherwise."""
ASKS_PLATFORM = frozenset({"uname", "arch", "dpkg", "apk", "getconf"})
"""What prints something else on each platform."""


def _architecture(words: list[str], platform: str) -> Traced | None:
    found = ARCHITECTURES.get(platform)
    if found is None:
        return None
    machine = PLATFORMS[platform][1]
    debian, *_, bits = found
    match words:
        case ["dpkg", "--print-architecture"]:
            return _line(literal(debian))
        case ["apk", "--print-arch"]:
            return _line(literal(_OF_ALPINE.get(machine, machine)))
        case ["getconf", "LONG_BIT"]:
            return _line(literal(bits))
    return None


def _uname(options: list[str], platform: str) -> Traced | None:
    system, machine, _ = PLATFORMS[platform]
    kernel = _versioned(system, "uname")
    table = {
        "-s": kernel,
        "--kernel-name": kernel,
        "-m": literal(machine),
        "--machine": literal(machine),
        "-o": {"Linux": literal("GNU/Linux"), "Darwin": literal("Darwin")}.get(system),
        "--operating-system": literal("GNU/Linux") if system == "Linux" else None,
        "-sm": join((kernel, literal(f" {machine}"))),
        "-ms": join((kernel, literal(f" {machine}"))),
    }
    if platform.startswith("macos-"):
        table["-p"] = literal("arm" if platform.endswith("arm64") else "i386")
    if not options:
        return _line(kernel)
    wanted = "".join(o[1:] for o in options) if all(re.fullmatch("-[a-z]+", o) for o in options) else None
    known = table.get(options[0]) if len(options) == 1 else table.get(f"-{wanted}")
    return _line(known) if known is not None else None


def _versioned(text: str, shown: str) -> Traced:
    """``darwin*``: a known beginning and an unknown version."""
    if not text.endswith("*"):
        return literal(text)
    version = Hole(f"$({shown})", "the version of the system", Decider.OUTSIDE, Shape.PATH)
    return Traced((Piece(text[:-1]), Piece(version.text, hole=version)))


def os_type(platform: str) -> Traced:
    """bash's ``$OSTYPE``."""
    return _versioned(PLATFORMS[platform][2], "OSTYPE")


def _basename(operands: Sequence[Word]) -> Traced | None:
    if not 1 <= len(operands) <= 2 or operands[0].text.startswith("-"):
        return None
    path = operands[0]
    text = path.text.rstrip("/")
    if path.text and not text:
        return _line(path.cut(0, 1))
    if HOLE_MARK in text.rsplit("/", 1)[-1] and "/" not in text.split(HOLE_MARK)[-1]:
        return None
    cut = text.rfind("/") + 1
    end = len(text)
    if len(operands) == 2 and operands[1].known:
        suffix = operands[1].text
        if suffix and text.endswith(suffix) and end - cut > len(suffix):
            end -= len(suffix)
    elif len(operands) == 2:
        return None
    return _line(path.cut(cut, end))


def _dirname(operands: Sequence[Word]) -> Traced | None:
    if len(operands) != 1 or not operands[0].known or operands[0].text.startswith("-"):
        return None
    text = operands[0].text.rstrip("/")
    if "/" not in text:
        return _line(literal("."))
    return _line(operands[0].cut(0, max(len(text.rsplit("/", 1)[0]), 1)))
