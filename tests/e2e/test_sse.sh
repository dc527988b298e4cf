#!/bin/bash
# HTTP with SSE, the transport of MCP 2024-11-05, on the wire: with curl, and
# with clients that do not read, say nothing, go, or come too many.
. "$(dirname "$0")/lib.sh"
data=$work/shop

# open FILE [curl options]: a session whose stream goes to FILE; $stream is its
# process, $endpoint where to post
open() {
    local file=$1
    shift
    : >"$file"
    curl -s -N -H 'Accept: text/event-stream' "$@" "http://$query/sse" >"$file" &
    stream=$!
    wait_for 5 grep -q '^data: /sse?sessionId=' "$file" || return 1
    endpoint=$(sed -n 's/^data: \(\/sse?sessionId=[0-9a-f]\{32\}\)$/\1/p' "$file" | head -1)
}

# post BODY [curl options]: its status
post() {
    local body=$1
    shift
    curl -s -m 5 -o "$work/posted" -w '%{http_code}' -H 'Content-Type: application/json' -d "$body" "$@" "http://$query$endpoint"
}

# get [curl options]: the status of a stream that is refused
get() { curl -s -m 5 -o /dev/null -w '%{http_code}' -H 'Accept: text/event-stream' "$@" "http://$query/sse"; }

ended() { [ "$(metric "spangraph_mcp_sse_ended_total{reason=\"$1\"}")" -ge "$2" ]; }
sessions() { [ "$(metric spangraph_mcp_sse_sessions)" -eq "$1" ]; }
ping='{"jsonrpc":"2.0","id":7,"method":"ping"}'

check "the trace is taken in" "$spangraph" ingest --data "$data" examples/shop/trace.jsonl
start_service "$data" "" "auth: {tokens: [open-sesame]}"
same "a stream without a token" 401 "$(get)"
check "a stream with one" open "$work/stream" -H 'Authorization: Bearer open-sesame'
same "a message without a token" 401 "$(post "$ping")"
same "a message with one" 202 "$(post "$ping" -H 'Authorization: Bearer open-sesame')"
check "is answered on the stream" wait_for 5 grep -q '"id":7,"result":{}' "$work/stream"
check "the guarded service stops" stop_service
wait $stream
same "and ends the stream as one that is whole" 0 $?

start_service "$data" "" "toolsets: all"
same "a stream to another Host" 403 "$(get -H 'Host: evil.example.com')"
same "a stream to another Origin" 403 "$(get -H 'Origin: http://evil.example.com')"
check "a session" open "$work/stream"
check "is counted" sessions 1
same "what is said of it" 'event: endpoint' "$(head -1 "$work/stream")"
same "a message to another Origin" 403 "$(post "$ping" -H 'Origin: http://evil.example.com')"
same "a call" 202 "$(post '{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"trace_stats"}}')"
same "whose answer is not the POST's" '' "$(cat "$work/posted")"
check "is answered on the stream" wait_for 5 grep -q '^data: {"jsonrpc":"2.0","id":"c","result"' "$work/stream"
head -c 100000 /dev/zero | tr '\0' x >"$work/long"
printf '{"jsonrpc":"2.0","id":"l","method":"tools/call","params":{"name":"who_calls","arguments":{"service":"%s"}}}' "$(cat "$work/long")" >"$work/long.json"
same "a long message" 202 "$(post "@$work/long.json")"
check "is answered, too" wait_for 5 grep -q '"id":"l"' "$work/stream"
same "what is no message" 400 "$(post '{')"
has "is refused where it was posted" '"code":-32700' "$(cat "$work/posted")"
kill $stream
wait $stream 2>/dev/null
check "a client that goes is noticed" wait_for 5 ended client 1
check "and its session is gone" sessions 0
same "so that nobody can ask in it" 404 "$(post "$ping")"

out=$(timeout 60 node tests/e2e/sse.js "$query")
same "a client that does not read loses its session" 0 $?
echo "# $out"
check "which is counted" wait_for 5 ended slow 1

streams=()
for i in $(seq 64); do
    open "$work/stream$i" || echo "not ok session $i"
    streams+=("$stream")
done
check "64 sessions" sessions 64
same "and no more" 503 "$(get)"
check "which is counted" test "$(metric spangraph_mcp_sse_refused_total)" -eq 1
same "but the newer transport has room" 200 "$(curl -s -m 5 -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -d "$ping" "http://$query/mcp")"
check "the service stops with all of them open" stop_service
failed=0
for stream in "${streams[@]}"; do
    wait "$stream" || failed=$((failed + 1))
done
same "streams that did not end as whole ones" 0 $failed

start_service "$data" "" "sse_idle_timeout: 1s"
check "a session that says nothing" open "$work/stream"
wait $stream
same "is ended after a second" 0 $?
check "which is counted" ended idle 1
check "the service stops" stop_service

start_service "$data" "" "sse_idle_timeout: 0s"
same "sse_idle_timeout: 0s turns it off" 404 "$(get)"
check "the service stops, too" stop_service

start_service "$data" "" "sse_idle_timeout: 500us"
same "less than a millisecond does not" 200 "$(get)"
check "the service stops then, too" stop_service
done_testing
