#!/bin/bash
# Three real applications under their own instrumentation, and their code: each
# route that is called lands on the function that handles it, and the one route
# of each that is never called is the one reported, with its file and line.
#
# storefront (Express) asks inventory (Flask), which asks prices (net/http).
# They run once; the weeks that an audit wants are the same spans, taken in
# again as of every hour before.
. "$(dirname "$0")/lib.sh"
npm_ready
mkdir -p build/live
apps="storefront"

why=$(deploy/pip.sh tests/e2e/live/inventory live 2>&1)
case $? in
0) apps="$apps inventory" ;;
3) echo "ok - skipped: the Flask application: $why" ;;
*) echo "not ok the Python packages: $why" && exit 4 ;;
esac
build_prices() {
    (cd tests/e2e/live/prices && GOTOOLCHAIN=local GOFLAGS=-mod=readonly CGO_ENABLED=0 \
        timeout 300 go build -o ../../../../build/live/prices .)
}
if ! command -v go >/dev/null; then
    echo "ok - skipped: the net/http application: there is no go"
elif build_prices >"$work/go.log" 2>&1; then
    apps="$apps prices"
else
    echo "ok - skipped: the net/http application: $(tail -1 "$work/go.log")"
fi

src=$work/shop
mkdir "$src"
cp -r tests/e2e/live/{CODEOWNERS,compose.yaml,storefront,inventory,prices} "$src"
now=$(($(date +%s) / 3600 * 3600 + 3600))

# start NAME COMMAND...: on a free port, which NAME_port then is.
start() {
    local name=$1
    shift
    : >"$work/$name.out"
    env PORT=0 OTEL_SERVICE_NAME="$name" SHOP_SERVICE="$name" SHOP_PROTOCOL=http/protobuf \
        OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf OTEL_METRICS_EXPORTER=none OTEL_LOGS_EXPORTER=none \
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:${tee_port:-1}" \
        timeout 120 "$@" >"$work/$name.out" 2>"$work/$name.err" &
    printf -v "${name}_pid" %s $!
    if ! wait_for 20 grep -q '^listening' "$work/$name.out"; then
        echo "not ok $name starts"
        cat "$work/$name.err"
        exit 1
    fi
    printf -v "${name}_port" %s "$(sed -n 's/^listening //p' "$work/$name.out")"
}
has_app() { [[ " $apps " == *" $1 "* ]]; }
ask() { curl -s -m 10 -o "$work/answer" -w '%{http_code}' "$@"; }

run_apps() {
    start tee node tests/e2e/live/tee.js "http://$http" "$work/export.pb"
    if has_app prices; then
        start prices build/live/prices
        export PRICES_URL=http://127.0.0.1:$prices_port
    fi
    if has_app inventory; then
        PYTHONPATH=$PWD/build/python/live/packages:$src/inventory PYTHONDONTWRITEBYTECODE=1 \
            start inventory python3 "$src/inventory/app.py"
        export INVENTORY_URL=http://127.0.0.1:$inventory_port
    fi
    start storefront node -r "$PWD/build/npm/shop/telemetry.js" "$src/storefront/app.js"
}

use_apps() {
    local shop=http://127.0.0.1:$storefront_port
    same "storefront: health" 200 "$(ask "$shop/health")"
    if has_app inventory; then
        same "storefront: an order" 201 "$(ask -H 'content-type: application/json' -d '{"sku":"apple"}' "$shop/api/orders")"
        same "storefront: the order" 200 "$(ask "$shop/api/orders/1")"
        same "inventory: health" 200 "$(ask "http://127.0.0.1:$inventory_port/health")"
        same "inventory: what is left" 200 "$(ask "http://127.0.0.1:$inventory_port/stock/pear")"
        same "inventory: a report" 200 "$(ask "http://127.0.0.1:$inventory_port/reports/3")"
    else
        same "storefront: an order without inventory" 500 "$(ask -H 'content-type: application/json' -d '{"sku":"apple"}' "$shop/api/orders")"
        same "storefront: no such order" 404 "$(ask "$shop/api/orders/1")"
    fi
    same "storefront: all orders" 200 "$(ask "$shop/api/orders")"
    same "storefront: counts" 200 "$(ask "$shop/api/admin/counts")"
    if has_app prices; then
        same "prices: health" 200 "$(ask "http://127.0.0.1:$prices_port/health")"
        same "prices: all" 200 "$(ask "http://127.0.0.1:$prices_port/v1/prices")"
        same "prices: one" 200 "$(ask "http://127.0.0.1:$prices_port/v1/prices/pear")"
    fi
}

