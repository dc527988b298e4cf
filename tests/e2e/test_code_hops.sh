#!/bin/bash
# Questions of several hops over generated programs, with spans for some of
# their calls: at least 95 % exact, by the generator's own answers.
# PROGRAMS=10 FUNCTIONS=80 asks more.
. "$(dirname "$0")/lib.sh"

check "answers of several hops over code are exact" timeout 180 \
    node tests/e2e/code_hops.js "$spangraph" "$work" "${PROGRAMS:-1}" \
    "${FUNCTIONS:-30}"
tail -20 "$work/check.out"

done_testing
