#!/bin/sh
set -eu

CFLAGS="-O2 -march=x86-64-v2" ./configure --prefix=/usr
export CFLAGS="-O2 -march=x86-64-v2"
pip wheel -w dist other
