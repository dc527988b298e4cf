/*
 * A buffer whose done part goes when more is read, so that what is held is
 * moved once a piece at most, and a large request, alone in it, never.  Behind
 * it are zeros, behind what is in the middle of it the next bytes: both are
 * readable, which is all that decoders ask for.
 */
#include "cmd/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "net/request.h"
#include "net/unpack.h"

enum { PIECE = 1 << 20, MAGIC_LEN = 4 };

struct window {
    window_read_fn *read;
    void *ctx;
    size_t most;
    struct unpacker *unpacker; /* NULL: the stream is plain */
    struct buf packed;         /* compressed: what was read */
    str packed_left;           /* and of it, what was not unpacked yet */
    uint64_t packed_bytes;     /* read so far */
    struct buf plain;
    size_t begin;        /* of what is not passed */
    uint64_t gone_bytes; /* of the stream, no longer in |plain| */
    bool is_end;
    bool is_cut;
};

str
window_bytes(const struct window *window)
{
    return (str){window->plain.ptr + window->begin,
                 window->plain.len - window->begin};
}

bool
window_is_end(const struct window *window)
{
    return window->is_end;
}

bool
window_is_cut(const struct window *window)
{
    return window->is_cut;
}

uint64_t
window_at(const struct window *window)
{
    return window->gone_bytes + window->begin;
}

void
window_pass(struct window *window, size_t len)
{
    window->begin += len;
}

static enum err
read_piece(struct window *window, char *to, size_t *got)
{
    ssize_t n = window->read(window->ctx, to, PIECE);

    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? ERR_IO : OK;
}

/* Reads and unpacks until there is something; nothing: the end. */
static enum err
unpack_piece(struct window *window, char *to, size_t *got)
{
    for (;;) {
        size_t n = 0;
        enum err err = unpacker_next(window->unpacker, &window->packed_left, to,
                                     PIECE, got);
        if (err || *got)
            return err;
        if (window->packed_left.len)
            continue; /* a member has ended, or gave nothing */
        if ((err = read_piece(window, window->packed.ptr, &n)))
            return err;
        window->is_cut = !n && !unpacker_is_whole(window->unpacker);
        if (!n)
            return window->is_cut ? ERR_INVALID : OK;
        window->packed_left = (str){window->packed.ptr, n};
        window->packed_bytes += n;
    }
}

/* Room for a piece and the padding, where the next byte goes. */
static char *
make_room(struct window *window)
{
    struct buf *plain = &window->plain;

    if (window->begin) {
        assert(plain->ptr); /* what was passed was there */
        plain->len -= window->begin;
        memmove(plain->ptr, plain->ptr + window->begin, plain->len);
        window->gone_bytes += window->begin;
        window->begin = 0;
    }
    return buf_grow(plain, PIECE + REQUEST_PAD);
}

static bool
is_full(const struct window *window)
{
    size_t len = window->plain.len - window->begin;

    return len > window->most ||
           (window->unpacker && len > inflate_bound(window->packed_bytes));
}

enum err
window_more(struct window *window)
{
    size_t got = 0;
    enum err err;

    if (is_full(window))
        return ERR_TOO_LARGE;

    char *to = make_room(window);
    if (!to)
        return ERR_NOMEM;
    err = window->unpacker ? unpack_piece(window, to, &got)
                           : read_piece(window, to, &got);
    window->plain.len += got;
    memset(to + got, 0, REQUEST_PAD);
    window->is_end = !err && !got;
    return err;
}

enum err
window_await(struct window *window, size_t len)
{
    enum err err = OK;

    while (!err && !window->is_end && window_bytes(window).len < len)
        err = window_more(window);
    return err;
}

/* What was read is compressed: from now on it is unpacked. */
static enum err
begin_unpacking(struct window *window, enum encoding encoding)
{
    window->unpacker = unpacker_new(encoding);
    window->packed = window->plain;
    window->packed_left = buf_str(&window->packed);
    window->packed_bytes = window->packed.len;
    window->plain = (struct buf){.cap_max = window->packed.cap_max};
    window->is_end = false;
    return window->unpacker && make_room(window) ? OK : ERR_NOMEM;
}

enum err
window_open(struct window **out, window_read_fn *read, void *ctx, size_t most)
{
    struct window *window = *out = calloc(1, sizeof(*window));
    enum err err;

    if (!window)
        return ERR_NOMEM;
    window->read = read;
    window->ctx = ctx;
    window->most = most;
    window->plain.cap_max = most + PIECE + REQUEST_PAD;
    err = make_room(window) ? window_await(window, MAGIC_LEN) : ERR_NOMEM;

    enum encoding encoding =
        err ? ENCODING_IDENTITY : unpack_encoding(window_bytes(window));
    return encoding == ENCODING_IDENTITY ? err
                                         : begin_unpacking(window, encoding);
}

void
window_close(struct window *window)
{
    if (!window)
        return;
    unpacker_free(window->unpacker);
    buf_fini(&window->packed);
    buf_fini(&window->plain);
    free(window);
}
