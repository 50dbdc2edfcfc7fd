"""The shell's own commands, functions and sourced files (POSIX.1-2024 XCU 2.15; bash manual 4)."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from posixpath import dirname, normpath
from posixpath import join as join_path
from typing import TYPE_CHECKING

from flagguard.command import Word
from flagguard.shell.conditions import bracket
from flagguard.shell.declare import Declarations
from flagguard.shell.printing import printf
from flagguard.shell.state import UNSET, Flow, Var, World
from flagguard.shell.syntax import Assign, Node, Simple
from flagguard.text import HOLE_MARK, Decider, Hole, Piece, Shape, Traced, hole, join, literal

if TYPE_CHECKING:
    from flagguard.shell.interpret import Context, Interpreter

_OPTIONS = {
    "e": "errexit",
    "u": "nounset",
    "f": "noglob",
    "a": "allexport",
    "x": "xtrace",
    "v": "verbose",
    "n": "noexec",
    "C": "noclobber",
    "m": "monitor",
    "b": "notify",
    "h": "hashall",
    "E": "errtrace",
    "T": "functrace",
}
_WELL_KNOWN = ("activate", "cargo/env", "conda.sh", "nvm.sh", "emsdk_env.sh", "/etc/profile", "setvars.sh")
"""Files outside of the repository that are sourced for PATH's sake: they set no build flags."""
MAX_CALLS = 12


@dataclass(frozen=True)
class Call:
    """A command on its way: its words, and what has been taken off in front of them."""

    node: Simple
    words: tuple[Word, ...]
    vanished: tuple[tuple[int, Hole], ...]
    operands: tuple[Assign | None, ...]
    env: dict[str, Traced]
    wrappers: tuple[tuple[Word, ...], ...]
    context: "Context"
    unset: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    cleared: bool = False


