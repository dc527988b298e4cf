/*
 * While a group of spans is tied to its parents those of the next group are
 * asked for: what is asked for and needed at once is waited for all the same.
 */
#include "runtime/pair_ahead.h"
#include "runtime/pair_beside.h"
#include "runtime/pair_join.h"
#include "runtime/pair_links.h"
#include "runtime/pair_message.h"
#include "runtime/pair_place.h"
#include "runtime/pair_stage.h"

enum {
    KIDS_AHEAD = 3,
    FAMILY = 4 * PAIR_GROUP,
};

/* ---- relate ---- */

/* Those of a group by what their parents are; the ends are those of lists. */
struct kin {
    struct pair_duo local[PAIR_GROUP];  /* of the same service, no ingress */
    struct pair_duo remote[PAIR_GROUP]; /* held, too */
    uint16_t missing[PAIR_GROUP]; /* not, or in the pool: place in a stage */
    uint32_t locals;
    uint32_t remotes;
    uint32_t missings;
};

/* Asks for what is pushed aside by one more child of |above|. */
PAIR_PREFETCH
prefetch_siblings(const struct pair_table *table, uint32_t above)
{
    const struct pair_entry *entry = pair_at(table, above);

    pair_prefetch(table, entry->kids);
    pair_prefetch(table, entry->reps);
    pair_prefetch_all(table, pair_facts(table, above)->holder);
}

static void
sort_out(const struct pair *pair, const struct pair_stage *stage, uint32_t at,
         uint32_t above, struct kin *kin)
{
    const struct stub *stub = &stage->stubs[stage->stub[at]];
    const struct pair_entry *parent = pair_at(&pair->table, above);
    struct pair_key key = {stub->trace_hi, stub->trace_lo, stub->parent_id};
    struct pair_duo duo = {stage->id[at], above};
    uint32_t has = pair_has_parent(stub);

    uint32_t is_held = pair_index_is(&pair->table.index, above, key);
    is_held &= (parent->flags & PAIR_POOLED) == 0;
    uint32_t is_local = (stub->flags & STUB_INGRESS) == 0;
    is_local &= stub->service == parent->service;
    kin->local[kin->locals] = duo;
    kin->locals += has & is_held & is_local;
    kin->remote[kin->remotes] = duo;
    kin->remotes += has & is_held & !is_local;
    kin->missing[kin->missings] = (uint16_t)at;
    kin->missings += has & !is_held;
}

void
pair_relate_one(struct pair *pair, uint32_t id, const struct stub *stub,
                uint64_t hash)
{
    struct pair_key key = {stub->trace_hi, stub->trace_lo, stub->parent_id};
    bool is_consumer = pair_at(&pair->table, id)->flags & PAIR_CONSUMER;
    uint32_t parent = pair_find_or_await(pair, key, hash, is_consumer);

    if (!parent)
        return;
    if (pair_at(&pair->table, parent)->flags & PAIR_POOLED)
        pair_await(pair, id, parent);
    else
        pair_join(pair, id, parent);
    pair_meet_parent(pair, id);
}

/* Asks for those that may be the parents of a group. */
PAIR_PREFETCH
look_up(const struct pair_table *table, const struct pair_stage *stage,
        uint32_t from, uint32_t *above)
{
    uint32_t len = stage->len - from;

    for (uint32_t i = 0; i < len && i < PAIR_GROUP; i++) {
        uint64_t hash = stage->above[stage->stub[from + i]];
        above[i] = pair_index_peek(&table->index, hash);
        pair_prefetch_all(table, above[i]);
    }
}

