/*
 * The walks.  Each is: prepare, bind, hand every row to the callback, reset.
 * Numbers are checked on the way in: a node id or a time that does not fit its
 * field means the file is damaged, and says so instead of wrapping.
 */
#include "store/reader_rows.h"

#include <endian.h>
#include <string.h>

#include "store/edge_rows.h"
#include "store/node_rows.h"

typedef enum err row_fn(sqlite3_stmt *row, void *ctx);

struct walk {
    void *fn_ctx;
    union {
        reader_node_fn *node;
        reader_overflow_fn *overflow;
        reader_edge_fn *edge;
        reader_bucket_fn *bucket;
        reader_version_fn *version;
        reader_exemplar_fn *exemplar;
        store_route_fn *route;
        reader_counter_fn *counter;
        reader_uptime_fn *uptime;
    } fn;
};

static enum err
walk_rows(sqlite3_stmt *stmt, row_fn *fn, void *ctx)
{
    enum err err = OK;
    int rc = sqlite3_step(stmt);

    while (rc == SQLITE_ROW && !(err = fn(stmt, ctx)))
        rc = sqlite3_step(stmt);
    sqlite3_reset(stmt);
    return err ? err : reader_err(rc);
}

static bool
get_u32(sqlite3_stmt *row, int column, uint32_t *out)
{
    int64_t value = sqlite3_column_int64(row, column);

    *out = (uint32_t)value;
    return value >= 0 && value <= UINT32_MAX;
}

static str
get_str(sqlite3_stmt *row, int column)
{
    const void *ptr = sqlite3_column_blob(row, column);

    return (str){ptr, (size_t)sqlite3_column_bytes(row, column)};
}

static enum err
node_row(sqlite3_stmt *row, void *ctx)
{
    const struct walk *walk = ctx;
    struct reader_node out = {
        .node.kind = (uint8_t)sqlite3_column_int(row, 1),
        .node.source = (uint8_t)sqlite3_column_int(row, 6),
        .node.name = get_str(row, 3),
        .node.env = get_str(row, 4),
    };
    str hash = get_str(row, 7);

    if (!get_u32(row, 0, &out.node.id) || !get_u32(row, 2, &out.node.owner) ||
        !get_u32(row, 5, &out.node.alias) || !get_u32(row, 8, &out.created_s))
        return ERR_CORRUPT;
    if (hash.len == sizeof(out.hash))
        memcpy(out.hash, hash.ptr, sizeof(out.hash));
    return walk->fn.node(walk->fn_ctx, &out);
}

