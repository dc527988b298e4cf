#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "net/inflate.h"
#include "otlp/decode.h"
#include "relay/relay.h"
#include "tests/support/dir.h"
#include "tests/support/fake_gateway.h"
#include "tests/support/payload.h"

enum { BATCHES = 40, SPANS = 20 };

static struct {
    char dir[64];
    struct payload *payload;
    struct decode_scratch *scratch;
    struct relay_cfg cfg;
    struct relay *relay;
    struct trace_sink sink;
    struct fake_gateway gateway;
    atomic_int taken;
    atomic_int full;
    atomic_int failed;
} t;

static int
group_set_up(void **state)
{
    (void)state;
    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    t.payload = payload_new(BATCHES, SPANS, false);
    t.scratch = decode_scratch_new();
    return t.payload && t.scratch ? 0 : -1;
}

static int
group_tear_down(void **state)
{
    (void)state;
    payload_free(t.payload);
    decode_scratch_free(t.scratch);
    return 0;
}

static int
set_up(void **state)
{
    (void)state;
    dir_make(t.dir);
    t.cfg = (struct relay_cfg){
        .dir = t.dir,
        .spool = {.max_bytes = 1 << 20,
                  .batch_bytes = 1 << 20,
                  .batch_age_ns = 10 * NS_PER_MS,
                  .is_durable = true},
        .group_ms = 1,
        .retry_first_ms = 5,
        .retry_most_ms = 20,
        .lanes = 1,
    };
    t.taken = t.full = t.failed = 0;
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    dir_remove(t.dir);
    return 0;
}

static void
set_gateway(const char *url)
{
    struct buf why = {0};
    const struct forward_cfg cfg = {
        .gateway = {.url = url, .stop_fd = relay_stop_fd(t.relay)},
        .timeout_ms = 200,
    };

    assert_int_equal(relay_set_gateway(t.relay, &cfg, &why), OK);
    buf_fini(&why);
}

static void
open_relay(void)
{
    struct buf why = {0};

    enum err err = relay_open(&t.relay, &t.cfg, &why);
    if (err)
        fail_msg("%s: %s", err_str(err), buf_cstr(&why));
    relay_get_sink(t.relay, &t.sink);
    set_gateway(t.gateway.url);
    assert_int_equal(relay_start(t.relay), OK);
    buf_fini(&why);
}

static void
start(const struct fake_step *steps, size_t len)
{
    fake_gateway_start(&t.gateway, steps, len, 0);
    open_relay();
}

static void
close_relay(uint32_t drain_ms)
{
    relay_stop(t.relay, drain_ms);
    relay_close(t.relay);
    t.relay = NULL;
}

static void
on_done(void *ctx, enum err err)
{
    (void)ctx;
    atomic_fetch_add(err == OK         ? &t.taken
                     : err == ERR_FULL ? &t.full
                                       : &t.failed,
                     1);
}

/* Takes in request |i| of the payload, as the receiver would. */
static void
take(size_t i)
{
    struct span_visitor visitor;
    struct decode_result result;
    str bytes = t.payload->batches[i];
    enum err err = t.sink.begin(t.sink.ctx, 0, &visitor);

    if (err) {
        on_done(NULL, err);
        return;
    }
    assert_int_equal(decode_protobuf(t.scratch, bytes, &visitor, &result), OK);
    t.sink.submit(t.sink.ctx, 0, hash_digest(bytes), 0, on_done, NULL);
}

static bool
wait_for(const atomic_int *number, int want)
{
    for (int i = 0; i < 1000 && atomic_load(number) < want; i++)
        usleep(5000);
    return atomic_load(number) == want;
}

static bool
wait_for_metric(enum metric id, int64_t want)
{
    for (int i = 0; i < 1000 && metrics_get(id) != want; i++)
        usleep(5000);
    return metrics_get(id) == want;
}

/* Takes in one request and waits until it is in the spool. */
static void
take_one(size_t i)
{
    int before = atomic_load(&t.taken);

    take(i);
    assert_true(wait_for(&t.taken, before + 1));
}

static void
count_span(void *ctx, const struct span *span)
{
    (void)span;
    (*(uint32_t *)ctx)++;
}

static void
ignore_resource(void *ctx, const struct attr_set *attrs)
{
    (void)ctx;
    (void)attrs;
}

static void
ignore_scope(void *ctx, str name, str version)
{
    (void)ctx;
    (void)name;
    (void)version;
}

