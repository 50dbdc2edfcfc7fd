"""GitHub Actions: workflows in `.github/workflows`, and composite actions (`action.yml` anywhere).

Which files they are; what they say is read in ``github_workflow``.
"""

from flagguard.command import Reading
from flagguard.hosts import Setting
from flagguard.patterns import expression
from flagguard.text import SourceText

NAME = "github"

# Gitea and Forgejo run the same language from folders of their own
WORKFLOW = expression(r"(?:.*/)?\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml")
_ACTION = expression(r"(?:.*/)?action\.ya?ml")


def claims(path: str, head: bytes) -> bool:
    del head
    return path.endswith((".yml", ".yaml")) and bool(WORKFLOW.fullmatch(path) or _ACTION.fullmatch(path))


def read(source: SourceText, setting: Setting) -> Reading:
    from flagguard.hosts import github_workflow  # only where there is one

    return github_workflow.read(source, setting)
