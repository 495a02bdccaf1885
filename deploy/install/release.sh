#!/usr/bin/env bash
# Builds the released files into .build/release: one static binary for each system, a bill of materials beside each (CycloneDX), and
# the checksums of all. The same commit gives the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=${VERSION:-$(git describe --tags --always --dirty)}
out=.build/release
rm -rf "$out"
mkdir -p "$out"
go build -modfile=deploy/tools/go.mod -o .build/cyclonedx-gomod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
for system in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do
	name=footnote_${version}_${system/\//_}
	CGO_ENABLED=0 GOAMD64=v2 GOOS=${system%/*} GOARCH=${system#*/} go build -trimpath \
		-ldflags "-s -w -buildid= -X main.version=$version" -o "$out/$name" ./bots/footnote
	.build/cyclonedx-gomod bin -json -noserial -notimestamp -version "$version" -output "$out/$name.cdx.json" "$out/$name" 2>"$out/sbom.log" || {
		cat "$out/sbom.log" >&2
		exit 1
	}
	rm "$out/sbom.log"
	printf '%s\n' "$out/$name"
done
cd "$out"
sha256sum -- * >SHA256SUMS
