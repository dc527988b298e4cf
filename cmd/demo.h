/*
 * demo - a recorded trace, replayed as if it were happening now.
 *
 * The recording is that of examples/shop (what `make demo` replays), inside
 * the program, so that an installed package has it.  Every DEMO_EVERY_NS it
 * goes the way of a request that was received: decoded, queued, committed,
 * with ids nobody had before and times that end now.
 *
 *     demo_start(&demo, &sink, lane);  after the engine was started
 *     demo_stop(demo);                 before it is stopped
 *
 * Threads    One of its own, which alone uses |lane| of the sink; the functions
 *            are for the thread that starts and stops.
 */
#ifndef CMD_DEMO_H
#define CMD_DEMO_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "otlp/receiver.h"

#define DEMO_EVERY_NS (UINT64_C(2) * 1000000000)

/* The files of examples/shop: OTLP/JSON, one request a line; and the routes of
 * the service DEMO_SERVICE, of which one is never called. */
str demo_trace(void);
str demo_routes(void);
#define DEMO_SERVICE "gateway"

struct demo;

/* demo_start: ERR_NOMEM. |sink| must outlive it. */
enum err
demo_start(struct demo **out, const struct trace_sink *sink, size_t lane);
/* demo_stop waits until what was handed on is answered.  NULL is fine. */
void demo_stop(struct demo *demo);

/* demo_last_end_ns is the latest endTimeUnixNano of |trace|; 0: none. */
uint64_t demo_last_end_ns(str trace);

/*
 * demo_freshen appends |json| with every trace and span id replaced, the same
 * one by the same one under the same |seed|, and every time moved by
 * |shift_ns|.  What is not a hex id or a number is left as it is.
 */
void demo_freshen(str json, uint64_t seed, uint64_t shift_ns, struct buf *out);

#endif
