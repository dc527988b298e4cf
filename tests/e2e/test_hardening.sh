#!/bin/bash
# How the program is built, and what the running service has given up.
. "$(dirname "$0")/lib.sh"

# Of a build for use; what other modes are made of is their own.
has "it is position independent" "DYN" "$(readelf -hW "$spangraph" | grep Type:)"
has "its relocations are read-only" "GNU_RELRO" "$(readelf -lW "$spangraph")"
has "and made at the start" "NOW" "$(readelf -dW "$spangraph" | grep FLAGS)"
same "its stack is no code" "RW" "$(readelf -lW "$spangraph" | awk '$1 == "GNU_STACK" { print $7 }')"
same "nothing is writable and code" "" "$(readelf -lW "$spangraph" | awk '$1 == "LOAD" && / RWE /')"
symbols=$(readelf --dyn-syms -W "$spangraph")
has "stacks are guarded" "__stack_chk_fail" "$symbols"
has "copies are checked" "_chk@GLIBC" "$(grep -v stack_chk <<<"$symbols")"
if [ "${GRPC:-core}" != nghttp2 ]; then
    has "core's locks can be told not to watch their order" "$(core_is)" "inside asked"
fi
same "no search path is its own" "" "$(readelf -dW "$spangraph" | grep -E 'RPATH|RUNPATH')"
if [ "$(uname -m)" = x86_64 ]; then
    has "indirect calls have marked targets" "endbr64" "$(objdump -d --no-show-raw-insn "$spangraph" 2>/dev/null |
        grep -A1 '<decode_scratch_new>:' || gdb -batch -ex 'disassemble decode_scratch_new' "$spangraph" 2>/dev/null)"
fi

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout "$work/key.pem" \
    -out "$work/cert.pem" -subj /CN=localhost -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' 2>/dev/null
mkdir "$work/tokens"
# Not below the folder of the configuration, which is read again, too.
elsewhere=$(mktemp -d)
trap 'cleanup; rm -rf "$elsewhere"' EXIT
echo first >"$work/tokens/list"
echo second >"$elsewhere/list"
start_service "$work/data" "query: {endpoint: \"localhost:0\", auth: {tokens_file: $work/tokens/list}}"
query_url=http://$query
feature() { metric "spangraph_hardening{feature=\"$1\"}"; }
status() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$service_pid/status"; }
for name in no_new_privs undumpable no_core; do
    same "$name is active, and told" 1 "$(feature $name)"
done
same "the kernel says the same of privileges" 1 "$(status NoNewPrivs)"
same "and of core files" "0 0" "$(awk '/^Max core file size/ { print $5, $6 }' "/proc/$service_pid/limits")"
same "and of the filter of calls" "$(feature seccomp)" "$(($(status Seccomp) / 2))"
if [ "$(feature landlock)" = 1 ]; then
    test_asks() { [ "$(asks "$1")" = 200 ]; }
    asks() { curl -s -o /dev/null -w '%{http_code}' -m 5 -H "Authorization: Bearer $1" -H 'Content-Type: application/json' \
        -H 'Accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"ping"}' "http://$query/mcp"; }
    same "a token is known" 200 "$(asks first)"
    ln -sf "$elsewhere/list" "$work/tokens/list"
    kill -HUP $service_pid
    check "a file elsewhere cannot be read" wait_for 5 grep -q 'Permission denied' "$work/service.log"
    same "and the token in it is unknown" 401 "$(asks second)"
    rm "$work/tokens/list"
    echo third >"$work/tokens/new" && mv "$work/tokens/new" "$work/tokens/list"
    kill -HUP $service_pid
    check "one put in its place can" wait_for 5 test_asks third
else
    echo "ok the kernel has no landlock, and that is told: $(grep -c 'feature="landlock"' "$work/service.log")"
fi
check "it stops cleanly" stop_service

# An index on request, from inside all that.
mkdir -p "$work/repository" && cat >"$work/repository/shop.py" <<'PY'
def price():
    return 1


def total():
    return price()
PY
start_service "$work/data" "query: {endpoint: \"localhost:0\", toolsets: all, index_paths: [$work/repository]}"
index() {
    curl -s -m 60 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
        -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"index_repo\",\"arguments\":{\"repo_url\":\"https://git.example/shop\",\"repo_path\":\"$1\"}}}" "http://$query/mcp"
}
has "a folder that is allowed is indexed" "index_repo complete" "$(index "$work/repository")"
for path in "$work/repository/../elsewhere" /etc "$work/repository/../../../../etc" "$work/tokens"; do
    has "$(basename "$path") is not" "query.index_paths" "$(index "$path")"
done
ln -s "$work/elsewhere" "$work/repository/link"
has "nor what a link leads to" "query.index_paths" "$(index "$work/repository/link")"
check "it stops cleanly again" stop_service

start_service "$work/data" 'service: {sandbox: off}'
query_url=http://$query
same "sandbox: off is told, too" "0 0" "$(feature landlock) $(feature seccomp)"
has "and logged" "not confined" "$(cat "$work/service.log")"
check "it stops" stop_service
done_testing
