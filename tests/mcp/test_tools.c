/*
 * Each tool on a small shop: its fields, its envelope, its errors, its limits;
 * and every reply fits the output schema that the tool declares.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/tools.h"
#include "mcp/tools_extra.h"
#include "mcp/tools_parts.h"
#include "tests/support/db_fixture.h"
#include "tests/support/fits_schema.h"

struct shop {
    struct db_fixture db;
    struct query *query;
    struct tools *tools;
    struct buf why;
    uint32_t web, checkout, cart, buy;
};

static struct shop shop;
static char failure[4096];

/* The protocol's half of a failed call, for tools run through the offer. */
void
mcp_fail(struct mcp_call *call, const char *format, ...)
{
    va_list args;

    (void)call;
    va_start(args, format);
    vsnprintf(failure, sizeof(failure), format, args);
    va_end(args);
}

void
mcp_progress(struct mcp_call *call, double done, double total,
             const char *message)
{
    (void)call;
    (void)done;
    (void)total;
    (void)message;
}

bool
mcp_is_cancelled(const struct mcp_call *call)
{
    (void)call;
    return false;
}

static uint32_t
fixed_now(void *ctx)
{
    (void)ctx;
    return FIXTURE_NOW_S;
}

static int
open_empty(void **state)
{
    struct buf why = {0};

    (void)state;
    shop = (struct shop){0};
    failure[0] = '\0';
    db_fixture_open(&shop.db);
    assert_int_equal(
        query_open(&shop.query, shop.db.dir, &query_cfg_default, &why), OK);
    const struct tools_cfg cfg = {.query = shop.query, .version = "1.0"};
    assert_int_equal(tools_new(&shop.tools, &cfg, &why), OK);
    tools_set_clock(shop.tools, fixed_now, NULL);
    return 0;
}

