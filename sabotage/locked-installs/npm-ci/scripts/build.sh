#!/bin/sh
set -eu

npm ci --ignore-scripts
npm install --global corepack
npm install left-pad
