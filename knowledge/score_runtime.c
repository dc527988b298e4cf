/*
 * The score of what is observed: the routes of an audit, joined with the code,
 * and the calls between them.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/audit.h"
#include "graph/closure.h"
#include "graph/query_edges.h"
#include "knowledge/object.h"
#include "knowledge/score.h"

enum { NO_CODE, NO_HANDLER, ORPHAN, STALE, PAIR, NO_DOMAIN, CLASS_LEN };

static const struct score_class classes[CLASS_LEN] = {
    [NO_CODE] = {"unresolved_endpoint",
                 "index the repository that serves it: index_repo", 10},
    [NO_HANDLER] = {"route_without_handler",
                    "index the repository, or take the declaration back", 5},
    [ORPHAN] = {"orphan", "see dead_routes: it may go", 3},
    [STALE] = {"stale_edge", "see stale_edges: is the call still made?", 2},
    [PAIR] = {"isolated_pair", "see explain: callers may send no spans", 2},
    [NO_DOMAIN] = {"missing_domain", "set service.name in its telemetry", 1},
};

/* How far a static way may explain an observed call. */
enum { WAY_DEPTH = 6, WAY_PLACES = 2000, WAYS_MAX = 2000 };

struct scoring {
    struct moment *moment;
    struct score *score;
    const struct ids *services; /* of the scope */
    struct audit audit;
    struct closure *closure;
    size_t ways; /* walked */
    size_t observed;
    size_t explained;
    enum err err;
};

static void
fault(struct scoring *s, size_t class_at, uint32_t node, const char *what)
{
    struct object object = {0};

    if (s->err)
        return;
    s->err = object_of_node(s->moment, node, &object);
    if (!s->err)
        s->err =
            score_issue(s->score, class_at, buf_str(&object.gid), "%s", what);
    object_fini(&object);
}

/* ---- routes ---- */

static void
fault_route(struct scoring *s, size_t class_at, const struct audit_route *route,
            const char *what)
{
    const struct query_node *of = query_node(s->moment->view, route->service);
    struct buf id = {0};

    if (route->node) {
        fault(s, class_at, route->node, what);
        return;
    }
    buf_printf(&id, "%s:%.*s%s%.*s:%.*s%s%.*s",
               route->kind == NODE_RPC ? "rpc" : "route", (int)of->name.len,
               of->name.ptr, of->env.len ? "@" : "", (int)of->env.len,
               of->env.ptr, (int)route->method.len, route->method.ptr,
               route->method.len ? " " : "", (int)route->pattern.len,
               route->pattern.ptr);
    if (!s->err)
        s->err = id.failed ? ERR_NOMEM
                           : score_issue(s->score, class_at, buf_str(&id), "%s",
                                         what);
    buf_fini(&id);
}

static void
judge_routes(struct scoring *s)
{
    size_t declared = 0;
    size_t met = 0;

    for (size_t i = 0; i < s->audit.len && !s->err; i++) {
        const struct audit_route *route = &s->audit.routes[i];
        const struct closure_row *code = closure_row(s->closure, i);
        bool is_seen = route->last_s != 0;

        s->score->nodes++;
        declared += route->is_declared || code->route;
        met += (route->is_declared || code->route) && is_seen;
        if (is_seen && !code->handler)
            fault_route(s, NO_CODE, route, "is observed, and is no code");
        else if (!code->handler)
            fault_route(s, NO_HANDLER, route,
                        "is declared, and nothing handles it");
        if (!is_seen && !code->caller_len)
            fault_route(s, ORPHAN, route,
                        "has no traffic, and no code calls it");
    }
    s->score->bonuses[0] =
        declared ? SCORE_BONUS_MAX * (double)met / (double)declared : 0;
}

/* ---- services ---- */

struct service {
    uint32_t id;
    uint32_t only; /* its only neighbour, while it is */
    bool has_many;
    bool calls;
    bool is_called;
};

