#!/bin/bash
# The demo, as a new user runs it; and what the command line says of itself.
. "$(dirname "$0")/lib.sh"

out=$(timeout 60 examples/shop/demo.sh 2>&1 </dev/null)
same "the demo ends well" 0 $?
has "it asks runtime_traffic" '"EdgeType":	"call"' "$out"
has "it asks dead_routes" 'insufficient_window' "$out"
has "it asks trace_stats" '"TotalEdges":	10' "$out"
has "it shows the edges" 'gateway                 orders                  call        6' "$out"
has "it says where to look" 'http://localhost:8080/mcp' "$out"
check "it leaves nothing behind" test -z "$(ls -d "${TMPDIR:-/tmp}"/spangraph-demo.* 2>/dev/null)"

for command in "" serve mcp ingest edges dead-routes stats explain call import-routes check-config version; do
    check "help of: ${command:-spangraph}" timeout 5 "$spangraph" $command --help
done
out=$("$spangraph" sevre 2>&1)
same "an unknown command is a usage error" 2 $?
has "and the nearest is named" "did you mean serve?" "$out"
out=$("$spangraph" edges --levle x 2>&1)
same "an unknown option is a usage error" 2 $?
has "and the nearest is named" "did you mean --level?" "$out"
out=$("$spangraph" edges --data "$work/none" 2>&1)
same "no data is exit code 4" 4 $?
has "and it says what to do" "$work/none" "$out"
check "the default configuration is a configuration" sh -c \
    "'$spangraph' check-config >'$work/all.yaml' && '$spangraph' check-config '$work/all.yaml'"
check "as JSON too" sh -c "'$spangraph' check-config --json | jq -e .[] >/dev/null; '$spangraph' version --json | jq -e .version"
senseless() { echo "$1" >"$work/senseless.yaml" && "$spangraph" check-config "$work/senseless.yaml" 2>&1; }
has "a sampling attribute that is never read is refused" "intake.sample_rate_key" "$(senseless 'intake: {sample_rate_key: foo.bar}')"
has "so is a wait beyond the horizon" "pairing.horizon" "$(senseless 'pairing: {wait: 20m}')"
has "so are ages that do not rise" "must rise" "$(senseless 'gc: {stale: 3d}')"
has "and one that is no whole day" "are whole days" "$(senseless 'gc: {active: 36h}')"
check "import-routes prints JSON whatever the service is called" sh -c \
    "'$spangraph' import-routes --data '$work/routes' --json --service 'a\"b' examples/shop/routes.txt | jq -e '.declared > 0 and .service == \"a\\\"b\"'"
has "the version is said" "spangraph 0." "$("$spangraph" version)"

done_testing
