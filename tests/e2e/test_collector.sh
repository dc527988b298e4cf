#!/bin/bash
# A real Collector with client certificates and a token, by gRPC to one spangraph
# and by HTTP to another, both killed and stopped again and again under load: with
# its queue and its retries nothing is lost and nothing counts twice.
#
# The Collector is built by Go, from its public modules, in minutes the first
# time: for SIZE=nightly and release, or where build/go/otelcol is there already.
. "$(dirname "$0")/lib.sh"
otelcol=$PWD/build/go/otelcol
case ${SIZE:-commit} in
commit) rounds=${ROUNDS:-10} ;;
*) rounds=${ROUNDS:-200} ;;
esac
if [ ! -x "$otelcol" ]; then
    [ "${SIZE:-commit}" != commit ] && go version 2>/dev/null | grep -qE 'go1\.(2[6-9]|[3-9][0-9])' &&
        (cd tests/e2e/otelcol && GOFLAGS='-modcacherw -mod=readonly' timeout 600 go build -o "$otelcol" .)
    [ -x "$otelcol" ] || {
        echo "ok # no Collector here, nor a Go to build one in this size: nothing was sent"
        exit 0
    }
fi

# --- one authority, a server and a client of it
pki=$work/pki
mkdir -p "$pki"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority \
    -keyout "$pki/ca.key" -out "$pki/ca.pem" 2>/dev/null
for name in server client; do
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
        -keyout "$pki/$name.key" -out "$pki/$name.csr" 2>/dev/null
    openssl x509 -req -in "$pki/$name.csr" -CA "$pki/ca.pem" -CAkey "$pki/ca.key" -CAcreateserial -days 2 \
        -extfile <(echo "subjectAltName=DNS:$([ $name = server ] && echo localhost || echo shop)") -out "$pki/$name.pem" 2>/dev/null
done
tls="tls: {cert_file: $pki/server.pem, key_file: $pki/server.key, client_ca_file: $pki/ca.pem, allowed_names: [shop]}"

# ports N: so many that are free, held together so that they differ
ports() {
    node -e 'const servers = Array.from({ length: Number(process.argv[1]) }, () => require("net").createServer().listen(0, "127.0.0.1"));
        Promise.all(servers.map((one) => new Promise((done) => one.on("listening", done)))).then(() => {
            console.log(servers.map((one) => one.address().port).join(" "));
            servers.forEach((one) => one.close());
        });' "$1"
}
read -r grpc_port http_port in_port < <(ports 3)

# --- two services: one is sent to by gRPC, one by HTTP
for way in grpc http; do
    port=${way}_port
    off=$([ $way = grpc ] && echo http || echo grpc)
    cat >"$work/$way.yaml" <<END
receivers: {otlp: {protocols: {$way: {endpoint: "localhost:${!port}", $tls}, $off: {enabled: false}}, auth: {tokens: [let-me-in]}}}
query: {enabled: false}
store: {flush_interval: 50ms}
END
    check "the configuration of $way is one" "$spangraph" check-config "$work/$way.yaml"
done
declare -A pids
start() { # WAY
    "$spangraph" serve --config "$work/$1.yaml" --data "$work/$1" 2>>"$work/$1.log" &
    pids[$1]=$!
}

cat >"$work/otelcol.yaml" <<END
receivers: {otlp: {protocols: {http: {endpoint: "localhost:$in_port"}}}}
processors: {batch: {timeout: 100ms}}
exporters:
  otlp/spangraph: &to
    endpoint: localhost:$grpc_port
    compression: gzip
    headers: {authorization: Bearer let-me-in}
    tls: {ca_file: $pki/ca.pem, cert_file: $pki/client.pem, key_file: $pki/client.key}
    timeout: 2s
    retry_on_failure: {initial_interval: 50ms, max_interval: 200ms, max_elapsed_time: 0}
    sending_queue: {queue_size: 100000, block_on_overflow: true}
  otlphttp/spangraph:
    <<: *to
    endpoint: https://localhost:$http_port
service:
  telemetry: {metrics: {level: none}, logs: {level: error}}
  pipelines: {traces: {receivers: [otlp], processors: [batch], exporters: [otlp/spangraph, otlphttp/spangraph]}}
END
timeout 900 "$otelcol" --config "$work/otelcol.yaml" >"$work/otelcol.log" 2>&1 &
collector=$!
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$in_port") 2>/dev/null; }
if ! wait_for 20 listens; then
    echo "not ok the Collector starts"
    tail -20 "$work/otelcol.log"
    exit 1
fi
node tests/e2e/load.js "http://127.0.0.1:$in_port/v1/traces" 20 2 >"$work/load.out" &
load=$!

# --- killed, and every third time stopped, with moments of being away
start grpc
start http
ended=0
for ((i = 0; i < rounds; i++)); do
    sleep "0.$((RANDOM % 6 + 2))"
    way=$([ $((RANDOM % 2)) = 0 ] && echo grpc || echo http)
    kill -$([ $((i % 3)) = 0 ] && echo TERM || echo KILL) "${pids[$way]}" && ended=$((ended + 1))
    wait "${pids[$way]}" 2>/dev/null
    sleep "0.$((RANDOM % 4))"
    start "$way"
done
same "each was there to be ended" "$rounds" "$ended"
kill -TERM $load
wait $load
sent=$(jq .acked "$work/load.out")
echo "# $rounds rounds, $(cat "$work/load.out")"
check "something was sent" test "$sent" -gt $((rounds * 20))
counted() { "$spangraph" edges --data "$work/$1" --json | jq '[.edges[] | select(.kind == "virtual_in") | .count] | add // 0'; }
has_all() { [ "$(counted "$1")" -ge "$sent" ]; }
for way in grpc http; do
    check "the Collector hands on to $way all it has" wait_for 60 has_all $way
done
# Only now: told to stop, a Collector drops what it would try again.
kill -TERM $collector
wait $collector
for way in grpc http; do
    kill -TERM "${pids[$way]}"
    wait "${pids[$way]}"
    same "the service of $way stops cleanly" 0 $?
    same "by $way all is counted, once" "$sent" "$(counted $way)"
done
same "the Collector gave nothing up" "" "$(grep -iE 'dropp|rejected' "$work/otelcol.log" | head -3)"

done_testing
