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
#@ descriptor-never-opened forks
gcc a >&9
make b
#@ descriptor-never-opened-or forks
gcc a >&9 || make b
#@ descriptor-never-opened-errexit forks
set -e
gcc a 2>&8
make b
#@ descriptor-opened
exec 9>log; gcc a >&9; { gcc b >&3; } 3>log; gcc c 4>log >&4
#@ descriptor-opened-after forks
gcc a >&3 3>log
make b
#@ descriptor-closed
exec 3>log; exec 3>&-; gcc a >&3; make b
#@ descriptor-closed-output
exec 3>&1; gcc b; exec 1>&-; gcc a >&1; gcc d 2>&1; gcc c >&3; gcc e 9>&9
#@ descriptor-of-function forks
f() { gcc a >&3; }
f 3>log; f; make b
#@ descriptor-of-subshell forks
( exec 4>log; gcc a >&4 ); gcc b >&4; make c
#@ descriptor-of-child
exec 5>log; sh -c 'gcc a >&5'; gcc b >&5
#@ descriptor-of-special forks
: >&8
make b
#@ descriptor-in-variable forks
fd=5; gcc a >&$fd; exec 5>log; gcc b >&$fd
#@ descriptor-moved bash
exec 3>log; gcc a 1>&3-; gcc b >&3; exec 4>&3-; gcc c >&3; make d
#@ descriptor-chosen bash
exec {fd}>log; gcc a >&$fd; make b
#@ descriptor-chosen-not-in-sh dash
gcc a {fd}>log; make b
#@ descriptor-of-two-digits dash
gcc a 12>log; make b
#@ descriptor-of-two-digits-in-bash bash
gcc a 12>log; exec 12>log; make b >&12
#@ descriptor-is-a-word dash
gcc a >&log
make b
#@ descriptor-is-a-file bash
gcc a >&log
gcc b 2>&log
gcc c <&log
make d
#@ exec-with-options dash forks
exec -- gcc a
#@ exec-with-options-in-bash bash
exec -- gcc a
