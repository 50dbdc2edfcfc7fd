"""Globs on names and on paths."""

import pytest

from flagguard import globs


@pytest.mark.parametrize(
    ("pattern", "text", "path", "expected"),
    [
        ("dist-*", "dist-lib", False, True),
        ("dist-*", "mydist-lib", False, False),
        ("*", "a/b", False, True),
        ("linux/amd64", "linux/amd64", False, True),
        ("a?c", "abc", False, True),
        ("[a-c]x", "bx", False, True),
        ("[!a-c]x", "bx", False, False),
        ("[!a-c]x", "dx", False, True),
        (".[[]dev]", ".[dev]", False, True),
        ("[]]", "]", False, True),
        ("a.c", "abc", False, False),
        ("A", "a", False, False),
        ("*.sh", "a.sh", True, True),
        ("*.sh", "x/a.sh", True, False),
        ("**/*.sh", "a.sh", True, True),
        ("**/*.sh", "x/y/a.sh", True, True),
        ("x/**", "x/y/z", True, True),
        ("x/**", "x", True, False),
        ("x/**/z", "x/z", True, True),
        ("x/**/z", "x/a/b/z", True, True),
        ("**", "a/b", True, True),
        ("Dockerfile*", "Dockerfile.dev", True, True),
        ("**/Dockerfile*", "docker/Dockerfile", True, True),
        ("a?b", "a/b", True, False),
    ],
)
def test_matching(pattern: str, text: str, path: bool, expected: bool) -> None:
    assert globs.matches(pattern, text, path=path) is expected


@pytest.mark.parametrize(("pattern", "told"), [("a[b", "a `[` without its `]`"), ("[z-a]", "backwards")])
def test_bad_globs(pattern: str, told: str) -> None:
    assert told in (globs.fault(pattern) or "")


def test_good_globs_have_no_fault() -> None:
    assert globs.fault("**/[a-z]*") is None
