"""Words that reach a tool by another way: response files, cutting of values, where each piece came from."""

from dataclasses import replace

import pytest

from flagguard.command import Word, word
from flagguard.text import SourceText, Span, literal
from flagguard.tools.invocation import understand
from flagguard.tools.streams import cut

from .support import LINUX, command, invocation, shown


@pytest.mark.parametrize(
    ("text", "how", "expected"),
    [
        ("-O2  -g\n-c", "blank", ["-O2", "-g", "-c"]),
        ("-DX='a b' \"-DY=c d\" e\\ f ''", "blank", ["-DX=a b", "-DY=c d", "e f", ""]),
        ("-C 'x y'", "plain", ["-C", "'x", "y'"]),
        ("-C\x1fa b\x1f", "unit", ["-C", "a b"]),
        ("-z,now,", "comma", ["-z", "now"]),
        ("", "blank", []),
        ("a b", "word", ["a b"]),
    ],
)
def test_cutting_a_value(text: str, how: str, expected: list[str]) -> None:
    assert [w.text for w in cut(literal(text), how)] == expected


def test_cut_words_keep_their_place() -> None:
    source = SourceText("release.yml", "RUSTFLAGS: -C target-cpu=native\n")
    flags = source.traced(11, 31)
    cargo = command("cargo build")
    found = understand(replace(cargo, env={"RUSTFLAGS": flags}), {})[0].effective("cpu", LINUX)
    assert found.value is not None
    assert found.value.route == (Span("release.yml", 25, 31),)


def test_a_part_of_a_word_keeps_its_place() -> None:
    text = "cargo build --config 'build.rustflags=\"-Ctarget-cpu=native\"'"
    source = SourceText("build.sh", text)
    words = [word(source.traced(a, b)) for a, b in ((0, 5), (6, 11), (12, 20), (22, len(text) - 1))]
    cargo = replace(command("cargo"), argv=tuple(words))
    found = understand(cargo, {})[0].effective("cpu", LINUX)
    assert found.value is not None
    at = text.index("native")
    assert found.value.route == (Span("build.sh", at, at + 6),)


def test_a_response_file_is_opened_for_the_judgement_only() -> None:
    gcc = invocation("gcc @flags a.c", files={"flags": "-march=native\n'-DX=a b'\n"})
    assert [w.text for w in gcc.argv] == ["gcc", "@flags", "a.c"]
    (option,) = gcc.occurrences("-march")
    assert (shown(option.value), option.words) == ("native", (1,))
    assert option.value is not None
    assert option.value.route[-1].path == "flags"
    assert [shown(o.value) for o in gcc.occurrences("-DX")] == ["a b"]


def test_a_missing_response_file_is_a_hole_that_the_repository_decides() -> None:
    hider = invocation("gcc @flags a.c").could_hide("-march")
    assert hider is not None
    assert [h.decider.value for h in hider.holes] == ["repository"]
    assert invocation("make @flags").could_hide("-k") is None


def test_rustc_reads_a_response_file_by_lines() -> None:
    rustc = invocation("rustc @args a.rs", files={"args": "-C\ntarget-cpu=native\n"})
    assert [shown(o.value) for o in rustc.occurrences("-C target-cpu")] == ["native"]


def test_each_language_is_judged_on_its_own() -> None:
    cmake = invocation("cmake -DCMAKE_C_FLAGS=-march=x86-64-v2 -DCMAKE_CXX_FLAGS=-march=x86-64-v3 .")
    assert [shown(e.value) for e in cmake.effectives("cpu", LINUX)] == ["x86-64-v2", "x86-64-v3"]


def test_an_empty_word_is_a_word() -> None:
    mojo = replace(command("mojo build"), argv=(word(literal("mojo")), word(literal("build")), Word()))
    assert [w.text for w in understand(mojo, {})[0].operands] == [""]


def test_flags_of_the_environment_stand_before_those_of_an_extension() -> None:
    extension = invocation("python:Extension a.c -march=x86-64-v2", {"CFLAGS": "-march=native -mavx2"})
    found = extension.effective("cpu", LINUX)
    assert (shown(found.value), found.features) == ("x86-64-v2", ("avx2",))


def test_a_configuration_file_for_cargo_is_read() -> None:
    files = {"ci.toml": "[build]\nrustflags = ['-C', 'target-cpu=native']\n"}
    found = invocation("cargo build --config ci.toml", files=files).effective("cpu", LINUX)
    assert shown(found.value) == "native"
    assert found.value is not None
    assert found.value.route[-1].path == "ci.toml"


@pytest.mark.parametrize(
    ("line", "shown_hider"),
    [
        ("cargo build --config ci.toml", "ci.toml"),
        ("cargo build --config {FILE}", "$FILE"),
        ("cargo build --config 'build.rustflags={FLAGS}'", "build.rustflags=$FLAGS"),
        ("cargo build --config 'net.retry={N}'", None),
        ("cargo build --config net.retry=3", None),
    ],
)
def test_a_configuration_that_cannot_be_read_may_hold_flags(line: str, shown_hider: str | None) -> None:
    assert shown(invocation(line).could_hide("-C target-cpu")) == shown_hider
    assert shown(invocation(line).effective("cpu", LINUX).missing) == shown_hider
