"""engine: from a tree to its commands, with a made-up format so that nothing but the engine is under test."""

from collections.abc import Callable
from pathlib import Path

import pytest

import flagguard.shell
from flagguard import engine
from flagguard.command import Call, Command, Dialect, Place, Reading, Script, Status, Variable, word
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import FileCommands, collect, merged
from flagguard.hosts import Host, Setting
from flagguard.text import Problem, SourceText, Span, Traced, literal
from flagguard.values import dataclass


@dataclass
class Lines:
    """A format of one command a line; `include FILE`, `glob`, `crash`, `on PLATFORM …` and `call …` are its own."""

    NAME: str = "lines"
    reads: int = 0

    def claims(self, path: str, head: bytes) -> bool:
        return path.endswith(".lines") or head.startswith(b"#!lines")

    def read(self, source: SourceText, setting: Setting) -> Reading:
        self.reads += 1
        scripts, calls, problems = [], [], []
        at = 0
        for text in source.text.splitlines(keepends=True):
            span, line = Span(source.path, at, at + len(text.rstrip())), text.strip()
            at += len(text)
            name, _, rest = line.partition(" ")
            if name == "include":
                other = setting.files.read(rest)
                if other is not None:
                    scripts.append(Script(Place("lines"), Dialect.SH, other.traced(0, len(other.text.rstrip()))))
            elif name == "glob":
                scripts.append(Script(Place("lines"), Dialect.SH, literal(" ".join(setting.files.paths()), span)))
            elif name == "crash":
                raise KeyError("crash")
            elif name == "wrong":
                problems.append(Problem(source.path, source.position(span.start)[0], "wrong"))
            elif name == "on":
                platform, _, rest = rest.partition(" ")
                scripts.append(
                    Script(Place("lines"), Dialect.SH, literal(rest, span), platforms=frozenset(platform.split(",")))
                )
            elif name == "call":
                calls.append(Call((word(literal(rest, span)),), Place("lines"), span, (Variable("A", literal("1")),)))
            elif not line.startswith("#"):
                scripts.append(Script(Place("lines"), Dialect.SH, source.traced(span.start, span.end)))
        return Reading(tuple(scripts), tuple(calls), tuple(problems))


@dataclass(frozen=True)
class Evaluation:
    commands: tuple[Command, ...]
    problems: tuple[Problem, ...] = ()
    depends: tuple[str, ...] = ()
    texts: tuple[Command, ...] = ()
    everywhere: bool = False


def evaluate(script: Script, setting: Setting) -> Evaluation:
    """Each platform on its own, as the real one may do it; a word `uname` becomes the platform."""
    if script.text.text.startswith("explode"):
        raise RecursionError("deep")
    commands = []
    for platform in setting.platforms:
        text = script.text.text.replace("uname", platform)
        span = script.text.route[-1]
        argv = tuple(word(literal(part)) for part in text.split())
        commands.append(Command(argv, script.place, span, span, platforms=(platform,)))
    return Evaluation(tuple(commands))


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Lines:
    host = Lines()

    def hosts_for(path: str, head: bytes) -> list[Host]:
        return [host] if host.claims(path, head) else []

    monkeypatch.setattr(engine, "hosts_for", hosts_for)
    monkeypatch.setattr(flagguard.shell, "evaluate", evaluate, raising=False)
    return host


Lay = Callable[..., Tree]


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    def make(**files: str) -> Tree:
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return Tree(tmp_path)

    return make


def shown(files: tuple[FileCommands, ...]) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    return {f.path: [(" ".join(c.shown), c.platforms) for c in f.commands] for f in files}


LINUX = ("linux-x86_64",)
BOTH = Config(baseline={"linux-x86_64": "x86-64-v2", "macos-arm64": "apple-m1"})


def test_claimed_files_in_order_and_nothing_else(lines: Lines, lay: Lay) -> None:
    tree = lay(b_lines="two\n", a_lines="one\n", c_txt="no", tool="#!lines\nthree\n")
    assert shown(collect(tree, Config())) == {
        "a.lines": [("one", LINUX)],
        "b.lines": [("two", LINUX)],
        "tool": [("three", LINUX)],
    }


