/*
 * Django: a list of path(), re_path() and url() bound to `urlpatterns` is a
 * router of its file.  Of a list given to include(), as it stands or by name,
 * each pattern is a router of its own.  A file of patterns that no other
 * includes is taken as the root, unless it is an application's: then what is
 * before it is not known.
 *
 * DRF: router.register(prefix, ViewSet) has the routes of the view set's
 * methods; include(router.urls) mounts them.
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_files.h"
#include "index/routes_rules.h"
#include "index/routes_verbs.h"

static bool
is_django(struct parts *p, struct at callee, const char *name)
{
    static const char *const modules[] = {"django.urls.", "django.conf.urls.",
                                          "django.urls.conf."};
    char path[64];

    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        size_t len = strlen(modules[i]);
        memcpy(path, modules[i], len);
        memcpy(path + len, name, strlen(name) + 1);
        if (part_is(p, callee, path))
            return true;
    }
    return false;
}

static bool
is_pattern(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);
    str name = part_word(p, callee);

    return (str_eq(name, STR("path")) && is_django(p, callee, "path")) ||
           (str_eq(name, STR("re_path")) && is_django(p, callee, "re_path")) ||
           (str_eq(name, STR("url")) && is_django(p, callee, "url"));
}

/* Patterns of a file are one router. */
static uint32_t
file_router(struct parts *p, uint32_t file)
{
    return router_make(p, SPACE_FILE, (struct at){file, 0}, FW_DJANGO, 0);
}

/* What a pattern stands on: its file, or the include() of its list. */
static uint32_t
pattern_router(struct parts *p, struct at pattern)
{
    uint32_t own = router_find(p, SPACE_EXPR, pattern);

    return own ? own : file_router(p, pattern.file);
}

/* `rest_framework.routers.DefaultRouter()`, by where it was made. */
static uint32_t
drf_router(struct parts *p, struct at expr)
{
    struct value value;

    if (!expr.id || !resolve_value(p->r, expr, &value) ||
        value.kind != VALUE_MADE)
        return 0;
    struct at callee = part_callee(p, value.at);
    if (!part_is(p, callee, "rest_framework.routers.DefaultRouter") &&
        !part_is(p, callee, "rest_framework.routers.SimpleRouter"))
        return 0;
    return router_make(p, SPACE_EXPR, value.at, FW_DJANGO, ROUTER_OPEN);
}

/* The file that `'shop.urls'` names: the longest end of a path that fits. */
static bool
module_file(struct parts *p, str module, uint32_t from, uint32_t *out)
{
    char path[256];
    size_t best = 0;

    if (module.len == 0 || module.len + 4 > sizeof(path))
        return false;
    for (size_t i = 0; i < module.len; i++)
        path[i] = (char)(module.ptr[i] == '.' ? '/' : module.ptr[i]);
    memcpy(path + module.len, ".py", 4);
    struct file_range range =
        files_ending(p, (str){path, module.len + STR(".py").len});
    for (uint32_t i = 0; i < range.len; i++) {
        str other = range.rows[i].path;
        size_t front = other.len - module.len - STR(".py").len;
        /* Of several projects, the one that the asking file stands in. */
        bool is_near =
            str_starts(p->files[from].path, str_cut(other, 0, front));
        size_t rank = (is_near ? 2 * front + 2 : 1);
        if (rank > best || (rank == best && range.rows[i].file < *out)) {
            best = rank;
            *out = range.rows[i].file;
        }
    }
    return best > 0;
}

/* What include(...) brings: a module, `router.urls`, a list with a name. */
static uint32_t
included(struct parts *p, struct at arg)
{
    struct buf text = {0};
    struct value value;
    uint32_t file;
    uint32_t id = 0;

    arg = part_bare(p, arg);
    if (part_kind(p, arg) == EXPR_ARRAY)
        arg = part_list(p, arg, 0);
    if (!arg.id)
        return 0;
    if (part_kind(p, arg) == EXPR_MEMBER &&
        str_eq(part_word(p, arg), STR("urls")))
        id = drf_router(p, (struct at){arg.file, part_expr(p, arg)->a});
    if (!id && part_kind(p, arg) == EXPR_STRING &&
        part_text(p, arg, false, &text).ok &&
        module_file(p, buf_str(&text), arg.file, &file))
        id = file_router(p, file);
    if (!id && part_kind(p, arg) != EXPR_STRING &&
        resolve_value(p->r, arg, &value) && value.kind == VALUE_FILE)
        id = file_router(p, value.at.file);
    buf_fini(&text);
    return id;
}

/* The list in `include([path(...)])`, `include(patterns)`, `include((list,
 * 'app'))`; id 0: something else is included. */
static struct at
included_list(struct parts *p, struct at arg)
{
    for (unsigned i = 0; i < 3; i++) {
        arg = part_bare(p, arg);
        struct at bound = part_bound(p, arg);
        if (bound.id)
            arg = part_bare(p, bound);
        if (part_kind(p, arg) != EXPR_ARRAY)
            break;
        struct at first = part_bare(p, part_list(p, arg, 0));
        if (part_kind(p, first) == EXPR_CALL && is_pattern(p, first))
            return arg;
        arg = first;
    }
    return (struct at){arg.file, 0};
}

