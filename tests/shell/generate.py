"""Hypothesis strategies of shell scripts that depend on little or nothing outside.

A script uses what it sets itself, `uname`, and the output of builtins. Half of them unset their variables first: for
those flagguard has no reason for a hole. Nothing that could match a file stands unquoted.
"""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace

from constructs import BASH, BASH_DEEP, BOTH, BOTH_DEEP, CHOICES, TEMPLATES
from hypothesis import strategies as st
from written_cases import Case

PLATFORMS = ("linux-x86_64", "linux-aarch64", "macos-arm64")
_TOOLS = ("gcc", "make", "cargo", "mojo")
_NAMES = ("A", "B", "CFLAGS", "cpu")
_ARRAYS = ("L", "M")
_FUNCTIONS = ("f", "g")

Draw = Callable[[st.SearchStrategy[str]], str]


@dataclass(frozen=True)
class _Scope:
    """What may stand where the generator is now."""

    bash: bool
    depth: int
    loop: bool = False
    function: bool = False
    last: bool = False
    """The words go to a program as they are: a quoted `*` cannot come back unquoted."""

    def inner(self, **changes: bool) -> "_Scope":
        return replace(self, depth=self.depth - 1, last=False, **changes)


_plain = st.sampled_from(["a", "b", "-O2", "x=1", "-march=", "x86-64", "a.c", "-D", "1", ",", "i:j", "%", "@", "a~"])
_quotable = st.sampled_from(
    ["", " ", "a b", "  c", "$A", "`x`", "#", ";", "|", "d", "a\nb", "{a,b}", "&", "~", "a\\b", "="]
)
_pattern_like = st.sampled_from(["*", "?", "[a]", "a*"])
_name = st.sampled_from(_NAMES)
_number = st.integers(0, 12)
_delimiter = st.sampled_from(["E", "'E'"])


@st.composite
def _parameter(draw: st.DrawFn, scope: _Scope, quoted: bool) -> str:
    name = draw(_name)
    forms = ["${%s}"] * 3 + ["$%s"] * 3 + ["${%s:-w}", "${%s-w}", "${%s:+w}", "${%s+w}", "${#%s}"]
    forms += ["${%s#*a}", "${%s##*[ab]}", "${%s%%b*}", "${%s%%%%-*}"]
    forms += ["$1", "$#", "${2:-two}", "$*", "${1+x}"] + ([] if quoted else ["$@"])
    if scope.depth > 0:
        forms += ["${%s:-WORD}", "${%s:+WORD}", "${%s:=WORD}"]
    if scope.bash:
        forms += ["${%s//a/-}", "${%s/b/}", "${%s^^}", "${%s:1:2}", "${%s:1}", "${%s/#a/x}"]
        array = draw(st.sampled_from(_ARRAYS))
        forms += [f"${{{array}[@]}}", f"${{{array}[*]}}", f"${{{array}[0]}}", f"${{#{array}[@]}}", f"${{{array}[1]}}"]
    form = draw(st.sampled_from(forms))
    text = form % name if "%s" in form else form
    if "WORD" in text:
        words = _value(scope.inner()) if ":=" in text else _word(scope.inner())
        text = text.replace("WORD", draw(words) if not quoted else draw(_plain))
    return text


@st.composite
def _double(draw: st.DrawFn, scope: _Scope) -> str:
    parts = [
        st.sampled_from(["", "a", " ", "b  c", "'", "\\$", '\\"', "\\\\", "\\x", "#", ";", "-\\\n", "~", "{a,b}"]),
        _parameter(scope, quoted=True),
    ]
    if scope.depth > 0:
        parts.append(_substitution(scope.inner()))
        parts.append(_arithmetic())
    return '"' + "".join(draw(st.lists(st.one_of(parts), max_size=3))) + '"'


@st.composite
def _substitution(draw: st.DrawFn, scope: _Scope) -> str:
    inside = draw(
        st.one_of(
            st.just("uname"),
            st.just("uname -m"),
            _output(scope),
            st.builds(lambda a, b: f"{a}; {b}", _output(scope), _output(scope)),
            st.builds(lambda c, a: f"if {c}; then {a}; fi", _condition(scope), _output(scope)),
        )
    )
    return f"$({inside})"


