#!/bin/sh
set -eu

ccache clang -O2 -fPIE -c src/part.c -o part.o
sh -c 'gcc -O2 -fPIE -c src/more.c -o more.o'
