#!/bin/bash
# Usage: docker/sealos/build-cluster-image.sh registry.example.org/fanfare:0.1.0 [tag of the cluster image]
# Puts the chart, and the name of the image that it runs, where `sealos build` looks for them, and builds; without sealos it only does the former.
set -euo pipefail
image=${1:?the image that the chart runs, such as registry.example.org/fanfare:0.1.0}
tag=${2:-fanfare-cluster:${image##*:}}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${BUILD_FOLDER:-$(mktemp -d)}

mkdir -p "$folder/charts" "$folder/images/shim" "$folder/registry"
# The dashboards and alerts of the chart lie elsewhere: a link leads there.
cp -rL "$here/../kubernetes/chart" "$folder/charts/fanfare"
cp "$here/Kubefile" "$here/install.sh" "$folder/"
echo "$image" >"$folder/images/shim/fanfare"
# The chart runs the image that lies in the cluster image.
sed -i -e "s|^  repository: .*|  repository: ${image%:*}|" -e "s|^  tag: .*|  tag: \"${image##*:}\"|" "$folder/charts/fanfare/values.yaml"

if command -v sealos >/dev/null; then
  sealos build --tag "$tag" --file Kubefile "$folder"
else
  echo "sealos is not here; the folder is ready: sealos build --tag $tag --file Kubefile $folder" >&2
fi
