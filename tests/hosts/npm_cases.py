# ruff: noqa: E501  (a case is a line)
"""Packages and calls of npm: the files, and the command line."""

import json

Case = tuple["dict[str, str]", str]


def package(scripts: "dict[str, str]", **more: object) -> "dict[str, str]":
    return {"package.json": json.dumps({"name": "pk", "version": "1.2.3", "scripts": scripts, **more}, indent=2)}


_B = {"build": "rec b"}
_AROUND = {"prebuild": "rec pre", "build": "rec b", "postbuild": "rec post", "preprebuild": "rec no"}
_LIFE = {name: f"rec {name}" for name in ("preinstall", "install", "postinstall", "prepare", "prepublish", "prepack")}
_MONO = {
    **package({"build": "rec root"}, workspaces=["packages/*"]),
    "packages/a/package.json": json.dumps({"name": "@s/a", "version": "1.0.0", "scripts": {"build": "rec a", "x": "rec ax"}}),
    "packages/b/package.json": json.dumps({"name": "b", "version": "1.0.0", "scripts": {"build": "rec b"}}),
}  # fmt: skip

CASES: "list[Case]" = [
    *(
        (package(_B), line)
        for line in (
            "npm run build",
            "npm run build -- -x 'a b'",
            "npm run build y z",
            "npm run build y -- -z",
            "npm run build --foo=1 y",
            "npm run build -s y",
            "npm run-script build",
            "npm -s run build y",
            "npm run build -- --",
            "npm run build -- \"it's\" '$HOME' 'a;b' ''",
            "npm run --if-present nope",
            "npm run build --ignore-scripts",
            "npm run build --silent -- q",
            "npm --prefix . run build",
            "npm run build --prefix .",
            "npm run urn; npm urn build",
        )
    ),
    *((package(_AROUND), line) for line in ("npm run build", "npm run build -- x", "npm run prebuild", "npm run build --ignore-scripts")),
    (package({"test": "rec t"}), "npm test"),
    (package({"test": "rec t"}), "npm t -- -x"),
    (package({"pretest": "rec p", "test": "rec t", "posttest": "rec q"}), "npm tst y"),
    (package({"start": "rec s", "stop": "rec e"}), "npm start"),
    (package({"start": "rec s", "stop": "rec e", "prestart": "rec p"}), "npm restart"),
    (package({"restart": "rec r", "start": "rec s"}), "npm restart"),
    (package({"stop": "rec e"}), "npm stop -- 1"),
    (package({"a": "npm run b && npm run c", "b": "rec b", "c": "rec c"}), "npm run a"),
    (package({"a": "npm run b -- -x", "b": "rec b"}), "npm run a -- -y"),
    (package({"a": "rec $1 \"$@\" end"}), "npm run a -- x"),
    (package({"a": "rec one; rec two"}), "npm run a -- x"),
    (package({"a": "rec one && rec two || rec three"}), "npm run a"),
    (package({"a": "A=1 rec $A; rec \"$B\""}), "B='c d' npm run a"),
    (package({"a": "rec \"q r\" 's t' u\\ v"}), "npm run a"),
    (package({"a": "rec $npm_package_name $npm_package_version"}), "npm run a"),
    (package({"a": "rec $npm_package_config_port"}, config={"port": "8080"}), "npm run a"),
    (package({"a": "rec $npm_lifecycle_event", "prea": "rec $npm_lifecycle_event"}), "npm run a"),
    (package({"a": "rec $npm_config_foo end"}), "npm run a --foo=7"),
    (package({"a:b": "rec ab", "a:c": "rec ac"}), "npm run a:b"),
    (package({"a": "cd sub && rec x"}) | {"sub/f": ""}, "npm run a"),
    (package({"a": "sh -c 'rec \"$0\" y'"}), "npm run a -- x"),
    (package({"a": "rec *.json"}), "npm run a"),
    (package({"a": "rec `echo 1` $(echo 2)"}), "npm run a"),
    (package({"a": "if true; then rec y; else rec n; fi"}), "npm run a"),
    (package({"a": "rec x # no"}), "npm run a -- y"),
    (package({"a": "exec rec x"}), "npm run a -- y"),
    (package({"a": "env -i A=1 PATH=\"$PATH\" RECORD=\"$RECORD\" rec x"}), "npm run a"),
    (package(_LIFE), "npm install"),
    (package(_LIFE), "npm i --ignore-scripts"),
    (package({"version": "rec v", "preversion": "rec p"}), "npm run version"),
    (_MONO, "npm run build"),
    (_MONO, "npm run build -w b"),
    (_MONO, "npm run build --workspace=@s/a -- -q"),
    (_MONO, "npm run build --workspaces"),
    (_MONO, "npm run build -w packages/b"),
    (_MONO, "npm run x --workspaces --if-present"),
    (_MONO, "npm --prefix packages/a run x"),
    (_MONO, "cd packages/b && npm run build"),
    (_MONO, "cd packages && npm run build"),
    (package({"a": "rec x"}) | {".npmrc": "script-shell=bash\n"}, "npm run a -- y"),
    (package({"a": "rec {1,2}"}) | {".npmrc": "script-shell=bash\n"}, "npm run a"),
    (package({"a": "rec {1,2}"}), "npm run a"),
    (package({"a": "rec {1,2}"}), "npm run a --script-shell=bash"),
    (package({"a": "rec\tx"}), "npm run a"),
    (package({"a": "rec é \"\\u00e9\""}), "npm run a"),
]  # fmt: skip
