#!/bin/bash
# A seed of the simulator is the same run, to the byte written, in the build that
# is shipped and under sanitizers.
. "$(dirname "$0")/lib.sh"
sim=tests/runtime/test_sim
make -s -j2 MODE=release build/release/$sim || exit 1
make -s -j2 MODE=san build/san/$sim || exit 1
# runs MODE: what the seeds are there.
runs() {
    for seed in 1 2 3 4 5 6 7 8 9 10 387 4711; do
        "build/$1/$sim" --seed $seed 2>&1 </dev/null | grep -E '^SEED=|compared|FAILED'
    done
}
released=$(runs release)
same "there is a line each of what ran, what was compared" 24 "$(wc -l <<<"$released")"
same "a seed is the same run in both builds" "$released" "$(runs san)"
done_testing
