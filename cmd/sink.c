#include "cmd/sink.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/metrics.h"

/* What a request is taken to hold before it is decoded: the queue's room is
 * asked for this much, the rest is its slack. */
enum { STUBS_EXPECTED = 512 };

/* What stands before a lane while a service is dropped. */
struct gate {
    const struct sink *sink;
    struct span_visitor lane;
    bool is_dropping; /* the spans of this resource */
    uint32_t kept;
    uint32_t dropped;
};

struct sink {
    struct session *session;
    str dropped_service; /* empty: none */
    size_t len;
    struct intake_lane *lanes[SINK_LANES_MAX];
    struct gate gates[SINK_LANES_MAX];
};

static void
pass_resource(void *ctx, const struct attr_set *resource)
{
    struct gate *gate = ctx;

    gate->is_dropping = str_eq(attr_str(resource, ATTR_SERVICE_NAME),
                               gate->sink->dropped_service);
    if (!gate->is_dropping)
        gate->lane.resource(gate->lane.ctx, resource);
}

static void
pass_scope(void *ctx, str name, str version)
{
    struct gate *gate = ctx;

    if (!gate->is_dropping)
        gate->lane.scope(gate->lane.ctx, name, version);
}

static void
pass_span(void *ctx, const struct span *span)
{
    struct gate *gate = ctx;

    if (gate->is_dropping) {
        gate->dropped++;
        return;
    }
    gate->kept++;
    gate->lane.span(gate->lane.ctx, span);
}

/* Puts the gate before |visitor|, which stands for the lane. */
static void
close_gate(struct sink *sink, size_t lane, struct span_visitor *visitor)
{
    struct gate *gate = &sink->gates[lane];

    *gate = (struct gate){.sink = sink, .lane = *visitor};
    *visitor = (struct span_visitor){.ctx = gate,
                                     .resource = pass_resource,
                                     .scope = pass_scope,
                                     .span = pass_span};
}

static enum err
begin(void *ctx, size_t lane, struct span_visitor *out)
{
    struct sink *sink = ctx;

    if (!engine_has_room(sink->session->engine, STUBS_EXPECTED)) {
        engine_note_refused(sink->session->engine);
        return ERR_FULL;
    }
    intake_begin(sink->lanes[lane], clock_wall_ns(), out);
    if (sink->dropped_service.len)
        close_gate(sink, lane, out);
    return OK;
}

static void
abandon(void *ctx, size_t lane)
{
    /* The next begin forgets what the lane holds. */
    (void)ctx;
    (void)lane;
}

static void
submit(void *ctx, size_t lane, str bytes, uint32_t rejected,
       void (*done)(void *done_ctx, enum err), void *done_ctx)
{
    struct sink *sink = ctx;
    const struct gate *gate = &sink->gates[lane];
    struct stub_batch *batch = NULL;

    if (gate->dropped) {
        metrics_add(METRIC_SELF_DROPPED, gate->dropped);
        if (gate->kept == 0) {
            done(done_ctx, OK);
            return;
        }
    }
    enum err err = intake_take(sink->lanes[lane], &batch);
    if (err) {
        done(done_ctx, err);
        return;
    }
    batch->rejected = rejected;
    metrics_add(METRIC_TIME_CLAMPED, batch->clamped);
    engine_submit(sink->session->engine, batch, stub_batch_digest(batch, bytes),
                  done, done_ctx);
}

static uint32_t
retry_ms(void *ctx)
{
    struct sink *sink = ctx;

    return engine_retry_ms(sink->session->engine);
}

enum err
sink_new(struct sink **out, struct session *session, size_t lanes,
         struct trace_sink *trace_sink)
{
    struct sink *sink = calloc(1, sizeof(*sink));
    enum err err = OK;

    assert(lanes <= SINK_LANES_MAX);
    *out = NULL;
    if (!sink)
        return ERR_NOMEM;
    sink->session = session;
    for (; sink->len < lanes && !err; sink->len++)
        err = intake_lane_new(&sink->lanes[sink->len], &session->intake,
                              session->nodes, session->routes);
    if (err) {
        sink_free(sink);
        return err;
    }
    *trace_sink = (struct trace_sink){
        .ctx = sink,
        .begin = begin,
        .abort = abandon,
        .submit = submit,
        .retry_ms = retry_ms,
    };
    *out = sink;
    return OK;
}

void
sink_drop_service(struct sink *sink, str name)
{
    sink->dropped_service = name;
}

void
sink_free(struct sink *sink)
{
    if (!sink)
        return;
    for (size_t i = 0; i < sink->len; i++)
        intake_lane_free(sink->lanes[i]);
    free(sink);
}
