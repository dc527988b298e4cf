/*
 * Rows are found by name through an index sorted once a run.
 */
#include "index/routes_table.h"

#include <stdlib.h>
#include <string.h>

/* The five or seven methods as a framework spells them. */
#define LOWER(fw, shape)                                            \
    {fw, shape, "get", "GET"}, {fw, shape, "post", "POST"},         \
        {fw, shape, "put", "PUT"}, {fw, shape, "delete", "DELETE"}, \
        {fw, shape, "patch", "PATCH"}, {fw, shape, "head", "HEAD"}, \
    {                                                               \
        fw, shape, "options", "OPTIONS"                             \
    }
#define TITLE(fw, shape)                                            \
    {fw, shape, "Get", "GET"}, {fw, shape, "Post", "POST"},         \
        {fw, shape, "Put", "PUT"}, {fw, shape, "Delete", "DELETE"}, \
        {fw, shape, "Patch", "PATCH"}, {fw, shape, "Head", "HEAD"}, \
    {                                                               \
        fw, shape, "Options", "OPTIONS"                             \
    }
#define UPPER(fw, shape)                                            \
    {fw, shape, "GET", "GET"}, {fw, shape, "POST", "POST"},         \
        {fw, shape, "PUT", "PUT"}, {fw, shape, "DELETE", "DELETE"}, \
        {fw, shape, "PATCH", "PATCH"}, {fw, shape, "HEAD", "HEAD"}, \
    {                                                               \
        fw, shape, "OPTIONS", "OPTIONS"                             \
    }

