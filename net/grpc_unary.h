/*
 * grpc_unary - the message of a call, followed in its DATA before gRPC core
 * has it.
 *
 * Core 1.51 takes a message whose prefix is none, its first byte above 1, for
 * an empty one, which was answered as if all had been taken in.
 *
 *     unary_take(call, DATA) ... unary_take(call, DATA)
 *
 * So a prefix that is none is made one of more bytes than will ever come: core
 * then says, at the end of the call, that its message did not become whole.
 * What stands behind the first message core never looks at.
 *
 * Bound      One message a call is looked at; its bytes are not.
 * Threads    One at a time.
 */
#ifndef NET_GRPC_UNARY_H
#define NET_GRPC_UNARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNARY_PREFIX_LEN = 5 };

/* Zeroed to begin. */
struct unary {
    uint32_t left; /* of the message, once its prefix is here */
    uint8_t have;  /* of its prefix */
    bool is_bad;
};

/* unary_take follows |len| bytes of DATA, and may change those of a prefix. */
void unary_take(struct unary *unary, uint8_t *bytes, size_t len);

static inline bool
unary_is_whole(const struct unary *unary)
{
    return unary->have == UNARY_PREFIX_LEN && unary->left == 0;
}

#endif
