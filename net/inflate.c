/*
 * The whole message is at hand, so gzip and deflate go through libdeflate,
 * which needs no window but wants to know the output's size.  We guess (gzip
 * tells it in its last four bytes, as a hint nobody has to trust), and when
 * the guess was short we double it and do that member again: all tries
 * together cost no more than twice the last.  The guess, like the output,
 * never passes the bound, so a bomb costs what the bound says.
 *
 * zstd is decompressed in pieces, for only its streaming side checks the
 * window.  It is offered one byte more than the bound: a byte there is how a
 * message over the bound is told from one that just fits.
 */
#include "net/inflate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <libdeflate.h>
#include <zstd.h>

#include "net/request.h"

enum {
    RATIO_MAX = 200,
    RATIO_FREE = 1 << 20, /* bytes of output before the ratio counts */
    FIRST_CAP = 16 << 10,
    GUESS_RATIO = 4,
    GZIP_MIN = 18, /* header and trailer of the shortest member */
};

struct inflater {
    struct libdeflate_decompressor *deflate;
    ZSTD_DCtx *zstd;
};

/* The output while it grows: |cap| bytes and REQUEST_PAD more. */
struct output {
    char *ptr;
    size_t len;
    size_t cap;
    size_t max;
    size_t taken; /* of |room| */
    const struct inflate_room *room;
};

static bool
is_same_word(str name, str lower)
{
    if (name.len != lower.len)
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (tolower((unsigned char)name.ptr[i]) != lower.ptr[i])
            return false;
    return true;
}

enum encoding
encoding_of(str name)
{
    static const struct {
        str name;
        enum encoding encoding;
    } known[] = {
        {{"", 0}, ENCODING_IDENTITY},
        {STR_INIT("identity"), ENCODING_IDENTITY},
        {STR_INIT("gzip"), ENCODING_GZIP},
        {STR_INIT("x-gzip"), ENCODING_GZIP},
        {STR_INIT("deflate"), ENCODING_DEFLATE},
        {STR_INIT("zstd"), ENCODING_ZSTD},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (is_same_word(name, known[i].name))
            return known[i].encoding;
    return ENCODING_UNKNOWN;
}

static struct inflater *
new_within(int window_log_max)
{
    struct inflater *inflater = calloc(1, sizeof(*inflater));

    if (!inflater)
        return NULL;
    inflater->deflate = libdeflate_alloc_decompressor();
    inflater->zstd = ZSTD_createDCtx();
    if (!inflater->deflate || !inflater->zstd ||
        ZSTD_isError(ZSTD_DCtx_setParameter(inflater->zstd, ZSTD_d_windowLogMax,
                                            window_log_max))) {
        inflater_free(inflater);
        return NULL;
    }
    return inflater;
}

struct inflater *
inflater_new(void)
{
    return new_within(INFLATE_WINDOW_LOG_MAX);
}

struct inflater *
inflater_new_of_file(void)
{
    return new_within(INFLATE_FILE_WINDOW_LOG_MAX);
}

void
inflater_free(struct inflater *inflater)
{
    if (!inflater)
        return;
    if (inflater->deflate)
        libdeflate_free_decompressor(inflater->deflate);
    ZSTD_freeDCtx(inflater->zstd);
    free(inflater);
}

size_t
inflate_bound(size_t in_len)
{
    size_t by_ratio =
        in_len > SIZE_MAX / RATIO_MAX ? SIZE_MAX : in_len * RATIO_MAX;

    return by_ratio < RATIO_FREE ? RATIO_FREE : by_ratio;
}

static bool
output_take(struct output *out, size_t bytes)
{
    const struct inflate_room *room = out->room;

    if (room->take && bytes > out->taken) {
        if (!room->take(room->ctx, bytes - out->taken))
            return false;
        out->taken = bytes;
    }
    return true;
}

static enum err
output_resize(struct output *out, size_t cap)
{
    if (cap > out->max)
        cap = out->max;
    if (!output_take(out, cap + REQUEST_PAD))
        return ERR_NOMEM;

    char *ptr = realloc(out->ptr, cap + REQUEST_PAD);
    if (!ptr)
        return ERR_NOMEM;
    out->ptr = ptr;
    out->cap = cap;
    return OK;
}

/* Doubles the room; ERR_TOO_LARGE when it is at the bound already. */
static enum err
output_grow(struct output *out)
{
    if (out->cap >= out->max)
        return ERR_TOO_LARGE;
    return output_resize(out, out->cap < FIRST_CAP ? FIRST_CAP : out->cap * 2);
}

/* What gzip says of its size in the last four bytes, which is true for one
 * honest member; 0 when it cannot be. */
static size_t
gzip_size_hint(str bytes)
{
    if (bytes.len < GZIP_MIN)
        return 0;

    const unsigned char *tail =
        (const unsigned char *)bytes.ptr + bytes.len - 4;
    return (size_t)tail[0] | (size_t)tail[1] << 8 | (size_t)tail[2] << 16 |
           (size_t)tail[3] << 24;
}

static bool
is_zlib(str bytes)
{
    const unsigned char *head = (const unsigned char *)bytes.ptr;

    return bytes.len >= 2 && (head[0] & 0x0f) == 8 &&
           (head[0] << 8 | head[1]) % 31 == 0;
}

typedef enum libdeflate_result
member_fn(struct libdeflate_decompressor *, const void *, size_t, void *,
          size_t, size_t *, size_t *);

/* Decompresses the member at the start of |bytes|; |used| is its length. */
static enum err
one_member(struct inflater *inflater, member_fn *fn, str bytes,
           struct output *out, size_t *used)
{
    size_t got = 0;

    for (;;) {
        enum libdeflate_result result =
            fn(inflater->deflate, bytes.ptr, bytes.len, out->ptr + out->len,
               out->cap - out->len, used, &got);
        if (result == LIBDEFLATE_SUCCESS)
            break;
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
            return ERR_INVALID;

        enum err err = output_grow(out);
        if (err)
            return err;
    }
    out->len += got;
    return OK;
}

static enum err
inflate_gzip(struct inflater *inflater, str bytes, struct output *out)
{
    do {
        size_t used = 0;
        enum err err = one_member(inflater, libdeflate_gzip_decompress_ex,
                                  bytes, out, &used);
        if (err)
            return err;
        bytes = str_cut(bytes, used, bytes.len);
    } while (bytes.len);
    return OK;
}

static enum err
inflate_deflate(struct inflater *inflater, str bytes, struct output *out)
{
    size_t used = 0;
    enum err err = one_member(inflater,
                              is_zlib(bytes) ? libdeflate_zlib_decompress_ex
                                             : libdeflate_deflate_decompress_ex,
                              bytes, out, &used);

    if (!err && used != bytes.len)
        err = ERR_INVALID;
    return err;
}

static enum err
inflate_zstd(struct inflater *inflater, str bytes, struct output *out)
{
    ZSTD_inBuffer in = {bytes.ptr, bytes.len, 0};
    size_t left = 1;

    ZSTD_DCtx_reset(inflater->zstd, ZSTD_reset_session_only);
    /* left is 0 between frames; at the end of the input it may still hold
     * output back, which shows as a full buffer. */
    for (;;) {
        bool at_max = out->cap == out->max;
        ZSTD_outBuffer to = {out->ptr, out->cap + (at_max ? 1 : 0), out->len};

        left = ZSTD_decompressStream(inflater->zstd, &to, &in);
        out->len = to.pos;
        if (ZSTD_isError(left))
            return ERR_INVALID;
        if (out->len > out->max)
            return ERR_TOO_LARGE;
        if (in.pos == in.size && (left == 0 || to.pos < to.size))
            return left == 0 ? OK : ERR_INVALID;
        if (to.pos == to.size && !at_max) {
            enum err err = output_grow(out);
            if (err)
                return err;
        }
    }
}

static size_t
first_guess(enum encoding encoding, str bytes)
{
    size_t guess = 0;

    if (encoding == ENCODING_GZIP) {
        guess = gzip_size_hint(bytes);
    } else if (encoding == ENCODING_ZSTD) {
        unsigned long long size =
            ZSTD_getFrameContentSize(bytes.ptr, bytes.len);
        if (size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR)
            guess = size > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)size;
    }
    if (guess < bytes.len)
        guess = bytes.len > SIZE_MAX / GUESS_RATIO ? SIZE_MAX / 2
                                                   : bytes.len * GUESS_RATIO;
    return guess;
}

