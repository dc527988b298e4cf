/*
 * The table of docs/design.md, row by row.  What it leaves open is decided
 * here: an edge that is inferred and a message by link have no latency, and
 * they failed if the later half did.
 */
#include "runtime/pair_rules.h"

#include "base/clock.h"

bool
pair_is_held(const struct pair_entry *parent, const struct pair_entry *child)
{
    if (parent->flags & PAIR_ABSENT)
        return false;
    return !(parent->flags & PAIR_GHOST) || child->flags & PAIR_CONSUMER;
}

static void
tell(struct pair *pair, struct edge_key key, const struct edge_obs *values,
     int sign)
{
    struct edge_obs obs = *values;

    obs.key = key;
    obs.count = sign;
    obs.errors *= sign;
    obs.weight_known *= sign;
    obs.weight *= sign;
    pair->sink(pair->ctx, &obs);
}

static uint16_t
latency_of(const struct pair_entry *entry)
{
    return entry->latency == PAIR_NO_LATENCY ? EDGE_NO_LATENCY
                                             : (uint16_t)entry->latency;
}

/* The values of what |entry| alone says, without a latency. */
static struct edge_obs
own_values(const struct pair_entry *entry)
{
    return (struct edge_obs){
        .errors = (entry->flags & PAIR_FAILED) != 0,
        .weight_known = (entry->flags & PAIR_WEIGHTED) != 0,
        .weight = (int64_t)entry->weight,
        .at_s = entry->start_s,
        .latency = EDGE_NO_LATENCY,
    };
}

/* The values of what |first| and |second| say together: of |second|, but the
 * larger of the weights that are known (R10). */
static struct edge_obs
pair_values(const struct pair_entry *first, const struct pair_entry *second)
{
    struct edge_obs values = own_values(second);
    bool first_knows = first->flags & PAIR_WEIGHTED;

    if (first_knows &&
        (!values.weight_known || (int64_t)first->weight > values.weight)) {
        values.weight = (int64_t)first->weight;
        values.weight_known = 1;
    }
    values.src_version = first->version;
    values.dst_version = second->version;
    return values;
}

/* ---- once ---- */

static void
tell_ingress(struct pair *pair, const struct pair_entry *entry,
             const struct stub *stub)
{
    struct edge_obs values = own_values(entry);
    uint32_t at = entry->site;

    values.latency = latency_of(entry);
    values.dst_version = entry->version;
    tell(pair, (struct edge_key){0, at, EDGE_TRAFFIC}, &values, 1);
    if (stub->flags & STUB_DENIED)
        tell(pair, (struct edge_key){0, at, EDGE_DENIED}, &values, 1);
    if (!(entry->flags & PAIR_CONSUMER) && stub->parent_id == 0) {
        uint32_t caller = entry->peer ? entry->peer : pair->cfg.user;
        tell(pair, (struct edge_key){caller, at, EDGE_VIRTUAL_IN}, &values, 1);
    }
    values.latency = EDGE_NO_LATENCY;
    if (entry->flags & PAIR_CONSUMER && !(entry->flags & PAIR_RECEIVE) &&
        entry->peer)
        tell(pair, (struct edge_key){entry->peer, at, EDGE_MSG_SUB}, &values,
             1);
}

void
pair_tell_arrival(struct pair *pair, const struct pair_entry *entry,
                  const struct stub *stub)
{
    struct edge_obs values = own_values(entry);
    uint32_t service = entry->service;

    values.dst_version = entry->version;
    if (entry->flags & PAIR_SYNTHETIC) {
        uint32_t dst = entry->flags & PAIR_INGRESS ? entry->site : service;
        if (entry->flags & (PAIR_INGRESS | PAIR_EGRESS))
            tell(pair, (struct edge_key){0, dst, EDGE_SYNTHETIC}, &values, 1);
        return;
    }
    tell(pair, (struct edge_key){0, service, EDGE_SEEN}, &values, 1);
    tell(pair, (struct edge_key){entry->scope, service, EDGE_SEEN_BY}, &values,
         1);
    if (entry->flags & PAIR_INGRESS)
        tell_ingress(pair, entry, stub);
    if (stub->flags & STUB_INPROC_DB)
        tell(pair, (struct edge_key){entry->scope, service, EDGE_INPROC_DB},
             &values, 1);
}

void
pair_tell_evicted(struct pair *pair, const struct pair_entry *entry)
{
    struct edge_obs values = own_values(entry);

    tell(pair, (struct edge_key){entry->scope, entry->service, EDGE_EVICTED},
         &values, 1);
}

void
pair_tell_duplicate(struct pair *pair, const struct stub *stub)
{
    struct edge_obs values = {
        .weight = (int64_t)WEIGHT_ONE,
        .at_s = (uint32_t)(stub->start_ns / NS_PER_S),
        .latency = EDGE_NO_LATENCY,
    };

    tell(pair, (struct edge_key){stub->scope, stub->service, EDGE_DUPLICATE},
         &values, 1);
}

/* ---- as things stand ---- */

