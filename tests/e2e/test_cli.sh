#!/bin/bash
# What scripts rely on: outputs, exit codes, and that no input is a crash.
. "$(dirname "$0")/lib.sh"
trace=examples/shop/trace.jsonl
data=$work/shop
"$spangraph" ingest --data "$data" $trace >/dev/null 2>&1

# exits NAME CODE ARGUMENT...: also, the output is quick and no crash.
exits() {
    local name=$1 want=$2
    shift 2
    timeout 20 "$spangraph" "$@" >"$work/out" 2>"$work/err" </dev/null
    same "$name: exit code $want" "$want" $?
}
says() { has "$1" "$2" "$(cat "$work/out" "$work/err")"; }

# span SERVICE TRACE ID PARENT KIND START END [ATTRIBUTE VALUE]
span() {
    jq -cn --arg s "$1" --arg t "$2" --arg i "$3" --arg p "$4" --argjson k "$5" --arg b "$6" --arg e "$7" \
        --arg a "${8:-x}" --arg v "${9:-x}" '{resourceSpans: [{resource: {attributes: [{key: "service.name",
        value: {stringValue: $s}}]}, scopeSpans: [{spans: [{traceId: $t, spanId: $i, parentSpanId: $p, name: "x",
        kind: $k, startTimeUnixNano: $b, endTimeUnixNano: $e, attributes: [{key: $a, value: {stringValue: $v}}]}]}]}]}'
}

# ---- edges ----
exits "edges" 0 edges --data "$data" --json
for field in source target kind count weighted errors first_observed last_observed; do
    check "edges have $field" jq -e "(.edges | length) > 0 and all(.edges[]; has(\"$field\"))" "$work/out"
done
check "edges have a total" jq -e '.total == (.edges | length)' "$work/out"
check "times are Unix seconds" jq -e 'all(.edges[]; .first_observed > 1e9 and .last_observed < 1e10)' "$work/out"
exits "edges of a kind" 0 edges --data "$data" --kind db --json
check "are of that kind" jq -e '.total == 2 and all(.edges[]; .kind == "db")' "$work/out"
exits "edges of a service" 0 edges --data "$data" --service worker --json
check "have it at an end" jq -e '.total == 3 and all(.edges[]; .source == "worker" or .target == "worker")' "$work/out"
for level in service endpoint symbol; do
    exits "edges of level $level" 0 edges --data "$data" --level $level --json
    check "add up the same ($level)" jq -e '[.edges[].count] | add == 30' "$work/out"
done
# A message is told as taken from its topic and as come from its producer.
called() { "$spangraph" call "$1" --data "$data" "$2"=worker --json | jq -r .summary | grep -o "[0-9][0-9]* $3"; }
taken=$("$spangraph" edges --data "$data" --kind msg_sub --json | jq '[.edges[].count] | add')
same "who_calls counts a message once" "$taken calls" "$(called who_calls service calls)"
same "as runtime_traffic does" "$taken calls in" "$(called runtime_traffic service_name "calls in")"
exits "edges of no such level" 2 edges --data "$data" --level galaxy
says "the levels are named" "service, endpoint or symbol"
exits "edges of no such kind" 2 edges --data "$data" --kind phone
says "the kinds are named" "virtual_out"
exits "edges of no such service" 2 edges --data "$data" --service ordres
says "the nearest is named" "orders"

# ---- what is named wrongly, or cannot be written ----
exits "ingest of a file and of none" 4 ingest --data "$work/unmade" $trace "$work/no.jsonl"
says "which is named" "no.jsonl: No such file"
exits "ingest of a folder" 4 ingest --data "$work/unmade" "$work"
exits "index of no folder" 2 index --data "$work/unmade" "$work/no"
check "no store is made for them" test ! -e "$work/unmade"
for command in edges routes stats help man "completion bash"; do
    args=(--data "$data")
    case $command in help | man | completion*) args=() ;; esac
    # shellcheck disable=SC2086 # two words
    "$spangraph" $command "${args[@]}" >/dev/full 2>"$work/err"
    same "a full disk is no success ($command)" 4 $?
    has "and is said ($command)" "cannot print" "$(cat "$work/err")"
done