const struct verb_rule verb_rules[] = {
    LOWER(FW_EXPRESS, VERB_ROUTE),
    {FW_EXPRESS, VERB_ROUTE, "all", "ANY"},
    {FW_EXPRESS, VERB_CHAIN, "route", NULL},
    {FW_EXPRESS, VERB_USE, "use", NULL},
    {FW_EXPRESS, VERB_SELF, "param", NULL},
    {FW_EXPRESS, VERB_SELF, "set", NULL},
    {FW_EXPRESS, VERB_SELF, "enable", NULL},
    {FW_EXPRESS, VERB_SELF, "disable", NULL},
    {FW_EXPRESS, VERB_SELF, "on", NULL},

    LOWER(FW_FASTIFY, VERB_ROUTE),
    {FW_FASTIFY, VERB_ROUTE, "all", "ANY"},
    {FW_FASTIFY, VERB_OBJECT, "route", NULL},
    {FW_FASTIFY, VERB_REGISTER, "register", "prefix"},

    LOWER(FW_KOA, VERB_KOA),
    {FW_KOA, VERB_KOA, "del", "DELETE"},
    {FW_KOA, VERB_KOA, "all", "ANY"},
    {FW_KOA, VERB_KOA, "register", NULL},
    {FW_KOA, VERB_USE, "use", NULL},
    {FW_KOA, VERB_SELF, "routes", NULL},
    {FW_KOA, VERB_SELF, "middleware", NULL},
    {FW_KOA, VERB_SELF, "param", NULL},
    {FW_KOA, VERB_SELF, "redirect", NULL},
    {FW_KOA, VERB_SELF, "on", NULL},
    {FW_KOA, VERB_PREFIX, "prefix", NULL},

    {FW_HAPI, VERB_OBJECT, "route", NULL},
    {FW_HAPI, VERB_PLUGIN, "register", "prefix"},

    LOWER(FW_RESTIFY, VERB_ROUTE),
    {FW_RESTIFY, VERB_ROUTE, "del", "DELETE"},
    {FW_RESTIFY, VERB_ROUTE, "opts", "OPTIONS"},

    {FW_CONNECT, VERB_USE, "use", NULL},

    LOWER(FW_HONO, VERB_ROUTE),
    {FW_HONO, VERB_ROUTE, "all", "ANY"},
    {FW_HONO, VERB_METHOD, "on", NULL},
    {FW_HONO, VERB_OPENAPI, "openapi", NULL},
    {FW_HONO, VERB_USE, "route", NULL},
    {FW_HONO, VERB_GROUP, "basePath", NULL},

    LOWER(FW_ELYSIA, VERB_NEXT),
    {FW_ELYSIA, VERB_NEXT, "all", "ANY"},
    {FW_ELYSIA, VERB_METHOD, "route", NULL},
    {FW_ELYSIA, VERB_WITHIN, "group", "prefix"},
    {FW_ELYSIA, VERB_WITHIN, "guard", NULL},
    {FW_ELYSIA, VERB_WITHIN, "use", NULL},

    LOWER(FW_POLKA, VERB_ROUTE),
    {FW_POLKA, VERB_ROUTE, "all", "ANY"},
    {FW_POLKA, VERB_METHOD, "add", NULL},
    {FW_POLKA, VERB_USE, "use", NULL},

    LOWER(FW_FLASK, VERB_MARK),
    {FW_FLASK, VERB_MARK, "route", NULL},
    {FW_FLASK, VERB_MARK, "add_url_rule", NULL},
    {FW_FLASK, VERB_MARK, "websocket", "GET"},
    {FW_FLASK, VERB_MARK, "add_websocket", "GET"},
    {FW_FLASK, VERB_INCLUDE, "register_blueprint", "url_prefix"},
    {FW_FLASK, VERB_INCLUDE, "register_api", "url_prefix"},
    {FW_FLASK, VERB_RESOURCE, "add_resource", NULL},
    {FW_FLASK, VERB_MARK, "resource", NULL},
    {FW_FLASK, VERB_INCLUDE, "add_namespace", "path"},
    {FW_FLASK, VERB_GROUP, "namespace", "path"},
    {FW_FLASK, VERB_INIT, "init_app", NULL},

    LOWER(FW_FASTAPI, VERB_MARK),
    {FW_FASTAPI, VERB_MARK, "api_route", "GET"},
    {FW_FASTAPI, VERB_BARE, "route", "GET"},
    {FW_FASTAPI, VERB_MARK, "add_api_route", "GET"},
    {FW_FASTAPI, VERB_BARE, "add_route", "GET"},
    {FW_FASTAPI, VERB_MARK, "websocket", "GET"},
    {FW_FASTAPI, VERB_BARE, "websocket_route", "GET"},
    {FW_FASTAPI, VERB_MARK, "add_api_websocket_route", "GET"},
    {FW_FASTAPI, VERB_BARE, "add_websocket_route", "GET"},
    {FW_FASTAPI, VERB_INCLUDE, "include_router", "prefix"},
    {FW_FASTAPI, VERB_VERSIONS, "generate_and_include_versioned_routers", NULL},
    {FW_FASTAPI, VERB_USE, "mount", NULL},
    {FW_FASTAPI, VERB_SELF, "router", NULL},

    {FW_STARLETTE, VERB_MARK, "route", "GET"},
    {FW_STARLETTE, VERB_MARK, "add_route", "GET"},
    {FW_STARLETTE, VERB_MARK, "websocket_route", "GET"},
    {FW_STARLETTE, VERB_MARK, "add_websocket_route", "GET"},
    {FW_STARLETTE, VERB_USE, "mount", NULL},
    {FW_STARLETTE, VERB_SELF, "router", NULL},

    LOWER(FW_NINJA, VERB_MARK),
    {FW_NINJA, VERB_MARK, "api_operation", NULL},
    {FW_NINJA, VERB_NINJA, "add_router", NULL},

    LOWER(FW_AIOHTTP, VERB_MARK),
    {FW_AIOHTTP, VERB_MARK, "view", "ANY"},
    {FW_AIOHTTP, VERB_MARK, "route", NULL},
    {FW_AIOHTTP, VERB_WEB, "add_get", NULL},
    {FW_AIOHTTP, VERB_WEB, "add_post", NULL},
    {FW_AIOHTTP, VERB_WEB, "add_put", NULL},
    {FW_AIOHTTP, VERB_WEB, "add_delete", NULL},
    {FW_AIOHTTP, VERB_WEB, "add_patch", NULL},
    {FW_AIOHTTP, VERB_WEB, "add_head", NULL},
    {FW_AIOHTTP, VERB_WEB, "add_options", NULL},
    {FW_AIOHTTP, VERB_WEB, "add_view", NULL},
    {FW_AIOHTTP, VERB_WEB, "add_route", NULL},
    {FW_AIOHTTP, VERB_GROUP, "add_resource", "path"},
    {FW_AIOHTTP, VERB_USE, "add_subapp", NULL},
    {FW_AIOHTTP, VERB_INCLUDE, "add_routes", NULL},
    {FW_AIOHTTP, VERB_SELF, "router", NULL},

    LOWER(FW_SANIC, VERB_MARK),
    {FW_SANIC, VERB_MARK, "route", "GET"},
    {FW_SANIC, VERB_MARK, "add_route", NULL},
    {FW_SANIC, VERB_MARK, "websocket", "GET"},
    {FW_SANIC, VERB_MARK, "add_websocket_route", "GET"},
    {FW_SANIC, VERB_INCLUDE, "blueprint", "url_prefix"},

    LOWER(FW_BOTTLE, VERB_MARK),
    {FW_BOTTLE, VERB_MARK, "route", "GET"},
    {FW_BOTTLE, VERB_USE, "mount", NULL},
    {FW_BOTTLE, VERB_USE, "merge", NULL},

    {FW_NETHTTP, VERB_PATTERN, "HandleFunc", NULL},
    {FW_NETHTTP, VERB_PATTERN, "Handle", NULL},

    UPPER(FW_GIN, VERB_ROUTE),
    {FW_GIN, VERB_ROUTE, "Any", "ANY"},
    {FW_GIN, VERB_METHOD, "Handle", NULL},
    {FW_GIN, VERB_METHOD, "Match", NULL},
    {FW_GIN, VERB_GROUP, "Group", NULL},
    {FW_GIN, VERB_SELF, "Use", NULL},

    UPPER(FW_ECHO, VERB_NEXT),
    {FW_ECHO, VERB_NEXT, "CONNECT", "CONNECT"},
    {FW_ECHO, VERB_NEXT, "TRACE", "TRACE"},
    {FW_ECHO, VERB_NEXT, "Any", "ANY"},
    {FW_ECHO, VERB_METHOD, "Add", NULL},
    {FW_ECHO, VERB_METHOD, "Match", NULL},
    {FW_ECHO, VERB_GROUP, "Group", NULL},

    TITLE(FW_CHI, VERB_ROUTE),
    {FW_CHI, VERB_ROUTE, "Connect", "CONNECT"},
    {FW_CHI, VERB_ROUTE, "Trace", "TRACE"},
    {FW_CHI, VERB_PATTERN, "HandleFunc", NULL},
    {FW_CHI, VERB_PATTERN, "Handle", NULL},
    {FW_CHI, VERB_METHOD, "Method", NULL},
    {FW_CHI, VERB_METHOD, "MethodFunc", NULL},
    {FW_CHI, VERB_GROUP, "Route", NULL},
    {FW_CHI, VERB_GROUP, "Group", NULL},
    {FW_CHI, VERB_USE, "Mount", NULL},
    {FW_CHI, VERB_SELF, "With", NULL},

    {FW_MUX, VERB_MUX, "HandleFunc", NULL},
    {FW_MUX, VERB_MUX, "Handle", NULL},
    {FW_MUX, VERB_MUX, "HandlerFunc", NULL},
    {FW_MUX, VERB_MUX, "Handler", NULL},
    {FW_MUX, VERB_MUX, "Methods", NULL},
    {FW_MUX, VERB_MUX, "Path", NULL},
    {FW_MUX, VERB_MUX, "PathPrefix", NULL},
    {FW_MUX, VERB_MUX, "Subrouter", NULL},
    {FW_MUX, VERB_MUX, "Queries", NULL},
    {FW_MUX, VERB_MUX, "Headers", NULL},
    {FW_MUX, VERB_MUX, "HeadersRegexp", NULL},
    {FW_MUX, VERB_MUX, "MatcherFunc", NULL},
    {FW_MUX, VERB_MUX, "BuildVarsFunc", NULL},
    {FW_MUX, VERB_MUX, "Host", NULL},
    {FW_MUX, VERB_MUX, "Schemes", NULL},
    {FW_MUX, VERB_MUX, "Name", NULL},
    {FW_MUX, VERB_MUX, "NewRoute", NULL},
    {FW_MUX, VERB_SELF, "StrictSlash", NULL},
    {FW_MUX, VERB_SELF, "UseEncodedPath", NULL},
    {FW_MUX, VERB_SELF, "SkipClean", NULL},

    TITLE(FW_FIBER, VERB_ROUTE),
    {FW_FIBER, VERB_ROUTE, "Connect", "CONNECT"},
    {FW_FIBER, VERB_ROUTE, "Trace", "TRACE"},
    {FW_FIBER, VERB_ROUTE, "All", "ANY"},
    {FW_FIBER, VERB_METHOD, "Add", NULL},
    {FW_FIBER, VERB_GROUP, "Group", NULL},
    {FW_FIBER, VERB_GROUP, "Route", NULL},
    {FW_FIBER, VERB_CHAIN, "RouteChain", NULL},
    {FW_FIBER, VERB_USE, "Mount", NULL},
    {FW_FIBER, VERB_USE, "Use", NULL},

    UPPER(FW_HTTPROUTER, VERB_ROUTE),
    {FW_HTTPROUTER, VERB_METHOD, "Handle", NULL},
    {FW_HTTPROUTER, VERB_METHOD, "Handler", NULL},
    {FW_HTTPROUTER, VERB_METHOD, "HandlerFunc", NULL},

    UPPER(FW_FASTHTTP, VERB_ROUTE),
    {FW_FASTHTTP, VERB_ROUTE, "CONNECT", "CONNECT"},
    {FW_FASTHTTP, VERB_ROUTE, "TRACE", "TRACE"},
    {FW_FASTHTTP, VERB_ROUTE, "ANY", "ANY"},
    {FW_FASTHTTP, VERB_METHOD, "Handle", NULL},
    {FW_FASTHTTP, VERB_GROUP, "Group", NULL},

    UPPER(FW_HERTZ, VERB_ROUTE),
    {FW_HERTZ, VERB_ROUTE, "Any", "ANY"},
    {FW_HERTZ, VERB_METHOD, "Handle", NULL},
    {FW_HERTZ, VERB_NEXT, "GETEX", "GET"},
    {FW_HERTZ, VERB_NEXT, "POSTEX", "POST"},
    {FW_HERTZ, VERB_NEXT, "PUTEX", "PUT"},
    {FW_HERTZ, VERB_NEXT, "DELETEEX", "DELETE"},
    {FW_HERTZ, VERB_NEXT, "HEADEX", "HEAD"},
    {FW_HERTZ, VERB_NEXT, "AnyEX", "ANY"},
    {FW_HERTZ, VERB_METHOD, "HandleEX", NULL},
    {FW_HERTZ, VERB_GROUP, "Group", NULL},
    {FW_HERTZ, VERB_SELF, "Use", NULL},
    {FW_HERTZ, VERB_SELF, "Engine", NULL},
    {FW_HERTZ, VERB_SELF, "RouterGroup", NULL},

    TITLE(FW_IRIS, VERB_ROUTE),
    {FW_IRIS, VERB_ROUTE, "Connect", "CONNECT"},
    {FW_IRIS, VERB_ROUTE, "Trace", "TRACE"},
    {FW_IRIS, VERB_ROUTE, "Any", "ANY"},
    {FW_IRIS, VERB_METHOD, "Handle", NULL},
    {FW_IRIS, VERB_GROUP, "Party", NULL},
    {FW_IRIS, VERB_GROUP, "PartyFunc", NULL},
    {FW_IRIS, VERB_SELF, "AllowMethods", NULL},

    {FW_GOZERO, VERB_GOZERO, "AddRoute", NULL},
    {FW_GOZERO, VERB_GOZERO, "AddRoutes", NULL},

    LOWER(FW_JAVALIN, VERB_NEXT),
    {FW_JAVALIN, VERB_NEXT, "sse", "GET"},
    {FW_JAVALIN, VERB_METHOD, "addHttpHandler", NULL},
    {FW_JAVALIN, VERB_GIVE, "create", NULL},
    {FW_JAVALIN, VERB_GIVE, "createAndStart", NULL},
    {FW_JAVALIN, VERB_GIVE, "mount", NULL},
    {FW_JAVALIN, VERB_SELF, "router", NULL},
    {FW_JAVALIN, VERB_SELF, "start", NULL},
    {FW_JAVALIN, VERB_SELF, "before", NULL},
    {FW_JAVALIN, VERB_SELF, "after", NULL},
    {FW_JAVALIN, VERB_SELF, "error", NULL},
    {FW_JAVALIN, VERB_SELF, "exception", NULL},
    {FW_JAVALIN, VERB_SELF, "routes", NULL},
    {FW_JAVALIN, VERB_SELF, "ws", NULL},

    LOWER(FW_VERTX, VERB_STEP),
    {FW_VERTX, VERB_STEP, "route", NULL},
    {FW_VERTX, VERB_STEP, "method", NULL},
    {FW_VERTX, VERB_STEP, "path", NULL},
    {FW_VERTX, VERB_ANSWER, "handler", NULL},
    {FW_VERTX, VERB_ANSWER, "blockingHandler", NULL},
    {FW_VERTX, VERB_ANSWER, "respond", NULL},
    {FW_VERTX, VERB_ANSWER, "coroutineHandler", NULL},
    {FW_VERTX, VERB_SELF, "consumes", NULL},
    {FW_VERTX, VERB_SELF, "produces", NULL},
    {FW_VERTX, VERB_SELF, "failureHandler", NULL},
    {FW_VERTX, VERB_SELF, "order", NULL},
    {FW_VERTX, VERB_SELF, "last", NULL},
    {FW_VERTX, VERB_SELF, "setName", NULL},
    {FW_VERTX, VERB_SELF, "putMetadata", NULL},
    {FW_VERTX, VERB_SELF, "useNormalizedPath", NULL},
    {FW_VERTX, VERB_SELF, "virtualHost", NULL},
    {FW_VERTX, VERB_BELOW, "mountSubRouter", NULL},
    {FW_VERTX, VERB_BELOW, "subRouter", NULL},

    LOWER(FW_SPARK, VERB_NEXT),

    {FW_ASPNET, VERB_ROUTE, "MapGet", "GET"},
    {FW_ASPNET, VERB_ROUTE, "MapPost", "POST"},
    {FW_ASPNET, VERB_ROUTE, "MapPut", "PUT"},
    {FW_ASPNET, VERB_ROUTE, "MapDelete", "DELETE"},
    {FW_ASPNET, VERB_ROUTE, "MapPatch", "PATCH"},
    {FW_ASPNET, VERB_ROUTE, "Map", "ANY"},
    {FW_ASPNET, VERB_METHOD, "MapMethods", "path"},
    {FW_ASPNET, VERB_PLACE, "MapControllerRoute", NULL},
    {FW_ASPNET, VERB_PLACE, "MapAreaControllerRoute", NULL},
    {FW_ASPNET, VERB_PLACE, "MapDefaultControllerRoute",
     "{controller=Home}/{action=Index}/{id?}"},
    {FW_ASPNET, VERB_GROUP, "MapGroup", "prefix"},
    {FW_ASPNET, VERB_GROUP, "UseEndpoints", NULL},
    {FW_ASPNET, VERB_CARTER, "MapCarter", NULL},
    {FW_ASPNET, VERB_FAST, "UseFastEndpoints", NULL},
    {FW_ASPNET, VERB_FAST, "MapFastEndpoints", NULL},
    {FW_ASPNET, VERB_SELF, "Build", NULL},
    {FW_ASPNET, VERB_SELF, "UseRouting", NULL},
    {FW_ASPNET, VERB_SELF, "UseAuthentication", NULL},
    {FW_ASPNET, VERB_SELF, "UseAuthorization", NULL},
    {FW_ASPNET, VERB_SELF, "UseCors", NULL},
    {FW_ASPNET, VERB_SELF, "UseHttpsRedirection", NULL},
    {FW_ASPNET, VERB_SELF, "UseStaticFiles", NULL},
    {FW_ASPNET, VERB_SELF, "WithTags", NULL},
    {FW_ASPNET, VERB_SELF, "WithOpenApi", NULL},
    {FW_ASPNET, VERB_SELF, "WithName", NULL},
    {FW_ASPNET, VERB_SELF, "RequireAuthorization", NULL},
    {FW_ASPNET, VERB_SELF, "HasApiVersion", NULL},
    {FW_ASPNET, VERB_SELF, "NewVersionedApi", NULL},
    {FW_ASPNET, VERB_SELF, "Accepts", NULL},
    {FW_ASPNET, VERB_SELF, "AddEndpointFilter", NULL},
    {FW_ASPNET, VERB_SELF, "AddEndpointFilterFactory", NULL},
    {FW_ASPNET, VERB_SELF, "AllowAnonymous", NULL},
    {FW_ASPNET, VERB_SELF, "CacheOutput", NULL},
    {FW_ASPNET, VERB_SELF, "DisableAntiforgery", NULL},
    {FW_ASPNET, VERB_SELF, "ExcludeFromDescription", NULL},
    {FW_ASPNET, VERB_SELF, "MapToApiVersion", NULL},
    {FW_ASPNET, VERB_SELF, "Produces", NULL},
    {FW_ASPNET, VERB_SELF, "ProducesProblem", NULL},
    {FW_ASPNET, VERB_SELF, "ProducesValidationProblem", NULL},
    {FW_ASPNET, VERB_SELF, "RequireCors", NULL},
    {FW_ASPNET, VERB_SELF, "RequireHost", NULL},
    {FW_ASPNET, VERB_SELF, "RequireRateLimiting", NULL},
    {FW_ASPNET, VERB_SELF, "WithApiVersionSet", NULL},
    {FW_ASPNET, VERB_SELF, "WithDescription", NULL},
    {FW_ASPNET, VERB_SELF, "WithDisplayName", NULL},
    {FW_ASPNET, VERB_SELF, "WithGroupName", NULL},
    {FW_ASPNET, VERB_SELF, "WithMetadata", NULL},
    {FW_ASPNET, VERB_SELF, "WithSummary", NULL},

    {FW_AXUM, VERB_AXUM, "route", NULL},
    {FW_AXUM, VERB_UTOIPA, "routes", NULL},
    {FW_AXUM, VERB_SPLIT, "split_for_parts", NULL},
    {FW_AXUM, VERB_USE, "nest", NULL},
    {FW_AXUM, VERB_USE, "nest_service", NULL},
    {FW_AXUM, VERB_USE, "merge", NULL},

    {FW_ACTIX, VERB_ACTIX, "route", NULL},
    {FW_ACTIX, VERB_ACTIX, "to", "ANY"},
    {FW_ACTIX, VERB_ACTIX, "get", "GET"},
    {FW_ACTIX, VERB_ACTIX, "post", "POST"},
    {FW_ACTIX, VERB_ACTIX, "put", "PUT"},
    {FW_ACTIX, VERB_ACTIX, "delete", "DELETE"},
    {FW_ACTIX, VERB_ACTIX, "patch", "PATCH"},
    {FW_ACTIX, VERB_ACTIX, "head", "HEAD"},
    {FW_ACTIX, VERB_ACTIX, "trace", "TRACE"},
    {FW_ACTIX, VERB_SERVICE, "service", NULL},
    {FW_ACTIX, VERB_REGISTER, "configure", NULL},
    {FW_ROCKET, VERB_SERVICE, "mount", NULL},
    /* What gives a fairing; its lambda is given the router. */
    {FW_ROCKET, VERB_GROUP, "on_ignite", NULL},
    {FW_ROCKET, VERB_GROUP, "try_on_ignite", NULL},

    {FW_POEM, VERB_AXUM, "at", NULL},
    {FW_POEM, VERB_USE, "nest", NULL},
    {FW_POEM, VERB_USE, "nest_no_strip", NULL},

    /* A router is a path; what answers it has none of its own. */
    {FW_SALVO, VERB_ACTIX, "get", "GET"},
    {FW_SALVO, VERB_ACTIX, "post", "POST"},
    {FW_SALVO, VERB_ACTIX, "put", "PUT"},
    {FW_SALVO, VERB_ACTIX, "delete", "DELETE"},
    {FW_SALVO, VERB_ACTIX, "patch", "PATCH"},
    {FW_SALVO, VERB_ACTIX, "head", "HEAD"},
    {FW_SALVO, VERB_ACTIX, "options", "OPTIONS"},
    {FW_SALVO, VERB_ACTIX, "goal", "ANY"},
    {FW_SALVO, VERB_USE, "push", NULL},
    {FW_SALVO, VERB_USE, "unshift", NULL},
    {FW_SALVO, VERB_USE, "append", NULL},
    {FW_SALVO, VERB_PREFIX, "path", NULL},
    {FW_SALVO, VERB_GIVE, "then", NULL},

    LOWER(FW_SLIM, VERB_ROUTE),
    {FW_SLIM, VERB_ROUTE, "any", "ANY"},
    {FW_SLIM, VERB_ROUTE, "redirect", "GET"},
    {FW_SLIM, VERB_METHOD, "map", NULL},
    {FW_SLIM, VERB_GROUP, "group", NULL},
};
const size_t verb_rule_len = sizeof(verb_rules) / sizeof(verb_rules[0]);

