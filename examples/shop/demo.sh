#!/bin/sh
# The demo: start the service on a fresh database, replay the shop's recorded
# trace as if it were happening now, ask the three questions, say where to look.
# On a terminal it stays up until Ctrl-C; elsewhere it ends.
set -eu
cd "$(dirname "$0")/../.."
spangraph=${BUILD:-build}/spangraph
data=$(mktemp -d "${TMPDIR:-/tmp}/spangraph-demo.XXXXXX")
pid=

finish() {
    [ -z "$pid" ] || { kill "$pid" 2>/dev/null && wait "$pid" || true; }
    rm -rf "$data"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

bold() { if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }

# The demo waits one second, not sixty, before it takes a call for unanswered.
cat >"$data/demo.yaml" <<'YAML'
pairing:
  wait: 1s
store:
  flush_interval: 100ms
service:
  log:
    level: warn
YAML

bold "Reading the code of examples/shop"
"$spangraph" index --data "$data/db" examples/shop
"$spangraph" serve --config "$data/demo.yaml" --data "$data/db" &
pid=$!
tries=0
until curl -fsS -o /dev/null http://127.0.0.1:8080/readyz 2>/dev/null; do
    tries=$((tries + 1))
    if [ $tries -gt 100 ] || ! kill -0 "$pid" 2>/dev/null; then
        echo "demo: the service did not start; is one running already?" >&2
        pid=
        exit 4
    fi
    sleep 0.1
done

bold "Replaying the trace of examples/shop over OTLP/HTTP"
# Move every time by the same amount, so that the last span ended just now.
perl -e '
    my @lines = <STDIN>;
    my $last = 0;
    for (@lines) { while (/"endTimeUnixNano":"(\d+)"/g) { $last = $1 if $1 > $last } }
    my $shift = time() * 1000000000 - $last;
    for (@lines) { s/(TimeUnixNano":")(\d+)/$1 . ($2 + $shift)/ge; print }
' <examples/shop/trace.jsonl >"$data/now.jsonl"
while IFS= read -r line; do
    printf '%s' "$line" | curl -fsS -o /dev/null -H 'Content-Type: application/json' \
        --data-binary @- http://127.0.0.1:4318/v1/traces
done <"$data/now.jsonl"
# What the code serves is declared to the services that were seen.
sleep 5

bold "runtime_traffic: who calls the service orders, and how often?"
"$spangraph" call --data "$data/db" runtime_traffic service_name=orders
bold "dead_routes: which routes does nobody call?"
"$spangraph" call --data "$data/db" dead_routes stale_days=30
bold "trace_stats: how much has been seen?"
"$spangraph" call --data "$data/db" trace_stats
bold "Which code handles which route?"
"$spangraph" routes --data "$data/db"
bold "The edges, as the command line prints them"
"$spangraph" edges --data "$data/db"

bold "Where to look"
cat <<'TEXT'
  OTLP/gRPC    localhost:4317
  OTLP/HTTP    http://localhost:4318/v1/traces
  MCP          http://localhost:8080/mcp      (or: spangraph mcp --data DIR)
  health       http://localhost:8080/readyz   http://localhost:8080/metrics
  your agent   claude mcp add --transport http spangraph http://localhost:8080/mcp
TEXT
if [ -t 1 ]; then
    echo
    echo "The service stays up; Ctrl-C ends it."
    wait "$pid"
fi
