#!/bin/bash
# A full disk: senders are told to come back, readers go on, and with room
# again all is well without a restart, nothing lost and nothing twice.
. "$(dirname "$0")/lib.sh"
npm_ready
if [ "$(id -u)" -ne 0 ] || ! mkdir "$work/disk" || ! mount -t tmpfs -o size=8m tmpfs "$work/disk" 2>/dev/null; then
    echo "ok a full disk # skip: mounting needs root"
    exit 0
fi
trap 'cleanup_disk' EXIT
cleanup_disk() {
    [ -z "${load_pid:-}" ] || kill -9 "$load_pid" 2>/dev/null
    [ -z "$service_pid" ] || kill -9 "$service_pid" 2>/dev/null
    wait 2>/dev/null
    umount -l "$work/disk"
    cleanup
}
fill() { dd if=/dev/zero of="$work/disk/filler" bs=4k status=none 2>/dev/null; }
ready() { [ "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "http://$query/readyz")" = "$1" ]; }
data=$work/disk/db

start_service "$data" 'store: {flush_interval: 100ms}
pairing: {wait: 500ms}'
head -1 examples/shop/trace.jsonl >"$work/shop.json"
node tests/e2e/load.js "http://$http/v1/traces" 20 2 >"$work/load.out" &
load_pid=$!
sleep 1

extra=0 # spans of ours that found room after all
for round in 1 2 3; do
    fill
    check "round $round: /readyz says it is full" wait_for 10 ready 503
    # The log of the database may have room of its own for a while.
    for _ in $(seq 50); do
        # New ids each time: an exact retry of what was kept is answered at once.
        perl -pe 's/("traceId":"[0-9a-f]{24})[0-9a-f]{8}/$1 . sprintf("%08x", '$RANDOM$RANDOM')/ge' "$work/shop.json" >"$work/anew.json"
        out=$(curl -s -m 10 -i -H 'Content-Type: application/json' -d @"$work/anew.json" "http://$http/v1/traces")
        case $out in *"HTTP/1.1 503"*) break ;; esac
        sleep 0.1
    done
    has "round $round: HTTP says 503" "HTTP/1.1 503" "$out"
    check "round $round: and when to come back" grep -qi '^retry-after: [1-9]' <<<"$out"
    for _ in $(seq 50); do
        out=$(call "$grpc" export 5)
        case $out in *'"code":"OK"'*) extra=$((extra + 5)) ;; *) break ;; esac
        sleep 0.1
    done
    has "round $round: gRPC says UNAVAILABLE" '"code":"UNAVAILABLE"' "$out"
    has "round $round: and when to come back" '"details":"RetryInfo"' "$out"
    check "round $round: it lives" curl -fsS -m 5 "http://$query/healthz"
    has "round $round: the command line reads" "virtual_in" "$(edges "$data" service)"
    has "round $round: MCP reads" "load" "$(curl -s -m 10 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
        -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"runtime_traffic","arguments":{"service_name":"load"}}}' "http://$query/mcp")"
    check "round $round: refusals are counted" test "$(metric 'spangraph_refused_requests_total{reason="store"}')" -gt 0
    check "round $round: and failed commits" test "$(metric spangraph_commit_failures_total)" -gt 0
    sleep 1
    rm "$work/disk/filler"
    check "round $round: with room it heals by itself" wait_for 15 ready 200
    check "round $round: and takes spans" wait_for 10 curl -fsS -m 5 -H 'Content-Type: application/json' -d '{}' "http://$http/v1/traces"
    sleep 1
done

kill -TERM $load_pid
wait $load_pid
load_pid=
echo "# $(cat "$work/load.out")"
acked=$(jq .acked "$work/load.out")
check "something was acknowledged" test "$acked" -gt 1000
check "and something had to come back" test "$(jq .retries "$work/load.out")" -gt 0
sleep 1.5
count() { "$spangraph" edges --data "$data" --json | jq '[.edges[] | select(.kind == "virtual_in" and .target == "load") | .count] | add'; }
same "acknowledged is counted, once" "$((acked + extra))" "$(count)"
has "log: once it is said" "the store cannot be written" "$(cat "$work/service.log")"
check "the log is no flood" test "$(grep -c 'level=error' "$work/service.log")" -lt 1000

# Ended and begun on a full disk.
fill
check "it ends on a full disk" stop_service
rm "$work/disk/filler"
start_service "$data"
sleep 1.5
same "and nothing is lost by that" "$((acked + extra))" "$(count)"
check "the database is whole" test "$(sqlite3 -readonly "$data/spangraph.db" 'PRAGMA quick_check')" = ok
check "it stops cleanly" stop_service

done_testing