class Builtins:
    """Evaluates builtins for an interpreter."""

    def __init__(self, interpreter: "Interpreter") -> None:
        self.interpreter = interpreter
        self.declarations = Declarations(interpreter)
        self.wrapped: tuple[tuple[Word, ...], ...] = ()
        """The wrappers around the text that is being evaluated."""

    def run(self, name: str, call: Call, world: World) -> list[World]:
        return BUILTINS[name](self, call, world)

    # -- functions and sourced files

    def call_function(self, name: str, body: Node, call: Call, world: World) -> list[World]:
        interpreter = self.interpreter
        interpreter.called.add(name)
        if interpreter.depth >= MAX_CALLS:
            interpreter.problem(Traced(call.words[0].pieces), f"{name} calls itself too deeply to follow", fatal=False)
            world.succeed(None)
            return [world]
        args, known = world.args, world.args_known
        via = world.via
        span = call.words[0].written
        world.args = tuple(Traced(w.pieces) for w in call.words[1:])
        world.args_known = True
        world.via = (*via, span) if span is not None else via
        world.frames = (*world.frames, {})
        for variable, value in call.env.items():
            world.localise(variable)
            world.put(variable, Var(value, exported=True))
        depth = len(world.frames)
        interpreter.depth += 1
        try:
            ends = interpreter.run(body, world, call.context)
        finally:
            interpreter.depth -= 1
        for end in ends:
            while len(end.frames) >= depth:
                end.leave()
            end.args, end.args_known, end.via = args, known, via
            if end.flow is Flow.RETURN:
                end.flow = None
        return ends

    def source(self, file: Word, arguments: tuple[Word, ...], call: Call, world: World) -> list[World]:
        """``. FILE``: a file of the repository is evaluated in this shell."""
        interpreter = self.interpreter
        path = self._path(file, world)
        text = None
        if path is not None and interpreter.depth < MAX_CALLS:
            interpreter.depends.add(path)
            text = interpreter.setting.files.read(path)
        if text is None:
            if not any(end in file.shown for end in _WELL_KNOWN):
                world.sourced = file.shown
            world.succeed()
            return [world]
        args, known, name = world.args, world.args_known, world.name
        via = world.via
        if arguments:
            world.args, world.args_known = tuple(Traced(w.pieces) for w in arguments), True
        span = call.words[0].written
        world.via = (*via, span) if span is not None else via
        interpreter.depth += 1
        try:
            ends = interpreter.run_text(text.traced(), [world], call.context)
        finally:
            interpreter.depth -= 1
        for end in ends:
            end.via, end.name = via, name
            if arguments:
                end.args, end.args_known = args, known
            if end.flow is Flow.RETURN:
                end.flow = None
        return ends

    def _path(self, file: Word, world: World) -> str | None:
        """The file of the repository that a sourced name is: relative to the root, or to the script's folder."""
        if file.known:
            name = file.text
        else:
            # "$(dirname "$0")/x.sh" and "$ROOT/x.sh": the script's own folder, or the root.
            pieces = file.pieces
            if len(pieces) < 2 or pieces[0].hole is None or any(p.hole for p in pieces[1:]):
                return None
            name = "".join(p.text for p in pieces[1:]).lstrip("/")
        if name.startswith("/"):
            return None
        own = next((s.path for p in self.interpreter.script.text.pieces for s in p.route[-1:]), "")
        for base in ("", dirname(own)):
            path = normpath(join_path(base, name))
            if not path.startswith("..") and self.interpreter.setting.files.read(path) is not None:
                return path
        path = normpath(name)
        return None if path.startswith("..") else path

    # -- builtins

    def _nothing(self, call: Call, world: World) -> list[World]:
        world.succeed()
        return [world]

    def _unknown(self, call: Call, world: World) -> list[World]:
        world.succeed(None)
        return [world]

    def _false(self, call: Call, world: World) -> list[World]:
        world.succeed(False)
        return [world]

    def _echo(self, call: Call, world: World) -> list[World]:
        words = list(call.words[1:])
        newline, escapes = True, not self.interpreter.bash
        if self.interpreter.bash:
            while words and re.fullmatch("-[neE]+", words[0].text):
                for letter in words.pop(0).text[1:]:
                    newline = newline and letter != "n"
                    escapes = {"e": True, "E": False}.get(letter, escapes)
        elif words and words[0].text == "-n":
            words.pop(0)
            newline = False
        text = join([t for i, w in enumerate(words) for t in ((literal(" "), w) if i else (w,))])
        if escapes and "\\" in text.text:
            text = printf("%b", [text])
        world.emit(Traced(text.pieces) + literal("\n") if newline else Traced(text.pieces))
        world.succeed()
        return [world]

    def _printf(self, call: Call, world: World) -> list[World]:
        words = list(call.words[1:])
        target = None
        if len(words) > 1 and words[0].text == "-v":
            target = words[1].text
            words = words[2:]
        if words and words[0].text == "--":
            words = words[1:]
        world.succeed()
        if not words:
            return [world]
        text = printf(words[0].text, words[1:]) if words[0].known else hole(Hole("$(printf)", "an unknown format"))
        if target is not None:
            world.assign(target, text)
        else:
            world.emit(text)
        return [world]

    def _cd(self, call: Call, world: World) -> list[World]:
        # Whether it fails matters only where the script says what then.
        world.succeed(None if self.interpreter.alternatives else True)
        return [world]

    def _pwd(self, call: Call, world: World) -> list[World]:
        shown = "$(pwd)"
        world.emit(hole(Hole(shown, "the working directory", Decider.OUTSIDE, Shape.PATH), call.node.route))
        world.emit(literal("\n"))
        world.succeed()
        return [world]

    def _shift(self, call: Call, world: World) -> list[World]:
        by = 1
        if len(call.words) > 1:
            if not call.words[1].text.isdigit():
                return self._unknown(call, world)
            by = int(call.words[1].text)
        if not world.args_known:
            world.succeed(None)
            return [world]
        world.succeed(by <= len(world.args))
        if by <= len(world.args):
            world.args = world.args[by:]
        return [world]

    def _set(self, call: Call, world: World) -> list[World]:
        words = list(call.words[1:])
        world.succeed()
        while words:
            text = words[0].text
            if text == "--":
                world.args, world.args_known = tuple(Traced(w.pieces) for w in words[1:]), True
                return [world]
            if text in ("-o", "+o") and len(words) > 1:
                self._option(world, words[1].text, text == "-o")
                words = words[2:]
                continue
            if re.fullmatch(r"[-+][A-Za-z]+", text):
                words = words[1:]
                for letter in text[1:]:
                    if letter == "o" and words:
                        self._option(world, words.pop(0).text, text[0] == "-")
                    else:
                        self._option(world, _OPTIONS.get(letter, letter), text[0] == "-")
                continue
            world.args, world.args_known = tuple(Traced(w.pieces) for w in words), True
            return [world]
        return [world]

    def _option(self, world: World, name: str, on: bool) -> None:
        world.options = world.options | {name} if on else world.options - {name}

    def _exit(self, call: Call, world: World) -> list[World]:
        return self._leave(call, world, Flow.EXIT)

    def _return(self, call: Call, world: World) -> list[World]:
        return self._leave(call, world, Flow.RETURN)

    def _leave(self, call: Call, world: World, flow: Flow) -> list[World]:
        if len(call.words) > 1:
            text = call.words[1].text
            if text.isdigit():
                world.code = int(text) & 255
                world.status = world.code == 0
            else:
                world.succeed(None)
        world.flow = flow
        return [world]

    def _break(self, call: Call, world: World) -> list[World]:
        return self._jump(call, world, Flow.BREAK)

    def _continue(self, call: Call, world: World) -> list[World]:
        return self._jump(call, world, Flow.CONTINUE)

    def _jump(self, call: Call, world: World, flow: Flow) -> list[World]:
        text = call.words[1].text if len(call.words) > 1 else "1"
        world.flow = flow
        world.levels = int(text) if text.isdigit() and text != "0" else 1
        return [world]

    def _test(self, call: Call, world: World) -> list[World]:
        words = call.words[1:]
        shown = " ".join(call.node.shown.split())
        if call.words[0].text == "[":
            if not words or words[-1].text != "]":
                world.succeed(None)
                return [world]
            words = words[:-1]
        vanished = [(i - 1, h) for i, h in call.vanished if i >= 1]
        out = []
        for one, truth in bracket(words, vanished, world, shown):
            one.succeed(truth)
            out.append(one)
        return out

    def _let(self, call: Call, world: World) -> list[World]:
        from flagguard.shell.syntax import WordNode  # a word of its own, not a node of the script

        value: int | None = 0
        for item in call.node.words[1:]:
            if isinstance(item, WordNode):
                value = self.interpreter.expander.number(item, world)
        world.succeed(None if value is None else value != 0)
        return [world]

    def _unset(self, call: Call, world: World) -> list[World]:
        functions = False
        for item in call.words[1:]:
            name = item.text
            if name.startswith("-"):
                functions = "f" in name
            elif functions:
                world.forget_function(name)
            elif "[" in name and name.endswith("]"):
                self._unset_element(name, world)
            elif name in world.vars or name not in world.functions:
                world.put(name, UNSET)
            else:
                world.forget_function(name)
        world.succeed()
        return [world]

    def _unset_element(self, name: str, world: World) -> None:
        base, key = name[:-1].split("[", 1)
        var = world.vars.get(base)
        if var is None or var.items is None:
            return
        wanted: int | str = int(key) if key.isdigit() and not var.associative else key.strip("'\"")
        world.put(base, replace(var, items={k: v for k, v in var.items.items() if k != wanted}))

    def _read(self, call: Call, world: World) -> list[World]:
        names, words, raw, array = [], list(call.words[1:]), False, False
        separator = None
        while words:
            text = words.pop(0).text
            if re.fullmatch("-[A-Za-z]+", text):
                raw = raw or "r" in text
                array = array or "a" in text
                if text[-1] in "dinNptu" and words:
                    separator = words.pop(0).text if text[-1] == "d" else (words.pop(0), separator)[1]
            else:
                names.append(text)
        self._store(names or ["REPLY"], call, world, array, separator, raw)
        return [world]

    def _store(
        self, names: list[str], call: Call, world: World, array: bool, separator: str | None, raw: bool
    ) -> None:
        heard = world.stdin
        if heard is None or not heard.known or separator is not None:
            for name in names:
                gap = Hole(f"${name}", "read from the input", Decider.REPOSITORY, name=name)
                world.put(name, Var(hole(gap), items={0: hole(gap)} if array else None))
            world.succeed(None)
            return
        line, rest, whole = _line(heard, raw)
        world.stdin = rest
        var = call.env.get("IFS") or (world.vars["IFS"].scalar if "IFS" in world.vars else None)
        blanks = var.text if var is not None else " \t\n"
        fields = _split(line, blanks, 0 if array else len(names))
        world.succeed(whole)
        if array:
            world.put(names[0], Var(items=dict(enumerate(fields))))
            return
        for i, name in enumerate(names):
            world.assign(name, fields[i] if i < len(fields) else Traced())

    def _mapfile(self, call: Call, world: World) -> list[World]:
        names = [w.text for w in call.words[1:] if not w.text.startswith("-")]
        name = names[-1] if names else "MAPFILE"
        heard = world.stdin
        strips = any(w.text == "-t" for w in call.words)
        if heard is not None and heard.known and len(names) <= 1:
            items: dict[int | str, Traced] = {}
            at = 0
            for line in heard.text.splitlines(keepends=True):
                size = len(line.rstrip("\n")) if strips else len(line)
                items[len(items)] = heard.cut(at, at + size)
                at += len(line)
            world.put(name, Var(items=items))
        else:
            gap = Hole(f"${{{name}[@]}}", "read from the input", Decider.REPOSITORY, name=name)
            world.put(name, Var(items={0: hole(gap)}))
        world.succeed()
        return [world]

    def _alias(self, call: Call, world: World) -> list[World]:
        names = {w.text.partition("=")[0] for w in call.words[1:] if "=" in w.text}
        world.aliases |= names
        world.succeed()
        return [world]

    def _shopt(self, call: Call, world: World) -> list[World]:
        words = [w.text for w in call.words[1:]]
        if words[:1] in (["-s"], ["-u"]):
            for name in words[1:]:
                self._option(world, name, words[0] == "-s")
        world.succeed()
        return [world]

    def _getopts(self, call: Call, world: World) -> list[World]:
        name = call.words[2].text if len(call.words) > 2 else "OPT"
        given = [Traced(w.pieces) for w in call.words[3:]] or (list(world.args) if world.args_known else None)
        if given is not None and len(call.words) > 2 and call.words[1].known and all(a.known for a in given):
            return self._next_option(call.words[1].text, name, given, world)
        gap = Hole(f"${name}", "an option of the script", Decider.OUTSIDE)
        world.put(name, Var(hole(gap)))
        argument = Hole("$OPTARG", "an option's argument", Decider.OUTSIDE)
        world.put("OPTARG", Var(hole(argument)))
        world.put("OPTIND", Var(hole(Hole("$OPTIND", "an option's index", Decider.OUTSIDE, Shape.NUMBER))))
        world.succeed(None)
        return [world]

    def _next_option(self, wanted: str, name: str, given: list[Traced], world: World) -> list[World]:
        """One step of getopts (XCU getopts) over arguments that are known."""
        counter = world.vars.get("OPTIND", Var(literal("1"))).scalar
        at = int(counter.text) if counter is not None and counter.text.isdigit() else 1
        if at == 1 and "OPTIND" not in world.vars:
            world.options_at = 0
        inside = world.options_at or 1
        item = given[at - 1] if at <= len(given) else None
        if item is None or not item.text.startswith("-") or item.text in ("-", "--"):
            if item is not None and item.text == "--":
                at += 1
            world.assign("OPTIND", literal(str(at)))
            world.assign(name, literal("?"))
            world.options_at = 0
            world.succeed(False)
            return [world]
        letter = item.text[inside]
        rest = item.cut(inside + 1, len(item))
        place = wanted.find(letter) if letter != ":" else -1
        found: Traced = literal(letter)
        if place < 0:
            found = literal("?")
        elif wanted[place + 1 : place + 2] == ":":
            if not rest and at < len(given):
                at += 1
                rest = given[at - 1]
            elif not rest:
                found = literal(":" if wanted.startswith(":") else "?")
            world.assign("OPTARG", rest)
            rest = Traced()
        inside = inside + 1 if rest else 0
        at = at if rest else at + 1
        world.options_at = inside
        world.assign("OPTIND", literal(str(at)))
        world.assign(name, found)
        world.succeed()
        return [world]

    def _trap(self, call: Call, world: World) -> list[World]:
        words = call.words[1:]
        if words and words[0].text == "--":
            words = words[1:]
        world.succeed()
        if len(words) < 2 or words[0].text in ("-l", "-p"):
            if len(words) == 1 and words[0].text in ("EXIT", "0"):
                world.on_exit = None
            return [world]
        text = Traced(words[0].pieces)
        signals = [w.text for w in words[1:]]
        if {"EXIT", "0"} & set(signals):
            world.on_exit = None if text.text in ("-", "") else text
        others = [s for s in signals if s not in ("EXIT", "0")]
        if others and text.text not in ("-", ""):
            inner = self.interpreter.subshell(world)
            inner.out = None
            inner.assume(f"{' or '.join(others)} is signalled", opt_in=True)
            self.interpreter.run_text(text, [inner], replace(call.context, swallowed=True))
        return [world]

    def _command_v(self, call: Call, world: World) -> list[World]:
        world.succeed(None)
        if world.out is not None:
            gap = Hole("$(command -v)", "where a program is installed", Decider.OUTSIDE, Shape.PATH)
            world.emit(Traced((Piece(gap.text, hole=gap),)))
        return [world]

    def _command(self, call: Call, world: World) -> list[World]:
        """`command` and `builtin`: functions are passed over."""
        words = list(call.words)
        taken = 1
        while taken < len(words) and re.fullmatch("-[pvV]+", words[taken].text):
            if set("vV") & set(words[taken].text):
                return self._command_v(call, world)
            taken += 1
        if taken < len(words) and words[taken].text == "--":
            taken += 1
        if taken >= len(words):
            return self._nothing(call, world)
        inner = replace(
            call,
            words=tuple(words[taken:]),
            operands=call.operands[taken:],
            vanished=tuple((i - taken, h) for i, h in call.vanished if i >= taken),
            wrappers=(*call.wrappers, tuple(words[:taken])),
        )
        return self.interpreter.simples.dispatch(inner, world)

    def _declare(self, call: Call, world: World) -> list[World]:
        return self.declarations.run(call, world)


