#@ simple
gcc $((1+2)) "$((3 * 4))" x$((5-6))y
#@ precedence
gcc $((1+2*3)) $(((1+2)*3)) $((7/2)) $((7%3)) $((-7/2)) $((-7%3))
#@ variables
a=3 b=4
gcc $((a+b)) $(($a*$b)) $((a-$b)) $((${a}+1))
#@ unset-is-zero
gcc $((nope+1))
#@ assign
gcc $((x=5)) $x $((x+=2)) $x
#@ compare
gcc $((1<2)) $((2<=1)) $((3==3)) $((3!=3)) $((1&&0)) $((1||0)) $((!5))
#@ bits
gcc $((5&3)) $((5|3)) $((5^3)) $((~0)) $((1<<4)) $((256>>2))
#@ ternary
gcc $((1?2:3)) $((0?2:3))
#@ bases
gcc $((0x1f)) $((010)) $((0xF + 1))
#@ bases-bash bash
gcc $((2#101)) $((16#ff))
#@ power bash
gcc $((2**10)) $((2**3**2))
#@ increment bash
i=1
gcc $((i++)) $i $((++i)) $((i--)) $((--i))
#@ comma bash
gcc $((a=1, a+2))
#@ let bash
let a=5+2
let "b = a * 2"
gcc $a $b
#@ double-paren-assign bash
((a = 3, b = a * 2))
gcc $a $b
#@ old-brackets bash
gcc $[1+2] "$[3*4]"
#@ nested
gcc $(( $(echo 2) + $((3*4)) ))
#@ spaces-newlines
gcc $((
  1 +
  2
))
#@ expression-in-variable bash
e='1+2'
gcc $((e*2)) $(($e*2))
#@ jobs
n=4
make -j$((n*2)) all
#@ counter
i=0
i=$((i+1))
i=$((i+1))
gcc $i
#@ in-test
if [ $((1+1)) -eq 2 ]; then gcc a; fi
#@ in-assignment
V=$((6*7))
gcc -D$V
#@ in-quotes
gcc "x $((1+1)) y" '$((1+1))'
#@ big
gcc $((2147483647+1)) $((1<<40))
#@ overflow
gcc $((9223372036854775807+1))
#@ negative
n=-3
gcc $((n*-2)) $((- n)) $((+n)) $((-(-5)))
#@ short-circuit bash
gcc $((0 && (x=5))) ${x:-unset} $((1 || (y=5))) ${y:-unset}
#@ array-index bash
A=(10 20 30) i=1
gcc $((A[1] + A[i+1])) ${A[$((i-1))]}
#@ declare-i bash
declare -i n
n=2*3
n+=4
gcc $n
#@ c-style-while bash
i=0
while ((i < 3)); do gcc $i; ((i++)); done
#@ command-sub-not-arith
gcc $( (echo sub) )
#@ paren-arith-tight
gcc $((((1+2))*2))
#@ quotes-inside bash
a=2
gcc $(("a"+1)) "$(("$a" * 3))"
#@ length-inside
V=abcd
gcc $((${#V} + 1))
#@ substring-inside bash
V=abcdef
gcc ${V:$((1+1)):$((4-2))}
#@ version-number
V=1.22
gcc $(( ${V%.*} * 100 + ${V#*.} ))
#@ zero-padded bash
gcc $((10#08)) $((10#010))