@st.composite
def _output(draw: st.DrawFn, scope: _Scope) -> str:
    """A builtin that prints."""
    if draw(st.booleans()):
        words = draw(st.lists(_word(replace(scope, depth=0)), max_size=2))
        return "echo x" + "".join(f" {w}" for w in words)
    words = draw(st.lists(_word(replace(scope, depth=0)), max_size=3))
    return (
        "printf "
        + draw(st.sampled_from(["'%s\\n'", "'<%s>'", "'%s '", "'a\\tb'", "%s-%s"]))
        + "".join(f" {w}" for w in words)
    )


@st.composite
def _arithmetic(draw: st.DrawFn) -> str:
    left, right = draw(_number), draw(_number)
    operator = draw(st.sampled_from(["+", "-", "*", "<", "==", "&", "&&", "<<"]))
    return f"$(({left}{operator}{right}))"


@st.composite
def _piece(draw: st.DrawFn, scope: _Scope) -> str:
    choices = [
        _plain,
        _quotable.map(shlex.quote),
        st.sampled_from(["\\ ", "\\$", "\\'", '\\"', "\\\\", "\\a", "-\\\n", "''", '""']),
        _parameter(scope, quoted=False),
        _double(scope),
    ]
    if scope.last:
        choices.append(_pattern_like.map(shlex.quote))
    if scope.depth > 0:
        choices += [_substitution(scope.inner()), _arithmetic()]
    if scope.bash:
        choices.append(
            st.sampled_from(["$'a\\tb'", "$'it\\'s'", "$'\\x41'", "$'a\\\\'", "{a,b}", "{1..3}", "{a,'b c'}", '"$@"'])
        )
    return draw(st.one_of(choices))


def _word(scope: _Scope) -> st.SearchStrategy[str]:
    """In dash `"$@"` stands alone: glued to an expansion that ends in a blank, 0.5.12 makes one empty field more."""
    pieces = st.lists(_piece(scope), min_size=1, max_size=3).map("".join).filter(_safe)
    return st.one_of(pieces, pieces, pieces, pieces, st.just('"$@"'))


def _safe(word: str) -> bool:
    return not word.startswith("#") and word not in ("~",)


@st.composite
def _command(draw: st.DrawFn, scope: _Scope) -> str:
    prefix = draw(st.sampled_from(["", "", "", "ASSIGN", "env ", "env ASSIGN", "nice -n 3 ", "command "]))
    if "ASSIGN" in prefix:
        prefix = prefix.replace("ASSIGN", draw(_assignment(scope)) + " ")
    tool = (
        draw(st.sampled_from(_TOOLS + _FUNCTIONS))
        if not prefix and not scope.function
        else draw(st.sampled_from(_TOOLS))
    )
    passed = replace(scope, last=tool in _TOOLS)
    words = draw(st.lists(_word(passed), max_size=3))
    separator = draw(st.sampled_from([" ", " ", " ", "  ", " \\\n  "]))
    redirection = draw(st.sampled_from(["", "", "", "", " >log", " 2>&1", " </dev/null"]))
    return prefix + separator.join([tool, *words]) + redirection


@st.composite
def _assignment(draw: st.DrawFn, scope: _Scope) -> str:
    return f"{draw(_name)}={draw(st.one_of(st.just(''), _value(scope)))}"


def _value(scope: _Scope) -> st.SearchStrategy[str]:
    return _word(scope).filter(lambda w: "$@" not in w and "[@]" not in w)


def _line() -> st.SearchStrategy[str]:
    """A line of a here-document: words, quotes and blanks that `read` takes as they are."""
    return st.lists(st.sampled_from(["a", "b c", " ", "'q'", '"d"', "x:y", "-O2", "#", ";"]), max_size=3).map(" ".join)


@st.composite
def _condition(draw: st.DrawFn, scope: _Scope) -> str:
    value = draw(st.sampled_from(["a", "b", "", "a b", "Linux", "arm64"]))
    name = draw(_name)
    forms = [
        "true",
        "false",
        f'[ "${name}" = {shlex.quote(value)} ]',
        f'[ -n "${name}" ]',
        f'test -z "${{{name}-}}"',
        f'[ "$(uname)" = {shlex.quote(value)} ]',
        '[ "$(uname -m)" = x86_64 ]',
        "[ $# -gt 1 ]",
        f'[ "x${name}" != x{shlex.quote(value)} ]',
    ]
    if scope.bash:
        forms += [
            f"[[ ${name} == a* ]]",
            f"[[ -z ${name} ]]",
            f"[[ ${name} == {shlex.quote(value)} && -n $1 ]]",
            "(( $# > 1 ))",
        ]
    text = draw(st.sampled_from(forms))
    joined = draw(st.sampled_from(["", "", "", "!", "&&", "||"]))
    if joined == "!":
        return f"! {text}"
    return f"{text} {joined} {draw(st.sampled_from(forms))}" if joined else text


