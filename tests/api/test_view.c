/*
 * What the page asks: which part of a graph is picked, how much of it, what is
 * said of the rest; names, verdicts, health; and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "api/view.h"
#include "graph/audit.h"
#include "graph/code_build.h"
#include "tests/support/code_fixture.h"
#include "tests/support/db_fixture.h"

static struct {
    struct db_fixture db;
    struct query *query;
    struct world *world;
} it;

static void
open_views(bool with_code)
{
    const struct query_cfg cfg = {.readers = 1, .ages = confidence_cfg_default};
    struct buf why = {0};

    assert_int_equal(query_open(&it.query, it.db.dir, &cfg, &why), OK);
    it.world = NULL;
    if (with_code)
        assert_int_equal(world_open(&it.world, it.db.dir), OK);
}

static void
close_views(void)
{
    world_close(it.world);
    query_close(it.query);
    db_fixture_close(&it.db);
}

static enum err
try(const char *path, const char *query, struct buf *out, struct buf *why)
{
    const struct view_cfg cfg = {.query = it.query, .world = it.world};
    const struct view_state state = {.now_s = FIXTURE_NOW_S,
                                     .is_writable = true};

    return view_answer(&cfg, state, str_of(path), str_of(query), out, why);
}

static cJSON *
get(const char *path, const char *query)
{
    struct buf out = {0};
    struct buf why = {0};

    enum err err = try(path, query, &out, &why);
    if (err)
        print_error("%s?%s: %s\n", path, query, buf_cstr(&why));
    assert_int_equal(err, OK);
    cJSON *json = cJSON_ParseWithLength(out.ptr, out.len);
    assert_non_null(json);
    buf_fini(&out);
    return json;
}

static void
refused(enum err expected, const char *path, const char *query,
        const char *says)
{
    struct buf out = {0};
    struct buf why = {0};

    assert_int_equal(try(path, query, &out, &why), expected);
    if (!strstr(buf_cstr(&why), says))
        print_error("%s?%s: %s\n", path, query, buf_cstr(&why));
    assert_non_null(strstr(buf_cstr(&why), says));
    buf_fini(&out);
    buf_fini(&why);
}

/* A member by its path: `nodes|0|key`. */
static const cJSON *
at(const cJSON *json, const char *path)
{
    char word[64];

    while (*path) {
        size_t len = strcspn(path, "|");

        (void)snprintf(word, sizeof(word), "%.*s", (int)len, path);
        json = cJSON_IsArray(json) ? cJSON_GetArrayItem(json, atoi(word))
                                   : cJSON_GetObjectItem(json, word);
        assert_non_null(json);
        path += len + (path[len] == '|');
    }
    return json;
}

static const char *
text_at(const cJSON *json, const char *path)
{
    const char *text = cJSON_GetStringValue(at(json, path));

    assert_non_null(text);
    return text;
}

static long
number_at(const cJSON *json, const char *path)
{
    assert_true(cJSON_IsNumber(at(json, path)));
    return (long)cJSON_GetNumberValue(at(json, path));
}

static int
len_at(const cJSON *json, const char *path)
{
    return cJSON_GetArraySize(at(json, path));
}

/* The node called |key|; NULL if it is not shown. */
static const cJSON *
node(const cJSON *json, const char *key)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, at(json, "nodes"))
    {
        if (strcmp(text_at(row, "key"), key) == 0)
            return row;
    }
    return NULL;
}

/* The edge between two, as `evidence count`; "" if it is not shown. */
static const char *
edge(const cJSON *json, const char *source, const char *target)
{
    static char text[64];
    const cJSON *row;
    const cJSON *from = node(json, source);
    const cJSON *to = node(json, target);

    text[0] = '\0';
    cJSON_ArrayForEach(row, at(json, "edges"))
    {
        if (from && to && number_at(row, "source") == number_at(from, "id") &&
            number_at(row, "target") == number_at(to, "id"))
            (void)snprintf(text, sizeof(text), "%s %ld",
                           text_at(row, "evidence"), number_at(row, "count"));
    }
    return text;
}

/* a -> b -> c -> d -> e, and z -> e: each seen yesterday and today. */
static void
make_chain(void)
{
    const char *const names[] = {"a", "b", "c", "d", "e"};
    uint32_t ids[5];

    db_fixture_open(&it.db);
    for (size_t i = 0; i < 5; i++) {
        ids[i] = db_service(&it.db, names[i]);
        if (i)
            db_daily(&it.db, db_edge(&it.db, ids[i - 1], ids[i], EDGE_CALL, 0),
                     FIXTURE_DAY - 1, FIXTURE_DAY, 100 * (int64_t)i, 1);
    }
    db_daily(&it.db,
             db_edge(&it.db, db_service(&it.db, "z"), ids[4], EDGE_CALL, 0),
             FIXTURE_DAY - 1, FIXTURE_DAY, 3, 1);
}

