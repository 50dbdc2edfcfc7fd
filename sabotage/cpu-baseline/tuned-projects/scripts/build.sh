#!/bin/sh
set -eu

git clone --depth 1 https://github.com/facebook/rocksdb.git
cd rocksdb
export PORTABLE=haswell
make -j8 shared_lib
cd ..

git clone https://github.com/official-stockfish/Stockfish.git
cd Stockfish/src
make -j build ARCH="x86-64-sse41-popcnt"
grep -q ARCH=native Makefile || echo "no word of ARCH=native"
