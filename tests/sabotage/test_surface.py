"""Where a place lies, in each form of text, and what may be done to the assignment around it."""

import pytest

from flagguard.sabotage.assignments import assignment
from flagguard.sabotage.surface import Style, Surface, shell_comment
from flagguard.text import SourceText


def surface(path: str, text: str) -> Surface:
    return Surface(SourceText(path, text))


@pytest.mark.parametrize(
    ("path", "text", "style", "region"),
    [
        ("a.sh", "cc HERE\n", Style.SHELL, "cc HERE\n"),
        ("p.toml", 'x = "cc HERE"\n', Style.TOML_BASIC, "cc HERE"),
        ("p.toml", "x = 'cc HERE'\n", Style.TOML_LITERAL, "cc HERE"),
        ("p.toml", 'x = """\ncc HERE\n"""\n', Style.TOML_LINES, "\ncc HERE\n"),
        ("p.toml", "x = '''\ncc HERE\n'''\n", Style.TOML_LITERAL_LINES, "\ncc HERE\n"),
        ("p.toml", "[HERE]\n", Style.STRUCTURE, "[HERE]\n"),
        ("w.yml", "run: cc HERE\n", Style.YAML_PLAIN, "cc HERE"),
        ("w.yml", "run: 'cc HERE'\n", Style.YAML_SINGLE, "cc HERE"),
        ("w.yml", 'run: "cc HERE"\n', Style.YAML_DOUBLE, "cc HERE"),
        ("w.yml", "run: |\n  cc HERE\n", Style.YAML_LITERAL, "  cc HERE"),
        ("w.yml", "run: >\n  cc HERE\n", Style.YAML_FOLDED, "  cc HERE"),
        ("Makefile", "all:\n\tcc \\\n\t HERE\nx = 1\n", Style.RECIPE, "cc \\\n\t HERE"),
        ("Makefile", "X = a \\\n  HERE\nall:\n", Style.MAKE, "X = a \\\n  HERE"),
    ],
)
def test_the_region_of_a_place(path: str, text: str, style: Style, region: str) -> None:
    found = surface(path, text).region(text.index("HERE"))
    assert (found.style, text[found.start : found.end].rstrip("\n")) == (style, region.rstrip("\n"))


@pytest.mark.parametrize(
    ("path", "text", "end"),
    [
        ("a.sh", "cc HERE\nls\n", "cc HERE"),
        ("a.sh", "cc HERE \\\n -c x\nls\n", "cc HERE \\\n -c x"),
        ("a.sh", "cc HERE\r\nls\r\n", "cc HERE"),
        ("a.sh", "cc HERE \\\\\nls\n", "cc HERE \\\\"),
        ("p.toml", 'x = """\ncc HERE \\  \n -c x\nls"""\n', 'x = """\ncc HERE \\  \n -c x'),
        ("p.toml", 'x = "cc HERE"  # y\n', 'x = "cc HERE'),
        ("w.yml", "run: >\n  cc HERE\n  -c x\non: 1\n", "run: >\n  cc HERE\n  -c x"),
        ("Makefile", "all:\n\tcc HERE \\\n\t-c\n\tls\n", "all:\n\tcc HERE \\\n\t-c"),
    ],
)
def test_the_end_of_the_script_s_line(path: str, text: str, end: str) -> None:
    assert text[: surface(path, text).logical_end(text.index("HERE"))] == end


@pytest.mark.parametrize(
    ("path", "text", "start"),
    [
        ("a.sh", "ls\n  cc HERE\n", "ls\n"),
        ("a.sh", "ls\ncc \\\n  HERE\n", "ls\n"),
        ("p.toml", 'a = 1\nx = "cc HERE"\n', "a = 1\n"),
        ("w.yml", "a: 1\nrun: >\n  cc\n  HERE\n", "a: 1\n"),
        ("w.yml", "run: |\n  ls\n  cc HERE\n", "run: |\n  ls\n"),
        ("Makefile", "all:\n\tcc \\\n\t HERE\n", "all:\n"),
    ],
)
def test_where_a_comment_line_may_stand(path: str, text: str, start: str) -> None:
    assert text[: surface(path, text).logical_start(text.index("HERE"))] == start


