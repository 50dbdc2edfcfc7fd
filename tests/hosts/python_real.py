"""Runs build scripts with Python itself, with stubs for what they build and for the platform; prints what they made.

Reads from its standard input a list of [platform's facts, script]; prints for each the flags of its extensions and the
programs that it ran, or null where the script fails.
"""

import contextlib
import io
import json
import os
import platform
import subprocess
import sys
import sysconfig
import types
from typing import Any


def ran(facts: dict[str, str], script: str) -> "list[list[str]] | None":
    made: list[Any] = []

    class Extension:
        def __init__(self, name: str, sources: list[str], extra_compile_args: "list[str] | str" = ()) -> None:
            self.name, self.extra_compile_args = name, extra_compile_args
            made.append(self)

    def started(words: Any, **_: Any) -> int:
        made.append(list(words))
        return 0

    stub = types.ModuleType("setuptools")
    stub.Extension, stub.setup = Extension, lambda **_: None  # type: ignore[attr-defined]
    system, machine = facts["system"], facts["machine"]
    uname = types.SimpleNamespace(sysname=system, machine=machine)
    patched = [
        (sys, "platform", facts["platform"]),
        (platform, "system", lambda: system),
        (platform, "machine", lambda: machine),
        (platform, "processor", lambda: machine),
        (os, "uname", lambda: uname),
        (sysconfig, "get_platform", lambda: facts["tag"]),
        (subprocess, "check_call", started),
        (subprocess, "run", started),
    ]
    before = [(of, name, getattr(of, name)) for of, name, _ in patched]
    name, environment = os.name, dict(os.environ)
    sys.modules["setuptools"] = stub
    try:
        for of, attribute, value in patched:
            setattr(of, attribute, value)
        os.environ.clear()
        code = compile(script, "setup.py", "exec")
        os.name = facts["name"]
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, {"__name__": "__main__"})
    except (Exception, SystemExit):
        return None
    finally:
        os.name = name
        os.environ.update(environment)
        for of, attribute, value in before:
            setattr(of, attribute, value)
    out = []
    for one in made:
        flags = one if isinstance(one, list) else one.extra_compile_args
        out.append([str(word) for word in (flags.split() if isinstance(flags, str) else flags)])
    return out


if __name__ == "__main__":
    json.dump([ran(facts, script) for facts, script in json.load(sys.stdin)], sys.stdout)