static int
open_shop(void **state)
{
    struct db_fixture *db = &shop.db;

    open_empty(state);
    shop.web = db_service(db, "web");
    shop.checkout = db_service(db, "checkout");
    uint32_t pay = db_node(db, NODE_SERVICE, 0, "pay", "prod");
    shop.cart = db_route(db, shop.web, "GET /cart/{}");
    shop.buy = db_route(db, shop.checkout, "POST /buy");
    uint32_t charge = db_node(db, NODE_RPC, pay, "pay.Pay/Charge", "");
    uint32_t topic = db_node(db, NODE_TOPIC, 0, "kafka:orders", "");
    uint32_t user = db_node(db, NODE_EXTERNAL, 0, "user", "");
    uint32_t scope = db_node(db, NODE_SCOPE, 0, "otel.http", "");
    uint32_t version = db_node(db, NODE_VERSION, shop.web, "1.2.3", "");

    db_edge(db, user, shop.cart, EDGE_VIRTUAL_IN, 50);
    uint32_t call = db_edge(db, shop.cart, shop.buy, EDGE_CALL, 20);
    db_edge(db, shop.buy, charge, EDGE_CALL, 18);
    db_edge(db, shop.buy, topic, EDGE_MSG_PUB, 9);
    uint32_t seen = db_edge(db, 0, shop.checkout, EDGE_SEEN, 40);
    uint32_t traffic = db_edge(db, 0, shop.buy, EDGE_TRAFFIC, 20);
    db_edge(db, scope, shop.checkout, EDGE_ORPHAN, 3);
    db_edge(db, scope, shop.checkout, EDGE_SEEN_BY, 40);
    db_day(db, call, FIXTURE_DAY, 20, 1, 5000000);
    db_daily(db, seen, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_daily(db, traffic, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_fixture_sql(db, "INSERT INTO edge_version VALUES (%u, 0, %u, 1, 2)",
                   call, version);
    db_declare(db, shop.checkout, "POST", "/buy", 1);
    db_declare(db, shop.checkout, "GET", "/old", 1);
    db_declare(db, shop.web, "GET", "/unseen", 1);
    return 0;
}

static int
close_shop(void **state)
{
    (void)state;
    tools_free(shop.tools);
    query_close(shop.query);
    buf_fini(&shop.why);
    db_fixture_close(&shop.db);
    return 0;
}

static enum err
try_call(const char *name, const char *args_text, cJSON **out)
{
    cJSON *args = cJSON_Parse(args_text);
    enum err err;

    assert_non_null(args);
    buf_reset(&shop.why);
    err = tools_call(shop.tools, name, args, out, &shop.why);
    cJSON_Delete(args);
    return err;
}

/* A call that succeeds, and whose reply fits schema and size. */
static cJSON *
call(const char *name, const char *args)
{
    cJSON *schema = cJSON_Parse(tool_find(name)->output_schema);
    cJSON *out = NULL;
    char *text;

    assert_non_null(schema);
    enum err err = try_call(name, args, &out);
    if (err)
        fail_msg("%s%s: %s", name, args, buf_cstr(&shop.why));
    assert_fits_schema(out, schema, name);
    text = cJSON_PrintUnformatted(out);
    assert_true(strlen(text) <= TOOLS_REPLY_BYTES);
    cJSON_free(text);
    cJSON_Delete(schema);
    return out;
}

static void
refuse(const char *name, const char *args, const char *says)
{
    cJSON *out = NULL;
    enum err err = try_call(name, args, &out);

    assert_true(err != OK);
    assert_null(out);
    if (!strstr(buf_cstr(&shop.why), says))
        fail_msg("'%s' does not say '%s'", buf_cstr(&shop.why), says);
}

static double
number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

static const char *
text(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    assert_true(cJSON_IsString(item));
    return item->valuestring;
}

static const cJSON *
row(const cJSON *out, const char *list, int i)
{
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(out, list), i);

    assert_non_null(item);
    return item;
}

static int
len(const cJSON *out, const char *list)
{
    return cJSON_GetArraySize(cJSON_GetObjectItem(out, list));
}

static bool
hints_say(const cJSON *out, const char *words)
{
    const cJSON *hint;

    cJSON_ArrayForEach(hint, cJSON_GetObjectItem(out, "hints"))
    {
        if (strstr(hint->valuestring, words))
            return true;
    }
    return false;
}

static void
runtime_traffic_has_knowings_fields_and_names(void **state)
{
    cJSON *out = call("runtime_traffic", "{\"service_name\":\"checkout\"}");
    const cJSON *edge = row(out, "edges", 0);

    (void)state;
    assert_int_equal((int)number(out, "total"), 3);
    assert_int_equal(strlen(text(edge, "EdgeHash")), 64);
    assert_int_equal(strlen(text(edge, "SourceHash")), 64);
    assert_int_equal(strlen(text(edge, "TargetHash")), 64);
    assert_string_equal(text(edge, "EdgeType"), "call");
    assert_string_equal(text(edge, "Provenance"), "otel_trace");
    assert_string_equal(text(edge, "CallSiteFile"), "");
    assert_int_equal((int)number(edge, "ObservationCount"), 20);
    assert_int_equal((int)number(edge, "LastObserved"), FIXTURE_NOW_S - 60);
    assert_string_equal(text(edge, "source"), "GET /cart/{}");
    assert_string_equal(text(edge, "target_service"), "checkout");
    assert_true(number(edge, "p50_ms") > 4.8 && number(edge, "p50_ms") < 5.2);
    assert_int_equal((int)number(out, "data_as_of"), FIXTURE_NOW_S);
    cJSON_Delete(out);
    out = call("runtime_traffic", "{\"service_name\":\"checkout\","
                                  "\"route_pattern\":\"/bu%\","
                                  "\"response_format\":\"concise\"}");
    assert_int_equal(len(out, "edges"), 1);
    assert_null(cJSON_GetObjectItem(row(out, "edges", 0), "EdgeHash"));
    cJSON_Delete(out);
}

static void
an_edge_hash_is_the_recipes(void **state)
{
    unsigned char hash[32];
    struct buf hex = {0};
    struct query_view *view;
    struct query_edge edge = {.kind = EDGE_CALL};

    (void)state;
    assert_int_equal(query_begin(shop.query, FIXTURE_NOW_S, &view), OK);
    edge.source = shop.cart;
    edge.target = shop.buy;
    query_edge_hash(view, &edge, hash);
    buf_add_hex(&hex, (str){(const char *)hash, 32});
    assert_int_equal(hex.len, 64);
    edge.kind = EDGE_MSG;
    unsigned char other[32];
    query_edge_hash(view, &edge, other);
    assert_memory_not_equal(hash, other, 32);
    buf_fini(&hex);
    query_end(view);
}

static void
dead_routes_gives_candidates_and_what_it_could_not_judge(void **state)
{
    cJSON *out = call("dead_routes", "{}");
    const cJSON *route = row(out, "routes", 0);

    (void)state;
    assert_int_equal(len(out, "routes"), 1);
    assert_string_equal(text(route, "ServiceName"), "checkout");
    assert_string_equal(text(route, "RoutePattern"), "/old");
    assert_string_equal(text(route, "MappingType"), "http_route");
    assert_int_equal((int)number(route, "CreatedAt"), 1);
    assert_string_equal(text(route, "verdict"), "never_observed");
    assert_string_equal(text(route, "confidence"), "high");
    assert_int_equal(len(out, "not_judged"), 1);
    const cJSON *line = row(out, "not_judged", 0);
    assert_string_equal(text(line, "service"), "web");
    assert_int_equal((int)number(line, "routes"), len(line, "names"));
    assert_true(hints_say(out, "could not be judged"));
    assert_non_null(strstr(text(out, "summary"), "1 could not be judged"));
    cJSON_Delete(out);
    out = call("dead_routes", "{\"verdict\":\"all\",\"stale_days\":60}");
    assert_int_equal(len(out, "routes"), 3);
    cJSON_Delete(out);
    out = call("dead_routes", "{\"verdict\":\"active\"}");
    assert_int_equal(len(out, "routes"), 1);
    assert_string_equal(text(row(out, "routes", 0), "last_caller"),
                        "web GET /cart/{}");
    cJSON_Delete(out);
    refuse("dead_routes", "{\"stale_days\":0}", "from 1 to 400");
    refuse("dead_routes", "{\"stale_days\":401}", "from 1 to 400");
    refuse("dead_routes", "{\"verdict\":\"gone\"}", "never_observed");
}

static void
ignored_routes_are_shown_as_suppressed(void **state)
{
    static const char *const ignore[] = {"/old"};

    (void)state;
    tools_set_ignore(shop.tools, ignore, 1);
    cJSON *out = call("dead_routes", "{\"verdict\":\"suppressed\"}");
    assert_int_equal(len(out, "routes"), 1);
    cJSON_Delete(out);
}

static void
trace_stats_has_knowings_fields(void **state)
{
    cJSON *out = call("trace_stats", "{}");

    (void)state;
    assert_int_equal((int)number(out, "TotalEdges"), 4);
    assert_int_equal((int)number(out, "ActiveEdges"), 4);
    assert_int_equal((int)number(out, "StaleEdges"), 0);
    assert_int_equal((int)number(out, "GCEligible"), 0);
    assert_int_equal(
        (int)number(cJSON_GetObjectItem(out, "ByEdgeType"), "call"), 2);
    assert_int_equal(
        (int)number(cJSON_GetObjectItem(out, "counters"), "orphan_ingress"), 3);
    cJSON_Delete(out);
    out = call("trace_stats", "{\"service\":\"web\"}");
    assert_int_equal((int)number(out, "TotalEdges"), 2);
    assert_true(hints_say(out, "no telemetry"));
    assert_true(hints_say(out, "of all services"));
    cJSON_Delete(out);
    out = call("trace_stats", "{\"service\":\"checkout\"}");
    assert_false(hints_say(out, "no traffic"));
    cJSON_Delete(out);
}

static void
an_environment_nobody_is_seen_in_is_refused(void **state)
{
    (void)state;
    refuse("trace_stats", "{\"env\":\"moon\"}", "env 'moon'");
    refuse("service_map", "{\"env\":\"moon\"}", "env 'moon'");
    refuse("dead_routes", "{\"env\":\"moon\"}", "leave env out");
}

static void
a_suggested_call_keeps_the_other_arguments(void **state)
{
    (void)state;
    refuse("explain", "{\"service\":\"web\",\"peer\":\"checkot\"}",
           "Try explain{\"service\":\"web\",\"peer\":\"checkout\"}");
    refuse("who_calls",
           "{\"service\":\"checkot\",\"limit\":20,\"cursor\":\"x\"}",
           "Try who_calls{\"service\":\"checkout\"}");
    refuse("graph_node", "{\"nodeId\":\"service:checkot\"}",
           "closest: \"service:checkout\"");
}

static void
service_map_names_its_columns(void **state)
{
    cJSON *out = call("service_map", "{}");
    const cJSON *first = row(out, "rows", 0);

    (void)state;
    assert_int_equal(len(out, "rows"), 4);
    assert_int_equal(len(out, "columns"), cJSON_GetArraySize(first));
    assert_string_equal(cJSON_GetArrayItem(first, 0)->valuestring, "user");
    assert_string_equal(cJSON_GetArrayItem(first, 1)->valuestring, "web");
    cJSON_Delete(out);
    out = call("service_map", "{\"level\":\"endpoint\",\"kind\":\"call\","
                              "\"response_format\":\"detailed\"}");
    assert_int_equal(len(out, "rows"), 2);
    assert_int_equal(len(out, "nodes"), 3);
    assert_int_equal(len(out, "columns"),
                     cJSON_GetArraySize(row(out, "rows", 0)));
    cJSON_Delete(out);
    out = call("service_map", "{\"env\":\"prod\"}");
    assert_int_equal(len(out, "rows"), 1);
    cJSON_Delete(out);
    out = call("service_map", "{\"since\":\"24h\"}");
    assert_int_equal(len(out, "rows"), 0);
    cJSON_Delete(out);
    refuse("service_map", "{\"level\":\"galaxy\"}", "endpoint");
    refuse("service_map", "{\"kind\":\"phone\"}", "msg_pub");
    refuse("service_map", "{\"since\":\"yesterday\"}", "24h");
    refuse("service_map", "{\"since\":\"2099-01-01\"}", "yet to come");
    refuse("service_map", "{\"since\":\"9999-01-01\"}", "yet to come");
    out = call("service_map", "{\"since\":\"1960-01-01\"}");
    assert_string_equal(text(cJSON_GetObjectItem(out, "window"), "resolution"),
                        "day");
    cJSON_Delete(out);
}

static void
who_calls_gives_callers_with_latency_and_versions(void **state)
{
    cJSON *out = call("who_calls", "{\"service\":\"checkout\"}");
    const cJSON *caller = row(out, "callers", 0);

    (void)state;
    assert_int_equal(len(out, "callers"), 1);
    assert_string_equal(text(caller, "caller"), "web GET /cart/{}");
    assert_string_equal(text(caller, "target"), "checkout POST /buy");
    assert_true(number(caller, "p95_ms") > 4.8);
    assert_string_equal(
        cJSON_GetArrayItem(cJSON_GetObjectItem(caller, "caller_versions"), 0)
            ->valuestring,
        "1.2.3");
    cJSON_Delete(out);
    out = call("who_calls", "{\"service\":\"checkout\",\"route\":\"/buy\"}");
    assert_int_equal(len(out, "callers"), 1);
    cJSON_Delete(out);
    out =
        call("who_calls", "{\"service\":\"checkout\",\"route\":\"POST /b*\"}");
    assert_int_equal(len(out, "callers"), 1);
    cJSON_Delete(out);
    out = call("who_calls", "{\"service\":\"kafka:orders\"}");
    assert_int_equal(len(out, "callers"), 1);
    cJSON_Delete(out);
    refuse("who_calls", "{\"service\":\"checkout\",\"route\":\"/sell\"}",
           "'POST /buy'");
}

static void
explain_tells_reasons_with_their_scope(void **state)
{
    cJSON *out = call("explain", "{\"service\":\"checkout\"}");
    const cJSON *reason = row(out, "reasons", 1);

    (void)state;
    assert_int_equal(len(out, "edges"), 3);
    assert_string_equal(text(reason, "reason"), "orphan_ingress");
    assert_string_equal(text(reason, "scope"), "otel.http");
    assert_int_equal((int)number(reason, "count"), 3);
    cJSON_Delete(out);
    out = call("explain", "{\"service\":\"web\",\"peer\":\"checkout\"}");
    assert_int_equal(len(out, "edges"), 1);
    assert_int_equal(len(out, "services"), 2);
    cJSON_Delete(out);
    out = call("explain", "{\"service\":\"web\",\"peer\":\"pay\"}");
    assert_int_equal(len(out, "edges"), 0);
    assert_true(hints_say(out, "no telemetry"));
    cJSON_Delete(out);
}

static void
graph_query_and_graph_node_agree_on_names(void **state)
{
    cJSON *out = call("graph_query", "{\"prefix\":\"check\"}");

    (void)state;
    assert_int_equal(len(out, "nodes"), 2);
    assert_string_equal(text(row(out, "nodes", 1), "QualifiedName"),
                        "checkout POST /buy");
    char args[128];
    snprintf(args, sizeof(args), "{\"nodeId\":\"%s\"}",
             text(row(out, "nodes", 1), "NodeHash"));
    cJSON *by_hash = call("graph_node", args);
    snprintf(args, sizeof(args), "{\"nodeId\":\"%s\",\"disclosureLevel\":4}",
             text(row(out, "nodes", 1), "id"));
    cJSON *by_id = call("graph_node", args);
    assert_string_equal(text(cJSON_GetObjectItem(by_hash, "node"), "id"),
                        text(cJSON_GetObjectItem(by_id, "node"), "id"));
    const cJSON *callers =
        cJSON_GetObjectItem(cJSON_GetObjectItem(by_id, "node"), "callers");
    assert_int_equal((int)number(callers, "count"), 20);
    cJSON_Delete(by_hash);
    cJSON_Delete(by_id);
    cJSON_Delete(out);
    out = call("graph_node",
               "{\"nodeId\":\"kafka:orders\",\"disclosureLevel\":0}");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(out, "node")), 3);
    cJSON_Delete(out);
    refuse("graph_node", "{\"nodeId\":\"chekout\"}", "\"service:checkout\"");
    refuse("graph_node", "{}",
           "try graph_node{\"nodeId\":\"service:checkout\"}");
    out = call("graph_query", "{\"prefix\":\"%\"}");
    assert_int_equal(len(out, "nodes"), 0);
    cJSON_Delete(out);
}

