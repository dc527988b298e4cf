#!/bin/bash
# A limit on the size of files, as a shell or a unit of systemd sets it: a full
# disk by another name, and no signal that ends us.
. "$(dirname "$0")/lib.sh"
npm_ready
data=$work/db
config='store: {flush_interval: 100ms}
pairing: {wait: 500ms}'
shop_ago 60 | head -1 >"$work/shop.json"
taken=0
send() { # the same trace under other ids; sets status, and counts what is taken
    perl -pe 's/("traceId":"[0-9a-f]{24})[0-9a-f]{8}/$1 . sprintf("%08x", '$RANDOM$RANDOM')/ge' "$work/shop.json" >"$work/anew.json"
    status=$(curl -s -m 10 -o "$work/answer" -D "$work/headers" -w '%{http_code}' -H 'Content-Type: application/json' \
        -d @"$work/anew.json" "http://$http/v1/traces")
    [ "$status" != 200 ] || taken=$((taken + 1))
}
# limit BYTES|unlimited: of files of the service; only what it may raise again.
limit() { prlimit --pid "$service_pid" --fsize="$1:"; }
refuses() {
    send
    [ "$status" = 503 ]
}
takes() {
    send
    [ "$status" = 200 ]
}
ready() { [ "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "http://$query/readyz")" = "$1" ]; }
count() { "$spangraph" edges --data "$data" --json | jq '[.edges[] | select(.kind == "virtual_in" and .target == "gateway") | .count] | add // 0'; }

start_service "$data" "$config"
send
check "it stops" stop_service
each=$(count) # of one request
check "a request counts" test "$each" -gt 0

start_service "$data" "$config"
for bytes in 4096 100000; do # the log is a file, too
    takes
    limit $bytes
    check "$bytes: it refuses" wait_for 10 refuses
    check "$bytes: and says when to come back" grep -qi '^retry-after: [1-9]' "$work/headers"
    check "$bytes: /readyz says so" wait_for 10 ready 503
    same "$bytes: questions are answered" 200 "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "http://$query/api/graph/data")"
    check "$bytes: the log says what it is" grep -q 'msg="\(the database refused\|the journal cannot be written\)" sqlite="[^"]*: File too large"' "$work/service.log"
    limit unlimited
    check "$bytes: without the limit it heals by itself" wait_for 15 ready 200
    check "$bytes: and takes spans" wait_for 10 takes
    : >"$work/service.log"
done
for i in 1 2 3; do send; done
limit 4096
refuses
check "it ends under a limit" stop_service
begun() { (
    ulimit -S -f 4 # KiB
    "$spangraph" "$@" 2>&1 </dev/null
); }
rm -f "$data"/*-shm
out=$(begun serve --config "$work/config.yaml" --data "$data")
same "under a limit it cannot begin" 4 $?
has "and says what to do" "File too large; raise the limit on the size of files" "$out"
out=$(begun backup --data "$data" "$work/backup.tar")
same "nor make a backup" 4 $?
has "and says why" "File too large" "$out"
check "of which nothing is left" test -z "$(ls "$work" | grep backup)"

start_service "$data" "$config"
check "without one it begins, and ends" stop_service
same "what was acknowledged is there, once" $((taken * each)) "$(count)"
check "the database is whole" test "$(sqlite3 -readonly "$data/spangraph.db" 'PRAGMA quick_check')" = ok

done_testing
