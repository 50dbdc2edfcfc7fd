#!/bin/sh
set -eu

ccache clang -O2 -fstack-protector-strong -c src/part.c -o part.o
sh -c 'gcc -O2 -fstack-protector-strong -c src/more.c -o more.o'
