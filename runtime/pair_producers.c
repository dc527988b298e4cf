/*
 * A ring in order of arrival and an index into it, half full at most.  Its
 * memory is there for all that there may be, and used from the begin: an index
 * of many slots takes a page of memory for nearly every producer.
 *
 * Saved as
 *
 *     "sgprod" 0 format    8 bytes
 *     count                4
 *     records              48 each: key (hi, lo, span), weight, flags, until,
 *                          code, site, version
 *     checksum             8, XXH3-128 (low half) of all before
 *
 * in little-endian numbers.  Loading checks all of it before it adds any.
 * Format 1 had the service, which nobody needs, where the code is now.
 */
#include "runtime/pair_producers.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "base/coded.h"
#include "model/stub.h"

enum {
    MAGIC_LEN = 8,
    HEADER_LEN = MAGIC_LEN + 4,
    RECORD_LEN = 48,
    CHECKSUM_LEN = 8,
    FORMAT_WITHOUT_CODE = 1,
    FORMAT = 2,
    SLOTS_MIN = 1024,
};

static const char MAGIC[MAGIC_LEN] = {'s', 'g', 'p', 'r', 'o', 'd', 0, FORMAT};

static void *
reserve(size_t len, size_t size)
{
    void *ptr = mmap(NULL, len * size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return ptr == MAP_FAILED ? NULL : ptr;
}

enum err
pair_producers_init(struct pair_producers *set, uint32_t cap)
{
    uint32_t slots = 2;

    assert(cap >= 1 && cap <= UINT32_C(1) << 30);
    while (slots < 2 * cap)
        slots *= 2;
    *set = (struct pair_producers){
        .seed = {hash_seed(), hash_seed()},
        .cap = cap,
        .slots_max = slots,
        .places = {.mask = (slots < SLOTS_MIN ? slots : SLOTS_MIN) - 1},
    };
    set->ring = reserve(cap, sizeof(*set->ring));
    set->places.slots = reserve(slots, sizeof(struct place_slot));
    return set->ring && set->places.slots ? OK : ERR_NOMEM;
}

void
pair_producers_fini(struct pair_producers *set)
{
    if (set->ring)
        (void)munmap(set->ring, set->cap * sizeof(*set->ring));
    if (set->places.slots)
        (void)munmap(set->places.slots,
                     (size_t)set->slots_max * sizeof(struct place_slot));
}

/* ---- index ---- */

static uint32_t
hash_of(const struct pair_producers *set, struct pair_key key)
{
    return (uint32_t)(hash_mix(key.trace_lo ^ set->seed[0],
                               key.span_id ^ set->seed[1]) >>
                      32);
}

/* The same span but for the high halves of the trace ids. */
static bool
is_near(struct pair_key a, struct pair_key b)
{
    return a.span_id == b.span_id && a.trace_lo == b.trace_lo;
}

/* So are the high halves of two that are near; zeros are as any. */
static bool
is_same(struct pair_key a, struct pair_key b)
{
    return a.trace_hi == b.trace_hi || a.trace_hi == 0 || b.trace_hi == 0;
}

/* The one in |slot|, or NULL if that is empty. */
static struct pair_producer *
in_slot(const struct pair_producers *set, uint32_t slot)
{
    uint32_t place = set->places.slots[slot].place;

    return place ? &set->ring[place - 1] : NULL;
}

/*
 * The slot that holds |key|, or the empty one where the search ended.  Ids that
 * differ in the high half alone share a hash; as in pair_index_find they are
 * taken for one beyond PAIR_CROWD_MAX, so that no chain of them is longer.
 */
static uint32_t
find_slot(const struct pair_producers *set, struct pair_key key, uint32_t hash)
{
    uint32_t slot = places_seek(&set->places, hash, hash);
    const struct pair_producer *it;
    uint32_t crowd = 0;

    while ((it = in_slot(set, slot))) {
        if (is_near(it->key, key) &&
            (is_same(it->key, key) || ++crowd == PAIR_CROWD_MAX))
            break;
        slot = places_seek(&set->places, hash, slot + 1);
    }
    return slot;
}

static void
forget(struct pair_producers *set, uint32_t slot)
{
    struct pair_producer *producer = in_slot(set, slot);

    places_remove(&set->places, slot);
    producer->key.span_id = 0;
    set->used--;
}

static void
drop_oldest(struct pair_producers *set)
{
    uint32_t place = (uint32_t)(set->tail++ % set->cap);
    struct pair_key key = set->ring[place].key;

    if (key.span_id != 0)
        forget(set, places_slot(&set->places, hash_of(set, key), place));
    if (set->saved < set->tail)
        set->saved = set->tail;
}

/* Makes room in the index for one more. */
static void
fit(struct pair_producers *set)
{
    struct places *places = &set->places;
    uint32_t slots = places->mask + 1;

    if (set->used < slots / 2 || slots == set->slots_max)
        return;
    memset(places->slots, 0, slots * sizeof(*places->slots));
    places->mask = 2 * slots - 1;
    for (uint64_t i = set->tail; i < set->head; i++) {
        uint32_t place = (uint32_t)(i % set->cap);
        struct pair_key key = set->ring[place].key;
        if (key.span_id != 0)
            places_add(places, hash_of(set, key), place);
    }
}

/* ---- content ---- */

void
pair_producers_add(struct pair_producers *set,
                   const struct pair_producer *producer, uint32_t now_s)
{
    uint32_t hash = hash_of(set, producer->key);
    uint32_t slot = find_slot(set, producer->key, hash);
    const struct pair_producer *known;

    if (producer->until_s < now_s)
        return;
    /* The same again, from a replay that may have known less of it.  Half an
     * id may be that of several. */
    while (set->places.slots[slot].place != 0) {
        known = in_slot(set, slot);
        if (known->until_s >= producer->until_s)
            return;
        forget(set, slot);
        slot = find_slot(set, producer->key, hash);
    }
    if (set->head - set->tail == set->cap)
        drop_oldest(set);
    fit(set);

    uint32_t place = (uint32_t)(set->head++ % set->cap);
    set->ring[place] = *producer;
    places_add(&set->places, hash, place);
    set->used++;
}

void
pair_producers_ahead(const struct pair_producers *set, struct pair_key key)
{
    places_expect(&set->places, hash_of(set, key));
}

const struct pair_producer *
pair_producers_find(const struct pair_producers *set, struct pair_key key,
                    uint32_t now_s)
{
    uint32_t slot = find_slot(set, key, hash_of(set, key));
    const struct pair_producer *found = in_slot(set, slot);

    /* One of a crowd is no reason for an edge to another of it. */
    return found && found->until_s >= now_s && is_same(found->key, key) ? found
                                                                        : NULL;
}

void
pair_producers_expire(struct pair_producers *set, uint32_t now_s)
{
    while (set->tail < set->head) {
        const struct pair_producer *oldest = &set->ring[set->tail % set->cap];
        if (oldest->key.span_id != 0 && oldest->until_s >= now_s)
            break;
        drop_oldest(set);
    }
}

/* ---- bytes ---- */

static void
put_count(char *to, uint32_t count)
{
    uint32_t little = htole32(count);

    memcpy(to, &little, sizeof(little));
}

static uint64_t
get_number(const char *bytes, int len)
{
    uint64_t value = 0;

    for (int i = 0; i < len; i++)
        value |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return value;
}

static char *
put_producer(char *to, const struct pair_producer *producer)
{
    to = coded_put_u64(to, producer->key.trace_hi);
    to = coded_put_u64(to, producer->key.trace_lo);
    to = coded_put_u64(to, producer->key.span_id);
    to = coded_put_u64(to, (uint64_t)producer->weight |
                               (uint64_t)producer->flags << 53);
    to = coded_put_u64(to, producer->until_s | (uint64_t)producer->code << 32);
    return coded_put_u64(to,
                         producer->site | (uint64_t)producer->version << 32);
}

static bool
get_producer(const char *bytes, int format, struct pair_producer *out)
{
    uint64_t packed = get_number(bytes + 24, 8);
    uint64_t weight = packed & ((UINT64_C(1) << 53) - 1);

    *out = (struct pair_producer){
        .key = {get_number(bytes, 8), get_number(bytes + 8, 8),
                get_number(bytes + 16, 8)},
        .until_s = (uint32_t)get_number(bytes + 32, 4),
        .code = format == FORMAT_WITHOUT_CODE
                    ? 0
                    : (uint32_t)get_number(bytes + 36, 4),
        .site = (uint32_t)get_number(bytes + 40, 4),
        .version = (uint32_t)get_number(bytes + 44, 4),
    };
    if (out->key.span_id == 0 || weight == 0 || weight > WEIGHT_MAX ||
        packed >> 53 > PAIR_PRODUCER_FLAGS)
        return false;
    out->weight = weight & ((UINT64_C(1) << 53) - 1);
    out->flags = packed >> 53 & PAIR_PRODUCER_FLAGS;
    return true;
}

/* How many are to be saved. */
static uint32_t
unsaved(const struct pair_producers *set)
{
    uint32_t count = 0;

    for (uint64_t i = set->saved; i < set->head; i++)
        count += set->ring[i % set->cap].key.span_id != 0;
    return count;
}

uint32_t
pair_producers_save(struct pair_producers *set, struct buf *out,
                    uint32_t *until_s)
{
    uint32_t count = unsaved(set);
    size_t len = HEADER_LEN + (size_t)count * RECORD_LEN;

    *until_s = 0;
    if (count == 0) {
        set->saved = set->head;
        return 0;
    }
    char *begin = buf_grow(out, len + CHECKSUM_LEN);
    if (!begin)
        return 0; /* they come with the next */
    memcpy(begin, MAGIC, MAGIC_LEN);
    put_count(begin + MAGIC_LEN, count);
    char *to = begin + HEADER_LEN;
    for (; set->saved < set->head; set->saved++) {
        const struct pair_producer *it = &set->ring[set->saved % set->cap];
        if (it->key.span_id == 0)
            continue;
        to = put_producer(to, it);
        if (*until_s < it->until_s)
            *until_s = it->until_s;
    }
    coded_put_u64(to, hash_digest((str){begin, len}).lo);
    out->len += len + CHECKSUM_LEN;
    return count;
}

/* The number of records, or -1 if these are not such bytes. */
static int64_t
check(str bytes)
{
    struct pair_producer ignored;

    if (bytes.len < HEADER_LEN + CHECKSUM_LEN ||
        memcmp(bytes.ptr, MAGIC, MAGIC_LEN - 1) != 0)
        return -1;
    int format = (unsigned char)bytes.ptr[MAGIC_LEN - 1];
    if (format != FORMAT && format != FORMAT_WITHOUT_CODE)
        return -1;
    uint64_t count = get_number(bytes.ptr + MAGIC_LEN, 4);
    size_t body = bytes.len - CHECKSUM_LEN;
    if (body != HEADER_LEN + count * RECORD_LEN ||
        get_number(bytes.ptr + body, CHECKSUM_LEN) !=
            hash_digest(str_cut(bytes, 0, body)).lo)
        return -1;
    for (uint64_t i = 0; i < count; i++) {
        if (!get_producer(bytes.ptr + HEADER_LEN + i * RECORD_LEN, format,
                          &ignored))
            return -1;
    }
    return (int64_t)count;
}

enum err
pair_producers_load(struct pair_producers *set, str bytes, uint32_t now_s)
{
    int64_t count = check(bytes);
    bool was_saved = set->saved == set->head;
    struct pair_producer producer;

    if (count < 0)
        return ERR_CORRUPT;
    for (int64_t i = 0; i < count; i++) {
        if (get_producer(bytes.ptr + HEADER_LEN + i * RECORD_LEN,
                         bytes.ptr[MAGIC_LEN - 1], &producer))
            pair_producers_add(set, &producer, now_s);
    }
    if (was_saved)
        set->saved = set->head;
    return OK;
}
