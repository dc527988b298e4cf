/*
 * A table by shape; each takes a call whose receiver is known to be a router
 * of the rule's framework.
 */
#include "index/routes_verbs.h"
#include "index/routes_called.h"
#include "index/routes_methods.h"
#include "index/routes_php_include.h"

#include <string.h>

#include "index/routes_turns.h"
#include "index/routes_wrapped.h"

bool
verb_path(struct parts *p, struct at expr, struct verb_path *out)
{
    struct buf text = {0};
    bool is_regex = part_kind(p, part_bare(p, expr)) == EXPR_REGEX;

    if (is_regex) /* as Express's spans tell it */
        buf_add_char(&text, '/');
    struct folded folded = part_text(p, expr, false, &text);
    if (is_regex)
        buf_add_char(&text, '/');
    if (folded.is_tail && text_is_torn(buf_str(&text)))
        folded.ok = false;

    if (folded.ok)
        *out = (struct verb_path){texts_add(&p->texts, buf_str(&text)),
                                  folded.is_tail};
    p->failed |= p->texts.failed;
    buf_fini(&text);
    return folded.ok;
}

bool
verb_prefix(struct parts *p, struct at expr, struct verb_path *out)
{
    if (!part_is_choice(p, expr))
        return verb_path(p, expr, out);
    *out = (struct verb_path){0, true};
    return true;
}

static void
enter_one(const struct verb_call *v, str method, struct verb_path path,
          uint32_t handler)
{
    char upper[32];
    struct parts *p = v->p;

    enum framework framework = (enum framework)p->routers[v->router].framework;
    struct route_version version = {0, 0};

    if (!settings_cut(p, framework, &path))
        return;
    if (framework == FW_SANIC)
        path.is_tail |= !sanic_version(p, v->call, &version);

    if (str_eq(method, STR("*")) || method.len == 0)
        method = STR("ANY");
    method = str_upper(method, upper, sizeof(upper));
    entry_add(p, &(struct route_entry){
                     .router = v->router,
                     .flags = (path.is_tail ? ENTRY_TAIL : 0) |
                              (v->rule->shape == VERB_BARE ? ENTRY_BARE : 0),
                     .handler = handler,
                     .method = texts_add(&p->texts, method),
                     .path = path.text,
                     .version = version,
                     .at = v->call,
                     .framework = (uint8_t)framework,
                 });
}

/* Of Slim, a route for each of the ends that a path may have. */
static void
enter(const struct verb_call *v, str method, struct verb_path path,
      uint32_t handler)
{
    struct parts *p = v->p;
    struct buf text = {0};

    if (p->routers[v->router].framework != FW_SLIM) {
        enter_one(v, method, path, handler);
        return;
    }
    for (unsigned n = 0;
         slim_optional(texts_get(&p->texts, path.text), n, &text); n++) {
        struct verb_path one = {texts_add(&p->texts, buf_str(&text)),
                                path.is_tail};
        enter_one(v, method, one, handler);
        buf_reset(&text);
    }
    p->failed |= text.failed || p->texts.failed;
    buf_fini(&text);
}

/* Express tells a list of paths as one, with commas. */
static bool
enter_joined(const struct verb_call *v, str method, struct at list,
             uint32_t handler)
{
    struct parts *p = v->p;
    struct buf all = {0};
    bool ok = true;

    for (uint32_t i = 0; i < part_expr(p, list)->list_len && ok; i++) {
        if (i > 0)
            buf_add_char(&all, ',');
        ok = part_text(p, part_list(p, list, i), false, &all).ok;
    }
    if (ok && !all.failed)
        enter(v, method,
              (struct verb_path){texts_add(&p->texts, buf_str(&all)), false},
              handler);
    buf_fini(&all);
    return ok;
}

