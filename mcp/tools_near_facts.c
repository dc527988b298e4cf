/*
 * What was observed of nodes: when last, how often of late, and what that
 * makes of them.  Of all nodes it is a walk over all edges and an audit of all
 * routes; of some nodes, over theirs and an audit of their services, which says
 * the same of them.
 */
#include "mcp/tools_near.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/query_edges.h"

enum { RECENT_DAYS = 30 };

/* Of a node: last_s; and all the rest, too. */
enum { KNOWS_LAST = 1, KNOWS_FACTS = 2 };

static const char *const states[STATE_COUNT] = {
    [STATE_NONE] = "",
    [STATE_LIVE] = "live",
    [STATE_STALE] = "stale",
    [STATE_DEAD] = "dead",
    [STATE_NEVER_SEEN] = "never_seen",
    [STATE_UNKNOWN] = "unknown",
    [STATE_UNRESOLVED] = "unresolved",
};

const char *
near_state_str(enum near_state state)
{
    return states[state < STATE_COUNT ? state : STATE_NONE];
}

void
near_facts_fini(struct near_facts *facts)
{
    free(facts->known);
    free(facts->last_s);
    free(facts->calls);
    free(facts->states);
    audit_fini(&facts->audit);
    *facts = (struct near_facts){0};
}

static enum near_state
state_by_age(const struct near_run *n, uint32_t last_s)
{
    const struct moment *moment = &n->know.moment;

    if (!last_s)
        return STATE_UNKNOWN;
    return confidence_age(query_ages(moment->view), last_s, moment->now_s) <=
                   AGE_RECENT
               ? STATE_LIVE
               : STATE_STALE;
}

static enum near_state
state_by_verdict(const struct near_run *n, const struct audit_route *route)
{
    switch (route->verdict) {
    case VERDICT_ACTIVE:
    case VERDICT_UNDOCUMENTED:
    case VERDICT_LOW:
        return STATE_LIVE;
    case VERDICT_NEVER_OBSERVED:
        return STATE_NEVER_SEEN;
    case VERDICT_STOPPED:
    case VERDICT_ZOMBIE:
    case VERDICT_SYNTHETIC_ONLY:
    case VERDICT_PROBE_ONLY:
        return STATE_DEAD;
    case VERDICT_SEASONAL:
        return STATE_STALE;
    default:
        return state_by_age(n, route->last_s);
    }
}

static uint32_t
recent_from_s(const struct near_run *n)
{
    uint32_t now_s = n->know.moment.now_s;
    uint32_t back_s = RECENT_DAYS * S_PER_DAY;

    return now_s > back_s ? now_s - back_s : 1;
}

static enum err
make_room(struct near_run *n)
{
    struct near_facts *facts = &n->facts;

    if (facts->len)
        return OK;
    facts->len = query_node_last(n->know.moment.view) + 1;
    facts->known = calloc(facts->len, sizeof(*facts->known));
    facts->last_s = calloc(facts->len, sizeof(*facts->last_s));
    facts->calls = calloc(facts->len, sizeof(*facts->calls));
    facts->states = calloc(facts->len, sizeof(*facts->states));
    return facts->known && facts->last_s && facts->calls && facts->states
               ? OK
               : ERR_NOMEM;
}

/* ---- states ---- */

static void
judge_by_age(struct near_run *n, uint32_t node)
{
    struct near_facts *facts = &n->facts;
    uint8_t kind = query_node(n->know.moment.view, node)->kind;

    if (kind == NODE_EXTERNAL)
        facts->states[node] = STATE_UNRESOLVED;
    else if (kind != NODE_NONE && kind <= NODE_SYMBOL)
        facts->states[node] = (uint8_t)state_by_age(n, facts->last_s[node]);
}

static void
judge_by_verdicts(struct near_run *n, const struct audit *audit)
{
    struct near_facts *facts = &n->facts;

    for (size_t i = 0; i < audit->len; i++) {
        const struct audit_route *route = &audit->routes[i];

        if (route->node && route->node < facts->len)
            facts->states[route->node] = (uint8_t)state_by_verdict(n, route);
    }
}

