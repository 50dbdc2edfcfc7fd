#@ if-true
if true; then gcc a; else gcc b; fi
#@ if-false
if false; then gcc a; else gcc b; fi
#@ if-colon
if :; then gcc a; fi
#@ if-elif
if false; then gcc a; elif true; then gcc b; else gcc c; fi
#@ if-list
if true; false; then gcc a; else gcc b; fi
#@ if-not
if ! false; then gcc a; fi
if ! true; then gcc b; fi
#@ if-and
if true && true; then gcc a; fi
if true && false; then gcc b; fi
if false || true; then gcc c; fi
#@ if-test-strings
V=x
if [ "$V" = x ]; then gcc a; else gcc b; fi
if [ "$V" != x ]; then gcc c; else gcc d; fi
#@ if-test-empty forks
V=
if [ -z "$V" ]; then gcc a; fi
if [ -n "$V" ]; then gcc b; fi
if [ "$V" ]; then gcc c; fi
if [ -n "$NOPE" ]; then gcc d; fi
#@ if-test-unquoted-empty
V=
if [ -n $V ]; then gcc a; fi
if [ -z $V ]; then gcc b; fi
#@ if-test-numbers
n=3
if [ $n -gt 2 ]; then gcc gt; fi
if [ $n -le 2 ]; then gcc le; fi
if [ "$n" -eq 3 ]; then gcc eq; fi
if [ $n -ne 3 ]; then gcc ne; fi
#@ if-test-not
if [ ! x = y ]; then gcc a; fi
if [ ! -z "" ]; then gcc b; fi
#@ if-test-and-or
if [ x = x -a y = y ]; then gcc a; fi
if [ x = y -o y = y ]; then gcc b; fi
#@ if-test-word forks
if test x = x; then gcc a; fi
test -z "$NOPE" && gcc b
#@ if-test-x-idiom
V=
if [ "x$V" = x ]; then gcc a; else gcc b; fi
if test "x$V" != "x"; then gcc c; fi
#@ double-bracket bash
V=x86_64
if [[ $V == x86* ]]; then gcc a; fi
if [[ $V = "x86*" ]]; then gcc b; fi
if [[ $V != arm* && -n $V ]]; then gcc c; fi
#@ double-bracket-or bash
V=b
[[ $V == a || $V == b ]] && gcc yes
[[ ! $V == a ]] && gcc not
[[ ( $V == a || $V == b ) && -z "" ]] && gcc paren
#@ double-bracket-regex bash
V=v1.22.3
if [[ $V =~ ^v[0-9]+\. ]]; then gcc a; fi
[[ $V =~ ^w ]] || gcc b
#@ double-bracket-rematch bash holes
V=v1.22
if [[ $V =~ ^v([0-9]+)\.([0-9]+)$ ]]; then gcc ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}; fi
#@ double-bracket-unquoted-blank bash
V='a b'
[[ $V == 'a b' ]] && gcc a
[[ -n $V ]] && gcc b
#@ double-bracket-numbers bash
n=10
[[ $n -gt 9 ]] && gcc a
[[ $n > 9 ]] || gcc string-order
#@ double-bracket-v bash forks
V=
[[ -v V ]] && gcc set
[[ -v NOPE ]] || gcc unset
#@ double-paren bash
n=3
if (( n > 2 )); then gcc a; fi
(( n == 4 )) || gcc b
(( n++ ))
gcc $n
#@ case-literal
case x in x) gcc a ;; *) gcc b ;; esac
#@ case-several
V=b
case $V in a|b|c) gcc abc ;; d) gcc d ;; esac
#@ case-open-paren
case x in (y) gcc y ;; (x) gcc x ;; esac
#@ case-patterns
for v in foo.c bar.o 7 ab; do
  case $v in
    *.c) gcc c $v ;;
    *.o) gcc o $v ;;
    [0-9]) gcc digit $v ;;
    ??) gcc two $v ;;
  esac
done
#@ case-quoted-pattern
V='*'
case $V in "*") gcc star ;; *) gcc any ;; esac
case abc in "*") gcc star ;; *) gcc any ;; esac
#@ case-variable-pattern
P='a*'
case abc in $P) gcc unquoted ;; esac
case abc in "$P") gcc quoted ;; *) gcc other ;; esac
#@ case-none
case x in y) gcc y ;; esac
gcc after
#@ case-empty-word forks
case "$NOPE" in "") gcc empty ;; *) gcc full ;; esac
case $NOPE in ?*) gcc full ;; *) gcc empty ;; esac
#@ case-no-final
case x in
  x) gcc a