bool
verb_route(const struct verb_call *v, str method, struct at path,
           uint32_t handler)
{
    struct parts *p = v->p;
    struct verb_path one;
    bool any = false;

    path = part_bare(p, path);
    if (part_kind(p, path) == EXPR_ARRAY) {
        if (p->routers[v->router].framework == FW_EXPRESS)
            return enter_joined(v, method, path, handler);
        for (uint32_t i = 0; i < part_expr(p, path)->list_len; i++)
            if (verb_path(p, part_list(p, path, i), &one)) {
                enter(v, method, one, handler);
                any = true;
            }
        return any;
    }
    if (!verb_path(p, path, &one))
        return false;
    enter(v, method, one, handler);
    return true;
}

bool
verb_routes(const struct verb_call *v, struct at methods, struct at path,
            uint32_t handler)
{
    struct parts *p = v->p;
    struct at all[METHODS_MAX];
    struct buf text = {0};
    uint32_t len = 0;
    bool any = false;

    if (method_list(p, methods, all, &len)) {
        for (uint32_t i = 0; i < len; i++) {
            str word = method_word(p, all[i], &text);
            any |= word.len > 0 && verb_route(v, word, path, handler);
        }
    } else {
        any = verb_route(v, method_word(p, methods, &text), path, handler);
    }
    buf_fini(&text);
    return any;
}

void
verb_root(const struct verb_call *v, str method, struct at methods,
          uint32_t handler)
{
    struct parts *p = v->p;
    struct at all[METHODS_MAX];
    struct buf text = {0};
    struct verb_path none = {0, false};
    uint32_t len = 0;

    if (methods.id && method_list(p, methods, all, &len)) {
        for (uint32_t i = 0; i < len; i++)
            enter(v, method_word(p, all[i], &text), none, handler);
    } else {
        enter(v, methods.id ? method_word(p, methods, &text) : method, none,
              handler);
    }
    buf_fini(&text);
}

/* ---- routes ---- */

/* `route('/x').get(handler)`: the path is that of the chain. */
static bool
is_chain(const struct verb_call *v)
{
    const struct router *router = &v->p->routers[v->router];

    if (router->space != SPACE_EXPR)
        return false;
    enum expr_kind kind = part_kind(v->p, router->at);
    if (kind != EXPR_CALL)
        return false;
    const struct verb_rule *rule =
        verb_find(v->p, (enum framework)router->framework,
                  part_word(v->p, part_callee(v->p, router->at)));
    return rule && rule->shape == VERB_CHAIN;
}

/* `router.get("/x").handler(h)`: the chain has the method, too. */
static str
chain_method(const struct verb_call *v)
{
    struct at chain = v->p->routers[v->router].at;
    const struct verb_rule *rule;

    if (v->rule->detail)
        return str_of(v->rule->detail);
    rule = verb_find(v->p, (enum framework)v->rule->framework,
                     part_word(v->p, part_callee(v->p, chain)));
    return str_of(rule ? rule->detail : NULL);
}

/* The same of a chain whose path a caller says, each another. */
static bool
verb_chained(const struct verb_call *v, uint32_t handler)
{
    struct parts *p = v->p;
    struct at chain = p->routers[v->router].at;
    struct verb_call base = *v;

    if (!p->turn || !p->turn->call.id)
        return false;
    base.router = router_of(p, part_receiver(p, chain));
    return base.router &&
           verb_route(&base, chain_method(v), part_arg(p, chain, 0), handler);
}

static void
verb_plain(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at last = part_last(p, v->call);
    struct at options = part_named(p, v->call, "handler");
    struct at object;

    if (is_chain(v)) {
        uint32_t handler = part_handler(p, last);
        if (!verb_chained(v, handler))
            enter(v, chain_method(v), (struct verb_path){0, false}, handler);
        return;
    }
    struct at path = plain_path(v);
    bool is_own = path.id == part_arg(p, v->call, 0).id;
    uint32_t args = part_args(p, v->call) + (options.id != 0);
    if (!path.id || args < 1U + is_own || !v->rule->detail)
        return;
    uint32_t handler = part_handler(p, last);
    if (!handler && !options.id && part_literal(p, last, &object))
        options = part_named(p, object, "handler");
    if (!handler && options.id)
        handler = part_handler(p, options);
    (void)verb_route(v, str_of(v->rule->detail), path, handler);
}

