"""Statements of generated scripts as templates: ``«word»`` and its like stand for what the generator puts in.

Knows nothing of how words and bodies are made. One kind a construct of the manuals (POSIX.1-2024 XCU 2, bash manual 3
and 4).
"""

CHOICES: dict[str, tuple[str, ...]] = {
    "form": ("%d", "%5s|", "%-4s|", "%03d", "%x", "%.2s", "%c", "%b", "a\\tb%s", "%%%s", "\\101%s", "%*s", "%+d", "%o"),
    "printable": ("1", "42", "-5", "010", "abc", "'a b'", "''", "'a\\tb'", '"\'x"', "0x1f"),
    "given": ("-a", "-b x", "-bx", "-ab y", "--", "-z", "w", "", "-"),
    "wanted": ("ab:", ":ab:"),
    "wrong": ("1/0", "1+", "08", "1 2", "5%0"),
    "separated": (":a::b:", " a b ", "a,b,", ",", ", a ,", "a:b c", "::", ""),
    "ifs": (":", ",", ", ", ": ", ""),
    "part": ("A=s", "set -- s t", "shift", 'gcc "$@"', "return 3", "false", "B=$1"),
    "redirection": (">log", "</dev/null", "2>&1", ">src", "3>log", ">''"),
    "mapfile": ("-t", "", "-tn1", "-s 1 -t", "-t -d :", "-O 1 -t"),
    "read": ("-rd :", "-n 2", "-N 3 -r", "-ra L", "-rd ''", "-rn2", "-t 5"),
    "regex": ("^a", "a(.*)b", "([a-z]+)-?", "^$", "x|a", "[0-9]+$", "(a)(b)?", "[[:alpha:]]$"),
    "subject": ('"$A"', "a1-b", "ab", "x86-64", "$1"),
    "letter": ("Q", "U", "L", "u", "a", "A"),
    "each": ("Q", "U", "L"),
    "sliced": ("L[@]", "A", "M[@]", "L[*]"),
    "from": ("1", "2", " -1", " -2", "5"),
    "start": ("0", "1", " -1", " -2", "5", "$#"),
    "size": ("", ":1", ":0", ":2"),
    "pattern": ("+(a)", "?(a)b*", "!(a)", "@(a|ab)*", "*(a|b)", "!(*a*)", "a!(b)", "a*", "[!a]?"),
    "matched": ("aab", "ab", "b", "aaa", "xaay", "''"),
    "bound": ("2", "0", "n", "${#L[@]}", "1/0"),
    "truth": ("n > 1", "$#", "0", "n = 2", "1/0", "!n", "A"),
    "answer": ("1", "2", "9", "x", "", "\n2"),
    "end": (";&", ";;&"),
    "code": ("", " 0", " 3"),
}

BOTH: dict[str, tuple[str, ...]] = {
    "printed": (
        "gcc \"$(printf '«form»' «printable»)\"",
        "true; gcc \"$(printf '«form»' «printable» «printable» «printable»)\" $?",
    ),
    "options": (
        "set -- «given» «given» «given»\nOPTIND=1\nwhile getopts «wanted» o; do\n"
        'gcc "$o" "${OPTARG-}"\ndone\nshift $((OPTIND-1))\nmake "$@"',
    ),
    "readonly": ("readonly «name»", "readonly R=r", "R=1 || :", "export R=e", "unset R; echo", "R=2 gcc $R", "R=3"),
    "demand": ("set -u", "set +u", ': "${«name»?}"', ": ${«name»:?x}", "gcc ${«name»?} $R"),
    "wrong": (
        "gcc $((«wrong»)); make after",
        "B=$((«wrong»)); make after",
        "(gcc $((«wrong»)); make in); make $?",
        "if gcc $((«wrong»)); then make; else make no; fi; make after",
    ),
    "separators": ("V='«separated»'\nIFS='«ifs»'\ngcc $V x\"$V\" $* \"$*\"\nunset IFS",),
    "pipe-in": ('«output» | while read -r A B; do gcc "$A" "$B"; done',),
    "source": ("printf '%s\\n' '«part»' >part.sh\n. ./part.sh\ngcc \"${A-}\" \"$@\"",),
    "words-of-output": ('set -- a $(«output») b\n[ $# -lt 2 ] || shift\ngcc "$1" $# "$@"',),
    "test-status": ("[ a b ]; gcc $?", "[ x -eq 1 ]; gcc $?", "test ! -n ''; gcc $?", "[ '(' a ')' ]; gcc $?"),
}
"""What bash and dash both have."""

