"""The short way after an edit says what the whole check says."""

from pathlib import Path

import pytest

from flagguard.checking import check
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.sabotage.again import Again
from flagguard.sabotage.runner import planned
from flagguard.sabotage.verdicts import After, judged
from tests.sabotage.support import MOJO, config, tree

ROOT = Path(__file__).resolve().parent.parent.parent / "sabotage"


def loaded(folder: Path) -> tuple[Tree, Config]:
    return Tree(folder), config((folder / "flagguard.toml").read_text())


def compared(files: Tree, rules: Config) -> int:
    """Make every edit both ways; the number of edits."""
    clean = check(files, rules, strict=True)
    assert clean.report.status == 0, clean.report
    plans = [plan for plan in planned(files, rules, clean) if plan.why_not is None]
    again = Again(files, rules, clean, strict=True)
    for plan in plans:
        short, whole = again.after(plan.edits), again.whole(plan.edits)
        assert told(short) == told(whole), plan
        outcomes = [judged(plan, after, rules).outcome for after in (short, whole)]
        assert outcomes[0] is outcomes[1], plan
    return len(plans)


def told(after: After) -> set[tuple[str, str, int, str]]:
    """The findings that fail, one for each platform, and the problems that stop."""
    found = {
        (f.rule, f.span.path, f.span.start, platform)
        for f in after.findings
        if f.fails
        for platform in f.platforms or ("",)
    }
    return found | {("problem", p.path, p.line, p.message) for p in after.problems if p.fatal}


@pytest.mark.parametrize("folder", ["mojo/names-a-cpu", "cpu-baseline/at-most", "cpu-baseline/not-native"])
def test_on_the_proofs(folder: str) -> None:
    files, rules = loaded(ROOT / folder)
    assert compared(files, rules) >= 20


COUNTED = (
    MOJO
    + """
[[rule]]
id       = "two-builds"
command  = "mojo build"
at-least = 2
"""
)
CASES: dict[str, dict[str, str]] = {
    "a script that another one sources": {
        "lib.sh": "cpu=generic\n",
        "build.sh": '. ./lib.sh\nmojo build --target-cpu "$cpu" a.mojo\nmojo build --mcpu generic b.mojo\n',
    },
    "a script that another one calls": {
        "inner.sh": '#!/bin/sh\nmojo build --target-cpu "${1:-generic}" a.mojo\n',
        "build.sh": "#!/bin/sh\n./inner.sh generic\nmojo build --mcpu generic b.mojo\n",
    },
    "a makefile that includes another": {
        "rules.mk": "FLAGS = --target-cpu generic\n",
        "Makefile": "include rules.mk\nall:\n\tmojo build $(FLAGS) a.mojo\n\tmojo build --mcpu=generic b.mojo\n",
    },
    "a makefile whose recipes another one includes": {
        "rules.mk": "a: a.mojo\n\tmojo build $(FLAGS) a.mojo\n",
        "Makefile": "FLAGS = --target-cpu generic\ninclude rules.mk\nb:\n\tmojo build --mcpu=generic b.mojo\n",
    },
    "exempting comments": {
        "a.sh": "# flagguard: exempt pinned - on purpose\nmojo build x.mojo\nmojo build --mcpu generic a.mojo\n",
    },
    "two equal tasks": {
        "pyproject.toml": "[tool.poe.tasks]\n"
        "a = 'mojo build --mcpu generic a.mojo'\n"
        "b = 'mojo build --mcpu generic a.mojo'\n"
    },
    "two jobs of a workflow": {
        ".github/workflows/w.yml": "env:\n  CPU: generic\njobs:\n"
        "  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: mojo build --target-cpu $CPU a.mojo\n"
        "  b:\n    runs-on: ubuntu-latest\n    steps:\n      - run: mojo build --target-cpu $CPU b.mojo\n"
    },
}  # fmt: skip


@pytest.mark.parametrize("files", CASES.values(), ids=CASES.keys())
def test_on_files_that_look_at_each_other(tmp_path: Path, files: dict[str, str]) -> None:
    assert compared(tree(tmp_path, files), config(COUNTED)) >= 8


WRAPPED = COUNTED + '[wrappers]\n"ci/in" = "argv"\n[runners]\n"big" = "linux-aarch64"\n'


def test_wrappers_and_the_labels_of_own_runners_count_as_in_the_whole_check(tmp_path: Path) -> None:
    job = "jobs:\n  a:\n    runs-on: [self-hosted, big]\n    steps:\n      - run: mojo build --mcpu generic b.mojo\n"
    files = tree(tmp_path, {"a.sh": "ci/in mojo build --mcpu generic a.mojo\n", ".github/workflows/w.yml": job})
    rules = config(WRAPPED)
    assert compared(files, rules) >= 8
    again = Again(files, rules, check(files, rules, strict=True), strict=True)
    for path in files.paths():
        plan = next(p for p in planned(files, rules, check(files, rules)) if p.edits[0].span.path == path)
        after = again.after(plan.edits)
        assert after.problems == again.whole(plan.edits).problems == ()
