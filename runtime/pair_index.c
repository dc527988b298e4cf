/*
 * The index is an array of 64-byte buckets of twelve tags and ids.  A key whose
 * bucket is full goes to the next one, and every full bucket it passed counts
 * it; a search ends at a bucket nobody passed.  Taking a key out undoes the
 * counts, so there are no tombstones and nothing is ever rebuilt.  A span that
 * is gone stays in its bucket until that is full, which spares the bucket's
 * line when it is forgotten; only one that passed a bucket is counted, and so
 * has to be taken out.  It is sized
 * for one third at max_spans: at two thirds one bucket in ten has been passed,
 * the line behind it is one that nobody has asked for, and a whole request took
 * 14 % longer (docs/performance.md).
 *
 * A large index is one of huge pages: nearly every look-up is in another page,
 * and a processor that has to find out first where that is cannot fetch ahead.
 * All of its pages are soon touched, so it has the size of what is held and not
 * of what may be.  Growing puts in all entries anew: a millisecond at first,
 * some 50 at a million entries, once a rush.
 */
#include "runtime/pair_index.h"

#include <assert.h>
#include <sys/mman.h>

#include "runtime/pair_place.h"

enum { BUCKET_FILL = 4 /* of PAIR_BUCKET_LEN */, GROWTH = 4 };

