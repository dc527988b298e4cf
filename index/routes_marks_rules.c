/*
 * What an annotation means.  It is known by where its name comes from.
 */
#include <string.h>

#include "index/routes_marks.h"

#define SPRING   "org.springframework.web.bind.annotation."
#define DATA     "org.springframework.data.rest.webmvc."
#define CLIENT   "org.springframework.web.service.annotation."
#define NEST     "@nestjs/common."
#define MICRO    "io.micronaut.http.annotation."
#define ROUTING  "routing-controllers."
#define TSOA     "tsoa."
#define TSOA_RUN "@tsoa/runtime."
#define MVC      "Microsoft.AspNetCore.Mvc."

static const struct mark_rule mark_rules[] = {
    {FW_SPRING, MARK_CONTROLLER, "RestController", SPRING, NULL},
    {FW_SPRING, MARK_CONTROLLER, "Controller",
     "org.springframework.stereotype.", NULL},
    {FW_SPRING, MARK_DATA, "RepositoryRestController", DATA, NULL},
    {FW_SPRING, MARK_DATA, "BasePathAwareController", DATA, NULL},
    {FW_SPRING, MARK_PREFIX, "RequestMapping", SPRING, NULL},
    {FW_SPRING, MARK_ROUTE, "GetMapping", SPRING, "GET"},
    {FW_SPRING, MARK_ROUTE, "PostMapping", SPRING, "POST"},
    {FW_SPRING, MARK_ROUTE, "PutMapping", SPRING, "PUT"},
    {FW_SPRING, MARK_ROUTE, "DeleteMapping", SPRING, "DELETE"},
    {FW_SPRING, MARK_ROUTE, "PatchMapping", SPRING, "PATCH"},
    {FW_SPRING, MARK_CLIENT, "FeignClient",
     "org.springframework.cloud.openfeign.", NULL},
    {FW_SPRING, MARK_CLIENT, "FeignClient",
     "org.springframework.cloud.netflix.feign.", NULL},
    {FW_SPRING, MARK_CLIENT_PREFIX, "HttpExchange", CLIENT, NULL},
    {FW_SPRING, MARK_CLIENT_ROUTE, "GetExchange", CLIENT, "GET"},
    {FW_SPRING, MARK_CLIENT_ROUTE, "PostExchange", CLIENT, "POST"},
    {FW_SPRING, MARK_CLIENT_ROUTE, "PutExchange", CLIENT, "PUT"},
    {FW_SPRING, MARK_CLIENT_ROUTE, "DeleteExchange", CLIENT, "DELETE"},
    {FW_SPRING, MARK_CLIENT_ROUTE, "PatchExchange", CLIENT, "PATCH"},

    {FW_JAXRS, MARK_PREFIX, "Path", "*.ws.rs.", NULL},
    {FW_JAXRS, MARK_METHOD, "GET", "*.ws.rs.", "GET"},
    {FW_JAXRS, MARK_METHOD, "POST", "*.ws.rs.", "POST"},
    {FW_JAXRS, MARK_METHOD, "PUT", "*.ws.rs.", "PUT"},
    {FW_JAXRS, MARK_METHOD, "DELETE", "*.ws.rs.", "DELETE"},
    {FW_JAXRS, MARK_METHOD, "PATCH", "*.ws.rs.", "PATCH"},
    {FW_JAXRS, MARK_METHOD, "HEAD", "*.ws.rs.", "HEAD"},
    {FW_JAXRS, MARK_METHOD, "OPTIONS", "*.ws.rs.", "OPTIONS"},
    {FW_JAXRS, MARK_VERB, "HttpMethod", "*.ws.rs.", NULL},
    {FW_JAXRS, MARK_APP, "ApplicationPath", "*.ws.rs.", NULL},
    {FW_JAXRS, MARK_CLIENT, "RegisterRestClient",
     "org.eclipse.microprofile.rest.client.inject.", NULL},

    {FW_VERTX, MARK_PREFIX, "RouteBase", "io.quarkus.vertx.web.", NULL},
    {FW_VERTX, MARK_PREFIX, "Route", "io.quarkus.vertx.web.", NULL},

    {FW_MICRONAUT, MARK_CONTROLLER, "Controller", MICRO, NULL},
    {FW_MICRONAUT, MARK_ROUTE, "Get", MICRO, "GET"},
    {FW_MICRONAUT, MARK_ROUTE, "Post", MICRO, "POST"},
    {FW_MICRONAUT, MARK_ROUTE, "Put", MICRO, "PUT"},
    {FW_MICRONAUT, MARK_ROUTE, "Delete", MICRO, "DELETE"},
    {FW_MICRONAUT, MARK_ROUTE, "Patch", MICRO, "PATCH"},
    {FW_MICRONAUT, MARK_ROUTE, "Head", MICRO, "HEAD"},
    {FW_MICRONAUT, MARK_ROUTE, "Options", MICRO, "OPTIONS"},
    {FW_MICRONAUT, MARK_ROUTE, "Trace", MICRO, "TRACE"},
    {FW_MICRONAUT, MARK_PREFIX, "CustomHttpMethod", MICRO, NULL},
    {FW_MICRONAUT, MARK_CLIENT, "Client",
     "io.micronaut.http.client.annotation.", NULL},

    {FW_NESTJS, MARK_CONTROLLER, "Controller", NEST, NULL},
    {FW_NESTJS, MARK_ROUTE, "Get", NEST, "GET"},
    {FW_NESTJS, MARK_ROUTE, "Post", NEST, "POST"},
    {FW_NESTJS, MARK_ROUTE, "Put", NEST, "PUT"},
    {FW_NESTJS, MARK_ROUTE, "Delete", NEST, "DELETE"},
    {FW_NESTJS, MARK_ROUTE, "Patch", NEST, "PATCH"},
    {FW_NESTJS, MARK_ROUTE, "Head", NEST, "HEAD"},
    {FW_NESTJS, MARK_ROUTE, "Options", NEST, "OPTIONS"},
    {FW_NESTJS, MARK_ROUTE, "All", NEST, "ANY"},
    {FW_NESTJS, MARK_ROUTE, "Sse", NEST, "GET"},
    {FW_NESTJS, MARK_ROUTE, "Search", NEST, "SEARCH"},
    {FW_NESTJS, MARK_PREFIX, "RequestMapping", NEST, "GET"},

    {FW_CONTROLLERS, MARK_CONTROLLER, "Controller", ROUTING, NULL},
    {FW_CONTROLLERS, MARK_CONTROLLER, "JsonController", ROUTING, NULL},
    {FW_CONTROLLERS, MARK_ROUTE, "Get", ROUTING, "GET"},
    {FW_CONTROLLERS, MARK_ROUTE, "Post", ROUTING, "POST"},
    {FW_CONTROLLERS, MARK_ROUTE, "Put", ROUTING, "PUT"},
    {FW_CONTROLLERS, MARK_ROUTE, "Delete", ROUTING, "DELETE"},
    {FW_CONTROLLERS, MARK_ROUTE, "Patch", ROUTING, "PATCH"},
    {FW_CONTROLLERS, MARK_ROUTE, "Head", ROUTING, "HEAD"},
    {FW_CONTROLLERS, MARK_ROUTE, "All", ROUTING, "ANY"},
    {FW_CONTROLLERS, MARK_PREFIX, "Method", ROUTING, NULL},

    {FW_TSOA, MARK_CONTROLLER, "Route", TSOA, NULL},
    {FW_TSOA, MARK_ROUTE, "Get", TSOA, "GET"},
    {FW_TSOA, MARK_ROUTE, "Post", TSOA, "POST"},
    {FW_TSOA, MARK_ROUTE, "Put", TSOA, "PUT"},
    {FW_TSOA, MARK_ROUTE, "Delete", TSOA, "DELETE"},
    {FW_TSOA, MARK_ROUTE, "Patch", TSOA, "PATCH"},
    {FW_TSOA, MARK_ROUTE, "Head", TSOA, "HEAD"},
    {FW_TSOA, MARK_ROUTE, "Options", TSOA, "OPTIONS"},
    {FW_TSOA, MARK_CONTROLLER, "Route", TSOA_RUN, NULL},
    {FW_TSOA, MARK_ROUTE, "Get", TSOA_RUN, "GET"},
    {FW_TSOA, MARK_ROUTE, "Post", TSOA_RUN, "POST"},
    {FW_TSOA, MARK_ROUTE, "Put", TSOA_RUN, "PUT"},
    {FW_TSOA, MARK_ROUTE, "Delete", TSOA_RUN, "DELETE"},
    {FW_TSOA, MARK_ROUTE, "Patch", TSOA_RUN, "PATCH"},
    {FW_TSOA, MARK_ROUTE, "Head", TSOA_RUN, "HEAD"},
    {FW_TSOA, MARK_ROUTE, "Options", TSOA_RUN, "OPTIONS"},

    {FW_ASPNET, MARK_CONTROLLER, "ApiController", MVC, NULL},
    {FW_ASPNET, MARK_CONTROLLER, "Controller", MVC, NULL},
    {FW_ASPNET, MARK_PREFIX, "Route", MVC, NULL},
    {FW_ASPNET, MARK_PREFIX, "RoutePrefix", "System.Web.Http.", NULL},
    {FW_ASPNET, MARK_ROUTE, "HttpGet", MVC, "GET"},
    {FW_ASPNET, MARK_ROUTE, "HttpPost", MVC, "POST"},
    {FW_ASPNET, MARK_ROUTE, "HttpPut", MVC, "PUT"},
    {FW_ASPNET, MARK_ROUTE, "HttpDelete", MVC, "DELETE"},
    {FW_ASPNET, MARK_ROUTE, "HttpPatch", MVC, "PATCH"},
    {FW_ASPNET, MARK_ROUTE, "HttpHead", MVC, "HEAD"},
    {FW_ASPNET, MARK_ROUTE, "HttpOptions", MVC, "OPTIONS"},
    {FW_ASPNET, MARK_VERBS, "AcceptVerbs", MVC, "ANY"},

    {FW_ACTIX, MARK_ROUTE, "get", "actix_web.", "GET"},
    {FW_ACTIX, MARK_ROUTE, "post", "actix_web.", "POST"},
    {FW_ACTIX, MARK_ROUTE, "put", "actix_web.", "PUT"},
    {FW_ACTIX, MARK_ROUTE, "delete", "actix_web.", "DELETE"},
    {FW_ACTIX, MARK_ROUTE, "patch", "actix_web.", "PATCH"},
    {FW_ACTIX, MARK_ROUTE, "head", "actix_web.", "HEAD"},
    {FW_ACTIX, MARK_PREFIX, "route", "actix_web.", NULL},
    {FW_ROCKET, MARK_ROUTE, "get", "rocket.", "GET"},
    {FW_ROCKET, MARK_ROUTE, "post", "rocket.", "POST"},
    {FW_ROCKET, MARK_ROUTE, "put", "rocket.", "PUT"},
    {FW_ROCKET, MARK_ROUTE, "delete", "rocket.", "DELETE"},
    {FW_ROCKET, MARK_ROUTE, "patch", "rocket.", "PATCH"},
    {FW_ROCKET, MARK_ROUTE, "head", "rocket.", "HEAD"},
    {FW_ROCKET, MARK_ROUTE, "options", "rocket.", "OPTIONS"},
    {FW_ROCKET, MARK_VERBS, "route", "rocket.", "ANY"},
};

