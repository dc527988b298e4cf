#include "tests/support/search_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "knowledge/document.h"
#include "knowledge/entity.h"
#include "knowledge/source.h"
#include "tests/support/code_fixture.h"
#include "tests/support/dir.h"

struct search_world search_world;

static void
say(struct code_fixture *f, uint32_t node, const char *text)
{
    fixture_words(f, node, text, LITERAL_SAID);
}

/* What the comment tells and the name does not; a route and its handler, with
 * a function in it; an RPC and its declaration. */
static void
make_more(struct code_fixture *f)
{
    uint32_t file = fixture_file(f, "shop/web.js");
    uint32_t proto = fixture_file(f, "shop/ship.proto");
    uint32_t quiet = fixture_function(f, file, "xq7", 30, 0);
    uint32_t handler = fixture_function(f, file, "putBasket", 40, 0);
    uint32_t inner =
        fixture_function(f, file, "putBasket.anonymous1", 41, CODE_ANONYMOUS);

    fixture_words(f, quiet, "Weighs a parcel on the scale.", LITERAL_DOC);
    fixture_words(f, quiet, "voucherLedger", LITERAL_BODY);
    fixture_words(f, inner, "basket was full", LITERAL_SAID);
    fixture_words(f, handler, "Takes a voucher.", LITERAL_DOC);
    fixture_route(f, file, "POST", "/basket", handler, 0);
    fixture_function(f, file, "userLogin", 50, 0);
    fixture_function(f, proto, "Parcels.Track", 3, 0);
    fixture_route(f, proto, "", "shop.Parcels/Track", 0, 0);
}

static void
make_code(void)
{
    struct code_fixture f;

    code_fixture_open(&f, search_world.db.dir);
    uint32_t file = fixture_file(&f, "shop/pay.go");
    uint32_t charge = fixture_function(&f, file, "chargeCard", 3, 0);
    uint32_t refund = fixture_function(&f, file, "refundCard", 10, 0);
    uint32_t tests =
        fixture_function(&f, file, "testChargeCard", 20, CODE_TEST);
    say(&f, charge, "card %s was declined: code {code}");
    say(&f, charge, "PAY_GATEWAY_URL");
    say(&f, refund, "cannot refund twice");
    fixture_call(&f, refund, charge);
    fixture_call(&f, tests, charge);
    make_more(&f);
    code_drop(code_fixture_load(&f));
}

static void
write_page(const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", search_world.docs, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int64_t
add(const char *type, const char *title, const char *content)
{
    struct object object = {0};
    bool is_new;
    const struct entity_new entity = {
        .type = type, .title = str_of(title), .content = str_of(content)};

    assert_int_equal(
        entity_add(&search_world.moment, &entity, &object, &is_new), OK);
    assert_int_equal(entity_index(&search_world.moment, object.oid), OK);
    int64_t oid = object.oid;
    object_fini(&object);
    return oid;
}

static enum err
begin(void *ctx, struct moment *moment, bool writes)
{
    (void)ctx;
    *moment = (struct moment){.view = search_world.view,
                              .now_s = FIXTURE_NOW_S,
                              .why = &search_world.why};
    return writes ? knowledge_write(search_world.knowledge, moment)
                  : knowledge_read(search_world.knowledge, moment);
}

static enum err
end(void *ctx, struct moment *moment, enum err err)
{
    (void)ctx;
    return knowledge_end(search_world.knowledge, moment, err);
}

static void
make_knowledge(void)
{
    const struct source_host host = {.knowledge = search_world.knowledge,
                                     .why = &search_world.why,
                                     .begin = begin,
                                     .end = end};
    struct object source = {0};
    cJSON *data = cJSON_CreateObject();

    write_page("outage.md",
               "# Outage\n\nWhen the gateway is down.\n\n## Declined cards\n\n"
               "Look for ECONNREFUSED and E1042; restart with --no-cache.\n\n"
               "## Declined again\n\nDeclined cards are tried again.\n");
    assert_int_equal(
        knowledge_write(search_world.knowledge, &search_world.moment), OK);
    assert_int_equal(
        source_of_url(&search_world.moment, str_of(search_world.docs), &source),
        OK);
    assert_int_equal(
        knowledge_end(search_world.knowledge, &search_world.moment, OK), OK);
    if (source_crawl(&host, source.oid, data))
        fail_msg("%s", buf_cstr(&search_world.why));
    assert_int_equal(
        knowledge_write(search_world.knowledge, &search_world.moment), OK);
    search_world.old =
        add("rule", "Retry three times", "Retry a charge three times.");
    add("rule", "Retry once", "Retry a charge once, and then give up.");
    assert_int_equal(entity_expire(&search_world.moment, search_world.old,
                                   search_world.moment.now_s - 10),
                     OK);
    assert_int_equal(
        knowledge_end(search_world.knowledge, &search_world.moment, OK), OK);
    object_fini(&source);
    cJSON_Delete(data);
}

int
search_world_setup(void **state)
{
    (void)state;
    memset(&search_world, 0, sizeof(search_world));
    db_fixture_open(&search_world.db);
    dir_make(search_world.docs);
    uint32_t checkout = db_service(&search_world.db, "checkout");
    uint32_t buy = db_route(&search_world.db, checkout, "POST /buy");
    db_edge(&search_world.db, 0, buy, EDGE_TRAFFIC, 20);
    make_code();
    assert_int_equal(query_open(&search_world.query, search_world.db.dir,
                                &query_cfg_default, &search_world.why),
                     OK);
    assert_int_equal(
        query_begin(search_world.query, FIXTURE_NOW_S, &search_world.view), OK);
    assert_int_equal(world_open(&search_world.world, search_world.db.dir), OK);
    assert_int_equal(knowledge_open(&search_world.knowledge,
                                    search_world.db.dir,
                                    &knowledge_cfg_default),
                     OK);
    search_world.moment = (struct moment){.view = search_world.view,
                                          .now_s = FIXTURE_NOW_S,
                                          .why = &search_world.why};
    assert_int_equal(world_hold(search_world.world, search_world.view,
                                &search_world.moment.joined, &search_world.why),
                     OK);
    make_knowledge();
    assert_int_equal(
        knowledge_read(search_world.knowledge, &search_world.moment), OK);
    assert_int_equal(near_open(&search_world.near, &search_world.moment), OK);
    return 0;
}

int
search_world_teardown(void **state)
{
    (void)state;
    search_hits_fini(&search_world.hits);
    near_close(search_world.near);
    (void)knowledge_end(search_world.knowledge, &search_world.moment, OK);
    world_drop(search_world.moment.joined);
    world_close(search_world.world);
    query_end(search_world.view);
    query_close(search_world.query);
    knowledge_close(search_world.knowledge);
    buf_fini(&search_world.why);
    dir_remove(search_world.docs);
    db_fixture_close(&search_world.db);
    return 0;
}
