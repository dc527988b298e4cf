#!/bin/bash
# The dead-route gate as a build runs it: exit codes, baseline, formats.
. "$(dirname "$0")/lib.sh"
deploy/npm.sh tests/e2e/formats formats || exit 1
formats=build/npm/formats
cp tests/e2e/formats/*.mjs $formats/
data=$work/data
now=$(date +%s)
later=$((now + 10 * 86400))

# gate NAME CODE [option...]: its output is in $out, its words in $err
gate() {
    local name=$1 code=$2
    shift 2
    out=$("$spangraph" dead-routes --data "$data" --now $later --assume-unsampled --stale-days 10 "$@" 2>"$work/err")
    same "$name: exit code" "$code" $?
    err=$(cat "$work/err")
}
verdicts() { jq -r '.routes[] | "\(.service) \(.method) \(.route) \(.verdict)"' <<<"$1" | LC_ALL=C sort; }

printf 'intake: {accepted_past: 60d, accepted_future: 60d}\n' >"$work/past.yaml"
node $formats/history.mjs "$now" >"$work/history.jsonl"
"$spangraph" ingest --config "$work/past.yaml" --data "$data" "$work/history.jsonl" >/dev/null 2>&1
printf '# routes of api\nGET /live\nGET /old\n\nGET /never\n' >"$work/routes.txt"
printf 'GET /now-and-then\nGET /forgotten\n' >"$work/spotty.txt"
"$spangraph" import-routes --data "$data" --service api "$work/routes.txt" >/dev/null
"$spangraph" import-routes --data "$data" --service spotty "$work/spotty.txt" >/dev/null

gate "dead routes are findings" 1 --service api --format json
same "with their verdicts" 'api GET /=cmd|x"`@all&b>_ undocumented
api GET /live active
api GET /never never_observed
api GET /old stopped' "$(verdicts "$out")"
printf '%s\n' "$out" >"$work/baseline.json"
gate "--json says the same" 1 --service api --json
same "to the letter" "$(cat "$work/baseline.json")" "$out"
gate "--since is --stale-days" 1 --service api --json --stale-days 400 --since 10d
same "to the letter" "$(cat "$work/baseline.json")" "$out"

gate "nothing new is clean" 0 --service api --baseline "$work/baseline.json"
has "and says so" "0 new, 2 known" "$err"
jq 'del(.routes[] | select(.route == "/old"))' "$work/baseline.json" >"$work/less.json"
gate "one new route fails" 1 --service api --baseline "$work/less.json"
has "and says so" "1 new, 1 known" "$err"
jq '(.routes[] | select(.route == "/old")).verdict = "active"' "$work/baseline.json" >"$work/alive.json"
gate "what was alive then is new" 1 --service api --baseline "$work/alive.json"
gate "an undocumented route is one with any" 1 --service api --fail-on any --baseline <(jq 'del(.routes[] | select(.route != "/never"))' "$work/baseline.json")
has "which is said" "2 new, 1 known" "$err"
gate "nothing fails with none" 0 --service api --fail-on none
gate "ignored routes do not fail" 0 --service api --ignore '/old' --ignore 'GET /nev*,/x'
has "and are shown" "suppressed" "$out"
gate "only ignored routes are no evidence" 3 --service api --ignore '*'

gate "two findings may be" 0 --service api --max 2
has "and it is said" "2 new, 0 known, 0 without enough evidence, of 4 routes; 2 new may be" "$err"
gate "one of two may be" 1 --service api --max 1
gate "one that is new may be" 0 --service api --max 1 --baseline "$work/less.json"
gate "fewer than none may not" 2 --service api --max -1
gate "a word is no number" 2 --service api --max some

gate "coverage is asked for" 3 --service spotty --min-coverage 0.95
has "and what lacks it is said" "0 new, 0 known, 1 without enough evidence" "$err"
gate "less of it will do" 1 --service spotty --min-coverage 0.2
gate "it is there for api" 1 --service api --min-coverage 0.95
gate "a finding goes before a lack" 1 --min-coverage 0.95

gate "no such service" 2 --service nobody
gate "no such class" 2 --fail-on some
gate "no such format" 2 --format xml
gate "two formats" 2 --json --format csv
gate "too much coverage" 2 --min-coverage 1.01
gate "no number" 2 --min-coverage lots
gate "no whole days" 2 --since 36h
gate "too many days" 2 --since 401d
gate "no days" 2 --since 0d
gate "as many globs as there may be" 1 --ignore "$(seq -s, 256)"
gate "one more" 2 --ignore "$(seq -s, 256)" --ignore x
gate "a file that nothing names" 2 --declared-in x
gate "a folder that nothing names" 2 --code-in x
for folder in / /repo .. ../x x/.. x/../y; do
    gate "the folder $folder is not below the top" 2 --format sarif --code-in "$folder"
    has "and that is said" "below the top of the" "$err"
done
for folder in "" . ... x/..y ./x/; do
    gate "the folder '$folder' is" 1 --service api --format sarif --fail-on any --code-in "$folder"
done
gate "a missing baseline" 4 --baseline "$work/none.json"
has "is named" "none.json" "$err"
echo '{"routes":[{"service":7}]}' >"$work/bad.json"
gate "a baseline that is none" 4 --baseline "$work/bad.json"
has "is named" "not the output of dead-routes" "$err"
out=$("$spangraph" dead-routes --data "$work/nothing" 2>&1)
same "no store is exit code 4" 4 $?
"$spangraph" dead-routes --data "$data" --now $later >/dev/full 2>&1
same "nowhere to print is exit code 4" 4 $?
has "the help says the exit codes" "3  nothing that fails, but evidence is missing" "$("$spangraph" dead-routes --help)"

gate "CSV" 1 --service api --format csv
printf '%s\n' "$out" >"$work/out.csv"
rows=$(node $formats/check.mjs csv "$work/out.csv")
same "CSV: a row a route" 4 "$(wc -l <<<"$rows")"
has "CSV: a hostile route is text" '"route":"/=cmd|x\"`@all&b>_"' "$rows"
gate "Markdown" 1 --service api --format md --fail-on any
has "Markdown: a hostile route is text" '/=cmd\|x"\`&#64;all&amp;b&gt;\_' "$out"
same "Markdown: a row has as many cells" 9 "$(grep -F cmd <<<"$out" | sed 's/\\|//g' | tr -cd '|' | wc -c)"

# SARIF against the schema of OASIS, as a public Go module carries it.
cp "$work/routes.txt" "build/routes of api.txt"
gate "SARIF" 1 --service api --format sarif --fail-on any --declared-in "build/routes of api.txt" --baseline "$work/less.json"
printf '%s\n' "$out" >"$work/one.sarif"
module=$(GOFLAGS=-mod=mod timeout 60 go mod download -json github.com/owenrumney/go-sarif/v3@v3.3.0 2>/dev/null | jq -r .Dir)
if [ -n "$module" ]; then
    schema=$module/pkg/report/v210/sarif/schema.go
    same "SARIF is valid" valid "$(node $formats/check.mjs sarif "$work/one.sarif" "$schema" 2>&1)"
    jq '.runs[0].results[0].level = "fatal"' "$work/one.sarif" >"$work/broken.sarif"
    has "and what is not is told" "level" "$(node $formats/check.mjs sarif "$work/broken.sarif" "$schema" 2>&1)"
else
    echo "# no go or no module proxy: SARIF was not held against the schema"
fi
results() { jq -r ".runs[0].results[] | $2" "$1"; }
same "SARIF: what is new comes first" 'spangraph/stopped new
spangraph/never_observed unchanged
spangraph/undocumented unchanged' "$(results "$work/one.sarif" '"\(.ruleId) \(.baselineState)"')"
same "SARIF: declared routes have their file and line" \
    '["build/routes%20of%20api.txt",3]
["build/routes%20of%20api.txt",5]
null' \
    "$(results "$work/one.sarif" '.locations[0].physicalLocation | if . then [.artifactLocation.uri, .region.startLine] else null end | tojson')"
has "SARIF: every route has its logical location" "api GET /never" \
    "$(results "$work/one.sarif" '.locations[0].logicalLocations[0].fullyQualifiedName')"
printf 'GET /never\n\n\nGET /old\n' >"build/routes of api.txt"
gate "lines move" 1 --service api --format sarif --fail-on any --declared-in "build/routes of api.txt" --baseline "$work/less.json"
same "SARIF: fingerprints do not" \
    "$(results "$work/one.sarif" '.partialFingerprints | tojson')" \
    "$(jq -r '.runs[0].results[] | .partialFingerprints | tojson' <<<"$out")"
same "SARIF: and are apart" 3 "$(results "$work/one.sarif" '.partialFingerprints.primaryLocationLineHash' | sort -u | wc -l)"
rm -f "build/routes of api.txt"
gate "SARIF without evidence" 3 --service spotty --format sarif --min-coverage 0.95
same "SARIF: what lacks evidence is for review" '["review","none"]' \
    "$(jq -c '.runs[0].results[0] | [.kind, .level]' <<<"$out")"

# The workflow files: their scripts, as a runner would run them.
mkdir -p "$work/bin" "$work/repo"
printf '#!/bin/sh\nexec "%s" "$@" --now %s --assume-unsampled --stale-days 10\n' "$spangraph" $later |
    sed 's/"\$@"/$(echo "$@" | sed "s,--since 30d,,")/' >"$work/bin/spangraph"
chmod +x "$work/bin/spangraph"
cp "$work/routes.txt" "$work/repo/openapi.yaml"

# ci FILE SHELL SERVICE BASELINE: its exit code, in $work/repo
ci() {
    node $formats/check.mjs ci "deploy/ci/$1" >"$work/script"
    (cd "$work/repo" && rm -f dead-routes.* step && SPANGRAPH_DATA=$data SERVICE=$3 BASELINE=$4 \
        DECLARED_IN=openapi.yaml GITHUB_STEP_SUMMARY=step GITHUB_OUTPUT=step PATH=$work/bin:$PATH \
        "$2" -e "$work/script" >"$work/ci.out" 2>&1; echo $?)
}
for file in github gitlab; do
    shell=$([ $file = github ] && echo bash || echo sh)
    same "$file: new dead routes fail" 1 "$(ci $file-dead-routes.yml $shell api none.json)"
    check "$file: the report is kept" jq -e '.routes | length == 4' "$work/repo/dead-routes.json"
    same "$file: with a baseline they do not" 0 "$(ci $file-dead-routes.yml $shell api "$work/baseline.json")"
    same "$file: what cannot run fails" 2 "$(ci $file-dead-routes.yml $shell nobody none.json)"
done
same "gitlab: missing evidence is exit code 3" 3 "$(ci gitlab-dead-routes.yml sh spotty none.json)"
same "github: and a warning there" 0 "$(ci github-dead-routes.yml bash spotty none.json)"
has "which is said" "::warning::not enough evidence" "$(cat "$work/ci.out")"
ci github-dead-routes.yml bash api none.json >/dev/null
same "github: what it uploads has a file" '["openapi.yaml","openapi.yaml"]' \
    "$(jq -c '[.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri]' "$work/repo/dead-routes.sarif")"
has "github: the summary is Markdown" "| new | api | GET /never |" "$(cat "$work/repo/step")"

done_testing
