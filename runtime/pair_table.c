/*
 * Chunks keep the memory of a quiet service small: a ring of max_spans entries
 * would touch all of it in time.  `order` says which chunk holds which
 * positions; a chunk whose entries are all forgotten goes on the stack of free
 * ones and is the next to be used.  Of free chunks only a few keep their
 * pages, so memory falls after a rush.
 *
 * The index is an array of 64-byte buckets of ten tags and ids.  A key whose
 * bucket is full goes to the next one, and every full bucket it passed counts
 * it; a search ends at a bucket nobody passed.  Taking a key out undoes the
 * counts, so there are no tombstones and nothing is ever rebuilt.  It is sized
 * for 70 % at max_spans.
 */
#include "runtime/pair_table.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    CHUNK_SHIFT_MAX = 14, /* 16 Ki entries */
    CHUNKS_MIN = 8,       /* so that the oldest of few spans are few, too */
    BUCKET_FILL = 7,      /* of PAIR_BUCKET_LEN */
    SPANS_PER_LINK = 8,
    LINKS_MIN = 4096,
    WARM_CHUNKS = 4,
};

/* Pages come zeroed, when they are touched. */
static void *
reserve(size_t len, size_t size)
{
    void *ptr = mmap(NULL, len * size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return ptr == MAP_FAILED ? NULL : ptr;
}

static void
release(void *ptr, size_t len, size_t size)
{
    if (ptr)
        (void)munmap(ptr, len * size);
}

static size_t
entries_len(const struct pair_table *table)
{
    return table->first + ((size_t)table->chunk_cap << table->chunk_shift);
}

enum err
pair_table_init(struct pair_table *table, uint32_t max_spans)
{
    uint32_t shift = CHUNK_SHIFT_MAX;

    assert(max_spans >= 1 && max_spans <= UINT32_C(1) << 30);
    while (shift > 0 && max_spans >> shift < CHUNKS_MIN)
        shift--;
    *table = (struct pair_table){
        .seed = hash_seed(),
        .bucket_len = max_spans / BUCKET_FILL + 1,
        .max_spans = max_spans,
        .chunk_shift = shift,
        /* One more for the ends that are neither full nor empty. */
        .chunk_cap = (max_spans >> shift) + 2,
        .first = max_spans + 1,
        .pool_next = 1,
        .link_cap = max_spans / SPANS_PER_LINK + LINKS_MIN,
        .link_next = 1,
    };
    while (table->order_mask + 1 < table->chunk_cap)
        table->order_mask = 2 * table->order_mask + 1;
    table->entries = reserve(entries_len(table), sizeof(*table->entries));
    table->facts = reserve(entries_len(table), sizeof(*table->facts));
    table->buckets = reserve(table->bucket_len, sizeof(*table->buckets));
    table->links = reserve(table->link_cap, sizeof(*table->links));
    table->order =
        reserve((size_t)table->order_mask + 1, sizeof(*table->order));
    table->free_chunks = reserve(table->chunk_cap, sizeof(*table->free_chunks));
    if (!table->entries || !table->facts || !table->buckets || !table->links ||
        !table->order || !table->free_chunks)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < table->chunk_cap; i++)
        table->free_chunks[i] = table->chunk_cap - 1 - i;
    table->free_len = table->chunk_cap;
    return OK;
}

void
pair_table_fini(struct pair_table *table)
{
    release(table->entries, entries_len(table), sizeof(*table->entries));
    release(table->facts, entries_len(table), sizeof(*table->facts));
    release(table->buckets, table->bucket_len, sizeof(*table->buckets));
    release(table->links, table->link_cap, sizeof(*table->links));
    release(table->order, (size_t)table->order_mask + 1, sizeof(*table->order));
    release(table->free_chunks, table->chunk_cap, sizeof(*table->free_chunks));
}

/* ---- entries in order ---- */

