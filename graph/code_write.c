/*
 * First all rows are compared with what is held, in the order of the tables:
 * files, vertices and edges get their numbers and hashes on the way.  Then the
 * root is known, and with it whether this is a new snapshot; then rows end and
 * are born.
 *
 * A build that is the one stored last, byte for byte, is not compared at all.
 */
#include "graph/code_write.h"

#include <stdlib.h>
#include <string.h>

#include "graph/code_write_impl.h"
#include "graph/merkle.h"

/* Of how rows and hashes are made: another one compares all anew. */
#define WRITER_VERSION "spangraph code 1"

struct present {
    str url;
    bool is_known;
    struct repo_row repo; /* views are not kept */
    uint32_t repos_max;
    bool has_snapshot;
    struct snapshot_row snapshot; /* the newest; views are not kept */
    bool same_commit;
    str commit;
};

static enum err
see_repo(void *ctx, const struct repo_row *row)
{
    struct present *present = ctx;

    if (row->id > CODE_REPO_MAX)
        return ERR_CORRUPT;
    if (row->id > present->repos_max)
        present->repos_max = row->id;
    if (!str_eq(row->url, present->url))
        return OK;
    present->is_known = true;
    present->repo = *row;
    return OK;
}

static enum err
see_snapshot(void *ctx, const struct snapshot_row *row)
{
    struct present *present = ctx;

    if (present->has_snapshot)
        return OK;
    present->has_snapshot = true;
    present->snapshot = *row;
    present->same_commit = str_eq(row->commit, present->commit);
    return OK;
}

static enum err
find_present(struct code_writer *w, struct present *present)
{
    enum err err = code_store_each_repo(w->store, see_repo, present);

    if (!err && !present->is_known) {
        if (present->repos_max >= CODE_REPO_MAX)
            return ERR_INVALID;
        present->repo = (struct repo_row){
            .id = present->repos_max + 1,
            .next_num = 1,
            .next_id = (uint64_t)(present->repos_max + 1) << CODE_ID_BITS,
        };
    }
    if (!err)
        err = code_store_each_snapshot(w->store, present->repo.id, see_snapshot,
                                       present);
    w->repo = present->repo.id;
    w->next_num = present->repo.next_num;
    w->next_id = present->repo.next_id;
    if (!err && (w->next_num == 0 || w->next_id >> CODE_ID_BITS != w->repo ||
                 (present->has_snapshot != (present->repo.generation > 0)) ||
                 present->snapshot.generation != present->repo.generation))
        err = ERR_CORRUPT;
    return err;
}

/* ---- the root ---- */

static bool
is_guess(uint8_t type)
{
    return type == CODE_MAY_CALL || type == CODE_MAY_DISPATCH;
}

static enum err
find_root(struct code_writer *w, struct code_written *out)
{
    struct merkle_leaf *leaves =
        calloc((size_t)w->edge_len + 1, sizeof(*leaves));
    size_t len = 0;

    if (!leaves)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < w->edge_len; i++) {
        const struct build_edge *edge = &w->edges[i];
        if (is_guess(edge->type))
            continue;
        leaves[len].package = w->build->nodes[edge->src].package;
        leaves[len].type = edge->type;
        memcpy(leaves[len++].hash, w->edge_hash + (size_t)i * SHA256_LEN,
               SHA256_LEN);
    }
    enum err err = merkle_root(leaves, len, out->root);
    free(leaves);
    merkle_snapshot(out->root, out->hash);
    out->edges = (uint32_t)len;
    out->guesses = w->edge_len - (uint32_t)len;
    return err;
}

/* ---- writing ---- */

static enum err
end_row(struct code_writer *w, enum code_table table,
        const struct held_row *row, uint32_t generation)
{
    if (row->born == generation) /* of the snapshot that is replaced */
        return code_store_remove(w->store, table, row->id);
    return code_store_end(w->store, table, row->id, generation);
}

