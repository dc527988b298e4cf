/*
 * C and C++: calls, lambdas, and what loops, handlers and constructors bind.
 */
#include "index/lang_c.h"

static bool
has_suffix(str text, str end)
{
    return text.len >= end.len &&
           str_eq(str_cut(text, text.len - end.len, text.len), end);
}

/* `static_cast<T>(x)` is a cast; `make_unique<T>(x)` makes a T. */
static uint32_t
template_call(struct visitor *w, uint32_t callee, struct extract_list *args,
              TSNode name)
{
    const struct fact_expr *expr = &w->x.facts->exprs[callee];
    str text = visit_text(w, name);
    uint32_t len;

    if (expr->kind != EXPR_GENERIC || expr->list_len == 0)
        return 0;
    uint32_t type = w->x.facts->lists[expr->list_at];

    if (str_eq(text, STR("make_unique")) || str_eq(text, STR("make_shared")))
        return visit_listed(w, EXPR_NEW, type, args, name);
    if (!has_suffix(text, STR("_cast")) || args->len != 1)
        return 0;
    uint32_t value = args->items[0];
    extract_list_end(&w->x, args, &len);
    return visit_two(w, EXPR_CAST, value, type, name);
}

uint32_t
cxx_call(struct visitor *w, TSNode node)
{
    TSNode function = visit_field(w, node, F_FUNCTION);
    struct extract_list args = {0};
    uint32_t callee = visit(w, function);
    TSNode name = visit_kind(w, function) == K_FIELD
                      ? visit_field(w, function, F_FIELD)
                      : function;

    name = cxx_name(w, name);
    visit_list(w, visit_field(w, node, F_ARGUMENTS), &args);
    uint32_t id = template_call(w, callee, &args, name);

    return id ? id : visit_listed(w, EXPR_CALL, callee, &args, name);
}

uint32_t
cxx_new(struct visitor *w, TSNode node)
{
    TSNode type = visit_field(w, node, F_TYPE);
    struct extract_list args = {0};
    uint32_t id = visit(w, type);

    visit_list(w, visit_field(w, node, F_ARGUMENTS), &args);
    return visit_listed(w, EXPR_NEW, id, &args, cxx_name(w, type));
}

static void
result_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    if (field == 0 && visit_kind(w, child) == K_INNER)
        *(uint32_t *)ctx = visit(w, child);
}

uint32_t
cxx_lambda(struct visitor *w, TSNode node)
{
    TSNode declarator = visit_field(w, node, F_DECLARATOR);
    TSNode body = visit_field(w, node, F_BODY);
    struct fact_def def = {.kind = CODE_FUNCTION, .flags = DEF_LAMBDA};

    visit_each(w, declarator, result_one, &def.type);
    uint32_t id = visit_def(w, def, node, node, body);
    uint32_t before = visit_enter(w, id);

    cxx_params(w, visit_field(w, declarator, F_PARAMETERS));
    visit(w, body);
    visit_leave(w, before);
    return visit_wrap(w, EXPR_LAMBDA, id, node);
}

struct many {
    uint32_t value;
    uint32_t index;
};

static void
bind_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct many *many = ctx;

    (void)field;
    if (visit_kind(w, child) != K_IDENTIFIER)
        return;
    visit_bind(w,
               (struct fact_bind){.kind = BIND_LOCAL,
                                  .flags = BIND_MULTI,
                                  .name = extract_str(&w->x, child),
                                  .value = many->value,
                                  .index = many->index++},
               child);
}

uint32_t
cxx_for_range(struct visitor *w, TSNode node)
{
    TSNode from = visit_field(w, node, F_RIGHT);
    uint32_t value = visit_wrap(w, EXPR_ELEM, visit(w, from), node);
    uint32_t type = visit(w, visit_field(w, node, F_TYPE));
    struct cxx_declarator declarator =
        cxx_declarator(w, visit_field(w, node, F_DECLARATOR));

    if (visit_kind(w, declarator.name) == K_STRUCTURED) {
        struct many many = {value, 0};
        visit_each(w, declarator.name, bind_one, &many);
    } else if (!ts_node_is_null(declarator.name)) {
        visit_bind(
            w,
            (struct fact_bind){.kind = BIND_LOCAL,
                               .name = extract_str(&w->x, declarator.name),
                               .type = cxx_type(w, type, &declarator, node),
                               .value = value},
            node);
    }
    visit(w, visit_field(w, node, F_BODY));
    return 0;
}

static void
catch_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct cxx_declarator declarator;

    (void)field;
    (void)ctx;
    if (visit_kind(w, child) != K_PARAM)
        return;
    declarator = cxx_declarator(w, visit_field(w, child, F_DECLARATOR));
    uint32_t type = visit(w, visit_field(w, child, F_TYPE));
    if (!ts_node_is_null(declarator.name))
        visit_bind(
            w,
            (struct fact_bind){.kind = BIND_LOCAL,
                               .name = extract_str(&w->x, declarator.name),
                               .type = cxx_type(w, type, &declarator, child)},
            child);
}

uint32_t
cxx_catch(struct visitor *w, TSNode node)
{
    visit_each(w, visit_field(w, node, F_PARAMETERS), catch_one, NULL);
    visit(w, visit_field(w, node, F_BODY));
    return 0;
}

/* `: x_(a), y_{b}` binds fields; with a base it is what constructs it. */
uint32_t
cxx_field_init(struct visitor *w, TSNode node)
{
    TSNode name = visit_first(node);
    struct extract_list args = {0};
    uint32_t len;

    if (ts_node_is_null(name))
        return 0;
    visit_list(w, visit_second(node), &args);
    if (visit_kind(w, name) != K_IDENTIFIER) {
        visit_listed(w, EXPR_NEW, visit(w, name), &args, cxx_name(w, name));
        return 0;
    }
    uint32_t value = args.len == 1 ? args.items[0] : 0;
    extract_list_end(&w->x, &args, &len);
    uint32_t self = visit_wrap(w, EXPR_SELF, 0, name);

    visit_assign(w, visit_member(w, self, visit_text(w, name), name), value,
                 name);
    return 0;
}
