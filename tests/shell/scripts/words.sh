#@ plain
gcc -c main.c -o main.o
#@ single-quotes
gcc 'a b' 'it is "so"' 'back\slash' '$HOME `x`'
#@ double-quotes
gcc "a b" "it's" "say \"x\"" "back\\slash" "\$V" "\`x\`" "\a\n\'"
#@ adjacent
gcc a'b c'd"e f"g'h'"i" ''x"" -D'N'="v"
#@ empty
gcc '' "" ''"" x
#@ empty-in-middle
gcc a '' b "" c
#@ escaped-quote-in-single
gcc 'it'\''s' 'a'"'"'b'
#@ backslash
gcc a\ b \$V \"x\" \'y\' \\ \# \; \& \| \< \> \( \)
#@ backslash-letter
gcc \a\b\n a\tb
#@ define-string
gcc -DVERSION='"1.2"' -DNAME=\"x\ y\" "-DPATH=\"/usr\"" -DQ=\'q\'
#@ continuation
gcc -c main.c \
  -O2 \
    -o main.o
#@ continuation-in-word
gcc -mar\
ch=x86-64-v2 ma\
in.c
#@ continuation-in-double
gcc "a\
b" 'c\
d'
#@ continuation-then-blank
gcc a \ 
make b
#@ continuation-then-comment
gcc a \
# -march=native
make b
#@ comment-then-continuation
# gcc not run \
gcc run
#@ comment-after
gcc a # -O2 "unclosed
make b
#@ hash-in-word
gcc a#b '#c' \#d x=# "#"
#@ newline-in-quotes
gcc "line one
line two" 'three
four'
#@ semicolon-tight
gcc a;make b;cargo c
#@ quoted-semicolon
gcc "a;b" 'c&&d' e\;f
#@ dollar-alone
gcc $ a$ "$" "a$ b" $% "$%"
#@ quoted-command-name
"gcc" a; 'ma'ke b; g\cc c; c""argo d
#@ dash-dash
gcc -- -x --y=z -
#@ equals-words
gcc a=b --x=y =z a= ; make CFLAGS=-O2 'LDFLAGS=-s -w'
#@ tilde-like
gcc a~b 'x~' "~" \~
#@ braces-quoted
gcc '{a,b}' "{a,b}" \{a,b\} {} { }
#@ braces-literal-dash dash
gcc {a,b} x{1..3}
#@ brackets
gcc '[a]' "a[1]" \[x\]
#@ exclamation
gcc a! 'b!' "c!" !d
#@ percent-at
gcc %x @y +z ^w ,v :u
#@ many-blanks
   gcc     a		b   
#@ ampersand-list
gcc a &&
  make b &&
  cargo c
#@ or-newline
false ||
  make b
#@ pipe-newline unordered
gcc a |
  tee log
#@ backslash-newline-between-operators
gcc a \
  && make b \
  && cargo c
#@ backslash-newline-in-operator
gcc a &\
& make b
#@ newline-word-quotes
make CC="gcc \
  -m64" \
  all
#@ quote-mix-rustflags
RUSTFLAGS="-C target-cpu=x86-64-v2 -C link-arg=-Wl,-rpath,'\$ORIGIN'" cargo build
#@ nested-quotes-sub
gcc "$(printf '%s' "a b")" "$(echo "x $(echo "y z")")"
#@ double-quoted-newline-escape
gcc "a\nb" "c\\nd" "e\\\nf"
#@ keyword-as-argument
gcc if then fi do done case esac for while in { } !
#@ keyword-quoted
gcc 'if'; echo if; make for
#@ function-like
gcc 'f()' "f ()" f\(\)
#@ time-word bash
time gcc a
#@ time-options bash
time -p gcc a b
#@ negated
! gcc a
make b
#@ negated-pipe unordered
! gcc a | tee b
#@ assignment-like-arguments
make A=1 B="$HOME_X" C='x y'
#@ option-with-quotes-inside
gcc -Wl,-rpath,'$ORIGIN/../lib' -L"/opt/my lib" -I'/a b'/c
#@ multi-line-mixed
cmake -S . -B build \
  -DCMAKE_BUILD_TYPE="Release" \
  -DCMAKE_C_FLAGS="-O2 -march=x86-64-v2" \
  -DGGML_NATIVE=OFF
cmake --build build
#@ hash-after-semicolon
gcc a;# make b
cargo c
#@ hash-after-paren
(gcc a)# make b
#@ dollar-before-quote-dash dash
gcc $'a\tb' $"c"
#@ dollar-double bash
gcc $"a b" $"c"
#@ ansi-c bash
gcc $'a\tb' $'it\'s' $'a\nb' $'\\' $'\"' $'x\x41y' $'\101' $'\e[0m' $'\q'
#@ ansi-c-in-double bash
gcc "$'a\tb'" "x$'y'"
#@ ansi-c-adjacent bash
gcc -D$'N=\'x\''"y"$'z'
#@ ansi-c-control bash
gcc $'\cA' $'\a\b\f\r\v' $'\?'
#@ ansi-c-nul bash
gcc $'ab\0cd' x
#@ long-option-lines
mojo build --target-cpu x86-64-v2 \
  -O3 \
  -I src \
  src/main.mojo -o bin/app
#@ spaces-after-continuation-line
gcc a \

make b
#@ backslash-blank-eol
gcc a \	
make b
#@ backslash-in-double-specials
gcc "\-" "\ " "\*" "\{" "\!"
#@ quote-in-comment
# don't
gcc a
# it's "so
make b
#@ bang-history
gcc "wow!" wow!
#@ empty-command-name
"" ; gcc a
#@ word-then-comment-no-blank
gcc a#not comment
#@ line-start-hash-in-quote
gcc "
# not a comment
" b
#@ continuation-in-name
V=1 Vx=2
gcc "$V\
x" $V\
x
