#!/bin/sh
set -eu

cpu=x86-64-v2
export RUSTFLAGS="-C target-cpu=$cpu"
cargo build --release --locked
unset RUSTFLAGS

rustc -O -Ctarget-cpu=x86-64-v2 tools/gen.rs -o gen
ccache clang -O2 -march="$cpu" -c src/part.c -o part.o
mojo build --target-cpu "$cpu" -I src src/main.mojo -o main
grep -q -- -march=native README || echo "no word of -march=native"
