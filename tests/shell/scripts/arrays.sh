#@ simple bash
A=(a "b c" d)
gcc "${A[@]}"
gcc ${A[@]}
gcc "${A[*]}" ${A[*]}
#@ first bash
A=(x y)
gcc $A "${A}" ${A[0]} ${A[1]} "${A[-1]}"
#@ empty bash
A=()
gcc "${A[@]}" x ${A[@]} ${#A[@]}
#@ append bash
A=(a)
A+=(b "c d")
gcc "${A[@]}" ${#A[@]}
#@ append-element bash
A=(a b)
A[0]+=x
A[5]=f
gcc "${A[@]}" ${#A[@]} ${!A[@]}
#@ slice bash
A=(a b c d)
gcc "${A[@]:1:2}" "${A[@]:2}" "${A[@]: -1}"
#@ length-of-element bash
A=(abc de)
gcc ${#A[0]} ${#A[1]} ${#A}
#@ joined bash
A=(a b)
gcc x"${A[@]}"y "p${A[*]}q"
#@ ifs-join bash
A=(a b c)
IFS=,
gcc "${A[*]}"
#@ multi-line bash
ARGS=(
  -DCMAKE_BUILD_TYPE=Release
  # -DGGML_NATIVE=ON
  "-DCMAKE_C_FLAGS=-O2 -g"   # why
  -DX=$((1+1))
)
cmake "${ARGS[@]}" .
#@ from-variable bash
V="a b"
A=($V "$V")
gcc "${A[@]}" ${#A[@]}
#@ from-substitution bash
A=($(echo x y) "$(echo z w)")
gcc "${A[@]}" ${#A[@]}
#@ index-assign bash
A=([2]=c [0]=a)
gcc "${A[@]}" ${!A[@]}
#@ index-variable bash
A=(x y z) i=1
gcc ${A[i]} ${A[$i]} ${A[i+1]}
#@ unset-element bash
A=(a b c)
unset 'A[1]'
gcc "${A[@]}" ${#A[@]}
#@ unset-array bash
A=(a b)
unset A
gcc "${A[@]}" x
#@ copy bash
A=(a "b c")
B=("${A[@]}" d)
gcc "${B[@]}"
#@ prefix-on-each bash
A=(a b)
gcc "${A[@]/#/-I}" "${A[@]/%/.c}"
#@ strip-on-each bash
A=(a.c b.c)
gcc "${A[@]%.c}" "${A[@]##*.}"
#@ replace-on-each bash
A=(a-b c-d)
gcc "${A[@]//-/_}"
#@ upper-on-each bash
A=(a b)
gcc "${A[@]^^}"
#@ loop bash
A=(a "b c")
for x in "${A[@]}"; do gcc "$x"; done
#@ loop-keys bash
A=(a b)
for i in "${!A[@]}"; do gcc $i ${A[$i]}; done
#@ assoc bash
declare -A M=([x86_64]=x86-64-v2 [aarch64]=armv8-a)
gcc -march=${M[x86_64]} "${M[aarch64]}" ${#M[@]}
#@ assoc-uname bash on=*
declare -A M
M[x86_64]=x86-64-v2
M[aarch64]=armv8-a
M[arm64]=apple-m1
gcc -march="${M[$(uname -m)]}"
#@ assoc-quoted-key bash
declare -A M=(["a b"]=1 [c]="d e")
gcc "${M[a b]}" "${M["a b"]}" "${M[c]}"
#@ assoc-missing bash
declare -A M=([a]=1)
gcc "${M[b]}" ${M[b]:-none}
#@ declare-a bash
declare -a A=(a b)
gcc "${A[@]}"
#@ local-array bash
f() { local a=(x "y z"); gcc "${a[@]}" "$@"; }
f 1 2
#@ local-array-declared bash
f() { local -a a; a+=(x); a+=("$1"); gcc "${a[@]}"; }
f "p q"
#@ conditional-append bash on=*
A=(-O2)
if [ "$(uname)" = Linux ]; then A+=(-fPIC); fi
[[ $(uname -m) == arm64 ]] && A+=(-mcpu=apple-m1)
gcc "${A[@]}"
#@ command-array bash
CMD=(gcc -c "main file.c")
"${CMD[@]}" -o x
#@ command-array-env bash
CMD=(env A=1 make)
"${CMD[@]}" all
#@ default-array bash
A=("${X:-def}" ${Y:-})
gcc "${A[@]}" ${#A[@]}
#@ default-of-array bash
gcc "${A[@]:-none}" ${A[@]:-none}
#@ alternative-of-array bash
A=(a b)
gcc ${A[@]+"${A[@]}"} ${B[@]+"${B[@]}"} x
#@ scalar-then-array bash
A=x
A+=(y)
gcc "${A[@]}"
#@ quoted-at-empty-joined bash
A=()
gcc "x${A[@]}y" "${A[@]}"
#@ positional-array bash args=a "args=b c"
A=("$@")
gcc "${A[1]}" "${#A[@]}"
set -- "${A[@]}" d
gcc "$@"
#@ at-slice bash args=a args=b args=c
gcc "${@:2}" "${@:1:1}" "${*:2}"
gcc "${@: -1}" ${!#}
#@ read-a bash
read -ra A <<< "x y z"
gcc "${A[@]}" ${#A[@]}
#@ mapfile bash
mapfile -t A <<< $'x y\nz'
gcc "${A[@]}" ${#A[@]}
#@ mapfile-here bash
readarray -t A <<'E'
a b
c
E
gcc "${A[@]}"
#@ array-braces bash
A=({a,b}.c x{1..2})
gcc "${A[@]}"
#@ last-element bash
A=(a b c)
gcc "${A[${#A[@]}-1]}" "${A[@]:0:${#A[@]}-1}"
#@ array-in-string bash
A=(-O2 -g)
make CFLAGS="${A[*]}" "X=${A[@]}"
#@ array-function-append bash
ARGS=()
add() { ARGS+=("-D$1"); }
add A; add "B=c d"
gcc "${ARGS[@]}"
#@ name-reference bash
f() { local -n r=$1; r+=(z); }
A=(a)
f A
gcc "${A[@]}"
#@ printf-v-array bash
printf -v V '%s,' a b
gcc "${V%,}"
#@ array-subshell bash
A=(a)
(A+=(b); gcc "${A[@]}")
gcc "${A[@]}"
#@ array-glob-literal bash
A=('*.zzz')
gcc "${A[@]}"
