/*
 * What blocks put before routes, as ActionDispatch's Mapper has it: each block
 * changes the scope that stands around it.  What stands directly in a resource
 * is nested in one of its members, whatever stands there.
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_rails_scope.h"
#include "index/routes_words.h"

void
rails_add(char *path, str text)
{
    size_t len = strlen(path);

    while (text.len > 0 && text.ptr[0] == '/')
        text = str_cut(text, 1, text.len);
    while (text.len > 0 && text.ptr[text.len - 1] == '/')
        text.len--;
    if (text.len > 0)
        (void)snprintf(path + len, RAILS_PATH_MAX - len, "/%.*s", (int)text.len,
                       text.ptr);
}

/* The text of a path, folded; |is_tail| becomes true where what is before it is
 * not known. */
static str
path_of(struct parts *p, struct at expr, char *into, bool *is_tail)
{
    struct buf text = {0};

    into[0] = '\0';
    /* `nil` is no path, and what is before it is known. */
    if (!expr.id || part_kind(p, expr) == EXPR_OTHER)
        return str_of(into);
    struct folded folded = part_text(p, expr, false, &text);
    *is_tail |= !folded.ok || folded.is_tail;
    if (folded.ok)
        (void)snprintf(into, RAILS_PATH_MAX, "%s", buf_cstr(&text));
    p->failed |= text.failed;
    buf_fini(&text);
    return str_of(into);
}

str
rails_option(struct parts *p, struct at call, const char *name)
{
    struct at value = turn_of(p, part_named(p, call, name));

    return value.id && part_kind(p, value) == EXPR_STRING ? part_word(p, value)
                                                          : (str){NULL, 0};
}

str
rails_folded(struct parts *p, struct at expr, char *into, size_t cap)
{
    struct buf text = {0};
    struct folded folded = part_text(p, expr, false, &text);

    into[0] = '\0';
    if (folded.ok && !folded.is_tail)
        (void)snprintf(into, cap, "%s", buf_cstr(&text));
    buf_fini(&text);
    return str_of(into);
}

