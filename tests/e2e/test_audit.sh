#!/bin/bash
# The audit from end to end: two months of traffic, declared routes, verdicts.
. "$(dirname "$0")/lib.sh"
now=$(date +%s)
data=$work/data

check "two months of traffic are taken in" \
    bash -c "node tests/e2e/days.js $now | '$spangraph' ingest --data '$data' -"

# declare SERVICE ENV ROUTE...
declare_routes() {
    local service=$1 env=$2
    shift 2
    printf 'GET %s\n' "$@" >"$work/routes.txt"
    check "routes of $service $env" "$spangraph" import-routes --data "$data" \
        --service "$service" --env "$env" "$work/routes.txt"
}
declare_routes shop "" /live /never /stopped /yearly /healthz /denied /ignored
for service in young sampled unknown pathless gaps silent; do
    declare_routes $service "" /live /never
done
declare_routes places prod /live /trial
declare_routes places staging /live /trial

printf '# ours\nshop.Cart/Add\nshop.Cart/Remove\nRPC Ping/Once\n' >"$work/routes.txt"
check "RPC methods of a service" "$spangraph" import-routes --data "$data" --service cart "$work/routes.txt"

"$spangraph" dead-routes --data "$data" --now "$now" --ignore 'GET /ignored' --stale-days 30 --json >"$work/audit.json"
same "there are findings: exit code 1" 1 $?
# verdict NAME SERVICE ENV ROUTE "VERDICT CONFIDENCE"
verdict() {
    same "$1" "$5" "$(jq -r --arg s "$2" --arg e "$3" --arg r "$4" '.routes[] |
        select(.service == $s and .env == $e and .route == $r) | "\(.verdict) \(.confidence)"' "$work/audit.json")"
}
verdict "X1 never hit, two months unsampled" shop "" /never "never_observed high"
verdict "X2 never hit, two days" young "" /never "insufficient_window none"
verdict "X3 never hit, one in a hundred kept" sampled "" /never "low low"
verdict "X4 weekly until 40 days ago" shop "" /stopped "stopped high"
verdict "X5 once, 300 days ago" shop "" /yearly "seasonal low"
verdict "X6 only probes" shop "" /healthz "synthetic_only high"
verdict "X7 only refusals" shop "" /denied "probe_only high"
verdict "X8 a service without spans" silent "" /never "not_observable none"
verdict "X8 and all its routes" silent "" /live "not_observable none"
verdict "X9 spans without routes" pathless "" /never "not_observable none"
verdict "X11 ten days missing" gaps "" /never "never_observed medium"
verdict "X14 traffic nobody declared" shop "" /undocumented "undocumented high"
verdict "X14 traffic of a replaced version" deployed "" /zombie "zombie high"
verdict "X15 traffic in staging: dead in production" places prod /trial "never_observed high"
verdict "X15 traffic in staging: alive there" places staging /trial "active high"
verdict "X16 on the list to ignore" shop "" /ignored "suppressed none"
verdict "an RPC method with calls" cart "" shop.Cart/Add "active high"
verdict "one without a package" cart "" Ping/Once "active high"
verdict "an RPC method that nobody calls" cart "" shop.Cart/Remove "never_observed high"
same "RPC methods have no HTTP method" '[""]' "$(jq -c '[.routes[] | select(.service == "cart") | .method] | unique' "$work/audit.json")"
verdict "a route with traffic" shop "" /live "active high"
verdict "a rate that was not sent" unknown "" /never "never_observed low"

route() { jq -c --arg s "$1" --arg r "$2" ".routes[] | select(.service == \$s and .route == \$r) | $3" "$work/audit.json"; }
for field in service method route verdict reasons first_observed last_observed coverage; do
    check "routes have $field" jq -e "all(.routes[]; has(\"$field\"))" "$work/audit.json"
done
same "times are Unix seconds" true "$(route shop /stopped ".last_observed == $now - 40 * 86400")"
same "never is null" '[null,null]' "$(route shop /never '[.first_observed, .last_observed]')"
same "coverage is of the hours" true "$(route shop /never '.coverage > 0.99')"
same "and lacks those that are missing" true "$(route gaps /never '.coverage > 0.66 and .coverage < 0.68')"
same "the rate that was kept" 0.01 "$(route sampled /never .keep_probability)"
same "why: no route" '["spans_carry_no_route"]' "$(route pathless /never .reasons)"
same "why: no spans" '["service_sends_no_spans"]' "$(route silent /never .reasons)"
same "safest first" '"never_observed"' "$(jq -c '.routes[0].verdict' "$work/audit.json")"

