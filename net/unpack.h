/*
 * unpack - compressed bytes into plain ones, piece by piece.
 *
 * For files of any length, of which nobody wants the whole in memory: gzip (all
 * members, and zeros behind them) and zstd (all frames, window at most 128 MiB,
 * which is what zstd itself takes unasked).
 * For whole messages net/inflate.h is faster.
 *
 *     while (more)
 *         unpacker_next(unpacker, &in, out, sizeof(out), &got);
 *     if (!unpacker_is_whole(unpacker)) it was cut off
 *
 * Memory     A window, whatever the length.
 * Threads    An unpacker belongs to one thread at a time.
 */
#ifndef NET_UNPACK_H
#define NET_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "net/inflate.h"

struct unpacker;

/* unpack_encoding is what |bytes|, the first four of a file or all of a shorter
 * one, begin: ENCODING_GZIP, ENCODING_ZSTD, else ENCODING_IDENTITY. */
enum encoding unpack_encoding(str bytes);

/* unpacker_new is for ENCODING_GZIP or ENCODING_ZSTD; NULL: no memory. */
struct unpacker *unpacker_new(enum encoding encoding);
void unpacker_free(struct unpacker *unpacker);

/*
 * unpacker_next writes what it can to the |cap| bytes at |out| and cuts off
 * |in| what it has used.  Nothing written: it needs more.
 *
 * ERR_INVALID  not such bytes
 * ERR_NOMEM
 */
enum err unpacker_next(struct unpacker *unpacker, str *in, char *out,
                       size_t cap, size_t *got);

/* unpacker_is_whole says that nothing begun is unfinished. */
bool unpacker_is_whole(const struct unpacker *unpacker);

#endif
