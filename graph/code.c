/*
 * One connection watches: SQLite says whether another has committed, and a
 * digest of the rows of repositories and snapshots whether it matters (facts
 * and feedback do not).  Whoever finds that it does loads, outside of the
 * lock; those who ask meanwhile take what was loaded before, if anything was.
 */
#include "graph/code.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "graph/code_db.h"
#include "graph/code_load.h"
#include "graph/code_runs.h"
#include "graph/code_terms.h"
#include "store/code_store.h"

struct code_db {
    char *dir;
    char *path;
    pthread_mutex_t lock; /* all below */
    pthread_cond_t loaded;
    struct code_store *store; /* NULL: there is no file */
    dev_t device;             /* of the file that is open */
    ino_t inode;
    int64_t version;
    uint64_t content; /* of what is stored, and of what was loaded */
    uint64_t held;
    uint64_t turns; /* loads so far */
    bool is_loading;
    bool is_watched;
    bool is_behind;           /* what is stored is newer than |graph| */
    struct code_graph *graph; /* held; NULL: none was loaded yet */
};

static struct code_graph *
graph_of(const struct code *code)
{
    return code->index->graph;
}

const struct code *
code_hold(const struct code *code)
{
    if (code)
        atomic_fetch_add(&graph_of(code)->holders, 1);
    return code;
}

void
code_drop(const struct code *code)
{
    if (code && atomic_fetch_sub(&graph_of(code)->holders, 1) == 1)
        code_graph_free(graph_of(code));
}

enum err
code_db_open(struct code_db **out, const char *dir)
{
    struct code_db *db = calloc(1, sizeof(*db));

    *out = NULL;
    if (!db)
        return ERR_NOMEM;
    pthread_mutex_init(&db->lock, NULL);
    pthread_cond_init(&db->loaded, NULL);
    db->dir = strdup(dir);
    size_t len = strlen(dir) + sizeof("/" CODE_STORE_FILE);
    db->path = malloc(len);
    if (!db->dir || !db->path) {
        code_db_close(db);
        return ERR_NOMEM;
    }
    snprintf(db->path, len, "%s/" CODE_STORE_FILE, dir);
    *out = db;
    return OK;
}

void
code_db_close(struct code_db *db)
{
    if (!db)
        return;
    code_store_close(db->store);
    if (db->graph)
        code_drop(&db->graph->code);
    pthread_cond_destroy(&db->loaded);
    pthread_mutex_destroy(&db->lock);
    free(db->path);
    free(db->dir);
    free(db);
}

const char *
code_db_dir(const struct code_db *db)
{
    return db->dir;
}

/* ---- has it changed ---- */

static enum err
mix_repo(void *ctx, const struct repo_row *row)
{
    uint64_t *content = ctx;
    uint64_t word;

    memcpy(&word, row->build, sizeof(word));
    *content = hash_mix(*content ^ row->id, word);
    *content = hash_mix(*content ^ row->generation, row->next_id);
    *content = hash_mix(*content ^ row->indexed_s, hash_bytes(row->url, 1));
    *content = hash_mix(*content, hash_bytes(row->commit, 2));
    return OK;
}

static enum err
mix_snapshot(void *ctx, const struct snapshot_row *row)
{
    uint64_t *content = ctx;

    *content = hash_mix(*content ^ row->repo, row->generation);
    return OK;
}

static enum err
read_content(struct code_store *cs, uint64_t *out)
{
    enum err err = code_store_begin(cs);

    *out = 1;
    if (err)
        return err;
    if (!(err = code_store_each_repo(cs, mix_repo, out)))
        err = code_store_each_snapshot(cs, 0, mix_snapshot, out);
    code_store_rollback(cs);
    return err;
}

/* Opens the file that is there now, if it is another one than before. */
static enum err
follow_file(struct code_db *db, struct buf *why)
{
    struct stat st;
    bool is_there = stat(db->path, &st) == 0;

    if (db->store && is_there && st.st_dev == db->device &&
        st.st_ino == db->inode)
        return OK;
    code_store_close(db->store);
    db->store = NULL;
    db->content = 0;
    db->held = 0;
    if (!is_there)
        return OK;
    enum err err = code_store_open_read(&db->store, db->dir, why);
    if (err == ERR_NOT_FOUND) { /* it is being made */
        buf_reset(why);
        return OK;
    }
    db->device = st.st_dev;
    db->inode = st.st_ino;
    db->version = 0;
    return err;
}

