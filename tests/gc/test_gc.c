#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "gc/gc.h"
#include "store/edge_rows.h"
#include "tests/support/dir.h"

#define DAY_NS   (86400 * NS_PER_S)
#define START_NS (20000 * DAY_NS)

static char dir[64];

static struct gc_cfg
sweeping(void)
{
    return (struct gc_cfg){.interval_ns = NS_PER_S,
                           .eligible_after_ns = 90 * DAY_NS,
                           .grace_ns = 7 * DAY_NS,
                           .sweep = true};
}

static enum err
write_directly(void *ctx, gc_work_fn *work, void *work_ctx)
{
    struct store *store = ctx;
    enum err err = store_begin(store);

    if (!err)
        err = work(work_ctx, store);
    if (!err)
        return store_commit(store);
    store_rollback(store);
    return err;
}

static enum err
refuse(void *ctx, gc_work_fn *work, void *work_ctx)
{
    int *calls = ctx;

    (void)work;
    (void)work_ctx;
    ++*calls;
    return ERR_STORE;
}

static struct store *
new_store(void)
{
    struct store *store = NULL;
    struct buf why = {0};
    char path[80];

    (void)snprintf(path, sizeof(path), "%s/db", dir);
    dir_remove(path);
    assert_int_equal(store_open(&store, path, STORE_SYNC_OS, START_NS, &why),
                     OK);
    buf_fini(&why);
    return store;
}

static void
add_edge(struct store *store, uint32_t id, uint32_t last_day)
{
    const struct edge_delta edge = {
        .id = id,
        .key = {.src = id, .dst = id + 1, .kind = EDGE_CALL},
        .count = 1,
        .first_s = S_PER_DAY,
        .last_s = last_day * S_PER_DAY,
        .is_new = true,
    };
    const struct bucket_delta day = {
        .edge = id, .number = last_day, .count = 1, .hours = 1};

    assert_int_equal(store_begin(store), OK);
    assert_int_equal(store_add_edge(store, &edge), OK);
    assert_int_equal(store_add_day(store, &day), OK);
    assert_int_equal(store_commit(store), OK);
}

struct found {
    uint32_t edges;
    uint32_t first_s;
    uint32_t last_s;
};

static enum err
note_edge(void *ctx, const struct edge_delta *edge)
{
    struct found *found = ctx;

    found->edges++;
    found->first_s = edge->first_s;
    found->last_s = edge->last_s;
    return OK;
}

/* Looks daily for a year at an edge last seen on day 20000. */
static void
a_year_passes_and_one_edge_is_swept_once(void **state)
{
    struct store *store = new_store();
    struct gc_cfg cfg = sweeping();
    struct gc_state gc = {0};
    struct found found = {0};

    (void)state;
    add_edge(store, 1, 20000);
    for (uint64_t day = 0; day < 365; day++) {
        uint64_t now = START_NS + day * DAY_NS;
        assert_int_equal(
            gc_step(&gc, &cfg, now, day * DAY_NS, write_directly, store), OK);
        assert_int_equal(gc.swept, day > 97);
    }
    assert_int_equal(store_each_edge(store, note_edge, &found), OK);
    assert_int_equal(found.edges, 1);
    assert_int_equal(found.first_s, S_PER_DAY);
    assert_int_equal(found.last_s, 20000 * S_PER_DAY);
    store_close(store);
}

static void
nothing_is_swept_unless_told_to(void **state)
{
    struct store *store = new_store();
    struct gc_cfg cfg = sweeping();
    struct gc_state gc = {0};

    (void)state;
    cfg.sweep = false;
    add_edge(store, 1, 20000);
    assert_int_equal(
        gc_step(&gc, &cfg, START_NS + 400 * DAY_NS, 1, write_directly, store),
        OK);
    assert_int_equal(gc.swept, 0);
    store_close(store);
}

static void
more_than_one_transaction_is_swept_in_one_look(void **state)
{
    struct store *store = new_store();
    struct gc_cfg cfg = sweeping();
    struct gc_state gc = {0};

    (void)state;
    for (uint32_t i = 1; i <= 2001; i++)
        add_edge(store, i, 20000);
    assert_int_equal(
        gc_step(&gc, &cfg, START_NS + 400 * DAY_NS, 1, write_directly, store),
        OK);
    assert_int_equal(gc.swept, 2001);
    store_close(store);
}

static void
a_clock_that_jumps_ahead_is_not_believed(void **state)
{
    struct store *store = new_store();
    struct gc_cfg cfg = sweeping();
    struct gc_state gc = {0};

    (void)state;
    add_edge(store, 1, 20000);
    assert_int_equal(gc_step(&gc, &cfg, START_NS, 0, write_directly, store),
                     OK);
    assert_int_equal(gc_step(&gc, &cfg, START_NS + 365 * DAY_NS, NS_PER_S,
                             write_directly, store),
                     OK);
    assert_int_equal(gc.swept, 0);
    store_close(store);
}

static void
a_failed_write_ends_the_look_and_the_next_goes_on(void **state)
{
    struct gc_cfg cfg = sweeping();
    struct gc_state gc = {0};
    int calls = 0;

    (void)state;
    assert_int_equal(gc_step(&gc, &cfg, START_NS, 0, refuse, &calls),
                     ERR_STORE);
    assert_int_equal(gc_step(&gc, &cfg, START_NS + 1, 1, refuse, &calls),
                     ERR_STORE);
    assert_int_equal(calls, 2);
    assert_int_equal(gc.swept, 0);
}

static void
the_thread_looks_at_once_and_stops_when_told(void **state)
{
    struct gc_cfg cfg = sweeping();
    struct gc *gc = NULL;
    int calls = 0;

    (void)state;
    cfg.interval_ns = 3600 * NS_PER_S;
    assert_int_equal(gc_start(&gc, &cfg, refuse, &calls), OK);
    usleep(100000);
    gc_stop(gc);
    assert_int_equal(calls, 1);
    gc_stop(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_year_passes_and_one_edge_is_swept_once),
        cmocka_unit_test(nothing_is_swept_unless_told_to),
        cmocka_unit_test(more_than_one_transaction_is_swept_in_one_look),
        cmocka_unit_test(a_clock_that_jumps_ahead_is_not_believed),
        cmocka_unit_test(a_failed_write_ends_the_look_and_the_next_goes_on),
        cmocka_unit_test(the_thread_looks_at_once_and_stops_when_told),
    };

    dir_make(dir);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dir_remove(dir);
    return failed;
}
