/*
 * Pyramid: add_route("name", "/x") says where, @view_config(route_name="name")
 * or add_view(function, route_name="name") who answers.  One walk over all
 * files notes the views, sorted by the names of their routes.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "index/routes_django_file.h"
#include "index/routes_files.h"
#include "index/routes_marks.h"

/* A view of the route |name|, as |call| says by its arguments. */
struct pyramid_view {
    str name;
    struct at call;
    struct at defaults; /* @view_defaults of the class around; or id 0 */
    uint32_t def;       /* that the call decorates, or 0 */
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
is_includeme(const struct parts *p, struct at def)
{
    return str_eq(part_str(p, def.file, part_def(p, def)->name),
                  STR("includeme"));
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
           (included(p, call) || is_includeme(p, part_enclosing(p, call)));
}

/* ---- views, by the names of their routes ---- */

static struct at
view_said(const struct parts *p, const struct pyramid_view *view,
          const char *option)
{
    struct at own = part_named(p, view->call, option);

    return own.id || !view->defaults.id ? own
                                        : part_named(p, view->defaults, option);
}

static void
add_view(struct parts *p, struct pyramid_views *views, struct pyramid_view view)
{
    struct at route = view_said(p, &view, "route_name");

    if (!route.id)
        return;
    view.name = part_word(p, route);
    if (!grow_room(views->rows, views->len, views->cap)) {
        p->failed = true;
        return;
    }
    views->rows[views->len++] = view;
}

/* The |i|th decorator of |def| by the name |path|, from there on; or id 0. */
static struct at
mark_named(struct parts *p, struct at def, const char *path, uint32_t *i)
{
    struct at mark;

    while ((mark = mark_at(p, def, (*i)++)).id)
        if (part_kind(p, mark) == EXPR_CALL &&
            part_is(p, part_callee(p, mark), path))
            break;
    return mark;
}

static void
add_marks(struct parts *p, struct pyramid_views *views, struct at def)
{
    struct at class = {def.file, part_def(p, def)->parent};
    struct pyramid_view view = {.def = def.id};
    uint32_t at = 0;

    if (part_def(p, def)->marks_len == 0)
        return;
    if (verb_is_type(p, def))
        class = def;
    if (class.id)
        view.defaults = mark_named(p, class, "pyramid.view.view_defaults", &at);
    at = 0;
    while ((view.call = mark_named(p, def, "pyramid.view.view_config", &at)).id)
        add_view(p, views, view);
}

static void
add_views(struct parts *p, struct pyramid_views *views, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t d = 1; d < facts->def_len; d++)
        add_marks(p, views, (struct at){file, d});
    for (uint32_t i = 1; i < facts->expr_len; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind == EXPR_CALL &&
            str_eq(part_word(p, part_callee(p, call)), STR("add_view")) &&
            is_config(p, call))
            add_view(p, views, (struct pyramid_view){.call = call});
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

/* What a view is: a function; of a class the method that `attr` names, else
 * what is called. */
static uint32_t
view_handler(struct parts *p, const struct pyramid_view *view)
{
    struct at given = part_named(p, view->call, "view");
    struct at attr = view_said(p, view, "attr");
    struct at type = {view->call.file, view->def};

    if (!given.id)
        given = part_arg(p, view->call, 0);
    if (view->def ? !verb_is_type(p, type) : !verb_class_of(p, given, &type))
        return view->def ? resolve_node(p->r, type.file, type.id)
                         : part_handler(p, given);
    return part_method_of(p, type,
                          attr.id ? part_word(p, attr) : STR("__call__"));
}

/* The route may say its methods, too. */
static void
enter_view(const struct verb_call *v, struct at method, struct at path,
           uint32_t handler)
{
    if (!method.id)
        method = part_named(v->p, v->call, "request_method");
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
         i < views->len && str_eq(views->rows[i].name, name); i++)
        enter_view(v, view_said(p, &views->rows[i], "request_method"), path,
                   view_handler(p, &views->rows[i]));
}

/* ---- what is included ---- */

/* `.routes` is below the package that |from| stands in, `..x` below the one
 * around it. */
static bool
module_beside(struct parts *p, str module, uint32_t from, uint32_t *out)
{
    str folder = p->files[from].path;
    struct buf path = {0};
    bool is_found = false;

    for (; str_starts(module, STR(".")); module.ptr++, module.len--) {
        while (folder.len > 0 && folder.ptr[folder.len - 1] != '/')
            folder.len--;
        if (module.len > 1 && module.ptr[1] == '.' && folder.len > 0)
            folder.len--;
    }
    buf_add(&path, folder);
    for (size_t i = 0; i < module.len; i++)
        buf_add_char(&path, (char)(module.ptr[i] == '.' ? '/' : module.ptr[i]));
    size_t len = path.len;
    buf_add(&path, STR(".py"));
    is_found = !path.failed && file_at(p, buf_str(&path), out);
    if (!is_found && !path.failed) {
        path.len = len;
        buf_add(&path, STR("/__init__.py"));
        is_found = !path.failed && file_at(p, buf_str(&path), out);
    }
    p->failed |= path.failed;
    buf_fini(&path);
    return is_found;
}

