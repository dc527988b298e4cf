#include "tests/support/h2_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { HEADERS_MAX = 80, FRAME_HEAD = 9 };

struct upload {
    struct buf bytes;
    size_t at;
    bool is_open;
};

struct h2_answer *
h2_answer(struct h2_kit *h2, int32_t id)
{
    assert_true(id > 0 && id / 2 < H2_STREAMS_MAX);
    return &h2->answers[id / 2];
}

static int
on_header(nghttp2_session *ng, const nghttp2_frame *frame, nghttp2_rcbuf *name,
          nghttp2_rcbuf *value, uint8_t flags, void *ctx)
{
    struct buf *head = &h2_answer(ctx, frame->hd.stream_id)->head;
    nghttp2_vec n = nghttp2_rcbuf_get_buf(name);
    nghttp2_vec v = nghttp2_rcbuf_get_buf(value);

    (void)ng;
    (void)flags;
    buf_add(head, (str){(const char *)n.base, n.len});
    buf_add(head, STR(": "));
    buf_add(head, (str){(const char *)v.base, v.len});
    buf_add(head, STR("\n"));
    return 0;
}

static int
on_data(nghttp2_session *ng, uint8_t flags, int32_t id, const uint8_t *data,
        size_t len, void *ctx)
{
    (void)ng;
    (void)flags;
    buf_add(&h2_answer(ctx, id)->body, (str){(const char *)data, len});
    return 0;
}

static int
on_frame(nghttp2_session *ng, const nghttp2_frame *frame, void *ctx)
{
    struct h2_kit *h2 = ctx;

    (void)ng;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        h2->goaways++;
        h2->goaway = frame->goaway.error_code;
        h2->last_id = frame->goaway.last_stream_id;
    } else if (frame->hd.type == NGHTTP2_HEADERS) {
        h2_answer(h2, frame->hd.stream_id)->heads++;
    }
    return 0;
}

static int
on_close(nghttp2_session *ng, int32_t id, uint32_t code, void *ctx)
{
    struct upload *upload = nghttp2_session_get_stream_user_data(ng, id);
    struct h2_answer *answer = h2_answer(ctx, id);

    answer->is_closed = true;
    answer->error = code;
    if (upload) {
        buf_fini(&upload->bytes);
        free(upload);
    }
    return 0;
}

