/*
 * Who serves: calls of what generators make of a service, by its name.  What
 * answers may be declared as the generated interface, `NewCart()
 * pb.CartServer`: then it is what the function returns, or the variable was
 * given.
 */
#include "index/routes_grpc.h"

/* ---- what answers ---- */

enum { IMPL_DEPTH = 4 };

static bool
type_of(struct parts *p, struct at expr, struct at *out)
{
    struct value value;

    bool known = resolve_type(p->r, expr, &value) && value.kind == VALUE_DEF;
    if (!known)
        known = resolve_value(p->r, expr, &value) && value.kind == VALUE_DEF;
    *out = value.at;
    return known;
}

static struct at impl_at(struct parts *p, struct at expr, unsigned depth);

/* Of several that a function returns none is meant, nor of what it is given. */
static struct at
impl_returned(struct parts *p, struct at call, unsigned depth)
{
    enum { RETURNS_MAX = 8 };
    struct at found = {call.file, 0};
    struct at maker;

    if (part_kind(p, call) != EXPR_CALL ||
        !part_function(p, part_callee(p, call), &maker))
        return found;
    for (uint32_t i = 0; i < RETURNS_MAX; i++) {
        struct at value = part_returned(p, maker, i);
        struct at one =
            value.id ? impl_at(p, value, depth + 1) : (struct at){0};
        if (!one.id)
            continue;
        if (found.id && (found.file != one.file || found.id != one.id))
            return (struct at){call.file, 0};
        found = one;
    }
    return found;
}

static struct at
impl_at(struct parts *p, struct at expr, unsigned depth)
{
    struct at declared = {expr.file, 0};
    struct at made;

    expr = part_bare(p, expr);
    if (!expr.id || depth == IMPL_DEPTH)
        return declared;
    bool is_declared = type_of(p, expr, &declared);
    if (is_declared && part_def(p, declared)->kind != CODE_INTERFACE)
        return declared;
    if (part_kind(p, expr) == EXPR_NAME && part_bound(p, expr).id)
        made = impl_at(p, part_bound(p, expr), depth + 1);
    else
        made = impl_returned(p, expr, depth);
    return made.id || !is_declared ? made : declared;
}

struct at
grpc_impl(struct parts *p, struct at expr)
{
    return impl_at(p, expr, 0);
}

/* ---- calls ---- */

/* JavaScript: addService(proto.shop.Cart.service, {...}). */
static uint32_t
added_service(struct parts *p, struct at call)
{
    struct at what = part_bare(p, part_arg(p, call, 0));

    if (part_kind(p, what) == EXPR_MEMBER &&
        str_eq(part_word(p, what), STR("service")))
        what.id = part_expr(p, what)->a;
    uint32_t service = grpc_service_between(p, part_word(p, what), "", "");
    if (service == UINT32_MAX)
        service = grpc_service_between(p, part_word(p, what), "", "Service");
    return grpc_service_from(p, what, service);
}

/* tonic: `CartServer::new(cart)` */
static struct grpc_served
made_in_rust(struct parts *p, struct at call)
{
    static const char *const makers[] = {"new", "with_interceptor", "from_arc"};
    struct at owner = part_receiver(p, call);
    str word = part_word(p, part_callee(p, call));
    struct grpc_served served = {UINT32_MAX, part_arg(p, call, 0)};

    for (size_t i = 0; owner.id && i < sizeof(makers) / sizeof(makers[0]); i++)
        if (str_eq(word, str_of(makers[i])))
            served.service = grpc_service_from(
                p, owner,
                grpc_service_between(p, part_word(p, owner), "", "Server"));
    return served;
}

bool
grpc_is_generated(struct parts *p, struct at callee)
{
    struct at def;

    return part_kind(p, callee) == EXPR_MEMBER &&
           (!part_function(p, callee, &def) ||
            part_facts(p, def.file)->flags & FACTS_GENERATED);
}

/* `s.RegisterService(&pb.Cart_ServiceDesc, cart)`; what connect-go and Twirp
 * make to be mounted: `NewCartHandler(cart)`, `NewCartServer(cart)` */
static struct grpc_served
made_in_go(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);
    str word = part_word(p, callee);

    if (str_eq(word, STR("RegisterService"))) {
        struct at desc = part_bare(p, part_arg(p, call, 0));
        uint32_t of =
            grpc_service_between(p, part_word(p, desc), "", "_ServiceDesc");
        return (struct grpc_served){grpc_service_from(p, desc, of),
                                    part_arg(p, call, 1)};
    }
    uint32_t service = grpc_service_between(p, word, "New", "Handler");
    if (service == UINT32_MAX)
        service = grpc_service_between(p, word, "New", "Server");
    if (service != UINT32_MAX && !grpc_is_generated(p, callee))
        service = UINT32_MAX;
    return (struct grpc_served){grpc_service_from(p, callee, service),
                                part_arg(p, call, 0)};
}

struct grpc_served
grpc_served_by(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);
    str word = part_word(p, callee);
    struct grpc_served none = {UINT32_MAX, {call.file, 0}};
    uint32_t service;

    if ((service = grpc_service_between(p, word, "Register", "Server")) !=
        UINT32_MAX)
        return (struct grpc_served){grpc_service_from(p, callee, service),
                                    part_arg(p, call, 1)};
    if ((service = grpc_service_between(p, word, "add_",
                                        "Servicer_to_server")) != UINT32_MAX)
        return (struct grpc_served){grpc_service_from(p, callee, service),
                                    part_arg(p, call, 0)};
    if (str_eq(word, STR("addService")) && part_args(p, call) == 2)
        return (struct grpc_served){added_service(p, call),
                                    part_arg(p, call, 1)};
    if (part_facts(p, call.file)->lang == LANG_RUST)
        return made_in_rust(p, call);
    return part_facts(p, call.file)->lang == LANG_GO ? made_in_go(p, call)
                                                     : none;
}