exit_of() {
    "$spangraph" dead-routes --data "$data" --now "$now" "$@" >"$work/out" 2>&1
    echo $?
}
same "all have traffic: exit code 0" 0 "$(exit_of --service places --env staging)"
same "SARIF says in which environment nobody calls" "GET /trial of places (prod): Declared, and never called" \
    "$("$spangraph" dead-routes --data "$data" --now "$now" --service places --format sarif 2>/dev/null |
        jq -r '.runs[0].results[].message.text' | sed 's/ (confidence.*//')"
same "routes are told by environment" "prod GET /live observed
prod GET /trial declared
staging GET /live observed
staging GET /trial observed" \
    "$("$spangraph" routes --data "$data" --now "$now" --service places --json |
        jq -r '.routes[] | "\(.env) \(.method) \(.canonical) \(.source)"' | LC_ALL=C sort)"
has "also in the table" "places @prod     GET" "$("$spangraph" routes --data "$data" --service places)"
same "nothing can be said: exit code 3" 3 "$(exit_of --service silent)"
same "the window is a number" 2 "$(exit_of --stale-days some)"
same "the window has a largest" 2 "$(exit_of --stale-days 401)"
same "the window has a least" 2 "$(exit_of --stale-days 0)"
same "the largest window is fine, and too long for two months of traffic" 0 "$(exit_of --stale-days 400)"
same "an unknown service is a usage error" 2 "$(exit_of --service nobody)"
same "a missing store cannot be read" 4 "$("$spangraph" dead-routes --data "$work/none" >/dev/null 2>&1; echo $?)"

# The same over the tool that agents call.
tool=$("$spangraph" call --data "$data" --now "$now" dead_routes stale_days=30 --json)
check "the tool knows as many" jq -e '.total > 5' <<<"$tool"

# Importing again renews.
printf 'GET /live\n' >"$work/routes.txt"
out=$("$spangraph" import-routes --data "$data" --service shop --json "$work/routes.txt")
same "what is no longer declared is removed" '{"service":"shop","declared":1,"removed":6}' "$(jq -c . <<<"$out")"
same "and not audited" "" "$("$spangraph" dead-routes --data "$data" --json | jq -r '.routes[] | select(.service == "shop" and .route == "/never") | .verdict')"

# OpenAPI in both shapes.
cat >"$work/api.json" <<'END'
{"openapi": "3.0.3", "info": {"title": "x", "version": "1"}, "servers": [{"url": "https://api.example/v1"}],
 "paths": {"/users/{id}": {"get": {}, "put": {}, "parameters": []}, "/users": {"post": {}}}}
END
cat >"$work/api.yaml" <<'END'
openapi: 3.1.0
info: {title: x, version: "1"}
servers: [{url: "https://api.example/v1"}]
paths:
  /users/{id}:
    get: {}
    put: {}
    parameters: []
  /users:
    post: {}
END
for format in json yaml; do
    check "OpenAPI $format" "$spangraph" import-routes --data "$work/api" --service $format "$work/api.$format"
    same "declares its routes ($format)" 'GET /v1/users/{}
POST /v1/users
PUT /v1/users/{}' "$("$spangraph" dead-routes --data "$work/api" --service $format --json |
        jq -r '.routes[] | "\(.method) \(.route)"' | LC_ALL=C sort)"
done

bad() {
    local out
    printf '%s\n' "$2" >"$work/bad"
    out=$("$spangraph" import-routes --data "$work/api" --service bad "$work/bad" 2>&1)
    same "$1: exit code 2" 2 $?
    has "$1: says where" "$3" "$out"
}
bad "a broken document" '{"openapi": ' "byte"
bad "a document without paths" '{"openapi": "3.0.0"}' "paths"
bad "a line that is no route" "$(printf 'GET /x\nwhat is this')" "line 2"
bad "a path without its slash" "$(printf 'GET /x\nusers/list')" "line 2"
same "a missing file: exit code 4" 4 "$("$spangraph" import-routes --data "$work/api" --service x "$work/none" >/dev/null 2>&1; echo $?)"
same "no service: exit code 2" 2 "$("$spangraph" import-routes --data "$work/api" "$work/bad" >/dev/null 2>&1; echo $?)"