BASH: dict[str, tuple[str, ...]] = {
    "name-reference": (
        "declare -n ref=A\nref=via\ngcc $A $ref ${!ref}\nunset -n ref",
        "declare -n ref='L[1]'\nref=via\ngcc \"${L[@]}\"\nunset -n ref",
        'r() { local -n out=$1; out+=$2; }\nr B x\ngcc "$B"',
        'r() { local -n l=$1; gcc "${l[@]}" ${#l[@]} "${l[-1]}"; l[3]=z; }\nL=(p q)\nr L\nmake "${L[@]}"',
    ),
    "mapfile": ('mapfile «mapfile» L <<\'E\'\n«line»\n«line»\nE\ngcc "${L[@]}" ${#L[@]} "${!L[@]}"',),
    "read-options": ('read «read» A <<\'E\'\n«line»\nE\ngcc $? "$A" "${L[@]}"',),
    "regex": ('if [[ «subject» =~ «regex» ]]; then\ngcc "${BASH_REMATCH[@]}"\nelse\nmake no\nfi',),
    "transform": ('gcc "${«name»@«letter»}" "${L[@]@«each»}"',),
    "slice": (
        'gcc "${«sliced»:«start»«size»}" ${«sliced»:«start»«size»}',
        'gcc "${@:«from»«size»}" ${*:«from»«size»} "${*:«from»}"',
    ),
    "let": ("let n=3+4\ngcc $n", "let 'n = 2 * 3' A=n\ngcc $n $A", "let n++ || make\ngcc $n", "((n+=2))\ngcc $n"),
    "element": tuple(
        f'{what}\ngcc "${{L[@]}}" "${{!L[@]}}" "${{#L[@]}}" "${{M[@]}}" "${{L[-1]-none}}"'
        for what in ("L[1]=x", "L[-1]=y", "unset 'L[0]'", "L+=(p q)", "L[2]+=z", "M=([3]=a b)", "L=()")
    ),
    "extended": tuple(
        f"shopt -s extglob\nA=«matched»\ngcc {use}\n[[ $A == «pattern» ]] && make matched"
        for use in ('"${A#«pattern»}"', '"${A##«pattern»}"', '"${A%«pattern»}"', '"${A//«pattern»/-}"')
    ),
}

BOTH_DEEP: dict[str, tuple[str, ...]] = {
    "redirected": ("{\n«body»\n} «redirection»\nmake $?", "if true; then\n«body»\nfi «redirection»\nmake $?"),
    "until": ("n=0\nuntil [ $n -ge 2 ]; do\nn=$((n+1))\n«loop»\ndone",),
    "read-loop": ("while read -r A B; do\n«loop»\ndone <<'E'\n«line»\n«line»\nE",),
    "exit": ("(\n«body»\nexit«code»\n«body»\n) && make $?", "(\n«body»\n); gcc $?"),
}
BASH_DEEP: dict[str, tuple[str, ...]] = {
    "case-fall": ("case $A in\na*)\n«body» «end»\n*b)\n«body» «end»\n?*)\n«body» ;;\nesac",),
    "c-for": ("for ((i=0; i<«bound»; i++)); do\ngcc $i\n«loop»\ndone",),
    "arithmetic-if": ("if (( «truth» )); then\n«body»\nelse\n«body»\nfi",),
    "select": (
        'select B in «word» two; do\ngcc "$B" "$REPLY"\n«loop»\nbreak\ndone <<\'E\' 2>&1\n«answer»\nE\nmake "$B"',
    ),
}
"""Those that hold other statements."""

TEMPLATES = {**BOTH, **BASH, **BOTH_DEEP, **BASH_DEEP}
