"""discover: which files a tree has, and what each one holds."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from flagguard.discover import Tree, excluded, within
from flagguard.text import Problem


def lay(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def git(root: Path, *words: str) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


def test_without_a_git_every_folder_is_walked_except_stores_of_other_tools(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {"b/x.sh": "", "a": "", ".git/config": "", "node_modules/x/a.sh": "", "env/pyvenv.cfg": "", "env/x": ""},
    )
    lay(tmp_path, {"sub/node_modules/b.sh": "", ".github/workflows/ci.yml": "", "target/keep.mk": ""})
    (tmp_path / ".git/config").unlink()
    (tmp_path / ".git").rmdir()
    assert Tree(tmp_path).paths() == (".github/workflows/ci.yml", "a", "b/x.sh", "target/keep.mk")


def test_git_decides_where_there_is_one(tmp_path: Path) -> None:
    lay(
        tmp_path, {".gitignore": "build/\n", "build/x.sh": "", "Makefile": "all:\n", "sub/new.sh": "", "sub/ä b.sh": ""}
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "Makefile")
    assert Tree(tmp_path).paths() == (".gitignore", "Makefile", "sub/new.sh", "sub/ä b.sh")
    assert Tree(tmp_path / "sub").paths() == ("new.sh", "ä b.sh")
    assert Tree(tmp_path).problems == ()


def test_a_file_that_git_knows_and_that_is_gone_is_no_trouble(tmp_path: Path) -> None:
    lay(tmp_path, {"Makefile": "all:\n"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "Makefile")
    (tmp_path / "Makefile").unlink()
    tree = Tree(tmp_path)
    assert (tree.read("Makefile"), tree.trouble("Makefile")) == (None, None)


def test_listing_starts_no_program_of_the_repository(tmp_path: Path) -> None:
    lay(tmp_path, {"Makefile": "all:\n", "spy": "#!/bin/sh\ntouch spied\n"})
    (tmp_path / "spy").chmod(0o755)
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.fsmonitor", str(tmp_path / "spy"))
    git(tmp_path, "config", "core.hooksPath", str(tmp_path))
    assert Tree(tmp_path).paths() == ("Makefile", "spy")
    assert not (tmp_path / "spied").exists()


def test_variables_of_a_git_hook_do_not_lead_to_another_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, {"one/a.sh": "", "two/b.sh": ""})
    git(tmp_path / "one", "init", "-q")
    git(tmp_path / "two", "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "one/.git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "one/.git/index"))
    assert Tree(tmp_path / "two").paths() == ("b.sh",)


def test_a_git_that_refuses_leaves_a_note_and_a_walk(tmp_path: Path) -> None:
    lay(tmp_path, {".git/config": "[broken", "a.sh": ""})
    tree = Tree(tmp_path)
    assert tree.paths() == ("a.sh",)
    assert [(p.path, p.fatal) for p in tree.problems] == [(".", False)]


def test_git_that_cannot_be_started_leaves_a_note_and_a_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, {"a.sh": ""})
    git(tmp_path, "init", "-q")
    monkeypatch.setenv("PATH", str(tmp_path))
    tree = Tree(tmp_path)
    assert tree.paths() == ("a.sh",)
    assert "git cannot be started" in tree.problems[0].message


def test_links_are_listed_and_never_followed_out_of_the_tree_or_round(tmp_path: Path) -> None:
    root = lay(tmp_path / "root", {"real/x.mk": "all:\n"})
    lay(tmp_path, {"outside.mk": "secret:\n"})
    (root / "real/loop").symlink_to("..")
    (root / "folder").symlink_to("real")
    (root / "self").symlink_to("self")
    (root / "Makefile").symlink_to("real/x.mk")
    (root / "out.mk").symlink_to("../outside.mk")
    (root / "broken.mk").symlink_to("nowhere")
    tree = Tree(root)
    assert tree.paths() == ("Makefile", "broken.mk", "folder", "out.mk", "real/loop", "real/x.mk", "self")
    assert tree.links_to("Makefile") == "real/x.mk"
    read = tree.read("Makefile")
    assert read is not None
    assert read.text == "all:\n"
    for path, words in (("out.mk", "out of the tree"), ("broken.mk", "does not exist"), ("self", "")):
        assert tree.read(path) is None
        assert words in (tree.trouble(path) or ""), path
    assert tree.read("folder/x.mk") is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"all:\n\tcc\0\n", "NUL"),
        ("all:\n".encode("utf-16"), "UTF-16"),
        (b"x" * 65, "too large to read (65 bytes; the limit is 64)"),
    ],
)
def test_a_file_that_is_no_text_says_why(tmp_path: Path, content: bytes, words: str) -> None:
    tree = Tree(lay(tmp_path, {"Makefile": content}), limit=64)
    assert tree.read("Makefile") is None
    assert words in (tree.trouble("Makefile") or "")


def test_bytes_that_are_not_utf8_and_line_ends_survive(tmp_path: Path) -> None:
    raw = b"# \xe9t\xe9\r\nall:\r\n"
    source = Tree(lay(tmp_path, {"Makefile": raw})).read("Makefile")
    assert source is not None
    assert source.text.encode("utf-8", "surrogateescape") == raw


def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "Makefile")
    tree = Tree(tmp_path)
    assert tree.paths() == ("Makefile",)
    assert tree.head("Makefile") == b""
    assert tree.read("Makefile") is None
    assert tree.trouble("Makefile") == "is no regular file"


def test_only_listed_files_are_read(tmp_path: Path) -> None:
    lay(tmp_path / "root", {".gitignore": "local.mk\n", "local.mk": "CPU = native\n"})
    lay(tmp_path, {"up.mk": ""})
    git(tmp_path / "root", "init", "-q")
    tree = Tree(tmp_path / "root")
    assert [tree.read(p) for p in ("local.mk", "../up.mk", "/etc/passwd", ".git/config")] == [None] * 4


def test_an_overlay_changes_one_file_and_shares_the_rest(tmp_path: Path) -> None:
    tree = Tree(lay(tmp_path, {"a.sh": "a\n", "b.sh": "b\n"}))
    overlay = tree.with_text("a.sh", "#!/bin/sh\nA\n").with_text("new.sh", "n\n")
    assert [overlay.read(p).text for p in overlay.paths()] == ["#!/bin/sh\nA\n", "b\n", "n\n"]  # type: ignore[union-attr]
    assert overlay.read("b.sh") is tree.read("b.sh")
    assert overlay.head("a.sh") == b"#!/bin/sh\nA\n"
    assert tree.read("a.sh").text == "a\n"  # type: ignore[union-attr]
    assert tree.paths() == ("a.sh", "b.sh")
    assert (tmp_path / "a.sh").read_text() == "a\n"


@pytest.mark.parametrize(
    ("pattern", "hit", "miss"),
    [
        (
            "third_party/**",
            ["third_party/a/b.mk", "third_party/x"],
            ["third_party", "a/third_party/x", "third_partyx/a"],
        ),
        ("third_party", ["third_party", "third_party/a/b"], ["x/third_party", "third_party2"]),
        ("third_party/", ["third_party/a"], ["x/third_party/a"]),
        ("**/vendor", ["vendor/a", "x/y/vendor/a", "x/vendor"], ["x/vendors/a"]),
        ("*.mk", ["a.mk"], ["x/a.mk", "a.mkx"]),
        ("**/*.mk", ["a.mk", "x/y/a.mk"], ["a.mkk"]),
        ("a/**/b", ["a/b", "a/x/y/b", "a/x/b/c"], ["a/xb", "ab"]),
        ("a?c/[xy].sh", ["abc/x.sh"], ["a/c/x.sh", "abc/z.sh"]),
        ("[!a].sh", ["b.sh"], ["a.sh"]),
        ("./x", ["x/y"], ["y"]),
        ("a.b", ["a.b"], ["axb"]),
    ],
)
def test_exclude_globs(pattern: str, hit: list[str], miss: list[str]) -> None:
    assert [p for p in hit if not excluded(p, [pattern])] == []
    assert [p for p in miss if excluded(p, [pattern])] == []


def test_within() -> None:
    assert within("a/b", ["a"])
    assert within("a/b", ["a/b"])
    assert within("a/b", ["."])
    assert not within("ab/b", ["a"])
    assert not within("a/b", [])


def test_what_the_system_refuses_to_open_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, {"shut/x.sh": "", "closed": "#!/bin/sh\n", "open.sh": ""})
    really_open, really_scan = os.open, os.scandir

    def refuse(name: str | os.PathLike[str]) -> None:
        if os.fspath(name).endswith(("shut", "shut/", "closed")):
            raise PermissionError(13, "Permission denied")

    def open_(name: str | os.PathLike[str], flags: int) -> int:
        refuse(name)
        return really_open(name, flags)

    def scandir(name: str | os.PathLike[str]) -> object:
        refuse(name)
        return really_scan(name)

    monkeypatch.setattr("flagguard.discover.os.open", open_)
    monkeypatch.setattr("flagguard.discover.os.scandir", scandir)
    tree = Tree(tmp_path)
    assert tree.paths() == ("closed", "open.sh")
    assert tree.problems == (Problem("shut", 1, "the folder cannot be opened: permission denied"),)
    assert tree.head("closed") is None
    assert (tree.read("closed"), tree.trouble("closed")) == (None, "cannot be read: Permission denied")


def test_a_link_that_may_not_be_followed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cwd.sh").symlink_to("build.sh")
    real = os.path.realpath

    def refused(path: Any, **more: Any) -> str:
        if str(path).endswith("cwd.sh"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **more)

    monkeypatch.setattr(os.path, "realpath", refused)
    tree = Tree(tmp_path)
    assert tree.read("cwd.sh") is None
    assert tree.trouble("cwd.sh") == "is a link that cannot be followed: Permission denied"
    assert tree.head("cwd.sh") is None
