#!/bin/bash
# Two sidecars and their gateway, killed KILLS times under load: the graph is the
# one that the same spans make when they are sent to the gateway directly.
. "$(dirname "$0")/lib.sh"
npm_ready
case ${SIZE:-commit} in
commit) kills=${KILLS:-15} ;;
nightly) kills=${KILLS:-200} ;;
*) kills=${KILLS:-1000} ;;
esac
pki=$work/pki
mkdir -p "$pki"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout "$pki/ca.key" \
    -out "$pki/ca.pem" -subj /CN=ca 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$pki/gateway.key" \
    -out "$pki/gateway.csr" -subj /CN=gateway 2>/dev/null
openssl x509 -req -in "$pki/gateway.csr" -CA "$pki/ca.pem" -CAkey "$pki/ca.key" -CAcreateserial -days 2 \
    -extfile <(echo subjectAltName=DNS:localhost) -out "$pki/gateway.pem" 2>/dev/null
echo "let-me-in" >"$work/token"

# --- three services, each with its configuration, data, log and process
declare -A pid
# launch NAME: and waits until it is ready
launch() {
    local name=$1 ready
    ready=$(grep -c 'msg="ready"' "$work/$name.log" 2>/dev/null)
    "$spangraph" serve --config "$work/$name.yaml" --data "$work/$name" 2>>"$work/$name.log" &
    pid[$name]=$!
    wait_for 20 bash -c "[ \$(grep -c 'msg=\"ready\"' '$work/$name.log') -gt ${ready:-0} ]" ||
        { echo "not ok $name starts"; cat "$work/$name.log"; exit 1; }
}
# end NAME [SIGNAL]: its exit code is the result
end() {
    kill "-${2:-TERM}" "${pid[$1]}" 2>/dev/null
    wait "${pid[$1]}" 2>/dev/null
}
# address NAME WHAT: of a listener
address() { sed -n "s/.*msg=\"listening\" $2=\"\([^\"]*\)\".*/\1/p" "$work/$1.log" | tail -1; }
# number NAME METRIC
number() { query_url=http://$(address "$1" query) metric "$2"; }
is() { [ "$(number "$1" "$2")" = "$3" ]; }
# cpu_ms NAME: spent so far
cpu_ms() { awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) * 1000 / hz }' "/proc/${pid[$1]}/stat"; }

