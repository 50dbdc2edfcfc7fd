"""Regular expressions of POSIX (XBD 9) with GNU's additions, in Python's spelling, as far as both surely agree."""

import re
from functools import lru_cache

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": re.escape(r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""),
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_SPECIAL = frozenset(r".*+?|(){}[]^$\/")
_GNU = {"w": r"\w", "W": r"\W", "s": r"\s", "S": r"\S", "b": r"\b", "B": r"\B", "<": r"\b(?=\w)", ">": r"\b(?<=\w)"}
_BOUND = re.compile(r"[0-9]+(?:,[0-9]*)?")
_MOST_REPEATS = 3


class _Unlike(Exception):
    """It may mean something else in Python, or nothing."""


@lru_cache(512)
def python(written: str, extended: bool) -> str | None:
    """The same expression in Python's spelling, for ASCII text; None where it may not mean the same.

    Which of several matches at one place it finds may differ where `|` gives a choice; whether it finds one does not.
    """
    try:
        made = _Reader(written, extended).all()
        re.compile(made)
    except (_Unlike, re.error):
        return None
    return made


class _Reader:
    def __init__(self, written: str, extended: bool) -> None:
        self.text, self.extended = written, extended
        self.at, self.depth, self.repeats = 0, 0, 0
        self.out: list[str] = []
        self.starts = True
        """Nothing that could be repeated stands before."""

    def all(self) -> str:
        if not self.text.isascii() or "\n" in self.text:
            raise _Unlike
        while self.at < len(self.text):
            self._one()
        if self.depth:
            raise _Unlike
        return "".join(self.out)

    def _one(self) -> None:
        c = self.text[self.at]
        if c == "\\":
            self._escaped()
        elif c == "[":
            self._bracket()
        elif c == ".":
            self._put(".")
        elif c == "*":
            self._star()
        elif c == "^":
            self._anchor("^", self.extended or self.starts)
        elif c == "$":
            self._anchor("$", self.extended or self._ends())
        elif self.extended and c in "+?{|()":
            self._operator(c)
        else:
            self._put(re.escape(c))

    def _put(self, made: str, size: int = 1) -> None:
        self.out.append(made)
        self.at += size
        self.starts = False

    def _anchor(self, sign: str, special: bool) -> None:
        if not special:
            self._put(re.escape(sign))
            return
        self.out.append("^" if sign == "^" else "$(?!\n)")
        self.at += 1
        self.starts = True

    def _ends(self) -> bool:
        """Whether a `$` of a basic expression stands where one ends."""
        return self.text[self.at + 1 :].startswith(("\\)", "\\|")) or self.at + 1 == len(self.text)

    def _star(self) -> None:
        if not self.starts:
            self._repeat("*")
        elif self.extended:
            raise _Unlike
        else:
            self._put(r"\*")

    def _repeat(self, made: str, size: int = 1) -> None:
        self.repeats += 1
        if self.starts or self.repeats > _MOST_REPEATS:
            raise _Unlike
        self.out.append(made)
        self.at += size
        if self.text[self.at : self.at + 1] in ("*", "+", "?", "{") and (self.extended or self.text[self.at] == "*"):
            raise _Unlike
        if not self.extended and self.text[self.at : self.at + 2] in (r"\+", r"\?", r"\{"):
            raise _Unlike

    def _operator(self, sign: str, size: int = 1) -> None:
        if sign in "+?":
            self._repeat(sign, size)
        elif sign == "{":
            found = _BOUND.match(self.text, self.at + size)
            close = "}" if self.extended else r"\}"
            if found is None or not self.text.startswith(close, found.end()):
                raise _Unlike
            self._repeat(f"{{{found.group()}}}", found.end() + len(close) - self.at)
        elif sign == "(":
            self.depth += 1
            self._put("(", size)
            self.starts = True
        elif sign == ")":
            if not self.depth or self.starts:
                raise _Unlike
            self.depth -= 1
            self._put(")", size)
        else:
            if self.starts or self.at + size == len(self.text):
                raise _Unlike
            self._put("|", size)
            self.starts = True

    def _escaped(self) -> None:
        c = self.text[self.at + 1 : self.at + 2]
        if not self.extended and c and c in "+?{|()":
            self._operator(c, 2)
        elif c in _GNU:
            self._put(_GNU[c], 2)
            self.starts = c in "bB<>"
            if self.starts and self.text[self.at : self.at + 1] in ("*", "+", "?", "{"):
                raise _Unlike
        elif c and (c in _SPECIAL or c == "-"):
            self._put(re.escape(c), 2)
        else:
            raise _Unlike

    def _bracket(self) -> None:
        """XBD 9.3.5: a backslash in it stands for itself, `]` does where it is the first."""
        at = self.at + 1
        made = "["
        if self.text[at : at + 1] == "^":
            made, at = "[^", at + 1
        first = at
        while self.text[at : at + 1] != "]" or at == first:
            if at >= len(self.text):
                raise _Unlike
            if self.text[at] == "[" and self.text[at + 1 : at + 2] in (":", ".", "="):
                end = self.text.find(":]", at + 2)
                name = self.text[at + 2 : end]
                if end < 0 or name not in _CLASSES:
                    raise _Unlike
                made, at = made + _CLASSES[name], end + 2
                continue
            made += "-" if self._is_range(at, first) else re.escape(self.text[at])
            at += 1
        if made == "[":
            raise _Unlike
        self._put(made + "]", at + 1 - self.at)

    def _is_range(self, at: int, first: int) -> bool:
        if self.text[at] != "-" or at == first or self.text[at + 1 : at + 2] == "]":
            return False
        before, behind = self.text[at - 1], self.text[at + 1 : at + 2]
        if not (before.isalnum() and behind.isalnum()) or before > behind:
            raise _Unlike
        kinds = (str.isdigit, str.islower, str.isupper)
        if not any(kind(before) and kind(behind) for kind in kinds):
            raise _Unlike
        return True
