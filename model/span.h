/*
 * span - one span as it came, before anything is made of it.
 *
 * Views into the request: valid until the request is answered.  A decoder
 * walks a request and calls a span_visitor; nothing is allocated per span.
 *
 * Ids are numbers in network order (the first byte of the wire is the most
 * significant), so printing them as hex gives what the sender prints.
 *
 * Threads    None; plain values.
 */
#ifndef MODEL_SPAN_H
#define MODEL_SPAN_H

#include <stdint.h>

#include "base/str.h"
#include "model/attr.h"

/* As in opentelemetry/proto/trace/v1/trace.proto, 1.11.0. */
enum span_kind {
    SPAN_UNSPECIFIED = 0,
    SPAN_INTERNAL = 1,
    SPAN_SERVER = 2,
    SPAN_CLIENT = 3,
    SPAN_PRODUCER = 4,
    SPAN_CONSUMER = 5,
};

enum span_status { SPAN_UNSET = 0, SPAN_OK = 1, SPAN_ERROR = 2 };

/* Bits of span.flags beside the W3C trace flags in bits 0 to 7. */
#define SPAN_HAS_IS_REMOTE UINT32_C(0x100)
#define SPAN_IS_REMOTE     UINT32_C(0x200)

/* Links beyond this are counted in span.links_dropped and not kept.  The
 * SDKs' own default limit is 128. */
enum { SPAN_LINKS_MAX = 1024 };

struct span_link {
    uint64_t trace_hi;
    uint64_t trace_lo;
    uint64_t span_id;
};

struct span {
    uint64_t trace_hi;
    uint64_t trace_lo;
    uint64_t span_id;
    uint64_t parent_id; /* 0: none was sent */
    uint64_t start_ns;  /* since the epoch, as sent */
    uint64_t end_ns;
    uint32_t flags;
    uint8_t kind;   /* enum span_kind; an unknown number is UNSPECIFIED */
    uint8_t status; /* enum span_status; an unknown number is UNSET */
    uint16_t link_len;
    uint32_t links_dropped;
    str name;
    str trace_state;
    const struct attr_set *attrs;
    const struct span_link *links; /* those with valid ids */
};

/*
 * span_visitor receives the spans of one request, in order.  |resource| comes
 * before the spans of each ResourceSpans and |scope| before those of each
 * ScopeSpans, wherever the sender put them; the views they pass are valid
 * until the next call of the same function.  Spans that a rule rejects (R12)
 * are not passed on.  All calls come from the thread that decodes.
 */
struct span_visitor {
    void *ctx;
    void (*resource)(void *ctx, const struct attr_set *resource);
    void (*scope)(void *ctx, str name, str version);
    void (*span)(void *ctx, const struct span *span);
};

#endif
