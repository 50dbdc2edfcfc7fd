#!/bin/sh
set -eu

ccache clang -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -c src/part.c -o part.o
sh -c 'gcc -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -c src/more.c -o more.o'
