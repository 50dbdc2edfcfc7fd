"""Shell scripts: which files they are, and what their first line says."""

import pytest

from flagguard.command import Dialect
from flagguard.hosts import shellscript

from .support import reading


@pytest.mark.parametrize(
    ("path", "head", "claimed"),
    [
        ("a.sh", b"", True),
        ("a.bash", b"x", True),
        (".husky/pre-commit", b"x", True),
        (".husky/_/pre-commit", b"x", False),
        ("a.sh", b"#!/bin/sh\n", True),
        ("a.sh", b"#!/usr/bin/env python3\n", False),
        ("a.sh", b"#!@SHELL@\n", True),
        ("configure", b"#! /bin/sh\n# Guess", True),
        ("a", b"#!/usr/bin/env bash\n", True),
        ("a", b"#!/usr/bin/env -S bash -e\n", True),
        ("a", b"#!/usr/bin/env -u X A=b dash\n", True),
        ("a", b"#!/bin/busybox sh\n", True),
        ("a.py", b"#!/usr/bin/python\n", False),
        ("a", b"#!/usr/bin/make -f\n", False),
        ("a", b"bash\n", False),
        ("a", b"\xff\xfe#!", False),
        ("a", b"#!", False),
        ("a.txt", b"#!/bin/zsh", True),
    ],
)
def test_which_files_are_read(path: str, head: bytes, claimed: bool) -> None:
    assert shellscript.claims(path, head) is claimed


@pytest.mark.parametrize(
    ("path", "text", "expected", "told"),
    [
        ("a.sh", "x\n", (Dialect.BASH, False, False), 0),
        ("a.sh", "#!/bin/sh\nx\n", (Dialect.SH, False, False), 0),
        ("a", "#!/bin/bash -e\nx\n", (Dialect.BASH, True, False), 0),
        ("a", "#!/bin/bash -euo pipefail\nx\n", (Dialect.BASH, True, True), 0),
        ("a", "#!/usr/bin/env -S bash --norc -eo pipefail\nx\n", (Dialect.BASH, True, True), 0),
        ("a", "#!/usr/bin/env zsh\nx\n", (Dialect.BASH, False, False), 1),
        ("a.ksh", "x\n", (Dialect.BASH, False, False), 1),
        ("a", "#!/usr/bin/fish\nx\n", (Dialect.UNREAD, False, False), 1),
        ("a.fish", "x\n", (Dialect.UNREAD, False, False), 1),
        (".husky/pre-commit", "#!/usr/bin/env bash\nx\n", (Dialect.SH, True, False), 0),
    ],
)
def test_the_first_line_says_the_shell(path: str, text: str, expected: tuple[Dialect, bool, bool], told: int) -> None:
    found = reading(shellscript, text, path)
    (script,) = found.scripts
    assert (script.dialect, script.errexit, script.pipefail) == expected
    assert script.text.text == text
    assert [p.fatal for p in found.problems] == [False] * told
