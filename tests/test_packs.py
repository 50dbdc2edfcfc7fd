"""The shipped packs: every rule explains itself, and has a proof on which it holds and can fail."""

import datetime
from pathlib import Path

import pytest

from flagguard import packs
from flagguard.checking import check
from flagguard.config import Config, load
from flagguard.discover import Tree
from flagguard.rules import Rule
from flagguard.text import SourceText

ROOT = Path(__file__).resolve().parent.parent
RULES = [rule for name in packs.names() for rule in packs.load(name).rules]
by_id = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


def test_the_packs_that_there_are() -> None:
    assert packs.names() == (
        "cpu-baseline",
        "cuda",
        "deployment-target",
        "fast-math",
        "go-release",
        "hardening-openssf",
        "hooks-not-bypassed",
        "locked-installs",
        "mojo",
        "python-wheel",
        "relocation",
        "reproducible",
        "rust-release",
    )


def test_what_few_repositories_do_yet_is_not_proposed() -> None:
    assert packs.proposed() == (
        "cpu-baseline",
        "cuda",
        "fast-math",
        "hooks-not-bypassed",
        "mojo",
        "python-wheel",
        "relocation",
    )


@pytest.mark.parametrize("name", packs.names())
def test_a_pack_is_without_errors(name: str) -> None:
    pack = packs.load(name)
    assert pack.problems == ()
    assert pack.about
    assert pack.rules


@by_id
def test_a_rule_explains_itself(rule: Rule) -> None:
    assert rule.pack is not None
    assert rule.id.startswith(rule.pack + "/")
    assert rule.why
    assert rule.fix
    assert rule.sources
    assert all(source.startswith("https://") for source in rule.sources)
    assert rule.at_least == 0


def test_no_rule_id_is_used_twice() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)


def proof(rule: Rule) -> tuple[Path, Config]:
    folder = ROOT / "sabotage" / rule.id
    loaded = load(SourceText("flagguard.toml", (folder / "flagguard.toml").read_text()), datetime.date(2026, 1, 1))
    assert loaded.problems == ()
    return folder, loaded.config


@by_id
def test_a_rule_holds_on_its_proof(rule: Rule) -> None:
    folder, config = proof(rule)
    report = check(Tree(folder), config, strict=True).report
    assert report.problems == ()
    assert report.findings == ()
    assert report.matched[rule.id] >= (1 if rule.never else 4)
    assert report.summary.exempt >= 1


BREAK = {
    "mojo/names-a-cpu": ("scripts/build.sh", "--march=x86-64-v2 ", "", "missing"),
    "cpu-baseline/not-native": ("scripts/build.sh", "-Ctarget-cpu=x86-64-v2", "-Ctarget-cpu=native", "forbidden"),
    "cpu-baseline/at-most": (".github/workflows/build.yml", "-msse4.2", "-mavx2", "wrong-value"),
    "cpu-baseline/tuned-projects": ("Makefile", " DYNAMIC_ARCH=1", "", "forbidden"),
    "cpu-baseline/handed-on": ("CMakeLists.txt", "-march=x86-64-v2", "-mavx2", "wrong-value"),
    "cuda/names-architectures": ("scripts/build.sh", " -arch sm_75", "", "missing"),
    "cuda/cmake-not-native": ("scripts/build.sh", "ARCHITECTURES=90", "ARCHITECTURES=native", "forbidden"),
    "deployment-target/named": ("scripts/build.sh", " -mmacosx-version-min=11.0", "", "missing"),
    "fast-math/off": ("scripts/build.sh", "-fno-fast-math", "-ffast-math", "forbidden"),
    "go-release/trimpath": ("scripts/build.sh", "install -trimpath", "install", "missing"),
    "go-release/plain-level": (".github/workflows/build.yml", "GOAMD64: v2", "GOAMD64: v3", "forbidden"),
    "hardening-openssf/fortify": (
        "Makefile",
        "SAFE = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3",
        "SAFE = -D_FORTIFY_SOURCE=1",
        "wrong-value",
    ),
    "hardening-openssf/stack-protector": ("Makefile", "SAFE = -fstack-protector-strong", "SAFE =", "wrong-value"),
    "hardening-openssf/pie": ("Makefile", "SAFE = -fPIE", "SAFE = -fno-pie", "wrong-value"),
    "hooks-not-bypassed/no-verify": ("scripts/release.sh", "push --tags", "push --no-verify --tags", "forbidden"),
    "locked-installs/npm-ci": (
        "scripts/build.sh",
        "npm ci --ignore-scripts",
        "npm install --ignore-scripts",
        "forbidden",
    ),
    "locked-installs/cargo-install": ("scripts/build.sh", "--frozen ", "", "missing"),
    "locked-installs/pip-hashes": ("scripts/build.sh", "uv pip install --require-hashes", "uv pip install", "missing"),
    "locked-installs/docker-platform": ("scripts/build.sh", "--platform=linux/amd64 ", "", "missing"),
    "python-wheel/plain-x86-64": ("setup.py", '"-O2", "-march=x86-64"', '"-O2", "-march=x86-64-v3"', "wrong-value"),
    "relocation/shared-is-pic": ("Makefile", "PIC = -fPIC", "PIC = -fPIE", "forbidden"),
    "relocation/jit-is-pic": ("scripts/codegen.py", 'reloc="pic", codemodel="small"', 'codemodel="small"', "missing"),
    "reproducible/prefix-map": ("Makefile", "SAFE = -ffile-prefix-map=/build=.", "SAFE =", "missing"),
    "rust-release/locked": ("scripts/build.sh", "--release --locked", "--release", "missing"),
}


@by_id
def test_a_rule_can_fail_on_its_proof(rule: Rule) -> None:
    folder, config = proof(rule)
    path, old, new, verdict = BREAK[rule.id]
    tree = Tree(folder)
    source = tree.read(path)
    assert source is not None
    assert source.text.count(old) == 1
    report = check(tree.with_text(path, source.text.replace(old, new)), config, strict=True).report
    found = [(f.rule, f.verdict.value, f.span.path) for f in report.findings]
    assert found == [(rule.id, verdict, path)]
