"""Variables in which CI systems tell a script the platform of its machine.

Sources: "Default environment variables" of GitHub Actions, "Predefined variables" of Azure Pipelines, "Default
environment variables" of Travis CI, "Environment variables" of Cirrus CI, "DRONE_STAGE_OS" and "DRONE_STAGE_ARCH" of
Drone; as of 2026-11. Whether a script has them at all is the business of whoever runs it.
"""

from collections.abc import Mapping

_GO = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64", "armv7l": "arm"}
"""Architectures by the names that Go has for them, as Travis and others do."""
_OF_RUNNERS = {"x86_64": "X64", "aarch64": "ARM64", "arm64": "ARM64", "armv7l": "ARM", "i686": "X86"}
_TRAVIS = {**_GO, "ppc64le": "ppc64le", "s390x": "s390x"}

_SYSTEMS: Mapping[str, Mapping[str, str]] = {
    "OS": {"windows": "Windows_NT"},  # Windows sets it itself
    "RUNNER_OS": {"linux": "Linux", "macos": "macOS", "windows": "Windows"},
    "AGENT_OS": {"linux": "Linux", "macos": "Darwin", "windows": "Windows_NT"},
    "TRAVIS_OS_NAME": {"linux": "linux", "macos": "osx", "windows": "windows", "freebsd": "freebsd"},
    "CIRRUS_OS": {"linux": "linux", "macos": "darwin", "windows": "windows", "freebsd": "freebsd"},
    "DRONE_STAGE_OS": {"linux": "linux", "macos": "darwin", "windows": "windows", "freebsd": "freebsd"},
}
_ARCHITECTURES: Mapping[str, Mapping[str, str]] = {
    "RUNNER_ARCH": _OF_RUNNERS,
    "AGENT_OSARCHITECTURE": _OF_RUNNERS,
    "TRAVIS_CPU_ARCH": _TRAVIS,
    "CIRRUS_ARCH": _GO,
    "DRONE_STAGE_ARCH": _GO,
}

SURE: Mapping[str, str] = {
    **dict.fromkeys("CI GITHUB_ACTIONS GITLAB_CI CIRCLECI TRAVIS BUILDKITE CIRRUS_CI DRONE".split(), "true"),
    "TF_BUILD": "True",
}
"""What says that a CI system runs the script, where one does; of AppVeyor `CI` is `True` on Windows."""
ANNOUNCING = _SYSTEMS.keys() | _ARCHITECTURES.keys()
"""The variables themselves."""


def announced(name: str, platform: str) -> str | None:
    """What the variable says on the platform; None: it says nothing of it."""
    system, _, machine = platform.partition("-")
    found = _SYSTEMS[name].get(system) if name in _SYSTEMS else None
    return found if found is not None or name not in _ARCHITECTURES else _ARCHITECTURES[name].get(machine)
