/*
 * Core forgets the name of a message encoding that it does not know, and the
 * compressed flag with it.  So the formats that gRPC clients use besides gzip
 * and deflate are known by their first bytes: none of them can begin an OTLP
 * or health message.
 */
#include "net/grpc_body.h"

#include <stdlib.h>
#include <string.h>

#include <grpc/byte_buffer.h>
#include <grpc/slice.h>

char *
grpc_body_flatten(const grpc_byte_buffer *payload, size_t len)
{
    const grpc_slice_buffer *slices = &payload->data.raw.slice_buffer;
    char *bytes = malloc(len + REQUEST_PAD);
    char *at = bytes;

    if (!bytes)
        return NULL;
    for (size_t i = 0; i < slices->count; i++) {
        size_t part_len = GRPC_SLICE_LENGTH(slices->slices[i]);
        memcpy(at, GRPC_SLICE_START_PTR(slices->slices[i]), part_len);
        at += part_len;
    }
    memset(bytes + len, 0, REQUEST_PAD);
    return bytes;
}

enum encoding
grpc_body_encoding(grpc_compression_algorithm algorithm, str bytes)
{
    if (algorithm == GRPC_COMPRESS_GZIP)
        return ENCODING_GZIP;
    if (algorithm == GRPC_COMPRESS_DEFLATE)
        return ENCODING_DEFLATE;
    if (str_starts(bytes, STR("\x28\xb5\x2f\xfd")))
        return ENCODING_ZSTD;
    if (str_starts(bytes, STR("\xff\x06\x00\x00sNaPpY")) ||
        str_starts(bytes, STR("\x04\x22\x4d\x18")))
        return ENCODING_UNKNOWN; /* snappy, lz4 */
    return ENCODING_IDENTITY;
}

enum request_problem
grpc_body_problem(enum err err)
{
    switch (err) {
    case OK:
        return REQUEST_WHOLE;
    case ERR_TOO_LARGE:
        return REQUEST_TOO_LARGE;
    case ERR_NOMEM:
        return REQUEST_NO_ROOM;
    default:
        return REQUEST_BAD_ENCODING;
    }
}
