#!/bin/sh
# Builds a real kube-apiserver into build/apiserver, once for each version.
#
#   tests/deploy/apiserver/build.sh
#
# k8s.io/kubernetes cannot be `go install`ed: its modules replace one another by
# folders.  go.mod here replaces them by their published versions.  To update,
# change the version in all its lines and run `go mod tidy`.  The first build
# compiles some 1,500 packages.  The CRDs come from their module, held to CRDS_SUM.
set -eu
cd "$(dirname "$0")/../../.."
from=$PWD/tests/deploy/apiserver
to=$PWD/${BUILD:-build}/apiserver
CRDS=github.com/prometheus-operator/prometheus-operator
CRDS_VERSION=v0.85.0
CRDS_SUM=h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=

key=$(cat "$from/go.mod" "$from/go.sum" "$from/build.sh" | sha256sum)
[ ! -x "$to/kube-apiserver" ] || [ "$(cat "$to/built.key" 2>/dev/null)" != "$key" ] || exit 0
go version 2>/dev/null | grep -qE 'go1\.(2[6-9]|[3-9][0-9])' || {
    echo "apiserver: needs Go 1.26" >&2
    exit 4
}
mkdir -p "$to/crds"
(cd "$to" && go mod download -json "$CRDS@$CRDS_VERSION" >crds.json)
[ "$(jq -r .Sum "$to/crds.json")" = "$CRDS_SUM" ] || {
    echo "apiserver: $CRDS $CRDS_VERSION is not what it was" >&2
    exit 4
}
for name in servicemonitors prometheusrules; do
    install -m 0644 "$(jq -r .Dir "$to/crds.json")/example/prometheus-operator-crd/monitoring.coreos.com_$name.yaml" "$to/crds/"
done
version=$(sed -n 's/^\tk8s.io\/kubernetes \(v[^ ]*\).*/\1/p' "$from/go.mod")
echo "apiserver: building kube-apiserver $version, which takes some minutes"
(cd "$from" && go build -mod=readonly -trimpath \
    -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$version" \
    -o "$to/kube-apiserver" k8s.io/kubernetes/cmd/kube-apiserver)
echo "$key" >"$to/built.key"