static void
an_unknown_service_is_told_the_nearest(void **state)
{
    (void)state;
    refuse("runtime_traffic", "{\"service_name\":\"chekout\"}",
           "closest: checkout");
    refuse("runtime_traffic", "{\"service_name\":\"chekout\"}",
           "Try runtime_traffic{\"service_name\":\"checkout\"}");
    refuse("runtime_traffic", "{}", "service_name is required");
    refuse("runtime_traffic", "{\"service_name\":3}", "must be a string");
    refuse("runtime_traffic", "{\"service_name\":\"pay\",\"env\":\"dev\"}",
           "'prod'");
    refuse("runtime_traffic", "{\"service\":\"web\"}",
           "did you mean 'service_name'");
    refuse("runtime_traffic", "{\"service_name\":\"web\",\"limit\":501}",
           "from 1 to 500");
    refuse("runtime_trafic", "{}", "closest: runtime_traffic");
}

static void
pages_follow_one_another_without_gap(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 25; i++) {
        char name[32];

        snprintf(name, sizeof(name), "GET /r%02u", i);
        uint32_t route = db_route(&shop.db, shop.web, name);
        db_edge(&shop.db, route, shop.buy, EDGE_CALL, 1);
    }
    char args[256] = "{\"service\":\"checkout\",\"limit\":10}";
    int seen = 0;
    cJSON *out;
    for (int page = 0; page < 3; page++) {
        out = call("who_calls", args);
        seen += len(out, "callers");
        assert_int_equal((int)number(out, "total"), 26);
        const cJSON *next = cJSON_GetObjectItem(out, "next_cursor");
        assert_int_equal(cJSON_IsNull(next), page == 2);
        assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(out, "truncated")),
                         page < 2);
        if (page < 2)
            snprintf(args, sizeof(args),
                     "{\"limit\":10,\"cursor\":\"%s\","
                     "\"service\":\"checkout\"}",
                     next->valuestring);
        cJSON_Delete(out);
    }
    assert_int_equal(seen, 26);
    refuse("who_calls", "{\"service\":\"checkout\",\"cursor\":\"x\"}",
           "first page");
    char *other = strstr(args, "checkout");
    memcpy(other, "web\"}   ", 8);
    other[5] = '\0';
    refuse("who_calls", args, "not from a call");
}

