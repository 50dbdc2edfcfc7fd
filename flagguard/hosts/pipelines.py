"""What the readers of CI systems' files share: documents, problems, lists of lines, variables, where a script stands.

Knows no format: what a key means is the reader's business.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from re import Match, Pattern

from flagguard.command import PLATFORMS, Dialect, Place, Script, Variable
from flagguard.hosts import Setting
from flagguard.hosts.shells import SHELLS, options, program
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table, weight
from flagguard.patterns import expression
from flagguard.text import (
    EMPTY,
    Decider,
    Hole,
    Piece,
    Problem,
    Route,
    Shape,
    SourceText,
    Span,
    Traced,
    hole,
    join,
    too_long,
)
from flagguard.text import literal as said
from flagguard.values import dataclass, field, replace

MOST_VALUES = 200_000
"""Values that a file may hold, its aliases followed."""
MOST_SCRIPTS = 5_000
"""Scripts that one file may come to."""
MOST_LINES = 20_000
LONGEST = 200_000
"""Characters, and pieces, of a value that is followed."""
STDOUT = "/dev/stdout"
"""Among the files of a script: what it prints is to be known."""


class TooLarge(Exception):
    """The file comes to more than is read."""


class Notes:
    """The files that one reading looks at, and what is wrong in them; each thing is told once."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.problems: dict[Problem, None] = {}
        self._sources: dict[str, SourceText] = {}

    def source(self, path: str) -> SourceText | None:
        found = self._sources.get(path)
        if found is None:
            found = self.setting.files.read(path)
            if found is not None:
                self._sources[path] = found
        return found

    def keep(self, source: SourceText) -> None:
        self._sources[source.path] = source

    def tell(self, at: Span, message: str, key: str | None = None, fatal: bool = False) -> None:
        source = self.source(at.path)
        line = source.position(at.start)[0] if source is not None else 1
        told = f"{key}: {message}" if key else message
        self.problems[Problem(at.path, line, told, key=key, fatal=fatal)] = None

    def wrong(self, node: Node, wanted: str, key: str) -> None:
        """A value of the wrong kind."""
        self.tell(node.span, f"has to be {wanted}, and is {node.named}", key, fatal=True)

    def table(self, node: Node | None, key: str) -> Table | None:
        """``node``, where it is a table; anything else but nothing is a problem."""
        if node is None or isinstance(node, Table):
            return node
        if not _nothing(node):
            self.wrong(node, "a mapping", key)
        return None

    def items(self, node: Node | None, key: str) -> Sequence[Node]:
        """The items of a list; anything else but nothing is a problem."""
        if isinstance(node, Items):
            return node.items
        if node is not None and not _nothing(node):
            self.wrong(node, "a list", key)
        return ()

    def documents(self, source: SourceText, repeats: bool = False, lists: bool = False) -> Sequence[Node]:
        """The documents of a YAML file; none where it cannot be read. ``repeats``, ``lists``: as there."""
        from flagguard.hosts import yaml_text

        self.keep(source)
        parts, problems = yaml_text.documents(source, repeats, lists)
        self.problems.update(dict.fromkeys(problems))
        return [part.root for part in parts if self.fits(part.root)]

    def fits(self, root: Node) -> bool:
        """Whether a tree is small enough to be followed through its aliases."""
        try:
            if weight(root, MOST_VALUES) <= MOST_VALUES:
                return True
            told = f"its aliases come to more than {MOST_VALUES} values"
        except RecursionError:
            told = "nested too deeply"
        self.problems[Problem(root.span.path, 1, f"{told}; nothing of the file is judged")] = None
        return False

    def all(self) -> tuple[Problem, ...]:
        return tuple(sorted(self.problems))


def _nothing(node: Node) -> bool:
    return isinstance(node, Scalar) and node.kind is Kind.NULL


