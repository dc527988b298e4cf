/*
 * inlet - where spans come in: the receiver and its listeners.
 *
 *     inlet_open; inlet_listen; inlet_start; ... inlet_stop; inlet_close
 *
 * Threads    The owner thread only.
 */
#ifndef CMD_INLET_H
#define CMD_INLET_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config.h"
#include "otlp/receiver.h"

struct inlet;
struct server;

/* inlet_set_up goes before there are other threads.  ERR_NOMEM. */
enum err inlet_set_up(const struct config *cfg);

/* inlet_open makes the receiver as |cfg| says, which must outlive it, with
 * |lanes| into |sink|.  |why| says what is wrong with the tokens. */
enum err
inlet_open(struct inlet **out, const struct config *cfg,
           const struct trace_sink *sink, size_t lanes, struct buf *why);

/* inlet_listen opens the listeners; errors as server_listen.  inlet_start
 * begins to serve. */
enum err inlet_listen(struct inlet *inlet, struct buf *why);
enum err inlet_start(struct inlet *inlet);

/* The ports that the listeners got; 0: not enabled. */
uint16_t inlet_grpc_port(const struct inlet *inlet);
uint16_t inlet_http_port(const struct inlet *inlet);

/* The servers of each, for net/glance.h; NULL: it tells nobody, or is not
 * enabled. */
struct server *inlet_grpc_server(const struct inlet *inlet);
struct server *inlet_http_server(const struct inlet *inlet);

/* inlet_reload reads tokens and certificates again; on failure the old ones
 * stay and |why| says why. */
enum err inlet_reload(struct inlet *inlet, struct buf *why);

/* inlet_stop refuses what is new and waits |drain_ms| at most for what is under
 * way, of all protocols at once.  NULL is fine here and below. */
void inlet_stop(struct inlet *inlet, uint32_t drain_ms);
void inlet_close(struct inlet *inlet);

#endif
