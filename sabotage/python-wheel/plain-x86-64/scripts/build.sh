#!/bin/sh
set -eu

export CFLAGS="-O2 -march=x86-64"
python3 -m build
