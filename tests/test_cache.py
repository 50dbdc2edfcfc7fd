"""cache: values come back under their key alone, and nothing that is not ours is ever read."""

import os
from pathlib import Path

import pytest

from flagguard import cache

VALUE = {"a": (1, "x", None), "b": [b"y", frozenset({2})]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLAGGUARD_CACHE", str(tmp_path / "kept"))
    cache.save("name", b"key", VALUE)
    (made,) = (tmp_path / "kept").iterdir()
    return made


def test_a_value_comes_back_under_its_key(folder: Path) -> None:
    assert cache.load("name", b"key") == VALUE
    assert [cache.load("name", key) for key in (b"", b"ke", b"keys", b"other")] == [None] * 4
    assert cache.load("another", b"key") is None
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "name").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == ["name"]


def test_a_damaged_file_holds_nothing(folder: Path) -> None:
    """Each byte changed, each length cut, and nonsense with a right checksum."""
    whole = (folder / "name").read_bytes()
    for at in range(len(whole)):
        (folder / "name").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert cache.load("name", b"key") is None, at
        (folder / "name").write_bytes(whole[:at])
        assert cache.load("name", b"key") is None, at
    body = b"key" + b"\xff\xff\xff"
    head = cache._HEAD + cache.crc32(body).to_bytes(4, "little") + (3).to_bytes(4, "little")
    (folder / "name").write_bytes(head + body)
    assert cache.load("name", b"key") is None
    cache.save("name", b"key", VALUE)
    assert cache.load("name", b"key") == VALUE


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o707, 0o750])
def test_a_folder_that_others_may_enter_is_not_used(mode: int, folder: Path) -> None:
    folder.chmod(mode)
    assert cache.load("name", b"key") is None
    cache.save("name", b"key", "new")
    folder.chmod(0o700)
    assert cache.load("name", b"key") == VALUE


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_read(mode: int, folder: Path) -> None:
    (folder / "name").chmod(mode)
    assert cache.load("name", b"key") is None


def test_what_belongs_to_somebody_else_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache.load("name", b"key") is None


def test_no_link_is_followed(folder: Path) -> None:
    real = folder.parent.parent / "real"
    (folder / "name").rename(real)
    (folder / "name").symlink_to(real)
    assert cache.load("name", b"key") is None
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(folder.parent / "elsewhere")
    assert cache._folder() is None


@pytest.mark.parametrize("said", ["off", "OFF", "0", "no"])
def test_it_can_be_turned_off(said: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGGUARD_CACHE", said)
    cache.save("name", b"other", 1)
    assert cache.load("name", b"key") is None
    assert not Path(said).exists()


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/flagguard"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/flagguard"),
        ({"XDG_CACHE_HOME": "", "HOME": "/h"}, "/h/.cache/flagguard"),
        ({"XDG_CACHE_HOME": "", "HOME": "relative"}, None),
    ],
)
def test_where_it_is(variables: dict[str, str], expected: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("FLAGGUARD_CACHE", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache._place() == expected


def test_where_no_folder_can_be_made_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FLAGGUARD_CACHE", str(tmp_path / "file" / "x"))
    cache.save("name", b"key", VALUE)
    assert cache.load("name", b"key") is None
    cache.prune("")


def test_a_value_that_cannot_be_written_is_not_kept(folder: Path) -> None:
    cache.save("name", b"key", object())
    assert cache.load("name", b"key") == VALUE


def test_only_the_last_files_of_a_kind_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST", 2)
    for number in range(4):
        cache.save(f"tree-{number}", b"", number)
        os.utime(folder / f"tree-{number}", (number, number))
    cache.prune("tree-")
    assert sorted(path.name for path in folder.iterdir()) == ["name", "tree-2", "tree-3"]
