"""dpkg's flags and makefiles: what dpkg-buildflags says, and what `debian/rules` gets of what it includes."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.dpkg import NAMES, flags
from flagguard.engine import collect

RECORDED = {
    # DEB_BUILD_MAINT_OPTIONS: CFLAGS, CXXFLAGS, FFLAGS, CPPFLAGS, LDFLAGS of dpkg 1.21.22 on amd64, without -g -O2
    "": (
        "-ffile-prefix-map=.=. -fstack-protector-strong -Wformat -Werror=format-security",
        "-ffile-prefix-map=.=. -fstack-protector-strong -Wformat -Werror=format-security",
        "-ffile-prefix-map=.=. -fstack-protector-strong",
        "-Wdate-time -D_FORTIFY_SOURCE=2",
        "-Wl,-z,relro",
    ),
    "hardening=-all": (
        *["-ffile-prefix-map=.=. -specs=/usr/share/dpkg/no-pie-compile.specs"] * 3,
        "-Wdate-time",
        "-specs=/usr/share/dpkg/no-pie-link.specs",
    ),
    "hardening=-stackprotectorstrong,-format reproducible=-all": (
        *["-fstack-protector --param=ssp-buffer-size=4"] * 3,
        "-D_FORTIFY_SOURCE=2",
        "-Wl,-z,relro",
    ),
    "hardening=+all,-stackprotector optimize=+lto": (
        *["-ffile-prefix-map=.=. -flto=auto -ffat-lto-objects -Wformat -Werror=format-security"] * 2,
        "-ffile-prefix-map=.=. -flto=auto -ffat-lto-objects",
        "-Wdate-time -D_FORTIFY_SOURCE=2",
        "-flto=auto -ffat-lto-objects -Wl,-z,relro -Wl,-z,now",
    ),
    "qa=+bug sanitize=+address hardening=-relro,+bindnow reproducible=-fixfilepath": (
        "-Werror=implicit-function-declaration -Werror=array-bounds -Werror=clobbered -Werror=volatile-register-var "
        "-fdebug-prefix-map=.=. -fsanitize=address -fno-omit-frame-pointer -fstack-protector-strong -Wformat "
        "-Werror=format-security",
        "-Werror=array-bounds -Werror=clobbered -Werror=volatile-register-var -fdebug-prefix-map=.=. "
        "-fsanitize=address -fno-omit-frame-pointer -fstack-protector-strong -Wformat -Werror=format-security",
        "-fdebug-prefix-map=.=. -fstack-protector-strong",
        "-Wdate-time -D_FORTIFY_SOURCE=2",
        "-fsanitize=address",
    ),
}
ASKED = ("CFLAGS", "CXXFLAGS", "FFLAGS", "CPPFLAGS", "LDFLAGS")


@pytest.mark.parametrize("options", RECORDED)
def test_the_flags_are_those_of_dpkg_buildflags(options: str) -> None:
    found = flags(options)
    assert tuple(found[name].removeprefix("-g -O2 ") for name in ASKED) == RECORDED[options]


@pytest.mark.skipif(shutil.which("dpkg-buildflags") is None, reason="dpkg-buildflags is not installed")
def test_the_recorded_flags_are_those_of_the_real_program(tmp_path: Path) -> None:
    version = subprocess.run(["dpkg", "--version"], capture_output=True, text=True, check=True).stdout
    if " 1.21." not in version or "amd64" not in version:
        pytest.skip("another version of dpkg has other flags")
    for options, expected in RECORDED.items():
        env = {**os.environ, "DEB_BUILD_MAINT_OPTIONS": options}
        for name, said in zip(ASKED, expected, strict=True):
            call = ["dpkg-buildflags", "--get", name]
            printed = subprocess.run(call, env=env, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
            own = re.sub(r"-prefix-map=\S+", "-prefix-map=.=.", printed.strip()).removeprefix("-g -O2").strip()
            assert own == said, (options, name)


def commands(folder: Path, rules: str) -> dict[str, list[str]]:
    (folder / "debian").mkdir()
    (folder / "debian/rules").write_text(rules)
    config = Config(baseline={"linux-x86_64": "x86-64-v2", "linux-aarch64": "generic"})
    found = [c for f in collect(Tree(folder), config) for c in f.commands if c.argv[0].text == "gcc"]
    return {platform: c.shown for c in found for platform in c.platforms}


def test_an_included_makefile_of_dpkg_sets_its_variables(tmp_path: Path) -> None:
    rules = (
        "DEB_CFLAGS_MAINT_APPEND = -O3\nDEB_CFLAGS_MAINT_STRIP = -Wformat -g\n"
        "DEB_BUILD_MAINT_OPTIONS = hardening=-format\n"
        "include /usr/share/dpkg/default.mk\nifeq ($(DEB_HOST_ARCH),amd64)\nMARCH = -march=x86-64-v2\nendif\n"
        "build:\n\tgcc $(CFLAGS) $(MARCH) $(DEB_HOST_MULTIARCH)\n"
    )
    found = commands(tmp_path, rules)
    kept = ["-O2", "-ffile-prefix-map=.=.", "-fstack-protector-strong", "-O3"]
    assert found == {
        "linux-x86_64": ["gcc", *kept, "-march=x86-64-v2", "x86_64-linux-gnu"],
        "linux-aarch64": ["gcc", *kept, "aarch64-linux-gnu"],
    }


def test_hardening_that_is_turned_off_is_not_there(tmp_path: Path) -> None:
    rules = (
        "export DEB_BUILD_MAINT_OPTIONS = hardening=-all\nDPKG_EXPORT_BUILDFLAGS = 1\n"
        "include /usr/share/dpkg/buildflags.mk\nbuild:\n\tgcc $(CFLAGS) x.c\n"
    )
    found = commands(tmp_path, rules)["linux-x86_64"]
    assert not [word for word in found if word.startswith("-fstack-protector")]
    assert set(NAMES) == flags("").keys()
