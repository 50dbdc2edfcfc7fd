"""Second expansion: prerequisites that are expanded again when all makefiles are read, target by target.

Manual: "Secondary Expansion", make's `expand_deps` and `pattern_search`.
"""

from flagguard.make.automatic import Automatic, stem_of
from flagguard.make.expand import Expander
from flagguard.make.prerequisites import listed, matched, references_kept
from flagguard.make.rulelines import RuleLines
from flagguard.make.rules import Later, Making, PatternRule
from flagguard.text import Traced, join, literal
from flagguard.values import dataclass


@dataclass
class SecondExpansion:
    """Of the rules of one run."""

    run: Expander
    rules: RuleLines

    def expand_all(self) -> None:
        """The prerequisites of all explicit rules."""
        database = self.rules.database
        if not database.second_expansion:
            return
        for shown, target in list(database.targets.items()):
            for making in target.makings:
                if any(isinstance(p, Later) for p in making.prerequisites):
                    with self.run.variables.within(*self.rules.specific(shown)):
                        self._expand(target.name, making)
                    needed = [p.shown for p in (*making.files, *making.order_only)]
                    database.mentioned.update(needed)
                    database.implied.setdefault(shown, []).extend(needed)

    def _expand(self, target: Traced, making: Making) -> None:
        at = 0
        while at < len(making.prerequisites):
            item = making.prerequisites[at]
            if not isinstance(item, Later):
                at += 1
                continue
            text = item.text if item.stem is None else _all_stems(item.text)
            stem = item.stem or making.stem or stem_of(target, self.rules.database.suffixes)
            with self.run.variables.within(Automatic(target, making.files, making.order_only, stem).frame):
                names, order_only = listed(self.run.expand(text), self.run.folder)
            making.prerequisites[at : at + 1] = names
            making.order_only += order_only
            at += len(names)

    def of_rule(self, rule: PatternRule, target: str, folder: str, stem: str) -> tuple[list[Traced], list[Traced]]:
        """The prerequisites of an implicit rule, normal and order-only, word by word as make does."""
        assert rule.later is not None
        name = literal(target)
        known = self.rules.database.targets.get(target)
        files = [f for making in known.makings for f in making.files] if known is not None else []
        order = [f for making in known.makings for f in making.order_only] if known is not None else []
        found: tuple[list[Traced], list[Traced]] = ([], [])
        behind = False
        automatic = Automatic(name, files, order, literal(stem)).frame
        with self.run.variables.within(*self.rules.specific(target), automatic):
            for start, end in references_kept(rule.later.text):
                word = rule.later.cut(start, end)
                if word.text == "|":
                    behind = True
                    continue
                percent = word.text.find("%")
                moved = percent >= 0 and folder != ""
                if percent >= 0:
                    by = literal("$(*F)" if moved else "$*")
                    word = join((word.cut(0, percent), by, word.cut(percent + 1, len(word))))
                names, order_only = listed(self.run.expand(word), self.run.folder)
                if moved:
                    names, order_only = ([join((literal(folder), n)) for n in part] for part in (names, order_only))
                found[behind].extend(f for n in names for f in matched(n, self.run.folder))
                found[True].extend(order_only)
                behind = behind or ("|" in word.text and bool(order_only))
        return found


def _all_stems(text: Traced) -> Traced:
    """Each ``%`` as ``$*``."""
    parts: list[Traced] = []
    at = 0
    while (percent := text.text.find("%", at)) >= 0:
        parts += [text.cut(at, percent), literal("$*")]
        at = percent + 1
    return join((*parts, text.cut(at, len(text)))) if parts else text
