/*
 * A trie per service: its first two levels are the method and the depth, the
 * others the segments.  Two paths agree at position i if they share the i
 * segments before it, which the trie sees to, and some behind it; together
 * half of the depth.  So of the words below a node those count that are
 * followed by the same few segments as the path just put in.
 *
 * When a position is found to hold values, the words below it are merged into
 * one child `{}`: every path that ended below them is put in again with the
 * word replaced, and its node in the graph made an alias.  A merge can bring
 * together what was apart, so the path is put in again until nothing moves.
 */
#include "graph/route_learn.h"

#include <pthread.h>
#include <stdlib.h>

#include "graph/route_text.h"
#include "graph/route_trie.h"

enum { DEPTH_MAX = 10, SERVICE_NODES_MAX = 1 << 14 };

struct home {
    uint32_t service; /* 0: empty */
    uint32_t root;
    uint32_t added; /* nodes ever added for it */
};

struct route_learn {
    struct nodes *nodes;
    pthread_mutex_t lock;
    struct route_trie trie;
    struct home *homes; /* open addressing, by service */
    uint32_t home_len;
    uint32_t home_mask;
    bool has_started;
};

struct path {
    uint32_t service;
    str method;
    str part[DEPTH_MAX];
    size_t len;
    struct home *home;
};

struct route_learn *
route_learn_new(struct nodes *nodes)
{
    struct route_learn *learn = calloc(1, sizeof(*learn));

    if (!learn)
        return NULL;
    learn->nodes = nodes;
    learn->home_mask = 63;
    learn->homes = calloc(learn->home_mask + 1, sizeof(*learn->homes));
    if (!learn->homes) {
        free(learn);
        return NULL;
    }
    pthread_mutex_init(&learn->lock, NULL);
    return learn;
}

void
route_learn_free(struct route_learn *learn)
{
    if (!learn)
        return;
    route_trie_fini(&learn->trie);
    free(learn->homes);
    pthread_mutex_destroy(&learn->lock);
    free(learn);
}

static struct home *
home_slot(struct home *homes, uint32_t mask, uint32_t service)
{
    uint32_t i = service * UINT32_C(2654435769) & mask;

    while (homes[i].service && homes[i].service != service)
        i = (i + 1) & mask;
    return &homes[i];
}

static void
grow_homes(struct route_learn *learn)
{
    uint32_t mask = 2 * learn->home_mask + 1;
    struct home *homes = calloc((size_t)mask + 1, sizeof(*homes));

    if (!homes)
        return;
    for (uint32_t i = 0; i <= learn->home_mask; i++)
        if (learn->homes[i].service)
            *home_slot(homes, mask, learn->homes[i].service) = learn->homes[i];
    free(learn->homes);
    learn->homes = homes;
    learn->home_mask = mask;
}

/* The home of |service|, or NULL without room for one. */
static struct home *
find_home(struct route_learn *learn, uint32_t service)
{
    if (2 * learn->home_len > learn->home_mask)
        grow_homes(learn);
    struct home *home = home_slot(learn->homes, learn->home_mask, service);
    if (home->service)
        return home;
    if (learn->home_len == learn->home_mask)
        return NULL;
    uint32_t root = route_trie_root(&learn->trie);
    if (!root)
        return NULL;
    learn->home_len++;
    *home = (struct home){.service = service, .root = root};
    return home;
}

/* Cuts a pattern at its slashes; false if it is not one to learn from. */
static bool
split(str pattern, struct path *out)
{
    out->len = 0;
    for (size_t at = 1, end; at < pattern.len; at = end + 1) {
        end = at;
        while (end < pattern.len && pattern.ptr[end] != '/')
            end++;
        str part = str_cut(pattern, at, end);
        if (out->len == DEPTH_MAX || part.len == 0 || str_eq(part, STR("{**}")))
            return false;
        out->part[out->len++] = part;
    }
    return out->len >= 2;
}

static void
put_pattern(const struct path *path, struct buf *out)
{
    for (size_t i = 0; i < path->len; i++) {
        buf_add_char(out, '/');
        buf_add(out, path->part[i]);
    }
}

/* How many segments behind position |at| two paths must share as well. */
static size_t
needed_behind(const struct path *path, size_t at)
{
    size_t half = (path->len + 1) / 2;

    return at < half ? half - at : 0;
}

static bool
is_word(str text)
{
    return text.len > 0 && text.ptr[0] != '{' && text.ptr[0] != '*';
}

/* Do the segments behind position |at| of |path| stand below |node|? */
static bool
is_followed(const struct route_trie *trie, uint32_t node,
            const struct path *path, size_t at)
{
    size_t len = needed_behind(path, at);

    for (size_t i = at + 1; node && i <= at + len && i < path->len; i++) {
        uint32_t child = route_trie_find(trie, node, path->part[i]);
        node = child ? child : route_trie_find(trie, node, STR("{}"));
    }
    return node != 0;
}

