#!/bin/bash
# Usage: docker/sealos/build-cluster-image.sh registry.example.org/fanfare:0.1.0 [tag of the cluster image]
# Copies the chart and the name of its image to where `sealos build` expects them, then builds if sealos is installed.
set -euo pipefail
image=${1:?the image that the chart runs, such as registry.example.org/fanfare:0.1.0}
tag=${2:-fanfare-cluster:${image##*:}}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${BUILD_FOLDER:-$(mktemp -d)}

mkdir -p "$folder/charts" "$folder/images/shim" "$folder/registry"
# The chart has a link to the dashboards and alerts.
cp -rL "$here/../kubernetes/chart" "$folder/charts/fanfare"
cp "$here/Kubefile" "$here/install.sh" "$folder/"
echo "$image" >"$folder/images/shim/fanfare"
# The chart uses the image in the cluster image.
sed -i -e "s|^  repository: .*|  repository: ${image%:*}|" -e "s|^  tag: .*|  tag: \"${image##*:}\"|" "$folder/charts/fanfare/values.yaml"

if command -v sealos >/dev/null; then
  sealos build --tag "$tag" --file Kubefile "$folder"
else
  echo "sealos is not here; the folder is ready: sealos build --tag $tag --file Kubefile $folder" >&2
fi
