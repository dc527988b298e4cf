/*
 * pair_entry - a span that is held, and what refers to what.
 *
 * An entry is a span that came, or stands for one that did not (yet).  Ids of
 * entries are those of pair_ids, of links indexes into an array; 0 is none.
 * Parents, children and holders may be gone: whoever follows an id that is not
 * of the pool asks pair_live first.  But a |prev| is always held.
 *
 * Threads    None; plain values.
 */
#ifndef RUNTIME_PAIR_ENTRY_H
#define RUNTIME_PAIR_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/stub.h"

/* Bits of pair_entry.flags: what the span is.  Those that a stub has, too, are
 * the same ... */
#define PAIR_INGRESS   STUB_INGRESS
#define PAIR_EGRESS    STUB_EGRESS
#define PAIR_FAILED    STUB_FAILED
#define PAIR_WEIGHTED  STUB_WEIGHT_KNOWN
#define PAIR_SYNTHETIC STUB_SYNTHETIC
#define PAIR_DB        STUB_DB
#define PAIR_PUBLISH   STUB_PUBLISH
#define PAIR_CREATE    STUB_CREATE
#define PAIR_RECEIVE   STUB_RECEIVE
#define PAIR_OF_STUB                                            \
    (PAIR_INGRESS | PAIR_EGRESS | PAIR_FAILED | PAIR_WEIGHTED | \
     PAIR_SYNTHETIC | PAIR_DB | PAIR_PUBLISH | PAIR_CREATE | PAIR_RECEIVE)
/* ... others take the places of those that are not kept ... */
#define PAIR_CONSUMER UINT32_C(0x00000008)
#define PAIR_PRODUCER UINT32_C(0x00000010) /* links to it mean messages */
#define PAIR_SYMBOL   UINT32_C(0x00000080) /* code is its own */
#define PAIR_CHILD                                         \
    UINT32_C(0x00001000) /* an ingress whose parent, if it \
                            does not come, is missed */
/* ... and what became of it. */
#define PAIR_ABSENT   UINT32_C(0x00002000) /* did not come; in the pool */
#define PAIR_GHOST    UINT32_C(0x00004000) /* came, horizon over; in the pool */
#define PAIR_POOLED   (PAIR_ABSENT | PAIR_GHOST)
#define PAIR_TOLD     UINT32_C(0x00008000) /* what it stands for is told */
#define PAIR_WAITED   UINT32_C(0x00010000)
#define PAIR_HOLDER   UINT32_C(0x00020000) /* takes its parent's latency */
#define PAIR_NESTED   UINT32_C(0x00040000) /* egress below egress (R13) */
#define PAIR_REPEATED UINT32_C(0x00080000) /* its parent sends the same */
#define PAIR_SENT                                                          \
    UINT32_C(0x00100000)                   /* create, or marker: the trace \
                                              holds a send */
#define PAIR_ANSWERED UINT32_C(0x00200000) /* its nest has a callee */
#define PAIR_INFERRED UINT32_C(0x00400000) /* stands for its service (R2) */
#define PAIR_ONE      UINT32_C(0x00800000) /* has had an ingress child */
#define PAIR_MANY     UINT32_C(0x01000000) /* has had several */
#define PAIR_PASSED \
    UINT32_C(0x02000000) /* in the index it is behind a full bucket */
#define PAIR_SHADOWED                                                      \
    UINT32_C(0x04000000)                  /* receive: a process has one of \
                                             its messages (R7) */
#define PAIR_EXCUSED UINT32_C(0x08000000) /* the same for its parent */
#define PAIR_RECEIVED                                                         \
    UINT32_C(0x10000000)                    /* producer: receives refer to it \
                                             */
#define PAIR_PROCESSED UINT32_C(0x20000000) /* producer: processes do */
#define PAIR_SUB_DB    UINT32_C(0x40000000) /* sub_peer is a database */
#define PAIR_JOINED                                                  \
    UINT32_C(0x80000000) /* its parent came; if that is gone, it was \
                            forgotten since */

/* Of an ingress, and of an egress that receives nothing, two bits mean another
 * thing: that its caller is told (R3), and that it shares its id with a server
 * (pair_shared.h). */
#define PAIR_ROOT   PAIR_NESTED
#define PAIR_SHARED PAIR_SHADOWED

/* Of an egress two more: STUB_ABOVE, and that sub_peer is a name of the sort of
 * STUB_UNPLACED.  Of what is none two: that it has a child of the former, and
 * that it has one that is a query of a driver (pair_beside.h). */
#define PAIR_ABOVE      PAIR_HOLDER
#define PAIR_UNPLACED   PAIR_CHILD
#define PAIR_HAS_ABOVE  PAIR_SUB_DB
#define PAIR_HAS_DRIVER PAIR_ONE

_Static_assert((PAIR_OF_STUB & (PAIR_CONSUMER | PAIR_PRODUCER | PAIR_SYMBOL |
                                PAIR_CHILD | PAIR_ABSENT)) == 0,
               "a bit means one thing");

#define PAIR_NO_LATENCY UINT64_C(2047)

/* What is needed of a neighbour: one cache line. */
struct pair_entry {
    uint64_t trace_hi;
    uint64_t trace_lo;
    uint64_t span_id; /* 0: the marker of its trace (pair_links.h) */
    uint32_t flags;
    uint32_t service;
    uint32_t site; /* where its calls happen; of an ingress, the endpoint */
    uint32_t parent;
    uint32_t next; /* child of the same parent, in the same list; free pool
                      entry */
    uint32_t prev;
    uint32_t kids; /* children that are not in |reps| */
    uint32_t reps; /* one child for each other service (pair_join.h) */
    uint32_t in;   /* links to it */
    uint32_t code; /* symbol its calls happen in, or 0 */
};

/* What is needed to tell of it.  Those that are absent have none. */
struct pair_facts {
    uint64_t weight : 53;  /* WEIGHT_ONE if it is not known */
    uint64_t latency : 11; /* sketch bucket or PAIR_NO_LATENCY */
    uint32_t start_s;
    uint32_t version;
    uint32_t holder; /* child that takes its latency (R4), for good if gone */
    uint32_t peer;
    uint32_t scope;
    uint32_t out;        /* links it has */
    uint32_t arrived_ms; /* low half; pair_arrived_ms (pair_state.h) */
    uint32_t sub_peer;
    uint64_t sub_id; /* span id of the nested egress behind sub_peer; 0: its
                        own, of STUB_UNPLACED, which has no peer */
};

_Static_assert(sizeof(struct pair_entry) == 64, "one cache line");
_Static_assert(sizeof(struct pair_entry) + sizeof(struct pair_facts) == 112,
               "as documented in pair.h");

/* pair_is_local says whether |entry|, a child of |above|, is part of what that
 * handles. */
static inline bool
pair_is_local(const struct pair_entry *entry, const struct pair_entry *above)
{
    return entry->service == above->service && !(entry->flags & PAIR_INGRESS);
}

struct pair_key {
    uint64_t trace_hi;
    uint64_t trace_lo;
    uint64_t span_id;
};

#endif
