#!/bin/bash
# The admin listener: off by itself, shut to other machines without a token, and
# silent about what was received.
. "$(dirname "$0")/lib.sh"
printf 'first-admin-token\n' >"$work/tokens"
admin_at() { sed -n 's/.*msg="listening" admin="\([^"]*\)".*/\1/p' "$work/service.log"; }
code() { curl -s -m 10 -o "$work/body" -w '%{http_code}' "$@"; }

# ---- by itself ----
start_service "$work/off"
same "it is off by itself" "" "$(admin_at)"
same "the query listener has no /debug" 404 "$(code "http://$query/debug/memory")"
stop_service

# ---- who may ----
refused() { has "refused: $1" "$2" "$("$spangraph" check-config <(echo "$1") 2>&1 >/dev/null && echo accepted)"; }
refused 'admin: {enabled: true, endpoint: "0.0.0.0:8081"}' 'admin.endpoint 0.0.0.0:8081 answers other machines: set admin.auth.tokens_file'
refused '{forward: {endpoint: "https://gateway.example:4318"}, admin: {enabled: true, endpoint: "0.0.0.0:8081"}}' 'admin.endpoint 0.0.0.0:8081 answers other machines'
refused 'admin: {enabled: true, endpoint: "localhost:8080"}' 'admin: endpoint "localhost:8080" is that of query, too'
refused 'admin: {auth: {tokens: ["****"]}}' 'admin.auth.tokens: "****" is no secret'
for open in 'admin: {endpoint: "0.0.0.0:8081"}' 'admin: {enabled: true, endpoint: "0.0.0.0:8081", auth: {tokens_file: /none}}' \
    'admin: {enabled: true, endpoint: "unix:/run/spangraph/admin"}'; do
    check "accepted: $open" "$spangraph" check-config <(echo "$open")
done
printf 'admin: {enabled: true, endpoint: "0.0.0.0:0"}\nstore: {dir: "%s"}\n' "$work/none" >"$work/open.yaml"
has "serve refuses it, too" 'answers other machines' "$("$spangraph" serve --config "$work/open.yaml" 2>&1)"
check "and leaves no store behind" test ! -e "$work/none"

# ---- what is told ----
start_service "$work/data" "receivers.otlp.auth.tokens: [canary-ingest-token]
admin: {enabled: true, endpoint: \"localhost:0\", auth: {tokens_file: \"$work/tokens\"}}"
admin=$(admin_at)
as_admin() { curl -s -m 10 -H 'Authorization: Bearer first-admin-token' "http://$admin$1"; }
same "a token is asked for" 401 "$(code "http://$admin/debug/memory")"
same "not that of those who send" 401 "$(code -H 'Authorization: Bearer canary-ingest-token' "http://$admin/debug/memory")"
same "nor is a page of another name answered" 403 "$(code -H 'Host: evil.example' -H 'Authorization: Bearer first-admin-token' "http://$admin/debug/memory")"
curl -s -m 10 -o "$work/body" -H 'Authorization: Bearer canary-ingest-token' -H 'Content-Type: application/json' \
    -d '{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"canary-service"}}]},"scopeSpans":[{"spans":[{"traceId":"0123456789abcdef0123456789abcdef","spanId":"0123456789abcdef","kind":2,"name":"GET /canary-route","startTimeUnixNano":"'"$(date +%s)"'000000000","endTimeUnixNano":"'"$(date +%s)"'000000001"}]}]}]}' \
    "http://$http/v1/traces"
same "it names what there is" '/debug/connections /debug/memory /debug/store /debug/threads' "$(as_admin /debug/ | jq -r '.paths | join(" ")')"
# One that sends slowly, with a header that is nobody's business.
exec 3<>"/dev/tcp/${http%:*}/${http##*:}"
printf 'POST /v1/traces HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer canary-ingest-token\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{' >&3
sleep 0.2
same "who sends slowly is seen" 'HTTP/1.1 1 true' "$(as_admin /debug/connections | jq -r '.listeners[] | select(.listener == "receivers.otlp.protocols.http") | .connections[0] | "\(.protocol) \(.requests) \(.peer | startswith("127.0.0.1:"))"')"
same "all listeners are told of" 'receivers.otlp.protocols.grpc receivers.otlp.protocols.http query' "$(as_admin /debug/connections | jq -r '[.listeners[].listener] | join(" ")')"
same "a limit that is none is refused" 400 "$(code -H 'Authorization: Bearer first-admin-token' "http://$admin/debug/connections?limit=0")"
exec 3>&-
resident=$(awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$service_pid/status")
told=$(as_admin /debug/memory | jq .process.resident_bytes)
check "the resident size is the system's, nearly: $told of $resident" test $((told > resident * 8 / 10 && told < resident * 12 / 10)) = 1
# What is held is told anew with each flush.
holds_a_span() { [ "$(as_admin /debug/memory | jq .live_spans.held)" -ge 1 ]; }
check "what is held is told" wait_for 10 holds_a_span
same "tables are told with their bounds" 4000000 "$(as_admin /debug/memory | jq .live_spans.most)"
same "the store is told of" "$work/data commit true spangraph.db" "$(as_admin /debug/store | jq -r '"\(.dir) \(.durability) \(.writable) \(.files[] | select(.file == "spangraph.db").file)"')"
has "so is its SQLite" "$("$spangraph" doctor --data "$work/data" 2>/dev/null | sed -n 's/.*SQLite: \([0-9.]*[0-9]\).*/\1/p')" "$(as_admin /debug/store | jq -r .sqlite.version)"
names=$(as_admin /debug/threads | jq -r '[.threads[].name] | unique | join(" ")')
for name in admin gc graph http link query spangraph; do
    has "a thread is called $name" "$name" "$names"
done
same "all threads are told of" "$(ls "/proc/$service_pid/task" | wc -l)" "$(as_admin /debug/threads | jq '.threads | length')"
for path in connections memory store threads; do as_admin /debug/$path; done >"$work/all"
same "nothing of what was received, and no token" "" "$(grep -oE 'canary[a-z-]*|first-admin-token|0123456789abcdef' "$work/all")"

# ---- new tokens ----
printf 'second-admin-token\n' >"$work/tokens"
kill -HUP "$service_pid"
until grep -q 'msg="reloaded"' "$work/service.log"; do sleep 0.05; done
same "an old token is none any more" 401 "$(code -H 'Authorization: Bearer first-admin-token' "http://$admin/debug/memory")"
same "a new one is" 200 "$(code -H 'Authorization: Bearer second-admin-token' "http://$admin/debug/memory")"
: >"$work/tokens"
kill -HUP "$service_pid"
until grep -q 'old ones stay.*admin=' "$work/service.log"; do sleep 0.05; done
same "without any the old ones stay" 200 "$(code -H 'Authorization: Bearer second-admin-token' "http://$admin/debug/memory")"
check "it stops cleanly" stop_service

# ---- of a sidecar ----
start_service "$work/spool" "forward: {endpoint: \"http://127.0.0.1:1\"}
admin: {enabled: true, endpoint: \"unix:$work/admin.sock\"}"
same "a sidecar has it, too, on a socket" 'true 0' \
    "$(curl -s -m 10 --unix-socket "$work/admin.sock" http://localhost/debug/store | jq -r '"\(.writable) \(.spool.batches)"')"
check "and stops cleanly" stop_service
done_testing
