"""CircleCI: what its reference says of each key (https://circleci.com/docs/configuration-reference/)."""

import pytest

from flagguard.command import Dialect
from flagguard.hosts import by_path

from .ci_support import BOMB, argvs, commands, read, told

MAIN = ".circleci/config.yml"
JOB = "version: 2.1\njobs:\n  build:\n    docker: [{image: gcc}]\n    steps:\n"
TWO = "jobs: {j: {docker: [{image: gcc}], steps: %s}}\nworkflows: {w: {jobs: [j]}}\n"


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        (".circleci/config.yml", True),
        (".circleci/continue.yaml", True),
        ("sub/.circleci/config.yml", True),
        (".circleci/src/@orb.yml", False),
        ("circleci/config.yml", False),
    ],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert ("circleci" in [host.NAME for host in by_path.claiming(path)]) is claimed


STEPS: list[tuple[str, str, list[str]]] = [
    ("a run is a text", "[run: cc a]", ["cc a"]),
    ("a run is a table", "[run: {command: cc a, name: cc no}]", ["cc a"]),
    ("built-in steps run nothing", "[checkout, {save_cache: {key: k, paths: [x]}}, {run: cc}]", ["cc"]),
    ("deploy is a run", "[deploy: {command: cc}]", ["cc"]),
    ("a step has its own environment", "[run: {command: cc $F, environment: {F: -O2}}, "
     "{run: cc $F}]", ["cc -O2", "cc"]),
    ("each step is its own shell", "[{run: X=1}, {run: cc $X}]", ["cc"]),
    ("BASH_ENV reaches later steps", "[{run: 'echo \"export F=-O2\" >> $BASH_ENV'}, {run: cc $F}]", ["cc -O2"]),
    ("it does not reach its own step", "[{run: 'echo \"export F=-O2\" >> $BASH_ENV; cc $F'}]", ["cc"]),
    ("what is written later wins", "[{run: 'echo \"F=1\" >> $BASH_ENV'}, {run: 'echo \"F=2\" >> $BASH_ENV'}, "
     "{run: cc $F}]",
     ["cc 2"]),
    ("what is not known is a hole", "[{run: 'echo \"export F=$(x)\" >> \"$BASH_ENV\"'}, "
     "{run: cc $F}]", ["x", "cc $(x)"]),
    ("sh does not read it", "[{run: 'echo \"export F=1\" >> $BASH_ENV'}, {run: {command: cc $F, "
     "shell: /bin/sh -e}}]", ["cc"]),
    ("when that holds", "[{when: {condition: true, steps: [run: cc]}}]", ["cc"]),
    ("when that does not", "[{when: {condition: false, steps: [run: cc]}}]", []),
    ("unless", "[{unless: {condition: false, steps: [run: cc]}}]", ["cc"]),
    ("equal", "[{when: {condition: {equal: [a, a]}, steps: [run: cc a]}}, {when: {condition: {equal: [a, b]}, "
     "steps: [run: cc b]}}]", ["cc a"]),
    ("and, or, not", "[{when: {condition: {and: [true, {or: [false, {not: false}]}]}, steps: [run: cc]}}]", ["cc"]),
    ("matches", "[{when: {condition: {matches: {pattern: '^v', value: v1}}, steps: [run: cc]}}]", ["cc"]),
    ("nobody knows", "[{when: {condition: << pipeline.git.tag >>, steps: [run: cc]}}]", ["cc"]),
    ("an empty text is false", "[{when: {condition: '', steps: [run: cc]}}]", []),
    (r"\<< is <<", r"""[{run: "cat \\<<E\nno\nE\ncc a"}]""", ["cat", "cc a"]),
    ("values of the pipeline are holes", "[run: cc -D<< pipeline.git.branch >>]", ["cc -D<< pipeline.git.branch >>"]),
]  # fmt: skip


@pytest.mark.parametrize(("steps", "expected"), [c[1:] for c in STEPS], ids=[c[0] for c in STEPS])
def test_steps(steps: str, expected: list[str]) -> None:
    assert argvs("circleci", {MAIN: TWO % steps}) == expected


