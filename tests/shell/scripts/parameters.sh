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
