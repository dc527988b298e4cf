/*
 * Rails' config/routes.rb and config/routes/: resources, namespaces, scopes.
 * Each route is put together from the blocks around it; its action is a
 * method of the controller whose class the names lead to.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "index/routes_files.h"
#include "index/routes_rails.h"

enum { PATH_MAX_LEN = 512 };

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

/* What the blocks around a call put before it. */
struct context {
    char path[PATH_MAX_LEN];
    char flat[PATH_MAX_LEN];   /* of the members of what is shallow */
    char module[PATH_MAX_LEN]; /* `api/v1` */
    char controller[128];      /* of the resource around, or empty */
    bool is_member;
    bool is_collection;
    bool is_shallow;
    unsigned nested; /* in so many resources */
};

static void
append(char *text, size_t cap, const char *between, str s)
{
    size_t len = strlen(text);

    (void)snprintf(text + len, cap - len, "%s%.*s", len ? between : "",
                   (int)s.len, s.ptr ? s.ptr : "");
}

static void
add_segment(char *path, str s)
{
    size_t len = strlen(path);

    while (s.len > 0 && s.ptr[0] == '/')
        s = str_cut(s, 1, s.len);
    if (s.len > 0)
        (void)snprintf(path + len, PATH_MAX_LEN - len, "/%.*s", (int)s.len,
                       s.ptr);
}

static void
add_path(struct context *c, str s)
{
    assert(c);
    add_segment(c->path, s);
}

/* The path of a namespace or scope; |shallow|: another for what is shallow. */
static void
add_scope(struct context *c, str s, str shallow)
{
    assert(c);
    add_path(c, s);
    if (shallow.len > 0)
        add_segment(c->flat, shallow);
    else if (c->nested == 0)
        add_segment(c->flat, s);
}

static str
named_text(const struct parts *p, struct at call, const char *name)
{
    struct at value = part_named(p, call, name);

    return value.id && part_kind(p, value) == EXPR_STRING ? part_word(p, value)
                                                          : (str){NULL, 0};
}

/* `users` -> `user`, `boxes` -> `box`, `companies` -> `company`. */
static void
singular(str name, char *into, size_t cap)
{
    size_t len = name.len;
    const char *tail = "";

    if (str_ends(name, "ies") && len > 3) {
        len -= 3;
        tail = "y";
    } else if (str_ends(name, "sses") || str_ends(name, "xes") ||
               str_ends(name, "ches") || str_ends(name, "shes")) {
        len -= 2;
    } else if (str_ends(name, "s") && !str_ends(name, "ss")) {
        len -= 1;
    }
    (void)snprintf(into, cap, "%.*s%s", (int)len, name.ptr, tail);
}

/* `shallow: true`, `shallow: false`, or as it is around. */
static bool
shallow_of(const struct parts *p, struct at call, bool around)
{
    struct at value = part_named(p, call, "shallow");

    if (!value.id)
        return around;
    return !str_eq(part_word(p, value), STR("false"));
}

static void
add_resource_block(const struct parts *p, struct context *c, struct at call,
                   bool is_inner)
{
    str name = rails_text(p, call, 0);
    str path = named_text(p, call, "path");
    str param = named_text(p, call, "param");
    char one[128];
    bool is_plural = block_is(p, call, "resources");

    c->is_shallow = shallow_of(p, call, c->is_shallow);
    add_segment(c->flat, named_text(p, call, "shallow_path"));
    if (is_plural && c->is_shallow && c->nested > 0 &&
        !(is_inner && c->is_collection))
        (void)snprintf(c->path, sizeof(c->path), "%s", c->flat);
    c->nested++;
    add_path(c, path.len ? path : name);
    str controller = named_text(p, call, "controller");
    (void)snprintf(c->controller, sizeof(c->controller), "%.*s%s",
                   (int)(controller.len ? controller.len : name.len),
                   controller.len ? controller.ptr : name.ptr,
                   is_plural || controller.len ? "" : "s");
    if (named_text(p, call, "module").len)
        append(c->module, sizeof(c->module), "/",
               named_text(p, call, "module"));
    if (!is_plural || (is_inner && c->is_collection))
        return;
    singular(name, one, sizeof(one));
    size_t len = strlen(c->path);
    if (is_inner && c->is_member)
        (void)snprintf(c->path + len, sizeof(c->path) - len, "/:%.*s",
                       (int)(param.len ? param.len : 2),
                       param.len ? param.ptr : "id");
    else
        (void)snprintf(c->path + len, sizeof(c->path) - len, "/:%s_%.*s", one,
                       (int)(param.len ? param.len : 2),
                       param.len ? param.ptr : "id");
}

