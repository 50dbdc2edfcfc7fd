"""Dockerfiles: which files they are, what each instruction runs, with which variables, where, and who calls them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.hosts import dockerfile
from flagguard.tools.invocation import understand

from .support import reading

BASELINE = {"linux-x86_64": "x86-64-v2", "linux-aarch64": "generic"}


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        ("Dockerfile", True),
        ("a/b/Dockerfile", True),
        ("Dockerfile.cuda", True),
        ("Dockerfile-alpine", True),
        ("cpu.Dockerfile", True),
        ("x.dockerfile", True),
        ("dockerfile", True),
        ("Containerfile", True),
        ("Containerfile.dev", True),
        ("Dockerfile.dockerignore", False),
        (".dockerignore", False),
        ("dockerfile.py", False),
        ("Dockerfile.j2", False),
        ("Dockerfile.template", False),
        ("Dockerfile.md", False),
        ("test_dockerfile_lines.py", False),
        ("Makefile", False),
    ],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert dockerfile.claims(path, b"") is claimed


def listed(
    folder: Path, files: Mapping[str, str], platform: str | None = "linux-x86_64", of: str = "", steps: bool = False
) -> list[str]:
    """Each command as `FILE:LINE argv < CALL`; on one platform, or with the platforms of each."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    tree = Tree(folder)
    out = []
    for found in collect(tree, Config(baseline={platform: "generic"} if platform else BASELINE), strict=True):
        for command in found.commands:
            source = tree.read(command.span.path)
            assert source is not None
            shown = f"{source.position(command.span.start)[0]} {' '.join(command.shown)}"
            if steps:
                shown = f"{command.place.target} {command.place.step}: {shown}"
            if platform is None:
                shown += f" @{','.join(p.removeprefix('linux-') for p in command.platforms)}"
            for call in reversed(command.via):
                via = tree.read(call.path)
                assert via is not None
                shown += f" < {call.path}:{via.position(call.start)[0]}"
            if command.when:
                shown += f" [{'; '.join(command.when)}]"
            if found.path.endswith(of):
                out.append(shown if of else f"{command.span.path}:{shown}")
    return out


