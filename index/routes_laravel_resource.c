/*
 * Laravel's resources: a line that makes up to eight routes, less what `only`
 * and `except` leave out, as options or behind it.
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_laravel.h"
#include "index/routes_words.h"

enum {
    LINKS_MAX = 12,
    LINK_EXPRS_MAX = 4096, /* expressions among the arguments of a link */
};

/* `->only([...])`, `->except('show')` behind a resource, and the like. */
struct limits {
    struct at only; /* a string, or what has a list of them; or id 0 */
    struct at except;
    bool is_shallow;
    bool is_creatable; /* of singletons */
    bool is_destroyable;
};

/* The call that |call| is the receiver of, as `->only(...)`, or id 0: its
 * callee comes right behind, and itself behind its arguments. */
static struct at
chained_call(const struct parts *p, struct at call)
{
    const struct facts *facts = part_facts(p, call.file);
    uint32_t member = call.id + 1;
    struct at none = {call.file, 0};

    if (member >= facts->expr_len || facts->exprs[member].kind != EXPR_MEMBER ||
        facts->exprs[member].a != call.id)
        return none;
    for (uint32_t i = member + 1;
         i < facts->expr_len && i - member < LINK_EXPRS_MAX; i++)
        if (facts->exprs[i].kind == EXPR_CALL && facts->exprs[i].a == member)
            return (struct at){call.file, i};
    return none;
}

/* What is named as |key| of the options, if it can be read. */
static struct at
limit_in(const struct parts *p, struct at options, const char *key)
{
    struct at found = part_named(p, options, key);
    enum expr_kind kind = part_kind(p, found);

    return kind == EXPR_STRING || kind == EXPR_ARRAY
               ? found
               : (struct at){options.file, 0};
}

/* Whether the options have |key|; who writes it means `true`. */
static bool
is_given(const struct parts *p, struct at options, str key)
{
    for (uint32_t i = 0; options.id && i < part_expr(p, options)->list_len; i++)
        if (str_eq(part_word(p, part_list(p, options, i)), key))
            return true;
    return false;
}

/* One array, or the arguments themselves. */
static struct at
limit_of(const struct parts *p, struct at call)
{
    struct at first = part_arg(p, call, 0);

    return part_kind(p, first) == EXPR_ARRAY ? first : call;
}

static struct limits
limits_of(const struct parts *p, struct at call)
{
    /* Those of several resources come behind the one map of them. */
    bool is_map = str_ends(block_word(p, call), STR("esources"));
    struct at options = part_arg(p, call, is_map ? 1 : 2);
    struct limits found = {
        .only = limit_in(p, options, "only"),
        .except = limit_in(p, options, "except"),
        .is_shallow = is_given(p, options, STR("shallow")),
    };

    for (unsigned links = 0; links < LINKS_MAX; links++) {
        call = chained_call(p, call);
        if (!call.id)
            break;
        if (block_is(p, call, "only"))
            found.only = limit_of(p, call);
        else if (block_is(p, call, "except"))
            found.except = limit_of(p, call);
        found.is_shallow |= block_is(p, call, "shallow");
        found.is_creatable |= block_is(p, call, "creatable");
        found.is_destroyable |= block_is(p, call, "destroyable");
    }
    return found;
}

/* Whether |list| names |name|; |unread| is what it says of what is no string,
 * as that may be any name. */
static bool
lists(const struct parts *p, struct at list, const char *name, bool unread)
{
    if (part_kind(p, list) == EXPR_STRING)
        return str_eq(part_word(p, list), str_of(name));
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++) {
        struct at item = part_list(p, list, i);
        if (part_kind(p, item) != EXPR_STRING
                ? unread
                : str_eq(part_word(p, item), str_of(name)))
            return true;
    }
    return false;
}

/* The parameter of a part of a name: `line_item` of `line-items`. */
static void
param_of(str part, char *one, size_t cap)
{
    word_singular(part, one, cap);
    for (char *c = one; *c; c++)
        *c = (char)(*c == '-' ? '_' : *c);
}

/* `photos`, or `photos/{photo}/comments` of `photos.comments`; |is_flat|: only
 * the last; what is before a slash stands before either.  |one| is the
 * parameter of the last; what else has it is none: `photos.photos`. */
