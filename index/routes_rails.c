/*
 * Rails' config/routes.rb and config/routes/: resources, namespaces, scopes.
 * Each route is put together from the blocks around it; its action is a
 * method of the controller whose class the names lead to.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "index/routes_block.h"

enum { BLOCKS_MAX = 16, PATH_MAX_LEN = 512 };

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
    char module[PATH_MAX_LEN]; /* `api/v1` */
    char controller[128];      /* of the resource around, or empty */
    bool is_member;
    bool is_collection;
    bool is_drawn; /* within Rails.application.routes.draw */
};

static void
append(char *text, size_t cap, const char *between, str s)
{
    size_t len = strlen(text);

    (void)snprintf(text + len, cap - len, "%s%.*s", len ? between : "",
                   (int)s.len, s.ptr ? s.ptr : "");
}

static void
add_path(struct context *c, str s)
{
    assert(c);
    while (s.len > 0 && s.ptr[0] == '/')
        s = str_cut(s, 1, s.len);
    if (s.len == 0)
        return;
    size_t len = strlen(c->path);
    (void)snprintf(c->path + len, sizeof(c->path) - len, "/%.*s", (int)s.len,
                   s.ptr);
}

static str
text_arg(const struct parts *p, struct at call, uint32_t i)
{
    struct at arg = part_arg(p, call, i);

    return part_kind(p, arg) == EXPR_STRING ? part_word(p, arg)
                                            : (str){NULL, 0};
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

static void
add_resource_block(const struct parts *p, struct context *c, struct at call,
                   bool is_inner)
{
    str name = text_arg(p, call, 0);
    str path = named_text(p, call, "path");
    str param = named_text(p, call, "param");
    char one[128];
    bool is_plural = block_is(p, call, "resources");

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
    if (block_is(p, call, "resources") || block_is(p, call, "resource")) {
        add_resource_block(p, c, call, is_inner);
    } else if (block_is(p, call, "namespace")) {
        str path = named_text(p, call, "path");
        str name = text_arg(p, call, 0);
        struct at given = part_named(p, call, "path");
        add_path(c, given.id ? path : name);
        append(c->module, sizeof(c->module), "/", name);
    } else if (block_is(p, call, "scope")) {
        str path = text_arg(p, call, 0);
        add_path(c, path.len ? path : named_text(p, call, "path"));
        str module = named_text(p, call, "module");
        if (module.len)
            append(c->module, sizeof(c->module), "/", module);
    } else if (block_is(p, call, "controller")) {
        (void)snprintf(c->controller, sizeof(c->controller), "%.*s",
                       (int)text_arg(p, call, 0).len, text_arg(p, call, 0).ptr);
    }
}

static struct context
context_of(struct parts *p, struct at call)
{
    struct context c = {0};
    struct at blocks[BLOCKS_MAX];
    unsigned len = 0;

    for (struct at at = block_call(p, call); at.id && len < BLOCKS_MAX;
         at = block_call(p, at))
        blocks[len++] = at;
    c.is_drawn = len > 0 && block_is(p, blocks[len - 1], "draw");
    /* member and collection say where the resource around them stands */
    for (unsigned i = 0; i < len && i < 2; i++) {
        c.is_member |= block_is(p, blocks[i], "member");
        c.is_collection |= block_is(p, blocks[i], "collection");
    }
    for (unsigned i = len; i-- > 0;) {
        bool is_inner = true;
        for (unsigned k = 0; k < i; k++)
            is_inner &= !block_is(p, blocks[k], "resources") &&
                        !block_is(p, blocks[k], "resource");
        add_block(p, &c, blocks[i], is_inner);
    }
    return c;
}

/* `api/v1` and `users` -> the class Api::V1::UsersController. */
static uint32_t
action_of(struct parts *p, const char *module, str controller, str action)
{
    char file[PATH_MAX_LEN + 200];

    if (controller.len == 0 || action.len == 0)
        return 0;
    (void)snprintf(file, sizeof(file), "controllers/%s%s%.*s_controller.rb",
                   module, module[0] ? "/" : "", (int)controller.len,
                   controller.ptr);
    for (uint32_t i = 0; i < p->len; i++) {
        const struct facts *facts = part_facts(p, i);
        if (facts->lang != LANG_RUBY || !str_ends(p->files[i].path, file))
            continue;
        for (uint32_t d = 1; d < facts->def_len; d++)
            if ((facts->defs[d].kind == CODE_METHOD ||
                 facts->defs[d].kind == CODE_FUNCTION) &&
                str_eq(facts_text(facts, facts->defs[d].name), action))
                return resolve_node(p->r, i, d);
    }
    return 0;
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

static bool
list_has(const struct parts *p, struct at list, str name)
{
    if (part_kind(p, list) == EXPR_STRING)
        return str_eq(part_word(p, list), name);
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++)
        if (str_eq(part_word(p, part_list(p, list, i)), name))
            return true;
    return false;
}

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
    char controller[128];
    char whole[PATH_MAX_LEN + 200];

    (void)snprintf(controller, sizeof(controller), "%.*s%s",
                   (int)(given.len ? given.len : name.len),
                   given.len ? given.ptr : name.ptr,
                   is_plural || given.len ? "" : "s");
    for (size_t i = 0; i < sizeof(rails_actions) / sizeof(rails_actions[0]);
         i++) {
        const struct rails_action *a = &rails_actions[i];
        if ((only.id && !list_has(p, only, str_of(a->name))) ||
            (except.id && list_has(p, except, str_of(a->name))) ||
            (a->is_only_plural && !is_plural))
            continue;
        str last = path.len ? path : name;
        (void)snprintf(
            whole, sizeof(whole), "%s/%.*s%s%.*s%s", c->path, (int)last.len,
            last.ptr, a->is_member && is_plural ? "/:" : "",
            a->is_member && is_plural ? (int)(param.len ? param.len : 2) : 0,
            param.len ? param.ptr : "id", a->tail);
        enter_route(
            p, call, whole, str_of(a->method),
            action_of(p, c->module, str_of(controller), str_of(a->name)));
    }
}

