"""GoReleaser's configuration: each build as the `go build` that it is, and the commands of its hooks.

Follows https://goreleaser.com/customization/builds/go/, .../general/hooks/, .../sign/sign/, .../sbom/, .../publish/
and .../package/docker/. A build is the command `goreleaser:build`, with the words and the environment that `go build`
gets; one for each level that it is built for.
"""

from collections.abc import Iterable, Iterator, Sequence

from flagguard.command import Call, Dialect, Place, Reading, Script, Variable, Word, word
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import Notes, fill, guarded, outside, text, texts
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import Piece, SourceText, Span, Traced, join, literal
from flagguard.tools.platforms import architecture

NAME = "goreleaser"

_LEVELS = {"amd64": ("GOAMD64", "goamd64"), "arm64": ("GOARM64", "goarm64"), "arm": ("GOARM", "goarm"),
           "ppc64le": ("GOPPC64", "goppc64"), "riscv64": ("GORISCV64", "goriscv64")}  # fmt: skip
_FLAGS = ("flags", "ldflags", "asmflags", "gcflags", "tags", "buildmode")

_BUILDERS = {
    # https://goreleaser.com/customization/builds/rust/ and …/zig/: the tool, its command, its flags by default
    "rust": ("cargo", "zigbuild", ("--release",)),
    "zig": ("zig", "build", ("-Doptimize=ReleaseSafe",)),
}


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)
    calls: list[Call] = []
    return Reading(
        guarded(notes, source.path, lambda: _scripts(source, setting, notes, calls)), tuple(calls), notes.all()
    )


def _scripts(source: SourceText, setting: Setting, notes: Notes, calls: list[Call]) -> Iterator[Script]:
    for root in notes.documents(source)[:1]:
        table = notes.table(root, "the file")
        if table is None:
            continue
        shared = _environment(table.get("env"))
        yield from _hooks(table.get("before"), "before", shared)
        yield from _hooks(table.get("after"), "after", shared)
        builds = table.get("builds")
        for number, build in enumerate(builds.items if isinstance(builds, Items) else ()):
            if isinstance(build, Table) and text(build.get("skip")).text != "true":
                calls += _build(build, shared, setting)
                name = text(build.get("id")).text or f"build {number + 1}"
                yield from _hooks(build.get("hooks"), name, [*shared, *_environment(build.get("env"))])
        for key in _WITH_HOOKS:
            for name, one in _listed(table.get(key), key):
                yield from _hooks(one.get("hooks"), name, shared)
        for key, (program, usual) in _PROGRAMS.items():
            for name, one in _listed(table.get(key), key):
                yield _program(one, program, usual, name, [*shared, *_environment(one.get("env"))])
        for name, one in _listed(table.get("publishers"), "publishers"):
            yield from _hooks(Items(one.span, (one,)), name, [*shared, *_environment(one.get("env"))])
        for name, one in _listed(table.get("dockers"), "dockers"):
            yield _image(one, name, shared)


_WITH_HOOKS = ("universal_binaries",)
_PROGRAMS = {
    # the program by default, and its words
    "signs": ("gpg", ("--output", "$signature", "--detach-sig", "$artifact")),
    "binary_signs": ("gpg", ("--output", "$signature", "--detach-sig", "$artifact")),
    "docker_signs": ("cosign", ("sign", "--key=cosign.key", "${artifact}@${digest}", "--yes")),
    "sboms": ("syft", ("$artifact", "--output", "spdx-json=$document", "--enrich", "all")),
}


_TEMPLATE = expression(r"\{\{[^{}]*\}\}")


def _filled(said: Traced) -> Traced:
    """A text with its templates as gaps."""
    return fill(said, _TEMPLATE, lambda m, written: outside(m[0], m[0], "GoReleaser fills it in"))


def _listed(node: Node | None, key: str) -> Iterator[tuple[str, Table]]:
    """The tables of a list, each with its `id`, or the key and its number."""
    for number, one in enumerate(node.items if isinstance(node, Items) else ()):
        if isinstance(one, Table) and one.entries:
            yield text(one.get("id")).text or text(one.get("name")).text or f"{key} {number + 1}", one


def _run(words: Iterable[Traced], name: str, env: Iterable[Variable], directory: str | None) -> Script:
    argv = tuple(word(_filled(one)) for one in words)
    return Script(Place(NAME, step=name), Dialect.ARGV, argv=argv, env=tuple(env), directory=directory, unit=name)


def _program(one: Table, program: str, usual: Sequence[str], name: str, env: list[Variable]) -> Script:
    """A program with its words, without a shell."""
    at = one.entries[0].key
    words = [text(one.get("cmd")) or _word(program, at), *(texts(one.get("args")) or [_word(w, at) for w in usual])]
    return _run(words, name, env, "")


