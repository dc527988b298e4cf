/*
 * Django: a list of path(), re_path() and url() bound to `urlpatterns` is a
 * router of its file.  Of a list given to include(), as it stands or by name,
 * each pattern is a router of its own.  A file of patterns that no other
 * includes is taken as the root, unless it is an application's: then what is
 * before it is not known.
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_django_file.h"
#include "index/routes_django_view.h"
#include "index/routes_drf.h"
#include "index/routes_rules.h"
#include "index/routes_turns.h"
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

/* A function's patterns are where what it returns is put, by what calls it. */
static bool
is_handed_out(struct parts *p, struct at pattern)
{
    struct at def = part_enclosing(p, pattern);
    const struct part_of_def *of = def.id ? part_of(p, def) : NULL;

    return of && !of->is_patterns;
}

/* What a pattern stands on: its file, or the include() of its list. */
static uint32_t
pattern_router(struct parts *p, struct at pattern)
{
    uint32_t own = pattern.id ? router_find(p, SPACE_EXPR, pattern) : 0;

    if (own)
        return own;
    if (pattern.id && is_handed_out(p, pattern))
        return router_make(p, SPACE_EXPR, pattern, FW_DJANGO, ROUTER_OPEN);
    return file_router(p, pattern.file);
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
    if (django_is_urls(p, arg))
        id = django_urls_router(p, arg);
    if (!id && part_kind(p, arg) == EXPR_STRING &&
        part_text(p, arg, false, &text).ok &&
        django_module(p, buf_str(&text), arg.file, &file))
        id = file_router(p, file);
    if (!id && django_patterns(p, arg, &file))
        id = file_router(p, file);
    if (!id && part_kind(p, arg) != EXPR_STRING &&
        resolve_value(p->r, arg, &value) && value.kind == VALUE_FILE)
        id = file_router(p, value.at.file);
    buf_fini(&text);
    return id;
}

/* What a name of this or another file was bound to, if once. */
static struct at
behind_name(struct parts *p, struct at expr)
{
    struct at bound = part_bound(p, expr);
    struct value value;

    if (bound.id)
        return part_bare(p, bound);
    if (resolve_value(p->r, expr, &value) && value.kind == VALUE_MADE)
        return value.at;
    return expr;
}

/* The list in `include([path(...)])`, `include(patterns)`, `include((list,
 * 'app'))`; id 0: something else is included. */
static struct at
included_list(struct parts *p, struct at arg)
{
    for (unsigned i = 0; i < 3 && arg.id; i++) {
        uint32_t file;
        arg = part_bare(p, arg);
        if (django_patterns(p, arg, &file)) /* more may be added to it */
            break;
        if (part_kind(p, arg) != EXPR_ARRAY)
            arg = behind_name(p, arg);
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

/* Many includes of what many patterns are appended to: each way is a mount.
 * Behind these a pattern stands where the ways before say, or it is not known
 * where. */
enum { LIST_PATTERNS_MAX = 16384 };

/* Each of its patterns is served there, and only there; |around|: the pattern
 * that includes it, or a file for its own.  What the patterns around stand on
 * is known after the first round. */
static void
look_at_list(struct parts *p, struct at list, struct at around,
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
        if (p->patterns++ >= LIST_PATTERNS_MAX)
            continue;
        if (child && prefix && p->round > 1)
            router_mount_at(p, child, pattern_router(p, around), prefix->text,
                            prefix->is_tail ? MOUNT_TAIL : 0);
    }
    open_rest(p, list, last);
}

/* What a file binds at its top: a name, and a value. */
static str
bound_name(const struct parts *p, uint32_t file, uint32_t bind)
{
    const struct facts *facts = part_facts(p, file);
    const struct fact_bind *row = &facts->binds[bind];
    struct at target = {file, row->target};

    if (row->scope != 0 || !row->value)
        return (str){NULL, 0};
    if (target.id)
        return part_kind(p, target) == EXPR_NAME ? part_word(p, target)
                                                 : (str){NULL, 0};
    return facts_text(facts, row->name);
}

/* `patterns += [path(...)]`: more of the list that |name| is. */
static void
look_at_more(struct parts *p, struct at list, str name, struct at around,
             const struct verb_path *prefix)
{
    const struct facts *facts = part_facts(p, list.file);

    for (uint32_t i = 1; i < facts->bind_len && p->patterns < LIST_PATTERNS_MAX;
         i++) {
        struct at value = {list.file, facts->binds[i].value};
        if (facts->binds[i].kind == BIND_ASSIGN && name.len > 0 &&
            str_eq(bound_name(p, list.file, i), name) &&
            part_kind(p, value) == EXPR_ARRAY)
            look_at_list(p, value, around, prefix);
    }
}

/* Lists by other names than urlpatterns stand where they are included. */
static void
open_lists(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len && !p->failed; i++) {
        str name = bound_name(p, file, i);
        struct at value =
            part_bare(p, (struct at){file, facts->binds[i].value});
        if (name.len == 0 || str_eq(name, STR("urlpatterns")) ||
            part_kind(p, value) != EXPR_ARRAY)
            continue;
        struct at list = included_list(p, value);
        if (list.id)
            look_at_list(p, list, value, NULL);
    }
}

/* `urlpatterns = [...] + make()`: patterns of a function of this file. */
static void
look_at_function(struct parts *p, struct at call)
{
    struct at def;

    if (!part_function(p, part_callee(p, call), &def) || def.file != call.file)
        return;
    struct part_of_def *of = part_of(p, def);
    if (of)
        of->is_patterns = true;
}

