#@ not-commands
cat <<EOF
gcc no
mojo build
EOF
gcc yes
#@ quoted-delimiter
cat <<'EOF'
gcc $(make no)
EOF
gcc yes
#@ substitution-runs unordered
cat <<EOF
$(make inside)
EOF
gcc yes
#@ dash
if true; then
	cat <<-EOF
	gcc no
	EOF
	gcc yes
fi
#@ two
cat <<A <<B
a
A
b
B
gcc x
#@ with-arguments
gcc -x c - -o out <<'C'
int main(void) { return 0; }
C
make b
#@ command-after-on-line
cat <<E && gcc after
text
E
make x
#@ pipe-after unordered
cat <<E | gcc after
text
E
#@ in-function
f() {
cat <<E
gcc no
E
gcc "$1"
}
f a
#@ sh-stdin
sh <<'E'
gcc a "b c"
V=x
gcc $V
E
#@ sh-stdin-expanded
V='x y'
sh <<E
gcc $V "$V"
gcc \$V
E
#@ sh-stdin-arguments
sh -s a b <<'E'
gcc "$@"
E
#@ bash-stdin-exit
bash <<'E'
gcc a
exit 0
gcc b
E
gcc c
#@ bash-e-stdin
bash -e <<'E'
gcc a
false
gcc b
E
#@ sudo-text
cat <<'E'
sudo make install
E
gcc x
#@ here-string bash
cat <<< "gcc no"
gcc yes
#@ bash-here-string bash
bash <<< 'gcc "a b" c'
#@ here-string-variable bash
V='gcc x'
sh <<< "$V"
#@ read-here
read -r A B <<E
x y z
E
gcc "$A" "$B"
#@ read-here-expanded
V='p q'
read A B <<E
$V r
E
gcc "$A" "$B"
#@ read-backslash
read A <<'E'
a\ b\
c
E
gcc "$A"
#@ read-r-backslash
read -r A <<'E'
a\ b
E
gcc "$A"
#@ delimiter-quoted-part
cat <<E"O"F
$(gcc no)
EOF
gcc yes
#@ delimiter-backslash
cat <<\E
$(gcc no)
E
gcc yes
#@ delimiter-in-text
cat <<E
 E
E x
E
gcc yes
#@ unterminated unread
gcc a
cat <<E
gcc no
#@ in-loop
for x in a b; do
cat <<E
gcc no $x
E
gcc $x
done
#@ in-substitution-text unordered holes
V=$(cat <<'E'
gcc no
E
)
make x
#@ escaped-dollar unordered
cat <<E
\$(gcc no) \`make no\`
E
gcc yes
#@ generated-script
cat > build2.sh <<'E'
#!/bin/sh
gcc -march=native
E
chmod +x build2.sh
gcc yes
#@ several-lines-args
make \
  A=1 <<E
text
E
gcc x
#@ in-case on=*
case $(uname) in
Linux) cat <<E
gcc no
E
gcc linux ;;
*) gcc other ;;
esac
#@ in-if
if cat <<E
x
E
then gcc a; fi
#@ backquote-in-here unordered
cat <<E
`make inside`
E
#@ mapfile-process bash
mapfile -t A <<E
-O2
-g -Wall
E
gcc "${A[@]}"
#@ while-here-variable
LIST='a 1
b 2'
while read -r n v; do gcc $n-$v; done <<E
$LIST
E
#@ sh-c-here
sh -c 'gcc "$1"' x y <<E
make no
E
#@ xargs-here
xargs gcc -c <<E
a b
c
E
#@ xargs-here-n
xargs -n 1 gcc <<'E'
a
b
E
#@ python-here
python3 - <<'PY'
import os
os.system("gcc -march=native")
PY
gcc x
#@ quotes-do-not-quote
V='a b'
read -r A B <<E
"$V" '$V'
E
gcc "$A" "$B"
#@ continuation-in-here
read -r A B <<E
a \
b
E
gcc "$A" "$B"
#@ default-in-here
read -r A <<E
${NOPE:-d e} ${NOPE:-"q"}
E
gcc "$A"
