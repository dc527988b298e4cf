#!/bin/bash
# What a gRPC client sees, by @grpc/grpc-js: on the gRPC port and on the HTTP
# port, whose gRPC is answered by nghttp2.  Then sockets, other signals, and
# what is said when there is no room.
. "$(dirname "$0")/lib.sh"
npm_ready
traces=opentelemetry.proto.collector.trace.v1.TraceService

start_service "$work/data" 'receivers: {otlp: {protocols: {grpc: {max_request_body_size: 1MiB}, http: {max_request_body_size: 1MiB}}}}
pairing: {wait: 500ms}
store: {flush_interval: 100ms}'
for address in "$grpc" "$http"; do
    on="port $([ "$address" = "$grpc" ] && echo gRPC || echo HTTP)"
    same "$on: a request" '{"code":"OK","body":""}' "$(call "$address" export 10)"
    same "$on: compressed" '{"code":"OK","body":""}' "$(call "$address" export 10 --encoding gzip)"
    same "$on: an empty request" '{"code":"OK","body":""}' "$(call "$address" hex '')"
    out=$(call "$address" hex 0a7f01)
    has "$on: bad data is INVALID_ARGUMENT" '"code":"INVALID_ARGUMENT"' "$out"
    has "$on: with what is bad" '"details":"BadRequest"' "$out"
    out=$(call "$address" zeros 1048577)
    has "$on: too large is RESOURCE_EXHAUSTED" '"code":"RESOURCE_EXHAUSTED"' "$out"
    check "$on: and final, without RetryInfo" bash -c "! grep -q RetryInfo <<<'$out'"
    out=$(call "$address" zeros 50000000 --encoding gzip)
    has "$on: a bomb is RESOURCE_EXHAUSTED" '"code":"RESOURCE_EXHAUSTED"' "$out"
    check "$on: and final, without RetryInfo" bash -c "! grep -q RetryInfo <<<'$out'"
    has "$on: the client can go on" '"code":"OK"' "$(call "$address" export 1)"
    has "$on: another method" '"code":"UNIMPLEMENTED"' "$(call "$address" path /some.Service/Method)"
    has "$on: logs" '"code":"UNIMPLEMENTED"' "$(call "$address" path /opentelemetry.proto.collector.logs.v1.LogsService/Export)"
    same "$on: healthy" '{"code":"OK","body":"0801"}' "$(call "$address" health)"
    same "$on: traces are healthy" '{"code":"OK","body":"0801"}' "$(call "$address" health $traces)"
    has "$on: an unknown service is not" '"code":"NOT_FOUND"' "$(call "$address" health nothing)"
    # An all-zero trace id (rejected) beside a good span.
    bad=$(node -e '
        const { bytes, number } = require("./tests/e2e/client.js");
        const span = (trace) => bytes(2, Buffer.concat([bytes(1, trace), bytes(2, Buffer.alloc(8, 7)), bytes(5, "x"), number(6, 2)]));
        console.log(bytes(1, bytes(2, Buffer.concat([span(Buffer.alloc(16)), span(Buffer.alloc(16, 9))]))).toString("hex"))')
    out=$(call "$address" hex "$bad")
    has "$on: a bad span alone is rejected" '"code":"OK","body":"0a' "$out"
    has "$on: and it is said how many" '"body":"0a' "$(grep -E '"body":"0a..0801' <<<"$out")"
done
too_large='spangraph_refused_requests_total{reason="too_large"}'
before=$(metric "$too_large")
call "$grpc" zeros 16777216 >"$work/large"
same "port gRPC: what is too large on the wire is counted" $((before + 1)) "$(metric "$too_large")"
has "and logged" 'a request was refused' "$(cat "$work/service.log")"
call "$grpc" zeros 16777217 >"$work/large"
has "port gRPC: what is far too large is refused, too" '"code":"RESOURCE_EXHAUSTED"' "$(cat "$work/large")"
[ "$(core_is)" = none ] || same "by gRPC itself, which counts nothing" $((before + 1)) "$(metric "$too_large")"
check "the service stops cleanly" stop_service

# --- no room: each retry is told when to come back
start_service "$work/full" 'store: {queue_spans: 1024, request_memory: 1MiB, group_interval: 1s}
receivers: {otlp: {other_signals: discard}}'
for i in $(seq 1 12); do call "$grpc" export 400 >"$work/full.$i" & done
for i in $(seq 13 24); do call "$http" export 400 >"$work/full.$i" & done
for pid in $(jobs -p | grep -v "^$service_pid$"); do wait "$pid"; done
node -e '
    const { request } = require("./tests/e2e/client.js");
    require("fs").writeFileSync(process.argv[1], request(400));' "$work/batch"

for i in $(seq 1 12); do
    curl -s -m 10 -D - -o /dev/null -H 'Content-Type: application/x-protobuf' --data-binary "@$work/batch" "http://$http/v1/traces" >"$work/http.$i" &

done
for pid in $(jobs -p | grep -v "^$service_pid$"); do wait "$pid"; done
cat "$work"/full.* >"$work/all"
has "full: some pass" '"code":"OK"' "$(cat "$work/all")"
has "full: the others are UNAVAILABLE" '"code":"UNAVAILABLE"' "$(cat "$work/all")"
same "full: nothing else is said" "" "$(grep -vE '"code":"(OK|UNAVAILABLE)"' "$work/all")"
same "full: each with RetryInfo" "" "$(grep UNAVAILABLE "$work/all" | grep -v '"details":"RetryInfo","retry_ms":[0-9]*[1-9]')"
cat "$work"/http.* >"$work/all"
has "full: HTTP says 503" "HTTP/1.1 503" "$(cat "$work/all")"
same "full: with Retry-After each" "$(grep -ac 'HTTP/1.1 503' "$work/all")" "$(grep -aic '^retry-after: [1-9]' "$work/all")"
sleep 1.2
has "and then there is room" '"code":"OK"' "$(call "$grpc" export 400)"
check "refusals are counted" test "$(metric 'spangraph_refused_requests_total{reason="full"}')" -gt 0
same "none is left waiting" 0 "$(metric spangraph_request_bytes)"

# --- other signals, discarded: said once in all
same "logs are discarded, and it is said" 200 "$(curl -s -m 5 -o "$work/body" -w '%{http_code}' -H 'Content-Type: application/json' -d '{}' "http://$http/v1/logs")"
has "in the answer" "discarded" "$(cat "$work/body")"
same "once" "{}" "$(curl -s -m 5 -H 'Content-Type: application/json' -d '{}' "http://$http/v1/metrics")"
same "over gRPC too" '{"code":"OK","body":""}' "$(call "$grpc" path /opentelemetry.proto.collector.metrics.v1.MetricsService/Export)"
same "they are counted" 3 "$(metric 'spangraph_discarded_requests_total{signal="other"}')"
check "it stops cleanly" stop_service

# --- Unix sockets
start_service "$work/unix" "receivers: {otlp: {protocols: {grpc: {endpoint: \"$work/grpc.sock\", transport: unix}, http: {endpoint: \"$work/http.sock\", transport: unix}}}}
query: {endpoint: \"unix:$work/query.sock\"}
pairing: {wait: 500ms}
store: {flush_interval: 100ms}"
has "gRPC on a socket" '"code":"OK"' "$(call "unix:$work/grpc.sock" export 3)"
same "HTTP on a socket" "{}" "$(curl -s -m 5 --unix-socket "$work/http.sock" -H 'Content-Type: application/json' -d '{}' http://localhost/v1/traces)"
has "gRPC on the HTTP socket" '"code":"OK"' "$(call "unix:$work/http.sock" export 4)"
same "queries on a socket" '{"ready":true}' "$(curl -s -m 5 --unix-socket "$work/query.sock" http://localhost/readyz)"
out=$(timeout 10 "$spangraph" serve --data "$work/second" --config <(echo "receivers: {otlp: {protocols: {grpc: {endpoint: \"unix:$work/grpc.sock\"}, http: {enabled: false}}}}
query: {enabled: false}") 2>&1)
same "a socket in use is exit code 4" 4 $?
has "and is named" "grpc.sock" "$out"
has "and still answers" '"code":"OK"' "$(call "unix:$work/grpc.sock" export 3)"
sleep 1
has "what came is counted" "virtual_in] 10/0" "$(edges "$work/unix" service)"
kill -9 "$service_pid"
{ wait "$service_pid"; } 2>/dev/null
start_service "$work/unix" "receivers: {otlp: {protocols: {grpc: {endpoint: \"unix:$work/grpc.sock\"}, http: {endpoint: \"unix:$work/http.sock\"}}}}
query: {endpoint: \"unix:$work/query.sock\"}"
has "a socket left behind is taken over" '"code":"OK"' "$(call "unix:$work/grpc.sock" export 1)"
check "it stops cleanly" stop_service
check "and takes its sockets away" bash -c "! ls '$work'/*.sock"

done_testing
