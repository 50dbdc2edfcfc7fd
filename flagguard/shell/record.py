"""The commands that an evaluation comes across, each once, with the worlds and platforms in which it runs."""

from collections.abc import Mapping

from flagguard.command import Command, Place, Status, Word
from flagguard.shell.merging import shared
from flagguard.text import Hole, Piece, Span, Traced
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
        whole = (*when, *[w for w in self.when if w not in when]) if when else self.when
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
    """Collects records on one platform. ``journal`` has one entry each time a command is met.

    ``texts``: texts in languages that are not read, each as the one word of a record with the language as its wrapper.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.journal: list[Record] = []
        self._alike: dict[object, list[Record]] = {}
        self.texts: dict[object, Record] = {}

    def note(self, record: Record, platform: str) -> Record:
        # the texts alone tell most commands apart; to hash whole words, with all they know, costs more than the rest
        key = (record.span, record.via, record.directory, *[w.text for w in record.argv])
        alike = self._alike.get(key)
        if alike is None:
            alike = self._alike[key] = []
        known = next((other for other in alike if _same(record, other)), None)
        if known is None:
            known = record
            alike.append(record)
            self.records.append(record)
        else:
            known.ignored = known.ignored or record.ignored
            if known.opt_in and not record.opt_in:
                known.when, known.opt_in = record.when, False
            elif known.opt_in == record.opt_in:
                known.when = shared(known.when, record.when)
        known.platforms.add(platform)
        self.journal.append(known)
        return known


def _same(one: Record, other: Record) -> bool:
    """Whether it is one command, reached in whatever worlds."""
    return (
        one.argv == other.argv
        and (one.env is other.env or _pieces_of(one.env) == _pieces_of(other.env))
        and (one.wrappers == other.wrappers or _unwritten(one.wrappers) == _unwritten(other.wrappers))
    )


def _unwritten(wrappers: tuple[tuple[Word, ...], ...]) -> list[list[tuple[Piece, ...]]]:
    return [[w.pieces for w in wrapper] for wrapper in wrappers]


def _pieces_of(env: Mapping[str, Traced]) -> dict[str, tuple[Piece, ...]]:
    return {name: value.pieces for name, value in env.items()}
