#!/bin/bash
# The web page in a real browser.  With SCREENSHOTS=FOLDER only the pictures of
# docs/ui.md are taken.
. "$(dirname "$0")/lib.sh"
deploy/npm.sh tests/ui ui-tests || exit 1
cp tests/ui/*.mjs build/npm/ui-tests/
node=build/npm/ui-tests

# browse SCRIPT SECONDS [argument...]: its lines, its failures counted with ours
browse() {
    local script=$1 limit=$2 line
    shift 2
    while IFS= read -r line; do
        echo "$line"
        case $line in "not ok "*) failures=$((failures + 1)) ;; esac
    done < <(timeout --kill-after=5 "$limit" node "$node/$script" "$@" 2>&1 || echo "not ok $script ends well")
}

mkdir -p "$work/repo" "$work/shop"
printf 'intake: {accepted_past: 90d}\ngraph: {exemplars: true}\n' >"$work/past.yaml"
node $node/story.mjs "$work/repo" "$(date +%s)" >"$work/story.jsonl"
check "two months are taken in" "$spangraph" ingest --config "$work/past.yaml" --data "$work/shop/data" "$work/story.jsonl"
git -C "$work/repo" init -q
git -C "$work/repo" add -A
git -C "$work/repo" -c user.name=test -c user.email=test@example.org commit -qm shop
services=$(printf -- '--service %s=%s ' gateway gateway orders orders payments payments loyalty loyalty)
# shellcheck disable=SC2086
check "the code is read" "$spangraph" index --repo example.org/shop $services --data "$work/shop/data" "$work/repo"
start_service "$work/shop/data"
if [ -n "${SCREENSHOTS:-}" ]; then
    browse screenshots.mjs 60 "http://$query" "$SCREENSHOTS"
    done_testing
fi
browse views.mjs 240 "http://$query" "$spangraph" "$work/shop"
check "the service stops cleanly" stop_service

start_service "$work/empty" "" "auth: {tokens: [open-sesame]}"
browse doors.mjs 120 "http://$query" open-sesame "http://$http"
check "the guarded one too" stop_service

node $node/many.mjs 300 20 17 >"$work/many.jsonl"
check "100,000 edges are taken in" "$spangraph" ingest --data "$work/many" "$work/many.jsonl"
start_service "$work/many"
browse large.mjs 150 "http://$query"
check "the large one too" stop_service
done_testing
