#!/bin/bash
# Run every test and end with `N passed, N failed`.
#
#   tests/run.sh            all of it
#   tests/run.sh unit ...   only these parts: check tidy unit threads e2e mcp fuzz;
#                           tidy takes long, and is not part of all at each commit
#
# SIZE=nightly or release runs more of the tests that have seeds or rounds
# (tests/support/size.h) and gives them the time.
#
# Each program's output goes to build/test-logs; what failed is shown.
set -u
cd "$(dirname "$0")/.." || exit 4
[ "${SIZE:-commit}" = commit ] || tidy=tidy
parts=${*:-check ${tidy:-} unit threads e2e mcp fuzz}
jobs=$(nproc)
logs=build/test-logs
passed=0
failed=0
mkdir -p "$logs"
case ${SIZE:-commit} in
commit)
    longer=1
    # A commit is judged by what it changed: the same inputs each time.
    export FUZZ_SEED=${FUZZ_SEED:-1}
    ;;
nightly) longer=40 ;;
release) longer=400 ;;
*)
    echo "tests/run.sh: no size $SIZE" >&2
    exit 2
    ;;
esac
# Most of what is tested is stored somewhere; memory is quicker than a disk.
[ -n "${TMPDIR:-}" ] || ! [ -w /dev/shm ] || export TMPDIR=/dev/shm
# A small quarantine, for what is freed and used again is used again soon: a fifth
# of the time.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:quarantine_size_mb=32:thread_local_quarantine_size_kb=64}
export TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$PWD/tests/tsan.supp}

# attempt LOG SECONDS COMMAND...: sets ok, bad and status from what it says, and took,
# the seconds and how many of them were of a processor.  What is killed leaves its files
# in a directory that is not kept.
attempt() {
    local log=$1 limit=$2 own cpu TIMEFORMAT='%0R %1U %1S'
    shift 2
    own=$(mktemp -d "${TMPDIR:-/tmp}/XXXXXX") || exit 4
    chmod 711 "$own" # tests ask as another user, too
    {
        time TMPDIR=$own timeout --kill-after=10 $((limit * longer)) "$@" \
            >"$log" 2>&1 </dev/null
    } 2>"$own.time"
    status=$?
    read -r took cpu < <(awk 'END { print $1, $2 + $3 }' "$own.time")
    took="$took s, CPU $cpu"
    rm -rf "$own" "$own.time"
    ok=$(grep -cE '^\[       OK \]|^ok ' "$log")
    bad=$(grep -cE '^\[  FAILED  \] [a-zA-Z_0-9]+$|^not ok ' "$log")
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    if [ "$status" -eq 0 ] && [ "$ok" -eq 0 ] && [ "$bad" -eq 0 ]; then ok=1; fi
}

log_of() {
    echo "$logs/$(echo "$1" | tr '/ ' '__').log"
}

# judge NAME SECONDS COMMAND...: counts what attempt saw.  What fails is tried once
# more, because the machine is shared and some tests have deadlines; that is said,
# and the log of the first try is kept.
judge() {
    local name=$1 limit=$2 log again=""
    shift 2
    log=$(log_of "$name")
    if [ "$bad" -ne 0 ]; then
        mv "$log" "$log.first"
        attempt "$log" "$limit" "$@"
        again=", at the second try: see $log.first"
    fi
    passed=$((passed + ok))
    failed=$((failed + bad))
    if [ "$bad" -ne 0 ]; then
        echo "FAILED $name (exit $status): $log"
        grep -vE '^\[ RUN|^\[       OK|^ok ' "$log" | tail -40
    else
        echo "ok $name ($ok; $took$again)"
    fi
}

# run NAME SECONDS COMMAND...
run() {
    local ok bad status took
    attempt "$(log_of "$1")" "${@:2}"
    judge "$@"
}

# run_together SECONDS PREFIX SUFFIX PROGRAM...: as many at once as there are
# processors; each is judged, and tried again alone, when all have ended.
run_together() {
    local limit=$1 prefix=$2 suffix=$3 test name ok bad status took
    shift 3
    for test in "$@"; do
        [ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n
        name=${test#"$prefix"}
        name=${name%"$suffix"}
        (
            attempt "$(log_of "$name")" "$limit" "$test"
            echo "$ok $bad $status $took" >"$(log_of "$name").sum"
        ) &
    done
    wait
    for test in "$@"; do
        name=${test#"$prefix"}
        name=${name%"$suffix"}
        read -r ok bad status took <"$(log_of "$name").sum"
        judge "$name" "$limit" "$test"
    done
}

build() {
    if ! make -s -j"$jobs" WERROR=1 "$@" >"$logs/build.log" 2>&1; then
        tail -40 "$logs/build.log"
        echo "the build failed: make $*"
        echo "$passed passed, $((failed + 1)) failed"
        exit 1
    fi
}

for part in $parts; do
    case $part in
    check)
        run "include rules" 60 make -s layers
        run "format" 120 make -s check-format
        run "analyzer" 900 make -s analyze
        ;;
    tidy)
        run "lint" 1800 make -s tidy
        ;;
    unit)
        build MODE=san tests
        # shellcheck disable=SC2046
        run_together 300 build/san/ "" $(make -s MODE=san list-tests)
        ;;
    threads)
        build MODE=tsan thread-tests
        for test in $(make -s MODE=tsan list-thread-tests); do
            run "tsan ${test#build/tsan/}" 300 "$test"
        done
        ;;
    e2e)
        build all
        run_together 600 "" .sh tests/e2e/test_*.sh
        ;;
    mcp)
        build all mcp-fixture
        run "mcp conformance and clients" 900 bash tests/mcp/run.sh
        ;;
    fuzz)
        run "fuzz" 1200 make -s fuzz
        run "memory sanitizer" 300 make -s unwritten
        FUZZ_SECONDS=3 run "coverage of the decoders" 300 make -s -j"$jobs" coverage
        ;;
    *)
        echo "tests/run.sh: no part $part" >&2
        exit 2
        ;;
    esac
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