/* ---- single routes ---- */

/* `to: 'home#index'`, `'x' => 'home#index'` */
static struct at
target_of(const struct parts *p, struct at call, str *path)
{
    struct at to = part_named(p, call, "to");
    uint32_t len = part_expr(p, call)->list_len;

    *path = text_arg(p, call, 0);
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

/* `on: :member` of a route in the block of its resource. */
static struct context
context_on(struct parts *p, struct at call, bool is_member)
{
    struct at around = block_call(p, call);
    struct context c = {0};

    if (!around.id)
        return c;
    c = context_of(p, around);
    c.is_member = is_member;
    c.is_collection = !is_member;
    add_block(p, &c, around, true);
    return c;
}

static void
enter_single(struct parts *p, struct at call, struct context *c, str method)
{
    str path;
    struct at to = target_of(p, call, &path);
    str target = to.id && part_kind(p, to) == EXPR_STRING ? part_word(p, to)
                                                          : (str){NULL, 0};
    str on = named_text(p, call, "on");
    const char *hash = target.len ? memchr(target.ptr, '#', target.len) : NULL;
    str controller;
    str action = path;

    if (path.len == 0 && !block_is(p, call, "root"))
        return;
    if (str_eq(on, STR("member")) || str_eq(on, STR("collection")))
        *c = context_on(p, call, str_eq(on, STR("member")));
    controller = str_of(c->controller);
    if (hash) {
        controller = str_cut(target, 0, (size_t)(hash - target.ptr));
        action = str_cut(target, controller.len + 1, target.len);
    }
    add_path(c, path);
    enter_route(p, call, c->path, method,
                action_of(p, c->module, controller, action));
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

static bool
is_routes_file(str path)
{
    return str_ends(path, "config/routes.rb") ||
           (str_ends(path, ".rb") && path.len > 0 &&
            memmem(path.ptr, path.len, "config/routes/", 14));
}

void
routes_rails(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!is_routes_file(p->files[file].path))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL || part_receiver(p, call).id)
            continue;
        str method = block_method(p, call);
        bool is_resource =
            block_is(p, call, "resources") || block_is(p, call, "resource");
        bool is_root = block_is(p, call, "root");
        if (!method.len && !is_resource && !is_root &&
            !block_is(p, call, "match"))
            continue;
        struct context c = context_of(p, call);
        if (!c.is_drawn)
            continue;
        if (is_resource) {
            for (uint32_t k = 0; k < part_args(p, call); k++)
                if (text_arg(p, call, k).len > 0)
                    enter_resource(p, call, &c, text_arg(p, call, k));
        } else if (method.len || is_root) {
            enter_single(p, call, &c, is_root ? STR("GET") : method);
        } else {
            enter_match(p, call, &c);
        }
    }
}
