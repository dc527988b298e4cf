/*
 * self_trace - the service tells of its own work, in its own words: spans of
 * the questions it answers and of its flushes, sent over OTLP/HTTP.
 *
 * Off unless service.self_trace.enabled says so.  One of so many is told.  It
 * never feeds on itself: spans of its own service.name that arrive are counted
 * and dropped before they are queued (cmd/sink.h), so they cause no commit and
 * no flush, and no request that brings spans is told of at all.
 *
 *     self_trace_start(&trace, cfg, &why)
 *     self_trace_request(trace, req)     in the handler, before it is answered
 *     self_trace_flushed(trace, ...)     an engine_flushed_fn
 *     self_trace_stop(trace)             after all requests were answered
 *
 * Bound      SELF_SPANS_MAX spans wait to be sent; more are lost, and counted,
 *            as those are that nobody takes.
 * Threads    One of its own, which sends.  self_trace_request and _flushed:
 * any.
 */
#ifndef CMD_SELF_TRACE_H
#define CMD_SELF_TRACE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config.h"
#include "net/request.h"

struct self_trace;

/* self_trace_start: NULL in |out| if it is off.  |cfg| must outlive it.
 * ERR_INVALID: no such URL; ERR_NOMEM. */
enum err self_trace_start(struct self_trace **out, const struct config *cfg,
                          struct buf *why);
/* self_trace_stop sends what is there, for two seconds at most.  NULL is fine
 * here and below. */
void self_trace_stop(struct self_trace *trace);

void self_trace_request(struct self_trace *trace, struct request *req);
void self_trace_flushed(void *ctx, uint64_t duration_ns, enum err err);

/* self_trace_url appends where spans go: as |cfg| says, or else the environment
 * (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_ENDPOINT). */
void self_trace_url(const struct config *cfg, struct buf *out);

#endif
