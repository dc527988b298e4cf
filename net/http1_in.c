/*
 * The way in of HTTP/1.1: what libhttp_parser tells, into an exchange.
 *
 * What two readers of the same bytes might read differently is refused: two
 * lengths, a length and a coding, two hosts, any coding but chunked, a value
 * that goes on in another line, and what net/http1_frame.h says of lines and
 * chunks.
 */
#include "net/http1.h"

#include <strings.h>

enum {
    DRAIN_SLACK = 1 << 20, /* thrown away beyond body_bytes */
    STATUS_PROTOCOL = 400, /* what the parser could not read */
    STOP = -1,             /* of a callback; 1 and 2 may mean something else */
};

static bool
is_mark(char byte)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";

    return byte != 0 && strchr(marks, byte);
}

/* Makes a field's name lower case; false if it is none. */
static bool
lower_name(char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char lower = (char)(name[i] | 0x20);

        if (lower >= 'a' && lower <= 'z')
            name[i] = lower;
        else if (name[i] != '-' && !(name[i] >= '0' && name[i] <= '9') &&
                 !is_mark(name[i]))
            return false;
    }
    return len > 0;
}

/* Collects a piece of text that may come in several. */
static int
add_piece(struct http1 *h, struct exchange_span *span, const char *at,
          size_t len)
{
    struct exchange_span piece;
    enum err err = exchange_add(h->ex, (str){at, len}, &piece);

    if (err) {
        http1_fail(h, err == ERR_TOO_LARGE ? 431 : 503);
        return STOP;
    }
    if (span->len == 0)
        span->at = piece.at;
    span->len += piece.len;
    return 0;
}

static int
on_message_begin(http_parser *parser)
{
    struct http1 *h = parser->data;

    h->ex = exchange_new(&h->base, NULL);
    if (!h->ex) {
        http1_fail(h, 503);
        return STOP;
    }
    h->phase = HTTP1_HEAD;
    h->since_ms = h->base.now_ms;
    h->field = (struct exchange_field){.name = {0, 0}};
    h->is_dispatched = h->is_received = h->is_answered = false;
    h->is_head_sent = h->want_continue = h->has_value = false;
    h->drained = 0;
    return 0;
}

static int
on_url(http_parser *parser, const char *at, size_t len)
{
    struct http1 *h = parser->data;

    return add_piece(h, &h->ex->target, at, len);
}

static int
end_field(struct http1 *h)
{
    struct exchange_field field = h->field;

    if (!h->has_value)
        return 0;
    h->has_value = false;
    h->field = (struct exchange_field){.name = {0, 0}};

    if (!lower_name(h->ex->text.ptr + field.name.at, field.name.len)) {
        http1_fail(h, STATUS_PROTOCOL);
        return STOP;
    }

    const char *value = h->ex->text.ptr + field.value.at;
    while (field.value.len && (value[field.value.len - 1] == ' ' ||
                               value[field.value.len - 1] == '\t'))
        field.value.len--;
    enum err err = exchange_add_field(h->ex, &field);
    if (err)
        http1_fail(h, err == ERR_TOO_LARGE ? 431 : 503);
    return err ? STOP : 0;
}

static int
on_header_field(http_parser *parser, const char *at, size_t len)
{
    struct http1 *h = parser->data;

    if (h->phase != HTTP1_HEAD)
        return 0; /* a trailer: nobody asks for it */
    if (h->has_value && end_field(h))
        return STOP;
    return add_piece(h, &h->field.name, at, len);
}

/* The last byte before |at| that is no space or tab; of what has been parsed
 * only. */
