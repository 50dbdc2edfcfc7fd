"""The shell: from a script to the commands that it runs, with the argv that bash or dash would pass (DESIGN 4.3).

``parser`` and ``words`` read, ``expand`` and ``parameters`` expand, ``interpret``, ``simple`` and ``builtins`` evaluate.
"""

from flagguard.shell.evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
