#!/bin/sh
set -eu

python3 -m pip install --require-hashes -r requirements/dev.txt
sh -c 'uv pip install --require-hashes -r requirements/test.txt'
