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

# What no longer holds, and what is gone, is no answer, be it asked for by words or by filters.
tool() { timeout 20 "$spangraph" call --data "$work/data" "$@"; }
names() { jq -r '[.results[].name] | sort | join(" ")'; }
old=$(tool add title=old content='retry twice' entity_type=rule | jq -r .id)
tool add title=new content='retry thrice' entity_type=rule "related_to=[\"supersedes:$old\"]" >/dev/null
same "what was superseded is not found" "new" "$(tool search query=retry 'types=["rule"]' | names)"
same "nor listed" "new" "$(tool search query= 'types=["rule"]' | names)"
mkdir "$work/pages"
echo '# Stays' >"$work/pages/stays.md"
echo '# Goes' >"$work/pages/goes.md"
tool manage action=crawl "url=$work/pages" >/dev/null
rm "$work/pages/goes.md"
tool manage action=crawl "url=$work/pages" >/dev/null
same "a document that is gone is not listed" "Stays" "$(tool search query= source_name=pages include_graph=false | names)"

done_testing
