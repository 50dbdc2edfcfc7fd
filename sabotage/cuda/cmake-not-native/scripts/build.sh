#!/bin/sh
set -eu

cmake -S . -B build/one -DCMAKE_CUDA_ARCHITECTURES="75;80"
sh -c 'cmake -S . -B build/two -D CMAKE_CUDA_ARCHITECTURES=90'
cmake -S other -B build/three -DCMAKE_CUDA_ARCHITECTURES=all-major
