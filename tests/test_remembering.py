"""remembering: the outcome is the one of `checking`, whatever was kept, and a change anywhere is seen."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flagguard import checking, remembering
from flagguard.commands import project as _project  # noqa: F401  (imported as a run imports it)
from flagguard.config import Config, load
from flagguard.discover import Tree
from flagguard.engine import FileCommands
from flagguard.text import SourceText

ROOT = Path(__file__).resolve().parents[1]
CONFIGURATION = """
packs = []
exclude = ["vendor/**"]

[baseline]
linux-x86_64 = "x86-64-v2"

[assume]
MODE = "release"

[[rule]]
id       = "pic"
command  = "gcc"
require  = ["-fPIC"]
at-least = 2

[[exempt]]
rule   = "pic"
where  = { path = "tools/*" }
reason = "not shipped"
"""
FILES = {
    "Makefile": "include rules.mk\n-include local.mk\nlib: $(wildcard src/*.c)\n\tgcc $(FLAGS) -c $^\n",
    "rules.mk": "FLAGS = -O2\nextra:\n\tgcc -fPIC -c extra.c\n",
    "build.sh": "gcc @flags -c a.c\n# flagguard: exempt pic - it is a program\ngcc b.c -o b\n",
    "flags": "-O2 -fPIC\n",
    "tools/x.sh": "gcc x.c\n",
    "tools/plain": "gcc y.c\n",
    "vendor/v.sh": "gcc v.c\n",
    "src/a.c": "int a;\n",
    "empty.sh": "",
    ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: gcc c.c\n",
    "pyproject.toml": "[tool.poe.tasks]\nx = 'gcc -fPIC x.c'\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLAGGUARD_CACHE", str(tmp_path / "kept"))
    for name, text in FILES.items():
        write(tmp_path / "tree", name, text)
    return tmp_path / "tree"


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def config(text: str = CONFIGURATION) -> Config:
    return load(SourceText("flagguard.toml", text)).config


def same(root: Path, given: Config) -> None:
    """What is remembered, and what is judged anew, are one."""
    expected = checking.check(Tree(root), given, strict=True)
    for _ in range(2):
        found = remembering.check(Tree(root), given)
        assert found.report == expected.report
        assert found.paths == tuple(file.path for file in expected.files)
        part = remembering.check(Tree(root), given, asked=lambda path: path == "build.sh").report
        assert part == checking.check(Tree(root), given, asked=lambda path: path == "build.sh").report


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are judged, as it happens."""
    seen: list[str] = []
    real = checking.judged_file

    def spy(found: FileCommands, *rest: object) -> object:
        seen.append(found.path)
        return real(found, *rest, strict=False) if len(rest) == 2 else real(found, *rest)  # type: ignore[arg-type]

    def named(found: FileCommands, tree: Tree, given: Config, strict: bool) -> object:
        return spy(found, tree, given, strict)

    monkeypatch.setattr(checking, "judged_file", named)
    return seen


def relink(root: Path) -> None:
    (root / "build.sh").rename(root / "elsewhere")
    (root / "build.sh").symlink_to("elsewhere")


CHANGES: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "nothing": (lambda r: None, set()),
    "touched": (lambda r: os.utime(r / "build.sh", (1, 1)), set()),
    "a file": (lambda r: write(r, "tools/x.sh", "gcc -fPIC x.c\n"), {"tools/x.sh"}),
    "a file of the same size and time": (lambda r: rewrite(r / "build.sh", "a.c", "c.c"), {"build.sh"}),
    "only a comment": (lambda r: rewrite(r / "build.sh", "it is", "so is"), {"build.sh"}),
    "an include": (lambda r: rewrite(r / "rules.mk", "-O2", "-O3 -fPIC"), {"Makefile", "rules.mk"}),
    "an include that was looked for": (lambda r: write(r, "local.mk", "FLAGS += -fPIC\n"), {"Makefile", "local.mk"}),
    "an include is gone": (lambda r: (r / "rules.mk").unlink(), {"Makefile"}),
    "a response file": (lambda r: write(r, "flags", "-O2\n"), {"build.sh"}),
    "a response file is gone": (lambda r: (r / "flags").unlink(), {"build.sh"}),
    "a file for a wildcard": (lambda r: write(r, "src/b.c", ""), {"Makefile"}),
    "a new host": (lambda r: write(r, "new.sh", "gcc new.c\n"), {"new.sh"}),
    "a host is gone": (lambda r: (r / "tools/x.sh").unlink(), set()),
    "a first line makes a host": (lambda r: write(r, "tools/plain", "#!/bin/sh\ngcc y.c\n"), {"tools/plain"}),
    "an excluded file": (lambda r: write(r, "vendor/v.sh", "gcc w.c\n"), set()),
    "a host is no text": (lambda r: (r / "build.sh").write_bytes(b"\0"), {"build.sh"}),
    "a link to a host": (lambda r: (r / "again.sh").symlink_to("build.sh"), set()),
    "a link for a host": (relink, {"build.sh"}),
    "a workflow": (lambda r: rewrite(r / ".github/workflows/ci.yml", "gcc", "gcc -fPIC"), {".github/workflows/ci.yml"}),
    "an empty file": (lambda r: write(r, "Makefile.am", ""), {"Makefile.am"}),
}


