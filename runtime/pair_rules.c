/*
 * The table of docs/design.md, row by row.  What it leaves open is decided
 * here: an edge that is inferred and a message by link have no latency, and
 * they failed if the later half did.
 */
#include "runtime/pair_rules.h"

#include "base/clock.h"
#include "runtime/pair_pool.h"
#include "runtime/pair_seen.h"

/* Whether the parent of |entry| was forgotten: what was told of the two stays
 * as it is. */
static inline bool
is_frozen(const struct pair *pair, const struct pair_entry *entry)
{
    return pair_ids_is_gone(&pair->table.ids, entry->parent);
}

/* Observations are filled in where they stay, field by field: a copy of one
 * that was just written waits until all of it has reached the cache. */
static void
tell(struct pair *pair, uint32_t src, uint32_t dst, uint8_t kind,
     struct edge_obs *obs)
{
    obs->key.src = src;
    obs->key.dst = dst;
    obs->key.kind = kind;
    pair->sink(pair->ctx, obs);
}

/* What goes out from |from| goes out from its function, too. */
static void
tell_from(struct pair *pair, const struct pair_entry *from, uint32_t dst,
          uint8_t kind, struct edge_obs *obs)
{
    tell(pair, from->site, dst, kind, obs);
    if (from->code)
        tell(pair, from->code, dst, EDGE_CODE_CALL, obs);
}

static uint16_t
latency_of(const struct pair_facts *facts)
{
    return facts->latency == PAIR_NO_LATENCY ? EDGE_NO_LATENCY
                                             : (uint16_t)facts->latency;
}

/* The values of what one entry alone says, without latency and versions. */
static inline void
fill(const struct pair_entry *entry, const struct pair_facts *facts, int sign,
     struct edge_obs *obs)
{
    obs->count = sign;
    obs->errors = entry->flags & PAIR_FAILED ? sign : 0;
    obs->weight_known = entry->flags & PAIR_WEIGHTED ? sign : 0;
    obs->weight = sign * (int64_t)facts->weight;
    obs->at_s = facts->start_s;
    obs->until_s = 0;
    obs->latency = EDGE_NO_LATENCY;
    obs->src_version = 0;
    obs->dst_version = 0;
}

static inline void
fill_own(struct pair *pair, uint32_t id, int sign, struct edge_obs *obs)
{
    pair->told = id;
    fill(pair_at(&pair->table, id), pair_facts(&pair->table, id), sign, obs);
}

/* The values of what |first| and |second| say together: of |second|, but the
 * larger of the weights that are known (R10). */
static inline void
fill_pair(struct pair *pair, uint32_t first, uint32_t second, int sign,
          struct edge_obs *obs)
{
    const struct pair_facts *before = pair_facts(&pair->table, first);
    const struct pair_facts *after = pair_facts(&pair->table, second);

    fill_own(pair, second, sign, obs);
    if (pair_at(&pair->table, first)->flags & PAIR_WEIGHTED &&
        (obs->weight_known == 0 || before->weight > after->weight)) {
        obs->weight = sign * (int64_t)before->weight;
        obs->weight_known = sign;
    }
    obs->src_version = before->version;
    obs->dst_version = after->version;
}

/* ---- once ---- */

void
pair_tell_seen(struct pair *pair)
{
    struct edge_obs *seen = &pair->seen;
    uint32_t scope = seen->key.src;

    if (seen->count == 0)
        return;
    tell(pair, scope, seen->key.dst, EDGE_SEEN_BY, seen);
    tell(pair, 0, seen->key.dst, EDGE_SEEN, seen);
    seen->count = 0;
}

void
pair_see_first(struct pair *pair, const struct pair_entry *entry,
               const struct pair_facts *facts)
{
    struct edge_obs *seen = &pair->seen;

    pair_tell_seen(pair);
    fill(entry, facts, 1, seen);
    seen->until_s = facts->start_s;
    seen->key.src = facts->scope;
    seen->key.dst = entry->service;
    seen->dst_version = facts->version;
}

