#include "cmd/refresh.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "knowledge/source.h"

enum {
    LOOK_S = 5,
    AGAIN_S = 300, /* after a failure; doubles */
    AGAIN_MAX_S = 6 * 3600,
    FAILED_MAX = 64, /* sources that are waited for at once */
};

struct failed {
    int64_t source;
    uint32_t until_s;
    uint32_t wait_s;
};

struct refresh {
    struct refresh_cfg cfg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    atomic_bool is_stopping;
    struct failed failed[FAILED_MAX];
    size_t failed_len;
    struct query_view *view;     /* of the moment under way */
    const struct joined *joined; /* of the crawl under way */
};

static uint32_t
now_s(void)
{
    return (uint32_t)(clock_wall_ns() / NS_PER_S);
}

/* ---- moments ---- */

static enum err
begin(void *ctx, struct moment *moment, bool writes)
{
    struct refresh *refresh = ctx;
    struct buf *why = moment->why;
    uint32_t at_s = now_s();
    enum err err = query_begin(refresh->cfg.query, at_s, &refresh->view);

    if (err)
        return err;
    /* The graph of code is a help here, not a need. */
    if (writes && !refresh->joined) {
        struct buf none = {0};

        if (world_hold(refresh->cfg.world, refresh->view, &refresh->joined,
                       &none))
            refresh->joined = NULL;
        buf_fini(&none);
    }
    *moment = (struct moment){
        .view = refresh->view,
        .joined = refresh->joined,
        .now_s = at_s,
        .why = why,
    };
    err = writes ? knowledge_write(refresh->cfg.knowledge, moment)
                 : knowledge_read(refresh->cfg.knowledge, moment);
    if (err) {
        query_end(refresh->view);
        refresh->view = NULL;
    }
    return err;
}

static enum err
end(void *ctx, struct moment *moment, enum err err)
{
    struct refresh *refresh = ctx;

    err = knowledge_end(refresh->cfg.knowledge, moment, err);
    query_end(refresh->view);
    refresh->view = NULL;
    return err;
}

static bool
is_cancelled(void *ctx)
{
    struct refresh *refresh = ctx;

    return atomic_load(&refresh->is_stopping);
}

/* ---- what is due ---- */

static enum err
find_due(struct refresh *refresh, struct buf *why, int64_t *out)
{
    struct moment moment = {.why = why};
    int64_t not_yet[FAILED_MAX];
    size_t len = 0;
    uint32_t at_s = now_s();
    enum err err;

    *out = 0;
    for (size_t i = 0; i < refresh->failed_len; i++)
        if (refresh->failed[i].until_s > at_s)
            not_yet[len++] = refresh->failed[i].source;
    /* Not begin: a look needs nothing of the traces. */
    moment.now_s = at_s;
    err = knowledge_read(refresh->cfg.knowledge, &moment);
    if (err)
        return err;
    err = source_due(&moment, not_yet, len, out);
    return knowledge_end(refresh->cfg.knowledge, &moment, err);
}

static struct failed *
find_failed(struct refresh *refresh, int64_t source)
{
    for (size_t i = 0; i < refresh->failed_len; i++)
        if (refresh->failed[i].source == source)
            return &refresh->failed[i];
    return NULL;
}

static void
note_failed(struct refresh *refresh, int64_t source)
{
    struct failed *row = find_failed(refresh, source);

    if (!row) {
        size_t at = refresh->failed_len < FAILED_MAX
                        ? refresh->failed_len++
                        : (size_t)source % FAILED_MAX;

        row = &refresh->failed[at];
        *row = (struct failed){.source = source, .wait_s = AGAIN_S / 2};
    }
    row->wait_s = 2 * row->wait_s < AGAIN_MAX_S ? 2 * row->wait_s : AGAIN_MAX_S;
    row->until_s = now_s() + row->wait_s;
}

static void
note_done(struct refresh *refresh, int64_t source)
{
    struct failed *row = find_failed(refresh, source);

    if (row)
        *row = refresh->failed[--refresh->failed_len];
}