/* `urlpatterns = [...] + more`, `[..., *more]`, `format_suffix_patterns(more)`:
 * the lists of other names, and `router.urls`, that are of the file's own. */
static void
look_at_sum(struct parts *p, struct at expr, unsigned depth)
{
    enum { DEPTH_MAX = 6 };
    static const struct verb_path none = {0, false};
    enum expr_kind kind = part_kind(p, expr);
    struct at list = {expr.file, 0};

    if (depth == DEPTH_MAX || !expr.id)
        return;
    if (kind == EXPR_SPREAD)
        look_at_sum(p, part_bare(p, expr), depth + 1);
    if (django_is_urls(p, expr))
        router_mount_at(p, django_urls_router(p, expr),
                        file_router(p, expr.file), 0, 0);
    if (kind == EXPR_NAME || kind == EXPR_MEMBER)
        list = included_list(p, expr);
    if (list.id) {
        struct at own = {expr.file, 0};
        look_at_list(p, list, own, &none);
        look_at_more(p, list, part_word(p, expr), own, &none);
    }
    bool is_call =
        kind == EXPR_CALL && !is_pattern(p, expr) &&
        !str_eq(part_word(p, part_callee(p, expr)), STR("i18n_patterns"));
    if (is_call)
        look_at_function(p, expr);
    if (kind == EXPR_CONCAT || kind == EXPR_ARRAY || is_call)
        for (uint32_t i = 0; i < part_expr(p, expr)->list_len; i++)
            look_at_sum(p, part_list(p, expr, i), depth + 1);
}

static void
look_at_sums(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len && !p->failed; i++)
        if (str_eq(bound_name(p, file, i), STR("urlpatterns")))
            look_at_sum(p, (struct at){file, facts->binds[i].value}, 0);
}

/* The argument |i| of |call|, or what it names |name|. */
static struct at
given_as(const struct parts *p, struct at call, uint32_t i, const char *name)
{
    struct at given = part_arg(p, call, i);

    return given.id ? given : part_named(p, call, name);
}

/* What the pattern takes in as |arg|: of include(), or what is served by its
 * urls. */
static void
look_at_include(struct parts *p, struct at pattern, struct at arg)
{
    struct verb_path prefix = {0, false};
    struct at list = included_list(p, arg);

    if (!verb_path(p, given_as(p, pattern, 0, "route"), &prefix))
        prefix.is_tail = true;
    if (list.id) {
        look_at_list(p, list, pattern, &prefix);
        look_at_more(p, list, part_word(p, part_bare(p, arg)), pattern,
                     &prefix);
        return;
    }
    uint32_t child = included(p, arg);
    if (child && p->round > 1)
        router_mount_at(p, child, pattern_router(p, pattern), prefix.text,
                        prefix.is_tail ? MOUNT_TAIL : 0);
}

/* i18n_patterns(path(...)): a language may stand before each. */
static void
look_at_i18n(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);

    if (!str_eq(part_word(p, callee), STR("i18n_patterns")) ||
        !part_is(p, callee, "django.conf.urls.i18n.i18n_patterns"))
        return;
    for (uint32_t i = 0; i < part_args(p, call); i++) {
        struct at item = part_bare(p, part_arg(p, call, i));
        if (part_kind(p, item) == EXPR_CALL && is_pattern(p, item))
            (void)router_make(p, SPACE_EXPR, item, FW_DJANGO, ROUTER_OPEN);
    }
}

static bool
is_include(struct parts *p, struct at view)
{
    return part_kind(p, view) == EXPR_CALL &&
           str_eq(part_word(p, part_callee(p, view)), STR("include")) &&
           is_django(p, part_callee(p, view), "include");
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
            django_module(p, part_word(p, value), file, &root))
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
    open_lists(p, file);
    look_at_sums(p, file);
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        look_at_i18n(p, call);
        if (str_eq(part_word(p, part_callee(p, call)), STR("extend")))
            drf_extend(p, call);
        if (!is_pattern(p, call))
            continue;
        struct at view = given_as(p, call, 1, "view");
        if (is_include(p, view))
            look_at_include(p, call, given_as(p, view, 0, "arg"));
        else if (django_is_urls(p, view))
            look_at_include(p, call, view);
    }
}

/* ---- routes ---- */

static void
look_at_pattern(struct parts *p, struct at call)
{
    struct verb_rule rule = {.framework = FW_DJANGO};
    struct verb_call v = {p, call, pattern_router(p, call), &rule};
    struct at view = given_as(p, call, 1, "view");
    struct at path = given_as(p, call, 0, "route");

    if (!view.id || !v.router || is_include(p, view) ||
        part_kind(p, view) == EXPR_ARRAY || django_is_urls(p, view))
        return;
    django_view(&v, view, path);
}

struct turned {
    struct parts *p;
    struct at call;
};

static bool
is_register(struct parts *p, struct at call)
{
    return str_eq(part_word(p, part_callee(p, call)), STR("register"));
}

/* `path(n, v) for n, v in [...]`, `for n, v in ...: router.register(n, v)` */
static void
turn_at(void *ctx)
{
    const struct turned *turned = ctx;

    if (is_register(turned->p, turned->call))
        drf_register(turned->p, turned->call);
    else
        look_at_pattern(turned->p, turned->call);
}

void
routes_django(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    bool loops = turn_in_file(p, file);

    if (!part_imports(p, file, "django") &&
        !part_imports(p, file, "rest_framework"))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct turned turned = {p, {file, i}};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        drf_root(p, turned.call);
        if (!is_register(p, turned.call) && !is_pattern(p, turned.call))
            continue;
        if (loops)
            turn_each(p, turned.call, turn_at, &turned);
        else
            turn_at(&turned);
    }
}
