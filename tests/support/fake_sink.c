#include "tests/support/fake_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/span_count.h"

static void
see_span(void *ctx, const struct span *span)
{
    struct fake_sink *sink = ctx;

    assert_true(span->span_id != 0);
    sink->spans++;
}

static enum err
sink_begin(void *ctx, size_t lane, struct span_visitor *out)
{
    struct fake_sink *sink = ctx;

    assert_int_equal(lane, 0);
    *out = span_count(NULL);
    out->ctx = sink;
    out->span = see_span;
    sink->begun++;
    return sink->begin_err;
}

static void
sink_abort(void *ctx, size_t lane)
{
    struct fake_sink *sink = ctx;

    assert_int_equal(lane, 0);
    sink->aborted++;
}

static void
sink_submit(void *ctx, size_t lane, str bytes, uint32_t rejected,
            void (*done)(void *done_ctx, enum err), void *done_ctx)
{
    struct fake_sink *sink = ctx;

    assert_int_equal(lane, 0);
    sink->submitted++;
    sink->digest = hash_digest(bytes);
    sink->rejected = rejected;
    sink->done = done;
    sink->done_ctx = done_ctx;
    if (!sink->is_later)
        done(done_ctx, sink->done_err);
}

static uint32_t
sink_retry_ms(void *ctx)
{
    (void)ctx;
    return 5000;
}

void
fake_sink_open(struct sink_fixture *fix)
{
    const struct trace_sink sink = {&fix->sink, sink_begin, sink_abort,
                                    sink_submit, sink_retry_ms};

    if (!fix->cfg.traces_path)
        fix->cfg.traces_path = "/v1/traces";
    fix->cfg.lanes = 1;
    assert_int_equal(receiver_new(&fix->receiver, &fix->cfg, &sink), OK);
}

struct fake_request
fake_sink_ask(struct sink_fixture *fix, enum request_protocol protocol,
              const char *path, const char *type, str body)
{
    struct fake_request fake;

    fake_request_init(&fake, protocol, path, body);
    if (type)
        fake_request_header(&fake, "content-type", type);
    fake.req.headers = fake.headers;
    receiver_handle(fix->receiver, &fake.req);
    assert_int_equal(fake.replies, 1);
    return fake;
}

void
fake_request_expect(struct fake_request fake, int status, str body)
{
    assert_int_equal(fake.status, status);
    assert_true(str_eq(buf_str(&fake.body), body));
    fake_request_fini(&fake);
}

void
fake_request_expect_status(struct fake_request fake, int status)
{
    assert_int_equal(fake.status, status);
    fake_request_fini(&fake);
}
