"""What flagguard shows for a script against what a real shell did with it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from oracle import FILES, STUBS, TRANSPARENT, WRAPPERS, Record, Run, Toolbox
from written_cases import Case

from flagguard.command import Command, Dialect, Place, Script, Variable, word
from flagguard.hosts import Setting
from flagguard.shell import evaluate
from flagguard.text import SourceText, Traced, literal

BUILTINS = frozenset(
    """: . [ [[ alias bg break builtin cd command continue coproc declare dirs disown echo enable eval exec exit export
    false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray
    readonly return set shift shopt source test times trap true type typeset ulimit umask unalias unset wait""".split()
)
_MACHINE = frozenset("HOME LC_ALL TERM TMPDIR PATH PWD OLDPWD SHLVL _ OSTYPE".split())
"""What every command has in its environment anyway."""

_NO_STUB = BUILTINS | TRANSPARENT | WRAPPERS


@dataclass(frozen=True)
class Disagreement:
    """One point in which the two differ."""

    kind: str
    case: Case
    shell: str
    platform: str
    real: str
    shown: str

    def __str__(self) -> str:
        script = self.case.script.decode("utf-8", "backslashreplace").rstrip("\n")
        lines = [f"{self.kind}: {self.case.name} in {self.shell} on {self.platform}"]
        lines += [f"    | {line}" for line in script.split("\n")[:30]]
        lines += [f"    real:  {self.real}", f"    shown: {self.shown}"]
        return "\n".join(lines)


class _Tree:
    """The files beside the script, as the toolbox lays them out."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def paths(self) -> Iterable[str]:
        return sorted(self._files)

    def read(self, path: str) -> SourceText | None:
        return SourceText(path, self._files[path]) if path in self._files else None


TREE = _Tree(dict(FILES))


def script_of(case: Case, shell: str) -> Script:
    """The script as a host would hand it on."""
    text = case.script.decode("utf-8", "surrogateescape")
    return Script(
        place=Place("shellscript"),
        dialect=Dialect.BASH if shell == "bash" else Dialect.SH,
        text=SourceText("build.sh", text).traced(),
        env=tuple(Variable(name, literal(value)) for name, value in case.env.items()),
        arguments=tuple(word(literal(a)) for a in case.arguments),
        knows_arguments=True,
        name=word(literal("build.sh")),
        errexit="-e" in case.options,
    )


def show(case: Case, shell: str) -> tuple[tuple[Command, ...], tuple[str, ...]]:
    """The commands that flagguard finds, and its problems."""
    setting = Setting(files=TREE, platforms=case.platforms, assume=case.assume)
    found = evaluate(script_of(case, shell), setting)
    return tuple(found.commands), tuple(p.message for p in found.problems if p.fatal)


def disagreements(case: Case, toolbox: Toolbox) -> list[Disagreement]:
    """All points in which flagguard and the real shells differ on ``case``."""
    out: list[Disagreement] = []
    for shell in case.shells:
        commands, problems = show(case, shell)
        if problems and not case.unread:
            out.append(Disagreement("problem", case, shell, "-", "it runs", "; ".join(problems)))
            continue
        for platform in case.platforms:
            run = toolbox.run(
                shell,
                case.script,
                platform,
                env={**case.env, **case.assume},
                arguments=case.arguments,
                options=case.options,
                exits=case.exits,
            )
            if run.status is None:
                out.append(Disagreement("time", case, shell, platform, "over the time limit", ""))
                continue
            there = [c for c in commands if not c.platforms or platform in c.platforms]
            shown = [c for c in map(_whole, there) if _has_stub(c, run)]
            for kind, real, said in differences(case, run.records, shown):
                out.append(Disagreement(kind, case, shell, platform, real, said))
    return out


def differences(case: Case, records: Sequence[Record], shown: Sequence[Command]) -> Iterable[tuple[str, str, str]]:
    """(kind, what was recorded, what was shown) for one shell and one platform."""
    forked = [c for c in shown if c.when or c.opt_in]
    if forked and not case.forks:
        yield "fork", "it is certain", f"{_say(forked[0])} when {forked[0].when}"
    pairs = _paired(records, shown)
    if not case.holes:
        certain = {j for j, c in enumerate(shown) if not c.when and not c.opt_in} | {j for _, j in pairs}
        for command in (shown[j] for j in sorted(certain)):
            if not all(w.known for w in command.argv):
                reasons = "; ".join(h.reason for w in command.argv for h in w.holes)
                yield "hole", "nothing is outside", f"{_say(command)} ({reasons})"
                break
    matched_records = {i for i, _ in pairs}
    matched_shown = {j for _, j in pairs}
    lost = [r for i, r in enumerate(records) if i not in matched_records]
    invented = [c for j, c in enumerate(shown) if j not in matched_shown and not c.when and not c.opt_in]
    if case.unread or (case.exits and case.forks):
        invented = []
    for record in lost:
        near = next((c for c in invented if c.argv and c.argv[0].text == record.argv[0]), None)
        if near is None:
            yield "lost", _tell(record), "; ".join(_say(c) for c in shown) or "nothing"
        else:
            invented.remove(near)
            yield "argv", _tell(record), _say(near)
    for command in invented:
        yield "invented", "; ".join(_tell(r) for r in records) or "nothing", _say(command)
    agreed = len(matched_records) == len(records) and len(matched_shown) == len(shown)
    if agreed and not case.unordered and not forked and not _in_order(records, shown):
        yield "order", "; ".join(_tell(r) for r in records), "; ".join(_say(c) for c in shown)
    for i, j in pairs:
        yield from _environment(case, records[i], shown[j])


def _whole(command: Command) -> Command:
    """The command with `python -m` before it, which flagguard takes for a wrapper and the system for the program."""
    last = command.wrappers[-1] if command.wrappers else ()
    if last and last[0].text.startswith("python") and last[-1].text == "-m":
        return replace(command, argv=(*last, *command.argv), wrappers=command.wrappers[:-1])
    return command


def _has_stub(command: Command, run: Run) -> bool:
    """Whether the real run would have recorded the command."""
    if not command.argv:
        return False
    program = command.argv[0]
    if not program.known:
        return True
    if program.text in _NO_STUB:
        return False
    name = program.text.rpartition("/")[2]
    return name in STUBS or name in ("configure", "gen") or re.split(r"\W", program.text)[0] not in run.output


def _paired(records: Sequence[Record], shown: Sequence[Command]) -> list[tuple[int, int]]:
    """Which command each record is. One that runs again (a loop) is shown once, so a command may serve twice."""
    used: set[int] = set()
    pairs: list[tuple[int, int]] = []
    for i, record in enumerate(records):
        fitting = [j for j in range(len(shown)) if matches(shown[j].argv, record.argv)]
        if fitting:
            best = min(fitting, key=lambda j: (_doubt(record, shown[j]), j in used, bool(shown[j].when), j))
            used.add(best)
            pairs.append((i, best))
    return pairs


def _in_order(records: Sequence[Record], shown: Sequence[Command]) -> bool:
    """Whether the commands stand in the order in which each is first met."""
    reached = {0}
    for record in records:
        fits = [matches(c.argv, record.argv) for c in shown]
        reached = {k for k in reached if any(fits[:k])} | {k + 1 for k in reached if k < len(shown) and fits[k]}
    return len(shown) in reached


def _bytewise(text: str) -> str:
    """The text as its bytes decode: `$'\\303\\244'` is one character."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def matches(words: Sequence[Traced], argv: Sequence[str]) -> bool:
    """Whether the words can be this argv: a hole is any text, a word that is one hole any
    number of words, a pattern of files one word or more."""
    ends = {0}
    for word_ in words:
        whole = len(word_.pieces) == 1 and not word_.known
        several = whole or any("match" in h.reason for h in word_.holes)
        ends = {
            end
            for start in ends
            for end in range(start if whole else start + 1, len(argv) + 1 if several else min(start + 2, len(argv) + 1))
            if whole or _fits(word_, " ".join(argv[start:end]))
        }
        if not ends:
            break
    return len(argv) in ends


def _fits(traced: Traced, text: str) -> bool:
    if traced.known:
        return _bytewise(traced.text) == text
    pattern = "".join("(?s:.*)" if p.hole is not None else re.escape(p.text) for p in traced.pieces)
    return re.fullmatch(pattern, text) is not None


def _doubt(record: Record, command: Command) -> int:
    """How badly a command that fits the record's argv fits the rest: it has holes, another environment."""
    differing = [n for n, value in command.env.items() if n not in _MACHINE and record.env.get(n) != value.text]
    lacking = [n for n in record.env if n not in _MACHINE and n not in command.env]
    return len(differing) + len(lacking) + sum(not w.known for w in command.argv)


def _environment(case: Case, record: Record, command: Command) -> Iterable[tuple[str, str, str]]:
    for name in sorted(record.env.keys() | command.env.keys()):
        real, said = record.env.get(name), command.env.get(name)
        if name in _MACHINE or (said is None and real == case.assume.get(name)):
            continue
        if real is None or said is None or not _fits(said, real) or not (said.known or case.holes):
            yield (
                "environment",
                f"{_tell(record)} with {name}={real!r}",
                f"{name}={said.shown!r}" if said is not None else f"no {name}",
            )


def _tell(record: Record) -> str:
    return str(list(record.argv))


def _say(command: Command) -> str:
    return str(command.shown)
