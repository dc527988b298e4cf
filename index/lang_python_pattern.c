/*
 * `with`, `except` and `match` bind names by patterns.  The grammar has one
 * node for the `as` of all three.
 */
#include "index/lang_python.h"

struct rest {
    TSNode first;
    TSNode second;
};

static void
pass_rest(struct walk *w, TSNode node, void *ctx)
{
    const struct rest *rest = ctx;

    if (!ts_node_eq(node, rest->first) && !ts_node_eq(node, rest->second))
        walk_pass(w, node);
}

void
python_pass_but(struct walk *w, TSNode node, TSNode first, TSNode second)
{
    struct rest rest = {first, second};

    walk_each(w, node, pass_rest, &rest);
}

void
python_with_item(struct walk *w, TSNode node)
{
    TSNode item = walk_field(w, node, PY_F_VALUE);
    TSNode alias = walk_field(w, item, PY_F_ALIAS);

    if (walk_kind(w, item) != PY_AS_PATTERN) {
        walk_pass(w, item);
        return;
    }
    uint32_t value = walk_value(w, walk_child(w, item, 0));
    python_bind(w, walk_child(w, alias, 0),
                &(struct python_bound){
                    .value = value, .flags = BIND_WITH, .line = alias});
}

static uint32_t
caught_type(struct walk *w, TSNode node)
{
    uint32_t type = walk_value(w, node);
    struct fact_expr tuple = *walk_expr(w, type);

    if (tuple.kind != EXPR_ARRAY)
        return type;
    tuple.kind = EXPR_ALT;
    return walk_put(w, node, tuple);
}

void
python_except(struct walk *w, TSNode node)
{
    TSNode value = walk_field(w, node, PY_F_VALUE);
    TSNode alias = walk_field(w, value, PY_F_ALIAS);

    if (walk_kind(w, value) == PY_AS_PATTERN) {
        uint32_t type = caught_type(w, walk_child(w, value, 0));
        python_bind(w, walk_child(w, alias, 0),
                    &(struct python_bound){.type = type, .line = alias});
    } else {
        walk_pass(w, value);
    }
    python_pass_but(w, node, value, value);
}

static TSNode
pattern_class(struct walk *w, TSNode node)
{
    TSNode inner = walk_child(w, node, 0);

    return walk_kind(w, inner) == PY_CLASS_PATTERN
               ? walk_child(w, inner, PY_DOTTED_NAME)
               : (TSNode){0};
}

static void
add_dotted(struct walk *w, TSNode node, void *expr)
{
    uint32_t *out = expr;

    *out = *out ? walk_member(w, *out, node) : walk_name(w, node);
}

/* `case Foo() as name`; the grammar has the same node for `with` and
 * `except`, which see to theirs. */
void
python_as_pattern(struct walk *w, TSNode node)
{
    TSNode inner = walk_child(w, node, PY_CASE_PATTERN);
    TSNode name = walk_child(w, node, PY_IDENTIFIER);
    uint32_t type = 0;

    walk_each(w, pattern_class(w, inner), add_dotted, &type);
    walk_pass(w, ts_node_is_null(inner) ? walk_child(w, node, 0) : inner);
    if (!ts_node_is_null(inner) && !ts_node_is_null(name))
        python_bind(w, name,
                    &(struct python_bound){.type = type, .line = name});
}

void
python_class_pattern(struct walk *w, TSNode node)
{
    TSNode name = walk_child(w, node, PY_DOTTED_NAME);

    python_pass_but(w, node, name, name);
}

/* In a pattern, a name without dots takes what is there. */
void
python_dotted_name(struct walk *w, TSNode node)
{
    TSNode name = walk_child(w, node, PY_IDENTIFIER);

    if (walk_len(node) == 1)
        python_bind(w, name, &(struct python_bound){.line = name});
}

void
python_splat_pattern(struct walk *w, TSNode node)
{
    TSNode name = walk_child(w, node, PY_IDENTIFIER);

    if (!ts_node_is_null(name))
        python_bind(w, name, &(struct python_bound){.line = name});
}
