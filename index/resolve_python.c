/*
 * What calls of Python are worth that name the class of what they make.
 */
#include "index/resolve_python.h"

struct val
python_made(struct resolver *r, uint32_t file, uint32_t expr, struct val callee)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    const struct fact_expr *how = expr_at(r, file, at->a);
    uint32_t first = at->list_len ? list_at(r, file, at->list_at) : 0;
    bool is_new = how->kind == EXPR_MEMBER &&
                  sym_is(r, sym_of(r, file, how->text), "__new__");
    struct val val = {0};

    if (lang_at(r, file) != LANG_PYTHON || !first)
        return val;
    if (callee.kind == VAL_EXTERNAL && sym_is(r, callee.module, "typing") &&
        sym_is(r, callee.name, "cast"))
        return eval_type(r, file, first);
    bool is_copy =
        callee.kind == VAL_EXTERNAL && sym_is(r, callee.module, "copy") &&
        (sym_is(r, callee.name, "copy") || sym_is(r, callee.name, "deepcopy"));
    if (is_new || is_copy)
        val = eval_expr(r, file, first);
    if (is_new && val.kind == VAL_DEF)
        val = eval_instance(r, val);
    if (val.kind != VAL_INSTANCE)
        return (struct val){0};
    val.by = CODE_BY_TYPE;
    val.origin = ORIGIN_EXPR;
    val.origin_file = file;
    val.origin_id = expr;
    val.call_id = 0;
    return val;
}
