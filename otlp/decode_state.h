/*
 * decode_state - what the decoders of one request share.
 *
 * Private to otlp/decode_*.c.  A decoding function takes the scratch, the
 * position and the end, and returns the position behind what it read or false;
 * then the reason and its place are in |result|.
 *
 * Threads    One scratch, one thread.
 */
#ifndef OTLP_DECODE_STATE_H
#define OTLP_DECODE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "model/span.h"
#include "otlp/attr_hash.h"
#include "otlp/decode.h"
#include "otlp/decode_fast.h"
#include "otlp/json.h"
#include "otlp/wire.h"

/* The value of an attribute is level 1, what is in it level 2, and so on. */
enum { DECODE_NESTING_MAX = 32 };

/* Field numbers of AnyValue. */
enum {
    VALUE_NONE = 0,
    VALUE_STRING = 1,
    VALUE_BOOL = 2,
    VALUE_INT = 3,
    VALUE_DOUBLE = 4,
    VALUE_ARRAY = 5,
    VALUE_KVLIST = 6,
    VALUE_BYTES = 7,
    VALUE_STRINDEX = 8,
};

typedef bool
decode_span_fn(struct decode_scratch *s, const uint8_t *p, const uint8_t *end);

struct decode_scratch {
    const uint8_t *base; /* the request */
    const struct span_visitor *visitor;
    struct decode_result *result;
    decode_span_fn *span_fn; /* the one this machine runs best */

    struct span span;     /* links and attrs always point below */
    bool bad_parent;      /* neither empty nor 8 bytes */
    const char *bad_enum; /* JSON: why this span is rejected for its kind or
                             status; or NULL */
    struct attr_set attrs;
    struct attr_set resource;
    struct attr_index index;
    struct decode_fast fast;
    struct span_link links[SPAN_LINKS_MAX];

    /* JSON only. */
    struct json json;
    bool lenient;
    bool no_memory;
    char *text; /* what was unescaped; as large as the request */
    size_t text_len;
};

/* decode_fail notes the first thing that is wrong, and is false. */
bool decode_fail(struct decode_scratch *s, const uint8_t *at, const char *what);

/* decode_attr_set stores |value| where |key| belongs, if it is known. */
static inline void
decode_attr_set(const struct decode_scratch *s, struct attr_set *set, str key,
                struct attr_value value)
{
    size_t slot = attr_find(&s->index, key);

    if (slot == ATTR_COUNT)
        return;
    set->value[slot] = value;
    set->mask[slot / 64] |= UINT64_C(1) << (slot % 64);
}

/* decode_span_reset empties the span and its attributes. */
void decode_span_reset(struct decode_scratch *s);

/* decode_span_done passes the span on, or rejects it alone (R12). */
void decode_span_done(struct decode_scratch *s);

/* decode_link_add keeps a link, or counts it as dropped. */
void decode_link_add(struct decode_scratch *s, struct span_link link);

/*
 * decode_next reads one field.  |types| is what the message knows: for each
 * field number from 1, one of
 *   s string   b bytes or message   v varint   8, 4 fixed   o bool (any type)
 *   . unknown
 * A known field of another wire type is refused, a string that is not UTF-8 is
 * empty.
 */
const uint8_t *
decode_next(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
            const char *types, struct wire_field *out);

/* decode_attribute reads the KeyValue |body| and stores it in |set|, or only
 * checks it if that is NULL. */
bool decode_attribute(struct decode_scratch *s, const struct wire_field *body,
                      struct attr_set *set);

/* decode_span_field reads one field of a span in any valid form.  Returns the
 * position behind it or NULL. */
const uint8_t *decode_span_field(struct decode_scratch *s, const uint8_t *p,
                                 const uint8_t *end);

/* decode_span_exact reads a span field by field, assuming nothing. */
decode_span_fn decode_span_exact;

/* The same for spans as they usually come, on any machine and for some. */
decode_span_fn decode_span_fast, decode_span_fast_avx2, decode_span_fast_pext,
    decode_span_fast_avx512;

/* decode_span_fns writes those that this machine can run, the best first, and
 * returns how many they are. */
enum { DECODE_SPAN_FNS = 5 };
size_t decode_span_fns(decode_span_fn *out[DECODE_SPAN_FNS]);

#endif
