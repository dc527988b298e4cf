#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/metrics.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/traffic.h"

enum { SENDERS = 4, REQUESTS = 60, PAIRS = 5 };

static atomic_uint answered[6]; /* by -err */

static int
setup(void **state)
{
    traffic = (struct traffic){.cfg = engine_cfg_default};
    traffic.cfg.pair.max_spans = 100000;
    traffic.cfg.pair.max_producers = 1000;
    traffic.cfg.flush_ms = 20;
    for (int i = 0; i < 6; i++)
        answered[i] = 0;
    stored_setup(state);
    traffic_open(&traffic, clock_wall_ns());
    return 0;
}

static int
teardown(void **state)
{
    fault_vfs_heal();
    engine_stop(traffic.engine);
    return traffic_teardown(state);
}

static void
note(void *ctx, enum err err)
{
    (void)ctx;
    atomic_fetch_add(&answered[-err], 1);
}

static void
submit(uint32_t number, uint32_t pairs)
{
    engine_submit(
        traffic.engine,
        traffic_batch(&traffic, number, pairs, TRAFFIC_BOTH, clock_wall_ns()),
        traffic_digest(number, TRAFFIC_BOTH), note, NULL);
}

/* Waits, at most some seconds, until |count| were answered with |err|. */
static void
expect_answers(enum err err, unsigned count)
{
    for (int i = 0; i < 5000 && atomic_load(&answered[-err]) < count; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&answered[-err]), count);
}

static void *
send_some(void *arg)
{
    uint32_t first = *(uint32_t *)arg;

    for (uint32_t i = 0; i < REQUESTS; i++) {
        submit(first + i, PAIRS);
        if (i % 7 == 0)
            submit(first + i, PAIRS); /* an impatient sender */
        if (i % 16 == 0)
            usleep(2000);
    }
    return NULL;
}