def _line(heard: Traced, raw: bool) -> tuple[Traced, Traced, bool]:
    """A line of the input as `read` takes it, what is left, and whether the line was whole."""
    text, at = heard.text, 0
    out: list[Traced] = []
    run = 0
    while at < len(text) and text[at] != "\n":
        if text[at] == "\\" and not raw:
            out.append(heard.cut(run, at))
            run = at + 1 if text[at + 1 : at + 2] != "\n" else at + 2
            at += 1
        at += 1
    out.append(heard.cut(run, min(at, len(text))))
    return join(out), heard.cut(at + 1, len(text)), at < len(text)


def _split(line: Traced, separators: str, limit: int) -> list[Traced]:
    """Fields as `read` makes them; the last of ``limit`` takes the rest."""
    text = line.text
    blanks = "".join(c for c in separators if c in " \t\n")
    out: list[Traced] = []
    at, end = 0, len(text)
    while at < end and text[at] in blanks:
        at += 1
    while end > at and text[end - 1] in blanks:
        end -= 1
    if not separators:
        return [line]
    while at < end:
        if limit and len(out) == limit - 1:
            out.append(line.cut(at, end))
            return out
        stop = at
        while stop < end and text[stop] not in separators:
            stop += 1
        out.append(line.cut(at, stop))
        at = stop + 1
        if stop < end and text[stop] in blanks:
            while at < end and text[at] in blanks:
                at += 1
            if at < end and text[at] in separators and text[at] not in blanks:
                at += 1
        while at < end and text[at] in blanks:
            at += 1
    return out


