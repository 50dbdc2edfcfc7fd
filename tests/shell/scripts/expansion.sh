#@ glob-match holes
gcc *.c
#@ glob-none holes
gcc *.zzz
#@ glob-question holes
gcc ?.zzz [ab].zzz
#@ glob-quoted
gcc "*.c" '*.c' \*.c "?" '[a]'
#@ glob-in-variable holes
V='*.c'
gcc $V
#@ glob-in-variable-quoted
V='*.c'
gcc "$V"
#@ glob-noglob
set -f
V='*.c'
gcc $V *.c
#@ glob-assignment
V=*.c
gcc "$V"
#@ glob-folder holes
gcc src/*.c -o out
#@ glob-for holes
for f in src/*.c; do gcc "$f"; done
#@ glob-case-not
case main.c in *.c) gcc yes ;; esac
#@ glob-bracket-literal
gcc [ ] a] [b
#@ glob-equals holes
make FILES=*.zzz
#@ glob-none-options
gcc -W? -x
#@ nullglob bash holes
shopt -s nullglob
gcc *.zzz a
#@ braces-list bash
gcc {a,b,c} x{1,2}y {a,b}{c,d}
#@ braces-nested bash
gcc {a,b{1,2}} {{a,b},c}
#@ braces-range bash
gcc {1..4} {a..e} {3..1} {1..10..3} {01..03}
#@ braces-not bash
gcc {a} {} {a..} {1..x} a{b "{a,b}" {a,b
#@ braces-quoted-part bash
gcc {"a b",c} {a\,b,c} x{,y} {,a}
#@ braces-variable bash
a=1 b=3
gcc {$a,$b} {$a..$b}
#@ braces-path bash
mkdir -p out/{lib,bin}/{debug,release}
gcc -I{inc,src}
#@ braces-assignment bash
V={a,b}
gcc "$V" $V
#@ braces-dash dash
gcc {a,b} {1..3}
#@ braces-empty-elements bash
gcc {a,,b} {,}
#@ braces-suffix bash
cp f.{c,h} out/
gcc {x,y}.c
#@ braces-in-variable bash
V='{a,b}'
gcc $V
#@ braces-with-dollar bash
gcc ${V:-x}{1,2} {${V:-p},q}
#@ braces-negative bash
gcc {-1..1} {2..-2..2}
#@ braces-letters-reverse bash
gcc {c..a} {a..c}{1..2}
#@ tilde holes
gcc ~/x -I~/y
#@ tilde-home-known
HOME=/h
gcc ~ ~/x "~/x" a~ a~/b '~'
#@ tilde-assignment
HOME=/h
V=~/x W=a:~/y
gcc $V $W
#@ tilde-option
HOME=/h
gcc --prefix=~/x -I~/y P=~/z
#@ tilde-quoted-part
HOME=/h
gcc ~"/x" ~\/y "~"/z
#@ tilde-in-default
HOME=/h
gcc ${V:-~/x} "${V:-~/y}"
#@ tilde-user holes
gcc ~root/x
#@ tilde-plus bash holes
gcc ~+/x
#@ home-variable holes
gcc "$HOME/x" -I$HOME/y
#@ home-set
HOME=/my
gcc $HOME/x "$HOME"
#@ order-brace-then-variable bash
A=1 B=2
gcc ${A}{x,y} $A{x,y}
#@ split-after-brace bash
V='p q'
gcc {$V,r}
#@ no-split-in-case
V='a b'
case $V in 'a b') gcc yes ;; *) gcc no ;; esac
#@ quoted-empty-join
E=
gcc "$E"a a"$E" $E"" ""$E
#@ at-with-empty args= args=a args=
gcc "$@"
gcc $@
gcc "x$@"
#@ star-unquoted-empty args= args=b
gcc $*
#@ nested-parameter
A=x
gcc ${A:+${B:-y}} "${A:+"$A z"}"
#@ extglob bash
shopt -s extglob
V=foo.tar.gz
gcc ${V%.@(gz|xz)} ${V%%.*(tar|gz|.)}
#@ extglob-case bash
shopt -s extglob
case foo in @(foo|bar)) gcc yes ;; *) gcc no ;; esac
#@ pattern-backslash
V='a\b'
gcc "${V%\\*}" "${V#*\\}"
#@ pattern-in-quotes-inside-default
V=a.b
gcc "${V%".b"}" "${V%'.b'}" ${V%".b"}
#@ unquoted-default-glob holes
gcc ${V:-*.zzz}
#@ quoted-inside-unquoted-default
gcc ${V:-"a  b"} ${V:-'c  d'} ${V:-e\ f}
#@ variable-names
_a=1 A_B=2 a1=3
gcc $_a$A_B$a1 ${_a}_x $A_B.c
#@ digits-after
set -- a b
gcc $12 $1x ${1}2
#@ dollar-at-in-assignment
set -- a "b c"
V="$@"
gcc "$V"
W=$*
gcc "$W"
#@ ifs-at-assignment
set -- a b
IFS=-
V="$*"
W=$*
unset IFS
gcc "$V" "$W"
#@ printf-width-of-an-argument
gcc "$(printf '%*s' 0x5 ab)" "$(printf '%*s' abc ab)" "$(printf '%*s' -5 ab)." "$(printf '%.*s' ' 3' abcdef)" "$(printf '%*d' "'a" 7)"
#@ quoted-quote bash
B=\'; gcc "${B@Q}" "$(printf %q "$B")"; B="a'"; gcc "${B@Q}"
#@ printf-no-character
gcc "$(printf '%c' '')" "$(printf 'a%cb' '')" "$(printf '%c' 'a\tb' -5 '')" "$(printf '%3c|' '')" "$(printf 'x%c')"
#@ printf-zero-byte-in-variable bash
printf -v V 'a%cb' ''; printf -v W 'a\0b'; gcc "$V" "$W"
#@ name-of-the-script args=x
gcc "$0" "${0##*/}" "${0%.sh}"; f() { gcc "$0" "$1"; }; f a; sh -c 'gcc $0 $1' a b
#@ name-as-parameter bash args=x
gcc "${@: -1}" "${@:0}" "${@: -2:1}" "${*: -3}."
