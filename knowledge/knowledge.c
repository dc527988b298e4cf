/*
 * One connection writes, under a mutex held for the whole moment; readers are
 * a small pool, so a search never waits for a commit.  Both are opened when
 * they are first wanted: most processes never write, and a file that is not
 * there yet is an empty one.
 */
#include "knowledge/knowledge.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/knowledge_store.h"

struct knowledge {
    struct knowledge_cfg cfg;
    char *dir;
    uint64_t opened_ns;
    pthread_mutex_t writing; /* held from knowledge_write to its end */
    struct knowledge_store *writer;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t freed;
    struct knowledge_store *idle[KNOWLEDGE_READERS];
    int idle_len;
    int used;                         /* connections that are out */
    int64_t claims[KNOWLEDGE_CLAIMS]; /* 0: free */
};

const struct knowledge_cfg knowledge_cfg_default = {.is_durable = true};

enum err
knowledge_open(struct knowledge **out, const char *dir,
               const struct knowledge_cfg *cfg)
{
    struct knowledge *knowledge = calloc(1, sizeof(*knowledge));

    *out = NULL;
    if (!knowledge)
        return ERR_NOMEM;
    knowledge->cfg = *cfg;
    knowledge->opened_ns = clock_mono_ns();
    knowledge->dir = strdup(dir);
    if (!knowledge->dir) {
        free(knowledge);
        return ERR_NOMEM;
    }
    pthread_mutex_init(&knowledge->writing, NULL);
    pthread_mutex_init(&knowledge->mutex, NULL);
    pthread_cond_init(&knowledge->freed, NULL);
    *out = knowledge;
    return OK;
}

void
knowledge_close(struct knowledge *knowledge)
{
    if (!knowledge)
        return;
    for (int i = 0; i < knowledge->idle_len; i++)
        knowledge_store_close(knowledge->idle[i]);
    knowledge_store_close(knowledge->writer);
    pthread_cond_destroy(&knowledge->freed);
    pthread_mutex_destroy(&knowledge->mutex);
    pthread_mutex_destroy(&knowledge->writing);
    free(knowledge->dir);
    free(knowledge);
}

enum err
moment_fail(struct moment *moment, enum err err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprintf(moment->why, format, args);
    va_end(args);
    return err;
}

static void
begin(const struct knowledge *knowledge, struct moment *moment, bool writes)
{
    moment->store = NULL;
    moment->is_writing = writes;
    moment->is_strict = knowledge->cfg.is_strict;
    moment->sources = knowledge->cfg.sources;
    moment->vectors = knowledge->cfg.vectors;
    moment->up_s =
        (uint32_t)((clock_mono_ns() - knowledge->opened_ns) / NS_PER_S);
}

/* An idle connection; NULL: one may be opened. */
static struct knowledge_store *
take_reader(struct knowledge *knowledge)
{
    struct knowledge_store *store = NULL;

    pthread_mutex_lock(&knowledge->mutex);
    while (knowledge->used == KNOWLEDGE_READERS)
        pthread_cond_wait(&knowledge->freed, &knowledge->mutex);
    knowledge->used++;
    if (knowledge->idle_len > 0)
        store = knowledge->idle[--knowledge->idle_len];
    pthread_mutex_unlock(&knowledge->mutex);
    return store;
}

static void
give_reader(struct knowledge *knowledge, struct knowledge_store *store,
            bool is_good)
{
    if (store && !is_good) {
        knowledge_store_close(store);
        store = NULL;
    }
    pthread_mutex_lock(&knowledge->mutex);
    knowledge->used--;
    if (store)
        knowledge->idle[knowledge->idle_len++] = store;
    pthread_cond_signal(&knowledge->freed);
    pthread_mutex_unlock(&knowledge->mutex);
}

/* A file of a version before is brought up by whoever writes; whoever comes
 * to read first has it done. */
