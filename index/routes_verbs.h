/*
 * routes_verbs - calls of a router's methods, by their shape.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_VERBS_H
#define INDEX_ROUTES_VERBS_H

#include "index/routes_table.h"

struct verb_call {
    struct parts *p;
    struct at call;
    uint32_t router;
    const struct verb_rule *rule;
};

/* A path as a rule has it, kept in p->texts. */
struct verb_path {
    text_id text;
    bool is_tail;
};
bool verb_path(struct parts *p, struct at expr, struct verb_path *out);
/* verb_prefix is the same of what is put before paths: of several that it may
 * be none is taken, and what is before them is not known. */
bool verb_prefix(struct parts *p, struct at expr, struct verb_path *out);

/* settings_cut cuts `${app.base}` of Spring and Micronaut, and `#{bean.base}`,
 * off with what is before it, since that is not read; false: nothing is left
 * (index/routes_java.c). */
bool
settings_cut(struct parts *p, enum framework framework, struct verb_path *path);

/* verb_route enters a route; |path| may be a list of paths: several.  False
 * if it is no text. */
bool verb_route(const struct verb_call *v, str method, struct at path,
                uint32_t handler);
/* verb_routes is the same for a list of methods, or one. */
bool verb_routes(const struct verb_call *v, struct at methods, struct at path,
                 uint32_t handler);
/* verb_root enters a route with no path of its own, for |methods| if there are
 * any, else for |method|. */
void verb_root(const struct verb_call *v, str method, struct at methods,
               uint32_t handler);
/* verb_class enters a route for each method of a class that has the name of
 * one of HTTP; how many. */
unsigned verb_class(const struct verb_call *v, struct at type, struct at path);
/* verb_has_class: a class has such a method, its bases too. */
bool verb_has_class(struct parts *p, struct at type);
/* verb_class_of is the class behind `View`, `View.as_view(...)`, `View()`. */
bool verb_class_of(struct parts *p, struct at expr, struct at *out);

/* verb_is_type: a definition is a class's. */
bool verb_is_type(const struct parts *p, struct at def);

/* verb_nest does what a call says about how routers nest. */
void verb_nest(const struct verb_call *v);
/* router_within is the router that calls of wrappers lead to. */
uint32_t router_within(struct parts *p, struct at expr);
/* router_stripped is the same; |*strip| becomes what `http.StripPrefix` on the
 * way takes off, or id 0 (index/routes_served.c). */
uint32_t router_stripped(struct parts *p, struct at expr, struct at *strip);

/* verb_strange is the router of another framework that the handler |expr| of a
 * Go router leads to, or 0; verb_is_strange: the call's last argument does. */
uint32_t verb_strange(const struct verb_call *v, struct at expr);
bool verb_is_strange(const struct verb_call *v);

/* verb_is_own: a type of the repository that has a Go router in it has a method
 * of that name itself, which says where the route is. */
bool verb_is_own(struct parts *p, struct at callee);

/* java_within is what a call on a server of Spark, |router|, puts its route on:
 * the block of its `path` that it stands in, or |router|
 * (index/routes_java.c). */
uint32_t java_within(struct parts *p, struct at call, uint32_t router);

/* verb_handed: a call on `this` of a method that hands on to a router; |v| is
 * as if it were the router's (index/routes_handed.c). */
bool verb_handed(struct verb_call *v);

/* plain_path is the path of a call of a method: the first argument, but of Hono
 * that of a call before it in a chain, of Restify in an object; id 0: not known
 * (index/routes_koa.c). */
struct at plain_path(const struct verb_call *v);

/* Shapes with a file of their own. */
typedef void verb_fn(const struct verb_call *v);
void verb_koa(const struct verb_call *v);
void verb_vertx(const struct verb_call *v);
void verb_openapi(const struct verb_call *v);
void verb_mux(const struct verb_call *v);
void verb_axum(const struct verb_call *v);
void verb_actix(const struct verb_call *v);
void verb_object(const struct verb_call *v);
void verb_place(const struct verb_call *v);
void verb_mark(const struct verb_call *v);
void verb_resource(const struct verb_call *v);
/* axum_method is what of |name| is a method, `get` of `get_service`; or empty.
 */
str axum_method(str name);
void verb_utoipa(const struct verb_call *v); /* index/routes_utoipa.c */
void verb_gozero(const struct verb_call *v); /* index/routes_gozero.c */
void verb_web(const struct verb_call *v);
void verb_web_list(const struct verb_call *v);

#endif
