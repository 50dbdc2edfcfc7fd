"""Azure Pipelines: the tasks that run commands, as data.

Source: https://learn.microsoft.com/azure/devops/pipelines/tasks/reference/ as of 2026-11: the names of the inputs,
and the command line that each task starts. A name's version (`@2`) does not count.
"""

from collections.abc import Callable, Mapping

from flagguard.command import Dialect
from flagguard.hosts.pipelines import Shell, Values
from flagguard.text import EMPTY, Traced, join, literal
from flagguard.values import dataclass

_BASH = Shell(Dialect.BASH)  # bash --noprofile --norc, without -e
_POWERSHELL = Shell(Dialect.POWERSHELL)
_CMD = Shell(Dialect.CMD)


@dataclass(frozen=True, slots=True)
class Run:
    """What a task starts: a text for a shell, and the folder that it runs in."""

    text: Traced
    shell: Shell
    folder: Traced = EMPTY


Inputs = Values
_Builder = Callable[[Inputs, bool], Run | None]
"""From the inputs, their names in small letters, and whether it runs on Windows."""


def default_shell(windows: bool) -> Shell:
    """Who reads a `script`: cmd.exe on Windows, else bash (CmdLine@2)."""
    return _CMD if windows else _BASH


def _folder(inputs: Inputs) -> Traced:
    return inputs.get("workingdirectory") or inputs.get("workingfolder") or inputs.get("cwd") or EMPTY


def _file_or_text(shell: Shell, inputs: Inputs, program: str) -> Run | None:
    kind = inputs.get("targettype", EMPTY).text.lower() or "filepath"
    if kind == "inline" or ("script" in inputs and "filepath" not in inputs):
        return Run(inputs.get("script", EMPTY), shell, _folder(inputs))
    path = inputs.get("filepath") or inputs.get("scriptpath") or EMPTY
    return _line(program, path, inputs.get("arguments") or inputs.get("args"), shell, _folder(inputs))


def _line(
    program: str, path: Traced | None, arguments: Traced | None, shell: Shell, folder: Traced = EMPTY
) -> Run | None:
    parts = [literal(program)] if program else []
    for one in (path, arguments):
        if one:
            parts += [literal(" "), one] if parts else [one]
    return Run(join(parts), shell, folder) if parts else None


def _bash(inputs: Inputs, windows: bool) -> Run | None:
    del windows
    return _file_or_text(_BASH, inputs, "bash")


def _powershell(inputs: Inputs, windows: bool) -> Run | None:
    del windows
    return _file_or_text(_POWERSHELL, inputs, "&")


def _shell_script(inputs: Inputs, windows: bool) -> Run | None:
    del windows
    return _line("bash", inputs.get("scriptpath"), inputs.get("args"), _BASH, _folder(inputs))


def _batch(inputs: Inputs, windows: bool) -> Run | None:
    del windows
    return _line("call", inputs.get("filename"), inputs.get("arguments"), _CMD, inputs.get("workingfolder", EMPTY))


def _command_line(inputs: Inputs, windows: bool) -> Run | None:
    if "filename" in inputs:  # CmdLine@1
        return _line("", inputs["filename"], inputs.get("arguments"), default_shell(windows), _folder(inputs))
    return Run(inputs.get("script", EMPTY), default_shell(windows), _folder(inputs))


def _program(program: str, *keys: str, folder: str = "", before: Mapping[str, str] | None = None) -> _Builder:
    """A program with inputs as its words: of ``keys`` each as it is, of ``before`` each behind its option."""

    def build(inputs: Inputs, windows: bool) -> Run | None:
        del windows
        parts: list[Traced] = [literal(program)]
        for key, option in (before or {}).items():
            if inputs.get(key):
                parts += [literal(f" {option}"), inputs[key]]
        for key in keys:
            if inputs.get(key):
                parts += [literal(" "), inputs[key]]
        own = inputs.get(folder.lower(), EMPTY) if folder else _folder(inputs)
        return Run(join(parts), _BASH, own)

    return build


def _dotnet(inputs: Inputs, windows: bool) -> Run | None:
    command = inputs.get("command", literal("build"))
    if command.text == "custom":
        command = inputs.get("custom", EMPTY)
    parts = [literal("dotnet "), command]
    for key in ("projects", "arguments"):
        if inputs.get(key):
            parts += [literal(" "), inputs[key]]
    return Run(join(parts), default_shell(windows), _folder(inputs))


def _npm(inputs: Inputs, windows: bool) -> Run | None:
    command = inputs.get("command", literal("install"))
    words = inputs.get("customcommand", EMPTY) if command.text == "custom" else command
    return Run(join((literal("npm "), words)), default_shell(windows), inputs.get("workingdir", EMPTY))


def _docker(inputs: Inputs, windows: bool) -> Run | None:
    command = inputs.get("command", literal("buildAndPush"))
    if command.text.lower() not in ("build", "buildandpush"):
        return None
    parts = [literal("docker build")]
    if inputs.get("dockerfile") and not set(inputs["dockerfile"].text) & set("*?"):
        parts += [literal(" -f "), inputs["dockerfile"]]
    if inputs.get("arguments") and command.text.lower() == "build":
        parts += [literal(" "), inputs["arguments"]]
    context = inputs.get("buildcontext", EMPTY)
    if not context or set(context.text) & set("*?"):
        context = literal(".")
    return Run(join((*parts, literal(" "), context)), default_shell(windows))


def _cargo(inputs: Inputs, windows: bool) -> Run | None:
    command = inputs.get("cargocommand") or inputs.get("command") or literal("build")
    return _line("cargo", command, inputs.get("cargocommandoptions") or inputs.get("arguments"), default_shell(windows))


_TASKS: Mapping[str, _Builder] = {
    "bash": _bash,
    "shellscript": _shell_script,
    "powershell": _powershell,
    "azurepowershell": _powershell,
    "cmdline": _command_line,
    "batchscript": _batch,
    "cmake": _program("cmake", "cmakeargs"),
    "make": _program("make"),
    "gulp": _program("gulp", "targets", "arguments"),
    "ant": _program("ant", "targets", "options", before={"buildfile": "-buildfile "}),
    "maven": _program("mvn", "goals", "options", before={"mavenpomfile": "-f "}),
    "gradle": _program("./gradlew", "tasks", "options"),
    "msbuild": _program("msbuild", "solution", "msbuildarguments",
                        before={"platform": "/p:Platform=", "configuration": "/p:Configuration="}),
    "vsbuild": _program("msbuild", "solution", "msbuildargs",
                        before={"platform": "/p:Platform=", "configuration": "/p:Configuration="}),
    "dotnetcorecli": _dotnet,
    "npm": _npm,
    "docker": _docker,
    "go": _program("go", "command", "arguments", folder="workingDirectory"),
    "pythonscript": _program("python", "scriptpath", "arguments", folder="workingDirectory"),
    "xcode": _program("xcodebuild", "actions", "args", before={"xcworkspacepath": "-workspace ", "scheme": "-scheme "}),
    "cargo": _cargo,
    "rustcargo": _cargo,
}  # fmt: skip

SHELLS = frozenset("bash shellscript powershell azurepowershell cmdline batchscript".split())
"""Tasks that are nothing but a script."""


def run_of(task: str, inputs: Inputs, windows: bool) -> Run | None:
    """What a task starts; None where it starts no command line that is known."""
    builder = _TASKS.get(task)
    return builder(inputs, windows) if builder is not None else None
