#@ sh-c
sh -c 'gcc a "b c"'
#@ sh-c-list
sh -c 'gcc a && make b; cargo c'
#@ sh-c-double
V=x
sh -c "gcc $V \"$V y\""
#@ sh-c-not-exported
V=x
sh -c 'gcc a$V'
#@ sh-c-exported
export V='x y'
sh -c 'gcc $V "$V"'
#@ sh-c-prefix
V=x sh -c 'gcc $V'
#@ sh-c-arguments
sh -c 'gcc "$0" "$1" "$@"' zero one "two x"
#@ sh-c-no-arguments args=out
sh -c 'gcc "$1" $#'
#@ sh-c-e
sh -ec 'false; gcc a'
gcc b
#@ sh-e-c
sh -e -c 'gcc a; false; gcc b'
gcc c
#@ sh-c-status
sh -c 'exit 3' || gcc a
sh -c true && gcc b
#@ bash-c
bash -c 'A=(x "y z"); gcc "${A[@]}"'
#@ bash-lc
bash -lc 'gcc a'
#@ bash-euo
bash -euo pipefail -c 'gcc a; make b'
#@ bash-o
bash -o errexit -c 'false; gcc a'
make b
#@ bash-c-dollar
bash -c "gcc \$((1+1)) \"\$(echo a b)\""
#@ bash-noprofile
bash --noprofile --norc -c 'gcc a'
#@ dash-c
dash -c 'gcc a; gcc "$1"' x y
#@ sh-c-nested
sh -c 'sh -c "gcc a \"b c\""'
#@ sh-c-nested-quotes
sh -c "sh -c 'gcc \"a b\"'"
#@ sh-c-exit
sh -c 'gcc a; exit; gcc b'
gcc c
#@ sh-c-variable
CMD='gcc a "b c"'
sh -c "$CMD"
#@ sh-c-split-text
CMD='gcc a'
sh -c $CMD
#@ sh-c-functions-not-inherited forks
f() { gcc no; }
sh -c 'make x'
#@ sh-c-multiline
sh -c '
  gcc a
  if true; then
    make b
  fi
'
#@ sh-c-dollar-at args=a "args=b c"
sh -c 'gcc "$@"' sh "$@"
#@ sh-c-uname on=*
sh -c 'gcc -m$(uname -m)'
#@ sh-c-uname-outer on=*
sh -c "gcc -m$(uname -m)"
#@ sh-c-and
sh -c 'false' && gcc a
gcc b
#@ sh-c-in-if
if sh -c 'true'; then gcc a; else gcc b; fi
#@ sh-c-empty
sh -c ''
gcc a
#@ sh-c-plus
sh +x -c 'gcc a'
#@ sh-x-c
sh -xc 'gcc a'
#@ sh-c-dashdash bash
sh -c -- 'gcc a'
#@ sh-file-missing forks holes
sh nothing-here.sh a b
gcc x
#@ eval
eval gcc a b
eval "gcc 'a b' c"
#@ eval-variable
CMD='gcc -c "main file.c"'
eval "$CMD"
eval $CMD
#@ eval-quote-level
V='a b'
eval 'gcc "$V"'
eval "gcc $V"
eval gcc '"$V"' \"x  y\"
#@ eval-assign
eval V=x
eval "W='y z'"
gcc $V "$W"
#@ eval-name
n=V
eval "$n=val"
gcc $V
#@ eval-indirect
N=A A='x y'
eval "V=\$$N"
gcc "$V"
eval gcc \"\$$N\"
#@ eval-list
eval 'gcc a; make b' && cargo c
#@ eval-empty
eval ''
eval
gcc a
#@ eval-set
eval set -- "'a b'" c
gcc "$@"
#@ eval-status
eval false || gcc a
#@ eval-two-lines
eval 'gcc a
make b'
#@ eval-function
eval 'f() { gcc "$1"; }'
f x
#@ eval-unknown holes
eval "$(git config x)"
gcc a
#@ eval-nested
eval "eval 'gcc a'"
#@ eval-set-e
set -e
eval 'false'
gcc no
#@ eval-exit
eval 'gcc a; exit 0'
gcc no
#@ source-missing forks holes
gcc a
#@ dot-null
. /dev/null
gcc a
#@ command
command gcc a
command -p true
command -v gcc >/dev/null && make b
#@ command-double
command command gcc a
#@ builtin bash
builtin echo gcc
builtin cd src && gcc a
#@ exec-command
exec gcc a "b c"
#@ exec-options bash
exec -c env >/dev/null
#@ exec-env
exec env A=1 gcc a
#@ time-subshell bash
time (gcc a; make b)
#@ test-not-command
[ x = gcc ]
test gcc = gcc && make a
#@ printed-only
echo gcc -march=native
printf '%s\n' "mojo build"
echo "run: gcc a; make b"
make x
#@ true-arguments
true gcc a
: gcc b
: "${X:=$(echo set)}"
make $X
#@ alias-off holes
alias gcc='gcc -m32'
gcc a
#@ type-hash
type gcc >/dev/null 2>&1
hash make 2>/dev/null || true
cargo x
#@ trap-text forks
trap 'gcc no' USR1
make a
#@ export-looks-like-command
export gcc=a make=b
cargo c
#@ assignment-looks-like-command
CMD="gcc -march=native"
NOTE='mojo build'
make x
#@ stored-then-run
CMD="gcc -c"
CMD="$CMD -O2"
$CMD main.c
#@ sh-c-pipe unordered
sh -c 'gcc a | tee b'
#@ sh-c-trap
sh -c 'trap "make end" EXIT; gcc a'
#@ bash-c-errexit-inherited
set -e
bash -c 'false; gcc a'
gcc b
#@ sh-c-cd
sh -c 'cd src && gcc a'
#@ sh-ic-v
sh -vc 'gcc a' 2>/dev/null
#@ bash-pipefail-c bash unordered
bash -o pipefail -c 'false | true && gcc no; gcc yes'
#@ sh-c-comment
sh -c 'gcc a # make b
cargo c'
#@ sh-c-heredoc
sh -c 'cat <<E
gcc no
E
gcc yes'
#@ sh-c-local
sh -c 'f() { local v=$1; gcc $v; }; f x'
#@ sh-c-set-args
sh -c 'set -- p q; gcc "$@"' x y
#@ eval-uname on=*
eval "FLAGS_$(uname -m)=yes"
gcc "$FLAGS_x86_64" ${FLAGS_arm64:-none}
