"""What the catalogue says of gcc, against gcc itself."""

import re
import shutil
import subprocess

import pytest

from flagguard.command import PLATFORMS
from flagguard.tools.catalogue import tool_for

from .support import LINUX, invocation, shown

GCC = shutil.which("gcc")
pytestmark = pytest.mark.skipif(GCC is None, reason="gcc is not installed")


def ask(*arguments: str) -> str:
    assert GCC is not None
    return subprocess.run([GCC, *arguments], capture_output=True, text=True, input="", check=True).stdout


def macros(line: str) -> dict[str, str]:
    found = re.findall(r"#define (\S+)(?: (.*))?", ask(*line.split(), "-dM", "-E", "-x", "c", "-"))
    return dict(found)


@pytest.fixture(scope="module", autouse=True)
def _on_x86() -> None:
    if not ask("-dumpmachine").startswith("x86_64"):
        pytest.skip("gcc is not for x86-64")


@pytest.mark.parametrize(
    "line",
    [
        "-march=x86-64",
        "-march=x86-64-v3 -march=x86-64-v2",
        "-march=x86-64-v2 -march=haswell",
        "-march=x86-64-v2 -mtune=haswell",
        "-march=haswell",
    ],
)
def test_the_last_march_counts(line: str) -> None:
    found = re.search(r"-march=\s+(\S+)", ask(*line.split(), "-Q", "--help=target"))
    assert found is not None
    assert shown(invocation(f"gcc {line} a.c").effective("cpu", LINUX).value) == found[1]


def test_mcpu_only_tunes_on_x86() -> None:
    with_cpu = re.search(r"-march=\s+(\S+)", ask("-mcpu=haswell", "-Q", "--help=target"))
    without = re.search(r"-march=\s+(\S+)", ask("-Q", "--help=target"))
    assert with_cpu is not None
    assert without is not None
    assert with_cpu[1] == without[1]
    assert invocation("gcc -mcpu=haswell a.c").effective("cpu", LINUX).value is None


@pytest.mark.parametrize(
    "line",
    ["-mavx2", "-march=x86-64-v2 -mavx2", "-mavx2 -march=x86-64-v2", "-mavx2 -mno-avx2", "-mno-avx2 -mavx2", "-mfma"],
)
def test_features_on_top(line: str) -> None:
    on = invocation(f"gcc {line} a.c").effective("cpu", LINUX).features
    defined = macros(line)
    for feature in ("avx2", "fma"):
        assert (feature in on) == (f"__{feature.upper()}__" in defined)


def test_every_isa_switch_that_gcc_lists_is_known() -> None:
    """gcc says which of its -m switches are instruction sets: those that define a macro of their name."""
    known = set(tool_for("gcc").effective["cpu"]["switches"]["x86_64"].split())  # type: ignore[union-attr]
    listed = re.findall(r"^  -m([a-z0-9.-]+) +\t*\[(?:en|dis)abled\]", ask("-Q", "--help=target"), re.MULTILINE)
    names = [n for n in listed if not n.startswith("no-") and n not in known]
    assert len(listed) > 50
    plain = set(macros("-march=x86-64"))
    isa = []
    for name in names:
        try:
            added = set(macros(f"-march=x86-64 -m{name}")) - plain
        except subprocess.CalledProcessError:
            continue
        if name != "android" and any(a.strip("_").lower() == name.replace("-", "").replace(".", "_") for a in added):
            isa.append(name)
    assert isa == []


@pytest.mark.parametrize(
    "line",
    [
        "-fPIC",
        "-fpic",
        "-fPIE",
        "-fpie",
        "-fno-pic",
        "-fPIC -fPIE",
        "-fPIE -fPIC",
        "-fPIC -fno-pie",
        "-fPIC -fno-pic",
        "-fno-pic -fPIC",
        "-fpic -fPIC",
        "-fPIC -fpic",
    ],
)
def test_position_independence(line: str) -> None:
    defined = macros(line)
    meant = {("2", None): "-fPIC", ("1", None): "-fpic", ("2", "2"): "-fPIE", ("1", "1"): "-fpie", (None, None): "none"}
    real = meant[defined.get("__PIC__"), defined.get("__PIE__")]
    found = invocation(f"gcc {line} -c a.c").effective("pic", LINUX)
    assert (shown(found.value) or found.default) == real


