/*
 * On any machine: a request has one resource, as a rule, so what vectors of
 * more bytes would gain is not worth choosing them.
 */
#include "otlp/decode_resource_fast.h"

#include "otlp/decode_attr_fast.h"

const uint8_t *
decode_resource_fast(struct decode_scratch *s, const uint8_t *p,
                     const uint8_t *end, bool *is_plain)
{
    struct found found = {bytes64_text_none(), bytes64_pair_none()};
    const uint8_t *next;

    while ((next = attribute(s, p, end, RESOURCE_ATTRIBUTE, &found)))
        p = next;
    *is_plain = bytes64_text_is_ascii(found.text);
    if (*is_plain) {
        bytes64_pair_add(&found.mask, s->resource.mask);
        bytes64_pair_put(found.mask, s->resource.mask);
    }
    return p;
}