/* How many spans are in request |i| that the gateway got. */
static uint32_t
spans_of(size_t i)
{
    struct inflater *inflater = inflater_new();
    struct decode_result result;
    uint32_t spans = 0;
    const struct span_visitor visitor = {&spans, ignore_resource, ignore_scope,
                                         count_span};
    size_t len;
    char *out;

    assert_int_equal(inflate_whole(inflater, ENCODING_GZIP,
                                   buf_str(&t.gateway.got[i].body), 64 << 20,
                                   &out, &len),
                     OK);
    assert_int_equal(
        decode_protobuf(t.scratch, (str){out, len}, &visitor, &result), OK);
    free(out);
    inflater_free(inflater);
    return spans;
}

static bool
is_same(size_t a, size_t b)
{
    return str_eq(buf_str(&t.gateway.got[a].body),
                  buf_str(&t.gateway.got[b].body));
}

/* ---- */

static void
what_is_taken_in_is_handed_on_once(void **state)
{
    uint32_t spans = 0;

    (void)state;
    start(NULL, 0);
    for (size_t i = 0; i < BATCHES; i++)
        take(i);
    assert_true(wait_for(&t.taken, BATCHES));
    close_relay(5000);
    for (size_t i = 0; i < fake_gateway_got(&t.gateway); i++)
        spans += spans_of(i);
    assert_int_equal(spans, BATCHES * SPANS);
    assert_true(fake_gateway_got(&t.gateway) < BATCHES);
    fake_gateway_stop(&t.gateway);
}

static void
the_same_request_again_is_not_handed_on_again(void **state)
{
    (void)state;
    start(NULL, 0);
    take_one(0);
    take_one(0);
    close_relay(5000);
    open_relay();
    take_one(0); /* nor by an heir */
    take_one(1);
    close_relay(5000);
    uint32_t spans = 0;
    for (size_t i = 0; i < fake_gateway_got(&t.gateway); i++)
        spans += spans_of(i);
    assert_int_equal(spans, 2 * SPANS);
    fake_gateway_stop(&t.gateway);
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
    start(steps, 7);
    take_one(0);
    usleep(30000);
    take_one(1);
    assert_true(fake_gateway_wait(&t.gateway, 8));
    close_relay(5000);
    for (size_t i = 1; i < 7; i++)
        assert_true(is_same(0, i));
    assert_false(is_same(0, 7));
    assert_int_equal(fake_gateway_got(&t.gateway), 8);
    fake_gateway_stop(&t.gateway);
}

static void
it_comes_back_when_the_gateway_says(void **state)
{
    static const struct fake_step steps[] = {
        {.status = 503, .headers = "Retry-After: 1\r\n"}};
    uint64_t begin_ns;

    (void)state;
    start(steps, 1);
    take_one(0);
    assert_true(fake_gateway_wait(&t.gateway, 1));
    begin_ns = clock_mono_ns();
    assert_true(fake_gateway_wait(&t.gateway, 2));
    assert_in_range((clock_mono_ns() - begin_ns) / NS_PER_MS, 800, 3000);
    close_relay(1000);
    fake_gateway_stop(&t.gateway);
}

static void
an_heir_sends_the_same_bytes(void **state)
{
    static const struct fake_step steps[] = {{.act = FAKE_HANG_UP},
                                             {.act = FAKE_LATE, .ms = 10000}};

    (void)state;
    t.cfg.retry_first_ms = t.cfg.retry_most_ms = 60000;
    start(steps, 1);
    take_one(0);
    take_one(1);
    assert_true(fake_gateway_wait(&t.gateway, 1));
    take_one(2);
    close_relay(0);
    open_relay();
    assert_true(fake_gateway_wait(&t.gateway, 3));
    assert_true(is_same(0, 1));
    assert_false(is_same(0, 2));
    assert_int_equal(spans_of(2), SPANS);
    close_relay(1000);
    fake_gateway_stop(&t.gateway);
}

static void
a_batch_that_is_refused_is_set_aside_and_tried_again_on_reload(void **state)
{
    static const struct fake_step steps[] = {{.status = 400}};
    int64_t aside = metrics_get(METRIC_FORWARDED_ASIDE);
    int64_t refused = metrics_get(METRIC_FORWARD_REFUSED);

    (void)state;
    start(steps, 1);
    take_one(0);
    assert_true(fake_gateway_wait(&t.gateway, 1));
    take_one(1); /* is not held up */
    assert_true(fake_gateway_wait(&t.gateway, 2));
    assert_true(wait_for_metric(METRIC_FORWARDED_ASIDE, aside + SPANS));
    assert_int_equal(metrics_get(METRIC_FORWARD_REFUSED), refused + 1);
    assert_true(metrics_get(METRIC_SPOOL_ASIDE_BYTES) > 0);
    assert_true(wait_for_metric(METRIC_SPOOL_BATCHES, 0));
    set_gateway(t.gateway.url);
    assert_true(fake_gateway_wait(&t.gateway, 3));
    assert_true(is_same(0, 2));
    assert_true(wait_for_metric(METRIC_SPOOL_ASIDE_BYTES, 0));
    close_relay(1000);
    fake_gateway_stop(&t.gateway);
}

