/*
 * self_span - one thing this program did, and many as an OTLP request.
 *
 * Memory     A span is of fixed size: what does not fit is cut.
 * Threads    Pure functions.
 */
#ifndef CMD_SELF_SPAN_H
#define CMD_SELF_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/request.h"

enum { SELF_TEXT_CAP = 64, SELF_SPANS_MAX = 512 };

struct self_span {
    uint64_t trace_hi;
    uint64_t trace_lo;
    uint64_t id;
    uint64_t parent_id; /* 0: none */
    uint64_t start_ns;  /* since the epoch */
    uint64_t end_ns;
    bool is_server; /* a request that was answered, else work of our own */
    bool has_failed;
    int status;                /* of HTTP; 0: none */
    char name[SELF_TEXT_CAP];  /* if no request */
    char route[SELF_TEXT_CAP]; /* if one: what it went to */
    char verb[8];
    char method[SELF_TEXT_CAP]; /* of MCP, and the tool; "": none */
    char tool[SELF_TEXT_CAP];
};

/* self_span_begin gives |span| ids, those of a valid |traceparent| (W3C) or new
 * ones. */
void
self_span_begin(struct self_span *span, str traceparent, uint64_t start_ns);

/* self_span_of_request fills in what |req| asks; false: it is not worth a span
 * (probes, files of the web pages). */
bool self_span_of_request(struct self_span *span, const struct request *req);

/* self_span_json appends |len| spans of |service| as one ExportTraceService
 * request in JSON.  False: memory was short. */
bool self_span_json(const struct self_span *spans, size_t len,
                    const char *service, struct buf *out);

#endif
