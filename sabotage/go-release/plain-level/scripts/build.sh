#!/bin/sh
set -eu

export GOAMD64=v1
go build -trimpath -o dist/tool .
sh -c 'go install -trimpath ./cmd/other'
