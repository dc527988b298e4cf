/*
 * router.register(prefix, ViewSet) has the routes of the view set's methods,
 * its own and those of its bases; include(router.urls) mounts them.  A nested
 * router stands behind an item of its parent's.
 */
#include "index/routes_drf.h"

#include <string.h>

#include "index/routes_django_view.h"

enum { NESTED_MAX = 8, BASES_DEPTH = 4 };

/* ---- routers ---- */

enum router_kind { ROUTER_NONE, ROUTER_SIMPLE, ROUTER_DEFAULT, ROUTER_NESTED };

static enum router_kind
kind_of_origin(const struct parts *p, const struct origin *origin)
{
    static const struct {
        const char *path;
        enum router_kind kind;
    } kinds[] = {
        {"rest_framework.routers.DefaultRouter", ROUTER_DEFAULT},
        {"rest_framework.routers.SimpleRouter", ROUTER_SIMPLE},
        {"rest_framework_nested.routers.DefaultRouter", ROUTER_DEFAULT},
        {"rest_framework_nested.routers.SimpleRouter", ROUTER_SIMPLE},
        {"rest_framework_nested.routers.NestedSimpleRouter", ROUTER_NESTED},
        {"rest_framework_nested.routers.NestedDefaultRouter", ROUTER_NESTED},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (origin_is(p, origin, kinds[i].path))
            return kinds[i].kind;
    return ROUTER_NONE;
}

/* A class of the repository that does not say itself what its routes are. */
static bool
keeps_routes(struct parts *p, struct at type)
{
    static const char *const names[] = {"get_routes", "get_urls",
                                        "get_lookup_regex"};
    const struct facts *facts = part_facts(p, type.file);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (part_method_of(p, type, str_of(names[i])))
            return false;
    for (uint32_t i = 1; i < facts->bind_len; i++)
        if (facts->binds[i].scope == type.id &&
            str_eq(facts_text(facts, facts->binds[i].name), STR("routes")))
            return false;
    return true;
}

static enum router_kind
kind_of(struct parts *p, struct at made)
{
    struct at callee = part_callee(p, made);
    enum router_kind kind = ROUTER_NONE;
    struct origin origin;
    struct value value;

    if (part_origin(p, callee, &origin))
        return kind_of_origin(p, &origin);
    if (!resolve_value(p->r, callee, &value) || value.kind != VALUE_DEF ||
        part_def(p, value.at)->kind != CODE_TYPE || !keeps_routes(p, value.at))
        return ROUTER_NONE;
    const struct fact_def *row = part_def(p, value.at);
    for (uint32_t i = 0; i < row->bases_len && !kind; i++) {
        const uint32_t *lists = part_facts(p, value.at.file)->lists;
        struct at base = {value.at.file, lists[row->bases_at + i]};
        if (part_origin(p, base, &origin))
            kind = kind_of_origin(p, &origin);
    }
    return kind;
}

static bool
router_made(struct parts *p, struct at expr, struct at *made)
{
    struct value value;

    if (!expr.id || !resolve_value(p->r, expr, &value) ||
        value.kind != VALUE_MADE || part_kind(p, value.at) != EXPR_CALL)
        return false;
    *made = value.at;
    return true;
}

/* `^domains/(?P<domain_pk>[^/.]+)/` of NestedSimpleRouter(router, 'domains',
 * lookup='domain'), behind that of its parent; false: it is not known. */
static bool
add_nested(struct parts *p, struct at made, struct buf *out, unsigned depth)
{
    struct at parent = part_arg(p, made, 0);
    struct at above;
    struct at prefix = part_arg(p, made, 1);
    struct at lookup = part_named(p, made, "lookup");
    struct folded folded;

    if (depth == NESTED_MAX || !router_made(p, parent, &above))
        return false;
    if (kind_of(p, above) == ROUTER_NESTED &&
        !add_nested(p, above, out, depth + 1))
        return false;
    folded = part_text(p, prefix, false, out);
    buf_printf(out, "/(?P<%.*s_pk>[^/.]+)/",
               lookup.id ? (int)part_word(p, lookup).len : 6,
               lookup.id ? part_word(p, lookup).ptr : "nested");
    return folded.ok && !folded.is_tail;
}

static void
set_nested(struct parts *p, uint32_t id, struct at made)
{
    struct buf text = {0};

    buf_add_char(&text, '^');
    if (!add_nested(p, made, &text, 0))
        p->routers[id].flags |= ROUTER_TAIL;
    else if (!text.failed)
        p->routers[id].prefix = texts_add(&p->texts, buf_str(&text));
    p->failed |= text.failed || p->texts.failed;
    buf_fini(&text);
}

uint32_t
drf_router(struct parts *p, struct at expr)
{
    struct at made;

    if (!router_made(p, expr, &made))
        return 0;
    uint32_t id = router_find(p, SPACE_EXPR, made);
    if (id)
        return p->routers[id].framework == FW_DJANGO ? id : 0;
    enum router_kind kind = kind_of(p, made);
    if (!kind)
        return 0;
    id = router_make(p, SPACE_EXPR, made, FW_DJANGO, ROUTER_OPEN);
    if (id && kind == ROUTER_NESTED)
        set_nested(p, id, made);
    return id;
}

/* ---- view sets ---- */

/* What is found of a view set, and where it answers. */
static const struct action {
    const char *name;
    const char *method;
    bool is_detail;
} actions[] = {
    {"list", "GET", false},
    {"create", "POST", false},
    {"retrieve", "GET", true},
    {"update", "PUT", true},
    {"partial_update", "PATCH", true},
    {"destroy", "DELETE", true},
};

/* Mixins of the library that answer without code here. */
static bool
has_action(struct parts *p, struct at type, const char *name, unsigned depth)
{
    static const struct {
        const char *base;
        const char *actions;
    } bases[] = {
        {"ModelViewSet", "list create retrieve update partial_update destroy"},
        {"ReadOnlyModelViewSet", "list retrieve"},
        {"ListModelMixin", "list"},
        {"CreateModelMixin", "create"},
        {"RetrieveModelMixin", "retrieve"},
        {"UpdateModelMixin", "update partial_update"},
        {"DestroyModelMixin", "destroy"},
    };
    const struct fact_def *row = part_def(p, type);

    for (uint32_t i = 0; i < row->bases_len && depth < BASES_DEPTH; i++) {
        struct at base = {type.file,
                          part_facts(p, type.file)->lists[row->bases_at + i]};
        struct value value;
        struct origin origin;
        if (!part_type(p, base, &value, &origin))
            continue;
        if (value.kind == VALUE_DEF) {
            if (has_action(p, value.at, name, depth + 1))
                return true;
            continue;
        }
        for (size_t k = 0; k < sizeof(bases) / sizeof(bases[0]); k++)
            if (str_starts(origin.path, STR("rest_framework.")) &&
                str_ends(origin.path, str_of(bases[k].base)) &&
                origin.path.ptr[origin.path.len - strlen(bases[k].base) - 1] ==
                    '.' &&
                strstr(bases[k].actions, name))
                return true;
    }
    return false;
}

/* One view set, registered. */
struct set {
    struct parts *p;
    struct at call;
    struct at type;
    uint32_t router;
    struct at prefix;
    struct at names; /* the methods that it lets through, or id 0 */
};

static void
enter_at(const struct set *s, str tail, str method, uint32_t handler)
{
    struct parts *p = s->p;
    struct buf text = {0};

    buf_add_char(&text, '^');
    struct folded folded = part_text(p, s->prefix, false, &text);
    bool is_empty = text.len == 1; /* register('', ViewSet) */
    buf_add(&text, is_empty ? str_cut(tail, 1, tail.len) : tail);
    /* Behind what is not known, the root is anywhere. */
    bool is_known = folded.ok && !(folded.is_tail && is_empty);
    str path = str_cut(buf_str(&text), folded.is_tail ? 1 : 0, text.len);
    if (is_known && !text.failed && django_allows(p, s->names, method))
        entry_add(p, &(struct route_entry){
                         .router = s->router,
                         .flags = folded.is_tail ? ENTRY_TAIL : 0,
                         .handler = handler,
                         .method = texts_add(&p->texts, method),
                         .path = texts_add(&p->texts, path),
                         .at = s->call,
                         .framework = FW_DJANGO,
                     });
    p->failed |= text.failed || p->texts.failed;
    buf_fini(&text);
}

#define ITEM STR("/(?P<pk>[^/.]+)")

/* What @action, or what came before it, says of a method. */
static bool
action_mark(struct parts *p, struct at method, struct at *mark, bool *is_item)
{
    const struct fact_def *row = part_def(p, method);
    const struct facts *facts = part_facts(p, method.file);

    for (uint32_t i = 0; i < row->marks_len; i++) {
        *mark = (struct at){method.file, facts->lists[row->marks_at + i]};
        if (part_kind(p, *mark) != EXPR_CALL)
            continue;
        struct at callee = part_callee(p, *mark);
        struct at detail = part_named(p, *mark, "detail");
        bool is_old =
            part_is(p, callee, "rest_framework.decorators.detail_route");
        *is_item =
            is_old || (detail.id && str_eq(part_word(p, detail), STR("True")));
        if (is_old || part_is(p, callee, "rest_framework.decorators.action") ||
            part_is(p, callee, "rest_framework.decorators.list_route"))
            return true;
    }
    return false;
}

/* The path of the action |method|; false: it is not known. */
static bool
action_path(struct parts *p, struct at method, struct buf *out)
{
    struct at mark;
    bool is_item;

    if (!action_mark(p, method, &mark, &is_item))
        return false;
    struct at path = part_named(p, mark, "url_path");
    struct folded folded = {true, false};
    if (is_item)
        buf_add(out, ITEM);
    buf_add_char(out, '/');
    if (path.id)
        folded = part_text(p, path, false, out);
    else
        buf_add(out, part_str(p, method.file, part_def(p, method)->name));
    buf_add(out, STR("/$"));
    return folded.ok && !folded.is_tail && !out->failed;
}

/* Each of |methods|; GET where none are told, ANY where they are no list. */
static void
enter_methods(const struct set *s, struct at methods, str tail,
              uint32_t handler)
{
    struct parts *p = s->p;
    char upper[16];

    methods = methods.id ? part_bare(p, methods) : methods;
    if (!methods.id || part_kind(p, methods) != EXPR_ARRAY) {
        enter_at(s, tail, methods.id ? STR("ANY") : STR("GET"), handler);
        return;
    }
    for (uint32_t k = 0; k < part_expr(p, methods)->list_len; k++)
        enter_at(s, tail,
                 str_upper(part_word(p, part_list(p, methods, k)), upper,
                           sizeof(upper)),
                 handler);
}

/* `@me.mapping.put` of another method of the action `me`. */
static bool
mapped_of(struct parts *p, struct at mark, struct at type, struct at *action)
{
    struct at mapping = {mark.file, part_expr(p, mark)->a};

    if (part_kind(p, mark) != EXPR_MEMBER ||
        part_kind(p, mapping) != EXPR_MEMBER ||
        !str_eq(part_word(p, mapping), STR("mapping")))
        return false;
    struct at name = {mark.file, part_expr(p, mapping)->a};
    return resolve_member(p->r, type, part_word(p, name), action);
}

/* A method that @action or @x.mapping marks. */
static void
enter_extra(const struct set *s, struct at method)
{
    struct parts *p = s->p;
    const struct fact_def *row = part_def(p, method);
    uint32_t node = resolve_node(p->r, method.file, method.id);
    struct buf tail = {0};
    struct at mark;
    bool is_item;

    if (action_mark(p, method, &mark, &is_item)) {
        struct at methods = part_named(p, mark, "methods");
        if (!methods.id)
            methods = part_arg(p, mark, 0);
        if (action_path(p, method, &tail))
            enter_methods(s, methods, buf_str(&tail), node);
        buf_fini(&tail);
        return;
    }
    for (uint32_t i = 0; i < row->marks_len; i++) {
        struct at action;
        char upper[16];
        mark.id = part_facts(p, method.file)->lists[row->marks_at + i];
        mark.file = method.file;
        buf_reset(&tail);
        if (mapped_of(p, mark, s->type, &action) &&
            action_path(p, action, &tail))
            enter_at(s, buf_str(&tail),
                     str_upper(part_word(p, mark), upper, sizeof(upper)), node);
    }
    buf_fini(&tail);
}

/* Those of |type| that the view set has of it, and of its bases. */
static void
enter_extras(const struct set *s, struct at type, unsigned depth)
{
    struct parts *p = s->p;
    const struct facts *facts = part_facts(p, type.file);
    const struct fact_def *row = part_def(p, type);

    for (uint32_t d = 1; d < facts->def_len; d++) {
        struct at method = {type.file, d};
        struct at own;
        if (facts->defs[d].parent == type.id && facts->defs[d].marks_len &&
            resolve_member(p->r, s->type,
                           facts_text(facts, facts->defs[d].name), &own) &&
            own.file == method.file && own.id == method.id)
            enter_extra(s, method);
    }
    for (uint32_t i = 0; i < row->bases_len && depth < BASES_DEPTH; i++) {
        struct at base = {type.file, facts->lists[row->bases_at + i]};
        struct value value;
        if (resolve_value(p->r, base, &value) && value.kind == VALUE_DEF &&
            part_def(p, value.at)->kind == CODE_TYPE)
            enter_extras(s, value.at, depth + 1);
    }
}

void
drf_register(struct parts *p, struct at call)
{
    struct set s = {.p = p,
                    .call = call,
                    .router = drf_router(p, part_receiver(p, call)),
                    .prefix = part_arg(p, call, 0)};
    struct at view = part_arg(p, call, 1);

    if (!view.id)
        view = part_named(p, call, "viewset");
    if (!s.prefix.id)
        s.prefix = part_named(p, call, "prefix");
    if (!s.router || !s.prefix.id || !view.id ||
        !verb_class_of(p, view, &s.type))
        return;
    s.names = django_method_names(p, s.type);
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        uint32_t node = part_method_of(p, s.type, str_of(actions[i].name));
        if (node || has_action(p, s.type, actions[i].name, 0))
            enter_at(
                &s, actions[i].is_detail ? STR("/(?P<pk>[^/.]+)/$") : STR("/$"),
                str_of(actions[i].method),
                node ? node : resolve_node(p->r, s.type.file, s.type.id));
    }
    enter_extras(&s, s.type, 0);
}

