#!/bin/sh
# Takes out of an installed node_modules what nothing runs: sources, types, maps, tests and documents of dependencies, a seventh of the
# image; and what pnpm remembers of the installation, which has its time.
set -eu
modules=$1
find "$modules/.pnpm" -type f \( -name "*.map" -o -name "*.ts" -o -name "*.mts" -o -name "*.cts" \) -delete
find "$modules/.pnpm" -regextype posix-extended -type d -regex '.*/node_modules/(@[^/]+/)?[^/@]+/(test|docs)' -prune -exec rm -rf {} +
rm -f "$modules/.modules.yaml" "$modules/.pnpm-workspace-state-v1.json"
