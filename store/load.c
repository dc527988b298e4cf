/*
 * What is read at start.  SQLite stores any number in any column, so each is
 * held against the range of the field it goes to.
 */
#include "store/edge_rows.h"
#include "store/flush_rows.h"
#include "store/impl.h"
#include "store/node_rows.h"

/* Reads column |at| into an unsigned field; notes in |ok| what does not fit. */
static uint32_t
column_u32(sqlite3_stmt *row, int at, uint32_t max, bool *ok)
{
    int64_t value = sqlite3_column_int64(row, at);

    *ok = *ok && sqlite3_column_type(row, at) == SQLITE_INTEGER && value >= 0 &&
          value <= max;
    return (uint32_t)value;
}

enum err
store_each_node(struct store *st, store_node_fn *fn, void *ctx)
{
    sqlite3_stmt *row = st->stmt[STMT_EACH_NODE];
    enum err err = OK;

    while (store_next(st, row, &err)) {
        bool ok = true;
        struct node node = {
            .id = column_u32(row, 0, UINT32_MAX, &ok),
            .kind = (uint8_t)column_u32(row, 1, UINT8_MAX, &ok),
            .owner = column_u32(row, 2, UINT32_MAX, &ok),
            .alias = column_u32(row, 3, UINT32_MAX, &ok),
            .source = (uint8_t)column_u32(row, 4, UINT8_MAX, &ok),
            .name = store_column_str(row, 5),
            .env = store_column_str(row, 6),
        };
        if ((err = ok ? fn(ctx, &node) : ERR_CORRUPT)) {
            sqlite3_reset(row);
            break;
        }
    }
    return err;
}

enum err
store_each_edge(struct store *st, store_edge_fn *fn, void *ctx)
{
    sqlite3_stmt *row = st->stmt[STMT_EACH_EDGE];
    enum err err = OK;

    while (store_next(st, row, &err)) {
        bool ok = true;
        struct edge_delta edge = {
            .id = column_u32(row, 0, UINT32_MAX, &ok),
            .key.src = column_u32(row, 1, UINT32_MAX, &ok),
            .key.dst = column_u32(row, 2, UINT32_MAX, &ok),
            .key.kind = (uint8_t)column_u32(row, 3, UINT8_MAX, &ok),
            .count = sqlite3_column_int64(row, 4),
            .first_s = column_u32(row, 5, UINT32_MAX, &ok),
            .last_s = column_u32(row, 6, UINT32_MAX, &ok),
        };
        if ((err = ok ? fn(ctx, &edge) : ERR_CORRUPT)) {
            sqlite3_reset(row);
            break;
        }
    }
    return err;
}

enum err
store_count_edges(struct store *st, uint64_t *out)
{
    sqlite3_stmt *row = st->stmt[STMT_COUNT_EDGES];
    enum err err = OK;

    *out = 0;
    while (store_next(st, row, &err))
        *out = (uint64_t)sqlite3_column_int64(row, 0);
    return err;
}

enum err
store_each_overflow(struct store *st, store_overflow_fn *fn, void *ctx)
{
    sqlite3_stmt *row = st->stmt[STMT_EACH_OVERFLOW];
    enum err err = OK;

    while (store_next(st, row, &err)) {
        bool ok = true;
        uint32_t node = column_u32(row, 0, UINT32_MAX, &ok);
        if ((err =
                 ok ? fn(ctx, node, store_column_str(row, 1)) : ERR_CORRUPT)) {
            sqlite3_reset(row);
            break;
        }
    }
    return err;
}

enum err
store_each_part(struct store *st, uint64_t flush, store_part_fn *fn, void *ctx)
{
    sqlite3_stmt *row =
        store_bind(st, STMT_EACH_PART, (const int64_t[]){(int64_t)flush}, 1);
    enum err err = OK;

    while (store_next(st, row, &err)) {
        uint64_t seq = (uint64_t)sqlite3_column_int64(row, 0);
        if ((err = fn(ctx, seq, store_column_str(row, 1)))) {
            sqlite3_reset(row);
            break;
        }
    }
    return err;
}

enum err
store_each_producers(struct store *st, store_blob_fn *fn, void *ctx)
{
    sqlite3_stmt *row = st->stmt[STMT_EACH_PRODUCERS];
    enum err err = OK;

    while (store_next(st, row, &err)) {
        if ((err = fn(ctx, store_column_str(row, 0)))) {
            sqlite3_reset(row);
            break;
        }
    }
    return err;
}

enum err
store_each_route(struct store *st, store_route_fn *fn, void *ctx)
{
    sqlite3_stmt *row = st->stmt[STMT_EACH_ROUTE];
    enum err err = OK;

    while (store_next(st, row, &err)) {
        bool ok = true;
        struct route_row route = {
            .id = column_u32(row, 0, UINT32_MAX, &ok),
            .service = column_u32(row, 1, UINT32_MAX, &ok),
            .node = column_u32(row, 2, UINT32_MAX, &ok),
            .created_s = column_u32(row, 3, UINT32_MAX, &ok),
            .removed_s = column_u32(row, 4, UINT32_MAX, &ok),
            .method = store_column_str(row, 5),
            .pattern = store_column_str(row, 6),
            .raw = store_column_str(row, 7),
            .origin = store_column_str(row, 8),
        };
        if ((err = ok ? fn(ctx, &route) : ERR_CORRUPT)) {
            sqlite3_reset(row);
            break;
        }
    }
    return err;
}
