/*
 * Services first, because they say where to look; then functions that spans
 * name, because they are surest; then all other endpoints.
 */
#include "graph/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/join_impl.h"

static const char *const hows[JOIN_HOW_END] = {
    [JOIN_NONE] = "none",         [JOIN_FUNCTION] = "function_attribute",
    [JOIN_ROUTE] = "route",       [JOIN_ANY] = "route_any_method",
    [JOIN_RPC] = "rpc",           [JOIN_TOPIC] = "topic",
    [JOIN_LITERAL] = "span_name", [JOIN_MOUNTED] = "route_under_prefix",
    [JOIN_GUESSED] = "path",      [JOIN_UNIQUE] = "unique_route",
};

const char *
join_how_str(uint8_t how)
{
    return hows[how < JOIN_HOW_END ? how : JOIN_NONE];
}

/* ---- services ---- */

/* `shop/cart` is also known as cart. */
static bool
is_named(str told, str service)
{
    const char *slash =
        service.len ? memrchr(service.ptr, '/', service.len) : NULL;

    return str_eq(told, service) ||
           (slash &&
            str_eq(told, str_cut(service, (size_t)(slash + 1 - service.ptr),
                                 service.len)));
}

static enum err
add_folder(struct join *join, uint32_t service, const struct code_service *row)
{
    struct join_folder *grown =
        realloc(join->folders, ((size_t)join->folder_len + 1) * sizeof(*grown));

    if (!grown)
        return ERR_NOMEM;
    join->folders = grown;
    join->folders[join->folder_len++] =
        (struct join_folder){service, row->repo, row->directory, row->evidence};
    return OK;
}

str
join_stem(str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

    if (slash)
        path = str_cut(path, (size_t)(slash + 1 - path.ptr), path.len);
    const char *dot = path.len ? memchr(path.ptr, '.', path.len) : NULL;
    return dot ? str_cut(path, 0, (size_t)(dot - path.ptr)) : path;
}

/* Where several programs share a folder, the only file of that name is one:
 * `services/gateway.js` is the program gateway. */
static enum err
find_file(struct joining *j, const struct query_node *service)
{
    const struct code *code = j->code;
    uint32_t found = 0;

    for (uint32_t i = 1; i < code->file_len; i++) {
        if (code->files[i].flags & (CODE_TEST | CODE_GENERATED) ||
            !is_named(join_stem(code->files[i].path), service->name))
            continue;
        if (found)
            return OK;
        found = i;
    }
    if (!found)
        return OK;
    return add_folder(j->join, service->id,
                      &(struct code_service){
                          .repo = code->files[found].repo,
                          .directory = code->files[found].path,
                          .evidence = STR("the file's name"),
                      });
}

/* All that the best evidence says: a service may be built from two folders. */
static enum err
find_folders(struct joining *j, const struct query_node *service)
{
    const struct code *code = j->code;
    uint32_t best = UINT32_MAX;
    enum err err = OK;

    for (uint32_t i = 0; i < code->service_len; i++)
        if (is_named(code->services[i].name, service->name) &&
            code->services[i].rank < best)
            best = code->services[i].rank;
    if (best == UINT32_MAX)
        return find_file(j, service);
    for (uint32_t i = 0; i < code->service_len && !err; i++)
        if (code->services[i].rank == best &&
            is_named(code->services[i].name, service->name))
            err = add_folder(j->join, service->id, &code->services[i]);
    return err;
}

bool
join_is_below(str path, str directory)
{
    if (directory.len == 0 || str_eq(path, directory))
        return true;
    return path.len > directory.len && path.ptr[directory.len] == '/' &&
           str_starts(path, directory);
}

bool
join_has_folder(const struct join *join, uint32_t service)
{
    for (uint32_t i = 0; i < join->folder_len; i++)
        if (join->folders[i].service == service)
            return true;
    return false;
}

