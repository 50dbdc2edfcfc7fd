"""The tables of CPU names against what gcc, clang, rustc and zig said of each name (tests/corpus/cpu_tables)."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from flagguard import cpu

RECORDED = Path(__file__).with_name("cpus_recorded.json")
Different = tuple[list[str], list[str]]
"""What only the table has, what only the compiler has."""


def disagreement(platform: str, said: Mapping[str, str]) -> dict[str, Different]:
    """The names that the table takes for something else; features that the compiler has no word for are left out."""
    table = cpu._table_of(platform)
    assert table is not None
    vocabulary = {feature for on in said.values() for feature in on.split()}
    wrong = {}
    for name, on in said.items():
        here, row = set(on.split()), table.read(name, platform)
        if row is None:
            wrong[name] = (["no such name"], sorted(here))
        elif not (row.least & vocabulary) <= here <= row.most:
            wrong[name] = sorted((row.least & vocabulary) - here), sorted(here - row.most)
    return wrong


ROWS = [
    (compiler, platform, said)
    for compiler, platforms in json.loads(RECORDED.read_text()).items()
    for platform, said in platforms.items()
]


@pytest.mark.parametrize(("compiler", "platform", "said"), ROWS, ids=[f"{c} {p}" for c, p, _ in ROWS])
def test_each_name_is_what_the_compiler_takes_it_for(compiler: str, platform: str, said: dict[str, str]) -> None:
    del compiler
    assert len(said) > 10
    assert disagreement(platform, said) == {}


def test_a_wrong_row_would_be_told() -> None:
    _, platform, said = ROWS[0]
    assert list(disagreement(platform, said | {"haswell": said["haswell"] + " avx512f"})) == ["haswell"]
    assert list(disagreement(platform, said | {"haswell": said["x86-64"]})) == ["haswell"]


SWITCHED = json.loads(Path(__file__).with_name("cpu_switches_recorded.json").read_text())
"""A compiler, a CPU, switches in their order (`+avx2 -fma`), and all the features that are on."""


@pytest.mark.parametrize("compiler", ["gcc", "clang", "rustc"])
def test_switches_on_top_never_bring_more_than_the_table_says(compiler: str) -> None:
    table = cpu._table_of("linux-x86_64")
    assert table is not None
    rows = [row for row in SWITCHED if row[0] == compiler]
    wrong = []
    for _, name, switches, on in rows:
        found = table.read(name, "linux-x86_64")
        assert found is not None
        for switch in switches.split():
            for change in table.changes(switch):
                found = table.changed(found, change)
        if not set(on.split()) <= found.most:
            wrong.append((name, switches, sorted(set(on.split()) - found.most)))
    assert len(rows) >= 40
    assert wrong == []
