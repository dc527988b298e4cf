#!/bin/bash
# The shop, running under the OpenTelemetry SDK, against the running service:
# the same graph over gRPC, HTTP/protobuf and HTTP/JSON.
. "$(dirname "$0")/lib.sh"
npm_ready

for protocol in grpc http/protobuf http/json; do
    data=$work/${protocol/\//-}
    start_service "$data" 'pairing: {wait: 1s}
store: {flush_interval: 100ms}'
    endpoint=http://$http
    [ $protocol != grpc ] || endpoint=http://$grpc
    check "$protocol: the shop runs" env SHOP_PROTOCOL=$protocol OTEL_EXPORTER_OTLP_ENDPOINT=$endpoint \
        OTEL_EXPORTER_OTLP_COMPRESSION=gzip timeout 60 node build/npm/shop/run.js
    sleep 1.5
    same "$protocol: its edges" "$shop_edges" "$(edges "$data" service)"
    check "$protocol: the service stops cleanly" stop_service
    same "$protocol: and keeps them" "$shop_edges" "$(edges "$data" service)"
done

# gRPC on the HTTP port, answered by nghttp2.
data=$work/grpc-h2
start_service "$data" 'pairing: {wait: 1s}'
check "gRPC by nghttp2: the shop runs" env SHOP_PROTOCOL=grpc OTEL_EXPORTER_OTLP_ENDPOINT=http://$http \
    timeout 60 node build/npm/shop/run.js
sleep 2.5
same "gRPC by nghttp2: its edges" "$shop_edges" "$(edges "$data" service)"
check "gRPC by nghttp2: the service stops cleanly" stop_service

# Traces that a recording knows by their ids, asked for: each edge names some of them.
data=$work/exemplars
shop_ago 60 >"$work/shop.json"
start_service "$data" 'graph: {exemplars: true}
pairing: {wait: 1s}'
while read -r line; do
    curl -s -m 10 -H 'Content-Type: application/json' -d "$line" "http://$http/v1/traces"
done <"$work/shop.json" >/dev/null
sleep 1.5
check "with exemplars: the service stops cleanly" stop_service
same "the edges are the same" "$shop_edges" "$(edges "$data" service)"
jq -r '.. | .traceId? // empty' "$work/shop.json" | sort -u >"$work/sent"
"$spangraph" call runtime_traffic --data "$data" 'service_name=*' limit=500 --json >"$work/traffic.json"
jq -r '.edges[].exemplars[].trace_id' "$work/traffic.json" | sort -u >"$work/named"
same "every edge names a trace" 0 "$(jq '[.edges[] | select((.exemplars | length) == 0)] | length' "$work/traffic.json")"
same "and none that was not sent" "" "$(comm -13 "$work/sent" "$work/named")"
same "none of which failed" 0 "$(jq '[.edges[].exemplars[] | select(.failed)] | length' "$work/traffic.json")"

done_testing
