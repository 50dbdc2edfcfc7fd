# `read`, `mapfile` and references.
#@ mapfile-d bash
mapfile -t -d b <<X
abc
X
gcc "${MAPFILE[@]}" ${#MAPFILE[@]}
#@ mapfile-d-empty bash
mapfile -t -d "" < <(printf "a\0b\n"); gcc "${MAPFILE[@]}" ${#MAPFILE[@]}
#@ mapfile-opts bash
mapfile -n 2 a <<< $'1\n2\n3'; gcc "${a[@]}"
mapfile -t -n2 -s 1 a <<< $'1\n2\n3\n4'; gcc "${a[@]}"
mapfile -ts1 a <<< $'1\n2\n3\n4'; gcc "${a[@]}"
mapfile -t -O 2 b <<< $'1\n2'; gcc "${b[@]}" "${!b[@]}"
b=(x y z w); mapfile -t -O 1 b <<< $'1\n2'; gcc "${b[@]}"
mapfile -t -c 1 -C 'make cb' a <<< x; gcc "${a[@]}"
#@ mapfile-callback bash
mapfile -t -c 1 -C 'make cb' a <<< $'x\ny'; gcc "${a[@]}"
#@ mapfile-empty bash
mapfile -t a < /dev/null; gcc ${#a[@]}
mapfile a <<< ''; gcc ${#a[@]} "${a[@]}"
#@ mapfile-rest bash
{ mapfile -t -n 1 a; read b; } <<< $'1\n2'; gcc "${a[@]}" "$b"
#@ mapfile-u bash holes
mapfile -u 3 -t a 3<<< x; gcc "${a[@]}"
#@ mapfile-cr bash
mapfile -t a <<< $'a\rb\x0bc'; gcc "${a[@]}" ${#a[@]}
#@ mapfile-pipe bash
printf '1\n2\n' | mapfile -t a; gcc ${#a[@]}
#@ mapfile-lastpipe bash
shopt -s lastpipe; printf '1\n2\n' | mapfile -t a; gcc ${#a[@]} "${a[@]}"
#@ read-d bash
read -d x V <<< 'a bxc'; gcc "$V" $?
read -d '' V <<< 'a b'; gcc "$V" $?
read -r -d '' A B <<'X'
one \two
three
X
gcc "$A" "$B" $?
IFS= read -r -d '' V <<< ' a '; gcc "$V"
#@ read-n bash
read -n 3 V <<< abcdef; gcc "$V"; read -n3 A B <<< 'a bcd'; gcc "$A" "$B"
read -N 3 V <<< $'a\nbc'; gcc "$V" $?
read -n 3 V <<< a; gcc "$V" $?
#@ read-n-rest bash
{ read -n 2 A; read B; } <<< abcdef; gcc "$A" "$B"
#@ read-a bash
read -a V <<< 'a b  c'; gcc "${V[@]}" ${#V[@]}; read -ra V <<< 'x\y z'; gcc "${V[@]}"; read -ar W <<< 'q w'; make "${W[@]}" "${r[@]}"
#@ read-p bash
read -p 'name: ' V <<< x; gcc "$V"; read -rp 'n' V <<< y; gcc "$V"; read -e -i z V <<< w; gcc "$V"
#@ read-p-dash dash
read -p 'name: ' V <<X
x
X
gcc "$V"
#@ read-t bash
read -t 5 V <<< x; gcc "$V" $?; read -t 0 V <<< y; gcc "$V"
#@ read-s bash
read -s V <<< x; gcc "$V"
#@ read-u bash holes
read -u 3 V 3<<< x; gcc "$V"
#@ read-fd
exec 3<main.c; read -r V <&3; gcc x
#@ read-eof
read V < /dev/null; gcc "x$V" $?
#@ read-none
read A B <<X
one
X
gcc "$A" "$B"
#@ read-blank
read A <<X
  a b  
X
gcc "$A"
IFS=: read A B <<X
 a : b : c 
X
gcc "$A" "$B"
#@ read-reply bash
read <<< '  a b '; gcc "$REPLY"; read -r <<< 'x\y'; gcc "$REPLY"
#@ read-ifs-other
IFS=, read A B C <<X
a,,b,c,
X
gcc "$A" "$B" "$C"
IFS=, read A B <<X
a,
X
gcc "$A" "$B"
IFS=, read A <<X
a,b,
X
gcc "$A"
IFS=', ' read A B C <<X
 a , b,c 
X
gcc "$A" "$B" "$C"
#@ read-backslash
read A B <<'X'
a\ b c\
d e
X
gcc "$A" "$B"
#@ read-noeol
printf 'a b' | { read A B; gcc "$A" "$B" $?; }
#@ read-while-last
printf 'a\nb' | while read -r V; do gcc "$V"; done
printf 'a\nb' | while read -r V || [ -n "$V" ]; do make "$V"; done
#@ read-element bash
read 'a[2]' <<< x; gcc "${a[2]}" ${#a[@]}
#@ read-nul bash
read V < <(printf 'a\0b\n'); gcc "$V"
#@ comsub-nul bash
gcc "$(printf 'a\0b')"
#@ read-vars-many
read A B C D <<X
1 2
X
gcc "$A" "$B" "$C" "$D"
#@ lastpipe-off bash
printf 'x\n' | read V; gcc "v$V"
#@ read-ro-fail bash
read 1a <<< x; gcc $?
#@ nameref-basic bash
declare -n r=v; v=1; gcc $r; r=2; gcc $v; unset r; gcc "$v" ${r-x}; unset -n r; r=5; make "$v" $r
#@ nameref-prefix bash
f() { gcc $v; }; declare -n v=v2; v2=x; v=y f; f
#@ nameref-local bash
f() { local -n out=$1; out="set $2"; }; f res hi; gcc "$res"
f2() { local -n arr=$1; arr+=(z); gcc "${arr[@]}" ${#arr[@]} "${arr[1]}"; }; a=(x y); f2 a; make "${a[@]}"
#@ nameref-element bash
a=(x y z); declare -n e='a[1]'; gcc $e; e=q; make "${a[@]}"
#@ nameref-loop bash
x=1 y=2; declare -n r; for r in x y; do gcc $r; r=z; done; make $x $y
#@ nameref-chain bash
declare -n a=b b=c; c=1; gcc $a; a=2; make $c ${!a} ${!b}
#@ nameref-unset-target bash
declare -n r=nothing; gcc "${r-none}"; r=1; make $nothing
#@ nameref-assoc bash
declare -A h=([k]=v); declare -n r=h; gcc ${r[k]}; r[q]=w; make ${h[q]} "${!r}"; f() { local -n m=h; m[z]=1; }; f; cargo ${h[z]}
#@ nameref-export bash
declare -n r=V; export r=5; gcc "$V"
#@ nameref-read bash
declare -n r=V; read r <<< x; gcc $V; printf -v r y; make $V; ((r=3)); cargo $V; r+=4; mojo $V
#@ nameref-invalid bash
declare -n r='1x'; gcc $?; make "$r"
#@ nameref-assign-later bash
declare -n r; r=V; r=5; gcc "$V" "$r"
#@ nameref-plus-n bash
declare -n r=V; V=1; declare +n r; gcc "$r"
