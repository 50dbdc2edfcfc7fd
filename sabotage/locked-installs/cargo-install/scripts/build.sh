#!/bin/sh
set -eu

cargo install --locked ripgrep --version 14.1.0
sh -c 'cargo install --frozen --path tools/gen'
