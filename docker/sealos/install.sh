#!/bin/bash
# Runs on the first master of the cluster. HELM_OPTS must have the required values: `sealos run … -e HELM_OPTS="--set publicUrl=…"`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# Unquoted, because it contains several arguments.
# shellcheck disable=SC2086
helm upgrade --install "$NAME" charts/fanfare --namespace "$NAMESPACE" --create-namespace \
  --wait --timeout 10m $HELM_OPTS