static struct pair_bucket *
reserve(uint32_t len)
{
    void *ptr =
        mmap(NULL, len * sizeof(struct pair_bucket), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return ptr == MAP_FAILED ? NULL : ptr;
}

static void
set_len(struct pair_index *index, uint32_t len)
{
    index->bucket_len = len;
    index->grow_at = len < index->full_len ? len * BUCKET_FILL : UINT32_MAX;
}

enum err
pair_index_init(struct pair_index *index, uint32_t cap,
                const struct pair_ids *ids, struct pair_entry *entries)
{
    uint32_t full_len = cap / BUCKET_FILL + 1;
    uint32_t small_len = PAIR_INDEX_SMALL / BUCKET_FILL;

    *index = (struct pair_index){
        .ids = ids,
        .entries = entries,
        .seed = {hash_seed(), hash_seed()},
        .small_len = small_len < full_len ? small_len : full_len,
        .full_len = full_len,
    };
    index->small = reserve(index->small_len);
    index->buckets = index->small;
    set_len(index, index->small_len);
    for (int i = 0; i < 2; i++) {
        index->large[i] = reserve(full_len);
        if (!index->large[i])
            return ERR_NOMEM;
        /* Only makes it faster. */
        (void)madvise(index->large[i], full_len * sizeof(*index->buckets),
                      MADV_HUGEPAGE);
    }
    return index->small ? OK : ERR_NOMEM;
}

void
pair_index_fini(struct pair_index *index)
{
    if (index->small)
        (void)munmap(index->small, index->small_len * sizeof(*index->small));
    for (int i = 0; i < 2; i++)
        if (index->large[i])
            (void)munmap(index->large[i],
                         index->full_len * sizeof(*index->buckets));
}

static struct pair_bucket *
next_bucket(const struct pair_index *index, struct pair_bucket *bucket)
{
    return bucket + 1 < index->buckets + index->bucket_len ? bucket + 1
                                                           : index->buckets;
}

static struct pair_entry *
entry_at(const struct pair_index *index, uint32_t id)
{
    return &index->entries[id & index->ids->mask];
}

/* The same span but for the high halves of the trace ids.  A half of zeros
 * matches any: a 64-bit id, padded. */
static bool
is_near(const struct pair_entry *entry, struct pair_key key)
{
    return entry->span_id == key.span_id && entry->trace_lo == key.trace_lo;
}

static bool
is_key(const struct pair_entry *entry, struct pair_key key)
{
    return entry->trace_hi == key.trace_hi || entry->trace_hi == 0 ||
           key.trace_hi == 0;
}

/*
 * Ids that differ in the high half alone share a hash.  Random ids never do; a
 * sender that makes them up could build one endless chain, so beyond
 * PAIR_CROWD_MAX they are taken for one.
 */
uint32_t *
pair_index_find(const struct pair_index *index, uint64_t hash,
                struct pair_key key)
{
    struct pair_bucket *bucket = pair_index_home(index, hash);
    uint8_t tag = pair_bucket_tag(hash);
    uint32_t crowd = 0;

    for (uint32_t n = 0; n < index->bucket_len; n++) {
        for (uint32_t mask = pair_bucket_match(bucket, tag); mask;
             mask &= mask - 1) {
            uint32_t *id = &bucket->id[__builtin_ctz(mask)];
            if (pair_ids_is_gone(index->ids, *id))
                continue;
            const struct pair_entry *entry = entry_at(index, *id);
            if (is_near(entry, key) &&
                (is_key(entry, key) || ++crowd == PAIR_CROWD_MAX))
                return id;
        }
        if (bucket->overflow == 0)
            return NULL;
        bucket = next_bucket(index, bucket);
    }
    return NULL;
}

/* Empties the places of those that are gone, without branches: which they are
 * nobody can predict.  Returns these places, a bit each: who read the tags that
 * were just written, all at once, would wait until they are in the cache. */
static uint32_t
sweep(const struct pair_index *index, struct pair_bucket *bucket)
{
    uint32_t gone = 0;

    for (uint32_t i = 0; i < PAIR_BUCKET_LEN; i++) {
        uint32_t is_gone = pair_ids_is_gone(index->ids, bucket->id[i]);
        bucket->tag[i] &= (uint8_t)(is_gone - 1);
        gone |= is_gone << i;
    }
    return gone;
}

/* True: it went past a full bucket. */
static bool
put(const struct pair_index *index, uint64_t hash, uint32_t id)
{
    struct pair_bucket *home = pair_index_home(index, hash);
    struct pair_bucket *bucket = home;
    uint32_t mask;

    /* Ends: there are more slots than entries. */
    while (!(mask = pair_bucket_match(bucket, 0)) &&
           !(mask = sweep(index, bucket))) {
        if (bucket->overflow < UINT16_MAX)
            bucket->overflow++;
        bucket = next_bucket(index, bucket);
    }
    int slot = __builtin_ctz(mask);
    bucket->tag[slot] = pair_bucket_tag(hash);
    bucket->id[slot] = id;
    return bucket != home;
}

bool
pair_index_add_far(struct pair_index *index, uint64_t hash, uint32_t id)
{
    struct pair_entry *entry = entry_at(index, id);
    bool has_passed = put(index, hash, id);

    entry->flags &= ~PAIR_PASSED;
    entry->flags |= has_passed ? PAIR_PASSED : 0;
    return has_passed;
}

static void
move_bucket(struct pair_index *index, const struct pair_bucket *bucket)
{
    for (int i = 0; i < PAIR_BUCKET_LEN; i++) {
        uint32_t id = bucket->id[i];
        if (!bucket->tag[i] || pair_ids_is_gone(index->ids, id))
            continue;
        const struct pair_entry *entry = entry_at(index, id);
        (void)pair_index_add_far(
            index, pair_hash(index, entry->trace_lo, entry->span_id), id);
    }
}

void
pair_index_grow(struct pair_index *index)
{
    struct pair_bucket *old = index->buckets;
    uint32_t old_len = index->bucket_len;

    index->buckets = index->large[old == index->large[0]];
    set_len(index, old_len < index->full_len / GROWTH ? old_len * GROWTH
                                                      : index->full_len);
    for (uint32_t i = 0; i < old_len; i++)
        move_bucket(index, &old[i]);
    (void)madvise(old, old_len * sizeof(*old), MADV_DONTNEED);
}

/* What is in it is gone, so its pages can go as they are. */
void
pair_index_clear(struct pair_index *index)
{
    if (index->buckets == index->small)
        return;
    (void)madvise(index->buckets, index->bucket_len * sizeof(*index->buckets),
                  MADV_DONTNEED);
    index->buckets = index->small;
    set_len(index, index->small_len);
}

uint32_t *
pair_index_slot(const struct pair_index *index, uint64_t hash, uint32_t id)
{
    struct pair_bucket *bucket = pair_index_home(index, hash);

    for (uint32_t n = 0; n < index->bucket_len; n++) {
        uint32_t mask = pair_bucket_match(bucket, pair_bucket_tag(hash));
        for (; mask; mask &= mask - 1) {
            uint32_t *slot = &bucket->id[__builtin_ctz(mask)];
            if (*slot == id)
                return slot;
        }
        bucket = next_bucket(index, bucket);
    }
    assert(!"an entry that is held is in the index");
    return NULL;
}

bool
pair_index_is_home(const struct pair_index *index, uint64_t hash,
                   const uint32_t *slot)
{
    const struct pair_bucket *bucket = pair_index_home(index, hash);

    return slot >= bucket->id && slot < bucket->id + PAIR_BUCKET_LEN;
}

void
pair_index_remove(struct pair_index *index, uint64_t hash, uint32_t id)
{
    struct pair_bucket *bucket = pair_index_home(index, hash);
    uint32_t mask = pair_bucket_match(bucket, pair_bucket_tag(hash));
    uint32_t *slot = &bucket->id[__builtin_ctz(mask | 1)];

    if (*slot != id || !mask) {
        slot = pair_index_slot(index, hash, id);
        if (!slot)
            return;
    }
    /* A count that was once full no longer knows how many went past. */
    while (slot < bucket->id || slot >= bucket->id + PAIR_BUCKET_LEN) {
        if (bucket->overflow < UINT16_MAX)
            bucket->overflow--;
        bucket = next_bucket(index, bucket);
    }
    bucket->tag[slot - bucket->id] = 0;
    *slot = 0;
}
