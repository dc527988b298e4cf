/*
 * The checklist, row by row, over one shop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "knowledge/entity.h"
#include "knowledge/knowledge.h"
#include "mcp/tools.h"
#include "mcp/tools_parts.h"
#include "tests/support/db_fixture.h"
#include "tests/support/dir.h"
#include "tests/support/knowledge_rows.h"

enum { KEPT_MAX = 32 };

static struct {
    struct db_fixture db;
    struct query *query;
    struct knowledge *knowledge;
    struct tools *tools;
    char docs[64];
    struct {
        char name[16];
        char id[128];
    } kept[KEPT_MAX];
    size_t kept_len;
    uint32_t checkout;
} shop;

static uint32_t
fixed_now(void *ctx)
{
    (void)ctx;
    return FIXTURE_NOW_S;
}

static void
keep(const char *name, const char *id)
{
    assert_true(shop.kept_len < KEPT_MAX);
    snprintf(shop.kept[shop.kept_len].name, 16, "%s", name);
    snprintf(shop.kept[shop.kept_len++].id, 128, "%s", id);
}

static void
write_file(const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", shop.docs, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int
open_shop(void **state)
{
    struct buf why = {0};
    struct db_fixture *db = &shop.db;

    (void)state;
    memset(&shop, 0, sizeof(shop));
    db_fixture_open(db);
    shop.checkout = db_service(db, "checkout");
    uint32_t web = db_service(db, "web");
    uint32_t cart = db_route(db, web, "GET /cart/{}");
    uint32_t buy = db_route(db, shop.checkout, "POST /buy");
    db_edge(db, cart, buy, EDGE_CALL, 20);
    uint32_t seen = db_edge(db, 0, shop.checkout, EDGE_SEEN, 40);
    uint32_t traffic = db_edge(db, 0, buy, EDGE_TRAFFIC, 20);
    db_daily(db, seen, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_daily(db, traffic, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_declare(db, shop.checkout, "GET", "/old", 1);
    assert_int_equal(query_open(&shop.query, db->dir, &query_cfg_default, &why),
                     OK);
    assert_int_equal(
        knowledge_open(&shop.knowledge, db->dir, &knowledge_cfg_default), OK);
    const struct tools_cfg cfg = {.query = shop.query,
                                  .knowledge = shop.knowledge,
                                  .version = "1.0",
                                  .toolsets = "sibyl"};
    assert_int_equal(tools_new(&shop.tools, &cfg, &why), OK);
    tools_set_clock(shop.tools, fixed_now, NULL);
    dir_make(shop.docs);
    write_file("a.md", "# Buying\n\nPOST /buy takes the money.\n");
    write_file("b.md", "# Other\n\nNothing to see.\n");
    write_file("c.png", "no text");
    keep("dir", shop.docs);
    return 0;
}

static int
close_shop(void **state)
{
    (void)state;
    tools_free(shop.tools);
    knowledge_close(shop.knowledge);
    query_close(shop.query);
    dir_remove(shop.docs);
    db_fixture_close(&shop.db);
    return 0;
}

/* |text| with what was kept in place of `$name`; the caller frees. */
static char *
fill_in(const char *text)
{
    struct buf out = {0};

    while (*text) {
        size_t best = KEPT_MAX;

        for (size_t i = 0; *text == '$' && i < shop.kept_len; i++) {
            size_t len = strlen(shop.kept[i].name);

            if (strncmp(text + 1, shop.kept[i].name, len) == 0 &&
                (best == KEPT_MAX || len > strlen(shop.kept[best].name)))
                best = i;
        }
        if (best == KEPT_MAX) {
            buf_add_char(&out, *text++);
            continue;
        }
        buf_add(&out, str_of(shop.kept[best].id));
        text += 1 + strlen(shop.kept[best].name);
    }
    char *copy = strdup(buf_cstr(&out));
    buf_fini(&out);
    return copy;
}

