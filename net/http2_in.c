/*
 * The way in of HTTP/2: frames, as nghttp2 tells of them, into exchanges.
 *
 * nghttp2 checks that a message is well-formed, bounds what HPACK may cost and
 * limits some floods.  The rest is counted here as glitches: whatever costs us
 * work and no honest peer does often.  PING and WINDOW_UPDATE answer what we
 * sent (they measure and open the way for it), so each frame of an answer
 * allows for some.
 */
#include "net/http2.h"

#include <stdlib.h>

#include "base/metrics.h"
#include "net/answer.h"

enum {
    DRAIN_SLACK = 1 << 20, /* thrown away beyond body_bytes */
    CONTROL_MAX = 16 << 10,
    MILLI = 1000,
};

void
http2_terminate(struct http2 *h, uint32_t code)
{
    if (h->is_terminated)
        return;
    h->is_terminated = true;
    h->base.must_drain = true;
    nghttp2_session_terminate_session(h->ng, code);
}

/* Takes one off |account|; false: there is none left. */
static bool
spend(struct http2_account *account, uint64_t now)
{
    uint64_t left =
        account->left + (now - account->as_of_ms) * HTTP2_GLITCHES_PER_S;
    bool has_one = left >= MILLI;

    if (left > (uint64_t)HTTP2_GLITCHES * MILLI)
        left = (uint64_t)HTTP2_GLITCHES * MILLI;
    account->as_of_ms = now;
    account->left = (uint32_t)(has_one ? left - MILLI : left);
    return has_one;
}

void
http2_glitch(struct http2 *h)
{
    if (!spend(&h->glitches, h->base.now_ms))
        http2_terminate(h, NGHTTP2_ENHANCE_YOUR_CALM);
}

/* A stream is refused: nothing was done for it, and it may be sent again.  Who
 * does so without end is sent away, but not from what was accepted. */
static void
count_refusal(struct http2 *h)
{
    if (!spend(&h->refusals, h->base.now_ms))
        session_drain(&h->base, h->base.now_ms);
}

static void
glitch_unless_allowed(struct http2 *h)
{
    if (h->allowance)
        h->allowance--;
    else
        http2_glitch(h);
}

static struct http2_stream *
find_stream(nghttp2_session *ng, int32_t id)
{
    return nghttp2_session_get_stream_user_data(ng, id);
}

static bool
is_request(const nghttp2_frame *frame)
{
    return frame->hd.type == NGHTTP2_HEADERS &&
           frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}