enum err
near_read_facts(struct near_run *n)
{
    struct near_facts *facts = &n->facts;
    enum err err;

    if (facts->is_all)
        return OK;
    near_facts_fini(facts);
    if ((err = make_room(n)))
        return err;
    facts->is_all = true;
    err = query_usage(n->know.moment.view,
                      &(struct query_usage){.last_s = facts->last_s,
                                            .calls = facts->calls,
                                            .since_s = recent_from_s(n)});
    if (!err)
        err = audit_run(n->know.moment.view, &audit_cfg_default, &facts->audit);
    for (uint32_t i = 1; i < facts->len && !err; i++)
        judge_by_age(n, i);
    if (!err)
        judge_by_verdicts(n, &facts->audit);
    return err;
}

/* ---- of some nodes ---- */

/* Those of |nodes| of which |knows| is not known; from then on it is. */
static enum err
take_unknown(struct near_run *n, const struct ids *nodes, uint8_t knows,
             struct ids *out)
{
    enum err err = n->facts.is_all || !nodes->len ? OK : make_room(n);

    for (size_t i = 0; i < nodes->len && !err && !n->facts.is_all; i++) {
        uint32_t id = nodes->ids[i];

        if (id >= n->facts.len || n->facts.known[id] & knows)
            continue;
        n->facts.known[id] |= knows;
        err = ids_add(out, id);
    }
    return err;
}

enum err
near_read_last(struct near_run *n, const struct ids *nodes)
{
    struct ids unknown = {0};
    enum err err = take_unknown(n, nodes, KNOWS_LAST, &unknown);

    if (!err && unknown.len)
        err = query_usage(n->know.moment.view,
                          &(struct query_usage){.nodes = &unknown,
                                                .last_s = n->facts.last_s});
    ids_fini(&unknown);
    return err;
}

/* Only routes are audited, each with its service. */
static enum err
audit_some(struct near_run *n, const struct ids *nodes)
{
    struct query_view *view = n->know.moment.view;
    struct audit_cfg cfg = audit_cfg_default;
    struct ids services = {0};
    struct audit audit = {0};
    enum err err = OK;

    for (size_t i = 0; i < nodes->len && !err; i++) {
        const struct query_node *node = query_node(view, nodes->ids[i]);

        if ((node->kind == NODE_ROUTE || node->kind == NODE_RPC) &&
            !ids_has(&services, node->owner))
            err = ids_add(&services, node->owner);
    }
    cfg.services = &services;
    cfg.nodes = nodes;
    if (!err && services.len)
        err = audit_run(view, &cfg, &audit);
    if (!err)
        judge_by_verdicts(n, &audit);
    audit_fini(&audit);
    ids_fini(&services);
    return err;
}

enum err
near_read_facts_of(struct near_run *n, const struct ids *nodes)
{
    struct ids unknown = {0};
    enum err err = near_read_last(n, nodes);

    if (!err)
        err = take_unknown(n, nodes, KNOWS_FACTS, &unknown);
    if (!err && unknown.len)
        err = query_usage(n->know.moment.view,
                          &(struct query_usage){.nodes = &unknown,
                                                .calls = n->facts.calls,
                                                .since_s = recent_from_s(n)});
    for (size_t i = 0; i < unknown.len && !err; i++)
        judge_by_age(n, unknown.ids[i]);
    if (!err)
        err = audit_some(n, &unknown);
    ids_fini(&unknown);
    return err;
}

enum err
near_observed(const struct near_run *n, const struct object *object,
              struct ids *out)
{
    const struct joined *joined = n->know.moment.joined;
    const uint32_t *nodes = &object->node;
    uint32_t len = object->node ? 1 : 0;
    enum err err = OK;

    if (!object->node && object->vertex && joined)
        nodes = join_served(joined->join, object->vertex, &len);
    for (uint32_t i = 0; i < len && !err; i++)
        err = ids_add(out, nodes[i]);
    return err;
}

bool
near_knows(const struct near_run *n, uint32_t node)
{
    const struct near_facts *facts = &n->facts;

    return node < facts->len &&
           (facts->is_all || facts->known[node] & KNOWS_FACTS);
}

enum near_state
near_state_of(const struct near_run *n, uint32_t node)
{
    return node < n->facts.len ? (enum near_state)n->facts.states[node]
                               : STATE_NONE;
}
