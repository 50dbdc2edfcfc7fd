"""What is left of an argument vector when one wrapper is taken off."""

from flagguard.command import Dialect, Word
from flagguard.shell.wrapper_table import Env
from flagguard.text import Hole, Traced
from flagguard.values import dataclass


@dataclass(frozen=True)
class Peeled:
    """One command inside a wrapper: words (``argv``), shell text (``script``), a file of it, or standard input."""

    wrapper: tuple[Word, ...]
    """The wrapper's own words, options included: ``sudo -E``, ``sh -c``, ``docker run --rm IMAGE``."""
    argv: tuple[Word, ...] = ()
    index: int = -1
    """Where ``argv[0]`` stands in the outer words; -1 where it is not one of them."""
    script: Traced | None = None
    script_file: Word | None = None
    reads_stdin: bool = False
    """A shell reads its commands from standard input."""
    name: Word | None = None
    """``$0`` of the text, where it is given."""
    arguments: tuple[Word, ...] = ()
    """``$1`` onwards of the text or the file."""
    dialect: Dialect = Dialect.SH
    errexit: bool = False
    pipefail: bool = False
    nounset: bool = False
    in_process: bool = False
    """Runs in the calling shell itself, in that shell's dialect; what it sets stays (eval, source)."""
    env: Env = Env.KEEP
    assignments: tuple[tuple[str, Word], ...] = ()
    env_files: tuple[Word, ...] = ()
    """Files of `NAME=VALUE` lines (`docker run --env-file`)."""
    directory: Word | None = None
    """The folder that it runs in, where the wrapper says one,"""
    mounts: tuple[Word, ...] = ()
    """and what stands where in the container: `SOURCE:TARGET`, `source=SOURCE,target=TARGET`."""
    unset: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    """Names that are carried over although ``env`` is CLEAR."""
    appended: Hole | None = None
    """Operands that the wrapper adds at the end of ``argv``."""
    replaces: str | None = None
    """This text inside the words of ``argv`` stands for an input."""
    ignores_status: bool = False
    """The wrapper loses the command's exit status."""
    doubt: Word | None = None
    """A word of the wrapper whose meaning is not known (an option that the table lacks, a variable that holds options):
    the command may begin elsewhere."""
