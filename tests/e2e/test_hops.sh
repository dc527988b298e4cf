#!/bin/bash
# Questions of several hops over generated topologies: at least 95 % exact, by
# the generator's own answers.  TOPOLOGIES=20 SERVICES=40 asks more.
. "$(dirname "$0")/lib.sh"

check "answers of several hops are exact" timeout 120 node tests/e2e/hops.js \
    "$spangraph" "$work" "${TOPOLOGIES:-2}" "${SERVICES:-20}"
tail -12 "$work/check.out"

done_testing
