#include "net/grpc_head.h"

#include <stdlib.h>
#include <string.h>

#include <grpc/slice.h>

str
grpc_head_str(const grpc_slice *slice)
{
    return (str){(const char *)GRPC_SLICE_START_PTR(*slice),
                 GRPC_SLICE_LENGTH(*slice)};
}

static str
copy_str(char **at, str from)
{
    str copy = {*at, from.len};

    if (from.len > 0)
        memcpy(*at, from.ptr, from.len);
    *at += from.len;
    return copy;
}

struct header *
grpc_head_copy(struct request *req, const grpc_metadata_array *metadata,
               str path, str peer)
{
    size_t size = metadata->count * sizeof(struct header) + path.len + peer.len;

    for (size_t i = 0; i < metadata->count; i++)
        size += GRPC_SLICE_LENGTH(metadata->metadata[i].key) +
                GRPC_SLICE_LENGTH(metadata->metadata[i].value);
    struct header *headers = malloc(size + 1);
    if (!headers)
        return NULL;
    char *at = (char *)(headers + metadata->count);
    for (size_t i = 0; i < metadata->count; i++) {
        const grpc_metadata *pair = &metadata->metadata[i];
        headers[i].name = copy_str(&at, grpc_head_str(&pair->key));
        headers[i].value = copy_str(&at, grpc_head_str(&pair->value));
    }
    req->headers = headers;
    req->header_len = metadata->count;
    req->path = copy_str(&at, path);
    req->tls_peer_name = copy_str(&at, peer);
    return headers;
}

void
grpc_head_drop(grpc_metadata_array *metadata, grpc_call_details *details)
{
    grpc_metadata_array_destroy(metadata);
    grpc_metadata_array_init(metadata);
    grpc_call_details_destroy(details);
    grpc_call_details_init(details);
}
