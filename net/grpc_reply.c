/*
 * Core adds grpc-accept-encoding to the headers of an answer, but sends a
 * failure without headers as one block of trailers, and then leaves it out.
 * So there it goes among the trailers, which are the same block; core still
 * strikes out encodings that it does not know itself.
 */
#include "net/grpc_reply.h"

#include <string.h>

#include <grpc/byte_buffer.h>
#include <grpc/slice.h>

enum { HEAD_MAX = GRPC_REPLY_META_MAX - 2 }; /* two more may follow */

static grpc_slice
copy_slice(str from)
{
    return grpc_slice_from_copied_buffer(from.ptr, from.len);
}

static void
add_meta(struct grpc_reply *reply, str name, str value)
{
    grpc_slice key = copy_slice(name);
    grpc_slice val = copy_slice(value);

    if (reply->meta_len < GRPC_REPLY_META_MAX &&
        grpc_header_key_is_legal(key) &&
        (grpc_is_binary_header(key) ||
         grpc_header_nonbin_value_is_legal(val))) {
        reply->meta[reply->meta_len++] =
            (grpc_metadata){.key = key, .value = val};
        return;
    }
    grpc_slice_unref(key);
    grpc_slice_unref(val);
}

void
grpc_reply_init(struct grpc_reply *out, const struct reply *from)
{
    const struct header *accepted = NULL;

    *out = (struct grpc_reply){.status = (grpc_status_code)from->status};
    for (size_t i = 0; i < from->header_len; i++)
        if (str_eq(from->headers[i].name, STR("grpc-accept-encoding")))
            accepted = &from->headers[i];
        else if (out->meta_len < HEAD_MAX &&
                 !str_starts(from->headers[i].name, STR("grpc-")))
            add_meta(out, from->headers[i].name, from->headers[i].value);
    out->head_len = out->meta_len;
    if (accepted && out->head_len == 0)
        add_meta(out, accepted->name, accepted->value);
    if (from->grpc_details.len > 0)
        add_meta(out, STR("grpc-status-details-bin"), from->grpc_details);
    out->text = copy_slice(from->grpc_message);
    if (from->status == GRPC_CODE_OK) {
        grpc_slice body = copy_slice(from->body);
        out->body = grpc_raw_byte_buffer_create(&body, 1);
        grpc_slice_unref(body);
    }
}

void
grpc_reply_drop(struct grpc_reply *reply)
{
    for (size_t i = 0; i < reply->meta_len; i++) {
        grpc_slice_unref(reply->meta[i].key);
        grpc_slice_unref(reply->meta[i].value);
    }
    grpc_slice_unref(reply->text);
    grpc_byte_buffer_destroy(reply->body);
}

size_t
grpc_reply_ops(struct grpc_reply *reply, grpc_op ops[GRPC_REPLY_OPS])
{
    size_t len = 0;

    memset(ops, 0, GRPC_REPLY_OPS * sizeof(*ops));
    ops[len].op = GRPC_OP_SEND_INITIAL_METADATA;
    ops[len].data.send_initial_metadata.count = reply->head_len;
    ops[len++].data.send_initial_metadata.metadata = reply->meta;
    if (reply->body) {
        ops[len].op = GRPC_OP_SEND_MESSAGE;
        ops[len++].data.send_message.send_message = reply->body;
    }
    ops[len].op = GRPC_OP_SEND_STATUS_FROM_SERVER;
    ops[len].data.send_status_from_server.trailing_metadata_count =
        reply->meta_len - reply->head_len;
    ops[len].data.send_status_from_server.trailing_metadata =
        reply->meta + reply->head_len;
    ops[len].data.send_status_from_server.status = reply->status;
    ops[len++].data.send_status_from_server.status_details = &reply->text;
    return len;
}
