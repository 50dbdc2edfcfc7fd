r"""The tables of written scripts: `scripts/*.sh`, and those that need odd bytes.

A case starts with a line `#@ NAME [WORD…]`; its script is what follows up to the next one. The words:

    bash, dash        only in this shell (both without)
    on=P,P            the platforms to run it for (`on=*`: Linux on two machines and macOS); linux-x86_64 without
    args=WORD         one positional parameter (again for each)
    env.NAME=VALUE    the host sets this variable
    assume.NAME=VALUE it comes from outside with this value
    exit.NAME=N       the stub NAME exits with N
    options=-e        options of the shell
    holes             the run depends on something outside: holes are legal
    forks             what runs depends on something outside: commands with `when` are legal
    unread            a problem is legal: the shell itself refuses the script
    unordered         the order of the commands is not certain
"""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"
ALL = ("linux-x86_64", "linux-aarch64", "macos-arm64")


@dataclass(frozen=True)
class Case:
    """One script and what its run depends on."""

    name: str
    script: bytes
    shells: tuple[str, ...] = ("bash", "dash")
    platforms: tuple[str, ...] = ("linux-x86_64",)
    arguments: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    assume: dict[str, str] = field(default_factory=dict)
    exits: dict[str, int] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    holes: bool = False
    forks: bool = False
    unread: bool = False
    unordered: bool = False


def read_case(name: str, script: bytes, *words: str) -> Case:
    """One case with the words of its header."""
    tables: dict[str, dict[str, str]] = {"env": {}, "assume": {}, "exit": {}}
    lists: dict[str, list[str]] = {"args": [], "on": [], "options": [], "shells": []}
    flags = dict.fromkeys(("holes", "forks", "unread", "unordered"), False)
    for word in words:
        key, equals, value = word.partition("=")
        table, dot, variable = key.partition(".")
        if equals and dot and table in tables:
            tables[table][variable] = value
        elif equals and key == "on":
            lists["on"] += [p for part in value.split(",") for p in (ALL if part == "*" else (part,))]
        elif equals and key in ("args", "options"):
            lists[key].append(value)
        elif word in ("bash", "dash"):
            lists["shells"].append(word)
        elif word in flags:
            flags[word] = True
        else:
            raise ValueError(f"{name}: what is {word!r}?")
    return Case(
        name,
        script,
        shells=tuple(lists["shells"]) or ("bash", "dash"),
        platforms=tuple(lists["on"]) or ("linux-x86_64",),
        arguments=tuple(lists["args"]),
        env=tables["env"],
        assume=tables["assume"],
        exits={stub: int(code) for stub, code in tables["exit"].items()},
        options=tuple(lists["options"]),
        **flags,
    )


def read_table(path: Path) -> list[Case]:
    """The cases of one file."""
    out = []
    for part in re.split(rb"(?m)^#@ ", path.read_bytes())[1:]:
        header, _, script = part.partition(b"\n")
        name, *words = shlex.split(header.decode())
        out.append(read_case(f"{path.stem}/{name}", script, *words))
    return out


_CR_LF = (
    ("plain", b"gcc -c main.c\r\nmake all\r\n", ()),
    ("if", b"if true; then\r\ngcc a\r\nfi\r\n", ("unread",)),
    ("continuation", b"gcc a \\\r\n-o b\r\n", ()),
    ("assignment", b"V=x86-64\r\ngcc -march=$V -c\r\n", ()),
    ("quoted", b"gcc 'a' \"b\"\r\n", ()),
    ("comment", b"# note\r\ngcc a\n", ()),
    ("only-cr", b"gcc a\rmake b\n", ()),
    ("cr-in-quotes", b"gcc 'a\rb'\n", ()),
    ("backslash-cr", b"gcc a\\\rb c\n", ()),
    ("here-document", b"cat <<E\nx\nE\ngcc a\r\n", ()),
    ("and", b"gcc a &&\\\n make b\r\n", ()),
    ("two", b"gcc a ; make b\r\n", ()),
)

_BYTES = (
    ("latin-1", b"gcc caf\xe9 '\xff' \"\xfe\"\n", ()),
    ("utf-8", "gcc -DNAME=größe '日本'\n".encode(), ()),
    ("utf-8-variable", "V='ä ö'\ngcc $V \"$V\"\n".encode(), ()),
    ("no-break-space", "gcc a\u00a0b c\n".encode(), ()),
    ("em-dash", "gcc —march=native\n".encode(), ()),
    ("curly-quotes", "gcc “a b”\n".encode(), ()),
    ("form-feed", b"gcc a\x0cb\n", ()),
    ("vertical-tab", b"gcc a\x0bb c\n", ()),
    ("tabs", b"\tgcc\ta\t\tb\t\n", ()),
    ("control", b"gcc a\x01b '\x7f' \"\x02\"\n", ()),
    ("no-newline", b"gcc a", ()),
    ("backslash-at-end", b"gcc a\\", ()),
    ("backslash-newline-at-end", b"gcc a \\\n", ()),
    ("comment-at-end", b"gcc a # no newline", ()),
    ("empty", b"", ()),
    ("blank", b"\n\n  \n\t\n", ()),
    ("only-comment", b"# gcc a\n", ()),
    ("dollar-quote-bytes", b"gcc $'\\xff\\xe9' $'\\303\\244'\n", ("bash",)),
    ("dollar-quote-unicode", b"gcc $'\\u41' $'\\x41\\x42'\n", ("bash",)),
    ("byte-in-substitution", b"gcc $(printf '%s' '\xe9 \xea')\n", ()),
    ("byte-in-variable", b'V=\xe9\ngcc "$V" $V\xe8\n', ()),
    ("byte-order-inside", "gcc '\ufeff'\n".encode(), ()),
    ("long-word", b"gcc " + b"a" * 5000 + b"\n", ()),
    ("many-words", b"gcc" + b" a" * 500 + b"\n", ()),
)


def all_cases() -> list[Case]:
    """Every written case."""
    cases = [case for path in sorted(SCRIPTS.glob("*.sh")) for case in read_table(path)]
    cases += [read_case(f"cr-lf/{name}", script, *words) for name, script, words in _CR_LF]
    cases += [read_case(f"bytes/{name}", script, *words) for name, script, words in _BYTES]
    return cases
