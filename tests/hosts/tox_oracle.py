"""What the real tox makes of a configuration; its answers are kept in tox_recorded.json.

Run as a program with a Python that has tox to write them anew.
"""

import json
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("tox_recorded.json")
KEYS = ("commands_pre", "commands", "commands_post")


def answer(name: str, text: str, words: "list[str] | None", extra: "dict[str, str]") -> "dict[str, Any]":
    """The commands and variables of each environment; ``error`` where tox refuses the file."""
    from tox.run import setup_state

    os.environ.pop("TOXENV", None)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for path, content in {name: text, **extra}.items():
            (root / path).write_text(content)
        try:
            state = setup_state(["c", "-c", str(root / name), *(["--", *words] if words is not None else [])])
            names = [*state.envs.iter(), *state.envs.iter(only_active=False)]
            return {env: _told(state.envs[env].conf, str(root)) for env in names if env != ".pkg"}
        except (Exception, SystemExit) as error:
            return {"error": type(error).__name__}


def _told(conf: Any, root: str) -> "dict[str, Any]":
    def plain(text: str) -> str:
        return str(text).replace(root, "{tox_root}")

    told: dict[str, Any] = {}
    for key in KEYS:
        told[key] = [
            ["-" if c.ignore_exit_code else "!" if c.invert_exit_code else "", *map(plain, c.args)] for c in conf[key]
        ]
    variables = conf["set_env"]
    own = (
        "PIP_USER",
        "VIRTUAL_ENV",
        "PIP_DISABLE_PIP_VERSION_CHECK",
        "PYTHONHASHSEED",
        "PYTHONIOENCODING",
        "TOX_ENV_NAME",
        "TOX_WORK_DIR",
    )
    names = [name for name in variables if name not in (*own, "TOX_ENV_DIR")]
    told["set_env"] = {name: plain(variables.load(name)) for name in names}
    return told


def key(name: str, text: str, words: "list[str] | None") -> str:
    return json.dumps([name, text, words])


def recorded() -> "dict[str, Any]":
    return json.loads(RECORDED.read_text()) if RECORDED.exists() else {}  # type: ignore[no-any-return]


def main() -> int:
    sys.path.insert(0, str(Path(__file__).parent))
    from tox_cases import CASES, EXTRA  # type: ignore[import-not-found]

    assert (sys.platform, platform.machine()) == ("linux", "x86_64"), "the answers are for this platform"
    answers = {key(*case): answer(*case, EXTRA) for case in CASES}
    RECORDED.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
