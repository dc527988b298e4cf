/*
 * Laravel's Route facade.  Prefixes come from the chain a call ends, from the
 * chains whose group it stands in, and from who takes its file in
 * (index/routes_laravel_files.c).
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_laravel.h"

enum {
    CHAIN_MAX = 12,
    DEPTH_MAX = 12,
    LINK_EXPRS_MAX = 4096, /* expressions among the arguments of a link */
};

/* The first link of a chain: `Route` itself. */
bool
laravel_is_chain(struct parts *p, struct at call)
{
    struct origin origin;

    for (unsigned i = 0; i < CHAIN_MAX; i++) {
        struct at receiver = part_receiver(p, call);
        if (!receiver.id)
            return false;
        if (part_kind(p, receiver) == EXPR_CALL) {
            call = receiver;
            continue;
        }
        if (!part_origin(p, receiver, &origin))
            return false;
        return str_eq(origin.path, STR("Illuminate.Support.Facades.Route")) ||
               (origin.is_written && str_eq(origin.path, STR("Route")));
    }
    return false;
}

static void
add_prefix(struct parts *p, struct laravel *l, struct at expr)
{
    struct buf text = {0};
    struct folded folded = part_text(p, expr, false, &text);
    str s = buf_str(&text);

    if (!folded.ok || folded.is_tail) {
        l->is_tail = true;
        buf_reset(&l->prefix);
    }
    while (s.len > 0 && s.ptr[0] == '/')
        s = str_cut(s, 1, s.len);
    while (s.len > 0 && s.ptr[s.len - 1] == '/')
        s.len--;
    if (s.len > 0 && l->prefix.len > 0)
        buf_add_char(&l->prefix, '/');
    buf_add(&l->prefix, s);
    buf_fini(&text);
}

/* The links of one chain, from the inside out. */
static void
add_links(struct parts *p, struct laravel *l, struct at call, unsigned depth)
{
    struct at receiver = part_receiver(p, call);

    if (part_kind(p, receiver) == EXPR_CALL && depth < CHAIN_MAX)
        add_links(p, l, receiver, depth + 1);
    if (block_is(p, call, "prefix")) {
        add_prefix(p, l, part_arg(p, call, 0));
    } else if (block_is(p, call, "controller")) {
        l->controller = part_arg(p, call, 0);
    } else if (block_is(p, call, "group")) {
        struct at named = part_named(p, call, "prefix");
        if (named.id)
            add_prefix(p, l, named);
    }
}

void
laravel_add_chain(struct parts *p, struct laravel *l, struct at call)
{
    add_links(p, l, call, 0);
}

static void
add_around(struct parts *p, struct laravel *l, struct at around, unsigned depth)
{
    if (!around.id || depth == DEPTH_MAX)
        return;
    add_around(p, l, block_call(p, around), depth + 1);
    if (block_is(p, around, "group") && laravel_is_chain(p, around))
        add_links(p, l, around, 0);
}

void
laravel_add_groups(struct parts *p, struct laravel *l, struct at around)
{
    add_around(p, l, around, 0);
}

/* ---- who answers ---- */

/* The only class of that name, as `'UserController@show'` has it. */
static bool
class_named(const struct parts *p, str name, struct at *out)
{
    unsigned count = 0;

    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '\\') {
            name = str_cut(name, i, name.len);
            break;
        }
    for (uint32_t i = 0; i < p->len; i++) {
        const struct facts *facts = part_facts(p, i);
        for (uint32_t d = 1; facts->lang == LANG_PHP && d < facts->def_len; d++)
            if (facts->defs[d].kind == CODE_TYPE &&
                str_eq(facts_text(facts, facts->defs[d].name), name)) {
                *out = (struct at){i, d};
                count++;
            }
    }
    return count == 1;
}

/* `C::class` */
static bool
class_of(struct parts *p, struct at expr, struct at *out)
{
    struct value value;

    if (part_kind(p, expr) != EXPR_MEMBER ||
        !str_eq(part_word(p, expr), STR("class")))
        return false;
    expr.id = part_expr(p, expr)->a;
    if (!resolve_value(p->r, expr, &value) || value.kind != VALUE_DEF)
        return false;
    *out = value.at;
    return true;
}

