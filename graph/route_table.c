/*
 * Nodes of the trie are indexes into one array, 0 being the root, so a null
 * index is "none".  A node's children hang in a list; those with literal text
 * are also in a hash table keyed by (parent, text), for tables have nodes with
 * thousands of them.  Matching goes depth first through all that fits and keeps
 * the best route seen.  What fits is usually one or two; the number of steps
 * is bounded for tables made to make it many.
 */
#include "graph/route_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "graph/route_text.h"

enum { SEGMENTS_MAX = 64, MATCH_STEPS_MAX = 4096, REST_VARS = 100 };

enum part { PART_TEXT, PART_MIXED, PART_VAR, PART_REST };

struct trie_node {
    str text;
    uint32_t parent;
    uint32_t specials; /* first child that is not PART_TEXT */
    uint32_t next;     /* next of the parent's specials */
    uint32_t routes;   /* first route that ends here, + 1 */
    uint8_t part;
    bool is_inner; /* has children */
};

struct route {
    char *text; /* the pattern and the method */
    str method;
    str pattern;
    uint32_t vars;
    uint32_t text_len;
    uint32_t next; /* next that ends at the same node, + 1 */
};

struct route_table {
    struct trie_node *nodes;
    uint32_t node_len, node_cap;
    struct route *routes;
    uint32_t route_len, route_cap;
    uint32_t *slots; /* literal children: node index, 0 is empty */
    uint32_t slot_mask;
    uint64_t seed;
};

struct segments {
    str part[SEGMENTS_MAX];
    size_t len;
};

struct match {
    const struct route_table *table;
    const struct segments *path;
    str method;
    const struct route *best;
    unsigned best_rank;
    unsigned steps;
};

/* Cuts |path| at its slashes, `;parameters` left out; false if there are too
 * many segments. */
static bool
split(str path, struct segments *out)
{
    for (size_t at = 0; at < path.len;) {
        size_t end = at;
        while (end < path.len && path.ptr[end] != '/')
            end++;
        str part = str_cut(path, at, end);
        const char *semi =
            part.len > 0 ? memchr(part.ptr, ';', part.len) : NULL;
        if (semi)
            part.len = (size_t)(semi - part.ptr);
        at = end + 1;
        if (part.len == 0)
            continue;
        if (out->len == SEGMENTS_MAX)
            return false;
        out->part[out->len++] = part;
    }
    return true;
}

static enum part
part_of(str text)
{
    if (str_eq(text, STR("{}")))
        return PART_VAR;
    if (str_eq(text, STR("{**}")))
        return PART_REST;
    return memmem(text.ptr, text.len, "{}", 2) ||
                   memmem(text.ptr, text.len, "{**}", 4)
               ? PART_MIXED
               : PART_TEXT;
}

static uint32_t
find_child(const struct route_table *table, uint32_t parent, str text,
           enum part part)
{
    if (part != PART_TEXT) {
        uint32_t child = table->nodes[parent].specials;
        while (child && !str_eq(table->nodes[child].text, text))
            child = table->nodes[child].next;
        return child;
    }
    uint64_t hash = hash_bytes(text, table->seed + parent);
    for (uint64_t i = hash & table->slot_mask;;
         i = (i + 1) & table->slot_mask) {
        const struct trie_node *node = &table->nodes[table->slots[i]];
        if (table->slots[i] == 0)
            return 0;
        if (node->parent == parent && str_eq(node->text, text))
            return table->slots[i];
    }
}

static void
put_slot(struct route_table *table, uint32_t child)
{
    const struct trie_node *node = &table->nodes[child];
    uint64_t i = hash_bytes(node->text, table->seed + node->parent);

    i &= table->slot_mask;
    while (table->slots[i])
        i = (i + 1) & table->slot_mask;
    table->slots[i] = child;
}

static enum err
grow_slots(struct route_table *table)
{
    uint32_t len = 2 * (table->slot_mask + 1);
    uint32_t *slots = calloc(len, sizeof(*slots));

    if (!slots)
        return ERR_NOMEM;
    free(table->slots);
    table->slots = slots;
    table->slot_mask = len - 1;
    for (uint32_t i = 1; i < table->node_len; i++)
        if (table->nodes[i].part == PART_TEXT)
            put_slot(table, i);
    return OK;
}