def test_the_same_command_on_several_platforms_is_one_command(lines: Lines, lay: Lay) -> None:
    tree = lay(a_lines="cc x\ncc uname\n")
    assert shown(collect(tree, BOTH))["a.lines"] == [
        ("cc x", ("linux-x86_64", "macos-arm64")),
        ("cc linux-x86_64", ("linux-x86_64",)),
        ("cc macos-arm64", ("macos-arm64",)),
    ]


def test_platforms_come_from_the_runner_then_the_baseline_then_the_file(lines: Lines, lay: Lay) -> None:
    tree = lay(a_lines="cc\non windows-x86_64 cl\n# macos\n")
    assert shown(collect(tree, Config()))["a.lines"] == [
        ("cc", ("linux-x86_64", "macos-arm64", "windows-x86_64")),
        ("cl", ("windows-x86_64",)),
    ]
    assert shown(collect(tree, Config(baseline={"linux-s390x": "z13"})))["a.lines"] == [
        ("cc", ("linux-s390x",)),
        ("cl", ("windows-x86_64",)),
    ]


def test_a_call_becomes_a_command(lines: Lines, lay: Lay) -> None:
    (found,) = collect(lay(a_lines="call uses\n"), Config())
    (command,) = found.commands
    assert (command.shown, command.platforms, command.env["A"].text) == (["uses"], LINUX, "1")
    assert command.span == command.extent == Span("a.lines", 0, 9)


def test_excluded_files_are_not_listed_but_can_be_read(lines: Lines, lay: Lay) -> None:
    tree = lay(a_lines="include b.lines\n", b_lines="two\n")
    assert shown(collect(tree, Config(exclude=("b.*",)))) == {"a.lines": [("two", LINUX)]}


def test_what_another_file_reaches_is_listed_once(lines: Lines, lay: Lay) -> None:
    tree = lay(a_lines="include b.lines\n", b_lines="two\n")
    assert shown(collect(tree, Config())) == {"a.lines": [("two", LINUX)], "b.lines": []}
    assert shown(collect(tree.with_text("a.lines", "one\n"), Config())) == {
        "a.lines": [("one", LINUX)],
        "b.lines": [("two", LINUX)],
    }


def test_a_link_to_a_claimed_file_is_not_read_twice(lines: Lines, lay: Lay, tmp_path: Path) -> None:
    (tmp_path / "link.lines").symlink_to("a.lines")
    (tmp_path / "named.lines").symlink_to("plain.txt")
    assert list(shown(collect(lay(a_lines="one\n", plain_txt="two\n"), Config()))) == ["a.lines", "named.lines"]


def test_an_overlay_reads_the_changed_file_and_those_that_depend_on_it(lines: Lines, lay: Lay) -> None:
    tree = lay(a_lines="include x.txt\n", b_lines="two\n", c_lines="three\n", d_lines="glob\n", x_txt="x\n")
    collect(tree, Config())
    assert lines.reads == 4
    assert shown(collect(tree, Config()))["b.lines"] == [("two", LINUX)]
    assert lines.reads == 4

    edited = tree.with_text("b.lines", "2\n")
    assert shown(collect(edited, Config()))["b.lines"] == [("2", LINUX)]
    assert lines.reads == 5
    assert shown(collect(tree.with_text("x.txt", "y\n"), Config()))["a.lines"] == [("y", LINUX)]
    assert lines.reads == 6
    assert "e.lines" in shown(collect(tree.with_text("e.lines", "new\n"), Config()))
    assert lines.reads == 8, "the new file, and the one that looks at the list"
    assert shown(collect(tree, Config()))["b.lines"] == [("two", LINUX)]
    assert lines.reads == 8


def test_an_overlay_alone_gives_what_a_fresh_tree_would(lines: Lines, lay: Lay) -> None:
    tree = lay(a_lines="include x.txt\n", b_lines="two\n", x_txt="x\n")
    changed = shown(collect(tree.with_text("x.txt", "y\n").with_text("b.lines", "2\n"), Config()))
    assert changed == {"a.lines": [("y", LINUX)], "b.lines": [("2", LINUX)]}


