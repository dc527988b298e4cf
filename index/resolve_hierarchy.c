/*
 * Who extends, implements and overrides what; which implementations a call of
 * a declared method may reach, and which one it does reach when there is only
 * one.  In Go a type implements what its methods fit.
 */
#include <stdlib.h>

#include "index/resolve_graph.h"

enum {
    FITS_MAX = 4 << 20, /* comparisons of method sets, in all */
};

static void
add_bases(struct gathering *g, uint32_t file, uint32_t id)
{
    struct resolver *r = g->r;
    const struct fact_def *def = def_at(r, file, id);
    uint32_t src = r->nodes[gdef(r, file, id)];

    for (uint32_t i = 0; i < def->bases_len; i++) {
        uint32_t expr = list_at(r, file, def->bases_at + i);
        const struct fact_expr *at = expr_at(r, file, expr);
        bool is_pair = at->kind == EXPR_PAIR; /* Ruby's `extend` */
        struct val base = eval_type(r, file, is_pair ? at->a : expr);
        if (base.kind != VAL_INSTANCE ||
            (is_pair && (r->nodes[gdef(r, base.file, base.id)] == src ||
                         str_eq(facts_text(r->sources[file].facts, at->text),
                                STR("included")))))
            continue;
        uint8_t kind = def_at(r, base.file, base.id)->kind;
        bool is_told = i + def->interfaces >= def->bases_len;
        bool is_implemented = def->kind == CODE_TYPE &&
                              (is_told || (kind == CODE_INTERFACE &&
                                           lang_at(r, file) != LANG_GO));
        edge_add(g, (struct raw_edge){
                        .src = src,
                        .dst = r->nodes[gdef(r, base.file, base.id)],
                        .type = is_implemented ? CODE_IMPLEMENTS : CODE_EXTENDS,
                        .provenance = CODE_BY_STRUCTURE,
                        .site = {at->line, at->col},
                    });
    }
}

/* The method of that name in the nearest base of |type|; UINT32_MAX: none. */
static uint32_t
overridden(struct resolver *r, uint32_t type, sym name)
{
    struct val val = member_of_type(r, type, name, true);

    if (val.kind != VAL_DEF ||
        !is_function_kind(def_at(r, val.file, val.id)->kind))
        return UINT32_MAX;
    return gdef(r, val.file, val.id);
}

static void
add_dispatch(struct gathering *g, uint32_t declared, uint32_t own,
             uint8_t provenance)
{
    struct resolver *r = g->r;

    if (r->nodes[declared] == r->nodes[own])
        return;
    edge_add(g, (struct raw_edge){.src = r->nodes[declared],
                                  .dst = r->nodes[own],
                                  .type = CODE_MAY_DISPATCH,
                                  .provenance = provenance});
    bool is_counted =
        g->implementations[declared] && g->implementation[declared] == own;
    if (g->implementations[declared] < 2 && !is_counted &&
        !(g->build->nodes[r->nodes[own]].flags & CODE_TEST)) {
        g->implementations[declared]++;
        g->implementation[declared] = own;
    }
}

static void
add_override(struct gathering *g, uint32_t file, uint32_t id)
{
    struct resolver *r = g->r;
    const struct fact_def *def = def_at(r, file, id);
    uint32_t own = gdef(r, file, id);
    uint32_t type = r->canon[gdef(r, file, def->parent)];

    if (def->kind != CODE_METHOD || !def->parent || type >= r->def_len ||
        (def->flags & DEF_CTOR) || lang_at(r, file) == LANG_GO)
        return;
    if (lang_at(r, file) == LANG_RUBY && (def->flags & DEF_STATIC))
        type = singleton_scope(r, type);
    uint32_t declared = overridden(r, type, sym_of(r, file, def->name));
    if (declared == UINT32_MAX || declared == own)
        return;
    edge_add(g, (struct raw_edge){.src = r->nodes[own],
                                  .dst = r->nodes[declared],
                                  .type = CODE_OVERRIDES,
                                  .provenance = CODE_BY_STRUCTURE});
    add_dispatch(g, declared, own, CODE_BY_STRUCTURE);
}

/* Methods that a class has from one base and another base asks for. */
static void
add_inherited(struct gathering *g, uint32_t type, uint32_t base)
{
    struct resolver *r = g->r;
    uint32_t file = r->owner_file[base];
    const struct facts *facts = r->sources[file].facts;
    uint32_t id = base - r->sources[file].def_base;

    if (facts->defs[id].kind != CODE_INTERFACE)
        return;
    for (uint32_t m = id + 1; m < facts->def_len && g->fits < FITS_MAX; m++) {
        if (facts->defs[m].start_line > facts->defs[id].end_line)
            break;
        g->fits++;
        if (facts->defs[m].parent != id || facts->defs[m].kind != CODE_METHOD)
            continue;
        sym name = sym_of(r, file, facts->defs[m].name);
        struct val val = member_of_type(r, type, name, false);
        if (val.kind == VAL_DEF &&
            gdef(r, val.file, val.id) != gdef(r, file, m))
            add_dispatch(g, gdef(r, file, m), gdef(r, val.file, val.id),
                         CODE_BY_STRUCTURE);
    }
}

static void
add_type(struct gathering *g, uint32_t file, uint32_t id)
{
    struct resolver *r = g->r;
    uint32_t type = gdef(r, file, id);

    add_bases(g, file, id);
    if (def_at(r, file, id)->kind != CODE_TYPE || r->canon[type] != type ||
        lang_at(r, file) == LANG_GO)
        return;
    const struct lineage *lineage = lineage_of(r, type);
    uint32_t at = lineage ? lineage->at : 0;
    for (uint32_t i = 1; lineage && i < lineage->len; i++)
        add_inherited(g, type, r->bases[at + i]);
}

/* A call of a method without a body that one class alone gives one. */
static void
add_single(struct gathering *g, const struct call_site *call)
{
    struct resolver *r = g->r;
    uint8_t lang = lang_at(r, call->file);
    uint32_t file = r->owner_file[call->target];
    const struct fact_def *def =
        def_at(r, file, call->target - r->sources[file].def_base);
    const struct fact_expr *at = expr_at(r, call->file, call->expr);
    uint32_t src = graph_owner(r, call->file, at->scope);

    if (lang == LANG_GO || !(def->flags & DEF_ABSTRACT) ||
        g->implementations[call->target] != 1)
        return;
    struct code_site site = {at->line, at->col};
    if (g->build->nodes[src].file != r->first_file + call->file)
        site.line = 0;
    edge_add(g, (struct raw_edge){
                    .src = src,
                    .dst = r->nodes[g->implementation[call->target]],
                    .type = CODE_CALLS,
                    .provenance = CODE_BY_SINGLE,
                    .site = site,
                });
}

void
graph_hierarchy(struct gathering *g)
{
    struct resolver *r = g->r;

    g->implementations =
        calloc((size_t)r->def_len + 1, sizeof(*g->implementations));
    g->implementation =
        calloc((size_t)r->def_len + 1, sizeof(*g->implementation));
    g->failed = g->failed || !g->implementations || !g->implementation;
    for (uint32_t file = 0; file < r->source_len && !g->failed; file++) {
        const struct facts *facts = r->sources[file].facts;
        for (uint32_t id = 1; id < facts->def_len; id++)
            if (is_type_kind(facts->defs[id].kind))
                add_type(g, file, id);
            else
                add_override(g, file, id);
    }
    for (uint32_t i = 0; i < r->call_len && !g->failed; i++)
        if (r->calls[i].target < r->def_len)
            add_single(g, &r->calls[i]);
    free(g->implementations);
    free(g->implementation);
}
