#!/bin/bash
# Files in, edges out: the same graph whatever the order and the packing.
. "$(dirname "$0")/lib.sh"
trace=examples/shop/trace.jsonl

"$spangraph" ingest --data "$work/a" $trace >"$work/out" 2>&1
same "a recording gives its edges" "$shop_edges" "$(edges "$work/a" service)"

tac $trace | "$spangraph" ingest --data "$work/b" - >/dev/null 2>&1
same "in reverse order too" "$shop_edges" "$(edges "$work/b" service)"

jq -s '{resourceSpans: [.[].resourceSpans[]]}' $trace >"$work/one.json"
"$spangraph" ingest --data "$work/c" "$work/one.json" >/dev/null 2>&1
same "as one document too" "$shop_edges" "$(edges "$work/c" service)"

jq . $trace >"$work/lines.json"
"$spangraph" ingest --data "$work/objects" - <"$work/lines.json" >/dev/null 2>&1
same "as objects of many lines too" "$shop_edges" "$(edges "$work/objects" service)"
jq -cs . $trace | "$spangraph" ingest --data "$work/array" - >/dev/null 2>&1
same "as an array too" "$shop_edges" "$(edges "$work/array" service)"

gzip -c $trace >"$work/trace.gz"
"$spangraph" ingest --data "$work/d" "$work/trace.gz" >/dev/null 2>&1
same "compressed too" "$shop_edges" "$(edges "$work/d" service)"
for log in 27 28; do # the window that zstd itself takes, and one more
    { head -c 200000000 /dev/zero | tr '\0' '\n'; cat $trace; } | zstd -q --ultra -1 --long=$log |
        "$spangraph" ingest --data "$work/long$log" - >/dev/null 2>&1
    same "a zstd window of 2^$log is $((log == 27 ? 0 : 4))" $((log == 27 ? 0 : 4)) $?
done
same "and gives its edges" "$shop_edges" "$(edges "$work/long27" service)"
out=$(head -c 3000 "$work/trace.gz" | "$spangraph" ingest --data "$work/half" - 2>&1)
same "half of a compressed file is exit code 4" 4 $?
has "and it is said why" "cut off: the file has lost its end, or is still being written" "$out"

# What a Collector's file exporter (0.150) wrote of this trace: frames of messages,
# and of compressed messages and JSON.
for form in proto protoz jsonz; do
    "$spangraph" ingest --data "$work/$form" tests/e2e/recordings/$form >/dev/null 2>&1
    same "as a Collector's file '$form' too" "$shop_edges" "$(edges "$work/$form" service)"
done
out=$(head -c 4000 tests/e2e/recordings/jsonz | "$spangraph" ingest --data "$work/written" - 2>&1)
same "a file that is still being written is exit code 4" 4 $?
has "it is said where it ends" "request 2, byte 1956: " "$out"
has "and why" "cut off: the file has lost its end, or is still being written" "$out"
has "what came before is taken in" "1 requests, 30 spans" "$out"
out=$(head -c 48000 $trace | "$spangraph" ingest --data "$work/written-lines" - 2>&1)
has "a line that is still being written is told as that" "byte 48000: cut off: the file has lost its end, or is still being written" "$out"
has "and costs no other" "2 requests, " "$out"
out=$({ cat $trace; printf '{"resourceSpans": 7}'; } | "$spangraph" ingest --data "$work/written-lines" - 2>&1)
has "a wrong last line is not cut off" "expected" "$out"
# The newline behind a line may be in the next file, when files are rotated.
head -1 $trace | tr -d '\n' >"$work/rotated-1.json"
{ echo; tail -n +2 $trace; } >"$work/rotated.json"
"$spangraph" ingest --data "$work/rotated" "$work"/rotated-1.json "$work"/rotated.json >/dev/null 2>&1
same "as rotated files too" "$shop_edges" "$(edges "$work/rotated" service)"
frame() { perl -e 'local $/; my $all = <STDIN>; print pack("N", length $all), $all'; }
{ echo '{"resourceSpans": []}' | frame; printf '{"resourceSpans": [}' | zstd -qc | frame; } >"$work/frames"
out=$("$spangraph" ingest --data "$work/framed" "$work/frames" 2>&1)
has "an error in a compressed frame is told by both places" \
    "request 2, byte 30: at byte 19 of what it decompresses to: " "$out"

# A million spans are the most of a request; as protobuf, for the size of it.
perl -e 'my $spans = sub { join "", map { "\x12\x1c\x0a\x10" . pack("Q>2", 1, $_) . "\x12\x08" . pack("Q>", $_) } 1 .. $_[0] };
    my $under = sub { my ($tag, $body) = @_; my $len = length $body; my $size = "";
        while ($len > 127) { $size .= chr($len & 127 | 128); $len >>= 7 } $tag . $size . chr($len) . $body };
    for my $n (2, 1_000_001, 3) { my $all = $under->("\x0a", $under->("\x12", $spans->($n))); print pack("N", length $all), $all }' >"$work/many"
