/*
 * Entities are found by their names in a sorted array; what one depends on is
 * the array of edges read once for each, which is quadratic in services only.
 *
 * Strings are written as JSON writes them: that is YAML, too.
 */
#include "cmd/backstage.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "base/hash.h"
#include "graph/query_edges.h"

enum { NAME_MAX_LEN = 63, DIGEST_LEN = 6 };

struct entity {
    char name[NAME_MAX_LEN + 1];
    const struct query_node *node;
};

struct catalog_print {
    struct query_view *view;
    const struct query_edges *edges;
    struct ids endpoints;
    struct entity *entities; /* by kind and name */
    size_t len;
    const char *owner;
    struct buf *out;
};

static bool
is_plain(char byte)
{
    return isalnum((unsigned char)byte) || byte == '-' || byte == '_' ||
           byte == '.';
}

/* Letters and digits parted by single - _ or . and at most 63 of them. */
static void
make_name(str from, char out[NAME_MAX_LEN + 1])
{
    unsigned char digest[32];
    char hex[DIGEST_LEN + 1];
    size_t len = 0;

    for (size_t i = 0; i < from.len && len < NAME_MAX_LEN; i++) {
        char byte = '-';

        if (is_plain(from.ptr[i]))
            byte = from.ptr[i];

        if (isalnum((unsigned char)byte) ||
            (len && isalnum((unsigned char)out[len - 1])))
            out[len++] = byte;
    }
    while (len && !isalnum((unsigned char)out[len - 1]))
        len--;
    out[len] = '\0';
    if (str_eq(from, (str){out, len}))
        return;
    hash_sha256(&from, 1, digest);
    for (size_t i = 0; i < DIGEST_LEN / 2; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    if (len > NAME_MAX_LEN - DIGEST_LEN - 1)
        len = NAME_MAX_LEN - DIGEST_LEN - 1;
    while (len && !isalnum((unsigned char)out[len - 1]))
        len--;
    (void)snprintf(out + len, NAME_MAX_LEN + 1 - len, "%s%s", len ? "-" : "",
                   hex);
}

/* Components before resources. */
static int
compare_entities(const void *a, const void *b)
{
    const struct entity *x = a;
    const struct entity *y = b;
    bool x_service = x->node->kind == NODE_SERVICE;
    bool y_service = y->node->kind == NODE_SERVICE;

    if (x_service != y_service)
        return x_service ? -1 : 1;
    return strcmp(x->name, y->name);
}

static enum err
collect(struct catalog_print *print)
{
    const struct query_edges *edges = print->edges;
    size_t len = 0;

    print->entities = calloc(2 * edges->len + 1, sizeof(*print->entities));
    if (!print->entities)
        return ERR_NOMEM;
    for (size_t i = 0; i < 2 * edges->len; i++) {
        const struct query_edge *edge = &edges->rows[i / 2];
        const struct query_node *node =
            query_node(print->view, i % 2 ? edge->target : edge->source);
        struct entity *entity = &print->entities[print->len];

        if (node->kind == NODE_EXTERNAL && i % 2 == 0)
            continue;
        entity->node = node;
        make_name(node->name, entity->name);
        print->len++;
    }
    if (print->len)
        qsort(print->entities, print->len, sizeof(*print->entities),
              compare_entities);
    for (size_t i = 0; i < print->len; i++) {
        if (len == 0 || compare_entities(&print->entities[len - 1],
                                         &print->entities[i]) != 0)
            print->entities[len++] = print->entities[i];
    }
    print->len = len;
    return OK;
}

static void
add_quoted(struct buf *out, str text)
{
    struct buf copy = {0};
    char *quoted;
    cJSON *item;

    buf_add(&copy, text);
    item = cJSON_CreateString(buf_cstr(&copy));
    quoted = item ? cJSON_PrintUnformatted(item) : NULL;
    if (quoted)
        buf_add(out, str_of(quoted));
    else
        out->failed = true;
    cJSON_free(quoted);
    cJSON_Delete(item);
    buf_fini(&copy);
}

static void
add_head(struct catalog_print *print, const char *kind, const char *name,
         str title, const char *type)
{
    struct buf *out = print->out;

    buf_printf(out,
               "---\napiVersion: backstage.io/v1alpha1\nkind: %s\nmetadata:\n"
               "  name: \"%s\"\n  title: ",
               kind, name);
    add_quoted(out, title);
    buf_printf(out,
               "\n  annotations:\n    spangraph/source: observed\nspec:\n"
               "  type: %s\n",
               type);
    if (strcmp(kind, "Resource") != 0)
        buf_add(out, STR("  lifecycle: production\n"));
    buf_add(out, STR("  owner: "));
    add_quoted(out, str_of(print->owner));
    buf_add_char(out, '\n');
}

/* ---- the API of a service ---- */

static bool
has_endpoint(const struct catalog_print *print, str service, uint8_t kind)
{
    for (size_t i = 0; i < print->endpoints.len; i++) {
        const struct query_node *node =
            query_node(print->view, print->endpoints.ids[i]);

        if (node->kind == kind && str_eq(node->service, service))
            return true;
    }
    return false;
}

static bool
has_api(const struct catalog_print *print, str service)
{
    return has_endpoint(print, service, NODE_ROUTE) ||
           has_endpoint(print, service, NODE_RPC);
}

/* Templates have nameless parameters, which OpenAPI has not. */
static void
add_path(str pattern, struct buf *out, cJSON *parameters)
{
    int number = 0;

    for (size_t i = 0; i < pattern.len; i++) {
        char name[16];

        buf_add_char(out, pattern.ptr[i]);
        if (pattern.ptr[i] != '{' || i + 1 >= pattern.len ||
            pattern.ptr[i + 1] != '}')
            continue;
        (void)snprintf(name, sizeof(name), "p%d", ++number);
        buf_add(out, str_of(name));
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "name", name);
        cJSON_AddStringToObject(row, "in", "path");
        cJSON_AddBoolToObject(row, "required", true);
        cJSON_AddStringToObject(cJSON_AddObjectToObject(row, "schema"), "type",
                                "string");
        cJSON_AddItemToArray(parameters, row);
    }
}

