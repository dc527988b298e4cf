/*
 * Vertices of definitions, files and packages; and edges, sorted into tables.
 */
#include "index/resolve_graph.h"

#include <stdlib.h>

#include "base/grow.h"

static uint64_t
node_key(sym package, sym name, uint8_t kind)
{
    return (uint64_t)package << 36 | (uint64_t)name << 8 | kind;
}

static text_id
put_text(struct gathering *g, str text)
{
    return texts_add(&g->build->texts, text);
}

struct node_place {
    sym package;
    sym name;
    uint8_t kind;
};

/* Finds the vertex or appends it: the first definition of a name stays. */
static uint32_t
put_node(struct gathering *g, struct node_place place, struct build_node *row)
{
    uint64_t key = node_key(place.package, place.name, place.kind);
    uint32_t node = map_get(&g->nodes, key);

    if (node) {
        g->build->nodes[node].flags |= row->flags;
        return node;
    }
    row->kind = place.kind;
    row->package = put_text(g, sym_str(g->r, place.package));
    row->name = put_text(g, sym_str(g->r, place.name));
    node = code_build_node(g->build, row);
    if (!node || !map_put(&g->nodes, key, node))
        g->failed = true;
    return node;
}

static uint32_t
file_flags(const struct gathering *g, uint32_t file)
{
    const struct facts *facts = g->r->sources[file].facts;
    uint32_t flags = 0;

    flags |= facts->flags & FACTS_TEST ? CODE_TEST : 0;
    flags |= facts->flags & FACTS_GENERATED ? CODE_GENERATED : 0;
    flags |= facts->flags & FACTS_PARTIAL ? CODE_PARTIAL : 0;
    return flags;
}

static uint32_t
def_flags(const struct fact_def *def)
{
    static const struct {
        uint32_t from;
        uint32_t to;
    } flags[] = {
        {DEF_EXPORTED, CODE_EXPORTED},
        {DEF_LAMBDA, CODE_ANONYMOUS},
        {DEF_ABSTRACT, CODE_ABSTRACT},
        {DEF_TEST_CASE, CODE_IS_TEST_CASE | CODE_TEST},
    };
    uint32_t out = 0;

    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        out |= def->flags & flags[i].from ? flags[i].to : 0;
    return out;
}

static void
put_def(struct gathering *g, uint32_t file, uint32_t id)
{
    struct resolver *r = g->r;
    const struct fact_def *def = def_at(r, file, id);
    uint32_t at = gdef(r, file, id);
    struct node_place place = {r->packages[at], r->qualified[at], def->kind};
    struct build_node row = {
        .flags = file_flags(g, file) | def_flags(def),
        .file = r->first_file + file,
        .line = def->line,
        .col = def->col,
        .end_line = def->end_line,
        .signature = put_text(
            g, str_cut(facts_text(r->sources[file].facts, def->signature), 0,
                       256)),
    };

    if (def->kind == CODE_NONE || def->kind >= CODE_KIND_END)
        place.kind = CODE_VAR;
    r->nodes[at] = put_node(g, place, &row);
    uint32_t parent = gdef(r, file, def->parent);
    if (def->receiver && def->parent == 0) {
        sym receiver = sym_of(r, file, def->receiver);
        uint32_t type = type_find(r, file, 0, receiver);
        parent = type ? type - 1 : parent;
    }
    g->parents[at] = parent;
}

static void
put_file(struct gathering *g, uint32_t file)
{
    struct resolver *r = g->r;
    const struct source *source = &r->sources[file];
    sym base = sym_add(r, path_base(source->path));
    struct node_place place = {r->packages[source->def_base], base, CODE_FILE};
    struct build_node row = {
        .flags = file_flags(g, file),
        .file = r->first_file + file,
    };

    r->nodes[source->def_base] = put_node(g, place, &row);
}

/* Where files share a package, it is one; elsewhere it is the folder. */
static void
put_package(struct gathering *g, uint32_t file)
{
    struct resolver *r = g->r;
    const struct source *source = &r->sources[file];
    uint8_t lang = source->facts->lang;
    bool is_shared = lang == LANG_GO || lang == LANG_JAVA ||
                     lang == LANG_KOTLIN || lang == LANG_CSHARP ||
                     lang == LANG_RUST;
    sym package = is_shared ? source->module : source->folder;
    str text = sym_str(r, package);
    const char *cut = NULL;

    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '/' || text.ptr[i] == '.' || text.ptr[i] == ':')
            cut = text.ptr + i;
    size_t at = cut && text.len > 1 ? (size_t)(cut + 1 - text.ptr) : 0;
    str last = str_cut(text, at, text.len);
    sym name = last.len ? sym_add(r, last) : sym_add(r, STR("."));
    struct node_place place = {package, name, CODE_PACKAGE};
    struct build_node row = {.file = r->first_file + file};
    uint32_t node = put_node(g, place, &row);

    if (is_shared && source->unit)
        g->packages[source->unit] = node;
    edge_add(g, (struct raw_edge){.src = node,
                                  .dst = r->nodes[source->def_base],
                                  .type = CODE_CONTAINS,
                                  .provenance = CODE_BY_STRUCTURE});
}