stop_apps() {
    local name pid
    for name in $apps tee; do
        pid=${name}_pid
        kill -TERM "${!pid}"
        wait "${!pid}"
    done
}

# age DATA: every hour of the week before.
age() {
    check "a week of hours" bash -c "node tests/e2e/live/shift.js '$work/export.pb' $(seq -s ' ' 1 168) >'$work/week.pb'"
    check "is taken in" "$spangraph" ingest --data "$1" "$work/week.pb"
}
audit() {
    "$spangraph" dead-routes --data "$1" --now "$now" --stale-days 7 --assume-unsampled --json >"$2"
}

# ---- indexed, then observed ----

first=$work/first
check "the code is indexed" "$spangraph" index "$src" --data "$first"
# However late the spans of one come, those of its callers wait for them; what
# still waits when the service stops is paired with what is taken in after.
start_service "$first" 'store: {flush_interval: 100ms}'
run_apps
use_apps
stop_apps
check "the service stops cleanly" stop_service
age "$first"
audit "$first" "$work/first.json"
same "there are findings" 1 $?

# lands SERVICE METHOD ROUTE HANDLER FILE LINE: an active route.
lands() {
    has_app "$1" || return
    same "$1 $2 $3 lands on $4" "active $4 $5:$6 route" \
        "$(jq -r --arg s "$1" --arg m "$2" --arg r "$3" '.routes[] |
            select(.service == $s and .method == $m and .route == $r) |
            "\(.verdict) \(.handler | sub(".*://"; "") | sub("^[^.]*[.]"; "")) \(.file):\(.line) \(.joined_by)"' "$work/first.json")"
}
line() { grep -n "$2" "$src/$1" | head -1 | cut -d: -f1; }
f=storefront/routes/orders.js
lands storefront GET /health health storefront/app.js "$(line storefront/app.js 'function health')"
lands storefront GET /api/orders listOrders $f "$(line $f 'function listOrders')"
lands storefront GET '/api/orders/{}' showOrder $f "$(line $f 'function showOrder')"
lands storefront POST /api/orders OrderController.create $f "$(line $f 'async create')"
lands storefront GET /api/admin/counts showCounts storefront/routes/admin.js "$(line storefront/routes/admin.js 'function showCounts')"
lands inventory GET /health create_app.health inventory/app.py "$(line inventory/app.py 'def health')"
lands inventory GET '/stock/{}' show inventory/stock.py "$(line inventory/stock.py 'def show')"
lands inventory POST '/stock/{}/reserve' reserve inventory/stock.py "$(line inventory/stock.py 'def reserve')"
lands inventory GET '/reports/{}' ReportView.get inventory/reports.py "$(line inventory/reports.py 'def get')"
lands prices GET /health health prices/main.go "$(line prices/main.go 'func health')"
lands prices GET /v1/prices list.all prices/prices/list.go "$(line prices/prices/list.go ' all(')"
lands prices GET '/v1/prices/{}' list.one prices/prices/list.go "$(line prices/prices/list.go ' one(')"

# dead SERVICE: METHOD ROUTE HANDLER FILE:LINE OWNERS, then what goes with it
dead() {
    jq -r --arg s "$1" '.routes[] | select(.service == $s and (.verdict | IN("never_observed", "stopped"))) |
        "\(.verdict) \(.confidence) \(.method) \(.route) \(.file):\(.line) \(.owners | join(" ")): \([.only_dead[].name | sub(".*[.]"; "")] | join(" "))"' "$work/first.json"
}
# `admin` hints at a period; and what sweep asks of its argument is not known.
same "storefront: the one that is never called" \
    "never_observed medium DELETE /api/admin/cache storefront/routes/admin.js:$(line storefront/routes/admin.js 'function dropCache') @shop/web: dropCache sweep oldest" \
    "$(dead storefront)"
