/*
 * traffic - spans of services that call each other, a service after the other.
 *
 * Each service serves ten routes, and each route calls ten others, so there are
 * a hundred edges a service; all are used equally.  A service has its turn
 * after all others had theirs, and tells then what was asked of it since.
 *
 *     traffic_new -> traffic_next ... -> traffic_free
 *
 * Reach      Called are ten different routes of the |reach| services that have
 *            their turns next, so halves come some 64 * |reach| spans apart at
 *            most, whatever the number of services.  0: any routes, some of
 * them twice, halves anywhere: the graph of bench/wide.h. Late       What was
 * asked of a service it tells up to |late| turns later, as where exporters hold
 * back: halves come up to some 64 * |late| apart. Memory     The caller's batch
 * holds all that its spans point to. Threads    None.
 */
#ifndef TESTS_BENCH_TRAFFIC_H
#define TESTS_BENCH_TRAFFIC_H

#include <stdint.h>

#include "otlp/decode.h"

enum {
    TRAFFIC_ROUTES = 10,
    TRAFFIC_CALLS = 10, /* of other routes, by each */
    TRAFFIC_BATCH = 64,
};

struct traffic;

/* A span that was made up, with what it points to. */
struct traffic_span {
    struct span span;
    struct attr_set attrs;
    char path[64];
};

struct traffic_batch {
    uint32_t service;
    uint32_t len;
    struct traffic_span spans[TRAFFIC_BATCH + 1]; /* a request is two */
};

struct traffic_cfg {
    uint32_t services;
    uint32_t reach; /* less than |services| */
    uint32_t late; /* turns; less than |services|: at the next one of its own */
};

/* traffic_new: NULL without memory.  All spans start at |now_ns|. */
struct traffic *traffic_new(struct traffic_cfg cfg, uint64_t now_ns);
void traffic_free(struct traffic *traffic);

/* traffic_next fills |out| with what the next service tells. */
void traffic_next(struct traffic *traffic, struct traffic_batch *out);

/* traffic_set_attr gives |attrs| a text, which stays the caller's. */
void traffic_set_attr(struct attr_set *attrs, enum attr id, const char *text,
                      int len);

#endif
