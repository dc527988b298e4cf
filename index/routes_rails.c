/*
 * Rails' config/routes.rb and config/routes/: resources and single routes. Each
 * is put together from the blocks around it (index/routes_rails_scope.c), once
 * for each way in.
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_rails_scope.h"

enum { WAYS_MAX = 64 };

struct at
block_call(struct parts *p, struct at at)
{
    struct at def = {at.file, part_expr(p, at)->scope};

    if (!def.id || !(part_def(p, def)->flags & DEF_LAMBDA))
        return (struct at){at.file, 0};
    return part_lambda_call(p, def);
}

str
block_method(const struct parts *p, struct at call)
{
    static const struct {
        const char *name;
        const char *method;
    } methods[] = {
        {"get", "GET"},         {"post", "POST"},     {"put", "PUT"},
        {"patch", "PATCH"},     {"delete", "DELETE"}, {"head", "HEAD"},
        {"options", "OPTIONS"},
    };

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (block_is(p, call, methods[i].name))
            return str_of(methods[i].method);
    return (str){NULL, 0};
}

/* A call, and how it is entered. */
struct enter {
    struct at call;
    const struct rails_chain *chain;
    unsigned ways;
};

/* ---- one route ---- */

struct single {
    str path;       /* if |has_path|, else the action's */
    str action;     /* by its name */
    str method;     /* GET; ANY */
    str controller; /* as the call says, or empty */
    str said;       /* the action that the call says, or empty */
    struct at to;   /* what answers, if it is no controller's action */
    bool has_path;
    bool is_tail; /* what is before |path| is not known */
};

/* All of it may be left out, as of `(/:a)` and `(/:a)(/:b)`. */
static bool
is_optional(const char *path)
{
    unsigned open = 0;

    for (; *path; path++) {
        open += *path == '(';
        if (open == 0)
            return false;
        open -= *path == ')';
    }
    return true;
}

/* What ActionDispatch makes of parentheses: `/(:a)/b` is `(/:a)/b`. */
static void
normalize(const char *path, char *into)
{
    size_t len = 0;
    size_t begin = 0;

    for (size_t i = 0; path[i] && len + 2 < RAILS_PATH_MAX; i++) {
        if (path[i] != '/' || path[i + 1] != '(') {
            into[len++] = path[i];
            continue;
        }
        while (path[i + 1] == '(' && len + 2 < RAILS_PATH_MAX)
            into[len++] = path[++i];
        into[len++] = '/';
        i += path[i + 1] == '/';
    }
    into[len] = '\0';
    begin = strspn(into, "(");
    if (begin > 0 && is_optional(into)) {
        (void)memmove(into + 1, into, begin);
        into[0] = '/';
    }
}

static bool
is_own(const struct rails_scope *s, str action)
{
    static const char *const own[] = {"index", "create", "new",
                                      "show",  "update", "destroy"};

    if (s->level != RAILS_COLLECTION && s->level != RAILS_MEMBER &&
        s->level != RAILS_NEW)
        return false;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (str_eq(action, str_of(own[i])))
            return true;
    return false;
}

/* `pages/about_us` of `pages/about-us`, of two names or more; or empty. */
static str
shorthand(str path, char *into, size_t cap)
{
    bool is_long = false;

    while (path.len > 0 && path.ptr[0] == '/')
        path = str_cut(path, 1, path.len);
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!is_word && c != '/')
            return (str){NULL, 0};
        is_long |= c == '/' && i > 0;
    }
    if (!is_long || path.len == 0)
        return (str){NULL, 0};
    (void)snprintf(into, cap, "%.*s", (int)path.len, path.ptr);
    for (char *c = into; *c; c++)
        *c = (char)(*c == '-' ? '_' : *c);
    return str_of(into);
}

