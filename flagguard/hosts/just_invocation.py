"""Which recipes the words of a call name, and which of the words are arguments.

Follows "Recipe Parameters", "Recipe Flags and Options" and "Invoking Multiple Recipes" in just's README, and its
invocation parser (https://github.com/casey/just/blob/1.58.0/src/invocation_parser.rs).
"""

from collections.abc import Sequence

from flagguard.command import Word
from flagguard.hosts.just_modules import Module
from flagguard.hosts.just_syntax import Attribute, Name, Node, Parameter, Recipe, Text
from flagguard.text import Hole, Traced, hole, literal
from flagguard.values import dataclass

Value = tuple[Traced, ...]


@dataclass(frozen=True)
class Invocation:
    """One recipe that a call starts, with what it gives for each parameter."""

    module: Module
    recipe: Recipe
    given: tuple[Value, ...] = ()


@dataclass(frozen=True)
class _Option:
    index: int
    long: str | None
    short: str | None
    value: Node | None
    """What it stands for, where it takes no value."""
    flag: bool


def invocations(root: Module, words: Sequence[Word]) -> list[Invocation] | None:
    """The recipes that the words start; None where just refuses them, or where a recipe's name is not known."""
    found: list[Invocation] = []
    at = 0
    while True:
        named = _named(root, words, at)
        if named is None:
            return None
        module, recipe, at = named
        given = _Arguments(recipe, words, at)
        if not given.read():
            return None
        at = given.at
        found.append(Invocation(module, recipe, tuple(given.values)))
        if at >= len(words):
            return found


def _named(root: Module, words: Sequence[Word], at: int) -> tuple[Module, Recipe, int] | None:
    """The recipe that the words at ``at`` name, and the index behind its name."""
    module: Module = root
    if at < len(words) and ":" in words[at].text:
        steps = [s for s in words[at].text.split("::") if s]
        if not words[at].known:
            return None
        found = root.find(tuple(steps)) if steps else None
        if found is not None:
            return (*found, at + 1)
        for step in steps:
            inner = module.submodule(step)
            if inner is None:
                return None
            module = inner
        at += 1
        return (module, module.default, at) if module.default is not None else None
    while at < len(words):
        word = words[at]
        if not word.known:
            return None
        inner = module.submodule(word.text)
        if inner is not None:
            module = inner
            at += 1
            continue
        known = module.find((word.text,))
        return (*known, at + 1) if known is not None else None
    default = module.default
    return (module, default, at) if default is not None else None


class _Arguments:
    """The words behind a recipe's name."""

    def __init__(self, recipe: Recipe, words: Sequence[Word], at: int) -> None:
        self.recipe = recipe
        self.words = words
        self.at = at
        self.values: list[Value] = [()] * len(recipe.parameters)
        self.options = [o for o in (_option(recipe, i) for i in range(len(recipe.parameters))) if o is not None]
        by_option = {o.index for o in self.options}
        self.positional = [i for i in range(len(recipe.parameters)) if i not in by_option]

    def read(self) -> bool:
        ended = not self.options
        waiting = list(self.positional)
        while self.at < len(self.words):
            word = self.words[self.at]
            if not ended and word.text == "--":
                ended = True
            elif not ended and word.text.startswith("-") and word.text != "-":
                if not self._switch(word):
                    return False
            elif waiting:
                self.values[waiting[0]] += (Traced(word.pieces),)
                if not self.recipe.parameters[waiting[0]].many:
                    waiting.pop(0)
            else:
                break
            self.at += 1
        flags = {o.index for o in self.options if o.flag}
        return not any(
            p.required and not v and i not in flags
            for i, (p, v) in enumerate(zip(self.recipe.parameters, self.values, strict=True))
        )

    def _switch(self, word: Word) -> bool:
        """`--name`, `--name=value`, `-n value`, `-abc`."""
        name, equals, _ = word.text.partition("=")
        value: Traced | None = word.cut(len(name) + 1, len(word)) if equals else None
        names = [name[2:]] if name.startswith("--") else list(name[1:])
        for index, one in enumerate(names):
            last = index + 1 == len(names)
            option = next((o for o in self.options if one == (o.long if name.startswith("--") else o.short)), None)
            if option is None:
                return False
            if option.flag:
                said: Traced = literal("true")
            elif option.value is not None:
                gap = Hole(f"{{{{{self.recipe.parameters[option.index].name}}}}}", "an expression says it")
                said = option.value.value if isinstance(option.value, Text) else hole(gap)
            elif not last:
                return False
            elif value is not None:
                said = value
            else:
                self.at += 1
                if self.at >= len(self.words):
                    return False
                said = Traced(self.words[self.at].pieces)
            self.values[option.index] += (said,)
        return True


def _option(recipe: Recipe, index: int) -> _Option | None:
    """What `[arg(…)]` says of a parameter, where that makes it an option."""
    parameter = recipe.parameters[index]
    attribute = next((a for a in recipe.attributes if a.name == "arg" and _of(a, parameter)), None)
    if attribute is None or not {"long", "short"} & attribute.keys.keys():
        return None
    keys = attribute.keys
    long = _said(keys["long"], parameter.name) if "long" in keys else None
    short = _said(keys["short"], parameter.name[:1]) if "short" in keys else None
    return _Option(index, long, short, keys.get("value"), "flag" in keys)


def _of(attribute: Attribute, parameter: Parameter) -> bool:
    first = attribute.arguments[0] if attribute.arguments else None
    return isinstance(first, Text) and first.value.text == parameter.name


def _said(node: Node | None, default: str) -> str:
    if isinstance(node, Text):
        return node.value.text
    return node.name if isinstance(node, Name) else default
