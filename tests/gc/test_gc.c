/*
 * A year of sweeping in milliseconds, over a store of one number an edge.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "gc/gc.h"

enum { EDGES = 300, START_S = 1700000000 };

struct store {
    uint32_t last_s[EDGES];
    uint32_t swept_s[EDGES];
    int fail_at; /* transactions until one fails; < 0: never */
    atomic_int runs;
};

enum err
store_sweep(struct store *st, uint32_t before_s, uint32_t now_s, uint32_t max,
            uint32_t *swept)
{
    *swept = 0;
    for (size_t i = 0; i < EDGES && *swept < max; i++) {
        if (st->last_s[i] >= before_s || st->swept_s[i] != 0)
            continue;
        st->swept_s[i] = now_s;
        ++*swept;
    }
    return OK;
}

static enum err
run(void *ctx, gc_work_fn *work, void *work_ctx)
{
    struct store *st = ctx;

    atomic_fetch_add(&st->runs, 1);
    if (st->fail_at >= 0 && st->fail_at-- == 0)
        return ERR_STORE;
    return work(work_ctx, st);
}

/* Edge i was seen last on day i. */
static struct store
make_store(void)
{
    struct store st = {.fail_at = -1};

    for (uint32_t i = 0; i < EDGES; i++)
        st.last_s[i] = START_S + i * S_PER_DAY;
    return st;
}

static void
an_edge_is_swept_once_its_grace_has_ended(void **state)
{
    struct store st = make_store();
    struct gc_cfg cfg = gc_cfg_default;

    (void)state;
    cfg.sweep = true;
    for (uint32_t hour = 0; hour < 24 * 365; hour++) {
        uint32_t swept;

        assert_int_equal(
            gc_step(&cfg, START_S + hour * S_PER_H, run, &st, &swept), OK);
    }
    for (uint32_t i = 0; i < EDGES; i++) {
        uint32_t due_s = st.last_s[i] + 97 * S_PER_DAY;

        if (due_s >= START_S + 365 * S_PER_DAY - S_PER_H) {
            assert_int_equal(st.swept_s[i], 0);
            continue;
        }
        assert_true(st.swept_s[i] > due_s);
        assert_true(st.swept_s[i] <= due_s + S_PER_H);
    }
}

static void
nothing_is_swept_unless_asked(void **state)
{
    struct store st = make_store();
    uint32_t swept;

    (void)state;
    assert_int_equal(
        gc_step(&gc_cfg_default, START_S + 5000 * S_PER_DAY, run, &st, &swept),
        OK);
    assert_int_equal(swept, 0);
    assert_int_equal(st.runs, 0);
    assert_int_equal(gc_sweep_before(&gc_cfg_default, START_S), 0);
}

static void
a_sweep_is_cut_into_small_transactions(void **state)
{
    struct store st = make_store();
    struct gc_cfg cfg = gc_cfg_default;
    uint32_t swept;

    (void)state;
    cfg.sweep = true;
    cfg.batch = 100;
    assert_int_equal(
        gc_step(&cfg, START_S + 5000 * S_PER_DAY, run, &st, &swept), OK);
    assert_int_equal(swept, EDGES);
    assert_int_equal(st.runs, 4);
}

static void
a_failed_transaction_is_taken_up_by_a_later_step(void **state)
{
    struct store st = make_store();
    struct gc_cfg cfg = gc_cfg_default;
    uint32_t swept;

    (void)state;
    cfg.sweep = true;
    cfg.batch = 100;
    st.fail_at = 1;
    assert_int_equal(
        gc_step(&cfg, START_S + 5000 * S_PER_DAY, run, &st, &swept), ERR_STORE);
    assert_int_equal(swept, 100);
    assert_int_equal(
        gc_step(&cfg, START_S + 5000 * S_PER_DAY, run, &st, &swept), OK);
    assert_int_equal(swept, 200);
}

static void
early_times_do_not_wrap(void **state)
{
    struct gc_cfg cfg = gc_cfg_default;

    (void)state;
    cfg.sweep = true;
    assert_int_equal(gc_sweep_before(&cfg, 97 * S_PER_DAY), 0);
    assert_int_equal(gc_sweep_before(&cfg, 97 * S_PER_DAY + 1), 1);
    cfg.ages.eligible_days = UINT32_MAX;
    assert_int_equal(gc_sweep_before(&cfg, START_S), 0);
}

static void
ages_must_rise(void **state)
{
    struct gc_cfg cfg = gc_cfg_default;
    struct gc *gc;

    (void)state;
    cfg.ages.stale_days = 3;
    assert_int_equal(gc_start(&gc, &cfg, run, NULL), ERR_INVALID);
    assert_null(gc);
    cfg = gc_cfg_default;
    cfg.batch = 0;
    assert_int_equal(gc_start(&gc, &cfg, run, NULL), ERR_INVALID);
    gc_stop(NULL);
}

static void
the_thread_steps_and_stops_at_once(void **state)
{
    struct store st = make_store();
    struct gc_cfg cfg = gc_cfg_default;
    struct gc *gc;
    uint64_t start_ns;

    (void)state;
    cfg.sweep = true;
    cfg.every_ms = 1;
    assert_int_equal(gc_start(&gc, &cfg, run, &st), OK);
    start_ns = clock_mono_ns();
    while (atomic_load(&st.runs) < 3 &&
           clock_mono_ns() - start_ns < 5 * NS_PER_S)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    gc_stop(gc);
    assert_true(st.runs >= 3);
    assert_true(st.swept_s[0] != 0);
    cfg.every_ms = 3600000;
    assert_int_equal(gc_start(&gc, &cfg, run, &st), OK);
    start_ns = clock_mono_ns();
    gc_stop(gc);
    assert_true(clock_mono_ns() - start_ns < 2 * NS_PER_S);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_is_swept_once_its_grace_has_ended),
        cmocka_unit_test(nothing_is_swept_unless_asked),
        cmocka_unit_test(a_sweep_is_cut_into_small_transactions),
        cmocka_unit_test(a_failed_transaction_is_taken_up_by_a_later_step),
        cmocka_unit_test(early_times_do_not_wrap),
        cmocka_unit_test(ages_must_rise),
        cmocka_unit_test(the_thread_steps_and_stops_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