static void
add_operation(cJSON *paths, str name)
{
    static const char *const methods[] = {"get",     "put",  "post",  "delete",
                                          "options", "head", "patch", "trace"};
    const char *space = memchr(name.ptr, ' ', name.len);
    size_t len = space ? (size_t)(space - name.ptr) : 0;
    struct buf path = {0};
    cJSON *parameters = cJSON_CreateArray();
    cJSON *operation = NULL;
    cJSON *item;

    add_path(str_cut(name, len ? len + 1 : 0, name.len), &path, parameters);
    item = cJSON_GetObjectItemCaseSensitive(paths, buf_cstr(&path));
    if (!item)
        item = cJSON_AddObjectToObject(paths, buf_cstr(&path));
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (strlen(methods[i]) == len &&
            strncasecmp(methods[i], name.ptr, len) == 0 &&
            !cJSON_GetObjectItemCaseSensitive(item, methods[i]))
            operation = cJSON_AddObjectToObject(item, methods[i]);
    }
    cJSON *answers = cJSON_AddObjectToObject(operation, "responses");
    cJSON_AddStringToObject(cJSON_AddObjectToObject(answers, "default"),
                            "description", "as observed");
    if (operation && cJSON_GetArraySize(parameters))
        cJSON_AddItemToObject(operation, "parameters", parameters);
    else
        cJSON_Delete(parameters);
    buf_fini(&path);
}

static void
add_openapi(struct catalog_print *print, const struct entity *entity)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *info;
    cJSON *paths;

    cJSON_AddStringToObject(root, "openapi", "3.0.3");
    info = cJSON_AddObjectToObject(root, "info");
    cJSON_AddStringToObject(info, "title", entity->name);
    cJSON_AddStringToObject(info, "version", "observed");
    paths = cJSON_AddObjectToObject(root, "paths");
    for (size_t i = 0; i < print->endpoints.len; i++) {
        const struct query_node *node =
            query_node(print->view, print->endpoints.ids[i]);

        if (node->kind == NODE_ROUTE &&
            str_eq(node->service, entity->node->name) &&
            node->source != ROUTE_SOURCE_OVERFLOW)
            add_operation(paths, node->name);
    }
    char *text = cJSON_PrintUnformatted(root);
    if (text)
        add_quoted(print->out, str_of(text));
    else
        print->out->failed = true;
    cJSON_free(text);
    cJSON_Delete(root);
}

