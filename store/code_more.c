/*
 * What is no temporal row: repositories, snapshots, facts, feedback.
 */
#include <string.h>

#include "store/code_impl.h"

static str
hash_view(const unsigned char *hash)
{
    return (str){(const char *)hash, SHA256_LEN};
}

/* False: it is no hash. */
static bool
read_hash(sqlite3_stmt *stmt, int column, unsigned char *out)
{
    str bytes = code_column(stmt, column);

    if (bytes.len != SHA256_LEN)
        return false;
    memcpy(out, bytes.ptr, SHA256_LEN);
    return true;
}

enum err
code_store_put_repo(struct code_store *cs, const struct repo_row *row)
{
    sqlite3_stmt *stmt =
        CODE_BIND(cs, CODE_PUT_REPO, row->id, row->generation, row->next_num,
                  (int64_t)row->next_id, row->indexed_s);

    code_bind_text(stmt, 6, row->url);
    code_bind_text(stmt, 7, row->commit);
    code_bind_blob(stmt, 8, hash_view(row->build));
    return dbfile_run(&cs->file, stmt);
}

enum err
code_store_each_repo(struct code_store *cs, repo_row_fn *fn, void *ctx)
{
    sqlite3_stmt *stmt = cs->stmt[CODE_EACH_REPO];
    enum err err = OK;

    while (!err && dbfile_next(&cs->file, stmt, &err)) {
        struct repo_row row = {
            .id = (uint32_t)sqlite3_column_int64(stmt, 0),
            .generation = (uint32_t)sqlite3_column_int64(stmt, 1),
            .next_num = (uint32_t)sqlite3_column_int64(stmt, 2),
            .next_id = (uint64_t)sqlite3_column_int64(stmt, 3),
            .indexed_s = (uint32_t)sqlite3_column_int64(stmt, 4),
            .url = code_column(stmt, 5),
            .commit = code_column(stmt, 6),
        };
        err = read_hash(stmt, 7, row.build) ? fn(ctx, &row) : ERR_CORRUPT;
    }
    sqlite3_reset(stmt);
    return err;
}

enum err
code_store_put_snapshot(struct code_store *cs, const struct snapshot_row *row)
{
    sqlite3_stmt *stmt =
        CODE_BIND(cs, CODE_PUT_SNAPSHOT, row->repo, row->generation,
                  (int64_t)row->commit_s, row->created_s, row->files,
                  row->nodes, row->edges, row->guesses, (int64_t)row->bytes,
                  row->calls, row->calls_external, row->calls_unknown);

    code_bind_blob(stmt, 13, hash_view(row->hash));
    code_bind_blob(stmt, 14, hash_view(row->root));
    code_bind_blob(stmt, 15, hash_view(row->parent));
    code_bind_text(stmt, 16, row->commit);
    return dbfile_run(&cs->file, stmt);
}

static uint32_t
column_u32(sqlite3_stmt *stmt, int column)
{
    return (uint32_t)sqlite3_column_int64(stmt, column);
}

static bool
read_snapshot(sqlite3_stmt *stmt, struct snapshot_row *row)
{
    *row = (struct snapshot_row){
        .repo = column_u32(stmt, 0),
        .generation = column_u32(stmt, 1),
        .commit_s = (uint64_t)sqlite3_column_int64(stmt, 2),
        .created_s = column_u32(stmt, 3),
        .files = column_u32(stmt, 4),
        .nodes = column_u32(stmt, 5),
        .edges = column_u32(stmt, 6),
        .guesses = column_u32(stmt, 7),
        .bytes = (uint64_t)sqlite3_column_int64(stmt, 8),
        .calls = column_u32(stmt, 9),
        .calls_external = column_u32(stmt, 10),
        .calls_unknown = column_u32(stmt, 11),
        .commit = code_column(stmt, 15),
    };
    return read_hash(stmt, 12, row->hash) && read_hash(stmt, 13, row->root) &&
           read_hash(stmt, 14, row->parent);
}

enum err
code_store_each_snapshot(struct code_store *cs, uint32_t repo,
                         snapshot_row_fn *fn, void *ctx)
{
    sqlite3_stmt *stmt =
        CODE_BIND(cs, CODE_EACH_SNAPSHOT, repo, repo ? repo : UINT32_MAX);
    struct snapshot_row row;
    enum err err = OK;

    while (!err && dbfile_next(&cs->file, stmt, &err))
        err = read_snapshot(stmt, &row) ? fn(ctx, &row) : ERR_CORRUPT;
    sqlite3_reset(stmt);
    return err;
}

/* ---- facts ---- */

enum err
code_store_put_fact(struct code_store *cs, struct fact_key key, str data)
{
    sqlite3_stmt *stmt = CODE_BIND(cs, CODE_PUT_FACT, key.lang, key.version);

    code_bind_blob(stmt, 3, (str){(const char *)key.blob, FACT_BLOB_LEN});
    code_bind_blob(stmt, 4, data);
    return dbfile_run(&cs->file, stmt);
}

enum err
code_store_get_fact(struct code_store *cs, struct fact_key key, struct buf *out)
{
    sqlite3_stmt *stmt = CODE_BIND(cs, CODE_GET_FACT, key.lang, key.version);
    enum err err = OK;

    code_bind_blob(stmt, 3, (str){(const char *)key.blob, FACT_BLOB_LEN});
    if (!dbfile_next(&cs->file, stmt, &err))
        return err ? err : ERR_NOT_FOUND;
    buf_add(out, code_column(stmt, 0));
    sqlite3_reset(stmt);
    return out->failed ? ERR_NOMEM : OK;
}

/* ---- feedback ---- */

enum err
code_store_add_feedback(struct code_store *cs, const struct feedback_row *row)
{
    sqlite3_stmt *stmt =
        CODE_BIND(cs, CODE_ADD_FEEDBACK, row->useful, row->at_s);

    code_bind_blob(stmt, 3, hash_view(row->hash));
    code_bind_blob(stmt, 4, hash_view(row->code));
    code_bind_text(stmt, 5, row->session);
    return dbfile_run(&cs->file, stmt);
}

enum err
code_store_each_feedback(struct code_store *cs, const unsigned char *hash,
                         feedback_row_fn *fn, void *ctx)
{
    sqlite3_stmt *stmt = cs->stmt[hash ? CODE_FEEDBACK_OF : CODE_EACH_FEEDBACK];
    enum err err = OK;

    if (hash)
        code_bind_blob(stmt, 1, hash_view(hash));
    while (!err && dbfile_next(&cs->file, stmt, &err)) {
        struct feedback_row row = {
            .useful = sqlite3_column_int64(stmt, 0) != 0,
            .at_s = column_u32(stmt, 1),
            .session = code_column(stmt, 4),
        };
        if (!read_hash(stmt, 2, row.hash) || !read_hash(stmt, 3, row.code))
            err = ERR_CORRUPT;
        else
            err = fn(ctx, &row);
    }
    sqlite3_reset(stmt);
    return err;
}
