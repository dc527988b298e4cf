#include "tests/support/relay_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "net/inflate.h"
#include "tests/support/dir.h"
#include "tests/support/span_count.h"

struct relay_rig relay_rig;

int
relay_rig_make(void **state)
{
    (void)state;
    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    relay_rig.payload = payload_new(RELAY_RIG_BATCHES, RELAY_RIG_SPANS, false);
    relay_rig.scratch = decode_scratch_new();
    return relay_rig.payload && relay_rig.scratch ? 0 : -1;
}

int
relay_rig_drop(void **state)
{
    (void)state;
    payload_free(relay_rig.payload);
    decode_scratch_free(relay_rig.scratch);
    return 0;
}

int
relay_rig_setup(void **state)
{
    (void)state;
    dir_make(relay_rig.dir);
    relay_rig.cfg = (struct relay_cfg){
        .dir = relay_rig.dir,
        .spool = {.max_bytes = 1 << 20,
                  .batch_bytes = 1 << 20,
                  .batch_age_ns = 10 * NS_PER_MS,
                  .is_durable = true},
        .group_ms = 1,
        .retry_first_ms = 5,
        .retry_most_ms = 20,
        .lanes = 1,
    };
    relay_rig.taken = relay_rig.full = relay_rig.failed = 0;
    return 0;
}

int
relay_rig_teardown(void **state)
{
    (void)state;
    dir_remove(relay_rig.dir);
    return 0;
}

void
relay_rig_gateway(const char *url)
{
    struct buf why = {0};
    const struct forward_cfg cfg = {
        .gateway = {.url = url, .stop_fd = relay_stop_fd(relay_rig.relay)},
        .timeout_ms = 200,
    };

    assert_int_equal(relay_set_gateway(relay_rig.relay, &cfg, &why), OK);
    buf_fini(&why);
}

void
relay_rig_open(void)
{
    struct buf why = {0};

    enum err err = relay_open(&relay_rig.relay, &relay_rig.cfg, &why);
    if (err)
        fail_msg("%s: %s", err_str(err), buf_cstr(&why));
    relay_get_sink(relay_rig.relay, &relay_rig.sink);
    relay_rig_gateway(relay_rig.gateway.url);
    assert_int_equal(relay_start(relay_rig.relay), OK);
    buf_fini(&why);
}

void
relay_rig_start(const struct fake_step *steps, size_t len)
{
    fake_gateway_start(&relay_rig.gateway, steps, len, 0);
    relay_rig_open();
}

void
relay_rig_close(uint32_t drain_ms)
{
    relay_stop(relay_rig.relay, drain_ms);
    relay_close(relay_rig.relay);
    relay_rig.relay = NULL;
}

void
relay_rig_done(void *ctx, enum err err)
{
    (void)ctx;
    atomic_fetch_add(err == OK         ? &relay_rig.taken
                     : err == ERR_FULL ? &relay_rig.full
                                       : &relay_rig.failed,
                     1);
}

void
relay_rig_take(size_t i)
{
    struct span_visitor visitor;
    struct decode_result result;
    str bytes = relay_rig.payload->batches[i];
    enum err err = relay_rig.sink.begin(relay_rig.sink.ctx, 0, &visitor);

    if (err) {
        relay_rig_done(NULL, err);
        return;
    }
    assert_int_equal(
        decode_protobuf(relay_rig.scratch, bytes, &visitor, &result), OK);
    relay_rig.sink.submit(relay_rig.sink.ctx, 0, bytes, 0, relay_rig_done,
                          NULL);
}

bool
relay_rig_wait(const atomic_int *number, int want)
{
    for (int i = 0; i < 1000 && atomic_load(number) < want; i++)
        usleep(5000);
    return atomic_load(number) == want;
}

bool
relay_rig_wait_metric(enum metric id, int64_t want)
{
    for (int i = 0; i < 1000 && metrics_get(id) != want; i++)
        usleep(5000);
    return metrics_get(id) == want;
}

void
relay_rig_take_one(size_t i)
{
    int before = atomic_load(&relay_rig.taken);

    relay_rig_take(i);
    assert_true(relay_rig_wait(&relay_rig.taken, before + 1));
}

uint32_t
relay_rig_spans(size_t i)
{
    struct inflater *inflater = inflater_new();
    struct decode_result result;
    uint32_t spans = 0;
    const struct span_visitor visitor = span_count(&spans);
    size_t len;
    char *out;

    assert_int_equal(inflate_whole(inflater, ENCODING_GZIP,
                                   buf_str(&relay_rig.gateway.got[i].body),
                                   64 << 20, &out, &len),
                     OK);
    assert_int_equal(
        decode_protobuf(relay_rig.scratch, (str){out, len}, &visitor, &result),
        OK);
    free(out);
    inflater_free(inflater);
    return spans;
}

bool
relay_rig_is_same(size_t a, size_t b)
{
    return str_eq(buf_str(&relay_rig.gateway.got[a].body),
                  buf_str(&relay_rig.gateway.got[b].body));
}