static void
add_methods(struct catalog_print *print, const struct entity *entity)
{
    struct buf text = {0};

    for (size_t i = 0; i < print->endpoints.len; i++) {
        const struct query_node *node =
            query_node(print->view, print->endpoints.ids[i]);

        if (node->kind != NODE_RPC ||
            !str_eq(node->service, entity->node->name))
            continue;
        buf_add(&text, node->name);
        buf_add_char(&text, '\n');
    }
    print->out->failed |= text.failed;
    add_quoted(print->out, buf_str(&text));
    buf_fini(&text);
}

static void
print_api(struct catalog_print *print, const struct entity *entity)
{
    bool is_http = has_endpoint(print, entity->node->name, NODE_ROUTE);

    add_head(print, "API", entity->name, entity->node->name,
             is_http ? "openapi" : "grpc");
    buf_add(print->out, STR("  definition: "));
    if (is_http)
        add_openapi(print, entity);
    else
        add_methods(print, entity);
    buf_add_char(print->out, '\n');
}

/* ---- what it depends on ---- */

static bool
depends_on(const struct catalog_print *print, const struct entity *from,
           const struct entity *to)
{
    for (size_t i = 0; i < print->edges->len; i++) {
        const struct query_edge *edge = &print->edges->rows[i];
        const struct query_node *source = query_node(print->view, edge->source);
        const struct query_node *target = query_node(print->view, edge->target);

        if (source->kind == from->node->kind &&
            target->kind == to->node->kind &&
            str_eq(source->name, from->node->name) &&
            str_eq(target->name, to->node->name))
            return true;
    }
    return false;
}

static void
print_dependencies(struct catalog_print *print, const struct entity *from)
{
    struct buf apis = {0};
    bool is_first = true;

    for (size_t i = 0; i < print->len; i++) {
        const struct entity *to = &print->entities[i];
        bool is_service = to->node->kind == NODE_SERVICE;

        if (to == from || !depends_on(print, from, to))
            continue;
        buf_printf(print->out, "%s    - \"%s:%s\"\n",
                   is_first ? "  dependsOn:\n" : "",
                   is_service ? "component" : "resource", to->name);
        is_first = false;
        if (is_service && has_api(print, to->node->name))
            buf_printf(&apis, "    - \"%s\"\n", to->name);
    }
    if (from->node->kind == NODE_SERVICE && apis.len) {
        buf_add(print->out, STR("  consumesApis:\n"));
        buf_add(print->out, buf_str(&apis));
    }
    print->out->failed |= apis.failed;
    buf_fini(&apis);
}

static void
print_entity(struct catalog_print *print, const struct entity *entity)
{
    static const char *const types[] = {
        [NODE_SERVICE] = "service",
        [NODE_TOPIC] = "topic",
        [NODE_DATABASE] = "database",
        [NODE_EXTERNAL] = "external",
    };
    uint8_t kind = entity->node->kind;
    bool is_service = kind == NODE_SERVICE;

    add_head(print, is_service ? "Component" : "Resource", entity->name,
             entity->node->name, kind <= NODE_EXTERNAL ? types[kind] : "other");
    if (is_service && has_api(print, entity->node->name))
        buf_printf(print->out, "  providesApis:\n    - \"%s\"\n", entity->name);
    print_dependencies(print, entity);
    if (is_service && has_api(print, entity->node->name))
        print_api(print, entity);
}

enum err
backstage_print(struct query_view *view, const struct query_edges *edges,
                const char *owner, struct buf *out)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_ROUTE |
                                             UINT32_C(1) << NODE_RPC};
    struct catalog_print print = {
        .view = view, .edges = edges, .owner = owner, .out = out};
    enum err err = query_find(view, &find, &print.endpoints);

    if (!err)
        err = collect(&print);
    for (size_t i = 0; !err && i < print.len; i++)
        print_entity(&print, &print.entities[i]);
    ids_fini(&print.endpoints);
    free(print.entities);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}
