"""What an assignment is in each format, so that it can be taken away: a line, an entry of `env`, a word (DESIGN 3).

Knows how formats write text, as surface.py does; knows nothing of flags, rules or verdicts.
"""

import re
from typing import TYPE_CHECKING

from flagguard.sabotage.surface import NO_SHELL, Region, Style, Surface
from flagguard.sabotage.syntax import pair_above

if TYPE_CHECKING:
    from tree_sitter import Node

_ENVIRONMENTS = frozenset(
    ("env", "environment", "variables", "global", "args", "matrix", "containerEnv", "remoteEnv", "cacheVariables")
)
"""Keys of YAML files that hold variables; the default of an input is one, too."""
_SCRIPTS = frozenset(("script", "before_script", "after_script", "run", "command", "commands"))
_ASSIGNED = re.compile(
    r"\s*(?:(?:export|override|private|unexport)\s+)*(?:[^:=#\t]+:\s+)?[\w.\-]+\s*(?:::?:?|\?|\+|!)?="
)


def assignment(surface: Surface, start: int, end: int) -> tuple[int, int, str] | None:
    """What to put where, to take away the assignment (or the entry of `env`) whose value holds the place."""
    if surface.language == "make":
        region = surface.region(start)
        if region.style is Style.MAKE:
            return _make_line(surface, region)
    if surface.language == "ini":
        return _ini_line(surface, start, end)
    if surface.language == "yaml":
        found = _yaml_entry(surface, start, end)
        if found is not None:
            return found
    if surface.language == "toml":
        found = _toml_entry(surface, start, end)
        if found is not None:
            return found
    if surface.language == "hcl":
        return _hcl_line(surface, start, end)
    if surface.language == "dockerfile" and surface.region(start).style is Style.INSTRUCTION:
        from flagguard.sabotage import dockerfile_surface

        return dockerfile_surface.assignment(surface.source, start, end)
    return _shell_assignment(surface, start, end)


def _ini_line(surface: Surface, start: int, end: int) -> tuple[int, int, str] | None:
    """A variable of `set_env` on a line of its own."""
    region = surface.line_of_make(start)
    line = surface.text[region.start : region.end]
    if end > region.end or not re.match(r"[ \t]+[\w.]+[ \t]*=", line):
        return None
    following = surface.text.find("\n", region.end)
    return region.start, len(surface.text) if following < 0 else following + 1, ""


def _hcl_line(surface: Surface, start: int, end: int) -> tuple[int, int, str] | None:
    """An attribute on a line of its own."""
    first, last = surface.line_start(start), surface.text.find("\n", end)
    alone = re.match(r'[ \t]*"?[\w.-]+"?[ \t]*=[^{}\[]*$', surface.text[first:start]) and last >= 0
    return (first, last + 1, "") if alone and not set(surface.text[end:last]) & set("{}[]") else None


def _make_line(surface: Surface, region: Region) -> tuple[int, int, str] | None:
    if not _ASSIGNED.match(surface.text[region.start : region.end]):
        return None
    following = surface.text.find("\n", region.end)
    return region.start, len(surface.text) if following < 0 else following + 1, ""


def _shell_assignment(surface: Surface, start: int, end: int) -> tuple[int, int, str] | None:
    region = surface.region(start)
    if region.style in NO_SHELL:
        return None
    syntax = surface.shell(region)
    for node in syntax.at(start - region.start, end - region.start):
        if node.type != "variable_assignment" or node.parent is None:
            continue
        parent = node.parent
        if parent.type in ("command", "variable_assignments"):
            return _without_blank(surface, *_shifted(syntax.range(node), region))
        if parent.type == "declaration_command":
            others = [n for n in parent.named_children if n.type in ("variable_assignment", "variable_name")]
            if len(others) > 1:
                return _without_blank(surface, *_shifted(syntax.range(node), region))
            return *_shifted(syntax.range(parent), region), "true"
        return *_shifted(syntax.range(node), region), "true"
    return None


def _shifted(place: tuple[int, int], region: Region) -> tuple[int, int]:
    return place[0] + region.start, place[1] + region.start


def _without_blank(surface: Surface, start: int, end: int) -> tuple[int, int, str]:
    if surface.text[end : end + 1] in (" ", "\t"):
        return start, end + 1, ""
    if surface.text[start - 1 : start] in (" ", "\t"):
        return start - 1, end, ""
    return start, end, ""


def _yaml_entry(surface: Surface, start: int, end: int) -> tuple[int, int, str] | None:
    for node in surface.syntax.at(start, end):
        if node.type not in ("block_mapping_pair", "flow_pair"):
            continue
        above = pair_above(node)
        if _key(surface, node) in _SCRIPTS:
            return None
        outer = pair_above(above) if above is not None else None
        default = _key(surface, node) == "default" and _key(surface, outer) == "inputs"
        if above is None or not (default or _key(surface, above) in _ENVIRONMENTS):
            return None
        if node.type == "flow_pair":
            return _listed(surface, *surface.syntax.range(node))
        siblings = [n for n in node.parent.named_children if n.type == node.type] if node.parent else []
        return _whole_lines(surface, above if len(siblings) == 1 and not default else node)
    return None


def _key(surface: Surface, pair: "Node | None") -> str:
    key = pair.child_by_field_name("key") if pair is not None else None
    return surface.syntax.written(key).strip('"') if key is not None else ""


def _toml_entry(surface: Surface, start: int, end: int) -> tuple[int, int, str] | None:
    for node in surface.syntax.at(start, end):
        if node.type != "pair":
            continue
        key = surface.syntax.written(node.named_children[0])
        above = node.parent
        names = key.split(".")[:-1]
        if above is not None and above.type == "inline_table":
            outer = above.parent
            if outer is not None and outer.type == "pair":
                names += surface.syntax.written(outer.named_children[0]).split(".")
                if "env" in [n.strip() for n in names]:
                    return _listed(surface, *surface.syntax.range(node))
            continue
        if above is not None and above.type == "table":
            names += surface.syntax.written(above.named_children[0]).split(".")
        return _whole_lines(surface, node) if "env" in [n.strip() for n in names] else None
    return None


def _whole_lines(surface: Surface, node: "Node") -> tuple[int, int, str] | None:
    """The lines of the node, where nothing else stands on them."""
    start, end = surface.syntax.range(node)
    first = surface.line_start(start)
    if surface.text[first:start].strip():
        return None
    end = first + len(surface.text[first:end].rstrip())
    following = surface.text.find("\n", end)
    rest = surface.text[end : len(surface.text) if following < 0 else following].strip()
    if rest and not rest.startswith("#"):
        return None
    return first, len(surface.text) if following < 0 else following + 1, ""


def _listed(surface: Surface, start: int, end: int) -> tuple[int, int, str]:
    """An item of a list in brackets, with one of its commas."""
    after = re.compile(r"\s*,\s*").match(surface.text, end)
    if after:
        return start, after.end(), ""
    before = re.compile(r",\s*$").search(surface.text[:start])
    return (before.start() if before else start), end, ""