static uint32_t
add_node(struct route_learn *learn, struct path *path, uint32_t parent,
         str text)
{
    uint32_t node = route_trie_find(&learn->trie, parent, text);

    if (node || path->home->added >= SERVICE_NODES_MAX)
        return node;
    path->home->added++;
    return route_trie_add(&learn->trie, parent, text);
}

/* The node under which paths of this method and depth stand, or 0. */
static uint32_t
find_top(struct route_learn *learn, struct path *path)
{
    char depth = (char)('0' + path->len);
    uint32_t top = add_node(learn, path, path->home->root, path->method);

    return top ? add_node(learn, path, top, (str){&depth, 1}) : 0;
}

/*
 * Puts |path| in, as far as there is room; where a position is known to hold
 * values, its word in |path| becomes `{}`.  |at_node| gets the node before each
 * position.  The result is how many positions were reached.
 */
static size_t
place(struct route_learn *learn, struct path *path, uint32_t top,
      uint32_t *at_node)
{
    struct route_trie *trie = &learn->trie;
    uint32_t node = top;

    for (size_t i = 0; i < path->len; i++) {
        at_node[i] = node;
        uint32_t child = route_trie_find(trie, node, path->part[i]);
        uint32_t wide = 0;
        if (!child && trie->nodes[node].is_wide && is_word(path->part[i]))
            wide = route_trie_find(trie, node, STR("{}"));
        if (wide && is_followed(trie, wide, path, i)) {
            path->part[i] = STR("{}");
            child = wide;
        }
        if (!child)
            child = add_node(learn, path, node, path->part[i]);
        if (!child)
            return i;
        node = child;
    }
    trie->nodes[node].is_end = true;
    return path->len;
}

/* Behind these the names of resources stand, not values. */
static bool
is_front(const struct path *path, size_t at)
{
    static const char *const words[] = {"api",    "rest",    "rpc",  "internal",
                                        "public", "private", "admin"};

    if (at == 0)
        return true;
    str before = path->part[at - 1];
    if (before.len >= 2 && before.ptr[0] == 'v' && text_is_digit(before.ptr[1]))
        return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_eq(before, str_of(words[i])))
            return true;
    return false;
}

static bool
holds_values(const struct route_trie *trie, uint32_t node,
             const struct path *path, size_t at)
{
    unsigned limit = is_front(path, at) ? LEARN_NAMES : LEARN_VALUES;
    unsigned count = 0;

    if (!is_word(path->part[at]) || trie->nodes[node].children <= limit)
        return false;
    for (uint32_t child = trie->nodes[node].first; child;
         child = trie->nodes[child].next)
        count += is_word(route_trie_text(trie, child)) &&
                 is_followed(trie, child, path, at);
    return count > limit;
}

/* Makes the node of |from| an alias of the node of |to|. */
static void
alias(struct route_learn *learn, const struct path *from, const struct path *to)
{
    struct buf name = {.ptr = NULL};

    buf_add(&name, from->method);
    buf_add_char(&name, ' ');
    put_pattern(from, &name);
    uint32_t id = nodes_find(learn->nodes, NODE_ROUTE, from->service,
                             buf_str(&name), (str){NULL, 0});
    if (name.failed || !id ||
        nodes_get(learn->nodes, id).source != ROUTE_SOURCE_HEURISTIC)
        goto out;
    buf_reset(&name);
    buf_add(&name, to->method);
    buf_add_char(&name, ' ');
    put_pattern(to, &name);
    if (name.failed)
        goto out;
    /* Without a source first: the bound on guesses must not keep out the one
     * route that takes the place of many. */
    uint32_t target = nodes_intern_route(learn->nodes, to->service,
                                         buf_str(&name), ROUTE_SOURCE_NONE);
    nodes_set_alias(learn->nodes, id, target);
    (void)nodes_intern_route(learn->nodes, to->service, buf_str(&name),
                             ROUTE_SOURCE_HEURISTIC);
out:
    buf_fini(&name);
}

/* Every path that ends at or below |node|, which stands before position |at|
 * of |path|, is put in again with `{}` at |wide_at|. */
static void
move_paths(struct route_learn *learn, uint32_t node, struct path *path,
           size_t at, size_t wide_at)
{
    if (at == path->len) {
        struct path wide = *path;
        uint32_t into = find_top(learn, &wide);
        wide.part[wide_at] = STR("{}");
        alias(learn, path, &wide);
        for (size_t i = 0; into && i < wide.len; i++)
            into = add_node(learn, &wide, into, wide.part[i]);
        if (into)
            learn->trie.nodes[into].is_end = true;
        return;
    }
    for (uint32_t child = learn->trie.nodes[node].first; child;
         child = learn->trie.nodes[child].next) {
        char text[ROUTE_TRIE_TEXT];
        str part = route_trie_text(&learn->trie, child);
        memcpy(text, part.ptr, part.len); /* the pool may move */
        path->part[at] = (str){text, part.len};
        move_paths(learn, child, path, at + 1, wide_at);
    }
}

