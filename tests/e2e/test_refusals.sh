#!/bin/bash
# What bad input and bad circumstances get: a clear answer, and nothing lost.
. "$(dirname "$0")/lib.sh"
trace=examples/shop/trace.jsonl
start_service "$work/data" 'receivers: {otlp: {protocols: {http: {max_request_body_size: 1MiB}}}}
pairing: {wait: 500ms}
store: {flush_interval: 100ms}'
url=http://$http/v1/traces

# post NAME STATUS PART [curl options]: the answer to a request
post() {
    local name=$1 status=$2 part=$3 out
    shift 3
    out=$(curl -s -m 10 -w '\n%{http_code} %{content_type}' "$@")
    has "$name: status" "
$status " "$out"
    has "$name: body" "$part" "$out"
}
json=(-H 'Content-Type: application/json')
proto=(-H 'Content-Type: application/x-protobuf')

curl -s -o /dev/null "${url%/v1/traces}/nothing"
same "who only looks has nothing to drop" 0 "$(grep -c 'its sender drops it' "$work/service.log")"
post "an empty request" 200 '{}' "${json[@]}" -d '{}' "$url"
post "upper case content type" 200 '{}' -H 'Content-Type: APPLICATION/JSON; charset=utf-8' -d '{}' "$url"
post "truncated JSON" 400 '"message"' "${json[@]}" -d '{"resourceSpans":[' "$url"
post "truncated protobuf" 400 '' "${proto[@]}" --data-binary $'\x0a\x7f\x01' "$url"
post "deep nesting" 400 '"message"' "${json[@]}" -d "$(printf '[%.0s' $(seq 1 5000))" "$url"
post "wrong content type" 415 'application/x-protobuf' -H 'Content-Type: text/plain' -d x "$url"
post "wrong path" 404 'message' "${json[@]}" -d '{}' "http://$http/v1/nothing"
post "logs" 404 'message' "${json[@]}" -d '{}' "http://$http/v1/logs"
post "wrong method" 405 '' "${json[@]}" -X PUT -d '{}' "$url"
post "unknown encoding" 415 'gzip' "${json[@]}" -H 'Content-Encoding: br' -d '{}' "$url"
post "gzip that is none" 400 '"message"' "${json[@]}" -H 'Content-Encoding: gzip' -d '{}' "$url"
head -c 1048577 /dev/zero | tr '\0' ' ' >"$work/large"
post "one byte too large" 413 '"message"' "${json[@]}" --data-binary "@$work/large" "$url"
{ echo '{}'; head -c 1048573 /dev/zero | tr '\0' ' '; } >"$work/fits"
post "as large as allowed" 200 '{}' "${json[@]}" --data-binary "@$work/fits" "$url"
head -c 100000000 /dev/zero | tr '\0' ' ' | gzip -9 >"$work/bomb.gz"
post "a decompression bomb" 413 '"message"' "${json[@]}" -H 'Content-Encoding: gzip' --data-binary "@$work/bomb.gz" "$url"
post "huge headers" 431 '' "${json[@]}" -H "X-Large: $(head -c 40000 /dev/zero | tr '\0' x)" -d '{}' "$url"

bad='{"resourceSpans":[{"scopeSpans":[{"spans":[
 {"traceId":"00000000000000000000000000000000","spanId":"0102030405060708","name":"zero"},
 {"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"good","kind":2},
 {"traceId":"AQIDBAUGBwgJCgsMDQ4PEA==","spanId":"0102030405060709","name":"base64"},
 {"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"010203040506070a","name":"enum","kind":"SPAN_KIND_SERVER"}]}]}]}'
post "bad spans are rejected alone" 200 '"rejectedSpans":"3"' "${json[@]}" -d "$bad" "$url"

for encoding in gzip deflate zstd; do
    case $encoding in
    gzip) head -1 $trace | gzip >"$work/body" ;;
    deflate) head -1 $trace | perl -MCompress::Zlib -0777 -ne 'print compress($_)' >"$work/body" 2>/dev/null || continue ;;
    zstd) command -v zstd >/dev/null || continue; head -1 $trace | zstd -q >"$work/body" ;;
    esac
    post "$encoding" 200 '{}' "${json[@]}" -H "Content-Encoding: $encoding" --data-binary "@$work/body" "$url"
done

post "a compression that is not known" 415 'accepted: gzip, deflate, zstd' "${json[@]}" -H "Content-Encoding: snappy" -d '{}' "$url"
has "what senders drop is in the log" 'why="unsupported compression; accepted: gzip' "$(cat "$work/service.log")"

out=$(timeout 10 "$spangraph" serve --data "$work/data" 2>&1)
same "a second process on the same data is exit code 4" 4 $?
has "and is told who holds it" "in use by another process" "$out"
out=$(timeout 10 "$spangraph" serve --config <(printf 'query: {endpoint: "%s"}\nreceivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}' "$query") --data "$work/other" 2>&1)
same "a port in use is exit code 4" 4 $?
has "and is named" "in use" "$out"
out=$(timeout 10 "$spangraph" serve --config <(printf 'receivers: {otlp: {protocols: {http: {endpoint: "localhost:0", tls: {cert_file: /none.pem, key_file: /none.key}}}}}') --data "$work/other" 2>&1)
same "an unreadable certificate is exit code 4" 4 $?
has "and is named" "/none.pem" "$out"
out=$(timeout 10 "$spangraph" serve --config <(echo 'recievers: {}') --data "$work/other" 2>&1)
same "an invalid configuration is exit code 2" 2 $?
has "and the key is named" "recievers" "$out"

check "the service has stood all that" curl -fsS "http://$query/readyz"
check "it stops cleanly" stop_service

# A damaged database is set aside.
printf 'not a database, not at all' >"$work/data/spangraph.db"
rm -f "$work/data/spangraph.db-wal" "$work/data/spangraph.db-shm"
start_service "$work/data"
has "a damaged database is set aside and said" "set aside" "$(cat "$work/service.log")"
check "and kept" ls "$work"/data/spangraph.db.corrupt-*
check "it stops cleanly again" stop_service

# A file of the journal that is gone is told.
gone='a file of the journal is missing'
start_service "$work/short"
head -1 $trace | curl -s -o /dev/null "${json[@]}" -d @- "http://$http/v1/traces"
stop_service
start_service "$work/short"
same "a journal that is there is not said to be gone" 0 "$(grep -c "$gone" "$work/service.log")"
stop_service
rm "$work"/short/spangraph.db-seg*
start_service "$work/short"
has "one that is gone is" "$gone" "$(cat "$work/service.log")"
stop_service

done_testing
