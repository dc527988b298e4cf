/*
 * The universe, then one verdict for each of it.  A declaration is spread over
 * the environments in which its service is seen; then each observed endpoint
 * is looked for among the declared: by path, sorted, or if that finds nothing
 * by what is likely, because that must clear.  What is left stands for itself.
 */
#include "graph/audit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "graph/audit_index.h"
#include "graph/query_stop.h"
#include "graph/routes.h"
#include "store/node_rows.h"

enum { SHADOW_MAX = 2000 }; /* declared routes compared with one another */

const struct audit_cfg audit_cfg_default = {
    .stale_days = 30,
    .stopped_gaps = 3,
    .new_days = 7,
    .deploy_grace_s = 24 * S_PER_H,
};

struct universe {
    struct audit_facts *facts;
    struct candidate *rows; /* declared first, sorted by service and path */
    size_t len;
    size_t cap;
    size_t declared;
    struct audit_index index; /* of the declared */
    struct buf *text;         /* declared names, by offset while it grows */
};

static enum err
add_row(struct universe *all, struct candidate **out)
{
    if (!grow_room(all->rows, all->len, all->cap))
        return ERR_NOMEM;
    *out = &all->rows[all->len++];
    **out = (struct candidate){0};
    return OK;
}

/* That of a route which is gone counts, too: where all have new paths, these
 * are not the first that the service has. */
static void
note_declared(struct audit_facts *facts, uint32_t service, uint32_t created_s)
{
    uint32_t index = facts->service_of[service];

    if (index == 0)
        return;
    struct service_facts *known = &facts->services[index - 1];
    if (known->declared_s == 0 || created_s < known->declared_s)
        known->declared_s = created_s;
}

static enum err
add_declared(struct universe *all, uint32_t service,
             const struct route_row *row)
{
    struct audit_facts *facts = all->facts;
    struct candidate *c;
    uint32_t index;
    enum err err = audit_facts_service(facts, service, &index);

    if (!err)
        err = add_row(all, &c);
    if (err)
        return err;
    facts->services[index].declared++;
    note_declared(facts, service, row->created_s);
    c->service = index;
    c->id = row->id;
    c->is_spread = row->service != service;
    c->route = (struct audit_route){
        .service = service,
        .node = row->node,
        .kind = row->pattern.len && row->pattern.ptr[0] != '/' ? NODE_RPC
                                                               : NODE_ROUTE,
        .is_declared = true,
        .created_s = row->created_s,
        .method.len = row->method.len,
        .pattern.len = row->pattern.len,
    };
    c->raw.len = row->raw.len;
    c->is_below = str_starts(row->origin, ROUTES_OF_MOUNT);
    c->is_code = routes_is_of_code(row->origin);
    const struct query_node *node = query_node(facts->view, row->node);
    if (node->kind == NODE_ROUTE || node->kind == NODE_RPC)
        c->route.kind = node->kind;
    buf_add(all->text, row->method);
    buf_add(all->text, row->pattern);
    buf_add(all->text, row->raw);
    return all->text->failed ? ERR_NOMEM : OK;
}

static enum err
take_declared(struct universe *all, uint32_t service,
              const struct route_row *row)
{
    if (!row->removed_s)
        return add_declared(all, service, row);
    note_declared(all->facts, service, row->created_s);
    return OK;
}

/* Services of the same name that were seen, if the declaration names none. */
static enum err
spread(void *ctx, const struct route_row *row)
{
    struct universe *all = ctx;
    const struct query_view *view = all->facts->view;
    const struct query_node *service = query_node(view, row->service);
    size_t seen = all->facts->service_len;
    bool is_spread = false;
    enum err err = OK;

    if (service->kind != NODE_SERVICE ||
        !audit_facts_is_asked(all->facts, row->service))
        return OK;
    /* Rows of the code may have gone because others have them for the services
     * that are seen: of these they say nothing. */
    if (service->env.len > 0 ||
        (row->removed_s && routes_is_of_code(row->origin)))
        seen = 0;
    for (size_t i = 0; !err && i < seen; i++) {
        const struct service_facts *other = &all->facts->services[i];

        if (other->seen_first_s == 0 && other->count == 0)
            continue;
        if (!str_eq(query_node(view, other->node)->name, service->name))
            continue;
        err = take_declared(all, other->node, row);
        is_spread = true;
    }
    return err || is_spread ? err : take_declared(all, row->service, row);
}

