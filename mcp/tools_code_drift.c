/*
 * drift: where code and traces do not agree.
 *
 * undocumented    observed between two services, and no call in the code of the
 *                 caller is known that says so
 * never_observed  asked for in the code of a service that sends spans, and no
 *                 span of it ever did
 *
 * Both are judged by service: a span tells which endpoint calls, not always
 * which function, and the client's call stands somewhere below it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "graph/code_build.h"
#include "graph/query_edges.h"
#include "graph/query_stats.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_reply.h"

enum drift_kind { UNDOCUMENTED, NEVER_OBSERVED };
static const char *const words[] = {"undocumented", "never_observed"};

struct drift_row {
    enum drift_kind kind;
    uint32_t service;
    uint32_t edge;  /* of an undocumented one: index in edges */
    uint32_t route; /* of the other: index in code->routes */
};

struct drift {
    struct tool_run *run;
    const struct joined *joined;
    struct idset only;
    bool has_only;            /* else all services */
    struct query_edges edges; /* observed, between endpoints */
    struct drift_row *rows;
    size_t len;
    size_t counts[2];
    size_t not_judged; /* observed edges of services without code */
};

static bool
has_code(const struct drift *d, uint32_t service)
{
    const struct join *join = d->joined->join;

    for (uint32_t i = 0; i < join->folder_len; i++)
        if (join->folders[i].service == service)
            return true;
    return false;
}

static uint32_t
service_of(const struct drift *d, uint32_t node)
{
    const struct query_node *n = query_node(d->run->view, node);

    return n->kind == NODE_SERVICE ? n->id : n->owner;
}

/* `http://cart:8080/items`: cart. */
static str
host_of(str raw)
{
    const char *at = raw.len ? memmem(raw.ptr, raw.len, "://", 3) : NULL;
    size_t len = 0;

    if (!at)
        return (str){"", 0};
    raw = str_cut(raw, (size_t)(at + 3 - raw.ptr), raw.len);
    while (len < raw.len && !strchr("/:", raw.ptr[len]))
        len++;
    return str_cut(raw, 0, len);
}

static bool
is_method(str a, str b)
{
    return str_eq(a, b) || str_eq(a, STR("ANY")) || str_eq(b, STR("ANY")) ||
           a.len == 0 || b.len == 0;
}

/* Whether what |client| asks for is |target|: an endpoint of its name, a topic,
 * or an outside party that is called like its host. */
static bool
is_asked(const struct drift *d, const struct code_route *client,
         uint32_t target)
{
    const struct query_node *node = query_node(d->run->view, target);
    const struct code *code = d->joined->code;
    str host = host_of(client->raw);

    if (node->kind == NODE_EXTERNAL || node->kind == NODE_SERVICE)
        return host.len > 0 &&
               (str_eq(host, node->name) ||
                (str_starts(host, node->name) && host.len > node->name.len &&
                 host.ptr[node->name.len] == '.'));
    if (node->kind != NODE_ROUTE)
        return str_eq(client->canonical, node->name) ||
               str_eq(client->raw, node->name);
    const char *space =
        node->name.len ? memchr(node->name.ptr, ' ', node->name.len) : NULL;
    size_t at = space ? (size_t)(space - node->name.ptr) : 0;
    str path = space ? str_cut(node->name, at + 1, node->name.len) : node->name;
    if (str_eq(client->canonical, path) &&
        is_method(client->method, str_cut(node->name, 0, at)))
        return true;
    const struct join_row *row = join_of(d->joined->join, target);
    return row->route && code->routes[row->route - 1].node == client->node;
}

static bool
is_client_of(const struct drift *d, const struct code_route *route,
             uint32_t service)
{
    return route->flags & ROUTE_IS_CLIENT &&
           join_holds(d->joined->join, service, route->file);
}

