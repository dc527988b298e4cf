#!/bin/bash
# Line coverage of what decodes bytes of strangers, by its fuzz targets over the
# committed corpora and what earlier runs found:  tests/fuzz/coverage.sh LEAST
# FUZZER_BUILD_DIR.  Fails under LEAST percent in all.
set -u
least=$1
bin=$2
work=${BUILD:-build}/coverage
decoders='otlp/decode_.*\.[ch]|otlp/json.*\.[ch]|otlp/wire\.[ch]|otlp/bytes64.*\.[ch]|otlp/attr_find\.h|net/inflate\.c|net/grpc_frame\.c'
mkdir -p "$work/profiles" "$work/scratch"
rm -f "$work"/profiles/*
objects=()
for name in decode_pb decode_json inflate grpc_frame; do
    program=$bin/fuzz_$name
    inputs=("tests/fuzz/corpus/$name")
    [ ! -d "${BUILD:-build}/fuzz/found/$name" ] || inputs+=("${BUILD:-build}/fuzz/found/$name")
    LLVM_PROFILE_FILE=$work/profiles/$name.profraw "$program" -max_total_time="${FUZZ_SECONDS:-10}" \
        "$work/scratch" "${inputs[@]}" >"$work/$name.log" 2>&1 || {
        tail -20 "$work/$name.log"
        exit 1
    }
    rm -rf "$work/scratch" && mkdir "$work/scratch"
    objects+=(-object "$program")
done
llvm-profdata merge -o "$work/all.profdata" "$work"/profiles/*.profraw || exit 1
llvm-cov report -instr-profile="$work/all.profdata" "${objects[@]:1}" 2>/dev/null |
    awk -v decoders="($decoders)$" -v least="$least" '
        $1 ~ decoders { lines += $8; missed += $9; printf "%-40s %6d lines %7s\n", $1, $8, $10 }
        END {
            part = lines ? 100 * (lines - missed) / lines : 0
            printf "%s decoders: %.1f %% of %d lines, at least %d\n", (part >= least ? "ok" : "not ok"), part, lines, least
            exit (part < least)
        }'