# ---- every command ----
for command in serve mcp ingest edges dead-routes stats explain call import-routes check-config version; do
    exits "$command --help" 0 $command --help
    says "tells its options ($command)" "--data DIR"
    says "and JSON ($command)" "--json"
    exits "$command of an unknown option" 2 $command --nosuch
    says "which is named ($command)" "--nosuch"
    exits "$command without the value of an option" 2 $command --data
done
exits "no such command" 2 egdes
says "the nearest is named" "edges"
exits "no command" 2
exits "version" 0 version --json
check "says which" jq -e '.name == "spangraph" and (.version | length) > 0' "$work/out"

for where in none empty; do
    [ $where = none ] || mkdir "$work/empty"
    for command in edges stats dead-routes 'explain web' 'call trace_stats' 'call service_map'; do
        # shellcheck disable=SC2086 # words of a command
        exits "$command of a store that is not there ($where)" 4 $command --data "$work/$where" --json
        says "tells how to make one" "spangraph ingest"
    done
    check "nothing was made there" test ! -e "$work/$where/spangraph.db"
done
: >"$work/nothing"
exits "a file of nothing" 0 ingest --data "$work/blank" "$work/nothing"
for command in edges stats 'call trace_stats' 'call service_map' 'call graph_query prefix=' 'call dead_routes'; do
    # shellcheck disable=SC2086 # words of a command
    exits "$command of an empty store" 0 $command --data "$work/blank" --json
    check "is JSON" jq -e . "$work/out"
done
exits "dead-routes of an empty store" 3 dead-routes --data "$work/blank" --json
check "is JSON" jq -e '.routes == []' "$work/out"

# ---- tools ----
for tool in trace_stats service_map 'graph_query prefix=' dead_routes 'runtime_traffic service_name=orders' \
    'who_calls service=orders' 'graph_node nodeId=service:orders' 'explain service=orders'; do
    # shellcheck disable=SC2086 # words of a command
    exits "call $tool" 0 call --data "$data" $tool --json
    check "is JSON" jq -e '.summary | length > 0' "$work/out"
done
while IFS='|' read -r tool part; do
    # shellcheck disable=SC2086 # words of a command
    exits "call $tool" 2 call --data "$data" $tool
    says "says why" "$part"
done <<'END'
explian|explain
runtime_traffic|service_name is required
runtime_traffic service_name=* limit=0|from 1 to 500
runtime_traffic service_name=* limit=501|from 1 to 500
runtime_traffic service_name=* limit=many|integer
runtime_traffic service_name=* lmit=5|limit
who_calls service=ordres|orders
explain service=ordres|orders
service_map level=galaxy|service, endpoint, symbol
service_map cursor=garbage|cursor
dead_routes stale_days=401|from 1 to 400
dead_routes verdict=gone|never_observed
graph_node nodeId=nobody|graph_query
trace_stats word|key=value
END
exits "the least limit" 0 call --data "$data" service_map limit=1 --json
check "is kept, and says that there is more" jq -e '.returned == 1 and .total == 7 and .truncated and (.next_cursor | length) > 0' "$work/out"
cursor=$(jq -r .next_cursor "$work/out")
exits "the next page" 0 call --data "$data" service_map limit=1 "cursor=$cursor" --json
check "is another" jq -e '.rows[0][0:2] == ["orders", "stock-db:5432"]' "$work/out"

# ---- explain ----
exits "explain" 0 explain --data "$data" gateway orders --json
check "names the edges between two" jq -e '(.edges | length) == 2 and all(.edges[]; .kind == "call")' "$work/out"
exits "explain of what does not call" 0 explain --data "$data" worker gateway --json
check "has no edge" jq -e '.edges == []' "$work/out"
exits "explain of nobody" 2 explain --data "$data" nobody
exits "explain of nothing" 2 explain --data "$data"

