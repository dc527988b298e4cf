# What the end-to-end tests share.  Each test is a bash script that sources
# this, calls `check NAME COMMAND...` and prints one line a check.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 4
# SPANGRAPH is another build of the program.
spangraph=${SPANGRAPH:-$PWD/build/spangraph}
work=$(mktemp -d)
service_pid=
failures=0

cleanup() {
    # Disowned, so that bash does not say "Killed" of each as a last word.
    local pids="$service_pid $(jobs -p)"
    disown -a
    xargs -r kill -9 <<<"$pids" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT

check() {
    local name=$1
    shift
    if "$@" >"$work/check.out" 2>&1; then
        echo "ok $name"
    else
        echo "not ok $name: $*"
        tail -20 "$work/check.out"
        failures=$((failures + 1))
    fi
}

# same NAME EXPECTED ACTUAL
same() {
    if [ "$2" = "$3" ]; then
        echo "ok $1"
    else
        echo "not ok $1"
        diff <(printf '%s\n' "$2") <(printf '%s\n' "$3")
        failures=$((failures + 1))
    fi
}

# has NAME PART TEXT
has() {
    case $3 in
    *"$2"*) echo "ok $1" ;;
    *)
        echo "not ok $1: no \"$2\" in: $3"
        failures=$((failures + 1))
        ;;
    esac
}

# core_is is how gRPC core is in the program, stripped or not: inside, asked for, or not at all.
core_is() {
    if nm --dynamic --defined-only "$spangraph" | grep -q SetMutexDeadlockDetectionMode; then
        echo inside
    elif readelf -dW "$spangraph" | grep -q 'NEEDED.*libgrpc'; then
        echo asked
    else
        echo none
    fi
}

# shop_ago SECONDS: the recording of the shop, moved in time so that it began so
# long ago.  What is asked of a day must not depend on the day it was made.
shop_ago() {
    AGO=$1 perl -pe 'BEGIN { $begin = (time() - $ENV{AGO}) * 1000000000 }
        s/(TimeUnixNano":")(\d+)/$base \/\/= $2; $1 . ($2 - $base + $begin)/ge' \
        examples/shop/trace.jsonl
}

done_testing() { exit $((failures != 0)); }

# start_service DATA [YAML [QUERY]]: on free ports, but where YAML says endpoints; QUERY
# among query's keys; sets grpc, http, query (host:port).
start_service() {
    {
        [[ ${2:-} == *'grpc: {endpoint'* ]] ||
            echo 'receivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}'
        [[ ${2:-} == *'query: {endpoint'* ]] ||
            echo 'query: {endpoint: "localhost:0"'"${3:+, $3}"'}'
        printf '%s\n' "${2:-}"
    } >"$work/config.yaml"
    : >"$work/service.log"
    "$spangraph" serve --config "$work/config.yaml" --data "$1" 2>>"$work/service.log" &
    service_pid=$!
    local tries=0
    until grep -q 'msg="ready"' "$work/service.log"; do
        tries=$((tries + 1))
        if [ $tries -gt 200 ] || ! kill -0 $service_pid 2>/dev/null; then
            echo "not ok the service starts"
            cat "$work/service.log"
            exit 1
        fi
        sleep 0.05
    done
    grpc=$(sed -n 's/.*msg="listening" grpc="\([^"]*\)".*/\1/p' "$work/service.log")
    http=$(sed -n 's/.*msg="listening" http="\([^"]*\)".*/\1/p' "$work/service.log")
    query=$(sed -n 's/.*msg="listening" query="\([^"]*\)".*/\1/p' "$work/service.log")
}

# stop_service: SIGTERM; its exit code is the result.
stop_service() {
    kill -TERM "$service_pid"
    wait "$service_pid"
    local status=$?
    service_pid=
    return $status
}

# edges DATA LEVEL: one line an edge, sorted: source -> target [kind] count/errors
edges() {
    "$spangraph" edges --data "$1" --level "$2" --json |
        jq -r '.edges[] | "\(.source) -> \(.target) [\(.kind)] \(.count)/\(.errors)"' | LC_ALL=C sort
}

# What the recorded trace of examples/shop must give.
shop_edges='gateway -> orders [call] 6/0
orders -> shopqueue:order-placed [msg_pub] 3/0
orders -> stock-db:5432 [db] 6/0
orders -> worker [msg] 3/0
shopqueue:order-placed -> worker [msg_sub] 3/0
user -> gateway [virtual_in] 6/0
worker -> stock-db:5432 [db] 3/0'

# npm_ready: the packages of the shop, which hold the clients.  One test at a time
# copies the programs, and only newer ones: another may be running them.
npm_ready() {
    deploy/npm.sh examples/shop shop || exit 1
    flock build/npm/shop.lock cp --update examples/shop/*.js build/npm/shop/
    export NODE_PATH=$PWD/build/npm/shop/node_modules
}

# call ADDRESS WHAT ...: one gRPC call by @grpc/grpc-js, see client.js.
call() { NODE_NO_WARNINGS=1 timeout 30 node tests/e2e/client.js "$@" 2>&1; }

# metric NAME[{LABELS}]: its value now.
metric() {
    curl -s -m 10 "${query_url:-http://$query}/metrics" |
        awk -v name="$1" '$1 == name { print $2 }'
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
    local tries=$(($1 * 20))
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.05
    done
}