static enum err
add_child(struct route_table *table, uint32_t parent, str text, uint32_t *out)
{
    if (2 * table->node_len > table->slot_mask && grow_slots(table))
        return ERR_NOMEM;
    if (!grow_room(table->nodes, table->node_len, table->node_cap))
        return ERR_NOMEM;
    uint32_t child = table->node_len++;
    struct trie_node *node = &table->nodes[child];
    *node = (struct trie_node){
        .text = text, .parent = parent, .part = (uint8_t)part_of(text)};
    if (node->part == PART_TEXT) {
        put_slot(table, child);
    } else {
        node->next = table->nodes[parent].specials;
        table->nodes[parent].specials = child;
    }
    table->nodes[parent].is_inner = true;
    *out = child;
    return OK;
}

struct route_table *
route_table_new(void)
{
    struct route_table *table = calloc(1, sizeof(*table));

    if (!table)
        return NULL;
    table->node_cap = 64;
    table->route_cap = 32;
    table->slot_mask = 255;
    table->seed = hash_seed();
    table->nodes = calloc(table->node_cap, sizeof(*table->nodes));
    table->routes = calloc(table->route_cap, sizeof(*table->routes));
    table->slots = calloc(table->slot_mask + 1, sizeof(*table->slots));
    table->node_len = 1;
    if (!table->nodes || !table->routes || !table->slots) {
        route_table_free(table);
        return NULL;
    }
    return table;
}

void
route_table_free(struct route_table *table)
{
    if (!table)
        return;
    for (uint32_t i = 0; i < table->route_len; i++)
        free(table->routes[i].text);
    free(table->nodes);
    free(table->routes);
    free(table->slots);
    free(table);
}

static uint32_t
walk(const struct route_table *table, const struct segments *segments)
{
    uint32_t node = 0;

    for (size_t i = 0; i < segments->len; i++) {
        str text = segments->part[i];
        node = find_child(table, node, text, part_of(text));
        if (!node)
            return UINT32_MAX;
    }
    return node;
}

/* What names the route, in its node or the route before it there: index + 1;
 * NULL: there is none. */
static uint32_t *
find_route(const struct route_table *table, str method, str pattern)
{
    struct segments segments = {.len = 0};

    if (!split(pattern, &segments))
        return NULL;
    uint32_t node = walk(table, &segments);
    if (node == UINT32_MAX)
        return NULL;
    uint32_t *at = &table->nodes[node].routes;
    while (*at && !str_eq(table->routes[*at - 1].method, method))
        at = &table->routes[*at - 1].next;
    return *at ? at : NULL;
}

bool
route_table_has(const struct route_table *table, str method, str pattern)
{
    return find_route(table, method, pattern) != NULL;
}

bool
route_table_remove(struct route_table *table, str method, str pattern)
{
    uint32_t *at = find_route(table, method, pattern);

    if (!at)
        return false;
    *at = table->routes[*at - 1].next;
    return true;
}

bool
route_table_has_below(const struct route_table *table, str pattern)
{
    struct segments segments = {.len = 0};

    if (!split(pattern, &segments))
        return false;
    uint32_t node = walk(table, &segments);
    return node != UINT32_MAX && table->nodes[node].is_inner;
}

static void
measure(struct route *route, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        size_t var = text_variable_len(text, i);
        route->text_len += var == 0;
        route->vars += var == 2 ? 1 : var == 4 ? REST_VARS : 0;
        i += var ? var - 1 : 0;
    }
}

static enum err
add_path(struct route_table *table, const struct segments *segments,
         struct route *route, uint32_t *out)
{
    enum err err = OK;
    uint32_t node = 0;

    for (size_t i = 0; !err && i < segments->len; i++) {
        str text = segments->part[i];
        uint32_t child = find_child(table, node, text, part_of(text));
        if (!child)
            err = add_child(table, node, text, &child);
        node = child;
        measure(route, text);
    }
    *out = node;
    return err;
}

static enum err
grow_routes(struct route_table *table)
{
    if (table->route_len == ROUTE_TABLE_MAX)
        return ERR_FULL;
    return grow_room(table->routes, table->route_len, table->route_cap)
               ? OK
               : ERR_NOMEM;
}

