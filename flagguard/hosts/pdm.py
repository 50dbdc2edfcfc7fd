"""PDM: `[tool.pdm.scripts]` of `pyproject.toml`, and `pdm run NAME` that runs it.

Follows https://pdm-project.org/latest/usage/scripts/ ("User Scripts", "Script Options", "Arguments placeholder",
"Hooks"), as of 2.29. A `cmd` is no shell: Python's shlex cuts it, and only `${NAME}` is expanded. A `shell`
is a text for the system's shell. What a `composite` runs gets its options. Python (`call`) holds no commands.
"""

from collections.abc import Mapping, Sequence

from flagguard.command import Command, Reading, Script, Word
from flagguard.hosts import Entered, Setting
from flagguard.hosts.task_tables import (
    ToolTasks,
    above,
    behind,
    called_key,
    filled,
    front,
    inner,
    is_string,
    is_true,
    pieces,
    plain,
    shell_words,
    texts,
    toml,
    unknown,
)
from flagguard.hosts.tox_words import quoted
from flagguard.hosts.tree import Items, Node, Table, text_of
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Shape, SourceText, Span, Traced, hole, join, literal
from flagguard.values import dataclass, replace

NAME = "pdm"
_KEY = "tool.pdm.scripts"
_TYPES = ("cmd", "shell", "call", "composite")
_PLACES = expression(r"\{(?:args|pdm|run_cwd)(?::[^}]*)?\}")
_VARIABLE = expression(r"\$\{.+?\}")
_IN_ENV = expression(r"\$\{[^}:]*(?::-[^}]*)?\}")
_VALUED = ("-c", "--config", "-p", "--project", "--venv", "-k", "--skip")
_STOPS = ("-h", "--help", "-V", "--version", "-l", "--list", "-j", "--json")


def read(source: SourceText, setting: Setting) -> Reading:
    reader = _Reader(source, setting)
    handed = reader.handed()
    for name in reader.tasks:
        if name not in handed and name != "_":
            reader.run(name, _Run(around=False))
    return reader.reading()


def starts(words: Sequence[Word], directory: str | None, setting: Setting) -> bool:
    """Whether `pdm run` starts a script of the project, and no program."""
    return _meant(words[1:], directory, setting) is not None


def enter(command: Command, setting: Setting) -> Entered | None:
    """``pdm run NAME …``: the script with its hooks."""
    found = _meant(command.argv[1:], command.directory, setting)
    if found is None:
        return None
    source, name, words, skipped = found
    env, given = dict(command.env), plain(words[1:] if words and words[0].text == "--" else words)

    def reading(setting: Setting) -> Reading:
        reader = _Reader(source, setting, env)
        reader.run(name, _Run(given, skipped=skipped))
        return reader.reading()

    return Entered(source.path, called_key(env, NAME, source.path, name, pieces(given), skipped), reading)


def _meant(
    words: Sequence[Word], directory: str | None, setting: Setting
) -> tuple[SourceText, str, tuple[Word, ...], tuple[str, ...]] | None:
    """The project, the script, its words, and the names that are left out."""
    if directory is None:
        return None
    first = front(words, _VALUED, _STOPS)
    if first is None or not first[1]:
        return None
    said, rest = first
    if rest[0].text == "run":
        again = front(rest[1:], _VALUED, _STOPS)
        if again is None or not again[1]:
            return None
        said, rest = [*said, *again[0]], again[1]
    given = dict(said)
    project = given.get("-p", given.get("--project"))
    if project is not None:
        found = inside(directory, project.text) if project.known else None
        if found is None:
            return None
        directory = found
    source = above(directory, ("pyproject.toml",), setting, lambda s: True)
    if source is None or NAME not in source.text or not rest[0].known:
        return None
    name = rest[0].text
    if inner(toml(source).root, "tool", "pdm", "scripts", name) is None:
        return None  # a program, or a command of pdm's own
    skip = given.get("-k", given.get("--skip", EMPTY)).text
    return source, name, rest[1:], tuple(one for one in skip.split(",") if one)