static int
on_begin_headers(nghttp2_session *ng, const nghttp2_frame *frame, void *ctx)
{
    struct http2 *h = ctx;

    if (!is_request(frame))
        return 0;

    struct http2_stream *stream = malloc(sizeof(*stream));
    struct exchange *ex = stream ? exchange_new(&h->base, stream) : NULL;
    if (!ex ||
        nghttp2_session_set_stream_user_data(ng, frame->hd.stream_id, stream)) {
        exchange_release(ex);
        free(stream);
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    *stream = (struct http2_stream){
        .session = h,
        .ex = ex,
        .id = frame->hd.stream_id,
        .progress_ms = h->base.now_ms,
        .next = h->streams,
    };
    if (h->streams)
        h->streams->prev = stream;
    h->streams = stream;
    h->head_ms = h->base.now_ms;
    h->head_stream = stream->id;
    return 0;
}

static enum err
add_header(struct http2_stream *stream, str name, str value)
{
    struct exchange *ex = stream->ex;
    struct exchange_field field;

    if (str_eq(name, STR(":method")))
        return exchange_add(ex, value, &stream->method);
    if (str_eq(name, STR(":path")))
        return exchange_add(ex, value, &ex->target);
    if (str_eq(name, STR(":authority"))) {
        name = STR("host");
        stream->authority.len = 1;
    } else if (name.ptr[0] == ':' ||
               (stream->authority.len && str_eq(name, STR("host")))) {
        return OK;
    }
    enum err err = exchange_add(ex, name, &field.name);
    if (!err)
        err = exchange_add(ex, value, &field.value);
    if (!err)
        err = exchange_add_field(ex, &field);
    return err;
}

static str
rcbuf_view(nghttp2_rcbuf *text)
{
    nghttp2_vec vec = nghttp2_rcbuf_get_buf(text);

    return (str){(const char *)vec.base, vec.len};
}

static int
on_header(nghttp2_session *ng, const nghttp2_frame *frame, nghttp2_rcbuf *name,
          nghttp2_rcbuf *value, uint8_t flags, void *ctx)
{
    struct http2_stream *stream = find_stream(ng, frame->hd.stream_id);

    (void)flags;
    (void)ctx;
    if (!is_request(frame) || !stream || !stream->ex || stream->refusal)
        return 0;
    enum err err = add_header(stream, rcbuf_view(name), rcbuf_view(value));
    if (err)
        stream->refusal = err == ERR_TOO_LARGE ? 431 : 503;
    return 0;
}

static void
dispatch(struct http2_stream *stream, enum request_problem problem)
{
    struct exchange *ex = stream->ex;

    stream->is_dispatched = true;
    if (stream->refusal) {
        ex->req.protocol = REQUEST_HTTP;
        exchange_refuse(ex, stream->refusal, STR("refused\n"));
    } else {
        exchange_dispatch(ex, problem);
    }
}

/* The declared length, SIZE_MAX if there is none. */
static size_t
declared_len(const struct exchange *ex)
{
    size_t count = 0;
    str value = exchange_find(ex, STR("content-length"), &count);
    size_t len = 0;

    if (count == 0)
        return SIZE_MAX;
    /* nghttp2 has seen to it that these are digits. */
    for (size_t i = 0; i < value.len; i++) {
        if (len > SIZE_MAX / 100)
            return SIZE_MAX / 2;
        len = len * 10 + (size_t)(value.ptr[i] - '0');
    }
    return len;
}

static enum request_problem
begin_grpc(struct http2_stream *stream)
{
    struct exchange *ex = stream->ex;
    uint64_t timeout_ms = 0;

    stream->is_grpc = true;
    ex->req.protocol = REQUEST_GRPC;
    if (grpc_timeout_parse(exchange_find(ex, STR("grpc-timeout"), NULL),
                           &timeout_ms))
        stream->due_ms = stream->session->base.now_ms + timeout_ms + 1;
    ex->encoding = encoding_of(exchange_find(ex, STR("grpc-encoding"), NULL));
    return ex->encoding == ENCODING_UNKNOWN ? REQUEST_UNSUPPORTED_ENCODING
                                            : exchange_expect(ex, SIZE_MAX);
}

static enum request_problem
begin_http(struct exchange *ex, bool has_body)
{
    size_t count = 0;

    ex->encoding =
        encoding_of(exchange_find(ex, STR("content-encoding"), &count));
    if (count > 1 || ex->encoding == ENCODING_UNKNOWN)
        return REQUEST_UNSUPPORTED_ENCODING;
    return has_body ? exchange_expect(ex, declared_len(ex)) : REQUEST_WHOLE;
}

/* The want of room is ours. */
static void
refuse_stream(struct http2_stream *stream)
{
    struct http2 *h = stream->session;
    struct exchange *ex = stream->ex;

    stream->ex = NULL;
    stream->is_dispatched = true;
    count_refusal(h);
    exchange_release(ex);
    metrics_add(METRIC_REFUSED_FULL, 1);
    http2_reset(stream, NGHTTP2_REFUSED_STREAM);
}

static void
begin_request(struct http2_stream *stream, bool has_body)
{
    struct exchange *ex = stream->ex;
    str method = exchange_view(ex, stream->method);

    if (!http2_hold(stream)) {
        refuse_stream(stream);
        return;
    }

    ex->req.method = method;
    ex->req.protocol = REQUEST_HTTP;
    if (str_eq(method, STR("CONNECT")))
        stream->refusal = 501;
    if (stream->refusal) {
        dispatch(stream, REQUEST_WHOLE);
        return;
    }
    bool is_grpc =
        str_eq(method, STR("POST")) &&
        grpc_is_content_type(exchange_find(ex, STR("content-type"), NULL));
    enum request_problem problem =
        is_grpc ? begin_grpc(stream) : begin_http(ex, has_body);
    if (problem)
        dispatch(stream, problem);
    else if (has_body && exchange_find(ex, STR("expect"), NULL).len)
        http2_submit_continue(stream);
}

static void
end_request(struct http2_stream *stream)
{
    stream->is_received = true;
    if (stream->is_dispatched || !stream->ex)
        return;
    dispatch(stream, stream->is_grpc
                         ? grpc_frame_end(&stream->frame, stream->ex)
                         : REQUEST_WHOLE);
}

static void
on_headers(struct http2 *h, const nghttp2_frame *frame)
{
    struct http2_stream *stream = find_stream(h->ng, frame->hd.stream_id);
    bool is_end = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;

    h->head_ms = 0;
    if (!stream)
        return;
    if (is_request(frame))
        begin_request(stream, !is_end);
    if (is_end)
        end_request(stream);
}

static int
on_frame_recv(nghttp2_session *ng, const nghttp2_frame *frame, void *ctx)
{
    struct http2 *h = ctx;
    bool is_ack = frame->hd.flags & NGHTTP2_FLAG_ACK;
    bool is_end = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    struct http2_stream *stream;

    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
        on_headers(h, frame);
        break;
    case NGHTTP2_DATA:
        if (frame->hd.length == 0 && !is_end)
            http2_glitch(h);
        stream = find_stream(ng, frame->hd.stream_id);
        if (is_end && stream)
            end_request(stream);
        break;
    case NGHTTP2_PING:
        if (!is_ack)
            glitch_unless_allowed(h);
        break;
    case NGHTTP2_WINDOW_UPDATE:
        glitch_unless_allowed(h);
        break;
    case NGHTTP2_SETTINGS:
        if (!is_ack && h->has_settings)
            http2_glitch(h);
        h->has_settings = true;
        break;
    case NGHTTP2_RST_STREAM:
        http2_glitch(h);
        break;
    default:
        break;
    }
    return 0;
}