static void
verb_next(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at path = part_arg(p, v->call, 0);
    struct at second = part_arg(p, v->call, 1);
    struct verb_call base = *v;
    struct at type;

    if (!second.id)
        return;
    if (v->rule->framework == FW_SPARK)
        base.router = java_within(p, v->call, v->router);
    uint32_t handler = part_handler(p, second);
    if (!handler && verb_class_of(p, second, &type) &&
        verb_class(&base, type, path) > 0)
        return;
    (void)verb_route(&base, str_of(v->rule->detail), path, handler);
}

static void
verb_method(const struct verb_call *v)
{
    struct parts *p = v->p;

    if (part_args(p, v->call) < 3)
        return;
    bool is_third = v->rule->framework == FW_ECHO ||
                    str_eq(str_of(v->rule->name), STR("HandleEX"));
    struct at handler =
        is_third ? part_arg(p, v->call, 2) : part_last(p, v->call);
    bool swaps = v->rule->detail != NULL;
    (void)verb_routes(v, part_arg(p, v->call, swaps),
                      part_arg(p, v->call, !swaps), part_handler(p, handler));
}

/* Go: "GET example.com/p/{id}"; told from the first slash on.  Of `m + " /p"`
 * the method is not known, but all of the path is. */
static void
verb_pattern(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct buf text = {0};
    struct at handler = part_arg(p, v->call, 1);
    struct folded folded = part_text(p, part_arg(p, v->call, 0), false, &text);

    if (folded.ok && handler.id && !router_within(p, handler)) {
        str whole = buf_str(&text);
        size_t space = 0;
        while (space < whole.len && !strchr(" \t", whole.ptr[space]))
            space++;
        str method = space < whole.len ? str_cut(whole, 0, space) : STR("ANY");
        const char *slash = memchr(whole.ptr, '/', whole.len);
        size_t at = slash ? (size_t)(slash - whole.ptr) : whole.len;
        text_id path = texts_add(&p->texts, str_cut(whole, at, whole.len));
        uint32_t from = p->entry_len;
        if (slash)
            enter(
                v, method,
                (struct verb_path){path, folded.is_tail && space == whole.len},
                part_handler(p, handler));
        /* Of `/` people mean the front page; of chi no path means more. */
        bool is_below = v->rule->framework != FW_CHI && at + 1 < whole.len &&
                        whole.ptr[whole.len - 1] == '/';
        for (; is_below && from < p->entry_len; from++)
            p->entries[from].flags |= ENTRY_BELOW;
    }
    buf_fini(&text);
}

static void
verb_list(const struct verb_call *v)
{
    if (v->rule->framework == FW_AIOHTTP)
        verb_web_list(v);
}

/* Of GraphQL, what answers is no router, but all there is of a route. */
static bool
is_endpoint(struct parts *p, struct at expr)
{
    static const char *const makers[] = {
        "@apollo/server/express4.expressMiddleware",
        "@as-integrations/express4.expressMiddleware",
        "@as-integrations/express5.expressMiddleware",
        "express-graphql.graphqlHTTP",
        "graphql-http/lib/use/express.createHandler",
        "graphql-yoga.createYoga",
    };

    expr = part_bare(p, expr);
    if (part_kind(p, expr) == EXPR_NAME)
        expr = part_bare(p, part_bound(p, expr));
    if (!expr.id || part_kind(p, expr) != EXPR_CALL)
        return false;
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
        if (part_is(p, part_callee(p, expr), makers[i]))
            return true;
    return false;
}

/* Connect's middlewares are its routes. */
static void
verb_used(const struct verb_call *v)
{
    struct at last = part_last(v->p, v->call);
    bool is_connect = v->rule->framework == FW_CONNECT;

    if (part_args(v->p, v->call) > 1 && !router_within(v->p, last) &&
        (is_connect || is_endpoint(v->p, last)))
        (void)verb_route(v, STR("ANY"), part_arg(v->p, v->call, 0),
                         is_connect ? part_handler(v->p, last) : 0);
}