enum err
route_table_add(struct route_table *table, str method, str pattern)
{
    struct segments segments = {.len = 0};
    struct route route = {.vars = 0};
    enum err err = grow_routes(table);
    uint32_t node;

    if (err)
        return route_table_has(table, method, pattern) ? OK : err;
    if (route_table_has(table, method, pattern))
        return OK;
    char *text = malloc(pattern.len + method.len + 1);
    if (!text)
        return ERR_NOMEM;
    if (pattern.len > 0)
        memcpy(text, pattern.ptr, pattern.len);
    memcpy(text + pattern.len, method.ptr, method.len);
    route.text = text;
    route.pattern = (str){text, pattern.len};
    route.method = (str){text + pattern.len, method.len};
    if (!split(route.pattern, &segments)) {
        free(text);
        return ERR_FULL;
    }
    /* The text must live as long as the nodes cut from it, so the route is
     * kept even if the trie cannot grow; it is then found by nobody. */
    table->routes[table->route_len++] = route;
    err = add_path(table, &segments, &route, &node);
    if (err)
        return err;
    route.next = table->nodes[node].routes;
    table->nodes[node].routes = table->route_len;
    table->routes[table->route_len - 1] = route;
    return OK;
}

/* How well a route's method answers a request's: 0 is best. */
static unsigned
method_rank(str route, str request)
{
    if (str_eq(route, request))
        return 0;
    if (str_eq(route, STR("GET")) &&
        (str_eq(request, STR("HEAD")) || str_eq(request, STR("OPTIONS"))))
        return 1;
    return str_eq(route, STR("ANY")) ? 2 : 3;
}

static void
consider(struct match *match, uint32_t node)
{
    const struct route *routes = match->table->routes;

    for (uint32_t r = match->table->nodes[node].routes; r;) {
        const struct route *route = &routes[r - 1];
        const struct route *best = match->best;
        unsigned rank = method_rank(route->method, match->method);
        r = route->next;
        if (rank > 2)
            continue;
        if (best && (route->vars > best->vars ||
                     (route->vars == best->vars &&
                      (route->text_len < best->text_len ||
                       (route->text_len == best->text_len &&
                        (rank > match->best_rank ||
                         (rank == match->best_rank && route > best)))))))
            continue;
        match->best = route;
        match->best_rank = rank;
    }
}

static void descend(struct match *match, uint32_t node, size_t at);

static void
descend_special(struct match *match, uint32_t child, size_t at)
{
    const struct trie_node *node = &match->table->nodes[child];
    const struct segments *path = match->path;

    if (match->steps++ >= MATCH_STEPS_MAX)
        return;
    if (node->part == PART_REST) {
        for (size_t end = at; end <= path->len; end++)
            descend(match, child, end);
    } else if (at < path->len && (node->part == PART_VAR ||
                                  text_fits(node->text, path->part[at]))) {
        descend(match, child, at + 1);
    }
}

static void
descend(struct match *match, uint32_t node, size_t at)
{
    const struct route_table *table = match->table;

    if (match->steps++ >= MATCH_STEPS_MAX)
        return;
    if (at == match->path->len) {
        consider(match, node);
    } else {
        uint32_t child =
            find_child(table, node, match->path->part[at], PART_TEXT);
        if (child)
            descend(match, child, at + 1);
    }
    for (uint32_t child = table->nodes[node].specials; child;
         child = table->nodes[child].next)
        descend_special(match, child, at);
}

static bool
match_segments(const struct route_table *table, str method,
               const struct segments *path, struct buf *out)
{
    struct match match = {.table = table, .path = path, .method = method};

    descend(&match, 0, 0);
    if (!match.best)
        return false;
    buf_add(out, match.best->pattern);
    return true;
}

bool
route_table_match(const struct route_table *table, str method, str path,
                  struct buf *out)
{
    struct segments segments = {.len = 0};

    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == '?' || path.ptr[i] == '#')
            path.len = i;
    return split(path, &segments) &&
           match_segments(table, method, &segments, out);
}

uint32_t
route_table_len(const struct route_table *table)
{
    return table->route_len;
}

void
route_table_at(const struct route_table *table, uint32_t at, str *method,
               str *pattern)
{
    *method = table->routes[at].method;
    *pattern = table->routes[at].pattern;
}