static uint32_t
chunk_first(const struct pair_table *table, uint32_t chunk)
{
    return table->first + (chunk << table->chunk_shift);
}

uint32_t
pair_table_push(struct pair_table *table)
{
    uint64_t mask = (UINT64_C(1) << table->chunk_shift) - 1;

    assert(table->head - table->tail < table->max_spans);
    if ((table->head & mask) == 0) {
        uint64_t number = table->head >> table->chunk_shift;
        assert(table->free_len > 0);
        table->order[number & table->order_mask] =
            table->free_chunks[--table->free_len];
    }
    uint32_t id = pair_table_id(table, table->head++);
    *pair_at(table, id) = (struct pair_entry){0};
    *pair_facts(table, id) = (struct pair_facts){0};
    return id;
}

/* Gives the pages of |len| bytes back; those at the ends may belong to others,
 * too. */
static void
give_back(char *base, size_t from, size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t start = (from + page - 1) / page * page;
    size_t end = (from + len) / page * page;

    if (start < end)
        (void)madvise(base + start, end - start, MADV_DONTNEED);
}

/* Of the free chunks those that are used next keep their pages. */
static void
cool_chunk(struct pair_table *table)
{
    size_t len = (size_t)1 << table->chunk_shift;

    if (table->free_len <= WARM_CHUNKS)
        return;
    size_t first = chunk_first(
        table, table->free_chunks[table->free_len - 1 - WARM_CHUNKS]);
    give_back((char *)table->entries, first * sizeof(*table->entries),
              len * sizeof(*table->entries));
    give_back((char *)table->facts, first * sizeof(*table->facts),
              len * sizeof(*table->facts));
}

void
pair_table_pop(struct pair_table *table)
{
    uint64_t mask = (UINT64_C(1) << table->chunk_shift) - 1;
    uint64_t number = table->tail >> table->chunk_shift;

    assert(table->tail < table->head);
    table->tail++;
    if ((table->tail & mask) != 0)
        return;
    table->free_chunks[table->free_len++] =
        table->order[number & table->order_mask];
    cool_chunk(table);
}

uint64_t
pair_table_chunk_end(const struct pair_table *table)
{
    uint64_t end = ((table->tail >> table->chunk_shift) + 1)
                   << table->chunk_shift;

    return end < table->head ? end : table->head;
}

/* ---- pool, links ---- */

uint32_t
pair_pool_take(struct pair_table *table)
{
    uint32_t id = table->pool_free;

    if (pair_table_live(table) + table->pool_used >= table->max_spans)
        return 0;
    if (id != 0) {
        table->pool_free = pair_at(table, id)->next;
        pair_prefetch(table, table->pool_free);
    } else {
        id = table->pool_next++;
    }
    table->pool_used++;
    *pair_at(table, id) = (struct pair_entry){0};
    return id;
}

void
pair_pool_give(struct pair_table *table, uint32_t id)
{
    pair_at(table, id)->next = table->pool_free;
    table->pool_free = id;
    table->pool_used--;
}

uint32_t
pair_link_take(struct pair_table *table)
{
    uint32_t id = table->link_free;

    if (id != 0)
        table->link_free = pair_link_at(table, id)->next_out;
    else if (table->link_next < table->link_cap)
        id = table->link_next++;
    else
        return 0;
    table->link_used++;
    *pair_link_at(table, id) = (struct pair_link){0};
    return id;
}

void
pair_link_give(struct pair_table *table, uint32_t id)
{
    pair_link_at(table, id)->next_out = table->link_free;
    table->link_free = id;
    table->link_used--;
}

/* ---- index ---- */

static uint16_t
tag_of(uint64_t hash)
{
    uint16_t tag = (uint16_t)(hash >> 48);

    return tag ? tag : 1;
}

static struct pair_bucket *
next_bucket(const struct pair_table *table, struct pair_bucket *bucket)
{
    return bucket + 1 < table->buckets + table->bucket_len ? bucket + 1
                                                           : table->buckets;
}

