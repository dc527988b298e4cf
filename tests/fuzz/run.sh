#!/bin/bash
# Run fuzz targets, each for SECONDS with its corpus, as many at once as there
# are cores:  tests/fuzz/run.sh SECONDS PROGRAM...
#
# FUZZ_SEED is libFuzzer's; 0, the default, is another one each time.  With the same
# seed and nothing found before, a slower machine goes the first part of the way.
#
# The committed corpus is only read; what is found is kept in build/fuzz.  A
# program _plain, another build of a target, has that one's corpus.
set -u
seconds=$1
shift
work=${BUILD:-build}/fuzz/found

fuzz() {
    local program=$1 seconds=$2 name found corpus
    name=$(basename "$program")
    name=${name#fuzz_}
    found=$work/$name
    corpus=tests/fuzz/corpus/${name%_plain}
    mkdir -p "$found" "$corpus"
    if "$program" -seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" \
        -timeout=10 -rss_limit_mb=3072 \
        -print_final_stats=1 -artifact_prefix="$found-" \
        "$found" "$corpus" >"$found.log" 2>&1; then
        echo "ok fuzz $name: $(grep -o 'number_of_executed_units: .*' "$found.log" | grep -o '[0-9]*$') runs"
    else
        tail -30 "$found.log"
        echo "not ok fuzz $name; the input is beside $found"
        return 1
    fi
}
export -f fuzz
export work
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c "fuzz {} $seconds"
