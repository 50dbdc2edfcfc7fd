#!/bin/sh
set -eu

export MACOSX_DEPLOYMENT_TARGET=11.0
clang -O2 -c src/part.c -o part.o
unset MACOSX_DEPLOYMENT_TARGET
clang++ -O2 -mmacosx-version-min=11.0 -c src/more.cpp -o more.o
