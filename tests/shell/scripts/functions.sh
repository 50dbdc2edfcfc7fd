#@ simple
f() { gcc a; }
f
f
#@ arguments
f() { gcc "$1" $2 "$#" "$@"; }
f "a b" 'c d' e
#@ keyword bash
function f { gcc a "$@"; }
f x
function g() { gcc b; }
g
#@ not-called forks
f() { gcc a; }
make b
#@ defined-later
f() { g; }
g() { gcc g; }
f
#@ redefined
f() { gcc one; }
f
f() { gcc two; }
f
#@ positional-restored args=out
f() { gcc "$1"; }
f in
gcc "$1"
#@ variables-global
f() { V=x; }
V=y
f
gcc $V
#@ local
f() { local V=in; gcc $V; }
V=out
f
gcc $V
#@ local-dynamic
g() { gcc "$V"; }
f() { local V=in; g; }
V=out
f
g
#@ local-several
f() { local a=$1 b=$2; gcc "$a" "$b"; }
f x y
gcc "x$a"
#@ local-no-value
V=out
f() { local V; V=in; gcc $V; }
f
gcc $V
#@ local-unset bash
V=out
f() { local V; gcc "${V-unset}"; }
f
#@ local-inherits dash
V=out
f() { local V; gcc "${V-unset}"; }
f
#@ shift-inside
f() { m=$1; shift; gcc -m$m "$@"; }
f 64 a "b c"
#@ all-arguments
run() { "$@"; }
run gcc a "b c"
#@ all-arguments-prefix
run() { echo "+ $*"; "$@" || exit 1; }
run make -j4 all
run gcc x
#@ wrapper-env
with_flags() { CFLAGS="-O2" "$@"; }
with_flags make all
#@ nested-calls
a() { b "$1" x; }
b() { c "$@" y; }
c() { gcc "$@"; }
a 1
#@ recursion-bounded
f() { gcc $1; if [ $1 -gt 0 ]; then f $(($1 - 1)); fi; }
f 3
#@ subshell-body
f() (V=in; gcc $V)
V=out
f
gcc $V
#@ output
f() { echo "-O2 $1"; }
gcc $(f -g) "$(f x)"
#@ output-local
f() { printf '%s' "$V"; }
V='a b'
gcc "$(f)"
#@ return-then
f() { gcc a; return; gcc b; }
f
gcc c
#@ return-status
f() { return 1; }
f && gcc a || gcc b
#@ status-of-last
f() { false; }
f || gcc a
g() { true; }
g && gcc b
#@ prefix-assignment
f() { gcc "$V"; }
V=x f
#@ prefix-assignment-exported
f() { make a; }
CFLAGS=-O2 f
make b
#@ redirected-body
f() { gcc a; } >log
f
#@ called-redirected
f() { gcc a "$@"; }
f x >log 2>&1
#@ in-pipe unordered
f() { gcc a; }
f | tee log
#@ in-condition
f() { [ "$1" = x ]; }
if f x; then gcc a; fi
f y || gcc b
#@ in-loop
build() { gcc -o "out/$1" "$1.c"; }
for t in a b; do build $t; done
#@ default-argument
f() { gcc "${1:-def}" ${2-two}; }
f
f x
f '' y
#@ name-with-dash bash
build-it() { gcc a; }
build-it
#@ name-like-tool
gcc() { command gcc -m64 "$@"; }
gcc a
#@ name-like-tool-make
make() { echo make; }
make all
cargo b
#@ unset-f
f() { gcc a; }
unset -f f
make x
#@ set-in-function
f() { set -- a b; gcc "$@"; }
f x
gcc "$@" y
#@ global-flags
FLAGS="-O2"
add() { FLAGS="$FLAGS $1"; }
add -g
add -Wall
gcc $FLAGS
#@ function-defines-function
f() { g() { gcc g; }; }
f
g
#@ conditional-definition on=*
if [ "$(uname)" = Linux ]; then f() { gcc linux; }; else f() { gcc other; }; fi
f
#@ brace-on-next-line
f()
{
  gcc a
}
f
#@ one-line-if-body
f() if true; then gcc a; fi
f
#@ die
die() { echo "$*" >&2; exit 1; }
[ -n x ] || die no
gcc a
[ -z x ] || die yes
gcc b
#@ declare-local bash
f() { declare V=in; gcc $V; }
V=out
f
gcc $V
#@ declare-g bash
f() { declare -g V=in; }
f
gcc $V
#@ declare-attributes bash
declare -i n=3+4
declare -r C=x
declare -x E=y
declare -u U=abc
declare -l L=ABC
gcc $n $C $E $U $L
#@ typeset bash
f() { typeset V=in; gcc $V; }
f
#@ main-function args=a args=b
main() { gcc "$@"; }
main "$@"
#@ main-no-arguments args=a
main() { gcc x "$@"; }
main
#@ exported-in-function
f() { export CFLAGS="$1"; }
f -O3
make
#@ heredoc-in-function
f() { cat <<E
gcc no
E
gcc yes; }
f
#@ call-in-subst-no-effect
f() { V=in; echo x; }
V=out
W=$(f)
gcc $V $W
#@ ampersand-args
f() { gcc "$*"; }
f a "b  c"
#@ quoted-call
f() { gcc a; }
"f"
\f
#@ variable-call
f() { gcc "f $1"; }
n=f
$n x
"$n" y
#@ dispatcher args=build forks
build() { gcc build; }
clean() { rm -rf out; }
"$1"
#@ dispatcher-case args=clean args=x forks
build() { gcc build; }
clean() { rm -rf "$1"; }
cmd=$1; shift
case $cmd in build) build "$@" ;; clean) clean "$@" ;; esac
#@ dispatcher-name args=one forks
do_one() { gcc one; }
do_two() { gcc two; }
do_$1
#@ command-skips-function forks
make() { gcc no; }
command make all
#@ at-quotes-through
f() { g "$@"; }
g() { gcc "$@" $#; }
f '' "a b" "'"
#@ local-outside bash
local a=b 2>/dev/null
gcc x$a
