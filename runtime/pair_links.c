/*
 * Every relation is a pair_link from the later span to the earlier one; the
 * one from a publish to its marker is one, too, so that a marker is held as
 * long as its publishes are.
 */
#include "runtime/pair_links.h"

#include "base/clock.h"
#include "runtime/pair_join.h"
#include "runtime/pair_message.h"
#include "runtime/pair_place.h"
#include "runtime/pair_pool.h"
#include "runtime/pair_rules.h"

static uint64_t
hash_of(const struct pair *pair, struct pair_key key)
{
    return pair_hash(&pair->table.index, key.trace_lo, key.span_id);
}

static uint32_t
now_s(const struct pair *pair)
{
    return (uint32_t)(pair->now_ns / NS_PER_S);
}

/* ---- whom they link to ---- */

/* Makes |entry| what is known of a producer that was forgotten as a span. */
static void
make_ghost(const struct pair_table *table, uint32_t id,
           const struct pair_producer *producer)
{
    struct pair_entry *entry = pair_at(table, id);
    struct pair_facts *facts = pair_facts(table, id);
    uint32_t kept = entry->flags & (PAIR_RECEIVED | PAIR_PROCESSED);

    entry->flags = kept | PAIR_GHOST | PAIR_EGRESS | PAIR_PRODUCER;
    if (producer->flags & PAIR_PRODUCER_WEIGHTED)
        entry->flags |= PAIR_WEIGHTED;
    if (producer->flags & PAIR_PRODUCER_SYNTHETIC)
        entry->flags |= PAIR_SYNTHETIC;
    if (producer->flags & PAIR_PRODUCER_FAILED)
        entry->flags |= PAIR_FAILED;
    entry->site = producer->site;
    entry->code = producer->code;
    *facts = (struct pair_facts){.version = producer->version};
    facts->weight = producer->weight;
    facts->latency = PAIR_NO_LATENCY;
}

static void
tell_referrers(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);

    for (uint32_t i = entry->in; i; i = pair_link_at(&pair->table, i)->next_in)
        pair_tell_link(pair, i, sign);
    for (uint32_t i = entry->kids; i; i = pair_at(&pair->table, i)->next)
        pair_tell_parent(pair, i, sign);
}

uint32_t
pair_find_or_await(struct pair *pair, struct pair_key key, uint64_t hash,
                   bool of_consumer)
{
    uint32_t *slot = pair_index_find(&pair->table.index, hash, key);
    uint32_t id = slot ? *slot : 0;
    const struct pair_producer *producer = NULL;

    if (id && !(of_consumer && pair_at(&pair->table, id)->flags & PAIR_ABSENT))
        return id;
    if (of_consumer)
        producer = pair_producers_find(&pair->producers, key, now_s(pair));
    if (id && !producer)
        return id;
    if (!id) {
        id = pair_pool_take(&pair->table);
        if (!id)
            return 0;
        struct pair_entry *entry = pair_at(&pair->table, id);
        entry->trace_hi = key.trace_hi;
        entry->trace_lo = key.trace_lo;
        entry->span_id = key.span_id;
        entry->flags = PAIR_ABSENT;
        (void)pair_index_add(&pair->table.index, hash, id);
    }
    if (producer) {
        tell_referrers(pair, id, -1);
        make_ghost(&pair->table, id, producer);
        tell_referrers(pair, id, 1);
        for (uint32_t i = pair_at(&pair->table, id)->kids; i;
             i = pair_at(&pair->table, i)->next)
            pair_meet_parent(pair, i);
    }
    return id;
}

void
pair_release_idle(struct pair *pair, uint32_t id)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    struct pair_key key = {entry->trace_hi, entry->trace_lo, entry->span_id};

    if (!(entry->flags & PAIR_POOLED) || entry->kids || entry->in)
        return;
    pair_index_remove(&pair->table.index, hash_of(pair, key), id);
    pair_pool_give(&pair->table, id);
}

/* ---- ties ---- */

/* Ties |src| to |dst|; 0: no room. */
static uint32_t
tie(struct pair *pair, uint32_t src, uint32_t dst, uint32_t flags)
{
    uint32_t id = pair_link_take(&pair->table);
    struct pair_link *link = pair_link_at(&pair->table, id);
    struct pair_facts *from = pair_facts(&pair->table, src);
    struct pair_entry *to = pair_at(&pair->table, dst);

    if (!id)
        return 0;
    *link = (struct pair_link){
        .src = src,
        .dst = dst,
        .next_out = from->out,
        .next_in = to->in,
        .flags = flags,
    };
    if (to->in)
        pair_link_at(&pair->table, to->in)->prev_in = id;
    from->out = id;
    to->in = id;
    return id;
}

