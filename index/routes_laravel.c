/*
 * Laravel's Route facade.  Prefixes come from the chain a call ends, from the
 * chains whose group it stands in, and from who takes its file in
 * (index/routes_laravel_files.c).
 */
#include <string.h>

#include "index/routes_laravel.h"
#include "index/routes_turns.h"

enum {
    CHAIN_MAX = 12,
    DEPTH_MAX = 12,
};

void
laravel_fini(struct laravel *l)
{
    buf_fini(&l->first);
    buf_fini(&l->prefix);
    buf_fini(&l->space);
}

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

/* Puts the text of |expr| behind |into|, slashes between. */
static void
add_prefix(struct parts *p, struct laravel *l, struct buf *into, struct at expr)
{
    struct buf text = {0};
    struct folded folded = part_text(p, expr, false, &text);
    str s = buf_str(&text);

    if (!folded.ok || folded.is_tail) {
        l->is_tail = true;
        buf_reset(into);
    }
    while (s.len > 0 && s.ptr[0] == '/')
        s = str_cut(s, 1, s.len);
    while (s.len > 0 && s.ptr[s.len - 1] == '/')
        s.len--;
    if (s.len > 0 && into->len > 0)
        buf_add_char(into, '/');
    buf_add(into, s);
    p->failed |= text.failed;
    buf_fini(&text);
}

/* `namespace('Admin')`: below that of the groups around, unless it begins with
 * a backslash. */
static void
add_space(struct parts *p, struct laravel *l, struct at expr)
{
    str s =
        part_kind(p, expr) == EXPR_STRING ? part_word(p, expr) : (str){NULL, 0};

    if (s.len > 0 && s.ptr[0] == '\\') {
        buf_reset(&l->space);
        s = str_cut(s, 1, s.len);
    }
    if (s.len > 0 && l->space.len > 0)
        buf_add_char(&l->space, '\\');
    buf_add(&l->space, s);
}

/* What the links of one chain say; of two that say the same, the last. */
struct links {
    struct at prefix;
    struct at space;
    struct at controller;
    bool has_domain;
};

static void
read_links(struct parts *p, struct links *found, struct at call, unsigned depth)
{
    struct at receiver = part_receiver(p, call);

    if (part_kind(p, receiver) == EXPR_CALL && depth < CHAIN_MAX)
        read_links(p, found, receiver, depth + 1);
    if (block_is(p, call, "prefix")) {
        found->prefix = part_arg(p, call, 0);
    } else if (block_is(p, call, "namespace")) {
        found->space = part_arg(p, call, 0);
    } else if (block_is(p, call, "controller")) {
        found->controller = part_arg(p, call, 0);
    } else if (block_is(p, call, "domain")) {
        found->has_domain = true;
    } else if (block_is(p, call, "group")) {
        struct at prefix = part_named(p, call, "prefix");
        struct at space = part_named(p, call, "namespace");
        struct at controller = part_named(p, call, "controller");
        found->has_domain |= part_named(p, call, "domain").id != 0;
        found->prefix = prefix.id ? prefix : found->prefix;
        found->space = space.id ? space : found->space;
        found->controller = controller.id ? controller : found->controller;
    }
}

static void
add_links(struct parts *p, struct laravel *l, struct at call,
          struct buf *prefix)
{
    struct links found = {.prefix = {call.file, 0}};

    read_links(p, &found, call, 0);
    if (found.prefix.id)
        add_prefix(p, l, prefix, found.prefix);
    if (found.space.id)
        add_space(p, l, found.space);
    if (found.controller.id)
        l->controller = found.controller;
    l->has_domain |= found.has_domain;
}

void
laravel_add_chain(struct parts *p, struct laravel *l, struct at call)
{
    add_links(p, l, call, &l->prefix);
}

static void
add_around(struct parts *p, struct laravel *l, struct at around, unsigned depth)
{
    if (!around.id || depth == DEPTH_MAX)
        return;
    add_around(p, l, block_call(p, around), depth + 1);
    if (block_is(p, around, "group") && laravel_is_chain(p, around))
        add_links(p, l, around, &l->prefix);
}

void
laravel_add_groups(struct parts *p, struct laravel *l, struct at around)
{
    add_around(p, l, around, 0);
}

/* ---- routes ---- */

/* Whether something is before the routes of a file. */
static bool
is_below(const struct parts *p, uint32_t router)
{
    for (uint32_t i = p->routers[router].mounts; i; i = p->mounts[i].next)
        if (p->mounts[i].prefix || p->mounts[i].parent ||
            p->mounts[i].flags & MOUNT_TAIL)
            return true;
    return false;
}

/* By its method and path: of two routes the later is the one that is served. */
static text_id
key_of(struct parts *p, const struct laravel *l, str method, str path)
{
    struct buf out = {0};

    if (l->is_tail || l->has_domain)
        return 0;
    buf_add(&out, method);
    buf_add_char(&out, ' ');
    buf_add(&out, path);
    return part_keep(p, &out, 0);
}