static const cJSON *
at_pointer(const cJSON *json, const char *pointer)
{
    char part[64];

    while (*pointer == '/' && json) {
        size_t len = strcspn(pointer + 1, "/");

        snprintf(part, sizeof(part), "%.*s", (int)len, pointer + 1);
        json = cJSON_IsArray(json)
                   ? cJSON_GetArrayItem(json, atoi(part))
                   : cJSON_GetObjectItemCaseSensitive(json, part);
        pointer += 1 + len;
    }
    return json;
}

static bool
is_value(const cJSON *json, const char *value)
{
    char *text = cJSON_IsString(json) ? strdup(json->valuestring)
                                      : cJSON_PrintUnformatted(json);
    bool is = text &&
              (*value == '~' ? strncmp(text, value + 1, strlen(value + 1)) == 0
                             : strcmp(text, value) == 0);

    free(text);
    return is;
}

static void
check(const struct row *row, const cJSON *out, const char *why)
{
    for (size_t i = 0; i < ROW_CHECKS && row->checks[i].pointer; i++) {
        const char *pointer = row->checks[i].pointer;
        char *value = fill_in(row->checks[i].value);
        bool is = *pointer == '!'
                      ? !out && strstr(why, value)
                      : out && is_value(at_pointer(out, pointer), value);

        if (!is) {
            char *text = cJSON_PrintUnformatted(out);

            fail_msg("%s: %s is not %s in %s %s", row->name, pointer, value,
                     text ? text : "", why);
        }
        free(value);
    }
}

static cJSON *
run(const struct row *row, struct buf *why)
{
    char *text = fill_in(row->args);
    cJSON *args = cJSON_Parse(text);
    cJSON *out;

    if (!args)
        fail_msg("%s: bad arguments %s", row->name, text);
    (void)tools_call(shop.tools, row->tool, args, &out, why);
    cJSON_Delete(args);
    free(text);
    return out;
}

static void
every_row_of_the_checklist_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < row_len; i++) {
        struct buf why = {0};
        cJSON *out = run(&rows[i], &why);
        const cJSON *source = at_pointer(out, "/data/source_id");

        check(&rows[i], out, buf_cstr(&why));
        if (rows[i].keep)
            keep(rows[i].keep, at_pointer(out, "/id")->valuestring);
        if (source)
            keep("source", source->valuestring);
        cJSON_Delete(out);
        buf_fini(&why);
    }
}

static void
every_type_can_be_added(void **state)
{
    (void)state;
    for (size_t i = 0; entity_types[i]; i++) {
        char args[256];
        const struct row row = {
            entity_types[i], "add", args, NULL, {{"/success", "true"}}};
        struct buf why = {0};

        if (strcmp(entity_types[i], "task") == 0)
            continue; /* in the rows: it needs a project */
        snprintf(args, sizeof(args),
                 "{\"title\":\"A %s\",\"content\":\"https://x.example/%s\","
                 "\"entity_type\":\"%s\"}",
                 entity_types[i], entity_types[i], entity_types[i]);
        cJSON *out = run(&row, &why);
        check(&row, out, buf_cstr(&why));
        cJSON_Delete(out);
        buf_fini(&why);
    }
}

static void
a_limit_holds_at_it_and_not_one_past_it(void **state)
{
    static const struct {
        int title;
        int content;
        const char *why;
    } cases[] = {
        {200, 50000, NULL},
        {201, 1, "Title exceeds 200 characters"},
        {1, 50001, "Content exceeds 50000 characters"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buf args = {0};
        struct buf why = {0};

        buf_printf(&args, "{\"title\":\"%0*d\",\"content\":\"%0*d\"}",
                   cases[i].title, 7, cases[i].content, 7);
        const struct row row = {"limit", "add", buf_cstr(&args), NULL, {{0}}};
        cJSON *out = run(&row, &why);
        if (cases[i].why)
            assert_non_null(strstr(buf_cstr(&why), cases[i].why));
        else
            assert_non_null(out);
        cJSON_Delete(out);
        buf_fini(&args);
        buf_fini(&why);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_row_of_the_checklist_holds,
                                        open_shop, close_shop),
        cmocka_unit_test_setup_teardown(every_type_can_be_added, open_shop,
                                        close_shop),
        cmocka_unit_test_setup_teardown(a_limit_holds_at_it_and_not_one_past_it,
                                        open_shop, close_shop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
