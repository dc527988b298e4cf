#include "net/grpc_frame.h"

#include <strings.h>

static const uint64_t TIMEOUT_MAX_MS = UINT64_C(366) * 86400 * 1000;

bool
grpc_is_content_type(str value)
{
    static const str base = STR_INIT("application/grpc");
    static const str proto = STR_INIT("+proto");

    if (value.len < base.len || strncasecmp(value.ptr, base.ptr, base.len) != 0)
        return false;
    value = str_cut(value, base.len, value.len);
    if (value.len >= proto.len &&
        strncasecmp(value.ptr, proto.ptr, proto.len) == 0)
        value = str_cut(value, proto.len, value.len);
    return value.len == 0 || value.ptr[0] == ';' || value.ptr[0] == ' ';
}

/* The prefix is whole: judge it and make room. */
static enum request_problem
begin_message(struct grpc_frame *frame, struct exchange *ex)
{
    const unsigned char *prefix = frame->prefix;

    frame->len = (uint32_t)prefix[1] << 24 | (uint32_t)prefix[2] << 16 |
                 (uint32_t)prefix[3] << 8 | prefix[4];
    if (prefix[0] > 1 || (prefix[0] && ex->encoding == ENCODING_IDENTITY))
        return REQUEST_BAD_FRAME;
    if (prefix[0] == 0)
        ex->encoding = ENCODING_IDENTITY;
    return exchange_expect(ex, frame->len);
}

enum request_problem
grpc_frame_feed(struct grpc_frame *frame, struct exchange *ex, str bytes)
{
    while (bytes.len && frame->have < GRPC_PREFIX_LEN) {
        frame->prefix[frame->have++] = (unsigned char)bytes.ptr[0];
        bytes = str_cut(bytes, 1, bytes.len);
        if (frame->have < GRPC_PREFIX_LEN)
            continue;
        enum request_problem problem = begin_message(frame, ex);
        if (problem)
            return problem;
    }
    if (bytes.len > frame->len - ex->body_len)
        return REQUEST_BAD_FRAME; /* a second message */
    return exchange_body(ex, bytes);
}

enum request_problem
grpc_frame_end(const struct grpc_frame *frame, const struct exchange *ex)
{
    bool is_whole =
        frame->have == GRPC_PREFIX_LEN && ex->body_len == frame->len;

    return is_whole ? REQUEST_WHOLE : REQUEST_BAD_FRAME;
}

bool
grpc_timeout_parse(str value, uint64_t *out_ms)
{
    static const char units[] = "HMSmun";
    static const uint64_t unit_ns[] = {UINT64_C(3600000000000),
                                       UINT64_C(60000000000),
                                       UINT64_C(1000000000),
                                       1000000,
                                       1000,
                                       1};
    enum { DIGITS_MAX = 8, NS = 1000000 };
    uint64_t amount = 0;

    if (value.len < 2 || value.len > DIGITS_MAX + 1)
        return false;
    for (size_t i = 0; i + 1 < value.len; i++) {
        if (value.ptr[i] < '0' || value.ptr[i] > '9')
            return false;
        amount = amount * 10 + (uint64_t)(value.ptr[i] - '0');
    }

    char letter = value.ptr[value.len - 1];
    const char *unit = letter ? strchr(units, letter) : NULL;
    if (!unit)
        return false;

    uint64_t ns = unit_ns[unit - units];
    uint64_t ms = ns >= NS ? amount * (ns / NS) : (amount * ns + NS - 1) / NS;
    *out_ms = ms < TIMEOUT_MAX_MS ? ms : TIMEOUT_MAX_MS;
    return true;
}

void
grpc_message_encode(struct buf *out, str text)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];

        if (byte >= ' ' && byte <= '~' && byte != '%') {
            buf_add_char(out, (char)byte);
        } else {
            buf_add_char(out, '%');
            buf_add_char(out, hex[byte >> 4]);
            buf_add_char(out, hex[byte & 15]);
        }
    }
}

void
grpc_binary_encode(struct buf *out, str bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i < 3 ? bytes.len - i : 3;
        uint32_t word = 0;

        for (size_t j = 0; j < 3; j++)
            word = word << 8 | (j < left ? (unsigned char)bytes.ptr[i + j] : 0);
        for (size_t j = 0; j <= left; j++)
            buf_add_char(out, digits[word >> (18 - 6 * j) & 63]);
    }
}
