#!/bin/bash
# SIGHUP under load, RELOADS times: nobody is refused, and what was acknowledged
# is there, once.
. "$(dirname "$0")/lib.sh"
npm_ready
case ${SIZE:-commit} in
commit) reloads=${RELOADS:-200} ;;
nightly) reloads=${RELOADS:-1000} ;;
*) reloads=${RELOADS:-5000} ;;
esac
data=$work/data
echo "good" >"$work/tokens"

start_service "$data" "store: {flush_interval: 100ms}
query.auth.tokens_file: \"$work/tokens\""
node tests/e2e/load.js "http://$http/v1/traces" 50 4 >"$work/load.out" &
load_pid=$!
ask() {
    curl -s -m 10 -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer good' \
        -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
        -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trace_stats","arguments":{}}}' \
        "http://$query/mcp"
}
sleep 0.5
same "a token is asked for" 401 "$(curl -s -m 10 -o /dev/null -w '%{http_code}' -d '{}' "http://$query/mcp")"
refused=0
for ((i = 0; i < reloads; i++)); do
    [ $((i % 2)) -eq 0 ] && printf 'good\nother%d\n' "$i" >"$work/tokens.new" && mv "$work/tokens.new" "$work/tokens"
    kill -HUP "$service_pid" || break
    if [ $((i % 10)) -eq 0 ] && [ "$(ask)" != 200 ]; then refused=$((refused + 1)); fi
    sleep 0.01
done
same "it was there to be told each time" "$reloads" "$i"
same "no question was refused" 0 "$refused"
check "it said that it reloaded" test "$(grep -c 'msg="reloaded"' "$work/service.log")" -gt 0
same "none went wrong" 0 "$(grep -c 'level=error' "$work/service.log")"

kill -TERM $load_pid
wait $load_pid
echo "# $reloads reloads, $(cat "$work/load.out")"
acked=$(jq .acked "$work/load.out")
check "something was acknowledged" test "$acked" -gt 1000
same "nothing had to be sent twice" 0 "$(jq .retries "$work/load.out")"
check "it stops cleanly" stop_service
same "acknowledged is counted, once" "$acked" \
    "$("$spangraph" edges --data "$data" --json | jq '[.edges[] | select(.kind == "virtual_in") | .count] | add')"

