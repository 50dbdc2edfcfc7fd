"""GitLab CI/CD: what its reference says of each keyword (https://docs.gitlab.com/ci/yaml/)."""

import pytest

from flagguard.command import Dialect
from flagguard.hosts import by_path

from .ci_support import BOMB, argvs, commands, read, told

MAIN = ".gitlab-ci.yml"


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        (".gitlab-ci.yml", True),
        ("sub/.gitlab-ci.yml", True),
        ("ci/build.gitlab-ci.yml", True),
        ("gitlab-ci.yml", True),
        ("my-gitlab-ci.yml", False),
        (".gitlab-ci.yml.j2", False),
    ],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert ("gitlab" in [host.NAME for host in by_path.claiming(path)]) is claimed


CASES: list[tuple[str, str, list[str]]] = [
    ("a script is lines", "j: {script: [cc a, cc b]}", ["cc a", "cc b"]),
    ("a script is one text", "j: {script: cc a}", ["cc a"]),
    ("lists in lists are flattened", "j: {script: [[cc a, [cc b]], cc c]}", ["cc a", "cc b", "cc c"]),
    ("hidden jobs do not run", ".j: {script: cc a}\nk: {script: cc b}", ["cc b"]),
    ("keywords are no jobs", "image: x\nstages: [a]\nj: {script: cc}", ["cc"]),
    ("before and script share a shell", "j: {before_script: [X=1], script: [cc $X]}", ["cc 1"]),
    ("after is another shell", "j: {script: [X=1, cc $X], after_script: [cc $X]}", ["cc 1", "cc"]),
    ("default gives what a job lacks", "default: {before_script: [cc d]}\nj: {script: cc}", ["cc d", "cc"]),
    ("a job's own goes over the default", "default: {before_script: [cc d]}\nj: {before_script: [], "
     "script: cc}", ["cc"]),
    ("the old global form", "before_script: [cc g]\nj: {script: cc}", ["cc g", "cc"]),
    ("inherit none", "default: {before_script: [cc d]}\nj: {inherit: {default: false}, script: cc}", ["cc"]),
    (
        "inherit some",
        "default: {before_script: [cc d], after_script: [cc e]}\nj: {inherit: {default: [after_script]}, script: cc}",
        ["cc", "cc e"],
    ),
    ("global variables", "variables: {F: -O2 -g}\nj: {script: cc $F}", ["cc -O2 -g"]),
    ("a job's variables go over them", "variables: {F: -O2}\nj: {variables: {F: -O1}, script: cc $F}", ["cc -O1"]),
    ("a variable with a description", "variables: {F: {value: -O2, description: d}}\nj: {script: cc $F}", ["cc -O2"]),
    ("inherit no variables", "variables: {F: x}\nj: {inherit: {variables: false}, script: cc $F y}", ["cc y"]),
    ("inherit some variables", "variables: {F: x, G: z}\nj: {inherit: {variables: [G]}, script: cc $F $G}", ["cc z"]),
    ("variables in variables", 'variables: {C: v2, F: "-m=$C"}\nj: {script: cc $F}', ["cc -m=v2"]),
    ("braces too", 'variables: {C: v2, F: "-m=${C}x"}\nj: {script: cc $F}', ["cc -m=v2x"]),
    ("a job's value reaches the "
     "global one", 'variables: {C: a, F: "$C"}\nj: {variables: {C: b}, script: cc $F}', ["cc b"]),
    ("$$ is a dollar", "variables: {F: '$$X'}\nj: {script: 'cc \"$F\"'}", ["cc $X"]),
    ("expand: false", "variables: {C: a, F: {value: $C, expand: false}}\nj: {script: 'cc \"$F\"'}", ["cc $C"]),
    ("a variable in itself is a hole", 'variables: {F: "$F -g"}\nj: {script: "cc $F"}', ["cc $F -g"]),
    ("a predefined one is a hole", 'variables: {F: "-D$CI_JOB_NAME"}\nj: {script: "cc $F"}', ["cc -D$CI_JOB_NAME"]),
    ("extends one", ".b: {script: cc b}\nj: {extends: .b}", ["cc b"]),
    ("extends goes through", ".a: {before_script: [cc a]}\n.b: {extends: .a}\nj: {extends: .b, "
     "script: cc}", ["cc a", "cc"]),
    (
        "of several, the last wins",
        ".a: {script: cc a, variables: {X: a, Y: a}}\n.b: {variables: {X: b}}\nj: {extends: [.a, .b], "
        "script: cc $X $Y}",
        ["cc b a"],
    ),
    ("tables go together, lists are replaced", ".a: {script: [cc 1, cc 2]}\nj: {extends: .a, "
     "script: [cc 3]}", ["cc 3"]),
    (
        "what is extended may be included",
        ".a: &a {variables: {F: x}}\nj:\n  <<: *a\n  script: cc $F",
        ["cc x"],
    ),
    ("an anchor for lines", ".s: &s [cc a]\nj: {script: [*s, cc b]}", ["cc a", "cc b"]),
    ("!reference", ".s: {script: [cc a]}\nj: {script: [!reference [.s, script], cc b]}", ["cc a", "cc b"]),
    ("!reference for all", ".s: {script: [cc a]}\nj:\n  script: !reference [.s, script]", ["cc a"]),
    (
        "!reference to a reference",
        ".s: {script: [cc a]}\n.t: {script: [!reference [.s, script]]}\nj: {script: [!reference [.t, script]]}",
        ["cc a"],
    ),
    (
        "!reference of a variable",
        ".v: {variables: {F: -O2}}\nj: {variables: {G: !reference [.v, variables, F]}, script: cc $G}",
        ["cc -O2"],
    ),
    (
        "!reference sees what is extended",
        ".a: {before_script: [cc a]}\n.b: {extends: .a}\nj: {script: [!reference [.b, before_script]]}",
        ["cc a"],
    ),
    ("an empty value is a row", "j: {parallel: {matrix: [{C: [a, '']}]}, script: cc -O2 $C}", ["cc -O2 a", "cc -O2"]),
    ("a matrix has rows", "j: {parallel: {matrix: [{C: [a, b]}]}, script: cc $C}", ["cc a", "cc b"]),
    (
        "all combinations of a row",
        "j: {parallel: {matrix: [{C: [a, b], D: x}, {C: c}]}, script: cc $C $D}",
        ["cc a x", "cc b x", "cc c"],
    ),
    ("parallel by number", "j: {parallel: 5, script: cc}", ["cc"]),
    ("a job that never runs", "j: {script: cc, rules: [{when: never}]}", []),
    ("rules that decide", 'variables: {X: a}\nj: {script: cc, rules: [{if: $X == "b"}]}', []),
    ("rules that hold", 'variables: {X: a}\nj: {script: cc, rules: [{if: $X == "a"}]}', ["cc"]),
    ("and, or, not", 'variables: {X: a}\nj: {script: cc, rules: [{if: ($X == "b" || $X != "c") && !$Y}]}', ["cc"]),
    ("patterns", "variables: {X: rel-1}\nj: {script: cc, rules: [{if: $X =~ /^REL-/i}]}", ["cc"]),
    ("patterns that do not fit", "variables: {X: rel-1}\nj: {script: cc, rules: [{if: $X !~ /^rel/}]}", []),
    ("null", "variables: {X: a}\nj: {script: cc, rules: [{if: $X == null}]}", []),
    ("what nobody sets must be asked for", 'j: {script: cc, rules: [{if: $RUN == "1"}]}', ["? cc"]),
    ("a description can be changed", "variables: {R: {value: 'no', description: d}}\n"
     'j: {script: cc, rules: [{if: $R == "yes"}]}', ["? cc"]),
    (
        "variables of a rule",
        'j: {script: cc $F, variables: {F: a}, rules: [{if: $CI_COMMIT_TAG, variables: {F: b}}, {when: on_success}]}',
        ["cc b", "cc a"],
    ),
    (
        "the first rule that holds ends it",
        "j: {script: cc $F, rules: [{when: always, variables: {F: a}}, {if: $CI_COMMIT_TAG, variables: {F: b}}]}",
        ["cc a"],
    ),
    (
        "variables of the workflow's rules",
        "variables: {F: a}\nworkflow: {rules: [{if: $CI_COMMIT_TAG, variables: {F: b}}, "
        "{when: always}]}\nj: {script: cc $F}",
        ["cc b", "cc a"],
    ),
    ("hooks", "j: {hooks: {pre_get_sources_script: [cc h]}, script: cc}", ["cc h", "cc"]),
    ("steps", "j: {run: [{name: a, script: cc a}]}", ["cc a"]),
    ("a trigger runs nothing here", "j: {trigger: group/project}", []),
    ("$ in a script is the shell's", "j: {script: [for i in a b; do cc $i; done]}", ["cc a", "cc b"]),
    (
        "dotenv reaches jobs behind",
        "stages: [a, b]\nj: {stage: a, script: ['echo F=-O2 > x.env'], artifacts: {reports: {dotenv: x.env}}}\n"
        "k: {stage: b, script: cc $F}",
        ["cc -O2"],
    ),
    (
        "dotenv does not reach a job that does not need it",
        "j: {script: ['echo F=-O2 > x.env'], artifacts: {reports: {dotenv: x.env}}}\nk: {needs: [], script: cc $F}",
        ["cc"],
    ),
    (
        "a dotenv that is not known is a hole",
        "stages: [a, b]\nj: {stage: a, script: ['echo F=$(x) > x.env'], artifacts: {reports: {dotenv: x.env}}}\n"
        "k: {stage: b, script: cc $F}",
        ["x", "cc $(x)"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("gitlab", {MAIN: text}) == expected


INCLUDES: list[tuple[str, str, dict[str, str], list[str]]] = [
    ("a text", "include: /ci/a.yml", {"ci/a.yml": "j: {script: cc a}"}, ["cc a"]),
    ("a list", "include: [a.yml, {local: b.yml}]", {"a.yml": "j: {script: cc a}", "b.yml": "k: {script: cc b}"},
     ["cc a", "cc b"]),
    ("a star", "include: ci/*.yml", {"ci/a.yml": "j: {script: cc a}", "ci/d/b.yml": "k: {script: cc b}"}, ["cc a"]),
    ("two stars", "include: ci/**.yml", {"ci/d/b.yml": "k: {script: cc b}"}, ["cc b"]),
    ("what the file says goes over it", "include: a.yml\nvariables: {F: x}",
     {"a.yml": "variables: {F: y, G: z}\nj: {script: cc $F $G}"}, ["cc x z"]),
    ("a job goes into a job", "include: a.yml\nj: {variables: {F: x}}", {"a.yml": "j: {script: cc $F}"}, ["cc x"]),
    ("includes in includes", "include: a.yml", {"a.yml": "include: b.yml", "b.yml": "j: {script: cc b}"}, ["cc b"]),
    ("extends across files", "include: a.yml\nj: {extends: .b}", {"a.yml": ".b: {script: cc b}"}, ["cc b"]),
    ("inputs", "include: {local: a.yml, inputs: {cpu: v2}}",
     {"a.yml": "spec: {inputs: {cpu: }}\n---\nj: {script: 'cc $[[ inputs.cpu ]]'}"}, ["cc v2"]),
    ("defaults of inputs", "include: a.yml",
     {"a.yml": "spec: {inputs: {cpu: {default: v3}}}\n---\nj: {script: 'cc $[[ inputs.cpu ]]'}"}, ["cc v3"]),
    ("a list as an input", "include: {local: a.yml, inputs: {s: [cc a, cc b]}}",
     {"a.yml": "spec: {inputs: {s: {type: array}}}\n---\nj: {script: '$[[ inputs.s ]]'}"}, ["cc a", "cc b"]),
    ("rules that never hold", "include: {local: a.yml, rules: [{when: never}]}\nk: {script: cc k}",
     {"a.yml": "j: {script: cc a}"}, ["cc k"]),
    ("a pipeline that a job triggers", "j: {variables: {F: x}, trigger: {include: a.yml}}",
     {"a.yml": "k: {variables: {F: y}, script: cc $F}"}, ["cc x"]),
    ("without its variables", "j: {variables: {F: x}, trigger: {include: a.yml, forward: {yaml_variables: false}}}",
     {"a.yml": "k: {variables: {F: y}, script: cc $F}"}, ["cc y"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "files", "expected"), [c[1:] for c in INCLUDES], ids=[c[0] for c in INCLUDES])
def test_includes(text: str, files: dict[str, str], expected: list[str]) -> None:
    assert argvs("gitlab", {MAIN: text, **files}) == expected


RUNNERS: list[tuple[str, list[str] | None, Dialect]] = [
    ("script: x", ["linux-x86_64"], Dialect.BASH),
    ("tags: [saas-linux-small-arm64]", ["linux-aarch64"], Dialect.BASH),
    ("tags: [saas-linux-2xlarge-amd64]", ["linux-x86_64"], Dialect.BASH),
    ("tags: [saas-macos-medium-m1]", ["macos-arm64"], Dialect.BASH),
    ("tags: [saas-windows-medium-amd64]", ["windows-x86_64"], Dialect.POWERSHELL),
    ("tags: [mine]", None, Dialect.BASH),
    ("tags: [mine]\n  image: gcc", ["linux-x86_64"], Dialect.BASH),
    ("tags: [our-arm64-linux]", ["linux-aarch64"], Dialect.BASH),
    ("image: 'alpine:3'", ["linux-x86_64"], Dialect.SH),
    ("image: {name: gcc, docker: {platform: linux/arm64/v8}}", ["linux-aarch64"], Dialect.BASH),
    ("tags: [$T]\n  variables: {T: saas-macos-large-m2pro}", ["macos-arm64"], Dialect.BASH),
]


@pytest.mark.parametrize(("said", "platforms", "dialect"), RUNNERS)
def test_where_a_job_runs(said: str, platforms: list[str] | None, dialect: Dialect) -> None:
    text = f"j:\n  {said}\n" + ("" if "script" in said else "  script: x\n")
    (script,) = read("gitlab", {MAIN: text}).scripts
    assert (sorted(script.platforms) if script.platforms else None, script.dialect) == (platforms, dialect)


def test_own_runners() -> None:
    found = read("gitlab", {MAIN: "j: {tags: [big], script: x}"}, runners={"big": "linux-ppc64le"})
    assert [script.platforms for script in found.scripts] == [frozenset({"linux-ppc64le"})]


def test_the_place() -> None:
    text = "stages: [a, b, c]\nj: {stage: a, script: cc}\nk:\n  stage: b\n  tags: [x, y]\n  script: cc\n"
    text += "l: {stage: c, needs: [k], script: cc, allow_failure: true, parallel: {matrix: [{C: v}]}}\n"
    places = [
        (s.place.job, s.place.step, s.place.runner, s.needs, s.ignored) for s in read("gitlab", {MAIN: text}).scripts
    ]
    assert places == [
        ("j", "script", None, (), False),
        ("k", "script", "x, y", ("j",), False),
        ("l: [v]", "script", None, ("j", "k"), True),
    ]


def test_the_shell_stops_at_a_failure_but_for_after_script() -> None:
    first, last = read("gitlab", {MAIN: "j: {script: cc, after_script: [cc]}"}).scripts
    assert (first.errexit, first.pipefail, first.ignored, last.ignored) == (True, True, False, True)


def test_when_a_job_runs() -> None:
    text = "j: {script: cc, rules: [{if: $CI_COMMIT_TAG}, {if: $CI_MERGE_REQUEST_ID}]}\nk: {script: cc, only: [tags]}"
    assert [c.when for c in commands("gitlab", {MAIN: text})] == [
        ("rules: if $CI_COMMIT_TAG or if $CI_MERGE_REQUEST_ID",),
        ("only: tags",),
    ]


def test_a_command_stands_where_it_is_written() -> None:
    files = {MAIN: "include: a.yml\n", "a.yml": ".s: &s [cc a]\nj:\n  script:\n    - *s\n    - cc b\n"}
    found = [(c.span.path, files[c.span.path].count("\n", 0, c.span.start) + 1) for c in commands("gitlab", files)]
    assert found == [("a.yml", 1), ("a.yml", 5)]


WRONG: list[tuple[str, list[tuple[int, bool]]]] = [
    ("j:\n  script: [a\n", [(2, True)]),
    ("j:\n  script: cc\n  extends: .x", [(3, False)]),
    (".a: {extends: .b}\n.b: {extends: .a}\nj: {extends: .a, script: cc}", [(2, True)]),
    ("j:\n  script:\n    - !reference [.x, script]\n", [(3, True)]),
    ("include:\n  - remote: https://x/y.yml\n  - project: a/b\n    file: c.yml\n", [(2, False), (3, False)]),
    ("include: gone.yml\n", [(1, False)]),
    ("j: 5\n", [(1, True)]),
    ("j: {stage: build}\n", [(1, True)]),
    ("j:\n  script: cc\n  variables: [a]\n", [(3, True)]),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_is_told_with_its_line(text: str, expected: list[tuple[int, bool]]) -> None:
    assert told("gitlab", {MAIN: text}) == sorted(expected)


def test_a_file_that_includes_itself_ends() -> None:
    assert argvs("gitlab", {MAIN: f"include: {MAIN}\nj: {{script: cc}}"}) == ["cc"]


def test_a_bomb_of_aliases_is_one_problem() -> None:
    assert told("gitlab", {MAIN: BOMB + "j: {script: *a11}\n"}) == [(1, True)]


def test_a_matrix_that_is_too_large_is_told() -> None:
    axes = ", ".join(f"V{i}: [a, b, c, d]" for i in range(9))
    assert told("gitlab", {MAIN: f"j: {{parallel: {{matrix: [{{{axes}}}]}}, script: cc}}"}) == [(1, True)]


def test_a_hostile_pattern_is_not_tried() -> None:
    text = "variables: {X: " + "a" * 400 + "}\nj: {script: cc, rules: [{if: $X =~ /^(a+)+$b/}]}"
    assert [c.when for c in commands("gitlab", {MAIN: text})] == [("rules: if $X =~ /^(a+)+$b/",)]