/* The code publishes to, or names, what was observed. */
static bool
is_written(const struct drift *d, const struct query_edge *edge)
{
    const struct code *code = d->joined->code;
    uint32_t service = service_of(d, edge->source);
    uint32_t to = joined_place(d->joined, edge->target);

    for (uint32_t i = 0; i < code->route_len; i++)
        if (is_client_of(d, &code->routes[i], service) &&
            is_asked(d, &code->routes[i], edge->target))
            return true;
    for (uint32_t i = d->joined->in_at[to]; i < d->joined->in_at[to + 1]; i++) {
        const struct joined_arc *arc = &d->joined->in[i];
        uint32_t from = joined_vertex(d->joined, arc->place);

        if (from && arc->evidence & BY_STATIC &&
            join_holds(d->joined->join, service, code_node(code, from)->file))
            return true;
    }
    return false;
}

static void
judge_edge(struct drift *d, uint32_t i)
{
    const struct query_edge *edge = &d->edges.rows[i];
    uint32_t from = service_of(d, edge->source);

    if (from == 0 || from == service_of(d, edge->target) ||
        (d->has_only && !idset_has(&d->only, from)) ||
        edge->kind == EDGE_VIRTUAL_IN || edge->kind == EDGE_DB ||
        edge->kind == EDGE_MSG_SUB || edge->kind == EDGE_MSG)
        return;
    if (!has_code(d, from))
        d->not_judged++;
    else if (!is_written(d, edge))
        d->rows[d->len++] = (struct drift_row){UNDOCUMENTED, from, i, 0};
}

static bool
was_observed(const struct drift *d, const struct code_route *client,
             uint32_t service)
{
    for (size_t i = 0; i < d->edges.len; i++)
        if (service_of(d, d->edges.rows[i].source) == service &&
            is_asked(d, client, d->edges.rows[i].target))
            return true;
    return false;
}

/* Of the services that the file is of, in whatever environment, none did.
 * Topics that are published to are clients too; what is in tests is not. */
static void
judge_route(struct drift *d, uint32_t i)
{
    const struct code *code = d->joined->code;
    const struct code_route *route = &code->routes[i];
    const struct join *join = d->joined->join;
    struct query_seen seen = {0};
    uint32_t silent = 0;

    if (!(route->flags & ROUTE_IS_CLIENT) ||
        code->files[route->file].flags & CODE_TEST)
        return;
    for (uint32_t k = 0; k < join->folder_len && !d->run->err; k++) {
        uint32_t service = join->folders[k].service;

        if (!is_client_of(d, route, service) ||
            (d->has_only && !idset_has(&d->only, service)))
            continue;
        if (was_observed(d, route, service))
            return;
        d->run->err = query_seen(d->run->view, service, &seen);
        if (silent == 0 && seen.spans > 0)
            silent = service;
    }
    if (silent && !d->run->err)
        d->rows[d->len++] = (struct drift_row){NEVER_OBSERVED, silent, 0, i};
}

static void
judge(struct drift *d, const bool wants[2])
{
    size_t most = d->edges.len + d->joined->code->route_len + 1;

    d->rows = calloc(most, sizeof(*d->rows));
    if (!d->rows) {
        d->run->err = ERR_NOMEM;
        return;
    }
    for (uint32_t i = 0; wants[UNDOCUMENTED] && i < d->edges.len; i++)
        judge_edge(d, i);
    d->counts[UNDOCUMENTED] = d->len;
    for (uint32_t i = 0;
         wants[NEVER_OBSERVED] && i < d->joined->code->route_len; i++)
        judge_route(d, i);
    d->counts[NEVER_OBSERVED] = d->len - d->counts[UNDOCUMENTED];
}

/* ---- the reply ---- */

static uint64_t
row_key(const void *ctx, size_t i)
{
    const struct drift *d = ctx;
    const struct drift_row *row = &d->rows[i];
    unsigned char hash[32];

    if (row->kind == UNDOCUMENTED) {
        query_edge_hash(d->run->view, &d->edges.rows[row->edge], hash);
        return hash_key(hash);
    }
    const struct code_route *route = &d->joined->code->routes[row->route];
    return hash_key(code_node(d->joined->code, route->node)->hash) +
           route->line;
}