def guarded(notes: Notes, path: str, read: Callable[[], Iterable[Script]]) -> tuple[Script, ...]:
    """The scripts of a file; one that comes to too many, or is nested too deeply, is a problem."""
    found: list[Script] = []
    told = None
    try:
        for script in read():
            if len(found) >= MOST_SCRIPTS:
                told = f"it comes to more than {MOST_SCRIPTS} scripts; the rest is not judged"
                break
            found.append(script)
    except RecursionError:
        told = "nested too deeply to be read"
    except TooLarge as error:
        told = f"{error}; the rest of the file is not judged"
    if told is not None:
        notes.problems[Problem(path, 1, told)] = None
    return tuple(found)


# -- texts ------------------------------------------------------------------------------------------------------------


def text(node: Node | None) -> Traced:
    """What a scalar says, as it is written; nothing for anything else."""
    return node.text if isinstance(node, Scalar) and node.kind is not Kind.NULL else EMPTY


def is_true(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.value is True


def is_false(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.value is False


def never(node: Node | None) -> bool:
    """Whether a condition is `false` itself, as a value or as a text."""
    return is_false(node) or text(node).text.strip().lower() == "false"


def texts(node: Node | None) -> list[Traced]:
    """A text or a list of them, lists in lists included."""
    found: list[Traced] = []
    waiting = [node] if node is not None else []
    while waiting:
        one = waiting.pop()
        if isinstance(one, Items):
            waiting += reversed(one.items)
        elif isinstance(one, Table) and "<<" in one.by_name:
            waiting.append(one.by_name["<<"].value)
        elif text(one):
            found.append(text(one))
        if len(found) > MOST_LINES:
            raise TooLarge(f"a list comes to more than {MOST_LINES} lines")
    return found


def lines(parts: Iterable[Traced]) -> Traced:
    """One script of several lines."""
    out: list[Traced] = []
    for part in parts:
        if out and not out[-1].text.endswith("\n"):
            out.append(said("\n"))
        out.append(part)
    return join(out)


def fill(whole: Traced, pattern: "Pattern[str]", value: "Callable[[Match[str], Traced], Traced | None]") -> Traced:
    """``whole`` with each match replaced by its value, seen from where the match stands; None: it stays.

    ``value`` gets the match, and the text that matched.
    """
    raw = whole.text
    parts, at, size = [], 0, 0
    for found in pattern.finditer(raw):
        written = whole.cut(*found.span())
        put = value(found, written)
        if put is None:
            continue
        size += len(put.text)
        if size > LONGEST or too_long(put):
            return open_hole(whole.shown[:60], "the value is too long to follow")
        parts += [whole.cut(at, found.start()), put.through(written.route)]
        at = found.end()
    return join([*parts, whole.cut(at, len(raw))]) if at else whole


def unset(name: str) -> Traced:
    """A variable that nobody in the repository sets: nothing, but one knows of it."""
    return Traced((Piece("", unset=name),))


def outside(name: str, written: str, reason: str, shape: Shape = Shape.ANY, path: str | None = None) -> Traced:
    """A value that somebody outside of the repository gives."""
    return hole(Hole(written, reason, Decider.OUTSIDE, shape, name, path))


def open_hole(written: str, reason: str, name: str | None = None) -> Traced:
    """A value that the repository decides in a way that is not followed."""
    return hole(Hole(written, reason, Decider.REPOSITORY, name=name))


# -- variables --------------------------------------------------------------------------------------------------------

Values = Mapping[str, Traced]


def variables(node: Node | None, notes: Notes, key: str) -> dict[str, Traced]:
    """A table of variables: names and texts."""
    found: dict[str, Traced] = {}
    table = notes.table(node, key)
    for entry in table.entries if table is not None else ():
        if isinstance(entry.value, Scalar):
            found[entry.name] = text(entry.value)
        else:
            notes.wrong(entry.value, "a text", f"{key}.{entry.name}")
    return found


def environment(values: Values) -> tuple[Variable, ...]:
    return tuple(Variable(name, value) for name, value in values.items())


# -- shells -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shell:
    """Who reads a script."""

    dialect: Dialect
    errexit: bool = False
    pipefail: bool = False
    language: str = ""
    """What an unread one is called."""


def shell_of(words: Sequence[str]) -> Shell:
    """The shell that a command line starts; the last one that it names."""
    last = max((i for i, word in enumerate(words) if _named(word)), default=None)
    if last is None:
        return Shell(Dialect.UNREAD, language=" ".join(words))
    name = _named(words[last])
    if name == "cmd":
        return Shell(Dialect.CMD)
    errexit, pipefail = options(words[last + 1 :])
    unread = name if SHELLS[name] is Dialect.UNREAD else ""
    return Shell(SHELLS[name], errexit, pipefail, unread)


def _named(word: str) -> str:
    name = program(word).lower().removesuffix(".exe")
    return name if name in SHELLS or name == "cmd" else ""


# -- where a script stands --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """The facts of a place, for the scripts that stand there."""

    host: str
    job: str | None = None
    runner: str | None = None
    platforms: frozenset[str] | None = None
    values: Values = field(default_factory=dict)
    """The environment."""
    outside: tuple[str, ...] = ()
    shell: Shell = Shell(Dialect.SH)
    when: tuple[str, ...] = ()
    opt_in: bool = False
    ignored: bool = False
    via: Route = ()
    unit: str = ""
    order: tuple[int, ...] = ()
    needs: tuple[str, ...] = ()
    directory: str | None = ""

    def with_values(self, values: Values) -> "Frame":
        """With more variables; a later one of the same name wins."""
        return replace(self, values={**self.values, **values}) if values else self

    def assuming(self, *said: str) -> "Frame":
        return replace(self, when=(*self.when, *(one for one in said if one and one not in self.when)))

    def script(self, step: str | None, body: Traced, shell: Shell | None = None) -> Script:
        shell = shell or self.shell
        return Script(
            Place(self.host, job=self.job, step=step, runner=self.runner),
            shell.dialect,
            body,
            env=environment(self.values),
            platforms=self.platforms,
            when=self.when,
            opt_in=self.opt_in,
            errexit=shell.errexit,
            pipefail=shell.pipefail,
            ignored=self.ignored,
            via=self.via,
            directory=self.directory,
            outside=self.outside,
            unit=self.unit,
            order=self.order,
            needs=self.needs,
            language=shell.language,
        )


def unread(notes: Notes, script: Script, key: str) -> Script:
    """The script; that its language is not read is told."""
    if script.dialect is Dialect.UNREAD and script.text.route:
        told = f"{script.language or 'its shell'} is not read, so its commands are not judged"
        notes.tell(script.text.route[0], told, key)
    return script


def of_systems(setting: Setting, *systems: str) -> frozenset[str]:
    """The platforms to read for that have one of the systems; of Linux there is always one."""
    found = {p for p in setting.platforms if p.partition("-")[0] in systems}
    return frozenset(found or {"linux-x86_64"} if "linux" in systems else found or {f"{systems[0]}-x86_64"})


_SYSTEM = expression(r"(?i)(windows|win(?=[-_\d.]|$))|(mac|osx|darwin)|(linux|ubuntu|debian|docker|fedora|centos|alma)")
_ARCH = expression(
    r"(?i)(?:^|[^a-z0-9])(arm64|aarch64|armv8|m1|m2|m4)(?:$|[^a-z0-9])|(amd64|x86[-_]64|x64)|(ppc64le)|(s390x)"
)


def speaking(labels: Iterable[str], setting: Setting, usual: str | None = None) -> frozenset[str] | None:
    """The platforms that a runner may have, by what its labels say; None: any. ``usual``: where they say no system.

    What the configuration says of the repository's own runners counts first.
    """
    labels = tuple(labels)
    own = own_runner(labels, setting.runners)
    if own is not None:
        return frozenset({own})
    said = " ".join(labels)
    found = _SYSTEM.search(said)
    system = ("windows", "macos", "linux")[(found.lastindex or 1) - 1] if found is not None else usual
    arch = _ARCH.search(said)
    if system is None:
        return None
    if arch is None:
        return of_systems(setting, system)
    name = ("arm64", "x86_64", "ppc64le", "s390x")[(arch.lastindex or 1) - 1]
    name = "aarch64" if name == "arm64" and system == "linux" else name
    return frozenset({f"{system}-{name}"}) if f"{system}-{name}" in PLATFORMS else of_systems(setting, system)


def own_runner(labels: Iterable[str], runners: Mapping[str, str]) -> str | None:
    """The platform that `[runners]` gives to one of the labels."""
    from flagguard import globs

    for label in labels:
        for named, platform in runners.items():
            if named.lower() == label.lower() or globs.matches(named.lower(), label.lower()):
                return platform
    return None


def reached(name: str, needs: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The jobs that a job waits for, directly or through others."""
    found: set[str] = set()
    waiting = list(needs.get(name, ()))
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting += needs.get(other, ())
    return tuple(sorted(found - {name}))


def ordered(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Each job after those that it needs; what needs itself comes in the order of the file."""
    done: dict[str, None] = {}
    waiting = list(needs)
    while waiting:
        ready = [n for n in waiting if all(o in done or o not in needs for o in needs[n])] or waiting[:1]
        done.update(dict.fromkeys(ready))
        waiting = [n for n in waiting if n not in done]
    return list(done)


# -- what scripts write for others ------------------------------------------------------------------------------------


def written(script: Script, setting: Setting, *files: str) -> Mapping[str, tuple[Traced, ...]] | None:
    """The texts that a script leaves in files that it has not made, each of which was empty before.

    None: nobody knows.
    """
    from flagguard.shell import evaluate  # few scripts write for others

    if script.dialect not in (Dialect.BASH, Dialect.SH):
        return None
    return evaluate(replace(script, files=(*script.files, *((name, EMPTY) for name in files))), setting).written


def values_of(node: Node | None) -> list[Traced]:
    """The values of one axis of a matrix: an empty one is a row too."""
    if not isinstance(node, Items):
        return texts(node)
    return [one for item in node.items for one in (texts(item) if isinstance(item, Items | Table) else [text(item)])]


def rows_of(pairs: Sequence[tuple[str, Sequence[Traced]]], most: int) -> Iterator[dict[str, Traced]] | None:
    """Every combination of the values; None where there are too many."""
    from itertools import product

    size = 1
    for _, values in pairs:
        size *= max(len(values), 1)
    if size > most:
        return None
    names = [name for name, _ in pairs]
    return (dict(zip(names, row, strict=True)) for row in product(*(values or (EMPTY,) for _, values in pairs)))


_PAIR = expression(r"([A-Za-z_]\w*)=")


def pairs(text: Traced) -> list[tuple[str, Traced]]:
    """The lines `NAME=VALUE` of a file that a CI system reads."""
    out, at = [], 0
    for line in text.text.split("\n"):
        found = _PAIR.match(line)
        if found is not None:
            out.append((found[1], text.cut(at + found.end(), at + len(line))))
        at += len(line) + 1
    return out


def assignments(node: Node | None, notes: Notes, key: str) -> dict[str, Traced]:
    """Variables as a table, or as a list of tables and of `NAME=VALUE`."""
    if not isinstance(node, Items):
        return variables(node, notes, key)
    found: dict[str, Traced] = {}
    for item in node.items:
        if isinstance(item, Table):
            found.update(variables(item, notes, key))
        for one in texts(item):
            name, equals, _ = one.text.partition("=")
            if equals:
                found[name.strip()] = one.cut(len(name) + 1, len(one))
    return found
