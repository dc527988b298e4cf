/*
 * edge - what was observed between two nodes, and the one thing that changes
 * it: an observation.
 *
 * Everything in an observation adds, and may be added with the other sign to
 * take it back: the sum is the same whatever the order.  First only falls and
 * last only rises.
 *
 * Kinds from EDGE_TRAFFIC on are accounts kept by the same machinery; they are
 * never shown as edges of the graph.
 *
 * Threads    None; plain values.
 */
#ifndef MODEL_EDGE_H
#define MODEL_EDGE_H

#include <stdbool.h>
#include <stdint.h>

/* Stored in the database: never renumber. */
enum edge_kind {
    EDGE_NONE = 0,
    EDGE_CALL = 1,
    EDGE_VIRTUAL_IN = 2,
    EDGE_VIRTUAL_OUT = 3,
    EDGE_DB = 4,
    EDGE_MSG = 5,
    EDGE_MSG_PUB = 6,
    EDGE_MSG_SUB = 7,
    EDGE_KIND_SHOWN_END = 8,

    /* Accounts; src is 0 unless said. */
    EDGE_TRAFFIC = 32,   /* dst endpoint: every ingress (R1), but synthetic */
    EDGE_SYNTHETIC = 33, /* dst endpoint: probes and tests; for an egress the
                            service */
    EDGE_DENIED = 34,    /* dst endpoint: refused, by HTTP or RPC; these are in
                            EDGE_TRAFFIC too */
    EDGE_SEEN = 35,      /* dst service: every span of it */
    EDGE_SEEN_BY = 36,   /* src scope, dst service: every span of it, for
                            `explain` */
    EDGE_CODE_CALL = 37, /* src symbol, dst as of the edge it is told beside:
                            the function a call, message or query is made in */
    EDGE_HANDLED = 38,   /* src endpoint, dst symbol: the first function met
                            going down from an ingress */

    /* What made no edge; src scope, dst service. */
    EDGE_ORPHAN = 48,          /* ingress whose parent never came */
    EDGE_UNRESOLVED = 49,      /* egress without a name or a callee */
    EDGE_UNRESOLVED_LINK = 50, /* link to a span that never came */
    EDGE_INPROC_DB = 51,
    EDGE_EVICTED = 52, /* forgotten while something was awaited */
    EDGE_DUPLICATE = 53,
};

#define EDGE_NO_LATENCY UINT16_MAX

struct edge_key {
    uint32_t src;
    uint32_t dst;
    uint8_t kind; /* enum edge_kind */
};

/* One observation of an edge, or with negative numbers its withdrawal. */
struct edge_obs {
    struct edge_key key;
    int32_t count;        /* mostly 1 or -1 */
    int32_t errors;       /* of them */
    int32_t weight_known; /* of them */
    int64_t weight;       /* in 1/WEIGHT_ONE, with the sign of count */
    uint32_t at_s;        /* span time, seconds since the epoch */
    uint32_t until_s;     /* of several, the last, in the same hour; 0: at_s */
    uint16_t latency;     /* sketch bucket (graph/sketch.h), EDGE_NO_LATENCY */
    uint32_t src_version; /* node ids; 0: unknown */
    uint32_t dst_version;
};

/* One trace in which an edge was observed: its id as W3C Trace Context has it,
 * sixteen bytes as two words, the first of them the high one. */
struct exemplar {
    uint64_t trace_hi;
    uint64_t trace_lo;
    uint32_t at_s; /* span time, seconds since the epoch */
    bool failed;
};

/* Of one edge at once, at most: one that failed and one that did not. */
enum { EXEMPLARS_EDGE_MAX = 2 };

/* exemplar_id writes the id of the trace in hex and returns |out|. */
enum { EXEMPLAR_ID_LEN = 32 };
const char *
exemplar_id(const struct exemplar *exemplar, char out[EXEMPLAR_ID_LEN + 1]);

/* weights_add adds what several stand for.  Who sends spans says what they
 * weigh, so sums stop at the ends of the scale. */
static inline int64_t
weights_add(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        sum = b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

static inline bool
edge_key_eq(struct edge_key a, struct edge_key b)
{
    return a.src == b.src && a.dst == b.dst && a.kind == b.kind;
}

static inline const char *
edge_kind_str(uint8_t kind)
{
    static const char *const names[] = {
        [EDGE_CALL] = "call",
        [EDGE_VIRTUAL_IN] = "virtual_in",
        [EDGE_VIRTUAL_OUT] = "virtual_out",
        [EDGE_DB] = "db",
        [EDGE_MSG] = "msg",
        [EDGE_MSG_PUB] = "msg_pub",
        [EDGE_MSG_SUB] = "msg_sub",
    };

    return kind >= EDGE_CALL && kind < EDGE_KIND_SHOWN_END ? names[kind]
                                                           : "none";
}

/* edge_kind_of is the inverse; EDGE_NONE for any other word. */
uint8_t edge_kind_of(const char *name);

#endif
