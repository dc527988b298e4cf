/*
 * One observed node at a time against what its service's folders hold.  Of
 * several that fit equally well none is taken: a wrong handler is worse than
 * none.
 */
#include <string.h>

#include "graph/audit_candidate.h"
#include "graph/code_build.h"
#include "graph/join_impl.h"

/* How well a route of the code fits, the best first. */
struct best {
    uint32_t route; /* + 1 */
    uint32_t rivals;
    uint8_t how;
};

static uint8_t
fit_route(const struct code_route *route, const struct query_node *endpoint)
{
    struct route_name observed = route_name_of(endpoint->name);
    struct route_name declared = {route->method,
                                  route_path_trim(route->canonical)};
    bool is_guess = endpoint->source == ROUTE_SOURCE_HEURISTIC;
    enum fit fit = route_fits(declared, observed, is_guess);

    if (fit == FIT_EXACT && !(route->flags & ROUTE_PREFIX_UNKNOWN))
        return str_eq(declared.method, observed.method) ? JOIN_ROUTE : JOIN_ANY;
    if (fit == FIT_EXACT || fit == FIT_MOUNTED)
        return JOIN_MOUNTED;
    return fit == FIT_GUESSED ? JOIN_GUESSED : JOIN_NONE;
}

/* `shop.Cart/Add`, where a stub may leave the package out. */
static uint8_t
fit_rpc(const struct code_route *route, const struct query_node *endpoint)
{
    str name = endpoint->name;
    str full = route->canonical;

    if (str_eq(name, full))
        return JOIN_RPC;
    if (full.len > name.len && full.ptr[full.len - name.len - 1] == '.' &&
        str_eq(str_cut(full, full.len - name.len, full.len), name))
        return JOIN_MOUNTED;
    return JOIN_NONE;
}

static uint8_t
fit(const struct code *code, const struct code_route *route,
    const struct query_node *endpoint)
{
    uint8_t kind = code_node(code, route->node)->kind;

    if (route->flags & ROUTE_IS_CLIENT)
        return JOIN_NONE;
    if (endpoint->kind == NODE_ROUTE && kind == CODE_ROUTE)
        return fit_route(route, endpoint);
    if (endpoint->kind == NODE_RPC && kind == CODE_RPC)
        return fit_rpc(route, endpoint);
    if (endpoint->kind == NODE_CONSUMER && kind == CODE_TOPIC)
        return str_eq(route->canonical, endpoint->name) ? JOIN_TOPIC
                                                        : JOIN_NONE;
    return JOIN_NONE;
}

/* Rows of one handler are no rivals: a route may be registered twice; and one
 * with a handler goes before one from a document. */
static void
weigh(const struct code *code, struct best *best, uint32_t route, uint8_t how)
{
    const struct code_route *now = &code->routes[route];
    const struct code_route *before =
        best->route ? &code->routes[best->route - 1] : NULL;

    if (how == JOIN_NONE || (before && how > best->how))
        return;
    if (before && how == best->how) {
        bool is_same = before->handler == now->handler || now->handler == 0;
        if (before->handler == 0 && now->handler != 0)
            best->route = route + 1;
        else if (!is_same)
            best->rivals++;
        return;
    }
    *best = (struct best){.route = route + 1, .how = how};
}

static uint16_t
sureness(uint8_t how)
{
    static const uint16_t permille[JOIN_HOW_END] = {
        [JOIN_FUNCTION] = 990, [JOIN_ROUTE] = 990,   [JOIN_ANY] = 950,
        [JOIN_RPC] = 990,      [JOIN_TOPIC] = 950,   [JOIN_LITERAL] = 700,
        [JOIN_MOUNTED] = 800,  [JOIN_GUESSED] = 700, [JOIN_UNIQUE] = 800,
    };

    return permille[how < JOIN_HOW_END ? how : JOIN_NONE];
}

/* The string that starts spans of that name, in one function only. */
static uint32_t
by_literal(struct joining *j, const struct query_node *endpoint)
{
    const struct code *code = j->code;
    uint32_t found = 0;
    uint32_t at;
    uint32_t end;

    join_index_literals(&j->index, endpoint->name, &at, &end);
    for (; at < end; at++) {
        const struct code_literal *literal =
            &code->literals[j->index.literals[at]];
        if (literal->node == found ||
            !join_holds(j->join, endpoint->owner,
                        code_node(code, literal->node)->file))
            continue;
        if (found)
            return 0;
        found = literal->node;
    }
    return found;
}

enum err
join_endpoint(struct joining *j, const struct query_node *endpoint,
              struct join_row *row)
{
    const struct code *code = j->code;
    bool has_folder = join_has_folder(j->join, endpoint->owner);
    struct best best = {0};

    *row = (struct join_row){0};
    if (route_is_catch_all(endpoint))
        return OK;
    enum err err = join_index_find(&j->index, endpoint, &j->scratch, &j->text);
    if (err)
        return err;
    for (size_t i = 0; i < j->scratch.len; i++) {
        const struct code_route *route = &code->routes[j->scratch.ids[i]];
        uint8_t how = fit(code, route, endpoint);

        if (how == JOIN_NONE ||
            (has_folder && !join_holds(j->join, endpoint->owner, route->file)))
            continue;
        /* Where the folder is not known only what cannot be mistaken counts. */
        if (!has_folder && how != JOIN_ROUTE && how != JOIN_RPC &&
            how != JOIN_TOPIC)
            continue;
        weigh(code, &best, j->scratch.ids[i], how);
    }
    if (best.route && best.rivals == 0) {
        row->route = best.route;
        row->vertex = code->routes[best.route - 1].handler;
        row->how = has_folder ? best.how : JOIN_UNIQUE;
    } else if (best.route == 0 && has_folder) {
        row->vertex = by_literal(j, endpoint);
        row->how = row->vertex ? JOIN_LITERAL : JOIN_NONE;
    }
    row->permille = sureness(row->how);
    return OK;
}
