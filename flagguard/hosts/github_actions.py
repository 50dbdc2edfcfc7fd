"""Actions that run commands for the workflow that uses them, as the commands that they run.

The actions are data, `data/github_actions.toml`, each with the page that documents its inputs. Docker actions follow
"runs for Docker container actions" of
https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from flagguard import tables
from flagguard.command import PLATFORMS, Call, Dialect, Script, Variable, Word, word
from flagguard.hosts import github_shell
from flagguard.hosts.github_expressions import render
from flagguard.hosts.github_job import Job
from flagguard.hosts.github_local import Action
from flagguard.hosts.github_values import Value, as_text, string, text_value
from flagguard.hosts.tree import Entry, Items, Scalar, Table, text_of
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Piece, Span, Traced, join, literal
from flagguard.values import replace

Given = Mapping[str, Value]


@cache
def _actions() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for entry in _table()["action"]:
        names = entry["name"] if isinstance(entry["name"], list) else [entry["name"]]
        for name in names:
            found.setdefault(name.lower(), []).append(entry)
    return found


def _table() -> Mapping[str, Any]:
    return tables.table("hosts/data/github_actions.toml")


def named(uses: str) -> Sequence[Mapping[str, Any]]:
    """What is known of an action, by what `uses:` says."""
    return _actions().get(uses.partition("@")[0].lower(), ())


def runs(call: Call, given: Given, job: Job) -> Iterator[Script]:
    """The commands that a well-known action runs, at its `uses:`."""
    uses = call.argv[1].text
    if uses.startswith("docker://"):
        yield from _image(call, given, job)
        return
    texts = {name.lower(): text for name, value in given.items() if (text := text_value(value)) is not None}
    for entry in named(uses):
        if not _meant(entry, texts):
            continue
        for argv in [entry["argv"]] if "argv" in entry else []:
            words = [made for part in argv for made in _words(part, texts, call.span)]
            if words:
                yield _script(call, job, argv=tuple(words))
        names = entry.get("script", [])
        for name in [names] if isinstance(names, str) else names:
            text = texts.get(name)
            if text:
                yield from _texts(entry, text, texts, call, job)


def _meant(entry: Mapping[str, Any], texts: Mapping[str, Traced]) -> bool:
    for name, value in entry.get("when", {}).items():
        text = texts.get(name.lower())
        if not text or value not in ("given", text.text):
            return False
    return not any(name in texts and texts[name].text == value for name, value in entry.get("unless", {}).items())


def sets(uses: str, texts: Mapping[str, Traced], variables: Sequence[Variable]) -> Iterator[tuple[str, Traced]]:
    """The variables that a well-known action sets for the steps behind it."""
    for entry in named(uses):
        for name, said in entry.get("sets", {}).items():
            if said.get("unless-set") and any(v.name == name for v in variables):
                continue
            value = texts.get(said["input"], literal(said.get("default", "")))
            if value or not said.get("unless-empty"):
                yield name, value


# -- commands ---------------------------------------------------------------------------------------------------------


def _words(part: str | Mapping[str, Any], texts: Mapping[str, Traced], span: Span) -> Iterator[Word]:
    """The words that one part of a command stands for; those that no input says stand at the `uses:`."""
    if isinstance(part, str):
        yield _at(part, span)
        return
    name = part["input"].lower()
    value = texts.get(name)
    if not value:
        if not part.get("default"):
            if "choose" in part:
                yield _at(part["choose"]["other"], span)
            return
        value = Traced(_at(part["default"], span).pieces)
    if "choose" in part:
        yield _at(part["choose"].get(value.text, part["choose"]["other"]), span)
    elif part.get("switch"):
        if value.text == "true":
            yield _at(part["option"], span)
    else:
        for item in _split(value, part.get("split", "")):
            if "option" in part:
                yield _at(part["option"], span)
            glued = join((literal(part["glue"]), item)) if "glue" in part else item
            yield word(glued, _written(item))


def _at(text: str, span: Span) -> Word:
    return Word((Piece(text, (span,)),), span)


def _written(text: Traced) -> Span | None:
    """Where an item stands, if one span of a file is just that."""
    if len(text.pieces) == 1 and text.pieces[0].verbatim and text.pieces[0].route:
        return text.pieces[0].route[-1]
    return None


_WORD = expression(r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+""")
_PART = expression(r""""((?:[^"\\]|\\.)*)"|'([^']*)'|([^"']+)""")
_SPLITS = {"lines": expression(r"[^\r\n]+"), "commas": expression(r"[^,\r\n]+"), "words": _WORD}


def _split(value: Traced, how: str) -> Iterator[Traced]:
    if not how:
        yield value
        return
    for found in _SPLITS[how].finditer(value.text):
        start, end = found.span()
        if how == "words" and ('"' in found.group() or "'" in found.group()):
            inner = [m.span(m.lastindex or 0) for m in _PART.finditer(found.group())]
            yield join([value.cut(start + a, start + b) for a, b in inner])
            continue
        text = found.group()
        start, end = start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
        if start < end and not (how == "lines" and text.lstrip().startswith("#")):
            yield value.cut(start, end)


def _script(call: Call, job: Job, **more: Any) -> Script:
    made = Script(
        call.place,
        Dialect.ARGV,
        env=call.env,
        platforms=job.platforms,
        when=job.when,
        opt_in=job.opt_in,
        ignored=job.ignored,
        via=job.via,
        outside=job.around.outside(),
        unit=job.unit,
        order=job.order,
        needs=job.needs,
    )
    return replace(made, **more)


