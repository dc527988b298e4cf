/*
 * Disclosure: for every kind of object each level shows what it must, and
 * nothing of a later one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/hash.h"
#include "knowledge/entity.h"
#include "tests/support/ask_tools.h"
#include "tests/support/code_fixture.h"
#include "tests/support/context_shop.h"
#include "tests/support/dir.h"

enum { IDS_MAX = 80, LEVELS = 5 };

static struct {
    struct context_shop shop;
    char docs[64];
    char ids[IDS_MAX][160];
    size_t len;
} rig;

/* What a level may have more than the one before. */
static const char *const allowed[LEVELS] = {
    " id type level hop score ",
    " name description domain tags state ",
    " links calls_30d last_observed ",
    " sections signature file line handler top_callers routes contains callers "
    "callees code service env distinct_estimate edges_in edges_out ",
    " content metadata hash world provenance source daily valid_from "
    "valid_until revision created_at updated_at NodeHash ",
};
/* What each kind has from that level on. */
static const char *const needed[LEVELS] = {
    "id type level", "name description domain tags", "links",
    "sections",      "metadata provenance world",
};
/* What some kinds have besides: `kind level members`. */
static const struct {
    const char *id; /* begins with it */
    int level;
    const char *members;
} more[] = {
    {"service:", 1, "state"},
    {"service:", 2, "calls_30d last_observed"},
    {"service:", 3, "routes top_callers"},
    {"service:", 4, "daily hash"},
    {"route:", 1, "state"},
    {"route:", 2, "calls_30d last_observed"},
    {"route:", 3, "handler signature file line top_callers"},
    {"route:", 4, "daily hash"},
    {"rpc:", 3, "handler signature file line top_callers"},
    {"topic:", 3, "top_callers"},
    {"database:", 2, "calls_30d"},
    {"external:", 1, "state"},
    {"func:github.com/acme/shop://checkout.Buy", 1, "state"},
    {"func:github.com/acme/shop://checkout.Buy", 2, "calls_30d last_observed"},
    {"func:", 3, "signature file line top_callers"},
    {"func:github.com/acme/shop://checkout.Buy", 3, "routes"},
    {"func:", 4, "source hash"},
    {"class:", 4, "source hash"},
    {"file:", 4, "hash"},
    {"repo:", 4, "hash"},
    {"rule_", 4, "content valid_from revision created_at"},
    {"task_", 4, "content revision"},
    {"source_", 4, "content"},
    {"document_", 4, "content"},
    {"chunk_", 4, "content"},
};

static void
keep(const char *id)
{
    assert_true(rig.len < IDS_MAX);
    snprintf(rig.ids[rig.len++], sizeof(rig.ids[0]), "%s", id);
}

static void
keep_added(const char *args)
{
    cJSON *out = ask(rig.shop.tools, "add", args);

    keep(text_at(out, "id"));
    cJSON_Delete(out);
}

/* One of each type that can be added. */
static void
add_all(void)
{
    char args[320];
    char project[64];

    cJSON *out = ask(rig.shop.tools, "add",
                     "{\"title\":\"Shop\",\"content\":\"All of it.\","
                     "\"entity_type\":\"project\"}");
    snprintf(project, sizeof(project), "%s", text_at(out, "id"));
    cJSON_Delete(out);
    for (size_t i = 0; entity_types[i]; i++) {
        const char *type = entity_types[i];
        bool is_task = strcmp(type, "task") == 0 || strcmp(type, "epic") == 0;

        snprintf(args, sizeof(args),
                 "{\"title\":\"One %s\",\"content\":\"https://x.example/%s\","
                 "\"entity_type\":\"%s\",\"tags\":[\"blue\"]%s%s%s}",
                 type, type, type, is_task ? ",\"project\":\"" : "",
                 is_task ? project : "", is_task ? "\"" : "");
        keep_added(args);
    }
}

