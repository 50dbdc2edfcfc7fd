"""filters: what grep, sed, cut, head, tail and awk make of text that is known, as the real ones do."""

import random
import shlex
import shutil
import subprocess

import pytest
from running import run as evaluated

from flagguard.command import Word
from flagguard.shell.filters import Filtered, filtered
from flagguard.shell.posix_regex import python
from flagguard.text import Hole, Piece, Traced, hole, literal

RECORDED = [
    # command line, input, output, whether it succeeds; taken from GNU grep 3.8, sed 4.9, coreutils 9.1, mawk 1.3.4
    ("grep -q x86", "x86_64\n", "", True),
    ("grep -q x86", "aarch64\n", "", False),
    ("grep -qi LINUX", "x86_64-unknown-linux-gnu\n", "", True),
    ("grep -E 'arm|aarch'", "Linux x86_64\nLinux aarch64\n", "Linux aarch64\n", True),
    ("grep 'arm\\|aarch'", "aarch64\n", "aarch64\n", True),
    ("grep -w x86", "x86_64\nx86\n", "x86\n", True),
    ("grep -x x86", "x86_64\nx86\n", "x86\n", True),
    ("grep -vc x", "x\ny\nz\n", "2\n", True),
    ("grep -c q", "x\n", "0\n", False),
    ("grep -F a.b", "a.b\naxb\n", "a.b\n", True),
    ("grep -e y -e z", "x\ny\nz", "y\nz\n", True),
    ("grep '^[0-9]\\{1,2\\}$'", "64\n644\n", "64\n", True),
    ("egrep '^(a|b)+$'", "abba\nabc\n", "abba\n", True),
    ("sed 's/x86_64/amd64/'", "x86_64\n", "amd64\n", True),
    ("sed -e 's/aarch64/arm64/' -e 's/arm64/ARM/'", "aarch64", "ARM", True),
    ("sed 's/-.*//'", "x86_64-unknown-linux-gnu\n", "x86_64\n", True),
    ("sed 's,[^-]*-,,;s,u,U,g'", "x86_64-unknown-linux-gnu\n", "Unknown-linUx-gnU\n", True),
    ("sed -n 's/^ID=\\(.*\\)/<\\1>/p'", "NAME=x\nID=debian\n", "<debian>\n", True),
    ("sed -E 's/(a)(b)/\\2\\1&/'", "xab\n", "xbaab\n", True),
    ("cut -d- -f1", "x86_64-unknown-linux\nplain\n", "x86_64\nplain\n", True),
    ("cut -d - -f 2-", "a-b-c\n", "b-c\n", True),
    ("cut -c1-3", "x86_64\n", "x86\n", True),
    ("cut -s -d: -f1,3", "a:b:c\nd\n", "a:c\n", True),
    ("head -n1", "a\nb\n", "a\n", True),
    ("head -2", "a\nb", "a\nb", True),
    ("tail -n +2", "a\nb\nc\n", "b\nc\n", True),
    ("tail -1", "a\nb", "b", True),
    ("tr a-c A-C", "abcd\n", "ABCd\n", True),
    ("tr -d '\\n'", "a\nb\n", "ab", True),
    ("tr '[:upper:]' '[:lower:]'", "Linux\n", "linux\n", True),
    ("tr a-z A-Z", "arm64\n", "ARM64\n", True),
    ("awk '{print $2}'", "  Linux  x86_64 \nx\n", "x86_64\n\n", True),
    ("awk -F- '{ print $NF }'", "a-b-c\n", "c\n", True),
]


def run(line: str, text: Traced) -> Filtered:
    name, *words = shlex.split(line)
    return filtered(name, [Word(literal(word).pieces) for word in words], text)


@pytest.mark.parametrize(("line", "text", "printed", "succeeds"), RECORDED, ids=[line for line, *_ in RECORDED])
def test_as_recorded(line: str, text: str, printed: str, succeeds: bool) -> None:
    found = run(line, literal(text))
    assert (found.text, found.succeeds) != (None, None)
    assert found.text is not None
    assert (found.text.text, found.succeeds) == (printed, succeeds)


@pytest.mark.parametrize(
    "line",
    [
        "grep -q x FILE",
        "grep -P x",
        "grep 'a**'",
        "grep '\\(a\\)\\1'",
        "grep -o x",
        "sed 's/a/b/2'",
        "sed 1d",
        "sed 's/x*/-/g'",
        "sed 's|a\\|b|c|'",
        "sed -E 's/a|ab/c/'",
        "sed -i 's/a/b/' FILE",
        "cut -f1 FILE",
        "cut -b1",
        "head -c3",
        "tail -f",
        "awk '/x/'",
        "awk -Ft '{print $1}'",
        "tac",
        "tr -s a",
        "tr -c a b",
        "tr a ''",
    ],
)
def test_what_is_not_followed_is_not_known(line: str) -> None:
    found = run(line, literal("xab\n"))
    assert found.succeeds is None
    assert found.text is None or (found.text.text == "" and "-q" in line)


def test_grep_that_is_quiet_prints_nothing_whatever_it_reads() -> None:
    unknown = hole(Hole("$X", "not known"))
    assert run("grep -q x", unknown) == Filtered(Traced(), None)
    assert run("grep -q x FILE", unknown).text == Traced()
    assert run("grep -e -q", unknown).text is None