# ---- the file itself ----
configured() { # TOKENS LEVEL WAIT
    printf '%s\n' "receivers: {otlp: {protocols: {grpc: {endpoint: \"localhost:0\"}, http: {endpoint: \"localhost:0\"}}}}" \
        "query: {endpoint: \"localhost:0\", auth: {tokens: [$1]}}" "service: {log: {level: $2}}" "pairing: {wait: $3}" >"$work/config.new"
    mv "$work/config.new" "$work/config.yaml"
}
answer() { curl -s -m 10 -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $1" -d '{}' "http://$query/mcp"; }
reload() { # until the log says so once more
    local before
    before=$(grep -c 'msg="reloaded"' "$work/service.log")
    kill -HUP "$service_pid"
    wait_for 10 bash -c "test \$(grep -c 'msg=\"reloaded\"' '$work/service.log') -gt $before"
}
start_service "$data" '' 'auth: {tokens: [first]}'
check "the first token is good" test "$(answer first)" != 401
configured 'first, second' info 60s
check "SIGHUP reads the file" reload
check "a token that was added is good" test "$(answer second)" != 401
configured second debug 5s
check "and again" reload
same "a token that was taken away is not" 401 "$(answer first)"
has "what needs a restart is named" 'msg="changes that need a restart" keys="pairing.wait"' "$(cat "$work/service.log")"
configured '' info 60s
check "a file without tokens" reload
same "does not open the door" 401 "$(answer nobody)"
check "the last token stays" test "$(answer second)" != 401
has "and is said" 'keys="query.auth.tokens"' "$(cat "$work/service.log")"
echo 'query: {endpiont: x}' >"$work/config.yaml"
check "a file that is wrong" reload
has "is refused with its reason" 'did you mean query.endpoint?' "$(grep 'the old one stays' "$work/service.log")"
check "and the old one stays" test "$(answer second)" != 401
configured third info 60s
sed -i '1s/{otlp: {/&auth: {tokens: ["****"]}, /' "$work/config.yaml"
check "a file with a token that is no secret" reload
has "is refused with its reason" 'configuration not reloaded, the old one stays" error="receivers.otlp.auth.tokens:' "$(cat "$work/service.log")"
same "and nothing of it is taken" 401 "$(answer third)"
rm "$work/config.yaml"
mkfifo "$work/config.yaml"
check "a file that has become a pipe keeps nobody waiting" reload
has "is refused with its reason" 'config.yaml: not a regular file' "$(grep 'the old one stays' "$work/service.log")"
check "it stops cleanly" stop_service

# ---- keys that the command line may say instead ----
rm "$work/config.yaml"
placed() { # DIR FORMAT
    printf '%s\n' 'receivers: {otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}' \
        'query: {endpoint: "localhost:0"}' "store: {dir: \"$1\"}" "service: {log: {format: $2}}" >"$work/config.yaml"
}
for said in "" "--data $data --json"; do
    placed "$data" logfmt
    : >"$work/service.log"
    # shellcheck disable=SC2086
    "$spangraph" serve --config "$work/config.yaml" $said 2>>"$work/service.log" &
    service_pid=$!
    check "it starts (${said%% *})" wait_for 10 grep -Eq '"?msg"?[=:]"ready"' "$work/service.log"
    placed "$work/elsewhere" json
    kill -HUP "$service_pid"
    check "another folder and form of the log are read (${said%% *})" wait_for 10 grep -Eq '"?msg"?[=:]"reloaded"' "$work/service.log"
    same "and need a restart, unless the command line said them (${said%% *})" "$([ -n "$said" ] || echo 'keys="store.dir service.log.format"')" \
        "$(grep -Eo '"?keys"?[=:].*' "$work/service.log")"
    check "it stops cleanly" stop_service
done

# ---- a file that changes without a signal, as in a pod ----
rm "$work/config.yaml"
echo one >"$work/tokens"
start_service "$data" 'service: {reload_interval: 100ms}' "auth: {tokens_file: \"$work/tokens\"}"
check "the token of the file is good" test "$(answer one)" != 401
echo two >"$work/tokens.new"
touch -r "$work/tokens" "$work/tokens.new"
mv "$work/tokens.new" "$work/tokens"
is_good() { [ "$(answer "$1")" != 401 ]; }
check "one put in its place is found, whatever its time" wait_for 10 is_good two
same "the old one is not good any more" 401 "$(answer one)"
# By one step: who looks in the midst of emptying it sees two changes.
: >"$work/tokens.new"
mv "$work/tokens.new" "$work/tokens"
check "a file without tokens is said" wait_for 10 grep -q 'tokens not reloaded, the old ones stay' "$work/service.log"
sleep 0.8
same "once" 1 "$(grep -c 'tokens not reloaded' "$work/service.log")"
check "and the old ones stay" is_good two
check "it stops cleanly" stop_service

# ---- a pipe in place of a file ----
mkfifo "$work/pipe"
refused() { timeout 10 "$spangraph" serve --data "$work/none" --config <(echo "$1") 2>&1; }
has "tokens from a pipe are refused at the start" "$work/pipe: not a regular file" \
    "$(refused "query: {endpoint: \"localhost:0\", auth: {tokens_file: \"$work/pipe\"}}
receivers: {otlp: {protocols: {grpc: {endpoint: \"localhost:0\"}, http: {endpoint: \"localhost:0\"}}}}")"
tls="tls: {cert_file: \"$work/pipe\", key_file: \"$work/pipe\"}"
for two in "grpc: {endpoint: \"localhost:0\", $tls}, http: {enabled: false}" \
    "http: {endpoint: \"localhost:0\", $tls}, grpc: {enabled: false}"; do
    has "and a certificate" "$work/pipe is not a regular file" \
        "$(refused "{query: {endpoint: \"localhost:0\"}, receivers: {otlp: {protocols: {$two}}}}")"
done

done_testing
