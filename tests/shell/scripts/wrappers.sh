#@ env
env gcc a
env A=1 B='x y' make all
#@ env-i
env -i PATH="$PATH" A=1 make a
#@ env-u
export A=1 B=2
env -u A make a
env --unset=B make b
#@ env-dashdash
env -- A=1 make a
#@ env-S
env -S 'gcc -c "a b"' x
env -S'A=1 make' y
#@ env-nested
env A=1 env B=2 make
#@ env-C holes
env -C src make a
env --chdir=src make b
#@ env-substitution
env "A=$(echo x y)" make
#@ env-sh
env A=5 sh -c 'gcc $A'
#@ env-overrides
A=1 env A=2 make
#@ env-path
/usr/bin/env A=1 make b
#@ nice
nice gcc a
nice -n 5 make b
nice -10 cargo c
nice --adjustment=3 go d
#@ nohup
nohup make a
#@ timeout
timeout 10 gcc a
timeout -k 5 10s make b
timeout --signal=KILL 1m cargo c
timeout --foreground -s INT 3 go d
#@ sudo
sudo make install
sudo -n make b
sudo -u root make c
sudo -- make d
#@ sudo-env
export CFLAGS=-O2
sudo make a
sudo -E make b
sudo CFLAGS=-O3 make c
sudo A=1 B=2 make d
#@ sudo-prefix
CFLAGS=-O2 sudo make a
CFLAGS=-O2 sudo -E make b
#@ sudo-env-command
sudo env A=1 make
sudo -E env "PATH=$PATH" make b
#@ sudo-sh
sudo sh -c 'gcc a && make b'
#@ sudo-user
sudo -u nobody -g users make a
sudo --user=nobody make b
sudo -H make c
#@ doas
doas make install
#@ ccache
ccache gcc -c a.c
sccache cc -c b.c
distcc gcc c
#@ ccache-variable
CC="ccache gcc"
$CC -c a.c
CC="$CC" make
#@ time-external dash
time gcc a
#@ time-path
command time gcc a
#@ time-assignment bash
time A=1 make
#@ uv-run
uv run mojo build main.mojo
uv run --with numpy python x.py
uv run -- mojo build
uv run --frozen --no-sync mojo run
#@ uv-python
uv run python -m build
uv run --python 3.12 maturin build
#@ pixi-run
pixi run mojo build
pixi run -e default mojo build x
pixi run --environment=dev mojo build y
#@ poetry-run
poetry run python setup.py
poetry -C src run make a
#@ pdm-run
pdm run mojo build
pipenv run python x
hatch run make a
#@ bundle-exec
bundle exec make a
#@ rustup-run
rustup run nightly cargo build
#@ npx
npx node x.js
#@ conda-run
conda run -n base mojo build
micromamba run -n base make b
#@ xargs-pipe unordered
printf '%s\n' a b | xargs gcc -c
#@ xargs-n unordered
printf '%s\n' a b | xargs -n 1 gcc -c
#@ xargs-I unordered
printf '%s\n' a b | xargs -I{} gcc -c {}.c -o {}.o
#@ xargs-0 unordered
printf 'a b\0c\0' | xargs -0 gcc
#@ xargs-sh unordered
echo x | xargs sh -c 'gcc "$1"' sh
#@ xargs-P unordered
echo a b | xargs -P 1 -n1 gcc -x
#@ xargs-r unordered
printf '' | xargs -r gcc
make after
#@ xargs-unknown unordered holes
cat list | xargs gcc -c
#@ xargs-empty unordered holes
true | xargs gcc
#@ xargs-file holes unordered
xargs gcc -c < flags
#@ xargs-quotes unordered
echo "'a b' c\\ d" | xargs gcc
#@ find-exec holes unordered
find . -name 'main.c' -exec gcc -c {} \;
#@ find-exec-plus holes unordered
find src -name '*.c' -exec gcc -c {} +
#@ find-exec-sh holes unordered
find . -name main.c -exec sh -c 'gcc -c "$1"' x {} \;
#@ find-pipe holes unordered
find . -name main.c | xargs gcc
#@ stdbuf
stdbuf -oL gcc a
setsid make b
ionice -c 3 cargo c
taskset 1 go d
#@ linux32
linux32 make a
setarch i686 make b
#@ xvfb
xvfb-run -a make test
#@ flock
flock /tmp/lock make a
flock -n lock -c 'gcc b'
#@ su
su - -c 'gcc a'
su nobody -c "make b"
#@ ssh
ssh host 'cd x; gcc a'
ssh -p 22 user@host make b
#@ ssh-double
V=x
ssh host "gcc $V \$V"
#@ docker-run
docker run --rm image gcc a "b c"
docker run -it -v x:/x -w /x image:tag make b
#@ docker-run-sh
docker run --rm image sh -c 'gcc a && make b'
#@ docker-env
export A=1 B=2
docker run -e A -e C=3 image make
docker run --rm image make b
#@ docker-exec
docker exec -e A=1 name make a
#@ docker-entrypoint
docker run --entrypoint gcc image -c a.c
#@ podman
podman run --rm image make a
#@ docker-bash
docker run --rm -v "$PWD:/w" image bash -lc "gcc a; make b"
#@ nix-shell
nix-shell --run 'gcc a'
nix-shell -p gcc --run "make b"
#@ scl
scl enable devtoolset-9 'gcc a'
scl enable x -- make b
#@ watch
watch -n 1 'gcc a'
#@ tox-mise
mise exec node@20 -- node x
tox exec -e py -- make b
#@ stacked
sudo -E nice -n 5 env A=1 ccache gcc a
#@ stacked-shell
sudo nice sh -c 'env B=2 make x'
#@ stacked-timeout-uv
timeout 60 uv run mojo build x
env MODE=1 timeout 5 nice make
#@ function-wrapper
log() { echo "$@"; "$@"; }
log sudo make a
log env A=1 make b
#@ variable-wrapper on=*
if [ "$(uname)" = Linux ]; then RUN=sudo; else RUN=; fi
$RUN make install
#@ array-wrapper bash
W=(nice -n 3)
"${W[@]}" gcc a
#@ wrapper-alone
env >/dev/null
sudo -v
make a
#@ exec-wrapper
exec nice make a
#@ command-wrapper
command env A=1 make
command sudo make b
#@ cargo-not-wrapper
cargo run -- gcc a
make CC=gcc
cmake --build . -- -j4
#@ python-not-wrapper
python -c 'import os; os.system("gcc")'
perl -e 'system("gcc")'
make x
#@ wrapper-quoted
"env" 'A=1' "make" a
#@ redirect-before
>log sudo make a
2>&1 nice make b
#@ assignment-wrapper
A=1 B=2 nice make
#@ sudo-substitution
sudo make PREFIX="$(echo /usr)"
#@ env-many-options
env -u A -u B C=3 make
#@ wrapper-or-true
sudo make a || true
timeout 5 make b && make c
#@ nice-in-pipe unordered
nice make a | tee b
#@ env-dash
env - PATH="$PATH" A=1 make
#@ builtin-command bash
builtin command gcc a
#@ xargs-lines
printf 'x y \nz\n\n\nw\n' | xargs -L 1 gcc -a
printf 'a\nb\nc\n' | xargs -L2 gcc -b
printf 'a b\nc\n' | xargs -l gcc -d
printf 'a  "b c"\n d\n' | xargs -L1 -n5 gcc -f