@st.composite
def _filled(draw: st.DrawFn, kind: str, scope: _Scope) -> str:
    """A template with all its places filled."""
    sources: dict[str, Callable[[], st.SearchStrategy[str]]] = {
        "word": lambda: _word(scope),
        "name": lambda: _name,
        "line": _line,
        "output": lambda: _output(scope),
        "body": lambda: _body(scope.inner()),
        "loop": lambda: _body(scope.inner(loop=True)),
    }

    def fill(found: "re.Match[str]") -> str:
        name = found.group(1)
        return draw(sources[name]() if name in sources else st.sampled_from(CHOICES[name]))

    return re.sub("«(\\w+)»", fill, draw(st.sampled_from(TEMPLATES[kind])))


@st.composite
def _statement(draw: st.DrawFn, scope: _Scope) -> str:
    kinds = ["command"] * 4 + ["assign"] * 3 + ["export", "set", "unset", "here", "eval", "unit", "assign-two"]
    kinds += ["count", "read", "sh-here", "trap", "errexit", *BOTH]
    if scope.bash:
        kinds += ["array", "append", "here-string", "declare", "mapping", "printf-v", "reference", *BASH]
    if scope.function:
        kinds += ["local", "return", "shift"]
    if scope.loop:
        kinds += ["break", "continue"]
    if scope.depth > 0:
        kinds += [
            "if",
            "if-else",
            "case",
            "for",
            "for-arguments",
            "and",
            "or",
            "subshell",
            "group",
            "sh",
            "pipe",
            "while",
            *BOTH_DEEP,
        ]
        kinds += BASH_DEEP if scope.bash else ()
        if not scope.function:
            kinds += ["function", "function-call"]
    kind = draw(st.sampled_from(kinds))
    inner = scope.inner()

    def word() -> str:
        return draw(_word(scope))

    def body(**changes: bool) -> str:
        return draw(_body(scope.inner(**changes)))

    if kind in TEMPLATES:
        return draw(_filled(kind, scope))
    match kind:
        case "command":
            return draw(_command(scope))
        case "assign":
            return draw(_assignment(scope))
        case "assign-two":
            return f"{draw(_assignment(scope))} {draw(_assignment(scope))}"
        case "export":
            return draw(st.sampled_from(["export {0}", "export {1}"])).format(
                draw(_name), f'{draw(_name)}="{draw(_plain)}"'
            )
        case "set":
            return f"set -- {word()} {word()}"
        case "unset":
            return f"unset {draw(_name)}"
        case "here":
            return f"cat <<E\nmake no\nE\n{draw(_command(scope))}"
        case "eval":
            return f"eval {shlex.quote(draw(_command(replace(scope, depth=0))))}"
        case "unit":
            return draw(
                st.sampled_from([":", "true", "cd src && cd ..", "IFS=,", "unset IFS", "# make no", "echo make no"])
            )
        case "array":
            return f"{draw(st.sampled_from(_ARRAYS))}=({' '.join(draw(st.lists(_word(scope), max_size=3)))})"
        case "append":
            return draw(
                st.one_of(
                    st.builds(lambda n, w: f"{n}+=({w})", st.sampled_from(_ARRAYS), _word(scope)),
                    st.builds(lambda n, w: f"{n}+={w}", _name, _value(scope)),
                )
            )
        case "here-string":
            return f'read -r A B <<< "{draw(_plain)} {draw(_plain)}"'
        case "count":
            return draw(st.sampled_from(["n=$((n+1))", "n=$(( ${#A} * 2 ))", "B=$((n))", "cpu=$?", "A=$#"]))
        case "read":
            flags = draw(st.sampled_from(["-r ", "", "-r cpu "]))
            return f"read {flags}A B <<{draw(_delimiter)}\n{draw(_line())}\nE"
        case "sh-here":
            text = draw(_command(_Scope(bash=False, depth=0)))
            return f"sh -s -- {word()} <<'E'\n{text}\nE"
        case "trap":
            return f"trap {shlex.quote(draw(_command(replace(scope, depth=0))))} EXIT"
        case "errexit":
            return draw(st.sampled_from(["set -e", "set +e", "false || :", "set -f; set +f"]))
        case "declare":
            return draw(
                st.sampled_from(["declare A={0}", "declare -x B={0}", "declare -i n=2+3", "typeset cpu={0}"])
            ).format(draw(_double(scope).filter(lambda w: "[@]" not in w)))
        case "mapping":
            first, second = draw(_plain), draw(_plain)
            pairs = f"[a]={shlex.quote(first)} [x86_64]={shlex.quote(second)}"
            return f"declare -A T=({pairs})\ngcc ${{T[a]}} ${{T[$(uname -m)]}}"
        case "printf-v":
            return f"printf -v {draw(_name)} '%s-%s' {word()} x"
        case "reference":
            return 'B=A\ngcc "${!B}" ${!B}'
        case "local":
            return f"local {draw(_name)}={draw(_double(scope).filter(lambda w: '[@]' not in w))}"
        case "return" | "break" | "continue":
            return draw(st.sampled_from([kind, f"if {draw(_condition(scope))}; then {kind}; fi"]))
        case "shift":
            return "[ $# -eq 0 ] || shift"
        case "if":
            return f"if {draw(_condition(inner))}; then\n{body()}\nfi"
        case "if-else":
            return f"if {draw(_condition(inner))}; then\n{body()}\nelse\n{body()}\nfi"
        case "case":
            subject = draw(st.sampled_from(['"$A"', "$B", "$(uname)", '"$(uname)-$(uname -m)"', "x", "${1-}"]))
            patterns = ["a", "a*", "Linux|Darwin", "Linux-*", "*-arm64", "x", "''", "[ab]*", "?", "'*'"]
            first, second = draw(st.sampled_from(patterns)), draw(st.sampled_from(patterns))
            return (
                f"case {subject} in\n{first})\n{body()} ;;\n({second}) {draw(_command(inner))} ;;\n*)\n{body()}\nesac"
            )
        case "for":
            return f"for {draw(_name)} in {word()} {word()}; do\n{body(loop=True)}\ndone"
        case "for-arguments":
            return f"for {draw(_name)}; do\n{body(loop=True)}\ndone"
        case "while":
            return f"n=0\nwhile [ $n -lt 2 ]; do\nn=$((n+1))\n{body(loop=True)}\ndone"
        case "and" | "or":
            operator = "&&" if kind == "and" else "||"
            return f"{draw(_condition(inner))} {operator} {draw(_command(inner))}"
        case "subshell":
            return f"(\n{body(loop=False)}\n)"
        case "group":
            return f"{{\n{body()}\n}}"
        case "sh":
            text = draw(_body(_Scope(bash=False, depth=scope.depth - 1)))
            return f"{draw(st.sampled_from(['sh -c', 'sh -ec', 'dash -c']))} {shlex.quote(text)} zero {word()}"
        case "pipe":
            return f"true | {draw(_command(inner))}"
        case "function":
            return f"{draw(st.sampled_from(_FUNCTIONS))}() {{\n{body(function=True, loop=False)}\n}}"
        case _:
            name = draw(st.sampled_from(_FUNCTIONS))
            return f"{name}() {{\n{body(function=True, loop=False)}\n}}\n{name} {word()} {word()}"