/* 500 is not what OTLP repeats: it may be the batch that is at fault. */
static void
errors_that_go_on_and_on_do_not_block_the_line(void **state)
{
    struct fake_step steps[RELAY_ODD_MAX];

    (void)state;
    for (size_t i = 0; i < RELAY_ODD_MAX; i++)
        steps[i] = (struct fake_step){.status = 500};
    start(steps, RELAY_ODD_MAX);
    take_one(0);
    assert_true(fake_gateway_wait(&t.gateway, 1));
    take_one(1);
    assert_true(fake_gateway_wait(&t.gateway, RELAY_ODD_MAX + 1));
    close_relay(1000);
    assert_true(is_same(0, RELAY_ODD_MAX - 1));
    assert_false(is_same(0, RELAY_ODD_MAX));
    assert_int_equal(fake_gateway_got(&t.gateway), RELAY_ODD_MAX + 1);
    fake_gateway_stop(&t.gateway);
}

static void
spans_the_gateway_does_not_want_are_counted(void **state)
{
    static const struct fake_step steps[] = {
        {.status = 200, .body = STR_INIT("\x0a\x05\x08\x03\x12\x01x")}};
    int64_t rejected = metrics_get(METRIC_FORWARDED_REJECTED);
    int64_t taken = metrics_get(METRIC_FORWARDED_SPANS);

    (void)state;
    start(steps, 1);
    take_one(0);
    close_relay(5000);
    assert_int_equal(metrics_get(METRIC_FORWARDED_REJECTED), rejected + 3);
    assert_int_equal(metrics_get(METRIC_FORWARDED_SPANS), taken + SPANS);
    assert_int_equal(fake_gateway_got(&t.gateway), 1);
    fake_gateway_stop(&t.gateway);
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
    start(steps, 1);
    take_one(0);
    close_relay(5000);
    assert_int_equal(metrics_get(METRIC_FORWARDED_REJECTED), rejected + SPANS);
    fake_gateway_stop(&t.gateway);
}

static void
a_full_spool_refuses_until_there_is_room(void **state)
{
    enum { STEPS = 200 };
    static struct fake_step steps[STEPS];

    (void)state;
    for (size_t i = 0; i < STEPS; i++)
        steps[i] = (struct fake_step){.status = 503};
    t.cfg.retry_first_ms = t.cfg.retry_most_ms = 60000;
    t.cfg.spool.max_bytes = 16 << 10;
    start(steps, STEPS);
    size_t i = 0;
    for (; i < BATCHES && atomic_load(&t.full) == 0; i++) {
        int before = t.taken + t.full;
        take(i);
        for (int n = 0; n < 1000 && t.taken + t.full == before; n++)
            usleep(1000);
    }
    assert_true(t.taken > 0 && t.full == 1 && t.failed == 0);
    assert_true(metrics_get(METRIC_SPOOL_BYTES) <= 16 << 10);
    assert_true(relay_is_writable(t.relay));
    assert_true(t.sink.retry_ms(t.sink.ctx) >= 1000);
    /* What was refused is new when it comes again. */
    close_relay(0);
    fake_gateway_stop(&t.gateway);
    fake_gateway_start(&t.gateway, NULL, 0, 0);
    open_relay();
    assert_true(wait_for_metric(METRIC_SPOOL_BATCHES, 0));
    take_one(i - 1);
    close_relay(5000);
    uint32_t spans = 0;
    for (size_t n = 0; n < fake_gateway_got(&t.gateway); n++)
        spans += spans_of(n);
    assert_int_equal(spans, (uint32_t)t.taken * SPANS);
    fake_gateway_stop(&t.gateway);
}

static void
a_request_that_never_fits_is_refused_for_good(void **state)
{
    (void)state;
    t.cfg.spool.max_bytes = 500;
    start(NULL, 0);
    take(0);
    assert_true(wait_for(&t.failed, 1));
    assert_int_equal(t.full, 0);
    close_relay(0);
    assert_int_equal(fake_gateway_got(&t.gateway), 0);
    fake_gateway_stop(&t.gateway);
}

static void
memory_answers_before_it_is_written(void **state)
{
    (void)state;
    t.cfg.answer_at_once = true;
    t.cfg.group_ms = 1000;
    start(NULL, 0);
    take(0);
    assert_int_equal(t.taken, 1); /* at once */
    assert_int_equal(fake_gateway_got(&t.gateway), 0);
    close_relay(5000); /* writes it and sends it */
    assert_int_equal(fake_gateway_got(&t.gateway), 1);
    assert_int_equal(spans_of(0), SPANS);
    fake_gateway_stop(&t.gateway);
}