static void
a_long_list_is_cut_at_the_size_of_a_reply(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        char name[220];

        snprintf(name, sizeof(name), "GET /%0200u", i);
        uint32_t route = db_route(&shop.db, shop.web, name);
        db_edge(&shop.db, route, shop.buy, EDGE_CALL, 1);
    }
    cJSON *out = call("runtime_traffic",
                      "{\"service_name\":\"checkout\",\"limit\":500}");
    assert_true(len(out, "edges") > 10 && len(out, "edges") < 303);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(out, "truncated")));
    assert_true(cJSON_IsString(cJSON_GetObjectItem(out, "next_cursor")));
    cJSON_Delete(out);
}

static void
an_empty_graph_says_there_is_no_telemetry(void **state)
{
    (void)state;
    cJSON *out = call("trace_stats", "{}");
    assert_true(hints_say(out, "no telemetry"));
    cJSON_Delete(out);
    out = call("service_map", "{}");
    assert_true(hints_say(out, "no telemetry"));
    cJSON_Delete(out);
    out = call("dead_routes", "{}");
    assert_true(hints_say(out, "no routes are known"));
    cJSON_Delete(out);
    out = call("graph_query", "{\"prefix\":\"\"}");
    assert_int_equal(len(out, "nodes"), 0);
    cJSON_Delete(out);
    refuse("runtime_traffic", "{\"service_name\":\"x\"}",
           "no service has been seen yet");
    refuse("explain", "{\"service\":\"x\"}", "no service has been seen yet");
}

