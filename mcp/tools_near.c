/*
 * A moment for those tools that read all worlds, and what was observed of the
 * nodes in it.  Knowledge is a part of it where there is any.
 */
#include "mcp/tools_near.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "knowledge/resolve.h"

enum { RECENT_DAYS = 30 };

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

bool
near_begin(struct near_run *n, struct tool_run *run)
{
    struct know_run *know = &n->know;

    *n = (struct near_run){.run = run, .know = {.run = run}};
    tool_look_at_code(run);
    if (run->tools->cfg.knowledge) {
        if (!know_begin(know, run, false))
            return false;
    } else if (!run->err) {
        know->moment = (struct moment){
            .view = run->view,
            .joined = run->joined,
            .now_s = run->tools->clock(run->tools->clock_ctx),
            .why = &know->why,
        };
    }
    if (!run->err)
        run->err = near_open(&n->near, &know->moment);
    return !run->err;
}

void
near_end(struct near_run *n, enum err err)
{
    near_close(n->near);
    free(n->facts.last_s);
    free(n->facts.calls);
    free(n->facts.states);
    audit_fini(&n->facts.audit);
    know_end(&n->know, err);
}

enum err
near_seed(struct near_run *n, const char *name, struct object *out)
{
    struct tool_run *run = n->run;
    str word = tool_str(run, name);

    *out = (struct object){.world = WORLD_NONE};
    if (!run->err && word.len == 0)
        tool_fail(run, ERR_INVALID,
                  "%s required: an id (service:cart, route:checkout POST "
                  "/buy, func:name, an entity's id), a name or a hash; try "
                  "%s%s",
                  name, run->tool->name, run->tool->example);
    return run->err ? run->err
                    : object_resolve(&n->know.moment, word, IN_ANY_WORLD, out);
}

/* ---- what was observed ---- */

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

static enum err
read_edges(struct near_run *n, enum query_level level, uint32_t since_s)
{
    struct near_facts *facts = &n->facts;
    const struct query_filter filter = {.level = level, .since_s = since_s};
    struct query_edges edges;
    enum err err = query_edges(n->know.moment.view, &filter, &edges);

    if (err)
        return err;
    for (size_t i = 0; i < edges.len; i++) {
        const struct query_edge *edge = &edges.rows[i];
        uint32_t ends[] = {edge->target, edge->source};

        for (size_t k = 0; k < 2; k++) {
            bool is_service =
                query_node(n->know.moment.view, ends[k])->kind == NODE_SERVICE;

            if (ends[k] >= facts->len || is_service != (level == LEVEL_SERVICE))
                continue;
            if (since_s && k == 0)
                facts->calls[ends[k]] += edge->count;
            else if (!since_s && edge->last_s > facts->last_s[ends[k]])
                facts->last_s[ends[k]] = edge->last_s;
        }
    }
    query_edges_fini(&edges);
    return OK;
}

static void
judge(struct near_run *n)
{
    struct near_facts *facts = &n->facts;

    for (uint32_t i = 1; i < facts->len; i++) {
        uint8_t kind = query_node(n->know.moment.view, i)->kind;

        if (kind == NODE_EXTERNAL)
            facts->states[i] = STATE_UNRESOLVED;
        else if (kind != NODE_NONE && kind <= NODE_SYMBOL)
            facts->states[i] = (uint8_t)state_by_age(n, facts->last_s[i]);
    }
    for (size_t i = 0; i < facts->audit.len; i++) {
        const struct audit_route *route = &facts->audit.routes[i];

        if (route->node && route->node < facts->len)
            facts->states[route->node] = (uint8_t)state_by_verdict(n, route);
    }
}

static enum err
last_node(struct near_run *n, uint32_t *out)
{
    const struct query_find all = {.kinds = UINT32_MAX};
    struct query_ids ids = {0};
    enum err err = query_find(n->know.moment.view, &all, &ids);

    *out = 0;
    for (size_t i = 0; i < ids.len; i++)
        *out = ids.ids[i] > *out ? ids.ids[i] : *out;
    query_ids_fini(&ids);
    return err;
}

enum err
near_read_facts(struct near_run *n)
{
    struct near_facts *facts = &n->facts;
    struct moment *moment = &n->know.moment;
    uint32_t back_s = RECENT_DAYS * S_PER_DAY;
    uint32_t since_s = moment->now_s > back_s ? moment->now_s - back_s : 1;
    uint32_t last = 0;
    enum err err;

    if (facts->is_read)
        return OK;
    facts->is_read = true;
    err = last_node(n, &last);
    if (err)
        return err;
    facts->len = last + 1;
    facts->last_s = calloc(facts->len, sizeof(*facts->last_s));
    facts->calls = calloc(facts->len, sizeof(*facts->calls));
    facts->states = calloc(facts->len, sizeof(*facts->states));
    if (!facts->last_s || !facts->calls || !facts->states)
        return ERR_NOMEM;
    for (int level = LEVEL_SERVICE; level <= LEVEL_ENDPOINT && !err; level++) {
        err = read_edges(n, (enum query_level)level, 0);
        if (!err)
            err = read_edges(n, (enum query_level)level, since_s);
    }
    if (!err)
        err = audit_run(moment->view, &audit_cfg_default, &facts->audit);
    if (!err)
        judge(n);
    return err;
}

enum near_state
near_state_of(const struct near_run *n, uint32_t node)
{
    return node < n->facts.len ? (enum near_state)n->facts.states[node]
                               : STATE_NONE;
}