CASES: list[tuple[str, str, list[str]]] = [
    ("shell form", "RUN gcc -O2 a.c && ld x", ["2 gcc -O2 a.c", "2 ld x"]),
    ("exec form expands nothing", 'ENV A=1\nRUN ["gcc", "$A", "a b"]', ["3 gcc $A a b"]),
    ("exec form of a shell", 'ENV A=1\nRUN ["sh", "-c", "gcc $A"]', ["3 gcc 1"]),
    ("comment inside", "RUN gcc -O2 \\\n # -g \\\n -fPIC a.c", ["2 gcc -O2 -fPIC a.c"]),
    ("arg default", "ARG A=x\nRUN cc $A", ["3 cc x"]),
    ("arg without a value", "ARG A\nRUN cc $A b", ["3 cc b"]),
    ("arg after use", "RUN cc $A b\nARG A=x", ["2 cc b"]),
    ("arg in arg", "ARG A=x\nARG B=${A}y\nRUN cc $B", ["4 cc xy"]),
    ("several args in one", "ARG A=x B=y\nRUN cc $A $B", ["3 cc x y"]),
    ("env two forms", "ENV A=x B='y z'\nENV C u v\nRUN cc $A \"$B\" $C", ["4 cc x y z u v"]),
    ("env takes the values before its line", "ENV A=1\nENV A=2 B=$A\nRUN cc $A $B", ["4 cc 2 1"]),
    ("env over arg", "ARG A=x\nENV A=y\nRUN cc $A", ["4 cc y"]),
    ("a later arg over env, as buildkit does", "ENV A=y\nARG A=x\nRUN cc $A", ["4 cc x"]),
    ("an arg without a value leaves env alone", "ENV A=y\nARG A\nRUN cc $A", ["4 cc y"]),
    ("env of arg", "ARG A=x\nENV B=-m$A\nRUN cc $B", ["4 cc -mx"]),
    ("env path", "ENV PATH=/opt/x:$PATH\nRUN cc", ["3 cc"]),
    ("flags are stripped", "RUN --mount=type=ssh --network=none cc a", ["2 cc a"]),
    ("shell", 'SHELL ["/bin/bash", "-c"]\nRUN [[ a == a ]] && cc a', ["3 cc a"]),
    ("shell behind a wrapper", 'SHELL ["conda", "run", "/bin/bash", "-c"]\nRUN cc a && cc b', ["3 cc a", "3 cc b"]),
    ("powershell", 'SHELL ["pwsh", "-Command"]\nRUN $a = "x"; cc $a', ["3 cc x"]),
    ("here-document", "RUN <<EOF\ncc a\ncc $HOMEX b\nEOF", ["3 cc a", "4 cc b"]),
    ("here-document for a program", "ENV A=1\nRUN sh <<EOF\ncc $A\nEOF", ["4 cc 1"]),
    ("here-document with a first line", "RUN <<EOF\n#!/bin/bash -e\n[[ 1 == 1 ]] && cc a\nEOF", ["4 cc a"]),
    ("here-document with tabs", "RUN <<-EOF\n\tcc a\n\tEOF", ["3 cc a"]),
    ("a made file", "ENV A=1\nCOPY <<EOF /x.sh\ncc $A \\$B\nEOF\nENV B=2\nRUN sh /x.sh", ["4 cc 1 2 < Dockerfile:7"]),
    ("its text as it stands", "ENV A=1\nCOPY <<'EOF' /x/\ncc $A\nEOF\nRUN sh /x/EOF", ["4 cc 1 < Dockerfile:6"]),
    ("a made file that is run", "COPY <<EOF /x.sh\n#!/bin/sh\ncc a\nEOF\nRUN /x.sh", ["4 cc a < Dockerfile:6"]),
    ("a file beside", "WORKDIR /w\nCOPY <<x.sh .\ncc a\nx.sh\nRUN . ./x.sh", ["4 cc a < Dockerfile:6"]),
    ("onbuild", "ONBUILD RUN cc a", ["2 cc a"]),
    ("onbuild in the next stage", "ONBUILD RUN cc $A\nFROM a0 AS b\nENV A=1", ["2 cc"]),
    ("command", "CMD cc a", ["2 cc a"]),
    ("the last command", "CMD cc a\nCMD cc b", ["3 cc b"]),
    ("entrypoint and command", 'ENTRYPOINT ["cc"]\nCMD ["a", "b"]', ["2 cc a b"]),
    ("entrypoint for the shell", 'ENTRYPOINT cc a\nCMD ["b"]', ["2 cc a"]),
    ("entrypoint hides the base's command", 'FROM x AS b\nCMD ["a"]\nFROM b\nENTRYPOINT ["cc"]', ["4 cc", "2 a"]),
    ("options for the base's entrypoint", 'CMD ["--help"]', []),
    ("health", "HEALTHCHECK --interval=1s CMD curl x || exit 1", ["2 curl x"]),
    ("no health", "HEALTHCHECK NONE", []),
    ("an arg reaches no command", "ARG A=1\nCMD cc x$A", ["3 cc x"]),
    ("an env reaches a command", "ENV A=1\nCMD cc x$A", ["3 cc x1"]),
    ("the builder's own words", "ARG V=1.2.3\nENV M=${V%.*} N=${V%%.*} O=${U:-d}\nRUN cc $M $N $O", ["4 cc 1.2 1 d"]),
    ("text that runs nothing", "LABEL a='RUN cc x'\nENV B='cc y'\n# RUN cc z\nVOLUME /cc", []),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(tmp_path: Path, body: str, expected: list[str]) -> None:
    text = body if body.startswith("FROM") else "FROM x AS a0\n" + body
    found = listed(tmp_path, {"Dockerfile": text + "\n"}, of="Dockerfile")
    assert sorted(found) == sorted(expected)


def test_arguments_before_from_are_for_from_alone(tmp_path: Path) -> None:
    text = "ARG A=x\nARG T=1\nFROM i:$T\nRUN cc 1$A\nARG A\nRUN cc 2$A\nFROM j\nRUN cc 3$A\n"
    assert listed(tmp_path, {"Dockerfile": text}, of="Dockerfile") == ["4 cc 1", "6 cc 2x", "8 cc 3"]


def test_a_stage_inherits_from_a_stage_and_from_no_other(tmp_path: Path) -> None:
    text = 'FROM x AS a\nENV A=1\nSHELL ["bash", "-c"]\nARG B=2\nFROM y\nRUN cc $A b\n'
    text += "FROM a AS c\nRUN [[ 1 ]] && cc $A $B\nFROM 2\nRUN cc $A\n"
    assert listed(tmp_path, {"Dockerfile": text}, of="Dockerfile") == ["6 cc b", "8 cc 1 2", "10 cc 1"]


def test_each_command_has_its_stage_and_its_step(tmp_path: Path) -> None:
    text = 'FROM x\nRUN cc a\nFROM y AS Final\nONBUILD RUN cc o\nHEALTHCHECK CMD cc h\nENTRYPOINT ["cc", "e"]\n'
    assert listed(tmp_path, {"Dockerfile": text}, steps=True, of="Dockerfile") == [
        "0 RUN: 2 cc a",
        "final ONBUILD RUN: 4 cc o",
        "final HEALTHCHECK: 5 cc h",
        "final ENTRYPOINT: 6 cc e",
    ]


def test_the_platform_decides_its_arguments(tmp_path: Path) -> None:
    text = (
        "FROM x\nARG TARGETARCH TARGETVARIANT\nRUN cc $TARGETARCH$TARGETVARIANT\n"
        'RUN case "$TARGETARCH" in amd64) cc a ;; arm64) cc b ;; esac\nARG TARGETOS\nRUN cc $(uname -m) $TARGETOS\n'
    )
    found = listed(tmp_path, {"Dockerfile": text}, platform=None, of="Dockerfile")
    assert [f for f in found if "uname" not in f] == [
        "3 cc arm64 @aarch64",
        "3 cc amd64 @x86_64",
        "4 cc a @x86_64",
        "4 cc b @aarch64",
        "6 cc aarch64 linux @aarch64",
        "6 cc x86_64 linux @x86_64",
    ]


def test_an_automatic_argument_is_there_where_it_is_declared(tmp_path: Path) -> None:
    text = "FROM x\nRUN cc 1$TARGETARCH\nARG TARGETARCH=z\nRUN cc 2$TARGETARCH\n"
    assert listed(tmp_path, {"Dockerfile": text}, of="Dockerfile") == ["2 cc 1", "4 cc 2z"]


def test_a_stage_of_the_build_machine_builds_for_the_target(tmp_path: Path) -> None:
    text = (
        "FROM --platform=$BUILDPLATFORM x\nARG TARGETARCH BUILDARCH\nRUN cc $TARGETARCH $(uname -m)\n"
        'RUN if [ "$BUILDARCH" = "$TARGETARCH" ]; then cc native; else cc cross; fi\n'
    )
    found = listed(tmp_path, {"Dockerfile": text}, platform=None, of="Dockerfile")
    assert [f for f in found if "uname" not in f] == [
        "3 cc arm64 aarch64 @aarch64",
        "3 cc arm64 x86_64 @aarch64",
        "3 cc amd64 aarch64 @x86_64",
        "3 cc amd64 x86_64 @x86_64",
        "4 cc native @aarch64 [BUILDPLATFORM=linux/arm64]",
        "4 cc native @x86_64 [BUILDPLATFORM=linux/amd64]",
        "4 cc cross @aarch64 [BUILDPLATFORM=linux/amd64]",
        "4 cc cross @x86_64 [BUILDPLATFORM=linux/arm64]",
    ]


def test_a_stage_with_a_platform_of_its_own_runs_there_alone(tmp_path: Path) -> None:
    text = "FROM --platform=linux/arm64 x\nRUN cc $(uname -m)\n"
    found = listed(tmp_path, {"Dockerfile": text}, platform=None, of="Dockerfile")
    assert sorted(found) == ["2 cc aarch64 @aarch64", "2 uname -m @aarch64"]


@pytest.mark.parametrize(
    "text",
    [
        "# escape=`\nFROM mcr.microsoft.com/windows/servercore:ltsc2022\nRUN cl /O2 a.c",
        "FROM mcr.microsoft.com/windows/nanoserver:1809\nRUN cl /O2 a.c",
        "FROM --platform=windows/amd64 x\nRUN cl /O2 a.c",
    ],
)
def test_windows_images(tmp_path: Path, text: str) -> None:
    (found,) = listed(tmp_path, {"Dockerfile": text}, platform=None, of="Dockerfile")
    assert found.endswith("cl /O2 a.c @windows-x86_64")


def test_powershell_on_windows_gets_one_line(tmp_path: Path) -> None:
    text = '# escape=`\nFROM x\nSHELL ["powershell", "-Command"]\nRUN cl \\"a b\\" `\n  "c"\n'
    assert listed(tmp_path, {"Dockerfile": text}, platform=None, of="Dockerfile") == ["4 cl a b c @windows-x86_64"]


SCRIPT = '#!/bin/sh\n. "$(dirname "$0")/flags.sh"\ncc $FLAGS $1\n'
COPIES: list[tuple[str, str, bool]] = [
    ("all of the context", "WORKDIR /src\nCOPY . .\nRUN ./ci/build.sh x", True),
    ("by its whole path", "COPY . /src\nRUN /src/ci/build.sh x", True),
    ("the folder", "COPY ci /opt/\nRUN cd /opt && sh build.sh x", True),
    ("the files", "COPY ci/build.sh ci/flags.sh /opt/\nRUN /opt/build.sh x", True),
    ("by a pattern", "COPY ci/*.sh /opt/\nRUN bash /opt/build.sh x", True),
    ("as a list", 'COPY ["ci", "/opt"]\nRUN /opt/build.sh x', True),
    ("added", "ADD ci /opt/\nRUN /opt/build.sh x", True),
    ("with a variable", "ARG D=/opt\nCOPY ci ${D}/in\nWORKDIR ${D}\nRUN in/build.sh x", True),
    ("relative folders", "WORKDIR /a\nWORKDIR b\nCOPY ci c\nRUN /a/b/c/build.sh x", True),
    ("mounted", "RUN --mount=type=bind,source=ci,target=/m /m/build.sh x", True),
    ("mounted, the usual way", "WORKDIR /w\nRUN --mount=target=. ci/build.sh x", True),
    ("through a stage", "COPY . /src\nFROM y\nCOPY --from=a /src/ci /o\nRUN /o/build.sh x", True),
    ("through a stage by its number", "COPY ci /src/ci\nFROM y\nCOPY --from=0 /src /o\nRUN /o/ci/build.sh x", True),
    ("through a stage, all of it", "COPY . /src\nFROM y\nCOPY --from=a / /\nRUN /src/ci/build.sh x", True),
    (
        "through a stage, all of it elsewhere",
        "COPY . /src\nFROM y\nCOPY --from=a / /z/\nRUN /z/src/ci/build.sh x",
        True,
    ),
    ("in the base stage", "COPY . /src\nFROM a\nRUN /src/ci/build.sh x", True),
    ("from another image", "COPY --from=other/image ci /opt\nRUN /opt/build.sh x", False),
    ("elsewhere", "COPY ci /opt\nRUN /usr/bin/build.sh x", False),
    ("not copied", "RUN ./ci/build.sh x", False),
    ("fetched", "ADD https://example.org/ci /opt\nRUN /opt/build.sh x", False),
]


@pytest.mark.parametrize(("body", "follows"), [c[1:] for c in COPIES], ids=[c[0] for c in COPIES])
def test_scripts_of_the_tree_are_followed_where_they_are_copied(tmp_path: Path, body: str, follows: bool) -> None:
    files = {"Dockerfile": f"FROM x AS a\n{body}\n", "ci/build.sh": SCRIPT, "ci/flags.sh": "FLAGS=-O2\n"}
    found = [f for f in listed(tmp_path, files, of="build.sh") + listed(tmp_path, files, of="Dockerfile") if "cc" in f]
    at = files["Dockerfile"].count("\n")
    assert found == ([f"3 cc -O2 x < Dockerfile:{at}"] if follows else ["3 cc -O2 $1"])


def test_a_makefile_in_an_image_is_followed(tmp_path: Path) -> None:
    files = {
        "Dockerfile": "FROM x\nARG OPT=-O3\nENV CFLAGS=$OPT\nWORKDIR /w\nCOPY . .\nRUN make all\nRUN make -C /w/sub\n",
        "Makefile": "all:\n\tcc $(CFLAGS) a.c\n",
        "sub/Makefile": "x:\n\tcc $(CFLAGS) b.c\n",
    }
    assert [f for f in listed(tmp_path, files) if " cc" in f] == [
        "Makefile:2 cc -O3 a.c < Dockerfile:6",
        "sub/Makefile:2 cc -O3 b.c < Dockerfile:7",
    ]


BUILT = "FROM x AS a\nARG M=base\nRUN cc $M\nFROM y AS b\nRUN cc b\nFROM a AS c\nRUN cc c\n"
CALLS: list[tuple[str, list[str]]] = [
    ("docker build .", ["3 cc base < b.sh:1", "5 cc b", "7 cc c < b.sh:1"]),
    ("docker build --target=a .", ["3 cc base < b.sh:1", "5 cc b", "7 cc c"]),
    ("docker build --target b --build-arg M=z .", ["3 cc base", "5 cc b < b.sh:1", "7 cc c"]),
    ("docker build --build-arg M=z .", ["3 cc base", "3 cc z < b.sh:1", "5 cc b", "7 cc c", "7 cc c < b.sh:1"]),
    ("M=env docker build --build-arg M .", ["3 cc base", "3 cc env < b.sh:1", "5 cc b", "7 cc c", "7 cc c < b.sh:1"]),
    ("M=env docker build .", ["3 cc base < b.sh:1", "5 cc b", "7 cc c < b.sh:1"]),
    ("podman build -f Dockerfile", ["3 cc base", "5 cc b", "7 cc c"]),
    ("docker buildx build --push -t x:y . --target b", ["3 cc base", "5 cc b < b.sh:1", "7 cc c"]),
    ("podman build -fDockerfile --target=b .", ["3 cc base", "5 cc b < b.sh:1", "7 cc c"]),
    ("buildah bud --target b .", ["3 cc base", "5 cc b < b.sh:1", "7 cc c"]),
    ("docker image build --target b ./", ["3 cc base", "5 cc b < b.sh:1", "7 cc c"]),
    ("docker --context x build --target b .", ["3 cc base", "5 cc b < b.sh:1", "7 cc c"]),
    ("docker build https://example.org/x.git", ["3 cc base", "5 cc b", "7 cc c"]),
    ("docker build --help .", ["3 cc base", "5 cc b", "7 cc c"]),
    ("docker pull .", ["3 cc base", "5 cc b", "7 cc c"]),
]


@pytest.mark.parametrize(("call", "expected"), CALLS, ids=[c[0] for c in CALLS])
def test_a_build_is_a_call(tmp_path: Path, call: str, expected: list[str]) -> None:
    files = {"Dockerfile": BUILT, "b.sh": call + "\n"}
    found = listed(tmp_path, files, of="Dockerfile") + listed(tmp_path, files, of="b.sh")
    assert sorted(f for f in found if " cc " in f) == sorted(expected)


def test_the_call_says_the_platform_and_the_context(tmp_path: Path) -> None:
    files = {
        "docker/Dockerfile": "FROM x\nARG TARGETARCH\nCOPY go.sh /\nRUN sh /go.sh $TARGETARCH\n",
        "docker/go.sh": "cc docker $1\n",
        "go.sh": "cc root $1\n",
        "b.sh": "docker build --platform linux/arm64 -f docker/Dockerfile .\n",
    }
    found = listed(tmp_path, files, platform=None)
    assert [f for f in found if " cc " in f] == [
        "go.sh:1 cc root arm64 @aarch64 < docker/Dockerfile:4 < b.sh:1",
        "docker/go.sh:1 cc docker $1 @aarch64,x86_64",
    ]


def test_the_environment_may_say_the_platform(tmp_path: Path) -> None:
    files = {
        "Dockerfile": "FROM x\nRUN cc $(uname -m)\n",
        "b.sh": "DOCKER_DEFAULT_PLATFORM=linux/s390x docker build .\n",
    }
    assert "2 cc s390x < b.sh:1" in listed(tmp_path, files, of="b.sh")


def test_a_proxy_needs_no_arg(tmp_path: Path) -> None:
    files = {
        "Dockerfile": "FROM x\nRUN cc $http_proxy $Z a\n",
        "b.sh": "docker build --build-arg http_proxy=p --build-arg Z=z .\n",
    }
    assert "2 cc p a < b.sh:1" in listed(tmp_path, files, of="b.sh")


def test_a_stage_is_only_known_below_itself(tmp_path: Path) -> None:
    files = {"Dockerfile": "FROM b AS a\nRUN cc a\nFROM x AS b\nRUN cc b\n", "b.sh": "docker build --target a .\n"}
    found = listed(tmp_path, files, of="Dockerfile") + listed(tmp_path, files, of="b.sh")
    assert [f for f in found if " cc " in f] == ["4 cc b", "2 cc a < b.sh:1"]


def test_what_mac_builds_is_for_linux(tmp_path: Path) -> None:
    files = {"Dockerfile": "FROM x\nRUN cc $(uname -sm)\n", "b.sh": "docker build .\n"}
    found = listed(tmp_path, files, platform="macos-arm64", of="b.sh")
    assert [f for f in found if " cc " in f] == ["2 cc Linux aarch64 < b.sh:1"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("RUN cc a", [(1, True)]),
        ("FROM x\nRUN cc a\nFOO b\n", [(3, True)]),
        ("RUN cc z\nFROM x\nRUN cc a\n", [(1, True)]),
        ("FROM x\nENV A\nRUN cc a\n", [(2, True)]),
        ("FROM x y\nRUN cc a\n", [(1, True)]),
        ("FROM x\nSHELL bash -c\nRUN cc a\n", [(2, True)]),
        ("FROM x\nRUN cc a\nCOPY b\n", [(3, True)]),
        ("FROM x\nRUN cc a\nCMD [1]\n", [(3, True)]),
        ("FROM x\nRUN cc a\nHEALTHCHECK cc\n", [(3, True)]),
        ("FROM x\nENV A=${B?no}\nRUN cc a\n", [(2, True)]),
        ("FROM x\nRUN cc a\nENV A=abcdefgh\n" + "ENV A=$A$A\n" * 11, [(14, True)]),
        ("FROM x\nRUN cc a\nRUN ['cc', 'b']\n", [(3, False)]),
        ('FROM x\nRUN cc a\nSHELL ["fish", "-c"]\nRUN cc b\n', [(4, False)]),
        ("FROM x\nRUN cc a\nRUN <<EOF\n#!/usr/bin/python3\nprint()\nEOF\n", [(4, False)]),
        ("FROM x\nRUN cc a\nRUN <<EOF\ncc b\n", [(3, True)]),
    ],
)
def test_what_is_broken_is_told_in_one_message_and_the_rest_is_read(text: str, told: list[tuple[int, bool]]) -> None:
    found = reading(dockerfile, text, "Dockerfile")
    assert [(p.line, p.fatal) for p in found.problems] == told
    assert any("cc a" in (s.text.text or "") for s in found.scripts)


