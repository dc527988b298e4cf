/*
 * What an edge had in a window.  Who asks for all edges asks in their order, in
 * which the buckets are stored, too: so the statement stays where it stopped,
 * and the next edge is most often one step further.  Where it is not, for the
 * buckets outside the window that lie between, or of edges nobody asked for, it
 * is looked up, as it is for who asks in another order.
 *
 * A key is the edge and the number of its hour or day, which is never the last
 * one of 32 bits: UINT64_MAX is the end.  Stopped at the bucket
 * |at|, after |low| was looked up or passed, it is known that there is none
 * from |low| until |at|.
 */
#include "store/reader_rows.h"

enum { NEAR = 8 }; /* steps that cost what a look-up does, about */

static uint64_t
key_of(uint32_t edge, uint32_t number)
{
    return (uint64_t)edge << 32 | number;
}

static enum err
step(sqlite3_stmt *stmt, struct reader_place *place)
{
    int rc = sqlite3_step(stmt);

    if (rc != SQLITE_ROW) {
        place->at = UINT64_MAX; /* it is not stepped beyond the end */
        sqlite3_reset(stmt);
        place->is_set = rc == SQLITE_DONE;
        return reader_err(rc);
    }
    int64_t edge = sqlite3_column_int64(stmt, 0);
    int64_t number = sqlite3_column_int64(stmt, 1);

    if (edge < 0 || edge > UINT32_MAX || number < 0 || number >= UINT32_MAX) {
        sqlite3_reset(stmt);
        place->is_set = false;
        return ERR_CORRUPT;
    }
    place->at = key_of((uint32_t)edge, (uint32_t)number);
    return OK;
}

static enum err
look_up(sqlite3_stmt *stmt, struct reader_place *place, uint64_t key)
{
    sqlite3_reset(stmt);
    sqlite3_bind_int64(stmt, 1, (int64_t)(key >> 32));
    sqlite3_bind_int64(stmt, 2, (int64_t)(key & UINT32_MAX));
    *place = (struct reader_place){.is_set = true, .low = key};
    return step(stmt, place);
}

/* To the first bucket that is not before |key|. */
static enum err
go_to(sqlite3_stmt *stmt, struct reader_place *place, uint64_t key)
{
    enum err err = OK;

    if (!place->is_set || key < place->low)
        return look_up(stmt, place, key);
    for (int i = 0; !err && place->at < key && i < NEAR; i++) {
        place->low = place->at + 1;
        err = step(stmt, place);
    }
    return err || place->at >= key ? err : look_up(stmt, place, key);
}

static enum err
add(sqlite3_stmt *row, struct bucket_delta *out)
{
    if (__builtin_add_overflow(out->count, sqlite3_column_int64(row, 2),
                               &out->count) ||
        __builtin_add_overflow(out->errors, sqlite3_column_int64(row, 4),
                               &out->errors))
        return ERR_CORRUPT;
    out->weighted = weights_add(out->weighted, sqlite3_column_int64(row, 3));
    return OK;
}

enum err
reader_sum(struct reader *r, uint32_t edge, struct reader_span span,
           struct bucket_delta *out)
{
    static const char *const sql[] = {
        [READER_HOURS] =
            "SELECT edge, hour, count, weighted, errors FROM edge_hour WHERE "
            "(edge, hour) >= (?1, ?2) ORDER BY edge, hour",
        [READER_DAYS] =
            "SELECT edge, day, count, weighted, errors FROM edge_day WHERE "
            "(edge, day) >= (?1, ?2) ORDER BY edge, day",
    };
    struct reader_place *place = &r->places[span.unit];
    sqlite3_stmt *stmt = NULL;
    enum err err =
        reader_prepare(r, (enum reader_stmt)(READER_SUM_HOURS + (int)span.unit),
                       sql[span.unit], &stmt);

    *out = (struct bucket_delta){.edge = edge, .number = span.from};
    if (err || span.from > span.to)
        return err;
    err = go_to(stmt, place, key_of(edge, span.from));
    while (!err && place->at != UINT64_MAX &&
           place->at <= key_of(edge, span.to) && !(err = add(stmt, out))) {
        place->low = place->at + 1;
        err = step(stmt, place);
    }
    return err;
}

void
reader_sum_end(struct reader *r)
{
    for (int unit = READER_HOURS; unit <= READER_DAYS; unit++) {
        if (r->places[unit].is_set)
            sqlite3_reset(r->stmts[READER_SUM_HOURS + unit]);
        r->places[unit].is_set = false;
    }
}
