"""Dockerfiles and Containerfiles: which files they are, and which one `docker build` builds.

What they say is read in ``dockerfile_evaluate``, the command lines of the builders in ``dockerfile_call``.
"""

from flagguard.command import Command, Reading
from flagguard.hosts import Entered, Setting
from flagguard.patterns import expression
from flagguard.text import SourceText

NAME = "dockerfile"

_NAMES = expression(r"(?i:(?:docker|container)file(?:[.\-_][^/]*)?|[^/]+[.\-_](?:docker|container)file)")
_NOT = expression(
    r"(?i)\.(?:dockerignore|containerignore|py|rb|js|ts|json|toml|ya?ml|md|rst|txt|html?|sh|j2|jinja2?|erb|tmpl|tpl"
    r"|template|mustache|orig|rej|bak|swp|patch|diff|lock|go|rs|java|png|svg)$|~$"
)
"""Templates, and files of other formats about Dockerfiles."""


def claims(path: str, head: bytes) -> bool:
    del head
    name = path.rpartition("/")[2]
    return "file" in name.lower() and bool(_NAMES.fullmatch(name)) and not _NOT.search(name)


def read(source: SourceText, setting: Setting) -> Reading:
    from flagguard.hosts import dockerfile_evaluate  # only where there is one

    return dockerfile_evaluate.evaluate(source, setting)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``docker build`` and its like: the Dockerfile, with the build arguments and the platform of the call."""
    from flagguard.hosts import dockerfile_call

    return dockerfile_call.enter(command, setting)