def rewrite(path: Path, old: str, new: str) -> None:
    """Another text, at the same time as far as the file system tells."""
    status = path.stat()
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_the_tree_is_seen(name: str, root: Path, judged: list[str]) -> None:
    change, again = CHANGES[name]
    given = config()
    remembering.check(Tree(root), given)
    change(root)
    judged.clear()
    remembering.check(Tree(root), given)
    wildcard = {"Makefile"} if sorted(FILES) != sorted(listed(root)) else set()
    assert set(judged) - wildcard == again - wildcard
    same(root, given)


def listed(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir()]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"-fPIC"', '"-fpic"'),
        ("at-least = 2", "at-least = 20"),
        ("tools/*", "tool/*"),
        ("vendor", "src"),
        ("release", "debug"),
        ("x86-64-v2", "x86-64-v3"),
        ("packs = []", 'packs = ["cpu-baseline"]'),
        ("\npacks", "\n\npacks"),
    ],
)
def test_a_change_of_the_configuration_is_seen(old: str, new: str, root: Path) -> None:
    assert old in CONFIGURATION
    remembering.check(Tree(root), config())
    same(root, config(CONFIGURATION.replace(old, new, 1)))


def test_without_a_configuration(root: Path) -> None:
    same(root, Config())
    same(root, Config(rules=config().rules))
    same(root, Config(rules=config().rules, assume={"FLAGS": "-fPIC"}))


