"""Writing into a file where a host read from it: the right escapes for the format that the place is written in.

The inverse of reading, by the file's name alone; which command stands there is not known here.
"""

from flagguard.hosts import by_path, jsonc_text, just, just_strings, toml_text, yaml_text
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
        return yaml_text.encode(jsonc_text.plain(source), span, text)
    if source.path.endswith(".hcl"):
        from flagguard.hosts import hcl_text  # seldom needed

        return hcl_text.encode(source, span, text)
    if by_path.is_jenkins(source.path):
        from flagguard.hosts import jenkins_tokens

        return jenkins_tokens.encode(source, span, text)
    if source.path.endswith(".py"):
        from flagguard.hosts import python_text

        return python_text.encode(source, span, text)
    if source.path.endswith((".cmake", "CMakeLists.txt")):
        from flagguard.hosts import cmake_text

        return cmake_text.encode(source, span, text)
    if source.path.endswith(".rb"):
        from flagguard.hosts import ruby_text

        return ruby_text.encode(source, span, text)
    if source.path.endswith((".nix", ".spec", ".spec.in")):
        return text if not set(text) & set("\"'\\#%$") else None  # what is special in their strings is not written
    if just.claims(source.path, b""):
        return just_strings.encode(source, span, text)
    return text