static void
bring_up(struct knowledge *knowledge)
{
    struct buf why = {0};
    struct moment moment = {.why = &why};

    if (knowledge_write(knowledge, &moment) == OK)
        (void)knowledge_end(knowledge, &moment, ERR_CANCELLED);
    buf_fini(&why);
}

static enum err
open_reader(struct knowledge *knowledge, struct knowledge_store **out,
            struct buf *why)
{
    enum err err = knowledge_store_open_read(out, knowledge->dir, why);

    if (err != ERR_INVALID)
        return err;
    bring_up(knowledge);
    buf_reset(why);
    return knowledge_store_open_read(out, knowledge->dir, why);
}

enum err
knowledge_read(struct knowledge *knowledge, struct moment *moment)
{
    struct knowledge_store *store = take_reader(knowledge);
    struct buf why = {0};
    enum err err = OK;

    begin(knowledge, moment, false);
    if (!store)
        err = open_reader(knowledge, &store, &why);
    if (!err)
        err = ks_begin(store);
    if (err) {
        give_reader(knowledge, store, false);
        if (err == ERR_NOT_FOUND)
            err = OK;
        else
            buf_add(moment->why, buf_str(&why));
    } else {
        moment->store = store;
    }
    buf_fini(&why);
    return err;
}

enum err
knowledge_write(struct knowledge *knowledge, struct moment *moment)
{
    enum err err = OK;

    begin(knowledge, moment, true);
    pthread_mutex_lock(&knowledge->writing);
    if (!knowledge->writer)
        err = knowledge_store_open(&knowledge->writer, knowledge->dir,
                                   knowledge->cfg.is_durable, clock_wall_ns(),
                                   moment->why);
    if (!err)
        err = ks_begin(knowledge->writer);
    if (err) {
        moment->is_writing = false;
        pthread_mutex_unlock(&knowledge->writing);
        return err;
    }
    moment->store = knowledge->writer;
    return OK;
}

static enum err
end_writing(struct knowledge *knowledge, enum err err)
{
    struct knowledge_store *store = knowledge->writer;

    if (!err)
        err = ks_run(store, KS_TOUCH, NULL, 0);
    if (!err)
        err = ks_commit(store);
    else
        ks_rollback(store);
    if (err == ERR_CORRUPT) { /* opened again, it is looked at as a whole */
        knowledge_store_close(store);
        knowledge->writer = NULL;
    }
    pthread_mutex_unlock(&knowledge->writing);
    return err;
}

enum err
knowledge_end(struct knowledge *knowledge, struct moment *moment, enum err err)
{
    struct knowledge_store *store = moment->store;

    moment->store = NULL;
    if (moment->is_writing) {
        moment->is_writing = false;
        return end_writing(knowledge, err);
    }
    if (!store)
        return err;
    ks_rollback(store);
    give_reader(knowledge, store, err != ERR_STORE && err != ERR_CORRUPT);
    return err;
}

const struct source_rules *
knowledge_sources(const struct knowledge *knowledge)
{
    return knowledge->cfg.sources;
}

bool
knowledge_claim(struct knowledge *knowledge, int64_t oid)
{
    int64_t *free_one = NULL;
    bool is_taken = false;

    pthread_mutex_lock(&knowledge->mutex);
    for (int i = 0; i < KNOWLEDGE_CLAIMS; i++) {
        is_taken |= knowledge->claims[i] == oid;
        if (!knowledge->claims[i])
            free_one = &knowledge->claims[i];
    }
    if (!is_taken && free_one)
        *free_one = oid;
    pthread_mutex_unlock(&knowledge->mutex);
    return !is_taken && free_one;
}

void
knowledge_unclaim(struct knowledge *knowledge, int64_t oid)
{
    pthread_mutex_lock(&knowledge->mutex);
    for (int i = 0; i < KNOWLEDGE_CLAIMS; i++)
        if (knowledge->claims[i] == oid)
            knowledge->claims[i] = 0;
    pthread_mutex_unlock(&knowledge->mutex);
}
