# Errors of the shell: of arithmetic, of unset and of readonly variables, of redirections (XCU 2.8.1), and `select`.
#@ select-empty bash
select x in a b; do gcc $x; break; done </dev/null
make status $?
#@ select-here bash
select x in a b; do gcc $x $REPLY; break; done <<< 2
make $x $?
#@ select-here-loop bash
select x in a 'b c'; do gcc "$x"; done <<'X'
1
2
X
make "$x" "$REPLY" $?
#@ select-outside-number bash
select x in a b; do gcc "x$x" "$REPLY"; break; done <<< 7
make
#@ select-text bash
select x in a b; do gcc "x$x" "$REPLY"; break; done <<< abc
#@ select-blank-line bash
select x in a b; do gcc "$x"; break; done <<'X'

2
X
#@ select-no-words bash args=p args=q
select x; do gcc "$x"; break; done <<< 2
#@ select-none bash
select x in; do gcc "$x"; break; done <<< 2
make $?
#@ select-piped bash
echo 2 | select x in a b; do gcc $x; break; done
#@ select-status bash
select x in a b; do false; done <<< 1
make $?
#@ select-continue bash
select x in a b; do [ $x = a ] && continue; gcc $x; break; done <<'X'
1
2
X
#@ let-array bash unread holes
let i=(3+4)
gcc $i
#@ let-array-step bash
let 'i=(3+4)'; let i++; gcc $i; let i--; gcc $i
#@ let-several bash
let a=1 b=a+2 'c = b * 2'; gcc $a $b $c
#@ let-zero bash
let a=0 || gcc zero
let a=5 && make five
#@ let-error bash
let 1+ ; gcc $?
#@ let-div bash
let '1/0'; gcc $?
#@ let-none bash
let; gcc $?
#@ arith-div-echo bash
gcc $((1/0)); make x
#@ arith-div-later bash
V=$((1/0))
make x
#@ arith-cmd-div bash
((1/0)); gcc $?
(( 1 +)); gcc $?
make
#@ arith-side bash
x=0; gcc $((1/0 && x++)); gcc $x
#@ arith-eval-error bash
gcc $((a b)); make
#@ arith-div-dash dash
gcc $((1/0)); make x
make y
#@ arith-sub-div bash
(gcc $((1/0))); make x
#@ arith-fn-div bash
f() { gcc $((1/0)); make f; }
f; make x
make y
#@ arith-comsub-div bash
gcc "$(echo a; echo $((1/0)); echo b)"; make x
#@ nounset-positional
set -u; gcc ${1}
make
#@ nounset-positional-plain
set -u; gcc $1
make
#@ nounset-positional-given args=a
set -u; gcc $1 "$1"
make $2
#@ nounset-star
set -u; gcc "$@" $*
make $#
#@ nounset-default
set -u; gcc ${1-a} ${1:-b} ${1+c}
#@ nounset-unset-var
set -u; unset V; gcc x; make $V; cargo
#@ nounset-unset-length
set -u; unset V; gcc x; make ${#V}; cargo
#@ nounset-subshell
set -u; unset V; (gcc $V; make a); cargo b
#@ nounset-comsub
set -u; unset V; X=$(echo $V); gcc "$X" $?
#@ nounset-function
f() { gcc $V; make a; }
set -u; unset V; f; cargo b
#@ nounset-array bash
set -u; a=(); gcc x "${a[@]}"; make ${#a[@]}; cargo ${a[0]}; mojo
#@ nounset-array-element bash
set -u; a=(1 2); gcc ${a[1]}; make ${a[2]}; cargo
#@ nounset-indirect bash
set -u; unset b; V=b; gcc x; make ${!V}; cargo
#@ nounset-nested-default
set -u; unset A B; gcc ${A:-${B-x}}
make ${A:-$B}
cargo
#@ nounset-arith bash
set -u; unset V; gcc $((V+1)); make
#@ nounset-arith-dash dash
set -u; unset V; gcc $((V+1)); make
#@ nounset-and-list
set -u; unset V; gcc $V || make a; cargo b
#@ nounset-trim
set -u; unset V; gcc a; make ${V%x}
cargo
#@ nounset-pipe
set -u; unset V; gcc $V | make a; cargo b
#@ nounset-eval
set -u; unset V; eval 'gcc $V'; make
#@ nounset-exit-trap
set -u; unset V; trap 'gcc trapped' EXIT; make $V; cargo
#@ indirect-unset bash forks
gcc a${!V}b; make more
#@ indirect-unset-declared bash
unset V; gcc a${!V}b; make more
#@ indirect-empty bash
V=; gcc a${!V}b; make more
#@ indirect-invalid bash
V='a b'; gcc a${!V}b; make more
#@ indirect-to-unset bash
V=B; unset B; gcc a${!V}b; make more
#@ indirect-default bash
V=B; unset B; gcc "${!V:-x}"; B=y; make "${!V:-x}" "${!V#y}" "${!V^}"
#@ indirect-at bash
set -- foo; foo=value; gcc ${!@}-${!*}-${!1}
#@ indirect-at-empty bash
gcc ${!@}-${!*}
set -- foo; make ${!@}-${!*}-${!1}
#@ indirect-hash bash args=a args=b
gcc "${!#}" ${!#}
#@ indirect-number bash args=a args=b
n=2; gcc ${!n}
#@ indirect-element bash
a=(x y z); r='a[1]'; gcc ${!r}; r='a[@]'; make "${!r}"
#@ indirect-assign bash
V=B; unset B; gcc ${!V:=x}; make $B
#@ indirect-length bash
V=B; B=abc; gcc ${#V} ${!V}
#@ question-set
V=1; gcc ${V?no}
#@ question-unset
unset V; gcc a; make ${V?no}; cargo
#@ question-empty
V=; gcc ${V?no}x; make ${V:?no}; cargo
#@ question-subshell
unset V; (gcc ${V:?no}; make a); cargo $?
#@ question-comsub
unset V; gcc "$(echo a; echo ${V?no}; echo b)"; make x
#@ ro-assign
readonly V=1
V=2; gcc $V $?
make $V $?
#@ ro-assign-same-line
readonly V=1; V=2; gcc $V $?
make $V
#@ ro-assign-or
readonly V=1
V=2 || gcc $V $?
make $V
#@ ro-assign-if
readonly V=1
if V=2; then gcc a; else gcc b; fi
make $V
#@ ro-prefix-external
readonly V=1
V=2 gcc $V $?
make $V
#@ ro-prefix-external-exported
readonly V=1; export V
V=2 gcc $V $?
make $V
#@ ro-prefix-builtin
readonly V=1
V=2 : ; gcc $V $?
make $V
#@ ro-prefix-echo
readonly V=1
V=2 true; gcc $V $?
make $V
#@ ro-export
readonly V=1
export V=2; gcc $V $?
make $V
#@ ro-readonly-again
readonly V=1
readonly V=2; gcc $V $?
make $V
#@ ro-declare bash
readonly V=1
declare V=2; gcc $V $?
make $V
#@ ro-local
readonly V=1
f() { local V=2; gcc $V $?; }
f; gcc $V
make $V
#@ ro-local-bare
readonly V=1
f() { local V; gcc "$V"; }
f; gcc $V
make $V
#@ ro-unset
readonly V=1
unset V; gcc $V $?
make $V
#@ ro-read
readonly V=1
read V <<X
2
X
gcc $V $?
make $V
#@ ro-for
readonly V=1
for V in a b; do gcc $V; done; gcc $?
make $V
#@ ro-default
readonly V=
gcc ${V:=x}; gcc "$V"
make "$V"
#@ ro-arith
readonly V=1
gcc $((V=2)); gcc $V
make $V
#@ ro-arith-cmd bash
readonly V=1
((V=2)); gcc $V $?
((V++)) ; make $V $?
#@ ro-let bash
readonly V=1
let V=2; gcc $V $?
make
#@ ro-printf bash
readonly V=1
printf -v V x; gcc $V $?
make
#@ ro-mapfile bash
readonly V=1
mapfile V <<< x; gcc $V $?
make
#@ ro-array bash
readonly a=(1 2)
a[0]=3; gcc ${a[0]}
make ${a[@]}
#@ ro-array-whole bash
declare -r a=(1 2)
a=(3); gcc ${a[0]}
make ${a[@]}
#@ ro-array-append bash
declare -ar a=(1 2)
a+=(3); gcc ${a[0]}
make ${a[@]}
#@ ro-subshell
readonly V=1
(V=2; gcc $V); make $V $?
#@ ro-function
readonly V=1
f() { V=2; gcc $V; }
f; gcc x
make y
#@ ro-eval
readonly V=1
eval 'V=2; gcc $V
gcc next'; cargo
make y
#@ ro-comsub
readonly V=1
gcc "$(V=2; echo $V)"; make $V
#@ ro-sh
readonly V=1; export V
sh -c 'V=2; gcc $V'
#@ ro-plus
readonly V=1
f() { readonly W=1; }
f; W=2
gcc $W
#@ ro-errexit
set -e
readonly V=1
V=2
gcc $V
#@ ro-command
readonly V=1
command export V=2; gcc $V $?
make
#@ ro-two
readonly V=1
A=x V=2 B=y; gcc $A $V $B
make "$A" $V "$B"
#@ ro-brace bash
readonly V=1
{ V=2; gcc a; } || gcc b
make
#@ rd-missing-builtin holes
true < missing; make $?
#@ rd-missing-cond bash holes
[[ a == a ]] < missing; make $?
#@ rd-missing-arith bash holes
((1)) < missing; make $?
#@ rd-missing-test holes
[ a = a ] < missing; make $?
#@ rd-missing-command-exec holes
command exec < missing; gcc $?
make
#@ rd-missing-command-colon holes
command : < missing; gcc $?
make
#@ rd-missing-read holes
read V < missing; gcc "$V" $?
#@ rd-missing-source bash holes
source missing; gcc $?
make
#@ rd-missing-dot-command holes
command . ./missing; gcc $?
make
#@ rd-dir
mkdir -p d; gcc a > src; make $?
#@ rd-dir-slash
gcc a > src/; make $?
#@ rd-present holes
gcc a < main.c; make $?
#@ rd-written
echo x > made; gcc a < made
make
#@ rd-fd-close
gcc a >&-; make b <&-
#@ rd-fd-err
gcc a 2>&1 >&2; make 1>&2
#@ rd-fd-bad dash unread holes
gcc a >&x; make $?
cargo
#@ rd-fd-file bash holes
gcc a >&x; make $?
#@ rd-empty-target
V=; gcc a > "$V"; make $?
#@ rd-ambiguous bash
V='a b'; gcc a > $V; make $?
#@ rd-ambiguous-unset bash
unset V; gcc a > $V; make $?
#@ rd-ambiguous-dash dash holes
V='a b'; gcc a > $V; make $?
#@ rd-glob bash
gcc a < m*.c; make
#@ rd-var-fd bash holes
exec {fd}>log; gcc a >&$fd; make $?
#@ rd-dev
gcc a < /dev/null > /dev/null 2>/dev/stderr; make
#@ div-lines bash
gcc $((1/0))
make $?
f() { gcc $((1/0)); make f; }
f
make $?
eval 'gcc $((1/0)); cargo
make e $?'
cargo
{ gcc $((1/0)); make
}
cargo 2
if gcc $((1/0)); then make; else cargo no; fi
cargo 3
#@ div-set-e bash
set -e
gcc $((1/0))
make
#@ div-set-e-or bash
set -e
gcc $((1/0)) || make
cargo
#@ div-c
bash -c 'gcc $((1/0)); make
cargo'
mojo
#@ div-cond bash
[[ 1/0 -eq 1 ]]; gcc $?
make
#@ div-cond-not bash
! [[ 1/0 -eq 1 ]]; gcc $?
if [[ 1/0 -eq 1 ]]; then make a; else make b; fi
#@ div-cfor bash
for ((i=0;i<1/0;i++)); do gcc $i; done; make $?
for ((i=1/0;i<1;i++)); do gcc $i; done; make $?
for ((i=0;i<2;i=1/0)); do gcc $i; done; make $?
cargo
#@ div-subst bash
V=abc; gcc ${V:1/0}; make
cargo
#@ div-index bash
a=(1 2); gcc ${a[1/0]}; make
cargo
#@ div-index-assign bash
a=(1 2); a[1/0]=5; make
cargo ${a[@]}
#@ bad-index-assign bash
a=(1 2); a[-5]=5; make
cargo ${a[@]}
#@ bad-index-get bash
a=(1 2); gcc ${a[-5]}; make
cargo
#@ div-test bash
[ 1/0 -eq 1 ]; gcc $?
[ abc -eq 1 ]; gcc $?
[ abc -eq 1 ] || make
#@ test-status-dash dash holes
[ abc -eq 1 ]; gcc $?
[ a b ]; gcc $?
[ 1 -eq 1 -a ]; gcc $?
#@ decl-int bash
declare -i n; n=1/0; gcc "$n"
make "$n"
#@ decl-int-bad bash
declare -i n=5; n='a b'; gcc "$n"
make "$n"
#@ invalid-indirect bash
unset V
gcc ${!V}; make
cargo
#@ invalid-indirect-2 bash
V='a b'
gcc ${!V}; make
cargo
#@ invalid-indirect-op bash
unset V
gcc ${!V-x}; make
cargo
#@ invalid-indirect-op2 bash
unset V
gcc ${!V+x}; make
cargo
#@ bad-subst bash unread
gcc ${V@Z}; make
cargo
#@ bad-subst-2 bash unread holes
V=1
gcc ${V@Z}; make
cargo
#@ subst-neg bash
V=abc; gcc ${V:1:-5}; make
cargo
#@ subst-neg-2 bash
V=abc; gcc "${V: -5}" "${V:5}" "${V:1:-1}" "${V:0:-3}"; make
#@ slice-neg bash
a=(1 2 3); gcc ${a[@]:1:-1}; make
cargo
#@ slice-neg-2 bash
a=(1 2 3); gcc ${a[@]: -2} ${a[@]: -2:1} x${a[@]: -5} y${a[@]:5}; set -- a b c; make ${@: -1} ${@: -2:1} ${@:0:0} "${@:2}" ${*:1:2}; cargo x${@: -3} y${@: -4:0}
#@ slice-sparse bash
a=([2]=x [5]=y [7]=z); gcc ${a[@]:1} ; make ${a[@]:3:1} ; cargo ${a[@]: -2} ; mojo ${a[@]:0:2}
#@ slice-assoc bash
declare -A h=([a]=1); gcc ${h[@]:0:1} ${h[@]:1:1}
#@ neg-index bash
a=(1 2 3); gcc ${a[-1]} ${a[-3]} ${a[-1]:-d}; a[-1]=9; make ${a[@]}; unset 'a[-1]'; cargo ${a[@]}
#@ neg-index-empty bash
a=(); gcc x${a[-1]}; make
cargo
#@ set-comsub
set -- $(echo a b); gcc $# $1 $2
#@ set-comsub-unknown holes forks
set -- $(git ls-files); gcc $# "$1"
#@ set-comsub-shift holes forks
set -- x $(git ls-files) y; shift; gcc $# "$1" "$@"
#@ set-at-append args=a holes forks
set -- "$@" $(git a) z; gcc "$1"; make "$#"; cargo "$2"
#@ set-unknown-case holes forks
set -- $(git x); case $# in 0) gcc none;; 1) gcc one;; *) gcc many;; esac
#@ set-unknown-test holes forks
set -- $(git x); [ $# -eq 0 ] && gcc none; [ $# -gt 0 ] && gcc some
#@ set-unknown-while holes forks
set -- a $(git x); while [ $# -gt 0 ]; do gcc "$1"; shift; done; make
#@ set-unknown-quoted holes
set -- "$(git x)" b; gcc $# "$2"; shift; make "$1"
#@ set-unset-var holes forks
set -- $V x; gcc $# "$1"
#@ array-unknown bash holes forks
a=($(git x)); gcc ${#a[@]} "${a[0]}" "${a[1]}"; make "${a[@]}"
#@ function-unknown holes forks
f() { gcc $# "$1" "$2"; }; f $(git x) y; f "$(git x)" y
#@ set-glob holes forks
set -- *.c; gcc $# "$1"
#@ set-glob-2 holes forks
set -- src/*.c; gcc $# "$1" "$2"
#@ pushd-set bash holes
set -- $(pushd src); gcc $#
#@ dirs-set bash holes
set -- $(dirs); gcc $# ${#DIRSTACK[@]}
#@ dirs-after-pushd bash holes
pushd src >/dev/null; set -- $(dirs); gcc $#
#@ dirs-p bash holes
pushd src >/dev/null; set -- $(dirs -p); gcc $#; popd >/dev/null; set -- $(dirs -p); gcc $#
#@ readonly-getopts
readonly o=z
set -- -a v -b x
getopts a:b o; cc $? $o
getopts a:b o; cc $? $o
#@ readonly-getopts-end bash
readonly o=z
set -- x
getopts a o; cc $? $o $OPTIND
#@ readonly-getopts-loop
readonly o=z
set -- -a -b
while getopts ab o; do cc $o; done
cc end
#@ readonly-getopts-open args=-a holes forks
readonly o=z
while getopts ab o "$@"; do cc $o; break; done
cc end
#@ readonly-optarg holes forks
readonly OPTARG=z
set -- -a -b v
getopts ab: o; cc $? $o $OPTARG
getopts ab: o; cc $? $o $OPTARG
getopts ab: o; cc $? "$o" $OPTARG
#@ readonly-optarg-wrong holes forks
readonly OPTARG=z
set -- -x
getopts :a o; cc $? "$o" $OPTARG
#@ readonly-optarg-missing holes forks
readonly OPTARG=z
set -- -a
getopts a: o 2> /dev/null; cc $? "$o" $OPTARG
#@ readonly-optarg-missing-silent holes forks
readonly OPTARG=z
set -- -a
getopts :a: o; cc $? "$o" $OPTARG
#@ readonly-optind holes forks
readonly OPTIND=1
set -- -a -b
getopts ab o; cc $? $o $OPTIND
getopts ab o; cc $? $o $OPTIND
#@ getopts-end-unsets
OPTARG=q
set -- x
getopts ab o; cc $? "$o" $OPTARG
