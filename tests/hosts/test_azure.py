"""Azure Pipelines: what its reference says (https://learn.microsoft.com/azure/devops/pipelines/yaml-schema)."""

import pytest

from flagguard.command import Dialect
from flagguard.hosts import by_path
from flagguard.hosts.azure_expressions import evaluate, text_of_value
from flagguard.hosts.github_values import Unknown, constant, string
from flagguard.text import literal

from .ci_support import BOMB, argvs, commands, read, told

MAIN = "azure-pipelines.yml"


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        ("azure-pipelines.yml", True),
        (".azure-pipelines.yml", True),
        ("build/azure-pipelines-release.yaml", True),
        (".azure-pipelines/templates/x.yml", True),
        ("azure-pipelines/x.yml", True),
        (".azuredevops/x.yml", True),
        ("eng/pipelines/x.yml", True),
        ("pipelines.yml", False),
        ("azure.yml", False),
    ],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert ("azure" in [host.NAME for host in by_path.claiming(path)]) is claimed


CASES: list[tuple[str, str, list[str]]] = [
    ("steps alone", "steps: [{script: cc a}, {bash: cc b}]", ["cc a", "cc b"]),
    ("jobs", "jobs: [{job: j, steps: [{script: cc a}]}]", ["cc a"]),
    ("stages", "stages: [{stage: s, jobs: [{job: j, steps: [{script: cc a}]}]}]", ["cc a"]),
    ("a deployment", "jobs: [{deployment: d, strategy: {runOnce: {deploy: {steps: [{script: cc}]}}}}]", ["cc"]),
    ("its other phases", "jobs: [{deployment: d, strategy: {rolling: {preDeploy: {steps: [{script: cc 1}]}, deploy: "
     "{steps: [{script: cc 2}]}, on: {failure: {steps: [{script: cc 3}]}}}}}]", ["cc 1", "cc 2", "cc 3"]),
    ("a macro", "variables: {f: -O2 -g}\nsteps: [{script: cc $(f)}]", ["cc -O2 -g"]),
    ("in any case of letters", "variables: {Flags: -O2}\nsteps: [{script: cc $(FLAGS)}]", ["cc -O2"]),
    ("in the environment", "variables: {my.f: -O2}\nsteps: [{script: cc $MY_F}]", ["cc -O2"]),
    ("a macro in a variable", "variables: {c: v2, f: -m=$(c)}\nsteps: [{script: cc $(f)}]", ["cc -m=v2"]),
    ("a variable in itself is a hole", "variables: {f: $(f) -g}\nsteps: [{script: 'cc $(f)'}]", ["cc $(f) -g"]),
    ("a command substitution", "steps: [{script: cc $(date)}]", ["date", "cc $(date)"]),
    ("the settings may set it", "steps: [{script: cc $(FLAGS)}]", ["cc $(FLAGS)"]),
    ("a list of variables", "variables: [{name: f, value: -O2}, {group: g}]\nsteps: [{script: cc $(f)}]", ["cc -O2"]),
    ("a group may set it", "variables: [{group: g}]\nsteps: [{script: cc $(Flags)}]", ["cc $(Flags)"]),
    ("the nearest variable counts", "variables: {f: a}\nstages: [{stage: s, variables: {f: b}, jobs: [{job: j, "
     "variables: {f: c}, steps: [{script: cc $(f)}]}, {job: k, steps: [{script: cc $(f)}]}]}]", ["cc c", "cc b"]),
    ("env of a step", "variables: {f: a}\nsteps: [{script: cc $F $G, env: {F: b, G: $(f)}}]", ["cc b a"]),
    ("a predefined path", "steps: [{script: cc $(Build.SourcesDirectory)/x.c}]", ["cc $(Build.SourcesDirectory)/x.c"]),
    ("$$ is the shell's", "variables: {f: a}\nsteps: [{script: 'X=1; cc $X $(f)'}]", ["cc 1 a"]),
    ("a template expression", "variables: {f: -O2}\nsteps: [{script: 'cc ${{ variables.f }}'}]", ["cc -O2"]),
    ("a parameter", "parameters: [{name: p, default: v2}]\nsteps: [{script: 'cc ${{ parameters.p }}'}]", ["cc v2"]),
    ("a boolean as a text", "parameters: [{name: p, type: boolean, default: true}]\n"
     "steps: [{script: 'cc ${{ parameters.p }}'}]", ["cc True"]),
    ("an object", "parameters: [{name: p, type: object, "
     "default: {a: {b: x}}}]\nsteps: [{script: 'cc ${{ parameters.p.a.b }}'}]",
     ["cc x"]),
    ("if", "variables: {x: a}\nsteps:\n- ${{ if eq(variables.x, "
     "'a') }}:\n  - script: cc 1\n- ${{ else }}:\n  - script: cc 2\n",
     ["cc 1"]),
    ("elseif", "variables: {x: b}\nsteps:\n- ${{ if eq(variables.x, 'a') }}:\n  - script: cc 1\n"
     "- ${{ elseif eq(variables.x, 'b') }}:\n  - script: cc 2\n- ${{ else }}:\n  - script: cc 3\n", ["cc 2"]),
    ("an if that nobody knows", "steps:\n- ${{ if eq(variables['Build.Reason'], 'Manual') }}:\n  - script: cc 1\n"
     "- ${{ else }}:\n  - script: cc 2\n", ["cc 1", "cc 2"]),
    ("an if that has to be asked for", "parameters: [{name: p, type: boolean, default: false}]\n"
     "steps:\n- ${{ if parameters.p }}:\n  - script: cc 1\n", ["? cc 1"]),
    ("an if in a table", "variables:\n  ${{ if eq(1, "
     "1) }}:\n    f: a\n  ${{ else }}:\n    f: b\nsteps: [{script: cc $(f)}]",
     ["cc a"]),
    ("an if that nobody knows, in a table", "variables:\n  ${{ if eq(variables['Build.Reason'], 'x') }}:\n    f: a\n"
     "steps: [{script: cc $(f)}]", ["cc $(f)"]),
    ("each of a list", "parameters: [{name: p, type: object, default: [a, b]}]\n"
     "steps:\n- ${{ each x in parameters.p }}:\n  - script: cc ${{ x }}\n", ["cc a", "cc b"]),
    ("each of a table", "parameters: [{name: p, type: object, default: {a: 1, b: 2}}]\n"
     "steps:\n- ${{ each x in parameters.p }}:\n  - script: cc ${{ x.key }} ${{ x.value }}\n", ["cc a 1", "cc b 2"]),
    ("each of jobs", "parameters: [{name: p, type: object, default: [a, b]}]\njobs:\n- ${{ each x in parameters.p }}:\n"
     "  - job: j_${{ x }}\n    steps: [{script: 'cc ${{ x }}'}]\n", ["cc a", "cc b"]),
    ("insert", "steps:\n- script: cc $F\n  env:\n    ${{ insert }}: {F: -O2}\n", ["cc -O2"]),
    ("steps as a parameter", "parameters: [{name: s, type: stepList, default: [{script: cc a}]}]\nsteps:\n"
     "- ${{ parameters.s }}\n- script: cc b\n", ["cc a", "cc b"]),
    ("a matrix", "jobs: [{job: j, strategy: {matrix: {x: {f: a}, y: {f: b}}}, "
     "steps: [{script: cc $(f)}]}]", ["cc a", "cc b"]),
    ("a variable that a step sets", "steps: [{bash: 'echo \"##vso[task.setvariable variable=f]-O2\"'}, "
     "{bash: cc $(f) $F}]",
     ["cc -O2 -O2"]),
    ("it does not reach its own step", "variables: {f: a}\n"
     "steps: [{bash: 'echo \"##vso[task.setvariable variable=f]b\"; cc $(f)'}]",
     ["cc a"]),
    ("an output by its step", "steps: [{bash: 'echo \"##vso[task.setvariable variable=f;isOutput=true]-O2\"', "
     "name: s}, "
     "{bash: cc $(s.f)}]", ["cc -O2"]),
    ("one that is not known", "steps: [{pwsh: 'Write-Host \"##vso[task.setvariable variable=f]$x\"'}, {bash: cc $(f)}]",
     ["cc $(f)"]),
    ("a step that is off", "steps: [{script: cc, enabled: false}]", []),
    ("a condition that never holds", "steps: [{script: cc, condition: false}]", []),
    ("a condition that holds", "variables: {x: a}\nsteps: [{script: cc, condition: \"eq(variables.x, 'a')\"}]", ["cc"]),
    ("one that does not", "variables: {x: a}\nsteps: [{script: cc, condition: \"and(succeeded(), "
     "eq(variables.x, 'b'))\"}]", []),
    ("after a failure", "steps: [{script: cc, condition: failed()}]", ["cc"]),
    ("a condition on the system", "pool: {vmImage: ubuntu-latest}\n"
     "steps: [{script: cc, condition: \"eq(variables['Agent.OS'], 'Windows_NT')\"}]", []),
    ("a job's condition", "jobs: [{job: j, condition: false, steps: [{script: cc}]}]", []),
    ("a runtime expression", "variables: {a: x, f: \"$[ format('{0}-y', "
     "variables.a) ]\"}\nsteps: [{script: cc $(f)}]", ["cc x-y"]),
    ("one that is not known", "variables: {f: '$[ dependencies.A.outputs[''s.x''] ]'}\nsteps: [{script: 'cc $(f)'}]",
     ["cc $[ dependencies.A.outputs['s.x'] ]"]),
    ("Bash@3 with a text", "steps: [{task: Bash@3, inputs: {targetType: inline, script: cc a}}]", ["cc a"]),
    ("Bash@3 with a file", "steps: [{task: Bash@3, inputs: {filePath: x.sh, arguments: -O2}}]", ["bash x.sh -O2"]),
    ("CmdLine@2", "steps: [{task: CmdLine@2, inputs: {script: cc a}}]", ["cc a"]),
    ("PowerShell@2", "steps: [{task: PowerShell@2, inputs: {targetType: inline, script: cc a}}]", ["cc a"]),
    ("CMake@1", "steps: [{task: CMake@1, inputs: {cmakeArgs: -DX=1 ..}}]", ["cmake -DX=1 .."]),
    ("Maven@4", "steps: [{task: Maven@4, inputs: {mavenPomFile: p.xml, goals: package, "
     "options: -q}}]", ["mvn -f p.xml package -q"]),
    ("DotNetCoreCLI@2", "steps: [{task: DotNetCoreCLI@2, inputs: {command: build, arguments: -c Release}}]",
     ["dotnet build -c Release"]),
    ("Npm@1", "steps: [{task: Npm@1, inputs: {command: custom, customCommand: ci --x}}]", ["npm ci --x"]),
    ("Docker@2", "steps: [{task: Docker@2, inputs: {command: build, Dockerfile: D, arguments: --build-arg X=1}}]",
     ["docker build -f D --build-arg X=1 ."]),
    ("a checkout runs nothing", "steps: [{checkout: self}, {download: current}, {script: cc}]", ["cc"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("azure", {MAIN: text}) == expected


FILES: list[tuple[str, str, dict[str, str], list[str]]] = [
    ("steps", "steps: [{template: t/s.yml}]", {"t/s.yml": "steps: [{script: cc}]"}, ["cc"]),
    ("steps with parameters", "steps: [{template: t.yml, parameters: {p: v2}}]",
     {"t.yml": "parameters: [{name: p}]\nsteps: [{script: 'cc ${{ parameters.p }}'}]"}, ["cc v2"]),
    ("with defaults", "steps: [{template: t.yml}]",
     {"t.yml": "parameters: [{name: p, default: v1}]\nsteps: [{script: 'cc ${{ parameters.p }}'}]"}, ["cc v1"]),
    ("the old form of parameters", "steps: [{template: t.yml, parameters: {q: b}}]",
     {"t.yml": "parameters: {p: a, "
     "q: ''}\nsteps: [{script: 'cc ${{ parameters.p }} ${{ parameters.q }}'}]"}, ["cc a b"]),
    ("a text for a boolean", "steps: [{template: t.yml, parameters: {p: 'true', q: 'false'}}]",
     {"t.yml": "parameters: [{name: p, type: boolean}, {name: q, type: boolean}]\nsteps:\n"
      "- ${{ if parameters.p }}:\n  - script: cc p\n- ${{ if parameters.q }}:\n  - script: cc q\n"}, ["cc p"]),
    ("jobs", "jobs: [{template: t.yml}]", {"t.yml": "jobs: [{job: j, steps: [{script: cc}]}]"}, ["cc"]),
    ("stages", "stages: [{template: t.yml}]",
     {"t.yml": "stages: [{stage: s, jobs: [{job: j, steps: [{script: cc}]}]}]"}, ["cc"]),
    ("variables", "variables: [{template: v.yml}]\n"
     "steps: [{script: cc $(f)}]", {"v.yml": "variables: {f: -O2}"}, ["cc -O2"]),
    ("variables with parameters", "variables: [{template: v.yml, parameters: {p: x}}]\nsteps: [{script: cc $(f)}]",
     {"v.yml": "parameters: [{name: p}]\nvariables: {f: '${{ parameters.p }}'}"}, ["cc x"]),
    ("extends", "extends: {template: t.yml, parameters: {p: v2}}",
     {"t.yml": "parameters: [{name: p}]\nsteps: [{script: 'cc ${{ parameters.p }}'}]"}, ["cc v2"]),
    ("beside the file", "steps: [{template: t/a.yml}]",
     {"t/a.yml": "steps: [{template: b.yml}]", "t/b.yml": "steps: [{script: cc}]"}, ["cc"]),
    ("from the root", "steps: [{template: t/a.yml}]",
     {"t/a.yml": "steps: [{template: /b.yml}]", "b.yml": "steps: [{script: cc}]"}, ["cc"]),
    ("steps that a template gets", "steps:\n- template: t.yml\n  parameters:\n    s:\n    - script: cc a\n",
     {"t.yml": "parameters: [{name: s, "
     "type: stepList}]\nsteps:\n- ${{ each x in parameters.s }}:\n  - ${{ x }}\n"}, ["cc a"]),
    ("a name that is computed", "parameters: [{name: p, default: t}]\nsteps: [{template: '${{ parameters.p }}.yml'}]",
     {"t.yml": "steps: [{script: cc}]"}, ["cc"]),
    ("the loop of the user is not seen", "parameters: [{name: p, type: object, default: [a]}]\nsteps:\n"
     "- ${{ each x in parameters.p }}:\n  - template: t.yml\n    parameters: {q: '${{ x }}'}\n",
     {"t.yml": "parameters: [{name: q}]\nsteps: [{script: 'cc ${{ parameters.q }}'}]"}, ["cc a"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "files", "expected"), [c[1:] for c in FILES], ids=[c[0] for c in FILES])
def test_templates(text: str, files: dict[str, str], expected: list[str]) -> None:
    assert argvs("azure", {MAIN: text, **files}) == expected


def test_a_template_by_itself_has_holes() -> None:
    text = "parameters: [{name: p}]\nsteps: [{script: 'cc ${{ parameters.p }}'}]"
    assert argvs("azure", {".azure-pipelines/t.yml": text}) == ["cc ${{ parameters.p }}"]


RUNNERS: list[tuple[str, list[str] | None, Dialect]] = [
    ("{vmImage: ubuntu-latest}", ["linux-x86_64"], Dialect.BASH),
    ("{vmImage: ubuntu-24.04}", ["linux-x86_64"], Dialect.BASH),
    ("{vmImage: windows-2022}", ["windows-x86_64"], Dialect.CMD),
    ("{vmImage: vs2017-win2016}", ["windows-x86_64"], Dialect.CMD),
    ("{vmImage: macOS-latest}", ["macos-x86_64"], Dialect.BASH),
    ("{vmImage: macOS-15-arm64}", ["macos-arm64"], Dialect.BASH),
    ("mine", None, Dialect.BASH),
    ("{name: Our-Windows-Pool}", ["windows-x86_64"], Dialect.CMD),
    ("{name: p, demands: ImageOverride -equals windows.vs2022.amd64}", ["windows-x86_64"], Dialect.CMD),
    ("{vmImage: $(i)}\nvariables: {i: windows-latest}", ["windows-x86_64"], Dialect.CMD),
]


@pytest.mark.parametrize(("pool", "platforms", "dialect"), RUNNERS)
def test_where_a_job_runs(pool: str, platforms: list[str] | None, dialect: Dialect) -> None:
    (script,) = read("azure", {MAIN: f"pool: {pool}\nsteps: [{{script: x}}]\n"}).scripts
    assert (sorted(script.platforms) if script.platforms else None, script.dialect) == (platforms, dialect)


SHELLS: list[tuple[str, str, Dialect]] = [
    ("script: x", "ubuntu-latest", Dialect.BASH),
    ("script: x", "windows-latest", Dialect.CMD),
    ("bash: x", "windows-latest", Dialect.BASH),
    ("pwsh: x", "ubuntu-latest", Dialect.POWERSHELL),
    ("powershell: x", "windows-latest", Dialect.POWERSHELL),
]


@pytest.mark.parametrize(("step", "image", "dialect"), SHELLS)
def test_the_shell_of_a_step(step: str, image: str, dialect: Dialect) -> None:
    (script,) = read("azure", {MAIN: f"pool: {{vmImage: {image}}}\nsteps: [{{{step}}}]"}).scripts
    assert (script.dialect, script.errexit, script.pipefail) == (dialect, False, False)


def test_the_place() -> None:
    text = (
        "stages:\n- stage: one\n  jobs:\n  - job: a\n    steps: [{script: x, displayName: Say}]\n"
        "- stage: two\n  jobs:\n  - job: b\n    strategy: {matrix: {r: {v: w}}}\n    pool: {vmImage: macOS-15}\n"
        "    steps: [{checkout: self}, {script: x, continueOnError: true, "
        "workingDirectory: $(Build.SourcesDirectory)/s}]\n"
        "  - job: c\n    dependsOn: b\n    steps: [{script: x}]\n"
    )
    found = [(s.place.job, s.place.step, s.place.runner, s.needs, s.ignored, s.directory)
             for s in read("azure", {MAIN: text}).scripts]  # fmt: skip
    assert found == [
        ("a", "Say", None, (), False, ""),
        ("b (r)", "2", "macOS-15", ("a",), True, "s"),
        ("c", "1", None, ("a", "b"), False, ""),
    ]


def test_what_a_step_assumes() -> None:
    text = "steps: [{script: cc, condition: \"eq(variables['Build.Reason'], 'Manual')\"}]"
    assert [c.when for c in commands("azure", {MAIN: text})] == [
        ("condition: eq(variables['Build.Reason'], 'Manual')",)
    ]


def test_a_task_is_a_command_with_its_inputs() -> None:
    text = "variables: {f: x}\nsteps: [{task: CMake@1, inputs: {cmakeArgs: $(f)}}, {task: PublishTestResults@2}]"
    found = [[w.shown for w in c.argv] for c in read("azure", {MAIN: text}).calls]
    assert found == [["uses", "CMake@1", "--cmakeArgs=x"], ["uses", "PublishTestResults@2"]]


def test_a_template_is_on_the_way() -> None:
    files = {MAIN: "steps: [{template: t.yml}]", "t.yml": "steps: [{script: cc}]"}
    (command,) = commands("azure", files)
    assert [way.path for way in command.via] == [MAIN]
    assert command.span.path == "t.yml"


WRONG: list[tuple[str, list[tuple[int, bool]]]] = [
    ("steps: [\n", [(1, True)]),
    ("steps: [{template: a.yml}]", [(1, False)]),
    ("steps: [{template: a.yml@other}]", [(1, False)]),
    ("steps: [x]", [(1, True)]),
    ("jobs: [x]", [(1, True)]),
    ("steps:\n- nothing: x", [(2, False)]),
    ("parameters: [{name: s, type: stepList}]\nsteps:\n- ${{ parameters.s }}", [(3, False)]),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_is_told_with_its_line(text: str, expected: list[tuple[int, bool]]) -> None:
    assert told("azure", {MAIN: text}) == expected


def test_a_template_that_uses_itself_is_one_problem() -> None:
    assert told("azure", {MAIN: f"steps: [{{template: {MAIN}}}]"}) == [(1, True)]


def test_a_bomb_of_aliases_is_one_problem() -> None:
    assert told("azure", {MAIN: BOMB + "steps: *a11\n"}) == [(1, True)]


def test_loops_in_loops_are_bounded() -> None:
    many = "[" + ", ".join("abcdefghij") + "]"
    text = f"parameters: [{{name: p, type: object, default: {many}}}]\nsteps:\n"
    for depth in range(5):
        text += "  " * depth + f"- ${{{{ each x{depth} in parameters.p }}}}:\n"
    assert told("azure", {MAIN: text + "  " * 5 + "- script: cc\n"}) == [(1, True)]


VALUES = {
    ("parameters", "s"): string(literal("abc")),
    ("parameters", "b"): constant(True),
    ("variables", "n"): constant(None),
}
EXPRESSIONS = [
    # https://learn.microsoft.com/azure/devops/pipelines/process/expressions: one or more of each function
    ("'it''s'", "it's"), ("1", "1"), ("true", "True"), ("False", "False"), ("null", ""),
    ("parameters.s", "abc"), ("parameters['s']", "abc"), ("variables.n", ""),
    ("eq('a', 'A')", "True"), ("eq('a', 'b')", "False"), ("eq(parameters.b, 'true')", "True"),
    ("eq(parameters.b, 'True')", "True"), ("eq('true', parameters.b)", "True"), ("eq(1, '1')", "True"),
    ("ne('a', 'b')", "True"), ("not(eq(1, 1))", "False"), ("and(true, false)", "False"), ("and(true, true)", "True"),
    ("or(false, true)", "True"), ("xor(true, false)", "True"), ("in('b', 'A', 'B')", "True"),
    ("in('c', 'A', 'B')", "False"),
    ("notIn('c', 'A')", "True"), ("gt(2, 1)", "True"), ("lt(2, 1)", "False"), ("ge(2, 2)", "True"),
    ("le(3, 2)", "False"),
    ("startsWith('refs/tags/v1', "
     "'refs/tags/')", "True"), ("endsWith('abc', 'BC')", "True"), ("contains('abc', 'B')", "True"),
    ("contains('abc', 'x')", "False"), ("format('{0}-{1}', 'a', 'b')", "a-b"), ("format('{{{0}}}', 'a')", "{a}"),
    ("lower('AB')", "ab"), ("upper('ab')", "AB"), ("trim('  a ')", "a"), ("replace('a.b.c', '.', '-')", "a-b-c"),
    ("length('abc')", "3"), ("coalesce('', variables.n, 'x')", "x"), ("join(';', split('a,b', ','))", "a;b"),
    ("iif(eq(1, 1), 'y', 'n')", "y"), ("succeeded()", "True"), ("failed()", "False"), ("always()", "True"),
    ("and(unknown.x, false)", "False"), ("or(unknown.x, true)", "True"),
    ("unknown.x", None), ("eq(unknown.x, 'a')", None), ("and(unknown.x, true)", None), ("counter('a', 1)", None),
    ("eq(1,", None), ("a b", None), ("'open", None), ("(1)", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS)
def test_expressions(text: str, expected: str | None) -> None:
    value = evaluate(literal(text), lambda parts: VALUES.get(parts, Unknown("not known")))
    said = text_of_value(value)
    assert (said.shown if said is not None else None) == expected


def test_conditions_on_variables_make_worlds() -> None:
    text = """
variables:
- ${{ if eq(variables['Build.Reason'], 'y') }}:
  - {name: F, value: -a}
- ${{ else }}:
  - {name: F, value: -b}
- ${{ if eq(variables['Build.Reason'], 'y') }}:
  - {name: G, value: -c}
steps:
- script: cc $(F) $(G)
- ${{ if eq(variables['Build.Reason'], 'y') }}:
  - script: cc -y $(F)
"""
    found = {" ".join(c.shown): c.when for c in commands("azure", {MAIN: text})}
    yes, no = "if: eq(variables['Build.Reason'], 'y')", "if: not(eq(variables['Build.Reason'], 'y'))"
    assert found == {"cc -a -c": (yes,), "cc -b $(G)": (no,), "cc -y -a": (yes,)}


def test_too_many_conditions_on_variables_leave_holes() -> None:
    one = "- ${{{{ if eq(variables['Build.Reason'], 'y{0}') }}}}:\n  - {{name: V{0}, value: -v}}\n"
    text = "variables:\n" + "".join(one.format(n) for n in range(7)) + "steps:\n- script: cc $(V0) $(V6)\n"
    found = {" ".join(c.shown) for c in commands("azure", {MAIN: text})}
    assert found == {"cc -v $(V6)", "cc $(V0) $(V6)"}