Run = Callable[[Builtins, Call, World], list[World]]

# ruff: noqa: SLF001 (the table is part of the class)
BUILTINS: dict[str, Run] = {
    ":": Builtins._nothing,
    "true": Builtins._nothing,
    "false": Builtins._false,
    "echo": Builtins._echo,
    "printf": Builtins._printf,
    "cd": Builtins._cd,
    "pushd": Builtins._cd,
    "popd": Builtins._cd,
    "pwd": Builtins._pwd,
    "export": Builtins._declare,
    "readonly": Builtins._declare,
    "local": Builtins._declare,
    "declare": Builtins._declare,
    "typeset": Builtins._declare,
    "shift": Builtins._shift,
    "set": Builtins._set,
    "shopt": Builtins._shopt,
    "exit": Builtins._exit,
    "return": Builtins._return,
    "break": Builtins._break,
    "continue": Builtins._continue,
    "test": Builtins._test,
    "[": Builtins._test,
    "let": Builtins._let,
    "unset": Builtins._unset,
    "read": Builtins._read,
    "mapfile": Builtins._mapfile,
    "readarray": Builtins._mapfile,
    "getopts": Builtins._getopts,
    "trap": Builtins._trap,
    "command": Builtins._command,
    "builtin": Builtins._command,
    "type": Builtins._command_v,
    "hash": Builtins._unknown,
    "wait": Builtins._unknown,
    "kill": Builtins._unknown,
    "jobs": Builtins._nothing,
    "bg": Builtins._nothing,
    "fg": Builtins._unknown,
    "disown": Builtins._nothing,
    "alias": Builtins._alias,
    "unalias": Builtins._nothing,
    "umask": Builtins._nothing,
    "ulimit": Builtins._unknown,
    "times": Builtins._nothing,
    "history": Builtins._nothing,
    "bind": Builtins._nothing,
    "complete": Builtins._nothing,
    "enable": Builtins._nothing,
    "dirs": Builtins._nothing,
    "logout": Builtins._exit,
}
