"""What one run of a build script knows, and what it has decided: a run takes every open question one way.

The runs differ in what they decide (`python_reading` makes them); `python_statements` and `python_expressions` say what
the language means. The platform's answers follow the library's `sys`, `os`, `platform` and `sysconfig`.
"""

import ast
from collections.abc import Mapping as MappingType
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flagguard.command import PLATFORMS, Call, Script, Word
from flagguard.hosts.python_text import Parsed
from flagguard.hosts.python_values import Function, Items, Made, Mapping, Named, Scope, Value
from flagguard.text import Hole, Problem, Span, Traced, hole, literal
from flagguard.values import dataclass, field

if TYPE_CHECKING:
    from flagguard.hosts.python_calls import Arguments

MAX_STEPS = 20_000
"""Statements and calls that one run may come to."""
MAX_DEPTH = 24
NOX, INVOKE = "nox.Session", "invoke.Context"
"""What the runners give to the functions that they call."""

_LLVM = {"x86_64": "x86-64", "amd64": "x86-64", "i686": "x86", "arm64": "aarch64", "armv7l": "arm", "s390x": "systemz"}
"""LLVM's names of its targets (`llc --version`), where they are not the machine's."""

Key = tuple[object, ...]


class Stopped(Exception):
    """The script ends here: `sys.exit`, an exception that nobody catches."""


class Exhausted(Exception):
    """The run takes too long."""


@dataclass(frozen=True)
class Decision:
    key: Key
    text: str
    """How the source writes what was asked."""
    outcome: bool
    opt_in: bool | None = None
    """The outcome that somebody outside must ask for."""


@dataclass(frozen=True)
class Called:
    """How somebody starts the script."""

    runner: str = ""
    """`nox.Session`, `invoke.Context`; empty: Python itself."""
    units: frozenset[str] | None = None
    """The sessions or tasks that are named; None: none are."""
    words: tuple[Word, ...] = ()
    """The words for the script: behind `--`, behind its name; for Invoke, all."""
    env: MappingType[str, Traced] = field(default_factory=dict)


