"""The catalogue's own consistency."""

import tomllib
from importlib.resources import files

import pytest

from flagguard.tools import catalogue
from flagguard.tools.catalogue import grammar, program_name, tool_files, tool_for
from flagguard.tools.grammar import Form, Node

PACKAGE = files("flagguard.tools")
PROGRAMS = tomllib.loads(PACKAGE.joinpath("programs.toml").read_text(encoding="utf-8"))
FILES = sorted(f.name[:-5] for f in PACKAGE.iterdir() if f.name.endswith(".toml") and f.name != "programs.toml")
NAMES = [(name, file, tool) for file, tools in PROGRAMS.items() for tool, e in tools.items() for name in e["names"]]


def table(file: str) -> dict[str, object]:
    return tomllib.loads(PACKAGE.joinpath(f"{file}.toml").read_text(encoding="utf-8"))


def test_every_file_holds_tools_that_a_program_names() -> None:
    assert sorted(tool_files()) == FILES


@pytest.mark.parametrize("file", FILES)
def test_every_file_names_its_sources(file: str) -> None:
    assert table(file)["source"]
    assert len(PACKAGE.joinpath(f"{file}.toml").read_text(encoding="utf-8").splitlines()) <= 500


@pytest.mark.parametrize(("name", "file", "tool"), NAMES)
def test_every_program_has_its_tool(name: str, file: str, tool: str) -> None:
    assert tool in table(file)["tool"]  # type: ignore[operator]
    found = tool_for(name)
    assert found is not None
    assert found.name == tool


def test_no_program_is_listed_twice() -> None:
    names = [name for name, _, _ in NAMES]
    assert len(names) == len(set(names))


def test_grammars_that_are_carried_exist() -> None:
    carried = {"c", "ld"}
    for name, _, _ in NAMES:
        tool = tool_for(name)
        assert tool is not None
        for entry in (*tool.environment, *tool.carry):
            carried.add(entry["grammar"])
        nodes = [tool.root]
        while nodes:
            node = nodes.pop()
            nodes += node.commands.values()
            carried |= {s.spec.carries for s in node.spellings.values() if s.spec.carries}
            carried |= {node.after_terminator} - {None}  # type: ignore[arg-type]
    for name in carried:
        assert grammar(name).root is not None


@pytest.mark.parametrize(
    ("text", "bare", "cross"),
    [
        ("gcc", "gcc", ""),
        ("/usr/bin/gcc-12", "gcc", ""),
        ("C:\\tools\\mojo.EXE", "mojo", ""),
        ("aarch64-linux-gnu-g++-13.2", "g++", "aarch64-linux-gnu"),
        ("avr-gcc", "gcc", "avr"),
        ("xtensa-esp32-elf-g++-12.2.0", "g++", "xtensa-esp32-elf"),
        ("python3.11", "python", ""),
        ("clang++-18", "clang++", ""),
        ("clang-format-18", "clang-format", ""),
        ("setup.py", "setup.py", ""),
        ("x86_64", "x86_64", ""),
        ("nvc++", "nvc++", ""),
        ("my-gcc", "my-gcc", ""),
    ],
)
def test_program_names(text: str, bare: str, cross: str) -> None:
    name = program_name(text)
    assert (name.bare, name.cross) == (bare, cross)


@pytest.mark.parametrize(
    ("spelled", "said", "word"), [("-x", "valeu", "valeu"), ("-x", "value twice", "twice"), ("-x", "", None)]
)
def test_a_misspelt_word_of_the_catalogue_is_an_error(spelled: str, said: str, word: str | None) -> None:
    if word is None:
        assert catalogue.option_spec(spelled, said)[1] == {"-x": Form.SWITCH}
        return
    with pytest.raises(ValueError, match=word):
        catalogue.option_spec(spelled, said)


def nodes(node: Node) -> list[Node]:
    return [node, *(inner for name in node.commands for inner in nodes(node.commands[name]))]


def test_a_tool_knows_every_class_that_it_may_have() -> None:
    for _, file, name in NAMES:
        tool = catalogue.tool_named(file, name)
        own = nodes(tool.root)
        if any(node.switch_to is not None for node in own):
            assert tool.every_class is None, name
        elif tool.every_class is not None:
            assert tool.classes.union(*(node.classes for node in own)) <= tool.every_class, name


def test_most_tools_are_of_no_class() -> None:
    assert [tool_for(name).every_class for name in ("git", "uses")] == [frozenset()] * 2  # type: ignore[union-attr]
    cargo = tool_for("cargo")
    assert cargo is not None
    assert cargo.every_class == frozenset({"@rust-compiler"})