/* The slots that hold |tag|, a bit each. */
static uint32_t
match(const struct pair_bucket *bucket, uint16_t tag)
{
#ifdef __SSE2__
    __m128i tags = _mm_loadu_si128((const __m128i *)(const void *)bucket->tag);
    __m128i same = _mm_cmpeq_epi16(tags, _mm_set1_epi16((short)tag));
    uint32_t mask =
        (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(same, _mm_setzero_si128()));
    uint32_t from = 8;
#else
    uint32_t mask = 0;
    uint32_t from = 0;
#endif

    for (uint32_t i = from; i < PAIR_BUCKET_LEN; i++)
        mask |= (uint32_t)(bucket->tag[i] == tag) << i;
    return mask;
}

static bool
is_key(const struct pair_entry *entry, struct pair_key key)
{
    return entry->span_id == key.span_id && entry->trace_lo == key.trace_lo &&
           (entry->trace_hi == key.trace_hi || entry->trace_hi == 0 ||
            key.trace_hi == 0);
}

uint32_t *
pair_index_find(const struct pair_table *table, uint64_t hash,
                struct pair_key key)
{
    struct pair_bucket *bucket = pair_index_home(table, hash);
    uint16_t tag = tag_of(hash);

    for (uint32_t n = 0; n < table->bucket_len; n++) {
        for (uint32_t mask = match(bucket, tag); mask; mask &= mask - 1) {
            uint32_t *id = &bucket->id[__builtin_ctz(mask)];
            if (is_key(pair_at(table, *id), key))
                return id;
        }
        if (bucket->overflow == 0)
            return NULL;
        bucket = next_bucket(table, bucket);
    }
    return NULL;
}

uint32_t
pair_index_peek(const struct pair_table *table, uint64_t hash)
{
    struct pair_bucket *bucket = pair_index_home(table, hash);
    uint32_t mask = match(bucket, tag_of(hash));

    if (!mask && bucket->overflow) {
        bucket = next_bucket(table, bucket);
        mask = match(bucket, tag_of(hash));
    }
    return mask ? bucket->id[__builtin_ctz(mask)] : 0;
}

void
pair_index_add(struct pair_table *table, uint64_t hash, uint32_t id)
{
    struct pair_bucket *bucket = pair_index_home(table, hash);
    uint32_t mask;

    /* Ends: there are more slots than entries. */
    while (!(mask = match(bucket, 0))) {
        if (bucket->overflow < UINT16_MAX)
            bucket->overflow++;
        bucket = next_bucket(table, bucket);
    }
    int slot = __builtin_ctz(mask);
    bucket->tag[slot] = tag_of(hash);
    bucket->id[slot] = id;
}

uint32_t *
pair_index_slot(const struct pair_table *table, uint64_t hash, uint32_t id)
{
    struct pair_bucket *bucket = pair_index_home(table, hash);

    for (uint32_t n = 0; n < table->bucket_len; n++) {
        uint32_t mask = match(bucket, tag_of(hash));
        for (; mask; mask &= mask - 1) {
            uint32_t *slot = &bucket->id[__builtin_ctz(mask)];
            if (*slot == id)
                return slot;
        }
        bucket = next_bucket(table, bucket);
    }
    assert(!"an entry that is held is in the index");
    return NULL;
}

void
pair_index_remove(struct pair_table *table, uint64_t hash, uint32_t id)
{
    uint32_t *slot = pair_index_slot(table, hash, id);
    struct pair_bucket *bucket = pair_index_home(table, hash);

    if (!slot)
        return;
    /* A count that was once full no longer knows how many went past. */
    while (slot < bucket->id || slot >= bucket->id + PAIR_BUCKET_LEN) {
        if (bucket->overflow < UINT16_MAX)
            bucket->overflow--;
        bucket = next_bucket(table, bucket);
    }
    bucket->tag[slot - bucket->id] = 0;
    *slot = 0;
}
