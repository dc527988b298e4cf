#!/bin/bash
# Peers that are slow, broken or hostile do no harm to the others.
. "$(dirname "$0")/lib.sh"
npm_ready
ulimit -n 4096 2>/dev/null
start_service "$work/data" 'pairing: {wait: 500ms}
store: {flush_interval: 100ms}'
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$service_pid/status"; }

before=$(resident)
for address in "$http" "$query" "$grpc"; do
    node -e '
        const net = require("net");
        const [host, port] = process.argv[1].split(":");
        let open = 0;
        for (let i = 0; i < 1000; i++) net.connect(port, host, () => {
            open += 1;
            if (open === 1000) setTimeout(() => { console.log("open"); setTimeout(() => process.exit(0), 3000); }, 500);
        }).on("error", () => {});' "$address" >"$work/idle" &
    idle=$!
    wait_for 8 grep -q open "$work/idle"
    after=$(resident)
    check "1,000 idle connections on $address: $(((after - before) / 1000)) KiB each" test $((after - before)) -lt 30000
    check "and they leave room for others" curl -fsS -m 5 -o /dev/null "http://$query/healthz"
    wait $idle
done

node tests/e2e/peers.js "$http" "$query" "$grpc" >"$work/peers.out" &
peers=$!
# Good senders beside them.
out=$(call "$http" loop 10 2)
has "good senders see nothing of it" '"failed":0' "$out"
head -c 3000000 /dev/zero | zstd -q -19 --ultra --long=27 >"$work/window.zst"
code=$(curl -s -m 10 -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -H 'Content-Encoding: zstd' --data-binary "@$work/window.zst" "http://$http/v1/traces")
check "zstd with a window of 128 MiB is refused ($code)" test "$code" = 400 -o "$code" = 413
wait $peers
status=$?
cat "$work/peers.out"
[ $status -eq 0 ] || failures=$((failures + 1))
check "the service has stood all that" curl -fsS -m 5 "http://$query/readyz"
same "nothing is held for them" 0 "$(metric spangraph_request_bytes)"
has "gRPC goes on, too" '"code":"OK"' "$(call "$grpc" health)"
has "7 spans of two members" 7 "$(("$(metric 'spangraph_spans_total{result="accepted"}')" - $(jq .sent <<<"$out")))"

check "it stops cleanly" stop_service

done_testing