static void
a_focus_shows_so_many_steps_around_it(void **state)
{
    static const struct {
        const char *query;
        int nodes;
        int edges;
    } rows[] = {
        {"focus=service:a&depth=1", 2, 1}, {"focus=service:a", 3, 2},
        {"focus=service:a&depth=6", 6, 5}, {"focus=service:c&depth=1", 3, 2},
        {"focus=c&depth=2", 5, 4},         {"focus=service%3Ae", 4, 3},
    };

    (void)state;
    make_chain();
    open_views(false);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cJSON *json = get("/api/v1/graph", rows[i].query);

        assert_int_equal(len_at(json, "nodes"), rows[i].nodes);
        assert_int_equal(len_at(json, "edges"), rows[i].edges);
        assert_int_equal(number_at(json, "left_out|edges"), 0);
        assert_int_equal(len_at(json, "focus"), 1);
        cJSON_Delete(json);
    }
    cJSON *json = get("/api/v1/graph", "focus=service:a&depth=1");
    assert_int_equal(number_at(node(json, "service:a"), "depth"), 0);
    assert_true(cJSON_IsFalse(at(node(json, "service:a"), "rim")));
    assert_int_equal(number_at(node(json, "service:b"), "depth"), 1);
    assert_true(cJSON_IsTrue(at(node(json, "service:b"), "rim")));
    assert_string_equal(edge(json, "service:a", "service:b"), "observed 200");
    cJSON_Delete(json);
    close_views();
}

static void
without_a_focus_the_busiest_part_is_shown(void **state)
{
    cJSON *json;

    (void)state;
    make_chain();
    open_views(false);
    json = get("/api/v1/graph", "");
    assert_int_equal(len_at(json, "nodes"), 6);
    assert_int_equal(len_at(json, "edges"), 5);
    assert_int_equal(len_at(json, "focus"), 0);
    cJSON_Delete(json);
    json = get("/api/v1/graph", "limit=3");
    assert_int_equal(len_at(json, "nodes"), 3);
    assert_non_null(node(json, "service:c"));
    assert_non_null(node(json, "service:d"));
    assert_non_null(node(json, "service:e"));
    assert_int_equal(number_at(json, "left_out|edges"), 3);
    assert_true(cJSON_IsTrue(at(json, "left_out|by_limit")));
    assert_int_equal(number_at(node(json, "service:c"), "hidden"), 1);
    assert_int_equal(number_at(node(json, "service:c"), "in"), 400);
    cJSON_Delete(json);
    close_views();
}

static void
a_window_leaves_out_what_was_not_seen_in_it(void **state)
{
    char query[128];
    cJSON *json;

    (void)state;
    make_chain();
    db_daily(&it.db,
             db_edge(&it.db, db_service(&it.db, "old"),
                     db_service(&it.db, "er"), EDGE_CALL, 0),
             FIXTURE_DAY - 20, FIXTURE_DAY - 19, 7, 1);
    open_views(false);
    json = get("/api/v1/graph", "");
    assert_string_equal(edge(json, "service:old", "service:er"), "observed 14");
    assert_string_equal(text_at(json, "window|unit"), "all");
    cJSON_Delete(json);
    (void)snprintf(query, sizeof(query), "from=%u", FIXTURE_NOW_S - 7 * 86400);
    json = get("/api/v1/graph", query);
    assert_null(node(json, "service:old"));
    assert_non_null(node(json, "service:a"));
    assert_string_equal(text_at(json, "window|unit"), "day");
    cJSON_Delete(json);
    (void)snprintf(query, sizeof(query), "from=%u&to=%u",
                   (FIXTURE_DAY - 20) * 86400, (FIXTURE_DAY - 19) * 86400);
    json = get("/api/v1/graph", query);
    assert_string_equal(edge(json, "service:old", "service:er"), "observed 7");
    assert_null(node(json, "service:a"));
    cJSON_Delete(json);
    close_views();
}

static void
make_hub(uint32_t callers)
{
    char name[32];
    uint32_t hub;

    db_fixture_open(&it.db);
    hub = db_service(&it.db, "hub");
    for (uint32_t i = 0; i < callers; i++) {
        (void)snprintf(name, sizeof(name), "caller-%03u", i);
        db_edge(&it.db, db_service(&it.db, name), hub, EDGE_CALL, 1000 - i);
    }
}

