/*
 * routes_router - the objects that routes are put on, and how they nest.
 *
 * A router is known by where it was made: a call, a parameter that it comes in
 * by, a class, a file.  Routes are entered with the router they stand on,
 * mounts with what is mounted where; only when all files are read is each
 * route told by all ways that lead up from its router.
 *
 *     router = router_of(p, receiver);          0: none that is known
 *     router_mount(p, child, parent, prefix);
 *     entry_add(p, &(struct route_entry){...});
 *     entries_tell(p);                          the routes, into the build
 *
 * Limits     ROUTE_WAYS_MAX ways a route, ROUTE_DEPTH_MAX mounts deep; prefixes
 *            that make a path longer than ROUTE_PATH_MAX bytes are left out, as
 *            not known; ROUTE_FURTHER_... for all routes together.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_ROUTER_H
#define INDEX_ROUTES_ROUTER_H

#include "index/routes_parts.h"

enum {
    ROUTE_WAYS_MAX = 64,
    ROUTE_DEPTH_MAX = 16,
    ROUTER_OF_DEPTH_MAX = 24,
    ROUTE_PATH_MAX = 1024,
    PUT_LOOPS_MAX = 2, /* loops in each other */
    /* Of all routes: ways behind the first of each, and steps on ways behind
     * the first ROUTE_DEPTH_MAX of each. */
    ROUTE_FURTHER_WAYS_MAX = 1 << 15,
    ROUTE_FURTHER_STEPS_MAX = 1 << 20
};

/* In the order of framework_info. */
enum framework {
    FW_NONE,
    FW_EXPRESS,
    FW_FASTIFY,
    FW_NESTJS,
    FW_CONTROLLERS, /* routing-controllers */
    FW_TSOA,
    FW_KOA,
    FW_HAPI,
    FW_RESTIFY,
    FW_CONNECT,
    FW_HONO,
    FW_ELYSIA,
    FW_POLKA,
    FW_NEXT,
    FW_SVELTEKIT,
    FW_NUXT,
    FW_ASTRO,
    FW_FLASK,
    FW_FASTAPI,
    FW_STARLETTE,
    FW_DJANGO,
    FW_NINJA,
    FW_AIOHTTP,
    FW_SANIC,
    FW_BOTTLE,
    FW_PYRAMID,
    FW_FALCON,
    FW_LITESTAR,
    FW_TORNADO,
    FW_SPRING,
    FW_JAXRS,
    FW_MICRONAUT,
    FW_KTOR,
    FW_JAVALIN,
    FW_VERTX,
    FW_SPARK,
    FW_SERVLET,
    FW_NETHTTP,
    FW_GIN,
    FW_ECHO,
    FW_CHI,
    FW_MUX,
    FW_FIBER,
    FW_HTTPROUTER,
    FW_FASTHTTP,
    FW_HERTZ,
    FW_IRIS,
    FW_GOZERO,
    FW_RAILS,
    FW_SINATRA,
    FW_GRAPE,
    FW_ASPNET,
    FW_AXUM,
    FW_ACTIX,
    FW_ROCKET,
    FW_POEM,
    FW_SALVO,
    FW_LARAVEL,
    FW_SLIM,
    FW_SYMFONY,
    FW_LAMBDA, /* AWS: serverless.yml, SAM */
    FW_GRPC,
    FW_CLIENT,
    FW_END,
};

/* How a router is told from another. */
enum router_space {
    SPACE_EXPR = 1, /* where it was made */
    SPACE_BIND,     /* the parameter it comes in by */
    SPACE_DEF,      /* a class, or the function whose body is its block */
    SPACE_FILE,
    SPACE_FIELD, /* of a type: `same` is what it holds */
    SPACE_NAMED, /* of the library: `http.DefaultServeMux` */
};

/* Bits of router.flags. */
#define ROUTER_OPEN   UINT32_C(1)  /* served only where it is mounted */
#define ROUTER_TAIL   UINT32_C(2)  /* what is before its prefix is not known */
#define ROUTER_IDLE   UINT32_C(4)  /* served by nothing unless it is mounted */
#define ROUTER_ASKED  UINT32_C(8)  /* whether it is, by router_is_idle */
#define ROUTER_LOOPED UINT32_C(16) /* made in a loop, whose turns mount it */