out=$("$spangraph" ingest --data "$work/many-spans" "$work/many" 2>&1)
same "a request of too many spans is exit code 4" 4 $?
has "and is named, and its place in the file" "$work/many: request 2, byte 72: more spans or links than one request may have" "$out"
has "and costs no other" "2 requests, 5 spans, 0 rejected, 1 requests failed" "$out"

# One span a request, shuffled: every half alone.
jq -c '.resourceSpans[] as $r | $r.scopeSpans[] as $s | $s.spans[] |
    {resourceSpans: [{resource: $r.resource, scopeSpans: [{scope: $s.scope, spans: [.]}]}]}' \
    $trace | sort -R --random-source=<(yes 7) >"$work/single.jsonl"
"$spangraph" ingest --data "$work/e" "$work/single.jsonl" >/dev/null 2>&1
same "span by span, shuffled, too" "$shop_edges" "$(edges "$work/e" service)"

"$spangraph" ingest --data "$work/a" $trace >/dev/null 2>&1
same "a second time counts nothing" "$shop_edges" "$(edges "$work/a" service)"

has "routes stand at the endpoint level" "GET /api/orders/{} -> GET /orders/{} [call] 3/0" "$(edges "$work/a" endpoint)"

printf '{"resourceSpans":[\n' >"$work/broken.json"
out=$("$spangraph" ingest --data "$work/f" "$work/broken.json" 2>&1)
same "a broken file is exit code 4" 4 $?
has "and says where" "request 1, byte" "$out"
{ head -1 $trace; echo '{"resourceSpans": 7}'; tail -n +2 $trace; } >"$work/partly.jsonl"
out=$("$spangraph" ingest --data "$work/g" "$work/partly.jsonl" 2>&1)
same "a broken line is exit code 4" 4 $?
has "and is named, and its place in the file" "request 2, byte $(($(head -1 $trace | wc -c) + 18)): " "$out"
same "and the others count" "$shop_edges" "$(edges "$work/g" service)"
for other in '{"data": [{"traceID": "1"}]}' '{"resource_spans": [{}]}' '{"resourceLogs": []}'; do
    has "that ${other:2:14} holds no spans is said" "standard input: no spans in it; OTLP has them in resourceSpans" \
        "$("$spangraph" ingest --data "$work/h" - <<<"$other" 2>&1)"
done
out=$("$spangraph" ingest --data "$work/h" "$work/none" 2>&1)
same "a missing file is exit code 4" 4 $?
has "and is named" "$work/none" "$out"
has "a folder is no file" "spangraph ingest: $work: Is a directory" "$("$spangraph" ingest --data "$work/h" "$work" 2>&1)"
same "no file is a usage error" 2 "$("$spangraph" ingest --data "$work/h" >/dev/null 2>&1; echo $?)"

# Cut off while it reads a third: what it has taken in is there, and halves wait.
jq -c '.resourceSpans |= map(select(.resource.attributes[] | select(.key == "service.name") | .value.stringValue == "gateway")) | select(.resourceSpans | length > 0)' $trace >"$work/first.jsonl"
jq -c '.resourceSpans |= map(select(.resource.attributes[] | select(.key == "service.name") | .value.stringValue != "gateway")) | select(.resourceSpans | length > 0)' $trace >"$work/second.jsonl"
check "the trace is in two files" test -s "$work/first.jsonl" -a -s "$work/second.jsonl"
mkfifo "$work/stays"
exec 9<>"$work/stays"
"$spangraph" ingest --data "$work/cut" - <&9 2>"$work/cut.log" &
cut_off=$!
{ cat "$work/first.jsonl"; head -c 200000 /dev/zero | tr '\0' ' '; } | timeout 20 cat >&9 # more than a pipe holds: it reads
kill -TERM $cut_off
wait $cut_off
same "a signal ends it with 4" 4 $?
has "it says where it stopped" "standard input: stopped after request $(wc -l <"$work/first.jsonl"); what was taken in stays" "$(cat "$work/cut.log")"
exec 9>&-
has "and what came before is written" "user -> gateway [virtual_in] 6/0" "$(edges "$work/cut" service)"
check "the rest is taken in" "$spangraph" ingest --data "$work/cut" "$work/second.jsonl"
same "as if it had not been cut off" "$shop_edges" "$(edges "$work/cut" service)"

# A recording longer than what it may take of memory: lines of a MiB, 300 of them.
peak_mib() { python3 -c 'import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)' "$@"; }
read -r code mib < <(perl -e 'print "{\"resourceSpans\":[]}", " " x 1048000, "\n" for 1 .. 300' |
    peak_mib "$spangraph" ingest --data "$work/long" -)
same "a long recording is taken in" 0 "$code"
check "in $mib MiB" test "$mib" -le 64

stats=$("$spangraph" stats --data "$work/a" --json)
for counter in spans duplicates rejected orphan_ingress unresolved_egress unresolved_links inproc_db evicted synthetic; do
    check "stats has $counter" jq -e ".counters.$counter >= 0" <<<"$stats"
done
check "spans are those of the file" jq -e ".counters.spans == $(jq -s '[.[].resourceSpans[].scopeSpans[].spans[]] | length' $trace)" <<<"$stats"

done_testing