static void
a_hub_brings_so_many_neighbours_and_says_how_many_more(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        make_hub(VIEW_HUB + more);
        open_views(false);
        cJSON *json = get("/api/v1/graph", "focus=service:hub");

        assert_int_equal(len_at(json, "nodes"), VIEW_HUB + 1);
        assert_int_equal(number_at(json, "left_out|edges"), more);
        assert_int_equal(cJSON_IsTrue(at(json, "left_out|by_hub")), more);
        assert_int_equal(number_at(node(json, "service:hub"), "hidden"), more);
        /* Busiest first; and the sum is of all callers. */
        assert_non_null(node(json, "service:caller-000"));
        assert_int_equal(number_at(node(json, "service:hub"), "in"),
                         VIEW_HUB * 1000 - VIEW_HUB * (VIEW_HUB - 1) / 2 +
                             more * (1000 - VIEW_HUB));
        cJSON_Delete(json);
        close_views();
    }
}

static void
there_are_never_more_edges_than_so_many_a_node(void **state)
{
    char name[32];
    uint32_t ids[12];
    cJSON *json;

    (void)state;
    db_fixture_open(&it.db);
    for (uint32_t i = 0; i < 12; i++) {
        (void)snprintf(name, sizeof(name), "s%u", i);
        ids[i] = db_service(&it.db, name);
    }
    for (uint32_t i = 0; i < 12; i++) {
        for (uint32_t k = 0; k < 12; k++) {
            if (i != k)
                db_edge(&it.db, ids[i], ids[k], EDGE_CALL, 5);
        }
    }
    open_views(false);
    json = get("/api/v1/graph", "limit=12");
    assert_int_equal(len_at(json, "edges"), 12 * VIEW_EDGES_A_NODE);
    assert_int_equal(number_at(json, "left_out|edges"),
                     12 * 11 - 12 * VIEW_EDGES_A_NODE);
    cJSON_Delete(json);
    json = get("/api/v1/graph", "limit=1&focus=s3");
    assert_int_equal(len_at(json, "nodes"), 1);
    assert_int_equal(len_at(json, "edges"), 0);
    cJSON_Delete(json);
    close_views();
}

static void
a_message_counts_once_for_who_receives_it(void **state)
{
    uint32_t from, topic, to, consumer;
    cJSON *json;

    (void)state;
    db_fixture_open(&it.db);
    from = db_service(&it.db, "from");
    to = db_service(&it.db, "to");
    topic = db_node(&it.db, NODE_TOPIC, 0, "kafka:orders", "");
    consumer = db_node(&it.db, NODE_CONSUMER, to, "kafka:orders", "");
    db_edge(&it.db, from, topic, EDGE_MSG_PUB, 9);
    db_edge(&it.db, topic, consumer, EDGE_MSG_SUB, 9);
    db_edge(&it.db, from, consumer, EDGE_MSG, 9);
    open_views(false);
    json = get("/api/v1/graph", "focus=topic:kafka:orders");
    assert_int_equal(number_at(node(json, "service:to"), "in"), 9);
    assert_int_equal(number_at(node(json, "topic:kafka:orders"), "in"), 9);
    assert_int_equal(len_at(json, "edges"), 3);
    cJSON_Delete(json);
    close_views();
}

/* Two services with a route each, in two environments, and a route whose name
 * is a pattern. */
static void
make_routes(void)
{
    uint32_t web, shop, dev, page, star;

    db_fixture_open(&it.db);
    web = db_node(&it.db, NODE_SERVICE, 0, "web", "prod");
    shop = db_node(&it.db, NODE_SERVICE, 0, "shop", "prod");
    dev = db_node(&it.db, NODE_SERVICE, 0, "shop", "dev");
    page = db_route(&it.db, web, "GET /page");
    star = db_route(&it.db, web, "GET /*");
    db_edge(&it.db, page, db_route(&it.db, shop, "POST /buy"), EDGE_CALL, 8);
    db_edge(&it.db, page, db_route(&it.db, dev, "POST /buy"), EDGE_CALL, 4);
    db_edge(&it.db, star, db_route(&it.db, shop, "GET /x"), EDGE_CALL, 2);
}