/* C#: `[HttpGetAttribute]` is `[HttpGet]`. */
static str
without_suffix(str name)
{
    static const str suffix = {"Attribute", 9};

    if (name.len > suffix.len && str_ends(name, suffix))
        name.len -= suffix.len;
    return name;
}

str
mark_word(const struct parts *p, struct at callee)
{
    str word = part_word(p, callee);

    return part_facts(p, callee.file)->lang == LANG_CSHARP
               ? without_suffix(word)
               : word;
}

/* Macros and attributes of libraries whose names come in by `use x::*`, or
 * `#[macro_use]`. */
static bool
comes_from(struct parts *p, struct at callee, const struct mark_rule *rule)
{
    struct origin origin;
    char path[128];
    size_t len = strlen(rule->module);
    size_t name_len = strlen(rule->name);

    if (!part_origin(p, callee, &origin) || len + name_len >= sizeof(path))
        return false;
    if (rule->framework == FW_ASPNET)
        origin.path = without_suffix(origin.path);
    memcpy(path, rule->module, len);
    memcpy(path + len, rule->name, name_len + 1);
    if (origin_is(p, &origin, path))
        return true;
    return origin.is_written && rule->framework == FW_ROCKET &&
           str_eq(origin.path, str_of(rule->name)) &&
           part_imports(p, callee.file, "rocket");
}