@pytest.mark.parametrize(
    ("line", "sure"),
    [
        ("grep -q MINGW", True),
        ("grep -q ^MINGW", True),
        ("grep -q 10", False),
        ("grep -qv MINGW", False),
        ("grep -q 'MINGW64_NT-.'", False),
        ("grep -qw 'NT-'", False),
        ("grep -q '$'", False),
        ("grep -qx MINGW", False),
    ],
)
def test_a_match_in_the_part_that_is_known(line: str, sure: bool) -> None:
    text = Traced((Piece("MINGW64_NT-"), *hole(Hole("$(uname)", "a version")).pieces, Piece("\n")))
    assert run(line, text).succeeds is (True if sure else None)


def test_a_default_that_somebody_may_replace_decides_nothing_and_stays_one() -> None:
    text = literal("x86_64\n").overridable()
    assert run("grep -q x86", text) == Filtered(Traced(), None)
    found = run("sed s/x86_64/amd64/", text).text
    assert found is not None
    assert found.text == "amd64\n"
    assert found.pieces[0].overridable


def test_in_a_script() -> None:
    script = """
    if uname -m | grep -q x86; then f=-mavx2; else f=-O1; fi
    cc $f a.c
    case $(uname -m | sed s/aarch64/arm64/) in arm64) cc arm.c ;; *) cc other.c ;; esac
    cc "$(echo x86_64-unknown-linux | cut -d- -f1)" $(grep -q x FILE && echo -DX)
    """
    said = [" ".join(c.shown) for c in evaluated(script).commands if c.shown[0] == "cc"]
    assert said == ["cc -mavx2 a.c", "cc other.c", "cc x86_64", "cc x86_64 -DX"]
    said = [" ".join(c.shown) for c in evaluated(script, platforms=("linux-aarch64",)).commands if c.shown[0] == "cc"]
    assert said[:2] == ["cc -O1 a.c", "cc arm.c"]


def test_expressions_that_may_mean_something_else_are_refused() -> None:
    for written in ("a**", "[b-A]", "[[.a.]]", "\\(a\\)\\1", "a\\{2", "\\z", "ä", "a\nb", "[a", "\\<*"):
        assert python(written, extended=False) is None, written
    for written in ("*a", "a|", "|a", "(a", "a)", "a{x}", "a{1}{2}", "()", "[]"):
        assert python(written, extended=True) is None, written


ATOMS = r"x86_64 x86 aarch64 - _ [0-9] [a-z]* [^-]* .* . ^ $ a b 6 \. x\? x? x+ \(x86\) (x86) \| | [[:digit:]]".split()
ATOMS += r"[[:upper:]]\+ 64\{1,2\} 64{1,2} \< \b \w \s * ] []x] [x-] { } + ? ( ) \1 / =".split()
INPUTS = ["x86_64\n", "Linux x86_64\n", "x86_64-unknown-linux-gnu\n", "a b  c\n\nd e\n", "a=b\nc=d\n", "", "\n", "abc"]
INPUTS += ["x-y_z\n-mfoo\nX86\n", "one:two:three\nfour\n:five:\n", "  lead  tail \n", "{a}+b?\n(x)\n", "64 644\n6\n"]


def generated(choose: random.Random) -> tuple[str, str]:
    def pattern() -> str:
        return "".join(choose.choice(ATOMS) for _ in range(choose.randint(1, 4)))

    def substitution() -> str:
        d = choose.choice("/,|#")
        return f"s{d}{pattern()}{d}{choose.choice(['', 'X', '&-', '.', '-'])}{d}{choose.choice(['', 'g', 'p', 'I'])}"

    match choose.choice(["grep", "egrep", "sed", "cut", "head", "awk"]):
        case "sed":
            words = ["sed", *choose.choice([[], ["-E"], ["-n"]]), ";".join([substitution()] * choose.choice([1, 1, 2]))]
        case "cut":
            words = ["cut", "-d", choose.choice("-_:= "), "-f" + choose.choice(["1", "2", "1,3", "2-", "-2"])]
        case "head":
            words = [choose.choice(["head", "tail"]), *choose.choice([[], ["-1"], ["-n", "2"]])]
        case "awk":
            words = ["awk", *choose.choice([[], ["-F:"], ["-F", "-"]]), f"{{print ${choose.choice('012')}}}"]
        case grep:
            flags = [flag for flag in ("-q", "-i", "-v", "-w", "-x", "-c") if choose.random() < 0.2]
            words = [grep, *flags, "-e", pattern()]
    return shlex.join(words), choose.choice(INPUTS)


@pytest.mark.skipif(not all(map(shutil.which, ("bash", "grep", "sed", "awk"))), reason="needs the real tools")
@pytest.mark.parametrize("seed", range(3))
def test_the_real_ones_print_the_same(seed: int) -> None:
    choose = random.Random(seed)
    cases = [*[(line, text) for line, text, *_ in RECORDED], *(generated(choose) for _ in range(200))]
    script = "".join(
        f"printf %s {shlex.quote(text)} | {line} 2>/dev/null; printf '\\1%s\\2' \"$?\"\n" for line, text in cases
    )
    made = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False).stdout.split("\2")
    known = 0
    for (line, text), real in zip(cases, made, strict=False):
        printed, _, status = real.rpartition("\1")
        found = run(line, literal(text))
        known += found.text is not None
        assert found.text is None or found.text.text == printed, (line, text)
        assert found.succeeds is None or found.succeeds is (status == "0"), (line, text)
    assert known > 120
