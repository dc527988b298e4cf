#!/bin/bash
# Sources that are crawled: from a site on this machine, allowed by name, and
# from folders; what must not be reached, what changed, what died in between.
. "$(dirname "$0")/lib.sh"

requests=$work/requests
: >"$requests"
node tests/e2e/site.js "$requests" >"$work/port" &
wait_for 10 test -s "$work/port"
port=$(cat "$work/port")
site=http://127.0.0.1:$port
setting() { curl -s -m 5 "$site/_set?$1"; }
rules='knowledge: {roots: ["'$work/docs'"], crawl: {allow: [127.0.0.1], delay: 0s, page_timeout: 2s, max_page_size: 1MiB}}'
mkdir -p "$work/docs/in" "$work/elsewhere"
printf '# Note\n\nfolderword here\n' >"$work/docs/in/note.md"
printf '# Other\n\nsecretword\n' >"$work/elsewhere/other.md"
ln -s "$work/elsewhere" "$work/docs/link"
serve() { start_service "$work/data" "$rules" 'toolsets: all'; }
serve

# tool NAME ARGUMENTS: its structured content, or its error as text.
tool() {
    curl -s -m "${limit:-60}" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
        -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" "http://$query/mcp" |
        jq -r '.result.content[0].text'
}
crawl() { tool manage "{\"action\":\"crawl\",\"url\":\"$1\"${2:+,$2}}"; }
sync() { tool manage "{\"action\":\"sync\",\"entity_id\":\"$1\"}"; }
counts() { jq -r '.data | "\(.status) \(.added) \(.changed) \(.unchanged) \(.removed) \(.failed)"'; }
node_of() { tool graph_node "{\"nodeId\":\"$1\",\"disclosureLevel\":4}"; }
store() { sqlite3 -readonly "$work/data/knowledge.db" "$1"; }
asked() { grep -c "^$1 " "$requests"; }

# --- what is read
reply=$(crawl "$site")
source=$(jq -r .data.source_id <<<"$reply")
same "pages are taken in" "completed 8 0 0 0 0" "$(counts <<<"$reply")"
same "as far as the depth goes" "0 1" "$(asked /guide/deeper) $(asked /guide/deep)"
same "robots.txt is obeyed" "0" "$(asked /private/x)"
same "files that are no pages are not asked for" "0" "$(asked /pic.png)"
same "the crawler says who it is" "spangraph/$("$spangraph" version | sed 's/.* //')" "$(awk '$1 == "/" { print $3; exit }' "$requests")"
same "scripts and menus are no text" "0" "$(store "select count(*) from document where content like '%scriptword%' or content like '%menuword%'")"
same "code stays code" "1" "$(store "select count(*) from chunk where body like '%\`\`\`
step --one
  step --two