static verb_fn *const route_shapes[VERB_SHAPE_END] = {
    [VERB_ACTIX] = verb_actix,     [VERB_PLACE] = verb_place,
    [VERB_INCLUDE] = verb_list,    [VERB_USE] = verb_used,
    [VERB_ROUTE] = verb_plain,     [VERB_NEXT] = verb_next,
    [VERB_METHOD] = verb_method,   [VERB_PATTERN] = verb_pattern,
    [VERB_MARK] = verb_mark,       [VERB_OBJECT] = verb_object,
    [VERB_AXUM] = verb_axum,       [VERB_MUX] = verb_mux,
    [VERB_KOA] = verb_koa,         [VERB_RESOURCE] = verb_resource,
    [VERB_WEB] = verb_web,         [VERB_ANSWER] = verb_vertx,
    [VERB_OPENAPI] = verb_openapi, [VERB_BARE] = verb_mark,
    [VERB_UTOIPA] = verb_utoipa,   [VERB_GOZERO] = verb_gozero,
};

/* ---- calls ---- */

struct calls {
    struct parts *p;
    struct at call;
    bool nest_only;
};

/* `get` of `r.get(...)`, `r['get'](...)`, and `r[t.method](...)` in a loop. */
static str
verb_word(struct parts *p, struct at callee, struct buf *text)
{
    buf_reset(text);
    if (part_kind(p, callee) == EXPR_MEMBER)
        return part_word(p, callee);
    bool is_one = part_kind(p, callee) == EXPR_INDEX &&
                  part_expr(p, callee)->list_len == 1 &&
                  part_text(p, part_list(p, callee, 0), false, text).ok;
    return is_one ? buf_str(text) : STR("");
}

static void
verb_call(void *ctx)
{
    const struct calls *calls = ctx;
    struct parts *p = calls->p;
    struct at callee = part_callee(p, calls->call);
    struct buf text = {0};
    str word = verb_word(p, callee, &text);
    uint32_t router = 0;
    const struct verb_rule *rule = NULL;

    if (word.len > 0 && verb_is_known(p, word) && !verb_is_own(p, callee))
        router =
            router_of(p, (struct at){callee.file, part_expr(p, callee)->a});
    if (router)
        rule = verb_find(p, (enum framework)p->routers[router].framework, word);
    buf_fini(&text);
    struct verb_call v = {
        .p = p, .call = calls->call, .router = router, .rule = rule};
    if (!v.router && !calls->nest_only && part_kind(p, callee) == EXPR_MEMBER &&
        verb_is_known(p, part_word(p, callee)) && verb_handed(&v))
        verb_plain(&v);
    else if (v.rule && calls->nest_only)
        verb_nest(&v);
    else if (v.rule && route_shapes[v.rule->shape] && !verb_is_strange(&v))
        route_shapes[v.rule->shape](&v);
}

/* `app.get(path, h)`, `app[method](path, h)`, whatever path it is. */
static bool
is_put(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);
    enum expr_kind kind = part_kind(p, callee);

    if (kind != EXPR_INDEX &&
        (kind != EXPR_MEMBER || !verb_is_known(p, part_word(p, callee)) ||
         verb_is_own(p, callee)))
        return false;
    uint32_t router =
        router_of(p, (struct at){callee.file, part_expr(p, callee)->a});
    if (!router || kind == EXPR_INDEX)
        return router != 0;
    const struct verb_rule *rule = verb_find(
        p, (enum framework)p->routers[router].framework, part_word(p, callee));
    return rule && route_shapes[rule->shape];
}

void
verb_calls(struct parts *p, uint32_t file, bool nest_only)
{
    const struct called_file *called = called_in(p, file);

    for (uint32_t i = 0; i < called->len && !p->failed; i++) {
        struct calls calls = {p, {file, called->calls[i].expr}, nest_only};
        if (!(called->calls[i].rules & CALLED_VERB))
            continue;
        if (!nest_only && is_put(p, calls.call) &&
            wrapped_each(p, calls.call, verb_call, &calls))
            continue;
        if (called->has_loops)
            turn_each(p, calls.call, verb_call, &calls);
        else
            verb_call(&calls);
    }
}
