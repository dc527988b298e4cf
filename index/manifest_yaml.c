/*
 * A YAML file says by its members what it is: `services` (compose), `kind`
 * (Kubernetes), `spring`, `functions`.  Templates are no YAML and say nothing.
 */
#include <string.h>

#include "index/manifest_impl.h"
#include "index/yaml_tree.h"

/* A member, or that of what is merged in with `<<`. */
static const cJSON *
member(const cJSON *object, const char *name)
{
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(object, name);
    const cJSON *merged = cJSON_GetObjectItemCaseSensitive(object, "<<");
    const cJSON *part;

    if (own || !merged)
        return own;
    if (cJSON_IsObject(merged))
        return cJSON_GetObjectItemCaseSensitive(merged, name);
    cJSON_ArrayForEach(part, merged)
    {
        own = cJSON_GetObjectItemCaseSensitive(part, name);
        if (own)
            return own;
    }
    return NULL;
}

static const cJSON *
walk(const cJSON *object, const char *const *names)
{
    for (; *names && object; names++)
        object = member(object, *names);
    return object;
}

#define WALK(object, ...) \
    walk((object), (const char *const[]){__VA_ARGS__, NULL})

static str
text_of(const cJSON *item)
{
    const char *text = cJSON_GetStringValue(item);

    return str_of(text ? text : "");
}

/* What follows `service.name=` in OTEL_RESOURCE_ATTRIBUTES. */
static str
resource_name(str value)
{
    static const char key[] = "service.name=";
    const char *at =
        value.len ? memmem(value.ptr, value.len, key, sizeof(key) - 1) : NULL;

    if (!at)
        return (str){"", 0};
    value =
        str_cut(value, (size_t)(at - value.ptr) + sizeof(key) - 1, value.len);
    const char *end = value.len ? memchr(value.ptr, ',', value.len) : NULL;
    return end ? str_cut(value, 0, (size_t)(end - value.ptr)) : value;
}

static str
name_in_env(str key, str value)
{
    if (str_eq(key, STR("OTEL_SERVICE_NAME")))
        return value;
    if (str_eq(key, STR("OTEL_RESOURCE_ATTRIBUTES")))
        return resource_name(value);
    return (str){"", 0};
}

/* ---- docker-compose ---- */

/* |context| is from the folder of the file: `./cart`, `.`, `../x`. */
static void
add_folder(struct buf *out, str folder, str context)
{
    buf_reset(out);
    while (str_starts(context, STR("./")))
        context = str_cut(context, 2, context.len);
    while (str_starts(context, STR("../")) || str_eq(context, STR(".."))) {
        const char *slash =
            folder.len ? memrchr(folder.ptr, '/', folder.len) : NULL;
        folder = str_cut(folder, 0, slash ? (size_t)(slash - folder.ptr) : 0);
        context = str_cut(context, 3, context.len);
    }
    while (context.len > 0 && context.ptr[context.len - 1] == '/')
        context.len--;
    if (str_eq(context, STR(".")))
        context.len = 0;
    buf_add(out, folder);
    if (folder.len && context.len)
        buf_add_char(out, '/');
    buf_add(out, context);
}

/* |depth| bounds maps that are merged into maps that are merged in. */
static str
name_in_compose_env(const cJSON *env, int depth)
{
    enum { DEPTH_MAX = 8 };
    const cJSON *row;
    str name = {"", 0};

    cJSON_ArrayForEach(row, env)
    {
        if (!cJSON_IsString(row)) {
            if (name.len == 0 && depth < DEPTH_MAX)
                name = name_in_compose_env(row, depth + 1);
            continue;
        }
        str value = text_of(row);
        str key = str_of(row->string ? row->string : "");

        if (cJSON_IsArray(env)) {
            const char *sign =
                value.len ? memchr(value.ptr, '=', value.len) : NULL;
            if (!sign)
                continue;
            key = str_cut(value, 0, (size_t)(sign - value.ptr));
            value = str_cut(value, key.len + 1, value.len);
        }
        str told = name_in_env(key, value);
        /* OTEL_SERVICE_NAME goes before the resource's. */
        if (told.len && (name.len == 0 || key.len == 17))
            name = told;
    }
    return name;
}

/* A Dockerfile named apart from its context may stand in the folder meant. */
static void
compose_folder(const cJSON *build, str base, struct buf *out)
{
    str context = cJSON_IsString(build) ? text_of(build)
                                        : text_of(member(build, "context"));
    str dockerfile = text_of(member(build, "dockerfile"));
    const char *slash =
        dockerfile.len ? memrchr(dockerfile.ptr, '/', dockerfile.len) : NULL;

    add_folder(out, base, context);
    if (!slash)
        return;
    struct buf inner = {0};
    add_folder(&inner, buf_str(out),
               str_cut(dockerfile, 0, (size_t)(slash - dockerfile.ptr)));
    buf_reset(out);
    buf_add(out, buf_str(&inner));
    buf_fini(&inner);
}

