/*
 * Laravel's Route facade.  Prefixes come from the chain a call ends, and from
 * the chains whose group it stands in; routes/api.php is below `api`.
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_block.h"

enum { CHAIN_MAX = 12, DEPTH_MAX = 12 };

struct laravel {
    struct buf prefix;
    struct at controller; /* of Route::controller(C::class), or id 0 */
    bool is_tail;
};

/* The first link of a chain: `Route` itself. */
static bool
is_route_chain(struct parts *p, struct at call)
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
add_chain(struct parts *p, struct laravel *l, struct at call, unsigned depth)
{
    struct at receiver = part_receiver(p, call);

    if (part_kind(p, receiver) == EXPR_CALL && depth < CHAIN_MAX)
        add_chain(p, l, receiver, depth + 1);
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

static void
add_groups(struct parts *p, struct laravel *l, struct at call, unsigned depth)
{
    struct at around = block_call(p, call);

    if (!around.id || depth == DEPTH_MAX)
        return;
    add_groups(p, l, around, depth + 1);
    if (block_is(p, around, "group") && is_route_chain(p, around))
        add_chain(p, l, around, 0);
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

static void
enter_resource(struct parts *p, struct at call, const struct laravel *l,
               str name, bool is_api)
{
    static const struct {
        const char *name;
        const char *method;
        const char *tail;
        bool is_item;
        bool is_form;
    } actions[] = {
        {"index", "GET", "", false, false},
        {"create", "GET", "/create", false, true},
        {"store", "POST", "", false, false},
        {"show", "GET", "", true, false},
        {"edit", "GET", "/edit", true, true},
        {"update", "PUT", "", true, false},
        {"update", "PATCH", "", true, false},
        {"destroy", "DELETE", "", true, false},
    };
    struct at type = {call.file, 0};
    bool known = class_of(p, part_arg(p, call, 1), &type);
    char path[256];
    char one[128];
    size_t len = name.len;

    len -= str_ends(name, "s") && !str_ends(name, "ss");
    (void)snprintf(one, sizeof(one), "%.*s", (int)len, name.ptr);
    for (char *c = one; *c; c++)
        *c = (char)(*c == '-' ? '_' : *c);
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (is_api && actions[i].is_form)
            continue;
        (void)snprintf(path, sizeof(path), "%.*s%s%s%s%s", (int)name.len,
                       name.ptr, actions[i].is_item ? "/{" : "",
                       actions[i].is_item ? one : "",
                       actions[i].is_item ? "}" : "", actions[i].tail);
        enter(p, call, l, str_of(path), str_of(actions[i].method),
              known ? part_method_of(p, type, str_of(actions[i].name)) : 0);
    }
}

static void
enter_call(struct parts *p, struct at call, struct laravel *l)
{
    struct buf text = {0};
    bool is_match = block_is(p, call, "match");
    bool is_api = block_is(p, call, "apiResource");
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
    if (is_api || block_is(p, call, "resource")) {
        enter_resource(p, call, l, buf_str(&text), is_api);
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
    static const char *const names[] = {"any", "match", "resource",
                                        "apiResource"};

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
            !is_route_chain(p, call))
            continue;
        if (str_ends(p->files[file].path, "routes/api.php"))
            buf_add(&l.prefix, STR("api"));
        add_groups(p, &l, call, 0);
        struct at receiver = part_receiver(p, call);
        if (part_kind(p, receiver) == EXPR_CALL)
            add_chain(p, &l, receiver, 0);
        enter_call(p, call, &l);
        buf_fini(&l.prefix);
    }
}
