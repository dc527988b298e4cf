/*
 * Records live in chunks that double in size and never move, so an id is an
 * address for ever: chunk k holds NODE_CHUNK_FIRST << k of them.  The table is
 * open-addressed, of 64-bit slots: the upper half of the hash beside the id.
 * Finding reads the table pointer, a slot and a record.  A writer fills the
 * record before it publishes the slot, so whoever sees the slot sees it all.
 * A table that has become too small is copied and replaced; the old one stays
 * until the end, because a reader may still be in it.  All old ones together
 * are smaller than the one in use.
 */
#include "graph/node_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { TABLE_FIRST = 4096, BLOCK_BYTES = 1 << 16 };

struct node_table {
    struct node_table *older;
    uint64_t mask;
    _Atomic uint64_t slots[]; /* hash in the upper half, id; 0 is empty */
};

struct node_block {
    struct node_block *older;
    size_t used;
    char bytes[BLOCK_BYTES];
};

static bool
record_is(const struct node_record *record, const struct node_key *key)
{
    return record->kind == key->kind && record->owner == key->owner &&
           str_eq((str){record->name, record->name_len}, key->name) &&
           str_eq((str){record->env, record->env_len}, key->env);
}

struct node_key
node_index_key(const struct node_index *index, enum node_kind kind,
               uint32_t owner, str name, str env)
{
    struct node_key key = {
        .name = name, .env = {"", 0}, .owner = owner, .kind = kind};

    key.hash = hash_bytes(name, index->seed ^ hash_mix(owner, kind));
    if (kind == NODE_SERVICE && env.len > 0) {
        key.env = env;
        key.hash = hash_mix(key.hash, hash_bytes(env, index->seed));
    }
    return key;
}

uint32_t
node_index_find(const struct node_index *index, const struct node_key *key)
{
    struct node_table *table =
        atomic_load_explicit(&index->table, memory_order_acquire);
    uint64_t tag = key->hash >> 32;

    for (uint64_t i = tag & table->mask;; i = (i + 1) & table->mask) {
        uint64_t slot =
            atomic_load_explicit(&table->slots[i], memory_order_acquire);
        if (slot == 0)
            return 0;
        if (slot >> 32 == tag &&
            record_is(node_index_at(index, (uint32_t)slot), key))
            return (uint32_t)slot;
    }
}

static void
put_slot(struct node_table *table, uint64_t tag, uint32_t id)
{
    uint64_t i = tag & table->mask;

    while (atomic_load_explicit(&table->slots[i], memory_order_relaxed) != 0)
        i = (i + 1) & table->mask;
    atomic_store_explicit(&table->slots[i], tag << 32 | id,
                          memory_order_release);
}

static struct node_table *
table_new(uint64_t len, struct node_table *older)
{
    struct node_table *table =
        calloc(1, sizeof(*table) + len * sizeof(table->slots[0]));

    if (table) {
        table->mask = len - 1;
        table->older = older;
    }
    return table;
}

/* Doubles the table.  Without memory for that the old one serves on. */
static void
grow_table(struct node_index *index)
{
    struct node_table *old =
        atomic_load_explicit(&index->table, memory_order_relaxed);
    struct node_table *table = table_new(2 * (old->mask + 1), old);

    if (!table)
        return;
    for (uint64_t i = 0; i <= old->mask; i++) {
        uint64_t slot =
            atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (slot)
            put_slot(table, slot >> 32, (uint32_t)slot);
    }
    atomic_store_explicit(&index->table, table, memory_order_release);
}

/* Sees to it that there are chunks for |len| records. */
static bool
grow_chunks(struct node_index *index, uint64_t len)
{
    uint64_t have = 0;

    for (unsigned k = 0; k < NODE_CHUNKS && have < len; k++) {
        size_t size = (size_t)NODE_CHUNK_FIRST << k;
        have += size;
        if (atomic_load_explicit(&index->chunks[k], memory_order_relaxed))
            continue;
        struct node_record *chunk = calloc(size, sizeof(*chunk));
        if (!chunk)
            return false;
        atomic_store_explicit(&index->chunks[k], chunk, memory_order_release);
    }
    return have >= len;
}

bool
node_index_has_room(struct node_index *index)
{
    uint64_t len = (uint64_t)index->len + 1 + NODE_RESERVE;

    if (!grow_chunks(index, len))
        return false;
    if (2 * len > index->table->mask + 1)
        grow_table(index);
    return len <= (index->table->mask + 1) / 8 * 7;
}

static const char *
keep(struct node_index *index, str bytes)
{
    struct node_block *block = index->blocks;

    if (bytes.len == 0)
        return "";
    if (!block || BLOCK_BYTES - block->used < bytes.len) {
        block = malloc(sizeof(*block));
        if (!block)
            return NULL;
        block->older = index->blocks;
        block->used = 0;
        index->blocks = block;
    }
    char *at = block->bytes + block->used;
    memcpy(at, bytes.ptr, bytes.len);
    block->used += bytes.len;
    return at;
}

uint32_t
node_index_add_static(struct node_index *index, const struct node_key *key,
                      uint8_t source)
{
    uint32_t id = index->len + 1;
    struct node_record *record = node_index_at(index, id);

    record->name = key->name.ptr;
    record->name_len = (uint16_t)key->name.len;
    record->env = key->env.ptr;
    record->env_len = (uint16_t)key->env.len;
    record->owner = key->owner;
    record->kind = (uint8_t)key->kind;
    atomic_store_explicit(&record->source, source, memory_order_relaxed);
    atomic_store_explicit(&index->len, id, memory_order_release);
    put_slot(index->table, key->hash >> 32, id);
    return id;
}

uint32_t
node_index_add(struct node_index *index, const struct node_key *key,
               uint8_t source)
{
    struct node_key kept = *key;

    if (!node_index_has_room(index))
        return 0;
    kept.name.ptr = keep(index, key->name);
    kept.env.ptr = keep(index, key->env);
    if (!kept.name.ptr || !kept.env.ptr)
        return 0;
    return node_index_add_static(index, &kept, source);
}

bool
node_index_init(struct node_index *index)
{
    *index = (struct node_index){.seed = hash_seed()};
    index->table = table_new(TABLE_FIRST, NULL);
    return index->table && node_index_has_room(index);
}

void
node_index_fini(struct node_index *index)
{
    for (unsigned k = 0; k < NODE_CHUNKS; k++)
        free(index->chunks[k]);
    for (struct node_table *table = index->table; table;) {
        struct node_table *older = table->older;
        free(table);
        table = older;
    }
    while (index->blocks) {
        struct node_block *older = index->blocks->older;
        free(index->blocks);
        index->blocks = older;
    }
}