/* What the names of a route lead to. */
static uint32_t
answers(struct parts *p, const struct enter *e, const struct rails_scope *s,
        const struct single *one)
{
    char name[256];
    char text[RAILS_PATH_MAX];
    str controller = one->controller;
    str action = one->said.len > 0 ? one->said : str_of(s->action);
    str path = one->said.len > 0 ? (str){NULL, 0}
                                 : shorthand(one->path, text, sizeof(text));

    if (one->to.id) {
        enum expr_kind kind = part_kind(p, turn_of(p, one->to));
        if (kind == EXPR_LAMBDA)
            return part_handler(p, one->to);
        if (kind != EXPR_STRING && kind != EXPR_CONCAT)
            return 0;
        str to = rails_folded(p, one->to, name, sizeof(name));
        const char *hash = to.len ? memchr(to.ptr, '#', to.len) : NULL;
        if (hash) {
            controller = str_cut(to, 0, (size_t)(hash - to.ptr));
            action = str_cut(to, controller.len + 1, to.len);
        }
        path.len = 0;
    }
    const char *last = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    if (last) {
        controller = str_cut(path, 0, (size_t)(last - path.ptr));
        action = str_cut(path, controller.len + 1, path.len);
    }
    if (action.len == 0) {
        (void)snprintf(name, sizeof(name), "%.*s", (int)one->action.len,
                       one->action.ptr ? one->action.ptr : "");
        for (char *c = name; *c; c++)
            *c = (char)(*c == '-' ? '_' : *c);
        action = str_of(name);
    }
    return rails_handler(
        p, e->call.file, e->chain->engine, str_of(s->module),
        controller.len > 0 ? controller : str_of(s->controller), action);
}

static void
enter_single(struct parts *p, const struct enter *e, struct rails_scope s,
             const struct single *one)
{
    char whole[RAILS_PATH_MAX];

    if (s.level == RAILS_RESOURCES)
        rails_in(p, &s, RAILS_NESTED);
    else if (s.level == RAILS_RESOURCE)
        rails_in(p, &s, RAILS_MEMBER);
    uint32_t handler = answers(p, e, &s, one);
    if (one->is_tail) {
        s.path[0] = '\0';
        s.is_tail = true;
    }
    if (one->has_path)
        rails_add(s.path, one->path);
    else if (!is_own(&s, one->action))
        rails_add(s.path, rails_action_path(p, &s, one->action));
    normalize(s.path, whole);
    entry_add(p, &(struct route_entry){
                     .handler = handler,
                     .flags = s.is_tail || e->chain->is_loose ? ENTRY_TAIL : 0,
                     .method = texts_add(&p->texts, one->method),
                     .path = texts_add(&p->texts,
                                       whole[0] ? str_of(whole) : STR("/")),
                     .at = e->call,
                     .framework = FW_RAILS,
                 });
}

/* ---- resources ---- */

static const struct rails_action {
    const char *name;
    const char *method;
    enum rails_level level;
    bool is_form;
} rails_actions[] = {
    {"index", "GET", RAILS_COLLECTION, false},
    {"create", "POST", RAILS_COLLECTION, false},
    {"new", "GET", RAILS_NEW, true},
    {"edit", "GET", RAILS_MEMBER, true},
    {"show", "GET", RAILS_MEMBER, false},
    {"update", "PATCH", RAILS_MEMBER, false},
    {"update", "PUT", RAILS_MEMBER, false},
    {"destroy", "DELETE", RAILS_MEMBER, false},
};

static bool
has_action(struct parts *p, const struct rails_resource *r,
           const struct rails_action *a, bool is_api)
{
    if (r->is_one && str_eq(str_of(a->name), STR("index")))
        return false;
    if (r->except.id && rails_lists(p, r->except, str_of(a->name)))
        return false;
    return r->only.id ? rails_lists(p, r->only, str_of(a->name))
                      : !(a->is_form && is_api);
}