static void
put_edge(const struct drift *d, cJSON *row, const struct query_edge *edge)
{
    const struct code *code = d->joined->code;
    uint32_t from =
        joined_vertex(d->joined, joined_place(d->joined, edge->source));

    put_qualified(d->run, row, "source", edge->source);
    put_qualified(d->run, row, "target", edge->target);
    put_env(d->run, row, edge->source, edge->target);
    cJSON_AddStringToObject(row, "type", edge_kind_str(edge->kind));
    put_num(row, "count", (double)edge->count);
    put_time(row, "last_observed", edge->last_s);
    if (!from)
        return;
    put_str(row, "handler", code_node(code, from)->qualified);
    put_at(code, row, from);
}

static void
put_client(const struct drift *d, cJSON *row, const struct code_route *route)
{
    const struct code *code = d->joined->code;
    struct buf name = {0};

    if (route->handler)
        put_str(row, "source", code_node(code, route->handler)->qualified);
    else
        put_str(row, "source", code->files[route->file].path);
    if (route->method.len)
        buf_printf(&name, "%.*s ", (int)route->method.len, route->method.ptr);
    buf_add(&name, route->raw);
    put_str(row, "target", buf_str(&name));
    put_str(row, "type", route->framework);
    put_num(row, "count", 0);
    put_str(row, "file", code->files[route->file].path);
    put_num(row, "line", route->line);
    buf_fini(&name);
}

static void
show(struct drift *d)
{
    struct tool_run *run = d->run;
    struct tool_page page = {
        .run = run, .name = "drift", .key = row_key, .ctx = d, .total = d->len};

    page_open(&page, 50);
    while (page_more(&page)) {
        const struct drift_row *what = &d->rows[page.at];
        cJSON *row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "kind", words[what->kind]);
        put_name(run, row, "service", what->service);
        if (what->kind == UNDOCUMENTED)
            put_edge(d, row, &d->edges.rows[what->edge]);
        else
            put_client(d, row, &d->joined->code->routes[what->route]);
        page_add(&page, row);
    }
    page_close(&page);
    for (size_t i = 0; i < 2; i++)
        put_num(run->reply, words[i], (double)d->counts[i]);
    reply_summary(run,
                  "%zu observed call%s without a counterpart in the code, %zu "
                  "in the code never observed",
                  d->counts[0], d->counts[0] == 1 ? "" : "s", d->counts[1]);
    if (d->not_judged)
        tool_hint(run,
                  "%zu observed calls are of services whose code is not "
                  "indexed, or not known to be theirs",
                  d->not_judged);
    if (d->counts[UNDOCUMENTED])
        tool_hint(run, "an address that is put together at run time is not "
                       "seen in the code: undocumented is no error");
    hint_no_code(run, d->joined->code);
}

void
tool_drift(struct tool_run *run)
{
    struct drift d = {.run = run, .joined = tool_joined(run)};
    const struct query_filter filter = {.level = LEVEL_ENDPOINT};
    struct ids services = {0};
    str kind = tool_str(run, "kind");
    bool wants[2] = {true, true};

    d.has_only = tool_scope(run, TOOL_SERVICE, &services) != NULL;
    if (!run->err)
        run->err = idset_add_all(&d.only, &services);
    if (kind.len) {
        wants[UNDOCUMENTED] = str_eq(kind, str_of(words[UNDOCUMENTED]));
        wants[NEVER_OBSERVED] = str_eq(kind, str_of(words[NEVER_OBSERVED]));
    }
    if (!run->err && !wants[UNDOCUMENTED] && !wants[NEVER_OBSERVED])
        tool_fail(run, ERR_INVALID,
                  "kind \"%.40s\" is none of undocumented, never_observed",
                  kind.ptr);
    if (!run->err)
        run->err = query_edges(run->view, &filter, &d.edges);
    if (!run->err)
        judge(&d, wants);
    if (!run->err)
        show(&d);
    query_edges_fini(&d.edges);
    idset_fini(&d.only);
    ids_fini(&services);
    free(d.rows);
}