/* Of a long list the facts hold the first only: what follows |last| and stands
 * before the list's own end is of it, too, but where is not known. */
static void
open_rest(struct parts *p, struct at list, uint32_t last)
{
    for (uint32_t i = last + 1; i < list.id; i++) {
        struct at call = {list.file, i};

        if (part_kind(p, call) == EXPR_CALL && is_pattern(p, call))
            (void)router_make(p, SPACE_EXPR, call, FW_DJANGO, ROUTER_OPEN);
    }
}

/* Each of its patterns is served there, and only there.  What the patterns
 * around stand on is known after the first round. */
static void
look_at_list(struct parts *p, struct at list, struct at pattern,
             const struct verb_path *prefix)
{
    uint32_t last = part_list(p, list, 0).id;

    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++) {
        struct at item = part_bare(p, part_list(p, list, i));
        last = item.id > last ? item.id : last;
        if (part_kind(p, item) != EXPR_CALL || !is_pattern(p, item))
            continue;
        uint32_t child =
            router_make(p, SPACE_EXPR, item, FW_DJANGO, ROUTER_OPEN);
        if (child && p->round > 1)
            router_mount_at(p, child, pattern_router(p, pattern), prefix->text,
                            prefix->is_tail ? MOUNT_TAIL : 0);
    }
    open_rest(p, list, last);
}

static void
look_at_include(struct parts *p, struct at pattern, struct at include)
{
    struct verb_path prefix = {0, false};
    struct at arg = part_arg(p, include, 0);
    struct at list = included_list(p, arg);

    if (!verb_path(p, part_arg(p, pattern, 0), &prefix))
        prefix.is_tail = true;
    if (list.id) {
        look_at_list(p, list, pattern, &prefix);
        return;
    }
    uint32_t child = included(p, arg);
    if (child && p->round > 1)
        router_mount_at(p, child, pattern_router(p, pattern), prefix.text,
                        prefix.is_tail ? MOUNT_TAIL : 0);
}

static bool
is_include(struct parts *p, struct at view)
{
    return part_kind(p, view) == EXPR_CALL &&
           str_eq(part_word(p, part_callee(p, view)), STR("include")) &&
           is_django(p, part_callee(p, view), "include");
}

/* `urlpatterns = router.urls`, `urlpatterns += router.urls` */
static void
look_at_urls(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at value = part_bare(p, (struct at){file, bind->value});
        struct at target = {file, bind->target};
        bool is_patterns =
            str_eq(facts_text(facts, bind->name), STR("urlpatterns")) ||
            (bind->target && str_eq(part_word(p, target), STR("urlpatterns")));
        if (!is_patterns || part_kind(p, value) != EXPR_MEMBER ||
            !str_eq(part_word(p, value), STR("urls")))
            continue;
        uint32_t child =
            drf_router(p, (struct at){file, part_expr(p, value)->a});
        router_mount_at(p, child, file_router(p, file), 0, 0);
    }
}

static bool
has_patterns(const struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++)
        if (str_eq(facts_text(facts, facts->binds[i].name), STR("urlpatterns")))
            return true;
    return false;
}

/* ROOT_URLCONF = 'mysite.urls' */
static void
look_at_settings(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at value = {file, bind->value};
        uint32_t root;
        if (str_eq(facts_text(facts, bind->name), STR("ROOT_URLCONF")) &&
            part_kind(p, value) == EXPR_STRING &&
            module_file(p, part_word(p, value), file, &root))
            router_mount_at(p, file_router(p, root), 0, 0, 0);
    }
}

/* Where a root is named, patterns that nothing includes hang in the air. */
void
django_done(struct parts *p)
{
    bool has_root = false;

    for (uint32_t i = 1; i < p->router_len; i++) {
        const struct router *router = &p->routers[i];
        has_root |= router->space == SPACE_FILE &&
                    router->framework == FW_DJANGO && router->mounts &&
                    p->mounts[router->mounts].parent == 0;
    }
    for (uint32_t i = 0; i < p->len && has_root; i++) {
        uint32_t id = 0;
        if (part_facts(p, i)->lang == LANG_PYTHON && has_patterns(p, i))
            id = file_router(p, i);
        if (id && !p->routers[id].mounts)
            p->routers[id].flags |= ROUTER_OPEN;
    }
}

void
django_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    look_at_settings(p, file);
    if (!part_imports(p, file, "django") &&
        !part_imports(p, file, "rest_framework"))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL || !is_pattern(p, call))
            continue;
        struct at view = part_arg(p, call, 1);
        if (is_include(p, view))
            look_at_include(p, call, view);
    }
    look_at_urls(p, file);
}

