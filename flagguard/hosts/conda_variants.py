"""The variants of a conda recipe: `conda_build_config.yaml` and `variants.yaml` beside it.

Follows conda-build's documentation, "Build variants" (Creating conda-build variant config files), and rattler-build's
"Variants". Which combinations are built is not worked out: a key with several values may have any of them.
"""

import posixpath
from collections.abc import Iterator, Mapping

from flagguard.hosts import Setting, conda_text
from flagguard.hosts.conda_platform import facts
from flagguard.hosts.conda_selectors import Values, typed
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.text import Decider, Hole, Problem, SourceText, Traced, hole

_FILES = ("conda_build_config.yaml", "variants.yaml")
_RULES = frozenset({"zip_keys", "pin_run_as_build", "extend_keys", "ignore_version", "ignore_build_only_deps"})
Variants = Mapping[str, tuple[Traced, ...]]


def variants(source: SourceText, setting: Setting, platform: str) -> tuple[Variants, tuple[Problem, ...]]:
    """The values that the files beside a recipe give to each key on a platform."""
    found: dict[str, tuple[Traced, ...]] = {}
    problems: dict[Problem, None] = {}
    known: Values = {name: (value,) for name, value in facts(platform).items()}
    for name in _FILES:
        path = posixpath.join(posixpath.dirname(source.path), name)
        config = setting.files.read(path)
        if config is None:
            continue
        views, told = conda_text.views(config, known, {})
        problems.update(dict.fromkeys(told))
        for view in views:
            for entry in view.root.entries if isinstance(view.root, Table) else ():
                key = entry.name.partition("\0")[0]
                if key not in _RULES:
                    before = found.get(key, ())
                    found[key] = (*before, *(text for text in _texts(entry.value) if text not in before))
    return found, tuple(problems)


def _texts(node: Node) -> Iterator[Traced]:
    """The values of a key; those of both arms of a condition."""
    for item in node.items if isinstance(node, Items) else (node,):
        if isinstance(item, Scalar):
            yield item.text
        elif isinstance(item, Table):
            for arm in ("then", "else"):
                inner = item.get(arm)
                if inner is not None:
                    yield from _texts(inner)


def for_selectors(variants: Variants) -> Values:
    return {
        name: tuple(typed(text.text) for text in texts)
        for name, texts in variants.items()
        if texts and all(text.known for text in texts)
    }


def one_of(name: str, texts: tuple[Traced, ...]) -> Traced:
    """The value of a key: the only one, or any of them."""
    if len(texts) == 1:
        return texts[0]
    if not texts:
        return hole(Hole(f"${name}", "no variant gives it a value", Decider.OUTSIDE, name=name))
    return hole(Hole(f"${name}", "the variant decides it", Decider.OUTSIDE, name=name, among=texts), texts[0].route)
