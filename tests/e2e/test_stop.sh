#!/bin/bash
# The end of the service under load: nothing acknowledged is lost, the exit
# code is 0, and it takes no longer than the drain.
. "$(dirname "$0")/lib.sh"
npm_ready
count() { "$spangraph" edges --data "$1" --json | jq '[.edges[] | select(.kind == "virtual_in") | .count] | add'; }

for signal in TERM INT; do
    data=$work/$signal
    start_service "$data" 'service: {drain: 5s}
store: {flush_interval: 200ms}'
    node tests/e2e/load.js "http://$http/v1/traces" 50 4 >"$work/load.http" &
    loads=$!
    call "$grpc" loop 4 4 >"$work/load.grpc" &
    calls=$!
    sleep 2
    begin=$(date +%s%N)
    kill -"$signal" "$service_pid"
    wait "$service_pid"
    same "$signal: exit code" 0 $?
    service_pid=
    took=$((($(date +%s%N) - begin) / 1000000))
    check "$signal: ended within the drain ($took ms)" test $took -lt 5000
    wait $calls
    # What the sender has in flight never ends; what it says is the count so far.
    kill -KILL $loads
    { wait $loads; } 2>/dev/null
    sent=$(jq '.sent - .failed' "$work/load.grpc")
    check "$signal: there was a load" test "$sent" -gt 50
    has "$signal: the last thing said" 'msg="stopped"' "$(tail -1 "$work/service.log")"
    counted=$(count "$data")
    # Once more, with the same data: the sum is that of the acknowledged.
    start_service "$data" 'store: {flush_interval: 200ms}'
    sleep 0.5
    same "$signal: nothing to be made up for at the next start" "$counted" "$(count "$data")"
    check "$signal: it stops" stop_service
    check "$signal: at least what gRPC heard" test "$counted" -ge "$sent"
done

# Exact: one sender over HTTP that goes on at the next start.
start_service "$work/exact" 'store: {flush_interval: 200ms}'
port=${http##*:}
fixed="receivers: {otlp: {protocols: {grpc: {enabled: false}, http: {endpoint: \"localhost:$port\"}}}}
query: {enabled: false}
store: {flush_interval: 200ms}"
printf '%s\n' "$fixed" >"$work/fixed.yaml"
check "it stops at once without load" stop_service
node tests/e2e/load.js "http://127.0.0.1:$port/v1/traces" 50 4 >"$work/load.out" &
load_pid=$!
clean=0
for i in 1 2 3 4 5 6 7 8; do
    "$spangraph" serve --config "$work/fixed.yaml" --data "$work/exact" 2>>"$work/service.log" &
    service_pid=$!
    sleep 0.6
    kill -TERM $service_pid
    wait $service_pid && clean=$((clean + 1))
done
same "eight ends under load, each clean" 8 $clean
"$spangraph" serve --config "$work/fixed.yaml" --data "$work/exact" 2>>"$work/service.log" &
service_pid=$!
sleep 1
kill -TERM $load_pid
wait $load_pid
check "the last one too" stop_service
echo "# $(cat "$work/load.out")"
same "acknowledged is counted, once" "$(jq .acked "$work/load.out")" "$(count "$work/exact")"

# A sender that stops in the middle of its body holds up the end until the
# drain; a second signal does not wait.
stuck() {
    exec 3<>"/dev/tcp/${http%:*}/${http##*:}"
    printf 'POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{' >&3
    sleep 0.3
}
for drain in 1s 60s; do
    start_service "$work/stuck$drain" "service: {drain: $drain}"
    stuck
    begin=$(date +%s%N)
    kill -TERM "$service_pid"
    if [ $drain = 60s ]; then
        sleep 0.5
        kill -TERM "$service_pid"
    fi
    wait "$service_pid" 2>/dev/null
    code=$?
    service_pid=
    took=$((($(date +%s%N) - begin) / 1000000))
    exec 3>&-
    check "drain $drain: ended in time ($took ms)" test $took -lt 2500
    [ $drain = 60s ] || same "drain $drain: exit code" 0 $code
    [ $drain = 1s ] || same "drain $drain: by the signal" 143 $code
done

# Stuck senders on each port, and an agent: they have one drain, not one each.
# Nor does SIGHUP, which comes late, cut it short.
stuck_everywhere() {
    local path=/opentelemetry.proto.collector.trace.v1.TraceService/Export
    stuck
    exec 4<>"/dev/tcp/${grpc%:*}/${grpc##*:}" 5<>"/dev/tcp/${query%:*}/${query##*:}"
    printf 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{' >&5
    # The preface, SETTINGS, HEADERS of a call, and DATA with a part of its message.
    {
        printf 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0'
        printf '\0\0\151\1\4\0\0\0\1\203\206\104\73%s' $path
        printf '\101\11localhost\137\20application/grpc\100\2te\10trailers'
        printf '\0\0\6\0\0\0\0\0\1\0\0\0\1\0\n'
    } >&4
    sleep 0.3
}
start_service "$work/everywhere" 'service: {drain: 2s}'
stuck_everywhere
begin=$(date +%s%N)
kill -TERM "$service_pid"
sleep 0.5
kill -HUP "$service_pid"
wait "$service_pid" 2>/dev/null
same "stuck on each port: exit code" 0 $?
service_pid=
took=$((($(date +%s%N) - begin) / 1000000))
exec 3>&- 4>&- 5>&-
check "stuck on each port: not before the drain ($took ms)" test $took -ge 1900
check "stuck on each port: one drain" test $took -lt 3500

done_testing
