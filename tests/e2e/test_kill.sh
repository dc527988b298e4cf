#!/bin/bash
# kill -9 under load, KILLS times: what was acknowledged is there, once.
. "$(dirname "$0")/lib.sh"
case ${SIZE:-commit} in
commit) kills=${KILLS:-200} ;;
nightly) kills=${KILLS:-1000} ;;
*) kills=${KILLS:-5000} ;;
esac
data=$work/data

# A fixed port, so that the sender finds the service again.
start_service "$data" 'store: {flush_interval: 50ms}'
port=${http##*:}
fixed="receivers: {otlp: {protocols: {grpc: {enabled: false}, http: {endpoint: \"localhost:$port\"}}}}
query: {enabled: false}
store: {flush_interval: 50ms}"
kill -9 $service_pid
wait $service_pid 2>/dev/null
printf '%s\n' "$fixed" >"$work/fixed.yaml"

node tests/e2e/load.js "http://127.0.0.1:$port/v1/traces" 50 4 >"$work/load.out" &
load_pid=$!
started=0
for ((i = 0; i < kills; i++)); do
    "$spangraph" serve --config "$work/fixed.yaml" --data "$data" 2>>"$work/service.log" &
    service_pid=$!
    sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
    kill -9 $service_pid 2>/dev/null && started=$((started + 1))
    wait $service_pid 2>/dev/null
done
same "it was there to be killed each time" "$kills" "$started"

"$spangraph" serve --config "$work/fixed.yaml" --data "$data" 2>>"$work/service.log" &
service_pid=$!
sleep 1
kill -TERM $load_pid
wait $load_pid
acked=$(jq .acked "$work/load.out")
check "the service stops cleanly" stop_service
counted=$("$spangraph" edges --data "$data" --json | jq '[.edges[] | select(.kind == "virtual_in") | .count] | add')
echo "# $kills kills, $(cat "$work/load.out")"
check "something was acknowledged" test "$acked" -gt $((kills * 50))
same "acknowledged is counted, once" "$acked" "$counted"
check "the database is whole" test "$(sqlite3 "$data/spangraph.db" 'PRAGMA integrity_check')" = ok

done_testing