@pytest.mark.parametrize(
    ("path", "text", "after"),
    [
        ("a.sh", "cpu=HERE\ncc\n", "true\ncc\n"),
        ("a.sh", "export cpu=HERE\ncc\n", "true\ncc\n"),
        ("a.sh", "local a=1 cpu=HERE\ncc\n", "local a=1\ncc\n"),
        ("a.sh", "cpu=HERE cc\n", "cc\n"),
        ("a.sh", "case x in y) cpu=HERE ext=so ;; esac\n", "case x in y) ext=so ;; esac\n"),
        ("a.sh", "args=(-O2 HERE)\n", "true\n"),
        ("a.sh", 'F="-O2 HERE"\n', "true\n"),
        ("Makefile", "A = 1\nF += -O2 \\\n HERE\nB = 2\n", "A = 1\nB = 2\n"),
        ("Makefile", "lib: F := HERE\nB = 2\n", "B = 2\n"),
        ("Makefile", "all:\n\tcpu=HERE; cc\n", "all:\n\ttrue; cc\n"),
        ("w.yml", "env:\n  A: 1\n  CPU: HERE\nx: 1\n", "env:\n  A: 1\nx: 1\n"),
        ("w.yml", "a:\n  env:\n    CPU: HERE\n  x: 1\n", "a:\n  x: 1\n"),
        ("w.yml", "a:\n  env: { A: 1, CPU: HERE }\n", "a:\n  env: { A: 1 }\n"),
        ("w.yml", "run: |\n  cpu=HERE\n  cc\n", "run: |\n  true\n  cc\n"),
        ("p.toml", '[t.env]\nA = "1"\nCPU = "HERE"\n', '[t.env]\nA = "1"\n'),
        ("p.toml", 'x = { cmd = "cc", env = { CPU = "HERE", A = "1" } }\n', 'x = { cmd = "cc", env = { A = "1" } }\n'),
        ("p.toml", 'x = """\ncpu=HERE\ncc"""\n', 'x = """\ntrue\ncc"""\n'),
        ("w.yml", "with:\n  cpu: HERE\n", None),
        ("a.sh", "cc HERE\n", None),
    ],
)
def test_the_assignment_is_taken_away(path: str, text: str, after: str | None) -> None:
    at = text.index("HERE")
    found = assignment(surface(path, text), at, at + 4)
    assert (None if found is None else text[: found[0]] + found[2] + text[found[1] :]) == after


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("cc HERE\n", ""),
        ("cc 'HERE'\n", ""),
        ("sh -c 'cc HERE'\n", "'"),
        ('sh -c "cc HERE"\n', '"'),
        ('x="$(cc HERE)"\n', ""),
    ],
)
def test_the_quotes_around_a_word(text: str, quote: str) -> None:
    at = text.index("HERE")
    written = (at - 1, at + 5) if text[at - 1] == "'" and text[at + 4] == "'" else (at, at + 4)
    assert surface("a.sh", text).outer_quote(*written) == quote


@pytest.mark.parametrize(
    ("text", "comment"),
    [("cc # x\n", True), ("cc '# x'\n", False), ("cc a#x\n", False), ('cc "\n# x\n"\n', False), ("cc \\\n# x\n", True)],
)
def test_what_the_shell_takes_for_a_comment(text: str, comment: bool) -> None:
    assert shell_comment(text, text.index("#"), Style.SHELL) is comment


def test_escapes_of_the_format_do_not_disturb_the_shell_s() -> None:
    assert shell_comment('echo \\"a # b\\"', 10, Style.TOML_BASIC) is False
    assert shell_comment('echo \\"a\\" # b', 12, Style.TOML_BASIC) is True
