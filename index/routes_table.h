/*
 * routes_table - frameworks whose routes are calls on an object, as data.
 *
 * What makes such an object, which declared types are one, and what its
 * methods do: `app.get(path, ..., handler)`, `app.use(prefix, router)`.
 */
#ifndef INDEX_ROUTES_TABLE_H
#define INDEX_ROUTES_TABLE_H

#include <stddef.h>

#include "index/routes_router.h"

/* A call of |path| makes a router; a value whose type is |path| is one. */
struct maker_rule {
    uint8_t framework;
    uint32_t flags;     /* ROUTER_... */
    const char *path;   /* as origin_is has it */
    const char *prefix; /* named argument that is its prefix, or NULL;
                           MAKER_FIRST: the first one is, MAKER_PATH: where
                           there is no third and none that is named `path` */
};

#define MAKER_FIRST  "#"
#define MAKER_PATH   "="
#define MAKER_SECOND "+" /* before a name: without it, the second one is */

enum verb_shape {
    VERB_ROUTE = 1, /* (path, ..., handler) */
    VERB_NEXT,      /* (path, handler, ...): what follows is no handler */
    VERB_WEB,       /* aiohttp: what is behind `add_` says it */
    VERB_METHOD,    /* (method, path, ..., handler); detail: path first */
    VERB_PATTERN,   /* ("METHOD host/path", handler) */
    VERB_KOA,       /* ([name], path, ..., handler); (path, methods, handler) */
    VERB_MARK,      /* Python: `@r.get(path)`, or (path, endpoint) */
    VERB_BARE,      /* as VERB_MARK, not below the router's own prefix */
    VERB_OBJECT,    /* ({method, path | url, handler}) or a list of them */
    VERB_OPENAPI,   /* (createRoute({method, path}), handler) */
    VERB_CHAIN,     /* (path).get(handler).post(handler) */
    VERB_STEP,      /* ([method], [path]): of Vert.x, what a route is */
    VERB_ANSWER,    /* (handler, ...): what answers it */
    VERB_AXUM,      /* (path, get(handler).post(handler)) */
    VERB_UTOIPA,    /* (routes!(functions that say their routes)) */
    VERB_MUX,       /* gorilla's builder of one route */
    VERB_ACTIX,     /* ([path], get().to(handler)) */
    VERB_RESOURCE,  /* (class, path, ...) */
    VERB_PLACE,     /* (name, pattern) of routes by convention */
    /* How routers nest. */
    VERB_GROUP,    /* (prefix, function that is given the router); detail: the
                      name that the prefix may be given by */
    VERB_SELF,     /* gives the same router; a member, too */
    VERB_GIVE,     /* (function that is given the router): gives the same */
    VERB_USE,      /* ([prefix], ..., routers) */
    VERB_INCLUDE,  /* (router, prefix=...) */
    VERB_REGISTER, /* (function that is given the router, {prefix}) */
    VERB_PLUGIN,   /* (objects whose `register` is given the router, {routes:
                      {prefix}}), or lists of {plugin, routes} */
    VERB_WITHIN,   /* ([prefix], ..., router or function that is given one),
                      which gives the router that it is called on; detail: if
                      there is a prefix */
    VERB_SERVICE,  /* (routers, or functions with routes of their own) */
    VERB_PREFIX,   /* (prefix): its own from now on */
    VERB_INIT,     /* (router that it stands on) */
    VERB_NINJA,    /* (prefix, router or what its text names) */
    VERB_BELOW,    /* ([prefix], router): of Vert.x, in the place of a `*` */
    VERB_SPLIT,    /* (): gives the router and its document */
    VERB_CARTER,   /* (): of Carter, its modules */
    VERB_VERSIONS, /* (routers): of Cadwyn, below a version in some */
    VERB_GOZERO,   /* (route or list of them, options...) */
    VERB_FAST,     /* ([settings]): of FastEndpoints, its classes */
    VERB_SHAPE_END,
};

struct verb_rule {
    uint8_t framework;
    uint8_t shape;
    const char *name;
    const char *detail; /* method; the name of the prefix argument */
};

extern const struct maker_rule maker_rules[];
extern const size_t maker_rule_len;
extern const struct verb_rule verb_rules[];
extern const size_t verb_rule_len;

/* prefix_arg is the prefix that a call names, else its first argument. */
struct at prefix_arg(struct parts *p, struct at call, const char *name);
/* prefix_is_host: Iris takes the prefix of a party for a subdomain. */
bool prefix_is_host(const struct parts *p, uint8_t framework, text_id prefix);
/* made_prefix is the prefix of what |call| makes, by maker_rule.prefix; |def|
 * is the class of the repository that it is made of, or id 0. */
struct at
made_prefix(struct parts *p, const char *rule, struct at call, struct at def);

/* vertx_step makes |id| what |call|, of |rule|, makes of the route |parent|
 * (index/routes_vertx.c). */
uint32_t vertx_step(struct parts *p, uint32_t id, uint32_t parent,
                    struct at call, const struct verb_rule *rule);

/* verb_find is the rule of a method of a framework's router, or NULL. */
const struct verb_rule *
verb_find(const struct parts *p, enum framework framework, str name);
/* verb_is_known: some framework has such a method. */
bool verb_is_known(const struct parts *p, str name);

/* verbs_index makes the index that both use; ERR_NOMEM. */
enum err verbs_index(struct parts *p);

/* verb_calls goes through the calls of the file at hand: |nest_only|, those
 * by which routers nest; else those that put routes on them. */
void verb_calls(struct parts *p, uint32_t file, bool nest_only);

#endif