esac
#@ case-fall bash
case x in x) gcc a ;& y) gcc b ;; z) gcc c ;; esac
#@ case-test-next bash
case x in x) gcc a ;;& *) gcc b ;; y) gcc c ;; esac
#@ case-class
case 5 in [!0-9]) gcc n ;; [[:digit:]]) gcc d ;; esac
#@ case-blank-pattern
case "a b" in a\ b) gcc a ;; esac
case "a b" in "a "*) gcc b ;; esac
#@ case-two-commands
case x in
  x) gcc a
     make b ;;
  *) gcc c ;;
esac
#@ case-in-substitution
V=$(case x in x) echo one ;; esac)
gcc $V
#@ uname-s on=*
case $(uname) in
  Linux) gcc -linux ;;
  Darwin) gcc -mac ;;
esac
#@ uname-s-m on=*
case "$(uname)-$(uname -m)" in
  Linux-x86_64) tcpu=x86-64-v2 ;;
  Linux-aarch64) tcpu=generic ;;
  Darwin-arm64) tcpu=apple-m1 ;;
  *) exit 1 ;;
esac
mojo build --target-cpu "$tcpu" \
  -O3 \
  main.mojo || exit 1
#@ uname-if on=*
if [ "$(uname -s)" = "Darwin" ]; then
  FLAGS="-mcpu=apple-m1"
else
  FLAGS="-march=x86-64-v2"
