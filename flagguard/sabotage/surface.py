"""The text of a file as one edits it: which string, recipe or line a place lies in, and what may be written there.

Knows how formats write text (TOML 1.0 "String", YAML 1.2.2 chapters 7 and 8, GNU make "Splitting Long Lines" and
"Recipe Syntax", POSIX shell 2.2 "Quoting" and 2.3 "Token Recognition"); knows nothing of flags, rules or verdicts.
"""

import re
from enum import Enum
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from flagguard.hosts import by_path, dockerfile, just
from flagguard.hosts.jsonc_text import plain
from flagguard.sabotage.syntax import Syntax
from flagguard.text import SourceText, Span
from flagguard.values import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node


class Style(Enum):
    """How the text around a place is written."""

    SHELL = "a shell script"
    RECIPE = "a recipe line"
    MAKE = "a line of a makefile"
    TOML_BASIC = 'a TOML string in "'
    TOML_LITERAL = "a TOML string in '"
    TOML_LINES = 'a TOML string in """'
    TOML_LITERAL_LINES = "a TOML string in '''"
    YAML_PLAIN = "a plain YAML scalar"
    YAML_SINGLE = "a YAML scalar in '"
    YAML_DOUBLE = 'a YAML scalar in "'
    YAML_LITERAL = "a YAML block with |"
    YAML_FOLDED = "a YAML block with >"
    INSTRUCTION = "an instruction of a Dockerfile"
    EXEC_FORM = "a list of words of a Dockerfile"
    JUST_LINES = "a string of several lines of a justfile"
    GROOVY = "a string of a Jenkinsfile"
    INI = "a line of an INI file"
    WORDS = "a list of words in %w"
    STRUCTURE = "the structure of the file"


_TOML_STYLES = {
    '"""': Style.TOML_LINES,
    "'''": Style.TOML_LITERAL_LINES,
    '"': Style.TOML_BASIC,
    "'": Style.TOML_LITERAL,
}
_OF_WORDS = {**dict.fromkeys("compose devcontainer moon cloudbuild craft".split(), ""), "pre_commit": "entry"}
_OF_WORDS["vscode"] = "command"
"""Formats of which the lists are the words of commands, and the key of a text that has words before those."""
_YAML_STYLES = {
    "plain_scalar": Style.YAML_PLAIN,
    "single_quote_scalar": Style.YAML_SINGLE,
    "double_quote_scalar": Style.YAML_DOUBLE,
    "block_scalar": Style.YAML_LITERAL,
}
ONE_LINE = frozenset(
    {Style.TOML_BASIC, Style.TOML_LITERAL, Style.YAML_PLAIN, Style.YAML_SINGLE, Style.YAML_DOUBLE, Style.YAML_FOLDED}
    | {Style.INSTRUCTION, Style.EXEC_FORM, Style.JUST_LINES, Style.GROOVY, Style.WORDS}
)
"""Styles in which a new line is no new line of the script, or cannot be written."""
_DEFINITION = re.compile(r"(?m)^ *(?:(?:override|export|private)[ \t]+)*(define|endef)\b(?![ \t]*[:+?]?=)")
NO_SHELL = frozenset(
    {Style.STRUCTURE, Style.INI, Style.MAKE, Style.INSTRUCTION, Style.EXEC_FORM, Style.JUST_LINES, Style.WORDS}
)
"""Places that no shell reads."""
LINES = frozenset({Style.TOML_LINES, Style.TOML_LITERAL_LINES})
"""Strings of TOML with lines."""
_ESCAPED = frozenset({Style.TOML_BASIC, Style.TOML_LINES, Style.YAML_DOUBLE, Style.GROOVY})


_STRINGS = {
    "jenkins": ("jenkins_tokens", Style.SHELL),
    "python": ("python_text", Style.EXEC_FORM),
    "rust": ("rust_text", Style.EXEC_FORM),
}
"""Languages of which only the strings count: the module that finds them, and what those are that it marks."""
_WRITERS = {
    "toml": "toml_text",
    "yaml": "yaml_text",
    "just": "just_strings",
    "python": "python_text",
    "ruby": "ruby_text",
    "rust": "rust_text",
}
"""The modules that know how a text is written."""


@dataclass(frozen=True, slots=True)
class Region:
    """The piece of shell text, or the line, that a place lies in."""

    start: int
    end: int
    style: Style


