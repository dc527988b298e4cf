#!/bin/bash
# The graph in the formats of others, read back by their own parsers.
. "$(dirname "$0")/lib.sh"
deploy/npm.sh tests/e2e/formats formats || exit 1
formats=build/npm/formats
cp tests/e2e/formats/*.mjs $formats/
data=$work/data

export_as() { "$spangraph" export --data "$data" --format "$@" 2>>"$work/err"; }
read_back() { export_as "$@" >"$work/out" && node $formats/check.mjs "$1" "$work/out" 2>&1; }

"$spangraph" ingest --data "$data" examples/shop/trace.jsonl >/dev/null 2>&1
shop_nodes='gateway
orders
shopqueue:order-placed
stock-db:5432
user
worker
7 edges'
same "DOT is what Graphviz draws" "$shop_nodes" "$(read_back dot)"
same "Mermaid is a flowchart" "flowchart-v2
$shop_nodes" "$(read_back mermaid)"
same "GraphML is XML, and whole" "$shop_nodes
0 dangling" "$(read_back graphml)"
same "GEXF is what graphology reads" "$shop_nodes
30 weight" "$(read_back gexf)"
has "endpoints are in it" "gateway GET /api/orders/{}" "$(read_back gexf --level endpoint)"
same "CycloneDX is valid, and who needs whom" 'gateway -> service:orders
orders -> database:stock-db:5432 topic:shopqueue:order-placed
shopqueue:order-placed ->
stock-db:5432 ->
worker -> database:stock-db:5432 topic:shopqueue:order-placed' "$(read_back cyclonedx)"
export_as cyclonedx --level endpoint
same "it knows no endpoints" 2 $?
export_as gexf --level symbol
same "nor does GEXF know functions" 2 $?
same "CSV is the edges" "$shop_edges" "$(read_back csv |
    jq -r '"\(.source) -> \(.target) [\(.kind)] \(.count)/\(.errors)"' | LC_ALL=C sort)"
same "JSON is the edges" "$shop_edges" "$(export_as json |
    jq -r '.nodes as $n | .edges[] | "\($n[.source].name) -> \($n[.target].name) [\(.kind)] \(.count)/\(.errors)"' | LC_ALL=C sort)"
has "endpoints have their service before them" "gateway GET /api/orders/{}" "$(read_back mermaid --level endpoint)"
has "and in DOT" "gateway GET /api/orders/{}" "$(read_back dot --level endpoint)"
same "one service has its neighbours" 'gateway
orders
user
2 edges' "$(read_back dot --service gateway)"
same "nothing since the future is an empty graph" '0 edges' "$(read_back dot --since 1s --now $(($(date +%s) + 400 * 86400)))"

export_as dot --service nobody >/dev/null
same "no such service is exit code 2" 2 $?
export_as xml >/dev/null
same "no such format is exit code 2" 2 $?
export_as dot --level galaxy >/dev/null
same "no such level is exit code 2" 2 $?
export_as nodegraph --level symbol
same "a format that knows no functions is, too" 2 $?
"$spangraph" export --data "$work/nothing" >/dev/null 2>&1
same "no store is exit code 4" 4 $?
"$spangraph" export --data "$data" >/dev/full 2>&1
same "nowhere to print is exit code 4" 4 $?

# Names that would be syntax.
names=$(cat <<'NAMES'
"]; evil [label="x
a"] --> b["click
end
#quot;#35;&amp;&lt;
<script>alert(1)</script>
]]><!-- </data>
\N\G\l\"
`**bold**`|x|%%{init: 1}%%;
style a:#f9f;
=HYPERLINK("x")
NAMES
)
data=$work/hostile
node -e '
    const names = require("fs").readFileSync(0, "utf8").trim().split("\n");
    const hex = (n, d) => n.toString(16).padStart(d, "0");
    const at = `${Math.floor(Date.now() / 1000)}000000000`;
    names.forEach((name, i) => console.log(JSON.stringify({resourceSpans: [{
        resource: {attributes: [{key: "service.name", value: {stringValue: name}}]},
        scopeSpans: [{spans: [{traceId: hex(7, 32), spanId: hex(i + 1, 16), kind: 2, name: "s",
            startTimeUnixNano: at, endTimeUnixNano: at}]}]}]})));' <<<"$names" >"$work/hostile.jsonl"
"$spangraph" ingest --data "$data" "$work/hostile.jsonl" >/dev/null 2>&1
expected=$(printf '%s\nuser\n' "$names" | LC_ALL=C sort)
for format in dot mermaid graphml gexf; do
    same "hostile names are text in $format" "$expected" \
        "$(read_back $format | grep -v -E '^([0-9]+ (edges|dangling|weight)|flowchart-v2)$' | LC_ALL=C sort)"
    has "and nothing else in $format" "10 edges" "$(read_back $format)"
done
same "and names of services in CycloneDX" "$(sed 's/$/ ->/' <<<"$names" | LC_ALL=C sort)" "$(read_back cyclonedx | LC_ALL=C sort)"

# The cart of prod, and a service that is called like it.
node -e '
    const at = `${Math.floor(Date.now() / 1000)}000000000`;
    const value = (key, text) => ({key, value: {stringValue: text}});
    [["cart@prod"], ["cart", "prod"], ["50%"]].forEach(([name, env], i) => console.log(JSON.stringify({
        resourceSpans: [{
            resource: {attributes: [value("service.name", name)].concat(
                env ? [value("deployment.environment.name", env)] : [])},
            scopeSpans: [{spans: [{traceId: `${i + 1}`.padStart(32, "0"), spanId: `${i + 1}`.padStart(16, "0"),
                kind: 2, name: "s", startTimeUnixNano: at, endTimeUnixNano: at}]}]}]})));' >"$work/refs.jsonl"
"$spangraph" ingest --data "$work/refs" "$work/refs.jsonl" >/dev/null 2>&1
same "each service has a reference of its own in CycloneDX" 'service:50%25
service:cart%40prod
service:cart@prod' "$("$spangraph" export --data "$work/refs" --format cyclonedx | jq -r '.services[]."bom-ref"' | LC_ALL=C sort)"
same "a formula is text in CSV" "'=HYPERLINK(\"x\")" "$(read_back csv | jq -r .target | grep HYPER)"

# Jaeger's dependencies, and the service graph of Grafana.
shop_ago 60 >"$work/now.jsonl"
data=$work/live
start_service "$data" 'pairing: {wait: 500ms}
store: {flush_interval: 100ms}'
check "spans are taken" bash -c "while IFS= read -r line; do curl -fsS -m 10 -H 'Content-Type: application/json' -d \"\$line\" http://$http/v1/traces || exit 1; done <$work/now.jsonl"
edge='traces_service_graph_request_total{client="gateway",server="orders",connection_type=""}'
check "the service graph is among the metrics" wait_for 10 bash -c "curl -fsS http://$query/metrics | grep -qF '$edge 6'"
wait_for 10 bash -c "curl -fsS http://$query/metrics | grep ^traces_service_graph_request_total.*worker.*stock | grep -q ' 3$'"
curl -fsS "http://$query/metrics" >"$work/metrics"
same "with its family" 'traces_service_graph_request_total{client="gateway",server="orders",connection_type=""} 6
traces_service_graph_request_total{client="orders",server="stock-db:5432",connection_type="database"} 6
traces_service_graph_request_total{client="orders",server="worker",connection_type="messaging_system"} 3
traces_service_graph_request_total{client="user",server="gateway",connection_type="virtual_node",virtual_node="client"} 6
traces_service_graph_request_total{client="worker",server="stock-db:5432",connection_type="database"} 3' \
    "$(grep ^traces_service_graph_request_total "$work/metrics" | LC_ALL=C sort)"
has "and failures" 'traces_service_graph_request_failed_total{client="gateway",server="orders",connection_type=""} 0' "$(cat "$work/metrics")"
# What Grafana asks of them (its Tempo data source's serviceMapMetrics).
for labels in 'client="gateway",server="orders",connection_type=""' 'client="worker",server="stock-db:5432",connection_type="database"'; do
    for name in server_seconds_sum server_seconds_count server_seconds_bucket client_seconds_bucket; do
        check "Grafana finds $name of $labels" grep -q "^traces_service_graph_request_$name{$labels[,}]" "$work/metrics"
    done
done
has "and of who came from outside, as the server says" 'traces_service_graph_request_server_seconds_count{client="user",server="gateway",connection_type="virtual_node",virtual_node="client"} 6' "$(cat "$work/metrics")"
same "which is no client's time" 0 "$(grep -c '^traces_service_graph_request_client_seconds_count{client="user"' "$work/metrics")"
same "a histogram counts each call" 6 \
    "$(sed -n 's/^traces_service_graph_request_client_seconds_count{client="gateway",server="orders",connection_type=""} //p' "$work/metrics")"
check "a strict reader takes them" node tests/e2e/openmetrics.js <"$work/metrics"
same "and the end at the end" "# EOF" "$(tail -1 "$work/metrics")"

dependencies="http://$query/api/dependencies"
same "Jaeger's dependencies" \
    '{"data":[{"parent":"gateway","child":"orders","callCount":6},{"parent":"orders","child":"worker","callCount":3}],"total":0,"limit":0,"offset":0,"errors":null}' \
    "$(curl -fsS "$dependencies?endTs=$(date +%s)000&lookback=86400000")"
same "are there without parameters" 2 "$(curl -fsS "$dependencies" | jq '.data | length')"
same "and not before there were any" '[]' "$(curl -fsS "$dependencies?endTs=1600000000000&lookback=3600000" | jq -c .data)"
same "a time that is none is refused" '400 {"data":null,"total":0,"limit":0,"offset":0,"errors":[{"code":400,"msg":"unable to parse param '"'endTs'"'"}]}' \
    "$(curl -sS -w '%{stderr}%{http_code} ' "$dependencies?endTs=soon" 2>&1 | sed -E 's/^(\{.*)([0-9]{3}) $/\2 \1/')"
check "the service stops cleanly" stop_service

echo secret >"$work/tokens"
start_service "$data" "query: {auth: {tokens_file: \"$work/tokens\"}}"
same "with tokens, names are for who has one" 401 "$(curl -s -o /dev/null -w '%{http_code}' "http://$query/api/dependencies")"
same "who has one gets them" 200 "$(curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer secret' "http://$query/api/dependencies")"
same "metrics without one have no names" 0 "$(curl -fsS "http://$query/metrics" | grep -c traces_service_graph)"
has "with one they do" "$edge 6" "$(curl -fsS -H 'Authorization: Bearer secret' "http://$query/metrics")"
check "the service stops cleanly" stop_service
start_service "$data" "query: {service_graph_metrics: false}"
same "they can be switched off" 0 "$(curl -fsS "http://$query/metrics" | grep -c traces_service_graph)"
check "the service stops cleanly" stop_service

done_testing