static char
byte_before(const struct http1 *h, const char *at)
{
    while (at > h->piece && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    if (at == h->piece)
        return h->last;
    return at[-1];
}

static int
on_header_value(http_parser *parser, const char *at, size_t len)
{
    struct http1 *h = parser->data;

    if (h->phase != HTTP1_HEAD)
        return 0;
    /* Folded: the parser would join what the line's end parts. */
    if (len && byte_before(h, at) == '\n') {
        http1_fail(h, STATUS_PROTOCOL);
        return STOP;
    }
    h->has_value = true;
    return add_piece(h, &h->field.value, at, len);
}

static bool
is_word(str value, const char *word)
{
    return value.len == strlen(word) &&
           strncasecmp(value.ptr, word, value.len) == 0;
}

/* The status that refuses this header, or 0. */
static int
judge_header(struct http1 *h, bool is_chunked)
{
    const http_parser *parser = &h->parser;
    bool is_1_1 = parser->http_major == 1 && parser->http_minor == 1;
    size_t hosts = 0;
    size_t codings = 0;
    size_t lengths = 0;

    if (parser->http_major != 1 || parser->http_minor > 1)
        return 505;
    exchange_find(h->ex, STR("host"), &hosts);
    if (hosts > 1 || (is_1_1 && hosts == 0))
        return 400;
    exchange_find(h->ex, STR("content-length"), &lengths);
    str coding = exchange_find(h->ex, STR("transfer-encoding"), &codings);
    if (lengths > 1 || codings > 1 || (lengths && codings))
        return 400;
    if (codings && !is_1_1)
        return 400;
    if (codings && (!is_word(coding, "chunked") || !is_chunked))
        return 501;
    if (parser->method == HTTP_CONNECT)
        return 501;
    str expect = exchange_find(h->ex, STR("expect"), NULL);
    if (expect.len && !is_word(expect, "100-continue"))
        return 417;
    return 0;
}

static void
dispatch(struct http1 *h, enum request_problem problem)
{
    h->is_dispatched = true;
    exchange_dispatch(h->ex, problem);
}

/* How many more bytes may be thrown away for this request. */
static uint64_t
drain_max(const struct http1 *h)
{
    return (uint64_t)h->base.env->limits.body_bytes + DRAIN_SLACK;
}

static int
on_headers_complete(http_parser *parser)
{
    struct http1 *h = parser->data;
    bool is_chunked = parser->flags & F_CHUNKED;
    bool has_length = parser->flags & F_CONTENTLENGTH;
    uint64_t len = has_length ? parser->content_length : 0;

    if (end_field(h))
        return STOP;

    int status = judge_header(h, is_chunked);
    if (status) {
        http1_fail(h, status);
        return STOP;
    }
    h->ex->req.method = str_of(http_method_str(parser->method));
    h->ex->req.protocol = REQUEST_HTTP;
    h->keep_alive = http_should_keep_alive(parser);
    h->is_1_1 = parser->http_minor == 1;
    h->phase = HTTP1_BODY;
    h->since_ms = h->base.now_ms;
    h->has_length = has_length;
    h->body_left = len;

    size_t encodings = 0;
    h->ex->encoding =
        encoding_of(exchange_find(h->ex, STR("content-encoding"), &encodings));
    enum request_problem problem =
        encodings > 1 || h->ex->encoding == ENCODING_UNKNOWN
            ? REQUEST_UNSUPPORTED_ENCODING
            : exchange_expect(h->ex, is_chunked           ? SIZE_MAX
                                     : len > SIZE_MAX / 2 ? SIZE_MAX / 2
                                                          : (size_t)len);
    bool wants = h->is_1_1 && (is_chunked || len) &&
                 exchange_find(h->ex, STR("expect"), NULL).len;
    if (problem) {
        /* Told not to send it, the peer may or may not do so; only a new
         * connection is unambiguous. */
        if (wants || !has_length || len > drain_max(h))
            h->keep_alive = false;
        dispatch(h, problem);
    } else {
        h->want_continue = wants;
    }
    return 0;
}

static int
on_body(http_parser *parser, const char *at, size_t len)
{
    struct http1 *h = parser->data;

    h->want_continue = false; /* it did not wait */
    h->body_left -= h->body_left < len ? h->body_left : len;
    if (!h->is_dispatched) {
        enum request_problem problem = exchange_body(h->ex, (str){at, len});
        if (!problem)
            return 0;
        h->keep_alive = false;
        dispatch(h, problem);
        return 0;
    }
    h->drained += len;
    if (h->ex)
        h->ex->received += len;
    if (h->drained <= drain_max(h))
        return 0;
    return STOP; /* answered or not, this was enough */
}

static int
on_message_complete(http_parser *parser)
{
    struct http1 *h = parser->data;

    h->is_received = true;
    h->want_continue = false;
    h->phase = HTTP1_ANSWER;
    if (!h->is_dispatched)
        dispatch(h, REQUEST_WHOLE);
    http_parser_pause(parser, 1);
    return 0;
}

static const http_parser_settings settings = {
    .on_message_begin = on_message_begin,
    .on_url = on_url,
    .on_header_field = on_header_field,
    .on_header_value = on_header_value,
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

static void
parse_failed(struct http1 *h)
{
    enum http_errno code = HTTP_PARSER_ERRNO(&h->parser);

    h->phase = HTTP1_BROKEN;
    h->keep_alive = false;
    h->base.must_drain = true;
    if (h->is_answered)
        h->base.is_over = true;
    else if (!h->is_dispatched)
        http1_fail(h, code == HPE_HEADER_OVERFLOW ? 431 : STATUS_PROTOCOL);
}

/* How many of |bytes| the parser may have. */
static size_t
fit_len(struct http1 *h, str bytes)
{
    if (h->phase == HTTP1_HEAD)
        return http1_frame_head(&h->frame, bytes);
    /* Not by the parser's flag, which the name of a trailer takes away. */
    return h->has_length ? bytes.len : http1_frame_chunks(&h->frame, bytes);
}

str
http1_parse(struct http1 *h, str bytes)
{
    size_t len = fit_len(h, bytes);

    h->piece = bytes.ptr;
    size_t used = http_parser_execute(&h->parser, &settings, bytes.ptr, len);
    if (h->phase == HTTP1_HEAD)
        h->last = byte_before(h, bytes.ptr + used);

    switch (HTTP_PARSER_ERRNO(&h->parser)) {
    case HPE_OK:
        if (h->frame.is_bad) {
            parse_failed(h);
            used = bytes.len;
        }
        break;
    case HPE_PAUSED:
        http_parser_pause(&h->parser, 0);
        if (h->is_answered)
            http1_next(h);
        break;
    default:
        parse_failed(h);
        used = bytes.len;
    }
    return str_cut(bytes, used, bytes.len);
}
