#!/bin/bash
# How long `search` takes while spans arrive: stores of SIZES objects (60 % code,
# 35 % texts, 5 % observed routes), SPANS a second sent for SECONDS, and RATE
# questions a second asked open-loop: each is due at its time whether or not the
# one before was answered, and its time counts from then.
#
#   SIZES="20000 100000 200000" SPANS=5000 SECONDS_EACH=20 RATE=4 \
#       tests/bench/bench_search.sh
#
# Beside the milliseconds stands what they are of reading all texts once, in the
# same run on the same machine, and the CPU time of the whole service a question
# (spans taken in too).  Ends with 1 if P95 is over LIMIT_MS (100) and over
# LIMIT_SHARE (3.0) of that reading: a busy machine makes both longer.
set -u
cd "$(dirname "$0")/../.."
spangraph=$PWD/build/spangraph
world=$PWD/build/release/tests/bench/search/world
. tests/bench/needs.sh
needs "$spangraph" "$world"
work=$(mktemp -d)
pid=
failed=0
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$work"' EXIT

for size in ${SIZES:-20000 100000 200000}; do
    rm -rf "$work/data"
    mkdir "$work/data"
    "$world" "$work/data" "$size" >"$work/questions"
    node tests/bench/search/spans.js $((size / 20)) >"$work/spans.jsonl"
    "$spangraph" ingest "$work/spans.jsonl" --data "$work/data" >/dev/null
    cat >"$work/config.yaml" <<YAML
receivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}
query: {endpoint: "localhost:0", toolsets: all}
YAML
    : >"$work/log"
    "$spangraph" serve --config "$work/config.yaml" --data "$work/data" 2>"$work/log" &
    pid=$!
    for ((try = 0; try < 600; try++)); do
        grep -q 'msg="ready"' "$work/log" && break
        sleep 0.05
    done
    http=$(sed -n 's/.*msg="listening" http="\([^"]*\)".*/\1/p' "$work/log")
    mcp=$(sed -n 's/.*msg="listening" mcp="\([^"]*\)".*/\1/p' "$work/log")
    [ -n "$mcp" ] || mcp=$(grep -o 'query="[^"]*"' "$work/log" | head -1 | cut -d'"' -f2)
    node tests/bench/search/load.js "$pid" "$http" "$mcp" "$work/questions" "$size" \
        "${SPANS:-5000}" "${SECONDS_EACH:-20}" "${RATE:-4}" \
        "${LIMIT_MS:-100}" "${LIMIT_SHARE:-3.0}" || failed=1
    kill -TERM "$pid"
    wait "$pid"
    pid=
done
exit $failed
