#!/bin/bash
# What operators have beside the graph itself.
. "$(dirname "$0")/lib.sh"
deploy/npm.sh tests/e2e/formats formats || exit 1
formats=build/npm/formats
cp tests/e2e/formats/*.mjs $formats/
data=$work/data
"$spangraph" ingest --data "$data" examples/shop/trace.jsonl >/dev/null 2>&1
export_as() { "$spangraph" export --data "$data" --format "$@" 2>>"$work/err"; }

# ---- Grafana's node graph, Backstage's catalog ----
start_service "$work/live" 'pairing: {wait: 300ms}
store: {flush_interval: 100ms}'
while IFS= read -r line; do
    curl -fsS -m 10 -o /dev/null -H 'Content-Type: application/json' -d "$line" "http://$http/v1/traces"
done <examples/shop/trace.jsonl
graph="http://$query/api/graph"
same "the data source finds us in health" 200 "$(curl -s -o /dev/null -w '%{http_code}' "http://$query/api/health")"
curl -fsS "$graph/fields" >"$work/fields.json"
wait_for 10 bash -c "[ \"\$(curl -fsS $graph/data | jq '.edges | length')\" = 7 ]"
curl -fsS "$graph/data" >"$work/graph.json"
shop_graph='gateway
orders
shopqueue:order-placed
stock-db:5432
user
worker
7 edges'
same "the node graph has what the panel needs" "$shop_graph" "$(node $formats/check.mjs nodegraph "$work/graph.json" "$work/fields.json")"
same "of one service" '["gateway","orders","user"]' "$(curl -fsS "$graph/data?service=gateway" | jq -c '[.nodes[].title] | sort')"
same "of names in the query string" '["gateway","orders","user"]' "$(curl -fsS "$graph/data?query=x&service=g%61te%2A&from=0" | jq -c '[.nodes[].title] | sort')"
same "of nobody" '{"nodes":[],"edges":[]}' "$(curl -fsS "$graph/data?service=nobody")"
same "of endpoints" 1 "$(curl -fsS "$graph/data?level=endpoint" | jq '[.nodes[] | select(.subTitle == "route" and .detail__service == "orders")] | length > 0 | if . then 1 else 0 end')"
same "since the future" 0 "$(curl -fsS "$graph/data?from=$(($(date +%s) + 864000))000" | jq '.edges | length')"
for bad in 'level=symbol' 'from=soon' 'service=%zz' 'from=99999999999999999999'; do
    same "$bad is refused" 400 "$(curl -s -o /dev/null -w '%{http_code}' "$graph/data?$bad")"
done
check "the service stops" stop_service
start_service "$work/live" 'query: {auth: {tokens: [secret]}}'
same "with tokens, names are for who has one" '401 200 200' \
    "$(for path in graph/data graph/fields health; do curl -s -o /dev/null -w '%{http_code} ' "http://$query/api/$path"; done | sed 's/ $//')"
same "who has one gets them" 200 "$(curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer secret' "http://$query/api/graph/data")"
check "the service stops" stop_service

export_as nodegraph >"$work/graph.json"
same "export writes the same" "$shop_graph" "$(node $formats/check.mjs nodegraph "$work/graph.json" "$work/fields.json")"
export_as backstage --owner group:shop >"$work/catalog.yaml"
same "Backstage's own model takes the catalog" 'api:default/gateway (gateway) ->
api:default/orders (orders) ->
component:default/gateway (gateway) -> component:orders
component:default/orders (orders) -> component:worker resource:shopqueue-order-placed-11d7ad resource:stock-db-5432-5c99d9
component:default/worker (worker) -> resource:stock-db-5432-5c99d9
resource:default/shopqueue-order-placed-11d7ad (shopqueue:order-placed) -> component:worker
resource:default/stock-db-5432-5c99d9 (stock-db:5432) ->' "$(node $formats/check.mjs backstage "$work/catalog.yaml" 2>&1)"
has "with the owner it was given" 'owner: "group:shop"' "$(cat "$work/catalog.yaml")"
export_as backstage --level endpoint >/dev/null
same "a catalog is of services" 2 $?

# ---- a document against what is served ----
"$spangraph" index --data "$data" examples/shop >/dev/null 2>&1
# compare NAME CODE FILE [option...]: states are in $out
compare() {
    local name=$1 code=$2
    shift 2
    out=$("$spangraph" openapi-diff --data "$data" --service gateway --json "$@" 2>"$work/err")
    same "$name: exit code" "$code" $?
    out=$(jq -r '.routes[] | "\(.method) \(.route) \(.state)"' <<<"$out")
}
compare "the shop's list is right, but observed too short" 3 examples/shop/routes.txt
same "with what was not seen" 'POST /api/orders ok
GET /api/orders/{} ok
GET /legacy/cart never_observed' "$out"
compare "observed long enough" 1 --since 1d examples/shop/routes.txt
compare "what was never seen may be let pass" 0 --since 1d --fail-on undocumented examples/shop/routes.txt
cat >"$work/openapi.yaml" <<'YAML'
openapi: 3.0.3
info: {title: shop, version: "1"}
paths:
  /api/orders: {put: {responses: {default: {description: x}}}}
  /legacy/cart: {get: {responses: {default: {description: x}}}}
  /gone: {get: {responses: {default: {description: x}}}}
YAML
compare "a wrong document fails" 1 --fail-on undocumented "$work/openapi.yaml"
same "by route" 'POST /api/orders method_mismatch
PUT /api/orders never_observed
GET /api/orders/{} undocumented
GET /gone never_observed
GET /legacy/cart never_observed' "$out"
compare "nothing fails with none" 0 --fail-on none "$work/openapi.yaml"
has "a summary is said" "1 undocumented, 1 under another method, 3 never observed" "$(cat "$work/err")"
echo 'no: document' >"$work/none.yaml"
compare "no document is usage" 2 "$work/none.yaml"
compare "no file cannot run" 4 "$work/nothing.yaml"
compare "half a day is usage" 2 --since 12h "$work/openapi.yaml"
compare "a class that is none is usage" 2 --fail-on all "$work/openapi.yaml"
"$spangraph" openapi-diff --data "$data" --service nobody examples/shop/routes.txt >/dev/null 2>&1
same "of a service that sent nothing nothing can be said" 3 $?

# ---- one table of commands: completion and the manual ----
commands=$("$spangraph" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
for shell in bash zsh fish; do
    "$spangraph" completion $shell >"$work/completion.$shell"
    same "completion of $shell is printed" 0 $?
    for command in $commands; do
        grep -q -- "$command" "$work/completion.$shell" || same "$shell knows $command" yes no
    done
    if command -v $shell >/dev/null; then check "$shell reads it" $shell -n "$work/completion.$shell"; fi
done
# complete WORD...: what bash offers for the last
complete_words() {
    bash -c '. "$1"; shift; COMP_WORDS=(spangraph "$@"); COMP_CWORD=$#; _spangraph; echo "${COMPREPLY[@]}"' _ "$work/completion.bash" "$@"
}
same "bash completes a command" "dead-routes" "$(complete_words dead)"
same "and its options" "--service --since" "$(complete_words edges --s | tr ' ' '\n' | LC_ALL=C sort | xargs)"
same "and no option where a value is due" "" "$(complete_words edges --level --s)"
same "and files where one is" "Makefile" "$(complete_words serve --config Makef)"
same "and shells" "bash" "$(complete_words completion b)"
"$spangraph" completion tcsh >/dev/null 2>&1
same "a shell that is none is usage" 2 $?
"$spangraph" man >"$work/spangraph.1"
same "the manual is printed" 0 $?
if command -v groff >/dev/null; then
    same "groff has nothing to say of it" "" "$(groff -man -Tutf8 -ww -z "$work/spangraph.1" 2>&1)"
    manual=$(groff -man -Tascii "$work/spangraph.1" | col -b)
    for command in $commands; do
        [[ $manual == *"spangraph $command"* ]] || same "the manual has $command" yes no
    done
    has "and the options" "--fail-on CLASS" "$manual"
fi

# ---- backup and restore ----
start_service "$work/live" 'pairing: {wait: 300ms}
store: {flush_interval: 100ms}'
( for _ in 1 2 3 4 5 6 7 8; do
    while IFS= read -r line; do
        curl -fsS -m 10 -o /dev/null -H 'Content-Type: application/json' -d "$line" "http://$http/v1/traces"
    done <examples/shop/trace.jsonl
done ) &
writer=$!
check "a backup is written while the service writes" "$spangraph" backup --data "$work/live" "$work/backup.tar"
wait $writer
same "tar knows it" spangraph.db "$(tar -tf "$work/backup.tar" | head -1)"
same "nothing else is left" "backup.tar" "$(cd "$work" && ls -d backup.tar*)"
"$spangraph" restore --force --data "$work/live" "$work/backup.tar" >/dev/null 2>"$work/err"
same "what is being written is not restored" 4 $?
check "the service stops" stop_service
check "it is restored elsewhere" "$spangraph" restore --data "$work/restored" "$work/backup.tar"
same "and says the same" "$shop_edges" "$(edges "$work/restored" service)"
"$spangraph" restore --data "$work/restored" "$work/backup.tar" >/dev/null 2>&1
same "a store is not overwritten" 2 $?
"$spangraph" backup --data "$data" "$work/other.tar" >/dev/null
same "the code is in it" "spangraph.db code.db" "$(tar -tf "$work/other.tar" | xargs)"
check "unless it is forced" "$spangraph" restore --force --data "$work/restored" "$work/other.tar"
same "the code's routes are there" "$("$spangraph" routes --json --data "$data")" "$("$spangraph" routes --json --data "$work/restored")"
same "the old one is aside" 1 "$(find "$work/restored" -name 'spangraph.db.before-*[0-9]' | wc -l)"
check "the service takes it" bash -c "timeout 2 '$spangraph' serve --config '$work/config.yaml' --data '$work/restored' 2>&1 | grep -q ready"
head -c 3000 "$work/other.tar" >"$work/cut.tar"
tar -C "$work" -cf "$work/strange.tar" other.tar
dd if=/dev/urandom of="$work/noise.tar" bs=1k count=8 2>/dev/null
for bad in cut strange noise; do
    "$spangraph" restore --force --data "$work/restored" "$work/$bad.tar" >/dev/null 2>&1
    same "a $bad backup is refused" 2 $?
done
cp "$work/other.tar" "$work/bad.tar"
dd if=/dev/zero of="$work/bad.tar" bs=1 seek=8704 count=20000 conv=notrunc 2>/dev/null
"$spangraph" restore --force --data "$work/restored" "$work/bad.tar" >/dev/null 2>&1
same "a damaged database is refused" 4 $?
same "and what was there is still there" "$("$spangraph" routes --json --data "$data")" "$("$spangraph" routes --json --data "$work/restored")"
same "with nothing beside it" 0 "$(find "$work/restored" -name '*.incoming' | wc -l)"
"$spangraph" backup --data "$work/nowhere" "$work/none.tar" >/dev/null 2>&1
same "no store is nothing to back up" 4 $?
"$spangraph" backup --data "$data" "$work/nowhere/none.tar" >/dev/null 2>&1
same "nowhere to write cannot run" 4 $?

done_testing
