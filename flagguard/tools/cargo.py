"""`cargo --config KEY=VALUE`: the rustflags in it (The Cargo Book, "Configuration", `build.rustflags`, `target.*`)."""

import tomllib
from collections.abc import Callable, Iterable
from typing import Any

from flagguard.command import Word, word
from flagguard.text import Decider, Hole, SourceText, Traced, hole
from flagguard.tools.rust_targets import fits_platform

Read = Callable[[str], SourceText | None]

TARGET_RANK, BUILD_RANK = 3, 4
"""The order in which cargo asks the sources of flags; 1 and 2 are the environment's."""


def rustflags(setting: Traced, platform: str, read: Read | None = None) -> Iterable[tuple[int, list[Word], bool]]:
    """The flags that a `--config` argument, or the file that it names, sets for the platform, with their source's rank.

    At last whether they come behind others of the rank: those of a `cfg()` do. What cannot be read is one word with a
    hole: it may set them.
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
            yield BUILD_RANK, [_unread(setting)], False
        return
    build = table.get("build")
    if isinstance(build, dict) and "rustflags" in build:
        yield BUILD_RANK, _words(build["rustflags"], text), False
    targets = table.get("target")
    if isinstance(targets, dict):
        for name, own in targets.items():
            if isinstance(own, dict) and "rustflags" in own and fits_platform(name, platform):
                yield TARGET_RANK, _words(own["rustflags"], text), name.startswith("cfg(")


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
