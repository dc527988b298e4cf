/*
 * Chunks keep the memory of a quiet service small: a ring of max_spans entries
 * would touch all of it in time.  `order` says which chunk holds which
 * positions; a chunk whose entries are all forgotten goes on the stack of free
 * ones and is the next to be used.  Of free chunks only a few keep their
 * pages, so memory falls after a rush.
 */
#include "runtime/pair_table.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    CHUNK_SHIFT_MAX = 14, /* 16 Ki entries */
    CHUNKS_MIN = 8,       /* so that the oldest of few spans are few, too */
    SPANS_PER_LINK = 4,
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
    table->links = reserve(table->link_cap, sizeof(*table->links));
    table->order =
        reserve((size_t)table->order_mask + 1, sizeof(*table->order));
    table->free_chunks = reserve(table->chunk_cap, sizeof(*table->free_chunks));
    if (!table->entries || !table->facts || !table->links || !table->order ||
        !table->free_chunks)
        return ERR_NOMEM;
    /* Entry 0 is none, and memory is asked for ahead of time all the same: that
     * is slow where there is no page. */
    table->entries[0] = (struct pair_entry){0};
    table->facts[0] = (struct pair_facts){0};
    if (pair_index_init(&table->index, max_spans, table->entries))
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
    pair_index_fini(&table->index);
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
pair_table_push_far(struct pair_table *table)
{
    uint64_t number = table->head >> table->chunk_shift;

    assert(table->free_len > 0);
    table->order[number & table->order_mask] =
        table->free_chunks[--table->free_len];
    table->pushed = pair_table_id(table, table->head++);
    return table->pushed;
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

/* The chunk before the tail is empty. */
void
pair_table_give_chunk(struct pair_table *table)
{
    uint64_t number = (table->tail - 1) >> table->chunk_shift;

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
    pair_at(table, id)->span_id = 0; /* nobody's (pair_index_is) */
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
