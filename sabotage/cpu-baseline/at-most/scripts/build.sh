#!/bin/sh
set -eu

case "$(uname -s)-$(uname -m)" in
  Darwin-arm64)  cpu=apple-m1 ;;
  Linux-aarch64) cpu=generic ;;
  Linux-x86_64)  cpu=x86-64-v2 ;;
  *) echo "no CPU is chosen" >&2; exit 1 ;;
esac
mojo build --target-cpu "$cpu" -I src src/main.mojo -o main
RUSTFLAGS="-C target-cpu=$cpu" cargo build --release --locked
rustc -O -C target-cpu="$cpu" tools/gen.rs -o gen
echo "built for $cpu"