fi
clang $FLAGS -c main.c
#@ uname-variable on=*
OS=$(uname -s)
ARCH=`uname -m`
case $OS/$ARCH in
  */aarch64 | */arm64) gcc arm ;;
  Linux/*) gcc linux ;;
esac
#@ uname-pattern on=linux-x86_64,windows-x86_64,macos-x86_64
case "$(uname -s)" in MINGW*|MSYS*) gcc win ;; *) gcc unix ;; esac
#@ uname-windows on=windows-x86_64,freebsd-x86_64,linux-ppc64le
case $(uname -s) in
  MINGW64_NT*) gcc mingw ;;
  FreeBSD) gcc bsd $(uname -m) ;;
  *) gcc other $(uname -m) ;;
esac
#@ uname-lower-arch on=*
arch=$(uname -m)
[ "$arch" = arm64 ] && arch=aarch64
gcc --target=$arch-unknown
#@ ostype bash on=*
case $OSTYPE in linux*) gcc l ;; darwin*) gcc d ;; esac
if [[ "$OSTYPE" == darwin* ]]; then gcc mac; fi
#@ arch-command on=*
gcc -m$(arch)
#@ uname-all on=* holes
gcc "$(uname -r)" x
#@ uname-double-bracket bash on=*
if [[ $(uname) == Linux && $(uname -m) == x86_64 ]]; then gcc a; elif [[ $(uname) == Linux ]]; then gcc b; else gcc c; fi
#@ uname-nested-case on=*
case $(uname) in
  Linux)
    case $(uname -m) in
      x86_64) gcc lx ;;
      *) gcc lo ;;
    esac ;;
  *) gcc mac ;;
esac
#@ uname-and-or on=* forks
[ "$(uname)" = Linux ] && gcc linux || gcc other
#@ uname-function on=*
is_mac() { [ "$(uname)" = Darwin ]; }
if is_mac; then gcc mac; else gcc not; fi
#@ uname-function-output on=*
cpu() { case $(uname -m) in x86_64) echo x86-64-v2 ;; *) echo generic ;; esac; }
gcc -march=$(cpu)
#@ for-words
for a in x y 'z w'; do gcc $a "$a"; done
#@ for-variable
V='a b'
for x in $V "$V" c; do gcc "$x"; done
#@ for-empty
for x in; do gcc $x; done
for x in $NOPE; do gcc $x; done
gcc after
#@ for-arguments args=a "args=b c"
for x; do gcc "$x"; done
for x in "$@"; do make "$x"; done
#@ for-do-newline
for x in a b
do
  gcc $x
done
#@ for-variable-after
for x in a b; do :; done
gcc $x
#@ for-nested
for a in 1 2; do for b in x y; do gcc $a$b; done; done
#@ for-break
for x in a b c; do gcc $x; break; done
#@ for-break-if
for x in a b c; do if [ $x = b ]; then break; fi; gcc $x; done
#@ for-continue
for x in a b c; do [ $x = b ] && continue; gcc $x; done
#@ for-break-two
for a in 1 2; do for b in x y; do gcc $a$b; break 2; done; done
gcc end
#@ for-continue-two
for a in 1 2; do for b in x y; do gcc $a$b; continue 2; done; gcc no; done
#@ for-accumulate
F=
for d in a b c; do F="$F -I$d"; done
gcc $F
#@ for-arch-case
for arch in x86_64 aarch64; do
  case $arch in x86_64) m=x86-64-v2 ;; aarch64) m=armv8-a ;; esac
  gcc -march=$m -o out-$arch
done
#@ for-c bash
for ((i=0; i<3; i++)); do gcc $i; done
#@ for-braces bash
for i in {1..3}; do gcc $i; done
#@ for-c-comma bash
for ((i=0, j=3; i<j; i++, j--)); do gcc $i $j; done
#@ for-substitution
for x in $(echo a b) $(printf '%s\n' c d); do gcc $x; done
#@ while-count
i=0
while [ $i -lt 3 ]; do gcc $i; i=$((i+1)); done
#@ until-count
i=0
until [ $i -ge 2 ]; do gcc $i; i=$((i + 1)); done
#@ while-false
while false; do gcc a; done
gcc b
#@ while-true-break
while true; do gcc a; break; done
gcc b
#@ while-read-here
while read -r a b; do gcc "$a" "$b"; done <<E
x y z
p
E
#@ while-read-ifs
while IFS=: read -r k v; do gcc "$k" "$v"; done <<'E'
a:b c
d:e:f
E
#@ while-read-pipe unordered
printf '%s\n' a 'b c' | while read -r x; do gcc "$x"; done
#@ while-colon
n=0
while :; do
  n=$((n+1))
  [ $n = 3 ] && break
  gcc $n
done
#@ if-assign-status
if V=$(false); then gcc a; else gcc b; fi
if V=$(echo x); then gcc $V; fi
#@ and-or-chain forks
true && gcc a || gcc b
false && gcc c || gcc d
true || gcc e && gcc f
#@ and-newline
true &&
gcc a
#@ negation
! true || gcc a
! false && gcc b
#@ braces-condition
if { true; }; then gcc a; fi
if ( false ); then gcc b; else gcc c; fi
#@ unreachable-after-exit
gcc a
exit 0
gcc b
#@ exit-in-if
if true; then exit 0; fi
gcc a
#@ exit-in-subshell
(gcc a; exit 1; gcc b)
gcc c
#@ exit-in-case on=*
case $(uname) in Linux) gcc a ;; *) exit 0 ;; esac
gcc b
#@ exit-or
true || exit 1
gcc a
false || exit 0
gcc b
#@ exit-and
false && exit 1
gcc a
true && exit 0
gcc b
#@ set-e-false
set -e
gcc a
false
gcc b
#@ set-e-tool exit.test-tool=1 forks
set -e
test-tool
gcc b
#@ set-e-or
set -e
false || gcc a
! true
gcc b
false && true
gcc c
#@ set-e-if
set -e
if false; then :; fi
while false; do :; done
gcc a
#@ set-e-function forks
set -e
f() { false; gcc a; }
if f; then gcc b; fi
gcc c
#@ set-e-function-bare
set -e
f() { false; gcc a; }
f
gcc c
#@ set-e-subshell forks
set -e
(false; gcc a) || gcc b
gcc c
#@ set-e-subshell-bare
set -e
gcc z
(false; gcc a)
gcc c
#@ set-e-substitution
set -e
V=$(false)
gcc a
#@ set-e-substitution-argument
set -e
gcc a$(false)
gcc b
#@ set-e-substitution-local bash
set -e
f() { local V=$(false); gcc a; }
f
#@ set-e-export
set -e
export V=$(false)
gcc a
#@ set-e-off
set -e
set +e
false
gcc a
#@ set-e-and-list
set -e
false && gcc no
gcc yes
#@ set-e-pipeline unordered
set -e
false | true
gcc a
#@ set-o-pipefail bash
set -eo pipefail
false | true
gcc a
#@ set-o-errexit
set -o errexit
false
gcc a
#@ shell-option-e options=-e
false
gcc a
#@ set-u forks
set -u
gcc a
gcc $NOPE
gcc b
#@ set-u-default forks
set -u
gcc ${NOPE:-x} ${NOPE-} "${NOPE+y}"
#@ set-eu-o-pipefail bash
set -euo pipefail
V=x
gcc "$V"
make "${W:-w}"
#@ set-x
set -x
gcc a
set +x
#@ set-n-f
set -f
gcc *.c
#@ return-top bash
f() { gcc a; return 1; gcc b; }
f || gcc c
#@ return-value
f() { return 3; }
f
gcc $?
if f; then gcc no; else gcc yes; fi
#@ return-in-loop
f() { for x in a b; do gcc $x; return; done; gcc no; }
f
gcc end
#@ exit-in-function
f() { gcc a; exit 0; }
f
gcc b
#@ exit-in-substitution
V=$(echo x; exit 1; echo y)
gcc "$V"
#@ exit-status-in-list
(exit 3) || gcc $?
(exit 0) && gcc ok
#@ trap-exit
trap 'gcc cleanup' EXIT
make a
#@ trap-exit-exit
trap 'gcc cleanup' EXIT
make a
exit 0
make b
#@ trap-reset
trap 'gcc no' EXIT
trap - EXIT
make a
#@ trap-function
cleanup() { rm -rf tmp; }
trap cleanup EXIT
make a
#@ trap-int forks
trap 'rm -f x' INT TERM
make a
#@ select-none bash
gcc a
#@ if-command exit.test-tool=1 forks
if test-tool a; then gcc yes; else gcc no; fi
#@ if-command-ok forks
if test-tool a; then gcc yes; else gcc no; fi
#@ tool-or-exit
mojo build || exit 1
gcc a
#@ tool-and-tool
mojo build && gcc a && make b
#@ tool-or-tool exit.mojo=1 forks
mojo build || gcc a
gcc b
#@ tool-or-true exit.mojo=1
mojo build || true
gcc b
#@ tool-semicolon exit.mojo=1
mojo build; gcc a
#@ file-test forks
if [ -f nothing.here ]; then gcc a; else gcc b; fi
[ -d src ] && gcc c
gcc d
#@ file-test-merge forks
if [ -f flags ]; then F=-a; else F=-b; fi
gcc $F
#@ command-v forks
if command -v ccache >/dev/null 2>&1; then CC="ccache gcc"; else CC=gcc; fi
$CC a
#@ outside-fork forks holes
if [ -n "$CI" ]; then gcc ci; else gcc local; fi
gcc end
#@ outside-fork-set assume.CI=true
if [ -n "$CI" ]; then gcc ci; else gcc local; fi
#@ while-shift-case args=--native args=--cpu args=x86-64-v2
while [ $# -gt 0 ]; do
  case $1 in
    --native) native=1 ;;
    --cpu) cpu=$2; shift ;;
  esac
  shift
done
gcc -march=$cpu ${native:+-n}
#@ getopts args=-a args=-b args=val args=rest
while getopts ab: o; do
  case $o in a) gcc A ;; b) gcc B "$OPTARG" ;; esac
done
shift $((OPTIND - 1))
make "$@"
#@ until-tool forks
until test-tool ready; do make again; done
gcc a
#@ time-keyword-list bash
time { gcc a; make b; }
#@ bang-if-grep exit.grep=1 forks
if ! grep -q x y; then gcc a; fi
#@ nested-if
if true; then if false; then gcc a; else if true; then gcc b; fi; fi; fi
#@ if-on-one-variable-twice
M=debug
if [ $M = debug ]; then F=-g; fi
if [ $M = release ]; then F=-O2; fi
gcc $F
#@ long-if-else-chain on=*
a=$(uname -m)
if [ "$a" = x86_64 ]; then m=x86-64
elif [ "$a" = aarch64 ]; then m=armv8-a
elif [ "$a" = arm64 ]; then m=apple-m1
else echo unknown >&2; exit 2
fi
gcc -m$m
#@ case-exit-default on=*
case "$(uname -m)" in
  x86_64 | amd64) A=x86-64-v2 ;;
  arm64 | aarch64) A=armv8-a ;;
  *) echo "no" >&2; exit 1 ;;
esac
gcc -march="$A"
#@ set-e-errexit-in-function-or forks
set -e
f() { false; gcc in; }
f || gcc or
gcc end
#@ set-e-last-in-and
set -e
true && false || gcc a
gcc b
#@ set-e-group-in-if forks
set -e
if { false; gcc a; }; then gcc b; fi
gcc c
#@ set-e-while-condition
set -e
n=0
while [ $n -lt 1 ]; do n=$((n+1)); false || gcc $n; done
gcc end
#@ set-e-case
set -e
case x in x) false || true ;; esac
gcc a
#@ set-e-not
set -e
! false
gcc a
#@ set-e-negated-true
set -e
! true
gcc a
#@ set-e-assignment-then
set -e
V=$(echo x; false) || gcc failed
gcc $V
#@ set-e-inside-substitution
set -e
V=$(false; echo x)
gcc "got$V"
#@ set-e-pipe-last unordered
set -e
true | false
gcc no
#@ set-e-subshell-exit
set -e
(exit 0)
gcc a
(exit 2)
gcc no
#@ set-e-function-return
set -e
f() { return 1; }
f
gcc no
#@ set-e-function-return-and
set -e
f() { return 1; }
f && gcc no
gcc yes
#@ set-e-sh-c
set -e
sh -c 'exit 1'
gcc no
#@ set-e-test-and
set -e
[ a = b ] && gcc no
gcc yes
#@ set-e-function-ends-in-and
set -e
f() { [ a = b ] && gcc no; }
f
gcc never
#@ set-e-if-no-branch
set -e
f() { if false; then :; fi; }
f
gcc a
#@ exit-in-pipe unordered
true | exit 3
gcc a
#@ exit-in-group
{ gcc a; exit; }
gcc no
#@ exit-in-loop
for x in a b c; do gcc $x; [ $x = b ] && exit; done
gcc no
#@ exit-in-while-read unordered
printf 'a\nb\n' | while read -r x; do gcc "$x"; exit; done
gcc end
#@ exit-in-else
if false; then :; else exit 1; fi
gcc no
#@ return-in-case
f() { case $1 in a) gcc a; return ;; esac; gcc "other $1"; }
f a
f b
#@ return-in-subshell
f() { (return 3); gcc $?; }
f
#@ return-status-variable
f() { false; return; }
f || gcc a
#@ break-in-case
for x in a b; do case $x in a) break ;; esac; gcc $x; done
gcc end
#@ break-in-if-in-while
n=0
while true; do n=$((n+1)); if [ $n -gt 2 ]; then break; fi; gcc $n; done
#@ break-outside
break
gcc a
#@ continue-in-while
n=0
while [ $n -lt 3 ]; do n=$((n+1)); [ $n = 2 ] && continue; gcc $n; done
#@ case-range
for v in a5 b7 z; do case $v in [a-c][0-5]) gcc low $v ;; [a-c]*) gcc mid $v ;; *) gcc no ;; esac; done
#@ case-negated-class
case foo in [!a-e]*) gcc a ;; *) gcc b ;; esac
#@ case-escaped
case 'a*b' in a\*b) gcc a ;; esac
case 'axb' in a\*b) gcc no ;; *) gcc b ;; esac
#@ case-bracket-close
case ']' in []]) gcc a ;; esac
case '-' in [a-]) gcc b ;; esac
#@ case-newline-word
case 'a
b' in a*b) gcc a ;; esac
#@ case-hole-in-arm holes
V=$(git describe)
case x in x) gcc "$V" ;; esac
#@ case-unknown forks holes
case "$(git branch)" in main) gcc a ;; *) gcc b ;; esac
gcc end
#@ case-unknown-assigns forks holes
case "$(git branch)" in main) F=-O3 ;; *) F=-O2 ;; esac
gcc "$F"
#@ case-status
case x in x) false ;; esac || gcc a
case x in y) false ;; esac && gcc b
#@ if-status
if false; then :; fi && gcc a
if true; then false; fi || gcc b
#@ for-status
for x in; do false; done && gcc a
for x in a; do false; done || gcc b
#@ while-status
while false; do :; done && gcc a
#@ for-redefines-list
L="a b"
for x in $L; do L=c; gcc $x; done
gcc $L
#@ for-positional-changes args=a args=b
for x; do set -- q; gcc "$x"; done
gcc "$@"
#@ for-quoted-list
L="a b"
for x in "$L" 'c d'; do gcc "$x"; done
#@ for-substitution-lines
for x in $(printf 'a b\nc\n'); do gcc "$x"; done
#@ for-newlines
for x in a \
  b \
  c; do gcc $x; done
#@ for-paths
for d in lib/a lib/b; do gcc -I"$d/include" "${d##*/}.c"; done
#@ while-shift-two args=a args=1 args=b args=2
while [ $# -ge 2 ]; do gcc "$1=$2"; shift 2; done
#@ while-string
V=aaa
while [ -n "$V" ]; do gcc "$V"; V=${V#a}; done
#@ while-list
P=a:b:c
while [ -n "$P" ]; do
  x=${P%%:*}
  case $P in *:*) P=${P#*:} ;; *) P= ;; esac
  gcc "$x"
done
#@ until-string
V=
until [ "$V" = xx ]; do V=${V}x; gcc $V; done
#@ double-bracket-pattern-variable bash
P='a*'
[[ abc == $P ]] && gcc a
[[ abc == "$P" ]] || gcc b
#@ double-bracket-order bash
[[ a < b ]] && gcc a
[[ b > a ]] && gcc b
#@ double-bracket-unset bash
unset V
[[ -z $V ]] && gcc a
[[ $V == "" ]] && gcc b
#@ double-bracket-arith bash
n=5
[[ n -eq 5 ]] && gcc a
[[ 2+3 -eq n ]] && gcc b
#@ double-bracket-newlines bash
if [[ a == a &&
      b == b ]]; then gcc a; fi
#@ double-bracket-quotes bash
V='a b'
[[ "$V" == "a b" ]] && gcc a
[[ $V == a\ b ]] && gcc b
[[ $V == 'a '* ]] && gcc c
#@ double-bracket-precedence bash
[[ a == b || a == a && b == b ]] && gcc a
[[ ! a == b && c == c ]] && gcc b
#@ test-quirks
test && gcc no
test "" && gcc no
test x && gcc a
test ! && gcc b
[ ! x ] || gcc c
[ = ] && gcc d
[ "(" = "(" ] && gcc e
#@ test-paren
[ \( a = a \) -a b = b ] && gcc a
#@ test-string-compare bash
[ a \< b ] && gcc a
#@ test-numeric-bad
[ x -eq 1 ] 2>/dev/null || gcc a
#@ test-negative
[ -1 -lt 0 ] && gcc a
[ 007 -eq 7 ] && gcc b
#@ test-flag-like
V=-n
[ "$V" = -n ] && gcc a
[ -n "$V" ] && gcc b
#@ trap-exit-in-subshell
(trap 'gcc sub' EXIT; make a)
make b
#@ trap-exit-status
trap 'gcc $?' EXIT
(exit 3)
exit 4
#@ trap-exit-variable
trap 'gcc "$V"' EXIT
V=late
make a
#@ trap-exit-double-quoted
V=early
trap "gcc $V" EXIT
V=late
make a
#@ trap-exit-set-e
set -e
trap 'gcc end' EXIT
false
make no
#@ trap-exit-zero
trap 'gcc end' 0
make a
#@ trap-err bash forks
trap 'gcc err' ERR
make a
#@ trap-list
trap 'rm -rf a; gcc end' EXIT
make x
#@ trap-replaced
trap 'gcc one' EXIT
trap 'gcc two' EXIT
make a
#@ command-not-run-after-exec
exec true
gcc no
#@ uname-default-arm on=*,freebsd-x86_64
case $(uname -s) in
  Linux*) os=linux ;;
  Darwin*) os=macos ;;
  *) os=other ;;