static enum err
inflate_into(struct inflater *inflater, enum encoding encoding, str bytes,
             struct output *out)
{
    switch (encoding) {
    case ENCODING_GZIP:
        return inflate_gzip(inflater, bytes, out);
    case ENCODING_DEFLATE:
        return inflate_deflate(inflater, bytes, out);
    case ENCODING_ZSTD:
        return inflate_zstd(inflater, bytes, out);
    case ENCODING_IDENTITY:
        if (bytes.len > out->max)
            return ERR_TOO_LARGE;
        memcpy(out->ptr, bytes.ptr, bytes.len);
        out->len = bytes.len;
        return OK;
    case ENCODING_UNKNOWN:
        break;
    }
    return ERR_INVALID;
}

enum err
inflate_within(struct inflater *inflater, enum encoding encoding, str bytes,
               const struct inflate_room *room, char **out, size_t *out_len)
{
    size_t bound = inflate_bound(bytes.len);
    struct output to = {
        .max = bound < room->max ? bound : room->max,
        .room = room,
    };
    enum err err = bytes.len ? OK : ERR_INVALID;

    *out = NULL;
    *out_len = 0;
    if (!err)
        err = output_resize(&to, first_guess(encoding, bytes));
    if (!err)
        err = inflate_into(inflater, encoding, bytes, &to);
    if (!err) {
        memset(to.ptr + to.len, 0, REQUEST_PAD);
        *out = to.ptr;
        *out_len = to.len;
        to.ptr = NULL;
    }
    free(to.ptr);
    return err;
}

enum err
inflate_whole(struct inflater *inflater, enum encoding encoding, str bytes,
              size_t max_len, char **out, size_t *out_len)
{
    const struct inflate_room room = {.max = max_len};

    return inflate_within(inflater, encoding, bytes, &room, out, out_len);
}
