/*
 * What is held is replaced as a whole, under the lock; what is replaced goes
 * when the last who holds it drops it.  The thread that watches makes the same
 * calls as everybody; only that it never settles for what was made before.
 */
#include "graph/world.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/steady.h"
#include "base/thread.h"
#include "graph/query_view.h"

/* The count of holds stands before what is held. */
struct shared {
    struct joined *joined;
    atomic_uint holds;
    uint64_t graph_version; /* of the view it was made from */
    uint64_t begun_ns;      /* likewise */
    uint32_t made_s;
};

struct world {
    struct code_db *db;
    pthread_mutex_t lock;
    pthread_cond_t made;
    struct shared *shared; /* NULL: none yet */
    bool is_making;
    /* the thread that watches */
    struct query *query; /* NULL: there is none */
    pthread_t thread;
    pthread_cond_t wake;
    bool is_stopping;
    bool is_wanted;   /* somebody was given what is no longer fresh */
    uint32_t asked_s; /* when somebody last asked; 0: never */
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
    steady_init(&world->wake);
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
    if (world->query) {
        pthread_mutex_lock(&world->lock);
        world->is_stopping = true;
        pthread_cond_signal(&world->wake);
        pthread_mutex_unlock(&world->lock);
        pthread_join(world->thread, NULL);
    }
    drop(world->shared);
    code_db_close(world->db);
    pthread_cond_destroy(&world->wake);
    pthread_cond_destroy(&world->made);
    pthread_mutex_destroy(&world->lock);
    free(world);
}

struct code_db *
world_code(struct world *world)
{
    return world->db;
}

/* Who began to read before that would put back what was stored then. */
static bool
is_newer(const struct shared *shared, const struct query_view *view)
{
    return shared->begun_ns >= view->begun_ns;
}

/* What was made in the future was made before the clock was set back. */
static bool
is_younger(const struct shared *shared, uint32_t now_s, uint32_t age_s)
{
    return now_s >= shared->made_s && now_s - shared->made_s < age_s;
}

/* Nothing was stored since; but time goes by, and windows move with it. */
static bool
is_same(const struct shared *shared, const struct query_view *view)
{
    return view->graph_version != 0 &&
           shared->graph_version == view->graph_version &&
           is_younger(shared, view->now_s, WORLD_OLD_MAX_S);
}

static bool
is_fresh(const struct shared *shared, const struct query_view *view,
         const struct code *code, uint32_t age_s)
{
    return shared && shared->joined->code == code &&
           (is_same(shared, view) || is_newer(shared, view) ||
            is_younger(shared, view->now_s, age_s));
}

/* Good enough, since the one that watches is at it. */
static bool
is_kept(const struct world *world, const struct query_view *view)
{
    const struct shared *shared = world->shared;

    return world->query && shared && shared->joined->code->repo_len > 1 &&
           shared->joined->place_len + shared->joined->arc_len > WORLD_SMALL &&
           is_younger(shared, view->now_s, WORLD_OLD_MAX_S);
}

