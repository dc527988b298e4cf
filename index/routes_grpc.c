/*
 * gRPC.  Services and their methods come from .proto files; the code that
 * generators make of them is known by its names: what registers, extends or
 * calls `RegisterCartServer`, `CartImplBase`, `CartStub` means the service
 * `Cart`.
 */
#include <string.h>

#include "base/grow.h"
#include "index/routes_asked.h"
#include "index/routes_grpc.h"
#include "index/routes_marks.h"

enum { NAME_MAX_LEN = 128 };

/* ---- names ---- */

static str
lower_camel(str name, char *into)
{
    size_t len = name.len < NAME_MAX_LEN ? name.len : NAME_MAX_LEN;

    memcpy(into, name.ptr, len);
    if (len > 0 && into[0] >= 'A' && into[0] <= 'Z')
        into[0] = (char)(into[0] + 32);
    return (str){into, len};
}

static str
snake(str name, char *into)
{
    size_t len = 0;

    for (size_t i = 0; i < name.len && len + 2 < NAME_MAX_LEN; i++) {
        char c = name.ptr[i];
        bool is_upper = c >= 'A' && c <= 'Z';
        if (is_upper && i > 0 &&
            !(name.ptr[i - 1] >= 'A' && name.ptr[i - 1] <= 'Z'))
            into[len++] = '_';
        into[len++] = (char)(is_upper ? c + 32 : c);
    }
    return (str){into, len};
}

static bool
is_called(str name, str rpc)
{
    char text[NAME_MAX_LEN];

    return str_eq(name, rpc) || str_eq(name, lower_camel(rpc, text)) ||
           str_eq(name, snake(rpc, text));
}

static str
def_name(const struct parts *p, struct at def)
{
    return part_str(p, def.file, part_def(p, def)->name);
}

static str
package_of(const struct parts *p, struct at def)
{
    return part_str(p, def.file, part_facts(p, def.file)->package);
}

uint32_t
grpc_service_between(const struct parts *p, str word, const char *before,
                     const char *after)
{
    size_t front = strlen(before);

    if (!str_starts(word, str_of(before)) || !str_ends(word, str_of(after)) ||
        word.len <= front + strlen(after))
        return UINT32_MAX;
    str name = str_cut(word, front, word.len - strlen(after));
    for (uint32_t i = 0; i < p->service_len; i++)
        if (str_eq(def_name(p, p->services[i].def), name))
            return i;
    return UINT32_MAX;
}

/* ---- services ---- */

static void
add_service(struct parts *p, struct at def)
{
    if (!grow_room(p->services, p->service_len, p->service_cap)) {
        p->failed = true;
        return;
    }
    p->services[p->service_len++] = (struct grpc_service){.def = def};
}

void
grpc_open(struct parts *p)
{
    char text[NAME_MAX_LEN];

    for (uint32_t i = 0; i < p->len && !p->failed; i++) {
        const struct facts *facts = part_facts(p, i);
        if (facts->lang != LANG_PROTO)
            continue;
        for (uint32_t d = 1; d < facts->def_len; d++) {
            const struct fact_def *def = &facts->defs[d];
            str name = facts_text(facts, def->name);
            if (def->kind == CODE_INTERFACE)
                add_service(p, (struct at){i, d});
            if (def->kind != CODE_METHOD)
                continue;
            texts_add(&p->rpc_names, name);
            texts_add(&p->rpc_names, lower_camel(name, text));
            texts_add(&p->rpc_names, snake(name, text));
        }
    }
    p->failed |= p->rpc_names.failed;
}

static void
tell_rpc(struct parts *p, uint32_t service, struct at rpc,
         const struct emit_route *how)
{
    struct at def = p->services[service].def;
    str package = package_of(p, def);
    struct buf name = {0};
    struct emit_route route = *how;

    buf_add(&name, package);
    if (package.len > 0)
        buf_add_char(&name, '.');
    buf_add(&name, def_name(p, def));
    buf_add_char(&name, '/');
    buf_add(&name, def_name(p, rpc));
    route.kind = CODE_RPC;
    route.raw = buf_str(&name);
    route.canonical = buf_str(&name);
    route.framework = STR("grpc");
    if (!name.failed)
        emit_route(p, &route);
    p->failed |= name.failed;
    buf_fini(&name);
}

/* The function that a type, or an object of functions, has for an rpc. */
static uint32_t
answer_of(struct parts *p, struct at type, struct at object, str rpc)
{
    char text[NAME_MAX_LEN];
    str names[] = {rpc, lower_camel(rpc, text)};
    char lower[NAME_MAX_LEN];
    uint32_t node = 0;

    for (size_t i = 0; i < 2 && !node; i++) {
        if (type.id)
            node = part_method_of(p, type, names[i]);
        if (!node && object.id) {
            struct at value = part_field(p, object, names[i]);
            node = value.id ? part_handler(p, value) : 0;
        }
    }
    if (!node && type.id)
        node = part_method_of(p, type, snake(rpc, lower));
    return node;
}

