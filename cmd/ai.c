#include "cmd/ai.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/steady.h"
#include "base/thread.h"
#include "cmd/ai_post.h"
#include "knowledge/vectors.h"
#include "net/client.h"

enum { POKED_MS = 250 }; /* a poke is noticed within */

struct ai {
    const struct config *cfg;
    struct query *query;
    struct code_db *code;
    struct knowledge *knowledge;
    struct vectors *vectors;
    struct ai_post *fill;
    struct ai_post *ask;
    int stop_fd;
    struct query_view *view; /* of the moment under way */
    pthread_t thread;
    bool is_started;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool is_stopping;
};

/* ---- what is configured ---- */

static const struct {
    const char *name;
    enum vector_world world;
} worlds[] = {{"knowledge", VECTOR_KNOWLEDGE},
              {"traces", VECTOR_TRACES},
              {"code", VECTOR_CODE}};

static enum err
read_worlds(const struct config *cfg, unsigned *out, struct buf *why)
{
    enum { LEN = sizeof(worlds) / sizeof(worlds[0]) };

    *out = cfg->ai.worlds.len ? 0 : VECTOR_WORLDS;
    for (size_t i = 0; i < cfg->ai.worlds.len; i++) {
        const char *name = cfg->ai.worlds.item[i];
        size_t k = 0;

        while (k < LEN && strcmp(name, worlds[k].name) != 0)
            k++;
        if (k == LEN) {
            buf_printf(why,
                       "ai.worlds: \"%s\" is none of knowledge, traces, code",
                       name);
            return ERR_INVALID;
        }
        *out |= worlds[k].world;
    }
    return OK;
}

void
ai_url(const struct config *cfg, struct buf *out)
{
    str base = str_of(cfg->ai.base_url);

    while (base.len && base.ptr[base.len - 1] == '/')
        base.len--;
    buf_add(out, base);
    buf_add(out, STR("/embeddings"));
}

enum err
ai_check(const struct config *cfg, struct buf *why)
{
    const char *base = config_text(cfg->ai.base_url);
    struct buf url = {0};
    unsigned wanted;
    uint16_t port;
    enum err err = read_worlds(cfg, &wanted, why);

    if (err)
        return err;
    ai_url(cfg, &url);
    if (!base && config_text(cfg->ai.model))
        buf_add(why, STR("ai.embed_model is set and ai.base_url is not: say "
                         "where the model is, as https://host/v1"));
    else if (base && (client_port(buf_cstr(&url), &port) ||
                      strpbrk(base, "?#@ \t\r\n")))
        buf_add(why, STR("ai.base_url must be http://host[:port][/path] or "
                         "https://..., without user, query or fragment"));
    else if (base && !config_text(cfg->ai.model))
        buf_add(why, STR("ai.embed_model is empty: name the model that "
                         "ai.base_url is to be asked for"));
    buf_fini(&url);
    return why->len ? ERR_INVALID : OK;
}

/* ---- beginning and end ---- */

enum err
ai_reload(struct ai *ai, struct buf *why)
{
    struct buf key = {0};
    enum err err = OK;

    if (!ai)
        return OK;
    err = ai_key(ai->cfg, &key, why);
    if (!err)
        err = ai_post_set_key(ai->fill, buf_str(&key));
    if (!err)
        err = ai_post_set_key(ai->ask, buf_str(&key));
    buf_fini(&key);
    return err;
}

static enum err
open_vectors(struct ai *ai, bool is_service, struct buf *why)
{
    const struct config *cfg = ai->cfg;
    struct vectors_cfg vectors = {
        .model = cfg->ai.model,
        .dim = (uint32_t)cfg->ai.dim,
        .max_bytes = cfg->ai.memory_bytes,
        .max_text = cfg->ai.text_bytes,
        .batch = cfg->ai.batch,
        .pause_ms = (uint32_t)(cfg->ai.pause_ns / NS_PER_MS),
        .timeout_ms = (uint32_t)(cfg->ai.timeout_ns / NS_PER_MS),
        .query_ms = (uint32_t)(cfg->ai.query_timeout_ns / NS_PER_MS),
        .is_filling = is_service,
        .fill = ai_post_ops(ai->fill),
        .ask = ai_post_ops(ai->ask),
    };
    enum err err = read_worlds(cfg, &vectors.worlds, why);

    return err ? err : vectors_open(&ai->vectors, &vectors);
}

enum err
ai_open(struct ai **out, const struct config *cfg, bool is_service,
        struct buf *why)
{
    struct ai *ai;
    enum err err;