def test_another_version_remembers_nothing(root: Path, judged: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    given = config()
    remembering.check(Tree(root), given)
    everything = set(judged)
    for name, value in {"__version__": "0.0.99", "sys": type("S", (), {"version": "4", "path": []})}.items():
        judged.clear()
        monkeypatch.setattr(remembering, name, value)
        remembering.check(Tree(root), given)
        assert set(judged) == everything


def test_a_changed_checkout_of_this_project_is_another_version(tmp_path: Path) -> None:
    for folder in ("flagguard", "rules"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    before = remembering._stamps(str(tmp_path))
    assert before == remembering._stamps(str(tmp_path))
    for change in ("flagguard/tools/rust.toml", "flagguard/shell/parser.py", "rules/cpu-baseline.toml"):
        os.utime(tmp_path / change, (1, 1))
        after = remembering._stamps(str(tmp_path))
        assert after != before
        before = after


def test_a_defect_is_tried_again(root: Path, judged: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    given = config()
    real = checking.judge_file

    def broken(found: FileCommands, *rest: object) -> object:
        if found.path == "build.sh":
            raise ValueError("no")
        return real(found, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(checking, "judge_file", broken)
        assert remembering.check(Tree(root), given).report.status == 2
    judged.clear()
    assert remembering.check(Tree(root), given).report.status == 1
    assert judged == ["build.sh"]
    same(root, given)


def test_what_is_kept_may_be_nonsense(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = config()
    remembering.check(Tree(root), given)
    real = remembering.store.load
    name, key = next((root.parent / "kept").glob("*/tree-*")).name, remembering._key(given)
    kept = real(name, key)
    assert isinstance(kept, dict)
    for part in (0, 5):  # what is taken apart; the checksum and the folder vouch for the rest
        for nonsense in ((), "x", 7, (1, 2, 3), ((("a", b"b"),),)):
            wrong = {path: (*entry[:part], nonsense, *entry[part + 1 :]) for path, entry in kept.items()}
            monkeypatch.setattr(remembering.store, "load", lambda *_, wrong=wrong: wrong)
            assert remembering.check(Tree(root), given).report == checking.check(Tree(root), given).report
    for nonsense in ([], {}, {"Makefile": 1}, {"Makefile": (1, 2)}, 3):
        monkeypatch.setattr(remembering.store, "load", lambda *_, nonsense=nonsense: nonsense)
        assert remembering.check(Tree(root), given).report == checking.check(Tree(root), given).report


# -- whole processes --------------------------------------------------------------------------------------------------


def run(root: Path, *words: str, **variables: str) -> "subprocess.CompletedProcess[bytes]":
    environment = {k: v for k, v in os.environ.items() if k not in ("FLAGGUARD_TRACEBACK", "PYTHONPATH")}
    environment |= {"PYTHONPATH": str(ROOT), **variables}
    program = "import sys; from flagguard.cli import main; status = main(sys.argv[1:]); "
    program += "print(*sorted(sys.modules), file=sys.stderr); sys.exit(status)"
    return subprocess.run(
        [sys.executable, "-c", program, *words], cwd=root, env=environment, capture_output=True, check=False
    )


def test_two_runs_print_the_same_bytes_and_the_second_imports_no_stage(root: Path) -> None:
    write(root, "flagguard.toml", CONFIGURATION)
    for form in ("text", "json", "github"):
        words = ("check", "--format", form)
        anew, first, second = run(root, *words, "--no-cache"), run(root, *words), run(root, *words)
        assert anew.stdout == first.stdout == second.stdout
        assert anew.returncode == first.returncode == second.returncode == 1
    modules = second.stderr.decode().split()
    stages = ("hosts", "shell", "make", "tools", "judge", "judging", "engine", "sabotage", "checking")
    loaded = {name.split(".")[1] for name in modules if name.startswith("flagguard.")}
    assert loaded.intersection(stages) == set()
    assert not {"tree_sitter", "bashlex", "yaml", "subprocess", "inspect", "dataclasses"}.intersection(modules)


def test_no_cache_keeps_nothing(root: Path) -> None:
    write(root, "flagguard.toml", CONFIGURATION)
    run(root, "check", "--no-cache")
    assert not list((root.parent / "kept").glob("*/tree-*"))
    run(root, "check", FLAGGUARD_CACHE="off")
    assert not list(root.parent.glob("**/tree-*"))


def test_where_no_home_can_be_written_all_works(root: Path) -> None:
    write(root, "flagguard.toml", CONFIGURATION)
    expected = run(root, "check", "--no-cache").stdout
    nowhere = {"FLAGGUARD_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/proc/version/none"}
    found = run(root, "check", **nowhere)
    assert (found.returncode, found.stdout) == (1, expected)


# -- who runs whom ----------------------------------------------------------------------------------------------------

CALLS: list[Callable[[Path], object]] = [
    lambda r: write(r, "all.sh", "./build.sh\nmake lib\nmake -f other.mk\n"),
    lambda r: (r / "build.sh").chmod(0o755),
    lambda r: rewrite(r / ".github/workflows/ci.yml", "gcc c.c", "sh all.sh"),
    lambda r: write(r, "other.mk", "x:\n\tgcc -fPIC x.c\n\tsh tools/x.sh\n"),
    lambda r: write(r, "tools/x.sh", "gcc -fPIC x.c\ngcc y.c\n"),
    lambda r: rewrite(r / ".github/workflows/ci.yml", "sh all.sh", "make extra"),
    lambda r: write(r, "all.sh", ". ./build.sh\nset -x\n"),
    lambda r: rewrite(r / "pyproject.toml", "gcc -fPIC x.c", "sh build.sh"),
    lambda r: (r / "build.sh").unlink(),
    lambda r: write(r, "build.sh", "gcc -fPIC a.c\n"),
    lambda r: (r / "all.sh").unlink(),
    lambda r: (r / "Makefile").rename(r / "GNUmakefile"),
]


def test_calls_that_come_and_go_are_seen(root: Path) -> None:
    """Where another file runs a command it is judged there, so a change of one file changes what others come to."""
    given = config()
    remembering.check(Tree(root), given)
    for change in CALLS:
        change(root)
        same(root, given)


def test_what_is_held_does_not_change_the_outcome(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "_HELD", 0)
    given = config()
    for change in CALLS[:4]:
        change(root)
    same(root, given)
