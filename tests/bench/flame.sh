#!/bin/bash
# Where the time of the service goes, as a flame graph: samples of its CPU clock
# while batches of 512 spans come by HTTP/1.1 with `durability: memory`.
#
#     tests/bench/flame.sh > docs/flame.svg
#
# Needs perf, and a service built with frame pointers, which it builds below
# build/flame.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p build/flame
ln -sfn ../grammars build/flame/grammars
make BUILD=build/flame CFLAGS=-fno-omit-frame-pointer build/flame/release/spangraph >&2
make benches >&2
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 $pid; rm -rf "$work"' EXIT
cat >"$work/config.yaml" <<YAML
receivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}
query: {endpoint: "localhost:0"}
store: {durability: memory, queue_spans: 1000000}
pairing: {max_spans: 1000000}
YAML
taskset -c 0 build/flame/release/spangraph serve --config "$work/config.yaml" --data "$work/data" 2>"$work/log" &
pid=$!
for ((try = 0; try < 200; try++)); do
    grep -q 'msg="ready"' "$work/log" && break
    sleep 0.05
done
http=$(sed -n 's/.*msg="listening" http="\([^"]*\)".*/\1/p' "$work/log")
blast() { taskset -c 1 build/release/tests/bench/blast h1 "$http" "$pid" plain 512 "$1" 4 4 1 >&2; }
blast 2000
perf record -q -e cpu-clock -F 1999 -g -o "$work/perf" -p "$pid" >&2 &
recorder=$!
sleep 0.5
blast 8000
kill -INT "$recorder"
wait "$recorder" || true
perf script -i "$work/perf" -F comm,ip,sym 2>/dev/null |
    python3 tests/bench/flame.py "spangraph serve, HTTP/1.1, 512 spans a request, durability: memory"
