"""What a Dockerfile runs: its instructions in order, stage by stage, for each platform that it is built for.

Follows https://docs.docker.com/reference/dockerfile/; where that is silent, buildkit's dockerfile2llb. Decided here:

- RUN runs while the image is built; CMD, ENTRYPOINT and HEALTHCHECK when a container starts. All are listed, each with
  its instruction as its step. Of CMD and ENTRYPOINT the last of a stage counts, and both together are one command.
- ONBUILD runs in the stages of the same file that begin with this one; where there is none, in somebody else's, and is
  listed here.
- Every stage is judged, also one that the last stage does not need: `docker build --target` builds it. A call from the
  tree reaches the stages that its target needs, and no others.
- A later ARG or ENV of the same name wins, as in buildkit.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from flagguard.command import Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts import dockerfile_platforms as platforms_
from flagguard.hosts.dockerfile_image import Image
from flagguard.hosts.dockerfile_lines import (
    Instruction,
    LineError,
    heredoc,
    items,
    json_words,
    pairs,
    read_lines,
    words,
)
from flagguard.hosts.dockerfile_runs import Called, Runs, form
from flagguard.hosts.dockerfile_stages import Stage, Structure, flag, needed, structure
from flagguard.hosts.dockerfile_words import WordError, expand
from flagguard.text import SourceText, Traced, literal
from flagguard.values import replace

_MOST_BUILDERS = 4


def evaluate(source: SourceText, setting: Setting, called: Called | None = None) -> Reading:
    """The scripts of a Dockerfile: all of it as it stands, or what one call builds."""
    lines = read_lines(source)
    whole = structure(source, lines.instructions)
    platforms = _platforms(source, whole, setting, called, lines.escape)
    found: dict[int, dict[Script, list[tuple[str, str]]]] = {}
    problems = [*lines.problems, *whole.problems]
    for platform in platforms:
        for builder in _builders(source, platform, platforms, called):
            build = _Build(source, setting, whole, lines.escape, platform, builder, called)
            for number, script in build.scripts():
                found.setdefault(number, {}).setdefault(script, []).append((platform, builder))
            problems += build.problems
    scripts = [script for number in sorted(found) for script in _merged(found[number])]
    return Reading(tuple(scripts), problems=tuple(sorted(dict.fromkeys(problems))))


def _platforms(
    source: SourceText, whole: Structure, setting: Setting, called: Called | None, escape: str
) -> tuple[str, ...]:
    bases = " ".join(stage.base.text.lower() for stage in whole.stages)
    opened = " ".join(f.text.lower() for stage in whole.stages for f in stage.opening.flags)
    if escape == "`" or "windows" in opened or any(n in bases for n in ("/windows", "nanoserver", "servercore")):
        return tuple(p for p in setting.platforms if p.startswith("windows-")) or ("windows-x86_64",)
    return setting.platforms if called is not None else platforms_.linux(setting.platforms)


def _builders(source: SourceText, platform: str, platforms: Sequence[str], called: Called | None) -> Sequence[str]:
    """The platforms that the build machine may have; one is enough where nothing asks for it."""
    if "BUILD" not in source.text or platform.startswith("windows"):
        return (platform,)
    if called is not None and called.builders:
        return called.builders[:_MOST_BUILDERS]
    return tuple(dict.fromkeys((platform, "linux-x86_64", *platforms)))[:_MOST_BUILDERS]


def _merged(variants: Mapping[Script, Sequence[tuple[str, str]]]) -> Iterator[Script]:
    """One script for all the platforms on which it is the same."""
    ways: dict[str, set[Script]] = {}
    for script, pairs_ in variants.items():
        for platform, _ in pairs_:
            ways.setdefault(platform, set()).add(replace(script, machine=None))
    for script, pairs_ in variants.items():
        for_ = frozenset(platform for platform, _ in pairs_) if script.platforms is None else script.platforms
        when = script.when
        if any(len(ways[platform]) > 1 for platform, _ in pairs_):
            builders = sorted({platforms_.specifier(builder) for _, builder in pairs_})
            when = (*when, f"BUILDPLATFORM={' or '.join(builders)}")
        yield replace(script, platforms=for_, when=when)


class _Build(Runs):
    """One build: its instructions in order."""

    def scripts(self) -> list[tuple[int, Script]]:
        """The scripts, each with the number of its instruction."""
        for prefix, platform in (("TARGET", self.platform), ("BUILD", self.builder)):
            values = platforms_.arguments(prefix, platform)
            self.globals.update({name: self.called.args.get(name, literal(v)) for name, v in values.items()})
        for instruction in self.whole.args:
            self._guarded(instruction, lambda i=instruction: self._global(i))  # type: ignore[misc]
        bases = {stage.number: self._base(stage) for stage in self.whole.stages}
        wanted = self._wanted(bases)
        found: list[tuple[int, Script]] = []
        for stage in self.whole.stages:
            image = self.images[stage.number] = self._opened(stage, bases[stage.number])
            outcome = list(self._stage(stage, image, bases))
            if stage.number in wanted:
                found += outcome
        return found

    def _wanted(self, bases: dict[int, str]) -> frozenset[int]:
        """The stages that the build needs."""
        every = frozenset(stage.number for stage in self.whole.stages)
        if self.alone or not self.whole.stages:
            return every
        last = self.whole.stages[-1]
        target = self.whole.find(self.called.target) if self.called.target else last
        return needed(self.whole, bases, target) if target is not None else every

    def _guarded(self, instruction: Instruction, step: Callable[[], Iterable[Script] | None]) -> list[Script]:
        """What a step comes to; what the builder would refuse becomes a problem."""
        try:
            return list(step() or ())
        except (LineError, WordError) as error:
            self.problem(instruction, f"{instruction.keyword}: {error}")
            return []

    # -- arguments ----------------------------------------------------------------------------------------------------

    def _global(self, instruction: Instruction) -> None:
        """ARG before the first FROM."""
        for word in words(instruction.rest, self.escape):
            name, equals, _ = word.text.partition("=")
            given = self.called.args.get(name)
            if equals:
                own = expand(word.cut(len(name) + 1, len(word.text)), self.globals.get, self.escape)
                self._choose(self.chosen, name, given, own)
                given = own.overridable() if given is None else given
            if given is not None:
                self.globals[name] = given

    def _arg(self, instruction: Instruction, image: Image) -> None:
        """ARG in a stage."""
        parts = words(instruction.rest, self.escape)
        if not parts:
            raise LineError("it needs a name")
        for word in parts:
            name, equals, _ = word.text.partition("=")
            value = self.called.args.get(name)
            if equals:
                own = expand(word.cut(len(name) + 1, len(word.text)), image.lookup, self.escape)
                self._choose(image.chosen, name, value, own)
                value = own.overridable() if value is None else value
            elif value is None:
                value = self.globals.get(name)
            if name in self.chosen and not equals:
                image.chosen[name] = self.chosen[name]
            if value is not None:
                image.env.pop(name, None)
                image.env[name] = value.through(word.route) if not equals else value

    def _choose(self, chosen: dict[str, str], name: str, given: Traced | None, own: Traced) -> None:
        if given is not None and given.shown != own.shown:
            chosen[name] = given.shown

    # -- stages -------------------------------------------------------------------------------------------------------

    def _base(self, stage: Stage) -> str:
        try:
            found = expand(stage.base, self.globals.get, self.escape)
        except WordError as error:
            self.problem(stage.opening, f"FROM: {error}")
            return ""
        if not found.text and stage.base.text:
            self.problem(stage.opening, f"FROM: {stage.base.text} is empty: nothing gives it a value", fatal=False)
        return found.text if found.known else ""

    def _opened(self, stage: Stage, base: str) -> Image:
        parent = self.whole.find(base, stage.number) if base else None
        if parent is not None:
            return self.images[parent.number].child()
        image = Image(empty=base == "scratch", windows=self.platform.startswith("windows"))
        if image.empty:
            image.folder = "/"
        if image.windows:
            image.folder = None
        return image

    def _stage(self, stage: Stage, image: Image, bases: dict[int, str]) -> Iterator[tuple[int, Script]]:
        self._on_platform(stage, image)
        parent = self.whole.find(bases[stage.number], stage.number) if bases[stage.number] else None
        for number, trigger in self._triggers(parent) if parent is not None else ():
            yield from self._instruction(number, trigger, stage, image)
        health: tuple[int, Instruction] | None = None
        start: tuple[int, Instruction] | None = None
        own_command = False
        for number, instruction in stage.instructions:
            if instruction.keyword == "HEALTHCHECK":
                health = (number, instruction)
            if instruction.keyword in ("CMD", "ENTRYPOINT"):
                start = (number, instruction)
                own_command = own_command or instruction.keyword == "CMD"
                if instruction.keyword == "ENTRYPOINT" and not own_command:
                    image.command = None
            yield from self._instruction(number, instruction, stage, image)
        if start is not None:
            yield from ((start[0], s) for s in self._guarded(start[1], lambda: self.start(stage, image)))
        if health is not None:
            at, check = health
            yield from ((at, s) for s in self._guarded(check, lambda: self.health(check, stage, image)))
        if not any(self._derives(other, stage, bases) for other in self.whole.stages):
            for number, trigger in self._triggers(stage):
                for at, script in self._instruction(number, trigger, stage, image.child()):
                    yield at, replace(script, place=replace(script.place, step=f"ONBUILD {script.place.step}"))

    def _on_platform(self, stage: Stage, image: Image) -> None:
        """FROM --platform."""
        written = flag(stage.opening, "platform")
        if written is None:
            return
        try:
            found = expand(written, self.globals.get, self.escape)
        except WordError as error:
            self.problem(stage.opening, f"FROM: {error}")
            return
        platform = platforms_.parse(found.text) if found.known else None
        image.platform = image.platform if platform is None else platform
        image.crosses = "BUILD" in written.text

    def _derives(self, other: Stage, stage: Stage, bases: dict[int, str]) -> bool:
        base = bases[other.number]
        return bool(base) and other.number > stage.number and self.whole.find(base, other.number) is stage

    def _triggers(self, stage: Stage) -> Iterator[tuple[int, Instruction]]:
        for number, instruction in stage.instructions:
            if instruction.inner is not None:
                yield number, instruction.inner

    # -- instructions -------------------------------------------------------------------------------------------------

    def _instruction(
        self, number: int, instruction: Instruction, stage: Stage, image: Image
    ) -> Iterator[tuple[int, Script]]:
        for script in self._guarded(instruction, lambda: self._effect(instruction, stage, image)):
            yield number, script

    def _effect(self, instruction: Instruction, stage: Stage, image: Image) -> Iterator[Script] | None:
        rest = instruction.rest
        match instruction.keyword:
            case "ARG":
                self._arg(instruction, image)
            case "ENV":
                before = [
                    (expand(name, image.lookup, self.escape).text, expand(value, image.lookup, self.escape))
                    for name, value in pairs(rest, self.escape)
                ]
                for name, value in before:
                    image.env.pop(name, None)
                    image.env[name] = image.kept[name] = value
            case "WORKDIR":
                image.folder = image.path(expand(rest, image.lookup, self.escape))
            case "COPY" | "ADD":
                self._copy(instruction, stage, image)
            case "SHELL":
                shell = json_words(rest)
                if not shell:
                    raise LineError('the shell is a list of strings: ["/bin/bash", "-c"]')
                image.shell = tuple(shell)
            case "CMD":
                image.command = form(rest)
            case "ENTRYPOINT":
                image.entrypoint = form(rest)
            case "RUN":
                return self.run(instruction, stage, image)
        return None

    def _copy(self, instruction: Instruction, stage: Stage, image: Image) -> None:
        listed = json_words(instruction.rest)
        parts = [Traced(w.pieces) for w in listed] if listed is not None else items(instruction.rest)
        if len(parts) < 2:
            raise LineError("it needs what to copy, and where to")
        docs = {doc.name: doc for doc in instruction.heredocs}
        target = expand(parts[-1], image.lookup, self.escape)
        plain = []
        for part in parts[:-1]:
            said = heredoc(part) if docs else None
            doc = docs.get(said.name) if said is not None else None
            if doc is None:
                plain.append(expand(part, image.lookup, self.escape))
                continue
            text = doc.content
            image.write(doc.name, target, expand(text, image.lookup, quotes=False) if doc.expands else text)
        taken = flag(instruction, "from")
        if taken is None:
            image.copy(plain, target, self.contexts, self.setting.files)
            return
        other = self.whole.find(expand(taken, image.lookup, self.escape).text, stage.number)
        if other is not None:
            image.copy_from(self.images[other.number], plain, target)
