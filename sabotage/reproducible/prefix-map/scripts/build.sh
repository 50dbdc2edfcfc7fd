#!/bin/sh
set -eu

ccache clang -O2 -g -ffile-prefix-map=/build=. -c src/part.c -o part.o
sh -c 'gcc -O2 -g -ffile-prefix-map=/build=. -c src/more.c -o more.o'
