"""Jenkinsfiles: https://www.jenkins.io/doc/book/pipeline/syntax/ and the strings of https://groovy-lang.org/syntax.html"""

import pytest

from flagguard.command import Dialect
from flagguard.hosts.jenkins_tokens import encode
from flagguard.text import SourceText, Span

from .ci_support import argvs, read, told

MAIN = "Jenkinsfile"

CASES: list[tuple[str, str, list[str]]] = [
    ("a text", "pipeline { agent any\n stages { stage('S') { steps {\nsh 'cc a'\n} } } }\n", ["cc a"]),
    (
        "a step with parentheses",
        "pipeline { agent any\n stages { stage('S') { steps {\nsh(\"cc a\")\n} } } }\n",
        ["cc a"],
    ),
    (
        "a named script",
        "pipeline { agent any\n stages { stage('S') { steps {\nsh(script: 'cc a', returnStdout: true)\n} } } }\n",
        ["cc a"],
    ),
    (
        "without parentheses",
        "pipeline { agent any\n stages { stage('S') { steps {\nsh script: 'cc a', label: 'x'\n} } } }\n",
        ["cc a"],
    ),
    (
        "the name comes last",
        "pipeline { agent any\n stages { stage('S') { steps {\nsh returnStdout: true, script: 'cc a'\n} } } }\n",
        ["cc a"],
    ),
    (
        "lines",
        "pipeline { agent any\n stages { stage('S') { steps {\nsh '''\ncc a\ncc b \\\\\n  c\n'''\n} } } }\n",
        ["cc a", "cc b c"],
    ),
    (
        "lines with values",
        'pipeline { agent any\n stages { stage(\'S\') { steps {\nsh """\ncc ${CPU} \\$HOME\n"""\n} } } }\n',
        ["cc ${CPU} $HOME"],
    ),
    (
        "escapes",
        "pipeline { agent any\n stages { stage('S') { steps {\nsh 'cc -D\\'x\\' \\\\n'\n} } } }\n",
        ["cc -Dx n"],
    ),
    (
        "comments",
        "pipeline { agent any\n stages { stage('S') { steps {\n// sh 'cc no'\n/* sh 'cc no' */\n"
        "sh 'cc // a'\n} } } }\n",
        ["cc // a"],
    ),
    (
        "a text that speaks of a step",
        "pipeline { agent any\n stages { stage('S') { steps {\necho \"sh 'cc no'\"\nsh 'cc a'\n} } } }\n",
        ["cc a"],
    ),
    (
        "a property is no step",
        "pipeline { agent any\n stages { stage('S') { steps {\nx.sh 'cc no'\nsh 'cc a'\n} } } }\n",
        ["cc a"],
    ),
    (
        "each step is a shell",
        "pipeline { agent any\n stages { stage('S') { steps {\nsh 'X=1'\nsh 'cc $X'\n} } } }\n",
        ["cc"],
    ),
    (
        "an environment",
        "pipeline { environment { F = '-O2' }\n stages { stage('S') { environment { G = \"${F}x\" }\n"
        " steps { sh 'cc $F $G' } } } }",
        ["cc -O2 -O2x"],
    ),
    (
        "an environment in a text",
        "pipeline { environment { F = '-O2' }\n stages { stage('S') { steps { sh \"cc ${env.F} $F\" } } } }",
        ["cc -O2 -O2"],
    ),
    (
        "a secret",
        "pipeline { environment { F = credentials('x') }\n stages { stage('S') { steps { sh 'cc $F' } } } }",
        ["cc $F"],
    ),
    (
        "withEnv",
        "pipeline { agent any\n stages { stage('S') { steps {\nwithEnv(['F=-O2', "
        "\"G=${x}\"]) { sh 'cc $F $G' }\nsh 'cc $F'\n} } } }\n",
        ["cc -O2 ${x}", "cc"],
    ),
    ("a variable of Groovy", "def f = '-O2'\nnode { sh \"cc $f\" }", ["cc -O2"]),
    ("one that changes is a hole", "def f = '-O2'\nf = '-O3'\nnode { sh \"cc $f\" }", ["cc $f"]),
    ("one that grows is a hole", "def f = '-O2'\nf += ' -g'\nnode { sh \"cc ${f}\" }", ["cc ${f}"]),
    (
        "a parameter",
        "pipeline { parameters { string(name: 'P', defaultValue: 'v2') }\n"
        " stages { stage('S') { steps { sh \"cc ${params.P}\" } } } }",
        ["cc v2"],
    ),
    (
        "if and else",
        "pipeline { agent any\n stages { stage('S') { steps {\n"
        "script { if (a) { sh 'cc 1' } else { sh 'cc 2' } }\n} } } }\n",
        ["cc 1", "cc 2"],
    ),
    (
        "a matrix",
        "pipeline { stages { stage('M') { matrix { axes { axis { name 'C'; values 'a', 'b' } }\n"
        " stages { stage('S') { steps { sh 'cc $C' } } } } } } }",
        ["cc a", "cc b"],
    ),
    (
        "a matrix with excludes",
        "pipeline { stages { stage('M') { matrix {\n"
        "axes { axis { name 'C'; values 'a', 'b', 'c' }\n axis {\n name 'D'\n values 'x', 'y'\n } }\n"
        "excludes { exclude { axis { name 'C'; values 'a', 'b' } axis { name 'D'; values 'y' } }\n"
        " exclude { axis { name 'C'; notValues 'a', 'b' } } }\n"
        " stages { stage('S') { steps { sh 'cc $C $D' } } } } } } }",
        ["cc a x", "cc b x"],
    ),
    (
        "a condition that never holds",
        "pipeline { stages { stage('A') { when { expression { return false } }\n steps { sh 'cc a' } }\n"
        "stage('B') { when { expression { false }\n branch 'x' }\n steps { sh 'cc b' } } } }",
        ["cc b"],
    ),
    ("parallel", "node { parallel a: { sh 'cc a' }, b: { sh 'cc b' } }", ["cc a", "cc b"]),
    (
        "a first line says who reads it",
        "pipeline { agent any\n stages { stage('S') { steps {\nsh '''#!/usr/bin/env bash\na=(x y)\n"
        "cc ${a[@]}\n'''\n} } } }\n",
        ["cc x y"],
    ),
    (
        "an unread one",
        "pipeline { agent any\n stages { stage('S') { steps {\nsh '''#!/usr/bin/python3\nprint(1)\n'''\n"
        "sh 'cc'\n} } } }\n",
        ["cc"],
    ),
    (
        "bat",
        "pipeline { agent any\n stages { stage('S') { steps {\nbat 'cc a\\nset F=b\\ncc %F%'\n} } } }\n",
        ["cc a", "cc b"],
    ),
    (
        "powershell",
        "pipeline { agent any\n stages { stage('S') { steps {\npowershell 'cc a'\npwsh 'cc b'\n} } } }\n",
        ["cc a", "cc b"],
    ),
    (
        "a slashy string",
        "pipeline { agent any\n stages { stage('S') { steps {\nx = y =~ /it's \"/\nsh 'cc a'\n} } } }\n",
        ["cc a"],
    ),
    (
        "a hole with strings in it",
        'pipeline { agent any\n stages { stage(\'S\') { steps {\nsh "cc ${m["a"]} b"\n} } } }\n',
        ['cc ${m["a"]} b'],
    ),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("jenkins", {MAIN: text}) == expected


def test_the_place() -> None:
    text = (
        "pipeline {\n  agent { label 'linux-arm64' }\n  stages {\n    stage('One') {\n      when { branch 'main' }\n"
        "      steps {\n        dir('sub') { sh 'x' }\n        sh(script: 'y', label: 'L', "
        "returnStatus: true)\n      }\n"
        "      post { failure { sh 'z' } }\n    }\n"
        "    stage('Two') {\n      agent { docker { image 'gcc' } }\n      steps { catchError { sh 'w' } }\n"
        "    }\n  }\n}\n"
    )
    found = [
        (s.place.job, s.place.step, s.place.runner, sorted(s.platforms or ()), s.directory, s.ignored, s.when)
        for s in read("jenkins", {MAIN: text}).scripts
    ]
    arm, when = ["linux-aarch64"], "when: branch 'main'"
    assert found == [
        ("One", "1", "linux-arm64", arm, "sub", False, (when,)),
        ("One", "L", "linux-arm64", arm, "", True, (when,)),
        ("One", "3", "linux-arm64", arm, "", False, (when, "post: failure")),
        ("Two", "1", "gcc", ["linux-x86_64"], "", True, ()),
    ]


def test_sh_stops_at_a_failure_unless_a_first_line_says_otherwise() -> None:
    text = "node { sh 'x'\nsh '''#!/bin/bash -eo pipefail\nx'''\nsh '''#!/bin/sh\nx''' }"
    found = [(s.dialect, s.errexit, s.pipefail) for s in read("jenkins", {MAIN: text}).scripts]
    assert found == [(Dialect.SH, True, False), (Dialect.BASH, True, True), (Dialect.SH, False, False)]


WRONG: list[tuple[str, list[tuple[int, bool]]]] = [
    ("node {\n  sh 'x\n}", [(2, True)]),
    ("node {\n  sh 'x'\n", [(1, True)]),
    ("node {\n  sh command\n}", [(2, False)]),
    ("node {\n  sh 'x' + y\n}", [(2, False)]),
    ("node { sh '''#!/usr/bin/python3\nx''' }", [(1, False)]),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_is_told_with_its_line(text: str, expected: list[tuple[int, bool]]) -> None:
    assert told("jenkins", {MAIN: text}) == expected


def test_deep_blocks_end() -> None:
    assert argvs("jenkins", {MAIN: "a {" * 2000 + "sh 'x'" + "}" * 2000}) == []


def test_what_is_written_into_a_string_is_read_again() -> None:
    for quote, text in (("'", "it's \\ $x"), ('"', '$x "y" \\'), ("'''", "a'b\nc"), ('"""', "a\n$b")):
        source = SourceText(MAIN, f"node {{ sh {quote}cc OLD{quote} }}")
        at = source.text.index("OLD")
        put = encode(source, Span(MAIN, at, at + 3), text)
        assert put is not None
        (script,) = read("jenkins", {MAIN: source.text[:at] + put + source.text[at + 3 :]}).scripts
        assert script.text.text == f"cc {text}"


def test_the_agent_of_a_row_says_its_platform() -> None:
    text = (
        "pipeline { stages { stage('M') { matrix { axes { axis { name 'OS'; values 'linux', 'windows' } }\n"
        " agent { label \"${OS}-agent\" }\n stages { stage('S') { steps { sh 'cc $OS' } } } } } } }"
    )
    found = {s.place.runner: s.platforms for s in read("jenkins", {"Jenkinsfile": text}).scripts}
    assert found == {
        "linux-agent": frozenset({"linux-x86_64"}),
        "windows-agent": frozenset({"windows-x86_64"}),
    }
