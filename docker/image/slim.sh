#!/bin/sh
# Removes unused files from node_modules: sources, types, source maps, tests and documentation of dependencies (a seventh of the image),
# and pnpm's state, which contains timestamps.
set -eu
modules=$1
find "$modules/.pnpm" -type f \( -name "*.map" -o -name "*.ts" -o -name "*.mts" -o -name "*.cts" \) -delete
find "$modules/.pnpm" -regextype posix-extended -type d -regex '.*/node_modules/(@[^/]+/)?[^/@]+/(test|docs)' -prune -exec rm -rf {} +
rm -f "$modules/.modules.yaml" "$modules/.pnpm-workspace-state-v1.json"
