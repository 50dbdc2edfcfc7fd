"""Edits of Cargo's build scripts."""

from pathlib import Path

from .support import edits, prove, verdicts

RULE = """
packs = []
[[rule]]
id      = "cpu"
command = ["rust:cc::Build", "gcc"]
require = [{ flag = "-march", value = "x86-64-v2" }]
"""
SCRIPT = """fn main() {
    let mut build = cc::Build::new();
    build.file("a.c").flag("-march=x86-64-v2");
    build.compile("a");
    Command::new("gcc").args(["-march=x86-64-v2", "-c", "a.c"]).status().unwrap();
}
"""


def test_every_edit_is_rust_and_is_caught(tmp_path: Path) -> None:
    proof = prove(tmp_path, RULE, {"build.rs": SCRIPT})
    assert verdicts(proof) >= {
        ("drop-flag", "caught"),
        ("set-value-native", "caught"),
        ("add-comment-line", "stayed-clean"),
    }
    assert {outcome for _, outcome in verdicts(proof)} == {"caught", "stayed-clean"}
    found = edits(proof)
    first, second = SCRIPT.splitlines()[2], SCRIPT.splitlines()[4]
    assert (f"-{first}", f"+{first.replace('-march=x86-64-v2', '')}") in found["drop-flag"]
    assert (f"-{second}", "+" + second.replace('"-march=x86-64-v2", ', "")) in found["drop-flag"]
    assert ("+    // -march=x86-64-v2",) in found["add-comment-line"]
    assert "move-flag-into-echo" not in found
