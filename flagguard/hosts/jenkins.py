"""Jenkins: the `sh`, `bat`, `powershell` and `pwsh` steps of a Jenkinsfile as scripts.

Follows https://www.jenkins.io/doc/book/pipeline/syntax/ and
https://www.jenkins.io/doc/pipeline/steps/workflow-durable-task-step/: `sh` is `sh -xe` unless the text begins with
`#!`. Groovy itself is not followed: what it computes is a hole, each text is read once where it stands, whatever
branches or loops are around it. What a shared library runs is not in the repository.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from flagguard.command import Dialect, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.jenkins_tokens import Broken, Token, closing, tokens, value
from flagguard.hosts.pipelines import Frame, Notes, Shell, guarded, open_hole, outside, speaking, unread
from flagguard.hosts.shells import SHELLS, options
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import EMPTY, Problem, Shape, SourceText, Traced
from flagguard.values import dataclass, replace

NAME = "jenkins"

_STEPS: Mapping[str, Shell] = {
    "sh": Shell(Dialect.SH, errexit=True),
    "bat": Shell(Dialect.CMD),
    "powershell": Shell(Dialect.POWERSHELL),
    "pwsh": Shell(Dialect.POWERSHELL),
}
_GIVEN = (
    "BRANCH_IS_PRIMARY BRANCH_NAME BUILD_DISPLAY_NAME BUILD_ID BUILD_NUMBER BUILD_TAG BUILD_URL CHANGE_AUTHOR "
    "CHANGE_BRANCH CHANGE_FORK CHANGE_ID CHANGE_TARGET CHANGE_TITLE CHANGE_URL CI EXECUTOR_NUMBER GIT_BRANCH "
    "GIT_COMMIT GIT_URL HUDSON_HOME HUDSON_URL JENKINS_HOME JENKINS_URL JOB_BASE_NAME JOB_NAME JOB_URL "
    "NODE_LABELS NODE_NAME STAGE_NAME TAG_NAME WORKSPACE WORKSPACE_TMP"
).split()
"""https://www.jenkins.io/doc/book/pipeline/jenkinsfile/#using-environment-variables, and Jenkins' own list."""
_NAMES = expression(r"(?:env\.|params\.)?([A-Za-z_]\w*)")
_NEVER = expression(r"(?:beforeAgent true[\s;]+)?expression \{ (?:return )?false;? \}")
_MOST_ROWS = 100
_DEEPEST = 60
_SWALLOWS = frozenset(("catchError", "warnError"))


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)
    notes.keep(source)

    def scripts() -> Iterator[Script]:
        try:
            found = tokens(source)
            yield from _File(source, found, notes, setting).scripts()
        except Broken as error:
            line = source.position(error.offset)[0]
            notes.problems[Problem(source.path, line, f"not Groovy that can be read: {error}")] = None

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


@dataclass(frozen=True)
class _Axis:
    """An axis of a matrix, or what an `exclude` says of one."""

    name: str
    values: Sequence[Traced]
    others: bool = False
    """All but these: `notValues`."""

    def holds(self, row: Mapping[str, Traced]) -> bool:
        own = row.get(self.name)
        return own is not None and own.known and any(v.text == own.text for v in self.values) is not self.others


class _Block:
    """What is said for everything in a block."""

    def __init__(self, frame: Frame, outer: "_Block | None" = None) -> None:
        self.frame = frame
        self.depth: int = outer.depth + 1 if outer is not None else 0
        self.row: Mapping[str, Traced] = outer.row if outer is not None else {}
        self.never = False
        """Its `when` does not hold."""


