"""The stages of a Dockerfile: which instructions belong to which, what each begins with, and which ones an image needs.

Follows "FROM", "COPY --from" and "RUN --mount" in https://docs.docker.com/reference/dockerfile/ and
https://docs.docker.com/build/building/multi-stage/. Nothing is evaluated here.
"""

from collections.abc import Iterator, Sequence

from flagguard.hosts.dockerfile_lines import Instruction, items
from flagguard.patterns import expression
from flagguard.text import Problem, SourceText, Traced
from flagguard.values import dataclass, field

_NAME = expression(r"[a-z][a-z0-9-_.]*")


@dataclass
class Stage:
    """One FROM and what follows it."""

    number: int
    opening: Instruction
    base: Traced
    """What follows FROM: an image or a stage, its variables not replaced."""
    name: str = ""
    instructions: list[tuple[int, Instruction]] = field(default_factory=list)
    """With their numbers in the file."""

    @property
    def named(self) -> str:
        """What `docker build --target` calls it."""
        return self.name or str(self.number)


@dataclass(frozen=True)
class Structure:
    """A file as stages."""

    args: tuple[Instruction, ...]
    """The ARG instructions before the first FROM."""
    stages: tuple[Stage, ...]
    problems: tuple[Problem, ...]

    def find(self, name: str, before: int | None = None) -> Stage | None:
        """The stage of that name or number; ``before``: only those above the stage of this number."""
        among = self.stages if before is None else self.stages[:before]
        wanted = name.lower()
        named = next((stage for stage in reversed(among) if stage.name and stage.name == wanted), None)
        if named is None and name.isdecimal() and int(name) < len(among):
            return among[int(name)]
        return named


def structure(source: SourceText, instructions: Sequence[Instruction]) -> Structure:
    """The instructions of a file by stage; what stands before the first FROM and is no ARG is a problem."""
    args: list[Instruction] = []
    stages: list[Stage] = []
    problems: list[Problem] = []

    def problem(instruction: Instruction, message: str) -> None:
        problems.append(Problem(source.path, source.position(instruction.key.start)[0], message))

    for number, instruction in enumerate(instructions):
        if instruction.keyword == "FROM":
            stage = _opened(len(stages), instruction)
            if isinstance(stage, str):
                problem(instruction, stage)
                stage = Stage(len(stages), instruction, Traced())
            stages.append(stage)
        elif stages:
            stages[-1].instructions.append((number, instruction))
        elif instruction.keyword == "ARG":
            args.append(instruction)
        elif any(later.keyword == "FROM" for later in instructions[number:]):
            problem(instruction, f"{instruction.keyword} stands before the first FROM, so it belongs to no stage")
        else:
            problem(instruction, "there is no FROM, so nothing is built; what follows is judged as if there were one")
            stages.append(Stage(0, instruction, Traced(), instructions=[(number, instruction)]))
    return Structure(tuple(args), tuple(stages), tuple(problems))


def _opened(number: int, instruction: Instruction) -> Stage | str:
    parts = items(instruction.rest)
    if len(parts) == 3 and parts[1].text.lower() == "as":
        name = parts[2].text.lower()
        if not _NAME.fullmatch(name):
            return f"{parts[2].text} cannot be the name of a stage"
        return Stage(number, instruction, parts[0], name)
    if len(parts) != 1:
        return "FROM takes an image, or an image, AS and a name"
    return Stage(number, instruction, parts[0])


def flag(instruction: Instruction, name: str) -> Traced | None:
    """The value of `--name=value`."""
    start = f"--{name}="
    found = next((f for f in reversed(instruction.flags) if f.text.startswith(start)), None)
    return found.cut(len(start), len(found.text)) if found is not None else None


def mounts(instruction: Instruction) -> Iterator[dict[str, Traced]]:
    """The keys and values of each `--mount` of a RUN."""
    for one in instruction.flags:
        if not one.text.startswith("--mount="):
            continue
        at, found = len("--mount="), {}
        for part in one.text[at:].split(","):
            key, equals, value = part.partition("=")
            begin = at + len(key) + len(equals)
            found[key.strip().lower()] = one.cut(begin, begin + len(value))
            at += len(part) + 1
        yield found


def sources(instruction: Instruction) -> Iterator[Traced]:
    """The stages, or images, that an instruction takes files from."""
    if instruction.inner is not None:
        yield from sources(instruction.inner)
    if instruction.keyword == "COPY":
        named = flag(instruction, "from")
        if named is not None:
            yield named
    if instruction.keyword == "RUN":
        yield from (mount["from"] for mount in mounts(instruction) if "from" in mount)


def needed(whole: Structure, bases: dict[int, str], target: Stage) -> frozenset[int]:
    """The stages that an image needs. ``bases``: what each stage begins with, as far as that is known."""
    waiting, found = [target.number], set[int]()
    while waiting:
        number = waiting.pop()
        if number in found:
            continue
        found.add(number)
        stage = whole.stages[number]
        names = [bases.get(number, "")]
        names += [name.text for _, instruction in stage.instructions for name in sources(instruction)]
        others = (whole.find(name, number) for name in names if name)
        waiting += [other.number for other in others if other is not None]
    return frozenset(found)
