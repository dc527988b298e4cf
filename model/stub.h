/*
 * stub - what is kept of a span: fixed size, strings replaced by node ids.
 *
 * A receiver thread makes stubs from spans; the journal stores them; the graph
 * thread pairs them.  Nothing in a stub points anywhere, so a stub read back
 * from the journal is the stub that was written.
 *
 * Threads    None; plain values.
 */
#ifndef MODEL_STUB_H
#define MODEL_STUB_H

#include <stdint.h>

#include "model/span.h"

/* Bits of stub.flags. */
#define STUB_INGRESS UINT32_C(0x0001) /* SERVER or CONSUMER */
#define STUB_EGRESS                                                           \
    UINT32_C(0x0002)                       /* CLIENT or PRODUCER, but for the \
                                              messaging receive and settle */
#define STUB_FAILED       UINT32_C(0x0004) /* status ERROR */
#define STUB_REMOTE_KNOWN UINT32_C(0x0008) /* the sender told ...           */
#define STUB_REMOTE       UINT32_C(0x0010) /* ... that the parent is remote */
#define STUB_WEIGHT_KNOWN UINT32_C(0x0020)
#define STUB_SYNTHETIC    UINT32_C(0x0040) /* probes, tests, excluded routes */
#define STUB_DENIED       UINT32_C(0x0080) /* as endpoint_refused has it */
#define STUB_DB           UINT32_C(0x0100) /* |peer| is a database */
#define STUB_PUBLISH      UINT32_C(0x0200) /* sends a message */
#define STUB_CREATE       UINT32_C(0x0400) /* makes a message, sends it later */
#define STUB_RECEIVE      UINT32_C(0x0800) /* messaging receive, any kind */
#define STUB_INPROC_DB    UINT32_C(0x1000) /* INTERNAL with db attributes */
#define STUB_BACKWARDS                              \
    UINT32_C(0x2000) /* ended before it started: no \
                        latency sample (R11) */
#define STUB_ABOVE                                                        \
    UINT32_C(0x4000) /* has a |peer|, and is of a library above a driver, \
                        which may tell of the same call beside it */
#define STUB_UNPLACED                                              \
    UINT32_C(0x8000) /* STUB_DB, named by its namespace or system: \
                        where it is was not told */

/* A weight is how many spans one stands for.  Stored as a whole number of
 * 1/WEIGHT_ONE, so that sums are exact and do not depend on their order, up to
 * where they stop: at 2^43 spans (weights_add). */
#define WEIGHT_ONE UINT64_C(1048576)
#define WEIGHT_MAX (WEIGHT_ONE << 32)

struct stub {
    uint64_t trace_hi;
    uint64_t trace_lo;
    uint64_t span_id;
    uint64_t parent_id;   /* 0: none */
    uint64_t start_ns;    /* since the epoch, inside the accepted window */
    uint64_t duration_ns; /* 0 with STUB_BACKWARDS */
    uint64_t weight;      /* 0 < weight <= WEIGHT_MAX, in 1/WEIGHT_ONE */
    uint32_t service;     /* node ids; 0: none */
    uint32_t endpoint;    /* what an ingress serves, else 0 */
    uint32_t peer;        /* topic, database, or named outside party */
    uint32_t version;     /* of the service */
    uint32_t scope;       /* instrumentation scope, for `explain` */
    uint32_t symbol;      /* function the span names, else 0 */
    uint32_t flags;
    uint32_t link_at; /* first of its links in stub_batch.links */
    uint16_t link_len;
    uint8_t kind; /* enum span_kind */
};

/* One request's worth.  Owned by whoever the function that passes it says. */
struct stub_batch {
    struct stub *stubs;
    struct span_link *links;
    uint32_t stub_len;
    uint32_t link_len;
    uint32_t clamped;     /* stubs whose times were moved (R11) */
    uint32_t backwards;   /* stubs with STUB_BACKWARDS */
    uint32_t rejected;    /* spans refused alone (R12) */
    uint64_t received_ns; /* wall clock */
};

#endif
