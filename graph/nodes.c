/*
 * Names are stored clean.  Nearly every name is clean as it comes, so it is
 * looked up as it is; one that is not found and holds anything but printable
 * ASCII is cleaned and looked up again.  So two names that look the same
 * after cleaning are one node.
 *
 * nodes_intern never fails.  The index keeps room for a few records in hand:
 * when memory or max_nodes runs out, what remains to be made are at most the
 * overflow nodes of each kind without an owner, and they fit.
 *
 * What is to be saved: new nodes are those behind a cursor, changed ones are
 * noted in a list.  The list may name a node that the cursor has yet to pass,
 * which then is saved twice; that is cheaper than knowing better.
 */
#include "graph/nodes.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/metrics.h"
#include "base/utf8.h"
#include "graph/node_index.h"
#include "graph/overflow.h"

struct nodes {
    struct nodes_cfg cfg;
    struct node_index index;
    struct overflow overflow;

    pthread_mutex_t writer; /* adding, and all below */
    uint32_t *changed; /* ids to save again; the first |given| were given */
    size_t changed_len;
    size_t changed_cap;
    size_t given;
    _Atomic bool has_changed; /* given < changed_len, or must_rescan */
    bool must_rescan;         /* a change could not be noted: give all again */
    bool has_loaded;          /* is_target is not yet known of loaded nodes */

    uint32_t cursor; /* graph thread: given up to here */
    uint32_t saved;  /* graph thread: committed up to here */
};

/* Adds a node, or returns 0 when memory is short. */
static uint32_t
add(struct nodes *nodes, const struct node_key *key, uint8_t source)
{
    uint32_t id = node_index_add(&nodes->index, key, source);

    if (!id)
        return 0;
    if (source == ROUTE_SOURCE_HEURISTIC && key->owner)
        node_index_at(&nodes->index, key->owner)->routes++;
    if (key->kind == NODE_SYMBOL && key->owner)
        node_index_at(&nodes->index, key->owner)->symbols++;
    metrics_set(METRIC_NODES, id);
    return id;
}

enum err
nodes_new(struct nodes **out, struct nodes_cfg cfg)
{
    struct nodes *nodes = calloc(1, sizeof(*nodes));

    *out = NULL;
    if (!nodes)
        return ERR_NOMEM;
    nodes->cfg = cfg;
    pthread_mutex_init(&nodes->writer, NULL);
    if (!node_index_init(&nodes->index)) {
        nodes_free(nodes);
        return ERR_NOMEM;
    }
    *out = nodes;
    return OK;
}

void
nodes_free(struct nodes *nodes)
{
    if (!nodes)
        return;
    overflow_fini(&nodes->overflow);
    node_index_fini(&nodes->index);
    free(nodes->changed);
    pthread_mutex_destroy(&nodes->writer);
    free(nodes);
}

enum err
nodes_load(struct nodes *nodes, const struct node *node)
{
    struct node_key key =
        node_index_key(&nodes->index, (enum node_kind)node->kind, node->owner,
                       node->name, node->env);
    enum err err = ERR_CORRUPT;

    pthread_mutex_lock(&nodes->writer);
    if (node->id != nodes->index.len + 1 || node->owner >= node->id ||
        node->name.len > NODE_NAME_MAX || node->env.len > NODE_NAME_MAX ||
        node->source > ROUTE_SOURCE_OVERFLOW ||
        node_index_find(&nodes->index, &key))
        goto out;
    err = ERR_NOMEM;
    uint32_t id = add(nodes, &key, node->source);
    if (!id)
        goto out;
    struct node_record *record = node_index_at(&nodes->index, id);
    record->alias = node->alias;
    if (node->alias && node->source == ROUTE_SOURCE_HEURISTIC && node->owner)
        node_index_at(&nodes->index, node->owner)->routes--;
    nodes->has_loaded = true;
    nodes->cursor = nodes->saved = id;
    err = OK;
out:
    pthread_mutex_unlock(&nodes->writer);
    return err;
}

/* The key of the overflow node that stands for |key|. */
static struct node_key
overflow_key(const struct nodes *nodes, const struct node_key *key,
             uint32_t owner)
{
    str name = key->kind == NODE_ROUTE ? STR(NODE_NAME_OTHER)
                                       : STR(NODE_NAME_OVERFLOW);

    return node_index_key(&nodes->index, key->kind, owner, name, STR(""));
}

