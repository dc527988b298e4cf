#!/bin/bash
# The vector lane against an endpoint of embeddings that is told how to behave:
# off without a word of it, what is found by it, what is sent, what is kept, and
# what becomes of questions and texts when the endpoint fails.
. "$(dirname "$0")/lib.sh"
state=$work/endpoint
export AI_KEY=sk-canary/4711

endpoint() { # [PEM KEY]: starts one; sets port
    : >"$state.port"
    node tests/e2e/embeddings.js "$state" "$@" >"$state.port" &
    endpoint_pid=$!
    wait_for 10 test -s "$state.port"
    port=$(cat "$state.port")
}
mode() {
    echo "$*" >"$state.mode"
    : >"$state.log"
}
log() { jq -rs "$@" "$state.log"; }
requests() { wc -l <"$state.log"; }
tool() {
    curl -s -m 40 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
        -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$1"'","arguments":'"$2"'}}' "http://$query/mcp" |
        jq -c '.result.structuredContent // (.result.content[0].text | fromjson? // .) // .error'
}
add() { tool add "{\"title\":\"$1\",\"content\":\"$2\"}"; }
embeddings() { tool manage '{"action":"stats"}' | jq -r ".data.embeddings$1"; }
# filled: everything that is there has its vector.
filled() { test "$(embeddings '|"\(.state) \(.pending)"')" = "ok 0" && test "$(embeddings .vectors)" -ge "${1:-1}"; }
failing() { test "$(embeddings '.state')" = failing; }
rebuild() { tool manage '{"action":"rebuild_index"}' >"$work/rebuilt"; }
search() { tool search "{\"query\":\"$1\"${2:+,$2}}"; }
# first WORDS: the best, its rank by vector, and what is missing
first() { search "$1" | jq -r '"\(.results[0].name) \(.results[0].metadata.lanes.vector) \(.filters.degraded | join(","))"'; }
degraded() { test "$(search "$1" | jq -r '.filters.degraded | join(",")')" = vector; }
# ms COMMAND...: how long it took
ms() {
    local begin
    begin=$(date +%s%N)
    "$@" >/dev/null 2>&1
    echo $((($(date +%s%N) - begin) / 1000000))
}
# goes_out: connections of the service to what does not listen here for it
goes_out() {
    local own
    own=$(for fd in /proc/"$service_pid"/fd/*; do readlink "$fd"; done | sed -n 's/socket:\[\(.*\)\]/\1/p')
    awk -v own="$own" -v ports="${grpc##*:} ${http##*:} ${query##*:}" '
        BEGIN { n = split(own, a); for (i = 1; i <= n; i++) mine[a[i]] = 1
                n = split(ports, p); for (i = 1; i <= n; i++) listens[sprintf("%04X", p[i])] = 1 }
        mine[$10] && $4 != "0A" { split($2, l, ":"); if (!listens[l[2]]) print $3 }' /proc/net/tcp
}

endpoint
mode ok

# ---- off ----
: >"$state.connections"
export OPENAI_API_KEY=$AI_KEY OPENAI_BASE_URL=http://127.0.0.1:$port/v1
start_service "$work/off" '' 'toolsets: all'
add "Reimburse a customer" "How we repay what was charged twice." >/dev/null
search refund >/dev/null
rebuild
sleep 1
same "off: no connection goes out" "" "$(goes_out)"
same "off: nobody connects to what the environment names" "" "$(cat "$state.connections")"
same "off: it says so" '{"state":"off"}' "$(tool manage '{"action":"stats"}' | jq -c .data.embeddings)"
same "off: there is no such lane" null "$(search refund | jq -c '.filters.lanes | index("vector")')"
check "off: the service stops" stop_service
unset OPENAI_API_KEY OPENAI_BASE_URL

# ---- on ----
mkdir "$work/docs"
printf '# Runbook\n\n## Downtime\n\nWhen the site is unreachable, call the one on duty.\n' >"$work/docs/runbook.md"
printf '# Depot\n\n## Shelf\n\nWhere goods are kept.\n' >"$work/docs/depot.md"
on() { printf 'ai: {base_url: "http://127.0.0.1:%s/v1/", embed_model: concepts, api_key_env: AI_KEY, pause: 0s%s}' "$port" "${1:-}"; }
data=$work/data
begin_service() { start_service "$data" "$(on "${1:-}")" "toolsets: all, index_paths: [\"$work/docs\"]"; }
mkdir "$data"
begin_service
add "Reimburse a customer" "How we repay what was charged twice." >/dev/null
add "Holidays" "Nobody works in August." >/dev/null
tool manage "{\"action\":\"crawl\",\"data\":{\"url\":\"$work/docs\"}}" >/dev/null
check "all that is there gets a vector" wait_for 20 filled 4
same "a question finds what shares no word with it" "Reimburse a customer 1 " "$(first refund)"
same "which words alone do not" 0 "$(search refund '"use_enhanced":false' | jq .total)"
same "and a part of a document, told as the document" "document Runbook 1 true" \
    "$(search outage | jq -r '.results[0] | "\(.type) \(.name) \(.metadata.lanes.vector) \(.metadata.chunk_id != null)"')"
same "a filter holds for this lane, too" 0 "$(search refund '"types":["task"]' | jq .total)"
same "nothing is missing" '["bm25","names","ngram","ident","vector","cover","graph"] []' \
    "$(search refund | jq -c '.filters | "\(.lanes) \(.degraded)"' -r)"
same "what was sent where" "/v1/embeddings POST Bearer $AI_KEY concepts null float" \
    "$(log 'map("\(.path) \(.method) \(.auth) \(.model) \(.dimensions) \(.format)") | unique | .[]')"
same "the same question goes out once" 1 "$(log '[.[] | select(.input == ["refund"])] | length')"
same "metrics tell of it" "4 0" "$(($(metric 'spangraph_embeddings{state="stored"}') > 3 ? 4 : 0)) $(metric 'spangraph_embeddings{state="pending"}')"
same "health, too" ok "$(tool manage '{"action":"health"}' | jq -r .data.embeddings.state)"
check "the service stops" stop_service

# ---- kept ----
vectors=
mode ok
begin_service
check "a restart loads what is stored" wait_for 10 filled 4
vectors=$(embeddings .vectors)
same "and asks for nothing" 0 "$(requests)"
same "the lane is there" "Reimburse a customer 1 " "$(first refund)"
rm "$work/docs/depot.md"
source_id=$(tool explore '{"types":["source"]}' | jq -r '.entities[0].id')
tool manage "{\"action\":\"sync\",\"entity_id\":\"$source_id\"}" >/dev/null
lost_one() { test "$(embeddings .vectors)" = $((vectors - 1)); }
check "what was removed loses its vector" wait_for 15 lost_one
check "the service stops" stop_service

# ---- a question meets a slow or dead endpoint ----
mode ok
begin_service
check "filled" wait_for 10 filled 3
mode slow 3000
took=$(ms search "money back please")
check "a slow endpoint holds a question up for two seconds at most ($took ms)" test "$took" -ge 1500 -a "$took" -le 3900
took=$(ms search "money again please")
check "and the next not at all ($took ms)" test "$took" -le 1400
check "which is told" degraded "and once more"
same "only one was sent" 1 "$(requests)"
mode ok
try_again() { test "$(first "refund me $RANDOM")" = "Reimburse a customer 1 "; }
check "it is asked again when it is well" wait_for 30 try_again
kill "$endpoint_pid"
wait "$endpoint_pid" 2>/dev/null
check "a dead one: the answer comes without" degraded "where is my refund"
has "the other lanes answer" "Holidays" "$(search "holidays august" | jq -r '.results[0].name')"
check "the service stops" stop_service

# ---- texts meet an endpoint that fails: nothing is lost, all is said ----
endpoint
begin_service
check "filled" wait_for 10 filled 3
vectors=$(embeddings .vectors)
n=0
fails() { # NAME SAID MODE...
    local name=$1 said=$2
    shift 2
    n=$((n + 1))
    mode "$@"
    took=$(ms add "Note $n" "Basket number $n.")
    check "$name: adding does not wait ($took ms)" test "$took" -le 2000
    rebuild
    check "$name: it is told" wait_for 10 failing
    has "$name: and why" "$said" "$(embeddings .last_error)"
    same "$name: what is stored stays" "$vectors" "$(tool manage '{"action":"stats"}' | jq .data.vectors)"
    mode ok
    rebuild
    vectors=$((vectors + 1))
    check "$name: then all is well again" wait_for 15 filled "$vectors"
}
fails "busy" "429: Rate limit reached" busy 60
fails "down" "503: overloaded" down
fails "denied" "401: it does not take the key" denied
fails "another length" "512 numbers, not 16" dim 512
fails "garbage" "the answer is not JSON" garbage
fails "too few" "0 embeddings came, not 1" missing
fails "not a number" "is none" nan
fails "base64" "no array of numbers" base64
fails "huge" "the answer is" huge
fails "key echo" "who sent Bearer ****" keyecho
fails "key echo, with slashes escaped" "who sent Bearer ****" slashecho
mode refuse poison
add "Poison" "This is poison." >/dev/null
add "No harm" "A trolley." >/dev/null
rebuild
check "one text that is not taken keeps no other back" wait_for 10 eval 'test "$(embeddings .refused)" = 1 && test "$(embeddings .pending)" = 0'
mode hang
add "Last" "Never answered." >/dev/null
rebuild
wait_for 10 test -s "$state.log"
took=$(ms stop_service)
check "a request that hangs does not hold up the end ($took ms)" test "$took" -le 5000
same "the key is in no log" 0 "$(grep -c canary "$work/service.log")"
same "nor in what is stored" "" "$(grep -rl canary "$data")"

# ---- a file of the version before ----
python3 - "$data/knowledge.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
assert db.execute("PRAGMA user_version").fetchone()[0] >= 3
db.executescript("""DROP TABLE embedding;
DROP TABLE schema_version; -- which none of that version has
CREATE TABLE embedding (oid INTEGER NOT NULL, model TEXT NOT NULL, dim INTEGER NOT NULL,
  vec BLOB NOT NULL, text_hash BLOB NOT NULL, PRIMARY KEY (oid, model)) WITHOUT ROWID;
PRAGMA user_version = 2;""")
db.close()
PY
mode ok
begin_service
check "a file of the version before is brought up and filled" wait_for 20 filled "$vectors"
same "and has lost nothing else" "Reimburse a customer 1 " "$(first refund)"
check "the service stops" stop_service

# ---- settings ----
mode ok
echo first-key >"$work/key"
start_service "$work/two" "ai: {base_url: \"http://127.0.0.1:$port\", embed_model: m, dim: 32, api_key_file: \"$work/key\", worlds: [knowledge], pause: 0s}" 'toolsets: all'
add "One" "A text." >/dev/null
check "filled" wait_for 15 filled 1
same "dim is asked for, and of the worlds only what was said" '32 Bearer first-key One' \
    "$(log 'map("\(.dimensions) \(.auth) \(.input[0] | split("\n")[0])") | unique | .[]')"
echo second-key >"$work/key"
kill -HUP "$service_pid"
wait_for 5 grep -q 'msg="reloaded"' "$work/service.log"
mode ok
search "something" >/dev/null
same "a new key is taken over on SIGHUP" "Bearer second-key" "$(log '.[0].auth')"
check "the service stops" stop_service
kill "$endpoint_pid"

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$work/tls.key" -out "$work/tls.pem" 2>/dev/null
endpoint "$work/tls.pem" "$work/tls.key"
for trust in yes no; do
    mode ok
    start_service "$work/tls-$trust" "ai: {base_url: \"https://127.0.0.1:$port/v1\", embed_model: m, pause: 0s$([ $trust = no ] || echo ", ca_file: \"$work/tls.pem\"")}" 'toolsets: all'
    add "One" "A text." >/dev/null
    if [ $trust = yes ]; then
        check "over TLS" wait_for 15 filled 1
    else
        check "a certificate that nobody vouches for is not trusted" wait_for 15 failing
        same "and nothing is sent" 0 "$(requests)"
    fi
    check "the service stops" stop_service
done

while IFS='|' read -r yaml said; do
    echo "ai: {$yaml}" >"$work/bad.yaml"
    has "check-config: $yaml" "$said" "$("$spangraph" check-config "$work/bad.yaml" 2>&1)"
done <<'BAD'
base_url: "http://x/v1"|ai.embed_model is empty
embed_model: m|ai.base_url is not
base_url: "ftp://x", embed_model: m|ai.base_url must be
base_url: "http://me:secret@x", embed_model: m|ai.base_url must be
base_url: "http://x", embed_model: m, worlds: [docs]|is none of knowledge, traces, code
base_url: "http://x", embed_model: m, dim: 8193|0 to 8192
base_url: "http://x", embed_model: m, query_timeout: 3s|2s
BAD
echo 'ai: {base_url: "http://127.0.0.1:1", embed_model: m, api_key_env: NO_SUCH_KEY}' >"$work/config.yaml"
has "serve says that there is no key" "NO_SUCH_KEY holds no key" \
    "$(timeout 20 "$spangraph" serve --config "$work/config.yaml" --data "$work/none" 2>&1)"
done_testing
