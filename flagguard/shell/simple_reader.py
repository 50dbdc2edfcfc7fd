"""Reading simple commands: assignments, words, redirections (POSIX.1-2024 XCU 2.7, 2.9.1)."""

import re

from flagguard.patterns import expression
from flagguard.shell.lines import LineReader
from flagguard.shell.syntax import ArrayNode, Assign, Lit, Redirect, Simple, WordNode

DECLARES = frozenset({"export", "readonly", "local", "declare", "typeset"})
"""Declaration utilities: `NAME=value` operands of theirs are assignments (POSIX.1-2024 XCU 2.9.1.1)."""

MOST_COMMANDS = 30_000
"""Commands of one script: the longest that people write, made by machines, have a quarter of that."""
_PREFIXES = frozenset({"command", "builtin"})
_ASSIGN = expression(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[|\+?=)")
_EQUATION = expression(r"[A-Za-z_]\w*[-+*/]?=\(")
_MAY_REDIRECT = frozenset("<>&{0123456789")
_REDIRECT = expression(r"([0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(<<<|<<-|<<|<>|<&|>>|>&|>\||&>>|&>|<|>)")


class SimpleReader(LineReader):
    """Reads simple commands."""

    def redirects(self) -> tuple[Redirect, ...]:
        out: list[Redirect] = []
        while True:
            self.blanks()
            found = self._redirect()
            if found is None:
                return tuple(out)
            out.append(found[0])

    def _redirect(self) -> tuple[Redirect, int] | None:
        """A redirection, and where its target stands."""
        found = _REDIRECT.match(self.text, self.at)
        if found is None:
            return None
        fd, op = found.group(1) or "", found.group(2)
        if not self.bash and len(fd) > 1:
            return None  # a word: dash knows one digit only
        if op in ("<", ">") and not fd and self.bash and self.text.startswith("(", found.end()):
            return None
        if not self.bash and op in ("<<<", "&>>", "&>"):
            if op == "<<<":
                op = "<<"
            else:
                return None
        self.at = found.start() + len(fd) + len(op)
        self.blanks()
        begun = self.at
        target = self.word()
        if target is None:
            raise self.fail(f"a word is missing after {op}")
        redirect = Redirect(op, fd, target)
        if op in ("<<", "<<-"):
            redirect.raw = target.quoted or "\\" in target.shown
            redirect.delimiter = _delimiter(target)
            self.expects(redirect)
        return redirect, begun

    def simple(self) -> Simple | None:
        start = self.at
        assigns: list[Assign] = []
        words: list[WordNode | Assign] = []
        redirects: list[Redirect] = []
        spans: list[tuple[int, int]] = []
        declares = lets = prefixed = False
        end = start
        text, size = self.text, len(self.text)
        while True:
            if self.at < size and text[self.at] in " \t\\#":
                self.blanks()
            begun = self.at
            if begun < size and text[begun] in _MAY_REDIRECT:
                redirected = self._redirect()
                if redirected is not None:
                    redirects.append(redirected[0])
                    end = self.at
                    spans.append((redirected[1] - start, end - start))
                    continue
            assign = self._assign() if not words or declares else None
            if assign is not None:
                (words if words else assigns).append(assign)
                end = self.at
                spans.append((begun - start, end - start))
                continue
            word = self._equation() if lets else None
            word = word or self.word()
            if word is None:
                break
            end = self.at
            spans.append((begun - start, end - start))
            if not words or prefixed:
                name = word.literal
                declares = name in DECLARES
                lets = self.bash and name == "let"
                prefixed = not words and name in _PREFIXES
            words.append(word)
        if not assigns and not words and not redirects:
            return None
        if len(self.found) >= MOST_COMMANDS:
            raise self.fail(f"the script has more than {MOST_COMMANDS} commands", start)
        node = Simple(
            tuple(assigns),
            tuple(words),
            tuple(redirects),
            self.route(start, end),
            self.show(start, end),
            self.text[start:end],
            tuple(spans),
        )
        self.found.append(node)
        return node

    def _equation(self) -> WordNode | None:
        """``NAME=(…)`` among the arguments of `let`, which takes it as it stands."""
        found = _EQUATION.match(self.text, self.at)
        close = self.closing(")", found.end()) if found is not None else None
        if close is None:
            return None
        node = self.expression(self.at, close + 1)
        self.at = close + 1
        return node

    def _assign(self) -> Assign | None:
        text, start = self.text, self.at
        found = _ASSIGN.match(text, start)
        if found is None:
            return None
        at, index = found.end(1), None
        if text[at] == "[":
            if not self.bash:
                return None
            close = self.closing("]", at + 1)
            if close is None or not re.match(r"\+?=", text[close + 1 : close + 3]):
                return None
            index = self.index(at + 1, close)
            at = close + 1
        append = text.startswith("+=", at)
        if append and not self.bash:
            return None
        self.at = at + (2 if append else 1)
        if self.bash and text.startswith("(", self.at):
            value: WordNode | ArrayNode = self._array()
        else:
            value = self.word() or WordNode((), self.route(start, self.at), "")
        return Assign(found.group(1), value, append, index, self.route(start, self.at))

    def _array(self) -> ArrayNode:
        self.at += 1
        items: list[tuple[WordNode | None, WordNode]] = []
        while True:
            self.skip_newlines()
            if self.text.startswith(")", self.at):
                self.at += 1
                return ArrayNode(tuple(items))
            key = None
            if self.text.startswith("[", self.at):
                close = self.closing("]", self.at + 1)
                if close is not None and self.text.startswith("=", close + 1):
                    key = self.index(self.at + 1, close)
                    self.at = close + 2
            word = self.word()
            if word is None:
                if key is None:
                    raise self.fail("an array is not closed")
                word = WordNode((), (), "")
            items.append((key, word))


def _delimiter(word: WordNode) -> str:
    """Quote removal only: expansions in a delimiter are text (XCU 2.7.4)."""
    out = []
    for part in word.parts:
        out.append(part.value.text if isinstance(part, Lit) else part.shown)
    return "".join(out)