static void
add_block(const struct parts *p, struct context *c, struct at call,
          bool is_inner)
{
    str shallow = named_text(p, call, "shallow_path");

    if (block_is(p, call, "resources") || block_is(p, call, "resource")) {
        add_resource_block(p, c, call, is_inner);
    } else if (block_is(p, call, "namespace")) {
        str path = named_text(p, call, "path");
        str name = rails_text(p, call, 0);
        struct at given = part_named(p, call, "path");
        c->is_shallow = shallow_of(p, call, c->is_shallow);
        add_scope(c, given.id ? path : name, shallow);
        append(c->module, sizeof(c->module), "/", name);
    } else if (block_is(p, call, "scope")) {
        str path = rails_text(p, call, 0);
        c->is_shallow = shallow_of(p, call, c->is_shallow);
        add_scope(c, path.len ? path : named_text(p, call, "path"), shallow);
        str module = named_text(p, call, "module");
        if (module.len)
            append(c->module, sizeof(c->module), "/", module);
    } else if (block_is(p, call, "shallow")) {
        c->is_shallow = true;
    } else if (block_is(p, call, "controller")) {
        (void)snprintf(c->controller, sizeof(c->controller), "%.*s",
                       (int)rails_text(p, call, 0).len,
                       rails_text(p, call, 0).ptr);
    }
}

/* |on| is `member`, `collection` or neither, as the call itself says. */
static struct context
context_of(struct parts *p, const struct rails_chain *chain, str on)
{
    struct context c = {.is_member = str_eq(on, STR("member")),
                        .is_collection = str_eq(on, STR("collection"))};

    /* member and collection say where the resource around them stands */
    for (unsigned i = 0; i < chain->len && i < 2; i++) {
        c.is_member |= block_is(p, chain->blocks[i], "member");
        c.is_collection |= block_is(p, chain->blocks[i], "collection");
    }
    for (unsigned i = chain->len; i-- > 0;) {
        bool is_inner = true;
        for (unsigned k = 0; k < i; k++)
            is_inner &= !block_is(p, chain->blocks[k], "resources") &&
                        !block_is(p, chain->blocks[k], "resource");
        add_block(p, &c, chain->blocks[i], is_inner);
    }
    return c;
}

/* The method |action| of the file at |at|. */
static bool
has_action(const struct parts *p, struct at *at, str action)
{
    const struct facts *facts = part_facts(p, at->file);

    for (uint32_t d = 1; d < facts->def_len; d++)
        if ((facts->defs[d].kind == CODE_METHOD ||
             facts->defs[d].kind == CODE_FUNCTION) &&
            str_eq(facts_text(facts, facts->defs[d].name), action)) {
            at->id = d;
            return true;
        }
    return false;
}

/* `api/v1` and `users` -> the class Api::V1::UsersController. */
static uint32_t
action_of(struct parts *p, uint32_t from, const struct context *c,
          str controller, str action)
{
    char file[PATH_MAX_LEN + 200];

    if (controller.len == 0 || action.len == 0)
        return 0;
    (void)snprintf(file, sizeof(file), "controllers/%s%s%.*s_controller.rb",
                   c->module, c->module[0] ? "/" : "", (int)controller.len,
                   controller.ptr);
    struct file_range range = files_ending(p, str_of(file));
    struct at best = {0, 0};
    for (uint32_t i = 0; i < range.len; i++) {
        struct at at = {range.rows[i].file, 0};
        if (has_action(p, &at, action) &&
            (!best.id ||
             files_common(p, at.file, from) > files_common(p, best.file, from)))
            best = at;
    }
    return best.id ? resolve_node(p->r, best.file, best.id) : 0;
}

static void
enter_route(struct parts *p, struct at call, const char *path, str method,
            uint32_t handler)
{
    str s = str_of(path);

    entry_add(p, &(struct route_entry){
                     .handler = handler,
                     .method = texts_add(&p->texts, method),
                     .path = texts_add(&p->texts, s.len ? s : STR("/")),
                     .at = call,
                     .framework = FW_RAILS,
                 });
}

/* ---- resources ---- */

static const struct rails_action {
    const char *name;
    const char *method;
    const char *tail;
    bool is_member;
    bool is_only_plural;
} rails_actions[] = {
    {"index", "GET", "", false, true},
    {"new", "GET", "/new", false, false},
    {"create", "POST", "", false, false},
    {"show", "GET", "", true, false},
    {"edit", "GET", "/edit", true, false},
    {"update", "PATCH", "", true, false},
    {"update", "PUT", "", true, false},
    {"destroy", "DELETE", "", true, false},
};

