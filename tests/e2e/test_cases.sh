#!/bin/bash
# The rules by example: spans in, edges out, in every order and over the wire.
. "$(dirname "$0")/lib.sh"

timeout 300 node tests/e2e/cases.js "$spangraph" "$work" || failures=1

# A client that waited longer than the service does would be a call of nobody
# for a while; what is asked is how it ends.
start_service "$work/data" 'pairing: {wait: 2s}
store: {flush_interval: 100ms}
intake: {exclude: {routes: ["GET /healthz*"]}}'
timeout 60 node tests/e2e/cases.js "$spangraph" "$work" "http://$http/v1/traces" || failures=1
check "the service stops cleanly" stop_service

done_testing
