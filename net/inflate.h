/*
 * inflate - compressed bodies into plain ones, bounded.
 *
 * gzip (all members), zlib and raw "deflate", zstd (window at most 8 MiB, in
 * files 128 MiB).
 * Output is bounded by its caller, and after the first MiB by a ratio of 200:1,
 * so a bomb costs no more than the limit.
 *
 * Threads    An inflater belongs to one thread at a time.
 */
#ifndef NET_INFLATE_H
#define NET_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum encoding {
    ENCODING_IDENTITY,
    ENCODING_GZIP,
    ENCODING_DEFLATE,
    ENCODING_ZSTD,
    ENCODING_UNKNOWN,
};

/* What an error reply names as accepted. */
#define ENCODINGS_ACCEPTED "gzip, deflate, zstd"

struct inflater;

enum encoding encoding_of(str name);

/* The largest window of zstd, as a power of two: of what anybody may send, and
 * of a file, which is what zstd itself takes unasked. */
enum { INFLATE_WINDOW_LOG_MAX = 23, INFLATE_FILE_WINDOW_LOG_MAX = 27 };

/* inflater_new is for messages from the network, inflater_new_of_file for those
 * of a file that was named to us; NULL for want of memory. */
struct inflater *inflater_new(void);
struct inflater *inflater_new_of_file(void);
void inflater_free(struct inflater *inflater);

/* inflate_bound is the most that |in_len| bytes may become. */
size_t inflate_bound(size_t in_len);

/* How much the output may be; before |bytes| of memory are taken for it |take|,
 * unless NULL, is asked for them.  What it granted is its owner's to count. */
struct inflate_room {
    size_t max;
    bool (*take)(void *ctx, size_t bytes);
    void *ctx;
};

/*
 * inflate_within decompresses |bytes| into memory of its own, |out|, followed
 * by REQUEST_PAD readable bytes; release it with free().
 *
 * ERR_TOO_LARGE  more than |room->max|, or over the ratio
 * ERR_INVALID    not such bytes, or bytes left over
 * ERR_NOMEM      or |room->take| said no
 */
enum err
inflate_within(struct inflater *inflater, enum encoding encoding, str bytes,
               const struct inflate_room *room, char **out, size_t *out_len);

/* inflate_whole does so where nobody counts. */
enum err inflate_whole(struct inflater *inflater, enum encoding encoding,
                       str bytes, size_t max_len, char **out, size_t *out_len);

#endif