bool
join_holds(const struct join *join, uint32_t service, uint32_t file)
{
    const struct code *code = join->code;
    const struct code_file *what =
        &code->files[file < code->file_len ? file : 0];
    size_t own = 0;
    size_t other = 0;
    bool held = false;

    /* The deepest folder wins; depths count from one. */
    for (uint32_t i = 0; i < join->folder_len; i++) {
        const struct join_folder *folder = &join->folders[i];
        size_t depth = folder->directory.len + 1;

        if (folder->repo != what->repo ||
            !join_is_below(what->path, folder->directory))
            continue;
        held |= folder->service == service;
        if (folder->service == service && depth > own)
            own = depth;
        else if (folder->service != service && depth > other)
            other = depth;
    }
    return held && own >= other;
}

/* ---- functions that spans name ---- */

static enum err
take_handled(struct joining *j, uint32_t endpoint, uint32_t symbol,
             int64_t count)
{
    struct join_row *row = &j->join->rows[endpoint];
    uint16_t permille;
    uint32_t vertex;

    if (count <= j->handled[endpoint])
        return OK;
    enum err err =
        join_function(j, query_node(j->view, symbol), &vertex, &permille);
    if (err || vertex == 0)
        return err;
    j->handled[endpoint] = count;
    *row = (struct join_row){
        .vertex = vertex, .permille = permille, .how = JOIN_FUNCTION};
    return OK;
}

static enum err
take_call(struct joining *j, const struct reader_edge *edge)
{
    struct join *join = j->join;
    uint16_t permille;
    uint32_t vertex;
    enum err err = join_function(j, query_node(j->view, edge->key.src), &vertex,
                                 &permille);

    if (err || vertex == 0)
        return err;
    if (!grow_room(join->calls, join->call_len, j->call_cap))
        return ERR_NOMEM;
    join->calls[join->call_len++] = (struct join_call){
        .vertex = vertex,
        .target = query_node(j->view, edge->key.dst)->target,
        .count = edge->count,
        .errors = edge->errors,
        .first_s = edge->first_s,
        .last_s = edge->last_s,
    };
    return OK;
}

static enum err
take_account(void *ctx, const struct reader_edge *edge)
{
    struct joining *j = ctx;

    if (edge->key.src >= j->join->len || edge->count <= 0)
        return OK;
    if (edge->key.kind == EDGE_CODE_CALL)
        return take_call(j, edge);
    return take_handled(j, query_node(j->view, edge->key.src)->target,
                        edge->key.dst, edge->count);
}

static int
compare_calls(const void *left, const void *right)
{
    const struct join_call *a = left;
    const struct join_call *b = right;

    if (a->vertex != b->vertex)
        return a->vertex < b->vertex ? -1 : 1;
    return (a->target > b->target) - (a->target < b->target);
}

/* One row a function and target. */
static void
sum_calls(struct join *join)
{
    uint32_t kept = 0;

    if (join->call_len == 0)
        return;
    qsort(join->calls, join->call_len, sizeof(*join->calls), compare_calls);
    for (uint32_t i = 1; i < join->call_len; i++) {
        struct join_call *to = &join->calls[kept];
        const struct join_call *from = &join->calls[i];

        if (compare_calls(to, from) != 0) {
            join->calls[++kept] = *from;
            continue;
        }
        to->count += from->count;
        to->errors += from->errors;
        to->first_s = from->first_s < to->first_s ? from->first_s : to->first_s;
        to->last_s = from->last_s > to->last_s ? from->last_s : to->last_s;
    }
    join->call_len = kept + 1;
}

/* ---- the rest ---- */

static enum err
find_services(struct joining *j)
{
    enum err err = OK;

    for (uint32_t id = 1; id < j->join->len && !err; id++) {
        const struct query_node *node = query_node(j->view, id);
        if (node->kind == NODE_SERVICE && node->target == id)
            err = find_folders(j, node);
    }
    return err;
}

/* Whether the function that |told| found is the handler of |route|, or more of
 * it than its code says: the method of a class.  Spans name the first function
 * met below a request, which may be a middleware or what the handler calls. */
static bool
is_handler(const struct code *code, const struct join_row *route,
           const struct join_row *told)
{
    const struct code_vertex *known = code_node(code, route->vertex);
    const struct code_vertex *named = code_node(code, told->vertex);
    bool is_sure =
        route->vertex && (route->how == JOIN_ROUTE || route->how == JOIN_ANY ||
                          route->how == JOIN_RPC);

    if (!is_sure || route->vertex == told->vertex)
        return true;
    return named->file == known->file && named->line >= known->line &&
           named->end_line <= known->end_line;
}

