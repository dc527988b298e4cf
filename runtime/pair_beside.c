/*
 * Whoever comes last finds the other.  The marks of the parent keep those from
 * looking that have nobody to find, which are nearly all.  A driver that finds
 * another one of the same peer need not look on: that one has.
 */
#include "runtime/pair_beside.h"

#include "runtime/pair_join.h"
#include "runtime/pair_links.h"

enum { SIBLINGS_MAX = 256 };

static bool
is_same_peer(const struct pair *pair, uint32_t id, uint32_t other)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_entry *beside = pair_at(&pair->table, other);

    return pair_asks(beside) && beside->service == entry->service &&
           ((beside->flags ^ entry->flags) & PAIR_DB) == 0 &&
           pair_facts(&pair->table, other)->peer ==
               pair_facts(&pair->table, id)->peer;
}

static void
look_beside(struct pair *pair, uint32_t child)
{
    const struct pair_table *table = &pair->table;
    const struct pair_entry *entry = pair_at(table, child);
    bool is_above = entry->flags & PAIR_ABOVE;
    uint32_t id = pair_live(table, entry->next);

    for (int n = 0; id && n < SIBLINGS_MAX; n++) {
        const struct pair_entry *beside = pair_at(table, id);
        if (is_same_peer(pair, child, id)) {
            bool by_driver = !(beside->flags & PAIR_ABOVE);
            if (is_above && by_driver)
                pair_answer(pair, child);
            if (by_driver)
                return;
            if (!is_above)
                pair_answer(pair, id);
        }
        id = pair_live(table, beside->next);
    }
}

void
pair_stand_beside(struct pair *pair, uint32_t child, uint32_t parent)
{
    const struct pair_entry *entry = pair_at(&pair->table, child);
    struct pair_entry *above = pair_at(&pair->table, parent);
    bool is_above = entry->flags & PAIR_ABOVE;
    uint32_t awaited = is_above ? PAIR_HAS_DRIVER : PAIR_HAS_ABOVE;

    above->flags |= is_above ? PAIR_HAS_ABOVE : PAIR_HAS_DRIVER;
    if (above->flags & awaited)
        look_beside(pair, child);
}

/* The entry is of no span: its span id is 0, as that of markers (pair_links.h),
 * of which none is harmed where it has the same trace. */
void
pair_stand_alone(struct pair *pair, uint32_t id)
{
    const struct pair_index *index = &pair->table.index;
    const struct pair_entry *entry = pair_at(&pair->table, id);
    struct pair_key key = {
        .trace_hi = UINT64_MAX,
        .trace_lo =
            (uint64_t)entry->service << 32 | pair_facts(&pair->table, id)->peer,
    };

    if (entry->flags & PAIR_SYNTHETIC)
        return;
    uint32_t above = pair_find_or_await(
        pair, key, pair_hash(index, key.trace_lo, key.span_id), false);
    if (!above)
        return;
    pair_await(pair, id, above);
    pair_stand_beside(pair, id, above);
}