static void
tell_orphan(struct pair *pair, const struct pair_entry *entry, int sign)
{
    struct edge_obs values = own_values(entry);

    if (entry->flags & PAIR_CHILD && entry->flags & PAIR_WAITED)
        tell(pair, (struct edge_key){entry->scope, entry->service, EDGE_ORPHAN},
             &values, sign);
}

static void
tell_call(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_entry *parent = pair_at(&pair->table, entry->parent);
    struct edge_obs values = pair_values(parent, entry);
    bool is_egress = parent->flags & PAIR_EGRESS;
    bool is_only = parent->flags & PAIR_ONE && !(parent->flags & PAIR_MANY);
    uint8_t kind = entry->flags & PAIR_CONSUMER ? EDGE_MSG : EDGE_CALL;

    if (entry->service == parent->service && !is_egress)
        return;
    if (is_egress && is_only && parent->flags & PAIR_FAILED)
        values.errors = 1;
    if (!is_egress)
        values.latency = latency_of(entry);
    else if (parent->holder == id)
        values.latency = latency_of(parent);
    tell(pair, (struct edge_key){parent->site, entry->site, kind}, &values,
         sign);
}

void
pair_tell_parent(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_entry *parent = pair_at(&pair->table, entry->parent);

    if (!(entry->flags & PAIR_TOLD) ||
        entry->flags & (PAIR_SYNTHETIC | PAIR_FROZEN))
        return;
    if (!(entry->flags & (PAIR_INGRESS | PAIR_INFERRED)))
        return;
    if (entry->parent == 0 || !pair_is_held(parent, entry)) {
        tell_orphan(pair, entry, sign);
        return;
    }
    if (parent->flags & PAIR_SYNTHETIC || entry->flags & PAIR_EXCUSED)
        return;
    if (entry->flags & PAIR_INGRESS) {
        tell_call(pair, id, sign);
        return;
    }
    struct edge_obs values = pair_values(parent, entry);
    tell(pair, (struct edge_key){parent->site, entry->service, EDGE_CALL},
         &values, sign);
}

void
pair_tell_outcome(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const uint32_t never = PAIR_NESTED | PAIR_ANSWERED | PAIR_SYNTHETIC;
    const uint32_t always = PAIR_EGRESS | PAIR_WAITED | PAIR_TOLD;

    if (entry->flags & never || (entry->flags & always) != always)
        return;

    struct edge_obs values = own_values(entry);
    uint32_t peer = entry->peer ? entry->peer : entry->sub_peer;
    uint32_t db = entry->peer ? PAIR_DB : PAIR_SUB_DB;
    if (peer == 0) {
        values.dst_version = entry->version;
        tell(pair,
             (struct edge_key){entry->scope, entry->service, EDGE_UNRESOLVED},
             &values, sign);
        return;
    }
    uint8_t kind = entry->flags & db ? EDGE_DB : EDGE_VIRTUAL_OUT;
    values.latency = latency_of(entry);
    values.src_version = entry->version;
    tell(pair, (struct edge_key){entry->site, peer, kind}, &values, sign);
}

void
pair_tell_publish(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const uint32_t never = PAIR_SYNTHETIC | PAIR_REPEATED;

    if (!(entry->flags & PAIR_TOLD) || !(entry->flags & PAIR_EGRESS) ||
        entry->flags & never || entry->peer == 0)
        return;
    if (!(entry->flags & PAIR_PUBLISH) &&
        (!(entry->flags & PAIR_CREATE) || entry->flags & PAIR_SENT))
        return;

    struct edge_obs values = own_values(entry);
    values.src_version = entry->version;
    tell(pair, (struct edge_key){entry->site, entry->peer, EDGE_MSG_PUB},
         &values, sign);
}

void
pair_tell_receive(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const uint32_t always =
        PAIR_TOLD | PAIR_RECEIVE | PAIR_CONSUMER | PAIR_INGRESS;

    if ((entry->flags & always) != always || entry->peer == 0 ||
        entry->flags & (PAIR_SHADOWED | PAIR_SYNTHETIC))
        return;

    struct edge_obs values = own_values(entry);
    values.dst_version = entry->version;
    tell(pair, (struct edge_key){entry->peer, entry->site, EDGE_MSG_SUB},
         &values, sign);
}

void
pair_tell_link(struct pair *pair, uint32_t link, int sign)
{
    const struct pair_link *tie = pair_link_at(&pair->table, link);
    const struct pair_entry *src = pair_at(&pair->table, tie->src);
    const struct pair_entry *dst = pair_at(&pair->table, tie->dst);

    if (tie->flags || tie->dst == 0 || !(src->flags & PAIR_TOLD))
        return;
    if (dst->flags & PAIR_ABSENT) {
        struct edge_obs values = own_values(src);
        if (src->flags & PAIR_WAITED)
            tell(pair,
                 (struct edge_key){src->scope, src->service,
                                   EDGE_UNRESOLVED_LINK},
                 &values, sign);
        return;
    }
    if (!(dst->flags & PAIR_PRODUCER) || dst->flags & PAIR_SYNTHETIC)
        return;

    struct edge_obs values = pair_values(dst, src);
    uint32_t to = src->flags & PAIR_INGRESS ? src->site : src->service;
    tell(pair, (struct edge_key){dst->site, to, EDGE_MSG}, &values, sign);
}
