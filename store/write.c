/*
 * Every write adds to what is there or makes the row, so the caller need not
 * know which; for edges it usually does, and the statement that will do is
 * tried first.  Integers come first among the parameters, then texts.
 */
#include "store/impl.h"

#include <assert.h>
#include <endian.h>

#include "base/clock.h"
#include "store/edge_rows.h"
#include "store/flush_rows.h"
#include "store/node_rows.h"

static void
bind_text(sqlite3_stmt *stmt, int at, str text)
{
    sqlite3_bind_text(stmt, at, text.ptr ? text.ptr : "", (int)text.len,
                      SQLITE_STATIC);
}

static void
bind_blob(sqlite3_stmt *stmt, int at, str bytes)
{
    sqlite3_bind_blob(stmt, at, bytes.ptr, (int)bytes.len, SQLITE_STATIC);
}

#define BIND(st, id, ...)                                  \
    store_bind((st), (id), (const int64_t[]){__VA_ARGS__}, \
               sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

enum err
store_put_node(struct store *st, const struct node *node,
               const unsigned char *hash, uint64_t now_s)
{
    sqlite3_stmt *stmt =
        BIND(st, STMT_PUT_NODE, node->id, node->kind, node->owner, node->alias,
             node->source, (int64_t)now_s);

    bind_text(stmt, 7, node->name);
    bind_text(stmt, 8, node->env);
    bind_blob(stmt, 9, (str){(const char *)hash, SHA256_LEN});
    st->nodes_put = true;
    return store_run(st, stmt);
}

enum err
store_put_overflow(struct store *st, uint32_t node, uint64_t estimate,
                   str registers)
{
    sqlite3_stmt *stmt = BIND(st, STMT_PUT_OVERFLOW, node, (int64_t)estimate);

    bind_blob(stmt, 3, registers);
    return store_run(st, stmt);
}

static enum err
update_edge(struct store *st, const struct edge_delta *delta, bool *found)
{
    enum err err =
        STORE_RUN(st, STMT_ADD_EDGE, delta->id, delta->count, delta->weighted,
                  delta->known, delta->errors, delta->first_s, delta->last_s);

    *found = sqlite3_changes(st->file.db) > 0;
    return err;
}

static enum err
insert_edge(struct store *st, const struct edge_delta *delta, bool *made)
{
    sqlite3_stmt *stmt =
        BIND(st, STMT_NEW_EDGE, delta->id, delta->count, delta->weighted,
             delta->known, delta->errors, delta->first_s, delta->last_s,
             delta->key.src, delta->key.dst, delta->key.kind);

    bind_blob(stmt, 11,
              (str){(const char *)delta->hash, delta->hash ? SHA256_LEN : 0});
    enum err err = store_run(st, stmt);
    *made = sqlite3_changes(st->file.db) > 0;
    return err;
}

enum err
store_add_edge(struct store *st, const struct edge_delta *delta)
{
    bool done = false;

    st->graph_put = true;
    enum err err = delta->is_new ? insert_edge(st, delta, &done)
                                 : update_edge(st, delta, &done);

    if (err || done)
        return err;
    return delta->is_new ? update_edge(st, delta, &done)
                         : insert_edge(st, delta, &done);
}

enum err
store_add_hour(struct store *st, const struct bucket_delta *delta)
{
    st->graph_put = true;
    return STORE_RUN(st, STMT_ADD_HOUR, delta->edge, delta->number,
                     delta->count, delta->weighted, delta->errors);
}

enum err
store_add_day(struct store *st, const struct bucket_delta *delta)
{
    sqlite3_stmt *stmt =
        BIND(st, STMT_ADD_DAY, delta->edge, delta->number, delta->count,
             delta->weighted, delta->errors, delta->hours);

    bind_blob(stmt, 7, delta->latency);
    st->graph_put = true;
    return store_run(st, stmt);
}

enum err
store_get_latency(struct store *st, uint32_t edge, uint32_t day,
                  struct buf *out)
{
    sqlite3_stmt *stmt = BIND(st, STMT_GET_LATENCY, edge, day);
    enum err err = OK;

    while (store_next(st, stmt, &err))
        buf_add(out, store_column_str(stmt, 0));
    return !err && out->failed ? ERR_NOMEM : err;
}

enum err
store_add_version(struct store *st, const struct version_delta *delta)
{
    st->graph_put = true;
    return STORE_RUN(st, STMT_ADD_VERSION, delta->edge, delta->side,
                     delta->version, delta->first_s, delta->last_s);
}

enum err
store_put_exemplar(struct store *st, uint32_t edge,
                   const struct exemplar *exemplar)
{
    const uint64_t trace[] = {htobe64(exemplar->trace_hi),
                              htobe64(exemplar->trace_lo)};
    sqlite3_stmt *stmt =
        BIND(st, STMT_PUT_EXEMPLAR, edge, exemplar->failed, exemplar->at_s);
    bind_blob(stmt, 4, (str){(const char *)trace, sizeof(trace)});
    st->graph_put = true;
    return store_run(st, stmt);
}

enum err
store_add_counter(struct store *st, str name, int64_t delta)
{
    sqlite3_stmt *stmt = BIND(st, STMT_ADD_COUNTER, delta);

    bind_text(stmt, 2, name);
    return store_run(st, stmt);
}

enum err
store_add_loss(struct store *st, uint32_t day, str reason, int64_t delta)
{
    sqlite3_stmt *stmt = BIND(st, STMT_ADD_LOSS, day, delta);

    bind_text(stmt, 3, reason);
    return store_run(st, stmt);
}

enum err
store_put_uptime(struct store *st, uint32_t start_s, uint32_t end_s)
{
    return STORE_RUN(st, STMT_PUT_UPTIME, start_s, end_s);
}

enum err
store_prune(struct store *st, const struct store_prune *what, bool *more)
{
    int64_t first_s = (int64_t)what->day * S_PER_DAY;
    enum err err;

    *more = false;
    if ((err = STORE_RUN(st, STMT_PRUNE_HOURS, what->hour, what->first,
                         what->last)) ||
        (err = STORE_RUN(st, STMT_PRUNE_DAYS, what->day, what->first,
                         what->last)) ||
        (err = STORE_RUN(st, STMT_PRUNE_EXEMPLARS, first_s, what->first,
                         what->last)) ||
        !what->versions)
        return err;
    err = STORE_RUN(st, STMT_PRUNE_VERSIONS, first_s, what->first, what->last,
                    STORE_PRUNE_VERSIONS);
    *more = !err && sqlite3_changes(st->file.db) == STORE_PRUNE_VERSIONS;
    return err;
}

enum err
store_put_part(struct store *st, uint64_t flush, uint64_t seq, str data)
{
    sqlite3_stmt *stmt = BIND(st, STMT_PUT_PART, (int64_t)seq, (int64_t)flush);

    bind_blob(stmt, 3, data);
    return store_run(st, stmt);
}

enum err
store_drop_parts(struct store *st, uint64_t upto_seq)
{
    return STORE_RUN(st, STMT_DROP_PARTS, (int64_t)upto_seq);
}

enum err
store_drop_all_parts(struct store *st)
{
    return store_run(st, st->stmt[STMT_DROP_ALL_PARTS]);
}

enum err
store_put_producers(struct store *st, const struct producers_row *row)
{
    sqlite3_stmt *stmt = BIND(st, STMT_PUT_PRODUCERS, (int64_t)row->until_ns);

    assert(row->data.len > 0 && row->count > 0);
    bind_blob(stmt, 2, row->data);
    (void)sqlite3_bind_int64(stmt, 3, row->count);
    return store_run(st, stmt);
}

enum err
store_trim_producers(struct store *st, uint64_t before_ns, uint32_t max_count)
{
    enum { OLDEST = 8 };

    return STORE_RUN(st, STMT_TRIM_PRODUCERS, (int64_t)before_ns, max_count,
                     OLDEST);
}

enum err
store_put_route(struct store *st, const struct route_row *row)
{
    sqlite3_stmt *stmt = BIND(st, STMT_PUT_ROUTE, row->service, row->node,
                              row->created_s, row->removed_s);

    bind_text(stmt, 5, row->method);
    bind_text(stmt, 6, row->pattern);
    bind_text(stmt, 7, row->raw);
    bind_text(stmt, 8, row->origin);
    st->graph_put = true;
    return store_run(st, stmt);
}

enum err
store_remove_route(struct store *st, uint32_t id, uint32_t now_s)
{
    st->graph_put = true;
    return STORE_RUN(st, STMT_REMOVE_ROUTE, id, now_s);
}

static enum err
sweep_edge(struct store *st, int64_t edge, uint32_t now_s)
{
    enum err err;

    if ((err = STORE_RUN(st, STMT_SWEEP_HOURS, edge)) ||
        (err = STORE_RUN(st, STMT_SWEEP_DAYS, edge)) ||
        (err = STORE_RUN(st, STMT_SWEEP_EXEMPLARS, edge)))
        return err;
    return STORE_RUN(st, STMT_SWEEP_EDGE, edge, now_s);
}

/* The rows to sweep are read before the first is changed: a query whose table
 * changes under it may give a row twice or not at all. */
enum err
store_sweep(struct store *st, uint32_t before_s, uint32_t now_s, uint32_t max,
            uint32_t *swept)
{
    sqlite3_stmt *stmt = BIND(st, STMT_SWEEPABLE, before_s, max);
    struct buf found = {0};
    enum err err = OK;
    uint32_t len = 0;

    while (store_next(st, stmt, &err)) {
        int64_t edge = sqlite3_column_int64(stmt, 0);
        buf_add(&found, (str){(const char *)&edge, sizeof(edge)});
        len++;
    }
    if (!err && found.failed)
        err = ERR_NOMEM;
    *swept = 0;
    while (!err && *swept < len) {
        int64_t edge;
        memcpy(&edge, found.ptr + *swept * sizeof(edge), sizeof(edge));
        if (!(err = sweep_edge(st, edge, now_s)))
            ++*swept;
    }
    buf_fini(&found);
    return err;
}
