#!/bin/bash
# From socket to committed edges: spans per CPU second of the whole server, on
# its own core, the client on the other; medians of RUNS runs.
#
#   RUNS=5 REQUESTS=2000 tests/bench/bench_serve.sh
#
# "of decode" is the same rate relative to decoding alone in this run, "of
# reading" relative to reading the bytes once: tests/bench/bench_decode prints
# both limits on this machine.
set -eu
cd "$(dirname "$0")/../.."
runs=${RUNS:-5}
requests=${REQUESTS:-2000}
spangraph=$PWD/build/spangraph
blast=$PWD/build/release/tests/bench/blast
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$work"' EXIT

serve() { # DURABILITY
    rm -rf "$work/data"
    cat >"$work/config.yaml" <<YAML
receivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}
query: {endpoint: "localhost:0"}
store: {durability: $1, queue_spans: 1000000}
YAML
    taskset -c 0 "$spangraph" serve --config "$work/config.yaml" --data "$work/data" 2>"$work/log" &
    pid=$!
    until grep -q 'msg="ready"' "$work/log"; do sleep 0.05; done
    grpc=$(sed -n 's/.*msg="listening" grpc="\([^"]*\)".*/\1/p' "$work/log")
    http=$(sed -n 's/.*msg="listening" http="\([^"]*\)".*/\1/p' "$work/log")
}

median() { sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

# measure NAME DURABILITY PROTOCOL PORT ENCODING SPANS REQUESTS
measure() {
    local name=$1 rates=() out rss
    for ((i = 0; i < runs; i++)); do
        serve "$2"
        [ "$4" = grpc ] && at=$grpc || at=$http
        out=$(taskset -c 1 "$blast" "$3" "$at" "$pid" "$5" "$6" "$7" 2 8) || { echo "$name: failed: $out"; kill -9 $pid; wait $pid 2>/dev/null || true; return; }
        rates+=("$(cut -d' ' -f2 <<<"$out")")
        rss=$(awk '/VmRSS/ {print int($2 / 1024)}' "/proc/$pid/status")
        kill -TERM $pid
        wait $pid || true
        pid=
    done
    printf '%-44s %8.3f M spans/CPU s   RSS %4d MiB\n' "$name" \
        "$(printf '%s\n' "${rates[@]}" | median | awk '{print $1 / 1e6}')" "$rss"
}

echo "$runs runs, $requests requests of 512 spans, 14 attributes in random order"
measure "HTTP/1.1, memory" memory h1 http plain 512 "$requests"
measure "gRPC by nghttp2, memory" memory grpc http plain 512 "$requests"
measure "gRPC core, memory" memory grpc grpc plain 512 "$requests"
measure "HTTP/1.1, commit" commit h1 http plain 512 "$requests"
measure "gRPC core, commit" commit grpc grpc plain 512 "$requests"
measure "HTTP/1.1, gzip, memory" memory h1 http gzip 512 "$((requests / 4))"
measure "HTTP/1.1, JSON, memory" memory h1 http json 512 "$((requests / 2))"
measure "HTTP/1.1, 64 spans a request, memory" memory h1 http plain 64 "$((requests * 4))"