static void
hostile_names_stay_data(void **state)
{
    const char *hostile = "x\\\"}],\\\"isError\\\":true %s%n' OR 1=1 --";
    char args[256];

    (void)state;
    db_service(&shop.db, "x\"}],\"isError\":true %s%n' OR 1=1 --");
    snprintf(args, sizeof(args), "{\"service\":\"%s\"}", hostile);
    cJSON *out = call("explain", args);
    assert_string_equal(text(row(out, "services", 0), "service"),
                        "x\"}],\"isError\":true %s%n' OR 1=1 --");
    cJSON_Delete(out);
    refuse("explain", "{\"service\":\"%s%n%x\"}", "'%s%n%x' unknown");
    refuse("who_calls", "{\"service\":\"********************a\"}", "unknown");
}

static void
a_service_that_sends_nothing_is_told_from_one_that_is_quiet(void **state)
{
    (void)state;
    cJSON *out = call("who_calls", "{\"service\":\"pay\",\"since\":\"1h\"}");
    assert_int_equal(len(out, "callers"), 0);
    assert_true(hints_say(out, "no telemetry: pay"));
    cJSON_Delete(out);
    out = call("who_calls", "{\"service\":\"checkout\",\"since\":\"1h\"}");
    assert_true(hints_say(out, "no traffic: checkout sends"));
    cJSON_Delete(out);
    (void)db_node(&shop.db, NODE_SERVICE, 0, "checkout", "staging");
    out = call("who_calls", "{\"service\":\"checkout\",\"since\":\"1h\"}");
    assert_true(hints_say(out, "no traffic: checkout sends"));
    assert_true(hints_say(out, "no telemetry: checkout (staging) sends no"));
    cJSON_Delete(out);
}

