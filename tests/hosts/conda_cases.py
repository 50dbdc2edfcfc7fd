# ruff: noqa: E501  (a case is a line)
"""Recipes, and what is asked of them: the lines of the build script on each platform."""

SUBDIRS = {
    "linux-x86_64": "linux-64",
    "linux-aarch64": "linux-aarch64",
    "macos-arm64": "osx-arm64",
    "windows-x86_64": "win-64",
}

_META = "package:\n  name: foo\n  version: '1.2'\nbuild:\n"
_RECIPE = "context: {name: foo, version: '1.2'}\npackage: {name: foo, version: '1.2'}\nbuild:\n"

METAS = [
    _META + "  script: make all\n",
    _META + "  script:\n    - make a\n    - make b\n",
    _META + "  script: make linux  # [linux]\n  script: make mac  # [osx]\n  script: make win  # [win]\n",
    _META
    + "  script:\n    - make l  # [linux]\n    - make m  # [osx and arm64]\n    - make x  # [x86_64]\n    - make u  # [unix]\n    - make all\n",
    _META
    + "  script:\n    - make a  # [linux64]\n    - make b  # [not win]\n    - make c  # [aarch64 or arm64]\n    - make d  # [x86]\n    - make e  # [win64]\n",
    _META
    + "  script:\n    - make a  # comment [linux] more\n    - make b  # comment [linux] (more)\n    - make c  # [a] [osx]\n    - 'make d  # [win]'\n    - \"make e # [unix]\"\n",
    _META
    + '  script:\n    - make a  # [target_platform == "linux-64"]\n    - make b  # [target_platform != \'linux-64\']\n    - make c  # [target_platform in ("osx-arm64", "win-64")]\n',
    _META + "  script:\n    - make a [linux]\n    - make b[win]\n    # - make no\n    - make c\n",
    "{% set v = '2.5' %}\n" + _META + "  script: make V={{ v }} M={{ v.split('.')[0] }} R={{ v|replace('.', '_') }}\n",
    "{% set v = '2.5' %}\n{% if linux %}\n{% set f = '-O2' %}\n{% else %}\n{% set f = '-O3' %}\n{% endif %}\n"
    + _META
    + "  script: make CFLAGS={{ f }}\n",
    "{% set f = '-O2' %}  # [linux]\n{% set f = '-O3' %}  # [not linux]\n" + _META + "  script: make CFLAGS={{ f }}\n",
    _META + "  script:\n    {% for t in ['a', 'b'] %}\n    - make {{ t }}\n    {% endfor %}\n",
    _META + "  script: make {{ 'w' if win else 'u' }} {{ target_platform }}\n",
    _META + "  script: |\n    make a  # [linux]\n    make b  # [not linux]\n    make c\n",
    _META + "  script: >\n    make a\n    CFLAGS=-O2  # [linux]\n    CFLAGS=-O3  # [not linux]\n",
    _META + "  skip: true  # [win or osx]\n  script: make a\n",
    _META + "  script: {{ '-'.join(['a', 'b']) }} {{ ['p', 'q'][1] }} {{ 'abc'[1:] }} {{ 'abc'[:-1]|upper }}\n",
    "{% macro m(x) %}make {{ x }}{% endmacro %}\n" + _META + "  script:\n    - make y\n",
]
RECIPES = [
    _RECIPE + "  script: make all\n",
    _RECIPE + "  script: [make a, make b]\n",
    _RECIPE + "  script:\n    - if: linux\n      then: make l\n      else: make n\n    - make all\n",
    _RECIPE
    + "  script:\n    - if: unix and not osx\n      then: [make a, make b]\n    - if: osx or win\n      then:\n        - make c\n        - if: win\n          then: make d\n          else: [make e]\n",
    _RECIPE
    + "  script:\n    - if: target_platform == 'linux-64'\n      then: make a\n    - if: aarch64\n      then: make b\n    - if: x86_64\n      then: make c\n    - if: arm64\n      then: make d\n",
    _RECIPE
    + "  script:\n    - if: version == '1.2'\n      then: make a\n    - if: name in ['foo', 'bar']\n      then: make b\n    - if: not (linux or win)\n      then: make c\n",
    _RECIPE + "  script:\n    content:\n      - if: win\n        then: make w\n      - make a\n    env: {A: b}\n",
    _RECIPE + "  script:\n    content: |\n      make a\n      make b\n",
]
EXPRESSIONS = [
    "version", "version | replace('.', '_')", "name ~ '-' ~ version", "'w' if win else 'u'", "name | upper", "version[:1]", "(version | split('.'))[1]", "target_platform", "name + 'x'", "'x' if linux and x86_64 else 'y' if osx else 'z'", "1 + 2", "unset | default('d')", "'b' in ['a', 'b']", "name is defined",
]  # fmt: skip