def _body(scope: _Scope) -> st.SearchStrategy[str]:
    return st.lists(_statement(scope), min_size=1, max_size=3).map(lambda lines: "\n".join([*lines, ":"]))


@st.composite
def scripts(
    draw: st.DrawFn, depth: int = 2, shells: tuple[str, ...] = ("bash", "dash"), certain: bool | None = None
) -> Case:
    """One script with a shell, a platform and positional parameters; ``certain``: it reads nothing from outside."""
    shell = draw(st.sampled_from(shells))
    scope = _Scope(bash=shell == "bash", depth=depth)
    known = draw(st.lists(_assignment(scope), max_size=2))
    outside = draw(st.booleans()) if certain is None else not certain
    if not outside:
        known = [f"unset {' '.join((*_NAMES, 'n'))}", *known]
    lines = [*known, *draw(st.lists(_statement(scope), min_size=1, max_size=6))]
    text = "\n".join([*lines, ""])
    arguments = tuple(draw(st.lists(st.sampled_from(["one", "two words", "", "a"]), max_size=3)))
    return Case(
        "generated",
        text.encode(),
        shells=(shell,),
        platforms=(draw(st.sampled_from(PLATFORMS)),),
        arguments=arguments,
        forks=True,
        holes=outside,
        unordered="|" in text,
    )