void
pair_tell_traffic(struct pair *pair, uint32_t id, bool is_denied)
{
    const struct pair_facts *facts = pair_facts(&pair->table, id);
    uint32_t at = pair_at(&pair->table, id)->site;
    struct edge_obs *obs = &pair->obs;

    fill_own(pair, id, 1, obs);
    obs->dst_version = facts->version;
    obs->latency = latency_of(facts);
    tell(pair, 0, at, EDGE_TRAFFIC, obs);
    if (is_denied)
        tell(pair, 0, at, EDGE_DENIED, obs);
}

void
pair_tell_caller(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_facts *facts = pair_facts(&pair->table, id);
    uint32_t caller = facts->peer ? facts->peer : pair->cfg.user;
    struct edge_obs *obs = &pair->obs;

    pair_at(&pair->table, id)->flags ^= PAIR_ROOT;
    fill_own(pair, id, sign, obs);
    obs->dst_version = facts->version;
    obs->latency = latency_of(facts);
    tell(pair, caller, pair_at(&pair->table, id)->site, EDGE_VIRTUAL_IN, obs);
}

static void
tell_ingress(struct pair *pair, uint32_t id, const struct stub *stub)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_facts *facts = pair_facts(&pair->table, id);

    pair_tell_traffic(pair, id, stub->flags & STUB_DENIED);
    if (!(entry->flags & PAIR_CONSUMER) && stub->parent_id == 0)
        pair_tell_caller(pair, id, 1);
    pair->obs.latency = EDGE_NO_LATENCY;
    if (entry->flags & PAIR_CONSUMER && !(entry->flags & PAIR_RECEIVE) &&
        facts->peer)
        tell(pair, facts->peer, entry->site, EDGE_MSG_SUB, &pair->obs);
}

void
pair_tell_arrival(struct pair *pair, uint32_t id, const struct stub *stub)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    struct edge_obs *obs = &pair->obs;
    uint32_t service = entry->service;

    fill_own(pair, id, 1, obs);
    obs->dst_version = stub->version;
    if (entry->flags & PAIR_SYNTHETIC) {
        uint32_t dst = entry->flags & PAIR_INGRESS ? entry->site : service;
        if (entry->flags & (PAIR_INGRESS | PAIR_EGRESS))
            tell(pair, 0, dst, EDGE_SYNTHETIC, obs);
        return;
    }
    if (stub->flags & STUB_INPROC_DB)
        tell(pair, stub->scope, service, EDGE_INPROC_DB, obs);
    if (entry->flags & PAIR_INGRESS)
        tell_ingress(pair, id, stub);
}

/* An account of |id| by its scope and service. */
static void
tell_account(struct pair *pair, uint32_t id, uint8_t kind, int sign)
{
    struct edge_obs *obs = &pair->obs;
    fill_own(pair, id, sign, obs);

    obs->dst_version = pair_facts(&pair->table, id)->version;
    tell(pair, pair_facts(&pair->table, id)->scope,
         pair_at(&pair->table, id)->service, kind, obs);
}

void
pair_tell_evicted(struct pair *pair, uint32_t id)
{
    tell_account(pair, id, EDGE_EVICTED, 1);
}

void
pair_tell_duplicate(struct pair *pair, const struct stub *stub)
{
    struct edge_obs obs = {
        .count = 1,
        .weight = (int64_t)WEIGHT_ONE,
        .at_s = (uint32_t)(stub->start_ns / NS_PER_S),
        .latency = EDGE_NO_LATENCY,
        .dst_version = stub->version,
    };

    tell(pair, stub->scope, stub->service, EDGE_DUPLICATE, &obs);
}

/* ---- as things stand ---- */

static void
tell_call(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_entry *parent = pair_at(&pair->table, entry->parent);
    bool is_egress = parent->flags & PAIR_EGRESS;
    uint8_t kind = entry->flags & PAIR_CONSUMER ? EDGE_MSG : EDGE_CALL;
    struct edge_obs *obs = &pair->obs;

    if (entry->service == parent->service && !is_egress)
        return;

    fill_pair(pair, entry->parent, id, sign, obs);
    const uint32_t failed_alone = PAIR_EGRESS | PAIR_ONE | PAIR_FAILED;
    if ((parent->flags & (failed_alone | PAIR_MANY)) == failed_alone)
        obs->errors = sign;
    /* Who holds a latency nobody can predict: no branch. */
    uint32_t has_none = is_egress & !(entry->flags & PAIR_HOLDER);
    uint32_t of = is_egress ? entry->parent : id;
    obs->latency = latency_of(pair_facts(&pair->table, of));
    obs->latency |= (uint16_t)-has_none;
    tell_from(pair, parent, entry->site, kind, obs);
}

