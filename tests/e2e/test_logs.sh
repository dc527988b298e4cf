#!/bin/bash
# What peers do wrong fills no disk: a flood of it writes a bounded number of lines.
. "$(dirname "$0")/lib.sh"
keys='receivers: {otlp: {auth: {tokens: [good]}, other_signals: discard}}'
lines() { grep -c . "$work/service.log"; }
# A message is written 20 times, then once a second; this many seconds were enough for all of it.
bound_of() { echo $((20 + 2 * ($(date +%s) - begun + 2))); }

start_service "$work/data" "$keys"
# What doctor says of SQLite the log does, too.
tells() { grep -q "can corrupt a database"; }
same "one warning, if SQLite has the defect" "$("$spangraph" doctor --data "$work/none" | tells && echo 1 || echo 0)" \
    "$(grep -c 'level=warn msg="this SQLite can corrupt' "$work/service.log")"
quiet=$(lines)
begun=$(date +%s)
timeout 60 node tests/e2e/flood.js "$http" "$grpc" "$query" 300
same "the flood ends" 0 $?
check "it came in" test "$(metric 'spangraph_refused_requests_total{reason="invalid"}')" -ge 300
check "was refused for want of a token" test "$(metric 'spangraph_refused_requests_total{reason="denied"}')" -ge 300
check "and discarded" test "$(metric 'spangraph_discarded_requests_total{signal="other"}')" -ge 300
check "5,400 wrongs at level info: a handful of lines" test $(($(lines) - quiet)) -le 10
check "the service is well" test "$(curl -s -o /dev/null -w '%{http_code}' "http://$query/readyz")" = 200
check "it stops" stop_service

# Everything that is said at all, at level debug.
start_service "$work/data" "$keys
service: {log: {level: debug}}"
quiet=$(lines)
begun=$(date +%s)
timeout 60 node tests/e2e/flood.js "$http" "$grpc" "$query" 300
messages=$(tail -n "+$((quiet + 1))" "$work/service.log" | sed 's/.*msg="\([^"]*\)".*/\1/' | sort | uniq -c | sort -rn)
check "at level debug no message is written more often than it may" test "$(head -1 <<<"$messages" | awk '{ print $1 + 0 }')" -le "$(bound_of)"
check "it stops" stop_service
same "every line is one of ours" 0 "$(grep -vc '^time=[^ ]* level=[a-z]* msg="' "$work/service.log")"

npm_ready
healthy() { call "$grpc" health | grep -q '"body":"0801"'; }
# A machine that is out of descriptors says so, and again, but not each time.
start_limited() { # [option of ulimit]
    rm -f "$work/limited"
    (
        ulimit $1 -n 64
        start_service "$work/data" "$keys"
        echo "$service_pid $http $grpc $query" >"$work/limited"
        wait "$service_pid"
    ) &
    limited=$!
    wait_for 10 test -s "$work/limited"
    read -r service_pid http grpc query <"$work/limited"
}
stop_limited() {
    kill -TERM "$service_pid"
    wait "$limited"
    service_pid=
}
start_limited -S
same "a limit that is only a shell's is raised" "$(ulimit -H -n)" "$(awk '/^Max open files/ { print $4 }' "/proc/$service_pid/limits")"
stop_limited
start_limited -SH
begun=$(date +%s)
cat >"$work/connect.js" <<'JS'
const net = require('net');
const [host, port] = process.argv[2].split(':');
let left = 2000;
const one = () => {
    if (left-- <= 0) return;
    const socket = net.connect(port, host);
    socket.on('error', () => {});
    socket.on('close', one);
    setTimeout(() => socket.destroy(), 300);
};
for (let i = 0; i < 200; i++) one();
JS
timeout 60 node "$work/connect.js" "$http"
check "2,000 connections to 64 descriptors write few lines" test "$(lines)" -le $(($(bound_of) + 20))
check "the service goes on" wait_for 10 bash -c "[ \"\$(curl -s -o /dev/null -w '%{http_code}' 'http://$query/readyz')\" = 200 ]"
timeout 60 node "$work/connect.js" "$grpc"
check "nor do as many to gRPC core" test "$(lines)" -le $(($(bound_of) + 20))
check "its newcomers are answered again" wait_for 10 healthy
stop_limited

# What cannot be opened is named, and why.
start_service "$work/named" "$keys"
check "it stops" stop_service
ln -s "$work/nowhere/seg" "$work/named/spangraph.db-seg1"
"$spangraph" serve --data "$work/named" >"$work/refused" 2>&1
same "without its journal it does not start" 4 $?
check "the file is named" grep -qF "file=\"$work/named/spangraph.db-seg1: Too many levels of symbolic links (14)\"" "$work/refused"
done_testing