/* The length of |tool| in a tools/list of the newest revision. */
static size_t
listed_size(const struct mcp_tool *tool)
{
    cJSON *json = cJSON_CreateObject();
    cJSON *hints;
    size_t size;

    cJSON_AddStringToObject(json, "name", tool->name);
    cJSON_AddStringToObject(json, "title", tool->title);
    cJSON_AddStringToObject(json, "description", tool->description);
    cJSON_AddItemToObject(json, "inputSchema", cJSON_Parse(tool->input_schema));
    cJSON_AddItemToObject(json, "outputSchema",
                          cJSON_Parse(tool->output_schema));
    hints = cJSON_AddObjectToObject(json, "annotations");
    cJSON_AddStringToObject(hints, "title", tool->title);
    cJSON_AddBoolToObject(hints, "readOnlyHint", tool->read_only);
    cJSON_AddBoolToObject(hints, "destructiveHint", tool->destructive);
    cJSON_AddBoolToObject(hints, "idempotentHint", tool->idempotent);
    cJSON_AddBoolToObject(hints, "openWorldHint", false);
    char *text = cJSON_PrintUnformatted(json);
    size = strlen(text) + 1;
    cJSON_free(text);
    cJSON_Delete(json);
    return size;
}

/* What tools/list will be: every client pays for it in each session. */
static void
the_list_of_tools_keeps_its_budget(void **state)
{
    const struct mcp_offer *offer = tools_offer(shop.tools);
    size_t total = 300; /* what is around the tools */

    (void)state;
    assert_int_equal(offer->tool_len, tool_select(TOOLSET_DEFAULT, NULL));
    assert_true(strlen(offer->instructions) <= 2000);
    for (size_t i = 0; i < offer->tool_len; i++) {
        const struct mcp_tool *tool = &offer->tools[i];
        cJSON *input = cJSON_Parse(tool->input_schema);
        cJSON *output = cJSON_Parse(tool->output_schema);
        size_t size = listed_size(tool);

        assert_non_null(input);
        assert_non_null(output);
        assert_non_null(tool_find(tool->name));
        assert_true(strlen(tool->description) <= 1000);
        assert_true(strlen(tool->name) <= 32);
        assert_true(tool->read_only && tool->idempotent && !tool->destructive);
        assert_true(
            cJSON_IsFalse(cJSON_GetObjectItem(input, "additionalProperties")));
        cJSON *example = cJSON_Parse(offer->tools[i].example);
        assert_non_null(example);
        cJSON_Delete(call(tool->name, offer->tools[i].example));
        total += size;
        cJSON_Delete(example);
        cJSON_Delete(input);
        cJSON_Delete(output);
    }
    if (total > 10240)
        fail_msg("tools/list would be %zu bytes", total);
}

static void
the_offer_runs_tools_and_passes_failures_on(void **state)
{
    const struct mcp_offer *offer = tools_offer(shop.tools);
    cJSON *args = cJSON_CreateObject();

    (void)state;
    for (size_t i = 0; i < offer->tool_len; i++) {
        cJSON *good = cJSON_Parse(offer->tools[i].example);
        cJSON *out = offer->tools[i].fn(offer->tools[i].ctx, NULL, good);

        assert_non_null(out);
        cJSON_Delete(out);
        cJSON_Delete(good);
    }
    assert_null(offer->tools[0].fn(offer->tools[0].ctx, NULL, args));
    assert_non_null(strstr(failure, "service_name is required"));
    cJSON_Delete(args);
}

static void
pairs_take_the_type_of_the_schema(void **state)
{
    cJSON *args = cJSON_CreateObject();

    (void)state;
    assert_int_equal(
        tools_argument("dead_routes", "stale_days=60", args, &shop.why), OK);
    assert_int_equal(
        tools_argument("dead_routes", "service=60", args, &shop.why), OK);
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(args, "stale_days")));
    assert_true(cJSON_IsString(cJSON_GetObjectItem(args, "service")));
    assert_int_equal(
        tools_argument("dead_routes", "stale_days=x", args, &shop.why),
        ERR_INVALID);
    assert_int_equal(tools_argument("dead_routes", "novalue", args, &shop.why),
                     ERR_INVALID);
    assert_int_equal(tools_argument("nothing", "a=b", args, &shop.why),
                     ERR_NOT_FOUND);
    cJSON_Delete(args);
}

static void
what_is_not_a_number_is_out_of_range(void **state)
{
    cJSON *args = cJSON_CreateObject();
    cJSON *out = NULL;

    (void)state;
    assert_int_equal(
        tools_argument("dead_routes", "stale_days=nan", args, &shop.why), OK);
    assert_int_equal(
        tools_call(shop.tools, "dead_routes", args, &out, &shop.why),
        ERR_INVALID);
    assert_null(out);
    cJSON_Delete(args);
}

