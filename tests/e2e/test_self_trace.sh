#!/bin/bash
# The service tells of its own work where it is told to, and never to itself.
. "$(dirname "$0")/lib.sh"
unset OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS

# collect [STATUS]: starts a receiver; sets collector and got.
collect() {
    got=$work/got.$RANDOM$RANDOM
    : >"$got"
    node tests/e2e/collector.js "$got" "$@" >"$got.port" &
    wait_for 10 test -s "$got.port"
    collector=$(cat "$got.port")
}
# spans: those that came, one a line: name kind status tool
spans() {
    jq -r '.body.resourceSpans[].scopeSpans[].spans[] | (.attributes | map({ (.key): (.value | to_entries[0].value) }) | add // {}) as $a
        | "\(.name) \(.kind) \($a["http.response.status_code"] // "-") \($a["gen_ai.tool.name"] // "-")"' "$got"
}
mcp() { curl -s -m 10 -o /dev/null -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' "$@" "http://$query/mcp"; }
call_tool() { mcp -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$1"'","arguments":{}}}' "${@:2}"; }
send_trace() {
    while IFS= read -r line; do
        curl -fsS -m 10 -o /dev/null -H 'Content-Type: application/json' -d "$line" "http://$http/v1/traces"
    done <examples/shop/trace.jsonl
}
came() { spans | grep -qF "$1"; }

# ---- off unless told ----
collect
OTEL_EXPORTER_OTLP_ENDPOINT=http://$collector start_service "$work/off"
call_tool trace_stats
send_trace
sleep 2.5
check "the service stops" stop_service
same "nothing is told unless it is switched on" "" "$(cat "$got")"

# ---- told, as the environment says ----
export OTEL_EXPORTER_OTLP_ENDPOINT=http://$collector OTEL_EXPORTER_OTLP_HEADERS=x-who=me,x-other=you
start_service "$work/data" 'service: {self_trace: {enabled: true, one_in: 1}}
pairing: {wait: 300ms}'
call_tool trace_stats -H 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
mcp -d 'no JSON'
curl -s -o /dev/null "http://$query/api/graph/data?from=soon"
curl -s -o /dev/null "http://$query/readyz"
send_trace
check "a tool call is told" wait_for 10 came 'POST /mcp 2 200 trace_stats'
check "a flush, too" wait_for 10 came 'flush 1 - -'
check "a request that was refused" wait_for 10 came 'GET /api/graph/data 2 400 -'
same "no probe" 0 "$(spans | grep -c readyz)"
same "and no request that brought spans" 0 "$(spans | grep -c v1/traces)"
same "the caller's trace goes on" "0af7651916cd43dd8448eb211c80319c b7ad6b7169203331" \
    "$(jq -r '.body.resourceSpans[].scopeSpans[].spans[] | select(.parentSpanId) | "\(.traceId) \(.parentSpanId)"' "$got")"
same "under its name" spangraph "$(jq -r '.body.resourceSpans[].resource.attributes[] | select(.key == "service.name").value.stringValue' "$got" | sort -u)"
same "where and how it was said" '/v1/traces me you' "$(jq -r '"\(.path) \(.headers["x-who"]) \(.headers["x-other"])"' "$got" | sort -u)"
check "it is counted" test "$(metric 'spangraph_self_spans_total{result="sent"}')" -ge 4
call_tool service_map
check "the service stops" stop_service
check "what was left is sent on the way out" came service_map
unset OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS

# ---- one of so many ----
collect
start_service "$work/data" "service: {self_trace: {enabled: true, one_in: 10, endpoint: \"http://$collector\"}}"
for _ in $(seq 50); do call_tool trace_stats; done
check "the service stops" stop_service
check "one of ten is told: $(spans | grep -c trace_stats)" test "$(spans | wc -l)" -ge 4 -a "$(spans | grep -c trace_stats)" -le 6