static void
enter_resource(struct parts *p, const struct enter *e,
               const struct rails_scope *s)
{
    bool is_api = rails_is_api(p, e->call.file);

    for (size_t i = 0; i < sizeof(rails_actions) / sizeof(rails_actions[0]);
         i++) {
        const struct rails_action *a = &rails_actions[i];
        struct rails_scope in = *s;
        if (!has_action(p, &s->resource, a, is_api))
            continue;
        rails_in(p, &in, a->level);
        enter_single(p, e, in,
                     &(struct single){.action = str_of(a->name),
                                      .method = str_of(a->method)});
    }
}

/* ---- what a call says ---- */

/* `'x' => 'home#index'`: what answers; |path| becomes its path. */
static struct at
pair_of(struct parts *p, struct at call, struct buf *path)
{
    struct at none = {call.file, 0};

    for (uint32_t i = 0; i < part_expr(p, call)->list_len; i++) {
        struct at pair = part_list(p, call, i);
        str key = part_word(p, pair);
        if (part_kind(p, pair) != EXPR_PAIR || str_eq(key, STR("to")) ||
            str_eq(key, STR("via")) || str_eq(key, STR("as")))
            continue;
        if (key.len > 0)
            buf_add(path, key);
        else
            (void)part_text(p, part_list(p, pair, 0), false, path);
        return (struct at){call.file, part_expr(p, pair)->a};
    }
    return none;
}

/* One route for each of the methods that `via:` says. */
static void
enter_methods(struct parts *p, const struct enter *e,
              const struct rails_scope *s, struct single one)
{
    struct at via = part_named(p, e->call, "via");
    bool is_list = via.id && part_kind(p, via) != EXPR_STRING;
    str word = via.id && !is_list ? part_word(p, via) : STR("any");
    char upper[16];

    word = str_eq(word, STR("all")) ? STR("any") : word;
    if (one.method.len > 0 || !is_list) {
        word = one.method.len > 0 ? one.method : word;
        one.method = str_upper(word, upper, sizeof(upper));
        enter_single(p, e, *s, &one);
        return;
    }
    for (uint32_t i = 0; i < part_expr(p, via)->list_len; i++) {
        one.method =
            str_upper(part_word(p, part_list(p, via, i)), upper, sizeof(upper));
        enter_single(p, e, *s, &one);
    }
}

/* The route that |text| names, a symbol the action's. */
static void
enter_path(struct parts *p, const struct enter *e, const struct rails_scope *s,
           struct single one, str text, bool is_symbol)
{
    struct at given = part_named(p, e->call, "path");

    if (text.len == 0)
        return;
    one.action = text;
    one.has_path = !is_symbol;
    one.path = text;
    if (is_symbol && given.id && part_kind(p, given) == EXPR_STRING) {
        one.has_path = true;
        one.path = part_word(p, given);
    }
    enter_methods(p, e, s, one);
}

/* `'x' => 'a#b'`, `'x' => 'a'`, `'x' => redirect('/y')` */
static void
enter_pair(struct parts *p, const struct enter *e, const struct rails_scope *s,
           struct single one)
{
    struct buf path = {0};
    struct at value = pair_of(p, e->call, &path);
    str word = value.id ? part_word(p, value) : (str){NULL, 0};

    if (value.id && part_expr(p, value)->is_symbol)
        one.said = word;
    else if (value.id && part_kind(p, value) == EXPR_STRING && word.len > 0 &&
             !memchr(word.ptr, '#', word.len))
        one.controller = word;
    else
        one.to = value;
    enter_path(p, e, s, one, buf_str(&path), false);
    p->failed |= path.failed;
    buf_fini(&path);
}

/* False: there is no path among the arguments. */
static bool
enter_paths(struct parts *p, const struct enter *e, const struct rails_scope *s,
            struct single one)
{
    struct buf text = {0};
    bool any = false;