# ---- explain: what is not there ----
at=$(date +%s)000000000
{
    span web 0af7651916cd43dd8448eb211c803201 00000000000000c1 00000000000000ff 2 "$at" "$at"
    span web 0af7651916cd43dd8448eb211c803202 00000000000000c2 "" 3 "$at" "$at"
    span web 0af7651916cd43dd8448eb211c803203 00000000000000c3 "" 1 "$at" "$at" db.system sqlite
    span web 0af7651916cd43dd8448eb211c803204 00000000000000c4 "" 2 "$at" "$at" user_agent.synthetic.type bot
    span wrk 0af7651916cd43dd8448eb211c803205 00000000000000c5 "" 5 "$at" "$at" |
        jq -c '.resourceSpans[0].scopeSpans[0].spans[0].links = [{traceId: "0af7651916cd43dd8448eb211c8032ff", spanId: "00000000000000ee"}]'
} | jq -c '.resourceSpans[0].scopeSpans[0].scope = {name: "my.instrumentation"}' >"$work/why.jsonl"
exits "spans that draw nothing" 0 ingest --data "$work/why" "$work/why.jsonl"
same "draw nothing" "" "$(edges "$work/why" service)"
exits "explain" 0 explain --data "$work/why" web --json
for reason in orphan_ingress unresolved_egress inproc_db; do
    check "says why: $reason, by instrumentation" jq -e ".reasons | any(.reason == \"$reason\" and .count == 1 and .scope == \"my.instrumentation\")" "$work/out"
done
check "and what was no real traffic" jq -e '.services[0].synthetic == 1' "$work/out"
exits "explain of a consumer" 0 explain --data "$work/why" wrk --json
check "says why: unresolved_links" jq -e '.reasons | any(.reason == "unresolved_links" and .count == 1)' "$work/out"

