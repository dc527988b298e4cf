/*
 * A list that only grows at its head, by compare and swap.  A node's place in
 * it is made by whoever counts first; of two who do at once, the one whose
 * place is not taken gives it back.
 *
 * The mark of a change is set after the count and cleared before the registers
 * are read: a count that comes between is saved now, and marked for the next
 * time.
 */
#include "graph/overflow.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "graph/hll.h"

struct overflow_node {
    struct overflow_node *next;
    struct hll *hll;
    uint32_t id;
    _Atomic bool has_changed;
    bool is_given;
};

static void
node_free(struct overflow_node *node)
{
    if (!node)
        return;
    hll_free(node->hll);
    free(node);
}

static struct overflow_node *
node_new(uint32_t id)
{
    struct overflow_node *node = calloc(1, sizeof(*node));

    if (!node)
        return NULL;
    node->id = id;
    node->hll = hll_new();
    if (!node->hll) {
        node_free(node);
        return NULL;
    }
    return node;
}

void
overflow_fini(struct overflow *all)
{
    struct overflow_node *node = all->first;

    while (node) {
        struct overflow_node *next = node->next;
        node_free(node);
        node = next;
    }
}

/* Makes |fresh| the one of |record| and returns it, or the one that was there
 * before it. */
static struct overflow_node *
publish(struct overflow *all, struct node_record *record,
        struct overflow_node *fresh)
{
    struct overflow_node *found = NULL;

    if (!atomic_compare_exchange_strong(&record->overflow, &found, fresh)) {
        node_free(fresh);
        return found;
    }
    fresh->next = atomic_load_explicit(&all->first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&all->first, &fresh->next, fresh))
        ;
    return fresh;
}

void
overflow_count(struct overflow *all, struct node_record *record, uint32_t id,
               const struct node_key *key)
{
    struct overflow_node *node =
        atomic_load_explicit(&record->overflow, memory_order_acquire);

    if (!node) {
        struct overflow_node *fresh = node_new(id);
        if (!fresh)
            return;
        node = publish(all, record, fresh);
    }
    uint64_t seed = hll_seed(node->hll);
    uint64_t hash = hash_bytes(key->name, seed ^ key->owner);
    if (key->env.len > 0)
        hash = hash_mix(hash, hash_bytes(key->env, seed));
    if (hll_add(node->hll, hash))
        atomic_store_explicit(&node->has_changed, true, memory_order_release);
}

enum err
overflow_load(struct overflow *all, struct node_record *record, uint32_t id,
              str saved)
{
    struct overflow_node *fresh = NULL;
    enum err err = ERR_CORRUPT;

    if (record->overflow)
        goto out;
    err = ERR_NOMEM;
    fresh = node_new(id);
    if (!fresh || (err = hll_load(fresh->hll, saved)))
        goto out;
    (void)publish(all, record, fresh);
    fresh = NULL;
out:
    node_free(fresh);
    return err;
}

uint64_t
overflow_estimate(const struct node_record *record)
{
    const struct overflow_node *node =
        atomic_load_explicit(&record->overflow, memory_order_acquire);

    return node ? hll_estimate(node->hll) : 0;
}

enum err
overflow_each(struct overflow *all, nodes_overflow_fn *fn, void *ctx)
{
    struct buf saved = {0};
    enum err err = OK;

    for (struct overflow_node *node =
             atomic_load_explicit(&all->first, memory_order_acquire);
         node && !err; node = node->next) {
        if (!atomic_exchange_explicit(&node->has_changed, false,
                                      memory_order_acq_rel))
            continue;
        node->is_given = true;
        all->given++;
        buf_reset(&saved);
        hll_save(node->hll, &saved);
        err = saved.failed
                  ? ERR_NOMEM
                  : fn(ctx, node->id, hll_estimate(node->hll), buf_str(&saved));
    }
    buf_fini(&saved);
    return err;
}

void
overflow_settle(struct overflow *all, bool saved)
{
    for (struct overflow_node *node =
             atomic_load_explicit(&all->first, memory_order_acquire);
         node && all->given > 0; node = node->next) {
        if (!node->is_given)
            continue;
        node->is_given = false;
        all->given--;
        if (!saved)
            atomic_store_explicit(&node->has_changed, true,
                                  memory_order_release);
    }
}
