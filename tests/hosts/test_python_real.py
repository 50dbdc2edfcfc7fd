"""Python itself is the judge: written and generated scripts are run with stubs, as if on several platforms."""

import json
import random
import subprocess
import sys
from pathlib import Path

from flagguard.hosts import Setting, python
from flagguard.text import SourceText

from . import test_python
from .support import Memory

DRIVER = Path(__file__).with_name("python_real.py")
FACTS = {
    "linux-x86_64": ("linux", "Linux", "x86_64", "posix", "linux-x86_64"),
    "linux-ppc64le": ("linux", "Linux", "ppc64le", "posix", "linux-ppc64le"),
    "macos-arm64": ("darwin", "Darwin", "arm64", "posix", "macosx-11.0-arm64"),
    "windows-x86_64": ("win32", "Windows", "AMD64", "nt", "win-amd64"),
}
KEYS = ("platform", "system", "machine", "name", "tag")

_TESTS = (
    "sys.platform == 'linux'", "platform.machine() == 'x86_64'", "os.name != 'nt'",
    "sys.platform.startswith('darwin')",
    "platform.system() in ('Linux', 'Darwin')", "'-a' in f", "len(g) > 1", "not f", "f and g", "f == g",
    "platform.machine().lower() in {'amd64', 'x86_64'}", "'X' not in t",
    "os.name == 'nt' or sys.platform == 'darwin'",
)  # fmt: skip
_LISTS = (
    "['-a']", "['-b', '-c']", "f", "g", "f + g", "[*f, '-d']", "list(g)", "t.split()", "[x for x in f if x != '-a']",
    "['-m%s' % n for n in ('p', 'q')]", "f[1:]", "g[:1]", "[f'-t{x}' for x in t.split()]", "sorted(f)", "f * 2",
    "('-e',) + ('-f',)", "d.get(sys.platform, ['-n'])", "d['linux']", "(f or ['-z'])", "make(f)",
    "make(g, last='-y')",
    "['-x'] if sys.platform == 'linux' else []", "list(map(str.strip, [' -s ']))", "' '.join(f).split()", "f[::-1]",
)  # fmt: skip
_DONE = (
    "f = {0}", "g = list({0})", "f += {0}", "g.extend({0})", "f = list(f)\nf.append('-{1}')", "g.insert(0, '-{1}')",
    "t += ' -{1}'", "t = '-%s -%d' % (sys.platform, {1})", "t = t.replace('-', '--')", "d['linux'] = {0}",
    "d = dict(d, darwin={0})", "if {2}:\n    f = {0}\nelse:\n    g = list({0})",
    "for x in list({0}):\n    g.append(x + '{1}')",
    "if {2}:\n    g += {0}\nelif {3}:\n    t += 'u'", "f = {0} if {2} else {0}",
    "try:\n    f = {0}\nfinally:\n    t += 'w'",
    "f, g = list({0}), list(f)", "for i, x in enumerate(list({0})):\n    if i: break\n    g.append(x)",
    "while len(g) < 2:\n    g.append('-w')", "h = {0}\nh = list(h)\nh += ['-h']\nf = h", "t = t.upper().strip('-')",
)  # fmt: skip
_HEAD = """import os, platform, subprocess, sys
from setuptools import Extension
f, g, t, d = ['-a'], [], '-t1 -t2', {'linux': ['-l'], 'win32': ['/O2']}
def make(items, last='-k'):
    out = []
    for item in items:
        if item.endswith('c'):
            continue
        out.append(item)
    return out + [last]
"""


def generated(seed: int) -> str:
    choose = random.Random(seed)
    body = [_HEAD]
    for _ in range(choose.randint(2, 7)):
        text = choose.choice(_DONE)
        for mark, among in (("{0}", _LISTS), ("{2}", _TESTS), ("{3}", _TESTS)):
            while mark in text:
                text = text.replace(mark, choose.choice(among), 1)
        body.append(text.replace("{1}", str(choose.randint(0, 9))))
    return "\n".join(
        [*body, "Extension('a', [], extra_compile_args=list(f))", "subprocess.check_call(['cc', *g, t])", ""]
    )


def judged(pairs: "list[tuple[str, str]]") -> "list[list[list[str]] | None]":
    given = [(dict(zip(KEYS, FACTS[on], strict=True)), script) for on, script in pairs]
    done = subprocess.run(
        [sys.executable, "-I", str(DRIVER)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    found: list[list[list[str]] | None] = json.loads(done.stdout)
    return found


def read(platform: str, script: str) -> "list[list[str]] | None":
    """What is read; None where it depends on something open, or has holes."""
    reading = python.read(SourceText("setup.py", script), Setting(Memory({"setup.py": script}), (platform,)))
    out = []
    for one in (*reading.calls, *reading.scripts):
        words = one.argv[2:] if one.argv[0].text.startswith("python:") else one.argv
        if one.when or reading.problems or not all(word.known for word in words):
            return None
        out.append([word.text for word in words])
    return out


def compare(scripts: "list[str]") -> tuple[int, int]:
    """How many scripts are read as Python runs them, and how many have a hole; none may differ."""
    pairs = [(on, script) for script in scripts for on in FACTS]
    same = open_ = 0
    for (on, script), real in zip(pairs, judged(pairs), strict=True):
        if real is None:
            continue
        found = read(on, script)
        if found is None:
            open_ += 1
            continue
        assert found == real, f"on {on}:\n{script}"
        same += 1
    return same, open_


def test_written_scripts() -> None:
    bodies = [case.args[0] if hasattr(case, "args") else case[0] for case in _table()]
    same, open_ = compare([test_python.made(body) for body in bodies if "open(" not in body])
    assert (same > 200, open_ < 40) == (True, True), (same, open_)


def _table() -> "list[tuple[str, list[str]]]":
    (mark,) = [m for m in test_python.test_flags_of_an_extension.pytestmark if m.name == "parametrize"]  # type: ignore[attr-defined]
    found: list[tuple[str, list[str]]] = mark.args[1]
    return found


def test_generated_scripts() -> None:
    same, open_ = compare([generated(seed) for seed in range(150)])
    assert same > 400, (same, open_)
