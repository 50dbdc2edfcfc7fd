"""How scripts of a package.json are called: the command lines of npm, pnpm, Yarn, Bun, npm-run-all and concurrently.

Follows https://docs.npmjs.com/cli/using-npm/scripts ("Life Cycle Operation Order"), https://pnpm.io/pnpm-cli,
https://classic.yarnpkg.com/en/docs/cli/run, https://yarnpkg.com/cli, https://bun.sh/docs/cli/run and
https://github.com/mysticatea/npm-run-all/tree/master/docs. Which scripts there are is not known here.
"""

from collections.abc import Sequence

from flagguard.command import Word
from flagguard.text import HOLE_MARK, Traced
from flagguard.values import dataclass, field, replace

MANAGERS = ("npm", "pnpm", "yarn", "yarnpkg", "bun")
RUN_ALL = ("run-s", "run-p", "npm-run-all", "run-z", "npm-run-all2")

_FLAGS = frozenset(
    "-s --silent -q --quiet -d --verbose --if-present --ignore-scripts -ws --workspaces --include-workspace-root -f "
    "--force -g --global -y --yes --json --foreground-scripts --offline --prefer-offline --prefer-online --legacy- "
    "peer-deps --production --dev --color --audit --fund --progress --package-lock --save --save-dev -D -S -E "
    "--save-exact -r --recursive -w --workspace-root --stream --parallel --aggregate-output --sequential --no-bail "
    "--frozen-lockfile --immutable --inline-builds --check-cache -i --interactive --topological -t --topological- "
    "dev -A --all -p -v -R --top-level -B --binaries-only --bun --watch --hot --dry-run --strict-peer-deps "
    "--include-dependents".split()
)
_FOLDER = ("--prefix", "-C", "--dir", "--cwd")
_MEMBER = ("-w", "--workspace", "-F", "--filter", "--filter-prod", "--include", "--from")
_ALL = ("-ws", "--workspaces", "-r", "--recursive")
_STOPS = ("-h", "--help", "--version", "-V", "--dry-run")
_ALIASES = {
    # https://docs.npmjs.com/cli/commands: the aliases of each
    **dict.fromkeys(("run", "run-script", "rum", "urn"), "run"),
    **dict.fromkeys(("test", "t", "tst"), "test"),
    **dict.fromkeys(
        ("install", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "add"), "install"
    ),
    **dict.fromkeys(("ci", "clean-install", "ic", "install-clean", "isntall-clean"), "ci"),
    **dict.fromkeys(("start", "stop", "restart", "publish", "pack", "version"), ""),
}
LIFE_CYCLES = {
    # https://docs.npmjs.com/cli/using-npm/scripts#life-cycle-operation-order
    "ci": ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"),
    "install": ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"),
    "pack": ("prepack", "prepare", "postpack"),
    "publish": ("prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"),
    "version": ("preversion", "version", "postversion"),
}
_YARN_OWN = frozenset(
    "add audit autoclean bin cache check config constraints create dedupe dlx exec explain generate-lock-entry global "
    "help import info init licenses link list login logout node npm outdated owner patch patch-commit plugin policies "
    "rebuild remove search set stage tag team unlink unplug up upgrade upgrade-interactive versions why".split()
)
_PNPM_OWN = frozenset(
    "add audit bin cat-file cat-index cache config create dedupe deploy dlx env exec fetch find-hash import info init "
    "licenses link list ls outdated patch patch-commit prune rebuild remove rm root server setup store unlink up "
    "update upgrade why".split()
)
_BUN_OWN = frozenset(
    "add build completions create deploy dev discord exec help info init link outdated patch pm publish remove repl "
    "test unlink update upgrade x".split()
)


@dataclass(frozen=True)
class Line:
    """A call: which scripts, in which packages, with which words."""

    manager: str
    scripts: tuple[str, ...] = ()
    """Names, or patterns of npm-run-all."""
    words: tuple[Traced, ...] = ()
    each: tuple[tuple[Traced, ...], ...] = ()
    """With npm-run-all: the words of each script."""
    cycle: bool = False
    """They are the steps of a life cycle: those that there are run, with nothing before or after."""
    alone: bool = False
    """Nothing before or after: `--ignore-scripts`."""
    folder: Traced | None = None
    members: tuple[str, ...] = ()
    all_members: bool = False
    shell: str | None = None
    patterns: bool = False
    config: tuple[tuple[str, Traced], ...] = ()
    """What npm hands on as `npm_config_…`."""
    optional: bool = field(default=False)
    """A program may have that name too."""


def read(argv: Sequence[Word]) -> Line | None:
    """The words of a command; None where no script is run, or nobody knows which."""
    name = pattern(argv[0]).rpartition("/")[2].removesuffix(".exe").removesuffix(".cmd")
    manager, colon, rest = name.partition(":")
    if colon and manager in (*MANAGERS, "node", "deno"):
        # concurrently's `npm:NAME`
        kept = tuple(Traced(w.pieces) for w in argv[1:])
        return Line("npm" if manager == "node" else manager, (rest,), kept, patterns="*" in rest) if rest else None
    if name in RUN_ALL:
        return _run_all(argv[1:])
    if name == "npm":
        return _npm(list(argv[1:]))
    if name in MANAGERS:
        return _other("yarn" if name == "yarnpkg" else name, list(argv[1:]))
    return None


def pattern(word: Word) -> str:
    """The text of a word; a pattern that names scripts, and so matches no file, is itself."""
    return word.shown if all(hole.text in ("*", "?", "**") for hole in word.holes) else word.text