static void
set_names(struct universe *all)
{
    const char *at = all->text->ptr;

    for (size_t i = 0; i < all->len; i++) {
        struct audit_route *route = &all->rows[i].route;

        route->method.ptr = at;
        route->pattern.ptr = at + route->method.len;
        all->rows[i].raw.ptr = route->pattern.ptr + route->pattern.len;
        at = all->rows[i].raw.ptr + all->rows[i].raw.len;
        if (str_eq(route->method, STR("ANY")) && route->kind == NODE_RPC)
            route->method.len = 0;
    }
}

static int
compare_declared(const void *a, const void *b)
{
    const struct candidate *left = a;
    const struct candidate *right = b;
    int order;

    if (left->service != right->service)
        return left->service < right->service ? -1 : 1;
    order = str_order(route_path_trim(left->route.pattern),
                      route_path_trim(right->route.pattern));
    if (!order)
        order = str_order(left->route.method, right->route.method);
    return order ? order : (left->id > right->id) - (left->id < right->id);
}

static struct route_name
name_of(const struct audit_route *route)
{
    return (struct route_name){.method = route->method,
                               .path = route_path_trim(route->pattern)};
}

/* Whether |node| is what |c| names another environment's node of. */
static bool
is_spread_to(const struct candidate *c, const struct query_node *node)
{
    return c->is_spread &&
           (str_eq(c->route.method, route_name_of(node->name).method) ||
            str_eq(c->route.method, STR("ANY")));
}

static void
take_traffic(struct candidate *c, const struct endpoint *endpoint,
             const struct query_node *node, enum fit fit)
{
    traffic_add(&c->traffic, &endpoint->traffic);
    c->is_named |= fit == FIT_EXACT && route_is_named(node);
    if (fit == FIT_MOUNTED)
        c->route.reasons |= UINT32_C(1) << AUDIT_MOUNTED;
    if (fit == FIT_GUESSED)
        c->route.reasons |= UINT32_C(1) << AUDIT_GUESSED;
    if (c->route.node == 0 || (fit == FIT_EXACT && is_spread_to(c, node)))
        c->route.node = endpoint->node;
}

/* An endpoint that is no declared route but for a guess, or a prefix. */
struct likely {
    const struct endpoint *endpoint;
    const struct query_node *node;
    str path;
    bool is_exact; /* one was it: then it clears only what it may hold */
    bool found;
};

static void
take_likely(void *ctx, struct candidate *c, enum fit fit)
{
    struct likely *likely = ctx;

    if (likely->is_exact &&
        (fit != FIT_GUESSED ||
         !route_covers(likely->path, name_of(&c->route).path)))
        return;
    take_traffic(c, likely->endpoint, likely->node, fit);
    likely->found = true;
}

/* Whether calls of |node|, which is |c|'s own, may be of any path it covers: it
 * is a guess, or may have been one until |c| was declared, in the window. Since
 * then paths are matched with what is declared. */
static bool
was_guess(const struct audit_facts *facts, const struct endpoint *endpoint,
          const struct query_node *node, const struct candidate *c)
{
    uint32_t declared_s = c->route.created_s;

    return node->source == ROUTE_SOURCE_HEURISTIC ||
           (node->source == ROUTE_SOURCE_STATIC &&
            node->created_s < declared_s &&
            endpoint->traffic.first_s < declared_s &&
            facts->from_hour * S_PER_H <= declared_s);
}

