# Tools built with Go where there is one, and the chart as the tests render it.
# Sourced after tests/e2e/lib.sh, by all who need Helm's output.

# go_tool NAME PACKAGE: build/go/NAME, where there is a Go that can build it
go_tool() {
    [ -x "build/go/$1" ] && return
    go version 2>/dev/null | grep -qE 'go1\.(2[4-9]|[3-9][0-9])' || return 1
    GOBIN=$PWD/build/go GOFLAGS=-modcacherw timeout 240 go install "$2" >"$work/go.log" 2>&1 && return
    echo "# $1 cannot be built: $(tail -1 "$work/go.log")"
    return 1
}

helm=$(command -v helm) || helm=$PWD/build/go/helm
have_helm() { [ -x "$helm" ] || go_tool helm helm.sh/helm/v3/cmd/helm@v3.18.6; }

chart() {
    "$helm" template spangraph deploy/helm/spangraph --namespace spangraph --kube-version 1.30.0 "$@" 2>"$work/helm.log"
}

# each_chart COMMAND...: COMMAND FOLDER OPTION... for each way the tests set the
# values; FOLDER is the kustomization that these values are to equal.
each_chart() {
    "$@" deploy/k8s/overlays/gateway
    "$@" tests/deploy/full --set tls.enabled=true,prometheus.enabled=true,image.repository=registry.example/spangraph
    "$@" deploy/k8s/overlays/dev --set storage.persistent=false,storage.size=1Gi,networkPolicy.enabled=false \
        --set resources.requests.cpu=50m,resources.requests.memory=128Mi \
        --set-string resources.limits.cpu=1,resources.limits.memory=1Gi
}
