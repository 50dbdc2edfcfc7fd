"""The text of a justfile as one edits it: which parts a shell reads.

Knows nothing of flags, rules or verdicts. What stands outside of recipes and backticks is just's own.
"""

from collections.abc import Iterator

from flagguard.hosts.just_lexer import JustError, Kind, lex
from flagguard.hosts.just_parser import parse
from flagguard.hosts.just_strings import quotes_of
from flagguard.hosts.just_syntax import Recipe
from flagguard.text import SourceText


def parts(source: SourceText) -> Iterator[tuple[int, int, bool]]:
    """The texts that a shell reads (a recipe's line with those that it goes on in, a whole script, a backtick), and,
    with False, the strings of several lines."""
    try:
        recipes = [item for item in parse(source).items if isinstance(item, Recipe) and item.body]
        tokens = lex(source.text)
    except JustError:
        return
    for recipe in recipes:
        if recipe.shebang or recipe.attribute("script") is not None:
            yield recipe.body[0].span.start, recipe.body[-1].span.end, True
            continue
        start: int | None = None
        for line in recipe.body:
            start = line.span.start if start is None else start
            if not line.continues or line is recipe.body[-1]:
                yield start, line.span.end, True
                start = None
    for token in tokens:
        if token.kind is Kind.BACKTICK or (token.kind is Kind.STRING and "\n" in token.text):
            size = len(quotes_of(token.text))
            yield token.start + size, token.end - size, token.kind is Kind.BACKTICK