# -- scripts ----------------------------------------------------------------------------------------------------------


def _texts(
    entry: Mapping[str, Any], text: Traced, texts: Mapping[str, Traced], call: Call, job: Job
) -> Iterator[Script]:
    shell = texts.get(entry.get("shell-input", "")) or literal(entry["shell"])
    found = github_shell.shell_of(shell, job.platforms, container=False)
    made = _script(call, job, dialect=found.dialect, text=text, errexit=found.errexit, pipefail=found.pipefail)
    made = replace(made, language=shell.shown if found.dialect is Dialect.UNREAD else "")
    if "platform" in entry:
        platform = _platform(entry, call.argv[1].text, texts)
        made = replace(made, platforms=frozenset({platform}) if platform is not None else made.platforms)
    if entry.get("wrapper"):
        made = replace(made, env=tuple(_passed(entry, texts, call.env)), outside=())
    if not entry.get("lines"):
        yield made
        return
    for line in _split(text, "lines"):
        yield replace(made, text=line)


def _platform(entry: Mapping[str, Any], uses: str, texts: Mapping[str, Traced]) -> str | None:
    known = _table()["platforms"]
    says = entry["platform"]
    os = next((o for o in known["os"] if o in uses.lower()), "") if says.get("name") else ""
    if "os" in says:
        os = known["os"].get(texts[says["os"]].text.lower() if says["os"] in texts else says["os"], "")
    asked = texts.get(says.get("arch", ""))
    arch = known["arch"].get(asked.text.lower().strip(), "") if asked else "x86_64"
    platform = f"{os}-{arch}"
    return platform if platform in PLATFORMS else None


_PAIR = expression(r"\s*([A-Za-z_]\w*)\s*[:=]\s*")


def _passed(entry: Mapping[str, Any], texts: Mapping[str, Traced], env: Sequence[Variable]) -> Iterator[Variable]:
    """What of the environment reaches another machine: what an input names, and what one says itself."""
    asked = texts.get(entry.get("passes", ""))
    names = set(asked.text.split()) if asked else set()
    for variable in env:
        if variable.name in names:
            yield variable
    own = texts.get(entry.get("env", ""))
    for line in _split(own, "lines") if own else ():
        found = _PAIR.match(line.text)
        if found is not None:
            yield Variable(found[1], _unquoted(line.cut(found.end(), len(line))))


def _unquoted(text: Traced) -> Traced:
    raw = text.text
    return text.cut(1, len(text) - 1) if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "'\"" else text


# -- containers -------------------------------------------------------------------------------------------------------


def _image(call: Call, given: Given, job: Job) -> Iterator[Script]:
    """`uses: docker://IMAGE` with `args` and `entrypoint` (workflow syntax, "jobs.<job_id>.steps[*].with.args")."""
    image = word(call.argv[1].cut(len("docker://"), len(call.argv[1])), call.argv[1].written)
    args = given.get("args")
    entry = given.get("entrypoint")
    text = text_value(args) if args is not None else None
    words = tuple(word(item, _written(item)) for item in _split(text, "words")) if text else ()
    yield _script(call, job, argv=tuple(_run(call, image, text_value(entry) if entry is not None else None, words)))


def _run(
    call: Call, image: Word, entrypoint: Traced | None, words: Sequence[Word], own: Sequence[Entry] = ()
) -> Iterator[Word]:
    """The container gets the environment of the step (the runner's ContainerActionHandler.cs), and its action's own."""
    yield from (_at("docker", call.span), _at("run", call.span))
    names = {entry.name for entry in own}
    for name in dict.fromkeys(v.name for v in call.env if v.name not in names):
        yield from (_at("--env", call.span), _at(name, call.span))
    for entry in own:
        if isinstance(entry.value, Scalar):
            yield from (_at("--env", call.span), word(join((literal(f"{entry.name}="), entry.value.text))))
    if entrypoint:
        yield from (_at("--entrypoint", call.span), word(entrypoint, _written(entrypoint)))
    yield image
    yield from words


def container(found: Action, inner: Job, call: Call) -> Iterator[Script]:
    """A Docker action of the repository: its image is built, then run with `args`."""
    image = found.runs.get("image")
    if not isinstance(image, Scalar):
        return
    text = render(as_text(image), inner.around)
    folder = found.source.path.rpartition("/")[0] or "."
    name = word(literal("local-action"))
    if text.text.startswith("docker://"):
        name = word(text.cut(len("docker://"), len(text)))
    elif HOLE_MARK not in text.text:
        file = word(text, _written(text)) if folder == "." else word(join((literal(f"{folder}/"), text)))
        build = [_at(w, image.span) for w in ("docker", "build", "--file")]
        yield _script(call, inner, argv=(*build, file, _at(folder, image.span)))
    args = found.runs.get("args")
    words = []
    for item in args.items if isinstance(args, Items) else ():
        if isinstance(item, Scalar):
            words.append(word(render(as_text(item), inner.around), item.span))
    entry = text_of(found.runs.get("entrypoint"))
    here = replace(call, span=image.span)
    env = found.runs.get("env")
    own = [
        replace(e, value=string(render(as_text(e.value), inner.around)))
        for e in (env.entries if isinstance(env, Table) else ())
        if isinstance(e.value, Scalar)
    ]
    yield _script(call, inner, argv=tuple(_run(here, name, entry or None, words, own)))
