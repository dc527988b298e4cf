/*
 * The way out of HTTP/2: answers into frames.  nghttp2 asks for the bytes of a
 * body when flow control lets it send them; a stream that has none yet is put
 * off, and resumed by the next piece.
 */
#include "net/http2.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/answer.h"
#include "net/http_date.h"

enum { FIELDS_OF_OURS = 8, STATUS_LEN = 4, NUMBER_LEN = 24 };

/* Fields under construction; nghttp2 copies them. */
struct fields {
    nghttp2_nv *nv;
    size_t len;
};

/* nghttp2 only reads them, but does not say so in the type. */
static uint8_t *
bytes_of(str text)
{
    union {
        const char *ours;
        uint8_t *theirs;
    } ptr = {.ours = text.ptr};

    return ptr.theirs;
}

static void
add(struct fields *fields, str name, str value)
{
    fields->nv[fields->len++] = (nghttp2_nv){
        .name = bytes_of(name),
        .value = bytes_of(value),
        .namelen = name.len,
        .valuelen = value.len,
    };
}

void
http2_reset(struct http2_stream *stream, uint32_t code)
{
    if (stream->is_reset)
        return;
    stream->is_reset = true;
    nghttp2_submit_rst_stream(stream->session->ng, NGHTTP2_FLAG_NONE,
                              stream->id, code);
}

/* Adds status, message and details; |text| holds what they view. */
static void
add_grpc_status(struct fields *fields, const struct reply *reply,
                struct buf *text)
{
    buf_add_u64(text, (uint64_t)reply->status);
    size_t message_at = text->len;
    grpc_message_encode(text, reply->grpc_message);
    size_t details_at = text->len;
    grpc_binary_encode(text, reply->grpc_details);
    if (text->failed)
        return;
    add(fields, STR("grpc-status"), str_cut(buf_str(text), 0, message_at));
    if (reply->grpc_message.len)
        add(fields, STR("grpc-message"),
            str_cut(buf_str(text), message_at, details_at));
    if (reply->grpc_details.len)
        add(fields, STR("grpc-status-details-bin"),
            str_cut(buf_str(text), details_at, text->len));
}

static int
submit_trailer(struct http2_stream *stream)
{
    nghttp2_nv nv[FIELDS_OF_OURS];
    struct fields fields = {.nv = nv};
    struct buf text = {.cap_max = 0};

    add_grpc_status(&fields, stream->ex->answer, &text);
    int code = text.failed ? NGHTTP2_ERR_NOMEM
                           : nghttp2_submit_trailer(stream->session->ng,
                                                    stream->id, nv, fields.len);
    buf_fini(&text);
    return code;
}

/* The signature is nghttp2's. NOLINTBEGIN(readability-function-size) */
static ssize_t
read_body(nghttp2_session *ng, int32_t id, uint8_t *to, size_t len,
          uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
    struct http2_stream *stream = source->ptr;
    struct exchange *ex = stream->ex;

    (void)ng;
    (void)id;
    (void)ctx;
    size_t most = stream->session->base.out_high;
    size_t got = exchange_pull(ex, (char *)to, len < most ? len : most);
    stream->progress_ms = stream->session->base.now_ms;
    if (exchange_is_done(ex)) {
        if (atomic_load(&ex->is_broken))
            return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (stream->is_grpc) {
            *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
            if (submit_trailer(stream))
                return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        }
    } else if (got == 0) {
        return NGHTTP2_ERR_DEFERRED;
    }
    return (ssize_t)got;
}

/* NOLINTEND(readability-function-size) */

static void
add_http(struct fields *fields, const struct http2_stream *stream,
         struct buf *text)
{
    const struct reply *answer = stream->ex->answer;
    int status = answer->status;

    buf_printf(text, "%03d", status);
    http_date_add(text, clock_wall_ns());
    buf_add_u64(text, answer->body.len);
    if (text->failed)
        return;
    str all = buf_str(text);
    add(fields, STR(":status"), str_cut(all, 0, 3));
    add(fields, STR("date"), str_cut(all, 3, 3 + HTTP_DATE_LEN));
    if (answer->content_type.len)
        add(fields, STR("content-type"), answer->content_type);
    if (!stream->ex->is_stream && status >= 200 && status != 204 &&
        status != 304)
        add(fields, STR("content-length"),
            str_cut(all, 3 + HTTP_DATE_LEN, all.len));
}

