"""What an environment of pixi puts into the environment of its tasks: `[activation]`.

Follows https://pixi.sh/latest/reference/pixi_manifest/#the-activation-table: scripts first, read by bash (cmd on
Windows), then the variables, whose values that shell expands.
"""

from collections.abc import Mapping

from flagguard.command import Dialect, Place, Script, Variable
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import fill, unset
from flagguard.hosts.pixi_manifest import Environment, Platform
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Shape, SourceText, Traced, hole, join, literal
from flagguard.values import dataclass, field

SETS = (
    # https://pixi.sh/latest/reference/environment_variables/#environment-variables-set-by-pixi
    "PIXI_PROJECT_ROOT PIXI_PROJECT_NAME PIXI_PROJECT_MANIFEST PIXI_PROJECT_VERSION PIXI_PROMPT PIXI_ENVIRONMENT_NAME "
    "PIXI_ENVIRONMENT_PLATFORMS PIXI_EXE PIXI_IN_SHELL CONDA_PREFIX CONDA_DEFAULT_ENV INIT_CWD"
).split()
_MACHINE = frozenset("HOME PATH PWD USER LOGNAME SHELL TMPDIR TEMP USERPROFILE APPDATA LOCALAPPDATA".split())
_UNIX = expression(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_WINDOWS = expression(r"%([A-Za-z_]\w*)%")
_PROBE = "__activated"


@dataclass(frozen=True)
class Activated:
    values: Mapping[str, Traced] = field(default_factory=dict)
    outside: tuple[str, ...] = tuple(SETS)
    looked_at: tuple[str, ...] = field(default=(), compare=False)


def activated(
    environment: Environment, platform: Platform, folder: str, given: Mapping[str, Traced], setting: Setting
) -> Activated:
    """The variables of an environment on a platform. ``given``: what the caller of pixi has set."""
    named, scripts = environment.activation(platform)
    values: dict[str, Traced] = {}
    outside = list(SETS)
    looked_at: list[str] = []
    windows = platform.subdir.startswith("win")
    for script in scripts:
        path = resolved(script.text, folder)
        if path is None or path.endswith((".bat", ".cmd", ".ps1")) is not windows:
            continue
        looked_at.append(path)
        source = setting.files.read(path)
        if source is None:
            continue
        values.update(_of_script(source, {**given, **values}, platform, setting))
    for name, scalar in named.items():

        def value(found: "object", written: Traced) -> Traced | None:
            groups = found.groups()  # type: ignore[attr-defined]
            asked = next(g for g in groups if g is not None)
            known = values.get(asked, given.get(asked))
            if known is not None:
                return known
            if asked in setting.assume:
                return literal(setting.assume[asked])
            if asked in outside or asked in _MACHINE:
                path = folder if asked == "PIXI_PROJECT_ROOT" else None
                return hole(Hole(written.shown, "the machine or pixi sets it", shape=Shape.PATH, name=asked, path=path))
            return unset(asked)

        values[name] = fill(scalar.text, _WINDOWS if windows else _UNIX, value)
    return Activated(values, tuple(outside), tuple(looked_at))


def _of_script(
    source: SourceText, given: Mapping[str, Traced], platform: Platform, setting: Setting
) -> Mapping[str, Traced]:
    """What a script leaves in the environment: it is followed up to a command that is asked what it gets."""
    if not source.path.endswith((".sh", ".bash")):
        return _named(source)
    from flagguard.shell import evaluate  # few manifests have one

    script = Script(
        Place("pixi"),
        Dialect.BASH,
        join([source.traced(), literal(f"\n{_PROBE}\n").grounded(source.traced(0, 1).route)]),
        env=tuple(Variable(name, value) for name, value in given.items()),
        outside=tuple(SETS),
        platforms=frozenset({platform.ours}) if platform.ours else None,
        file=source.path,
    )
    found = [c.env for c in evaluate(script, setting).commands if c.argv[0].text == _PROBE and not c.opt_in]
    if not found:
        return _named(source)
    out: dict[str, Traced] = {}
    for name in dict.fromkeys(n for env in found for n in env):
        said = [env[name] for env in found if name in env]
        if all(v == said[0] for v in said) and len(said) == len(found):
            if name not in given or given[name] != said[0]:
                out[name] = said[0]
        else:
            told = f"{source.path} sets it to one of several values"
            out[name] = hole(Hole(f"${name}", told, Decider.REPOSITORY, name=name, among=tuple(said)))
    return out


_SETS = expression(r"(?im)^[ \t]*(?:@?set[ \t]+\"?|export[ \t]+|setx[ \t]+)([A-Za-z_]\w*)=")


def _named(source: SourceText) -> Mapping[str, Traced]:
    """The variables that a script seems to set, whose values are not followed."""
    return {
        name: hole(Hole(f"${name}", f"{source.path} sets it", Decider.REPOSITORY, name=name))
        for name in _SETS.findall(source.text)
    }