static void
crawl(void)
{
    char text[256];

    dir_make(rig.docs);
    snprintf(text, sizeof(text), "%s/a.md", rig.docs);
    FILE *file = fopen(text, "w");
    assert_non_null(file);
    fputs("# Buying\n\nPOST /buy takes the money.\n", file);
    fclose(file);
    snprintf(text, sizeof(text), "{\"action\":\"crawl\",\"url\":\"%s\"}",
             rig.docs);
    cJSON *out = ask(rig.shop.tools, "manage", text);
    keep(text_at(out, "data|source_id"));
    cJSON_Delete(out);
    out = ask(rig.shop.tools, "search",
              "{\"query\":\"money\",\"types\":[\"document\"]}");
    cJSON_Delete(out);
    out = ask(rig.shop.tools, "explore", "{\"types\":[\"document\"]}");
    const cJSON *row;
    cJSON_ArrayForEach(row, at(out, "entities"))
    {
        if (strcmp(text_at(row, "name"), "Buying") == 0) {
            keep(text_at(row, "id"));
            snprintf(text, sizeof(text), "chunk_%s_0",
                     text_at(row, "id") + strlen("document_"));
            keep(text);
        }
    }
    cJSON_Delete(out);
}

static int
open_shop(void **state)
{
    struct db_fixture *db = &rig.shop.db;

    (void)state;
    memset(&rig, 0, sizeof(rig));
    context_shop_open(&rig.shop);
    uint32_t base = db_node(db, NODE_DATABASE, 0, "pg1:5432", "");
    db_edge(db, rig.shop.pay, base, EDGE_DB, 3);
    uint32_t eats =
        db_node(db, NODE_CONSUMER, rig.shop.pay, "kafka:orders", "");
    db_edge(db, rig.shop.topic, eats, EDGE_MSG_SUB, 3);
    db_node(db, NODE_SYMBOL, rig.shop.pay, "charge_it", "");
    uint32_t seen = db_edge(db, 0, rig.shop.buy, EDGE_TRAFFIC, 20);
    db_daily(db, seen, FIXTURE_DAY - 20, FIXTURE_DAY, 10, 1);
    db_daily(db, rig.shop.cart_to_buy, FIXTURE_DAY - 20, FIXTURE_DAY, 10, 1);
    uint32_t gone = db_route(db, rig.shop.checkout, "GET /gone");
    uint32_t was = db_edge(db, 0, gone, EDGE_TRAFFIC, 20);
    db_daily(db, was, FIXTURE_DAY - 80, FIXTURE_DAY - 60, 10, 1);
    context_shop_know(&rig.shop);
    static const char *const fixed[] = {
        "service:checkout",
        "route:checkout:POST /buy",
        "rpc:pay:pay.Pay/Charge",
        "consumer:pay:kafka:orders",
        "topic:kafka:orders",
        "database:pg1:5432",
        "external:user",
        "symbol:pay:charge_it",
        "func:" CONTEXT_SHOP_URL "://checkout.Buy",
        "func:" CONTEXT_SHOP_URL "://util.Log",
        "class:" CONTEXT_SHOP_URL "://checkout.Order",
        "repo:" CONTEXT_SHOP_URL,
    };
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        keep(fixed[i]);
    add_all();
    crawl();
    return 0;
}

static int
close_shop(void **state)
{
    (void)state;
    context_shop_close(&rig.shop);
    dir_remove(rig.docs);
    return 0;
}

static bool
has_word(const char *words, const char *word)
{
    char padded[64];

    snprintf(padded, sizeof(padded), " %s ", word);
    return strstr(words, padded) != NULL;
}

static void
must_have(const cJSON *node, const char *members, const char *id, int level)
{
    char copy[128];

    snprintf(copy, sizeof(copy), "%s", members);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        if (!cJSON_HasObjectItem(node, word))
            fail_msg("%s at level %d has no %s: %s", id, level, word,
                     cJSON_PrintUnformatted(node));
}

static void
judge(const cJSON *node, const char *id, int level)
{
    assert_string_equal(text_at(node, "id"), id);
    assert_int_equal((int)number_at(node, "level"), level);
    for (const cJSON *item = node->child; item; item = item->next) {
        bool is_allowed = false;

        for (int i = 0; i <= level; i++)
            is_allowed |= has_word(allowed[i], item->string);
        if (!is_allowed)
            fail_msg("%s at level %d tells %s", id, level, item->string);
    }
    for (int i = 0; i <= level; i++)
        must_have(node, needed[i], id, level);
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
        if (strncmp(id, more[i].id, strlen(more[i].id)) == 0 &&
            more[i].level <= level)
            must_have(node, more[i].members, id, level);
}

