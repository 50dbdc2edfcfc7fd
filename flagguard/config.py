"""The configuration as values; reading it is the helper's part: flagguard.toml or [tool.flagguard]."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field

from flagguard.rules import Exemption, Rule


@dataclass(frozen=True)
class Config:
    path: str | None = None
    """The file it came from, relative to the root."""
    packs: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    baseline: Mapping[str, str] = field(default_factory=dict)
    assume: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    """The configuration's own and those of its packs."""
    exemptions: tuple[Exemption, ...] = ()
    today: datetime.date = datetime.date.min
    """For ``until``: given by the command line, so that judging has no clock."""