static enum err
make(struct shared **out, struct query_view *view, const struct code *code)
{
    struct shared *shared = calloc(1, sizeof(*shared));

    *out = NULL;
    if (!shared)
        return ERR_NOMEM;
    /* It is for all, whatever becomes of the one who asked first. */
    struct query_stop stop = query_stop_when(view, (struct query_stop){0});
    enum err err = joined_make(&shared->joined, view, code);
    query_stop_when(view, stop);
    if (err) {
        free(shared);
        return err;
    }
    shared->joined->shared = shared;
    atomic_init(&shared->holds, 1);
    shared->graph_version = view->graph_version;
    shared->begun_ns = view->begun_ns;
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

/* |code| was held before the lock was: a later one may have been joined since,
 * and that one is never replaced by the one before. */
static const struct code *
latest(const struct world *world, const struct code *code)
{
    const struct shared *shared = world->shared;

    return shared && code_is_older(code, shared->joined->code)
               ? shared->joined->code
               : code;
}

static void
want(struct world *world)
{
    world->is_wanted = true;
    pthread_cond_signal(&world->wake);
}

static enum err
renew_for(struct world *world, struct query_view *view, const struct code *code,
          bool is_patient)
{
    uint32_t age_s = is_patient ? 0 : WORLD_AGE_MAX_S;
    enum err err = OK;

    if (!is_patient) {
        world->asked_s = view->now_s;
        if (is_fresh(world->shared, view, latest(world, code), age_s))
            return OK;
        if (is_kept(world, view)) {
            want(world);
            return OK;
        }
    }
    while (world->is_making && (!world->shared || is_patient || world->query))
        pthread_cond_wait(&world->made, &world->lock);
    code = latest(world, code);
    if (!is_fresh(world->shared, view, code, age_s) && !world->is_making)
        err = renew(world, view, code);
    return err || world->shared ? err : ERR_NOMEM;
}

static enum err
look(struct world *world, struct query_view *view, bool is_patient,
     const struct joined **out, struct buf *why)
{
    const struct code *code = NULL;
    enum err err = is_patient ? code_db_load(world->db, &code, why)
                              : code_db_hold(world->db, &code, why);

    *out = NULL;
    if (err)
        return err;
    pthread_mutex_lock(&world->lock);
    err = renew_for(world, view, code, is_patient);
    if (!err)
        *out = hold(world->shared);
    else
        buf_printf(why, "the graph could not be put together: %s",
                   err_str(err));
    if (!err && world->query && code_db_is_behind(world->db, (*out)->code))
        want(world);
    pthread_mutex_unlock(&world->lock);
    code_drop(code);
    return err;
}

enum err
world_hold(struct world *world, struct query_view *view,
           const struct joined **out, struct buf *why)
{
    return look(world, view, false, out, why);
}

enum err
world_hold_now(struct world *world, struct query_view *view,
               const struct joined **out, struct buf *why)
{
    return look(world, view, true, out, why);
}

enum err
world_load(struct world *world, struct query_view *view, struct buf *why)
{
    const struct joined *joined;
    enum err err = world_hold_now(world, view, &joined, why);

    world_drop(joined);
    return err;
}

void
world_drop(const struct joined *joined)
{
    if (joined)
        drop(joined->shared);
}

bool
world_is_behind(struct world *world, const struct joined *joined)
{
    return code_db_is_behind(world->db, joined->code);
}

/* ---- the thread that watches ---- */

/* New code is joined at once; new traces while somebody asks. */
static bool
is_due(struct world *world, const struct code *code, uint32_t now_s)
{
    pthread_mutex_lock(&world->lock);
    const struct shared *shared = world->shared;
    bool is_asked = world->asked_s && now_s >= world->asked_s &&
                    now_s - world->asked_s < WORLD_ASKED_S;
    bool is_due = shared && shared->joined->code == code
                      ? is_asked && !is_younger(shared, now_s, WORLD_AGE_MAX_S)
                      : is_asked || code->repo_len > 1;
    pthread_mutex_unlock(&world->lock);
    return is_due;
}

static void
watch_once(struct world *world, bool *has_failed)
{
    uint32_t now_s = (uint32_t)(clock_wall_ns() / NS_PER_S);
    struct query_view *view = NULL;
    const struct code *code = NULL;
    struct buf why = {0};
    enum err err = code_db_load(world->db, &code, &why);

    if (!err && is_due(world, code, now_s) &&
        !(err = query_begin(world->query, now_s, &view)))
        err = world_load(world, view, &why);
    query_end(view);
    code_drop(code);
    if (err && !*has_failed)
        log_error("the graph could not be loaded; trying again", "why", "%s",
                  why.len ? buf_cstr(&why) : err_str(err));
    *has_failed = err != OK;
    buf_fini(&why);
}

/* False: it is over. */
static bool
wait_a_while(struct world *world)
{
    uint64_t until_ns = clock_mono_ns() + WORLD_LOOK_MS * NS_PER_MS;

    pthread_mutex_lock(&world->lock);
    if (!world->is_stopping && !world->is_wanted)
        (void)steady_wait(&world->wake, &world->lock, until_ns);
    world->is_wanted = false;
    bool goes_on = !world->is_stopping;
    pthread_mutex_unlock(&world->lock);
    return goes_on;
}

static void *
watch(void *ctx)
{
    struct world *world = ctx;
    bool has_failed = false;

    thread_set_name("world");
    do
        watch_once(world, &has_failed);
    while (wait_a_while(world));
    return NULL;
}

enum err
world_watch(struct world *world, struct query *query)
{
    code_db_watch(world->db);
    world->query = query;
    if (pthread_create(&world->thread, NULL, watch, world) == 0)
        return OK;
    world->query = NULL;
    return ERR_NOMEM;
}