static void
every_kind_shows_what_its_level_allows_and_no_more(void **state)
{
    (void)state;
    assert_true(rig.len > 50);
    for (size_t i = 0; i < rig.len; i++)
        for (int level = 0; level < LEVELS; level++) {
            char args[256];

            snprintf(args, sizeof(args),
                     "{\"nodeId\":\"%s\",\"disclosureLevel\":%d}", rig.ids[i],
                     level);
            cJSON *out = ask(rig.shop.tools, "graph_node", args);
            judge(at(out, "node"), rig.ids[i], level);
            cJSON_Delete(out);
            snprintf(args, sizeof(args),
                     "{\"seedNodeId\":\"%s\",\"disclosureLevel\":%d,"
                     "\"maxDepth\":1}",
                     rig.ids[i], level);
            out = ask(rig.shop.tools, "graph_traverse", args);
            judge(at(out, "path|0"), rig.ids[i], level);
            cJSON_Delete(out);
        }
}

static void
what_is_shown_is_true(void **state)
{
    (void)state;
    cJSON *out = ask(rig.shop.tools, "graph_node",
                     "{\"nodeId\":\"route:checkout:POST /buy\","
                     "\"disclosureLevel\":4}");
    const cJSON *node = at(out, "node");
    assert_string_equal(text_at(node, "handler"),
                        "func:" CONTEXT_SHOP_URL "://checkout.Buy");
    assert_string_equal(text_at(node, "file"), "checkout/buy.go");
    assert_string_equal(text_at(node, "top_callers|0|id"),
                        "func:" CONTEXT_SHOP_URL "://web.ShowCart");
    assert_int_equal(len_at(node, "daily"), 21);
    assert_int_equal((int)number_at(node, "daily|0|calls"), 10);
    assert_string_equal(text_at(node, "provenance|by"), "otel_trace");
    cJSON_Delete(out);
    out =
        ask(rig.shop.tools, "graph_node", "{\"nodeId\":\"service:checkout\"}");
    assert_string_equal(text_at(out, "node|routes|0"),
                        "route:checkout:POST /buy");
    cJSON_Delete(out);
    char args[256];
    snprintf(args, sizeof(args), "{\"nodeId\":\"%s\",\"disclosureLevel\":4}",
             rig.ids[rig.len - 2]);
    out = ask(rig.shop.tools, "graph_node", args);
    assert_string_equal(text_at(out, "node|content"),
                        "# Buying\n\nPOST /buy takes the money.\n");
    assert_string_equal(text_at(out, "node|description"),
                        "# Buying POST /buy takes the money.");
    assert_string_equal(text_at(out, "node|metadata|url"), "a.md");
    assert_string_equal(text_at(out, "node|metadata|section_path|0"), "Buying");
    assert_string_equal(text_at(out, "node|sections|0|heading"), "Buying");
    cJSON_Delete(out);
}

/* The row of |id| in a list that was made with the facts of all nodes. */
static const cJSON *
listed(const cJSON *list, const char *id)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, at(list, "entities"))
    {
        const cJSON *facts = at(row, "metadata");

        if (strcmp(text_at(row, "id"), id) == 0)
            return cJSON_GetObjectItem(facts, "last_observed") ? facts : NULL;
    }
    return NULL;
}

static size_t
same_as_listed(const cJSON *list, const cJSON *rows)
{
    const cJSON *row;
    size_t met = 0;

    cJSON_ArrayForEach(row, rows)
    {
        const cJSON *whole = listed(list, text_at(row, "id"));

        if (!whole)
            continue;
        met++;
        assert_string_equal(text_at(row, "state"), text_at(whole, "state"));
        if (!cJSON_GetObjectItem(row, "links"))
            continue;
        assert_true(number_at(row, "calls_30d") ==
                    number_at(whole, "calls_30d"));
        assert_true(cJSON_Compare(at(row, "last_observed"),
                                  at(whole, "last_observed"), true));
    }
    return met;
}

