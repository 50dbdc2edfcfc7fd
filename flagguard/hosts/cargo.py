"""Cargo's configuration files: flags that nothing reaches, and what they add to the commands that cargo runs for.

Follows The Cargo Book, "Configuration" (hierarchy, `build.rustflags`, `target.*`, `alias`), cargo-install(1) and
cargo(1) for what a command line says of it.
"""

from collections.abc import Iterable, Mapping, Sequence

from flagguard.command import Call, Command, Place, Reading, Word, word
from flagguard.hosts import Files, Folded, Setting
from flagguard.hosts.cargo_config import ANY, Configuration, Value, configuration, folders_above, one_text, words_of
from flagguard.paths import IN_CONTAINER, resolved
from flagguard.reaching import Part
from flagguard.text import EMPTY, Decider, Hole, Piece, SourceText, Traced, hole
from flagguard.tools.rust_targets import HOSTS, fits, fits_platform
from flagguard.values import dataclass, replace

NAME = "cargo"

_VALUED = frozenset(
    "--config --color -C -Z --target --path -p --package --manifest-path --profile --features -F --bin --example "
    "--test --bench --jobs -j --target-dir --message-format --exclude --root --git --branch --tag --rev --version "
    "--registry --index -i --interpreter -m -o --out -b --bindings".split()
)
_BUILDS = frozenset(
    "build b rustc run r test t bench install zigbuild nextest ndk xwin auditable develop dev publish".split()
)
"""Subcommands of cargo and maturin that compile what is used; flags that others get alone stay a command."""
_BUILT_IN = frozenset(
    "build rustc run test bench install check doc rustdoc fetch publish package add remove uninstall update tree clean "
    "new init search login logout owner yank metadata vendor fix generate-lockfile locate-project pkgid verify-project "
    "version help report info config".split()
)
"""What no alias replaces (`cargo --list`, without what other programs bring: clippy, fmt, miri)."""
_HOMES = ("/usr/local/cargo", "/root/.cargo")
"""Where images keep CARGO_HOME: the official images of Rust, and rustup for root."""
_MOST_ALIASES = 10


def read(source: SourceText, setting: Setting) -> Reading:
    """Each value of `rustflags` for one of the platforms, as the command `cargo:rustflags`."""
    found = Configuration(setting.files)
    found.load_file(source.path, source.path)
    calls = []
    for key, values in found.rustflags.items():
        platforms = _meant(key, found, setting)
        for value in values if key != ANY and platforms else ():
            if value.words:
                calls.append(_call(key, value, platforms))
    return Reading(calls=tuple(calls), problems=tuple(p for p in found.problems if p.path == source.path))


def _call(key: str, value: Value, platforms: frozenset[str]) -> Call:
    program = Word((Piece("cargo:rustflags", (value.node.span,)),), value.node.span)
    words = tuple(word(text) for text in value.words)
    place = Place(NAME, target=None if key == "build" else key)
    return Call((program, *words), place, value.node.span, platforms=platforms, unit=value.part[1])


def _meant(key: str, found: Configuration, setting: Setting) -> frozenset[str]:
    """The platforms that a table is for."""
    named = [text.text for value in found.targets for text in value.words] if key == "build" else [key]
    if key == "build" and not named:
        return frozenset(setting.platforms)
    return frozenset(p for p in setting.platforms if any(fits_platform(name, p) for name in named))


# -- what a command finds ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    """A command line, as far as it matters here."""

    subcommand: str = ""
    at: int = -1
    """Where the subcommand stands in argv."""
    targets: tuple[Traced, ...] = ()
    path: Traced | None = None
    directory: Traced | None = None


_ASKED = ("--target", "--path", "-C", "--command", "--working-directory", "--args")


def _line(argv: Sequence[Word], start: int) -> _Line:
    subcommand, at = "", -1
    given: dict[str, list[Traced]] = {name: [] for name in _ASKED}
    rest = list(enumerate(argv))[start:]
    while rest:
        index, one = rest.pop(0)
        text = one.text
        name, equals, _ = text.partition("=")
        if text == "--":
            break
        if name.startswith("-"):
            if equals and name in given:
                given[name].append(one.cut(len(name) + 1, len(one)))
            elif text in _VALUED and rest:
                value = rest.pop(0)[1]
                if text in given and not (text == "-C" and subcommand):
                    given[text].append(value)
        elif not subcommand and text and not text.startswith("+"):
            subcommand, at = text, index
    path = given["--path"][-1] if given["--path"] else None
    line = _Line(subcommand, at, tuple(given["--target"]), path, given["-C"][-1] if given["-C"] else None)
    return _step(line, given) if start > 1 else line


def _step(line: _Line, given: Mapping[str, Sequence[Traced]]) -> _Line:
    """The line of a `uses:` step, from its inputs."""
    words = tuple(word(text) for args in given["--args"] for text in words_of(args))
    inner = _line(words, 0)
    folder, command = given["--working-directory"], given["--command"]
    return replace(
        line,
        subcommand=command[-1].text if command else "",
        targets=inner.targets or line.targets,
        path=inner.path or line.path,
        directory=folder[-1] if folder else None,
    )


