"""Cargo's build scripts: what they give to compilers, and the commands that they run. Never compiled, never run.

Follows The Cargo Book ("Build Scripts": the outputs that Cargo reads, the environment), the documentation of the crates
cc 1.2 (`cc::Build`), cmake 0.1 and autotools 0.2 (`Config`), and std::process::Command. The script is walked once for
each platform and each answer to a condition that nobody knows: `when` says the answers.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flagguard.command import Call, Dialect, Place, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.build_rs_calls import Made, Stuck
from flagguard.hosts.build_rs_outline import Outline
from flagguard.hosts.build_rs_walk import Walk
from flagguard.hosts.pipelines import environment
from flagguard.hosts.rust_text import Rust
from flagguard.paths import inside
from flagguard.text import Problem, SourceText
from flagguard.values import replace

if TYPE_CHECKING:
    from tree_sitter import Node

NAME = "build_rs"

_MOST_WAYS = 32
_NAMES = ("build.rs", "build/main.rs")
"""The scripts that are found by their names."""


def read(source: SourceText, setting: Setting) -> Reading:
    named = _script_of(source, setting) if source.path.endswith("Cargo.toml") else source
    if named is None:
        return Reading()
    problems: dict[Problem, None] = {}
    looked_at: list[str] = [] if named is source else [named.path]

    def other(path: str) -> Rust | None:
        looked_at.append(path)
        found = setting.files.read(path)
        return _parsed(found, problems) if found is not None else None

    rust = _parsed(named, problems)
    if rust is None:
        return Reading(problems=tuple(problems), depends=tuple(looked_at))
    try:
        outline = Outline(rust, other)
    except RecursionError:
        return Reading(problems=(Problem(named.path, 1, "nested too deeply to be read"),), depends=tuple(looked_at))
    found: dict[Made, list[str]] = {}
    for platform in setting.platforms:
        try:
            for made in _merged(list(_ways(outline, platform, setting, problems))):
                found.setdefault(made, []).append(platform)
        except RecursionError:
            problems[Problem(source.path, 1, "nested too deeply to be read")] = None
    scripts, calls = [], []
    for made, platforms in found.items():
        if made.declared:
            calls.append(_call(made, frozenset(platforms)))
        else:
            scripts.append(_script(made, frozenset(platforms), source.path))
    problems.update(outline.problems)
    return Reading(tuple(scripts), tuple(calls), problems=tuple(sorted(problems)), depends=tuple(looked_at))


def _parsed(source: SourceText, problems: dict[Problem, None]) -> Rust | None:
    rust = Rust(source)
    if not rust.root.has_error:
        return rust
    bad = next((n for n in _errors(rust.root)), rust.root)
    problems[Problem(source.path, rust.line(bad), "not Rust that can be read")] = None
    return None


def _script_of(manifest: SourceText, setting: Setting) -> SourceText | None:
    """The build script that a `Cargo.toml` names, where it has a name of its own (The Manifest Format, `build`)."""
    if "build" not in manifest.text:
        return None
    from flagguard.hosts.task_tables import inner, toml
    from flagguard.hosts.tree import text_of

    name = text_of(inner(toml(manifest).root, "package", "build")).text
    path = inside(manifest.path.rpartition("/")[0], name) if name else None
    if path is None or any(path == one or path.endswith(f"/{one}") for one in _NAMES):
        return None
    return setting.files.read(path)


def _ways(outline: Outline, platform: str, setting: Setting, problems: dict[Problem, None]) -> Iterator[Made]:
    """What the script does on a platform, on each way through its conditions."""
    answers: list[bool] = []
    for _ in range(_MOST_WAYS):
        walk = Walk(outline, platform, setting.assume, tuple(answers))
        try:
            yield from walk.run()
        except Stuck as error:
            problems[Problem(outline.rust.source.path, error.line, str(error))] = None
            return
        answers = list(walk.answers)
        while answers and not answers[-1]:
            answers.pop()
        if not answers:
            return
        answers[-1] = False
    told = f"its conditions come to more than {_MOST_WAYS} ways on {platform}; the others are not judged"
    problems[Problem(outline.rust.source.path, 1, told)] = None


def _merged(found: list[Made]) -> list[Made]:
    """Without the conditions that change nothing: what runs whichever way one is answered."""
    grouped: dict[Made, dict[frozenset[tuple[str, bool]], None]] = {}
    for made in found:
        grouped.setdefault(replace(made, when=()), {})[frozenset(made.when)] = None
    order = {asked: number for made in found for number, (asked, _) in enumerate(made.when)}
    out = []
    for made, ways in grouped.items():
        merging = True
        while merging:
            merging = False
            for way, (asked, taken) in [(w, one) for w in ways for one in w if one[1]]:
                other = way - {(asked, taken)} | {(asked, False)}
                if way in ways and other in ways:
                    del ways[way], ways[other]
                    ways[way - {(asked, taken)}] = None
                    merging = True
        out += [replace(made, when=tuple(sorted(way, key=lambda one: order[one[0]]))) for way in ways]
    return out


def _errors(node: "Node") -> Iterator["Node"]:
    from flagguard.hosts.rust_text import walk

    return (n for n in walk(node) if n.is_error or n.is_missing)


def _call(made: Made, platforms: frozenset[str]) -> Call:
    span = made.words[0].written
    assert span is not None
    place = Place(NAME, target=made.target or None)
    env = environment(dict(made.env))
    return Call(made.words, place, span, env=env, platforms=platforms, when=_said(made), unit=made.target)


def _script(made: Made, platforms: frozenset[str], path: str) -> Script:
    place = Place(NAME, target=made.target or None)
    where: str | None = (
        path.removesuffix("build.rs").removesuffix("build/main.rs").removesuffix("Cargo.toml").rstrip("/")
    )
    if made.folder:
        where = inside(where or "", made.folder.text) if made.folder.known else None
    script = Script(place, Dialect.ARGV, argv=made.words, env=environment(dict(made.env)), platforms=platforms)
    return replace(script, when=_said(made), directory=where)


def _said(made: Made) -> tuple[str, ...]:
    return tuple(asked if taken else f"not ({asked})" for asked, taken in made.when)