void
pair_unlink(struct pair *pair, uint32_t id)
{
    struct pair_facts *facts = pair_facts(&pair->table, id);

    while (facts->out) {
        uint32_t at = facts->out;
        const struct pair_link *link = pair_link_at(&pair->table, at);
        uint32_t dst = link->dst;

        facts->out = link->next_out;
        if (dst) {
            if (link->prev_in)
                pair_link_at(&pair->table, link->prev_in)->next_in =
                    link->next_in;
            else
                pair_at(&pair->table, dst)->in = link->next_in;
            if (link->next_in)
                pair_link_at(&pair->table, link->next_in)->prev_in =
                    link->prev_in;
            pair_release_idle(pair, dst);
        }
        pair_link_give(&pair->table, at);
    }
}

bool
pair_retire(struct pair *pair, uint32_t id)
{
    struct pair_entry *entry = pair_at(&pair->table, id);
    uint32_t ghost = 0;
    uint32_t next;

    if (!entry->in)
        return false;
    if (entry->flags & PAIR_PRODUCER)
        ghost = pair_pool_take(&pair->table);
    for (uint32_t i = entry->in; i; i = next) {
        struct pair_link *link = pair_link_at(&pair->table, i);
        next = link->next_in;
        link->dst = ghost;
    }
    if (!ghost) {
        entry->in = 0;
        return false;
    }
    struct pair_entry *kept = pair_at(&pair->table, ghost);
    const uint32_t flags = PAIR_RECEIVED | PAIR_PROCESSED | PAIR_PRODUCER |
                           PAIR_WEIGHTED | PAIR_SYNTHETIC | PAIR_FAILED;
    struct pair_facts *facts = pair_facts(&pair->table, ghost);
    *kept = *entry;
    kept->flags = (entry->flags & flags) | PAIR_GHOST | PAIR_EGRESS;
    kept->parent = kept->next = kept->prev = kept->kids = kept->reps = 0;
    *facts = *pair_facts(&pair->table, id);
    facts->latency = PAIR_NO_LATENCY;

    struct pair_key key = {entry->trace_hi, entry->trace_lo, entry->span_id};
    uint32_t *slot =
        pair_index_slot(&pair->table.index, hash_of(pair, key), id);
    if (slot)
        *slot = ghost;
    return true;
}

/* ---- a trace's publishes ---- */

void
pair_mark_publish(struct pair *pair, uint32_t id)
{
    struct pair_entry *entry = pair_at(&pair->table, id);
    struct pair_key key = {entry->trace_hi, entry->trace_lo, 0};
    uint32_t marker = pair_find_or_await(pair, key, hash_of(pair, key), false);
    struct pair_entry *mark = pair_at(&pair->table, marker);

    if (!marker) {
        pair->stats.links_dropped++;
        return;
    }
    if (!tie(pair, id, marker, PAIR_LINK_MARK))
        pair->stats.links_dropped++;
    if (!(entry->flags & PAIR_PUBLISH)) {
        entry->flags |= mark->flags & PAIR_SENT;
    } else if (!(mark->flags & PAIR_SENT)) {
        mark->flags |= PAIR_SENT;
        for (uint32_t i = mark->in; i;
             i = pair_link_at(&pair->table, i)->next_in) {
            uint32_t other = pair_link_at(&pair->table, i)->src;
            pair_tell_publish(pair, other, -1);
            pair_at(&pair->table, other)->flags |= PAIR_SENT;
            pair_tell_publish(pair, other, 1);
        }
    }
    pair_release_idle(pair, marker);
}

/* ---- links ---- */

static void
link_producer(struct pair *pair, uint32_t id, struct pair_key key)
{
    uint32_t dst = pair_find_or_await(pair, key, hash_of(pair, key), true);
    struct pair_entry *producer = pair_at(&pair->table, dst);

    if (!dst) {
        pair->stats.links_dropped++;
        return;
    }
    /* All links of a span come at once, so a repeated one is the last. */
    if (producer->in && pair_link_at(&pair->table, producer->in)->src == id)
        return;
    uint32_t link = tie(pair, id, dst, 0);
    if (!link) {
        pair->stats.links_dropped++;
        pair_release_idle(pair, dst);
        return;
    }
    if (producer->flags & PAIR_PUBLISH)
        pair_answer(pair, dst);
    pair_meet_link(pair, link);
}

void
pair_link_producers(struct pair *pair, uint32_t id, const struct stub *stub,
                    const struct span_link *links)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);

    if (!(entry->flags & (PAIR_CONSUMER | PAIR_RECEIVE)) ||
        entry->flags & PAIR_SYNTHETIC)
        return;
    for (uint32_t i = 0; i < stub->link_len; i++) {
        const struct span_link *link = &links[i];
        bool is_here = link->trace_lo == stub->trace_lo &&
                       (link->trace_hi == stub->trace_hi || !link->trace_hi ||
                        !stub->trace_hi);
        if (link->span_id == 0 ||
            (is_here && (link->span_id == stub->parent_id ||
                         link->span_id == stub->span_id)))
            continue;
        link_producer(
            pair, id,
            (struct pair_key){link->trace_hi, link->trace_lo, link->span_id});
    }
}
