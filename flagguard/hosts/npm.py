"""package.json: the scripts of npm, pnpm, Yarn and Bun; how a command starts them.

Follows https://docs.npmjs.com/cli/commands/npm-run-script, https://pnpm.io/cli/run, https://yarnpkg.com/cli/run and
https://bun.sh/docs/cli/run. What the file says is read in ``npm_scripts``.
"""

from flagguard.command import Command, Reading
from flagguard.hosts import Entered, Setting
from flagguard.text import SourceText

NAME = "npm"


def read(source: SourceText, setting: Setting) -> Reading:
    if '"scripts"' not in source.text:
        return Reading()
    from flagguard.hosts import npm_scripts

    return npm_scripts.read(source, setting)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``npm run NAME …`` and its kin: the scripts that it runs."""
    from flagguard.hosts import npm_call, npm_packages, npm_scripts

    line = npm_call.read(command.argv)
    if line is None or command.directory is None:
        return None
    packages = npm_packages.meant(line, command.directory, setting)
    runs = [(source, names) for source in packages if (names := npm_scripts.chosen(source, line))]
    if not runs:
        return None
    called = npm_scripts.Called(line, dict(command.env))
    sources = tuple(source for source, _ in runs)
    key = ("npm", tuple(source.path for source in sources), called.key)

    def reading(inner: Setting) -> Reading:
        parts = [npm_scripts.read(source, inner, called) for source in sources]
        return Reading(
            tuple(script for part in parts for script in part.scripts),
            problems=tuple(problem for part in parts for problem in part.problems),
            depends=(*(source.path for source in sources), *(path for part in parts for path in part.depends)),
        )

    return Entered(sources[0].path, key, reading)
