/*
 * grpc_body - the message of a call as plain, padded, contiguous bytes.
 *
 * Threads    Those of the inflater.
 */
#ifndef NET_GRPC_BODY_H
#define NET_GRPC_BODY_H

#include <stddef.h>

#include <grpc/grpc.h>

#include "net/inflate.h"
#include "net/request.h"

/*
 * grpc_body_flatten copies |payload| into new memory with REQUEST_PAD zeros
 * behind it; NULL when memory is short.  Release it with free().
 */
char *grpc_body_flatten(const grpc_byte_buffer *payload, size_t len);

/* grpc_body_encoding says how |bytes| are encoded, if core says |algorithm|. */
enum encoding
grpc_body_encoding(grpc_compression_algorithm algorithm, str bytes);

/* grpc_body_problem is what an error of inflate_whole means for a request. */
enum request_problem grpc_body_problem(enum err err);

#endif