enum err
reader_each_node(struct reader *r, reader_node_fn *fn, void *ctx)
{
    struct walk walk = {.fn_ctx = ctx, .fn.node = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err =
        reader_prepare(r, READER_NODES,
                       "SELECT id, kind, owner, name, env, alias, source, "
                       "hash, created_s FROM node ORDER BY id",
                       &stmt);

    return err ? err : walk_rows(stmt, node_row, &walk);
}

static enum err
overflow_row(sqlite3_stmt *row, void *ctx)
{
    const struct walk *walk = ctx;
    int64_t estimate = sqlite3_column_int64(row, 1);
    uint32_t node;

    if (!get_u32(row, 0, &node) || estimate < 0)
        return ERR_CORRUPT;
    return walk->fn.overflow(walk->fn_ctx, node, (uint64_t)estimate);
}

enum err
reader_each_overflow(struct reader *r, reader_overflow_fn *fn, void *ctx)
{
    struct walk walk = {.fn_ctx = ctx, .fn.overflow = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err = reader_prepare(
        r, READER_OVERFLOW,
        "SELECT node, estimate FROM overflow ORDER BY estimate DESC, node",
        &stmt);

    return err ? err : walk_rows(stmt, overflow_row, &walk);
}

static enum err
edge_row(sqlite3_stmt *row, void *ctx)
{
    const struct walk *walk = ctx;
    struct reader_edge out = {
        .key.kind = (uint8_t)sqlite3_column_int(row, 3),
        .count = sqlite3_column_int64(row, 4),
        .weighted = sqlite3_column_int64(row, 5),
        .known = sqlite3_column_int64(row, 6),
        .errors = sqlite3_column_int64(row, 7),
    };

    if (!get_u32(row, 0, &out.id) || !get_u32(row, 1, &out.key.src) ||
        !get_u32(row, 2, &out.key.dst) || !get_u32(row, 8, &out.first_s) ||
        !get_u32(row, 9, &out.last_s) || !get_u32(row, 10, &out.swept_s))
        return ERR_CORRUPT;
    return walk->fn.edge(walk->fn_ctx, &out);
}

#define EDGE_COLUMNS                                                       \
    "SELECT id, src, dst, kind, count, weighted, known, errors, first_s, " \
    "last_s, swept_s FROM edge WHERE kind BETWEEN ?1 AND ?2 AND count > 0 "

enum err
reader_each_edge(struct reader *r, const struct reader_edges *what,
                 reader_edge_fn *fn, void *ctx)
{
    static const char *const sql[] = {
        [READER_ALL] = EDGE_COLUMNS "ORDER BY id",
        [READER_FROM] = EDGE_COLUMNS "AND src = ?3",
        [READER_TO] = EDGE_COLUMNS "AND dst = ?3",
    };
    struct walk walk = {.fn_ctx = ctx, .fn.edge = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err = reader_prepare(
        r, (enum reader_stmt)(READER_EDGES_ALL + (int)what->side),
        sql[what->side], &stmt);

    if (err)
        return err;
    sqlite3_bind_int(stmt, 1, what->from_kind);
    sqlite3_bind_int(stmt, 2, what->to_kind);
    if (what->side != READER_ALL)
        sqlite3_bind_int64(stmt, 3, what->node);
    return walk_rows(stmt, edge_row, &walk);
}

static enum err
tally_row(sqlite3_stmt *row, void *ctx)
{
    const struct walk *walk = ctx;
    int kind = sqlite3_column_int(row, 0);
    struct reader_edge out = {
        .key.kind = (uint8_t)kind,
        .count = sqlite3_column_int64(row, 1),
    };

    if (kind < EDGE_CALL || kind > UINT8_MAX || out.count <= 0)
        return OK;
    if (!get_u32(row, 2, &out.first_s) || !get_u32(row, 3, &out.last_s))
        return ERR_CORRUPT;
    return walk->fn.edge(walk->fn_ctx, &out);
}

enum err
reader_each_tally(struct reader *r, reader_edge_fn *fn, void *ctx)
{
    struct walk walk = {.fn_ctx = ctx, .fn.edge = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err =
        reader_prepare(r, READER_TALLIES,
                       "SELECT kind, count, first_s, last_s FROM edge", &stmt);

    return err ? err : walk_rows(stmt, tally_row, &walk);
}

static void
bind_span(sqlite3_stmt *stmt, uint32_t edge, uint32_t from, uint32_t to)
{
    sqlite3_bind_int64(stmt, 1, edge);
    sqlite3_bind_int64(stmt, 2, from);
    sqlite3_bind_int64(stmt, 3, to);
}

static enum err
day_row(sqlite3_stmt *row, void *ctx)
{
    const struct walk *walk = ctx;
    struct bucket_delta out = {
        .count = sqlite3_column_int64(row, 2),
        .weighted = sqlite3_column_int64(row, 3),
        .errors = sqlite3_column_int64(row, 4),
        .latency = get_str(row, 6),
    };

    if (!get_u32(row, 0, &out.edge) || !get_u32(row, 1, &out.number) ||
        !get_u32(row, 5, &out.hours))
        return ERR_CORRUPT;
    return walk->fn.bucket(walk->fn_ctx, &out);
}

enum err
reader_each_day(struct reader *r, uint32_t edge, uint32_t from, uint32_t to,
                reader_bucket_fn *fn, void *ctx)
{
    struct walk walk = {.fn_ctx = ctx, .fn.bucket = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err = reader_prepare(
        r, READER_DAY_ROWS,
        "SELECT edge, day, count, weighted, errors, hours, latency FROM "
        "edge_day WHERE edge = ?1 AND day BETWEEN ?2 AND ?3 ORDER BY day",
        &stmt);

    if (err)
        return err;
    bind_span(stmt, edge, from, to);
    return walk_rows(stmt, day_row, &walk);
}

static enum err
version_row(sqlite3_stmt *row, void *ctx)
{
    const struct walk *walk = ctx;
    struct version_delta out = {.side = (uint8_t)sqlite3_column_int(row, 1)};

    if (!get_u32(row, 0, &out.edge) || !get_u32(row, 2, &out.version) ||
        !get_u32(row, 3, &out.first_s) || !get_u32(row, 4, &out.last_s))
        return ERR_CORRUPT;
    return walk->fn.version(walk->fn_ctx, &out);
}

enum err
reader_each_version(struct reader *r, uint32_t edge, reader_version_fn *fn,
                    void *ctx)
{
    struct walk walk = {.fn_ctx = ctx, .fn.version = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err =
        reader_prepare(r, READER_VERSIONS,
                       "SELECT edge, side, version, first_s, last_s FROM "
                       "edge_version WHERE edge = ?1",
                       &stmt);

    if (err)
        return err;
    sqlite3_bind_int64(stmt, 1, edge);
    return walk_rows(stmt, version_row, &walk);
}

/* Appends one of them, if it is there, to what |ctx| gets. */
static enum err
exemplar_at(sqlite3_stmt *row, const struct walk *walk, int at_s, int trace)
{
    struct exemplar out = {.failed = sqlite3_column_int(row, 0) != 0};
    uint64_t words[2];

    if (sqlite3_column_type(row, trace) == SQLITE_NULL)
        return OK;
    if (!get_u32(row, at_s, &out.at_s) ||
        sqlite3_column_bytes(row, trace) != sizeof(words))
        return ERR_CORRUPT;
    memcpy(words, sqlite3_column_blob(row, trace), sizeof(words));
    out.trace_hi = be64toh(words[0]);
    out.trace_lo = be64toh(words[1]);
    return walk->fn.exemplar(walk->fn_ctx, &out);
}

static enum err
exemplar_row(sqlite3_stmt *row, void *ctx)
{
    enum err err = exemplar_at(row, ctx, 1, 2);

    return err ? err : exemplar_at(row, ctx, 3, 4);
}

enum err
reader_each_exemplar(struct reader *r, uint32_t edge, reader_exemplar_fn *fn,
                     void *ctx)
{
    struct walk walk = {.fn_ctx = ctx, .fn.exemplar = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err = reader_prepare(r, READER_EXEMPLARS,
                                  "SELECT failed, at_s, trace, before_s, before"
                                  " FROM edge_exemplar WHERE edge = ?1",
                                  &stmt);

    if (err)
        return err;
    sqlite3_bind_int64(stmt, 1, edge);
    return walk_rows(stmt, exemplar_row, &walk);
}

static enum err
route_row(sqlite3_stmt *row, void *ctx)
{
    const struct walk *walk = ctx;
    struct route_row out = {
        .method = get_str(row, 5),
        .pattern = get_str(row, 6),
        .raw = get_str(row, 7),
        .origin = get_str(row, 8),
    };

    if (!get_u32(row, 0, &out.id) || !get_u32(row, 1, &out.service) ||
        !get_u32(row, 2, &out.node) || !get_u32(row, 3, &out.created_s) ||
        !get_u32(row, 4, &out.removed_s))
        return ERR_CORRUPT;
    return walk->fn.route(walk->fn_ctx, &out);
}

enum err
reader_each_route(struct reader *r, store_route_fn *fn, void *ctx)
{
    struct walk walk = {.fn_ctx = ctx, .fn.route = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err = reader_prepare(
        r, READER_ROUTES,
        "SELECT id, service, node, created_s, removed_s, method, pattern, raw, "
        "origin FROM route ORDER BY id",
        &stmt);

    return err ? err : walk_rows(stmt, route_row, &walk);
}

static enum err
counter_row(sqlite3_stmt *row, void *ctx)
{
    const struct walk *walk = ctx;

    return walk->fn.counter(walk->fn_ctx, get_str(row, 0),
                            sqlite3_column_int64(row, 1));
}

enum err
reader_each_counter(struct reader *r, reader_counter_fn *fn, void *ctx)
{
    struct walk walk = {.fn_ctx = ctx, .fn.counter = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err =
        reader_prepare(r, READER_COUNTERS,
                       "SELECT name, value FROM counter ORDER BY name", &stmt);

    return err ? err : walk_rows(stmt, counter_row, &walk);
}

enum err
reader_each_loss(struct reader *r, uint32_t from, uint32_t to,
                 reader_counter_fn *fn, void *ctx)
{
    struct walk walk = {.fn_ctx = ctx, .fn.counter = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err = reader_prepare(
        r, READER_LOSS,
        "SELECT reason, sum(count) FROM loss WHERE day BETWEEN ?1 AND ?2 "
        "GROUP BY reason HAVING sum(count) > 0 ORDER BY reason",
        &stmt);

    if (err)
        return err;
    sqlite3_bind_int64(stmt, 1, from);
    sqlite3_bind_int64(stmt, 2, to);
    return walk_rows(stmt, counter_row, &walk);
}

static enum err
uptime_row(sqlite3_stmt *row, void *ctx)
{
    const struct walk *walk = ctx;
    uint32_t start;
    uint32_t end;

    if (!get_u32(row, 0, &start) || !get_u32(row, 1, &end))
        return ERR_CORRUPT;
    return walk->fn.uptime(walk->fn_ctx, start, end);
}

enum err
reader_each_uptime(struct reader *r, uint32_t from_s, reader_uptime_fn *fn,
                   void *ctx)
{
    struct walk walk = {.fn_ctx = ctx, .fn.uptime = fn};
    sqlite3_stmt *stmt = NULL;
    enum err err = reader_prepare(r, READER_UPTIME,
                                  "SELECT start_s, end_s FROM uptime WHERE "
                                  "end_s > ?1 ORDER BY start_s",
                                  &stmt);

    if (err)
        return err;
    sqlite3_bind_int64(stmt, 1, from_s);
    return walk_rows(stmt, uptime_row, &walk);
}
