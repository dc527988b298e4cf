/*
 * grpc_head - what a call says before its message, as a copy of ours: core's
 * own goes with the call, which may end before it is answered.
 *
 * Threads    Any.
 */
#ifndef NET_GRPC_HEAD_H
#define NET_GRPC_HEAD_H

#include <grpc/grpc.h>

#include "base/str.h"
#include "net/request.h"

/* grpc_head_str is a view of |slice|. */
str grpc_head_str(const grpc_slice *slice);

/* grpc_head_copy gives |req| headers, path and the name of its peer in one
 * piece of memory, to be released with free(); NULL without memory. */
struct header *
grpc_head_copy(struct request *req, const grpc_metadata_array *metadata,
               str path, str peer);

/* grpc_head_drop gives back to core what it told of a call; both are empty. */
void grpc_head_drop(grpc_metadata_array *metadata, grpc_call_details *details);

#endif