def fold(command: Command, setting: Setting) -> Folded | None:
    """The command with the flags that the configuration gives it, on each of its platforms."""
    program = command.argv[0].text.rpartition("/")[2].removesuffix(".exe")
    line = _line(command.argv, 2 if program == "uses" else 1)
    directory = command.directory
    if line.directory is not None:
        directory = resolved(line.directory, directory)
    files = setting.files
    argv = command.argv
    if directory is None:
        return _unknown(command, files)
    found = configuration(files, folders_above(directory, _home(command, directory)))
    if program in ("cargo", "cross"):
        argv = _without_aliases(argv, line, found)
        line = _line(argv, 1)
    if line.subcommand == "install":
        beneath = resolved(line.path, directory) if line.path is not None else None
        found = configuration(files, [] if beneath is None else folders_above(beneath, _home(command, directory)))
    if not any(found.rustflags.values()) and not found.targets and argv == command.argv:
        return None
    builds = program == "uses" or line.subcommand in _BUILDS
    hides = "RUSTFLAGS" in command.env or "CARGO_ENCODED_RUSTFLAGS" in command.env
    by_settings: dict[tuple[tuple[str, Traced], ...], list[str]] = {}
    parts: dict[Part, None] = {}
    for platform in command.platforms or setting.platforms:
        for triple, asked in _triples(line, command, found, platform):
            settings, used = _settings(found, triple, asked, command)
            by_settings.setdefault(tuple(settings.items()), []).append(platform)
            parts.update(dict.fromkeys(used if builds and not hides else ()))
    commands = tuple(
        replace(command, argv=argv, configured=dict(settings), platforms=tuple(platforms))
        for settings, platforms in by_settings.items()
    )
    return Folded(commands, tuple(parts), tuple(found.problems)) if commands else None


def _home(command: Command, directory: str) -> list[str]:
    """CARGO_HOME, where the tree says what is there."""
    given = command.env.get("CARGO_HOME")
    path = resolved(given, directory) if given is not None else None
    if path is not None:
        return [path]
    return [IN_CONTAINER + home for home in _HOMES] if directory.startswith(IN_CONTAINER) and given is None else []


def _triples(
    line: _Line, command: Command, found: Configuration, platform: str
) -> Iterable[tuple[str | None, Traced | None]]:
    """The targets that are built (None: not known), and those that only the configuration names."""
    named: Sequence[Traced] = [t for t in line.targets if t.text]
    own = bool(named)
    if not named and command.env.get("CARGO_BUILD_TARGET"):
        named, own = [command.env["CARGO_BUILD_TARGET"]], True
    if not named:
        named = [text for value in found.targets for text in value.words if text.text]
    for text in named:
        triple = text.text.rpartition("/")[2].removesuffix(".json").partition(".")[0] if text.known else None
        yield triple, None if own else text
    if not named:
        yield HOSTS.get(platform), None


def _settings(
    found: Configuration, triple: str | None, asked: Traced | None, command: Command
) -> tuple[dict[str, Traced], list[Part]]:
    """The settings for one target, and the parts of files that they come from."""
    out: dict[str, Traced] = {} if asked is None else {"build.target": asked}
    parts: list[Part] = []
    sure = False
    for key, keys in (
        ("target.rustflags", [k for k in found.rustflags if k not in ("build", ANY) and not k.startswith("cfg(")]),
        ("target.cfg.rustflags", sorted(k for k in found.rustflags if k.startswith("cfg("))),
    ):
        words: list[Traced] = []
        for name in keys:
            fitting = fits(name, triple) if triple is not None else None
            values = [v for v in found.rustflags[name] if v.words]
            if fitting is False or not values:
                continue
            sure = sure or fitting is True
            parts += [v.part for v in values]
            words += [w for v in values for w in v.words] if fitting else [_perhaps(v, name) for v in values]
        if words:
            out[key] = one_text(words)
    below = [v for v in found.rustflags.get("build", ()) if v.words]
    if below and not sure:
        words = [w for v in below for w in v.words]
        if "target.rustflags" in out or "target.cfg.rustflags" in out:
            words = [_perhaps(v, "build") for v in below]  # the table of the target may hide them
            key = "target.cfg.rustflags"
            out[key] = one_text([*([out[key]] if key in out else []), *words])
        else:
            out["build.rustflags"] = one_text(words)
        parts += [v.part for v in below]
    for value in found.rustflags.get(ANY, ()):
        key = next(
            (k for k in ("target.cfg.rustflags", "target.rustflags", "build.rustflags") if k in out), "target.rustflags"
        )
        out[key] = one_text([*([out[key]] if key in out else []), *value.words])
    return out, parts


def _perhaps(value: Value, name: str) -> Traced:
    reason = f"whether `{name}` speaks of the target is not known here"
    among = (EMPTY, one_text(value.words))
    return hole(Hole("rustflags", reason, Decider.REPOSITORY, among=among), (value.node.span,))


def _unknown(command: Command, files: Files) -> Folded | None:
    """A command that runs nobody knows where: some configuration may reach it."""
    own = [p for p in files.paths() if p.endswith((".cargo/config", ".cargo/config.toml"))]
    found = configuration(files, sorted({p.rpartition("/")[0] for p in own}))
    said = [value for values in found.rustflags.values() for value in values if value.words]
    if not said:
        return None
    reason = "whether the configuration reaches a command in a folder that is not known"
    among = (EMPTY, *dict.fromkeys(one_text(value.words) for value in said))
    text = hole(Hole("rustflags", reason, Decider.REPOSITORY, among=among), (said[0].node.span,))
    return Folded((replace(command, configured={"target.rustflags": text}),), ())


def _without_aliases(argv: tuple[Word, ...], line: _Line, found: Configuration) -> tuple[Word, ...]:
    """The command line with the aliases of the configuration replaced; built-in commands cannot be."""
    seen: set[str] = set()
    while line.subcommand in found.aliases and line.subcommand not in seen | _BUILT_IN and len(seen) < _MOST_ALIASES:
        seen.add(line.subcommand)
        words = [word(text) for value in found.aliases[line.subcommand] for text in value.words]
        argv = (*argv[: line.at], *words, *argv[line.at + 1 :])
        line = _line(argv, 1)
    return argv