def _take(line: Line, rest: list[Word]) -> Line | None:
    """One option off the front; None where nothing is run."""
    word = rest.pop(0)
    name, equals, _ = word.text.partition("=")
    if name in _STOPS:
        return None
    value: Traced = Traced(word.cut(len(name) + 1, len(word)).pieces)
    member = name in _MEMBER and not (line.manager == "pnpm" and name == "-w")
    if name in _ALL:
        return replace(line, all_members=not equals or value.text != "false")
    if name == "--ignore-scripts":
        return replace(line, alone=True)
    plain = name in _FLAGS or name.startswith("--no-") or (not name.startswith("--") and not member)
    if not equals and (member or name in _FOLDER or not plain) and rest and not rest[0].text.startswith("-"):
        value = Traced(rest.pop(0).pieces)
    if name in _FOLDER:
        return replace(line, folder=value)
    if member:
        return replace(line, members=(*line.members, value.text)) if value.known else None
    if name == "--script-shell":
        return replace(line, shell=value.text)
    if line.manager == "npm" and name.startswith("--") and name not in _FLAGS:
        said = (name[2:].replace("-", "_"), value)
        return replace(line, config=(*line.config, said))
    return line


def _npm(rest: list[Word]) -> Line | None:
    line = Line("npm")
    words: list[Word] = []
    behind: list[Word] = []
    while rest:
        if rest[0].text == "--":
            behind = rest[1:]
            break
        if rest[0].text.startswith("-") and len(rest[0].text) > 1:
            taken = _take(line, rest)
            if taken is None:
                return None
            line = taken
        else:
            words.append(rest.pop(0))
    if not words or not words[0].known:
        return None
    command = _ALIASES.get(words[0].text)
    command = words[0].text if command == "" else command
    if command == "run":
        if len(words) < 2 or not words[1].known:
            return None
        given = tuple(Traced(w.pieces) for w in (*words[2:], *behind))
        return replace(line, scripts=(words[1].text,), words=given)
    given = tuple(Traced(w.pieces) for w in (*words[1:], *behind))
    if command in ("test", "start", "stop", "restart"):
        return replace(line, scripts=(command,), words=given)
    if command in LIFE_CYCLES and (command != "install" or not words[1:]):
        return None if line.alone else replace(line, scripts=LIFE_CYCLES[command], cycle=True)
    return None


def _other(manager: str, rest: list[Word]) -> Line | None:
    """pnpm, Yarn and Bun hand on everything behind the script's name."""
    line = Line(manager)
    running = False
    while rest:
        word = rest[0]
        text = word.text
        if text.startswith("-") and len(text) > 1 and text != "--":
            taken = _take(line, rest)
            if taken is None:
                return None
            line = taken
            continue
        if not word.known:
            return None
        rest.pop(0)
        if not running and text in ("run", "run-script"):
            running = True
            continue
        if not running and manager == "yarn" and text == "workspace" and rest and rest[0].known:
            line = replace(line, members=(rest.pop(0).text,))
            continue
        if not running and manager == "yarn" and text == "workspaces":
            line = replace(line, all_members=True)
            if rest and rest[0].text in ("run", "foreach"):
                running = rest.pop(0).text == "run"
            continue
        return _script(line, text, rest, running)
    return _script(line, "install", [], False) if manager == "yarn" and not running else None


def _script(line: Line, text: str, rest: list[Word], running: bool) -> Line | None:
    own = {"yarn": _YARN_OWN, "pnpm": _PNPM_OWN, "bun": _BUN_OWN}[line.manager]
    if not running and text in own:
        return None
    command = _ALIASES.get(text, text) or text
    if not running and command in LIFE_CYCLES and command != "version":
        if command == "install" and any(not w.text.startswith("-") for w in rest):
            return None
        if any(w.text == "--ignore-scripts" for w in rest):
            return None
        return replace(line, scripts=LIFE_CYCLES[command], cycle=True)
    if not running and line.manager == "pnpm" and text in ("t", "tst"):
        text = "test"
    if rest and rest[0].text == "--" and line.manager in ("yarn", "bun"):
        rest = rest[1:]
    words = tuple(Traced(w.pieces) for w in rest)
    return replace(line, scripts=(text,), words=words, optional=True)


def _run_all(words: Sequence[Word]) -> Line | None:
    """npm-run-all, run-s and run-p: patterns, each with words of its own; `{1}` and `{@}` are those behind `--`."""
    scripts: list[str] = []
    each: list[tuple[Traced, ...]] = []
    at = 0
    end = next((i for i, w in enumerate(words) if w.text == "--"), len(words))
    behind = [Traced(w.pieces) for w in words[end + 1 :]]
    while at < end:
        word = words[at]
        text = pattern(word)
        at += 1
        if text.startswith("-"):
            if text in ("-h", "--help", "-v", "--version"):
                return None
            if text in ("--max-parallel", "--npm-path") or (text.startswith("--") and ":" in text and "=" not in text):
                at += 1
            continue
        if HOLE_MARK in text:
            return None
        first, *own = text.split() or [""]
        given: list[Traced] = []
        for part in own:
            if part in ("{@}", "{*}"):
                given += behind
            elif part.startswith("{") and part[1:-1].isdigit():
                given += behind[int(part[1:-1]) - 1 : int(part[1:-1])]
            elif part != "--":
                start = text.index(part)
                given.append(Traced(word.cut(start, start + len(part)).pieces))
        scripts.append(first)
        each.append(tuple(given))
    return Line("npm", tuple(scripts), each=tuple(each), patterns=True) if scripts else None
