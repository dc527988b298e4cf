/*
 * utoipa-axum: `router.routes(routes!(show, change))`.  Method and path are
 * those of each function's `#[utoipa::path(get, path = "/x")]`, which says
 * nothing of what is served where a function is not listed so.
 */
#include "index/routes_marks.h"
#include "index/routes_nest.h"
#include "index/routes_verbs.h"

/* `get`, or `method(put, patch)` */
static void
enter_methods(const struct verb_call *v, struct at arg, struct at path,
              uint32_t handler)
{
    struct parts *p = v->p;
    str word = part_word(p, arg);

    if (part_kind(p, arg) == EXPR_NAME && axum_method(word).len > 0) {
        (void)verb_route(v, word, path, handler);
        return;
    }
    if (part_kind(p, arg) != EXPR_CALL ||
        !str_eq(part_word(p, part_callee(p, arg)), STR("method")))
        return;
    for (uint32_t i = 0; i < part_args(p, arg); i++) {
        str each = part_word(p, part_arg(p, arg, i));
        if (axum_method(each).len > 0)
            (void)verb_route(v, each, path, handler);
    }
}

static void
enter_function(const struct verb_call *v, struct at def)
{
    struct parts *p = v->p;
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, def, i)).id; i++) {
        if (part_kind(p, mark) != EXPR_CALL ||
            !part_is(p, part_callee(p, mark), "utoipa.path"))
            continue;
        struct at path = part_named(p, mark, "path");
        for (uint32_t k = 0; path.id && k < part_args(p, mark); k++)
            enter_methods(v, part_arg(p, mark, k), path,
                          resolve_node(p->r, def.file, def.id));
    }
}

void
verb_utoipa(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at list = part_bare(p, part_arg(p, v->call, 0));
    struct at def;

    if (!list.id || part_kind(p, list) != EXPR_CALL ||
        !str_eq(part_word(p, part_callee(p, list)), STR("routes!")))
        return;
    for (uint32_t i = 0; i < part_args(p, list); i++)
        if (part_function(p, part_arg(p, list, i), &def))
            enter_function(v, def);
}

bool
utoipa_is_document(const struct parts *p, struct at name, struct at made)
{
    const struct facts *facts = part_facts(p, name.file);

    if (made.file != name.file || part_kind(p, name) != EXPR_NAME ||
        part_kind(p, made) != EXPR_CALL ||
        !str_eq(part_word(p, part_callee(p, made)), STR("split_for_parts")))
        return false;
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (bind->value == made.id && bind->index > 0 &&
            str_eq(facts_text(facts, bind->name), part_word(p, name)))
            return true;
    }
    return false;
}

void
nest_split(const struct verb_call *v)
{
    enum { RETURNS_MAX = 8 };
    struct parts *p = v->p;
    struct at def = part_enclosing(p, v->call);
    struct at value = {v->call.file, 1};

    for (uint32_t i = 0; def.id && value.id && i < RETURNS_MAX; i++) {
        value = part_bare(p, part_returned(p, def, i));
        if (value.id == v->call.id && value.file == v->call.file)
            p->routers[v->router].flags |= ROUTER_OPEN;
    }
}
