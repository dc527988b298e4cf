#!/bin/bash
# serve --demo: from the program alone to a graph, and nothing left behind.
. "$(dirname "$0")/lib.sh"
cp "$spangraph" "$work/spangraph"
mkdir "$work/tmp" "$work/elsewhere"
export TMPDIR=$work/tmp
cat >"$work/demo.yaml" <<'YAML'
receivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}
query: {endpoint: "localhost:0"}
pairing: {wait: 300ms}
store: {flush_interval: 100ms}
YAML

# demo [option...]: in a folder that is no checkout, in a process group of its own; sets pid, data and query.
demo() {
    : >"$work/demo.out"
    (cd "$work/elsewhere" && exec setsid "$work/spangraph" serve --demo --config "$work/demo.yaml" "$@") >"$work/demo.out" 2>"$work/demo.err" &
    pid=$!
    wait_for 20 grep -q 'Ctrl-C' "$work/demo.out" || { cat "$work/demo.out" "$work/demo.err"; return 1; }
    data=$(sed -n 's/.*edges --data \(.*\)/\1/p' "$work/demo.out")
    query=$(sed -n 's|.* http://\(.*\)/metrics$|\1|p' "$work/demo.out")
}
# settled DATA: all seven edges are there and counted the same.
settled() { [ "$(edges "$1" service 2>/dev/null | sed 's/ [0-9]*\/[0-9]*$//')" = "$(sed 's/ [0-9]*\/[0-9]*$//' <<<"$shop_edges")" ]; }
metric_over() { [ "$(metric "$1")" -gt "$2" ]; }

check "a demo starts without a checkout" demo
has "it says what to ask" "runtime_traffic service_name=orders" "$(cat "$work/demo.out")"
has "three times" "trace_stats" "$(cat "$work/demo.out")"
has "and where to look" "http://$query/mcp" "$(cat "$work/demo.out")"
same "its data is temporary" "$work/tmp" "$(dirname "$data")"
same "for its owner alone" 700 "$(stat -c %a "$data")"
check "the first graph is there within seconds" wait_for 15 settled "$data"
check "every question it names has an answer" bash -c "sed -n 's/^    spangraph //p' '$work/demo.out' | while read -r words; do '$spangraph' \$words || exit 1; done"
has "one route is never called" "/legacy/cart" "$("$spangraph" call --data "$data" dead_routes stale_days=30)"
check "it goes on" wait_for 15 metric_over 'spangraph_spans_total{result="accepted"}' 200
same "with new ids" 0 "$(metric 'spangraph_spans_total{result="duplicate"}')"
same "and times of now" 0 "$(metric 'spangraph_clamped_times_total')"
kill -INT "-$pid"
wait $pid
same "Ctrl-C ends it well" 0 $?
same "and leaves nothing" "" "$(ls -A "$work/tmp" "$work/elsewhere" | grep -v : | xargs)"
has "nothing was lost on the way out" 'msg="stopped"' "$(cat "$work/demo.err")"

check "a demo starts" demo
kill -KILL "$(pgrep -P $pid)"
wait $pid
same "a crash is no clean end" 4 $?
same "but leaves nothing either" "" "$(ls -A "$work/tmp")"

check "a folder may be given" demo --data "$work/kept"
check "there is a graph, too" wait_for 15 settled "$work/kept"
accepted=$(metric 'spangraph_spans_total{result="accepted"}')
kill -TERM $pid
wait $pid
same "it ends well" 0 $?
check "what was accepted is in the folder, which stays" test "$("$spangraph" stats --data "$work/kept" --json | jq '[.counters[]] | max')" -ge "$accepted"
before=$(edges "$work/kept" service)
(cd "$work/elsewhere" && timeout 20 "$work/spangraph" serve --demo --config "$work/demo.yaml" --data "$work/kept") >/dev/null 2>"$work/err"
same "a store that is there is not written to" 2 $?
has "unless one insists" "--force" "$(cat "$work/err")"
same "it is as it was" "$before" "$(edges "$work/kept" service)"
check "one may insist" demo --data "$work/kept" --force
kill -TERM $pid
wait $pid
same "that ends well" 0 $?
"$spangraph" serve --force >/dev/null 2>&1
same "--force alone is usage" 2 $?
TMPDIR=$work/nowhere "$spangraph" serve --demo >/dev/null 2>&1
same "nowhere to put it cannot run" 4 $?
done_testing
