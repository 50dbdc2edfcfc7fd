"""Sabotage of Spack's recipes: what a phase gets, what `flag_handler` gives."""

from pathlib import Path

from .support import prove

RECIPE = """\
from spack.package import *


class Foo(AutotoolsPackage):
    def configure_args(self):
        return ["--with-cpu=generic", "--x"]

    def flag_handler(self, name, flags):
        if name == "cflags":
            flags += ["-O2", "-march=x86-64-v2"]
        return (flags, None, None)
"""
RULES = """
packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id = "a"
command = "configure"
require = [{ flag = "--with-cpu", value = "generic" }]
[[rule]]
id = "b"
command = "spack:cflags"
require = [{ flag = "-march", value = "x86-64-v2" }]
"""


def test_every_sabotage_is_caught(tmp_path: Path) -> None:
    proof = prove(tmp_path, RULES, {"packages/foo/package.py": RECIPE})
    assert proof.sites == 2
    assert {r.outcome.value for r in proof.results} == {"caught", "stayed-clean"}
