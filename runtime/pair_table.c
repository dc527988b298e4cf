/*
 * Slots are gone through in a ring, which would touch all of its memory in
 * time, whatever few spans are held.  So pages follow the spans: when a chunk
 * of slots has been left, its pages are kept, and moved to where the next chunk
 * begins; that is a matter of page tables, a thousandth of what fresh pages
 * cost.  Only a few are kept, so memory falls after a rush.  A kernel that
 * cannot move them (before 5.7) gives fresh ones.
 */
#include "runtime/pair_table.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/pair_order.h"
#include "runtime/pair_pool.h"

enum {
    CHUNK_SHIFT = 14,  /* 16 Ki entries */
    CHUNKS_MIN = 8,    /* so that what is kept of few spans is little, too */
    CHUNKS_MAX = 2048, /* of spans, so of slots twice as many: each becomes two
                          mappings, of which a process may have 65530 */
    SPANS_PER_LINK = 4,
    LINKS_MIN = 4096,
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
    return 2 * (size_t)table->ids.span;
}

/* Ends that are neither full nor empty take a chunk more. */
static uint32_t
slots_for(uint32_t max_spans, uint32_t chunk_len)
{
    uint32_t slots = 1;

    assert(max_spans <= PAIR_SLOTS_MAX - 2 * chunk_len);
    while (slots < max_spans + 2 * chunk_len)
        slots *= 2;
    return slots;
}

/* As many ids as there are, 0 being none, and the index has room for. */
static uint32_t
pool_cap_for(uint32_t max_spans, uint32_t slots)
{
    uint32_t cap = max_spans + max_spans / 2;

    return cap < slots ? cap : slots - 1;
}

static bool
are_pages(uint32_t chunk_len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return chunk_len * sizeof(struct pair_entry) % page == 0 &&
           chunk_len * sizeof(struct pair_facts) % page == 0;
}

enum err
pair_table_init(struct pair_table *table, uint32_t max_spans)
{
    uint32_t shift = CHUNK_SHIFT;

    assert(max_spans >= 1);
    while (shift > 0 && max_spans >> shift < CHUNKS_MIN)
        shift--;
    while (max_spans >> shift > CHUNKS_MAX)
        shift++;
    *table = (struct pair_table){
        .max_spans = max_spans,
        .chunk_shift = shift,
        .moves = are_pages(UINT32_C(1) << shift),
        .pool_next = 1,
        .link_cap = max_spans / SPANS_PER_LINK + LINKS_MIN,
        .link_next = 1,
    };
    pair_ids_init(&table->ids, slots_for(max_spans, UINT32_C(1) << shift));
    table->pool_cap = pool_cap_for(max_spans, table->ids.span);
    table->entries = reserve(entries_len(table), sizeof(*table->entries));
    table->facts = reserve(entries_len(table), sizeof(*table->facts));
    table->links = reserve(table->link_cap, sizeof(*table->links));
    if (!table->entries || !table->facts || !table->links)
        return ERR_NOMEM;
    /* Entry 0 is none, and memory is asked for ahead of time all the same: that
     * is slow where there is no page. */
    table->entries[0] = (struct pair_entry){0};
    table->facts[0] = (struct pair_facts){0};
    if (pair_index_init(&table->index, max_spans, &table->ids, table->entries))
        return ERR_NOMEM;
    return OK;
}

void
pair_table_fini(struct pair_table *table)
{
    release(table->entries, entries_len(table), sizeof(*table->entries));
    release(table->facts, entries_len(table), sizeof(*table->facts));
    pair_index_fini(&table->index);
    release(table->links, table->link_cap, sizeof(*table->links));
}

/* ---- entries in order ---- */

static void *
chunk_of(const struct pair_table *table, void *base, size_t size,
         uint32_t chunk)
{
    size_t first = table->ids.span + ((size_t)chunk << table->chunk_shift);

    return (char *)base + first * size;
}

static uint32_t
chunk_at(const struct pair_table *table, uint64_t position)
{
    return (uint32_t)(position & (table->ids.span - 1)) >> table->chunk_shift;
}

static void
move(const struct pair_table *table, void *base, size_t size,
     const uint32_t chunk[2])
{
    size_t len = size << table->chunk_shift;
    void *from = chunk_of(table, base, size, chunk[0]);
    void *to = chunk_of(table, base, size, chunk[1]);
    void *moved = mremap(from, len, len,
                         MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to);

    if (moved != MAP_FAILED)
        return;
    (void)madvise(from, len, MADV_DONTNEED);
    /* Some failures come after what was there has been unmapped. */
    (void)mmap(to, len, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                   MAP_FIXED_NOREPLACE,
               -1, 0);
}

static uint32_t
take_warm(struct pair_table *table, uint32_t at)
{
    uint32_t chunk = table->warm[at];

    table->warm_len--;
    for (uint32_t i = at; i < table->warm_len; i++)
        table->warm[i] = table->warm[i + 1];
    return chunk;
}

/* The chunk at the head has no pages unless it is a warm one. */
void
pair_table_open_chunk(struct pair_table *table)
{
    uint32_t chunk[2] = {0, chunk_at(table, table->head)};

    for (uint32_t i = 0; i < table->warm_len; i++) {
        if (table->warm[i] == chunk[1]) {
            (void)take_warm(table, i);
            return;
        }
    }
    if (table->warm_len == 0)
        return;
    chunk[0] = take_warm(table, table->warm_len - 1);
    move(table, table->entries, sizeof(*table->entries), chunk);
    move(table, table->facts, sizeof(*table->facts), chunk);
}

static void
cool(const struct pair_table *table, void *base, size_t size, uint32_t chunk)
{
    (void)madvise(chunk_of(table, base, size, chunk),
                  size << table->chunk_shift, MADV_DONTNEED);
}

void
pair_table_close_chunk(struct pair_table *table, uint64_t position)
{
    if (!table->moves)
        return;
    table->warm[table->warm_len++] = chunk_at(table, position);
    if (table->warm_len <= PAIR_WARM_CHUNKS)
        return;
    uint32_t chunk = take_warm(table, 0);
    cool(table, table->entries, sizeof(*table->entries), chunk);
    cool(table, table->facts, sizeof(*table->facts), chunk);
}
