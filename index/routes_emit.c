/*
 * The build's side of routes.  What was told once is not told again: a table of
 * the rows by what they say.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "index/routes_router.h"

/* ---- rows told once ---- */

static bool
widen_seen(struct parts *p)
{
    uint32_t cap = p->seen_cap ? 2 * p->seen_cap : 1024;
    uint64_t *seen = calloc(cap, sizeof(*seen));

    if (!seen) {
        p->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < p->seen_cap; i++) {
        uint32_t at = (uint32_t)p->seen[i] & (cap - 1);
        while (p->seen[i] && seen[at])
            at = (at + 1) & (cap - 1);
        if (p->seen[i])
            seen[at] = p->seen[i];
    }
    free(p->seen);
    p->seen = seen;
    p->seen_cap = cap;
    return true;
}

/* True the first time it is asked. */
static bool
is_new(struct parts *p, uint64_t key)
{
    if (2 * p->seen_len >= p->seen_cap && !widen_seen(p))
        return false;
    key |= UINT64_C(1) << 63;
    uint32_t at = (uint32_t)key & (p->seen_cap - 1);
    while (p->seen[at] && p->seen[at] != key)
        at = (at + 1) & (p->seen_cap - 1);
    if (p->seen[at])
        return false;
    p->seen[at] = key;
    p->seen_len++;
    return true;
}

/* ---- the build ---- */

static str
folder_of(str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

    return str_cut(path, 0, slash ? (size_t)(slash - path.ptr) : 0);
}

static uint64_t
node_hash(const struct build_node *row)
{
    return hash_mix((uint64_t)row->package << 32 | row->name, row->kind);
}

static uint32_t *
node_slot(const struct parts *p, const struct build_node *row)
{
    uint32_t at = (uint32_t)node_hash(row) & (p->node_cap - 1);

    for (; p->nodes[at]; at = (at + 1) & (p->node_cap - 1)) {
        const struct build_node *other = &p->build->nodes[p->nodes[at]];
        if (other->kind == row->kind && other->package == row->package &&
            other->name == row->name)
            break;
    }
    return &p->nodes[at];
}

static bool
widen_nodes(struct parts *p)
{
    uint32_t old_cap = p->node_cap;
    uint32_t *old = p->nodes;
    uint32_t cap = old_cap ? 2 * old_cap : 256;
    uint32_t *nodes = calloc(cap, sizeof(*nodes));

    if (!nodes) {
        p->failed = true;
        return false;
    }
    p->nodes = nodes;
    p->node_cap = cap;
    for (uint32_t i = 0; i < old_cap; i++)
        if (old[i])
            *node_slot(p, &p->build->nodes[old[i]]) = old[i];
    free(old);
    return true;
}

static uint32_t
build_file_of(const struct parts *p, uint32_t file)
{
    return p->build->nodes[resolve_node(p->r, file, 0)].file;
}

uint32_t
emit_node(struct parts *p, enum code_kind kind, str name, uint32_t file,
          uint32_t line)
{
    struct build_node row = {
        .kind = (uint8_t)kind,
        .file = build_file_of(p, file),
        .line = line,
        .end_line = line,
        .package = texts_add(&p->build->texts, folder_of(p->files[file].path)),
        .name = texts_add(&p->build->texts, name),
    };

    if (2 * p->node_len >= p->node_cap && !widen_nodes(p))
        return 0;
    uint32_t *slot = node_slot(p, &row);
    if (!*slot) {
        *slot = code_build_node(p->build, &row);
        p->node_len++;
    }
    return *slot;
}

void
emit_edge(struct parts *p, uint32_t src, uint32_t dst, enum code_edge type,
          struct code_site site)
{
    struct build_edge edge = {
        .src = src,
        .dst = dst,
        .type = (uint8_t)type,
        .provenance = CODE_BY_FRAMEWORK,
        .permille = 950,
    };

    if (!src || !dst ||
        !is_new(p, hash_mix((uint64_t)src << 32 | dst, (uint64_t)type << 8)))
        return;
    if (site.line) {
        edge.site_at = code_build_site(p->build, site);
        edge.site_len = 1;
    }
    (void)code_build_edge(p->build, &edge);
}

/* `GET /users/{}`, `pkg.Service/Method`, `kafka:orders`. */
static uint32_t
vertex_of(struct parts *p, const struct emit_route *route)
{
    struct buf name = {0};
    uint32_t node = 0;

    buf_add(&name, route->method);
    if (route->method.len > 0)
        buf_add_char(&name, ' ');
    buf_add(&name, route->canonical);
    if (!name.failed)
        node = emit_node(p, route->kind, buf_str(&name), route->file,
                         route->site.line);
    p->failed |= name.failed;
    buf_fini(&name);
    return node;
}

/* Edges go from what is asked to what answers, and from who asks. */
static bool
is_from_function(enum code_edge edge)
{
    return edge == CODE_PUBLISHES || edge == CODE_CONSUMES;
}

void
emit_route(struct parts *p, const struct emit_route *route)
{
    struct texts *texts = &p->build->texts;
    struct build_route row = {
        .node = vertex_of(p, route),
        .handler = route->handler,
        .flags = route->flags,
        .method = texts_add(texts, route->method),
        .raw = texts_add(texts, route->raw),
        .canonical = texts_add(texts, route->canonical),
        .framework = texts_add(texts, route->framework),
        .file = build_file_of(p, route->file),
        .line = route->site.line,
    };
    uint64_t key = hash_mix((uint64_t)row.node << 32 | row.raw, row.handler);

    if (!row.node || texts->failed)
        return;
    if (is_new(p, hash_mix(key, (uint64_t)row.framework << 32 | row.flags)))
        (void)code_build_route(p->build, &row);
    struct code_site site = route->site;
    bool is_own = p->build->nodes[row.node].file == row.file;
    if (is_from_function(route->edge))
        emit_edge(p, row.handler, row.node, route->edge, site);
    else
        emit_edge(p, row.node, row.handler, route->edge,
                  is_own ? site : (struct code_site){0, 0});
}
