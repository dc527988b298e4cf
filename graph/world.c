#include "graph/world.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "graph/query_view.h"

/* The count of holds stands before what is held. */
struct shared {
    struct joined *joined;
    atomic_uint holds;
    int64_t version; /* of the store of traces */
    uint32_t made_s;
};

struct world {
    struct code_db *db;
    pthread_mutex_t lock;
    pthread_cond_t made;
    struct shared *shared; /* NULL: none yet */
    bool is_making;
};

enum err
world_open(struct world **out, const char *dir)
{
    struct world *world = calloc(1, sizeof(*world));

    *out = NULL;
    if (!world)
        return ERR_NOMEM;
    enum err err = code_db_open(&world->db, dir);
    if (err) {
        free(world);
        return err;
    }
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->made, NULL);
    *out = world;
    return OK;
}

static void
drop(struct shared *shared)
{
    if (!shared || atomic_fetch_sub(&shared->holds, 1) != 1)
        return;
    joined_free(shared->joined);
    free(shared);
}

void
world_close(struct world *world)
{
    if (!world)
        return;
    drop(world->shared);
    code_db_close(world->db);
    pthread_cond_destroy(&world->made);
    pthread_mutex_destroy(&world->lock);
    free(world);
}

struct code_db *
world_code(struct world *world)
{
    return world->db;
}

static bool
is_fresh(const struct shared *shared, const struct query_view *view,
         const struct code *code)
{
    return shared && shared->joined->code == code &&
           (shared->version == view->version ||
            (view->now_s >= shared->made_s &&
             view->now_s - shared->made_s < WORLD_AGE_MAX_S));
}

static enum err
make(struct shared **out, struct query_view *view, const struct code *code)
{
    struct shared *shared = calloc(1, sizeof(*shared));

    *out = NULL;
    if (!shared)
        return ERR_NOMEM;
    enum err err = joined_make(&shared->joined, view, code);
    if (err) {
        free(shared);
        return err;
    }
    shared->joined->shared = shared;
    atomic_init(&shared->holds, 1);
    shared->version = view->version;
    shared->made_s = view->now_s;
    *out = shared;
    return OK;
}

static const struct joined *
hold(struct shared *shared)
{
    atomic_fetch_add(&shared->holds, 1);
    return shared->joined;
}

/* Called with the lock, and returns with it. */
static enum err
renew(struct world *world, struct query_view *view, const struct code *code)
{
    struct shared *before = world->shared;
    struct shared *now;

    world->is_making = true;
    pthread_mutex_unlock(&world->lock);
    enum err err = make(&now, view, code);
    pthread_mutex_lock(&world->lock);
    world->is_making = false;
    pthread_cond_broadcast(&world->made);
    if (err)
        return err;
    world->shared = now;
    drop(before);
    return OK;
}

enum err
world_hold(struct world *world, struct query_view *view,
           const struct joined **out, struct buf *why)
{
    const struct code *code = NULL;
    enum err err = code_db_hold(world->db, &code, why);

    *out = NULL;
    if (err)
        return err;
    pthread_mutex_lock(&world->lock);
    while (!world->shared && world->is_making)
        pthread_cond_wait(&world->made, &world->lock);
    if (!is_fresh(world->shared, view, code) && !world->is_making)
        err = renew(world, view, code);
    if (!err && !world->shared)
        err = ERR_NOMEM;
    if (!err)
        *out = hold(world->shared);
    else
        buf_printf(why, "the graph could not be put together: %s",
                   err_str(err));
    pthread_mutex_unlock(&world->lock);
    code_drop(code);
    return err;
}

void
world_drop(const struct joined *joined)
{
    if (joined)
        drop(joined->shared);
}
