#!/bin/bash
# Answers that are kept: the same question costs no second look, and what is
# stored, written or indexed in between is in the next answer.
. "$(dirname "$0")/lib.sh"
npm_ready
# ask TOOL ARGUMENTS: its structured content
ask() {
    curl -s -m 10 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2025-11-25' \
        -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$1"'","arguments":'"$2"'}}' \
        "http://$query/mcp" | jq -c '.result.structuredContent'
}
kept() { metric spangraph_mcp_kept_answers_total; }
edges() { ask trace_stats '{}' | jq .TotalEdges; }
# send SERVICE: a call that comes in there
send() {
    node -e '
        const id = (n) => require("crypto").randomBytes(n).toString("hex");
        const now = String(BigInt(Date.now()) * 1000000n);
        console.log(JSON.stringify({ resourceSpans: [{ resource: { attributes: [{ key: "service.name", value: { stringValue: process.argv[1] } }] },
          scopeSpans: [{ spans: [{ traceId: id(16), spanId: id(8), name: "GET /", kind: 2, startTimeUnixNano: now, endTimeUnixNano: now }] }] }] }));' "$1" >"$work/span.json"
    curl -s -m 5 -H 'Content-Type: application/json' -d @"$work/span.json" "http://$http/v1/traces" >/dev/null
}
stored() { [ "$(metric spangraph_edges)" -gt "$1" ] && [ "$(metric spangraph_flush_seconds_count)" -gt "$2" ]; }
# soon WANTED COMMAND...: what it prints within the second that another process's work may take to show
soon() {
    local wanted=$1
    shift
    for ((try = 0; try < 30; try++)); do
        [ "$("$@")" = "$wanted" ] && return 0
        sleep 0.05
    done
    return 1
}
mkdir -p "$work/src"
printf 'package main\n\nfunc First() { Second() }\nfunc Second() {}\n' >"$work/src/main.go"
printf 'module example.com/m\n' >"$work/src/go.mod"

start_service "$work/data" 'store: {flush_interval: 100ms}' 'toolsets: all'
none=$(edges)
same "nothing is stored yet" 0 "$none"
before=$(kept)
for _ in 1 2 3 4 5 6; do edges >/dev/null; done
check "the same question is answered with what is kept" test "$(kept)" -gt "$before"

for n in 1 2 3; do
    edges >/dev/null
    had=$(metric spangraph_edges)
    flushed=$(metric spangraph_flush_seconds_count)
    send "service$n"
    wait_for 5 stored "$had" "$flushed" || true
    same "$n: what was flushed is in the next answer" "$n" "$(edges)"
done

titles() { ask search '{"query":"checkout pattern"}' | jq -c '[.. | .title? // .name? // empty] | index("Retry") != null'; }
same "no pattern yet" false "$(titles)"
ask add '{"title":"Retry","content":"the checkout pattern of retries","entity_type":"pattern"}' >"$work/add.json"
has "a pattern is added" '"success":true' "$(cat "$work/add.json")"
same "what this service wrote is seen at once" true "$(titles)"

functions() { ask graph_query '{"prefix":"First"}' | jq '.total // (.nodes | length)'; }
same "no code yet" 0 "$(functions)"
check "another process indexes" "$spangraph" index --data "$work/data" "$work/src"
check "within a second it is seen" soon 1 functions
check "it stops" stop_service

start_service "$work/data" '' 'kept_answers: 0'
for _ in 1 2 3; do edges >/dev/null; done
same "nothing is kept where it is switched off" 0 "$(kept)"
same "and the answer is the same" 3 "$(edges)"
check "it stops" stop_service
done_testing
