#!/bin/bash
# One question has one answer: by the command line, the tools, the page, /metrics and exports.
. "$(dirname "$0")/lib.sh"

# odd: what the shop has none of: failures, an environment, weights, a route that is guessed.
odd() {
    jq -nc --argjson at $(($(date +%s) - 2000)) '
        def text($key; $value): {key: $key, value: {stringValue: $value}};
        def id($n): ("0000000000000000" + ($n | tostring))[-16:];
        def span($n; $i; $kind; $took; $more): {traceId: ("feed" + id($i) + "000000000000"), spanId: id($n), name: "GET", kind: $kind,
            startTimeUnixNano: "\(($at + $i) * 1000)000000", endTimeUnixNano: "\(($at + $i) * 1000 + $took)000000"} + $more;
        def of($service; $env; $spans): {resource: {attributes: ([text("service.name"; $service)] + if $env then [text("deployment.environment.name"; $env)] else [] end)}, scopeSpans: [{spans: $spans}]};
        def status($i): {key: "http.response.status_code", value: {intValue: (if $i % 4 == 0 then "500" else "200" end)}};
        def result($i): if $i % 4 == 0 then {status: {code: 2}} else {} end;
        {resourceSpans: [
            of("web"; null; [range(40) | span(1000 + .; .; 3; 7 + . * 3; {traceState: "ot=th:8", attributes: [text("http.request.method"; "GET"), text("url.full"; "http://pay/bills/\(.)"), status(.)]} + result(.))]),
            of("pay"; "prod"; [range(40) | span(2000 + .; .; 2; 5 + . * 3; {traceState: "ot=th:8", parentSpanId: id(1000 + .), attributes: [text("http.request.method"; "GET"), text("url.path"; "/bills/\(.)"), status(.)]} + result(.))])]}'
}

data=$work/data
start_service "$data" 'pairing: {wait: 300ms}
store: {flush_interval: 100ms}' 'toolsets: all'
"$spangraph" index --data "$data" examples/shop >/dev/null 2>&1
same "the code is indexed" 0 $?
{ shop_ago 3000; odd; } >"$work/spans.jsonl"
while IFS= read -r line; do
    curl -fsS -m 10 -o /dev/null -H 'Content-Type: application/json' -d "$line" "http://$http/v1/traces"
done <"$work/spans.jsonl"
# All are stored, the calls that nobody answers among them; and the service, which asks
# itself only now and then, knows the code's routes by their handlers.
handlers() { curl -fsS "http://$query/api/v1/dead" | jq '[.routes[] | select(.handler)] | length'; }
is_whole() { [ "$(edges "$data" service | grep -c .)" = 8 ] && [ "$(handlers)" = 6 ]; }
check "all of it is there" wait_for 20 is_whole
same "with its failures" "web -> pay [call] 40/10" "$(edges "$data" service | grep '> pay')"
check "every answer is the same at every door" node tests/e2e/same.js "$spangraph" "$data" "$query"
cp "$work/check.out" "$work/told"
check "and enough were compared" grep -qE '^[5-9][0-9] answers' "$work/told"
# Nobody's routes are none, and it is said why.
has "routes of an owner that is none: by the tool" "no route's code is owned by 'nobody'" "$("$spangraph" call --data "$data" dead_routes owner=nobody)"
has "and by the command" "no route's code is owned by 'nobody'" "$("$spangraph" dead-routes --data "$data" --owner nobody 2>&1)"
same "a pattern fits services of routes, as everywhere" 3 "$("$spangraph" routes --data "$data" --service 'gate*' --json | jq .total)"
has "and what fits none is told" "no routes of nobody are known" "$("$spangraph" routes --data "$data" --service nobody 2>&1)"
# Handlers have the same names in the table of a store and of a service.
mkdir -p "$work/legacy/Users"
cat >"$work/legacy/Legacy.java" <<'END'
package shop.old;
import org.springframework.web.bind.annotation.*;
@RestController
class Legacy {
    @GetMapping("/old")
    Object old() { return 1; }
}
END
cat >"$work/legacy/Users/Users.js" <<'END'
const app = require('express')();
class Users {
    static all(req, res) { res.json([]); }
}
function one(req, res) { res.json({}); }
app.get('/users', Users.all);
app.get('/one', one);
app.listen(80);
END
"$spangraph" index --data "$data" --worktree --service legacy "$work/legacy" >/dev/null 2>&1
named() { "$spangraph" dead-routes "$@" --service legacy | awk 'NR > 1 { print $3, $(NF - 1) }' | LC_ALL=C sort; }
is_named() { [ "$(named --server "http://$query" 2>/dev/null | grep -vc %)" = 3 ]; }
check "the service knows more code" wait_for 20 is_named
same "the table of a store has handlers with their class" '/old Legacy.old
/one one
/users Users.all' "$(named --data "$data")"
same "that of a service has the same" "$(named --data "$data")" "$(named --server "http://$query")"
check "it stops" stop_service
has "who is not there: what to do" "is it running there?" "$("$spangraph" status --server "http://$query" 2>&1)"
done_testing
