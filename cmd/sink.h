/*
 * sink - joins the receiver to the engine: otlp/ does not know runtime/.
 *
 * Threads    As trace_sink (otlp/receiver.h) says.
 */
#ifndef CMD_SINK_H
#define CMD_SINK_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/session.h"
#include "otlp/receiver.h"

struct sink;

enum { SINK_LANES_MAX = 16 };

/* sink_new makes |lanes| lanes, at most SINK_LANES_MAX, over |session|, which
 * must outlive it, and fills |out|.  ERR_NOMEM. */
enum err sink_new(struct sink **out, struct session *session, size_t lanes,
                  struct trace_sink *trace_sink);
void sink_free(struct sink *sink);

/* sink_drop_service has spans of the service |name| dropped and counted, and
 * requests of nothing else answered without a trace; before the first request.
 * |name| must outlive it. */
void sink_drop_service(struct sink *sink, str name);

#endif
