#include "mcp/pending.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "mcp/call.h"

void
live_init(struct live *live)
{
    pthread_mutex_init(&live->mutex, NULL);
    live->first = NULL;
}

void
live_fini(struct live *live)
{
    pthread_mutex_destroy(&live->mutex);
}

void
live_add(struct live *live, struct live_entry *entry, const void *key,
         struct mcp_call *call)
{
    pthread_mutex_lock(&live->mutex);
    *entry = (struct live_entry){
        .key = key,
        .call = call,
        .next = live->first,
        .link = &live->first,
    };
    if (live->first)
        live->first->link = &entry->next;
    live->first = entry;
    pthread_mutex_unlock(&live->mutex);
}

void
live_remove(struct live *live, struct live_entry *entry)
{
    if (!entry->key)
        return;
    pthread_mutex_lock(&live->mutex);
    *entry->link = entry->next;
    if (entry->next)
        entry->next->link = entry->link;
    entry->key = NULL;
    pthread_mutex_unlock(&live->mutex);
}

void
live_gone(struct live *live, const void *key)
{
    pthread_mutex_lock(&live->mutex);
    for (struct live_entry *entry = live->first; entry; entry = entry->next) {
        if (entry->key == key)
            atomic_store(&entry->call->gone, true);
    }
    pthread_mutex_unlock(&live->mutex);
}

void
pending_init(struct pending *pending)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&pending->mutex, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&pending->changed, &attr);
    pthread_condattr_destroy(&attr);
}

void
pending_fini(struct pending *pending)
{
    pthread_cond_destroy(&pending->changed);
    pthread_mutex_destroy(&pending->mutex);
}

enum err
pending_open(struct pending *pending, struct mcp_call *call, const char **id)
{
    enum err err = ERR_FULL;

    pthread_mutex_lock(&pending->mutex);
    for (size_t i = 0; i < PENDING_MAX; i++) {
        struct question *free_slot = &pending->questions[i];
        if (free_slot->id[0])
            continue;
        *free_slot = (struct question){.call = call};
        (void)snprintf(free_slot->id, sizeof(free_slot->id), "%016llx%016llx",
                       (unsigned long long)hash_seed(),
                       (unsigned long long)hash_seed());
        *id = free_slot->id;
        err = OK;
        break;
    }
    pthread_mutex_unlock(&pending->mutex);
    return err;
}

/* The slot of |id|, or NULL.  The lock is held. */
static struct question *
find_question(struct pending *pending, const char *id)
{
    for (size_t i = 0; i < PENDING_MAX; i++)
        if (pending->questions[i].id[0] &&
            strcmp(pending->questions[i].id, id) == 0)
            return &pending->questions[i];
    return NULL;
}

cJSON *
pending_wait(struct pending *pending, const char *id, uint64_t deadline_mono_ns)
{
    struct timespec until = {
        .tv_sec = (time_t)(deadline_mono_ns / NS_PER_S),
        .tv_nsec = (long)(deadline_mono_ns % NS_PER_S),
    };
    int timed_out = 0;

    pthread_mutex_lock(&pending->mutex);
    struct question *question = find_question(pending, id);
    assert(question);
    while (!question->answer && !pending->stopped && timed_out == 0 &&
           !atomic_load(&question->call->gone) &&
           !atomic_load(&question->call->mute) &&
           !atomic_load(&question->call->cancelled))
        timed_out =
            pthread_cond_timedwait(&pending->changed, &pending->mutex, &until);
    cJSON *answer = question->answer;
    *question = (struct question){0};
    pthread_mutex_unlock(&pending->mutex);
    return answer;
}

bool
pending_answer(struct pending *pending, const char *id, cJSON *root)
{
    bool taken = false;

    pthread_mutex_lock(&pending->mutex);
    struct question *question = find_question(pending, id);
    if (question && !question->answer) {
        question->answer = root;
        taken = true;
        pthread_cond_broadcast(&pending->changed);
    }
    pthread_mutex_unlock(&pending->mutex);
    return taken;
}

void
pending_wake(struct pending *pending)
{
    pthread_mutex_lock(&pending->mutex);
    pthread_cond_broadcast(&pending->changed);
    pthread_mutex_unlock(&pending->mutex);
}

void
pending_stop(struct pending *pending)
{
    pthread_mutex_lock(&pending->mutex);
    pending->stopped = true;
    pthread_cond_broadcast(&pending->changed);
    pthread_mutex_unlock(&pending->mutex);
}
