"""What the catalogue says of rustc and cargo, against the real ones."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from .support import LINUX, invocation, shown

RUSTC, CARGO = shutil.which("rustc"), shutil.which("cargo")
needs_rustc = pytest.mark.skipif(RUSTC is None, reason="rustc is not installed")
needs_cargo = pytest.mark.skipif(CARGO is None or RUSTC is None, reason="cargo is not installed")


def features(*arguments: str) -> set[str]:
    assert RUSTC is not None
    ran = subprocess.run([RUSTC, "--print", "cfg", *arguments], capture_output=True, text=True, check=True)
    return set(re.findall(r'target_feature="([^"]+)"', ran.stdout))


@pytest.fixture(scope="module")
def x86() -> None:
    if RUSTC is None:
        pytest.skip("rustc is not installed")
    if "x86_64" not in subprocess.run([RUSTC, "-vV"], capture_output=True, text=True, check=True).stdout:
        pytest.skip("rustc is not for x86-64")


@needs_rustc
@pytest.mark.usefixtures("x86")
@pytest.mark.parametrize(
    "line",
    [
        "-C target-cpu=x86-64-v2",
        "-Ctarget-cpu=x86-64-v3 -C target-cpu=x86-64-v2",
        "--codegen target-cpu=x86-64-v3",
        "--codegen=target-cpu=x86-64-v3",
    ],
)
def test_spellings_and_the_last_cpu(line: str) -> None:
    value = shown(invocation(f"rustc {line} a.rs").effective("cpu", LINUX).value)
    assert features(*line.split()) == features("-C", f"target-cpu={value}")


@needs_rustc
@pytest.mark.usefixtures("x86")
@pytest.mark.parametrize(
    "line",
    [
        "-C target-feature=+avx2",
        "-C target-feature=+avx2 -C target-feature=+bmi2",
        "-C target-feature=+avx2,-avx2",
        "-C target-feature=+bmi2 -C target-feature=-bmi2",
        "-C target-feature=+avx2 -C target-cpu=x86-64-v2",
    ],
)
def test_features_accumulate(line: str) -> None:
    on = set(invocation(f"rustc {line} a.rs").effective("cpu", LINUX).features)
    assert {f for f in features(*line.split()) if f in ("avx2", "bmi2")} == on


@needs_cargo
@pytest.mark.parametrize(
    ("arguments", "env"),
    [
        ("", {"RUSTFLAGS": "-Ctarget-cpu=x86-64-v2"}),
        ("", {"RUSTFLAGS": "-Ctarget-cpu=x86-64-v2", "CARGO_BUILD_RUSTFLAGS": "-Ctarget-cpu=x86-64-v3"}),
        ("", {"RUSTFLAGS": "", "CARGO_BUILD_RUSTFLAGS": "-Ctarget-cpu=x86-64-v3"}),
        ("", {"CARGO_BUILD_RUSTFLAGS": "-Ctarget-cpu=x86-64-v3"}),
        ("", {"CARGO_ENCODED_RUSTFLAGS": "-C\x1ftarget-cpu=x86-64-v2", "RUSTFLAGS": "-Ctarget-cpu=x86-64-v3"}),
        ("--config 'build.rustflags=\"-Ctarget-cpu=x86-64-v2\"'", {}),
        ("--config 'build.rustflags=\"-Ctarget-cpu=x86-64-v2\"'", {"RUSTFLAGS": ""}),
        ('--config \'target."cfg(unix)".rustflags="-Ctarget-cpu=x86-64-v2"\'', {}),
        (
            '--config \'target."cfg(unix)".rustflags="-Ctarget-cpu=x86-64-v2"\'',
            {"CARGO_BUILD_RUSTFLAGS": "-Ctarget-cpu=x86-64-v3"},
        ),
        ("-- -C target-cpu=x86-64-v3", {"RUSTFLAGS": "-Ctarget-cpu=x86-64-v2"}),
    ],
)
def test_where_cargo_takes_flags_from(tmp_path: Path, arguments: str, env: dict[str, str]) -> None:
    assert CARGO is not None
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n')
    (tmp_path / "src").mkdir()
    (tmp_path / "src/lib.rs").write_text("")
    clean = {k: v for k, v in os.environ.items() if "RUSTFLAGS" not in k}
    line = [CARGO, "rustc", "-v", "--offline", *shlex.split(arguments)]
    if "--" in line:
        line.append("--emit=metadata")
    else:
        line += ["--", "--emit=metadata"]
    ran = subprocess.run(line, cwd=tmp_path, env=clean | env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    (running,) = re.findall(r"Running `(.*)`", ran.stderr)
    given = re.findall(r"target-cpu=([\w-]+)", running)
    found = invocation(shlex.join(["cargo", *line[1:]]), env).effective("cpu", LINUX)
    assert shown(found.value) == (given[-1] if given else None)
