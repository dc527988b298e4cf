#!/bin/bash
# What deploy/ ships, without a cluster: rendered, validated strictly, held to
# our policy, and run the way a pod would run it.
. "$(dirname "$0")/lib.sh"
. tests/deploy/helm.sh
. tests/deploy/promtool.sh
deploy/npm.sh tests/deploy deploy || exit 1
export NODE_PATH=$PWD/build/npm/deploy/node_modules
gateway=deploy/k8s/overlays/gateway

# lines COMMAND...: its own "ok" and "not ok" lines are ours
lines() {
    "$@" 2>&1 || failures=$((failures + 1))
}

# --- objects and Collectors
lines node tests/deploy/check.js objects
lines node tests/deploy/check.js collectors

# --- the real kustomize, where there is one, renders the same
kustomize_build() {
    if command -v kustomize >/dev/null; then
        kustomize build "$1"
    elif kubectl version --client 2>/dev/null | grep -q '^Kustomize Version: v5'; then
        kubectl kustomize "$1"
    elif [ -x build/go/kustomize ]; then
        build/go/kustomize build "$1"
    else
        return 3
    fi
}
kustomize_build $gateway >/dev/null 2>&1 || go_tool kustomize sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
for folder in $gateway deploy/k8s/overlays/dev deploy/k8s/overlays/sidecar tests/deploy/full tests/deploy/apps; do
    if kustomize_build $folder >"$work/rendered.yaml" 2>"$work/kustomize.log"; then
        lines node tests/deploy/check.js same $folder "$work/rendered.yaml"
    elif [ -s "$work/kustomize.log" ]; then
        check "kustomize renders $folder" cat "$work/kustomize.log" /nonexistent
    else
        echo "# no kustomize here: $folder is rendered by tests/deploy/render.js alone"
    fi
done

# --- the chart renders the same objects
# same_chart FOLDER OPTION...
same_chart() {
    if chart "${@:2}" >"$work/chart.yaml"; then
        lines node tests/deploy/check.js chart "$1" "$work/chart.yaml"
    else
        check "Helm renders $1" cat "$work/helm.log" /nonexistent
    fi
}
if have_helm; then
    each_chart same_chart
    for wrong in replicas=2 image.tag=latest storage.size=lots tls.enabled=maybe resources.limits=null; do
        check "the chart refuses $wrong" bash -c "! \"$helm\" template x deploy/helm/spangraph --kube-version 1.30.0 --set $wrong 2>&1 | tee '$work/refused' | grep -q '^kind:'; grep -q 'values don' '$work/refused'"
    done
else
    echo "# no Helm here: the chart is not rendered"
fi

# --- the configuration in the ConfigMap is one the program takes
node tests/deploy/check.js print $gateway ConfigMap | jq -r '.data["spangraph.yaml"]' >"$work/pod.yaml"
check "the pod's configuration is accepted" "$spangraph" check-config "$work/pod.yaml"
out=$(NAMESPACE=here SPANGRAPH_CERT_FILE=/c SPANGRAPH_KEY_FILE=/k "$spangraph" check-config --json "$work/pod.yaml")
has "it answers to its name in its namespace" "spangraph.here.svc" "$out"
has "the tls component's environment reaches it" '"/c"' "$out"
check "the unit's configuration is accepted" "$spangraph" check-config deploy/systemd/spangraph.yaml
sidecar=deploy/k8s/overlays/sidecar
node tests/deploy/check.js print $sidecar ConfigMap | jq -r '.data["spangraph.yaml"]' >"$work/sidecar.yaml"
check "the sidecar's configuration is accepted" "$spangraph" check-config "$work/sidecar.yaml"
has "it sends to the gateway's Service" '"http://spangraph.spangraph.svc:4318"' "$("$spangraph" check-config --json "$work/sidecar.yaml")"

# --- the image: the program as the Dockerfile builds it, its libraries, nothing else
root=$work/root
image=build/release-nghttp2/spangraph
check "the image's program builds" make -s -j"$(nproc)" GRPC=nghttp2 "$image"
deploy/docker/rootfs.sh "$image" "$root" || failures=$((failures + 1))
check "the image is under 40 MiB" test "$(du -sb "$root" | cut -f1)" -lt $((40 << 20))
same "one program in it" "usr/bin/spangraph" "$(cd "$root" && find . -path '*bin/*' -type f | cut -c3-)"
check "our licence is in it" cmp LICENSE "$root/usr/share/doc/spangraph/copyright"
same "nothing in it gives rights" "" "$(find "$root" -perm /6000)"
check "no base image floats" bash -c "! grep -E '^FROM' deploy/docker/Dockerfile | grep -vE 'FROM (scratch|[a-z]+:[0-9][^ ]*)( |$)'"
has "the image runs as 65532" "USER 65532:65532" "$(cat deploy/docker/Dockerfile)"

# --- as a pod: that root read-only, user 65532, no capability, fsGroup's folder
mkdir -p "$root/etc/spangraph-tokens" "$work/config" "$work/tokens" "$work/data" "$work/tmp"
sed 's/"0\.0\.0\.0:[0-9]*"/"127.0.0.1:0"/' "$work/pod.yaml" >"$work/config/spangraph.yaml"
echo reader >"$work/tokens/query"
can_imitate() { [ "$(id -u)" -eq 0 ] && unshare -m true && chroot "$root" /usr/bin/spangraph version; }

