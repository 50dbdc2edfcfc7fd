"""What commands print, where that is known without running them: uname(1) and its kin by platform, and pure filters.

Everything else prints a hole. Its reason names the command, and the table says who decides what it prints.
"""

import re
from collections.abc import Callable, Sequence
from posixpath import dirname

from flagguard.command import PLATFORMS, Word
from flagguard.paths import resolved
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


def output_hole(argv: Sequence[Word], shown: str) -> Hole:
    """The hole that stands for what a command prints; ``shown`` is how the source writes it."""
    name = argv[0].text.rsplit("/", 1)[-1] if argv else ""
    shape = _OUTSIDE.get(name)
    decider = Decider.OUTSIDE if shape is not None or name.endswith(_ENDINGS) else Decider.REPOSITORY
    if name == "date" and not any("%s" in w.text for w in argv):
        shape = Shape.PATH
    return Hole(shown, f"the output of {name or 'a command'}", decider, shape or Shape.ANY)


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
        case "true" | "false" | ":":
            return EMPTY
        case "cat":
            return stdin if not operands or [w.text for w in operands] == ["-"] else None
        case "tee":
            return stdin
        case "tr":
            return _tr([w.text for w in operands], stdin) if all(w.known for w in operands) else None
        case "sed":
            return _sed([w.text for w in operands], stdin) if all(w.known for w in operands) else None
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


def _tr(operands: list[str], stdin: Traced | None) -> Traced | None:
    if stdin is None or not stdin.known:
        return None
    delete = operands[:1] in (["-d"], ["--delete"])
    sets = [_tr_set(o) for o in (operands[1:] if delete else operands)]
    if any(s is None for s in sets) or len(sets) != (1 if delete else 2):
        return None
    source = sets[0] or ""
    if delete:
        return _mapped(stdin, lambda t: "".join(c for c in t if c not in source))
    target = sets[1] or ""
    if not target:
        return None
    table = {ord(a): target[min(i, len(target) - 1)] for i, a in reversed(list(enumerate(source)))}
    return _mapped(stdin, lambda t: t.translate(table))


def _tr_set(text: str) -> str | None:
    classes = {
        "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "[:lower:]": "abcdefghijklmnopqrstuvwxyz",
        "[:digit:]": "0123456789",
        "[:space:]": " \t\n\r\f\v",
    }
    if text in classes:
        return classes[text]
    text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
    if "[" in text and ":" in text:
        return None

    def expand(found: "re.Match[str]") -> str:
        return "".join(map(chr, range(ord(found.group(1)), ord(found.group(2)) + 1)))

    return re.sub(r"(.)-(.)", expand, text, flags=re.DOTALL)


def _sed(operands: list[str], stdin: Traced | None) -> Traced | None:
    """``s`` commands whose expression means the same in basic and Python regular expressions."""
    if stdin is None or not stdin.known:
        return None
    if operands[:1] == ["-e"]:
        operands = operands[1:]
    if len(operands) != 1:
        return None
    text = stdin.text
    for command in operands[0].split(";"):
        found = re.fullmatch(r"\s*s([/,|#:@])([^\\(){}+?|*.\[\]$]*)\1([^\\&]*)\1(g?)\s*", command)
        if found is None:
            return None
        pattern = found.group(2)
        plain = re.escape(pattern[1:]) if pattern.startswith("^") else re.escape(pattern)
        expression = ("^" if pattern.startswith("^") else "") + plain
        # without a backslash, which the pattern refuses, the replacement stands for itself
        count = 0 if found.group(4) else 1
        lines = [re.sub(expression, found.group(3), line, count=count) for line in text.split("\n")]
        text = "\n".join(lines)
    return Traced((Piece(text, stdin.route),))


def _mapped(text: Traced, change: Callable[[str], str]) -> Traced:
    return Traced(tuple(Piece(change(p.text), p.route) for p in text.pieces))


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
