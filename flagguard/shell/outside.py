"""Variables that every machine, or a known runner, sets outside of the repository, and what their values look like."""

from flagguard.text import Shape

_PATHS = (
    "HOME PWD OLDPWD SHELL BASH BASH_SOURCE PATH GITHUB_WORKSPACE GITHUB_ENV GITHUB_OUTPUT GITHUB_PATH "
    "GITHUB_STEP_SUMMARY RUNNER_TEMP RUNNER_TOOL_CACHE GITHUB_ACTION_PATH GITHUB_EVENT_PATH POE_ROOT POE_PWD "
    "POE_CONF_DIR CONDA_PREFIX CI_PROJECT_DIR"
).split()
# bash manual 5; docs.github.com "Default environment variables"; poethepoet.natn.io "Special variables"
_NUMBERS = (
    "RANDOM SECONDS LINENO UID EUID PPID BASHPID EPOCHSECONDS COLUMNS LINES SHLVL GITHUB_RUN_ID GITHUB_RUN_NUMBER"
).split()
_WORDS = "USER LOGNAME HOSTNAME TERM LANG BASH_VERSION EPOCHREALTIME".split()

ALWAYS_SET: dict[str, Shape] = {
    **dict.fromkeys(_PATHS, Shape.PATH),
    **dict.fromkeys(_NUMBERS, Shape.NUMBER),
    **dict.fromkeys(_WORDS, Shape.PATH),
}
"""Variables that every machine (or the named runner) sets, with a value nobody knows here, and what it looks like."""

OF_BASH: dict[str, Shape] = {
    **dict.fromkeys(
        "PIPESTATUS BASH_LINENO BASH_VERSINFO GROUPS BASH_SUBSHELL BASH_ARGC SRANDOM".split(), Shape.NUMBER
    ),
    **dict.fromkeys(
        "DIRSTACK BASH_COMMAND BASH_ARGV BASH_ARGV0 FUNCNAME SHELLOPTS BASHOPTS MACHTYPE PS4".split(), Shape.ANY
    ),
    "OPTERR": Shape.NUMBER,
}
"""Variables that bash keeps itself, arrays among them (bash manual 5.2)."""

CHECKOUTS = frozenset(
    "GITHUB_WORKSPACE CI_PROJECT_DIR CIRCLE_WORKING_DIRECTORY BUILD_SOURCESDIRECTORY BUILD_REPOSITORY_LOCALPATH "
    "SYSTEM_DEFAULTWORKINGDIRECTORY BUILDKITE_BUILD_CHECKOUT_PATH TRAVIS_BUILD_DIR CIRRUS_WORKING_DIR CI_WORKSPACE "
    "DRONE_WORKSPACE BITBUCKET_CLONE_DIR APPVEYOR_BUILD_FOLDER WORKSPACE".split()
)
"""Where CI systems put the repository: each system's page on its predefined variables."""