static void
endpoints_are_found_by_service_name_and_environment(void **state)
{
    cJSON *json;

    (void)state;
    make_routes();
    open_views(false);
    json = get("/api/v1/graph",
               "level=endpoint&focus=route:shop%20POST%20/buy&depth=1");
    assert_int_equal(len_at(json, "focus"), 2);
    assert_int_equal(len_at(json, "nodes"), 3);
    cJSON_Delete(json);
    json = get("/api/v1/graph", "level=endpoint&env=dev&depth=1&focus=route:"
                                "shop+POST+/buy");
    assert_int_equal(len_at(json, "focus"), 1);
    assert_int_equal(len_at(json, "nodes"), 2);
    assert_string_equal(text_at(node(json, "route:shop POST /buy"), "env"),
                        "dev");
    cJSON_Delete(json);
    /* A name that is a pattern is itself; the other is not meant. */
    json = get("/api/v1/graph",
               "level=endpoint&depth=1&focus=route:web%20GET%20/%2A");
    assert_int_equal(len_at(json, "focus"), 1);
    assert_non_null(node(json, "route:shop GET /x"));
    assert_null(node(json, "route:shop POST /buy"));
    cJSON_Delete(json);
    /* A service is shown by its endpoints, not by itself too. */
    json = get("/api/v1/graph", "level=endpoint&depth=1&focus=service:web");
    assert_null(node(json, "service:web"));
    assert_int_equal(len_at(json, "nodes"), 5);
    assert_int_equal(len_at(json, "focus"), 2);
    cJSON_Delete(json);
    /* At service level an endpoint means its service. */
    json = get("/api/v1/graph", "focus=route:web%20GET%20/page&env=prod");
    assert_int_equal(number_at(json, "focus|0"),
                     number_at(node(json, "service:web"), "id"));
    cJSON_Delete(json);
    close_views();
}

static void
what_is_wrong_is_refused_by_name(void **state)
{
    static const struct {
        const char *path;
        const char *query;
        const char *says; /* NULL: it is good */
    } rows[] = {
        {"/api/v1/graph", "depth=1", NULL},
        {"/api/v1/graph", "depth=6", NULL},
        {"/api/v1/graph", "depth=0", "depth and limit are at least 1"},
        {"/api/v1/graph", "depth=7", "depth is a whole number, at most 6"},
        {"/api/v1/graph", "depth=two", "depth is a whole number"},
        {"/api/v1/graph", "depth=-1", "depth is a whole number"},
        {"/api/v1/graph", "depth=&limit=", NULL},
        {"/api/v1/graph", "limit=1", NULL},
        {"/api/v1/graph", "limit=5000", NULL},
        {"/api/v1/graph", "limit=0", "at least 1"},
        {"/api/v1/graph", "limit=5001", "limit is a whole number, at most"},
        {"/api/v1/graph", "limit=9999999999999999999", "limit is a whole"},
        {"/api/v1/graph", "level=symbols", "service, endpoint or symbol"},
        {"/api/v1/graph", "from=4294967295", NULL},
        {"/api/v1/graph", "from=4294967296", "from is a whole number"},
        {"/api/v1/graph", "from=10&to=11", NULL},
        {"/api/v1/graph", "from=10&to=10", "to is not after from"},
        {"/api/v1/graph", "colour=red", "no parameter colour"},
        {"/api/v1/graph", "focus=%zz", "bad % escape"},
        {"/api/v1/graph", "focus=%4", "bad % escape"},
        {"/api/v1/graph", "focus=a%00b", "bad % escape"},
        {"/api/v1/graph", "&&&depth=1&&", NULL},
        {"/api/v1/search", "q=a&limit=50", NULL},
        {"/api/v1/search", "q=a&limit=51", "limit is a whole number"},
        {"/api/v1/search", "q=a&limit=0", "limit is at least 1"},
        {"/api/v1/search", "focus=a", "no parameter focus"},
        {"/api/v1/dead", "stale_days=400", NULL},
        {"/api/v1/dead", "stale_days=401", "stale_days is a whole number"},
        {"/api/v1/dead", "stale_days=0", "at least 1"},
        {"/api/v1/dead", "limit=5000", NULL},
        {"/api/v1/dead", "limit=5001", "limit is a whole number"},
        {"/api/v1/dead", "verdict=all", NULL},
        {"/api/v1/dead", "verdict=stopped", NULL},
        {"/api/v1/dead", "verdict=gone", "verdict is dead, all"},
        {"/api/v1/dead", "owner=@team", "owner needs the code"},
        {"/api/v1/health", "limit=2000", NULL},
        {"/api/v1/health", "limit=2001", "limit is a whole number"},
        {"/api/v1/health", "limit=0", "at least 1"},
    };
    char many[200] = "";

    (void)state;
    make_chain();
    open_views(false);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].says)
            refused(ERR_INVALID, rows[i].path, rows[i].query, rows[i].says);
        else
            cJSON_Delete(get(rows[i].path, rows[i].query));
    }
    for (int i = 0; i < 32; i++)
        strcat(many, i ? "&env" : "env");
    cJSON_Delete(get("/api/v1/graph", many));
    strcat(many, "&env");
    refused(ERR_INVALID, "/api/v1/graph", many, "more than 32 parts");
    refused(ERR_NOT_FOUND, "/api/v1/graph", "focus=service:nobody",
            "nothing is called service:nobody");
    refused(ERR_NOT_FOUND, "/api/v1/graph",
            "focus=service:", "nothing is called");
    refused(ERR_NOT_FOUND, "/api/v1/dead", "service=nobody",
            "no service is called nobody");
    close_views();
}

