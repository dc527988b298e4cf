#!/bin/bash
# A disk that is full, or not writable any more, when the service ends and when
# it begins: what was acknowledged is there once there is room, and until then
# questions are answered or the error says what to do.
. "$(dirname "$0")/lib.sh"
npm_ready
disk=$work/disk
mkdir "$disk"
# A small volume has blocks of 1 KiB: there a file that is long enough can still
# be short of room.
make_disk() {
    [ "$(id -u)" -eq 0 ] && truncate -s 24M "$work/image" &&
        mkfs.ext4 -q -F -m 0 -b 1024 "$work/image" && mount_disk
}
mount_disk() { mount -o loop,errors=remount-ro "$work/image" "$disk"; }
if ! make_disk >/dev/null 2>&1; then
    echo "ok a full disk at the end and the beginning # skip: a loop device needs root"
    exit 0
fi
trap 'cleanup_disk' EXIT
cleanup_disk() {
    [ -z "$service_pid" ] || kill -9 "$service_pid" 2>/dev/null
    wait 2>/dev/null
    umount -l "$disk"
    cleanup
}
fill() {
    dd if=/dev/zero of="$disk/filler" bs=4k status=none 2>/dev/null
    dd if=/dev/zero of="$disk/filler.last" bs=512 status=none 2>/dev/null
}
empty() { rm -f "$disk"/filler*; }
data=$disk/db
config='store: {flush_interval: 60s}
pairing: {wait: 500ms}'
send() { # N: so many times the same trace under other ids; says how many were taken
    local taken=0 status i
    for i in $(seq "$1"); do
        perl -pe 's/("traceId":"[0-9a-f]{24})[0-9a-f]{8}/$1 . sprintf("%08x", '$RANDOM$RANDOM')/ge' "$work/shop.json" >"$work/anew.json"
        status=$(curl -s -m 10 -o "$work/answer" -D "$work/headers" -w '%{http_code}' -H 'Content-Type: application/json' \
            -d @"$work/anew.json" "http://$http/v1/traces")
        [ "$status" != 200 ] || taken=$((taken + 1))
    done
    echo "$taken"
}
shop_ago 60 | head -1 >"$work/shop.json"
count() { "$spangraph" edges --data "$data" --json | jq '[.edges[] | select(.kind == "virtual_in" and .target == "gateway") | .count] | add // 0'; }
log() { cat "$work/service.log"; }
ask() { curl -s -m 5 -o /dev/null -w '%{http_code}' "http://$query/api/graph/data"; }

start_service "$data" "$config"
taken=$(send 1)
check "it stops" stop_service
each=$(count) # of one request
check "a request counts" test "$each" -gt 0

# ---- the end on a full disk ----

start_service "$data" "$config"
sleep 0.5 # the flush with which it begins
fill
more=0
for i in 1 2 3 4 5 6; do
    more=$((more + $(send 1)))
done
empty
more=$((more + $(send 20)))
taken=$((taken + more))
fill
check "it ends on a full disk" stop_service
has "log: what was not stored is in the journal" "what was acknowledged is in the journal" "$(log)"
said=$(sed -n 's/.*what was acknowledged is in the journal.*requests="\([0-9]*\)".*/\1/p' "$work/service.log")
same "log: how much" "$more" "$said"

# ---- the beginning on a full disk ----

for round in 1 2 3 4 5; do
    fill
    start_service "$data" "$config"
    same "round $round: begun on a full disk it answers" 200 "$(ask)"
    for i in $(seq 400); do
        one=$(send 1)
        taken=$((taken + one))
        [ "$one" -eq 1 ] || break
    done
    has "round $round: and refuses" "HTTP/1.1 503" "$(cat "$work/headers")"
    check "round $round: and says when to come back" grep -qi '^retry-after: [1-9]' "$work/headers"
    has "round $round: and says so" "the store cannot be written; requests are refused" "$(log)"
    check "round $round: it ends" stop_service
done

empty
rm "$data"/*-shm
fill
out=$("$spangraph" serve --config "$work/config.yaml" --data "$data" 2>&1)
same "without room for the index it cannot run" 4 $?
has "and says what to do" "No space left on device; make room" "$out"
rm "$disk"/filler.last
truncate -s -300K "$disk/filler"
start_service "$data" "$config"
same "with 300 KiB it takes in" 1 "$(send 1)"
taken=$((taken + 1))
check "and ends" stop_service
empty
start_service "$data" "$config"
check "with room it begins" stop_service
same "and all that was acknowledged is there, once" $((taken * each)) "$(count)"

# ---- full while a flush, and a backup, are under way ----

start_service "$data" 'store: {flush_interval: 10ms}
pairing: {wait: 10ms}'
for round in 1 2 3; do
    fill &
    filling=$!
    taken=$((taken + $(send 10)))
    out=$("$spangraph" backup --data "$data" "$disk/backup$round.tar" 2>&1)
    code=$?
    wait $filling
    if [ $code -eq 0 ]; then
        check "round $round: a backup that found room is whole" tar -tf "$disk/backup$round.tar"
        rm "$disk/backup$round.tar"
    else
        same "round $round: a backup without room fails" 4 $code
        check "round $round: and leaves nothing" test -z "$(ls "$disk" | grep backup)"
    fi
    fill
    out=$("$spangraph" backup --data "$data" "$disk/backup$round.tar" 2>&1)
    same "round $round: a backup on a full disk fails" 4 $?
    has "round $round: and says why" "disk is full" "$out"
    check "round $round: and leaves nothing behind" test -z "$(ls "$disk" | grep backup)"
    same "round $round: the service answers" 200 "$(ask)"
    empty
    check "round $round: it heals" wait_for 10 curl -fsS -m 5 "http://$query/readyz"
    taken=$((taken + $(send 3)))
done
check "it stops with room" stop_service
same "nothing of that is lost, nothing twice" $((taken * each)) "$(count)"

# ---- not writable any more ----

start_service "$data" "$config"
taken=$((taken + $(send 5)))
if mount -o remount,abort "$disk" 2>/dev/null && ! touch "$disk/new" 2>/dev/null; then
    same "read-only: nothing is taken" 0 "$(send 3)"
    has "read-only: and it says so" "HTTP/1.1 503" "$(cat "$work/headers")"
    check "read-only: and when to come back" grep -qi '^retry-after: [1-9]' "$work/headers"
    same "read-only: it answers" 200 "$(ask)"
    check "read-only: it ends" stop_service
    has "read-only: what was acknowledged is in the journal" "what was acknowledged is in the journal" "$(log)"
    out=$("$spangraph" serve --config "$work/config.yaml" --data "$data" 2>&1)
    same "read-only: it cannot run" 4 $?
    has "read-only: and says what to do" "mount it writable" "$out"
    umount "$disk" && mount_disk
    start_service "$data" "$config"
else
    echo "ok read-only # skip: this file system cannot be made so"
fi
check "it stops when all is well" stop_service
same "all that was acknowledged is there, once, in the end" $((taken * each)) "$(count)"
check "the database is whole" test "$(sqlite3 -readonly "$data/spangraph.db" 'PRAGMA quick_check')" = ok

done_testing
