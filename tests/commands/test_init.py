"""`init`: what it proposes is valid, keeps what there is, and is followed by a check that makes sense."""

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from flagguard import cli
from flagguard.proposing import OLDEST

Run = Callable[..., tuple[int, str]]
SCRIPT = "#!/bin/sh\ncase $(uname) in Darwin) c=apple-m1 ;; *) c=x86-64-v2 ;; esac\nmojo build --target-cpu $c a.mojo\n"
NATIVE = "#!/bin/sh\ngcc -march=native a.c\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")

    def call(*words: str, **files: str) -> tuple[int, str]:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("FLAGGUARD_TRACEBACK", "1")
        status = cli.main(list(words))
        out, err = capsys.readouterr()
        return status, out + err

    return call


def written(tmp_path: Path, name: str = "flagguard.toml") -> dict[str, object]:
    return tomllib.loads((tmp_path / name).read_text())


def test_a_proposal_is_what_the_commands_say(run: Run, tmp_path: Path) -> None:
    status, out = run("init", build_sh=SCRIPT)
    assert status == 0
    assert out.splitlines()[0] == "wrote flagguard.toml"
    assert written(tmp_path) == {
        "packs": ["cpu-baseline", "mojo"],
        "baseline": {"linux-x86_64": "x86-64-v2", "macos-arm64": "apple-m1"},
    }
    assert "`flagguard check` finds nothing today" in out
    text = (tmp_path / "flagguard.toml").read_text()
    assert '# command  = "mojo build"\n# require  = ["--target-cpu"]\n' in text
    assert run("check", "--no-cache")[0] == 0
    assert run("sabotage")[0] == 0


OWN = """packs = ["cpu-baseline"]
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id = "own"
why = "w"
command = "gcc"
require = ["-g"]
[[exempt]]
rule = "cpu-baseline/at-most"
where = { target = "a" }
reason = "r"
"""


def test_an_update_exempts_what_the_configuration_finds_and_no_more(run: Run, tmp_path: Path) -> None:
    status, out = run("init", "--update", "--exempt", flagguard_toml=OWN, Makefile="a: ; gcc -march=native -o a a.c\n")
    assert status == 0
    assert "finds 1 error today, all of them exempt now:\n  Makefile: 1 of own\n" in out
    assert "baseline:  linux-x86_64 = x86-64-v2\n" in out
    found = written(tmp_path)["exempt"]
    assert isinstance(found, list)
    assert [one["rule"] for one in found] == ["cpu-baseline/at-most", "own"]
    assert run("check", "--no-cache")[0] == 0


def test_packs_that_only_some_want_are_told_beside_those_that_meet_nothing(run: Run, tmp_path: Path) -> None:
    run("init", build_sh="go build ./cmd/x\n")
    lines = (tmp_path / "flagguard.toml").read_text().splitlines()
    more = next(line for line in lines if line.startswith("# stricter packs"))
    off = next(line for line in lines if line.startswith("# other packs, which meet no command today"))
    assert "go-release" in more
    assert "go-release" not in off
    assert "rust-release" in off


def test_nothing_is_written_in_a_dry_run(run: Run, tmp_path: Path) -> None:
    status, out = run("init", "--dry-run", build_sh=SCRIPT)
    assert status == 0
    assert tomllib.loads(out)["packs"] == ["cpu-baseline", "mojo"]
    assert not (tmp_path / "flagguard.toml").exists()


def test_the_commented_rule_is_valid(run: Run, tmp_path: Path) -> None:
    run("init", build_sh=SCRIPT, __github__workflows__release_yml="on: push\n".replace("__", ""))
    lines = (tmp_path / "flagguard.toml").read_text().splitlines()
    start = lines.index("# [[rule]]")
    rule = [line.removeprefix("# ") for line in lines[start : start + 5]]
    (tmp_path / "flagguard.toml").write_text("\n".join(rule) + "\n")
    assert run("check", "--no-cache")[0] == 0


def test_what_is_there_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    status, out = run("init", build_sh=SCRIPT, flagguard_toml="packs = []\n")
    assert status == 2
    assert "`--update` adds to it what is missing, `--force` writes flagguard.toml anew" in out
    assert (tmp_path / "flagguard.toml").read_text() == "packs = []\n"
    assert run("init", "--force")[0] == 0
    assert written(tmp_path)["packs"] == ["cpu-baseline", "mojo"]


