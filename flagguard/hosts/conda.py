"""conda recipes: `meta.yaml` of conda-build, `recipe.yaml` of rattler-build, and the scripts beside them.

Which file is which; `conda_meta` and `conda_recipe` read them, each after its tool's documentation.
"""

from flagguard.command import Reading
from flagguard.hosts import Setting
from flagguard.hosts.conda_scripts import NAME
from flagguard.text import SourceText

__all__ = ["NAME", "read"]


def read(source: SourceText, setting: Setting) -> Reading:
    """The scripts of a recipe, on each platform. A file of that name that is no recipe holds none."""
    if source.path.endswith("recipe.yaml"):
        from flagguard.hosts import conda_recipe

        return conda_recipe.read(source, setting)
    from flagguard.hosts import conda_meta

    return conda_meta.read(source, setting)
