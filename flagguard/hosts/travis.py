"""Travis CI: the jobs of a configuration as scripts.

Follows https://docs.travis-ci.com/user/job-lifecycle/, build-matrix and environment-variables. The phases up to
`script` are one shell, in which every command that fails is noticed; what comes after the result is known changes
nothing. Each combination of the systems, architectures, compilers and environments is a job, and so is each of
`jobs.include`.
"""

from collections.abc import Iterator, Mapping, Sequence

from flagguard.command import PLATFORMS, Dialect, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import Frame, Notes, Shell, guarded, lines, never, text, texts
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import EMPTY, SourceText, Traced
from flagguard.values import replace

NAME = "travis"

_BEFORE = ("before_install", "install", "before_script", "script")
_AFTER = ("after_success", "after_failure", "before_deploy", "after_deploy", "after_script")
_BASH = Shell(Dialect.BASH, errexit=True)
_SYSTEMS = {"linux": "linux", "osx": "macos", "macos": "macos", "windows": "windows", "freebsd": "freebsd"}
_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64", "arm64-graviton2": "aarch64", "ppc64le": "ppc64le",
                  "s390x": "s390x"}  # fmt: skip
_AXES = ("os", "arch", "dist", "osx_image", "compiler", "rust", "python", "node_js", "go", "jdk", "ruby", "php", "ghc",
         "julia", "d", "dart", "elixir", "scala", "perl", "otp_release", "rvm", "gemfile")  # fmt: skip
_MOST_JOBS = 200
_WORD = expression(r"([A-Za-z_]\w*)=((?:\"(?:\\.|[^\"\\])*\"|'[^']*'|\\.|[^\s\"'\\])*)")
_SETS = tuple(
    "CI TRAVIS CONTINUOUS_INTEGRATION HAS_JOSH_K_SEAL_OF_APPROVAL TRAVIS_ARCH TRAVIS_BRANCH TRAVIS_BUILD_DIR "
    "TRAVIS_BUILD_ID TRAVIS_BUILD_NUMBER TRAVIS_COMMIT TRAVIS_COMMIT_MESSAGE TRAVIS_COMMIT_RANGE TRAVIS_COMPILER "
    "TRAVIS_CPU_ARCH TRAVIS_DIST TRAVIS_EVENT_TYPE TRAVIS_JOB_ID TRAVIS_JOB_NAME TRAVIS_JOB_NUMBER TRAVIS_OS_NAME "
    "TRAVIS_OSX_IMAGE TRAVIS_PULL_REQUEST TRAVIS_PULL_REQUEST_BRANCH TRAVIS_PULL_REQUEST_SHA TRAVIS_REPO_SLUG "
    "TRAVIS_SECURE_ENV_VARS TRAVIS_SUDO TRAVIS_TAG TRAVIS_TEST_RESULT".split()
)


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)

    def scripts() -> Iterator[Script]:
        for root in notes.documents(source)[:1]:
            table = notes.table(root, "the configuration")
            if table is not None:
                yield from _scripts(table, notes)

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


def _scripts(root: Table, notes: Notes) -> Iterator[Script]:
    for number, job in enumerate(_jobs(root, notes)):
        if not never(job.get("if")):
            yield from _job(job, number, root, notes)


# -- which jobs there are ---------------------------------------------------------------------------------------------


def _jobs(root: Table, notes: Notes) -> Iterator[Table]:
    """Each job as a table of its own: the file's keys with those of its row on top."""
    listed = root.get("jobs") or root.get("matrix")
    more = listed if isinstance(listed, Table) else None
    include = more.get("include") if more is not None else listed if isinstance(listed, Items) else None
    exclude = more.get("exclude") if more is not None else None
    rows: list[list[Entry]] = [[]]
    expands = False
    for name in _AXES:
        entry = root.by_name.get(name)
        if entry is not None and isinstance(entry.value, Items):
            expands = True
            rows = [[*row, replace(entry, value=item)] for row in rows for item in entry.value.items]
    environments = _rows_of_env(root.get("env"))
    if environments:
        expands = True
        rows = [[*row, Entry("env", one.span, one)] for row in rows for one in environments]
    if len(rows) > _MOST_JOBS:
        notes.tell(root.span, f"more than {_MOST_JOBS} jobs, which Travis refuses", fatal=True)
        return
    added = [item for item in include.items if isinstance(item, Table)] if isinstance(include, Items) else []
    if expands or not added:
        for row in rows:
            if not any(_fits(row, one) for one in (exclude.items if isinstance(exclude, Items) else ())):
                yield _over(root, row)
    first = rows[0] if rows else []
    for table in added:
        kept = [e for e in first if e.name not in table.by_name and e.name != "env"]
        yield _over(root, [*kept, *table.entries])


