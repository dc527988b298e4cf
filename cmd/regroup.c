#include "cmd/regroup.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/steady.h"
#include "base/thread.h"
#include "knowledge/groups.h"

enum { LOOK_S = 3 };

struct regroup {
    struct regroup_cfg cfg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool is_stopping;
    bool is_due;      /* the last look failed */
    uint32_t pause_s; /* until the next one then */
    bool has_failed;  /* said once, until it works again */
    uint64_t looked_ns;
};

static enum err
make(const struct regroup_cfg *cfg, struct moment moment, size_t *count)
{
    enum err err = knowledge_write(cfg->knowledge, &moment);

    if (err)
        return err;
    return knowledge_end(cfg->knowledge, &moment, groups_make(&moment, count));
}

static uint32_t
traffic_s(const struct regroup_cfg *cfg)
{
    return cfg->traffic_s ? cfg->traffic_s : REGROUP_TRAFFIC_S;
}

/* What was made in the future was made before the clock was set back. */
static bool
is_due(const struct regroup_cfg *cfg, const struct groups_age *age,
       uint32_t now_s)
{
    return age->is_code_old ||
           (age->is_traffic_old &&
            (now_s < age->made_s || now_s - age->made_s >= traffic_s(cfg)));
}

/* Whether it is due is asked of what is stored, since joining code and traces
 * takes long where they are large. */
static enum err
look_at(const struct regroup_cfg *cfg, struct moment moment, bool *out)
{
    const struct code *code = NULL;
    struct groups_age age = {0};
    enum err err = code_db_load(world_code(cfg->world), &code, moment.why);

    if (!err && !(err = knowledge_read(cfg->knowledge, &moment)))
        err = knowledge_end(cfg->knowledge, &moment,
                            groups_age_of(&moment, code, &age));
    code_drop(code);
    *out = !err && is_due(cfg, &age, moment.now_s);
    return err;
}

enum err
regroup_once(const struct regroup_cfg *cfg, size_t *count, struct buf *why)
{
    struct moment moment = {.now_s = (uint32_t)(clock_wall_ns() / NS_PER_S),
                            .why = why};
    bool is_wanted = false;
    enum err err = query_begin(cfg->query, moment.now_s, &moment.view);

    *count = 0;
    if (err)
        return err;
    err = look_at(cfg, moment, &is_wanted);
    if (!err && is_wanted)
        err = world_hold_now(cfg->world, moment.view, &moment.joined, why);
    if (!err && is_wanted)
        err = make(cfg, moment, count);
    world_drop(moment.joined);
    query_end(moment.view);
    return err;
}

/* ---- the thread ---- */

uint32_t
regroup_pause_s(const struct regroup_cfg *cfg, uint32_t before_s, enum err err)
{
    uint32_t most_s = traffic_s(cfg);

    if (!err || err == ERR_BUSY)
        return 0;
    if (!before_s)
        return most_s < LOOK_S ? most_s : LOOK_S;
    return before_s < most_s / 2 ? before_s * 2 : most_s;
}

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
        log_info("communities derived anew", "communities", "%zu", count);
    regroup->has_failed = err && err != ERR_BUSY;
    regroup->is_due = err != OK;
    regroup->pause_s = regroup_pause_s(&regroup->cfg, regroup->pause_s, err);
    regroup->looked_ns = clock_mono_ns();
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

static bool
is_time(const struct regroup *regroup)
{
    uint32_t wait_s =
        regroup->is_due ? regroup->pause_s : traffic_s(&regroup->cfg);

    return clock_mono_ns() - regroup->looked_ns >= wait_s * NS_PER_S;
}

/* Looks when the code that is loaded is another one, and now and then for what
 * was observed. */
static void *
regroup_main(void *ctx)
{
    struct regroup *regroup = ctx;
    const struct code *seen = NULL;

    thread_set_name("regroup");
    while (wait_a_while(regroup)) {
        const struct code *code = NULL;
        struct buf why = {0};

        if (code_db_hold(world_code(regroup->cfg.world), &code, &why))
            code = NULL;
        if (is_time(regroup) || (code && code->repo_len > 1 && code != seen))
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
    regroup->looked_ns = clock_mono_ns();
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
