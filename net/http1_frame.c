/*
 * A header is gone through by lines, chunks by bytes, but for their data.
 */
#include "net/http1_frame.h"

#include <string.h>

enum { DIGITS_MAX = 16 };

static size_t
bad_at(struct http1_frame *frame, size_t at)
{
    frame->is_bad = true;
    return at;
}

/* Lines until the empty one. */
static size_t
lines(struct http1_frame *frame, str bytes)
{
    size_t at = 0;

    while (at < bytes.len) {
        const char *line = bytes.ptr + at;
        const char *lf = memchr(line, '\n', bytes.len - at);
        size_t len = lf ? (size_t)(lf - line) : bytes.len - at;
        const char *cr = memchr(line, '\r', len);
        size_t text_len = cr ? (size_t)(cr - line) : len;

        if (frame->is_after_cr && len > 0)
            return bad_at(frame, at);
        if (cr && text_len + 1 < len)
            return bad_at(frame, at + text_len + 1);
        frame->has_text |= text_len > 0;
        frame->is_after_cr = cr != NULL;
        if (!lf)
            return bytes.len;
        at += len + 1;
        bool is_end = !frame->has_text;
        frame->has_text = frame->is_after_cr = false;
        if (is_end)
            return at;
    }
    return at;
}

size_t
http1_frame_head(struct http1_frame *frame, str bytes)
{
    return lines(frame, bytes);
}

static int
digit_of(char byte)
{
    char lower = (char)(byte | 0x20);

    if (byte >= '0' && byte <= '9')
        return byte - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool
is_control(char byte)
{
    return ((unsigned char)byte < ' ' && byte != '\t') || byte == 0x7f;
}

/* What follows the digits of a size. */
static bool
end_digits(struct http1_frame *frame, char byte)
{
    if (byte == '\r')
        frame->chunk = HTTP1_CHUNK_SIZE_LF;
    else if (byte == ';')
        frame->chunk = HTTP1_CHUNK_EXT;
    else if (byte == ' ' || byte == '\t')
        frame->chunk = HTTP1_CHUNK_SPACE;
    else
        return false;
    return true;
}

static bool
add_digit(struct http1_frame *frame, char byte)
{
    int digit = digit_of(byte);

    if (digit < 0 || frame->digits == DIGITS_MAX)
        return false;
    frame->chunk = HTTP1_CHUNK_DIGITS;
    frame->digits++;
    frame->left = frame->left << 4 | (uint64_t)digit;
    return true;
}

static bool
expect(struct http1_frame *frame, char byte, char due, enum http1_chunk next)
{
    frame->chunk = next;
    return byte == due;
}

/* A byte that is neither data nor of a trailer; false: it may not be there. */
static bool
step(struct http1_frame *frame, char byte)
{
    switch (frame->chunk) {
    case HTTP1_CHUNK_SIZE:
        frame->left = frame->digits = 0;
        return add_digit(frame, byte);
    case HTTP1_CHUNK_DIGITS:
        return digit_of(byte) < 0 ? end_digits(frame, byte)
                                  : add_digit(frame, byte);
    case HTTP1_CHUNK_SPACE:
        return end_digits(frame, byte);
    case HTTP1_CHUNK_EXT:
        if (byte == '\r')
            frame->chunk = HTTP1_CHUNK_SIZE_LF;
        return byte == '\r' || !is_control(byte);
    case HTTP1_CHUNK_SIZE_LF:
        return expect(frame, byte, '\n',
                      frame->left ? HTTP1_CHUNK_DATA : HTTP1_CHUNK_TRAILER);
    case HTTP1_CHUNK_CR:
        return expect(frame, byte, '\r', HTTP1_CHUNK_LF);
    case HTTP1_CHUNK_LF:
        return expect(frame, byte, '\n', HTTP1_CHUNK_SIZE);
    case HTTP1_CHUNK_DATA:
    case HTTP1_CHUNK_TRAILER:
        break;
    }
    return false;
}

size_t
http1_frame_chunks(struct http1_frame *frame, str bytes)
{
    size_t at = 0;

    while (at < bytes.len) {
        if (frame->chunk == HTTP1_CHUNK_TRAILER)
            return at + lines(frame, str_cut(bytes, at, bytes.len));
        if (frame->chunk == HTTP1_CHUNK_DATA) {
            size_t rest = bytes.len - at;
            size_t len = frame->left < rest ? (size_t)frame->left : rest;
            at += len;
            frame->left -= len;
            if (frame->left == 0)
                frame->chunk = HTTP1_CHUNK_CR;
        } else if (step(frame, bytes.ptr[at])) {
            at++;
        } else {
            return bad_at(frame, at);
        }
    }
    return at;
}
