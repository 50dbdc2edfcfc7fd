"""Programs that nobody knows and that are given a whole command: `mycache gcc -c a.c` may well run it.

Only where that command is one that a rule names, and nothing but options and numbers stands before it. A rule of the
configuration is undecided there; what a pack would say of it is told as a note.
"""

from collections.abc import Iterable, Iterator

from flagguard.command import Command
from flagguard.config import Config
from flagguard.judging import Clause, Judgement, Read
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.repeated import Judges
from flagguard.text import Problem
from flagguard.tools.catalogue import basename, tool_for
from flagguard.tools.identity import identify
from flagguard.unread import Mention
from flagguard.values import replace

_BEFORE = expression(r"-.*|[0-9][0-9.]*[a-z]?|--")
_RUN_NOTHING = frozenset(
    # POSIX.1-2024 XCU, the utilities that take names of programs or texts; editors, pagers, package managers
    """[ alias ar awk bash basename bg cat cd chmod chown cmp command comm cp cut dash diff dirname echo ed
    egrep env exec expr export fg fgrep file find gawk getopts git grep hash head help history info install
    join jobs ksh less let ln local log ls man mkdir mktemp more mv nm objdump od paste pkg-config printf ps
    pwd read readelf readlink readonly realpath rg rm sed set sh size sort source split stat strings strip
    tail tar tee test touch tr tsort type typeset unalias uniq unset update-alternatives vi vim wc whence
    where whereis which zsh""".split()
)


def passed_on(command: Command, config: Config, judges: Judges, look: Read | None) -> Iterator[Mention]:
    """What rules say of the command that an unknown program is given, at the place of that program."""
    inner = _inner(command)
    if inner is None or _is_known(command, config, look):
        return
    found: dict[str, Judgement] = {}
    for judgement in judges.judgements(inner):
        if judgement.clause is Clause.EXISTS and judgement.named and judgement.sure:
            found.setdefault(judgement.rule.id, judgement)
    program, said = command.argv[0].shown, " ".join(inner.shown)
    short = said if len(said) <= _LONG else f"{said[:_LONG]} …"
    message = f"`{program}` is not known; it may run `{short}`, which is not judged"
    named = program.removeprefix("./")
    help = f'if it does, write `"{named}" = "argv"` under [wrappers]; else exempt this place with a reason'
    for judgement in found.values():
        yield Mention(judgement.rule, program, command, message, judgement.exemption, help)


def notes(mentions: Iterable[Mention], look: Read | None) -> tuple[Problem, ...]:
    """What stands where rules of packs would speak; a pack asks for nothing where nobody asked for the pack."""
    told: dict[Problem, None] = {}
    for mention in mentions:
        span = mention.command.span
        source = look(span.path) if look is not None and mention.rule.pack is not None else None
        if source is not None:
            line = source.position(span.start)[0]
            told[Problem(span.path, line, f"{mention.message}: {mention.help}", fatal=False)] = None
    return tuple(told)


_LONG = 60


def _inner(command: Command) -> Command | None:
    argv = command.argv
    if len(argv) < 3 or not argv[0].known or ":" in argv[0].text or basename(argv[0].text) in _RUN_NOTHING:
        return None
    for at, word in enumerate(argv[1:-1], 1):
        if not word.known:
            return None
        if not _BEFORE.fullmatch(word.text):
            tool = tool_for(basename(word.text))
            options = any(w.text.startswith("-") for w in argv[at + 1 :])
            found = tool is not None and (options or bool(tool.root.commands))
            return replace(command, argv=argv[at:], vanished=()) if found else None
    return None


def _is_known(command: Command, config: Config, look: Read | None) -> bool:
    """Whether the catalogue, the configuration, the table of wrappers or the tree knows the program."""
    from flagguard.shell.builtins import BUILTINS
    from flagguard.shell.wrapper_table import load as shipped

    name = basename(command.argv[0].text)
    path = resolved(command.argv[0], command.directory) if "/" in command.argv[0].text else None
    if path is not None and look is not None and look(path) is not None:
        return True
    if name in BUILTINS or (config.wrapper_table or shipped()).find(name) is not None:
        return True
    tools = tuple(config.tools.items())
    return name in config.programs or any(identity.tool is not None for identity in identify(command.argv, tools)[0])
