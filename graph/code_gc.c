/*
 * Dropping is by generation: what ended no later than the oldest snapshot that
 * is kept is held by none of them.  What runs is in another file and is not
 * touched.
 */
#include <string.h>

#include "graph/code_write.h"

struct gc {
    uint32_t repo;
    uint32_t keep;
    uint32_t seen; /* snapshots of |of| */
    uint32_t of;
    uint32_t dropped;
    /* The next repository that has too many, and its oldest to keep. */
    uint32_t next;
    uint32_t generation;
};

/* Newest first: number |keep| is the oldest to keep, those behind it go. */
static enum err
see_snapshot(void *ctx, const struct snapshot_row *row)
{
    struct gc *gc = ctx;

    if (gc->of != row->repo) {
        gc->of = row->repo;
        gc->seen = 0;
    }
    gc->seen++;
    if (gc->next && gc->next != row->repo)
        return OK;
    if (gc->seen == gc->keep)
        gc->generation = row->generation;
    if (gc->seen <= gc->keep)
        return OK;
    gc->next = row->repo;
    gc->dropped++;
    return OK;
}

enum err
code_gc(struct code_store *cs, uint32_t repo, uint32_t keep, uint32_t *dropped)
{
    struct gc gc = {.keep = keep ? keep : 1};
    enum err err = code_store_begin(cs);

    if (err)
        return err;
    do {
        gc.next = gc.of = gc.seen = 0;
        err = code_store_each_snapshot(cs, repo, see_snapshot, &gc);
        if (!err && gc.next)
            err = code_store_drop_before(cs, gc.next, gc.generation);
    } while (!err && gc.next);
    if (!err)
        err = code_store_commit(cs);
    if (err)
        code_store_rollback(cs);
    if (dropped)
        *dropped = err ? 0 : gc.dropped;
    return err;
}
