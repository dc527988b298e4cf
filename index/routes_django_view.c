/*
 * The methods of Django's views.  A function answers all, unless a decorator
 * says which; a class those that it has methods of, or has from a class of
 * Django or Django REST framework, less what `http_method_names` leaves out.
 */
#include "index/routes_django_view.h"

#include <string.h>

#include "index/routes_marks.h"

/* Calls in each other that wrap a view. */
enum { WRAP_DEPTH = 4, WRAP_ARGS = 4 };

static const char *const verbs[] = {"get",    "post", "put",    "patch",
                                    "delete", "head", "options"};
enum { VERBS = sizeof(verbs) / sizeof(verbs[0]) };

/* ---- http_method_names ---- */

static struct at
own_names(const struct parts *p, struct at type)
{
    const struct facts *facts = part_facts(p, type.file);
    struct at out = {type.file, 0};

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (bind->scope == type.id && bind->value &&
            str_eq(facts_text(facts, bind->name), STR("http_method_names")))
            out.id = bind->value;
    }
    return out;
}

struct at
django_method_names(struct parts *p, struct at type)
{
    struct marks_seen seen = {.len = 0};
    struct at names = {type.file, 0};

    (void)marks_see(&seen, type);
    for (uint32_t k = 0; k < seen.len && !names.id; k++) {
        struct at base;
        if (p->lookups++ > PART_LOOKUPS_MAX)
            return names;
        names = own_names(p, seen.at[k]);
        for (uint32_t i = 0; marks_base_of(p, seen.at[k], &i, &base);)
            (void)marks_see(&seen, base);
    }
    return names;
}

/* Which methods ANY is, is not known, and what is no list of words may be all:
 * none is refused. */
bool
django_allows(struct parts *p, struct at names, str method)
{
    if (!names.id || str_eq(method, STR("ANY")))
        return true;
    names = part_bare(p, names);
    if (part_kind(p, names) != EXPR_ARRAY)
        return true;
    for (uint32_t k = 0; k < part_expr(p, names)->list_len; k++) {
        char upper[16];
        char wanted[16];
        struct at item = part_list(p, names, k);
        if (part_kind(p, item) != EXPR_STRING ||
            str_eq(str_upper(part_word(p, item), upper, sizeof(upper)),
                   str_upper(method, wanted, sizeof(wanted))))
            return true;
    }
    return false;
}

/* ---- classes ---- */

/* What classes of the library answer without code here. */
static const struct library {
    const char *module;
    const char *name;
    const char *methods;
} libraries[] = {
    {"rest_framework.generics.", "CreateAPIView", "post"},
    {"rest_framework.generics.", "ListAPIView", "get"},
    {"rest_framework.generics.", "RetrieveAPIView", "get"},
    {"rest_framework.generics.", "DestroyAPIView", "delete"},
    {"rest_framework.generics.", "UpdateAPIView", "put patch"},
    {"rest_framework.generics.", "ListCreateAPIView", "get post"},
    {"rest_framework.generics.", "RetrieveUpdateAPIView", "get put patch"},
    {"rest_framework.generics.", "RetrieveDestroyAPIView", "get delete"},
    {"rest_framework.generics.", "RetrieveUpdateDestroyAPIView",
     "get put patch delete"},
    {"django.views.generic.", "TemplateView", "get"},
    {"django.views.generic.", "RedirectView", "get post put patch delete"},
    {"django.views.generic.", "ListView", "get"},
    {"django.views.generic.", "DetailView", "get"},
    {"django.views.generic.", "ArchiveIndexView", "get"},
    {"django.views.generic.", "YearArchiveView", "get"},
    {"django.views.generic.", "MonthArchiveView", "get"},
    {"django.views.generic.", "WeekArchiveView", "get"},
    {"django.views.generic.", "DayArchiveView", "get"},
    {"django.views.generic.", "TodayArchiveView", "get"},
    {"django.views.generic.", "DateDetailView", "get"},
    {"django.views.generic.", "FormView", "get post put"},
    {"django.views.generic.", "CreateView", "get post put"},
    {"django.views.generic.", "UpdateView", "get post put"},
    {"django.views.generic.", "DeleteView", "get post delete"},
};