@pytest.mark.parametrize(
    "line",
    [
        "-O2",
        "-Ofast",
        "-Ofast -O2",
        "-O2 -Ofast",
        "-Ofast -fno-fast-math",
        "-fno-fast-math -Ofast",
        "-ffast-math -O2",
        "-ffast-math -fno-fast-math",
        "-fno-fast-math -ffast-math",
    ],
)
def test_fast_math(line: str) -> None:
    real = "on" if "__FAST_MATH__" in macros(line) else "off"
    found = invocation(f"gcc {line} -c a.c").effective("fast-math", LINUX)
    assert (shown(found.value) or found.default) == real


@pytest.mark.parametrize(
    "line",
    [
        "-O2 -D_FORTIFY_SOURCE=2",
        "-O2 -D_FORTIFY_SOURCE=1 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2",
        "-O2 -D_FORTIFY_SOURCE=2 -U_FORTIFY_SOURCE",
        "-O2 -D _FORTIFY_SOURCE=2",
        "-O2 -D_FORTIFY_SOURCE",
        "-O2 -Wp,-D_FORTIFY_SOURCE=2",
        "-O2 -Wp,-D_FORTIFY_SOURCE=2 -U_FORTIFY_SOURCE",
        "-O2 -D_FORTIFY_SOURCE=2 -Wp,-U_FORTIFY_SOURCE",
        "-O2 -Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=2",
        "-O2 -Xpreprocessor -D_FORTIFY_SOURCE=2 -U_FORTIFY_SOURCE",
        "-O0 -D_FORTIFY_SOURCE=2",
        "-D_FORTIFY_SOURCE=2",
        "-Og -D_FORTIFY_SOURCE=2",
        "-O2 -O0 -D_FORTIFY_SOURCE=2",
        "-D_FORTIFY_SOURCE=2 -O",
    ],
)
def test_fortify(line: str) -> None:
    defined = macros(line)
    real = defined.get("_FORTIFY_SOURCE", "0") if "__OPTIMIZE__" in defined else "0"
    found = invocation(f"gcc {line} -c a.c").effective("fortify", LINUX)
    assert (shown(found.value) or found.default) == real


@pytest.mark.parametrize(
    ("line", "takes"),
    [
        ("-MF {}", True),
        ("-o {}", True),
        ("-include {}", True),
        ("-isystem {}", True),
        ("-x {}", True),
        ("-Xlinker {}", True),
        ("-Wp,-DX {}", False),
        ("-c {}", False),
        ("-MD {}", False),
        ("-shared {}", False),
    ],
)
def test_options_that_take_a_word(line: str, takes: bool) -> None:
    """The word after such an option is no input of gcc's: it would not run the compiler proper on it."""
    assert GCC is not None
    words = [w.format("no-such-file.c") for w in line.split()]
    ran = subprocess.run([GCC, "-###", *words], capture_output=True, text=True, check=False)
    assert ("/cc1 " not in ran.stderr) == takes
    assert (len(invocation(f"gcc {' '.join(words)}").operands) == 0) == takes


def test_the_platforms_of_the_catalogue_are_platforms() -> None:
    assert invocation("gcc a.c").builds_for(LINUX) in PLATFORMS


@pytest.mark.parametrize(
    ("line", "taken"),
    [("-march=x86-64-v2", True), ("-march=generic", False), ("-march=x86_64_v2", False), ("-march=nehalem", True)],
)
def test_values_that_gcc_refuses(line: str, taken: bool) -> None:
    assert GCC is not None
    asked = subprocess.run([GCC, line, "-E", "-x", "c", "-"], check=False, capture_output=True, input="", text=True)
    assert (asked.returncode == 0) is taken
    assert invocation(f"gcc {line} a.c").effective("cpu", LINUX).refused is not taken


_HELD = re.compile(r"^  (-f\S+) .*\[enabled\]", re.MULTILINE)


@pytest.mark.parametrize("flag", ["-fstack-protector-strong", "-fstack-protector-all", "-fstack-clash-protection"])
@pytest.mark.parametrize("later", ["-fno-stack-protector", "-fstack-protector", "-fno-stack-clash-protection"])
def test_what_gcc_takes_back(flag: str, later: str) -> None:
    held = {
        option
        for kind in ("common", "optimizers")
        for option in _HELD.findall(ask(flag, later, "-Q", f"--help={kind}"))
    }
    assert (flag in held) == bool(invocation(f"gcc {flag} {later} a.c").occurrences(flag))
