/*
 * Pyramid: add_route("name", "/x") says where, @view_config(route_name="name")
 * or add_view(function, route_name="name") who answers.  One walk over all
 * files notes the views, sorted by the names of their routes.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "index/routes_marks.h"

/* A view of the route |name|, as |call| says by its arguments. */
struct pyramid_view {
    str name;
    struct at call;
    uint32_t def; /* that the call decorates, or 0 */
};

struct pyramid_views {
    struct pyramid_view *rows;
    uint32_t len;
    uint32_t cap;
};

/* The function around |call|, if include() was given it: a router. */
static uint32_t
included(struct parts *p, struct at call)
{
    uint32_t router = router_find(p, SPACE_DEF, part_enclosing(p, call));

    return router && p->routers[router].framework == FW_PYRAMID ? router : 0;
}

static bool
is_config(struct parts *p, struct at call)
{
    struct at receiver = part_receiver(p, call);
    struct value value;
    struct origin origin;

    if (part_type_of(p, receiver, &value, &origin) &&
        str_starts(origin.path, STR("pyramid.config.")))
        return true;
    return str_eq(part_word(p, receiver), STR("config")) &&
           (included(p, call) ||
            str_eq(part_str(p, call.file,
                            part_def(p, part_enclosing(p, call))->name),
                   STR("includeme")));
}

/* ---- views, by the names of their routes ---- */

static void
add_view(struct parts *p, struct pyramid_views *views, struct at call,
         uint32_t def)
{
    struct at route = part_named(p, call, "route_name");

    if (!route.id)
        return;
    if (!grow_room(views->rows, views->len, views->cap)) {
        p->failed = true;
        return;
    }
    views->rows[views->len++] =
        (struct pyramid_view){part_word(p, route), call, def};
}

static void
add_views(struct parts *p, struct pyramid_views *views, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t d = 1; d < facts->def_len; d++) {
        struct at mark;
        for (uint32_t i = 0; (mark = mark_at(p, (struct at){file, d}, i)).id;
             i++)
            if (part_kind(p, mark) == EXPR_CALL &&
                part_is(p, part_callee(p, mark), "pyramid.view.view_config"))
                add_view(p, views, mark, d);
    }
    for (uint32_t i = 1; i < facts->expr_len; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind == EXPR_CALL &&
            str_eq(part_word(p, part_callee(p, call)), STR("add_view")) &&
            is_config(p, call))
            add_view(p, views, call, 0);
    }
}

/* By file, those that are decorators first. */
static int
by_name(const void *a, const void *b)
{
    const struct pyramid_view *x = a;
    const struct pyramid_view *y = b;
    int order = str_order(x->name, y->name);

    if (!order)
        order = (x->call.file > y->call.file) - (x->call.file < y->call.file);
    if (!order)
        order = (x->def == 0) - (y->def == 0);
    if (!order)
        order = (x->def > y->def) - (x->def < y->def);
    return order ? order
                 : (x->call.id > y->call.id) - (x->call.id < y->call.id);
}

static const struct pyramid_views *
views_of(struct parts *p)
{
    if (p->pyramid_views)
        return p->pyramid_views;
    struct pyramid_views *views = calloc(1, sizeof(*views));
    p->pyramid_views = views;
    p->failed |= !views;
    for (uint32_t i = 0; i < p->len && !p->failed; i++)
        if (part_facts(p, i)->lang == LANG_PYTHON &&
            part_imports(p, i, "pyramid"))
            add_views(p, views, i);
    if (views && views->len > 0)
        qsort(views->rows, views->len, sizeof(*views->rows), by_name);
    return views;
}

void
pyramid_fini(struct parts *p)
{
    if (p->pyramid_views)
        free(p->pyramid_views->rows);
    free(p->pyramid_views);
    p->pyramid_views = NULL;
}

/* ---- routes ---- */

static void
enter_view(const struct verb_call *v, struct at call, struct at path,
           uint32_t handler)
{
    struct at method = part_named(v->p, call, "request_method");

    if (method.id)
        (void)verb_routes(v, method, path, handler);
    else
        (void)verb_route(v, STR("ANY"), path, handler);
}

static int
compare_name(const void *name, const void *row)
{
    return str_order(*(const str *)name,
                     ((const struct pyramid_view *)row)->name);
}

static void
enter_views(struct parts *p, const struct verb_call *v, str name,
            struct at path)
{
    const struct pyramid_views *views = views_of(p);

    if (!views)
        return;
    for (size_t i = sorted_first(&name, views->rows, views->len,
                                 sizeof(*views->rows), compare_name);
         i < views->len && str_eq(views->rows[i].name, name); i++) {
        const struct pyramid_view *row = &views->rows[i];
        struct at view = part_named(p, row->call, "view");
        if (!view.id)
            view = part_arg(p, row->call, 0);
        enter_view(v, row->call, path,
                   row->def ? resolve_node(p->r, row->call.file, row->def)
                            : part_handler(p, view));
    }
}

/* config.include(function, route_prefix="/x"), or the prefix by its place */
static void
include(struct parts *p, struct at call)
{
    struct at named = part_named(p, call, "route_prefix");
    struct verb_path prefix = {0, false};
    struct at function;

    if (!str_eq(part_word(p, part_callee(p, call)), STR("include")) ||
        !is_config(p, call) ||
        !part_function(p, part_arg(p, call, 0), &function))
        return;
    if (!named.id)
        named = part_arg(p, call, 1);
    if (named.id && !verb_prefix(p, named, &prefix))
        prefix.is_tail = true;
    uint32_t child =
        router_make(p, SPACE_DEF, function, FW_PYRAMID, ROUTER_OPEN);
    /* What is around is known after the first round. */
    if (child && p->round > 1)
        router_mount_at(p, child, included(p, call), prefix.text,
                        prefix.is_tail ? MOUNT_TAIL : 0);
}

static void
add_route(struct parts *p, struct at call)
{
    struct at name = part_arg(p, call, 0);
    struct at path = part_arg(p, call, 1);
    struct verb_rule rule = {.framework = FW_PYRAMID};
    struct verb_call v = {p, call, included(p, call), &rule};
    uint32_t before = p->entry_len;

    if (!path.id)
        path = part_named(p, call, "pattern");
    if (!path.id || !is_config(p, call) || part_kind(p, name) != EXPR_STRING)
        return;
    if (!v.router)
        v.router = router_make(p, SPACE_EXPR, call, FW_PYRAMID, 0);
    enter_views(p, &v, part_word(p, name), path);
    if (p->entry_len == before)
        (void)verb_route(&v, STR("ANY"), path, 0);
}

void
pyramid_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    bool has_pyramid = part_imports(p, file, "pyramid");

    for (uint32_t i = 1; has_pyramid && i < facts->expr_len && !p->failed; i++)
        if (facts->exprs[i].kind == EXPR_CALL)
            include(p, (struct at){file, i});
}

void
routes_pyramid(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind == EXPR_CALL &&
            str_eq(part_word(p, part_callee(p, call)), STR("add_route")))
            add_route(p, call);
    }
}