uint32_t
grpc_answer(struct parts *p, struct at type, str rpc)
{
    return answer_of(p, type, (struct at){type.file, 0}, rpc);
}

static void
serve(struct parts *p, uint32_t service, struct at type, struct at object,
      struct emit_route how)
{
    struct at def = p->services[service].def;
    const struct facts *facts = part_facts(p, def.file);

    p->services[service].is_served = true;
    if (!p->services[service].impl.id)
        p->services[service].impl = type;
    for (uint32_t d = 1; d < facts->def_len; d++) {
        struct at rpc = {def.file, d};
        if (facts->defs[d].parent != def.id ||
            facts->defs[d].kind != CODE_METHOD)
            continue;
        how.handler = answer_of(p, type, object, def_name(p, rpc));
        how.edge = CODE_HANDLES_ROUTE;
        tell_rpc(p, service, rpc, &how);
    }
}

/* ---- who serves ---- */

static void
look_at_server(struct parts *p, struct at call)
{
    struct grpc_served served = grpc_served_by(p, call);
    struct at type = {call.file, 0};
    struct at object = {call.file, 0};

    if (served.service == UINT32_MAX || !served.impl.id)
        return;
    if (!part_literal(p, served.impl, &object)) {
        object.id = 0;
        type = grpc_impl(p, served.impl);
    }
    serve(p, served.service, type, object,
          (struct emit_route){
              .file = call.file,
              .site = {part_expr(p, call)->line, part_expr(p, call)->col}});
}

/* `extends CartGrpc.CartImplBase`, `: Cart.CartBase`, `: public Cart::Service`,
 * `< Shop::Cart::Service` */
static uint32_t
extended_service(struct parts *p, struct at base)
{
    base = part_bare(p, base);
    str word = part_word(p, base);
    str owner = {NULL, 0};

    if (part_kind(p, base) == EXPR_MEMBER)
        owner = part_word(p, (struct at){base.file, part_expr(p, base)->a});
    if (str_eq(word, STR("Service")))
        return grpc_service_from(p, base,
                                 grpc_service_between(p, owner, "", ""));
    uint32_t service = grpc_service_between(p, word, "", "CoroutineImplBase");
    if (service == UINT32_MAX)
        service = grpc_service_between(p, word, "", "ImplBase");
    if (service == UINT32_MAX && owner.len > 0)
        service = grpc_service_between(p, word, "", "Base");
    return grpc_service_from(p, base, service);
}

static void
look_at_type(struct parts *p, struct at def)
{
    const struct fact_def *row = part_def(p, def);

    for (uint32_t i = 0; i < row->bases_len; i++) {
        struct at base = {def.file,
                          part_facts(p, def.file)->lists[row->bases_at + i]};
        uint32_t service = extended_service(p, base);
        if (service != UINT32_MAX)
            serve(p, service, def, (struct at){def.file, 0},
                  (struct emit_route){.file = def.file,
                                      .site = {row->line, row->col}});
    }
}

/* NestJS: @GrpcMethod('Cart', 'AddItem') */
static void
look_at_marks(struct parts *p, struct at def)
{
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, def, i)).id; i++) {
        struct at name = part_arg(p, mark, 1);
        if (part_kind(p, mark) != EXPR_CALL ||
            !part_is(p, part_callee(p, mark),
                     "@nestjs/microservices.GrpcMethod"))
            continue;
        uint32_t service =
            grpc_service_between(p, part_word(p, part_arg(p, mark, 0)), "", "");
        if (service == UINT32_MAX)
            continue;
        str rpc_name = name.id ? part_word(p, name) : def_name(p, def);
        struct at of = p->services[service].def;
        const struct facts *facts = part_facts(p, of.file);
        p->services[service].is_served = true;
        for (uint32_t d = 1; d < facts->def_len; d++) {
            struct at rpc = {of.file, d};
            if (facts->defs[d].parent != of.id ||
                !is_called(rpc_name, def_name(p, rpc)))
                continue;
            tell_rpc(p, service, rpc,
                     &(struct emit_route){
                         .handler = resolve_node(p->r, def.file, def.id),
                         .edge = CODE_HANDLES_ROUTE,
                         .file = def.file,
                         .site = {part_expr(p, mark)->line,
                                  part_expr(p, mark)->col}});
        }
    }
}

/* ---- who asks ---- */

static uint32_t
stub_service(const struct parts *p, str word)
{
    static const char *const names[][2] = {
        {"New", "Client"},      {"", "Client"},
        {"", "Stub"},           {"", "BlockingStub"},
        {"", "FutureStub"},     {"", "CoroutineStub"},
        {"", "BlockingV2Stub"}, {"New", "ProtobufClient"},
        {"New", "JSONClient"},
    };
    uint32_t service = UINT32_MAX;

    for (size_t i = 0;
         i < sizeof(names) / sizeof(names[0]) && service == UINT32_MAX; i++)
        service = grpc_service_between(p, word, names[i][0], names[i][1]);
    return service;
}