static void
set(char *into, size_t cap, str text)
{
    (void)snprintf(into, cap, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
}

static void
add_module(struct rails_scope *s, str text)
{
    size_t len = strlen(s->module);

    if (text.len > 0)
        (void)snprintf(s->module + len, sizeof(s->module) - len, "%s%.*s",
                       len ? "/" : "", (int)text.len, text.ptr);
}

/* Puts a path before all that follows. */
static void
add_path(struct rails_scope *s, str text, bool is_tail)
{
    if (is_tail) {
        s->path[0] = '\0';
        s->flat[0] = '\0';
        s->is_tail = true;
    }
    rails_add(s->path, text);
}

bool
rails_is_resource(const struct parts *p, struct at call)
{
    return block_is(p, call, "resources") || block_is(p, call, "resource");
}

static bool
is_in_resource(const struct rails_scope *s)
{
    return s->level == RAILS_RESOURCES || s->level == RAILS_RESOURCE;
}

/* ---- the parts of a resource ---- */

str
rails_action_path(const struct parts *p, const struct rails_scope *s,
                  str action)
{
    for (unsigned i = s->path_name_len; i-- > 0;) {
        struct at given = part_field(p, s->path_names[i], action);
        if (given.id && part_kind(p, given) == EXPR_STRING)
            return part_word(p, given);
    }
    return action;
}

static void
add_param(struct rails_scope *s, bool is_nested)
{
    const struct rails_resource *r = &s->resource;
    char one[160] = "";
    char text[320];

    if (r->is_one)
        return;
    if (is_nested) {
        word_singular(r->name, one, sizeof(one) - 1);
        (void)strncat(one, "_", sizeof(one) - strlen(one) - 1);
    }
    (void)snprintf(text, sizeof(text), ":%s%.*s", one, (int)r->param.len,
                   r->param.ptr);
    rails_add(s->path, str_of(text));
}

void
rails_in(struct parts *p, struct rails_scope *s, enum rails_level level)
{
    bool is_flat =
        s->is_shallow && !s->resource.is_one &&
        (level == RAILS_MEMBER || (level == RAILS_NESTED && s->shallows > 0));

    s->level = level;
    if (is_flat)
        (void)memcpy(s->path, s->flat, sizeof(s->path));
    rails_add(s->path, str_of(s->resource.path));
    if (level == RAILS_MEMBER || level == RAILS_NESTED)
        add_param(s, level == RAILS_NESTED);
    if (level == RAILS_NEW)
        rails_add(s->path, rails_action_path(p, s, STR("new")));
}

/* ---- what options say ---- */

static void
add_lists(const struct parts *p, struct rails_scope *s, struct at call)
{
    struct at only = part_named(p, call, "only");
    struct at except = part_named(p, call, "except");

    if (only.id || except.id) {
        s->only = only;
        s->except = except;
    }
}

static bool
is_true(const struct parts *p, struct at value)
{
    return value.id && !str_eq(part_word(p, value), STR("false")) &&
           part_kind(p, value) != EXPR_OTHER;
}

/* What `scope` and `resources` have in common. */
static void
add_options(struct parts *p, struct rails_scope *s, struct at call)
{
    struct at shallow = part_named(p, call, "shallow");
    struct at names = part_named(p, call, "path_names");

    if (shallow.id)
        s->is_shallow = is_true(p, shallow);
    if (names.id && s->path_name_len < RAILS_NAMES_MAX)
        s->path_names[s->path_name_len++] = names;
    rails_add(s->flat, rails_option(p, call, "shallow_path"));
}

/* Whether an option is given, `nil` or not. */
static bool
has_option(const struct parts *p, struct at call, str name)
{
    for (uint32_t i = 0; i < part_expr(p, call)->list_len; i++) {
        struct at pair = part_list(p, call, i);
        if (part_kind(p, pair) == EXPR_PAIR && str_eq(part_word(p, pair), name))
            return true;
    }
    return false;
}

static void
in_namespace(struct parts *p, struct rails_scope *s, struct at call)
{
    bool is_tail = false;
    str name = rails_text(p, call, 0);
    char text[RAILS_PATH_MAX];
    str path = has_option(p, call, STR("path"))
                   ? path_of(p, part_named(p, call, "path"), text, &is_tail)
                   : name;
    str module = rails_option(p, call, "module");
    str controller = rails_option(p, call, "controller");

    if (is_in_resource(s))
        rails_in(p, s, RAILS_NESTED);
    add_path(s, path, is_tail);
    if (!part_named(p, call, "shallow_path").id)
        rails_add(s->flat, path);
    add_module(s, part_named(p, call, "module").id ? module : name);
    if (controller.len > 0)
        set(s->controller, sizeof(s->controller), controller);
    add_lists(p, s, call);
    add_options(p, s, call);
}

static void
in_scope(struct parts *p, struct rails_scope *s, struct at call)
{
    bool is_tail = false;
    str controller = rails_option(p, call, "controller");
    str action = rails_option(p, call, "action");
    char path[RAILS_PATH_MAX] = "";
    char text[RAILS_PATH_MAX];

    for (uint32_t i = 0; i < part_args(p, call); i++)
        if (part_kind(p, part_arg(p, call, i)) != EXPR_LAMBDA &&
            part_kind(p, part_arg(p, call, i)) != EXPR_OBJECT &&
            part_kind(p, part_arg(p, call, i)) != EXPR_PAIR)
            rails_add(path, path_of(p, part_arg(p, call, i), text, &is_tail));
    if (path[0] == '\0')
        rails_add(path,
                  path_of(p, part_named(p, call, "path"), text, &is_tail));
    add_path(s, str_of(path), is_tail);
    if (s->level != RAILS_NESTED && !part_named(p, call, "shallow_path").id)
        rails_add(s->flat, str_of(path));
    add_module(
        s, rails_folded(p, part_named(p, call, "module"), text, sizeof(text)));
    if (controller.len > 0)
        set(s->controller, sizeof(s->controller), controller);
    if (action.len > 0)
        set(s->action, sizeof(s->action), action);
    add_lists(p, s, call);
    add_options(p, s, call);
}

/* `mount Name::Engine => '/x'`, `mount Name::Engine, at: '/x'` */
static void
in_mount(struct parts *p, struct rails_scope *s, struct at call)
{
    bool is_tail = false;
    struct at value = part_named(p, call, "at");
    const struct fact_expr *row = part_expr(p, call);

    for (uint32_t i = 0; i < row->list_len && !value.id; i++) {
        struct at pair = part_list(p, call, i);
        if (part_kind(p, pair) == EXPR_PAIR && !part_expr(p, pair)->text)
            value.id = part_expr(p, pair)->a;
    }
    if (is_in_resource(s))
        rails_in(p, s, RAILS_NESTED);
    char path[RAILS_PATH_MAX];
    str at = path_of(p, value, path, &is_tail);
    add_path(s, at, is_tail);
    /* Its own routes are drawn for it alone. */
    (void)memcpy(path, s->path, sizeof(path));
    is_tail = s->is_tail;
    *s = (struct rails_scope){.is_tail = is_tail};
    (void)memcpy(s->path, path, sizeof(path));
    (void)memcpy(s->flat, path, sizeof(path));
}

void
rails_in_block(struct parts *p, struct rails_scope *s, struct at call)
{
    if (block_is(p, call, "namespace"))
        in_namespace(p, s, call);
    else if (block_is(p, call, "scope"))
        in_scope(p, s, call);
    else if (block_is(p, call, "shallow"))
        s->is_shallow = true;
    else if (block_is(p, call, "controller"))
        set(s->controller, sizeof(s->controller), rails_text(p, call, 0));
    else if (block_is(p, call, "member"))
        rails_in(p, s, RAILS_MEMBER);
    else if (block_is(p, call, "collection"))
        rails_in(p, s, RAILS_COLLECTION);
    else if (block_is(p, call, "new"))
        rails_in(p, s, RAILS_NEW);
    else if (block_is(p, call, "nested"))
        rails_in(p, s, RAILS_NESTED);
    else if (block_is(p, call, "mount"))
        in_mount(p, s, call);
}

/* ---- resources ---- */

static void
name_controller(struct rails_resource *r, str name, str given)
{
    if (given.len > 0 || !r->is_one)
        set(r->controller, sizeof(r->controller), given.len > 0 ? given : name);
    else
        word_plural(name, r->controller, sizeof(r->controller));
}

void
rails_in_resource(struct parts *p, struct rails_scope *s, struct at call,
                  str name)
{
    bool is_tail = false;
    struct rails_resource *r = &s->resource;
    struct at path = part_named(p, call, "path");
    str as = rails_option(p, call, "as");
    str param = rails_option(p, call, "param");

    s->is_shallow |= is_true(p, part_named(p, call, "shallow"));
    if (is_in_resource(s))
        rails_in(p, s, RAILS_NESTED);
    add_options(p, s, call);
    add_module(s, rails_option(p, call, "module"));
    *r = (struct rails_resource){
        .is_one = block_is(p, call, "resource"),
        .is_shallow = s->is_shallow,
        .name = as.len > 0 ? as : name,
        .param = param.len > 0 ? param : STR("id"),
        .only = part_named(p, call, "only"),
        .except = part_named(p, call, "except"),
    };
    if (path.id && part_kind(p, path) != EXPR_OTHER)
        (void)path_of(p, path, r->path, &is_tail);
    else
        set(r->path, sizeof(r->path), name);
    if (is_tail)
        add_path(s, (str){NULL, 0}, true);
    if (!r->only.id && !r->except.id) {
        r->only = s->only;
        r->except = s->except;
    }
    name_controller(r, name, rails_option(p, call, "controller"));
    (void)memcpy(s->controller, r->controller, sizeof(s->controller));
    s->shallows += s->is_shallow;
    s->level = r->is_one ? RAILS_RESOURCE : RAILS_RESOURCES;
}
