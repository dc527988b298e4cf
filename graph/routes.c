/*
 * Tables by service, in an open-addressed table of their own, all under one
 * lock that many readers share.  Where nothing is declared, which is usual,
 * readers see a zero and do not take it.
 */
#include "graph/routes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "graph/route_learn.h"
#include "graph/route_mount.h"
#include "graph/route_table.h"

struct declared {
    uint32_t service;
    struct route_table *table;
    struct route_mounts mounts;
};

struct routes {
    struct route_learn *learn;
    pthread_rwlock_t lock; /* all below */
    struct declared **slots;
    uint32_t mask;
    _Atomic uint32_t len;
    _Atomic uint64_t generation; /* written under the lock */
};

enum err
routes_new(struct routes **out, struct nodes *nodes)
{
    struct routes *routes = calloc(1, sizeof(*routes));
    pthread_rwlockattr_t attr;

    *out = NULL;
    if (!routes)
        return ERR_NOMEM;
    /* A reader takes the lock once at a time, so writers may go first and
     * need not wait for a moment without readers. */
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr,
                                  PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&routes->lock, &attr);
    pthread_rwlockattr_destroy(&attr);

    routes->mask = 63;
    routes->slots = calloc(routes->mask + 1, sizeof(struct declared *));
    routes->learn = route_learn_new(nodes);
    if (!routes->slots || !routes->learn) {
        routes_free(routes);
        return ERR_NOMEM;
    }
    *out = routes;
    return OK;
}

static void
declared_free(struct declared *declared)
{
    if (!declared)
        return;
    route_table_free(declared->table);
    route_mounts_fini(&declared->mounts);
    free(declared);
}

void
routes_free(struct routes *routes)
{
    if (!routes)
        return;
    for (uint32_t i = 0; routes->slots && i <= routes->mask; i++)
        declared_free(routes->slots[i]);
    free(routes->slots);
    route_learn_free(routes->learn);
    pthread_rwlock_destroy(&routes->lock);
    free(routes);
}

static struct declared **
find_slot(struct declared **slots, uint32_t mask, uint32_t service)
{
    uint32_t i = service * UINT32_C(2654435769) & mask;

    while (slots[i] && slots[i]->service != service)
        i = (i + 1) & mask;
    return &slots[i];
}

static enum err
grow(struct routes *routes)
{
    uint32_t mask = 2 * routes->mask + 1;
    struct declared **slots =
        calloc((size_t)mask + 1, sizeof(struct declared *));

    if (!slots)
        return ERR_NOMEM;
    for (uint32_t i = 0; i <= routes->mask; i++)
        if (routes->slots[i])
            *find_slot(slots, mask, routes->slots[i]->service) =
                routes->slots[i];
    free(routes->slots);
    routes->slots = slots;
    routes->mask = mask;
    return OK;
}

/* The table of |service|, new if there was none; NULL without memory. */
static struct declared *
open_declared(struct routes *routes, uint32_t service)
{
    if (2 * (routes->len + 1) > routes->mask && grow(routes))
        return NULL;
    struct declared **slot = find_slot(routes->slots, routes->mask, service);
    if (*slot)
        return *slot;
    struct declared *declared = calloc(1, sizeof(*declared));
    if (!declared)
        return NULL;
    declared->service = service;
    declared->table = route_table_new();
    if (!declared->table) {
        declared_free(declared);
        return NULL;
    }
    *slot = declared;
    routes->len++;
    return declared;
}

enum err
routes_declare(struct routes *routes, uint32_t service, str method, str pattern)
{
    enum err err = ERR_NOMEM;

    pthread_rwlock_wrlock(&routes->lock);
    struct declared *declared = open_declared(routes, service);
    if (declared) {
        uint32_t len = route_table_len(declared->table);
        err = route_table_add(declared->table,
                              method.len > 0 ? method : STR("ANY"), pattern);
        /* Behind what it tells of: who sees it, sees that too. */
        if (route_table_len(declared->table) != len)
            atomic_fetch_add_explicit(&routes->generation, 1,
                                      memory_order_release);
    }
    pthread_rwlock_unlock(&routes->lock);
    return err;
}

