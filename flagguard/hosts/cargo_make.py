"""cargo-make: `Makefile.toml`, and `cargo make TASK` that runs it.

Follows https://sagiegurari.github.io/cargo-make/ ("Usage", "Tasks, Dependencies and Aliases"). What the file says is
read in ``cargo_make_tasks``.
"""

from flagguard.command import Command, Reading
from flagguard.hosts import Entered, Setting
from flagguard.text import SourceText

NAME = "cargo_make"

FILE = "Makefile.toml"
_VALUED = (
    *("-t", "--task", "--makefile", "-p", "--profile", "-e", "--env", "--cwd", "-l", "--loglevel", "--env-file"),
    *("-o", "--output-file", "--output-format", "--list-category-steps", "--skip-tasks", "--time-summary"),
)
_STOPS = ("-h", "--help", "-V", "--version", "--list-all-steps", "--print-steps", "--diff-steps")


def read(source: SourceText, setting: Setting) -> Reading:
    from flagguard.hosts import cargo_make_tasks

    return cargo_make_tasks.read(source, setting)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``cargo make NAME …``: the task with those that it waits for."""
    words = command.argv
    if words[0].text.rpartition("/")[2].startswith("cargo"):
        at = 2 if len(words) > 1 and words[1].text.startswith("+") else 1
        if len(words) <= at or words[at].text != "make":
            return None
        words = words[at:]
    from flagguard.hosts import cargo_make_tasks
    from flagguard.hosts.task_tables import above, called_key, front, pieces, plain
    from flagguard.paths import resolved

    said = front(words[1:], _VALUED, _STOPS)
    if said is None or command.directory is None or (said[1] and not said[1][0].known):
        return None
    given = dict(said[0])
    folder: str | None = command.directory
    if "--cwd" in given:
        folder = resolved(given["--cwd"], folder)
    if folder is None:
        return None
    source = above(folder, (FILE,), setting, lambda s: True)
    if "--makefile" in given:
        path = resolved(given["--makefile"], folder)
        source = setting.files.read(path) if path is not None else None
    if source is None:
        return None
    rest = said[1]
    name = given["-t"].text if "-t" in given else given["--task"].text if "--task" in given else ""
    if not name:
        name, rest = (rest[0].text, rest[1:]) if rest else ("default", ())
    profile = given.get("-p", given.get("--profile"))
    env = dict(command.env)
    for option, value in said[0]:
        key, equals, _ = value.text.partition("=")
        if option in ("-e", "--env") and equals:
            env[key] = value.cut(len(key) + 1, len(value))
    called = cargo_make_tasks.Called(name, plain(rest), env, folder, profile.text if profile is not None else "")
    found = source
    if not cargo_make_tasks.knows(found, setting, name):
        return None
    key_of = called_key(env, NAME, source.path, name, pieces(called.words), folder, called.profile)
    return Entered(source.path, key_of, lambda inner: cargo_make_tasks.read(found, inner, called))
