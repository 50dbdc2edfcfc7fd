"""Texts in other languages that a command hands to their interpreter: `python -c '…'`, `perl -e '…'`, `awk '…'`.

They are not read; whether one speaks of a program that a rule names is looked at elsewhere. Interpreters by name, with
the options that take a text and those that take another value, as their manuals say.
"""

from collections.abc import Sequence

from flagguard.command import Word
from flagguard.patterns import expression
from flagguard.text import Traced
from flagguard.values import dataclass


@dataclass(frozen=True, slots=True)
class _Interpreter:
    language: str
    texts: str = ""
    """Options whose value is a text of the language."""
    values: str = ""
    """Options with another value in the next word."""
    first: bool = False
    """Without an option that brings a text, the first operand is one."""
    stdin: bool = True
    """Without operands the text is standard input."""
    files: str = ""
    """Options whose value is a file of text, so that no operand is one."""


_INTERPRETERS: dict[str, _Interpreter] = {
    # https://docs.python.org/3/using/cmdline.html
    "python": _Interpreter("Python", "-c", "-W -X --check-hash-based-pycs", files="-m"),
    # perlrun(1)
    "perl": _Interpreter("Perl", "-e -E", "-I"),
    # https://docs.ruby-lang.org/en/master/ruby/options_md.html
    "ruby": _Interpreter("Ruby", "-e", "-I -r -C -E"),
    # https://nodejs.org/api/cli.html; https://bun.sh/docs/cli/run
    "node": _Interpreter("JavaScript", "-e --eval -p --print -pe", "-r --require --import -C --conditions"),
    "bun": _Interpreter("JavaScript", "-e --eval -p --print", "-r --preload", stdin=False),
    # https://www.php.net/manual/en/features.commandline.options.php
    "php": _Interpreter("PHP", "-r -B -R -E", "-c -d -z", files="-f -F"),
    # lua(1); https://luajit.org/running.html; tclsh(1); expect(1)
    "lua": _Interpreter("Lua", "-e", "-l"),
    "tclsh": _Interpreter("Tcl"),
    "expect": _Interpreter("Tcl", "-c", files="-f"),
    # Rscript(1); https://docs.julialang.org/en/v1/manual/command-line-interface/; osascript(1)
    "Rscript": _Interpreter("R", "-e"),
    "julia": _Interpreter("Julia", "-e -E --eval --print", "-L -J -t -p -C -O"),
    "osascript": _Interpreter("AppleScript", "-e", "-l -s"),
    # POSIX.1-2024, awk; gawk(1)
    "awk": _Interpreter("awk", "-e --source", "-F -v -i -l", first=True, stdin=False, files="-f -E --file --exec"),
    # vim(1), ex(1): commands of the editor, which start with `!` where a shell runs them
    "vim": _Interpreter("Vim script", "-c --cmd", "-u -U -S -s -T -w -W", stdin=False),
    "emacs": _Interpreter("Emacs Lisp", "--eval --execute -eval", "-l --load -f --funcall", stdin=False),
    # crontab(1): its last field is a command
    "crontab": _Interpreter("crontab", "", "-u"),
    # gdb(1): `shell`, `run`
    "gdb": _Interpreter("gdb's language", "-ex -eval-command --eval-command", "-x -p -d", stdin=False),
}
_ALIASES = {
    "nodejs": "node",
    "nvim": "vim",
    "vi": "vim",
    "ex": "vim",
    "vimdiff": "vim",
    "luajit": "lua",
    "wish": "tclsh",
}
_ALIASES |= dict.fromkeys(("gawk", "mawk", "nawk", "original-awk"), "awk") | {"jruby": "ruby", "pypy": "python"}
_VERSION = expression(r"[0-9.]+[tdm]?(?:\.exe)?$|\.exe$")


def texts(argv: Sequence[Word], stdin: Traced | None) -> tuple[str, list[Traced]]:
    """The language, and the texts in it that the command hands over."""
    name = _VERSION.sub("", argv[0].text.rsplit("/", 1)[-1])
    interpreter = _INTERPRETERS.get(_ALIASES.get(name, name))
    if interpreter is None:
        return "", []
    found: list[Traced] = []
    options, values, files = interpreter.texts.split(), interpreter.values.split(), interpreter.files.split()
    operand: Word | None = None
    at, by_file = 1, False
    while at < len(argv):
        text = argv[at].text
        at += 1
        name, equals, _ = text.partition("=")
        if text == "--":
            operand = argv[at] if at < len(argv) else None
            break
        if text in options or (len(text) > 2 and text[-2:] != "--" and _ends_cluster(text, options)):
            found += argv[at : at + 1]
            at += 1
        elif equals and name in options:
            found.append(argv[at - 1].cut(len(name) + 1, len(text)))
        elif text[:2] in options and len(text) > 2 and len(text[:2]) == 2 and text[1] != "-":
            found.append(argv[at - 1].cut(2, len(text)))
        elif text in files or text[:2] in files:
            by_file = True
            break
        elif text in values:
            at += 1
        elif text == "-" or text[:1] not in ("-", "+"):
            operand = argv[at - 1]
            break
    if not found and not by_file:
        if interpreter.first and operand is not None:
            found.append(operand)
        elif interpreter.stdin and stdin is not None and (operand is None or operand.text in ("-", "/dev/stdin")):
            found.append(stdin)
    return interpreter.language, found


def _ends_cluster(text: str, options: Sequence[str]) -> bool:
    """`perl -ne`, `python -Ic`: switches, of which the last takes the text."""
    return text[0] == "-" and text[1:].isalpha() and f"-{text[-1]}" in options and text[:2] not in options