/* The methods of such a class, or NULL. */
static const char *
library_methods(const struct origin *origin)
{
    str path = origin->path;
    size_t cut = path.len;

    while (cut > 0 && path.ptr[cut - 1] != '.')
        cut--;
    str name = str_cut(path, cut, path.len);
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        if (str_eq(name, str_of(libraries[i].name)) &&
            str_starts(path, str_of(libraries[i].module)))
            return libraries[i].methods;
    return NULL;
}

/* A class has |method| of one of the library's that it extends. */
static bool
inherits(struct parts *p, struct at type, const char *method)
{
    struct marks_seen seen = {.len = 0};

    (void)marks_see(&seen, type);
    for (uint32_t k = 0; k < seen.len; k++) {
        struct at one = seen.at[k];
        const struct fact_def *row = part_def(p, one);
        for (uint32_t i = 0; i < row->bases_len; i++) {
            struct at base = {
                one.file, part_facts(p, one.file)->lists[row->bases_at + i]};
            struct value value;
            struct origin origin;
            const char *methods = NULL;
            if (!part_type(p, base, &value, &origin))
                continue;
            if (value.kind == VALUE_DEF)
                (void)marks_see(&seen, value.at);
            else
                methods = library_methods(&origin);
            if (methods && strstr(methods, method))
                return true;
        }
    }
    return false;
}

/* Each method of a class; ANY where none is known. */
static void
answer_class(const struct verb_call *v, struct at type, struct at path)
{
    struct parts *p = v->p;
    struct at names = django_method_names(p, type);
    uint32_t all = resolve_node(p->r, type.file, type.id);
    unsigned count = 0;

    for (size_t i = 0; i < VERBS; i++) {
        uint32_t node = part_method_of(p, type, str_of(verbs[i]));
        if (!node && inherits(p, type, verbs[i]))
            node = all;
        count += node != 0;
        if (node && django_allows(p, names, str_of(verbs[i])))
            (void)verb_route(v, str_of(verbs[i]), path, node);
    }
    if (count == 0)
        (void)verb_route(v, STR("ANY"), path, all);
}

/* `as_view({'get': 'list'})`: what answers is told. */
static void
answer_actions(const struct verb_call *v, struct at type, struct at actions,
               struct at path)
{
    struct parts *p = v->p;
    struct at names = django_method_names(p, type);
    uint32_t all = resolve_node(p->r, type.file, type.id);

    for (uint32_t i = 0; i < part_expr(p, actions)->list_len; i++) {
        struct at pair = part_list(p, actions, i);
        struct at value = {pair.file, part_expr(p, pair)->a};
        str method = part_word(p, pair);
        if (part_kind(p, pair) != EXPR_PAIR || method.len == 0 ||
            str_eq(method, STR("head")) || !django_allows(p, names, method))
            continue;
        uint32_t node = part_method_of(p, type, part_word(p, value));
        (void)verb_route(v, method, path, node ? node : all);
    }
}

/* A class of the library as it is. */
static bool
answer_library(const struct verb_call *v, struct at type, struct at path)
{
    struct parts *p = v->p;
    struct origin origin;
    const char *methods =
        part_origin(p, type, &origin) ? library_methods(&origin) : NULL;

    for (size_t i = 0; i < VERBS && methods; i++)
        if (strstr(methods, verbs[i]))
            (void)verb_route(v, str_of(verbs[i]), path, 0);
    return methods != NULL;
}

/* ---- functions ---- */

