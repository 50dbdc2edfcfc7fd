# Traps, sourced files, options, printing, transformations, IFS, here-documents, patterns.
#@ source-args bash
printf 'gcc "$@"; shift\n' > s.sh; set -- p q; source ./s.sh a b; make "$@"
#@ source-args-set bash
printf 'set -- x y\n' > s.sh; set -- p q; source ./s.sh a b; make "$@"
#@ source-noargs
printf 'gcc "$@"; shift\n' > s.sh; set -- p q; . ./s.sh; make "$@"
#@ source-noargs-set
printf 'set -- x y\n' > s.sh; set -- p q; . ./s.sh; make "$@"
#@ dot-args-dash dash
printf 'gcc "$@"; shift\n' > s.sh; set -- p q; . ./s.sh a b; make "$@"
#@ source-return
printf 'gcc a; return 3; gcc b\n' > s.sh; . ./s.sh; make $?
#@ source-unknown-args bash holes forks
set -- p q; source ./nofile.sh a b; make "$@"
#@ trap-err bash forks
trap 'gcc err' ERR; false; make
#@ trap-err-not bash holes forks
trap 'gcc err' ERR; true; false || true; if false; then :; fi; make
#@ trap-debug bash holes forks
trap 'gcc debug' DEBUG; make a
#@ trap-return bash holes forks
f() { trap 'gcc ret' RETURN; make f; }; f
#@ trap-0
trap 'gcc end' 0; make
#@ trap-exit-twice
trap 'gcc one' EXIT; trap 'gcc two' EXIT; make
#@ trap-exit-reset
trap 'gcc one' EXIT; trap - EXIT; make
#@ trap-exit-subshell
trap 'gcc one' EXIT; (make a); make b
#@ trap-exit-in-subshell
(trap 'gcc one' EXIT; make a); make b
#@ trap-exit-code
trap 'gcc $?' EXIT; exit 3
#@ trap-exit-exit
trap 'gcc a; exit 5; gcc b' EXIT; (exit 2)
make $?
#@ trap-exit-function
f() { trap 'gcc in-f' EXIT; }; f; make
#@ trap-int-ignored holes forks
trap '' INT; make; trap 'gcc int' INT TERM; cargo
#@ trap-vars
V=1; trap 'gcc $V' EXIT; V=2; make
#@ trap-double
V=1; trap "gcc $V" EXIT; V=2; make
#@ trap-set-e
set -e; trap 'gcc cleanup' EXIT; make; false; cargo
#@ trap-exec
trap 'gcc x' EXIT; exec make
#@ coproc-simple bash holes forks unordered
coproc make a
wait
gcc b
#@ coproc-named bash holes forks unordered
coproc P { make a; }
wait $P_PID; gcc b
#@ wait-status holes
make & wait $!; gcc $?
#@ wait-background unordered
V=1; { V=2; make $V; } & wait; gcc $V
#@ bash-env bash holes
printf 'gcc env\n' > env.sh; BASH_ENV=./env.sh bash -c 'make'
#@ env-sh
printf 'gcc env\n' > env.sh; ENV=./env.sh sh -c 'make'
#@ getopts-all
set -- -a -b val --  rest; while getopts ab: o; do gcc "$o" "$OPTARG"; done; shift $((OPTIND-1)); make "$@" $OPTIND
#@ getopts-joined
set -- -abval x; while getopts ab: o; do gcc "$o" "$OPTARG"; done; make $OPTIND
#@ getopts-bad
set -- -z; while getopts ab: o; do gcc "$o" "x$OPTARG"; done
set -- -z; OPTIND=1; while getopts :ab: o; do make "$o" "x$OPTARG"; done
set -- -b; OPTIND=1; while getopts :ab: o; do cargo "$o" "x$OPTARG"; done
set -- -b; OPTIND=1; while getopts ab: o; do mojo "$o" "x$OPTARG"; done
#@ getopts-function
f() { local OPTIND o; while getopts x:y o; do gcc "$o" "$OPTARG"; done; shift $((OPTIND-1)); make "$@"; }; f -x 1 -y z; f -y q
#@ getopts-args
while getopts ab o -a -b x; do gcc $o; done; make $OPTIND
#@ getopts-case
set -- -v -o out f; while getopts vo: o; do case $o in v) V=1;; o) O=$OPTARG;; \?) exit 2;; esac; done; shift $((OPTIND - 1)); gcc "$V" "$O" "$@"
#@ printf-forms
gcc "$(printf '%5s|%-5s|%05d|%x|%X|%o|%c|%%|%.2s|%+d|% d' ab cd 42 255 255 8 hello xyz 5 6)"
#@ printf-reuse
gcc "$(printf '%s-%s ' a b c)" "$(printf '%d ' 1 2 3)" "$(printf 'x' a b)" "$(printf '%s')" "$(printf '%d')"
#@ printf-star
gcc "$(printf '%*s|%-*s|%.*s' 5 a 5 b 2 cdef)"
#@ printf-b
gcc "$(printf '%b' 'a\tb\n\0101\x41')" "$(printf '%b|%s' 'a\cb' c)"
#@ printf-escapes
gcc "$(printf 'a\tb\\\101\0101\x41\"\e')"
#@ printf-chars
gcc "$(printf '%d %d %x' "'a" '"b' "'A")"
#@ printf-octal
gcc "$(printf '%d %d %d' 010 0x10 -5)"
#@ printf-bad-number
gcc "$(printf '%d' abc)" "$(printf '%d' 12x)" "$(printf '%s %d' a)"
#@ printf-q bash
gcc "$(printf '%q' 'a b')" "$(printf '%q ' 'it'\''s' '$x' '' a=b '~')" "$(printf '%q' $'a\nb')"
#@ printf-time bash holes
gcc "$(printf '%(%Y)T' 0)"
#@ printf-float
gcc "$(printf '%.2f %e %g %5.1f' 3.14159 1000 0.0001 2)"
#@ printf-v bash
printf -v V '%03d' 7; gcc "$V"; printf -v 'a[2]' x; gcc "${a[2]}"; printf -v V '%s' "a b"; gcc "$V"
#@ printf-v-joined bash
printf -vV x; gcc "$V"
#@ printf-dashes
gcc "$(printf -- '-%s' a)" "$(printf -- %s b)"
#@ printf-status
printf '%d' abc; gcc $?; printf x; gcc $?
#@ printf-unterminated
gcc "$(printf '%')" ; make
#@ printf-long
gcc "$(printf '%ld %lld %hd' 1 2 3)"
#@ printf-apos
gcc "$(printf "%'d" 1)"
#@ printf-upper bash
gcc "$(printf '%S' abc)" "$(printf '%Q' 'a b')"
#@ printf-u
gcc "$(printf '%u %u' 5 -1)" "$(printf '%i' 0x1f)" "$(printf '%#x %#o' 255 8)"
#@ echo-bash bash
gcc "$(echo -n a; echo -e 'b\tc'; echo -E 'd\te'; echo -ne 'x\n'; echo -x; echo -n -e 'q'; echo - a; echo -- b)"
#@ echo-bash-escapes bash
gcc "$(echo 'a\tb')" "$(echo -e 'a\x41\0101\101\u41\e\c z' y)"
#@ echo-dash dash
gcc "$(echo 'a\tb\\n\0101\101\x41')" "$(echo -n a; echo -e b; echo -n -n c; echo 'x\c'; echo y)"
#@ echo-xpg bash
shopt -s xpg_echo; gcc "$(echo 'a\tb')" "$(echo -e 'a\tb')"
#@ echo-posix bash
set -o posix; gcc "$(echo -e 'a\tb')"
#@ transform-q bash
V="it's"; W=$'a\nb'; E=; gcc "${V@Q}" "${W@Q}" "${E@Q}" "${V@U}" "${V@u}" "${V@L}"; a=(x 'y z'); gcc "${a[@]@Q}" "${a[*]@Q}" "${a[@]@U}" "${a[0]@Q}"; unset U; make "${U@Q}x"
#@ transform-a bash
declare -i n=5; declare -r r=1; declare -x e=2; a=(1); declare -A h=([k]=v); V=z; declare -u up=q; gcc "${n@a}" "${r@a}" "${e@a}" "${a@a}" "${h@a}" "${V@a}" "${up@a}" "${up}"
#@ transform-A bash
V='a b'; declare -i n=5; declare -x e=2; gcc "${V@A}" "${n@A}" "${e@A}"
#@ transform-E bash holes
V='a\tb'; gcc "${V@E}"
#@ transform-P bash
V='plain'; gcc "${V@P}"
#@ transform-pos bash args=a args="b c"
gcc "${@@Q}" "${1@U}" "${*@Q}"
#@ transform-K bash holes
declare -A h=([k]=v); a=(1 2); gcc "${h[@]@K}" "${a[@]@K}" "${a[@]@A}"
#@ ifs-colon
IFS=:; V=a:b::c:; set -- $V; gcc $# "$@" "$*" $*
#@ ifs-mixed
IFS=' :'; V=' a : b::c '; gcc $V
#@ ifs-empty
IFS=; V='a b'; gcc $V $*; set -- x y; gcc $* "$*" $@
#@ ifs-unset
unset IFS; V=' a  b '; gcc $V; set -- x y; gcc "$*"
#@ ifs-newline
IFS='
'; V='a b
c'; gcc $V $(printf 'x y\nz\n')
#@ ifs-letters
IFS=x; V=axbxxc; gcc $V $((1)) ; IFS=0; n=101; gcc $n $((101)) $#
#@ ifs-at-star
IFS=,; set -- 'a b' c; gcc $@ "$@" "$*" $*; V=$*; W=$@; X="$@"; gcc "$V" "$W" "$X"
#@ ifs-array bash
IFS=,; a=(1 2 3); gcc "${a[*]}" ${a[*]} "${a[@]}"; V="${a[*]}"; gcc "$V" $V
#@ ifs-readarray bash
IFS=, read -ra a <<< 'x,y z,'; gcc "${a[@]}" ${#a[@]}
#@ ifs-local
f() { local IFS=,; gcc $1 "$*"; }; f a,b c; V=d,e; gcc $V
#@ ifs-command-prefix
V=a,b; IFS=, ; gcc $V; unset IFS; IFS=, gcc $V
#@ ifs-quoted-part
IFS=,; V='a,b'; gcc x$V"y,z"$V
#@ ifs-nul-fields
IFS=:; V=:a; gcc $V; V=a:; gcc $V; V=:; gcc $V; V=::; gcc $V; V=' '; gcc $V x
#@ heredoc-dash
	sh <<-X
	gcc a
		make b
	X
#@ heredoc-dash-quoted
sh <<-'X'
	gcc 'a	b'
	X
#@ heredoc-two
cat <<A; sh <<B
gcc a
A
make b
B
#@ heredoc-comsub
sh <<X
gcc $(echo a; echo b) `echo c` $((1+2)) ${V:-d}
X
#@ heredoc-function
f() { sh <<X
gcc $1
X
}; f q; f r
#@ heredoc-read
while read -r a b; do gcc "$b" "$a"; done <<X
1 2
3 4 5
X
#@ heredoc-backslash-nl
sh <<X
gcc a\
b
X
sh <<'X'
gcc a\
b
X
#@ heredoc-delim-odd
sh <<E"O"F
gcc $V
EOF
sh <<\X
make $V
X
#@ heredoc-eof
sh <<X
gcc a
#@ heredoc-loop
for i in 1 2; do sh <<X
gcc $i
X
done
#@ heredoc-nested-quote
sh <<X
gcc "$V" '$(echo hi)' "a\"b" \`echo z\`
X
#@ herestring bash
sh <<< 'gcc a'; V='make  b'; sh <<< $V; sh <<< "$V"; sh <<< make\ c
#@ case-fall bash
case a in a) gcc 1;& b) gcc 2;; c) gcc 3;; esac; case ab in a*) make 1;;& *b) make 2;;& x) make 3;;& *) make 4;; *) make 5;; esac
#@ case-none
case x in a) gcc;; esac; make $?
#@ case-status
case x in x) false;; esac; make $?; case y in y) ;; esac; make $?
#@ case-quoted
V='*'; case a in "$V") gcc lit;; $V) gcc glob;; esac; case '*' in \*) make;; esac
#@ case-empty
V=; case $V in '') gcc empty;; *) gcc no;; esac; case "" in "") make;; esac
#@ case-bracket
for V in a B 1 - _ ']' ; do case $V in [a-z]) gcc lower;; [[:upper:]]) gcc upper;; [!a-zA-Z_-]) gcc other;; [-_]) gcc dash;; *) gcc none;; esac; done
#@ case-multi
for V in -h --help x; do case $V in -h | --help) gcc help;; -*) gcc opt;; *) gcc arg;; esac; done
#@ case-tilde forks
case ~ in /*) gcc;; esac
#@ case-backslash
case 'a\b' in a\\b) gcc;; esac; V='a\*'; case 'a*' in $V) make;; esac; case 'a\x' in $V) cargo;; esac
#@ regex-groups bash
[[ v1.22.3 =~ ^v([0-9]+)\.([0-9]+)(\.([0-9]+))?$ ]] && gcc "${BASH_REMATCH[@]}" "${BASH_REMATCH[4]}" ${#BASH_REMATCH[@]}
#@ regex-fail bash
[[ a =~ b ]]; gcc $? "${BASH_REMATCH[0]-none}" ${#BASH_REMATCH[@]}
#@ regex-quoted bash
V='a.c'; [[ abc =~ "$V" ]] || gcc q; [[ abc =~ $V ]] && make u; [[ 'a.c' =~ a\.c ]] && cargo; re='^(a|b)+$'; [[ abab =~ $re ]] && mojo "${BASH_REMATCH[1]}"
#@ regex-alternation bash holes
[[ foobar =~ (foo|foobar) ]] && gcc "${BASH_REMATCH[0]}"; [[ xaay =~ a* ]] && make "m${BASH_REMATCH[0]}"
#@ regex-class bash
[[ 'a b' =~ [[:space:]] ]] && gcc; [[ a1 =~ ^[[:alpha:]][[:digit:]]$ ]] && make; [[ x =~ [^a-c] ]] && cargo; [[ 'a]' =~ []] ]] && mojo
#@ regex-optional-unset bash
[[ ac =~ a(b)?c ]] && gcc "${BASH_REMATCH[1]}x" ${#BASH_REMATCH[@]}
#@ regex-invalid bash holes
V='('; [[ a =~ $V ]]; gcc $?
#@ regex-special bash
[[ 'a+b' =~ a\+b ]] && gcc; [[ ab =~ a{1}b ]] && make; [[ 'a{' =~ a\{ ]] && cargo; [[ tab =~ \bt ]] ; mojo $?
#@ exec-redirect
exec >log 2>&1; gcc a; exec 3<main.c; make
#@ exec-command
exec gcc a; make
#@ exec-subshell
(exec gcc a; make); cargo
#@ exec-function-fd
f() { gcc "$@"; }; exec 5>log; f a >&5; exec 5>&-; make
#@ status-after-arithmetic-assignment
set -e
n=0
until [ $n -ge 2 ]; do n=$((n+1)); gcc $n; done
while [ $n -ge 1 ]; do n=$((n-1)); make $n; done
cargo
#@ status-of-quoted-substitution
false
V='$(x)' ; gcc $?
false
V=`true`; gcc $?
false
V=$((1))$(false); gcc $?
false || V="$((2))"; gcc $?
#@ arguments-joined-and-split args=a args=
IFS=', '; gcc $* "$*"; set -- '' one '' '' one ''; IFS=:; gcc $* x
#@ status-of-substitution-in-words
true; gcc "$(false)" $?; false; gcc $(true) $?; true; V=$(false) W=$?; gcc $W; false; $(true); gcc $?; true; case $(false)$? in 0) make 0;; 1) make 1;; esac
#@ slice-from-the-end-with-name bash holes
gcc "${@: -1:2}" ${*: -1}; set -- a b; gcc "${@: -2}" "${@: -3:2}" x"${@: -4}"
#@ braces-before-names bash
B=b B1=one; gcc $B{1..3}'#' ${B}{1..2} $B{x,1} "$B"{1..2} {08..11} {a..c}{1..2}
#@ nothing-is-set-after-an-error bash
unset B A; B=$((1+)); make
B+=x; gcc "$B"; A=(1 $((1/0))); make
gcc "${A[@]}x"
#@ match-of-what-comes-from-outside bash holes forks
if [[ "$A" =~ ^(x?)$ ]]; then gcc "${BASH_REMATCH[@]}"; else make "${BASH_REMATCH[@]}"; fi
#@ replaced-groups bash
shopt -s extglob
for A in aab baac xyz; do gcc "${A//!(*a*)/-}" "${A//!(a)/-}" "${A/!(*a*)/-}" "${A//*(x)/-}" "${A/#!(a)/-}" "${A/%!(a)/-}" "${A//?(a)/-}" "${A/#*(q)/-}" "${A/%/-}" "${A/#/-}" "${A/%*(q)/-}" "${A//*/-}"; done
#@ replaced-in-nothing bash
A=; gcc "${A/%/-}" "${A/#/-}" "${A//*/-}" "${A/a/-}" "${A/*/-}" "${A//[a]/-}"
#@ replaced-plain bash
A=abcabc; gcc "${A//b*/-}" "${A//?/-}" "${A/c/-}" "${A//[ab]/-}" "${A/#ab/-}" "${A/%c/-}" "${A//abc/}" "${A//x/-}" "${A/#x/-}" "${A//\b/-}" "${A//*/-}"
#@ nounset-length-of-array bash
set -u; declare -a D; unset V W; gcc ${#D[@]}; make ${#W[@]}; cargo
#@ nounset-length-of-array-outside bash holes forks
set -u; gcc "${#L[@]}"
