#!/bin/bash
# The service against the rules, written down a second time in another language from
# them alone: random traces, late halves, repeats, kill -9 (tests/e2e/spec_run.py).
. "$(dirname "$0")/lib.sh"
case ${SIZE:-commit} in
commit) seeds=2 ;;
nightly) seeds=60 ;;
*) seeds=600 ;;
esac
first=${SEED:-1}
last=${SEED:-$seeds}
for ((seed = first; seed <= last; seed++)); do
    mkdir "$work/$seed"
    check "seed $seed" timeout 180 python3 tests/e2e/spec_run.py "$spangraph" "$work/$seed" "$seed" 120
    [ "$seed" != "$first" ] || same "it compares a graph of more than 300 edges" yes \
        "$(awk '/ edges, / { print($5 > 300 ? "yes" : $0) }' "$work/check.out")"
    rm -rf "${work:?}/$seed"
done
done_testing
