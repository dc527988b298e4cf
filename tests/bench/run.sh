#!/bin/bash
# Run every benchmark and print what it compared, with the machine it ran on.
set -eu
echo "machine: $(nproc) cores, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2-), $(uname -r)"
for bench in "$@"; do
    echo
    echo "== $(basename "$bench")"
    "$bench"
done
for script in tests/bench/bench_*.sh; do
    [ -e "$script" ] || continue
    echo
    echo "== $(basename "$script")"
    bash "$script"
done
