#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/relay_rig.h"

static void
what_is_taken_in_is_handed_on_once(void **state)
{
    uint32_t spans = 0;

    (void)state;
    relay_rig_start(NULL, 0);
    for (size_t i = 0; i < RELAY_RIG_BATCHES; i++)
        relay_rig_take(i);
    assert_true(relay_rig_wait(&relay_rig.taken, RELAY_RIG_BATCHES));
    relay_rig_close(5000);
    for (size_t i = 0; i < fake_gateway_got(&relay_rig.gateway); i++)
        spans += relay_rig_spans(i);
    assert_int_equal(spans, RELAY_RIG_BATCHES * RELAY_RIG_SPANS);
    assert_true(fake_gateway_got(&relay_rig.gateway) < RELAY_RIG_BATCHES);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
the_same_request_again_is_not_handed_on_again(void **state)
{
    (void)state;
    relay_rig_start(NULL, 0);
    relay_rig_take_one(0);
    relay_rig_take_one(0);
    relay_rig_close(5000);
    relay_rig_open();
    relay_rig_take_one(0); /* nor by an heir */
    relay_rig_take_one(1);
    relay_rig_close(5000);
    uint32_t spans = 0;
    for (size_t i = 0; i < fake_gateway_got(&relay_rig.gateway); i++)
        spans += relay_rig_spans(i);
    assert_int_equal(spans, 2 * RELAY_RIG_SPANS);
    fake_gateway_stop(&relay_rig.gateway);
}

/* Refused for a while, cut off, answered too late: the same bytes each time,
 * and nothing overtakes. */
static void
a_batch_is_repeated_to_the_byte_until_it_is_taken(void **state)
{
    static const struct fake_step steps[] = {
        {.status = 503},
        {.status = 429},
        {.act = FAKE_HANG_UP},
        {.act = FAKE_CUT},
        {.act = FAKE_LATE, .ms = 400},
        {.status = 502},
        {.status = 200},
    };

    (void)state;
    relay_rig_start(steps, 7);
    relay_rig_take_one(0);
    usleep(30000);
    relay_rig_take_one(1);
    assert_true(fake_gateway_wait(&relay_rig.gateway, 8));
    relay_rig_close(5000);
    for (size_t i = 1; i < 7; i++)
        assert_true(relay_rig_is_same(0, i));
    assert_false(relay_rig_is_same(0, 7));
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 8);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
it_comes_back_when_the_gateway_says(void **state)
{
    static const struct fake_step steps[] = {
        {.status = 503, .headers = "Retry-After: 1\r\n"}};
    uint64_t begin_ns;

    (void)state;
    relay_rig_start(steps, 1);
    relay_rig_take_one(0);
    assert_true(fake_gateway_wait(&relay_rig.gateway, 1));
    begin_ns = clock_mono_ns();
    assert_true(fake_gateway_wait(&relay_rig.gateway, 2));
    assert_in_range((clock_mono_ns() - begin_ns) / NS_PER_MS, 800, 3000);
    relay_rig_close(1000);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
an_heir_sends_the_same_bytes(void **state)
{
    static const struct fake_step steps[] = {{.act = FAKE_HANG_UP},
                                             {.act = FAKE_LATE, .ms = 10000}};

    (void)state;
    relay_rig.cfg.retry_first_ms = relay_rig.cfg.retry_most_ms = 60000;
    relay_rig.cfg.spool.batch_age_ns = 300 * NS_PER_MS; /* two take less */
    relay_rig_start(steps, 1);
    relay_rig_take_one(0);
    relay_rig_take_one(1);
    assert_true(fake_gateway_wait(&relay_rig.gateway, 1));
    relay_rig_take_one(2);
    relay_rig_close(0);
    relay_rig_open();
    assert_true(fake_gateway_wait(&relay_rig.gateway, 3));
    assert_true(relay_rig_is_same(0, 1));
    assert_false(relay_rig_is_same(0, 2));
    assert_int_equal(relay_rig_spans(0), 2 * RELAY_RIG_SPANS);
    assert_int_equal(relay_rig_spans(2), RELAY_RIG_SPANS);
    relay_rig_close(1000);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
a_batch_that_is_refused_is_set_aside_and_tried_again_on_reload(void **state)
{
    static const struct fake_step steps[] = {{.status = 400}};
    int64_t aside = metrics_get(METRIC_FORWARDED_ASIDE);
    int64_t refused = metrics_get(METRIC_FORWARD_REFUSED);

    (void)state;
    relay_rig_start(steps, 1);
    relay_rig_take_one(0);
    assert_true(fake_gateway_wait(&relay_rig.gateway, 1));
    relay_rig_take_one(1); /* is not held up */
    assert_true(fake_gateway_wait(&relay_rig.gateway, 2));
    assert_true(
        relay_rig_wait_metric(METRIC_FORWARDED_ASIDE, aside + RELAY_RIG_SPANS));
    assert_int_equal(metrics_get(METRIC_FORWARD_REFUSED), refused + 1);
    assert_true(metrics_get(METRIC_SPOOL_ASIDE_BYTES) > 0);
    assert_true(relay_rig_wait_metric(METRIC_SPOOL_BATCHES, 0));
    relay_rig_gateway(relay_rig.gateway.url);
    assert_true(fake_gateway_wait(&relay_rig.gateway, 3));
    assert_true(relay_rig_is_same(0, 2));
    assert_true(relay_rig_wait_metric(METRIC_SPOOL_ASIDE_BYTES, 0));
    relay_rig_close(1000);
    fake_gateway_stop(&relay_rig.gateway);
}

/* 500 is not what OTLP repeats: it may be the batch that is at fault. */
static void
errors_that_go_on_and_on_do_not_block_the_line(void **state)
{
    struct fake_step steps[RELAY_ODD_MAX];

    (void)state;
    for (size_t i = 0; i < RELAY_ODD_MAX; i++)
        steps[i] = (struct fake_step){.status = 500};
    relay_rig_start(steps, RELAY_ODD_MAX);
    relay_rig_take_one(0);
    assert_true(fake_gateway_wait(&relay_rig.gateway, 1));
    relay_rig_take_one(1);
    assert_true(fake_gateway_wait(&relay_rig.gateway, RELAY_ODD_MAX + 1));
    relay_rig_close(1000);
    assert_true(relay_rig_is_same(0, RELAY_ODD_MAX - 1));
    assert_false(relay_rig_is_same(0, RELAY_ODD_MAX));
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), RELAY_ODD_MAX + 1);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
spans_the_gateway_does_not_want_are_counted(void **state)
{
    static const struct fake_step steps[] = {
        {.status = 200, .body = STR_INIT("\x0a\x05\x08\x03\x12\x01x")}};
    int64_t rejected = metrics_get(METRIC_FORWARDED_REJECTED);
    int64_t taken = metrics_get(METRIC_FORWARDED_SPANS);

    (void)state;
    relay_rig_start(steps, 1);
    relay_rig_take_one(0);
    relay_rig_close(5000);
    assert_int_equal(metrics_get(METRIC_FORWARDED_REJECTED), rejected + 3);
    assert_int_equal(metrics_get(METRIC_FORWARDED_SPANS),
                     taken + RELAY_RIG_SPANS);
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 1);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
no_more_are_not_wanted_than_were_sent(void **state)
{
    static const struct fake_step steps[] = {
        {.status = 200, /* -1 of them */
         .body = STR_INIT("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff"
                          "\xff\x01")}};
    int64_t rejected = metrics_get(METRIC_FORWARDED_REJECTED);

    (void)state;
    relay_rig_start(steps, 1);
    relay_rig_take_one(0);
    relay_rig_close(5000);
    assert_int_equal(metrics_get(METRIC_FORWARDED_REJECTED),
                     rejected + RELAY_RIG_SPANS);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
a_full_spool_refuses_until_there_is_room(void **state)
{
    enum { STEPS = 200 };
    static struct fake_step steps[STEPS];

    (void)state;
    for (size_t i = 0; i < STEPS; i++)
        steps[i] = (struct fake_step){.status = 503};
    relay_rig.cfg.retry_first_ms = relay_rig.cfg.retry_most_ms = 60000;
    relay_rig.cfg.spool.max_bytes = 16 << 10;
    relay_rig_start(steps, STEPS);
    size_t i = 0;
    for (; i < RELAY_RIG_BATCHES && atomic_load(&relay_rig.full) == 0; i++) {
        int before = relay_rig.taken + relay_rig.full;
        relay_rig_take(i);
        for (int n = 0; n < 1000 && relay_rig.taken + relay_rig.full == before;
             n++)
            usleep(1000);
    }
    assert_true(relay_rig.taken > 0 && relay_rig.full == 1 &&
                relay_rig.failed == 0);
    assert_true(metrics_get(METRIC_SPOOL_BYTES) <= 16 << 10);
    assert_true(relay_is_writable(relay_rig.relay));
    assert_true(relay_rig.sink.retry_ms(relay_rig.sink.ctx) >= 1000);
    /* What was refused is new when it comes again. */
    relay_rig_close(0);
    fake_gateway_stop(&relay_rig.gateway);
    fake_gateway_start(&relay_rig.gateway, NULL, 0, 0);
    relay_rig_open();
    assert_true(relay_rig_wait_metric(METRIC_SPOOL_BATCHES, 0));
    relay_rig_take_one(i - 1);
    relay_rig_close(5000);
    uint32_t spans = 0;
    for (size_t n = 0; n < fake_gateway_got(&relay_rig.gateway); n++)
        spans += relay_rig_spans(n);
    assert_int_equal(spans, (uint32_t)relay_rig.taken * RELAY_RIG_SPANS);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
a_request_that_never_fits_is_refused_for_good(void **state)
{
    (void)state;
    relay_rig.cfg.spool.max_bytes = 500;
    relay_rig_start(NULL, 0);
    relay_rig_take(0);
    assert_true(relay_rig_wait(&relay_rig.failed, 1));
    assert_int_equal(relay_rig.full, 0);
    relay_rig_close(0);
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 0);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
memory_answers_before_it_is_written(void **state)
{
    (void)state;
    relay_rig.cfg.answer_at_once = true;
    relay_rig.cfg.group_ms = 1000;
    relay_rig_start(NULL, 0);
    relay_rig_take(0);
    assert_int_equal(relay_rig.taken, 1); /* at once */
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 0);
    relay_rig_close(5000); /* writes it and sends it */
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 1);
    assert_int_equal(relay_rig_spans(0), RELAY_RIG_SPANS);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
the_end_sends_what_has_not_aged(void **state)
{
    (void)state;
    relay_rig.cfg.spool.batch_age_ns = 60 * NS_PER_S;
    relay_rig_start(NULL, 0);
    relay_rig_take_one(0);
    usleep(50000);
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 0);
    uint64_t begin_ns = clock_mono_ns();
    relay_rig_close(5000);
    assert_true(clock_mono_ns() - begin_ns < 2 * NS_PER_S);
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 1);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
the_end_does_not_take_longer_than_it_may(void **state)
{
    static const struct fake_step steps[] = {{.act = FAKE_LATE, .ms = 60000}};
    struct buf why = {0};

    (void)state;
    relay_rig_start(steps, 1);
    const struct forward_cfg patient = {
        .gateway = {.url = relay_rig.gateway.url,
                    .stop_fd = relay_stop_fd(relay_rig.relay)},
        .timeout_ms = 60000,
    };
    assert_int_equal(relay_set_gateway(relay_rig.relay, &patient, &why), OK);
    relay_rig_take_one(0);
    assert_true(fake_gateway_wait(&relay_rig.gateway, 1));
    uint64_t begin_ns = clock_mono_ns();
    relay_rig_close(300);
    assert_in_range((clock_mono_ns() - begin_ns) / NS_PER_MS, 200, 2000);
    fake_gateway_stop(&relay_rig.gateway);
    fake_gateway_start(&relay_rig.gateway, NULL, 0, 0);
    relay_rig_open();
    assert_true(fake_gateway_wait(&relay_rig.gateway, 1));
    assert_int_equal(relay_rig_spans(0), RELAY_RIG_SPANS);
    relay_rig_close(1000);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
put_old(uint64_t at_ns)
{
    struct spool *spool;
    struct buf why = {0};
    uint64_t lost;

    assert_int_equal(spool_open(&spool, relay_rig.dir, &relay_rig.cfg.spool,
                                clock_wall_ns(), &why),
                     OK);
    assert_int_equal(spool_begin(spool), OK);
    assert_int_equal(spool_put(spool, STR("x"), 1, 7, at_ns, &lost), OK);
    assert_int_equal(spool_commit(spool), OK);
    spool_close(spool);
    buf_fini(&why);
}

/* What an earlier process left may have been taken; after fifteen minutes the
 * gateway cannot know. */
static void
what_may_count_twice_is_said(void **state)
{
    int64_t doubtful = metrics_get(METRIC_FORWARDED_DOUBTFUL);

    (void)state;
    put_old(clock_wall_ns() - RELAY_KNOWN_NS + 30 * NS_PER_S);
    relay_rig_start(NULL, 0);
    relay_rig_close(5000);
    assert_int_equal(metrics_get(METRIC_FORWARDED_DOUBTFUL), doubtful);
    put_old(clock_wall_ns() - RELAY_KNOWN_NS - 30 * NS_PER_S);
    relay_rig_open();
    relay_rig_close(5000);
    assert_int_equal(metrics_get(METRIC_FORWARDED_DOUBTFUL), doubtful + 7);
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 2);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
what_is_damaged_in_the_spool_is_set_aside_not_sent(void **state)
{
    int64_t aside = metrics_get(METRIC_FORWARDED_ASIDE);
    char path[128];
    FILE *file;

    (void)state;
    put_old(clock_wall_ns());
    (void)snprintf(path, sizeof(path), "%s/" SPOOL_FILE, relay_rig.dir);
    file = fopen(path, "r+b");
    assert_non_null(file);
    /* The one part is the byte 'x' at the end of a page. */
    int last = 0;
    for (int c, at = 0; (c = fgetc(file)) != EOF; at++)
        if (c == 'x' && at % 4096 == 4095)
            last = at;
    assert_true(last > 0);
    (void)fseek(file, last, SEEK_SET);
    (void)fputc('y', file);
    assert_int_equal(fclose(file), 0);
    relay_rig_start(NULL, 0);
    relay_rig_take_one(0);
    assert_true(fake_gateway_wait(&relay_rig.gateway, 1));
    relay_rig_close(5000);
    assert_int_equal(relay_rig_spans(0), RELAY_RIG_SPANS);
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 1);
    assert_int_equal(metrics_get(METRIC_FORWARDED_ASIDE), aside + 7);
    fake_gateway_stop(&relay_rig.gateway);
}

/* It is not sent again while the disk is full: after fifteen minutes of that it
 * would count twice. */
static void
a_batch_that_cannot_be_dropped_is_not_sent_again(void **state)
{
    static const struct fake_step steps[] = {{.act = FAKE_LATE, .ms = 100}};

    (void)state;
    relay_rig_start(steps, 1);
    relay_rig_take_one(0);
    assert_true(fake_gateway_wait(&relay_rig.gateway, 1));
    fault_vfs_fail_at(1, SQLITE_FULL, true);
    usleep(2500000);
    assert_false(relay_is_writable(relay_rig.relay));
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 1);
    fault_vfs_heal();
    assert_true(relay_rig_wait_metric(METRIC_SPOOL_BATCHES, 0));
    relay_rig_take_one(1);
    assert_true(fake_gateway_wait(&relay_rig.gateway, 2));
    relay_rig_close(1000);
    assert_false(relay_rig_is_same(0, 1));
    fake_gateway_stop(&relay_rig.gateway);
}

static void
a_request_without_good_spans_is_done(void **state)
{
    struct span_visitor visitor;

    (void)state;
    relay_rig_start(NULL, 0);
    assert_int_equal(relay_rig.sink.begin(relay_rig.sink.ctx, 0, &visitor), OK);
    relay_rig.sink.submit(relay_rig.sink.ctx, 0, STR("bytes"), 3,
                          relay_rig_done, NULL);
    assert_int_equal(relay_rig.taken, 1);
    assert_int_equal(relay_rig.sink.begin(relay_rig.sink.ctx, 0, &visitor), OK);
    relay_rig.sink.abort(relay_rig.sink.ctx, 0);
    relay_rig_close(1000);
    assert_int_equal(fake_gateway_got(&relay_rig.gateway), 0);
    fake_gateway_stop(&relay_rig.gateway);
}

static void
after_the_end_nothing_is_taken_in(void **state)
{
    struct span_visitor visitor;

    (void)state;
    relay_rig_start(NULL, 0);
    relay_stop(relay_rig.relay, 0);
    assert_int_equal(relay_rig.sink.begin(relay_rig.sink.ctx, 0, &visitor),
                     ERR_FULL);
    relay_close(relay_rig.relay);
    fake_gateway_stop(&relay_rig.gateway);
}

#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, relay_rig_setup, relay_rig_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_taken_in_is_handed_on_once),
        TEST(the_same_request_again_is_not_handed_on_again),
        TEST(a_batch_is_repeated_to_the_byte_until_it_is_taken),
        TEST(it_comes_back_when_the_gateway_says),
        TEST(an_heir_sends_the_same_bytes),
        TEST(a_batch_that_is_refused_is_set_aside_and_tried_again_on_reload),
        TEST(errors_that_go_on_and_on_do_not_block_the_line),
        TEST(spans_the_gateway_does_not_want_are_counted),
        TEST(no_more_are_not_wanted_than_were_sent),
        TEST(a_full_spool_refuses_until_there_is_room),
        TEST(a_request_that_never_fits_is_refused_for_good),
        TEST(memory_answers_before_it_is_written),
        TEST(the_end_sends_what_has_not_aged),
        TEST(the_end_does_not_take_longer_than_it_may),
        TEST(what_may_count_twice_is_said),
        TEST(what_is_damaged_in_the_spool_is_set_aside_not_sent),
        TEST(a_batch_that_cannot_be_dropped_is_not_sent_again),
        TEST(a_request_without_good_spans_is_done),
        TEST(after_the_end_nothing_is_taken_in),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, relay_rig_make, relay_rig_drop);
}