/* Overflow nodes are themselves bounded: when there are owners by the hundred
 * thousand, those that come late share one. */
static uint32_t
add_overflow(struct nodes *nodes, const struct node_key *key)
{
    uint64_t most = (uint64_t)nodes->cfg.max_nodes + nodes->cfg.max_nodes / 16 +
                    NODE_RESERVE;
    struct node_key overflow = overflow_key(nodes, key, key->owner);
    uint32_t id = node_index_find(&nodes->index, &overflow);

    if (!id &&
        (nodes->index.len >= most || !node_index_has_room(&nodes->index))) {
        overflow = overflow_key(nodes, key, 0);
        id = node_index_find(&nodes->index, &overflow);
    }
    return id ? id
              : node_index_add_static(&nodes->index, &overflow,
                                      ROUTE_SOURCE_OVERFLOW);
}

/* Counts |key| as one of those that overflow node |id| stands for. */
static uint32_t
count_overflow(struct nodes *nodes, uint32_t id, const struct node_key *key)
{
    metrics_add(METRIC_OVERFLOWED_NAMES, 1);
    overflow_count(&nodes->overflow, node_index_at(&nodes->index, id), id, key);
    return id;
}

static bool
is_over(const struct nodes *nodes, const struct node_key *key, uint8_t source)
{
    if (atomic_load_explicit(&nodes->index.len, memory_order_relaxed) >=
        nodes->cfg.max_nodes)
        return true;
    if (!key->owner)
        return false;
    const struct node_record *owner = node_index_at(&nodes->index, key->owner);
    if (key->kind == NODE_SYMBOL)
        return owner->symbols >= nodes->cfg.max_symbols;
    return source == ROUTE_SOURCE_HEURISTIC &&
           owner->routes >= nodes->cfg.max_routes;
}

static uint32_t
find_or_add(struct nodes *nodes, const struct node_key *key, uint8_t source)
{
    uint32_t id = node_index_find(&nodes->index, key);

    if (id)
        return id;
    if (is_over(nodes, key, source)) {
        struct node_key overflow = overflow_key(nodes, key, key->owner);
        id = node_index_find(&nodes->index, &overflow);
    }
    if (id)
        return count_overflow(nodes, id, key);

    bool overflows = false;
    pthread_mutex_lock(&nodes->writer);
    id = node_index_find(&nodes->index, key);
    if (!id && !is_over(nodes, key, source))
        id = add(nodes, key, source);
    if (!id) {
        id = add_overflow(nodes, key);
        overflows = true;
    }
    pthread_mutex_unlock(&nodes->writer);
    return overflows ? count_overflow(nodes, id, key) : id;
}

static bool
is_plain(str bytes)
{
    unsigned char odd = 0;

    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.ptr[i];
        odd |= (unsigned char)(c - 0x20) >= 0x7f - 0x20;
    }
    return !odd && bytes.len <= NODE_NAME_MAX;
}

static uint32_t
intern(struct nodes *nodes, const struct node_key *key, uint8_t source)
{
    uint32_t id = node_index_find(&nodes->index, key);

    if (id)
        return id;
    if (is_plain(key->name) && is_plain(key->env))
        return find_or_add(nodes, key, source);

    struct buf name = {0};
    struct buf env = {0};
    utf8_clean(&name, key->name, NODE_NAME_MAX);
    utf8_clean(&env, key->env, NODE_NAME_MAX);
    struct node_key clean = node_index_key(
        &nodes->index, key->kind, key->owner,
        name.failed ? STR(NODE_NAME_OVERFLOW) : buf_str(&name), buf_str(&env));
    id = find_or_add(nodes, &clean, source);
    buf_fini(&name);
    buf_fini(&env);
    return id;
}

uint32_t
nodes_intern(struct nodes *nodes, enum node_kind kind, uint32_t owner, str name,
             str env)
{
    struct node_key key = node_index_key(&nodes->index, kind, owner, name, env);

    return intern(nodes, &key, ROUTE_SOURCE_NONE);
}