start_pod() {
    local arguments
    mapfile -t arguments < <(node tests/deploy/check.js print $gateway StatefulSet | jq -r '.spec.template.spec.containers[0].args[]')
    : >"$work/service.log"
    ROOT=$root WORK=$work unshare -m sh -c '
        set -e
        mount --bind "$ROOT" "$ROOT"
        mount --bind "$WORK/config" "$ROOT/etc/spangraph"
        mount --bind "$WORK/tokens" "$ROOT/etc/spangraph-tokens"
        mount --bind "$WORK/data" "$ROOT/data"
        mount --bind "$WORK/tmp" "$ROOT/tmp"
        for dir in "" /etc/spangraph /etc/spangraph-tokens; do mount -o remount,bind,ro "$ROOT$dir"; done
        exec env -i PATH="$PATH" NAMESPACE=spangraph setpriv --no-new-privs --bounding-set -all,+sys_chroot,+setuid,+setgid \
            chroot --userspec=65532:65532 --groups=65532 "$ROOT" /usr/bin/spangraph "$@"' \
        sh "${arguments[@]}" 2>>"$work/service.log" &
    service_pid=$!
    wait_for 20 grep -q '"msg":"ready"' "$work/service.log"
}
# start_sidecar GATEWAY: the same image on a volume that is root's and open to all
start_sidecar() {
    local arguments
    mapfile -t arguments < <(node tests/deploy/check.js print $sidecar Deployment | jq -r '.spec.template.spec.initContainers[0].args[]')
    mkdir -p "$root/etc/spangraph-sidecar" "$root/spool" "$work/side" "$work/spool"
    chmod 0777 "$work/spool"
    sed 's/"\(localhost\|0\.0\.0\.0\):[0-9]*"/"127.0.0.1:0"/' "$work/sidecar.yaml" >"$work/side/spangraph.yaml"
    : >"$work/sidecar.log"
    ROOT=$root WORK=$work GATEWAY=$1 unshare -m sh -c '
        set -e
        mount --bind "$ROOT" "$ROOT"
        mount --bind "$WORK/side" "$ROOT/etc/spangraph-sidecar"
        mount --bind "$WORK/spool" "$ROOT/spool"
        for dir in "" /etc/spangraph-sidecar; do mount -o remount,bind,ro "$ROOT$dir"; done
        exec env -i PATH="$PATH" SPANGRAPH_GATEWAY="$GATEWAY" setpriv --no-new-privs --bounding-set -all,+sys_chroot,+setuid,+setgid \
            chroot --userspec=65532:65532 --groups=65532 "$ROOT" /usr/bin/spangraph "$@"' \
        sh "${arguments[@]}" 2>>"$work/sidecar.log" &
    sidecar_pid=$!
    wait_for 20 grep -q '"msg":"ready"' "$work/sidecar.log"
}
side_port() { jq -r "select(.msg == \"listening\" and .$1) | .$1" "$work/sidecar.log"; }
port() { jq -r "select(.msg == \"listening\" and .$1) | .$1" "$work/service.log"; }
status() { curl -s -m 10 -o "$work/body" -w '%{http_code}' "$@"; }
proc() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$service_pid/status"; }
ask() {
    status -H "Authorization: Bearer $1" -H 'Host: spangraph.spangraph.svc:8080' -H 'Content-Type: application/json' \
        -H 'Accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"ping"}' "http://$query/mcp"
}
span() {
    local now
    now=$(date +%s)
    echo "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop\"}}]},
        \"scopeSpans\":[{\"spans\":[{\"traceId\":\"0123456789abcdef0123456789abcdef\",\"spanId\":\"0123456789abcdef\",\"kind\":2,
        \"name\":\"GET /cart\",\"startTimeUnixNano\":\"${now}000000000\",\"endTimeUnixNano\":\"${now}100000000\",
        \"attributes\":[{\"key\":\"http.route\",\"value\":{\"stringValue\":\"/cart\"}}]}]}]}]}"
}

