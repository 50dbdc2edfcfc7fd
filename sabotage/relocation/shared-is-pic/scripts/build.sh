#!/bin/sh
set -eu

clang -O2 -fPIC -shared -o libpart.so src/part.c
gfortran -O2 -fPIC -shared -o libsolver.so src/solver.f90
