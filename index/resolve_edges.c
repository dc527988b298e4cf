/*
 * Edges that stand in the source: calls and what tests call, functions that
 * are passed on, imports.
 */
#include "index/resolve_graph.h"

/* A place belongs to the edge only where it is in the file of its source. */
static struct code_site
site_of(const struct gathering *g, uint32_t src, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(g->r, file, expr);

    if (g->build->nodes[src].file != g->r->first_file + file)
        return (struct code_site){0};
    return (struct code_site){at->line, at->col};
}

/* `@Retry(3)` of Java reads like a call, and names a type: nothing runs. */
static bool
is_annotation(const struct resolver *r, const struct call_site *call)
{
    const struct fact_expr *at = expr_at(r, call->file, call->expr);
    uint32_t file = r->owner_file[call->target];
    uint32_t id = call->target - r->sources[file].def_base;
    uint8_t callee = expr_at(r, call->file, at->a)->kind;

    return lang_at(r, call->file) == LANG_JAVA && at->kind == EXPR_CALL &&
           (callee == EXPR_NAME || callee == EXPR_MEMBER) &&
           is_type_kind(def_at(r, file, id)->kind);
}

static void
add_call(struct gathering *g, const struct call_site *call)
{
    struct resolver *r = g->r;
    const struct fact_expr *at = expr_at(r, call->file, call->expr);
    bool is_mark = is_annotation(r, call);
    struct raw_edge edge = {
        .src = graph_owner(r, call->file, at->scope),
        .dst = r->nodes[call->target],
        .type = is_mark ? CODE_REFERENCES : CODE_CALLS,
        .provenance = call->by ? call->by : CODE_BY_SCOPE,
    };

    edge.site = site_of(g, edge.src, call->file, call->expr);
    edge_add(g, edge);
    if (is_mark)
        return;
    bool is_test = g->build->nodes[edge.src].flags & CODE_TEST;
    bool is_tested = !(g->build->nodes[edge.dst].flags & CODE_TEST);
    if (!is_test || !is_tested)
        return;
    edge.type = CODE_TESTS;
    edge_add(g, edge);
}

static void
add_reference(struct gathering *g, uint32_t file, uint32_t src, uint32_t expr)
{
    struct resolver *r = g->r;
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val val;

    if (at->kind != EXPR_NAME && at->kind != EXPR_MEMBER &&
        at->kind != EXPR_LAMBDA)
        return;
    val = eval_expr(r, file, expr);
    if (val.kind != VAL_DEF ||
        !is_function_kind(def_at(r, val.file, val.id)->kind))
        return;
    edge_add(g, (struct raw_edge){
                    .src = src,
                    .dst = r->nodes[gdef(r, val.file, val.id)],
                    .type = CODE_REFERENCES,
                    .provenance = val.by ? val.by : CODE_BY_SCOPE,
                    .site = site_of(g, src, file, expr),
                });
}

/* What lists hold: arguments, elements, values of pairs. */
static void
add_listed(struct gathering *g, uint32_t file, uint32_t id)
{
    struct resolver *r = g->r;
    const struct fact_expr *at = expr_at(r, file, id);
    uint32_t src = graph_owner(r, file, at->scope);

    if (at->kind == EXPR_GENERIC || at->kind == EXPR_INDEX ||
        at->kind == EXPR_CAST || at->kind == EXPR_PAIR)
        return;
    for (uint32_t i = 0; i < at->list_len; i++) {
        uint32_t item = list_at(r, file, at->list_at + i);
        const struct fact_expr *arg = expr_at(r, file, item);
        bool is_wrapped = arg->kind == EXPR_PAIR || arg->kind == EXPR_SPREAD;
        add_reference(g, file, src, is_wrapped ? arg->a : item);
    }
}

/* What a module offers is not thereby used: `module.exports = { f }`,
 * `exports.f = f`. */
static bool
is_offer(struct resolver *r, uint32_t file, const struct fact_bind *bind)
{
    if (bind->kind != BIND_ASSIGN || bind->target == 0)
        return false;
    const struct fact_expr *target = expr_at(r, file, bind->target);
    return expr_is_exports(r, file, bind->target) ||
           (target->kind == EXPR_MEMBER && expr_is_exports(r, file, target->a));
}

/* The object that a module offers, if it is one. */
static uint32_t
offered_object(struct resolver *r, uint32_t file)
{
    const struct facts *facts = r->sources[file].facts;
    uint32_t found = 0;

    for (uint32_t id = 1; id < facts->bind_len; id++)
        if (is_offer(r, file, &facts->binds[id]) &&
            expr_at(r, file, facts->binds[id].value)->kind == EXPR_OBJECT)
            found = facts->binds[id].value;
    return found;
}

static void
add_marks(struct gathering *g, uint32_t file, uint32_t id)
{
    struct resolver *r = g->r;
    const struct fact_def *def = def_at(r, file, id);
    uint32_t src = r->nodes[gdef(r, file, id)];

    for (uint32_t i = 0; i < def->marks_len; i++)
        add_reference(g, file, src, list_at(r, file, def->marks_at + i));
}

void
graph_calls(struct gathering *g)
{
    struct resolver *r = g->r;

    for (uint32_t i = 0; i < r->call_len; i++)
        if (r->calls[i].target < r->def_len)
            add_call(g, &r->calls[i]);
    for (uint32_t file = 0; file < r->source_len && !g->failed; file++) {
        const struct facts *facts = r->sources[file].facts;
        uint32_t offered = offered_object(r, file);
        for (uint32_t id = 1; id < facts->expr_len; id++)
            if (facts->exprs[id].list_len && id != offered)
                add_listed(g, file, id);
        for (uint32_t id = 1; id < facts->bind_len; id++) {
            const struct fact_bind *bind = &facts->binds[id];
            if (!is_offer(r, file, bind))
                add_reference(g, file, graph_owner(r, file, bind->scope),
                              bind->value);
        }
        for (uint32_t id = 1; id < facts->def_len; id++)
            add_marks(g, file, id);
    }
}

static void
add_import(struct gathering *g, uint32_t file, uint32_t src, struct val val,
           uint32_t line)
{
    struct resolver *r = g->r;
    uint32_t dst = 0;

    if (val.kind == VAL_FILE || val.kind == VAL_DEF)
        dst = r->nodes[r->sources[val.file].def_base];
    else if (val.kind == VAL_UNIT && val.id < r->unit_cap_all)
        dst = g->packages[val.id];
    if (dst == src)
        return;
    struct code_site site = {line, 0};
    if (g->build->nodes[src].file != r->first_file + file)
        site.line = 0;
    edge_add(g, (struct raw_edge){.src = src,
                                  .dst = dst,
                                  .type = CODE_IMPORTS,
                                  .provenance = CODE_BY_IMPORT,
                                  .site = site});
}

void
graph_imports(struct gathering *g)
{
    struct resolver *r = g->r;

    for (uint32_t file = 0; file < r->source_len && !g->failed; file++) {
        const struct facts *facts = r->sources[file].facts;
        uint32_t src = r->nodes[r->sources[file].def_base];
        for (uint32_t id = 1; id < facts->import_len; id++) {
            const struct fact_import *im = &facts->imports[id];
            if (!im->module)
                continue;
            struct val module =
                import_module(r, file, facts_text(facts, im->module));
            add_import(g, file, src, module, im->line);
            struct val val = import_value(r, file, id);
            bool is_module = val.kind == VAL_FILE || val.kind == VAL_UNIT;
            if (is_module || module.kind == VAL_UNIT)
                add_import(g, file, src, val, im->line);
        }
    }
}