if has_app inventory; then
    same "inventory: the one that is never called" \
        "never_observed high GET /stock/{}/history inventory/stock.py:$(line inventory/stock.py 'def history') @shop/stock @ada: history changes_of line_of" \
        "$(dead inventory)"
fi
if has_app prices; then
    same "prices: the one that is never called" \
        "never_observed high PUT /v1/prices/{} prices/prices/list.go:$(line prices/prices/list.go ' change(') @shop/prices: change readCents" \
        "$(dead prices)"
fi
same "nothing else is" "$(wc -w <<<"$apps")" "$(jq '[.routes[] | select(.verdict != "active")] | length' "$work/first.json")"

# callers NAME: the functions whose calls of it were observed.
callers() {
    "$spangraph" call --data "$first" --now "$now" --json cross_repo_callers target_hash="$1" max_depth=1 |
        jq -r '.callers[] | select(.evidence != "static" and .Node.file) |
            "\(.Node.QualifiedName | sub(".*[/:]"; "")) \(.Node.file):\(.Node.Line) \(.EdgeType)"' | LC_ALL=C sort
}
if has_app inventory; then
    same "a function of storefront calls one of inventory" \
        "orders.OrderController.create $f:$(line $f 'async create') runtime_calls" "$(callers stock.reserve)"
fi
if has_app inventory && has_app prices; then
    g=inventory/stock.py
    same "two functions of inventory call one of prices" \
        "stock.reserve $g:$(line $g 'def reserve') runtime_calls
stock.show $g:$(line $g 'def show') runtime_calls" "$(callers list.one)"
fi

# ---- observed, then indexed ----

second=$work/second
check "the same spans without code" "$spangraph" ingest --data "$second" "$work/export.pb"
age "$second"
check "and then the code" "$spangraph" index "$src" --data "$second"
audit "$second" "$work/second.json"
same "give the same audit" "$(jq -S . "$work/first.json")" "$(jq -S . "$work/second.json")"
same "and the same edges" "$(edges "$first" endpoint)" "$(edges "$second" endpoint)"

# ---- the reports ----

sarif() { "$spangraph" dead-routes --data "$1" --now "$now" --stale-days 7 --assume-unsampled --format sarif --service storefront "${@:2}"; }
same "SARIF names file and line" \
    "storefront/routes/admin.js:$(line storefront/routes/admin.js 'function dropCache')" \
    "$(sarif "$first" | jq -r '.runs[0].results[] | .locations[0].physicalLocation |
        "\(.artifactLocation.uri):\(.region.startLine)"')"
for folder in '' . ./ ././/. apps/shop apps/shop// ./apps/shop .//./apps/./shop; do
    same "in the folder $folder its files are below it" "$([[ $folder == *apps* ]] && echo apps/shop/)storefront/routes/admin.js" \
        "$(sarif "$first" --code-in "$folder" | jq -r '.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri')"
done
same "an owner has what is theirs" "PUT /v1/prices/{}" \
    "$(has_app prices && "$spangraph" dead-routes --data "$first" --now "$now" --stale-days 7 --owner prices --json |
        jq -r '.routes[] | select(.verdict == "never_observed") | "\(.method) \(.route)"' || echo 'PUT /v1/prices/{}')"
before=$(sarif "$first" | jq -c '.runs[0].results[].partialFingerprints')
sed -i '1i // One more line.' "$src/storefront/routes/admin.js"
check "the code is indexed again" "$spangraph" index "$src" --data "$first"
same "its lines have moved" "$(line storefront/routes/admin.js 'function dropCache')" \
    "$(sarif "$first" | jq -r '.runs[0].results[].locations[0].physicalLocation.region.startLine')"
same "and the fingerprint has not" "$before" "$(sarif "$first" | jq -c '.runs[0].results[].partialFingerprints')"

done_testing