/* Notes under the lock that |id| has to be saved again. */
static void
note_change(struct nodes *nodes, uint32_t id)
{
    struct node_record *record = node_index_at(&nodes->index, id);

    atomic_store_explicit(&nodes->has_changed, true, memory_order_release);
    if (record->is_queued || nodes->must_rescan)
        return;
    if (!grow_room(nodes->changed, nodes->changed_len, nodes->changed_cap)) {
        nodes->must_rescan = true;
        return;
    }
    nodes->changed[nodes->changed_len++] = id;
    record->is_queued = true;
}

static unsigned
source_rank(uint8_t source)
{
    return source == ROUTE_SOURCE_NONE ? ROUTE_SOURCE_OVERFLOW + 1 : source;
}

/* A better source makes a guessed route a known one: it is no more counted
 * among the guesses, and it stands for itself again. */
static void
improve(struct nodes *nodes, uint32_t id, uint8_t source)
{
    struct node_record *record = node_index_at(&nodes->index, id);

    pthread_mutex_lock(&nodes->writer);
    if (source_rank(source) < source_rank(record->source)) {
        bool was_guess = record->source == ROUTE_SOURCE_HEURISTIC;
        if (was_guess && !record->alias && record->owner)
            node_index_at(&nodes->index, record->owner)->routes--;
        if (source < ROUTE_SOURCE_HEURISTIC)
            record->alias = 0;
        else if (source == ROUTE_SOURCE_HEURISTIC && record->owner)
            node_index_at(&nodes->index, record->owner)->routes++;
        record->source = source;
        note_change(nodes, id);
    }
    pthread_mutex_unlock(&nodes->writer);
}

static bool
is_overflow(const struct node_record *record)
{
    return str_eq((str){record->name, record->name_len}, STR(NODE_NAME_OTHER));
}

uint32_t
nodes_intern_route(struct nodes *nodes, uint32_t service, str name,
                   enum route_source source)
{
    struct node_key key = node_index_key(&nodes->index, NODE_ROUTE, service,
                                         name, (str){NULL, 0});
    uint32_t id = intern(nodes, &key, (uint8_t)source);
    struct node_record *record = node_index_at(&nodes->index, id);

    if (source_rank((uint8_t)source) < source_rank(record->source) &&
        !is_overflow(record))
        improve(nodes, id, (uint8_t)source);
    uint32_t alias = atomic_load_explicit(&record->alias, memory_order_relaxed);
    return alias ? alias : id;
}

uint32_t
nodes_intern_asked(struct nodes *nodes, uint32_t service, str name)
{
    struct node_key key =
        node_index_key(&nodes->index, NODE_RPC, service, name, (str){NULL, 0});

    return intern(nodes, &key, ROUTE_SOURCE_HEURISTIC);
}

uint32_t
nodes_find(const struct nodes *nodes, enum node_kind kind, uint32_t owner,
           str name, str env)
{
    struct node_key key = node_index_key(&nodes->index, kind, owner, name, env);

    return node_index_find(&nodes->index, &key);
}

struct node
nodes_get(const struct nodes *nodes, uint32_t id)
{
    assert(id >= 1 && id <= nodes_len(nodes));

    const struct node_record *record = node_index_at(&nodes->index, id);
    uint32_t alias = atomic_load_explicit(&record->alias, memory_order_relaxed);
    return (struct node){
        .id = id,
        .owner = record->owner,
        .alias = alias <= nodes_len(nodes) ? alias : 0,
        .kind = record->kind,
        .source = atomic_load_explicit(&record->source, memory_order_relaxed),
        .name = {record->name, record->name_len},
        .env = {record->env, record->env_len},
    };
}

uint32_t
nodes_len(const struct nodes *nodes)
{
    return atomic_load_explicit(&nodes->index.len, memory_order_acquire);
}

/* Loaded nodes may point at nodes that were loaded later, so which of them
 * are pointed at is found out once, when it is first asked. */
static void
mark_loaded_targets(struct nodes *nodes)
{
    if (!nodes->has_loaded)
        return;
    nodes->has_loaded = false;
    for (uint32_t id = 1; id <= nodes->index.len; id++) {
        uint32_t target = node_index_at(&nodes->index, id)->alias;
        if (target && target <= nodes->index.len)
            node_index_at(&nodes->index, target)->is_target = true;
    }
}