def _over(root: Table, entries: Sequence[Entry]) -> Table:
    names = {e.name for e in entries}
    span = entries[0].key if entries and entries[-1].name not in _AXES else root.span
    kept = [e for e in root.entries if e.name not in names and e.name not in ("jobs", "matrix")]
    if "env" in names:
        own = root.by_name.get("env")
        kept += [Entry("env.global", own.key, own.value)] if own is not None else []
    return Table(span, (*kept, *entries))


def _fits(row: Sequence[Entry], wanted: Node) -> bool:
    held = {e.name: _said(e.value) for e in row}
    return isinstance(wanted, Table) and all(held.get(e.name) == _said(e.value) for e in wanted.entries)


def _said(node: Node) -> str:
    return " ".join(t.text for t in texts(node))


def _rows_of_env(env: Node | None) -> list[Node]:
    """The environments of which each is a job."""
    if isinstance(env, Items):
        return list(env.items)
    if isinstance(env, Table):
        own = env.get("jobs") or env.get("matrix")
        return list(own.items) if isinstance(own, Items) else [own] if own is not None else []
    return []


# -- one job ----------------------------------------------------------------------------------------------------------


def _job(job: Table, number: int, root: Table, notes: Notes) -> Iterator[Script]:
    values: dict[str, Traced] = {}
    for node in (root.get("env"), job.get("env.global"), job.get("env")):
        if not (node is root.get("env") and isinstance(node, Items)):
            parted = isinstance(node, Table) and any(key in node.by_name for key in ("global", "jobs", "matrix"))
            values.update(_environment(node.get("global") if parted and isinstance(node, Table) else node))
    system = text(job.get("os")).text or "linux"
    arch = text(job.get("arch")).text or "amd64"
    platform = _platform(system, arch)
    compiler = text(job.get("compiler"))
    if compiler:
        values.setdefault("CC", compiler)
        cxx = {"gcc": "g++", "clang": "clang++"}.get(compiler.text)
        if cxx:
            values.setdefault("CXX", Traced(tuple(replace(p, text=cxx, verbatim=False) for p in compiler.pieces)))
    asked = text(job.get("if"))
    name = text(job.get("name")).shown or text(job.get("stage")).shown
    label = ", ".join(
        v for key in _AXES if (v := _said(job.get(key) or Items(job.span))) and not isinstance(job.get(key), Items)
    )
    frame = Frame(
        NAME,
        job=name or label or None,
        runner=" ".join(part for part in (system, text(job.get("dist") or job.get("osx_image")).shown, arch) if part),
        platforms=frozenset({platform}) if platform is not None else None,
        values=values,
        outside=tuple(n for n in _SETS if n not in values),
        shell=_BASH,
        order=(number,),
    ).assuming(f"if: {' '.join(asked.shown.split())}"[:200] if asked else "")
    body = [one for phase in _BEFORE for one in _lines(job.get(phase))]
    if body:
        yield replace(frame, order=(number, 0)).script("script", lines(body))
    for i, phase in enumerate(_AFTER, 1):
        own = _lines(job.get(phase))
        if own:
            yield replace(frame, order=(number, i), ignored=True).script(phase, lines(own))
    deploy = job.get("deploy")
    for one in deploy.items if isinstance(deploy, Items) else (deploy,) if deploy is not None else ():
        own = _lines(one.get("script")) if isinstance(one, Table) else []
        if own:
            yield replace(frame, order=(number, len(_AFTER) + 1)).script("deploy", lines(own))


def _lines(node: Node | None) -> list[Traced]:
    """The commands of a phase; `skip` and `true` are none."""
    if isinstance(node, Scalar) and (node.kind is Kind.BOOLEAN or node.text.text == "skip"):
        return []
    return texts(node)


def _platform(system: str, arch: str) -> str | None:
    name = _SYSTEMS.get(system)
    machine = _ARCHITECTURES.get(arch, "x86_64")
    if name in ("macos", "windows") and machine == "aarch64":
        machine = "arm64"
    return f"{name}-{machine}" if f"{name}-{machine}" in PLATFORMS else None


def _environment(node: Node | None) -> Mapping[str, Traced]:
    """`A=1 B="x y"`, lists of such texts, and tables; encrypted values are nobody's here."""
    found: dict[str, Traced] = {}
    for item in node.items if isinstance(node, Items) else (node,):
        if isinstance(item, Table):
            found.update(
                (e.name, text(e.value)) for e in item.entries if e.name != "secure" and isinstance(e.value, Scalar)
            )
        elif isinstance(item, Scalar):
            for match in _WORD.finditer(item.text.text):
                found[match[1]] = _unquoted(item.text.cut(*match.span(2)))
    return found


def _unquoted(value: Traced) -> Traced:
    raw = value.text
    if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'":
        return value.cut(1, len(raw) - 1)
    return value if raw else EMPTY
