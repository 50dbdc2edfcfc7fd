#!/bin/sh
set -eu

clang++ -O2 -fno-fast-math -c src/part.cpp -o part.o
nvcc -O2 -c src/kernel.cu -o kernel.o
