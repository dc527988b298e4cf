# What a document's commands run in: they stop at the first that fails, and its
# line is said.  DOCS_NAME is the document, DOCS_WORK a folder for what is kept
# beside it, DOCS_TOOLS the folder of this file.
set -eE -o pipefail
__log=$DOCS_WORK/service.log
__out=$DOCS_WORK/out
__service=
__last=0
__status=0

# __fail LINE WHAT [FILE]
__fail() {
    trap - ERR
    {
        echo "$DOCS_NAME:$1: $2"
        [ ! -s "${3:-}" ] || tail -n 25 "$3" | sed 's/^/    /'
    } >>"$DOCS_WORK/failure"
    exit 1
}

# __started PID: the service is there; it says so in its log, or as a demo.
__started() {
    local tries=0
    __service=$1
    until grep -qE '"ready"|^Ctrl-C ends it' "$__log"; do
        tries=$((tries + 1))
        if [ $tries -gt 200 ] || ! kill -0 "$__service" 2>/dev/null; then
            __fail "${BASH_LINENO[0]}" "the service does not start" "$__log"
        fi
        sleep 0.05
    done
}

# __stop: Ctrl-C for the service before, if there is one.  It ends cleanly.
__stop() {
    local status=0
    if [ -n "$__service" ]; then
        kill -INT "$__service" && wait "$__service" || status=$?
        __service=
        [ $status -eq 0 ] || __fail "${BASH_LINENO[0]}" "the service ended with $status" "$__log"
    fi
    : >"$__log"
}

# __compare LINE zero|any: what was printed is what the document shows.
__compare() {
    __last=$__status
    if [ "$2" = zero ] && [ "$__status" -ne 0 ]; then
        __fail "$1" "exit code $__status" "$__out"
    fi
    node "$DOCS_TOOLS/compare.js" "$DOCS_WORK/expected.$1" "$__out" >"$DOCS_WORK/difference" ||
        __fail "$1" "it prints something else" "$DOCS_WORK/difference"
}

trap '__fail "$LINENO" "exit code $?" "$DOCS_WORK/printed"' ERR
trap '__stop' EXIT