if can_imitate >/dev/null 2>&1; then
    chown root:65532 "$work/data" "$work/tmp" "$work/tokens/query"
    chmod 2770 "$work/data" "$work/tmp"
    chmod 0440 "$work/tokens/query"
    chmod 0755 "$work"
    # What is loaded when it is needed is in it, too.
    mkdir -p "$work/repo"
    printf 'package main\n\nfunc First() { Second() }\nfunc Second() {}\n' >"$work/repo/main.go"
    git -C "$work/repo" init -q && git -C "$work/repo" add . &&
        git -C "$work/repo" -c user.name=a -c user.email=a@example.com commit -qm first
    chown -R 65532:65532 "$work/repo"
    indexed=$(ROOT=$root WORK=$work timeout 60 unshare -m sh -c '
        mkdir -p "$ROOT/proc" "$ROOT/dev" "$ROOT/mnt"
        : >"$ROOT/dev/null"
        mount -t proc proc "$ROOT/proc" && mount --bind /dev/null "$ROOT/dev/null" && mount --bind "$WORK/repo" "$ROOT/mnt"
        chroot --userspec=65532:65532 "$ROOT" /usr/bin/spangraph index --data /tmp/index /mnt' 2>&1)
    has "it indexes a git repository" "2 symbols, 1 calls" "$indexed"
    rm -rf "$root/tmp/index"
    start_pod
    check "it is ready in a pod's place" grep -q '"msg":"ready"' "$work/service.log"
    query=$(port query)
    same "its user is 65532" 65532 "$(proc Uid)"
    same "it has no capability" "0000000000000000 0000000000000000" "$(proc CapPrm) $(proc CapEff)"
    same "it can gain none" 1 "$(proc NoNewPrivs)"
    same "its root is read-only" ro "$(awk '$5 == "/" { print substr($6, 1, 2) }' "/proc/$service_pid/mountinfo" | tail -1)"
    same "the readiness probe is answered" 200 "$(status "http://$query/readyz")"
    same "the liveness probe is answered" 200 "$(status "http://$query/healthz")"
    same "a span is taken" 200 "$(status -H 'Content-Type: application/json' -d "$(span)" "http://$(port http)/v1/traces")"
    same "MCP is closed without a token" 401 "$(ask nobody)"
    same "and open with the Secret's, under its service name" 200 "$(ask reader)"
    curl -s -m 10 "http://$query/metrics" >"$work/metrics"
    before=$SECONDS
    stop_service
    same "SIGTERM ends it with 0" 0 $?
    check "well within the grace period" test $((SECONDS - before)) -le 15
    start_pod
    same "the next pod has what was acknowledged" 200 "$(query=$(port query) && status "http://$query/readyz")"
    has "the route is known" "/cart" "$("$spangraph" edges --data "$work/data" --level endpoint --json)"
    start_sidecar "http://$(port http)"
    check "the image is a sidecar, too" grep -q '"msg":"ready"' "$work/sidecar.log"
    same "its start-up probe is answered" 200 "$(status "http://$(side_port query)/readyz")"
    same "its liveness probe is answered" 200 "$(status "http://$(side_port query)/healthz")"
    rss_kib=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$sidecar_pid/status")
    check "what it asks for is enough ($((rss_kib / 1024)) of 32 MiB)" test "$rss_kib" -le $((32 * 1024))
    node tests/e2e/load.js "http://$(side_port http)/v1/traces" 500 16 >"$work/load.out" &
    load_pid=$!
    sleep 2
    kill -TERM $load_pid
    wait $load_pid
    most_kib=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$sidecar_pid/status")
    check "what it may take is enough under load ($((most_kib / 1024)) of 64 MiB)" test "$most_kib" -le $((64 * 1024))
    kill -TERM $sidecar_pid
    wait $sidecar_pid
    same "SIGTERM ends it with 0" 0 $?
    check "it sent all it had taken ($(jq .acked "$work/load.out"))" bash -c \
        "curl -s 'http://$(port query)/metrics' | grep -qx 'spangraph_spans_total{result=\"accepted\"} $(jq .acked "$work/load.out")'"
    check "and it stops cleanly" stop_service
else
    echo "# no root or no mount namespaces here: the pod is not imitated"
    start_service "$work/plain"
    curl -s -m 10 "http://$query/metrics" >"$work/metrics"
    check "the service stops cleanly" stop_service
fi

# --- dashboard and alerts
"$spangraph" ingest --data "$work/edges" examples/shop/trace.jsonl >/dev/null 2>&1
start_service "$work/edges"
curl -s -m 10 "http://$query/metrics" >>"$work/metrics"
check "a service with edges stops cleanly" stop_service
lines node tests/deploy/check.js metrics "$work/metrics"
if have_promtool; then
    node tests/deploy/check.js print tests/deploy/full PrometheusRule | jq .spec >"$work/rules.json"
    cp tests/deploy/alerts.yaml "$work/alerts.yaml"
    check "Prometheus takes the alerts" "$promtool" check rules "$work/rules.json"
    check "each is raised when it should be, and not else" "$promtool" test rules "$work/alerts.yaml"
    same "each is among those" "" "$(jq -r '.groups[].rules[].alert' "$work/rules.json" | while read -r alert; do
        grep -qF "alertname=\"$alert\"" "$work/alerts.yaml" || echo "$alert"
    done)"
else
    echo "# no promtool here: the alerts are not tried"
fi

# --- the unit
for call in seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self; do
    check "the unit leaves the service $call" grep -q "^SystemCallFilter=[^~]*\<$call\>" deploy/systemd/spangraph.service
done
if command -v systemd-analyze >/dev/null; then
    sed "s|/usr/bin/spangraph|$spangraph|" deploy/systemd/spangraph.service >"$work/spangraph.service"
    check "systemd takes the unit" systemd-analyze verify --man=no "$work/spangraph.service"
    check "the unit is hardened" systemd-analyze security --offline=true --threshold=20 "$work/spangraph.service"
else
    echo "# no systemd-analyze here: the unit is not verified"
fi

done_testing
