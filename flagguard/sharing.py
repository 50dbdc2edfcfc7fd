"""What scripts came to, kept for those that say the same: a makefile's recipes come again with each call of it.

Scripts are the same where no more than variables differ that nothing in them names (`relevance`), or their places, or
platforms that none of them asks for.
"""

from collections.abc import Iterable, Mapping

from flagguard import relevance, shell
from flagguard.calls import Recorder
from flagguard.command import Command, Dialect, Place, Script, Variable
from flagguard.handed import MARK
from flagguard.hosts import Setting
from flagguard.shell import Evaluation
from flagguard.text import EMPTY, Span, Traced
from flagguard.values import dataclass, field, replace

_MOST = 40_000
"""Scripts that are kept."""
_SHELLS = frozenset({Dialect.SH, Dialect.BASH})
_ALONE = frozenset({"github"})
"""Formats whose files nothing else starts: what their own scripts came to is of no use for other files."""


@dataclass(frozen=True)
class _Kept:
    """What a script came to, and the files that were asked for on the way."""

    evaluation: Evaluation
    read: frozenset[str]
    """Those whose text it may have run;"""
    asked: frozenset[str]
    listed: bool


_Bare = dict[object, list[tuple[Script, dict[tuple[str, ...] | None, _Kept]]]]
"""By what tells most apart: scripts at no place, each with what it came to on its platforms; None: on any."""


@dataclass
class _Environment:
    """The environment that many scripts share, and what is made of it."""

    variables: tuple[Variable, ...]
    values: Mapping[str, Traced]
    less: dict[frozenset[str], tuple[Variable, ...]] = field(default_factory=dict)
    """Without the variables that do not matter to a script;"""
    more: dict[frozenset[str], relevance.Filled] = field(default_factory=dict)
    """the environments of commands with them put back."""


class Scripts:
    """The scripts of one tree under one configuration."""

    def __init__(self) -> None:
        self._kept: dict[object, _Kept] = {}
        self._bare: _Bare = {}
        self._own: _Bare = {}
        """The same for the scripts of one file that is read alone."""
        self._path = ""
        self._room = _MOST
        self._environments: dict[int, tuple[tuple[Variable, ...], _Environment]] = {}
        self._variables: dict[tuple[Variable, ...], tuple[Variable, ...]] = {}

    def of(self, path: str) -> "Scripts":
        """The same, when it is the turn of another file."""
        self._path, self._own = path, {}
        return self

    def evaluated(self, script: Script, setting: Setting, files: Recorder) -> Evaluation:
        """:func:`flagguard.shell.evaluate`; ``files``, those of the setting, remember all that was looked at."""
        if script.dialect not in _SHELLS or script.layout is not None or script.files:
            return shell.evaluate(script, setting)
        around = self._environment(script.env)
        words = (*script.argv, *script.arguments, *((script.name,) if script.name is not None else ()))
        names = relevance.unnamed(around.values, words, (script.text.text,)) if script.env else frozenset()
        if not names:
            return self._known(replace(script, env=around.variables), setting, files).evaluation
        less = around.less.get(names)
        if less is None:
            kept = [v for v in script.env if v.name not in names and v.name != MARK]
            less = around.less[names] = self._one((*kept, Variable(MARK, EMPTY)))
        found = self._known(replace(script, env=less), setting, files)
        texts = [source.text for source in map(files.read, sorted(found.read)) if source is not None]
        if any(relevance.named(text)(name) for text in texts for name in names):
            return shell.evaluate(script, setting)
        return _with(found.evaluation, around, names)

    def _environment(self, variables: tuple[Variable, ...]) -> _Environment:
        known = self._environments.get(id(variables))
        if known is None or known[0] is not variables:
            found = _Environment(self._one(variables), {v.name: v.value for v in variables})
            known = self._environments[id(variables)] = (variables, found)
        return known[1]

    def _one(self, variables: tuple[Variable, ...]) -> tuple[Variable, ...]:
        """The one of those that are equal that is told from others by its identity."""
        return self._variables.setdefault(variables, variables)

    def _known(self, script: Script, setting: Setting, files: Recorder) -> _Kept:
        """What the script came to; where its host makes many of one mould, `shell.alike` shares what it can."""
        if script.alike is None:
            found = self._placed(script, setting, files)
        else:
            key = (replace(script, env=()), id(script.env), setting.platforms)
            found = self._kept.get(key) or self._evaluated(script, setting, files)
            if len(self._kept) < _MOST:
                self._kept[key] = found
        files.asked |= found.asked
        files.listed = files.listed or found.listed
        return found

    def _placed(self, script: Script, setting: Setting, files: Recorder) -> _Kept:
        """The same text at another place, or on platforms that it does not ask for, is evaluated once."""
        platforms = tuple([p for p in setting.platforms if script.platforms is None or p in script.platforms])
        if script.platforms is not None and not platforms:
            platforms = tuple(sorted(script.platforms))
        place = Place(script.place.host)
        bare = replace(script, place=place, platforms=None, when=(), opt_in=False, via=(), unit="", order=(), needs=())
        route = script.text.pieces[0].route if script.text.pieces else ()
        alone = script.place.host in _ALONE and bool(route) and route[0].path == self._path
        alike = (self._own if alone else self._bare).setdefault((script.text.text, route, id(script.env)), [])
        known = next((found for one, found in alike if one == bare), None)
        if known is None:
            known = {}
            if alone or self._room > 0:
                alike.append((bare, known))
                self._room -= not alone
        found = known.get(platforms) or known.get(None)
        if found is None:
            found = self._evaluated(bare, replace(setting, platforms=platforms), files)
            known[None if found.evaluation.everywhere else platforms] = found
        return _Kept(_at(found.evaluation, script, platforms), found.read, found.asked, found.listed)

    def _evaluated(self, script: Script, setting: Setting, files: Recorder) -> _Kept:
        listed, files.listed, files.log = files.listed, False, []
        try:
            evaluation = shell.evaluate(script, setting)
        finally:
            asked, files.log = files.log, None
        # what the mould of a script came to may have been asked for before
        also: Iterable[str] = files.asked if script.alike is not None else ()
        here = files.listed or (script.alike is not None and listed)
        files.listed = files.listed or listed
        read = frozenset((*asked, *evaluation.depends))
        return _Kept(evaluation, read, read.union(also), here)


def _at(evaluation: Evaluation, script: Script, platforms: tuple[str, ...]) -> Evaluation:
    """What a script came to at no place in particular, at its place."""
    own = tuple(sorted(platforms)) if evaluation.everywhere else None
    place, when, via = script.place, script.when, script.via

    def placed(command: Command, via: tuple[Span, ...]) -> Command:
        return replace(
            command,
            place=place,
            platforms=command.platforms if own is None else own,
            when=(*when, *[w for w in command.when if w not in when]) if when else command.when,
            opt_in=script.opt_in or command.opt_in,
            via=(*via, *command.via) if via else command.via,
        )

    commands = tuple([placed(command, via) for command in evaluation.commands])
    return replace(evaluation, commands=commands, texts=tuple([placed(text, ()) for text in evaluation.texts]))


def _with(evaluation: Evaluation, around: _Environment, names: frozenset[str]) -> Evaluation:
    known = around.more.setdefault(names, {})

    def filled(commands: tuple[Command, ...]) -> tuple[Command, ...]:
        return relevance.put_back(commands, around.values, names, known)

    return replace(evaluation, commands=filled(evaluation.commands), texts=filled(evaluation.texts))
