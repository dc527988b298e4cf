/*
 * Dependencies are pairs of nodes, sorted: those of one stand together, and
 * what several kinds of edges say is there once.
 */
#include "cmd/export_cyclonedx.h"

#include <stdlib.h>
#include <time.h>

#include "cmd/ask.h"
#include "cmd/version.h"

struct pair {
    uint32_t from; /* depends on |to| */
    uint32_t to;
};

static int
compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a;
    const struct pair *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Who calls from outside is nobody's service. */
static bool
is_told(const struct query_view *view, const struct query_edge *edge)
{
    return edge->source != edge->target &&
           query_node(view, edge->source)->kind != NODE_EXTERNAL;
}

/* A receiver depends on its topic, though what it gets comes from there; the
 * edge from sender to receiver goes over the topic, and says no more. */
static size_t
collect(const struct query_view *view, const struct query_edges *edges,
        struct pair *pairs)
{
    size_t len = 0;
    size_t kept = 0;

    for (size_t i = 0; i < edges->len; i++) {
        const struct query_edge *edge = &edges->rows[i];

        if (!is_told(view, edge) || edge->kind == EDGE_MSG)
            continue;
        pairs[len++] = edge->kind == EDGE_MSG_SUB
                           ? (struct pair){edge->target, edge->source}
                           : (struct pair){edge->source, edge->target};
    }
    if (len)
        qsort(pairs, len, sizeof(*pairs), compare_pairs);
    for (size_t i = 0; i < len; i++)
        if (kept == 0 || compare_pairs(&pairs[kept - 1], &pairs[i]) != 0)
            pairs[kept++] = pairs[i];
    return kept;
}

/* As in the URL of a package: behind an `@` is the environment, never the rest
 * of a name, or a service `cart@prod` would be the cart of prod. */
static void
add_name(str name, struct buf *out)
{
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '@' || name.ptr[i] == '%')
            buf_printf(out, "%%%02X", (unsigned)name.ptr[i]);
        else
            buf_add_char(out, name.ptr[i]);
    }
}

static void
add_ref(const struct query_view *view, uint32_t id, struct buf *out)
{
    const struct query_node *node = query_node(view, id);

    buf_printf(out, "%s:", node_kind_str(node->kind));
    add_name(node->name, out);
    if (node->env.len) {
        buf_add(out, STR("@"));
        buf_add(out, node->env);
    }
}

static void
add_property(cJSON *array, const char *name, str value)
{
    cJSON *row = cJSON_CreateObject();

    cJSON_AddStringToObject(row, "name", name);
    ask_add_str(row, "value", value);
    cJSON_AddItemToArray(array, row);
}

static void
add_service(const struct query_view *view, uint32_t id, cJSON *services)
{
    const struct query_node *node = query_node(view, id);
    cJSON *row = cJSON_CreateObject();
    cJSON *properties;
    struct buf ref = {0};

    add_ref(view, id, &ref);
    ask_add_str(row, "bom-ref", buf_str(&ref));
    ask_add_str(row, "name", node->name);
    if (node->kind == NODE_EXTERNAL)
        cJSON_AddTrueToObject(row, "x-trust-boundary");
    properties = cJSON_AddArrayToObject(row, "properties");
    add_property(properties, "spangraph:kind",
                 str_of(node_kind_str(node->kind)));
    if (node->env.len)
        add_property(properties, "spangraph:environment", node->env);
    cJSON_AddItemToArray(services, row);
    buf_fini(&ref);
}

static void
add_depends(const struct query_view *view, const struct pair *pairs, size_t len,
            cJSON *dependencies)
{
    cJSON *array = NULL;

    for (size_t i = 0; i < len; i++) {
        struct buf ref = {0};

        if (i == 0 || pairs[i].from != pairs[i - 1].from) {
            cJSON *row = cJSON_CreateObject();

            add_ref(view, pairs[i].from, &ref);
            ask_add_str(row, "ref", buf_str(&ref));
            array = cJSON_AddArrayToObject(row, "dependsOn");
            cJSON_AddItemToArray(dependencies, row);
            buf_reset(&ref);
        }
        add_ref(view, pairs[i].to, &ref);
        cJSON_AddItemToArray(array, cJSON_CreateString(buf_cstr(&ref)));
        buf_fini(&ref);
    }
}

static void
add_head(const struct query_view *view, cJSON *root)
{
    time_t now = (time_t)query_now_s(view);
    struct tm parts;
    char text[32];
    cJSON *metadata;
    cJSON *tool = cJSON_CreateObject();

    cJSON_AddStringToObject(root, "bomFormat", "CycloneDX");
    cJSON_AddStringToObject(root, "specVersion", "1.6");
    cJSON_AddNumberToObject(root, "version", 1);
    metadata = cJSON_AddObjectToObject(root, "metadata");
    gmtime_r(&now, &parts);
    (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
    cJSON_AddStringToObject(metadata, "timestamp", text);
    cJSON_AddStringToObject(tool, "type", "application");
    cJSON_AddStringToObject(tool, "name", "spangraph");
    cJSON_AddStringToObject(tool, "version", SPANGRAPH_VERSION);
    cJSON_AddItemToArray(
        cJSON_AddArrayToObject(cJSON_AddObjectToObject(metadata, "tools"),
                               "components"),
        tool);
}

/* Of who is outside, those that are called. */
static enum err
add_services(const struct query_view *view, const struct query_edges *edges,
             const struct ids *nodes, cJSON *services)
{
    bool *is_called =
        calloc((size_t)query_node_last(view) + 1, sizeof(*is_called));

    if (!is_called)
        return ERR_NOMEM;
    for (size_t i = 0; i < edges->len; i++)
        is_called[edges->rows[i].target] = true;
    for (size_t i = 0; i < nodes->len; i++)
        if (is_called[nodes->ids[i]] ||
            query_node(view, nodes->ids[i])->kind != NODE_EXTERNAL)
            add_service(view, nodes->ids[i], services);
    free(is_called);
    return OK;
}

enum err
export_cyclonedx_print(const struct query_view *view,
                       const struct query_edges *edges, const struct ids *nodes,
                       struct buf *out)
{
    struct pair *pairs = calloc(edges->len + 1, sizeof(*pairs));
    cJSON *root = cJSON_CreateObject();
    char *text = NULL;

    if (!pairs)
        goto out;
    add_head(view, root);
    if (add_services(view, edges, nodes,
                     cJSON_AddArrayToObject(root, "services")))
        goto out;
    add_depends(view, pairs, collect(view, edges, pairs),
                cJSON_AddArrayToObject(root, "dependencies"));
    text = cJSON_Print(root);
    if (text)
        buf_printf(out, "%s\n", text);
out:
    cJSON_free(text);
    cJSON_Delete(root);
    free(pairs);
    return text ? OK : ERR_NOMEM;
}
