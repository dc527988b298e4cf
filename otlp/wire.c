#include "otlp/wire.h"

const uint8_t *
wire_next(const uint8_t *p, const uint8_t *end, struct wire_field *out)
{
    uint64_t tag;

    if (p >= end || *p < 8 || !(p = wire_varint(p, end, 5, &tag)))
        return NULL;
    *out = (struct wire_field){
        .number = (uint32_t)(tag >> 3), .type = tag & 7, .body = p};
    switch (out->type) {
    case WIRE_VARINT:
        if (!(p = wire_varint(p, end, 10, &out->value)))
            return NULL;
        out->len = (size_t)(p - out->body);
        return p;
    case WIRE_FIXED64:
        out->len = 8;
        out->value = wire_load64(p);
        break;
    case WIRE_FIXED32:
        out->len = 4;
        out->value = wire_load32(p);
        break;
    case WIRE_BYTES:
        if (!(out->body = p = wire_bytes(p, end, &out->len)))
            return NULL;
        break;
    default:
        return NULL;
    }
    return out->len <= (size_t)(end - p) ? p + out->len : NULL;
}
