#include "tests/support/grpc_client.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/socket.h>

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/slice.h>
#include <nghttp2/nghttp2.h>

void
grpc_answer_fini(struct grpc_answer *answer)
{
    buf_fini(&answer->body);
    buf_fini(&answer->message);
    buf_fini(&answer->details);
    buf_fini(&answer->headers);
}

bool
grpc_answer_has(const struct buf *buf, const char *needle)
{
    return memmem(buf->ptr, buf->len, needle, strlen(needle)) != NULL;
}

void
grpc_client_open(struct grpc_client *client, const char *target,
                 grpc_channel_credentials *creds, bool gzip)
{
    grpc_arg args[] = {
        {.type = GRPC_ARG_INTEGER,
         .key = (char *)(uintptr_t) "grpc.default_compression_algorithm",
         .value.integer = gzip ? GRPC_COMPRESS_GZIP : GRPC_COMPRESS_NONE},
        {.type = GRPC_ARG_INTEGER,
         .key = (char *)(uintptr_t)GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL,
         .value.integer = 1},
        {.type = GRPC_ARG_STRING,
         .key = (char *)(uintptr_t)GRPC_SSL_TARGET_NAME_OVERRIDE_ARG,
         .value.string = (char *)(uintptr_t) "localhost"},
    };
    const grpc_channel_args list = {creds ? 3 : 2, args};
    grpc_channel_credentials *plain =
        creds ? NULL : grpc_insecure_credentials_create();

    grpc_init();
    client->queue = grpc_completion_queue_create_for_pluck(NULL);
    client->channel = grpc_channel_create(target, creds ? creds : plain, &list);
    if (plain)
        grpc_channel_credentials_release(plain);
}

void
grpc_client_close(struct grpc_client *client)
{
    grpc_channel_destroy(client->channel);
    grpc_completion_queue_shutdown(client->queue);
    grpc_completion_queue_destroy(client->queue);
    grpc_shutdown();
}

static void
add_slice(struct buf *out, grpc_slice slice)
{
    buf_add(out, (str){(const char *)GRPC_SLICE_START_PTR(slice),
                       GRPC_SLICE_LENGTH(slice)});
}

static void
add_metadata(struct grpc_answer *answer, grpc_metadata_array *metadata)
{
    for (size_t i = 0; i < metadata->count; i++) {
        const grpc_metadata *pair = &metadata->metadata[i];
        if (grpc_slice_str_cmp(pair->key, "grpc-status-details-bin") == 0) {
            add_slice(&answer->details, pair->value);
            continue;
        }
        add_slice(&answer->headers, pair->key);
        buf_add(&answer->headers, STR(": "));
        add_slice(&answer->headers, pair->value);
        buf_add_char(&answer->headers, '\n');
    }
    grpc_metadata_array_destroy(metadata);
}

static void
add_body(struct grpc_answer *answer, grpc_byte_buffer *payload)
{
    grpc_byte_buffer_reader reader;

    if (!payload)
        return;
    grpc_byte_buffer_reader_init(&reader, payload);
    grpc_slice all = grpc_byte_buffer_reader_readall(&reader);
    add_slice(&answer->body, all);
    grpc_slice_unref(all);
    grpc_byte_buffer_reader_destroy(&reader);
    grpc_byte_buffer_destroy(payload);
}

