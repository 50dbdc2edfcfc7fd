"""Makefiles: which files are read, and the facts of each recipe line's place. The language is tested in tests/make."""

import pytest

from flagguard.hosts import makefile

from .support import reading


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        ("Makefile", True),
        ("GNUmakefile", True),
        ("sub/makefile", True),
        ("rules.mk", True),
        ("Makefile.linux", True),
        ("Makefile.am", True),
        ("Makefile.in", True),
        ("win.mak", True),
        ("Makefile.py", False),
        ("Makefile.md", False),
        ("makefile_test.c", False),
        ("cmake/x.cmake", False),
    ],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert makefile.claims(path, b"") is claimed


def test_a_recipe_line_is_a_script_with_its_target() -> None:
    found = reading(makefile, "build-%: ; @cc $*\nrel dbg:\n\t-cc x \\\n\t  -c\n\tld\n", "Makefile")
    assert found.problems == ()
    assert [(s.place.host, s.place.target, s.text.shown, s.ignored) for s in found.scripts] == [
        ("makefile", "rel", "cc x \\\n  -c", True),
        ("makefile", "rel", "ld", False),
        ("makefile", "dbg", "cc x \\\n  -c", True),
        ("makefile", "dbg", "ld", False),
        ("makefile", "build-%", "cc $*", False),
    ]


def test_an_include_is_a_dependency_whether_it_is_there_or_not() -> None:
    found = reading(makefile, "include a.mk\n-include b.mk\nall: ; x\n", "sub/Makefile")
    assert found.depends == ("sub/a.mk", "sub/b.mk")