/* Facts that were read of one, of a few and of all nodes are the same. */
static void
what_is_said_of_some_is_what_is_said_of_all(void **state)
{
    cJSON *list = ask(rig.shop.tools, "explore",
                      "{\"types\":[\"service\",\"route\",\"rpc\",\"topic\","
                      "\"database\",\"external\"],\"limit\":200}");
    size_t walked = 0;
    bool is_any_dead = false;
    const cJSON *row;
    cJSON *out;

    (void)state;
    assert_true(ask_len(list, "entities") > 8);
    cJSON_ArrayForEach(row, at(list, "entities"))
    {
        char args[256];

        snprintf(args, sizeof(args),
                 "{\"nodeId\":\"%s\",\"disclosureLevel\":2}",
                 text_at(row, "id"));
        const cJSON *facts = listed(list, text_at(row, "id"));
        is_any_dead |= facts && strcmp(text_at(facts, "state"), "dead") == 0;
        out = ask(rig.shop.tools, "graph_node", args);
        cJSON *one = cJSON_CreateArray();
        cJSON_AddItemReferenceToArray(one, cJSON_GetObjectItem(out, "node"));
        assert_int_equal(same_as_listed(list, one), facts != NULL);
        cJSON_Delete(one);
        cJSON_Delete(out);
        snprintf(args, sizeof(args),
                 "{\"seedNodeId\":\"%s\",\"disclosureLevel\":2,"
                 "\"direction\":\"both\"}",
                 text_at(row, "id"));
        out = ask(rig.shop.tools, "graph_traverse", args);
        walked += same_as_listed(list, at(out, "path"));
        cJSON_Delete(out);
    }
    assert_true(is_any_dead); /* which only its audit can tell */
    assert_true(walked > (size_t)ask_len(list, "entities"));
    out = ask(rig.shop.tools, "graph_search", "{\"query\":\"checkout buy\"}");
    assert_true(same_as_listed(list, at(out, "results")) > 1);
    cJSON_Delete(out);
    out = ask(rig.shop.tools, "graph_search", "{\"query\":\"\"}");
    assert_true(same_as_listed(list, at(out, "results")) > 1);
    cJSON_Delete(out);
    cJSON_Delete(list);
}

/* A repository holds files of many languages and is in none, though it is found
 * beside what is linked to it. */
static void
a_repository_is_in_no_language(void **state)
{
    bool is_found = false;
    const cJSON *row;

    (void)state;
    cJSON *out = ask(rig.shop.tools, "add",
                     "{\"title\":\"Zebra\",\"content\":\"Zebras are striped.\","
                     "\"related_to\":[\"repo:" CONTEXT_SHOP_URL "\"]}");
    cJSON_Delete(out);
    out = ask(rig.shop.tools, "search", "{\"query\":\"zebra\"}");
    cJSON_ArrayForEach(row, at(out, "results"))
    {
        is_found |= strcmp(text_at(row, "type"), "repo") == 0;
    }
    assert_true(is_found);
    cJSON_Delete(out);
    out = ask(rig.shop.tools, "search",
              "{\"query\":\"zebra\",\"language\":\"cobol\"}");
    assert_int_equal(ask_len(out, "results"), 0);
    cJSON_Delete(out);
}

/* The file as it was indexed is shown; another of that name is not. */
static void
lines_are_shown_of_the_file_that_was_indexed_alone(void **state)
{
    static const char text[] = "import os\n\ndef ask():\n    return 1\n\n\nx\n";
    const char *paths[] = {rig.docs};
    struct code_fixture f;
    struct buf why = {0};
    char path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/app.py", rig.docs);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    code_fixture_open(&f, rig.shop.db.dir);
    uint32_t app = fixture_file(&f, "app.py");
    hash_git_blob(str_of(text), f.build.files[app].blob);
    (void)fixture_function(&f, app, "ask", 3, 0);
    code_drop(code_fixture_load(&f));
    const struct tools_cfg cfg = {.query = rig.shop.query,
                                  .world = rig.shop.world,
                                  .knowledge = rig.shop.knowledge,
                                  .index_paths = paths,
                                  .index_path_len = 1,
                                  .version = "1.0",
                                  .toolsets = "all"};
    struct tools *tools;
    assert_int_equal(tools_new(&tools, &cfg, &why), OK);
    for (int round = 0; round < 2; round++) {
        cJSON *out = ask(tools, "graph_node",
                         "{\"nodeId\":\"func:ask\",\"disclosureLevel\":4}");
        if (round)
            assert_true(cJSON_IsNull(at(out, "node|source|text")));
        else
            assert_string_equal(text_at(out, "node|source|text"),
                                "def ask():\n    return 1\n\n\n");
        cJSON_Delete(out);
        file = fopen(path, "a");
        assert_non_null(file);
        fputs("y\n", file);
        fclose(file);
    }
    tools_free(tools);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_shows_what_its_level_allows_and_no_more),
        cmocka_unit_test(what_is_shown_is_true),
        cmocka_unit_test(what_is_said_of_some_is_what_is_said_of_all),
        cmocka_unit_test(a_repository_is_in_no_language),
        cmocka_unit_test(lines_are_shown_of_the_file_that_was_indexed_alone),
    };

    return cmocka_run_group_tests(tests, open_shop, close_shop);
}
