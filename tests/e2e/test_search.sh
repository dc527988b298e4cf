#!/bin/bash
# What search finds in this tree: the small size of `make bench-search`, with a
# floor well below what it reaches (docs/search.md).
. "$(dirname "$0")/lib.sh"

mkdir -p "$work/tree/docs"
cp -r knowledge store "$work/tree/"
for page in calls design indexing kubernetes performance routes; do
    cp "docs/$page.md" "$work/tree/docs/"
done
check "the tree is indexed" timeout 60 "$spangraph" index "$work/tree" --data "$work/data"
check "its documents are taken in" timeout 60 "$spangraph" call manage \
    action=crawl "url=$work/tree" --data "$work/data"
check "search finds what was asked for" timeout 60 node tests/bench/search/ask.js \
    "$spangraph" "$work/data" tests/bench/search/tree.jsonl --floor 0.65
cat "$work/check.out"

done_testing
