#@ simple
V=x
gcc $V ${V} "$V" "${V}"
#@ joined
V=x
gcc -m$V -m${V}y "$V"z $V$V
#@ not-joined-name
V=x Vy=q
gcc $Vy ${V}y "$V-y" $V.y $V/y
#@ split
V='a b  c'
gcc $V "$V" x$V-y
#@ split-tabs-newlines
V='a	b
c'
gcc $V "$V"
#@ split-edges
V=' a b '
gcc $V x$V$V"y"
#@ split-with-quotes-inside
V='a "b c" d'
gcc $V
#@ split-backslash-inside
V='a\ b'
gcc $V
#@ unset-vanishes
gcc $NOPE a ${NOPE} "$NOPE" b"$NOPE"
#@ empty-vanishes
V=
gcc $V a "$V" $V$V ''$V
#@ only-blanks
V='   '
gcc $V a "$V" x$V
#@ default
gcc ${V:-x} ${V-y} "${V:-a b}" ${V:-a b}
#@ default-empty
V=
gcc ${V:-x} ${V-y} "${V-y}"
#@ default-set
V=v
gcc ${V:-x} ${V-y}
#@ default-nested
gcc ${A:-${B:-${C:-deep}}} "${A:-"q u"}" ${A:-'s q'}
#@ default-quotes-inside
gcc "${V:-'x'}" ${V:-"a b" c} ${V:-\$x}
#@ default-with-variable
B='x y'
gcc ${A:-$B} "${A:-$B}" ${A:-"$B"}
#@ default-empty-word
gcc a ${V:-} "${V:-}" b
#@ default-brace
gcc ${V:-\}} ${V:-"}"} ${V:-'}'}
#@ alternative forks
V=v
gcc ${V:+x} ${V+y} ${N:+x} ${N+y} "${N:+x}"
#@ alternative-empty
V=
gcc ${V:+x} ${V+y}
#@ alternative-words
V=v
gcc ${V:+-a "$V" 'c d'} "${V:+-b $V}"
#@ assign-default
gcc ${V:=x y} $V "$V"
#@ assign-default-plain
gcc ${V=x}
V=
gcc ${V=y} ${V:=z}
make $V
#@ colon-assign
: ${CC:=clang} "${CFLAGS:=-O2 -g}"
$CC $CFLAGS -c main.c
#@ error-unset forks
gcc a
: ${NOPE:?not set}
gcc b
#@ error-set
V=x
gcc ${V:?no} ${V?no}
#@ length
V=hello
gcc ${#V} "${#V}" ${#N}
#@ prefix-short
V=a/b/c.tar.gz
gcc ${V#*/} ${V##*/} ${V#x} ${V##*.}
#@ suffix-short
V=a/b/c.tar.gz
gcc ${V%.*} ${V%%.*} ${V%/*} ${V%%/*} ${V%.gz}
#@ trim-pattern-quoted
V='a*b*c'
gcc "${V#a\*}" "${V%'*c'}" "${V%"*"*}"
#@ trim-class
V=123abc
gcc ${V#[0-9]} ${V##[0-9]*[0-9]} ${V%[!0-9]}
#@ trim-variable
V=libfoo.so P=lib S=.so
gcc ${V#$P} ${V%$S} "${V#"$P"}"
#@ trim-question
V=abc
gcc ${V#?} ${V%?} ${V#??}
#@ trim-star-all
V=abc
gcc x${V#*}y x${V##*}y x${V%%*}y
#@ replace bash
V=a.b.c
gcc ${V/./-} ${V//./-} ${V/x/y} ${V//./}
#@ replace-anchors bash
V=abcab
gcc ${V/#ab/X} ${V/%ab/Y} ${V/#b/Z}
#@ replace-pattern bash
V=foo123bar
gcc ${V//[0-9]/} ${V/[0-9]*/N} ${V//[a-z]/x}
#@ replace-slash bash
V=a/b/c
gcc ${V//\//-} "${V////_}" ${V/\/b}
#@ replace-variable bash
V=x86-64 A=- B=_
gcc ${V/$A/$B} "${V//"$A"/"$B"}"
#@ substring bash
V=abcdef
gcc ${V:2} ${V:1:3} ${V: -2} ${V:0:1} ${V:2:-1} ${V:(-3):2}
#@ substring-arithmetic bash
V=abcdef n=2
gcc ${V:n} ${V:n+1:n} ${V:$n:1}
#@ case-change bash
V=heLLo
gcc ${V^} ${V^^} ${V,} ${V,,}
#@ case-change-pattern bash
V=hello
gcc ${V^^[el]} ${V^[h]} ${V^[e]}
#@ indirect bash
A=B B='x y'
gcc ${!A} "${!A}"
#@ indirect-names bash
AX_1=a AX_2=b
gcc ${!AX_*} "${!AX_@}"
#@ at-q bash
V='a b'
gcc ${V@Q} "${V@U}" "${V@L}"
#@ dash-no-replace dash exit.gcc=0
V=abc
gcc "$V" ${V#a}
#@ star-at-none
gcc "$@" a $@ $* "$*" $#
#@ arguments args=one "args=two words" args=
gcc "$@"
gcc $@
gcc "$*" $* $# "$#"
#@ numbered args=a args=b args=c
gcc $1 "$2" ${3} $4 "$4" ${5:-five}
#@ ten args=1 args=2 args=3 args=4 args=5 args=6 args=7 args=8 args=9 args=ten args=eleven
gcc $10 ${10} ${11}
#@ at-joined args=a args=b
gcc x"$@"y x$@y "p$*q"
#@ set-positional
set -- a "b c" d
gcc "$@"
gcc $2 "$2" $#
#@ set-positional-clear
set -- a b
set --
gcc "$@" $#
#@ set-without-dashes
set a b c
gcc $2 $#
#@ shift args=a args=b args=c
shift
gcc "$@"
shift 2
gcc "$@" $#
#@ shift-too-many args=a bash
shift 2
gcc "$@" $#
#@ set-split
V="-O2 -g"
set -- $V
gcc "$1" "$2"
#@ set-append
set -- gcc
set -- "$@" -c "main file.c"
"$@" -o x
#@ loop-shift args=-a args=-b args=c
while [ $# -gt 0 ]; do gcc "$1"; shift; done
#@ ifs-comma
IFS=,
V=a,b,,c
gcc $V "$V"
#@ ifs-colon
V=a:b::c:
IFS=:
gcc $V
#@ ifs-empty
IFS=
V='a b'
gcc $V
#@ ifs-mixed
IFS=': '
V='a : b:c d'
gcc $V
#@ ifs-star
IFS=-
set -- a b c
gcc "$*" $*
#@ ifs-restored
old=$IFS
IFS=,
V=a,b
set -- $V
IFS=$old
gcc "$@" $V
#@ ifs-unset
IFS=,
unset IFS
V='a b,c'
gcc $V
#@ ifs-local-command
V=a,b
IFS=, make $V
gcc $V
#@ ifs-literal-not-split
IFS=-
gcc a-b -c
#@ ifs-newline
IFS='
'
V='a b
c d'
gcc $V
#@ unset-variable
V=x
unset V
gcc $V "${V-none}"
#@ assign-no-split
V='a b'
W=$V
gcc "$W"
W=$V$V
gcc "$W"
#@ assign-quotes
V="a b"'c d'e\ f
gcc "$V"
#@ assign-several
A=1 B=$A C=$B$A
gcc $A $B $C
#@ assign-self
V=a
V="$V b"
V="${V} c"
gcc $V
#@ assign-append bash
V=a
V+=b
V+=" c"
gcc $V
#@ assign-empty
V= W=""
gcc "$V$W" a
#@ assign-prefix-not-seen
V=old
V=new gcc "$V"
make "$V"
#@ assign-tilde holes
V=~nobody_such
gcc "$V"
#@ cc-is-variable
CC=gcc
$CC -c main.c
"$CC" -c util.c
#@ cc-with-flags
CC="gcc -m64"
$CC -c main.c
#@ command-from-two
A=g B=cc
$A$B -c main.c
#@ empty-then-command
PREFIX=
$PREFIX gcc a
#@ wrapper-variable
SUDO=sudo
$SUDO make install
SUDO=
$SUDO make install
#@ quoted-empty-flags
FLAGS=
gcc "$FLAGS" main.c
gcc $FLAGS main.c
#@ flags-variable
CFLAGS="-O2 -march=x86-64-v2"
CFLAGS="$CFLAGS -g"
gcc $CFLAGS -c main.c
gcc "$CFLAGS" -c main.c
#@ special-status
true
gcc $?
false
gcc $?
#@ special-status-stub exit.test-tool=3 holes
test-tool
gcc $?
#@ special-dash
set -e
gcc a
#@ dollar-zero holes
gcc "$0" "${0##*/}"
#@ dollar-dollar holes
gcc pid$$ x
#@ readonly
readonly V=x
gcc $V
#@ readonly-later
V=y
readonly V
gcc $V
#@ export-value
export V=x W
W=y
gcc $V $W
#@ local-names-digits
V1=a V_2=b _v=c
gcc $V1 $V_2 $_v ${V1}2
#@ quoted-star-pattern
V='*.zzz'
gcc "$V" '*.zzz'
#@ nested-quote-default-double
gcc "${V:-a "b" c}" "${V-"$HOMEX"}"
#@ default-substitution
gcc ${V:-$(echo sub)} "${V:-$(printf 'a b')}"
#@ braces-in-default
gcc ${V:-{a}} "${V:-{b}}"
#@ colon-no-default
V=a:b
gcc ${V} "${V%:*}" "${V#*:}"
#@ version-split
VERSION=1.22.3
major=${VERSION%%.*}
rest=${VERSION#*.}
minor=${rest%%.*}
gcc -DMAJOR=$major -DMINOR="$minor" -DPATCH=${VERSION##*.}
#@ triple
TRIPLE=aarch64-unknown-linux-gnu
arch=${TRIPLE%%-*}
os=${TRIPLE#*-*-}
gcc --target=$TRIPLE -march="$arch" $os
#@ assume-given assume.CONFIG=release
make CONFIG=$CONFIG ${CONFIG:+set}
#@ assume-split "assume.FLAGS=-O2 -g"
gcc $FLAGS "$FLAGS"
#@ env-given env.LEVEL=3 "env.MORE=a b"
gcc -O$LEVEL $MORE "$MORE"
#@ env-overridden env.LEVEL=3
LEVEL=${LEVEL:-2}
gcc -O$LEVEL
#@ assume-default assume.OPT=-O1
gcc ${OPT:--O2}
#@ use-before-assign
gcc a$V
V=x
gcc a$V
#@ double-dollar-brace
A='$B' B=no
gcc $A "$A"
#@ backtick-in-value
A='`echo no`'
gcc $A
#@ no-second-expansion
A='"x y"' B="'z w'"
gcc $A $B
#@ default-empty-quoted
gcc ${A:-''} ${B:-""} x
#@ default-partly-quoted
gcc x${A:-'a b' c}y "x${A:-a b}y"
#@ default-leading-blank
gcc a${A:- b}c ${A:-b }c
#@ default-glob-quoted
gcc ${A:-'*'} "${A:-*}"
#@ default-nested-quotes
B='b  c'
gcc ${A:-"$B"} ${A:-$B} "${A:-"$B"}"
#@ default-at args=a "args=b c"
gcc ${A:-"$@"} "${A:-$*}"
#@ default-dollar
gcc "${A:-$}" ${A:-\\} "${A:-\\}" "${A:-\}}"
#@ default-single-in-double
gcc "${A:-it's ' x}" "${A:-'q'}"
#@ default-newline
gcc ${A:-a
b} "${A:-c
d}"
#@ default-with-colon
gcc ${A:-:} ${A:-a:b} ${A-:-}
#@ default-with-braces
gcc "${A:-${B:-{x}}}" ${A:-x}}
#@ alternative-at args=a "args=b c"
gcc ${1+"$@"}
gcc ${9+"$@"} x
#@ alternative-empty-quoted
V=1
gcc ${V:+""} ${V:+} x
#@ alternative-nested forks
V=1
gcc ${V:+${W:+no}yes} ${V:+-I"$V"}
#@ assign-default-quoted
: ${V:="a b"}
gcc $V "$V"
#@ assign-default-in-word
gcc ${V:=x}y$V
#@ trim-nested
V=a.b.c
gcc ${V#${V%%.*}.} "${V%.${V##*.}}"
#@ trim-quotes-in-double
V='"x"'
gcc "${V#\"}" "${V%'"'}"
#@ trim-nothing
V=abc
gcc ${V#z} ${V%z} ${V##} ${V%%}
#@ trim-slashes
V=/a/b/
gcc ${V%/} ${V#/} ${V##*/} "${V%%/*}"
#@ trim-dots
V=..a..
gcc ${V#.} ${V##.} ${V%%.*} ${V##*.}
#@ trim-spaces
V='  a b  '
gcc "${V#  }" "${V%% *}" "${V##* }"
#@ trim-brackets
V='a[1]'
gcc "${V%\[*}" "${V#*[[]}" "${V%]}"
#@ trim-backslash-star
V='a\*b'
gcc "${V%\\*}" "${V%%\**}"
#@ trim-alternatives
V=file.c
gcc "${V%.[ch]}.o" "${V%.[!c]}"
#@ trim-positional args=--cpu=x86
gcc "${1#--}" "${1#*=}" "${1%%=*}"
#@ length-special args=a args=b
gcc ${#} ${#1} $#
#@ positional-braces args=a args=b
gcc ${1}2 $1"2" "${2}"3 $#1
#@ unset-positional
gcc $1 "$1" "$2"x
#@ star-ifs-empty args=a args=b
IFS=
gcc "$*" $* "$@"
#@ star-ifs-unset args=a args=b
unset IFS
gcc "$*"
#@ at-in-string args=a args=b
V="x $@ y"
gcc "$V"
#@ at-slice-args bash args=a args=b args=c
gcc "${@:2:1}" "${@:0:0}" x
#@ ifs-whitespace-tab
IFS='	'
V='a	b c'
gcc $V
#@ ifs-two
IFS=',;'
V='a,b;c,;d'
gcc $V
#@ ifs-trailing
IFS=,
V='a,'
W=',a'
gcc $V $W
#@ ifs-only-separators
IFS=,
V=,,
gcc $V x
#@ ifs-substitution-default
IFS=:
gcc ${V:-a:b} "${V:-a:b}" $(echo c:d)
#@ ifs-in-function
f() { local IFS=,; gcc $1; }
f a,b
V=a,b
gcc $V
#@ ifs-in-subshell
V=a,b
(IFS=,; gcc $V)
gcc $V
#@ ifs-path-loop
P=/a:/b
old=$IFS; IFS=:
for d in $P; do gcc -L$d; done
IFS=$old
gcc $P
#@ ifs-set-read
IFS=, read -r a b <<E
x,y
E
gcc $a $b
V=p,q
gcc $V
#@ adjacent-split
A='a b' B='c d'
gcc $A$B "$A"$B $A"$B" $A-$B
#@ adjacent-split-edges
A=' a ' B=' b '
gcc $A$B x$A$B"y"
#@ empty-between
E=
gcc a$E$E"b" $E$E $E"$E"
#@ literal-not-resplit
A='$B' B='x y'
gcc $A "$A" "${A}"
#@ many-assignments-order
A=1; B=$A$A; A=2; C=$A$B
gcc $A $B $C
#@ assignment-with-subst-order
A=a B=$A$(echo $A) 
gcc "$B"
#@ unset-then-default
V=x
unset V
gcc ${V-d} ${V:-e} ${V+f}
#@ readonly-reassign-subshell
readonly V=x
(V=y) 2>/dev/null
gcc $V
#@ underscore holes
true a b
gcc "$_" x
#@ random holes bash
gcc -x$RANDOM a
#@ lineno holes
gcc -L$LINENO
#@ ppid holes
gcc x$PPID
#@ bash-version bash holes
gcc "$BASH_VERSION"
[ -n "$BASH_VERSION" ] && gcc bash
#@ bash-source bash holes
gcc "${BASH_SOURCE[0]}" "$(dirname "${BASH_SOURCE[0]}")"
#@ path-holes holes
gcc "$PATH" "$USERX"
#@ dash-flags holes
gcc "x$-"
#@ replace-ampersand bash holes
V=abc
gcc "${V/b/[&]}" "${V/b/\&}"
#@ replace-empty bash
V=aXbX
gcc "${V//X}" "${V/X/}" "${V//X/ }"
#@ replace-dollar bash
V=a.b R='$1'
gcc "${V/./$R}"
#@ replace-at bash args=a.c args=b.c
gcc "${@/.c/.o}" "${@%.c}"
#@ replace-greedy bash
V=aabaa
gcc "${V/a*b/x}" "${V//a/}" "${V/%a/z}" "${V/#a/z}"
#@ replace-quoted-pattern bash
V='a*b*c'
gcc "${V//'*'/-}" "${V//\*/-}" "${V/"*"/+}"
#@ substring-negative bash
V=abcdef
gcc "${V: -3:2}" "${V:1:-1}" "${V:10}" "${V:0}"
#@ indirect-positional bash args=a args=b
n=2
gcc ${!n} "${!n}"
#@ indirect-default bash
n=NOPE
gcc "${!n:-d}"
#@ at-operators bash
V=hello
gcc "${V@U}" "${V@u}" "${V@L}"
#@ plus-equals-unset bash
V+=a
V+=b
gcc "$V"
#@ plus-equals-integer bash
declare -i n=2
n+=3
m=2
m+=3
gcc $n $m
#@ tilde-not-in-quotes
V="~/x"
gcc $V "$V"
#@ prefix-value-not-seen-in-argument
A=1 gcc "$A" ${A:-unset}
#@ assign-from-command-prefix
A=x
A=y B=$A make "$A$B"
#@ default-apostrophe dash
gcc "${A:-it's}" x
