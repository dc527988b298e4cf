#!/bin/bash
# Applications under real frameworks and instrumentations, and what is true of
# them (tests/fixtures/README.md).  Arguments are the fixtures to check; all.
. "$(dirname "$0")/lib.sh"

timeout 300 node tests/fixtures/check.js "$spangraph" "$work" "$@" || failures=1

done_testing
