"""Which variables may still be read by what is still to be run: worlds that differ in others alone are one.

A name counts as read wherever the source holds it, be it in a string or as a command; that ends before a plain
assignment. Where a text may name anything (`eval "$x"`, `. FILE`, `${!x}`), every variable is read. Nothing wrong is
shown where that is mistaken: what is not alive, and differs, is a hole from then on. Follows Aho, Sethi, Ullman,
"Compilers", 10.6 (live variables), on the syntax as it stands. Sets of names are the bits of a number. Knows nothing
of values.
"""

import re

from flagguard.shell.outside import ALWAYS_SET
from flagguard.shell.syntax import (
    AndOr,
    Arithmetic,
    ArrayNode,
    Assign,
    Case,
    CFor,
    CommandSub,
    Cond,
    For,
    Function,
    Group,
    If,
    ListNode,
    Lit,
    Loop,
    Node,
    Param,
    Pipeline,
    Redirect,
    Redirected,
    Simple,
    Subshell,
    WordNode,
)
from flagguard.text import Traced

_EVERYTHING = -1
_ANY = "$"
"""Stands for the name of a command that is not known: it may be any function."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_ASKED = frozenset(
    "IFS OPTIND OPTARG OPTERR REPLY MAPFILE BASH_ENV BASH_REMATCH COPROC PIPESTATUS DIRSTACK CDPATH ENV".split()
)
"""Variables that the shell itself looks at or sets (XCU 2.5.3; bash manual 5)."""
_FOLLOWED = frozenset({"command", "builtin", "exec"})
_NAMERS = frozenset("trap read mapfile readarray unset export readonly declare typeset local getopts alias".split())
"""Builtins that take names, or texts, of variables."""


class Liveness:
    """What is alive where the evaluation stands. ``called``: the functions that somebody has called."""

    def __init__(self, called: set[str]) -> None:
        self._called = called
        self._course: list[tuple[Node, list[int]]] = []
        """What is being run, outermost first; of a list, which of its items."""
        self._mask: int | None = None
        self._bits: dict[str, int] = {}
        self._waiting: list[Node] = []
        """Syntax that has not been looked through."""
        self._added: set[int] = set()
        self._functions: dict[str, list[Node]] = {}
        self._exposed: dict[int, tuple[Node, int]] = {}
        self._after: dict[int, tuple[ListNode, list[int]]] = {}
        self._calls = 0
        self._inside: dict[int, int] | None = None
        """What functions read, by the bits of their names."""
        self._traps: dict[str, int] = {}
        self._references = False
        """`declare -n` is used."""

    # -- where the evaluation stands

    def enter(self, node: Node) -> list[int]:
        """``node`` begins; of a list, the number of its running item is kept in what is returned."""
        place = [0]
        self._course.append((node, place))
        self._mask = None
        return place

    def advance(self, place: list[int], index: int) -> None:
        place[0] = index
        self._mask = None

    def leave(self) -> None:
        self._course.pop()
        self._mask = None

    def add(self, body: Node) -> None:
        """A text that is run: the script, or one that is read while it runs. Whoever adds it holds it."""
        if id(body) not in self._added:
            self._added.add(id(body))
            self._waiting.append(body)
            self._mask = None

    def know(self, other: "Liveness") -> None:
        """What another evaluation of the same syntax has found of its parts."""
        self._bits, self._exposed, self._after = other._bits, other._exposed, other._after

    def alive(self, name: str, on_exit: Traced | None = None) -> bool:
        """Whether what is still to be run may read the variable. ``on_exit``: the text of a trap that is to run."""
        if self._mask is None:
            self._mask = self._now()
        mask = self._mask
        if on_exit is not None:
            mask |= self._trap(on_exit.shown)
        return mask < 0 or name in _ASKED or name in ALWAYS_SET or bool(mask >> self._bit(name) & 1)

    def _now(self) -> int:
        if self._waiting:
            self._look_through()
        if self._references:
            return _EVERYTHING
        mask = 0
        for node, place in self._course:
            mask |= self._from(node)[place[0] + 1] if isinstance(node, ListNode) else self.exposed(node)
        for name in self._functions:
            if name not in self._called:
                # nobody may call it, and then it is evaluated last of all
                mask |= 1 << self._bit(name)
        return self._closed(mask)

    def _trap(self, text: str) -> int:
        known = self._traps.get(text)
        if known is None:
            known = self._traps[text] = self._closed(self._names(text))
        return known

    def _closed(self, mask: int) -> int:
        """With what the functions named in it read, and those that they name."""
        if self._inside is None:
            self._inside = self._reached()
        named = self._calls if mask >> self._bit(_ANY) & 1 else mask & self._calls
        while named > 0 and mask >= 0:
            lowest = named & -named
            mask |= self._inside[lowest.bit_length() - 1]
            named ^= lowest
        return mask

    def _reached(self) -> dict[int, int]:
        """What each function reads, those that it names included."""
        own: dict[int, int] = {}
        for name, bodies in self._functions.items():
            mask = 0
            for body in bodies:
                mask |= self.exposed(body)
            own[self._bit(name)] = mask
        self._calls = sum(1 << bit for bit in own)
        changed = True
        while changed:
            changed = False
            for bit, mask in own.items():
                longer, named = mask, 0
                if mask > 0:
                    named = self._calls if mask >> self._bit(_ANY) & 1 else mask & self._calls
                while named:
                    lowest = named & -named
                    longer |= own[lowest.bit_length() - 1]
                    named ^= lowest
                if longer != mask:
                    own[bit], changed = longer, True
        return own

    def _bit(self, name: str) -> int:
        bit = self._bits.get(name)
        if bit is None:
            bit = self._bits[name] = len(self._bits)
        return bit

    def _names(self, text: str) -> int:
        mask = 0
        for name in _NAME.findall(text.replace("\\\n", "")):
            mask |= 1 << self._bit(name)
        return mask

    # -- what the script says at large

    def _look_through(self) -> None:
        found = False
        while self._waiting:
            node = self._waiting.pop()
            match node:
                case Simple():
                    self._look_at(node)
                case Function(name, body):
                    self._functions.setdefault(name, []).append(body)
                    self._waiting.append(body)
                    found = True
                case ListNode(items):
                    self._waiting.extend([item.node for item in items])
                case Group(body) | Subshell(body) | For(_, _, body, _) | CFor(_, _, _, body):
                    self._waiting.append(body)
                case If(arms, orelse):
                    self._waiting.extend([body for arm in arms for body in arm])
                    self._waiting.extend([orelse] if orelse is not None else [])
                case Case(_, cases):
                    self._waiting.extend([arm.body for arm in cases])
                case Loop(test, body, _):
                    self._waiting += (test, body)
                case Redirected(inner, _):
                    self._waiting.append(inner)
                case Pipeline(commands, _):
                    self._waiting.extend(commands)
                case AndOr(first, rest):
                    self._waiting.append(first)
                    self._waiting.extend([command for _, command in rest])
        if found:
            self._traps.clear()
            self._inside = None

    def _look_at(self, node: Simple) -> None:
        first = node.words[0].literal if node.words and isinstance(node.words[0], WordNode) else None
        words = [word for word in node.words if isinstance(word, WordNode)]
        if first in ("declare", "typeset", "local") and any("n" in (w.literal or "") for w in words[1:]):
            self._references = self._references or any((w.literal or "").startswith("-") for w in words[1:])

    # -- what a part of the script reads before it sets it

    def exposed(self, node: Node) -> int:
        known = self._exposed.get(id(node))
        if known is None:
            known = self._exposed[id(node)] = node, self._reads(node)
        return known[1]

    def _reads(self, node: Node) -> int:
        match node:
            case Simple():
                return self._simple(node)
            case ListNode():
                return self._from(node)[0]
            case Group(body) | Subshell(body):
                return self.exposed(body)
            case If(arms, orelse):
                mask = self.exposed(orelse) if orelse is not None else 0
                for test, body in arms:
                    mask |= self.exposed(test) | self.exposed(body)
                return mask
            case Case(word, case_arms):
                mask = self._text(word.shown)
                for arm in case_arms:
                    mask |= self.exposed(arm.body) | self._text(" ".join([p.shown for p in arm.patterns]))
                return mask
            case For(name, words, body, _):
                inside = self.exposed(body)
                return (inside if inside < 0 else inside & ~self._set(name)) | self._text(
                    " ".join([w.shown for w in words or ()])
                )
            case CFor(start, test, step, body):
                return self._text(f"{start.shown} {test.shown} {step.shown}") | self.exposed(body)
            case Loop(test, body, _):
                return self.exposed(test) | self.exposed(body)
            case Cond(_, shown, _):
                return _EVERYTHING if "-v" in shown else self._text(shown)
            case Arithmetic(_, shown):
                return self._text(shown)
            case Redirected(inner, redirects):
                return self.exposed(inner) | self._redirects(redirects)
            case Pipeline(commands, _):
                mask = 0
                for command in commands:
                    mask |= self.exposed(command)
                return mask
            case AndOr(first, rest):
                mask = self.exposed(first)
                for _, command in rest:
                    mask |= self.exposed(command)
                return mask
        return 0

    def _from(self, node: ListNode) -> list[int]:
        """For each item of a list: what it and those behind it read; nothing behind the last."""
        known = self._after.get(id(node))
        if known is None:
            masks = [0]
            for item in reversed(node.items):
                behind = masks[-1]
                if behind > 0 and not item.background:
                    behind &= ~self._sets(item.node)
                masks.append(self.exposed(item.node) | behind)
            known = self._after[id(node)] = node, [*reversed(masks), 0]
        return known[1]

    def _simple(self, node: Simple) -> int:
        if not node.words:
            mask = self._redirects(node.redirects)
            for assign in node.assigns:
                mask |= self._assigned(assign)
            return mask
        words = [word for word in node.words if isinstance(word, WordNode)]
        texts = [word.literal for word in words]
        first = texts[0] if isinstance(node.words[0], WordNode) else None
        mask = self._redirects(node.redirects)
        if first == "local":
            # the value that a local hides comes back when the function ends
            for item in node.words:
                mask |= self._assigned(item) if isinstance(item, Assign) else self._text(item.shown)
        else:
            mask |= self._text(node.shown)
        if first is None:
            mask |= 1 << self._bit(_ANY)
        passed = first is None or first in _FOLLOWED or first in self._functions
        for text in texts if passed else texts[:1]:
            if text in ("source", ".") or (text == "eval" and None in texts):
                return _EVERYTHING
        if None in texts and (not _NAMERS.isdisjoint(texts) or "-v" in texts):
            return _EVERYTHING
        return mask

    def _assigned(self, assign: Assign) -> int:
        mask = 0
        if isinstance(assign.value, ArrayNode):
            for key, value in assign.value.items:
                mask |= self._text(value.shown) | (self._text(key.shown) if key is not None else 0)
        else:
            mask |= self._text(assign.value.shown)
        if assign.index is not None:
            mask |= self._text(assign.index.shown)
        if assign.append or assign.index is not None:
            mask |= 1 << self._bit(assign.name)
        return mask

    def _redirects(self, redirects: tuple[Redirect, ...]) -> int:
        mask = 0
        for redirect in redirects:
            mask |= self._text(redirect.target.shown)
        return mask

    def _text(self, text: str) -> int:
        return _EVERYTHING if "${!" in text or ("`" in text and "eval" in text) else self._names(text)

    # -- what a part of the script surely sets, where it is done

    def _sets(self, node: Node) -> int:
        match node:
            case Simple(assigns, (), ()):
                return self._of(assigns)
            case Simple(_, words, ()) if isinstance(words[0], WordNode) and words[0].literal == "local":
                return self._of(tuple(word for word in words if isinstance(word, Assign)))
            case Group(body):
                return self._of_list(body)
            case AndOr(first, _):
                return self._sets(first)
            case If(arms, orelse):
                mask = self._of_list(arms[0][0])
                if orelse is not None:
                    inside = self._of_list(orelse)
                    for _, body in arms:
                        inside &= self._of_list(body)
                    mask |= inside
                return mask
        return 0

    def _of_list(self, node: ListNode) -> int:
        mask = 0
        for item in node.items:
            mask |= 0 if item.background else self._sets(item.node)
        return mask

    def _of(self, assigns: tuple[Assign, ...]) -> int:
        mask = 0
        for assign in assigns:
            values = assign.value.items if isinstance(assign.value, ArrayNode) else ((None, assign.value),)
            parts = [part for key, value in values for node in (key, value) if node is not None for part in node.parts]
            if assign.index is None and not assign.append and all(map(_cannot_fail, parts)):
                mask |= self._set(assign.name)
        return mask

    def _set(self, name: str) -> int:
        return 0 if name in self._functions else 1 << self._bit(name)


def _cannot_fail(part: object) -> bool:
    if isinstance(part, Param):
        return not part.op and part.index is None and not part.indirect
    return isinstance(part, Lit | CommandSub)
