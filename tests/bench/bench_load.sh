#!/bin/bash
# What clients feel while the service is half busy: how long an acknowledgement
# takes with `commit`, and a question over MCP at 100,000 edges.
#
#     SECONDS_EACH=10 tests/bench/bench_load.sh
#
# First as many requests as it takes, then half as many a second, each due at a
# time of its own (tests/bench/pace.h): once with spans that touch all of the
# 100,000 edges in turn, once with those of a small shop; meanwhile questions,
# one after another (tests/bench/ask.py): the same again and again, whose answer
# is kept, and each time another, that no answer is kept of, about each service
# in turn or all of them.  Server and clients on a core each.  Ends with 1 when
# half of those with a limit take longer than they may; of the last percent the limit is shown
# and no more, since with other work on the machine it says little of us.
set -u
cd "$(dirname "$0")/../.."
spangraph=$PWD/build/spangraph
blast=$PWD/build/release/tests/bench/blast
growth=$PWD/build/release/tests/bench/bench_growth
. tests/bench/needs.sh
needs "$spangraph" "$blast" "$growth"
each=${SECONDS_EACH:-10}
work=$(mktemp -d)
pid=
paced=
failed=0
trap '[ -z "$paced" ] || kill $paced 2>/dev/null; [ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$work"' EXIT

cat >"$work/config.yaml" <<YAML
receivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}
query: {endpoint: "localhost:0", toolsets: runtime}
store: {durability: commit, queue_spans: 1000000}
pairing: {max_spans: 1000000}
YAML

port() { sed -n "s/.*msg=\"listening\" $1=\"\\([^\"]*\\)\".*/\\1/p" "$work/log"; }

# held NAME P50 LIMIT P99 LIMIT: prints a row.
held() {
    awk -v n="$1" -v a="$2" -v la="$3" -v b="$4" -v lb="$5" 'BEGIN {
        printf "%-46s p50 %7.2f ms (limit %s)   p99 %7.2f ms (limit %s)\n", n, a, la, b, lb
        exit a > la }' || failed=1
}

"$growth" fill "$work/data" 1000 || exit 1
begin=$(date +%s%N)
taskset -c 0 "$spangraph" serve --config "$work/config.yaml" --data "$work/data" 2>"$work/log" &
pid=$!
for ((try = 0; try < 400; try++)); do
    grep -q 'msg="ready"' "$work/log" && break
    sleep 0.02
done
printf 'ready after %d ms with 100,000 edges, %d MiB resident\n' \
    $((($(date +%s%N) - begin) / 1000000)) \
    "$(awk '/^VmRSS/ {print int($2 / 1024)}' "/proc/$pid/status")"
http=$(port http)
query=$(port query)
trace_stats='trace_stats={}'
traffic='runtime_traffic={"service_name":"svc7"}'
callers='who_calls={"service":"svc7","route":"GET /svc7/r3"}'
others=('trace_stats={"service":"svc@"}' 'runtime_traffic={"service_name":"svc@"}'
    'runtime_traffic={"service_name":"svc@","since":"24h"}'
    'who_calls={"service":"svc@","route":"GET /svc@/r3"}' 'explain={"service":"svc@"}'
    'service_map={"limit":@}' 'service_map={"limit":@,"since":"24h"}'
    'dead_routes={"limit":@}' 'compare={"limit":@}')

echo "answered again and again, nothing else going on (calls a CPU second of the server last):"
taskset -c 1 python3 tests/bench/ask.py "$query" "$pid" 300 "$trace_stats" "$traffic" "$callers" || failed=1

# differing CALLS: what questions cost of which no answer is kept; totals of all
# are, for a second.
differing() {
    taskset -c 1 python3 tests/bench/ask.py "$query" "$pid" "$1" "${others[@]}" || failed=1
    EVERY=1.1 taskset -c 1 python3 tests/bench/ask.py "$query" "$pid" 8 "$trace_stats" || failed=1
}
echo "each time another, nothing else going on (likewise; the last is trace_stats once in 1.1 s):"
differing 40

# paced NAME SPANS: half of all it takes, and what an acknowledgement takes then;
# SPANS is the mean of a request.  Sets |half|, requests a second.
paced() {
    local full p50 p99 p999 most
    full=$(taskset -c 1 "$blast" h1 "$http" "$pid" plain 512 2000 4 4 500 | cut -d' ' -f1)
    half=$(awk -v f="$full" -v n="$2" 'BEGIN {printf "%.1f", f / n / 2}')
    echo "all it takes: $full spans/s; half of that: $half requests/s of $2 spans"
    PACE=$half taskset -c 1 "$blast" h1 "$http" "$pid" plain 512 \
        "$(awk -v r="$half" -v s="$each" 'BEGIN {print int(r * s)}')" 48 1 1 >"$work/pace"
    read -r p50 p99 p999 most < <(tail -n 1 "$work/pace")
    held "acknowledged, $1" "$p50" 10 "$p99" 50
    echo "  99.9 %: $p999 ms; the slowest: $most ms"
}
WIDE=1000 paced "all edges touched" 210
paced "few edges touched" 512
PACE=$half taskset -c 1 "$blast" h1 "$http" "$pid" plain 512 \
    "$(awk -v r="$half" -v s="$each" 'BEGIN {print int(12 * r * s)}')" 48 1 1 >/dev/null &
paced=$!
sleep 1
for asked in "$trace_stats" "$traffic" "$callers" "${others[0]}" "${others[1]}" "${others[3]}"; do
    read -r name p50 p99 _ < <(taskset -c 1 python3 tests/bench/ask.py "$query" "$pid" 400 "$asked")
    [ "${asked/@/}" = "$asked" ] || name="$name, another each time"
    held "${name:-$asked}, half load" "${p50:-9999}" 20 "${p99:-9999}" 20
done
echo "each time another, half load (CPU with that of the spans):"
differing 20
kill "$paced" 2>/dev/null
wait "$paced" 2>/dev/null
paced=
kill -TERM "$pid"
wait "$pid"
pid=
exit $failed
