#!/bin/bash
# top: tables where there is no terminal, and a screen where there is one.
. "$(dirname "$0")/lib.sh"
export TERM=xterm
unset NO_COLOR
start_service "$work/data" 'pairing: {wait: 300ms}
store: {flush_interval: 100ms}'
for _ in 1 2; do
    while IFS= read -r line; do
        curl -fsS -m 10 -o /dev/null -H 'Content-Type: application/json' -d "$line" "http://$http/v1/traces"
    done <examples/shop/trace.jsonl
done
wait_for 10 bash -c "[ \"\$('$spangraph' edges --data '$work/data' --json | jq '.edges | length')\" -ge 7 ]"
server="http://$query"

# ---- tables ----
out=$("$spangraph" top --server "$server" --once --interval 200ms --since 365d)
same "a table is printed once" 0 $?
same "seven edges, below three lines" 10 "$(grep -c . <<<"$out")"
same "with calls, errors and who" "6 0.0 call gateway -> orders" "$(awk '/gateway -> orders/ { print $2, $3, $6, $7, $8, $9 }' <<<"$out")"
has "what is held is told" "held " "$out"
has "and refused" "refused 0 (0/s)" "$out"
same "nothing in it is an escape" 0 "$(grep -c $'\033' <<<"$out")"
out=$("$spangraph" top --server "$server" --batch 3 --interval 100ms --since 365d --services --filter db </dev/null)
same "tables are printed as often as asked" 3 "$(grep -c '^spangraph top' <<<"$out")"
same "of who is called, if it fits" 3 "$(grep -c 'stock-db:5432$' <<<"$out")"
same "and of nobody else" 0 "$(grep -c 'orders$' <<<"$out")"
out=$("$spangraph" top --data "$work/data" --once --interval 100ms --since 365d --sort name)
same "a store is read, too" "gateway orders orders orders shopqueue:order-placed user worker" "$(awk '/ -> / { print $7 }' <<<"$out" | xargs)"
same "by endpoint" 10 "$("$spangraph" top --data "$work/data" --once --interval 100ms --since 365d --level endpoint | grep -c ' -> ')"

# A rate: what is sent between two looks.
"$spangraph" top --server "$server" --once --interval 3s >"$work/rate" &
asker=$!
sleep 0.5
node -e '
    const { request } = require("./tests/e2e/client.js");
    require("fs").writeFileSync(process.argv[1], request(300));' "$work/spans" 2>/dev/null || { npm_ready; node -e '
    const { request } = require("./tests/e2e/client.js");
    require("fs").writeFileSync(process.argv[1], request(300));' "$work/spans"; }
curl -fsS -m 10 -o /dev/null -H 'Content-Type: application/x-protobuf' --data-binary @"$work/spans" "http://$http/v1/traces"
wait $asker
check "spans a second are told" awk '/^spans/ { split($3, part, /[(\/]/); exit !(part[2] > 50 && part[2] < 150) }' "$work/rate"

# ---- what is wrong ----
top_code() { "$spangraph" top "$@" >/dev/null 2>"$work/err"; echo $?; }
same "a sort that is none is usage" 2 "$(top_code --sort size)"
same "so is a level" 2 "$(top_code --level symbol)"
same "so are both" 2 "$(top_code --server "$server" --data "$work/data")"
same "so is a word" 2 "$(top_code now)"
same "so is hurry" 2 "$(top_code --interval 1ms)"
same "so is what is no URL" 2 "$(top_code --server "$query" --once)"
same "no store cannot run" 4 "$(top_code --data "$work/none" --once)"
same "no token file cannot run" 4 "$(top_code --token-file "$work/none" --once)"
same "and that is all it says" "spangraph top: $work/none: No such file or directory" \
    "$("$spangraph" top --token-file "$work/none" --once 2>&1)"

# ---- a screen ----
screen() { timeout 60 python3 tests/e2e/screen.py "$@"; }
top=("$spangraph" top --server "$server" --interval 300ms --since 365d)
check "80x24: rows, help, quit" screen 24 80 'see:gateway -> orders' 'see:8 edges by rate' save:"$work/screen" keys:h 'see:space now' keys:q end:0 -- "${top[@]}"
same "nothing is wider than the screen" 0 "$(awk 'length > 80' "$work/screen" | wc -l)"
same "the head is at the top" "spangraph top  $server" "$(head -1 "$work/screen" | sed 's/  [0-9:]*Z$//')"
check "keys sort, show sums, filter" screen 24 80 'see:8 edges' keys:n 'see:by name' keys:R 'see:reversed' keys:v 'see:CALLED' 'see:6 called' keys:v keys:/ 'see:filter: _' keys:USER 'see:filter: USER_' 'see:user -> gateway' 'gone:gateway -> orders' $'keys:\r' 'see:with USER' 'keys:\e' 'see:gateway -> orders' keys:q end:0 -- "${top[@]}"
check "another size is followed" screen 24 80 'see:8 edges' size:8x40 'see:8 edges by rate' size:40x120 'see:shopqueue:order-placed -> worker' 'see:h help' keys:q end:0 -- "${top[@]}"
check "one line is enough to live" screen 4 10 'see:8 edges' keys:q end:0 -- "${top[@]}"
check "Ctrl-C ends it well" screen 24 80 'see:8 edges' $'keys:\x03' end:0 -- "${top[@]}"
check "SIGTERM, too" screen 24 80 'see:8 edges' signal:TERM end:0 -- "${top[@]}"
check "colour is bold alone" bash -c "script -qec \"timeout --foreground 2 '$spangraph' top --server $server\" /dev/null </dev/null | grep -q $'\033\\[1m'"
same "none with NO_COLOR" 0 "$(NO_COLOR=1 script -qec "timeout --foreground 2 '$spangraph' top --server $server" /dev/null </dev/null | grep -c $'\033\[1m')"
# timeout makes it a background process of that terminal.
check "in the background it waits, and can be ended" timeout 20 env SHELL=/bin/bash script -qec "timeout 1 '$spangraph' top --server $server; true" /dev/null </dev/null
check "a terminal that knows nothing gets a table" env TERM=dumb script -qec "'$spangraph' top --server $server --interval 100ms" /dev/null
(
    sleep 2
    kill -KILL $service_pid
) &
check "a service that goes away is said, and waited for" screen 24 80 'see:8 edges' 'see:no answer:' 'see:gateway -> orders' keys:q end:0 -- "${top[@]}"
service_pid=
check "so is one that was never there" screen 24 80 'see:no answer:' keys:q end:0 -- "${top[@]}"
same "without a terminal that cannot run" 4 "$(top_code --server "$server" --once)"
done_testing