# Symfony's spans tell a route's name, which its path is registered with.
mkdir -p "$work/symfony/src"
cat >"$work/symfony/src/Users.php" <<'END'
<?php
namespace App\Controller;
use Symfony\Component\Routing\Attribute\Route;
class Users {
    #[Route('/users/{id}', name: 'user_edit', methods: ['GET', 'POST'])]
    public function edit($id) {}
    #[Route('/old', name: 'old', methods: ['GET'])]
    public function old() {}
    #[Route(['en' => '/about', 'de' => '/was'], name: 'about', methods: ['GET'])]
    public function about() {}
    #[Route('/ancient', name: 'ancient', methods: ['GET'])]
    #[Route('/fresh', name: 'show_new', methods: ['GET'])]
    public function show() {}
}
END
cat >"$work/calls.js" <<'END'
// A month of calls, each hour: node calls.js NOW SERVICE 'METHOD ROUTE'...; of `METHOD ~PATH` spans tell no route.
const [now, service, ...routes] = process.argv.slice(2);
const hex = (n, digits) => n.toString(16).padStart(digits, '0');
const text = ([key, stringValue]) => ({ key, value: { stringValue } });
const told = (path) => (path[0] === '~' ? ['url.path', path.slice(1)] : ['http.route', path]);
for (let i = 1; i <= 31 * 24; i += 1) {
    const at = `${Number(now) - i * 3600}000000000`;
    const spans = routes.map((name, k) => ({
        traceId: hex(routes.length * i + k, 32), spanId: hex(routes.length * i + k, 16), name, kind: 2,
        startTimeUnixNano: at, endTimeUnixNano: at,
        attributes: [['http.request.method', name.split(' ')[0]], told(name.split(' ')[1])].map(text) }));
    console.log(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }],
        resource: { attributes: [text(['service.name', service])] } }] }));
}
END
verdicts() { # SERVICE
    "$spangraph" dead-routes --data "$work/$1" --assume-unsampled --json 2>/dev/null |
        jq -r '.routes[] | "\(.method) \(.route) \(.verdict)"' | LC_ALL=C sort
}
node "$work/calls.js" "$now" php 'GET user_edit' 'POST user_edit' 'GET about' 'GET show_new' |
    "$spangraph" ingest --data "$work/php" - 2>/dev/null
check "a Symfony application is indexed" "$spangraph" index --data "$work/php" --worktree --service php "$work/symfony"
same "its routes are alive under their paths, too" 'GET /about active
GET /ancient never_observed
GET /fresh active
GET /old never_observed
GET /show_new active
GET /user_edit active
GET /users/{} active
GET /was active
POST /user_edit active
POST /users/{} active' "$(verdicts php)"

# What was learnt to be a value before the code was known may have been a route of its own.
mkdir -p "$work/learnt"
cat >"$work/learnt/app.js" <<'END'
const app = require('express')();
app.get('/users/me', (req, res) => res.json({}));
app.get('/users/:id', (req, res) => res.json({}));
app.get('/users/:id/old', (req, res) => res.json({}));
app.listen(8080);
END
names=()
for i in {10..59}; do names+=("na$(tr 0-9 a-j <<<"$i")me"); done
names+=(me) # by then it is known
node "$work/calls.js" "$now" learnt "${names[@]/#/GET ~/users/}" | "$spangraph" ingest --data "$work/learnt.d" - 2>/dev/null
same "names of which there are many are learnt to be values" "GET /users/{} active" "$(verdicts learnt.d)"
sleep 1.1 # so that the code is known in a later second
check "the code behind them is indexed" "$spangraph" index --data "$work/learnt.d" --worktree --service learnt "$work/learnt"
same "a route that may have been one of those values is not accused" 'GET /users/me active
GET /users/{} active
GET /users/{}/old never_observed' "$(verdicts learnt.d)"

