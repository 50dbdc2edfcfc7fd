"""debian/rules, and what debhelper runs for it: the command lines are those of debhelper 13.11 (`--no-act -v`)."""

from pathlib import Path

import pytest

from flagguard.config import load
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.hosts import makefile
from flagguard.text import SourceText

RULES = "#!/usr/bin/make -f\n%:\n\tdh $@\n"

AUTOCONF = (
    "./configure --build=x86_64-linux-gnu --prefix=/usr --includedir=${prefix}/include --mandir=${prefix}/share/man "
    "--infodir=${prefix}/share/info --sysconfdir=/etc --localstatedir=/var --disable-option-checking "
    "--disable-silent-rules --libdir=${prefix}/lib/x86_64-linux-gnu --runstatedir=/run --disable-maintainer-mode "
    "--disable-dependency-tracking EXTRA=1"
)
CMAKE = (
    "cmake -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_SYSCONFDIR=/etc "
    "-DCMAKE_INSTALL_LOCALSTATEDIR=/var -DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF "
    "-DCMAKE_FIND_PACKAGE_NO_PACKAGE_REGISTRY=ON -DFETCHCONTENT_FULLY_DISCONNECTED=ON "
    "-DCMAKE_INSTALL_RUNSTATEDIR=/run -DCMAKE_SKIP_INSTALL_ALL_DEPENDENCY=ON -GUnix Makefiles "
    "-DCMAKE_VERBOSE_MAKEFILE=ON -DCMAKE_INSTALL_LIBDIR=lib/x86_64-linux-gnu EXTRA=1 .."
)
MESON = (
    "meson setup .. --wrap-mode=nodownload --buildtype=plain --prefix=/usr --sysconfdir=/etc --localstatedir=/var "
    "--libdir=lib/x86_64-linux-gnu EXTRA=1"
)
BY_FILE = [
    ("configure", "configure", AUTOCONF),
    ("CMakeLists.txt", "configure", CMAKE),
    ("meson.build", "configure", MESON),
    ("configure", "build", "make -jN EXTRA=1"),
    ("Makefile", "build", "make -jN INSTALL=install --strip-program=true EXTRA=1"),
]


def listed(folder: Path, files: dict[str, str], env: str = "") -> list[str]:
    """The commands of debian/rules that are not debhelper's own, each with a variable of its environment."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    config = load(SourceText("flagguard.toml", "packs = []\n[baseline]\nlinux-x86_64 = 'x86-64'\n")).config
    found = []
    for file in collect(Tree(folder), config, strict=True):
        for command in file.commands:
            shown = " ".join(command.shown)
            if env and env in command.env:
                shown += f" [{command.env[env].shown}]"
            if not shown.startswith("dh"):
                found.append(f"{command.span.path}: {shown}")
    return found


@pytest.mark.parametrize(("path", "claimed"), [
    ("debian/rules", True), ("pkg/debian/rules", True), ("xdebian/rules", False), ("debian/rules.txt", False),
    ("debian/control", False), ("rules", False),
])  # fmt: skip
def test_rules_is_a_makefile(path: str, claimed: bool) -> None:
    assert makefile.claims(path, b"") is claimed


@pytest.mark.parametrize(("file", "step", "expected"), BY_FILE)
def test_a_step_runs_the_build_system_with_what_stands_behind_the_dashes(
    tmp_path: Path, file: str, step: str, expected: str
) -> None:
    rules = f"%:\n\ttrue\noverride_dh_auto_{step}:\n\tdh_auto_{step} -- EXTRA=1\n"
    assert f"debian/rules: {expected}" in listed(tmp_path, {"debian/rules": rules, file: ""})


def test_dh_runs_the_steps_that_no_target_overrides(tmp_path: Path) -> None:
    rules = RULES + "override_dh_auto_configure:\n\t./configure --mine\noverride_dh_auto_test:\n"
    assert sorted(listed(tmp_path, {"debian/rules": rules, "configure": ""})) == [
        "debian/rules: ./configure --mine",
        "debian/rules: make -jN",
    ]


def test_the_makefile_of_the_source_is_followed_with_its_goals(tmp_path: Path) -> None:
    files = {"debian/rules": RULES, "Makefile": "all:\n\tcc $(CFLAGS) a.c\ninstall:\n\tcp a b\n"}
    found = listed(tmp_path, files)
    flags = "-g -O2 -ffile-prefix-map=.=. -fstack-protector-strong -Wformat -Werror=format-security"
    assert f"Makefile: cc {flags} a.c" in found


FLAGS = [
    ("APPEND = -march=native", "-g -O2 -ffile-prefix-map=.=. -fstack-protector-strong -Wformat "
     "-Werror=format-security -march=native"),
    ("PREPEND = -O3", "-O3 -g -O2 -ffile-prefix-map=.=. -fstack-protector-strong -Wformat -Werror=format-security"),
    ("SET = -O1", "-O1"),
    ("STRIP = -O2 -Wformat", "-g -ffile-prefix-map=.=. -fstack-protector-strong -Werror=format-security"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "expected"), FLAGS)
def test_the_maintainer_changes_the_flags(tmp_path: Path, said: str, expected: str) -> None:
    rules = f"export DEB_CFLAGS_MAINT_{said}\n{RULES}"
    found = listed(tmp_path, {"debian/rules": rules, "configure": ""}, "CFLAGS")
    assert f"debian/rules: make -jN [{expected}]" in found


def test_the_folders_and_the_build_system_may_be_named(tmp_path: Path) -> None:
    rules = "%:\n\tdh $@ --buildsystem=cmake --sourcedirectory=src -B out\n"
    found = listed(tmp_path, {"debian/rules": rules, "Makefile": "", "src/CMakeLists.txt": ""})
    assert any(line.startswith("debian/rules: cmake ") for line in found)


def test_a_build_system_that_is_not_followed_leaves_the_call(tmp_path: Path) -> None:
    rules = "%:\n\tdh $@ --buildsystem=qmake\n"
    assert listed(tmp_path, {"debian/rules": rules, "Makefile": "all:\n\tcc a\n"}) == ["Makefile: cc a"]


def test_dh_hands_the_build_system_that_it_is_told_to_its_steps(tmp_path: Path) -> None:
    rules = "%:\n\tdh $@ --buildsystem=cmake\noverride_dh_auto_configure:\n\tdh_auto_configure -- -DA=1\n"
    (configured,) = [line for line in listed(tmp_path, {"debian/rules": rules}) if " -DA=1" in line]
    assert "cmake " in configured


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ("hardening=-all", "-g -O2 -ffile-prefix-map=.=. -specs=/usr/share/dpkg/no-pie-compile.specs"),
        ("hardening=+all,-format", "-g -O2 -ffile-prefix-map=.=. -fstack-protector-strong"),
        ("$(shell cat options)", "$CFLAGS"),
    ],
)
def test_what_the_maintainer_turns_off_is_not_there(tmp_path: Path, options: str, flags: str) -> None:
    rules = f"#!/usr/bin/make -f\nexport DEB_BUILD_MAINT_OPTIONS = {options}\n%:\n\tdh_auto_build\n"
    found = listed(tmp_path, {"debian/rules": rules, "Makefile": "all:\n\tcc $(CFLAGS) x.c\n"}, "CFLAGS")
    assert f"Makefile: cc {flags} x.c [{flags}]" in found
