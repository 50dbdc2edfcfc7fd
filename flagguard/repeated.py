"""Commands that say the same are judged once: a makefile that ten jobs call gives each of its commands ten times."""

from collections.abc import Mapping, Sequence

from flagguard.command import Command
from flagguard.config import Config
from flagguard.heeded import Heeded
from flagguard.judging import Judgement, Read, hands_on, judgements, placed
from flagguard.text import Traced
from flagguard.values import replace


class Judges:
    """What the rules of a configuration say of the commands of one file, which must be kept as long."""

    def __init__(self, config: Config, read: Read | None) -> None:
        self._config, self.read = config, read
        self._kept: dict[object, tuple[Command, tuple[Judgement, ...]]] = {}
        self._numbers: dict[object, int] = {}
        self._seen: dict[tuple[int, frozenset[str]], int] = {}
        self._heeded = Heeded(config)

    def judgements(self, command: Command) -> Sequence[Judgement]:
        """As :func:`flagguard.judging.judgements`."""
        heeded = self._heeded.names(command)
        key = self._key(command, heeded)
        kept = self._kept.get(key)
        if kept is None:
            found = tuple(judgements(command, self._config, self.read, heeded))
            self._kept[key] = (command, found)
            return found
        first, found = kept
        return [replace(j, command=_at(command, j.command, first)) for j in found]

    def _key(self, command: Command, heeded: frozenset[str]) -> object:
        """All of a command that a rule may ask for."""
        config = self._config
        rules = tuple([placed(rule.where, command) for rule in config.rules])
        exempt = tuple([placed(exemption.where, command) for exemption in config.exemptions])
        own = (command.argv, command.wrappers, command.vanished, command.brought, command.layout, command.dialect)
        facts = (command.platforms, command.opt_in, command.status, command.directory, hands_on(command, config))
        around = self._number(command.env, heeded), self._number(command.configured, heeded)
        return around, rules, exempt, own, facts

    def _number(self, values: Mapping[str, Traced], heeded: frozenset[str]) -> int:
        """The same for mappings that are equal in what matters."""
        number = self._seen.get((id(values), heeded))
        if number is None:
            mattering = tuple([(name, values[name]) for name in sorted(heeded) if name in values])
            number = self._numbers.setdefault(mattering, len(self._numbers))
            self._seen[id(values), heeded] = number
        return number


def _at(command: Command, judged: Command, first: Command) -> Command:
    """What was judged of the first command, at the place of another that says the same."""
    if judged is first:
        return command
    env = command.env if judged.env is first.env else judged.env
    configured = command.configured if judged.configured is first.configured else judged.configured
    return replace(command, argv=judged.argv, env=env, configured=configured)