esac
make OS=$os
#@ uname-test-chain on=*
[ "$(uname -s)" = Linux ] && [ "$(uname -m)" = aarch64 ] && gcc arm-linux
[ "$(uname -s)" != Linux ] || gcc linux
#@ uname-substring bash on=*
M=$(uname -m)
gcc ${M:0:3} "${M/64/32}"
#@ uname-table on=*
set -- x86_64:x86-64-v2 aarch64:generic arm64:apple-m1
for pair; do
  if [ "${pair%%:*}" = "$(uname -m)" ]; then cpu=${pair#*:}; fi
done
mojo build --target-cpu "$cpu"
#@ uname-eval on=*
x86_64=x86-64-v2 aarch64=generic arm64=apple-m1
eval "cpu=\$$(uname -m)"
mojo build --target-cpu "$cpu"
#@ uname-expr-pattern on=*
case $(uname -m)-$(uname -s) in *64-L*) gcc a ;; a*) gcc b ;; esac
#@ uname-exit-unsupported on=*
if [ "$(uname)" != Linux ]; then echo "linux only" >&2; exit 0; fi
gcc linux
#@ uname-twice-negated on=*
if ! [ "$(uname)" = Darwin ]; then gcc a; fi
if [ ! "$(uname)" = Darwin ]; then gcc b; fi