static void
the_end_sends_what_has_not_aged(void **state)
{
    (void)state;
    t.cfg.spool.batch_age_ns = 60 * NS_PER_S;
    start(NULL, 0);
    take_one(0);
    usleep(50000);
    assert_int_equal(fake_gateway_got(&t.gateway), 0);
    uint64_t begin_ns = clock_mono_ns();
    close_relay(5000);
    assert_true(clock_mono_ns() - begin_ns < 2 * NS_PER_S);
    assert_int_equal(fake_gateway_got(&t.gateway), 1);
    fake_gateway_stop(&t.gateway);
}

static void
the_end_does_not_take_longer_than_it_may(void **state)
{
    static const struct fake_step steps[] = {{.act = FAKE_LATE, .ms = 60000}};
    struct buf why = {0};

    (void)state;
    start(steps, 1);
    const struct forward_cfg patient = {
        .gateway = {.url = t.gateway.url, .stop_fd = relay_stop_fd(t.relay)},
        .timeout_ms = 60000,
    };
    assert_int_equal(relay_set_gateway(t.relay, &patient, &why), OK);
    take_one(0);
    assert_true(fake_gateway_wait(&t.gateway, 1));
    uint64_t begin_ns = clock_mono_ns();
    close_relay(300);
    assert_in_range((clock_mono_ns() - begin_ns) / NS_PER_MS, 200, 2000);
    fake_gateway_stop(&t.gateway);
    fake_gateway_start(&t.gateway, NULL, 0, 0);
    open_relay();
    assert_true(fake_gateway_wait(&t.gateway, 1));
    assert_int_equal(spans_of(0), SPANS);
    close_relay(1000);
    fake_gateway_stop(&t.gateway);
}

static void
put_old(uint64_t at_ns)
{
    struct spool *spool;
    struct buf why = {0};
    uint64_t lost;

    assert_int_equal(
        spool_open(&spool, t.dir, &t.cfg.spool, clock_wall_ns(), &why), OK);
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
    start(NULL, 0);
    close_relay(5000);
    assert_int_equal(metrics_get(METRIC_FORWARDED_DOUBTFUL), doubtful);
    put_old(clock_wall_ns() - RELAY_KNOWN_NS - 30 * NS_PER_S);
    open_relay();
    close_relay(5000);
    assert_int_equal(metrics_get(METRIC_FORWARDED_DOUBTFUL), doubtful + 7);
    assert_int_equal(fake_gateway_got(&t.gateway), 2);
    fake_gateway_stop(&t.gateway);
}

static void
what_is_damaged_in_the_spool_is_set_aside_not_sent(void **state)
{
    int64_t aside = metrics_get(METRIC_FORWARDED_ASIDE);
    char path[128];
    FILE *file;

    (void)state;
    put_old(clock_wall_ns());
    (void)snprintf(path, sizeof(path), "%s/" SPOOL_FILE, t.dir);
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
    start(NULL, 0);
    take_one(0);
    assert_true(fake_gateway_wait(&t.gateway, 1));
    close_relay(5000);
    assert_int_equal(spans_of(0), SPANS);
    assert_int_equal(fake_gateway_got(&t.gateway), 1);
    assert_int_equal(metrics_get(METRIC_FORWARDED_ASIDE), aside + 7);
    fake_gateway_stop(&t.gateway);
}

static void
a_request_without_good_spans_is_done(void **state)
{
    struct span_visitor visitor;

    (void)state;
    start(NULL, 0);
    assert_int_equal(t.sink.begin(t.sink.ctx, 0, &visitor), OK);
    t.sink.submit(t.sink.ctx, 0, (struct digest128){1, 1}, 3, on_done, NULL);
    assert_int_equal(t.taken, 1);
    assert_int_equal(t.sink.begin(t.sink.ctx, 0, &visitor), OK);
    t.sink.abort(t.sink.ctx, 0);
    close_relay(1000);
    assert_int_equal(fake_gateway_got(&t.gateway), 0);
    fake_gateway_stop(&t.gateway);
}

static void
after_the_end_nothing_is_taken_in(void **state)
{
    struct span_visitor visitor;

    (void)state;
    start(NULL, 0);
    relay_stop(t.relay, 0);
    assert_int_equal(t.sink.begin(t.sink.ctx, 0, &visitor), ERR_FULL);
    relay_close(t.relay);
    fake_gateway_stop(&t.gateway);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

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
        TEST(a_request_without_good_spans_is_done),
        TEST(after_the_end_nothing_is_taken_in),
    };

    return cmocka_run_group_tests(tests, group_set_up, group_tear_down);
}
