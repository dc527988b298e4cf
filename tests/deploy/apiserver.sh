#!/bin/bash
# deploy/ given to a real API server: etcd and kube-apiserver on loopback, with
# keys and data made for this run.  By hand (`make apiserver`), since the first
# build of kube-apiserver takes minutes; etcd is Debian's etcd-server.
. "$(dirname "$0")/../e2e/lib.sh"
. tests/deploy/helm.sh
START_SECONDS=120
command -v etcd >/dev/null || {
    echo "apiserver: needs etcd (apt-get install --no-install-recommends etcd-server)" >&2
    exit 4
}
deploy/npm.sh tests/deploy deploy || exit 4
tests/deploy/apiserver/build.sh || exit 4
export NODE_PATH=$PWD/build/npm/deploy/node_modules
built=$PWD/build/apiserver
umask 077
servers=()
# SIGTERM, which timeout hands on (SIGKILL would end timeout alone), and etcd
# last: kube-apiserver does not end without it.
stop_servers() {
    local pid
    for pid in "${servers[@]}"; do
        kill "$pid"
        wait "$pid"
    done 2>/dev/null
    servers=()
}
trap 'stop_servers; cleanup' EXIT

# Three free ports, held together so that they differ.
read -r client peer secure < <(timeout 10 node -e '
    const servers = [0, 0, 0].map(() => require("net").createServer().listen(0, "127.0.0.1"));
    Promise.all(servers.map((one) => new Promise((done) => one.on("listening", done)))).then(() => {
        console.log(servers.map((one) => one.address().port).join(" "));
        servers.forEach((one) => one.close());
    });')
token=$(openssl rand -hex 16)
echo "$token,admin,admin,\"system:masters\"" >"$work/tokens.csv"
openssl genrsa -out "$work/accounts.key" 2048 2>/dev/null

timeout -k 10 600 etcd --data-dir "$work/etcd" --listen-client-urls "http://127.0.0.1:$client" \
    --advertise-client-urls "http://127.0.0.1:$client" --listen-peer-urls "http://127.0.0.1:$peer" \
    --initial-advertise-peer-urls "http://127.0.0.1:$peer" --initial-cluster "default=http://127.0.0.1:$peer" \
    >"$work/etcd.log" 2>&1 &
servers=($! "${servers[@]}")
# ServiceAccount admission stays on: a pod's account must be there.  Privileged
# containers are allowed, as in most clusters, so that PodSecurity has to refuse.
timeout -k 10 600 "$built/kube-apiserver" --etcd-servers "http://127.0.0.1:$client" \
    --allow-privileged --bind-address 127.0.0.1 --secure-port "$secure" --cert-dir "$work/certs" \
    --token-auth-file "$work/tokens.csv" --anonymous-auth=false --authorization-mode RBAC \
    --service-cluster-ip-range 10.96.0.0/16 --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$work/accounts.key" --service-account-signing-key-file "$work/accounts.key" \
    >"$work/apiserver.log" 2>&1 &
servers=($! "${servers[@]}")
is_ready() {
    curl -sf -m 10 --cacert "$work/certs/apiserver.crt" -H "Authorization: Bearer $token" "https://127.0.0.1:$secure/readyz"
}
if ! wait_for $START_SECONDS is_ready; then
    echo "not ok the API server starts"
    tail -5 "$work/etcd.log" "$work/apiserver.log"
    exit 1
fi
echo "ok the API server starts"

# save_chart FOLDER OPTION...: into a file named after FOLDER
save_chart() {
    local file
    file=$work/chart-$(basename "$1").yaml
    if chart "${@:2}" >"$file"; then
        charts+=("$file")
    else
        check "Helm renders $1" cat "$work/helm.log" /nonexistent
    fi
}
charts=()
if have_helm; then
    each_chart save_chart
else
    echo "# no Helm here: the chart is not given to the server"
fi
timeout 300 node tests/deploy/apiserver.js "127.0.0.1:$secure" "$work/certs/apiserver.crt" "$token" \
    "$built/crds" "${charts[@]}" || failures=$((failures + 1))
done_testing