static void
every_resource_is_there_and_no_other(void **state)
{
    static const char *const uris[] = {"graph://schema", "graph://services",
                                       "graph://health",
                                       "graph://service/che%63kout"};

    (void)state;
    for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); i++) {
        cJSON *json = tools_resource(shop.tools, uris[i]);

        assert_non_null(json);
        cJSON_Delete(json);
    }
    assert_null(tools_resource(shop.tools, "graph://service/nobody"));
    assert_null(tools_resource(shop.tools, "graph://service/"));
    assert_null(tools_resource(shop.tools, "graph://other"));
    cJSON *contents =
        tools_resources[1].read(shop.tools, NULL, "graph://services");
    assert_int_equal(cJSON_GetArraySize(contents), 1);
    assert_non_null(
        strstr(text(cJSON_GetArrayItem(contents, 0), "text"), "\"checkout\""));
    cJSON_Delete(contents);
}

static void
prompts_fill_in_their_arguments(void **state)
{
    cJSON *args = cJSON_CreateObject();
    cJSON *none = cJSON_CreateObject();
    struct buf out = {0};

    (void)state;
    assert_true(tools_prompt("dead_route_review", none, &out));
    assert_non_null(strstr(buf_cstr(&out), "stale_days=30."));
    assert_false(tools_prompt("incident_impact", none, &out));
    assert_false(tools_prompt("nothing", none, &out));
    buf_reset(&out);
    cJSON_AddStringToObject(args, "service", "pay {route}");
    assert_true(tools_prompt("change_risk", args, &out));
    assert_non_null(strstr(buf_cstr(&out), "changing pay {route}."));
    cJSON *array = tools_prompts[0].get(shop.tools, NULL, args);
    assert_string_equal(text(cJSON_GetArrayItem(array, 0), "role"), "user");
    cJSON_Delete(array);
    assert_null(tools_prompts[1].get(shop.tools, NULL, none));
    assert_non_null(strstr(failure, "service"));
    buf_fini(&out);
    cJSON_Delete(args);
    cJSON_Delete(none);
}

static void
completion_knows_services_and_routes(void **state)
{
    (void)state;
    cJSON *days = tools_complete(shop.tools, "p", "stale_days", "", NULL);
    assert_int_equal(cJSON_GetArraySize(days), 6);
    cJSON_Delete(days);
    days = tools_complete(shop.tools, "p", "stale_days", "x", NULL);
    assert_int_equal(cJSON_GetArraySize(days), 0);
    cJSON_Delete(days);
    cJSON *names = tools_complete(shop.tools, "p", "service", "ch", NULL);
    assert_int_equal(cJSON_GetArraySize(names), 1);
    assert_string_equal(cJSON_GetArrayItem(names, 0)->valuestring, "checkout");
    cJSON_Delete(names);
    names = tools_complete(shop.tools, "p", "route", "POST", NULL);
    assert_int_equal(cJSON_GetArraySize(names), 1);
    cJSON_Delete(names);
    assert_null(tools_complete(shop.tools, "p", "verdict", "", NULL));
    for (uint32_t i = 0; i < 150; i++) {
        char name[32];

        snprintf(name, sizeof(name), "many-%u", i);
        db_service(&shop.db, name);
    }
    names = tools_complete(shop.tools, "p", "service", "many", NULL);
    assert_int_equal(cJSON_GetArraySize(names), 100);
    cJSON_Delete(names);
}

static int
count_of(const char *node, const char *direction)
{
    char args[128];

    snprintf(args, sizeof(args), "{\"nodeId\":\"%s\"}", node);
    cJSON *out = call("graph_node", args);
    int count = (int)number(
        cJSON_GetObjectItem(cJSON_GetObjectItem(out, "node"), direction),
        "count");
    cJSON_Delete(out);
    return count;
}

static void
a_message_counts_once_at_a_node(void **state)
{
    uint32_t mail = db_service(&shop.db, "mail");
    uint32_t cron = db_service(&shop.db, "cron");

    (void)state;
    db_edge(&shop.db, shop.buy, mail, EDGE_MSG, 9);
    db_edge(&shop.db, cron, mail, EDGE_MSG, 4);
    assert_int_equal(count_of("service:checkout", "callees"), 18 + 9);
    assert_int_equal(count_of("service:cron", "callees"), 4);
    assert_int_equal(count_of("service:mail", "callers"), 9 + 4);
    uint32_t topic = db_node(&shop.db, NODE_TOPIC, 0, "kafka:mail", "");
    db_edge(&shop.db, topic, mail, EDGE_MSG_SUB, 11);
    assert_int_equal(count_of("service:mail", "callers"), 11);
}

