#include "cmd/regroup.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/steady.h"
#include "knowledge/groups.h"

enum { LOOK_S = 3 };

struct regroup {
    struct regroup_cfg cfg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool is_stopping;
    bool is_due;     /* the last look was not the last of this code */
    bool has_failed; /* said once, until it works again */
};

static enum err
make(const struct regroup_cfg *cfg, struct moment moment, size_t *count)
{
    enum err err = knowledge_write(cfg->knowledge, &moment);

    if (err)
        return err;
    return knowledge_end(cfg->knowledge, &moment, groups_make(&moment, count));
}

enum err
regroup_once(const struct regroup_cfg *cfg, size_t *count, struct buf *why)
{
    uint32_t now_s = (uint32_t)(clock_wall_ns() / NS_PER_S);
    const struct joined *joined = NULL;
    struct query_view *view = NULL;
    bool is_stale = false;
    enum err err = query_begin(cfg->query, now_s, &view);

    *count = 0;
    if (err)
        return err;
    if (!(err = world_hold(cfg->world, view, &joined, why))) {
        struct moment moment = {
            .view = view, .joined = joined, .now_s = now_s, .why = why};
        const struct moment begin = moment;

        err = knowledge_read(cfg->knowledge, &moment);
        if (!err)
            err = knowledge_end(cfg->knowledge, &moment,
                                groups_stale(&moment, &is_stale));
        if (!err && is_stale)
            err = make(cfg, begin, count);
        if (!err && world_is_behind(cfg->world, joined))
            err = ERR_BUSY; /* what is new is not joined yet */
    }
    world_drop(joined);
    query_end(view);
    return err;
}

/* ---- the thread ---- */

static void
look(struct regroup *regroup)
{
    struct buf why = {0};
    size_t count;
    enum err err = regroup_once(&regroup->cfg, &count, &why);

    if (err && err != ERR_BUSY && !regroup->has_failed)
        log_error("communities could not be derived; trying again", "why", "%s",
                  why.len ? buf_cstr(&why) : err_str(err));
    if (count)
        log_info("communities derived of the new index", "communities", "%zu",
                 count);
    regroup->has_failed = err && err != ERR_BUSY;
    regroup->is_due = err != OK;
    buf_fini(&why);
}

static bool
wait_a_while(struct regroup *regroup)
{
    uint64_t until_ns = clock_mono_ns() + LOOK_S * NS_PER_S;

    pthread_mutex_lock(&regroup->lock);
    if (!regroup->is_stopping)
        (void)steady_wait(&regroup->stopped, &regroup->lock, until_ns);
    bool goes_on = !regroup->is_stopping;
    pthread_mutex_unlock(&regroup->lock);
    return goes_on;
}

/* Looks only when the code that is loaded is another one. */
static void *
regroup_main(void *ctx)
{
    struct regroup *regroup = ctx;
    const struct code *seen = NULL;

    while (wait_a_while(regroup)) {
        const struct code *code = NULL;
        struct buf why = {0};

        if (code_db_hold(world_code(regroup->cfg.world), &code, &why))
            code = NULL;
        if (code && code->repo_len > 1 && (code != seen || regroup->is_due))
            look(regroup);
        code_drop(seen);
        seen = code;
        buf_fini(&why);
    }
    code_drop(seen);
    return NULL;
}

enum err
regroup_start(struct regroup **out, const struct regroup_cfg *cfg)
{
    struct regroup *regroup = calloc(1, sizeof(*regroup));

    *out = NULL;
    if (!regroup)
        return ERR_NOMEM;
    regroup->cfg = *cfg;
    pthread_mutex_init(&regroup->lock, NULL);
    steady_init(&regroup->stopped);
    if (pthread_create(&regroup->thread, NULL, regroup_main, regroup) != 0) {
        pthread_cond_destroy(&regroup->stopped);
        pthread_mutex_destroy(&regroup->lock);
        free(regroup);
        return ERR_NOMEM;
    }
    *out = regroup;
    return OK;
}

void
regroup_stop(struct regroup *regroup)
{
    if (!regroup)
        return;
    pthread_mutex_lock(&regroup->lock);
    regroup->is_stopping = true;
    pthread_cond_signal(&regroup->stopped);
    pthread_mutex_unlock(&regroup->lock);
    (void)pthread_join(regroup->thread, NULL);
    pthread_cond_destroy(&regroup->stopped);
    pthread_mutex_destroy(&regroup->lock);
    free(regroup);
}
