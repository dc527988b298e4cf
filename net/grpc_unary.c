/*
 * The first byte says whether the message is compressed, four its length:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
#include "net/grpc_unary.h"

enum { COMPRESSED = 1, LENGTH_MOST = 0xff };

/* Core looks at a prefix when all of it is there, and so none of it yet. */
static void
take_prefix(struct unary *unary, uint8_t *byte)
{
    if (unary->have == 0) {
        unary->is_bad = *byte > COMPRESSED;
        if (unary->is_bad)
            *byte = 0;
    } else {
        if (unary->is_bad)
            *byte = LENGTH_MOST;
        unary->left = unary->left << 8 | *byte;
    }
    unary->have++;
}

void
unary_take(struct unary *unary, uint8_t *bytes, size_t len)
{
    for (; len && unary->have < UNARY_PREFIX_LEN; bytes++, len--)
        take_prefix(unary, bytes);
    unary->left -= len < unary->left ? (uint32_t)len : unary->left;
}
