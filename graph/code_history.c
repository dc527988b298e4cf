/*
 * A snapshot is read as what is there now is read, but for another generation.
 * What it was is looked up again in the transaction that reads it: it may have
 * been dropped since.
 */
#include "graph/code_history.h"

#include <stdlib.h>
#include <string.h>

#include "graph/code_db.h"
#include "graph/code_load.h"
#include "graph/identity.h"

/* ---- which snapshot ---- */

static bool
is_hex(str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!((word.ptr[i] >= '0' && word.ptr[i] <= '9') ||
              (word.ptr[i] >= 'a' && word.ptr[i] <= 'f') ||
              (word.ptr[i] >= 'A' && word.ptr[i] <= 'F')))
            return false;
    return true;
}

static int
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static bool
starts(str text, str front)
{
    if (front.len > text.len)
        return false;
    for (size_t i = 0; i < front.len; i++)
        if (lower(text.ptr[i]) != lower(front.ptr[i]))
            return false;
    return true;
}

static bool
fits(const struct code_snapshot *snapshot, str word)
{
    char hex[IDENTITY_HEX_LEN];

    identity_hex(snapshot->hash, hex);
    return starts((str){hex, sizeof(hex)}, word) ||
           starts(snapshot->commit, word);
}

/* Two that fit mean the same if they are of one commit, or hold one graph. */
static bool
is_same(const struct code_snapshot *a, const struct code_snapshot *b)
{
    return a->repo == b->repo &&
           (memcmp(a->hash, b->hash, SHA256_LEN) == 0 ||
            (a->commit.len > 0 && str_eq(a->commit, b->commit)));
}

/* The |back|-th newest of the repository. */
static enum err
find_latest(const struct code *code, uint32_t repo, uint32_t back,
            uint32_t *out, struct buf *why)
{
    uint32_t found = UINT32_MAX;
    uint32_t seen = 0;
    uint32_t of = 0;

    for (uint32_t i = 0; i < code->snapshot_len; i++) {
        if (repo && code->snapshots[i].repo != repo)
            continue;
        if (of && code->snapshots[i].repo != of) {
            buf_add(why, STR("there are several repositories: name one"));
            return ERR_AMBIGUOUS;
        }
        of = code->snapshots[i].repo;
        if (seen++ == back)
            found = i;
    }
    if (found == UINT32_MAX) {
        buf_printf(why, "there %s no %s snapshot", seen ? "is" : "was",
                   seen ? "earlier" : "indexed");
        return ERR_NOT_FOUND;
    }
    *out = found;
    return OK;
}

static enum err
check_word(str word, struct buf *why)
{
    if (word.len >= SNAPSHOT_PREFIX_MIN && word.len <= IDENTITY_HEX_LEN &&
        is_hex(word))
        return OK;
    buf_printf(why,
               "a snapshot is named by a commit or its own hash, at least %d "
               "hex letters of it, or by `latest` or `previous`",
               SNAPSHOT_PREFIX_MIN);
    return ERR_INVALID;
}

enum err
code_snapshot_find(const struct code *code, uint32_t repo, str word,
                   uint32_t *out, struct buf *why)
{
    uint32_t found = UINT32_MAX;
    enum err err;

    if (str_eq(word, STR("latest")) || str_eq(word, STR("previous")))
        return find_latest(code, repo, str_eq(word, STR("previous")), out, why);
    if ((err = check_word(word, why)))
        return err;
    for (uint32_t i = 0; i < code->snapshot_len; i++) {
        const struct code_snapshot *it = &code->snapshots[i];
        if ((repo && it->repo != repo) || !fits(it, word))
            continue;
        if (found != UINT32_MAX && !is_same(it, &code->snapshots[found])) {
            buf_printf(why, "%.*s fits several snapshots: give more of it",
                       (int)word.len, word.ptr);
            return ERR_AMBIGUOUS;
        }
        if (found == UINT32_MAX)
            found = i;
    }
    if (found == UINT32_MAX) {
        buf_printf(why, "no snapshot is kept of %.*s", (int)word.len, word.ptr);
        return ERR_NOT_FOUND;
    }
    *out = found;
    return OK;
}

/* ---- as it was ---- */

struct wanted {
    str url;
    uint32_t repo; /* in the store */
    uint32_t generation;
    const unsigned char *hash;
    bool is_kept;
};

static enum err
see_repo(void *ctx, const struct repo_row *row)
{
    struct wanted *wanted = ctx;

    if (str_eq(row->url, wanted->url))
        wanted->repo = row->id;
    return OK;
}

static enum err
see_snapshot(void *ctx, const struct snapshot_row *row)
{
    struct wanted *wanted = ctx;

    if (row->generation == wanted->generation &&
        memcmp(row->hash, wanted->hash, SHA256_LEN) == 0)
        wanted->is_kept = true;
    return OK;
}

/* Where code->snapshots[index] is in the store now; within a transaction. */
static enum err
find_stored(struct code_store *cs, const struct code *code, uint32_t index,
            struct code_when *out, struct buf *why)
{
    const struct code_snapshot *snapshot = &code->snapshots[index];
    struct wanted wanted = {
        .url = code->repos[snapshot->repo].url,
        .generation = snapshot->generation,
        .hash = snapshot->hash,
    };
    enum err err = code_store_each_repo(cs, see_repo, &wanted);

    if (!err && wanted.repo)
        err = code_store_each_snapshot(cs, wanted.repo, see_snapshot, &wanted);
    *out = (struct code_when){wanted.repo, wanted.generation};
    if (err || wanted.is_kept)
        return err;
    buf_add(why, STR("the snapshot was dropped meanwhile"));
    return ERR_NOT_FOUND;
}

enum err
code_history_begin(struct code_db *db, const struct code *code, uint32_t index,
                   struct code_past *out, struct buf *why)
{
    *out = (struct code_past){0};
    if (index >= code->snapshot_len) {
        buf_add(why, STR("there is no such snapshot"));
        return ERR_NOT_FOUND;
    }
    enum err err = code_store_open_read(&out->store, code_db_dir(db), why);
    if (err)
        return err;
    if ((err = code_store_begin(out->store)) ||
        (err = find_stored(out->store, code, index, &out->when, why)))
        code_db_explain(db, out->store, err, why);
    return err;
}

enum err
code_snapshot_load(struct code_db *db, const struct code *code, uint32_t index,
                   const struct code **out, struct buf *why)
{
    struct code_graph *graph = NULL;
    struct code_past past;
    enum err err = code_history_begin(db, code, index, &past, why);

    *out = NULL;
    if (!err && (err = code_graph_load(&graph, past.store, past.when)))
        code_db_explain(db, past.store, err, why);
    code_store_close(past.store);
    if (err)
        return err;
    code_graph_date(graph, past.when.generation);
    *out = &graph->code;
    return OK;
}