static void
a_long_question_is_refused_at_one_byte_too_many(void **state)
{
    char query[300] = "q=";

    (void)state;
    make_chain();
    open_views(false);
    memset(query + 2, 'a', 256);
    cJSON_Delete(get("/api/v1/search", query));
    query[258] = 'a';
    refused(ERR_INVALID, "/api/v1/search", query, "more than 256 bytes");
    close_views();
}

static void
search_finds_every_word_and_what_begins_so_first(void **state)
{
    cJSON *json;

    (void)state;
    make_routes();
    db_service(&it.db, "bigshop");
    open_views(false);
    json = get("/api/v1/search", "q=SHOP");
    assert_string_equal(text_at(json, "found|0|key"), "service:shop");
    assert_int_equal(number_at(json, "total"), 6);
    assert_string_equal(text_at(json, "found|5|key"), "service:bigshop");
    cJSON_Delete(json);
    json = get("/api/v1/search", "q=buy+shop&limit=1");
    assert_int_equal(len_at(json, "found"), 1);
    assert_int_equal(number_at(json, "total"), 2);
    assert_string_equal(text_at(json, "found|0|key"), "route:shop POST /buy");
    cJSON_Delete(json);
    json = get("/api/v1/search", "q=+");
    assert_int_equal(len_at(json, "found"), 0);
    cJSON_Delete(json);
    json = get("/api/v1/search", "q=nowhere");
    assert_int_equal(len_at(json, "found"), 0);
    cJSON_Delete(json);
    close_views();
}

static void
any_name_is_text(void **state)
{
    static const char hostile[] = "</script>\"\\\x01\x1f\xff<img src=x>";
    cJSON *json;

    (void)state;
    db_fixture_open(&it.db);
    db_edge(&it.db, db_service(&it.db, "a"), db_service(&it.db, hostile),
            EDGE_CALL, 1);
    open_views(false);
    json = get("/api/v1/graph", "");
    assert_string_equal(text_at(json, "nodes|1|name"),
                        "</script>\"\\\x01\x1f\xef\xbf\xbd<img src=x>");
    cJSON_Delete(json);
    close_views();
}

/* web asks shop for POST /buy (seen) and pay for POST /charge (never seen). */
static void
make_code(void)
{
    struct code_fixture f;
    uint32_t web, shop, pay, page, buy, edge;

    db_fixture_open(&it.db);
    code_fixture_open(&f, it.db.dir);
    fixture_service(&f, "web", "web");
    fixture_service(&f, "shop", "shop");
    fixture_service(&f, "pay", "pay");
    fixture_owner(&f, "/shop/", "@acme/shop");
    web = fixture_file(&f, "web/app.py");
    shop = fixture_file(&f, "shop/app.py");
    pay = fixture_file(&f, "pay/app.py");
    page = fixture_function(&f, web, "page", 10, 0);
    buy = fixture_function(&f, shop, "buy", 10, 0);
    fixture_route(&f, web, "GET", "/page", page, 0);
    fixture_route(&f, web, "POST", "/buy", page, ROUTE_IS_CLIENT);
    fixture_route(&f, web, "POST", "/charge", page, ROUTE_IS_CLIENT);
    fixture_route(&f, shop, "POST", "/buy", buy, 0);
    fixture_call(&f, buy, fixture_function(&f, shop, "total", 20, 0));
    fixture_route(&f, pay, "POST", "/charge",
                  fixture_function(&f, pay, "charge", 10, 0), 0);
    code_drop(code_fixture_load(&f));

    uint32_t ids[] = {db_service(&it.db, "web"), db_service(&it.db, "shop"),
                      db_service(&it.db, "pay")};
    edge = db_edge(&it.db, db_route(&it.db, ids[0], "GET /page"),
                   db_route(&it.db, ids[1], "POST /buy"), EDGE_CALL, 0);
    db_daily(&it.db, edge, FIXTURE_DAY - 5, FIXTURE_DAY, 24, 1);
    db_route(&it.db, ids[2], "POST /charge");
    edge =
        db_edge(&it.db, ids[0], db_node(&it.db, NODE_EXTERNAL, 0, "stripe", ""),
                EDGE_VIRTUAL_OUT, 0);
    db_daily(&it.db, edge, FIXTURE_DAY - 5, FIXTURE_DAY, 2, 1);
}

