"""The command lines that build an image from a Dockerfile, and what they hand to it.

Follows https://docs.docker.com/reference/cli/docker/buildx/build/, podman-build(1), buildah-build(1) and the reference
of `nerdctl build`. The environment does not reach the build: only `--build-arg` does.
"""

from collections.abc import Sequence

from flagguard.command import Command, Word
from flagguard.hosts import Entered, Setting
from flagguard.hosts import dockerfile_platforms as platforms_
from flagguard.hosts.dockerfile_evaluate import evaluate
from flagguard.hosts.dockerfile_runs import Called
from flagguard.paths import inside, resolved
from flagguard.text import SourceText, Traced
from flagguard.values import dataclass, field

_SUBCOMMANDS = (("buildx", "build"), ("buildx", "b"), ("builder", "build"), ("image", "build"), ("build",), ("bud",),
                ("build-using-dockerfile",))  # fmt: skip
_BEFORE = frozenset(
    # options of docker, podman, buildah and nerdctl that take a value and stand before the subcommand
    "--config -c --context -H --host -l --log-level --tlscacert --tlscert --tlskey --builder --connection --url --root "
    "--runroot --storage-driver --storage-opt --log-level --cgroup-manager --namespace -n --address -a --host".split()
)
_WITH_VALUE = frozenset(
    "--add-host --allow --annotation --arch --attest --authfile --blkio-weight --build-arg --build-arg-file "
    "--build-context --builder --cache-from --cache-to --cache-ttl --call --cap-add --cap-drop --cert-dir "
    "--cgroup-parent --cgroupns -c --cpp-flag --cpu-period --cpu-quota --cpu-shares --cpuset-cpus --cpuset-mems "
    "--creds --decryption-key --device --dns --dns-option --dns-search --env -f --file --format --from "
    "--group-add --hooks-dir --http-proxy --iidfile --ignorefile --ipc --ipfs-address --isolation -j --jobs "
    "--label --layer-label --logfile --manifest -m --memory --memory-swap --metadata-file --mount --network "
    "--no-cache-filter --os --os-feature --os-version -o --output --pid --platform --policy --progress --retry "
    "--retry-delay --runtime --runtime-flag --sbom-output --secret --security-opt --shm-size --sign-by "
    "--signature-policy --source-date-epoch --ssh -t --tag --target --timestamp --ulimit --unsetenv --unsetlabel "
    "--userns --uts --variant -v --volume".split()
)
"""Options of the builds that take a value as their next word; those with an optional value do not."""


@dataclass
class _Line:
    """A command line of a builder."""

    files: list[Traced] = field(default_factory=list)
    args: dict[str, Traced | None] = field(default_factory=dict)
    """None: the value that the environment of the command has."""
    target: Traced | None = None
    platforms: list[Traced] = field(default_factory=list)
    operands: list[Word] = field(default_factory=list)


def enter(command: Command, setting: Setting) -> Entered | None:
    line = _read(command.argv[1:])
    if line is None or command.directory is None or not line.operands:
        return None
    found = _file(line, command, setting)
    if found is None:
        return None
    source, context = found
    target = line.target.text if line.target is not None and line.target.known else None
    builders = tuple(dict.fromkeys(map(platforms_.of_machine, command.platforms)))
    platforms = _platforms(line, command) or builders
    args = _given(line, command)
    called = Called(args, target, context, builders)
    values = tuple((name, value.pieces) for name, value in sorted(args.items()))
    key = ("dockerfile", source.path, context, target, builders, platforms, values)
    return Entered(source.path, key, lambda inner: evaluate(source, inner, called), platforms)


def _read(words: Sequence[Word]) -> _Line | None:
    """The words behind the program; None where they build nothing."""
    rest = _behind(words)
    if rest is None:
        return None
    line = _Line()
    at = 0
    while at < len(rest):
        word = rest[at]
        at += 1
        if not word.text.startswith("-") or word.text == "-":
            line.operands.append(word)
            continue
        name, equals, _ = word.text.partition("=")
        value: Traced | None = word.cut(len(name) + 1, len(word.text)) if equals else None
        if not word.text.startswith("--") and len(name) > 2 and name[:2] in _WITH_VALUE:
            name, value = name[:2], word.cut(2, len(word.text))
        elif value is None and name in _WITH_VALUE:
            value = rest[at] if at < len(rest) else None
            at += 1
        if name in ("--help", "-h", "--check"):
            return None
        if value is not None:
            _note(line, name, value)
    return line


def _behind(words: Sequence[Word]) -> Sequence[Word] | None:
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _BEFORE else 1
    names = [word.text for word in words[at : at + 2]]
    for subcommand in _SUBCOMMANDS:
        if tuple(names[: len(subcommand)]) == subcommand:
            return words[at + len(subcommand) :]
    return None


def _note(line: _Line, name: str, value: Traced) -> None:
    if name in ("-f", "--file"):
        line.files.append(value)
    elif name == "--build-arg":
        key, equals, _ = value.text.partition("=")
        line.args[key] = value.cut(len(key) + 1, len(value.text)) if equals else None
    elif name == "--target":
        line.target = value
    elif name == "--platform":
        line.platforms.append(value)


def _given(line: _Line, command: Command) -> dict[str, Traced]:
    """The build arguments with values; one without takes that of the environment, where it has one."""
    out: dict[str, Traced] = {}
    for name, value in line.args.items():
        found = command.env.get(name) if value is None else value
        if found is not None:
            out[name] = Traced(found.pieces)
    return out


def _platforms(line: _Line, command: Command) -> tuple[str, ...]:
    """The platforms that are built for, where the call says so."""
    said = line.platforms or [value for value in (command.env.get("DOCKER_DEFAULT_PLATFORM"),) if value is not None]
    if not said or not all(value.known for value in said):
        return ()
    names = [platforms_.parse(part) for value in said for part in value.text.split(",")]
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _file(line: _Line, command: Command, setting: Setting) -> tuple[SourceText, str | None] | None:
    """The Dockerfile, and the folder of its context."""
    operand = line.operands[-1]
    context = resolved(operand, command.directory)
    if line.files:
        named = resolved(line.files[-1], command.directory)
        paths = [named] if named is not None else []
        if context is not None and line.files[-1].known:  # podman looks in the context too
            paths += [p for p in (inside(context, line.files[-1].text),) if p is not None]
    elif context is not None:
        paths = [p for name in ("Containerfile", "Dockerfile") if (p := inside(context, name)) is not None]
        if command.argv[0].text.rpartition("/")[2] in ("docker", "nerdctl"):
            paths.reverse()
    else:
        paths = []
    source = next((found for path in paths if (found := setting.files.read(path)) is not None), None)
    return (source, context) if source is not None else None