    for (uint32_t i = 0; i < part_args(p, e->call); i++) {
        struct at arg = part_arg(p, e->call, i);
        enum expr_kind kind = part_kind(p, arg);
        if (kind == EXPR_LAMBDA || kind == EXPR_OBJECT || kind == EXPR_PAIR)
            continue;
        any = true;
        buf_reset(&text);
        struct folded folded = part_text(p, arg, false, &text);
        one.is_tail = folded.is_tail;
        if (folded.ok)
            enter_path(p, e, s, one, buf_str(&text),
                       part_expr(p, turn_of(p, arg))->is_symbol);
    }
    p->failed |= text.failed;
    buf_fini(&text);
    return any;
}

static void
enter_root(struct parts *p, const struct enter *e, struct rails_scope s,
           struct single one)
{
    one.method = STR("GET");
    one.has_path = true;
    if (!one.to.id)
        one.to = part_arg(p, e->call, 0);
    if (s.level == RAILS_RESOURCES) {
        rails_add(s.path, str_of(s.resource.path));
        s.level = RAILS_PLAIN;
    }
    enter_single(p, e, s, &one);
}

static void
enter_call(struct parts *p, const struct enter *e, struct rails_scope s)
{
    struct at call = e->call;
    struct single one = {
        .method = block_method(p, call),
        .controller = rails_option(p, call, "controller"),
        .said = rails_option(p, call, "action"),
        .to = part_named(p, call, "to"),
    };
    str on = rails_option(p, call, "on");

    if (block_is(p, call, "root")) {
        enter_root(p, e, s, one);
        return;
    }
    if (str_eq(on, STR("member")))
        rails_in(p, &s, RAILS_MEMBER);
    else if (str_eq(on, STR("collection")))
        rails_in(p, &s, RAILS_COLLECTION);
    else if (str_eq(on, STR("new")))
        rails_in(p, &s, RAILS_NEW);
    if (!enter_paths(p, e, &s, one))
        enter_pair(p, e, &s, one);
}

static void enter_within(struct parts *p, struct enter *e,
                         const struct rails_scope *s, unsigned left);

/* Goes on once for each item of the loop that the block is; false: it is
 * none. */
static bool
enter_turns(struct parts *p, struct enter *e, const struct rails_scope *s,
            unsigned left)
{
    struct at lambda;
    struct at list;
    struct part_turn turn;

    if (!left || !turn_list(p, e->chain->blocks[left - 1], &lambda, &list))
        return false;
    for (uint32_t k = 0; k < part_expr(p, list)->list_len && e->ways < WAYS_MAX;
         k++) {
        turn_begin(p, &turn, lambda, part_list(p, list, k));
        e->ways += k > 0;
        enter_within(p, e, s, left - 1);
        turn_end(p, &turn);
    }
    return true;
}

/* Goes into the blocks around the call, of which |left| are left; a block of
 * several resources is one of each. */
static void
enter_within(struct parts *p, struct enter *e, const struct rails_scope *s,
             unsigned left)
{
    struct at at = left ? e->chain->blocks[left - 1] : e->call;
    struct rails_scope in = *s;

    if (enter_turns(p, e, s, left))
        return;
    if (!rails_is_resource(p, at)) {
        rails_in_block(p, &in, at);
        if (left)
            enter_within(p, e, &in, left - 1);
        else
            enter_call(p, e, in);
        return;
    }
    for (uint32_t k = 0; k < part_args(p, at) && e->ways < WAYS_MAX; k++) {
        if (rails_text(p, at, k).len == 0)
            continue;
        in = *s;
        rails_in_resource(p, &in, at, rails_text(p, at, k));
        e->ways += k > 0;
        if (left)
            enter_within(p, e, &in, left - 1);
        else
            enter_resource(p, e, &in);
    }
}

void
rails_enter(struct parts *p, struct at call, const struct rails_chain *chain)
{
    struct enter e = {.call = call, .chain = chain};

    enter_within(p, &e, &(struct rails_scope){.level = RAILS_PLAIN},
                 chain->len);
}
