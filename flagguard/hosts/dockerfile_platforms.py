"""The platforms of images, by the names that Docker has for them.

Follows "Automatic platform ARGs in the global scope" in https://docs.docker.com/reference/dockerfile/ and the platform
specifiers of containerd (https://github.com/containerd/platforms, "Parse").
"""

from collections.abc import Iterable

_NAMES: dict[str, tuple[str, str, str]] = {
    # platform: TARGETOS, TARGETARCH, TARGETVARIANT
    "linux-x86_64": ("linux", "amd64", ""),
    "linux-aarch64": ("linux", "arm64", ""),
    "linux-armv7l": ("linux", "arm", "v7"),
    "linux-i686": ("linux", "386", ""),
    "linux-ppc64le": ("linux", "ppc64le", ""),
    "linux-riscv64": ("linux", "riscv64", ""),
    "linux-s390x": ("linux", "s390x", ""),
    "windows-x86_64": ("windows", "amd64", ""),
    "windows-arm64": ("windows", "arm64", ""),
    "freebsd-x86_64": ("freebsd", "amd64", ""),
}
_MACHINES = {
    "amd64": "x86_64",
    "x86_64": "x86_64",
    "x86-64": "x86_64",
    "arm64": "aarch64",
    "aarch64": "aarch64",
    "arm": "armv7l",
    "armhf": "armv7l",
    "armel": "armv7l",
    "386": "i686",
    "i386": "i686",
    "ppc64le": "ppc64le",
    "riscv64": "riscv64",
    "s390x": "s390x",
}


def parse(text: str) -> str | None:
    """The platform that `linux/arm64/v8` means; None for one that has no name here."""
    parts = text.strip().lower().split("/")
    system = parts[0] if len(parts) > 1 or parts[0] in ("linux", "windows", "freebsd") else "linux"
    machine = _MACHINES.get(parts[1] if len(parts) > 1 else parts[0])
    if machine == "aarch64" and system == "windows":
        machine = "arm64"
    found = f"{system}-{machine}"
    return found if found in _NAMES else None


def specifier(platform: str) -> str:
    """`linux/arm/v7` for a platform."""
    return "/".join(part for part in _NAMES[platform] if part)


def arguments(prefix: str, platform: str) -> dict[str, str]:
    """The automatic arguments: `TARGETARCH` and its kin."""
    system, machine, variant = _NAMES[platform]
    return {
        f"{prefix}PLATFORM": specifier(platform),
        f"{prefix}OS": system,
        f"{prefix}ARCH": machine,
        f"{prefix}VARIANT": variant,
    }


def of_machine(platform: str) -> str:
    """The platform of the images that a machine builds when it is not told: containers are Linux, but for Windows' own.

    Docker on macOS and on Windows runs them in a virtual machine of the same processor.
    """
    if platform in _NAMES and not platform.startswith(("windows", "freebsd")):
        return platform
    return "linux-aarch64" if platform.endswith(("arm64", "aarch64")) else "linux-x86_64"


def linux(platforms: Iterable[str]) -> tuple[str, ...]:
    """Those that a Linux image may be built for."""
    return tuple(p for p in platforms if p.startswith("linux-") and p in _NAMES) or ("linux-x86_64",)
