/*
 * How far up a route is followed, by how many ways, and how long its path may
 * become: at each bound, and one past it.
 */
#include "index/routes_router.h"
#include "tests/index/routes_fixture.h"

LINK_LANG(javascript);

#define HEAD                          \
    "import express from 'express'\n" \
    "const app = express()\n"         \
    "const h = (q, s) => {}\n"        \
    "const r0 = express.Router()\n"   \
    "app.listen(1)\n"

static void
assert_file(struct buf *text, struct buf *expected)
{
    assert_routes(FILES({"a.ts", buf_cstr(text)}), buf_cstr(expected));
    buf_fini(text);
    buf_fini(expected);
}

/* ---- of one route ---- */

static void
assert_long(unsigned length, bool is_known)
{
    struct buf text = {0};
    struct buf expected = {0};
    struct buf prefix = {0};

    for (unsigned i = 0; i + 4 < length; i++)
        buf_add_char(&prefix, i % (ROUTE_PATH_MAX / 2) ? 'x' : '/');
    if (!is_known)
        buf_reset(&prefix);
    buf_add(&text, STR(HEAD "r0.get('/end', h)\nconst m = '/"));
    for (unsigned i = 1; i < ROUTE_PATH_MAX / 2; i++)
        buf_add_char(&text, 'x');
    buf_add(&text, STR("'\nconst n = '/"));
    for (unsigned i = ROUTE_PATH_MAX / 2; i + 5 < length; i++)
        buf_add_char(&text, 'x');
    buf_add(&text, STR("'\napp.use(m + n, r0)\n"));
    buf_printf(&expected, "GET %s/end -> %s/end express h a.ts:6%s\n",
               buf_cstr(&prefix), buf_cstr(&prefix), is_known ? "" : " tail");
    buf_fini(&prefix);
    assert_file(&text, &expected);
}

static void
what_makes_a_path_too_long_is_not_told(void **state)
{
    (void)state;
    assert_long(ROUTE_PATH_MAX, true);
    assert_long(ROUTE_PATH_MAX + 1, false);
}

/* |routers| on each other, the last on the application. */
static void
assert_deep(unsigned routers, bool is_known)
{
    struct buf text = {0};
    struct buf expected = {0};

    buf_add(&text, STR(HEAD "r0.get('/end', h)\n"));
    for (unsigned i = 1; i < routers; i++)
        buf_printf(&text, "const r%u = express.Router()\nr%u.use('/d', r%u)\n",
                   i, i, i - 1);
    buf_printf(&text, "app.use('/d', r%u)\n", routers - 1);
    for (int twice = 0; twice < 2; twice++) {
        buf_add(&expected, twice ? STR(" -> ") : STR("GET "));
        for (unsigned i = 0; is_known && i < routers; i++)
            buf_add(&expected, STR("/d"));
        buf_add(&expected, STR("/end"));
    }
    buf_printf(&expected, " express h a.ts:6%s\n", is_known ? "" : " tail");
    assert_file(&text, &expected);
}

/* The application is a router, too. */
static void
what_is_above_too_many_routers_is_not_known(void **state)
{
    (void)state;
    assert_deep(ROUTE_DEPTH_MAX - 1, true);
    assert_deep(ROUTE_DEPTH_MAX, false);
}

static void
assert_ways(unsigned ways, unsigned told)
{
    struct buf text = {0};
    struct buf expected = {0};

    buf_add(&text, STR(HEAD "r0.get('/end', h)\n"));
    for (unsigned i = 0; i < ways; i++)
        buf_printf(&text, "app.use('/w%u', r0)\n", i);
    for (unsigned i = 0; i < told; i++)
        buf_printf(&expected, "GET /w%u/end -> /w%u/end express h a.ts:6\n", i,
                   i);
    assert_file(&text, &expected);
}

static void
a_route_is_told_by_so_many_ways(void **state)
{
    (void)state;
    assert_ways(ROUTE_WAYS_MAX, ROUTE_WAYS_MAX);
    assert_ways(ROUTE_WAYS_MAX + 1, ROUTE_WAYS_MAX);
}

/* ---- of all routes together ---- */

static void
assert_count(struct buf *text, uint32_t routes)
{
    struct fixture f;

    fixture_open(&f, FILES({"a.ts", buf_cstr(text)}));
    assert_int_equal(fixture_find(&f), OK);
    assert_int_equal(f.build.route_len, routes);
    fixture_close(&f);
    buf_fini(text);
}

/* Routes with all ways that one may have, then one with |last| ways. */
static void
assert_further(unsigned last, unsigned told)
{
    enum { EACH = ROUTE_WAYS_MAX - 1, FULL = ROUTE_FURTHER_WAYS_MAX / EACH };
    struct buf text = {0};

    buf_add(&text, STR(HEAD "const s = express.Router()\n"));
    for (unsigned i = 0; i < FULL; i++)
        buf_printf(&text, "r0.get('/p%u', h)\n", i);
    for (unsigned i = 0; i < ROUTE_WAYS_MAX; i++)
        buf_printf(&text, "app.use('/w%u', r0)\n", i);
    buf_add(&text, STR("s.get('/last', h)\n"));
    for (unsigned i = 0; i < last; i++)
        buf_printf(&text, "app.use('/s%u', s)\n", i);
    assert_count(&text, FULL * ROUTE_WAYS_MAX + told);
}

static void
further_ways_of_many_routes_are_not_told(void **state)
{
    enum { LEFT = ROUTE_FURTHER_WAYS_MAX % (ROUTE_WAYS_MAX - 1) };

    (void)state;
    assert_further(1 + LEFT, 1 + LEFT);
    assert_further(2 + LEFT, 1 + LEFT);
}

/* |routes| in circles, whose ways end nowhere, then one with |WAYS| ways. */
static void
assert_circles(unsigned routes, unsigned told)
{
    enum { ROUTERS = 40, WAYS = 30 };
    struct buf text = {0};

    buf_add(&text, STR(HEAD));
    for (unsigned i = 1; i <= ROUTERS; i++)
        buf_printf(&text, "const r%u = express.Router()\n", i);
    for (unsigned i = 1; i <= ROUTERS; i++)
        buf_printf(&text, "r%u.use('/a', r%u); r%u.use('/b', r%u)\n", i,
                   1 + i % ROUTERS, i, 1 + (i + 1) % ROUTERS);
    for (unsigned i = 0; i < routes; i++)
        buf_printf(&text, "r1.get('/p%u', h)\n", i);
    buf_add(&text, STR("r0.get('/end', h)\n"));
    for (unsigned i = 0; i < WAYS; i++)
        buf_printf(&text, "app.use('/w%u', r0)\n", i);
    assert_count(&text, routes + told);
}

/* Each route in circles takes all steps that one may. */
static void
steps_of_many_routes_in_circles_end(void **state)
{
    enum {
        EACH = ROUTE_DEPTH_MAX * (ROUTE_WAYS_MAX - 1),
        FULL = ROUTE_FURTHER_STEPS_MAX / EACH,
    };

    (void)state;
    assert_circles(FULL, 30);
    assert_circles(FULL + 1, ROUTE_DEPTH_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_makes_a_path_too_long_is_not_told),
        cmocka_unit_test(what_is_above_too_many_routers_is_not_known),
        cmocka_unit_test(a_route_is_told_by_so_many_ways),
        cmocka_unit_test(further_ways_of_many_routes_are_not_told),
        cmocka_unit_test(steps_of_many_routes_in_circles_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