/* The last names of a path: `...CartClient.connect`, `CartGrpc.newStub`. */
static uint32_t
service_of_path(const struct parts *p, str path)
{
    uint32_t service = UINT32_MAX;
    size_t end = path.len;

    for (unsigned i = 0; i < 2 && service == UINT32_MAX && end > 0; i++) {
        size_t from = end;
        while (from > 0 && path.ptr[from - 1] != '.' &&
               path.ptr[from - 1] != '/')
            from--;
        str word = str_cut(path, from, end);
        service = stub_service(p, word);
        if (service == UINT32_MAX)
            service = grpc_service_between(p, word, "", i ? "Grpc" : "GrpcKt");
        end = from ? from - 1 : 0;
    }
    return service;
}

static uint32_t
asked_service(struct parts *p, struct at call)
{
    struct at receiver = part_receiver(p, call);
    struct asked asked;
    struct value value;
    uint32_t service = UINT32_MAX;

    if (resolve_type(p->r, receiver, &value) && value.kind == VALUE_DEF) {
        char upper[NAME_MAX_LEN];
        str name = def_name(p, value.at);
        size_t len = name.len < sizeof(upper) ? name.len : sizeof(upper);
        memcpy(upper, name.ptr, len);
        if (len > 0 && upper[0] >= 'a' && upper[0] <= 'z')
            upper[0] = (char)(upper[0] - 32); /* Go's own `cartClient` */
        service = grpc_service_in(p, value.at.file,
                                  stub_service(p, (str){upper, len}));
    }
    if (service == UINT32_MAX && asked_of(p, call, &asked)) {
        service = service_of_path(p, asked_owner(&asked));
        if (asked.made.id)
            service = grpc_service_from(p, part_callee(p, asked.made), service);
    }
    /* new proto.shop.Cart(address, credentials) */
    if (service == UINT32_MAX && resolve_value(p->r, receiver, &value) &&
        value.kind == VALUE_MADE && part_kind(p, value.at) == EXPR_NEW)
        service = grpc_service_from(
            p, part_callee(p, value.at),
            grpc_service_between(p, part_word(p, part_callee(p, value.at)), "",
                                 ""));
    return service;
}

static void
look_at_client(struct parts *p, struct at call)
{
    str name = part_word(p, part_callee(p, call));
    uint32_t service = asked_service(p, call);

    if (service == UINT32_MAX)
        return;
    struct at of = p->services[service].def;
    const struct facts *facts = part_facts(p, of.file);
    for (uint32_t d = 1; d < facts->def_len; d++) {
        struct at rpc = {of.file, d};
        if (facts->defs[d].parent != of.id ||
            !is_called(name, def_name(p, rpc)))
            continue;
        tell_rpc(p, service, rpc,
                 &(struct emit_route){.handler = asked_by(p, call),
                                      .flags = ROUTE_IS_CLIENT,
                                      .edge = CODE_CONSUMES,
                                      .file = call.file,
                                      .site = {part_expr(p, call)->line,
                                               part_expr(p, call)->col}});
        return;
    }
}

void
routes_grpc(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (p->service_len == 0 || facts->lang == LANG_PROTO)
        return;
    bool is_generated = facts->flags & FACTS_GENERATED;
    for (uint32_t i = 1; i < facts->expr_len && !is_generated; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        struct at callee = part_callee(p, call);
        look_at_server(p, call);
        if (part_kind(p, callee) == EXPR_MEMBER &&
            texts_find(&p->rpc_names, part_word(p, callee)))
            look_at_client(p, call);
    }
    for (uint32_t d = 1; d < facts->def_len && !is_generated; d++) {
        if (facts->defs[d].kind == CODE_TYPE && facts->defs[d].bases_len > 0)
            look_at_type(p, (struct at){file, d});
        if (facts->defs[d].kind == CODE_METHOD && facts->defs[d].marks_len > 0)
            look_at_marks(p, (struct at){file, d});
    }
}

/* A client has a copy of the file: one that serves speaks for them all. */
static bool
is_served(const struct parts *p, struct at def)
{
    for (uint32_t i = 0; i < p->service_len; i++)
        if (p->services[i].is_served &&
            str_eq(def_name(p, p->services[i].def), def_name(p, def)) &&
            str_eq(package_of(p, p->services[i].def), package_of(p, def)))
            return true;
    return false;
}

void
grpc_done(struct parts *p)
{
    for (uint32_t i = 0; i < p->service_len && !p->failed; i++) {
        struct at def = p->services[i].def;
        const struct facts *facts = part_facts(p, def.file);
        for (uint32_t d = 1; d < facts->def_len && !is_served(p, def); d++) {
            const struct fact_def *row = &facts->defs[d];
            if (row->parent == def.id && row->kind == CODE_METHOD)
                tell_rpc(p, i, (struct at){def.file, d},
                         &(struct emit_route){.flags = ROUTE_FROM_DOCUMENT,
                                              .edge = CODE_HANDLES_ROUTE,
                                              .file = def.file,
                                              .site = {row->line, row->col}});
        }
    }
}