void
laravel_enter(struct parts *p, struct at call, const struct laravel *l,
              str path, str method, uint32_t handler)
{
    struct buf whole = {0};
    char upper[16];
    uint32_t router = laravel_file(p, call.file);
    bool is_moved = l->first.len > 0 && is_below(p, router);

    buf_add(&whole, is_moved ? (str){NULL, 0} : buf_str(&l->first));
    if (whole.len > 0 && l->prefix.len > 0)
        buf_add_char(&whole, '/');
    buf_add(&whole, buf_str(&l->prefix));
    while (path.len > 0 && path.ptr[0] == '/')
        path = str_cut(path, 1, path.len);
    if (whole.len > 0 && path.len > 0)
        buf_add_char(&whole, '/');
    buf_add(&whole, path);
    method = str_upper(method, upper, sizeof(upper));
    if (!whole.failed)
        entry_add(
            p, &(struct route_entry){
                   .router = router,
                   .flags = l->is_tail || is_moved ? ENTRY_TAIL : 0,
                   .handler = handler,
                   .method = texts_add(&p->texts, method),
                   .path = texts_add(&p->texts, buf_str(&whole)),
                   .key = is_moved ? 0 : key_of(p, l, method, buf_str(&whole)),
                   .at = call,
                   .framework = FW_LARAVEL,
               });
    p->failed |= whole.failed;
    buf_fini(&whole);
}

/* Those of Route::match, or the call's own. */
static void
enter_methods(struct parts *p, struct at call, const struct laravel *l,
              str path, struct at action)
{
    str method = block_method(p, call);
    uint32_t handler = action.id ? laravel_answers(p, l, action) : 0;
    struct at list = part_arg(p, call, 0);

    if (!block_is(p, call, "match")) {
        laravel_enter(p, call, l, path, method.len ? method : STR("ANY"),
                      handler);
        return;
    }
    if (part_kind(p, list) == EXPR_STRING)
        laravel_enter(p, call, l, path, part_word(p, list), handler);
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++)
        laravel_enter(p, call, l, path, part_word(p, part_list(p, list, i)),
                      handler);
}

static void
enter_call(struct parts *p, struct at call, struct laravel *l)
{
    struct buf text = {0};
    bool is_match = block_is(p, call, "match");
    bool is_found =
        block_is(p, call, "redirect") || block_is(p, call, "permanentRedirect");
    struct at path = part_arg(p, call, is_match ? 1 : 0);
    struct at action = part_arg(p, call, is_match ? 2 : 1);
    struct folded folded = part_text(p, path, false, &text);

    if (!folded.ok || !action.id) {
        buf_fini(&text);
        return;
    }
    if (folded.is_tail) {
        buf_reset(&l->first);
        buf_reset(&l->prefix);
        l->is_tail = true;
    }
    if (laravel_is_resource(p, call))
        laravel_resource(p, call, l, buf_str(&text), action);
    else if (block_is(p, call, "view"))
        laravel_enter(p, call, l, buf_str(&text), STR("GET"), 0);
    else
        enter_methods(p, call, l, buf_str(&text),
                      is_found ? (struct at){call.file, 0} : action);
    buf_fini(&text);
}

static bool
is_verb(const struct parts *p, struct at call)
{
    static const char *const names[] = {
        "any", "match", "view", "fallback", "redirect", "permanentRedirect"};

    if (block_method(p, call).len > 0 || laravel_is_resource(p, call))
        return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (block_is(p, call, names[i]))
            return true;
    return false;
}

/* A path before a single route stands before all groups, too; that before
 * resources is not heeded. */
static void
add_before(struct parts *p, struct laravel *l, struct at call)
{
    struct at receiver = part_receiver(p, call);
    struct buf none = {0};

    if (part_kind(p, receiver) == EXPR_CALL)
        add_links(p, l, receiver,
                  laravel_is_resource(p, call) ? &none : &l->first);
    buf_fini(&none);
}

struct laravel_call {
    struct parts *p;
    struct at call;
};

/* One call, in one turn of the loops around it. */
static void
look_at(void *ctx)
{
    const struct laravel_call *at = ctx;
    struct parts *p = at->p;
    struct at call = at->call;
    struct laravel l = {.controller = {call.file, 0}};

    laravel_add_groups(p, &l, block_call(p, call));
    add_before(p, &l, call);
    if (block_is(p, call, "resources") || block_is(p, call, "apiResources"))
        laravel_resources(p, call, &l);
    else if (block_is(p, call, "fallback"))
        laravel_enter(p, call, &l, STR("{fallbackPlaceholder}"), STR("GET"),
                      laravel_answers(p, &l, part_arg(p, call, 0)));
    else
        enter_call(p, call, &l);
    p->failed |= l.prefix.failed || l.first.failed || l.space.failed;
    laravel_fini(&l);
}

void
routes_laravel(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct laravel_call at = {p, {file, i}};
        if (facts->exprs[i].kind == EXPR_CALL && is_verb(p, at.call) &&
            laravel_is_chain(p, at.call))
            turn_each(p, at.call, look_at, &at);
    }
}
