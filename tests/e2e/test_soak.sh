#!/bin/bash
# The same load for long: memory, descriptors and threads do not grow.  A mebibyte
# an hour is allowed, and 4 for what moves all the time.  Two things grow to a
# bound.  The writer keeps pages of the database, up to 8 MiB of them: it is given
# more than that to read when it starts, as routes that are no longer declared, for
# how soon it would get there otherwise depends on the machine.  The digests of
# requests, by which a retry is known, grow for a quarter of an hour: 32 bytes each.
. "$(dirname "$0")/lib.sh"
case ${SIZE:-commit} in
commit) seconds=${SOAK:-20} ;;
nightly) seconds=${SOAK:-3600} ;;
*) seconds=${SOAK:-86400} ;;
esac
# Spans are forgotten within seconds, so that all that comes and goes does.
config='store: {flush_interval: 100ms}
pairing: {wait: 300ms, horizon: 2s, max_spans: 100000}'
start_service "$work/data" "$config"
stop_service
sqlite3 "$work/data/spangraph.db" "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
    INSERT INTO route (service, node, created_s, removed_s, method, pattern, raw, origin)
    SELECT 1, 1, 1, 2, 'GET', '/gone/' || i, hex(zeroblob(100)), 'list:gone' FROM n"
pages=$(sqlite3 -readonly "$work/data/spangraph.db" 'PRAGMA page_count')
check "the database is larger than what is kept of it: $pages pages" test "$pages" -gt 2304
start_service "$work/data" "$config"
load() { node tests/e2e/load.js "http://$http/v1/traces" 50 "$1" >"$work/$2.out" & }
load 1 load
load_pid=$!
sample() { # RSS in KiB, descriptors but sockets, threads
    awk '/^VmRSS/ { rss = $2 } /^Threads/ { threads = $2 } END { printf "%d %d ", rss, threads }' "/proc/$service_pid/status"
    readlink "/proc/$service_pid/fd/"* | grep -vc '^socket:'
}
sockets() { readlink "/proc/$service_pid/fd/"* | grep -c '^socket:'; }
sleep 2
open=$(sockets)
end=$((SECONDS + seconds))
while [ $SECONDS -lt $end ]; do
    sample >>"$work/samples"
    for tool in trace_stats service_map runtime_traffic; do
        curl -s -m 10 -o /dev/null -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
            -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'$tool'","arguments":{"service_name":"*"}}}' "http://$query/mcp" || break 2
    done
    sleep 0.5
done
# of COLUMN PART: the median of a tenth of the samples, the PARTth
of() {
    local all=$(wc -l <"$work/samples")
    sed -n "$((all * $2 / 10 + 1)),$((all * ($2 + 1) / 10))p" "$work/samples" | awk -v c="$1" '{ print $c }' | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
check "there were samples" test "$(wc -l <"$work/samples")" -ge 10
grown=$(($(of 1 9) - $(of 1 4)))
check "KiB grown in the second half of $seconds s: $grown (to $(of 1 9))" test $grown -le $((4096 + 1024 * seconds / 7200))
check "threads: $(of 2 9), as before" test "$(of 2 9)" -le "$(of 2 4)"
check "files open: $(of 3 9), as before" test "$(of 3 9)" -le $(($(of 3 4) + 1))
check "and sockets: $(sockets)" test "$(sockets)" -le $((open + 2))
kill -TERM $load_pid
wait $load_pid
check "it stops cleanly" stop_service
same "all that was acknowledged is counted, once" "$(jq .acked "$work/load.out")" "$("$spangraph" edges --data "$work/data" --json | jq '[.edges[] | select(.kind == "virtual_in") | .count] | add')"
done_testing