static double
number(const cJSON *data, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(data, name);

    return item ? item->valuedouble : 0;
}

static void
log_done(const cJSON *data)
{
    const char *url =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(data, "url"));

    log_info("source crawled", "url",
             "%s, %.0f added, %.0f changed, %.0f unchanged, %.0f removed, "
             "%.0f failed",
             url ? url : "", number(data, "added"), number(data, "changed"),
             number(data, "unchanged"), number(data, "removed"),
             number(data, "failed"));
}

static void
crawl(struct refresh *refresh, int64_t source, struct buf *why)
{
    const struct source_host host = {
        .ctx = refresh,
        .knowledge = refresh->cfg.knowledge,
        .why = why,
        .begin = begin,
        .end = end,
        .is_cancelled = is_cancelled,
    };
    cJSON *data = cJSON_CreateObject();
    enum err err = data ? source_crawl(&host, source, data) : ERR_NOMEM;

    if (!err) {
        note_done(refresh, source);
        log_done(data);
    } else if (!atomic_load(&refresh->is_stopping)) {
        note_failed(refresh, source);
        log_warn("a source could not be crawled", "why", "%s",
                 why->len ? buf_cstr(why) : err_str(err));
    }
    cJSON_Delete(data);
    world_drop(refresh->joined);
    refresh->joined = NULL;
}

static bool
look(struct refresh *refresh)
{
    struct buf why = {0};
    int64_t source = 0;
    enum err err = find_due(refresh, &why, &source);

    if (!err && source)
        crawl(refresh, source, &why);
    buf_fini(&why);
    return !err && source != 0;
}

/* What a process that died had begun. */
static void
mend(struct refresh *refresh)
{
    struct buf why = {0};
    struct moment moment = {.why = &why};
    bool is_torn = false;
    enum err err = knowledge_read(refresh->cfg.knowledge, &moment);

    if (!err)
        err = knowledge_end(refresh->cfg.knowledge, &moment,
                            source_is_torn(&moment, &is_torn));
    /* Where another process writes, it may be the one that crawls. */
    if (!err && is_torn && !knowledge_write(refresh->cfg.knowledge, &moment))
        (void)knowledge_end(refresh->cfg.knowledge, &moment,
                            source_mend(&moment));
    buf_fini(&why);
}

/* ---- the thread ---- */

static void
wait_a_while(struct refresh *refresh)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LOOK_S;
    pthread_mutex_lock(&refresh->lock);
    if (!atomic_load(&refresh->is_stopping))
        (void)pthread_cond_timedwait(&refresh->stopped, &refresh->lock, &until);
    pthread_mutex_unlock(&refresh->lock);
}

static void *
refresh_main(void *ctx)
{
    struct refresh *refresh = ctx;

    thread_set_name("refresh");
    mend(refresh);
    while (!atomic_load(&refresh->is_stopping))
        if (!look(refresh))
            wait_a_while(refresh);
    return NULL;
}

enum err
refresh_start(struct refresh **out, const struct refresh_cfg *cfg)
{
    struct refresh *refresh = calloc(1, sizeof(*refresh));

    *out = NULL;
    if (!refresh)
        return ERR_NOMEM;
    refresh->cfg = *cfg;
    pthread_mutex_init(&refresh->lock, NULL);
    pthread_cond_init(&refresh->stopped, NULL);
    if (pthread_create(&refresh->thread, NULL, refresh_main, refresh) != 0) {
        pthread_cond_destroy(&refresh->stopped);
        pthread_mutex_destroy(&refresh->lock);
        free(refresh);
        return ERR_NOMEM;
    }
    *out = refresh;
    return OK;
}

void
refresh_stop(struct refresh *refresh)
{
    if (!refresh)
        return;
    pthread_mutex_lock(&refresh->lock);
    atomic_store(&refresh->is_stopping, true);
    pthread_cond_signal(&refresh->stopped);
    pthread_mutex_unlock(&refresh->lock);
    (void)pthread_join(refresh->thread, NULL);
    pthread_cond_destroy(&refresh->stopped);
    pthread_mutex_destroy(&refresh->lock);
    free(refresh);
}