static void
resource_path(str name, bool is_flat, char *path, char *one, size_t cap)
{
    const char *slash = name.len ? memrchr(name.ptr, '/', name.len) : NULL;
    size_t at = slash ? (size_t)(slash - name.ptr) + 1 : 0;

    const char *end = name.len ? memrchr(name.ptr, '.', name.len) : NULL;
    size_t tail = end ? (size_t)(end - name.ptr) + 1 : 0;
    char last[128];

    param_of(str_cut(name, tail > at ? tail : at, name.len), last,
             sizeof(last));
    (void)snprintf(path, cap, "%.*s", (int)at, name.ptr ? name.ptr : "");
    while (at <= name.len) {
        str part = str_cut(name, at, name.len);
        const char *dot = part.len ? memchr(part.ptr, '.', part.len) : NULL;
        part.len = dot ? (size_t)(dot - part.ptr) : part.len;
        at += part.len + 1;
        size_t len = strlen(path);
        param_of(part, one, 128);
        bool is_last = strcmp(one, last) == 0;
        if (dot && !is_flat)
            (void)snprintf(path + len, cap - len, "%.*s/%s%s%s", (int)part.len,
                           part.ptr, is_last ? "" : "{", is_last ? "" : one,
                           is_last ? "" : "}/");
        else if (!dot)
            (void)snprintf(path + len, cap - len, "%.*s", (int)part.len,
                           part.ptr ? part.ptr : "");
    }
}

static const struct resource_action {
    const char *name;
    const char *method;
    const char *tail;
    bool is_item;
    bool is_form;
} resource_actions[] = {
    {"index", "GET", "", false, false},
    {"create", "GET", "/create", false, true},
    {"store", "POST", "", false, false},
    {"show", "GET", "", true, false},
    {"edit", "GET", "/edit", true, true},
    {"update", "PUT", "", true, false},
    {"update", "PATCH", "", true, false},
    {"destroy", "DELETE", "", true, false},
};

bool
laravel_is_resource(const struct parts *p, struct at call)
{
    static const char *const names[] = {"resource",  "apiResource",
                                        "resources", "apiResources",
                                        "singleton", "apiSingleton"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (block_is(p, call, names[i]))
            return true;
    return false;
}

/* What there is if nothing is left out; an API has its forms where `only` names
 * them. */
static bool
is_default(const struct parts *p, struct at call, const struct limits *limits,
           const struct resource_action *a)
{
    str word = block_word(p, call);

    if (!str_ends(word, STR("ingleton")))
        return !a->is_form || !str_starts(word, STR("api")) ||
               (limits->only.id && lists(p, limits->only, a->name, false));
    if (a->is_form && str_starts(word, STR("api")))
        return false;
    if (str_eq(str_of(a->name), STR("destroy")))
        return limits->is_creatable || limits->is_destroyable;
    return a->is_item ||
           (limits->is_creatable && !str_eq(str_of(a->name), STR("index")));
}

void
laravel_resource(struct parts *p, struct at call, const struct laravel *l,
                 str name, struct at controller)
{
    struct limits limits = limits_of(p, call);
    struct at type = {call.file, 0};
    bool is_one = str_ends(block_word(p, call), STR("ingleton"));
    bool known = controller.id && laravel_class(p, l, controller, &type);
    char path[256];
    char whole[512];
    char one[128];

    for (size_t i = 0;
         i < sizeof(resource_actions) / sizeof(resource_actions[0]); i++) {
        const struct resource_action *a = &resource_actions[i];
        bool is_item = a->is_item && !is_one;
        if (!is_default(p, call, &limits, a) ||
            (limits.only.id && !lists(p, limits.only, a->name, true)) ||
            (limits.except.id && lists(p, limits.except, a->name, false)))
            continue;
        resource_path(name, limits.is_shallow && a->is_item, path, one,
                      sizeof(path));
        (void)snprintf(whole, sizeof(whole), "%s%s%s%s%s", path,
                       is_item ? "/{" : "", is_item ? one : "",
                       is_item ? "}" : "", a->tail);
        laravel_enter(p, call, l, str_of(whole), str_of(a->method),
                      known ? part_method_of(p, type, str_of(a->name)) : 0);
    }
}

/* Route::resources(['photos' => PhotoController::class]) */
void
laravel_resources(struct parts *p, struct at call, const struct laravel *l)
{
    struct at map = part_bare(p, part_arg(p, call, 0));

    for (uint32_t i = 0; map.id && i < part_expr(p, map)->list_len; i++) {
        struct at pair = part_list(p, map, i);
        if (part_kind(p, pair) == EXPR_PAIR && part_word(p, pair).len > 0)
            laravel_resource(p, call, l, part_word(p, pair),
                             (struct at){call.file, part_expr(p, pair)->a});
    }
}
