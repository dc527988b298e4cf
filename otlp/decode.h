/*
 * decode - an ExportTraceServiceRequest, in place.
 *
 * One pass over the bytes, no message tree, nothing allocated per span: what
 * is needed is handed to a span_visitor as views, the rest is validated and
 * skipped.  Protobuf and JSON give the same calls for the same request.
 *
 * The reference is protobuf-c's generated code (otlp/proto): whatever it
 * accepts is accepted here with the same values, whatever it refuses is
 * refused.  It does not check that strings are UTF-8: one that is not counts as
 * empty, and the result says so.  Such bytes are mostly a stranger's, of a path
 * or a user agent, and are to cost no other span of the batch.  JSON that is
 * not UTF-8 is none.
 *
 * Rejected alone (R12), by count and first reason: a span whose trace id or
 * span id is all zeros or not 16 and 8 bytes, or whose parent id is neither
 * empty nor 8 bytes (all zeros counts as empty); in JSON also a span whose
 * kind or status is not an integer.
 *
 * Memory     |scratch| holds the state of one decoding and is reused; it grows
 *            never.  Views handed out point into |bytes| or into |scratch|.
 *            JSON with escapes takes as much again as the request while it is
 *            decoded, of which one span's worth is touched.
 * Bound      Nesting of AnyValue 32; links of a span SPAN_LINKS_MAX.
 * Threads    One scratch, one thread.
 */
#ifndef OTLP_DECODE_H
#define OTLP_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/span.h"

struct decode_scratch;

struct decode_result {
    uint32_t accepted;
    uint32_t rejected;
    const char *reject_reason; /* of the first rejected span; static; or NULL */
    bool has_bad_text;         /* some text was not UTF-8 and counts as empty */
    const char *error;         /* with ERR_INVALID: what, static */
    size_t error_at;           /* with ERR_INVALID: offset into the bytes */
};

/* decode_scratch_new returns NULL when memory is short. */
struct decode_scratch *decode_scratch_new(void);
void decode_scratch_free(struct decode_scratch *scratch);

/*
 * decode_protobuf walks |bytes|, behind which at least 512 more bytes must be
 * readable (net/request.h REQUEST_PAD).  An empty request is a good one.
 *
 * ERR_INVALID  malformed.  Spans may have been visited: forget them.
 */
enum err
decode_protobuf(struct decode_scratch *scratch, str bytes,
                const struct span_visitor *visitor, struct decode_result *out);

/*
 * decode_json does the same for OTLP/JSON: hex ids in either case, integer
 * enums, 64-bit numbers as string or number, unknown keys ignored, `null` as
 * good as absent.  With |lenient|, for files written by others: ids may be
 * base64 and enums names.  Strict otherwise: a known key twice in one object,
 * a value of another type or anything behind the document refuses the request,
 * and so does a request of no bytes.
 *
 * ERR_INVALID  as above
 * ERR_NOMEM    no memory for the escapes
 */
enum err
decode_json(struct decode_scratch *scratch, str bytes, bool lenient,
            const struct span_visitor *visitor, struct decode_result *out);

#endif