static void
enter_resource(struct parts *p, struct at call, const struct context *c,
               str name)
{
    bool is_plural = block_is(p, call, "resources");
    struct at only = part_named(p, call, "only");
    struct at except = part_named(p, call, "except");
    str path = named_text(p, call, "path");
    str param = named_text(p, call, "param");
    str given = named_text(p, call, "controller");
    bool is_shallow = c->nested > 0 && shallow_of(p, call, c->is_shallow);
    char controller[128];
    char whole[PATH_MAX_LEN + 200];

    (void)snprintf(controller, sizeof(controller), "%.*s%s",
                   (int)(given.len ? given.len : name.len),
                   given.len ? given.ptr : name.ptr,
                   is_plural || given.len ? "" : "s");
    for (size_t i = 0; i < sizeof(rails_actions) / sizeof(rails_actions[0]);
         i++) {
        const struct rails_action *a = &rails_actions[i];
        if ((only.id && !rails_lists(p, only, str_of(a->name))) ||
            (except.id && rails_lists(p, except, str_of(a->name))) ||
            (a->is_only_plural && !is_plural))
            continue;
        str last = path.len ? path : name;
        bool is_flat = is_shallow && a->is_member && is_plural;
        (void)snprintf(
            whole, sizeof(whole), "%s/%.*s%s%.*s%s",
            is_flat ? c->flat : c->path, (int)last.len, last.ptr,
            a->is_member && is_plural ? "/:" : "",
            a->is_member && is_plural ? (int)(param.len ? param.len : 2) : 0,
            param.len ? param.ptr : "id", a->tail);
        enter_route(
            p, call, whole, str_of(a->method),
            action_of(p, call.file, c, str_of(controller), str_of(a->name)));
    }
}

/* ---- single routes ---- */

/* `to: 'home#index'`, `'x' => 'home#index'` */
static struct at
target_of(const struct parts *p, struct at call, str *path)
{
    struct at to = part_named(p, call, "to");
    uint32_t len = part_expr(p, call)->list_len;

    *path = rails_text(p, call, 0);
    if (block_is(p, call, "root")) {
        *path = (str){NULL, 0};
        return to.id ? to : part_arg(p, call, 0);
    }
    for (uint32_t i = 0; i < len && path->len == 0; i++) {
        struct at pair = part_list(p, call, i);
        struct at value = {call.file, part_expr(p, pair)->a};
        if (part_kind(p, pair) != EXPR_PAIR ||
            part_kind(p, value) != EXPR_STRING ||
            !memchr(part_word(p, value).ptr, '#', part_word(p, value).len) ||
            str_eq(part_word(p, pair), STR("to")))
            continue;
        *path = part_expr(p, pair)->text ? part_word(p, pair)
                                         : part_word(p, part_list(p, pair, 0));
        to = value;
    }
    return to;
}

static void
enter_single(struct parts *p, struct at call, struct context *c, str method)
{
    str path;
    struct at to = target_of(p, call, &path);
    str target = to.id && part_kind(p, to) == EXPR_STRING ? part_word(p, to)
                                                          : (str){NULL, 0};
    const char *hash = target.len ? memchr(target.ptr, '#', target.len) : NULL;
    str controller;
    str action = path;

    if (path.len == 0 && !block_is(p, call, "root"))
        return;
    controller = str_of(c->controller);
    if (hash) {
        controller = str_cut(target, 0, (size_t)(hash - target.ptr));
        action = str_cut(target, controller.len + 1, target.len);
    }
    add_path(c, path);
    enter_route(p, call, c->path, method,
                action_of(p, call.file, c, controller, action));
}

static void
enter_match(struct parts *p, struct at call, struct context *c)
{
    struct at via = part_named(p, call, "via");
    struct context copy;
    char upper[16];

    if (!via.id || part_kind(p, via) == EXPR_STRING) {
        str word = via.id ? part_word(p, via) : STR("any");
        word = str_eq(word, STR("all")) ? STR("any") : word;
        enter_single(p, call, c, str_upper(word, upper, sizeof(upper)));
        return;
    }
    for (uint32_t i = 0; i < part_expr(p, via)->list_len; i++) {
        copy = *c;
        enter_single(p, call, &copy,
                     str_upper(part_word(p, part_list(p, via, i)), upper,
                               sizeof(upper)));
    }
}

void
rails_enter(struct parts *p, struct at call, const struct rails_chain *chain)
{
    struct context c = context_of(p, chain, named_text(p, call, "on"));
    str method = block_method(p, call);

    if (block_is(p, call, "resources") || block_is(p, call, "resource")) {
        add_segment(c.flat, named_text(p, call, "shallow_path"));
        for (uint32_t k = 0; k < part_args(p, call); k++)
            if (rails_text(p, call, k).len > 0)
                enter_resource(p, call, &c, rails_text(p, call, k));
    } else if (block_is(p, call, "match")) {
        enter_match(p, call, &c);
    } else {
        enter_single(p, call, &c, method.len ? method : STR("GET"));
    }
}