def test_an_update_adds_and_keeps_the_style(run: Run, tmp_path: Path) -> None:
    before = "packs=['cpu-baseline']   # ours\n\n[baseline]\nlinux-x86_64 = 'x86-64-v3' # decided\n"
    status, _ = run("init", "--update", build_sh=SCRIPT, flagguard_toml=before)
    assert status == 0
    after = (tmp_path / "flagguard.toml").read_text()
    assert after.startswith(
        "packs=['cpu-baseline', \"mojo\"]   # ours\n\n[baseline]\nlinux-x86_64 = 'x86-64-v3' # decided\n"
    )
    assert tomllib.loads(after)["baseline"] == {"linux-x86_64": "x86-64-v3", "macos-arm64": "apple-m1"}
    status, out = run("init", "--update")
    assert (status, out.splitlines()[0]) == (0, "flagguard.toml has all of this already; nothing was written")


def test_pyproject_keeps_the_rest(run: Run, tmp_path: Path) -> None:
    before = "# top\n[project]\nname = 'x'   # name\n\n[tool.other]\na=1\n"
    status, out = run("init", "--pyproject", build_sh=SCRIPT, pyproject_toml=before)
    assert (status, out.splitlines()[0]) == (0, "changed pyproject.toml")
    assert (tmp_path / "pyproject.toml").read_text().startswith(before)
    tool = written(tmp_path, "pyproject.toml")["tool"]
    assert isinstance(tool, dict)
    assert tool["flagguard"]["packs"] == ["cpu-baseline", "mojo"]
    assert run("check", "--no-cache")[0] == 0
    assert run("init", "--update")[1].startswith("pyproject.toml has all of this already")
    assert run("init")[0] == 2


def test_exemptions_make_today_clean(run: Run, tmp_path: Path) -> None:
    status, out = run("init", "--exempt", build_sh=NATIVE, Makefile="all:\n\tgcc -march=native b.c\n")
    assert status == 0
    assert "finds 2 errors today, all of them exempt now:" in out
    found = written(tmp_path)["exempt"]
    assert isinstance(found, list)
    assert [e["where"] for e in found] == [{"path": "Makefile", "target": "all"}, {"path": "build.sh"}]
    status, out = run("check", "--no-cache")
    assert (status, out.splitlines()[-1].endswith("0 unresolved, 2 exempt")) == (0, True)
    assert run("init", "--update", "--exempt")[0] == 0
    assert len(found) == 2


def test_what_check_would_find_is_told(run: Run) -> None:
    _, out = run("init", build_sh=NATIVE)
    assert "`flagguard check` finds 1 error today:\n  build.sh: 1 of cpu-baseline/at-most\nnext: " in out


def test_an_empty_repository_gets_a_valid_file(run: Run, tmp_path: Path) -> None:
    status, out = run("init")
    assert status == 0
    assert written(tmp_path) == {"packs": ["cpu-baseline"]}
    assert "nothing here that flagguard reads" in out


@pytest.mark.parametrize(
    ("words", "files", "told"),
    [
        (["--update"], {}, "there is no configuration yet"),
        (["--pyproject"], {}, "there is no pyproject.toml"),
        (["--update"], {"flagguard_toml": "pack = []\n"}, "has mistakes"),
        (["--pyproject"], {"pyproject_toml": "a = \n"}, "not valid TOML"),
    ],
)
def test_refusals(run: Run, words: list[str], files: dict[str, str], told: str) -> None:
    status, out = run("init", *words, **files)
    assert status == 2
    assert told in out


def test_tomlkit_is_imported_for_init_alone() -> None:
    import subprocess

    code = "import sys; from flagguard import cli; cli.main(['rules']); print('tomlkit' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "False"


def test_there_is_an_oldest_cpu_for_each_platform() -> None:
    from flagguard import cpu
    from flagguard.command import PLATFORMS

    assert OLDEST.keys() == PLATFORMS.keys()
    assert [p for p, name in OLDEST.items() if not cpu.known(name, p)] == []
