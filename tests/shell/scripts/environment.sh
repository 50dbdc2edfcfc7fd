#@ prefix
A=1 gcc a
gcc b
#@ prefix-several
A=1 B='x y' C= make
#@ prefix-quoted
CFLAGS="-O2 -march=x86-64-v2" make all
#@ prefix-uses-variable
V=x
A=$V B="$V y" make
#@ prefix-left-to-right
A=1 B=$A make
#@ prefix-export-overridden
export A=old
A=new make a
make b
#@ prefix-self
export A=x
A="$A y" make
make b
#@ prefix-with-function
f() { make "$A"; }
A=1 f
#@ prefix-special-builtin dash
A=1 :
make a$A
#@ export
export A=1
make a
A=2
make b
#@ export-later
A=1
make a
export A
make b
#@ export-several
export A=1 B="x y" C
make
#@ export-substitution
export A=$(echo x) B="$(echo y z)"
make
#@ export-no-split bash
V='a b'
export A=$V
make "$A"
#@ export-append bash
export A=1
A+=2
make
#@ export-n bash
export A=1
export -n A
make
#@ export-unset
export A=1
unset A
make
#@ export-p
export A=1
export -p >/dev/null
make
#@ export-path
export CC=gcc CXX=g++
make CC="$CC"
#@ export-in-if
if true; then export A=1; fi
make
#@ export-in-function
f() { export A=$1; }
f x
make
#@ export-readonly
readonly A=1
export A
make
#@ declare-x bash
declare -x A=1
make
#@ declare-plain bash
declare A=1
make
#@ typeset-x bash
typeset -x A="b c"
make
#@ local-export
f() { local A=1; export A; make in; }
f
make out
#@ set-a
set -a
A=1
B='x y'
set +a
C=3
make
#@ set-o-allexport
set -o allexport
A=1
make
#@ plain-not-exported
A=1
make
#@ empty-exported
export A=
make
#@ exported-no-value
export A
make
#@ given env.RUSTFLAGS=-Copt
cargo build
#@ given-changed env.RUSTFLAGS=-Copt
RUSTFLAGS="$RUSTFLAGS -g"
cargo build
#@ given-unset env.RUSTFLAGS=-Copt
unset RUSTFLAGS
cargo build
#@ given-prefix env.A=1
A=2 make a
make b
#@ assumed assume.MODE=x
make a
MODE=y
make b
#@ subshell
(export A=1; make in)
make out
#@ subst
V=$(export A=1; make in)
make out
#@ sh-c
A=1 sh -c 'make; B=2 make'
#@ sh-c-inner-export
sh -c 'export A=1; make'
make
#@ uname on=*
case $(uname) in Darwin) export MACOSX_DEPLOYMENT_TARGET=11.0 ;; esac
make
#@ rustflags-case on=*
case $(uname -m) in
  x86_64) RUSTFLAGS="-C target-cpu=x86-64-v2" ;;
  *) RUSTFLAGS= ;;
esac
export RUSTFLAGS
cargo build --release
#@ rustflags-default
export RUSTFLAGS="${RUSTFLAGS:-} -C target-cpu=x86-64-v2"
cargo build
#@ goamd64
GOOS=linux GOARCH=amd64 GOAMD64=v2 go build ./...
#@ loop
for t in a b; do T=$t make $t; done
#@ loop-export
for t in a b; do export T=$t; make $t; done
make end
#@ group
{ export A=1; make; }
make b
#@ pipe unordered
export A=1 | make a
make b
#@ background unordered
A=1 make a &
wait
make b
#@ and-list
export A=1 && make
#@ or-list
false || export A=1
make
#@ eval
eval "export A='x y'"
make
#@ env-command-not-kept
env A=1 make a
make b
#@ prefix-on-env
A=1 env B=2 make
#@ multi-line-prefix
A=1 \
B="2 3" \
  make all
#@ assignment-newline
A=1
B=2 make
#@ prefix-array-like
A='(x)' make
#@ lower-case
cc=gcc make a
export cxx=g++
make b
#@ export-dash-dash
export -- A=1
make
#@ unset-several
export A=1 B=2 C=3
unset A B
make
#@ unset-v
export A=1
unset -v A
make
#@ export-quoted
export "A=x y"
make
#@ export-from-variable
n=A
export "$n=1"
make
#@ export-words
P='A=1 B=2'
export $P
make
#@ read-exported
export A
read A <<E
val
E
make
#@ for-exported
export i
for i in a b; do make; done
#@ command-prefix
A=1 command make
#@ exec-prefix
A=1 exec make
#@ prefix-only-redirect
A=1 >log make
#@ colon-default-export
: "${A:=def}"
export A
make
#@ export-colon-default
export A=${A:-x} B=${B-y z}
make
#@ path-change
export PATH="/opt/bin:$PATH"
make
#@ printf-v bash
printf -v A '%s-%s' x y
export A
make "$A"
#@ substitution-prefix
A=$(echo x) make a
make b
#@ prefix-that-chooses forks holes
A=${A:+w} gcc
