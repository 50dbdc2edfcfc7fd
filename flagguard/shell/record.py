"""The commands that an evaluation comes across, each once, with the worlds and platforms in which it runs."""

from collections.abc import Mapping

from flagguard.command import Command, Place, Status, Word
from flagguard.text import Hole, Span, Traced
from flagguard.values import dataclass, field


@dataclass
class Record:
    """One command as it grows: every world that runs it is noted."""

    argv: tuple[Word, ...]
    wrappers: tuple[tuple[Word, ...], ...]
    env: Mapping[str, Traced]
    span: Span
    extent: Span
    via: tuple[Span, ...]
    vanished: tuple[tuple[int, Hole], ...]
    when: tuple[str, ...]
    opt_in: bool
    reading: tuple[str, tuple[tuple[int, int], ...]]
    ignored: bool = False
    platforms: set[str] = field(default_factory=set)
    directory: str | None = ""

    def equals(self, other: "Record") -> bool:
        """Whether nothing but the platforms differs."""
        facts = ("span", "via", "when", "opt_in", "ignored", "directory", "wrappers", "argv", "env")
        return all(getattr(self, fact) == getattr(other, fact) for fact in facts)

    def command(self, place: Place, when: tuple[str, ...], opt_in: bool) -> Command:
        whole = (*when, *(w for w in self.when if w not in when))
        return Command(
            argv=self.argv,
            place=place,
            span=self.span,
            extent=self.extent,
            wrappers=self.wrappers,
            env=self.env,
            via=self.via,
            platforms=tuple(sorted(self.platforms)),
            when=whole,
            opt_in=opt_in or self.opt_in,
            status=Status.IGNORED if self.ignored else Status.HONOURED,
            vanished=self.vanished,
            directory=self.directory,
            reading=self.reading,
        )


class Recorder:
    """Collects records on one platform. ``journal`` has one entry each time a command is met."""

    def __init__(self) -> None:
        self.records: dict[object, Record] = {}
        self.journal: list[Record] = []

    def note(self, record: Record, platform: str) -> Record:
        key = (
            record.span,
            record.via,
            tuple((w.pieces, w.written) for w in record.argv),
            tuple(tuple(w.pieces for w in wrapper) for wrapper in record.wrappers),
            tuple(sorted((n, v.pieces) for n, v in record.env.items())) if record.env else (),
            record.directory,
        )
        known = self.records.get(key)
        if known is None:
            known = self.records[key] = record
        else:
            known.ignored = known.ignored or record.ignored
            if known.opt_in and not record.opt_in:
                known.when, known.opt_in = record.when, False
            elif known.opt_in == record.opt_in:
                known.when = tuple(w for w in known.when if w in record.when)
        known.platforms.add(platform)
        self.journal.append(known)
        return known