static void
widen(struct route_learn *learn, uint32_t node, const struct path *path,
      size_t at)
{
    struct path moved = *path;

    if (!add_node(learn, &moved, node, STR("{}")))
        return;
    learn->trie.nodes[node].is_wide = true;
    for (uint32_t child = learn->trie.nodes[node].first; child;) {
        uint32_t next = learn->trie.nodes[child].next;
        char text[ROUTE_TRIE_TEXT];
        str part = route_trie_text(&learn->trie, child);
        if (is_word(part) && is_followed(&learn->trie, child, path, at)) {
            memcpy(text, part.ptr, part.len);
            moved.part[at] = (str){text, part.len};
            move_paths(learn, child, &moved, at + 1, at);
            route_trie_cut(&learn->trie, node, child);
        }
        child = next;
    }
}

static void
settle(struct route_learn *learn, struct path *path)
{
    uint32_t at_node[DEPTH_MAX];
    uint32_t top = find_top(learn, path);
    bool moved = top != 0;

    for (size_t turn = 0; moved && turn <= DEPTH_MAX; turn++) {
        size_t len = place(learn, path, top, at_node);
        moved = false;
        for (size_t i = 0; i < len && !moved; i++) {
            moved = holds_values(&learn->trie, at_node[i], path, i);
            if (moved)
                widen(learn, at_node[i], path, i);
        }
    }
}

static bool
open_path(struct route_learn *learn, uint32_t service, str name,
          struct path *path)
{
    const char *space = name.len > 0 ? memchr(name.ptr, ' ', name.len) : NULL;
    size_t len = space ? (size_t)(space - name.ptr) : name.len;

    path->service = service;
    path->method = text_method(str_cut(name, 0, len));
    if (str_starts(name, STR("ANY ")))
        path->method = STR("ANY");
    if (str_starts(name, STR("_OTHER ")))
        path->method = STR("_OTHER");
    str pattern = str_cut(name, space ? len + 1 : len, name.len);
    path->home = split(pattern, path) ? find_home(learn, service) : NULL;
    return path->home != NULL && path->method.len > 0;
}

/* An alias in the node table says that a position was found to hold values. */
static void
recall(struct route_learn *learn, const struct node *node)
{
    struct path from;
    struct path to;

    if (!open_path(learn, node->owner, node->name, &from))
        return;
    if (!node->alias) {
        settle(learn, &from);
        return;
    }
    struct node target = nodes_get(learn->nodes, node->alias);
    if (!open_path(learn, target.owner, target.name, &to) || to.len != from.len)
        return;
    uint32_t at = find_top(learn, &to);
    for (size_t i = 0; at && i < to.len; i++) {
        uint32_t child = add_node(learn, &to, at, to.part[i]);
        if (child && !is_word(to.part[i]) && is_word(from.part[i]))
            learn->trie.nodes[at].is_wide = true;
        at = child;
    }
}

static void
start(struct route_learn *learn)
{
    uint32_t len = nodes_len(learn->nodes);

    learn->has_started = true;
    for (int aliased = 1; aliased >= 0; aliased--) {
        for (uint32_t id = 1; id <= len; id++) {
            struct node node = nodes_get(learn->nodes, id);
            if (node.kind == NODE_ROUTE && (node.alias != 0) == aliased &&
                node.source == ROUTE_SOURCE_HEURISTIC)
                recall(learn, &node);
        }
    }
}

static bool
is_known(const struct route_learn *learn, const struct path *path, str pattern)
{
    struct buf name = {.ptr = NULL};
    uint8_t source = ROUTE_SOURCE_NONE;

    buf_add(&name, path->method);
    buf_add_char(&name, ' ');
    buf_add(&name, pattern);
    uint32_t id = name.failed
                      ? 0
                      : nodes_find(learn->nodes, NODE_ROUTE, path->service,
                                   buf_str(&name), (str){NULL, 0});
    if (id)
        source = nodes_get(learn->nodes, id).source;
    buf_fini(&name);
    return source != ROUTE_SOURCE_NONE && source < ROUTE_SOURCE_HEURISTIC;
}

void
route_learn_template(struct route_learn *learn, uint32_t service, str method,
                     str pattern, struct buf *out)
{
    struct path path = {.service = service, .method = method};

    if (!split(pattern, &path) || is_known(learn, &path, pattern)) {
        buf_add(out, pattern);
        return;
    }
    pthread_mutex_lock(&learn->lock);
    if (!learn->has_started)
        start(learn);
    path.home = find_home(learn, service);
    if (path.home)
        settle(learn, &path);
    put_pattern(&path, out);
    pthread_mutex_unlock(&learn->lock);
}