/* What NestJS calls it, whatever a file imports it as. */
static str
word_of(struct parts *p, struct at callee, char *into, size_t cap)
{
    static const str nest = {NEST, sizeof(NEST) - 1};
    enum lang_id lang = (enum lang_id)part_facts(p, callee.file)->lang;
    bool is_js = lang == LANG_TYPESCRIPT || lang == LANG_JAVASCRIPT;
    struct origin origin;

    if (!is_js || !part_origin(p, callee, &origin) ||
        !str_starts(origin.path, nest) || origin.path.len - nest.len > cap)
        return mark_word(p, callee);
    memcpy(into, origin.path.ptr + nest.len, origin.path.len - nest.len);
    return (str){into, origin.path.len - nest.len};
}

/* `@Get(/x/)` of routing-controllers, whose class is put into the pattern. */
static bool
is_by_pattern(struct parts *p, struct at mark, const struct mark_rule *rule)
{
    if (rule->framework != FW_CONTROLLERS || part_kind(p, mark) != EXPR_CALL)
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if (part_kind(p, part_bare(p, part_arg(p, mark, i))) == EXPR_REGEX)
            return true;
    return false;
}

const struct mark_rule *
mark_rule(struct parts *p, struct at mark)
{
    struct at callee =
        part_kind(p, mark) == EXPR_CALL ? part_callee(p, mark) : mark;
    bool is_csharp = part_facts(p, mark.file)->lang == LANG_CSHARP;
    char name[32];
    str word = word_of(p, callee, name, sizeof(name));

    /* C# tells by no import where a name comes from. */
    for (size_t i = 0; i < sizeof(mark_rules) / sizeof(mark_rules[0]); i++)
        if ((mark_rules[i].framework == FW_ASPNET) == is_csharp &&
            str_eq(word, str_of(mark_rules[i].name)) &&
            comes_from(p, callee, &mark_rules[i]))
            return is_by_pattern(p, mark, &mark_rules[i]) ? NULL
                                                          : &mark_rules[i];
    return NULL;
}

