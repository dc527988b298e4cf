/*
 * grpc-gateway: what registers the handlers that are generated of a service,
 * `pb.RegisterCartHandlerServer(ctx, mux, cart)`, serves by HTTP those of its
 * rpcs that say where:
 *
 *     rpc Get (A) returns (B) {
 *       option (google.api.http) = { get: "/v1/{name}" };
 *     }
 */
#include "graph/routes.h"
#include "index/routes_grpc.h"
#include "index/routes_router.h"

struct binding {
    struct parts *p;
    struct emit_route route;
};

static void
tell(struct binding *b, str method, struct at path)
{
    struct buf canonical = {0};

    if (method.len == 0 || !path.id || part_kind(b->p, path) != EXPR_STRING)
        return;
    b->route.method = str_eq(method, STR("*")) ? STR("ANY") : method;
    b->route.raw = part_word(b->p, path);
    bool ok = route_canonical(b->route.raw, 0, &canonical);
    b->route.canonical = buf_str(&canonical);
    if (ok && !canonical.failed)
        emit_route(b->p, &b->route);
    b->p->failed |= canonical.failed;
    buf_fini(&canonical);
}

static str
method_of(str key)
{
    static const char *const methods[][2] = {
        {"get", "GET"},       {"put", "PUT"},     {"post", "POST"},
        {"delete", "DELETE"}, {"patch", "PATCH"},
    };

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (str_eq(key, str_of(methods[i][0])))
            return str_of(methods[i][1]);
    return (str){NULL, 0};
}

/* |rule| has pairs; additional bindings have none of their own. */
static void
tell_rule(struct binding *b, struct at rule, bool is_first)
{
    struct parts *p = b->p;

    for (uint32_t i = 0; i < part_expr(p, rule)->list_len; i++) {
        struct at pair = part_list(p, rule, i);
        struct at value = {pair.file, part_expr(p, pair)->a};
        str key = part_word(p, pair);
        if (part_kind(p, pair) != EXPR_PAIR)
            continue;
        str method = method_of(key);
        if (method.len > 0)
            tell(b, method, value);
        else if (str_eq(key, STR("custom")))
            tell(b, part_word(p, part_field(p, value, STR("kind"))),
                 part_field(p, value, STR("path")));
        if (!is_first || !str_eq(key, STR("additional_bindings")))
            continue;
        if (part_kind(p, value) != EXPR_ARRAY)
            tell_rule(b, value, false);
        for (uint32_t k = 0; part_kind(p, value) == EXPR_ARRAY &&
                             k < part_expr(p, value)->list_len;
             k++)
            tell_rule(b, part_list(p, value, k), false);
    }
}

static void
tell_rpc(struct binding *b, struct at rpc)
{
    struct parts *p = b->p;
    const struct fact_def *row = part_def(p, rpc);

    for (uint32_t i = 0; i < row->marks_len; i++) {
        struct at mark = {rpc.file,
                          part_facts(p, rpc.file)->lists[row->marks_at + i]};
        if (part_kind(p, mark) == EXPR_CALL &&
            str_eq(part_word(p, part_callee(p, mark)), STR("google.api.http")))
            tell_rule(b, mark, true);
    }
}

static uint32_t
registered(struct parts *p, struct at callee)
{
    static const char *const ends[] = {"HandlerServer", "HandlerFromEndpoint",
                                       "HandlerClient", "Handler"};
    uint32_t service = UINT32_MAX;

    for (size_t i = 0;
         i < sizeof(ends) / sizeof(ends[0]) && service == UINT32_MAX; i++)
        service =
            grpc_service_between(p, part_word(p, callee), "Register", ends[i]);
    if (service == UINT32_MAX || !grpc_is_generated(p, callee))
        return UINT32_MAX;
    return grpc_service_from(p, callee, service);
}

static void
look_at(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);
    uint32_t service = registered(p, callee);

    if (service == UINT32_MAX || part_args(p, call) < 3)
        return;
    struct at of = p->services[service].def;
    struct at impl = p->services[service].impl;
    struct binding b = {
        p,
        {.kind = CODE_ROUTE,
         .edge = CODE_HANDLES_ROUTE,
         .framework = STR("grpc-gateway"),
         .file = call.file,
         .site = {part_expr(p, call)->line, part_expr(p, call)->col}}};
    if (str_ends(part_word(p, callee), STR("HandlerServer")))
        impl = grpc_impl(p, part_arg(p, call, 2));
    for (uint32_t d = of.id + 1; d < part_facts(p, of.file)->def_len; d++) {
        struct at rpc = {of.file, d};
        const struct fact_def *row = part_def(p, rpc);
        if (row->parent != of.id || row->kind != CODE_METHOD)
            continue;
        b.route.handler = grpc_answer(p, impl, part_str(p, of.file, row->name));
        tell_rpc(&b, rpc);
    }
}

void
routes_gateway(struct parts *p)
{
    for (uint32_t f = 0; f < p->len && p->service_len > 0; f++) {
        const struct facts *facts = part_facts(p, f);
        if (facts->lang != LANG_GO ||
            facts->flags & (FACTS_TEST | FACTS_GENERATED))
            continue;
        for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++)
            if (facts->exprs[i].kind == EXPR_CALL)
                look_at(p, (struct at){f, i});
    }
}
