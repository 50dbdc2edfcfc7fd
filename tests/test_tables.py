"""tables: the package's data files, the same with and without a cache."""

import os
import tomllib
from pathlib import Path

import pytest

from flagguard import tables

PACKAGE = Path(tables.__file__).parent


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.toml")), ids=lambda path: path.name)
def test_a_kept_table_is_the_one_that_the_file_holds(path: Path) -> None:
    expected = tomllib.loads(path.read_text("utf-8"))
    assert tables.table_at(str(path)) == expected
    assert tables.table_at(str(path)) == expected


def test_a_file_that_was_written_again_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    for number, text in enumerate(["a = 1", "a = 2", "a = 2\nb = 3"]):
        path.write_text(text)
        os.utime(path, ns=(number, number))
        assert tables.table_at(str(path)) == tomllib.loads(text)


def test_two_files_of_one_name_are_two(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "own.toml").write_text(f"a = '{folder}'")
        os.utime(tmp_path / folder / "own.toml", ns=(0, 0))
    assert [tables.table_at(str(tmp_path / f / "own.toml"))["a"] for f in ("x", "y", "x")] == ["x", "y", "x"]


def test_a_kept_value_that_is_no_table_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own.toml"
    path.write_text("a = 1")
    monkeypatch.setattr(tables.store, "load", lambda name, key: ["a"])
    assert tables.table_at(str(path)) == {"a": 1}


def test_a_table_with_a_date_is_read_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("a = 2026-11-30")
    assert str(tables.table_at(str(path))["a"]) == "2026-11-30"
