"""The platform that an invocation builds for: its target options, the environment, the program's cross prefix.

The catalogue's `[effective.platform]` tables say which options and variables name it, and in whose words.
"""

from collections.abc import Iterable, Mapping, Sequence

from flagguard.text import HOLE_MARK, Traced
from flagguard.tools.platforms import architecture, from_triple, platform_of, split
from flagguard.tools.streams import Stream


def builds_for(streams: Sequence[Stream], cross: str, env: Mapping[str, Traced], platform: str) -> str:
    """The platform of the product: target options, then the environment, then the program's cross prefix."""
    found = from_triple(cross, platform) if cross and HOLE_MARK not in cross else platform
    for stream in streams:
        own = stream.tool.effective.get("platform", {})
        for variable, kind in own.get("environment", {}).items():
            if variable in env and env[variable].known:
                found = _named(kind, env[variable].text, found)
    for kind, text in platform_options(streams):
        found = _named(kind, text, found)
    return found


def platform_options(streams: Sequence[Stream]) -> Iterable[tuple[str, str]]:
    """What options say of the platform, and in which way: a triple, a machine, a system, bits."""
    for stream in streams:
        own = stream.tool.effective.get("platform", {})
        for option in stream.parse.options:
            names = set(option.names)
            for kind in ("triple", "machine", "system"):
                given = names & set(own.get(kind, ()))
                if given and option.value is not None and option.value.known and option.value.text:
                    yield kind, option.value.text
            for spelled, machine in own.get("switches", {}).items():
                if spelled in names:
                    yield "bits", machine


def _named(kind: str, text: str, platform: str) -> str:
    system, machine = split(platform)
    first = text.replace(";", ",").split(",")[0].strip()
    if kind == "machine":
        return platform_of(system, architecture(first) or machine)
    if kind == "bits":
        return platform_of(system, first) if machine in ("x86_64", "i686") else platform
    if kind == "system":
        return from_triple(f"{machine}-{first.lower()}", platform)
    return from_triple(first, platform)