struct grpc_answer
grpc_client_call(struct grpc_client *client, const char *path, str body,
                 const struct header *headers, size_t header_len, int wait_ms)
{
    struct grpc_answer answer = {.status = -1};
    gpr_timespec deadline =
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                     gpr_time_from_millis(wait_ms, GPR_TIMESPAN));
    grpc_slice method = grpc_slice_from_copied_string(path);
    grpc_call *call =
        grpc_channel_create_call(client->channel, NULL, GRPC_PROPAGATE_DEFAULTS,
                                 client->queue, method, NULL, deadline, NULL);
    grpc_metadata send[8];
    grpc_metadata_array head;
    grpc_metadata_array tail;
    grpc_byte_buffer *reply = NULL;
    grpc_slice text = grpc_empty_slice();
    grpc_status_code status = GRPC_STATUS_UNKNOWN;
    grpc_slice bytes = grpc_slice_from_copied_buffer(body.ptr, body.len);
    grpc_byte_buffer *payload = grpc_raw_byte_buffer_create(&bytes, 1);
    grpc_op ops[6];

    for (size_t i = 0; i < header_len; i++) {
        send[i].key = grpc_slice_from_copied_buffer(headers[i].name.ptr,
                                                    headers[i].name.len);
        send[i].value = grpc_slice_from_copied_buffer(headers[i].value.ptr,
                                                      headers[i].value.len);
    }
    grpc_metadata_array_init(&head);
    grpc_metadata_array_init(&tail);
    memset(ops, 0, sizeof(ops));
    ops[0].op = GRPC_OP_SEND_INITIAL_METADATA;
    ops[0].data.send_initial_metadata.count = header_len;
    ops[0].data.send_initial_metadata.metadata = send;
    ops[1].op = GRPC_OP_SEND_MESSAGE;
    ops[1].data.send_message.send_message = payload;
    ops[2].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
    ops[3].op = GRPC_OP_RECV_INITIAL_METADATA;
    ops[3].data.recv_initial_metadata.recv_initial_metadata = &head;
    ops[4].op = GRPC_OP_RECV_MESSAGE;
    ops[4].data.recv_message.recv_message = &reply;
    ops[5].op = GRPC_OP_RECV_STATUS_ON_CLIENT;
    ops[5].data.recv_status_on_client.trailing_metadata = &tail;
    ops[5].data.recv_status_on_client.status = &status;
    ops[5].data.recv_status_on_client.status_details = &text;
    if (grpc_call_start_batch(call, ops, 6, call, NULL) == GRPC_CALL_OK) {
        grpc_completion_queue_pluck(client->queue, call,
                                    gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
        answer.status = (int)status;
    }
    add_slice(&answer.message, text);
    add_metadata(&answer, &head);
    add_metadata(&answer, &tail);
    add_body(&answer, reply);
    for (size_t i = 0; i < header_len; i++) {
        grpc_slice_unref(send[i].key);
        grpc_slice_unref(send[i].value);
    }
    grpc_slice_unref(text);
    grpc_slice_unref(bytes);
    grpc_slice_unref(method);
    grpc_byte_buffer_destroy(payload);
    grpc_call_unref(call);
    return answer;
}

void
grpc_raw_frame(struct buf *out, uint8_t type, uint8_t flags, uint32_t stream,
               str payload)
{
    const uint8_t head[] = {(uint8_t)(payload.len >> 16),
                            (uint8_t)(payload.len >> 8),
                            (uint8_t)payload.len,
                            type,
                            flags,
                            (uint8_t)(stream >> 24),
                            (uint8_t)(stream >> 16),
                            (uint8_t)(stream >> 8),
                            (uint8_t)stream};

    buf_add(out, (str){(const char *)head, sizeof(head)});
    buf_add(out, payload);
}

void
grpc_frame(struct buf *out, int is_compressed, str message)
{
    buf_add_char(out, (char)is_compressed);
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_add_char(out, (char)(message.len >> shift));
    buf_add(out, message);
}

struct raw {
    int fd;
    str left; /* to be sent */
    bool is_done;
    bool is_left; /* GOAWAY came */
    struct grpc_answer *answer;
};

static ssize_t
raw_send(nghttp2_session *session, const uint8_t *data, size_t len, int flags,
         void *ctx)
{
    struct raw *raw = ctx;
    ssize_t sent = send(raw->fd, data, len, MSG_NOSIGNAL);

    (void)session;
    (void)flags;
    return sent < 0 ? NGHTTP2_ERR_CALLBACK_FAILURE : sent;
}

static ssize_t
raw_read(nghttp2_session *session, int32_t stream, uint8_t *out, size_t cap,
         uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
    struct raw *raw = source->ptr;
    size_t len = raw->left.len < cap ? raw->left.len : cap;

    (void)session;
    (void)stream;
    (void)ctx;
    if (len > 0)
        memcpy(out, raw->left.ptr, len);
    raw->left = str_cut(raw->left, len, raw->left.len);
    if (raw->left.len == 0)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)len;
}

