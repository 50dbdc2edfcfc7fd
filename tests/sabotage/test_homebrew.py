"""Sabotage of Homebrew's formulae: words of calls, `%W` lists, texts for the shell, the environment."""

from pathlib import Path

import pytest

from flagguard.hosts import ruby_text
from flagguard.sabotage.surface import Style, Surface
from flagguard.text import Edit, SourceText, Span, apply

from .support import changed, prove

PATH = "Formula/foo.rb"
FORMULA = """\
class Foo < Formula
  def install
    ENV["GOAMD64"] = "v1"
    args = %W[
      --prefix=#{prefix}
      -march=x86-64-v2
    ]
    system "clang", *args, "-c", "b.c"
    system 'clang', '-march=x86-64-v2', '-c', 'a.c'
    system "clang -march=x86-64-v2 -c c.c"
    system "go", "build", *std_go_args
  end
end
"""
RULES = """
packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id = "cpu"
command = "clang"
require = [{ flag = "-march", at-most = "baseline" }]
[[rule]]
id = "go"
command = "go build"
require = [{ env = "GOAMD64", one-of = ["v1"] }]
"""


def test_every_sabotage_is_caught(tmp_path: Path) -> None:
    proof = prove(tmp_path, RULES, {PATH: FORMULA})
    assert {r.outcome.value for r in proof.results} == {"caught", "stayed-clean"}
    assert proof.sites == 4
    lines = {line for r in proof.results for line in changed(r)}
    assert "+    system 'clang', '-march=x86-64-v2', '-march=native', '-c', 'a.c'" in lines
    assert "+      -march=x86-64-v2 -march=native" in lines
    assert "+    system 'clang', '-c', 'a.c'" in lines
    assert "+    system \"clang '-march=x86-64-v2' -c c.c\"" in lines


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ('system "a", "x"', Style.EXEC_FORM),
        ("args = ['x']", Style.EXEC_FORM),
        ('system "x"', Style.GROOVY),
        ("a = %w[y x]", Style.WORDS),
        ('s <<~EOS\n  x "\nEOS', Style.STRUCTURE),
        ("# 'it\nx", Style.STRUCTURE),
    ],
)
def test_regions(text: str, style: Style) -> None:
    assert Surface(SourceText(PATH, text)).region(text.index("x")).style is style


@pytest.mark.parametrize("quoted", ['"x"', "'x'", '"a" "x"', "%w[x y]"])
@pytest.mark.parametrize("said", ["-O2", 'a"b', "it's", "a\\b", "#{x}"])
def test_what_is_written_is_read(quoted: str, said: str) -> None:
    text = f"system 'b', {quoted}"
    source = SourceText(PATH, text)
    at = Span(PATH, text.index("x"), text.index("x") + 1)
    written = ruby_text.encode(source, at, said)
    if written is None:
        assert quoted.startswith("%")
        return
    again = SourceText(PATH, apply(text, [Edit(at, written)]))
    [start, end] = next((a, b) for a, b, _, _ in ruby_text.strings(again) if a <= at.start <= b)
    if quoted.startswith("%"):
        assert [w.text for w in ruby_text.words(again.traced(start - 3, end + 1), lambda t: t)] == [said, "y"]
    else:
        assert ruby_text.string(again.traced(start - 1, end + 1), lambda t: t).text == said
