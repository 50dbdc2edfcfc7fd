"""Which platform a job of GitHub Actions runs on, by the labels of its runner.

Source: https://docs.github.com/en/actions/reference/runners/github-hosted-runners and
https://docs.github.com/en/actions/reference/runners/larger-runners, as of 2026-11; for self-hosted runners the labels
that GitHub gives by itself: https://docs.github.com/en/actions/reference/runners/self-hosted-runners.
"""

import re
from collections.abc import Mapping, Sequence

from flagguard import globs
from flagguard.command import PLATFORMS

_HOSTED: tuple[tuple[str, str], ...] = (
    (r"ubuntu-(?:latest|slim|\d\d\.\d\d)", "linux-x86_64"),
    (r"ubuntu-(?:latest|\d\d\.\d\d)-arm(?:64)?", "linux-aarch64"),
    (r"windows-(?:latest|20\d\d)(?:-vs\d+)?", "windows-x86_64"),
    (r"windows-(?:latest|\d\d)(?:-vs\d+)?-arm(?:64)?", "windows-arm64"),
    # Up to macos-13 the standard runner was an Intel machine; `-large` and `-intel` still are.
    (r"macos-(?:10\.15|11|12|13)(?:-large)?", "macos-x86_64"),
    (r"macos-(?:latest|\d\d)-(?:large|intel)", "macos-x86_64"),
    (r"macos-(?:latest|1[4-9]|[2-9]\d)", "macos-arm64"),
    (r"macos-(?:latest|\d\d)-xlarge", "macos-arm64"),
)
_LARGER = (
    # "Larger runners" have names that an organisation gives; these are the ones that GitHub's pages propose.
    (r"ubuntu-(?:latest|\d\d\.\d\d)-\d+-?cores?|ubuntu-\d\d\.\d\d-(?:xl|l|m)|gpu-t4-\d+-core", "linux-x86_64"),
    (r"ubuntu-(?:latest|\d\d\.\d\d)-arm(?:64)?-\d+-?cores?", "linux-aarch64"),
    (r"windows-(?:latest|20\d\d)-\d+-?cores?", "windows-x86_64"),
)
_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), platform) for pattern, platform in _HOSTED)
_LARGER_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), platform) for pattern, platform in _LARGER)

_SYSTEMS = {"linux": "linux-", "macos": "macos-", "windows": "windows-"}
_ARCHITECTURES = {"x64": ("x86_64",), "arm64": ("aarch64", "arm64"), "arm": ("armv7l",)}

_OS = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}
_ARCH = {"x86_64": "X64", "aarch64": "ARM64", "arm64": "ARM64", "armv7l": "ARM", "i686": "X86"}


def is_hosted(labels: Sequence[str]) -> bool:
    """Whether the labels are those of GitHub's standard runners."""
    return any(pattern.fullmatch(label) for label in labels for pattern, _ in _PATTERNS)


def platforms_of(labels: Sequence[str], own: Mapping[str, str]) -> frozenset[str] | None:
    """The platforms that a runner with all these labels can have; None: any. ``own``: the repository's own labels."""
    for label in labels:
        for named, platform in own.items():
            if named.lower() == label.lower() or globs.matches(named.lower(), label.lower()):
                return frozenset({platform})
    for label in labels:
        for pattern, platform in (*_PATTERNS, *_LARGER_PATTERNS):
            if pattern.fullmatch(label):
                return frozenset({platform})
    lower = {label.lower() for label in labels}
    if "self-hosted" not in lower:
        return None
    found = set(PLATFORMS)
    for name, begin in _SYSTEMS.items():
        if name in lower:
            found &= {p for p in found if p.startswith(begin)}
    for name, ends in _ARCHITECTURES.items():
        if name in lower:
            found &= {p for p in found if p.partition("-")[2] in ends}
    return frozenset(found) if found and len(found) < len(PLATFORMS) else None


def runner_os(platform: str) -> str | None:
    """``runner.os`` and ``$RUNNER_OS``: https://docs.github.com/en/actions/reference/workflows-and-actions/contexts"""
    return _OS.get(platform.partition("-")[0])


def runner_arch(platform: str) -> str | None:
    return _ARCH.get(platform.partition("-")[2])