static void
evidence_tells_code_and_traffic_apart(void **state)
{
    cJSON *json;

    (void)state;
    make_code();
    open_views(true);
    json = get("/api/v1/graph", "");
    assert_true(cJSON_IsTrue(at(json, "has_code")));
    assert_string_equal(edge(json, "service:web", "service:shop"), "both 144");
    assert_string_equal(edge(json, "service:web", "service:pay"), "static 0");
    assert_string_equal(edge(json, "service:web", "external:stripe"),
                        "observed 12");
    cJSON_Delete(json);
    json = get("/api/v1/graph", "focus=service:pay");
    assert_string_equal(edge(json, "service:web", "service:pay"), "static 0");
    assert_string_equal(edge(json, "service:web", "service:shop"), "both 144");
    cJSON_Delete(json);
    json = get("/api/v1/graph", "level=endpoint");
    assert_string_equal(
        edge(json, "route:web GET /page", "route:shop POST /buy"), "both 144");
    assert_string_equal(edge(json, "service:web", "route:pay POST /charge"),
                        "static 0");
    cJSON_Delete(json);
    /* No room for what only the code tells of is told, too. */
    json = get("/api/v1/graph", "limit=3");
    assert_int_equal(len_at(json, "nodes"), 3);
    assert_int_equal(number_at(json, "left_out|edges"), 1);
    cJSON_Delete(json);
    close_views();
}

static void
functions_are_walked_over_code_and_traffic(void **state)
{
    char query[128];
    cJSON *json;

    (void)state;
    make_code();
    open_views(true);
    json = get("/api/v1/graph", "level=symbol&focus=service:shop&depth=1");
    const cJSON *buy = node(json, text_at(json, "nodes|0|key"));
    assert_string_equal(text_at(buy, "name"), "buy");
    assert_string_equal(text_at(buy, "serves"), "POST /buy");
    assert_string_equal(text_at(buy, "file"), "shop/app.py");
    assert_int_equal(number_at(buy, "line"), 10);
    assert_int_equal(len_at(json, "focus"), 1);
    (void)snprintf(query, sizeof(query), "level=symbol&depth=1&focus=%s",
                   text_at(buy, "key"));
    cJSON_Delete(json);
    json = get("/api/v1/graph", query);
    assert_int_equal(len_at(json, "focus"), 1);
    /* Who calls it, and what it calls. */
    assert_int_equal(len_at(json, "nodes"), 3);
    cJSON_Delete(json);
    json = get("/api/v1/graph", "level=symbol");
    assert_int_equal(number_at(json, "edges|0|count"), 144);
    assert_true(len_at(json, "nodes") >= 5);
    cJSON_Delete(json);
    json = get("/api/v1/graph", "level=symbol&limit=2");
    assert_int_equal(len_at(json, "nodes"), 2);
    assert_true(cJSON_IsTrue(at(json, "left_out|by_limit")));
    cJSON_Delete(json);
    /* Seen before the window: only what the code tells is left. */
    (void)snprintf(query, sizeof(query), "level=symbol&from=%u",
                   FIXTURE_NOW_S + 86400);
    json = get("/api/v1/graph", query);
    assert_int_equal(number_at(json, "edges|0|count"), 0);
    cJSON_Delete(json);
    refused(ERR_NOT_FOUND, "/api/v1/graph", "level=symbol&focus=code:nothing",
            "nothing is called code:nothing");
    json = get("/api/v1/search", "q=total");
    assert_string_equal(text_at(json, "found|0|kind"), "function");
    assert_string_equal(text_at(json, "found|0|file"), "shop/app.py");
    cJSON_Delete(json);
    close_views();
}

static void
without_code_functions_are_no_failure_of_the_rest(void **state)
{
    (void)state;
    make_chain();
    open_views(false);
    refused(ERR_STORE, "/api/v1/graph", "level=symbol", "no code is read here");
    cJSON_Delete(get("/api/v1/graph", ""));
    close_views();
    make_chain();
    open_views(true);
    cJSON *json = get("/api/v1/graph", "level=symbol&focus=service:a&depth=1");
    assert_true(cJSON_IsFalse(at(json, "has_code")));
    assert_int_equal(len_at(json, "nodes"), 2);
    cJSON_Delete(json);
    close_views();
}

