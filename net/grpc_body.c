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

static void
drop_payload(struct grpc_body *body)
{
    if (body->payload)
        grpc_byte_buffer_destroy(body->payload);
    body->payload = NULL;
}

/* Copies the payload into memory of ours. */
static enum err
flatten(struct grpc_body *body)
{
    const grpc_byte_buffer *payload = body->payload;
    const grpc_slice_buffer *slices = &payload->data.raw.slice_buffer;
    size_t len = grpc_body_wire_len(body);
    char *bytes = malloc(len + REQUEST_PAD);
    char *at = bytes;

    if (!bytes)
        return ERR_NOMEM;
    for (size_t i = 0; i < slices->count; i++) {
        size_t part_len = GRPC_SLICE_LENGTH(slices->slices[i]);
        memcpy(at, GRPC_SLICE_START_PTR(slices->slices[i]), part_len);
        at += part_len;
    }
    memset(bytes + len, 0, REQUEST_PAD);
    body->bytes = bytes;
    body->len = len;
    body->compression = payload->data.raw.compression;
    drop_payload(body);
    return OK;
}

static enum encoding
encoding_of_bytes(const struct grpc_body *body)
{
    str bytes = {body->bytes, body->len};

    if (body->compression == GRPC_COMPRESS_GZIP)
        return ENCODING_GZIP;
    if (body->compression == GRPC_COMPRESS_DEFLATE)
        return ENCODING_DEFLATE;
    if (str_starts(bytes, STR("\x28\xb5\x2f\xfd")))
        return ENCODING_ZSTD;
    if (str_starts(bytes, STR("\xff\x06\x00\x00sNaPpY")) ||
        str_starts(bytes, STR("\x04\x22\x4d\x18")))
        return ENCODING_UNKNOWN; /* snappy, lz4 */
    return ENCODING_IDENTITY;
}

bool
grpc_body_is_lost(const struct grpc_body *body, const grpc_call *call)
{
    return !body->payload && grpc_call_failed_before_recv_message(call);
}

void
grpc_body_tell_lost(grpc_call *call)
{
    grpc_call_cancel_with_status(
        call, GRPC_STATUS_INVALID_ARGUMENT,
        "malformed request: not exactly one whole message", NULL);
}

size_t
grpc_body_wire_len(const struct grpc_body *body)
{
    return grpc_byte_buffer_length(body->payload);
}

/* Whether the payload is surely no zstd message. */
static bool
is_plain_payload(const grpc_byte_buffer *payload)
{
    const grpc_slice_buffer *slices = &payload->data.raw.slice_buffer;
    const grpc_slice *first = slices->slices;

    return payload->data.raw.compression == GRPC_COMPRESS_NONE &&
           slices->count > 0 && GRPC_SLICE_LENGTH(*first) >= 4 &&
           memcmp(GRPC_SLICE_START_PTR(*first), "\x28\xb5\x2f\xfd", 4) != 0;
}

struct aside_body
grpc_body_seems(const struct grpc_body *body)
{
    return (struct aside_body){
        .encoding =
            is_plain_payload(body->payload) ? ENCODING_IDENTITY : ENCODING_GZIP,
        .len = grpc_body_wire_len(body),
    };
}

enum err
grpc_body_unpack(struct grpc_body *body, struct inflater *inflater,
                 const struct inflate_room *room)
{
    char *plain = NULL;
    size_t len = 0;
    enum err err = body->payload ? flatten(body) : OK;

    if (err)
        return err;
    enum encoding encoding = encoding_of_bytes(body);
    if (encoding == ENCODING_IDENTITY)
        return OK;
    if (encoding == ENCODING_UNKNOWN)
        return ERR_UNSUPPORTED;
    err = inflate_within(inflater, encoding, (str){body->bytes, body->len},
                         room, &plain, &len);
    if (err)
        return err;
    free(body->bytes);
    body->bytes = plain;
    body->len = len;
    return OK;
}

void
grpc_body_drop(struct grpc_body *body)
{
    drop_payload(body);
    free(body->bytes);
    *body = (struct grpc_body){.payload = NULL};
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
    case ERR_UNSUPPORTED:
        return REQUEST_UNSUPPORTED_ENCODING;
    default:
        return REQUEST_BAD_ENCODING;
    }
}
