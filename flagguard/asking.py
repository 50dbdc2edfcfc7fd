"""How to ask a compiler itself what an invocation comes to, in place of taking flagguard's word for it.

A question is the compiler with the options that decide, and what makes it tell; nothing here runs one.
"""

from collections.abc import Iterable, Sequence

from flagguard.tools.invocation import Invocation

_CLANG = "-### -x c -c /dev/null"
_QUESTIONS = {
    # tool, or the tool with its subcommand: what is added to it
    "gcc": "-Q --help=target",  # GCC manual, "Overall Options", --help
    "g++": "-Q --help=target",
    "cc": "-Q --help=target",
    "c++": "-Q --help=target",
    "gfortran": "-Q --help=target",
    "clang": _CLANG,  # Clang's command line reference, -###
    "clang++": _CLANG,
    "icx": _CLANG,
    "icpx": _CLANG,
    "armclang": _CLANG,
    "zig cc": _CLANG,
    "zig c++": _CLANG,
    "rustc": "--print cfg",  # the rustc book, "Print Options"
    "cargo build": "cargo rustc {flags} -- --print cfg",  # cargo-rustc(1)
    "cargo rustc": "cargo rustc {flags} -- --print cfg",
    "cargo install": "cargo rustc {flags} -- --print cfg",
    "cargo test": "cargo rustc {flags} --profile test -- --print cfg",
    "mojo build": "--print-effective-target FILE",  # `mojo build --help`
    "mojo run": "mojo build {flags} --print-effective-target FILE",
    "go build": "go env GOARCH GOAMD64 GOARM64 GOFLAGS",  # cmd/go, "Environment variables"
    "go install": "go env GOARCH GOAMD64 GOARM64 GOFLAGS",
    "nvcc": "--dryrun -c FILE",  # NVCC, 4.2.8.3 --dryrun
    "swiftc": "-driver-print-jobs FILE",  # swiftc -help-hidden
}


def question(invocation: Invocation, deciding: Iterable[int], spelled: Sequence[str]) -> str | None:
    """The command that asks; ``deciding``: the words of the argv that count, ``spelled``: all of them, as typed."""
    program = invocation.program
    name = " ".join((program, *invocation.path[:1]))
    asked = _QUESTIONS.get(name, _QUESTIONS.get(program))
    if asked is None:
        return None
    flags = " ".join(spelled[number] for number in sorted(set(deciding)))
    if "{flags}" in asked:
        return " ".join(asked.format(flags=flags).split())
    if asked.startswith(f"{program} "):
        return asked
    leading = [spelled[0], *(invocation.path if name in _QUESTIONS else ())]
    return " ".join(part for part in (*leading, flags, asked) if part)


def with_environment(asked: str, environment: Iterable[tuple[str, str]]) -> str:
    """The question with the variables that hold flags for the tool."""
    set_ = " ".join(f"{name}={value}" for name, value in environment)
    return f"{set_} {asked}" if set_ else asked
