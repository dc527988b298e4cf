#!/bin/bash
# Health and metrics: they parse, and they move as things happen.
. "$(dirname "$0")/lib.sh"
npm_ready
start_service "$work/data" 'receivers: {otlp: {auth: {tokens: [good]}, other_signals: discard, protocols: {http: {max_request_body_size: 1MiB}}}}
pairing: {wait: 300ms}
store: {flush_interval: 100ms}'

same "healthz" 200 "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "http://$query/healthz")"
same "readyz" 200 "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "http://$query/readyz")"
check "both are JSON" jq -es '.[0].alive and .[1].ready' < <(curl -s -m 5 "http://$query/healthz" "http://$query/readyz")
check "readyz says why" jq -e '.ready and .store_writable and (.draining | not)' <<<"$(curl -s -m 5 "http://$query/readyz?verbose")"
same "the type is OpenMetrics" "application/openmetrics-text; version=1.0.0; charset=utf-8" \
    "$(curl -s -m 5 -o /dev/null -w '%{content_type}' "http://$query/metrics")"
parse() { curl -s -m 5 "http://$query/metrics" | node tests/e2e/openmetrics.js; }
check "they parse before anything came" parse

# Pages have three threads of four and each may have a reader, agents have theirs;
# were there fewer, a scrape would wait for pages that are slow.
held=$(find "/proc/$service_pid/fd" -lname '*/spangraph.db' | wc -l)
check "a reader for each thread, twice, beside the writer: $held" test "$held" -ge 9

# moves NAME BY COMMAND...: the metric grows by that much
moves() {
    local name=$1 by=$2 old
    shift 2
    old=$(metric "$name")
    "$@" >/dev/null 2>&1
    wait_for 2 test_metric "$name" $((old + by)) || true
    same "$name moves by $by" $((old + by)) "$(metric "$name")"
}
test_metric() { [ "$(metric "$1")" = "$2" ]; }
post() { curl -s -m 5 -H 'Authorization: Bearer good' -H 'Content-Type: application/json' "$@" "http://$http/v1/traces"; }
node -e '
    const { request } = require("./tests/e2e/client.js");
    require("fs").writeFileSync(process.argv[1], request(7));' "$work/seven"
seven() { curl -s -m 5 -H 'Authorization: Bearer good' -H 'Content-Type: application/x-protobuf' --data-binary @"$work/seven" "http://$http/v1/traces"; }
bad='{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00","spanId":"0102030405060708","name":"zero"},{"traceId":"x","spanId":"","name":"zero"}]}]}]}'
head -c 1048577 /dev/zero | tr '\0' ' ' >"$work/large"

moves 'spangraph_spans_total{result="accepted"}' 7 seven
moves 'spangraph_spans_total{result="duplicate"}' 7 seven
moves 'spangraph_spans_total{result="rejected"}' 2 post -d "$bad"
moves 'spangraph_requests_total{protocol="http"}' 1 post -d '{}'
moves 'spangraph_requests_total{protocol="grpc"}' 1 call "$grpc" export --token good
moves 'spangraph_refused_requests_total{reason="invalid"}' 1 post -d '{"resourceSpans":7}'
moves 'spangraph_refused_requests_total{reason="too_large"}' 1 post --data-binary @"$work/large"
moves 'spangraph_refused_requests_total{reason="unsupported"}' 1 curl -s -H 'Authorization: Bearer good' -H 'Content-Type: text/plain' -d x "http://$http/v1/traces"
moves 'spangraph_refused_requests_total{reason="denied"}' 1 curl -s -H 'Authorization: Bearer bad' -H 'Content-Type: application/json' -d '{}' "http://$http/v1/traces"
moves 'spangraph_refused_requests_total{reason="denied"}' 1 call "$grpc" export --token bad
moves 'spangraph_discarded_requests_total{signal="other"}' 1 curl -s -H 'Authorization: Bearer good' -H 'Content-Type: application/json' -d '{}' "http://$http/v1/logs"
moves spangraph_received_bytes_total "$(stat -c %s "$work/seven")" seven
moves spangraph_decode_seconds_count 1 seven
moves spangraph_commits_total 1 post -d "$(jq -c . <<<'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"one","kind":2,"startTimeUnixNano":"1","endTimeUnixNano":"2"}]}]}]}')"
check "the disk was waited for" test "$(metric spangraph_fsync_seconds_count)" -gt 0
check "its time, long past, was moved" test "$(metric spangraph_clamped_times_total)" -gt 0
moves 'spangraph_mcp_calls_total{result="ok"}' 1 curl -s -m 5 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trace_stats","arguments":{}}}' "http://$query/mcp"
moves 'spangraph_mcp_calls_total{result="error"}' 1 curl -s -m 5 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"runtime_traffic","arguments":{"limit":"x"}}}' "http://$query/mcp"
sleep 0.5
# An egress nobody answers and that names nobody; an ingress whose parent never comes; a link to nothing.
node -e '
    const id = (n) => require("crypto").randomBytes(n).toString("hex");
    const now = String(BigInt(Date.now()) * 1000000n);
    const span = (more) => ({ traceId: id(16), spanId: id(8), name: "x", startTimeUnixNano: now, endTimeUnixNano: now, ...more });
    console.log(JSON.stringify({ resourceSpans: [{ resource: { attributes: [{ key: "service.name", value: { stringValue: "lone" } }] },
      scopeSpans: [{ spans: [span({ kind: 3 }), span({ kind: 2, parentSpanId: id(8) }), span({ kind: 2, parentSpanId: id(8) }),
        span({ kind: 5, links: [{ traceId: id(16), spanId: id(8) }] })] }] }] }));' >"$work/lone.json"
post -d @"$work/lone.json" >/dev/null
sleep 1
same "unresolved egress" 1 "$(metric 'spangraph_unresolved_spans{kind="egress"}')"
same "unresolved parents" 2 "$(metric 'spangraph_unresolved_spans{kind="parent"}')"
same "unresolved links" 1 "$(metric 'spangraph_unresolved_spans{kind="link"}')"
for gauge in spangraph_live_spans spangraph_nodes spangraph_edges spangraph_store_bytes spangraph_wal_bytes spangraph_connections; do
    check "$gauge is more than none" test "$(metric $gauge)" -gt 0
done
same "the bound of requests under way is told" $((3 * 512 << 20)) "$(metric spangraph_request_limit_bytes)"
check "they parse after all that" parse
# Repeats are accepted, and no spans of the store's.
stats=$("$spangraph" stats --data "$work/data" --json)
same "repeats in the store" "$(metric 'spangraph_spans_total{result="duplicate"}')" "$(jq .counters.duplicates <<<"$stats")"
same "spans and repeats in the store" "$(metric 'spangraph_spans_total{result="accepted"}')" "$(jq '.counters.spans + .counters.duplicates' <<<"$stats")"
check "it stops cleanly" stop_service
done_testing