struct at
mark_at(const struct parts *p, struct at def, uint32_t i)
{
    const struct fact_def *row = part_def(p, def);

    if (i >= row->marks_len)
        return (struct at){def.file, 0};
    return (struct at){def.file,
                       part_facts(p, def.file)->lists[row->marks_at + i]};
}

struct at
mark_options(struct parts *p, struct at mark)
{
    struct at object = {mark.file, 0};
    struct at arg = object;

    if (part_kind(p, mark) == EXPR_CALL)
        arg = part_arg(p, mark, 0);
    if (arg.id && part_literal(p, arg, &object) &&
        part_kind(p, object) == EXPR_OBJECT)
        return object;
    return (struct at){mark.file, 0};
}

bool
mark_is_method(struct parts *p, struct at mark)
{
    struct at callee = part_callee(p, mark);

    return str_eq(part_word(p, callee), STR("Method")) &&
           part_is(p, callee, ROUTING "Method");
}

struct at
mark_path(struct parts *p, struct at mark)
{
    static const char *const names[] = {"value", "path",     "uri",     "url",
                                        "uris",  "Template", "template"};
    struct at path = {mark.file, 0};

    if (part_kind(p, mark) != EXPR_CALL)
        return path;
    if (str_eq(mark_word(p, part_callee(p, mark)), STR("AcceptVerbs")))
        return part_named(p, mark, "Route");
    if (mark_is_method(p, mark))
        return part_arg(p, mark, 1);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !path.id; i++)
        path = part_named(p, mark, names[i]);
    if (path.id)
        return mark_value(p, path);
    path = mark_value(p, part_arg(p, mark, 0));
    /* An object has options, of JavaScript also one that has a name. */
    enum lang_id lang = (enum lang_id)part_facts(p, mark.file)->lang;
    struct at options = path;
    if (lang == LANG_TYPESCRIPT || lang == LANG_JAVASCRIPT)
        options = mark_options(p, mark);
    if (part_kind(p, options) != EXPR_OBJECT)
        return path;
    return options.id == path.id && options.file == path.file
               ? (struct at){mark.file, 0}
               : part_named(p, options, "path");
}