static void
take_compose(struct manifest_file *file, const cJSON *services)
{
    struct buf folder = {0};
    const cJSON *service;

    cJSON_ArrayForEach(service, services)
    {
        const cJSON *build = member(service, "build");
        str told = name_in_compose_env(member(service, "environment"), 0);
        str image = text_of(member(service, "image"));
        str key = str_of(service->string);

        if (!cJSON_IsObject(service) || (!build && !image.len))
            continue;
        if (build)
            compose_folder(build, file->folder, &folder);
        str where = build ? buf_str(&folder) : (str){"", 0};
        str by = build ? (str){"", 0} : image;
        manifest_service(file, RANK_SDK, told, where, by);
        manifest_service(file, RANK_DEPLOYED, key, where, by);
    }
    buf_fini(&folder);
}

/* ---- Kubernetes ---- */

static void
take_container(struct manifest_file *file, const cJSON *container)
{
    str image = text_of(member(container, "image"));
    const cJSON *row;

    cJSON_ArrayForEach(row, member(container, "env"))
    {
        str name = name_in_env(text_of(member(row, "name")),
                               text_of(member(row, "value")));
        manifest_service(file, RANK_SDK, name, (str){"", 0}, image);
    }
}

static void
take_workload(struct manifest_file *file, const cJSON *document)
{
    const cJSON *pod = WALK(document, "spec", "template");
    const cJSON *containers;
    const cJSON *container;
    str image = {"", 0};

    if (!pod)
        pod = WALK(document, "spec", "jobTemplate", "spec", "template");
    if (!pod)
        pod = document;
    containers = WALK(pod, "spec", "containers");
    cJSON_ArrayForEach(container, containers)
    {
        take_container(file, container);
        if (image.len == 0)
            image = text_of(member(container, "image"));
    }
    if (image.len == 0)
        return;
    manifest_service(
        file, RANK_DEPLOYED,
        text_of(WALK(document, "metadata", "labels", "app.kubernetes.io/name")),
        (str){"", 0}, image);
    manifest_service(file, RANK_DEPLOYED,
                     text_of(WALK(document, "metadata", "name")), (str){"", 0},
                     image);
}

static void
take_ingress(struct manifest_file *file, const cJSON *document)
{
    str rewrite = text_of(WALK(document, "metadata", "annotations",
                               "nginx.ingress.kubernetes.io/rewrite-target"));
    const cJSON *rule;
    const cJSON *path;

    cJSON_ArrayForEach(rule, WALK(document, "spec", "rules"))
    {
        cJSON_ArrayForEach(path, WALK(rule, "http", "paths"))
        {
            manifest_exposure(
                file, text_of(member(rule, "host")),
                text_of(member(path, "path")), rewrite,
                text_of(WALK(path, "backend", "service", "name")));
        }
    }
}

static str
gateway_rewrite(const cJSON *rule)
{
    const cJSON *filter;

    cJSON_ArrayForEach(filter, member(rule, "filters"))
    {
        const cJSON *path =
            WALK(filter, "urlRewrite", "path", "replacePrefixMatch");
        if (path)
            return text_of(path);
    }
    return (str){"", 0};
}

static void
take_http_route(struct manifest_file *file, const cJSON *document)
{
    const cJSON *host =
        cJSON_GetArrayItem(WALK(document, "spec", "hostnames"), 0);
    const cJSON *rule;
    const cJSON *match;

    cJSON_ArrayForEach(rule, WALK(document, "spec", "rules"))
    {
        const cJSON *backend =
            cJSON_GetArrayItem(member(rule, "backendRefs"), 0);
        cJSON_ArrayForEach(match, member(rule, "matches"))
        {
            manifest_exposure(
                file, text_of(host), text_of(WALK(match, "path", "value")),
                gateway_rewrite(rule), text_of(member(backend, "name")));
        }
    }
}

/* Istio: `cart.shop.svc.cluster.local` is the service cart. */
static void
take_virtual_service(struct manifest_file *file, const cJSON *document)
{
    const cJSON *host = cJSON_GetArrayItem(WALK(document, "spec", "hosts"), 0);
    const cJSON *rule;
    const cJSON *match;

    cJSON_ArrayForEach(rule, WALK(document, "spec", "http"))
    {
        const cJSON *route = cJSON_GetArrayItem(member(rule, "route"), 0);
        str to = text_of(WALK(route, "destination", "host"));
        const char *dot = to.len ? memchr(to.ptr, '.', to.len) : NULL;
        str service = dot ? str_cut(to, 0, (size_t)(dot - to.ptr)) : to;

        cJSON_ArrayForEach(match, member(rule, "match"))
        {
            const cJSON *prefix = WALK(match, "uri", "prefix");
            if (!prefix)
                prefix = WALK(match, "uri", "exact");
            manifest_exposure(file, text_of(host), text_of(prefix),
                              text_of(WALK(rule, "rewrite", "uri")), service);
        }
    }
}

