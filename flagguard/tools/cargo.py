"""`cargo --config KEY=VALUE`: the rustflags in it (The Cargo Book, "Configuration", `build.rustflags`, `target.*`)."""

import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

from flagguard.command import Word, word
from flagguard.text import Decider, Hole, SourceText, Traced, hole
from flagguard.tools.platforms import from_triple, split

Read = Callable[[str], SourceText | None]

TARGET_RANK, BUILD_RANK = 3, 4
"""The order in which cargo asks the sources of flags; 1 and 2 are the environment's."""


def rustflags(setting: Traced, platform: str, read: Read | None = None) -> Iterable[tuple[int, list[Word]]]:
    """The flags that a `--config` argument, or the file that it names, sets for the platform, with their source's rank.

    What cannot be read is one word with a hole: it may set them.
    """
    text: Traced | None = setting
    if "=" not in setting.text:
        source = read(setting.text) if read is not None and setting.known else None
        text = source.traced() if source is not None else None
    try:
        table = tomllib.loads(text.text) if text is not None else None
    except tomllib.TOMLDecodeError:
        table = None
    if table is None or text is None:
        if "=" not in setting.text or (setting.holes and "rustflags" in setting.text):
            yield BUILD_RANK, [_unread(setting)]
        return
    build = table.get("build")
    if isinstance(build, dict) and "rustflags" in build:
        yield BUILD_RANK, _words(build["rustflags"], text)
    targets = table.get("target")
    if isinstance(targets, dict):
        for name, own in targets.items():
            if isinstance(own, dict) and "rustflags" in own and target_fits(name, platform):
                yield TARGET_RANK, _words(own["rustflags"], text)


def _unread(setting: Traced) -> Word:
    decider = Decider.REPOSITORY if setting.known else setting.holes[0].decider
    return word(hole(Hole(setting.shown, "the configuration that it names is not known", decider), setting.route))


def _words(value: Any, setting: Traced) -> list[Word]:
    texts = value.split() if isinstance(value, str) else [v for v in value if isinstance(v, str)]
    out = []
    at = 0
    for text in texts:
        found = setting.text.find(text, at)
        if found < 0:
            found = setting.text.find(text)
        if found >= 0:
            out.append(word(setting.cut(found, found + len(text))))
            at = found + len(text)
        else:
            out.append(Word())
    return out


def target_fits(name: str, platform: str) -> bool:
    """Whether a triple or a `cfg(…)` speaks of the platform."""
    found = re.fullmatch(r"cfg\((.*)\)", name.strip(), re.DOTALL)
    if found is None:
        return from_triple(name, platform) == platform
    return _cfg(re.findall(r'[\w]+|"[^"]*"|[(),=]', found[1]), [0], platform)


def _cfg(tokens: list[str], at: list[int], platform: str) -> bool:
    """One predicate; `at` is where to read on."""
    name = tokens[at[0]] if at[0] < len(tokens) else ""
    at[0] += 1
    following = tokens[at[0]] if at[0] < len(tokens) else ""
    if following == "(":
        at[0] += 1
        inner = []
        while at[0] < len(tokens) and tokens[at[0]] != ")":
            if tokens[at[0]] == ",":
                at[0] += 1
                continue
            inner.append(_cfg(tokens, at, platform))
        at[0] += 1
        return {"all": all(inner), "any": any(inner), "not": not all(inner)}.get(name, False)
    system, machine = split(platform)
    if following == "=":
        value = tokens[at[0] + 1].strip('"') if at[0] + 1 < len(tokens) else ""
        at[0] += 2
        facts = {
            "target_os": system,
            "target_arch": {"ppc64le": "powerpc64", "i686": "x86", "armv7l": "arm"}.get(machine, machine),
            "target_family": "windows" if system == "windows" else "unix",
            "target_pointer_width": "32" if machine in ("i686", "armv7l") else "64",
            "target_env": {"linux": "gnu", "windows": "msvc"}.get(system, ""),
            "target_vendor": {"macos": "apple", "windows": "pc"}.get(system, "unknown"),
        }
        return facts.get(name) == value
    return name in ("windows" if system == "windows" else "unix", "true")