static bool
has_body(const struct http2_stream *stream)
{
    const struct exchange *ex = stream->ex;
    int status = ex->answer->status;

    if (stream->is_grpc)
        return ex->is_stream || status == GRPC_CODE_OK;
    return status >= 200 && status != 204 && status != 304 &&
           !str_eq(ex->req.method, STR("HEAD")) &&
           (ex->is_stream || ex->answer->body.len);
}

static void
add_grpc(struct fields *fields, const struct http2_stream *stream,
         struct buf *text)
{
    add(fields, STR(":status"), STR("200"));
    add(fields, STR("content-type"), STR("application/grpc"));
    add(fields, STR("grpc-accept-encoding"), STR(GRPC_ENCODINGS_ACCEPTED));
    if (!has_body(stream))
        add_grpc_status(fields, stream->ex->answer, text);
}

/* What the listener says with each answer. */
static void
add_more(struct fields *fields, const struct reply *answer,
         const struct session_env *env)
{
    str exposed = cors_exposed(env->cors, answer);

    if (exposed.len)
        add(fields, STR("access-control-expose-headers"), exposed);
    for (size_t i = 0; i < env->header_len; i++)
        if (!reply_has(answer, env->headers[i].name))
            add(fields, env->headers[i].name, env->headers[i].value);
}

void
http2_submit(struct http2_stream *stream)
{
    const struct session_env *env = stream->session->base.env;
    const struct reply *answer = stream->ex->answer;
    nghttp2_data_provider body = {.source.ptr = stream,
                                  .read_callback = read_body};
    struct buf text = {.cap_max = 0};
    struct fields fields = {.len = 0};
    bool is_refusal = stream->refusal != 0;

    stream->is_submitted = true;
    stream->progress_ms = stream->session->base.now_ms;
    fields.nv = malloc((answer->header_len + env->header_len + FIELDS_OF_OURS) *
                       sizeof(*fields.nv));
    if (fields.nv) {
        if (stream->is_grpc && !is_refusal)
            add_grpc(&fields, stream, &text);
        else
            add_http(&fields, stream, &text);
        for (size_t i = 0; i < answer->header_len; i++)
            add(&fields, answer->headers[i].name, answer->headers[i].value);
        if (!stream->is_grpc)
            add_more(&fields, answer, env);
    }
    if (!fields.nv || text.failed ||
        nghttp2_submit_response(stream->session->ng, stream->id, fields.nv,
                                fields.len, has_body(stream) ? &body : NULL))
        http2_reset(stream, NGHTTP2_INTERNAL_ERROR);
    free(fields.nv);
    buf_fini(&text);
}

void
http2_submit_late(struct http2_stream *stream)
{
    nghttp2_nv nv[FIELDS_OF_OURS];
    struct fields fields = {.nv = nv};

    add(&fields, STR(":status"), STR("200"));
    add(&fields, STR("content-type"), STR("application/grpc"));
    add(&fields, STR("grpc-accept-encoding"), STR(GRPC_ENCODINGS_ACCEPTED));
    add(&fields, STR("grpc-status"), STR("4"));
    add(&fields, STR("grpc-message"), STR("deadline exceeded"));
    stream->is_submitted = true;
    if (nghttp2_submit_response(stream->session->ng, stream->id, nv, fields.len,
                                NULL))
        http2_reset(stream, NGHTTP2_INTERNAL_ERROR);
}

void
http2_submit_continue(struct http2_stream *stream)
{
    nghttp2_nv nv[1];
    struct fields fields = {.nv = nv};

    add(&fields, STR(":status"), STR("100"));
    nghttp2_submit_headers(stream->session->ng, NGHTTP2_FLAG_NONE, stream->id,
                           NULL, nv, fields.len, NULL);
}

void
http2_answered(struct session *session, struct exchange *exchange)
{
    struct http2 *h = (struct http2 *)(void *)session;
    struct http2_stream *stream = exchange->stream;

    if (stream->is_reset)
        return;
    if (!stream->is_submitted)
        http2_submit(stream);
    else
        nghttp2_session_resume_data(h->ng, stream->id);
}

void
http2_produce(struct session *session, struct buf *out)
{
    struct http2 *h = (struct http2 *)(void *)session;

    while (out->len < session->out_high) {
        const uint8_t *bytes = NULL;
        ssize_t len = nghttp2_session_mem_send(h->ng, &bytes);

        if (len < 0)
            session->is_over = true;
        if (len <= 0)
            break;
        buf_add(out, (str){(const char *)bytes, (size_t)len});
    }
    if ((h->is_eof && !h->streams) || (!nghttp2_session_want_read(h->ng) &&
                                       !nghttp2_session_want_write(h->ng)))
        session->is_over = true;
}
