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