static uint32_t
answers(struct parts *p, struct at controller, struct at expr)
{
    struct at type;
    struct at second = part_list(p, expr, 1);

    if (part_kind(p, expr) == EXPR_ARRAY &&
        class_of(p, part_list(p, expr, 0), &type))
        return part_method_of(p, type, part_word(p, second));
    if (class_of(p, expr, &type))
        return part_method_of(p, type, STR("__invoke"));
    if (part_kind(p, expr) != EXPR_STRING)
        return part_handler(p, expr);
    str word = part_word(p, expr);
    const char *at = word.len ? memchr(word.ptr, '@', word.len) : NULL;
    if (at && class_named(p, str_cut(word, 0, (size_t)(at - word.ptr)), &type))
        return part_method_of(
            p, type, str_cut(word, (size_t)(at - word.ptr) + 1, word.len));
    if (!at && controller.id && class_of(p, controller, &type))
        return part_method_of(p, type, word);
    return 0;
}

/* ---- routes ---- */

static void
enter(struct parts *p, struct at call, const struct laravel *l, str path,
      str method, uint32_t handler)
{
    struct buf whole = {0};
    char upper[16];

    buf_add(&whole, buf_str(&l->prefix));
    while (path.len > 0 && path.ptr[0] == '/')
        path = str_cut(path, 1, path.len);
    if (whole.len > 0 && path.len > 0)
        buf_add_char(&whole, '/');
    buf_add(&whole, path);
    method = str_upper(method, upper, sizeof(upper));
    if (!whole.failed)
        entry_add(p, &(struct route_entry){
                         .router = laravel_file(p, call.file),
                         .flags = l->is_tail ? ENTRY_TAIL : 0,
                         .handler = handler,
                         .method = texts_add(&p->texts, method),
                         .path = texts_add(&p->texts, buf_str(&whole)),
                         .at = call,
                         .framework = FW_LARAVEL,
                     });
    p->failed |= whole.failed;
    buf_fini(&whole);
}

/* `->only([...])`, `->except('show')` behind a resource, and `->shallow()`. */
struct limits {
    struct at only; /* a string, or what has a list of them; or id 0 */
    struct at except;
    bool is_shallow;
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
    bool is_map = str_ends(block_word(p, call), "esources");
    struct at options = part_arg(p, call, is_map ? 1 : 2);
    struct limits found = {limit_in(p, options, "only"),
                           limit_in(p, options, "except"), false};

