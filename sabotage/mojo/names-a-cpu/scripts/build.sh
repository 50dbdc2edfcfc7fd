#!/bin/bash
set -eu

flags=(-I src)
flags+=(--target-cpu x86-64-v2)

build() {
  uv run mojo build "${flags[@]}" "$@"
}

mkdir -p dist
build src/tool.mojo -o dist/tool
sh -c 'mojo build --march=x86-64-v2 -I src src/other.mojo -o dist/other'
mojo format src
