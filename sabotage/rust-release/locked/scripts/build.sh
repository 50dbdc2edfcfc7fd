#!/bin/sh
set -eu

cargo build --release --locked -p quill
sh -c 'cargo rustc --release --frozen -p other'
