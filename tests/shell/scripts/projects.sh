#@ mojo-release on=*
#!/usr/bin/env bash
set -eu
# --target-cpu must be given: the default is the host
case "$(uname)-$(uname -m)" in
  Linux-x86_64) tcpu=x86-64-v3 ;;
  Linux-aarch64) tcpu=neoverse-n1 ;;
  Darwin-arm64) tcpu=apple-m1 ;;
  *) echo "unsupported" >&2; exit 1 ;;
esac
mkdir -p dist
mojo build --target-cpu "$tcpu" \
  -I src \
  -o dist/server src/main.mojo || exit 1
echo "mojo build --target-cpu done"
#@ llama-cpp on=*
CMAKE_ARGS="-DGGML_NATIVE=OFF"
if [ "$(uname -s)" = "Darwin" ]; then
  CMAKE_ARGS="$CMAKE_ARGS -DGGML_METAL=ON"
elif [ "$(uname -m)" = "x86_64" ]; then
  CMAKE_ARGS="$CMAKE_ARGS -DGGML_AVX2=ON"
fi
cmake -B build $CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release
cmake --build build --config Release -j 4
#@ wheel-build bash on=*
set -euo pipefail
export MACOSX_DEPLOYMENT_TARGET="${MACOSX_DEPLOYMENT_TARGET:-11.0}"
PYTHONS=(cp310 cp311)
for py in "${PYTHONS[@]}"; do
  CFLAGS="-O2 -g0" python -m pip wheel . --no-deps -w "dist/$py"
done
#@ rust-cross bash
set -euo pipefail
targets=(x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu)
for target in "${targets[@]}"; do
  case "$target" in
    x86_64-*) flags="-C target-cpu=x86-64-v2" ;;
    aarch64-*) flags="-C target-cpu=generic" ;;
  esac
  RUSTFLAGS="$flags" cargo build --release --target "$target"
done
#@ go-release
set -eu
VERSION=${VERSION:-dev}
for os in linux darwin; do
  for arch in amd64 arm64; do
    CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -ldflags "-s -w -X main.version=$VERSION" -o "out/tool-$os-$arch" ./cmd/tool
  done
done
#@ autotools on=*
set -e
PREFIX=${PREFIX:-/usr/local}
CFLAGS="-O2 -fstack-protector-strong"
[ "$(uname -m)" = x86_64 ] && CFLAGS="$CFLAGS -march=x86-64-v2"
./configure --prefix="$PREFIX" CFLAGS="$CFLAGS"
make -j4 && make install DESTDIR="/tmp/stage dir"
#@ options-parser args=--release args=--cpu=haswell args=-j args=8
mode=debug cpu=generic jobs=1
while [ $# -gt 0 ]; do
  case "$1" in
    --release) mode=release ;;
    --cpu=*) cpu=${1#--cpu=} ;;
    -j) shift; jobs=$1 ;;
    *) echo "what is $1" >&2; exit 2 ;;
  esac
  shift
done
if [ "$mode" = release ]; then opt="-O3 -march=$cpu"; else opt=-O0; fi
make -j"$jobs" CFLAGS="$opt"
#@ docker-build
set -eux
apt-get update && apt-get install -y --no-install-recommends gcc make
curl -fsSL https://example.org/x.tar.gz -o x.tar.gz && tar xzf x.tar.gz
cd src
./configure --disable-shared
make CFLAGS="-O2 -mtune=generic"
#@ step-runner
step() { echo "==> $1"; shift; "$@"; }
step "Configure" cmake -S . -B build -DPORTABLE=1
step "Build" cmake --build build
step "Test" ctest --test-dir build --output-on-failure
#@ feature-flags
ENABLE_AVX=0
ENABLE_SSE=1
FLAGS=
[ "$ENABLE_AVX" = 1 ] && FLAGS="$FLAGS -mavx2"
[ "$ENABLE_SSE" = 1 ] && FLAGS="$FLAGS -msse4.2"
gcc $FLAGS -c main.c
#@ cross-prefix
CROSS_COMPILE=aarch64-linux-gnu-
${CROSS_COMPILE}gcc -c main.c -o main.o
"${CROSS_COMPILE}gcc" -shared main.o -o libx.so
#@ cibuildwheel-like on=*
export CIBW_ARCHS=auto
if test "$(uname)" = Linux; then export CIBW_BUILD='cp3*-manylinux*'; fi
python -m cibuildwheel --output-dir wheelhouse
#@ log-and-run bash
run() { printf '+'; printf ' %q' "$@"; echo; "$@"; }
run gcc -c "main file.c" -DX='a b'
#@ retry
n=0
until [ "$n" -ge 3 ]; do
  make fetch && break
  n=$((n+1))
done
gcc a
#@ flags-file-style
CPPFLAGS="-D_FORTIFY_SOURCE=2"
CFLAGS="-O2 -pipe"
LDFLAGS="-Wl,-z,relro,-z,now"
gcc $CPPFLAGS $CFLAGS -o app main.c $LDFLAGS
gcc $CPPFLAGS $CFLAGS -shared -fPIC -o lib.so util.c "$LDFLAGS"
#@ version-guard
required=3
actual=4
if [ "$actual" -lt "$required" ]; then echo old >&2; exit 1; fi
make all
#@ two-arch-macos on=macos-arm64,macos-x86_64
ARCHS="arm64 x86_64"
F=
for a in $ARCHS; do F="$F -arch $a"; done
clang $F -mmacosx-version-min=11.0 -c main.c
#@ commented-out
# mojo build --target-cpu x86-64-v2 main.mojo
mojo build main.mojo
# gcc -march=x86-64
#@ guard-echo
echo "use --target-cpu x86-64-v2"
mojo build main.mojo # --target-cpu x86-64-v2
#@ unused-variable
CPU_FLAG="--target-cpu x86-64-v2"
mojo build main.mojo
#@ wrong-variable
CPU_FLAG="--target-cpu x86-64-v2"
mojo build $CPU_FLAGS main.mojo
#@ quoted-flags-one-word
CPU_FLAG="--target-cpu x86-64-v2"
mojo build "$CPU_FLAG" main.mojo
#@ unset-cpu
mojo build --target-cpu "$cpu" main.mojo
mojo build --target-cpu $cpu main.mojo
mojo build --target-cpu=$cpu main.mojo
#@ set-in-subshell-lost
(cpu=x86-64-v2)
mojo build --target-cpu "$cpu" main.mojo
#@ set-in-pipe-lost unordered
echo x86-64-v2 | read cpu
mojo build --target-cpu "$cpu" main.mojo
#@ stale-loop
for cpu in x86-64-v2 x86-64-v3; do :; done
mojo build --target-cpu $cpu main.mojo
#@ nested-function-default
build() { cpu=${1:-x86-64-v2}; mojo build --target-cpu "$cpu" "$2"; }
build "" main.mojo
build native main.mojo
#@ env-file-writer
{
  echo "CFLAGS=-march=native"
  echo "CC=gcc"
} > build.env
make
#@ sh-in-makefile-style
cd src && \
  for d in a b; do \
    (cd $d 2>/dev/null; make -C $d all) || exit 1; \
  done
#@ python-script
python3 setup.py build_ext --inplace
CFLAGS='-O3' python3 -m build --wheel
#@ parallel-waits unordered
for t in a b c; do
  make $t &
done
wait
make link
