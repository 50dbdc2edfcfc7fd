#@ echo
gcc $(echo a b) "$(echo a b)"
#@ backquotes
gcc `echo a b` "`echo c d`"
#@ backquotes-escaped
gcc `echo \`echo deep\`` `echo "a b"` "`echo \"c d\"`"
#@ backquote-dollar
V=x
gcc `echo $V` `echo \$V` `echo '\$V'`
#@ nested
gcc $(echo $(echo a) $(echo "b $(echo c)"))
#@ trailing-newlines
gcc "$(printf 'a\n\n\n')" "$(printf '\n\nb\n')"
#@ inner-newlines
gcc $(printf 'a\nb c\n') "$(printf 'a\nb')"
#@ empty
gcc $(true) a "$(true)" $(echo)
#@ printf-formats
gcc $(printf '%s-%s ' a b c) "$(printf '%d' 42)" "$(printf '%5s|%-5s|' a b)"
#@ printf-escape
gcc "$(printf 'a\tb\\c')" "$(printf '%b' 'x\ty')" "$(printf '%%')"
#@ printf-number
gcc "$(printf '%03d' 7)" "$(printf '%x' 255)" "$(printf '%c' abc)"
#@ printf-no-arguments
gcc "$(printf '%s|%d|')" "$(printf 'plain')"
#@ echo-n
gcc "$(echo -n a)b"
#@ echo-e bash
gcc "$(echo -e 'a\tb')" "$(echo 'a\tb')"
#@ echo-escape-dash dash
gcc "$(echo 'a\tb')" "$(echo -e 'x')"
#@ echo-options bash
gcc "$(echo -ne 'a\n')" "$(echo -E 'b\n')" "$(echo -x y)" "$(echo - z)"
#@ variable-scope
V=out
W=$(V=in; echo $V)
gcc $V $W
#@ assignment-not-split
V=$(echo 'a   b')
gcc "$V" $V
#@ quotes-inside-quotes
gcc "$(echo "a  b" 'c  d')"
#@ in-double-with-text
gcc "x$(echo a b)y" x$(echo a b)y
#@ multi-line
gcc $(
  echo a
  echo b
)
#@ comment-inside
gcc $(echo a # not b )
)
#@ case-inside
gcc $(case a in a) echo one;; b) echo two;; esac)
#@ if-inside
gcc $(if true; then echo yes; else echo no; fi)
#@ pipeline-inside holes unordered
gcc $(echo a | sed s/a/b/)
#@ status
V=$(false) || gcc a
V=$(true) && gcc b
#@ status-of-assignment
V=$(exit 3)
gcc $?
#@ function-inside
f() { echo "f:$1"; }
gcc $(f x) "$(f 'a b')"
#@ uname-inside on=*
gcc lib-$(uname -s)-`uname -m`.so
#@ uname-tr on=* holes unordered
gcc $(uname -s | tr A-Z a-z)
#@ uname-variable-flag on=*
F=-s
gcc $(uname $F) $(uname -sm) $(uname -s -m)
#@ dirname holes
gcc "$(dirname src/a/b.c)" "$(basename src/a/b.c)" "$(basename b.c .c)"
#@ dirname-odd holes
gcc "$(dirname a)" "$(dirname /a)" "$(dirname a/b/)" "$(basename /)"
#@ pwd holes
gcc "-I$(pwd)/include" x
#@ pwd-variable holes
gcc -I"$PWD" "-ffile-prefix-map=$PWD=."
#@ cd-pwd holes
HERE=$(cd "$(dirname "$0")" && pwd)
gcc -I"$HERE"
#@ unknown-output holes
gcc -DREV="$(git describe --tags)" -c main.c
#@ unknown-output-unquoted holes
gcc $(pkg-config --cflags zlib) main.c -lz
#@ cat-file holes
gcc $(cat flags) main.c
#@ redirect-file-bash bash holes
gcc $(<flags) main.c
#@ stub-inside
V=$(git rev-parse HEAD)
make a
#@ stub-inside-word holes
make REV=$(git rev-parse HEAD) all
#@ stub-in-backquotes holes
make JOBS=-j`nproc` all
#@ nested-default
gcc ${V:-$(echo ${W:-deep})}
#@ substitution-as-command
$(echo gcc) a
`echo make` b
#@ substitution-as-command-words
$(echo gcc -m64) a
#@ substitution-empty-command
$(true) gcc a
#@ two-in-word
gcc $(echo a)$(echo b) "$(echo c)-$(echo d)"
#@ split-edge
gcc x$(echo ' a ')y $(echo a)" b"
#@ ifs-substitution
IFS=,
gcc $(echo a,b) "$(echo a,b)"
#@ glob-not-run holes
gcc $(echo '*.zzz')
#@ arithmetic-inside
gcc $(echo $((1+2)))
#@ exit-inside
V=$(echo a; exit; echo b)
gcc $V
#@ heredoc-inside holes unordered
V=$(cat <<E
a b
E
)
gcc x
#@ echo-arguments
set -- a "b  c"
gcc "$(echo "$@")" "$(echo $*)"
#@ last-status-in-substitution
false
V=$(echo $?)
gcc $V
#@ subshell-in-substitution
gcc $( (echo a; echo b) ) $( { echo c; } )
#@ loop-in-substitution
gcc $(for i in a b c; do echo -I$i; done)
#@ loop-printf
INC=$(for d in x y; do printf -- '-I%s ' "$d"; done)
gcc $INC
#@ accumulate
F="-O2 $(if true; then echo -g; fi) $(uname -s >/dev/null)"
gcc $F
#@ redirected-inside
gcc "$(echo a >/dev/null)" "$(echo b 2>/dev/null)" "$(echo c >&2)"
#@ and-inside
gcc $(true && echo yes || echo no) $(false && echo yes || echo no)
#@ export-inside
export V="$(echo a b)"
gcc $V
#@ local-split
f() { local v=$(echo a b); gcc "$v"; }
f
#@ test-inside
if [ "$(echo x)" = x ]; then gcc a; fi
#@ case-of-substitution
case $(echo abc) in a*) gcc a ;; esac
#@ eval-inside
gcc $(eval echo a)
#@ sh-inside
gcc $(sh -c 'echo inner $1' x y)
#@ here-string-inside bash
read -r V W <<< "$(echo a b c)"
gcc $V "$W"
#@ backslash-newline-inside
gcc $(echo a \
  b)
#@ unbalanced-paren-in-quotes
gcc "$(echo ')')" $(echo "(" ')')
#@ hash-inside
gcc $(echo a#b) "$(echo '#c')"
