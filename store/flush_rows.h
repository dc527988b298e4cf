/*
 * flush_rows - what a flush has taken and not yet added to the edges, and the
 * producers that are held for links.
 *
 * What is put is put within a transaction; errors as of store/store.h.
 *
 * Threads    The owner thread only.
 */
#ifndef STORE_FLUSH_ROWS_H
#define STORE_FLUSH_ROWS_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "store/store.h"

/* ---- flushes under way ---- */

/*
 * What a flush took, in parts that are not yet added to the edges: put the
 * parts, then say with store_put_covered how far in the journal they reach and
 * with store_put_flush that they are whole; then add them, and drop each in the
 * transaction that adds it, and with the last say store_put_added.  Parts are
 * numbered from 1 in each flush.
 */
enum err
store_put_part(struct store *st, uint64_t flush, uint64_t seq, str data);
enum err store_drop_parts(struct store *st, uint64_t upto_seq);
enum err store_drop_all_parts(struct store *st);
typedef enum err store_part_fn(void *ctx, uint64_t seq, str data);
enum err
store_each_part(struct store *st, uint64_t flush, store_part_fn *fn, void *ctx);

/* The number of the last flush whose parts are whole; 0: none. */
enum err store_put_flush(struct store *st, uint64_t flush);
enum err store_get_flush(struct store *st, uint64_t *flush);

/* ---- producers held for links ---- */

/* What one save of them gave (runtime/pair.h). */
struct producers_row {
    str data;
    uint32_t count;    /* of producers in it, at least 1 */
    uint64_t until_ns; /* when the last of them ends */
};

enum err store_put_producers(struct store *st, const struct producers_row *row);
typedef enum err store_blob_fn(void *ctx, str data);
enum err store_each_producers(struct store *st, store_blob_fn *fn, void *ctx);

/*
 * store_trim_producers drops, of the eight oldest rows, those that end before
 * |before_ns| and those behind which |max_count| producers or more were put.
 * So it takes no long time whatever has gathered; the rest goes with the next.
 * Those that a restart leaves out, over or damaged, are counted as put: with
 * a link horizon that has become shorter, as many fewer may be kept.
 */
enum err
store_trim_producers(struct store *st, uint64_t before_ns, uint32_t max_count);

#endif
