/*
 * A list under a mutex.  The loop is woken only when the list was empty: it
 * takes all there is each time, so a busy server wakes seldom.
 */
#include "net/hub.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/metrics.h"

struct hub {
    pthread_mutex_t mutex;
    struct message *first;
    struct message *last;
    void (*wake)(void *ctx);
    void *wake_ctx;
    pthread_t loop;
    atomic_bool is_open;
    atomic_size_t refs;
    atomic_size_t budget;
    atomic_size_t reserved;
    atomic_size_t held[HUB_SHARES]; /* of that, by each; not of share 0 */
    struct stay stay;
};

struct hub *
hub_new(void)
{
    struct hub *hub = calloc(1, sizeof(*hub));

    if (!hub)
        return NULL;
    if (pthread_mutex_init(&hub->mutex, NULL)) {
        free(hub);
        return NULL;
    }
    atomic_init(&hub->refs, 1);
    return hub;
}

struct hub *
hub_ref(struct hub *hub)
{
    atomic_fetch_add(&hub->refs, 1);
    return hub;
}

void
hub_unref(struct hub *hub)
{
    if (!hub || atomic_fetch_sub(&hub->refs, 1) != 1)
        return;
    metrics_add(METRIC_MEMORY_LIMIT, -(int64_t)atomic_load(&hub->budget));
    pthread_mutex_destroy(&hub->mutex);
    free(hub);
}

void
hub_open(struct hub *hub, void (*wake)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&hub->mutex);
    hub->wake = wake;
    hub->wake_ctx = ctx;
    hub->loop = pthread_self();
    atomic_store(&hub->is_open, true);
    pthread_mutex_unlock(&hub->mutex);
}

bool
hub_close(struct hub *hub)
{
    pthread_mutex_lock(&hub->mutex);
    bool is_empty = !hub->first;
    if (is_empty)
        atomic_store(&hub->is_open, false);
    pthread_mutex_unlock(&hub->mutex);
    return is_empty;
}

bool
hub_is_loop(const struct hub *hub)
{
    return atomic_load(&hub->is_open) &&
           pthread_equal(hub->loop, pthread_self());
}

bool
hub_post(struct hub *hub, struct message *message)
{
    message->next = NULL;
    pthread_mutex_lock(&hub->mutex);
    bool is_open = atomic_load(&hub->is_open);
    if (is_open) {
        bool was_empty = !hub->first;

        if (was_empty)
            hub->first = message;
        else
            hub->last->next = message;
        hub->last = message;
        if (was_empty && hub->wake)
            hub->wake(hub->wake_ctx);
    }
    pthread_mutex_unlock(&hub->mutex);
    return is_open;
}

struct message *
hub_take(struct hub *hub)
{
    pthread_mutex_lock(&hub->mutex);
    struct message *all = hub->first;
    hub->first = hub->last = NULL;
    pthread_mutex_unlock(&hub->mutex);
    return all;
}

void
hub_raise_budget(struct hub *hub, size_t bytes)
{
    size_t old = atomic_load(&hub->budget);

    if (old >= bytes)
        return;
    atomic_store(&hub->budget, bytes);
    metrics_add(METRIC_MEMORY_LIMIT, (int64_t)(bytes - old));
}

/* May the share of |claim| have |bytes| more, with |left| for all others? */
static bool
is_fair(struct hub *hub, const struct hub_claim *claim, size_t bytes,
        size_t left)
{
    size_t held =
        claim->share ? atomic_load(&hub->held[claim->share]) : claim->held;

    return held == claim->held || held + bytes <= left;
}

static bool
take(struct hub *hub, struct hub_claim *claim, size_t bytes, bool must_be_fair)
{
    size_t budget = atomic_load(&hub->budget);
    size_t held = atomic_load(&hub->reserved);

    do {
        if (held > budget || bytes > budget - held ||
            (must_be_fair &&
             !is_fair(hub, claim, bytes, budget - held - bytes)))
            return false;
    } while (
        !atomic_compare_exchange_weak(&hub->reserved, &held, held + bytes));
    if (claim->share)
        atomic_fetch_add(&hub->held[claim->share], bytes);
    claim->held += bytes;
    metrics_add(METRIC_MEMORY_RESERVED, (int64_t)bytes);
    return true;
}

bool
hub_reserve(struct hub *hub, struct hub_claim *claim, size_t bytes)
{
    return take(hub, claim, bytes, true);
}

bool
hub_follow(struct hub *hub, struct hub_claim *claim, size_t bytes)
{
    return take(hub, claim, bytes, false);
}

void
hub_release(struct hub *hub, struct hub_claim *claim)
{
    hub_shrink(hub, claim, 0);
}

void
hub_shrink(struct hub *hub, struct hub_claim *claim, size_t keep)
{
    size_t bytes = claim->held > keep ? claim->held - keep : 0;

    if (bytes == 0)
        return;
    claim->held = keep;
    if (claim->share)
        atomic_fetch_sub(&hub->held[claim->share], bytes);
    atomic_fetch_sub(&hub->reserved, bytes);
    metrics_add(METRIC_MEMORY_RESERVED, -(int64_t)bytes);
}

size_t
hub_left(struct hub *hub)
{
    size_t budget = atomic_load(&hub->budget);
    size_t held = atomic_load(&hub->reserved);

    return held < budget ? budget - held : 0;
}

size_t
hub_budget(struct hub *hub)
{
    return atomic_load(&hub->budget);
}

struct stay *
hub_stay(struct hub *hub)
{
    return &hub->stay;
}