static int
by_name(const void *a, const void *b)
{
    const struct verb_rule *x = &verb_rules[*(const uint16_t *)a];
    const struct verb_rule *y = &verb_rules[*(const uint16_t *)b];
    int order = strcmp(x->name, y->name);

    return order ? order : (int)x->framework - (int)y->framework;
}

enum err
verbs_index(struct parts *p)
{
    p->verbs = calloc(verb_rule_len, sizeof(*p->verbs));
    if (!p->verbs)
        return ERR_NOMEM;
    for (size_t i = 0; i < verb_rule_len; i++)
        p->verbs[i] = (uint16_t)i;
    qsort(p->verbs, verb_rule_len, sizeof(*p->verbs), by_name);
    return OK;
}

static int
compare(str name, const char *rule)
{
    str other = str_of(rule);
    size_t len = name.len < other.len ? name.len : other.len;
    int order = len ? memcmp(name.ptr, other.ptr, len) : 0;

    return order ? order : (name.len > other.len) - (name.len < other.len);
}

/* The first row of that name, by halves. */
static size_t
first_of(const struct parts *p, str name)
{
    size_t low = 0;
    size_t high = verb_rule_len;

    while (low < high) {
        size_t mid = (low + high) / 2;
        if (compare(name, verb_rules[p->verbs[mid]].name) > 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static const struct verb_rule *
rule_at(const struct parts *p, size_t at, str name)
{
    if (at >= verb_rule_len)
        return NULL;
    const struct verb_rule *rule = &verb_rules[p->verbs[at]];
    return compare(name, rule->name) == 0 ? rule : NULL;
}

bool
verb_is_known(const struct parts *p, str name)
{
    return rule_at(p, first_of(p, name), name) != NULL;
}

const struct verb_rule *
verb_find(const struct parts *p, enum framework framework, str name)
{
    const struct verb_rule *rule;

    for (size_t at = first_of(p, name); (rule = rule_at(p, at, name)); at++)
        if (rule->framework == framework)
            return rule;
    return NULL;
}
