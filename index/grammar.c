/*
 * The tables are constants to the code that reads them, and pages without a
 * file to the kernel: zero until they are written here, once.  After that
 * they are made constant, as far as whole pages go.
 */
#include "index/grammar.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zstd.h>

static pthread_mutex_t unpacking = PTHREAD_MUTEX_INITIALIZER;

static void
protect(const struct grammar_part *part)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t skip = (page - (uintptr_t)part->table % page) % page;

    if (part->bytes >= skip + page)
        (void)mprotect((char *)part->table + skip,
                       (part->bytes - skip) / page * page, PROT_READ);
}

static bool
unpack(const struct grammar *grammar, ZSTD_DCtx *zstd)
{
    const unsigned char *at = grammar->packed;

    for (size_t i = 0; i < grammar->part_len; i++) {
        const struct grammar_part *part = &grammar->parts[i];
        size_t left = (size_t)(grammar->packed_end - at);
        size_t frame = ZSTD_findFrameCompressedSize(at, left);

        if (ZSTD_isError(frame) ||
            ZSTD_decompressDCtx(zstd, part->table, part->bytes, at, frame) !=
                part->bytes)
            return false;
        at += frame;
    }
    for (size_t i = 0; i < grammar->part_len; i++)
        protect(&grammar->parts[i]);
    return true;
}

const struct TSLanguage *
grammar_language(const struct grammar *grammar)
{
    if (!atomic_load(grammar->is_unpacked)) {
        pthread_mutex_lock(&unpacking);
        ZSTD_DCtx *zstd =
            atomic_load(grammar->is_unpacked) ? NULL : ZSTD_createDCtx();
        if (zstd && unpack(grammar, zstd))
            atomic_store(grammar->is_unpacked, true);
        ZSTD_freeDCtx(zstd);
        pthread_mutex_unlock(&unpacking);
    }
    return atomic_load(grammar->is_unpacked) ? grammar->language() : NULL;
}
