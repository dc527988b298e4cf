#!/bin/bash
# The checklist of the knowledge tools, row by row, on data: the shop's code is
# indexed, its recorded trace taken in as if it were of an hour ago, and each
# file of tests/mcp/rows runs against a service on a copy of that.  Beside NAME.json
# may lie NAME.yaml, more configuration; NAME.toolsets; NAME.query, keys of query.
. "$(dirname "$0")/lib.sh"
rows=tests/mcp/rows
repo=$work/repo/shop

for service in gateway orders worker; do
    mkdir -p "$repo/$service"
    echo "{\"name\": \"$service\", \"dependencies\": {\"express\": \"4\"}}" >"$repo/$service/package.json"
done
cp examples/shop/gateway.js "$repo/gateway"
cp examples/shop/{orders,stock,queue}.js "$repo/orders"
cp examples/shop/worker.js "$repo/worker"
git -C "$repo" init -q
git -C "$repo" add -A
git -C "$repo" -c user.name=ann -c user.email=ann@example.com commit -qm one
node -e '
const { readFileSync, writeFileSync } = require("fs");
const text = readFileSync("examples/shop/trace.jsonl", "utf8");
const times = [...text.matchAll(/UnixNano":"(\d+)"/g)].map((m) => BigInt(m[1]));
const last = times.reduce((a, b) => (a > b ? a : b));
const shift = BigInt(Date.now() - 3600e3) * 1000000n - last;
writeFileSync(process.argv[1], text.replace(/UnixNano":"(\d+)"/g,
  (_, at) => `UnixNano":"${BigInt(at) + shift}"`));
' "$work/trace.jsonl"
base=$work/base
check "the code is indexed" timeout 60 "$spangraph" index --repo https://github.com/acme/shop --data "$base" "$repo"
check "the routes are declared" "$spangraph" import-routes --data "$base" --service gateway examples/shop/routes.txt
check "the trace is taken in" "$spangraph" ingest --data "$base" "$work/trace.jsonl"
mkdir -p "$work/docs"
cp "$rows"/docs/* "$work/docs"
node tests/e2e/site.js "$work/requests" >"$work/port" &
wait_for 10 test -s "$work/port"
SITE=http://127.0.0.1:$(cat "$work/port")
export SITE

# index_more DATA: 20,000 functions, so that no search is over in a millisecond
index_more() {
    mkdir "$work/more"
    awk 'BEGIN {
        split("order stock charge refund parcel invoice basket price route depot", word, " ")
        for (i = 0; i < 20000; i++)
            printf "def %s_%s_%d(x):\n    return x\n\n", word[i % 10 + 1], word[int(i / 10) % 10 + 1], i
    }' | split -l 3000 --additional-suffix .py - "$work/more/part"
    timeout 60 "$spangraph" index --repo more --data "$1" "$work/more"
}

for file in "$rows"/*.json; do
    name=$(basename "$file" .json)
    cp -r "$base" "$work/$name"
    toolsets=$(cat "$rows/$name.toolsets" 2>/dev/null || echo all)
    more=$(cat "$rows/$name.query" 2>/dev/null)
    [ "$name" != slow ] || check "a larger graph is indexed" index_more "$work/slow"
    start_service "$work/$name" "$(cat "$rows/$name.yaml" 2>/dev/null)" \
        "toolsets: $toolsets, index_paths: [\"$work/repo\", \"$work/docs\"]${more:+, $more}"
    while IFS= read -r line; do
        echo "$line"
        case $line in "not ok "*) failures=$((failures + 1)) ;; esac
    done < <(timeout 60 node tests/e2e/rows.mjs "$file" "http://$query" "$work" "http://$http" 2>&1 || echo "not ok $name ends")
    check "$name: the service stops cleanly" stop_service
done
while IFS= read -r line; do
    echo "$line"
    case $line in "not ok "*) failures=$((failures + 1)) ;; esac
done < <(node tests/e2e/rows.mjs --missing "$rows")
done_testing