class _File:
    def __init__(self, source: SourceText, found: Sequence[Token], notes: Notes, setting: Setting) -> None:
        self.source = source
        self.tokens = found
        self.notes = notes
        self.setting = setting
        self.count = 0
        self.variables = self._assigned()
        self.parameters: dict[str, Traced] = {}

    def scripts(self) -> Iterator[Script]:
        yield from self._run(0, len(self.tokens) - 1, _Block(Frame(NAME, outside=tuple(_GIVEN))))

    def _assigned(self) -> dict[str, Traced]:
        """Variables of Groovy that are given one text, once."""
        found: dict[str, Traced] = {}
        seen: dict[str, int] = {}
        for i, token in enumerate(self.tokens[:-2]):
            after, then = self.tokens[i + 1], self.tokens[i + 2]
            if token.kind != "name" or after.text not in ("=", "+", "-") or then.text == "=" == after.text:
                continue
            if after.text != "=" and then.text != "=":
                continue
            seen[token.text] = seen.get(token.text, 0) + 1
            ends = self.tokens[i + 3].kind in ("line", "end") or self.tokens[i + 3].text == "}"
            if then.kind == "string" and after.text == "=" and ends and '"' not in then.quote:
                found[token.text] = value(
                    self.source, then, lambda _, written: open_hole(written, "Groovy computes it")
                )
        return {name: text for name, text in found.items() if seen[name] == 1}

    # -- blocks

    def _run(self, at: int, end: int, block: _Block) -> Iterator[Script]:
        """The steps between two tokens."""
        if block.depth > _DEEPEST:
            return
        while at < end and not block.never:
            token = self.tokens[at]
            if token.kind == "name" and not self._is_property(at):
                if token.text in _STEPS and self._starts_step(at):
                    yield from self._step(at, end, block)
                opened = self._opens(at, end)
                if opened is not None:
                    yield from self._block(token.text, at, opened, block)
                    at = closing(self.tokens, opened) + 1
                    continue
                if token.text == "agent" and self.tokens[at + 1].kind == "name":
                    at += 2
                    continue
            elif token.text == "{":
                stop = closing(self.tokens, at)
                yield from self._run(at + 1, stop, _Block(block.frame, block))
                at = stop + 1
                continue
            at += 1

    def _is_property(self, at: int) -> bool:
        return at > 0 and self.tokens[at - 1].text == "."

    def _starts_step(self, at: int) -> bool:
        after = self.tokens[at + 1]
        return after.kind in ("string", "name") or after.text == "("

    def _opens(self, at: int, end: int) -> int | None:
        """Where the block begins that a name opens: `name {`, `name(…) {`, `name 'x' … {`; None: it opens none."""
        i = at + 1
        if i < end and self.tokens[i].text == "(":
            i = closing(self.tokens, i) + 1
        while i < end and self.tokens[i].kind == "line" and self.tokens[at].text in ("else", "try", "finally", "stage"):
            i += 1
        return i if i < end and self.tokens[i].text == "{" else None

    def _block(self, name: str, at: int, opened: int, block: _Block) -> Iterator[Script]:
        stop = closing(self.tokens, opened)
        inner = _Block(block.frame, block)
        frame = block.frame
        match name:
            case "environment":
                block.frame = frame.with_values(self._environment(opened + 1, stop, block))
                return
            case "agent":
                block.frame = self._agent(opened + 1, stop, block)
                return
            case "when":
                asked = " ".join(self.source.text[self.tokens[opened].end : self.tokens[stop].start].split())
                block.never = _NEVER.fullmatch(asked) is not None
                block.frame = frame.assuming(f"when: {asked}"[:200])
                return
            case "parameters":
                self._parameters(opened + 1, stop)
                return
            case "axes" | "excludes" | "options" | "triggers" | "tools" | "libraries":
                return
            case "stage":
                said = self._first_text(at + 1, opened, block)
                inner.frame = replace(frame, job=said.shown or frame.job)
                self.count = 0
            case "node":
                label = self._first_text(at + 1, opened, block)
                if label:
                    inner.frame = replace(frame, runner=label.shown, platforms=speaking([label.text], self.setting))
            case "dir" | "ws":
                folder = self._first_text(at + 1, opened, block)
                inner.frame = replace(frame, directory=resolved(folder, frame.directory) if name == "dir" else None)
            case "withEnv":
                inner.frame = frame.with_values(self._pairs(at + 1, opened, block))
            case "matrix":
                for row in self._axes(opened + 1, stop, block):
                    inner = _Block(frame.with_values(row), block)
                    inner.row = row
                    yield from self._run(opened + 1, stop, inner)
                return
            case (
                "always"
                | "changed"
                | "fixed"
                | "regression"
                | "aborted"
                | "failure"
                | "success"
                | "unstable"
                | "cleanup"
            ):
                inner.frame = frame if name in ("always", "success") else frame.assuming(f"post: {name}")
            case _ if name in _SWALLOWS:
                inner.frame = replace(frame, ignored=True)
        yield from self._run(opened + 1, stop, inner)

    # -- what blocks say

    def _named(self, block: _Block) -> Callable[[str, str], Traced]:
        values = block.frame.values

        def of(inner: str, written: str) -> Traced:
            found = _NAMES.fullmatch(inner)
            name = found[1] if found is not None else ""
            if inner.startswith("params.") or (name in self.parameters and name not in values):
                return self.parameters.get(name) or outside(name, written, "a parameter that whoever starts it gives")
            if name in values and (inner.startswith("env.") or name not in self.variables):
                return values[name]
            if name in self.variables and inner == name:
                return self.variables[name]
            if name in _GIVEN:
                path = "" if name == "WORKSPACE" else None
                return outside(name, written, "Jenkins gives it", Shape.ANY if path is None else Shape.PATH, path)
            return open_hole(written, "Groovy computes it", name or None)

        return of

    def _text(self, token: Token, block: _Block) -> Traced:
        return value(self.source, token, self._named(block))

    def _first_text(self, at: int, end: int, block: _Block) -> Traced:
        found = next((t for t in self.tokens[at:end] if t.kind == "string"), None)
        return self._text(found, block) if found is not None else EMPTY

    def _environment(self, at: int, end: int, block: _Block) -> dict[str, Traced]:
        found: dict[str, Traced] = {}
        while at < end:
            token = self.tokens[at]
            if token.kind == "name" and self.tokens[at + 1].text == "=":
                line = at + 2
                while line < end and self.tokens[line].kind != "line":
                    line += 1
                own = self.tokens[at + 2 : line]
                here = _Block(block.frame.with_values(found), block)
                if len(own) == 1 and own[0].kind == "string":
                    found[token.text] = self._text(own[0], here)
                elif own and own[0].text == "credentials":
                    found[token.text] = outside(token.text, f"${token.text}", "a secret")
                else:
                    found[token.text] = open_hole(f"${token.text}", "Groovy computes it", token.text)
                at = line
            at += 1
        return found

    def _agent(self, at: int, end: int, block: _Block) -> Frame:
        said: dict[str, str] = {}
        for i in range(at, end):
            token, after = self.tokens[i], self.tokens[i + 1]
            if token.kind == "name" and after.kind == "string":
                said.setdefault(token.text, self._text(after, block).shown)
        docker = any(t.text in ("docker", "dockerfile") for t in self.tokens[at:end])
        image = said.get("image") or (said.get("docker") or "")
        labels = [said[key] for key in ("label", "node") if key in said]
        platforms = speaking(labels, self.setting, "linux" if docker else None)
        return replace(block.frame, runner=", ".join(labels) or image or None, platforms=platforms)

    def _parameters(self, at: int, end: int) -> None:
        for i in range(at, end):
            if self.tokens[i].kind == "name" and self.tokens[i + 1].text == "(":
                stop = closing(self.tokens, i + 1)
                named = {
                    self.tokens[k].text: self.tokens[k + 2]
                    for k in range(i + 2, stop - 1)
                    if self.tokens[k].kind == "name" and self.tokens[k + 1].text == ":"
                }
                name, default = named.get("name"), named.get("defaultValue")
                if name is not None and default is not None and default.kind == "string":
                    said = value(self.source, default, lambda _, written: open_hole(written, "Groovy computes it"))
                    self.parameters[name.text] = said.overridable()

    def _pairs(self, at: int, end: int, block: _Block) -> dict[str, Traced]:
        found: dict[str, Traced] = {}
        for token in self.tokens[at:end]:
            if token.kind == "string":
                said = self._text(token, block)
                name, equals, _ = said.text.partition("=")
                if equals and name.isidentifier():
                    found[name] = said.cut(len(name) + 1, len(said))
        return found

    def _axes(self, at: int, end: int, block: _Block) -> list[dict[str, Traced]]:
        """The rows of a matrix: the combinations of its axes, less those that an `exclude` describes."""
        axes: list[_Axis] = []
        excluded: list[list[_Axis]] = []
        while at < end:
            name, opened = self.tokens[at].text, self.tokens[at + 1].text == "{"
            stop = closing(self.tokens, at + 1) if opened else at
            if opened and name == "axes":
                axes += self._axes_of(at + 2, stop, block)
            elif opened and name == "exclude":
                excluded.append(self._axes_of(at + 2, stop, block))
            at = stop + 1 if opened and name != "excludes" else at + 1
        size = 1
        for axis in axes:
            size *= max(len(axis.values), 1)
        if size > _MOST_ROWS or not axes:
            return [{}]
        found = (dict(zip((a.name for a in axes), row, strict=True)) for row in product(*(a.values for a in axes)))
        return [row for row in found if not any(all(a.holds(row) for a in one) for one in excluded if one)]

    def _axes_of(self, at: int, end: int, block: _Block) -> list["_Axis"]:
        """Each `axis { name …; values … }` between two tokens."""
        found: list[_Axis] = []
        for i in range(at, end):
            if self.tokens[i].text != "axis" or self.tokens[i + 1].text != "{":
                continue
            name, key, other, values = "", "", False, list[Traced]()
            for token in self.tokens[i + 2 : closing(self.tokens, i + 1)]:
                key = token.text if token.kind == "name" else key
                other = other or key == "notValues"
                if token.kind == "string" and key == "name":
                    name = token.text
                elif token.kind == "string" and key in ("values", "notValues"):
                    values.append(self._text(token, block))
            found.append(_Axis(name, values, other))
        return found

    # -- steps

    def _step(self, at: int, end: int, block: _Block) -> Iterator[Script]:
        kind = self.tokens[at].text
        first = at + 1
        if self.tokens[first].text == "(":
            stop = closing(self.tokens, first)
            first += 1
        else:
            stop = first
            depth = 0
            while stop < end and (self.tokens[stop].kind != "line" or depth):
                depth += (self.tokens[stop].text in ("(", "[", "{")) - (self.tokens[stop].text in (")", "]", "}"))
                if depth < 0:
                    break
                stop += 1
        said = self._arguments(first, stop)
        node = said.get("script") or said.get("")
        if node is None:
            return
        if len(node) != 1 or node[0].kind != "string":
            at_ = self.source.traced(node[0].start, node[-1].end) if node else EMPTY
            span = at_.route[0] if at_.route else None
            if span is not None:
                self.notes.tell(span, "Groovy computes this text, so its commands are not judged", kind)
            return
        self.count += 1
        text = self._text(node[0], block)
        label = said.get("label")
        step = label[0].text if label and label[0].kind == "string" else str(self.count)
        ignored = any(t.text == "true" for t in said.get("returnStatus", ()))
        label_row = ", ".join(v.shown for v in block.row.values())
        frame = block.frame
        job = f"{frame.job or ''} ({label_row})".strip() if label_row else frame.job
        frame = replace(frame, job=job, order=(self.count,), ignored=frame.ignored or ignored)
        frame = replace(frame, outside=tuple(n for n in frame.outside if n not in frame.values))
        shell = _by_first_line(text) if kind == "sh" and text.text.startswith("#!") else _STEPS[kind]
        yield unread(self.notes, frame.script(step, text, shell), kind)

    def _arguments(self, at: int, end: int) -> dict[str, list[Token]]:
        """The arguments of a step by name; the one without a name under the empty one."""
        found: dict[str, list[Token]] = {}
        name, depth = "", 0
        for i in range(at, end):
            token = self.tokens[i]
            if token.kind == "line":
                continue
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}")) if token.kind == "mark" else 0
            if depth == 0 and token.kind == "name" and self.tokens[i + 1].text == ":":
                name = token.text
            elif depth == 0 and token.text == ":" and token.kind == "mark" and self.tokens[i - 1].kind == "name":
                continue
            elif depth == 0 and token.text == "," and token.kind == "mark":
                name = "\0"
            else:
                found.setdefault(name, []).append(token)
        return found


def _by_first_line(text: Traced) -> Shell:
    from flagguard.hosts.shellscript import interpreter

    name, given = interpreter(text.text.split("\n", 1)[0])
    errexit, pipefail = options(given)
    dialect = SHELLS.get(name, Dialect.UNREAD)
    return Shell(dialect, errexit, pipefail, name if dialect is Dialect.UNREAD else "")
