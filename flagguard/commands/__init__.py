"""The commands, one thin module each: `run(options, write) -> exit status`.

Only here may the environment, the clock and the working directory be looked at; the stages below get what they need.
"""


class RefusalError(Exception):
    """What was asked for cannot be done, said in one line; the exit status is 2."""