static void
relate(struct pair *pair, const struct pair_stage *stage, uint32_t from,
       const uint32_t *above)
{
    const struct pair_table *table = &pair->table;
    uint32_t len = stage->len - from;
    struct kin kin;

    len = len < PAIR_GROUP ? len : PAIR_GROUP;
    kin.locals = kin.remotes = kin.missings = 0;
    for (uint32_t i = 0; i < len; i++)
        prefetch_siblings(table, above[i]);
    for (uint32_t i = len; i-- > 0;)
        sort_out(pair, stage, from + i, above[i], &kin);
    for (uint32_t i = 0; i < kin.locals; i++)
        pair_join_new(pair, kin.local[i].id, kin.local[i].other);
    for (uint32_t i = 0; i < kin.remotes; i++)
        pair_join_new(pair, kin.remote[i].id, kin.remote[i].other);
    for (uint32_t i = 0; i < kin.missings; i++) {
        uint32_t at = stage->stub[kin.missing[i]];
        pair_relate_one(pair, stage->id[kin.missing[i]], &stage->stubs[at],
                        stage->above[at]);
    }
}

static void
relate_links(struct pair *pair, const struct pair_stage *stage)
{
    const uint32_t publishes = PAIR_PUBLISH | PAIR_CREATE;

    for (uint32_t i = 0; i < stage->linker_len; i++) {
        uint32_t at = stage->linker[i];
        uint32_t id = stage->id[at];
        const struct stub *stub = &stage->stubs[stage->stub[at]];
        uint32_t flags = pair_at(&pair->table, id)->flags;
        if (flags & PAIR_EGRESS && flags & publishes &&
            !(flags & PAIR_SYNTHETIC))
            pair_mark_publish(pair, id);
        if (pair_is_alone(stub))
            pair_stand_alone(pair, id);
        if (stub->link_len)
            pair_link_producers(pair, id, stub, &stage->links[stub->link_at]);
    }
}

void
pair_stage_relate(struct pair *pair, const struct pair_stage *stage)
{
    uint32_t above[2][PAIR_GROUP] = {{0}}; /* of this group and the next */
    uint32_t groups = (stage->len + PAIR_GROUP - 1) / PAIR_GROUP;

    if (groups > 0)
        look_up(&pair->table, stage, (groups - 1) * PAIR_GROUP,
                above[groups & 1]);
    for (uint32_t at = groups; at > 0; at--) {
        if (at > 1)
            look_up(&pair->table, stage, (at - 2) * PAIR_GROUP,
                    above[(at - 1) & 1]);
        relate(pair, stage, (at - 1) * PAIR_GROUP, above[at & 1]);
    }
    relate_links(pair, stage);
}

/* ---- inherit ---- */

/* Asks for |id| unless it came lately; if it did not, it is added to |ids|. */
static inline __attribute__((always_inline)) uint32_t
prefetch_old(const struct pair_table *table, uint32_t id, uint32_t *ids,
             uint32_t len)
{
    if (pair_live(table, id) == 0 || len == FAMILY ||
        pair_table_is_recent(table, id))
        return len;
    pair_prefetch_all(table, id);
    ids[len] = id;
    return len + 1;
}

/* Asks for the children of |absent|, who did not come yet, for their siblings
 * and for the children of those, a generation or a sibling a round. */
PAIR_PREFETCH
prefetch_kids(const struct pair_table *table, const struct pair_duo *heirs,
              uint32_t len)
{
    uint32_t ids[FAMILY];
    uint32_t end = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < len; i++)
        end =
            prefetch_old(table, pair_at(table, heirs[i].other)->kids, ids, end);
    for (int round = 0; round < KIDS_AHEAD; round++) {
        for (uint32_t stop = end; at < stop; at++) {
            const struct pair_entry *it = pair_at(table, ids[at]);
            pair_prefetch_all(table, it->reps);
            end = prefetch_old(table, it->next, ids, end);
            end = prefetch_old(table, it->kids, ids, end);
        }
    }
}

void
pair_stage_inherit(struct pair *pair, const struct pair_stage *stage)
{
    for (uint32_t from = 0; from < stage->heir_len; from += PAIR_GROUP) {
        const struct pair_duo *heirs = &stage->heir[from];
        uint32_t len = stage->heir_len - from;
        len = len < PAIR_GROUP ? len : PAIR_GROUP;
        prefetch_kids(&pair->table, heirs, len);
        for (uint32_t i = 0; i < len; i++)
            pair_take_kids(pair, heirs[i].id, heirs[i].other);
    }
}