@dataclass(frozen=True)
class _Run:
    """How a script is run."""

    words: tuple[Traced, ...] = ()
    options: tuple[Table, ...] = ()
    """Of those that it is a part of, the innermost first: they win."""
    via: tuple[Span, ...] = ()
    skipped: tuple[str, ...] = ()
    around: bool = True
    ignored: bool = False


class _Reader(ToolTasks):
    def __init__(self, source: SourceText, setting: Setting, env: Mapping[str, Traced] | None = None) -> None:
        super().__init__(NAME, source, setting, env)
        self.tasks = dict(self.entries(inner(self.root, "scripts"), _KEY))
        common = self.tasks.get("_")
        self.common = common if isinstance(common, Table) else None

    def handed(self) -> set[str]:
        """The scripts that are parts of others, which are read where those run them."""
        runs = {
            name: {text.text.partition(" ")[0] for text in texts(node.get("composite"))} & self.tasks.keys()
            for name, node in self.tasks.items()
            if isinstance(node, Table)
        }
        parts = set[str]().union(*runs.values()) if runs else set()
        reached: set[str] = set()
        waiting = [name for name in self.tasks if name not in parts]
        while waiting:
            for part in runs.get(waiting.pop(), ()):
                if part not in reached:
                    reached.add(part)
                    waiting.append(part)
        return reached

    def run(self, name: str, how: _Run) -> None:
        node = self.tasks.get(name)
        if node is None or name in how.skipped or not self.entering(name):
            return
        if how.around and f"pre_{name}" in self.tasks and not {":all", ":pre", f"pre_{name}"} & set(how.skipped):
            self._one(f"pre_{name}", replace(how, words=()))
        self._one(name, how)
        if how.around and f"post_{name}" in self.tasks and not {":all", ":post", f"post_{name}"} & set(how.skipped):
            self._one(f"post_{name}", replace(how, words=()))
        self.left()

    def _one(self, name: str, how: _Run) -> None:
        node, key = self.tasks[name], f"{_KEY}.{name}"
        table = node if isinstance(node, Table) else Table(node.span)
        kind = next((kind for kind in _TYPES if table.get(kind) is not None), None)
        content = node if table is not node else table.get(kind or "")
        if content is None:
            self.tell(node, f"a script has one of {', '.join(_TYPES)}", key)
            return
        kind = kind or "cmd"
        key = f"{key}.{kind}" if table is node else key
        if kind == "call":
            return
        if kind == "composite":
            self._composite(content, table, key, how)
            return
        script = self._script(name, table, key, how)
        if kind == "shell":
            if not is_string(content):
                self.wrong(content, "a string", key)
                return
            text, took = _interpolated(text_of(content), how.words)
            self.add_text(script, text if took else behind(text, how.words))
            return
        words = self._words(content, key, how.words)
        values = {v.name: v.value for v in script.env}
        self.add_words(script, [Word(self._expanded(w, values).pieces, w.written) for w in words])

    def _words(self, content: Node, key: str, given: tuple[Traced, ...]) -> list[Word]:
        """The words of a `cmd`: a text that is cut, or a list."""
        if not is_string(content) and not isinstance(content, Items):
            self.wrong(content, "a string or a list", key)
            return []
        words: list[Word] = []
        taken = False
        for text in texts(content):
            filled_in, took = _interpolated(text, given)
            taken = taken or took
            if isinstance(content, Items) and filled_in is text:
                words.append(Word(text.pieces, text.route[-1] if text.route else None))
                continue
            try:
                words += shell_words(filled_in)
            except ValueError as error:
                self.tell(text, f"pdm cannot cut this into words: {error}", key)
        if not taken and words:
            words += [Word(w.pieces) for w in given]
        return words

    def _expanded(self, word: Word, values: Mapping[str, Traced]) -> Traced:
        """The word with `${NAME}` replaced; what nobody sets is nothing."""

        def value(written: Traced) -> Traced:
            name = written.text[2:-1]
            if name in values:
                return values[name].through(written.route)
            if name in self.setting.assume:
                return literal(self.setting.assume[name]).grounded(written.route)
            return unknown(written, "the caller's environment says it, or nobody", name)

        return filled(word, _VARIABLE, value)

    def _composite(self, content: Node, table: Table, key: str, how: _Run) -> None:
        if not isinstance(content, Items):
            self.wrong(content, "a list", key)
            return
        entries = [(text, *_interpolated(text, how.words)) for text in texts(content)]
        taken = any(took for _, _, took in entries)
        goes_on = is_true(table.get("keep_going"))
        inside_of = replace(how, options=(table, *how.options), ignored=how.ignored or goes_on)
        for text, ready, _ in entries:
            try:
                words = shell_words(ready)
            except ValueError as error:
                self.tell(text, f"pdm cannot cut this into words: {error}", key)
                continue
            if not words:
                continue
            given = (*plain(words[1:]), *(() if taken else how.words))
            inner_run = replace(inside_of, words=given, via=(*how.via, *text.route[-1:]), around=True)
            if words[0].text in self.tasks:
                self.run(words[0].text, inner_run)
                continue
            name = key.removeprefix(f"{_KEY}.").removesuffix(".composite")
            script = self._script(name, Table(table.span), key, replace(inner_run, via=how.via))
            values = {v.name: v.value for v in script.env}
            program = [Word(self._expanded(w, values).pieces, w.written) for w in words]
            self.add_words(script, [*program, *(() if taken else (Word(w.pieces) for w in how.words))])

    def _script(self, name: str, table: Table, key: str, how: _Run) -> Script:
        """The script's facts: the options of all scripts, its own, and of those that it is a part of."""
        levels = [one for one in (self.common, table, *how.options) if one is not None]
        env = dict(self.given)
        file = next((f for level in reversed(levels) if (f := level.get("env_file")) is not None), None)
        if file is not None:
            wins = isinstance(file, Table)
            said = text_of(file.get("override") if isinstance(file, Table) else file)
            found = self.from_file(said, self.folder, env)
            env = {**env, **found} if wins else {**found, **env}
        for level in levels:
            for one, value in self.variables(level.get("env"), f"{key}.env").items():
                env[one] = filled(value, _IN_ENV, lambda written: _of_env(written, env))
        folder = next((d for level in reversed(levels) if (d := text_of(level.get("working_dir"))).text), EMPTY)
        if "PDM_RUN_CWD" not in env:
            env["PDM_RUN_CWD"] = hole(Hole("$PDM_RUN_CWD", "where pdm is started", shape=Shape.PATH))
        directory = inside(self.folder, folder.text) if folder.text else self.folder
        return self.script(name, env=env, via=how.via, ignored=how.ignored, directory=directory)


def _of_env(written: Traced, env: Mapping[str, Traced]) -> Traced:
    """`${NAME:-default}` in a value of `env`, as python-dotenv fills it in."""
    name, default, _ = written.text[2:-1].partition(":-")
    if name in env:
        return env[name].through(written.route)
    if default:
        return written.cut(2 + len(name) + 2, len(written) - 1)
    return unknown(written, "the caller's environment says it, or nobody", name, Decider.OUTSIDE)


def _interpolated(text: Traced, words: Sequence[Traced]) -> tuple[Traced, bool]:
    """The text with pdm's places filled, and whether the words of the call were among them."""
    took = False

    def value(written: Traced) -> Traced:
        nonlocal took
        name, colon, _ = written.text[1:-1].partition(":")
        default = written.cut(len(name) + 2, len(written) - 1) if colon else EMPTY
        if name == "args":
            took = True
            return quoted(list(words)) if words else default
        if name == "pdm":
            return join([literal("python -m pdm").grounded(written.route)])
        return hole(Hole(written.shown, "where pdm is started", shape=Shape.PATH), written.route)

    return filled(text, _PLACES, value), took
