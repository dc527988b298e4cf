#!/bin/bash
# The code on the command line: a repository of two commits, indexed, then
# asked.
. "$(dirname "$0")/lib.sh"
data=$work/data
repo=$work/repo

commit() {
    git -C "$repo" add -A
    git -C "$repo" -c user.name="$1" -c user.email="$1@example.com" commit -qm "$2"
}
ask() {
    local command=$1
    shift
    "$spangraph" "$command" --data "$data" "$@" 2>>"$work/err"
}
tool() { ask call "$@"; }

mkdir -p "$repo/src"
git -C "$repo" init -q
cat >"$repo/package.json" <<'JSON'
{"name": "users", "dependencies": {"express": "4"}}
JSON
cat >"$repo/src/app.js" <<'JS'
const express = require('express');
const { loadUser, saveUser } = require('./store');
const app = express();
function getUser(req, res) { res.json(loadUser(req.params.id)); }
function putUser(req, res) { res.json(saveUser(req.params.id)); }
app.get('/users/:id', getUser);
app.put('/users/:id', putUser);
module.exports = { app };
JS
cat >"$repo/src/store.js" <<'JS'
function query(sql) { return sql; }
function loadUser(id) { return query('select ' + id); }
function saveUser(id) { retry(3); return query('update ' + id); }
function retry(n) { if (n > 0) again(n - 1); }
function again(n) { retry(n); }
module.exports = { loadUser, saveUser };
JS
cat >"$repo/src/store.test.js" <<'JS'
const { loadUser } = require('./store');
test('loads', () => { loadUser(1); });
JS
commit ann one
first=$(git -C "$repo" rev-parse HEAD)

"$spangraph" routes --data "$data" >/dev/null 2>&1
same "no store is exit code 4" 4 $?
check "a repository is indexed" ask index --repo https://github.com/acme/users "$repo"

url=github.com/acme/users
same "routes have their method, patterns, framework, handler and place" \
    "users GET /users/:id /users/{} express $url://src/app.getUser src/app.js 6 code false
users PUT /users/:id /users/{} express $url://src/app.putUser src/app.js 7 code false" \
    "$(ask routes --json | jq -r '.routes[] | "\(.service) \(.method) \(.raw) \(.canonical) \(.framework) \(.handler) \(.file) \(.line) \(.source) \(.observed)"')"
same "and of another service there are none" 0 "$(ask routes --json --service other | jq .total)"
has "a table is for people" "getUser" "$(ask routes)"
same "calls say who, whom, where and how" \
    "$url://src/app.getUser $url://src/store.loadUser src/app.js:4 import 0.99" \
    "$(ask calls --json | jq -r '.calls[] | select(.caller | endswith("getUser")) | "\(.caller) \(.callee) \(.file):\(.line) \(.provenance) \(.confidence)"')"
same "each call has its row" 8 "$(ask calls --json | jq '.calls | length')"
check "guesses are kept apart" test "$(ask calls --json | jq '[.calls[] | select(.type != "calls")] | length')" = 0

same "callers, nearest first" \
    "1 $url://src/store.loadUser
1 $url://src/store.saveUser
2 $url://src/app.getUser" \
    "$(ask callers --json --depth 2 query | jq -r '.callers[] | "\(.Depth) \(.Node.QualifiedName)"' | head -3)"
has "callees of a route are those of its handler" "store.saveUser" "$(ask callees 'PUT /users/{}')"
has "a path names each step" "store.loadUser" "$(ask path getUser query)"
ask path query getUser >/dev/null
same "no path is exit code 1" 1 $?
ask callers nobody >/dev/null
same "an unknown name is exit code 2" 2 $?
ask callers >/dev/null
same "so is none" 2 $?
# Nobody who types a command knows the arguments of the tool behind it.
said() {
    local command=$1
    shift
    "$spangraph" "$command" --data "$data" "$@" 2>&1 >/dev/null
}
while IFS='|' read -r words expected; do
    same "$words is told in words of the command" "$expected" "$(eval "said $words")"
done <<'WORDS'
callers nobody|spangraph: NAME 'nobody' unknown; `spangraph query PREFIX` lists names by their beginning
callees nobody|spangraph: NAME 'nobody' unknown; `spangraph query PREFIX` lists names by their beginning
callers ""|spangraph: missing required argument: NAME
callers --depth 0 query|spangraph: --depth must be a whole number from 1 to 100; try 5
callers --depth 1 query|there is more beyond --depth 1
path nobody query|spangraph: FROM 'nobody' unknown; `spangraph query PREFIX` lists names by their beginning
path query nobody|spangraph: TO 'nobody' unknown; `spangraph query PREFIX` lists names by their beginning
explain ""|spangraph: service is required
WORDS
has "what has no such beginning, too" '`spangraph query` lists all' "$(said query nobody)"
has "and a snapshot" "OLD 'a': a snapshot" "$(said diff a b)"
has "and a tool itself in the words of its own" "target_hash 'nobody' unknown" "$(said call blast_radius target_hash=nobody)"
has "names are found by their beginning" "src/store.query" "$(ask query "$url://src/store")"

sed -i 's/saveUser(id) { retry(3); /saveUser(id, body) { /' "$repo/src/store.js"
commit bob two
check "the second commit is indexed" ask index --repo https://github.com/acme/users "$repo"
has "a diff says what was modified" "~ function $url://src/store.saveUser" "$(ask diff "$first" latest)"
has "and which call went" "- $url://src/store.saveUser calls $url://src/store.retry" "$(ask diff previous latest)"
same "a diff with itself is empty" "0 symbols added, 0 removed, 0 modified; 0 edges added, 0 removed" "$(ask diff latest latest)"
same "the past can be asked" 4 "$(tool blast_radius target_hash=retry snapshot_hash="$first" | jq .TotalCount)"
same "tests are named as their runner wants it" "npx jest src/store.test.js" \
    "$(tool test_scope files=src/store.js output=run | jq -r '.results[]')"