def test_a_default_may_be_overridden_and_an_environment_value_may_not() -> None:
    found = reading(dockerfile, "FROM x\nARG A=1\nENV B=2\nRUN cc\n", "Dockerfile")
    (script,) = found.scripts
    assert {v.name: [p.overridable for p in v.value.pieces] for v in script.env} == {"A": [True], "B": [False]}


@pytest.mark.parametrize(
    ("ignored", "cpu"), [("target", "x86-64-v2"), (".cargo", None), ("*\n!.cargo\n!src", "x86-64-v2")]
)
def test_what_the_ignore_file_leaves_out_says_nothing_in_the_image(
    tmp_path: Path, ignored: str, cpu: str | None
) -> None:
    files = {
        ".cargo/config.toml": '[build]\nrustflags = ["-Ctarget-cpu=x86-64-v2"]\n',
        ".dockerignore": ignored,
        "Dockerfile": "FROM rust\nWORKDIR /src\nCOPY . .\nRUN cargo build\n",
    }
    listed(tmp_path, files)
    found = collect(Tree(tmp_path), Config(baseline={"linux-x86_64": "generic"}), strict=True)
    (command,) = [c for f in found for c in f.commands if c.argv[0].text == "cargo"]
    value = understand(command, {})[0].effective("cpu", "linux-x86_64").value
    assert (value.text if value is not None else None) == cpu