static int
raw_header(nghttp2_session *session, const nghttp2_frame *frame,
           const uint8_t *name, size_t name_len, const uint8_t *value,
           size_t value_len, uint8_t flags, void *ctx)
{
    struct raw *raw = ctx;
    struct grpc_answer *answer = raw->answer;
    str key = {(const char *)name, name_len};
    str val = {(const char *)value, value_len};

    (void)session;
    (void)frame;
    (void)flags;
    buf_printf(&answer->headers, "%.*s: %.*s\n", (int)key.len, key.ptr,
               (int)val.len, val.ptr);
    if (str_eq(key, STR("grpc-message")))
        buf_add(&answer->message, val);
    if (str_eq(key, STR("grpc-status")) && val.len > 0) {
        answer->status = val.ptr[0] - '0';
        if (val.len > 1)
            answer->status = answer->status * 10 + (val.ptr[1] - '0');
    }
    return 0;
}

static int
raw_data(nghttp2_session *session, uint8_t flags, int32_t stream,
         const uint8_t *data, size_t len, void *ctx)
{
    struct raw *raw = ctx;

    (void)session;
    (void)flags;
    (void)stream;
    buf_add(&raw->answer->body, (str){(const char *)data, len});
    return 0;
}

static int
raw_close(nghttp2_session *session, int32_t stream, uint32_t code, void *ctx)
{
    struct raw *raw = ctx;

    (void)session;
    (void)stream;
    (void)code;
    raw->is_done = true;
    return 0;
}

static nghttp2_nv
pair(const char *name, const char *value)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value,
                        strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

static int
raw_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct raw *raw = ctx;

    (void)session;
    raw->is_left |= frame->hd.type == NGHTTP2_GOAWAY;
    return 0;
}

static nghttp2_session *
raw_open(struct raw *raw, uint16_t port)
{
    struct sockaddr_in addr = {.sin_family = AF_INET,
                               .sin_port = htons(port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    nghttp2_session_callbacks *callbacks;
    nghttp2_session *session = NULL;

    raw->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(raw->fd, (struct sockaddr *)&addr, sizeof(addr)))
        return NULL;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_send_callback(callbacks, raw_send);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, raw_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks,
                                                              raw_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                           raw_close);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, raw_frame);
    nghttp2_session_client_new(&session, callbacks, raw);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, NULL, 0);
    return session;
}

struct grpc_answer
grpc_raw_call(uint16_t port, const char *path, const char *encoding, str bytes)
{
    struct grpc_answer answer = {.status = -1};
    struct raw raw = {.left = bytes, .answer = &answer};
    nghttp2_session *session = raw_open(&raw, port);
    nghttp2_nv nv[] = {
        pair(":method", "POST"),
        pair(":scheme", "http"),
        pair(":path", path),
        pair(":authority", "localhost"),
        pair("content-type", "application/grpc"),
        pair("te", "trailers"),
        pair("grpc-encoding", encoding ? encoding : ""),
    };
    nghttp2_data_provider provider = {.source.ptr = &raw,
                                      .read_callback = raw_read};
    uint8_t in[16384];
    ssize_t len = 1;

    if (!session)
        return answer;
    nghttp2_submit_request(session, NULL, nv, encoding ? 7 : 6, &provider,
                           NULL);
    while (!raw.is_done && len > 0 && nghttp2_session_send(session) == 0) {
        struct pollfd poll_fd = {.fd = raw.fd, .events = POLLIN};
        if (poll(&poll_fd, 1, 5000) <= 0)
            break;
        len = recv(raw.fd, in, sizeof(in), 0);
        if (len > 0 && nghttp2_session_mem_recv(session, in, (size_t)len) < 0)
            break;
    }
    nghttp2_session_del(session);
    close(raw.fd);
    return answer;
}

bool
grpc_raw_is_left(uint16_t port, bool speaks, int wait_ms)
{
    struct grpc_answer answer = {.status = -1};
    struct raw raw = {.answer = &answer};
    nghttp2_session *session = raw_open(&raw, port);
    uint8_t in[1024];
    ssize_t len = 1;

    while (session && !raw.is_left && len > 0) {
        struct pollfd poll_fd = {.fd = raw.fd, .events = POLLIN};
        if (speaks && nghttp2_session_send(session))
            break;
        if (poll(&poll_fd, 1, wait_ms) <= 0)
            break;
        len = recv(raw.fd, in, sizeof(in), 0);
        if (len > 0 && nghttp2_session_mem_recv(session, in, (size_t)len) < 0)
            break;
    }
    nghttp2_session_del(session);
    close(raw.fd);
    grpc_answer_fini(&answer);
    return raw.is_left || len <= 0;
}
