#!/bin/bash
# How many tools/calls a CPU second of the service answers over HTTP, all its
# threads, user and kernel: the same question while nothing changes (its answer
# is kept), and with kept answers switched off; beside /healthz, which is what a
# request over this server costs at least.
#
#     CALLS=20000 tests/bench/bench_calls.sh
#
# The two services have the same 10,000 edges and are asked by turns.  Ends with
# 1 when kept answers are fewer than they may be.
set -u
cd "$(dirname "$0")/../.."
spangraph=${SPANGRAPH:-$PWD/build/spangraph}
knock=$PWD/build/release/tests/bench/knock
growth=$PWD/build/release/tests/bench/bench_growth
. tests/bench/needs.sh
needs "$spangraph" "$knock" "$growth"
calls=${CALLS:-20000}
limit=50000
work=$(mktemp -d)
pids=()
trap '[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT

# serve NAME BYTES: a service that keeps answers of BYTES; sets port and pid.
serve() {
    cat >"$work/$1.yaml" <<YAML
receivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}
query: {endpoint: "localhost:0", kept_answers: $2}
YAML
    taskset -c 0 "$spangraph" serve --config "$work/$1.yaml" --data "$work/$1" 2>"$work/$1.log" &
    pid=$!
    pids+=("$pid")
    for ((try = 0; try < 400; try++)); do
        grep -qs 'msg="ready"' "$work/$1.log" && break
        sleep 0.05
    done
    port=$(sed -n 's/.*msg="listening" query="\([^"]*\)".*/\1/p' "$work/$1.log")
}

# row NAME PORT PID CONNECTIONS CALLS PATH ...: asks, and prints a line.
row() {
    local name=$1 port=$2 pid=$3 conns=$4 n=$5
    read -r wall cpu len < <(taskset -c 1 "$knock" "$port" "$pid" "$n" "$conns" "${@:6}") || exit 1
    printf '%-34s %8.0f a CPU second %8.0f a second, %6d bytes each\n' "$name" "$cpu" "$wall" "$len"
}

"$growth" fill "$work/kept" 100 || exit 1
cp -r "$work/kept" "$work/plain"
serve kept 8MiB
kept=$port kept_pid=$pid
serve plain 0
plain=$port plain_pid=$pid

asked=('trace_stats|{}' 'who_calls|{"service":"svc7","route":"GET /svc7/r3"}'
    'runtime_traffic|{"service_name":"svc7"}')
failed=0
for conns in 32 1; do
    row "/healthz, $conns at once" "$kept" "$kept_pid" "$conns" "$calls" /healthz
    for one in "${asked[@]}"; do
        tool=${one%%|*} args=${one#*|}
        row "$tool, kept, $conns at once" "$kept" "$kept_pid" "$conns" "$calls" /mcp "$tool" "$args"
        [ "$tool $conns" = "trace_stats 32" ] && [ "$cpu" -lt "$limit" ] && failed=1
        row "$tool, not kept, $conns at once" "$plain" "$plain_pid" "$conns" $((calls / 20)) /mcp "$tool" "$args"
    done
done
echo "limit: $limit kept trace_stats a CPU second"
exit $failed