\`\`\`%'")"
same "bytes become text by their charset" "café “quoted”" "$(store "select content from document where url like '%/latin'")"
same "and wrong ones are marked" "wr�ong bytes" "$(store "select content from document where url like '%/wrong'")"
has "it is found" "/guide/deep" "$(tool search '{"query":"pay slow","types":["document"]}')"
has "and listed" '"B"' "$(tool explore '{"types":["document"]}')"
has "the source says how it is" '"crawl_status":"completed"' "$(node_of "$source")"

# --- what changed
: >"$requests"
same "a second time all is unchanged" "completed 0 0 8 0 0" "$(sync "$source" | counts)"
same "for which nothing is sent again" "304 304 304" "$(awk '$1 == "/" || $1 == "/a" || $1 == "/b" { print $2 }' "$requests" | paste -sd' ')"
setting 'b=second&c=removed&a=ill'
reply=$(sync "$source")
same "what changed, is gone or fails is told apart" "partial 0 1 5 1 1" "$(counts <<<"$reply")"
has "with the reason" 'HTTP 500' "$(jq -c .data.failures <<<"$reply")"
same "what fails is kept" "1" "$(store "select count(*) from document where url like '%/a' and removed_s = 0")"
same "what is gone is marked, without chunks" "0" "$(store "select count(*) from chunk c join document d on d.oid = c.document where d.url like '%/c'")"
has "what changed is found" "$site/b" "$(tool search '{"query":"second text","types":["document"]}')"
setting 'c=there&a=well'
same "what comes back is added" "completed 1 0 7 0 0" "$(sync "$source" | counts)"

# --- what is hostile
before=$(awk '/^VmRSS/ { print $2 }' "/proc/$service_pid/status")
reply=$(crawl "$site/evil" '"data":{"respect_robots":true}')
same "of a hostile site the rest is read" "partial 2 0 0 0 10" "$(counts <<<"$reply")"
refusals=$(jq -r '.data.failures[] | "\(.url) \(.why)"' <<<"$reply")
has "a huge page" "/evil/big larger than" "$refusals"
has "a decompression bomb" "/evil/bomb larger than" "$refusals"
has "a page without end" "/evil/slow it took too long" "$refusals"
has "a page no parser ends with" "/evil/deep it crashed or held up its reader" "$refusals"
has "redirects without end" "/evil/loop it redirects more than 5 times" "$refusals"
has "a redirect to another address of this machine" "/evil/off it redirects to another site" "$refusals"
has "a redirect to a cloud's metadata" "/evil/meta it redirects to another site" "$refusals"
has "a redirect to an address in disguise" "/evil/odd it redirects to something that is no page" "$refusals"
has "a redirect with a password" "/evil/user it redirects to something that is no page" "$refusals"
after=$(awk '/^VmRSS/ { print $2 }' "/proc/$service_pid/status")
check "none of it came into the service: $before to $after kB" test $((after - before)) -lt 8192

# --- what must not be reached
for where in "http://127.0.0.2:$port/" "http://[::1]:$port/" "http://169.254.169.254/latest/meta-data/" "http://10.1.2.3/" "http://[::ffff:10.1.2.3]/" "http://[fd00:ec2::254]/"; do
    has "$where is not public" "is not public" "$(crawl "$where")"
done
for where in "http://0x7f.1:$port/" "http://2130706433:$port/" "http://017700000001/" "http://user:pass@127.0.0.1:$port/" "http://127.0.0.1:22/"; do
    has "$where is refused as it stands" "cannot be crawled" "$(crawl "$where")"
done
has "what the name resolves to counts" "completed" "$(crawl "http://localhost:$port/b" | counts)"
has "nor are files of the machine" "may not be crawled" "$(crawl /etc)"
has "nor folders elsewhere" "may not be crawled" "$(crawl "$work/elsewhere")"
has "nor where a link leads" "may not be crawled" "$(crawl "$work/docs/link")"
same "a folder among the roots is" "completed 1 0 0 0 0" "$(crawl "$work/docs" | counts)"
has "without what a link leads to" '"results":[]' "$(tool search '{"query":"secretword","types":["document"]}')"
setting robots=away
has "robots.txt leads nowhere that is not public" "is not public (loopback)" "$(crawl "$site/many")"
setting robots=down
has "without robots.txt nothing is read" "robots.txt cannot be had (HTTP 503)" "$(crawl "$site/many")"
has "and that is told" '"crawl_status":"failed"' "$(node_of "$(store "select gid from object o join source s on s.oid = o.oid where s.url like '%/many'")")"
setting robots=some
has "a schedule that is none is refused" "is none; use" "$(crawl "$site/many" '"data":{"schedule":"now and then"}')"

# --- what dies in between
many="select count(*) from document d join source s on s.oid = d.source where s.url like '%/many' and d.removed_s = 0"
# in_the_middle: a crawl is under way, and has told of a few pages.
in_the_middle() {
    : >"$requests"
    setting lag=150
    crawl "$site/many" >"$work/reply" &
    wait_for 10 grep -q '^/many/2 ' "$requests"
}
in_the_middle
keeper=$(pgrep -P "$service_pid")
fetcher=$(pgrep -P "$keeper")
same "who fetches has no privileges to gain and a filter" "1 2" "$(awk '/^NoNewPrivs|^Seccomp:/ { print $2 }' "/proc/$fetcher/status" | paste -sd' ')"
kill -9 "$fetcher"
wait %% 2>/dev/null
has "a process that dies is told" "crawling process died" "$(cat "$work/reply")"
check "and what it had found is kept: $(store "$many")" test "$(store "$many")" -ge 2
setting lag=0
same "the next crawl does the rest" "13" "$(crawl "$site/many" >/dev/null && store "$many")"
tool manage "{\"action\":\"crawl\",\"url\":\"$site/many\",\"data\":{\"schedule\":\"1h\"}}" >"$work/reply"
in_the_middle
kill -9 "$service_pid"
wait "$service_pid" 2>/dev/null
check "its helpers end with the service" wait_for 5 bash -c "! kill -0 $keeper 2>/dev/null"
same "the store says that it was under way" "crawling" "$(store "select status from source where url like '%/many'")"
setting lag=0
serve
check "an interrupted crawl is done again, by its schedule" wait_for 15 grep -q 'msg="source crawled".*many' "$work/service.log"
same "with the right result" "13 completed" "$(store "$many") $(store "select status from source where url like '%/many'")"
in_the_middle
started=$(date +%s)
check "the service stops while it crawls" stop_service
check "and soon" test $(($(date +%s) - started)) -lt 6
setting lag=0

# --- when it is time
sqlite3 "$work/data/knowledge.db" "update source set crawled_s = crawled_s - 7200, status = 'completed' where url like '%/many'"
serve
check "a schedule is kept over a restart" wait_for 15 grep -q 'msg="source crawled".*many' "$work/service.log"
check "it stops" stop_service

# --- over TLS: who is not known is not asked
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout "$work/key.pem" \
    -out "$work/cert.pem" -subj /CN=localhost -addext 'subjectAltName=DNS:localhost' 2>/dev/null
node -e '
const { readFileSync } = require("fs");
const [key, cert] = process.argv.slice(1).map((file) => readFileSync(file));
const server = require("https").createServer({ key, cert }, (q, r) => {
  r.setHeader("Content-Type", "text/html");
  if (q.url !== "/") r.statusCode = 404;
  r.end("<h1>Sealed</h1><p>text</p>");
}).listen(0, "127.0.0.1", () => console.log(server.address().port));' "$work/key.pem" "$work/cert.pem" >"$work/tls" &
wait_for 10 test -s "$work/tls"
sealed=https://localhost:$(cat "$work/tls")/
serve
has "a certificate that nobody knows is refused" "certificate" "$(crawl "$sealed")"
check "it stops" stop_service
rules=${rules/crawl: \{/crawl: \{ca_file: $work/cert.pem, }
serve
same "one that the operator trusts is not" "completed 1 0 0 0 0" "$(crawl "$sealed" | counts)"
check "it stops" stop_service

# --- on standard input: cancelled by its client
printf '%s\n' "$rules" >"$work/local.yaml"
setting lag=400
: >"$requests"
ask() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
{
    ask '"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
    ask '"method":"notifications/initialized"'
    ask "\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"manage\",\"arguments\":{\"action\":\"sync\",\"entity_id\":\"$(store "select gid from object o join source s on s.oid = o.oid where s.url like '%/many'")\"}}"
    wait_for 10 grep -q '^/many/1 ' "$requests"
    ask '"method":"notifications/cancelled","params":{"requestId":2}'
    sleep 1.2
    wc -l <"$requests" >"$work/then"
    sleep 1.2
    wc -l <"$requests" >"$work/later"
} | timeout 60 "$spangraph" mcp --config "$work/local.yaml" --toolsets all --data "$work/data" >"$work/replies" 2>"$work/stdio.log"
same "a call that is cancelled asks no more" "$(cat "$work/then")" "$(cat "$work/later")"
check "and did not do all of it" test "$(cat "$work/later")" -lt 12
same "what was stored stays" "13" "$(store "$many")"

# --- at a shell, by the same configuration
setting lag=0
out=$(timeout 60 "$spangraph" call manage --data "$work/data" action=crawl "url=$site" 2>&1)
has "without a configuration a private address is refused" "is not public" "$out"
reply=$(timeout 60 "$spangraph" call manage --config "$work/local.yaml" --data "$work/data" action=crawl "url=$site" 2>"$work/err")
same "what it allows is crawled" 0 $?
has "and told" '"status": "' "$(jq . <<<"$reply")"
printf '%s\n' "store: {dir: $work/data}" "knowledge: {strict_workflow: true, crawl: {enabled: false}}" >"$work/off.yaml"
out=$(timeout 60 "$spangraph" call manage --config "$work/off.yaml" action=crawl "url=$site" 2>&1)
has "what it turns off is not, in the folder that it names" "not crawled" "$out"
same "a configuration that is none is exit code 2" 2 "$(timeout 5 "$spangraph" call trace_stats --config "$work/none.yaml" >/dev/null 2>"$work/err"; echo $?)"
has "and named" "none.yaml" "$(cat "$work/err")"
# --- what it tells of itself
setting maps=some
start_service "$work/maps" "$rules" 'toolsets: all'
: >"$requests"
reply=$(crawl "$site/?maps" '"depth":1')
same "sitemaps and llms.txt are read" "1 1 1 1" "$(asked /llms.txt) $(asked /maps/index.xml) $(asked /maps/one.xml) $(asked /maps/two.txt)"
same "and lead to pages without a link" "1 1 1 1" "$(asked /hidden/one) $(asked '/hidden/two?a=1&b=2') $(asked /hidden/three) $(asked /hidden/four)"
same "which robots.txt, other hosts and names of files still bar" "0 0 0" "$(asked /private/y) $(asked /z) $(asked /pic.jpg)"
same "what llms.txt names comes first" "/hidden/four" "$(awk '/^.hidden/ { print $1; exit }' "$requests")"
has "they are found" "Hidden three" "$(tool search '{"query":"hidden text three","types":["document"]}')"
same "below a folder, that folder's alone" "0 1" "$(
    : >"$requests"
    crawl "$site/guide/" '"depth":1' >/dev/null
    echo "$(asked /hidden/one) $(asked /guide/deep)"
)"
check "it stops, too" stop_service
done_testing
