/*
 * Imports hold in the scope they stand in; those under `if TYPE_CHECKING` are
 * for types only.
 */
#include "index/lang_python.h"

static void
add_import(struct walk *w, TSNode node, enum import_kind kind, str_id module,
           TSNode name)
{
    TSNode alias = walk_field(w, name, PY_F_ALIAS);
    bool is_aliased = walk_kind(w, name) == PY_ALIASED_IMPORT;
    TSNode what = is_aliased ? walk_field(w, name, PY_F_NAME) : name;
    str_id text = kind == IMPORT_STAR ? 0 : extract_str(w->x, what);

    facts_import(w->x->facts,
                 &(struct fact_import){
                     .kind = (uint8_t)kind,
                     .is_type_only = python_of(w)->is_type_only,
                     .scope = w->x->scope,
                     .module = kind == IMPORT_MODULE ? text : module,
                     .name = kind == IMPORT_MODULE ? 0 : text,
                     .alias = is_aliased ? extract_str(w->x, alias) : 0,
                     .line = extract_line(node),
                 });
}

static void
add_module(struct walk *w, TSNode node, void *ctx)
{
    (void)ctx;
    add_import(w, node, IMPORT_MODULE, 0, node);
}

void
python_import(struct walk *w, TSNode node)
{
    walk_each(w, node, add_module, NULL);
}

struct from {
    TSNode module_node;
    str_id module;
};

static void
add_name(struct walk *w, TSNode node, void *ctx)
{
    const struct from *from = ctx;

    if (ts_node_eq(node, from->module_node))
        return;
    add_import(w, node,
               walk_kind(w, node) == PY_WILDCARD ? IMPORT_STAR : IMPORT_NAME,
               from->module, node);
}

void
python_import_from(struct walk *w, TSNode node)
{
    struct from from = {walk_field(w, node, PY_F_MODULE_NAME), 0};

    from.module = extract_str(w->x, from.module_node);
    walk_each(w, node, add_name, &from);
}

struct branch {
    TSNode consequence;
};

static void
pass_branch(struct walk *w, TSNode node, void *ctx)
{
    const struct branch *branch = ctx;
    struct python *python = python_of(w);
    bool was_type_only = python->is_type_only;

    if (ts_node_eq(node, branch->consequence))
        python->is_type_only = true;
    walk_pass(w, node);
    python->is_type_only = was_type_only;
}

void
python_if(struct walk *w, TSNode node)
{
    str condition = extract_text(w->x, walk_field(w, node, PY_F_CONDITION));
    str checking = STR("TYPE_CHECKING");
    struct branch branch = {walk_field(w, node, PY_F_CONSEQUENCE)};
    bool is_type_only =
        condition.len >= checking.len && condition.len < 64 &&
        str_eq(str_cut(condition, condition.len - checking.len, condition.len),
               checking) &&
        !str_starts(condition, STR("not "));

    if (is_type_only)
        walk_each(w, node, pass_branch, &branch);
    else
        walk_children(w, node);
}

void
python_all(struct walk *w, TSNode at, uint32_t value)
{
    const struct fact_expr array = *walk_expr(w, value);

    if (array.kind != EXPR_ARRAY)
        return;
    for (uint32_t i = 0; i < array.list_len; i++) {
        uint32_t item = w->x->facts->lists[array.list_at + i];
        if (walk_expr_kind(w, item) == EXPR_STRING)
            facts_import(w->x->facts, &(struct fact_import){
                                          .kind = EXPORT_NAME,
                                          .name = walk_expr(w, item)->text,
                                          .line = extract_line(at),
                                      });
    }
}
