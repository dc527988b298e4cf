/*
 * aiohttp: `add_routes([web.get(path, handler), ...])`, `add_get(path,
 * handler)`.
 *
 * A list is what it was made with and what its file adds to it: by `+=`,
 * append, extend and insert.
 */
#include "index/routes_verbs.h"

static bool
is_method(str name)
{
    static const char *const methods[] = {"get",   "post", "put",    "delete",
                                          "patch", "head", "options"};

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (str_eq(name, str_of(methods[i])))
            return true;
    return false;
}

/* What a call names so, or its argument |i|. */
static struct at
web_arg(const struct parts *p, struct at call, uint32_t i, const char *name)
{
    struct at named = part_named(p, call, name);

    return named.id ? named : part_arg(p, call, i);
}

/* |name| is what aiohttp calls it: `get`, `view`, `route`, where the method
 * comes first; of a resource it comes alone. */
static void
web_route(const struct verb_call *v, str name)
{
    struct parts *p = v->p;
    bool is_any = str_eq(name, STR("route"));
    bool is_view = str_eq(name, STR("view"));
    struct at path = web_arg(p, v->call, is_any, "path");
    struct at view = web_arg(p, v->call, 1 + is_any, "handler");
    struct at type;
    char word[16];

    if (!is_any && !is_view && !is_method(name))
        return;
    str method = is_view ? STR("ANY") : str_upper(name, word, sizeof(word));
    if (is_any && (!view.id || !path.id)) {
        verb_root(v, STR("ANY"), web_arg(p, v->call, 0, "method"),
                  part_handler(p, view.id ? view : path));
        return;
    }
    if (!path.id || !view.id)
        return;
    uint32_t handler = part_handler(p, view);
    if (is_any)
        (void)verb_routes(v, web_arg(p, v->call, 0, "method"), path, handler);
    else if (handler || !verb_class_of(p, view, &type) ||
             verb_class(v, type, path) == 0)
        (void)verb_route(v, method, path, handler);
}

/* app.router.add_get("/x", show) */
void
verb_web(const struct verb_call *v)
{
    const size_t head = sizeof("add_") - 1;
    str name = str_of(v->rule->name);

    web_route(v, str_cut(name, head, name.len));
}

/* `web.get("/x", show)`, `web.RouteDef("GET", "/x", show, {})` */
static bool
web_item(const struct verb_call *v, struct at call)
{
    struct parts *p = v->p;
    struct verb_call item = {p, call, v->router, v->rule};
    struct origin origin;

    if (!part_origin(p, part_callee(p, call), &origin) ||
        !str_starts(origin.path, STR("aiohttp.web.")))
        return false;
    str name = str_cut(origin.path, 12, origin.path.len);
    web_route(&item, str_eq(name, STR("RouteDef")) ? STR("route") : name);
    return true;
}

/* The walk over the lists of one call. */
struct web_lists {
    const struct verb_call *v;
    unsigned left; /* items: a list may be made of itself */
};

static void web_items(struct web_lists *l, struct at list);

static void
web_one(struct web_lists *l, struct at item)
{
    if (l->left == 0 || !item.id)
        return;
    l->left--;
    item = part_bare(l->v->p, item);
    if (part_kind(l->v->p, item) != EXPR_CALL || !web_item(l->v, item))
        web_items(l, item);
}

/* `list.append(web.get(...))`, `list.insert(0, ...)`, `list.extend(more)` */
static struct at
web_added(struct parts *p, struct at call)
{
    str word = part_word(p, part_callee(p, call));

    if (str_eq(word, STR("append")) || str_eq(word, STR("extend")))
        return part_arg(p, call, 0);
    return part_arg(p, call, str_eq(word, STR("insert")) ? 1 : UINT32_MAX);
}

/* What a file binds |list| to. */
static str
name_of(const struct parts *p, struct at list)
{
    const struct facts *facts = part_facts(p, list.file);

    for (uint32_t i = 1; i < facts->bind_len; i++)
        if (facts->binds[i].value == list.id)
            return facts_text(facts, facts->binds[i].name);
    return (str){NULL, 0};
}

static bool
is_name_of(struct parts *p, struct at expr, str name, struct at list)
{
    if (!expr.id || part_kind(p, expr) != EXPR_NAME ||
        !str_eq(part_word(p, expr), name))
        return false;
    struct at bound = part_bound(p, expr);
    return bound.id && part_bare(p, bound).id == list.id;
}

/* What the file of |list|, which a name is bound to, adds to that. */
static void
web_more(struct web_lists *l, struct at list)
{
    struct parts *p = l->v->p;
    const struct facts *facts = part_facts(p, list.file);
    str name = name_of(p, list);

    if (name.len == 0 || p->lookups++ > PART_LOOKUPS_MAX)
        return;
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (bind->kind == BIND_ASSIGN &&
            is_name_of(p, (struct at){list.file, bind->target}, name, list))
            web_one(l, (struct at){list.file, bind->value});
    }
    for (uint32_t i = list.id + 1; i < facts->expr_len; i++) {
        struct at call = {list.file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        struct at item = web_added(p, call);
        if (item.id && is_name_of(p, part_receiver(p, call), name, list))
            web_one(l, item);
    }
}

static void
web_items(struct web_lists *l, struct at list)
{
    struct parts *p = l->v->p;
    struct at bound = part_bound(p, list);
    bool is_named = part_kind(p, list) != EXPR_ARRAY;

    if (bound.id && part_kind(p, part_bare(p, bound)) == EXPR_ARRAY)
        list = part_bare(p, bound);
    else if (!part_items(p, &list))
        return;
    uint32_t len = part_expr(p, list)->list_len;
    for (uint32_t i = 0; l->left > 0 && i < len; i++)
        web_one(l, part_list(p, list, i));
    if (is_named && part_kind(p, list) == EXPR_ARRAY)
        web_more(l, list);
}

void
verb_web_list(const struct verb_call *v)
{
    struct web_lists lists = {v, 4096};

    web_items(&lists, part_bare(v->p, web_arg(v->p, v->call, 0, "routes")));
}