def test_an_overlay_can_take_a_file_away_from_its_host(lines: Lines, lay: Lay) -> None:
    tree = lay(a_lines="one\n", tool="#!lines\ntwo\n")
    collect(tree, Config())
    assert list(shown(collect(tree.with_text("tool", "two\n"), Config()))) == ["a.lines"]


def test_another_configuration_is_another_result(lines: Lines, lay: Lay) -> None:
    tree = lay(a_lines="one\n")
    assert shown(collect(tree, Config()))["a.lines"] == [("one", LINUX)]
    assert shown(collect(tree, BOTH))["a.lines"] == [("one", ("linux-x86_64", "macos-arm64"))]


def test_a_defect_in_a_reader_is_a_problem_and_the_rest_is_read(lines: Lines, lay: Lay) -> None:
    tree = lay(a_lines="crash\n", b_lines="one\nexplode\ntwo\n")
    first, second = collect(tree, Config())
    assert first.problems == (Problem("a.lines", 1, "internal error while reading a.lines: KeyError: 'crash'"),)
    assert second.problems == (Problem("b.lines", 2, "internal error while reading b.lines: RecursionError: deep"),)
    assert all(p.fatal for p in (*first.problems, *second.problems))
    assert shown((second,))["b.lines"] == [("one", LINUX), ("two", LINUX)]
    with pytest.raises(KeyError):
        collect(tree, Config(), strict=True)


def test_a_claimed_file_that_is_no_text_is_a_problem(lines: Lines, lay: Lay, tmp_path: Path) -> None:
    (tmp_path / "bad.lines").write_bytes(b"a\0b")
    (tmp_path / "picture.png").write_bytes(b"a\0b")
    (found,) = collect(lay(), Config())
    assert found.problems == (Problem("bad.lines", 1, "is binary (it holds a NUL byte), not UTF-8 text"),)


def test_a_reader_s_problems_are_kept(lines: Lines, lay: Lay) -> None:
    (found,) = collect(lay(a_lines="one\nwrong\n"), Config())
    assert found.problems == (Problem("a.lines", 2, "wrong"),)


def _command(**changes: object) -> Command:
    span = Span("a", 0, 2)
    facts: dict[str, object] = {
        "argv": (word(literal("cc", span)),),
        "place": Place("lines"),
        "span": span,
        "extent": span,
    }
    return Command(**(facts | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({}, 1),
        ({"argv": (word(literal("cc", Span("b", 0, 2))),)}, 2),
        ({"env": {"A": literal("1")}}, 2),
        ({"when": ("$X is set",)}, 2),
        ({"via": (Span("b", 0, 1),)}, 2),
        ({"status": Status.IGNORED}, 2),
        ({"opt_in": True}, 2),
        ({"wrappers": ((word(literal("sudo")),),)}, 2),
        ({"span": Span("a", 3, 5)}, 2),
        ({"place": Place("lines", runner="macos-15")}, 2),
    ],
)
def test_commands_that_differ_in_anything_but_the_platform_stay_apart(changes: dict[str, object], count: int) -> None:
    found = merged([_command(platforms=("b",)), _command(platforms=("a", "b"), **changes)])
    assert len(found) == count
    assert sorted(c.platforms for c in found) == ([("a", "b")] if count == 1 else [("a", "b"), ("b",)])


def test_commands_of_many_places_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flagguard.ways._same", lambda *_: pytest.fail("compared"))
    assert len(merged(_command(place=Place("lines", job=str(number))) for number in range(50))) == 50


def test_env_order_does_not_keep_commands_apart() -> None:
    one: dict[str, Traced] = {"A": literal("1"), "B": literal("2")}
    other = dict(reversed(one.items()))
    assert len(merged([_command(env=one), _command(env=other)])) == 1


def test_a_file_that_may_not_be_opened_is_a_problem_since_nobody_knows_what_it_holds(
    lines: Lines, lay: Lay, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = lay(tool="#!lines\none\n")
    monkeypatch.setattr("flagguard.discover._bytes", _refused)
    (found,) = collect(tree, Config())
    assert found.problems == (Problem("tool", 1, "cannot be read: Permission denied"),)


def _refused(name: str, limit: int) -> tuple[bytes, int]:
    raise PermissionError(13, "Permission denied")
