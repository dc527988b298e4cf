/*
 * Level 1 of libdeflate: a span is 59 bytes, 58 at level 3 for twice the time,
 * 54 at level 9 for many times as much (tests/bench/bench_relay.c).
 */
#include "relay/pack.h"

#include <stdlib.h>

#include <libdeflate.h>

#include "base/buf.h"

enum { LEVEL = 1, STORED = 0, SMALL = 64 << 10 };

struct pack {
    struct libdeflate_compressor *level[2];
    struct buf out;
};

struct pack *
pack_new(void)
{
    struct pack *pack = calloc(1, sizeof(*pack));

    if (!pack)
        return NULL;
    pack->level[0] = libdeflate_alloc_compressor(LEVEL);
    pack->level[1] = libdeflate_alloc_compressor(STORED);
    if (pack->level[0] && pack->level[1])
        return pack;
    pack_free(pack);
    return NULL;
}

void
pack_free(struct pack *pack)
{
    if (!pack)
        return;
    for (int i = 0; i < 2; i++)
        libdeflate_free_compressor(pack->level[i]);
    buf_fini(&pack->out);
    free(pack);
}

static enum err
compress(struct pack *pack, int level, str bytes)
{
    size_t most = libdeflate_gzip_compress_bound(pack->level[level], bytes.len);

    buf_reset(&pack->out);
    if (!buf_grow(&pack->out, most))
        return ERR_NOMEM;
    pack->out.len = libdeflate_gzip_compress(pack->level[level], bytes.ptr,
                                             bytes.len, pack->out.ptr, most);
    return pack->out.len ? OK : ERR_NOMEM;
}

enum err
pack_gzip(struct pack *pack, str bytes, str *out)
{
    if (pack->out.cap > PACK_KEEP)
        buf_fini(&pack->out);
    enum err err = compress(pack, 0, bytes);
    if (!err && bytes.len > SMALL && bytes.len / PACK_RATIO > pack->out.len)
        err = compress(pack, 1, bytes);
    *out = buf_str(&pack->out);
    return err;
}
