#!/bin/bash
# What operators have beside the graph itself.
. "$(dirname "$0")/lib.sh"
deploy/npm.sh tests/e2e/formats formats || exit 1
formats=build/npm/formats
cp tests/e2e/formats/*.mjs $formats/
data=$work/data
"$spangraph" ingest --data "$data" examples/shop/trace.jsonl >/dev/null 2>&1
export_as() { "$spangraph" export --data "$data" --format "$@" 2>>"$work/err"; }

# ---- memory at rest ----
start_service "$work/rest"
sleep 1
rest_kib=$(awk '/^VmRSS/ { print $2 }' "/proc/$service_pid/status")
check "at rest it takes $rest_kib of 20480 KiB" test "$rest_kib" -le 20480
same "and no library of those who read repositories and sites" 0 "$(grep -c 'libgit2\|libcurl' "/proc/$service_pid/maps")"
check "it stops" stop_service

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

# Code says gateway where its spans say shop/gateway.
now=$(date +%s)
cat >"$work/spaced.json" <<JSON
{"resourceSpans":[{"resource":{"attributes":[
  {"key":"service.name","value":{"stringValue":"gateway"}},
  {"key":"service.namespace","value":{"stringValue":"shop"}}]},
 "scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708",
  "name":"GET /legacy/cart","kind":2,"startTimeUnixNano":"${now}000000000","endTimeUnixNano":"${now}001000000",
  "attributes":[{"key":"http.request.method","value":{"stringValue":"GET"}},
   {"key":"http.route","value":{"stringValue":"/legacy/cart"}}]}]}]}]}
JSON
"$spangraph" ingest --data "$work/spaced" "$work/spaced.json" >/dev/null 2>&1
"$spangraph" index --data "$work/spaced" examples/shop >/dev/null 2>&1
for name in gateway shop/gateway; do
    same "$name is called and in the code" '1 gateway.js' "$("$spangraph" openapi-diff --data "$work/spaced" \
        --service "$name" --json --fail-on none examples/shop/routes.txt 2>/dev/null |
        jq -r '.routes[] | select(.route == "/legacy/cart") | "\(.count) \(.file // "" | split("/") | last)"')"
done

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
# More comes in after it.
sed 's/"traceId":"../"traceId":"fe/g' examples/shop/trace.jsonl | while IFS= read -r line; do
    curl -fsS -m 10 -o /dev/null -H 'Content-Type: application/json' -d "$line" "http://$http/v1/traces"
done
check "more than was backed up is stored" wait_for 10 bash -c "'$spangraph' edges --data '$work/live' --json | jq -e '[.edges[].count] | max == 12'"
rests() { # nothing was stored for longer than halves wait
    before=$(edges "$work/live" service)
    sleep 1
    [ "$before" = "$(edges "$work/live" service)" ]
}
check "and all of it" wait_for 10 rests
"$spangraph" restore --data "$work/live" "$work/backup.tar" >/dev/null 2>&1
same "a store that is written is not overwritten" 2 $?
has "unless forced: it waits for the service" "takes this when it is started again" "$("$spangraph" restore --force --data "$work/live" "$work/backup.tar")"
same "which goes on meanwhile" "$before" "$(edges "$work/live" service)"
"$spangraph" restore --force --data "$work/live" "$work/none.tar" >/dev/null 2>&1
check "the service stops" stop_service
echo noise >"$work/noise.tar"
mkdir "$work/bare"
for to in bare fresh deep/x/y; do
    "$spangraph" restore --data "$work/$to" "$work/noise.tar" >/dev/null 2>&1
    same "no backup is refused ($to)" 2 $?
done
same "and leaves nothing" "$work/bare" "$(find "$work/bare" "$work/fresh" "$work/deep" 2>/dev/null)"
check "it is restored elsewhere" "$spangraph" restore --data "$work/restored" "$work/backup.tar"
same "for its owner alone" 600 "$(stat -c %a "$work/restored/spangraph.db")"
backed_up=$(edges "$work/restored" service)
check "the two differ" test "$before" != "$backed_up"
cp -r "$work/live" "$work/cut_off"
start_service "$work/live"
has "the service takes it when it starts" 'msg="restored what was waiting"' "$(cat "$work/service.log")"
same "and says what was backed up" "$backed_up" "$(edges "$work/live" service)"
same "nothing waits any more" "" "$(cd "$work/live" && ls -d restore *.incoming 2>/dev/null)"
same "the old one is kept" 1 "$(find "$work/live" -name 'spangraph.db.before-*[0-9]' ! -name '*-seg*' | wc -l)"
check "with its journal" ls "$work/live"/spangraph.db.before-*-seg1
check "it stops" stop_service
start_service "$work/live"
same "and takes it once" 0 "$(grep -c 'restored what was waiting' "$work/service.log")"
check "the service stops" stop_service
# Cut off after the first rename of each kind.
(cd "$work/cut_off" && at=$(head -1 restore) && mv spangraph.db "spangraph.db.before-$at" && mv spangraph.db.incoming spangraph.db)
start_service "$work/cut_off"
same "what was cut off is gone on with" "$backed_up" "$(edges "$work/cut_off" service)"
check "it stops" stop_service
echo noise >"$work/live/restore"
has "a note of somebody else is not followed" "not written by restore" "$(timeout 5 "$spangraph" serve --config "$work/config.yaml" --data "$work/live" 2>&1)"
rm "$work/live/restore"
same "and says the same" "$shop_edges" "$(edges "$work/restored" service)"
"$spangraph" restore --data "$work/restored" "$work/backup.tar" >/dev/null 2>&1
same "a store is not overwritten" 2 $?
same "nothing else is left of it" "" "$(ls "$work/restored" "$work/live" | grep incoming)"
# A newer program may keep things where this one would not look.
cp -r "$work/restored" "$work/newer"
sqlite3 "$work/newer/spangraph.db" 'PRAGMA journal_mode=DELETE; PRAGMA user_version=9999' >/dev/null
out=$("$spangraph" backup --data "$work/newer" "$work/newer.tar" 2>&1)
same "what is newer is not backed up" 4 $?
has "and it is said why" "spangraph.db was written by a newer version of this program (tables 9999" "$out"
same "no half of it is left" "" "$(cd "$work" && ls -d newer.tar* 2>/dev/null)"
tar -cf "$work/newer.tar" -C "$work/newer" spangraph.db
out=$("$spangraph" restore --force --data "$work/restored" "$work/newer.tar" 2>&1)
same "nor restored" 4 $?
has "for the same reason" "written by a newer version" "$out"
same "what is there stays" "$shop_edges" "$(edges "$work/restored" service)"
same "and alone" "" "$(ls "$work/restored" | grep incoming)"
# A backup that could not be restored is none, and takes the place of none.
mkdir "$work/hurt"
cp "$work/restored/spangraph.db" "$work/hurt"
cp "$work/backup.tar" "$work/hurt.tar"
page=$(sqlite3 "$work/hurt/spangraph.db" "SELECT rootpage FROM sqlite_schema WHERE name = 'edge'")
dd if=/dev/zero of="$work/hurt/spangraph.db" bs=4096 seek=$((page - 1)) count=1 conv=notrunc 2>/dev/null
out=$("$spangraph" backup --data "$work/hurt" "$work/hurt.tar" 2>&1)
same "what is damaged is not backed up" 4 $?
has "and it is said" "$work/hurt/spangraph.db is damaged, and a copy of it could not be restored" "$out"
check "the backup that was there stays" cmp "$work/backup.tar" "$work/hurt.tar"
: >"$work/hurt/spangraph.db"
out=$("$spangraph" backup --data "$work/hurt" "$work/hurt.tar" 2>&1)
has "nor is what holds nothing" "4 spangraph backup: $work/hurt/spangraph.db is damaged" "$? $out"
# What cannot be had is told apart from what is not there.
has "no store is said to be none" "there is no store in $work/none; name another with --data DIR" "$("$spangraph" backup --data "$work/none" "$work/none.tar" 2>&1)"
if [ "$(id -u)" -eq 0 ]; then
    chmod 755 "$work"
    cp -r "$work/restored" "$work/closed" && chmod 000 "$work/closed"
    has "a closed one to be closed" "access permission denied" \
        "$(cd / && setpriv --reuid 65534 --regid 65534 --clear-groups "$spangraph" backup --data "$work/closed" - 2>&1 | cat)"
    cp -r "$work/restored" "$work/readable" && chmod -R a+rX,a-w "$work/readable"
    has "one that can only be read is said to be the place of the copies" "$work/readable: Permission denied; the copies are made there" \
        "$(cd / && setpriv --reuid 65534 --regid 65534 --clear-groups "$spangraph" backup --data "$work/readable" - 2>&1 | cat)"
fi
"$spangraph" backup --data "$data" "$work/other.tar" >/dev/null
same "the code is in it" "spangraph.db code.db" "$(tar -tf "$work/other.tar" | xargs)"
same "it is for nobody else, as the store" 600 "$(stat -c %a "$work/other.tar")"
mkfifo "$work/pipe"
ln -s other.tar "$work/link"
for to in pipe link; do
    has "what is no file is not replaced by one: $to" "not a regular file" "$("$spangraph" backup --data "$data" "$work/$to" 2>&1)"
done
check "and is there still" test -p "$work/pipe" -a -L "$work/link"
check "to standard output, too" bash -c "'$spangraph' backup --data '$data' - 2>'$work/said' | cat >'$work/piped.tar'"
same "what is said is beside it" "-: 2 databases of $data" "$(cat "$work/said")"
check "it is restored from standard input" bash -c "cat '$work/piped.tar' | '$spangraph' restore --data '$work/piped' -"
same "whole" "$("$spangraph" routes --json --data "$data")" "$("$spangraph" routes --json --data "$work/piped")"
has "a terminal is spared it" "standard output is a terminal" "$(script -qec "'$spangraph' backup --data '$data' -" /dev/null </dev/null)"
# Cut off: nobody reads, so it stays in the middle of the first database.
mkfifo "$work/stuck_pipe"
exec 9<>"$work/stuck_pipe"
"$spangraph" backup --data "$data" - >&9 2>/dev/null &
cut_off=$!
half_made() { find "$data" "$work" -maxdepth 1 -name '*.part-*'; }
is_half_made() { [ -n "$(half_made)" ]; }
check "a backup that nobody reads waits, with a copy of the database" wait_for 10 is_half_made
kill -TERM $cut_off
wait $cut_off
same "a signal ends it" 143 $?
same "and nothing half made is left" "" "$(half_made)"
exec 9>&-
check "unless it is forced" "$spangraph" restore --force --data "$work/restored" "$work/other.tar"
same "the code's routes are there" "$("$spangraph" routes --json --data "$data")" "$("$spangraph" routes --json --data "$work/restored")"
same "the old one is aside" 1 "$(find "$work/restored" -name 'spangraph.db.before-*[0-9]' ! -name '*-seg*' | wc -l)"
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
# A name that an old one would get aside is taken: all get their names back.
"$spangraph" backup --data "$work/restored" "$work/whole.tar" >/dev/null
mkdir "$work/stuck"
cp "$work/restored/spangraph.db" "$work/restored/code.db" "$work/stuck"
seq "$(date +%s)" $(($(date +%s) + 120)) | sed "s|.*|$work/stuck/code.db.before-&/x|" | xargs mkdir -p
"$spangraph" restore --force --data "$work/stuck" "$work/whole.tar" >/dev/null 2>"$work/err"
same "what cannot be put aside cannot be restored" 4 $?
has "it says what" "code.db.before-" "$(cat "$work/err")"
check "the old one is where it was" cmp "$work/restored/spangraph.db" "$work/stuck/spangraph.db"
check "and the other" cmp "$work/restored/code.db" "$work/stuck/code.db"
mkdir "$work/stuck/code.db.incoming"
"$spangraph" restore --force --data "$work/stuck" "$work/whole.tar" >/dev/null 2>&1
same "nor what cannot be unpacked" 4 $?
"$spangraph" backup --data "$work/nowhere" "$work/none.tar" >/dev/null 2>&1
same "no store is nothing to back up" 4 $?
"$spangraph" backup --data "$data" "$work/nowhere/none.tar" >/dev/null 2>&1
same "nowhere to write cannot run" 4 $?

# ---- a backup under load is what was acknowledged, up to some request ----
start_service "$work/load" 'pairing: {wait: 300ms}'
node tests/e2e/prefix.js "$http" 600 "$work/acked" &
writer=$!
wait_for 10 test -s "$work/acked"
for i in 1 2 3; do
    cat "$work/acked" >"$work/before.$i"
    "$spangraph" backup --data "$work/load" "$work/load.$i.tar" >/dev/null || echo "not ok backup $i"
    cat "$work/acked" >"$work/after.$i"
    sleep 0.2
done
wait $writer
same "every request was acknowledged meanwhile" 600 "$(cat "$work/acked")"
check "the service stops" stop_service
for i in 1 2 3; do
    "$spangraph" restore --data "$work/load.$i" "$work/load.$i.tar" >/dev/null
    start_service "$work/load.$i" 'pairing: {wait: 300ms}'
    check "the service takes backup $i" stop_service
    "$spangraph" edges --data "$work/load.$i" --level endpoint --json >"$work/load.$i.json"
    check "backup $i holds each of the first, once, and no other" jq -e --argjson least "$(cat "$work/before.$i")" --argjson most "$(($(cat "$work/after.$i") + 1))" \
        '[.edges[] | select(.kind == "virtual_in")] | length as $n | $n >= $least and $n <= $most and all(.count == 1)
         and ([.[].target | capture("/k(?<i>[0-9]+)$").i | tonumber] | sort) == [range(1; $n + 1)]' "$work/load.$i.json"
done
check "one of them was taken while it wrote" test "$(cat "$work/before.1")" -lt 600

# ---- the status of a service ----
start_service "$work/live"
out=$("$spangraph" status --server "http://$query/")
same "a service that is well is clean" 0 $?
has "it says so" "http://$query/: ready" "$out"
check "with numbers" jq -e '.ready and .metrics.spangraph_edges > 0' <<<"$("$spangraph" status --json --server "http://$query")"
check "the service stops" stop_service
"$spangraph" status --server "http://$query" >/dev/null 2>&1
same "nobody there is told" 4 $?
"$spangraph" status --server "$query" >/dev/null 2>&1
same "what is no URL is usage" 2 $?

# ---- the status of a store ----
out=$("$spangraph" status --data "$data")
same "a store that nobody serves is clean" 0 $?
has "that is said" "$data: nobody writes it" "$out"
has "with what is held" "services    3" "$out"
has "and what there is besides" "code.db       good" "$out"
check "with schema, sizes and times" jq -e --argjson now "$(date +%s)" '(.served | not) and .held.edges > 7 and .held.last_span > 1700000000 and .held.data_as_of <= $now
    and (.files | map(.file) == ["spangraph.db", "code.db", "knowledge.db"]) and (.files[0] | .state == "good" and .bytes > 4096 and .schema == .schema_of_program and (.locked | not))
    and .files[2].state == "absent"' <<<"$("$spangraph" status --json --data "$data")"
start_service "$work/live"
check "one that is served names who writes it" jq -e --argjson pid "$service_pid" '.served and .files[0].locked_by == $pid' <<<"$("$spangraph" status --json --data "$work/live")"
check "the service stops" stop_service
mkdir "$work/odd"
cp "$data/spangraph.db" "$work/odd"
sqlite3 "$work/odd/spangraph.db" 'PRAGMA user_version = 999'
out=$("$spangraph" status --data "$work/odd")
same "a newer store is a finding" 1 $?
has "with what to do" "-> use the newer program" "$out"
sqlite3 "$work/odd/spangraph.db" 'PRAGMA user_version = 1'
has "so is an older one" "start \`spangraph serve\` once" "$("$spangraph" status --data "$work/odd")"
head -c 8192 /dev/urandom >"$work/odd/spangraph.db"
out=$("$spangraph" status --data "$work/odd")
same "what is no database is a finding" 1 $?
has "and said" "unreadable" "$out"
"$spangraph" status --data "$work/nowhere" >/dev/null 2>&1
same "no store cannot run" 4 $?
"$spangraph" status --data "$data" --server http://localhost:1 >/dev/null 2>&1
same "one of both is usage" 2 $?

# ---- the gate over a service ----
printf 'GET /live\nGET /never\n' >"$work/routes.txt"
"$spangraph" import-routes --data "$work/live" --service gateway "$work/routes.txt" >/dev/null
echo secret >"$work/token"
start_service "$work/live" "query: {auth: {tokens_file: \"$work/token\"}}"
# remote NAME CODE [option...]
remote() {
    local name=$1 code=$2
    shift 2
    out=$("$spangraph" dead-routes --server "http://$query" "$@" 2>"$work/err")
    same "$name: exit code" "$code" $?
}
remote "without the token" 4
has "it says why" "401; see --token-file" "$(cat "$work/err")"
remote "with it" 0 --token-file "$work/token" --json
"$spangraph" dead-routes --data "$work/live" >/dev/null 2>&1
same "as the store itself says" 0 $?
local_rows=$("$spangraph" dead-routes --data "$work/live" --json | jq -c '[.routes[] | {service, method, route, verdict}] | sort')
same "the rows are those of the store" "$local_rows" "$(jq -c '[.routes[] | {service, method, route, verdict}] | sort' <<<"$out")"
remote "undocumented routes fail with any" 1 --token-file "$work/token" --json --fail-on any
printf '%s\n' "$out" >"$work/baseline.json"
remote "but not those of the baseline" 0 --token-file "$work/token" --fail-on any --baseline "$work/baseline.json"
has "a table is printed" "not_observable" "$(sed 's/insufficient_window/not_observable/' <<<"$out")"
remote "nothing fails with none" 0 --token-file "$work/token" --fail-on none
same "the environment may have the token" 0 "$(SPANGRAPH_TOKEN=secret "$spangraph" dead-routes --server "http://$query/mcp" --fail-on none >/dev/null 2>&1; echo $?)"
remote "what the service cannot do is usage" 2 --token-file "$work/token" --format sarif
remote "a token file that is none" 4 --token-file "$work/nothing"
"$spangraph" dead-routes --server "ftp://$query" >/dev/null 2>&1
same "a URL that is none is usage" 2 $?
"$spangraph" dead-routes --server "https://$query" >/dev/null 2>&1
same "TLS to what has none cannot run" 4 $?
check "the service stops" stop_service
"$spangraph" dead-routes --server "http://$query" >/dev/null 2>&1
same "nobody there cannot run" 4 $?

# ---- the doctor ----
node -e '
    const id = (n) => require("crypto").randomBytes(n).toString("hex");
    const now = String(BigInt(Date.now()) * 1000000n);
    const span = (more) => ({ traceId: id(16), spanId: id(8), name: "x", startTimeUnixNano: now, endTimeUnixNano: now, ...more });
    const text = (key, stringValue) => ({ key, value: { stringValue } });
    console.log(JSON.stringify({ resourceSpans: [{ resource: { attributes: [text("service.name", "lone")] },
      scopeSpans: [{ spans: [span({ kind: 3 }), span({ kind: 2, parentSpanId: id(8), attributes: [text("http.request.method", "GET"), text("url.path", "/users/17/x")] })] }] }] }));' >"$work/lone.jsonl"
"$spangraph" ingest --data "$work/ill" "$work/lone.jsonl" >/dev/null 2>&1
shop_ago 60 >"$work/now.jsonl"
"$spangraph" ingest --data "$work/well" "$work/now.jsonl" >/dev/null 2>&1
check "a healthy store is clean" "$spangraph" doctor --data "$work/well"
shop_ago $((2 * 86400 + 60)) >"$work/old.jsonl"
"$spangraph" ingest --data "$work/silent" "$work/old.jsonl" >/dev/null 2>&1
has "a service that fell silent is told" "gateway was last heard of 2 days ago" \
    "$("$spangraph" doctor --data "$work/silent")"
has "which SQLite it is is told" "ok   SQLite: 3." "$("$spangraph" doctor --data "$work/well")"
out=$("$spangraph" doctor --data "$work/ill")
same "one that lacks something is not" 1 $?
has "lost callers are told" "the caller's spans do not arrive" "$out"
has "calls that name nobody" "server.address" "$out"
has "and guessed routes" "http.route" "$out"
check "as JSON, too" jq -e '[.checks[] | select(.state == "warn") | .help | length > 0] | length >= 3 and all' <<<"$("$spangraph" doctor --json --data "$work/ill")"
cat >"$work/elsewhere.yaml" <<YAML
receivers: {otlp: {protocols: {grpc: {endpoint: "0.0.0.0:5317"}, http: {endpoint: "[::1]:5318"}}}}
YAML
: >"$work/empty.json"
"$spangraph" ingest --data "$work/empty" "$work/empty.json" >/dev/null 2>&1
has "without spans it names the port that is configured" '=http://[::1]:5318' \
    "$("$spangraph" doctor --data "$work/empty" --config "$work/elsewhere.yaml")"
has "as tools do" 'port 5317 (gRPC) or port 5318 (HTTP)' \
    "$("$spangraph" call --data "$work/empty" --config "$work/elsewhere.yaml" trace_stats)"
has "and of a service that nobody has seen" 'port 5317 (gRPC) or port 5318 (HTTP)' \
    "$("$spangraph" call --data "$work/empty" --config "$work/elsewhere.yaml" who_calls service=x 2>&1)"
has "a reader under a limit on files says so" 'File too large' \
    "$( (ulimit -f 0; "$spangraph" edges --data "$work/empty" 2>&1) | cat)"
"$spangraph" doctor --data "$work/nowhere" >/dev/null 2>&1
same "no store is a finding" 1 $?
"$spangraph" doctor --data "$data" --config "$work/nothing.yaml" >/dev/null 2>&1
same "no such configuration is usage" 2 $?

done_testing