def _image(one: Table, name: str, env: list[Variable]) -> Script:
    """The `docker build` of an image, in a folder that GoReleaser makes."""
    at = one.entries[0].key
    use = text(one.get("use")).text or "docker"
    start = (
        ["podman", "build"]
        if use == "podman"
        else ["docker", "buildx", "build"]
        if use == "buildx"
        else ["docker", "build"]
    )
    words: list[Traced] = [_word(said, at) for said in (*start, ".")]
    for tag in texts(one.get("image_templates")):
        words += [_word("-t", at), tag]
    file = text(one.get("dockerfile"))
    words += [_word("-f", at), file] if file else []
    words += texts(one.get("build_flag_templates"))
    return _run(words, name, env, None)


def _environment(node: Node | None) -> list[Variable]:
    """`env`: a list of NAME=VALUE."""
    out = []
    for item in texts(node):
        name, equals, _ = item.text.partition("=")
        if equals:
            out.append(Variable(name, item.cut(len(name) + 1, len(item))))
    return out


def _build(build: Table, shared: list[Variable], setting: Setting) -> Iterator[Call]:
    """One build: for each architecture and level of it, a call."""
    builder = text(build.get("builder")).text
    if builder in _BUILDERS:
        yield _other(builder, build, shared, setting)
        return
    if builder not in ("", "go"):
        return  # prebuilt, and runtimes that bundle scripts
    at = build.entries[0].key if build.entries else build.span
    words = [Word((Piece("goreleaser:build", (at,)),), at), _word("build", at)]
    for key in _FLAGS:
        given = texts(build.get(key))
        if key == "flags":
            words += [word(one) for one in given]
        elif given:
            joint = literal("," if key == "tags" else " ")
            value = join([piece for one in given for piece in (joint, one)][1:])
            words.append(word(join([_word(f"-{key}=", at), value])))
    main = text(build.get("main"))
    words.append(word(main) if main else _word(".", at))
    own = [*shared, *_environment(build.get("env"))]
    systems = [t.text for t in texts(build.get("goos"))] or ["linux", "darwin", "windows"]
    machines = texts(build.get("goarch")) or [literal("amd64"), literal("arm64")]
    name = text(build.get("id")).text or None
    for machine in machines:
        variable, key = _LEVELS.get(machine.text, ("", ""))
        levels: list[Traced | None] = [*texts(build.get(key))] if key else []
        platforms = frozenset(p for p in setting.platforms if _is_for(p, systems, machine.text))
        for level in (levels or [None]) if platforms else ():
            more = [Variable("GOARCH", machine)] if machine.route else []
            more += [Variable(variable, level)] if level is not None else []
            place = Place(NAME, target=name)
            yield Call(tuple(words), place, at, env=(*own, *more), platforms=platforms, unit=name or "")


def _other(builder: str, build: Table, shared: list[Variable], setting: Setting) -> Call:
    """The build of another language's tool ("Builders": Rust, Zig), with its flags or those that it has by itself."""
    at = build.entries[0].key if build.entries else build.span
    tool, command, flags = _BUILDERS[builder]
    said = [text(build.get("tool")) or _word(tool, at), text(build.get("command")) or _word(command, at)]
    given = texts(build.get("flags")) or [_word(flag, at) for flag in flags]
    name = text(build.get("id")).text or None
    env = (*shared, *_environment(build.get("env")))
    argv = tuple(word(one) for one in (*said, *given))
    return Call(argv, Place(NAME, target=name), at, env=env, platforms=frozenset(setting.platforms), unit=name or "")


def _is_for(platform: str, systems: list[str], machine: str) -> bool:
    system, _, own = platform.partition("-")
    named = {"darwin": "macos"}
    return any(named.get(s, s) == system for s in systems) and architecture(own) == architecture(machine)


def _word(said: str, at: Span) -> Word:
    return Word((Piece(said, (at,)),))


def _hooks(node: Node | None, name: str, env: list[Variable]) -> Iterator[Script]:
    """`before.hooks`, `builds[].hooks.pre` and `post`: each a command line, or a table with `cmd`, `dir` and `env`."""
    lists = [node.get(key) for key in ("hooks", "pre", "post")] if isinstance(node, Table) else [node]
    for one in lists:
        for item in one.items if isinstance(one, Items) else [one] if isinstance(one, Scalar) else ():
            table = item if isinstance(item, Table) else None
            said = _filled(text(table.get("cmd") if table is not None else item))
            if not said:
                continue
            more = _environment(table.get("env")) if table is not None else []
            folder = text(table.get("dir")) if table is not None else literal("")
            yield Script(
                Place(NAME, step=name),
                Dialect.SH,
                said,
                env=(*env, *more),
                directory=folder.text if folder.known else None,
                unit=name,
            )