/* The function is surer than a route that fits in part, but the route is worth
 * knowing. */
static enum err
find_endpoints(struct joining *j)
{
    enum err err = OK;

    for (uint32_t id = 1; id < j->join->len && !err; id++) {
        const struct query_node *node = query_node(j->view, id);
        struct join_row *row = &j->join->rows[id];
        struct join_row route = {0};

        if (node->kind < NODE_ROUTE || node->kind > NODE_CONSUMER ||
            node->target != id)
            continue;
        err = join_endpoint(j, node, &route);
        if (row->vertex == 0 || !is_handler(j->code, &route, row))
            *row = route;
        row->route = route.route;
    }
    return err;
}

static int
compare_served(const void *left, const void *right, void *ctx)
{
    const struct join *join = ctx;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    uint32_t va = join->rows[a].vertex;
    uint32_t vb = join->rows[b].vertex;

    if (va != vb)
        return va < vb ? -1 : 1;
    return (a > b) - (a < b);
}

static enum err
turn_around(struct join *join)
{
    join->served = calloc((size_t)join->len + 1, sizeof(*join->served));
    join->route_nodes =
        calloc((size_t)join->code->route_len + 1, sizeof(*join->route_nodes));
    if (!join->served || !join->route_nodes)
        return ERR_NOMEM;
    for (uint32_t id = 1; id < join->len; id++) {
        const struct join_row *row = &join->rows[id];
        if (row->vertex)
            join->served[join->served_len++] = id;
        if (row->route && join->route_nodes[row->route - 1] == 0)
            join->route_nodes[row->route - 1] = id;
    }
    qsort_r(join->served, join->served_len, sizeof(*join->served),
            compare_served, join);
    return OK;
}

enum err
join_make(struct join **out, struct query_view *view, const struct code *code)
{
    const struct reader_edges accounts = {.from_kind = EDGE_CODE_CALL,
                                          .to_kind = EDGE_HANDLED};
    struct joining j = {.view = view, .code = code};
    enum err err = ERR_NOMEM;

    *out = NULL;
    j.join = calloc(1, sizeof(*j.join));
    if (!j.join)
        return err;
    j.join->code = code;
    j.join->len = catalog_len(view->catalog) + 1;
    j.join->rows = calloc(j.join->len, sizeof(*j.join->rows));
    j.handled = calloc(j.join->len, sizeof(*j.handled));
    j.told = calloc(j.join->len, sizeof(*j.told));
    if (!j.join->rows || !j.handled || !j.told)
        goto out;
    /* Without code there is nothing to find. */
    if (code->node_len > 1 &&
        ((err = join_index_make(&j.index, code)) || (err = find_services(&j)) ||
         (err = reader_each_edge(view->reader, &accounts, take_account, &j)) ||
         (err = find_endpoints(&j))))
        goto out;
    sum_calls(j.join);
    if ((err = turn_around(j.join)))
        goto out;
    *out = j.join;
    j.join = NULL;
out:
    join_free(j.join);
    free(j.handled);
    free(j.told);
    join_index_fini(&j.index);
    ids_fini(&j.scratch);
    buf_fini(&j.text);
    buf_fini(&j.path);
    buf_fini(&j.built);
    return err;
}

void
join_free(struct join *join)
{
    if (!join)
        return;
    free(join->rows);
    free(join->folders);
    free(join->calls);
    free(join->served);
    free(join->route_nodes);
    free(join);
}

const struct join_row *
join_of(const struct join *join, uint32_t node)
{
    return &join->rows[node < join->len ? node : 0];
}

const uint32_t *
join_served(const struct join *join, uint32_t vertex, uint32_t *len)
{
    uint32_t low = 0;
    uint32_t high = join->served_len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (join->rows[join->served[middle]].vertex < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    for (*len = 0; low + *len < join->served_len &&
                   join->rows[join->served[low + *len]].vertex == vertex;)
        ++*len;
    return join->served + low;
}
