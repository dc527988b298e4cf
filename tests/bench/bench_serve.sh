#!/bin/bash
# From socket to folded edges: spans per CPU second of the whole server (all
# its threads, user and kernel, until it has settled), on its own core, the
# client on the other; medians of RUNS runs.  LIVE spans are sent first, which is
# as many as are held: so the oldest is forgotten for each that comes.
#
#   RUNS=5 REQUESTS=2000 LIVE=1000000 tests/bench/bench_serve.sh [NAME...]
#
# Each run is checked: what the store counted afterwards is what was sent, and
# nothing of it twice.  Beside each rate stands the floor it is held to, what it
# is of decoding alone and of reading the bytes once, and how many times that of
# the OpenTelemetry Collector's OTLP receiver which only counts (peers/; where Go
# is at hand to build it), with the same client right after each run: the machine
# differs from itself within minutes, so what is told is the median of the ratios.
# Ends with 1 if a count is wrong or a rate is below half of its floor.
set -u
cd "$(dirname "$0")/../.."
runs=${RUNS:-5}
requests=${REQUESTS:-2000}
live=${LIVE:-1000000}
spangraph=$PWD/build/spangraph
blast=$PWD/build/release/tests/bench/blast
decode=$PWD/build/release/tests/bench/bench_decode
. tests/bench/needs.sh
needs "$spangraph" "$blast" "$decode"
collector=$PWD/build/bench/collector
aim=7 # times the Collector
work=$(mktemp -d)
pid=
failed=0
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$work"' EXIT

serve() { # DURABILITY
    rm -rf "$work/data" "$work/log"
    cat >"$work/config.yaml" <<YAML
receivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}
query: {endpoint: "localhost:0"}
store: {durability: $1, queue_spans: 1000000}
pairing: {max_spans: $live}
YAML
    touch "$work/log"
    taskset -c 0 "$spangraph" serve --config "$work/config.yaml" --data "$work/data" 2>"$work/log" &
    pid=$!
    for ((try = 0; try < 200; try++)); do
        grep -q 'msg="ready"' "$work/log" && break
        sleep 0.05
    done
    grpc=$(sed -n 's/.*msg="listening" grpc="\([^"]*\)".*/\1/p' "$work/log")
    http=$(sed -n 's/.*msg="listening" http="\([^"]*\)".*/\1/p' "$work/log")
}

memory_mib() { awk '/^VmRSS/ {print int($2 / 1024)}' "/proc/$pid/status"; }

stop() {
    kill -TERM "$pid"
    wait "$pid"
    pid=
}

# check NAME SPANS: the store holds as many, none of them twice.
check() {
    local held
    held=$("$spangraph" stats --data "$work/data" --json |
        python3 -c 'import json, sys; s = json.load(sys.stdin); s = s["counters"]; print(s["spans"], s["duplicates"])')
    [ "$held" = "$2 0" ] && return
    echo "$1: sent $2 spans, counted (and duplicates): $held"
    failed=1
}

# Builds the Collector's receiver once; false where that cannot be.
build_collector() {
    [ -x "$collector" ] && return
    command -v go >/dev/null || return
    (cd tests/bench/peers && timeout 600 go build -o "$collector" .) 2>"$work/log" && return
    sed 's/^/collector: /' "$work/log" | tail -n 3
    return 1
}

# peer PROTOCOL ENCODING SPANS REQUESTS CONNECTIONS WINDOW: the rate of the
# Collector's receiver of that protocol, spans per CPU s, warmed up by half as
# many requests; nothing when it is not there or did not count what was sent.
peer() {
    local port=http at out warm=$(($4 / 2))
    [ "$1" != grpc ] || port=grpc
    [ -n "$peers" ] || return
    rm -f "$work/peer"
    GOMAXPROCS=1 taskset -c 0 "$collector" >"$work/peer" &
    pid=$!
    for ((try = 0; try < 200; try++)); do
        [ ! -s "$work/peer" ] || break
        sleep 0.05
    done
    at=$(sed -n "s/.*$port=\([^ ]*\).*/\1/p" "$work/peer")
    out=$(taskset -c 1 "$blast" "$1" "$at" "$pid" "$2" "$3" "$4" "$5" "$6" "$warm")
    stop
    ! grep -q "^spans=$(($3 * ($4 + warm)))\$" "$work/peer" || cut -d' ' -f2 <<<"$out"
}

median() { sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

# measure NAME FLOOR DURABILITY PROTOCOL PORT ENCODING SPANS REQUESTS [CONNECTIONS WINDOW]
measure() {
    local name=$1 floor=$2 rates=() others=() times=() out rss at limit other
    [ ${#only[@]} = 0 ] || [[ " ${only[*]} " == *" $name "* ]] || return
    for ((i = 0; i < runs; i++)); do
        serve "$3"
        [ "$5" = grpc ] && at=$grpc || at=$http
        if ! out=$(taskset -c 1 "$blast" "$4" "$at" "$pid" "$6" "$7" "$8" "${9:-4}" "${10:-4}" $((live / $7))); then
            echo "$name: failed: $out"
            failed=1
            stop
            return
        fi
        rates+=("$(cut -d' ' -f2 <<<"$out")")
        rss=$(memory_mib)
        stop
        check "$name" $(($7 * ($8 + live / $7)))
        other=$(peer "$4" "$6" "$7" "$(($8 / 2))" "${9:-4}" "${10:-4}")
        [ -n "$other" ] || continue
        others+=("$other")
        times+=("$(awk -v rate="${rates[i]}" -v other="$other" 'BEGIN {print rate / other}')")
    done
    [ "$6" = json ] && limit=$json_limit || limit=$pb_limit
    printf '%s\n' "${rates[@]}" | median |
        awk -v name="$name" -v floor="$floor" -v rss="$rss" -v limit="$limit" \
            -v other="$(printf '%s\n' "${others[@]}" | median)" \
            -v times="$(printf '%s\n' "${times[@]}" | median)" '{
            split(limit, l, " "); rate = $1 / 1e6
            printf "%-16s %7.3f   %4.2f  %5.2f   %5.1f %%   %5.1f %%   %9s %8s   %4d\n",
                name, rate, floor, rate / floor, 100 * rate / l[1], 100 * rate / l[2],
                (times ? sprintf("%.3f", other / 1e6) : "-"),
                (times ? sprintf("%.1f x", times) : "-"), rss
            exit rate < floor / 2 }' || failed=1
}

only=("$@")
limits=$(taskset -c 0 "$decode" 32 512 5)
pb_limit=$(awk '/^protobuf / {d = $2} /^read/ {print d, $5; exit}' <<<"$limits")
json_limit=$(awk '/^json/ {j = $2} /^read/ {r = $5} /^cJSON/ {print j, r; exit}' <<<"$limits")
serve memory
printf 'idle: %d MiB resident (limit 20)\n' "$(memory_mib)"
[ "$(memory_mib)" -le 20 ] || failed=1
stop

peers=
if build_collector; then
    peers=yes
else
    echo "no Collector to compare with: Go is not at hand, or its modules are not"
fi
echo "$runs runs, $requests requests of 512 spans, 14 attributes in random order;"
echo "M spans per CPU s; of what decoding alone ($pb_limit M; JSON $json_limit M), reading once can do;"
echo "the Collector's receiver, and how many times that (aim $aim with 512 spans)"
echo "                    rate  floor  ratio  of decode  of read   Collector             MiB"
measure http-memory 2.5 memory h1 http plain 512 "$requests"
measure h2-memory 2.5 memory grpc http plain 512 "$requests"
measure grpc-memory 2.5 memory grpc grpc plain 512 "$requests"
measure http-commit 1.2 commit h1 http plain 512 "$requests"
measure grpc-commit 1.2 commit grpc grpc plain 512 "$requests"
measure http-gzip 1.2 memory h1 http gzip 512 "$((requests / 4))"
measure http-json 0.8 memory h1 http json 512 "$((requests / 2))"
measure http-64-spans 2.0 memory h1 http plain 64 "$((requests * 4))"
live=$((live / 8)) # and the warm-up is as many requests
measure grpc-1-span 0.08 memory grpc grpc plain 1 "$((requests * 25))" 2 32
exit $failed