# ---- explain: one name in two environments ----
for env in "" prod; do
    span ace 0af7651916cd43dd8448eb211c80320${#env} 00000000000000d1 "" 2 "$at" "$at" |
        jq -c --arg e "$env" 'if $e != "" then .resourceSpans[0].resource.attributes += [{key: "deployment.environment.name", value: {stringValue: $e}}] else . end'
done >"$work/two.jsonl"
exits "one name in two environments" 0 ingest --data "$work/two" "$work/two.jsonl"
exits "explain of it" 0 explain --data "$work/two" ace
check "tells each edge's" grep -qE '^user +ace .* prod$' "$work/out"
says "and each service's" "ace @prod  "
exits "explain where there is one" 0 explain --data "$work/why" web
check "tells none" bash -c "! grep -q -e ENV -e @ '$work/out'"

# ---- configuration ----
"$spangraph" check-config >"$work/all.yaml"
exits "the defaults" 0 check-config "$work/all.yaml"
same "are read back as they were" "$(cat "$work/all.yaml")" "$(cat "$work/out")"
printf 'pairing: {wait: 90s}\nstore: {dir: "${env:NO_SUCH_DIR:-./x}"}\nreceivers: {otlp: {auth: {tokens: [secret1]}}}\n' >"$work/some.yaml"
exits "a configuration as JSON" 0 check-config --json "$work/some.yaml"
check "has what is in force" jq -e '.["pairing.wait"] == "90s" and .["store.dir"] == "./x"' "$work/out"
check "and no secret" jq -e '.["receivers.otlp.auth.tokens"] == ["****"]' "$work/out"
printf 'store:\n  dir: "a\\nb"\n' >"$work/odd.yaml"
"$spangraph" check-config "$work/odd.yaml" >"$work/odd2.yaml"
exits "a line break in a value" 0 check-config "$work/odd2.yaml"
same "comes back as it was" "$(cat "$work/odd2.yaml")" "$(cat "$work/out")"
printf 'pairing:\n  wiat: 9s\n' >"$work/bad.yaml"
exits "an unknown key" 2 check-config "$work/bad.yaml"
says "has its line" "bad.yaml:2"
says "and the nearest key" "pairing.wait"
printf 'pairing: {wait: soon}\n' >"$work/bad.yaml"
exits "a value that is none" 2 check-config "$work/bad.yaml"
exits "a configuration that is not there" 2 check-config "$work/none.yaml"
exits "a configuration that is a folder" 2 check-config "$work"
says "it is said to be one" "$work: Is a directory"
exits "a word that edges has no use for" 2 edges extra
same "its name is said once" "spangraph edges: takes no 'extra'; see --help" "$(cat "$work/err")"

# ---- halves in two runs, and odd clocks ----
now=$(date +%s)
trace_id=0af7651916cd43dd8448eb211c80319c
span web $trace_id 00000000000000a1 "" 3 ${now}000000000 ${now}100000000 peer.service pay >"$work/client.json"
span api $trace_id 00000000000000b1 00000000000000a1 2 ${now}000000000 ${now}050000000 >"$work/server.json"
"$spangraph" ingest --data "$work/halves" "$work/client.json" >/dev/null 2>&1
same "one half alone goes to a name" "web -> pay [virtual_out] 1/0" "$(edges "$work/halves" service)"
"$spangraph" ingest --data "$work/halves" "$work/server.json" >/dev/null 2>&1
same "the other half, in another run, makes it one call" "web -> api [call] 1/0" "$(edges "$work/halves" service)"

second=000000000
id() { printf '%032x %016x' "$1" "$1"; }
# shellcheck disable=SC2046 # two words
{
    span late $(id 1) "" 2 $((now - 3 * 3600))$second $((now - 3 * 3600 + 1))$second
    span future $(id 2) "" 2 $((now + 86400))$second $((now + 86401))$second
    span unset $(id 3) "" 2 5$second 6$second
    span zero $(id 4) "" 2 0 0
    span largest $(id 5) "" 2 18446744073709551615 18446744073709551615
    span backwards $(id 6) "" 2 $now$second $((now - 5))$second
} >"$work/clocks.jsonl"
exits "odd clocks" 0 ingest --data "$work/clocks" "$work/clocks.jsonl"
seen() { "$spangraph" edges --data "$work/clocks" --json | jq -c ".edges[] | select(.target == \"$1\") | $2"; }
same "a span of three hours ago is of its hour" $((now - 3 * 3600)) "$(seen late .first_observed)"
for clock in future unset zero largest; do
    same "the clock of $clock poisons nothing" true "$(seen $clock "[.first_observed, .last_observed] | all(. >= $now - 60 and . < $now + 700)")"
done
same "an end before the start is no latency" null "$(seen backwards .p50_ms)"
check "moved times are counted" jq -e '.counters.clamped == 4' <<<"$("$spangraph" stats --data "$work/clocks" --json)"
check "and those that run backwards" jq -e '.counters.backwards == 2' <<<"$("$spangraph" stats --data "$work/clocks" --json)"

# ---- more paths than a service may have ----
# paths RUN FROM TO: one span for each, of a service that names no route
paths() {
    node -e 'const [run, from, to, at] = process.argv.slice(1).map(Number);
        const word = (n) => [...(n + 400000).toString(13)].map((c) => "ghjkmnpqrstvw"[parseInt(c, 13)]).join("");
        const spans = [];
        for (let i = from; i < to; i++)
            spans.push({traceId: (run * 1e6 + i + 1).toString(16).padStart(32, "0"),
                spanId: (i + 1).toString(16).padStart(16, "0"), kind: 2, name: "x",
                startTimeUnixNano: `${at}000000000`, endTimeUnixNano: `${at}000000000`,
                attributes: [["http.request.method", "GET"], ["url.path", "/" + word(i)]]
                    .map(([key, stringValue]) => ({key, value: {stringValue}}))});
        console.log(JSON.stringify({resourceSpans: [{resource: {attributes: [{key: "service.name",
            value: {stringValue: "flood"}}]}, scopeSpans: [{spans}]}]}));' "$1" "$2" "$3" "$now"
}
printf 'graph: {max_routes: 50}\n' >"$work/few.yaml"
# held NAME COUNT: what {other} holds is within 5 % of COUNT
held() {
    "$spangraph" stats --data "$work/flood" --json >"$work/out"
    check "$1" jq -e ".overflow | length == 1 and .[0].service == \"flood\" and .[0].name == \"{other}\"
        and (.[0].distinct_estimate - $2 | fabs) <= $2 * 0.05" "$work/out"
}
flood() { check "paths $2 to $3" "$spangraph" ingest --config "$work/few.yaml" --data "$work/flood" <(paths "$@"); }
flood 1 0 5000
check "routes are bounded" jq -e '[.edges[].target] | unique | length <= 52 and any(. == "{other}")' \
    <<<"$("$spangraph" edges --data "$work/flood" --level endpoint --json)"
held "and the rest is estimated" 4950
flood 2 0 5000
held "the same after a restart are the same" 4950
flood 3 5000 10000
held "and others are more" 9950
exits "the node of the rest" 0 call --data "$work/flood" graph_node 'nodeId=route:flood {other}' --json
check "says how many" jq -e '(.node.distinct_estimate - 9950 | fabs) <= 500' "$work/out"
exits "the totals" 0 call --data "$work/flood" trace_stats --json
check "hint at it" jq -e '.hints | any(startswith("flood {other} stands for about "))' "$work/out"

# ---- hostile names ----
names=('red'$'\033''[31m'$'\007'$'\n'$'\t' $'rtl\u202eevil' 'a"b\c' '</script>' '%s%n' '../../etc' '*' '-rf' ' ' "$(printf 'x%.0s' $(seq 10000))")
count=0
for name in "${names[@]}"; do
    count=$((count + 1))
    # shellcheck disable=SC2046 # two words
    span "$name" $(id $((1000 + count))) "" 2 $now$second $now$second http.route "/$name"
done >"$work/hostile.jsonl"
exits "hostile names" 0 ingest --data "$work/hostile" "$work/hostile.jsonl"
for command in edges 'edges --level endpoint' stats dead-routes 'call graph_query prefix=' 'call service_map'; do
    # shellcheck disable=SC2086 # words of a command
    timeout 20 "$spangraph" $command --data "$work/hostile" --json >"$work/out" 2>&1
    check "$command of hostile names is JSON" jq -e . "$work/out"
    # shellcheck disable=SC2086 # words of a command
    timeout 20 "$spangraph" $command --data "$work/hostile" >"$work/out" 2>&1
    same "$command writes no control character and no turn of direction" 0 "$(tr -d '\n\t' <"$work/out" | grep -cP '[\x00-\x1f\x7f]|\xe2\x80\xae')"
done
check "all of them are there" jq -e ".total == ${#names[@]}" <<<"$("$spangraph" edges --data "$work/hostile" --json)"
same "and the longest name has 256 bytes" 256 "$(sqlite3 "$work/hostile/spangraph.db" 'SELECT max(length(CAST(name AS BLOB))) FROM node')"
try() {
    timeout 20 "$spangraph" "$@" --data "$work/hostile" >/dev/null 2>&1
    [ $? -le 4 ] || check "$1 of a hostile name does not crash" false
}
for name in "${names[@]}" ''; do
    try explain "$name"
    try edges --service "$name"
    try call who_calls "service=$name"
    try call runtime_traffic "service_name=$name"
done
exits "a service of any name declares routes" 0 import-routes --data "$work/hostile" --service 'a"b\c' --json <(echo 'GET /x')
check "and the answer is JSON" jq -e '.service == "a\"b\\c" and .declared == 1' "$work/out"

# ---- what is there to ask with ----
same "help of a command by its name" "$("$spangraph" edges --help)" "$("$spangraph" help edges)"
"$spangraph" help nothing >/dev/null 2>&1
same "of none is usage" 2 $?
has "help of call names the tools" "who_calls            Callers of a service or route" "$("$spangraph" call --help)"
has "and of a tool its arguments" "service              string: what is called, or with *; required" "$("$spangraph" call who_calls --help)"
has "with words, bounds and defaults" "limit                integer, at most 500 (default 20)" "$("$spangraph" call who_calls --help)"

# What has a port is named, and the key that chooses another.
start_service "$work/first"
for key in receivers.otlp.protocols.grpc receivers.otlp.protocols.http query; do
    has "a port of $key in use is told" "ddress already in use; stop what listens there, or change $key.endpoint" \
        "$(timeout 20 "$spangraph" serve --data "$work/second" --config <(
            taken() { [ "$key" = "$1" ] && echo "localhost:${grpc##*:}" || echo localhost:0; }
            echo "receivers: {otlp: {protocols: {grpc: {endpoint: \"$(taken receivers.otlp.protocols.grpc)\"}, http: {endpoint: \"$(taken receivers.otlp.protocols.http)\"}}}}"
            echo "query: {endpoint: \"$(taken query)\"}"
        ) 2>&1)"
done
same "and no store is made for it" "" "$(ls -d "$work/second" 2>&1 | grep -v 'No such')"
check "the service stops" stop_service
has "top says where it looked" "Connection refused; is it running there? --server URL names another place" \
    "$("$spangraph" top --server "http://$query" --once 2>&1)"

done_testing