static void
an_overflow_node_tells_how_many_names_it_stands_for(void **state)
{
    uint32_t other = db_route(&shop.db, shop.web, "{other}");

    (void)state;
    db_fixture_sql(&shop.db, "INSERT INTO overflow VALUES (%u, 1234, x'')",
                   other);
    cJSON *out = call("graph_node", "{\"nodeId\":\"route:web {other}\"}");
    assert_int_equal(
        (int)number(cJSON_GetObjectItem(out, "node"), "distinct_estimate"),
        1234);
    cJSON_Delete(out);
    out = call("graph_node", "{\"nodeId\":\"service:web\"}");
    assert_null(cJSON_GetObjectItem(cJSON_GetObjectItem(out, "node"),
                                    "distinct_estimate"));
    cJSON_Delete(out);
    out = call("trace_stats", "{}");
    assert_true(hints_say(out, "web {other} stands for about 1234 names"));
    cJSON_Delete(out);
    out = call("trace_stats", "{\"service\":\"checkout\"}");
    assert_false(hints_say(out, "stands for"));
    cJSON_Delete(out);
}

static void
one_of_a_kind_is_said_so(void **state)
{
    cJSON *out = call("graph_query", "{\"prefix\":\"kafka\"}");

    (void)state;
    assert_string_equal(text(out, "summary"), "1 node begins with 'kafka'");
    cJSON_Delete(out);
    out = call("trace_stats", "{\"service\":\"web\"}");
    assert_non_null(strstr(text(out, "summary"), " of 1 service;"));
    cJSON_Delete(out);
}

static void
routes_are_completed_of_the_chosen_service(void **state)
{
    static const struct {
        const char *chosen, *value;
        const char *first;
        int count;
    } cases[] = {
        {"{\"service\":\"checkout\"}", "", "POST /buy", 1},
        {"{\"service_name\":\"checkout\"}", "POST", "POST /buy", 1},
        {"{\"service\":\"web\"}", "", "GET /cart/{}", 1},
        {"{\"service\":\"web\"}", "POST", "GET /cart/{}", 1},
        {"{\"service\":\"pay\"}", "pay", "pay.Pay/Charge", 1},
        {"{\"service\":\"nobody\"}", "", NULL, 0},
        {"{\"service\":7}", "POST", "POST /buy", 1},
        {"{}", "", NULL, 3},
    };

    (void)state;
    db_route(&shop.db, db_node(&shop.db, NODE_SERVICE, 0, "web", "prod"),
             "GET /cart/{}");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cJSON *chosen = cJSON_Parse(cases[i].chosen);
        cJSON *names =
            tools_complete(shop.tools, "p", "route", cases[i].value, chosen);
        assert_int_equal(cJSON_GetArraySize(names), cases[i].count);
        if (cases[i].first)
            assert_string_equal(cJSON_GetArrayItem(names, 0)->valuestring,
                                cases[i].first);
        cJSON_Delete(names);
        cJSON_Delete(chosen);
    }
}

#define SHOP(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)
#define EMPTY(test) \
    cmocka_unit_test_setup_teardown(test, open_empty, close_shop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SHOP(runtime_traffic_has_knowings_fields_and_names),
        SHOP(an_edge_hash_is_the_recipes),
        SHOP(dead_routes_gives_candidates_and_what_it_could_not_judge),
        SHOP(ignored_routes_are_shown_as_suppressed),
        SHOP(trace_stats_has_knowings_fields),
        SHOP(service_map_names_its_columns),
        SHOP(who_calls_gives_callers_with_latency_and_versions),
        SHOP(explain_tells_reasons_with_their_scope),
        SHOP(an_environment_nobody_is_seen_in_is_refused),
        SHOP(a_suggested_call_keeps_the_other_arguments),
        SHOP(graph_query_and_graph_node_agree_on_names),
        SHOP(an_unknown_service_is_told_the_nearest),
        SHOP(pages_follow_one_another_without_gap),
        SHOP(a_long_list_is_cut_at_the_size_of_a_reply),
        EMPTY(an_empty_graph_says_there_is_no_telemetry),
        SHOP(hostile_names_stay_data),
        SHOP(a_service_that_sends_nothing_is_told_from_one_that_is_quiet),
        SHOP(the_list_of_tools_keeps_its_budget),
        SHOP(the_offer_runs_tools_and_passes_failures_on),
        SHOP(pairs_take_the_type_of_the_schema),
        SHOP(what_is_not_a_number_is_out_of_range),
        SHOP(every_resource_is_there_and_no_other),
        SHOP(prompts_fill_in_their_arguments),
        SHOP(completion_knows_services_and_routes),
        SHOP(routes_are_completed_of_the_chosen_service),
        SHOP(a_message_counts_once_at_a_node),
        SHOP(an_overflow_node_tells_how_many_names_it_stands_for),
        SHOP(one_of_a_kind_is_said_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
