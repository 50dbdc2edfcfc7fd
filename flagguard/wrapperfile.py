"""Reading ``[wrappers]`` of a configuration (DESIGN 5): programs of a repository that run the command they are given.

An entry says in the words of the shipped table where the command begins; every error has its file, line and key.
"""

from collections.abc import Mapping
from typing import Any

from flagguard.naming import nearest
from flagguard.rulefile import Sheet
from flagguard.shell.wrapper_table import Effect, Wrappers, load, options
from flagguard.tomlpos import KeyPath

_KEYS = ("runs", "options", "operands", "separator", "env", "assignments")
_RUNS = ("argv", "text", "option")
_SEPARATORS = ("options", "command", "required")
_ENV = ("keep", "clear")
_EFFECTS = tuple(
    f":{effect.value}"
    for effect in (
        Effect.NOTHING,
        Effect.CLEAR,
        Effect.KEEP,
        Effect.ASSIGN,
        Effect.UNSET,
        Effect.PASS,
        Effect.TEXT,
        Effect.REST,
        Effect.AS_ARGV,
        Effect.AS_TEXT,
    )
)
_SOURCE = "the configuration"


def read_wrappers(sheet: Sheet, data: object) -> dict[str, dict[str, Any]]:
    """The entries that are right, by the words that the command begins with, as the shipped table writes them."""
    if not isinstance(data, dict):
        sheet.wrong(("wrappers",), "must be a table")
        return {}
    found: dict[str, dict[str, Any]] = {}
    for name, value in data.items():
        path: KeyPath = ("wrappers", name)
        before = len(sheet.problems)
        if not name.split():
            sheet.unknown_key(path, "names no program")
        if isinstance(value, str):
            entry = _entry(sheet, {"runs": value}, path, {"runs": path})
        elif isinstance(value, dict):
            entry = _entry(sheet, value, path, {})
        else:
            sheet.wrong(path, "must be a string in quotes or a table")
            continue
        if len(sheet.problems) == before:
            found[name] = entry
    return found


def _entry(sheet: Sheet, data: object, path: KeyPath, places: Mapping[str, KeyPath]) -> dict[str, Any]:
    table = sheet.table(data, path, _KEYS)
    entry: dict[str, Any] = {"source": _SOURCE}
    for key, names in (("runs", _RUNS), ("separator", _SEPARATORS), ("env", _ENV)):
        if key in table:
            entry[key] = sheet.choice(table[key], places.get(key, (*path, key)), names)
    if "options" in table:
        lines = sheet.texts(table["options"], (*path, "options"))
        for number, line in enumerate(lines):
            _option(sheet, line, (*path, "options", number))
        entry["options"] = "\n".join(lines)
    if "operands" in table:
        entry["operands"] = list(sheet.texts(table["operands"], (*path, "operands")))
    if "assignments" in table:
        entry["assignments"] = sheet.truth(table["assignments"], (*path, "assignments"))
    if entry.get("runs") == "option" and ":text" not in entry.get("options", "").split():
        sheet.unknown_key(path, "runs nothing: no option of it is `:text`")
    return entry


def _option(sheet: Sheet, line: str, path: KeyPath) -> None:
    """Tell what is wrong with one line: ``-e --env = :assign``."""
    named = False
    for token in line.split():
        if token[0] == ":" and token not in _EFFECTS:
            told = f"; an option is {', '.join(f'`{e}`' for e in _EFFECTS[:-1])} or `{_EFFECTS[-1]}`"
            sheet.wrong(path, f"unknown `{token}`{nearest(token, _EFFECTS) or told}")
        elif token[0] == "-" and len(token) > 1:
            named = True
        elif token[0] != ":" and token not in ("=", "?"):
            sheet.wrong(path, f"`{token}` is no option's name, no `=` (takes a value) and no `?` (takes a joined one)")
    taken = options(line) if named and all(t[0] in "-=?" or t in _EFFECTS for t in line.split()) else {}
    needs_value = {Effect.ASSIGN, Effect.UNSET, Effect.TEXT}
    for name, option in taken.items():
        if needs_value & set(option.effects) and not (option.values or option.joined):
            sheet.wrong(path, f"`{name}` takes no value: write `=` for one")
            break
    if not named:
        sheet.wrong(path, "names no option")


def with_own(entries: Mapping[str, Mapping[str, Any]]) -> Wrappers:
    """The shipped table with the entries of a configuration, or with theirs in its place."""
    shipped = load()
    tables: dict[str, dict[str, Any]] = {}
    for name, entry in entries.items():
        program, *words = name.split()
        program = program.rsplit("/", 1)[-1].removesuffix(".exe")
        if not words:
            tables[program] = {**entry, "commands": tables.get(program, {}).get("commands", {})}
            continue
        base = tables.get(program) or shipped.tables.get(program) or {"source": _SOURCE}
        tables[program] = _nested(base, words, entry)
    return shipped.with_tables(tables, own=True)


def _nested(table: Mapping[str, Any], words: list[str], entry: Mapping[str, Any]) -> dict[str, Any]:
    """The table with the entry as the subcommand that the words name."""
    if not words:
        return dict(entry)
    commands = table.get("commands", {})
    inner = _nested(commands.get(words[0], {}), words[1:], entry)
    return {**table, "commands": {**commands, words[0]: inner}}
