#!/bin/sh
set -eu

nvcc -O2 --gpu-architecture=sm_80 -c src/part.cu -o part.o
sh -c 'nvcc -O2 -arch sm_75 -c src/other.cu -o other.o'