/* shop serves GET /live, and declares GET /dead with a handler. */
static void
make_dead(void)
{
    struct code_fixture f;
    uint32_t shop, file, node, edge;

    db_fixture_open(&it.db);
    code_fixture_open(&f, it.db.dir);
    shop = db_service(&it.db, "shop");
    fixture_service(&f, "shop", "shop");
    fixture_owner(&f, "/shop/", "@acme/shop");
    file = fixture_file(&f, "shop/app.py");
    fixture_route(&f, file, "GET", "/live",
                  fixture_function(&f, file, "on_live", 10, 0), 0);
    fixture_route(&f, file, "GET", "/dead",
                  fixture_function(&f, file, "on_dead", 20, 0), 0);
    db_declare(&it.db, shop, "GET", "/live", FIXTURE_NOW_S - 90 * 86400);
    db_declare(&it.db, shop, "GET", "/dead", FIXTURE_NOW_S - 90 * 86400);
    node = db_route(&it.db, shop, "GET /live");
    edge = db_edge(&it.db, 0, node, EDGE_TRAFFIC, 0);
    db_daily(&it.db, edge, FIXTURE_DAY - 60, FIXTURE_DAY, 24, 1);
    edge = db_edge(&it.db, 0, shop, EDGE_SEEN, 0);
    db_daily(&it.db, edge, FIXTURE_DAY - 60, FIXTURE_DAY, 24, 1);
    node = db_route(&it.db, shop, "GET /dead");
    db_fixture_sql(&it.db, "UPDATE route SET node = %u WHERE pattern = '/dead'",
                   node);
    code_drop(code_fixture_load(&f));
}

static void
the_board_is_the_audit_with_owner_and_place(void **state)
{
    struct query_view *view = NULL;
    struct audit audit = {0};
    cJSON *json;

    (void)state;
    make_dead();
    open_views(true);
    assert_int_equal(query_begin(it.query, FIXTURE_NOW_S, &view), OK);
    assert_int_equal(audit_run(view, &audit_cfg_default, &audit), OK);
    query_end(view);
    json = get("/api/v1/dead", "");
    assert_int_equal(audit.len, 2);
    assert_int_equal(len_at(json, "routes"), audit.len);
    for (size_t i = 0; i < audit.len; i++) {
        const cJSON *row = cJSON_GetArrayItem(at(json, "routes"), (int)i);

        assert_string_equal(text_at(row, "verdict"),
                            verdict_str(audit.routes[i].verdict));
        assert_int_equal(number_at(row, "count"), audit.routes[i].count);
        assert_int_equal(number_at(at(json, "by_verdict"),
                                   verdict_str(audit.routes[i].verdict)),
                         audit.by_verdict[audit.routes[i].verdict]);
    }
    audit_fini(&audit);
    cJSON_Delete(json);
    json = get("/api/v1/dead", "verdict=dead&owner=@acme/shop&service=shop");
    assert_int_equal(len_at(json, "routes"), 1);
    assert_string_equal(text_at(json, "routes|0|route"), "/dead");
    assert_string_equal(text_at(json, "routes|0|verdict"), "never_observed");
    assert_string_equal(text_at(json, "routes|0|owners|0"), "@acme/shop");
    assert_string_equal(text_at(json, "routes|0|file"), "shop/app.py");
    assert_int_equal(number_at(json, "routes|0|line"), 20);
    assert_non_null(strstr(text_at(json, "routes|0|handler"), "on_dead"));
    cJSON_Delete(json);
    json = get("/api/v1/dead", "limit=1");
    assert_int_equal(len_at(json, "routes"), 1);
    assert_int_equal(number_at(json, "total"), 2);
    assert_true(cJSON_IsTrue(at(json, "truncated")));
    cJSON_Delete(json);
    json = get("/api/v1/dead", "owner=nobody");
    assert_int_equal(len_at(json, "routes"), 0);
    cJSON_Delete(json);
    close_views();
}

static void
health_tells_what_arrives_and_what_is_lacking(void **state)
{
    uint32_t svc, scope, edge;
    cJSON *json;

    (void)state;
    db_fixture_open(&it.db);
    svc = db_service(&it.db, "svc");
    scope = db_node(&it.db, NODE_SCOPE, 0, "http", "");
    db_service(&it.db, "silent");
    db_route(&it.db, svc, "GET /x");
    db_node(&it.db, NODE_ROUTE, svc, "GET /y", "");
    edge = db_edge(&it.db, 0, svc, EDGE_SEEN, 10);
    db_times(&it.db, edge, FIXTURE_NOW_S - 500, FIXTURE_NOW_S - 5);
    db_edge(&it.db, scope, svc, EDGE_ORPHAN, 4);
    open_views(false);
    json = get("/api/v1/health", "");
    assert_true(cJSON_IsTrue(at(json, "writable")));
    assert_int_equal(number_at(json, "last_span"), FIXTURE_NOW_S - 5);
    assert_int_equal(number_at(json, "first_span"), FIXTURE_NOW_S - 500);
    assert_string_equal(text_at(json, "services|0|name"), "svc");
    assert_int_equal(number_at(json, "services|0|spans"), 10);
    assert_int_equal(number_at(json, "services|0|routes"), 2);
    assert_int_equal(number_at(json, "services|0|reasons|0|count"), 4);
    assert_string_equal(text_at(json, "services|0|reasons|0|scope"), "http");
    assert_true(cJSON_IsNull(at(json, "services|1|last")));
    assert_true(number_at(json, "counts|accepted") >= 0);
    assert_true(number_at(json, "refused|denied") >= 0);
    cJSON_Delete(json);
    json = get("/api/v1/health", "limit=1");
    assert_int_equal(len_at(json, "services"), 1);
    assert_int_equal(number_at(json, "total"), 2);
    cJSON_Delete(json);
    close_views();
}

