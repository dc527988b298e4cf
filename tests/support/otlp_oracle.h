/*
 * otlp_oracle - what the visitor must see, according to protobuf-c.
 *
 * Both sides write a log, a line for each call with all its values; equal logs
 * mean equal behaviour.  protobuf-c's strings end at the first NUL, so its
 * allocator is asked for their true length.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_OTLP_ORACLE_H
#define TESTS_SUPPORT_OTLP_ORACLE_H

#include <stdbool.h>

#include "base/buf.h"
#include "otlp/decode.h"

/* What one decoding gave. */
struct otlp_seen {
    enum err err;
    struct buf log;
    struct decode_result result;
    bool has_bad_text; /* oracle: a string that is not UTF-8 */
    bool has_nul;    /* oracle: a string that JSON printed from it would cut */
    int depth;       /* oracle: deepest AnyValue */
    struct buf json; /* oracle: the request as JSON, if it was asked for */
};

void otlp_seen_fini(struct otlp_seen *seen);

/* otlp_oracle decodes |bytes| with protobuf-c; with |json|, prints it too. */
void otlp_oracle(struct otlp_seen *out, str bytes, bool json);

/* otlp_decode_protobuf and _json copy |bytes| into memory of exactly the size
 * that is promised, decode it there, and log. */
void otlp_decode_protobuf(struct otlp_seen *out, struct decode_scratch *scratch,
                          str bytes);
void otlp_decode_json(struct otlp_seen *out, struct decode_scratch *scratch,
                      str bytes, bool lenient);

/*
 * otlp_difference compares the decoder with the oracle on |bytes|, and with
 * itself on the request as JSON if |json| and there is no NUL in its strings.
 * Returns what differs, or NULL.
 */
const char *
otlp_difference(struct decode_scratch *scratch, str bytes, bool json);

#endif
