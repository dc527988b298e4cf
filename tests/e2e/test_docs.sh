#!/bin/bash
# Every command block of README and docs is run, in order, in a scratch copy of
# the tree; tests/docs/run.js says how.  First that a wrong one is noticed.
#
#   tests/e2e/test_docs.sh [DOCUMENT...]
. "$(dirname "$0")/lib.sh"
npm_ready
deploy/npm.sh tests/deploy deploy || exit 1
export NODE_PATH=$PWD/build/npm/deploy/node_modules

# The documents say 4317, 4318 and 8080: a network of our own, where there can
# be one, has them free, and nothing else to be reached.
alone=()
if unshare -n ip link set lo up 2>/dev/null; then
    alone=(unshare -n sh -c 'ip link set lo up && exec "$@"' sh)
fi

# A copy of the tree as it stands, as a repository of one commit.
tree=$work/tree
mkdir -p "$tree/build"
git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'ls -d "$@" 2>/dev/null' sh |
    tar -cf - -T - | tar -C "$tree" -xf -
(cd "$tree" && git init -q && git add -A && git -c user.name=docs -c user.email=docs@example.org commit -q -m docs)
ln -s "$spangraph" "$tree/build/spangraph"
ln -s "$PWD/build/npm" "$tree/build/npm"

run_docs() { PATH=$tree/build:$PATH "${alone[@]}" node tests/docs/run.js "$tree" "$spangraph" "$@" 2>&1; }

# --- a document that is right passes; of one that is not, it is said where
said=$(run_docs tests/docs/fixtures/*.md)
for fixture in tests/docs/fixtures/*.md; do
    wanted=$(sed -n 's/^<!-- wanted: \(.*\) -->$/\1/p' "$fixture")
    if [ -n "$wanted" ]; then
        has "$fixture fails" "not ok $fixture" "$said"
        has "and it is said where" "$fixture:$wanted" "$said"
    else
        has "$fixture passes" "
ok $fixture: 5 blocks run, 3 checked, 1 commands skipped" "
$said"
    fi
done

# --- the page of the configuration: build/spangraph check-config --reference >docs/configuration.md
same "docs/configuration.md is what the program prints" "$("$spangraph" check-config --reference)" "$(cat docs/configuration.md)"
same "every key is in it" "$("$spangraph" check-config --json | jq -r 'keys[]')" \
    "$(sed -n 's/^| `\([a-z_0-9.]*\)` |.*/\1/p' docs/configuration.md | LC_ALL=C sort)"

# --- words of the code that pages explain one by one
words=$(sed -n 's/^ *X([A-Z_]*, "\([a-z_]*\)").*/\1/p' graph/audit.h; sed -n 's/^ *\[VERDICT_.* = "\([a-z_]*\)",/\1/p' graph/audit_words.c)
check "there are verdicts and reasons" test "$(wc -w <<<"$words")" -gt 35
same "docs/dead-routes.md has each of them" "" \
    "$(for word in $words; do grep -qF "\`$word\`" docs/dead-routes.md || echo "$word"; done)"
"$spangraph" ingest --data "$work/store" examples/shop/trace.jsonl >/dev/null
tools=$(echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | "$spangraph" mcp --data "$work/store" --toolsets all | jq -r '.result.tools[].name')
same "docs/agents.md names no tool that is not there" "" \
    "$(sed -n '/^| question/,/^$/p' docs/agents.md | grep -o '`[a-z_]*`' | tr -d '`' | grep -vxF "$tools")"

# --- the documents
mapfile -t documents < <(ls ./*.md docs/*.md | sed 's|^\./||')
run_docs "${@:-${documents[@]}}" || failures=$((failures + 1))
done_testing
