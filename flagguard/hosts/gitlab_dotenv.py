"""GitLab CI/CD: variables that a job hands to those behind it, as `artifacts:reports:dotenv`.

Follows https://docs.gitlab.com/ci/yaml/artifacts_reports/#artifactsreportsdotenv: lines of `NAME=VALUE`. The job's
script is followed, not searched: what it writes is what its commands print.
"""

from flagguard.command import Script
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import Values, open_hole, pairs, texts, written
from flagguard.hosts.tree import Table
from flagguard.patterns import expression
from flagguard.text import Traced

_NAMES = expression(r"\b([A-Za-z_]\w*)=")


def handed_on(job: Table, script: Script, setting: Setting) -> Values:
    """The variables that the job's dotenv files hold."""
    artifacts = job.get("artifacts")
    reports = artifacts.get("reports") if isinstance(artifacts, Table) else None
    files = [f.text.removeprefix("./") for f in texts(reports.get("dotenv"))] if isinstance(reports, Table) else []
    if not files:
        return {}
    found = written(script, setting, *files)
    out: dict[str, Traced] = {}
    for name in files:
        held = found.get(name, ()) if found is not None else ()
        if found is None or not any(t.text for t in held):
            said = [line for line in script.text.text.splitlines() if name in line]
            out.update((n, _open(n)) for line in said for n in _NAMES.findall(line))
        for one in held:
            for key, value in pairs(one):
                out[key] = value if out.get(key, value) == value else _open(key)
    return out


def _open(name: str) -> Traced:
    return open_hole(f"${name}", "another job writes it", name)
