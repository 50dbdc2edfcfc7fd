#@ simple
gcc a >log
make b >>log
cargo c 2>log
go d <flags
#@ both
gcc a >log 2>&1
make b 2>/dev/null >&2
#@ both-bash bash
gcc a &>log
make b &>>log
#@ amp-dash dash unordered
gcc a &>log
wait
#@ tight
gcc a>log b
make 2>log c
#@ digit-word
gcc a 2 >log
make 2>log
cargo x2>log
#@ first
>log gcc a
2>log <flags make b
#@ middle
gcc >log a <flags b
#@ quoted-target
gcc a >"my log" 2>'o t'
#@ variable-target
L=log
gcc a >$L 2>"$L.err"
#@ dup
gcc a 3>&1 1>&2 2>&3
make b >&-
#@ noclobber
gcc a >|log
#@ read-write
gcc a <>rw
#@ here-string bash
gcc - <<<"x y"
#@ only-redirect
>empty
gcc a
#@ brace-fd bash
exec {fd}>log
gcc a
#@ fd-number
gcc a 1>log 2>>log
#@ assignment-and-redirect
A=1 >log make a
#@ redirect-if
if true; then gcc a; fi >log
#@ redirect-loop
for x in a b; do gcc $x; done >log 2>&1
#@ redirect-case
case x in x) gcc a ;; esac >log
#@ substitution-target unordered
gcc a >$(echo log)
#@ echo-to-file
echo gcc no >script
make x
#@ append-env
echo "FLAGS=-march=native" >> env.txt
gcc a
#@ redirect-subst
V=$(gcc a 2>&1 >/dev/null)
make b
#@ pipe-err unordered
gcc a 2>&1 | tee log
#@ ampersand-gt-word
gcc a >&2
make b 1>&2
#@ process-in-redirect bash unordered
while read -r x; do gcc "$x"; done < <(printf '%s\n' a b)
#@ close-stdin
gcc a <&-
#@ tab-before
gcc a	>log	2>&1
#@ newline-after
gcc a >log
make b
#@ quoted-gt
gcc 'a>b' "2>&1" \> x
#@ gt-in-word
gcc a=b>log
#@ noclobber-list holes forks
set -C
echo x > main.c && cc one
cc two
#@ noclobber-status holes forks
set -o noclobber
cc a > main.c || gcc b
cc a >| main.c
cc a >> main.c
#@ noclobber-own-file holes forks
set -C
echo a > new1
echo b > new1 || cc refused
cat new1
#@ noclobber-device
set -C
cc a > /dev/null
cc b 2> /dev/null
cc c > /dev/null 2>&1
#@ noclobber-off
set -C
set +C
cc a > main.c
#@ noclobber-special bash holes forks
set -C
: > main.c
cc after $?
#@ noclobber-group holes forks
set -C
{ cc in; } > main.c
cc after
#@ noclobber-both bash holes forks
set -C
cc in &> main.c
cc in &>> main.c
cc after
#@ missing-beside-assignment holes forks
x=1 < missing
cc "$x" $?
