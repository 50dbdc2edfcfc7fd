#@ subshell
(gcc a; make b)
#@ subshell-scope
V=out
(V=in; gcc $V)
gcc $V
#@ group
{ gcc a; make b; }
#@ group-scope
V=out
{ V=in; gcc $V; }
gcc $V
#@ group-newlines
{
  gcc a
  make b
}
#@ subshell-export
(export CFLAGS=-O2; make a)
make b
#@ subshell-cd
(cd src && gcc a)
gcc b
#@ subshell-nested
( ( gcc a ); (make b) )
#@ subshell-positional args=a
(set -- b; gcc "$1")
gcc "$1"
#@ subshell-functions
(f() { gcc in; }; f)
f() { gcc out; }
f
#@ group-and
{ true; } && gcc a
( false ) || gcc b
#@ pipe unordered
gcc a | tee log
#@ pipe-three unordered
gcc a 2>&1 | grep x | sort -u
#@ pipe-scope unordered
V=out
echo x | V=in
gcc $V
#@ pipe-group unordered
{ gcc a; make b; } | tee log
#@ pipe-subshell unordered
(V=in; gcc $V) | cat
#@ pipe-stderr bash unordered
gcc a |& tee log
#@ pipe-status unordered
false | gcc a && gcc b
#@ pipe-loop unordered
for x in a b; do gcc $x; done | tee log
#@ pipe-while-sub unordered
V=out
echo 'in x' | while read V W; do gcc "$V" "$W"; done
gcc $V
#@ pipe-to-sh unordered
echo 'gcc a "b c"' | sh
#@ pipe-to-bash unordered
printf 'gcc %s\n' a b | bash
#@ pipe-to-sh-s unordered
echo 'gcc "$@"' | sh -s -- x y
#@ background unordered
gcc a &
make b
wait
#@ background-list unordered
gcc a & make b & wait
#@ background-group unordered
{ gcc a; make b; } &
wait
#@ background-scope unordered
V=out
V=in &
wait
gcc $V
#@ list-mixed forks
gcc a && make b; cargo c || go d
#@ list-precedence
false && gcc a; gcc b
#@ list-or-and
false || true && gcc a
#@ list-group-or forks
true && { gcc a; make b; } || gcc c
#@ list-in-group
{ gcc a && make b; } ; cargo c
#@ cd-and
cd src && gcc a && cd .. && make b
#@ mkdir-and
mkdir -p build && cd build 2>/dev/null; cmake .. && make
#@ subshell-after-and
true && (gcc a)
#@ subshell-exit-status
(exit 1) && gcc a
(exit 1) || gcc b
#@ group-redirect
{ gcc a; make b; } >log 2>&1
#@ subshell-redirect
(gcc a) </dev/null >log
#@ braces-as-words
gcc {; make }
#@ arithmetic-lookalike
( (gcc a); make b )
#@ coproc bash unordered
coproc gcc a
wait
#@ process-substitution bash unordered holes
diff <(gcc a) <(make b)
#@ process-substitution-out bash unordered holes
gcc a > >(tee log)
sleep 0
wait
#@ exec-last
gcc a
exec make b
gcc c
#@ exec-in-subshell
(exec make b; gcc no)
gcc c
#@ exec-redirect-only
exec >log
gcc a
#@ exec-if
if false; then exec gcc a; fi
make b
#@ trailing-ampersand-group unordered
(gcc a &
make b; wait)
#@ empty-lines-between
gcc a


make b
#@ semicolons-newlines
gcc a;
make b ; 
cargo c
#@ and-comment
gcc a && # why
make b
#@ pipe-comment unordered
gcc a | # why
tee b
#@ set-e-and-or-group
set -e
{ false || true; }
gcc a
#@ deep
{ ( { ( gcc deep ); } ); }
#@ lastpipe-off bash unordered
V=a
echo b | read V
gcc $V
#@ not-group
! { false; }  && gcc a
#@ and-or-with-tools
gcc a && make b || exit 1
cargo c
