/*
 * What fits is found: against trying every pair, with paths of few letters, so
 * that prefixes and templates meet often.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/audit_candidate.h"
#include "graph/join.h"
#include "graph/join_index.h"
#include "tests/support/code_fixture.h"
#include "tests/support/db_fixture.h"
#include "tests/support/dir.h"

enum { ROUTES = 300, ASKED = 300, MANY = 10000 };

static uint32_t seed = 12345;

static uint32_t
below(uint32_t limit)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % limit;
}

/* `/a/{}/bb`, sometimes with an open end, sometimes the root. */
static void
random_path(struct buf *out, bool may_be_open)
{
    static const char *const words[] = {"a", "b", "ab", "{}", "{}", "v1"};
    uint32_t len = below(5);

    buf_reset(out);
    for (uint32_t i = 0; i < len; i++)
        buf_printf(out, "/%s", words[below(6)]);
    if (may_be_open && below(8) == 0)
        buf_add(out, STR("/{**}"));
    if (out->len == 0)
        buf_add_char(out, '/');
}

static bool
is_listed(const struct ids *ids, uint32_t route)
{
    for (size_t i = 0; i < ids->len; i++)
        if (ids->ids[i] == route)
            return true;
    return false;
}

static void
check_one(const struct code *code, const struct join_index *index,
          const struct query_node *asked, struct ids *found)
{
    struct buf text = {0};

    assert_int_equal(join_index_find(index, asked, found, &text), OK);
    for (size_t i = 1; i < found->len; i++)
        assert_true(found->ids[i - 1] < found->ids[i]);
    for (uint32_t i = 0; i < code->route_len; i++) {
        struct route_name declared = {
            code->routes[i].method, route_path_trim(code->routes[i].canonical)};
        if (route_fits(declared, route_name_of(asked->name), true) &&
            !is_listed(found, i))
            fail_msg("%.*s does not find %.*s", (int)asked->name.len,
                     asked->name.ptr, (int)declared.path.len,
                     declared.path.ptr);
    }
    buf_fini(&text);
}

static void
nothing_that_fits_is_left_out(void **state)
{
    struct code_fixture fixture;
    struct ids found = {0};
    struct join_index index;
    struct buf path = {0};
    struct buf name = {0};
    char dir[64];

    (void)state;
    dir_make(dir);
    code_fixture_open(&fixture, dir);
    uint32_t file = fixture_file(&fixture, "a.py");
    for (int i = 0; i < ROUTES; i++) {
        random_path(&path, true);
        fixture_route(&fixture, file, "GET", buf_cstr(&path), 0, 0);
    }
    const struct code *code = code_fixture_load(&fixture);
    assert_int_equal(join_index_make(&index, code), OK);
    for (int i = 0; i < ASKED; i++) {
        random_path(&path, false);
        buf_reset(&name);
        buf_printf(&name, "GET %s", buf_cstr(&path));
        const struct query_node asked = {.kind = NODE_ROUTE,
                                         .name = buf_str(&name)};
        check_one(code, &index, &asked, &found);
    }
    join_index_fini(&index);
    ids_fini(&found);
    code_drop(code);
    buf_fini(&path);
    buf_fini(&name);
    dir_remove(dir);
}

/* One service with all of them: ten thousand of each are joined at once. */
static void
ten_thousand_routes_meet_as_many_endpoints(void **state)
{
    struct db_fixture db;
    struct code_fixture fixture;
    struct query *query = NULL;
    struct query_view *view = NULL;
    struct join *join = NULL;
    struct buf why = {0};
    char path[64];
    char name[80];

    (void)state;
    db_fixture_open(&db);
    code_fixture_open(&fixture, db.dir);
    fixture_service(&fixture, "shop", "");
    uint32_t shop = db_service(&db, "shop");
    uint32_t file = fixture_file(&fixture, "app.py");
    uint32_t first = db.nodes + 1;
    db_fixture_sql(&db, "BEGIN");
    for (uint32_t i = 0; i < MANY; i++) {
        (void)snprintf(path, sizeof(path), "/area%u/{}/part%u", i % 97, i);
        (void)snprintf(name, sizeof(name), "GET %s", path);
        uint32_t handler =
            fixture_function(&fixture, file, path + 1, 10 * i + 10, 0);
        fixture_route(&fixture, file, "GET", path, handler, 0);
        (void)db_route(&db, shop, name);
    }
    db_fixture_sql(&db, "COMMIT");
    const struct code *code = code_fixture_load(&fixture);
    assert_int_equal(query_open(&query, db.dir, &query_cfg_default, &why), OK);
    assert_int_equal(query_begin(query, FIXTURE_NOW_S, &view), OK);
    uint64_t before = clock_mono_ns();
    assert_int_equal(join_make(&join, view, code), OK);
    uint64_t took = clock_mono_ns() - before;
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(join_of(join, first + i)->how, JOIN_ROUTE);
    print_message("joined in %u ms\n", (unsigned)(took / 1000000));
    assert_true(took < 5 * (uint64_t)NS_PER_S);
    join_free(join);
    code_drop(code);
    query_end(view);
    query_close(query);
    db_fixture_close(&db);
    buf_fini(&why);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_that_fits_is_left_out),
        cmocka_unit_test(ten_thousand_routes_meet_as_many_endpoints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