void
h2_begin(struct h2_kit *h2, struct kit *kit)
{
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;

    *h2 = (struct h2_kit){.kit = kit, .fd = -1};
    assert_int_equal(nghttp2_session_callbacks_new(&callbacks), 0);
    nghttp2_session_callbacks_set_on_header_callback2(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks,
                                                              on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    assert_int_equal(nghttp2_option_new(&option), 0);
    nghttp2_option_set_peer_max_concurrent_streams(option, H2_STREAMS_MAX);
    assert_int_equal(
        nghttp2_session_client_new2(&h2->ng, callbacks, h2, option), 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(h2->ng, NGHTTP2_FLAG_NONE, NULL, 0);
    if (!kit->session)
        h2->fd = kit_connect(kit);
}

void
h2_end(struct h2_kit *h2)
{
    for (int32_t id = 1; id / 2 < H2_STREAMS_MAX; id += 2) {
        struct upload *upload =
            nghttp2_session_get_stream_user_data(h2->ng, id);
        if (upload) {
            buf_fini(&upload->bytes);
            free(upload);
        }
    }
    nghttp2_session_del(h2->ng);
    for (size_t i = 0; i < H2_STREAMS_MAX; i++) {
        buf_fini(&h2->answers[i].head);
        buf_fini(&h2->answers[i].body);
    }
    if (h2->fd >= 0)
        close(h2->fd);
}

static void
put(struct h2_kit *h2, str bytes)
{
    if (h2->fd >= 0)
        kit_send(h2->fd, bytes);
    else
        kit_feed(h2->kit, bytes);
}

static void
flush(struct h2_kit *h2)
{
    const uint8_t *bytes;
    ssize_t len;

    while ((len = nghttp2_session_mem_send(h2->ng, &bytes)) > 0)
        put(h2, (str){(const char *)bytes, (size_t)len});
}

static bool
take(struct h2_kit *h2)
{
    char room[65536];
    str got = {room, 0};

    if (h2->fd >= 0) {
        struct pollfd wait = {.fd = h2->fd, .events = POLLIN};
        if (poll(&wait, 1, KIT_WAIT_MS) != 1)
            return false;
        ssize_t len = recv(h2->fd, room, sizeof(room), 0);
        if (len <= 0)
            return false;
        got.len = (size_t)len;
        nghttp2_session_mem_recv(h2->ng, (const uint8_t *)room, got.len);
        return true;
    }
    kit_pass(h2->kit, 0);
    got = buf_str(&h2->kit->out);
    if (got.len)
        nghttp2_session_mem_recv(h2->ng, (const uint8_t *)got.ptr, got.len);
    buf_reset(&h2->kit->out);
    return got.len > 0;
}

void
h2_move(struct h2_kit *h2, int32_t id)
{
    do {
        flush(h2);
    } while (!(h2->fd >= 0 && h2_answer(h2, id)->is_closed) && take(h2));
}

/* The signature is nghttp2's. NOLINTBEGIN(readability-function-size) */
static ssize_t
read_upload(nghttp2_session *ng, int32_t id, uint8_t *to, size_t len,
            uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
    struct upload *upload = source->ptr;
    str rest = str_cut(buf_str(&upload->bytes), upload->at, upload->at + len);

    (void)ng;
    (void)id;
    (void)ctx;
    if (rest.len && rest.ptr)
        memcpy(to, rest.ptr, rest.len);
    upload->at += rest.len;
    if (upload->at == upload->bytes.len && !upload->is_open)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    else if (!rest.len)
        return NGHTTP2_ERR_DEFERRED;
    return (ssize_t)rest.len;
}

/* NOLINTEND(readability-function-size) */

/* Cuts "name: value\n" lines in place. */
static size_t
add_lines(nghttp2_nv *nv, size_t len, char *lines)
{
    char *rest = NULL;

    for (char *line = strtok_r(lines, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *colon = strstr(line + 1, ": ");
        assert_non_null(colon);
        assert_true(len < HEADERS_MAX);
        nv[len++] = (nghttp2_nv){
            .name = (uint8_t *)line,
            .namelen = (size_t)(colon - line),
            .value = (uint8_t *)colon + 2,
            .valuelen = strlen(colon + 2),
        };
    }
    return len;
}

static int32_t
submit(struct h2_kit *h2, const char *method, const char *path,
       const char *headers, struct upload *upload)
{
    nghttp2_nv nv[HEADERS_MAX];
    struct buf lines = {.cap_max = 0};
    nghttp2_data_provider body = {.source.ptr = upload,
                                  .read_callback = read_upload};

    buf_printf(&lines, ":method: %s\n:scheme: http\n:authority: here\n%s%s\n%s",
               method, ":path: ", path, headers ? headers : "");
    buf_add_char(&lines, '\0');
    assert_false(lines.failed);
    size_t len = add_lines(nv, 0, lines.ptr);
    int32_t id = nghttp2_submit_request(h2->ng, NULL, nv, len,
                                        upload ? &body : NULL, upload);
    assert_true(id > 0);
    buf_fini(&lines);
    return id;
}

int32_t
h2_call(struct h2_kit *h2, const char *method, const char *path,
        const char *headers)
{
    return submit(h2, method, path, headers, NULL);
}

int32_t
h2_post(struct h2_kit *h2, const char *path, const char *headers, str body,
        bool is_open)
{
    struct upload *upload = calloc(1, sizeof(*upload));

    assert_non_null(upload);
    buf_add(&upload->bytes, body);
    upload->is_open = is_open;
    return submit(h2, "POST", path, headers, upload);
}

void
h2_frame(struct h2_kit *h2, uint8_t type, uint8_t flags, int32_t id,
         str payload)
{
    char head[FRAME_HEAD] = {(char)(payload.len >> 16),
                             (char)(payload.len >> 8),
                             (char)payload.len,
                             (char)type,
                             (char)flags,
                             (char)(id >> 24),
                             (char)(id >> 16),
                             (char)(id >> 8),
                             (char)id};

    flush(h2);
    put(h2, (str){head, sizeof(head)});
    if (payload.len)
        put(h2, payload);
}
