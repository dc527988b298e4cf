/*
 * A piece at a time, so that the bound holds whatever the bytes claim.
 */
#include "crawl/gunzip.h"

#define ZLIB_CONST /* of what it reads */
#include <zlib.h>

enum { PIECE = 16384, GZIP_ONLY = 16 + MAX_WBITS };

bool
gunzip_is(str bytes)
{
    return str_starts(bytes, STR("\x1f\x8b"));
}

/* One piece of the member.  |done| is that it has ended. */
static enum err
take_piece(z_stream *z, size_t max_bytes, struct buf *out, bool *done)
{
    char piece[PIECE];

    z->next_out = (Bytef *)piece;
    z->avail_out = sizeof(piece);
    int result = inflate(z, Z_NO_FLUSH);
    size_t len = sizeof(piece) - z->avail_out;

    *done = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR)
        return ERR_NOMEM;
    if (result != Z_OK && result != Z_STREAM_END)
        return ERR_INVALID; /* Z_BUF_ERROR: it is cut off */
    if (len > max_bytes - out->len)
        return ERR_FULL;
    buf_add(out, (str){piece, len});
    return out->failed ? ERR_NOMEM : OK;
}

enum err
gunzip(str bytes, size_t max_bytes, struct buf *out)
{
    z_stream z = {.next_in = (const Bytef *)bytes.ptr,
                  .avail_in = (uInt)bytes.len};
    size_t end = out->len + max_bytes;
    bool is_done = false;
    enum err err = OK;

    if (bytes.len > UINT32_MAX || end < max_bytes)
        return ERR_FULL;
    if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
        return ERR_NOMEM;
    while (!err && !is_done) {
        err = take_piece(&z, end, out, &is_done);
        /* Another member, or padding that is none. */
        if (!err && is_done && z.avail_in &&
            gunzip_is((str){(const char *)z.next_in, z.avail_in}))
            is_done = inflateReset(&z) != Z_OK;
    }
    (void)inflateEnd(&z);
    return err;
}