/* Sanic: what is before all of a path, `/v` and `1`; 0: not said. */
struct route_version {
    text_id prefix;
    text_id number;
};

struct router {
    struct at at;
    uint8_t space;
    uint8_t framework; /* FW_NONE: known to be no router, in |round| */
    uint32_t flags;
    uint32_t round;
    uint32_t same;    /* no router of its own, but another's method gives it */
    uint32_t copy_of; /* what a function makes in all of its runs; 0: none */
    text_id prefix;
    uint32_t mounts; /* the first; 0: none */
    text_id methods; /* gorilla: `GET,PUT`, of routes that have none of their
                        own; or 0 */
    struct route_version version; /* of routes that have none of their own */
};

/* Bits of router_mount.flags. */
#define MOUNT_TAIL     1U /* what is before its prefix is not known */
#define MOUNT_REPLACES 2U /* the prefix stands for the router's own */
#define MOUNT_APART                                                        \
    4U                /* an application of its own: spans of the outer one \
                         tell no more than the prefix */
#define MOUNT_ELSE 8U /* only where nothing else mounts it */

/* The turns of loops (index/routes_turns.h) that something was put in. */
struct put_in {
    struct {
        struct at over, item; /* ids 0: none */
    } by[PUT_LOOPS_MAX];
};

struct router_mount {
    struct put_in put;
    uint32_t parent; /* 0: at the root */
    uint32_t next;
    text_id prefix;
    unsigned flags; /* MOUNT_... */
};

#define ENTRY_CLIENT UINT32_C(1)
#define ENTRY_TAIL   UINT32_C(2)  /* what is before its path is not known */
#define ENTRY_NAME   UINT32_C(4)  /* no path, but what spans call the route */
#define ENTRY_BELOW  UINT32_C(8)  /* it answers all that is below, too */
#define ENTRY_GONE   UINT32_C(16) /* another has taken its place */
#define ENTRY_BARE   UINT32_C(32) /* its router's own prefix is not before it */

struct route_entry {
    uint32_t router; /* 0: the path is all */
    uint32_t flags;
    uint32_t handler; /* vertex; 0: not resolved */
    text_id method;   /* of p->texts */
    text_id path;
    struct route_version version;
    text_id action;    /* ASP.NET: what `[action]` before the path is; or 0 */
    text_id key;       /* the last route of the router that has it is the only
                          one; 0: it has none */
    struct at at;      /* call or decorator; def if |at_def| */
    struct put_in put; /* set by entry_add */
    bool at_def;
    uint8_t framework;
};

/* router_get finds or makes the router of an identity; 0: no memory. */
uint32_t router_get(struct parts *p, enum router_space space, struct at at);
/* router_find is 0 if there is none of a framework. */
uint32_t
router_find(const struct parts *p, enum router_space space, struct at at);
uint32_t router_make(struct parts *p, enum router_space space, struct at at,
                     enum framework framework, uint32_t flags);

/* router_of is what an expression stands for, if it is a router. */
uint32_t router_of(struct parts *p, struct at expr);
/* router_served is the router that a value serves by handing requests on to it,
 * router_is_idle says that a local name is all that has one and nothing serves
 * it, router_given_back that the call |expr| leads to, which gives back
 * |param|, is as good as its argument |out|, or of Go, id 0, as none of its
 * arguments (index/routes_served.c). */
uint32_t router_served(struct parts *p, struct at expr);
/* axum_is_open: of axum, poem or Salvo, what is made in a trait's method stands
 * where who calls it by the trait puts it, `fold(..)`, `.into()`
 * (index/routes_chain.c). */
bool axum_is_open(const struct parts *p, struct at made, uint8_t framework);
/* utoipa_is_document: |name| is what `router.split_for_parts()`, |made|, gives
 * beside the router (index/routes_utoipa.c). */
bool utoipa_is_document(const struct parts *p, struct at name, struct at made);
/* router_joined is what stands for all routers of which |expr| is one, of Rust:
 * `if x { one() } else { two() }`, a function that returns several or a
 * `Result<Router>`; 0: it is none (index/routes_served.c). */
uint32_t router_joined(struct parts *p, struct at expr);
bool router_is_idle(struct parts *p, uint32_t id);
/* router_given is the router that the call |expr| is given, if |id|, which it
 * leads to, is the parameter: `fn add(r: Router) -> Router { r.route(..) }`. */