# Spans of an application tell no more of another that it mounts than where; a router that it
# includes is no other application.
mkdir -p "$work/fastapi"
cat >"$work/fastapi/main.py" <<'END'
from fastapi import APIRouter, FastAPI
app = FastAPI()
sub = FastAPI()
orders = APIRouter(prefix="/orders")
@sub.get("/x")
def x():
    return 1
@orders.get("/legacy")
def legacy():
    return 1
@orders.get("/older")
def older():
    return 1
app.include_router(orders)
app.mount("/sub", sub)
END
node "$work/calls.js" "$now" py 'GET /sub' 'GET /orders' | "$spangraph" ingest --data "$work/py" - 2>/dev/null
check "an application with a mount is indexed" "$spangraph" index --data "$work/py" --worktree --service py "$work/fastapi"
same "what is below the mount is not accused, what is below a route is" 'GET /orders undocumented
GET /orders/legacy never_observed
GET /orders/older never_observed
GET /sub undocumented
GET /sub/x not_observable' "$(verdicts py)"

# A document does not know of the mount, be it imported before the code was indexed or after.
echo 'GET /sub/x' >"$work/sub.txt"
"$spangraph" import-routes --data "$work/py" --service py "$work/sub.txt" >/dev/null
has "a document's route that the code has below a mount is not accused" 'GET /sub/x not_observable' "$(verdicts py)"
node "$work/calls.js" "$now" py 'GET /sub' | "$spangraph" ingest --data "$work/first" - 2>/dev/null
"$spangraph" import-routes --data "$work/first" --service py "$work/sub.txt" >/dev/null
has "as long as there is but the document it is" 'GET /sub/x never_observed' "$(verdicts first)"
"$spangraph" index --data "$work/first" --worktree --service py "$work/fastapi" >/dev/null 2>&1
has "and no more once the code is there, too" 'GET /sub/x not_observable' "$(verdicts first)"

# A service may have an instrumentation of one of its frameworks, and none of another.
mkdir -p "$work/two"
cat >"$work/two/api.js" <<'END'
const app = require('express')();
app.get('/orders', (req, res) => res.json({}));
app.get('/legacy', (req, res) => res.json({}));
app.listen(8080);
END
cat >"$work/two/ops.js" <<'END'
const ops = require('fastify')();
ops.get('/queues', async () => ({}));
ops.listen({ port: 8081 });
END
node "$work/calls.js" "$now" two 'GET /orders' | "$spangraph" ingest --data "$work/two.d" - 2>/dev/null
check "an application of two frameworks is indexed" "$spangraph" index --data "$work/two.d" --worktree --service two "$work/two"
same "what is of a framework of which no route was ever seen is not accused" 'GET /legacy never_observed
GET /orders active
GET /queues not_observable' "$(verdicts two.d)"
node "$work/calls.js" "$now" two 'GET /orders' 'GET /queues' | "$spangraph" ingest --data "$work/two.d" - 2>/dev/null
echo "ops.get('/dead', async () => ({}));" >>"$work/two/ops.js"
"$spangraph" index --data "$work/two.d" --worktree --service two "$work/two" >/dev/null 2>&1
has "once one was, the others are" 'GET /dead never_observed' "$(verdicts two.d)"

# What a row of the code says is renewed with the code: an optional part.
mkdir -p "$work/laravel/routes"
echo '{"require": {"laravel/framework": "^11.0"}}' >"$work/laravel/composer.json"
laravel() { # PATTERN
    printf '<?php\nuse Illuminate\\Support\\Facades\\Route;\nRoute::get("%s", [UserController::class, "show"]);\n' \
        "$1" >"$work/laravel/routes/web.php"
    "$spangraph" index --data "$work/laravel.data" --worktree --service shop "$work/laravel"
}
check "a Laravel application is indexed" laravel '/users/{id}'
check "and again, when a part of its pattern is optional" laravel '/users/{id?}'
same "both its routes are of the pattern that it has now" '/users users/{id?}
/users/{} users/{id?}' "$(sqlite3 "$work/laravel.data/spangraph.db" \
    "SELECT pattern || ' ' || raw FROM route WHERE removed_s = 0 ORDER BY pattern")"

done_testing
