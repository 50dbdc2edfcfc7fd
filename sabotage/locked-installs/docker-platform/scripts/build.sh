#!/bin/sh
set -eu

docker buildx build --platform linux/amd64 -t quill-two .
sh -c 'docker build --platform=linux/amd64 -t other other'