uint32_t router_given(struct parts *p, struct at expr, uint32_t id);
/* router_chosen is |id|, which |expr| leads to, or what stands for it where a
 * branch may have set another (index/routes_served.c). */
uint32_t router_chosen(struct parts *p, struct at expr, uint32_t id);
/* made_is_override: Python, what is made at |call| a method returns that a base
 * of its class has, too, so that who calls it is not seen
 * (index/routes_run.c). */
bool made_is_override(struct parts *p, struct at call);
/* router_of_run is |id|, which was made as |made| says, or that of the one run
 * of the function that makes it (index/routes_run.c). */
uint32_t router_of_run(struct parts *p, const struct value *made, uint32_t id);
bool router_given_back(struct parts *p, struct at expr, struct at param,
                       struct at *out);
/* router_of_field is what field |name| of a type of the repository holds
 * (index/routes_fields.c). */
uint32_t router_of_field(struct parts *p, struct at type, str name);
/* router_of_inherited is that of a field that the class of the object has of
 * its base, or of Go from several literals, before its value is followed to the
 * one place where it is made; router_embedded what a value of Go is without a
 * name of its own: `type Server struct{ *http.ServeMux }`. */
uint32_t router_of_inherited(struct parts *p, struct at expr);
uint32_t router_embedded(struct parts *p, struct at expr);
/* router_of_bare is the same of a name alone, of Java and Kotlin. */
uint32_t router_of_bare(struct parts *p, struct at name);
void router_fields_fini(struct parts *p);
/* router_of_param is the same of a parameter, router_pass puts the router |id|
 * of one below the router, if it is one, that is passed as |expr|. */
uint32_t router_of_param(struct parts *p, struct at bind);
void router_pass(struct parts *p, uint32_t id, struct at expr);

/* extended_on gives what the method |def| is called on as if it were the
 * object's own (index/routes_extended.c); nothing where methods share its name
 * and no type tells which one is called. */
typedef void extended_fn(void *ctx, struct at expr);
void extended_on(struct parts *p, struct at def, extended_fn *fn, void *ctx);

/* router_is_looped: what a loop gives is in the text |expr|; |depth| is 0. */
bool router_is_looped(struct parts *p, struct at expr, unsigned depth);

/* mux_methods is what gorilla's `r.Methods("GET").Subrouter()`, |call|, says
 * that its routes answer, as router.methods; or 0 (index/routes_chain.c). */
text_id mux_methods(struct parts *p, struct at call);

/* sanic_version is what `version=` and `version_prefix=` of |call| say; false
 * if that is not known.  sanic_is_group says that |id| is of a
 * `Blueprint.group()`, sanic_nests mounts what those of |file| are given
 * (index/routes_sanic.c). */
bool sanic_version(struct parts *p, struct at call, struct route_version *out);
bool sanic_is_group(const struct parts *p, uint32_t id);
void sanic_nests(struct parts *p, uint32_t file);

/* router_mount_at is told once however often it is called. */
void router_mount_at(struct parts *p, uint32_t child, uint32_t parent,
                     text_id prefix, unsigned flags);

void entry_add(struct parts *p, const struct route_entry *entry);

/* entries_replace marks what others take the place of as gone
 * (index/routes_replaced.c). */
void entries_replace(struct parts *p);

/* context_before puts what the application's settings say before a path that
 * is whole; |is_tail| becomes true where that is not known
 * (index/routes_context.c). */
text_id context_before(struct parts *p, const struct route_entry *entry,
                       text_id path, bool *is_tail);

/* entries_tell appends all of it to the build (index/routes_tell.c). */
void entries_tell(struct parts *p);

/* ---- the build's side (index/routes_emit.c) ---- */

/* emit_node finds or adds a vertex of |kind| in the folder of |file|. */
uint32_t emit_node(struct parts *p, enum code_kind kind, str name,
                   uint32_t file, uint32_t line);
void emit_edge(struct parts *p, uint32_t src, uint32_t dst, enum code_edge type,
               struct code_site site);

/* A route, RPC or topic that is known whole. */
struct emit_route {
    enum code_kind kind;
    uint32_t handler;
    uint32_t flags; /* ROUTE_... */
    enum code_edge edge;
    str method;
    str raw;
    str canonical;
    str framework;
    uint32_t file;
    struct code_site site;
};
void emit_route(struct parts *p, const struct emit_route *route);

#endif