void
graph_nodes(struct gathering *g)
{
    struct resolver *r = g->r;

    for (uint32_t file = 0; file < r->source_len && !g->failed; file++) {
        put_file(g, file);
        put_package(g, file);
        for (uint32_t id = 1; id < r->sources[file].facts->def_len; id++)
            put_def(g, file, id);
    }
    for (uint32_t at = 0; at < r->def_len && !g->failed; at++) {
        uint32_t file = r->owner_file[at];
        if (at == r->sources[file].def_base)
            continue;
        edge_add(g, (struct raw_edge){.src = r->nodes[g->parents[at]],
                                      .dst = r->nodes[at],
                                      .type = CODE_CONTAINS,
                                      .provenance = CODE_BY_STRUCTURE});
    }
}

uint32_t
graph_owner(const struct resolver *r, uint32_t file, uint32_t def)
{
    const struct facts *facts = r->sources[file].facts;

    while (def && !is_function_kind(facts->defs[def].kind) &&
           !is_type_kind(facts->defs[def].kind))
        def = facts->defs[def].parent;
    return r->nodes[gdef(r, file, def)];
}

void
edge_add(struct gathering *g, struct raw_edge edge)
{
    if (!edge.src || !edge.dst || g->failed)
        return;
    if (!grow_room(g->edges, g->len, g->cap)) {
        g->failed = true;
        return;
    }
    if (!edge.permille)
        edge.permille =
            (uint16_t)(code_provenance_confidence(edge.provenance) * 1000 +
                       0.5);
    g->edges[g->len++] = edge;
}

static int
compare_edges(const void *a, const void *b)
{
    const struct raw_edge *x = a;
    const struct raw_edge *y = b;

    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->provenance != y->provenance)
        return x->provenance < y->provenance ? -1 : 1;
    if (x->site.line != y->site.line)
        return x->site.line < y->site.line ? -1 : 1;
    if (x->site.col != y->site.col)
        return x->site.col < y->site.col ? -1 : 1;
    return x->permille < y->permille ? 1 : x->permille > y->permille ? -1 : 0;
}

static bool
is_same(const struct raw_edge *x, const struct raw_edge *y)
{
    return x->src == y->src && x->dst == y->dst && x->type == y->type &&
           x->provenance == y->provenance;
}

static void
put_edges(struct gathering *g)
{
    for (uint32_t i = 0, next; i < g->len; i = next) {
        const struct raw_edge *edge = &g->edges[i];
        struct build_edge row = {
            .src = edge->src,
            .dst = edge->dst,
            .type = edge->type,
            .provenance = edge->provenance,
            .permille = edge->permille,
            .site_at = g->build->site_len,
        };
        struct code_site last = {0};
        for (next = i; next < g->len && is_same(edge, &g->edges[next]);
             next++) {
            struct code_site site = g->edges[next].site;
            if (site.line == 0 ||
                (site.line == last.line && site.col == last.col))
                continue;
            code_build_site(g->build, site);
            last = site;
        }
        row.site_len = g->build->site_len - row.site_at;
        code_build_edge(g->build, &row);
    }
}

enum err
resolve_graph(struct resolver *r, struct code_build *build, uint32_t first_file)
{
    struct gathering g = {
        .r = r,
        .build = build,
        .packages = calloc(r->unit_cap_all + 1, sizeof(*g.packages)),
        .parents = calloc((size_t)r->def_len + 1, sizeof(*g.parents)),
    };

    r->first_file = first_file;
    g.failed = !g.packages || !g.parents;
    if (!g.failed)
        graph_nodes(&g);
    if (!g.failed && calls_prepare(r)) {
        graph_calls(&g);
        graph_imports(&g);
        graph_hierarchy(&g);
        graph_structural(&g);
        graph_guesses(&g);
    }
    if (!g.failed && !r->failed) {
        if (g.len > 1)
            qsort(g.edges, g.len, sizeof(*g.edges), compare_edges);
        put_edges(&g);
        build->calls += r->all_calls;
        build->calls_external += r->external_calls;
        build->calls_unknown += r->unknown_calls;
    }
    enum err err = g.failed || r->failed || build->failed || build->texts.failed
                       ? ERR_NOMEM
                       : OK;
    map_fini(&g.nodes);
    free(g.packages);
    free(g.parents);
    free(g.edges);
    return err;
}

uint32_t
resolve_node(const struct resolver *r, uint32_t file, uint32_t def)
{
    return r->nodes[gdef(r, file, def)];
}