void
pair_rule_joined(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_entry *parent = pair_at(&pair->table, entry->parent);
    struct edge_obs *obs = &pair->obs;

    if (parent->flags & PAIR_SYNTHETIC || entry->flags & PAIR_EXCUSED)
        return;
    if (entry->flags & PAIR_INGRESS) {
        tell_call(pair, id, sign);
        return;
    }
    fill_pair(pair, entry->parent, id, sign, obs);
    tell_from(pair, parent, entry->service, EDGE_CALL, obs);
}

void
pair_rule_parent(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_entry *parent = pair_at(&pair->table, entry->parent);

    if (is_frozen(pair, entry))
        return;
    if (entry->flags & PAIR_JOINED || pair_is_held(parent, entry))
        pair_rule_joined(pair, id, sign);
    else if (entry->flags & PAIR_CHILD && entry->flags & PAIR_WAITED)
        tell_account(pair, id, EDGE_ORPHAN, sign);
}

void
pair_rule_outcome(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_facts *facts = pair_facts(&pair->table, id);
    uint32_t peer = facts->peer ? facts->peer : facts->sub_peer;
    uint32_t db = facts->peer ? PAIR_DB : PAIR_SUB_DB;
    if (peer == 0) {
        tell_account(pair, id, EDGE_UNRESOLVED, sign);
        return;
    }
    struct edge_obs *obs = &pair->obs;
    fill_own(pair, id, sign, obs);
    uint8_t kind = entry->flags & db ? EDGE_DB : EDGE_VIRTUAL_OUT;
    obs->latency = latency_of(facts);
    obs->src_version = facts->version;
    tell_from(pair, entry, peer, kind, obs);
}

void
pair_rule_publish(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_facts *facts = pair_facts(&pair->table, id);
    if ((!(entry->flags & PAIR_PUBLISH) && entry->flags & PAIR_SENT) ||
        facts->peer == 0)
        return;

    struct edge_obs *obs = &pair->obs;
    fill_own(pair, id, sign, obs);
    obs->src_version = facts->version;
    tell_from(pair, entry, facts->peer, EDGE_MSG_PUB, obs);
}

void
pair_rule_receive(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_facts *facts = pair_facts(&pair->table, id);
    if (facts->peer == 0)
        return;

    struct edge_obs *obs = &pair->obs;
    fill_own(pair, id, sign, obs);
    obs->dst_version = facts->version;
    tell(pair, facts->peer, entry->site, EDGE_MSG_SUB, obs);
}

void
pair_rule_handled(struct pair *pair, uint32_t id, int sign)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    if (is_frozen(pair, entry) || entry->site == entry->service)
        return;
    /* One that is no ingress has its site from its parent. */
    if (!(entry->flags & PAIR_INGRESS) &&
        pair_at(&pair->table, entry->parent)->code != 0)
        return;

    struct edge_obs *obs = &pair->obs;
    fill_own(pair, id, sign, obs);
    obs->dst_version = pair_facts(&pair->table, id)->version;
    tell(pair, entry->site, entry->code, EDGE_HANDLED, obs);
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
        if (src->flags & PAIR_WAITED)
            tell_account(pair, tie->src, EDGE_UNRESOLVED_LINK, sign);
        return;
    }
    if (!(dst->flags & PAIR_PRODUCER) || dst->flags & PAIR_SYNTHETIC)
        return;

    struct edge_obs *obs = &pair->obs;
    fill_pair(pair, tie->dst, tie->src, sign, obs);
    uint32_t to = src->flags & PAIR_INGRESS ? src->site : src->service;
    tell_from(pair, dst, to, EDGE_MSG, obs);
}