has "index_repo indexes" "index_repo complete: repo_url=$url" \
    "$(tool index_repo repo_url=https://github.com/acme/users repo_path="$repo" | jq -r .summary)"
tool index_repo repo_url=x repo_path="$work/nothing" >/dev/null
check "what cannot be indexed is an error" test $? != 0

progress() {
    echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"index_repo","arguments":{"repo_url":"https://github.com/acme/users","repo_path":"'"$repo"'"}}}'
}
answers=$(progress | timeout 30 "$spangraph" mcp --data "$data" --toolsets all 2>>"$work/err")
has "index_repo tells its progress" '"progressToken":"p"' "$answers"
has "and what it has done" 'index_repo complete' "$answers"

for format in dot mermaid graphml csv json; do
    has "symbols are exported as $format" "store.query" "$(ask export --level symbol --format $format)"
done
same "with their evidence" static "$(ask export --level symbol --json | jq -r '[.edges[].evidence] | unique[]')"

# Over HTTP nobody indexes, unless it is said where.
# A package has a scope, which its service seldom has.
mkdir "$work/cart"
echo '{"name": "@acme/cart", "dependencies": {"express": "4"}}' >"$work/cart/package.json"
cat >"$work/cart/app.js" <<'JS'
const app = require('express')();
app.get('/cart/:id', (req, res) => res.end());
app.post('/cart', (req, res) => res.end());
JS
jq -cn --argjson s "$(date +%s)" '{resourceSpans: [{resource: {attributes: [{key: "service.name", value: {stringValue: "cart"}}]},
    scopeSpans: [{spans: [{traceId: "000000000000000000000000000000a1", spanId: "00000000000000a1", kind: 2, name: "GET /cart/:id",
    startTimeUnixNano: "\($s - 60)000000000", endTimeUnixNano: "\($s - 60)000000001",
    attributes: [{key: "http.request.method", value: {stringValue: "GET"}}, {key: "http.route", value: {stringValue: "/cart/:id"}}]}]}]}]}' >"$work/cart.jsonl"
check "a package with a scope is indexed" "$spangraph" index "$work/cart" --data "$work/scoped"
check "and its service is seen" "$spangraph" ingest "$work/cart.jsonl" --data "$work/scoped"
same "a route that it called is observed" "GET true POST false" \
    "$("$spangraph" routes --json --data "$work/scoped" | jq -r '[.routes[] | "\(.method) \(.observed)"] | join(" ")')"

printf 'GET /cart/:id\nPOST /cart\nGET /doc\n' >"$work/list"
check "a document has the routes, too" "$spangraph" import-routes --data "$work/scoped" --service cart "$work/list"
echo 'GET /doc' >"$work/list"
check "and then has not" "$spangraph" import-routes --data "$work/scoped" --service cart "$work/list"
same "what the code has stays declared" "GET /cart/{} GET /doc POST /cart" \
    "$("$spangraph" dead-routes --fail-on none --json --data "$work/scoped" |
        jq -r '[.routes[] | select(.declared) | "\(.method) \(.route)"] | sort | join(" ")')"

# A path is the route that the code has now, as soon as that is declared.
start_service "$work/scoped" "store: {flush_interval: 50ms}"
raw() {
    jq -c --arg id "$1" --arg path "$2" '.resourceSpans[].scopeSpans[].spans[] |= (.spanId = "00000000000000" + $id |
        .attributes = [{key: "http.request.method", value: {stringValue: "GET"}}, {key: "url.path", value: {stringValue: $path}}])' \
        "$work/cart.jsonl" | curl -s -m 10 -o "$work/sent" -H 'Content-Type: application/json' -d @- "http://$http/v1/traces"
}
declared() { [ "$(grep -c 'routes of the code declared' "$work/service.log")" -ge "$1" ]; }
calls() { edges "$work/scoped" endpoint | sed -n 's/^user -> \(GET .*\) \[.*\] \(.*\)/\1 \2/p' | paste -sd' '; }
called() { [ "$(calls)" = "$1" ]; }
sed -i "s|^app.post.*|app.get('/cart/last', (req, res) => res.end());|" "$work/cart/app.js"
check "a changed package is indexed beside a service" "$spangraph" index "$work/cart" --data "$work/scoped"
check "which declares its routes" wait_for 10 declared 1
raw b1 /cart/last
check "a path is the route that fits it best" wait_for 10 called "GET /cart/last 1/0 GET /cart/{} 1/0"
sed -i '/cart\/last/d' "$work/cart/app.js"
check "and is indexed without that" "$spangraph" index "$work/cart" --data "$work/scoped"
check "which withdraws it" wait_for 10 declared 2
raw b2 /cart/last
check "then a path is the route that is left" wait_for 10 called "GET /cart/last 1/0 GET /cart/{} 2/0"
stop_service

start_service "$data" "" "toolsets: all"
call_http() {
    curl -s --max-time 20 "http://$query/mcp" -H 'Content-Type: application/json' \
        -H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2025-06-18' \
        -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"index_repo","arguments":{"repo_url":"x","repo_path":"'"$repo"'"}}}'
}
has "HTTP clients index nothing by default" "query.index_paths" "$(call_http)"
stop_service
start_service "$data" "" "toolsets: all, index_paths: [$work]"
has "and where it is allowed" "index_repo complete" "$(call_http)"
stop_service
done_testing