/* Whether |endpoint| is one of the declared routes, and adds it to those. */
static bool
match_declared(struct universe *all, const struct endpoint *endpoint,
               const struct query_node *node)
{
    struct route_name name = route_name_of(node->name);
    size_t first =
        candidates_from(all->rows, all->declared, endpoint->service, name.path);
    bool is_guess = node->source == ROUTE_SOURCE_HEURISTIC;
    bool found = false;

    for (size_t i = first; i < all->declared; i++) {
        struct candidate *c = &all->rows[i];
        struct route_name declared = name_of(&c->route);

        if (c->service != endpoint->service ||
            !str_eq(declared.path, name.path))
            break;
        /* A preflight is nobody's call, but it is no other route either. */
        found |= str_eq(name.method, STR("OPTIONS"));
        if (route_fits(declared, name, false) != FIT_EXACT)
            continue;
        take_traffic(c, endpoint, node, FIT_EXACT);
        is_guess |= was_guess(all->facts, endpoint, node, c);
        found = true;
    }
    if (found && !is_guess)
        return true;
    struct likely likely = {endpoint, node, name.path, found, found};
    audit_index_each(&all->index, endpoint->service, name, is_guess,
                     take_likely, &likely);
    return likely.found;
}

/* Who asks by JSON-RPC names a method as the code may declare it.  That is all
 * it can be: a declared method is a whole name, and no path. */
static bool
match_asked(struct universe *all, const struct endpoint *endpoint,
            const struct query_node *node)
{
    str name = route_path_trim(node->name);
    bool found = false;

    for (size_t i =
             candidates_from(all->rows, all->declared, endpoint->service, name);
         i < all->declared; i++) {
        struct candidate *c = &all->rows[i];
        if (c->service != endpoint->service ||
            !str_eq(name_of(&c->route).path, name))
            break;
        if (c->route.kind != NODE_RPC)
            continue;
        take_traffic(c, endpoint, node, FIT_EXACT);
        c->is_asked = true;
        found = true;
    }
    return found;
}

static enum err
add_observed(struct universe *all, const struct endpoint *endpoint)
{
    const struct query_view *view = all->facts->view;
    const struct query_node *node = query_node(view, endpoint->node);
    struct candidate *c;
    bool is_asked = route_is_asked(node);

    if ((node->kind != NODE_ROUTE && node->kind != NODE_RPC) ||
        route_is_catch_all(node) ||
        (is_asked ? match_asked(all, endpoint, node)
                  : match_declared(all, endpoint, node)))
        return OK;
    enum err err = add_row(all, &c);
    if (err)
        return err;
    const char *space = node->kind == NODE_ROUTE && node->name.len
                            ? memchr(node->name.ptr, ' ', node->name.len)
                            : NULL;
    size_t method = space ? (size_t)(space - node->name.ptr) : 0;
    c->service = endpoint->service;
    c->traffic = endpoint->traffic;
    c->is_named = route_is_named(node);
    c->is_asked = is_asked;
    c->is_guess =
        node->kind == NODE_ROUTE && node->source == ROUTE_SOURCE_HEURISTIC;
    c->route = (struct audit_route){
        .service = all->facts->services[endpoint->service].node,
        .node = endpoint->node,
        .kind = node->kind,
        .method = str_cut(node->name, 0, method),
        .pattern = str_cut(node->name, space ? method + 1 : 0, node->name.len),
        .created_s = node->created_s,
        .reasons = c->is_guess ? UINT32_C(1) << AUDIT_GUESSED : 0,
    };
    return OK;
}

/* What the other declared routes of its service say of a route without calls:
 * that one answers its method too, or takes its calls. */
static void
look_around(const struct universe *all, struct candidate *c)
{
    struct route_name name = name_of(&c->route);
    bool is_side =
        str_eq(name.method, STR("HEAD")) || str_eq(name.method, STR("OPTIONS"));

    for (size_t i = candidates_from(all->rows, all->declared, c->service,
                                    (str){"", 0});
         i < all->declared && all->rows[i].service == c->service; i++) {
        const struct candidate *other = &all->rows[i];
        struct route_name declared = name_of(&other->route);

        if (other == c || other->traffic.in_window == 0)
            continue;
        if (is_side && str_eq(declared.path, name.path))
            c->is_implied = true;
        if (other->id < c->id && !str_eq(declared.path, name.path) &&
            route_method_fits(declared.method, name.method) &&
            route_covers(declared.path, name.path))
            c->route.shadowed_by = other->route.node;
    }
}