    *out = NULL;
    if (!config_text(cfg->ai.base_url))
        return OK;
    ai = calloc(1, sizeof(*ai));
    if (!ai)
        return ERR_NOMEM;
    ai->cfg = cfg;
    pthread_mutex_init(&ai->lock, NULL);
    steady_init(&ai->stopped);
    ai->stop_fd = eventfd(0, EFD_CLOEXEC);
    err = ai->stop_fd < 0 ? ERR_IO : OK;
    if (!err)
        err = ai_post_open(&ai->fill, cfg, ai->stop_fd, why);
    if (!err)
        err = ai_post_open(&ai->ask, cfg, ai->stop_fd, why);
    if (!err)
        err = ai_reload(ai, why);
    if (!err)
        err = open_vectors(ai, is_service, why);
    if (err)
        ai_close(ai);
    else
        *out = ai;
    return err;
}

struct vectors *
ai_vectors(struct ai *ai)
{
    return ai ? ai->vectors : NULL;
}

static void
halt(struct ai *ai)
{
    if (ai->stop_fd >= 0)
        (void)eventfd_write(ai->stop_fd, 1);
}

void
ai_close(struct ai *ai)
{
    if (!ai)
        return;
    halt(ai);
    vectors_close(ai->vectors);
    ai_post_close(ai->fill);
    ai_post_close(ai->ask);
    if (ai->stop_fd >= 0)
        close(ai->stop_fd);
    pthread_cond_destroy(&ai->stopped);
    pthread_mutex_destroy(&ai->lock);
    free(ai);
}

/* ---- the thread ---- */

static enum err
begin(void *ctx, struct moment *moment, bool writes, const struct code **code)
{
    struct ai *ai = ctx;
    uint32_t now_s = (uint32_t)(clock_wall_ns() / NS_PER_S);
    struct buf *why = moment->why;
    enum err err = OK;

    /* Whoever writes needs nothing of the traces. */
    ai->view = NULL;
    if (!writes)
        err = query_begin(ai->query, now_s, &ai->view);
    if (!err && code)
        err = code_db_hold(ai->code, code, why);
    *moment = (struct moment){.view = ai->view, .now_s = now_s, .why = why};
    if (!err)
        err = writes ? knowledge_write(ai->knowledge, moment)
                     : knowledge_read(ai->knowledge, moment);
    if (err) {
        if (code) {
            code_drop(*code);
            *code = NULL;
        }
        query_end(ai->view);
    }
    return err;
}

static enum err
end(void *ctx, struct moment *moment, enum err err)
{
    struct ai *ai = ctx;

    err = knowledge_end(ai->knowledge, moment, err);
    query_end(ai->view);
    ai->view = NULL;
    return err;
}

/* Returns true when it is to end.  A poke comes without a signal. */
static bool
wait_a_while(struct ai *ai, uint32_t ms)
{
    uint64_t until_ns =
        clock_mono_ns() + (ms < POKED_MS ? ms : POKED_MS) * NS_PER_MS;

    pthread_mutex_lock(&ai->lock);
    while (!ai->is_stopping && steady_wait(&ai->stopped, &ai->lock, until_ns))
        continue;
    bool is_stopping = ai->is_stopping;
    pthread_mutex_unlock(&ai->lock);
    return is_stopping;
}

static void *
run(void *ctx)
{
    struct ai *ai = ctx;
    const struct vectors_host host = {.ctx = ai, .begin = begin, .end = end};
    uint32_t wait_ms = 0;

    thread_set_name("vectors");
    while (!wait_a_while(ai, wait_ms))
        wait_ms = vectors_step(ai->vectors, &host, clock_mono_ns() / NS_PER_MS);
    return NULL;
}

enum err
ai_start(struct ai *ai, struct query *query, struct code_db *code,
         struct knowledge *knowledge)
{
    if (!ai)
        return OK;
    ai->query = query;
    ai->code = code;
    ai->knowledge = knowledge;
    ai->is_started = pthread_create(&ai->thread, NULL, run, ai) == 0;
    return ai->is_started ? OK : ERR_NOMEM;
}

void
ai_stop(struct ai *ai)
{
    if (!ai || !ai->is_started)
        return;
    halt(ai);
    pthread_mutex_lock(&ai->lock);
    ai->is_stopping = true;
    pthread_cond_signal(&ai->stopped);
    pthread_mutex_unlock(&ai->lock);
    (void)pthread_join(ai->thread, NULL);
    ai->is_started = false;
}
