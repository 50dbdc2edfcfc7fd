"""`docker buildx bake` and `docker compose`: what a call builds, with what it hands over. After Docker's own manual:
https://docs.docker.com/build/bake/overrides/, https://docs.docker.com/reference/cli/docker/compose/build/."""

from pathlib import Path

import pytest

from flagguard.command import Command
from flagguard.config import load
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.text import SourceText

DOCKERFILE = "FROM x AS a\nARG CPU=native\nARG X\nRUN cc -march=$CPU -DX=$X a.c\nFROM a AS dbg\nRUN cc -g a.c\n"
BAKE = """variable "CPU" { default = "v2" }
variable "N" {}
group "default" { targets = ["app"] }
group "all" { targets = ["app", "dbg"] }
target "app" {
  context = "app"
  target = "a"
  args = { CPU = CPU, X = "1" }
}
target "dbg" {
  inherits = ["app"]
  args = { X = N }
}
target "m" {
  name = "m-${v}"
  matrix = { v = ["p", "q"] }
  context = "app"
  target = "a"
  args = { X = v }
}
"""
BAKES: list[tuple[str, list[str]]] = [
    ("docker buildx bake", ["-march=v2 -DX=1"]),
    ("docker bake app", ["-march=v2 -DX=1"]),
    ("buildx bake -f docker-bake.hcl dbg", ["-march=v2 -DX=N"]),
    ("docker buildx bake all", ["-march=v2 -DX=1", "-march=v2 -DX=N"]),
    # the environment goes over a variable, --set over what a target says
    ("CPU=v3 docker buildx bake", ["-march=v3 -DX=1"]),
    ("N=7 docker buildx bake dbg", ["-march=v2 -DX=7"]),
    ("OTHER=7 docker buildx bake", ["-march=v2 -DX=1"]),
    ("docker buildx bake --set app.args.CPU=v4", ["-march=v4 -DX=1"]),
    ("docker buildx bake all --set '*.args.CPU=v4'", ["-march=v4 -DX=1", "-march=v4 -DX=N"]),
    ("docker buildx bake all --set *.args.CPU=v4", ["-march=v4 -DX=1", "-march=v4 -DX=N"]),
    ("docker buildx bake --set dbg.args.CPU=v4", ["-march=v2 -DX=1"]),
    # a matrix: all of it, or one of its names
    ("docker buildx bake m", ["-march=native -DX=p", "-march=native -DX=q"]),
    ("docker buildx bake m-q", ["-march=native -DX=q"]),
    # what builds nothing, or not this
    ("docker buildx bake --print", []),
    ("docker buildx bake https://example.org/x.git", []),
    ("docker buildx bake -f other.hcl", []),
    ("docker buildx bake nobody", []),
]


def commands(folder: Path, files: dict[str, str], platforms: tuple[str, ...] = ("linux-x86_64",)) -> list[Command]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    baseline = "".join(f'{platform} = "generic"\n' for platform in platforms)
    config = load(SourceText("flagguard.toml", f"packs = []\n[baseline]\n{baseline}")).config
    return [command for file in collect(Tree(folder), config, strict=True) for command in file.commands]


def called(folder: Path, call: str, files: dict[str, str]) -> list[str]:
    """The compiler's flags in the commands that the call leads to."""
    every = {"b.sh": call + "\n", "app/Dockerfile": DOCKERFILE, **files}
    found = [c for c in commands(folder, every) if c.shown[-1] == "a.c" and c.via and c.via[0].path == "b.sh"]
    return [" ".join(c.shown[1:-1]) for c in found]


@pytest.mark.parametrize(("call", "expected"), BAKES, ids=[c[0] for c in BAKES])
def test_bake_is_followed_into_its_targets(tmp_path: Path, call: str, expected: list[str]) -> None:
    assert sorted(called(tmp_path, call, {"docker-bake.hcl": BAKE})) == sorted(expected)


def test_the_call_says_the_platform(tmp_path: Path) -> None:
    files = {"docker-bake.hcl": BAKE, "b.sh": "docker buildx bake --set app.platform=linux/arm64\n"}
    files["app/Dockerfile"] = "FROM x AS a\nARG TARGETARCH\nRUN cc $TARGETARCH a.c\n"
    found = commands(tmp_path, files, ("linux-x86_64", "linux-aarch64"))
    assert [
        (c.shown, c.platforms) for c in found if c.shown[0] == "cc" and len(c.via) == 2 and "b.sh" in c.via[0].path
    ] == [(["cc", "arm64", "a.c"], ("linux-aarch64",))]


def test_the_action_is_such_a_call(tmp_path: Path) -> None:
    workflow = """on: push
jobs:
  j:
    runs-on: ubuntu-latest
    steps:
      - uses: docker/bake-action@v6
        with:
          targets: app
          set: |
            app.args.CPU=v9
"""
    files = {".github/workflows/w.yml": workflow, "docker-bake.hcl": BAKE, "app/Dockerfile": DOCKERFILE}
    found = [c for c in commands(tmp_path, files) if c.shown == ["cc", "-march=v9", "-DX=1", "a.c"]]
    assert [one.via[0].path for one in found] == [".github/workflows/w.yml"]


COMPOSE = """services:
  web:
    build: {context: app, target: a, args: {CPU: "${CPU:-v2}"}}
    depends_on: [db]
  db:
    build: {context: app, target: a, args: {CPU: db}}
  own:
    image: x
"""
COMPOSES: list[tuple[str, list[str]]] = [
    ("docker compose build", ["-march=v2 -DX=", "-march=db -DX="]),
    ("docker-compose build web", ["-march=v2 -DX="]),
    ("docker compose -f compose.yaml build db", ["-march=db -DX="]),
    ("CPU=v3 docker compose build web", ["-march=v3 -DX="]),
    ("docker compose build --build-arg X=5 web", ["-march=v2 -DX=5"]),
    ("docker compose build --build-arg CPU=v5 web", ["-march=v5 -DX="]),
    ("X=6 docker compose build --build-arg X db", ["-march=db -DX=6"]),
    ("docker compose up -d web", ["-march=v2 -DX=", "-march=db -DX="]),
    ("docker compose run --rm web", ["-march=v2 -DX="]),
    ("podman compose build web", ["-march=v2 -DX="]),
    ("docker compose up --no-build", []),
    ("docker compose down", []),
    ("docker compose -f other.yaml build", []),
]


@pytest.mark.parametrize(("call", "expected"), COMPOSES, ids=[c[0] for c in COMPOSES])
def test_compose_is_followed_into_its_services(tmp_path: Path, call: str, expected: list[str]) -> None:
    assert sorted(called(tmp_path, call, {"compose.yaml": COMPOSE})) == sorted(expected)


def test_a_file_goes_over_another(tmp_path: Path) -> None:
    files = {"compose.yaml": COMPOSE, "compose.override.yaml": "services: {web: {build: {args: {CPU: over}}}}\n"}
    assert called(tmp_path, "docker compose build web", files) == ["-march=over -DX="]


def test_what_is_called_is_not_listed_as_if_run_alone(tmp_path: Path) -> None:
    files = {"b.sh": "docker compose build db\n", "compose.yaml": COMPOSE, "app/Dockerfile": DOCKERFILE}
    found = [c for c in commands(tmp_path, files) if c.span.path == "compose.yaml"]
    assert sorted((c.place.job, bool(c.via)) for c in found) == [("db", True), ("web", False)]
