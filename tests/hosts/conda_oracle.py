"""What conda-build and rattler-build make of a recipe; kept in conda_recorded.json. Run as a program to write it anew:

    python -m tests.hosts.conda_oracle PATH-OF/conda_build/metadata.py

with `py-rattler-build`, PyYAML and Jinja2 installed. Of conda-build, which is on no index of Python packages, the
functions for selectors are taken, and Jinja and PyYAML used as it uses them.
"""

import ast
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from .conda_cases import EXPRESSIONS, METAS, RECIPES, SUBDIRS

RECORDED = Path(__file__).with_name("conda_recorded.json")
_TAKEN = ("get_selectors", "parseNameNotFound", "eval_selector", "_split_line_selector", "select_lines")


def recorded() -> "dict[str, Any]":
    return json.loads(RECORDED.read_text())  # type: ignore[no-any-return]


def _functions(path: str) -> "dict[str, Any]":
    import os
    import re
    from functools import cache
    from types import SimpleNamespace

    tree = ast.parse(Path(path).read_text())
    kept: list[ast.stmt] = [
        n
        for n in tree.body
        if (isinstance(n, ast.FunctionDef) and n.name in _TAKEN)
        or (isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "sel_pat")
    ]
    space: dict[str, Any] = {
        "re": re,
        "os": os,
        "cache": cache,
        "Any": Any,
        "Config": object,
        "feature_list": (),
        "DEFAULT_SUBDIRS": ("linux-32", "linux-64", "linux-aarch64", "linux-ppc64le", "osx-64", "osx-arm64", "win-64"),
        "ARCH_MAP": {"32": "x86", "64": "x86_64"},
        "get_default_variant": lambda config: {"python": "3.12", "numpy": "2.0", "perl": "5.32", "lua": "5.4"},
        "OSModuleSubset": SimpleNamespace(environ={}),
        "EvalException": (),
        "CondaBuildUserError": ValueError,
    }
    code = ast.unparse(ast.Module(kept, []))
    code = code.replace("isinstance(error, EvalException)", "False").replace(
        "eval_selector(selector, namespace, variants_in_place)",
        "eval_selector(selector, namespace, variants_in_place, unsafe=True)",
    )
    exec(code, space)
    return space


def metas(path: str) -> "list[dict[str, Any]]":
    from types import SimpleNamespace

    jinja2, yaml = import_module("jinja2"), import_module("yaml")
    space = _functions(path)
    out = []
    for text in METAS:
        answers: dict[str, Any] = {}
        for ours, subdir in SUBDIRS.items():
            config = SimpleNamespace(host_subdir=subdir, build_subdir=subdir, variant={"target_platform": subdir})
            names = space["get_selectors"](config)
            chosen = space["select_lines"](text, names, False)
            root = yaml.safe_load(jinja2.Environment().from_string(chosen).render(**names))
            build = root["build"] or {}
            script = build.get("script") or []
            answers[ours] = [] if build.get("skip") else [script] if isinstance(script, str) else script
        out.append(answers)
    return out


def recipes(texts: "list[str]") -> "list[dict[str, Any]]":
    tool = import_module("rattler_build")
    out = []
    for text in texts:
        answers: dict[str, Any] = {}
        for ours, subdir in SUBDIRS.items():
            platform = tool.PlatformConfig(target_platform=subdir, build_platform=subdir, host_platform=subdir)
            found = tool.Stage0Recipe.from_yaml(text).render(tool.VariantConfig(), tool.RenderConfig(platform=platform))
            recipe = next(v.recipe.to_dict() for v in found)
            build = recipe["build"]
            script = build.get("script") or []
            script = script.get("content", []) if isinstance(script, dict) else script
            answers[ours] = [script] if isinstance(script, str) else script
            answers[f"{ours} summary"] = recipe.get("about", {}).get("summary")
        out.append(answers)
    return out


def main() -> int:
    said = [f"{RECIPES[0]}about:\n  summary: ${{{{ {one} }}}}\n" for one in EXPRESSIONS]
    summaries = [{p: one[f"{p} summary"] for p in SUBDIRS} for one in recipes(said)]
    scripts = [{p: one[p] for p in SUBDIRS} for one in recipes(RECIPES)]
    found = {"metas": metas(sys.argv[1]), "recipes": scripts, "expressions": summaries}
    RECORDED.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