static void
take_kubernetes(struct manifest_file *file, const cJSON *document, str kind)
{
    static const struct {
        const char *kind;
        void (*take)(struct manifest_file *file, const cJSON *document);
    } kinds[] = {
        {"Deployment", take_workload},
        {"StatefulSet", take_workload},
        {"DaemonSet", take_workload},
        {"Job", take_workload},
        {"CronJob", take_workload},
        {"Pod", take_workload},
        {"Rollout", take_workload},
        {"Ingress", take_ingress},
        {"HTTPRoute", take_http_route},
        {"VirtualService", take_virtual_service},
    };
    const cJSON *item;

    if (str_eq(kind, STR("List")))
        cJSON_ArrayForEach(item, member(document, "items"))
        {
            str inner = text_of(member(item, "kind"));
            if (!str_eq(inner, STR("List")))
                take_kubernetes(file, item, inner);
        }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (str_eq(kind, str_of(kinds[i].kind)))
            kinds[i].take(file, document);
}

/* ---- AWS Lambda ---- */

/* What serverless.yml calls its stack, and what functions are told to call
 * themselves, in it or in a template of SAM: each in its own environment, or
 * in what holds for all. */
static void
take_function_env(struct manifest_file *file, const cJSON *env)
{
    manifest_service(file, RANK_SDK, name_in_compose_env(env, 0), file->folder,
                     (str){"", 0});
}

static void
take_serverless(struct manifest_file *file, const cJSON *document)
{
    const cJSON *functions = member(document, "functions");
    const cJSON *service = member(document, "service");
    const cJSON *function;

    if (!functions || !member(document, "provider"))
        return;
    take_function_env(file, WALK(document, "provider", "environment"));
    cJSON_ArrayForEach(function, functions)
        take_function_env(file, member(function, "environment"));
    if (cJSON_IsObject(service)) /* of old: `service: { name: shop }` */
        service = member(service, "name");
    manifest_service(file, RANK_PACKAGE, text_of(service), file->folder,
                     (str){"", 0});
}

static void
take_sam(struct manifest_file *file, const cJSON *document)
{
    const cJSON *resource;

    take_function_env(file, WALK(document, "Globals", "Function", "Environment",
                                 "Variables"));
    cJSON_ArrayForEach(resource, member(document, "Resources"))
    {
        if (str_eq(text_of(member(resource, "Type")),
                   STR("AWS::Serverless::Function")))
            take_function_env(
                file, WALK(resource, "Properties", "Environment", "Variables"));
    }
}

/* ---- Spring ---- */

/* A predicate `Path=` with a pattern, a filter `StripPrefix=1`. */
static void
take_gateway_route(struct manifest_file *file, const cJSON *route)
{
    str uri = text_of(member(route, "uri"));
    str prefix = {"", 0};
    bool strips = false;
    const cJSON *word;

    cJSON_ArrayForEach(word, member(route, "predicates"))
    {
        str text = text_of(word);
        if (str_starts(text, STR("Path=")))
            prefix = str_cut(text, 5, text.len);
    }
    cJSON_ArrayForEach(word, member(route, "filters"))
    {
        strips |= str_starts(text_of(word), STR("StripPrefix="));
    }
    const char *end = prefix.len ? memchr(prefix.ptr, '*', prefix.len) : NULL;
    if (end)
        prefix.len = (size_t)(end - prefix.ptr);
    while (prefix.len > 1 && prefix.ptr[prefix.len - 1] == '/')
        prefix.len--;
    if (str_starts(uri, STR("lb://")))
        uri = str_cut(uri, 5, uri.len);
    /* `${CART_URI:lb://cart}` has its default behind the colon. */
    manifest_exposure(file, (str){"", 0}, prefix, strips ? STR("/") : prefix,
                      uri);
}

static void
take_application(struct manifest_file *file, const cJSON *framework)
{
    str folder = file->folder;
    static const char inside[] = "src/main/resources";

    if (manifest_ends(folder, inside)) {
        size_t len = folder.len - (sizeof(inside) - 1);
        folder = str_cut(folder, 0, len ? len - 1 : 0);
    }
    manifest_service(file, RANK_SDK,
                     text_of(WALK(framework, "application", "name")), folder,
                     (str){"", 0});
}

static enum err
take_document(void *ctx, const cJSON *document)
{
    struct manifest_file *file = ctx;
    const cJSON *services = member(document, "services");
    const cJSON *route;
    str kind = text_of(member(document, "kind"));

    if (cJSON_IsObject(services) && kind.len == 0)
        take_compose(file, services);
    if (kind.len && member(document, "apiVersion"))
        take_kubernetes(file, document, kind);
    take_serverless(file, document);
    take_sam(file, document);
    take_application(file, member(document, "spring"));
    take_application(file, member(document, "quarkus"));
    take_application(file, member(document, "micronaut"));
    cJSON_ArrayForEach(route,
                       WALK(document, "spring", "cloud", "gateway", "routes"))
    {
        take_gateway_route(file, route);
    }
    /* application.properties written as one key. */
    manifest_service(file, RANK_SDK,
                     text_of(member(document, "spring.application.name")),
                     file->folder, (str){"", 0});
    return file->err;
}

void
manifest_yaml(struct manifest_file *file)
{
    struct buf why = {0};
    enum err err = yaml_documents(file->content, take_document, file, &why);

    if (err == ERR_NOMEM)
        file->err = err;
    buf_fini(&why);
}