class Surface:
    """One file."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.text = source.text
        name = source.path.rsplit("/", 1)[-1]
        data = name.endswith((".yml", ".yaml", ".json"))
        self.language = "toml" if name.endswith(".toml") else "yaml" if data else "sh"
        if self.language == "sh" and (name.lower() in ("makefile", "gnumakefile") or name.endswith((".mk", ".mak"))):
            self.language = "make"
        if self.language == "sh" and name in ("tox.ini", "setup.cfg"):
            self.language = "ini"
        if self.language == "sh" and (name == "CMakeLists.txt" or name.endswith(".cmake")):
            self.language = "cmake"
        if self.language == "sh" and dockerfile.claims(source.path, b""):
            self.language = "dockerfile"
        if self.language == "sh" and just.claims(source.path, b""):
            self.language = "just"
        if self.language == "sh" and name.endswith(".hcl"):
            self.language = "hcl"
        if self.language == "sh" and by_path.is_jenkins(source.path):
            self.language = "jenkins"
        if self.language == "sh" and name.endswith(".py"):
            self.language = "python"
        if self.language == "sh" and name.endswith(".rb"):
            self.language = "ruby"
        if self.language == "sh" and name.endswith(".rs"):
            self.language = "rust"
        self._shells: dict[tuple[int, int], Syntax] = {}

    @cached_property
    def syntax(self) -> Syntax:
        text = plain(self.source).text if self.source.path.endswith(".json") else self.text
        return Syntax(text, self.language)

    # -- regions ------------------------------------------------------------------------------------------------------

    def region(self, offset: int) -> Region:
        if self.language == "toml":
            return self._toml(offset)
        if self.language == "yaml":
            return self._yaml(offset)
        if self.language in ("make", "ini"):
            return self.line_of_make(offset)
        if self.language == "dockerfile":
            return self._dockerfile(offset)
        if self.language == "just":
            return self._just(offset)
        if self.language in ("cmake", "hcl"):
            return Region(0, len(self.text), Style.STRUCTURE)
        if self.language in _STRINGS:
            return self._string(offset)
        if self.language == "ruby":
            return self._ruby(offset)
        return Region(0, len(self.text), Style.SHELL)

    def _toml(self, offset: int) -> Region:
        for node in self.syntax.at(offset, offset):
            if node.type == "string":
                start, end = self.syntax.range(node)
                quotes = self.text[start : start + 3]
                quotes = quotes if quotes in _TOML_STYLES and end - start >= 6 else quotes[0]
                if start + len(quotes) <= offset <= end - len(quotes):
                    if quotes == '"' and self._toml_word(node):
                        return Region(start + 1, end - 1, Style.EXEC_FORM)
                    if self._toml_key(node) == "legacy_tox_ini":
                        line = self.line_of_make(offset)
                        return Region(max(line.start, start + 3), min(line.end, end - 3), Style.INI)
                    return Region(start + len(quotes), end - len(quotes), _TOML_STYLES[quotes])
        return Region(0, len(self.text), Style.STRUCTURE)

    def _toml_key(self, node: "Node") -> str:
        pair = node.parent
        return self.syntax.written(pair.named_children[0]) if pair is not None and pair.type == "pair" else ""

    def _toml_word(self, node: "Node") -> bool:
        """Whether a string is a word of a command that is written as a list: pixi's `cmd`, tox's `commands`, PDM's."""
        above = node.parent
        outer = above.parent if above is not None and above.type == "array" else None
        if outer is None:
            return False
        key = self._toml_key(above) if above is not None else ""
        if key == "args" and self.source.path.endswith("Makefile.toml"):
            return True
        table = outer.parent if outer.type == "pair" else None
        header = self.syntax.written(table.named_children[0]) if table is not None and table.type == "table" else ""
        if header.startswith("tool.briefcase"):
            return True
        return outer.type == "array" or key == "cmd" or header in ("tool.pdm.scripts", "tool.rye.scripts")

    def _yaml(self, offset: int) -> Region:
        for node in self.syntax.at(offset, offset):
            style = _YAML_STYLES.get(node.type)
            if style is None:
                continue
            start, end = self.syntax.range(node)
            if style is Style.YAML_LITERAL:
                if self.text[start] == ">":
                    style = Style.YAML_FOLDED
                start = self.text.find("\n", start) + 1
                return Region(start, max(end, start), style)
            if style is not Style.YAML_PLAIN:
                start, end = start + 1, end - 1
            if self._words is not None and self._yaml_word(node):
                listed = style is Style.YAML_DOUBLE and node.parent is not None and self._in_flow(node.parent)
                return Region(start, end, Style.EXEC_FORM if listed else Style.STRUCTURE)
            return Region(start, end, style)
        return Region(0, len(self.text), Style.STRUCTURE)

    @cached_property
    def _words(self) -> str | None:
        """Where the file's lists are words, the key of a text that is words too; None: they are not."""
        return next((_OF_WORDS[h.NAME] for h in by_path.claiming(self.source.path) if h.NAME in _OF_WORDS), None)

    def _yaml_word(self, node: "Node") -> bool:
        above = node.parent
        while above is not None and above.type not in ("block_mapping_pair", "flow_pair"):
            if above.type in ("flow_sequence", "block_sequence"):
                return True
            above = above.parent
        key = above.child_by_field_name("key") if above is not None else None
        return key is not None and self.syntax.written(key).strip("\"'") == self._words

    def is_bare_item(self, start: int, end: int) -> bool:
        """Whether the place is a whole item without quotes of a YAML list in brackets."""
        opens, closes = self.text[:start].rstrip()[-1:], self.text[end:].lstrip()[:1]
        return opens in ("[", ",") and closes in ("]", ",") and self.region(start).style is Style.YAML_PLAIN

    def _in_flow(self, node: "Node") -> bool:
        while node.type in ("flow_node", "block_node") and node.parent is not None:
            node = node.parent
        return node.type == "flow_sequence"

    def line_of_make(self, offset: int) -> Region:
        start = self.line_start(offset)
        while start and _continues(self.text, start - 1):
            start = self.line_start(start - 1)
        end = self.line_end(offset)
        while end < len(self.text) and _continues(self.text, end):
            end = self.line_end(end + 1)
        if self.language == "ini":
            return Region(start, end, Style.INI)
        if self.text[start : start + 1] == "\t":
            return Region(start + 1, end, Style.RECIPE)
        return Region(start, end, Style.MAKE)

    def _dockerfile(self, offset: int) -> Region:
        for start, end, style in self._parts:
            if start <= offset <= end:
                return Region(start, end, style)
        return Region(0, len(self.text), Style.STRUCTURE)

    def _just(self, offset: int) -> Region:
        inside = [part for part in self._just_parts if part[0] <= offset <= part[1]]
        if not inside:
            return Region(0, len(self.text), Style.STRUCTURE)
        start, end, shell = min(inside, key=lambda part: part[1] - part[0])
        return Region(start, end, Style.SHELL if shell else Style.JUST_LINES)

    def _string(self, offset: int) -> Region:
        for start, end, is_special in self._strings:
            if start <= offset <= end:
                return Region(start, end, _STRINGS[self.language][1] if is_special else Style.GROOVY)
        return Region(0, len(self.text), Style.STRUCTURE)

    @cached_property
    def _strings(self) -> tuple[tuple[int, int, bool], ...]:
        return tuple(import_module(f"flagguard.hosts.{_STRINGS[self.language][0]}").strings(self.source))

    def encode(self, span: Span, text: str) -> str | None:
        """What to write in place of ``span``, in a text of the file, so that it says ``text``; None: it cannot."""
        module = _WRITERS.get(self.language)
        if module is None:
            return text
        written: str | None = import_module(f"flagguard.hosts.{module}").encode(self.source, span, text)
        return written

    def _ruby(self, offset: int) -> Region:
        for start, end, opens, listed in self._ruby_strings:
            if start <= offset <= end:
                style = Style.WORDS if opens[:2] in ("%w", "%W") else Style.EXEC_FORM if listed else Style.GROOVY
                return Region(start, end, style)
        return Region(0, len(self.text), Style.STRUCTURE)

    @cached_property
    def _ruby_strings(self) -> tuple[tuple[int, int, str, bool], ...]:
        from flagguard.hosts.ruby_text import strings

        return tuple(strings(self.source))

    @cached_property
    def _just_parts(self) -> tuple[tuple[int, int, bool], ...]:
        from flagguard.sabotage.just_surface import parts

        return tuple(parts(self.source))

    @cached_property
    def _parts(self) -> tuple[tuple[int, int, Style], ...]:
        from flagguard.sabotage.dockerfile_surface import EXEC, SHELL, parts

        styles = {EXEC: Style.EXEC_FORM, SHELL: Style.SHELL}
        return tuple((start, end, styles.get(kind, Style.INSTRUCTION)) for start, end, kind in parts(self.source))

    def shell(self, region: Region) -> Syntax:
        """The region read as a shell script."""
        key = (region.start, region.end)
        if key not in self._shells:
            self._shells[key] = _shell(self.text[region.start : region.end], region.style)
        return self._shells[key]

    # -- lines --------------------------------------------------------------------------------------------------------

    def line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Where the line's end begins (CR LF or LF)."""
        end = self.text.find("\n", offset)
        end = len(self.text) if end < 0 else end
        return end - 1 if end > offset and self.text[end - 1 : end] == "\r" else end

    def logical_end(self, offset: int) -> int:
        """The end of the script's line that ``offset`` stands in, joined lines included."""
        region = self.region(offset)
        if region.style in (Style.YAML_PLAIN, Style.YAML_SINGLE, Style.YAML_DOUBLE, Style.YAML_FOLDED):
            return region.start + len(self.text[region.start : region.end].rstrip())
        end = self.line_end(offset)
        while end < region.end and _continues(self.text, end, trimmed=region.style is Style.TOML_LINES):
            end = self.line_end(min(self.text.find("\n", end) + 1, region.end))
        return min(end, region.end)

    def defines(self, offset: int) -> bool:
        """Whether a line of a makefile stands in the body of a `define`."""
        before = self.text[: self.line_start(offset)]
        return sum(1 if word == "define" else -1 for word in _DEFINITION.findall(before)) > 0

    def logical_start(self, offset: int) -> int:
        """The beginning of the line of the file that the script's line around ``offset`` begins on."""
        region = self.region(offset)
        if region.style in ONE_LINE:
            start = self.line_start(region.start)
            if region.style is Style.YAML_FOLDED:
                start = self.line_start(start - 1)
            return start
        start = self.line_start(offset)
        trimmed = region.style is Style.TOML_LINES
        while start > region.start and _continues(self.text, start - 1, trimmed=trimmed):
            start = self.line_start(start - 1)
        return start

    # -- what stands there --------------------------------------------------------------------------------------------

    def outer_quote(self, start: int, end: int) -> str:
        """The shell's quotes that a word stands inside of: in `sh -c 'cc -O2'` they are `'`."""
        region = self.region(start)
        if region.style in NO_SHELL:
            return ""
        syntax = self.shell(region)
        for node in syntax.at(start - region.start, end - region.start):
            if node.type in ("command_substitution", "process_substitution", "heredoc_body"):
                return ""
            if node.type in ("string", "raw_string", "ansi_c_string"):
                first, _ = syntax.range(node)
                if first + region.start < start:
                    return '"' if node.type == "string" else "'"
        return ""

    def in_case_arm(self, start: int, end: int) -> bool:
        return self._within(start, end, "case_item")

    def in_heredoc(self, at: int) -> bool:
        """Whether the place is in the text of a here-document, of which each line counts."""
        return self._within(at, at, "heredoc_body")

    def _within(self, start: int, end: int, kind: str) -> bool:
        region = self.region(start)
        if region.style in NO_SHELL:
            return False
        nodes = self.shell(region).at(start - region.start, end - region.start)
        return any(node.type == kind for node in nodes)


def shell_comment(text: str, at: int, style: Style) -> bool:
    """Whether the character at ``at`` of a region's text is in a comment of the shell."""
    return any(node.type == "comment" for node in _shell(text, style).at(at, at + 1))


def _shell(text: str, style: Style) -> Syntax:
    if style in _ESCAPED:
        text = re.sub(r"\\([\"\\])", r"_\1", text)  # of the same length, so that the places stay
    return Syntax(text, "bash")


def _continues(text: str, newline: int, *, trimmed: bool = False) -> bool:
    """Whether the line that ends at ``newline`` goes on: an odd number of backslashes stands before its end."""
    at = newline
    if text[at - 1 : at] == "\r" and text[at : at + 1] == "\n":
        at -= 1
    if trimmed:
        line = text[text.rfind("\n", 0, at) + 1 : at].rstrip(" \t")
        return line.endswith("\\")
    count = 0
    while at > 0 and text[at - 1] == "\\":
        count += 1
        at -= 1
    return count % 2 == 1