/* Points everything that stands for |id| at |target|, so that no reader has
 * to follow a chain. */
static void
retarget(struct nodes *nodes, uint32_t id, uint32_t target)
{
    for (uint32_t other = 1; other <= nodes->index.len; other++) {
        struct node_record *record = node_index_at(&nodes->index, other);
        if (record->alias != id)
            continue;
        record->alias = target;
        note_change(nodes, other);
    }
}

void
nodes_set_alias(struct nodes *nodes, uint32_t id, uint32_t target)
{
    pthread_mutex_lock(&nodes->writer);
    mark_loaded_targets(nodes);
    uint32_t beyond = node_index_at(&nodes->index, target)->alias;
    if (beyond)
        target = beyond;
    struct node_record *record = node_index_at(&nodes->index, id);
    if (target == id || record->alias == target)
        goto out;
    if (!record->alias && record->source == ROUTE_SOURCE_HEURISTIC &&
        record->owner)
        node_index_at(&nodes->index, record->owner)->routes--;
    record->alias = target;
    note_change(nodes, id);
    if (record->is_target)
        retarget(nodes, id, target);
    record->is_target = false;
    node_index_at(&nodes->index, target)->is_target = true;
out:
    pthread_mutex_unlock(&nodes->writer);
}

static uint32_t
next_changed(struct nodes *nodes)
{
    uint32_t id = 0;

    pthread_mutex_lock(&nodes->writer);
    if (nodes->must_rescan) {
        nodes->must_rescan = false;
        nodes->cursor = nodes->saved = 0;
        nodes->changed_len = nodes->given = 0;
        for (uint32_t i = 1; i <= nodes->index.len; i++)
            node_index_at(&nodes->index, i)->is_queued = false;
        id = ++nodes->cursor;
    } else if (nodes->given < nodes->changed_len) {
        id = nodes->changed[nodes->given++];
        node_index_at(&nodes->index, id)->is_queued = false;
    }
    atomic_store_explicit(&nodes->has_changed,
                          nodes->given < nodes->changed_len,
                          memory_order_relaxed);
    pthread_mutex_unlock(&nodes->writer);
    return id;
}

bool
nodes_have_unsaved(const struct nodes *nodes)
{
    return nodes->cursor < nodes_len(nodes) ||
           atomic_load_explicit(&nodes->has_changed, memory_order_acquire);
}

uint32_t
nodes_next_unsaved(struct nodes *nodes)
{
    if (nodes->cursor < nodes_len(nodes))
        return ++nodes->cursor;
    if (!atomic_load_explicit(&nodes->has_changed, memory_order_acquire))
        return 0;
    return next_changed(nodes);
}

void
nodes_commit_saved(struct nodes *nodes)
{
    nodes->saved = nodes->cursor;
    overflow_settle(&nodes->overflow, true);
    pthread_mutex_lock(&nodes->writer);
    nodes->changed_len -= nodes->given;
    if (nodes->changed_len)
        memmove(nodes->changed, nodes->changed + nodes->given,
                nodes->changed_len * sizeof(*nodes->changed));
    nodes->given = 0;
    pthread_mutex_unlock(&nodes->writer);
}

void
nodes_unsave_all(struct nodes *nodes)
{
    nodes->cursor = nodes->saved;
    overflow_settle(&nodes->overflow, false);
    pthread_mutex_lock(&nodes->writer);
    nodes->given = 0;
    if (nodes->changed_len)
        atomic_store_explicit(&nodes->has_changed, true, memory_order_release);
    pthread_mutex_unlock(&nodes->writer);
}

uint64_t
nodes_overflow_estimate(const struct nodes *nodes, uint32_t id)
{
    return overflow_estimate(node_index_at(&nodes->index, id));
}

enum err
nodes_load_overflow(struct nodes *nodes, uint32_t id, str saved)
{
    if (id == 0 || id > nodes_len(nodes))
        return ERR_CORRUPT;
    return overflow_load(&nodes->overflow, node_index_at(&nodes->index, id), id,
                         saved);
}

enum err
nodes_each_overflow(struct nodes *nodes, nodes_overflow_fn *fn, void *ctx)
{
    return overflow_each(&nodes->overflow, fn, ctx);
}