/* PRIORITY is read and ignored, and told of nowhere else.  Frames of unknown
 * types are skipped by nghttp2 at no cost worth counting.  Large frames are
 * announced for DATA: of others nghttp2 would allocate all that GOAWAY may
 * hold, outside of the budget, and decode a header of any size at once. */
static int
on_begin_frame(nghttp2_session *ng, const nghttp2_frame_hd *hd, void *ctx)
{
    struct http2 *h = ctx;
    bool is_plain =
        hd->type == NGHTTP2_DATA && !(hd->flags & NGHTTP2_FLAG_PADDED);

    (void)ng;
    if (hd->type != NGHTTP2_DATA && hd->length > CONTROL_MAX) {
        http2_terminate(h, NGHTTP2_FRAME_SIZE_ERROR);
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    h->data_stream = hd->stream_id;
    h->data_left = is_plain ? (uint32_t)hd->length : 0;
    if (hd->type == NGHTTP2_PRIORITY)
        http2_glitch(h);
    return 0;
}

static int
on_invalid_frame(nghttp2_session *ng, const nghttp2_frame *frame, int code,
                 void *ctx)
{
    struct http2 *h = ctx;

    (void)ng;
    if (frame->hd.type == NGHTTP2_HEADERS)
        h->head_ms = 0;
    /* Too many at once, of a peer that may not know yet how many those are. */
    if (code == NGHTTP2_ERR_REFUSED_STREAM)
        count_refusal(h);
    else
        http2_glitch(h);
    return 0;
}

static int
on_data(nghttp2_session *ng, uint8_t flags, int32_t id, const uint8_t *data,
        size_t len, void *ctx)
{
    struct http2 *h = ctx;
    struct http2_stream *stream = find_stream(ng, id);
    str bytes = {(const char *)data, len};

    (void)flags;
    h->data_left -= h->data_left < len ? h->data_left : (uint32_t)len;
    h->data_end = bytes.ptr + len;
    if (!stream)
        return 0;
    if (!stream->is_dispatched && stream->ex) {
        enum request_problem problem =
            stream->is_grpc ? grpc_frame_feed(&stream->frame, stream->ex, bytes)
                            : exchange_body(stream->ex, bytes);
        if (problem)
            dispatch(stream, problem);
        return 0;
    }
    stream->drained += len;
    if (stream->ex)
        stream->ex->received += len;
    if (stream->drained >
        (uint64_t)h->base.env->limits.body_bytes + DRAIN_SLACK)
        http2_reset(stream,
                    stream->is_sent ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
    return 0;
}

static int
on_stream_close(nghttp2_session *ng, int32_t id, uint32_t code, void *ctx)
{
    struct http2 *h = ctx;
    struct http2_stream *stream = find_stream(ng, id);

    (void)code;
    if (h->head_stream == id)
        h->head_ms = 0;
    if (!stream)
        return 0;
    if (stream->prev)
        stream->prev->next = stream->next;
    else
        h->streams = stream->next;
    if (stream->next)
        stream->next->prev = stream->prev;
    if (!h->streams)
        h->idle_ms = h->base.now_ms;
    nghttp2_session_set_stream_user_data(ng, id, NULL);
    http2_let_go(stream);
    exchange_release(stream->ex);
    free(stream);
    return 0;
}

/* The answer is out.  A body that still comes is thrown away up to a bound,
 * for some clients lose the answer if they are reset while they send. */
static void
end_answer(struct http2_stream *stream)
{
    stream->is_sent = true;
    if (!stream->is_received && (!stream->ex || stream->session->is_eof))
        http2_reset(stream, NGHTTP2_NO_ERROR);
}

static int
on_frame_send(nghttp2_session *ng, const nghttp2_frame *frame, void *ctx)
{
    enum { ALLOWED_EACH = 4, ALLOWED_MAX = 1000 };
    struct http2 *h = ctx;
    bool is_end = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    struct http2_stream *stream;

    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA:
        if (h->allowance < ALLOWED_MAX)
            h->allowance += ALLOWED_EACH;
        stream = find_stream(ng, frame->hd.stream_id);
        if (is_end && stream)
            end_answer(stream);
        break;
    case NGHTTP2_RST_STREAM:
        if (frame->rst_stream.error_code != NGHTTP2_NO_ERROR &&
            frame->rst_stream.error_code != NGHTTP2_REFUSED_STREAM)
            http2_glitch(h);
        break;
    default:
        break;
    }
    return 0;
}

int
http2_callbacks(nghttp2_session_callbacks **out)
{
    int code = nghttp2_session_callbacks_new(out);

    if (code)
        return code;
    nghttp2_session_callbacks_set_on_begin_headers_callback(*out,
                                                            on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback2(*out, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(*out, on_frame_recv);
    nghttp2_session_callbacks_set_on_begin_frame_callback(*out, on_begin_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(
        *out, on_invalid_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(*out, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(*out,
                                                           on_stream_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(*out, on_frame_send);
    return 0;
}
