"""GitLab CI/CD: which platform a job runs on, and in which shell.

Sources: https://docs.gitlab.com/ci/runners/hosted_runners/ (linux, macos, windows; as of 2026-11), and for the shells
https://docs.gitlab.com/runner/shells/: bash where there is one, else sh, both with `set -eo pipefail`; PowerShell on
Windows.
"""

import re
from collections.abc import Sequence

from flagguard.command import Dialect
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import Shell, own_runner, speaking

_SIZES = r"(?:small|medium|large|xlarge|2xlarge)"
_HOSTED: tuple[tuple[str, str], ...] = (
    (rf"saas-linux-{_SIZES}-amd64(?:-gpu-[a-z]+)?", "linux-x86_64"),
    (rf"saas-linux-{_SIZES}-arm64", "linux-aarch64"),
    (r"saas-macos-(?:medium-m\d|large-m\d\w*)", "macos-arm64"),
    (rf"saas-windows-{_SIZES}-amd64", "windows-x86_64"),
    # names of before 2024
    (r"gitlab-org(?:-docker)?|shared-linux", "linux-x86_64"),
    (r"shared-windows", "windows-x86_64"),
    (r"shared-macos-amd64", "macos-x86_64"),
)
_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), platform) for pattern, platform in _HOSTED)
_OF_IMAGES = {"amd64": "linux-x86_64", "arm64": "linux-aarch64", "ppc64le": "linux-ppc64le", "s390x": "linux-s390x",
              "riscv64": "linux-riscv64", "386": "linux-i686"}  # fmt: skip
_BARE = re.compile(r"(?:.*/)?(?:alpine|busybox)(?::.*)?")
"""Images in which there is no bash."""


def platforms_of(tags: Sequence[str], image: str, wanted: str, setting: Setting) -> frozenset[str] | None:
    """The platforms that a job with these tags and this image may run on; None: any.

    Without tags it is a runner for Linux on x86-64, as on GitLab.com.
    """
    built_for = _OF_IMAGES.get(wanted.lower().removeprefix("linux/").partition("/")[0])
    own = own_runner(tags, setting.runners)
    if built_for is not None or own is not None:
        return frozenset({built_for or own or ""})
    for tag in tags:
        for pattern, platform in _PATTERNS:
            if pattern.fullmatch(tag):
                return frozenset({platform})
    if not tags:
        return frozenset({"linux-x86_64"})
    return speaking(tags, setting, "linux" if image else None)


def shell_for(platforms: frozenset[str] | None, image: str) -> Shell:
    if platforms and all(p.startswith("windows-") for p in platforms):
        return Shell(Dialect.POWERSHELL)
    dialect = Dialect.SH if _BARE.fullmatch(image) else Dialect.BASH
    return Shell(dialect, errexit=True, pipefail=True)