/* |is_new|: what is there is not what was loaded. */
static enum err
look(struct code_db *db, bool *is_new, struct buf *why)
{
    uint64_t content = 0;
    int64_t version = 0;
    enum err err = follow_file(db, why);

    *is_new = !db->graph;
    if (err)
        return err;
    if (!db->store) {
        *is_new |= db->graph && db->graph->code.repo_len > 1;
        return OK;
    }
    if ((err = code_store_version(db->store, &version)))
        return err;
    if (version != db->version || !db->graph) {
        if ((err = read_content(db->store, &content)))
            return err;
        db->version = version;
        db->content = content;
    }
    *is_new |= db->content != db->held;
    return OK;
}

/* ---- loading ---- */

static enum err
load_now(const struct code_db *db, struct code_graph **out, struct buf *why)
{
    struct code_store *cs = NULL;
    enum err err = code_store_open_read(&cs, db->dir, why);

    *out = NULL;
    if (err == ERR_NOT_FOUND)
        buf_reset(why);
    else if (err || (err = code_store_begin(cs)))
        goto out;
    err = code_graph_load(out, cs, (struct code_when){0});
    if (err)
        code_db_explain(db, cs, err, why);
out:
    code_store_close(cs);
    return err;
}

void
code_db_explain(const struct code_db *db, struct code_store *cs, enum err err,
                struct buf *why)
{
    if (err == ERR_CORRUPT && cs)
        code_store_suspect(cs);
    if (why->len > 0)
        return;
    if (err == ERR_CORRUPT)
        buf_printf(why, "%s is damaged: index the repositories again",
                   db->path);
    else
        buf_printf(why, "%s cannot be read: %s", db->path, err_str(err));
}

/* What search would make when it is asked first. */
static enum err
index_words(const struct code *code)
{
    const struct code_terms *terms;
    const struct code_runs *runs;
    enum err err = code_terms_of(code, &terms);

    return err ? err : code_runs_of(code, terms, &runs);
}

/* With the lock held, which is released while it reads. */
static enum err
reload(struct code_db *db, struct buf *why)
{
    struct code_graph *graph = NULL;
    bool is_watched = db->is_watched;
    uint64_t content = db->content;

    db->is_loading = true;
    pthread_mutex_unlock(&db->lock);
    enum err err = load_now(db, &graph, why);
    if (!err && is_watched && (err = index_words(&graph->code)))
        code_graph_free(graph);
    pthread_mutex_lock(&db->lock);
    db->is_loading = false;
    pthread_cond_broadcast(&db->loaded);
    if (err) {
        db->version = 0; /* look again the next time */
        db->content = 0;
        return err;
    }
    if (db->graph)
        code_drop(&db->graph->code);
    graph->turn = ++db->turns;
    db->graph = graph;
    db->held = content;
    return OK;
}

/* What there is: none, or nothing but the empty graph, is waited for. */
static bool
is_kept(const struct code_db *db)
{
    return db->graph && db->graph->code.repo_len > 1 && db->store &&
           code_store_size_bytes(db->store) > CODE_SMALL_BYTES;
}

/* With the lock held. */
static enum err
renew(struct code_db *db, bool is_patient, struct buf *why)
{
    bool is_new = false;
    enum err err = OK;

    while (db->is_loading && (is_patient || !is_kept(db)))
        pthread_cond_wait(&db->loaded, &db->lock);
    if (db->is_loading)
        return OK;
    err = look(db, &is_new, why);
    db->is_behind = !err && is_new;
    if (!db->is_behind || (!is_patient && db->is_watched && is_kept(db)))
        return err;
    err = reload(db, why);
    db->is_behind = err != OK;
    return err;
}

static enum err
hold(struct code_db *db, bool is_patient, const struct code **out,
     struct buf *why)
{
    *out = NULL;
    pthread_mutex_lock(&db->lock);
    enum err err = renew(db, is_patient, why);
    if (!err)
        *out = code_hold(&db->graph->code);
    else
        code_db_explain(db, db->store, err, why);
    pthread_mutex_unlock(&db->lock);
    return err;
}

enum err
code_db_hold(struct code_db *db, const struct code **out, struct buf *why)
{
    return hold(db, false, out, why);
}

enum err
code_db_load(struct code_db *db, const struct code **out, struct buf *why)
{
    return hold(db, true, out, why);
}

void
code_db_watch(struct code_db *db)
{
    pthread_mutex_lock(&db->lock);
    db->is_watched = true;
    pthread_mutex_unlock(&db->lock);
}

bool
code_db_is_behind(struct code_db *db, const struct code *code)
{
    pthread_mutex_lock(&db->lock);
    bool is_behind = db->is_behind || !db->graph || &db->graph->code != code;
    pthread_mutex_unlock(&db->lock);
    return is_behind;
}

bool
code_is_older(const struct code *code, const struct code *than)
{
    return graph_of(code)->turn < graph_of(than)->turn;
}
