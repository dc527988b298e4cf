/*
 * Both libraries do the work; here is what they see differently.  zlib ends
 * with each member, so the next one is begun here, when there is a byte of it.
 * zstd begins the next frame by itself.
 */
#include "net/unpack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST /* it only reads what comes in */
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { GZIP_ONLY = 15 + 16 };

struct unpacker {
    enum encoding encoding;
    z_stream gzip;
    ZSTD_DCtx *zstd;
    bool is_whole; /* between members or frames */
};

enum encoding
unpack_encoding(str bytes)
{
    if (str_starts(bytes, STR("\x1f\x8b")))
        return ENCODING_GZIP;
    if (str_starts(bytes, STR("\x28\xb5\x2f\xfd")))
        return ENCODING_ZSTD;
    return ENCODING_IDENTITY;
}

static bool
open_zstd(struct unpacker *unpacker)
{
    unpacker->zstd = ZSTD_createDCtx();
    return unpacker->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(
                                 unpacker->zstd, ZSTD_d_windowLogMax,
                                 INFLATE_FILE_WINDOW_LOG_MAX));
}

struct unpacker *
unpacker_new(enum encoding encoding)
{
    struct unpacker *unpacker = calloc(1, sizeof(*unpacker));

    if (!unpacker)
        return NULL;
    unpacker->encoding = encoding;
    unpacker->is_whole = true;
    if (encoding == ENCODING_GZIP
            ? inflateInit2(&unpacker->gzip, GZIP_ONLY) == Z_OK
            : open_zstd(unpacker))
        return unpacker;
    unpacker_free(unpacker);
    return NULL;
}

void
unpacker_free(struct unpacker *unpacker)
{
    if (!unpacker)
        return;
    if (unpacker->encoding == ENCODING_GZIP)
        (void)inflateEnd(&unpacker->gzip);
    ZSTD_freeDCtx(unpacker->zstd);
    free(unpacker);
}

static unsigned
at_most(size_t len)
{
    return len > UINT32_MAX ? UINT32_MAX : (unsigned)len;
}

/* Zeros behind a member: tapes and copies by blocks are padded so. */
static void
pass_padding(str *in)
{
    size_t len = 0;

    while (len < in->len && in->ptr[len] == '\0')
        len++;
    *in = str_cut(*in, len, in->len);
}

static enum err
next_gzip(struct unpacker *unpacker, str *in, char *out, size_t cap,
          size_t *got)
{
    z_stream *z = &unpacker->gzip;

    if (unpacker->is_whole && z->total_in)
        pass_padding(in);
    if (unpacker->is_whole && !in->len)
        return OK;
    if (unpacker->is_whole)
        (void)inflateReset(z);
    z->next_in = (const Bytef *)in->ptr;
    z->avail_in = at_most(in->len);
    z->next_out = (Bytef *)out;
    z->avail_out = at_most(cap);

    int result = inflate(z, Z_NO_FLUSH);

    *got = (size_t)((char *)z->next_out - out);
    *in = str_cut(*in, (size_t)((const char *)z->next_in - in->ptr), in->len);
    if (result == Z_MEM_ERROR)
        return ERR_NOMEM;
    /* Z_BUF_ERROR: it could do nothing, for want of bytes or of room. */
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return ERR_INVALID;
    unpacker->is_whole = result == Z_STREAM_END;
    return OK;
}

static enum err /* NOLINTNEXTLINE(readability-non-const-parameter) */
next_zstd(struct unpacker *unpacker, str *in, char *out, size_t cap,
          size_t *got)
{
    ZSTD_inBuffer from = {in->ptr, in->len, 0};
    ZSTD_outBuffer to = {out, cap, 0};
    size_t left = ZSTD_decompressStream(unpacker->zstd, &to, &from);

    *got = to.pos;
    *in = str_cut(*in, from.pos, in->len);
    if (ZSTD_isError(left))
        return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
                   ? ERR_NOMEM
                   : ERR_INVALID;
    unpacker->is_whole = left == 0;
    return OK;
}

enum err
unpacker_next(struct unpacker *unpacker, str *in, char *out, size_t cap,
              size_t *got)
{
    *got = 0;
    if (unpacker->is_whole && !in->len)
        return OK;
    return unpacker->encoding == ENCODING_GZIP
               ? next_gzip(unpacker, in, out, cap, got)
               : next_zstd(unpacker, in, out, cap, got);
}

bool
unpacker_is_whole(const struct unpacker *unpacker)
{
    return unpacker->is_whole;
}