static void
what_many_send_at_once_counts_once_each(void **state)
{
    pthread_t threads[SENDERS];
    uint32_t first[SENDERS];

    (void)state;
    assert_int_equal(engine_start(traffic.engine), OK);
    for (uint32_t i = 0; i < SENDERS; i++) {
        first[i] = i * REQUESTS;
        assert_int_equal(
            pthread_create(&threads[i], NULL, send_some, &first[i]), 0);
    }
    for (uint32_t i = 0; i < SENDERS; i++)
        pthread_join(threads[i], NULL);
    expect_answers(OK, SENDERS * (REQUESTS + 9));
    engine_stop(traffic.engine);
    for (uint32_t n = 0; n < SENDERS * REQUESTS; n++) {
        assert_int_equal(traffic_stored(n), PAIRS);
        assert_int_equal(traffic_calls(n), PAIRS);
    }
    assert_int_equal(stored_counter("requests"), SENDERS * REQUESTS);
    assert_int_equal(stored_counter("requests_duplicate"), SENDERS * 9);
    assert_true(metrics_get(METRIC_COMMITS) > 0);
    assert_int_equal(metrics_get(METRIC_QUEUE_STUBS), 0);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static enum err
wait_at_gate(void *ctx, struct store *store)
{
    (void)store;
    atomic_store((atomic_bool *)ctx, true);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return OK;
}

static void *
hold_graph_thread(void *arg)
{
    assert_int_equal(engine_write(traffic.engine, wait_at_gate, arg), OK);
    return NULL;
}

static void
in_memory_what_is_queued_is_answered_before_it_is_folded(void **state)
{
    pthread_t holder;
    static atomic_bool held;

    (void)state;
    traffic_close(&traffic);
    traffic.cfg.durability = DURABILITY_MEMORY;
    traffic_open(&traffic, clock_wall_ns());
    assert_int_equal(engine_start(traffic.engine), OK);
    atomic_store(&held, false);
    pthread_mutex_lock(&gate);
    pthread_create(&holder, NULL, hold_graph_thread, &held);
    while (!atomic_load(&held))
        usleep(1000);
    submit(0, PAIRS);
    submit(0, PAIRS); /* a retry, though nobody knows yet */
    assert_int_equal(atomic_load(&answered[-OK]), 2);
    pthread_mutex_unlock(&gate);
    pthread_join(holder, NULL);
    engine_stop(traffic.engine);
    assert_int_equal(atomic_load(&answered[-OK]), 2);
    assert_int_equal(traffic_stored(0), PAIRS);
    assert_int_equal(stored_counter("requests_duplicate"), 1);
}

static void
a_full_queue_refuses_and_says_when_to_come_back(void **state)
{
    pthread_t holder;
    static atomic_bool held;

    (void)state;
    traffic_close(&traffic);
    traffic.cfg.queue_stubs = 100;
    traffic_open(&traffic, clock_wall_ns());
    assert_int_equal(engine_start(traffic.engine), OK);
    atomic_store(&held, false);
    pthread_mutex_lock(&gate);
    pthread_create(&holder, NULL, hold_graph_thread, &held);
    while (!atomic_load(&held))
        usleep(1000);
    assert_true(engine_has_room(traffic.engine, 1000)); /* it is empty */
    submit(0, 45);                                      /* 90 stubs */
    assert_true(engine_has_room(traffic.engine, 10));
    assert_false(engine_has_room(traffic.engine, 11));
    submit(1, 6);
    expect_answers(ERR_FULL, 1);
    submit(2, 5);
    assert_false(engine_has_room(traffic.engine, 1));
    engine_note_refused(traffic.engine); /* before it was decoded */
    submit(3, 0);                        /* even nothing takes a place */
    expect_answers(ERR_FULL, 2);
    assert_in_range(engine_retry_ms(traffic.engine), 5000, 300000);
    pthread_mutex_unlock(&gate);
    pthread_join(holder, NULL);
    expect_answers(OK, 2);
    for (int i = 0; i < 5000 && !engine_has_room(traffic.engine, 12); i++)
        usleep(1000); /* the answer comes before the folding */
    submit(1, 6);     /* comes back */
    expect_answers(OK, 3);
    engine_stop(traffic.engine);
    assert_int_equal(traffic_stored(0), 45);
    assert_int_equal(traffic_stored(1), 6);
    assert_int_equal(stored_counter("refused_full"), 12);
    assert_int_equal(stored_counter("requests_refused"), 3);
}

static void
stopping_stores_all_that_was_taken_and_refuses_the_rest(void **state)
{
    (void)state;
    assert_int_equal(engine_start(traffic.engine), OK);
    for (uint32_t n = 0; n < 50; n++)
        submit(n, PAIRS);
    engine_stop(traffic.engine);
    assert_int_equal(atomic_load(&answered[0]), 50);
    for (uint32_t n = 0; n < 50; n++)
        assert_int_equal(traffic_stored(n), PAIRS);
    submit(99, PAIRS);
    assert_int_equal(atomic_load(&answered[-ERR_FULL]), 1);
    engine_stop(traffic.engine);
}

static void
a_full_disk_heals_by_itself_and_leaves_a_gap_in_the_uptime(void **state)
{
    (void)state;
    assert_int_equal(engine_start(traffic.engine), OK);
    submit(0, PAIRS);
    expect_answers(OK, 1);
    usleep(50000);
    fault_vfs_fill();
    submit(1, PAIRS);
    expect_answers(ERR_STORE, 1);
    assert_false(engine_is_writable(traffic.engine));
    usleep(1100000); /* intervals begin at whole seconds */
    assert_int_equal(stored_ask("SELECT count(*) FROM uptime"), 1);
    fault_vfs_heal();
    for (int i = 0; i < 3000 && !engine_is_writable(traffic.engine); i++)
        usleep(1000);
    assert_true(engine_is_writable(traffic.engine)); /* nobody sent a thing */
    submit(1, PAIRS);
    expect_answers(OK, 2);
    engine_stop(traffic.engine);
    assert_int_equal(traffic_stored(1), PAIRS);
    assert_int_equal(stored_ask("SELECT count(*) FROM uptime"), 2);
}

static void
in_memory_nothing_is_taken_while_the_disk_is_full(void **state)
{
    (void)state;
    traffic_close(&traffic);
    traffic.cfg.durability = DURABILITY_MEMORY;
    traffic_open(&traffic, clock_wall_ns());
    assert_int_equal(engine_start(traffic.engine), OK);
    submit(0, PAIRS);
    expect_answers(OK, 1);
    usleep(60000);
    fault_vfs_fill();
    submit(1, PAIRS);
    for (int i = 0; i < 3000 && engine_is_writable(traffic.engine); i++)
        usleep(1000);
    submit(2, PAIRS);
    expect_answers(ERR_STORE, 1);
    fault_vfs_heal();
    for (int i = 0; i < 3000 && !engine_is_writable(traffic.engine); i++)
        usleep(1000);
    submit(2, PAIRS);
    engine_stop(traffic.engine);
    assert_int_equal(stored_counter("refused_store"), 2 * PAIRS);
    for (uint32_t n = 0; n < 3; n++)
        assert_int_equal(traffic_stored(n), PAIRS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_many_send_at_once_counts_once_each),
        TEST(in_memory_what_is_queued_is_answered_before_it_is_folded),
        TEST(a_full_queue_refuses_and_says_when_to_come_back),
        TEST(stopping_stores_all_that_was_taken_and_refuses_the_rest),
        TEST(a_full_disk_heals_by_itself_and_leaves_a_gap_in_the_uptime),
        TEST(in_memory_nothing_is_taken_while_the_disk_is_full),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