static bool
module_file(struct parts *p, str module, uint32_t from, uint32_t *out)
{
    return str_starts(module, STR(".")) ? module_beside(p, module, from, out)
                                        : django_module(p, module, from, out);
}

static bool
function_in(struct parts *p, uint32_t file, str name, struct at *out)
{
    const struct facts *facts = part_facts(p, file);

    if (p->lookups++ > PART_LOOKUPS_MAX)
        return false;
    for (uint32_t d = 1; d < facts->def_len; d++)
        if (facts->defs[d].parent == 0 &&
            str_eq(facts_text(facts, facts->defs[d].name), name)) {
            *out = (struct at){file, d};
            return true;
        }
    return false;
}

/* include("shop.routes") calls the module's includeme, include("shop.api.v1")
 * may be a function of shop/api.py, too. */
static bool
included_function(struct parts *p, struct at expr, struct at *out)
{
    struct buf text = {0};
    bool is_found = false;
    uint32_t file;

    if (part_function(p, expr, out))
        return true;
    if (!part_text(p, expr, false, &text).ok) {
        buf_fini(&text);
        return false;
    }
    str name = buf_str(&text);
    size_t end = name.len;
    while (end > 0 && name.ptr[end - 1] != '.' && name.ptr[end - 1] != ':')
        end--;
    if (module_file(p, name, expr.file, &file))
        is_found = function_in(p, file, STR("includeme"), out);
    else if (end > 1 &&
             module_file(p, str_cut(name, 0, end - 1), expr.file, &file))
        is_found = function_in(p, file, str_cut(name, end, name.len), out);
    buf_fini(&text);
    return is_found;
}

/* `with config.route_prefix_context("/x"):` is before some of the routes that
 * its function adds after it; which is not told by the facts. */
static bool
is_below(const struct parts *p, struct at context, struct at call)
{
    return context.id &&
           part_enclosing(p, context).id == part_enclosing(p, call).id;
}

static bool
is_context(const struct parts *p, struct at call)
{
    return str_eq(part_word(p, part_callee(p, call)),
                  STR("route_prefix_context"));
}

/* config.include(function, route_prefix="/x"), or the prefix by its place */
static void
include(struct parts *p, struct at call, struct at context)
{
    struct at named = part_named(p, call, "route_prefix");
    struct verb_path prefix = {0, false};
    struct at function;

    if (!str_eq(part_word(p, part_callee(p, call)), STR("include")) ||
        !is_config(p, call) ||
        !included_function(p, part_arg(p, call, 0), &function))
        return;
    if (!named.id)
        named = part_arg(p, call, 1);
    if (named.id && !verb_prefix(p, named, &prefix))
        prefix.is_tail = true;
    prefix.is_tail |= is_below(p, context, call);
    uint32_t child =
        router_make(p, SPACE_DEF, function, FW_PYRAMID, ROUTER_OPEN);
    /* What is around is known after the first round. */
    if (child && p->round > 1)
        router_mount_at(p, child, included(p, call), prefix.text,
                        prefix.is_tail ? MOUNT_TAIL : 0);
}

static void
add_route(struct parts *p, struct at call, struct at context)
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
    struct at around = part_enclosing(p, call);
    if (!v.router && is_includeme(p, around)) /* by whom is not known */
        v.router = router_make(p, SPACE_DEF, around, FW_PYRAMID, ROUTER_OPEN);
    if (!v.router)
        v.router = router_make(p, SPACE_EXPR, call, FW_PYRAMID, 0);
    enter_views(p, &v, part_word(p, name), path);
    if (p->entry_len == before)
        enter_view(&v, (struct at){call.file, 0}, path, 0);
    for (; before < p->entry_len && is_below(p, context, call); before++)
        p->entries[before].flags |= ENTRY_TAIL;
}

void
pyramid_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    struct at context = {file, 0};

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        if (is_context(p, call))
            context = call;
        else
            include(p, call, context);
    }
}

void
routes_pyramid(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    struct at context = {file, 0};

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        if (is_context(p, call))
            context = call;
        else if (str_eq(part_word(p, part_callee(p, call)), STR("add_route")))
            add_route(p, call, context);
    }
}