/* `@api_view(['GET'])`, `@require_http_methods(["GET"])`, `@require_POST`. */
static bool
answer_marked(const struct verb_call *v, struct at mark, struct at path,
              uint32_t node)
{
    static const char *const lists[] = {
        "rest_framework.decorators.api_view",
        "django.views.decorators.http.require_http_methods"};
    static const struct {
        const char *name;
        const char *method;
    } ones[] = {
        {"django.views.decorators.http.require_GET", "GET"},
        {"django.views.decorators.http.require_POST", "POST"},
        {"django.views.decorators.http.require_safe", "GET"},
    };
    struct parts *p = v->p;
    bool is_call = part_kind(p, mark) == EXPR_CALL;
    struct at callee = is_call ? part_callee(p, mark) : mark;
    bool is_safe = false;

    for (size_t i = 0; i < 2 && is_call; i++) {
        struct at methods = part_arg(p, mark, 0);
        if (!part_is(p, callee, lists[i]))
            continue;
        if (!methods.id)
            methods = part_named(
                p, mark, i == 0 ? "http_method_names" : "request_method_list");
        return methods.id ? verb_routes(v, methods, path, node)
                          : verb_route(v, STR("GET"), path, node);
    }
    for (size_t i = 0; i < sizeof(ones) / sizeof(ones[0]); i++) {
        if (!part_is(p, callee, ones[i].name))
            continue;
        is_safe = i == 2;
        if (is_safe)
            (void)verb_route(v, STR("HEAD"), path, node);
        return verb_route(v, str_of(ones[i].method), path, node);
    }
    return false;
}

static void
answer_function(const struct verb_call *v, struct at def, struct at path)
{
    struct parts *p = v->p;
    const struct fact_def *row = part_def(p, def);
    uint32_t node = resolve_node(p->r, def.file, def.id);

    for (uint32_t i = 0; i < row->marks_len; i++) {
        struct at mark = {def.file,
                          part_facts(p, def.file)->lists[row->marks_at + i]};
        if (answer_marked(v, mark, path, node))
            return;
    }
    (void)verb_route(v, STR("ANY"), path, node);
}

/* ---- what is given to path() ---- */

static bool answer(const struct verb_call *v, struct at view, struct at path,
                   unsigned depth);

static bool
is_as_view(const struct parts *p, struct at view)
{
    return part_kind(p, view) == EXPR_CALL && part_receiver(p, view).id &&
           str_eq(part_word(p, part_callee(p, view)), STR("as_view"));
}

static bool
answer_as_view(const struct verb_call *v, struct at view, struct at path)
{
    struct parts *p = v->p;
    struct at actions = part_arg(p, view, 0);
    struct at literal;
    struct at type;

    if (!verb_class_of(p, view, &type))
        return answer_library(v, part_receiver(p, view), path);
    if (!actions.id)
        actions = part_named(p, view, "actions");
    if (!actions.id || part_kind(p, actions) == EXPR_SPREAD)
        answer_class(v, type, path);
    else if (part_literal(p, actions, &literal) &&
             part_kind(p, literal) == EXPR_OBJECT)
        answer_actions(v, type, literal, path);
    else
        (void)verb_route(v, STR("ANY"), path,
                         resolve_node(p->r, type.file, type.id));
    return true;
}

/* Of a call that wraps views, the last is the one. */
static bool
answer_wrapped(const struct verb_call *v, struct at call, struct at path,
               unsigned depth)
{
    struct parts *p = v->p;
    uint32_t len = part_args(p, call);
    bool found = false;

    for (uint32_t i = 0; i < len && i < WRAP_ARGS && !found; i++)
        found = answer(v, part_arg(p, call, len - 1 - i), path, depth + 1);
    return found;
}

static bool
answer(const struct verb_call *v, struct at view, struct at path,
       unsigned depth)
{
    struct parts *p = v->p;
    struct value value;
    struct at def;

    view = part_bare(p, view);
    if (!view.id || depth == WRAP_DEPTH)
        return false;
    if (part_kind(p, view) != EXPR_CALL) {
        if (part_function(p, view, &def)) {
            answer_function(v, def, path);
            return true;
        }
        if (!resolve_value(p->r, view, &value) || value.kind != VALUE_MADE ||
            part_kind(p, value.at) != EXPR_CALL)
            return false;
        view = value.at;
    }
    if (is_as_view(p, view))
        return answer_as_view(v, view, path);
    return answer_wrapped(v, view, path, depth);
}

void
django_view(const struct verb_call *v, struct at view, struct at path)
{
    struct parts *p = v->p;
    struct at type;

    if (answer(v, view, path, 0))
        return;
    uint32_t handler = part_handler(p, view);
    if (!handler && verb_class_of(p, view, &type))
        handler = resolve_node(p->r, type.file, type.id);
    (void)verb_route(v, STR("ANY"), path, handler);
}
