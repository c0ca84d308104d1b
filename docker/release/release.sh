#!/bin/bash
# Usage: docker/release/release.sh 0.2.0 [registry.example.org/fanfare]
# Builds a release of the checked-out commit in $RELEASE_FOLDER/<version>/: the image as an archive, its SBOM, the licenses, the packed
# chart, the npm packages fanfare and fanfare-bench, the SDKs for Python and Go, the changelog, openapi.json and asyncapi.json. Pushes and
# tags nothing, but prints the commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
fail() { echo "$1" >&2; exit 1; }
pnpm() { npx -y pnpm@12.21.0 "$@"; }

version=${1:-}
image=${2:-fanfare}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "Pass a version, such as 0.2.0."
[ -z "$(git status --porcelain)" ] || fail "There are uncommitted changes."
git rev-parse -q --verify "refs/tags/v$version" >/dev/null && fail "The tag v$version already exists."
[ "$(node -p 'require("./package.json").version')" = "$version" ] || fail "package.json has another version: change and commit it first."
grep -qx "version: $version" docker/kubernetes/chart/Chart.yaml || fail "docker/kubernetes/chart/Chart.yaml has another version."
for tool in docker podman buildah ""; do
  # Skips clients without a running engine.
  [ -n "$tool" ] && { "$tool" info >/dev/null 2>&1 || continue; }
  break
done
[ -n "$tool" ] || fail "Docker, Podman or Buildah is required."
out=${RELEASE_FOLDER:-${TMPDIR:-/tmp}/fanfare-release}/$version
mkdir -p "$out"
shipped=(--filter "@fanfare/node..." --filter "@fanfare/cli..." --filter "@fanfare/web")

# Uses the project's Node, which runs TypeScript.
pnpm install --frozen-lockfile --silent
PATH="$PWD/node_modules/.bin:$PATH"

[ "${SKIP_CHECKS:-}" = 1 ] || { .ci/audit; pnpm check; }

last=$(git describe --tags --abbrev=0 2>/dev/null || true)
git log --format=%s ${last:+"$last.."} | node docker/release/changelog.ts "$version" "$(git log -1 --format=%cs)" >"$out/CHANGELOG.md"
pnpm licenses list --prod --json "${shipped[@]}" | node docker/release/licences.ts >"$out/LICENCES.md"
node --input-type=module -e '
  import { writeFileSync } from "node:fs";
  import { asyncApiDocument, openApiDocument } from "@fanfare/contract/docs";
  const documents = { openapi: openApiDocument(), asyncapi: asyncApiDocument() };
  for (const [name, document] of Object.entries(documents)) writeFileSync(`${process.argv[1]}/${name}.json`, JSON.stringify(document, null, 2));
' "$out"

# Timestamps in the image are those of the commit, so builds of one commit differ only if registries change.
epoch=$(git log -1 --format=%ct)
arguments=(-f docker/Dockerfile --target fanfare --build-arg "VERSION=$version" --build-arg "REVISION=$(git rev-parse HEAD)" --build-arg "SOURCE_DATE_EPOCH=$epoch" -t "$image:$version")
case $tool in
  docker) SOURCE_DATE_EPOCH=$epoch docker build "${arguments[@]}" . && docker save "$image:$version" -o "$out/image.tar" ;;
  podman) podman build --format docker --timestamp "$epoch" "${arguments[@]}" . && podman save "$image:$version" -o "$out/image.tar" ;;
  buildah) buildah build --format docker --timestamp "$epoch" "${arguments[@]}" . && buildah push "$image:$version" "docker-archive:$out/image.tar:$image:$version" ;;
esac
bytes=$(stat -c %s "$out/image.tar")
[ "$bytes" -lt 250000000 ] || fail "The image has $bytes bytes; the limit is 250 MB."
case $tool in
  buildah)
    container=$(buildah from "$image:$version")
    cp "$(buildah mount "$container")/app/sbom.cdx.json" "$out/"
    ;;
  *)
    container=$("$tool" create "$image:$version")
    "$tool" cp "$container:/app/sbom.cdx.json" "$out/"
    ;;
esac
"$tool" rm "$container" >/dev/null
for package in services/cli benchmark; do (cd "$package" && pnpm pack --pack-destination "$out" >/dev/null); done
sdks=$(mktemp -d)
node scripts/build-sdks.ts "$sdks"
for language in python go; do tar -czf "$out/fanfare-sdk-$language-$version.tar.gz" -C "$sdks" "$language"; done
if command -v helm >/dev/null; then helm package docker/kubernetes/chart --destination "$out"; fi
(cd "$out" && sha256sum -- * >SHA256SUMS)

echo "Release $version is in $out ($((bytes / 1000000)) MB of image). What is left:"
echo "  git tag -s v$version -F $out/CHANGELOG.md && git push --tags"
echo "  $tool push $image:$version"
echo "  npm publish $out/fanfare-$version.tgz"
echo "  npm publish $out/fanfare-bench-$(node -p 'require("./benchmark/package.json").version').tgz"