static enum err
write_table(struct code_writer *w, enum code_table table, uint32_t generation,
            struct code_changes *changes)
{
    struct held *held = &w->held[table];
    enum err err = OK;

    for (uint32_t i = 0; i < held->len && !err; i++) {
        if (held->rows[i].taken)
            continue;
        err = end_row(w, table, &held->rows[i], generation);
        changes->ended++;
    }
    for (uint32_t i = 0; i < w->len[table] && !err; i++) {
        struct code_row row = {.id = w->next_id, .born = generation};

        if (w->same[table][i]) {
            changes->same++;
            continue;
        }
        if (w->match[table][i] != HELD_NONE) {
            err =
                end_row(w, table, &held->rows[w->match[table][i]], generation);
            changes->ended++;
        }
        code_make_row(w, table, i, &row);
        if (!err)
            err = code_store_add(w->store, table, &row);
        w->next_id++;
        changes->added++;
    }
    return err;
}

static uint32_t
count_read(const struct code_build *build)
{
    uint32_t len = 0;

    for (uint32_t i = 1; i < build->file_len; i++)
        len += build->files[i].skipped == 0;
    return len;
}

static enum err
write_snapshot(struct code_writer *w, const struct present *present,
               uint32_t now_s, const struct code_written *out)
{
    const struct code_build *build = w->build;
    struct snapshot_row row = {
        .repo = w->repo,
        .generation = out->generation,
        .commit = present->commit,
        .commit_s = build->commit_s,
        .created_s = out->is_new ? now_s : present->snapshot.created_s,
        .files = out->files,
        .nodes = out->nodes,
        .edges = out->edges,
        .guesses = out->guesses,
        .bytes = build->bytes,
        .calls = build->calls,
        .calls_external = build->calls_external,
        .calls_unknown = build->calls_unknown,
    };

    memcpy(row.hash, out->hash, SHA256_LEN);
    memcpy(row.root, out->root, SHA256_LEN);
    if (present->has_snapshot)
        memcpy(row.parent,
               out->is_new ? present->snapshot.hash : present->snapshot.parent,
               SHA256_LEN);
    return code_store_put_snapshot(w->store, &row);
}

static enum err
write_repo(struct code_writer *w, const struct present *present, uint32_t now_s,
           uint32_t generation, const unsigned char *digest)
{
    struct repo_row row = {
        .id = w->repo,
        .url = present->url,
        .generation = generation,
        .next_num = w->next_num,
        .next_id = w->next_id,
        .indexed_s = now_s,
        .commit = present->commit,
    };

    memcpy(row.build, digest, SHA256_LEN);
    if (w->next_num > INT32_MAX ||
        (w->next_id - 1) >> CODE_ID_BITS > (uint64_t)w->repo)
        return ERR_INVALID;
    return code_store_put_repo(w->store, &row);
}

static enum err
write_all(struct code_writer *w, const struct present *present, uint32_t now_s,
          struct code_written *out)
{
    bool again = present->has_snapshot && present->same_commit &&
                 memcmp(present->snapshot.root, out->root, SHA256_LEN) == 0;
    enum err err = OK;

    out->is_new = !again;
    out->generation = present->repo.generation + (again ? 0 : 1);
    out->files = count_read(w->build);
    out->nodes = w->len[CODE_NODES];
    for (int table = 0; table < CODE_TABLES && !err; table++)
        err = write_table(w, (enum code_table)table, out->generation,
                          &out->changes[table]);
    return err ? err : write_snapshot(w, present, now_s, out);
}

/* ---- the whole ---- */

/* Of all that is stored of a build, so not how much of it was parsed anew. */
static enum err
digest_build(const struct code_build *build, unsigned char *out)
{
    struct code_build stored = *build;
    struct buf packed = {0};

    stored.parsed = 0;
    enum err err = code_build_pack(&stored, &packed);
    const str parts[] = {STR(WRITER_VERSION), buf_str(&packed)};
    if (!err)
        hash_sha256(parts, 2, out);
    buf_fini(&packed);
    return err;
}