    for (unsigned links = 0; links < CHAIN_MAX; links++) {
        call = chained_call(p, call);
        if (!call.id)
            break;
        if (block_is(p, call, "only"))
            found.only = limit_of(p, call);
        else if (block_is(p, call, "except"))
            found.except = limit_of(p, call);
        found.is_shallow |= block_is(p, call, "shallow");
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

/* `photos`, or `photos/{photo}/comments` of `photos.comments`; |one| is the
 * parameter of the last. */
static void
resource_path(str name, bool is_flat, char *path, char *one, size_t cap)
{
    size_t at = 0;

    path[0] = 0;
    while (at <= name.len) {
        str part = str_cut(name, at, name.len);
        const char *dot = part.len ? memchr(part.ptr, '.', part.len) : NULL;
        part.len = dot ? (size_t)(dot - part.ptr) : part.len;
        at += part.len + 1;
        size_t len = is_flat ? 0 : strlen(path);
        (void)snprintf(path + len, cap - len, "%s%.*s", len ? "/" : "",
                       (int)part.len, part.ptr ? part.ptr : "");
        const char *slash = part.len ? memrchr(part.ptr, '/', part.len) : NULL;
        if (slash)
            part = str_cut(part, (size_t)(slash - part.ptr) + 1, part.len);
        part.len -= str_ends(part, "s") && !str_ends(part, "ss");
        (void)snprintf(one, 128, "%.*s", (int)part.len,
                       part.ptr ? part.ptr : "");
        for (char *c = one; *c; c++)
            *c = (char)(*c == '-' ? '_' : *c);
        len = strlen(path);
        if (dot && !is_flat)
            (void)snprintf(path + len, cap - len, "/{%s}", one);
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

static void
enter_resource(struct parts *p, struct at call, const struct laravel *l,
               str name, struct at controller)
{
    struct limits limits = limits_of(p, call);
    struct at type = {call.file, 0};
    bool is_api = str_starts(block_word(p, call), STR("api"));
    bool known = controller.id && class_of(p, controller, &type);
    char path[256];
    char whole[512];
    char one[128];

    for (size_t i = 0;
         i < sizeof(resource_actions) / sizeof(resource_actions[0]); i++) {
        const struct resource_action *a = &resource_actions[i];
        if ((is_api && a->is_form) ||
            (limits.only.id && !lists(p, limits.only, a->name, true)) ||
            (limits.except.id && lists(p, limits.except, a->name, false)))
            continue;
        resource_path(name, limits.is_shallow && a->is_item, path, one,
                      sizeof(path));
        (void)snprintf(whole, sizeof(whole), "%s%s%s%s%s", path,
                       a->is_item ? "/{" : "", a->is_item ? one : "",
                       a->is_item ? "}" : "", a->tail);
        enter(p, call, l, str_of(whole), str_of(a->method),
              known ? part_method_of(p, type, str_of(a->name)) : 0);
    }
}

/* Route::resources(['photos' => PhotoController::class]) */
static void
enter_resources(struct parts *p, struct at call, const struct laravel *l)
{
    struct at map = part_bare(p, part_arg(p, call, 0));

    for (uint32_t i = 0; map.id && i < part_expr(p, map)->list_len; i++) {
        struct at pair = part_list(p, map, i);
        if (part_kind(p, pair) == EXPR_PAIR && part_word(p, pair).len > 0)
            enter_resource(p, call, l, part_word(p, pair),
                           (struct at){call.file, part_expr(p, pair)->a});
    }
}

static void
enter_call(struct parts *p, struct at call, struct laravel *l)
{
    struct buf text = {0};
    bool is_match = block_is(p, call, "match");
    bool is_view = block_is(p, call, "view");
    struct at path = part_arg(p, call, is_match ? 1 : 0);
    struct at action = part_arg(p, call, is_match ? 2 : 1);
    str method = block_method(p, call);
    struct folded folded = part_text(p, path, false, &text);

    if (!folded.ok || !action.id) {
        buf_fini(&text);
        return;
    }
    if (folded.is_tail) {
        buf_reset(&l->prefix);
        l->is_tail = true;
    }
    if (str_ends(block_word(p, call), "esource")) {
        enter_resource(p, call, l, buf_str(&text), action);
    } else if (is_view) {
        enter(p, call, l, buf_str(&text), STR("GET"), 0);
    } else if (is_match) {
        struct at list = part_arg(p, call, 0);
        for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++)
            enter(p, call, l, buf_str(&text),
                  part_word(p, part_list(p, list, i)),
                  answers(p, l->controller, action));
    } else {
        enter(p, call, l, buf_str(&text), method.len ? method : STR("ANY"),
              answers(p, l->controller, action));
    }
    buf_fini(&text);
}

static bool
is_verb(const struct parts *p, struct at call)
{
    static const char *const names[] = {
        "any",         "match",        "view",     "resource",
        "apiResource", "apiResources", "resources"};

    if (block_method(p, call).len > 0)
        return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (block_is(p, call, names[i]))
            return true;
    return false;
}

void
routes_laravel(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        struct laravel l = {.controller = {file, 0}};
        if (facts->exprs[i].kind != EXPR_CALL || !is_verb(p, call) ||
            !laravel_is_chain(p, call))
            continue;
        laravel_add_groups(p, &l, block_call(p, call));
        struct at receiver = part_receiver(p, call);
        if (part_kind(p, receiver) == EXPR_CALL)
            laravel_add_chain(p, &l, receiver);
        if (str_ends(block_word(p, call), "esources"))
            enter_resources(p, call, &l);
        else
            enter_call(p, call, &l);
        buf_fini(&l.prefix);
    }
}