static int
by_id(const void *a, const void *b)
{
    const struct service *x = a;
    const struct service *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static struct service *
find(struct service *services, size_t len, uint32_t id)
{
    const struct service key = {.id = id};

    return len ? bsearch(&key, services, len, sizeof(key), by_id) : NULL;
}

static void
meet(struct service *service, uint32_t other, bool calls)
{
    if (!service || service->id == other)
        return;
    service->has_many |= service->only && service->only != other;
    service->only = other;
    service->calls |= calls;
    service->is_called |= !calls;
}

/* Said of the first of the two. */
static bool
is_pair(struct service *services, size_t len, const struct service *one)
{
    const struct service *two = find(services, len, one->only);

    return two && two > one && two->only == one->id && !one->has_many &&
           !two->has_many && one->calls && one->is_called;
}

static void
judge_services(struct scoring *s)
{
    struct query_view *view = s->moment->view;
    const struct query_filter filter = {.level = LEVEL_SERVICE};
    struct query_edges edges = {0};
    size_t len = s->services->len;
    struct service *services = calloc(len + 1, sizeof(*services));

    if (!s->err)
        s->err = services ? query_edges(view, &filter, &edges) : ERR_NOMEM;
    for (size_t i = 0; i < len && !s->err; i++)
        services[i].id = s->services->ids[i];
    if (!s->err && len)
        qsort(services, len, sizeof(*services), by_id);
    for (size_t i = 0; i < edges.len && !s->err; i++) {
        const struct query_edge *edge = &edges.rows[i];

        meet(find(services, len, edge->source), edge->target, true);
        meet(find(services, len, edge->target), edge->source, false);
    }
    for (size_t i = 0; i < len && !s->err; i++) {
        str name = query_node(view, services[i].id)->name;

        s->score->nodes++;
        if (!services[i].only)
            fault(s, ORPHAN, services[i].id, "calls nobody and is not called");
        if (is_pair(services, len, &services[i]))
            fault(s, PAIR, services[i].id,
                  "and one other service only call each other");
        if (!name.len || str_starts(name, STR(NODE_NAME_UNKNOWN_SERVICE)))
            fault(s, NO_DOMAIN, services[i].id, "does not say what it is");
    }
    query_edges_fini(&edges);
    free(services);
}

/* ---- calls ---- */

static bool
is_ours(const struct scoring *s, uint32_t place)
{
    const struct joined *joined = s->moment->joined;
    uint32_t vertex = joined_vertex(joined, place);
    uint32_t node = joined_node(joined, place);

    if (!vertex) {
        const struct query_node *of = query_node(s->moment->view, node);

        return ids_has(s->services, of->owner ? of->owner : node);
    }
    for (size_t i = 0; i < s->services->len; i++)
        if (join_holds(joined->join, s->services->ids[i],
                       code_node(joined->code, vertex)->file))
            return true;
    return false;
}

/* Does the code lead from |place| to each observed callee: the arcs to those
 * that it reaches are counted. */
static void
explain(struct scoring *s, uint32_t place)
{
    const struct joined *joined = s->moment->joined;
    const struct joined_ask ask = {.from = &place,
                                   .from_len = 1,
                                   .evidence = BY_STATIC,
                                   .max_depth = WAY_DEPTH,
                                   .max_places = WAY_PLACES};
    struct joined_walk walk = {0};

    if (s->ways++ < WAYS_MAX)
        s->err = joined_reach(joined, &ask, &walk);
    for (uint32_t k = joined->out_at[place];
         k < joined->out_at[place + 1] && !s->err; k++) {
        const struct joined_arc *arc = &joined->out[k];
        bool is_reached = arc->evidence == BY_BOTH;

        if (arc->type < JOINED_RUNTIME_CALLS)
            continue;
        for (size_t i = 1; i < walk.len && !is_reached; i++)
            is_reached = walk.steps[i].place == arc->place;
        s->explained += is_reached;
    }
    joined_walk_fini(&walk);
}

static void
judge_arc(struct scoring *s, uint32_t place, const struct joined_arc *arc)
{
    const struct moment *moment = s->moment;
    struct object ends[2] = {{0}, {0}};

    s->score->edges++;
    s->observed++;
    if (arc->evidence != BY_BOTH ||
        confidence_age(query_ages(moment->view), arc->last_s, moment->now_s) <
            AGE_STALE)
        return;
    s->err = object_of_place(s->moment, place, &ends[0]);
    if (!s->err)
        s->err = object_of_place(s->moment, arc->place, &ends[1]);
    if (!s->err)
        s->err = score_issue(
            s->score, STALE, buf_str(&ends[0].gid),
            "stands in the code to call %.*s, which was not seen for long",
            (int)ends[1].gid.len, ends[1].gid.ptr);
    object_fini(&ends[0]);
    object_fini(&ends[1]);
}

static void
judge_calls(struct scoring *s)
{
    const struct joined *joined = s->moment->joined;

    for (uint32_t place = 1; joined && place < joined->place_len && !s->err;
         place++) {
        size_t before = s->observed;
        bool is_checked = false;

        for (uint32_t k = joined->out_at[place];
             k < joined->out_at[place + 1] && !s->err; k++) {
            const struct joined_arc *arc = &joined->out[k];

            if (arc->type < JOINED_RUNTIME_CALLS)
                continue;
            if (!is_checked && !is_ours(s, place))
                break;
            is_checked = true;
            judge_arc(s, place, arc);
        }
        if (!s->err && s->observed > before)
            explain(s, place);
    }
    s->score->bonuses[1] =
        s->observed
            ? SCORE_BONUS_MAX * (double)s->explained / (double)s->observed
            : 0;
}

enum err
score_services(struct moment *moment, uint32_t repo, struct ids *out)
{
    const struct join *join = moment->joined ? moment->joined->join : NULL;
    enum err err = OK;

    for (uint32_t i = 0; join && i < join->folder_len && !err; i++)
        if (join->folders[i].repo == repo &&
            !ids_has(out, join->folders[i].service))
            err = ids_add(out, join->folders[i].service);
    return err;
}

enum err
score_runtime(struct moment *moment, const struct ids *services,
              struct score *out)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_SERVICE};
    struct audit_cfg cfg = audit_cfg_default;
    struct ids all = {0};
    struct scoring s = {.moment = moment, .score = out, .services = services};

    *out = (struct score){
        .classes = classes,
        .class_len = CLASS_LEN,
        .bonus_names = {"routes_observed", "calls_explained"},
    };
    if (!services) {
        s.err = query_find(moment->view, &find, &all);
        s.services = &all;
    }
    cfg.services = services;
    if (!s.err)
        s.err = audit_run(moment->view, &cfg, &s.audit);
    if (!s.err && moment->joined)
        s.err = closure_make(&s.closure, moment->joined, moment->view, &s.audit,
                             &cfg);
    if (!s.err)
        judge_routes(&s);
    judge_services(&s);
    judge_calls(&s);
    score_settle(out);
    closure_free(s.closure);
    audit_fini(&s.audit);
    ids_fini(&all);
    return s.err;
}
