"""The shell: from a script to the commands that it runs, with the argv that bash or dash would pass.

Three layers, each of which knows only those before it:

- syntax: ``syntax`` (the nodes), ``cursor``, ``dollar``, ``words``, ``lines``, ``simple_reader``, ``double_bracket``,
  ``parser``;
- expansion: ``state`` (what a shell remembers), ``pattern``, ``arithmetic``, ``braces``, ``known``, ``parameters``,
  ``expand``;
- evaluation: ``machine`` (what its parts share), ``merging``, ``assign``, ``conditions``, ``builtins`` and its kin,
  ``functions``, ``wrappers`` and ``inside``, ``noting`` and ``record``, ``simple``, ``branches``, ``loops``,
  ``interpret``, ``evaluation``.
Other shells than POSIX's kin stand beside these: ``powershell`` and ``cmd`` with their readers have their own
evaluation and share ``foreign``; ``deno`` gives the nodes of ``syntax``.
"""

from flagguard.shell.evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