gateway() {
    local tls="tls: {cert_file: $pki/gateway.pem, key_file: $pki/gateway.key}"
    echo "receivers: {otlp: {protocols: {grpc: {enabled: false}, http: {endpoint: \"localhost:$1\", $tls}}, auth: {tokens: [let-me-in]}}}
query: {endpoint: \"localhost:0\"}
pairing: {wait: 500ms}
store: {flush_interval: 50ms}"
}
# sidecar PORT [MORE]: MORE among forward's keys
sidecar() {
    echo "receivers: {otlp: {protocols: {grpc: {endpoint: \"localhost:0\"}, http: {endpoint: \"localhost:$1\"}}}}
query: {endpoint: \"localhost:0\"}
service: {drain: 3s${3:-}}
forward:
  endpoint: \"https://localhost:$gateway_port\"
  auth: {tokens_file: $work/token}
  tls: {ca_file: $pki/ca.pem}
  timeout: 2s
  retry: {initial_interval: 20ms, max_interval: 200ms}
  batch: {max_age: 100ms}
  ${2:-}"
}
fixed_port() { address "$1" http | sed 's/.*://'; }

gateway 0 >"$work/gateway.yaml"
launch gateway
gateway_port=$(fixed_port gateway)
gateway "$gateway_port" >"$work/gateway.yaml"
for name in a b; do
    sidecar 0 >"$work/$name.yaml"
    launch $name
    sidecar "$(fixed_port $name)" >"$work/$name.yaml"
done

# --- small, and what it is asked
same "a sidecar is alive" 200 "$(curl -s -o /dev/null -w '%{http_code}' "http://$(address a query)/healthz")"
same "and ready" 200 "$(curl -s -o /dev/null -w '%{http_code}' "http://$(address a query)/readyz")"
same "it has no MCP" 404 "$(curl -s -o /dev/null -w '%{http_code}' -d '{}' -X GET "http://$(address a query)/mcp")"
rss_kib=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/${pid[a]}/status")
check "idle, it takes at most 32 MiB ($((rss_kib / 1024)) MiB)" test "$rss_kib" -le $((32 * 1024))
has "it is confined" 'feature="seccomp"} 1' "$(curl -s "http://$(address a query)/metrics")"
check "and owns nothing but its spool" test -e "$work/a/spool.db" -a ! -e "$work/a/spangraph.db"

# --- what is forwarded, and what it costs, beside the gateway's own work
cpu_sidecar=$(cpu_ms a)
cpu_gateway=$(cpu_ms gateway)
node tests/e2e/load.js "http://$(address a http)/v1/traces" 512 2 >"$work/load.out" &
load_pid=$!
sleep 2
kill -TERM $load_pid
wait $load_pid
exported=$(jq .acked "$work/load.out")
check "all of it is forwarded" wait_for 20 is a 'spangraph_forwarded_spans_total{result="taken"}' "$exported"
sleep 0.3
received=$(number a spangraph_received_bytes_total)
forwarded=$(number a spangraph_forwarded_bytes_total)
echo "# $received bytes received, $forwarded forwarded: $((forwarded * 100 / received)) %;" \
    "CPU $(($(cpu_ms a) - cpu_sidecar)) ms in the sidecar, $(($(cpu_ms gateway) - cpu_gateway)) ms in the gateway, $exported spans"
check "less is forwarded than came" test "$forwarded" -lt $((received / 4))
same "and it arrived" "$exported" "$(number gateway 'spangraph_spans_total{result="accepted"}')"

# --- kill -9, now this one, now that one
node tests/e2e/sidecar_load.js "$work/pairs.jsonl" "http://$(address a http)/v1/traces" \
    "http://$(address b http)/v1/traces" >"$work/pairs.out" &
pairs_pid=$!
node tests/e2e/load.js "http://$(address a http)/v1/traces" 20 2 >"$work/load.out" &
load_pid=$!
names=(a b gateway)
for ((i = 0; i < kills; i++)); do
    sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
    name=${names[RANDOM % 3]}
    end "$name" KILL
    [ $((RANDOM % 3)) -ne 0 ] || sleep 0.3
    launch "$name"
done
sleep 0.5
kill -TERM $pairs_pid $load_pid
wait $pairs_pid
wait $load_pid
echo "# $kills kills; pairs $(cat "$work/pairs.out"), roots $(cat "$work/load.out")"
for name in a b; do
    check "the spool of $name empties" wait_for 20 is $name spangraph_spool_batches 0
    same "$name set nothing aside" 0 "$(number $name 'spangraph_spool_bytes{state="aside"}')"
done
check "there were repeats" test "$(jq .repeated "$work/pairs.out")" -gt 0
sleep 1.5
for name in a b gateway; do check "$name stops cleanly" end $name; done

# The roots of load.js are the edge user -> load; exported ones count there, too.
table() {
    "$spangraph" edges --data "$1" --level "$2" --now 4000000000 --json |
        jq -S '[.edges[] | select(.source_service != "load" and .target_service != "load" and .target != "load")] | sort_by([.source_service, .source, .target_service, .target, .kind])'
}
check "the same spans are taken in directly" "$spangraph" ingest --data "$work/direct" "$work/pairs.jsonl"
for level in service endpoint symbol; do
    table "$work/direct" $level >"$work/direct.$level"
    table "$work/gateway" $level >"$work/gateway.$level"
    check "there are edges ($level)" test "$(jq length "$work/direct.$level")" -gt 2
    check "they are those of a direct ingest ($level)" diff "$work/direct.$level" "$work/gateway.$level"
done
counted=$("$spangraph" edges --data "$work/gateway" --json | jq '[.edges[] | select(.kind == "virtual_in" and .target == "load") | .count] | add')
same "acknowledged is counted, once" $((exported + $(jq .acked "$work/load.out"))) "$counted"
check "what nobody reads is not kept" bash -c "! grep -qa secret '$work'/a/spool.db* '$work'/gateway/spangraph.db*"

# --- the gateway is away: spans are kept, senders refused when there is no more room
before=$counted
count_load() { "$spangraph" edges --data "$work/gateway" --json | jq '[.edges[] | select(.kind == "virtual_in" and .target == "load") | .count] | add'; }
sidecar "$(fixed_port a)" 'spool: {max_bytes: 64KiB}' >"$work/a.yaml"
launch a
sent=0
until out=$(call "$(address a grpc)" export 200) && [ "$(jq -r .code <<<"$out")" != OK ]; do
    sent=$((sent + 200))
    [ $sent -lt 20000 ] || break
done
has "a full spool: come back later, over gRPC" '"code":"UNAVAILABLE"' "$out"
check "and when" test "$(jq .retry_ms <<<"$out")" -ge 1000
# New each time, lest it be known for one that was taken.
for ((i = 0; i < 40; i++)); do
    head -1 "$work/pairs.jsonl" | sed "s/\"spanId\":\"..../&$((1000 + i))/g; s/\(\"spanId\":\"........\)..../\1/g" >"$work/one.json"
    curl -s -m 10 -D "$work/head" -o /dev/null --data-binary @"$work/one.json" -H 'Content-Type: application/json' \
        "http://$(address a http)/v1/traces"
    grep -q " 503" "$work/head" && break
done
has "over HTTP" " 503" "$(head -1 "$work/head")"
has "and when" "retry-after" "$(tr 'A-Z' 'a-z' <"$work/head")"
check "some were taken before" test $sent -gt 0
check "the limit holds" test "$(number a 'spangraph_spool_bytes{state="waiting"}')" -le 65536
same "it is ready all the same" 200 "$(curl -s -o /dev/null -w '%{http_code}' "http://$(address a query)/readyz")"
begin=$(date +%s%N)
check "it stops without its gateway" end a
took=$((($(date +%s%N) - begin) / 1000000))
check "within the drain ($took ms)" test $took -lt 5000
has "and says what it leaves" "left in the spool" "$(cat "$work/a.log")"

# --- a token that is wrong: set aside, and sent when it is right
echo "wrong" >"$work/token"
launch gateway
launch a
check "what is refused is set aside" wait_for 20 is a spangraph_spool_batches 0
check "and kept" test "$(number a 'spangraph_spool_bytes{state="aside"}')" -gt 0
has "and said" "a batch is set aside" "$(cat "$work/a.log")"
echo "let-me-in" >"$work/token"
kill -HUP "${pid[a]}"
check "SIGHUP reads the token and sends it" wait_for 20 is a 'spangraph_spool_bytes{state="aside"}' 0
check "all of it" wait_for 20 is a spangraph_spool_batches 0

# --- the same where nobody sends a signal, as in a pod
end a
sidecar "$(fixed_port a)" "" ", reload_interval: 100ms" >"$work/a.yaml"
echo "wrong" >"$work/token"
launch a
call "$(address a grpc)" export 50 >/dev/null
check "what is refused is set aside again" wait_for 20 is a spangraph_spool_batches 0
: >"$work/token"
check "a file of no use is said" wait_for 5 grep -q "settings are not reloaded" "$work/a.log"
sleep 0.5
same "once" 1 "$(grep -c "settings are not reloaded" "$work/a.log")"
echo "let-me-in" >"$work/token"
check "a token put in its place is found and sent" wait_for 20 is a 'spangraph_spool_bytes{state="aside"}' 0
check "all of it again" wait_for 20 is a spangraph_spool_batches 0

# --- the end: listeners first, then what has not aged
end a
sidecar "$(fixed_port a)" | sed 's/max_age: 100ms/max_age: 60s/' >"$work/a.yaml"
launch a
call "$(address a grpc)" export 50 >/dev/null
call "$(address a grpc)" export 50 >/dev/null
same "two requests wait in one batch" 1 "$(number a spangraph_spool_batches)"
check "SIGTERM sends it" end a
sleep 0.3
check "the gateway stops cleanly" end gateway
same "nothing is lost, nothing twice" $((before + sent + 150)) "$(count_load)"

# --- what cannot be
refused() {
    sidecar 0 "$1" >"$work/bad.yaml"
    sed -i "s|^  endpoint: .*|  endpoint: \"${2:-https://localhost:1}\"|" "$work/bad.yaml"
    timeout 10 "$spangraph" serve --config "$work/bad.yaml" --data "$work/bad" 2>&1
}
has "a URL that is none" 'write http://host:port or https://host:port' "$(refused '' localhost:4318)"
has "an unknown key, and which was meant" "did you mean forward.spool.max_bytes" "$(refused 'spool: {max_byte: 1MiB}')"
has "a header that is none" "forward.headers: number 1" "$(refused 'headers: ["no colon"]')"
sidecar 0 'headers: ["X-Key: hush"]' >"$work/bad.yaml"
out=$("$spangraph" check-config "$work/bad.yaml")
has "check-config prints the section" 'max_interval: "200ms"' "$out"
has "and no secret" 'headers: ["****"]' "$out"

done_testing