void
drf_extend(struct parts *p, struct at call)
{
    struct at into = part_receiver(p, call);
    struct at from = part_arg(p, call, 0);

    if (!into.id || !from.id || part_kind(p, into) != EXPR_MEMBER ||
        part_kind(p, from) != EXPR_MEMBER ||
        !str_eq(part_word(p, into), STR("registry")) ||
        !str_eq(part_word(p, from), STR("registry")))
        return;
    uint32_t parent =
        drf_router(p, (struct at){into.file, part_expr(p, into)->a});
    uint32_t child =
        drf_router(p, (struct at){from.file, part_expr(p, from)->a});
    if (parent && child && parent != child)
        router_mount_at(p, child, parent, 0, 0);
}

/* Of a router that only others take in, they are what lists itself. */
static bool
is_included(struct parts *p, uint32_t router)
{
    for (uint32_t i = p->routers[router].mounts; i; i = p->mounts[i].next) {
        const struct router *parent = &p->routers[p->mounts[i].parent];
        if (p->mounts[i].parent == 0 || parent->space != SPACE_EXPR ||
            part_kind(p, parent->at) != EXPR_CALL || !kind_of(p, parent->at))
            return true;
    }
    return false;
}

/* `include_root_view = False` in the class |type|, or of |router| itself. */
static bool
has_no_root(struct parts *p, uint32_t router, struct at type)
{
    const struct facts *facts = part_facts(p, type.file);
    const str said = STR("include_root_view");

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at target = {type.file, bind->target};
        struct at value = {type.file, bind->value};
        if (!value.id || !str_eq(part_word(p, value), STR("False")))
            continue;
        if (type.id && bind->scope == type.id &&
            str_eq(facts_text(facts, bind->name), said))
            return true;
        if (target.id && part_kind(p, target) == EXPR_MEMBER &&
            str_eq(part_word(p, target), said) &&
            drf_router(p, (struct at){target.file, part_expr(p, target)->a}) ==
                router)
            return true;
    }
    return false;
}

/* A default router has a root, if neither it nor its class says otherwise. */
static bool
has_root(struct parts *p, uint32_t router, struct at call)
{
    struct value made;

    if (kind_of(p, call) != ROUTER_DEFAULT ||
        has_no_root(p, router, (struct at){call.file, 0}))
        return false;
    return !resolve_value(p->r, part_callee(p, call), &made) ||
           made.kind != VALUE_DEF || !has_no_root(p, router, made.at);
}

void
drf_root(struct parts *p, struct at call)
{
    uint32_t router = router_find(p, SPACE_EXPR, call);

    if (router && p->routers[router].framework == FW_DJANGO &&
        is_included(p, router) && has_root(p, router, call))
        entry_add(p, &(struct route_entry){
                         .router = router,
                         .method = texts_add(&p->texts, STR("GET")),
                         .path = texts_add(&p->texts, STR("^$")),
                         .at = call,
                         .framework = FW_DJANGO,
                     });
}