/* What is stored is this very build. */
static void
tell_unchanged(const struct present *present, const struct code_build *build,
               struct code_written *out)
{
    const struct snapshot_row *row = &present->snapshot;

    out->generation = row->generation;
    memcpy(out->hash, row->hash, SHA256_LEN);
    memcpy(out->root, row->root, SHA256_LEN);
    out->files = row->files;
    out->nodes = row->nodes;
    out->edges = row->edges;
    out->guesses = row->guesses;
    out->changes[CODE_FILES].same = build->file_len - 1;
    out->changes[CODE_NODES].same = row->nodes;
    out->changes[CODE_EDGES].same = row->edges + row->guesses;
    out->changes[CODE_ROUTES].same = build->route_len;
    out->changes[CODE_SERVICES].same = build->service_len;
    out->changes[CODE_EXPOSURES].same = build->exposure_len;
    out->changes[CODE_OWNERS].same = build->owner_len;
    out->changes[CODE_LITERALS].same = build->literal_len;
    out->changes[CODE_AUTHORS].same = build->author_len;
}

static enum err
write_build(struct code_writer *w, struct present *present, uint32_t now_s,
            struct code_written *out)
{
    unsigned char digest[SHA256_LEN];
    enum err err;

    if ((err = find_present(w, present)) ||
        (err = digest_build(w->build, digest)))
        return err;
    out->repo = w->repo;
    if (present->has_snapshot && present->same_commit &&
        memcmp(digest, present->repo.build, SHA256_LEN) == 0) {
        tell_unchanged(present, w->build, out);
    } else if ((err = code_plan(w)) || (err = code_compare(w)) ||
               (err = find_root(w, out)) ||
               (err = write_all(w, present, now_s, out))) {
        return err;
    }
    return write_repo(w, present, now_s, out->generation, digest);
}

static void
free_writer(struct code_writer *w)
{
    for (int table = 0; table < CODE_TABLES; table++) {
        held_fini(&w->held[table]);
        free(w->match[table]);
        free(w->same[table]);
    }
    texts_fini(&w->names);
    free(w->other_name);
    free(w->file_num);
    free(w->node_num);
    free(w->node_hash);
    free(w->node_hex);
    free(w->edge_hash);
    free(w->edges);
    free(w->sites);
    buf_fini(&w->scratch);
    hash_state_free(w->hashing);
}

static void
explain(enum err err, str url, struct buf *why)
{
    buf_printf(why, "%.*s: ", (int)url.len, url.ptr);
    if (err == ERR_CORRUPT)
        buf_add(why, STR("what is stored of it does not fit together"));
    else if (err == ERR_INVALID)
        buf_add(why, STR("it is too large, or there are too many"));
    else
        buf_printf(why, "it could not be stored: %s", err_str(err));
}

enum err
code_write(struct code_store *cs, const struct code_build *build,
           uint32_t now_s, struct code_written *out, struct buf *why)
{
    struct code_writer w = {.build = build, .store = cs};
    struct buf url = {0};
    enum err err = OK;

    *out = (struct code_written){0};
    code_repo_url(texts_get(&build->texts, build->repo_url), &url);
    if (url.len == 0 || url.failed) {
        buf_add(why, STR("the repository has no name: give it one"));
        err = url.failed ? ERR_NOMEM : ERR_INVALID;
        goto out;
    }
    struct present present = {
        .url = buf_str(&url),
        .commit = texts_get(&build->texts, build->commit),
    };
    w.repo_url = present.url;
    if (!(err = code_store_begin(cs)) &&
        !(err = write_build(&w, &present, now_s, out)))
        err = code_store_commit(cs);
    if (err) {
        code_store_rollback(cs);
        explain(err, present.url, why);
    }
out:
    free_writer(&w);
    buf_fini(&url);
    return err;
}