static void
finish(struct universe *all, struct candidate *c)
{
    if (c->traffic.total == 0 && c->route.is_declared &&
        all->facts->services[c->service].declared <= SHADOW_MAX)
        look_around(all, c);
    c->route.count = c->traffic.in_window;
    c->route.total = c->traffic.total;
    c->route.first_s = c->traffic.first_s;
    c->route.last_s = c->traffic.last_s;
    c->route.last_version = c->traffic.last_version;
    audit_judge(all->facts, c);
}

static bool
is_asked(const struct audit_facts *facts, const struct candidate *c)
{
    const struct audit_cfg *cfg = facts->cfg;

    if (cfg->services && !ids_has(cfg->services, c->route.service))
        return false;
    if (cfg->nodes && !ids_has(cfg->nodes, c->route.node))
        return false;
    return cfg->env.len == 0 ||
           str_eq(query_node(facts->view, c->route.service)->env, cfg->env);
}

static int
compare_routes(const void *a, const void *b, void *ctx)
{
    const struct audit_route *left = a;
    const struct audit_route *right = b;
    int order;

    if (left->verdict != right->verdict)
        return left->verdict < right->verdict ? -1 : 1;
    if (left->trust != right->trust)
        return left->trust > right->trust ? -1 : 1;
    order = str_order(query_node(ctx, left->service)->name,
                      query_node(ctx, right->service)->name);
    if (!order)
        order = str_order(left->pattern, right->pattern);
    if (!order)
        order = str_order(left->method, right->method);
    return order ? order
                 : (left->service > right->service) -
                       (left->service < right->service);
}

void
audit_sort(struct audit *audit, struct query_view *view)
{
    if (audit->len)
        qsort_r(audit->routes, audit->len, sizeof(*audit->routes),
                compare_routes, view);
}

static enum err
judge_all(struct universe *all, struct audit *out)
{
    enum err err = OK;

    out->routes = calloc(all->len + 1, sizeof(*out->routes));
    if (!out->routes)
        return ERR_NOMEM;
    for (size_t i = 0; !err && i < all->len; i++) {
        if ((err = query_check_at(all->facts->view, i)))
            break;
        if (!is_asked(all->facts, &all->rows[i]))
            continue;
        finish(all, &all->rows[i]);
        out->routes[out->len++] = all->rows[i].route;
        out->by_verdict[all->rows[i].route.verdict]++;
    }
    if (!err)
        audit_sort(out, all->facts->view);
    return err;
}

enum err
audit_run(struct query_view *view, const struct audit_cfg *cfg,
          struct audit *out)
{
    struct audit_facts facts = {0};
    struct universe all = {.facts = &facts};
    enum err err = ERR_NOMEM;

    *out = (struct audit){0};
    out->text = all.text = calloc(1, sizeof(*all.text));
    if (!all.text)
        return err;
    if ((err = audit_facts_gather(&facts, view, cfg)))
        goto out;
    buf_grow(all.text, 1); /* so that no view is of NULL */
    if ((err = reader_each_route(view->reader, spread, &all)))
        goto out;
    set_names(&all);
    if (all.len)
        qsort(all.rows, all.len, sizeof(*all.rows), compare_declared);
    all.len = all.declared = audit_drop_twice(&facts, all.rows, all.len);
    err = audit_index_make(&all.index, &all.rows, all.declared);
    for (size_t i = 0; !err && i < facts.endpoint_len; i++)
        if (!(err = query_check_at(view, i)))
            err = add_observed(&all, &facts.endpoints[i]);
    for (size_t i = 0; !err && i < all.len; i++)
        if (!(err = query_check_at(view, i)))
            err =
                audit_find_mounts(&facts, all.rows, all.declared, &all.rows[i]);
    if (!err)
        err = audit_share_patterns(all.rows, all.declared);
    if (!err)
        err = judge_all(&all, out);
    out->from_s = facts.from_hour * S_PER_H;
    out->to_s = view->now_s;
    out->lost = facts.lost;
out:
    audit_index_fini(&all.index);
    free(all.rows);
    audit_facts_fini(&facts);
    if (err)
        audit_fini(out);
    return err;
}

void
audit_fini(struct audit *audit)
{
    free(audit->routes);
    if (audit->text)
        buf_fini(audit->text);
    free(audit->text);
    *audit = (struct audit){0};
}
