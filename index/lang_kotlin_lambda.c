/*
 * Lambdas: what stands last in them is what they return.
 */
#include "index/lang_kotlin.h"

struct lambda {
    uint32_t def;
    uint32_t index;
    TSNode last;
};

static void
add_lambda_param(struct walk *w, TSNode node, void *ctx)
{
    struct lambda *lambda = ctx;
    struct fact_bind bind = {
        .kind = BIND_PARAM, .scope = lambda->def, .index = lambda->index++};

    if (walk_kind(w, node) == KT_VARIABLE_DECLARATION)
        (void)kotlin_bind_name(w, node, bind);
    else
        kotlin_bind_names(
            w, node,
            (struct fact_bind){.kind = BIND_LOCAL, .scope = lambda->def});
}

static void
pass_lambda(struct walk *w, TSNode node, void *ctx)
{
    struct lambda *lambda = ctx;

    if (walk_kind(w, node) == KT_LAMBDA_PARAMETERS)
        walk_each(w, node, add_lambda_param, lambda);
    else if (ts_node_eq(node, lambda->last))
        walk_return(w, node, walk_value(w, node));
    else
        walk_pass(w, node);
}

uint32_t
kotlin_lambda(struct walk *w, TSNode node)
{
    struct lambda lambda = {0};

    lambda.def = walk_define(
        w, &(struct walk_place){.node = node},
        (struct fact_def){.kind = CODE_FUNCTION, .flags = DEF_LAMBDA});
    if (lambda.def == 0)
        return 0;
    if (walk_len(node))
        lambda.last = ts_node_named_child(node, walk_len(node) - 1);
    struct walk_frame frame = walk_enter(w, lambda.def);
    walk_each(w, node, pass_lambda, &lambda);
    walk_leave(w, frame);
    return walk_unary(w, node, EXPR_LAMBDA, lambda.def);
}
