# Pathnames and extended patterns.
#@ ext-off bash
V='aab+(a)c'; gcc "${V#+(a)}" "${V//+(a)/x}" "${V%%?(c)}"
#@ ext-on bash
shopt -s extglob
V='aabac'; gcc "${V#+(a)}" "${V##+(a)}" "${V//+(a)/x}" "${V%%?(a)c}" "${V/@(a|aa|aab)/-}" "${V//!(a)/x}"
#@ ext-not bash
shopt -s extglob
for V in a b ab abc file.c file.o; do case $V in !(a*)) gcc "$V";; a!(b)) make "$V";; !(b)c) cargo "$V";; *) mojo "$V";; esac; done
#@ ext-not-middle bash
[[ aab == !(a)b ]] && gcc 1; [[ ab == !(a)b ]] && gcc 2; [[ b == !(a)b ]] && gcc 3; [[ file.tar.gz == *.@(tar|zip)?(.gz) ]] && gcc 4
[[ abab == +(ab|a)b ]] && gcc 5; [[ '' == ?(a) ]] && gcc 6; [[ '' == !(a) ]] && gcc 7; [[ xyx == *(x|y)x ]] && gcc 8; [[ a == @(a|@(b|c)) ]] && gcc 9
#@ ext-nocase bash holes
shopt -s nocasematch; case ABC in abc) gcc yes;; *) gcc no;; esac; [[ Abc == aBC ]] && make; [[ Abc =~ ^a ]] && cargo
V=abC; gcc "${V/B/x}"
#@ ext-case bash
shopt -s extglob
case foo.c in *.@(c|h)) gcc yes;; esac
case +(a) in '+(a)') make;; esac
#@ ext-unset bash
shopt -s extglob; shopt -u extglob
V=aaa; gcc "${V##+(a)}"
#@ glob-across holes
x=']'; gcc [ab$x
#@ glob-across2 holes
x='*'; gcc ma$x.c ma"$x".c m?in.c '*'.c [m]ain.c m[!x]in.c
#@ glob-slash holes
gcc src///*.c .//*.c src/*///
#@ glob-none holes
gcc *.none none/* ?.q
#@ glob-assign
V=*.c; gcc "$V"
#@ glob-assign-use holes
V=*.c; gcc $V
#@ glob-nullglob bash holes
shopt -s nullglob; gcc *.none x *.c
#@ glob-nocase bash holes
shopt -s nocaseglob; gcc M*.C
#@ glob-dotglob bash holes
shopt -s dotglob; gcc *
#@ glob-globstar bash holes
shopt -s globstar; gcc **/*.c
#@ glob-set-f
set -f; gcc *.c [a]; set +f
#@ glob-noglob-var
set -f; V='*'; gcc $V; set +f; make "$V"
#@ glob-option holes
gcc -I*.c --x=*.c
#@ glob-bracket-lit
gcc [ [] a[ x]y
#@ glob-escaped
gcc \*.c a\?b "[a]" '?'
#@ glob-for holes
for f in *.c; do gcc "$f"; done
make "$f"
#@ glob-for-none holes
for f in *.none; do gcc "$f"; done
#@ glob-count holes
set -- *.c; gcc $#; make "$2"
#@ glob-array bash holes
a=(*.c); gcc "${a[0]}" ${#a[@]} "${a[@]}"
#@ glob-case-subject
case *.c in '*.c') gcc lit;; esac
#@ glob-in-default holes
gcc ${X:-*.c}
#@ glob-brace bash holes
gcc {main,util}.c *.{c,h}
#@ glob-tilde holes
gcc ~/*.c
#@ glob-param-quoted
V='*.c'; gcc "$V" "${V}x"
#@ glob-comsub holes
gcc $(echo '*.c')
#@ glob-backslash-var bash holes
V='\*.c'; gcc $V
#@ glob-char-class holes
gcc [[:alpha:]]ain.c
#@ glob-dir holes
gcc s*/a.c; make */