static void
code_that_cannot_be_read_is_told_beside_the_traces(void **state)
{
    char path[128];
    cJSON *json;

    (void)state;
    make_chain();
    (void)snprintf(path, sizeof(path), "%s/code.db", it.db.dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("this is no database, and long enough to be one", file) >=
                0);
    assert_int_equal(fclose(file), 0);
    open_views(true);
    json = get("/api/v1/graph", "");
    assert_int_equal(len_at(json, "nodes"), 6);
    assert_true(cJSON_IsFalse(at(json, "has_code")));
    assert_true(strlen(text_at(json, "no_code_why")) > 0);
    cJSON_Delete(json);
    cJSON_Delete(get("/api/v1/dead", ""));
    cJSON_Delete(get("/api/v1/search", "q=a"));
    close_views();
}

static void
a_broken_store_is_told(void **state)
{
    static const char *const paths[] = {"/api/v1/graph", "/api/v1/dead",
                                        "/api/v1/health"};

    (void)state;
    make_chain();
    open_views(false);
    db_fixture_sql(&it.db, "DROP TABLE edge");
    for (size_t i = 0; i < 3; i++) {
        struct buf out = {0};
        struct buf why = {0};
        enum err err = try(paths[i], "", &out, &why);

        assert_true(err == ERR_STORE || err == ERR_CORRUPT);
        buf_fini(&out);
        buf_fini(&why);
    }
    close_views();
}

static void
an_empty_store_has_an_empty_answer(void **state)
{
    cJSON *json;

    (void)state;
    db_fixture_open(&it.db);
    open_views(true);
    json = get("/api/v1/graph", "");
    assert_int_equal(len_at(json, "nodes"), 0);
    cJSON_Delete(json);
    json = get("/api/v1/graph", "level=symbol");
    assert_int_equal(len_at(json, "nodes"), 0);
    cJSON_Delete(json);
    json = get("/api/v1/dead", "");
    assert_int_equal(len_at(json, "routes"), 0);
    cJSON_Delete(json);
    json = get("/api/v1/health", "");
    assert_true(cJSON_IsNull(at(json, "last_span")));
    cJSON_Delete(json);
    json = get("/api/v1/search", "q=x");
    assert_int_equal(len_at(json, "found"), 0);
    cJSON_Delete(json);
    close_views();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_focus_shows_so_many_steps_around_it),
        cmocka_unit_test(without_a_focus_the_busiest_part_is_shown),
        cmocka_unit_test(a_window_leaves_out_what_was_not_seen_in_it),
        cmocka_unit_test(
            a_hub_brings_so_many_neighbours_and_says_how_many_more),
        cmocka_unit_test(there_are_never_more_edges_than_so_many_a_node),
        cmocka_unit_test(a_message_counts_once_for_who_receives_it),
        cmocka_unit_test(endpoints_are_found_by_service_name_and_environment),
        cmocka_unit_test(what_is_wrong_is_refused_by_name),
        cmocka_unit_test(a_long_question_is_refused_at_one_byte_too_many),
        cmocka_unit_test(search_finds_every_word_and_what_begins_so_first),
        cmocka_unit_test(any_name_is_text),
        cmocka_unit_test(evidence_tells_code_and_traffic_apart),
        cmocka_unit_test(functions_are_walked_over_code_and_traffic),
        cmocka_unit_test(without_code_functions_are_no_failure_of_the_rest),
        cmocka_unit_test(the_board_is_the_audit_with_owner_and_place),
        cmocka_unit_test(health_tells_what_arrives_and_what_is_lacking),
        cmocka_unit_test(code_that_cannot_be_read_is_told_beside_the_traces),
        cmocka_unit_test(a_broken_store_is_told),
        cmocka_unit_test(an_empty_store_has_an_empty_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
