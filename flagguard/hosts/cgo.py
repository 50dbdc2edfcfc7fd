"""cgo directives: the flags that Go files of a package give to the C compiler, which `go build` starts.

Follows https://pkg.go.dev/cmd/cgo, "Using cgo with the go command": lines `#cgo [CONSTRAINTS] NAME: FLAGS` in the
comment before `import "C"`. A constraint is a list of alternatives, each a comma-separated list of terms.
"""

from collections.abc import Iterator

from flagguard.command import Command
from flagguard.hosts import Folded, Setting
from flagguard.patterns import expression
from flagguard.text import SourceText, Traced, join, literal
from flagguard.tools.platforms import architecture, split
from flagguard.values import replace

NAME = "cgo"

_DIRECTIVE = expression(
    r"(?m)^[ \t]*(?://)?[ \t]*#cgo[ \t]+([^:\n]*?)[ \t]*\b(CFLAGS|CPPFLAGS|CXXFLAGS):[ \t]*(.*?)[ \t\r]*$"
)
_OTHER_SYSTEM = frozenset("linux darwin windows freebsd netbsd openbsd solaris android ios js plan9 aix".split())
_MOST_FILES = 20_000
_COMPILES = frozenset({"build", "install", "test", "run", "vet"})


def fold(command: Command, setting: Setting) -> Folded | None:
    """The command with the flags of the directives below its folder, on each of its platforms."""
    words = [w.text for w in command.argv[1:]]
    if command.directory is None or not any(w in _COMPILES for w in words[:3]):
        return None
    if command.env.get("CGO_ENABLED") is not None and command.env["CGO_ENABLED"].text == "0":
        return None
    top = f"{command.directory}/" if command.directory else ""
    paths = [p for p in setting.files.paths() if p.endswith(".go") and p.startswith(top) and "/testdata/" not in p]
    found = (setting.files.read(path) for path in paths[:_MOST_FILES])
    sources = [source for source in found if source is not None and "#cgo" in source.text]
    commands, any_flags = [], False
    for platform in command.platforms or setting.platforms:
        target = _target(command, platform)
        given: dict[str, Traced] = {}
        for name in ("CFLAGS", "CXXFLAGS"):
            flags = [f for source in sources for f in _flags(source, name, target)]
            if flags:
                given[f"cgo.{name}"] = join([t for f in flags for t in (f, literal(" "))][:-1])
                any_flags = True
        commands.append(replace(command, configured={**command.configured, **given}, platforms=(platform,)))
    return Folded(tuple(commands), ()) if any_flags else None


def _target(command: Command, platform: str) -> tuple[str, str]:
    """What GOOS and GOARCH say, as a system and a machine."""
    system, machine = split(platform)
    asked_system, asked_machine = command.env.get("GOOS"), command.env.get("GOARCH")
    if asked_system is not None and asked_system.known and asked_system:
        system = {"darwin": "macos"}.get(asked_system.text, asked_system.text)
    if asked_machine is not None and asked_machine.known and asked_machine:
        machine = architecture(asked_machine.text) or machine
    return system, machine


def _flags(source: SourceText, name: str, target: tuple[str, str]) -> Iterator[Traced]:
    stem = source.path.rpartition("/")[2].removesuffix(".go").removesuffix("_test").split("_")[1:]
    if not all(_term(word, target) for word in stem[-2:]):
        return
    for found in _DIRECTIVE.finditer(source.text):
        flags = "CFLAGS" if found[2] == "CPPFLAGS" else found[2]
        if flags == name and _fits(found[1], target):
            yield source.traced(found.start(3), found.end(3))


def _fits(constraint: str, target: tuple[str, str]) -> bool:
    return not constraint.strip() or any(
        all(_term(term, target) for term in alternative.split(",")) for alternative in constraint.split()
    )


def _term(term: str, target: tuple[str, str]) -> bool:
    """Whether a term holds; a tag that is no system and no machine may be set."""
    system, machine = target
    bare = term.lstrip("!")
    if bare in _OTHER_SYSTEM:
        holds = {"darwin": "macos"}.get(bare, bare) == system
    elif bare == "unix":
        holds = system != "windows"
    elif architecture(bare) is not None and bare != "x86":
        holds = architecture(bare) == machine
    else:
        return True
    return holds != term.startswith("!")
