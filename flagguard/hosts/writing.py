"""Writing into a file where a host read from it: the right escapes for the format that the place is written in.

The inverse of reading, by the file's name alone; which command stands there is not known here.
"""

from flagguard.hosts import toml_text, yaml_text
from flagguard.text import SourceText, Span


def encode(source: SourceText, span: Span, text: str) -> str | None:
    """What to write in place of ``span`` so that a reader finds ``text`` there.

    None where the format, or that kind of string, cannot say it. Formats without strings of their own (a shell script,
    a makefile) take the text as it is.
    """
    if source.path.endswith(".toml"):
        return toml_text.encode(source, span, text)
    if source.path.endswith((".yml", ".yaml")):
        return yaml_text.encode(source, span, text)
    if source.path.endswith(".json"):
        return yaml_text.encode(SourceText(source.path, source.text.replace("\t", " ")), span, text)
    return text
