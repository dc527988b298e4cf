#include "net/aside.h"

#include <pthread.h>
#include <stdlib.h>

struct aside {
    struct inflater *inflater;
    pthread_t thread;
    pthread_mutex_t lock; /* for all below */
    pthread_cond_t come;
    struct aside_job *first;
    struct aside_job *last;
    bool is_stopping;
    bool is_started; /* the owner's */
};

enum err
aside_new(struct aside **out)
{
    struct aside *aside = calloc(1, sizeof(*aside));

    *out = NULL;
    if (!aside)
        return ERR_NOMEM;
    aside->inflater = inflater_new();
    if (!aside->inflater) {
        free(aside);
        return ERR_NOMEM;
    }
    pthread_mutex_init(&aside->lock, NULL);
    pthread_cond_init(&aside->come, NULL);
    *out = aside;
    return OK;
}

/* The next job; NULL: there will be none. */
static struct aside_job *
await_job(struct aside *aside)
{
    pthread_mutex_lock(&aside->lock);
    while (!aside->first && !aside->is_stopping)
        pthread_cond_wait(&aside->come, &aside->lock);
    struct aside_job *job = aside->first;
    if (job)
        aside->first = job->next;
    if (!aside->first)
        aside->last = NULL;
    pthread_mutex_unlock(&aside->lock);
    return job;
}

static void *
run(void *ctx)
{
    struct aside *aside = ctx;
    struct aside_job *job;

    while ((job = await_job(aside)))
        job->run(job, aside->inflater);
    return NULL;
}

enum err
aside_start(struct aside *aside)
{
    if (pthread_create(&aside->thread, NULL, run, aside))
        return ERR_NOMEM;
    aside->is_started = true;
    return OK;
}

bool
aside_is_for(const struct aside *aside, enum encoding encoding, size_t len)
{
    size_t max = encoding == ENCODING_IDENTITY ? ASIDE_PLAIN : ASIDE_PACKED;

    return aside && len > max;
}

void
aside_post(struct aside *aside, struct aside_job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&aside->lock);
    if (aside->last)
        aside->last->next = job;
    else
        aside->first = job;
    aside->last = job;
    pthread_cond_signal(&aside->come);
    pthread_mutex_unlock(&aside->lock);
}

void
aside_stop(struct aside *aside)
{
    if (!aside || !aside->is_started)
        return;
    pthread_mutex_lock(&aside->lock);
    aside->is_stopping = true;
    pthread_cond_signal(&aside->come);
    pthread_mutex_unlock(&aside->lock);
    pthread_join(aside->thread, NULL);
    aside->is_started = false;
}

void
aside_free(struct aside *aside)
{
    if (!aside)
        return;
    aside_stop(aside);
    inflater_free(aside->inflater);
    pthread_cond_destroy(&aside->come);
    pthread_mutex_destroy(&aside->lock);
    free(aside);
}