# ---- nobody takes it ----
collect 503
start_service "$work/data" "service: {self_trace: {enabled: true, one_in: 1, endpoint: \"http://$collector\"}}"
call_tool trace_stats
lost() { [ "$(metric 'spangraph_self_spans_total{result="lost"}')" -ge 1 ]; }
check "what is not taken is lost, and counted" wait_for 10 lost
has "and said" 'msg="spans of the service itself are lost" why="answered 503"' "$(cat "$work/service.log")"
check "the service stops" stop_service
start_service "$work/data" 'service: {self_trace: {enabled: true, one_in: 1, endpoint: "http://127.0.0.1:1"}}'
for _ in $(seq 700); do echo "http://$query/metrics"; done | xargs curl -s >/dev/null
check "with nobody there, too" wait_for 10 lost
check "questions are answered all the same" curl -fsS -m 5 -o /dev/null "http://$query/metrics"
check "and it stops at once" stop_service
same "a URL that is none cannot run" 4 "$("$spangraph" serve --data "$work/bad" --config <(echo 'service: {self_trace: {enabled: true, endpoint: "here"}}') >/dev/null 2>"$work/err"; echo $?)"
has "it says which" "service.self_trace.endpoint" "$(cat "$work/err")"

# ---- to itself: never ----
own=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
cat >"$work/own.yaml" <<YAML
receivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:$own"}}}}
query: {endpoint: "localhost:0"}
pairing: {wait: 300ms}
service: {self_trace: {enabled: true, one_in: 1, endpoint: "http://127.0.0.1:$own"}}
YAML
: >"$work/service.log"
"$spangraph" serve --config "$work/own.yaml" --data "$work/own" 2>"$work/service.log" &
service_pid=$!
wait_for 10 grep -q 'msg="ready"' "$work/service.log"
query=$(sed -n 's/.*msg="listening" query="\([^"]*\)".*/\1/p' "$work/service.log")
http=127.0.0.1:$own
for _ in $(seq 20); do call_tool trace_stats; done
dropped() { [ "$(metric 'spangraph_self_spans_total{result="dropped"}')" -ge 20 ]; }
check "its own spans come back, and are dropped" wait_for 10 dropped
# The questions of this test are told of, too: none are asked while we wait.
sleep 3
before=$(metric 'spangraph_self_spans_total{result="dropped"}')
commits=$(metric spangraph_commits_total)
requests=$(metric 'spangraph_requests_total{protocol="http"}')
sleep 4
after=$(metric 'spangraph_self_spans_total{result="dropped"}')
check "they beget no others: $before, then $after" test $((after - before)) -le 6
same "nothing is committed for them" "$commits" "$(metric spangraph_commits_total)"
check "few requests are made for them" test $(($(metric 'spangraph_requests_total{protocol="http"}') - requests)) -le 3
same "and nothing of them is in the graph" '[]' "$("$spangraph" edges --data "$work/own" --json | jq -c .edges)"
send_trace
flushed() { [ "$(edges "$work/own" service)" = "$shop_edges" ]; }
check "what others send is kept" wait_for 10 flushed
mixed=$(node -e '
    const span = (n) => ({ traceId: "0af7651916cd43dd8448eb211c80319" + n, spanId: "b7ad6b716920333" + n, name: "GET /x", kind: 2, startTimeUnixNano: String(BigInt(Date.now()) * 1000000n), endTimeUnixNano: String(BigInt(Date.now()) * 1000000n), attributes: [{ key: "http.route", value: { stringValue: "/x" } }] });
    const of = (name, n) => ({ resource: { attributes: [{ key: "service.name", value: { stringValue: name } }] }, scopeSpans: [{ spans: [span(n)] }] });
    console.log(JSON.stringify({ resourceSpans: [of("spangraph", 1), of("other", 2), of("spangraph", 3)] }));')
before=$(metric 'spangraph_self_spans_total{result="dropped"}')
curl -fsS -m 10 -o /dev/null -H 'Content-Type: application/json' -d "$mixed" "http://$http/v1/traces"
mixed_in() { "$spangraph" edges --data "$work/own" --json | jq -e '[.edges[] | select(.target == "other")] | length == 1' >/dev/null; }
check "of a request with both, the other's spans are kept" wait_for 10 mixed_in
check "and its own dropped" test $(($(metric 'spangraph_self_spans_total{result="dropped"}') - before)) -ge 2
same "no node has its name" 0 "$(sqlite3 "$work/own/spangraph.db" "SELECT count(*) FROM nodes WHERE name = 'spangraph'" 2>/dev/null || sqlite3 "$work/own/spangraph.db" .dump | grep -c "'spangraph'")"
check "the service stops" stop_service
done_testing