void
routes_withdraw(struct routes *routes, uint32_t service, str method,
                str pattern)
{
    pthread_rwlock_wrlock(&routes->lock);
    struct declared *declared =
        *find_slot(routes->slots, routes->mask, service);
    if (declared &&
        route_table_remove(declared->table,
                           method.len > 0 ? method : STR("ANY"), pattern))
        atomic_fetch_add_explicit(&routes->generation, 1, memory_order_release);
    pthread_rwlock_unlock(&routes->lock);
}

uint64_t
routes_generation(const struct routes *routes)
{
    return atomic_load_explicit(&routes->generation, memory_order_acquire);
}

enum err
routes_mount(struct routes *routes, uint32_t service, str prefix)
{
    enum err err = ERR_NOMEM;

    pthread_rwlock_wrlock(&routes->lock);
    struct declared *declared = open_declared(routes, service);
    if (declared)
        err = route_mounts_add(&declared->mounts, prefix);
    pthread_rwlock_unlock(&routes->lock);
    return err;
}

static bool
has_tables(const struct routes *routes)
{
    return atomic_load_explicit(&routes->len, memory_order_acquire) > 0;
}

/* The lock is no part of what |routes| says, so reading may take it. */
static pthread_rwlock_t *
lock_of(const struct routes *routes)
{
    union {
        const pthread_rwlock_t *in;
        pthread_rwlock_t *out;
    } lock = {.in = &routes->lock};

    return lock.out;
}

void
routes_learn_mount(struct routes *routes, uint32_t service, str method,
                   str pattern)
{
    if (!has_tables(routes))
        return;
    pthread_rwlock_wrlock(&routes->lock);
    struct declared *declared =
        *find_slot(routes->slots, routes->mask, service);
    if (declared)
        route_mounts_learn(&declared->mounts, declared->table, method, pattern);
    pthread_rwlock_unlock(&routes->lock);
}

/* What is declared of |service|, for reading until the lock is given back;
 * NULL, and nothing is locked, where there is nothing. */
static const struct declared *
lock_declared(const struct routes *routes, uint32_t service)
{
    if (!has_tables(routes))
        return NULL;
    pthread_rwlock_rdlock(lock_of(routes));
    const struct declared *declared =
        *find_slot(routes->slots, routes->mask, service);
    if (!declared)
        pthread_rwlock_unlock(lock_of(routes));
    return declared;
}

bool
routes_match(const struct routes *routes, uint32_t service, str method,
             str path, struct buf *out)
{
    const struct declared *declared = lock_declared(routes, service);

    if (!declared)
        return false;
    bool found = route_table_match(declared->table, method, path, out) ||
                 route_mounts_match(&declared->mounts, declared->table, method,
                                    path, out);
    pthread_rwlock_unlock(lock_of(routes));
    return found;
}

bool
routes_is_declared(const struct routes *routes, uint32_t service, str method,
                   str pattern)
{
    const struct declared *declared = lock_declared(routes, service);

    if (!declared)
        return false;
    bool found = route_table_has(declared->table, method, pattern);
    pthread_rwlock_unlock(lock_of(routes));
    return found;
}

bool
routes_may_go_on(const struct routes *routes, uint32_t service, str method,
                 str pattern)
{
    const struct declared *declared = lock_declared(routes, service);

    if (!declared)
        return false;
    bool may = route_table_has_below(declared->table, pattern) ||
               !(route_table_has(declared->table, method, pattern) ||
                 route_table_has(declared->table, STR("ANY"), pattern));
    pthread_rwlock_unlock(lock_of(routes));
    return may;
}

void
routes_template(struct routes *routes, uint32_t service, str method,
                str pattern, struct buf *out)
{
    route_learn_template(routes->learn, service, method, pattern, out);
}

bool
routes_is_of_code(str origin)
{
    return str_starts(origin, ROUTES_OF_CODE) ||
           str_starts(origin, ROUTES_OF_MOUNT);
}