@dataclass
class Found:
    """What a run came to, each with what had been decided by then."""

    calls: list[tuple[Call, tuple[Decision, ...]]] = field(default_factory=list)
    scripts: list[tuple[Script, tuple[Decision, ...]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class World:
    """One run on one platform."""

    def __init__(
        self,
        parsed: Parsed,
        platform: str,
        assume: MappingType[str, str],
        given: MappingType[Key, bool],
        called_by: Called | None = None,
    ) -> None:
        self.parsed = parsed
        self.path = parsed.source.path
        self.platform = platform
        self.system, self.machine, _ = PLATFORMS.get(platform, ("Linux", platform.partition("-")[2], ""))
        self.windows = platform.startswith("windows")
        self.assume = assume
        self.given = given
        self.trail: dict[Key, Decision] = {}
        self.scope = Scope()
        self.module = self.scope
        self.called_by = called_by
        self.environ = Mapping(environ=True)
        self.environ.entries.update(called_by.env if called_by is not None else {})
        self.made: list[Made] = []
        self.functions: list[Function] = []
        self.called: set[int] = set()
        self.found = Found()
        self.asked = False
        """Whether anything depended on the platform."""
        self.touched = False
        """Whether a value that somebody outside may replace was looked at."""
        self.wanted: bool | None = None
        """How a question is answered whose other answer leads nowhere: it is not noted then."""
        self.steps = 0
        self.depth = 0
        self.task: str | None = None
        self.session: Mapping | None = None
        """The environment of the nox session that is being read."""
        self.python: Value | None = None
        """Its interpreter, where its decorator says it."""
        self.sessions: Items | None = None
        """`nox.options.sessions`."""
        self.notified: set[str] = set()
        """The sessions that `session.notify` asks for."""
        self.prefixes: list[Traced] = []
        """The commands of `with c.prefix(…)`, outermost first."""
        self.folder: str | None = ""
        self.caught = 0
        """Around what runs: `try` statements that let a failed command pass."""
        self.alone = False
        """What is called as a statement, its result lost."""
        self.yielded: list[Value] = []
        self.classes: list[Value] = []

    def step(self) -> None:
        self.steps += 1
        self.parsed.budget -= 1
        if self.steps > MAX_STEPS or self.parsed.budget < 0:
            raise Exhausted

    # -- what is open

    def decide(self, key: Key, text: str, *, opt_in: bool | None = None, first: bool = True) -> bool:
        """One way to answer what nobody can know; the same question has the same answer in one run."""
        known = self.trail.get(key)
        if known is None:
            if self.wanted is not None:
                return self.wanted if opt_in is None else not opt_in
            outcome = self.given.get(key, first)
            known = self.trail[key] = Decision(key, text, outcome, opt_in)
        return known.outcome

    def decided(self, key: Key) -> bool | None:
        known = self.trail.get(key)
        return known.outcome if known is not None else None

    @property
    def decisions(self) -> tuple[Decision, ...]:
        return tuple(self.trail.values())

    # -- the platform

    def attribute(self, name: str) -> Value | None:
        """What a name of the library is on this platform; None where it does not tell the platform."""
        found = self._known(name)
        if found is not None:
            self.asked = True
        return found

    def _known(self, name: str) -> Value | None:
        from flagguard.hosts.python_values import Plain

        match name:
            case "sys.platform":
                return literal({"Linux": "linux", "Darwin": "darwin", "FreeBSD": "freebsd14"}.get(self.system, "win32"))
            case "os.name":
                return literal("nt" if self.windows else "posix")
            case "os.sep":
                return literal("\\" if self.windows else "/")
            case "os.pathsep":
                return literal(";" if self.windows else ":")
            case "llvmlite.Target.name":
                return literal(_LLVM.get(self.machine, self.machine))
            case "llvmlite.Target.triple":
                return self._triple
            case "sys.byteorder":
                return literal("big" if self.machine == "s390x" else "little")
            case "sys.maxsize":
                return Plain(2**31 - 1 if self._narrow else 2**63 - 1)
        return None

    @property
    def _narrow(self) -> bool:
        return self.machine in ("i686", "armv7l")

    @property
    def python_machine(self) -> str:
        """`platform.machine()`"""
        if self.windows:
            return "ARM64" if "arm64" in self.platform else "AMD64"
        return self.machine

    @property
    def python_system(self) -> str:
        return "Windows" if self.windows else self.system

    def answer(self, name: str) -> Value | None:
        """What a function of the library says of this platform."""
        from flagguard.hosts.python_values import Plain

        found: Value | None = None
        machine, system = self.python_machine, self.python_system
        unknown = hole(Hole("…", "the version of the machine's system"))
        match name:
            case "platform.system":
                found = literal(system)
            case "platform.machine":
                found = literal(machine)
            case "platform.processor":
                found = literal({"arm64": "arm", "x86_64": "i386"}.get(machine, machine)) if system == "Darwin" else (
                    literal(machine) if system == "Linux" else unknown)  # fmt: skip
            case "platform.uname" | "os.uname":
                parts = [literal(system), unknown, unknown, unknown, literal(machine)]
                found = Items(list(parts), "uname")
            case "platform.architecture":
                kind = "WindowsPE" if self.windows else "ELF" if system == "Linux" else ""
                found = Items([literal("32bit" if self._narrow else "64bit"), literal(kind)], "tuple")
            case "platform.mac_ver":
                version = unknown if system == "Darwin" else Traced()
                arch = literal(machine) if system == "Darwin" else Traced()
                found = Items([version, Items([Traced(), Traced(), Traced()], "tuple"), arch], "tuple")
            case "sysconfig.get_platform" | "distutils.util.get_platform" | "setuptools.distutils.util.get_platform":
                found = self._tag(unknown)
            case "struct.calcsize":
                found = Plain(4 if self._narrow else 8)
            case _ if name.endswith((".get_process_triple", ".get_default_triple")):
                found = self._triple
            case _ if name.endswith(".Target.from_default_triple"):
                found = Named("llvmlite.Target")
            case "platform.platform":
                found = literal(f"{system}-") + unknown
        if found is not None:
            self.asked = True
        return found

    @property
    def _triple(self) -> Traced:
        """LLVM's name of the platform (llvm::Triple)."""
        machine = {"ppc64le": "powerpc64le", "amd64": "x86_64"}.get(self.machine, self.machine)
        if self.windows:
            return literal(f"{machine}-pc-windows-msvc")
        if self.system == "Linux":
            return literal(f"{machine}-unknown-linux-gnu" + ("eabihf" if machine == "armv7l" else ""))
        system = "apple-darwin" if self.system == "Darwin" else "unknown-freebsd"
        return literal(f"{machine}-{system}") + hole(Hole("…", "the version of the machine's system"))

    def _tag(self, unknown: Traced) -> Traced:
        if self.windows:
            return literal("win-arm64" if "arm64" in self.platform else "win-amd64")
        if self.system == "Darwin":
            return literal("macosx-") + unknown + literal(f"-{self.machine}")
        if self.system == "FreeBSD":
            return literal("freebsd-") + unknown + literal(f"-{self.machine}")
        return literal(f"{self.system.lower()}-{self.machine}")

    def line(self, offset: int) -> int:
        return self.parsed.source.position(offset)[0]

    # -- what a dialect of build scripts knows besides (`spack`): None where it knows nothing

    def foreign(self, function: Named, given: "Arguments") -> Value | None:
        """What a call of something that is not read comes to."""
        return None

    def part(self, value: Value, name: str, span: Span) -> Value | None:
        """An attribute of a value that is not known."""
        return None

    def called_on(self, receiver: Value, name: str, given: "Arguments") -> Value | None:
        """What a method of a value comes to."""
        return None

    def store_on(self, holder: Value, name: str, value: Value) -> bool:
        """Whether an attribute of the value is set."""
        return False

    def begin(self) -> None:
        """What there is before the script."""

    def enter(self) -> None:
        """Calls what the dialect calls behind the script."""

    def settle(self) -> None:
        """Works out what is known in the end alone."""

    def compares(self, operator: ast.cmpop, left: Value, right: Value, text: str) -> bool | None:
        """The outcome of a comparison."""
        return None

    def above(self, name: str, given: "Arguments") -> Value | None:
        """What a method of a class that is not read gives, where one of the file goes on to it."""
        return None


def named(value: Value, endings: Sequence[str]) -> bool:
    """Whether the value is one of these things of other modules, by the last part of its name."""
    return isinstance(value, Named) and value.name.rpartition(".")[2] in endings