/* ---- routes ---- */

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

    for (uint32_t i = 0; i < row->bases_len && depth < 4; i++) {
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
                str_ends(origin.path, bases[k].base) &&
                origin.path.ptr[origin.path.len - strlen(bases[k].base) - 1] ==
                    '.' &&
                strstr(bases[k].actions, name))
                return true;
    }
    return false;
}

static void
enter_action(struct parts *p, uint32_t router, struct at call, const char *tail,
             str method, uint32_t handler)
{
    struct buf text = {0};

    if (part_text(p, part_arg(p, call, 0), false, &text).ok) {
        buf_add(&text, str_of(tail));
        struct buf whole = {0};
        buf_add_char(&whole, '^');
        buf_add(&whole, buf_str(&text));
        if (!whole.failed)
            entry_add(p, &(struct route_entry){
                             .router = router,
                             .handler = handler,
                             .method = texts_add(&p->texts, method),
                             .path = texts_add(&p->texts, buf_str(&whole)),
                             .at = call,
                             .framework = FW_DJANGO,
                         });
        buf_fini(&whole);
    }
    buf_fini(&text);
}

/* @action(detail=True, methods=['post'], url_path='x') */
static void
enter_extra(struct parts *p, uint32_t router, struct at call, struct at method)
{
    const struct fact_def *row = part_def(p, method);
    const struct facts *facts = part_facts(p, method.file);

    for (uint32_t i = 0; i < row->marks_len; i++) {
        struct at mark = {method.file, facts->lists[row->marks_at + i]};
        char tail[128] = "";
        struct buf text = {0};
        if (part_kind(p, mark) != EXPR_CALL ||
            !part_is(p, part_callee(p, mark),
                     "rest_framework.decorators.action"))
            continue;
        struct at detail = part_named(p, mark, "detail");
        struct at methods = part_named(p, mark, "methods");
        str path = facts_text(facts, row->name);
        if (part_text(p, part_named(p, mark, "url_path"), false, &text).ok)
            path = buf_str(&text);
        bool is_detail = detail.id && str_eq(part_word(p, detail), STR("True"));
        (void)snprintf(tail, sizeof(tail), "%s/%.*s/$",
                       is_detail ? "/(?P<pk>[^/.]+)" : "", (int)path.len,
                       path.ptr);
        uint32_t len = methods.id ? part_expr(p, methods)->list_len : 0;
        uint32_t node = resolve_node(p->r, method.file, method.id);
        for (uint32_t k = 0; k < len; k++) {
            char upper[16];
            enter_action(p, router, call, tail,
                         str_upper(part_word(p, part_list(p, methods, k)),
                                   upper, sizeof(upper)),
                         node);
        }
        if (len == 0)
            enter_action(p, router, call, tail, STR("GET"), node);
        buf_fini(&text);
    }
}

static void
look_at_register(struct parts *p, struct at call)
{
    uint32_t router = drf_router(p, part_receiver(p, call));
    struct at type;

    if (!router || !verb_class_of(p, part_arg(p, call, 1), &type))
        return;
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        uint32_t node = part_method_of(p, type, str_of(actions[i].name));
        if (node || has_action(p, type, actions[i].name, 0))
            enter_action(p, router, call,
                         actions[i].is_detail ? "/(?P<pk>[^/.]+)/$" : "/$",
                         str_of(actions[i].method),
                         node ? node : resolve_node(p->r, type.file, type.id));
    }
    const struct facts *facts = part_facts(p, type.file);
    for (uint32_t d = 1; d < facts->def_len; d++)
        if (facts->defs[d].parent == type.id && facts->defs[d].marks_len)
            enter_extra(p, router, call, (struct at){type.file, d});
}

static void
look_at_pattern(struct parts *p, struct at call)
{
    struct verb_rule rule = {.framework = FW_DJANGO};
    struct verb_call v = {p, call, pattern_router(p, call), &rule};
    struct at view = part_arg(p, call, 1);
    struct at path = part_arg(p, call, 0);
    struct at type;

    if (!view.id)
        view = part_named(p, call, "view");
    if (!path.id)
        path = part_named(p, call, "route");
    if (!view.id || !v.router || is_include(p, view) ||
        part_kind(p, view) == EXPR_ARRAY ||
        (part_kind(p, view) == EXPR_MEMBER &&
         str_eq(part_word(p, view), STR("urls")))) /* admin.site.urls */
        return;
    uint32_t handler = part_handler(p, view);
    if (!handler && verb_class_of(p, view, &type)) {
        if (verb_class(&v, type, path) > 0)
            return;
        handler = resolve_node(p->r, type.file, type.id);
    }
    (void)verb_route(&v, STR("ANY"), path, handler);
}

void
routes_django(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!part_imports(p, file, "django") &&
        !part_imports(p, file, "rest_framework"))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        if (str_eq(part_word(p, part_callee(p, call)), STR("register")))
            look_at_register(p, call);
        else if (is_pattern(p, call))
            look_at_pattern(p, call);
    }
}