WHOLE: list[tuple[str, str, list[str]]] = [
    ("without workflows the job build runs", "jobs: {build: {steps: [run: cc a]}, "
     "other: {steps: [run: cc b]}}", ["cc a"]),
    ("a part of a configuration that is split up", "jobs: {a: {steps: [run: cc a]}, b: {steps: [run: cc b]}}",
     ["cc a", "cc b"]),
    ("a job that no workflow names does not", "jobs: {a: {steps: [run: cc a]}, b: {steps: [run: cc b]}}\n"
     "workflows: {version: 2, w: {jobs: [b]}}", ["cc b"]),
    ("a command with its parameters", "commands: {c: {parameters: {p: {type: string}}, "
     "steps: [run: cc << parameters.p >>]}}\n"
     + TWO % "[c: {p: v2}]", ["cc v2"]),
    ("a default", "commands: {c: {parameters: {p: {type: string, default: v1}}, steps: [run: cc <<parameters.p>>]}}\n"
     + TWO % "[c]", ["cc v1"]),
    ("a command in a command", "commands: {a: {parameters: {p: {default: x}}, steps: [run: cc << parameters.p >>]}, "
     "b: {parameters: {q: {default: y}}, steps: [a: {p: << parameters.q >>}]}}\n" + TWO % "[b: {q: z}]", ["cc z"]),
    ("steps as a parameter", "commands: {c: {parameters: {s: {type: steps}}, steps: [{run: cc 1}, "
     "{steps: << parameters.s >>}]}}\n" + TWO % "[c: {s: [run: cc 2]}]", ["cc 1", "cc 2"]),
    ("a condition on a parameter", "commands: {c: {parameters: {p: {type: boolean}}, steps: [when: {condition: "
     "<< parameters.p >>, steps: [run: cc]}]}}\n" + TWO % "[{c: {p: false}}, {c: {p: true}}]", ["cc"]),
    ("a job's parameters", "jobs: {j: {parameters: {p: {type: string}}, steps: [run: cc << parameters.p >>]}}\n"
     "workflows: {w: {jobs: [{j: {p: v2, name: a}}, {j: {p: v3}}]}}", ["cc v2", "cc v3"]),
    ("a matrix", "jobs: {j: {parameters: {p: {}, q: {}}, steps: [run: cc << parameters.p >> << parameters.q >>]}}\n"
     "workflows: {w: {jobs: [j: {matrix: {parameters: {p: [a, b], q: [c]}}}]}}", ["cc a c", "cc b c"]),
    ("a matrix without some", "jobs: {j: {parameters: {p: {}, q: {}}, "
     "steps: [run: cc << parameters.p >> << parameters.q >>]}}\n"
     "workflows: {w: {jobs: [j: {matrix: {parameters: {p: [a, b], q: [c, d]}, exclude: [{p: a, q: c}, {p: b, "
     "q: d}]}}]}}",
     ["cc a d", "cc b c"]),
    ("parameters of the pipeline", "parameters: {p: {default: v2}}\n" + TWO % "[run: cc << pipeline.parameters.p >>]",
     ["cc v2"]),
    ("a workflow that has to be asked for", "parameters: {n: {type: boolean, default: false}}\n"
     "jobs: {j: {steps: [run: cc]}}\nworkflows: {w: {when: << pipeline.parameters.n >>, jobs: [j]}}", ["? cc"]),
    ("a workflow that never runs", "jobs: {j: {steps: [run: cc]}}\nworkflows: {w: {when: false, jobs: [j]}}", []),
    ("steps before and behind", "jobs: {j: {steps: [run: cc 2]}}\n"
     "workflows: {w: {jobs: [j: {pre-steps: [run: cc 1], post-steps: [run: cc 3]}]}}", ["cc 1", "cc 2", "cc 3"]),
    ("an approval runs nothing", "jobs: {j: {steps: [run: cc]}}\n"
     "workflows: {w: {jobs: [{ok: {type: approval}}, j]}}", ["cc"]),
    ("an executor's environment", "executors: {e: {docker: [{image: x, environment: {A: 1}}], environment: {B: 2}}}\n"
     "jobs: {j: {executor: e, environment: {B: 3}, steps: [run: cc $A $B]}}\nworkflows: {w: {jobs: [j]}}", ["cc 1 3"]),
    ("an executor with parameters", "executors: {e: {parameters: {v: {default: a}}, docker: [{image: x}], "
     "environment: {A: << parameters.v >>}}}\njobs: {j: {executor: {name: e, v: b}, steps: [run: cc $A]}}\n"
     "workflows: {w: {jobs: [j]}}", ["cc b"]),
    ("an executor as a parameter", "executors: {e: {docker: [{image: x}], environment: {A: 1}}}\n"
     "jobs: {j: {parameters: {x: {type: executor}}, executor: << parameters.x >>, steps: [run: cc $A]}}\n"
     "workflows: {w: {jobs: [j: {x: e}]}}", ["cc 1"]),
    ("an orb in the file", "orbs: {o: {commands: {c: {steps: [run: cc o]}}, jobs: {k: {steps: [c]}}}}\n"
     "jobs: {j: {steps: [o/c]}}\nworkflows: {w: {jobs: [j, o/k]}}", ["cc o", "cc o"]),
    ("sections", "jobs: {j: {parameters: {p: {type: boolean}}, "
     "steps: [run: 'cc<<# parameters.p >> -g<</ parameters.p >>']}}\n"
     "workflows: {w: {jobs: [{j: {p: true, name: a}}, {j: {p: false, name: b}}]}}", ["cc -g", "cc"]),
    ("an anchor for steps", "s: &s [{run: cc a}]\njobs: {j: {steps: [*s, {run: cc b}]}}\nworkflows: {w: {jobs: [j]}}",
     ["cc a", "cc b"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in WHOLE], ids=[c[0] for c in WHOLE])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("circleci", {MAIN: text}) == expected


RUNNERS: list[tuple[str, list[str] | None, Dialect, bool]] = [
    ("docker: [{image: gcc}]", ["linux-x86_64"], Dialect.BASH, True),
    ("docker: [{image: 'alpine:3'}]", ["linux-x86_64"], Dialect.SH, True),
    ("machine: {image: 'ubuntu-2404:current'}", ["linux-x86_64"], Dialect.BASH, True),
    ("machine: true\n    resource_class: arm.large", ["linux-aarch64"], Dialect.BASH, True),
    ("docker: [{image: x}]\n    resource_class: arm.medium", ["linux-aarch64"], Dialect.BASH, True),
    ("macos: {xcode: '16'}", ["macos-arm64"], Dialect.BASH, True),
    ("macos: {xcode: '16'}\n    resource_class: m4pro.medium", ["macos-arm64"], Dialect.BASH, True),
    ("macos: {xcode: '14'}\n    resource_class: macos.x86.medium.gen2", ["macos-x86_64"], Dialect.BASH, True),
    ("machine: {image: 'windows-server-2022-gui:current'}", ["windows-x86_64"], Dialect.POWERSHELL, False),
    ("machine: true\n    resource_class: windows.medium", ["windows-x86_64"], Dialect.POWERSHELL, False),
    ("machine: true\n    resource_class: windows.medium\n    shell: bash.exe -eo pipefail", ["windows-x86_64"],
     Dialect.BASH, True),
    ("machine: true\n    resource_class: windows.medium\n    shell: cmd.exe", ["windows-x86_64"], Dialect.CMD, False),
    ("machine: true\n    resource_class: us/mine", None, Dialect.BASH, True),
    ("docker: [{image: x}]\n    shell: /bin/sh", ["linux-x86_64"], Dialect.SH, False),
    ("docker: [{image: x}]\n    shell: /usr/bin/python3", ["linux-x86_64"], Dialect.UNREAD, False),
]  # fmt: skip


@pytest.mark.parametrize(("said", "platforms", "dialect", "errexit"), RUNNERS)
def test_where_a_job_runs(said: str, platforms: list[str] | None, dialect: Dialect, errexit: bool) -> None:
    (script,) = read("circleci", {MAIN: f"jobs:\n  build:\n    {said}\n    steps: [run: x]\n"}).scripts
    assert (sorted(script.platforms) if script.platforms else None, script.dialect) == (platforms, dialect)
    assert (script.errexit, script.pipefail) == (errexit, errexit)


def test_an_executor_of_the_windows_orb() -> None:
    text = "orbs: {win: circleci/windows@5.0}\njobs: {build: {executor: win/default, steps: [run: x]}}"
    (script,) = read("circleci", {MAIN: text}).scripts
    assert (script.platforms, script.dialect) == (frozenset({"windows-x86_64"}), Dialect.POWERSHELL)


def test_the_place() -> None:
    text = (
        "commands: {c: {steps: [run: {name: in c, command: cc}]}}\n"
        "jobs:\n  a: {resource_class: large, docker: [{image: x}], steps: [checkout, c]}\n  b: {steps: [{run: cc}]}\n"
        "workflows: {w: {jobs: [{a: {name: first}}, {b: {requires: [first]}}]}}\n"
    )
    found = [
        (s.place.job, s.place.step, s.place.runner, s.needs, s.order) for s in read("circleci", {MAIN: text}).scripts
    ]
    assert found == [("first", "in c", "large", (), (1, 0)), ("b", "1", None, ("first",), (0,))]


def test_a_call_of_a_command_is_on_the_way() -> None:
    text = "commands: {c: {steps: [{run: cc}]}}\njobs: {build: {steps: [c]}}\n"
    (command,) = commands("circleci", {MAIN: text})
    (way,) = command.via
    assert text[way.start : way.end] == "c"


FOLDERS: list[tuple[str, str, str | None]] = [
    ("", "sub", "sub"),
    ("", "~/project/sub", "sub"),
    ("working_directory: ~/repo", "~/repo/sub", "sub"),
    ("working_directory: ~/repo", "sub/..", ""),
    ("", "/tmp", None),
    ("", "$X", None),
]


@pytest.mark.parametrize(("job", "step", "expected"), FOLDERS)
def test_the_folder(job: str, step: str, expected: str | None) -> None:
    more = f"\n    {job}" if job else ""
    run = f"run: {{command: x, working_directory: {step}}}"
    text = f"jobs:\n  build:\n    docker: [{{image: x}}]{more}\n    steps: [{run}]\n"
    (script,) = read("circleci", {MAIN: text}).scripts
    assert script.directory == expected


def test_a_step_in_the_background_is_ignored() -> None:
    found = read("circleci", {MAIN: TWO % "[run: {command: x, background: true}]"})
    assert [script.ignored for script in found.scripts] == [True]


def test_a_step_after_a_failure_says_so() -> None:
    (command,) = commands("circleci", {MAIN: TWO % "[run: {command: cc, when: on_fail}]"})
    assert command.when == ("when: on_fail",)


def test_variables_are_no_templates_of_each_other() -> None:
    text = "jobs: {build: {environment: {A: x, B: $A}, steps: [run: 'cc \"$B\"']}}"
    assert argvs("circleci", {MAIN: text}) == ["cc $A"]


WRONG: list[tuple[str, list[tuple[int, bool]]]] = [
    ("jobs: [\n", [(1, True)]),
    ("jobs: []\n", [(1, True)]),
    (TWO % "[node/install]", [(1, False)]),
    ("orbs: {node: circleci/node@5}\n" + TWO % "[node/install]", [(2, False)]),
    (TWO % "[nobody]", [(1, False)]),
    ("jobs: {}\nworkflows: {w: {jobs: [j]}}", [(2, False)]),
    (TWO % "[run: {name: x}]", [(1, True)]),
    (TWO % "[{run: a, name: b}]", [(1, True)]),
    (TWO % "x", [(1, True)]),
    ("jobs: {build: {docker: [{image: x}]}}", [(1, True)]),
    ("jobs: {build: {executor: e, steps: [run: x]}}", [(1, False)]),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_is_told_with_its_line(text: str, expected: list[tuple[int, bool]]) -> None:
    assert told("circleci", {MAIN: text}) == expected


def test_a_command_that_calls_itself_is_one_problem() -> None:
    assert told("circleci", {MAIN: "commands: {c: {steps: [c]}}\njobs: {build: {steps: [c]}}"}) == [(1, True)]


def test_a_bomb_of_aliases_is_one_problem() -> None:
    assert told("circleci", {MAIN: BOMB + "jobs: {build: {steps: *a11}}\n"}) == [(1, True)]


def test_calls_that_double_are_bounded() -> None:
    text = "commands:\n  c0: {steps: [{run: cc}]}\n"
    text += "".join(f"  c{i}: {{steps: [c{i - 1}, c{i - 1}]}}\n" for i in range(1, 19))
    assert told("circleci", {MAIN: text + "jobs: {build: {steps: [c18]}}\n"}) == [(1, True)]
